#define _XOPEN_SOURCE 700 /* realpath */
#include "io/case.h"
#include "base/memory.h"
#include "io/case_parts.h"
#include "io/file.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- where things are ---- */

/* "<directory>/<file>", owned; the file alone if the directory is "." or the file absolute. */
static sab_status join(const char *directory, const char *file, char **joined, sab_error *err)
{
    const size_t n = strlen(directory), size = n + strlen(file) + 2;

    *joined = sab_alloc(size, 1);
    if (*joined == NULL)
        return sab_fail(err, SAB_ERR_MEMORY, "out of memory: path of '%s'", file);
    if (file[0] == '/' || strcmp(directory, ".") == 0)
        snprintf(*joined, size, "%s", file);
    else
        snprintf(*joined, size, "%s%s%s", directory, n > 0 && directory[n - 1] == '/' ? "" : "/",
                 file);
    return SAB_OK;
}

/* Fill in path, directory and name. */
static sab_status find_case(const char *path, sab_case *c, sab_error *err)
{
    sab_status status = SAB_OK;
    struct stat info;
    const char *slash;
    size_t length;

    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        SAB_TRY(join(path, "case.yaml", &c->path, err));
        if (stat(c->path, &info) != 0) {
            status = sab_fail(err, SAB_ERR_INPUT, "%s: there is no such file in the directory '%s'",
                              c->path, path);
            goto cleanup;
        }
    } else {
        c->path = sab_strdup(path);
        if (c->path == NULL) {
            status = sab_fail(err, SAB_ERR_MEMORY, "out of memory: path '%s'", path);
            goto cleanup;
        }
    }
    slash = strrchr(c->path, '/');
    length = slash == NULL ? 0 : slash == c->path ? 1 : (size_t)(slash - c->path);
    c->directory = sab_strdup(slash == NULL ? "." : c->path);
    if (c->directory != NULL && slash != NULL)
        c->directory[length] = '\0';
    if (c->directory == NULL)
        status = sab_fail(err, SAB_ERR_MEMORY, "out of memory: path '%s'", path);
    else
        status = sab_file_result_name(c->path, "case.yaml", &c->name, err);
cleanup:
    return status;
}

/* "/a/b/../c" is "/a/c", as realpath has it for files that are there. */
static void drop_parents(char *path)
{
    for (char *up; (up = strstr(path, "/../")) != NULL;) {
        char *before = up;

        while (before > path && *--before != '/')
            ;
        memmove(before, up + 3, strlen(up + 3) + 1);
    }
}

/* Files are given relative to the case; in the resolved case they are absolute, because that one
 * lives in another directory. */
static sab_status find_file(sab_case *c, const char *section, const char *key, char **path,
                            sab_error *err)
{
    sab_status status = SAB_OK;
    sab_yaml *node = sab_yaml_find(sab_yaml_find(c->store->root, section), key);
    char *file = NULL, *absolute = NULL;
    char real[PATH_MAX];

    if (*path == NULL || (*path)[0] == '/')
        return SAB_OK;
    SAB_TRY(join(c->directory, *path, &file, err));
    if (realpath(file, real) != NULL)
        absolute = sab_strdup(real);
    else if (realpath(c->directory, real) != NULL) /* no such file: its reader will say so */
        SAB_TRY(join(real, *path, &absolute, err));
    else
        absolute = sab_strdup(file);
    if (absolute != NULL && absolute[0] == '/')
        drop_parents(absolute);
    if (absolute == NULL) {
        status = sab_fail(err, SAB_ERR_MEMORY, "out of memory: path of '%s'", *path);
        goto cleanup;
    }
    SAB_FREE(node->text);
    node->text = absolute;
    absolute = NULL;
    SAB_FREE(*path);
    *path = file;
    file = NULL;
cleanup:
    SAB_FREE(file);
    SAB_FREE(absolute);
    return status;
}

/* ---- sections with names of the user ---- */

static int line_of(const sab_yaml *node)
{
    return node->origin == SAB_YAML_FILE ? node->key_line : 0;
}

