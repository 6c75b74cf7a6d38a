/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/study_point.h -- one run of a study: its directory, whether it is done, its row of the table.
 *
 * points/NAME holds the result of `sablier run`, log.txt with what it printed, and point.json with
 * the hash of what was solved. A point is done if summary.json is there and the hash is the present
 * one. The hash is written, and an older summary.json removed, before the run. */
#ifndef SAB_RUN_STUDY_POINT_H
#define SAB_RUN_STUDY_POINT_H

#include "io/study.h"

typedef enum sab_study_point_state {
    SAB_STUDY_POINT_NONE, /* a bisection that has not come so far */
    SAB_STUDY_POINT_PENDING,
    SAB_STUDY_POINT_RUNNING,
    SAB_STUDY_POINT_DONE
} sab_study_point_state;

typedef struct sab_study_point {
    sab_study_point_state state;
    int combination;
    bool steps; /* inertial: it has checkpoints */
    char name[SAB_STUDY_NAME];
    double value;            /* of the key of the bracket */
    uint64_t case_hash;      /* resolved case and mesh */
    uint64_t hash;           /* and of the point it starts from */
    int exit;                /* code of the run; -1: not known */
    char status[32];         /* of the summary; "failed", "interrupted", "pending" */
    sab_yaml *summary;       /* owned; NULL if there is none */
    double started, seconds; /* on the clock; 0 if it was there already */
} sab_study_point;

/* Name and hash of a point, from its case: so errors of the case are found here. `value`: of the
 * key of the bracket, NAN without. */
sab_status sab_study_point_create(const sab_study *study, int combination, double value,
                                  sab_study_point *point, sab_error *err);
void sab_study_point_destroy(sab_study_point *point);
/* The value of the key of the bracket, as text. Returns `buffer`. */
const char *sab_study_point_value(const sab_study_point *point, char *buffer, size_t size);
/* The hash, once it is known from where the point starts (NULL: from nowhere). */
void sab_study_point_follow(sab_study_point *point, const sab_study_point *from);

/* What the directory `points` holds of it. */
typedef enum sab_study_point_found {
    SAB_STUDY_FOUND_NOTHING,    /* or another case */
    SAB_STUDY_FOUND_CHECKPOINT, /* of the same, to be resumed */
    SAB_STUDY_FOUND_RESULT      /* of the same; now loaded, and the point is done */
} sab_study_point_found;
sab_study_point_found sab_study_point_find(const char *points, sab_study_point *point);
/* Of a point without a result: true if its run has failed, with the exit code. Otherwise its status
 * tells whether it is at work, was interrupted, or has not begun. */
bool sab_study_point_failed(const char *points, sab_study_point *point);
/* Make the directory ready for a run, with the hash in it. */
sab_status sab_study_point_prepare(const char *points, sab_study_point *point, bool resume,
                                   sab_error *err);
/* The run has ended with that code: load what it left. `stopped`: it was asked to. */
sab_status sab_study_point_finish(const char *points, sab_study_point *point, int code,
                                  bool stopped, sab_error *err);
/* The last line of its log, or "". Returns `buffer`. */
const char *sab_study_point_complaint(const char *points, const sab_study_point *point,
                                      char *buffer, size_t size);
/* converged, steady or finished */
bool sab_study_is_success(const char *status);
/* "", or why its numbers are not to be trusted: a status that is no success, steps that missed the
 * tolerance, a probe that is not finite. Returns `buffer`. */
const char *sab_study_point_trouble(const sab_study_point *point, char *buffer, size_t size);
bool sab_study_point_good(const sab_study_point *point); /* there is none */
/* Its warnings: number, and the text of one. */
int sab_study_point_warnings(const sab_study_point *point);
const char *sab_study_point_warning(const sab_study_point *point, int i);
/* A number of the summary by its path, components as in probes.drag_x; NAN if it is not there. */
double sab_study_point_number(const sab_study_point *point, const char *path);

/* results.csv: a row per point that there is. The caller owns *table. */
sab_status sab_study_point_table(const sab_study *study, int n, const sab_study_point *point,
                                 sab_table **table, sab_error *err);

#endif
