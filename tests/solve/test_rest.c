/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rest, motion without dissipation, and programs without a solution: bodies that touch planes, with
 * inertia alone [docs/theory.md, 7.3, 7.5 and 7.6]. */
#include "unit.h"

#include "solve/elastic.h"
#include "solve/solve.h"
#include "solve/synthetic.h"

enum { MOST = 8 };

/* One body of mass 1 with velocity (x, y, z), and planes with unit normals (cos a, sin a, 0) that
 * it touches: gamma = (normal, along, z). `approach` is the velocity of the plane towards it. */
typedef struct scene {
    int contacts;
    double angle[MOST], approach[MOST];
    double mu, zeta;
    double load[3];
} scene;

static sab_program *create(const scene *c)
{
    sab_program *p = NULL;
    sab_error err;

    synthetic_require(sab_program_create(3, c->contacts, 3, &p, &err), &err);
    synthetic_require(sab_blocks_create(3, c->contacts, 3, c->contacts, 3 * c->contacts,
                                        9 * c->contacts, &p->B, &err),
                      &err);
    for (int q = 0; q < c->contacts; q++) {
        const double x = cos(c->angle[q]), y = sin(c->angle[q]);
        const double rows[9] = {x, y, 0.0, -y, x, 0.0, 0.0, 0.0, 1.0};

        p->B->point[q + 1] = q + 1;
        p->B->column_start[q + 1] = 3 * (q + 1);
        p->B->value_start[q + 1] = 9 * (q + 1);
        for (int i = 0; i < 3; i++)
            p->B->column[3 * q + i] = i;
        memcpy(p->B->value + 9 * q, rows, sizeof rows);
        p->k[3 * q] = -c->approach[q];
        p->weight[q] = p->r[q] = 1.0;
        p->friction[q] = c->mu;
        p->dilatancy[q] = c->zeta;
    }
    memcpy(p->l, c->load, sizeof c->load);
    p->bulk = 1.0;
    p->inertial = true;
    synthetic_assemble(p, (const double[]){1.0, 1.0, 1.0});
    synthetic_require(sab_program_check(p, &err), &err);
    return p;
}

typedef struct result {
    double u[3], lambda[3 * MOST];
    sab_report report;
} result;

static result solve(const sab_program *p, sab_method method, double tolerance)
{
    sab_solver_options o = sab_solver_options_default();
    sab_solver *solver = NULL;
    sab_error err;
    result r = {0};

    o.method = method;
    o.tolerance = tolerance;
    synthetic_require(sab_solver_create(&o, p, &solver, &err), &err);
    synthetic_require(sab_solver_run(solver, p, true, r.lambda, r.u, NULL, &r.report, &err), &err);
    sab_solver_destroy(&solver);
    return r;
}

/* The certificate of lambda, and what it proves. */
static sab_certificate certify(const sab_program *p, double *lambda, double *distance)
{
    double *u = calloc((size_t)p->n, sizeof *u);
    double *gamma = calloc((size_t)(p->npoints * p->s), sizeof *gamma);
    sab_factor *factor = NULL;
    sab_residual *res = NULL;
    sab_certificate c;
    sab_error err;

    synthetic_require(sab_factor_create(NULL, p->A, &factor, &err), &err);
    synthetic_require(sab_factor_update(factor, p->A, &err), &err);
    synthetic_require(sab_residual_create(p, &res, &err), &err);
    synthetic_require(sab_residual_refer(res, p, factor, &err), &err);
    synthetic_require(sab_residual_certify(res, p, factor, lambda, u, &c, &err), &err);
    if (distance != NULL)
        synthetic_require(sab_residual_distance(res, p, factor, lambda, gamma, distance, &err),
                          &err);
    sab_residual_destroy(&res);
    sab_factor_destroy(&factor);
    free(u), free(gamma);
    return c;
}

static const double UP = 1.5707963267948966;

