#include "fem/geometry.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* (a, b, c) = ((xx + yy)/2, (xx - yy)/2, xy) of D = sym(e_i x grad phi) [docs/theory.md, 1]. */
static void strain_plane(int i, const double *gradient, double hoop, double *row)
{
    (void)hoop;
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

/* (1,0), (0,1), (-y,x) */
static void motion_plane(int k, const double *x, double *velocity)
{
    velocity[0] = k == 0 ? 1.0 : k == 1 ? 0.0 : -x[1];
    velocity[1] = k == 0 ? 0.0 : k == 1 ? 1.0 : x[0];
}

static double measure_plane(const double *x)
{
    (void)x;
    return 1.0;
}

/* Plane strain [docs/theory.md, 2]. */
static double friction_plane(double angle)
{
    return sin(angle);
}

static double angle_plane(double friction)
{
    return friction < 1.0 ? asin(friction) : NAN;
}

const sab_geometry sab_geometry_plane = {
    .name = "plane",
    .dim = 2,
    .d = 2,
    .s = 3,
    .rigid = 3,
    .motion = motion_plane,
    .measure = measure_plane,
    .strain = strain_plane,
    .tensor = tensor_plane,
    .friction_of_angle = friction_plane,
    .angle_of_friction = angle_plane,
};

const sab_geometry *sab_geometry_find(const char *name)
{
    return strcmp(name, sab_geometry_plane.name) == 0 ? &sab_geometry_plane : NULL;
}

double sab_geometry_normal_scale(const sab_geometry *geometry)
{
    return sqrt(0.5 * geometry->d);
}

double sab_geometry_trace(const sab_geometry *geometry)
{
    return sqrt(2.0 * geometry->d);
}
