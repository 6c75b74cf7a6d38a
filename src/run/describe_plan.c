/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/text.h"
#include "run/describe_study.h"
#include "run/session.h"

#include <stdio.h>
#include <string.h>

/* What a mesh with its unknowns needs; points that differ in other keys share it. */
typedef struct need {
    uint64_t hash;
    int elements, unknowns, npoints;
    double memory;
} need;

enum { MESHES = 40 }; /* that are made; of further ones nothing is known */

typedef struct plan {
    sab_confined confined;
    const sab_teller *out;
    int nneeds, unknown;
    need need[MESHES];
    double steps, disk, memory; /* sums, and the largest */
} plan;

/* Of what decides about mesh and unknowns. */
static uint64_t hash_of(const sab_case *c)
{
    uint64_t hash = sab_hash(SAB_HASH, c->geometry->name, strlen(c->geometry->name));

    if (c->mesh_file != NULL)
        hash = sab_hash(hash, c->mesh_file, strlen(c->mesh_file));
    for (int i = 0; i < c->nparameters; i++) {
        hash = sab_hash(hash, c->parameter[i].name, strlen(c->parameter[i].name));
        hash = sab_hash(hash, &c->parameter[i].value, sizeof c->parameter[i].value);
    }
    if (c->element != NULL)
        hash = sab_hash(hash, c->element->name, strlen(c->element->name));
    return sab_hash(hash, &c->split, sizeof c->split);
}

/* The needs of a case, meshed and assembled unless its mesh was there before; NULL: not known. */
static sab_status find_need(plan *p, sab_case **c, const need **found, sab_error *err)
{
    static const sab_run_events silent = {0};
    const uint64_t hash = hash_of(*c);
    sab_status status = SAB_OK;
    sab_session s = {.confined = p->confined};

    *found = NULL;
    for (int i = 0; i < p->nneeds && *found == NULL; i++)
        if (p->need[i].hash == hash)
            *found = &p->need[i];
    if (*found != NULL || p->nneeds == MESHES || (*c)->has_grains)
        return SAB_OK; /* what grains need grows with their contacts */
    s.c = *c;
    SAB_TRY(sab_session_build(&s, false, &silent, err));
    p->need[p->nneeds] = (need){hash, s.mesh->nelements, s.flow->program->n, s.flow->space->npoints,
                                sab_session_memory(&s).needed};
    *found = &p->need[p->nneeds++];
cleanup:
    s.c = NULL;
    sab_session_close(&s);
    return status;
}

static sab_status check_point(plan *p, const sab_study *study, int combination, const char *value,
                              sab_error *err)
{
    sab_status status = SAB_OK;
    sab_case *c = NULL;
    const need *n;
    char name[SAB_STUDY_NAME];

    SAB_TRY(sab_study_case(study, combination, value, &c, err));
    SAB_TRY(sab_study_name(study, combination, value, name, err));
    SAB_TRY(find_need(p, &c, &n, err));
    const int steps = sab_case_steps(c);
    p->steps += steps;
    if (n == NULL) {
        p->unknown++;
        sab_tell(p->out, "  %-37s %6d %8s %8s %6s %7s", name, steps, "-", "-", "-", "-");
        goto cleanup;
    }
    const double disk = sab_case_disk(c, n->npoints).bytes;
    p->disk += disk;
    p->memory = n->memory > p->memory ? n->memory : p->memory;
    sab_tell(p->out, "  %-37s %6d %8d %8d %6.3g %7.3g", name, steps, n->elements, n->unknowns,
             1e-6 * n->memory, 1e-6 * disk);
cleanup:
    sab_case_destroy(&c);
    return status;
}

static sab_status check_points(plan *p, const sab_study *study, sab_error *err)
{
    sab_status status = SAB_OK;
    const int ends = study->has_bracket ? 2 : 1;

    for (int i = 0; i < study->ncombinations; i++)
        for (int end = 0; end < ends; end++) {
            char value[40];

            snprintf(value, sizeof value, "%.15g",
                     study->has_bracket ? study->bracket.between[end] : 0.0);
            SAB_TRY(check_point(p, study, i, study->has_bracket ? value : NULL, err));
        }
cleanup:
    return status;
}

static void say_sums(const plan *p, const sab_study *study)
{
    const int points = study->ncombinations * (study->has_bracket ? 2 : 1);
    const int jobs = study->jobs > 0 ? study->jobs : 1;

    sab_tell(p->out, "points         %d%s, %.0f steps in all if none ends earlier", points,
             study->has_bracket ? " ends of bisections, and the points between them" : "",
             p->steps);
    if (p->unknown < points) {
        const char *but = p->unknown > 0 ? ", without those of which nothing is known" : "";

        sab_tell(p->out, "memory         about %.3g MB for %d at a time (jobs)%s",
                 1e-6 * jobs * p->memory, jobs, but);
        sab_tell(p->out, "disk           about %.3g MB%s", 1e-6 * p->disk, but);
    }
    if (p->unknown > 0)
        sab_tell(
            p->out,
            "not known      memory and disk of %d points: of grains, or of more than %d meshes",
            p->unknown, MESHES);
    sab_tell(p->out, "the study is sound; nothing was solved");
}

sab_status sab_describe_plan(const sab_study *study, sab_confined confined, const sab_teller *out,
                             sab_error *err)
{
    sab_status status = SAB_OK;
    plan p = {.confined = confined, .out = out};

    sab_tell(out, "study          %s of %s%s", study->path, study->base[0],
             study->nbases > 1 ? " and others" : "");
    sab_tell(out, "  %-37s %6s %8s %8s %6s %7s", "point", "steps", "elements", "unknowns", "MB",
             "disk MB");
    SAB_TRY(check_points(&p, study, err));
    say_sums(&p, study);
cleanup:
    return status;
}
