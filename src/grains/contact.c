/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "grains/contact.h"

#include <math.h>
#include <string.h>

void sab_contact_frame(int dim, const double *n, double *frame)
{
    memcpy(frame, n, (size_t)dim * sizeof *n);
    if (dim == 2) {
        frame[2] = -n[1];
        frame[3] = n[0];
        return;
    }
    /* t1 = n x e of the axis e that n is farthest from, t2 = n x t1 */
    const double a = fabs(n[0]), b = fabs(n[1]), c = fabs(n[2]);
    const double e[3] = {a <= b && a <= c, !(a <= b && a <= c) && b <= c,
                         !(a <= b && a <= c) && !(b <= c)};
    double *t = frame + 3, *s = frame + 6;

    t[0] = n[1] * e[2] - n[2] * e[1];
    t[1] = n[2] * e[0] - n[0] * e[2];
    t[2] = n[0] * e[1] - n[1] * e[0];
    const double size = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
    for (int k = 0; k < 3; k++)
        t[k] /= size;
    s[0] = n[1] * t[2] - n[2] * t[1];
    s[1] = n[2] * t[0] - n[0] * t[2];
    s[2] = n[0] * t[1] - n[1] * t[0];
}

/* The row of direction d at a body: its velocity at the contact, (v + spin x r).d = v.d +
 * spin.(r x d), with the sign of the body in the pair; r is its arm. */
static void fill_row(int dim, double sign, const double *r, const double *d, double *row)
{
    for (int k = 0; k < dim; k++)
        row[k] = sign * d[k];
    if (dim == 2)
        row[2] = sign * (r[0] * d[1] - r[1] * d[0]);
    else {
        row[3] = sign * (r[1] * d[2] - r[2] * d[1]);
        row[4] = sign * (r[2] * d[0] - r[0] * d[2]);
        row[5] = sign * (r[0] * d[1] - r[1] * d[0]);
    }
}

static double mass_of(const sab_bodies *b, int i, int freedom)
{
    return freedom < b->dim ? b->mass[i] : b->inertia[i];
}

/* Relative velocity of row `row` with v + dt gravity for the velocity, in *free, and without. */
static double approach(const sab_bodies *b, const int *body, int bodies, const double *row,
                       const double *gravity, double dt, double *free)
{
    double now = 0.0;

    *free = 0.0;
    for (int e = 0; e < bodies; e++)
        for (int k = 0; k < b->freedoms; k++) {
            const double v = b->velocity[body[e] * b->freedoms + k];
            const double push = k < b->dim ? dt * gravity[k] : 0.0;

            now += row[e * b->freedoms + k] * v;
            *free += row[e * b->freedoms + k] * (v + push);
        }
    return now;
}

static sab_status fill_masses(const sab_bodies *b, const double *gravity, double dt, sab_program *p,
                              sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(sab_sparse_create(p->n, p->n, true, &p->A, err));
    for (int i = 0; i < b->n; i++)
        for (int k = 0; k < b->freedoms; k++) {
            const int j = i * b->freedoms + k;
            const double m = mass_of(b, i, k);

            p->A->start[j + 1] = j + 1;
            p->A->row[j] = j;
            p->A->value[j] = m;
            p->l[j] = m * (b->velocity[j] + (k < b->dim ? dt * gravity[k] : 0.0));
        }
cleanup:
    return status;
}

/* Of the wall along a direction; 0 without one. */
static double wall_speed(int dim, const sab_grain_wall *w, const double *direction)
{
    double speed = 0.0;

    for (int k = 0; w != NULL && k < dim; k++)
        speed += direction[k] * w->velocity[k];
    return speed;
}

/* rows [dim][bodies f]: B of one contact in its frame, before it is scaled. Returns the trace of
 * B M^-1 B'. */
