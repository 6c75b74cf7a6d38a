#include "run/result.h"
#include "base/timer.h"
#include "run/live.h"
#include "io/file.h"
#include "io/output.h"
#include "io/vtu.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONG_PATH = SAB_PATH + 600 }; /* with the names of files in it */

/* ---- the directory -------------------------------------------------------------------------- */

sab_status sab_result_choose(const char *directory, bool resume, bool force, const sab_case *c,
                             sab_result_place *place, sab_error *err)
{
    char summary[LONG_PATH];
    const int n = snprintf(place->directory, SAB_PATH, "%s", directory);

    if (n < 0 || n >= SAB_PATH)
        return sab_fail(err, SAB_ERR_USAGE, "the path of the output directory is too long");
    snprintf(summary, sizeof summary, "%s/summary.json", place->directory);
    place->whole = sab_file_exists(summary);
    const bool checkpoint = sab_state_exists(place->directory);
    if (resume && force)
        return sab_fail(err, SAB_ERR_USAGE, "--resume and --force exclude each other");
    if (resume && c->time.scheme == SAB_CREEPING)
        return sab_fail(err, SAB_ERR_USAGE,
                        "--resume: a creeping flow is one solve, there is nothing to continue");
    if (resume && !checkpoint)
        return sab_fail(
            err, SAB_ERR_USAGE, "--resume: there is no checkpoint in '%s'; %s", place->directory,
            place->whole ? "its result cannot be continued" : "start the run without --resume");
    if (place->whole && !force && !resume)
        return sab_fail(err, SAB_ERR_USAGE,
                        "'%s' holds a result already: choose another directory with -o, or replace "
                        "it with --force",
                        place->directory);
    if (checkpoint && !force && !resume)
        return sab_fail(err, SAB_ERR_USAGE,
                        "'%s' holds a run that has not ended: continue it with --resume, choose "
                        "another directory with -o, or replace it with --force",
                        place->directory);
    return SAB_OK;
}

static void remove_file(const sab_result_place *place, const char *name)
{
    char path[LONG_PATH];

    snprintf(path, sizeof path, "%s/%s", place->directory, name);
    remove(path);
}

void sab_result_unfinished(const sab_result_place *place)
{
    remove_file(place, "summary.json");
}

void sab_result_clear(const sab_result_place *place)
{
    sab_result_unfinished(place);
    remove_file(place, "checkpoint.sab");
    remove_file(place, "checkpoint.previous.sab");
}

sab_status sab_result_prepare(sab_result_place *place, sab_error *err)
{
    const size_t length = strlen(place->directory);
    char part[SAB_PATH];

    memcpy(part, place->directory, length + 1);
    for (size_t i = 1; i <= length && place->made == 0; i++)
        if (part[i] == '/' || part[i] == '\0') {
            part[i] = '\0';
            if (!sab_file_exists(part))
                place->made = i;
            part[i] = place->directory[i];
        }
    return sab_directory_create(place->directory, err);
}

void sab_result_abandon(const sab_result_place *place)
{
    char part[SAB_PATH];

    memcpy(part, place->directory, sizeof part);
    for (size_t n = strlen(part); place->made > 0 && n >= place->made; n--)
        if (part[n] == '/' || part[n] == '\0') {
            part[n] = '\0';
            rmdir(part); /* fails if something is in it */
        }
}

/* ---- from the staging directory into place -------------------------------------------------- */

typedef enum action { CHECK, MOVE, REMOVE } action;

static bool is_summary(const char *name)
{
    return strcmp(name, "summary.json") == 0;
}

static sab_status move(const char *from, const char *to, sab_error *err)
{
    if (rename(from, to) != 0)
        return sab_fail(err, SAB_ERR_IO, "cannot write '%s': %s", to, strerror(errno));
    return SAB_OK;
}

