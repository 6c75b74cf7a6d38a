/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solve/first_order.h"

#include "base/memory.h"
#include "base/timer.h"
#include "cone/cone.h"
#include "solve/anderson.h"
#include "solve/residual.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Douglas-Rachford: the relaxation in (0, 2), 1 being the classical method and 2 that of Peaceman
 * and Rachford, and rho in units of tau r [docs/theory.md, 6.9]. */
static const double RELAXATION = 1.8, SPLITTING = 3.0;

struct sab_first_order {
    size_t rows;                    /* s * npoints */
    double tau;                     /* step in units of r */
    double xi;                      /* the Barzilai-Borwein step of ASPG, likewise */
    double theta;                   /* Nesterov's inertia */
    double *lambda, *gamma;         /* admissible iterate and its strain rate */
    double *lambda_old, *gamma_old; /* the one before */
    double *y, *gamma_y;            /* extrapolated point, where the step starts */
    double *y_old, *gamma_y_old;    /* the one before */
    double *work;
    double *u, *force, *product; /* [n]; the last two for sab_first_order_shares_factor */
    /* Fixed-point maps x <- p(x), for Anderson and Douglas-Rachford: p(x) and its residual
     * f = p(x) - x are kept in y and gamma_y, their predecessors in y_old and gamma_y_old */
    sab_anderson *memory;
    double norm_f; /* |f|, negative when f is not known */
    /* Douglas-Rachford: the state x = lambda - rho gamma, rho = scale r, and
     * A + B^T M rho B, which is (1 + c) A, or else a matrix with its own factor */
    double *state;
    double scale, c; /* c is negative if there is none */
    sab_sparse *K;
    sab_scatter *scatter;
    sab_factor *factor;
    double cone_cpu;
};

sab_status sab_first_order_create(const sab_program *program, int depth,
                                  sab_first_order **iteration, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_first_order *it = NULL;

    *iteration = NULL;
    SAB_NEW(it, 1);
    it->rows = (size_t)program->npoints * (size_t)program->s;
    it->tau = 1.0;
    SAB_NEW(it->lambda, it->rows);
    SAB_NEW(it->gamma, it->rows);
    SAB_NEW(it->lambda_old, it->rows);
    SAB_NEW(it->gamma_old, it->rows);
    SAB_NEW(it->y, it->rows);
    SAB_NEW(it->gamma_y, it->rows);
    SAB_NEW(it->y_old, it->rows);
    SAB_NEW(it->gamma_y_old, it->rows);
    SAB_NEW(it->work, it->rows);
    SAB_NEW(it->u, program->n);
    SAB_NEW(it->force, program->n);
    SAB_NEW(it->product, program->n);
    SAB_NEW(it->state, it->rows);
    SAB_TRY(sab_anderson_create(program, depth, &it->memory, err));
    *iteration = it;
    it = NULL;
cleanup:
    sab_first_order_destroy(&it);
    return status;
}

void sab_first_order_destroy(sab_first_order **iteration)
{
    sab_first_order *it = *iteration;

    if (it == NULL)
        return;
    SAB_FREE(it->lambda);
    SAB_FREE(it->gamma);
    SAB_FREE(it->lambda_old);
    SAB_FREE(it->gamma_old);
    SAB_FREE(it->y);
    SAB_FREE(it->gamma_y);
    SAB_FREE(it->y_old);
    SAB_FREE(it->gamma_y_old);
    SAB_FREE(it->work);
    SAB_FREE(it->u);
    SAB_FREE(it->force);
    SAB_FREE(it->product);
    SAB_FREE(it->state);
    sab_anderson_destroy(&it->memory);
    sab_factor_destroy(&it->factor);
    sab_scatter_destroy(&it->scatter);
    sab_sparse_destroy(&it->K);
    SAB_FREE(*iteration);
}

double sab_first_order_cone_cpu(const sab_first_order *iteration)
{
    return iteration->cone_cpu;
}

static void swap(double **a, double **b)
{
    double *c = *a;
    *a = *b;
    *b = c;
}

/* Curvature of the dual objective between two points: with d = a - b and e = gamma(a) - gamma(b),
 * *dd = <d,d>, *de = <d,Re>, *ee = <Re,Re>. */
