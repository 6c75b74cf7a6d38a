#include "flow_step.h"
#include "base/memory.h"
#include "linalg/factor.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { MOST = 64 };

/* Cholesky M = L L^T in place (lower), n x n row-major with leading dimension MOST. */
static bool cholesky(int n, double (*M)[MOST])
{
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++)
            M[j][j] -= M[j][k] * M[j][k];
        if (!(M[j][j] > 0.0))
            return false;
        M[j][j] = sqrt(M[j][j]);
        for (int i = j + 1; i < n; i++) {
            for (int k = 0; k < j; k++)
                M[i][j] -= M[i][k] * M[j][k];
            M[i][j] /= M[j][j];
        }
    }
    return true;
}

/* An upper bound of the largest eigenvalue of a symmetric G >= 0: (tr G^32)^(1/32), at most
 * n^(1/32) times too large (7 % for n = 9). */
static double largest_eigenvalue(int n, double (*G)[MOST])
{
    static double square[MOST][MOST];
    double logarithm = 0.0, power = 1.0, trace = 0.0;

    for (int k = 0; k <= 5; k++) {
        trace = 0.0;
        for (int i = 0; i < n; i++)
            trace += G[i][i];
        if (k == 5 || !(trace > 0.0))
            break;
        logarithm += log(trace) / power;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                square[i][j] = 0.0;
                for (int l = 0; l < n; l++)
                    square[i][j] += G[i][l] * G[l][j] / (trace * trace);
            }
        memcpy(G, square, sizeof square);
        power *= 2.0;
    }
    return trace > 0.0 ? exp(logarithm + log(trace) / power) : 0.0;
}

/* eta_e, over the free velocities of the element; 0 if it has none. */
static double element_ratio(const bench_step *step, int e)
{
    const sab_blocks *B = step->program->B, *N = step->mass->at->B;
    const int n = (int)(B->column_start[e + 1] - B->column_start[e]);
    const int rows = B->s * (B->point[e + 1] - B->point[e]);
    const double *b = B->value + B->value_start[e], *v = N->value + N->value_start[e];
    static double M[MOST][MOST], G[MOST][MOST], X[MOST][MOST];

    memset(M, 0, sizeof M);
    for (int r = 0; r < 2 * (N->point[e + 1] - N->point[e]); r++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++)
                M[i][j] += step->mass->at->weight[N->point[e] + r / 2] * v[r * n + i] * v[r * n + j];
    if (n == 0 || !cholesky(n, M))
        return 0.0;
    for (int r = 0; r < rows; r++) { /* X_r = L^-1 (sqrt(m) B_r)^T */
        const double m = step->program->weight[B->point[e] + r / B->s];
        for (int i = 0; i < n; i++) {
            X[r][i] = sqrt(m) * b[r * n + i];
            for (int k = 0; k < i; k++)
                X[r][i] -= M[i][k] * X[r][k];
            X[r][i] /= M[i][i];
        }
    }
    for (int r = 0; r < rows; r++)
        for (int t = 0; t < rows; t++) {
            G[r][t] = 0.0;
            for (int i = 0; i < n; i++)
                G[r][t] += X[r][i] * X[t][i];
        }
    return largest_eigenvalue(rows, G);
}

static void set_safe_steps(bench_step *step)
{
    sab_program *p = step->program;
    const double dt = step->setup.dt;
    double largest = 0.0;

    for (int pass = 0; pass < 2; pass++) /* an element without unknowns takes the smallest r */
        for (int e = 0; e < p->B->nblocks; e++) {
            const double ratio = element_ratio(step, e);
            largest = fmax(largest, ratio);
            for (int q = p->B->point[e]; pass == 1 && q < p->B->point[e + 1]; q++)
                p->step[q] =
                    p->viscosity[q] * p->bulk + 1.0 / (dt * (ratio > 0.0 ? ratio : largest));
        }
    p->step_is_safe = true;
}

/* l0^2/dt of the unresisted flow u0; u0 may be a rigid motion: l0 is at most the size of the mesh.
 */
