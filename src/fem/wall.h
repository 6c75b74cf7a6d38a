/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/wall.h -- the stress of the grains on a wall, from nodal reactions or from a continuous
 * stress [docs/theory.md, 10].
 *
 * Stresses are taken at the vertices inside the wall; where the wall ends, or turns by 30 degrees
 * and more, there is no single normal, and the vertex is left out. A vertex on an axis is inside:
 * the wall goes on beyond it.
 *
 * A line: the sides of a group are put in order, with the material on their left: arc length s
 * begins at the end of the group from which they run, and one piece of wall follows another. A
 * surface: its vertices in the order of the nodes. */
#ifndef SAB_FEM_WALL_H
#define SAB_FEM_WALL_H

#include "fem/geometry.h"
#include "mesh/mesh.h"

typedef struct sab_wall_vertex {
    int node;
    int first, nmiddles; /* of the edges of the wall that meet here, in sab_wall_trace.middle */
    int part;            /* of a line: a new one begins where a vertex is left out */
    double s;            /* likewise */
    bool axis;           /* on an axis, where the radial traction vanishes */
    double size;         /* int phi, phi the P1 hat of the vertex on the wall, with the measure */
    double normal[SAB_DIM]; /* int phi n, outward, made a unit vector */
} sab_wall_vertex;

typedef struct sab_wall_trace {
    int dim;
    int components; /* of a stress: normal and shear along s; on a surface normal and shear [dim] */
    int nvertices;
    sab_wall_vertex *vertex; /* [nvertices] by s; the first of a closed line is there twice */
    int *middle;             /* nodes */
    int nrows;               /* of the table: the vertices, or samples */
    double *x;               /* [nrows][dim] */
    double *s;               /* [nrows]; NULL on a surface */
    double *area;            /* [nrows] of the hat on a surface; NULL on a line */
    int *left;               /* [nrows] vertex before (or at) the row */
    double *share;           /* [nrows] of the vertex behind `left`, 0 to 1 */
    /* A surface as a mesh of its own: `cells` facets of the mesh on its points; 0 on a line. */
    const sab_cell *facet; /* what a cell is; borrowed */
    int cells, npoints;
    int *cell;     /* [cells][nodes of a facet] points */
    double *point; /* [npoints][dim] */
    int *row;      /* [npoints] of a vertex that has one, -1 elsewhere */
} sab_wall_trace;

/* The wall made of `group`. Nodes that another boundary entry holds, alone or with this one
 * (sab_dofs.owner), carry other forces too, and the vertices beside them are left out. A row per
 * vertex; or, if samples > 0, so many equidistant ones from the first vertex of a line to the last,
 * between vertices by linear interpolation, beside a vertex left out as at the nearest.
 * SAB_ERR_INPUT: sides inside the domain, no vertex left, samples on a surface. The caller owns
 * *wall. */
sab_status sab_wall_create(const sab_mesh *mesh, const sab_geometry *geometry, int group,
                           const int *owner, int entry, int samples, sab_wall_trace **wall,
                           sab_error *err);
void sab_wall_destroy(sab_wall_trace **wall);
/* stress [nrows][components] of the grains on the wall from the nodal force F [nnodes][dim] of the
 * grains on the group (sab_fields_nodal_force): normal, positive in compression, and shear, along s
 * or as a vector. */
void sab_wall_stress(const sab_wall_trace *wall, const double *F, double *stress);
/* The same from a continuous total stress sigma [nnodes][s] (sab_recovery_stress): its values at
 * the vertices, on the normals there. */
void sab_wall_recovered(const sab_wall_trace *wall, const sab_geometry *geometry,
                        const double *sigma, double *stress);
/* Rows of a surface, value [nrows][columns], to all its points, at [npoints][columns]: linear in
 * each facet; a vertex left out has the mean of its neighbours, or of theirs. */
sab_status sab_wall_spread(const sab_wall_trace *wall, int columns, const double *value, double *at,
                           sab_error *err);
/* force [dim] = -int sigma n over a group that is a boundary: that of the grains on it. */
void sab_wall_force(const sab_mesh *mesh, int group, const sab_geometry *geometry,
                    const double *sigma, double *force);

#endif
