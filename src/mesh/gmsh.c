/* gmsh.c -- meshes by Gmsh. Only this file, gmsh_session.c and gmsh_parameters.c know its
 * interface. */
#include "mesh/gmsh.h"
#include "mesh/gmsh_file.h"
#include "mesh/gmsh_parameters.h"
#include "mesh/gmsh_session.h"
#include "mesh/tagged.h"
#include "base/memory.h"

#include <gmshc.h>

#include <stdlib.h>
#include <string.h>

/* ---- Surfaces and their triangles ----------------------------------------------------------- */

typedef struct reader {
    sab_gmsh_kind kind;
    const sab_cell *cell; /* what the mesh is made of */
    int nsurfaces;
    int *surface; /* [nsurfaces] tags of the surfaces whose triangles are the mesh */
    size_t ngroups;
    int *group; /* [ngroups][2] dimension 1, number of the physical curve; of Gmsh */
    sab_tagged nodes;
} reader;

static int compare_int(const void *a, const void *b)
{
    const int p = *(const int *)a, q = *(const int *)b;

    return (p > q) - (p < q);
}

/* As Gmsh does when it saves: the physical surfaces, or all surfaces if there are none. */
static sab_status find_surfaces(reader *r, sab_error *err)
{
    sab_status status = SAB_OK;
    int *group = NULL, *entity = NULL;
    size_t ngroups = 0, nentities = 0, capacity = 0, n = 0;
    int ierr = 0;

    gmshModelGetEntities(&entity, &nentities, r->cell->dim, &ierr);
    SAB_TRY(sab_gmsh_check(ierr, "listing surfaces", err));
    gmshModelGetPhysicalGroups(&group, &ngroups, r->cell->dim, &ierr);
    SAB_TRY(sab_gmsh_check(ierr, "listing physical surfaces", err));
    capacity = nentities / 2;
    SAB_NEW(r->surface, capacity);
    for (size_t i = 0; i < nentities / 2; i++) {
        int *of = NULL;
        size_t nof = 0;

        gmshModelGetPhysicalGroupsForEntity(r->cell->dim, entity[2 * i + 1], &of, &nof, &ierr);
        gmshFree(of);
        if (ngroups == 0 || nof > 0)
            r->surface[n++] = entity[2 * i + 1];
    }
    r->nsurfaces = (int)n;
    qsort(r->surface, n, sizeof *r->surface, compare_int); /* the same order from every format */
cleanup:
    gmshFree(entity);
    gmshFree(group);
    return status;
}

static sab_status no_triangles(const reader *r, sab_error *err)
{
    if (r->kind == SAB_GMSH_GEO)
        return sab_fail(err, SAB_ERR_INPUT,
                        "the geometry has no surface to mesh; end it with Curve Loop(1) = {...}; "
                        "Plane Surface(1) = {1};");
    return sab_fail(err, SAB_ERR_INPUT,
                    "the mesh has no triangles. Once there are physical groups, Gmsh saves only "
                    "their elements: add Physical Surface(\"domain\") = {...}; to the geometry "
                    "(and mesh in 2D, gmsh -2)");
}

static sab_status wrong_type(int surface, int type, sab_error *err)
{
    char *name = NULL;
    double *local = NULL;
    int dim, order, nnodes, ncorners = 0, ierr = 0;
    size_t nlocal = 0;

    gmshModelMeshGetElementProperties(type, &name, &dim, &order, &nnodes, &local, &nlocal,
                                      &ncorners, &ierr);
    const char *shown = name != NULL ? name : "unknown";
    if (ncorners == 4)
        sab_fail(
            err, SAB_ERR_INPUT,
            "surface %d has quadrangles (%s), but only triangles can be used: remove Recombine",
            surface, shown);
    else
        sab_fail(err, SAB_ERR_INPUT,
                 "surface %d has elements '%s', but only triangles of 3 or 6 nodes can be used: "
                 "set Mesh.ElementOrder to 1 or 2",
                 surface, shown);
    gmshFree(name);
    gmshFree(local);
    return SAB_ERR_INPUT;
}

/* Order of the triangles; anything else of dimension two is an error. */
static sab_status check_types(const reader *r, int *order, sab_error *err)
{
    sab_status status = SAB_OK;

    *order = 0;
    for (int s = 0; s < r->nsurfaces && status == SAB_OK; s++) {
        int *type = NULL, ierr = 0;
        size_t ntypes = 0;

        gmshModelMeshGetElementTypes(&type, &ntypes, r->cell->dim, r->surface[s], &ierr);
        status = sab_gmsh_check(ierr, "listing element types", err);
        for (size_t i = 0; i < ntypes && status == SAB_OK; i++) {
            const int mine = type[i] == r->cell->gmsh_linear ? 1
                             : type[i] == r->cell->gmsh_type ? 2
                                                             : 0;

            if (mine == 0)
                status = wrong_type(r->surface[s], type[i], err);
            else if (*order != 0 && *order != mine)
                status =
                    sab_fail(err, SAB_ERR_INPUT, "the mesh has both linear and quadratic elements");
            *order = mine;
        }
        gmshFree(type);
    }
    return status == SAB_OK && *order == 0 ? no_triangles(r, err) : status;
}

