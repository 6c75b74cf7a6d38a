/* SPDX-License-Identifier: GPL-3.0-or-later */
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

enum { PAIR = 2 }; /* Gmsh lists entities and groups as pairs: dimension, tag */

/* ---- Entities of the model and their elements ------------------------------------------------ */

typedef struct reader {
    sab_gmsh_kind kind;
    const sab_cell *cell; /* what the mesh is made of */
    int nentities;
    int *entity; /* [nentities] tags of the surfaces or volumes whose elements are the mesh */
    size_t ngroups;
    int *group; /* [ngroups][PAIR] the physical curves or surfaces; of Gmsh */
    sab_tagged nodes;
} reader;

static int compare_int(const void *a, const void *b)
{
    const int p = *(const int *)a, q = *(const int *)b;

    return (p > q) - (p < q);
}

/* As the language of Gmsh writes it: "Surface". */
static const char *command_of(int dim)
{
    static const char *const name[] = {"Point", "Curve", "Surface", "Volume"};

    return name[dim];
}

/* As Gmsh does when it saves: the physical surfaces (volumes), or all if there are none. */
static sab_status find_entities(reader *r, sab_error *err)
{
    sab_status status = SAB_OK;
    int *group = NULL, *entity = NULL;
    size_t ngroups = 0, nentities = 0;
    int ierr = 0;

    gmshModelGetEntities(&entity, &nentities, r->cell->dim, &ierr);
    SAB_TRY(sab_gmsh_check(ierr, "listing entities of the model", err));
    gmshModelGetPhysicalGroups(&group, &ngroups, r->cell->dim, &ierr);
    SAB_TRY(sab_gmsh_check(ierr, "listing physical groups", err));
    SAB_NEW(r->entity, nentities);
    for (size_t i = 0; i < nentities / PAIR; i++) {
        int *of = NULL;
        size_t nof = 0;

        gmshModelGetPhysicalGroupsForEntity(r->cell->dim, entity[PAIR * i + 1], &of, &nof, &ierr);
        gmshFree(of);
        if (ngroups == 0 || nof > 0)
            r->entity[r->nentities++] = entity[PAIR * i + 1];
    }
    qsort(r->entity, (size_t)r->nentities, sizeof *r->entity,
          compare_int); /* as from every format */
cleanup:
    gmshFree(entity);
    gmshFree(group);
    return status;
}

static sab_status no_elements(const reader *r, sab_error *err)
{
    const int dim = r->cell->dim;

    if (r->kind == SAB_GMSH_GEO)
        return sab_fail(err, SAB_ERR_INPUT, "the geometry has no %s to mesh; end it with %s",
                        sab_gmsh_entity_name(dim),
                        dim == SAB_DIM ? "Surface Loop(1) = {...}; Volume(1) = {1};"
                                       : "Curve Loop(1) = {...}; Plane Surface(1) = {1};");
    return sab_fail(err, SAB_ERR_INPUT,
                    "the mesh has no %s. Once there are physical groups, Gmsh saves only their "
                    "elements: add Physical %s(\"domain\") = {...}; to the geometry (and mesh in "
                    "%dD, gmsh -%d)",
                    r->cell->plural, command_of(dim), dim, dim);
}

/* What Gmsh makes by Recombine or Layers, by the number of corners: a sentence can name it. */
static const char *other_cells(int dim, int ncorners)
{
    if (dim < SAB_DIM)
        return ncorners == 4 ? "quadrangles" : NULL;
    return ncorners == 5   ? "pyramids"
           : ncorners == 6 ? "prisms"
           : ncorners == 8 ? "hexahedra"
                           : NULL;
}

