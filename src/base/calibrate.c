/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/calibrate.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { P = SAB_CALIBRATE_MOST, SETS = 2 * P + 1, STEPS = 40 };

static const double SMALL = 2e-4;               /* a step that is none, in parts of the bounds */
static const double PROPORTIONAL = 5e-3;        /* singular value of two effects that are one */
static const double NORMAL = 1.959963984540054; /* |z| <= NORMAL has the probability 0.95 */
static const double CROSS = 0.25;               /* arms of the cross, in parts of the bounds */
static const double EASY = 1e-3;                /* damping to begin with */

/* Parameters are held in parts q of their bounds, 0 to 1; r = (y - f)/sigma, J = d(f/sigma)/dq. */
typedef struct work {
    const sab_calibrate *problem;
    double q[P], sum; /* the best so far */
    double *r, *J;    /* [n], [n][np] there */
    double *error;    /* [np] length of the error of a column of J, by the noise of f */
    double column[P];
    bool fresh;                  /* J is of differences at q */
    double *f, *noise;           /* [SETS][n] of the last call */
    double *best_f, *best_noise; /* [n] */
    int sets;
} work;

/* Six digits: what a file of a run shows, so that it is known again. */
static double rounded(double value)
{
    char text[40];
    double back = value;

    snprintf(text, sizeof text, "%.6g", value);
    sscanf(text, "%lf", &back);
    return back;
}

static double value_of(const sab_calibrate *c, int j, double q)
{
    return rounded(c->low[j] + q * (c->high[j] - c->low[j]));
}

static double clamp(double q)
{
    return fmin(fmax(q, 0.0), 1.0);
}

/* f of m sets q [m][P]; q becomes what was computed with, after rounding. */
static sab_status evaluate(work *w, int m, double (*q)[P], sab_error *err)
{
    const sab_calibrate *c = w->problem;
    double p[SETS * P];

    for (int k = 0; k < m; k++)
        for (int j = 0; j < c->np; j++) {
            const double value = value_of(c, j, q[k][j]);

            p[c->np * k + j] = value;
            q[k][j] = clamp((value - c->low[j]) / (c->high[j] - c->low[j]));
        }
    w->sets += m;
    const sab_status status = c->evaluate(c->data, m, p, w->f, w->noise, err);
    for (int i = 0; status == SAB_OK && i < m * c->n; i++)
        if (!isfinite(w->f[i]))
            return sab_fail(err, SAB_ERR_NUMERIC, "a run has no value for measurement %d",
                            i % c->n + 1);
    return status;
}

static double scale_of(const work *w, int i)
{
    return w->problem->sigma != NULL ? 1.0 / w->problem->sigma[i] : 1.0;
}

static double sum_of(const work *w, const double *f)
{
    double sum = 0.0;

    for (int i = 0; i < w->problem->n; i++)
        sum += pow(scale_of(w, i) * (w->problem->y[i] - f[i]), 2);
    return sum;
}

/* Set k of the last call is the best. */
static void settle(work *w, int k, const double *q)
{
    const int n = w->problem->n;

    memcpy(w->q, q, sizeof w->q);
    memcpy(w->best_f, w->f + n * k, (size_t)n * sizeof *w->f);
    memcpy(w->best_noise, w->noise + n * k, (size_t)n * sizeof *w->noise);
    w->sum = sum_of(w, w->best_f);
    for (int i = 0; i < n; i++)
        w->r[i] = scale_of(w, i) * (w->problem->y[i] - w->best_f[i]);
}

/* Columns of J from sets first + 2j and first + 2j + 1 of the last call, which differ in q_j. */
static void take_differences(work *w, int first, double (*q)[P])
{
    const sab_calibrate *c = w->problem;

    for (int j = 0; j < c->np; j++) {
        const int a = first + 2 * j, b = a + 1;
        const double width = q[b][j] - q[a][j];
        double error = 0.0, length = 0.0;

        for (int i = 0; i < c->n; i++) {
            const double d = scale_of(w, i) * (w->f[c->n * b + i] - w->f[c->n * a + i]) / width;

            w->J[c->np * i + j] = d;
            length += d * d;
            error += (pow(w->noise[c->n * a + i], 2) + pow(w->noise[c->n * b + i], 2)) *
                     pow(scale_of(w, i) / width, 2);
        }
        w->error[j] = sqrt(error);
        w->column[j] = sqrt(length);
    }
}

