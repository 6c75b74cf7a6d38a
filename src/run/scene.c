/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/scene.h"
#include "base/memory.h"
#include "base/text.h"
#include "fem/locate.h"
#include "grains/fill.h"
#include "io/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- walls ----------------------------------------------------------------------------------- */

typedef struct list {
    int n, capacity;
    sab_grain_wall *wall;
} list;

/* Put the key before a message without one, so that it gets its place in the case. */
static void name_key(const char *key, sab_error *err)
{
    const sab_error old = *err;

    sab_error_set(err, old.status, "%s: %s", key, old.message);
}

static sab_status add(list *l, const sab_grain_wall *wall, sab_error *err)
{
    if (l->n == l->capacity) {
        const int capacity = 2 * l->capacity + 16;
        sab_grain_wall *wider = sab_realloc(l->wall, (size_t)capacity, sizeof *wider);

        if (wider == NULL)
            return sab_fail(err, SAB_ERR_MEMORY, "out of memory for %d walls", capacity);
        l->wall = wider;
        l->capacity = capacity;
    }
    l->wall[l->n++] = *wall;
    return SAB_OK;
}

/* A room that repeats itself would have the one end of a longer group in the midst of the other. */
static sab_status check_length(const sab_case *c, const sab_case_wall *w, const sab_grain_wall *own,
                               int n, sab_error *err)
{
    for (int k = 0; k < c->geometry->dim; k++) {
        const double length = c->grains.box[k][1] - c->grains.box[k][0];
        double low = INFINITY, high = -INFINITY;

        for (int i = 0; i < n * c->geometry->dim; i++) {
            low = fmin(low, own[i / c->geometry->dim].corner[i % c->geometry->dim][k]);
            high = fmax(high, own[i / c->geometry->dim].corner[i % c->geometry->dim][k]);
        }
        if (c->grains.has_box[k] && high - low > length * (1.0 + 1e-12))
            return sab_fail(err, SAB_ERR_INPUT,
                            "walls.%s.group: is %g long along %s, more than the length %g after "
                            "which the room repeats itself (grains.periodic.%s)",
                            w->name, high - low, c->geometry->coordinate[k], length,
                            c->geometry->coordinate[k]);
    }
    return SAB_OK;
}

/* The sides of a group, flat from corner to corner. */
static sab_status add_group(const sab_case *c, const sab_case_wall *w, const sab_mesh *mesh,
                            const sab_grain_wall *like, list *l, sab_error *err)
{
    const int first = l->n;
    const int dim = mesh->cell->dim, group = sab_mesh_find_group(mesh, w->group);
    sab_status status = SAB_OK;

    if (group < 0) {
        sab_text known = {0};

        for (int g = 0; g < mesh->ngroups; g++)
            sab_text_add(&known, NULL, "%s%s", g > 0 ? ", " : "", mesh->group[g].name);
        sab_fail(err, SAB_ERR_INPUT, "walls.%s.group: the mesh has no group '%s'; there are %s",
                 w->name, w->group, known.data != NULL ? known.data : "none");
        sab_text_destroy(&known);
        return SAB_ERR_INPUT;
    }
    for (int f = 0; f < mesh->group[group].nfacets; f++) {
        const int *node = sab_mesh_facet(mesh, mesh->group[group].facet[f]);
        double corner[9];
        sab_grain_wall made;

        for (int k = 0; k < dim; k++)
            memcpy(corner + k * dim, sab_mesh_x(mesh, node[k]), (size_t)dim * sizeof *corner);
        SAB_TRY(sab_grain_wall_facet(dim, corner, like->friction, &made, err));
        made.restitution = like->restitution;
        made.motion = like->motion;
        made.until = like->until;
        made.part = like->part;
        SAB_TRY(add(l, &made, err));
    }
    SAB_TRY(check_length(c, w, l->wall + first, l->n - first, err));
cleanup:
    return status;
}

/* What a wall of the case says of all its facets or beads. */
static void like_wall(const sab_case_wall *w, int number, sab_grain_wall *made)
{
    made->friction = w->friction;
    made->restitution = w->restitution;
    made->until = w->until;
    made->motion = w->has_velocity ? w->velocity : NULL;
    made->part = number;
}

