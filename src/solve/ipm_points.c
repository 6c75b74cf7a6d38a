/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solve/ipm_points.h"

#include "base/parallel.h"
#include "cone/cone.h"

#include <math.h>
#include <string.h>

/* Dual proximal term, relative to the scale 1/r of a point: where the material is rigid lambda is
 * not unique and G^-1 has no bound. */
static const double PROXIMAL = 1e-8;
/* Of a tight path [docs/theory.md, 6.6], where a point counts as open: lambda_N below OPEN r times
 * its opening. */
static const double OPEN = 0.1;
/* Correctors of centrality aim at complementarities between LEAST and MOST times the target. */
static const double LEAST = 0.1, MOST = 10.0;

/* What the rate law adds to the matrix at point q, y = T x: A holds p->viscosity, the law has
 *     T = (nu - viscosity) E_b + (phi' - nu) n n^T,   n = gamma_T/|gamma_T|,
 * nu its secant and phi' its tangent [docs/theory.md, 6.6]. gamma is that of the iterate. */
static void rate_tangent(const sab_ipm *it, const sab_program *p, int q, const double *x, double *y)
{
    const int s = p->s;
    const double *g = it->gamma + q * s, nu = it->viscosity[q];
    const double more = nu - p->viscosity[q], shear = sab_cone_norm_t(s, g);
    double along = 0.0;

    for (int i = 1; i < s && shear > 0.0; i++)
        along += g[i] * x[i] / (shear * shear);
    for (int i = 0; i < s; i++)
        y[i] = more * (i == 0 ? p->bulk : 1.0) * x[i] +
               (i == 0 ? 0.0 : (it->tangent[q] - nu) * along * g[i]);
}

sab_status sab_ipm_rate_add_stress(sab_ipm *it, const sab_program *p, sab_error *err)
{
    const int s = p->s;

    if (it->iteration == 0) {
        const sab_status status = p->rate->evaluate(p->rate->data, it->gamma, it->now.lambda,
                                                    it->viscosity, it->tangent, err);
        if (status != SAB_OK)
            return status;
    }
    for (int q = 0; q < p->npoints; q++)
        for (int i = 0; i < s; i++)
            it->work[q * s + i] += p->weight[q] * (it->viscosity[q] - p->viscosity[q]) *
                                   (i == 0 ? p->bulk : 1.0) * it->gamma[q * s + i];
    return SAB_OK;
}

/* Scalings Theta and blocks m G^-1. */
static inline void scale_points(int s, sab_ipm *it, const sab_program *p)
{
    SAB_PARALLEL_FOR(p->npoints)
    for (int q = 0; q < p->npoints; q++) {
        const double *lambda = it->now.lambda + q * s;
        const double c = it->form[q].unilateral ? it->now.z2[q] / lambda[0] : 0.0;
        const double delta = PROXIMAL / p->r[q];
        double g[SAB_SOC_MAX], *C = it->C + q * s * s;

        if (it->form[q].cone) {
            sab_ipm_stress_in_cone(s, p, q, lambda, g);
            sab_nt_create(s, g, it->now.z + q * s, &it->nt[q]);
            sab_nt_condense(s, &it->nt[q], p->friction[q], it->form[q].a, c, delta, &it->G[q]);
            sab_nt_block_inverse(s, &it->nt[q], &it->G[q], C);
        } else {
            it->G[q].pivot = c + delta;
            memset(C, 0, (size_t)(s * s) * sizeof *C);
            C[0] = 1.0 / it->G[q].pivot;
        }
        for (int i = 0; i < s * s; i++)
            C[i] *= p->weight[q];
    }
}

/* C += m T of the rate law */
static void add_rate_blocks(sab_ipm *it, const sab_program *p)
{
    const int s = p->s;

    for (int q = 0; q < p->npoints; q++)
        for (int j = 0; j < s; j++) { /* T is symmetric: rows or columns */
            double x[SAB_SOC_MAX] = {0.0}, y[SAB_SOC_MAX];

            x[j] = p->weight[q];
            rate_tangent(it, p, q, x, y);
            for (int i = 0; i < s; i++)
                it->C[(q * s + j) * s + i] += y[i];
        }
}

void sab_ipm_points_scale(sab_ipm *it, const sab_program *p)
{
    SAB_POINT_SIZES(p->s, scale_points, it, p);
    if (p->rate != NULL)
        add_rate_blocks(it, p);
}

