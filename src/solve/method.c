/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solve/method.h"

#include <math.h>

#define FIRST_ORDER SAB_FAMILY_FIRST_ORDER
#define INTERIOR_POINT SAB_FAMILY_INTERIOR_POINT

const sab_method_entry sab_method_table[SAB_METHOD_COUNT] = {
    [SAB_METHOD_AUTO] = {"auto", "the interior point that fits; others where it jams",
                         .memory = true},
    [SAB_METHOD_PG] = {"pg", "projected gradient", FIRST_ORDER, SAB_STEP_PG},
    [SAB_METHOD_PG_AA] = {"pg-aa", "projected gradient with safeguarded Anderson acceleration",
                          FIRST_ORDER, SAB_STEP_ANDERSON, .memory = true},
    [SAB_METHOD_APGD] = {"apgd", "projected gradient with Nesterov acceleration and restart",
                         FIRST_ORDER, SAB_STEP_APGD},
    [SAB_METHOD_ASPG] = {"aspg", "Nesterov acceleration with Barzilai-Borwein steps", FIRST_ORDER,
                         SAB_STEP_ASPG},
    [SAB_METHOD_CADOUX_PG] = {"cadoux-pg", "convex programs with a damped shift, each by pg",
                              FIRST_ORDER, SAB_STEP_PG, .cadoux = true},
    [SAB_METHOD_CADOUX_APGD] = {"cadoux-apgd", "convex programs with a damped shift, each by apgd",
                                FIRST_ORDER, SAB_STEP_APGD, .cadoux = true},
    [SAB_METHOD_CADOUX_ASPG] = {"cadoux-aspg", "convex programs with a damped shift, each by aspg",
                                FIRST_ORDER, SAB_STEP_ASPG, .cadoux = true},
    [SAB_METHOD_DR] = {"dr", "Douglas-Rachford (ADMM) with the non-associated return map",
                       FIRST_ORDER, SAB_STEP_DR, .split = true},
    [SAB_METHOD_DR_AA] = {"dr-aa", "Douglas-Rachford with safeguarded Anderson acceleration",
                          FIRST_ORDER, SAB_STEP_DR_ANDERSON, .split = true, .memory = true},
    [SAB_METHOD_IPM] = {"ipm", "interior point, shift refreshed at every iteration", INTERIOR_POINT,
                        .exactness = 0.0},
    [SAB_METHOD_IPM_BLEND] = {"ipm-blend", "interior point, mu - zeta exact up to 0.3, rest as ipm",
                              INTERIOR_POINT, .exactness = SAB_UNFOLDED},
    [SAB_METHOD_IPM_EXACT] = {"ipm-exact", "interior point on the non-associated law itself",
                              INTERIOR_POINT, .exactness = INFINITY},
    [SAB_METHOD_GS] = {"gs", "Gauss-Seidel over the contacts of bodies, each solved exactly",
                       SAB_FAMILY_SWEEPS},
    [SAB_METHOD_PDAS] = {"pdas", "active set: plain sweeps over contacts without friction",
                         SAB_FAMILY_SWEEPS, .plain = true},
};
