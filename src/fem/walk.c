/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fem/walk.h"

#include <string.h>

void sab_foot_on_side(const sab_cell *cell, sab_foot *f)
{
    double l[SAB_CORNERS];

    sab_cell_barycentric(cell->facet, f->at, l);
    memset(f->xi, 0, sizeof f->xi);
    for (int i = 0; i < cell->facet->corners; i++)
        if (cell->side[f->side][i] > 0) /* corner 0 is the origin, corner i is 1 on axis i - 1 */
            f->xi[cell->side[f->side][i] - 1] = l[i];
}

int sab_walk_opposite(const sab_cell *cell, int i)
{
    int s = 0;

    for (int k = 0; k < cell->facet->corners;)
        if (cell->side[s][k++] == i) {
            s++;
            k = 0;
        }
    return s;
}
