/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/live.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/timer.h"
#include "io/output.h"
#include "io/vtu.h"
#include "run/history.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME = 40 };

/* ---- history.csv ------------------------------------------------------------------------------
 */

sab_status sab_live_row(sab_live *live, sab_error *err)
{
    const double start = sab_cpu_seconds();
    sab_status status = sab_owner_check(live->owner, err);

    if (status != SAB_OK)
        return status;
    sab_history_row(live->history.stream, live->session->c, live->march, live->march->rows - 1);
    status = sab_file_flush(&live->history, err);
    live->run->cpu_output += sab_cpu_seconds() - start;
    return status;
}

sab_status sab_live_end(sab_live *live, sab_error *err)
{
    return live->history.stream != NULL ? sab_file_close(&live->history, err) : SAB_OK;
}

/* ---- frames -----------------------------------------------------------------------------------
 */

long sab_live_frame_number(const char *name)
{
    char *end;

    if (strncmp(name, "fields_", 7) != 0 && strncmp(name, "gauss_", 6) != 0 &&
        strncmp(name, "grains_", 7) != 0 && strncmp(name, "contacts_", 9) != 0 &&
        strncmp(name, "walls_", 6) != 0)
        return -1;
    const char *digits = strchr(name, '_') + 1;
    if (strspn(digits, "0123456789") < 4)
        return -1;
    const long number = strtol(digits, &end, 10);
    return strcmp(end, ".vtu") == 0 || strcmp(end, ".vtu.tmp~") == 0 ? number : -1;
}

sab_status sab_live_remove_frames(const char *directory, int first, sab_error *err)
{
    char path[SAB_PATH];
    DIR *stream = opendir(directory);

    if (stream == NULL)
        return sab_fail(err, SAB_ERR_IO, "cannot read directory '%s': %s", directory,
                        strerror(errno));
    for (const struct dirent *entry; (entry = readdir(stream)) != NULL;)
        if (sab_live_frame_number(entry->d_name) >= first) {
            sab_path_set(path, NULL, "%s/%s", directory, entry->d_name);
            unlink(path);
        }
    closedir(stream);
    return SAB_OK;
}

/* KIND.pvd of the files KIND_NNNN.vtu. */
static sab_status write_index(const sab_live *live, const char *kind, sab_error *err)
{
    sab_status status = SAB_OK;
    const int n = live->run->nframes;
    char(*name)[NAME] = NULL, path[SAB_PATH];
    const char **file = NULL;

    SAB_NEW(name, n);
    SAB_NEW(file, n);
    for (int i = 0; i < n; i++) {
        snprintf(name[i], NAME, "%s_%04d.vtu", kind, i);
        file[i] = name[i];
    }
    SAB_TRY(sab_path_set(path, err, "%s/%s.pvd", live->directory, kind));
    SAB_TRY(sab_owner_check(live->owner, err));
    SAB_TRY(sab_pvd_write(path, n, live->run->frame, file, err));
cleanup:
    SAB_FREE(name);
    SAB_FREE(file);
    return status;
}

static sab_status write_indices(const sab_live *live, sab_error *err)
{
    const sab_session *s = live->session;
    sab_status status =
        s->flow != NULL || s->c->has_coarse ? write_index(live, "fields", err) : SAB_OK;

    if (status == SAB_OK && (s->flow == NULL || s->flow->surface != NULL))
        status = write_index(live, "grains", err);
    if (status == SAB_OK && s->scene != NULL && s->scene->grains->nwalls > 0)
        status = write_index(live, "walls", err);
    if (status == SAB_OK && s->c->output_contacts)
        status = write_index(live, "contacts", err);
    return status;
}

/* The files of a scene of grains. */
static sab_status write_scene(const sab_live *live, double time, sab_error *err)
{
    const sab_session *session = live->session;
    const sab_case *c = session->c;
    const struct {
        const char *name;
        bool wanted;
        sab_status (*write)(const sab_scene *, const char *, double, sab_error *);
    } file[] = {{"grains", true, sab_scene_write},
                {"walls", session->scene->grains->nwalls > 0, sab_scene_write_walls},
                {"fields", c->has_coarse, sab_scene_write_fields},
                {"contacts", c->output_contacts, sab_scene_write_contacts}};
    sab_status status = SAB_OK;
    char path[SAB_PATH];

    for (size_t i = 0; i < sizeof file / sizeof file[0]; i++)
        if (file[i].wanted) {
            SAB_TRY(sab_owner_check(live->owner, err));
            SAB_TRY(sab_path_set(path, err, "%s/%s_%04d.vtu", live->directory, file[i].name,
                                 live->run->nframes));
            SAB_TRY(file[i].write(session->scene, path, time, err));
        }
cleanup:
    return status;
}

