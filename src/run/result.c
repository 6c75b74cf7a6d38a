/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/result.h"
#include "run/live.h"
#include "io/file.h"
#include "io/output.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the directory -------------------------------------------------------------------------- */

/* A name that a run writes, or removes. */
static bool is_ours(const char *name)
{
    static const char *const names[] = {
        "case.resolved.yaml", "summary.json", "convergence.csv", "history.csv",
        "fields.pvd",         "grains.pvd",   "profiles"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return sab_live_frame_number(name) >= 0 && name[strlen(name) - 1] != '~';
}

/* Files with such names where no result and no checkpoint is: of somebody else, and not to be
 * touched. Only what is left of a creeping flow that was killed while it moved its files into place
 * looks like that too; then the directory they come from is there. */
static sab_status refuse_foreign(const char *directory, sab_error *err)
{
    char foreign[NAME_MAX + 1] = "";
    bool staged = false;
    DIR *stream = opendir(directory);

    if (stream == NULL)
        return SAB_OK; /* there is none */
    for (const struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        const char *name = entry->d_name;

        staged |= strncmp(name, ".new", 4) == 0 && name[strlen(name) - 1] == '~';
        if (is_ours(name))
            snprintf(foreign, sizeof foreign, "%s", name);
    }
    closedir(stream);
    if (staged || foreign[0] == '\0')
        return SAB_OK;
    return sab_fail(err, SAB_ERR_USAGE,
                    "'%s' holds no result, but a file '%s', which would be replaced: choose "
                    "another directory with -o, or replace it with --force",
                    directory, foreign);
}

/* Is there something to go on from? */
static sab_status check_resume(const sab_result_place *place, bool checkpoint, const sab_case *c,
                               sab_error *err)
{
    if (c->time.scheme == SAB_CREEPING)
        return sab_fail(err, SAB_ERR_USAGE,
                        "--resume: a creeping flow is one solve, there is nothing to continue");
    if (!checkpoint)
        return sab_fail(
            err, SAB_ERR_USAGE, "--resume: there is no checkpoint in '%s'; %s", place->directory,
            place->whole ? "its result cannot be continued" : "start the run without --resume");
    return SAB_OK;
}

/* Is there anything that a new run would replace? What is left of a creeping flow that was killed
 * is not. */
static sab_status refuse_replacing(const sab_result_place *place, bool checkpoint, sab_error *err)
{
    if (place->whole)
        return sab_fail(err, SAB_ERR_USAGE,
                        "'%s' holds a result already: choose another directory with -o, or replace "
                        "it with --force",
                        place->directory);
    if (checkpoint && sab_state_creeps(place->directory))
        return SAB_OK;
    if (checkpoint)
        return sab_fail(err, SAB_ERR_USAGE,
                        "'%s' holds a run that has not ended: continue it with --resume, choose "
                        "another directory with -o, or replace it with --force",
                        place->directory);
    return refuse_foreign(place->directory, err);
}

sab_status sab_result_choose(const char *directory, bool resume, bool force, const sab_case *c,
                             sab_result_place *place, sab_error *err)
{
    char summary[SAB_PATH];
    sab_status status = SAB_OK;

    SAB_TRY(sab_path_check(directory, err));
    SAB_TRY(sab_path_set(place->directory, err, "%s", directory));
    SAB_TRY(sab_path_set(summary, err, "%s/summary.json", directory));
    SAB_TRY(sab_directory_refuse_root(directory, err));
    if (place->owner == NULL)
        SAB_TRY(sab_owner_ask(directory, SAB_RUN_OWNER, 0.0, err));
    place->whole = sab_file_exists(summary);
    const bool checkpoint = sab_state_exists(directory);
    if (resume && force)
        SAB_FAIL(err, SAB_ERR_USAGE, "--resume and --force exclude each other");
    if (resume)
        SAB_TRY(check_resume(place, checkpoint, c, err));
    else if (!force)
        SAB_TRY(refuse_replacing(place, checkpoint, err));
cleanup:
    return status;
}

static void remove_file(const sab_result_place *place, const char *name)
{
    char path[SAB_PATH];

    sab_path_set(path, NULL, "%s/%s", sab_owner_inside(place->owner), name);
    unlink(path);
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

/* Files that were being written when their process was killed, or when it lost the directory: what
 * cannot be renamed any more cannot replace one of ours. */
static void remove_temporary(const char *directory)
{
    DIR *stream = opendir(directory);
    char path[SAB_PATH];

    for (const struct dirent *entry; stream != NULL && (entry = readdir(stream)) != NULL;) {
        const size_t n = strlen(entry->d_name);

        if (n > 5 && strcmp(entry->d_name + n - 5, ".tmp~") == 0) {
            sab_path_set(path, NULL, "%s/%s", directory, entry->d_name);
            unlink(path);
        }
    }
    if (stream != NULL)
        closedir(stream);
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
    sab_status status = sab_directory_create(place->directory, err);
    if (status != SAB_OK)
        return status;
    status = sab_owner_take(place->directory, SAB_RUN_OWNER, &place->owner, err);
    if (status == SAB_OK) {
        remove_temporary(place->directory);
        sab_path_set(part, NULL, "%s/profiles", place->directory);
        remove_temporary(part);
    }
    return status;
}

void sab_result_abandon(sab_result_place *place)
{
    char part[SAB_PATH];

    sab_owner_release(&place->owner);
    memcpy(part, place->directory, sizeof part);
    for (size_t n = strlen(part); place->made > 0 && n >= place->made; n--)
        if (part[n] == '/' || part[n] == '\0') {
            part[n] = '\0';
            rmdir(part); /* fails if something is in it */
        }
}

/* ---- from the staging directory into place -------------------------------------------------- */

typedef enum action { CHECK, MAKE, MOVE } action; /* MAKE: directories */

static bool is_summary(const char *name)
{
    return strcmp(name, "summary.json") == 0;
}

/* Can a file or directory take the place of `to`? A link goes, what it leads to stays. */
static sab_status check(const char *to, bool directory, sab_error *err)
{
    struct stat info;

    if (lstat(to, &info) == 0 &&
        (directory ? !S_ISDIR(info.st_mode) : !S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode)))
        return sab_fail(err, SAB_ERR_IO, "cannot write '%s': there is a %s of that name", to,
                        S_ISDIR(info.st_mode)   ? "directory"
                        : S_ISLNK(info.st_mode) ? "link"
                                                : "file");
    return SAB_OK;
}

/* Do `what` to everything below the directory `from`; a file moves to the same name below `to`, as
 * long as that is ours. */
static sab_status walk(const char *from, const char *to, action what, const sab_owner *owner,
                       sab_error *err)
{
    sab_status status = SAB_OK;
    char source[SAB_PATH], target[SAB_PATH];
    struct stat info;
    DIR *stream = opendir(from);

    if (stream == NULL)
        return sab_fail(err, SAB_ERR_IO, "cannot read directory '%s': %s", from, strerror(errno));
    for (const struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        SAB_TRY(sab_path_set(source, err, "%s/%s", from, entry->d_name));
        SAB_TRY(sab_path_set(target, err, "%s/%s", to, entry->d_name));
        const bool directory = lstat(source, &info) == 0 && S_ISDIR(info.st_mode);
        if (what == CHECK)
            SAB_TRY(check(target, directory, err));
        if (directory) {
            if (what == MAKE)
                SAB_TRY(sab_directory_create_inside(target, err));
            SAB_TRY(walk(source, target, what, owner, err));
        } else if (what == MOVE && !is_summary(entry->d_name)) {
            SAB_TRY(sab_owner_check(owner, err));
            SAB_TRY(sab_file_move(source, target, err));
        }
    }
cleanup:
    closedir(stream);
    return status;
}

/* All at once, as far as a file system can: what might fail is tried before anything is moved. */
sab_status sab_result_publish(const sab_result_place *place, const char *stage, sab_error *err)
{
    const char *directory = sab_owner_inside(place->owner);
    sab_status status = SAB_OK;
    char from[SAB_PATH], to[SAB_PATH], other[SAB_PATH];

    SAB_TRY(walk(stage, directory, CHECK, NULL, err));
    SAB_TRY(sab_owner_check(place->owner, err));
    SAB_TRY(walk(stage, directory, MAKE, NULL, err));
    SAB_TRY(sab_path_set(to, err, "%s/summary.json", directory));
    unlink(to); /* from here to the end there is no whole result */
    /* The checkpoint first: it says whose the files are, if the next one cannot be moved. */
    SAB_TRY(sab_path_set(other, err, "%s/checkpoint.sab", directory));
    SAB_TRY(sab_path_set(from, err, "%s/checkpoint.sab", stage));
    SAB_TRY(sab_file_move(from, other, err));
    SAB_TRY(walk(stage, directory, MOVE, place->owner, err));
    SAB_TRY(sab_owner_check(place->owner, err));
    SAB_TRY(sab_live_remove_frames(directory, 1, err)); /* of an older inertial run */
    SAB_TRY(sab_path_set(other, err, "%s/checkpoint.previous.sab", directory));
    unlink(other);
    sab_directory_sync(directory); /* the files before what says that they are there */
    SAB_TRY(sab_path_set(from, err, "%s/summary.json", stage));
    SAB_TRY(sab_file_move(from, to, err));
    sab_directory_sync(directory);
cleanup:
    if (status != SAB_OK && sab_path_set(other, NULL, "%s/profiles", directory) == SAB_OK)
        rmdir(other); /* if it is still empty */
    return status;
}

void sab_result_discard(const char *stage)
{
    sab_directory_remove(stage);
}

sab_status sab_result_stage(const sab_result_place *place, char stage[SAB_PATH], sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(sab_path_set(stage, err, "%s/.new~", sab_owner_inside(place->owner)));
    SAB_TRY(sab_owner_check(place->owner, err));
    sab_directory_remove(stage); /* of a run that was killed */
    SAB_TRY(sab_directory_create_inside(stage, err));
cleanup:
    return status;
}

/* ---- the files ------------------------------------------------------------------------------ */

static sab_status write_load(const char *path, const sab_case *c, const sab_probe_result *r,
                             const double *value, const double *deviation, sab_error *err)
{
    const char *name[SAB_LOAD_COLUMNS];

    for (int k = 0; k < r->components; k++)
        name[k] = r->load->name[k];
    return sab_output_rows(path, c->geometry, r->samples, r->load->rows->s, r->x, r->components,
                           name, value, deviation, &c->units, err);
}

sab_status sab_result_profile(const char *directory, const sab_case *c, double time,
                              const sab_probe_result *r, const double *value,
                              const double *deviation, sab_error *err)
{
    char path[SAB_PATH];
    sab_status status = SAB_OK;

    if (!sab_probe_is_profile(r->probe))
        return SAB_OK;
    SAB_TRY(sab_path_set(path, err, "%s/profiles", directory));
    SAB_TRY(sab_directory_create_inside(path, err));
    SAB_TRY(sab_path_set(path, err, "%s/profiles/%s.csv", directory, r->probe->name));
    if (r->load != NULL)
        return write_load(path, c, r, value, deviation, err);
    if (r->wall == NULL)
        return sab_output_profile(
            path, c->geometry, r->probe->kind == SAB_PROBE_LINE,
            r->probe->kind == SAB_PROBE_HEIGHT ? "height" : sab_probe_field_name[r->probe->field],
            r->name, r->samples, r->x, r->components, value, deviation, &c->units, err);
    SAB_TRY(sab_output_wall(path, c->geometry, r->wall, r->components, value, deviation, &c->units,
                            err));
    if (r->wall->cells > 0) {
        SAB_TRY(sab_path_set(path, err, "%s/profiles/%s.vtu", directory, r->probe->name));
        SAB_TRY(sab_output_wall_surface(path, r->wall, r->components, value, deviation, time,
                                        c->output_float32, err));
    }
cleanup:
    return status;
}
