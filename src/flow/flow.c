/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "flow/flow.h"
#include "base/memory.h"
#include "base/timer.h"
#include "fem/axis.h"
#include "fem/flux.h"
#include "flow/inertia.h"
#include "flow/law.h"
#include "flow/assemble.h"
#include "flow/gates.h"
#include "flow/walls.h"

#include <math.h>
#include <string.h>

/* C [s][s] = scale E_b. */
static void fill_law(int s, double scale, double bulk, double *C)
{
    memset(C, 0, (size_t)(s * s) * sizeof *C);
    for (int c = 0; c < s; c++)
        C[c * (s + 1)] = scale * (c == 0 ? bulk : 1.0);
}

/* What the law does not see of the bubbles has the viscosity of its element: the sum has no
 * negative value, which only makes r W smaller [docs/theory.md, 4.9]. */
static void assemble_remainder(sab_flow *flow)
{
    const sab_program *program = flow->program;
    const sab_space *space = flow->space;
    const int s = program->s, points = space->remainder->n;
    const double factor = space->remainder_factor;

    for (int p = 0; p < flow->remainder->n; p++) {
        const double nu =
            sab_space_remainder_value(space, program->viscosity, p / points, p % points);
        double *C = flow->work + (size_t)(s * s) * (size_t)p;

        fill_law(s, 2.0 * flow->remainder->weight[p] * nu, program->bulk, C);
        for (int i = 0; i < s * s; i++)
            C[i] *= factor;
    }
    sab_blocks_assemble(flow->remainder->B, flow->work, flow->remainder_scatter, program->A);
}

/* A = sum m nu B^T E_b B + factor N^T N + D for the present law, nu = 2 eta/Re and what mu(I) adds.
 * Without inertia the step nu makes r W a projector if b = 1 [docs/theory.md, 4]; between bubbles A
 * is more than that sum, which only makes r W smaller. With inertia r is a scale only
 * [docs/theory.md, 3.3]. */
void sab_flow_assemble_matrix(sab_flow *flow)
{
    const double start = sab_cpu_seconds();
    const sab_inertia *inertia = flow->inertia;
    const double inert = inertia != NULL ? inertia->factor * inertia->length2 : 0.0;
    sab_program *program = flow->program;
    const int s = program->s;
    double *C = flow->work;

    sab_flow_law_apply(flow->law, inert, program);
    sab_flow_walls_apply(flow);
    for (int q = 0; q < program->npoints; q++)
        fill_law(s, program->weight[q] * program->viscosity[q],
                 q < flow->space->npoints ? program->bulk : 0.0, C + (size_t)(s * s) * (size_t)q);
    program->inertial = inertia != NULL;
    program->r_is_safe = program->bulk == 1.0 && inertia == NULL && flow->walls == NULL;
    memset(program->A->value, 0, (size_t)program->A->start[program->n] * sizeof(double));
    sab_blocks_assemble(program->B, C, flow->scatter, program->A);
    if (flow->remainder != NULL)
        assemble_remainder(flow);
    if (flow->surface != NULL) {
        sab_surface_assemble(flow);
    } else if (inertia != NULL) {
        sab_mass_assemble(inertia->mass, inertia->factor, flow->scatter, program->A);
        sab_inflow_assemble(inertia->inflow, program->A);
    }
    flow->stale = true;
    flow->counted = false;
    flow->cpu_assembly += sab_cpu_seconds() - start;
}

/* l = load - B^T M (2 eta/Re) E_b k. */
void sab_flow_assemble_load(sab_flow *flow)
{
    const double start = sab_cpu_seconds();
    sab_program *program = flow->program;
    const int s = program->s;
    double *stress = flow->work;

    if (flow->inertia != NULL)
        sab_inertia_load(flow->inertia, flow, flow->load, program->carried, program->l);
    else
        sab_space_restrict(flow->space, flow->dofs, flow->load, program->l);
    for (int q = 0; q < program->npoints; q++) {
        const double bulk = q < flow->space->npoints ? program->bulk : 0.0;

        for (int c = 0; c < s; c++)
            stress[s * q + c] = -program->weight[q] * program->viscosity[q] *
                                (c == 0 ? bulk : 1.0) * program->k[s * q + c];
    }
    sab_blocks_multiply_transpose(program->B, stress, program->l);
    flow->cpu_assembly += sab_cpu_seconds() - start;
}

