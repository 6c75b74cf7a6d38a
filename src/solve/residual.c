/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solve/residual.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "cone/cone.h"
#include "cone/point.h"

#include <math.h>
#include <string.h>

/* C is relative to the compaction of the unresisted flow. If it has none, and at rest, C is not
 * relative to less than this part of the strain rate: what iterations leave must not count. */
static const double LEAST_COMPACTION = 1e-3;

/* The unresisted flow may be rigid (free fall). Its strain rates and stresses below this part of
 * those that its power makes are no scale; and residuals below NOISE of them are rounding. */
static const double ROUNDING = 1e-9, NOISE = 1e-12;

/* The stress scale that the methods start from is at least this part, for the same reason. */
static const double LEAST_STRESS = 1e-5;

/* The power that responds to rate counts as at least this part of the dissipation: below it the
 * balance of power hardly determines the flow [docs/theory.md, 7.7]. */
static const double LEAST_RESPONSE = 0.05;

/* A power of this size is none: data below 1e-30 are refused (sab_program_check), and a flow that
 * dies out over many steps has ended here. */
static const double NOTHING = 1e-120;

struct sab_residual {
    double *gamma;            /* [npoints][s] strain rate of the iterate certified last */
    double *measure;          /* [npoints] what the size of a point counts by */
    double *work;             /* [npoints][s] */
    double *force;            /* [n] */
    double power, compaction; /* of the unresisted flow */
    double rate, strength;    /* sum m |gamma| and rms stress that this power makes */
    double natural;           /* residual at lambda = 0: the unit of a body at rest */
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
    SAB_NEW(res->measure, program->npoints);
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
    SAB_FREE(res->measure);
    SAB_FREE(res->work);
    SAB_FREE(res->force);
    SAB_FREE(*residual);
}

/* Sums and maxima over points, weighted by m [docs/theory.md, 7]. */
typedef struct tally {
    double volume, dissipation, friction, normal, compaction;
    double approach;               /* compaction as if there were no slack */
    double rate;                   /* of shear and compaction: a gap that opens may be any fast */
    double response;               /* sum m slope |gT|^2 */
    double internal;               /* sum m (lambda - viscosity E_b B u).B u */
    double stress2;                /* sum m |lambda|^2 */
    double natural2, natural_max2; /* sum m |d|^2, max |d|^2, d = lambda - P(lambda - r g~) */
    double power;                  /* sum m/r |d|^2 */
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

    sab_point_step(s, p->friction[q], p->yield[q], p->r[q], shift, lambda, gamma, projected);
    for (int i = 0; i < s; i++)
        projected[i] -= lambda[i];
    return sab_point_dot(s, projected, projected);
}

/* (lambda - viscosity E_b B u).B u at point q, B u = gamma - k */
static inline double internal_power(int s, const sab_program *p, int q, double bulk,
                                    const double *gamma, const double *lambda)
{
    const double *k = p->k + q * s;
    double sum = 0.0;

    for (int i = 0; i < s; i++) {
        const double x = gamma[i] - k[i];

        sum += (lambda[i] - p->viscosity[q] * (i == 0 ? bulk : 1.0) * x) * x;
    }
    return sum;
}

/* b of the viscous stress: the drag of a wall acts along it only. */
static double bulk_of(const sab_program *p, sab_points_kind kind)
{
    return kind == SAB_POINTS_STRAIN ? p->bulk : 0.0;
}

