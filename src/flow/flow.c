#include "flow/flow.h"
#include "base/memory.h"
#include "base/timer.h"
#include "fem/bubble.h"

#include <math.h>
#include <string.h>

/* Where a viscosity formula vanishes (a rigid zone with eta = |D|) the matrix must stay regular:
 * eta is kept above this share of its largest value. */
static const double VISCOSITY_FLOOR = 1e-6;

/* The law at every point, converted once. */
static sab_status evaluate_law(sab_flow *flow, sab_error *err)
{
    const sab_flow_setup *setup = &flow->setup;
    sab_program *program = flow->program;

    for (int q = 0; q < program->npoints; q++) {
        const double *x = flow->space->point + 2 * q;
        const sab_vars at = {.x = x[0], .y = x[1]};
        sab_law law;
        const sab_status status =
            sab_material_law(setup->material, setup->geometry, &at, &law, err);

        if (status != SAB_OK)
            return status;
        if (law.inverse_reynolds == 0.0)
            return sab_fail(err, SAB_ERR_INPUT,
                            "material.reynolds: a creeping flow needs a finite Reynolds number "
                            "(without viscosity and inertia the velocity is not determined)");
        program->friction[q] = law.friction;
        program->yield[q] = law.yield;
        program->dilatancy[q] = law.dilatancy;
        program->weight[q] = 2.0 * flow->space->weight[q];
        flow->inverse_reynolds[q] = law.inverse_reynolds;
        flow->eta[q] = 1.0;
    }
    program->bulk = setup->material->bulk;
    return SAB_OK;
}

/* A = sum m (2 eta/Re) B^T E_b B and l = load - B^T M (2 eta/Re) E_b k for the present eta. The
 * step 2 eta/Re makes r W a projector if b = 1 [docs/theory.md, 4]. Between bubbles A is 5/3 of
 * that sum, which only makes r W smaller. */
static void assemble(sab_flow *flow)
{
    const double start = sab_cpu_seconds();
    sab_program *program = flow->program;
    const int s = program->s;
    double *C = flow->work;

    for (int q = 0; q < program->npoints; q++) {
        const double r = 2.0 * flow->eta[q] * flow->inverse_reynolds[q];

        program->viscosity[q] = program->step[q] = r;
        memset(C + s * s * q, 0, (size_t)(s * s) * sizeof *C);
        for (int c = 0; c < s; c++)
            C[s * s * q + c * (s + 1)] = program->weight[q] * r * (c == 0 ? program->bulk : 1.0);
    }
    program->step_is_safe = program->bulk == 1.0;
    memset(program->A->value, 0, (size_t)program->A->start[program->n] * sizeof(double));
    sab_blocks_assemble(program->B, C, flow->scatter, program->A);
    if (flow->bubble != NULL) {
        for (int i = 0; i < s * s * program->npoints; i++)
            C[i] *= SAB_BUBBLE_STIFFNESS - 1.0;
        sab_blocks_assemble(flow->bubble, C, flow->bubble_scatter, program->A);
    }

    double *stress = flow->work; /* C is no longer needed */
    for (int q = 0; q < program->npoints; q++)
        for (int c = 0; c < s; c++)
            stress[s * q + c] = -program->weight[q] * program->viscosity[q] *
                                (c == 0 ? program->bulk : 1.0) * program->k[s * q + c];
    sab_space_restrict(flow->space, flow->dofs, flow->load, program->l);
    sab_blocks_multiply_transpose(program->B, stress, program->l);
    flow->cpu_assembly += sab_cpu_seconds() - start;
}