/* Gravity and tractions of time t; `weight`, if it is not NULL, gets gravity alone. */
static sab_status assemble_applied(sab_flow *flow, double t, double *F, double *weight,
                                   sab_error *err)
{
    const sab_flow_setup *setup = &flow->setup;
    const size_t size = sab_space_size(flow->space);
    sab_status status = SAB_OK;

    memset(F, 0, size * sizeof *F);
    SAB_TRY(sab_space_body_force(flow->space, setup->gravity, t, F, err));
    if (weight != NULL)
        memcpy(weight, F, size * sizeof *F);
    SAB_TRY(sab_boundary_load(flow->space, setup->nboundaries, setup->boundary, flow->group, t, F,
                              err));
cleanup:
    return status;
}

sab_status sab_flow_set_time(sab_flow *flow, double t, sab_error *err)
{
    const sab_flow_setup *setup = &flow->setup;
    sab_status status = SAB_OK;
    sab_dofs *dofs = NULL;

    flow->time = t;
    if (flow->inertia->law_varies) {
        SAB_TRY(sab_flow_law_set(flow->law, t, flow->program, err));
        SAB_TRY(sab_flow_walls_set(flow, err));
        sab_flow_assemble_matrix(flow);
    }
    if (!flow->inertia->varies)
        return SAB_OK;
    SAB_TRY(sab_dofs_create(setup->mesh, setup->geometry,
                            sab_element_faces(setup->element, setup->mesh), setup->nboundaries,
                            setup->boundary, flow->group, t, &dofs, err));
    sab_dofs_destroy(&flow->dofs);
    flow->dofs = dofs;
    SAB_TRY(assemble_applied(flow, t, flow->inertia->applied, flow->inertia->weight, err));
    sab_inertia_prescribe(flow->inertia, flow);
    sab_space_strain_rate(flow->space, flow->inertia->prescribed, flow->program->k);
    SAB_TRY(sab_flow_walls_move(flow, err));
cleanup:
    return status;
}

void sab_flow_update_fields(sab_flow *flow)
{
    const sab_program *program = flow->program;
    const sab_material *material = flow->setup.material;
    sab_point_law law = {.friction = program->friction,
                         .yield = program->yield,
                         .viscosity = program->viscosity,
                         .rate = flow->law->nu,
                         .bulk = program->bulk,
                         .residual = flow->natural,
                         .mu_i = material->has_mu_i ? &material->mu_i : NULL,
                         .r = program->r};

    if (flow->surface != NULL) {
        sab_surface_scale(flow);
        law.viscosity = flow->surface->scaled;
        law.rate = law.viscosity + program->npoints;
        law.yield = law.rate + program->npoints;
    }
    sab_space_expand(flow->space, flow->dofs, flow->u, flow->work);
    sab_fields_update(flow->fields, flow->work,
                      flow->surface != NULL ? flow->surface->lambda : flow->lambda, &law);
    sab_flow_walls_update(flow);
}

/* The largest extent along an axis. */
static double domain_size(const sab_mesh *mesh)
{
    const int dim = mesh->cell->dim;
    double size = 0.0;

    for (int i = 0; i < dim; i++) {
        double low = mesh->x[i], high = mesh->x[i];

        for (int node = 1; node < mesh->nnodes; node++) {
            low = fmin(low, sab_mesh_x(mesh, node)[i]);
            high = fmax(high, sab_mesh_x(mesh, node)[i]);
        }
        size = fmax(size, high - low);
    }
    return size;
}

/* l0^2 of r = 2 eta/Re + factor l0^2, from the response u0 of a body at rest to the loads without
 * its resistance [docs/theory.md, 3.3]:
 *     l0^2 = (int |u0|^2) V / (int |gamma0|)^2,
 * l0 the length on which u0 varies, at most the size of the domain (u0 may be rigid). The L1 norm
 * does not see how thin a boundary layer is, which without viscosity is a mesh width. */
