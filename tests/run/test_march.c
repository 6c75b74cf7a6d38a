/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A march knows nothing of what it steps: here a number that decays, x' = -x by backward Euler,
 * whose windows, end and restart have closed forms. */
#include "unit.h"

#include "run/march.h"

#include <math.h>
#include <string.h>

typedef struct decay {
    double x, floor, time, step;
    int steps, fails_from; /* steps from this one on miss their tolerance; 0: none does */
    bool destroyed;
    bool halves; /* every other step of full length is two halves */
    double length;
    sab_probe probe;
    sab_probe_result result;
} decay;

static sab_status advance(void *data, const sab_flow_observer *observer, sab_flow_report *report,
                          sab_error *err)
{
    decay *d = data;

    (void)observer;
    (void)err;
    d->length = d->halves && fmod(d->time / d->step, 2.0) >= 1.0 ? 0.5 * d->step : d->step;
    d->x = d->floor + (d->x - d->floor) / (1.0 + d->length);
    d->time += d->length;
    d->steps++;
    *report = (sab_flow_report){.retries = 1};
    report->converged = d->fails_from == 0 || d->steps < d->fails_from;
    report->missed.by = report->converged ? SAB_MISS_NONE : SAB_MISS_GAP;
    report->solve.work.solves = 3;
    return SAB_OK;
}

static sab_status probe(void *data, const sab_probe_result **result, sab_error *err)
{
    decay *d = data;

    (void)err;
    d->result =
        (sab_probe_result){.probe = &d->probe, .components = 1, .samples = 1, .value = &d->x};
    *result = &d->result;
    return SAB_OK;
}

static void report_row(const void *data, const sab_flow_report *report, double *row)
{
    const decay *d = data;

    memset(row, 0, SAB_HISTORY_FIXED * sizeof *row);
    row[SAB_HISTORY_STEP] = d->steps;
    row[SAB_HISTORY_TIME] = d->time;
    row[SAB_HISTORY_LENGTH] = d->length;
    row[SAB_HISTORY_MISSED] = (double)report->missed.by;
}

static double time_of(const void *data)
{
    return ((const decay *)data)->time;
}

/* The state of this body is its velocity: one number. */
static sab_status restore(void *data, const void *any, sab_error *err)
{
    const sab_flow_state *state = any;
    decay *d = data;

    if (state->nvelocity != 1)
        return sab_fail(err, SAB_ERR_INPUT, "not the state of one number");
    d->x = state->velocity[0];
    d->time = state->time;
    d->steps = state->steps;
    return SAB_OK;
}

static void destroy(void *data)
{
    ((decay *)data)->destroyed = true;
}

static sab_march *create(decay *d, double end, double steady, double window, int max_missed)
{
    const sab_march_body body = {.data = d,
                                 .step = d->step,
                                 .nprobes = 1,
                                 .advance = advance,
                                 .probe = probe,
                                 .report = report_row,
                                 .time = time_of,
                                 .restore = restore,
                                 .destroy = destroy};
    const sab_march_options options = {
        .end = end, .steady = steady, .window = window, .probe = 0, .max_missed = max_missed};
    sab_march *march = NULL;

    d->probe = (sab_probe){.kind = SAB_PROBE_INTEGRAL, .name = (char[]){"x"}};
    CU_ASSERT_EQUAL_FATAL(sab_march_create(&body, &options, &march, NULL), SAB_OK);
    return march;
}

static void go(sab_march *march)
{
    sab_flow_report report;

    while (march->end == SAB_MARCH_GOES_ON)
        CU_ASSERT_EQUAL_FATAL(sab_march_step(march, NULL, &report, NULL), SAB_OK);
}

/* To the end: rows, times, sums of the work, and the mean of the last window. */
static void test_end(void)
{
    decay d = {.x = 1.0, .step = 0.25};
    sab_march *march = create(&d, 2.0, 0.0, 0.5, 0);
    double mean[SAB_HISTORY_FIXED + 1];

    go(march);
    CU_ASSERT_EQUAL(march->end, SAB_MARCH_FINISHED);
    CU_ASSERT_EQUAL(march->rows, 8);
    SAB_ASSERT_CLOSE(sab_march_time(march), 2.0, 1e-15);
    SAB_ASSERT_CLOSE(d.x, pow(1.25, -8), 1e-15);
    CU_ASSERT_EQUAL(march->total.retries, 8);
    CU_ASSERT_EQUAL(march->total.solve.work.solves, 24);
    CU_ASSERT_EQUAL(sab_march_window(march, mean, NULL, NULL), 2);
    SAB_ASSERT_CLOSE(mean[SAB_HISTORY_FIXED], 0.5 * (pow(1.25, -8) + pow(1.25, -7)), 1e-15);
    sab_march_destroy(&march);
    CU_ASSERT(d.destroyed);
}

/* x -> 2 like 2 - (1 + h)^-n: steady as soon as two windows differ by less than asked, no window
 * before. */
static void test_steady(void)
{
    decay d = {.x = 1.0, .floor = 2.0, .step = 0.25};
    sab_march *march = create(&d, 100.0, 0.01, 0.5, 0);
    int expected = 0;

    for (int n = 4; expected == 0; n += 2) { /* windows of two steps */
        const double now = 2.0 - 0.5 * (pow(1.25, -n) + pow(1.25, 1 - n));
        const double before = 2.0 - 0.5 * (pow(1.25, 2 - n) + pow(1.25, 3 - n));

        expected = fabs(now - before) <= 0.01 * now ? n : 0;
    }
    go(march);
    CU_ASSERT_EQUAL(march->end, SAB_MARCH_STEADY);
    CU_ASSERT_EQUAL(march->rows, expected);
    sab_march_destroy(&march);
}

