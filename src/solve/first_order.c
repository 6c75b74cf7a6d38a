#include "solve/first_order.h"

#include "base/memory.h"
#include "base/timer.h"
#include "cone/cone.h"
#include "solve/residual.h"

#include <math.h>
#include <string.h>

struct sab_first_order {
    size_t rows;                    /* s * npoints */
    double tau;                     /* step in units of r */
    double xi;                      /* the Barzilai-Borwein step of ASPG, likewise */
    double theta;                   /* Nesterov's inertia */
    double *lambda, *gamma;         /* admissible iterate and its strain rate */
    double *lambda_old, *gamma_old; /* the one before */
    double *y, *gamma_y;            /* extrapolated point, where the step starts */
    double *y_old, *gamma_y_old;    /* the one before */
    double *work;
    double *u; /* [n] */
    /* Anderson: the fixed-point map P(lambda) of PG and its residual f = P(lambda) - lambda are
     * kept in y and gamma_y, their predecessors in y_old and gamma_y_old */
    int depth, used, next;             /* memory, columns in use, column to write */
    double norm_f;                     /* |f|, negative when f is not known */
    double **dp, **df;                 /* [depth] differences of P and f */
    double *gram, *chol, *coefficient; /* [depth][depth], [depth][depth], [depth] */
    double cone_cpu;
};

sab_status sab_first_order_create(const sab_program *program, int depth,
                                  sab_first_order **iteration, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_first_order *it = NULL;

    *iteration = NULL;
    SAB_NEW(it, 1);
    it->rows = (size_t)program->npoints * (size_t)program->s;
    it->tau = 1.0;
    SAB_NEW(it->lambda, it->rows);
    SAB_NEW(it->gamma, it->rows);
    SAB_NEW(it->lambda_old, it->rows);
    SAB_NEW(it->gamma_old, it->rows);
    SAB_NEW(it->y, it->rows);
    SAB_NEW(it->gamma_y, it->rows);
    SAB_NEW(it->y_old, it->rows);
    SAB_NEW(it->gamma_y_old, it->rows);
    SAB_NEW(it->work, it->rows);
    SAB_NEW(it->u, program->n);
    SAB_NEW(it->dp, depth);
    SAB_NEW(it->df, depth);
    it->depth = depth;
    for (int j = 0; j < depth; j++) {
        SAB_NEW(it->dp[j], it->rows);
        SAB_NEW(it->df[j], it->rows);
    }
    SAB_NEW(it->gram, depth * depth);
    SAB_NEW(it->chol, depth * depth);
    SAB_NEW(it->coefficient, depth);
    *iteration = it;
    it = NULL;
cleanup:
    sab_first_order_destroy(&it);
    return status;
}

void sab_first_order_destroy(sab_first_order **iteration)
{
    sab_first_order *it = *iteration;

    if (it == NULL)
        return;
    SAB_FREE(it->lambda);
    SAB_FREE(it->gamma);
    SAB_FREE(it->lambda_old);
    SAB_FREE(it->gamma_old);
    SAB_FREE(it->y);
    SAB_FREE(it->gamma_y);
    SAB_FREE(it->y_old);
    SAB_FREE(it->gamma_y_old);
    SAB_FREE(it->work);
    SAB_FREE(it->u);
    for (int j = 0; j < it->depth; j++) {
        SAB_FREE(it->dp[j]);
        SAB_FREE(it->df[j]);
    }
    SAB_FREE(it->dp);
    SAB_FREE(it->df);
    SAB_FREE(it->gram);
    SAB_FREE(it->chol);
    SAB_FREE(it->coefficient);
    SAB_FREE(*iteration);
}

double sab_first_order_cone_cpu(const sab_first_order *iteration)
{
    return iteration->cone_cpu;
}

static void swap(double **a, double **b)
{
    double *c = *a;
    *a = *b;
    *b = c;
}

/* <a, b> = sum (m/r) a.b */
static double dot(const sab_program *p, const double *a, const double *b)
{
    double sum = 0.0;
    for (int q = 0; q < p->npoints; q++, a += p->s, b += p->s)
        sum += p->weight[q] / p->step[q] * sab_cone_dot(p->s, a, b);
    return sum;
}

