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

enum { COMPONENT = 200 };

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
static bool is_success(const char *status)
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
                p->exit = is_success(p->status) ? 0 : 1;
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
        p->exit = is_success(p->status) ? 0 : 1;
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

/* ---- numbers of a summary ---- */

/* A summary is a file, in which anything may stand. */
static const char *text_of(const sab_yaml *node)
{
    return node->kind == SAB_YAML_SCALAR ? node->text : "";
}

static const char *const sections[] = {"probes", "deviations", "errors"};
static const char *const figures[] = {"steps",          "missed",       "retries",
                                      "worst_gap",      "solver.outer", "solver.factorisations",
                                      "solver.solves",  "solver.gap",   "solver.compaction",
                                      "solver.at_rest", "cpu.total",    "cpu.one_factorisation",
                                      "mesh.elements",  "geometry"};
enum {
    SECTIONS = sizeof sections / sizeof sections[0],
    FIGURES = sizeof figures / sizeof figures[0]
};

static const sab_geometry *geometry_of(const sab_yaml *summary)
{
    const sab_yaml *name = sab_yaml_find(summary, "geometry");
    const sab_geometry *geometry = name != NULL ? sab_geometry_find(text_of(name)) : NULL;

    return geometry != NULL ? geometry : &sab_geometry_plane;
}

/* The name of the column of component c of an entry of a section of the summary: a list has the
 * components of a tensor, or the last of a vector, if not all (a force about an axis). */
static void column_name(const sab_yaml *summary, const char *section, const sab_yaml *entry, int c,
                        char *name)
{
    const sab_geometry *geometry = geometry_of(summary);
    const char *const *names = entry->n == SAB_TENSOR
                                   ? geometry->component
                                   : geometry->coordinate + geometry->dim - entry->n;
    char component[COMPONENT - 20];

    sab_output_component(entry->key, entry->kind == SAB_YAML_LIST ? names[c] : NULL, component,
                         sizeof component);
    snprintf(name, COMPONENT, "%s.%s", section, component);
}

/* Number of components of an entry: 0 if it is no number, but the name of a profile. */
static int components(const sab_yaml *summary, const sab_yaml *entry)
{
    double number;

    for (int i = 0; entry->kind == SAB_YAML_LIST && i < entry->n; i++)
        if (entry->item[i]->kind != SAB_YAML_SCALAR)
            return 0; /* somebody has changed the file */
    if (entry->kind == SAB_YAML_LIST)
        return entry->n == SAB_TENSOR || entry->n <= geometry_of(summary)->dim ? entry->n : 0;
    return entry->kind == SAB_YAML_SCALAR && !entry->quoted &&
           (sab_yaml_is_empty(entry) || sab_parse_number(entry->text, &number));
}

static const sab_yaml *component_of(const sab_yaml *entry, int c)
{
    return entry->kind == SAB_YAML_LIST ? entry->item[c] : entry;
}

static const sab_yaml *figure(const sab_yaml *summary, const char *path)
{
    char name[64];
    const size_t n = strcspn(path, ".");
    const sab_yaml *node;

    snprintf(name, sizeof name, "%.*s", (int)n, path);
    node = sab_yaml_find(summary, name);
    return node == NULL || path[n] == '\0' ? node : sab_yaml_find(node, path + n + 1);
}

/* The first probe that is not finite, which JSON has as null; false if there is none. */
static bool not_finite(const sab_yaml *summary, char *name)
{
    const sab_yaml *map = sab_yaml_find(summary, "probes");

    for (int i = 0; map != NULL && map->kind == SAB_YAML_MAP && i < map->n; i++)
        for (int c = 0; c < components(summary, map->item[i]); c++)
            if (sab_yaml_is_empty(component_of(map->item[i], c))) {
                column_name(summary, "probes", map->item[i], c, name);
                return true;
            }
    return false;
}

const char *sab_study_point_trouble(const sab_study_point *p, char *buffer, size_t size)
{
    const bool done = p->state == SAB_STUDY_POINT_DONE && p->summary != NULL;
    const sab_yaml *missed = done ? figure(p->summary, "missed") : NULL;
    const sab_yaml *steps = done ? figure(p->summary, "steps") : NULL;
    char name[COMPONENT];

    buffer[0] = '\0';
    if (!done || !is_success(p->status))
        snprintf(buffer, size, "%s", p->status);
    else if (missed != NULL && steps != NULL && strcmp(text_of(missed), "0") != 0)
        snprintf(buffer, size, "%.12s of %.12s steps missed", text_of(missed), text_of(steps));
    else if (p->exit != 0)
        snprintf(buffer, size, "exit code %d", p->exit);
    else if (not_finite(p->summary, name))
        snprintf(buffer, size, "%s not finite", name);
    return buffer;
}

bool sab_study_point_good(const sab_study_point *p)
{
    char text[COMPONENT + 20];

    return sab_study_point_trouble(p, text, sizeof text)[0] == '\0';
}

static const sab_yaml *warnings_of(const sab_study_point *p)
{
    const sab_yaml *list = p->summary != NULL ? sab_yaml_find(p->summary, "warnings") : NULL;

    return list != NULL && list->kind == SAB_YAML_LIST ? list : NULL;
}

