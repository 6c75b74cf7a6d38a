/* SPDX-License-Identifier: GPL-3.0-or-later */
/* flow/wall_rows.h -- the points of a wall with friction gathered to rows, one per vertex: a point
 * in the middle of a side gives its vertices equal parts, so that sums over rows are those over
 * points [docs/theory.md, 10.3]. A corner has a row for each of its directions. (Internal to
 * flow.) */
#ifndef SAB_FLOW_WALL_ROWS_H
#define SAB_FLOW_WALL_ROWS_H

#include "flow/flow.h"

typedef struct sab_row_share { /* the part of a point that belongs to a row */
    int point, row;
    double part;
} sab_row_share;

typedef struct sab_wall_rows {
    int n;
    double *s, *x;  /* [n] length along the wall, NULL in space; [n][dim] */
    int *point;     /* [n] the wall point at the vertex */
    double *weight; /* [n] */
    double reach;   /* mean length of a side */
    int nshares;
    sab_row_share *share;
} sab_wall_rows;

/* Rows of a wall of the plane follow it, the domain on the left. The caller owns *rows. */
sab_status sab_wall_rows_create(const sab_flow *flow, int entry, sab_wall_rows **rows,
                                sab_error *err);
void sab_wall_rows_destroy(sab_wall_rows **rows);

#endif
