/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solve/program.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <math.h>
#include <string.h>

sab_status sab_program_create(int s, int npoints, int n, sab_program **program, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_program *p = NULL;

    *program = NULL;
    SAB_NEW(p, 1);
    p->s = s;
    p->npoints = npoints;
    p->n = n;
    SAB_NEW(p->l, n);
    SAB_NEW(p->k, (size_t)npoints * (size_t)s);
    SAB_NEW(p->weight, npoints);
    SAB_NEW(p->viscosity, npoints);
    SAB_NEW(p->slope, npoints);
    SAB_NEW(p->r, npoints);
    SAB_NEW(p->friction, npoints);
    SAB_NEW(p->yield, npoints);
    SAB_NEW(p->dilatancy, npoints);
    SAB_TRY(
        sab_program_set_ranges(p, 1, &(sab_point_range){SAB_POINTS_STRAIN, 0, npoints, s}, err));
    *program = p;
    p = NULL;
cleanup:
    sab_program_destroy(&p);
    return status;
}

void sab_program_destroy(sab_program **program)
{
    sab_program *p = *program;

    if (p == NULL)
        return;
    sab_sparse_destroy(&p->A);
    sab_blocks_destroy(&p->B);
    SAB_FREE(p->l);
    SAB_FREE(p->k);
    SAB_FREE(p->slack);
    SAB_FREE(p->direction);
    SAB_FREE(p->weight);
    SAB_FREE(p->viscosity);
    SAB_FREE(p->slope);
    SAB_FREE(p->carried);
    SAB_FREE(p->r);
    SAB_FREE(p->friction);
    SAB_FREE(p->yield);
    SAB_FREE(p->dilatancy);
    SAB_FREE(p->range);
    SAB_FREE(*program);
}

sab_status sab_program_add_slack(sab_program *p, sab_error *err)
{
    sab_status status = SAB_OK;

    if (p->slack == NULL)
        SAB_NEW(p->slack, p->npoints);
cleanup:
    return status;
}

sab_cone_laws sab_program_laws(const sab_program *p)
{
    return (sab_cone_laws){p->s, p->npoints, p->friction, p->yield, p->dilatancy, p->r, p->slack};
}

sab_status sab_program_set_ranges(sab_program *p, int n, const sab_point_range *range,
                                  sab_error *err)
{
    sab_point_range *copy = NULL;
    sab_status status = SAB_OK;

    SAB_NEW(copy, n);
    memcpy(copy, range, (size_t)n * sizeof *copy);
    SAB_FREE(p->range);
    p->range = copy;
    p->nranges = n;
cleanup:
    return status;
}

/* The certificate multiplies up to five numbers of a program. */
static const double SMALLEST = 1e-30, LARGEST = 1e30;

/* All finite, the largest in range or all zero. */
static sab_status check_array(const char *name, const double *x, int64_t n, sab_error *err)
{
    double largest = 0.0;

    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(x[i]))
            return sab_fail(err, SAB_ERR_INPUT, "entry %lld of %s is not finite", (long long)i,
                            name);
        largest = fmax(largest, fabs(x[i]));
    }
    if (largest > LARGEST || (largest > 0.0 && largest < SMALLEST))
        return sab_fail(err, SAB_ERR_INPUT,
                        "the largest entry of %s is %g in size, neither 0 nor between %g and %g; "
                        "choose units in which it is nearer to 1",
                        name, largest, SMALLEST, LARGEST);
    return SAB_OK;
}

static sab_status check_blocks(const sab_program *p, sab_error *err)
{
    for (int e = 0; e < p->B->nblocks; e++) {
        const int64_t rows = (int64_t)p->s * (p->B->point[e + 1] - p->B->point[e]);
        const int64_t columns = p->B->column_start[e + 1] - p->B->column_start[e];

        if (rows > SAB_BLOCK_ROWS || columns > SAB_BLOCK_COLUMNS)
            return sab_fail(err, SAB_ERR_INPUT,
                            "block %d of B has %lld rows and %lld columns; at most %d and %d fit",
                            e, (long long)rows, (long long)columns, SAB_BLOCK_ROWS,
                            SAB_BLOCK_COLUMNS);
    }
    return SAB_OK;
}

