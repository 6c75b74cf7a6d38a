#include "io/output.h"
#include "base/memory.h"
#include "io/file.h"
#include "io/vtu.h"

#include <math.h>
#include <string.h>

static const char *const tensor_component[6] = {"XX", "YY", "ZZ", "XY", "YZ", "XZ"};

/* n s-vectors as tensors of six components, times `sign`. */
static void to_tensors(const sab_geometry *geometry, int n, double sign, const double *x,
                       double *tensor)
{
    for (int i = 0; i < n; i++) {
        geometry->tensor(x + (size_t)geometry->s * (size_t)i, tensor + 6 * (size_t)i);
        for (int c = 0; c < 6; c++)
            tensor[6 * (size_t)i + (size_t)c] *= sign;
    }
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

    SAB_NEW(work, 6 * (size_t)n);
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
    to_tensors(geometry, n, 1.0, f->stress, work);
    SAB_TRY(sab_vtu_point_array(vtu, "stress", 6, tensor_component, work, err));
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
            geometry->tensor(stress + geometry->s * mesh->element[i], work + 6 * i);
        SAB_TRY(sab_vtu_point_array(vtu, "stress_recovered", 6, tensor_component, work, err));
    }
    SAB_TRY(sab_vtu_cell_array(vtu, "pressure", 1, NULL, f->pressure, err));
    SAB_TRY(sab_vtu_cell_array(vtu, "yielded", 1, NULL, f->yielded, err));
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
    const int n = space->npoints, s = space->geometry->s;
    sab_vtu *vtu = NULL;
    double *work = NULL; /* [n][6] */
    int *cell = NULL;

    SAB_NEW(work, 6 * (size_t)n);
    SAB_NEW(cell, n);
    for (int i = 0; i < n; i++)
        cell[i] = i;
    SAB_TRY(sab_vtu_open(path, float32, time, space->geometry->dim, n, space->point, n, 1,
                         SAB_VTK_VERTEX, cell, &vtu, err));
    to_tensors(space->geometry, n, 1.0, f->lambda, work);
    SAB_TRY(sab_vtu_point_array(vtu, "lambda", 6, tensor_component, work, err));
    to_tensors(space->geometry, n, 1.0, f->strain_rate, work);
    SAB_TRY(sab_vtu_point_array(vtu, "strain_rate", 6, tensor_component, work, err));
    for (int q = 0; q < n; q++)
        work[q] = f->lambda[s * q] / sab_geometry_normal_scale(space->geometry);
    SAB_TRY(sab_vtu_point_array(vtu, "pressure", 1, NULL, work, err));
    SAB_TRY(sab_vtu_point_array(vtu, "weight", 1, NULL, space->weight, err));
    SAB_TRY(sab_vtu_close(&vtu, err));
cleanup:
    sab_vtu_abort(&vtu);
    SAB_FREE(work);
    SAB_FREE(cell);
    return status;
}

void sab_output_component(const char *field, int components, int c, char *name, size_t size)
{
    static const char *const axis[3] = {"x", "y", "z"};

    if (components == 1)
        snprintf(name, size, "%s", field);
    else
        snprintf(name, size, "%s_%s", field, components == 6 ? tensor_component[c] : axis[c]);
}

/* The names of the columns of numbers, with a suffix; then `columns` numbers of a row. */
static void put_names(FILE *out, int columns, const char (*name)[80], const char *suffix)
{
    for (int c = 0; c < columns; c++)
        fprintf(out, ",%s%s", name[c], suffix);
}

static void put_numbers(FILE *out, int columns, const double *value)
{
    for (int c = 0; c < columns; c++)
        fprintf(out, ",%.17g", value[c]);
}

/* A table s, x, y, the columns, and their deviations if there are any. */
static sab_status put_table(const char *path, int rows, const double *s, const double *x, int dim,
                            int columns, const char (*name)[80], const double *value,
                            const double *deviation, sab_error *err)
{
    double length = 0.0;
    sab_file file;
    const sab_status status = sab_file_open(path, &file, err);

    if (status != SAB_OK)
        return status;
    fprintf(file.stream, dim == 3 ? "s,x,y,z" : "s,x,y");
    put_names(file.stream, columns, name, "");
    if (deviation != NULL)
        put_names(file.stream, columns, name, "_deviation");
    fputc('\n', file.stream);
    for (int k = 0; k < rows; k++) {
        double step2 = 0.0;

        for (int i = 0; i < dim && k > 0; i++)
            step2 += pow(x[dim * k + i] - x[dim * (k - 1) + i], 2);
        length += sqrt(step2);
        fprintf(file.stream, "%.17g", s != NULL ? s[k] : length);
        put_numbers(file.stream, dim, x + dim * k);
        put_numbers(file.stream, columns, value + columns * k);
        if (deviation != NULL)
            put_numbers(file.stream, columns, deviation + columns * k);
        fputc('\n', file.stream);
    }
    return sab_file_close(&file, err);
}

sab_status sab_output_profile(const char *path, const char *field, int samples, int dim,
                              const double *x, int components, const double *value,
                              const double *deviation, sab_error *err)
{
    char name[6][80];

    for (int c = 0; c < components; c++)
        sab_output_component(field, components, c, name[c], sizeof name[c]);
    return put_table(path, samples, NULL, x, dim, components, (const char(*)[80])name, value,
                     deviation, err);
}

sab_status sab_output_wall(const char *path, int rows, const double *s, const double *x,
                           int components, const double *stress, const double *deviation,
                           sab_error *err)
{
    static const char name[4][80] = {"normal", "shear", "normal_recovered", "shear_recovered"};

    return put_table(path, rows, s, x, 2, components, name, stress, deviation, err);
}
