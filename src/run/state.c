/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/state.h"
#include "base/memory.h"
#include "base/path.h"
#include "run/history.h"
#include "io/file.h"

#include <stdio.h>
#include <math.h>
#include <assert.h>
#include <string.h>

enum { MOST_BLOCKS = 28, CARRIER = 3 * SAB_DIM + 2 }; /* numbers of a carrier */

void sab_run_state_destroy(sab_run_state *run)
{
    sab_text_destroy(&run->convergence);
    SAB_FREE(run->frame);
}

sab_status sab_run_state_add_frame(sab_run_state *run, double time, sab_error *err)
{
    if (run->nframes == run->capacity) {
        const int capacity = 2 * run->capacity + 16;
        double *grown = sab_realloc(run->frame, (size_t)capacity, sizeof *grown);

        if (grown == NULL)
            return sab_fail(err, SAB_ERR_MEMORY, "out of memory for %d frames", capacity);
        run->frame = grown;
        run->capacity = capacity;
    }
    run->frame[run->nframes++] = time;
    return SAB_OK;
}

/* ---- numbers of a report, in the order of the file ------------------------------------------- */

/* `work` and `times` end with the counts and times of sab_work_table. */
enum { ENDS = 6, CLOCKS = 5, WORK = ENDS + SAB_WORK_COUNTS, TIMES = CLOCKS + SAB_WORK_TIMES };
enum { REPORT = 21, TRANSPORT = 5, OLD_STATE = 5, STATE = 7 };

static void pack_report(const sab_march *march, const sab_run_state *run, int64_t work[WORK],
                        int64_t transport[TRANSPORT], double report[REPORT], double times[TIMES])
{
    static const sab_march_flow none = {0}; /* of grains */
    const sab_flow_report *f = &march->total;
    const sab_march_flow *flow = sab_march_is_flow(march) ? sab_march_flow_of(march) : &none;
    const sab_transport_report *feet = &flow->transport;
    const sab_report *r = &f->solve;
    const sab_certificate *c = &r->certificate;
    const int64_t w[ENDS] = {run->ended,   f->retries,         f->viscosity_iterations,
                             f->missed.by, (int64_t)r->method, (int64_t)r->reason};
    const int64_t x[TRANSPORT] = {feet->points, feet->steps, feet->clamped, feet->left,
                                  feet->longest};
    const double d[REPORT] = {f->rate_residual,
                              r->change,
                              c->gap,
                              c->gap_friction,
                              c->gap_normal,
                              c->dissipation,
                              c->compaction,
                              c->natural,
                              c->natural_max,
                              c->stress,
                              c->momentum,
                              c->fischer_burmeister,
                              c->at_rest ? 1.0 : 0.0,
                              c->idle ? 1.0 : 0.0,
                              c->unresisted,
                              c->relative,
                              r->distance,
                              c->response,
                              c->gap_rate,
                              c->rated ? 1.0 : 0.0,
                              c->gap_wall};
    const double t[CLOCKS] = {run->cpu_assembly, run->cpu_output, run->cpu_total, run->wall,
                              flow->cpu_transport};

    memcpy(work, w, sizeof w);
    memcpy(transport, x, sizeof x);
    memcpy(report, d, sizeof d);
    memcpy(times, t, sizeof t);
    for (int i = 0; i < SAB_WORK_COUNTS; i++)
        work[ENDS + i] = (int64_t)sab_work_get(&r->work, i);
    for (int i = 0; i < SAB_WORK_TIMES; i++)
        times[CLOCKS + i] = sab_work_get(&r->work, SAB_WORK_COUNTS + i);
}