/* Discs along a segment, none farther from the next than to touch it. */
static sab_status add_beads(const sab_case_wall *w, int number, list *l, sab_error *err)
{
    const double *a = w->segment[0], *b = w->segment[1];
    const double count = ceil(hypot(b[0] - a[0], b[1] - a[1]) / (2.0 * w->beads) * (1.0 - 1e-12));
    sab_status status = SAB_OK;

    if (!(count >= 1.0 && count <= 1e6))
        SAB_FAIL(err, SAB_ERR_INPUT, "walls.%s.beads: a row of %g beads; give 1 to a million",
                 w->name, count);
    for (int k = 0; k < (int)count; k++) {
        const double t = (k + 0.5) / count;
        sab_grain_wall made;

        SAB_TRY(sab_grain_wall_bead((double[]){a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])},
                                    w->beads, 0.0, &made, err));
        like_wall(w, number, &made);
        SAB_TRY(add(l, &made, err));
    }
cleanup:
    return status;
}

static sab_status add_wall(const sab_case *c, int number, const sab_mesh *mesh, list *walls,
                           list *sinks, sab_error *err)
{
    const sab_case_wall *w = &c->wall[number];
    const int dim = c->geometry->dim;
    sab_grain_wall made = {0};
    sab_status status = SAB_OK;

    if (w->has_point)
        SAB_TRY(sab_grain_wall_plane(dim, w->point, w->normal, w->friction, &made, err));
    else if (w->beads > 0.0)
        return add_beads(w, number, walls, err);
    else if (w->has_segment)
        SAB_TRY(sab_grain_wall_facet(
            dim, (double[]){w->segment[0][0], w->segment[0][1], w->segment[1][0], w->segment[1][1]},
            w->friction, &made, err));
    like_wall(w, number, &made);
    if (w->group != NULL)
        SAB_TRY(add_group(c, w, mesh, &made, walls, err));
    else
        SAB_TRY(add(w->open ? sinks : walls, &made, err));
cleanup:
    if (status == SAB_ERR_INPUT && w->has_point) {
        char key[200];

        snprintf(key, sizeof key, "walls.%s", w->name);
        name_key(key, err);
    }
    return status;
}

/* ---- grains ---------------------------------------------------------------------------------- */

static sab_status check_sizes(const sab_table *t, int row, double r, double s, double mass,
                              sab_error *err)
{
    const char *const name[] = {"radius", "radius_y", "mass"};
    const double size[] = {r, s, mass};

    for (int k = 0; k < 3; k++)
        if (!(size[k] > 0.0))
            return sab_fail(err, SAB_ERR_INPUT, "%s:%d: %s must be positive, not %g", t->name,
                            t->line[row], name[k], size[k]);
    return SAB_OK;
}

/* x, y[, z], radius[, mass, vx, vy, vz, wx, wy, wz, radius_y, angle] */
enum { X, Z = 2, RADIUS, MASS, VX, VZ = 7, WX, WY, WZ, RADIUS_Y, ANGLE, COLUMNS };

/* One file may serve the plane and space, where what the other one needs is zero. */
static sab_status check_dimension(const sab_table *t, int row, const int *column, int dim,
                                  const double *value, sab_error *err)
{
    static const int of_space[] = {Z, VZ, WX, WY}, of_plane[] = {RADIUS_Y, ANGLE};
    const int *other = dim == 2 ? of_space : of_plane, n = dim == 2 ? 4 : 2;

    for (int k = 0; k < n; k++) {
        const int c = other[k];
        const double none = c == RADIUS_Y ? value[RADIUS] : 0.0;

        if (column[c] >= 0 && value[c] != none)
            return sab_fail(err, SAB_ERR_INPUT,
                            "%s:%d: %s is %g, which has no meaning in geometry: %s; leave the "
                            "column out, or give %g",
                            t->name, t->line[row], t->column[column[c]], value[c],
                            dim == 2 ? "plane" : "space", none);
    }
    return SAB_OK;
}

