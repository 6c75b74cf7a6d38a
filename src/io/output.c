/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/output.h"
#include "base/memory.h"
#include "io/file.h"
#include "io/vtu.h"

#include <math.h>
#include <string.h>

/* n s-vectors as tensors. */
static void to_tensors(const sab_geometry *geometry, int n, const double *x, double *tensor)
{
    for (int i = 0; i < n; i++)
        geometry->tensor(x + (size_t)geometry->s * (size_t)i, tensor + SAB_TENSOR * (size_t)i);
}

sab_status sab_output_fields(const char *path, const sab_fields *f, const double *pressure,
                             const double *stress, double time, bool float32, sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_mesh *mesh = f->space->mesh;
    const sab_geometry *geometry = f->space->geometry;
    const int width = mesh->cell->nodes, n = width * mesh->nelements, dim = mesh->cell->dim;
    const size_t vector = (size_t)dim * sizeof(double);
    sab_vtu *vtu = NULL;
    double *work = NULL; /* [n][6] */
    int *cell = NULL;

    SAB_NEW(work, SAB_TENSOR * (size_t)n);
    SAB_NEW(cell, n);
    for (int i = 0; i < n; i++) {
        cell[i - i % width + mesh->cell->vtk[i % width]] = i;
        memcpy(work + dim * i, sab_mesh_x(mesh, mesh->element[i]), vector);
    }
    SAB_TRY(sab_vtu_open(path, float32, time, dim, n, work, mesh->nelements, width,
                         mesh->cell->vtk_type, cell, &vtu, err));
    for (int i = 0; i < n; i++) { /* ParaView wants three components of a vector */
        memset(work + SAB_DIM * i, 0, SAB_DIM * sizeof *work);
        memcpy(work + SAB_DIM * i, f->velocity + dim * mesh->element[i], vector);
    }
    SAB_TRY(sab_vtu_point_array(vtu, "velocity", SAB_DIM, NULL, work, err));
    to_tensors(geometry, n, f->stress, work);
    SAB_TRY(sab_vtu_point_array(vtu, "stress", SAB_TENSOR, geometry->component, work, err));
    SAB_TRY(sab_vtu_point_array(vtu, "shear_stress", 1, NULL, f->shear_stress, err));
    SAB_TRY(sab_vtu_point_array(vtu, "shear_rate", 1, NULL, f->shear_rate, err));
    SAB_TRY(sab_vtu_point_array(vtu, "yield_ratio", 1, NULL, f->yield_ratio, err));
    if (f->law.mu_i != NULL) {
        SAB_TRY(sab_vtu_point_array(vtu, "friction", 1, NULL, f->friction, err));
        SAB_TRY(sab_vtu_point_array(vtu, "inertial_number", 1, NULL, f->inertial_number, err));
    }
    if (pressure != NULL) {
        for (int i = 0; i < n; i++)
            work[i] = pressure[mesh->element[i]];
        SAB_TRY(sab_vtu_point_array(vtu, "pressure_recovered", 1, NULL, work, err));
    }
    if (stress != NULL) {
        for (int i = 0; i < n; i++)
            geometry->tensor(stress + geometry->s * mesh->element[i], work + SAB_TENSOR * i);
        SAB_TRY(sab_vtu_point_array(vtu, "stress_recovered", SAB_TENSOR, geometry->component, work,
                                    err));
    }
    SAB_TRY(sab_vtu_cell_array(vtu, "pressure", 1, NULL, f->pressure, err));
    SAB_TRY(sab_vtu_cell_array(vtu, "yielded", 1, NULL, f->yielded, err));
    if (f->fill != NULL)
        SAB_TRY(sab_vtu_cell_array(vtu, "fill", 1, NULL, f->fill, err));
    SAB_TRY(sab_vtu_close(&vtu, err));
cleanup:
    sab_vtu_abort(&vtu);
    SAB_FREE(work);
    SAB_FREE(cell);
    return status;
}

