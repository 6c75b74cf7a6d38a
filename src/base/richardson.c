/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/richardson.h"

#include <math.h>

static const double LOWEST = 0.5, HIGHEST = 12.0;

/* The order of three values, or NAN. */
static double order_of(const double *h, const double *f)
{
    const double ratio = (f[0] - f[1]) / (f[1] - f[2]);
    double low = LOWEST, high = HIGHEST;

    if (!(ratio > 0.0))
        return NAN;
    for (int i = 0; i < 200; i++) {
        const double p = 0.5 * (low + high);
        const double a = pow(h[0] / h[2], p), b = pow(h[1] / h[2], p);

        if ((a - b) / (b - 1.0) < ratio)
            low = p;
        else
            high = p;
    }
    return low > LOWEST * (1.0 + 1e-9) && high < HIGHEST * (1.0 - 1e-9) ? 0.5 * (low + high) : NAN;
}

sab_richardson sab_richardson_fit(int n, const double *h, const double *f, double noise)
{
    const double *hl = h + n - 3, *fl = f + n - 3;
    const double spread = fmax(fmax(fl[0], fl[1]), fl[2]) - fmin(fmin(fl[0], fl[1]), fl[2]);
    sab_richardson r = {.kind = SAB_RICHARDSON_ORDER,
                        .order = order_of(hl, fl),
                        .limit = fl[2],
                        .error = spread,
                        .before = n > 3 ? order_of(hl - 1, fl - 1) : NAN};

    if (fabs(fl[2] - fl[1]) <= noise) {
        r.kind = SAB_RICHARDSON_SAME;
        r.order = NAN;
    } else if (isnan(r.order)) {
        r.kind = (fl[0] - fl[1]) * (fl[1] - fl[2]) < 0.0 ? SAB_RICHARDSON_SWINGS
                                                         : SAB_RICHARDSON_NOT_FALLING;
    } else {
        r.limit = fl[2] + (fl[2] - fl[1]) / (pow(hl[1] / hl[2], r.order) - 1.0);
        r.error = fabs(fl[2] - r.limit);
    }
    return r;
}