static sab_status unpack_report(const int64_t *w, const int64_t *x, const double *d,
                                const double *t, sab_march *march, sab_run_state *run,
                                sab_error *err)
{
    sab_flow_report *f = &march->total;

    if (w[3] < 0 || w[3] >= SAB_MISS_COUNT || w[4] < 0 || w[4] >= SAB_METHOD_COUNT || w[5] < 0 ||
        w[5] > SAB_INFEASIBLE)
        return sab_fail(err, SAB_ERR_INPUT,
                        "its block 'work' has a method or an end that is not known");
    run->ended = w[0] != 0;
    *f = (sab_flow_report){.viscosity_iterations = (int)w[2],
                           .rate_residual = d[0],
                           .retries = (int)w[1],
                           .missed = {(sab_miss)w[3], NAN},
                           .converged = w[3] == SAB_MISS_NONE};
    f->solve = (sab_report){
        .method = (sab_method)w[4], .reason = (sab_reason)w[5], .change = d[1], .distance = d[16]};
    for (int i = 0; i < SAB_WORK_COUNTS; i++)
        sab_work_set(&f->solve.work, i, (double)w[ENDS + i]);
    for (int i = 0; i < SAB_WORK_TIMES; i++)
        sab_work_set(&f->solve.work, SAB_WORK_COUNTS + i, t[CLOCKS + i]);
    f->solve.certificate = (sab_certificate){.gap = d[2],
                                             .gap_friction = d[3],
                                             .gap_normal = d[4],
                                             .dissipation = d[5],
                                             .compaction = d[6],
                                             .natural = d[7],
                                             .natural_max = d[8],
                                             .stress = d[9],
                                             .momentum = d[10],
                                             .fischer_burmeister = d[11],
                                             .at_rest = d[12] != 0.0,
                                             .idle = d[13] != 0.0,
                                             .unresisted = d[14],
                                             .relative = d[15],
                                             .response = d[17],
                                             .gap_rate = d[18],
                                             .rated = d[19] != 0.0,
                                             .gap_wall = d[20]};
    run->cpu_assembly = t[0];
    run->cpu_output = t[1];
    run->cpu_total = t[2];
    run->wall = t[3];
    if (!sab_march_is_flow(march))
        return SAB_OK;
    sab_march_flow_of(march)->transport = (sab_transport_report){
        .points = x[0], .steps = x[1], .clamped = x[2], .left = x[3], .longest = (int)x[4]};
    sab_march_flow_of(march)->cpu_transport = t[4];
    return SAB_OK;
}

/* ---- writing --------------------------------------------------------------------------------- */

typedef struct list { /* of blocks, and what some of them point to */
    int n;
    sab_checkpoint_block block[MOST_BLOCKS];
    sab_text yaml, columns;
    int64_t mesh[4], step[1], work[WORK], transport[TRANSPORT];
    double state[STATE], report[REPORT], times[TIMES];
    double *carriers; /* [n][CARRIER] place, reference place, velocity, mass, element */
    int64_t *elements;
    char space[64];
    double initial[SAB_INITIAL_NUMBERS];
    sab_grains_state grains;
} list;

static void add(list *l, const char *name, sab_checkpoint_type type, size_t count, const void *data)
{
    assert(l->n < MOST_BLOCKS);
    l->block[l->n++] = (sab_checkpoint_block){name, type, count, data};
}

static sab_status add_carriers(list *l, const sab_flow_state *s, sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_NEW(l->carriers, (size_t)CARRIER * (size_t)s->ncarriers);
    for (int p = 0; p < s->ncarriers; p++) {
        const sab_carrier *c = &s->carrier[p];
        double *to = l->carriers + CARRIER * p;

        memcpy(to, c->x, sizeof c->x);
        memcpy(to + SAB_DIM, c->xi, sizeof c->xi);
        memcpy(to + 2 * SAB_DIM, c->v, sizeof c->v);
        to[3 * SAB_DIM] = c->mass;
        to[3 * SAB_DIM + 1] = c->element;
    }
    add(l, "carriers", SAB_CHECKPOINT_REAL, (size_t)CARRIER * (size_t)s->ncarriers, l->carriers);
    add(l, "left", SAB_CHECKPOINT_REAL, (size_t)s->nsides, s->left);
    add(l, "fed", SAB_CHECKPOINT_REAL, (size_t)s->nsides, s->fed);
    add(l, "owed", SAB_CHECKPOINT_REAL, s->nowed, s->owed);
cleanup:
    return status;
}