static sab_status check_sizes(const sab_program *p, sab_error *err)
{
    if (p->s < 2 || p->npoints < 1 || p->n < 1)
        return sab_fail(err, SAB_ERR_INPUT,
                        "a program needs s >= 2, a point and an unknown: s = %d, %d points, "
                        "%d unknowns",
                        p->s, p->npoints, p->n);
    if (p->A == NULL || p->B == NULL)
        return sab_fail(err, SAB_ERR_INPUT, "matrix %s is missing", p->A == NULL ? "A" : "B");
    if (p->A->n != p->n || !p->A->symmetric)
        return sab_fail(err, SAB_ERR_INPUT,
                        "A must be symmetric with %d rows: it is %ssymmetric with %lld", p->n,
                        p->A->symmetric ? "" : "not ", (long long)p->A->n);
    if (p->B->s != p->s || p->B->npoints != p->npoints || p->B->ncolumns != p->n)
        return sab_fail(err, SAB_ERR_INPUT,
                        "B has %d points of %d components and %d columns, not %d, %d and %d",
                        p->B->npoints, p->B->s, p->B->ncolumns, p->npoints, p->s, p->n);
    return check_blocks(p, err);
}

static const char *const kind_name[SAB_POINTS_KINDS] = {"strain", "wall", "contact"};

/* The ranges follow each other from the first point to the last. */
static sab_status check_ranges(const sab_program *p, sab_error *err)
{
    int first = 0;

    for (int i = 0; i < p->nranges; i++) {
        const sab_point_range *r = &p->range[i];

        if ((int)r->kind < 0 || r->kind >= SAB_POINTS_KINDS)
            return sab_fail(err, SAB_ERR_INPUT, "range %d has points of kind %d, which is unknown",
                            i, (int)r->kind);
        if (r->first != first || r->n < 1 || r->n > p->npoints - first || r->s < 1 || r->s > p->s)
            return sab_fail(err, SAB_ERR_INPUT,
                            "range %d (%s) begins at point %d with %d points of %d components, but "
                            "there are %d points of %d, and the range before ends at %d",
                            i, kind_name[r->kind], r->first, r->n, r->s, p->npoints, p->s, first);
        first += r->n;
    }
    if (first != p->npoints)
        return sab_fail(err, SAB_ERR_INPUT, "the ranges have %d points, the program %d", first,
                        p->npoints);
    return SAB_OK;
}

/* Does component i of point q, in block e, have a zero row? */
static bool is_zero_row(const sab_program *p, int e, int q, int i)
{
    const sab_blocks *B = p->B;
    const int64_t columns = B->column_start[e + 1] - B->column_start[e];
    const double *row =
        B->value + B->value_start[e] + ((int64_t)(q - B->point[e]) * p->s + i) * columns;

    for (int64_t j = 0; j < columns; j++)
        if (row[j] != 0.0)
            return false;
    return p->k[q * p->s + i] == 0.0;
}

/* What pads a short range is zero: it would be strain that no law knows. */
static sab_status check_padding(const sab_program *p, sab_error *err)
{
    int e = 0;

    for (int i = 0; i < p->nranges; i++) {
        const sab_point_range *r = &p->range[i];

        for (int q = r->first; r->s < p->s && q < r->first + r->n; q++) {
            while (q >= p->B->point[e + 1])
                e++;
            for (int c = r->s; c < p->s; c++)
                if (!is_zero_row(p, e, q, c))
                    return sab_fail(err, SAB_ERR_INPUT,
                                    "component %d of point %d is not zero, but range %d (%s) has "
                                    "%d components",
                                    c, q, i, kind_name[r->kind], r->s);
        }
    }
    return SAB_OK;
}

static sab_status check_law(const sab_program *p, int q, sab_error *err)
{
    const double mu = p->friction[q], sigma = p->yield[q], zeta = p->dilatancy[q];

    /* written so that NaN fails */
    if (!(mu >= 0.0 && sigma >= 0.0 && zeta >= 0.0 && zeta <= mu && isfinite(mu) &&
          isfinite(sigma)))
        return sab_fail(err, SAB_ERR_INPUT,
                        "the law at point %d needs mu >= 0, sigma >= 0, 0 <= zeta <= mu: "
                        "mu = %g, sigma = %g, zeta = %g",
                        q, mu, sigma, zeta);
    if (!(p->weight[q] > 0.0 && p->r[q] > 0.0 && p->viscosity[q] >= 0.0 && isfinite(p->weight[q]) &&
          isfinite(p->r[q]) && isfinite(p->viscosity[q])))
        return sab_fail(err, SAB_ERR_INPUT,
                        "point %d needs weight > 0, r > 0, viscosity >= 0: weight = %g, r = %g, "
                        "viscosity = %g",
                        q, p->weight[q], p->r[q], p->viscosity[q]);
    if (!(sab_program_slack(p, q) >= 0.0))
        return sab_fail(err, SAB_ERR_INPUT, "point %d needs slack >= 0: slack = %g", q,
                        p->slack[q]);
    return SAB_OK;
}

