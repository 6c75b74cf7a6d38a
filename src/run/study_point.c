/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/study_point.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/text.h"
#include "base/timer.h"
#include "io/file.h"
#include "io/json.h"
#include "io/output.h"
#include "run/owner.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- what is solved, as a number ---- */

static sab_status hash_file(const sab_case *c, const char *key, const char *path, uint64_t *h,
                            sab_error *err)
{
    char buffer[65536], place[1000];
    sab_error why;
    FILE *file;

    if (path == NULL)
        return SAB_OK;
    if (sab_input_open(path, &file, NULL, &why) != SAB_OK)
        return sab_fail(err, SAB_ERR_INPUT, "%s: cannot open '%s': %s",
                        sab_case_locate(c, key, place, sizeof place), path, why.message);
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, file)) > 0;)
        *h = sab_hash(*h, buffer, n);
    fclose(file);
    return SAB_OK;
}

const char *sab_study_point_value(const sab_study_point *p, char *buffer, size_t size)
{
    snprintf(buffer, size, "%.12g", p->value);
    return buffer;
}

sab_status sab_study_point_create(const sab_study *study, int combination, double value,
                                  sab_study_point *p, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_case *c = NULL;
    sab_text yaml = {0};
    char text[40];

    *p = (sab_study_point){
        .combination = combination, .value = value, .exit = -1, .status = "pending"};
    const char *bracket = isnan(value) ? NULL : sab_study_point_value(p, text, sizeof text);
    SAB_TRY(sab_study_name(study, combination, bracket, p->name, err));
    SAB_TRY(sab_study_case(study, combination, bracket, &c, err));
    SAB_TRY(sab_case_resolved(c, &yaml, err));
    p->case_hash = sab_hash(SAB_HASH, yaml.data, yaml.length);
    SAB_TRY(hash_file(c, "mesh.file", c->mesh_file, &p->case_hash, err));
    SAB_TRY(hash_file(c, "grains.fill.file", c->grains.file, &p->case_hash, err));
    p->hash = p->case_hash;
    p->steps = c->time.scheme == SAB_INERTIAL;
    p->state = SAB_STUDY_POINT_PENDING;
cleanup:
    sab_text_destroy(&yaml);
    sab_case_destroy(&c);
    return status;
}

void sab_study_point_destroy(sab_study_point *p)
{
    sab_yaml_destroy(&p->summary);
}

void sab_study_point_follow(sab_study_point *p, const sab_study_point *from)
{
    p->hash = p->case_hash;
    if (from != NULL)
        p->hash = sab_hash(p->hash, &from->hash, sizeof from->hash);
}

/* ---- its directory ---- */

static const char *file_of(const char *points, const sab_study_point *p, const char *file,
                           char path[SAB_PATH])
{
    sab_path_set(path, NULL, "%s/%s/%s", points, p->name, file);
    return path;
}

static const char *hash_text(const sab_study_point *p, char text[20])
{
    snprintf(text, 20, "%016" PRIx64, p->hash);
    return text;
}

static sab_status write_mark(const char *points, const sab_study_point *p, sab_error *err)
{
    char path[SAB_PATH], hash[20];
    sab_json json = {0};

    sab_json_begin_object(&json, NULL);
    sab_json_string(&json, "hash", hash_text(p, hash));
    sab_json_number(&json, "exit", p->exit >= 0 ? (double)p->exit : (double)NAN);
    sab_json_end_object(&json);
    const sab_status status = sab_json_save(&json, file_of(points, p, "point.json", path), err);
    sab_json_destroy(&json);
    return status;
}

/* A JSON file as a tree; NULL if it is not there or damaged: then it counts as not there. */
static sab_yaml *load(const char *points, const sab_study_point *p, const char *file)
{
    sab_yaml *root = NULL;
    char path[SAB_PATH];

    if (sab_file_exists(file_of(points, p, file, path)))
        sab_yaml_read(path, &root, NULL);
    return root;
}

/* The status of the summary; without one the point has failed. */
static void take_status(sab_study_point *p)
{
    const sab_yaml *node = p->summary != NULL ? sab_yaml_find(p->summary, "status") : NULL;
    const bool there = node != NULL && node->kind == SAB_YAML_SCALAR;

    snprintf(p->status, sizeof p->status, "%.30s", there ? node->text : "failed");
}

/* All other statuses say that something went wrong. */
bool sab_study_is_success(const char *status)
{
    static const char *const success[] = {"converged", "steady", "finished"};

    for (size_t i = 0; i < sizeof success / sizeof success[0]; i++)
        if (strcmp(status, success[i]) == 0)
            return true;
    return false;
}

/* point.json, if it is of what is to be solved now; then with the exit code, -1 if there is none.
 */