sab_status sab_flow_create(const sab_flow_setup *setup, sab_flow **flow, sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_mesh *mesh = setup->mesh;
    const int s = setup->geometry->s;
    sab_flow *f = NULL;

    *flow = NULL;
    SAB_NEW(f, 1);
    f->setup = *setup;
    SAB_NEW(f->group, setup->nboundaries);
    SAB_TRY(sab_boundary_match(mesh, setup->nboundaries, setup->boundary, f->group, &f->boundaries,
                               err));
    SAB_TRY(
        sab_dofs_create(mesh, setup->nboundaries, setup->boundary, f->group, 0.0, &f->dofs, err));
    if (sab_dofs_rigid_motions(f->dofs, mesh) > 0) {
        status = sab_fail(err, SAB_ERR_INPUT,
                          "boundaries: nothing holds the material, it can move as a rigid body: "
                          "prescribe the velocity, or slip, on more of the boundary");
        goto cleanup;
    }
    if (f->dofs->nfree == 0) {
        status = sab_fail(err, SAB_ERR_INPUT,
                          "boundaries: every node has a prescribed velocity, "
                          "nothing is left to solve for");
        goto cleanup;
    }
    SAB_TRY(sab_space_create(mesh, setup->geometry, &f->space, err));
    f->space->bubbles = setup->bubbles;
    SAB_TRY(sab_program_create(s, f->space->npoints, sab_space_unknowns(f->space, f->dofs),
                               &f->program, err));
    const size_t points = (size_t)f->space->npoints, size = sab_space_size(f->space);
    SAB_NEW(f->load, size);
    SAB_NEW(f->u, f->program->n);
    SAB_NEW(f->lambda, (size_t)s * points);
    SAB_NEW(f->eta, points);
    SAB_NEW(f->inverse_reynolds, points);
    SAB_NEW(f->work, size > (size_t)(s * s) * points ? size : (size_t)(s * s) * points);
    SAB_NEW(f->strain, (size_t)s * points);
    SAB_TRY(sab_fields_create(f->space, &f->fields, err));

    const double start = sab_cpu_seconds();
    SAB_TRY(sab_space_body_force(f->space, setup->gravity, 0.0, f->load, err));
    SAB_TRY(
        sab_boundary_load(mesh, setup->nboundaries, setup->boundary, f->group, 0.0, f->load, err));
    SAB_TRY(evaluate_law(f, err));
    SAB_TRY(sab_space_strain(f->space, f->dofs, &f->program->B, f->program->k, err));
    SAB_TRY(sab_blocks_pattern(f->program->B, true, &f->program->A, err));
    SAB_TRY(sab_scatter_create(f->program->B, f->program->A, &f->scatter, err));
    if (setup->bubbles) {
        SAB_TRY(sab_space_bubble_strain(f->space, f->program->B, &f->bubble, err));
        SAB_TRY(sab_scatter_create(f->bubble, f->program->A, &f->bubble_scatter, err));
    }
    f->cpu_assembly += sab_cpu_seconds() - start;
    assemble(f);
    double expansion;
    if (sab_program_is_closed(f->program, f->work, f->u, &expansion) && expansion < -1e-6) {
        status = sab_fail(err, SAB_ERR_INPUT,
                          "boundaries: the velocities prescribed all around push more material in "
                          "than out, but its volume cannot decrease: leave a boundary free "
                          "(traction), or balance them");
        goto cleanup;
    }
    memset(f->u, 0, (size_t)f->program->n * sizeof *f->u);
    SAB_TRY(sab_solver_create(&setup->solver, f->program, &f->solver, err));
    *flow = f;
    f = NULL;
cleanup:
    sab_flow_destroy(&f);
    return status;
}

void sab_flow_destroy(sab_flow **flow)
{
    sab_flow *f = *flow;

    if (f != NULL) {
        sab_solver_destroy(&f->solver);
        sab_scatter_destroy(&f->scatter);
        sab_scatter_destroy(&f->bubble_scatter);
        sab_blocks_destroy(&f->bubble);
        sab_program_destroy(&f->program);
        sab_fields_destroy(&f->fields);
        sab_space_destroy(&f->space);
        sab_dofs_destroy(&f->dofs);
        SAB_FREE(f->group);
        SAB_FREE(f->load);
        SAB_FREE(f->u);
        SAB_FREE(f->lambda);
        SAB_FREE(f->eta);
        SAB_FREE(f->inverse_reynolds);
        SAB_FREE(f->work);
        SAB_FREE(f->strain);
        SAB_FREE(*flow);
    }
}

/* Velocity and all fields from u and lambda. */
static void update_fields(sab_flow *flow, double residual)
{
    const sab_program *program = flow->program;
    const sab_point_law law = {program->friction, program->yield, program->viscosity, program->bulk,
                               residual};

    sab_space_expand(flow->space, flow->dofs, flow->u, flow->work);
    sab_fields_update(flow->fields, flow->work, flow->lambda, &law);
}

/* eta <- (eta + formula)/2: for eta = |D| the plain update is an exact 2-cycle, because |D| is
 * proportional to 1/eta; the mean is the Babylonian square root [docs/theory.md, 9]. */
