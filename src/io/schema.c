/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/schema.h"
#include "io/case.h"

#include <stdio.h>
#include <string.h>

#define CHOICES(function, ...)                                                                     \
    static const char *function(int i)                                                             \
    {                                                                                              \
        static const char *const name[] = {__VA_ARGS__};                                           \
        return i < (int)(sizeof name / sizeof name[0]) ? name[i] : NULL;                           \
    }
/* in the order of the enumeration (or false, true) that holds the choice */
CHOICES(geometry_choice, "plane", "axisymmetric", "space")
CHOICES(element_choice, "p2", "p2b", "p2nb")
CHOICES(split_choice, "alfeld", "none")
CHOICES(scheme_choice, "creeping", "inertial")
CHOICES(linear_choice, "auto", "cholmod", "mumps", "amg")
CHOICES(ordering_choice, "auto", "amd", "metis")
CHOICES(precision_choice, "float64", "float32")
CHOICES(contact_choice, "coulomb", "relaxed", "fixed-point")

static const char *method_choice(int i)
{
    return i < SAB_METHOD_COUNT ? sab_method_table[i].name : NULL;
}

static const char *friction_choice(int i)
{
    return i < SAB_FRICTION_MODES ? sab_friction_mode_name[i] : NULL;
}

static const char *field_choice(int i)
{
    return i < SAB_FIELD_COUNT ? sab_probe_field_name[i] : NULL;
}

static const char *part_choice(int i)
{
    return i < SAB_FORCE_PARTS ? sab_force_part_name[i] : NULL;
}

static const char *integral_choice(int i)
{
    return i < SAB_INTEGRAL_COUNT ? sab_integral_name[i] : NULL;
}

static const char *grains_choice(int i)
{
    return i < SAB_CARRIED_KINDS ? sab_carried_name[i] : NULL;
}

static const char *const with_samples[] = {"line", "plane", "traction", "height", NULL};
static const char *const with_place[] = {"point", "line", "plane", NULL};
static const char *const with_grains[] = {"grains", NULL};
static const char *const with_grid[] = {"grid", NULL};
static const char *const with_rain[] = {"rain", NULL};
static const char *const with_smallest[] = {"smallest", NULL};
static const char *const with_box[] = {"grid", "rain", NULL};
static const char *const with_point[] = {"point", NULL};
static const char *const with_segment[] = {"segment", NULL};
static const char *const with_radius_y[] = {"radius_y", NULL};
static const char *const with_angle[] = {"angle", NULL};
static const char *const with_force[] = {"force", NULL};
static const char *const with_integral[] = {"integral", NULL};

#define IN(type, member) .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)
#define FLAG(type, member) .flag = offsetof(type, member)
#define AT_LEAST(a) .range = SAB_HAS_MIN, .min = (a)
#define ABOVE(a) .range = SAB_HAS_MIN | SAB_MIN_OPEN, .min = (a)
#define BETWEEN(a, b) .range = SAB_HAS_MIN | SAB_HAS_MAX, .min = (a), .max = (b)
#define INSIDE(a, b)                                                                               \
    .range = SAB_HAS_MIN | SAB_HAS_MAX | SAB_MIN_OPEN | SAB_MAX_OPEN, .min = (a), .max = (b)
#define ABOVE_UP_TO(a, b) .range = SAB_HAS_MIN | SAB_HAS_MAX | SAB_MIN_OPEN, .min = (a), .max = (b)
#define FROM_BELOW(a, b) .range = SAB_HAS_MIN | SAB_HAS_MAX | SAB_MAX_OPEN, .min = (a), .max = (b)

#define UNIT_LENGTH "L"
#define UNIT_TIME "sqrt(L/g)"
#define UNIT_VELOCITY "sqrt(g L)"
#define UNIT_STRESS "rho g L"

/* SAB_KEY_SEGMENT writes both ends at once */
_Static_assert(offsetof(sab_probe, to) == offsetof(sab_probe, from) + sizeof(double[3]),
               "the ends of a line are neighbours");
/* and SAB_KEY_PAIR both numbers */
_Static_assert(offsetof(sab_probe, across) == offsetof(sab_probe, samples) + sizeof(int),
               "the samples of a plane are neighbours");

