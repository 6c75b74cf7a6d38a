/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Defaults that depend on other keys. */
#include "base/text.h"
#include "io/case_read.h"

#include <stdio.h>
#include <string.h>

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

/* A surface that moves, or grains, are of order 1, and a constant probe (the mass) must not end the
 * run. */
static sab_status default_time(sab_yaml *root, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_yaml *time = sab_yaml_find(root, "time");

    if (time == NULL || !sab_tree_is_inertial(root) ||
        (sab_yaml_find(root, "surface") == NULL && sab_yaml_find(root, "grains") == NULL))
        return SAB_OK;
    if (sab_yaml_find(time, "order") == NULL)
        SAB_TRY(put_default(time, "order", "1", err));
    if (sab_yaml_find(time, "steady") == NULL)
        SAB_TRY(put_default(time, "steady", "0", err));
cleanup:
    return status;
}

/* Contacts are solved to 1e-3 of the unresisted motion. */
static sab_status default_tolerance(sab_yaml *root, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_yaml *solver = sab_yaml_find(root, "solver"), *made = NULL;

    if (sab_yaml_find(root, "grains") == NULL ||
        (solver != NULL && sab_yaml_find(solver, "tolerance") != NULL))
        return SAB_OK;
    if (solver == NULL) {
        SAB_TRY(sab_yaml_create_map(SAB_YAML_DEFAULT, root, &made, err));
        SAB_TRY(sab_yaml_put(root, "solver", &made, err));
        solver = sab_yaml_find(root, "solver");
    }
    SAB_TRY(put_default(solver, "tolerance", "1e-3", err));
cleanup:
    sab_yaml_destroy(&made);
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

sab_status sab_case_put_defaults(sab_yaml *root, sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(default_mesh(root, err));
    SAB_TRY(default_friction(root, err));
    SAB_TRY(default_time(root, err));
    SAB_TRY(default_tolerance(root, err));
    SAB_TRY(default_every(root, err));
cleanup:
    return status;
}
