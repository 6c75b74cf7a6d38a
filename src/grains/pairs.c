/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "grains/pairs.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void sab_pairs_clear(sab_pairs *p)
{
    SAB_FREE(p->pair);
    SAB_FREE(p->cell);
    SAB_FREE(p->next);
    SAB_FREE(p->start);
    SAB_FREE(p->drop);
    *p = (sab_pairs){0};
}

static sab_status add(sab_pairs *p, const sab_pair *pair, sab_error *err)
{
    if (p->n == p->capacity) {
        const int capacity = p->capacity > 0 ? 2 * p->capacity : 64;
        sab_pair *wider = sab_realloc(p->pair, (size_t)capacity, sizeof *wider);

        if (wider == NULL)
            return sab_fail(err, SAB_ERR_MEMORY, "out of memory for %d pairs of grains", capacity);
        p->pair = wider;
        p->capacity = capacity;
    }
    p->pair[p->n++] = *pair;
    return SAB_OK;
}

void sab_pair_arm(const sab_bodies *b, const sab_pair *pair, int which, double *arm)
{
    const double sign = which == 0 ? -1.0 : 1.0,
                 n[3] = {sign * pair->normal[0], sign * pair->normal[1], sign * pair->normal[2]};

    sab_bodies_arm(b, which == 0 ? pair->i : pair->j, n, arm);
}

void sab_pair_line(const sab_bodies *b, const sab_pair *pair, double *line)
{
    double arm[3];

    sab_pair_arm(b, pair, 0, arm);
    for (int k = 0; k < b->dim; k++)
        line[k] = pair->j < b->n
                      ? b->position[pair->i * b->dim + k] - b->position[pair->j * b->dim + k]
                      : pair->gap * pair->normal[k] - arm[k];
    if (pair->j < b->n)
        sab_bodies_nearest(b, line);
}

/* An ellipse and a wall. */
static sab_status measure_wall(const sab_bodies *b, const sab_grain_wall *w, sab_pair *pair,
                               sab_error *err)
{
    const sab_ellipse e = sab_bodies_outline(b, pair->i), bead = {{w->radius, w->radius}, 1.0, 0.0};
    double x[2], point[2], from[2][2];

    sab_bodies_place(b, pair->i, x);
    for (int c = 0; c < 2; c++)
        for (int k = 0; k < 2; k++)
            from[c][k] = w->corner[c][k] - x[k];
    switch (w->kind) {
    case SAB_GRAIN_WALL_FACET:
        return sab_ellipse_segment_gap(&e, from[0], from[1], &pair->gap, pair->normal, err);
    case SAB_GRAIN_WALL_BEAD:
        return sab_ellipse_gap(&e, &bead, (double[]){-from[0][0], -from[0][1]}, &pair->gap,
                               pair->normal, err);
    default:
        pair->gap = sab_grain_wall_distance(w, x, pair->normal);
        pair->gap -= sab_ellipse_support(&e, pair->normal, point, NULL);
        return SAB_OK;
    }
}

/* Two grains; `way` leads from the centre of j to that of i. */
static sab_status measure_grains(const sab_bodies *b, const double *way, sab_pair *pair,
                                 sab_error *err)
{
    const int i = pair->i, j = pair->j;
    double square = 0.0;

    for (int k = 0; k < b->dim; k++)
        square += way[k] * way[k];
    const double distance = sqrt(square);
    if (!(distance > 0.0))
        return sab_fail(err, SAB_ERR_NUMERIC, "grains %lld and %lld are at the same place",
                        (long long)b->id[i], (long long)b->id[j]);
    if (!sab_bodies_is_round(b, i) || !sab_bodies_is_round(b, j)) {
        const sab_ellipse e = sab_bodies_outline(b, i), f = sab_bodies_outline(b, j);

        return sab_ellipse_gap(&e, &f, way, &pair->gap, pair->normal, err);
    }
    for (int k = 0; k < b->dim; k++)
        pair->normal[k] = way[k] / distance;
    pair->gap = distance - b->radius[i] - b->radius[j];
    return SAB_OK;
}

