/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mesh/mesh.h -- a simplicial mesh with quadratic (P2) geometry and named boundary groups.
 *
 * Elements and facets have the nodes of their cell in its order (mesh/cell.h): of a triangle the
 * corners 0 1 2, then mid-sides of (0,1) (1,2) (2,0), of a line the ends, then the middle. Every
 * element is positively oriented. */
#ifndef SAB_MESH_MESH_H
#define SAB_MESH_MESH_H

#include "base/error.h"
#include "mesh/cell.h"

#include <stdbool.h>

typedef struct sab_mesh_group {
    char *name; /* owned; "" for a group known by its number only */
    int tag;    /* physical number */
    int nfacets;
    int *facet; /* [nfacets] indices into the facets of the mesh */
} sab_mesh_group;

typedef struct sab_mesh_region { /* a group of elements */
    char *name;                  /* "" if it has none */
    int tag;                     /* physical number */
    bool *has;                   /* [nelements] */
} sab_mesh_region;

typedef struct sab_mesh {
    const sab_cell *cell; /* borrowed: what an element is; cell->facet is what a facet is */
    int nnodes;           /* P2 nodes: corners and mid-sides */
    int nvertices;        /* corners only */
    double *x;            /* [nnodes][dim] */
    int nelements;
    int *element;         /* [nelements][nodes] */
    int *neighbour;       /* [nelements][sides] element across a side, or -1 at the boundary */
    int nsides;           /* different sides of all elements */
    int *side;            /* [nelements][sides] number of a side, the same from both its elements */
    int nfacets;          /* all boundary sides, and interior sides that belong to a group */
    int *facet;           /* [nfacets][nodes of a facet]; as side facet_side of facet_element */
    int *facet_element;   /* [nfacets] an element that has it */
    int *facet_side;      /* [nfacets] its side number in that element */
    bool *facet_interior; /* [nfacets] true for an interior side (two elements) */
    int children;         /* elements in a row that one element was split into; 1: not split */
    int ngroups;          /* boundary groups (dimension dim-1) */
    sab_mesh_group *group;   /* [ngroups] */
    int nregions;            /* groups of elements */
    sab_mesh_region *region; /* [nregions] */
} sab_mesh;

static inline int *sab_mesh_element(const sab_mesh *mesh, int e)
{
    return mesh->element + mesh->cell->nodes * e;
}
static inline int *sab_mesh_facet(const sab_mesh *mesh, int f)
{
    return mesh->facet + mesh->cell->facet->nodes * f;
}
/* Position of a node: [dim]. */
static inline double *sab_mesh_x(const sab_mesh *mesh, int node)
{
    return mesh->x + mesh->cell->dim * node;
}

enum { SAB_PLACE_TEXT = 64 };
/* A place as messages show it, "(1, 2.5)": text, with dim coordinates of x. */
const char *sab_place_text(int dim, const double *x, char text[SAB_PLACE_TEXT]);

/* Take nodes and elements, triangles or tetrahedra (both arrays moved into the mesh, freed on
 * failure too; x is [nnodes][dim], element [nelements][nodes], any orientation) and find sides,
 * neighbours and boundary facets. Negative elements are turned: corners 1 and 2 change places.
 * Nodes used by no element are dropped and the later ones move down; when every node is used, nodes
 * and elements keep their numbers. SAB_ERR_INPUT: no elements, a node index out of range, a
 * position that is not finite, a degenerate or folded element (one whose Jacobian is not positive
 * everywhere), two elements that overlap (both on the same side of a side), a side shared by more
 * than two, two elements that disagree on the middle node of an edge, a node that is the middle of
 * two edges, a corner that is the middle of another element's edge. Messages count elements from 1
 * and give a place. */
sab_status sab_mesh_create(const sab_cell *cell, int nnodes, double *x, int nelements, int *element,
                           sab_mesh **mesh, sab_error *err);
/* Add a group made of the sides whose corners are given, [nsides][corners of a facet] in any order;
 * a side given twice counts once, and the facets keep the order of the sides. The name is copied;
 * NULL is "". A side that no element has, or a name used before, is an error that leaves the mesh
 * as it was. */
sab_status sab_mesh_add_group(sab_mesh *mesh, const char *name, int tag, int nsides,
                              const int *corner, sab_error *err);
/* Add a group made of the elements whose corners are given, [n][corners] in any order. The name is
 * copied; NULL is "". Corners that no element has are an error that leaves the mesh as it was. */
sab_status sab_mesh_add_region(sab_mesh *mesh, const char *name, int tag, int n, const int *corner,
                               sab_error *err);
void sab_mesh_destroy(sab_mesh **mesh);

/* Index of the group with this name, or with this number when `name` is a plain integer and no
 * group has that name; -1 if there is none. */
int sab_mesh_find_group(const sab_mesh *mesh, const char *name);
/* The same of a group of elements. */
int sab_mesh_find_region(const sab_mesh *mesh, const char *name);

/* Position x [dim] and Jacobian dx_i/dxi_j of the quadratic map of an element at reference point
 * xi [dim] (mesh/cell.h). Either output may be NULL; entries beyond dim are left alone. */
void sab_mesh_map(const sab_mesh *mesh, int element, const double *xi, double *x,
                  double jacobian[SAB_DIM][SAB_DIM]);

/* The worst shape of an element: dim r / R, with the radii of the spheres inscribed in and
 * circumscribed about its corners, 1 for a regular element and 0 for a flat one (Gmsh's gamma).
 * place [dim], where it is, may be NULL. */
void sab_mesh_quality(const sab_mesh *mesh, double *worst, double *place);

/* Group b as group a, moved: to[k] is node from[k] moved, facet_to[k] facet facet_from[k]. */
typedef struct sab_match {
    double translation[SAB_DIM];
    int n, nfacets;
    int *from, *to;             /* [n] from ascending */
    int *facet_from, *facet_to; /* [nfacets] */
} sab_match;
/* Pair the nodes and sides of both groups; the translation is that of their barycentres. The caller
 * destroys *match, which is empty after a failure. SAB_ERR_INPUT names the first node or side that
 * has no partner. */
sab_status sab_mesh_match_groups(const sab_mesh *mesh, int a, int b, sab_match *match,
                                 sab_error *err);
void sab_match_destroy(sab_match *match);

/* Alfeld (barycentric) split: each triangle into three at the image of its barycentre; curved
 * parents are followed exactly. Nodes keep their numbers; child i of triangle e is 3e+i and has
 * the parent's side i as its side 0, so that boundary facets and groups (kept) are the same. The
 * caller owns *fine. SAB_ERR_INPUT for tetrahedra: theirs is no stable pair (docs/theory.md, 4). */
sab_status sab_mesh_split_alfeld(const sab_mesh *coarse, sab_mesh **fine, sab_error *err);
/* Is every triangle one of three around an inner vertex, as a split leaves them, whoever made it?
 * That is what makes the pair of p2 stable (docs/theory.md, 4); false for tetrahedra. */
bool sab_mesh_is_split(const sab_mesh *mesh);

#endif
