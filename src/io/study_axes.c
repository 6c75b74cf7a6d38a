/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What varies in a study: set, vary and zip. */
#include "base/memory.h"
#include "io/study_read.h"

#include <string.h>

/* Append the leaves below a map, dotted: {material: {friction: 0.5}} and {material.friction: 0.5}
 * are the same. */
sab_status sab_study_flatten(const sab_study *s, const sab_yaml *map, const char *prefix, int *n,
                             sab_study_key **keys, sab_error *err)
{
    sab_status status = SAB_OK;

    for (int i = 0; i < map->n; i++) {
        const sab_yaml *node = map->item[i];
        sab_text name = {0};
        const char *dot = prefix[0] != '\0' ? "." : "";

        SAB_TRY(sab_text_add(&name, err, "%s%s%s", prefix, dot, node->key));
        if (node->kind == SAB_YAML_MAP && node->n > 0) {
            status = sab_study_flatten(s, node, name.data, n, keys, err);
            sab_text_destroy(&name);
            SAB_TRY(status);
            continue;
        }
        sab_study_key *grown = sab_realloc(*keys, (size_t)*n + 1, sizeof *grown);
        if (grown == NULL) {
            sab_text_destroy(&name);
            return sab_study_no_memory(err);
        }
        *keys = grown;
        grown[(*n)++] = (sab_study_key){name.data, name.data, node, false};
        for (int k = 0; k + 1 < *n; k++)
            if (strcmp(grown[k].name, name.data) == 0)
                return sab_fail(
                    err, SAB_ERR_INPUT, "%s:%d:%d: %s: is given twice (first in line %d)", s->path,
                    node->key_line, node->key_column, name.data, grown[k].node->key_line);
        if (strchr(name.data, '=') != NULL || sab_yaml_is_empty(node))
            return sab_study_fail(s, node, err, "%s: %s", name.data,
                                  sab_yaml_is_empty(node) ? "is empty" : "a key has no '='");
    }
cleanup:
    return status;
}

static bool same_value(const char *a, const char *b)
{
    double x, y;

    return strcmp(a, b) == 0 || (sab_parse_number(a, &x) && sab_parse_number(b, &y) && x == y);
}

/* Does the case itself vary along with these keys? */
static bool varies_base(const sab_study_key *key, int n)
{
    for (int k = 0; k < n; k++)
        if (strcmp(key[k].name, "base") == 0)
            return true;
    return false;
}

/* Each is a number, a text, or a list such as a gravity, which gets the text that names it. Beside
 * cases that vary it may be ~: the key has the value of the case, which may not know it. */
static sab_status check_values(const sab_study *s, const sab_study_key *key, bool empty,
                               sab_error *err)
{
    const sab_yaml *list = key->node;
    sab_text text = {0};
    sab_status status = SAB_OK;

    if (list->kind != SAB_YAML_LIST || list->n == 0)
        return sab_study_fail(s, list, err, "%s: expected a list of values: [0.3, 0.4]", key->name);
    for (int i = 0; i < list->n; i++) {
        sab_yaml *value = list->item[i];

        if (value->kind == SAB_YAML_LIST && value->n > 0 && value->text == NULL) {
            SAB_TRY(sab_yaml_write(value, &text, err));
            value->text = text.data;
            text = (sab_text){0};
        } else if (value->kind != SAB_YAML_SCALAR || (sab_yaml_is_empty(value) && !empty))
            SAB_TRY(sab_study_fail(s, value, err,
                                   "%s: value %d of the list is no number, no text and no list",
                                   key->name, i + 1));
    }
cleanup:
    sab_text_destroy(&text);
    return status;
}

static bool tells(const sab_study_key *key, int i, int j)
{
    return !same_value(key->node->item[i]->text, key->node->item[j]->text);
}

