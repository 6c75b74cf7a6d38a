#include "solve/residual.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "cone/cone.h"
#include "cone/point.h"

#include <math.h>
#include <string.h>

/* C is relative to the compaction of the unresisted flow, but not to less than this part of the
 * strain rate: where nothing compacts, rounding must not count. */
static const double LEAST_COMPACTION = 1e-3;

/* The stress scale is at least this part of the stress that power and r of the unresisted flow
 * make: it may be rigid (free fall). */
static const double LEAST_STRESS = 1e-5;

/* The power that responds to rate counts as at least this part of the dissipation: below it the
 * balance of power hardly determines the flow [docs/theory.md, 7.6]. */
static const double LEAST_RESPONSE = 0.05;

struct sab_residual {
    double *gamma;            /* [npoints][s] strain rate of the iterate certified last */
    double *work;             /* [npoints][s] */
    double *force;            /* [n] */
    double power, compaction; /* of the unresisted flow */
    double stress;            /* of the unresisted flow, rms over the volume */
};

sab_status sab_residual_create(const sab_program *program, sab_residual **residual, sab_error *err)
{
    const size_t rows = (size_t)program->npoints * (size_t)program->s;
    sab_status status = SAB_OK;
    sab_residual *res = NULL;

    *residual = NULL;
    SAB_NEW(res, 1);
    SAB_NEW(res->gamma, rows);
    SAB_NEW(res->work, rows);
    SAB_NEW(res->force, program->n);
    *residual = res;
    res = NULL;
cleanup:
    sab_residual_destroy(&res);
    return status;
}

void sab_residual_destroy(sab_residual **residual)
{
    sab_residual *res = *residual;

    if (res == NULL)
        return;
    SAB_FREE(res->gamma);
    SAB_FREE(res->work);
    SAB_FREE(res->force);
    SAB_FREE(*residual);
}

/* Sums and maxima over points, weighted by m [docs/theory.md, 7]. */
typedef struct tally {
    double volume, dissipation, friction, normal, compaction, rate;
    double response;               /* sum m slope |gT|^2 */
    double internal;               /* sum m (lambda - viscosity E_b B u).B u */
    double stress2;                /* sum m |lambda|^2 */
    double natural2, natural_max2; /* sum m |d|^2, max |d|^2, d = lambda - P(lambda - r g~) */
    double burmeister2;            /* max |phi|^2, Fischer-Burmeister with c = r */
    bool burmeister;               /* it applies at all points: sigma = 0 and mu > 0 */
} tally;

static double larger(double a, double b) /* inline, which fmax is not */
{
    return a > b ? a : b;
}

/* |lambda - P(lambda - r (gamma + shift n))|^2 at point q */
static inline double natural2(int s, const sab_program *p, int q, double shift, const double *gamma,
                              const double *lambda)
{
    double projected[SAB_BLOCK_ROWS];

    sab_point_step(s, p->friction[q], p->yield[q], p->step[q], shift, lambda, gamma, projected);
    for (int i = 0; i < s; i++)
        projected[i] -= lambda[i];
    return sab_point_dot(s, projected, projected);
}

/* (lambda - viscosity E_b B u).B u at point q, B u = gamma - k */
static inline double internal_power(int s, const sab_program *p, int q, const double *gamma,
                                    const double *lambda)
{
    const double *k = p->k + q * s;
    double sum = 0.0;

    for (int i = 0; i < s; i++) {
        const double x = gamma[i] - k[i];

        sum += (lambda[i] - p->viscosity[q] * (i == 0 ? p->bulk : 1.0) * x) * x;
    }
    return sum;
}

static inline void tally_points(int s, const sab_program *p, int from, int to, const double *gamma,
                                const double *lambda, tally *sum)
{
    tally t = {.burmeister = true};

    for (int q = from; q < to; q++) {
        const double *g = gamma + q * s, *l = lambda + q * s, m = p->weight[q];
        const double mu = p->friction[q], sigma = p->yield[q], zeta = p->dilatancy[q];
        const double gt = sqrt(sab_point_norm2_t(s, g)), gn = g[0];
        const double slip = (sigma + mu * l[0]) * gt; /* (sigma + mu lN)|gT| */
        const double opening = gn - zeta * gt,
                     shear = sab_point_dot(s, l, g) - l[0] * gn; /* lT.gT */
        const double d2 = natural2(s, p, q, (mu - zeta) * gt, g, l);

        t.volume += m;
        t.dissipation += m * (p->viscosity[q] * (p->bulk * gn * gn + gt * gt) + slip);
        t.friction += m * larger(slip + shear, 0.0); /* >= 0 but for rounding */
        t.normal += m * (l[0] * fabs(opening));
        t.compaction += m * larger(-opening, 0.0);
        t.rate += m * sqrt(gn * gn + gt * gt);
        t.response += m * p->slope[q] * gt * gt;
        if (p->carried != NULL)
            t.internal += m * internal_power(s, p, q, g, l);
        t.stress2 += m * sab_point_dot(s, l, l);
        t.natural2 += m * d2;
        t.natural_max2 = larger(d2, t.natural_max2);
        t.burmeister = t.burmeister && !(sigma > 0.0 || mu <= 0.0);
        if (t.burmeister) {
            double phi[SAB_BLOCK_ROWS];

            sab_point_fischer_burmeister(s, mu, zeta, p->step[q], g, l, phi);
            t.burmeister2 = larger(sab_point_dot(s, phi, phi), t.burmeister2);
        }
    }
    *sum = t;
}

