/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solve/ipm_points.h"

#include "base/memory.h"
#include "base/timer.h"
#include "cone/cone.h"

#include <math.h>
#include <string.h>

/* Share of the step to the boundary that is taken, and the least centring: with Mehrotra's small
 * sigma the non-associated iterates run ahead of their feasibility and jam. */
static const double TO_BOUNDARY = 0.9, CENTRING_CONVEX = 0.1, CENTRING = 0.3;
/* The shift is extrapolated by this part of its last change, once the iteration before has changed
 * it by less than SETTLED, and at a point by no more than half of itself. */
static const double EXTRAPOLATED = 0.5, SETTLED = 0.3;
/* Of a tight path [docs/theory.md, 6.6]: the target of lambda_N z2, as a share of that in the cone.
 */
static const double NORMAL = 0.5;
/* Mehrotra's second-order term is dropped if it shortens the step to less than this share of that
 * of the affine direction. */
static const double IN_THE_WAY = 0.3;
/* Correctors of centrality: at most so many, while the step is shorter than SHORT; they aim at a
 * step longer by LONGER, and are kept if they gain GAIN of it. */
enum { CORRECTORS = 2 };
static const double SHORT = 0.5, LONGER = 0.3, GAIN = 0.05;
/* A direction is refined if it leaves more than this of the momentum residual, and of the load. */
static const double LEFT = 1e-3, ROUNDING = 1e-11;

static void direction_destroy(sab_ipm_direction *d)
{
    SAB_FREE(d->u);
    SAB_FREE(d->lambda);
    SAB_FREE(d->z);
    SAB_FREE(d->z2);
}

static sab_status direction_create(int s, int npoints, int n, sab_ipm_direction *d, sab_error *err)
{
    const size_t rows = (size_t)s * (size_t)npoints;
    sab_status status = SAB_OK;

    SAB_NEW(d->u, n);
    SAB_NEW(d->lambda, rows);
    SAB_NEW(d->z, rows);
    SAB_NEW(d->z2, npoints);
cleanup:
    return status;
}

sab_status sab_ipm_create(const sab_program *p, double exactness, const sab_factor_options *linear,
                          sab_ipm **ipm, sab_error *err)
{
    const size_t rows = (size_t)p->s * (size_t)p->npoints;
    const size_t blocks = rows * (size_t)p->s;
    sab_status status = SAB_OK;
    sab_ipm *it = NULL;

    *ipm = NULL;
    if (p->s > SAB_SOC_MAX)
        return sab_fail(err, SAB_ERR_INPUT,
                        "the interior point takes at most %d components per point, not %d",
                        SAB_SOC_MAX, p->s);
    SAB_NEW(it, 1);
    it->s = p->s;
    it->npoints = p->npoints;
    it->n = p->n;
    it->rows = rows;
    it->exactness = exactness;
    it->symmetric = exactness == 0.0 || sab_program_is_convex(p);
    SAB_NEW(it->form, p->npoints);
    SAB_TRY(direction_create(p->s, p->npoints, p->n, &it->now, err));
    SAB_TRY(direction_create(p->s, p->npoints, p->n, &it->affine, err));
    SAB_TRY(direction_create(p->s, p->npoints, p->n, &it->newton, err));
    SAB_NEW(it->gamma, rows);
    SAB_NEW(it->shear, p->npoints);
    SAB_NEW(it->nt, p->npoints);
    SAB_NEW(it->G, p->npoints);
    SAB_NEW(it->C, blocks);
    SAB_NEW(it->momentum, p->n);
    SAB_NEW(it->kinematic, rows);
    SAB_NEW(it->rc, rows);
    SAB_NEW(it->r2, p->npoints);
    SAB_NEW(it->h, rows);
    SAB_NEW(it->Bu, rows);
    SAB_NEW(it->force, p->n);
    SAB_NEW(it->work, rows);
    if (p->rate != NULL) {
        SAB_NEW(it->viscosity, p->npoints);
        SAB_NEW(it->tangent, p->npoints);
    }
    SAB_TRY(sab_blocks_pattern(p->B, it->symmetric, &it->K, err));
    SAB_TRY(sab_sparse_include(p->A, &it->K, err)); /* bodies without contact, elastic ones */
    SAB_TRY(sab_scatter_create(p->B, it->K, &it->scatter, err));
    SAB_TRY(sab_sparse_locate(p->A, it->K, &it->places, err));
    SAB_TRY(sab_factor_create(linear, it->K, &it->factor, err));
    *ipm = it;
    it = NULL;
cleanup:
    sab_ipm_destroy(&it);
    return status;
}