sab_status sab_pair_measure(const sab_bodies *b, const sab_grain_wall *wall, sab_pair *pair,
                            sab_error *err)
{
    double x[3];

    if (pair->j < b->n) {
        for (int k = 0; k < b->dim; k++)
            x[k] = b->position[pair->i * b->dim + k] - b->position[pair->j * b->dim + k];
        sab_bodies_nearest(b, x);
        return measure_grains(b, x, pair, err);
    }
    const sab_grain_wall *w = &wall[pair->j - b->n];
    if (!sab_bodies_is_round(b, pair->i))
        return measure_wall(b, w, pair, err);
    sab_bodies_place(b, pair->i, x);
    pair->gap = sab_grain_wall_distance(w, x, pair->normal) - b->radius[pair->i];
    return SAB_OK;
}

/* A box of cells about all centres, or the room that repeats itself, none smaller than what a pair
 * can span, and not many more than grains: far grains share larger ones. */
typedef struct grid {
    int dim, count[3];
    double low[3], size[3];
    bool around[3]; /* the last cell is next to the first */
} grid;

/* Cells no smaller than `size`; returns their number. */
static double cut(grid *g, const double *high, double size)
{
    double cells = 1.0;

    for (int k = 0; k < g->dim; k++) {
        const double wide = high[k] - g->low[k], whole = floor(wide / size),
                     count = g->around[k] ? fmax(1.0, whole) : whole + 1.0;

        cells *= count;
        g->count[k] = count < 1e6 ? (int)count : 1000000;
        g->size[k] = g->around[k] ? wide / g->count[k] : size;
    }
    return cells;
}

static sab_status make_grid(const sab_bodies *b, double reach, grid *g, sab_error *err)
{
    static const char axis[] = "xyz";
    const double span = 2.0 * sab_bodies_largest(b) + reach;
    double high[3] = {0};

    *g = (grid){.dim = b->dim, .count = {1, 1, 1}};
    for (int k = 0; k < b->dim; k++) {
        const double length = b->box.length[k];

        g->low[k] = INFINITY;
        high[k] = -INFINITY;
        for (int i = 0; i < b->n; i++) {
            g->low[k] = fmin(g->low[k], b->position[i * b->dim + k]);
            high[k] = fmax(high[k], b->position[i * b->dim + k]);
        }
        if (b->n > 0 && !isfinite(high[k] - g->low[k]))
            return sab_fail(err, SAB_ERR_NUMERIC, "the place of a grain is not finite");
        if (length > 0.0 && length < 2.0 * span)
            return sab_fail(err, SAB_ERR_INPUT,
                            "grains.periodic.%c: the room repeats itself after %g; pairs of grains "
                            "span up to %g, and it must be at least twice that",
                            axis[k], length, span);
        if (length > 0.0) {
            g->around[k] = true;
            g->low[k] = b->box.low[k];
            high[k] = b->box.low[k] + length;
        }
    }
    for (double size = span; b->n > 0 && cut(g, high, size) > 4.0 * b->n + 64.0;)
        size *= 1.3;
    return SAB_OK;
}

static int cell_along(const grid *g, int k, double x)
{
    const int c = (int)((x - g->low[k]) / g->size[k]);

    return c < 0 ? 0 : c >= g->count[k] ? g->count[k] - 1 : c;
}

