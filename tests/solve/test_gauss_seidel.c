/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sweeps over contacts, against methods that know nothing of them. */
#include "unit.h"

#include "failing.h"
#include "linalg/threads.h"
#include "solve/gauss_seidel_state.h"
#include "solve/solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bodies of m unknowns each, coupled within if `full`, and contacts between two of them, or one of
 * them and a wall, with random rows, scaled as contacts are. The last body has none. */
static sab_program *make(int s, int bodies, int m, bool full, int contacts, double zeta,
                         unsigned long long seed)
{
    const int n = bodies * m, wide = 2 * m;
    const int64_t per = full ? (int64_t)m * (m + 1) / 2 : m;
    sab_program *p = NULL;

    CU_ASSERT_FATAL(sab_program_create(s, contacts, n, &p, NULL) == SAB_OK);
    CU_ASSERT_FATAL(sab_sparse_create(n, bodies * per, true, &p->A, NULL) == SAB_OK);
    int64_t at = 0;
    for (int j = 0; j < n; j++) {
        for (int i = j; i < (full ? (j / m + 1) * m : j + 1); i++) {
            p->A->row[at] = i;
            p->A->value[at++] = i == j ? 2.0 + sab_test_random(&seed) : 0.2;
        }
        p->A->start[j + 1] = at;
        p->l[j] = 2.0 * sab_test_random(&seed) - 1.0;
    }
    CU_ASSERT_FATAL(sab_blocks_create(s, contacts, n, contacts, (int64_t)contacts * wide,
                                      (int64_t)contacts * wide * s, &p->B, NULL) == SAB_OK);
    int64_t column = 0, value = 0;
    for (int q = 0; q < contacts; q++) {
        const int a = q % (bodies - 2), b = a + 1;
        const bool wall = q % 7 == 0;
        const int columns = wall ? m : wide;

        for (int c = 0; c < columns; c++)
            p->B->column[column + c] = c < m ? a * m + c : b * m + c - m;
        for (int i = 0; i < s * columns; i++)
            p->B->value[value + i] = 2.0 * sab_test_random(&seed) - 1.0;
        column += columns;
        value += s * columns;
        p->B->point[q + 1] = q + 1;
        p->B->column_start[q + 1] = column;
        p->B->value_start[q + 1] = value;
        p->k[q * s] = 0.3 * (sab_test_random(&seed) - 0.5);
        p->weight[q] = 1.0;
        p->r[q] = 1.0;
        p->friction[q] = 0.4;
        p->dilatancy[q] = zeta;
    }
    CU_ASSERT_FATAL(sab_program_set_ranges(p, 1,
                                           &(sab_point_range){SAB_POINTS_CONTACT, 0, contacts, s},
                                           NULL) == SAB_OK);
    CU_ASSERT_FATAL(sab_program_check(p, NULL) == SAB_OK);
    return p;
}

typedef struct answer {
    sab_report report;
    double *u, *lambda;
} answer;

static answer solve(const sab_program *p, sab_method method, double tolerance)
{
    sab_solver_options o = sab_solver_options_default();
    sab_solver *solver = NULL;
    answer a = {.u = calloc((size_t)p->n, sizeof(double)),
                .lambda = calloc((size_t)(p->npoints * p->s), sizeof(double))};

    o.method = method;
    o.tolerance = tolerance;
    CU_ASSERT_FATAL(sab_solver_create(&o, p, &solver, NULL) == SAB_OK);
    CU_ASSERT_EQUAL(sab_solver_run(solver, p, true, a.lambda, a.u, NULL, &a.report, NULL), SAB_OK);
    sab_solver_destroy(&solver);
    return a;
}

static void drop(answer *a)
{
    free(a->u);
    free(a->lambda);
}

static double apart(const sab_program *p, const answer *a, const answer *b)
{
    double sum = 0.0, size = 0.0;

    for (int i = 0; i < p->n; i++) {
        sum += (a->u[i] - b->u[i]) * (a->u[i] - b->u[i]);
        size += b->u[i] * b->u[i];
    }
    return sqrt(sum / size);
}

/* gs, an interior point and a gradient method find the same velocity; a body without any contact
 * stops none of them, and flies as it was pushed. */
