/* SPDX-License-Identifier: GPL-3.0-or-later */
/* base/function.h -- a scalar datum of a case: a number, or a formula of place, time and state. */
#ifndef SAB_BASE_FUNCTION_H
#define SAB_BASE_FUNCTION_H

#include "base/error.h"

#include <stdbool.h>

/* The variables a formula may use; those that mean nothing where it stands are 0. */
typedef struct sab_vars {
    double x, y, z, t;
    double shear_rate; /* |Dev D| = sqrt(Dev D : Dev D / 2) [docs/theory.md, 1] */
    double pressure;
} sab_vars;

/* The place x [dim] at time t. In an axisymmetric case r is x, z is y. */
static inline sab_vars sab_vars_at(int dim, const double *x, double t)
{
    return (sab_vars){.x = x[0], .y = x[1], .z = dim > 2 ? x[2] : 0.0, .t = t};
}

typedef struct sab_function {
    double constant; /* the value when `call` is NULL */
    /* Writes a finite value, or fails with a message that names formula and place. */
    sab_status (*call)(void *data, const sab_vars *at, double *value, sab_error *err);
    void *data;  /* borrowed */
    bool steady; /* of `call`: it does not depend on t */
} sab_function;

/* May its value change with time? */
static inline bool sab_function_varies(const sab_function *f)
{
    return f->call != 0 && !f->steady;
}

static inline sab_function sab_constant(double value)
{
    return (sab_function){.constant = value};
}

static inline sab_status sab_function_at(const sab_function *f, const sab_vars *at, double *value,
                                         sab_error *err)
{
    if (f->call != 0)
        return f->call(f->data, at, value, err);
    *value = f->constant;
    return SAB_OK;
}

#endif
