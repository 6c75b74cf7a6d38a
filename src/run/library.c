/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/library.c -- sablier.h, on top of run/run.h. */
#include "sablier.h"
#include "base/memory.h"
#include "linalg/threads.h"
#include "run/history.h"
#include "run/run.h"

#include <stdio.h>
#include <string.h>

struct sablier_run {
    sab_run *run;
    char *directory; /* owned; NULL: none */
    void *data;
    int (*iteration)(void *data, int outer, double gap);
    void (*warning)(void *data, const char *sentence);
    char name[SAB_HISTORY_NAME]; /* of a column */
};

const char *sablier_version(void)
{
    return SAB_VERSION;
}

/* As the program ends (docs/reference/commands.md). */
static sablier_status give(sab_status status, const sab_error *why, sablier_error *err)
{
    static const sablier_status code[] = {
        [SAB_OK] = SABLIER_OK,
        [SAB_ERR_USAGE] = SABLIER_ERR_USAGE,
        [SAB_ERR_INPUT] = SABLIER_ERR_INPUT,
        [SAB_ERR_IO] = SABLIER_ERR_OTHER,
        [SAB_ERR_MEMORY] = SABLIER_ERR_OTHER,
        [SAB_ERR_NUMERIC] = SABLIER_ERR_OTHER,
        [SAB_ERR_INTERNAL] = SABLIER_ERR_OTHER,
        [SAB_INTERRUPTED] = SABLIER_INTERRUPTED,
    };

    if (err != NULL) {
        err->status = code[status];
        snprintf(err->message, sizeof err->message, "%.*s", (int)sizeof err->message - 1,
                 status == SAB_INTERRUPTED ? "stopped by a callback"
                 : status != SAB_OK        ? why->message
                                           : "");
    }
    return code[status];
}

static bool on_iteration(void *data, int viscosity_iteration, const sab_report *so_far)
{
    const sablier_run *r = data;

    (void)viscosity_iteration;
    return r->iteration == NULL ||
           r->iteration(r->data, so_far->work.outer, so_far->certificate.gap);
}

static void on_warning(void *data, const char *sentence)
{
    const sablier_run *r = data;

    if (r->warning != NULL)
        r->warning(r->data, sentence);
}

static sab_status create(const char *path, const sablier_options *o, sablier_run **run,
                         sab_error *err)
{
    sab_status status = SAB_OK;
    sablier_run *r = NULL;
    sab_case *c = NULL;

    if (path == NULL)
        return sab_fail(err, SAB_ERR_USAGE, "there is no case: its path is NULL");
    if (o->threads < 0 || o->threads > 1024)
        return sab_fail(err, SAB_ERR_USAGE, "threads: %d is not between 0 and 1024", o->threads);
    if (o->threads > 0)
        sab_threads_set(o->threads);
    SAB_NEW(r, 1);
    r->data = o->data;
    r->iteration = o->iteration;
    r->warning = o->warning;
    if (o->directory != NULL) {
        r->directory = sab_strdup(o->directory);
        if (r->directory == NULL)
            SAB_TRY(sab_fail(err, SAB_ERR_MEMORY, "out of memory for a path"));
    }
    const sab_run_options options = {
        .directory = r->directory, .resume = o->resume != 0, .force = o->force != 0};
    const sab_run_events events = {.data = r, .warning = on_warning, .iteration = on_iteration};
    SAB_TRY(sab_case_read(path, o->noverrides, o->override, &c, err));
    SAB_TRY(sab_run_create(&c, &options, &events, &r->run, err));
    *run = r;
    r = NULL;
cleanup:
    sab_case_destroy(&c);
    sablier_run_destroy(&r);
    return status;
}

sablier_status sablier_run_create(const char *path, const sablier_options *options,
                                  sablier_run **run, sablier_error *err)
{
    static const sablier_options standard = {0};
    sab_error why = {0};

    *run = NULL;
    return give(create(path, options != NULL ? options : &standard, run, &why), &why, err);
}

void sablier_run_destroy(sablier_run **run)
{
    if (*run == NULL)
        return;
    sab_run_destroy(&(*run)->run);
    SAB_FREE((*run)->directory);
    SAB_FREE(*run);
}

