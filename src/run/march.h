/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/march.h -- steps in time, their history, and when the motion is steady. A creeping flow has
 * one step.
 *
 * What takes the steps is a body: it has a state, a step and a report, and the march knows nothing
 * else of it. run/march_flow.h makes one of a flow.
 *
 * A march is a value: with the same state it goes on the same way, bit for bit. Its state is that
 * of the body and the table of all steps so far; results are means over the last window of it. */
#ifndef SAB_RUN_MARCH_H
#define SAB_RUN_MARCH_H

#include "flow/flow.h"
#include "flow/probes.h"
#include "flow/volume.h"

typedef struct sab_march_options {
    double end;     /* time at which the run ends */
    double steady;  /* relative change of a probe's mean between two windows; 0: run to the end */
    double window;  /* length of a window, units of time */
    int probe;      /* the probe watched, -1: none; it must have one number */
    int max_missed; /* steps that may miss their tolerance before the run is given up */
} sab_march_options;

/* Columns of the history before those of the probes (one per component of each probe that is not
 * a profile, in order). Nothing in it depends on the machine's speed. */
typedef enum sab_history_column {
    SAB_HISTORY_STEP,
    SAB_HISTORY_TIME,
    SAB_HISTORY_OUTER, /* this and the next three: counts of sab_work_table, all attempts */
    SAB_HISTORY_INNER,
    SAB_HISTORY_FACTORISATIONS,
    SAB_HISTORY_SOLVES,
    SAB_HISTORY_GAP,
    SAB_HISTORY_GAP_RATE, /* G D/S */
    SAB_HISTORY_COMPACTION,
    SAB_HISTORY_RATE, /* residual of mu(I) or the viscosity formula */
    SAB_HISTORY_NATURAL,
    SAB_HISTORY_MOMENTUM,
    SAB_HISTORY_RETRIES, /* attempts beyond the first: cold starts and smaller steps */
    SAB_HISTORY_MISSED,  /* sab_miss: what did not meet its tolerance, 0 if all did */
    SAB_HISTORY_UNSOUND, /* 1 if its excess of energy is too large, 2 if the run is unstable */
    SAB_HISTORY_LENGTH,  /* of the step, units of time */
    SAB_HISTORY_COURANT, /* largest |v| length/h of grains whose surface moves; else 0 */
    SAB_HISTORY_OUTFLOW, /* this and the next four: sab_volume */
    SAB_HISTORY_NET,
    SAB_HISTORY_PARTING,
    SAB_HISTORY_BARRIER,
    SAB_HISTORY_COMPACTED,
    SAB_HISTORY_LEDGER, /* the entries of a sab_ledger, in its order */
    SAB_HISTORY_FIXED = SAB_HISTORY_LEDGER + SAB_LEDGER_ENTRIES
} sab_history_column;
extern const char *const sab_history_name[SAB_HISTORY_FIXED]; /* "step", "time", ... */

typedef enum sab_march_end {
    SAB_MARCH_GOES_ON,
    SAB_MARCH_STEADY,
    SAB_MARCH_FINISHED,   /* end reached */
    SAB_MARCH_GIVEN_UP,   /* too many steps missed their tolerance */
    SAB_MARCH_INFEASIBLE, /* no motion of the last step is admissible */
    SAB_MARCH_UNSTABLE    /* energy grows by more than the work done, or is not finite */
} sab_march_end;

struct sab_march;

/* What a march steps. */
typedef struct sab_march_body {
    void *data;
    double step; /* its length, units of time; 0: one step is all there is. Those of a flow may be
                    shorter (flow/pace.h), and then end at every multiple of it all the same */
    int nprobes; /* numbers to watch and to keep */
    int fixed;   /* columns before those of the probes, 0: SAB_HISTORY_FIXED, a flow's; of others up
                    to SAB_HISTORY_UNSOUND as there, but by these names */
    const char *const *name; /* [fixed] */
    /* Energy made of nothing, in parts of the work done; NULL: by the ledgers of a flow. */
    double (*made)(const struct sab_march *march);
    /* One step. SAB_INTERRUPTED (an observer said so) leaves the state as it was. */
    sab_status (*advance)(void *data, const sab_flow_observer *observer, sab_flow_report *report,
                          sab_error *err);
    /* The probes of the state as it is, [nprobes], borrowed until the next call. */
    sab_status (*probe)(void *data, const sab_probe_result **probe, sab_error *err);
    /* The columns before those of the probes, of the step just taken. */
    void (*report)(const void *data, const sab_flow_report *report, double *row);
    /* Time of the state. */
    double (*time)(const void *data);
    /* Go on from another state, of its own kind, all copied. */
    sab_status (*restore)(void *data, const void *state, sab_error *err);
    void (*destroy)(void *data); /* NULL: nothing to do */
} sab_march_body;

