/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a time step does when its program resists, with a solver that misses on demand: warm and
 * cold starts, smaller steps, energies that are unsound, interruption; what ends a march. And loads
 * that are formulas of time. */
#include "unit.h"

#include "flow/inertia.h"
#include "flow/law.h"
#include "run/march_flow.h"
#include "grid.h"

#include <math.h>
#include <string.h>

/* ---- the solver ---- */

enum { CALLS = 64, MOST = 128 };

typedef struct reply {
    double gap;  /* 0: what the solver says; else it has stalled with this gap */
    double mark; /* u is longer by this part: the answer can be told from others */
    enum { ANSWER, INFEASIBLE, INTERRUPTED } kind;
} reply;

typedef struct call { /* how the solver was called, and what it gave */
    double time, factor, eta, nu;
    bool cold;
    sab_report report;
    double u[MOST], lambda[MOST];
} call;

static struct {
    const reply *reply; /* by calls; behind them the last one again */
    int n, calls;
    const sab_flow *flow;
    call call[CALLS];
    const double *excess; /* by ledgers, in parts of E, infinite: so is E; behind them 0 */
    int nexcess, ledgers;
    double uncertified; /* gap that a certificate is said to have; 0: what it has */
} stub;

static void script(const sab_flow *flow, int n, const reply *replies)
{
    stub.flow = flow;
    stub.reply = replies;
    stub.n = n;
    stub.calls = stub.ledgers = stub.nexcess = 0;
    stub.uncertified = 0.0;
}

/* A certificate that has missed by this much. */
static void spoil(double gap, sab_report *report)
{
    report->reason = SAB_STALLED;
    report->certificate = (sab_certificate){.gap = gap,
                                            .gap_rate = gap,
                                            .rated = report->certificate.rated,
                                            .dissipation = 1.0,
                                            .natural = gap};
}

sab_status __real_sab_solver_run(sab_solver *solver, const sab_program *p, bool new_values,
                                 double *lambda, double *u, const sab_solve_observer *observer,
                                 sab_report *report, sab_error *err);
sab_status __wrap_sab_solver_run(sab_solver *solver, const sab_program *p, bool new_values,
                                 double *lambda, double *u, const sab_solve_observer *observer,
                                 sab_report *report, sab_error *err);
sab_status __wrap_sab_solver_run(sab_solver *solver, const sab_program *p, bool new_values,
                                 double *lambda, double *u, const sab_solve_observer *observer,
                                 sab_report *report, sab_error *err)
{
    const sab_flow *flow = stub.flow;
    const reply none = {0};
    const reply *r =
        stub.n == 0 ? &none : &stub.reply[stub.calls < stub.n ? stub.calls : stub.n - 1];
    call *c = &stub.call[stub.calls < CALLS ? stub.calls : 0];
    const int rows = p->npoints * p->s;

    stub.calls++;
    CU_ASSERT_FATAL(stub.calls <= CALLS && p->n <= MOST && rows <= MOST);
    *c = (call){.time = flow->time,
                .factor = flow->inertia != NULL ? flow->inertia->factor : 0.0,
                .eta = flow->law->eta[0],
                .nu = flow->law->nu[0],
                .cold = true};
    for (int i = 0; i < rows; i++)
        c->cold = c->cold && lambda[i] == 0.0;
    if (r->kind == INTERRUPTED)
        return sab_fail(err, SAB_INTERRUPTED, "stopped");
    const sab_status status =
        __real_sab_solver_run(solver, p, new_values, lambda, u, observer, report, err);
    for (int i = 0; i < p->n; i++)
        u[i] *= 1.0 + r->mark;
    if (r->gap > 0.0)
        spoil(r->gap, report);
    if (r->kind == INFEASIBLE) {
        report->reason = SAB_INFEASIBLE;
        report->distance = 2.0 * SAB_TOO_FAR;
    }
    c->report = *report;
    memcpy(c->u, u, (size_t)p->n * sizeof *u);
    memcpy(c->lambda, lambda, (size_t)rows * sizeof *lambda);
    return status;
}

sab_status __real_sab_solver_certify(sab_solver *solver, const sab_program *p, bool new_values,
                                     double *lambda, double *u, sab_report *report, sab_error *err);
sab_status __wrap_sab_solver_certify(sab_solver *solver, const sab_program *p, bool new_values,
                                     double *lambda, double *u, sab_report *report, sab_error *err);
sab_status __wrap_sab_solver_certify(sab_solver *solver, const sab_program *p, bool new_values,
                                     double *lambda, double *u, sab_report *report, sab_error *err)
{
    const sab_status status =
        __real_sab_solver_certify(solver, p, new_values, lambda, u, report, err);

    if (stub.uncertified > 0.0)
        spoil(stub.uncertified, report);
    return status;
}

