/* fem/probe.h -- numbers to take from a flow: what the case asks for. */
#ifndef SAB_FEM_PROBE_H
#define SAB_FEM_PROBE_H

#include <stdbool.h>

typedef enum sab_probe_kind {
    SAB_PROBE_FLUX,    /* int u.n over a group, outward normal */
    SAB_PROBE_FORCE,   /* force of the grains on a group, from nodal reactions */
    SAB_PROBE_POINT,   /* a field at a point */
    SAB_PROBE_LINE,    /* a field along a segment, written to profiles/NAME.csv */
    SAB_PROBE_TRACTION /* stress of the grains along a group, likewise */
} sab_probe_kind;

typedef enum sab_probe_field {
    SAB_FIELD_VELOCITY,
    SAB_FIELD_PRESSURE,
    SAB_FIELD_STRESS,
    SAB_FIELD_SHEAR_RATE,
    SAB_FIELD_SHEAR_STRESS,
    SAB_FIELD_YIELD_RATIO,
    SAB_FIELD_COUNT
} sab_probe_field;
extern const char *const sab_probe_field_name[SAB_FIELD_COUNT]; /* "velocity", "pressure", ... */

typedef struct sab_probe {
    char *name; /* owned by whoever owns the array */
    int line;   /* of the case file */
    sab_probe_kind kind;
    char *group;           /* FLUX, FORCE, TRACTION; owned likewise */
    double from[3], to[3]; /* POINT uses from */
    int samples;           /* LINE, TRACTION; 0 on a wall: one row per vertex */
    sab_probe_field field;
} sab_probe;

/* Is its result a table in profiles/NAME.csv, and not a number? */
bool sab_probe_is_profile(const sab_probe *probe);

#endif
