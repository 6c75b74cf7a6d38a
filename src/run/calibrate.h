/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/calibrate.h -- which values of one to three keys of a case explain a table of measurements.
 *
 * The table has a value y over a key of the case (each of its values is a run), over time (history
 * of one run), or along a profile of one run. The runs are those of studies, one for each call of
 * base/calibrate.h, in DIR/sets/NN: so they run side by side, are resumed and not repeated. */
#ifndef SAB_RUN_CALIBRATE_H
#define SAB_RUN_CALIBRATE_H

#include "base/calibrate.h"
#include "base/path.h"
#include "io/case.h"
#include "io/table.h"
#include "run/describe.h"

typedef struct sab_calibration_options {
    const char *data;                     /* the table */
    const char *x, *y, *sigma;            /* columns; NULL: first, second, "sigma" or none */
    const char *profile;                  /* y is along this profile; NULL: it is not */
    const char *vary[SAB_CALIBRATE_MOST]; /* "KEY=LOW,HIGH" */
    int nvary;
    double scale, step; /* factor of the values of runs; of differences, in parts of the bounds */
    int noverrides;
    const char *const *override;
} sab_calibration_options;

typedef struct sab_calibration {
    sab_calibration_options options;
    char case_path[SAB_PATH], case_name[200], title[200];
    char key[SAB_CALIBRATE_MOST][200];
    const char *name[SAB_CALIBRATE_MOST]; /* the same */
    sab_calibrate problem;                /* all but evaluate, progress and data */
    sab_table *table;
    const char *x_name, *y_name; /* columns */
    enum { SAB_CALIBRATE_KEY, SAB_CALIBRATE_TIME, SAB_CALIBRATE_PROFILE } kind;
    double *x, *y, *sigma, *fitted, *noise; /* [n] sigma NULL: not known */
    int nvalues;                            /* of a key: the different ones, in order */
    int *value;                             /* [n] which of them; first[value]: a row with it */
    int *first;
} sab_calibration;

/* Read the table, check options and case; nothing is written. SAB_ERR_USAGE, SAB_ERR_INPUT. The
 * caller closes in any case; the options are borrowed. */
sab_status sab_calibration_open(const char *target, const sab_calibration_options *options,
                                sab_calibration *c, sab_error *err);
void sab_calibration_close(sab_calibration *c);
/* The study of m sets p [m][np], and what its runs in `directory` say: f, noise [m][n].
 * SAB_ERR_NUMERIC if a run is not to be trusted. */
sab_status sab_calibration_write(const sab_calibration *c, int m, const double *p, const char *path,
                                 sab_error *err);
sab_status sab_calibration_read(const sab_calibration *c, int m, const char *directory, double *f,
                                double *noise, sab_error *err);
/* In words, and as calibrate.json and calibrate_points.csv. *good: nothing to warn about. */
void sab_calibration_tell_problem(const sab_calibration *c, const sab_teller *out);
sab_status sab_calibration_tell(const sab_calibration *c, const sab_calibrated *result,
                                const char *directory, const sab_teller *out, bool *good,
                                sab_error *err);

#endif