void __real_sab_ledger_take(sab_flow *flow, double dt, int order, sab_ledger *ledger);
void __wrap_sab_ledger_take(sab_flow *flow, double dt, int order, sab_ledger *ledger);
void __wrap_sab_ledger_take(sab_flow *flow, double dt, int order, sab_ledger *ledger)
{
    __real_sab_ledger_take(flow, dt, order, ledger);
    if (stub.ledgers++ >= stub.nexcess)
        return;
    const double share = stub.excess[stub.ledgers - 1];
    ledger->energy *= isfinite(share) ? 1.0 : share;
    ledger->excess = share * ledger->energy;
}

/* ---- a flow of 8 triangles ---- */

static const double STEP = 0.1;
static char names[4][8] = {"bottom", "right", "top", "left"};

typedef struct problem {
    sab_mesh *mesh;
    sab_material material;
    sab_function gravity[2];
    sab_boundary side[4];
    sab_flow_setup setup;
} problem;

static sab_status equals_time(void *data, const sab_vars *at, double *value, sab_error *err)
{
    (void)data;
    (void)err;
    *value = at->t;
    return SAB_OK;
}

/* 1 + |D| */
static sab_status thickening(void *data, const sab_vars *at, double *value, sab_error *err)
{
    (void)data;
    (void)err;
    *value = 1.0 + at->shear_rate;
    return SAB_OK;
}

/* Grains that slide off a floor, pushed from the left with a traction that grows. */
static void prepare(problem *p, double step, int order)
{
    const sab_grid grid = {2, 2, 0, 0, 1, 1, 0.1, 0.0, 0.0};

    memset(p, 0, sizeof *p);
    p->mesh = sab_grid_create(&grid);
    p->material =
        (sab_material){.friction = sab_constant(0.3), .reynolds = sab_constant(10.0), .bulk = 1.0};
    p->gravity[0] = sab_constant(0.5);
    p->gravity[1] = sab_constant(-1.0);
    for (int b = 0; b < 4; b++)
        p->side[b] = (sab_boundary){.group = names[b], .has_traction = b > 0};
    p->side[0].has_velocity = p->side[0].prescribed[0] = p->side[0].prescribed[1] = true;
    p->side[3].traction[0] = (sab_function){.call = equals_time};
    p->setup = (sab_flow_setup){.mesh = p->mesh,
                                .element = &sab_element_p2,
                                .geometry = &sab_geometry_plane,
                                .material = &p->material,
                                .gravity = p->gravity,
                                .nboundaries = 4,
                                .boundary = p->side,
                                .solver = sab_solver_options_default(),
                                .viscosity_iterations = 2,
                                .dt = step,
                                .order = order};
    p->setup.solver.tolerance = 1e-4;
}

static sab_flow *create(const problem *p)
{
    sab_flow *flow = NULL;
    sab_error err = {0};

    CU_ASSERT_EQUAL_FATAL(sab_flow_create(&p->setup, &flow, &err), SAB_OK);
    return flow;
}

static sab_flow_report advance(sab_flow *flow)
{
    sab_flow_report report;
    sab_error err = {0};

    CU_ASSERT_EQUAL_FATAL(sab_flow_step(flow, NULL, &report, &err), SAB_OK);
    return report;
}

/* A flow after one good step. */
static sab_flow *start(problem *p, int order)
{
    prepare(p, STEP, order);
    sab_flow *flow = create(p);

    script(flow, 0, NULL);
    CU_ASSERT(advance(flow).converged);
    return flow;
}

static void finish(problem *p, sab_flow *flow)
{
    sab_flow_destroy(&flow);
    sab_mesh_destroy(&p->mesh);
}

/* The flow is the answer that the solver gave in call k. */
static void check_answer(const sab_flow *flow, int k)
{
    const call *c = &stub.call[k];
    double u[MOST];

    CU_ASSERT(memcmp(flow->u, c->u, (size_t)flow->program->n * sizeof *u) == 0);
    sab_space_restrict(flow->space, flow->dofs, flow->inertia->velocity, u);
    CU_ASSERT(memcmp(u, c->u, (size_t)flow->program->n * sizeof *u) == 0);
    sab_space_restrict(flow->space, flow->dofs, flow->fields->velocity, u);
    CU_ASSERT(memcmp(u, c->u, (size_t)flow->program->n * sizeof *u) == 0);
    CU_ASSERT(memcmp(flow->lambda, c->lambda,
                     (size_t)(flow->program->npoints * flow->program->s) * sizeof *u) == 0);
    CU_ASSERT_EQUAL(flow->natural, c->report.certificate.natural);
}

/* All calls have been counted. */
static void check_work(const sab_report *r)
{
    int outer = 0, inner = 0, factorisations = 0, solves = 0;

    for (int k = 0; k < stub.calls; k++) {
        outer += stub.call[k].report.work.outer;
        inner += stub.call[k].report.work.inner;
        factorisations += stub.call[k].report.work.factorisations;
        solves += stub.call[k].report.work.solves;
    }
    CU_ASSERT_EQUAL(r->work.outer, outer);
    CU_ASSERT_EQUAL(r->work.inner, inner);
    CU_ASSERT_EQUAL(r->work.factorisations, factorisations);
    CU_ASSERT_EQUAL(r->work.solves, solves);
}

