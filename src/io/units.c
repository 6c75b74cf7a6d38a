/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct unit {
    const char *name;
    double factor; /* SI; of angles: degrees */
    sab_dimension dimension;
} unit;

static const unit table[] = {
    {"m", 1.0, {0, 1, 0, false}},     {"cm", 1e-2, {0, 1, 0, false}},
    {"mm", 1e-3, {0, 1, 0, false}},   {"um", 1e-6, {0, 1, 0, false}},
    {"km", 1e3, {0, 1, 0, false}},    {"s", 1.0, {0, 0, 1, false}},
    {"ms", 1e-3, {0, 0, 1, false}},   {"min", 60.0, {0, 0, 1, false}},
    {"h", 3600.0, {0, 0, 1, false}},  {"kg", 1.0, {1, 0, 0, false}},
    {"g", 1e-3, {1, 0, 0, false}},    {"t", 1e3, {1, 0, 0, false}},
    {"N", 1.0, {1, 1, -2, false}},    {"kN", 1e3, {1, 1, -2, false}},
    {"Pa", 1.0, {1, -1, -2, false}},  {"hPa", 1e2, {1, -1, -2, false}},
    {"kPa", 1e3, {1, -1, -2, false}}, {"MPa", 1e6, {1, -1, -2, false}},
    {"bar", 1e5, {1, -1, -2, false}}, {"mbar", 1e2, {1, -1, -2, false}},
    {"J", 1.0, {1, 2, -2, false}},    {"W", 1.0, {1, 2, -3, false}},
    {"l", 1e-3, {0, 3, 0, false}},    {"Hz", 1.0, {0, 0, -1, false}},
    {"deg", 1.0, {0, 0, 0, true}},    {"rad", 57.295779513082320877, {0, 0, 0, true}},
};
enum { UNITS = sizeof table / sizeof table[0] };

/* The dimensions that keys and results have, by the unit of the schema; the first name is SI. */
static const struct {
    const char *key, *name, *kind;
    sab_dimension dimension;
} known[] = {
    {"L", "m", "a length (2 cm)", {0, 1, 0, false}},
    {"sqrt(L/g)", "s", "a time (0.1 s)", {0, 0, 1, false}},
    {"s", "s", "a time on the clock (60 s, 5 min)", {0, 0, 1, false}},
    {"sqrt(g L)", "m/s", "a velocity (3 mm/s)", {0, 1, -1, false}},
    {"rho g L", "Pa", "a stress (1.2 kPa)", {1, -1, -2, false}},
    {"rho sqrt(g L)", "Pa s/m", "a stress per velocity (5 Pa s/m)", {1, -2, -1, false}},
    {"g", "m/s^2", "an acceleration (9.81 m/s^2)", {0, 1, -2, false}},
    {"degree", "deg", "an angle (30 deg)", {0, 0, 0, true}},
    {"m", "m", "a length (0.2 m)", {0, 1, 0, false}},
    {"kg/m^3", "kg/m^3", "a density (1600 kg/m^3)", {1, -3, 0, false}},
    {"m/s^2", "m/s^2", "an acceleration (9.81 m/s^2)", {0, 1, -2, false}},
    {"Pa s", "Pa s", "a viscosity (10 Pa s)", {1, -1, -1, false}},
    {"", "kg/s", "a mass flow", {1, 0, -1, false}},
    {"", "kg/s/m", "a mass flow per width", {1, -1, -1, false}}, /* = Pa s: see the name */
    {"", "m^3/s", "a volume flow", {0, 3, -1, false}},
    {"", "m^2/s", "a volume flow per width", {0, 2, -1, false}},
    {"", "N", "a force", {1, 1, -2, false}},
    {"", "N/m", "a force per width", {1, 0, -2, false}},
    {"", "J", "an energy", {1, 2, -2, false}},
    {"", "W", "a power", {1, 2, -3, false}},
    {"", "W/m", "a power per width", {1, 1, -3, false}},
    {"", "1/s", "a rate", {0, 0, -1, false}},
    {"", "m^2", "an area", {0, 2, 0, false}},
    {"", "m^3", "a volume", {0, 3, 0, false}},
    {"", "kg", "a mass", {1, 0, 0, false}},
    {"", "kg/m", "a mass per width", {1, -1, 0, false}},
};
enum { KNOWN = sizeof known / sizeof known[0] };