static sab_status read_parameters(const sab_value_reader *r, const sab_yaml *map, sab_case *c,
                                  sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_key *row = sab_schema_find(sab_schema_find(NULL, "mesh"), "parameters");

    SAB_NEW(c->parameter, map->n);
    for (int i = 0; i < map->n; i++) {
        const sab_path path = sab_path_join("mesh.parameters", map->item[i]->key);

        c->parameter[i].name = map->item[i]->key; /* lives in the store */
        c->nparameters++;
        SAB_TRY(sab_value_read(r, sab_schema_next(row, NULL), map->item[i], path.text,
                               &c->parameter[i], err));
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
        return dim > 2 ? "is periodic, which is for the plane and about an axis yet" : NULL;
    if (b->has_wall)
        return wall_mistake(b, dim);
    if (!b->has_velocity && !b->slip && !b->has_traction && !b->has_pressure)
        return "says nothing; give velocity, wall, slip: true, traction, pressure or periodic";
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
    return NULL;
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
    const sab_path path = sab_path_join("boundaries", node->key);
    const sab_yaml *velocity = sab_yaml_find(node, "velocity"), *over = sab_yaml_find(node, "over");
    const char *mistake;

    b->line = line_of(node);
    b->group = sab_strdup(node->key);
    if (b->group == NULL)
        return sab_fail(err, SAB_ERR_MEMORY, "out of memory: %s", path.text);
    SAB_TRY(sab_value_read_map(r, row, node, path.text, b, err));
    if (velocity != NULL)
        for (int i = 0; i < velocity->n; i++)
            b->prescribed[i] = strcmp(velocity->item[i]->text, "free") != 0;
    if (over != NULL) {
        b->nover = over->kind == SAB_YAML_LIST ? over->n : 1;
        SAB_NEW(b->over, b->nover);
        for (int i = 0; i < b->nover; i++) /* the texts live in the store */
            b->over[i] = over->kind == SAB_YAML_LIST ? over->item[i]->text : over->text;
    }
    mistake = boundary_mistake(b, r->geometry->dim);
    if (mistake != NULL)
        status = sab_fail(err, SAB_ERR_INPUT, "%s: %s",
                          sab_place_of_key(r->file, culprit(node), path.text).text, mistake);
cleanup:
    return status;
}

static sab_status read_boundaries(const sab_value_reader *r, const sab_yaml *map, sab_case *c,
                                  sab_error *err)
{
    sab_status status = SAB_OK;

    if (map->n == 0)
        return sab_fail(err, SAB_ERR_INPUT, "%s: has no entry; give one per boundary group",
                        sab_place_of_key(r->file, map, "boundaries").text);
    SAB_NEW(c->boundary, map->n);
    for (int i = 0; i < map->n; i++) {
        c->nboundaries++;
        SAB_TRY(read_boundary(r, map->item[i], &c->boundary[i], err));
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
    enum { MAX_NAME = 100, LINE_SAMPLES = 101, PLANE_SAMPLES = 51 };
    sab_status status = SAB_OK;
    const sab_key *row = sab_schema_next(sab_schema_find(NULL, "probes"), NULL);
    const sab_path path = sab_path_join("probes", node->key);
    const sab_place place = sab_place_of_key(r->file, culprit(node), path.text);
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
    if (kinds != 1)
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: %s; give exactly one of flux, force, point, line, plane, traction, "
                        "wall_load, integral",
                        place.text, kinds == 0 ? "does not say what to take" : "is ambiguous");
    if (probe->kind == SAB_PROBE_LINE)
        probe->samples = LINE_SAMPLES;
    if (probe->kind == SAB_PROBE_PLANE)
        probe->samples = PLANE_SAMPLES;
    SAB_TRY(sab_value_read_map(r, row, node, path.text, probe, err));
    SAB_TRY(check_samples(node, probe, place.text, err));
    SAB_TRY(check_integral(r->geometry, node, probe, place.text, err));
cleanup:
    return status;
}

static sab_status read_probes(const sab_value_reader *r, const sab_yaml *map, sab_case *c,
                              sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_NEW(c->probe, map->n);
    for (int i = 0; i < map->n; i++) {
        c->nprobes++;
        SAB_TRY(read_probe(r, map->item[i], &c->probe[i], err));
    }
cleanup:
    return status;
}

/* ---- conditions between keys ---- */

enum { MOST_STEPS = 100000000 };

/* Which elements go with which geometry, and why not the others [docs/theory.md, 4]. */
static const char *element_mistake(const sab_case *c)
{
    const int dim = c->geometry->dim;

    if (dim == 2)
        return c->element->cell->dim == 2 ? NULL
                                          : "is an element of space (geometry: space); here there "
                                            "are p2 and p2b";
    if (c->element == &sab_element_p2)
        return "has two spurious pressures per tetrahedron, and locks; in space give p2nb, which "
               "is the default there";
    if (c->element->cell->dim != dim)
        return "has pressures in space that no flow through the faces controls; give p2nb, which "
               "is the default there";
    return NULL;
}

static sab_status check_mesh(const sab_case *c, sab_error *err)
{
    const char *mistake = element_mistake(c);
    char place[1000];

    if (mistake != NULL)
        return sab_fail(err, SAB_ERR_INPUT, "%s: %s %s",
                        sab_case_locate(c, "mesh.element", place, sizeof place), c->element->name,
                        mistake);
    if (c->geometry->dim == 3 && c->split != SAB_SPLIT_NONE)
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: the split of tetrahedra leaves weak pressures, the more the finer the "
                        "mesh; in space give none, the default with p2nb",
                        sab_case_locate(c, "mesh.split", place, sizeof place));
    return SAB_OK;
}