static bool load_mark(const char *points, const sab_study_point *p, int *code)
{
    sab_yaml *mark = load(points, p, "point.json");
    const sab_yaml *node = mark != NULL ? sab_yaml_find(mark, "hash") : NULL;
    char hash[20];
    const bool same = node != NULL && node->kind == SAB_YAML_SCALAR &&
                      strcmp(node->text, hash_text(p, hash)) == 0;

    node = same ? sab_yaml_find(mark, "exit") : NULL;
    if (node == NULL || node->kind != SAB_YAML_SCALAR || !sab_parse_integer(node->text, code))
        *code = -1;
    sab_yaml_destroy(&mark);
    return same;
}

sab_study_point_found sab_study_point_find(const char *points, sab_study_point *p)
{
    char path[SAB_PATH];
    sab_study_point_found found = SAB_STUDY_FOUND_NOTHING;
    int code;

    if (load_mark(points, p, &code)) {
        p->summary = load(points, p, "summary.json");
        take_status(p);
        if (p->summary != NULL && strcmp(p->status, "interrupted") != 0) {
            p->exit = code;
            if (p->exit < 0) { /* this program ended before it could write the code */
                p->exit = sab_study_is_success(p->status) ? 0 : 1;
                write_mark(points, p, NULL); /* now, if it can be done */
            }
            p->state = SAB_STUDY_POINT_DONE;
            found = SAB_STUDY_FOUND_RESULT;
        } else {
            sab_yaml_destroy(&p->summary);
            if (p->steps && sab_file_exists(file_of(points, p, "checkpoint.sab", path)))
                found = SAB_STUDY_FOUND_CHECKPOINT;
        }
    }
    return found;
}

bool sab_study_point_failed(const char *points, sab_study_point *p)
{
    char path[SAB_PATH];
    int code;
    const bool begun = load_mark(points, p, &code);

    if (begun && code >= 0) {
        p->state = SAB_STUDY_POINT_DONE;
        p->exit = code;
        take_status(p);
        return true;
    }
    const sab_owner_state owner = sab_owner_look(file_of(points, p, "", path), SAB_RUN_OWNER, NULL);
    const bool works = owner == SAB_OWNER_OTHER || owner == SAB_OWNER_EARLIER;
    p->state = begun ? SAB_STUDY_POINT_RUNNING : SAB_STUDY_POINT_PENDING;
    snprintf(p->status, sizeof p->status, "%s",
             !begun  ? "pending"
             : works ? "running"
                     : "interrupted");
    return false;
}

sab_status sab_study_point_prepare(const char *points, sab_study_point *p, bool resume,
                                   sab_error *err)
{
    static const char *const old[] = {"summary.json", "checkpoint.sab"};
    sab_status status = SAB_OK;
    char path[SAB_PATH];

    SAB_TRY(sab_path_set(path, err, "%s/%s", points, p->name));
    SAB_TRY(sab_directory_create(path, err));
    for (int i = 0; i < (resume ? 1 : 2); i++)
        if (remove(file_of(points, p, old[i], path)) != 0 && errno != ENOENT) {
            status = sab_fail(err, SAB_ERR_IO, "cannot remove '%s': %s", path, strerror(errno));
            goto cleanup;
        }
    p->exit = -1;
    SAB_TRY(write_mark(points, p, err));
    p->state = SAB_STUDY_POINT_RUNNING;
    snprintf(p->status, sizeof p->status, "running");
    p->started = sab_wall_seconds();
cleanup:
    return status;
}

sab_status sab_study_point_finish(const char *points, sab_study_point *p, int code, bool stopped,
                                  sab_error *err)
{
    p->state = SAB_STUDY_POINT_DONE;
    p->exit = code;
    p->seconds = sab_wall_seconds() - p->started;
    if (stopped && code >= 128) /* before it could listen to signals */
        p->exit = code = 75;
    if (code == 75) {
        snprintf(p->status, sizeof p->status, "interrupted");
        return SAB_OK;
    }
    p->summary = load(points, p, "summary.json");
    take_status(p);
    if (code >= 128 && p->summary != NULL) /* killed when all was done */
        p->exit = sab_study_is_success(p->status) ? 0 : 1;
    return write_mark(points, p, err);
}

const char *sab_study_point_complaint(const char *points, const sab_study_point *p, char *buffer,
                                      size_t size)
{
    char path[SAB_PATH], line[2048];
    FILE *file = NULL;

    buffer[0] = '\0';
    if (sab_input_open(file_of(points, p, "log.txt", path), &file, NULL, NULL) != SAB_OK)
        return buffer;
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '\0' && line[0] != ' ') /* context of an error is indented */
            snprintf(buffer, size, "%s", line);
    }
    fclose(file);
    return buffer;
}
