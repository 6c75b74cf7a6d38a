/* run/study_point.h -- one run of a study: its directory, whether it is done, its row of the table.
 *
 * points/NAME holds the result of `sablier run`, log.txt with what it printed, and point.json with
 * the hash of what was solved. A point is done if summary.json is there and the hash is the present
 * one. The hash is written, and an older summary.json removed, before the run. */
#ifndef SAB_RUN_STUDY_POINT_H
#define SAB_RUN_STUDY_POINT_H

#include "io/study.h"

typedef enum sab_point_state {
    SAB_POINT_NONE, /* a bisection that has not come so far */
    SAB_POINT_PENDING,
    SAB_POINT_RUNNING,
    SAB_POINT_DONE
} sab_point_state;

typedef struct sab_point {
    sab_point_state state;
    int combination;
    bool steps; /* inertial: it has checkpoints */
    char name[SAB_STUDY_NAME];
    double value;                 /* of the key of the bracket */
    unsigned long long case_hash; /* resolved case and mesh */
    unsigned long long hash;      /* and of the point it starts from */
    int exit;                     /* code of the run; -1: not known */
    char status[32];              /* of the summary; "failed", "interrupted", "pending" */
    sab_yaml *summary;            /* owned; NULL if there is none */
    double started, seconds;      /* on the clock; 0 if it was there already */
} sab_point;

/* Name and hash of a point, from its case: so errors of the case are found here. `value`: of the
 * key of the bracket, NAN without. */
sab_status sab_point_create(const sab_study *study, int combination, double value, sab_point *point,
                            sab_error *err);
void sab_point_destroy(sab_point *point);
/* The value of the key of the bracket, as text. Returns `buffer`. */
const char *sab_point_value(const sab_point *point, char *buffer, size_t size);
/* The hash, once it is known from where the point starts (NULL: from nowhere). */
void sab_point_follow(sab_point *point, const sab_point *from);

/* What the directory `points` holds of it. */
typedef enum sab_point_found {
    SAB_FOUND_NOTHING,    /* or another case */
    SAB_FOUND_CHECKPOINT, /* of the same, to be resumed */
    SAB_FOUND_RESULT      /* of the same; now loaded, and the point is done */
} sab_point_found;
sab_point_found sab_point_find(const char *points, sab_point *point);
/* Of a point without a result: true if its run has failed, with the exit code. Otherwise its status
 * tells whether it is at work, was interrupted, or has not begun. */
bool sab_point_failed(const char *points, sab_point *point);
/* Make the directory ready for a run, with the hash in it. */
sab_status sab_point_prepare(const char *points, sab_point *point, bool resume, sab_error *err);
/* The run has ended with that code: load what it left. `stopped`: it was asked to. */
sab_status sab_point_finish(const char *points, sab_point *point, int code, bool stopped,
                            sab_error *err);
/* The last line of its log, or "". Returns `buffer`. */
const char *sab_point_complaint(const char *points, const sab_point *point, char *buffer,
                                size_t size);
/* "", or why its numbers are not to be trusted: a status that is no success, steps that missed the
 * tolerance, a probe that is not finite. Returns `buffer`. */
const char *sab_point_trouble(const sab_point *point, char *buffer, size_t size);
bool sab_point_good(const sab_point *point); /* there is none */
/* Its warnings: number, and the text of one. */
int sab_point_warnings(const sab_point *point);
const char *sab_point_warning(const sab_point *point, int i);
/* A number of the summary by its path, components as in probes.drag_x; NAN if it is not there. */
double sab_point_number(const sab_point *point, const char *path);

/* results.csv: a row per point that there is. The caller owns *table. */
sab_status sab_point_table(const sab_study *study, int n, const sab_point *point, sab_table **table,
                           sab_error *err);

#endif