/* The order is that of the resolved case and of the documentation. */
static const sab_key table[] = {
    {"title", SAB_KEY_TEXT, .fallback = "\"\"", IN(sab_case, title),
     .help = "One line for people; it goes to the summary"},
    {"geometry", SAB_KEY_CHOICE, .fallback = "plane", .choice = geometry_choice,
     .help = "plane: x, y; axisymmetric: r >= 0 and z, the axis at r = 0, without swirl, fluxes, "
             "forces and volumes those of the whole body; space: x, y, z"},

    {"symmetry", SAB_KEY_INTEGER, .fallback = "1", IN(sab_case, symmetry), BETWEEN(1.0, 1000.0),
     .help = "So many copies of what is computed make the whole, 2 for one half of a silo: results "
             "stay those of the part, and totals of fluxes, masses, energies and volumes are given "
             "too"},
    {"units", SAB_KEY_MAP, .fallback = "", FLAG(sab_case, units.given),
     .help = "What the dimensionless numbers stand for: keys with a unit then take values such as "
             "2 cm or 1.2 kPa, plain numbers stay dimensionless, and results are given in SI too"},
    {"units.length", SAB_KEY_QUANTITY, .unit = "m", IN(sab_case, units.length), ABOVE(0.0),
     .help = "L: one unit of length of mesh and case"},
    {"units.density", SAB_KEY_QUANTITY, .unit = "kg/m^3", .fallback = "",
     IN(sab_case, units.density), FLAG(sab_case, units.has_density), ABOVE(0.0),
     .help = "rho of the flowing grains, the bulk density; needed by masses, forces and stresses"},
    {"units.gravity", SAB_KEY_QUANTITY, .unit = "m/s^2", .fallback = "9.81 m/s^2",
     IN(sab_case, units.gravity), ABOVE(0.0), .help = "g: one unit of acceleration"},
    {"units.viscosity", SAB_KEY_QUANTITY, .unit = "Pa s", .fallback = "",
     IN(sab_case, units.viscosity), AT_LEAST(0.0),
     .help = "Instead of material.reynolds, which it gives: rho sqrt(g L) L / viscosity; 0: inf"},

    {"mesh", SAB_KEY_MAP, .fallback = "{}", .lifted = "grains",
     .help = "The domain; of grains, if they have one, that of walls that are groups of it"},
    {"mesh.file", SAB_KEY_NAME, IN(sab_case, mesh_file),
     .help = "Gmsh .geo (meshed in-process) or .msh (2.2 or 4.1), relative to the case file"},
    {"mesh.parameters", SAB_KEY_NAMES, .fallback = "",
     .help = "Numbers that replace those of DefineConstant in a .geo"},
    {"mesh.parameters.*", SAB_KEY_NUMBER, IN(sab_mesh_parameter, value),
     .help = "Value of the constant of that name; with units also a length (2 cm)"},
    {"mesh.element", SAB_KEY_CHOICE, .fallback = "p2", .choice = element_choice,
     .help = "Velocity. p2: quadratic, stable pressures on split meshes; p2b: with a cubic bubble "
             "per triangle, stable on any mesh; p2nb, the default in space and of space only: with "
             "a bubble along the normal of each face and one in each tetrahedron"},
    {"mesh.split", SAB_KEY_CHOICE, .fallback = "alfeld", .choice = split_choice,
     IN(sab_case, split),
     .help = "alfeld: each triangle into three; none: as meshed, the default if element is p2b or "
             "p2nb"},

    {"material", SAB_KEY_MAP, .fallback = "{}", .unless = "grains",
     .help = "The rheology: flow where sqrt(J2) = friction * pressure + bingham"},
    {"material.friction", SAB_KEY_FUNCTION_OR_MAP, .unless = "mu_i",
     IN(sab_case, material.friction), AT_LEAST(0.0),
     .help = "Coefficient of internal friction, sqrt(J2)/pressure at yield, at most 0.866 outside "
             "the plane; or {angle: ..., in: ...}; or mu_i in its place"},
    {"material.friction.angle", SAB_KEY_FUNCTION, .unit = "degree", .fallback = "",
     IN(sab_case, material.friction), FLAG(sab_case, material.friction_is_angle),
     FROM_BELOW(0.0, 90.0), .help = "Friction angle instead of the coefficient"},
    {"material.friction.in", SAB_KEY_CHOICE, .fallback = "", .with = with_angle,
     .choice = friction_choice, IN(sab_case, material.friction_in),
     FLAG(sab_case, material.has_friction_in),
     .help = "The motion in which the angle was measured (listed below). In the plane only plane, "
             "the default, and shear; else there is no default, because one circular cone fits "
             "one of them"},
    {"material.mu_i", SAB_KEY_MAP, .fallback = "", FLAG(sab_case, material.has_mu_i),
     .help = "Instead of friction: a coefficient that grows with the inertial number I = 2 "
             "shear_rate grain/sqrt(pressure)"},
    {"material.mu_i.static", SAB_KEY_NUMBER, IN(sab_case, material.mu_i.resting), AT_LEAST(0.0),
     .help = "Friction coefficient as I goes to 0"},
    {"material.mu_i.dynamic", SAB_KEY_NUMBER, IN(sab_case, material.mu_i.flowing), AT_LEAST(0.0),
     .help = "Friction coefficient as I grows; at least the static one"},
    {"material.mu_i.I0", SAB_KEY_NUMBER, IN(sab_case, material.mu_i.I0), ABOVE(0.0),
     .help = "The inertial number half way between both"},
    {"material.mu_i.grain", SAB_KEY_NUMBER, .unit = UNIT_LENGTH, IN(sab_case, material.mu_i.grain),
     ABOVE(0.0),
     .help = "Diameter d of the grains, times phi^(-1/2) if they fill the part phi of the volume: "
             "I of the literature has the density of the grains, the unit here is that of the "
             "flow. For phi = 0.6 give 1.29 d"},
    {"material.dilatancy", SAB_KEY_FUNCTION, .fallback = "0", IN(sab_case, material.dilatancy),
     AT_LEAST(0.0), .help = "Dilatancy coefficient, at most the friction coefficient"},
    {"material.reynolds", SAB_KEY_FUNCTION_OR_INF, IN(sab_case, material.reynolds), ABOVE(0.0),
     .help = "Re = rho sqrt(g L) L / viscosity; with units the default of inertial flow is inf, no "
             "viscosity"},
    {"material.bingham", SAB_KEY_FUNCTION, .unit = UNIT_STRESS, .fallback = "0",
     IN(sab_case, material.bingham), AT_LEAST(0.0),
     .help = "Cohesion: the yield stress at zero pressure"},
    {"material.bulk", SAB_KEY_NUMBER, .fallback = "1", IN(sab_case, material.bulk),
     ABOVE_UP_TO(0.0, 1.0),
     .help = "Factor b of the part of the viscous stress that "
             "resists changes of volume"},
    {"material.viscosity", SAB_KEY_STATE_FUNCTION, .fallback = "", IN(sab_case, material.viscosity),
     FLAG(sab_case, material.has_viscosity), ABOVE(0.0),
     .help = "Factor of the viscosity 1/Re, by fixed point; \"shear_rate\" is Bagnold's law"},

    {"gravity", SAB_KEY_VECTOR, .unit = "g", IN(sab_case, gravity),
     .help = "Body force, usually [0, -1], in space [0, 0, -1]; about an axis without radial part"},

    {"boundaries", SAB_KEY_NAMES, .unless = "grains",
     .help =
         "One entry per boundary group of the mesh, in any order. A node that groups share takes "
         "the stricter condition (velocity, then wall, then slip, then traction), and of two "
         "velocities the one at rest"},
    {"boundaries.*", SAB_KEY_MAP, .help = "Conditions on the group of that name or number"},
    {"boundaries.*.velocity", SAB_KEY_VECTOR_OR_FREE, .unit = UNIT_VELOCITY, .fallback = "",
     IN(sab_boundary, velocity), FLAG(sab_boundary, has_velocity),
     .help = "Prescribed velocity; `free` leaves a component to the traction"},
    {"boundaries.*.slip", SAB_KEY_BOOLEAN, .fallback = "", IN(sab_boundary, slip),
     .help = "true: no flow through the wall, no friction along it"},
    {"boundaries.*.wall", SAB_KEY_MAP, .fallback = "", FLAG(sab_boundary, has_wall),
     .help = "A wall with friction, which grains may leave but not enter"},
    {"boundaries.*.wall.friction", SAB_KEY_FUNCTION, IN(sab_boundary, wall.friction), AT_LEAST(0.0),
     .help = "Coefficient of wall friction, the tangent of the angle: shear over normal stress "
             "where grains slide"},
    {"boundaries.*.wall.adhesion", SAB_KEY_FUNCTION, .unit = UNIT_STRESS, .fallback = "0",
     IN(sab_boundary, wall.adhesion), AT_LEAST(0.0),
     .help = "Shear stress that the wall bears without any normal stress"},
    {"boundaries.*.wall.velocity", SAB_KEY_VECTOR, .unit = UNIT_VELOCITY, .fallback = "",
     IN(sab_boundary, wall.velocity), FLAG(sab_boundary, wall.has_velocity),
     .help = "Of the wall, a belt or a drum; only the part along it counts"},
    {"boundaries.*.wall.speed", SAB_KEY_FUNCTION, .unit = UNIT_VELOCITY, .fallback = "",
     IN(sab_boundary, wall.speed), FLAG(sab_boundary, wall.has_speed),
     .help = "Instead: along the wall, positive anticlockwise around the domain; not in space"},
    {"boundaries.*.wall.drag", SAB_KEY_FUNCTION, .unit = "rho sqrt(g L)", .fallback = "0",
     IN(sab_boundary, wall.drag), AT_LEAST(0.0),
     .help = "Shear stress per velocity of slip, beside friction"},
    {"boundaries.*.traction", SAB_KEY_VECTOR_OR_ZERO, .unit = UNIT_STRESS, .fallback = "",
     IN(sab_boundary, traction), FLAG(sab_boundary, has_traction),
     .help =
         "Total traction of the outside on the grains; 0 is a free surface or an outlet. With "
         "inertia, material enters here with the mean velocity of all that does; give its velocity "
         "if it is fed"},
    {"boundaries.*.pressure", SAB_KEY_FUNCTION, .unit = UNIT_STRESS, .fallback = "",
     IN(sab_boundary, pressure), FLAG(sab_boundary, has_pressure),
     .help = "Pressure p from outside: the traction -p n"},
    {"boundaries.*.periodic", SAB_KEY_NAME, .fallback = "", IN(sab_boundary, periodic),
     .help = "The flow goes on at this group, which has no entry of its own and the same nodes, "
             "moved; a pressure beside it is the difference between both"},
    {"boundaries.*.inflow", SAB_KEY_MAP, .fallback = "", .inertial = true,
     FLAG(sab_boundary, has_inflow), .help = "With a moving surface: grains are fed here"},
    {"boundaries.*.inflow.velocity", SAB_KEY_VECTOR, .unit = UNIT_VELOCITY,
     IN(sab_boundary, velocity), .help = "Of what comes in; it must not go out"},
    {"boundaries.*.inflow.fill", SAB_KEY_FUNCTION, .fallback = "1", IN(sab_boundary, fill),
     BETWEEN(0.0, 1.0), .help = "Of what comes in: 1 where grains touch"},
    {"boundaries.*.opens", SAB_KEY_NUMBER, .unit = UNIT_TIME, .fallback = "", .inertial = true,
     IN(sab_boundary, opens), ABOVE(0.0),
     .help =
         "A wall (velocity 0, slip or wall) until this time, a whole number of steps; then it is "
         "taken away, and the side is open, as with traction: 0"},
    {"boundaries.*.over", SAB_KEY_LIST, .fallback = "",
     .help = "Groups whose condition does not count at the nodes they share with this one"},

    {"surface", SAB_KEY_MAP, .fallback = "", .unless = "grains", .inertial = true,
     FLAG(sab_case, has_surface),
     .help = "A free surface that moves: the grains are where initial.fill puts them, the rest of "
             "the mesh is void; sides with traction: 0 let them out"},
    {"surface.points", SAB_KEY_INTEGER, .fallback = "3", IN(sab_case, surface_points),
     BETWEEN(1.0, 8.0),
     .help = "Points that carry the mass: so many per side of an element, 9 in a triangle for 3"},
    {"surface.dense", SAB_KEY_NUMBER, .fallback = "0.8", IN(sab_case, surface_dense),
     ABOVE_UP_TO(0.0, 1.0), .help = "Fill from which grains inside touch each other"},
    {"surface.contact", SAB_KEY_NUMBER, .fallback = "0.1", IN(sab_case, surface_contact),
     ABOVE_UP_TO(0.0, 1.0),
     .help = "Fill from which an element that the surface passes bears stress"},
    {"surface.correct", SAB_KEY_BOOLEAN, .fallback = "true", IN(sab_case, surface_correct),
     .help = "Move grains that stand where there is no room to where there is, after each step"},
    {"surface.fewest", SAB_KEY_INTEGER, .fallback = "18", IN(sab_case, surface_fewest),
     BETWEEN(0.0, 1000.0),
     .help = "Where an element inside has fewer points than this, heavy ones are halved; 0: never"},
    {"surface.band", SAB_KEY_NUMBER, .fallback = "0.01", IN(sab_case, surface_band),
     BETWEEN(0.0, 1.0),
     .help = "Fill above 1 that they may have: the noise of points that carry mass"},

    {"grains", SAB_KEY_MAP, .fallback = "", .inertial = true, FLAG(sab_case, has_grains),
     .help = "Rigid discs (geometry: plane) or spheres (space) with friction, in the place of "
             "material and boundaries; any consistent units"},
    {"grains.radius", SAB_KEY_RANGE, .unit = UNIT_LENGTH, .fallback = "",
     IN(sab_case, grains.radius), FLAG(sab_case, grains.has_radius), ABOVE(0.0),
     .help = "Of all, or uniform between two; a file has its own"},
    {"grains.radius_y", SAB_KEY_RANGE, .unit = UNIT_LENGTH, .fallback = "",
     IN(sab_case, grains.radius_y), FLAG(sab_case, grains.has_radius_y), ABOVE(0.0),
     .help = "In the plane: grains are ellipses with the semi-axis radius along their own x and "
             "this one along their y; of all, or uniform between two"},
    {"grains.angle", SAB_KEY_RANGE, .unit = "degree", .fallback = "", .with = with_radius_y,
     IN(sab_case, grains.angle), FLAG(sab_case, grains.has_angle),
     .help = "Of their own x with that of the room at time 0, of all or uniform between two; 0 if "
             "not given"},
    {"grains.density", SAB_KEY_NUMBER, .fallback = "1", .unless = "mass",
     IN(sab_case, grains.density), ABOVE(0.0),
     .help = "Mass per area of a disc or ellipse, volume of a ball"},
    {"grains.mass", SAB_KEY_RANGE, .fallback = "", IN(sab_case, grains.mass),
     FLAG(sab_case, grains.has_mass), ABOVE(0.0),
     .help = "Instead of the density: of all, or uniform between two"},
    {"grains.friction", SAB_KEY_NUMBER, IN(sab_case, grains.friction), AT_LEAST(0.0),
     .help = "Coefficient between grains"},
    {"grains.restitution", SAB_KEY_NUMBER, .fallback = "0", IN(sab_case, grains.restitution),
     BETWEEN(0.0, 1.0),
     .help = "Part of the normal speed of an impact between grains that returns"},
    {"grains.law", SAB_KEY_CHOICE, .fallback = "coulomb", .choice = contact_choice,
     IN(sab_case, grains.law),
     .help = "coulomb: exact; relaxed: convex, sliding contacts keep a gap friction * step * "
             "speed; fixed-point: relaxed programs, the gap taken back"},
    {"grains.fixed_point", SAB_KEY_NUMBER, .fallback = "1e-2", IN(sab_case, grains.fixed_point),
     INSIDE(0.0, 1.0), .help = "Relative change of the sliding speeds that ends fixed-point"},
    {"grains.travel", SAB_KEY_NUMBER, .fallback = "0.2", IN(sab_case, grains.travel), AT_LEAST(0.0),
     .help = "A step is made of several, so that no grain moves by more than this part of the "
             "smallest radius in one; 0: of one, whatever they do"},
    {"grains.reach", SAB_KEY_NUMBER, .unit = UNIT_LENGTH, .fallback = "0",
     IN(sab_case, grains.reach), AT_LEAST(0.0),
     .help = "Pairs up to this distance are candidates of contact, and all others that can meet in "
             "a step"},
    {"grains.overlap", SAB_KEY_NUMBER, .fallback = "1e-2", IN(sab_case, grains.overlap),
     INSIDE(0.0, 1.0),
     .help = "A step after which grains overlap by more than this part of a radius has missed"},
    {"grains.velocity", SAB_KEY_POINT, .unit = UNIT_VELOCITY, .fallback = "",
     IN(sab_case, grains.velocity), .help = "Of all at time 0; rest if not given"},
    {"grains.spin", SAB_KEY_NUMBER, .fallback = "0", IN(sab_case, grains.spin),
     .help = "Of all at time 0, anticlockwise; about z in space"},
    {"grains.periodic", SAB_KEY_MAP, .fallback = "{}",
     .help = "Directions in which the room repeats itself: grains that leave at the one end come "
             "in at the other, and touch across"},
    {"grains.periodic.x", SAB_KEY_RANGE, .unit = UNIT_LENGTH, .fallback = "",
     IN(sab_case, grains.box[0]), FLAG(sab_case, grains.has_box[0]),
     .help = "From where to where, two numbers"},
    {"grains.periodic.y", SAB_KEY_RANGE, .unit = UNIT_LENGTH, .fallback = "",
     IN(sab_case, grains.box[1]), FLAG(sab_case, grains.has_box[1]), .help = "Likewise"},
    {"grains.periodic.z", SAB_KEY_RANGE, .unit = UNIT_LENGTH, .fallback = "",
     IN(sab_case, grains.box[SAB_DIM - 1]), FLAG(sab_case, grains.has_box[SAB_DIM - 1]),
     .help = "Likewise, in space"},
    {"grains.fill", SAB_KEY_MAP, .help = "Where they are: exactly one of grid, rain, file"},
    {"grains.fill.grid", SAB_KEY_POINT, .fallback = "", IN(sab_case, grains.grid),
     FLAG(sab_case, grains.has_grid), AT_LEAST(1.0), .help = "So many along each axis"},
    {"grains.fill.rain", SAB_KEY_INTEGER, .fallback = "", IN(sab_case, grains.rain),
     FLAG(sab_case, grains.has_rain), AT_LEAST(1.0),
     .help = "So many at random places between low and high, where they touch nothing"},
    {"grains.fill.file", SAB_KEY_NAME, .fallback = "", IN(sab_case, grains.file),
     .help = "CSV with columns x, y, z, radius and, if given, mass, vx, vy, vz, wx, wy, wz, and of "
             "ellipses radius_y, angle; relative to the case file"},
    {"grains.fill.low", SAB_KEY_POINT, .unit = UNIT_LENGTH, .with = with_box,
     IN(sab_case, grains.low), .help = "Lowest corner of the grid or box"},
    {"grains.fill.high", SAB_KEY_POINT, .unit = UNIT_LENGTH, .with = with_rain,
     IN(sab_case, grains.high), .help = "Highest corner of the box"},
    {"grains.fill.pitch", SAB_KEY_NUMBER, .unit = UNIT_LENGTH, .with = with_grid,
     IN(sab_case, grains.pitch), ABOVE(0.0), .help = "Side of a cell of the grid"},
    {"grains.fill.jitter", SAB_KEY_NUMBER, .unit = UNIT_LENGTH, .fallback = "0", .with = with_grid,
     IN(sab_case, grains.jitter), AT_LEAST(0.0),
     .help = "Each coordinate is moved at random by up to this"},
    {"grains.fill.shift", SAB_KEY_NUMBER, .unit = UNIT_LENGTH, .fallback = "0", .with = with_grid,
     IN(sab_case, grains.shift), .help = "The lowest row, or layer, is moved by this along x"},
    {"grains.fill.seed", SAB_KEY_INTEGER, .fallback = "1", .with = with_box,
     IN(sab_case, grains.seed), AT_LEAST(0.0),
     .help = "Of the random numbers, the same on every machine"},

    {"walls", SAB_KEY_NAMES, .fallback = "", .with = with_grains,
     .help = "What grains meet, and where they leave"},
    {"walls.*", SAB_KEY_MAP, .help = "Exactly one of point (with normal), segment, group"},
    {"walls.*.point", SAB_KEY_POINT, .unit = UNIT_LENGTH, .fallback = "", IN(sab_case_wall, point),
     FLAG(sab_case_wall, has_point),
     .help = "A point of a plane: grains are on the side of its normal"},
    {"walls.*.normal", SAB_KEY_POINT, .with = with_point, IN(sab_case_wall, normal),
     .help = "Of the plane, of any length"},
    {"walls.*.segment", SAB_KEY_SEGMENT, .unit = UNIT_LENGTH, .fallback = "",
     IN(sab_case_wall, segment), FLAG(sab_case_wall, has_segment),
     .help = "In the plane: a wall between two points, with two sides"},
    {"walls.*.beads", SAB_KEY_NUMBER, .unit = UNIT_LENGTH, .fallback = "", .with = with_segment,
     IN(sab_case_wall, beads), ABOVE(0.0),
     .help = "In the place of the segment a row of glued discs of this radius along it, each "
             "touching the next: a rough wall"},
    {"walls.*.group", SAB_KEY_NAME, .fallback = "", IN(sab_case_wall, group),
     .help = "The sides of this boundary group of the mesh, or triangles in space"},
    {"walls.*.open", SAB_KEY_BOOLEAN, .fallback = "false", IN(sab_case_wall, open),
     .help = "true: no wall; grains that are wholly behind this plane have left"},
    {"walls.*.friction", SAB_KEY_NUMBER, .fallback = "", IN(sab_case_wall, friction),
     FLAG(sab_case_wall, has_friction), AT_LEAST(0.0),
     .help = "Coefficient between grains and wall; needed unless it is open"},
    {"walls.*.restitution", SAB_KEY_NUMBER, .fallback = "0", IN(sab_case_wall, restitution),
     BETWEEN(0.0, 1.0), .help = "As between grains"},
    {"walls.*.velocity", SAB_KEY_VECTOR, .unit = UNIT_VELOCITY, .fallback = "",
     IN(sab_case_wall, velocity), FLAG(sab_case_wall, has_velocity),
     .help = "Of the wall, which moves with it; numbers or formulas in t"},
    {"walls.*.until", SAB_KEY_NUMBER, .unit = UNIT_TIME, .fallback = "", IN(sab_case_wall, until),
     ABOVE(0.0), .help = "The wall is there until this time: a gate that opens"},

    {"coarse", SAB_KEY_MAP, .fallback = "", .with = with_grains, FLAG(sab_case, has_coarse),
     .help = "Grains as a continuum on the mesh: fields_NNNN.vtu, and probes of fields"},
    {"coarse.width", SAB_KEY_NUMBER, .unit = UNIT_LENGTH, IN(sab_case, coarse_width), ABOVE(0.0),
     .help = "What is at a place goes to the vertices nearer than this; one and a half to two "
             "diameters of a grain, and more than a side of the mesh"},

    {"time", SAB_KEY_MAP, .fallback = "{}", .help = "The kind of run"},
    {"time.scheme", SAB_KEY_CHOICE, .fallback = "creeping", .choice = scheme_choice,
     IN(sab_case, time.scheme),
     .help = "creeping: steady flow without inertia; inertial: time steps"},
    {"time.step", SAB_KEY_NUMBER, .unit = UNIT_TIME, .inertial = true, IN(sab_case, time.step),
     ABOVE(0.0), .help = "Length of a time step; with time.smallest of the longest"},
    {"time.smallest", SAB_KEY_NUMBER, .unit = UNIT_TIME, .fallback = "", .inertial = true,
     IN(sab_case, time.smallest), ABOVE(0.0),
     .help = "With a moving surface: steps are halved where grains are fast, but no step is "
             "shorter than this; if not given, all are time.step"},
    {"time.courant", SAB_KEY_NUMBER, .fallback = "0.25", .inertial = true, .with = with_smallest,
     IN(sab_case, time.courant), ABOVE(0.0),
     .help = "No grain goes farther than this part of an element in a step"},
    {"time.order", SAB_KEY_INTEGER, .fallback = "2", .inertial = true, IN(sab_case, time.order),
     BETWEEN(1.0, 2.0), .help = "Of the time scheme; 1 with a moving surface"},
    {"time.end", SAB_KEY_NUMBER, .unit = UNIT_TIME, .inertial = true, IN(sab_case, time.end),
     ABOVE(0.0), .help = "The run ends here, at the nearest whole number of steps"},
    {"time.steady", SAB_KEY_NUMBER, .fallback = "2e-3", .inertial = true, IN(sab_case, time.steady),
     FROM_BELOW(0.0, 1.0),
     .help = "Or earlier, when the mean of time.probe changes by less than this part between two "
             "windows; 0: never, the default with a moving surface"},
    {"time.window", SAB_KEY_NUMBER, .unit = UNIT_TIME, .fallback = "5", .inertial = true,
     IN(sab_case, time.window), ABOVE(0.0),
     .help = "Length of a window; the probes of the summary are means over the last one"},
    {"time.probe", SAB_KEY_NAME, .fallback = "", .inertial = true, IN(sab_case, time.probe),
     .help = "The probe that must be steady; if not given the first flux, or else the first probe "
             "of one number"},
    {"time.max_missed", SAB_KEY_INTEGER, .fallback = "100", .inertial = true,
     IN(sab_case, time.max_missed), AT_LEAST(0.0),
     .help = "Steps that may miss the tolerance of the solver before the run is given up"},

    {"initial", SAB_KEY_MAP, .fallback = "{}", .unless = "grains",
     .help = "How the run starts; from rest if not given"},
    {"initial.velocity", SAB_KEY_VECTOR, .unit = UNIT_VELOCITY, .fallback = "", .inertial = true,
     IN(sab_case, initial_velocity), FLAG(sab_case, has_initial_velocity),
     .help = "Velocity at time 0"},
    {"initial.fill", SAB_KEY_FUNCTION_OR_MAP, .fallback = "", IN(sab_case, initial_fill),
     FLAG(sab_case, has_initial_fill), BETWEEN(0.0, 1.0),
     .help =
         "With a moving surface: where grains are, 1 or \"x < 1 && y < 1\", best along sides of "
         "the mesh; or {group: NAME}"},
    {"initial.fill.group", SAB_KEY_NAME, .fallback = "", IN(sab_case, initial_group),
     .help = "The physical surface (in space volume) of the mesh that is full"},
    {"initial.from", SAB_KEY_NAME, .fallback = "", IN(sab_case, initial_from),
     .help = "checkpoint.sab of another run, relative to the case file: its velocity and stress, "
             "interpolated if the mesh is another one; a creeping flow takes the stress as a first "
             "guess"},

    {"solver", SAB_KEY_MAP, .fallback = "{}", .help = "How the cone program is solved"},
    {"solver.method", SAB_KEY_CHOICE, .fallback = "auto", .choice = method_choice,
     IN(sab_case, solver.method), .help = "Algorithm (listed below)"},
    {"solver.tolerance", SAB_KEY_NUMBER, .fallback = "3e-2", IN(sab_case, solver.tolerance),
     INSIDE(0.0, 1.0), .help = "On the relative power gap: 0.1 draft, 3e-2 usual, 1e-2 fine"},
    {"solver.change_tolerance", SAB_KEY_NUMBER, .fallback = "1e-2",
     IN(sab_case, solver.change_tolerance), ABOVE(0.0),
     .help = "On the relative change of the velocity between outer iterations"},
    {"solver.max_iterations", SAB_KEY_INTEGER, .fallback = "200",
     IN(sab_case, solver.max_iterations), AT_LEAST(1.0),
     .help = "Outer iterations; a run that needs more has not converged"},
    {"solver.inner", SAB_KEY_INTEGER, .fallback = "100", IN(sab_case, solver.inner), AT_LEAST(1.0),
     .help = "Steps per outer iteration"},
    {"solver.damping", SAB_KEY_NUMBER, .fallback = "0.5", IN(sab_case, solver.damping),
     ABOVE_UP_TO(0.0, 1.0), .help = "Of the outer update in the cadoux methods; 1 is undamped"},
    {"solver.anderson", SAB_KEY_INTEGER, .fallback = "8", IN(sab_case, solver.anderson),
     BETWEEN(1.0, 50.0), .help = "Depth of the memory of Anderson acceleration in pg-aa and dr-aa"},
    {"solver.linear", SAB_KEY_CHOICE, .fallback = "auto", .choice = linear_choice,
     IN(sab_case, solver.linear),
     .help =
         "Library that factors the sparse matrix; auto: mumps on several processes (mpirun) or "
         "with solver.blr, cholmod else; amg: none, but conjugate gradients with multigrid, for "
         "dr-aa and other first-order methods in a build with PETSc"},
    {"solver.ordering", SAB_KEY_CHOICE, .fallback = "auto", .choice = ordering_choice,
     IN(sab_case, solver.ordering),
     .help = "Order of elimination in a factorisation; auto: nested dissection (metis) in space, "
             "amd else"},
    {"solver.blr", SAB_KEY_NUMBER, .fallback = "0", IN(sab_case, solver.blr), FROM_BELOW(0.0, 1.0),
     .help =
         "Blocks of a factor are compressed to low rank within this part, and solutions refined; "
         "0: not. Only with mumps and a build with MPI; pays from some 1e5 unknowns in space on"},
    {"solver.viscosity_iterations", SAB_KEY_INTEGER, .fallback = "30",
     IN(sab_case, viscosity_max_iterations), AT_LEAST(1.0),
     .help =
         "Most cone programs of one flow or step, where mu_i or material.viscosity ask for more "
         "than one"},

    {"output", SAB_KEY_MAP, .fallback = "{}", .help = "What is written"},
    {"output.every", SAB_KEY_NUMBER, .unit = UNIT_TIME, .fallback = "", .inertial = true,
     IN(sab_case, output_every), AT_LEAST(0.0),
     .help =
         "Time between two files fields_NNNN.vtu, a twentieth of time.end if not given; 0: only "
         "the last"},
    {"output.checkpoint", SAB_KEY_NUMBER, .unit = "s", .fallback = "60", .inertial = true,
     IN(sab_case, output_checkpoint), AT_LEAST(0.0),
     .help = "Seconds on the clock between two checkpoints; 0: after every step"},
    {"output.precision", SAB_KEY_CHOICE, .fallback = "float64", .choice = precision_choice,
     IN(sab_case, output_float32), .help = "Floating-point numbers of the VTU files"},
    {"output.contacts", SAB_KEY_BOOLEAN, .fallback = "", .inertial = true,
     IN(sab_case, output_contacts),
     .help = "Of grains: write also contacts_NNNN.vtu, a line for each contact that bears"},
    {"output.gauss", SAB_KEY_BOOLEAN, .fallback = "false", IN(sab_case, output_gauss),
     .help = "Write also the stresses and strain rates at the Gauss points"},

    {"probes", SAB_KEY_NAMES, .fallback = "",
     .help = "Numbers to take from the flow; names of letters, digits, _ and -"},
    {"probes.*", SAB_KEY_MAP,
     .help =
         "Exactly one of flux, force, point, line, plane, traction, wall_load, integral, and of "
         "a moving surface grains, left, fed, front, height"},
    {"probes.*.flux", SAB_KEY_NAME, .unit = "sqrt(g L) L^(d-1)", .fallback = "",
     IN(sab_probe, group), .help = "Outward flux of the velocity through this boundary group"},
    {"probes.*.force", SAB_KEY_NAME, .unit = "rho g L^d", .fallback = "", IN(sab_probe, group),
     .help = "Force of the grains on this boundary group; about an axis its axial component"},
    {"probes.*.point", SAB_KEY_POINT, .unit = UNIT_LENGTH, .fallback = "", IN(sab_probe, from),
     .help = "A field at this point"},
    {"probes.*.line", SAB_KEY_SEGMENT, .unit = UNIT_LENGTH, .fallback = "", IN(sab_probe, from),
     .help = "A field along the segment between two points, to profiles/NAME.csv"},
    {"probes.*.plane", SAB_KEY_MAP, .fallback = "",
     .help = "In space, a field on the slice of the domain by this plane, to profiles/NAME.csv"},
    {"probes.*.plane.point", SAB_KEY_POINT, .unit = UNIT_LENGTH, IN(sab_probe, from),
     .help = "A point of the plane"},
    {"probes.*.plane.normal", SAB_KEY_POINT, IN(sab_probe, to), .help = "Its normal"},
    {"probes.*.traction", SAB_KEY_NAME, .unit = UNIT_STRESS, .fallback = "", IN(sab_probe, group),
     .help =
         "Stress of the grains along this boundary group, to profiles/NAME.csv: normal "
         "(positive in compression) and shear, from reactions and from the recovered stress; of "
         "a surface in space also to profiles/NAME.vtu"},
    {"probes.*.wall_load", SAB_KEY_NAME, .unit = UNIT_STRESS, .fallback = "", IN(sab_probe, group),
     .help = "Loads along this wall with friction, to profiles/NAME.csv: normal, shear, slip, "
             "opening, mobilised (in space shear and slip are vectors), with mean velocity, mean "
             "vertical stress and Janssen's curve at that height; sums, K, the kind of flow and "
             "the balance of forces to wall_loads of the summary"},
    {"probes.*.integral", SAB_KEY_CHOICE, .fallback = "", .choice = integral_choice,
     IN(sab_probe, integral),
     .help = "A number of the whole body. Areas are of plane flow, volumes of the others"},
    {"probes.*.grains", SAB_KEY_CHOICE, .fallback = "", .choice = grains_choice,
     IN(sab_probe, grains),
     .help = "A number of grains whose surface moves. angle: of their surface with the level, "
             "degrees; lean: of their centre of mass about the origin, from the direction of "
             "gravity; excess: mass beyond what there is room for; momentum: without that of the "
             "light mass of the void"},
    {"probes.*.left", SAB_KEY_NAME, .unit = "rho L^d", .fallback = "", IN(sab_probe, group),
     .help = "Mass of the grains that have left through this boundary group so far"},
    {"probes.*.fed", SAB_KEY_NAME, .unit = "rho L^d", .fallback = "", IN(sab_probe, group),
     .help = "Mass of the grains that were fed through this boundary group so far"},
    {"probes.*.front", SAB_KEY_NUMBER, .fallback = "", IN(sab_probe, share), INSIDE(0.0, 1.0),
     .help =
         "The x (or r) below which this share of the mass lies, 0.995 for a front that does not "
         "hang on single grains"},
    {"probes.*.height", SAB_KEY_SEGMENT, .unit = UNIT_LENGTH, .fallback = "", IN(sab_probe, from),
     .help = "Height of the grains, mass per width, in as many equal parts of this horizontal "
             "segment as there are samples, to profiles/NAME.csv"},
    {"probes.*.part", SAB_KEY_CHOICE, .fallback = "total", .with = with_force,
     .choice = part_choice, IN(sab_probe, part),
     .help = "Of a force. contact, viscous: of these stresses alone; recovered: the total as the "
             "integral of the recovered stress, on stable pairs"},
    {"probes.*.above", SAB_KEY_NUMBER, .unit = UNIT_VELOCITY, .fallback = "", .with = with_integral,
     IN(sab_probe, above), AT_LEAST(0.0),
     .help = "The speed above which material counts for moving_area or moving_volume"},
    {"probes.*.samples", SAB_KEY_PAIR, .fallback = "", .with = with_samples, IN(sab_probe, samples),
     BETWEEN(2.0, 1e6),
     .help = "Equidistant points: 101 on a line, if not given; of a plane a pair, 51 each way; on "
             "a wall its vertices; of a height 40 parts"},
    {"probes.*.field", SAB_KEY_CHOICE, .fallback = "velocity", .with = with_place,
     .choice = field_choice, IN(sab_probe, field),
     .help = "The field to take; fraction, of solid: only of grains"},

    {"exact", SAB_KEY_MAP, .fallback = "", .unless = "grains",
     .help = "A known solution: the summary then gives the error norms"},
    {"exact.velocity", SAB_KEY_VECTOR, .unit = UNIT_VELOCITY, .fallback = "",
     IN(sab_case, exact_velocity), FLAG(sab_case, has_exact_velocity), .help = "Exact velocity"},
    {"exact.pressure", SAB_KEY_FUNCTION, .unit = UNIT_STRESS, .fallback = "",
     IN(sab_case, exact_pressure), FLAG(sab_case, has_exact_pressure), .help = "Exact pressure"},
};
enum { ROWS = sizeof table / sizeof table[0] };

