/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/dofs.h -- which velocity components are unknown, which are given, and in which frame.
 *
 * A node has an orthonormal frame, the axes unless an oblique slip wall passes through it. A
 * boundary entry constrains directions: velocity the axes it prescribes, slip the wall's normal. On
 * an axis u_r = 0, whether it belongs to a group or not.
 * Where entries meet, the order in which they are written has no meaning [docs/theory.md, 4.7]:
 * velocities hold their components, and of two that differ the one at rest; slip walls hold their
 * normals where velocities leave a direction (30 degrees away or more), but not those of a wall
 * with friction; this one, and tractions, hold nothing. An entry that says `over` to a group
 * silences it at the nodes they share.
 *
 * The function of a side has a frame too, its first direction normal to the side: the only one that
 * is unknown, and that only where no entry says what passes through the side. Nobody owns it. */
#ifndef SAB_FEM_DOFS_H
#define SAB_FEM_DOFS_H

#include "base/error.h"
#include "fem/boundary.h"
#include "fem/geometry.h"
#include "mesh/mesh.h"

/* Instead of an entry in sab_dofs.owner. */
enum { SAB_NOBODY = -1, SAB_SEVERAL = -2 };

/* part: the force on a node that several entries share, times the part of this one; the parts of a
 * node add up to the identity [docs/theory.md, 4.8]. */
typedef struct sab_share {
    int node, entry;
    double part[SAB_DIM][SAB_DIM];
} sab_share;

/* At `nodes` nodes, the first of them at `place`, the entry `other` does not get its velocity, or
 * its slip wall is crossed, because `holder` holds them. */
typedef struct sab_concession {
    int holder, other, nodes;
    double place[SAB_DIM];
} sab_concession;

typedef struct sab_dofs {
    int dim, nnodes;  /* of the mesh, and behind them the sides with a function */
    int nfree;        /* unknowns */
    int nmatches;     /* pairs of periodic sides, whose nodes and functions share their unknowns */
    sab_match *match; /* from the entry to its partner */
    int *leader;      /* [nnodes] the one whose unknowns a place has: itself, or a partner */
    int *number;      /* [nnodes][dim] unknown of a frame component, or -1 if prescribed */
    double *value;    /* [nnodes][dim] prescribed value of a frame component, 0 where free */
    double *frame;    /* [nnodes][dim][dim] row i: direction of component i */
    int *owner; /* [nnodes] the boundary entry that holds the node, SAB_NOBODY or SAB_SEVERAL */
    int nshares;
    sab_share *share; /* of nodes that several entries hold, and of free ones between several */
    int nconcessions;
    sab_concession *concession; /* by the first node of each */
} sab_dofs;

/* What sab_boundary_match found besides errors. */
typedef struct sab_boundary_report {
    int uncovered; /* boundary sides, but those on an axis, that belong to no group: traction-free
                    */
    double place[SAB_DIM]; /* a node inside the first of them, or of its edges */
} sab_boundary_report;

/* Find the group of each entry (group: [nboundaries], indices into mesh->group). SAB_ERR_INPUT for
 * a group the mesh has not (lists those it has), a group without entry, an entry given twice under
 * name and number, a traction on an interior line, an `over` that names no group, its own, one that
 * shares no node with it, or that closes a circle. */
sab_status sab_boundary_match(const sab_mesh *mesh, const sab_geometry *geometry, int nboundaries,
                              const sab_boundary *boundary, int *group, sab_boundary_report *report,
                              sab_error *err);

/* Apply the entries at time t; `faces` is the number of sides with a face function
 * (sab_element_faces): 0, or all of them. SAB_ERR_INPUT: two of them move with different velocities
 * at a node, and neither says `over`; one moves away from an axis. The caller owns *dofs. */
sab_status sab_dofs_create(const sab_mesh *mesh, const sab_geometry *geometry, int faces,
                           int nboundaries, const sab_boundary *boundary, const int *group,
                           double t, sab_dofs **dofs, sab_error *err);
void sab_dofs_destroy(sab_dofs **dofs);
/* Nodes that something else than a constraint holds, in some direction each. */
typedef struct sab_support {
    int n;
    int *node;
    double *direction; /* [n][dim] */
} sab_support;
/* Number of rigid motions of the geometry (in the plane two translations, one rotation) that the
 * constraints, and `held` (NULL: nothing), leave free: with any, a creeping flow has no unique
 * velocity. A mesh may have several pieces: that of the loosest one, and one of its nodes. */
sab_status sab_dofs_rigid_motions(const sab_dofs *dofs, const sab_mesh *mesh,
                                  const sab_geometry *geometry, const sab_support *held,
                                  int *motions, int *node, sab_error *err);

/* l [nfree] = the free components of a nodal vector of forces F [nnodes][dim]: partners add up. */
void sab_dofs_restrict(const sab_dofs *dofs, const double *F, double *l);
/* u [nfree] = those of a velocity U [nnodes][dim], which partners have in common. */
void sab_dofs_take(const sab_dofs *dofs, const double *U, double *u);
/* U [nnodes][dim] = unknowns u [nfree] and prescribed values together, along the axes; u NULL: the
 * prescribed part alone. */
void sab_dofs_expand(const sab_dofs *dofs, const double *u, double *U);

#endif