static void curvature(const sab_program *p, const double *a, const double *b, const double *ga,
                      const double *gb, double *dd, double *de, double *ee)
{
    const int s = p->s;

    *dd = *de = *ee = 0.0;
    for (int q = 0; q < p->npoints; q++) {
        double d2 = 0.0, e2 = 0.0, x = 0.0;
        for (int i = q * s; i < (q + 1) * s; i++) {
            const double d = a[i] - b[i], e = ga[i] - gb[i];
            d2 += d * d;
            e2 += e * e;
            x += d * e;
        }
        *dd += p->weight[q] / p->r[q] * d2;
        *de += p->weight[q] * x;
        *ee += p->weight[q] * p->r[q] * e2;
    }
}

/* Numbers in (-1/2, 1/2): a vector with all frequencies. */
static void fill_pseudo_random(unsigned long long state, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        x[i] = (double)(state >> 40) / 16777216.0 - 0.5;
    }
}

sab_status sab_first_order_measure(sab_first_order *it, const sab_program *p, sab_factor *factor,
                                   sab_error *err)
{
    double *x = it->y, *gamma = it->gamma_y, norm = 0.0;

    it->tau = 1.0;
    if (p->r_is_safe)
        return SAB_OK;
    fill_pseudo_random(1, it->rows, x);
    for (int k = 0; k < 20; k++) {
        const double length = sqrt(sab_anderson_dot(p, x, x));
        if (!(length > 0.0))
            break;
        for (size_t i = 0; i < it->rows; i++)
            x[i] /= length;
        sab_status status = sab_program_apply_w(p, factor, x, it->u, gamma, err);
        if (status != SAB_OK)
            return status;
        for (int q = 0; q < p->npoints; q++)
            for (int i = q * p->s; i < (q + 1) * p->s; i++)
                x[i] = p->r[q] * gamma[i];
        norm = sqrt(sab_anderson_dot(p, x, x)); /* increases towards |R W| */
    }
    if (norm > 0.0)
        it->tau = 1.0 / (1.05 * norm);
    return SAB_OK;
}

bool sab_first_order_shares_factor(sab_first_order *it, const sab_program *p)
{
    double *x = it->u, *Ax = it->force, *Kx = it->product, c = -1.0;

    it->scale = SPLITTING * it->tau;
    it->c = -1.0;
    for (unsigned k = 1; k <= 2; k++) {
        double xAx = 0.0, xKx = 0.0, largest = 0.0, error = 0.0;

        fill_pseudo_random(k, (size_t)p->n, x);
        sab_sparse_multiply(p->A, x, Ax);
        sab_blocks_multiply(p->B, x, it->work);
        for (int q = 0; q < p->npoints; q++)
            for (int i = q * p->s; i < (q + 1) * p->s; i++)
                it->work[i] *= p->weight[q] * it->scale * p->r[q];
        memset(Kx, 0, (size_t)p->n * sizeof *Kx);
        sab_blocks_multiply_transpose(p->B, it->work, Kx);
        for (int i = 0; i < p->n; i++) {
            xAx += x[i] * Ax[i];
            xKx += x[i] * Kx[i];
        }
        c = k == 1 ? xKx / xAx : c;
        for (int i = 0; i < p->n; i++) {
            largest = fmax(largest, fabs(Kx[i]));
            error = fmax(error, fabs(Kx[i] - c * Ax[i]));
        }
        if (!(c > 0.0 && error <= 1e-12 * largest))
            return false;
    }
    it->c = c;
    return true;
}

sab_status sab_first_order_split(sab_first_order *it, const sab_program *p,
                                 const sab_factor_options *linear, sab_error *err)
{
    const int s = p->s;
    double *C = NULL;
    sab_status status = SAB_OK;

    if (sab_first_order_shares_factor(it, p))
        return SAB_OK;
    if (it->factor == NULL) {
        if (it->K == NULL)
            SAB_TRY(sab_blocks_pattern(p->B, true, &it->K, err));
        SAB_TRY(sab_sparse_include(p->A, &it->K, err));
        if (it->scatter == NULL)
            SAB_TRY(sab_scatter_create(p->B, it->K, &it->scatter, err));
        SAB_TRY(sab_factor_create(linear, it->K, &it->factor, err));
    }
    SAB_NEW(C, it->rows * (size_t)s); /* zero */
    for (int q = 0; q < p->npoints; q++)
        for (int i = 0; i < s; i++)
            C[(q * s + i) * s + i] = p->weight[q] * it->scale * p->r[q];
    memset(it->K->value, 0, (size_t)it->K->start[p->n] * sizeof *it->K->value);
    SAB_TRY(sab_sparse_add(p->A, it->K, err));
    sab_blocks_assemble(p->B, C, it->scatter, it->K);
    SAB_TRY(sab_factor_update(it->factor, it->K, err));
cleanup:
    SAB_FREE(C);
    return status;
}

