/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io/table_fit.h -- a law (base/fit.h) through the rows of a table, one fit per group of rows. */
#ifndef SAB_IO_TABLE_FIT_H
#define SAB_IO_TABLE_FIT_H

#include "base/fit.h"
#include "io/free_law.h"
#include "io/table.h"

#include <stddef.h>

enum { SAB_FIT_GROUPS = 16 }; /* columns that make the groups, at most */

typedef struct sab_fit_request {
    sab_fit_law law;
    const char *x, *y; /* names of columns, borrowed */
    const char *sigma; /* of the standard deviation of y; NULL: every point counts the same */
    int ngroups;
    const char *group[SAB_FIT_GROUPS]; /* rows with equal texts there belong together */
    double grain, scale;               /* of the law of Beverloo; y is multiplied by scale */
    int dimension; /* of the law of Beverloo: 2 or 3; 0: by the column `geometry` of the points, of
                      the plane if there is none */
    bool all;      /* keep rows that are marked (SAB_LEFT_OUT), and outliers */
    const sab_free_law *free; /* of SAB_FIT_LAWS, borrowed; NULL for a law with a name */
} sab_fit_request;

/* The column in which a study says why a row is not to be trusted; empty: it is. */
#define SAB_LEFT_OUT "left_out"

typedef struct sab_fit_left {
    int row; /* of the table */
    double x, y;
    char reason[100];
} sab_fit_left;

typedef struct sab_fit_group {
    int row;                        /* of the table: the first of the group */
    int n, left_out;                /* points, and rows that are none */
    int outliers;                   /* of the latter: far off the law of the others */
    sab_fit_left *left;             /* [left_out]: which, and why */
    double *x, *y, *sigma, *fitted; /* [n], scaled; sigma is NULL if not all have one */
    int *point;                     /* [n]: its row of the table */
    int without_sigma;              /* points for want of which there are no weights */
    sab_fit_model model;
    const char *geometry; /* that has given its dimension; NULL: the request, or the default */
    sab_fit fit;          /* of a law with a name; of others its weights and n */
    sab_least_squares_fit free; /* of others */
    sab_error failure;          /* status SAB_OK, or why there is no fit */
} sab_fit_group;

typedef struct sab_table_fit {
    const sab_table *table;         /* borrowed */
    const sab_fit_request *request; /* borrowed */
    int n;
    sab_fit_group *group; /* in the order of their first rows */
} sab_table_fit;

/* SAB_ERR_INPUT if a column is missing, a cell is a text, a sigma negative, or if the points of a
 * group have several geometries; a group without a fit is no error. The caller owns *fit. */
sab_status sab_table_fit_create(const sab_table *table, const sab_fit_request *request,
                                sab_table_fit **fit, sab_error *err);
void sab_table_fit_destroy(sab_table_fit **fit);
/* "y = C (x - k grain)^2.5", or with d - 1/2 if the groups have several. Returns `buffer`. */
const char *sab_table_fit_formula(const sab_table_fit *fit, char *buffer, size_t size);
/* "material.friction = 0.3, ..." of a group, or "". Returns `buffer`. */
const char *sab_table_fit_label(const sab_table_fit *fit, int group, char *buffer, size_t size);
/* "2 of 15 points left out: D = 3 (unstable), D = 4 (y = 0)" of a group, or "". Returns `buffer`.
 */
const char *sab_table_fit_left(const sab_table_fit *fit, int group, char *buffer, size_t size);
/* Is there a fit, without outliers, of a law that most of its points follow? */
bool sab_table_fit_sound(const sab_table_fit *fit, int group);
/* What else a reader of the fit must know: "" or a sentence for each `i` from 0. */
const char *sab_table_fit_note(const sab_table_fit *fit, int group, int i, char *buffer,
                               size_t size);
/* The fits as JSON, and the points with the fitted values as CSV (docs/study.md). */
sab_status sab_table_fit_save(const sab_table_fit *fit, const char *json, const char *csv,
                              sab_error *err);

#endif