/* The middle, and a cross around it: J there, and the best of all to begin with. */
static sab_status begin(work *w, sab_error *err)
{
    const int np = w->problem->np;
    double q[SETS][P] = {{0}};
    sab_status status = SAB_OK;
    int best = 0;

    for (int k = 0; k <= 2 * np; k++)
        for (int j = 0; j < np; j++)
            q[k][j] = 0.5 + (k == 2 * j + 1 ? -CROSS : k == 2 * j + 2 ? CROSS : 0.0);
    SAB_TRY(evaluate(w, 2 * np + 1, q, err));
    take_differences(w, 1, q);
    for (int k = 1; k <= 2 * np; k++)
        if (sum_of(w, w->f + w->problem->n * k) < sum_of(w, w->f + w->problem->n * best))
            best = k;
    settle(w, best, q[best]);
cleanup:
    return status;
}

/* J by central differences at q, one-sided at a bound. */
static sab_status refresh(work *w, sab_error *err)
{
    const int np = w->problem->np;
    double q[SETS][P];
    sab_status status = SAB_OK;

    for (int k = 0; k < 2 * np; k++) {
        memcpy(q[k], w->q, sizeof w->q);
        q[k][k / 2] = clamp(w->q[k / 2] + (k % 2 == 0 ? -1.0 : 1.0) * w->problem->step);
    }
    SAB_TRY(evaluate(w, 2 * np, q, err));
    take_differences(w, 0, q);
    w->fresh = true;
cleanup:
    return status;
}

/* ---- small matrices -------------------------------------------------------------------------- */

/* A = J^T J of the parameters that are free (1 on the diagonal of the others), g = J^T r. */
static void normal_equations(const work *w, const bool *fixed, double A[P][P], double *g)
{
    const int np = w->problem->np;

    for (int j = 0; j < np; j++) {
        g[j] = 0.0;
        for (int i = 0; i < w->problem->n; i++)
            g[j] += w->J[np * i + j] * w->r[i];
        for (int k = 0; k < np; k++) {
            A[j][k] = j == k && fixed[j] ? 1.0 : 0.0;
            for (int i = 0; i < w->problem->n && !fixed[j] && !fixed[k]; i++)
                A[j][k] += w->J[np * i + j] * w->J[np * i + k];
        }
    }
}

/* x = A^-1 b by Gauss with pivots; false if A is singular. */
static bool solve(int n, double A[P][P], const double *b, double *x)
{
    double M[P][P + 1];

    for (int i = 0; i < n; i++) {
        memcpy(M[i], A[i], sizeof A[i]);
        M[i][n] = b[i];
    }
    for (int k = 0; k < n; k++) {
        int pivot = k;

        for (int i = k + 1; i < n; i++)
            if (fabs(M[i][k]) > fabs(M[pivot][k]))
                pivot = i;
        if (!(fabs(M[pivot][k]) > 0.0))
            return false;
        for (int j = 0; j <= n; j++) {
            const double keep = M[k][j];

            M[k][j] = M[pivot][j];
            M[pivot][j] = keep;
        }
        for (int i = 0; i < n; i++)
            for (int j = n; j >= k && i != k; j--)
                M[i][j] -= M[i][k] / M[k][k] * M[k][j];
    }
    for (int i = 0; i < n; i++)
        x[i] = M[i][n] / M[i][i];
    return true;
}

/* Eigenvalues of a symmetric A [n][n], which becomes diagonal, and vectors, columns of V: Jacobi's
 * rotations. */