/* Nothing turns about the axis: a force towards it has no meaning but as a pressure. */
static sab_status check_gravity(const sab_case *c, sab_error *err)
{
    const sab_function *radial = &c->gravity[0];
    char place[1000];

    if (c->geometry->axis && (radial->call != NULL || radial->constant != 0.0))
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: its radial component must be 0 about an axis; gravity acts along z, "
                        "as in [0, -1]",
                        sab_case_locate(c, "gravity", place, sizeof place));
    return SAB_OK;
}

/* An angle without the motion it was measured in: what it could mean. */
static sab_status fail_mode(const sab_case *c, sab_error *err)
{
    const sab_material *m = &c->material;
    const bool known = m->friction.call == NULL && m->dilatancy.call == NULL;
    char place[1000], value[200] = "";
    size_t used = 0;

    for (int mode = 0; known && mode < SAB_FRICTION_MODES && used < sizeof value; mode++)
        used += (size_t)snprintf(
            value + used, sizeof value - used, "%s%s %.3f",
            mode == 0 ? "; here they would be: " : ", ", sab_friction_mode_name[mode],
            sab_material_friction(c->geometry, (sab_friction_mode)mode, m->friction.constant,
                                  m->dilatancy.constant));
    return sab_fail(err, SAB_ERR_INPUT,
                    "%s: missing; outside the plane an angle must say in which motion it was "
                    "measured (plane, compression, extension, shear), because the coefficients "
                    "differ%s",
                    sab_case_locate(c, "material.friction.in", place, sizeof place), value);
}

/* The coefficient where it is the same everywhere; NAN else. */
static double constant_friction(const sab_case *c)
{
    const sab_material *m = &c->material;

    if (m->has_mu_i)
        return m->mu_i.resting;
    if (m->friction.call != NULL || (m->friction_is_angle && m->dilatancy.call != NULL))
        return NAN;
    return m->friction_is_angle ? sab_material_friction(c->geometry, m->friction_in,
                                                        m->friction.constant, m->dilatancy.constant)
                                : m->friction.constant;
}