int sablier_run_goes_on(const sablier_run *run)
{
    return sab_run_goes_on(run->run);
}

sablier_status sablier_run_step(sablier_run *run, sablier_error *err)
{
    sab_error why = {0};

    if (!sab_run_goes_on(run->run))
        return give(sab_fail(&why, SAB_ERR_USAGE, "the run has ended: there is no step to take"),
                    &why, err);
    return give(sab_run_step(run->run, &why), &why, err);
}

sablier_status sablier_run_finish(sablier_run *run, sablier_error *err)
{
    sab_error why = {0};

    if (sab_run_goes_on(run->run))
        return give(sab_fail(&why, SAB_ERR_USAGE, "the run has not ended: there are steps to take"),
                    &why, err);
    if (run->run->finished || sab_run_is_whole(run->run))
        return give(SAB_OK, &why, err);
    return give(sab_run_finish(run->run, &why), &why, err);
}

/* ---- what there is to see -------------------------------------------------------------------- */

int sablier_run_is_good(const sablier_run *run)
{
    return sab_run_is_good(run->run);
}

const char *sablier_run_status(const sablier_run *run)
{
    return run->run->result.status != NULL ? run->run->result.status : "";
}

int sablier_run_steps(const sablier_run *run)
{
    return run->run->march->rows;
}

double sablier_run_time(const sablier_run *run)
{
    return sab_run_time(run->run);
}

double sablier_run_end_time(const sablier_run *run)
{
    return sab_march_is_creeping(run->run->march) ? 0.0 : run->run->session.c->time.end;
}

int sablier_run_warnings(const sablier_run *run)
{
    return sab_warnings_kept(&run->run->warnings);
}

const char *sablier_run_warning(const sablier_run *run, int i)
{
    return i >= 0 && i < sablier_run_warnings(run) ? run->run->warnings.text[i] : NULL;
}

int sablier_probes(const sablier_run *run)
{
    return sab_probes_count(run->run->session.probes);
}

static const sab_probe_result *find(const sablier_run *run, int probe)
{
    return probe >= 0 && probe < sablier_probes(run) ? &run->run->march->probe[probe] : NULL;
}

int sablier_probe_find(const sablier_run *run, const char *name)
{
    for (int i = 0; i < sablier_probes(run); i++)
        if (strcmp(find(run, i)->probe->name, name) == 0)
            return i;
    return -1;
}

const char *sablier_probe_name(const sablier_run *run, int probe)
{
    const sab_probe_result *p = find(run, probe);

    return p != NULL ? p->probe->name : NULL;
}

int sablier_probe_samples(const sablier_run *run, int probe)
{
    const sab_probe_result *p = find(run, probe);

    return p != NULL ? p->samples : 0;
}

int sablier_probe_components(const sablier_run *run, int probe)
{
    const sab_probe_result *p = find(run, probe);

    return p != NULL ? p->components : 0;
}

const double *sablier_probe_values(const sablier_run *run, int probe)
{
    const sab_probe_result *p = find(run, probe);

    return p != NULL ? p->value : NULL;
}

int sablier_history_rows(const sablier_run *run)
{
    return run->run->march->rows;
}

int sablier_history_columns(const sablier_run *run)
{
    return run->run->march->columns;
}

const double *sablier_history(const sablier_run *run)
{
    return run->run->march->history;
}

const char *sablier_history_name(sablier_run *run, int column)
{
    if (column < 0 || column >= run->run->march->columns)
        return NULL;
    return sab_history_column_name(run->run->march, column, run->name);
}

int sablier_dimension(const sablier_run *run)
{
    return run->run->session.c->geometry->dim;
}

int sablier_nodes(const sablier_run *run)
{
    const sab_mesh *mesh = run->run->session.mesh;

    return mesh != NULL ? mesh->nnodes : 0;
}

const double *sablier_node_positions(const sablier_run *run)
{
    const sab_mesh *mesh = run->run->session.mesh;

    return mesh != NULL ? mesh->x : NULL;
}

const double *sablier_velocity(const sablier_run *run)
{
    const sab_flow *flow = run->run->session.flow;

    return flow != NULL ? flow->fields->velocity : NULL; /* grains have no field */
}
