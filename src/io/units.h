/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io/units.h -- quantities with units: what a text means, and what a number of a result is in SI.
 *
 * The program computes in units of a length L, a density rho and an acceleration g
 * [docs/theory.md, 3.1]: a quantity of dimension kg^a m^b s^c has the unit
 * (rho L^3)^a L^b (L/g)^(c/2). A case that gives the three may write "2 cm" where a key has a
 * dimension; results are then given in SI as well. */
#ifndef SAB_IO_UNITS_H
#define SAB_IO_UNITS_H

#include "fem/geometry.h"
#include "fem/probe.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct sab_dimension {
    int kg, m, s; /* exponents */
    bool angle;   /* degrees: of no other dimension */
} sab_dimension;

/* What the section `units` says, in SI. */
typedef struct sab_units {
    bool given, has_density;
    double length, density, gravity, viscosity;
} sab_units;

/* "2 cm", "1600 kg/m^3", "30deg": the number in SI (angles in degrees) and its dimension. False if
 * the text is no number followed by letters: then it is a plain number, a formula or a word. */
bool sab_quantity_is_one(const char *text);
/* Of such a text; false if a unit is not known: *unknown is where it begins. */
bool sab_quantity_parse(const char *text, double *value, sab_dimension *dimension,
                        const char **unknown);
bool sab_dimension_equal(sab_dimension a, sab_dimension b);
/* The dimension of a key by the text of its unit in the schema ("rho g L"); false: it has none. */
bool sab_dimension_of_key(const char *unit, sab_dimension *dimension);
/* "m/s", "Pa", "kg/s/m", "" of a pure number. Returns `buffer`. */
const char *sab_dimension_name(sab_dimension dimension, char *buffer, size_t size);
/* "a velocity", "a stress": what to expect, with an example. */
const char *sab_dimension_kind(sab_dimension dimension);
/* One unit of the program in SI; NAN if it needs the density and that is not given. */
double sab_units_scale(const sab_units *units, sab_dimension dimension);

/* The dimension of the numbers of a probe, per metre across a plane where they are of a whole body;
 * a flux is of mass if the density is known. False: pure numbers. `extensive`: a sum over the body,
 * which `symmetry` multiplies. */
bool sab_units_of_probe(const sab_probe *probe, const sab_geometry *geometry,
                        const sab_units *units, sab_dimension *dimension, double *scale,
                        bool *extensive);
/* The same of a column of a profile, by its name: "velocity_x", "normal_recovered". False: a pure
 * number, or the density is not known. */
bool sab_units_of_column(const char *name, const sab_units *units, sab_dimension *dimension,
                         double *scale);

#endif
