/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fem/quadrature.h"

#include <stddef.h>

/* Symmetric rules of Strang-Fix (degree 2), Dunavant (triangle, degrees 4, 6 and 8), Walkington and
 * Keast (tetrahedron, degrees 5 and 6); tests/fem check them on all monomials. */
static const double law_xi[3][SAB_DIM] = {
    {1.0 / 6, 1.0 / 6}, {2.0 / 3, 1.0 / 6}, {1.0 / 6, 2.0 / 3}};
static const double law_weight[3] = {1.0 / 6, 1.0 / 6, 1.0 / 6};
const sab_quadrature sab_triangle_law = {3, 2, law_xi, law_weight};

#define A4 0.44594849091596488632
#define B4 0.09157621350977074346
#define WA4 (0.5 * 0.22338158967801146570)
#define WB4 (0.5 * 0.10995174365532186764)
static const double degree4_xi[6][SAB_DIM] = {{A4, A4}, {1 - 2 * A4, A4}, {A4, 1 - 2 * A4},
                                              {B4, B4}, {1 - 2 * B4, B4}, {B4, 1 - 2 * B4}};
static const double degree4_weight[6] = {WA4, WA4, WA4, WB4, WB4, WB4};
static const sab_quadrature triangle_degree4 = {6, 4, degree4_xi, degree4_weight};

#define A6 0.24928674517091042129
#define B6 0.06308901449150222834
#define C6 0.05314504984481694735
#define D6 0.31035245103378440542
#define WA6 (0.5 * 0.11678627572637936603)
#define WB6 (0.5 * 0.05084490637020681692)
#define WC6 (0.5 * 0.08285107561837357519)
static const double degree6_xi[12][SAB_DIM] = {
    {A6, A6},          {1 - 2 * A6, A6},  {A6, 1 - 2 * A6},  {B6, B6},
    {1 - 2 * B6, B6},  {B6, 1 - 2 * B6},  {C6, D6},          {D6, C6},
    {C6, 1 - C6 - D6}, {1 - C6 - D6, C6}, {D6, 1 - C6 - D6}, {1 - C6 - D6, D6}};
static const double degree6_weight[12] = {WA6, WA6, WA6, WB6, WB6, WB6,
                                          WC6, WC6, WC6, WC6, WC6, WC6};
static const sab_quadrature triangle_degree6 = {12, 6, degree6_xi, degree6_weight};

/* Gauss-Legendre, four points. */
#define P7 0.43056815579702628761 /* half of 0.8611363115940525752 */
#define Q7 0.16999052179242813368 /* half of 0.3399810435848562648 */
#define WP7 0.17392742256872692869
#define WQ7 0.32607257743127307131
static const double line_xi[4][SAB_DIM] = {
    {0.5 - P7, 0}, {0.5 - Q7, 0}, {0.5 + Q7, 0}, {0.5 + P7, 0}};
static const double line_weight[4] = {WP7, WQ7, WQ7, WP7};
const sab_quadrature sab_line_degree7 = {4, 7, line_xi, line_weight};

#define A8 0.45929258829272315603
#define B8 0.17056930775176020663
#define C8 0.05054722831703097546
#define D8 0.00839477740995760534
#define E8 0.26311282963463811342
#define WZ8 (0.5 * 0.14431560767778716825)
#define WA8 (0.5 * 0.09509163426728462479)
#define WB8 (0.5 * 0.10321737053471825028)
#define WC8 (0.5 * 0.03245849762319808031)
#define WD8 (0.5 * 0.02723031417443499426)
static const double degree8_xi[16][SAB_DIM] = {
    {1.0 / 3, 1.0 / 3}, {A8, A8},          {1 - 2 * A8, A8},  {A8, 1 - 2 * A8},
    {B8, B8},           {1 - 2 * B8, B8},  {B8, 1 - 2 * B8},  {C8, C8},
    {1 - 2 * C8, C8},   {C8, 1 - 2 * C8},  {D8, E8},          {E8, D8},
    {D8, 1 - D8 - E8},  {1 - D8 - E8, D8}, {E8, 1 - D8 - E8}, {1 - D8 - E8, E8}};
static const double degree8_weight[16] = {WZ8, WA8, WA8, WA8, WB8, WB8, WB8, WC8,
                                          WC8, WC8, WD8, WD8, WD8, WD8, WD8, WD8};
