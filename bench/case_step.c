#include "case_step.h"

sab_status bench_case_open(const char *path, int noverrides, const char *const *override, double dt,
                           double inertia, bench_case *b, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_mesh *coarse = NULL;

    SAB_TRY(sab_case_read(path, noverrides, override, &b->c, err));
    if (b->c->element->inner > 0) {
        status = sab_fail(err, SAB_ERR_INPUT,
                          "the benchmark has no bubbles: write the program of an element p2b with "
                          "`sablier run CASE --dump-program FILE`");
        goto cleanup;
    }
    SAB_TRY(sab_mesh_read(b->c->mesh_file, b->c->nparameters, b->c->parameter, &coarse, err));
    if (b->c->split == SAB_SPLIT_ALFELD) {
        SAB_TRY(sab_mesh_split_alfeld(coarse, &b->mesh, err));
    } else {
        b->mesh = coarse;
        coarse = NULL;
    }
    const bench_setup setup = {.mesh = b->mesh,
                               .geometry = b->c->geometry,
                               .material = &b->c->material,
                               .gravity = b->c->gravity,
                               .nboundaries = b->c->nboundaries,
                               .boundary = b->c->boundary,
                               .dt = dt,
                               .inertia = inertia};
    SAB_TRY(bench_step_create(&setup, &b->step, err));
cleanup:
    sab_mesh_destroy(&coarse);
    return status;
}

void bench_case_close(bench_case *b)
{
    bench_step_destroy(&b->step);
    sab_mesh_destroy(&b->mesh);
    sab_case_destroy(&b->c);
}