static sab_status wrong_type(const sab_cell *cell, int entity, int type, sab_error *err)
{
    const char *part = sab_gmsh_entity_name(cell->dim);
    char *name = NULL;
    double *local = NULL;
    int dim, order, nnodes, ncorners = 0, ierr = 0;
    size_t nlocal = 0;

    gmshModelMeshGetElementProperties(type, &name, &dim, &order, &nnodes, &local, &nlocal,
                                      &ncorners, &ierr);
    const char *shown = name != NULL ? name : "unknown";
    const char *other = other_cells(cell->dim, ncorners);
    if (other != NULL)
        sab_fail(err, SAB_ERR_INPUT, "%s %d has %s (%s), but only %s can be used: remove Recombine",
                 part, entity, other, shown, cell->plural);
    else
        sab_fail(err, SAB_ERR_INPUT,
                 "%s %d has elements '%s', but only %s of %d or %d nodes can be used: set "
                 "Mesh.ElementOrder to 1 or 2",
                 part, entity, shown, cell->plural, cell->corners, cell->nodes);
    gmshFree(name);
    gmshFree(local);
    return SAB_ERR_INPUT;
}

/* 1 or 2 for the linear and the quadratic element of Gmsh, 0 for any other. */
static int order_of(const sab_cell *cell, int type)
{
    return type == cell->gmsh_linear ? 1 : type == cell->gmsh_type ? 2 : 0;
}

/* Order of the elements; any other of their dimension is an error. */
static sab_status check_types(const reader *r, int *order, sab_error *err)
{
    sab_status status = SAB_OK;

    *order = 0;
    for (int s = 0; s < r->nentities && status == SAB_OK; s++) {
        int *type = NULL, ierr = 0;
        size_t ntypes = 0;

        gmshModelMeshGetElementTypes(&type, &ntypes, r->cell->dim, r->entity[s], &ierr);
        status = sab_gmsh_check(ierr, "listing element types", err);
        for (size_t i = 0; i < ntypes && status == SAB_OK; i++) {
            const int mine = order_of(r->cell, type[i]);

            if (mine == 0)
                status = wrong_type(r->cell, r->entity[s], type[i], err);
            else if (*order != 0 && *order != mine)
                status =
                    sab_fail(err, SAB_ERR_INPUT, "the mesh has both linear and quadratic elements");
            *order = mine;
        }
        gmshFree(type);
    }
    return status == SAB_OK && *order == 0 ? no_elements(r, err) : status;
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

static sab_status read_elements(reader *r, int order, sab_mesh **mesh, sab_error *err)
{
    sab_status status = SAB_OK;
    const size_t per = (size_t)(order == 1 ? r->cell->corners : r->cell->nodes);
    size_t *all = NULL, n = 0;
    sab_gmsh_block b = {0};

    for (int s = 0; s < r->nentities; s++) {
        SAB_TRY(sab_gmsh_read_block(r->cell->dim, r->entity[s], &b, err));
        size_t *more = sab_realloc(all, per * (n + b.n), sizeof *more);
        if (more == NULL) {
            status =
                sab_fail(err, SAB_ERR_MEMORY, "out of memory: %zu %s", n + b.n, r->cell->plural);
            goto cleanup;
        }
        all = more;
        for (size_t i = 0; i < b.n; i++) {
            /* Format 2.2 repeats an element for each physical group that has it. */
            if (n > 0 && memcmp(all + per * (n - 1), b.node + per * i, per * sizeof *all) == 0)
                continue;
            memcpy(all + per * n++, b.node + per * i, per * sizeof *all);
        }
        gmshFree(b.node);
        b.node = NULL;
    }
    SAB_TRY(sab_tagged_mesh(&r->nodes, r->cell, (int)per, n, all, mesh, err));
cleanup:
    gmshFree(b.node);
    SAB_FREE(all);
    return status;
}

/* ---- Boundary groups ------------------------------------------------------------------------ */

/* Format 2.2 repeats a side for each of the k groups of its curve (surface), one after the other.
 * Other programs may write sides of several groups under one number, which Gmsh reads as if each
 * side were in all of them: then sides come alone. Refuse, rather than mix up the boundary. */
static sab_status check_repeated(const reader *r, const sab_cell *cell, int entity, size_t n,
                                 const size_t *corner, sab_error *err)
{
    const char *part = sab_gmsh_entity_name(cell->dim);
    const size_t per = (size_t)cell->corners;
    int *group = NULL, ierr = 0;
    size_t k = 0;
    bool sound = true;

    if (r->kind != SAB_GMSH_MSH_2)
        return SAB_OK;
    gmshModelGetPhysicalGroupsForEntity(cell->dim, entity, &group, &k, &ierr);
    gmshFree(group);
    if (k > 1) {
        sound = n % k == 0;
        for (size_t i = 0; i < n && sound; i++)
            sound = memcmp(corner + per * i, corner + per * (i - i % k), per * sizeof *corner) == 0;
    }
    if (!sound)
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s of different physical groups have the same %s number %d: give "
                        "each group a %s (second tag of an element) of its own",
                        cell == r->cell ? cell->plural : "sides", part, entity, part);
    return SAB_OK;
}