sab_status sab_output_gauss(const char *path, const sab_fields *f, double time, bool float32,
                            sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_space *space = f->space;
    const sab_geometry *geometry = space->geometry;
    const int n = space->npoints, s = geometry->s;
    sab_vtu *vtu = NULL;
    double *work = NULL; /* [n][6] */
    int *cell = NULL;

    SAB_NEW(work, SAB_TENSOR * (size_t)n);
    SAB_NEW(cell, n);
    for (int i = 0; i < n; i++)
        cell[i] = i;
    SAB_TRY(sab_vtu_open(path, float32, time, space->geometry->dim, n, space->point, n, 1,
                         SAB_VTK_VERTEX, cell, &vtu, err));
    to_tensors(geometry, n, f->lambda, work);
    SAB_TRY(sab_vtu_point_array(vtu, "lambda", SAB_TENSOR, geometry->component, work, err));
    to_tensors(geometry, n, f->strain_rate, work);
    SAB_TRY(sab_vtu_point_array(vtu, "strain_rate", SAB_TENSOR, geometry->component, work, err));
    for (int q = 0; q < n; q++)
        work[q] = f->lambda[s * q] / sab_geometry_normal_scale(geometry);
    SAB_TRY(sab_vtu_point_array(vtu, "pressure", 1, NULL, work, err));
    for (int q = 0; q < n; q++)
        work[q] = geometry->whole * space->weight[q];
    SAB_TRY(sab_vtu_point_array(vtu, "weight", 1, NULL, work, err));
    SAB_TRY(sab_vtu_close(&vtu, err));
cleanup:
    sab_vtu_abort(&vtu);
    SAB_FREE(work);
    SAB_FREE(cell);
    return status;
}

sab_status sab_output_grains(const char *path, const sab_carriers *c, double time, bool float32,
                             sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_geometry *geometry = c->space->geometry;
    double *x = NULL, *v = NULL, *mass = NULL; /* [n][SAB_DIM], [n] */
    sab_vtu *vtu = NULL;
    int *cell = NULL;

    SAB_NEW(x, SAB_DIM * (size_t)c->n);
    SAB_NEW(v, SAB_DIM * (size_t)c->n);
    SAB_NEW(mass, c->n);
    SAB_NEW(cell, c->n);
    for (int p = 0; p < c->n; p++) {
        memcpy(x + SAB_DIM * p, c->at[p].x, SAB_DIM * sizeof *x);
        memcpy(v + SAB_DIM * p, c->at[p].v, SAB_DIM * sizeof *v);
        mass[p] = geometry->whole * c->at[p].mass;
        cell[p] = p;
    }
    SAB_TRY(sab_vtu_open(path, float32, time, SAB_DIM, c->n, x, c->n, 1, SAB_VTK_VERTEX, cell, &vtu,
                         err));
    SAB_TRY(sab_vtu_point_array(vtu, "velocity", SAB_DIM, NULL, v, err));
    SAB_TRY(sab_vtu_point_array(vtu, "mass", 1, NULL, mass, err));
    SAB_TRY(sab_vtu_close(&vtu, err));
cleanup:
    sab_vtu_abort(&vtu);
    SAB_FREE(x);
    SAB_FREE(v);
    SAB_FREE(mass);
    SAB_FREE(cell);
    return status;
}

void sab_output_component(const char *field, const char *component, char *name, size_t size)
{
    snprintf(name, size, "%s%s%s", field, component != NULL ? "_" : "",
             component != NULL ? component : "");
}

/* ---- tables ---------------------------------------------------------------------------------- */

enum { NAME = 80 };
typedef char column_name[NAME];

/* Rows at places x, with what stands before and behind them. */
typedef struct table {
    const sab_geometry *geometry;
    int rows, columns;
    bool line;               /* with s, the length along the points unless `s` has it */
    const double *s, *x;     /* [rows], [rows][dim] */
    const double *area;      /* [rows] or NULL */
    const column_name *name; /* [columns] */
    const double *value;     /* [rows][columns] */
    const double *deviation; /* likewise, or NULL */
    const sab_units *units;  /* SI behind it, if they are given */
} table;

/* A column in SI: its name if `value` is NULL. */
static void put_si_column(FILE *out, const sab_units *units, const char *name, const char *suffix,
                          const double *value)
{
    sab_dimension dimension;
    double scale;
    char unit[40];

    if (!sab_units_of_column(name, units, &dimension, &scale))
        return;
    if (value != NULL)
        fprintf(out, ",%.17g", scale * *value);
    else
        fprintf(out, ",%s%s [%s]", name, suffix, sab_dimension_name(dimension, unit, sizeof unit));
}