static sab_status check_friction(const sab_case *c, sab_error *err)
{
    const sab_material *m = &c->material;
    const double friction = constant_friction(c);
    const double highest = m->has_mu_i ? m->mu_i.flowing : friction;
    char place[1000];

    if (highest > sab_friction_limit(c->geometry))
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: a coefficient of %.4g; above sqrt(3)/2 = 0.866 the cone admits "
                        "tension when the stress is that of extension, outside the plane",
                        sab_case_locate(c,
                                        m->has_mu_i ? "material.mu_i.dynamic" : "material.friction",
                                        place, sizeof place),
                        highest);
    if (m->dilatancy.call == NULL && m->dilatancy.constant > friction)
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: %g is more than the %sfriction coefficient %g; grains would "
                        "make energy by dilating",
                        sab_case_locate(c, "material.dilatancy", place, sizeof place),
                        m->dilatancy.constant, m->has_mu_i ? "static " : "", friction);
    return SAB_OK;
}

static sab_status check_material(const sab_case *c, sab_error *err)
{
    const sab_material *m = &c->material;
    char place[1000];

    if (m->reynolds.call == NULL && isinf(m->reynolds.constant) && c->time.scheme == SAB_CREEPING &&
        !(m->has_mu_i && m->mu_i.flowing > m->mu_i.resting))
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: inf means no viscosity, and then a creeping flow has no scale of "
                        "velocity; give a finite number, or mu_i",
                        sab_case_locate(c, "material.reynolds", place, sizeof place));
    if (m->has_mu_i && m->mu_i.flowing < m->mu_i.resting)
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: %g is less than the static coefficient %g; friction grows with I",
                        sab_case_locate(c, "material.mu_i.dynamic", place, sizeof place),
                        m->mu_i.flowing, m->mu_i.resting);
    if (m->friction_is_angle && !m->has_friction_in)
        return fail_mode(c, err);
    if (m->friction_is_angle && !sab_friction_has_mode(c->geometry, m->friction_in))
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: there is no %s in the plane; give plane (Mohr's circle) or shear "
                        "(a slope or a shear cell)",
                        sab_case_locate(c, "material.friction.in", place, sizeof place),
                        sab_friction_mode_name[m->friction_in]);
    return check_friction(c, err);
}

static sab_status check_time(const sab_case *c, sab_error *err)
{
    const sab_case_time *t = &c->time;
    char place[1000];

    if (c->has_initial_velocity && c->initial_from != NULL)
        return sab_fail(err, SAB_ERR_INPUT, "%s: initial.from gives a velocity too, choose one",
                        sab_case_locate(c, "initial.velocity", place, sizeof place));
    if (t->scheme == SAB_CREEPING)
        return SAB_OK;
    if (t->end < 0.5 * t->step)
        return sab_fail(err, SAB_ERR_INPUT, "%s: %g is not even one step of %g",
                        sab_case_locate(c, "time.end", place, sizeof place), t->end, t->step);
    if (t->end / t->step > MOST_STEPS)
        return sab_fail(err, SAB_ERR_INPUT, "%s: %g is %g steps of %g, more than %d",
                        sab_case_locate(c, "time.end", place, sizeof place), t->end,
                        t->end / t->step, t->step, MOST_STEPS);
    if (t->window < t->step)
        return sab_fail(err, SAB_ERR_INPUT, "%s: %g is shorter than a step of %g",
                        sab_case_locate(c, "time.window", place, sizeof place), t->window, t->step);
    return SAB_OK;
}

