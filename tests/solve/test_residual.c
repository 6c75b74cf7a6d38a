/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "linalg/threads.h"
#include "solve/residual.h"
#include "solve/synthetic.h"

static unsigned long long seed = 11;

static sab_factor *factor_of(const sab_program *p)
{
    sab_factor *factor = NULL;
    sab_error err;

    synthetic_require(sab_factor_create(NULL, p->A, &factor, &err), &err);
    synthetic_require(sab_factor_update(factor, p->A, &err), &err);
    return factor;
}

static double *vector(int n)
{
    return calloc((size_t)n, sizeof(double));
}

static double *random_stress(const sab_program *p)
{
    double *x = vector(p->npoints * p->s);
    for (int i = 0; i < p->npoints * p->s; i++)
        x[i] = 2.0 * sab_test_random(&seed) - (i % p->s == 0 ? 0.5 : 1.0);
    return x;
}

/* sum m a.b */
static double dot(const sab_program *p, const double *a, const double *b)
{
    double sum = 0.0;
    for (int q = 0; q < p->npoints; q++)
        sum += p->weight[q] * sab_cone_dot(p->s, a + q * p->s, b + q * p->s);
    return sum;
}

static int box(double x, double y, double *u)
{
    (void)u;
    return x < 1e-9 || x > 1.0 - 1e-9 || y < 1e-9 || y > 1.0 - 1e-9 ? 3 : 0;
}

static int bucket(double x, double y, double *u)
{
    (void)u;
    return x < 1e-9 || x > 1.0 - 1e-9 || y < 1e-9 ? 3 : 0;
}

static int lid(double x, double y, double *u)
{
    u[0] = y > 1.0 - 1e-9 ? x * (1.0 - x) : 0.0;
    return box(x, y, u);
}

static sab_program *rectangle(double mu, double sigma, double zeta,
                              int (*fixed)(double, double, double *))
{
    return synthetic_create(&(synthetic){.nx = 4,
                                         .ny = 4,
                                         .width = 1.0,
                                         .height = 1.0,
                                         .viscosity = 2.0,
                                         .mu = mu,
                                         .sigma = sigma,
                                         .zeta = zeta,
                                         .gravity = {0.2, -1.0},
                                         .fixed = fixed});
}

/* <W a, b>_M = <a, W b>_M; for creeping flow with b = 1, W R W = W. */
static void test_w(void)
{
    for (int k = 0; k < 3; k++) {
        sab_program *p = k == 2 ? rectangle(0.3, 0.0, 0.0, bucket)
                                : synthetic_random(3 + k, 30, 60, 0.3, 0.0, 0.0, &seed);
        sab_factor *factor = factor_of(p);
        const int rows = p->npoints * p->s;
        double *a = random_stress(p), *b = random_stress(p), *wa = vector(rows), *wb = vector(rows);
        double *u = vector(p->n), scale, worst = 0.0;
        sab_error err;
        CU_ASSERT_EQUAL(sab_program_check(p, &err), SAB_OK);
        CU_ASSERT_EQUAL(sab_program_apply_w(p, factor, a, u, wa, &err), SAB_OK);
        CU_ASSERT_EQUAL(sab_program_apply_w(p, factor, b, u, wb, &err), SAB_OK);
        SAB_ASSERT_CLOSE(dot(p, wa, b), dot(p, a, wb), 1e-11);
        for (int i = 0; i < rows; i++)
            b[i] = p->r[i / p->s] * wa[i];
        CU_ASSERT_EQUAL(sab_program_apply_w(p, factor, b, u, wb, &err), SAB_OK);
        scale = sqrt(dot(p, wa, wa));
        for (int i = 0; i < rows; i++)
            worst = fmax(worst, fabs(wa[i] - wb[i]));
        CU_ASSERT(worst <= 1e-9 * scale);
        free(a), free(b), free(wa), free(wb), free(u);
        sab_factor_destroy(&factor);
        sab_program_destroy(&p);
    }
}

/* Convex programs: primal minus dual objective is the sum of the gaps, for every admissible lambda,
 *     P(u) - D(lambda) = sum m (sigma |gT| + lambda.gamma)
 *                      = sum m [(sigma + mu lN)|gT| + lT.gT + lN (gN - mu |gT|)],
 * P = u.A u/2 - l.u + sum m sigma |gT|, D = -u.A u/2 - sum m lambda.k, and the certificate, which
 * takes |gN - mu|gT||, bounds it. */