/* Append the sides of one curve (surface), or the cells of a surface (volume), by the tags of their
 * corners. */
static sab_status read_corners(const reader *r, const sab_cell *cell, int entity, size_t *n,
                               size_t **corner, sab_error *err)
{
    sab_status status = SAB_OK;
    const size_t per = (size_t)cell->corners;
    sab_gmsh_block b = {0};

    SAB_TRY(sab_gmsh_read_block(cell->dim, entity, &b, err));
    if (b.n > 0 && order_of(cell, b.type) == 0)
        SAB_TRY(wrong_type(cell, entity, b.type, err));
    size_t *more = sab_realloc(*corner, per * (*n + b.n), sizeof *more);
    if (more == NULL)
        SAB_FAIL(err, SAB_ERR_MEMORY, "out of memory: %zu %s of a group", *n + b.n, cell->plural);
    *corner = more;
    for (size_t i = 0; i < b.n; i++) /* corners come first */
        memcpy(more + per * (*n + i), b.node + b.per * i, per * sizeof *more);
    SAB_TRY(check_repeated(r, cell, entity, b.n, more + per * *n, err));
    *n += b.n;
cleanup:
    gmshFree(b.node);
    return status;
}

/* A group of sides, or of elements if `cell` is that of the mesh. */
static sab_status read_group(const reader *r, const sab_cell *cell, int group, sab_mesh *mesh,
                             sab_error *err)
{
    sab_status status = SAB_OK;
    int *entity = NULL, ierr = 0;
    size_t nentities = 0, nsides = 0, *corner = NULL;
    char *name = NULL;

    gmshModelGetPhysicalName(cell->dim, group, &name, &ierr);
    gmshModelGetEntitiesForPhysicalGroup(cell->dim, group, &entity, &nentities, &ierr);
    SAB_TRY(sab_gmsh_check(ierr, "listing the parts of a group", err));
    qsort(entity, nentities, sizeof *entity, compare_int);
    for (size_t i = 0; i < nentities; i++)
        SAB_TRY(read_corners(r, cell, entity[i], &nsides, &corner, err));
    if (cell == r->cell)
        status = sab_tagged_region(&r->nodes, name, group, nsides, corner, mesh, err);
    else if (nsides == 0)
        status = sab_fail(err, SAB_ERR_INPUT, "boundary group '%s' (number %d) has no sides",
                          name != NULL ? name : "", group);
    else
        status =
            sab_tagged_group(&r->nodes, name != NULL ? name : "", group, nsides, corner, mesh, err);
cleanup:
    SAB_FREE(corner);
    gmshFree(entity);
    gmshFree(name);
    return status;
}

/* The physical surfaces (volumes). One whose elements cannot be told from those of another is left
 * out: only who asks for it needs it. */
static sab_status read_regions(const reader *r, sab_mesh *mesh, sab_error *err)
{
    sab_status status = SAB_OK;
    int *group = NULL, ierr = 0;
    size_t ngroups = 0;

    gmshModelGetPhysicalGroups(&group, &ngroups, r->cell->dim, &ierr);
    SAB_TRY(sab_gmsh_check(ierr, "listing physical groups", err));
    for (size_t i = 0; i < ngroups / PAIR; i++) {
        sab_error why = {0};
        const sab_status read = read_group(r, r->cell, group[PAIR * i + 1], mesh, &why);

        if (read != SAB_OK && read != SAB_ERR_INPUT)
            SAB_TRY(sab_fail(err, read, "%s", why.message));
    }
cleanup:
    gmshFree(group);
    return status;
}

