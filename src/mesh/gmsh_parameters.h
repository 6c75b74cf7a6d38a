/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mesh/gmsh_parameters.h -- numbers of a .geo that a case sets; inside this layer. */
#ifndef SAB_MESH_GMSH_PARAMETERS_H
#define SAB_MESH_GMSH_PARAMETERS_H

#include "mesh/gmsh.h"

/* Every parameter must be a number that the .geo (or a file that it includes) declares by
 * DefineConstant, and does not assign after that; otherwise the error says so and lists those that
 * are. Reads the .geo twice, in sessions of its own. */
sab_status sab_gmsh_parameters_check(const char *path, int n, const sab_mesh_parameter *parameter,
                                     sab_error *err);

#endif