/* Program, case and mesh. */
static sab_status add_origin(list *l, const sab_session *session, sab_error *err)
{
    const sab_status status = sab_case_resolved(session->c, &l->yaml, err);

    if (status != SAB_OK)
        return status;
    if (session->mesh != NULL) {
        l->mesh[0] = (int64_t)sab_mesh_hash(session->mesh);
        l->mesh[1] = session->mesh->nnodes;
        l->mesh[2] = session->mesh->nelements;
        l->mesh[3] = (int64_t)sab_mesh_group_hash(session->mesh);
    }
    add(l, "version", SAB_CHECKPOINT_TEXT, strlen(SAB_VERSION), SAB_VERSION);
    add(l, "case", SAB_CHECKPOINT_TEXT, l->yaml.length, l->yaml.data);
    add(l, "mesh", SAB_CHECKPOINT_INTEGER, 4, l->mesh);
    return SAB_OK;
}

static sab_status add_scene(list *l, const sab_session *session, int rows, sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(add_origin(l, session, err));
    SAB_TRY(sab_grains_get_state(session->scene->grains, &l->grains, err));
    l->step[0] = rows;
    add(l, "step", SAB_CHECKPOINT_INTEGER, 1, l->step);
    add(l, "grains_real", SAB_CHECKPOINT_REAL, l->grains.nreal, l->grains.real);
    add(l, "grains_whole", SAB_CHECKPOINT_INTEGER, l->grains.nwhole, l->grains.whole);
cleanup:
    return status;
}

/* The mesh itself, so that a run on another one can start from the state (initial.from). */
static sab_status add_mesh(list *l, const sab_session *session, sab_error *err)
{
    const sab_mesh *mesh = session->mesh;
    const size_t nodes = (size_t)mesh->nnodes * (size_t)mesh->cell->dim;
    const size_t entries = (size_t)mesh->nelements * (size_t)mesh->cell->nodes;
    sab_status status = SAB_OK;

    SAB_NEW(l->elements, entries);
    for (size_t i = 0; i < entries; i++)
        l->elements[i] = mesh->element[i];
    snprintf(l->space, sizeof l->space, "%s %s", session->c->geometry->name,
             session->c->element->name);
    add(l, "space", SAB_CHECKPOINT_TEXT, strlen(l->space), l->space);
    add(l, "nodes", SAB_CHECKPOINT_REAL, nodes, mesh->x);
    add(l, "elements", SAB_CHECKPOINT_INTEGER, entries, l->elements);
cleanup:
    return status;
}

static sab_status add_flow(list *l, const sab_session *session, sab_error *err)
{
    const sab_flow_state s = sab_flow_get_state(session->flow);
    sab_status status = SAB_OK;

    SAB_TRY(add_origin(l, session, err));
    SAB_TRY(add_mesh(l, session, err));
    l->step[0] = s.steps;
    l->state[0] = s.time;
    l->state[1] = s.natural;
    l->state[2] = s.inertia;
    l->state[3] = s.factored ? 1.0 : 0.0;
    l->state[4] = s.stored;
    l->state[5] = s.at;
    l->state[6] = s.level;
    add(l, "step", SAB_CHECKPOINT_INTEGER, 1, l->step);
    add(l, "state", SAB_CHECKPOINT_REAL, STATE, l->state);
    add(l, "velocity", SAB_CHECKPOINT_REAL, s.nvelocity, s.velocity);
    add(l, "previous", SAB_CHECKPOINT_REAL, s.nvelocity, s.previous);
    add(l, "lambda", SAB_CHECKPOINT_REAL, s.nstress, s.lambda);
    add(l, "eta", SAB_CHECKPOINT_REAL, s.npoints, s.eta);
    add(l, "nu", SAB_CHECKPOINT_REAL, s.npoints, s.nu);
    if (session->transfer.places > 0) {
        sab_initial_pack(&session->transfer, l->initial);
        add(l, "initial", SAB_CHECKPOINT_REAL, SAB_INITIAL_NUMBERS, l->initial);
    }
    if (s.nsides > 0)
        SAB_TRY(add_carriers(l, &s, err));
cleanup:
    return status;
}

