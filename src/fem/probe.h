/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/probe.h -- numbers to take from a flow: what the case asks for. */
#ifndef SAB_FEM_PROBE_H
#define SAB_FEM_PROBE_H

#include <stdbool.h>

typedef enum sab_probe_kind {
    SAB_PROBE_FLUX,      /* int u.n over a group, outward normal */
    SAB_PROBE_FORCE,     /* force of the grains on a group */
    SAB_PROBE_POINT,     /* a field at a point */
    SAB_PROBE_LINE,      /* a field along a segment, written to profiles/NAME.csv */
    SAB_PROBE_PLANE,     /* a field on a slice of the domain in space, likewise */
    SAB_PROBE_TRACTION,  /* stress of the grains along a group, likewise */
    SAB_PROBE_WALL_LOAD, /* loads along a wall with friction, likewise */
    SAB_PROBE_INTEGRAL,  /* one number of the whole domain */
    SAB_PROBE_GRAINS,    /* of the grains of a flow whose surface moves */
    SAB_PROBE_LEFT,      /* mass of those that have left through a group, */
    SAB_PROBE_FED,       /* and of those that were fed there */
    SAB_PROBE_FRONT,     /* first coordinate below which a share of their mass is */
    SAB_PROBE_HEIGHT,    /* how high they stand along a segment, written to profiles/NAME.csv */
    SAB_PROBE_KINDS
} sab_probe_kind;
extern const char *const sab_probe_kind_name[SAB_PROBE_KINDS]; /* the key: "flux", "force", ... */

typedef enum sab_probe_field {
    SAB_FIELD_VELOCITY,
    SAB_FIELD_PRESSURE,
    SAB_FIELD_STRESS,
    SAB_FIELD_SHEAR_RATE,
    SAB_FIELD_SHEAR_STRESS,
    SAB_FIELD_YIELD_RATIO,
    SAB_FIELD_FRICTION,        /* coefficient of the user's convention */
    SAB_FIELD_INERTIAL_NUMBER, /* only with mu(I) */
    SAB_FIELD_FRACTION,        /* of the volume that is solid: only of grains */
    SAB_FIELD_COUNT
} sab_probe_field;
extern const char *const sab_probe_field_name[SAB_FIELD_COUNT]; /* "velocity", "pressure", ... */

/* What of a force [docs/theory.md, 10.5]: total = contact + viscous + loads and inertia of the
 * nodes on the wall. */
typedef enum sab_force_part {
    SAB_FORCE_TOTAL,     /* nodal reactions: in exact balance */
    SAB_FORCE_CONTACT,   /* what lambda does to them */
    SAB_FORCE_VISCOUS,   /* what the viscous stress does to them */
    SAB_FORCE_RECOVERED, /* total again, as the integral of the continuous stress */
    SAB_FORCE_PARTS
} sab_force_part;
extern const char *const sab_force_part_name[SAB_FORCE_PARTS]; /* "total", ... */

/* Integrals over the domain [docs/theory.md, 10.6]. */
typedef enum sab_integral {
    SAB_INTEGRAL_KINETIC_ENERGY,            /* int |u|^2/2 */
    SAB_INTEGRAL_VISCOUS_DISSIPATION,       /* int (2 eta/Re) E_b D:D */
    SAB_INTEGRAL_FRICTION_DISSIPATION,      /* int 2 (sigma + mu lambda_N) |D_T| */
    SAB_INTEGRAL_GRAVITY_POWER,             /* int f.u */
    SAB_INTEGRAL_WALL_FRICTION_DISSIPATION, /* int (c_w + mu_w r_N) |v_T| over walls */
    SAB_INTEGRAL_AREA,
    SAB_INTEGRAL_YIELDED_AREA, /* of the law points that flow */
    SAB_INTEGRAL_MOVING_AREA,  /* where |u| > above */
    SAB_INTEGRAL_VOLUME,       /* what the three are called about an axis and in space */
    SAB_INTEGRAL_YIELDED_VOLUME,
    SAB_INTEGRAL_MOVING_VOLUME,
    SAB_INTEGRAL_COUNT
} sab_integral;
extern const char *const sab_integral_name[SAB_INTEGRAL_COUNT]; /* "kinetic_energy", ... */

/* Numbers of grains that move [docs/theory.md, 3.5]. */
typedef enum sab_carried {
    SAB_CARRIED_MASS,
    SAB_CARRIED_CENTRE, /* of mass, dim numbers */
    SAB_CARRIED_ANGLE,  /* of the surface with the level, degrees, anticlockwise in the plane */
    SAB_CARRIED_LEAN,   /* of the centre about the origin, from the direction of gravity; degrees */
    SAB_CARRIED_KINETIC_ENERGY,
    SAB_CARRIED_POTENTIAL_ENERGY, /* -sum m g.x */
    SAB_CARRIED_SPEED,            /* rms */
    SAB_CARRIED_MOMENTUM,         /* sum m v, dim numbers; about an axis along it only */
    SAB_CARRIED_EXCESS,   /* mass where it is more than the mesh has room for, relative to all */
    SAB_CARRIED_COUNT_OF, /* number of mass points */
    SAB_CARRIED_FEWEST,   /* in an element inside */
    SAB_CARRIED_KINDS
} sab_carried;
extern const char *const sab_carried_name[SAB_CARRIED_KINDS]; /* "mass", ... */

typedef struct sab_probe {
    char *name; /* owned by whoever owns the array */
    int line;   /* of the case file */
    sab_probe_kind kind;
    char *group;           /* FLUX, FORCE, TRACTION, WALL_LOAD; owned likewise */
    double from[3], to[3]; /* POINT uses from; PLANE: a point of it, and its normal */
    int samples;           /* LINE, TRACTION, PLANE; 0 on a wall: one row per vertex */
    int across;            /* PLANE: samples in its second direction */
    sab_probe_field field;
    sab_force_part part;   /* FORCE */
    sab_integral integral; /* INTEGRAL */
    sab_carried grains;    /* GRAINS */
    double share;          /* FRONT */
    double above;          /* MOVING_AREA, MOVING_VOLUME: speed */
} sab_probe;

/* An area: of the plane only; or a volume: of other geometries? */
bool sab_integral_is_area(sab_integral integral);
bool sab_integral_is_volume(sab_integral integral);
/* Does it need a speed to count from? */
bool sab_integral_is_moving(sab_integral integral);

/* Is its result a table in profiles/NAME.csv, and not a number? */
bool sab_probe_is_profile(const sab_probe *probe);

#endif