static inline void solve_points(int s, const sab_ipm *it, const double *b, double *x, double *z)
{
    SAB_PARALLEL_FOR(it->npoints)
    for (int q = 0; q < it->npoints; q++) {
        if (it->form[q].cone) {
            sab_nt_block_solve(s, &it->nt[q], &it->G[q], b + q * s, x + q * s,
                               z == NULL ? NULL : z + q * s);
            continue;
        }
        memset(x + q * s, 0, (size_t)s * sizeof *x);
        x[q * s] = b[q * s] / it->G[q].pivot;
    }
}

void sab_ipm_points_solve(const sab_ipm *it, const double *b, double *x, double *z)
{
    SAB_POINT_SIZES(it->s, solve_points, it, b, x, z);
}

void sab_ipm_rate_subtract(sab_ipm *it, const sab_program *p, const double *du, double *stress)
{
    sab_blocks_multiply(p->B, du, it->Bu);
    for (int q = 0; q < p->npoints; q++) {
        double y[SAB_SOC_MAX];

        rate_tangent(it, p, q, it->Bu + q * p->s, y);
        for (int i = 0; i < p->s; i++)
            stress[q * p->s + i] -= y[i];
    }
}

/* Longest step <= limit that keeps the points `from` to `to` inside. */
static inline double step_of_points(int s, const sab_ipm *it, const sab_program *p,
                                    const sab_ipm_direction *d, int from, int to, double limit)
{
    for (int q = from; q < to; q++) {
        const double *lambda = it->now.lambda + q * s, *dl = d->lambda + q * s;
        double g[SAB_SOC_MAX], dg[SAB_SOC_MAX];

        if (it->form[q].cone) {
            sab_ipm_stress_in_cone(s, p, q, lambda, g);
            sab_point_set(s, p->friction[q] * dl[0], 1.0, dl, dg);
            limit = sab_soc_step(s, g, dg, limit);
            limit = sab_soc_step(s, it->now.z + q * s, d->z + q * s, limit);
        }
        if (it->form[q].unilateral) {
            if (dl[0] < 0.0 && -lambda[0] / dl[0] < limit)
                limit = -lambda[0] / dl[0];
            if (d->z2[q] < 0.0 && -it->now.z2[q] / d->z2[q] < limit)
                limit = -it->now.z2[q] / d->z2[q];
        }
    }
    return limit;
}

static inline void steps_of_chunks(int s, const sab_ipm *it, const sab_program *p,
                                   const sab_ipm_direction *d, double *limit)
{
    SAB_PARALLEL_FOR(p->npoints)
    for (int c = 0; c < SAB_CHUNKS; c++)
        limit[c] = step_of_points(s, it, p, d, sab_chunk(p->npoints, c),
                                  sab_chunk(p->npoints, c + 1), limit[c]);
}

double sab_ipm_points_step(const sab_ipm *it, const sab_program *p, const sab_ipm_direction *d,
                           double limit)
{
    double part[SAB_CHUNKS];

    for (int c = 0; c < SAB_CHUNKS; c++)
        part[c] = limit;
    SAB_POINT_SIZES(p->s, steps_of_chunks, it, p, d, part);
    for (int c = 0; c < SAB_CHUNKS; c++)
        limit = fmin(limit, part[c]);
    return limit;
}

static inline void complementarity_of_points(int s, sab_ipm *it, const sab_program *p,
                                             double target, bool corrected)
{
    SAB_PARALLEL_FOR(p->npoints)
    for (int q = 0; q < p->npoints; q++) {
        const double *lambda = it->now.lambda + q * s, *z = it->now.z + q * s;
        const double *dl = it->affine.lambda + q * s, *dz = it->affine.z + q * s;
        double g[SAB_SOC_MAX], nu[SAB_SOC_MAX], x[SAB_SOC_MAX], y[SAB_SOC_MAX];

        it->r2[q] = -lambda[0] * it->now.z2[q] + it->rho * target -
                    (corrected ? dl[0] * it->affine.z2[q] : 0.0);
        if (!it->form[q].cone)
            continue;
        sab_ipm_stress_in_cone(s, p, q, lambda, g);
        sab_nt_apply_half(s, &it->nt[q], g, nu);
        memset(x, 0, sizeof x);
        if (corrected) {
            sab_point_set(s, p->friction[q] * dl[0], 1.0, dl, x);
            sab_nt_apply_half(s, &it->nt[q], x, x);
            sab_nt_apply_inverse_half(s, &it->nt[q], dz, y);
            sab_soc_product(s, x, y, x);
        }
        for (int i = 0; i < s; i++)
            x[i] = (i == 0 ? target : 0.0) - x[i];
        sab_soc_divide(s, nu, x, x);
        sab_nt_apply_half(s, &it->nt[q], x, x);
        for (int i = 0; i < s; i++)
            it->rc[q * s + i] = x[i] - z[i];
    }
}