void sab_ipm_destroy(sab_ipm **ipm)
{
    sab_ipm *it = *ipm;

    if (it == NULL)
        return;
    sab_factor_destroy(&it->factor);
    sab_scatter_destroy(&it->scatter);
    SAB_FREE(it->places);
    sab_sparse_destroy(&it->K);
    direction_destroy(&it->now);
    direction_destroy(&it->affine);
    direction_destroy(&it->newton);
    SAB_FREE(it->form);
    SAB_FREE(it->gamma);
    SAB_FREE(it->shear);
    SAB_FREE(it->nt);
    SAB_FREE(it->G);
    SAB_FREE(it->C);
    SAB_FREE(it->momentum);
    SAB_FREE(it->kinematic);
    SAB_FREE(it->rc);
    SAB_FREE(it->r2);
    SAB_FREE(it->h);
    SAB_FREE(it->Bu);
    SAB_FREE(it->force);
    SAB_FREE(it->work);
    SAB_FREE(it->viscosity);
    SAB_FREE(it->tangent);
    SAB_FREE(*ipm);
}

void sab_ipm_lambda(const sab_ipm *ipm, double *lambda)
{
    double lowest = 0.0;

    memcpy(lambda, ipm->now.lambda, ipm->rows * sizeof *lambda);
    for (size_t i = 0; ipm->closed && i < ipm->rows; i += (size_t)ipm->s)
        lowest = fmin(lowest, lambda[i]);
    for (size_t i = 0; ipm->closed && i < ipm->rows; i += (size_t)ipm->s)
        lambda[i] -= lowest;
}

bool sab_ipm_fits(const sab_ipm *ipm, const sab_program *program)
{
    return ipm->symmetric == (ipm->exactness == 0.0 || sab_program_is_convex(program)) &&
           (ipm->viscosity != NULL) == (program->rate != NULL);
}

const double *sab_ipm_velocity(const sab_ipm *ipm)
{
    return ipm->now.u;
}

void sab_ipm_rate(sab_ipm *ipm, double **viscosity, double **tangent)
{
    *viscosity = ipm->viscosity;
    *tangent = ipm->tangent;
}

const sab_factor *sab_ipm_factor(const sab_ipm *ipm)
{
    return ipm->factor;
}

double sab_ipm_cone_cpu(const sab_ipm *ipm)
{
    return ipm->cone_cpu;
}

/* In a closed box gamma_N >= 0 has no interior and the pressure no upper bound, which no interior
 * point survives; but gamma_N = 0 follows, an equation whose multiplier lambda_N is free up to a
 * constant. Only for mu = 0: with friction that constant matters. */
static bool is_equation(const sab_program *p, double *work, double *force)
{
    double expansion;

    for (int q = 0; q < p->npoints; q++)
        if (p->friction[q] > 0.0 || sab_program_slack(p, q) > 0.0)
            return false;
    return sab_program_is_closed(p, work, force, &expansion) && fabs(expansion) <= 1e-9;
}

static void set_form(sab_ipm *it, const sab_program *p, bool tight)
{
    if (p->rate != NULL)
        memcpy(it->viscosity, p->viscosity, (size_t)p->npoints * sizeof *it->viscosity);
    it->convex = sab_program_is_convex(p);
    it->rho = tight && !it->convex ? NORMAL : 1.0;
    it->iteration = 0;
    it->settled = false;
    it->closed = is_equation(p, it->work, it->force);
    for (int q = 0; q < p->npoints; q++) {
        const double mu = p->friction[q], sigma = p->yield[q];
        const double a = fmax(p->dilatancy[q], mu - it->exactness);

        it->form[q].a = a;
        it->form[q].cone = mu > 0.0 || sigma > 0.0;
        /* where sigma = 0 and a = mu > 0, lambda_N >= 0 follows from g in K, and a second barrier
         * on it would only be in the way */
        it->form[q].unilateral = (sigma > 0.0 || mu == 0.0 || a < mu) && !it->closed;
    }
}

/* A start at which slack = a z_N + z2 is divided among z_N and z2, and lambda is the smaller for
 * it, stands near the central path however large the slack of a point is. */
static double room_in_cone(const sab_ipm *it, const sab_program *p, int q)
{
    const sab_ipm_form *f = &it->form[q];

    return sab_program_slack(p, q) / (f->unilateral ? 1.0 + f->a : f->a > 0.0 ? f->a : 1.0);
}

