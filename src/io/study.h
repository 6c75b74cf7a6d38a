/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io/study.h -- study.yaml: a base case, the keys that vary, and what to make of the results.
 *
 * The axes of a study span a product. An axis is a key of `vary` with its list, or a map of `zip`,
 * whose lists go together. A combination is a number: of the axes in the order of the file the last
 * one runs fastest. docs/study.md is the page for users. */
#ifndef SAB_IO_STUDY_H
#define SAB_IO_STUDY_H

#include "io/case.h"
#include "io/table_fit.h"
#include "io/yaml_tree.h"

enum {
    SAB_STUDY_POINTS = 10000,
    SAB_STUDY_NAME = 160,
    SAB_STUDY_OVERRIDES = 63 /* of a point at most: cli/args.h takes one more, for initial.from */
};

typedef struct sab_study_key {
    char *name;           /* dotted: "mesh.parameters.D" */
    const char *label;    /* its end, as short as it stays unique: "D"; borrowed of name */
    const sab_yaml *node; /* the value, or the list of values; borrowed of the root */
    bool tells;           /* points apart that the keys of its axis before do not: in their names */
} sab_study_key;

typedef struct sab_study_axis {
    int first, nkeys; /* of its keys in sab_study.key */
    int nvalues;
} sab_study_axis;

/* Bisection for the value of a key between flow and arrest, |probe| < below. */
typedef struct sab_study_bracket {
    sab_study_key key;
    double between[2], below, width;
    const char *probe; /* "probes.U" */
    const sab_yaml *probe_node;
} sab_study_bracket;

typedef struct sab_study {
    char *path; /* of study.yaml as opened */
    char *name; /* the default output directory is out/<name> */
    const char *title;
    char **base; /* the cases, as sab_case_read takes them: one, or a value of base_key each */
    int nbases, base_key; /* `base` among the keys that vary, or -1 */
    int jobs;             /* 0: not given */
    int nset, nkeys, naxes, ncombinations;
    sab_study_key *set, *key;
    sab_study_axis *axis;
    int continued; /* the axis whose neighbours start from each other; naxes: the bracket; -1: none
                    */
    bool has_fit, has_bracket;
    sab_fit_request fit; /* without sigma; its groups are the keys of the other axes */
    bool fit_weighted;   /* by the deviations of the probe, where all have one */
    const sab_yaml *fit_y;
    sab_study_bracket bracket;
    sab_yaml *root;
} sab_study;

/* STUDY is a directory with study.yaml, or such a file. Errors are SAB_ERR_INPUT in compiler form.
 * The caller owns *study. */
sab_status sab_study_read(const char *path, sab_study **study, sab_error *err);
void sab_study_destroy(sab_study **study);
/* Is it a study rather than a case? A directory with study.yaml but no case.yaml, or a file with a
 * key `base`, `vary` or `zip`. False also if it cannot be read: whoever reads it will say so. */
bool sab_study_is_one(const char *path);
/* SAB_ERR_INPUT with "study.yaml:12:9: <sentence>", the place of a value. */
sab_status sab_study_fail(const sab_study *study, const sab_yaml *node, sab_error *err,
                          const char *format, ...) SAB_PRINTF(4, 5);
/* The axis of a key. */
int sab_study_axis_of(const sab_study *study, int key);
/* Does the case itself vary along the axis? */
bool sab_study_axis_has_base(const sab_study *study, int axis);

/* Number of a value of the axis in a combination, and how far two neighbours along it are apart. */
int sab_study_index(const sab_study *study, int combination, int axis);
int sab_study_stride(const sab_study *study, int axis);
/* The case of a combination. */
const char *sab_study_base(const sab_study *study, int combination);
/* The value of a key in a combination, as text; "" where that of the case stays. */
const char *sab_study_value(const sab_study *study, int combination, int key);
/* Does a value have a unit? A title is a text, also if it is "3 cm". */
bool sab_study_is_quantity(const sab_study_key *key, const char *text);
/* The same for a table: one with a unit as a plain number in SI, "5 cm" as 0.05. Returns `buffer`
 * or the text itself. */
const char *sab_study_plain_value(const sab_study *study, int combination, int key,
                                  char buffer[40]);
/* A name for the directory of a point: "D=0.5,friction=0.3"; letters, digits and -+._=, only. With
 * a bracket, `value` is that of its key; else NULL. */
sab_status sab_study_name(const sab_study *study, int combination, const char *value,
                          char name[SAB_STUDY_NAME], sab_error *err);
/* Append what turns the base into a point: "key=value" texts, owned by the caller. */
sab_status sab_study_overrides(const sab_study *study, int combination, const char *value, int *n,
                               char **override, int capacity, sab_error *err);
/* Read the case of a point. Messages about a key of the study have the place in its file; probes
 * that the study needs must be there. The caller owns *c. */
sab_status sab_study_case(const sab_study *study, int combination, const char *value, sab_case **c,
                          sab_error *err);

#endif