static inline void tally_points(int s, const sab_program *p, const double *measure, double bulk,
                                int from, int to, const double *gamma, const double *lambda,
                                tally *sum)
{
    tally t = {.burmeister = true};

    for (int q = from; q < to; q++) {
        const double *g = gamma + q * s, *l = lambda + q * s, m = p->weight[q];
        const double mu = p->friction[q], sigma = p->yield[q], zeta = p->dilatancy[q];
        const double gt = sqrt(sab_point_norm2_t(s, g)), gn = g[0];
        const double slip = (sigma + mu * l[0]) * gt; /* (sigma + mu lN)|gT| */
        const double slack = sab_program_slack(p, q), opening = gn + slack - zeta * gt;
        const double shear = sab_point_dot(s, l, g) - l[0] * gn; /* lT.gT */
        const double d2 = natural2(s, p, q, (mu - zeta) * gt + slack, g, l);
        const double e = measure[q], e2 = e * e;

        t.volume += m;
        t.dissipation += m * (p->viscosity[q] * (bulk * gn * gn + gt * gt) + slip);
        t.friction += m * larger(slip + shear, 0.0); /* >= 0 but for rounding */
        t.normal += m * (l[0] * fabs(opening));
        t.compaction += m * e * larger(-opening, 0.0);
        t.approach += m * e * larger(slack - opening, 0.0);
        t.rate += m * e * (gn < 0.0 ? sqrt(gn * gn + gt * gt) : gt);
        t.response += m * p->slope[q] * gt * gt;
        if (p->carried != NULL)
            t.internal += m * internal_power(s, p, q, bulk, g, l);
        t.stress2 += m * sab_point_dot(s, l, l);
        t.natural2 += m * e2 * d2;
        t.power += m / p->r[q] * d2;
        t.natural_max2 = larger(e2 * d2, t.natural_max2);
        t.burmeister = t.burmeister && !(sigma > 0.0 || mu <= 0.0);
        if (t.burmeister) {
            double phi[SAB_BLOCK_ROWS], law[SAB_BLOCK_ROWS];

            for (int i = 0; i < s; i++)
                law[i] = g[i];
            law[0] += slack;
            sab_point_fischer_burmeister(s, mu, zeta, p->r[q], law, l, phi);
            t.burmeister2 = larger(sab_point_dot(s, phi, phi), t.burmeister2);
        }
    }
    *sum = t;
}

static void add_tally(tally *sum, const tally *part)
{
    sum->volume += part->volume;
    sum->dissipation += part->dissipation;
    sum->friction += part->friction;
    sum->normal += part->normal;
    sum->compaction += part->compaction;
    sum->approach += part->approach;
    sum->rate += part->rate;
    sum->response += part->response;
    sum->internal += part->internal;
    sum->stress2 += part->stress2;
    sum->natural2 += part->natural2;
    sum->power += part->power;
    sum->natural_max2 = larger(part->natural_max2, sum->natural_max2);
    sum->burmeister2 = larger(part->burmeister2, sum->burmeister2);
    sum->burmeister = sum->burmeister && part->burmeister;
}

/* Sums over all points; means are those of the material, or of walls and contacts, whichever is
 * larger: a volume and an area have no common mean. */
typedef struct tallies {
    tally all;
    double natural, stress; /* rms */
    double wall;            /* friction + normal of what is no material */
    double volume;          /* of the first range, the material if there is any */
} tallies;

static tally tally_range(const sab_program *p, const double *measure, const sab_point_range *r,
                         const double *gamma, const double *lambda)
{
    tally part[SAB_CHUNKS], sum = {.burmeister = true};
    const double bulk = bulk_of(p, r->kind);

    SAB_PARALLEL_FOR(r->n)
    for (int c = 0; c < SAB_CHUNKS; c++)
        SAB_POINT_SIZES(p->s, tally_points, p, measure, bulk, r->first + sab_chunk(r->n, c),
                        r->first + sab_chunk(r->n, c + 1), gamma, lambda, &part[c]);
    for (int c = 0; c < SAB_CHUNKS; c++)
        add_tally(&sum, &part[c]);
    return sum;
}

/* All points, in one pass. */
static tallies tally_all(const sab_residual *res, const sab_program *p, const double *lambda)
{
    tallies t = {.all = {.burmeister = true}};

    for (int i = 0; i < p->nranges; i++) {
        const tally part = tally_range(p, res->measure, &p->range[i], res->gamma, lambda);

        add_tally(&t.all, &part);
        t.natural = fmax(t.natural, sqrt(part.natural2 / part.volume));
        t.stress = fmax(t.stress, sqrt(part.stress2 / part.volume));
        if (i == 0)
            t.volume = part.volume;
        if (p->range[i].kind != SAB_POINTS_STRAIN)
            t.wall += part.friction + part.normal;
    }
    return t;
}

/* The stress r gamma of a flow: sum m |r gamma|^2, and with what points count by sum m r, sum m/r;
 * sum m over a range. */
typedef struct scales {
    double square, stresses, rates, volume;
} scales;

static scales scales_of(const sab_residual *res, const sab_program *p, const sab_point_range *range)
{
    scales s = {0};

    for (int q = range->first; q < range->first + range->n; q++) {
        const double *g = res->gamma + q * p->s, r = p->r[q], e = res->measure[q];

        s.square += p->weight[q] * r * r * sab_point_dot(p->s, g, g);
        s.stresses += p->weight[q] * e * e * r;
        s.rates += p->weight[q] * e * e / r;
        s.volume += p->weight[q];
    }
    return s;
}

