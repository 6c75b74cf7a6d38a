/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values with units: "2 cm" of a case that says how long L is becomes 0.1. */
#include "base/memory.h"
#include "io/case_read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* "a length" of "a length (2 cm)" */
typedef struct kind {
    char text[60];
} kind;

static kind bare_kind(sab_dimension d)
{
    const char *whole = sab_dimension_kind(d), *example = strstr(whole, " (");
    kind k;

    snprintf(k.text, sizeof k.text, "%.*s",
             (int)(example != NULL ? (size_t)(example - whole) : strlen(whole)), whole);
    return k;
}

sab_status sab_value_read_quantity(const char *file, const sab_key *row, const sab_yaml *node,
                                   const char *path, double *value, sab_error *err)
{
    const sab_place place = sab_place_of_value(file, node, path);
    const char *unknown = "";
    sab_dimension wanted, found;
    char range[80];

    sab_dimension_of_key(row->unit, &wanted);
    if (node->kind != SAB_YAML_SCALAR || !sab_quantity_is_one(node->text))
        return sab_fail(err, SAB_ERR_INPUT, "%s: expected %s, a number with its unit", place.text,
                        sab_dimension_kind(wanted));
    if (!sab_quantity_parse(node->text, value, &found, &unknown))
        return sab_fail(err, SAB_ERR_INPUT, "%s: '%s': there is no unit '%s'; expected %s",
                        place.text, node->text, unknown, sab_dimension_kind(wanted));
    if (!sab_dimension_equal(wanted, found))
        return sab_fail(err, SAB_ERR_INPUT, "%s: '%s' is %s; expected %s", place.text, node->text,
                        bare_kind(found).text, sab_dimension_kind(wanted));
    if (*value < row->min || (*value == row->min && (row->range & SAB_MIN_OPEN) != 0))
        return sab_fail(err, SAB_ERR_INPUT, "%s: %s is out of range (%s)", place.text, node->text,
                        sab_schema_range(row, range, sizeof range));
    return SAB_OK;
}

/* Does this type hold numbers that may carry a unit? */
static bool takes_units(sab_key_type type)
{
    switch (type) {
    case SAB_KEY_NUMBER:
    case SAB_KEY_FUNCTION:
    case SAB_KEY_FUNCTION_OR_INF:
    case SAB_KEY_FUNCTION_OR_MAP:
    case SAB_KEY_STATE_FUNCTION:
    case SAB_KEY_VECTOR:
    case SAB_KEY_VECTOR_OR_FREE:
    case SAB_KEY_VECTOR_OR_ZERO:
    case SAB_KEY_POINT:
    case SAB_KEY_SEGMENT:
        return true;
    default:
        return false;
    }
}

/* What one unit of the key is in SI. Angles and the clock need no scale. */
static sab_status scale_of(const sab_units *u, const sab_key *row, sab_dimension d,
                           const char *place, const char *text, double *scale, sab_error *err)
{
    *scale = 1.0;
    if (d.angle || strcmp(row->unit != NULL ? row->unit : "", "s") == 0)
        return SAB_OK;
    if (!u->given)
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: '%s' has a unit, but the case has no section `units`: add one, as in "
                        "units: {length: 0.2 m, density: 1600 kg/m^3}, or write a plain number, "
                        "in %s",
                        place, text, row->unit != NULL ? row->unit : "L");
    *scale = sab_units_scale(u, d);
    if (isnan(*scale))
        return sab_fail(err, SAB_ERR_INPUT, "%s: '%s' needs units.density (1600 kg/m^3)", place,
                        text);
    return SAB_OK;
}

static sab_status convert_scalar(const char *file, const sab_units *u, const sab_key *row,
                                 sab_yaml *node, const char *path, sab_error *err)
{
    const sab_place place = sab_place_of_value(file, node, path);
    const bool parameter = strcmp(row->path, "mesh.parameters.*") == 0;
    sab_status status = SAB_OK;
    sab_dimension wanted = {.m = 1}, found;
    const char *unknown = "";
    double value, scale;
    char text[40], *made;

    if (!sab_quantity_is_one(node->text))
        return SAB_OK;
    if (!sab_quantity_parse(node->text, &value, &found, &unknown))
        return sab_fail(err, SAB_ERR_INPUT, "%s: '%s': there is no unit '%s'", place.text,
                        node->text, unknown);
    if (!parameter && !sab_dimension_of_key(row->unit, &wanted))
        return sab_fail(err, SAB_ERR_INPUT, "%s: '%s' is %s; expected a pure number%s", place.text,
                        node->text, bare_kind(found).text,
                        found.angle && strcmp(row->path, "material.friction") == 0
                            ? ", or friction: {angle: 30 deg}"
                            : "");
    if (!sab_dimension_equal(wanted, found))
        return sab_fail(err, SAB_ERR_INPUT, "%s: '%s' is %s; expected %s%s", place.text, node->text,
                        bare_kind(found).text, sab_dimension_kind(wanted),
                        parameter ? " or a pure number" : "");
    SAB_TRY(scale_of(u, row, found, place.text, node->text, &scale, err));
    /* fifteen digits: 2 cm of 0.2 m is 0.1, not 0.09999999999999999 */
    snprintf(text, sizeof text, "%.15g", value / scale);
    made = sab_strdup(text);
    if (made == NULL)
        return sab_fail(err, SAB_ERR_MEMORY, "out of memory: %s", path);
    SAB_FREE(node->text);
    node->text = made;
    node->quoted = false;
cleanup:
    return status;
}

