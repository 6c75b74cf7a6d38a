/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cone/contact.h"

#include "cone/soc.h"

#include <string.h>

/* Below this the residual of a contact is rounding; Newton is asked where enumeration left more. */
static const double SOLVED = 1e-12;
enum { NEWTON_STEPS = 30, HALVINGS = 12, BISECTIONS = 80, MAX = SAB_SOC_MAX };

static void respond(int s, const double *W, const double *b, const double *lambda, double *gamma)
{
    for (int i = 0; i < s; i++)
        gamma[i] = b[i] + sab_point_dot(s, W + i * s, lambda);
}

static double stress_per_rate(int s, const double *W)
{
    double trace = 0.0;

    for (int i = 0; i < s; i++)
        trace += W[i * s + i];
    return s / trace;
}

static double residual(int s, double mu, double zeta, const double *W, const double *b,
                       const double *lambda)
{
    const double r = stress_per_rate(s, W), size = sqrt(sab_point_dot(s, b, b));
    double gamma[MAX] = {0}, d[MAX];

    respond(s, W, b, lambda, gamma);
    sab_point_step(s, mu, 0.0, r, (mu - zeta) * sqrt(sab_point_norm2_t(s, gamma)), lambda, gamma,
                   d);
    for (int i = 0; i < s; i++)
        d[i] -= lambda[i];
    return size > 0.0 ? sqrt(sab_point_dot(s, d, d)) / (r * size) : 0.0;
}

/* x = M^-1 f by elimination with pivots; false if M is singular. M and f are overwritten. */
static bool eliminate(int s, double *M, double *f, double *x)
{
    for (int k = 0; k < s; k++) {
        int best = k;

        for (int i = k + 1; i < s; i++)
            if (fabs(M[i * s + k]) > fabs(M[best * s + k]))
                best = i;
        if (!(fabs(M[best * s + k]) > 0.0))
            return false;
        for (int j = 0; best != k && j < s; j++) {
            const double swap = M[k * s + j];
            M[k * s + j] = M[best * s + j];
            M[best * s + j] = swap;
        }
        const double swap = f[k];
        f[k] = f[best];
        f[best] = swap;
        for (int i = k + 1; i < s; i++) {
            const double factor = M[i * s + k] / M[k * s + k];
            for (int j = k; j < s; j++)
                M[i * s + j] -= factor * M[k * s + j];
            f[i] -= factor * f[k];
        }
    }
    for (int k = s; k-- > 0;) {
        x[k] = f[k];
        for (int j = k + 1; j < s; j++)
            x[k] -= M[k * s + j] * x[j];
        x[k] /= M[k * s + k];
    }
    return true;
}

/* A candidate and how good it is. */
typedef struct trial {
    double lambda[MAX], residual;
} trial;

static void keep_better(int s, double mu, double zeta, const double *W, const double *b,
                        const double *lambda, trial *best)
{
    const double r = residual(s, mu, zeta, W, b, lambda);

    if (r < best->residual) {
        best->residual = r;
        memcpy(best->lambda, lambda, (size_t)s * sizeof *lambda);
    }
}

/* y = L_x dx + L_z dz, of columns of matrices [s][s]. */
static void multiply(int s, const double *x, const double *z, const double *dx, const double *dz,
                     double *y)
{
    y[0] = 0.0;
    for (int i = 0; i < s; i++)
        y[0] += x[i] * dx[i * s] + z[i] * dz[i * s];
    for (int i = 1; i < s; i++)
        y[i] = x[i] * dx[0] + x[0] * dx[i * s] + z[i] * dz[0] + z[0] * dz[i * s];
}

/* y <- L_w^-1 y, L_w^-1 as below; false on the boundary, where there is none. */
static bool divide(int s, const double *w, double *y)
{
    const double wt = sqrt(sab_point_norm2_t(s, w)), det = (w[0] - wt) * (w[0] + wt);

    if (!(det > 1e-14 * w[0] * w[0] && w[0] > 0.0))
        return false;
    const double first = (w[0] * y[0] - sab_point_dot_t(s, w, y)) / det;
    for (int i = 1; i < s; i++)
        y[i] = (y[i] - w[i] * first) / w[0];
    y[0] = first;
    return true;
}