/* ---- the same step again ---- */

/* A warm start; only if it misses, a cold one; the better of both counts, and the work of both. */
static void test_warm_and_cold(void)
{
    const struct {
        reply reply[2];
        int calls, chosen;
        double missed;
    } row[] = {
        {{{0.0, 0.0, ANSWER}, {0.0, 0.0, ANSWER}}, 1, 0, 0.0},
        {{{0.1, 0.0, ANSWER}, {0.0, 0.5, ANSWER}}, 2, 1, 0.0},
        {{{0.1, 0.0, ANSWER}, {0.15, 0.5, ANSWER}}, 2, 0, 0.1},
        {{{0.15, 0.0, ANSWER}, {0.1, 0.5, ANSWER}}, 2, 1, 0.1},
        {{{0.5, 0.0, ANSWER}, {0.1, 0.5, ANSWER}}, 2, 1, 0.1},
    };

    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        problem p;
        sab_flow *flow = start(&p, 2);

        script(flow, 2, row[i].reply);
        const sab_flow_report report = advance(flow);
        CU_ASSERT_EQUAL_FATAL(stub.calls, row[i].calls);
        CU_ASSERT(!stub.call[0].cold);
        for (int k = 0; k < stub.calls; k++) {
            CU_ASSERT_EQUAL(stub.call[k].cold, k == 1);
            SAB_ASSERT_CLOSE(stub.call[k].time, 2.0 * STEP, 1e-15);
            SAB_ASSERT_CLOSE(stub.call[k].factor, 1.5 / STEP, 1e-15);
        }
        check_answer(flow, row[i].chosen);
        check_work(&report.solve);
        CU_ASSERT_EQUAL(report.retries, row[i].calls - 1);
        CU_ASSERT_EQUAL(report.converged, row[i].missed == 0.0);
        CU_ASSERT_EQUAL(report.missed.by, row[i].missed > 0.0 ? SAB_MISS_GAP : SAB_MISS_NONE);
        if (row[i].missed > 0.0)
            CU_ASSERT_EQUAL(report.missed.value, row[i].missed);
        CU_ASSERT_EQUAL(flow->steps, 2);
        finish(&p, flow);
    }
}

/* With a rate law the better answer takes its law with it. A solve has two programs here, and the
 * law moves between them. */
static void test_law_of_the_better(void)
{
    for (int better = 0; better < 2; better++) {
        const double warm = better == 0 ? 0.1 : 0.15, cold = better == 0 ? 0.15 : 0.1;
        const reply replies[] = {
            {warm, 0.0, ANSWER}, {warm, 0.0, ANSWER}, {cold, 0.5, ANSWER}, {cold, 0.5, ANSWER}};
        problem p;

        prepare(&p, STEP, 2);
        p.material.has_mu_i = p.material.has_viscosity = true;
        p.material.mu_i = (sab_mu_i){.resting = 0.2, .flowing = 0.7, .I0 = 0.1, .grain = 0.3};
        p.material.viscosity = (sab_function){.call = thickening};
        sab_flow *flow = create(&p);
        script(flow, 0, NULL);
        advance(flow);
        script(flow, 4, replies);
        const sab_flow_report report = advance(flow);
        CU_ASSERT_EQUAL_FATAL(stub.calls, 4);
        CU_ASSERT(stub.call[2].cold && !stub.call[1].cold && !stub.call[3].cold);
        CU_ASSERT(stub.call[1].eta != stub.call[3].eta && stub.call[1].nu != stub.call[3].nu);
        const call *chosen = &stub.call[better == 0 ? 1 : 3];
        CU_ASSERT_EQUAL(flow->law->eta[0], chosen->eta);
        CU_ASSERT_EQUAL(flow->law->nu[0], chosen->nu);
        CU_ASSERT_EQUAL(flow->program->viscosity[0], 2.0 * chosen->eta / 10.0 + chosen->nu);
        CU_ASSERT_EQUAL(flow->fields->law.viscosity[0], flow->program->viscosity[0]);
        check_answer(flow, better == 0 ? 1 : 3);
        check_work(&report.solve);
        CU_ASSERT_EQUAL(report.retries, 1);
        CU_ASSERT_EQUAL(report.missed.by, SAB_MISS_GAP_RATE);
        finish(&p, flow);
    }
}