static void eigen(int n, double A[P][P], double V[P][P])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            V[i][j] = i == j ? 1.0 : 0.0;
    for (int sweep = 0; sweep < 30; sweep++)
        for (int a = 0; a < n; a++)
            for (int b = a + 1; b < n; b++) {
                const double angle = 0.5 * atan2(2.0 * A[a][b], A[b][b] - A[a][a]);
                const double c = cos(angle), s = sin(angle);

                for (int i = 0; i < n; i++) {
                    const double x = A[i][a], y = A[i][b], u = V[i][a], v = V[i][b];

                    A[i][a] = c * x - s * y;
                    A[i][b] = s * x + c * y;
                    V[i][a] = c * u - s * v;
                    V[i][b] = s * u + c * v;
                }
                for (int i = 0; i < n; i++) {
                    const double x = A[a][i], y = A[b][i];

                    A[a][i] = c * x - s * y;
                    A[b][i] = s * x + c * y;
                }
            }
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Parameters at a bound beyond which the sum falls. */
static void find_fixed(const work *w, bool *fixed)
{
    const bool none[P] = {false};
    double A[P][P] = {{0.0}}, g[P] = {0.0};

    normal_equations(w, none, A, g);
    for (int j = 0; j < w->problem->np; j++)
        fixed[j] = (w->q[j] <= 0.0 && g[j] < 0.0) || (w->q[j] >= 1.0 && g[j] > 0.0);
}

/* Levenberg and Marquardt, within the bounds; returns the largest part of the step. */
static double propose(const work *w, double damping, double *next)
{
    const int np = w->problem->np;
    bool fixed[P] = {false};
    double A[P][P] = {{0.0}}, g[P] = {0.0}, d[P] = {0.0}, largest = 0.0;

    find_fixed(w, fixed);
    normal_equations(w, fixed, A, g);
    for (int j = 0; j < np; j++) {
        A[j][j] *= 1.0 + damping;
        g[j] = fixed[j] ? 0.0 : g[j];
    }
    memcpy(next, w->q, sizeof w->q);
    if (!solve(np, A, g, d))
        return 0.0;
    for (int j = 0; j < np; j++) {
        next[j] = clamp(w->q[j] + d[j]);
        largest = fmax(largest, fabs(next[j] - w->q[j]));
    }
    return largest;
}

/* Broyden: J as the last call has it along the way from q to `at`. */
static void update(work *w, const double *at)
{
    const sab_calibrate *c = w->problem;
    double s[P], length = 0.0;

    for (int j = 0; j < c->np; j++) {
        s[j] = at[j] - w->q[j];
        length += s[j] * s[j];
    }
    for (int i = 0; i < c->n && length > 0.0; i++) {
        double d = scale_of(w, i) * (w->f[i] - w->best_f[i]);

        for (int j = 0; j < c->np; j++)
            d -= w->J[c->np * i + j] * s[j];
        for (int j = 0; j < c->np; j++)
            w->J[c->np * i + j] += d * s[j] / length;
    }
    w->fresh = false;
}

static void tell(const work *w)
{
    const sab_calibrate *c = w->problem;
    double p[P];

    for (int j = 0; j < c->np; j++)
        p[j] = value_of(c, j, w->q[j]);
    if (c->progress != NULL)
        c->progress(c->data, w->sets, p, w->sum);
}

static sab_status descend(work *w, sab_error *err)
{
    double damping = EASY, next[1][P];
    sab_status status = SAB_OK;
    bool worse = false; /* the last step was */

    for (int step = 0; step < STEPS; step++) {
        const double length = propose(w, damping, next[0]);

        if (length < SMALL && w->fresh)
            return SAB_OK;
        if ((worse || length < SMALL) && !w->fresh) {
            SAB_TRY(refresh(w, err));
            damping = worse ? damping : EASY;
            worse = false;
            continue;
        }
        SAB_TRY(evaluate(w, 1, next, err));
        worse = !(sum_of(w, w->f) < w->sum);
        damping = worse ? fmax(damping * 10.0, 0.1) : fmax(damping / 10.0, 1e-6);
        if (!worse) {
            update(w, next[0]);
            settle(w, 0, next[0]);
        }
        tell(w);
    }
    return sab_fail(err, SAB_ERR_NUMERIC,
                    "no minimum found within %d steps: the runs may differ by more than their "
                    "parameters explain; lower solver.tolerance, or give narrower bounds",
                    STEPS);
cleanup:
    return status;
}

/* ---- what it means --------------------------------------------------------------------------- */

