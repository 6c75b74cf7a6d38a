/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io/schema.h -- the table of every case key.
 *
 * One row per key drives everything said about it: reading, checks, defaults, suggestions, the
 * resolved case, `sablier keys` and docs/keys.md. A new key is a new row, and a member to hold its
 * value; only conditions between keys are code (io/case.c). */
#ifndef SAB_IO_SCHEMA_H
#define SAB_IO_SCHEMA_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum sab_key_type {
    SAB_KEY_MAP,             /* a section: its keys are further rows */
    SAB_KEY_NAMES,           /* a section whose keys are names of the user: row "<path>.*" */
    SAB_KEY_NUMBER,          /* -> double */
    SAB_KEY_INTEGER,         /* -> int */
    SAB_KEY_BOOLEAN,         /* -> bool */
    SAB_KEY_TEXT,            /* -> char *, may be empty */
    SAB_KEY_NAME,            /* -> char *, not empty */
    SAB_KEY_CHOICE,          /* -> int, enum or bool: index of the choice */
    SAB_KEY_FUNCTION,        /* -> sab_function: a number, or a formula in x, y, z, t */
    SAB_KEY_FUNCTION_OR_INF, /* the same, or `inf` */
    SAB_KEY_FUNCTION_OR_MAP, /* the same, or a section with further rows */
    SAB_KEY_STATE_FUNCTION,  /* -> sab_function, may also use shear_rate and pressure */
    SAB_KEY_VECTOR,          /* -> sab_function[3]: one per component of the geometry */
    SAB_KEY_VECTOR_OR_FREE,  /* the same, each may be `free` (then constant 0) */
    SAB_KEY_VECTOR_OR_ZERO,  /* the same, or one 0 for the vector */
    SAB_KEY_POINT,           /* -> double[3] */
    SAB_KEY_SEGMENT,         /* -> double[2][3] */
    SAB_KEY_RANGE,           /* -> double[2]: one number for both, or [low, high] */
    SAB_KEY_PAIR,            /* -> int[2]: one integer (the second stays), or a list of two */
    SAB_KEY_QUANTITY,        /* -> double, SI: a number with its unit, which is never left out */
    SAB_KEY_LIST,            /* a name, or a list of names; not stored by the table */
    SAB_KEY_TYPES
} sab_key_type;

/* Bits of sab_key.range: which bounds there are, and which of them are excluded. */
enum { SAB_HAS_MIN = 1, SAB_HAS_MAX = 2, SAB_MIN_OPEN = 4, SAB_MAX_OPEN = 8 };

typedef struct sab_key {
    const char *path; /* "solver.tolerance"; * stands for a name of the user */
    sab_key_type type;
    const char *unit;     /* NULL for a pure number */
    const char *fallback; /* YAML of the default; NULL: required; "": absent if not given */
    unsigned range;       /* of numbers, and of functions that are constant */
    double min, max;
    const char *(*choice)(int i); /* name of choice i, NULL behind the last */
    const char *const *with;      /* only beside one of these keys (NULL at the end) */
    const char *unless;           /* not beside this key, which takes its place */
    const char *lifted;           /* absent unless given, beside this key */
    bool inertial;                /* only with time.scheme: inertial */
    const char *help;             /* one line */
    size_t offset, size; /* of the member that holds the value in sab_case, or in the item of
                            boundaries, probes, mesh.parameters; size 0: not stored */
    size_t flag;         /* offset of the bool that says "given"; 0: none */
} sab_key;

/* The next row that lies directly under `parent` (NULL: at the top), in the order of the table,
 * after `previous` (NULL: the first); NULL behind the last. */
const sab_key *sab_schema_next(const sab_key *parent, const sab_key *previous);
/* The row of the key `name` under `parent`, the row "*" if its keys are names of the user; NULL if
 * there is no such key. */
const sab_key *sab_schema_find(const sab_key *parent, const char *name);
/* The last part of a path: "tolerance" of "solver.tolerance". */
const char *sab_schema_last(const char *path);
/* Append what a user may want to know after an unknown key `name` under `parent`: "; did you mean
 * 'friction'?", where it belongs, or the keys there are. */
sab_status sab_schema_suggest(const sab_key *parent, const char *name, sab_text *text,
                              sab_error *err);
/* "0 < value <= 1", "> 0" or "" into `buffer`. */
const char *sab_schema_range(const sab_key *row, char *buffer, size_t size);
/* "number", "number or formula", ... */
const char *sab_schema_type(sab_key_type type);

#endif