static void test_duality(void)
{
    static const double laws[3][2] = {{0.0, 0.3}, {0.4, 0.0}, {0.3, 0.2}};

    for (int k = 0; k < 3; k++) {
        sab_program *p = rectangle(laws[k][0], laws[k][1], laws[k][0], lid);
        sab_factor *factor = factor_of(p);
        sab_residual *res = NULL;
        sab_certificate c;
        sab_error err;
        double *lambda = random_stress(p), *u = vector(p->n), *au = vector(p->n);
        CU_ASSERT_EQUAL(sab_residual_create(p, &res, &err), SAB_OK);
        CU_ASSERT_EQUAL(sab_residual_refer(res, p, factor, &err), SAB_OK);
        CU_ASSERT_EQUAL(sab_residual_certify(res, p, factor, lambda, u, &c, &err), SAB_OK);
        const double *gamma = sab_residual_strain_rate(res);
        double energy = 0.0, load = 0.0, plastic = 0.0, gaps = 0.0;
        sab_sparse_multiply(p->A, u, au);
        for (int i = 0; i < p->n; i++) {
            energy += 0.5 * u[i] * au[i];
            load += p->l[i] * u[i];
        }
        for (int q = 0; q < p->npoints; q++) {
            const double *g = gamma + 3 * q, *l = lambda + 3 * q, gt = sab_cone_norm_t(3, g);
            plastic += p->weight[q] * p->yield[q] * gt;
            gaps +=
                p->weight[q] * ((p->yield[q] + p->friction[q] * l[0]) * gt + sab_cone_dot(3, l, g) -
                                l[0] * g[0] + l[0] * (g[0] - p->friction[q] * gt));
        }
        SAB_ASSERT_CLOSE(energy - load + plastic + energy + dot(p, lambda, p->k), gaps, 1e-11);
        CU_ASSERT(c.gap * c.dissipation >= fabs(gaps) * (1.0 - 1e-12));
        CU_ASSERT(c.momentum < 1e-11);
        free(lambda), free(u), free(au);
        sab_residual_destroy(&res);
        sab_factor_destroy(&factor);
        sab_program_destroy(&p);
    }
}

static sab_certificate certificate(sab_program *p, double *lambda)
{
    sab_factor *factor = factor_of(p);
    sab_residual *res = NULL;
    sab_certificate c;
    sab_error err;
    double *u = vector(p->n);

    synthetic_require(sab_residual_create(p, &res, &err), &err);
    synthetic_require(sab_residual_refer(res, p, factor, &err), &err);
    synthetic_require(sab_residual_certify(res, p, factor, lambda, u, &c, &err), &err);
    free(u);
    sab_residual_destroy(&res);
    sab_factor_destroy(&factor);
    return c;
}

/* No stress at all: G = 0 where sigma = 0, but the body compacts, and the certificate fails. Where
 * Fischer-Burmeister does not apply it is NaN. */
static void test_no_stress(void)
{
    sab_program *p = rectangle(0.5, 0.0, 0.1, bucket);
    double *lambda = vector(3 * p->npoints);
    sab_certificate c = certificate(p, lambda);

    CU_ASSERT_EQUAL(c.gap, 0.0);
    CU_ASSERT(c.compaction > 0.1 && !c.at_rest && !sab_certificate_meets(&c, 0.1));
    CU_ASSERT(c.fischer_burmeister > 0.0 && c.natural > 0.0 && c.natural <= c.natural_max);
    CU_ASSERT(c.stress > 0.0);
    p->yield[5] = 0.1;
    c = certificate(p, lambda);
    CU_ASSERT(isnan(c.fischer_burmeister));
    CU_ASSERT(c.gap_friction > 0.0); /* (sigma + mu lN)|gT| + lT.gT with lambda = 0 */
    p->yield[5] = 0.0;
    p->friction[7] = p->dilatancy[7] = 0.0;
    c = certificate(p, lambda);
    CU_ASSERT(isnan(c.fischer_burmeister));
    free(lambda);
    sab_program_destroy(&p);
}

/* A body between two walls, which push on it by L and by what bears it: it still moves by 1e-4 of
 * its free fall. That is an answer, unless L explodes: L times 1e-4 is then energy, and no stress
 * of its size a scale. C is in parts of the free fall, however slow the body is. */