const sab_factor *sab_first_order_factor(const sab_first_order *iteration)
{
    return iteration->factor;
}

void sab_first_order_set_accuracy(sab_first_order *iteration, double part)
{
    if (iteration->factor != NULL)
        sab_factor_set_accuracy(iteration->factor, part);
}

const double *sab_first_order_strain_rate(const sab_first_order *iteration)
{
    return iteration->gamma;
}

void sab_first_order_start(sab_first_order *it, const double *lambda, const double *gamma)
{
    const size_t size = it->rows * sizeof *lambda;

    memcpy(it->lambda, lambda, size);
    memcpy(it->gamma, gamma, size);
    memcpy(it->y, lambda, size);
    memcpy(it->gamma_y, gamma, size);
    it->theta = 1.0;
    it->xi = it->tau;
    sab_anderson_forget(it->memory);
    it->norm_f = -1.0;
}

/* The norm of R W may have been underestimated: the steps themselves show it, without cost in
 * solves. */
static void correct_tau(sab_first_order *it, const sab_program *p)
{
    double dd, de, ee;

    if (p->r_is_safe)
        return;
    curvature(p, it->lambda, it->lambda_old, it->gamma, it->gamma_old, &dd, &de, &ee);
    if (it->tau * it->tau * ee > dd)
        it->tau = sqrt(dd / ee) / 1.02;
}

static void timed_step(sab_first_order *it, const sab_program *p, double tau, const double *shift,
                       const double *y, const double *gamma, double *out)
{
    const sab_cone_laws laws = sab_program_laws(p);
    const double before = sab_cpu_seconds();

    sab_cone_step(&laws, tau, shift, y, gamma, out);
    it->cone_cpu += sab_cpu_seconds() - before;
}

static sab_status step_pg(sab_first_order *it, const sab_program *p, sab_factor *factor,
                          const double *shift, sab_error *err)
{
    sab_status status;

    swap(&it->lambda, &it->lambda_old);
    swap(&it->gamma, &it->gamma_old);
    timed_step(it, p, it->tau, shift, it->lambda_old, it->gamma_old, it->lambda);
    status = sab_program_respond(p, factor, it->lambda, it->u, it->gamma, err);
    if (status == SAB_OK)
        correct_tau(it, p);
    return status;
}

/* Does the step from y oppose the movement lambda - lambda_old? APGD asks the generalised gradient
 * y - lambda (O'Donoghue and Candes), algorithm B.2 the gradient gamma + s itself. */
static bool turns_back(const sab_first_order *it, const sab_program *p, bool aspg,
                       const double *shift)
{
    const int s = p->s;
    double sum = 0.0;

    for (int q = 0; q < p->npoints; q++) {
        const double *l = it->lambda + q * s, *old = it->lambda_old + q * s;
        const double *y = it->y + q * s, *g = it->gamma_y + q * s;
        double part = 0.0;
        if (aspg) {
            const double normal =
                sab_program_slack(p, q) +
                (shift != NULL ? shift[q]
                               : (p->friction[q] - p->dilatancy[q]) * sab_cone_norm_t(s, g));
            part = normal * (l[0] - old[0]);
            for (int i = 0; i < s; i++)
                part += g[i] * (l[i] - old[i]);
            sum += p->weight[q] * part;
        } else {
            for (int i = 0; i < s; i++)
                part += (y[i] - l[i]) * (l[i] - old[i]);
            sum += p->weight[q] / p->r[q] * part;
        }
    }
    return aspg ? sum >= 0.0 : sum > 0.0;
}

/* APGD and ASPG [thesis, algorithm B.2, corrected in docs/theory.md, 6]. gamma is affine in lambda,
 * so its value at the extrapolated point needs no second solve. */
