#include "solve/ipm.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "cone/cone.h"
#include "cone/soc.h"

#include <math.h>
#include <string.h>

/* Share of the step to the boundary that is taken, and the least centring: with Mehrotra's small
 * sigma the non-associated iterates run ahead of their feasibility and jam. */
static const double TO_BOUNDARY = 0.9, CENTRING_CONVEX = 0.1, CENTRING = 0.3;
/* Dual proximal term, relative to the scale 1/r of a point: where the material is rigid lambda is
 * not unique and G^-1 has no bound. */
static const double PROXIMAL = 1e-8;
/* The shift is extrapolated by this part of its last change, once the iteration before has changed
 * it by less than SETTLED, and at a point by no more than half of itself. */
static const double EXTRAPOLATED = 0.5, SETTLED = 0.3;
/* Of a tight path [docs/theory.md, 6.6]: the target of lambda_N z2, as a share of that in the cone,
 * and where a point counts as open: lambda_N below OPEN r times its opening. */
static const double NORMAL = 0.5, OPEN = 0.1;
/* Correctors of centrality: at most so many, while the step is shorter than SHORT; they aim at a
 * step longer by LONGER, with complementarities between LEAST and MOST times the target, and are
 * kept if they gain GAIN of it. */
enum { CORRECTORS = 2 };
static const double SHORT = 0.5, LONGER = 0.3, GAIN = 0.05, LEAST = 0.1, MOST = 10.0;
/* A direction is refined if it leaves more than this of the momentum residual, and of the load. */
static const double LEFT = 1e-3, ROUNDING = 1e-11;

/* Per point: how the law is written. */
typedef struct point_form {
    bool cone;       /* mu > 0 or sigma > 0: g can be inside K; else lambda_T = 0 */
    bool unilateral; /* lambda_N z2 = 0 is a condition of its own */
    double a;        /* of gamma_N + s = a z_N + z2 */
} point_form;

/* A direction (or an iterate) in all unknowns. */
typedef struct direction {
    double *u;      /* [n] */
    double *lambda; /* [npoints][s] */
    double *z;      /* [npoints][s] */
    double *z2;     /* [npoints] */
} direction;

struct sab_ipm {
    int s, npoints, n;
    size_t rows;
    double exactness; /* least mu - a where mu - zeta is larger */
    bool convex;      /* the program of the last start */
    double rho;       /* lambda_N z2 = rho tau */
    bool symmetric;   /* pattern and factor of K */
    bool closed;      /* no flow changes the volume, and mu = 0: gamma_N = 0 is an equation */
    point_form *form;
    sab_sparse *K;
    sab_scatter *scatter;
    int64_t *places; /* of the entries of A in K */
    sab_factor *factor;
    direction now, affine, step;
    double *gamma;     /* [npoints][s] strain rate of now.u */
    double *shear;     /* [npoints] |gamma_T|, of which the shift is (a - zeta) times */
    sab_nt *nt;        /* [npoints] Theta */
    sab_nt_block *G;   /* [npoints] */
    double *C;         /* [npoints][s][s] m G^-1 */
    double *momentum;  /* [n] A u - B^T M lambda - l */
    double *kinematic; /* [npoints][s] gamma + s n - E_a z - z2 n */
    double *rc, *r2;   /* right-hand sides of the complementarity rows */
    double *h, *Bu;    /* [npoints][s] */
    double *force, *work;
    double *viscosity, *tangent; /* [npoints] of the rate law at the iterate; NULL: it has none */
    double load;                 /* |l|_inf */
    double tau;
    int iteration; /* since the start */
    bool settled;  /* the iteration before has changed the shear by less than SETTLED */
    double cone_cpu;
};

static void direction_destroy(direction *d)
{
    SAB_FREE(d->u);
    SAB_FREE(d->lambda);
    SAB_FREE(d->z);
    SAB_FREE(d->z2);
}

static sab_status direction_create(int s, int npoints, int n, direction *d, sab_error *err)
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