/* Are all points contacts of bodies? */
static bool is_contact(const sab_program *p)
{
    bool contact = p->nranges > 0;

    for (int i = 0; i < p->nranges; i++)
        contact = contact && p->range[i].kind == SAB_POINTS_CONTACT;
    return contact;
}

/* The norm of the normal row of each point. */
static void measure_rows(const sab_blocks *B, int s, double *norm)
{
    for (int e = 0; e < B->nblocks; e++)
        for (int q = B->point[e]; q < B->point[e + 1]; q++) {
            const int64_t columns = B->column_start[e + 1] - B->column_start[e];
            const double *row = B->value + B->value_start[e] + (q - B->point[e]) * s * columns;
            double square = 0.0;

            for (int64_t c = 0; c < columns; c++)
                square += row[c] * row[c];
            norm[q] = sqrt(square);
        }
}

/* Strain rates count as they are. Contacts of bodies (r = 1) count by velocities, B_N being c times
 * a unit vector: in sums of energy, which c makes of them, one heavy grain would hide what is wrong
 * with light ones. The unit is that of a contact of middle size. */
static void set_measure(sab_residual *res, const sab_program *p)
{
    double *e = res->measure, sum = 0.0;
    int n = 0;

    for (int q = 0; q < p->npoints; q++)
        e[q] = 1.0;
    if (!is_contact(p))
        return;
    measure_rows(p->B, p->s, e);
    for (int q = 0; q < p->npoints; q++)
        if (e[q] > 0.0) {
            sum += 1.0 / (e[q] * e[q]);
            n++;
        }
    for (int q = 0; q < p->npoints; q++) /* 0: a row of nothing */
        e[q] = e[q] > 0.0 ? 1.0 / (e[q] * sqrt(sum / n)) : 1.0;
}

sab_status sab_residual_refer(sab_residual *res, const sab_program *p, sab_factor *factor,
                              sab_error *err)
{
    sab_status status;

    set_measure(res, p);
    memset(res->work, 0, (size_t)p->npoints * (size_t)p->s * sizeof *res->work);
    status = sab_program_respond(p, factor, res->work, res->force, res->gamma, err);
    if (status != SAB_OK)
        return status;
    const tallies sum = tally_all(res, p, res->work);
    double rates = 0.0;

    res->compaction = sum.all.approach;
    res->power = sum.all.dissipation + sum.all.power;
    for (int i = 0; i < p->n; i++)
        res->power += res->force[i] * p->l[i]; /* A u = l: this is u.A u */
    res->strength = res->stress = 0.0;
    for (int i = 0; i < p->nranges; i++) {
        const scales own = scales_of(res, p, &p->range[i]);

        rates += own.rates;
        res->stress = fmax(res->stress, sqrt(own.square / own.volume));
        if (i == 0)
            res->strength = sqrt(res->power * own.stresses) / sum.volume;
    }
    res->rate = sqrt(res->power * rates);
    res->natural = fmax(sum.natural, ROUNDING * res->strength);
    res->stress = fmax(res->stress, LEAST_STRESS * res->strength);
    if (!isfinite(res->power + res->compaction + res->rate + res->natural + res->stress))
        return sab_fail(err, SAB_ERR_NUMERIC,
                        "the flow without resistance overflows: power %g, strain rates %g, "
                        "stresses %g; choose units in which they are near 1",
                        res->power, res->rate, res->stress);
    return SAB_OK;
}