static void test_agreement(void)
{
    for (int k = 0; k < 8; k++) {
        const int s = 2 + k % 2, m = k < 4 ? 3 : 6;
        const bool full = k % 4 >= 2;
        const double zeta = k % 3 == 0 ? 0.4 : 0.0;
        sab_program *p = make(s, 12, m, full, 14, zeta, 100u + (unsigned)k);
        answer gs = solve(p, SAB_METHOD_GS, 1e-8), ipm = solve(p, SAB_METHOD_IPM_EXACT, 1e-8),
               aspg = solve(p, SAB_METHOD_ASPG, 1e-8), dr = solve(p, SAB_METHOD_DR_AA, 1e-6);

        CU_ASSERT(sab_gauss_seidel_fits(p));
        CU_ASSERT_EQUAL(gs.report.reason, SAB_CONVERGED);
        CU_ASSERT_EQUAL(ipm.report.reason, SAB_CONVERGED);
        CU_ASSERT_EQUAL(aspg.report.reason, SAB_CONVERGED);
        CU_ASSERT_EQUAL(dr.report.reason, SAB_CONVERGED);
        CU_ASSERT(apart(p, &gs, &ipm) < 1e-6);
        CU_ASSERT(apart(p, &gs, &aspg) < 1e-6);
        if (!full)
            for (int i = p->n - m; i < p->n; i++)
                CU_ASSERT_DOUBLE_EQUAL(gs.u[i], p->l[i] / p->A->value[i], 1e-15);
        drop(&gs), drop(&ipm), drop(&aspg), drop(&dr);
        sab_program_destroy(&p);
    }
}

enum { MOST_CONTACTS = 20 };

/* Contacts without friction in their own variables: v = W x + free. */
typedef struct reduced {
    double W[MOST_CONTACTS][MOST_CONTACTS], free[MOST_CONTACTS];
} reduced;

/* Normal rows of a program whose A is diagonal. */
static reduced reduce(const sab_program *p)
{
    double row[MOST_CONTACTS][100] = {{0}};
    reduced r = {0};

    CU_ASSERT_FATAL(p->npoints <= MOST_CONTACTS && p->n <= 100);
    for (int q = 0; q < p->npoints; q++)
        for (int64_t c = p->B->column_start[q], at = p->B->value_start[q];
             c < p->B->column_start[q + 1]; c++)
            row[q][p->B->column[c]] = p->B->value[at++];
    for (int q = 0; q < p->npoints; q++) {
        r.free[q] = p->k[q * p->s];
        for (int i = 0; i < p->n; i++) {
            r.free[q] += row[q][i] * p->l[i] / p->A->value[i];
            for (int o = 0; o < p->npoints; o++)
                r.W[q][o] += row[q][i] * row[o][i] / p->A->value[i];
        }
    }
    return r;
}

/* One sweep of the primal-dual active set: a contact is active if x - gamma v >= 0, then v = 0,
 * and otherwise x = 0; gamma = scale/W. */
static void active_set_sweep(const reduced *r, int n, double scale, double *x)
{
    for (int q = 0; q < n; q++) {
        double v = r->free[q];

        for (int o = 0; o < n; o++)
            v += r->W[q][o] * x[o];
        x[q] = x[q] - scale / r->W[q][q] * v >= 0.0 ? x[q] - v / r->W[q][q] : 0.0;
    }
}

/* Without friction gs is the primal-dual active set method of Barboteu and Dumont with gamma =
 * 1/W, sweep by sweep; with another gamma that ends at the same answer; one contact takes one
 * sweep. */
static void test_active_set(void)
{
    for (int k = 0; k < 6; k++) {
        const int s = 2 + k % 2, contacts = k < 2 ? 1 : 14;
        sab_program *p = make(s, 12, 3, false, contacts, 0.0, 300u + (unsigned)k);
        double lambda[3 * MOST_CONTACTS] = {0}, x[MOST_CONTACTS] = {0}, y[MOST_CONTACTS] = {0};
        double largest = 0.0;
        sab_gauss_seidel *gs = NULL;
        int sweeps = 0, open = 0;

        for (int q = 0; q < contacts; q++)
            p->friction[q] = 0.0;
        p->k[0] = contacts == 1 ? -10.0 : p->k[0]; /* it closes */
        const reduced r = reduce(p);
        CU_ASSERT_FATAL(sab_gauss_seidel_create(p, &gs, NULL) == SAB_OK);
        for (int j = 0; j < 3000; j++) {
            sab_gauss_seidel_run(gs, p, false, 1, lambda, &sweeps);
            active_set_sweep(&r, contacts, 1.0, x);
            active_set_sweep(&r, contacts, 3.0, y);
            for (int q = 0; q < contacts; q++) {
                CU_ASSERT_DOUBLE_EQUAL(lambda[q * s], x[q], 1e-12 * (1.0 + x[q]));
                for (int i = 1; i < s; i++)
                    CU_ASSERT_EQUAL(lambda[q * s + i], 0.0);
            }
            if (contacts == 1) { /* all is done */
                CU_ASSERT(x[0] > 0.0);
                CU_ASSERT_DOUBLE_EQUAL(r.W[0][0] * x[0] + r.free[0], 0.0, 1e-13);
                break;
            }
        }
        for (int q = 0; q < contacts; q++) {
            double v = r.free[q];

            for (int o = 0; o < contacts; o++)
                v += r.W[q][o] * x[o];
            open += x[q] == 0.0;
            largest = fmax(largest, fabs(fmin(x[q], v)));
            CU_ASSERT_DOUBLE_EQUAL(y[q], x[q], 1e-9 * (1.0 + x[q]));
        }
        CU_ASSERT(largest < 1e-10);
        CU_ASSERT(contacts == 1 || (open > 0 && open < contacts));
        sab_gauss_seidel_destroy(&gs);
        sab_program_destroy(&p);
    }
}