static sab_status read_nodes(reader *r, sab_error *err)
{
    sab_status status = SAB_OK;
    size_t *tag = NULL, n = 0, nx = 0, nparametric = 0;
    double *x = NULL, *parametric = NULL;
    int ierr = 0;

    gmshModelMeshGetNodes(&tag, &n, &x, &nx, &parametric, &nparametric, -1, -1, 0, 0, &ierr);
    SAB_TRY(sab_gmsh_check(ierr, "listing nodes", err));
    SAB_TRY(sab_tagged_create(n, tag, x, &r->nodes, err));
cleanup:
    gmshFree(tag);
    gmshFree(x);
    gmshFree(parametric);
    return status;
}

static sab_status read_triangles(reader *r, int order, sab_mesh **mesh, sab_error *err)
{
    sab_status status = SAB_OK;
    const size_t per = (size_t)(order == 1 ? r->cell->corners : r->cell->nodes);
    size_t *all = NULL, n = 0;
    sab_gmsh_block b = {0};

    for (int s = 0; s < r->nsurfaces; s++) {
        SAB_TRY(sab_gmsh_read_block(r->cell->dim, r->surface[s], &b, err));
        size_t *more = sab_realloc(all, per * (n + b.n), sizeof *more);
        if (more == NULL) {
            status = sab_fail(err, SAB_ERR_MEMORY, "out of memory: %zu triangles", n + b.n);
            goto cleanup;
        }
        all = more;
        for (size_t i = 0; i < b.n; i++) {
            /* Format 2.2 repeats a triangle for each physical surface that has it. */
            if (n > 0 && memcmp(all + per * (n - 1), b.node + per * i, per * sizeof *all) == 0)
                continue;
            memcpy(all + per * n++, b.node + per * i, per * sizeof *all);
        }
        gmshFree(b.node);
        b.node = NULL;
    }
    SAB_TRY(sab_tagged_mesh(&r->nodes, (int)per, n, all, mesh, err));
cleanup:
    gmshFree(b.node);
    SAB_FREE(all);
    return status;
}

/* ---- Boundary groups ------------------------------------------------------------------------ */

/* Format 2.2 repeats a side for each of the k groups of its curve, one after the other. Other
 * programs may write sides of several groups under one curve number, which Gmsh reads as if each
 * side were in all of them: then sides come alone. Refuse, rather than mix up the boundary. */
static sab_status check_repeated(const reader *r, int curve, size_t n, const size_t *side,
                                 sab_error *err)
{
    int *group = NULL, ierr = 0;
    size_t k = 0;
    bool sound = true;

    if (r->kind != SAB_GMSH_MSH_2)
        return SAB_OK;
    gmshModelGetPhysicalGroupsForEntity(r->cell->facet->dim, curve, &group, &k, &ierr);
    gmshFree(group);
    if (k > 1) {
        sound = n % k == 0;
        for (size_t i = 0; i < n && sound; i++)
            sound = memcmp(side + 2 * i, side + 2 * (i - i % k), 2 * sizeof *side) == 0;
    }
    if (!sound)
        return sab_fail(err, SAB_ERR_INPUT,
                        "sides of different physical groups have the same curve number %d: give "
                        "each group a curve (second tag of an element) of its own",
                        curve);
    return SAB_OK;
}

/* Append the sides of one curve, as pairs of node tags. */
static sab_status read_curve(const reader *r, int curve, size_t *n, size_t **side, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_gmsh_block b = {0};

    SAB_TRY(sab_gmsh_read_block(r->cell->facet->dim, curve, &b, err));
    size_t *more = sab_realloc(*side, 2 * (*n + b.n), sizeof *more);
    if (more == NULL) {
        status = sab_fail(err, SAB_ERR_MEMORY, "out of memory: %zu sides", *n + b.n);
        goto cleanup;
    }
    *side = more;
    for (size_t i = 0; i < b.n; i++)
        memcpy(more + 2 * (*n + i), b.node + b.per * i, 2 * sizeof *more); /* ends come first */
    SAB_TRY(check_repeated(r, curve, b.n, more + 2 * *n, err));
    *n += b.n;
cleanup:
    gmshFree(b.node);
    return status;
}

static sab_status read_group(const reader *r, int group, sab_mesh *mesh, sab_error *err)
{
    sab_status status = SAB_OK;
    int *curve = NULL, ierr = 0;
    size_t ncurves = 0, nsides = 0, *side = NULL;
    char *name = NULL;

    gmshModelGetPhysicalName(r->cell->facet->dim, group, &name, &ierr);
    gmshModelGetEntitiesForPhysicalGroup(r->cell->facet->dim, group, &curve, &ncurves, &ierr);
    SAB_TRY(sab_gmsh_check(ierr, "listing the curves of a group", err));
    qsort(curve, ncurves, sizeof *curve, compare_int);
    for (size_t i = 0; i < ncurves; i++)
        SAB_TRY(read_curve(r, curve[i], &nsides, &side, err));
    if (nsides == 0)
        status = sab_fail(err, SAB_ERR_INPUT, "boundary group '%s' (number %d) has no sides",
                          name != NULL ? name : "", group);
    else
        status =
            sab_tagged_group(&r->nodes, name != NULL ? name : "", group, nsides, side, mesh, err);
cleanup:
    SAB_FREE(side);
    gmshFree(curve);
    gmshFree(name);
    return status;
}

