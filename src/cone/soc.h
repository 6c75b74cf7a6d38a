/* cone/soc.h -- the second-order cone K = { x_0 >= |x_1| } on s-vectors, for the interior point.
 *
 * Jordan product x o y = (x.y ; x_0 y_1 + y_0 x_1), unit e = (1 ; 0), det x = x_0^2 - |x_1|^2.
 * Nesterov-Todd scaling of g and z inside K: the Theta with Theta g = z,
 *     Theta = t (2 w w^T - J),  t = (det z / det g)^(1/2),  det w = 1,      [docs/theory.md, 6]
 * J = diag(1, -1, ..., -1). In all functions input and output may be the same array. */
#ifndef SAB_CONE_SOC_H
#define SAB_CONE_SOC_H

enum { SAB_SOC_MAX = 6 };

typedef struct sab_nt {
    double t;              /* > 0 */
    double w[SAB_SOC_MAX]; /* det w = 1 */
} sab_nt;

double sab_soc_det(int s, const double *x);
/* Theta for g, z inside K. */
void sab_nt_create(int s, const double *g, const double *z, sab_nt *nt);
/* y = Theta x */
void sab_nt_apply(int s, const sab_nt *nt, const double *x, double *y);
/* y = Theta^(1/2) x, or Theta^(-1/2) x */
void sab_nt_apply_half(int s, const sab_nt *nt, const double *x, double *y);
void sab_nt_apply_inverse_half(int s, const sab_nt *nt, const double *x, double *y);
/* x o y */
void sab_soc_product(int s, const double *x, const double *y, double *out);
/* The v with x o v = y, x inside K. */
void sab_soc_divide(int s, const double *x, const double *y, double *out);
/* Largest a <= limit with x + a dx in K, x inside K. */
double sab_soc_step(int s, const double *x, const double *dx, double limit);

/* G = E_a Theta E_mu + c e e^T + delta I, E_a = diag(a, 1, ..., 1), eliminated in closed form
 * without cancellation: a numerical inverse loses everything near the boundary of the cone. */
typedef struct sab_nt_block {
    double mu, a, delta;
    double direct, k, y; /* 1/(t + delta); of G_TT along w_1; G_TT^-1 (2 t w_0 w_1) = y w_1 */
    double complement;   /* of Theta_NN in Theta + delta I_T */
    double pivot;        /* of G_NN in G */
} sab_nt_block;

void sab_nt_condense(int s, const sab_nt *nt, double mu, double a, double c, double delta,
                     sab_nt_block *block);
/* G^-1, row-major s x s. */
void sab_nt_block_inverse(int s, const sab_nt *nt, const sab_nt_block *block, double *inverse);
/* x = G^-1 b and, unless it is NULL, z = Theta E_mu x. Not the same as products with the matrices:
 * where g and z are near the boundary their entries are large, and the parts of x and z across it
 * would be rounding errors. z may be b, not x. */
void sab_nt_block_solve(int s, const sab_nt *nt, const sab_nt_block *block, const double *b,
                        double *x, double *z);

#endif