/* A body falls on a floor, beside planes that are far away (they may approach fast: k is the gap
 * by the time step). Without stress nothing rests, and nothing is solved, however far they are. */
static void test_no_stress(void)
{
    for (double gap = 0.0; gap < 1e8; gap = 10.0 * gap + 1.0) {
        const scene c = {3, {UP, 0.0, 2 * UP}, {0.0, -gap, -gap}, 0.5, 0.0, {0.1, -1.0, 0.0}};
        sab_program *p = create(&c);
        double lambda[9] = {0};
        const sab_certificate none = certify(p, lambda, NULL);

        CU_ASSERT(none.idle && !none.at_rest); /* no viscosity: no dissipation either */
        CU_ASSERT(sab_certificate_merit(&none) >= 0.99 && !sab_certificate_meets(&none, 0.9));
        CU_ASSERT_DOUBLE_EQUAL(none.compaction, 1.0, 1e-12);
        for (int m = SAB_METHOD_AUTO; m <= SAB_METHOD_GS; m++) { /* friction holds it */
            const result r = solve(p, (sab_method)m, 1e-3);
            CU_ASSERT_EQUAL(r.report.reason, SAB_CONVERGED);
            CU_ASSERT(fabs(r.u[0]) + fabs(r.u[1]) < 1e-2);
        }
        sab_program_destroy(&p);
    }
}

/* A time step of dt -> 0: the unresisted flow is that of the step before plus dt times gravity, and
 * compacts by as little. Without stress it must not pass. */
static int floor_of(double x, double y, double *u)
{
    (void)x, (void)u;
    return y < 1e-9 ? 3 : 0;
}

static void test_short_step(void)
{
    for (double mass = 1.0; mass < 1e8; mass *= 100.0) {
        const synthetic spec = {4, 4, 1.0, 1.0, 1e-3, mass, 0.4, 0.0, 0.0, {0.0, -1.0}, floor_of};
        sab_program *p = synthetic_create(&spec);
        double *lambda = calloc((size_t)(3 * p->npoints), sizeof *lambda);
        double *before = calloc((size_t)p->n, sizeof *before);
        double *load = calloc((size_t)p->n, sizeof *load);

        for (int i = 0; i < p->n; i += 2) /* shear (y, 0); nine nodes in a row, the lowest held */
            before[i] = (i / 2 / 9 + 1) / 8.0;
        sab_sparse_multiply(p->A, before, load);
        for (int i = 0; i < p->n; i++)
            p->l[i] += load[i];
        const sab_certificate none = certify(p, lambda, NULL);
        CU_ASSERT(!none.at_rest && !sab_certificate_meets(&none, 0.1));
        free(lambda), free(before), free(load);
        sab_program_destroy(&p);
    }
}