static sab_status find_length(sab_flow *flow, sab_error *err)
{
    const sab_program *p = flow->program;
    const sab_mesh *mesh = flow->setup.mesh;
    double square = 0.0, rate = 0.0, volume = 0.0;
    sab_status status = SAB_OK;

    const sab_points *at = flow->inertia->mass->at;
    memset(flow->inertia->carried, 0, (size_t)at->s * (size_t)at->n * sizeof(double));
    sab_flow_assemble_load(flow);
    SAB_TRY(sab_solver_unresisted(flow->solver, p, flow->u, flow->strain, err));
    sab_space_expand(flow->space, flow->dofs, flow->u, flow->work);
    sab_mass_interpolate(flow->space, flow->work, flow->inertia->work);
    square = sab_mass_square(flow->inertia->mass, flow->inertia->work);
    for (int q = 0; q < flow->space->npoints; q++) {
        double g2 = 0.0;

        for (int c = 0; c < p->s; c++)
            g2 += flow->strain[p->s * q + c] * flow->strain[p->s * q + c];
        rate += p->weight[q] * sqrt(g2);
        volume += p->weight[q];
    }
    const double size = domain_size(mesh);
    const double length2 = square * volume / (rate * rate);
    flow->inertia->length2 = length2 > 0.0 && length2 < size * size ? length2 : size * size;
    sab_flow_assemble_matrix(flow);
cleanup:
    return status;
}

/* All loads over the size of the domain: the pressure that a body of this weight may have. */
static double pressure_scale(const sab_flow *flow)
{
    double load = 0.0;

    for (size_t i = 0; i < sab_space_size(flow->space); i++)
        load += fabs(flow->load[i]);
    return load > 0.0 ? load / domain_size(flow->setup.mesh) : 1.0;
}

/* A velocity vector, or a matrix [s][s] at every point of the program, or at every point of the
 * remainder. */
static size_t work_size(const sab_space *space, int npoints)
{
    const size_t square = (size_t)space->geometry->s * (size_t)space->geometry->s;
    const size_t law = (size_t)npoints, size = sab_space_size(space);
    const size_t rest =
        space->remainder == NULL ? 0 : (size_t)space->remainder->n * (size_t)space->mesh->nelements;
    const size_t most = square * (law > rest ? law : rest);

    return size > most ? size : most;
}

/* A creeping flow has no unique velocity where a part of the mesh can move as a rigid body.
 * Friction does not hold it: under too large a load it slides, as fast as you like. */
static sab_status refuse_loose(const sab_flow *f, sab_error *err)
{
    const sab_mesh *mesh = f->setup.mesh;
    sab_support held = {0};
    int motions = 0, node;
    sab_status status = SAB_OK;

    SAB_TRY(sab_flow_walls_held(f, &held, err));
    SAB_TRY(sab_dofs_rigid_motions(f->dofs, mesh, f->setup.geometry, &held, &motions, &node, err));
    if (motions == 0)
        goto cleanup;
    const double *x = sab_mesh_x(mesh, node);
    status = sab_fail(
        err, SAB_ERR_INPUT,
        "boundaries: nothing holds the material at (%g, %g%s), it can move as a rigid "
        "body: %s",
        x[0], x[1], mesh->cell->dim > 2 ? ", ..." : "",
        f->walls == NULL ? "prescribe the velocity, or slip, on more of its boundary"
                         : "a creeping flow that only friction holds has no velocity of its own; "
                           "give inertia (time.scheme: inertial), drag on walls that meet at an "
                           "angle, or prescribed velocities");
cleanup:
    SAB_FREE(held.node);
    SAB_FREE(held.direction);
    return status;
}

sab_status sab_flow_create(const sab_flow_setup *setup, sab_flow **flow, sab_error *err)
{
    return sab_flow_build(setup, NULL, flow, err);
}

