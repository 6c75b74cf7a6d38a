/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/scene_coarse.c -- the grains of a scene as fields on its mesh. */
#include "base/memory.h"
#include "fem/locate.h"
#include "io/vtu.h"
#include "run/scene.h"

#include <math.h>
#include <string.h>

/* What is farther than the width from all vertices would be nowhere: the middle of an element is
 * about the farthest. */
static sab_status check_width(const sab_scene *s, const sab_mesh *mesh, sab_error *err)
{
    const int dim = mesh->cell->dim, corners = mesh->cell->corners;

    for (int e = 0; e < mesh->nelements; e++) {
        const int *node = sab_mesh_element(mesh, e);
        double middle[SAB_DIM] = {0.0}, least = INFINITY;
        char place[SAB_PLACE_TEXT];

        for (int i = 0; i < corners * dim; i++)
            middle[i % dim] += sab_mesh_x(mesh, node[i / dim])[i % dim] / corners;
        for (int c = 0; c < corners; c++) {
            double square = 0.0;

            for (int k = 0; k < dim; k++)
                square += pow(sab_mesh_x(mesh, node[c])[k] - middle[k], 2.0);
            least = fmin(least, sqrt(square));
        }
        if (least >= s->c->coarse_width)
            return sab_fail(err, SAB_ERR_INPUT,
                            "coarse.width: a grain at %s is farther than %g from the vertices of "
                            "the mesh and would count nowhere; give more than a side of the mesh",
                            sab_place_text(dim, middle, place), s->c->coarse_width);
    }
    return SAB_OK;
}

/* Corners get numbers of their own, and each a share of the simplices around it: the integral of
 * its hat. */
static sab_status make_places(sab_scene *s, const sab_mesh *mesh, sab_error *err)
{
    const int dim = mesh->cell->dim, corners = mesh->cell->corners;
    int n = 0;
    sab_status status = SAB_OK;

    SAB_NEW(s->vertex, mesh->nnodes);
    SAB_NEW(s->place, mesh->nnodes * dim);
    SAB_NEW(s->volume, mesh->nnodes);
    for (int i = 0; i < mesh->nnodes; i++)
        s->vertex[i] = -1;
    for (int e = 0; e < mesh->nelements; e++) {
        const int *node = sab_mesh_element(mesh, e);
        const double *x0 = sab_mesh_x(mesh, node[0]);
        double edge[SAB_DIM][SAB_DIM] = {{0.0}}, volume;

        for (int c = 0; c < corners; c++) {
            if (s->vertex[node[c]] < 0) {
                memcpy(s->place + n * dim, sab_mesh_x(mesh, node[c]), (size_t)dim * sizeof(double));
                s->vertex[node[c]] = n++;
            }
            for (int k = 0; k < dim && c > 0; k++)
                edge[c - 1][k] = sab_mesh_x(mesh, node[c])[k] - x0[k];
        }
        if (dim < SAB_DIM)
            volume = 0.5 * (edge[0][0] * edge[1][1] - edge[0][1] * edge[1][0]);
        else
            volume = (edge[0][0] * (edge[1][1] * edge[2][2] - edge[1][2] * edge[2][1]) -
                      edge[0][1] * (edge[1][0] * edge[2][2] - edge[1][2] * edge[2][0]) +
                      edge[0][2] * (edge[1][0] * edge[2][1] - edge[1][1] * edge[2][0])) /
                     6.0;
        for (int c = 0; c < corners; c++)
            s->volume[s->vertex[node[c]]] += volume / corners;
    }
    SAB_TRY(sab_coarse_create(dim, n, s->place, s->volume, s->c->coarse_width, &s->coarse, err));
cleanup:
    return status;
}

