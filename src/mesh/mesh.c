/* mesh.c -- from bare nodes and triangles to a checked mesh: orientation, shape, sides, boundary.
 */
#include "mesh/mesh.h"
#include "mesh/sides.h"
#include "base/memory.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* The shape functions at one reference point; slope is [nodes][dim]. */
typedef struct shape {
    double value[SAB_NODES];
    double slope[SAB_NODES * SAB_DIM];
} shape;

static shape shape_at(const sab_cell *cell, const double *xi)
{
    shape s;

    sab_cell_shapes(cell, xi, s.value, s.slope);
    return s;
}

void sab_mesh_map(const sab_mesh *mesh, int element, const double xi[2], double x[2],
                  double jacobian[2][2])
{
    const int *node = sab_mesh_element(mesh, element);
    const int dim = mesh->cell->dim, nodes = mesh->cell->nodes;
    shape s;

    sab_cell_shapes(mesh->cell, xi, s.value, jacobian != NULL ? s.slope : NULL);
    for (int i = 0; i < dim && x != NULL; i++) {
        double position = 0.0;

        for (int a = 0; a < nodes; a++)
            position += s.value[a] * mesh->x[dim * node[a] + i];
        x[i] = position;
    }
    for (int i = 0; i < dim && jacobian != NULL; i++)
        for (int j = 0; j < dim; j++) {
            double slope = 0.0;

            for (int a = 0; a < nodes; a++)
                slope += s.slope[dim * a + j] * mesh->x[dim * node[a] + i];
            jacobian[i][j] = slope;
        }
}

static double cross(const double a[2], const double b[2])
{
    return a[0] * b[1] - a[1] * b[0];
}

/* Node indices in range; role[node] = CORNER or MIDDLE; both at once is a hanging node. */
enum { UNUSED, CORNER, MIDDLE };

static sab_status find_roles(const sab_mesh *m, char *role, sab_error *err)
{
    const int per = m->cell->nodes;

    for (int k = 0; k < per * m->nelements; k++) {
        const int node = m->element[k];
        const char mine = k % per < m->cell->corners ? CORNER : MIDDLE;

        if (node < 0 || node >= m->nnodes)
            return sab_fail(err, SAB_ERR_INPUT,
                            "%s %d uses node %d, but there are %d nodes (from 0)", m->cell->name,
                            k / per + 1, node, m->nnodes);
        const double *x = sab_mesh_x(m, node);
        for (int i = 0; i < m->cell->dim; i++)
            if (!isfinite(x[i]))
                return sab_fail(err, SAB_ERR_INPUT, "node %d of %s %d has no finite position", node,
                                m->cell->name, k / per + 1);
        if (role[node] != UNUSED && role[node] != mine)
            return sab_fail(err, SAB_ERR_INPUT,
                            "node %d at (%g, %g), in triangle %d, is a corner of one triangle and "
                            "the middle of a side of another: the mesh does not conform there",
                            node, x[0], x[1], k / per + 1);
        role[node] = mine;
    }
    return SAB_OK;
}

/* Gmsh leaves nodes that no triangle uses, e.g. the centres of circles: close the gaps. */
static sab_status drop_unused_nodes(sab_mesh *m, sab_error *err)
{
    sab_status status = SAB_OK;
    char *role = NULL;
    int *number = NULL;
    int kept = 0;

    SAB_NEW(role, m->nnodes);
    SAB_TRY(find_roles(m, role, err));
    SAB_NEW(number, m->nnodes);
    for (int i = 0; i < m->nnodes; i++) {
        if (role[i] == UNUSED)
            continue;
        m->nvertices += role[i] == CORNER;
        memmove(sab_mesh_x(m, kept), sab_mesh_x(m, i), (size_t)m->cell->dim * sizeof *m->x);
        number[i] = kept++;
    }
    for (int k = 0; k < m->cell->nodes * m->nelements; k++)
        m->element[k] = number[m->element[k]];
    m->nnodes = kept;
cleanup:
    SAB_FREE(role);
    SAB_FREE(number);
    return status;
}

/* Twice the area of the triangle of the corners, and of the curved triangle. A side from a to b
 * whose middle stands off the chord by d adds the area (2/3) d x (b - a) of a parabola segment. */
static void twice_areas(const sab_mesh *m, int e, double *straight, double *curved)
{
    const int *node = sab_mesh_element(m, e);
    double chord[SAB_SIDES][2], bulge = 0.0;

    for (int s = 0; s < m->cell->sides; s++) {
        const int *side = m->cell->side[s];
        const double *a = sab_mesh_x(m, node[side[0]]), *b = sab_mesh_x(m, node[side[1]]);
        const double *middle = sab_mesh_x(m, node[side[2]]);
        double d[2];

        for (int i = 0; i < 2; i++) {
            chord[s][i] = b[i] - a[i];
            d[i] = middle[i] - 0.5 * (a[i] + b[i]);
        }
        bulge += 4.0 / 3.0 * cross(d, chord[s]);
    }
    *straight = cross(chord[0], chord[1]);
    *curved = *straight + bulge;
}

/* The sign of the curved area decides: a valid map has a Jacobian of one sign, hence that of its
 * integral, while the corners alone can mislead when sides are strongly curved. */
