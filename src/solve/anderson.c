/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solve/anderson.h"

#include "base/memory.h"
#include "cone/cone.h"

#include <math.h>
#include <string.h>

struct sab_anderson {
    size_t rows;
    int depth, used, next;             /* memory, columns in use, column to write */
    double **dp, **df;                 /* [depth] differences of p and f */
    double *gram, *chol, *coefficient; /* [depth][depth], [depth][depth], [depth] */
};

sab_status sab_anderson_create(const sab_program *program, int depth, sab_anderson **memory,
                               sab_error *err)
{
    sab_status status = SAB_OK;
    sab_anderson *a = NULL;

    *memory = NULL;
    SAB_NEW(a, 1);
    a->rows = (size_t)program->npoints * (size_t)program->s;
    SAB_NEW(a->dp, depth);
    SAB_NEW(a->df, depth);
    a->depth = depth;
    for (int j = 0; j < depth; j++) {
        SAB_NEW(a->dp[j], a->rows);
        SAB_NEW(a->df[j], a->rows);
    }
    SAB_NEW(a->gram, depth * depth);
    SAB_NEW(a->chol, depth * depth);
    SAB_NEW(a->coefficient, depth);
    *memory = a;
    a = NULL;
cleanup:
    sab_anderson_destroy(&a);
    return status;
}

void sab_anderson_destroy(sab_anderson **memory)
{
    sab_anderson *a = *memory;

    if (a == NULL)
        return;
    for (int j = 0; j < a->depth; j++) {
        SAB_FREE(a->dp[j]);
        SAB_FREE(a->df[j]);
    }
    SAB_FREE(a->dp);
    SAB_FREE(a->df);
    SAB_FREE(a->gram);
    SAB_FREE(a->chol);
    SAB_FREE(a->coefficient);
    SAB_FREE(*memory);
}

void sab_anderson_forget(sab_anderson *memory)
{
    memory->used = memory->next = 0;
}

double sab_anderson_dot(const sab_program *p, const double *a, const double *b)
{
    double sum = 0.0;
    for (int q = 0; q < p->npoints; q++, a += p->s, b += p->s)
        sum += p->weight[q] / p->r[q] * sab_cone_dot(p->s, a, b);
    return sum;
}

/* Coefficients c that minimise |f - sum c_j df_j|^2 + 1e-12 trace |c|^2. false if the memory is
 * degenerate. */
static bool find_coefficients(sab_anderson *a, const sab_program *p, const double *f)
{
    const int m = a->used, ld = a->depth;
    double *L = a->chol, *c = a->coefficient, trace = 0.0;

    for (int i = 0; i < m; i++)
        trace += a->gram[i * ld + i];
    if (!(trace > 0.0))
        return false;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = a->gram[i * ld + j] + (i == j ? 1e-12 * trace : 0.0);
            for (int k = 0; k < j; k++)
                sum -= L[i * ld + k] * L[j * ld + k];
            if (i == j && !(sum > 0.0))
                return false;
            L[i * ld + j] = i == j ? sqrt(sum) : sum / L[j * ld + j];
        }
        c[i] = sab_anderson_dot(p, a->df[i], f);
        for (int k = 0; k < i; k++)
            c[i] -= L[i * ld + k] * c[k];
        c[i] /= L[i * ld + i];
    }
    for (int i = m - 1; i >= 0; i--) {
        for (int k = i + 1; k < m; k++)
            c[i] -= L[k * ld + i] * c[k];
        c[i] /= L[i * ld + i];
    }
    return true;
}

bool sab_anderson_extrapolate(sab_anderson *a, const sab_program *program, const double *p,
                              const double *f, double *x)
{
    if (a->used > 0 && !find_coefficients(a, program, f))
        sab_anderson_forget(a);
    memcpy(x, p, a->rows * sizeof *x);
    for (int j = 0; j < a->used; j++)
        for (size_t i = 0; i < a->rows; i++)
            x[i] -= a->coefficient[j] * a->dp[j][i];
    return a->used > 0;
}

void sab_anderson_remember(sab_anderson *a, const sab_program *program, const double *p,
                           const double *p_old, const double *f, const double *f_old)
{
    const int j = a->next;

    if (a->depth == 0)
        return;
    for (size_t i = 0; i < a->rows; i++) {
        a->dp[j][i] = p[i] - p_old[i];
        a->df[j][i] = f[i] - f_old[i];
    }
    a->used = a->used < a->depth ? a->used + 1 : a->depth;
    a->next = (j + 1) % a->depth;
    for (int i = 0; i < a->used; i++)
        a->gram[i * a->depth + j] = a->gram[j * a->depth + i] =
            sab_anderson_dot(program, a->df[i], a->df[j]);
}