static const sab_quadrature triangle_degree8 = {16, 8, degree8_xi, degree8_weight};

/* (5 + 3 sqrt 5)/20 at corner q, (5 - sqrt 5)/20 at the others. */
#define AT 0.58541019662496845446
#define BT 0.13819660112501051518
static const double tetra_law_xi[4][SAB_DIM] = {
    {BT, BT, BT}, {AT, BT, BT}, {BT, AT, BT}, {BT, BT, AT}};
static const double tetra_law_weight[4] = {1.0 / 24, 1.0 / 24, 1.0 / 24, 1.0 / 24};
const sab_quadrature sab_tetrahedron_law = {4, 2, tetra_law_xi, tetra_law_weight};

/* All places of an orbit: (a, a, a, b), (a, a, b, b), (a, a, b, c). */
#define ORBIT31(a)                                                                                 \
    {a, a, a}, {1 - 3 * (a), a, a}, {a, 1 - 3 * (a), a},                                           \
    {                                                                                              \
        a, a, 1 - 3 * (a)                                                                          \
    }
#define ORBIT22(a, b)                                                                              \
    {a, a, b}, {a, b, a}, {b, a, a}, {b, b, a}, {b, a, b},                                         \
    {                                                                                              \
        a, b, b                                                                                    \
    }
#define ORBIT211(a, b, c)                                                                          \
    {a, a, b}, {a, b, a}, {b, a, a}, {a, a, c}, {a, c, a}, {c, a, a}, {a, b, c}, {a, c, b},        \
        {b, a, c}, {c, a, b}, {b, c, a},                                                           \
    {                                                                                              \
        c, b, a                                                                                    \
    }
#define TWICE(w) w, w
#define FOUR(w) TWICE(w), TWICE(w)

#define AT5 0.31088591926330060980
#define BT5 0.09273525031089122640
#define CT5 0.04550370412564964949
#define WAT5 (0.11268792571801585080 / 6)
#define WBT5 (0.07349304311636194954 / 6)
#define WCT5 (0.04254602077708146644 / 6)
static const double tetra5_xi[14][SAB_DIM] = {ORBIT31(AT5), ORBIT31(BT5), ORBIT22(CT5, 0.5 - CT5)};
static const double tetra5_weight[14] = {FOUR(WAT5), FOUR(WBT5), FOUR(WCT5), TWICE(WCT5)};
static const sab_quadrature tetrahedron_degree5 = {14, 5, tetra5_xi, tetra5_weight};

#define AT6 0.21460287125915202929
#define BT6 0.04067395853461135311
#define CT6 0.32233789014227551034
#define DT6 0.06366100187501752529
#define ET6 0.26967233145831580803
#define WAT6 (0.03992275025816749209 / 6)
#define WBT6 (0.01007721105532064294 / 6)
#define WCT6 (0.05535718154365472209 / 6)
#define WDT6 (27.0 / 560 / 6)
static const double tetra6_xi[24][SAB_DIM] = {ORBIT31(AT6), ORBIT31(BT6), ORBIT31(CT6),
                                              ORBIT211(DT6, ET6, 1 - 2 * DT6 - ET6)};
static const double tetra6_weight[24] = {FOUR(WAT6), FOUR(WBT6), FOUR(WCT6),
                                         FOUR(WDT6), FOUR(WDT6), FOUR(WDT6)};
static const sab_quadrature tetrahedron_degree6 = {24, 6, tetra6_xi, tetra6_weight};

/* By cells, in order of their degrees. */
static const struct {
    const sab_cell *cell;
    const sab_quadrature *rule;
} rules[] = {
    {&sab_cell_line, &sab_line_degree7},           {&sab_cell_triangle, &triangle_degree4},
    {&sab_cell_triangle, &triangle_degree6},       {&sab_cell_triangle, &triangle_degree8},
    {&sab_cell_tetrahedron, &tetrahedron_degree5}, {&sab_cell_tetrahedron, &tetrahedron_degree6},
};

const sab_quadrature *sab_rule(const sab_cell *cell, int degree)
{
    const sab_quadrature *best = NULL;

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].cell == cell && (best == NULL || best->degree < degree))
            best = rules[i].rule;
    return best;
}

const sab_quadrature *sab_side_rule(const sab_cell *cell)
{
    return sab_rule(cell->facet, 6);
}