/* A law that its iterations do not meet is a miss, and no reason for a cold start. */
static void test_rate_miss(void)
{
    problem p;

    prepare(&p, STEP, 1);
    p.material.has_viscosity = true;
    p.material.viscosity = (sab_function){.call = thickening};
    p.setup.viscosity_iterations = 1;
    sab_flow *flow = create(&p);
    script(flow, 0, NULL);
    const sab_flow_report report = advance(flow);
    CU_ASSERT_EQUAL(stub.calls, 1);
    CU_ASSERT_EQUAL(report.retries, 0);
    CU_ASSERT(!report.converged);
    CU_ASSERT_EQUAL(report.missed.by, SAB_MISS_RATE);
    CU_ASSERT_EQUAL(report.missed.value, report.rate_residual);
    CU_ASSERT(report.rate_residual > 1e-3);
    finish(&p, flow);
}

/* A creeping flow that has followed its law has converged if it solves the program of that law too.
 * If it never does, the report names what that program missed, and not the law, which was met. */
static void test_certified(void)
{
    for (int k = 0; k < 2; k++) {
        problem p;
        sab_flow_report report;

        prepare(&p, 0.0, 1);
        p.material.has_mu_i = true;
        p.material.mu_i = (sab_mu_i){.resting = 0.2, .flowing = 0.9, .I0 = 0.3, .grain = 0.3};
        p.setup.viscosity_iterations = 4;
        p.setup.solver.tolerance = 1e-2;
        p.gravity[0] = sab_constant(0.3);
        sab_flow *flow = create(&p);
        script(flow, 0, NULL);
        stub.uncertified = k == 0 ? 0.0 : 0.07;
        CU_ASSERT_EQUAL_FATAL(sab_flow_solve(flow, NULL, &report, NULL), SAB_OK);
        CU_ASSERT_EQUAL(report.converged, k == 0);
        CU_ASSERT(k == 0 ? stub.calls < 4 : stub.calls == 4);
        CU_ASSERT_EQUAL(report.viscosity_iterations, stub.calls);
        CU_ASSERT_EQUAL(report.missed.by, k == 0 ? SAB_MISS_NONE : SAB_MISS_GAP_RATE);
        CU_ASSERT(k == 0 || report.missed.value == 0.07);
        finish(&p, flow);
    }
}

/* The first program of a step has the law of the flow before it, of a formula half. */
static void test_law_of_the_start(void)
{
    problem p;

    prepare(&p, STEP, 2);
    p.material.has_mu_i = p.material.has_viscosity = true;
    p.material.mu_i = (sab_mu_i){.resting = 0.2, .flowing = 0.7, .I0 = 0.1, .grain = 0.3};
    p.material.viscosity = (sab_function){.call = thickening};
    p.setup.viscosity_iterations = 1;
    sab_flow *flow = create(&p);
    for (int k = 0; k < 3; k++) {
        const double *gamma = flow->fields->strain_rate, eta = flow->law->eta[0];
        const double g = hypot(gamma[1], gamma[2]), pressure = flow->fields->pressure[0];

        script(flow, 0, NULL);
        advance(flow);
        SAB_ASSERT_CLOSE(stub.call[0].eta, 0.5 * (eta + 1.0 + g), 1e-12);
        if (k > 0)
            SAB_ASSERT_CLOSE(
                stub.call[0].nu,
                pressure * (sab_material_mu_i(&p.material.mu_i, g, pressure) - 0.2) / g, 1e-12);
    }
    finish(&p, flow);
}

/* ---- smaller steps ---- */

static double distance(const sab_flow *a, const sab_flow *b)
{
    double far = 0.0;

    for (size_t i = 0; i < sab_space_size(a->space); i++)
        far = fmax(far, fabs(a->inertia->velocity[i] - b->inertia->velocity[i]));
    return far;
}

/* A useless step is taken again as two of half the length and first order, from where it began: the
 * same flow as that of a run with such steps; `previous`, the ledger and the counts are those of
 * the whole. */