sab_status sab_scene_make_coarse(sab_scene *s, const sab_mesh *mesh, sab_error *err)
{
    sab_locator *locator = NULL;
    sab_status status = SAB_OK;

    s->mesh = mesh;
    SAB_TRY(check_width(s, mesh, err));
    SAB_TRY(make_places(s, mesh, err));
    SAB_TRY(sab_locator_create(mesh, &locator, err));
    SAB_NEW(s->sample, s->c->nprobes);
    for (int i = 0; i < s->c->nprobes; i++) {
        const sab_probe *p = &s->c->probe[i];
        const sab_probe_result *r = &s->result[i];
        const int dim = mesh->cell->dim;

        if (p->kind != SAB_PROBE_LINE && p->kind != SAB_PROBE_POINT)
            continue;
        SAB_NEW(s->sample[i], r->samples);
        for (int k = 0; k < r->samples; k++) {
            char place[SAB_PLACE_TEXT];
            double xi[SAB_DIM];
            const int e = sab_locator_find(locator, r->x + k * dim, xi);

            if (e < 0)
                SAB_FAIL(err, SAB_ERR_INPUT, "probes.%s: %s lies outside the mesh", p->name,
                         sab_place_text(dim, r->x + k * dim, place));
            sab_cell_barycentric(mesh->cell, xi, s->sample[i][k].weight);
            for (int c = 0; c < mesh->cell->corners; c++)
                s->sample[i][k].vertex[c] = s->vertex[sab_mesh_element(mesh, e)[c]];
        }
    }
cleanup:
    sab_locator_destroy(&locator);
    return status;
}

void sab_scene_free_coarse(sab_scene *s)
{
    for (int i = 0; s->sample != NULL && i < s->c->nprobes; i++)
        SAB_FREE(s->sample[i]);
    SAB_FREE(s->sample);
    sab_coarse_destroy(&s->coarse);
    SAB_FREE(s->vertex);
    SAB_FREE(s->place);
    SAB_FREE(s->volume);
}

/* |Dev T| = sqrt(Dev T : Dev T / 2) of the symmetric part, and the mean of the diagonal. */
static double deviator(int dim, const double *t, double *mean)
{
    double sum = 0.0;

    *mean = 0.0;
    for (int k = 0; k < dim; k++)
        *mean += t[k * dim + k] / dim;
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++) {
            const double d = 0.5 * (t[i * dim + j] + t[j * dim + i]) - (i == j ? *mean : 0.0);

            sum += 0.5 * d * d;
        }
    return sqrt(sum);
}

/* A field at a vertex; of the velocity all its components. */
static void at_vertex(const sab_coarse *c, sab_probe_field field, int a, double *value)
{
    const int dim = c->dim;
    double mean;

    if (field == SAB_FIELD_VELOCITY)
        memcpy(value, c->velocity + a * dim, (size_t)dim * sizeof *value);
    else if (field == SAB_FIELD_SHEAR_RATE)
        *value = deviator(dim, c->gradient + a * dim * dim, &mean);
    else if (field == SAB_FIELD_FRACTION)
        *value = c->fraction[a];
    else {
        *value = deviator(dim, c->stress + a * dim * dim, &mean);
        if (field == SAB_FIELD_PRESSURE)
            *value = -mean;
    }
}

void sab_scene_sample(const sab_scene *s, int probe, double *value)
{
    const sab_probe_result *r = &s->result[probe];

    memset(value, 0, (size_t)(r->samples * r->components) * sizeof *value);
    for (int k = 0; k < r->samples; k++)
        for (int c = 0; c < s->mesh->cell->corners; c++) {
            double own[SAB_DIM];

            at_vertex(s->coarse, r->probe->field, s->sample[probe][k].vertex[c], own);
            for (int j = 0; j < r->components; j++)
                value[k * r->components + j] += s->sample[probe][k].weight[c] * own[j];
        }
}

/* Values of all nodes of all elements: linear between the corners. */
typedef void (*source)(const sab_coarse *c, int a, double *value);

static void spread(const sab_scene *s, int components, source from, double *to)
{
    const sab_cell *cell = s->mesh->cell;

    for (int e = 0; e < s->mesh->nelements; e++) {
        const int *node = sab_mesh_element(s->mesh, e);
        double *out = to + (size_t)(e * cell->nodes * components);

        for (int c = 0; c < cell->corners; c++)
            from(s->coarse, s->vertex[node[c]], out + c * components);
        for (int m = 0; m < cell->edges; m++)
            for (int k = 0; k < components; k++)
                out[(cell->corners + m) * components + k] =
                    0.5 * (out[cell->edge[m][0] * components + k] +
                           out[cell->edge[m][1] * components + k]);
    }
}

