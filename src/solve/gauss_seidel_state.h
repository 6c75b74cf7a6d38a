/* SPDX-License-Identifier: GPL-3.0-or-later */
/* solve/gauss_seidel_state.h -- what sweeps need of a program, made once (internal to gs). */
#ifndef SAB_SOLVE_GAUSS_SEIDEL_STATE_H
#define SAB_SOLVE_GAUSS_SEIDEL_STATE_H

#include "solve/gauss_seidel.h"

/* Parts at most, and what a sweep does one after the other. */
enum { SAB_GS_PARTS = 16, SAB_GS_PHASES = 4 };

/* A contact of two discs or spheres, or of one and a wall, in space (discs lie in z = 0) and before
 * it was scaled: g = v_i - v_j - (w_i + w_j) x n + k n, w = R omega being the speed of a surface.
 * An impulse P gives v_i += P/m_i, v_j -= P/m_j, w -= R^2/I n x P to both, so that W_qq is the sum
 * of the 1/m, along it with that of the R^2/I more: a sixth of the numbers that B has. */
typedef struct sab_round_contact {
    int i, j;       /* j < 0: a wall */
    double n[3], k; /* from j to i; D/dt */
    double mu, zeta;
} sab_round_contact;

/* Of a round body: v, w, 1/m, R^2/I. */
enum { SAB_ROUND_U = 8, SAB_ROUND_W = 3, SAB_ROUND_MASS = 6, SAB_ROUND_INERTIA = 7 };

struct sab_gauss_seidel {
    int s;
    bool diagonal;   /* A is */
    double *inverse; /* diagonal: [n]; else [n][SAB_BODY_MOST], row i of the inverse of its body */
    int *first;      /* [n] else: first unknown of the body of unknown i in `member` */
    int *size;       /* [n] unknowns of that body */
    int *member;     /* [n] unknowns, body after body */
    double *normal,
        *tangential; /* [npoints] of a diagonal W_qq; normal < 0: it is full, and in W */
    double *W;       /* [npoints][s][s]; NULL: none is full */
    /* what is not zero of the first row of each point: most points of bodies are open, and this is
     * all a sweep reads of them */
    int64_t *row_start; /* [npoints+1] */
    int *row_column;
    double *row_value;
    /* Stretches of blocks that have no body in common with the others of their phase: within a
     * part of the bodies; between part t and t + 1 for even t; for odd t; and the rest. */
    int parts;
    int *order;                   /* [nblocks] stretch after stretch */
    int *start;                   /* [stretches + 1] */
    int phase[SAB_GS_PHASES + 1]; /* first stretch of each */
    /* If all points are contacts of discs or spheres, what is below is all that sweeps read. */
    sab_round_contact *round; /* [npoints] in the order of the stretches; NULL: they are not */
    double (*drag)[3]; /* [npoints] k_T / c of walls that move along themselves; NULL: none */
    double *radius;    /* [bodies] */
    /* The iterate of the sweeps. Round: lambda [npoints][3] impulses, u [bodies][SAB_ROUND_U]. */
    int nlambda, nu;
    double *u, *lambda;
    /* of the conjugate sweeps: where the last one began, and the way so far */
    double *lambda_before, *lambda_way; /* [nlambda] */
    double *u_before, *u_way;           /* [nu] */
};

/* Unknowns of a disc (s = 2) or a sphere. */
static inline int sab_round_freedoms(int s)
{
    return s == 2 ? 3 : 6;
}

/* What sweeps have done. */
typedef struct sab_swept {
    double step; /* sum of |change of lambda_q|^2 */
    bool changed;
} sab_swept;

/* A sweep that changes no stress by more than this part of itself has changed nothing. */
#define SAB_GS_NOTHING 1e-15

/* Are all points contacts of round bodies (A is diagonal)? Then `round`, `drag` and `radius`, in
 * the order of B. */
sab_status sab_round_recognise(sab_gauss_seidel *gs, const sab_program *program, sab_error *err);
/* To the order of the stretches. */
sab_status sab_round_sort(sab_gauss_seidel *gs, sab_error *err);
/* The iterate from lambda, with its velocity; and lambda from it. */
void sab_round_load(sab_gauss_seidel *gs, const sab_program *program, const double *lambda);
void sab_round_store(const sab_gauss_seidel *gs, const sab_program *program, double *lambda);
/* The contacts `from` .. `to` - 1. */
sab_swept sab_round_sweep(sab_gauss_seidel *gs, int s, int from, int to);

/* One block of B: values of the rows of point q, and its columns. */
typedef struct sab_gs_rows {
    const double *value;
    const int *column;
    int columns;
} sab_gs_rows;

static inline sab_gs_rows sab_gs_rows_of(const sab_blocks *B, int e, int q)
{
    const int columns = (int)(B->column_start[e + 1] - B->column_start[e]);

    return (sab_gs_rows){B->value + B->value_start[e] + (int64_t)(q - B->point[e]) * B->s * columns,
                         B->column + B->column_start[e], columns};
}

/* call(columns, ...) of an inline function, compiled for a disc (3) or a sphere (6) and a wall, two
 * discs (6), two spheres (12), and any number. */
#define SAB_GS_WIDTHS(columns, call, ...)                                                          \
    do {                                                                                           \
        if ((columns) == 12)                                                                       \
            call(12, __VA_ARGS__);                                                                 \
        else if ((columns) == 6)                                                                   \
            call(6, __VA_ARGS__);                                                                  \
        else if ((columns) == 3)                                                                   \
            call(3, __VA_ARGS__);                                                                  \
        else                                                                                       \
            call(columns, __VA_ARGS__);                                                            \
    } while (0)

static inline void sab_gs_push_wide(int columns, const sab_gauss_seidel *gs, int s, sab_gs_rows r,
                                    const double *y, double *restrict u)
{
    const double *const inverse = gs->inverse;
    const bool diagonal = gs->diagonal;

    for (int c = 0; c < columns; c++) {
        const int j = r.column[c];
        double force = 0.0;

        for (int i = 0; i < s; i++)
            force += r.value[i * columns + c] * y[i];
        if (diagonal) {
            u[j] += inverse[j] * force;
            continue;
        }
        for (int b = 0; b < gs->size[j]; b++)
            u[gs->member[gs->first[j] + b]] += inverse[j * SAB_BODY_MOST + b] * force;
    }
}

/* u += A^-1 B_q^T y */
static inline void sab_gs_push(const sab_gauss_seidel *gs, int s, sab_gs_rows r, const double *y,
                               double *u)
{
    SAB_GS_WIDTHS(r.columns, sab_gs_push_wide, gs, s, r, y, u);
}

static inline void sab_gs_pull_wide(int columns, int s, sab_gs_rows r, const double *u, double *g)
{
    for (int i = 0; i < s; i++) { /* two sums: neither waits for the other */
        const double *row = r.value + i * columns;
        double even = 0.0, odd = 0.0;

        for (int c = 0; c + 1 < columns; c += 2) {
            even += row[c] * u[r.column[c]];
            odd += row[c + 1] * u[r.column[c + 1]];
        }
        if (columns % 2 != 0)
            even += row[columns - 1] * u[r.column[columns - 1]];
        g[i] = even + odd;
    }
}

/* g = B_q u */
static inline void sab_gs_pull(int s, sab_gs_rows r, const double *u, double *g)
{
    SAB_GS_WIDTHS(r.columns, sab_gs_pull_wide, s, r, u, g);
}

#endif
