/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sections with names of the user: parameters, boundaries, probes. */
#include "base/memory.h"
#include "io/case_read.h"

#include <string.h>

static int line_of(const sab_yaml *node)
{
    return node->origin == SAB_YAML_FILE ? node->key_line : 0;
}

sab_status sab_case_read_parameters(const sab_value_reader *r, const sab_yaml *map, sab_case *c,
                                    sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_key *row = sab_schema_find(sab_schema_find(NULL, "mesh"), "parameters");

    SAB_NEW(c->parameter, map->n);
    for (int i = 0; i < map->n; i++) {
        const sab_key_path path = sab_key_path_join("mesh.parameters", map->item[i]->key);

        c->parameter[i].name = map->item[i]->key; /* lives in the store */
        c->nparameters++;
        SAB_TRY(sab_fault(r->faults,
                          sab_value_read(r, sab_schema_next(row, NULL), map->item[i], path.text,
                                         &c->parameter[i], err),
                          err));
    }
cleanup:
    return status;
}

static const char *wall_mistake(const sab_boundary *b, int dim)
{
    if (b->has_velocity || b->slip || b->has_traction || b->has_pressure)
        return "has a wall with friction and another condition; a wall says all there is to say "
               "(its velocity is wall.velocity)";
    if (b->wall.has_velocity && b->wall.has_speed)
        return "has wall.velocity and wall.speed; give one of them";
    if (b->wall.has_speed && dim > 2)
        return "has wall.speed, which has no direction in space; give wall.velocity";
    return NULL;
}

/* Only what holds the grains can be taken away from them; walls with friction do. */
static const char *gate_mistake(const sab_boundary *b, int dim)
{
    bool still = b->has_velocity;

    for (int i = 0; i < dim; i++)
        still = still && b->prescribed[i] && b->velocity[i].call == NULL &&
                b->velocity[i].constant == 0.0;
    return b->opens > 0.0 && ((!still && !b->slip) || b->has_traction)
               ? "opens, but there is no wall to take away: give velocity: [0, 0], slip: true or "
                 "wall beside it"
               : NULL;
}

/* What is fed has all of its velocity given. The sentence if something else is said too. */
static const char *take_inflow(sab_boundary *b, int dim)
{
    if (b->has_velocity || b->slip || b->has_wall || b->has_traction || b->has_pressure ||
        b->periodic != NULL || b->opens > 0.0)
        return "has inflow and another condition; inflow says all there is to say";
    b->has_velocity = true;
    for (int i = 0; i < dim; i++)
        b->prescribed[i] = true;
    return NULL;
}

/* Conditions that leave something out or contradict each other: the sentence, or NULL. */
static const char *boundary_mistake(const sab_boundary *b, int dim)
{
    int prescribed = 0;

    for (int i = 0; i < dim; i++)
        prescribed += b->prescribed[i];
    if (b->periodic != NULL && (b->has_velocity || b->slip || b->has_traction || b->has_wall))
        return "is periodic and has another condition; beside periodic only a pressure difference "
               "has a meaning";
    if (b->periodic != NULL)
        return gate_mistake(b, dim);
    if (b->has_wall)
        return wall_mistake(b, dim);
    if (!b->has_velocity && !b->slip && !b->has_traction && !b->has_pressure)
        return "says nothing; give velocity, wall, slip: true, traction, pressure, inflow or "
               "periodic";
    if (b->has_velocity && b->slip)
        return "has velocity and slip; slip is a velocity condition of its own";
    if (b->has_traction && b->has_pressure)
        return "has traction and pressure; pressure p is the traction -p n, give one of them";
    if (b->has_velocity && prescribed == 0)
        return "has a velocity with only free components; write traction: 0 instead";
    if (b->has_velocity && prescribed == dim && (b->has_traction || b->has_pressure))
        return "has a velocity without free component, where traction or pressure has no effect";
    if (b->slip && b->has_pressure)
        return "has slip and pressure; slip stops the flow along the normal, where the pressure "
               "acts";
    return gate_mistake(b, dim);
}

