/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/case_read.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

static sab_place make_place(const char *file, sab_yaml_origin origin, int line, int column,
                            const char *path)
{
    const char *colon = path[0] != '\0' ? ": " : "";
    sab_place place;

    if (origin == SAB_YAML_OVERRIDE)
        snprintf(place.text, sizeof place.text, "--set %.400s", path);
    else
        snprintf(place.text, sizeof place.text, "%.500s:%d:%d%s%.400s", file, line, column, colon,
                 path);
    return place;
}

sab_place sab_place_of_value(const char *file, const sab_yaml *node, const char *path)
{
    return make_place(file, node->origin, node->line, node->column, path);
}

sab_place sab_place_of_key(const char *file, const sab_yaml *node, const char *path)
{
    if (node->key == NULL)
        return sab_place_of_value(file, node, path);
    return make_place(file, node->origin, node->key_line, node->key_column, path);
}

sab_key_path sab_key_path_join(const char *path, const char *key)
{
    sab_key_path joined;

    snprintf(joined.text, sizeof joined.text, "%.250s%s%.140s", path, path[0] != '\0' ? "." : "",
             key);
    return joined;
}

sab_status sab_fault(sab_faults *f, sab_status status, const sab_error *err)
{
    enum { MOST = 12 };
    const char *message = err != NULL ? err->message : "";
    const size_t used = strlen(f->message);

    if (status != SAB_ERR_INPUT)
        return status;
    f->n++;
    if (f->shown == f->n - 1 && f->n <= MOST && used + strlen(message) + 2 < sizeof f->message) {
        snprintf(f->message + used, sizeof f->message - used, "%s%s", used > 0 ? "\n" : "",
                 message);
        f->shown++;
    }
    return SAB_OK;
}

sab_status sab_faults_end(const sab_faults *f, sab_error *err)
{
    if (f->n == 0)
        return SAB_OK;
    if (f->n == f->shown)
        return sab_fail(err, SAB_ERR_INPUT, "%s", f->message);
    return sab_fail(err, SAB_ERR_INPUT, "%s\n%s:1: and %d more", f->message, f->file,
                    f->n - f->shown);
}

/* The child whose name begins the dotted path; the longest, because names of the user may contain
 * dots. The path ends at one of the characters of `ends`, or with the string. *rest is what follows
 * the dot, NULL if there is none. */
static sab_yaml *step_down(const sab_yaml *map, const char *path, const char *ends,
                           const char **rest)
{
    sab_yaml *best = NULL;
    size_t length = 0;

    for (int i = 0; map->kind == SAB_YAML_MAP && i < map->n; i++) {
        const size_t n = strlen(map->item[i]->key);

        if (n > length && strncmp(path, map->item[i]->key, n) == 0 &&
            (path[n] == '.' || path[n] == '\0' || strchr(ends, path[n]) != NULL)) {
            best = map->item[i];
            length = n;
        }
    }
    if (best != NULL)
        *rest = path[length] == '.' ? path + length + 1 : NULL;
    return best;
}

const sab_yaml *sab_tree_locate(const sab_yaml *root, const char *path)
{
    const sab_yaml *node = root;

    while (path != NULL && path[0] != '\0') {
        const sab_yaml *child = step_down(node, path, "", &path);

        if (child == NULL)
            break;
        node = child;
    }
    return node;
}

const sab_yaml *sab_tree_match(const sab_yaml *root, const char *text, size_t *length)
{
    const sab_yaml *node = NULL, *map = root;

    *length = 0;
    for (const char *rest = text; rest != NULL;) {
        const char *name = rest;

        map = step_down(map, name, map == root ? ":" : ": ", &rest);
        if (map == NULL)
            break;
        node = map;
        *length = (size_t)(name - text) + strlen(node->key);
    }
    return node;
}

/* Put *value (moved) at the dotted path `key`, which is modified; sections that are not there are
 * made. */