/* All points, in one pass. */
static tally tally_all(const sab_program *p, const double *gamma, const double *lambda)
{
    tally part[SAB_CHUNKS], sum = {.burmeister = true};

    SAB_PARALLEL_FOR(p->npoints)
    for (int c = 0; c < SAB_CHUNKS; c++)
        SAB_POINT_SIZES(p->s, tally_points, p, sab_chunk(p->npoints, c),
                        sab_chunk(p->npoints, c + 1), gamma, lambda, &part[c]);
    for (int c = 0; c < SAB_CHUNKS; c++) {
        sum.volume += part[c].volume;
        sum.dissipation += part[c].dissipation;
        sum.friction += part[c].friction;
        sum.normal += part[c].normal;
        sum.compaction += part[c].compaction;
        sum.rate += part[c].rate;
        sum.response += part[c].response;
        sum.internal += part[c].internal;
        sum.stress2 += part[c].stress2;
        sum.natural2 += part[c].natural2;
        sum.natural_max2 = larger(part[c].natural_max2, sum.natural_max2);
        sum.burmeister2 = larger(part[c].burmeister2, sum.burmeister2);
        sum.burmeister = sum.burmeister && part[c].burmeister;
    }
    return sum;
}

sab_status sab_residual_refer(sab_residual *res, const sab_program *p, sab_factor *factor,
                              sab_error *err)
{
    sab_status status;

    memset(res->work, 0, (size_t)p->npoints * (size_t)p->s * sizeof *res->work);
    status = sab_program_respond(p, factor, res->work, res->force, res->gamma, err);
    if (status != SAB_OK)
        return status;
    const tally sum = tally_all(p, res->gamma, res->work);
    res->power = sum.dissipation;
    res->compaction = sum.compaction;
    for (int i = 0; i < p->n; i++)
        res->power += res->force[i] * p->l[i]; /* A u = l: this is u.A u */
    double square = 0.0, steps = 0.0;          /* sum m |r gamma|^2, sum m r */
    for (int q = 0; q < p->npoints; q++) {
        const double *g = res->gamma + q * p->s, r = p->step[q];
        square += p->weight[q] * r * r * sab_point_dot(p->s, g, g);
        steps += p->weight[q] * r;
    }
    res->stress =
        fmax(sqrt(square / sum.volume), LEAST_STRESS * sqrt(res->power * steps) / sum.volume);
    return SAB_OK;
}

double sab_residual_natural(const sab_program *p, const double *shift, const double *lambda,
                            const double *gamma, double *work, double *largest)
{
    const sab_cone_laws laws = {p->s, p->npoints, p->friction, p->yield, p->dilatancy, p->step};
    double sum = 0.0, volume = 0.0, max = 0.0;

    sab_cone_step(&laws, 1.0, shift, lambda, gamma, work);
    for (int q = 0; q < p->npoints; q++) {
        double d2 = 0.0;
        for (int i = q * p->s; i < (q + 1) * p->s; i++)
            d2 += (lambda[i] - work[i]) * (lambda[i] - work[i]);
        sum += p->weight[q] * d2;
        volume += p->weight[q];
        max = d2 > max ? d2 : max;
    }
    if (largest != NULL)
        *largest = sqrt(max);
    return sqrt(sum / volume);
}

/* |A u - B^T M lambda - l|_inf / |l|_inf; `work` and `force` are workspace. */
static double momentum(const sab_program *p, const double *lambda, const double *u, double *work,
                       double *force)
{
    double worst = 0.0, load = 0.0;

    sab_sparse_multiply(p->A, u, force);
    SAB_PARALLEL_FOR(p->npoints)
    for (int q = 0; q < p->npoints; q++)
        for (int i = q * p->s; i < (q + 1) * p->s; i++)
            work[i] = -p->weight[q] * lambda[i];
    sab_blocks_multiply_transpose(p->B, work, force);
    for (int i = 0; i < p->n; i++) {
        worst = larger(fabs(force[i] - p->l[i]), worst);
        load = larger(fabs(p->l[i]), load);
    }
    return load > 0.0 ? worst / load : worst;
}