static void velocity_of(const sab_coarse *c, int a, double *value)
{
    memset(value, 0, SAB_DIM * sizeof *value);
    memcpy(value, c->velocity + a * c->dim, (size_t)c->dim * sizeof *value);
}

/* XX, YY, ZZ, XY, YZ, XZ */
static void stress_of(const sab_coarse *c, int a, double *value)
{
    const double *t = c->stress + a * c->dim * c->dim;
    const int dim = c->dim;

    memset(value, 0, SAB_TENSOR * sizeof *value);
    for (int k = 0; k < dim; k++)
        value[k] = t[k * dim + k];
    for (int k = 0; k + 1 < dim; k++)
        value[SAB_DIM + k] = 0.5 * (t[k * dim + k + 1] + t[(k + 1) * dim + k]);
    if (dim == SAB_DIM)
        value[SAB_TENSOR - 1] = 0.5 * (t[dim - 1] + t[(dim - 1) * dim]);
}

static void shear_rate_of(const sab_coarse *c, int a, double *value)
{
    at_vertex(c, SAB_FIELD_SHEAR_RATE, a, value);
}

static void shear_stress_of(const sab_coarse *c, int a, double *value)
{
    at_vertex(c, SAB_FIELD_SHEAR_STRESS, a, value);
}

static void pressure_of(const sab_coarse *c, int a, double *value)
{
    at_vertex(c, SAB_FIELD_PRESSURE, a, value);
}

static void density_of(const sab_coarse *c, int a, double *value)
{
    *value = c->density[a];
}

static void fraction_of(const sab_coarse *c, int a, double *value)
{
    at_vertex(c, SAB_FIELD_FRACTION, a, value);
}

sab_status sab_scene_write_fields(const sab_scene *s, const char *path, double time, sab_error *err)
{
    static const struct {
        const char *name;
        source from;
    } scalar[] = {{"shear_stress", shear_stress_of},
                  {"shear_rate", shear_rate_of},
                  {"density", density_of},
                  {"fraction", fraction_of},
                  {"pressure_recovered", pressure_of}};
    const sab_mesh *mesh = s->mesh;
    const int width = mesh->cell->nodes, n = width * mesh->nelements, dim = mesh->cell->dim;
    double *work = NULL;
    int *cell = NULL;
    sab_vtu *vtu = NULL;
    sab_status status = SAB_OK;

    SAB_TRY(sab_coarse_fill(s->coarse, s->grains, err));
    SAB_NEW(work, SAB_TENSOR * (size_t)n);
    SAB_NEW(cell, n);
    for (int i = 0; i < n; i++) {
        cell[i - i % width + mesh->cell->vtk[i % width]] = i;
        memcpy(work + dim * i, sab_mesh_x(mesh, mesh->element[i]), (size_t)dim * sizeof *work);
    }
    SAB_TRY(sab_vtu_open(path, s->c->output_float32, time, dim, n, work, mesh->nelements, width,
                         mesh->cell->vtk_type, cell, &vtu, err));
    spread(s, SAB_DIM, velocity_of, work);
    SAB_TRY(sab_vtu_point_array(vtu, "velocity", SAB_DIM, NULL, work, err));
    spread(s, SAB_TENSOR, stress_of, work);
    SAB_TRY(sab_vtu_point_array(vtu, "stress", SAB_TENSOR, s->c->geometry->component, work, err));
    for (size_t i = 0; i < sizeof scalar / sizeof scalar[0]; i++) {
        spread(s, 1, scalar[i].from, work);
        SAB_TRY(sab_vtu_point_array(vtu, scalar[i].name, 1, NULL, work, err));
    }
    spread(s, 1, pressure_of, work); /* means of elements, as of a flow */
    for (int e = 0; e < mesh->nelements; e++) {
        double sum = 0.0;

        for (int c = 0; c < mesh->cell->corners; c++)
            sum += work[e * width + c] / mesh->cell->corners;
        work[e] = sum; /* behind what is still read */
    }
    SAB_TRY(sab_vtu_cell_array(vtu, "pressure", 1, NULL, work, err));
    SAB_TRY(sab_vtu_close(&vtu, err));
cleanup:
    sab_vtu_abort(&vtu);
    SAB_FREE(work);
    SAB_FREE(cell);
    return status;
}