/* Curvature of the dual objective between two points: with d = a - b and e = gamma(a) - gamma(b),
 * *dd = <d,d>, *de = <d,Re>, *ee = <Re,Re>. */
static void curvature(const sab_program *p, const double *a, const double *b, const double *ga,
                      const double *gb, double *dd, double *de, double *ee)
{
    const int s = p->s;

    *dd = *de = *ee = 0.0;
    for (int q = 0; q < p->npoints; q++) {
        double d2 = 0.0, e2 = 0.0, x = 0.0;
        for (int i = q * s; i < (q + 1) * s; i++) {
            const double d = a[i] - b[i], e = ga[i] - gb[i];
            d2 += d * d;
            e2 += e * e;
            x += d * e;
        }
        *dd += p->weight[q] / p->step[q] * d2;
        *de += p->weight[q] * x;
        *ee += p->weight[q] * p->step[q] * e2;
    }
}

sab_status sab_first_order_measure(sab_first_order *it, const sab_program *p, sab_factor *factor,
                                   sab_error *err)
{
    unsigned long long state = 1;
    double *x = it->y, *gamma = it->gamma_y, norm = 0.0;

    it->tau = 1.0;
    if (p->step_is_safe)
        return SAB_OK;
    for (size_t i = 0; i < it->rows; i++) { /* any start with all frequencies */
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        x[i] = (double)(state >> 40) / 16777216.0 - 0.5;
    }
    for (int k = 0; k < 20; k++) {
        const double length = sqrt(dot(p, x, x));
        if (!(length > 0.0))
            break;
        for (size_t i = 0; i < it->rows; i++)
            x[i] /= length;
        sab_status status = sab_program_apply_w(p, factor, x, it->u, gamma, err);
        if (status != SAB_OK)
            return status;
        for (int q = 0; q < p->npoints; q++)
            for (int i = q * p->s; i < (q + 1) * p->s; i++)
                x[i] = p->step[q] * gamma[i];
        norm = sqrt(dot(p, x, x)); /* increases towards |R W| */
    }
    if (norm > 0.0)
        it->tau = 1.0 / (1.05 * norm);
    return SAB_OK;
}

void sab_first_order_start(sab_first_order *it, const double *lambda, const double *gamma)
{
    const size_t size = it->rows * sizeof *lambda;

    memcpy(it->lambda, lambda, size);
    memcpy(it->gamma, gamma, size);
    memcpy(it->y, lambda, size);
    memcpy(it->gamma_y, gamma, size);
    it->theta = 1.0;
    it->xi = it->tau;
    it->used = it->next = 0;
    it->norm_f = -1.0;
}

/* The norm of R W may have been underestimated: the steps themselves show it, without cost in
 * solves. */
static void correct_tau(sab_first_order *it, const sab_program *p)
{
    double dd, de, ee;

    if (p->step_is_safe)
        return;
    curvature(p, it->lambda, it->lambda_old, it->gamma, it->gamma_old, &dd, &de, &ee);
    if (it->tau * it->tau * ee > dd)
        it->tau = sqrt(dd / ee) / 1.02;
}

static void timed_step(sab_first_order *it, const sab_program *p, double tau, const double *shift,
                       const double *y, const double *gamma, double *out)
{
    const sab_cone_laws laws = {p->s, p->npoints, p->friction, p->yield, p->dilatancy, p->step};
    const double before = sab_cpu_seconds();

    sab_cone_step(&laws, tau, shift, y, gamma, out);
    it->cone_cpu += sab_cpu_seconds() - before;
}

static sab_status step_pg(sab_first_order *it, const sab_program *p, sab_factor *factor,
                          const double *shift, sab_error *err)
{
    sab_status status;

    swap(&it->lambda, &it->lambda_old);
    swap(&it->gamma, &it->gamma_old);
    timed_step(it, p, it->tau, shift, it->lambda_old, it->gamma_old, it->lambda);
    status = sab_program_respond(p, factor, it->lambda, it->u, it->gamma, err);
    if (status == SAB_OK)
        correct_tau(it, p);
    return status;
}

/* Does the step from y oppose the movement lambda - lambda_old? APGD asks the generalised gradient
 * y - lambda (O'Donoghue and Candes), algorithm B.2 the gradient gamma + s itself. */