/* The columns of a row in SI, or their names if x is NULL. */
static void put_si(FILE *out, const table *t, const double *s, const double *x, const int *row)
{
    if (t->units == NULL || !t->units->given)
        return;
    if (t->line)
        put_si_column(out, t->units, "s", "", s);
    for (int i = 0; i < t->geometry->dim; i++)
        put_si_column(out, t->units, t->geometry->coordinate[i], "", x != NULL ? x + i : NULL);
    for (int c = 0; c < t->columns; c++)
        put_si_column(out, t->units, t->name[c], "",
                      row != NULL ? t->value + t->columns * *row + c : NULL);
    for (int c = 0; c < t->columns && t->deviation != NULL; c++)
        put_si_column(out, t->units, t->name[c], "_deviation",
                      row != NULL ? t->deviation + t->columns * *row + c : NULL);
}

static void put_names(FILE *out, const table *t)
{
    const char *comma = "";

    if (t->line) {
        fputs("s", out);
        comma = ",";
    }
    for (int i = 0; i < t->geometry->dim; i++, comma = ",")
        fprintf(out, "%s%s", comma, t->geometry->coordinate[i]);
    if (t->area != NULL)
        fputs(",area", out);
    for (int c = 0; c < t->columns; c++)
        fprintf(out, ",%s", t->name[c]);
    for (int c = 0; c < t->columns && t->deviation != NULL; c++)
        fprintf(out, ",%s_deviation", t->name[c]);
    put_si(out, t, NULL, NULL, NULL);
    fputc('\n', out);
}

static void put_numbers(FILE *out, const char *comma, int columns, const double *value)
{
    for (int c = 0; c < columns; c++, comma = ",")
        fprintf(out, "%s%.17g", comma, value[c]);
}

static sab_status put_table(const char *path, const table *t, sab_error *err)
{
    const int dim = t->geometry->dim;
    double length = 0.0;
    sab_file file;
    const sab_status status = sab_file_open(path, &file, err);

    if (status != SAB_OK)
        return status;
    put_names(file.stream, t);
    for (int k = 0; k < t->rows; k++) {
        const double *x = t->x + dim * k;
        double step2 = 0.0;

        for (int i = 0; i < dim && k > 0; i++)
            step2 += pow(x[i] - x[i - dim], 2);
        length += sqrt(step2);
        if (t->line)
            put_numbers(file.stream, "", 1, t->s != NULL ? t->s + k : &length);
        put_numbers(file.stream, t->line ? "," : "", dim, x);
        if (t->area != NULL)
            put_numbers(file.stream, ",", 1, t->area + k);
        put_numbers(file.stream, ",", t->columns, t->value + t->columns * k);
        if (t->deviation != NULL)
            put_numbers(file.stream, ",", t->columns, t->deviation + t->columns * k);
        put_si(file.stream, t, t->s != NULL ? t->s + k : &length, x, &k);
        fputc('\n', file.stream);
    }
    return sab_file_close(&file, err);
}

sab_status sab_output_profile(const char *path, const sab_geometry *geometry, bool line,
                              const char *field, const char *const *component, int rows,
                              const double *x, int columns, const double *value,
                              const double *deviation, const sab_units *units, sab_error *err)
{
    column_name name[SAB_TENSOR];

    for (int c = 0; c < columns; c++)
        sab_output_component(field, component != NULL ? component[c] : NULL, name[c],
                             sizeof name[c]);
    return put_table(path,
                     &(table){.geometry = geometry,
                              .rows = rows,
                              .columns = columns,
                              .line = line,
                              .x = x,
                              .name = (const column_name *)name,
                              .value = value,
                              .deviation = deviation,
                              .units = units},
                     err);
}

/* ---- walls ----------------------------------------------------------------------------------- */

/* Of a traction: one shear along a line, a vector on a surface; then both from the recovered
 * stress. */
static const char *wall_suffix(const sab_wall_trace *wall, int column)
{
    return column < wall->components ? "" : "_recovered";
}