static double room_beside(const sab_ipm *it, const sab_program *p, int q)
{
    const sab_ipm_form *f = &it->form[q];

    return sab_program_slack(p, q) / (f->cone ? 1.0 + f->a : 1.0);
}

void sab_ipm_start(sab_ipm *it, const sab_program *p, double stress, bool tight)
{
    set_form(it, p, tight);
    memset(it->now.u, 0, (size_t)p->n * sizeof *it->now.u);
    memset(it->now.lambda, 0, it->rows * sizeof *it->now.lambda);
    memset(it->now.z, 0, it->rows * sizeof *it->now.z);
    for (int q = 0; q < p->npoints; q++) {
        const double rate = stress / p->r[q], wide = rate + sab_program_slack(p, q);

        it->now.lambda[q * p->s] = stress * (rate / wide);
        it->now.z[q * p->s] = rate + room_in_cone(it, p, q);
        it->now.z2[q] = rate + room_beside(it, p, q);
    }
}

void sab_ipm_start_warm(sab_ipm *it, const sab_program *p, const double *u, const double *lambda,
                        double level, double stress, bool tight)
{
    const int s = p->s;

    set_form(it, p, tight);
    memcpy(it->now.u, u, (size_t)p->n * sizeof *u);
    sab_blocks_multiply(p->B, u, it->gamma);
    for (int q = 0; q < p->npoints; q++) {
        const double mu = p->friction[q], sigma = p->yield[q], rate = stress / p->r[q];
        const double share = rate / (rate + sab_program_slack(p, q)), *l = lambda + q * s;
        double *gamma = it->gamma + q * s, *out = it->now.lambda + q * s, *z = it->now.z + q * s;
        const double lt = share * sab_cone_norm_t(s, l);
        double lift = l[0] > 0.0 ? share * l[0] : 0.0;

        for (int i = 0; i < s; i++)
            gamma[i] += p->k[q * s + i];
        if (mu > 0.0 && (lt - sigma) / mu > lift)
            lift = (lt - sigma) / mu;
        out[0] = lift + level * stress * share;
        const double room = sigma + mu * out[0], keep = (1.0 - level) * room;
        for (int i = 1; i < s; i++)
            out[i] = share * (lt > keep ? l[i] * keep / lt : l[i]);
        memcpy(z, gamma, (size_t)s * sizeof *z);
        z[0] = sab_cone_norm_t(s, gamma) + level * rate;
        const double beside = gamma[0] + room_beside(it, p, q) - p->dilatancy[q] * z[0];
        it->now.z2[q] = sqrt(it->rho) * fmax(beside, 0.0) + it->rho * level * rate;
        z[0] += room_in_cone(it, p, q);
    }
}

/* The shift (a - zeta)|gamma_T| is wanted at the end of the step: half of the last change of
 * |gamma_T| added is a better guess than none, but not while the iterates still jump. */
static double extrapolate(bool settled, double before, double now)
{
    return settled ? now + fmax(EXTRAPOLATED * (now - before), -0.5 * now) : now;
}

/* Residuals of momentum and kinematics, and the mean complementarity, at the iterate. */
static sab_status residuals(sab_ipm *it, const sab_program *p, sab_error *err)
{
    const int s = p->s;
    sab_status status = SAB_OK;
    double sum = 0.0, volume = 0.0, changed = 0.0, sheared = 0.0;

    sab_blocks_multiply(p->B, it->now.u, it->gamma);
    for (int q = 0; q < p->npoints; q++) {
        const double m = p->weight[q], *lambda = it->now.lambda + q * s, *z = it->now.z + q * s;
        double *gamma = it->gamma + q * s, *r = it->kinematic + q * s, g[SAB_SOC_MAX];

        for (int i = 0; i < s; i++) {
            gamma[i] += p->k[q * s + i];
            it->work[q * s + i] = -m * lambda[i];
        }
        const double before = it->shear[q], a = it->form[q].a;
        it->shear[q] = sab_cone_norm_t(s, gamma);
        const double shift = (a - p->dilatancy[q]) * extrapolate(it->settled, before, it->shear[q]);
        changed += m * fabs(it->shear[q] - before);
        sheared += m * it->shear[q];
        for (int i = 1; i < s; i++)
            r[i] = gamma[i] - z[i];
        r[0] = gamma[0] + sab_program_slack(p, q) + shift - (it->form[q].cone ? a * z[0] : 0.0) -
               (it->form[q].unilateral ? it->now.z2[q] : 0.0);
        if (it->form[q].cone) {
            sab_ipm_stress_in_cone(s, p, q, lambda, g);
            sum += m * sab_point_dot(s, g, z);
            volume += m;
        }
        if (it->form[q].unilateral) {
            sum += m * lambda[0] * it->now.z2[q] / it->rho;
            volume += m;
        }
    }
    it->tau = sum / volume;
    if (p->rate != NULL)
        SAB_TRY(sab_ipm_rate_add_stress(it, p, err));
    it->settled = it->iteration++ > 0 && changed < SETTLED * sheared;
    sab_sparse_multiply(p->A, it->now.u, it->momentum);
    sab_blocks_multiply_transpose(p->B, it->work, it->momentum);
    it->load = 0.0;
    for (int i = 0; i < p->n; i++) {
        it->momentum[i] -= p->l[i];
        it->load = fmax(it->load, fabs(p->l[i]));
    }
cleanup:
    return status;
}