static bool is_under(const sab_key *parent, const sab_key *row)
{
    const size_t n = parent != NULL ? strlen(parent->path) : 0;

    if (parent == NULL)
        return strchr(row->path, '.') == NULL;
    return strncmp(row->path, parent->path, n) == 0 && row->path[n] == '.' &&
           strchr(row->path + n + 1, '.') == NULL;
}

const sab_key *sab_schema_next(const sab_key *parent, const sab_key *previous)
{
    for (const sab_key *row = previous != NULL ? previous + 1 : table; row < table + ROWS; row++)
        if (is_under(parent, row))
            return row;
    return NULL;
}

const char *sab_schema_last(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot != NULL ? dot + 1 : path;
}

const sab_key *sab_schema_find(const sab_key *parent, const char *name)
{
    for (const sab_key *row = NULL; (row = sab_schema_next(parent, row)) != NULL;)
        if ((parent != NULL && parent->type == SAB_KEY_NAMES) ||
            strcmp(sab_schema_last(row->path), name) == 0)
            return row;
    return NULL;
}

sab_status sab_schema_suggest(const sab_key *parent, const char *name, sab_text *text,
                              sab_error *err)
{
    sab_status status = SAB_OK;
    const char *here[ROWS], *close;
    size_t n = 0;

    for (const sab_key *row = NULL; (row = sab_schema_next(parent, row)) != NULL;)
        here[n++] = sab_schema_last(row->path);
    close = sab_closest_name(name, here, n);
    if (close != NULL)
        return sab_text_add(text, err, "; did you mean '%s'?", close);
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(sab_schema_last(table[i].path), name) == 0 && strcmp(name, "*") != 0)
            return sab_text_add(text, err, "; did you mean '%s'?", table[i].path);
    SAB_TRY(sab_text_add(text, err, "; the keys here are"));
    for (size_t i = 0; i < n; i++)
        SAB_TRY(sab_text_add(text, err, "%s %s", i > 0 ? "," : "", here[i]));
