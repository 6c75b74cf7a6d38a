/* SPDX-License-Identifier: GPL-3.0-or-later */
/* base/timer.h -- CPU and wall seconds since an arbitrary origin. */
#ifndef SAB_BASE_TIMER_H
#define SAB_BASE_TIMER_H

double sab_cpu_seconds(void);
double sab_wall_seconds(void);
/* Largest resident memory of this process so far, in bytes. */
double sab_peak_memory(void);

#endif