/* Can the file or directory `from` take the place of `to`? */
static sab_status check(const char *to, bool directory, sab_error *err)
{
    struct stat info;

    if (stat(to, &info) == 0 && (directory ? !S_ISDIR(info.st_mode) : !S_ISREG(info.st_mode)))
        return sab_fail(err, SAB_ERR_IO, "cannot write '%s': there is %s of that name", to,
                        S_ISDIR(info.st_mode) ? "a directory" : "a file");
    return SAB_OK;
}

/* Do `what` to everything below the directory `from`; a file moves to the same name below `to`. */
static sab_status walk(const char *from, const char *to, action what, sab_error *err)
{
    sab_status status = SAB_OK;
    char source[LONG_PATH], target[LONG_PATH];
    struct stat info;
    DIR *stream = opendir(from);

    if (stream == NULL)
        return sab_fail(err, SAB_ERR_IO, "cannot read directory '%s': %s", from, strerror(errno));
    for (const struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(source, sizeof source, "%s/%s", from, entry->d_name);
        snprintf(target, sizeof target, "%s/%s", to, entry->d_name);
        const bool directory = stat(source, &info) == 0 && S_ISDIR(info.st_mode);
        if (what == CHECK)
            SAB_TRY(check(target, directory, err));
        if (directory) {
            if (what == MOVE)
                SAB_TRY(sab_directory_create(target, err));
            SAB_TRY(walk(source, target, what, err));
        } else if (what == MOVE && !is_summary(entry->d_name)) {
            SAB_TRY(move(source, target, err));
        }
        if (what == REMOVE)
            remove(source);
    }
cleanup:
    closedir(stream);
    return status;
}

/* All at once, as far as a file system can: what might fail is tried before anything is moved. */
static sab_status put_in_place(const char *stage, const char *directory, sab_error *err)
{
    sab_status status = SAB_OK;
    char from[LONG_PATH], to[LONG_PATH], other[LONG_PATH];

    SAB_TRY(walk(stage, directory, CHECK, err));
    snprintf(from, sizeof from, "%s/summary.json", stage);
    snprintf(to, sizeof to, "%s/summary.json", directory);
    remove(to); /* from here to the end there is no whole result */
    SAB_TRY(walk(stage, directory, MOVE, err));
    SAB_TRY(sab_live_remove_frames(directory, 1, err)); /* of an older inertial run */
    snprintf(other, sizeof other, "%s/checkpoint.previous.sab", directory);
    remove(other);
    SAB_TRY(move(from, to, err));
cleanup:
    return status;
}

/* ---- the files ------------------------------------------------------------------------------ */

sab_status sab_result_profile(const char *directory, const sab_probe_result *r, const double *value,
                              const double *deviation, sab_error *err)
{
    char path[LONG_PATH];

    if (!sab_probe_is_profile(r->probe))
        return SAB_OK;
    snprintf(path, sizeof path, "%s/profiles", directory);
    const sab_status status = sab_directory_create(path, err);
    if (status != SAB_OK)
        return status;
    snprintf(path, sizeof path, "%s/profiles/%s.csv", directory, r->probe->name);
    if (r->probe->kind == SAB_PROBE_TRACTION)
        return sab_output_wall(path, r->samples, r->s, r->x, r->components, value, deviation, err);
    return sab_output_profile(path, sab_probe_field_name[r->probe->field], r->samples, 2, r->x,
                              r->components, value, deviation, err);
}