static double fill_rows(const sab_bodies *b, const sab_pair *pair, int bodies, const double *frame,
                        double *rows)
{
    const int dim = b->dim, f = b->freedoms, body[2] = {pair->i, pair->j};
    double trace = 0.0, arm[2][3];

    for (int e = 0; e < bodies; e++)
        sab_pair_arm(b, pair, e, arm[e]);
    for (int i = 0; i < dim; i++)
        for (int e = 0; e < bodies; e++) {
            double *row = rows + (i * bodies + e) * f;

            fill_row(dim, e == 0 ? 1.0 : -1.0, arm[e], frame + i * dim, row);
            for (int k = 0; k < f; k++)
                trace += row[k] * row[k] / mass_of(b, body[e], k);
        }
    return trace;
}

/* Contact q: its block, behind those before, and its law. Returns the columns of the block. */
static int fill_contact(const sab_bodies *b, const sab_grain_wall *wall, const sab_pair *pair,
                        const sab_contact_law *law, const double *gravity, double dt, int q,
                        sab_program *p, double *scale, double *gap)
{
    const int dim = b->dim, s = dim, f = b->freedoms;
    const sab_grain_wall *w = pair->j >= b->n ? &wall[pair->j - b->n] : NULL;
    const int body[2] = {pair->i, pair->j}, bodies = w != NULL ? 1 : 2, wide = bodies * f;
    double frame[9], free, *rows = p->B->value + p->B->value_start[q];

    sab_contact_frame(dim, pair->normal, frame);
    for (int c = 0; c < wide; c++)
        p->B->column[p->B->column_start[q] + c] = body[c / f] * f + c % f;
    const double c = *scale = sqrt(s / fill_rows(b, pair, bodies, frame, rows));
    const double e = w != NULL ? w->restitution : law->restitution;
    const double still = wall_speed(dim, w, pair->normal);
    const double hits = approach(b, body, bodies, rows, gravity, dt, &free) - still;
    free -= still;
    /* one that hits within the step leaves with e times the speed it came with */
    *gap = e > 0.0 && hits < 0.0 && pair->gap + dt * free < 0.0 ? e * hits : pair->gap / dt;
    for (int i = 0; i < s; i++)
        p->k[q * s + i] = c * ((i == 0 ? *gap : 0.0) - wall_speed(dim, w, frame + i * dim));
    for (int i = 0; i < s * wide; i++)
        rows[i] *= c;
    p->weight[q] = p->r[q] = 1.0;
    p->friction[q] = w != NULL ? w->friction : law->friction;
    p->dilatancy[q] = law->relaxed ? p->friction[q] : 0.0;
    return wide;
}

sab_status sab_contact_program(const sab_bodies *b, const sab_grain_wall *wall,
                               const sab_pairs *pairs, const sab_contact_law *law,
                               const double *gravity, double dt, double *scale, double *gap,
                               sab_program **program, sab_error *err)
{
    const int s = b->dim, f = b->freedoms;
    int64_t columns = 0;
    sab_program *p = NULL;
    sab_status status = SAB_OK;

    *program = NULL;
    for (int q = 0; q < pairs->n; q++)
        columns += pairs->pair[q].j < b->n ? 2 * f : f;
    SAB_TRY(sab_program_create(s, pairs->n, b->n * f, &p, err));
    SAB_TRY(
        sab_program_set_ranges(p, 1, &(sab_point_range){SAB_POINTS_CONTACT, 0, pairs->n, s}, err));
    p->inertial = true;
    SAB_TRY(fill_masses(b, gravity, dt, p, err));
    SAB_TRY(sab_blocks_create(s, pairs->n, p->n, pairs->n, columns, columns * s, &p->B, err));
    for (int q = 0; q < pairs->n; q++) {
        const int wide =
            fill_contact(b, wall, &pairs->pair[q], law, gravity, dt, q, p, &scale[q], &gap[q]);

        p->B->point[q + 1] = q + 1;
        p->B->column_start[q + 1] = p->B->column_start[q] + wide;
        p->B->value_start[q + 1] = p->B->value_start[q] + s * wide;
    }
    *program = p;
    p = NULL;
cleanup:
    sab_program_destroy(&p);
    return status;
}
