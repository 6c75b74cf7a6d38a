/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/scene.h -- grains and walls as a case describes them, and the numbers it asks of them. */
#ifndef SAB_RUN_SCENE_H
#define SAB_RUN_SCENE_H

#include "flow/probes.h"
#include "grains/coarse.h"
#include "io/case.h"
#include "mesh/mesh.h"

/* A point inside an element: its corners, as vertices, and their parts of it. */
typedef struct sab_scene_point {
    int vertex[SAB_CORNERS];
    double weight[SAB_CORNERS];
} sab_scene_point;

typedef struct sab_scene {
    const sab_case *c;  /* borrowed */
    sab_grains *grains; /* owned */
    double mass;        /* of all, at the beginning */
    int outside;        /* so many began in the box about the mesh, and in none of its parts */
    double length;      /* of the last advance, */
    double *before;     /* [sinks] and what had left before it */
    int *sink;          /* [c->nwalls] number of an open one, or -1 */
    sab_probe_result *result; /* [c->nprobes] */
    /* with `coarse`, else NULL: the grains as fields at the vertices of the mesh (borrowed) */
    sab_coarse *coarse;
    const sab_mesh *mesh;
    int *vertex;              /* [nodes] number of a corner, or -1 */
    double *place, *volume;   /* of the vertices */
    sab_scene_point **sample; /* [c->nprobes] of points and lines */
} sab_scene;

/* Bodies, walls and sinks of a case; the mesh (NULL: none) has the groups that are walls.
 * SAB_ERR_INPUT: an unknown group, no room, a bad file, grains that overlap from the beginning. The
 * caller owns *scene. */
sab_status sab_scene_create(const sab_case *c, const sab_mesh *mesh, sab_scene **scene,
                            sab_error *err);
void sab_scene_destroy(sab_scene **scene);
/* Has any grain a velocity? */
bool sab_scene_moves(const sab_scene *scene);
/* The numbers of all probes, in order; borrowed until the next call. */
sab_status sab_scene_probe(sab_scene *scene, const sab_probe_result **result, sab_error *err);

/* scene_output.c -- grains_NNNN.vtu: points with radius, axes (if some are ellipses), velocity,
 * spin, orientation (quaternion w, x, y, z), mass, id, pressure (of the contacts of the last step);
 * contacts_NNNN.vtu: lines between the centres, or to the wall, with the force. */
sab_status sab_scene_write(const sab_scene *scene, const char *path, double time, sab_error *err);
sab_status sab_scene_write_contacts(const sab_scene *scene, const char *path, double time,
                                    sab_error *err);

/* scene_walls.c -- walls_NNNN.vtu: where they are, with the number of the wall, the force of the
 * grains on it and its velocity. */
sab_status sab_scene_write_walls(const sab_scene *scene, const char *path, double time,
                                 sab_error *err);

/* scene_coarse.c -- the fields: made, sampled for a probe (of the last sab_coarse_fill), written as
 * those of a flow, with density and fraction of volume. */
sab_status sab_scene_make_coarse(sab_scene *scene, const sab_mesh *mesh, sab_error *err);
void sab_scene_free_coarse(sab_scene *scene);
void sab_scene_sample(const sab_scene *scene, int probe, double *value);
sab_status sab_scene_write_fields(const sab_scene *scene, const char *path, double time,
                                  sab_error *err);

/* scene_probes.c -- room for the results. */
sab_status sab_scene_make_probes(sab_scene *scene, sab_error *err);
void sab_scene_free_probes(sab_scene *scene);

#endif
