/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/yaml_tree.h"
#include "base/input.h"
#include "base/memory.h"

#include <yaml.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILE = 16 * 1024 * 1024 }; /* a case is a page; a mesh given by mistake is not read */

/* The events of libyaml rather than its documents: the tree is built while parsing, so that a
 * hostile nesting stops at SAB_YAML_DEPTH instead of filling the memory first. */
typedef struct loader {
    yaml_parser_t parser;
    const char *name, *text;
    size_t length;
    sab_yaml_origin origin;
    sab_error *err;
} loader;

typedef struct place {
    char text[600];
} place;

static place place_at(const loader *l, size_t line, size_t column)
{
    place p;

    if (l->origin == SAB_YAML_FILE)
        snprintf(p.text, sizeof p.text, "%.500s:%zu:%zu", l->name, line + 1, column + 1);
    else
        snprintf(p.text, sizeof p.text, "%.500s", l->name);
    return p;
}

static sab_status fail_at(const loader *l, yaml_mark_t mark, const char *message)
{
    return sab_fail(l->err, SAB_ERR_INPUT, "%s: %s", place_at(l, mark.line, mark.column).text,
                    message);
}

/* The complaint of libyaml in compiler form. */
static sab_status fail_parser(const loader *l)
{
    const yaml_parser_t *p = &l->parser;
    const char *problem = p->problem != NULL ? p->problem : "cannot be read as YAML";
    size_t line = p->problem_mark.line, column = p->problem_mark.column;
    const char *hint = "", *advice = "";

    if (p->error == YAML_MEMORY_ERROR)
        return sab_fail(l->err, SAB_ERR_MEMORY, "out of memory while parsing '%s'", l->name);
    if (p->error == YAML_READER_ERROR) { /* has an offset in bytes instead of a mark */
        line = column = 0;
        for (size_t i = 0; i < p->problem_offset && i < l->length; i++) {
            column = l->text[i] == '\n' ? 0 : column + 1;
            line += l->text[i] == '\n';
        }
        hint = " (the text must be UTF-8)";
    } else if (p->problem_mark.index < l->length && l->text[p->problem_mark.index] == '\t') {
        hint = " (indent with spaces, not with tabs)";
    } else if (l->origin == SAB_YAML_FILE &&
               (strcmp(problem, "mapping values are not allowed in this context") == 0 ||
                strcmp(problem, "did not find expected key") == 0)) {
        advice = "; is this line indented as those around it?";
    }
    if (p->context == NULL)
        return sab_fail(l->err, SAB_ERR_INPUT, "%s: %s%s%s", place_at(l, line, column).text,
                        problem, hint, advice);
    if (p->context_mark.line == line || l->origin != SAB_YAML_FILE)
        return sab_fail(l->err, SAB_ERR_INPUT, "%s: %s%s, %s%s", place_at(l, line, column).text,
                        problem, hint, p->context, advice);
    return sab_fail(l->err, SAB_ERR_INPUT, "%s: %s%s, %s that begins in line %zu%s",
                    place_at(l, line, column).text, problem, hint, p->context,
                    p->context_mark.line + 1, advice);
}

static sab_status next_event(loader *l, yaml_event_t *event)
{
    if (!yaml_parser_parse(&l->parser, event)) {
        memset(event, 0, sizeof *event);
        return fail_parser(l);
    }
    return SAB_OK;
}

static sab_status create_node(sab_yaml_kind kind, sab_yaml_origin origin, sab_yaml **node,
                              sab_error *err)
{
    sab_yaml *created = sab_alloc(1, sizeof *created);

    *node = created;
    if (created == NULL)
        return sab_fail(err, SAB_ERR_MEMORY, "out of memory: a node of the case");
    created->kind = kind;
    created->origin = origin;
    return SAB_OK;
}

/* Append *child (moved, also on failure). */
static sab_status append(sab_yaml *parent, sab_yaml **child, sab_error *err)
{
    if (parent->n == parent->capacity) {
        const int capacity = parent->capacity > 0 ? 2 * parent->capacity : 8;
        sab_yaml **item = sab_realloc(parent->item, (size_t)capacity, sizeof *item);

        if (item == NULL) {
            sab_yaml_destroy(child);
            return sab_fail(err, SAB_ERR_MEMORY, "out of memory: %d nodes of the case", capacity);
        }
        parent->item = item;
        parent->capacity = capacity;
    }
    parent->item[parent->n++] = *child;
    *child = NULL;
    return SAB_OK;
}

/* The text of a scalar event as a C string. */
static sab_status copy_scalar(loader *l, const yaml_event_t *event, char **text)
{
    const char *value = (const char *)event->data.scalar.value;

    if (strlen(value) != event->data.scalar.length)
        return fail_at(l, event->start_mark, "the text contains a zero character");
    *text = sab_strdup(value);
    if (*text == NULL)
        return sab_fail(l->err, SAB_ERR_MEMORY, "out of memory: a text of the case");
    return SAB_OK;
}