int sab_study_point_warnings(const sab_study_point *p)
{
    const sab_yaml *list = warnings_of(p);

    return list != NULL ? list->n : 0;
}

const char *sab_study_point_warning(const sab_study_point *p, int i)
{
    const sab_yaml *node = warnings_of(p)->item[i];

    return node->kind == SAB_YAML_SCALAR ? node->text : "";
}

double sab_study_point_number(const sab_study_point *p, const char *path)
{
    char name[COMPONENT];
    double value = NAN;

    for (int s = 0; s < SECTIONS && p->summary != NULL; s++) {
        const sab_yaml *map = sab_yaml_find(p->summary, sections[s]);

        for (int i = 0; map != NULL && map->kind == SAB_YAML_MAP && i < map->n; i++)
            for (int c = 0; c < components(p->summary, map->item[i]); c++) {
                column_name(p->summary, sections[s], map->item[i], c, name);
                if (strcmp(name, path) == 0)
                    sab_parse_number(component_of(map->item[i], c)->text, &value);
            }
    }
    return value;
}

/* ---- the table ---- */

static sab_status add_columns(const sab_study *study, int n, const sab_study_point *point,
                              sab_table *t, sab_error *err)
{
    sab_status status = SAB_OK;
    char name[COMPONENT];

    for (int k = 0; k < study->nkeys; k++)
        SAB_TRY(sab_table_add_column(t, study->key[k].name, err));
    if (study->has_bracket)
        SAB_TRY(sab_table_add_column(t, study->bracket.key.name, err));
    SAB_TRY(sab_table_add_column(t, "status", err));
    SAB_TRY(sab_table_add_column(t, "exit", err));
    SAB_TRY(sab_table_add_column(t, SAB_LEFT_OUT, err));
    SAB_TRY(sab_table_add_column(t, "warnings", err));
    for (int s = 0; s < SECTIONS; s++)
        for (int j = 0; j < n; j++) {
            const sab_yaml *map =
                point[j].summary != NULL ? sab_yaml_find(point[j].summary, sections[s]) : NULL;

            for (int i = 0; map != NULL && map->kind == SAB_YAML_MAP && i < map->n; i++)
                for (int c = 0; c < components(point[j].summary, map->item[i]); c++) {
                    column_name(point[j].summary, sections[s], map->item[i], c, name);
                    SAB_TRY(sab_table_add_column(t, name, err));
                }
        }
    for (int i = 0; i < FIGURES; i++)
        SAB_TRY(sab_table_add_column(t, figures[i], err));
    SAB_TRY(sab_table_add_column(t, "point", err));
cleanup:
    return status;
}

static sab_status add_numbers(const sab_study_point *p, sab_table *t, sab_error *err)
{
    sab_status status = SAB_OK;
    char name[COMPONENT];

    for (int s = 0; s < SECTIONS; s++) {
        const sab_yaml *map = sab_yaml_find(p->summary, sections[s]);

        for (int i = 0; map != NULL && map->kind == SAB_YAML_MAP && i < map->n; i++)
            for (int c = 0; c < components(p->summary, map->item[i]); c++) {
                const sab_yaml *value = component_of(map->item[i], c);

                column_name(p->summary, sections[s], map->item[i], c, name);
                SAB_TRY(sab_table_set(t, name, sab_yaml_is_empty(value) ? "" : value->text, err));
            }
    }
    for (int i = 0; i < FIGURES; i++) {
        const sab_yaml *value = figure(p->summary, figures[i]);

        if (value != NULL && value->kind == SAB_YAML_SCALAR && !sab_yaml_is_empty(value))
            SAB_TRY(sab_table_set(t, figures[i], text_of(value), err));
    }
cleanup:
    return status;
}

sab_status sab_study_point_table(const sab_study *study, int n, const sab_study_point *point,
                                 sab_table **table, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_table *t = NULL;
    char value[40], trouble[COMPONENT + 20];

    *table = NULL;
    SAB_TRY(sab_table_create("results.csv", &t, err));
    SAB_TRY(add_columns(study, n, point, t, err));
    for (int j = 0; j < n; j++) {
        const sab_study_point *p = &point[j];

        if (p->state == SAB_STUDY_POINT_NONE)
            continue;
        SAB_TRY(sab_table_add_row(t, err));
        for (int k = 0; k < study->nkeys; k++)
            SAB_TRY(sab_table_set(t, study->key[k].name,
                                  sab_study_plain_value(study, p->combination, k, value), err));
        if (study->has_bracket)
            SAB_TRY(sab_table_set(t, study->bracket.key.name,
                                  sab_study_point_value(p, value, sizeof value), err));
        SAB_TRY(sab_table_set(t, "status", p->status, err));
        if (p->exit >= 0)
            SAB_TRY(sab_table_set_number(t, "exit", p->exit, err));
        SAB_TRY(sab_table_set(t, SAB_LEFT_OUT, sab_study_point_trouble(p, trouble, sizeof trouble),
                              err));
        if (p->summary != NULL) {
            SAB_TRY(sab_table_set_number(t, "warnings", sab_study_point_warnings(p), err));
            SAB_TRY(add_numbers(p, t, err));
        }
        SAB_TRY(sab_table_set(t, "point", p->name, err));
    }
    *table = t;
    t = NULL;
cleanup:
    sab_table_destroy(&t);
    return status;
}