static bool turns_back(const sab_first_order *it, const sab_program *p, bool aspg,
                       const double *shift)
{
    const int s = p->s;
    double sum = 0.0;

    for (int q = 0; q < p->npoints; q++) {
        const double *l = it->lambda + q * s, *old = it->lambda_old + q * s;
        const double *y = it->y + q * s, *g = it->gamma_y + q * s;
        double part = 0.0;
        if (aspg) {
            const double normal = shift != NULL
                                      ? shift[q]
                                      : (p->friction[q] - p->dilatancy[q]) * sab_cone_norm_t(s, g);
            part = normal * (l[0] - old[0]);
            for (int i = 0; i < s; i++)
                part += g[i] * (l[i] - old[i]);
            sum += p->weight[q] * part;
        } else {
            for (int i = 0; i < s; i++)
                part += (y[i] - l[i]) * (l[i] - old[i]);
            sum += p->weight[q] / p->step[q] * part;
        }
    }
    return aspg ? sum >= 0.0 : sum > 0.0;
}

/* APGD and ASPG [thesis, algorithm B.2, corrected in docs/theory.md, 6]. gamma is affine in lambda,
 * so its value at the extrapolated point needs no second solve. */
static sab_status step_nesterov(sab_first_order *it, const sab_program *p, sab_factor *factor,
                                bool aspg, const double *shift, sab_error *err)
{
    double beta = 0.0;
    sab_status status;

    swap(&it->lambda, &it->lambda_old);
    swap(&it->gamma, &it->gamma_old);
    timed_step(it, p, aspg ? it->xi : it->tau, shift, it->y, it->gamma_y, it->lambda);
    const bool restart = turns_back(it, p, aspg, shift);
    status = sab_program_respond(p, factor, it->lambda, it->u, it->gamma, err);
    if (status != SAB_OK)
        return status;
    correct_tau(it, p);
    if (restart) {
        it->theta = 1.0;
    } else {
        const double t = it->theta;
        it->theta = 0.5 * (t * sqrt(t * t + 4.0) - t * t);
        beta = t * (1.0 - t) / (t * t + it->theta);
    }
    swap(&it->y, &it->y_old);
    swap(&it->gamma_y, &it->gamma_y_old);
    for (size_t i = 0; i < it->rows; i++) {
        it->y[i] = it->lambda[i] + beta * (it->lambda[i] - it->lambda_old[i]);
        it->gamma_y[i] = it->gamma[i] + beta * (it->gamma[i] - it->gamma_old[i]);
    }
    if (aspg) {
        double dd, de, ee;
        curvature(p, it->y, it->y_old, it->gamma_y, it->gamma_y_old, &dd, &de, &ee);
        it->xi = de > 0.0 && ee > 1e-28 * dd ? fmin(1e6, fmax(1e-6, de / ee)) : it->tau;
    }
    return SAB_OK;
}

/* P(lambda) into y, f = P(lambda) - lambda into gamma_y, and its norm. */
static void fixed_point(sab_first_order *it, const sab_program *p, const double *shift)
{
    timed_step(it, p, it->tau, shift, it->lambda, it->gamma, it->y);
    for (size_t i = 0; i < it->rows; i++)
        it->gamma_y[i] = it->y[i] - it->lambda[i];
    it->norm_f = sqrt(dot(p, it->gamma_y, it->gamma_y));
}

/* Coefficients c that minimise |f - sum c_j df_j|^2 + 1e-12 trace |c|^2. false if the memory is
 * degenerate. */
static bool anderson_coefficients(sab_first_order *it, const sab_program *p)
{
    const int m = it->used, ld = it->depth;
    double *L = it->chol, *c = it->coefficient, trace = 0.0;

    for (int i = 0; i < m; i++)
        trace += it->gram[i * ld + i];
    if (!(trace > 0.0))
        return false;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = it->gram[i * ld + j] + (i == j ? 1e-12 * trace : 0.0);
            for (int k = 0; k < j; k++)
                sum -= L[i * ld + k] * L[j * ld + k];
            if (i == j && !(sum > 0.0))
                return false;
            L[i * ld + j] = i == j ? sqrt(sum) : sum / L[j * ld + j];
        }
        c[i] = dot(p, it->df[i], it->gamma_y);
        for (int k = 0; k < i; k++)
            c[i] -= L[i * ld + k] * c[k];
        c[i] /= L[i * ld + i];
    }
    for (int i = m - 1; i >= 0; i--) {
        for (int k = i + 1; k < m; k++)
            c[i] -= L[k * ld + i] * c[k];
        c[i] /= L[i * ld + i];
    }
    return true;
}

