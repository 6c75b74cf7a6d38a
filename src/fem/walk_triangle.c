/* SPDX-License-Identifier: GPL-3.0-or-later */
/* walk_triangle.c -- straight paths through triangles.
 *
 * The line from x along d divides the corners of the mesh into those on its left and those on its
 * right (a corner on the line counts as left). A triangle with both kinds has exactly one side that
 * runs, counterclockwise, from right to left: there the line leaves it. Its neighbour has the same
 * side from left to right, and so the next triangle depends on labels of corners only: lines
 * through corners or along sides need nothing special. No triangle but the first can come twice,
 * since each is entered by one side only; the walk ends there too, hence it never loops, whatever
 * rounding does to the labels. */
#include "fem/walk.h"

#include <math.h>
#include <stddef.h>

enum { NODES = 6 };

static double cross(const double a[2], const double b[2])
{
    return a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[2], const double b[2])
{
    return a[0] * b[0] + a[1] * b[1];
}

/* Positive on the left of the path. */
static double left_of(const sab_path *p, const double v[2])
{
    return p->d[0] * (v[1] - p->x[1]) - p->d[1] * (v[0] - p->x[0]);
}

static const double *corner(const sab_mesh *mesh, int e, int i)
{
    return mesh->x + 2 * mesh->element[NODES * e + i % 3];
}

static int walk(const sab_mesh *mesh, const sab_path *p, sab_foot *f)
{
    const int first = f->element;
    int e = first, i = 0, steps = 0;
    bool left[3];

    for (int k = 0; k < 3; k++)
        left[k] = left_of(p, corner(mesh, e, k)) >= 0.0;
    while (i < 3 && (left[i] || !left[(i + 1) % 3]))
        i++;
    f->side = SAB_INSIDE;
    while (i < 3) { /* i == 3: the line does not meet the first triangle, or d is zero */
        const double *a = corner(mesh, e, i), *b = corner(mesh, e, i + 1);
        const double side[2] = {b[0] - a[0], b[1] - a[1]};
        const double to_end[2] = {p->end[0] - a[0], p->end[1] - a[1]};
        const int next = mesh->neighbour[3 * e + i], node = mesh->element[NODES * e + (i + 1) % 3];

        if (!(cross(side, to_end) < 0.0))
            break;
        if (next < 0) {
            f->side = i;
            break;
        }
        if (next == first)
            break;
        e = next;
        steps++;
        for (i = 0; mesh->element[NODES * e + i] != node; i++)
            ; /* the side entered runs from corner i (left) to i + 1 (right) */
        i = (left_of(p, corner(mesh, e, i + 2)) >= 0.0 ? i + 1 : i + 2) % 3;
    }
    f->element = e;
    return steps;
}

/* The side is a parabola whose ends are right and left of the line: the root in [0,1] of the
 * quadratic through the three values of left_of. */
static double meet(const sab_mesh *mesh, const sab_path *p, sab_foot *f)
{
    const double *a = corner(mesh, f->element, f->side), *b = corner(mesh, f->element, f->side + 1);
    const double *m = mesh->x + 2 * mesh->element[NODES * f->element + 3 + f->side];
    const double length = hypot(p->d[0], p->d[1]); /* squares of long paths overflow */
    const double fa = left_of(p, a) / length, fb = left_of(p, b) / length;
    const double fm = left_of(p, m) / length;
    const double slope = 4.0 * fm - 3.0 * fa - fb, bend = 2.0 * (fa + fb) - 4.0 * fm;
    const double root = sqrt(fmax(slope * slope - 4.0 * bend * fa, 0.0));
    double at[2];

    f->at[0] = slope >= 0.0 ? -2.0 * fa / (slope + root) : (root - slope) / (2.0 * bend);
    f->at[0] = fmin(fmax(f->at[0], 0.0), 1.0);
    sab_foot_on_side(mesh->cell, f);
    sab_mesh_map(mesh, f->element, f->xi, at, NULL);
    const double done[2] = {at[0] - p->x[0], at[1] - p->x[1]};
    return fmin(fmax(1.0 - dot(done, p->d) / length / length, 0.0), 1.0);
}

/* The boundary side after (before) a boundary side: turn about the corner they share. */
static void next_side(const sab_mesh *mesh, bool forward, int *e, int *side)
{
    const int node = mesh->element[NODES * *e + (forward ? (*side + 1) % 3 : *side)];

    for (int n = *e; n >= 0; n = mesh->neighbour[3 * *e + *side]) {
        int k = 0;

        *e = n;
        while (mesh->element[NODES * n + k] != node)
            k++;
        *side = forward ? k : (k + 2) % 3;
    }
}

/* d.x grows all the way: no side comes twice. */
static int slide(const sab_mesh *mesh, const bool *open, const double *d, double rest, sab_foot *f,
                 sab_stop *stop)
{
    int steps = 0, e = f->element, side = f->side;
    double left[2] = {0.0, 0.0};
    bool forward = false;

    stop->element = -1;

    for (;; steps++) {
        const double *a = corner(mesh, e, side), *b = corner(mesh, e, side + 1);
        const double chord[2] = {b[0] - a[0], b[1] - a[1]};
        const double rate = dot(d, chord) / dot(chord, chord);

        if (steps > 0) {
            if (open[3 * e + side])
                *stop = (sab_stop){e, side, {left[0], left[1]}};
            if (open[3 * e + side] || (forward ? !(rate > 0.0) : !(rate < 0.0)))
                break; /* at the corner reached before */
            f->element = e;
            f->side = side;
            f->at[0] = forward ? 0.0 : 1.0;
        }
        forward = rate > 0.0;
        const double room = (forward ? 1.0 : 0.0) - f->at[0];
        if (!(rest * fabs(rate) > fabs(room))) {
            f->at[0] += rest * rate;
            break;
        }
        f->at[0] += room;
        rest -= room / rate;
        for (int i = 0; i < 2; i++)
            left[i] = rest * rate * chord[i];
        next_side(mesh, forward, &e, &side);
    }
    sab_foot_on_side(mesh->cell, f);
    return steps;
}

const sab_walker sab_walker_triangle = {walk, meet, slide};