/* Anchors, tags and aliases would only make a case harder to read, and to report about. */
static sab_status refuse_decoration(loader *l, const yaml_event_t *event)
{
    const yaml_char_t *anchor = NULL, *tag = NULL;

    switch (event->type) {
    case YAML_ALIAS_EVENT:
        return fail_at(l, event->start_mark,
                       "aliases (*name) are not supported; write the value, or put a text that "
                       "begins with * in quotes");
    case YAML_SCALAR_EVENT:
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
        break;
    case YAML_SEQUENCE_START_EVENT:
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
        break;
    case YAML_MAPPING_START_EVENT:
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
        break;
    default:
        break;
    }
    if (anchor != NULL)
        return fail_at(l, event->start_mark,
                       "anchors (&name) are not supported; put a text that begins with & in "
                       "quotes");
    if (tag != NULL)
        return fail_at(l, event->start_mark,
                       "tags (!name) are not supported; put a text that begins with ! in quotes");
    return SAB_OK;
}

static int compare_keys(const void *a, const void *b)
{
    const sab_yaml *p = *(const sab_yaml *const *)a, *q = *(const sab_yaml *const *)b;
    const int order = strcmp(p->key, q->key);

    if (order != 0)
        return order;
    if (p->key_line != q->key_line)
        return p->key_line < q->key_line ? -1 : 1;
    return (p->key_column > q->key_column) - (p->key_column < q->key_column);
}

/* A map is whole: no key is given twice. By sorting, since a file may have a million keys. */
static sab_status refuse_twins(loader *l, const sab_yaml *map)
{
    sab_status status = SAB_OK;
    sab_error *err = l->err;
    const sab_yaml **sorted = NULL;

    if (map->kind != SAB_YAML_MAP || map->n <= 1)
        return SAB_OK;
    SAB_NEW(sorted, map->n);
    memcpy(sorted, map->item, (size_t)map->n * sizeof *sorted);
    qsort(sorted, (size_t)map->n, sizeof *sorted, compare_keys);
    for (int i = 1; i < map->n; i++)
        if (strcmp(sorted[i - 1]->key, sorted[i]->key) == 0)
            SAB_FAIL(err, SAB_ERR_INPUT,
                     l->origin == SAB_YAML_FILE
                         ? "%s: the key '%s' is given twice (first in line %d)"
                         : "%s: the key '%s' is given twice",
                     place_at(l, (size_t)sorted[i]->key_line - 1, (size_t)sorted[i]->key_column - 1)
                         .text,
                     sorted[i]->key, sorted[i - 1]->key_line);
cleanup:
    SAB_FREE(sorted);
    return status;
}

