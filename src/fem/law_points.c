/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fem/law_points.h"

#include <math.h>
#include <string.h>

/* An element at the points of a rule that is exact for all that is integrated here: the weight of a
 * point is det times the measure times that of the rule. */
typedef struct sample {
    int n;
    double weight[SAB_RULE_POINTS], det[SAB_RULE_POINTS];
    double l[SAB_RULE_POINTS][SAB_CORNERS];
    sab_shapes at[SAB_RULE_POINTS];
} sample;

static void take_sample(const sab_element *element, const sab_geometry *geometry,
                        const sab_mesh *mesh, int e, sample *s)
{
    const sab_quadrature *rule = sab_rule(mesh->cell, 6);

    s->n = rule->n;
    for (int p = 0; p < rule->n; p++) {
        sab_element_at(element, mesh, e, rule->xi[p], &s->at[p]);
        sab_cell_barycentric(mesh->cell, rule->xi[p], s->l[p]);
        s->det[p] = rule->weight[p] * s->at[p].det;
        s->weight[p] = s->det[p] * geometry->measure(s->at[p].x);
    }
}

/* Mean and covariance of (l_1, l_2) against the weights. */
static void find_moments(const sample *s, double mean[2], double S[2][2])
{
    double volume = 0.0;

    memset(S, 0, 4 * sizeof(double));
    mean[0] = mean[1] = 0.0;
    for (int p = 0; p < s->n; p++) {
        volume += s->weight[p];
        for (int i = 0; i < 2; i++)
            mean[i] += s->weight[p] * s->l[p][i + 1];
    }
    mean[0] /= volume;
    mean[1] /= volume;
    for (int p = 0; p < s->n; p++)
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                S[i][j] +=
                    s->weight[p] / volume * (s->l[p][i + 1] - mean[i]) * (s->l[p][j + 1] - mean[j]);
}

/* Three points of equal weight that are exact to degree 2 against any positive weight: the affine
 * image x = mean + F (x0 - centre) of the usual ones with F S0 F^T = S, S the covariance of the
 * barycentric coordinates and S0 that without a weight; F is the square root of M = S S0^-1, for
 * 2 x 2 matrices F = (M + sqrt(det M) I) / sqrt(tr M + 2 sqrt(det M)) [docs/theory.md, 4.10]. */
static void move_points(const sab_quadrature *usual, const sample *s, double (*xi)[SAB_DIM])
{
    static const double inverse0[2][2] = {{24.0, 12.0}, {12.0, 24.0}}; /* S0^-1 */
    double mean[2], S[2][2], M[2][2];

    find_moments(s, mean, S);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            M[i][j] = S[i][0] * inverse0[0][j] + S[i][1] * inverse0[1][j];
    const double root = sqrt(M[0][0] * M[1][1] - M[0][1] * M[1][0]);
    const double scale = 1.0 / sqrt(M[0][0] + M[1][1] + 2.0 * root);
    for (int q = 0; q < usual->n; q++)
        for (int i = 0; i < 2; i++) {
            xi[q][i] = mean[i];
            for (int j = 0; j < 2; j++)
                xi[q][i] +=
                    scale * (M[i][j] + (i == j ? root : 0.0)) * (usual->xi[q][j] - 1.0 / 3.0);
        }
}

/* out = the inverse of X by Gauss and Jordan with pivots. */
static void invert(int n, double X[SAB_CORNERS][SAB_CORNERS],
                   double out[SAB_CORNERS][SAB_LAW_POINTS])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out[i][j] = i == j;
    for (int k = 0; k < n; k++) {
        int pivot = k;

        for (int i = k + 1; i < n; i++)
            if (fabs(X[i][k]) > fabs(X[pivot][k]))
                pivot = i;
        for (int j = 0; j < n; j++) {
            const double x = X[k][j], o = out[k][j];

            X[k][j] = X[pivot][j];
            X[pivot][j] = x;
            out[k][j] = out[pivot][j];
            out[pivot][j] = o;
        }
        const double scale = 1.0 / X[k][k];
        for (int j = 0; j < n; j++) {
            X[k][j] *= scale;
            out[k][j] *= scale;
        }
        for (int i = 0; i < n; i++) {
            const double factor = X[i][k];

            for (int j = 0; j < n && i != k; j++) {
                X[i][j] -= factor * X[k][j];
                out[i][j] -= factor * out[k][j];
            }
        }
    }
}

/* Corner values from values at the points: the inverse of their barycentric coordinates. */
static void find_corners(const sab_cell *cell, const sab_quadrature *rule, sab_law_points *law)
{
    double X[SAB_CORNERS][SAB_CORNERS];

    for (int q = 0; q < rule->n; q++)
        sab_cell_barycentric(cell, law->xi[q], X[q]);
    invert(cell->corners, X, law->corner);
}

void sab_law_points_find(const sab_element *element, const sab_geometry *geometry,
                         const sab_mesh *mesh, int e, sab_law_points *law)
{
    const sab_cell *cell = mesh->cell;
    sample s;

    take_sample(element, geometry, mesh, e, &s);
    memset(law, 0, sizeof *law);
    memcpy(law->xi, element->law->xi, (size_t)element->law->n * sizeof *law->xi);
    if (geometry->axis)
        move_points(element->law, &s, law->xi);
    find_corners(cell, element->law, law);
    for (int q = 0; q < element->law->n; q++) {
        for (int p = 0; p < s.n; p++) {
            const sab_shapes *at = &s.at[p];
            double psi = 0.0;

            for (int i = 0; i < cell->corners; i++)
                psi += law->corner[i][q] * s.l[p][i];
            law->weight[q] += s.weight[p] * psi;
            for (int a = 0; a < at->n; a++) {
                for (int i = 0; i < cell->dim; i++)
                    law->gradient[q][a][i] += s.weight[p] * psi * at->gradient[a][i];
                if (geometry->axis) /* r phi/r: a polynomial */
                    law->hoop[q][a] += s.det[p] * psi * at->value[a];
            }
        }
        for (int a = 0; a < s.at[0].n; a++) {
            for (int i = 0; i < cell->dim; i++)
                law->gradient[q][a][i] /= law->weight[q];
            law->hoop[q][a] /= law->weight[q];
        }
    }
}