cleanup:
    return status;
}

const char *sab_schema_range(const sab_key *row, char *buffer, size_t size)
{
    const char *below = (row->range & SAB_MIN_OPEN) != 0 ? "<" : "<=";
    const char *above = (row->range & SAB_MAX_OPEN) != 0 ? "<" : "<=";

    buffer[0] = '\0';
    if ((row->range & SAB_HAS_MIN) != 0 && (row->range & SAB_HAS_MAX) != 0)
        snprintf(buffer, size, "%.7g %s value %s %.7g", row->min, below, above, row->max);
    else if ((row->range & SAB_HAS_MIN) != 0)
        snprintf(buffer, size, "%s %.7g", (row->range & SAB_MIN_OPEN) != 0 ? ">" : ">=", row->min);
    else if ((row->range & SAB_HAS_MAX) != 0)
        snprintf(buffer, size, "%s %.7g", above, row->max);
    return buffer;
}

const char *sab_schema_type(sab_key_type type)
{
    static const char *const name[SAB_KEY_TYPES] = {
        [SAB_KEY_MAP] = "section",
        [SAB_KEY_NAMES] = "section with names of your own",
        [SAB_KEY_NUMBER] = "number",
        [SAB_KEY_INTEGER] = "integer",
        [SAB_KEY_BOOLEAN] = "true or false",
        [SAB_KEY_TEXT] = "text",
        [SAB_KEY_NAME] = "text",
        [SAB_KEY_CHOICE] = "choice",
        [SAB_KEY_FUNCTION] = "number or formula",
        [SAB_KEY_FUNCTION_OR_INF] = "number, formula or inf",
        [SAB_KEY_FUNCTION_OR_MAP] = "number, formula or section",
        [SAB_KEY_STATE_FUNCTION] = "number or formula (also of shear_rate, pressure)",
        [SAB_KEY_VECTOR] = "list of numbers or formulas",
        [SAB_KEY_VECTOR_OR_FREE] = "list of numbers, formulas or free",
        [SAB_KEY_VECTOR_OR_ZERO] = "0, or list of numbers or formulas",
        [SAB_KEY_POINT] = "point [x, y], in space [x, y, z]",
        [SAB_KEY_SEGMENT] = "two points [[x, y], [x, y]]",
        [SAB_KEY_RANGE] = "number, or two [low, high]",
        [SAB_KEY_PAIR] = "integer, or two of them",
        [SAB_KEY_QUANTITY] = "number with its unit",
        [SAB_KEY_LIST] = "name, or list of names",
    };

    return name[type];
}