/* Does f depend on each parameter by more than its noise? */
static sab_status check_each(const work *w, sab_calibrated *result, sab_error *err)
{
    const sab_calibrate *c = w->problem;

    for (int j = 0; j < c->np; j++) {
        if (!(w->column[j] > 1e-12 * sqrt(w->sum)) || !(w->column[j] > 0.0))
            return sab_fail(err, SAB_ERR_NUMERIC,
                            "the measurements say nothing about %s: no value depends on it",
                            c->name[j]);
        result->noise[j] = w->error[j] / w->column[j];
        if (result->noise[j] > 0.5)
            return sab_fail(err, SAB_ERR_NUMERIC,
                            "the runs fluctuate by more than %s changes them (%.2g of the "
                            "differences); lower solver.tolerance, take longer windows, or a "
                            "larger --step",
                            c->name[j], result->noise[j]);
    }
    return SAB_OK;
}

/* Eigenvalues and vectors of J^T J, J with columns of unit length; returns the least one. */
static int decompose(const work *w, double A[P][P], double V[P][P])
{
    const int np = w->problem->np;
    int least = 0;

    for (int j = 0; j < np; j++)
        for (int k = 0; k < np; k++) {
            A[j][k] = 0.0;
            for (int i = 0; i < w->problem->n; i++)
                A[j][k] += w->J[np * i + j] * w->J[np * i + k] / (w->column[j] * w->column[k]);
        }
    eigen(np, A, V);
    for (int j = 1; j < np; j++)
        least = A[j][j] < A[least][least] ? j : least;
    return least;
}

/* Does f tell the parameters from each other? */
static sab_status check_apart(const work *w, sab_calibrated *result, sab_error *err)
{
    const sab_calibrate *c = w->problem;
    double A[P][P] = {{0.0}}, V[P][P] = {{0.0}}, unclear = 0.0;
    const int least = decompose(w, A, V);
    int first = 0, second;

    for (int j = 0; j < c->np; j++) {
        unclear = hypot(unclear, result->noise[j]);
        first = fabs(V[j][least]) > fabs(V[first][least]) ? j : first;
    }
    result->singular = sqrt(fmax(A[least][least], 0.0));
    if (c->np == 1 || (result->singular > PROPORTIONAL && result->singular > unclear))
        return SAB_OK;
    second = first == 0 ? 1 : 0;
    for (int j = 0; j < c->np; j++)
        second = j != first && fabs(V[j][least]) > fabs(V[second][least]) ? j : second;
    return sab_fail(err, SAB_ERR_NUMERIC,
                    "the measurements do not tell %s from %s: their effects are proportional "
                    "(singular value %.2g, below %.2g); fix one of them",
                    c->name[first], c->name[second], result->singular, fmax(PROPORTIONAL, unclear));
}

/* Mean square of the noise of the best runs, in units of sigma. */
static double noise_of(const work *w)
{
    double sum = 0.0;

    for (int i = 0; i < w->problem->n; i++)
        sum += pow(scale_of(w, i) * w->best_noise[i], 2) / w->problem->n;
    return sum;
}

/* Factor of sqrt(cov) for an interval of 95 %. Where sigma is known, that of a normal distribution,
 * times sqrt(chi^2/freedom) if that is above 1; otherwise the scatter says it, with Student's t.
 * The noise of the runs comes on top [docs/study.md, "Calibration"]. */
static double factor_of(const work *w, int freedom)
{
    const double scatter = freedom > 0 ? w->sum / freedom : NAN, noise = noise_of(w);

    return w->problem->sigma != NULL
               ? NORMAL * sqrt(fmax(1.0, scatter) + noise)
               : sab_student_quantile(SAB_CONFIDENCE, freedom) * sqrt(scatter + noise);
}

/* cov = (J^T J)^-1 of those that are free; nothing is known better than the last step was small. */
static void estimate(const work *w, const bool *fixed, sab_calibrated *result)
{
    const sab_calibrate *c = w->problem;
    double A[P][P] = {{0.0}}, g[P] = {0.0}, cov[P][P] = {{0.0}};
    const double factor = factor_of(w, result->freedom);

    normal_equations(w, fixed, A, g);
    for (int j = 0; j < c->np; j++) {
        const double unit[P] = {j == 0, j == 1, j == 2};

        if (!solve(c->np, A, unit, cov[j]))
            cov[j][j] = NAN;
    }
    for (int j = 0; j < c->np; j++) {
        const double value = value_of(c, j, w->q[j]), range = c->high[j] - c->low[j];
        const double half = fixed[j] ? NAN : range * hypot(factor * sqrt(cov[j][j]), SMALL);

        result->parameter[j] = (sab_estimate){value, value - half, value + half};
        result->at_bound[j] = fixed[j];
        result->wide[j] = half > 0.5 * range;
        for (int k = 0; k < j && !fixed[j] && !fixed[k]; k++)
            result->correlation =
                fmax(result->correlation, fabs(cov[j][k]) / sqrt(cov[j][j] * cov[k][k]));
    }
}

