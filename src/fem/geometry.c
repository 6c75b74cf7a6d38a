#include "fem/geometry.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define ROOT3 1.73205080756887729353
#define ROOT6 2.44948974278317809820

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

static double measure_one(const double *x)
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

/* (Tr/sqrt 6, (rr - zz)/2, rz, (2 tt - rr - zz)/(2 sqrt 3)), tt = hoop [docs/theory.md, 1]. */
static void strain_axis(int i, const double *gradient, double hoop, double *row)
{
    const double tt = i == 0 ? hoop : 0.0;

    row[0] = (gradient[i] + tt) / ROOT6;
    row[1] = i == 0 ? 0.5 * gradient[0] : -0.5 * gradient[1];
    row[2] = 0.5 * gradient[1 - i];
    row[3] = (2.0 * tt - gradient[i]) / (2.0 * ROOT3);
}

static void tensor_axis(const double *x, double tensor[6])
{
    tensor[0] = 2.0 / ROOT6 * x[0] + x[1] - x[3] / ROOT3;
    tensor[1] = 2.0 / ROOT6 * x[0] - x[1] - x[3] / ROOT3;
    tensor[2] = 2.0 / ROOT6 * x[0] + 2.0 * x[3] / ROOT3;
    tensor[3] = x[2];
    tensor[4] = tensor[5] = 0.0;
}

/* The translation along the axis; a radial shift or a turn in the plane (r, z) strains. */
static void motion_axis(int k, const double *x, double *velocity)
{
    (void)k;
    (void)x;
    velocity[0] = 0.0;
    velocity[1] = 1.0;
}

static double measure_axis(const double *x)
{
    return x[0];
}

/* (Tr/sqrt 6, (xx - yy)/2, (2 zz - xx - yy)/(2 sqrt 3), xy, yz, xz) [docs/theory.md, 1]. */
static void strain_space(int i, const double *gradient, double hoop, double *row)
{
    static const double axial[3] = {-1.0, -1.0, 2.0}, across[3] = {0.5, -0.5, 0.0};

    (void)hoop;
    row[0] = gradient[i] / ROOT6;
    row[1] = across[i] * gradient[i];
    row[2] = axial[i] * gradient[i] / (2.0 * ROOT3);
    row[3] = i == 2 ? 0.0 : 0.5 * gradient[1 - i];
    row[4] = i == 0 ? 0.0 : 0.5 * gradient[3 - i];
    row[5] = i == 1 ? 0.0 : 0.5 * gradient[2 - i];
}

static void tensor_space(const double *x, double tensor[6])
{
    tensor[0] = 2.0 / ROOT6 * x[0] + x[1] - x[2] / ROOT3;
    tensor[1] = 2.0 / ROOT6 * x[0] - x[1] - x[2] / ROOT3;
    tensor[2] = 2.0 / ROOT6 * x[0] + 2.0 * x[2] / ROOT3;
    tensor[3] = x[3];
    tensor[4] = x[4];
    tensor[5] = x[5];
}

/* Three translations, then e_k x position. */
static void motion_space(int k, const double *x, double *velocity)
{
    const int a = k % 3, b = (k + 1) % 3, c = (k + 2) % 3;

    velocity[a] = k < 3 ? 1.0 : 0.0;
    velocity[b] = k < 3 ? 0.0 : -x[c];
    velocity[c] = k < 3 ? 0.0 : x[b];
}

#define CARTESIAN                                                                                  \
    .whole = 1.0, .coordinate = {"x", "y", "z"}, .component = {"XX", "YY", "ZZ", "XY", "YZ", "XZ"}

const sab_geometry sab_geometry_plane = {
    .name = "plane",
    .dim = 2,
    .d = 2,
    .s = 3,
    .rigid = 3,
    CARTESIAN,
    .motion = motion_plane,
    .measure = measure_one,
    .strain = strain_plane,
    .tensor = tensor_plane,
    .friction_of_angle = friction_plane,
    .angle_of_friction = angle_plane,
};

const sab_geometry sab_geometry_axisymmetric = {
    .name = "axisymmetric",
    .dim = 2,
    .d = 3,
    .s = 4,
    .rigid = 1,
    .axis = true,
    .degree = 1,
    .whole = 6.28318530717958647693,
    .coordinate = {"r", "z"},
    .component = {"RR", "ZZ", "TT", "RZ", "ZT", "RT"},
    .motion = motion_axis,
    .measure = measure_axis,
    .strain = strain_axis,
    .tensor = tensor_axis,
    .friction_of_angle = friction_plane,
    .angle_of_friction = angle_plane,
};

const sab_geometry sab_geometry_space = {
    .name = "space",
    .dim = 3,
    .d = 3,
    .s = 6,
    .rigid = 6,
    CARTESIAN,
    .motion = motion_space,
    .measure = measure_one,
    .strain = strain_space,
    .tensor = tensor_space,
    .friction_of_angle = friction_plane,
    .angle_of_friction = angle_plane,
};

const sab_geometry *sab_geometry_find(const char *name)
{
    static const sab_geometry *const all[] = {&sab_geometry_plane, &sab_geometry_axisymmetric,
                                              &sab_geometry_space};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
    return NULL;
}

double sab_geometry_normal_scale(const sab_geometry *geometry)
{
    return sqrt(0.5 * geometry->d);
}

double sab_geometry_trace(const sab_geometry *geometry)
{
    return sqrt(2.0 * geometry->d);
}