/* d phi/d lambda of phi = x + z - (x^2 + z^2)^(1/2), x = (mu lN, lT), z = c (gN + (mu-zeta)|gT|,
 * mu gT): (1 - L_w^-1 L_x) dx + (1 - L_w^-1 L_z) dz, L_w the multiplication with the root w and
 *     L_w^-1 = 1/det [w_N, -w_T'; -w_T, (det + w_T w_T')/w_N],  det = w_N^2 - |w_T|^2. */
static void burmeister_tangent(int s, double mu, double zeta, double c, const double *W,
                               const double *gamma, const double *lambda, double *J)
{
    const double gt = sqrt(sab_point_norm2_t(s, gamma));
    double x[MAX], z[MAX], phi[MAX], w[MAX], dz[MAX * MAX], dx[MAX * MAX] = {0};

    sab_point_fischer_burmeister(s, mu, zeta, c, gamma, lambda, phi);
    x[0] = mu * lambda[0];
    z[0] = c * (gamma[0] + (mu - zeta) * gt);
    for (int i = 1; i < s; i++) {
        x[i] = lambda[i];
        z[i] = c * mu * gamma[i];
    }
    for (int i = 0; i < s; i++) {
        w[i] = x[i] + z[i] - phi[i];
        dx[i * s + i] = i == 0 ? mu : 1.0;
        for (int j = 0; j < s; j++)
            dz[i * s + j] = c * (i == 0 ? 1.0 : mu) * W[i * s + j];
    }
    for (int i = 1; gt > 0.0 && i < s; i++)
        for (int j = 0; j < s; j++)
            dz[j] += c * (mu - zeta) * gamma[i] / gt * W[i * s + j];
    const double size = hypot(x[0], z[0]);

    for (int j = 0; j < s; j++) { /* a column of J at a time */
        double y[MAX];

        multiply(s, x, z, dx + j, dz + j, y);
        if (!divide(s, w, y)) /* an element of the generalised derivative */
            for (int i = 0; i < s; i++)
                y[i] = size > 0.0 ? (x[0] * dx[i * s + j] + z[0] * dz[i * s + j]) / size : 0.0;
        for (int i = 0; i < s; i++)
            J[i * s + j] = dx[i * s + j] + dz[i * s + j] - y[i];
    }
}

double sab_contact_newton(int s, double mu, double zeta, const double *W, const double *b,
                          double *lambda)
{
    const double c = stress_per_rate(s, W);
    double gamma[MAX] = {0}, phi[MAX], J[MAX * MAX], step[MAX], next[MAX];
    trial best = {.residual = residual(s, mu, zeta, W, b, lambda)};

    memcpy(best.lambda, lambda, (size_t)s * sizeof *lambda);
    for (int k = 0; k < NEWTON_STEPS && best.residual > SOLVED; k++) {
        respond(s, W, b, lambda, gamma);
        sab_point_fischer_burmeister(s, mu, zeta, c, gamma, lambda, phi);
        const double before = sab_point_dot(s, phi, phi);
        burmeister_tangent(s, mu, zeta, c, W, gamma, lambda, J);
        if (!eliminate(s, J, phi, step))
            break;
        double length = 1.0, after = INFINITY;
        for (int h = 0; h < HALVINGS; h++, length *= 0.5) {
            for (int i = 0; i < s; i++)
                next[i] = lambda[i] - length * step[i];
            respond(s, W, b, next, gamma);
            sab_point_fischer_burmeister(s, mu, zeta, c, gamma, next, phi);
            after = sab_point_dot(s, phi, phi);
            if (after < before)
                break;
        }
        if (!(after < before))
            break;
        memcpy(lambda, next, (size_t)s * sizeof *lambda);
        sab_point_return_map(s, mu, 0.0, mu, lambda, next); /* admissible */
        keep_better(s, mu, zeta, W, b, next, &best);
    }
    memcpy(lambda, best.lambda, (size_t)s * sizeof *lambda);
    return best.residual;
}

static double polynomial(int degree, const double *c, double x)
{
    double value = 0.0;

    for (int i = degree; i >= 0; i--)
        value = value * x + c[i];
    return value;
}