static void test_squeezed(void)
{
    const double small = 1e-4, rows[2][4] = {{0, 1, 1, 0}, {0, -1, -1, 0}};

    for (int k = 0; k < 2; k++) {
        const double load = k == 0 ? 1.0 : 1e6;
        double lambda[4] = {load + 1.0 + small, 0.0, load, 0.0};
        sab_program *p = NULL;

        CU_ASSERT_FATAL(sab_program_create(2, 2, 2, &p, NULL) == SAB_OK);
        CU_ASSERT_FATAL(sab_program_set_ranges(
                            p, 1, &(sab_point_range){SAB_POINTS_CONTACT, 0, 2, 2}, NULL) == SAB_OK);
        CU_ASSERT_FATAL(sab_sparse_create(2, 2, true, &p->A, NULL) == SAB_OK);
        CU_ASSERT_FATAL(sab_blocks_create(2, 2, 2, 2, 4, 8, &p->B, NULL) == SAB_OK);
        p->inertial = true;
        p->l[1] = -1.0;
        for (int q = 0; q < 2; q++) {
            p->A->start[q + 1] = q + 1;
            p->A->row[q] = q;
            p->A->value[q] = p->weight[q] = p->r[q] = 1.0;
            p->friction[q] = 0.3;
            p->B->point[q + 1] = q + 1;
            for (int c = 0; c < 2; c++)
                p->B->column[2 * q + c] = c;
            p->B->column_start[q + 1] = 2 * (q + 1);
            p->B->value_start[q + 1] = 4 * (q + 1);
            memcpy(p->B->value + 4 * q, rows[q], sizeof rows[q]);
        }
        CU_ASSERT_EQUAL(sab_program_check(p, NULL), SAB_OK);
        const sab_certificate c = certificate(p, lambda);
        CU_ASSERT_DOUBLE_EQUAL(c.relative, small * sqrt(2.0), 1e-9);
        CU_ASSERT_DOUBLE_EQUAL(c.compaction, small, 1e-9);
        CU_ASSERT_EQUAL(sab_certificate_missed(&c, 1e-3).by, k == 0 ? SAB_MISS_NONE : SAB_MISS_GAP);
        sab_program_destroy(&p);
    }
}

/* Closed box: -R gamma(0) plus a large constant pressure balances gravity at rest. */
static void test_rest(void)
{
    sab_program *p = rectangle(0.5, 0.0, 0.0, box);
    sab_factor *factor = factor_of(p);
    double *lambda = vector(3 * p->npoints), *gamma = vector(3 * p->npoints), *u = vector(p->n);
    sab_error err;

    CU_ASSERT_EQUAL(sab_program_respond(p, factor, lambda, u, gamma, &err), SAB_OK);
    for (int i = 0; i < 3 * p->npoints; i++)
        lambda[i] = -p->r[i / 3] * gamma[i] + (i % 3 == 0 ? 10.0 : 0.0);
    const sab_certificate c = certificate(p, lambda);
    CU_ASSERT(c.at_rest && sab_certificate_meets(&c, 1e-10));
    CU_ASSERT(c.natural < 1e-12 && c.fischer_burmeister < 1e-12);
    free(lambda), free(gamma), free(u);
    sab_factor_destroy(&factor);
    sab_program_destroy(&p);
}

static void test_check(void)
{
    sab_program *p = rectangle(0.5, 0.0, 0.0, box);
    sab_error err = {0};
    double *const fields[] = {p->friction, p->yield, p->dilatancy, p->weight, p->r, p->viscosity};

    CU_ASSERT_EQUAL(sab_program_check(p, &err), SAB_OK);
    CU_ASSERT_FALSE(sab_program_is_convex(p));
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        const double kept = fields[i][3];
        fields[i][3] = -1.0;
        CU_ASSERT_EQUAL(sab_program_check(p, &err), SAB_ERR_INPUT);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "point 3"));
        fields[i][3] = NAN;
        CU_ASSERT_EQUAL(sab_program_check(p, &err), SAB_ERR_INPUT);
        fields[i][3] = kept;
    }
    p->dilatancy[2] = 0.6; /* > mu */
    CU_ASSERT_EQUAL(sab_program_check(p, &err), SAB_ERR_INPUT);
    p->dilatancy[2] = 0.0;
    p->l[1] = INFINITY;
    CU_ASSERT_EQUAL(sab_program_check(p, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "entry 1 of l"));
    p->l[1] = 1e90;
    CU_ASSERT_EQUAL(sab_program_check(p, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "the largest entry of l is 1e+90"));
    p->l[1] = 0.0;
    p->n++;
    CU_ASSERT_EQUAL(sab_program_check(p, &err), SAB_ERR_INPUT);
    p->n--;
    for (int q = 0; q < p->npoints; q++)
        p->dilatancy[q] = p->friction[q];
    CU_ASSERT(sab_program_is_convex(p));
    CU_ASSERT_EQUAL(sab_program_check(p, &err), SAB_OK);
    sab_program_destroy(&p);
    CU_ASSERT_PTR_NULL(p);
}