static void test_halved(void)
{
    const reply replies[] = {{0.5, 0.3, ANSWER}, {0.5, 0.3, ANSWER}, {0.0, 0.0, ANSWER}};
    problem p, half;
    double before[MOST];
    sab_flow *flow = start(&p, 2);

    prepare(&half, STEP / 2.0, 1);
    sab_flow *twin = create(&half);
    sab_flow_state state = sab_flow_get_state(flow);
    state.steps = 2; /* in its own steps */
    state.at = 2.0;
    CU_ASSERT_EQUAL_FATAL(sab_flow_restore(twin, &state, NULL), SAB_OK);
    memcpy(before, flow->inertia->velocity, state.nvelocity * sizeof *before);

    script(flow, 3, replies);
    const sab_flow_report report = advance(flow);
    CU_ASSERT_EQUAL_FATAL(stub.calls, 4);
    for (int k = 0; k < 4; k++) {
        SAB_ASSERT_CLOSE(stub.call[k].time, (k == 2 ? 1.5 : 2.0) * STEP, 1e-14);
        SAB_ASSERT_CLOSE(stub.call[k].factor, k < 2 ? 1.5 / STEP : 2.0 / STEP, 1e-14);
        CU_ASSERT_EQUAL(stub.call[k].cold, k == 1);
    }
    check_answer(flow, 3);
    check_work(&report.solve);
    CU_ASSERT_EQUAL(report.retries, 2); /* a cold start, and smaller steps */
    CU_ASSERT(report.converged);
    CU_ASSERT_EQUAL(flow->steps, 2);
    SAB_ASSERT_CLOSE(flow->time, 2.0 * STEP, 1e-15);
    CU_ASSERT(memcmp(flow->inertia->previous, before, state.nvelocity * sizeof *before) == 0);

    script(twin, 0, NULL);
    const sab_flow_report one = advance(twin), two = advance(twin);
    CU_ASSERT(distance(flow, twin) < 1e-4);
    SAB_ASSERT_CLOSE(report.ledger.gravity / (one.ledger.gravity + two.ledger.gravity), 1.0, 1e-3);
    SAB_ASSERT_CLOSE(report.ledger.viscous / (one.ledger.viscous + two.ledger.viscous), 1.0, 1e-2);
    SAB_ASSERT_CLOSE(report.ledger.energy / two.ledger.energy, 1.0, 1e-3);
    sab_flow_destroy(&twin);
    sab_mesh_destroy(&half.mesh);

    /* the next step of order 2 is one of a run that had no trouble here: b and c are those of it */
    problem q;
    twin = start(&q, 2);
    script(twin, 0, NULL);
    advance(twin);
    advance(twin);
    script(flow, 0, NULL);
    const sab_flow_report next = advance(flow);
    CU_ASSERT(distance(flow, twin) < 5e-3);
    CU_ASSERT(fabs(next.ledger.defect) < 1e-10 * next.ledger.energy);
    finish(&q, twin);
    finish(&p, flow);
}

/* Two, four, eight: a part that is useless ends its attempt, but for the last one, whose misses
 * stand. */
static void test_all_useless(void)
{
    const reply replies[] = {{0.5, 0.0, ANSWER}};
    problem p;
    sab_flow *flow = start(&p, 2);

    script(flow, 1, replies);
    const sab_flow_report report = advance(flow);
    CU_ASSERT_EQUAL_FATAL(stub.calls, 2 + 2 + 2 + 2 * 8);
    SAB_ASSERT_CLOSE(stub.call[2].time, 1.5 * STEP, 1e-14);
    SAB_ASSERT_CLOSE(stub.call[4].time, 1.25 * STEP, 1e-14);
    for (int i = 0; i < 8; i++) {
        SAB_ASSERT_CLOSE(stub.call[6 + 2 * i].time, (1.0 + 0.125 * (i + 1)) * STEP, 1e-14);
        SAB_ASSERT_CLOSE(stub.call[6 + 2 * i].factor, 8.0 / STEP, 1e-14);
    }
    CU_ASSERT_EQUAL(report.retries, 1 + (1 + 1) + (1 + 1) + (1 + 8));
    CU_ASSERT(!report.converged);
    CU_ASSERT_EQUAL(report.missed.value, 0.5);
    check_work(&report.solve);
    CU_ASSERT_EQUAL(flow->steps, 2);
    finish(&p, flow);
}

/* One part that misses, but is of use: the step has missed, whatever follows. */
static void test_part_missed(void)
{
    const reply replies[] = {{0.5, 0.0, ANSWER},
                             {0.5, 0.0, ANSWER},
                             {0.1, 0.0, ANSWER},
                             {0.1, 0.0, ANSWER},
                             {0.0, 0.0, ANSWER}};
    problem p;
    sab_flow *flow = start(&p, 2);

    script(flow, 5, replies);
    const sab_flow_report report = advance(flow);
    CU_ASSERT_EQUAL(stub.calls, 5);
    CU_ASSERT(!report.converged);
    CU_ASSERT_EQUAL(report.missed.by, SAB_MISS_GAP);
    CU_ASSERT_EQUAL(report.missed.value, 0.1);
    CU_ASSERT_EQUAL(report.retries, 3);
    finish(&p, flow);
}

/* The first step is halved as soon as it misses, without another cold start, which would go the
 * same way; a later one that misses by as much is not. */
static void test_first_halved(void)
{
    const reply replies[] = {{0.1, 0.0, ANSWER}, {0.1, 0.0, ANSWER}, {0.0, 0.0, ANSWER}};
    const reply rest[] = {{0.1, 0.0, ANSWER}, {0.0, 0.0, ANSWER}};

    for (int later = 0; later < 2; later++) {
        problem p;

        prepare(&p, STEP, 2);
        sab_flow *flow = create(&p);
        if (later) {
            script(flow, 0, NULL);
            advance(flow);
        }
        script(flow, later ? 3 : 2, later ? replies : rest);
        const sab_flow_report report = advance(flow);
        CU_ASSERT_EQUAL(stub.calls, later ? 2 : 3);
        CU_ASSERT_EQUAL(stub.call[1].time, later ? 2.0 * STEP : 0.5 * STEP);
        CU_ASSERT_EQUAL(report.retries, 1);
        CU_ASSERT_EQUAL(report.converged, !later);
        CU_ASSERT_EQUAL(report.missed.by, later ? SAB_MISS_GAP : SAB_MISS_NONE);
        CU_ASSERT_EQUAL(flow->steps, later ? 2 : 1);
        check_work(&report.solve);
        finish(&p, flow);
    }
}