static sab_status read_values(sab_case *c, sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_yaml *root = c->store->root, *section;
    sab_value_reader reader = {c->path, NULL, c->store};

    c->material.viscosity = sab_constant(1.0);
    section = sab_yaml_find(root, "geometry"); /* first: it says how long vectors are */
    SAB_TRY(
        sab_value_read(&reader, sab_schema_find(NULL, "geometry"), section, "geometry", c, err));
    c->geometry = reader.geometry = sab_geometry_find(section->text);
    if (c->geometry == NULL) {
        status = sab_fail(err, SAB_ERR_INTERNAL, "geometry '%s' is not built in", section->text);
        goto cleanup;
    }
    SAB_TRY(sab_value_read_map(&reader, NULL, root, "", c, err));
    section = sab_yaml_find(sab_yaml_find(root, "mesh"), "element");
    c->element = sab_element_find(section->text);
    if (c->element == NULL) {
        status = sab_fail(err, SAB_ERR_INTERNAL, "element '%s' is not built in", section->text);
        goto cleanup;
    }
    SAB_TRY(find_file(c, "mesh", "file", &c->mesh_file, err));
    SAB_TRY(find_file(c, "initial", "from", &c->initial_from, err));
    section = sab_yaml_find(sab_yaml_find(root, "mesh"), "parameters");
    if (section != NULL)
        SAB_TRY(read_parameters(&reader, section, c, err));
    SAB_TRY(read_boundaries(&reader, sab_yaml_find(root, "boundaries"), c, err));
    section = sab_yaml_find(root, "probes");
    if (section != NULL)
        SAB_TRY(read_probes(&reader, section, c, err));
    SAB_TRY(check_mesh(c, err));
    SAB_TRY(check_gravity(c, err));
    SAB_TRY(check_material(c, err));
    SAB_TRY(check_time(c, err));
cleanup:
    return status;
}

/* ---- defaults that depend on other keys ---- */

/* What the tree says; the plane also if it is not given, or misspelt, which will be said. */
static const sab_geometry *geometry_of(const sab_yaml *root)
{
    const sab_yaml *given = sab_yaml_find(root, "geometry");
    const sab_geometry *geometry =
        given != NULL && given->kind == SAB_YAML_SCALAR ? sab_geometry_find(given->text) : NULL;

    return geometry != NULL ? geometry : &sab_geometry_plane;
}

static sab_status put_default(sab_yaml *map, const char *key, const char *text, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_yaml *made = NULL;

    SAB_TRY(sab_yaml_parse(key, SAB_YAML_DEFAULT, text, strlen(text), &made, err));
    made->line = map->key_line;
    made->column = map->key_column;
    SAB_TRY(sab_yaml_put(map, key, &made, err));
cleanup:
    sab_yaml_destroy(&made);
    return status;
}

/* In space p2nb. A split is what makes the element p2 stable: one that is so without has the
 * default none. */
static sab_status default_mesh(sab_yaml *root, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_yaml *mesh = sab_yaml_find(root, "mesh");
    const sab_yaml *given;

    if (mesh == NULL)
        return SAB_OK;
    if (sab_yaml_find(mesh, "element") == NULL && geometry_of(root)->dim == 3)
        SAB_TRY(put_default(mesh, "element", sab_element_p2nb.name, err));
    given = sab_yaml_find(mesh, "element");
    const sab_element *element =
        given != NULL && given->kind == SAB_YAML_SCALAR ? sab_element_find(given->text) : NULL;
    if (element != NULL && element->stable && sab_yaml_find(mesh, "split") == NULL)
        SAB_TRY(put_default(mesh, "split", "none", err));
cleanup:
    return status;
}

/* An angle in the plane is that of Mohr's circle. */
static sab_status default_friction(sab_yaml *root, sab_error *err)
{
    const sab_yaml *material = sab_yaml_find(root, "material");
    sab_yaml *friction = material != NULL ? sab_yaml_find(material, "friction") : NULL;

    if (friction == NULL || friction->kind != SAB_YAML_MAP || geometry_of(root)->d != 2 ||
        sab_yaml_find(friction, "angle") == NULL || sab_yaml_find(friction, "in") != NULL)
        return SAB_OK;
    return put_default(friction, "in", sab_friction_mode_name[SAB_FRICTION_PLANE], err);
}

/* Twenty pictures of a run, unless it says otherwise. */
static sab_status default_every(sab_yaml *root, sab_error *err)
{
    enum { FRAMES = 20 };
    sab_status status = SAB_OK;
    sab_yaml *output = sab_yaml_find(root, "output"), *made = NULL;
    const sab_yaml *end =
        sab_tree_is_inertial(root) ? sab_yaml_find(sab_yaml_find(root, "time"), "end") : NULL;
    char text[32];
    double value;

    if (end == NULL || (output != NULL && sab_yaml_find(output, "every") != NULL) ||
        end->kind != SAB_YAML_SCALAR || !sab_parse_number(end->text, &value) || value <= 0.0)
        return SAB_OK; /* or time.end is wrong, which will be said */
    if (output == NULL) {
        SAB_TRY(sab_yaml_create_map(SAB_YAML_DEFAULT, root, &made, err));
        SAB_TRY(sab_yaml_put(root, "output", &made, err));
        output = sab_yaml_find(root, "output");
    }
    snprintf(text, sizeof text, "%.15g", value / FRAMES);
    SAB_TRY(put_default(output, "every", text, err));
cleanup:
    sab_yaml_destroy(&made);
    return status;
}

