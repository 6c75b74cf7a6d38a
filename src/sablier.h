/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sablier.h -- dense granular flow without regularisation, as a library.
 *
 *     sablier_run_create     a case, meshed and assembled
 *     sablier_run_step       while sablier_run_goes_on: one time step; a creeping flow has one
 *     sablier_run_finish     what came out, its warnings, and the files if there is a directory
 *     sablier_run_destroy
 *
 * This header stands alone. Types are opaque or plain; what a function returns by pointer is
 * borrowed from the run, until its next step or its end. Nothing is printed and nothing exits, with
 * one exception: a .geo that says Exit ends the process, inside Gmsh. Gmsh has one session per
 * process, so runs are not to be created in two threads at a time. Keys of a case, files and their
 * columns are described in docs/keys.md and docs/reference/files.md. */
#ifndef SABLIER_H
#define SABLIER_H

#define SABLIER_VERSION_MAJOR 0
#define SABLIER_VERSION_MINOR 1
#define SABLIER_VERSION_PATCH 0
#define SABLIER_VERSION "0.1.0"

#if defined(__GNUC__)
#define SABLIER_API __attribute__((visibility("default")))
#else
#define SABLIER_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The exit codes of the program. */
typedef enum sablier_status {
    SABLIER_OK = 0,
    SABLIER_ERR_USAGE = 2,   /* such as a result that is already in the directory */
    SABLIER_ERR_INPUT = 3,   /* bad case or mesh */
    SABLIER_ERR_OTHER = 4,   /* memory, disk, singular matrix */
    SABLIER_INTERRUPTED = 75 /* a callback said so */
} sablier_status;

typedef struct sablier_error {
    sablier_status status;
    char message[2000]; /* a sentence with file, line and key, where there are some */
} sablier_error;

typedef struct sablier_run sablier_run;

/* Start with {0}; strings are copied, or used during the call only. */
typedef struct sablier_options {
    int noverrides;
    const char *const *override; /* [noverrides] "material.friction=0.4" */
    const char *directory;       /* of the result; NULL: no files */
    int resume, force;           /* go on from the checkpoint there; replace a result */
    int threads;                 /* of all runs of the process; 0: leave it as it is */
    void *data;                  /* of the callbacks, each of which may be NULL */
    int (*iteration)(void *data, int outer, double gap); /* of the solver; 0: stop */
    void (*warning)(void *data, const char *sentence);
} sablier_options;

/* The version of the library, to compare with SABLIER_VERSION of the header. */
SABLIER_API const char *sablier_version(void);

/* `path`: a directory with case.yaml, or such a file. options and err may be NULL, here and below.
 * The caller owns *run; it is NULL on failure. */
SABLIER_API sablier_status sablier_run_create(const char *path, const sablier_options *options,
                                              sablier_run **run, sablier_error *err);
/* Sets *run to NULL; nothing to do if it is. */
SABLIER_API void sablier_run_destroy(sablier_run **run);
/* Is there a step to take? */
SABLIER_API int sablier_run_goes_on(const sablier_run *run);
/* SABLIER_INTERRUPTED leaves the run as it was before the step. */
SABLIER_API sablier_status sablier_run_step(sablier_run *run, sablier_error *err);
/* With a directory: after it there is a whole result. */
SABLIER_API sablier_status sablier_run_finish(sablier_run *run, sablier_error *err);

/* Did every step so far meet its tolerance, and are the energies in order? Ask it: not converging
 * is no error. */
SABLIER_API int sablier_run_is_good(const sablier_run *run);
/* "converged", "steady", "finished", "not_converged", "infeasible", "unstable"; before
 * sablier_run_finish "". */
SABLIER_API const char *sablier_run_status(const sablier_run *run);
SABLIER_API int sablier_run_steps(const sablier_run *run); /* done */
SABLIER_API double sablier_run_time(const sablier_run *run);
SABLIER_API double sablier_run_end_time(const sablier_run *run); /* time.end; 0 if creeping */
/* The warnings so far that are kept, 16 at most. NULL if there is no i-th. */
SABLIER_API int sablier_run_warnings(const sablier_run *run);
SABLIER_API const char *sablier_run_warning(const sablier_run *run, int i);

/* The probes of the case, in its order; an index that is out of range gives -1, 0 or NULL. Values
 * are those of the last step: [samples][components], one sample unless it is a profile. */
SABLIER_API int sablier_probes(const sablier_run *run);
SABLIER_API int sablier_probe_find(const sablier_run *run, const char *name);
SABLIER_API const char *sablier_probe_name(const sablier_run *run, int probe);
SABLIER_API int sablier_probe_samples(const sablier_run *run, int probe);
SABLIER_API int sablier_probe_components(const sablier_run *run, int probe);
SABLIER_API const double *sablier_probe_values(const sablier_run *run, int probe);

/* The table of all steps, history.csv in full: a creeping flow has all columns too. */
SABLIER_API int sablier_history_rows(const sablier_run *run);
SABLIER_API int sablier_history_columns(const sablier_run *run);
SABLIER_API const double *sablier_history(const sablier_run *run); /* [rows][columns] */
/* Name of a column: fixed ones, then a column for each component of each probe that is no profile.
 * Borrowed until the next call; NULL if there is no such column. */
SABLIER_API const char *sablier_history_name(sablier_run *run, int column);

/* The mesh, and the velocity at its nodes. */
SABLIER_API int sablier_dimension(const sablier_run *run);
SABLIER_API int sablier_nodes(const sablier_run *run);
SABLIER_API const double *sablier_node_positions(const sablier_run *run); /* [nodes][dimension] */
SABLIER_API const double *sablier_velocity(const sablier_run *run);       /* [nodes][dimension] */

#ifdef __cplusplus
}
#endif

#endif