static sab_status list_groups(reader *r, sab_error *err)
{
    const int dim = r->cell->dim;
    int ierr = 0;

    gmshModelGetPhysicalGroups(&r->group, &r->ngroups, r->cell->facet->dim, &ierr);
    r->ngroups /= PAIR;
    if (ierr == 0 && r->ngroups == 0)
        return sab_fail(err, SAB_ERR_INPUT,
                        "the mesh names no boundary: add physical %ss to the geometry, such as "
                        "Physical %s(\"wall\") = {1, 3};%s%s%s",
                        sab_gmsh_entity_name(r->cell->facet->dim), command_of(r->cell->facet->dim),
                        r->kind == SAB_GMSH_GEO ? "" : " and also Physical ",
                        r->kind == SAB_GMSH_GEO ? "" : command_of(dim),
                        r->kind == SAB_GMSH_GEO ? "" : "(\"domain\") = {1};");
    return sab_gmsh_check(ierr, "listing physical groups", err);
}

/* ---- All together --------------------------------------------------------------------------- */

/* Is a curve or, in space, a surface of the model curved? */
static bool has_curved_boundary(int dim)
{
    static const char *const flat[] = {"", "Line", "Plane"};
    bool curved = false;

    for (int d = 1; d < dim && !curved; d++) {
        int *entity = NULL;
        size_t n = 0;
        int ierr = 0;

        gmshModelGetEntities(&entity, &n, d, &ierr);
        for (size_t i = 0; i < n / PAIR && !curved; i++) {
            char *type = NULL;

            gmshModelGetType(d, entity[PAIR * i + 1], &type, &ierr);
            curved = type == NULL || strcmp(type, flat[d]) != 0;
            gmshFree(type);
        }
        gmshFree(entity);
    }
    return curved;
}

/* Triangles or tetrahedra, by the dimension asked for (0: of the model). */
static sab_status choose_cell(reader *r, int dim, sab_error *err)
{
    int ierr = 0;
    const bool volumes = gmshModelGetDimension(&ierr) == SAB_DIM;

    r->cell = (dim == 0 ? volumes : dim == SAB_DIM) ? &sab_cell_tetrahedron : &sab_cell_triangle;
    if (volumes && r->cell != &sab_cell_tetrahedron)
        return sab_fail(err, SAB_ERR_INPUT,
                        "the model has volumes, but a flow in the plane or about an axis needs "
                        "triangles in the plane z = 0 (geometry: space is for tetrahedra)");
    if (!volumes && r->cell == &sab_cell_tetrahedron) {
        no_elements(r, err);
        sab_error_context(err, "geometry: space needs a mesh of tetrahedra");
        return SAB_ERR_INPUT;
    }
    return SAB_OK;
}

/* Elements of the given order, without groups. */
static sab_status read_mesh(reader *r, int order, sab_mesh **mesh, sab_error *err)
{
    const sab_status status = read_nodes(r, err);

    return status == SAB_OK ? read_elements(r, order, mesh, err) : status;
}

/* Mesh a geometry: linear elements where all its boundary is flat (sab_tagged_mesh puts in the
 * middles, much faster), otherwise quadratic ones whose middles are on the geometry. Gmsh optimises
 * tetrahedra unless the .geo says otherwise (Mesh.Optimize; its own optimiser, not Netgen's). */
static sab_status generate(reader *r, int *order, sab_error *err)
{
    sab_status status = SAB_OK;
    int ierr = 0;

    gmshModelMeshGenerate(r->cell->dim, &ierr);
    SAB_TRY(sab_gmsh_check(ierr, "meshing", err));
    SAB_TRY(check_types(r, order, err));
    if (*order == 1 && has_curved_boundary(r->cell->dim)) {
        gmshModelMeshSetOrder(2, &ierr);
        SAB_TRY(sab_gmsh_check(ierr, "raising the mesh to second order", err));
        *order = 2;
    }
cleanup:
    return status;
}

