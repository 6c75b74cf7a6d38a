/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fem/probe.h"

const char *const sab_probe_kind_name[SAB_PROBE_KINDS] = {
    [SAB_PROBE_FLUX] = "flux",
    [SAB_PROBE_FORCE] = "force",
    [SAB_PROBE_POINT] = "point",
    [SAB_PROBE_LINE] = "line",
    [SAB_PROBE_PLANE] = "plane",
    [SAB_PROBE_TRACTION] = "traction",
    [SAB_PROBE_WALL_LOAD] = "wall_load",
    [SAB_PROBE_INTEGRAL] = "integral",
    [SAB_PROBE_GRAINS] = "grains",
    [SAB_PROBE_LEFT] = "left",
    [SAB_PROBE_FED] = "fed",
    [SAB_PROBE_FRONT] = "front",
    [SAB_PROBE_HEIGHT] = "height",
};

const char *const sab_probe_field_name[SAB_FIELD_COUNT] = {
    [SAB_FIELD_VELOCITY] = "velocity",
    [SAB_FIELD_PRESSURE] = "pressure",
    [SAB_FIELD_STRESS] = "stress",
    [SAB_FIELD_SHEAR_RATE] = "shear_rate",
    [SAB_FIELD_SHEAR_STRESS] = "shear_stress",
    [SAB_FIELD_YIELD_RATIO] = "yield_ratio",
    [SAB_FIELD_FRICTION] = "friction",
    [SAB_FIELD_INERTIAL_NUMBER] = "inertial_number",
    [SAB_FIELD_FRACTION] = "fraction",
};

const char *const sab_force_part_name[SAB_FORCE_PARTS] = {
    [SAB_FORCE_TOTAL] = "total",
    [SAB_FORCE_CONTACT] = "contact",
    [SAB_FORCE_VISCOUS] = "viscous",
    [SAB_FORCE_RECOVERED] = "recovered",
};

const char *const sab_integral_name[SAB_INTEGRAL_COUNT] = {
    [SAB_INTEGRAL_KINETIC_ENERGY] = "kinetic_energy",
    [SAB_INTEGRAL_VISCOUS_DISSIPATION] = "viscous_dissipation",
    [SAB_INTEGRAL_FRICTION_DISSIPATION] = "friction_dissipation",
    [SAB_INTEGRAL_GRAVITY_POWER] = "gravity_power",
    [SAB_INTEGRAL_WALL_FRICTION_DISSIPATION] = "wall_friction_dissipation",
    [SAB_INTEGRAL_AREA] = "area",
    [SAB_INTEGRAL_YIELDED_AREA] = "yielded_area",
    [SAB_INTEGRAL_MOVING_AREA] = "moving_area",
    [SAB_INTEGRAL_VOLUME] = "volume",
    [SAB_INTEGRAL_YIELDED_VOLUME] = "yielded_volume",
    [SAB_INTEGRAL_MOVING_VOLUME] = "moving_volume",
};

const char *const sab_carried_name[SAB_CARRIED_KINDS] = {
    [SAB_CARRIED_MASS] = "mass",
    [SAB_CARRIED_CENTRE] = "centre",
    [SAB_CARRIED_ANGLE] = "angle",
    [SAB_CARRIED_LEAN] = "lean",
    [SAB_CARRIED_KINETIC_ENERGY] = "kinetic_energy",
    [SAB_CARRIED_POTENTIAL_ENERGY] = "potential_energy",
    [SAB_CARRIED_SPEED] = "speed",
    [SAB_CARRIED_MOMENTUM] = "momentum",
    [SAB_CARRIED_EXCESS] = "excess",
    [SAB_CARRIED_COUNT_OF] = "points",
    [SAB_CARRIED_FEWEST] = "fewest",
};

bool sab_integral_is_area(sab_integral integral)
{
    return integral >= SAB_INTEGRAL_AREA && integral <= SAB_INTEGRAL_MOVING_AREA;
}

bool sab_integral_is_volume(sab_integral integral)
{
    return integral >= SAB_INTEGRAL_VOLUME && integral <= SAB_INTEGRAL_MOVING_VOLUME;
}

bool sab_integral_is_moving(sab_integral integral)
{
    return integral == SAB_INTEGRAL_MOVING_AREA || integral == SAB_INTEGRAL_MOVING_VOLUME;
}

bool sab_probe_is_profile(const sab_probe *probe)
{
    return probe->kind == SAB_PROBE_LINE || probe->kind == SAB_PROBE_PLANE ||
           probe->kind == SAB_PROBE_TRACTION || probe->kind == SAB_PROBE_WALL_LOAD ||
           probe->kind == SAB_PROBE_HEIGHT;
}
