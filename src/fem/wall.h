/* fem/wall.h -- the stress of the grains on a wall, from nodal reactions or from a continuous
 * stress [docs/theory.md, 10].
 *
 * The sides of a group are put in order, with the material on their left: arc length s begins at
 * the end of the group from which they run, and one piece of wall follows another. Stresses are
 * taken at the vertices between two sides; where the wall ends, or turns by 30 degrees and more,
 * there is no single normal, and the vertex is left out. */
#ifndef SAB_FEM_WALL_H
#define SAB_FEM_WALL_H

#include "fem/geometry.h"
#include "mesh/mesh.h"

typedef struct sab_wall_vertex {
    int node, middle[2]; /* itself, the middles of the sides before and behind it */
    int part;            /* of the wall: a new one begins where a vertex is left out */
    double s;
    double size;      /* int phi, phi the P1 hat of the vertex on the wall */
    double normal[2]; /* int phi n, outward, made a unit vector */
} sab_wall_vertex;

typedef struct sab_wall {
    int nvertices;
    sab_wall_vertex *vertex; /* [nvertices] by s; the first of a closed line is there twice */
    int nrows;               /* of the table: the vertices, or samples */
    double *s, *x;           /* [nrows], [nrows][dim] */
    int *left;               /* [nrows] vertex before (or at) the row */
    double *share;           /* [nrows] of the vertex behind `left`, 0 to 1 */
} sab_wall;

/* The wall made of `group`. Nodes that another boundary entry holds, alone or with this one
 * (sab_dofs.owner), carry other forces too, and the vertices beside them are left out. A row per
 * vertex; or, if samples > 0, so many equidistant ones from the first vertex to the last, between
 * vertices by linear interpolation, beside a vertex left out as at the nearest.
 * SAB_ERR_INPUT: sides inside the domain, no vertex left. The caller owns *wall. */
sab_status sab_wall_create(const sab_mesh *mesh, const sab_geometry *geometry, int group,
                           const int *owner, int entry, int samples, sab_wall **wall,
                           sab_error *err);
void sab_wall_destroy(sab_wall **wall);
/* stress [nrows][2] of the grains on the wall from the nodal force F [nnodes][dim] of the grains on
 * the group (sab_fields_nodal_force): normal, positive in compression, and shear, along s. */
void sab_wall_stress(const sab_wall *wall, const double *F, double *stress);
/* The same two components at `stress` [nrows][2] from a continuous total stress sigma [nnodes][s]
 * (sab_recovery_stress): its values at the vertices, on the normals there. */
void sab_wall_recovered(const sab_wall *wall, const sab_geometry *geometry, const double *sigma,
                        double *stress);
/* force [dim] = -int sigma n over a group that is a boundary: that of the grains on it. */
void sab_wall_force(const sab_mesh *mesh, int group, const sab_geometry *geometry,
                    const double *sigma, double *force);

#endif
