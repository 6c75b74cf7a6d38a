/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mesh/hilbert.h -- numbers in which neighbours are near each other, inside this layer. Mesh
 * generators number elements and nodes as they make them; loops over the elements then jump about
 * in memory, which on large meshes takes most of their time [docs/benchmark.md]. */
#ifndef SAB_MESH_HILBERT_H
#define SAB_MESH_HILBERT_H

#include "mesh/mesh.h"

/* The elements along Hilbert's curve through their barycentres: element[k] is to be the k-th,
 * [nelements]; and number[i] of node i, [nnodes], in the order in which they meet the nodes. */
sab_status sab_hilbert_order(const sab_mesh *mesh, int *element, int *number, sab_error *err);

#endif