double sab_residual_natural(const sab_program *p, const double *shift, const double *lambda,
                            const double *gamma, double *work, double *largest)
{
    const sab_cone_laws laws = sab_program_laws(p);
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

/* |A u - B^T M lambda - l|_inf / |l|_inf, of bodies, which contacts alone may move, / the larger of
 * |l|_inf and |A u|_inf, and *power = u.A u; `work` and `force` are workspace. */
static double momentum(const sab_program *p, const double *lambda, const double *u, double *work,
                       double *force, double *power)
{
    const bool contact = is_contact(p);
    double worst = 0.0, load = 0.0;

    sab_sparse_multiply(p->A, u, force);
    *power = 0.0;
    for (int i = 0; i < p->n; i++) {
        *power += u[i] * force[i];
        load = contact ? larger(fabs(force[i]), load) : load;
    }
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
 * l [docs/theory.md, 7.7]. */
static double inertial_power(const sab_program *p, const tally *sum, const double *u)
{
    double power = sum->internal;

    for (int i = 0; p->carried != NULL && i < p->n; i++)
        power += u[i] * (p->l[i] - p->carried[i]);
    return power;
}

/* What c(gamma) is compared with [docs/theory.md, 7.3 and 7.5]. */
static double compaction_scale(const sab_residual *res, const tally *sum, const sab_certificate *c)
{
    const double none = ROUNDING * res->rate;

    /* what strains is left over by the iterations; and of grains that hardly move is no scale */
    if (c->idle || (c->contact && res->compaction > none))
        return fmax(res->compaction, c->at_rest ? LEAST_COMPACTION * res->rate : none);
    return fmax(res->compaction > none ? fmin(sum->rate, res->compaction)
                                       : LEAST_COMPACTION * sum->rate,
                none);
}

/* All of (u, lambda), whose strain rate is res->gamma, but for momentum; power is u.A u. */
static sab_status measure(const sab_residual *res, const sab_program *p, const double *lambda,
                          const double *u, double power, sab_certificate *c, sab_error *err)
{
    const tallies both = tally_all(res, p, lambda);
    const tally sum = both.all;
    const double least = fmax(SAB_REST * res->power, NOTHING);

    c->at_rest = !(power + sum.dissipation > least);
    c->idle = !(sum.dissipation > least);
    c->contact = is_contact(p);
    const double scale = fmax(c->contact ? res->power : sum.dissipation, least);
    c->dissipation = sum.dissipation;
    c->gap_friction = sum.friction / scale;
    c->gap_normal = sum.normal / scale;
    c->gap = c->gap_friction + c->gap_normal;
    c->gap_wall = both.wall / scale;
    /* what scales like u^2 responds once, kinetic energy carried away like u^3 twice */
    c->response =
        fmax(sum.response + 2.0 * fabs(inertial_power(p, &sum, u)), LEAST_RESPONSE * scale);
    c->gap_rate = c->gap * (c->response < scale ? scale / c->response : 1.0);
    c->rated = p->rated;
    const double reference = compaction_scale(res, &sum, c);
    const bool ended = c->at_rest && res->power <= NOTHING;
    c->compaction = sum.compaction > NOISE * res->rate && !ended ? sum.compaction / reference : 0.0;
    c->natural = both.natural;
    c->natural_max = sqrt(sum.natural_max2);
    c->unresisted = res->natural;
    c->relative = c->natural > NOISE * res->strength && !ended ? c->natural / c->unresisted : 0.0;
    c->stress = fmax(both.stress, res->stress);
    c->fischer_burmeister = sum.burmeister ? sqrt(sum.burmeister2) : NAN;
    if (!isfinite(power + c->gap_rate + c->compaction + c->relative + c->stress + c->momentum))
        return sab_fail(err, SAB_ERR_NUMERIC,
                        "a certificate is not finite: dissipation %g, gap %g, compaction %g, "
                        "natural residual %g",
                        c->dissipation, c->gap, c->compaction, c->natural);
    return SAB_OK;
}

sab_status sab_residual_certify(sab_residual *res, const sab_program *p, sab_factor *factor,
                                double *lambda, double *u, sab_certificate *c, sab_error *err)
{
    const sab_cone_laws laws = sab_program_laws(p);
    sab_status status;
    double power;

    sab_cone_project_all(&laws, lambda);
    status = sab_program_respond(p, factor, lambda, u, res->gamma, err);
    if (status != SAB_OK)
        return status;
    c->momentum = momentum(p, lambda, u, res->work, res->force, &power);
    return measure(res, p, lambda, u, power, c, err);
}

sab_status sab_residual_distance(sab_residual *res, const sab_program *p, sab_factor *factor,
                                 const double *lambda, double *gamma, double *distance,
                                 sab_error *err)
{
    double against = 0.0, scale = 0.0, square = 0.0; /* -<g0, x>, its parts in size, <x, W x> */
    sab_status status;

    *distance = 0.0;
    for (int q = 0; q < p->npoints; q++) {
        const double *k = p->k + q * p->s;
        double *x = res->work + q * p->s;

        sab_cone_project(p->s, p->dilatancy[q], 0.0, lambda + q * p->s, x);
        const double power = sab_point_dot(p->s, k, x) + sab_program_slack(p, q) * x[0];
        against -= p->weight[q] * power;
        scale += p->weight[q] * fabs(power);
    }
    status = sab_program_apply_w(p, factor, res->work, res->force, gamma, err);
    if (status != SAB_OK)
        return status;
    for (int i = 0; i < p->n; i++) { /* A^-1 B^T M x . l = u0 . B^T M x */
        against -= res->force[i] * p->l[i];
        scale += fabs(res->force[i] * p->l[i]);
    }
    for (int q = 0; q < p->npoints; q++)
        square += p->weight[q] * sab_point_dot(p->s, res->work + q * p->s, gamma + q * p->s);
    if (against > ROUNDING * scale && res->power > NOTHING)
        *distance = against / sqrt(fmax(square * res->power, 1e-24 * against * against));
    return SAB_OK;
}

sab_status sab_residual_certify_followed(sab_residual *res, const sab_program *p, double *lambda,
                                         const double *u, double *viscosity, double *slope,
                                         sab_certificate *c, sab_error *err)
{
    const sab_cone_laws laws = sab_program_laws(p);
    sab_program law = *p;
    sab_status status;
    double power;

    law.viscosity = viscosity;
    law.slope = slope;
    sab_cone_project_all(&laws, lambda);
    sab_blocks_multiply(p->B, u, res->gamma);
    for (int i = 0; i < p->npoints * p->s; i++)
        res->gamma[i] += p->k[i];
    status = p->rate->evaluate(p->rate->data, res->gamma, lambda, viscosity, slope, err);
    if (status != SAB_OK)
        return status;
    /* A holds another viscosity: the difference is a stress */
    for (int q = 0; q < p->npoints; q++)
        for (int i = 0; i < p->s; i++)
            res->work[q * p->s + i] = lambda[q * p->s + i] - (viscosity[q] - p->viscosity[q]) *
                                                                 (i == 0 ? p->bulk : 1.0) *
                                                                 res->gamma[q * p->s + i];
    c->momentum = momentum(p, res->work, u, res->work, res->force, &power);
    return measure(res, &law, lambda, u, power, c, err);
}

const double *sab_residual_strain_rate(const sab_residual *residual)
{
    return residual->gamma;
}

const sab_miss_entry sab_miss_table[SAB_MISS_COUNT] = {
    [SAB_MISS_NONE] = {"none", "nothing"},
    [SAB_MISS_GAP] = {"gap", "power gap G"},
    [SAB_MISS_COMPACTION] = {"compaction", "compaction C"},
    [SAB_MISS_NATURAL] = {"natural", "natural residual, relative to the unresisted flow"},
    [SAB_MISS_MOMENTUM] = {"momentum", "momentum"},
    [SAB_MISS_CHANGE] = {"change", "change of the strain rate between iterations"},
    [SAB_MISS_RATE] = {"rate", "residual of mu(I) or material.viscosity"},
    [SAB_MISS_INFEASIBLE] = {"infeasible", "want of an admissible motion"},
    [SAB_MISS_GAP_RATE] = {"gap_rate", "power gap in parts of what responds to rate"},
    [SAB_MISS_ENERGY] = {"energy", "energy that came from nowhere"},
    [SAB_MISS_OVERLAP] = {"overlap", "overlap of grains"},
};

sab_limit sab_certificate_limit(const sab_certificate *c)
{
    const bool natural = c->idle || c->contact;
    const sab_limit parts[] = {
        {SAB_MISS_GAP, (c->idle && !c->contact) || c->rated ? 0.0 : c->gap},
        {SAB_MISS_GAP_RATE, natural || !c->rated ? 0.0 : c->gap_rate},
        {SAB_MISS_NATURAL, natural ? c->relative : 0.0},
        {SAB_MISS_COMPACTION, c->compaction},
    };
    sab_limit worst = parts[0];

    for (size_t i = 1; i < sizeof parts / sizeof parts[0] && !isnan(worst.value); i++)
        if (!(parts[i].value <= worst.value)) /* NaN is the worst */
            worst = parts[i];
    return worst;
}

double sab_certificate_violation(const sab_certificate *c)
{
    const double law = c->contact ? fmax(c->relative, c->gap) : c->idle ? c->relative : c->gap;

    return fmax(law, c->compaction);
}

double sab_certificate_merit(const sab_certificate *c)
{
    return sab_certificate_limit(c).value;
}

sab_limit sab_certificate_missed(const sab_certificate *c, double tolerance)
{
    const sab_limit worst = sab_certificate_limit(c);

    if (!(worst.value <= tolerance))
        return worst;
    return (sab_limit){c->momentum < SAB_MOMENTUM ? SAB_MISS_NONE : SAB_MISS_MOMENTUM, c->momentum};
}

bool sab_certificate_meets(const sab_certificate *c, double tolerance)
{
    return sab_certificate_missed(c, tolerance).by == SAB_MISS_NONE;
}
