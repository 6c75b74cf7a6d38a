/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sablier.h and nothing else, linked with the shared library: order of calls, ranges, errors. */
#include "unit.h"

#include "sablier.h"

#include <math.h>
#include <string.h>

static sablier_run *open_case(const char *path, int n, const char *const *override)
{
    const sablier_options options = {.noverrides = n, .override = override, .threads = 1};
    sablier_error err = {0};
    sablier_run *run = NULL;

    CU_ASSERT_EQUAL(sablier_run_create(path, &options, &run, &err), SABLIER_OK);
    CU_ASSERT_STRING_EQUAL(err.message, "");
    CU_ASSERT_PTR_NOT_NULL_FATAL(run);
    return run;
}

static void test_creeping(void)
{
    const char *const override[] = {"mesh.parameters.n=4", "solver.tolerance=1e-2"};
    sablier_run *run = open_case("cases/poiseuille", 2, override);
    sablier_error err = {0};
    const int flux = sablier_probe_find(run, "flux"), profile = sablier_probe_find(run, "profile");
    double fastest = 0.0;

    CU_ASSERT_STRING_EQUAL(sablier_version(), SABLIER_VERSION);
    CU_ASSERT_EQUAL(sablier_run_finish(run, &err), SABLIER_ERR_USAGE); /* too early */
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "has not ended"));
    CU_ASSERT_STRING_EQUAL(sablier_run_status(run), "");
    CU_ASSERT_EQUAL(sablier_run_step(run, &err), SABLIER_OK);
    CU_ASSERT_FALSE(sablier_run_goes_on(run));
    CU_ASSERT_EQUAL(sablier_run_step(run, &err), SABLIER_ERR_USAGE); /* too late */
    CU_ASSERT_EQUAL(sablier_run_steps(run), 1);
    CU_ASSERT_EQUAL(sablier_run_finish(run, NULL), SABLIER_OK);
    CU_ASSERT_EQUAL(sablier_run_finish(run, NULL), SABLIER_OK); /* once more does nothing */
    CU_ASSERT_STRING_EQUAL(sablier_run_status(run), "converged");
    CU_ASSERT(sablier_run_is_good(run));
    CU_ASSERT_EQUAL(sablier_run_time(run), 0.0);

    CU_ASSERT_EQUAL(sablier_probes(run), 3);
    CU_ASSERT_STRING_EQUAL(sablier_probe_name(run, flux), "flux");
    CU_ASSERT_EQUAL(sablier_probe_components(run, flux), 1);
    CU_ASSERT_EQUAL(sablier_probe_samples(run, profile), 201);
    CU_ASSERT_EQUAL(sablier_probe_components(run, profile), 2);
    CU_ASSERT_EQUAL(sablier_history_rows(run), 1);
    CU_ASSERT_STRING_EQUAL(sablier_history_name(run, 0), "step");
    CU_ASSERT_EQUAL(sablier_history(run)[0], 1.0);
    CU_ASSERT_EQUAL(sablier_dimension(run), 2);
    for (int i = 0; i < sablier_nodes(run); i++) { /* the plug of Bingham's flow is 1/8 fast */
        CU_ASSERT(fabs(sablier_node_positions(run)[2 * i + 1]) <= 1.0 + 1e-12);
        fastest = fmax(fastest, sablier_velocity(run)[2 * i]);
    }
    SAB_ASSERT_CLOSE(fastest, 0.125, 0.02);
    sablier_run_destroy(&run);
    CU_ASSERT_PTR_NULL(run);
    sablier_run_destroy(&run);
}

static void test_ranges(void)
{
    const char *const override[] = {"mesh.parameters.n=2"};
    sablier_run *run = open_case("cases/poiseuille", 1, override);

    CU_ASSERT_EQUAL(sablier_probe_find(run, "nothing"), -1);
    for (int i = -1; i <= 3; i += 4) {
        CU_ASSERT_PTR_NULL(sablier_probe_name(run, i));
        CU_ASSERT_EQUAL(sablier_probe_samples(run, i), 0);
        CU_ASSERT_EQUAL(sablier_probe_components(run, i), 0);
        CU_ASSERT_PTR_NULL(sablier_probe_values(run, i));
    }
    CU_ASSERT_EQUAL(sablier_run_warnings(run), 0);
    CU_ASSERT_PTR_NULL(sablier_run_warning(run, 0));
    CU_ASSERT_PTR_NULL(sablier_run_warning(run, -1));
    CU_ASSERT_PTR_NULL(sablier_history_name(run, -1));
    CU_ASSERT_PTR_NULL(sablier_history_name(run, sablier_history_columns(run)));
    sablier_run_destroy(&run);
}

static int never(void *data, int outer, double gap)
{
    (void)outer;
    (void)gap;
    return *(const int *)data;
}

static void test_errors(void)
{
    const char *const wrong[] = {"material.frction=0.4"}, *const coarse[] = {"mesh.parameters.n=2"};
    int goes_on = 0;
    sablier_options options = {.noverrides = 1, .override = wrong};
    sablier_error err = {0};
    sablier_run *run;

    CU_ASSERT_EQUAL(sablier_run_create("cases/poiseuille", &options, &run, &err),
                    SABLIER_ERR_INPUT);
    CU_ASSERT_PTR_NULL(run);
    CU_ASSERT_EQUAL(err.status, SABLIER_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "did you mean"));
    CU_ASSERT_EQUAL(sablier_run_create("no/such/case", NULL, &run, NULL), SABLIER_ERR_INPUT);
    CU_ASSERT_EQUAL(sablier_run_create(NULL, NULL, &run, &err), SABLIER_ERR_USAGE);
    options = (sablier_options){.resume = 1}; /* from where? */
    CU_ASSERT_EQUAL(sablier_run_create("cases/chute/inertial.yaml", &options, &run, &err),
                    SABLIER_ERR_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "no directory"));
    options = (sablier_options){.threads = -1};
    CU_ASSERT_EQUAL(sablier_run_create("cases/poiseuille", &options, &run, &err),
                    SABLIER_ERR_USAGE);

    options = (sablier_options){
        .noverrides = 1, .override = coarse, .data = &goes_on, .iteration = never};
    CU_ASSERT_EQUAL_FATAL(sablier_run_create("cases/poiseuille", &options, &run, &err), SABLIER_OK);
    CU_ASSERT_EQUAL(sablier_run_step(run, &err), SABLIER_INTERRUPTED);
    CU_ASSERT_STRING_EQUAL(err.message, "stopped by a callback");
    CU_ASSERT(sablier_run_goes_on(run));
    goes_on = 1;
    CU_ASSERT_EQUAL(sablier_run_step(run, &err), SABLIER_OK);
    CU_ASSERT_EQUAL(sablier_run_finish(run, &err), SABLIER_OK);
    sablier_run_destroy(&run);
}

int main(void)
{
    static const sab_test tests[] = {
        {"creeping", test_creeping}, {"ranges", test_ranges}, {"errors", test_errors}};

    return SAB_TEST_MAIN("run/library", tests);
}