/* u.(A - A_viscous) u - carried.u, the power that goes into inertia; u solves A u = B^T M lambda +
 * l [docs/theory.md, 7.6]. */
static double inertial_power(const sab_program *p, const tally *sum, const double *u)
{
    double power = sum->internal;

    for (int i = 0; p->carried != NULL && i < p->n; i++)
        power += u[i] * (p->l[i] - p->carried[i]);
    return power;
}

/* Everything but momentum, of the strain rate res->gamma. */
static void measure(const sab_residual *res, const sab_program *p, const double *lambda,
                    const double *u, sab_certificate *c)
{
    const tally sum = tally_all(p, res->gamma, lambda);
    const double least = SAB_REST * res->power, scale = fmax(sum.dissipation, least);

    c->at_rest = !(sum.dissipation > least);
    c->dissipation = sum.dissipation;
    c->gap_friction = scale > 0.0 ? sum.friction / scale : 0.0;
    c->gap_normal = scale > 0.0 ? sum.normal / scale : 0.0;
    c->gap = c->gap_friction + c->gap_normal;
    /* what scales like u^2 responds once, kinetic energy carried away like u^3 twice */
    c->response =
        fmax(sum.response + 2.0 * fabs(inertial_power(p, &sum, u)), LEAST_RESPONSE * scale);
    c->gap_rate = c->gap * (c->response < scale ? scale / c->response : 1.0);
    c->rated = p->rated;
    const double reference = fmax(fmin(sum.rate, res->compaction), LEAST_COMPACTION * sum.rate);
    c->compaction = reference > 0.0 ? sum.compaction / reference : 0.0;
    c->natural = sqrt(sum.natural2 / sum.volume);
    c->natural_max = sqrt(sum.natural_max2);
    c->stress = fmax(sqrt(sum.stress2 / sum.volume), res->stress);
    c->fischer_burmeister = sum.burmeister ? sqrt(sum.burmeister2) : NAN;
}

sab_status sab_residual_certify(sab_residual *res, const sab_program *p, sab_factor *factor,
                                double *lambda, double *u, sab_certificate *c, sab_error *err)
{
    const sab_cone_laws laws = {p->s, p->npoints, p->friction, p->yield, p->dilatancy, p->step};
    sab_status status;

    sab_cone_project_all(&laws, lambda);
    status = sab_program_respond(p, factor, lambda, u, res->gamma, err);
    if (status != SAB_OK)
        return status;
    measure(res, p, lambda, u, c);
    c->momentum = momentum(p, lambda, u, res->work, res->force);
    return SAB_OK;
}

sab_status sab_residual_certify_followed(sab_residual *res, const sab_program *p, double *lambda,
                                         const double *u, double *viscosity, double *slope,
                                         sab_certificate *c, sab_error *err)
{
    const sab_cone_laws laws = {p->s, p->npoints, p->friction, p->yield, p->dilatancy, p->step};
    sab_program law = *p;
    sab_status status;

    law.viscosity = viscosity;
    law.slope = slope;
    sab_cone_project_all(&laws, lambda);
    sab_blocks_multiply(p->B, u, res->gamma);
    for (int i = 0; i < p->npoints * p->s; i++)
        res->gamma[i] += p->k[i];
    status = p->rate->evaluate(p->rate->data, res->gamma, lambda, viscosity, slope, err);
    if (status != SAB_OK)
        return status;
    measure(res, &law, lambda, u, c);
    /* A holds another viscosity: the difference is a stress */
    for (int q = 0; q < p->npoints; q++)
        for (int i = 0; i < p->s; i++)
            res->work[q * p->s + i] = lambda[q * p->s + i] - (viscosity[q] - p->viscosity[q]) *
                                                                 (i == 0 ? p->bulk : 1.0) *
                                                                 res->gamma[q * p->s + i];
    c->momentum = momentum(p, res->work, u, res->work, res->force);
    return SAB_OK;
}

const double *sab_residual_strain_rate(const sab_residual *residual)
{
    return residual->gamma;
}

double sab_certificate_violation(const sab_certificate *c)
{
    if (!c->at_rest)
        return fmax(c->gap, c->compaction);
    return c->stress > 0.0 ? c->natural / c->stress : 0.0;
}

double sab_certificate_merit(const sab_certificate *c)
{
    return c->at_rest || !c->rated ? sab_certificate_violation(c)
                                   : fmax(c->gap_rate, c->compaction);
}

bool sab_certificate_meets(const sab_certificate *c, double tolerance)
{
    return sab_certificate_merit(c) <= tolerance && c->momentum < 1e-3;
}
