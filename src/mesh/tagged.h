/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mesh/tagged.h -- from nodes in space known by tags, as mesh files have them, to a mesh
 * known by numbers; inside this layer. */
#ifndef SAB_MESH_TAGGED_H
#define SAB_MESH_TAGGED_H

#include "mesh/mesh.h"

#include <stddef.h>

typedef struct sab_tagged {
    int n;
    size_t *tag;     /* [n] ascending */
    double *x;       /* [n][SAB_DIM] */
    int *number;     /* [n] number in the mesh, -1 for a node of no element; by sab_tagged_mesh */
    double shortest; /* edge of an element; by sab_tagged_mesh */
} sab_tagged;

/* Copy and sort n nodes; x is [n][SAB_DIM]. Start with {0}; release with sab_tagged_destroy. */
sab_status sab_tagged_create(size_t n, const size_t *tag, const double *x, sab_tagged *nodes,
                             sab_error *err);
void sab_tagged_destroy(sab_tagged *nodes);
/* Move the nodes to x [n][SAB_DIM], by multiples of `step`: positions that differ by rounding from
 * one run to the next become the same again. */
void sab_tagged_move(sab_tagged *nodes, size_t n, const size_t *tag, const double *x, double step);

/* The mesh of n elements given by tags [n][per], where `per` is the number of nodes of the cell, or
 * of its corners for linear elements, whose edges then get middles. Elements and nodes are numbered
 * along a curve (mesh/hilbert.h). Triangles must lie in the plane z = 0. The caller owns *mesh. */
sab_status sab_tagged_mesh(sab_tagged *nodes, const sab_cell *cell, int per, size_t n,
                           const size_t *element_tag, sab_mesh **mesh, sab_error *err);
/* sab_mesh_add_region for elements given by the tags of their corners. */
sab_status sab_tagged_region(const sab_tagged *nodes, const char *name, int tag, size_t n,
                             const size_t *corner, sab_mesh *mesh, sab_error *err);
/* sab_mesh_add_group for sides given by the tags of their corners. */
sab_status sab_tagged_group(const sab_tagged *nodes, const char *name, int group_tag, size_t nsides,
                            const size_t *corner, sab_mesh *mesh, sab_error *err);

#endif