static sab_status step_nesterov(sab_first_order *it, const sab_program *p, sab_factor *factor,
                                bool aspg, const double *shift, sab_error *err)
{
    double beta = 0.0;
    sab_status status;

    swap(&it->lambda, &it->lambda_old);
    swap(&it->gamma, &it->gamma_old);
    timed_step(it, p, aspg ? it->xi : it->tau, shift, it->y, it->gamma_y, it->lambda);
    const bool restart = turns_back(it, p, aspg, shift);
    status = sab_program_respond(p, factor, it->lambda, it->u, it->gamma, err);
    if (status != SAB_OK)
        return status;
    correct_tau(it, p);
    if (restart) {
        it->theta = 1.0;
    } else {
        const double t = it->theta;
        it->theta = 0.5 * (t * sqrt(t * t + 4.0) - t * t);
        beta = t * (1.0 - t) / (t * t + it->theta);
    }
    swap(&it->y, &it->y_old);
    swap(&it->gamma_y, &it->gamma_y_old);
    for (size_t i = 0; i < it->rows; i++) {
        it->y[i] = it->lambda[i] + beta * (it->lambda[i] - it->lambda_old[i]);
        it->gamma_y[i] = it->gamma[i] + beta * (it->gamma[i] - it->gamma_old[i]);
    }
    if (aspg) {
        double dd, de, ee;
        curvature(p, it->y, it->y_old, it->gamma_y, it->gamma_y_old, &dd, &de, &ee);
        it->xi = de > 0.0 && ee > 1e-28 * dd ? fmin(1e6, fmax(1e-6, de / ee)) : it->tau;
    }
    return SAB_OK;
}

/* PG as a fixed point: lambda has been set, gamma is its strain rate (one solve) unless it is
 * `known`; p(lambda) and f. */
static sab_status map_pg(sab_first_order *it, const sab_program *p, sab_factor *factor,
                         const double *shift, bool known, sab_error *err)
{
    if (!known) {
        const sab_status status = sab_program_respond(p, factor, it->lambda, it->u, it->gamma, err);
        if (status != SAB_OK)
            return status;
    }
    timed_step(it, p, it->tau, shift, it->lambda, it->gamma, it->y);
    for (size_t i = 0; i < it->rows; i++)
        it->gamma_y[i] = it->y[i] - it->lambda[i];
    it->norm_f = sqrt(sab_anderson_dot(p, it->gamma_y, it->gamma_y));
    return SAB_OK;
}

/* Douglas-Rachford at the state x [docs/theory.md, 6.9], one solve:
 *     lambda = return map of x,   (A + B^T M rho B) u = l + B^T M (2 lambda - x - rho k'),
 *     gamma' = B u + k',          p(x) = x + alpha (lambda - x - rho gamma'),   k' = k + slack n.
 */
static sab_status map_dr(sab_first_order *it, const sab_program *p, sab_factor *factor,
                         sab_error *err)
{
    const int s = p->s;
    double start = sab_cpu_seconds();

    for (int q = 0; q < p->npoints; q++) {
        const double rho = it->scale * p->r[q], *x = it->state + q * s, *k = p->k + q * s;
        double *lambda = it->lambda + q * s, *force = it->work + q * s;

        sab_cone_return_map(s, p->friction[q], p->yield[q], p->dilatancy[q], x, lambda);
        for (int i = 0; i < s; i++)
            force[i] = p->weight[q] * (2.0 * lambda[i] - x[i] - rho * k[i]);
        force[0] -= p->weight[q] * rho * sab_program_slack(p, q);
    }
    it->cone_cpu += sab_cpu_seconds() - start;
    memcpy(it->u, p->l, (size_t)p->n * sizeof *it->u);
    sab_blocks_multiply_transpose(p->B, it->work, it->u);
    const sab_status status =
        sab_factor_solve(it->c > 0.0 ? factor : it->factor, it->u, it->u, err);
    if (status != SAB_OK)
        return status;
    sab_blocks_multiply(p->B, it->u, it->gamma);
    start = sab_cpu_seconds();
    const double share = it->c > 0.0 ? 1.0 / (1.0 + it->c) : 1.0;
    for (int q = 0; q < p->npoints; q++) {
        const double rho = it->scale * p->r[q];

        for (int i = q * s; i < (q + 1) * s; i++) {
            const double slack = i == q * s ? sab_program_slack(p, q) : 0.0;
            it->gamma[i] = share * it->gamma[i] + p->k[i];
            it->gamma_y[i] =
                RELAXATION * (it->lambda[i] - it->state[i] - rho * (it->gamma[i] + slack));
            it->y[i] = it->state[i] + it->gamma_y[i];
        }
    }
    it->norm_f = sqrt(sab_anderson_dot(p, it->gamma_y, it->gamma_y));
    it->cone_cpu += sab_cpu_seconds() - start;
    return SAB_OK;
}

