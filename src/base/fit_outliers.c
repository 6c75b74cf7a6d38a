/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points that no law through the others can have: found against a law that they cannot move.
 *
 * Both laws are straight lines z = a + b t: t = x, z = y^(1/(d - 1/2)) for Beverloo; t = log x, z =
 * log y for a power. The repeated median, b = med_i med_j (z_j - z_i)/(t_j - t_i), a = med_i (z_i -
 * b t_i), stays near the law as long as less than half of the points are wrong, by however much
 * [Siegel, Biometrika 69 (1982) 242]. It is used for nothing but to find them. */
#include "base/fit.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* Far beyond any scatter: by this factor, and by ten of the standard deviations that the median
 * distance of a normal scatter stands for. */
static const double FACTOR = 3.0, DEVIATIONS = 10.0 * 1.4826;
/* Of the median y: near k g a small error of k is a large one of y, and this much of it is none. */
static const double SMALL = 0.1;
enum { FEWEST = 4 }; /* two points of three follow every law */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sorts `value`; NaN if there is none. */
static double median(int n, double *value)
{
    qsort(value, (size_t)n, sizeof *value, compare);
    return n > 0 ? 0.5 * (value[(n - 1) / 2] + value[n / 2]) : (double)NAN;
}

typedef struct sample {
    int n;
    double *t, *z, *y; /* [n] */
    int *point;        /* [n]: its number among all */
    double *work;      /* [2 n] */
    double power;      /* of Beverloo */
} sample;

/* The line, and the median of y. */
static void repeated_median(const sample *s, double *a, double *b, double *typical)
{
    double *slope = s->work, *inner = s->work + s->n;
    int slopes = 0;

    for (int i = 0; i < s->n; i++) {
        int count = 0;

        for (int j = 0; j < s->n; j++)
            if (s->t[j] != s->t[i])
                inner[count++] = (s->z[j] - s->z[i]) / (s->t[j] - s->t[i]);
        if (count > 0)
            slope[slopes++] = median(count, inner);
    }
    *b = median(slopes, slope);
    for (int i = 0; i < s->n; i++) {
        slope[i] = s->z[i] - *b * s->t[i];
        inner[i] = s->y[i];
    }
    *a = median(s->n, slope);
    *typical = median(s->n, inner);
}

/* Take out what is far from the line of the rest; expected[point] says what that would be. Returns
 * how many. */
static int take_out(sample *s, bool beverloo, double *expected)
{
    double *distance = s->work, *sorted = s->work + s->n, a, b, typical;
    int kept = 0;

    repeated_median(s, &a, &b, &typical);
    const double small = beverloo ? SMALL * typical : 0.0;
    for (int i = 0; i < s->n; i++) {
        const double line = a + b * s->t[i];
        const double law = !beverloo ? exp(line) : line > 0.0 ? pow(line, s->power) : 0.0;

        distance[i] =
            beverloo ? fabs(log((s->y[i] + small) / (law + small))) : fabs(s->z[i] - line);
        sorted[i] = distance[i];
        expected[s->point[i]] = law;
    }
    /* few points leave a line less distance than they scatter [Rousseeuw and Leroy 1987, 5.1] */
    const double few = 1.0 + 5.0 / (s->n - 2);
    const double far = fmax(log(FACTOR), DEVIATIONS * few * median(s->n, sorted));
    for (int i = 0; i < s->n; i++)
        if (!(distance[i] > far)) {
            expected[s->point[i]] = NAN;
            s->t[kept] = s->t[i];
            s->z[kept] = s->z[i];
            s->y[kept] = s->y[i];
            s->point[kept++] = s->point[i];
        }
    const int taken = s->n - kept;

    s->n = kept;
    return taken;
}

sab_status sab_fit_outliers(const sab_fit_model *model, int n, const double *x, const double *y,
                            double *expected, sab_error *err)
{
    sab_status status = SAB_OK;
    const bool beverloo = model->law == SAB_FIT_BEVERLOO;
    sample s = {.n = n, .power = sab_fit_power(model)};

    SAB_NEW(s.t, n);
    SAB_NEW(s.z, n);
    SAB_NEW(s.y, n);
    SAB_NEW(s.point, n);
    SAB_NEW(s.work, 2 * n);
    for (int i = 0; i < n; i++) {
        s.t[i] = beverloo ? x[i] : log(x[i]);
        s.z[i] = beverloo ? pow(y[i], 1.0 / s.power) : log(y[i]);
        s.y[i] = y[i];
        s.point[i] = i;
        expected[i] = NAN;
    }
    /* the worst hide others: again until none is found */
    while (s.n >= FEWEST && take_out(&s, beverloo, expected) > 0)
        ;
    for (int i = 0; 2 * s.n <= n && i < n; i++)
        expected[i] = NAN; /* what most of them do is no exception */
cleanup:
    SAB_FREE(s.t);
    SAB_FREE(s.z);
    SAB_FREE(s.y);
    SAB_FREE(s.point);
    SAB_FREE(s.work);
    return status;
}
