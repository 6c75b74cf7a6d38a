/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io/case_grains.c -- the sections `grains` and `walls`, and what goes with them. */
#include "base/memory.h"
#include "base/text.h"
#include "io/case.h"
#include "io/case_read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *open_mistake(const sab_case_wall *w)
{
    if (!w->has_point)
        return "is open, and so must be a plane: give point and normal, which points to the grains";
    if (w->has_friction || w->has_velocity || w->restitution > 0.0 || w->until > 0.0)
        return "is open: nothing touches it, and it stays where it is; leave out friction, "
               "restitution, velocity and until";
    return NULL;
}

static const char *wall_mistake(const sab_case_wall *w, int dim)
{
    const int kinds = w->has_point + w->has_segment + (w->group != NULL);

    if (kinds != 1)
        return kinds == 0 ? "does not say where it is; give point and normal, segment or group"
                          : "is ambiguous; give exactly one of point, segment, group";
    if (w->has_segment && dim != 2)
        return "has a segment, which is a wall in the plane only; give point and normal, or group";
    if (w->beads > 0.0 && !w->has_segment)
        return "has beads, which are glued along a segment";
    if (w->open)
        return open_mistake(w);
    if (!w->has_friction)
        return "needs a friction coefficient (0: none), or open: true";
    return NULL;
}

sab_status sab_case_read_walls(const sab_value_reader *r, const sab_yaml *map, sab_case *c,
                               sab_error *err)
{
    const sab_key *row = sab_schema_next(sab_schema_find(NULL, "walls"), NULL);
    sab_status status = SAB_OK;

    SAB_NEW(c->wall, map->n);
    for (int i = 0; i < map->n; i++) {
        const sab_yaml *node = map->item[i];
        const sab_key_path path = sab_key_path_join("walls", node->key);
        sab_case_wall *w = &c->wall[c->nwalls++];
        const int before = r->faults->n;
        const char *mistake;

        w->name = node->key; /* lives in the store */
        SAB_TRY(sab_value_read_map(r, row, node, path.text, w, err));
        if (r->faults->n > before || node->faulty)
            continue; /* what it says is not known */
        mistake = wall_mistake(w, r->geometry->dim);
        if (mistake != NULL)
            SAB_TRY(sab_fault(r->faults,
                              sab_fail(err, SAB_ERR_INPUT, "%s: %s",
                                       sab_place_of_key(r->file, node, path.text).text, mistake),
                              err));
    }
cleanup:
    return status;
}

void sab_case_free_grains(sab_case *c)
{
    for (int w = 0; w < c->nwalls; w++)
        SAB_FREE(c->wall[w].group);
    SAB_FREE(c->wall);
    SAB_FREE(c->grains.file);
}

static const char *field_mistake(const sab_case *c, const sab_probe *p)
{
    if (!c->has_coarse)
        return "fields of grains need `coarse`, and a mesh";
    return p->field == SAB_FIELD_VELOCITY || p->field == SAB_FIELD_PRESSURE ||
                   p->field == SAB_FIELD_SHEAR_RATE || p->field == SAB_FIELD_SHEAR_STRESS ||
                   p->field == SAB_FIELD_FRACTION
               ? NULL
               : "of grains there are the fields velocity, pressure, shear_rate, shear_stress and "
                 "fraction";
}

static const char *number_mistake(const sab_case *c, sab_carried number)
{
    if (number == SAB_CARRIED_LEAN && c->geometry->dim == SAB_DIM)
        return "lean is an angle in the plane; in space take centre";
    return number == SAB_CARRIED_EXCESS || number == SAB_CARRIED_FEWEST ||
                   number == SAB_CARRIED_ANGLE
               ? "is of grains as a continuum whose surface moves (lean: of the centre of mass)"
               : NULL;
}

/* What kinds of probes and fields have a meaning for grains; NULL: this one has. */
static const char *probe_mistake(const sab_case *c, const sab_probe *p)
{
    switch (p->kind) {
    case SAB_PROBE_POINT:
    case SAB_PROBE_LINE:
        return field_mistake(c, p);
    case SAB_PROBE_FLUX:
    case SAB_PROBE_FORCE:
    case SAB_PROBE_LEFT:
    case SAB_PROBE_FRONT:
    case SAB_PROBE_HEIGHT:
        return p->kind == SAB_PROBE_FORCE && p->part != SAB_FORCE_TOTAL
                   ? "the force of grains on a wall has one part, the total"
                   : NULL;
    case SAB_PROBE_FED:
        return "nothing is fed to grains that are discs or balls";
    case SAB_PROBE_GRAINS:
        return number_mistake(c, p->grains);
    default:
        return "grains have flux, left, force, grains, front and height, and with `coarse` point "
               "and line";
    }
}

