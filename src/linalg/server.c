/* SPDX-License-Identifier: GPL-3.0-or-later */
/* server.c -- the only file that knows MPI.
 *
 * A message is three integers: number of a factor, job of MUMPS, symmetry; a negative number is a
 * word of our own, that of multigrid with the number of a factor and its job. MUMPS takes matrix
 * and right-hand side from process 0 and leaves the solution there, multigrid shares them out by
 * PETSc, so nothing else is sent. */
#define _GNU_SOURCE /* environ */
#include "linalg/server.h"

#ifdef SAB_MPI
#include "base/timer.h"
#include "linalg/backend.h"

#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LEAVE = -1, TELL_CPU = -2 }; /* and SAB_SERVE_AMG */
enum { TAG = 7, PARTS = 3 };

static pid_t owner; /* the process that started MPI and is to end it; 0: none */
static bool shared; /* started by sab_server_start: MUMPS works on all processes */
static int processes = 1, rank;

/* A launcher tells the processes that it starts what they are. Without one MPI is left alone: it
 * takes half a second to begin with, and more where it cannot. */
static bool launched(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE",
                                        "MV2_COMM_WORLD_SIZE"};
    const char *tasks = getenv("SLURM_STEP_NUM_TASKS"); /* of srun, whichever --mpi it was given */

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (getenv(names[i]) != NULL)
            return true;
    return tasks != NULL && strtol(tasks, NULL, 10) > 1;
}

static void on_exit_of_owner(void)
{
    sab_server_stop();
}

static void start_mpi(void)
{
    int started = 0, level;

    MPI_Initialized(&started);
    if (started)
        return;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    owner = getpid();
    atexit(on_exit_of_owner); /* MPI cannot be started again: it ends with the program */
}

/* Wait without using the processor: whole steps may pass between two factorisations. */
static void receive(int message[PARTS])
{
    const struct timespec pause = {0, 200000};
    int there = 0;

    while (MPI_Iprobe(0, TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE), !there)
        nanosleep(&pause, NULL);
    MPI_Recv(message, PARTS, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void serve(void)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGUSR1, SIGUSR2};
    int message[PARTS];

    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        signal(ignored[i], SIG_IGN);
    for (receive(message); message[0] != LEAVE; receive(message)) {
        if (message[0] == TELL_CPU) {
            double cpu = sab_cpu_seconds();

            MPI_Reduce(&cpu, NULL, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
            MPI_Reduce(&cpu, NULL, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        } else if (!(message[0] == SAB_SERVE_AMG
                         ? sab_amg_serve(message[1], message[2])
                         : sab_mumps_serve(message[0], message[1], message[2]))) {
            MPI_Abort(MPI_COMM_WORLD, 4); /* no memory: process 0 would wait for ever */
        }
    }
}

bool sab_server_start(void)
{
    if (!launched())
        return false;
    start_mpi();
    shared = true;
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank > 0)
        serve();
    return rank > 0;
}

/* Not in a child of fork that ends by exit: a reader of meshes whose .geo says Exit does. */
void sab_server_stop(void)
{
    if (owner == 0 || getpid() != owner)
        return;
    sab_server_tell(LEAVE, 0, 0);
    owner = 0;
    MPI_Finalize();
}

int sab_server_processes(void)
{
    return processes;
}

double sab_server_cpu(double *most)
{
    double none = 0.0, sum = 0.0;

    *most = 0.0;
    if (processes == 1)
        return 0.0;
    sab_server_tell(TELL_CPU, 0, 0);
    MPI_Reduce(&none, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&none, most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return sum;
}

void sab_server_disown(void)
{
    static const char *const prefixes[] = {"OMPI_", "PMIX_", "PMI_", "MV2_", "SLURM_STEP"};
    char name[256];

    for (char **e = environ; e != NULL && *e != NULL;) {
        const size_t length = strcspn(*e, "=");
        bool drop = false;

        for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
            drop = drop || strncmp(*e, prefixes[i], strlen(prefixes[i])) == 0;
        if (drop && length < sizeof name) {
            memcpy(name, *e, length);
            name[length] = '\0';
            unsetenv(name); /* moves the rest up */
        } else {
            e++;
        }
    }
}

/* A program that uses libsablier, and was launched with others, is not served. */
int sab_server_communicator(void)
{
    start_mpi();
    return (int)MPI_Comm_c2f(shared ? MPI_COMM_WORLD : MPI_COMM_SELF);
}

void sab_server_share(void *data, size_t size)
{
    if (processes > 1)
        MPI_Bcast(data, (int)size, MPI_BYTE, 0, MPI_COMM_WORLD);
}

void sab_server_tell(int slot, int job, int symmetry)
{
    const int message[PARTS] = {slot, job, symmetry};

    for (int to = 1; rank == 0 && to < processes; to++)
        MPI_Send(message, PARTS, MPI_INT, to, TAG, MPI_COMM_WORLD);
}

#else

bool sab_server_start(void)
{
    return false;
}

void sab_server_stop(void)
{
}

int sab_server_processes(void)
{
    return 1;
}

double sab_server_cpu(double *most)
{
    *most = 0.0;
    return 0.0;
}

void sab_server_disown(void)
{
}

int sab_server_communicator(void)
{
    return -987654; /* MPI_COMM_WORLD, as the MPI that comes with sequential MUMPS knows it */
}

void sab_server_share(void *data, size_t size)
{
    (void)data;
    (void)size;
}

void sab_server_tell(int slot, int job, int symmetry)
{
    (void)slot;
    (void)job;
    (void)symmetry;
}

#endif