/* Which of the keys from `first` on are needed to tell their points apart. */
static sab_status tell_apart(sab_study *s, int first, sab_error *err)
{
    const sab_study_key *one = &s->key[first];

    for (int i = 0; i < one->node->n; i++)
        for (int j = 0; j < i; j++) {
            bool told = false;

            for (int k = first; k < s->nkeys; k++)
                told = told || (s->key[k].tells && tells(&s->key[k], i, j));
            for (int k = first; k < s->nkeys && !told; k++)
                if (tells(&s->key[k], i, j))
                    told = s->key[k].tells = true;
            if (!told)
                return sab_study_fail(s, one->node->item[i], err, "%s: %s is listed twice",
                                      one->name, one->node->item[i]->text);
        }
    for (int k = first; k < s->nkeys; k++) /* an only value too has a name, and a case always */
        if ((k == first && one->node->n == 1) || strcmp(s->key[k].name, "base") == 0)
            s->key[k].tells = true;
    return SAB_OK;
}

/* The keys from `first` on, together, as one axis. */
static sab_status add_axis(sab_study *s, int first, sab_error *err)
{
    sab_study_axis *grown = sab_realloc(s->axis, (size_t)s->naxes + 1, sizeof *grown);
    sab_status status = SAB_OK;
    const sab_study_key *key = &s->key[first];

    if (grown == NULL)
        return sab_study_no_memory(err);
    s->axis = grown;
    const bool empty = varies_base(key, s->nkeys - first);
    for (int k = first; k < s->nkeys; k++) {
        SAB_TRY(check_values(s, &s->key[k], empty, err));
        if (s->key[k].node->n != key->node->n)
            return sab_study_fail(
                s, s->key[k].node, err,
                "%s: %d values, but %s has %d: lists that are zipped have one length",
                s->key[k].name, s->key[k].node->n, key->name, key->node->n);
    }
    grown[s->naxes++] = (sab_study_axis){first, s->nkeys - first, key->node->n};
    SAB_TRY(tell_apart(s, first, err));
    if ((double)s->ncombinations * key->node->n > SAB_STUDY_POINTS)
        return sab_study_fail(s, key->node, err, "more than %d points", SAB_STUDY_POINTS);
    s->ncombinations *= key->node->n;
cleanup:
    return status;
}

sab_status sab_study_read_axes(sab_study *s, const sab_yaml *node, sab_error *err)
{
    sab_status status = SAB_OK;
    const bool zipped = strcmp(node->key, "zip") == 0, several = node->kind == SAB_YAML_LIST;

    for (int i = 0; i < (zipped && several ? node->n : 1); i++) {
        const sab_yaml *map = zipped && several ? node->item[i] : node;
        const int first = s->nkeys;

        if (map->kind != SAB_YAML_MAP || map->n == 0)
            return sab_study_fail(
                s, map, err, "%s: expected keys with their lists: {material.friction: [0.3, 0.4]}",
                node->key);
        SAB_TRY(sab_study_flatten(s, map, "", &s->nkeys, &s->key, err));
        if (zipped) {
            SAB_TRY(add_axis(s, first, err));
            continue;
        }
        const int last = s->nkeys;
        for (int k = first; k < last; k++) { /* an axis each */
            s->nkeys = k + 1;
            status = add_axis(s, k, err);
            s->nkeys = last;
            SAB_TRY(status);
        }
    }
cleanup:
    return status;
}

/* The shortest end of a dotted key that no other varied key has. */
const char *sab_study_short_label(const sab_study *s, const sab_study_key *key)
{
    const char *label = key->name + strlen(key->name);

    while (label > key->name) {
        bool unique = true;

        do
            label--;
        while (label > key->name && label[-1] != '.');
        for (int i = 0; i <= s->nkeys; i++) {
            const sab_study_key *other = i < s->nkeys ? &s->key[i] : &s->bracket.key;
            const size_t n = other->name != NULL ? strlen(other->name) : 0, m = strlen(label);

            if (other != key && n >= m && strcmp(other->name + n - m, label) == 0 &&
                (n == m || other->name[n - m - 1] == '.'))
                unique = false;
        }
        if (unique)
            break;
    }
    return label;
}

int sab_study_find_key(const sab_study *s, const char *name)
{
    for (int k = 0; k < s->nkeys; k++)
        if (strcmp(s->key[k].name, name) == 0)
            return k;
    return -1;
}

bool sab_study_axis_has_base(const sab_study *s, int axis)
{
    return s->base_key >= 0 && axis == sab_study_axis_of(s, s->base_key);
}

int sab_study_axis_of(const sab_study *s, int key)
{
    int axis = 0;

    while (key >= s->axis[axis].first + s->axis[axis].nkeys)
        axis++;
    return axis;
}