/* Held by friction on a slope, sliding on a steeper one, falling, and with nothing to do. */
static void test_true_rest(void)
{
    const scene held = {1, {UP}, {0.0}, 0.5, 0.0, {0.3, -1.0, 0.0}};
    const scene slides = {1, {UP}, {0.0}, 0.5, 0.0, {0.8, -1.0, 0.0}};
    const scene falls = {1, {UP}, {0.0}, 0.5, 0.0, {0.2, 1.0, 0.0}};
    const scene nothing = {1, {UP}, {0.0}, 0.5, 0.0, {0.0, 0.0, 0.0}};
    const scene pushed = {1, {UP}, {0.1}, 0.5, 0.0, {0.0, 0.0, 0.0}}; /* l = 0: by the plane */
    sab_program *p[] = {create(&held), create(&slides), create(&falls), create(&nothing),
                        create(&pushed)};

    for (int m = SAB_METHOD_AUTO; m <= SAB_METHOD_GS; m++) {
        const result rests = solve(p[0], (sab_method)m, 1e-4),
                     runs = solve(p[1], (sab_method)m, 1e-4);
        const result flies = solve(p[2], (sab_method)m, 1e-4),
                     idle = solve(p[3], (sab_method)m, 1e-4);

        CU_ASSERT(rests.report.reason == SAB_CONVERGED && rests.report.certificate.idle);
        CU_ASSERT(hypot(rests.u[0], rests.u[1]) < 1e-3);
        CU_ASSERT(runs.report.reason == SAB_CONVERGED && !runs.report.certificate.idle);
        CU_ASSERT_DOUBLE_EQUAL(runs.u[0], 0.3, 1e-2); /* 0.8 - mu lambda_N */
        CU_ASSERT(flies.report.reason == SAB_CONVERGED && flies.report.work.inner == 0);
        CU_ASSERT(flies.u[1] == 1.0 && !flies.report.certificate.at_rest);
        CU_ASSERT(idle.report.reason == SAB_CONVERGED && idle.report.work.inner == 0);
        CU_ASSERT(idle.report.certificate.at_rest);
        const result follows = solve(p[4], (sab_method)m, 1e-4);
        CU_ASSERT(follows.report.reason == SAB_CONVERGED && !follows.report.certificate.at_rest);
        CU_ASSERT_DOUBLE_EQUAL(follows.u[1], 0.1, 1e-3);
    }
    for (int i = 0; i < 5; i++)
        sab_program_destroy(&p[i]);
}

/* Units: loads and velocities times f change no merit. */
static void test_units(void)
{
    scene c = {3, {UP, 0.3, 2.0}, {0.0, 0.1, -0.2}, 0.5, 0.1, {0.1, -1.0, 0.2}};
    sab_program *p = create(&c);
    double one[9] = {0.2, 0.1, 0.1, 0.1, 0.1, 0.0, 0.2, 0.0, 0.0}, none[9] = {0};
    const sab_certificate a = certify(p, one, NULL), zero = certify(p, none, NULL);

    for (double f = 1e-30; f < 1e31; f *= 1e10) {
        double lambda[9], rest[9] = {0};

        for (int i = 0; i < 3; i++) {
            p->l[i] = f * c.load[i];
            p->k[3 * i] = -f * c.approach[i];
        }
        for (int i = 0; i < 9; i++)
            lambda[i] = f * one[i];
        const sab_certificate b = certify(p, lambda, NULL), none_of_b = certify(p, rest, NULL);
        SAB_ASSERT_CLOSE(b.gap / a.gap, 1.0, 1e-9);
        SAB_ASSERT_CLOSE(b.compaction / a.compaction, 1.0, 1e-9);
        SAB_ASSERT_CLOSE(b.relative / a.relative, 1.0, 1e-9);
        SAB_ASSERT_CLOSE(sab_certificate_merit(&none_of_b), sab_certificate_merit(&zero), 1e-9);
        CU_ASSERT(b.idle == a.idle && b.at_rest == a.at_rest);
    }
    sab_program_destroy(&p);
}

/* Two planes that close on the body from both sides: no motion opens both. The stress that grows
 * with the iterations makes nothing small, and proves it. */
static void test_infeasible(void)
{
    static const double dilatancies[] = {0.0, 0.2, 0.5};

    for (int k = 0; k < 3; k++) {
        const scene c = {2, {UP, -UP}, {0.1, 0.1}, 0.5, dilatancies[k], {0.0, -1.0, 0.0}};
        sab_program *p = create(&c);
        double huge[6] = {1e8, 0.0, 0.0, 1e8, 0.0, 0.0}, distance;
        const sab_certificate exploded = certify(p, huge, &distance);

        CU_ASSERT(!sab_certificate_meets(&exploded, 0.1) && distance > 1e6);
        for (int m = SAB_METHOD_AUTO; m <= SAB_METHOD_GS; m++)
            for (double tolerance = 3e-2; tolerance > 1e-4; tolerance /= 30.0) {
                const result r = solve(p, (sab_method)m, tolerance);
                CU_ASSERT_EQUAL(r.report.reason, SAB_INFEASIBLE);
                CU_ASSERT(r.report.distance >= SAB_TOO_FAR);
                CU_ASSERT_EQUAL(sab_report_missed(&r.report, tolerance).by, SAB_MISS_INFEASIBLE);
            }
        sab_program_destroy(&p);
    }
}