static sab_status read_row(const sab_table *t, int row, const int *column, double density,
                           sab_bodies *b, sab_error *err)
{
    static const double PI = 3.14159265358979323846;
    const int dim = b->dim;
    double value[COLUMNS] = {0};
    sab_status status = SAB_OK;

    for (int k = 0; k < COLUMNS; k++)
        if (column[k] >= 0) {
            SAB_TRY(sab_table_number(t, row, column[k], &value[k], err));
            if (!isfinite(value[k]))
                SAB_FAIL(err, SAB_ERR_INPUT, "%s:%d: column %s has no number", t->name,
                         t->line[row], t->column[column[k]]);
        }
    const double r = value[RADIUS], s = column[RADIUS_Y] >= 0 ? value[RADIUS_Y] : r;
    if (column[MASS] < 0)
        value[MASS] = density * PI * r * s * (dim == 2 ? 1.0 : 4.0 / 3.0 * r);
    SAB_TRY(check_sizes(t, row, r, s, value[MASS], err));
    SAB_TRY(check_dimension(t, row, column, dim, value, err));
    if (s != r)
        SAB_TRY(sab_bodies_add_ellipse(b, value + X, (double[]){r, s}, value[ANGLE] * (PI / 180.0),
                                       value[MASS], err));
    else
        SAB_TRY(sab_bodies_add(b, value + X, r, value[MASS], err));
    double *v = b->velocity + (b->n - 1) * b->freedoms;
    memcpy(v, value + VX, (size_t)dim * sizeof *v);
    if (dim == 2)
        v[2] = value[WZ];
    else
        memcpy(v + 3, value + WX, 3 * sizeof *v);
cleanup:
    return status;
}

static sab_status read_table(const char *path, sab_table **table, sab_error *err)
{
    const sab_status status = sab_table_read(path, table, err);
    const size_t n = strlen(path);

    /* "grains.csv:7: ..." says where it is, "grains.csv: cannot open ..." does not */
    if (status != SAB_OK && strncmp(err->message, path, n) == 0 &&
        strncmp(err->message + n, ": ", 2) == 0)
        name_key("grains.fill.file", err);
    return status;
}

static sab_status read_file(const sab_case *c, sab_bodies *b, sab_error *err)
{
    static const char *const name[COLUMNS] = {"x",  "y",  "z",  "radius", "mass",     "vx",   "vy",
                                              "vz", "wx", "wy", "wz",     "radius_y", "angle"};
    sab_table *table = NULL;
    int column[COLUMNS];
    sab_status status = SAB_OK;

    SAB_TRY(read_table(c->grains.file, &table, err));
    for (int k = 0; k < COLUMNS; k++) {
        column[k] = sab_table_find(table, name[k]);
        if ((k < b->dim || k == RADIUS) && column[k] < 0)
            SAB_TRY(sab_table_column(table, name[k], "grains.fill.file", &column[k], err));
    }
    for (int k = 0; k < table->ncolumns; k++) {
        const char *own = table->column[k], *close = sab_closest_name(own, name, COLUMNS);

        if (close == NULL || strcmp(close, own) != 0)
            SAB_FAIL(err, SAB_ERR_INPUT, "%s:1: a grain has no column '%s'%s%s%s", table->name, own,
                     close != NULL ? "; did you mean '" : "", close != NULL ? close : "",
                     close != NULL ? "'?" : "");
    }
    for (int i = 0; i < table->nrows; i++)
        SAB_TRY(read_row(table, i, column, c->grains.density, b, err));
    if (b->n == 0)
        SAB_FAIL(err, SAB_ERR_INPUT, "grains.fill.file: there is no grain in '%s'", c->grains.file);
cleanup:
    sab_table_destroy(&table);
    return status;
}

static void set_velocities(const sab_case_grains *g, int from, sab_bodies *b)
{
    for (int i = from; i < b->n; i++) {
        double *v = b->velocity + i * b->freedoms;

        for (int k = 0; k < b->dim; k++)
            v[k] += g->velocity[k];
        v[b->freedoms - 1] += g->spin;
    }
}