void sab_ipm_points_complement(sab_ipm *it, const sab_program *p, double target, bool corrected)
{
    SAB_POINT_SIZES(p->s, complementarity_of_points, it, p, target, corrected);
}

/* What to add to a complementarity so that it lies in [LEAST, MOST] target; large ones are not
 * asked to fall by more than MOST target. */
static double correction(double complementarity, double target)
{
    const double wanted = fmin(fmax(complementarity, LEAST * target), MOST * target);

    return fmax(wanted - complementarity, -MOST * target);
}

/* In the cone, complementarities are the eigenvalues of v = Theta^(1/2) g o Theta^(-1/2) z. */
static inline void centre_points(int s, sab_ipm *it, const sab_program *p,
                                 const sab_ipm_direction *d, double length, double target)
{
    SAB_PARALLEL_FOR(p->npoints)
    for (int q = 0; q < p->npoints; q++) {
        const double *lambda = it->now.lambda + q * s, *z = it->now.z + q * s;
        const double *dl = d->lambda + q * s, *dz = d->z + q * s;
        double g[SAB_SOC_MAX], nu[SAB_SOC_MAX], v[SAB_SOC_MAX], y[SAB_SOC_MAX];

        it->r2[q] += correction((lambda[0] + length * dl[0]) * (it->now.z2[q] + length * d->z2[q]),
                                it->rho * target);
        if (!it->form[q].cone)
            continue;
        sab_ipm_stress_in_cone(s, p, q, lambda, g);
        sab_nt_apply_half(s, &it->nt[q], g, nu);
        for (int i = 0; i < s; i++) {
            v[i] = g[i] + length * (i == 0 ? p->friction[q] : 1.0) * dl[i];
            y[i] = z[i] + length * dz[i];
        }
        sab_nt_apply_half(s, &it->nt[q], v, v);
        sab_nt_apply_inverse_half(s, &it->nt[q], y, y);
        sab_soc_product(s, v, y, v);
        const double radius = sqrt(sab_point_norm2_t(s, v));
        const double high = correction(v[0] + radius, target);
        const double low = correction(v[0] - radius, target);

        for (int i = 1; i < s; i++)
            v[i] *= radius > 0.0 ? 0.5 * (high - low) / radius : 0.0;
        v[0] = 0.5 * (high + low);
        sab_soc_divide(s, nu, v, v);
        sab_nt_apply_half(s, &it->nt[q], v, v);
        for (int i = 0; i < s; i++)
            it->rc[q * s + i] += v[i];
    }
}

void sab_ipm_points_centre(sab_ipm *it, const sab_program *p, const sab_ipm_direction *d,
                           double length, double target)
{
    SAB_POINT_SIZES(p->s, centre_points, it, p, d, length, target);
}

/* That opening a(z_N - |z_T|) + z2 that the central path has at the target,
 *     b = target (a/(g_N + |g_T|) + rho/lambda_N),
 * is the barrier's, not the material's: take it out of the kinematics, but for points that are open
 * already [docs/theory.md, 6.6]. */
void sab_ipm_points_aim(sab_ipm *it, const sab_program *p, double target)
{
    const int s = p->s;

    for (int q = 0; q < p->npoints; q++) {
        const double *lambda = it->now.lambda + q * s, *z = it->now.z + q * s;
        const double a = it->form[q].a;
        double g[SAB_SOC_MAX], opening = 0.0, barrier = 0.0;

        if (it->form[q].cone) {
            sab_ipm_stress_in_cone(s, p, q, lambda, g);
            opening += a * (z[0] - sab_cone_norm_t(s, z));
            barrier += a * target / (g[0] + sab_cone_norm_t(s, g));
        }
        if (it->form[q].unilateral) {
            opening += it->now.z2[q];
            barrier += it->rho * target / lambda[0];
        }
        it->kinematic[q * s] += barrier * lambda[0] / (lambda[0] + OPEN * p->r[q] * opening);
    }
}