/* Sweeps until no contact is off by more than 1e-7: each solved exactly (part = 0), or by one
 * projection with this part of 1/W, the same for all: the largest that suits every contact. */
static int sweeps_to(const reduced *r, int n, double part, double *x)
{
    double largest = 0.0, off = 1.0;
    int sweeps = 0;

    for (int q = 0; q < n; q++) {
        x[q] = 0.0;
        largest = fmax(largest, r->W[q][q]);
    }
    while (off > 1e-7 && sweeps < 100000) {
        for (int pass = 0; pass < 2; pass++) { /* a sweep; what is left */
            off = 0.0;
            for (int q = 0; q < n; q++) {
                double v = r->free[q];

                for (int o = 0; o < n; o++)
                    v += r->W[q][o] * x[o];
                off = fmax(off, fabs(fmin(x[q], v)));
                if (pass == 0)
                    x[q] = fmax(0.0, x[q] - v * (part > 0.0 ? part / largest : 1.0 / r->W[q][q]));
            }
        }
        sweeps++;
    }
    return sweeps;
}

/* Barboteu and Dumont's rivals without friction: the standard ones project once in a contact, the
 * enhanced ones and the active set solve it. */
static void test_rivals(void)
{
    int solved = 0, projected[2] = {0};

    for (int k = 0; k < 20; k++) {
        const int contacts = k == 0 ? 1 : 14;
        sab_program *p = make(2, 12, 3, false, contacts, 0.0, 700u + (unsigned)k);
        double x[MOST_CONTACTS], y[MOST_CONTACTS];

        p->k[0] = contacts == 1 ? -10.0 : p->k[0];
        const reduced r = reduce(p);
        const int one = sweeps_to(&r, contacts, 0.0, x);

        for (int j = 0; j < 2; j++) {
            const int many = sweeps_to(&r, contacts, j == 0 ? 1.0 : 0.5, y);

            CU_ASSERT(many < 100000);
            for (int q = 0; q < contacts; q++)
                CU_ASSERT_DOUBLE_EQUAL(x[q], y[q], 1e-4);
            if (k == 0)
                CU_ASSERT(j == 0 ? many == 1 : many > 20);
            projected[j] += many;
        }
        CU_ASSERT(k > 0 || one == 1);
        solved += one;
        sab_program_destroy(&p);
    }
    printf("\n    sweeps over 20 programs: solved %d, projected with 1/W %d, half of it %d", solved,
           projected[0], projected[1]);
    CU_ASSERT(2 * projected[0] >= 3 * solved && projected[1] >= 2 * solved);
}

/* Several parts: the same bits on one thread and on two, and after a second run. */
static void test_threads(void)
{
    sab_program *p = make(2, 4500, 3, false, 4500, 0.0, 7);
    answer one, two;

    sab_threads_set(1);
    one = solve(p, SAB_METHOD_GS, 1e-6);
    sab_threads_set(2);
    two = solve(p, SAB_METHOD_GS, 1e-6);
    sab_threads_set(1);
    CU_ASSERT_EQUAL(one.report.reason, SAB_CONVERGED);
    CU_ASSERT_EQUAL(memcmp(one.u, two.u, (size_t)p->n * sizeof(double)), 0);
    CU_ASSERT_EQUAL(memcmp(one.lambda, two.lambda, (size_t)(p->npoints * p->s) * sizeof(double)),
                    0);
    drop(&one), drop(&two);
    sab_program_destroy(&p);
}

