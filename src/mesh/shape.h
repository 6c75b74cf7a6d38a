/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mesh/shape.h -- the shape of elements, inside this layer. */
#ifndef SAB_MESH_SHAPE_H
#define SAB_MESH_SHAPE_H

#include "mesh/mesh.h"

/* Turn negative elements, then check that the Jacobian of each is positive everywhere. */
sab_status sab_mesh_check_shapes(sab_mesh *mesh, sab_error *err);

#endif