/* Where no motion is admissible there is none in smaller steps either. */
static void test_infeasible(void)
{
    const reply replies[] = {{0.5, 0.0, INFEASIBLE}};
    problem p;
    sab_flow *flow = start(&p, 2);

    script(flow, 1, replies);
    const sab_flow_report report = advance(flow);
    CU_ASSERT_EQUAL(stub.calls, 1);
    CU_ASSERT_EQUAL(report.retries, 0);
    CU_ASSERT(!report.converged);
    CU_ASSERT_EQUAL(report.missed.by, SAB_MISS_INFEASIBLE);
    finish(&p, flow);
}

/* Energy from nowhere: order 2 gives way to order 1, then smaller steps; one that stays unsound
 * says so. */
static void test_unsound(void)
{
    const double excess[] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0,
                             1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
    const struct {
        int order, unsound, calls, retries;
        bool converged;
    } row[] = {{2, 1, 2, 1, true}, {2, 2, 4, 2, true}, {2, 16, 16, 4, false}, {1, 1, 3, 1, true},
               {1, 3, 7, 2, true}, {2, 0, 1, 0, true}, {1, 15, 15, 3, false}};

    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        problem p;
        sab_flow *flow = start(&p, row[i].order);
        const sab_flow_state state = sab_flow_get_state(flow);
        double before[MOST];

        memcpy(before, state.velocity, state.nvelocity * sizeof *before);
        script(flow, 0, NULL);
        stub.excess = excess;
        stub.nexcess = row[i].unsound;
        const sab_flow_report report = advance(flow);
        CU_ASSERT_EQUAL(stub.calls, row[i].calls);
        CU_ASSERT_EQUAL(report.retries, row[i].retries);
        CU_ASSERT_EQUAL(report.converged, row[i].converged);
        CU_ASSERT_EQUAL(report.unsound, !row[i].converged);
        CU_ASSERT(!report.unstable);
        CU_ASSERT_EQUAL(report.missed.by, row[i].converged ? SAB_MISS_NONE : SAB_MISS_ENERGY);
        CU_ASSERT(row[i].converged || report.missed.value > 0.02);
        if (row[i].order == 2 && row[i].unsound > 0) { /* the whole length, and first order */
            SAB_ASSERT_CLOSE(stub.call[1].time, 2.0 * STEP, 1e-15);
            SAB_ASSERT_CLOSE(stub.call[1].factor, 1.0 / STEP, 1e-14);
        }
        CU_ASSERT(memcmp(flow->inertia->previous, before, state.nvelocity * sizeof *before) == 0);
        finish(&p, flow);
    }
}

/* ---- interruption ---- */

/* Wherever a step is interrupted, the flow is as it was before, and goes on, bit for bit and count
 * for count, as if nothing had been. */
static void test_interrupted(void)
{
    for (int at = 0; at < 4; at++) {
        reply replies[4] = {
            {0.5, 0.3, ANSWER}, {0.5, 0.3, ANSWER}, {0.0, 0.3, ANSWER}, {0.0, 0.0, ANSWER}};
        problem p;
        sab_flow *flow[2];
        sab_flow_report report[2];
        sab_error err = {0};

        replies[at].kind = INTERRUPTED;
        prepare(&p, STEP, 2);
        p.material.has_mu_i = p.material.has_viscosity = true;
        p.material.mu_i = (sab_mu_i){.resting = 0.2, .flowing = 0.7, .I0 = 0.1, .grain = 0.3};
        p.material.viscosity = (sab_function){.call = thickening};
        p.setup.viscosity_iterations = 1;
        for (int k = 0; k < 2; k++) {
            flow[k] = create(&p);
            script(flow[k], 0, NULL);
            advance(flow[k]);
            advance(flow[k]);
        }
        script(flow[0], 4, replies);
        CU_ASSERT_EQUAL(sab_flow_step(flow[0], NULL, &report[0], &err), SAB_INTERRUPTED);
        CU_ASSERT_EQUAL(stub.calls, at + 1);
        const sab_flow_state a = sab_flow_get_state(flow[0]), b = sab_flow_get_state(flow[1]);
        CU_ASSERT_EQUAL(a.steps, b.steps);
        CU_ASSERT_EQUAL(a.time, b.time);
        CU_ASSERT_EQUAL(a.natural, b.natural);
        CU_ASSERT_EQUAL(a.inertia, b.inertia);
        CU_ASSERT_EQUAL(a.stored, b.stored);
        CU_ASSERT(a.factored && b.factored);
        CU_ASSERT(memcmp(a.velocity, b.velocity, a.nvelocity * sizeof(double)) == 0);
        CU_ASSERT(memcmp(a.previous, b.previous, a.nvelocity * sizeof(double)) == 0);
        CU_ASSERT(memcmp(a.lambda, b.lambda, a.nstress * sizeof(double)) == 0);
        CU_ASSERT(memcmp(a.eta, b.eta, a.npoints * sizeof(double)) == 0);
        CU_ASSERT(memcmp(a.nu, b.nu, a.npoints * sizeof(double)) == 0);
        CU_ASSERT(memcmp(flow[0]->fields->velocity, flow[1]->fields->velocity,
                         a.nvelocity * sizeof(double)) == 0);
        CU_ASSERT(
            memcmp(flow[0]->program->A->value, flow[1]->program->A->value,
                   (size_t)flow[0]->program->A->start[flow[0]->program->n] * sizeof(double)) == 0);
        for (int k = 0; k < 2; k++) {
            script(flow[k], 0, NULL);
            report[k] = advance(flow[k]);
        }
        CU_ASSERT(distance(flow[0], flow[1]) == 0.0);
        CU_ASSERT_EQUAL(report[0].solve.work.outer, report[1].solve.work.outer);
        CU_ASSERT_EQUAL(report[0].solve.work.factorisations, report[1].solve.work.factorisations);
        CU_ASSERT(memcmp(&report[0].ledger, &report[1].ledger, sizeof report[0].ledger) == 0);
        sab_flow_destroy(&flow[1]);
        finish(&p, flow[0]);
    }
}