static const sab_case_wall *find_wall(const sab_case *c, const char *name)
{
    for (int w = 0; w < c->nwalls; w++)
        if (strcmp(c->wall[w].name, name) == 0)
            return &c->wall[w];
    return NULL;
}

static sab_status no_wall(const sab_case *c, const sab_probe *p, const char *place, sab_error *err)
{
    const char **name = NULL, *close;
    sab_status status = SAB_OK;

    SAB_NEW(name, c->nwalls + 1);
    for (int w = 0; w < c->nwalls; w++)
        name[w] = c->wall[w].name;
    close = sab_closest_name(p->group, name, (size_t)c->nwalls);
    sab_fail(err, SAB_ERR_INPUT, "%s: there is no such entry of `walls`: '%s'%s%s%s", place,
             p->group, close != NULL ? "; did you mean '" : "", close != NULL ? close : "",
             close != NULL ? "'?" : "");
    status = SAB_ERR_INPUT;
cleanup:
    SAB_FREE(name);
    return status;
}

static sab_status check_probe(const sab_case *c, const sab_probe *p, sab_error *err)
{
    const bool passes = p->kind == SAB_PROBE_FLUX || p->kind == SAB_PROBE_LEFT;
    const char *why = probe_mistake(c, p);
    char key[200], place[1000];

    snprintf(key, sizeof key, "probes.%s", p->name);
    sab_case_locate(c, key, place, sizeof place);
    if (why == NULL && p->group != NULL) {
        const sab_case_wall *w = find_wall(c, p->group);

        if (w == NULL)
            return no_wall(c, p, place, err);
        if (passes && !w->open)
            why = "grains do not leave through a wall; name one with open: true";
        else if (!passes && w->open)
            why = "nothing touches an open plane; name a wall";
    }
    if (why == NULL)
        return SAB_OK;
    return sab_fail(err, SAB_ERR_INPUT, "%s: %s", place, why);
}

static const char *radii_mistake(const sab_case *c, const char **key)
{
    const sab_case_grains *g = &c->grains;

    if (g->file == NULL && !g->has_radius)
        return *key = "grains.radius", "missing; only a file has radii of its own";
    if (g->file != NULL && (g->has_radius || g->has_radius_y))
        return *key = g->has_radius ? "grains.radius" : "grains.radius_y",
               "the file has a radius for each grain; leave this out";
    if (g->file != NULL && g->has_mass)
        return *key = "grains.mass",
               "of a file it is its column mass, or follows from grains.density; leave this out";
    if (g->has_radius_y && c->geometry->dim == SAB_DIM)
        return *key = "grains.radius_y", "ellipses are in the plane; in space grains are spheres";
    return NULL;
}

static const char *fill_mistake(const sab_case *c, const char **key)
{
    enum { MOST = 100000000 };
    const sab_case_grains *g = &c->grains;
    const int kinds = g->has_grid + g->has_rain + (g->file != NULL);
    const double largest = fmax(g->radius[1], g->has_radius_y ? g->radius_y[1] : 0.0);
    double count = 1.0;

    *key = "grains.fill";
    if (kinds != 1)
        return kinds == 0 ? "does not say where the grains are; give one of grid, rain, file"
                          : "is ambiguous; give exactly one of grid, rain, file";
    if (radii_mistake(c, key) != NULL)
        return radii_mistake(c, key);
    for (int k = 0; k < c->geometry->dim; k++) {
        if (g->has_grid && g->grid[k] != floor(g->grid[k]))
            return *key = "grains.fill.grid", "must be whole numbers";
        count *= g->grid[k];
        if (g->has_rain && !(g->high[k] - g->low[k] > 2.0 * largest))
            return *key = "grains.fill.high", "the box is not wider than the largest grain";
    }
    if (g->has_grid ? !(count <= MOST) : g->rain > MOST)
        return *key = g->has_grid ? "grains.fill.grid" : "grains.fill.rain",
               "more than a hundred million grains";
    if (g->has_grid && 2.0 * (largest + g->jitter) > g->pitch * (1.0 + 1e-12))
        return *key = "grains.fill.pitch",
               "grains would overlap: it must be at least twice the largest radius and jitter";
    return NULL;
}