static sab_status inertia_scale(const bench_step *step, double *scale, sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_program *p = step->program;
    const sab_mesh *mesh = step->setup.mesh;
    sab_factor *factor = NULL;
    double *u = NULL, *gamma = NULL, power = 0.0, rate = 0.0, volume = 0.0, size = 0.0;

    SAB_NEW(u, p->n);
    SAB_NEW(gamma, (size_t)p->s * (size_t)p->npoints);
    SAB_TRY(sab_factor_create(SAB_CHOLMOD, p->A, &factor, err));
    SAB_TRY(sab_factor_update(factor, p->A, err));
    SAB_TRY(sab_factor_solve(factor, p->l, u, err));
    sab_blocks_multiply(p->B, u, gamma);
    for (int i = 0; i < p->n; i++)
        power += u[i] * p->l[i];
    for (int q = 0; q < p->npoints; q++) {
        double g2 = 0.0;

        for (int c = 0; c < p->s; c++)
            g2 += gamma[p->s * q + c] * gamma[p->s * q + c] * (c == 0 ? p->bulk : 1.0);
        power -= p->weight[q] * p->viscosity[q] * g2; /* u.M u/dt remains */
        rate += p->weight[q] * sqrt(g2);
        volume += p->weight[q];
    }
    for (int i = 2; i < 2 * mesh->nnodes; i++)
        size = fmax(size, fabs(mesh->x[i] - mesh->x[i % 2]));
    const double most = size * size / step->setup.dt;
    const double r = rate * rate > 0.0 ? fmax(power, 0.0) * volume / (rate * rate) : most;
    *scale = r > 0.0 && r < most ? r : most;
cleanup:
    sab_factor_destroy(&factor);
    SAB_FREE(u);
    SAB_FREE(gamma);
    return status;
}

static sab_status set_steps(bench_step *step, sab_error *err)
{
    sab_program *p = step->program;
    double scale = step->setup.inertia;
    sab_status status = SAB_OK;

    if (step->setup.dt > 0.0 && scale < 0.0) {
        set_safe_steps(step);
        return SAB_OK;
    }
    if (step->setup.dt > 0.0 && scale == 0.0)
        status = inertia_scale(step, &scale, err);
    for (int q = 0; q < p->npoints; q++)
        p->step[q] = p->viscosity[q] + scale;
    p->step_is_safe = step->setup.dt == 0.0 && p->bulk == 1.0;
    return status;
}

/* Law, A = viscosity + M/dt, and the load of everything but inertia. */
static sab_status assemble(bench_step *step, sab_error *err)
{
    const bench_setup *setup = &step->setup;
    sab_program *p = step->program;
    const int s = p->s;
    double *C = NULL, *F = NULL;
    sab_status status = SAB_OK;

    SAB_NEW(C, (size_t)(s * s) * (size_t)p->npoints);
    SAB_NEW(F, 2 * (size_t)setup->mesh->nnodes);
    p->bulk = setup->material->bulk;
    for (int q = 0; q < p->npoints; q++) {
        const sab_vars at = {.x = step->space->point[2 * q], .y = step->space->point[2 * q + 1]};
        sab_law law;

        SAB_TRY(sab_material_law(setup->material, setup->geometry, &at, &law, err));
        p->friction[q] = law.friction;
        p->yield[q] = law.yield;
        p->dilatancy[q] = law.dilatancy;
        p->weight[q] = 2.0 * step->space->weight[q];
        p->viscosity[q] = 2.0 * law.inverse_reynolds;
        for (int c = 0; c < s; c++)
            C[s * s * q + c * (s + 1)] = p->weight[q] * p->viscosity[q] * (c == 0 ? p->bulk : 1.0);
    }
    sab_blocks_assemble(p->B, C, step->scatter, p->A);
    if (setup->dt > 0.0)
        sab_mass_assemble(step->mass, 1.0 / setup->dt, step->scatter, p->A);

    SAB_TRY(sab_space_body_force(step->space, setup->gravity, 0.0, F, err));
    SAB_TRY(sab_boundary_load(setup->mesh, setup->geometry, setup->nboundaries, setup->boundary, step->group, 0.0, F,
                              err));
    sab_dofs_restrict(step->dofs, F, step->load);
    for (int q = 0; q < p->npoints; q++)
        for (int c = 0; c < s; c++)
            C[s * q + c] =
                -p->weight[q] * p->viscosity[q] * (c == 0 ? p->bulk : 1.0) * p->k[s * q + c];
    sab_blocks_multiply_transpose(p->B, C, step->load);
cleanup:
    SAB_FREE(C);
    SAB_FREE(F);
    return status;
}