static sab_status fill(const sab_case *c, const list *walls, sab_bodies *b, sab_error *err)
{
    const sab_case_grains *g = &c->grains;
    const double degree = 3.14159265358979323846 / 180.0;
    const sab_grain_sizes sizes = {g->radius[0],   g->radius[1],         g->mass[0],
                                   g->mass[1],     g->density,           g->radius_y[0],
                                   g->radius_y[1], degree * g->angle[0], degree * g->angle[1]};
    sab_fill_grid grid = {.pitch = g->pitch,
                          .sizes = sizes,
                          .jitter = g->jitter,
                          .shift = g->shift,
                          .seed = (uint64_t)g->seed};
    sab_fill_rain rain = {.count = g->rain, .sizes = sizes, .seed = (uint64_t)g->seed};
    sab_status status;

    for (int k = 0; k < 3; k++) {
        grid.count[k] = (int)g->grid[k];
        grid.low[k] = rain.low[k] = g->low[k];
        rain.high[k] = g->high[k];
    }
    status = g->has_grid   ? sab_grain_fill_grid(b, &grid, err)
             : g->has_rain ? sab_grain_fill_rain(b, &rain, walls->n, walls->wall, err)
                           : read_file(c, b, err);
    if (status == SAB_ERR_INPUT && g->file == NULL)
        name_key("grains.fill", err);
    if (status == SAB_OK)
        set_velocities(g, 0, b);
    return status;
}

/* Grains behind an open plane would be gone after the first step. */
static sab_status check_sinks(const sab_scene *s, sab_error *err)
{
    const sab_grains *g = s->grains;

    for (int w = 0; w < s->c->nwalls; w++)
        for (int i = 0; s->sink[w] >= 0 && i < g->bodies->n; i++)
            if (sab_grains_is_behind(&g->sink[s->sink[w]], g->bodies, i))
                return sab_fail(err, SAB_ERR_INPUT,
                                "grains.fill: grain %d is behind the open plane '%s' at time 0; "
                                "its normal points to the grains that have not left",
                                i, s->c->wall[w].name);
    return SAB_OK;
}

/* Grains that are in each other, or behind a wall, would be thrown apart in the first step. */
static sab_status check_overlap(const sab_scene *s, sab_error *err)
{
    const sab_bodies *b = s->grains->bodies;
    const double reach =
        s->c->grains.reach > 0.0 ? s->c->grains.reach : sab_bodies_largest(b); /* as of a step */
    sab_pairs pairs = {0};
    sab_status status = SAB_OK;

    status = sab_pairs_find(&pairs, b, s->grains->nwalls, s->grains->wall, reach, err);
    if (status == SAB_ERR_NUMERIC) { /* two at the same place have no normal */
        const sab_error old = *err;

        SAB_FAIL(err, SAB_ERR_INPUT, "grains.fill: %s at time 0", old.message);
    }
    if (status != SAB_OK)
        goto cleanup;
    for (int q = 0; q < pairs.n; q++) {
        const sab_pair *p = &pairs.pair[q];
        const double own = sab_bodies_least(b, p->i),
                     r = p->j < b->n ? fmin(own, sab_bodies_least(b, p->j)) : own;

        if (p->gap >= -s->c->grains.overlap * r)
            continue;
        if (p->j < b->n)
            SAB_FAIL(err, SAB_ERR_INPUT,
                     "grains.fill: grains %d and %d overlap by %.3g of a radius at time 0", p->i,
                     p->j, -p->gap / r);
        SAB_FAIL(err, SAB_ERR_INPUT,
                 "grains.fill: grain %d is %.3g of its radius behind the wall '%s' at time 0", p->i,
                 -p->gap / r, s->c->wall[s->grains->wall[p->j - b->n].part].name);
    }
cleanup:
    sab_pairs_clear(&pairs);
    return status;
}