typedef struct sab_march {
    sab_march_body body;
    sab_march_options options;
    int fixed; /* columns before those of the probes */
    int columns, rows, capacity;
    double *history; /* [rows][columns] */
    int profile_columns, profile_rows, profile_capacity;
    double *profiles; /* [profile_rows][profile_columns] all profiles of the last steps, in the
                         order of the probes: of a window at least, and at most of two */
    int missed;
    sab_march_end end;
    const sab_probe_result *probe; /* of the last step, borrowed */
    sab_flow_report total;         /* work of all steps since creation; certificate of the last */
} sab_march;

/* The body is moved, on failure too. Of a body of one step `probe` is -1, and the other options do
 * not matter. The caller owns *march. */
sab_status sab_march_create(const sab_march_body *body, const sab_march_options *options,
                            sab_march **march, sab_error *err);
void sab_march_destroy(sab_march **march);
/* Are its columns those of a flow, with its ledger? */
bool sab_march_is_flow(const sab_march *march);
/* One step: a solve and the end. */
bool sab_march_is_creeping(const sab_march *march);
double sab_march_time(const sab_march *march);
/* Steps of full length up to now, and in the last step: exact, whole if all steps are full. */
double sab_march_at(const sab_march *march);
double sab_march_last(const sab_march *march);
/* The column of the probe that is watched, or -1. */
int sab_march_watched(const sab_march *march);
/* One step, its row, and march->end. SAB_INTERRUPTED (an observer said so) leaves the march as it
 * was before the step. observer may be NULL. */
sab_status sab_march_step(sab_march *march, const sab_flow_observer *observer,
                          sab_flow_report *report, sab_error *err);
/* Mean in time and standard deviation over the last window (or all there is, if shorter) of every
 * column of the history. Either may be NULL. Returns the number of rows they are taken from;
 * *length, unless NULL, is the time that these took. */
int sab_march_window(const sab_march *march, double *mean, double *deviation, double *length);

/* The balance of volume in a row of the history, or in the mean of rows; without its rate. */
sab_volume sab_march_volume(const double *row);

/* The ledger of a step, row 0 the first; borrowed. */
const sab_ledger *sab_march_ledger(const sab_march *march, int row);
/* What the ledgers of all steps say [docs/theory.md, 3.4]. */
typedef struct sab_march_energy {
    sab_ledger sum;   /* `energy` is that of the last step */
    double work;      /* of gravity, tractions, walls, without sign; `given` where they do none */
    double given;     /* came in with a given velocity, or with the mean one of an open side */
    double made;      /* excess and dilation, and what came in by tractions beyond `inflow` and
                         `given`, in steps where it is positive */
    double share;     /* made / work */
    double parting;   /* dilation / work */
    double defect;    /* largest of a step, relative to the larger of E and of its work */
    double created;   /* largest dilation and excess of a step, relative to E, */
    int created_step; /* and which one */
    int unsound;      /* steps */
} sab_march_energy;
sab_march_energy sab_march_energies(const sab_march *march);
/* The result is not to be trusted if more of the work than this is made of nothing, by the scheme
 * or with the volume that appears where grains part. */
#define SAB_MADE_OF_NOTHING 0.01
/* No step has missed, nothing was unstable, and the energies are in order: exit code 0. */
bool sab_march_is_good(const sab_march *march);

/* The same for every number of probe `probe`, a profile; of the steps that are kept. */
int sab_march_profile(const sab_march *march, int probe, double *mean, double *deviation);
/* The profiles of the last window (or all there is), [rows][profile_columns], borrowed. */
const double *sab_march_kept(const sab_march *march, int *rows);

/* Go on from a state: that of the body, `rows` rows of history, and `kept` rows
 * of profiles, all copied. */
sab_status sab_march_restore(sab_march *march, const void *state, int rows, const double *history,
                             int kept, const double *profiles, sab_error *err);

#endif