/* ---- a march ---- */

/* Steps until the end of the run, at most 20. */
static sab_march_end run(sab_march *march)
{
    sab_flow_report report;

    for (int i = 0; i < 20 && march->end == SAB_MARCH_GOES_ON; i++)
        CU_ASSERT_EQUAL_FATAL(sab_march_step(march, NULL, &report, NULL), SAB_OK);
    return march->end;
}

/* The end of the time, of patience, of what is possible and of what is stable: in which row? */
static void test_ends(void)
{
    const reply good[] = {{0.0, 0.0, ANSWER}};
    const reply bad[] = {{0.1, 0.0, ANSWER}};
    const reply never[] = {{0.0, 0.0, ANSWER}, {0.0, 0.0, ANSWER}, {0.5, 0.0, INFEASIBLE}};
    double grown[15];
    const struct {
        const reply *reply;
        int n, max_missed, unstable, rows, missed;
        sab_march_end end;
    } row[] = {{good, 1, 0, 0, 5, 0, SAB_MARCH_FINISHED},
               {bad, 1, 2, 0, 3, 3, SAB_MARCH_GIVEN_UP},
               {bad, 1, 9, 0, 5, 5, SAB_MARCH_FINISHED},
               {good, 1, 9, 15, 1, 1, SAB_MARCH_UNSTABLE},
               {never, 3, 9, 0, 3, 1, SAB_MARCH_INFEASIBLE}};

    for (int i = 0; i < 15; i++)
        grown[i] = INFINITY;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        const sab_march_options options = {
            .end = 0.5, .window = 0.2, .probe = -1, .max_missed = row[i].max_missed};
        sab_march *march = NULL, *again = NULL;
        sab_probes *probes = NULL;
        problem p;

        prepare(&p, STEP, 1);
        sab_flow *flow = create(&p);
        CU_ASSERT_EQUAL_FATAL(sab_probes_create(flow, 0, NULL, &probes, NULL), SAB_OK);
        CU_ASSERT_EQUAL_FATAL(sab_march_flow_create(flow, probes, &options, &march, NULL), SAB_OK);
        script(flow, row[i].n, row[i].reply);
        stub.excess = grown;
        stub.nexcess = row[i].unstable;
        CU_ASSERT_EQUAL(run(march), row[i].end);
        CU_ASSERT_EQUAL(march->rows, row[i].rows);
        CU_ASSERT_EQUAL(march->missed, row[i].missed);
        CU_ASSERT_EQUAL(sab_march_is_good(march), row[i].missed == 0);
        /* a march that goes on from its table comes to the same end */
        const sab_flow_state state = sab_flow_get_state(flow);
        CU_ASSERT_EQUAL_FATAL(sab_march_flow_create(flow, probes, &options, &again, NULL), SAB_OK);
        CU_ASSERT_EQUAL_FATAL(
            sab_march_restore(again, &state, march->rows, march->history, 0, NULL, NULL), SAB_OK);
        CU_ASSERT_EQUAL(again->end, march->end);
        CU_ASSERT_EQUAL(again->missed, march->missed);
        sab_march_destroy(&again);
        sab_march_destroy(&march);
        sab_probes_destroy(&probes);
        finish(&p, flow);
    }
}

