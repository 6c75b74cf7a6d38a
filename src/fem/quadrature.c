#include "fem/quadrature.h"

/* Symmetric rules of Strang-Fix (degree 2) and Dunavant (degrees 4 and 6); tests/fem check them on
 * all monomials. */
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
const sab_quadrature sab_triangle_degree4 = {6, 4, degree4_xi, degree4_weight};

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
const sab_quadrature sab_triangle_degree6 = {12, 6, degree6_xi, degree6_weight};

/* Gauss-Legendre, four points. */
#define P7 0.43056815579702628761 /* half of 0.8611363115940525752 */
#define Q7 0.16999052179242813368 /* half of 0.3399810435848562648 */
#define WP7 0.17392742256872692869
#define WQ7 0.32607257743127307131
static const double line_xi[4][SAB_DIM] = {
    {0.5 - P7, 0}, {0.5 - Q7, 0}, {0.5 + Q7, 0}, {0.5 + P7, 0}};
static const double line_weight[4] = {WP7, WQ7, WQ7, WP7};
const sab_quadrature sab_line_degree7 = {4, 7, line_xi, line_weight};