/* The iterations may have ended because no step was better; then what is left of the way must be
 * within the interval. */
static sab_status check_minimum(const work *w, const sab_calibrated *result, sab_error *err)
{
    const sab_calibrate *c = w->problem;
    double next[P];

    propose(w, 0.0, next);
    for (int j = 0; j < c->np; j++) {
        const double left = fabs(next[j] - w->q[j]) * (c->high[j] - c->low[j]);
        const double half = 0.5 * (result->parameter[j].high - result->parameter[j].low);

        if (left > 10.0 * SMALL * (c->high[j] - c->low[j]) && !(left < half))
            return sab_fail(err, SAB_ERR_NUMERIC,
                            "no minimum found: %s should still change by %.2g, and the runs do not "
                            "get better; lower solver.tolerance, or take another --step",
                            c->name[j], left);
    }
    return SAB_OK;
}

/* How well it explains the measurements. */
static void judge(const work *w, sab_calibrated *result)
{
    const sab_calibrate *c = w->problem;
    double weight = 0.0, mean = 0.0, variation = 0.0;

    for (int i = 0; i < c->n; i++) {
        weight += pow(scale_of(w, i), 2);
        mean += pow(scale_of(w, i), 2) * c->y[i];
        result->rms += pow(c->y[i] - w->best_f[i], 2) / c->n;
    }
    mean /= weight;
    for (int i = 0; i < c->n; i++)
        variation += pow(scale_of(w, i) * (c->y[i] - mean), 2);
    result->rms = sqrt(result->rms);
    result->unexplained = variation > 0.0 ? w->sum / variation : NAN;
    result->probability = c->sigma != NULL ? sab_chi_square_tail(w->sum, result->freedom) : NAN;
}

static sab_status create_work(work *w, sab_error *err)
{
    const size_t n = (size_t)w->problem->n, np = (size_t)w->problem->np;
    sab_status status = SAB_OK;

    SAB_NEW(w->r, n);
    SAB_NEW(w->J, n * np);
    SAB_NEW(w->error, np);
    SAB_NEW(w->f, SETS * n);
    SAB_NEW(w->noise, SETS * n);
    SAB_NEW(w->best_f, n);
    SAB_NEW(w->best_noise, n);
cleanup:
    return status;
}

sab_status sab_calibrate_solve(const sab_calibrate *problem, double *fitted, double *noise,
                               sab_calibrated *result, sab_error *err)
{
    work w = {.problem = problem};
    sab_status status = SAB_OK;
    bool fixed[P] = {false};

    *result = (sab_calibrated){.freedom = problem->n - problem->np};
    if (result->freedom < (problem->sigma != NULL ? 0 : 1))
        return sab_fail(err, SAB_ERR_INPUT,
                        "%d measurement%s for %d parameter%s: give more of them%s", problem->n,
                        problem->n == 1 ? "" : "s", problem->np, problem->np == 1 ? "" : "s",
                        problem->sigma == NULL && result->freedom == 0 ? ", or their sigma" : "");
    SAB_TRY(create_work(&w, err));
    SAB_TRY(begin(&w, err));
    tell(&w);
    SAB_TRY(descend(&w, err));
    find_fixed(&w, fixed);
    SAB_TRY(check_each(&w, result, err));
    SAB_TRY(check_apart(&w, result, err));
    estimate(&w, fixed, result);
    SAB_TRY(check_minimum(&w, result, err));
    judge(&w, result);
    result->sum = w.sum;
    result->sets = w.sets;
    memcpy(fitted, w.best_f, (size_t)problem->n * sizeof *fitted);
    memcpy(noise, w.best_noise, (size_t)problem->n * sizeof *noise);
cleanup:
    SAB_FREE(w.r);
    SAB_FREE(w.J);
    SAB_FREE(w.error);
    SAB_FREE(w.f);
    SAB_FREE(w.noise);
    SAB_FREE(w.best_f);
    SAB_FREE(w.best_noise);
    return status;
}