/* The root between a and b, where the polynomial is monotone and changes its sign. */
static double bracketed_root(int degree, const double *c, double a, double b)
{
    const double fa = polynomial(degree, c, a);
    double x = 0.5 * (a + b);

    for (int i = 0; i < BISECTIONS; i++) {
        double slope = 0.0;
        const double f = polynomial(degree, c, x);

        if (f == 0.0)
            break;
        if ((f > 0.0) == (fa > 0.0))
            a = x;
        else
            b = x;
        for (int k = degree; k > 0; k--)
            slope = slope * x + k * c[k];
        double next = x - f / slope;
        if (!(next > fmin(a, b) && next < fmax(a, b)))
            next = 0.5 * (a + b);
        if (next == x)
            break;
        x = next;
    }
    return x;
}

/* Real roots, and the points where a double root may have hidden from rounding: the extrema.
 * Between the roots of the derivative there is at most one root each. At most 2 degree places. */
static int real_roots(int degree, const double *c, double *root)
{
    double derivative[4], turn[8], bound = 0.0;
    int n = 0, turns;

    while (degree > 0 && fabs(c[degree]) <= 0.0)
        degree--;
    if (degree == 0)
        return 0;
    if (degree == 1) {
        root[0] = -c[0] / c[1];
        return 1;
    }
    for (int i = 0; i < degree; i++) {
        bound = fmax(bound, fabs(c[i] / c[degree]));
        derivative[i] = (i + 1) * c[i + 1];
    }
    bound += 1.0; /* Cauchy's */
    turns = real_roots(degree - 1, derivative, turn);
    for (int i = 1; i < turns; i++) /* rising */
        for (int j = i; j > 0 && turn[j] < turn[j - 1]; j--) {
            const double swap = turn[j];
            turn[j] = turn[j - 1];
            turn[j - 1] = swap;
        }
    double from = -bound;
    for (int i = 0; i <= turns; i++) {
        const double to = i < turns ? fmin(fmax(turn[i], -bound), bound) : bound;

        if ((polynomial(degree, c, from) > 0.0) != (polynomial(degree, c, to) > 0.0))
            root[n++] = bracketed_root(degree, c, from, to);
        from = to;
    }
    if (degree == 4) /* of the quartic: a double root */
        for (int i = 0; i < turns && n < 8; i++)
            root[n++] = turn[i];
    return n;
}

/* Slip along d, lambda_T = -mu lambda_N d: from gamma_N = zeta d.gamma_T
 *     lambda_N = (zeta d.b_T - b_N) / (W_NN - (mu + zeta) w.d + mu zeta d.T d). */
static void try_slip(int s, double mu, double zeta, const double *W, const double *b,
                     const double *d, trial *best)
{
    double lambda[MAX], top = -b[0], bottom = W[0];

    for (int i = 1; i < s; i++) {
        top += zeta * d[i - 1] * b[i];
        bottom -= (mu + zeta) * W[i] * d[i - 1];
        for (int j = 1; j < s; j++)
            bottom += mu * zeta * d[i - 1] * W[i * s + j] * d[j - 1];
    }
    lambda[0] = top / bottom;
    if (!(lambda[0] >= 0.0))
        return;
    for (int i = 1; i < s; i++)
        lambda[i] = -mu * lambda[0] * d[i - 1];
    keep_better(s, mu, zeta, W, b, lambda, best);
}

/* In space gamma_T || d is, with x ^ y = x1 y2 - x2 y1, w = W_TN, T = W_TT,
 *     (d ^ b)(W_NN - (mu + zeta) w.d) + mu zeta (T d ^ b) + (d ^ w)(zeta d.b - b_N)
 *         + mu b_N (d ^ T d) = 0:
 * terms of the third order have cancelled, and what is left of them is linear. With
 * d = (cos, sin) it is a trigonometric polynomial of degree 2, a quartic in the tangent of the half
 * angle, counted from where the polynomial is largest, so that no root is at infinity. */
