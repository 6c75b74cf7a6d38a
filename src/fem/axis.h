/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/axis.h -- does a mesh fit its geometry, and which of its nodes are on the axis
 * [docs/theory.md, 4.7]. */
#ifndef SAB_FEM_AXIS_H
#define SAB_FEM_AXIS_H

#include "base/error.h"
#include "fem/geometry.h"
#include "mesh/mesh.h"

/* Nodes with r up to this are on the axis: rounding of the size of the domain; below all if the
 * geometry has no axis. */
double sab_axis_reach(const sab_mesh *mesh, const sab_geometry *geometry);
static inline bool sab_on_axis(const sab_mesh *mesh, double reach, int node)
{
    return sab_mesh_x(mesh, node)[0] <= reach;
}
/* Does a facet lie on the axis, where it has no area? */
bool sab_facet_on_axis(const sab_mesh *mesh, double reach, int facet);
/* SAB_ERR_INPUT: triangles where the geometry wants tetrahedra, or the other way round; a place
 * with r < 0. */
sab_status sab_geometry_check_mesh(const sab_mesh *mesh, const sab_geometry *geometry,
                                   sab_error *err);

#endif
