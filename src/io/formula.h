/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io/formula.h -- formulas of a case file, by muParser, with the guards it needs. */
#ifndef SAB_IO_FORMULA_H
#define SAB_IO_FORMULA_H

#include "base/function.h"
#include "base/least_squares.h"
#include "fem/geometry.h"

#include <stdbool.h>

typedef struct sab_formula sab_formula; /* opaque; one parser and its variables */

/* Compile `text`. `where` (copied) prefixes messages: "case.yaml:12:9: boundaries.lid.velocity".
 * Refused with SAB_ERR_INPUT: assignment, a comma outside parentheses, unknown names (with a
 * suggestion), and a text that does not parse. Variables: x y z t, about an axis r and z for the
 * two coordinates (x and y are the same there), and shear_rate, pressure if `state` is true. It is
 * evaluated once at (0.5, 0.5, 0, 0), only for errors of the parser: a value that is not finite
 * there is no error. The caller owns *formula. */
sab_status sab_formula_create(const char *text, const char *where, const sab_geometry *geometry,
                              bool state, sab_formula **formula, sab_error *err);
void sab_formula_destroy(sab_formula **formula);
/* A function that calls it (borrowed: the formula must outlive it). A value that is not finite is
 * SAB_ERR_INPUT with formula, place and value. */
sab_function sab_formula_function(sab_formula *formula);
/* Compile a law of x: all other names in it are parameters, in the order in which they appear.
 * Refused with SAB_ERR_INPUT: what is refused above, a law without x or without parameters, with
 * more than SAB_MAX_PARAMETERS, or with one that is called as a function is, or y. */
sab_status sab_formula_create_law(const char *text, const char *where, sab_formula **formula,
                                  sab_error *err);
int sab_formula_parameters(const sab_formula *law);
const char *const *sab_formula_parameter_names(const sab_formula *law); /* borrowed */
/* Of a law (a sab_formula *, as base/least_squares.h wants it): NaN if it has no value. */
double sab_formula_law(void *law, const double *parameter, double x);
/* True if it uses no variable, as in "1/3". */
bool sab_formula_is_constant(const sab_formula *formula);

#endif
