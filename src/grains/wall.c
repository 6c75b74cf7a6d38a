/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "grains/wall.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static double dot(int dim, const double *a, const double *b)
{
    double sum = 0.0;

    for (int k = 0; k < dim; k++)
        sum += a[k] * b[k];
    return sum;
}

/* n / |n|; false if it has no length */
static bool unit(int dim, double *n)
{
    const double size = sqrt(dot(dim, n, n));

    for (int k = 0; k < dim; k++)
        n[k] /= size;
    return size > 0.0 && isfinite(size);
}

sab_status sab_grain_wall_plane(int dim, const double *point, const double *normal, double friction,
                                sab_grain_wall *wall, sab_error *err)
{
    *wall = (sab_grain_wall){.kind = SAB_GRAIN_WALL_PLANE, .dim = dim, .friction = friction};
    memcpy(wall->corner[0], point, (size_t)dim * sizeof *point);
    memcpy(wall->normal, normal, (size_t)dim * sizeof *normal);
    if (!unit(dim, wall->normal))
        return sab_fail(err, SAB_ERR_INPUT, "a plane needs a normal that is not zero");
    return SAB_OK;
}

sab_status sab_grain_wall_facet(int dim, const double *corner, double friction,
                                sab_grain_wall *wall, sab_error *err)
{
    double a[3] = {0}, b[3] = {0};

    *wall = (sab_grain_wall){.kind = SAB_GRAIN_WALL_FACET, .dim = dim, .friction = friction};
    for (int c = 0; c < dim; c++)
        memcpy(wall->corner[c], corner + c * dim, (size_t)dim * sizeof *corner);
    for (int k = 0; k < dim; k++) {
        a[k] = wall->corner[1][k] - wall->corner[0][k];
        b[k] = dim == 3 ? wall->corner[2][k] - wall->corner[0][k] : 0.0;
    }
    if (dim == 2)
        memcpy(wall->normal, (double[]){-a[1], a[0], 0.0}, sizeof wall->normal);
    else
        memcpy(wall->normal,
               (double[]){a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                          a[0] * b[1] - a[1] * b[0]},
               sizeof wall->normal);
    if (!unit(dim, wall->normal))
        return sab_fail(err, SAB_ERR_INPUT, "a %s of a wall has no extent",
                        dim == 2 ? "segment" : "triangle");
    return SAB_OK;
}

sab_status sab_grain_wall_bead(const double *centre, double radius, double friction,
                               sab_grain_wall *wall, sab_error *err)
{
    *wall = (sab_grain_wall){
        .kind = SAB_GRAIN_WALL_BEAD, .dim = 2, .friction = friction, .radius = radius};
    memcpy(wall->corner[0], centre, 2 * sizeof *centre);
    wall->normal[1] = 1.0;
    if (!(radius > 0.0 && isfinite(radius + centre[0] + centre[1])))
        return sab_fail(err, SAB_ERR_INPUT, "a bead of a wall has the radius %g", radius);
    return SAB_OK;
}

void sab_grain_wall_move(sab_grain_wall *wall, double dt)
{
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < wall->dim; k++)
            wall->corner[c][k] += dt * wall->velocity[k];
}

/* The point of the segment from a to b closest to x. */
static void on_segment(int dim, const double *a, const double *b, const double *x, double *p)
{
    double along = 0.0, length = 0.0;

    for (int k = 0; k < dim; k++) {
        along += (x[k] - a[k]) * (b[k] - a[k]);
        length += (b[k] - a[k]) * (b[k] - a[k]);
    }
    const double t = length > 0.0 ? fmin(fmax(along / length, 0.0), 1.0) : 0.0;
    for (int k = 0; k < dim; k++)
        p[k] = a[k] + t * (b[k] - a[k]);
}

static double distance2(int dim, const double *a, const double *b)
{
    double sum = 0.0;

    for (int k = 0; k < dim; k++)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

/* The point of the triangle closest to x: its foot if that is inside, else on a side. */
static void on_triangle(const sab_grain_wall *w, const double *x, double *p)
{
    double height = 0.0, best = INFINITY;
    bool inside = true;

    for (int k = 0; k < 3; k++)
        height += (x[k] - w->corner[0][k]) * w->normal[k];
    for (int k = 0; k < 3; k++)
        p[k] = x[k] - height * w->normal[k];
    for (int c = 0; c < 3; c++) { /* on the inner side of each side? (b - a) x (p - a) . n >= 0 */
        const double *a = w->corner[c], *b = w->corner[(c + 1) % 3], *n = w->normal;
        const double e[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]},
                     f[3] = {p[0] - a[0], p[1] - a[1], p[2] - a[2]};

        inside = inside && (e[1] * f[2] - e[2] * f[1]) * n[0] + (e[2] * f[0] - e[0] * f[2]) * n[1] +
                                   (e[0] * f[1] - e[1] * f[0]) * n[2] >=
                               0.0;
    }
    for (int c = 0; !inside && c < 3; c++) {
        double q[3];

        on_segment(3, w->corner[c], w->corner[(c + 1) % 3], x, q);
        if (distance2(3, q, x) < best) {
            best = distance2(3, q, x);
            memcpy(p, q, sizeof q);
        }
    }
}

double sab_grain_wall_distance(const sab_grain_wall *w, const double *x, double *n)
{
    double p[3] = {0}, distance = 0.0;

    if (w->kind == SAB_GRAIN_WALL_PLANE) {
        for (int k = 0; k < w->dim; k++)
            distance += (x[k] - w->corner[0][k]) * w->normal[k];
        memcpy(n, w->normal, (size_t)w->dim * sizeof *n);
        return distance;
    }
    if (w->kind == SAB_GRAIN_WALL_BEAD)
        memcpy(p, w->corner[0], sizeof p);
    else if (w->dim == 2)
        on_segment(2, w->corner[0], w->corner[1], x, p);
    else
        on_triangle(w, x, p);
    distance = sqrt(distance2(w->dim, x, p));
    for (int k = 0; k < w->dim; k++)
        n[k] = distance > 0.0 ? (x[k] - p[k]) / distance : w->normal[k];
    return distance - w->radius; /* 0 of a facet */
}