/* ---- the interface ---- */

sab_status sab_case_read(const char *path, int noverrides, const char *const *override,
                         sab_case **result, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_case *c = NULL;

    *result = NULL;
    SAB_NEW(c, 1);
    SAB_NEW(c->store, 1);
    SAB_TRY(find_case(path, c, err));
    SAB_TRY(sab_yaml_read(c->path, &c->store->root, err));
    if (c->store->root->kind == SAB_YAML_MAP)
        for (int i = 0; i < noverrides; i++)
            SAB_TRY(sab_tree_override(c->store->root, override[i], err));
    SAB_TRY(sab_tree_check(c->path, c->store->root, err));
    SAB_TRY(default_mesh(c->store->root, err));
    SAB_TRY(default_friction(c->store->root, err));
    SAB_TRY(default_every(c->store->root, err));
    SAB_TRY(sab_tree_complete(c->path, c->store->root, err));
    sab_tree_sort(c->store->root);
    SAB_TRY(read_values(c, err));
    SAB_TRY(sab_tree_normalise(c->store->root, err));
    *result = c;
    c = NULL;
cleanup:
    sab_case_destroy(&c);
    return status;
}

static void destroy_store(struct sab_case_store **store)
{
    if (*store == NULL)
        return;
    for (int i = 0; i < (*store)->nformulas; i++)
        sab_formula_destroy(&(*store)->formula[i]);
    SAB_FREE((*store)->formula);
    sab_yaml_destroy(&(*store)->root);
    SAB_FREE(*store);
}

void sab_case_destroy(sab_case **result)
{
    sab_case *c = *result;

    if (c == NULL)
        return;
    for (int i = 0; i < c->nboundaries; i++) {
        SAB_FREE(c->boundary[i].group);
        SAB_FREE(c->boundary[i].over);
        SAB_FREE(c->boundary[i].periodic);
    }
    for (int i = 0; i < c->nprobes; i++) {
        SAB_FREE(c->probe[i].name);
        SAB_FREE(c->probe[i].group);
    }
    SAB_FREE(c->boundary);
    SAB_FREE(c->probe);
    SAB_FREE(c->parameter);
    SAB_FREE(c->path);
    SAB_FREE(c->directory);
    SAB_FREE(c->name);
    SAB_FREE(c->title);
    SAB_FREE(c->mesh_file);
    SAB_FREE(c->time.probe);
    SAB_FREE(c->initial_from);
    destroy_store(&c->store);
    SAB_FREE(*result);
}

sab_status sab_case_resolved(const sab_case *c, sab_text *yaml, sab_error *err)
{
    return sab_tree_write(c->store->root, yaml, err);
}

const char *sab_case_locate(const sab_case *c, const char *key, char *buffer, size_t size)
{
    const sab_yaml *node = sab_tree_locate(c->store->root, key);

    snprintf(buffer, size, "%s", sab_place_of_key(c->path, node, key).text);
    return buffer;
}

void sab_case_place(const sab_case *c, sab_error *err)
{
    const sab_error old = *err;
    const size_t n = strlen(c->path);
    size_t length;
    const sab_yaml *node = sab_tree_match(c->store->root, old.message, &length);
    sab_path key;

    if (node == NULL || (strncmp(old.message, c->path, n) == 0 && old.message[n] == ':'))
        return;
    snprintf(key.text, sizeof key.text, "%.*s", (int)length, old.message);
    sab_fail(err, old.status, "%s%s", sab_place_of_key(c->path, node, key.text).text,
             old.message + length);
}
