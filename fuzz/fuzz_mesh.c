/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes, elements and groups from anywhere: what a .msh may hold when Gmsh has read it. Bytes:
 * tetrahedra or triangles, number of nodes, of elements; then positions and indices. */
#include "fuzz.h"
#include "base/memory.h"
#include "mesh/mesh.h"

#include <string.h>

typedef struct source {
    const uint8_t *at;
    size_t left;
} source;

static int byte(source *s)
{
    if (s->left == 0)
        return 0;
    s->left--;
    return *s->at++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    source s = {data, size};
    sab_error err = {0};
    const sab_cell *cell = byte(&s) % 4 == 0 ? &sab_cell_tetrahedron : &sab_cell_triangle;
    const int nnodes = byte(&s), nelements = byte(&s) % 64, corners = cell->facet->corners;
    double *x = sab_alloc((size_t)(nnodes * cell->dim), sizeof *x);
    int *element = sab_alloc((size_t)(nelements * cell->nodes), sizeof *element), side[3 * 8];
    sab_mesh *mesh = NULL, *fine = NULL;

    for (int i = 0; i < nnodes * cell->dim; i++)
        x[i] = (byte(&s) - 128) / 16.0;
    for (int i = 0; i < nelements * cell->nodes; i++)
        element[i] = byte(&s) - 1;
    if (sab_mesh_create(cell, nnodes, x, nelements, element, &mesh, &err) == SAB_OK) {
        for (int g = 0; g < 3; g++) {
            for (int i = 0; i < corners * 8; i++)
                side[i] = byte(&s) - 1;
            (void)sab_mesh_add_group(mesh,
                                     g == 0   ? "a"
                                     : g == 1 ? "b"
                                              : NULL,
                                     byte(&s), 8, side, &err);
        }
        for (int i = 0; i < cell->nodes * mesh->nelements; i++)
            fuzz_promise(mesh->element[i] >= 0 && mesh->element[i] < mesh->nnodes, "nodes exist");
        for (int i = 0; i < mesh->nfacets; i++)
            fuzz_promise(mesh->facet_element[i] >= 0 && mesh->facet_element[i] < mesh->nelements,
                         "facets have elements");
        if (cell == &sab_cell_triangle)
            (void)sab_mesh_split_alfeld(mesh, &fine, &err);
    } else {
        fuzz_promise(err.message[0] != '\0', "a refusal has a sentence");
    }
    sab_mesh_destroy(&fine);
    sab_mesh_destroy(&mesh);
    return 0;
}