sab_status sab_output_wall(const char *path, const sab_geometry *geometry,
                           const sab_wall_trace *wall, int columns, const double *stress,
                           const double *deviation, const sab_units *units, sab_error *err)
{
    column_name name[2 * (1 + SAB_DIM)];
    const bool vector = wall->components > 1 + 1;

    for (int c = 0; c < columns; c++) {
        const int k = c % wall->components;

        snprintf(name[c], sizeof name[c], "%s%s%s%s", k == 0 ? "normal" : "shear",
                 k > 0 && vector ? "_" : "", k > 0 && vector ? geometry->coordinate[k - 1] : "",
                 wall_suffix(wall, c));
    }
    return put_table(path,
                     &(table){.geometry = geometry,
                              .rows = wall->nrows,
                              .columns = columns,
                              .line = wall->s != NULL,
                              .s = wall->s,
                              .x = wall->x,
                              .area = wall->area,
                              .name = (const column_name *)name,
                              .value = stress,
                              .deviation = deviation,
                              .units = units},
                     err);
}

sab_status sab_output_rows(const char *path, const sab_geometry *geometry, int rows,
                           const double *s, const double *x, int columns, const char *const *name,
                           const double *value, const double *deviation, const sab_units *units,
                           sab_error *err)
{
    enum { MOST = 16 };
    column_name copy[MOST];

    for (int c = 0; c < columns && c < MOST; c++)
        snprintf(copy[c], sizeof copy[c], "%s", name[c]);
    return put_table(path,
                     &(table){.geometry = geometry,
                              .rows = rows,
                              .columns = columns,
                              .line = s != NULL,
                              .s = s,
                              .x = x,
                              .name = (const column_name *)copy,
                              .value = value,
                              .deviation = deviation,
                              .units = units},
                     err);
}

/* normal and shear of each kind of stress, spread over the surface. */
static sab_status put_stresses(sab_vtu *vtu, const sab_wall_trace *wall, int columns,
                               const double *value, const char *kind, double *at, double *work,
                               sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(sab_wall_spread(wall, columns, value, at, err));
    for (int from = 0; from < columns; from += wall->components)
        for (int k = 0; k <= 1; k++) { /* normal, shear */
            const int n = k == 0 ? 1 : SAB_DIM;
            column_name name;

            snprintf(name, sizeof name, "%s%s%s", k == 0 ? "normal" : "shear",
                     wall_suffix(wall, from), kind);
            for (int i = 0; i < n * wall->npoints; i++)
                work[i] = at[columns * (i / n) + from + k + i % n];
            SAB_TRY(sab_vtu_point_array(vtu, name, n, NULL, work, err));
        }
cleanup:
    return status;
}

sab_status sab_output_wall_surface(const char *path, const sab_wall_trace *wall, int columns,
                                   const double *stress, const double *deviation, double time,
                                   bool float32, sab_error *err)
{
    sab_status status = SAB_OK;
    const int width = wall->facet->nodes;
    sab_vtu *vtu = NULL;
    int *cell = NULL;
    double *at = NULL, *work = NULL; /* [npoints][columns], [npoints][SAB_DIM] */

    SAB_NEW(cell, (size_t)width * (size_t)wall->cells);
    SAB_NEW(at, (size_t)columns * (size_t)wall->npoints);
    SAB_NEW(work, SAB_DIM * (size_t)wall->npoints);
    for (int i = 0; i < width * wall->cells; i++)
        cell[i - i % width + wall->facet->vtk[i % width]] = wall->cell[i];
    SAB_TRY(sab_vtu_open(path, float32, time, wall->dim, wall->npoints, wall->point, wall->cells,
                         width, wall->facet->vtk_type, cell, &vtu, err));
    SAB_TRY(put_stresses(vtu, wall, columns, stress, "", at, work, err));
    if (deviation != NULL)
        SAB_TRY(put_stresses(vtu, wall, columns, deviation, "_deviation", at, work, err));
    for (int i = 0; i < wall->npoints; i++)
        work[i] = wall->row[i] >= 0 ? wall->area[wall->row[i]] : 0.0;
    SAB_TRY(sab_vtu_point_array(vtu, "area", 1, NULL, work, err));
    for (int i = 0; i < wall->npoints; i++)
        work[i] = wall->row[i] >= 0;
    SAB_TRY(sab_vtu_point_array(vtu, "measured", 1, NULL, work, err));
    SAB_TRY(sab_vtu_close(&vtu, err));
cleanup:
    sab_vtu_abort(&vtu);
    SAB_FREE(cell);
    SAB_FREE(at);
    SAB_FREE(work);
    return status;
}
