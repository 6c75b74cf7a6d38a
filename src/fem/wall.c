#include "fem/wall.h"
#include "base/memory.h"
#include "fem/dofs.h"
#include "fem/p2.h"
#include "fem/quadrature.h"

#include <math.h>
#include <string.h>

static const double CORNER_COSINE = 0.86602540378443865; /* of 30 degrees, as for slip walls */

/* One side of the wall in its order, with integrals over it; hats 0 and 1 are those of its ends. */
typedef struct side {
    int node[SAB_SIDE_NODES]; /* ends, middle */
    int facet;
    bool begins;          /* nothing of the wall before it */
    double s, length;     /* where it begins, and its length */
    double size[2];       /* int phi ds, with the measure of the geometry */
    double normal[2][2];  /* int phi n ds */
    double tangent[2][2]; /* at the ends, unit */
} side;

static void measure(const sab_mesh *mesh, const sab_geometry *geometry, int facet, side *out)
{
    double length[2] = {0.0, 0.0};

    *out = (side){.facet = facet};
    memcpy(out->node, sab_mesh_facet(mesh, facet),
           (size_t)mesh->cell->facet->nodes * sizeof *out->node);
    for (int q = 0; q < sab_line_degree7.n; q++) {
        const double xi = sab_line_degree7.xi[q][0], hat[2] = {1.0 - xi, xi};
        sab_p2_side p;

        sab_p2_side_at(mesh, facet, &xi, &p);
        for (int a = 0; a < 2; a++) {
            const double w = sab_line_degree7.weight[q] * hat[a];
            const double ds = hypot(p.normal_ds[0], p.normal_ds[1]);

            out->size[a] += w * ds * geometry->measure(p.x);
            length[a] += w * ds;
            for (int i = 0; i < 2; i++)
                out->normal[a][i] += w * p.normal_ds[i];
        }
    }
    out->length = length[0] + length[1];
    for (int a = 0; a < 2; a++) {
        sab_p2_side p;

        sab_p2_side_at(mesh, facet, &(double){a}, &p);
        const double ds = hypot(p.normal_ds[0], p.normal_ds[1]);
        out->tangent[a][0] = -p.normal_ds[1] / ds;
        out->tangent[a][1] = p.normal_ds[0] / ds;
    }
}

/* The sides of a group one behind the other: open lines first, from their beginnings, then closed
 * ones, in the order of the group. Fills `sides`, and `degree` [nnodes], the number of sides of the
 * group that have this node as an end: 2 inside a line. */
static sab_status order_sides(const sab_mesh *mesh, const sab_geometry *geometry,
                              const sab_mesh_group *group, side *sides, int *degree, sab_error *err)
{
    sab_status status = SAB_OK;
    int *first = NULL; /* [nnodes] a side that begins here, plus one; others by `next` */
    int *next = NULL;  /* [nfacets] of the group */
    int *arrive = NULL;
    bool *used = NULL;
    int n = 0;
    double s = 0.0;

    SAB_NEW(first, mesh->nnodes);
    SAB_NEW(next, group->nfacets);
    SAB_NEW(arrive, mesh->nnodes);
    SAB_NEW(used, group->nfacets);
    for (int f = group->nfacets - 1; f >= 0; f--) {
        const int *node = sab_mesh_facet(mesh, group->facet[f]);

        next[f] = first[node[0]];
        first[node[0]] = f + 1;
        arrive[node[1]]++;
        degree[node[0]]++;
        degree[node[1]]++;
    }
    for (int pass = 0; pass < 2; pass++)
        for (int start = 0; start < group->nfacets; start++) {
            if (used[start] ||
                (pass == 0 && arrive[sab_mesh_facet(mesh, group->facet[start])[0]] > 0))
                continue;
            for (int f = start, begins = 1; f >= 0; begins = 0) {
                side *here = &sides[n++];

                used[f] = true;
                measure(mesh, geometry, group->facet[f], here);
                here->begins = begins;
                here->s = s;
                s += here->length;
                f = first[here->node[1]] - 1;
                while (f >= 0 && used[f])
                    f = next[f] - 1;
            }
        }
cleanup:
    SAB_FREE(first);
    SAB_FREE(next);
    SAB_FREE(arrive);
    SAB_FREE(used);
    return status;
}

/* Does the wall pass smoothly from one side to the next, all nodes its own? */
static bool is_smooth(const side *before, const side *behind, const int *degree, const int *owner,
                      int entry)
{
    const int node[3] = {behind->node[0], before->node[2], behind->node[2]};
    const double *a = before->tangent[1], *b = behind->tangent[0];

    for (int i = 0; i < 3; i++)
        if (owner[node[i]] != SAB_NOBODY && owner[node[i]] != entry)
            return false;
    return degree[node[0]] == 2 && a[0] * b[0] + a[1] * b[1] > CORNER_COSINE;
}