/* Grains cell by cell: those of cell c are next[start[c]] .. next[start[c+1]-1], rising. */
static sab_status sort_cells(sab_pairs *p, const sab_bodies *b, const grid *g, sab_error *err)
{
    const int cells = g->count[0] * g->count[1] * g->count[2];
    sab_status status = SAB_OK;

    if (b->n > p->bodies) {
        SAB_FREE(p->cell);
        SAB_FREE(p->next);
        p->bodies = 0;
        SAB_NEW(p->cell, b->n);
        SAB_NEW(p->next, b->n);
        p->bodies = b->n;
    }
    if (cells + 1 > p->cells) {
        SAB_FREE(p->start);
        p->cells = 0;
        SAB_NEW(p->start, cells + 1);
        p->cells = cells + 1;
    }
    memset(p->start, 0, (size_t)(cells + 1) * sizeof *p->start);
    for (int i = 0; i < b->n; i++) {
        double x[3];
        int c = 0;

        sab_bodies_place(b, i, x);
        for (int k = b->dim; k-- > 0;)
            c = c * g->count[k] + cell_along(g, k, x[k]);
        p->cell[i] = c;
        p->start[c + 1]++;
    }
    for (int c = 0; c < cells; c++)
        p->start[c + 1] += p->start[c];
    for (int i = b->n; i-- > 0;) /* each start moves down from the end of its cell */
        p->next[--p->start[p->cell[i] + 1]] = i;
    memmove(p->start, p->start + 1, (size_t)cells * sizeof *p->start);
    p->start[cells] = b->n;
cleanup:
    return status;
}

static sab_status try_pair(sab_pairs *p, const sab_bodies *b, int i, int j, double reach,
                           sab_error *err)
{
    const double *x = b->position + i * b->dim, *y = b->position + j * b->dim;
    const double far = b->radius[i] + b->radius[j] + reach;
    sab_pair pair = {.i = i, .j = j};
    double way[3], square = 0.0;
    sab_status status = SAB_OK;

    for (int k = 0; k < b->dim; k++)
        way[k] = x[k] - y[k];
    sab_bodies_nearest(b, way);
    for (int k = 0; k < b->dim; k++)
        square += way[k] * way[k];
    if (square > far * far)
        return SAB_OK;
    SAB_TRY(measure_grains(b, way, &pair, err));
    if (pair.gap <= reach)
        SAB_TRY(add(p, &pair, err));
cleanup:
    return status;
}

static int by_partner(const void *a, const void *b)
{
    const int x = ((const sab_pair *)a)->j, y = ((const sab_pair *)b)->j;

    return (x > y) - (x < y);
}

/* The pairs of grain i with later ones in its cell and those around it. */
static sab_status around(sab_pairs *p, const sab_bodies *b, const grid *g, int i, double reach,
                         sab_error *err)
{
    int from[3] = {0}, to[3] = {0};
    double at[3];
    sab_status status = SAB_OK;

    sab_bodies_place(b, i, at);
    for (int k = 0; k < b->dim; k++) {
        const int c = cell_along(g, k, at[k]), last = g->count[k] - 1;

        from[k] = g->around[k] ? c - 1 : c > 0 ? c - 1 : 0;
        to[k] = g->around[k] ? c + 1 : c < last ? c + 1 : c;
        if (g->around[k] && last < 2) { /* each once */
            from[k] = 0;
            to[k] = last;
        }
    }
    for (int z = from[2]; z <= to[2]; z++)
        for (int y = from[1]; y <= to[1]; y++)
            for (int x = from[0]; x <= to[0]; x++) {
                const int *n = g->count;
                const int c =
                    ((z + n[2]) % n[2] * n[1] + (y + n[1]) % n[1]) * n[0] + (x + n[0]) % n[0];

                for (int e = p->start[c]; e < p->start[c + 1]; e++)
                    if (p->next[e] > i)
                        SAB_TRY(try_pair(p, b, i, p->next[e], reach, err));
            }
cleanup:
    return status;
}

/* Is a facet met in its inside, or as if it had no end (see flatten)? */
static bool is_whole(const sab_bodies *b, const sab_grain_wall *wall, const sab_pair *pair)
{
    const sab_grain_wall *w = &wall[pair->j - b->n];
    double across = 0.0;

    for (int k = 0; k < b->dim; k++)
        across += pair->normal[k] * w->normal[k];
    return w->kind == SAB_GRAIN_WALL_FACET && fabs(across) > 1.0 - 1e-12;
}