sab_status sab_flow_build(const sab_flow_setup *given, sab_space *space, sab_flow **flow,
                          sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_mesh *mesh = given->mesh;
    const int s = given->geometry->s;
    sab_flow *f = NULL;

    *flow = NULL;
    SAB_NEW(f, 1);
    SAB_TRY(sab_gates_setup(given, f, err));
    const sab_flow_setup *setup = &f->setup;
    SAB_NEW(f->group, setup->nboundaries);
    SAB_TRY(sab_geometry_check_mesh(mesh, setup->geometry, err));
    SAB_TRY(sab_boundary_match(mesh, setup->geometry, setup->nboundaries, setup->boundary, f->group,
                               &f->boundaries, err));
    SAB_TRY(sab_dofs_create(mesh, setup->geometry, sab_element_faces(setup->element, mesh),
                            setup->nboundaries, setup->boundary, f->group, 0.0, &f->dofs, err));
    if (f->dofs->nfree == 0) {
        status = sab_fail(err, SAB_ERR_INPUT,
                          "boundaries: every node has a prescribed velocity, "
                          "nothing is left to solve for");
        goto cleanup;
    }
    f->space = space;
    if (space == NULL)
        SAB_TRY(sab_space_create(mesh, setup->element, setup->geometry, &f->space, err));
    SAB_TRY(sab_wall_points_create(f->space, f->dofs, setup->nboundaries, setup->boundary, f->group,
                                   domain_size(mesh), &f->walls, err));
    if (setup->dt == 0.0)
        SAB_TRY(refuse_loose(f, err));
    SAB_TRY(sab_flow_walls_program(f, err));
    const size_t points = (size_t)f->program->npoints;
    SAB_NEW(f->load, sab_space_size(f->space));
    SAB_NEW(f->u, f->program->n);
    SAB_NEW(f->lambda, (size_t)s * points);
    SAB_TRY(sab_flow_law_create(setup->material, f->space, setup->dt == 0.0, &f->law, err));
    f->rate = (sab_rate_law){sab_flow_law_follow, f->law};
    f->law->npoints = f->program->npoints;
    SAB_NEW(f->work, work_size(f->space, f->program->npoints));
    SAB_NEW(f->strain, (size_t)s * points);
    if (setup->dt > 0.0)
        SAB_NEW(f->program->carried, f->program->n);
    SAB_TRY(sab_fields_create(f->space, &f->fields, err));
    f->fields->walls = f->walls;
    f->fields->traction = f->traction;
    f->fields->wall_force = f->wall_force;

    const double start = sab_cpu_seconds();
    SAB_TRY(assemble_applied(f, 0.0, f->load, NULL, err));
    SAB_TRY(sab_flow_law_set(f->law, 0.0, f->program, err));
    if (setup->dt == 0.0)
        sab_flow_law_guess(f->law, pressure_scale(f));
    SAB_TRY(sab_flow_walls_set(f, err));
    SAB_TRY(sab_space_strain(f->space, f->dofs, &f->program->B, f->program->k, err));
    SAB_TRY(sab_flow_walls_join(f, err));
    SAB_TRY(sab_blocks_pattern(f->program->B, true, &f->program->A, err));
    SAB_TRY(sab_scatter_create(f->program->B, f->program->A, &f->scatter, err));
    if (f->space->remainder != NULL) {
        SAB_TRY(sab_points_remainder(f->space, f->dofs, &f->remainder, err));
        SAB_TRY(sab_scatter_create(f->remainder->B, f->program->A, &f->remainder_scatter, err));
    }
    if (setup->dt > 0.0) {
        SAB_TRY(sab_inertia_create(f, &f->inertia, err));
        f->inertia->factor = (setup->order == 2 ? 1.5 : 1.0) / setup->dt;
        sab_inertia_prescribe(f->inertia, f);
    }
    if (setup->surface != NULL) {
        SAB_TRY(sab_surface_create(f, &f->surface, err));
        SAB_TRY(sab_surface_prepare(f, setup->dt, err));
    }
    f->cpu_assembly += sab_cpu_seconds() - start;
    sab_flow_assemble_matrix(f);
    sab_flow_assemble_load(f);
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
    if (f->inertia != NULL) {
        SAB_TRY(find_length(f, err));
        sab_space_take(f->space, f->dofs, f->inertia->velocity, f->u);
        sab_flow_update_fields(f);
    }
    *flow = f;
    f = NULL;
cleanup:
    if (f != NULL && space != NULL)
        f->space = NULL; /* still the caller's */
    sab_flow_destroy(&f);
    return status;
}