static void add_vertex(sab_wall *w, const side *before, const side *behind, double s, int part)
{
    sab_wall_vertex *v = &w->vertex[w->nvertices++];
    double n[2];

    for (int i = 0; i < 2; i++)
        n[i] = before->normal[1][i] + behind->normal[0][i];
    *v = (sab_wall_vertex){.node = behind->node[0],
                           .middle = {before->node[2], behind->node[2]},
                           .part = part,
                           .s = s,
                           .size = before->size[1] + behind->size[0]};
    for (int i = 0; i < 2; i++)
        v->normal[i] = n[i] / hypot(n[0], n[1]);
}

/* The vertices of all lines, w->vertex having room for them. */
static void find_vertices(sab_wall *w, int nsides, const side *sides, const int *degree,
                          const int *owner, int entry)
{
    int part = 0;

    for (int begin = 0, end; begin < nsides; begin = end) {
        for (end = begin + 1; end < nsides && !sides[end].begins; end++)
            ;
        const side *first = &sides[begin], *last = &sides[end - 1];
        const bool closed =
            last->node[1] == first->node[0] && is_smooth(last, first, degree, owner, entry);

        part++;
        if (closed)
            add_vertex(w, last, first, first->s, part);
        for (const side *here = first + 1; here <= last; here++)
            if (is_smooth(here - 1, here, degree, owner, entry))
                add_vertex(w, here - 1, here, here->s, part);
            else
                part++;
        if (closed)
            add_vertex(w, last, first, last->s + last->length, part);
    }
}

static void rows_at_vertices(sab_wall *w, const sab_mesh *mesh)
{
    for (int i = 0; i < w->nvertices; i++) {
        w->s[i] = w->vertex[i].s;
        w->left[i] = i;
        memcpy(w->x + 2 * i, mesh->x + 2 * w->vertex[i].node, 2 * sizeof *w->x);
    }
}

static void rows_at_samples(sab_wall *w, const sab_mesh *mesh, int nsides, const side *sides)
{
    const sab_wall_vertex *v = w->vertex;
    const double from = v[0].s, to = v[w->nvertices - 1].s;

    for (int k = 0, i = 0, h = 0; k < w->nrows; k++) {
        const double t = w->nrows > 1 ? (double)k / (w->nrows - 1) : 0.0;
        const double s = (1.0 - t) * from + t * to;
        sab_p2_side p;

        while (i + 1 < w->nvertices && v[i + 1].s <= s)
            i++;
        w->s[k] = s;
        w->left[k] = i;
        if (i + 1 < w->nvertices) {
            const double share = (s - v[i].s) / (v[i + 1].s - v[i].s);

            w->share[k] = v[i].part == v[i + 1].part ? share : share < 0.5 ? 0.0 : 1.0;
        }
        while (h + 1 < nsides && sides[h + 1].s <= s)
            h++;
        sab_p2_side_at(mesh, sides[h].facet, &(double){(s - sides[h].s) / sides[h].length}, &p);
        memcpy(w->x + 2 * k, p.x, sizeof p.x);
    }
}

sab_status sab_wall_create(const sab_mesh *mesh, const sab_geometry *geometry, int group,
                           const int *owner, int entry, int samples, sab_wall **wall,
                           sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_mesh_group *g = &mesh->group[group];
    sab_wall *w = NULL;
    side *sides = NULL;
    int *degree = NULL;

    *wall = NULL;
    for (int f = 0; f < g->nfacets; f++)
        if (mesh->facet_interior[g->facet[f]])
            return sab_fail(err, SAB_ERR_INPUT,
                            "the stress on a wall needs a boundary, but group '%s' has sides "
                            "inside the domain",
                            g->name);
    SAB_NEW(w, 1);
    SAB_NEW(sides, g->nfacets);
    SAB_NEW(degree, mesh->nnodes);
    SAB_NEW(w->vertex, 2 * (size_t)g->nfacets);
    SAB_TRY(order_sides(mesh, geometry, g, sides, degree, err));
    find_vertices(w, g->nfacets, sides, degree, owner, entry);
    if (w->nvertices == 0) {
        status = sab_fail(err, SAB_ERR_INPUT,
                          "group '%s' has no vertex to take the stress at: its %d sides have only "
                          "ends and corners, or belong to another entry",
                          g->name, g->nfacets);
        goto cleanup;
    }
    w->nrows = samples > 0 ? samples : w->nvertices;
    SAB_NEW(w->s, w->nrows);
    SAB_NEW(w->x, 2 * (size_t)w->nrows);
    SAB_NEW(w->left, w->nrows);
    SAB_NEW(w->share, w->nrows);
    if (samples > 0)
        rows_at_samples(w, mesh, g->nfacets, sides);
    else
        rows_at_vertices(w, mesh);
    *wall = w;
    w = NULL;
cleanup:
    SAB_FREE(sides);
    SAB_FREE(degree);
    sab_wall_destroy(&w);
    return status;
}