sab_status bench_step_create(const bench_setup *setup, bench_step **step, sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_mesh *mesh = setup->mesh;
    sab_boundary_report report;
    bench_step *st = NULL;

    *step = NULL;
    SAB_NEW(st, 1);
    st->setup = *setup;
    SAB_NEW(st->group, setup->nboundaries);
    SAB_TRY(sab_boundary_match(mesh, setup->nboundaries, setup->boundary, st->group, &report, err));
    SAB_TRY(
        sab_dofs_create(mesh, setup->geometry, setup->nboundaries, setup->boundary, st->group, 0.0, &st->dofs, err));
    if (setup->dt == 0.0 && sab_dofs_rigid_motions(st->dofs, mesh, setup->geometry) > 0) {
        status = sab_fail(err, SAB_ERR_INPUT, "nothing holds the material");
        goto cleanup;
    }
    SAB_TRY(sab_space_create(mesh, &sab_element_p2, setup->geometry, &st->space, err));
    SAB_TRY(sab_program_create(setup->geometry->s, st->space->npoints, st->dofs->nfree,
                               &st->program, err));
    SAB_TRY(sab_space_strain(st->space, st->dofs, &st->program->B, st->program->k, err));
    SAB_TRY(sab_mass_create(st->space, st->dofs, &st->mass, err));
    SAB_TRY(sab_blocks_pattern(st->program->B, true, &st->program->A, err));
    SAB_TRY(sab_scatter_create(st->program->B, st->program->A, &st->scatter, err));
    SAB_NEW(st->load, st->dofs->nfree);
    SAB_NEW(st->v, 2 * (size_t)st->mass->at->n);
    SAB_TRY(assemble(st, err));
    /* at rest, v = 0, but for what is prescribed */
    memcpy(st->program->l, st->load, (size_t)st->dofs->nfree * sizeof *st->load);
    if (setup->dt > 0.0)
        sab_mass_load(st->mass, 1.0 / setup->dt, st->v, st->program->l);
    SAB_TRY(set_steps(st, err));
    SAB_TRY(sab_program_check(st->program, err));
    *step = st;
    st = NULL;
cleanup:
    bench_step_destroy(&st);
    return status;
}

void bench_step_destroy(bench_step **step)
{
    bench_step *st = *step;

    if (st == NULL)
        return;
    sab_scatter_destroy(&st->scatter);
    sab_program_destroy(&st->program);
    sab_mass_destroy(&st->mass);
    sab_space_destroy(&st->space);
    sab_dofs_destroy(&st->dofs);
    SAB_FREE(st->group);
    SAB_FREE(st->load);
    SAB_FREE(st->v);
    SAB_FREE(*step);
}

void bench_step_advance(bench_step *step, const double *u)
{
    memcpy(step->program->l, step->load, (size_t)step->dofs->nfree * sizeof *step->load);
    if (step->setup.dt > 0.0) {
        sab_mass_velocity(step->mass, u, step->v);
        sab_mass_load(step->mass, 1.0 / step->setup.dt, step->v, step->program->l);
    }
}

/* int u.n is the power of the traction n, that is of the pressure -1. */
sab_status bench_step_flux(const bench_step *step, const char *group, double *q, double *given,
                           sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_mesh *mesh = step->setup.mesh;
    const int found = sab_mesh_find_group(mesh, group);
    char name[64] = "";
    const sab_boundary entry = {
        .group = name, .has_pressure = true, .pressure = sab_constant(-1.0)};
    double *F = NULL, *U = NULL;

    if (found < 0)
        return sab_fail(err, SAB_ERR_INPUT, "the mesh has no group '%s'", group);
    strncpy(name, group, sizeof name - 1);
    SAB_NEW(F, 2 * (size_t)mesh->nnodes);
    SAB_NEW(U, 2 * (size_t)mesh->nnodes);
    SAB_TRY(sab_boundary_load(mesh, step->setup.geometry, 1, &entry, &found, 0.0, F, err));
    memset(q, 0, (size_t)step->dofs->nfree * sizeof *q);
    sab_dofs_expand(step->dofs, q, U); /* what is prescribed */
    *given = 0.0;
    for (int i = 0; i < 2 * mesh->nnodes; i++)
        *given += F[i] * U[i];
    sab_dofs_restrict(step->dofs, F, q);
cleanup:
    SAB_FREE(F);
    SAB_FREE(U);
    return status;
}
