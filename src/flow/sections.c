/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "flow/sections.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Heights are the same within this part of that of the body. */
static const double SAME = 1e-9;
/* Sections are at least this part of their reach from each other. */
static const double APART = 0.4;
/* Of the yield stress: the material yields. */
static const double YIELDS = 0.98;

/* w of a section at a height. */
static double ramp(const sab_section *s, double y)
{
    const double above = y - s->y;

    if (fabs(above) >= s->reach)
        return above > 0.0 ? 1.0 : above < 0.0 ? 0.0 : 0.5;
    return 0.5 + 0.5 * above / s->reach;
}

static double height_of(const sab_sections *s, const sab_mesh *mesh, int node)
{
    return sab_mesh_x(mesh, node)[s->up];
}

/* ---- the edge of a section ------------------------------------------------------------------ */

/* int dw/dz |grad z| over a line with the ends a, b: |w_b - w_a| times the measure. */
static double line_rim(const sab_section *s, const sab_geometry *geometry, const double *a,
                       const double *b)
{
    double middle[SAB_DIM];

    for (int i = 0; i < geometry->dim; i++)
        middle[i] = 0.5 * (a[i] + b[i]);
    return fabs(ramp(s, b[geometry->dim - 1]) - ramp(s, a[geometry->dim - 1])) *
           geometry->measure(middle);
}

/* The same over a flat triangle: area grad w.grad z / |grad z|, with the Gram matrix of two edges.
 */
static double triangle_rim(const sab_section *s, const double *a, const double *b, const double *c)
{
    const int up = SAB_DIM - 1;
    const double wb = ramp(s, b[up]) - ramp(s, a[up]), wc = ramp(s, c[up]) - ramp(s, a[up]);
    const double zb = b[up] - a[up], zc = c[up] - a[up];
    double bb = 0.0, bc = 0.0, cc = 0.0;

    if (wb == 0.0 && wc == 0.0)
        return 0.0;
    for (int i = 0; i < SAB_DIM; i++) {
        bb += (b[i] - a[i]) * (b[i] - a[i]);
        bc += (b[i] - a[i]) * (c[i] - a[i]);
        cc += (c[i] - a[i]) * (c[i] - a[i]);
    }
    const double det = bb * cc - bc * bc;
    const double wz = (wb * (cc * zb - bc * zc) + wc * (bb * zc - bc * zb)) / det;
    const double zz = (zb * (cc * zb - bc * zc) + zc * (bb * zc - bc * zb)) / det;
    return zz > 0.0 ? 0.5 * sqrt(det) * wz / sqrt(zz) : 0.0;
}

/* The parts into which its nodes cut a side: one at each corner; of a triangle one between. Edge a
 * goes from corner a to the next. */
static double facet_rim(const sab_section *s, const sab_mesh *mesh, const sab_geometry *geometry,
                        int facet)
{
    const int corners = mesh->cell->facet->corners, edges = mesh->cell->facet->edges;
    const double *x[SAB_SIDE_NODES];
    double sum = 0.0;

    for (int a = 0; a < mesh->cell->facet->nodes; a++)
        x[a] = sab_mesh_x(mesh, sab_mesh_facet(mesh, facet)[a]);
    const double *const *middle = x + corners;
    for (int a = 0; a < corners; a++)
        sum += edges == 1 ? line_rim(s, geometry, x[a], middle[0])
                          : triangle_rim(s, x[a], middle[a], middle[(a + edges - 1) % edges]);
    return edges == 1 ? sum : sum + triangle_rim(s, middle[0], middle[1], middle[1 + 1]);
}

static double rim_of(const sab_section *s, const sab_flow *flow)
{
    const sab_mesh *mesh = flow->setup.mesh;
    double sum = 0.0;

    for (int b = 0; b < flow->setup.nboundaries; b++) {
        const sab_mesh_group *group = &mesh->group[flow->group[b]];

        for (int f = 0; f < group->nfacets && flow->setup.boundary[b].has_wall; f++)
            sum += facet_rim(s, mesh, flow->setup.geometry, group->facet[f]);
    }
    return sum;
}