/* What to blame for a condition between the keys of an entry: one from the command line if there
 * is one, because the file alone was probably right. */
static const sab_yaml *culprit(const sab_yaml *node)
{
    for (int i = 0; i < node->n; i++)
        if (node->item[i]->origin == SAB_YAML_OVERRIDE)
            return node->item[i];
    return node;
}

static sab_status read_boundary(const sab_value_reader *r, const sab_yaml *node, sab_boundary *b,
                                sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_key *row = sab_schema_next(sab_schema_find(NULL, "boundaries"), NULL);
    const sab_key_path path = sab_key_path_join("boundaries", node->key);
    const sab_yaml *velocity = sab_yaml_find(node, "velocity"), *over = sab_yaml_find(node, "over");
    const char *mistake;
    const int before = r->faults->n;

    b->line = line_of(node);
    b->group = sab_strdup(node->key);
    if (b->group == NULL)
        return sab_fail(err, SAB_ERR_MEMORY, "out of memory: %s", path.text);
    SAB_TRY(sab_value_read_map(r, row, node, path.text, b, err));
    if (r->faults->n > before || node->faulty)
        return SAB_OK; /* what it says is not known */
    if (velocity != NULL)
        for (int i = 0; i < velocity->n; i++)
            b->prescribed[i] = strcmp(velocity->item[i]->text, "free") != 0;
    if (over != NULL) {
        b->nover = over->kind == SAB_YAML_LIST ? over->n : 1;
        SAB_NEW(b->over, b->nover);
        for (int i = 0; i < b->nover; i++) /* the texts live in the store */
            b->over[i] = over->kind == SAB_YAML_LIST ? over->item[i]->text : over->text;
    }
    mistake =
        b->has_inflow ? take_inflow(b, r->geometry->dim) : boundary_mistake(b, r->geometry->dim);
    if (mistake != NULL)
        status = sab_fail(err, SAB_ERR_INPUT, "%s: %s",
                          sab_place_of_key(r->file, culprit(node), path.text).text, mistake);
cleanup:
    return status;
}

sab_status sab_case_read_boundaries(const sab_value_reader *r, const sab_yaml *map, sab_case *c,
                                    sab_error *err)
{
    sab_status status = SAB_OK;

    if (map->faulty && map->n == 0)
        return SAB_OK;
    if (map->n == 0)
        return sab_fail(err, SAB_ERR_INPUT, "%s: has no entry; give one per boundary group",
                        sab_place_of_key(r->file, map, "boundaries").text);
    SAB_NEW(c->boundary, map->n);
    for (int i = 0; i < map->n; i++) {
        c->nboundaries++;
        SAB_TRY(sab_fault(r->faults, read_boundary(r, map->item[i], &c->boundary[i], err), err));
    }
cleanup:
    return status;
}

/* A plane has two numbers of samples, the same unless both are given; others have one. */
static sab_status check_samples(const sab_yaml *node, sab_probe *probe, const char *place,
                                sab_error *err)
{
    const sab_yaml *samples = sab_yaml_find(node, "samples");

    if (probe->kind != SAB_PROBE_PLANE && samples != NULL && samples->kind == SAB_YAML_LIST)
        return sab_fail(err, SAB_ERR_INPUT, "%s: a pair of samples is for a plane; give one number",
                        place);
    if (probe->across == 0)
        probe->across = probe->samples;
    return SAB_OK;
}