static double slip_condition(double mu, double zeta, const double *W, const double *b, double angle)
{
    const double d[2] = {cos(angle), sin(angle)}, w[2] = {W[1], W[2]};
    const double Td[2] = {W[4] * d[0] + W[5] * d[1], W[5] * d[0] + W[8] * d[1]};

    return (d[0] * b[2] - d[1] * b[1]) * (W[0] - (mu + zeta) * (w[0] * d[0] + w[1] * d[1])) +
           mu * zeta * (Td[0] * b[2] - Td[1] * b[1]) +
           (d[0] * w[1] - d[1] * w[0]) * (zeta * (d[0] * b[1] + d[1] * b[2]) - b[0]) +
           mu * b[0] * (d[0] * Td[1] - d[1] * Td[0]);
}

static void slip_in_space(double mu, double zeta, const double *W, const double *b, trial *best)
{
    enum { SAMPLES = 8 };
    static const double PI = 3.14159265358979323846;
    double f[SAMPLES], origin = 0.0, c[5], root[8], largest = -1.0;

    for (int i = 0; i < SAMPLES; i++) {
        f[i] = slip_condition(mu, zeta, W, b, 2.0 * PI * i / SAMPLES);
        if (fabs(f[i]) > largest) {
            largest = fabs(f[i]);
            origin = 2.0 * PI * i / SAMPLES - PI; /* where tan = infinity is that sample */
        }
    }
    /* f = a0 + a1 cos + b1 sin + a2 cos 2 + b2 sin 2 of the angle from the origin */
    double a0 = 0.0, a1 = 0.0, b1 = 0.0, a2 = 0.0, b2 = 0.0;
    for (int i = 0; i < SAMPLES; i++) {
        const double x = 2.0 * PI * i / SAMPLES - origin;
        a0 += f[i] / SAMPLES;
        a1 += 2.0 * f[i] * cos(x) / SAMPLES;
        b1 += 2.0 * f[i] * sin(x) / SAMPLES;
        a2 += 2.0 * f[i] * cos(2.0 * x) / SAMPLES;
        b2 += 2.0 * f[i] * sin(2.0 * x) / SAMPLES;
    }
    c[4] = a0 - a1 + a2; /* f (1 + t^2)^2 */
    c[3] = 2.0 * b1 - 4.0 * b2;
    c[2] = 2.0 * a0 - 6.0 * a2;
    c[1] = 2.0 * b1 + 4.0 * b2;
    c[0] = a0 + a1 + a2;
    const int n = real_roots(4, c, root);
    for (int i = 0; i < n; i++) {
        const double angle = origin + 2.0 * atan(root[i]);

        try_slip(3, mu, zeta, W, b, (double[]){cos(angle), sin(angle)}, best);
    }
}

double sab_contact_solve(int s, double mu, double zeta, const double *W, const double *b,
                         double *lambda)
{
    const double size = sqrt(sab_point_dot(s, b, b));
    trial best = {.residual = INFINITY};
    double M[MAX * MAX], f[MAX];

    if (b[0] >= zeta * sqrt(sab_point_norm2_t(s, b)) || !(size > 0.0)) {
        memset(lambda, 0, (size_t)s * sizeof *lambda);
        return 0.0;
    }
    if (mu <= 0.0) {
        sab_point_set(s, -b[0] / W[0], 0.0, b, lambda);
        return 0.0;
    }
    memcpy(M, W, (size_t)(s * s) * sizeof *M);
    for (int i = 0; i < s; i++)
        f[i] = -b[i];
    if (eliminate(s, M, f, best.lambda) && best.lambda[0] >= 0.0 &&
        sab_point_norm2_t(s, best.lambda) <= mu * mu * best.lambda[0] * best.lambda[0]) {
        memcpy(lambda, best.lambda, (size_t)s * sizeof *lambda); /* sticks */
        return residual(s, mu, zeta, W, b, lambda);
    }
    keep_better(s, mu, zeta, W, b, lambda, &best);
    if (s == 2) {
        try_slip(2, mu, zeta, W, b, (double[]){1.0}, &best);
        try_slip(2, mu, zeta, W, b, (double[]){-1.0}, &best);
    } else if (s == 3)
        slip_in_space(mu, zeta, W, b, &best);
    memcpy(lambda, best.lambda, (size_t)s * sizeof *lambda);
    return best.residual > SOLVED ? sab_contact_newton(s, mu, zeta, W, b, lambda) : best.residual;
}