/* Walls are joined where they are no farther apart than this part of a radius: nothing gets in. */
static const double JOINT = 1e-3;

/* Where facets are joined, a grain over the one sees the end of the other. Is the point of contact
 * `rim`, with the end of a facet, on the wall of `face` too, and not nearer? `at` is that point, on
 * the wall of `face`. */
static bool is_joined(const sab_bodies *b, const sab_grain_wall *wall, const sab_pair *rim,
                      const sab_pair *face, double *at)
{
    const double r = b->radius[rim->i];
    double line[3], n[3];

    sab_bodies_place(b, rim->i, at);
    sab_pair_line(b, rim, line);
    for (int k = 0; k < b->dim; k++)
        at[k] -= line[k];
    const double apart = sab_grain_wall_distance(&wall[face->j - b->n], at, n);
    for (int k = 0; k < b->dim; k++)
        at[k] -= apart * n[k];
    return wall[rim->j - b->n].kind == SAB_GRAIN_WALL_FACET && !is_whole(b, wall, rim) &&
           rim->gap >= face->gap - 1e-9 * r &&
           (rim->gap >= face->gap + 1e-9 * r || rim->j > face->j) && fabs(apart) <= JOINT * r;
}

/* Largest (sign 1) or smallest (-1) of n.(corner - at). */
static double extent(const sab_grain_wall *w, const double *at, const double *n, double sign)
{
    double most = -INFINITY;

    for (int c = 0; c < w->dim; c++) {
        double height = 0.0;

        for (int k = 0; k < w->dim; k++)
            height += n[k] * (w->corner[c][k] - at[k]);
        most = fmax(most, sign * height);
    }
    return sign * most;
}

/* A wall that turns towards the grain, seen from `face`: what will be met of the facet behind the
 * joint is its inside. Its end, between the two, would stop a grain as it slides up to it. */
static bool flatten(const sab_bodies *b, const sab_grain_wall *wall, const sab_pair *face,
                    sab_pair *rim)
{
    const sab_grain_wall *own = &wall[rim->j - b->n], *other = &wall[face->j - b->n];
    const double r = b->radius[rim->i];
    double at[3], x[3], n[3], away[3], gap = 0.0;

    if (!is_whole(b, wall, face) || !is_joined(b, wall, rim, face, at) ||
        extent(own, at, face->normal, 1.0) <= 1e-9 * r)
        return false;
    sab_bodies_place(b, rim->i, x);
    for (int k = 0; k < b->dim; k++)
        gap += (x[k] - own->corner[0][k]) * own->normal[k];
    for (int k = 0; k < b->dim; k++)
        n[k] = copysign(1.0, gap) * own->normal[k];
    sab_bodies_arm(b, rim->i, n, away);
    gap = fabs(gap);
    for (int k = 0; k < b->dim; k++)
        gap -= away[k] * n[k];
    if (gap < 0.0 || extent(other, own->corner[0], n, -1.0) < -JOINT * r)
        return false;
    memcpy(rim->normal, n, (size_t)b->dim * sizeof *n);
    rim->gap = gap;
    return true;
}

/* Is the facet of `rim` on or behind the plane of `face`, which moves with it? In this step the
 * grain stays before that plane, wherever the two facets are: around a corner that many triangles
 * share not all have a side in common. */
static bool is_behind(const sab_bodies *b, const sab_grain_wall *wall, const sab_pair *rim,
                      const sab_pair *face)
{
    const sab_grain_wall *own = &wall[rim->j - b->n], *other = &wall[face->j - b->n];
    bool together = true;

    for (int k = 0; k < b->dim; k++)
        together = together && own->velocity[k] == other->velocity[k];
    return together && own->kind == SAB_GRAIN_WALL_FACET && is_whole(b, wall, face) &&
           !is_whole(b, wall, rim) &&
           extent(own, other->corner[0], face->normal, 1.0) <= 1e-9 * b->radius[rim->i];
}

