/* SPDX-License-Identifier: GPL-3.0-or-later */
/* linalg/spread.h -- unknowns in groups, spread over processes: each process has a share of every
 * group, and its rows one after the other, group by group.
 *
 * Along the numbering of a mesh the shares of two groups are about the same nodes, so that few
 * entries couple processes; and each cycle of a group finds all processes at work. */
#ifndef SAB_LINALG_SPREAD_H
#define SAB_LINALG_SPREAD_H

#include <stdint.h>

enum { SAB_SPREAD_GROUPS = 4 };

typedef struct sab_spread {
    int processes;
    int64_t count[SAB_SPREAD_GROUPS]; /* unknowns in each group */
} sab_spread;

/* Count them: unknown i is in group[i]; no group, NULL, is 1 for all. */
sab_spread sab_spread_count(int64_t n, const int *group, int processes);
/* How many of a group are on a process, and in which row they begin. */
int64_t sab_spread_size(const sab_spread *s, int group, int process);
int64_t sab_spread_first(const sab_spread *s, int group, int process);
/* place[i]: the row of unknown i. On one process and without groups the unknowns stay in place. */
void sab_spread_place(const sab_spread *s, int64_t n, const int *group, int64_t *place);

#endif