static sab_status map(sab_first_order *it, sab_step_kind kind, const sab_program *p,
                      sab_factor *factor, const double *shift, sab_error *err)
{
    return kind == SAB_STEP_ANDERSON ? map_pg(it, p, factor, shift, false, err)
                                     : map_dr(it, p, factor, err);
}

/* The state of Douglas-Rachford that belongs to lambda and gamma. */
static void start_dr(sab_first_order *it, const sab_program *p)
{
    for (int q = 0; q < p->npoints; q++)
        for (int i = q * p->s; i < (q + 1) * p->s; i++) {
            const double slack = i == q * p->s ? sab_program_slack(p, q) : 0.0;
            it->state[i] = it->lambda[i] - it->scale * p->r[q] * (it->gamma[i] + slack);
        }
}

/* x <- p(x), the state x being lambda (PG) or that of Douglas-Rachford; or with Anderson
 * x <- p(x) - sum c_j dp_j, for PG projected on the cones. If that more than doubles |f|, forget
 * the memory and take p(x) instead (a second solve, counted as a step). */
static sab_status step_fixed_point(sab_first_order *it, sab_step_kind kind, const sab_program *p,
                                   sab_factor *factor, const double *shift, int *steps,
                                   sab_error *err)
{
    const sab_cone_laws laws = sab_program_laws(p);
    const bool pg = kind == SAB_STEP_ANDERSON, anderson = kind != SAB_STEP_DR;
    bool further = false;
    sab_status status = SAB_OK;

    if (it->norm_f < 0.0 && !pg) { /* the first step of all only looks at the start */
        start_dr(it, p);
        return map_dr(it, p, factor, err);
    }
    if (it->norm_f < 0.0)
        SAB_TRY(map_pg(it, p, factor, shift, true, err));
    const double before = sab_cpu_seconds(), last = it->norm_f;
    if (pg) {
        swap(&it->lambda, &it->lambda_old);
        swap(&it->gamma, &it->gamma_old);
    }
    double *x = pg ? it->lambda : it->state;
    if (anderson)
        further = sab_anderson_extrapolate(it->memory, p, it->y, it->gamma_y, x);
    else
        memcpy(x, it->y, it->rows * sizeof *x);
    if (further && pg)
        sab_cone_project_all(&laws, x);
    it->cone_cpu += sab_cpu_seconds() - before;

    swap(&it->y, &it->y_old);
    swap(&it->gamma_y, &it->gamma_y_old);
    SAB_TRY(map(it, kind, p, factor, shift, err));
    if (further && !(it->norm_f <= 2.0 * last)) {
        sab_anderson_forget(it->memory);
        memcpy(x, it->y_old, it->rows * sizeof *x);
        (*steps)++;
        SAB_TRY(map(it, kind, p, factor, shift, err));
    }
    if (pg)
        correct_tau(it, p);
    if (anderson)
        sab_anderson_remember(it->memory, p, it->y, it->y_old, it->gamma_y, it->gamma_y_old);
cleanup:
    return status;
}

sab_status sab_first_order_run(sab_first_order *it, sab_step_kind kind, const sab_program *program,
                               sab_factor *factor, const double *shift, int most, double target,
                               double *lambda, int *steps, sab_error *err)
{
    sab_status status = SAB_OK;
    double best = INFINITY;
    const int last = most < INT_MAX - *steps ? *steps + most : INT_MAX;

    do {
        (*steps)++;
        switch (kind) {
        case SAB_STEP_PG:
            SAB_TRY(step_pg(it, program, factor, shift, err));
            break;
        case SAB_STEP_ANDERSON:
        case SAB_STEP_DR:
        case SAB_STEP_DR_ANDERSON:
            SAB_TRY(step_fixed_point(it, kind, program, factor, shift, steps, err));
            break;
        case SAB_STEP_APGD:
        case SAB_STEP_ASPG:
            SAB_TRY(step_nesterov(it, program, factor, kind == SAB_STEP_ASPG, shift, err));
            break;
        }
        const double before = sab_cpu_seconds();
        const double natural =
            sab_residual_natural(program, shift, it->lambda, it->gamma, it->work, NULL);
        if (natural < best || best == INFINITY) {
            best = natural;
            memcpy(lambda, it->lambda, it->rows * sizeof *lambda);
        }
        it->cone_cpu += sab_cpu_seconds() - before;
    } while (best > target && *steps < last);
cleanup:
    return status;
}