static const char *wall_repeats(const sab_case_wall *w, int axis, double length)
{
    if (w->has_point && w->normal[axis] != 0.0)
        return "a plane across a direction in which the room repeats itself would be there once; "
               "use a segment or group";
    if (w->has_segment && fabs(w->segment[1][axis] - w->segment[0][axis]) > length * (1.0 + 1e-12))
        return "a segment is longer than the room, which repeats itself";
    return NULL;
}

/* Where the room repeats itself, and what has no meaning there. */
static const char *box_mistake(const sab_case *c, const char **key)
{
    static const char *const name[SAB_DIM] = {"grains.periodic.x", "grains.periodic.y",
                                              "grains.periodic.z"};

    for (int k = 0; k < SAB_DIM; k++) {
        const double *box = c->grains.box[k];

        *key = name[k];
        if (c->grains.has_box[k] && k >= c->geometry->dim)
            return "there is no such direction in the plane";
        if (c->grains.has_box[k] && !(box[1] > box[0]))
            return "give two numbers, from where to where: [0, 10]";
        for (int w = 0; c->grains.has_box[k] && w < c->nwalls; w++)
            if (wall_repeats(&c->wall[w], k, box[1] - box[0]) != NULL)
                return *key = "walls", wall_repeats(&c->wall[w], k, box[1] - box[0]);
    }
    for (int i = 0; i < c->nprobes && c->grains.has_box[0]; i++)
        if (c->probe[i].kind == SAB_PROBE_FRONT)
            return *key = "probes", "there is no front along x in a room that repeats itself "
                                    "along x";
    return NULL;
}

/* A wall moves as one. A formula that has no value at this time may have one while the run lasts,
 * which ends where it has none. */
static bool depends_on_place(const sab_function *f)
{
    const sab_vars here = {.t = 0.7312}, there = {.x = 0.37, .y = -1.3, .z = 2.1, .t = 0.7312};
    double a = 0.0, b = 0.0;

    if (f->call == NULL)
        return false;
    const bool is_here = sab_function_at(f, &here, &a, NULL) == SAB_OK,
               is_there = sab_function_at(f, &there, &b, NULL) == SAB_OK;
    return is_here != is_there || (is_here && a != b);
}

static const char *walls_mistake(const sab_case *c, const char **key)
{
    *key = "walls";
    for (int w = 0; w < c->nwalls; w++) {
        if (c->wall[w].group != NULL && c->mesh_file == NULL)
            return "a wall is a group of the mesh, and there is none; add mesh.file";
        for (int k = 0; c->wall[w].has_velocity && k < c->geometry->dim; k++)
            if (depends_on_place(&c->wall[w].velocity[k]))
                return "the velocity of a wall is a function of t alone";
    }
    return NULL;
}

static const char *grains_mistake(const sab_case *c, const char **key)
{
    if (c->time.scheme != SAB_INERTIAL)
        return *key = "grains", "they move in time steps; add time.scheme: inertial";
    *key = "geometry";
    if (c->geometry->axis)
        return "grains are in the plane or in space, not about an axis";
    for (int k = 0; k < c->geometry->dim; k++)
        if (c->gravity[k].call != NULL)
            return *key = "gravity", "of grains it is the same everywhere and at all times; a "
                                     "room that shakes is a wall with a velocity";
    if (c->time.order != 1)
        return *key = "time.order", "grains have order 1 in time only";
    if (c->has_coarse && c->mesh_file == NULL)
        return *key = "coarse", "needs a mesh to live on; add mesh.file";
    if (c->symmetry > 1)
        return *key = "symmetry", "is of flows, whose summary has totals; grains are all there";
    if (c->output_gauss)
        return *key = "output.gauss", "grains have no Gauss points; contacts: true writes the "
                                      "forces between them";
    if (c->initial_from != NULL)
        return *key = "initial.from", "grains start from a fill; use --resume";
    const char *why = walls_mistake(c, key);
    why = why != NULL ? why : box_mistake(c, key);
    return why != NULL ? why : fill_mistake(c, key);
}

sab_status sab_case_check_grains(const sab_case *c, sab_error *err)
{
    const char *key, *why = grains_mistake(c, &key);
    sab_status status = SAB_OK;
    char place[1000];

    if (why != NULL)
        SAB_FAIL(err, SAB_ERR_INPUT, "%s: %s", sab_case_locate(c, key, place, sizeof place), why);
    for (int i = 0; i < c->nprobes; i++)
        SAB_TRY(check_probe(c, &c->probe[i], err));
cleanup:
    return status;
}