/* Steps of two lengths: windows are stretches of time, and means those in time. */
static void test_lengths(void)
{
    decay d = {.x = 1.0, .step = 0.25, .halves = true};
    sab_march *march = create(&d, 2.0, 0.0, 1.0, 0);
    double mean[SAB_HISTORY_FIXED + 1], deviation[SAB_HISTORY_FIXED + 1], length, x[6], sum = 0.0;

    go(march);
    CU_ASSERT_EQUAL(march->rows, 12);
    CU_ASSERT_EQUAL(march->end, SAB_MARCH_FINISHED);
    CU_ASSERT_EQUAL(sab_march_window(march, mean, deviation, &length), 6);
    CU_ASSERT_EQUAL(length, 1.0);
    x[0] = pow(1.25 * 1.125 * 1.125, -2) / 1.25;
    for (int i = 1; i < 6; i++)
        x[i] = x[i - 1] / (i % 3 == 0 ? 1.25 : 1.125);
    SAB_ASSERT_CLOSE(mean[SAB_HISTORY_FIXED],
                     0.25 * (x[0] + 0.5 * (x[1] + x[2]) + x[3] + 0.5 * (x[4] + x[5])), 1e-15);
    for (int i = 0; i < 6; i++)
        sum += (i % 3 == 0 ? 1.0 : 0.5) * pow(x[i] - mean[SAB_HISTORY_FIXED], 2);
    SAB_ASSERT_CLOSE(deviation[SAB_HISTORY_FIXED], sqrt(sum / 4.0 * 6.0 / 5.0), 1e-15);
    CU_ASSERT(sab_march_at(march) == 8.0 && sab_march_last(march) == 0.5);
    sab_march_destroy(&march);
    d = (decay){.x = 1.0, .floor = 2.0, .step = 0.25, .halves = true};
    march = create(&d, 100.0, 0.01, 0.5, 0); /* it ends where a window does */
    go(march);
    CU_ASSERT_EQUAL(march->end, SAB_MARCH_STEADY);
    CU_ASSERT(fmod(sab_march_at(march), 2.0) == 0.0 && sab_march_at(march) > 4.0);
    sab_march_destroy(&march);
}

/* Given up when one more has missed than may. */
static void test_given_up(void)
{
    decay d = {.x = 1.0, .step = 0.25, .fails_from = 5};
    sab_march *march = create(&d, 100.0, 0.0, 0.5, 2);

    go(march);
    CU_ASSERT_EQUAL(march->end, SAB_MARCH_GIVEN_UP);
    CU_ASSERT_EQUAL(march->rows, 7);
    CU_ASSERT_EQUAL(march->missed, 3);
    CU_ASSERT_FALSE(sab_march_is_good(march));
    sab_march_destroy(&march);
}

/* From the state in the middle a march goes on to the same bits. */
static void test_restore(void)
{
    decay a = {.x = 1.0, .step = 0.25}, b = {.x = 7.0, .step = 0.25};
    sab_march *whole = create(&a, 2.0, 0.0, 0.5, 0), *rest = create(&b, 2.0, 0.0, 0.5, 0);
    sab_flow_report report;
    sab_error err = {0};

    for (int i = 0; i < 3; i++)
        CU_ASSERT_EQUAL(sab_march_step(whole, NULL, &report, NULL), SAB_OK);
    sab_flow_state state = {
        .steps = a.steps, .time = a.time, .nvelocity = 1, .velocity = &(double){a.x}};
    CU_ASSERT_EQUAL(sab_march_restore(rest, &state, whole->rows, whole->history, 0, NULL, NULL),
                    SAB_OK);
    go(whole);
    go(rest);
    CU_ASSERT_EQUAL(rest->rows, whole->rows);
    CU_ASSERT_EQUAL(memcmp(rest->history, whole->history,
                           (size_t)whole->rows * (size_t)whole->columns * sizeof(double)),
                    0);
    state.nvelocity = 2;
    CU_ASSERT_EQUAL(sab_march_restore(rest, &state, 0, whole->history, 0, NULL, &err),
                    SAB_ERR_INPUT);
    sab_march_destroy(&whole);
    sab_march_destroy(&rest);
}

/* A body of one step. */
static void test_once(void)
{
    decay d = {.x = 1.0};
    const sab_march_body body = {.data = &d,
                                 .advance = advance,
                                 .probe = probe,
                                 .report = report_row,
                                 .time = time_of,
                                 .restore = restore};
    const sab_march_options options = {.probe = -1};
    sab_march *march = NULL;

    CU_ASSERT_EQUAL_FATAL(sab_march_create(&body, &options, &march, NULL), SAB_OK);
    CU_ASSERT(sab_march_is_creeping(march));
    go(march);
    CU_ASSERT_EQUAL(march->end, SAB_MARCH_FINISHED);
    CU_ASSERT_EQUAL(march->rows, 1);
    sab_march_destroy(&march);
}

int main(void)
{
    static const sab_test tests[] = {{"to the end", test_end},
                                     {"steady", test_steady},
                                     {"steps of two lengths", test_lengths},
                                     {"given up", test_given_up},
                                     {"goes on from a state", test_restore},
                                     {"one step", test_once}};

    return SAB_TEST_MAIN("run/march", tests);
}
