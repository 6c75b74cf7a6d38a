/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io/case.h -- a case directory read, checked and resolved.
 *
 * The schema table (io/schema.h) knows every key; this header is what the rest of the program
 * sees. Strings, formulas and arrays are owned by the case. */
#ifndef SAB_IO_CASE_H
#define SAB_IO_CASE_H

#include "base/error.h"
#include "base/text.h"
#include "fem/boundary.h"
#include "fem/element.h"
#include "fem/geometry.h"
#include "fem/material.h"
#include "fem/probe.h"
#include "io/case_grains.h"
#include "io/units.h"
#include "mesh/gmsh.h"
#include "solve/solve.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum sab_split { SAB_SPLIT_ALFELD, SAB_SPLIT_NONE } sab_split;

typedef enum sab_scheme { SAB_CREEPING, SAB_INERTIAL } sab_scheme;

typedef struct sab_case_time { /* only the scheme counts for a creeping flow */
    sab_scheme scheme;
    double step, end;
    double smallest, courant; /* of a moving surface; smallest 0: all steps are alike */
    int order;
    double steady, window;
    char *probe; /* NULL: not given */
    int max_missed;
} sab_case_time;

typedef struct sab_case {
    char *path;      /* of case.yaml as opened, as the user gave it */
    char *directory; /* that contains it */
    char *name;      /* sab_file_result_name: the default output directory is out/<name> */
    char *title;
    const sab_geometry *geometry;
    int symmetry;    /* copies that make the whole */
    sab_units units; /* SI; all other numbers are dimensionless */
    char *mesh_file; /* resolved against the directory of the case; NULL: grains without one */
    int nparameters;
    sab_mesh_parameter *parameter;
    const sab_element *element;
    sab_split split;
    sab_material material;
    sab_function gravity[3];
    int nboundaries;
    sab_boundary *boundary; /* by the alphabet; their order has no meaning */
    sab_case_time time;
    bool has_initial_velocity;
    sab_function initial_velocity[3];
    bool has_surface, has_initial_fill; /* surface, initial.fill */
    int surface_points, surface_fewest;
    double surface_dense, surface_contact, surface_band;
    bool surface_correct;
    sab_function initial_fill;
    char *initial_group; /* initial.fill.group; NULL: by the formula */
    bool has_grains;     /* in the place of material and boundaries; a mesh only if it is given */
    sab_case_grains grains;
    bool has_coarse;
    double coarse_width;
    int nwalls;
    sab_case_wall *wall;
    char *initial_from; /* resolved against the directory of the case; NULL: not given */
    sab_solver_options solver;
    int viscosity_max_iterations; /* solver.viscosity_iterations */
    bool output_float32;          /* output.precision */
    bool output_gauss;            /* output.gauss */
    bool output_contacts;         /* output.contacts, of grains */
    double output_every;          /* units of time */
    double output_checkpoint;     /* seconds */
    int nprobes;
    sab_probe *probe;
    bool has_exact_velocity, has_exact_pressure;
    sab_function exact_velocity[3];
    sab_function exact_pressure;
    struct sab_case_store *store; /* parsed document and formulas, owned */
} sab_case;

/* Read CASE (a directory with case.yaml, or a file), then apply overrides "key.path=value". All
 * errors are SAB_ERR_INPUT in compiler form: case.yaml:12:9: material.frction: unknown key; did you
 * mean 'friction'? (an override is reported as --set material.frction: ...). The caller owns
 * *c. */
sab_status sab_case_read(const char *path, int noverrides, const char *const *override,
                         sab_case **c, sab_error *err);
void sab_case_destroy(sab_case **c);
/* Append the case with every default filled in, as YAML that reads back to the same case from any
 * directory: the path of the mesh is absolute. */
sab_status sab_case_resolved(const sab_case *c, sab_text *yaml, sab_error *err);

/* The beginning of a message about `key` ("boundaries.outlet") that comes up after reading:
 * "case.yaml:12:3: boundaries.outlet", or "--set boundaries.outlet" if it was given so. A key that
 * is not there has the place of the section it belongs to. Returns `buffer`. */
const char *sab_case_locate(const sab_case *c, const char *key, char *buffer, size_t size);
/* Put the place before a message that begins with a key: "boundaries.lid: no such group" of a layer
 * that knows no case file becomes "case.yaml:12:3: boundaries.lid: no such group". Leaves other
 * messages alone. */
void sab_case_place(const sab_case *c, sab_error *err);

/* The first key, in the order of the tree, whose value is another one in `resolved` (a text of
 * sab_case_resolved): *difference becomes "material.friction: 0.5 there, 0.4 now". Keys that say
 * when a run ends and what it writes may differ, as may the path of the mesh, which has its own
 * check: docs/checkpoint.md. Empty if there is none; `there` is a word such as "there". */
sab_status sab_case_compare(const sab_case *c, const char *resolved, const char *there,
                            sab_text *difference, sab_error *err);

/* Append the table of keys as plain text for `sablier keys`, or as docs/keys.md; of a `prefix` that
 * is not NULL ("solver", "probes.*.flux") what stands at and below it, SAB_ERR_USAGE if nothing. */
sab_status sab_case_keys(const char *prefix, bool markdown, sab_text *text, sab_error *err);

#endif
