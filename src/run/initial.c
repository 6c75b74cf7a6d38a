/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/initial.h"
#include "base/memory.h"
#include "run/state.h"

#include <stdio.h>
#include <string.h>

/* Share of the volume that may be outside the other mesh: a corner, not a part of the problem. */
static const double OUTSIDE = 0.1;

void sab_initial_pack(const sab_transfer_report *r, double number[SAB_INITIAL_NUMBERS])
{
    const double n[SAB_INITIAL_NUMBERS] = {r->places,     r->clamped,          r->farthest,
                                           r->outside,    r->energy,           r->energy_source,
                                           r->divergence, r->divergence_source};

    memcpy(number, n, sizeof n);
}

void sab_initial_unpack(const double n[SAB_INITIAL_NUMBERS], sab_transfer_report *r)
{
    *r = (sab_transfer_report){(int)n[0], (int)n[1], n[2], n[3], n[4], n[5], n[6], n[7]};
}

/* ---- the other mesh -------------------------------------------------------------------------- */

/* Geometry and element of the state: "plane p2b"; NULL if it does not say. */
static sab_status read_kind(const sab_checkpoint *c, const sab_session *session,
                            const sab_element **element, sab_error *err)
{
    const sab_checkpoint_block *b;
    char geometry[32] = "", name[32] = "";

    *element = NULL;
    if (sab_checkpoint_get(c, "space", SAB_CHECKPOINT_TEXT, SAB_ANY_COUNT, &b, NULL) != SAB_OK)
        return SAB_OK;
    if (sscanf(b->data, "%31s %31s", geometry, name) != 2 ||
        (*element = sab_element_find(name)) == NULL)
        return sab_fail(err, SAB_ERR_INPUT, "its block 'space' is not known: '%s'",
                        (const char *)b->data);
    if (strcmp(geometry, session->c->geometry->name) != 0)
        return sab_fail(err, SAB_ERR_INPUT, "it is a state of geometry: %s, this case is %s",
                        geometry, session->c->geometry->name);
    return (*element)->cell == session->c->element->cell
               ? SAB_OK
               : sab_fail(err, SAB_ERR_INPUT, "its element '%s' is not of geometry %s", name,
                          geometry);
}

/* Nodes and elements as they were; the file has a checksum, and the hash of the mesh is another. */
static sab_status read_mesh(const sab_checkpoint *c, const sab_cell *cell, sab_mesh **mesh,
                            sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_checkpoint_block *b, *nodes, *elements;
    double *x = NULL;
    int *element = NULL;

    *mesh = NULL;
    SAB_TRY(sab_checkpoint_get(c, "mesh", SAB_CHECKPOINT_INTEGER, 4, &b, err));
    const int64_t *count = b->data;
    SAB_TRY(sab_checkpoint_get(c, "nodes", SAB_CHECKPOINT_REAL, SAB_ANY_COUNT, &nodes, err));
    SAB_TRY(
        sab_checkpoint_get(c, "elements", SAB_CHECKPOINT_INTEGER, SAB_ANY_COUNT, &elements, err));
    if (count[1] <= 0 || count[1] > INT32_MAX || count[2] <= 0 || count[2] > INT32_MAX ||
        nodes->count != (size_t)count[1] * (size_t)cell->dim ||
        elements->count != (size_t)count[2] * (size_t)cell->nodes)
        SAB_FAIL(err, SAB_ERR_INPUT, "its nodes and elements are not as many as it says");
    SAB_NEW(x, nodes->count);
    SAB_NEW(element, elements->count);
    memcpy(x, nodes->data, nodes->count * sizeof *x);
    for (size_t i = 0; i < elements->count; i++) {
        const int64_t node = ((const int64_t *)elements->data)[i];

        element[i] = node >= 0 && node < count[1] ? (int)node : -1; /* refused below */
    }
    status = sab_mesh_create(cell, (int)count[1], x, (int)count[2], element, mesh, err);
    x = NULL;
    element = NULL;
    SAB_TRY(status);
    if (sab_mesh_hash(*mesh) != (uint64_t)count[0]) {
        sab_mesh_destroy(mesh);
        SAB_FAIL(err, SAB_ERR_INPUT, "its nodes and elements are not those of its state");
    }
cleanup:
    SAB_FREE(x);
    SAB_FREE(element);
    return status;
}

/* ---- the state ------------------------------------------------------------------------------- */

