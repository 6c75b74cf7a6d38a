/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mesh/gmsh_file.h -- what can be said about a mesh file before Gmsh opens it; inside this layer.
 *
 * Gmsh takes a missing or empty file for an empty model and goes by content rather than by name:
 * this is caught here, with clear words. */
#ifndef SAB_MESH_GMSH_FILE_H
#define SAB_MESH_GMSH_FILE_H

#include "mesh/gmsh.h"

typedef enum sab_gmsh_kind {
    SAB_GMSH_GEO,   /* geometry, to be meshed */
    SAB_GMSH_MSH_2, /* mesh, formats 2.x */
    SAB_GMSH_MSH_4  /* mesh, formats 4.x */
} sab_gmsh_kind;

/* SAB_ERR_INPUT: missing, a directory, empty, unreadable, of unknown extension, content that does
 * not go with the extension, unknown .msh version, a .msh that ends early. */
sab_status sab_gmsh_file_check(const char *path, sab_gmsh_kind *kind, sab_error *err);

#endif
