/* mesh.c -- from bare nodes and triangles to a checked mesh: orientation, shape, sides, boundary.
 */
#include "mesh/mesh.h"
#include "mesh/sides.h"
#include "base/memory.h"

#include <limits.h>
#include <math.h>

/* Gradients of the six P2 shape functions in reference coordinates, and their values. With the
 * barycentric L0 = 1 - xi - eta, L1 = xi, L2 = eta: N = L (2L - 1) at corners, 4 La Lb between. */
typedef struct shape {
    double value[SAB_P2_TRIANGLE];
    double slope[SAB_P2_TRIANGLE][2];
} shape;

static shape shape_at(const double xi[2])
{
    static const double dL[3][2] = {{-1.0, -1.0}, {1.0, 0.0}, {0.0, 1.0}};
    const double L[3] = {1.0 - xi[0] - xi[1], xi[0], xi[1]};
    shape s;

    for (int i = 0; i < 3; i++) {
        const int k = (i + 1) % 3;

        s.value[i] = L[i] * (2.0 * L[i] - 1.0);
        s.value[3 + i] = 4.0 * L[i] * L[k];
        for (int d = 0; d < 2; d++) {
            s.slope[i][d] = (4.0 * L[i] - 1.0) * dL[i][d];
            s.slope[3 + i][d] = 4.0 * (L[i] * dL[k][d] + L[k] * dL[i][d]);
        }
    }
    return s;
}

void sab_mesh_map(const sab_mesh *mesh, int element, const double xi[2], double x[2],
                  double jacobian[2][2])
{
    const shape s = shape_at(xi);
    const int *node = mesh->element + 6 * element;

    for (int i = 0; i < 2; i++) {
        double position = 0.0, slope[2] = {0.0, 0.0};

        for (int a = 0; a < SAB_P2_TRIANGLE; a++) {
            const double xa = mesh->x[2 * node[a] + i];

            position += s.value[a] * xa;
            slope[0] += s.slope[a][0] * xa;
            slope[1] += s.slope[a][1] * xa;
        }
        if (x != NULL)
            x[i] = position;
        if (jacobian != NULL) {
            jacobian[i][0] = slope[0];
            jacobian[i][1] = slope[1];
        }
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
    for (int k = 0; k < 6 * m->nelements; k++) {
        const int node = m->element[k];
        const char mine = k % 6 < 3 ? CORNER : MIDDLE;

        if (node < 0 || node >= m->nnodes)
            return sab_fail(err, SAB_ERR_INPUT,
                            "triangle %d uses node %d, but there are %d nodes (from 0)", k / 6 + 1,
                            node, m->nnodes);
        if (!isfinite(m->x[2 * node]) || !isfinite(m->x[2 * node + 1]))
            return sab_fail(err, SAB_ERR_INPUT, "node %d of triangle %d has no finite position",
                            node, k / 6 + 1);
        if (role[node] != UNUSED && role[node] != mine)
            return sab_fail(err, SAB_ERR_INPUT,
                            "node %d at (%g, %g), in triangle %d, is a corner of one triangle and "
                            "the middle of a side of another: the mesh does not conform there",
                            node, m->x[2 * node], m->x[2 * node + 1], k / 6 + 1);
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
        m->x[2 * kept] = m->x[2 * i];
        m->x[2 * kept + 1] = m->x[2 * i + 1];
        number[i] = kept++;
    }
    for (int k = 0; k < 6 * m->nelements; k++)
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
    const int *node = m->element + 6 * e;
    double chord[3][2], bulge = 0.0;

    for (int s = 0; s < 3; s++) {
        const double *a = m->x + 2 * node[s], *b = m->x + 2 * node[(s + 1) % 3];
        const double *middle = m->x + 2 * node[3 + s];
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
        int *node = m->element + 6 * e;
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
    const int *node = m->element + 6 * e;
    double longest = 0.0;

    for (int s = 0; s < 3; s++) {
        const double *a = m->x + 2 * node[s], *b = m->x + 2 * node[(s + 1) % 3];

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
        s[q] = shape_at(point[q]);
    for (int e = 0; e < m->nelements; e++) {
        const int *node = m->element + 6 * e;
        const double longest = longest_side(m, e), smallest = 1e-10 * longest * longest;
        double least = INFINITY, straight, curved, where[2];

        for (int q = 0; q < 9; q++) {
            double J[2][2] = {{0.0}}; /* J[j] = dx/dxi_j */

            for (int a = 0; a < SAB_P2_TRIANGLE; a++)
                for (int j = 0; j < 2; j++)
                    for (int i = 0; i < 2; i++)
                        J[j][i] += s[q].slope[a][j] * m->x[2 * node[a] + i];
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
    *m = (sab_mesh){.dim = 2, .nnodes = nnodes, .x = x, .nelements = nelements, .element = element};
    if (nnodes <= 0 || nelements <= 0) {
        status = sab_fail(err, SAB_ERR_INPUT, "the mesh is empty: %d nodes and %d triangles",
                          nnodes, nelements);
        goto cleanup;
    }
    if (nelements > INT_MAX / 6 || nnodes > INT_MAX / 2 - 1) { /* indices are int */
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