static sab_status convert(sab_faults *faults, const sab_units *u, const sab_key *row,
                          sab_yaml *node, const char *path, sab_error *err)
{
    sab_status status = SAB_OK;

    for (int i = 0; i < node->n; i++) {
        sab_yaml *child = node->item[i];
        const bool map = node->kind == SAB_YAML_MAP;
        const sab_key *below = map ? sab_schema_find(row, child->key) : row;

        if (below != NULL)
            SAB_TRY(convert(faults, u, below, child,
                            map ? sab_key_path_join(path, child->key).text : path, err));
    }
    if (row != NULL && node->kind == SAB_YAML_SCALAR && takes_units(row->type))
        status = sab_fault(faults, convert_scalar(faults->file, u, row, node, path, err), err);
cleanup:
    return status;
}

static sab_status read_units(const sab_faults *faults, const sab_yaml *section, sab_units *u,
                             sab_error *err)
{
    const sab_key *parent = sab_schema_find(NULL, "units");
    struct {
        const char *name;
        double *value;
    } const part[] = {{"length", &u->length},
                      {"density", &u->density},
                      {"gravity", &u->gravity},
                      {"viscosity", &u->viscosity}};
    sab_status status = SAB_OK;

    *u = (sab_units){
        .given = true, .gravity = 9.81, .viscosity = NAN}; /* the default of the table */
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
        const sab_yaml *node = sab_yaml_find(section, part[i].name);

        if (node != NULL)
            SAB_TRY(sab_value_read_quantity(faults->file, sab_schema_find(parent, part[i].name),
                                            node, sab_key_path_join("units", part[i].name).text,
                                            part[i].value, err));
    }
    u->has_density = sab_yaml_find(section, "density") != NULL;
    if (sab_yaml_find(section, "length") == NULL)
        status = sab_fail(err, SAB_ERR_INPUT, "%s: missing, and it has no default (%s)",
                          sab_place_of_key(faults->file, section, "units.length").text,
                          sab_schema_find(parent, "length")->help);
cleanup:
    return status;
}

/* What is wrong with units.viscosity beside the other keys; NULL: nothing. */
static const char *viscosity_mistake(const sab_units *u, bool reynolds)
{
    return reynolds ? "material.reynolds says it too; give one of them"
           : u->viscosity > 0.0 && !u->has_density ? "needs units.density"
                                                   : NULL;
}

/* A viscosity is a Reynolds number, and the resolved case has that only; with units an inertial
 * flow has no viscosity unless it is said. */
static sab_status put_reynolds(const sab_faults *faults, const sab_units *u, sab_yaml *root,
                               sab_error *err)
{
    sab_yaml *material = sab_yaml_find(root, "material"), *made = NULL;
    sab_yaml *units = sab_yaml_find(root, "units");
    sab_status status = SAB_OK;
    char text[40] = "inf";
    int viscosity = units->n - 1;

    while (viscosity >= 0 && strcmp(units->item[viscosity]->key, "viscosity") != 0)
        viscosity--;
    if (material == NULL || material->kind != SAB_YAML_MAP || material->faulty)
        return SAB_OK;
    const bool reynolds = sab_yaml_find(material, "reynolds") != NULL;
    const char *mistake = viscosity >= 0 ? viscosity_mistake(u, reynolds) : NULL;
    if (mistake != NULL)
        return sab_fail(
            err, SAB_ERR_INPUT, "%s: %s",
            sab_place_of_key(faults->file, units->item[viscosity], "units.viscosity").text,
            mistake);
    if (reynolds || (viscosity < 0 && !sab_tree_is_inertial(root)))
        return SAB_OK;
    if (viscosity >= 0 && u->viscosity > 0.0) /* rho sqrt(g L) L / eta */
        snprintf(text, sizeof text, "%.15g",
                 sab_units_scale(u, (sab_dimension){1, -1, -1, false}) / u->viscosity);
    SAB_TRY(sab_yaml_parse("reynolds", SAB_YAML_DEFAULT, text, strlen(text), &made, err));
    made->line = material->key_line;
    made->column = material->key_column;
    SAB_TRY(sab_yaml_put(material, "reynolds", &made, err));
    if (viscosity >= 0) {
        sab_yaml_drop(units, viscosity);
        units->faulty = false;
    }
cleanup:
    sab_yaml_destroy(&made);
    return status;
}

sab_status sab_case_convert(sab_faults *faults, sab_yaml *root, sab_error *err)
{
    const sab_yaml *section = sab_yaml_find(root, "units");
    sab_status status = SAB_OK;
    sab_units u = {0};

    if (section != NULL && sab_yaml_find(root, "grains") != NULL)
        SAB_FAIL(err, SAB_ERR_INPUT, "%s: not for grains, whose cases have units of their own yet",
                 sab_place_of_key(faults->file, section, "units").text);
    if (section != NULL) { /* without them nothing else can be said */
        SAB_TRY(sab_fault(faults, read_units(faults, section, &u, err), err));
        if (faults->n > 0)
            SAB_TRY(sab_faults_end(faults, err));
        SAB_TRY(sab_fault(faults, put_reynolds(faults, &u, root, err), err));
    }
    const int before = faults->n;
    SAB_TRY(convert(faults, &u, NULL, root, "", err));
    if (faults->n > before) /* texts that are no numbers would be reported again */
        status = sab_faults_end(faults, err);
cleanup:
    return status;
}
