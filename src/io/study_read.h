/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io/study_read.h -- what the files study*.c share; nobody else includes it. */
#ifndef SAB_IO_STUDY_READ_H
#define SAB_IO_STUDY_READ_H

#include "io/study.h"

/* study.c -- checked access to the tree. `section` begins the name of a key in messages: "",
 * "fit.".
 */
sab_status sab_study_check_keys(const sab_study *study, const sab_yaml *map, const char *section,
                                const char *const *known, size_t n, sab_error *err);
/* NULL if it is not there and not required. */
sab_status sab_study_get_node(const sab_study *study, const sab_yaml *map, const char *section,
                              const char *key, bool required, const sab_yaml **node,
                              sab_error *err);
/* *text (borrowed), and *node unless it is NULL, stay as they are if the key is not there. */
sab_status sab_study_get_text(const sab_study *study, const sab_yaml *map, const char *section,
                              const char *key, bool required, const char **text,
                              const sab_yaml **node, sab_error *err);
/* A number that is `positive`, or at least not zero; *value stays if it is not given. */
sab_status sab_study_get_number(const sab_study *study, const sab_yaml *map, const char *section,
                                const char *key, bool required, bool positive, double *value,
                                sab_error *err);
sab_status sab_study_number_of(const sab_study *study, const sab_yaml *node, const char *section,
                               const char *key, double *value, sab_error *err);
sab_status sab_study_no_memory(sab_error *err);

/* study_axes.c */
/* Append the leaves below a map, dotted: {material: {friction: 0.5}} and {material.friction: 0.5}
 * are the same. */
sab_status sab_study_flatten(const sab_study *study, const sab_yaml *map, const char *prefix,
                             int *n, sab_study_key **keys, sab_error *err);
/* The axes of `vary` or `zip`. */
sab_status sab_study_read_axes(sab_study *study, const sab_yaml *node, sab_error *err);
/* The shortest end of a dotted key that no other varied key has. */
const char *sab_study_short_label(const sab_study *study, const sab_study_key *key);
/* The number of a varied key, or -1. */
int sab_study_find_key(const sab_study *study, const char *name);

/* study_goal.c */
sab_status sab_study_read_fit(sab_study *study, const sab_yaml *map, sab_error *err);
sab_status sab_study_read_bracket(sab_study *study, const sab_yaml *map, sab_error *err);
sab_status sab_study_read_continue(sab_study *study, sab_error *err);

#endif