static void orient(sab_mesh *m)
{
    for (int e = 0; e < m->nelements; e++) {
        int *node = sab_mesh_element(m, e);
        double straight, curved;

        twice_areas(m, e, &straight, &curved);
        if (curved < 0.0) {
            const int corner = node[1], middle = node[3];

            node[1] = node[2];
            node[2] = corner;
            node[3] = node[5]; /* side (0,1) is now the former (0,2) */
            node[5] = middle;
        }
    }
}

static double longest_side(const sab_mesh *m, int e)
{
    const int *node = sab_mesh_element(m, e);
    double longest = 0.0;

    for (int i = 0; i < m->cell->edges; i++) {
        const int *end = m->cell->edge[i];
        const double *a = sab_mesh_x(m, node[end[0]]), *b = sab_mesh_x(m, node[end[1]]);

        longest = fmax(longest, hypot(b[0] - a[0], b[1] - a[1]));
    }
    return longest;
}

/* The Jacobian must be positive wherever it is used: at the six nodes and three Gauss points. */
static sab_status check_shapes(const sab_mesh *m, sab_error *err)
{
    static const double point[9][2] = {{0.0, 0.0},
                                       {1.0, 0.0},
                                       {0.0, 1.0},
                                       {0.5, 0.0},
                                       {0.5, 0.5},
                                       {0.0, 0.5},
                                       {1.0 / 6.0, 1.0 / 6.0},
                                       {2.0 / 3.0, 1.0 / 6.0},
                                       {1.0 / 6.0, 2.0 / 3.0}};
    shape s[9];

    for (int q = 0; q < 9; q++)
        s[q] = shape_at(m->cell, point[q]);
    for (int e = 0; e < m->nelements; e++) {
        const int *node = sab_mesh_element(m, e);
        const double longest = longest_side(m, e), smallest = 1e-10 * longest * longest;
        double least = INFINITY, straight, curved, where[2];

        for (int q = 0; q < 9; q++) {
            double J[2][2] = {{0.0}}; /* J[j] = dx/dxi_j */

            for (int a = 0; a < m->cell->nodes; a++)
                for (int j = 0; j < 2; j++)
                    for (int i = 0; i < 2; i++)
                        J[j][i] += s[q].slope[2 * a + j] * sab_mesh_x(m, node[a])[i];
            least = fmin(least, cross(J[0], J[1]));
        }
        if (least > smallest)
            continue;
        twice_areas(m, e, &straight, &curved);
        sab_mesh_map(m, e, (const double[]){1.0 / 3.0, 1.0 / 3.0}, where, NULL);
        return sab_fail(err, SAB_ERR_INPUT,
                        "triangle %d of %d, near (%g, %g), %s: its map has the Jacobian %.3g, "
                        "with sides up to %g",
                        e + 1, m->nelements, where[0], where[1],
                        straight > smallest ? "is folded by its curved sides" : "is degenerate",
                        least, longest);
    }
    return SAB_OK;
}

sab_status sab_mesh_create(int nnodes, double *x, int nelements, int *element, sab_mesh **mesh,
                           sab_error *err)
{
    sab_status status = SAB_OK;
    sab_mesh *m = sab_alloc(1, sizeof *m);

    *mesh = NULL;
    if (m == NULL) {
        sab_free(x);
        sab_free(element);
        return sab_fail(err, SAB_ERR_MEMORY, "out of memory for a mesh");
    }
    *m = (sab_mesh){.cell = &sab_cell_triangle,
                    .nnodes = nnodes,
                    .x = x,
                    .nelements = nelements,
                    .element = element};
    if (nnodes <= 0 || nelements <= 0) {
        status = sab_fail(err, SAB_ERR_INPUT, "the mesh is empty: %d nodes and %d triangles",
                          nnodes, nelements);
        goto cleanup;
    }
    if (nelements > INT_MAX / m->cell->nodes ||
        nnodes > INT_MAX / m->cell->dim - 1) { /* indices are int */
        status = sab_fail(err, SAB_ERR_INPUT, "the mesh is too large: %d nodes and %d triangles",
                          nnodes, nelements);
        goto cleanup;
    }
    SAB_TRY(drop_unused_nodes(m, err));
    orient(m);
    SAB_TRY(check_shapes(m, err));
    SAB_TRY(sab_mesh_find_sides(m, err));
    *mesh = m;
    m = NULL;
cleanup:
    sab_mesh_destroy(&m);
    return status;
}

void sab_mesh_destroy(sab_mesh **mesh)
{
    sab_mesh *m = *mesh;

    if (m == NULL)
        return;
    for (int g = 0; g < m->ngroups; g++) {
        SAB_FREE(m->group[g].name);
        SAB_FREE(m->group[g].facet);
    }
    SAB_FREE(m->group);
    SAB_FREE(m->facet_interior);
    SAB_FREE(m->facet_side);
    SAB_FREE(m->facet_element);
    SAB_FREE(m->facet);
    SAB_FREE(m->neighbour);
    SAB_FREE(m->element);
    SAB_FREE(m->x);
    SAB_FREE(*mesh);
}