/* K = A + B^T M (G^-1 + T) B with its factor. */
static sab_status factorise(sab_ipm *it, const sab_program *p, sab_error *err)
{
    const double start = sab_cpu_seconds();

    sab_ipm_points_scale(it, p);
    sab_sparse_copy(p->A, it->places, it->K);
    sab_blocks_assemble(p->B, it->C, it->scatter, it->K);
    it->cone_cpu += sab_cpu_seconds() - start;
    return sab_factor_update(it->factor, it->K, err);
}

/* x <- M x */
static void scale_by_weight(const sab_program *p, double *x)
{
    for (int q = 0; q < p->npoints; q++)
        for (int i = 0; i < p->s; i++)
            *x++ *= p->weight[q];
}

/* force = -r_u - (A + B^T M T B) du + B^T M dlambda, the residual of the momentum row. True if it
 * matters: beyond rounding, and not small against r_u. */
static bool momentum_left(sab_ipm *it, const sab_program *p, const sab_ipm_direction *d)
{
    double left = 0.0, before = 0.0;

    sab_sparse_multiply(p->A, d->u, it->force);
    for (int i = 0; i < p->n; i++)
        it->force[i] = -it->momentum[i] - it->force[i];
    memcpy(it->work, d->lambda, it->rows * sizeof *it->work);
    if (p->rate != NULL)
        sab_ipm_rate_subtract(it, p, d->u, it->work);
    scale_by_weight(p, it->work);
    sab_blocks_multiply_transpose(p->B, it->work, it->force);
    for (int i = 0; i < p->n; i++) {
        left = fmax(left, fabs(it->force[i]));
        before = fmax(before, fabs(it->momentum[i]));
    }
    return !(left <= fmax(LEFT * before, ROUNDING * it->load));
}

/* h = E_a rc + (r2/lambda_N) n - r_gamma, the right-hand side of the condensed points. */
static void condense(sab_ipm *it, const sab_program *p)
{
    const int s = p->s;

    for (int q = 0; q < p->npoints; q++) {
        double *h = it->h + q * s;

        for (int i = 0; i < s; i++)
            h[i] = it->rc[q * s + i] - it->kinematic[q * s + i];
        h[0] = (it->form[q].cone ? it->form[q].a * it->rc[q * s] : 0.0) - it->kinematic[q * s] +
               (it->form[q].unilateral ? it->r2[q] / it->now.lambda[q * s] : 0.0);
        if (!it->form[q].cone)
            memset(h + 1, 0, (size_t)(s - 1) * sizeof *h);
    }
}

/* dz and dz2 from dlambda; d->z has Theta E_mu dlambda. */
static void complete(const sab_ipm *it, const sab_program *p, sab_ipm_direction *d)
{
    const int s = p->s;

    for (int q = 0; q < p->npoints; q++) {
        double *dz = d->z + q * s;

        for (int i = 0; it->form[q].cone && i < s; i++)
            dz[i] = it->rc[q * s + i] - dz[i];
        d->z2[q] = it->form[q].unilateral
                       ? (it->r2[q] - it->now.z2[q] * d->lambda[q * s]) / it->now.lambda[q * s]
                       : 0.0;
    }
}

/* The Newton direction for the right-hand sides rc, r2:
 *     K du = B^T M G^-1 h - r_u,  h = E_a rc + (r2/lambda_N) n - r_gamma,
 *     dlambda = G^-1 (h - B du),  dz = rc - Theta E_mu dlambda,
 *     dz2 = (r2 - z2 dlambda_N)/lambda_N,
 * refined once, if asked and needed, on the momentum row, which condensation leaves least accurate.
 */
