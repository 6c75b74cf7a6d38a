/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mesh/gmsh.h -- meshes by Gmsh: .geo meshed in-process, .msh 2.2 and 4.1 read. */
#ifndef SAB_MESH_GMSH_H
#define SAB_MESH_GMSH_H

#include "mesh/mesh.h"

typedef struct sab_mesh_parameter {
    const char *name; /* short name of a DefineConstant number in the .geo */
    double value;
} sab_mesh_parameter;

/* Read or generate the mesh at `path`, raised to P2: triangles in the plane z = 0 (dim = 2),
 * tetrahedra (dim = 3), or what the file has (dim = 0); a file of the other dimension is an error.
 * Parameters are only for .geo files (giving some with a .msh, or one the .geo does not define, is
 * an error that lists those it defines). Elements are those of the physical surfaces (volumes), or
 * of all when there is none; groups are the physical curves (surfaces). Middles of edges are on the
 * geometry, if the file is one. The same .geo gives the same mesh. Errors name the file and are
 * SAB_ERR_INPUT (or SAB_ERR_MEMORY). The caller owns *mesh. Not for several threads at once: Gmsh
 * is one per process, and the numeric locale is "C" during the call. A .msh is
 * data: nothing in it or beside it (`path`.opt) is run. A .geo is a program, and Gmsh reads
 * `path`.opt too if that file exists. */
sab_status sab_mesh_read(const char *path, int dim, int nparameters,
                         const sab_mesh_parameter *parameter, sab_mesh **mesh, sab_error *err);

/* The same in a process of its own that can only read files and compute, for so long and with so
 * much memory (mesh/sandbox.h): for files that one has not written oneself. The mesh is the same.
 * `lenient`: also where the system limits time and memory only. */
sab_status sab_mesh_read_apart(const char *path, bool lenient, int dim, int nparameters,
                               const sab_mesh_parameter *parameter, sab_mesh **mesh,
                               sab_error *err);
/* A .msh: no program, but Gmsh believes what it says of its size. */
bool sab_mesh_file_is_data(const char *path);

const char *sab_gmsh_version(void);

#endif