sab_status sab_program_check(const sab_program *p, sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(check_sizes(p, err));
    SAB_TRY(check_ranges(p, err));
    SAB_TRY(check_padding(p, err));
    SAB_TRY(check_array("A", p->A->value, p->A->start[p->n], err));
    SAB_TRY(check_array("B", p->B->value, p->B->value_start[p->B->nblocks], err));
    SAB_TRY(check_array("l", p->l, p->n, err));
    SAB_TRY(check_array("k", p->k, (int64_t)p->npoints * p->s, err));
    if (p->carried != NULL)
        SAB_TRY(check_array("carried", p->carried, p->n, err));
    for (int i = 0; p->direction != NULL && i < p->n; i++)
        if (p->direction[i] < 0 || p->direction[i] > 3)
            SAB_FAIL(err, SAB_ERR_INPUT, "direction %d of unknown %d is not in 0 .. 3",
                     p->direction[i], i);
    for (int q = 0; q < p->npoints; q++)
        SAB_TRY(check_law(p, q, err));
    if (p->slack != NULL)
        SAB_TRY(check_array("slack", p->slack, p->npoints, err));
    SAB_TRY(check_array("weight", p->weight, p->npoints, err));
    SAB_TRY(check_array("r", p->r, p->npoints, err));
    SAB_TRY(check_array("viscosity", p->viscosity, p->npoints, err));
    SAB_TRY(check_array("slope", p->slope, p->npoints, err));
    SAB_TRY(check_array("yield", p->yield, p->npoints, err));
    SAB_TRY(check_array("friction", p->friction, p->npoints, err));
    if (!(p->bulk >= 0.0 && p->bulk <= 1.0))
        SAB_FAIL(err, SAB_ERR_INPUT, "bulk = %g is not in [0, 1]", p->bulk);
cleanup:
    if (status != SAB_OK)
        sab_error_context(err, "in a cone program of %d points and %d unknowns", p->npoints, p->n);
    return status;
}

bool sab_program_is_convex(const sab_program *program)
{
    for (int q = 0; q < program->npoints; q++)
        if (program->dilatancy[q] != program->friction[q])
            return false;
    return true;
}

bool sab_program_is_closed(const sab_program *p, double *work, double *force, double *expansion)
{
    double largest = 0.0, unit = 0.0, change = 0.0, moved = 0.0;

    memset(work, 0, (size_t)p->npoints * (size_t)p->s * sizeof *work);
    for (int i = 0; i < p->nranges; i++) {
        const sab_point_range *r = &p->range[i];

        for (int q = r->first; q < r->first + r->n && r->kind == SAB_POINTS_STRAIN; q++) {
            work[q * p->s] = p->weight[q];
            change += p->weight[q] * (p->k[q * p->s] + sab_program_slack(p, q));
            moved += p->weight[q] * (fabs(p->k[q * p->s]) + sab_program_slack(p, q));
        }
    }
    memset(force, 0, (size_t)p->n * sizeof *force);
    sab_blocks_multiply_transpose(p->B, work, force);
    for (int i = 0; i < p->n; i++)
        largest = fmax(largest, fabs(force[i]));
    for (int e = 0; e < p->B->nblocks; e++) /* the size of one contribution to such a sum */
        for (int64_t v = p->B->value_start[e]; v < p->B->value_start[e + 1]; v++)
            unit = fmax(unit, fabs(p->B->value[v]) * p->weight[p->B->point[e]]);
    *expansion = moved > 0.0 ? change / moved : 0.0;
    return largest <= 1e-10 * unit;
}

/* B^T M lambda is added to u, which becomes A^-1 u; then gamma = B u. */
static sab_status respond(const sab_program *p, sab_factor *factor, const double *lambda, double *u,
                          double *gamma, sab_error *err)
{
    const int s = p->s;
    sab_status status;

    SAB_PARALLEL_FOR(p->npoints)
    for (int q = 0; q < p->npoints; q++)
        for (int i = 0; i < s; i++)
            gamma[q * s + i] = p->weight[q] * lambda[q * s + i];
    sab_blocks_multiply_transpose(p->B, gamma, u);
    status = sab_factor_solve(factor, u, u, err);
    if (status == SAB_OK)
        sab_blocks_multiply(p->B, u, gamma);
    return status;
}

sab_status sab_program_respond(const sab_program *program, sab_factor *factor, const double *lambda,
                               double *u, double *gamma, sab_error *err)
{
    sab_status status;

    memcpy(u, program->l, (size_t)program->n * sizeof *u);
    status = respond(program, factor, lambda, u, gamma, err);
    if (status == SAB_OK)
        for (int i = 0; i < program->npoints * program->s; i++)
            gamma[i] += program->k[i];
    return status;
}

sab_status sab_program_apply_w(const sab_program *program, sab_factor *factor, const double *lambda,
                               double *u, double *gamma, sab_error *err)
{
    memset(u, 0, (size_t)program->n * sizeof *u);
    return respond(program, factor, lambda, u, gamma, err);
}