/* ---- a section ------------------------------------------------------------------------------ */

/* Law point q of an element: w into the volume, dw/dz into the points. */
static void add_point(sab_section *s, const sab_space *space, int up, int element, int q,
                      const double *w)
{
    const int at = space->element->law->n * element + q;
    double above = 0.0, slope = 0.0;
    sab_p2 p;

    sab_p2_at(space->mesh, element, sab_space_xi(space, element, q), &p);
    for (int a = 0; a < space->mesh->cell->nodes; a++) {
        above += p.value[a] * w[a];
        slope += p.dx[a][up] * w[a];
    }
    s->volume += space->weight[at] * above;
    s->area += space->weight[at] * slope;
    s->z += space->weight[at] * slope * p.x[up];
    s->at[s->n++] = (sab_section_point){at, space->weight[at] * slope};
}

/* w at the nodes of an element; is it the same at all of them? */
static bool is_even(const sab_sections *of, const sab_section *s, const sab_mesh *mesh, int element,
                    double *w)
{
    bool even = true;

    for (int a = 0; a < mesh->cell->nodes; a++) {
        w[a] = ramp(s, height_of(of, mesh, sab_mesh_element(mesh, element)[a]));
        even = even && w[a] == w[0];
    }
    return even;
}

static sab_status cut(const sab_sections *of, sab_section *s, const sab_flow *flow, sab_error *err)
{
    const sab_space *space = flow->space;
    const sab_mesh *mesh = space->mesh;
    const int points = space->element->law->n;
    sab_status status = SAB_OK;
    double w[SAB_NODES];
    int across = 0;

    for (int e = 0; e < mesh->nelements; e++)
        across += !is_even(of, s, mesh, e, w);
    SAB_NEW(s->at, (size_t)points * (size_t)across);
    for (int e = 0; e < mesh->nelements; e++) {
        const bool even = is_even(of, s, mesh, e, w);

        for (int q = 0; q < points; q++)
            if (even)
                s->volume += w[0] * space->weight[points * e + q];
            else
                add_point(s, space, of->up, e, q, w);
    }
    s->z /= s->area;
    s->volume -= s->area * (s->y - s->z);
    s->rise = ramp(s, of->high) - ramp(s, of->low);
    s->rim = rim_of(s, flow);
cleanup:
    return status;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Heights that are apart, from low to high, the highest among them. Returns how many. */
static int choose(int n, double *height, double apart)
{
    int kept = 0;

    qsort(height, (size_t)n, sizeof *height, by_size);
    for (int i = 0; i < n; i++)
        if (kept == 0 || height[i] - height[kept - 1] >= apart)
            height[kept++] = height[i];
    if (n > 0 && height[kept - 1] < height[n - 1])
        height[kept++] = height[n - 1];
    return kept;
}

sab_status sab_sections_create(const sab_flow *flow, int n, const double *height, double reach,
                               sab_sections **sections, sab_error *err)
{
    const sab_mesh *mesh = flow->setup.mesh;
    sab_status status = SAB_OK;
    sab_sections *s = NULL;
    double *at = NULL;

    *sections = NULL;
    SAB_NEW(s, 1);
    s->up = mesh->cell->dim - 1;
    s->low = INFINITY;
    s->high = -INFINITY;
    for (int a = 0; a < mesh->nnodes; a++) {
        s->low = fmin(s->low, height_of(s, mesh, a));
        s->high = fmax(s->high, height_of(s, mesh, a));
    }
    for (int q = 0; q < flow->space->npoints; q++)
        s->volume += flow->space->weight[q];
    const double same = SAME * (s->high - s->low);
    for (int k = 0; k < flow->dofs->nmatches; k++)
        s->endless = s->endless || fabs(flow->dofs->match[k].translation[s->up]) > same;
    SAB_NEW(at, n + 1);
    for (int i = 0; i < n; i++)
        at[i] = height[i];
    const int kept = choose(n, at, APART * reach);
    SAB_NEW(s->section, kept);
    for (; s->n < kept; s->n++) {
        sab_section *one = &s->section[s->n];

        /* near the ends of the body less far, so that it is w = 1 on all of the top, and 0 below;
         * nodes of the top itself are halfway */
        one->y = at[s->n];
        one->reach = fmin(reach, fmin(s->high - one->y, one->y - s->low));
        if (one->reach < same) {
            one->reach = same;
            one->y = one->y > 0.5 * (s->low + s->high) ? s->high : s->low;
        }
        SAB_TRY(cut(s, one, flow, err));
    }
    *sections = s;
    s = NULL;
cleanup:
    SAB_FREE(at);
    sab_sections_destroy(&s);
    return status;
}

void sab_sections_destroy(sab_sections **sections)
{
    sab_sections *s = *sections;

    if (s != NULL) {
        for (int i = 0; i < s->n; i++)
            SAB_FREE(s->section[i].at);
        SAB_FREE(s->section);
        SAB_FREE(*sections);
    }
}

/* ---- its values ------------------------------------------------------------------------------ */

/* Is the stress of a law point on the yield surface? */
static bool yields(const sab_flow *flow, int q)
{
    const int s = flow->setup.geometry->s;
    const double *lambda = flow->lambda + s * q;
    const double strength = flow->program->yield[q] + flow->program->friction[q] * lambda[0];
    double shear2 = 0.0;

    for (int c = 1; c < s; c++)
        shear2 += lambda[c] * lambda[c];
    return strength > 0.0 && sqrt(shear2) >= YIELDS * strength;
}

static sab_section_values evaluate(const sab_sections *of, const sab_section *s,
                                   const sab_flow *flow, const sab_forces *forces)
{
    const sab_mesh *mesh = flow->setup.mesh;
    const int points = flow->space->element->law->n;
    const double weight = -forces->total[forces->dim * SAB_FORCES_GRAVITY + of->up] / of->volume;
    sab_section_values v = {
        .area = s->area / s->rise, .volume = s->volume, .rim = s->rim / s->rise};
    double down = 0.0;

    for (int k = 0; k < s->n; k++) {
        const int q = s->at[k].point, e = q / points;
        double u[SAB_DIM];

        sab_fields_at(flow->fields, SAB_FIELD_VELOCITY, e, sab_space_xi(flow->space, e, q % points),
                      u);
        v.velocity -= s->at[k].part * u[of->up] / s->area;
        v.yielding += s->at[k].part * yields(flow, q) / s->area;
    }
    for (int a = 0; a < mesh->nnodes; a++)
        down -= ramp(s, height_of(of, mesh, a)) *
                (forces->gravity[a] - forces->inertia[a] - forces->borne[a]);
    v.vertical = of->endless ? NAN : down / s->area - weight * (s->y - s->z);
    return v;
}

void sab_sections_evaluate(const sab_sections *s, const sab_flow *flow, const sab_forces *forces,
                           sab_section_values *value)
{
    for (int i = 0; i < s->n; i++)
        value[i] = evaluate(s, &s->section[i], flow, forces);
}

sab_section_values sab_sections_at(const sab_sections *s, const sab_section_values *value, double y)
{
    int i = 0;

    while (i + 1 < s->n && s->section[i + 1].y <= y)
        i++;
    if (i + 1 == s->n || y <= s->section[i].y)
        return value[i];
    const sab_section_values *a = &value[i], *b = &value[i + 1];
    const double t = (y - s->section[i].y) / (s->section[i + 1].y - s->section[i].y);
    return (sab_section_values){.area = (1.0 - t) * a->area + t * b->area,
                                .volume = (1.0 - t) * a->volume + t * b->volume,
                                .rim = (1.0 - t) * a->rim + t * b->rim,
                                .velocity = (1.0 - t) * a->velocity + t * b->velocity,
                                .vertical = (1.0 - t) * a->vertical + t * b->vertical,
                                .yielding = (1.0 - t) * a->yielding + t * b->yielding};
}
