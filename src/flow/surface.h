/* SPDX-License-Identifier: GPL-3.0-or-later */
/* flow/surface.h -- a flow whose free surface moves: its mass is in carriers (fem/carriers.h), and
 * the mesh around them is void [docs/theory.md, 3.5]. First order in time.
 *
 * What a step does: measure the fill (fem/filling.h), give every law point its weight and its
 * slack, take inertia and weight from the carriers, solve, give them the velocity found, and move
 * them. */
#ifndef SAB_FLOW_SURFACE_H
#define SAB_FLOW_SURFACE_H

#include "fem/feeder.h"
#include "fem/halves.h"
#include "flow/room.h"

#include "base/function.h"

typedef struct sab_surface_setup {
    int points;               /* carriers per side of an element: points^dim in each */
    double dense;             /* fill from which the inside is dense */
    double contact;           /* content from which a surface element bears stress */
    double light;             /* mass of the void, relative to the grains */
    bool correct;             /* grains over-full are moved to where there is room, */
    double band;              /* beyond this fill above 1 (flow/room.h) */
    int fewest;               /* carriers that an element inside should have (fem/halves.h) */
    bool euler;               /* positions by Euler's rule: for tests of the energy */
    const sab_function *fill; /* at time 0, 0 to 1; */
    const char *group;        /* or the group of elements that is full; NULL: by `fill` */
} sab_surface_setup;
/* The values that are given where a case says nothing. */
sab_surface_setup sab_surface_default(void);

enum { SAB_SCALED_VISCOSITY, SAB_SCALED_RATE, SAB_SCALED_YIELD, SAB_SCALED };

struct sab_flow;
struct sab_flow_state;
struct sab_ledger;

typedef struct sab_surface {
    sab_surface_setup setup;
    sab_carriers *carriers;
    sab_filling *fill;
    sab_room *room;     /* NULL: not asked for */
    sab_feeder *feeder; /* NULL: nothing is fed */
    bool *open;         /* [nfacets] grains may leave */
    int *feeds;         /* [nfacets] the entry that feeds there, or -1 */
    double *at_node;    /* [nnodes] the fullest parent there, at most 1 */
    double *content;    /* [nelements] of the parent, for frames */
    double *force;      /* [room][dim] workspace for carriers */
    int room_for;
    double *lambda; /* [npoints][s] times the share of a point that is full, */
    double
        *scaled; /* [SAB_SCALED][npoints] likewise viscosity, rate stress, yield: for the fields */
    double outflow;              /* mass per time that left in the last step */
    double cpu;                  /* of carriers, in the last step */
    sab_transport_report report; /* of all moves of the last step */
} sab_surface;

/* Of a flow whose space, dofs and groups are there. SAB_ERR_INPUT with a sentence for what a moving
 * surface cannot have yet. The caller owns *surface. */
sab_status sab_surface_create(const struct sab_flow *flow, sab_surface **surface, sab_error *err);
void sab_surface_destroy(sab_surface **surface);
/* Carriers, what has left and was fed, as a state has them. */
sab_status sab_surface_restore(sab_surface *surface, const struct sab_flow_state *state,
                               sab_error *err);
/* Weights, slack and yield stress of the program of a step of length dt, and the weight of the
 * grains in inertia->weight, from where the carriers are. Law and time of the flow are set. */
sab_status sab_surface_prepare(struct sab_flow *flow, double dt, sab_error *err);
/* A += (1/dt) sum m N^T N, and the light mass. */
void sab_surface_assemble(struct sab_flow *flow);
/* F += factor sum m (v - U).v and the light mass likewise, which had the velocity `old`: inertia as
 * a load; old and U are velocity vectors. */
void sab_surface_forces(const struct sab_flow *flow, const double *old, const double *U, double *F);
/* The velocity of the step to the carriers, and the carriers to their new places. The ledger is
 * that of the step: `friction` is all that lambda takes, impacts (slack) included, `out` the energy
 * of what has left, `in` and `given` that of what is fed; then those that have no room are moved.
 * flow->load has the forces of the step. */
sab_status sab_surface_move(struct sab_flow *flow, double dt, struct sab_ledger *ledger,
                            sab_error *err);
/* For the fields: stresses and viscosities as means over what is full and what is void. */
void sab_surface_scale(struct sab_flow *flow);

/* sum m |v|^2/2 of the carriers, without `whole`. */
double sab_surface_kinetic(const sab_surface *surface);

#endif