bool sab_dimension_equal(sab_dimension a, sab_dimension b)
{
    return a.kg == b.kg && a.m == b.m && a.s == b.s && a.angle == b.angle;
}

bool sab_quantity_is_one(const char *text)
{
    static const char *const variables[] = {"x", "y", "z", "r", "pi", "shear_rate", "pressure"};
    const char *digits = text + strspn(text, "+-");
    char *end = NULL;

    if (!isdigit((unsigned char)digits[0]) && digits[0] != '.')
        return false;
    if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
        return false;
    strtod(text, &end);
    if (end == text)
        return false;
    end += strspn(end, " ");
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        if (strcmp(end, variables[i]) == 0)
            return false;
    return isalpha((unsigned char)*end) &&
           strspn(end, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/^-* ") ==
               strlen(end);
}

/* One factor, "m^3" at *at, to the power `sign`; *at moves behind it. */
static bool take_factor(const char **at, int sign, double *value, sab_dimension *d)
{
    const size_t n = strspn(*at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    int power = 1;

    for (int i = 0; i < UNITS; i++) {
        if (strlen(table[i].name) != n || strncmp(table[i].name, *at, n) != 0)
            continue;
        const char *behind = *at + n;
        if (*behind == '^') {
            char *end;
            const long given = strtol(behind + 1, &end, 10);

            if (end == behind + 1 || given < -6 || given > 6 || given == 0)
                return false;
            power = (int)given;
            behind = end;
        }
        power *= sign;
        *value *= pow(table[i].factor, power);
        d->kg += power * table[i].dimension.kg;
        d->m += power * table[i].dimension.m;
        d->s += power * table[i].dimension.s;
        d->angle = d->angle || table[i].dimension.angle;
        *at = behind;
        return true;
    }
    return false;
}

bool sab_quantity_parse(const char *text, double *value, sab_dimension *dimension,
                        const char **unknown)
{
    char *end;
    const char *at;
    int sign = 1;

    *value = strtod(text, &end);
    *dimension = (sab_dimension){0};
    for (at = end + strspn(end, " "); *at != '\0';) {
        *unknown = at;
        if (!take_factor(&at, sign, value, dimension))
            return false;
        sign = 1;
        while (*at == ' ' || *at == '*')
            at++;
        if (*at == '/') {
            sign = -1;
            at += 1 + strspn(at + 1, " ");
            if (*at == '\0')
                return false;
        }
    }
    return isfinite(*value);
}

bool sab_dimension_of_key(const char *text, sab_dimension *dimension)
{
    for (int i = 0; i < KNOWN && text != NULL; i++)
        if (text[0] != '\0' && strcmp(known[i].key, text) == 0) {
            *dimension = known[i].dimension;
            return true;
        }
    return false;
}

const char *sab_dimension_name(sab_dimension d, char *buffer, size_t size)
{
    for (int i = KNOWN - 1; i >= 0; i--)
        if (sab_dimension_equal(known[i].dimension, d)) {
            snprintf(buffer, size, "%s", known[i].name);
            return buffer;
        }
    snprintf(buffer, size, "kg^%d m^%d s^%d", d.kg, d.m, d.s);
    return buffer;
}

const char *sab_dimension_kind(sab_dimension d)
{
    for (int i = 0; i < KNOWN; i++)
        if (sab_dimension_equal(known[i].dimension, d))
            return known[i].kind;
    return d.kg == 0 && d.m == 0 && d.s == 0 ? "a pure number" : "another quantity";
}

double sab_units_scale(const sab_units *u, sab_dimension d)
{
    const double mass = d.kg == 0        ? 1.0
                        : u->has_density ? pow(u->density * pow(u->length, 3.0), d.kg)
                                         : NAN;

    /* T^s with T = sqrt(L/g) */
    return mass * pow(u->length, d.m) * pow(u->length / u->gravity, 0.5 * d.s);
}

/* ---- results --------------------------------------------------------------------------------- */

static const sab_dimension none,
    length = {0, 1, 0, false}, rate = {0, 0, -1, false}, velocity = {0, 1, -1, false},
    stress = {1, -1, -2, false}, mass = {1, 0, 0, false}, force = {1, 1, -2, false},
    energy = {1, 2, -2, false}, power = {1, 2, -3, false}, volume = {0, 3, 0, false},
    degrees = {0, 0, 0, true};

static sab_dimension of_field(sab_probe_field field)
{
    switch (field) {
    case SAB_FIELD_VELOCITY:
        return velocity;
    case SAB_FIELD_PRESSURE:
    case SAB_FIELD_STRESS:
    case SAB_FIELD_SHEAR_STRESS:
        return stress;
    case SAB_FIELD_SHEAR_RATE:
        return rate;
    default:
        return none;
    }
}

static sab_dimension of_integral(sab_integral integral)
{
    if (sab_integral_is_area(integral) || sab_integral_is_volume(integral))
        return volume;
    return integral == SAB_INTEGRAL_KINETIC_ENERGY ? energy : power;
}

static sab_dimension of_grains(sab_carried grains)
{
    switch (grains) {
    case SAB_CARRIED_MASS:
        return mass;
    case SAB_CARRIED_CENTRE:
        return length;
    case SAB_CARRIED_ANGLE:
    case SAB_CARRIED_LEAN:
        return degrees;
    case SAB_CARRIED_KINETIC_ENERGY:
    case SAB_CARRIED_POTENTIAL_ENERGY:
        return energy;
    case SAB_CARRIED_SPEED:
        return velocity;
    case SAB_CARRIED_MOMENTUM:
        return (sab_dimension){1, 1, -1, false};
    default:
        return none;
    }
}

/* Of a whole body in space, and whether it is a sum over it. */
static sab_dimension of_probe(const sab_probe *p, bool has_density, bool *extensive)
{
    *extensive = false;
    switch (p->kind) {
    case SAB_PROBE_FLUX:
        *extensive = true;
        return has_density ? (sab_dimension){1, 0, -1, false} : (sab_dimension){0, 3, -1, false};
    case SAB_PROBE_FORCE:
        return force; /* a sum too, but its mirror image points elsewhere */
    case SAB_PROBE_INTEGRAL:
        *extensive = true;
        return of_integral(p->integral);
    case SAB_PROBE_GRAINS: {
        const sab_dimension d = of_grains(p->grains);

        *extensive = d.kg == 1 && p->grains != SAB_CARRIED_MOMENTUM; /* as of a force */
        return d;
    }
    case SAB_PROBE_LEFT:
    case SAB_PROBE_FED:
        *extensive = true;
        return mass;
    case SAB_PROBE_FRONT:
    case SAB_PROBE_HEIGHT:
        return length;
    case SAB_PROBE_TRACTION:
    case SAB_PROBE_WALL_LOAD:
        return stress;
    default:
        return of_field(p->field);
    }
}

bool sab_units_of_probe(const sab_probe *probe, const sab_geometry *geometry,
                        const sab_units *units, sab_dimension *dimension, double *scale,
                        bool *extensive)
{
    *dimension = of_probe(probe, units->has_density, extensive);
    const bool vector = probe->kind == SAB_PROBE_FORCE ||
                        (probe->kind == SAB_PROBE_GRAINS && probe->grains == SAB_CARRIED_MOMENTUM);
    if (geometry->dim == 2 && !geometry->axis && (*extensive || vector))
        dimension->m--; /* per metre across the plane */
    *scale = sab_units_scale(units, *dimension);
    return !sab_dimension_equal(*dimension, none) && !dimension->angle;
}

bool sab_units_of_column(const char *name, const sab_units *units, sab_dimension *dimension,
                         double *scale)
{
    static const struct {
        const char *name; /* or its beginning, before _ */
        const sab_dimension *dimension;
    } column[] = {{"s", &length},          {"x", &length},       {"y", &length},
                  {"z", &length},          {"r", &length},       {"height", &length},
                  {"velocity", &velocity}, {"slip", &velocity},  {"opening", &velocity},
                  {"pressure", &stress},   {"stress", &stress},  {"shear_stress", &stress},
                  {"normal", &stress},     {"shear", &stress},   {"vertical", &stress},
                  {"janssen", &stress},    {"shear_rate", &rate}};
    size_t best = 0;

    *dimension = none;
    for (size_t i = 0; i < sizeof column / sizeof column[0]; i++) {
        const size_t n = strlen(column[i].name);

        if (n > best && strncmp(name, column[i].name, n) == 0 &&
            (name[n] == '\0' || name[n] == '_')) {
            best = n;
            *dimension = *column[i].dimension;
        }
    }
    *scale = sab_units_scale(units, *dimension);
    return best > 0 && isfinite(*scale);
}
