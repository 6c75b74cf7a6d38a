/* SPDX-License-Identifier: GPL-3.0-or-later */
/* flow/law.h -- the law at the points: the only writer of friction, yield, dilatancy, viscosity,
 * slope and r of a cone program (internal to flow).
 *
 * What depends on the rate acts as a viscous stress inside the program [docs/theory.md, 2.6, 9]:
 *     nu gamma,   nu = 2 eta(|gamma_T|, p)/Re + (mu_D - mu_S) p / (c sqrt(p) + |gamma_T|),
 * the factor eta of material.viscosity and the part of mu(I) above mu_S, c = I0/(2 D_g). p is the
 * mean pressure of the element: a root of noise has no mean. */
#ifndef SAB_FLOW_LAW_H
#define SAB_FLOW_LAW_H

#include "fem/material.h"
#include "fem/space.h"
#include "solve/program.h"

typedef struct sab_flow_law {
    const sab_material *material; /* borrowed, as are the next two */
    const sab_space *space;
    int npoints;              /* of the program: those of walls follow those of the space */
    double time;              /* of the last sab_flow_law_set */
    bool creeping;            /* then Re must be finite, unless mu(I) gives a viscosity */
    bool rated;               /* mu(I) or a viscosity formula: nu depends on the flow */
    double *inverse_reynolds; /* [npoints] */
    double *eta;              /* [npoints] factor of the viscosity */
    double *nu;               /* [npoints] rate stress of mu(I) per strain rate */
    double *slope;            /* [npoints] d(2 eta g/Re + nu g)/dg, g = |gamma_T| */
    double *pressure;         /* [nelements] workspace, as are the next two */
    double *fresh_eta, *fresh_nu;
} sab_flow_law;

/* The caller owns *law. */
sab_status sab_flow_law_create(const sab_material *material, const sab_space *space, bool creeping,
                               sab_flow_law **law, sab_error *err);
void sab_flow_law_destroy(sab_flow_law **law);
/* Friction, yield, dilatancy and weight of the program at time t; 1/Re. */
sab_status sab_flow_law_set(sab_flow_law *law, double t, sab_program *program, sab_error *err);
/* A first nu for a flow of which nothing is known but a scale of pressure: that at I = I0. */
void sab_flow_law_guess(sab_flow_law *law, double pressure);
/* eta and nu of the flow (gamma, lambda): of a formula the part `theta` of the way (1/2, but 1 for
 * a flow that has followed the law already), of mu(I) all of it. */
sab_status sab_flow_law_refresh(sab_flow_law *law, const double *gamma, const double *lambda,
                                double theta, sab_error *err);
/* viscosity = 2 eta/Re + nu, slope, and r = viscosity + inert of the program. */
void sab_flow_law_apply(const sab_flow_law *law, double inert, sab_program *program);
/* *power = sum m |nu_used - nu(gamma, lambda)| |gamma_T|^2: what the law is violated by. weight
 * [npoints] is m, that of the program: little where it is void. */
sab_status sab_flow_law_violation(sab_flow_law *law, const double *weight, const double *gamma,
                                  const double *lambda, double *power, sab_error *err);
/* sab_rate_law.evaluate, data the law. Does not change eta and nu. */
sab_status sab_flow_law_follow(void *law, const double *gamma, const double *lambda,
                               double *viscosity, double *tangent, sab_error *err);

#endif
