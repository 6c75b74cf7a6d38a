/* SPDX-License-Identifier: GPL-3.0-or-later */
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

const char *const sab_friction_mode_name[SAB_FRICTION_MODES] = {
    [SAB_FRICTION_PLANE] = "plane",
    [SAB_FRICTION_COMPRESSION] = "compression",
    [SAB_FRICTION_EXTENSION] = "extension",
    [SAB_FRICTION_SHEAR] = "shear",
};

bool sab_friction_has_mode(const sab_geometry *geometry, sab_friction_mode mode)
{
    return geometry->d == 3 || mode == SAB_FRICTION_PLANE || mode == SAB_FRICTION_SHEAR;
}

/* In plane strain and in shear the law leaves its stress across the motion to the flow rule: with
 * the dilatancy z the ratio T = sin(angle) or tan(angle) is m sqrt(1 - c z^2)/(1 - c z m), where
 * c = (d - 2)/d in plane strain, 2 (d - 1)/d in shear [docs/theory.md, 2.5]. */
static double dilation_factor(const sab_geometry *geometry, sab_friction_mode mode)
{
    const double d = geometry->d;

    return mode == SAB_FRICTION_PLANE ? (d - 2.0) / d : 2.0 * (d - 1.0) / d;
}

double sab_friction_of_angle(const sab_geometry *geometry, sab_friction_mode mode, double angle,
                             double dilatancy)
{
    const double s = sin(angle), ratio = mode == SAB_FRICTION_SHEAR ? tan(angle) : s;

    if (!sab_friction_has_mode(geometry, mode))
        return NAN;
    if (mode == SAB_FRICTION_COMPRESSION)
        return 2.0 * ROOT3 * s / (3.0 - s);
    if (mode == SAB_FRICTION_EXTENSION)
        return 2.0 * ROOT3 * s / (3.0 + s);
    const double c = dilation_factor(geometry, mode);
    return ratio / (sqrt(fmax(0.0, 1.0 - c * dilatancy * dilatancy)) + c * dilatancy * ratio);
}

double sab_angle_of_friction(const sab_geometry *geometry, sab_friction_mode mode, double friction,
                             double dilatancy)
{
    double ratio; /* sin(angle), or tan(angle) */

    if (!sab_friction_has_mode(geometry, mode))
        return NAN;
    if (mode == SAB_FRICTION_COMPRESSION) {
        ratio = 3.0 * friction / (2.0 * ROOT3 + friction);
    } else if (mode == SAB_FRICTION_EXTENSION) {
        ratio = friction < 2.0 * ROOT3 ? 3.0 * friction / (2.0 * ROOT3 - friction) : NAN;
    } else {
        const double c = dilation_factor(geometry, mode), rest = 1.0 - c * dilatancy * friction;

        ratio =
            rest > 0.0 ? friction * sqrt(fmax(0.0, 1.0 - c * dilatancy * dilatancy)) / rest : NAN;
    }
    if (mode == SAB_FRICTION_SHEAR)
        return atan(ratio);
    return ratio < 1.0 ? asin(ratio) : NAN;
}

double sab_friction_limit(const sab_geometry *geometry)
{
    return geometry->d == 3 ? 0.5 * ROOT3 : INFINITY;
}