/* Steady is relative: a viscous flow under a load of 2^-20 becomes so in the same step. */
static void test_steady(void)
{
    int rows[2];

    for (int k = 0; k < 2; k++) {
        const sab_probe probe = {.name = names[1], .kind = SAB_PROBE_FLUX, .group = names[1]};
        const sab_march_options options = {.end = 2.0, .steady = 0.05, .window = 0.2};
        sab_march *march = NULL;
        sab_probes *probes = NULL;
        problem p;

        prepare(&p, STEP, 1);
        p.material.friction = sab_constant(0.0);
        p.material.reynolds = sab_constant(1.0);
        p.gravity[0] = sab_constant(k == 0 ? 1.0 : ldexp(1.0, -20));
        p.gravity[1] = sab_constant(0.0);
        for (int b = 0; b < 4; b++) {
            p.side[b] = (sab_boundary){.group = names[b], .has_velocity = true};
            p.side[b].prescribed[0] = b % 2 == 0;
            p.side[b].prescribed[1] = true;
        }
        sab_flow *flow = create(&p);
        CU_ASSERT_EQUAL_FATAL(sab_probes_create(flow, 1, &probe, &probes, NULL), SAB_OK);
        CU_ASSERT_EQUAL_FATAL(sab_march_flow_create(flow, probes, &options, &march, NULL), SAB_OK);
        script(flow, 0, NULL);
        CU_ASSERT_EQUAL(run(march), SAB_MARCH_STEADY);
        rows[k] = march->rows;
        sab_march_destroy(&march);
        sab_probes_destroy(&probes);
        finish(&p, flow);
    }
    CU_ASSERT_EQUAL(rows[0], rows[1]);
    CU_ASSERT(rows[0] > 4);
}

/* ---- loads of time ---- */

/* A plug of length 2 between walls that slip, pushed by a traction or a pressure t: every step adds
 * dt t/2 to its velocity, the pressure falls along it. Its walls are no way out. */
static void test_pushed_plug(void)
{
    for (int pressure = 0; pressure < 2; pressure++) {
        const sab_grid grid = {2, 2, 0, 0, 2, 1, 0.0, 0.0, 0.0};
        const sab_function t = {.call = equals_time};
        double u = 0.0, area = 0.0, push = 0.0;
        problem p;

        prepare(&p, STEP, 1);
        sab_mesh_destroy(&p.mesh);
        p.setup.mesh = p.mesh = sab_grid_create(&grid);
        p.setup.free_inflow = true; /* what follows the plug has its velocity */
        p.setup.solver.tolerance = 1e-8;
        p.material.friction = p.gravity[0] = p.gravity[1] = sab_constant(0.0);
        for (int b = 0; b < 4; b++)
            p.side[b] = (sab_boundary){.group = names[b], .slip = b % 2 == 0};
        p.side[3].has_traction = pressure == 0;
        p.side[3].has_pressure = pressure == 1;
        p.side[3].traction[0] = p.side[3].pressure = t;
        sab_flow *flow = create(&p);
        script(flow, 0, NULL);
        for (int f = 0; f < p.mesh->nfacets; f++) {
            const double *x = p.mesh->x + 2 * p.mesh->facet[3 * f + 2];

            CU_ASSERT_EQUAL(flow->inertia->open[f], x[0] < 1e-9 || x[0] > 2.0 - 1e-9);
        }
        for (int n = 1; n <= 3; n++) {
            CU_ASSERT(advance(flow).converged);
            u += STEP * n * STEP / 2.0;
        }
        for (int a = 0; a < p.mesh->nnodes; a++) {
            CU_ASSERT_DOUBLE_EQUAL(flow->fields->velocity[2 * a], u, 1e-7);
            CU_ASSERT_DOUBLE_EQUAL(flow->fields->velocity[2 * a + 1], 0.0, 1e-7);
        }
        for (int q = 0; q < flow->program->npoints; q++) {
            area += flow->space->weight[q];
            push += flow->space->weight[q] * flow->lambda[3 * q];
        }
        CU_ASSERT_DOUBLE_EQUAL(push / area, 0.5 * 3.0 * STEP, 1e-5);
        finish(&p, flow);
    }
}

int main(void)
{
    static const sab_test tests[] = {{"warm, then cold: the better counts", test_warm_and_cold},
                                     {"the better takes its law with it", test_law_of_the_better},
                                     {"a law that is not met", test_rate_miss},
                                     {"a followed law is certified", test_certified},
                                     {"a step starts with its law", test_law_of_the_start},
                                     {"two steps of half the length", test_halved},
                                     {"eight useless parts", test_all_useless},
                                     {"a part that misses", test_part_missed},
                                     {"the first step", test_first_halved},
                                     {"infeasible: not tried again", test_infeasible},
                                     {"unsound energies", test_unsound},
                                     {"interruption", test_interrupted},
                                     {"ends of a march", test_ends},
                                     {"steady is relative", test_steady},
                                     {"loads of time", test_pushed_plug}};

    return SAB_TEST_MAIN("flow/policy", tests);
}