static sab_status put_at(sab_yaml *root, char *key, sab_yaml **value, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_yaml *node = root, *made = NULL;
    const char *rest = key;

    for (int depth = 1; rest != NULL; depth++) {
        char *part = key + (rest - key);
        sab_yaml *child = step_down(node, part, "", &rest);

        if (child != NULL) {
            part[strlen(child->key)] = '\0';
        } else {
            char *dot = strchr(part, '.');

            rest = dot != NULL ? dot + 1 : NULL;
            if (dot != NULL)
                *dot = '\0';
        }
        if (part[0] == '\0' || depth > SAB_YAML_DEPTH) {
            status = sab_fail(err, SAB_ERR_INPUT, "a key is a path such as solver.tolerance");
            goto cleanup;
        }
        if (rest == NULL) {
            SAB_TRY(sab_yaml_put(node, part, value, err));
        } else if (child == NULL || child->kind != SAB_YAML_MAP) {
            SAB_TRY(sab_yaml_create_map(SAB_YAML_OVERRIDE, node, &made, err));
            SAB_TRY(sab_yaml_put(node, part, &made, err));
            node = sab_yaml_find(node, part);
        } else {
            node = child;
        }
    }
cleanup:
    sab_yaml_destroy(value);
    return status;
}

sab_status sab_tree_override(sab_yaml *root, const char *assignment, sab_error *err)
{
    sab_status status = SAB_OK;
    const char *equals = strchr(assignment, '=');
    sab_place place;
    char *key = NULL;
    sab_yaml *value = NULL;
    size_t end;

    if (equals == NULL || equals == assignment)
        return sab_fail(err, SAB_ERR_INPUT, "--set %s: give a key and a value: key.path=value",
                        assignment);
    key = sab_strdup(assignment);
    if (key == NULL)
        return sab_fail(err, SAB_ERR_MEMORY, "out of memory: --set %s", assignment);
    for (end = (size_t)(equals - assignment); end > 0 && key[end - 1] == ' '; end--)
        ;
    key[end] = '\0';
    snprintf(place.text, sizeof place.text, "--set %.400s", key);
    SAB_TRY(
        sab_yaml_parse(place.text, SAB_YAML_OVERRIDE, equals + 1, strlen(equals + 1), &value, err));
    status = put_at(root, key, &value, err);
    if (status == SAB_ERR_INPUT)
        sab_fail(err, status, "%s: a key is a path such as solver.tolerance", place.text);
cleanup:
    sab_yaml_destroy(&value);
    SAB_FREE(key);
    return status;
}

static const char *kind_text(const sab_yaml *node)
{
    return node->kind == SAB_YAML_MAP    ? "a section"
           : node->kind == SAB_YAML_LIST ? "a list"
                                         : "a value";
}

/* {inner: 1,5} is to YAML the key `inner` with 1 and the key `5` with nothing. */
static bool is_decimal_comma(const sab_yaml *node)
{
    double number;

    return sab_yaml_is_empty(node) && sab_parse_number(node->key, &number);
}

static sab_status fail_unknown(const char *file, const sab_key *parent, const sab_yaml *node,
                               const char *path, sab_error *err)
{
    sab_text hint = {0};
    sab_status status;

    if (is_decimal_comma(node))
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: unknown key; if the comma before it is a decimal one, use a point",
                        sab_place_of_key(file, node, path).text);
    status = sab_schema_suggest(parent, node->key, &hint, err);

    if (status == SAB_OK)
        status = sab_fail(err, SAB_ERR_INPUT, "%s: unknown key%s",
                          sab_place_of_key(file, node, path).text, hint.data);
    sab_text_destroy(&hint);
    return status;
}

