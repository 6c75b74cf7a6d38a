/* SPDX-License-Identifier: GPL-3.0-or-later */
/* base/richardson.h -- what a quantity tends to as a length goes to zero, from three lengths.
 *
 * With f(h) = f0 + c h^p the three finest values give f0, c and p: the ratio of their differences,
 * (f1 - f2)/(f2 - f3) = (h1^p - h2^p)/(h2^p - h3^p), grows with p. It needs differences of one sign
 * that fall, or there is no such p: then nothing is claimed. */
#ifndef SAB_BASE_RICHARDSON_H
#define SAB_BASE_RICHARDSON_H

typedef enum sab_richardson_kind {
    SAB_RICHARDSON_ORDER,      /* order, limit and error are there */
    SAB_RICHARDSON_SAME,       /* the finest two values are the same to within `noise` */
    SAB_RICHARDSON_SWINGS,     /* differences of both signs */
    SAB_RICHARDSON_NOT_FALLING /* differences that do not fall with h, or barely: p < 1/2 */
} sab_richardson_kind;

typedef struct sab_richardson {
    sab_richardson_kind kind;
    double order;  /* NAN if none is claimed */
    double limit;  /* f0; the finest value if no order is claimed */
    double error;  /* of the finest value: |f - f0|; else the spread of the last three */
    double before; /* the order of the three values before, to compare; NAN: there are none */
} sab_richardson;

/* n >= 3 values, h falls from each to the next. noise: changes up to it mean nothing. */
sab_richardson sab_richardson_fit(int n, const double *h, const double *f, double noise);

#endif
