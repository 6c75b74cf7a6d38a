/* mesh/gmsh.h -- meshes by Gmsh: .geo meshed in-process, .msh 2.2 and 4.1 read. */
#ifndef SAB_MESH_GMSH_H
#define SAB_MESH_GMSH_H

#include "mesh/mesh.h"

typedef struct sab_mesh_parameter {
    const char *name; /* short name of a DefineConstant number in the .geo */
    double value;
} sab_mesh_parameter;

/* Read or generate the plane mesh at `path`, raised to P2. Parameters are only for .geo files
 * (giving some with a .msh, or one the .geo does not define, is an error that lists those it
 * defines). Triangles are those of the physical surfaces, or of all surfaces when there is none;
 * groups are the physical curves. Errors name the file and are SAB_ERR_INPUT (or SAB_ERR_MEMORY).
 * The caller owns *mesh. Not for several threads at once: Gmsh is one per process, and the numeric
 * locale is "C" during the call. A .msh is data: nothing in it or beside it (`path`.opt) is run. A
 * .geo is a program, and Gmsh reads `path`.opt too if that file exists. */
sab_status sab_mesh_read(const char *path, int nparameters, const sab_mesh_parameter *parameter,
                         sab_mesh **mesh, sab_error *err);

#endif