sab_status sab_ipm_create(const sab_program *p, double exactness, sab_factor_backend backend,
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
    SAB_TRY(direction_create(p->s, p->npoints, p->n, &it->step, err));
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
    SAB_TRY(sab_scatter_create(p->B, it->K, &it->scatter, err));
    SAB_TRY(sab_sparse_locate(p->A, it->K, &it->places, err));
    SAB_TRY(sab_factor_create(it->symmetric ? backend : SAB_MUMPS, it->K, &it->factor, err));
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
    direction_destroy(&it->step);
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

/* g = (sigma + mu lambda_N, lambda_T); inline, as the loops over points are, for a constant s. */
static inline void stress_in_cone(int s, const sab_program *p, int q, const double *lambda,
                                  double *g)
{
    sab_point_set(s, p->yield[q] + p->friction[q] * lambda[0], 1.0, lambda, g);
}

/* In a closed box gamma_N >= 0 has no interior and the pressure no upper bound, which no interior
 * point survives; but gamma_N = 0 follows, an equation whose multiplier lambda_N is free up to a
 * constant. Only for mu = 0: with friction that constant matters. */
static bool is_equation(const sab_program *p, double *work, double *force)
{
    double expansion;

    for (int q = 0; q < p->npoints; q++)
        if (p->friction[q] > 0.0)
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

void sab_ipm_start(sab_ipm *it, const sab_program *p, double stress, bool tight)
{
    set_form(it, p, tight);
    memset(it->now.u, 0, (size_t)p->n * sizeof *it->now.u);
    memset(it->now.lambda, 0, it->rows * sizeof *it->now.lambda);
    memset(it->now.z, 0, it->rows * sizeof *it->now.z);
    for (int q = 0; q < p->npoints; q++) {
        it->now.lambda[q * p->s] = stress;
        it->now.z[q * p->s] = it->now.z2[q] = stress / p->step[q];
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
        const double mu = p->friction[q], sigma = p->yield[q], rate = stress / p->step[q];
        const double *l = lambda + q * s;
        double *gamma = it->gamma + q * s, *out = it->now.lambda + q * s, *z = it->now.z + q * s;
        const double lt = sab_cone_norm_t(s, l);
        double lift = l[0] > 0.0 ? l[0] : 0.0;

        for (int i = 0; i < s; i++)
            gamma[i] += p->k[q * s + i];
        if (mu > 0.0 && (lt - sigma) / mu > lift)
            lift = (lt - sigma) / mu;
        out[0] = lift + level * stress;
        const double room = sigma + mu * out[0], keep = (1.0 - level) * room;
        for (int i = 1; i < s; i++)
            out[i] = lt > keep ? l[i] * keep / lt : l[i];
        memcpy(z, gamma, (size_t)s * sizeof *z);
        z[0] = sab_cone_norm_t(s, gamma) + level * rate;
        it->now.z2[q] =
            sqrt(it->rho) * fmax(gamma[0] - p->dilatancy[q] * z[0], 0.0) + it->rho * level * rate;
    }
}

/* The shift (a - zeta)|gamma_T| is wanted at the end of the step: half of the last change of
 * |gamma_T| added is a better guess than none, but not while the iterates still jump. */
static double extrapolate(bool settled, double before, double now)
{
    return settled ? now + fmax(EXTRAPOLATED * (now - before), -0.5 * now) : now;
}

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

/* The stress of the rate law that A does not hold, as a load: work += m (nu - viscosity) E_b gamma,
 * and at the start of a program the law itself; afterwards it is that of the last certificate. */
static sab_status add_rate_stress(sab_ipm *it, const sab_program *p, sab_error *err)
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
        r[0] = gamma[0] + shift - (it->form[q].cone ? a * z[0] : 0.0) -
               (it->form[q].unilateral ? it->now.z2[q] : 0.0);
        if (it->form[q].cone) {
            stress_in_cone(s, p, q, lambda, g);
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
        SAB_TRY(add_rate_stress(it, p, err));
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

/* Scalings Theta and blocks m G^-1. */
static inline void scale_points(int s, sab_ipm *it, const sab_program *p)
{
    SAB_PARALLEL_FOR(p->npoints)
    for (int q = 0; q < p->npoints; q++) {
        const double *lambda = it->now.lambda + q * s;
        const double c = it->form[q].unilateral ? it->now.z2[q] / lambda[0] : 0.0;
        const double delta = PROXIMAL / p->step[q];
        double g[SAB_SOC_MAX], *C = it->C + q * s * s;

        if (it->form[q].cone) {
            stress_in_cone(s, p, q, lambda, g);
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

/* K = A + B^T M (G^-1 + T) B with its factor. */
static sab_status factorise(sab_ipm *it, const sab_program *p, sab_error *err)
{
    const double start = sab_cpu_seconds();

    SAB_POINT_SIZES(p->s, scale_points, it, p);
    if (p->rate != NULL)
        add_rate_blocks(it, p);
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

/* x = G^-1 b at every point and, unless it is NULL, z = Theta E_mu x. */
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

static void solve_blocks(const sab_ipm *it, const double *b, double *x, double *z)
{
    SAB_POINT_SIZES(it->s, solve_points, it, b, x, z);
}

/* stress -= T B du */
static void subtract_rate_stress(sab_ipm *it, const sab_program *p, const double *du,
                                 double *stress)
{
    sab_blocks_multiply(p->B, du, it->Bu);
    for (int q = 0; q < p->npoints; q++) {
        double y[SAB_SOC_MAX];

        rate_tangent(it, p, q, it->Bu + q * p->s, y);
        for (int i = 0; i < p->s; i++)
            stress[q * p->s + i] -= y[i];
    }
}

/* force = -r_u - (A + B^T M T B) du + B^T M dlambda, the residual of the momentum row. True if it
 * matters: beyond rounding, and not small against r_u. */
static bool momentum_left(sab_ipm *it, const sab_program *p, const direction *d)
{
    double left = 0.0, before = 0.0;

    sab_sparse_multiply(p->A, d->u, it->force);
    for (int i = 0; i < p->n; i++)
        it->force[i] = -it->momentum[i] - it->force[i];
    memcpy(it->work, d->lambda, it->rows * sizeof *it->work);
    if (p->rate != NULL)
        subtract_rate_stress(it, p, d->u, it->work);
    scale_by_weight(p, it->work);
    sab_blocks_multiply_transpose(p->B, it->work, it->force);
    for (int i = 0; i < p->n; i++) {
        left = fmax(left, fabs(it->force[i]));
        before = fmax(before, fabs(it->momentum[i]));
    }
    return !(left <= fmax(LEFT * before, ROUNDING * it->load));
}

/* The Newton direction for the right-hand sides rc, r2:
 *     K du = B^T M G^-1 h - r_u,  h = E_a rc + (r2/lambda_N) n - r_gamma,
 *     dlambda = G^-1 (h - B du),  dz = rc - Theta E_mu dlambda,
 *     dz2 = (r2 - z2 dlambda_N)/lambda_N,
 * refined once, if asked and needed, on the momentum row, which condensation leaves least accurate.
 */
static sab_status solve_direction(sab_ipm *it, const sab_program *p, bool refined, direction *d,
                                  sab_error *err)
{
    const int s = p->s;
    double sum = 0.0;
    sab_status status = SAB_OK;

    for (int q = 0; q < p->npoints; q++) {
        double *h = it->h + q * s;

        for (int i = 0; i < s; i++)
            h[i] = it->rc[q * s + i] - it->kinematic[q * s + i];
        h[0] = (it->form[q].cone ? it->form[q].a * it->rc[q * s] : 0.0) - it->kinematic[q * s] +
               (it->form[q].unilateral ? it->r2[q] / it->now.lambda[q * s] : 0.0);
        if (!it->form[q].cone)
            memset(h + 1, 0, (size_t)(s - 1) * sizeof *h);
    }
    solve_blocks(it, it->h, it->work, NULL);
    scale_by_weight(p, it->work);
    for (int i = 0; i < p->n; i++)
        it->force[i] = -it->momentum[i];
    sab_blocks_multiply_transpose(p->B, it->work, it->force);
    SAB_TRY(sab_factor_solve(it->factor, it->force, d->u, err));
    for (int pass = 0; pass < 2; pass++) {
        sab_blocks_multiply(p->B, d->u, it->Bu);
        for (size_t i = 0; i < it->rows; i++)
            it->Bu[i] = it->h[i] - it->Bu[i];
        solve_blocks(it, it->Bu, d->lambda, d->z);
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
    for (int q = 0; q < p->npoints; q++) {
        double *dz = d->z + q * s;

        for (int i = 0; it->form[q].cone && i < s; i++)
            dz[i] = it->rc[q * s + i] - dz[i];
        d->z2[q] = it->form[q].unilateral
                       ? (it->r2[q] - it->now.z2[q] * d->lambda[q * s]) / it->now.lambda[q * s]
                       : 0.0;
    }
cleanup:
    return status;
}

/* Longest step <= limit that keeps the points `from` to `to` inside. */
static inline double step_of_points(int s, const sab_ipm *it, const sab_program *p,
                                    const direction *d, int from, int to, double limit)
{
    for (int q = from; q < to; q++) {
        const double *lambda = it->now.lambda + q * s, *dl = d->lambda + q * s;
        double g[SAB_SOC_MAX], dg[SAB_SOC_MAX];

        if (it->form[q].cone) {
            stress_in_cone(s, p, q, lambda, g);
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
                                   const direction *d, double *limit)
{
    SAB_PARALLEL_FOR(p->npoints)
    for (int c = 0; c < SAB_CHUNKS; c++)
        limit[c] = step_of_points(s, it, p, d, sab_chunk(p->npoints, c),
                                  sab_chunk(p->npoints, c + 1), limit[c]);
}

/* Longest step <= limit that keeps everything inside. */
static double step_to_boundary(const sab_ipm *it, const sab_program *p, const direction *d,
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

/* Right-hand sides of the complementarity rows for a target tau, with Mehrotra's second-order term
 * of the affine direction if `corrected`:
 *     rc = -z + Theta^(1/2) (nu \ (target e - Theta^(1/2) dg o Theta^(-1/2) dz)),
 *     r2 = -lambda_N z2 + rho target - dlambda_N dz2,     nu = Theta^(1/2) g. */
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
        stress_in_cone(s, p, q, lambda, g);
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

static void complementarity(sab_ipm *it, const sab_program *p, double target, bool corrected)
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

/* Add to the right-hand sides what brings the complementarities of the trial point, `length` along
 * the direction, between LEAST and MOST times the target: few points that are far from it are what
 * makes steps short [gondzio1996]. In the cone, complementarities are the eigenvalues of
 * v = Theta^(1/2) g o Theta^(-1/2) z. */
static inline void centre_points(int s, sab_ipm *it, const sab_program *p, const direction *d,
                                 double length, double target)
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
        stress_in_cone(s, p, q, lambda, g);
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

static void centre(sab_ipm *it, const sab_program *p, const direction *d, double length,
                   double target)
{
    SAB_POINT_SIZES(p->s, centre_points, it, p, d, length, target);
}

/* The opening a(z_N - |z_T|) + z2 that the central path has at the target,
 *     b = target (a/(g_N + |g_T|) + rho/lambda_N),
 * is the barrier's, not the material's: take it out of the kinematics, but for points that are open
 * already [docs/theory.md, 6.6]. */
static void aim(sab_ipm *it, const sab_program *p, double target)
{
    const int s = p->s;

    for (int q = 0; q < p->npoints; q++) {
        const double *lambda = it->now.lambda + q * s, *z = it->now.z + q * s;
        const double a = it->form[q].a;
        double g[SAB_SOC_MAX], opening = 0.0, barrier = 0.0;

        if (it->form[q].cone) {
            stress_in_cone(s, p, q, lambda, g);
            opening += a * (z[0] - sab_cone_norm_t(s, z));
            barrier += a * target / (g[0] + sab_cone_norm_t(s, g));
        }
        if (it->form[q].unilateral) {
            opening += it->now.z2[q];
            barrier += it->rho * target / lambda[0];
        }
        it->kinematic[q * s] += barrier * lambda[0] / (lambda[0] + OPEN * p->step[q] * opening);
    }
}

/* The step that is taken along a direction. */
static double step_length(const sab_ipm *it, const sab_program *p, const direction *d)
{
    return fmin(1.0, TO_BOUNDARY * step_to_boundary(it, p, d, 1.0 / TO_BOUNDARY));
}

/* The direction it->step, with correctors of centrality as long as they lengthen the step. */
static sab_status correct(sab_ipm *it, const sab_program *p, double target, double *step,
                          sab_error *err)
{
    sab_status status = SAB_OK;

    for (int k = 0; k < CORRECTORS && *step < SHORT; k++) {
        direction *trial = &it->affine;

        centre(it, p, &it->step, fmin(1.0, *step / TO_BOUNDARY + LONGER), target);
        status = solve_direction(it, p, true, trial, err);
        if (status == SAB_ERR_NUMERIC) { /* the direction without it stands */
            status = SAB_OK;
            break;
        }
        SAB_TRY(status);
        const double length = step_length(it, p, trial);
        if (length < *step + GAIN * LONGER)
            break;
        const direction kept = it->step;
        it->step = *trial;
        *trial = kept;
        *step = length;
    }
cleanup:
    return status;
}

sab_status sab_ipm_iterate(sab_ipm *it, const sab_program *p, double *step, sab_error *err)
{
    sab_status status = SAB_OK;
    double start;

    *step = 0.0;
    start = sab_cpu_seconds();
    SAB_TRY(residuals(it, p, err));
    it->cone_cpu += sab_cpu_seconds() - start;
    SAB_TRY(factorise(it, p, err));

    complementarity(it, p, 0.0, false);
    SAB_TRY(solve_direction(it, p, false, &it->affine, err));
    const double affine = step_to_boundary(it, p, &it->affine, 1.0);
    const double least = it->convex ? CENTRING_CONVEX : CENTRING;
    const double target = fmax(pow(1.0 - affine, 3.0), least) * it->tau;

    if (it->rho < 1.0)
        aim(it, p, target);
    complementarity(it, p, target, true);
    SAB_TRY(solve_direction(it, p, true, &it->step, err));
    double length = step_length(it, p, &it->step);
    if (length < 0.3 * affine) { /* the second-order term is in the way */
        complementarity(it, p, target, false);
        SAB_TRY(solve_direction(it, p, true, &it->step, err));
        length = step_length(it, p, &it->step);
    }
    SAB_TRY(correct(it, p, target, &length, err));
    *step = length;
    for (int i = 0; i < p->n; i++)
        it->now.u[i] += *step * it->step.u[i];
    for (size_t i = 0; i < it->rows; i++) {
        it->now.lambda[i] += *step * it->step.lambda[i];
        it->now.z[i] += *step * it->step.z[i];
    }
    for (int q = 0; q < p->npoints; q++)
        it->now.z2[q] += *step * it->step.z2[q];
cleanup:
    return status;
}