static void list_destroy(list *l)
{
    sab_text_destroy(&l->yaml);
    sab_text_destroy(&l->columns);
    SAB_FREE(l->carriers);
    SAB_FREE(l->elements);
    sab_grains_state_clear(&l->grains);
}

sab_status sab_state_write_flow(const char *path, const sab_session *session, sab_error *err)
{
    sab_status status = SAB_OK;
    list l = {0};

    SAB_TRY(add_flow(&l, session, err));
    SAB_TRY(sab_checkpoint_write(path, NULL, l.n, l.block, err));
cleanup:
    list_destroy(&l);
    return status;
}

sab_status sab_state_write(const char *directory, const sab_owner *owner,
                           const sab_session *session, const sab_march *march,
                           const sab_run_state *run, sab_error *err)
{
    sab_status status = SAB_OK;
    char path[SAB_PATH], previous[SAB_PATH];
    list l = {0};
    int kept;

    SAB_TRY(session->scene != NULL ? add_scene(&l, session, march->rows, err)
                                   : add_flow(&l, session, err));
    SAB_TRY(sab_history_columns(march, &l.columns, err));
    pack_report(march, run, l.work, l.transport, l.report, l.times);
    add(&l, "columns", SAB_CHECKPOINT_TEXT, l.columns.length, l.columns.data);
    add(&l, "history", SAB_CHECKPOINT_REAL, (size_t)march->rows * (size_t)march->columns,
        march->history);
    const double *profiles = sab_march_kept(march, &kept);
    add(&l, "profiles", SAB_CHECKPOINT_REAL, (size_t)kept * (size_t)march->profile_columns,
        profiles);
    add(&l, "frames", SAB_CHECKPOINT_REAL, (size_t)run->nframes, run->frame);
    add(&l, "convergence", SAB_CHECKPOINT_TEXT, run->convergence.length, run->convergence.data);
    add(&l, "work", SAB_CHECKPOINT_INTEGER, WORK, l.work);
    add(&l, "transport", SAB_CHECKPOINT_INTEGER, TRANSPORT, l.transport);
    add(&l, "report", SAB_CHECKPOINT_REAL, REPORT, l.report);
    add(&l, "times", SAB_CHECKPOINT_REAL, TIMES, l.times);
    SAB_TRY(sab_path_set(path, err, "%s/checkpoint.sab", directory));
    SAB_TRY(sab_path_set(previous, err, "%s/checkpoint.previous.sab", directory));
    SAB_TRY(sab_owner_check(owner, err));
    SAB_TRY(sab_checkpoint_write(path, previous, l.n, l.block, err));
cleanup:
    list_destroy(&l);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

bool sab_state_exists(const char *directory)
{
    char path[SAB_PATH], previous[SAB_PATH];

    sab_path_set(path, NULL, "%s/checkpoint.sab", directory);
    sab_path_set(previous, NULL, "%s/checkpoint.previous.sab", directory);
    return sab_file_exists(path) || sab_file_exists(previous);
}

bool sab_state_creeps(const char *directory)
{
    sab_checkpoint *c = NULL;
    const sab_checkpoint_block *b;
    char path[SAB_PATH];

    sab_path_set(path, NULL, "%s/checkpoint.sab", directory);
    const bool creeps =
        sab_checkpoint_read(path, &c, NULL) == SAB_OK &&
        sab_checkpoint_get(c, "history", SAB_CHECKPOINT_REAL, SAB_ANY_COUNT, &b, NULL) != SAB_OK;
    sab_checkpoint_destroy(&c);
    return creeps;
}

/* The newer of the two that is whole. */
static sab_status open_either(const char *directory, const sab_warnings *warnings,
                              sab_checkpoint **checkpoint, sab_error *err)
{
    char path[SAB_PATH], previous[SAB_PATH];
    sab_error first = {0}, second = {0};

    sab_status status = sab_path_set(path, err, "%s/checkpoint.sab", directory);
    if (status == SAB_OK)
        status = sab_path_set(previous, err, "%s/checkpoint.previous.sab", directory);
    if (status != SAB_OK)
        return status;
    status = sab_checkpoint_read(path, checkpoint, &first);
    if (status == SAB_OK)
        return SAB_OK;
    if (status == SAB_ERR_INPUT)
        status = sab_checkpoint_read(previous, checkpoint, &second);
    if (status == SAB_OK) {
        /* it is not about the result, which will be the same */
        sab_warnings_mention(warnings, "%s\nthe checkpoint before it is used instead",
                             first.message);
    } else {
        sab_fail(err, status, "--resume: no checkpoint can be used: %s\n%s", first.message,
                 second.message);
    }
    return status;
}

sab_status sab_state_check_mesh(const sab_checkpoint *c, const sab_session *session, bool *same,
                                bool *same_groups, sab_error *err)
{
    const sab_checkpoint_block *b;
    const sab_status status = sab_checkpoint_get(c, "mesh", SAB_CHECKPOINT_INTEGER, 4, &b, err);

    if (status != SAB_OK)
        return status;
    const sab_mesh *mesh = session->mesh; /* grains may have none */
    const uint64_t hash = mesh != NULL ? sab_mesh_hash(mesh) : 0;
    const uint64_t groups = mesh != NULL ? sab_mesh_group_hash(mesh) : 0;
    *same = (uint64_t)((const int64_t *)b->data)[0] == hash;
    if (same_groups != NULL)
        *same_groups = (uint64_t)((const int64_t *)b->data)[3] == groups;
    return SAB_OK;
}

static sab_status check_case(const sab_checkpoint *c, const char *directory,
                             const sab_session *session, sab_warnings *warnings, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_text difference = {0};
    const sab_checkpoint_block *b;
    bool same = false, same_groups = false;

    SAB_TRY(sab_checkpoint_get(c, "case", SAB_CHECKPOINT_TEXT, SAB_ANY_COUNT, &b, err));
    SAB_TRY(sab_case_compare(session->c, b->data, "in the checkpoint", &difference, err));
    if (difference.length > 0) {
        status =
            sab_fail(err, SAB_ERR_USAGE,
                     "--resume: '%s' holds a run of another case: %s; choose another directory "
                     "with -o%s",
                     directory, difference.data,
                     session->scene != NULL ? "" : ", or start from its state with initial.from");
        goto cleanup;
    }
    SAB_TRY(sab_state_check_mesh(c, session, &same, &same_groups, err));
    if (!same || !same_groups)
        SAB_FAIL(err, SAB_ERR_USAGE,
                 "--resume: '%s' holds a run on another mesh; the %s of '%s' have changed",
                 directory, same ? "boundary groups" : "nodes or elements", session->c->mesh_file);
    SAB_TRY(sab_checkpoint_get(c, "version", SAB_CHECKPOINT_TEXT, SAB_ANY_COUNT, &b, err));
    if (strcmp(b->data, SAB_VERSION) != 0)
        sab_warnings_add(warnings,
                         "the run was begun by version %s, this is %s: numbers may differ slightly",
                         (const char *)b->data, SAB_VERSION);
cleanup:
    sab_text_destroy(&difference);
    return status;
}

/* The carriers of a flow whose surface moves, if it has any: the caller frees *carrier. */
static sab_status get_carriers(const sab_checkpoint *c, int nelements, sab_flow_state *s,
                               sab_carrier **carrier, sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_checkpoint_block *b, *left, *fed, *owed;

    if (sab_checkpoint_get(c, "carriers", SAB_CHECKPOINT_REAL, SAB_ANY_COUNT, &b, NULL) != SAB_OK)
        return SAB_OK;
    SAB_TRY(sab_checkpoint_get(c, "left", SAB_CHECKPOINT_REAL, SAB_ANY_COUNT, &left, err));
    SAB_TRY(sab_checkpoint_get(c, "fed", SAB_CHECKPOINT_REAL, left->count, &fed, err));
    SAB_TRY(sab_checkpoint_get(c, "owed", SAB_CHECKPOINT_REAL, SAB_ANY_COUNT, &owed, err));
    s->ncarriers = (int)(b->count / CARRIER);
    s->nsides = (int)left->count;
    s->left = left->data;
    s->fed = fed->data;
    s->nowed = owed->count;
    s->owed = owed->data;
    SAB_NEW(*carrier, s->ncarriers);
    s->carrier = *carrier;
    for (int p = 0; p < s->ncarriers; p++) {
        const double *from = (const double *)b->data + CARRIER * p;
        sab_carrier *to = &(*carrier)[p];

        memcpy(to->x, from, sizeof to->x);
        memcpy(to->xi, from + SAB_DIM, sizeof to->xi);
        memcpy(to->v, from + 2 * SAB_DIM, sizeof to->v);
        to->mass = from[3 * SAB_DIM];
        if (!(from[3 * SAB_DIM + 1] >= 0.0 && from[3 * SAB_DIM + 1] < nelements))
            SAB_FAIL(err, SAB_ERR_INPUT, "carrier %d is in element %g, there are %d", p,
                     from[3 * SAB_DIM + 1], nelements);
        to->element = (int)from[3 * SAB_DIM + 1];
    }
cleanup:
    return status;
}

sab_status sab_state_get_flow(const sab_checkpoint *c, sab_flow_state *s, sab_error *err)
{
    const struct {
        const char *name;
        const double **data;
        size_t *count;
    } array[] = {{"velocity", &s->velocity, &s->nvelocity},
                 {"previous", &s->previous, &s->nvelocity},
                 {"lambda", &s->lambda, &s->nstress},
                 {"eta", &s->eta, &s->npoints},
                 {"nu", &s->nu, &s->npoints}};
    sab_status status = SAB_OK;
    const sab_checkpoint_block *b;

    *s = (sab_flow_state){
        .nvelocity = SAB_ANY_COUNT, .nstress = SAB_ANY_COUNT, .npoints = SAB_ANY_COUNT};
    for (size_t i = 0; i < sizeof array / sizeof array[0]; i++) {
        SAB_TRY(
            sab_checkpoint_get(c, array[i].name, SAB_CHECKPOINT_REAL, *array[i].count, &b, err));
        *array[i].count = b->count;
        *array[i].data = b->data;
    }
    SAB_TRY(sab_checkpoint_get(c, "step", SAB_CHECKPOINT_INTEGER, 1, &b, err));
    s->steps = (int)((const int64_t *)b->data)[0];
    SAB_TRY(sab_checkpoint_get(c, "state", SAB_CHECKPOINT_REAL, SAB_ANY_COUNT, &b, err));
    if (b->count != STATE && b->count != OLD_STATE)
        SAB_FAIL(err, SAB_ERR_INPUT, "block 'state' has %zu numbers, not %d", b->count, STATE);
    const double *number = b->data;
    s->time = number[0];
    s->natural = number[1];
    s->inertia = number[2];
    s->factored = number[3] != 0.0;
    s->stored = number[4];
    s->at = b->count == STATE ? number[5] : s->steps; /* of version 3, whose steps were all alike */
    s->level = b->count == STATE ? (int)number[6] : 0;
cleanup:
    return status;
}

/* The state of grains, borrowed from the checkpoint. */
static sab_status get_scene(const sab_checkpoint *c, sab_grains_state *s, sab_error *err)
{
    const sab_checkpoint_block *real, *whole;
    sab_status status = SAB_OK;

    SAB_TRY(sab_checkpoint_get(c, "grains_real", SAB_CHECKPOINT_REAL, SAB_ANY_COUNT, &real, err));
    SAB_TRY(
        sab_checkpoint_get(c, "grains_whole", SAB_CHECKPOINT_INTEGER, SAB_ANY_COUNT, &whole, err));
    s->nreal = real->count;
    s->nwhole = whole->count;
    memcpy(&s->real, &real->data, sizeof s->real); /* not const there, and only read */
    memcpy(&s->whole, &whole->data, sizeof s->whole);
cleanup:
    return status;
}

static sab_status restore(const sab_checkpoint *c, sab_march *march, sab_run_state *run,
                          sab_error *err)
{
    sab_carrier *carrier = NULL;
    sab_status status = SAB_OK;
    const sab_checkpoint_block *b, *profiles, *transport, *report, *times;
    sab_flow_state flow = {0};
    sab_grains_state grains = {0};
    const void *state = &grains;
    sab_text columns = {0};

    if (sab_march_is_flow(march)) {
        SAB_TRY(sab_state_get_flow(c, &flow, err));
        SAB_TRY(get_carriers(c, sab_march_flow_of(march)->flow->setup.mesh->nelements, &flow,
                             &carrier, err));
        state = &flow;
    } else
        SAB_TRY(get_scene(c, &grains, err));
    SAB_TRY(sab_checkpoint_get(c, "step", SAB_CHECKPOINT_INTEGER, 1, &b, err));
    const int steps = (int)((const int64_t *)b->data)[0];
    SAB_TRY(sab_history_columns(march, &columns, err));
    SAB_TRY(sab_checkpoint_get(c, "columns", SAB_CHECKPOINT_TEXT, SAB_ANY_COUNT, &b, err));
    if (strcmp(b->data, columns.data) != 0) {
        status = sab_fail(err, SAB_ERR_INPUT, "its history has other columns: %s",
                          (const char *)b->data);
        goto cleanup;
    }
    SAB_TRY(sab_checkpoint_get(c, "history", SAB_CHECKPOINT_REAL,
                               (size_t)steps * (size_t)march->columns, &b, err));
    SAB_TRY(sab_checkpoint_get(c, "profiles", SAB_CHECKPOINT_REAL, SAB_ANY_COUNT, &profiles, err));
    const size_t width = march->profile_columns > 0 ? (size_t)march->profile_columns : 1;
    const size_t kept = profiles->count / width;
    if (kept * width != profiles->count || kept > (size_t)steps) {
        status = sab_fail(err, SAB_ERR_INPUT, "its profiles are not those of this case");
        goto cleanup;
    }
    SAB_TRY(sab_march_restore(march, state, steps, b->data, (int)kept, profiles->data, err));
    SAB_TRY(sab_checkpoint_get(c, "work", SAB_CHECKPOINT_INTEGER, WORK, &b, err));
    SAB_TRY(sab_checkpoint_get(c, "transport", SAB_CHECKPOINT_INTEGER, TRANSPORT, &transport, err));
    SAB_TRY(sab_checkpoint_get(c, "report", SAB_CHECKPOINT_REAL, REPORT, &report, err));
    SAB_TRY(sab_checkpoint_get(c, "times", SAB_CHECKPOINT_REAL, TIMES, &times, err));
    SAB_TRY(unpack_report(b->data, transport->data, report->data, times->data, march, run, err));
    SAB_TRY(sab_checkpoint_get(c, "frames", SAB_CHECKPOINT_REAL, SAB_ANY_COUNT, &b, err));
    for (size_t i = 0; i < b->count; i++)
        SAB_TRY(sab_run_state_add_frame(run, ((const double *)b->data)[i], err));
    SAB_TRY(sab_checkpoint_get(c, "convergence", SAB_CHECKPOINT_TEXT, SAB_ANY_COUNT, &b, err));
    SAB_TRY(sab_text_add(&run->convergence, err, "%s", (const char *)b->data));
cleanup:
    sab_text_destroy(&columns);
    SAB_FREE(carrier);
    return status;
}

sab_status sab_state_resume(const char *directory, sab_session *session, sab_warnings *warnings,
                            sab_march *march, sab_run_state *run, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_checkpoint *c = NULL;
    const sab_checkpoint_block *initial;

    SAB_TRY(open_either(directory, warnings, &c, err));
    status = check_case(c, directory, session, warnings, err);
    if (status == SAB_OK)
        status = restore(c, march, run, err);
    if (status == SAB_OK && sab_checkpoint_get(c, "initial", SAB_CHECKPOINT_REAL,
                                               SAB_INITIAL_NUMBERS, &initial, NULL) == SAB_OK)
        sab_initial_unpack(initial->data, &session->transfer);
    if (status == SAB_ERR_INPUT)
        sab_error_context(err, "while going on from the checkpoint in '%s'", directory);
cleanup:
    sab_checkpoint_destroy(&c);
    return status;
}
