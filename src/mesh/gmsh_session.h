/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mesh/gmsh_session.h -- one session of Gmsh for one mesh; inside this layer. */
#ifndef SAB_MESH_GMSH_SESSION_H
#define SAB_MESH_GMSH_SESSION_H

#include "mesh/gmsh.h"

#include <stddef.h>

/* What Gmsh changes in the process, to be put back. */
typedef struct sab_gmsh_session {
    bool started;
    char *locale; /* owned: LC_NUMERIC before */
    int threads;  /* of OpenMP: Gmsh sets it to one for the whole process */
} sab_gmsh_session;

/* Start Gmsh, silent, with these numbers in place of those of DefineConstant. */
sab_status sab_gmsh_session_open(sab_gmsh_session *s, int nparameters,
                                 const sab_mesh_parameter *parameter, sab_error *err);
/* Also after sab_gmsh_session_open has failed. */
void sab_gmsh_session_close(sab_gmsh_session *s);

/* SAB_ERR_INPUT if Gmsh has complained so far, or ierr says so. Its first error says most. */
sab_status sab_gmsh_check(int ierr, const char *doing, sab_error *err);

/* SAB_ERR_INPUT if the model is larger than 1e12, or lies that far away: Gmsh would mesh for ever.
 */
sab_status sab_gmsh_check_extent(sab_error *err);

/* Merge a mesh by another name than its own, so that Gmsh finds no `path`.opt, which it would run
 * as a script. */
void sab_gmsh_merge_data(const char *path, int *ierr);

/* What Gmsh calls an entity of a dimension: "surface". */
const char *sab_gmsh_entity_name(int dim);

/* The elements of one curve, surface or volume, by tags of nodes. */
typedef struct sab_gmsh_block {
    int type;      /* of Gmsh, of all elements */
    size_t n, per; /* elements, nodes of each */
    size_t *node;  /* [n][per]; release with gmshFree */
} sab_gmsh_block;

/* SAB_ERR_INPUT unless all elements of the entity are of one type. */
sab_status sab_gmsh_read_block(int dim, int entity, sab_gmsh_block *b, sab_error *err);

#endif
