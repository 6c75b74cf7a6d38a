/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solve/elastic.h"

#include <string.h>

/* [B, n]: the columns of every block, and one for each of its points. */
static sab_status extend_blocks(const sab_blocks *B, sab_blocks **extended, sab_error *err)
{
    const int s = B->s;
    int64_t values = B->value_start[B->nblocks], column = 0, value = 0;
    sab_blocks *X = NULL;
    sab_status status = SAB_OK;

    for (int e = 0; e < B->nblocks; e++) {
        const int64_t points = B->point[e + 1] - B->point[e];
        values += s * points * points;
    }
    SAB_TRY(sab_blocks_create(s, B->npoints, B->ncolumns + B->npoints, B->nblocks,
                              B->column_start[B->nblocks] + B->npoints, values, &X, err));
    for (int e = 0; e < B->nblocks; e++) {
        const int points = B->point[e + 1] - B->point[e];
        const int own = (int)(B->column_start[e + 1] - B->column_start[e]);
        const double *from = B->value + B->value_start[e];

        memcpy(X->column + column, B->column + B->column_start[e], (size_t)own * sizeof(int));
        for (int i = 0; i < points; i++)
            X->column[column + own + i] = B->ncolumns + B->point[e] + i;
        for (int i = 0; i < s * points; i++) {
            memcpy(X->value + value, from + i * own, (size_t)own * sizeof(double));
            if (i % s == 0)
                X->value[value + own + i / s] = 1.0;
            value += own + points;
        }
        column += own + points;
        X->point[e + 1] = B->point[e + 1];
        X->column_start[e + 1] = column;
        X->value_start[e + 1] = value;
    }
    *extended = X;
cleanup:
    return status;
}

/* diag(A, stiffness m r) */
static sab_status extend_matrix(const sab_program *p, double stiffness, sab_sparse **extended,
                                sab_error *err)
{
    const int64_t entries = p->A->start[p->n];
    sab_sparse *X = NULL;
    sab_status status = SAB_OK;

    SAB_TRY(sab_sparse_create(p->n + p->npoints, entries + p->npoints, true, &X, err));
    memcpy(X->start, p->A->start, (size_t)(p->n + 1) * sizeof *X->start);
    memcpy(X->row, p->A->row, (size_t)entries * sizeof *X->row);
    memcpy(X->value, p->A->value, (size_t)entries * sizeof *X->value);
    for (int q = 0; q < p->npoints; q++) {
        X->row[entries + q] = p->n + q;
        X->value[entries + q] = stiffness * p->weight[q] * p->r[q];
        X->start[p->n + q + 1] = entries + q + 1;
    }
    *extended = X;
cleanup:
    return status;
}

sab_status sab_elastic_create(const sab_program *p, double stiffness, sab_program **elastic,
                              sab_error *err)
{
    const size_t points = (size_t)p->npoints;
    sab_program *x = NULL;
    sab_status status = SAB_OK;

    *elastic = NULL;
    SAB_TRY(sab_program_create(p->s, p->npoints, p->n + p->npoints, &x, err));
    SAB_TRY(extend_matrix(p, stiffness, &x->A, err));
    SAB_TRY(extend_blocks(p->B, &x->B, err));
    memcpy(x->l, p->l, (size_t)p->n * sizeof *x->l);
    memcpy(x->k, p->k, points * (size_t)p->s * sizeof *x->k);
    if (p->slack != NULL) {
        SAB_TRY(sab_program_add_slack(x, err));
        memcpy(x->slack, p->slack, points * sizeof *x->slack);
    }
    memcpy(x->weight, p->weight, points * sizeof *x->weight);
    memcpy(x->r, p->r, points * sizeof *x->r);
    memcpy(x->friction, p->dilatancy, points * sizeof *x->friction);
    memcpy(x->dilatancy, p->dilatancy, points * sizeof *x->dilatancy);
    SAB_TRY(sab_program_set_ranges(x, p->nranges, p->range, err));
    x->bulk = p->bulk;
    SAB_TRY(sab_program_check(x, err));
    *elastic = x;
    x = NULL;
cleanup:
    sab_program_destroy(&x);
    return status;
}
