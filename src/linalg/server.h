/* SPDX-License-Identifier: GPL-3.0-or-later */
/* linalg/server.h -- one solve on several processes (MPI, built with -Dmpi=true).
 *
 * Process 0 is the program; the others do nothing but serve MUMPS and the multigrid of process 0,
 * which share a factorisation, or a solve, out among all of them. They hold no mesh, write no file
 * and heed no signal: what a run is, its checkpoints and its exit code are those of process 0, on
 * any number of processes. Without MPI, or where no launcher (mpirun, srun) has started us, there
 * is one process and all of this does nothing. */
#ifndef SAB_LINALG_SERVER_H
#define SAB_LINALG_SERVER_H

#include <stdbool.h>
#include <stddef.h>

/* First in main. True in a process that has served until the program ended: main returns 0. */
bool sab_server_start(void);
/* Let the others go and leave MPI, if there are any. exit() does it; _exit and exec need it
 * before. */
void sab_server_stop(void);
/* How many processes work on a factorisation: 1 unless sab_server_start found more. */
int sab_server_processes(void);
/* CPU seconds of the other processes so far: the sum, and that of the busiest. */
double sab_server_cpu(double *most);
/* In a child, before exec: it must not take itself for the process that was launched. */
void sab_server_disown(void);

/* ---- for backend_mumps.c and backend_petsc.c ---- */

/* The communicator of both, as Fortran knows it: all processes, or this one alone. */
int sab_server_communicator(void);
/* Process 0 is about to call MUMPS: the others are to do the same job on their part. Of multigrid:
 * SAB_SERVE_AMG, number of the factor, job. */
void sab_server_tell(int slot, int job, int symmetry);
#define SAB_SERVE_AMG (-3)
/* In the midst of a job, on all processes: what process 0 has in `data` becomes that of all. */
void sab_server_share(void *data, size_t size);

#endif