/* Its natural residual and Fischer-Burmeister function, point by point. */
static void test_points(void)
{
    for (int s = 3; s <= 4; s++) {
        sab_program *p = synthetic_random(s, 30, 60, 0.4, 0.1, 0.0, &seed);
        sab_factor *factor = factor_of(p);
        double *lambda = random_stress(p), *u = vector(p->n), d[4];
        double sum = 0.0, max = 0.0, stress = 0.0, volume = 0.0, worst = 0.0;
        sab_residual *res = NULL;
        sab_certificate c;
        sab_error err;

        synthetic_require(sab_residual_create(p, &res, &err), &err);
        synthetic_require(sab_residual_refer(res, p, factor, &err), &err);
        synthetic_require(sab_residual_certify(res, p, factor, lambda, u, &c, &err), &err);
        for (int q = 0; q < p->npoints; q++) {
            const double *g = sab_residual_strain_rate(res) + q * s, *l = lambda + q * s;

            sab_cone_natural(s, 0.4, 0.0, 0.1, p->r[q], g, l, d);
            sum += p->weight[q] * sab_cone_dot(s, d, d);
            max = fmax(max, sab_cone_dot(s, d, d));
            sab_cone_fischer_burmeister(s, 0.4, 0.1, p->r[q], g, l, d);
            worst = fmax(worst, sab_cone_dot(s, d, d));
            stress += p->weight[q] * sab_cone_dot(s, l, l);
            volume += p->weight[q];
        }
        SAB_ASSERT_CLOSE(c.natural / sqrt(sum / volume), 1.0, 1e-12);
        SAB_ASSERT_CLOSE(c.natural_max / sqrt(max), 1.0, 1e-12);
        SAB_ASSERT_CLOSE(c.fischer_burmeister / sqrt(worst), 1.0, 1e-12);
        CU_ASSERT(c.stress >= sqrt(stress / volume) * (1.0 - 1e-12));
        free(lambda), free(u);
        sab_residual_destroy(&res);
        sab_factor_destroy(&factor);
        sab_program_destroy(&p);
    }
}

/* The certificate and its velocity are the same bits with 1, 2 and 3 threads. */
static void test_threads(void)
{
    sab_program *p = synthetic_create(&(synthetic){.nx = 28,
                                                   .ny = 28,
                                                   .width = 1.0,
                                                   .height = 1.0,
                                                   .viscosity = 2.0,
                                                   .mu = 0.4,
                                                   .gravity = {0.2, -1.0},
                                                   .fixed = bucket});
    const size_t rows = (size_t)p->npoints * (size_t)p->s;
    double *start = random_stress(p), *lambda = vector((int)rows), *u = vector(p->n);
    double *first = vector((int)rows), *u1 = vector(p->n), *gamma1 = vector((int)rows);
    sab_factor *factor = factor_of(p);
    sab_residual *res = NULL;
    sab_certificate one = {0};
    sab_error err;

    CU_ASSERT(p->npoints > 4000); /* enough for threads */
    synthetic_require(sab_residual_create(p, &res, &err), &err);
    for (int threads = 1; threads <= 3; threads++) {
        sab_certificate c;

        memset(&c, 0, sizeof c); /* also what is between the members */
        sab_threads_set(threads);
        synthetic_require(sab_blocks_share(p->B, threads, &err), &err);
        memcpy(lambda, start, rows * sizeof *lambda);
        synthetic_require(sab_residual_refer(res, p, factor, &err), &err);
        synthetic_require(sab_residual_certify(res, p, factor, lambda, u, &c, &err), &err);
        if (threads == 1) {
            memcpy(&one, &c, sizeof c);
            memcpy(first, lambda, rows * sizeof *lambda);
            memcpy(u1, u, (size_t)p->n * sizeof *u);
            memcpy(gamma1, sab_residual_strain_rate(res), rows * sizeof *gamma1);
        }
        CU_ASSERT(c.gap > 0.0 && c.natural > 0.0 && c.fischer_burmeister > 0.0);
        CU_ASSERT_EQUAL(memcmp(&one, &c, sizeof c), 0);
        CU_ASSERT_EQUAL(memcmp(first, lambda, rows * sizeof *lambda), 0);
        CU_ASSERT_EQUAL(memcmp(u1, u, (size_t)p->n * sizeof *u), 0);
        CU_ASSERT_EQUAL(memcmp(gamma1, sab_residual_strain_rate(res), rows * sizeof *gamma1), 0);
    }
    sab_threads_set(1);
    free(start), free(lambda), free(u), free(first), free(u1), free(gamma1);
    sab_residual_destroy(&res);
    sab_factor_destroy(&factor);
    sab_program_destroy(&p);
}

int main(void)
{
    static const sab_test tests[] = {{"W is symmetric, R W a projector", test_w},
                                     {"primal minus dual is the gap", test_duality},
                                     {"no stress is no solution", test_no_stress},
                                     {"squeezed between two walls", test_squeezed},
                                     {"rest in a closed box", test_rest},
                                     {"bad programs are refused", test_check},
                                     {"residuals point by point", test_points},
                                     {"threads change no bit", test_threads}};

    return SAB_TEST_MAIN("solve/residual", tests);
}
