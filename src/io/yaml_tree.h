/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io/yaml_tree.h -- a YAML text as a tree in which every node knows its line and column.
 *
 * Only what a case needs: one document, names as keys, no anchors, aliases or tags, at most
 * SAB_YAML_DEPTH levels. What is refused is refused with a sentence and its place. */
#ifndef SAB_IO_YAML_TREE_H
#define SAB_IO_YAML_TREE_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

enum { SAB_YAML_DEPTH = 32 };

typedef enum sab_yaml_kind { SAB_YAML_SCALAR, SAB_YAML_LIST, SAB_YAML_MAP } sab_yaml_kind;

/* Where a node was written: messages about it say so. */
typedef enum sab_yaml_origin {
    SAB_YAML_FILE,     /* in the file, at line:column */
    SAB_YAML_OVERRIDE, /* on the command line, --set */
    SAB_YAML_DEFAULT   /* nowhere: filled in; line:column are those of the parent */
} sab_yaml_origin;

typedef struct sab_yaml {
    sab_yaml_kind kind;
    sab_yaml_origin origin;
    int line, column; /* of the value, from 1 */
    char *key;        /* the name in the mapping that holds it; NULL in a list and at the root */
    int key_line, key_column;
    char *text;  /* SCALAR */
    bool quoted; /* SCALAR: '...', "..." or a block: certainly a text */
    bool faulty; /* MAP: a child was wrong and is gone; others may be missing because of it */
    int n, capacity;
    struct sab_yaml **item; /* LIST, MAP: children in the order of the text, owned */
} sab_yaml;

/* Parse `length` bytes. Messages begin with `name`, followed by :line:column for SAB_YAML_FILE. A
 * text without any node is an error for a file and an empty scalar otherwise. The caller owns
 * *root. */
sab_status sab_yaml_parse(const char *name, sab_yaml_origin origin, const char *text, size_t length,
                          sab_yaml **root, sab_error *err);
/* Parse a file. SAB_ERR_INPUT if it cannot be read or is no regular file of a sensible size. */
sab_status sab_yaml_read(const char *path, sab_yaml **root, sab_error *err);
void sab_yaml_destroy(sab_yaml **node);

/* The child of a mapping with that name, or NULL (also if `map` is no mapping). */
sab_yaml *sab_yaml_find(const sab_yaml *map, const char *key);
/* Put `*value` (moved, also on failure) under `key`: in place of the old child, or at the end. */
sab_status sab_yaml_put(sab_yaml *map, const char *key, sab_yaml **value, sab_error *err);
/* Take out child i of a mapping, which is `faulty` from now on. */
void sab_yaml_drop(sab_yaml *map, int i);
/* An empty mapping, written where `like` is. */
sab_status sab_yaml_create_map(sab_yaml_origin origin, const sab_yaml *like, sab_yaml **map,
                               sab_error *err);
/* A plain scalar that says nothing: `key:`, `key: ~` or `key: null`. */
bool sab_yaml_is_empty(const sab_yaml *node);

/* Append the node in flow style, on one line; it reads back to the same tree. */
sab_status sab_yaml_write(const sab_yaml *node, sab_text *text, sab_error *err);
/* Append a text as a scalar: plain where that is safe and `quoted` is false. */
sab_status sab_yaml_write_scalar(const char *scalar, bool quoted, sab_text *text, sab_error *err);
/* Append the name of a key, which is a text whatever it looks like. */
sab_status sab_yaml_write_key(const char *key, sab_text *text, sab_error *err);

/* Could a reader of YAML, of whichever version, take the plain text for something else: a number, a
 * date, true or null? */
bool sab_yaml_is_ambiguous(const char *text);
/* Replace the text of a scalar by a number (valid for sab_parse_number, moved nowhere) as every
 * reader understands it, with the same digits: 2e-3 and .5 are texts to YAML 1.1, 010 is 8; it
 * wants 2.0e-3, 0.5 and 10. */
sab_status sab_yaml_set_number(sab_yaml *node, const char *number, sab_error *err);

#endif
