/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "grains/bodies.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <math.h>
#include <string.h>

sab_status sab_bodies_create(int dim, sab_bodies **bodies, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_bodies *b = NULL;

    *bodies = NULL;
    if (dim != 2 && dim != 3)
        SAB_FAIL(err, SAB_ERR_INPUT, "grains live in 2 or 3 dimensions, not %d", dim);
    SAB_NEW(b, 1);
    b->dim = dim;
    b->freedoms = dim == 2 ? 3 : 6;
    *bodies = b;
cleanup:
    return status;
}

void sab_bodies_destroy(sab_bodies **bodies)
{
    sab_bodies *b = *bodies;

    if (b == NULL)
        return;
    SAB_FREE(b->position);
    SAB_FREE(b->orientation);
    SAB_FREE(b->velocity);
    SAB_FREE(b->radius);
    SAB_FREE(b->axis);
    SAB_FREE(b->mass);
    SAB_FREE(b->inertia);
    SAB_FREE(b->id);
    SAB_FREE(*bodies);
}

static sab_status widen(double **array, int items, sab_error *err)
{
    double *wider = sab_realloc(*array, (size_t)items, sizeof **array);

    if (wider == NULL)
        return sab_fail(err, SAB_ERR_MEMORY, "out of memory for %d numbers of grains", items);
    *array = wider;
    return SAB_OK;
}

static sab_status reserve(sab_bodies *b, int n, sab_error *err)
{
    const int capacity = n > 2 * b->capacity ? n : 2 * b->capacity;
    int64_t *id;
    sab_status status = SAB_OK;

    if (n <= b->capacity)
        return SAB_OK;
    SAB_TRY(widen(&b->position, capacity * b->dim, err));
    SAB_TRY(widen(&b->orientation, capacity * 4, err));
    SAB_TRY(widen(&b->velocity, capacity * b->freedoms, err));
    SAB_TRY(widen(&b->radius, capacity, err));
    SAB_TRY(widen(&b->axis, capacity * 2, err));
    SAB_TRY(widen(&b->mass, capacity, err));
    SAB_TRY(widen(&b->inertia, capacity, err));
    id = sab_realloc(b->id, (size_t)capacity, sizeof *id);
    if (id == NULL)
        SAB_FAIL(err, SAB_ERR_MEMORY, "out of memory for %d grains", capacity);
    b->id = id;
    b->capacity = capacity;
cleanup:
    return status;
}

sab_status sab_bodies_add(sab_bodies *b, const double *position, double radius, double mass,
                          sab_error *err)
{
    const int i = b->n;
    sab_status status = SAB_OK;
    double size = radius + mass;

    for (int k = 0; k < b->dim; k++)
        size += position[k];
    if (!(radius > 0.0 && mass > 0.0 && isfinite(size)))
        SAB_FAIL(err, SAB_ERR_INPUT,
                 "grain %d needs a place, a radius and a mass, both positive: radius %g, mass %g",
                 i, radius, mass);
    SAB_TRY(reserve(b, i + 1, err));
    memcpy(b->position + i * b->dim, position, (size_t)b->dim * sizeof *position);
    memset(b->velocity + i * b->freedoms, 0, (size_t)b->freedoms * sizeof *position);
    memcpy(b->orientation + 4 * i, (double[]){b->dim == 3 ? 1.0 : 0.0, 0.0, 0.0, 0.0},
           4 * sizeof *position);
    b->radius[i] = b->axis[2 * i] = b->axis[2 * i + 1] = radius;
    b->mass[i] = mass;
    b->inertia[i] = (b->dim == 2 ? 0.5 : 0.4) * mass * radius * radius;
    b->id[i] = i == 0 ? 0 : b->id[i - 1] + 1;
    b->n++;
cleanup:
    return status;
}

sab_status sab_bodies_add_ellipse(sab_bodies *b, const double *position, const double *axis,
                                  double angle, double mass, sab_error *err)
{
    const int i = b->n;
    sab_status status = SAB_OK;

    if (b->dim != 2 || !(axis[0] > 0.0 && axis[1] > 0.0 && isfinite(angle)))
        SAB_FAIL(err, SAB_ERR_INPUT,
                 "grain %d: an ellipse is in the plane and has two semi-axes and an angle: %g, %g "
                 "and %g",
                 i, axis[0], axis[1], angle);
    SAB_TRY(sab_bodies_add(b, position, fmax(axis[0], axis[1]), mass, err));
    memcpy(b->axis + 2 * i, axis, 2 * sizeof *axis);
    b->inertia[i] = 0.25 * mass * (axis[0] * axis[0] + axis[1] * axis[1]);
    b->orientation[4 * i] = angle;
cleanup:
    return status;
}

