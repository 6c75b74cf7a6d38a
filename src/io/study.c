/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/study_read.h"
#include "base/memory.h"
#include "base/path.h"
#include "io/file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

sab_status sab_study_fail(const sab_study *s, const sab_yaml *node, sab_error *err,
                          const char *format, ...)
{
    char sentence[1200];
    va_list args;

    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    return sab_fail(err, SAB_ERR_INPUT, "%s:%d:%d: %s", s->path, node->line, node->column,
                    sentence);
}

sab_status sab_study_no_memory(sab_error *err)
{
    return sab_fail(err, SAB_ERR_MEMORY, "out of memory: study");
}

/* ---- checked access to the tree ---- */

sab_status sab_study_check_keys(const sab_study *s, const sab_yaml *map, const char *section,
                                const char *const *known, size_t n, sab_error *err)
{
    if (map->kind != SAB_YAML_MAP)
        return sab_study_fail(s, map, err, "%.*s%sexpected a section (name: value)",
                              (int)(section[0] != '\0' ? strlen(section) - 1 : 0), section,
                              section[0] != '\0' ? ": " : "");
    for (int i = 0; i < map->n; i++) {
        const sab_yaml *node = map->item[i];
        const char *close = sab_closest_name(node->key, known, n);
        bool found = false;

        for (size_t k = 0; k < n; k++)
            found = found || strcmp(node->key, known[k]) == 0;
        if (found)
            continue;
        return sab_fail(err, SAB_ERR_INPUT, "%s:%d:%d: %s%s: unknown key of a study%s%s%s", s->path,
                        node->key_line, node->key_column, section, node->key,
                        close != NULL ? "; did you mean '"
                        : strchr(node->key, '.') != NULL
                            ? "; keys of the case go below set, vary or zip"
                            : "",
                        close != NULL ? close : "", close != NULL ? "'?" : "");
    }
    return SAB_OK;
}

sab_status sab_study_get_node(const sab_study *s, const sab_yaml *map, const char *section,
                              const char *key, bool required, const sab_yaml **node, sab_error *err)
{
    *node = sab_yaml_find(map, key);
    if (*node != NULL && sab_yaml_is_empty(*node))
        return sab_study_fail(s, *node, err, "%s%s: is empty", section, key);
    if (*node == NULL && required)
        return sab_study_fail(s, map, err, "%s%s: missing", section, key);
    return SAB_OK;
}