static sab_status list_groups(reader *r, sab_error *err)
{
    int ierr = 0;

    gmshModelGetPhysicalGroups(&r->group, &r->ngroups, r->cell->facet->dim, &ierr);
    r->ngroups /= 2;
    if (ierr == 0 && r->ngroups == 0)
        return sab_fail(err, SAB_ERR_INPUT,
                        "the mesh names no boundary: add physical curves to the geometry, such as "
                        "Physical Curve(\"wall\") = {1, 3};%s",
                        r->kind == SAB_GMSH_GEO ? ""
                                                : " and also Physical Surface(\"domain\") = {1};");
    return sab_gmsh_check(ierr, "listing physical curves", err);
}

/* ---- All together --------------------------------------------------------------------------- */

static bool has_curved_boundary(void)
{
    int *entity = NULL, ierr = 0;
    size_t n = 0;
    bool curved = false;

    gmshModelGetEntities(&entity, &n, 1, &ierr);
    for (size_t i = 0; i < n / 2 && !curved; i++) {
        char *type = NULL;

        gmshModelGetType(1, entity[2 * i + 1], &type, &ierr);
        curved = type == NULL || strcmp(type, "Line") != 0;
        gmshFree(type);
    }
    gmshFree(entity);
    return curved;
}

static sab_status read_model(const char *path, sab_gmsh_kind kind, sab_mesh **mesh, sab_error *err)
{
    sab_status status = SAB_OK;
    reader r = {.kind = kind, .cell = &sab_cell_triangle};
    int ierr = 0, order = 0;

    /* Not gmshOpen: it brings back the -setnumber of former meshes, and stays locked for the rest
     * of the process after an error. */
    if (kind == SAB_GMSH_GEO)
        gmshMerge(path, &ierr);
    else
        sab_gmsh_merge_data(path, &ierr);
    SAB_TRY(sab_gmsh_check(ierr, "reading the file", err));
    if (gmshModelGetDimension(&ierr) > r.cell->dim) {
        status = sab_fail(err, SAB_ERR_INPUT,
                          "the model has volumes, but only plane meshes (z = 0) can be used");
        goto cleanup;
    }
    SAB_TRY(find_surfaces(&r, err));
    if (kind == SAB_GMSH_GEO) {
        if (r.nsurfaces == 0)
            SAB_TRY(no_triangles(&r, err));
        SAB_TRY(list_groups(&r, err)); /* now: meshing can take long */
        gmshModelMeshGenerate(r.cell->dim, &ierr);
        SAB_TRY(sab_gmsh_check(ierr, "meshing", err));
        SAB_TRY(check_types(&r, &order, err));
    } else {
        SAB_TRY(check_types(&r, &order, err));
        SAB_TRY(list_groups(&r, err));
    }
    /* Otherwise sides are straight, and sab_tagged_mesh puts in their middles much faster. */
    if (order == 1 && kind == SAB_GMSH_GEO && has_curved_boundary()) {
        gmshModelMeshSetOrder(2, &ierr);
        SAB_TRY(sab_gmsh_check(ierr, "raising the mesh to second order", err));
        order = 2;
    }
    SAB_TRY(read_nodes(&r, err));
    SAB_TRY(read_triangles(&r, order, mesh, err));
    for (size_t i = 0; i < r.ngroups; i++)
        SAB_TRY(read_group(&r, r.group[2 * i + 1], *mesh, err));
cleanup:
    if (status != SAB_OK)
        sab_mesh_destroy(mesh);
    sab_tagged_destroy(&r.nodes);
    SAB_FREE(r.surface);
    gmshFree(r.group);
    return status;
}

sab_status sab_mesh_read(const char *path, int nparameters, const sab_mesh_parameter *parameter,
                         sab_mesh **mesh, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_gmsh_kind kind;
    sab_gmsh_session s = {0};

    *mesh = NULL;
    SAB_TRY(sab_gmsh_file_check(path, &kind, err));
    if (kind == SAB_GMSH_GEO) {
        SAB_TRY(sab_gmsh_parameters_check(path, nparameters, parameter, err));
    } else if (nparameters > 0) {
        status = sab_fail(err, SAB_ERR_INPUT,
                          "mesh parameters (here '%s') are for .geo files: a .msh is fixed",
                          parameter[0].name);
        goto cleanup;
    }
    status = sab_gmsh_session_open(&s, nparameters, parameter, err);
    if (status == SAB_OK)
        status = read_model(path, kind, mesh, err);
    sab_gmsh_session_close(&s);
cleanup:
    if (status != SAB_OK)
        sab_error_context(err, "while reading mesh '%s'", path);
    return status;
}