static sab_status update_viscosity(sab_flow *flow, sab_error *err)
{
    const int s = flow->program->s;
    double largest = 0.0;

    for (int q = 0; q < flow->program->npoints; q++) {
        const double *g = flow->fields->strain_rate + s * q, *x = flow->space->point + 2 * q;
        double shear2 = 0.0, value;

        for (int c = 1; c < s; c++)
            shear2 += g[c] * g[c];
        const sab_vars at = {.x = x[0],
                             .y = x[1],
                             .shear_rate = sqrt(shear2),
                             .pressure = flow->fields->pressure[q / 3]};
        const sab_status status =
            sab_function_at(&flow->setup.material->viscosity, &at, &value, err);
        if (status != SAB_OK)
            return status;
        if (value < 0.0)
            return sab_fail(err, SAB_ERR_INPUT,
                            "material.viscosity = %g at (%g, %g), shear rate %g, pressure %g: it "
                            "must not be negative",
                            value, x[0], x[1], at.shear_rate, at.pressure);
        flow->eta[q] = 0.5 * (flow->eta[q] + value);
        largest = fmax(largest, flow->eta[q]);
    }
    if (!(largest > 0.0))
        return sab_fail(err, SAB_ERR_INPUT, "material.viscosity is zero everywhere");
    for (int q = 0; q < flow->program->npoints; q++)
        flow->eta[q] = fmax(flow->eta[q], VISCOSITY_FLOOR * largest);
    return SAB_OK;
}

/* |new - old| / |new| of the strain rates, weighted by volume; old becomes new. */
static double strain_change(sab_flow *flow)
{
    const int s = flow->program->s;
    const double *now = flow->fields->strain_rate;
    double change = 0.0, size = 0.0;

    for (int i = 0; i < s * flow->program->npoints; i++) {
        const double m = flow->program->weight[i / s], d = now[i] - flow->strain[i];

        change += m * d * d;
        size += m * now[i] * now[i];
        flow->strain[i] = now[i];
    }
    return size > 0.0 ? sqrt(change / size) : 0.0;
}

typedef struct relay { /* passes rows on with the number of the viscosity iteration */
    const sab_flow_observer *observer;
    int viscosity_iteration;
} relay;

static bool relay_row(void *data, const sab_report *so_far)
{
    const relay *r = data;

    return r->observer->row(r->observer->data, r->viscosity_iteration, so_far);
}

/* Work of this program added to that of the earlier ones. */
static void add_work(sab_report *sum, const sab_report *now)
{
    sab_report total = *now;

    total.outer += sum->outer;
    total.inner += sum->inner;
    total.factorisations += sum->factorisations;
    total.solves += sum->solves;
    total.cpu_factorisation += sum->cpu_factorisation;
    total.cpu_solve += sum->cpu_solve;
    total.cpu_cones += sum->cpu_cones;
    total.cpu_total += sum->cpu_total;
    *sum = total;
}

sab_status sab_flow_solve(sab_flow *flow, const sab_flow_observer *observer,
                          sab_flow_report *report, sab_error *err)
{
    sab_status status = SAB_OK;
    const bool formula = flow->setup.material->has_viscosity;
    const int most = formula ? flow->setup.viscosity_iterations : 1;
    relay r = {observer, 0};
    const sab_solve_observer rows = {relay_row, &r};

    *report = (sab_flow_report){0};
    for (int k = 1; k <= most && !(formula && report->converged); k++) {
        sab_report one;

        r.viscosity_iteration = k;
        if (k > 1) {
            SAB_TRY(update_viscosity(flow, err));
            assemble(flow);
        }
        SAB_TRY(sab_solver_run(flow->solver, flow->program, true, flow->lambda, flow->u,
                               observer != NULL ? &rows : NULL, &one, err));
        add_work(&report->solve, &one);
        update_fields(flow, one.certificate.natural);
        report->viscosity_iterations = k;
        report->viscosity_change = formula ? strain_change(flow) : 0.0;
        report->converged =
            one.reason == SAB_CONVERGED &&
            (!formula || (k > 1 && report->viscosity_change <= flow->setup.viscosity_tolerance));
    }
cleanup:
    return status;
}

double sab_flow_memory(const sab_flow *flow)
{
    const sab_program *p = flow->program;
    const double points = p->npoints, s = p->s, size = (double)sab_space_size(flow->space);
    const double values = (double)p->B->value_start[p->B->nblocks];
    const double columns = (double)p->B->column_start[p->B->nblocks];
    const double scatter = (double)flow->scatter->start[p->B->nblocks];
    const double entries = (double)p->A->start[p->n];
    const sab_factor_info info = sab_factor_get_info(sab_solver_factor(flow->solver));

    /* matrix with its 64-bit rows, where its entries come from, and its factor with the workspace
     * of a factorisation (a quarter of it): once for A, once for the matrix of the interior point,
     * which also keeps the places of A's entries */
    const double matrices = 2.0 * (16.0 * entries + 4.0 * scatter + 10.0 * info.entries);

    /* B, the blocks G^-1 and m G^-1, about 45 vectors of points, the mesh and its fields */
    return matrices + 8.0 * values + 4.0 * columns + 8.0 * points * (2.0 * s * s + 45.0 * s) +
           8.0 * 30.0 * size;
}