/* A key that only means something beside another one, or without it. */
static sab_status check_company(const char *file, const sab_key *row, const sab_yaml *map,
                                const sab_yaml *node, const char *path, sab_error *err)
{
    char names[100] = "";

    if (row->unless != NULL && sab_yaml_find(map, row->unless) != NULL)
        return sab_fail(err, SAB_ERR_INPUT, "%s: '%s' is in its place; give one of them",
                        sab_place_of_key(file, node, path).text, row->unless);
    if (row->with == NULL)
        return SAB_OK;
    for (int i = 0; row->with[i] != NULL; i++) {
        const size_t used = strlen(names);

        if (sab_yaml_find(map, row->with[i]) != NULL)
            return SAB_OK;
        snprintf(names + used, sizeof names - used, "%s'%s'", i > 0 ? " or " : "", row->with[i]);
    }
    return sab_fail(err, SAB_ERR_INPUT, "%s: only has a meaning beside %s",
                    sab_place_of_key(file, node, path).text, names);
}

/* A key of time steps, in a case that has none. */
static sab_status check_scheme(const char *file, const sab_key *row, const sab_yaml *node,
                               const char *path, bool inertial, sab_error *err)
{
    if (!row->inertial || inertial)
        return SAB_OK;
    return sab_fail(err, SAB_ERR_INPUT,
                    "%s: only has a meaning with time.scheme: inertial; this flow is creeping",
                    sab_place_of_key(file, node, path).text);
}

/* The shape of one child of `map`: is there such a key, here, and is it a section if it has to be?
 */
static sab_status check_child(const char *file, const sab_key *parent, const sab_key *row,
                              const sab_yaml *map, sab_yaml *node, const char *path, bool inertial,
                              sab_error *err)
{
    sab_status status = SAB_OK;

    if (row == NULL || (row->type == SAB_KEY_NUMBER && is_decimal_comma(node)))
        return fail_unknown(file, parent, node, path, err);
    SAB_TRY(check_scheme(file, row, node, path, inertial, err));
    SAB_TRY(check_company(file, row, map, node, path, err));
    if (row->type == SAB_KEY_MAP || row->type == SAB_KEY_NAMES) {
        if (sab_yaml_is_empty(node)) /* all its keys are comments */
            node->kind = SAB_YAML_MAP;
        if (node->kind != SAB_YAML_MAP)
            return sab_fail(err, SAB_ERR_INPUT, "%s: expected a section (name: value), found %s",
                            sab_place_of_value(file, node, path).text, kind_text(node));
    }
cleanup:
    return status;
}

/* What is wrong goes out of the tree. */
static sab_status check_map(sab_faults *faults, const sab_key *parent, sab_yaml *map,
                            const char *path, bool inertial, sab_error *err)
{
    sab_status status = SAB_OK;

    for (int i = 0; i < map->n; i++) {
        sab_yaml *node = map->item[i];
        const sab_key_path name = sab_key_path_join(path, node->key);
        const sab_key *row = sab_schema_find(parent, node->key);
        const int before = faults->n;

        SAB_TRY(sab_fault(
            faults, check_child(faults->file, parent, row, map, node, name.text, inertial, err),
            err));
        if (faults->n > before)
            sab_yaml_drop(map, i--);
        else if (row->type == SAB_KEY_MAP || row->type == SAB_KEY_NAMES ||
                 (row->type == SAB_KEY_FUNCTION_OR_MAP && node->kind == SAB_YAML_MAP))
            SAB_TRY(check_map(faults, row, node, name.text, inertial, err));
    }
cleanup:
    return status;
}

bool sab_tree_is_inertial(const sab_yaml *root)
{
    const sab_yaml *time = sab_yaml_find(root, "time");
    const sab_yaml *scheme = time != NULL ? sab_yaml_find(time, "scheme") : NULL;

    return scheme != NULL && scheme->kind == SAB_YAML_SCALAR &&
           strcmp(scheme->text, "creeping") != 0; /* a misspelt one is found when it is read */
}

/* Grains have no other; that it is not said is found when they are read. */
static bool has_steps(const sab_yaml *root)
{
    return sab_tree_is_inertial(root) || sab_yaml_find(root, "grains") != NULL;
}