static void anderson_remember(sab_first_order *it, const sab_program *p)
{
    const int j = it->next;

    for (size_t i = 0; i < it->rows; i++) {
        it->dp[j][i] = it->y[i] - it->y_old[i];
        it->df[j][i] = it->gamma_y[i] - it->gamma_y_old[i];
    }
    it->used = it->used < it->depth ? it->used + 1 : it->depth;
    it->next = (j + 1) % it->depth;
    for (int i = 0; i < it->used; i++)
        it->gram[i * it->depth + j] = it->gram[j * it->depth + i] = dot(p, it->df[i], it->df[j]);
}

/* lambda <- P_T(P(lambda) - sum c_j dp_j); if that more than doubles |f|, forget the memory and
 * take P(lambda) instead (a second solve, counted as a step). */
static sab_status step_anderson(sab_first_order *it, const sab_program *p, sab_factor *factor,
                                const double *shift, int *steps, sab_error *err)
{
    const sab_cone_laws laws = {p->s, p->npoints, p->friction, p->yield, p->dilatancy, p->step};
    sab_status status;

    if (it->norm_f < 0.0)
        fixed_point(it, p, shift);
    const double before = sab_cpu_seconds(), last = it->norm_f;
    if (it->used > 0 && !anderson_coefficients(it, p))
        it->used = it->next = 0;
    swap(&it->lambda, &it->lambda_old);
    swap(&it->gamma, &it->gamma_old);
    memcpy(it->lambda, it->y, it->rows * sizeof *it->y);
    for (int j = 0; j < it->used; j++)
        for (size_t i = 0; i < it->rows; i++)
            it->lambda[i] -= it->coefficient[j] * it->dp[j][i];
    if (it->used > 0)
        sab_cone_project_all(&laws, it->lambda);
    it->cone_cpu += sab_cpu_seconds() - before;

    swap(&it->y, &it->y_old);
    swap(&it->gamma_y, &it->gamma_y_old);
    SAB_TRY(sab_program_respond(p, factor, it->lambda, it->u, it->gamma, err));
    fixed_point(it, p, shift);
    if (it->used > 0 && !(it->norm_f <= 2.0 * last)) {
        it->used = it->next = 0;
        memcpy(it->lambda, it->y_old, it->rows * sizeof *it->y);
        SAB_TRY(sab_program_respond(p, factor, it->lambda, it->u, it->gamma, err));
        (*steps)++;
        fixed_point(it, p, shift);
    }
    correct_tau(it, p);
    anderson_remember(it, p);
cleanup:
    return status;
}

sab_status sab_first_order_run(sab_first_order *it, sab_step_kind kind, const sab_program *program,
                               sab_factor *factor, const double *shift, int most, double target,
                               double *lambda, int *steps, sab_error *err)
{
    sab_status status = SAB_OK;
    double best = INFINITY;
    const int last = *steps + most;

    do {
        (*steps)++;
        switch (kind) {
        case SAB_STEP_PG:
            SAB_TRY(step_pg(it, program, factor, shift, err));
            break;
        case SAB_STEP_ANDERSON:
            SAB_TRY(step_anderson(it, program, factor, shift, steps, err));
            break;
        case SAB_STEP_APGD:
        case SAB_STEP_ASPG:
            SAB_TRY(step_nesterov(it, program, factor, kind == SAB_STEP_ASPG, shift, err));
            break;
        }
        const double before = sab_cpu_seconds();
        const double natural =
            sab_residual_natural(program, shift, it->lambda, it->gamma, it->work, NULL);
        if (natural < best || best == INFINITY) {
            best = natural;
            memcpy(lambda, it->lambda, it->rows * sizeof *lambda);
        }
        it->cone_cpu += sab_cpu_seconds() - before;
    } while (best > target && *steps < last);
cleanup:
    return status;
}
