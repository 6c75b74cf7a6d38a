/* SPDX-License-Identifier: GPL-3.0-or-later */
/* examples/run.c -- load a case, step it, read a probe.
 *
 *     cc run.c $(pkg-config --cflags --libs sablier) -o run
 *     ./run cases/poiseuille flux mesh.parameters.n=8
 *
 * Arguments: CASE PROBE [KEY=VALUE]... */
#include <sablier.h>

#include <stdio.h>

static void warn(void *data, const char *sentence)
{
    (void)data;
    fprintf(stderr, "warning: %s\n", sentence);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: run CASE PROBE [KEY=VALUE]...\n");
        return SABLIER_ERR_USAGE;
    }
    const sablier_options options = {.noverrides = argc - 3,
                                     .override = (const char *const *)(argv + 3),
                                     .threads = 1,
                                     .warning = warn};
    sablier_error err = {0};
    sablier_run *run = NULL;
    int good = 0;

    if (sablier_run_create(argv[1], &options, &run, &err) == SABLIER_OK) {
        const int probe = sablier_probe_find(run, argv[2]);

        while (probe >= 0 && sablier_run_goes_on(run) && sablier_run_step(run, &err) == SABLIER_OK)
            printf("step %d, time %g: %s = %.17g\n", sablier_run_steps(run), sablier_run_time(run),
                   argv[2], sablier_probe_values(run, probe)[0]);
        if (probe >= 0 && err.status == SABLIER_OK && sablier_run_finish(run, &err) == SABLIER_OK)
            printf("%s\n", sablier_run_status(run));
        good = probe >= 0 && err.status == SABLIER_OK && sablier_run_is_good(run);
    }
    if (err.status != SABLIER_OK)
        fprintf(stderr, "error: %s\n", err.message);
    sablier_run_destroy(&run);
    return err.status != SABLIER_OK ? (int)err.status : !good;
}