sab_status sab_tree_check(sab_faults *faults, sab_yaml *root, sab_error *err)
{
    if (root->kind != SAB_YAML_MAP)
        return sab_fail(err, SAB_ERR_INPUT, "%s: expected sections (name: value), found %s",
                        sab_place_of_value(faults->file, root, "").text, kind_text(root));
    return check_map(faults, NULL, root, "", has_steps(root), err);
}

/* Is the key of this row wanted in `map`, beside what is there? */
static bool is_wanted(const sab_key *row, const sab_yaml *map, bool inertial)
{
    if ((row->inertial && !inertial) ||
        (row->lifted != NULL && sab_yaml_find(map, row->lifted) != NULL) ||
        (row->unless != NULL && sab_yaml_find(map, row->unless) != NULL))
        return false;
    if (row->with == NULL)
        return true;
    for (int i = 0; row->with[i] != NULL; i++)
        if (sab_yaml_find(map, row->with[i]) != NULL)
            return true;
    return false;
}

static sab_status fail_missing(const char *file, const sab_key *row, const sab_yaml *map,
                               const char *path, sab_error *err)
{
    return sab_fail(err, SAB_ERR_INPUT, "%s: missing, and it has no default (%s)",
                    sab_place_of_key(file, map, path).text, row->help);
}

static sab_status complete_map(sab_faults *faults, const sab_key *parent, sab_yaml *map,
                               const char *path, bool inertial, sab_error *err);

static sab_status complete_key(sab_faults *faults, const sab_key *row, sab_yaml *map,
                               const char *path, bool inertial, sab_error *err)
{
    const char *key = sab_schema_last(row->path);
    const sab_key_path name = sab_key_path_join(path, key);
    sab_yaml *node = sab_yaml_find(map, key);
    sab_yaml *made = NULL;
    sab_status status = SAB_OK;

    if (node == NULL && is_wanted(row, map, inertial)) {
        if (row->fallback == NULL && map->faulty)
            return SAB_OK;
        if (row->fallback == NULL)
            return sab_fault(faults, fail_missing(faults->file, row, map, name.text, err), err);
        if (row->fallback[0] == '\0')
            return SAB_OK;
        SAB_TRY(sab_yaml_parse(row->path, SAB_YAML_DEFAULT, row->fallback, strlen(row->fallback),
                               &made, err));
        made->faulty = map->faulty; /* it may be there, misspelt */
        made->line = map->key != NULL ? map->key_line : map->line;
        made->column = map->key != NULL ? map->key_column : map->column;
        SAB_TRY(sab_yaml_put(map, key, &made, err));
        node = sab_yaml_find(map, key);
    }
    if (node != NULL && node->kind == SAB_YAML_MAP)
        SAB_TRY(complete_map(faults, row, node, name.text, inertial, err));
cleanup:
    return status;
}

static sab_status complete_map(sab_faults *faults, const sab_key *parent, sab_yaml *map,
                               const char *path, bool inertial, sab_error *err)
{
    sab_status status = SAB_OK;

    if (parent != NULL && parent->type == SAB_KEY_NAMES) {
        const sab_key *row = sab_schema_next(parent, NULL);

        for (int i = 0; i < map->n; i++)
            if (row->type == SAB_KEY_MAP)
                SAB_TRY(complete_map(faults, row, map->item[i],
                                     sab_key_path_join(path, map->item[i]->key).text, inertial,
                                     err));
    } else {
        for (const sab_key *row = NULL; (row = sab_schema_next(parent, row)) != NULL;)
            SAB_TRY(complete_key(faults, row, map, path, inertial, err));
    }
cleanup:
    return status;
}

sab_status sab_tree_complete(sab_faults *faults, sab_yaml *root, sab_error *err)
{
    return complete_map(faults, NULL, root, "", has_steps(root), err);
}

/* Does `a` come before `b` under `parent`? Keys in the order of the table, names of the user by the
 * alphabet. */
