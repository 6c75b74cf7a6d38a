/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbers of a summary, whether they can be trusted, and the table that all points make. */
#include "base/text.h"
#include "io/output.h"
#include "run/study_point.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COMPONENT = 200 };

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
static void column_name(const sab_yaml *summary, const char *section, const char *key,
                        const sab_yaml *entry, int c, char *name)
{
    const sab_geometry *geometry = geometry_of(summary);
    const char *const *names = entry->n == SAB_TENSOR
                                   ? geometry->component
                                   : geometry->coordinate + geometry->dim - entry->n;
    char component[COMPONENT - 20];

    sab_output_component(key, entry->kind == SAB_YAML_LIST ? names[c] : NULL, component,
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

/* What is to be done with a column and its number. */
typedef sab_status visit(void *data, const char *column, const sab_yaml *value, sab_error *err);

static sab_status visit_entry(const sab_yaml *summary, const char *section, const char *key,
                              const sab_yaml *entry, const char *unit, visit *what, void *data,
                              sab_error *err)
{
    sab_status status = SAB_OK;
    char name[COMPONENT], whole[COMPONENT + 50];

    for (int c = 0; entry != NULL && c < components(summary, entry); c++) {
        column_name(summary, section, key, entry, c, name);
        snprintf(whole, sizeof whole, unit[0] != '\0' ? "%s [%.40s]" : "%s", name, unit);
        SAB_TRY(what(data, whole, component_of(entry, c), err));
    }
cleanup:
    return status;
}

/* Of a case with units: `probes.discharge [kg/s]`, and deviations. */
static sab_status visit_si(const sab_yaml *summary, visit *what, void *data, sab_error *err)
{
    static const char *const part[][2] = {{"probes", "value"}, {"deviations", "deviation"}};
    const sab_yaml *si = sab_yaml_find(summary, "si");
    const sab_yaml *map =
        si != NULL && si->kind == SAB_YAML_MAP ? sab_yaml_find(si, "probes") : NULL;
    sab_status status = SAB_OK;

    for (int k = 0; k < 2; k++)
        for (int i = 0; map != NULL && map->kind == SAB_YAML_MAP && i < map->n; i++) {
            const sab_yaml *probe = map->item[i];
            const sab_yaml *unit =
                probe->kind == SAB_YAML_MAP ? sab_yaml_find(probe, "unit") : NULL;

            if (unit != NULL)
                SAB_TRY(visit_entry(summary, part[k][0], probe->key,
                                    sab_yaml_find(probe, part[k][1]), text_of(unit), what, data,
                                    err));
        }
cleanup:
    return status;
}

/* All numbers that probes, deviations and errors have; those in SI behind the others. */
static sab_status visit_numbers(const sab_yaml *summary, visit *what, void *data, sab_error *err)
{
    sab_status status = SAB_OK;

    for (int s = 0; s < SECTIONS; s++) {
        const sab_yaml *map = sab_yaml_find(summary, sections[s]);

        for (int i = 0; map != NULL && map->kind == SAB_YAML_MAP && i < map->n; i++)
            SAB_TRY(visit_entry(summary, sections[s], map->item[i]->key, map->item[i], "", what,
                                data, err));
    }
    SAB_TRY(visit_si(summary, what, data, err));
cleanup:
    return status;
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
                column_name(summary, "probes", map->item[i]->key, map->item[i], c, name);
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
    if (!done || !sab_study_is_success(p->status))
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

typedef struct sought {
    const char *column;
    double value;
} sought;

static sab_status find_number(void *data, const char *column, const sab_yaml *value, sab_error *err)
{
    sought *s = data;

    (void)err;
    if (strcmp(column, s->column) == 0)
        sab_parse_number(value->text, &s->value);
    return SAB_OK;
}

double sab_study_point_number(const sab_study_point *p, const char *path)
{
    sought s = {path, NAN};

    if (p->summary != NULL)
        visit_numbers(p->summary, find_number, &s, NULL);
    return s.value;
}

/* ---- the table ---- */

static sab_status add_column(void *data, const char *column, const sab_yaml *value, sab_error *err)
{
    (void)value;
    return sab_table_add_column(data, column, err);
}

static sab_status set_cell(void *data, const char *column, const sab_yaml *value, sab_error *err)
{
    return sab_table_set(data, column, sab_yaml_is_empty(value) ? "" : value->text, err);
}

static sab_status add_columns(const sab_study *study, int n, const sab_study_point *point,
                              sab_table *t, sab_error *err)
{
    sab_status status = SAB_OK;

    for (int k = 0; k < study->nkeys; k++)
        SAB_TRY(sab_table_add_column(t, study->key[k].name, err));
    if (study->has_bracket)
        SAB_TRY(sab_table_add_column(t, study->bracket.key.name, err));
    SAB_TRY(sab_table_add_column(t, "status", err));
    SAB_TRY(sab_table_add_column(t, "exit", err));
    SAB_TRY(sab_table_add_column(t, SAB_LEFT_OUT, err));
    SAB_TRY(sab_table_add_column(t, "warnings", err));
    for (int j = 0; j < n; j++)
        if (point[j].summary != NULL)
            SAB_TRY(visit_numbers(point[j].summary, add_column, t, err));
    for (int i = 0; i < FIGURES; i++)
        SAB_TRY(sab_table_add_column(t, figures[i], err));
    SAB_TRY(sab_table_add_column(t, "point", err));
cleanup:
    return status;
}

static sab_status add_numbers(const sab_study_point *p, sab_table *t, sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(visit_numbers(p->summary, set_cell, t, err));
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