void sab_bodies_remove(sab_bodies *b, int i)
{
    const size_t after = (size_t)(b->n - i - 1), one = sizeof(double);

    memmove(b->position + i * b->dim, b->position + (i + 1) * b->dim, after * (size_t)b->dim * one);
    memmove(b->orientation + 4 * i, b->orientation + 4 * (i + 1), after * 4 * one);
    memmove(b->velocity + i * b->freedoms, b->velocity + (i + 1) * b->freedoms,
            after * (size_t)b->freedoms * one);
    memmove(b->radius + i, b->radius + i + 1, after * one);
    memmove(b->axis + 2 * i, b->axis + 2 * (i + 1), after * 2 * one);
    memmove(b->mass + i, b->mass + i + 1, after * one);
    memmove(b->inertia + i, b->inertia + i + 1, after * one);
    memmove(b->id + i, b->id + i + 1, after * sizeof *b->id);
    b->n--;
}

/* q <- exp(dt spin/2) q, of length 1 */
static void turn(const double *spin, double dt, double *q)
{
    const double rate = sqrt(spin[0] * spin[0] + spin[1] * spin[1] + spin[2] * spin[2]);
    const double half = 0.5 * dt * rate, s = rate > 0.0 ? sin(half) / rate : 0.0;
    const double p[4] = {cos(half), s * spin[0], s * spin[1], s * spin[2]};
    const double r[4] = {p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
                         p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
                         p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
                         p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]};
    const double size = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);

    for (int k = 0; k < 4; k++)
        q[k] = r[k] / size;
}

void sab_bodies_move(sab_bodies *b, double dt)
{
    SAB_PARALLEL_FOR(b->n)
    for (int i = 0; i < b->n; i++) {
        const double *v = b->velocity + i * b->freedoms;

        for (int k = 0; k < b->dim; k++)
            b->position[i * b->dim + k] += dt * v[k];
        if (b->dim == 2)
            b->orientation[4 * i] += dt * v[2];
        else
            turn(v + 3, dt, b->orientation + 4 * i);
    }
}

double sab_bodies_largest(const sab_bodies *b)
{
    double largest = 0.0;

    for (int i = 0; i < b->n; i++)
        largest = fmax(largest, b->radius[i]);
    return largest;
}

double sab_bodies_smallest(const sab_bodies *b)
{
    double smallest = b->n > 0 ? INFINITY : 0.0;

    for (int i = 0; i < b->n; i++)
        smallest = fmin(smallest, sab_bodies_least(b, i));
    return smallest;
}

double sab_bodies_least(const sab_bodies *b, int i)
{
    return fmin(b->axis[2 * i], b->axis[2 * i + 1]);
}

double sab_bodies_volume(const sab_bodies *b, int i)
{
    static const double PI = 3.14159265358979323846;
    const double area = PI * b->axis[2 * i] * b->axis[2 * i + 1];

    return b->dim == 2 ? area : 4.0 / 3.0 * area * b->radius[i];
}

bool sab_bodies_is_round(const sab_bodies *b, int i)
{
    return b->axis[2 * i] == b->axis[2 * i + 1];
}

sab_ellipse sab_bodies_outline(const sab_bodies *b, int i)
{
    const double angle = b->orientation[4 * i];

    return (sab_ellipse){{b->axis[2 * i], b->axis[2 * i + 1]}, cos(angle), sin(angle)};
}

void sab_bodies_arm(const sab_bodies *b, int i, const double *n, double *arm)
{
    if (sab_bodies_is_round(b, i)) {
        for (int k = 0; k < b->dim; k++)
            arm[k] = b->radius[i] * n[k];
        return;
    }
    const sab_ellipse e = sab_bodies_outline(b, i);
    sab_ellipse_support(&e, n, arm, NULL);
}

void sab_bodies_place(const sab_bodies *b, int i, double *x)
{
    memcpy(x, b->position + i * b->dim, (size_t)b->dim * sizeof *x);
    sab_bodies_take_back(b, x);
}

void sab_bodies_take_back(const sab_bodies *b, double *x)
{
    for (int k = 0; k < b->dim; k++)
        if (b->box.length[k] > 0.0)
            x[k] -= b->box.length[k] * floor((x[k] - b->box.low[k]) / b->box.length[k]);
}

void sab_bodies_nearest(const sab_bodies *b, double *way)
{
    for (int k = 0; k < b->dim; k++)
        if (b->box.length[k] > 0.0)
            way[k] -= b->box.length[k] * nearbyint(way[k] / b->box.length[k]);
}

int sab_bodies_find(const sab_bodies *b, int64_t id)
{
    int low = 0, high = b->n - 1;

    while (low < high) {
        const int middle = (low + high) / 2;

        if (b->id[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return b->n > 0 && b->id[low] == id ? low : -1;
}