/* The key that `event` holds, checked: a name. */
static sab_status load_key(loader *l, const yaml_event_t *event, char **key)
{
    sab_status status = refuse_decoration(l, event);

    if (status != SAB_OK)
        return status;
    if (event->type != YAML_SCALAR_EVENT || event->data.scalar.length == 0)
        return fail_at(l, event->start_mark, "a key must be a name");
    status = copy_scalar(l, event, key);
    if (status != SAB_OK)
        return status;
    for (const char *c = *key; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return fail_at(l, event->start_mark, "a key contains a control character");
    return SAB_OK;
}

/* The node that begins with `event`. Recursion is bounded by SAB_YAML_DEPTH. */
static sab_status load_node(loader *l, const yaml_event_t *event, int depth, sab_yaml **result)
{
    sab_status status = SAB_OK;
    sab_error *err = l->err;
    sab_yaml *node = NULL, *child = NULL;
    char *key = NULL;
    yaml_event_t next = {0};

    *result = NULL;
    SAB_TRY(refuse_decoration(l, event));
    if (depth > SAB_YAML_DEPTH) {
        status = fail_at(l, event->start_mark, "nested too deeply");
        goto cleanup;
    }
    SAB_TRY(create_node(event->type == YAML_SCALAR_EVENT           ? SAB_YAML_SCALAR
                        : event->type == YAML_SEQUENCE_START_EVENT ? SAB_YAML_LIST
                                                                   : SAB_YAML_MAP,
                        l->origin, &node, err));
    node->line = (int)event->start_mark.line + 1;
    node->column = (int)event->start_mark.column + 1;
    if (node->kind == SAB_YAML_SCALAR) {
        node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
        SAB_TRY(copy_scalar(l, event, &node->text));
    }
    while (node->kind != SAB_YAML_SCALAR) {
        int key_line = 0, key_column = 0;

        SAB_TRY(next_event(l, &next));
        if (next.type == YAML_SEQUENCE_END_EVENT || next.type == YAML_MAPPING_END_EVENT)
            break;
        if (node->kind == SAB_YAML_MAP) {
            SAB_TRY(load_key(l, &next, &key));
            key_line = (int)next.start_mark.line + 1;
            key_column = (int)next.start_mark.column + 1;
            yaml_event_delete(&next);
            SAB_TRY(next_event(l, &next));
        }
        SAB_TRY(load_node(l, &next, depth + 1, &child));
        yaml_event_delete(&next);
        child->key = key;
        child->key_line = key_line;
        child->key_column = key_column;
        key = NULL;
        SAB_TRY(append(node, &child, err));
    }
    SAB_TRY(refuse_twins(l, node));
    *result = node;
    node = NULL;
cleanup:
    yaml_event_delete(&next);
    SAB_FREE(key);
    sab_yaml_destroy(&child);
    sab_yaml_destroy(&node);
    return status;
}

sab_status sab_yaml_parse(const char *name, sab_yaml_origin origin, const char *text, size_t length,
                          sab_yaml **root, sab_error *err)
{
    sab_status status = SAB_OK;
    loader l = {.name = name, .text = text, .length = length, .origin = origin, .err = err};
    yaml_event_t event = {0};
    sab_yaml *node = NULL;

    *root = NULL;
    if (!yaml_parser_initialize(&l.parser))
        return sab_fail(err, SAB_ERR_MEMORY, "out of memory: parser of '%s'", name);
    yaml_parser_set_input_string(&l.parser, (const unsigned char *)text, length);
    SAB_TRY(next_event(&l, &event)); /* start of the stream */
    yaml_event_delete(&event);
    SAB_TRY(next_event(&l, &event)); /* start of the document, or end of the stream */
    if (event.type == YAML_STREAM_END_EVENT) {
        if (origin == SAB_YAML_FILE) {
            status = fail_at(&l, event.start_mark, "the file is empty, or has only comments");
            goto cleanup;
        }
        SAB_TRY(create_node(SAB_YAML_SCALAR, origin, &node, err));
        node->text = sab_strdup("");
        if (node->text == NULL) {
            status = sab_fail(err, SAB_ERR_MEMORY, "out of memory: a text of the case");
            goto cleanup;
        }
    } else {
        yaml_event_delete(&event);
        SAB_TRY(next_event(&l, &event));
        SAB_TRY(load_node(&l, &event, 1, &node));
        for (int i = 0; i < 2; i++) { /* end of the document, then of the stream */
            yaml_event_delete(&event);
            SAB_TRY(next_event(&l, &event));
        }
        if (event.type != YAML_STREAM_END_EVENT) {
            status = fail_at(&l, event.start_mark, "a second document begins here; give only one");
            goto cleanup;
        }
    }
    *root = node;
    node = NULL;
cleanup:
    yaml_event_delete(&event);
    yaml_parser_delete(&l.parser);
    sab_yaml_destroy(&node);
    return status;
}

sab_status sab_yaml_read(const char *path, sab_yaml **root, sab_error *err)
{
    sab_status status = SAB_OK;
    char *text = NULL;
    size_t length = 0;

    *root = NULL;
    SAB_TRY(sab_input_read(path, MAX_FILE, "a case file", &text, &length, err));
    SAB_TRY(sab_yaml_parse(path, SAB_YAML_FILE, text, length, root, err));
cleanup:
    SAB_FREE(text);
    return status;
}

void sab_yaml_destroy(sab_yaml **node)
{
    if (*node == NULL)
        return;
    for (int i = 0; i < (*node)->n; i++)
        sab_yaml_destroy(&(*node)->item[i]);
    SAB_FREE((*node)->item);
    SAB_FREE((*node)->key);
    SAB_FREE((*node)->text);
    SAB_FREE(*node);
}

sab_yaml *sab_yaml_find(const sab_yaml *map, const char *key)
{
    if (map->kind == SAB_YAML_MAP)
        for (int i = 0; i < map->n; i++)
            if (strcmp(map->item[i]->key, key) == 0)
                return map->item[i];
    return NULL;
}

sab_status sab_yaml_put(sab_yaml *map, const char *key, sab_yaml **value, sab_error *err)
{
    SAB_FREE((*value)->key);
    (*value)->key = sab_strdup(key);
    if ((*value)->key == NULL) {
        sab_yaml_destroy(value);
        return sab_fail(err, SAB_ERR_MEMORY, "out of memory: key '%s'", key);
    }
    (*value)->key_line = (*value)->line;
    (*value)->key_column = (*value)->column;
    for (int i = 0; i < map->n; i++)
        if (strcmp(map->item[i]->key, key) == 0) {
            sab_yaml_destroy(&map->item[i]);
            map->item[i] = *value;
            *value = NULL;
            return SAB_OK;
        }
    return append(map, value, err);
}

void sab_yaml_drop(sab_yaml *map, int i)
{
    sab_yaml_destroy(&map->item[i]);
    map->n--;
    memmove(map->item + i, map->item + i + 1, (size_t)(map->n - i) * sizeof *map->item);
    map->faulty = true;
}

sab_status sab_yaml_create_map(sab_yaml_origin origin, const sab_yaml *like, sab_yaml **map,
                               sab_error *err)
{
    const sab_status status = create_node(SAB_YAML_MAP, origin, map, err);

    if (status == SAB_OK) {
        (*map)->line = like->line;
        (*map)->column = like->column;
    }
    return status;
}

bool sab_yaml_is_empty(const sab_yaml *node)
{
    return node->kind == SAB_YAML_SCALAR && !node->quoted &&
           (node->text[0] == '\0' || strcmp(node->text, "~") == 0 ||
            strcmp(node->text, "null") == 0);
}