static sab_status solve_direction(sab_ipm *it, const sab_program *p, bool refined,
                                  sab_ipm_direction *d, sab_error *err)
{
    double sum = 0.0;
    sab_status status = SAB_OK;

    condense(it, p);
    sab_ipm_points_solve(it, it->h, it->work, NULL);
    scale_by_weight(p, it->work);
    for (int i = 0; i < p->n; i++)
        it->force[i] = -it->momentum[i];
    sab_blocks_multiply_transpose(p->B, it->work, it->force);
    SAB_TRY(sab_factor_solve(it->factor, it->force, d->u, err));
    for (int pass = 0; pass < 2; pass++) {
        sab_blocks_multiply(p->B, d->u, it->Bu);
        for (size_t i = 0; i < it->rows; i++)
            it->Bu[i] = it->h[i] - it->Bu[i];
        sab_ipm_points_solve(it, it->Bu, d->lambda, d->z);
        if (pass == 1 || !refined || !momentum_left(it, p, d))
            break;
        SAB_TRY(sab_factor_solve(it->factor, it->force, it->force, err));
        for (int i = 0; i < p->n; i++)
            d->u[i] += it->force[i];
    }
    for (int i = 0; i < p->n; i++)
        sum += d->u[i];
    if (!isfinite(sum)) /* rounding has put a point on the boundary of its cone */
        return sab_fail(err, SAB_ERR_NUMERIC, "the direction of the interior point is not finite");
    complete(it, p, d);
cleanup:
    return status;
}

/* The step that is taken along a direction. */
static double step_length(const sab_ipm *it, const sab_program *p, const sab_ipm_direction *d)
{
    return fmin(1.0, TO_BOUNDARY * sab_ipm_points_step(it, p, d, 1.0 / TO_BOUNDARY));
}

/* The direction it->newton, with correctors of centrality as long as they lengthen the step. */
static sab_status correct(sab_ipm *it, const sab_program *p, double target, double *length,
                          sab_error *err)
{
    sab_status status = SAB_OK;

    for (int k = 0; k < CORRECTORS && *length < SHORT; k++) {
        sab_ipm_direction *trial = &it->affine;

        sab_ipm_points_centre(it, p, &it->newton, fmin(1.0, *length / TO_BOUNDARY + LONGER),
                              target);
        status = solve_direction(it, p, true, trial, err);
        if (status == SAB_ERR_NUMERIC) { /* the direction without it stands */
            status = SAB_OK;
            break;
        }
        SAB_TRY(status);
        const double taken = step_length(it, p, trial);
        if (taken < *length + GAIN * LONGER)
            break;
        const sab_ipm_direction kept = it->newton;
        it->newton = *trial;
        *trial = kept;
        *length = taken;
    }
cleanup:
    return status;
}

static void advance(sab_ipm *it, double length)
{
    for (int i = 0; i < it->n; i++)
        it->now.u[i] += length * it->newton.u[i];
    for (size_t i = 0; i < it->rows; i++) {
        it->now.lambda[i] += length * it->newton.lambda[i];
        it->now.z[i] += length * it->newton.z[i];
    }
    for (int q = 0; q < it->npoints; q++)
        it->now.z2[q] += length * it->newton.z2[q];
}

sab_status sab_ipm_iterate(sab_ipm *it, const sab_program *p, double *length, sab_error *err)
{
    sab_status status = SAB_OK;
    double start;

    *length = 0.0;
    start = sab_cpu_seconds();
    SAB_TRY(residuals(it, p, err));
    it->cone_cpu += sab_cpu_seconds() - start;
    SAB_TRY(factorise(it, p, err));

    sab_ipm_points_complement(it, p, 0.0, false);
    SAB_TRY(solve_direction(it, p, false, &it->affine, err));
    const double affine = sab_ipm_points_step(it, p, &it->affine, 1.0);
    const double least = it->convex ? CENTRING_CONVEX : CENTRING;
    const double target = fmax(pow(1.0 - affine, 3.0), least) * it->tau;

    if (it->rho < 1.0)
        sab_ipm_points_aim(it, p, target);
    sab_ipm_points_complement(it, p, target, true);
    SAB_TRY(solve_direction(it, p, true, &it->newton, err));
    *length = step_length(it, p, &it->newton);
    if (*length < IN_THE_WAY * affine) { /* the second-order term is in the way */
        sab_ipm_points_complement(it, p, target, false);
        SAB_TRY(solve_direction(it, p, true, &it->newton, err));
        *length = step_length(it, p, &it->newton);
    }
    SAB_TRY(correct(it, p, target, length, err));
    advance(it, *length);
cleanup:
    return status;
}