static bool is_before(const sab_key *parent, const sab_yaml *a, const sab_yaml *b)
{
    if (parent != NULL && parent->type == SAB_KEY_NAMES)
        return strcmp(a->key, b->key) < 0;
    return sab_schema_find(parent, a->key) < sab_schema_find(parent, b->key);
}

static void sort_map(const sab_key *parent, sab_yaml *map)
{
    const bool kept = parent != NULL && strcmp(parent->path, "probes") == 0;

    for (int i = 1; i < map->n && !kept; i++)
        for (int k = i; k > 0 && is_before(parent, map->item[k], map->item[k - 1]); k--) {
            sab_yaml *swap = map->item[k];

            map->item[k] = map->item[k - 1];
            map->item[k - 1] = swap;
        }
    for (int i = 0; i < map->n; i++)
        if (map->item[i]->kind == SAB_YAML_MAP)
            sort_map(sab_schema_find(parent, map->item[i]->key), map->item[i]);
}

void sab_tree_sort(sab_yaml *root)
{
    sort_map(NULL, root);
}

/* A value that was read as what `row` says. */
static sab_status normalise(const sab_key *row, sab_yaml *node, sab_error *err)
{
    const bool text =
        row->type == SAB_KEY_TEXT || row->type == SAB_KEY_NAME || row->type == SAB_KEY_LIST;
    sab_status status = SAB_OK;
    double number;

    for (int i = 0; i < node->n; i++) {
        sab_yaml *child = node->item[i];

        SAB_TRY(normalise(node->kind == SAB_YAML_MAP ? sab_schema_find(row, child->key) : row,
                          child, err));
    }
    if (node->kind != SAB_YAML_SCALAR || node->quoted || row->type == SAB_KEY_BOOLEAN)
        return SAB_OK;
    if (!text && sab_parse_number(node->text, &number))
        return sab_yaml_set_number(node, node->text, err);
    if (row->type == SAB_KEY_FUNCTION_OR_INF && sab_value_is_infinity(node->text)) {
        char *infinity = sab_strdup(".inf");

        if (infinity == NULL)
            return sab_fail(err, SAB_ERR_MEMORY, "out of memory: %s", row->path);
        SAB_FREE(node->text);
        node->text = infinity;
        return SAB_OK;
    }
    node->quoted = sab_yaml_is_ambiguous(node->text);
cleanup:
    return status;
}

sab_status sab_tree_normalise(sab_yaml *root, sab_error *err)
{
    sab_status status = SAB_OK;

    for (int i = 0; i < root->n; i++)
        SAB_TRY(normalise(sab_schema_find(NULL, root->item[i]->key), root->item[i], err));
cleanup:
    return status;
}

/* One entry on its own line; what is below stays on that line. */
static sab_status write_entry(const sab_yaml *node, int indent, sab_text *text, sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(sab_text_add(text, err, "%*s", indent, ""));
    SAB_TRY(sab_yaml_write_key(node->key, text, err));
    SAB_TRY(sab_text_add(text, err, ": "));
    SAB_TRY(sab_yaml_write(node, text, err));
    SAB_TRY(sab_text_add(text, err, "\n"));
cleanup:
    return status;
}

sab_status sab_tree_write(const sab_yaml *root, sab_text *text, sab_error *err)
{
    sab_status status = SAB_OK;

    for (int k = 0; k < root->n; k++) {
        const sab_yaml *node = root->item[k];

        if (node->kind == SAB_YAML_MAP && node->n == 0)
            continue;
        if (node->kind != SAB_YAML_MAP) {
            SAB_TRY(write_entry(node, 0, text, err));
            continue;
        }
        SAB_TRY(sab_text_add(text, err, "%s:\n", node->key));
        for (int i = 0; i < node->n; i++)
            SAB_TRY(write_entry(node->item[i], 2, text, err));
    }
cleanup:
    return status;
}