void sab_flow_destroy(sab_flow **flow)
{
    sab_flow *f = *flow;

    if (f != NULL) {
        sab_solver_destroy(&f->solver);
        sab_inertia_destroy(&f->inertia);
        sab_surface_destroy(&f->surface);
        sab_scatter_destroy(&f->scatter);
        sab_scatter_destroy(&f->remainder_scatter);
        sab_points_destroy(&f->remainder);
        sab_program_destroy(&f->program);
        sab_fields_destroy(&f->fields);
        sab_flow_law_destroy(&f->law);
        sab_wall_points_destroy(&f->walls);
        sab_space_destroy(&f->space);
        sab_dofs_destroy(&f->dofs);
        SAB_FREE(f->own);
        SAB_FREE(f->group);
        SAB_FREE(f->load);
        SAB_FREE(f->u);
        SAB_FREE(f->lambda);
        SAB_FREE(f->slip);
        SAB_FREE(f->traction);
        SAB_FREE(f->wall_force);
        SAB_FREE(f->work);
        SAB_FREE(f->strain);
        SAB_FREE(*flow);
    }
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

void sab_flow_add_work(sab_report *sum, const sab_report *now)
{
    sab_report total = *now;

    sab_work_add(&total.work, &sum->work);
    *sum = total;
}

/* What the rate law is violated by, in parts of the power that responds to rate
 * [docs/theory.md, 7.7]. */
static sab_status measure_rate(sab_flow *flow, sab_flow_report *report, sab_error *err)
{
    const sab_certificate *c = &report->solve.certificate;
    double power;
    const sab_status status = sab_flow_law_violation(
        flow->law, flow->program->weight, flow->fields->strain_rate, flow->lambda, &power, err);

    report->rate_residual =
        status == SAB_OK && !c->at_rest && c->response > 0.0 ? power / c->response : 0.0;
    return status;
}

/* What has missed the tolerance: the program, or the rate law. */
static sab_limit find_miss(const sab_flow *flow, const sab_report *one,
                           const sab_flow_report *report)
{
    const double tolerance = flow->setup.solver.tolerance;
    const sab_limit missed = sab_report_missed(one, tolerance);

    if (missed.by == SAB_MISS_NONE && !(report->rate_residual <= tolerance))
        return (sab_limit){SAB_MISS_RATE, report->rate_residual};
    return missed;
}

/* What a program, or the certificate of one, has found: its work, the fields, and what missed. */
static sab_status take_answer(sab_flow *flow, sab_report *one, sab_flow_report *report,
                              sab_error *err)
{
    sab_status status = SAB_OK;

    one->work.factorisations -= flow->stale && flow->counted;
    flow->stale = flow->counted = false;
    sab_flow_add_work(&report->solve, one);
    flow->natural = one->certificate.natural;
    sab_flow_update_fields(flow);
    SAB_TRY(measure_rate(flow, report, err));
    report->missed = find_miss(flow, one, report);
cleanup:
    return status;
}

/* The law of the flow that was found, and whether that flow solves its program too. */
static sab_status follow_flow(sab_flow *flow, bool *solves, sab_flow_report *report, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_report one;

    SAB_TRY(sab_flow_law_refresh(flow->law, flow->fields->strain_rate, flow->lambda,
                                 *solves ? 1.0 : 0.5, err));
    sab_flow_assemble_matrix(flow);
    sab_flow_assemble_load(flow);
    if (!*solves)
        return SAB_OK;
    SAB_TRY(sab_solver_certify(flow->solver, flow->program, flow->stale, flow->lambda, flow->u,
                               &one, err));
    SAB_TRY(take_answer(flow, &one, report, err));
    *solves = report->missed.by == SAB_MISS_NONE;
cleanup:
    return status;
}

/* A creeping flow has no step before, and one whose surface moves has elements that were empty
 * then: its program follows the law. What little that leaves of a
 * formula, which is followed half the way, is sooner found with eta at rest. */
static const sab_rate_law *rate_to_follow(const sab_flow *flow, int k)
{
    const bool follow = (flow->inertia == NULL || flow->surface != NULL) &&
                        (k == 1 || !flow->setup.material->has_viscosity);

    return flow->law->rated && follow ? &flow->rate : NULL;
}

sab_status sab_flow_solve(sab_flow *flow, const sab_flow_observer *observer,
                          sab_flow_report *report, sab_error *err)
{
    const int allowed = flow->law->rated ? flow->setup.viscosity_iterations : 1;
    relay r = {observer, 0};
    const sab_solve_observer rows = {relay_row, &r};
    bool followed = false; /* an interior point has followed the law: certify its answer */
    sab_limit open = {SAB_MISS_NONE, 0.0}; /* what the last such certificate has left open */
    sab_status status = SAB_OK;

    *report = (sab_flow_report){0};
    for (int k = 1; k == 1 || k <= allowed; k++) {
        sab_report one;

        if (k > 1) {
            const bool certified = followed;

            SAB_TRY(follow_flow(flow, &followed, report, err));
            if (certified)
                open = report->missed;
            report->converged = followed;
            if (report->converged)
                break;
        }
        r.viscosity_iteration = report->viscosity_iterations = k;
        flow->program->rate = rate_to_follow(flow, k);
        SAB_TRY(sab_solver_run(flow->solver, flow->program, flow->stale, flow->lambda, flow->u,
                               observer != NULL ? &rows : NULL, &one, err));
        SAB_TRY(take_answer(flow, &one, report, err));
        followed = one.followed;
        report->converged = report->missed.by == SAB_MISS_NONE && !followed;
        if (report->converged || report->missed.by == SAB_MISS_INFEASIBLE)
            break; /* the latter whatever the viscosity */
    }
    if (!report->converged && report->missed.by == SAB_MISS_NONE) /* followed, but not certified */
        report->missed =
            open.by != SAB_MISS_NONE ? open : (sab_limit){SAB_MISS_RATE, report->rate_residual};
cleanup:
    return status;
}

/* Does the plan have an interior point whose matrix is not symmetric? */
static bool needs_lu(const sab_flow *flow)
{
    const sab_method method = flow->setup.solver.method;

    return !sab_program_is_convex(flow->program) &&
           (method == SAB_METHOD_AUTO || sab_method_table[method].exactness > 0.0);
}

sab_flow_memory sab_flow_memory_of(const sab_flow *flow)
{
    const sab_program *p = flow->program;
    const double points = p->npoints, s = p->s, size = (double)sab_space_size(flow->space);
    const double values = (double)p->B->value_start[p->B->nblocks];
    const double columns = (double)p->B->column_start[p->B->nblocks];
    const double scatter = (double)flow->scatter->start[p->B->nblocks];
    const double entries = (double)p->A->start[p->n];
    const sab_factor_info info = sab_factor_get_info(sab_solver_factor(flow->solver));
    const bool lu = needs_lu(flow), creeping = flow->inertia == NULL;

    /* matrix with its 64-bit rows, where its entries come from, both again if it is condensed: for
     * A, for the interior point, which also keeps the places of A's entries and has both triangles
     * if it is unsymmetric, and, where there are bubbles, for the first guess of a creeping flow */
    const double copies = info.condensed > 0 ? 2.0 : 1.0;
    const double matrix = copies * (16.0 * entries + 4.0 * scatter);
    const double guess = creeping && info.condensed > 0 ? 1.0 : 0.0;
    double rest = (2.0 + guess) * matrix + (lu ? copies * 16.0 * entries : 0.0);

    /* factors with the workspace of a factorisation, as the analysis has counted them; MUMPS does
     * not say */
    const double llt = info.bytes_llt > 0.0 ? info.bytes_llt : 12.0 * info.entries;
    const double full = info.bytes_lu > 0.0 ? info.bytes_lu : 24.0 * info.entries;
    const double factors = (1.0 + guess) * llt + (lu ? full : llt);

    /* B, the blocks G^-1 and m G^-1, about 45 vectors of points, the mesh and its fields */
    rest +=
        8.0 * values + 4.0 * columns + 8.0 * points * (2.0 * s * s + 45.0 * s) + 8.0 * 30.0 * size;
    if (!creeping) { /* velocities at the points of the mass, and about 25 vectors there */
        const sab_points *mass = flow->inertia->mass->at;
        const double dim = flow->space->geometry->dim;

        rest += 8.0 * (double)mass->B->value_start[mass->B->nblocks] +
                8.0 * (double)mass->n * dim * (dim + 25.0);
    }
    return (sab_flow_memory){.factors = factors, .rest = rest};
}
