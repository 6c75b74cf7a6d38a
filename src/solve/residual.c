#include "solve/residual.h"

#include "base/memory.h"
#include "cone/cone.h"

#include <math.h>
#include <string.h>

/* C is relative to the compaction of the unresisted flow, but not to less than this part of the
 * strain rate: where nothing compacts, rounding must not count. */
static const double LEAST_COMPACTION = 1e-3;

/* The stress scale is at least this part of the stress that power and r of the unresisted flow
 * make: it may be rigid (free fall). */
static const double LEAST_STRESS = 1e-5;

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

/* What a point adds to the sums of the certificate, without its weight m [docs/theory.md, 7]. */
typedef struct powers {
    double dissipation, friction, normal, compaction, rate;
} powers;

static powers point_powers(const sab_program *p, int q, const double *gamma, const double *lambda)
{
    const double *g = gamma + q * p->s, *l = lambda + q * p->s;
    const double gt = sab_cone_norm_t(p->s, g), gn = g[0];
    const double slip = (p->yield[q] + p->friction[q] * l[0]) * gt; /* (sigma + mu lN)|gT| */
    const double opening = gn - p->dilatancy[q] * gt;
    const double shear = sab_cone_dot(p->s, l, g) - l[0] * gn; /* lT.gT */

    return (powers){.dissipation = p->viscosity[q] * (p->bulk * gn * gn + gt * gt) + slip,
                    .friction = fmax(0.0, slip + shear), /* >= 0 but for rounding */
                    .normal = l[0] * fabs(opening),
                    .compaction = fmax(0.0, -opening),
                    .rate = sqrt(gn * gn + gt * gt)};
}

static powers sum_powers(const sab_program *p, const double *gamma, const double *lambda)
{
    powers sum = {0};

    for (int q = 0; q < p->npoints; q++) {
        const powers at = point_powers(p, q, gamma, lambda);
        const double m = p->weight[q];
        sum.dissipation += m * at.dissipation;
        sum.friction += m * at.friction;
        sum.normal += m * at.normal;
        sum.compaction += m * at.compaction;
        sum.rate += m * at.rate;
    }
    return sum;
}

/* (sum m |c x|^2 / sum m)^(1/2), c = factor[q] or 1 */
static double rms(const sab_program *p, const double *factor, const double *x)
{
    double sum = 0.0, volume = 0.0;

    for (int q = 0; q < p->npoints; q++) {
        const double c = factor != NULL ? factor[q] : 1.0;
        sum += p->weight[q] * c * c * sab_cone_dot(p->s, x + q * p->s, x + q * p->s);
        volume += p->weight[q];
    }
    return sqrt(sum / volume);
}

sab_status sab_residual_refer(sab_residual *res, const sab_program *p, sab_factor *factor,
                              sab_error *err)
{
    sab_status status;

    memset(res->work, 0, (size_t)p->npoints * (size_t)p->s * sizeof *res->work);
    status = sab_program_respond(p, factor, res->work, res->force, res->gamma, err);
    if (status != SAB_OK)
        return status;
    const powers sum = sum_powers(p, res->gamma, res->work);
    res->power = sum.dissipation;
    res->compaction = sum.compaction;
    for (int i = 0; i < p->n; i++)
        res->power += res->force[i] * p->l[i]; /* A u = l: this is u.A u */
    res->stress = rms(p, p->step, res->gamma);
    double square = 0.0, volume = 0.0;
    for (int q = 0; q < p->npoints; q++) {
        square += p->weight[q] * p->step[q];
        volume += p->weight[q];
    }
    res->stress = fmax(res->stress, LEAST_STRESS * sqrt(res->power * square) / volume);
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

/* Largest norm of the Fischer-Burmeister function at a point, z in stress units (c = r). */
static double fischer_burmeister(const sab_program *p, const double *lambda, const double *gamma,
                                 double *work)
{
    double max = 0.0;

    for (int q = 0; q < p->npoints; q++)
        if (p->yield[q] > 0.0 || p->friction[q] <= 0.0)
            return NAN;
    for (int q = 0; q < p->npoints; q++) {
        sab_cone_fischer_burmeister(p->s, p->friction[q], p->dilatancy[q], p->step[q],
                                    gamma + q * p->s, lambda + q * p->s, work);
        max = fmax(max, sab_cone_dot(p->s, work, work));
    }
    return sqrt(max);
}

/* |A u - B^T M lambda - l|_inf / |l|_inf; `work` and `force` are workspace. */
static double momentum(const sab_program *p, const double *lambda, const double *u, double *work,
                       double *force)
{
    double worst = 0.0, load = 0.0;

    sab_sparse_multiply(p->A, u, force);
    for (int q = 0; q < p->npoints; q++)
        for (int i = q * p->s; i < (q + 1) * p->s; i++)
            work[i] = -p->weight[q] * lambda[i];
    sab_blocks_multiply_transpose(p->B, work, force);
    for (int i = 0; i < p->n; i++) {
        worst = fmax(worst, fabs(force[i] - p->l[i]));
        load = fmax(load, fabs(p->l[i]));
    }
    return load > 0.0 ? worst / load : worst;
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
    const powers sum = sum_powers(p, res->gamma, lambda);
    const double least = SAB_REST * res->power, scale = fmax(sum.dissipation, least);
    c->at_rest = !(sum.dissipation > least);
    c->dissipation = sum.dissipation;
    c->gap_friction = scale > 0.0 ? sum.friction / scale : 0.0;
    c->gap_normal = scale > 0.0 ? sum.normal / scale : 0.0;
    c->gap = c->gap_friction + c->gap_normal;
    const double reference = fmax(fmin(sum.rate, res->compaction), LEAST_COMPACTION * sum.rate);
    c->compaction = reference > 0.0 ? sum.compaction / reference : 0.0;
    c->natural = sab_residual_natural(p, NULL, lambda, res->gamma, res->work, &c->natural_max);
    c->stress = fmax(rms(p, NULL, lambda), res->stress);
    c->fischer_burmeister = fischer_burmeister(p, lambda, res->gamma, res->work);
    c->momentum = momentum(p, lambda, u, res->work, res->force);
    return SAB_OK;
}

const double *sab_residual_strain_rate(const sab_residual *residual)
{
    return residual->gamma;
}

double sab_certificate_merit(const sab_certificate *c)
{
    if (!c->at_rest)
        return fmax(c->gap, c->compaction);
    return c->stress > 0.0 ? c->natural / c->stress : 0.0;
}

bool sab_certificate_meets(const sab_certificate *c, double tolerance)
{
    return sab_certificate_merit(c) <= tolerance && c->momentum < 1e-3;
}