/* A wedge pinches the body: planes nearly opposed, so that it must escape at cot(e) times their
 * speed. That is a solution, not infeasible; no lambda claims that it is farther than it is. */
static void test_wedge(void)
{
    for (double e = 0.3; e > 3e-2; e /= 3.0) {
        const scene c = {2, {UP - e, -UP + e}, {0.1, 0.1}, 0.0, 0.0, {0.0, -1.0, 0.0}};
        sab_program *p = create(&c);
        const double speed = 0.1 / sin(e);
        unsigned long long seed = 5;
        double distance;

        for (int m = SAB_METHOD_AUTO; m <= SAB_METHOD_GS; m++) {
            const result r = solve(p, (sab_method)m, 1e-4);
            CU_ASSERT_EQUAL(r.report.reason, SAB_CONVERGED);
            CU_ASSERT_DOUBLE_EQUAL(r.u[0] / speed, 1.0, 1e-2);
        }
        for (int k = 0; k < 100; k++) {
            double lambda[6] = {pow(10.0, 6.0 * sab_test_random(&seed)), 0, 0, 0, 0, 0};

            lambda[3] = k % 2 == 0 ? lambda[0] : pow(10.0, 6.0 * sab_test_random(&seed));
            certify(p, lambda, &distance);
            /* |u* - u0| in units of the root of the power, which is 1 at least */
            CU_ASSERT(distance <= hypot(speed, 1.0));
        }
        sab_program_destroy(&p);
    }
}

/* The elastic program has no answer for us unless B and A are extended as they should be: with the
 * unknowns (u, e) its strain rate is B u + k + e n. */
static void test_elastic(void)
{
    unsigned long long seed = 3;
    sab_program *p = synthetic_random(4, 6, 20, 0.5, 0.2, 0.1, &seed), *x = NULL;
    const int rows = p->npoints * p->s;
    double *u = calloc((size_t)(p->n + p->npoints), sizeof *u);
    double *a = calloc((size_t)rows, sizeof *a), *b = calloc((size_t)rows, sizeof *b);
    double *f = calloc((size_t)(p->n + p->npoints), sizeof *f),
           *g = calloc((size_t)p->n, sizeof *g);
    sab_error err;

    synthetic_require(sab_elastic_create(p, 7.0, &x, &err), &err);
    for (int i = 0; i < x->n; i++)
        u[i] = sab_test_random(&seed) - 0.5;
    sab_blocks_multiply(p->B, u, a);
    sab_blocks_multiply(x->B, u, b);
    for (int i = 0; i < rows; i++)
        CU_ASSERT_DOUBLE_EQUAL(b[i], a[i] + (i % 4 == 0 ? u[p->n + i / 4] : 0.0), 1e-14);
    sab_sparse_multiply(x->A, u, f);
    sab_sparse_multiply(p->A, u, g);
    for (int i = 0; i < p->n; i++)
        CU_ASSERT_DOUBLE_EQUAL(f[i], g[i], 1e-14);
    for (int q = 0; q < p->npoints; q++)
        CU_ASSERT_DOUBLE_EQUAL(f[p->n + q], 7.0 * p->weight[q] * p->r[q] * u[p->n + q], 1e-13);
    CU_ASSERT(sab_program_is_convex(x));
    free(u), free(a), free(b), free(f), free(g);
    sab_program_destroy(&x);
    sab_program_destroy(&p);
}