/* A round vessel is filled from a box: those in its corners are outside. */
static sab_status count_outside(sab_scene *s, const sab_mesh *mesh, sab_error *err)
{
    const sab_bodies *b = s->grains->bodies;
    double low[SAB_DIM], high[SAB_DIM], xi[SAB_DIM];
    sab_locator *locator = NULL;
    sab_status status = SAB_OK;

    for (int k = 0; k < b->dim; k++) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
        for (int i = 0; i < mesh->nnodes; i++) {
            low[k] = fmin(low[k], sab_mesh_x(mesh, i)[k]);
            high[k] = fmax(high[k], sab_mesh_x(mesh, i)[k]);
        }
    }
    SAB_TRY(sab_locator_create(mesh, &locator, err));
    for (int i = 0; i < b->n; i++) {
        double x[SAB_DIM];
        bool near = true;

        sab_bodies_place(b, i, x);
        for (int k = 0; k < b->dim; k++)
            near = near && x[k] > low[k] && x[k] < high[k];
        s->outside += near && sab_locator_find(locator, x, xi) < 0;
    }
cleanup:
    sab_locator_destroy(&locator);
    return status;
}

static sab_grains_options options_of(const sab_case *c)
{
    sab_grains_options o = sab_grains_options_default();

    o.scheme = (sab_grains_scheme)c->grains.law;
    o.friction = c->grains.friction;
    o.restitution = c->grains.restitution;
    for (int k = 0; k < c->geometry->dim; k++)
        o.gravity[k] = c->gravity[k].constant;
    o.step = c->time.step;
    o.travel = c->grains.travel;
    o.reach = c->grains.reach;
    o.fixed_point = c->grains.fixed_point;
    o.solver = c->solver;
    return o;
}

static sab_box box_of(const sab_case *c)
{
    sab_box box = {0};

    for (int k = 0; k < c->geometry->dim; k++)
        if (c->grains.has_box[k]) {
            box.low[k] = c->grains.box[k][0];
            box.length[k] = c->grains.box[k][1] - c->grains.box[k][0];
        }
    return box;
}

sab_status sab_scene_create(const sab_case *c, const sab_mesh *mesh, sab_scene **scene,
                            sab_error *err)
{
    const sab_grains_options options = options_of(c);
    list walls = {0}, sinks = {0};
    sab_bodies *bodies = NULL;
    sab_scene *s = NULL;
    sab_status status = SAB_OK;

    *scene = NULL;
    SAB_NEW(s, 1);
    s->c = c;
    s->length = c->time.step;
    SAB_NEW(s->sink, c->nwalls);
    for (int w = 0; w < c->nwalls; w++) {
        s->sink[w] = c->wall[w].open ? sinks.n : -1;
        SAB_TRY(add_wall(c, w, mesh, &walls, &sinks, err));
    }
    SAB_NEW(s->before, sinks.n + 1);
    SAB_TRY(sab_bodies_create(c->geometry->dim, &bodies, err));
    bodies->box = box_of(c);
    SAB_TRY(fill(c, &walls, bodies, err));
    SAB_TRY(sab_grains_create(&options, &bodies, walls.n, walls.wall, sinks.n, sinks.wall,
                              &s->grains, err));
    for (int i = 0; i < s->grains->bodies->n; i++)
        s->mass += s->grains->bodies->mass[i];
    SAB_TRY(check_sinks(s, err));
    SAB_TRY(check_overlap(s, err));
    if (mesh != NULL)
        SAB_TRY(count_outside(s, mesh, err));
    SAB_TRY(sab_scene_make_probes(s, err));
    if (c->has_coarse)
        SAB_TRY(sab_scene_make_coarse(s, mesh, err));
    *scene = s;
    s = NULL;
cleanup:
    SAB_FREE(walls.wall);
    SAB_FREE(sinks.wall);
    sab_bodies_destroy(&bodies);
    sab_scene_destroy(&s);
    return status;
}

bool sab_scene_moves(const sab_scene *s)
{
    const sab_bodies *b = s->grains->bodies;

    for (int k = 0; k < b->n * b->freedoms; k++)
        if (b->velocity[k] != 0.0)
            return true;
    return false;
}

void sab_scene_destroy(sab_scene **scene)
{
    sab_scene *s = *scene;

    if (s == NULL)
        return;
    sab_scene_free_coarse(s);
    sab_scene_free_probes(s);
    sab_grains_destroy(&s->grains);
    SAB_FREE(s->sink);
    SAB_FREE(s->before);
    SAB_FREE(*scene);
}
