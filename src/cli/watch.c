/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/watch.h"
#include "base/timer.h"
#include "run/warnings.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t interrupted, wanted; /* all that a signal handler can set */

static void on_signal(int number)
{
    if (number == SIGUSR1)
        wanted = 1;
    else
        interrupted = 1;
}

/* Whoever starts us may have said that a signal is none of our business (nohup). `flags`: with
 * SA_RESETHAND the second one is final. A system call is taken up again after the handler. */
static void handle(int number, int flags)
{
    struct sigaction old, action = {.sa_handler = on_signal, .sa_flags = SA_RESTART | flags};

    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

void sab_watch_signals(void)
{
    handle(SIGINT, (int)SA_RESETHAND);
    handle(SIGTERM, (int)SA_RESETHAND);
    handle(SIGHUP, 0);
    handle(SIGXCPU, 0); /* comes again every second until the hard limit */
    handle(SIGUSR1, 0);
    signal(SIGPIPE, SIG_IGN); /* `sablier run case | head` still writes its result */
    signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is an error of the write then */
}

bool sab_watch_checkpoint(void)
{
    const bool now = wanted != 0;

    wanted = 0;
    return now;
}

bool sab_watch_interrupted(void)
{
    return interrupted != 0;
}

void sab_watch_begin(sab_watch *watch, sab_terminal *term, double tolerance, int max_iterations)
{
    *watch = (sab_watch){
        .term = term, .measure = "gap G", .tolerance = tolerance, .max_iterations = max_iterations};
    watch->first_wall = sab_wall_seconds();
}

void sab_watch_begin_steps(sab_watch *watch, sab_terminal *term, double tolerance,
                           int max_iterations, double at, int steps, const char *probe)
{
    sab_watch_begin(watch, term, tolerance, max_iterations);
    watch->steps = steps;
    watch->probe = probe;
    watch->step_wall[0] = watch->first_wall;
    watch->step_at[0] = at;
}

/* Rows 1 to 5, then 10, 20, 50, 100, 200, ...: enough to see a trend in a log file. */
static bool worth_printing(int row)
{
    while (row >= 10 && row % 10 == 0)
        row /= 10;
    return row <= 5;
}

/* Wall seconds until the gap meets the tolerance at its recent rate, or until the iterations are
 * used up, whichever is first. */
static double time_left(const sab_watch *watch, int outer)
{
    const int n = watch->rows, last = (n - 1) % 8, first = n > 8 ? n % 8 : 0;
    const double wall = watch->recent_wall[last] - watch->recent_wall[first];
    const double drop = log(watch->recent_gap[first] / watch->recent_gap[last]);
    const double spent = watch->recent_wall[last] - watch->first_wall;
    const double by_count = spent / n * (watch->max_iterations - outer);
    const double by_gap = wall / drop * log(watch->recent_gap[last] / watch->tolerance);

    return drop > 0.0 && by_gap < by_count ? fmax(by_gap, 0.0) : by_count;
}

void sab_watch_next(sab_watch *watch, int step)
{
    watch->step = step;
    watch->rows = 0;
}

void sab_watch_step(sab_watch *watch, const sab_watch_line *line)
{
    char probe[40] = "", note[100] = "";

    if (watch->done == 0)
        sab_say(watch->term, "%6s %9s %6s %7s %10s %14s", "step", "time", "outer", "inner",
                watch->measure, watch->probe != NULL ? watch->probe : "");
    watch->done++;
    watch->step_wall[watch->done % 8] = sab_wall_seconds();
    watch->step_at[watch->done % 8] = line->at;
    if (watch->probe != NULL)
        snprintf(probe, sizeof probe, "%14.7g", line->probe);
    if (line->retries > 0 || line->missed != SAB_MISS_NONE)
        snprintf(note, sizeof note, "  %d %s%s%s", line->retries,
                 line->retries == 1 ? "retry" : "retries",
                 line->missed != SAB_MISS_NONE ? ", tolerance missed by " : "",
                 line->missed != SAB_MISS_NONE ? sab_miss_table[line->missed].text : "");
    if (watch->term->verbosity > 0 || worth_printing(line->step) || line->missed != SAB_MISS_NONE ||
        line->last)
        sab_say(watch->term, "%6d %9.6g %6d %7d %10.3e %14s%s", line->step, line->time, line->outer,
                line->inner, line->gap, probe, note);
}

/* Wall seconds to the last step, at the pace of the last few. */
static double steps_left(const sab_watch *watch)
{
    const int n = watch->done, first = n >= 8 ? (n + 1) % 8 : 0;
    const double wall = watch->step_wall[n % 8] - watch->step_wall[first];
    const double at = watch->step_at[n % 8], way = at - watch->step_at[first];

    return way > 0.0 ? wall / way * (watch->steps - at) : NAN;
}

static void show_progress(const sab_watch *watch, const sab_report *r)
{
    const double gap = r->certificate.gap;
    char duration[32];

    if (watch->steps == 0)
        sab_progress(watch->term, "iteration %d of at most %d, gap %.2e (to %.0e), about %s left",
                     r->work.outer, watch->max_iterations, gap, watch->tolerance,
                     sab_duration(time_left(watch, r->work.outer), duration, sizeof duration));
    else if (watch->done == 0)
        sab_progress(watch->term, "step %d of at most %d, iteration %d, gap %.2e", watch->step,
                     watch->steps, r->work.outer, gap);
    else
        sab_progress(
            watch->term,
            "step %d, %.4g of at most %d done, iteration %d, gap %.2e, about %s to the end",
            watch->step, watch->step_at[watch->done % 8], watch->steps, r->work.outer, gap,
            sab_duration(steps_left(watch), duration, sizeof duration));
}

bool sab_watch_row(sab_watch *watch, int viscosity_iteration, const sab_report *r)
{
    const sab_certificate *c = &r->certificate;
    const bool print = watch->steps == 0;

    if (print && watch->rows == 0)
        sab_say(watch->term, "%6s %7s %10s %10s %10s %10s %10s", "outer", "inner", watch->measure,
                "compact. C", "natural", "momentum", "change");
    if (print && viscosity_iteration > 1 && viscosity_iteration != watch->printed_viscosity)
        sab_say(watch->term, "viscosity iteration %d", viscosity_iteration);
    watch->printed_viscosity = viscosity_iteration;
    watch->recent_wall[watch->rows % 8] = sab_wall_seconds();
    watch->recent_gap[watch->rows % 8] = fmax(c->gap, 1e-300);
    watch->rows++;
    if (print && (watch->term->verbosity > 0 || worth_printing(r->work.outer)))
        sab_say(watch->term, "%6d %7d %10.3e %10.3e %10.3e %10.3e %10.3e%s", r->work.outer,
                r->work.inner, c->gap, c->compaction, c->natural, c->momentum, r->change,
                c->at_rest ? "  at rest"
                : c->idle  ? "  no dissipation"
                           : "");
    show_progress(watch, r);
    return !sab_watch_interrupted();
}

void sab_watch_end(sab_watch *watch)
{
    if (watch->term != NULL) /* begun */
        sab_progress_end(watch->term);
}