/* The number that decides has a name. */
static void test_names(void)
{
    const sab_certificate good = {.gap = 0.01, .compaction = 0.002, .relative = 5.0};
    sab_certificate c = good;

    CU_ASSERT(sab_certificate_meets(&c, 0.01) && sab_certificate_limit(&c).by == SAB_MISS_GAP);
    CU_ASSERT_EQUAL(sab_certificate_missed(&c, 0.01).by, SAB_MISS_NONE);
    CU_ASSERT_EQUAL(sab_certificate_missed(&c, 0.005).by, SAB_MISS_GAP);
    c.compaction = 0.5;
    CU_ASSERT(sab_certificate_missed(&c, 0.1).by == SAB_MISS_COMPACTION &&
              sab_certificate_merit(&c) == 0.5);
    c.idle = true;
    CU_ASSERT(sab_certificate_missed(&c, 0.1).by == SAB_MISS_NATURAL &&
              sab_certificate_merit(&c) == 5.0);
    c = good;
    c.momentum = 0.1;
    CU_ASSERT(sab_certificate_missed(&c, 0.1).by == SAB_MISS_MOMENTUM);
    for (int k = 0; k < 4; k++) { /* NaN never passes */
        c = good;
        *(k == 0 ? &c.gap : k == 1 ? &c.compaction : k == 2 ? &c.momentum : &c.relative) = NAN;
        c.idle = k == 3;
        CU_ASSERT(!sab_certificate_meets(&c, 0.9));
    }
    for (int k = 0; k < 3; k++) { /* of contacts all three decide, at rest too */
        c = (sab_certificate){.contact = true, .idle = true};
        *(k == 0 ? &c.gap : k == 1 ? &c.compaction : &c.relative) = 0.5;
        CU_ASSERT(sab_certificate_merit(&c) == 0.5 && sab_certificate_violation(&c) == 0.5);
    }
    sab_report r = {.reason = SAB_MAX_ITERATIONS, .certificate = good, .change = 0.3};
    CU_ASSERT(sab_report_missed(&r, 0.1).by == SAB_MISS_CHANGE &&
              sab_report_missed(&r, 0.1).value == 0.3);
    for (int by = 0; by < SAB_MISS_COUNT; by++)
        CU_ASSERT(sab_miss_table[by].key != NULL && sab_miss_table[by].text != NULL);
}

/* Sums that overflow are an error, of the data and of an iterate. */
static void test_overflow(void)
{
    const scene c = {1, {UP}, {0.0}, 0.5, 0.0, {0.3, -1.0, 0.0}};
    sab_program *p = create(&c);
    double lambda[3] = {1e200, 0.0, 0.0}, u[3];
    sab_factor *factor = NULL;
    sab_residual *res = NULL;
    sab_certificate certificate;
    sab_error err;

    synthetic_require(sab_factor_create(NULL, p->A, &factor, &err), &err);
    synthetic_require(sab_factor_update(factor, p->A, &err), &err);
    synthetic_require(sab_residual_create(p, &res, &err), &err);
    CU_ASSERT_EQUAL(sab_residual_refer(res, p, factor, &err), SAB_OK);
    CU_ASSERT_EQUAL(sab_residual_certify(res, p, factor, lambda, u, &certificate, &err),
                    SAB_ERR_NUMERIC);
    p->l[1] = -1e200;
    CU_ASSERT_EQUAL(sab_residual_refer(res, p, factor, &err), SAB_ERR_NUMERIC);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "overflows"));
    sab_residual_destroy(&res);
    sab_factor_destroy(&factor);
    sab_program_destroy(&p);
}

int main(void)
{
    static const sab_test tests[] = {{"without stress nothing rests", test_no_stress},
                                     {"nor in a short step", test_short_step},
                                     {"held, sliding, falling, nothing", test_true_rest},
                                     {"units", test_units},
                                     {"infeasible", test_infeasible},
                                     {"a wedge is feasible", test_wedge},
                                     {"the elastic program", test_elastic},
                                     {"what missed has a name", test_names},
                                     {"overflow", test_overflow}};

    return SAB_TEST_MAIN("solve/rest", tests);
}