/* One row per step; a creeping flow has one. */
static sab_status write_history(const char *path, const sab_session *session,
                                const sab_run_result *result, sab_error *err)
{
    const sab_report *r = &result->report.solve;
    sab_file file;
    const sab_status status = sab_file_open(path, &file, err);

    if (status != SAB_OK)
        return status;
    fprintf(file.stream, "step,time,outer,inner,solves,gap,compaction,natural,momentum");
    for (int i = 0; i < session->c->nprobes; i++) {
        const sab_probe_result *p = &result->probe[i];
        char name[128];

        for (int c = 0; c < p->components && !sab_probe_is_profile(p->probe); c++) {
            sab_output_component(p->probe->name, p->components, c, name, sizeof name);
            fprintf(file.stream, ",%s", name);
        }
    }
    fprintf(file.stream, "\n1,0,%d,%d,%d,%.9g,%.9g,%.9g,%.9g", r->outer, r->inner, r->solves,
            r->certificate.gap, r->certificate.compaction, r->certificate.natural,
            r->certificate.momentum);
    for (int i = 0; i < session->c->nprobes; i++) {
        const sab_probe_result *p = &result->probe[i];

        for (int c = 0; c < p->components && !sab_probe_is_profile(p->probe); c++)
            fprintf(file.stream, ",%.17g", p->value[c]);
    }
    fputc('\n', file.stream);
    return sab_file_close(&file, err);
}

/* Everything but summary.json. */
static sab_status write_files(const char *directory, const sab_session *session,
                              const sab_run_result *result, const char *convergence, sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_case *c = session->c;
    const double time = 0.0;
    const char *const file = "fields_0000.vtu";
    char path[LONG_PATH];
    sab_text yaml = {0};

    SAB_TRY(sab_case_resolved(c, &yaml, err));
    snprintf(path, sizeof path, "%s/case.resolved.yaml", directory);
    SAB_TRY(sab_file_write_text(path, yaml.data, err));
    snprintf(path, sizeof path, "%s/convergence.csv", directory);
    SAB_TRY(sab_file_write_text(path, convergence, err));
    snprintf(path, sizeof path, "%s/history.csv", directory);
    SAB_TRY(write_history(path, session, result, err));
    snprintf(path, sizeof path, "%s/%s", directory, file);
    SAB_TRY(sab_output_fields(path, session->flow->fields, result->shown.pressure,
                              result->shown.stress, time, c->output_float32, err));
    if (c->output_gauss) {
        snprintf(path, sizeof path, "%s/gauss_0000.vtu", directory);
        SAB_TRY(sab_output_gauss(path, session->flow->fields, time, c->output_float32, err));
    }
    snprintf(path, sizeof path, "%s/fields.pvd", directory);
    SAB_TRY(sab_pvd_write(path, 1, &time, &file, err));
    for (int i = 0; i < c->nprobes; i++)
        SAB_TRY(
            sab_result_profile(directory, &result->probe[i], result->probe[i].value, NULL, err));
    snprintf(path, sizeof path, "%s/checkpoint.sab", directory);
    SAB_TRY(sab_state_write_flow(path, session, err));
cleanup:
    sab_text_destroy(&yaml);
    return status;
}

sab_status sab_result_write(const sab_result_place *place, const sab_session *session,
                            const char *convergence, double cpu_start, double wall_start,
                            sab_run_result *result, sab_error *err)
{
    sab_status status = SAB_OK;
    const double cpu_output = sab_cpu_seconds();
    char stage[SAB_PATH + 16], path[LONG_PATH];

    snprintf(stage, sizeof stage, "%s/.new~", place->directory);
    if (sab_file_exists(stage)) /* of a run that was killed */
        walk(stage, stage, REMOVE, NULL);
    SAB_TRY(sab_directory_create(stage, err));
    SAB_TRY(write_files(stage, session, result, convergence, err));
    result->cpu_assembly = session->flow->cpu_assembly;
    result->cpu_output = sab_cpu_seconds() - cpu_output;
    result->cpu_total = sab_cpu_seconds() - cpu_start;
    result->wall_total = sab_wall_seconds() - wall_start;
    snprintf(path, sizeof path, "%s/summary.json", stage);
    SAB_TRY(sab_summary_write(path, session, result, err));
    SAB_TRY(put_in_place(stage, place->directory, err));
cleanup:
    walk(stage, stage, REMOVE, NULL);
    rmdir(stage);
    return status;
}