/* A wall that goes straight on or turns away: the facet behind the joint does not rise above that
 * of `face`, whose contact is enough. */
static bool is_covered(const sab_bodies *b, const sab_grain_wall *wall, const sab_pair *rim,
                       const sab_pair *face)
{
    double at[3];

    if (is_behind(b, wall, rim, face))
        return true;
    return is_joined(b, wall, rim, face, at) &&
           extent(&wall[rim->j - b->n], at, face->normal, 1.0) <= 1e-9 * b->radius[rim->i];
}

/* Of the pairs of a grain with walls, from `first` on, those that count, and how. */
static void settle_joints(sab_pairs *p, const sab_bodies *b, const sab_grain_wall *wall, int first)
{
    int kept = first;

    for (bool again = true; again;) {
        again = false;
        for (int q = first; q < p->n; q++)
            for (int e = first; e < p->n; e++)
                again = (e != q && flatten(b, wall, &p->pair[e], &p->pair[q])) || again;
    }
    for (int q = first; q < p->n; q++) {
        p->drop[q - first] = false;
        for (int e = first; e < p->n && !p->drop[q - first]; e++)
            p->drop[q - first] = e != q && is_covered(b, wall, &p->pair[q], &p->pair[e]);
    }
    for (int q = first; q < p->n; q++)
        if (!p->drop[q - first])
            p->pair[kept++] = p->pair[q];
    p->n = kept;
}

/* Of the box about a facet: most of a mesh is. */
static bool is_far(const sab_grain_wall *w, const double *x, double far)
{
    for (int k = 0; k < w->dim && w->kind == SAB_GRAIN_WALL_FACET; k++) {
        int below = 0, above = 0;

        for (int c = 0; c < w->dim; c++) {
            below += w->corner[c][k] > x[k] + far;
            above += w->corner[c][k] < x[k] - far;
        }
        if (below == w->dim || above == w->dim)
            return true;
    }
    return false;
}

static sab_status with_walls(sab_pairs *p, const sab_bodies *b, int nwalls,
                             const sab_grain_wall *wall, int i, double reach, sab_error *err)
{
    const double far = b->radius[i] + reach;
    const int first = p->n;
    double x[3];
    sab_status status = SAB_OK;

    sab_bodies_place(b, i, x);
    for (int w = 0; w < nwalls; w++) {
        sab_pair pair = {.i = i, .j = b->n + w};

        if (wall[w].gone || is_far(&wall[w], x, far) ||
            sab_grain_wall_distance(&wall[w], x, pair.normal) > far)
            continue;
        SAB_TRY(sab_pair_measure(b, wall, &pair, err));
        if (pair.gap <= reach)
            SAB_TRY(add(p, &pair, err));
    }
    if (p->n - first > 1)
        settle_joints(p, b, wall, first);
cleanup:
    return status;
}

sab_status sab_pairs_find(sab_pairs *p, const sab_bodies *b, int nwalls, const sab_grain_wall *wall,
                          double reach, sab_error *err)
{
    grid g;
    sab_status status = SAB_OK;

    p->n = 0;
    if (nwalls > p->walls) {
        SAB_FREE(p->drop);
        p->walls = 0;
        SAB_NEW(p->drop, nwalls);
        p->walls = nwalls;
    }
    SAB_TRY(make_grid(b, reach, &g, err));
    SAB_TRY(sort_cells(p, b, &g, err));
    for (int i = 0; i < b->n; i++) {
        const int first = p->n;

        SAB_TRY(around(p, b, &g, i, reach, err));
        if (p->n - first > 1)
            qsort(p->pair + first, (size_t)(p->n - first), sizeof *p->pair, by_partner);
        SAB_TRY(with_walls(p, b, nwalls, wall, i, reach, err));
    }
cleanup:
    return status;
}
