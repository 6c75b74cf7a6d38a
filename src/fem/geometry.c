#include "fem/geometry.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* (a, b, c) = ((xx + yy)/2, (xx - yy)/2, xy) of D = sym(e_i x grad phi) [docs/theory.md, 1]. */
static void strain_plane(int i, const double *gradient, double *row)
{
    row[0] = 0.5 * gradient[i];
    row[1] = i == 0 ? 0.5 * gradient[0] : -0.5 * gradient[1];
    row[2] = 0.5 * gradient[1 - i];
}

static void tensor_plane(const double *x, double tensor[6])
{
    tensor[0] = x[0] + x[1];
    tensor[1] = x[0] - x[1];
    tensor[2] = x[0];
    tensor[3] = x[2];
    tensor[4] = tensor[5] = 0.0;
}

const sab_geometry sab_geometry_plane = {"plane", 2, 2, 3, strain_plane, tensor_plane};

const sab_geometry *sab_geometry_find(const char *name)
{
    return strcmp(name, sab_geometry_plane.name) == 0 ? &sab_geometry_plane : NULL;
}

double sab_geometry_normal_scale(const sab_geometry *geometry)
{
    return sqrt(0.5 * geometry->d);
}
