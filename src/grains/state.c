/* SPDX-License-Identifier: GPL-3.0-or-later */
/* grains/state.c -- grains as two arrays of numbers, and back. */
#include "grains/grains.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { HEAD_REAL = 2, HEAD_WHOLE = 5, CORNERS = 9 };

static size_t reals_of_body(const sab_bodies *b)
{
    return (size_t)(b->dim + 4 + b->freedoms + 1 + 2 + 2);
}

/* Copy n numbers, in the direction that is asked for, and move on. */
static void pass(bool out, double **at, double *own, size_t n)
{
    if (n > 0)
        memcpy(out ? *at : own, out ? own : *at, n * sizeof *own);
    *at += n;
}

/* The same order for both directions. */
static void pass_reals(sab_grains *g, bool out, double *at)
{
    const sab_bodies *b = g->bodies;
    const size_t n = (size_t)b->n;

    pass(out, &at, &g->time, 1);
    pass(out, &at, &g->last_dt, 1);
    pass(out, &at, b->position, n * (size_t)b->dim);
    pass(out, &at, b->orientation, n * 4);
    pass(out, &at, b->velocity, n * (size_t)b->freedoms);
    pass(out, &at, b->radius, n);
    pass(out, &at, b->axis, n * 2);
    pass(out, &at, b->mass, n);
    pass(out, &at, b->inertia, n);
    for (int w = 0; w < g->nwalls; w++)
        pass(out, &at, g->wall[w].corner[0], CORNERS);
    pass(out, &at, g->left, (size_t)g->nsinks);
    for (int q = 0; q < g->nimpulses; q++)
        pass(out, &at, g->impulse[q].value, 3);
}

static size_t count_reals(const sab_grains *g, size_t n, size_t nimpulses)
{
    return HEAD_REAL + n * reals_of_body(g->bodies) + CORNERS * (size_t)g->nwalls +
           (size_t)g->nsinks + 3 * nimpulses;
}

static size_t count_wholes(size_t n, size_t nimpulses)
{
    return HEAD_WHOLE + n + 2 * nimpulses;
}

void sab_grains_state_clear(sab_grains_state *s)
{
    SAB_FREE(s->real);
    SAB_FREE(s->whole);
    *s = (sab_grains_state){0};
}

sab_status sab_grains_get_state(const sab_grains *g, sab_grains_state *s, sab_error *err)
{
    const size_t n = (size_t)g->bodies->n, m = (size_t)g->nimpulses;
    sab_grains copy = *g; /* its arrays are only read */
    int64_t *whole;
    sab_status status = SAB_OK;

    *s = (sab_grains_state){.nreal = count_reals(g, n, m), .nwhole = count_wholes(n, m)};
    SAB_NEW(s->real, s->nreal);
    SAB_NEW(s->whole, s->nwhole);
    pass_reals(&copy, true, s->real);
    whole = s->whole;
    memcpy(whole, (int64_t[]){g->step, g->bodies->n, g->nimpulses, g->nwalls, g->nsinks},
           HEAD_WHOLE * sizeof *whole);
    whole += HEAD_WHOLE;
    if (n > 0)
        memcpy(whole, g->bodies->id, n * sizeof *whole);
    whole += n;
    for (size_t q = 0; q < m; q++) {
        *whole++ = g->impulse[q].i;
        *whole++ = g->impulse[q].j;
    }
cleanup:
    if (status != SAB_OK)
        sab_grains_state_clear(s);
    return status;
}

/* Room for n bodies and m impulses; what is in them does not matter. */
static sab_status make_room(sab_grains *g, int n, int m, sab_error *err)
{
    const double nowhere[3] = {0.0};
    sab_status status = SAB_OK;

    while (g->bodies->n > n)
        sab_bodies_remove(g->bodies, g->bodies->n - 1);
    while (g->bodies->n < n)
        SAB_TRY(sab_bodies_add(g->bodies, nowhere, 1.0, 1.0, err));
    if (m > g->capacity) {
        sab_impulse *wider = sab_realloc(g->impulse, (size_t)m, sizeof *wider);

        if (wider == NULL)
            SAB_FAIL(err, SAB_ERR_MEMORY, "out of memory for %d impulses", m);
        g->impulse = wider;
        g->capacity = m;
    }
    g->nimpulses = m;
cleanup:
    return status;
}

sab_status sab_grains_set_state(sab_grains *g, const sab_grains_state *s, sab_error *err)
{
    const int64_t *whole = s->whole;
    sab_status status = SAB_OK;

    if (s->nwhole < HEAD_WHOLE || whole[1] < 0 || whole[1] > INT32_MAX / 16 || whole[2] < 0 ||
        whole[2] > INT32_MAX / 16 || whole[3] != g->nwalls || whole[4] != g->nsinks ||
        s->nreal != count_reals(g, (size_t)whole[1], (size_t)whole[2]) ||
        s->nwhole != count_wholes((size_t)whole[1], (size_t)whole[2]))
        return sab_fail(err, SAB_ERR_INPUT,
                        "these are not the grains of this case: their numbers, or those of its "
                        "walls, are others");
    for (size_t i = 0; i < s->nreal; i++)
        if (!isfinite(s->real[i]))
            return sab_fail(err, SAB_ERR_INPUT,
                            "the state of the grains has a number that is not "
                            "finite");
    SAB_TRY(make_room(g, (int)whole[1], (int)whole[2], err));
    g->step = whole[0];
    whole += HEAD_WHOLE;
    if (g->bodies->n > 0)
        memcpy(g->bodies->id, whole, (size_t)g->bodies->n * sizeof *whole);
    whole += g->bodies->n;
    for (int q = 0; q < g->nimpulses; q++, whole += 2)
        g->impulse[q] = (sab_impulse){.i = whole[0], .j = whole[1]};
    pass_reals(g, false, s->real);
cleanup:
    return status;
}
