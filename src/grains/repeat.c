/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "grains/repeat.h"

#include "base/memory.h"

#include <math.h>

static const char AXIS[] = "xyz";

static int corners_of(const sab_grain_wall *w)
{
    return w->kind == SAB_GRAIN_WALL_FACET ? w->dim : 1;
}

sab_status sab_wall_fits(const sab_box *box, const sab_grain_wall *w, sab_error *err)
{
    for (int k = 0; k < w->dim; k++) {
        double low = w->corner[0][k], high = low;

        if (!(box->length[k] > 0.0))
            continue;
        if (w->kind == SAB_GRAIN_WALL_PLANE && w->normal[k] != 0.0)
            return sab_fail(
                err, SAB_ERR_INPUT,
                "walls: a plane with a normal along %c would be there once in a room that "
                "repeats itself along %c; use a segment or group",
                AXIS[k], AXIS[k]);
        for (int c = 1; c < corners_of(w); c++) {
            low = fmin(low, w->corner[c][k]);
            high = fmax(high, w->corner[c][k]);
        }
        if (high - low > box->length[k] * (1.0 + 1e-12))
            return sab_fail(
                err, SAB_ERR_INPUT,
                "walls: a wall is %g long along %c, more than the length %g after which the "
                "room repeats itself",
                high - low, AXIS[k], box->length[k]);
    }
    return SAB_OK;
}

void sab_wall_take_back(const sab_box *box, sab_grain_wall *w)
{
    const int corners = corners_of(w);

    for (int k = 0; k < w->dim && w->kind != SAB_GRAIN_WALL_PLANE; k++) {
        const double length = box->length[k];
        double middle = 0.0;

        if (!(length > 0.0))
            continue;
        for (int c = 0; c < corners; c++)
            middle += w->corner[c][k] / corners;
        const double lengths = w->image[k] - floor((middle - box->low[k]) / length);
        for (int c = 0; c < corners && lengths != 0.0; c++)
            w->corner[c][k] += length * lengths;
    }
}

sab_status sab_walls_repeat(const sab_box *box, int n, const sab_grain_wall *wall, int *copies,
                            sab_grain_wall **copy, sab_error *err)
{
    int each = 1, reach[3];
    sab_status status = SAB_OK;

    *copies = 0;
    for (int k = 0; k < 3; k++) {
        reach[k] = box->length[k] > 0.0;
        each *= 2 * reach[k] + 1;
    }
    SAB_NEW(*copy, n * each + 1);
    for (int w = 0; w < n; w++) {
        const bool once = wall[w].kind == SAB_GRAIN_WALL_PLANE;

        SAB_TRY(sab_wall_fits(box, &wall[w], err));
        for (int e = 0; e < (once ? 1 : each); e++) {
            sab_grain_wall *to = &(*copy)[(*copies)++];
            int rest = e;

            *to = wall[w];
            for (int k = 0; k < 3 && !once; k++) { /* 0, 1, -1 */
                const int many = 2 * reach[k] + 1, at = rest % many;

                to->image[k] = at == 2 ? -1 : at;
                rest /= many;
            }
            sab_wall_take_back(box, to);
        }
    }
cleanup:
    return status;
}