/* Each block is in one stretch, and no two stretches of a phase, which threads sweep at the same
 * time, have a body in common: also where contacts reach from one end to the other. */
static void test_parts(void)
{
    enum { BODIES = 40000 };
    sab_program *p = make(2, BODIES, 3, false, BODIES, 0.0, 11);
    int *owner = malloc(BODIES * sizeof *owner), *seen = calloc(BODIES, sizeof *seen);
    unsigned long long seed = 12;
    sab_gauss_seidel *gs = NULL;

    for (int q = 1; q < BODIES; q += 1 + (int)(40.0 * sab_test_random(&seed))) {
        int *column = p->B->column + p->B->column_start[q];
        const int first = column[0] / 3,
                  second = first + 1 + (int)((BODIES - 1 - first) * sab_test_random(&seed));

        for (int c = 3; q % 7 != 0 && c < 6; c++)
            column[c] = 3 * second + c - 3;
    }
    CU_ASSERT_FATAL(sab_gauss_seidel_create(p, &gs, NULL) == SAB_OK);
    CU_ASSERT_EQUAL(gs->parts, SAB_GS_PARTS);
    for (int phase = 0; phase < SAB_GS_PHASES; phase++) {
        int apart = 0;

        for (int i = 0; i < BODIES; i++)
            owner[i] = -1;
        for (int t = gs->phase[phase]; t < gs->phase[phase + 1]; t++)
            for (int at = gs->start[t]; at < gs->start[t + 1]; at++) {
                const int e = gs->order[at];

                seen[e]++;
                for (int64_t c = p->B->column_start[e]; c < p->B->column_start[e + 1]; c++) {
                    int *own = &owner[p->B->column[c] / 3];

                    apart += *own >= 0 && *own != t;
                    *own = t;
                }
            }
        CU_ASSERT_EQUAL(apart, 0);
        CU_ASSERT(gs->start[gs->phase[phase + 1]] > gs->start[gs->phase[phase]]);
    }
    for (int e = 0; e < BODIES; e++)
        CU_ASSERT_EQUAL_FATAL(seen[e], 1);
    free(owner), free(seen);
    sab_gauss_seidel_destroy(&gs);
    sab_program_destroy(&p);
}

/* What it does not take is refused, with a sentence; and no mass too. */
static void test_refusals(void)
{
    sab_program *p = make(3, 5, 7, true, 4, 0.0, 3);
    sab_gauss_seidel *gs = NULL;
    sab_error err;

    CU_ASSERT(!sab_gauss_seidel_fits(p));
    CU_ASSERT_EQUAL(sab_gauss_seidel_create(p, &gs, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "at most 6 unknowns"));
    sab_program_destroy(&p);
    p = make(2, 5, 3, false, 4, 0.0, 3);
    p->yield[2] = 1.0;
    CU_ASSERT(!sab_gauss_seidel_fits(p));
    CU_ASSERT_EQUAL(sab_gauss_seidel_create(p, &gs, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "yield stress"));
    p->yield[2] = 0.0;
    p->A->value[4] = 0.0;
    CU_ASSERT_EQUAL(sab_gauss_seidel_create(p, &gs, &err), SAB_ERR_NUMERIC);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "unknown 4"));
    CU_ASSERT_PTR_NULL(gs);
    sab_program_destroy(&p);
}

static void test_memory(void)
{
    sab_program *p = make(3, 5, 3, true, 4, 0.0, 9);
    sab_status status = SAB_ERR_MEMORY;
    const long before = sab_memory.live;

    for (long k = 0; status == SAB_ERR_MEMORY; k++) {
        sab_gauss_seidel *gs = NULL;
        sab_error err;

        sab_memory.failing = k;
        status = sab_gauss_seidel_create(p, &gs, &err);
        sab_memory.failing = -1;
        CU_ASSERT_EQUAL(gs == NULL, status != SAB_OK);
        sab_gauss_seidel_destroy(&gs);
        CU_ASSERT_EQUAL(sab_memory.live, before);
    }
    CU_ASSERT_EQUAL(status, SAB_OK);
    sab_program_destroy(&p);
}

int main(void)
{
    static const sab_test tests[] = {{"one answer, a body without contact", test_agreement},
                                     {"primal-dual active set", test_active_set},
                                     {"contacts solved or projected", test_rivals},
                                     {"the same bits on two threads", test_threads},
                                     {"parts that share no body", test_parts},
                                     {"what it refuses", test_refusals},
                                     {"failing memory", test_memory}};

    return SAB_TEST_MAIN("solve/gauss_seidel", tests);
}
