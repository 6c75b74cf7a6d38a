/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "flow/pace.h"

#include <math.h>

int sab_pace_levels(double longest, double shortest)
{
    int levels = 0;

    while (levels < SAB_PACE_LEVELS && ldexp(longest, -levels - 1) >= shortest * (1.0 - 1e-9))
        levels++;
    return levels;
}

int sab_pace_next(int levels, int level, double at, double courant, double limit)
{
    int wanted = 0;

    while (wanted < levels && ldexp(courant, -wanted) > limit)
        wanted++;
    if (wanted >= level)
        return wanted;
    const double begins = ldexp(at, level - 1);
    return begins == floor(begins) ? level - 1 : level;
}