/* The words of the geometry, and what they need. */
static sab_status check_integral(const sab_geometry *geometry, const sab_yaml *node,
                                 const sab_probe *probe, const char *place, sab_error *err)
{
    static const int other = SAB_INTEGRAL_VOLUME - SAB_INTEGRAL_AREA;
    const bool integral = probe->kind == SAB_PROBE_INTEGRAL, plane = geometry->d < SAB_AXES;
    const bool moving = integral && sab_integral_is_moving(probe->integral);

    if (integral && plane && sab_integral_is_volume(probe->integral))
        return sab_fail(err, SAB_ERR_INPUT, "%s: plane flow has no volume; use %s", place,
                        sab_integral_name[(int)probe->integral - other]);
    if (integral && !plane && sab_integral_is_area(probe->integral))
        return sab_fail(err, SAB_ERR_INPUT, "%s: in this geometry it is a volume; use %s", place,
                        sab_integral_name[(int)probe->integral + other]);
    if (moving != (sab_yaml_find(node, "above") != NULL))
        return sab_fail(err, SAB_ERR_INPUT,
                        moving ? "%s: %s needs `above`, the speed from which on material counts as "
                                 "moving"
                               : "%s: `above` only has a meaning with integral: %s",
                        place,
                        moving  ? sab_integral_name[probe->integral]
                        : plane ? "moving_area"
                                : "moving_volume");
    return SAB_OK;
}

static sab_status read_probe(const sab_value_reader *r, const sab_yaml *node, sab_probe *probe,
                             sab_error *err)
{
    enum { MAX_NAME = 100, LINE_SAMPLES = 101, PLANE_SAMPLES = 51, HEIGHT_SAMPLES = 40 };
    sab_status status = SAB_OK;
    const sab_key *row = sab_schema_next(sab_schema_find(NULL, "probes"), NULL);
    const sab_key_path path = sab_key_path_join("probes", node->key);
    const sab_place place = sab_place_of_key(r->file, culprit(node), path.text);
    const int before = r->faults->n;
    int kinds = 0;

    probe->line = line_of(node);
    probe->name = sab_strdup(node->key);
    if (probe->name == NULL)
        return sab_fail(err, SAB_ERR_MEMORY, "out of memory: %s", path.text);
    if (strspn(probe->name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") !=
        strlen(probe->name)) /* it becomes the name of a file */
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: the name of a probe has only letters, digits, _ and -", place.text);
    if (strlen(probe->name) > MAX_NAME)
        return sab_fail(err, SAB_ERR_INPUT, "%s: the name has %zu characters, more than %d",
                        place.text, strlen(probe->name), MAX_NAME);
    for (int i = 0; i < SAB_PROBE_KINDS; i++)
        if (sab_yaml_find(node, sab_probe_kind_name[i]) != NULL) {
            probe->kind = (sab_probe_kind)i;
            kinds++;
        }
    if (kinds != 1 && !node->faulty)
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: %s; give exactly one of flux, force, point, line, plane, traction, "
                        "wall_load, integral, grains, left, fed, front, height",
                        place.text, kinds == 0 ? "does not say what to take" : "is ambiguous");
    if (probe->kind == SAB_PROBE_LINE)
        probe->samples = LINE_SAMPLES;
    if (probe->kind == SAB_PROBE_PLANE)
        probe->samples = PLANE_SAMPLES;
    if (probe->kind == SAB_PROBE_HEIGHT)
        probe->samples = HEIGHT_SAMPLES;
    SAB_TRY(sab_value_read_map(r, row, node, path.text, probe, err));
    if (r->faults->n > before || node->faulty)
        return SAB_OK;
    SAB_TRY(check_samples(node, probe, place.text, err));
    SAB_TRY(check_integral(r->geometry, node, probe, place.text, err));
cleanup:
    return status;
}

sab_status sab_case_read_probes(const sab_value_reader *r, const sab_yaml *map, sab_case *c,
                                sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_NEW(c->probe, map->n);
    for (int i = 0; i < map->n; i++) {
        c->nprobes++;
        SAB_TRY(sab_fault(r->faults, read_probe(r, map->item[i], &c->probe[i], err), err));
    }
cleanup:
    return status;
}