/* A middle moved onto a curved wall can fold its element, where elements are large. Then, and only
 * then, Gmsh moves nodes, those of the boundary along it, until the Jacobians are positive (what
 * its option Mesh.HighOrderOptimize = 1 does): a mesh that was good stays what it was. It sums in
 * the order of addresses, so that the last digits change from run to run; moves are therefore taken
 * in steps of 1e-4 of the shortest edge, off the geometry by half of that at most. */
static sab_status unfold(reader *r, sab_mesh **mesh, sab_error *err)
{
    sab_status status = SAB_OK;
    size_t *tag = NULL, n = 0, nx = 0, nparametric = 0;
    double *x = NULL, *parametric = NULL;
    int ierr = 0;

    gmshModelMeshOptimize("HighOrder", 0, 1, NULL, 0, &ierr);
    SAB_TRY(sab_gmsh_check(ierr, "optimising curved elements", err));
    gmshModelMeshGetNodes(&tag, &n, &x, &nx, &parametric, &nparametric, -1, -1, 0, 0, &ierr);
    SAB_TRY(sab_gmsh_check(ierr, "listing nodes", err));
    sab_tagged_move(&r->nodes, n, tag, x, 1e-4 * r->nodes.shortest);
    SAB_TRY(read_elements(r, 2, mesh, err));
cleanup:
    if (status == SAB_ERR_INPUT)
        sab_error_context(err, "where a curved boundary folds elements, a finer mesh helps");
    gmshFree(tag);
    gmshFree(x);
    gmshFree(parametric);
    return status;
}

static sab_status read_model(const char *path, sab_gmsh_kind kind, int dim, sab_mesh **mesh,
                             sab_error *err)
{
    sab_status status = SAB_OK;
    reader r = {.kind = kind};
    int ierr = 0, order = 0;

    /* Not gmshOpen: it brings back the -setnumber of former meshes, and stays locked for the rest
     * of the process after an error. */
    if (kind == SAB_GMSH_GEO)
        gmshMerge(path, &ierr);
    else
        sab_gmsh_merge_data(path, &ierr);
    SAB_TRY(sab_gmsh_check(ierr, "reading the file", err));
    SAB_TRY(choose_cell(&r, dim, err));
    SAB_TRY(find_entities(&r, err));
    if (kind == SAB_GMSH_GEO) {
        if (r.nentities == 0)
            SAB_TRY(no_elements(&r, err));
        SAB_TRY(list_groups(&r, err)); /* now: meshing can take long */
        SAB_TRY(sab_gmsh_check_extent(err));
        SAB_TRY(generate(&r, &order, err));
    } else {
        SAB_TRY(check_types(&r, &order, err));
        SAB_TRY(list_groups(&r, err));
    }
    status = read_mesh(&r, order, mesh, err);
    if (status == SAB_ERR_INPUT && kind == SAB_GMSH_GEO && order == 2)
        status = unfold(&r, mesh, err);
    SAB_TRY(status);
    for (size_t i = 0; i < r.ngroups; i++)
        SAB_TRY(read_group(&r, r.cell->facet, r.group[PAIR * i + 1], *mesh, err));
    SAB_TRY(read_regions(&r, *mesh, err));
cleanup:
    if (status != SAB_OK)
        sab_mesh_destroy(mesh);
    sab_tagged_destroy(&r.nodes);
    SAB_FREE(r.entity);
    gmshFree(r.group);
    return status;
}

sab_status sab_mesh_read(const char *path, int dim, int nparameters,
                         const sab_mesh_parameter *parameter, sab_mesh **mesh, sab_error *err)
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
        status = read_model(path, kind, dim, mesh, err);
    sab_gmsh_session_close(&s);
cleanup:
    if (status != SAB_OK)
        sab_error_context(err, "while reading mesh '%s'", path);
    return status;
}
