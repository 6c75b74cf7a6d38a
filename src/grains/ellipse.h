/* SPDX-License-Identifier: GPL-3.0-or-later */
/* grains/ellipse.h -- how far two ellipses are from each other [docs/theory.md, 12.6].
 *
 * With the support function h(n) = max x.n over the points x of an ellipse about its centre, and
 * the way d from the centre of j to that of i, the gap is
 *     D = max over unit n of  g(n) = d.n - h_i(n) - h_j(n):
 * the distance of two that are apart, minus the least way out of two that overlap. */
#ifndef SAB_GRAINS_ELLIPSE_H
#define SAB_GRAINS_ELLIPSE_H

#include "base/error.h"

typedef struct sab_ellipse {
    double axis[2];      /* semi-axes; both 0: a point */
    double cosine, sine; /* of the angle of the first with x */
} sab_ellipse;

/* The point of the ellipse, from its centre, farthest in direction n (of length 1); returns h(n).
 * bend (may be NULL) gets the radius of curvature there. */
double sab_ellipse_support(const sab_ellipse *e, const double *n, double *point, double *bend);
/* D and its n, which points from j to i. SAB_ERR_NUMERIC if no n makes the points that are closest
 * face each other to rounding: never seen, and never passed over. */
sab_status sab_ellipse_gap(const sab_ellipse *i, const sab_ellipse *j, const double *d, double *gap,
                           double *n, sab_error *err);
/* The same with the segment between two points, given from the centre of the ellipse. */
sab_status sab_ellipse_segment_gap(const sab_ellipse *e, const double *a, const double *b,
                                   double *gap, double *n, sab_error *err);

#endif