void sab_wall_destroy(sab_wall **wall)
{
    if (*wall != NULL) {
        SAB_FREE((*wall)->vertex);
        SAB_FREE((*wall)->s);
        SAB_FREE((*wall)->x);
        SAB_FREE((*wall)->left);
        SAB_FREE((*wall)->share);
        SAB_FREE(*wall);
    }
}

/* Normal and shear of the traction t of the grains; the outward normal n, turned by a right angle,
 * (-n_y, n_x), is the direction of s. */
static void split_traction(const double normal[2], const double t[2], double stress[2])
{
    stress[0] = t[0] * normal[0] + t[1] * normal[1];
    stress[1] = t[1] * normal[0] - t[0] * normal[1];
}

/* -sigma n, sigma an s-vector of tension positive. */
static void traction_of(const sab_geometry *geometry, const double *sigma, const double normal[2],
                        double t[2])
{
    double tensor[6]; /* XX YY ZZ XY */

    geometry->tensor(sigma, tensor);
    t[0] = -(tensor[0] * normal[0] + tensor[3] * normal[1]);
    t[1] = -(tensor[3] * normal[0] + tensor[1] * normal[1]);
}

/* What the stress at a vertex is made of: nodal forces, or a stress if there is a geometry. */
typedef struct source {
    const sab_geometry *geometry;
    const double *value; /* F [nnodes][2], or sigma [nnodes][s] */
} source;

/* The P1 hat of a vertex is its P2 function and half of those of the middles beside it, so
 *     t = (F_vertex + (F_before + F_behind)/2) / int phi                   [docs/theory.md, 10]. */
static void stress_at(const sab_wall_vertex *v, const source *from, double stress[2])
{
    const double *F = from->value;
    double t[2];

    if (from->geometry != NULL)
        traction_of(from->geometry, F + from->geometry->s * v->node, v->normal, t);
    else
        for (int i = 0; i < 2; i++)
            t[i] =
                (F[2 * v->node + i] + 0.5 * (F[2 * v->middle[0] + i] + F[2 * v->middle[1] + i])) /
                v->size;
    split_traction(v->normal, t, stress);
}

static void fill_rows(const sab_wall *w, const source *from, double *stress)
{
    for (int k = 0; k < w->nrows; k++) {
        double other[2];

        stress_at(&w->vertex[w->left[k]], from, stress + 2 * k);
        if (w->share[k] > 0.0) {
            stress_at(&w->vertex[w->left[k] + 1], from, other);
            for (int i = 0; i < 2; i++)
                stress[2 * k + i] += w->share[k] * (other[i] - stress[2 * k + i]);
        }
    }
}

void sab_wall_stress(const sab_wall *w, const double *F, double *stress)
{
    fill_rows(w, &(source){NULL, F}, stress);
}

void sab_wall_recovered(const sab_wall *w, const sab_geometry *geometry, const double *sigma,
                        double *stress)
{
    fill_rows(w, &(source){geometry, sigma}, stress);
}

void sab_wall_force(const sab_mesh *mesh, int group, const sab_geometry *geometry,
                    const double *sigma, double *force)
{
    const int s = geometry->s;

    force[0] = force[1] = 0.0;
    for (int f = 0; f < mesh->group[group].nfacets; f++) {
        const int facet = mesh->group[group].facet[f];
        const int *node = sab_mesh_facet(mesh, facet);
        const double *end[2] = {sigma + s * node[0], sigma + s * node[1]};

        for (int q = 0; q < sab_line_degree7.n; q++) {
            const double xi = sab_line_degree7.xi[q][0];
            double here[SAB_MAX_S], t[2];
            sab_p2_side p;

            sab_p2_side_at(mesh, facet, &xi, &p);
            for (int c = 0; c < s; c++)
                here[c] = (1.0 - xi) * end[0][c] + xi * end[1][c];
            traction_of(geometry, here, p.normal_ds, t);
            for (int i = 0; i < 2; i++)
                force[i] += sab_line_degree7.weight[q] * geometry->measure(p.x) * t[i];
        }
    }
}
