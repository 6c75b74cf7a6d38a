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

enum { LONG_PATH = SAB_PATH + 600 }; /* with the names of files in it */

/* ---- the directory -------------------------------------------------------------------------- */

/* A name that a run writes, or removes. */
static bool is_ours(const char *name)
{
    static const char *const names[] = {"case.resolved.yaml", "summary.json", "convergence.csv",
                                        "history.csv",        "fields.pvd",   "profiles"};

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

sab_status sab_result_choose(const char *directory, bool resume, bool force, const sab_case *c,
                             sab_result_place *place, sab_error *err)
{
    char summary[LONG_PATH];
    const int n = snprintf(place->directory, SAB_PATH, "%s", directory);

    if (n < 0 || n >= SAB_PATH)
        return sab_fail(err, SAB_ERR_USAGE, "the path of the output directory is too long");
    const sab_status root = sab_directory_refuse_root(place->directory, err);
    if (root != SAB_OK)
        return root;
    if (place->owner == NULL) {
        const sab_status status = sab_owner_ask(place->directory, SAB_RUN_OWNER, 0.0, err);

        if (status != SAB_OK)
            return status;
    }
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
    const bool partial = checkpoint && !place->whole && sab_state_creeps(place->directory);
    if (checkpoint && !partial && !force && !resume)
        return sab_fail(err, SAB_ERR_USAGE,
                        "'%s' holds a run that has not ended: continue it with --resume, choose "
                        "another directory with -o, or replace it with --force",
                        place->directory);
    return force || resume || partial ? SAB_OK : refuse_foreign(place->directory, err);
}

static void remove_file(const sab_result_place *place, const char *name)
{
    char path[LONG_PATH];

    snprintf(path, sizeof path, "%s/%s", sab_owner_inside(place->owner), name);
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
    char path[LONG_PATH];

    for (const struct dirent *entry; stream != NULL && (entry = readdir(stream)) != NULL;) {
        const size_t n = strlen(entry->d_name);

        if (n > 5 && strcmp(entry->d_name + n - 5, ".tmp~") == 0) {
            snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
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
        snprintf(part, sizeof part, "%.4080s/profiles", place->directory);
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
    char from[LONG_PATH], to[LONG_PATH], other[LONG_PATH];

    SAB_TRY(walk(stage, directory, CHECK, NULL, err));
    SAB_TRY(sab_owner_check(place->owner, err));
    SAB_TRY(walk(stage, directory, MAKE, NULL, err));
    snprintf(to, sizeof to, "%s/summary.json", directory);
    unlink(to); /* from here to the end there is no whole result */
    /* The checkpoint first: it says whose the files are, if the next one cannot be moved. */
    snprintf(other, sizeof other, "%s/checkpoint.sab", directory);
    snprintf(from, sizeof from, "%s/checkpoint.sab", stage);
    SAB_TRY(sab_file_move(from, other, err));
    SAB_TRY(walk(stage, directory, MOVE, place->owner, err));
    SAB_TRY(sab_owner_check(place->owner, err));
    SAB_TRY(sab_live_remove_frames(directory, 1, err)); /* of an older inertial run */
    snprintf(other, sizeof other, "%s/checkpoint.previous.sab", directory);
    unlink(other);
    sab_directory_sync(directory); /* the files before what says that they are there */
    snprintf(from, sizeof from, "%s/summary.json", stage);
    SAB_TRY(sab_file_move(from, to, err));
    sab_directory_sync(directory);
cleanup:
    if (status != SAB_OK) {
        snprintf(other, sizeof other, "%s/profiles", directory);
        rmdir(other); /* if it is still empty */
    }
    return status;
}

void sab_result_discard(const char *stage)
{
    sab_directory_remove(stage);
}

sab_status sab_result_stage(const sab_result_place *place, char stage[SAB_STAGE], sab_error *err)
{
    const sab_status status = sab_owner_check(place->owner, err);

    snprintf(stage, SAB_STAGE, "%s/.new~", sab_owner_inside(place->owner));
    if (status != SAB_OK)
        return status;
    sab_directory_remove(stage); /* of a run that was killed */
    return sab_directory_create_inside(stage, err);
}

/* ---- the files ------------------------------------------------------------------------------ */

sab_status sab_result_profile(const char *directory, const sab_case *c, double time,
                              const sab_probe_result *r, const double *value,
                              const double *deviation, sab_error *err)
{
    char path[LONG_PATH];
    sab_status status = SAB_OK;

    if (!sab_probe_is_profile(r->probe))
        return SAB_OK;
    snprintf(path, sizeof path, "%s/profiles", directory);
    SAB_TRY(sab_directory_create_inside(path, err));
    snprintf(path, sizeof path, "%s/profiles/%s.csv", directory, r->probe->name);
    if (r->load != NULL)
        return sab_output_rows(path, c->geometry, r->samples, r->load->s, r->x, r->components,
                               sab_load_name, value, deviation, err);
    if (r->wall == NULL)
        return sab_output_profile(path, c->geometry, r->probe->kind == SAB_PROBE_LINE,
                                  sab_probe_field_name[r->probe->field], r->name, r->samples, r->x,
                                  r->components, value, deviation, err);
    SAB_TRY(sab_output_wall(path, c->geometry, r->wall, r->components, value, deviation, err));
    if (r->wall->cells > 0) {
        snprintf(path, sizeof path, "%s/profiles/%s.vtu", directory, r->probe->name);
        SAB_TRY(sab_output_wall_surface(path, r->wall, r->components, value, deviation, time,
                                        c->output_float32, err));
    }
cleanup:
    return status;
}