/* Those of a flow. */
static sab_status write_fields(sab_live *live, double time, sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_session *session = live->session;
    const bool float32 = session->c->output_float32;
    sab_shown shown;
    char path[SAB_PATH];

    SAB_TRY(sab_session_recover(session, &shown, err));
    SAB_TRY(sab_owner_check(live->owner, err));
    SAB_TRY(sab_path_set(path, err, "%s/fields_%04d.vtu", live->directory, live->run->nframes));
    SAB_TRY(sab_output_fields(path, session->flow->fields, shown.pressure, shown.stress, time,
                              float32, err));
    if (session->c->output_gauss) {
        SAB_TRY(sab_path_set(path, err, "%s/gauss_%04d.vtu", live->directory, live->run->nframes));
        SAB_TRY(sab_owner_check(live->owner, err));
        SAB_TRY(sab_output_gauss(path, session->flow->fields, time, float32, err));
    }
    if (session->flow->surface != NULL) {
        SAB_TRY(sab_path_set(path, err, "%s/grains_%04d.vtu", live->directory, live->run->nframes));
        SAB_TRY(sab_owner_check(live->owner, err));
        SAB_TRY(sab_output_grains(path, session->flow->surface->carriers, time, float32, err));
    }
cleanup:
    return status;
}

sab_status sab_live_frame(sab_live *live, double time, sab_error *err)
{
    const double start = sab_cpu_seconds();
    sab_status status = SAB_OK;

    SAB_TRY(live->session->scene != NULL ? write_scene(live, time, err)
                                         : write_fields(live, time, err));
    SAB_TRY(sab_run_state_add_frame(live->run, time, err));
    SAB_TRY(write_indices(live, err));
cleanup:
    live->run->cpu_output += sab_cpu_seconds() - start;
    return status;
}

/* Multiples of output.every passed up to a time in steps: of numbers of steps, not of sums of time,
 * so that a run that goes on from a checkpoint has the same frames. */
static double frames_until(const sab_case *c, double at)
{
    return floor(at * (c->time.step / c->output_every) * (1.0 + 1e-12));
}

bool sab_live_due(const sab_live *live)
{
    const sab_case *c = live->session->c;
    const double at = sab_march_at(live->march), last = sab_march_last(live->march);

    return c->output_every > 0.0 &&
           (c->output_every <= last * c->time.step || /* also if the ratio is inf */
            frames_until(c, at) > frames_until(c, at - last));
}

/* ---- the beginning ----------------------------------------------------------------------------
 */

sab_status sab_live_begin(sab_live *live, sab_error *err)
{
    sab_status status = SAB_OK;
    const double start = sab_cpu_seconds();
    char path[SAB_PATH];
    sab_text yaml = {0};

    SAB_TRY(sab_case_resolved(live->session->c, &yaml, err));
    SAB_TRY(sab_owner_check(live->owner, err));
    SAB_TRY(sab_path_set(path, err, "%s/case.resolved.yaml", live->directory));
    SAB_TRY(sab_file_write_text(path, yaml.data, err));
    SAB_TRY(sab_owner_check(live->owner, err));
    SAB_TRY(sab_live_remove_frames(live->directory, live->run->nframes, err));
    SAB_TRY(write_indices(live, err));
    SAB_TRY(sab_path_set(path, err, "%s/history.csv", live->directory));
    SAB_TRY(sab_owner_check(live->owner, err));
    SAB_TRY(sab_history_write(path, live->session->c, live->march, err));
    SAB_TRY(sab_owner_check(live->owner, err)); /* or it would be that of another run */
    SAB_TRY(sab_file_append(path, &live->history, err));
cleanup:
    live->run->cpu_output += sab_cpu_seconds() - start;
    sab_text_destroy(&yaml);
    return status;
}
