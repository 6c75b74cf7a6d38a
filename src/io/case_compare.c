/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two resolved cases side by side: may a run that began with the one go on with the other? */
#include "io/case.h"
#include "io/case_read.h"

#include <string.h>

/* Keys that may change. They say when a run ends and what it writes, not how a step is made; the
 * path of a mesh may change because its nodes and elements are compared. */
static const char *const free_key[] = {"title",           "mesh.file",   "time.end",
                                       "time.steady",     "time.window", "time.probe",
                                       "time.max_missed", "output",      "symmetry"};

static bool is_free(const char *path)
{
    for (size_t i = 0; i < sizeof free_key / sizeof free_key[0]; i++)
        if (strcmp(path, free_key[i]) == 0)
            return true;
    return false;
}

/* The same value, however it is written: 0.5 is 0.50. */
static bool same_scalar(const sab_yaml *a, const sab_yaml *b)
{
    double x, y;

    return strcmp(a->text, b->text) == 0 ||
           (!a->quoted && !b->quoted &&
            ((sab_value_is_infinity(a->text) && sab_value_is_infinity(b->text)) ||
             (sab_parse_number(a->text, &x) && sab_parse_number(b->text, &y) && x == y)));
}

static bool same_tree(const sab_yaml *a, const sab_yaml *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == SAB_YAML_SCALAR)
        return same_scalar(a, b);
    if (a->n != b->n)
        return false;
    for (int i = 0; i < a->n; i++) { /* the order of probes is that of the columns */
        if (a->kind == SAB_YAML_MAP && strcmp(a->item[i]->key, b->item[i]->key) != 0)
            return false;
        if (!same_tree(a->item[i], b->item[i]))
            return false;
    }
    return true;
}

/* A section without keys is not written to the resolved case. */
static bool is_nothing(const sab_yaml *node)
{
    return node == NULL || (node->kind == SAB_YAML_MAP && node->n == 0);
}

static sab_status add_value(const sab_yaml *node, sab_text *text, sab_error *err)
{
    return node != NULL ? sab_yaml_write(node, text, err) : sab_text_add(text, err, "not given");
}

static sab_status compare(const sab_yaml *old, const sab_yaml *now, const char *path,
                          const char *there, sab_text *difference, sab_error *err);

/* The children of two maps: first those of `old`, then those that are new. */
static sab_status compare_maps(const sab_yaml *old, const sab_yaml *now, const char *path,
                               const char *there, sab_text *difference, sab_error *err)
{
    sab_status status = SAB_OK;

    for (int i = 0; i < old->n && difference->length == 0; i++)
        SAB_TRY(compare(old->item[i], sab_yaml_find(now, old->item[i]->key),
                        sab_key_path_join(path, old->item[i]->key).text, there, difference, err));
    for (int i = 0; i < now->n && difference->length == 0; i++)
        if (sab_yaml_find(old, now->item[i]->key) == NULL)
            SAB_TRY(compare(NULL, now->item[i], sab_key_path_join(path, now->item[i]->key).text,
                            there, difference, err));
    if (difference->length == 0 && strcmp(path, "probes") == 0 && !same_tree(old, now))
        SAB_TRY(sab_text_add(difference, err, "%s: in another order", path));
cleanup:
    return status;
}

static sab_status compare(const sab_yaml *old, const sab_yaml *now, const char *path,
                          const char *there, sab_text *difference, sab_error *err)
{
    sab_status status = SAB_OK;

    if (is_free(path) || (is_nothing(old) && is_nothing(now)))
        return SAB_OK;
    if (old != NULL && now != NULL && old->kind == SAB_YAML_MAP && now->kind == SAB_YAML_MAP)
        return compare_maps(old, now, path, there, difference, err);
    if (old != NULL && now != NULL && same_tree(old, now))
        return SAB_OK;
    SAB_TRY(sab_text_add(difference, err, "%s: ", path));
    SAB_TRY(add_value(old, difference, err));
    SAB_TRY(sab_text_add(difference, err, " %s, ", there));
    SAB_TRY(add_value(now, difference, err));
    SAB_TRY(sab_text_add(difference, err, " now"));
cleanup:
    return status;
}

sab_status sab_case_compare(const sab_case *c, const char *resolved, const char *there,
                            sab_text *difference, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_yaml *old = NULL;

    SAB_TRY(
        sab_yaml_parse("the resolved case", SAB_YAML_FILE, resolved, strlen(resolved), &old, err));
    sab_tree_sort(old);
    SAB_TRY(sab_text_add(difference, err, "%s", "")); /* so that it is a string in any case */
    SAB_TRY(compare_maps(old, c->store->root, "", there, difference, err));
cleanup:
    sab_yaml_destroy(&old);
    return status;
}