sab_status sab_study_get_text(const sab_study *s, const sab_yaml *map, const char *section,
                              const char *key, bool required, const char **text,
                              const sab_yaml **node, sab_error *err)
{
    const sab_yaml *found;
    const sab_status status = sab_study_get_node(s, map, section, key, required, &found, err);

    if (status != SAB_OK || found == NULL)
        return status;
    if (found->kind != SAB_YAML_SCALAR || found->text[0] == '\0')
        return sab_study_fail(s, found, err, "%s%s: expected a text", section, key);
    for (const char *c = found->text; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return sab_study_fail(s, found, err, "%s%s: the text contains a control character",
                                  section, key);
    *text = found->text;
    if (node != NULL)
        *node = found;
    return SAB_OK;
}

sab_status sab_study_number_of(const sab_study *s, const sab_yaml *node, const char *section,
                               const char *key, double *value, sab_error *err)
{
    if (node->kind != SAB_YAML_SCALAR || !sab_parse_number(node->text, value))
        return sab_study_fail(s, node, err, "%s%s: expected a number", section, key);
    return SAB_OK;
}

/* A number that is `positive`, or at least not zero; *value stays if it is not given. */
sab_status sab_study_get_number(const sab_study *s, const sab_yaml *map, const char *section,
                                const char *key, bool required, bool positive, double *value,
                                sab_error *err)
{
    const sab_yaml *node;
    sab_status status = sab_study_get_node(s, map, section, key, required, &node, err);

    if (status != SAB_OK || node == NULL)
        return status;
    status = sab_study_number_of(s, node, section, key, value, err);
    if (status == SAB_OK && (positive ? *value <= 0.0 : *value == 0.0))
        return sab_study_fail(s, node, err, "%s%s: %s must %s", section, key, node->text,
                              positive ? "be positive" : "not be 0");
    return status;
}

/* ---- files ---- */

static sab_status find_study(const char *path, sab_study *s, sab_error *err)
{
    sab_text text = {0};
    struct stat info;
    const bool directory = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    const size_t n = strlen(path);
    sab_status status = sab_text_add(&text, err, "%s%s", path,
                                     !directory                    ? ""
                                     : n > 0 && path[n - 1] == '/' ? "study.yaml"
                                                                   : "/study.yaml");

    s->path = text.data;
    if (status != SAB_OK)
        return status;
    if (directory && stat(s->path, &info) != 0)
        return sab_fail(err, SAB_ERR_INPUT, "%s: there is no such file in the directory '%s'",
                        s->path, path);
    return sab_file_result_name(s->path, "study.yaml", &s->name, err);
}

/* A case, relative to the study. */
static sab_status add_base(sab_study *s, const sab_yaml *node, sab_error *err)
{
    sab_status status = SAB_OK;
    const char *slash = strrchr(s->path, '/');
    struct stat info;
    sab_text text = {0};

    if (node->kind != SAB_YAML_SCALAR || sab_yaml_is_empty(node))
        return sab_study_fail(s, node, err, "base: expected a case");
    if (node->text[0] != '/' && slash != NULL)
        SAB_TRY(sab_text_add(&text, err, "%.*s/", (int)(slash - s->path), s->path));
    SAB_TRY(sab_text_add(&text, err, "%s", node->text));
    s->base[s->nbases++] = text.data;
    text = (sab_text){0};
    if (stat(s->base[s->nbases - 1], &info) != 0)
        status =
            sab_study_fail(s, node, err, "base: there is no case '%s'", s->base[s->nbases - 1]);
cleanup:
    sab_text_destroy(&text);
    return status;
}

/* One for all points, or one that varies as other keys do. */
static sab_status find_bases(sab_study *s, sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_yaml *node = NULL;
    const char *one = NULL;

    s->base_key = sab_study_find_key(s, "base");
    SAB_TRY(sab_study_get_text(s, s->root, "", "base", s->base_key < 0, &one, &node, err));
    if (node != NULL && s->base_key >= 0)
        return sab_study_fail(s, node, err, "base: varies in this study");
    const sab_yaml *list = node == NULL ? s->key[s->base_key].node : NULL;
    SAB_NEW(s->base, list != NULL ? list->n : 1);
    if (list == NULL)
        return add_base(s, node, err);
    for (int i = 0; i < list->n; i++)
        SAB_TRY(add_base(s, list->item[i], err));
cleanup:
    return status;
}

/* ---- the whole ---- */

static sab_status read_jobs(sab_study *s, sab_error *err)
{
    const sab_yaml *node = sab_yaml_find(s->root, "jobs");

    if (node == NULL)
        return SAB_OK;
    if (node->kind != SAB_YAML_SCALAR || !sab_parse_integer(node->text, &s->jobs) || s->jobs < 1 ||
        s->jobs > 1024)
        return sab_study_fail(s, node, err, "jobs: expected a whole number from 1 to 1024");
    return SAB_OK;
}

static sab_status read_root(sab_study *s, sab_error *err)
{
    static const char *const known[] = {"title", "base",     "set",     "vary", "zip",
                                        "fit",   "continue", "bracket", "jobs"};
    sab_status status = SAB_OK;
    const sab_yaml *node = NULL;

    s->title = "";
    s->ncombinations = 1;
    SAB_TRY(sab_study_check_keys(s, s->root, "", known, sizeof known / sizeof known[0], err));
    SAB_TRY(sab_study_get_text(s, s->root, "", "title", false, &s->title, NULL, err));
    SAB_TRY(read_jobs(s, err));
    for (int i = 0; i < s->root->n; i++) {
        const sab_yaml *item = s->root->item[i];

        if (strcmp(item->key, "vary") == 0 || strcmp(item->key, "zip") == 0)
            SAB_TRY(sab_study_read_axes(s, item, err));
    }
    SAB_TRY(find_bases(s, err));
    SAB_TRY(sab_study_get_node(s, s->root, "", "set", false, &node, err));
    if (node != NULL) {
        if (node->kind != SAB_YAML_MAP)
            return sab_study_fail(s, node, err,
                                  "set: expected keys with their values: {material.reynolds: 100}");
        SAB_TRY(sab_study_flatten(s, node, "", &s->nset, &s->set, err));
        for (int i = 0; i < s->nset; i++)
            if (sab_study_find_key(s, s->set[i].name) >= 0)
                return sab_study_fail(s, s->set[i].node, err, "set: %s varies in this study",
                                      s->set[i].name);
    }
    SAB_TRY(sab_study_get_node(s, s->root, "", "fit", false, &node, err));
    if (node != NULL)
        SAB_TRY(sab_study_read_fit(s, node, err));
    SAB_TRY(sab_study_get_node(s, s->root, "", "bracket", false, &node, err));
    if (node != NULL)
        SAB_TRY(sab_study_read_bracket(s, node, err));
    if (s->naxes == 0 && !s->has_bracket)
        return sab_study_fail(s, s->root, err, "nothing varies: give vary, zip or bracket");
    SAB_TRY(sab_study_read_continue(s, err));
    if (s->nset + s->nkeys + s->has_bracket > SAB_STUDY_OVERRIDES)
        return sab_study_fail(s, s->root, err, "more than %d keys are set or vary",
                              SAB_STUDY_OVERRIDES);
    for (int k = 0; k < s->nkeys; k++)
        s->key[k].label = sab_study_short_label(s, &s->key[k]);
    if (s->has_bracket)
        s->bracket.key.label = sab_study_short_label(s, &s->bracket.key);
cleanup:
    return status;
}

/* The values of a key all have units, or none has: a column of the table is of one kind. */
static sab_status check_units(const sab_study *s, sab_error *err)
{
    for (int k = 0; k < s->nkeys; k++) {
        const sab_yaml *list = s->key[k].node;
        int with = 0, values = 0;

        for (int i = 0; i < list->n; i++) {
            values += !sab_yaml_is_empty(list->item[i]);
            with += list->item[i]->kind == SAB_YAML_SCALAR &&
                    sab_study_is_quantity(&s->key[k], list->item[i]->text);
        }
        if (with > 0 && with < values)
            return sab_study_fail(s, list, err, "%s: some of its values have a unit; give all one",
                                  s->key[k].name);
    }
    return SAB_OK;
}

sab_status sab_study_read(const char *path, sab_study **study, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_study *s = NULL;

    *study = NULL;
    SAB_NEW(s, 1);
    SAB_TRY(find_study(path, s, err));
    SAB_TRY(sab_yaml_read(s->path, &s->root, err));
    SAB_TRY(read_root(s, err));
    SAB_TRY(check_units(s, err));
    *study = s;
    s = NULL;
cleanup:
    sab_study_destroy(&s);
    return status;
}

bool sab_study_is_one(const char *path)
{
    struct stat info;
    sab_yaml *root = NULL;
    sab_error ignored = {0};
    char file[SAB_PATH]; /* empty if too long: there is no such file then */

    if (stat(path, &info) != 0)
        return false;
    if (S_ISDIR(info.st_mode)) {
        sab_path_set(file, &ignored, "%s/case.yaml", path);
        const bool is_case = stat(file, &info) == 0;
        sab_path_set(file, &ignored, "%s/study.yaml", path);
        return !is_case && stat(file, &info) == 0;
    }
    const bool study = sab_yaml_read(path, &root, &ignored) == SAB_OK &&
                       (sab_yaml_find(root, "base") != NULL ||
                        sab_yaml_find(root, "vary") != NULL || sab_yaml_find(root, "zip") != NULL);
    sab_yaml_destroy(&root);
    return study;
}

static void free_keys(int n, sab_study_key **keys)
{
    for (int i = 0; i < n; i++)
        SAB_FREE((*keys)[i].name);
    SAB_FREE(*keys);
}

void sab_study_destroy(sab_study **study)
{
    sab_study *s = *study;

    if (s == NULL)
        return;
    free_keys(s->nset, &s->set);
    free_keys(s->nkeys, &s->key);
    SAB_FREE(s->axis);
    SAB_FREE(s->bracket.key.name);
    for (int i = 0; i < s->nbases; i++)
        SAB_FREE(s->base[i]);
    SAB_FREE(s->base);
    SAB_FREE(s->name);
    SAB_FREE(s->path);
    sab_yaml_destroy(&s->root);
    SAB_FREE(*study);
}
