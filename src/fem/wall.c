/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/memory.h"
#include "fem/dofs.h"
#include "fem/p2.h"
#include "fem/quadrature.h"
#include "fem/wall_make.h"

#include <string.h>

bool sab_wall_owns(const sab_wall_of *of, int node)
{
    return of->owner[node] == SAB_NOBODY || of->owner[node] == of->entry;
}

sab_status sab_wall_create(const sab_mesh *mesh, const sab_geometry *geometry, int group,
                           const int *owner, int entry, int samples, sab_wall_trace **wall,
                           sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_mesh_group *g = &mesh->group[group];
    const sab_wall_of of = {mesh, geometry, g, owner, entry};
    const bool surface = mesh->cell->facet != &sab_cell_line;
    sab_wall_trace *w = NULL;

    *wall = NULL;
    for (int f = 0; f < g->nfacets; f++)
        if (mesh->facet_interior[g->facet[f]])
            return sab_fail(err, SAB_ERR_INPUT,
                            "the stress on a wall needs a boundary, but group '%s' has sides "
                            "inside the domain",
                            g->name);
    if (surface && samples > 0)
        return sab_fail(
            err, SAB_ERR_INPUT,
            "samples belong to lines; the stress on a surface is taken at its vertices");
    SAB_NEW(w, 1);
    w->dim = mesh->cell->dim;
    w->components = surface ? 1 + w->dim : 1 + 1;
    SAB_TRY(surface ? sab_wall_surface(&of, w, err) : sab_wall_line(&of, samples, w, err));
    if (w->nvertices == 0) {
        status = sab_fail(err, SAB_ERR_INPUT,
                          "group '%s' has no vertex to take the stress at: its %d sides have only "
                          "%s and corners, or belong to another entry",
                          g->name, g->nfacets, surface ? "a rim" : "ends");
        goto cleanup;
    }
    *wall = w;
    w = NULL;
cleanup:
    sab_wall_destroy(&w);
    return status;
}

void sab_wall_destroy(sab_wall_trace **wall)
{
    if (*wall != NULL) {
        SAB_FREE((*wall)->vertex);
        SAB_FREE((*wall)->middle);
        SAB_FREE((*wall)->x);
        SAB_FREE((*wall)->s);
        SAB_FREE((*wall)->area);
        SAB_FREE((*wall)->left);
        SAB_FREE((*wall)->share);
        SAB_FREE((*wall)->cell);
        SAB_FREE((*wall)->point);
        SAB_FREE((*wall)->row);
        SAB_FREE(*wall);
    }
}

/* Normal and shear of the traction t of the grains. On a line the outward normal n, turned by a
 * right angle, (-n_y, n_x), is the direction of s; on a surface the shear is t - (t.n) n. */
static void split_traction(const sab_wall_trace *w, const double *normal, const double *t,
                           double *stress)
{
    stress[0] = t[0] * normal[0];
    for (int i = 1; i < w->dim; i++)
        stress[0] += t[i] * normal[i];
    if (w->components < w->dim + 1)
        stress[1] = t[1] * normal[0] - t[0] * normal[1];
    else
        for (int i = 0; i < w->dim; i++)
            stress[1 + i] = t[i] - stress[0] * normal[i];
}

/* t [dim] = -sigma n, sigma an s-vector of tension positive. */
static void traction_of(const sab_geometry *geometry, const double *sigma, const double *normal,
                        double *t)
{
    static const int at[SAB_DIM][SAB_DIM] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};
    double tensor[SAB_TENSOR]; /* XX YY ZZ XY YZ XZ */

    geometry->tensor(sigma, tensor);
    for (int i = 0; i < geometry->dim; i++) {
        double sum = tensor[at[i][0]] * normal[0];

        for (int j = 1; j < geometry->dim; j++)
            sum += tensor[at[i][j]] * normal[j];
        t[i] = -sum;
    }
}

/* What the stress at a vertex is made of: nodal forces, or a stress if there is a geometry. */
typedef struct source {
    const sab_geometry *geometry;
    const double *value; /* F [nnodes][dim], or sigma [nnodes][s] */
} source;

/* The P1 hat of a vertex is its P2 function and half of those of the middles around it, so
 *     t = (F_vertex + sum F_middle / 2) / int phi                          [docs/theory.md, 10]. */
static void stress_at(const sab_wall_trace *w, const sab_wall_vertex *v, const source *from,
                      double *stress)
{
    const double *F = from->value;
    double t[SAB_DIM] = {0.0};

    if (from->geometry != NULL)
        traction_of(from->geometry, F + from->geometry->s * v->node, v->normal, t);
    else
        for (int i = 0; i < w->dim; i++) {
            double middles = 0.0;

            for (int k = 0; k < v->nmiddles; k++)
                middles += F[w->dim * w->middle[v->first + k] + i];
            t[i] = (F[w->dim * v->node + i] + 0.5 * middles) / v->size;
        }
    if (v->axis && from->geometry == NULL) /* an entry on the axis may have a part of the node */
        t[0] = 0.0;
    split_traction(w, v->normal, t, stress);
}

static void fill_rows(const sab_wall_trace *w, const source *from, double *stress)
{
    for (int k = 0; k < w->nrows; k++) {
        double other[1 + SAB_DIM], *here = stress + w->components * k;

        stress_at(w, &w->vertex[w->left[k]], from, here);
        if (w->share[k] > 0.0) {
            stress_at(w, &w->vertex[w->left[k] + 1], from, other);
            for (int i = 0; i < w->components; i++)
                here[i] += w->share[k] * (other[i] - here[i]);
        }
    }
}

void sab_wall_stress(const sab_wall_trace *w, const double *F, double *stress)
{
    fill_rows(w, &(source){NULL, F}, stress);
}

void sab_wall_recovered(const sab_wall_trace *w, const sab_geometry *geometry, const double *sigma,
                        double *stress)
{
    fill_rows(w, &(source){geometry, sigma}, stress);
}

void sab_wall_force(const sab_mesh *mesh, int group, const sab_geometry *geometry,
                    const double *sigma, double *force)
{
    const sab_quadrature *rule = sab_side_rule(mesh->cell);
    const int s = geometry->s, corners = mesh->cell->facet->corners;

    memset(force, 0, (size_t)geometry->dim * sizeof *force);
    for (int f = 0; f < mesh->group[group].nfacets; f++) {
        const int facet = mesh->group[group].facet[f];
        const int *node = sab_mesh_facet(mesh, facet);

        for (int q = 0; q < rule->n; q++) {
            double here[SAB_MAX_S], t[SAB_DIM], l[SAB_CORNERS];
            sab_p2_side p;

            sab_p2_side_at(mesh, facet, rule->xi[q], &p);
            sab_cell_barycentric(mesh->cell->facet, rule->xi[q], l);
            for (int c = 0; c < s; c++) {
                here[c] = l[0] * sigma[s * node[0] + c];
                for (int a = 1; a < corners; a++)
                    here[c] += l[a] * sigma[s * node[a] + c];
            }
            traction_of(geometry, here, p.normal_ds, t);
            for (int i = 0; i < geometry->dim; i++)
                force[i] += rule->weight[q] * geometry->measure(p.x) * t[i];
        }
    }
}