/* What of a state a new run takes: velocity and stress, at time 0, with its own law. */
static sab_status start_from(sab_flow *flow, sab_flow_state state, sab_error *err)
{
    const sab_flow_state own = sab_flow_get_state(flow);

    state.steps = 0;
    state.time = state.at = 0.0;
    state.level = 0;
    state.previous = state.velocity;
    state.inertia = own.inertia;
    state.factored = own.factored;
    state.eta = own.eta; /* those of this material */
    state.nu = own.nu;
    return sab_flow_restore(flow, &state, err);
}

/* The state on the mesh of this run, with what is prescribed there. */
static sab_status interpolate(const sab_space *from, const sab_flow_state *state, sab_flow *flow,
                              sab_transfer_report *report, sab_error *err)
{
    const sab_flow_state own = sab_flow_get_state(flow);
    sab_status status = SAB_OK;
    double *velocity = NULL, *lambda = NULL;
    sab_flow_state start = own;

    SAB_NEW(velocity, own.nvelocity);
    SAB_NEW(lambda, own.nstress); /* that of walls with friction starts from 0 */
    SAB_TRY(sab_transfer(from, state->velocity, state->lambda, flow->space, velocity, lambda,
                         report, err));
    if (report->outside > OUTSIDE)
        SAB_FAIL(err, SAB_ERR_INPUT,
                 "%.3g %% of this mesh is outside that of the state, more than %g %%: they are not "
                 "meshes of one problem",
                 100.0 * report->outside, 100.0 * OUTSIDE);
    sab_space_take(flow->space, flow->dofs, velocity, flow->u);
    sab_space_expand(flow->space, flow->dofs, flow->u, velocity);
    SAB_TRY(sab_transfer_measure(from, state->velocity, &report->energy_source,
                                 &report->divergence_source, err));
    SAB_TRY(sab_transfer_measure(flow->space, velocity, &report->energy, &report->divergence, err));
    start.velocity = velocity;
    start.lambda = lambda;
    start.natural = state->natural;
    SAB_TRY(start_from(flow, start, err));
cleanup:
    SAB_FREE(velocity);
    SAB_FREE(lambda);
    return status;
}

static sab_status from_another(const sab_checkpoint *c, const sab_element *element,
                               const sab_flow_state *state, sab_session *session, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_mesh *mesh = NULL;
    sab_space *space = NULL;

    if (element == NULL)
        SAB_FAIL(err, SAB_ERR_INPUT,
                 "it is a state on another mesh, or of another element, and does not hold the "
                 "mesh: an older version has written it; make it again with this one");
    SAB_TRY(read_mesh(c, element->cell, &mesh, err));
    SAB_TRY(sab_space_create(mesh, element, session->c->geometry, &space, err));
    const size_t stress = (size_t)session->c->geometry->s * (size_t)space->npoints;
    if (state->nvelocity != sab_space_size(space) || state->nstress < stress ||
        state->npoints != (size_t)space->npoints)
        SAB_FAIL(err, SAB_ERR_INPUT, "its velocities and stresses are not those of its mesh");
    SAB_TRY(interpolate(space, state, session->flow, &session->transfer, err));
cleanup:
    sab_space_destroy(&space);
    sab_mesh_destroy(&mesh);
    return status;
}

/* The same mesh and element: the state as it is, bit for bit. */
static sab_status take(const sab_checkpoint *c, sab_session *session, sab_error *err)
{
    const sab_flow_state own = sab_flow_get_state(session->flow);
    sab_status status = SAB_OK;
    const sab_element *element;
    sab_flow_state state;
    bool same = false;

    SAB_TRY(read_kind(c, session, &element, err));
    SAB_TRY(sab_state_check_mesh(c, session, &same, NULL, err));
    SAB_TRY(sab_state_get_flow(c, &state, err));
    if (same && state.nvelocity == own.nvelocity && state.npoints == own.npoints)
        SAB_TRY(start_from(session->flow, state, err));
    else
        SAB_TRY(from_another(c, element, &state, session, err));
cleanup:
    return status;
}

sab_status sab_initial_take(sab_session *session, sab_error *err)
{
    sab_error why = {0};
    sab_checkpoint *c = NULL;
    sab_status status = sab_checkpoint_read(session->c->initial_from, &c, &why);

    if (status == SAB_OK)
        status = take(c, session, &why);
    if (status != SAB_OK)
        sab_fail(err, status, "initial.from: %s", why.message);
    sab_checkpoint_destroy(&c);
    return status;
}
