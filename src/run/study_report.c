/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/study_report.c -- what a study has come to: counts, its fit, study.json, brackets.csv. */
#include "base/text.h"
#include "io/json.h"
#include "run/study.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- warnings ------------------------------------------------------------------------------- */

/* The same sentence, but for the numbers in it? */
static bool alike(const char *a, const char *b)
{
    static const char number[] = "0123456789.+-e";

    while (*a != '\0' && *b != '\0') {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            a += strspn(a, number);
            b += strspn(b, number);
        } else if (*a++ != *b++) {
            return false;
        }
    }
    return *a == *b;
}

const char *sab_study_warns(const sab_study_point *p, const char *sentence)
{
    for (int k = 0; k < sab_study_point_warnings(p); k++)
        if (alike(sab_study_point_warning(p, k), sentence))
            return sab_study_point_warning(p, k);
    return NULL;
}

const char *sab_study_warning(const sab_study_run *run, int i, int k)
{
    const char *sentence = sab_study_point_warning(&run->point[i], k);

    for (int j = 0; j < k; j++)
        if (alike(sab_study_point_warning(&run->point[i], j), sentence))
            return NULL;
    for (int j = 0; j < i; j++)
        if (sab_study_warns(&run->point[j], sentence) != NULL)
            return NULL;
    return sentence;
}

sab_status sab_study_write(const sab_study_run *run, sab_error *err)
{
    sab_json json = {0};
    char path[SAB_PATH], text[300];

    sab_json_begin_object(&json, NULL);
    sab_json_string(&json, "version", SAB_VERSION);
    sab_json_string(&json, "title", run->study->title);
    sab_json_integer(&json, "points", run->done);
    sab_json_integer(&json, "failed", run->failed);
    sab_json_integer(&json, "missed", run->missed);
    sab_json_integer(&json, "warned", run->warned);
    sab_json_begin_object(&json, SAB_LEFT_OUT);
    for (int i = 0; i < run->npoints; i++)
        if (run->point[i].state != SAB_STUDY_POINT_NONE && !sab_study_point_good(&run->point[i]))
            sab_json_string(&json, run->point[i].name,
                            sab_study_point_trouble(&run->point[i], text, sizeof text));
    sab_json_end_object(&json);
    sab_json_begin_array(&json, "warnings");
    for (int i = 0; i < run->npoints; i++)
        for (int k = 0; k < sab_study_point_warnings(&run->point[i]); k++) {
            const char *sentence = sab_study_warning(run, i, k);

            if (sentence == NULL)
                continue;
            sab_json_begin_object(&json, NULL);
            sab_json_string(&json, "warning", sentence);
            sab_json_begin_array(&json, "points");
            for (int j = i; j < run->npoints; j++)
                if (sab_study_warns(&run->point[j], sentence) != NULL)
                    sab_json_string(&json, NULL, run->point[j].name);
            sab_json_end_array(&json);
            sab_json_end_object(&json);
        }
    sab_json_end_array(&json);
    sab_json_end_object(&json);
    sab_status status = sab_path_set(path, err, "%s/study.json", run->directory);
    if (status == SAB_OK)
        status = sab_json_save(&json, path, err);
    sab_json_destroy(&json);
    return status;
}

sab_study_counts sab_study_count(const sab_study_run *run)
{
    sab_study_counts n = {0};

    for (int i = 0; i < run->npoints; i++) {
        const sab_study_point *p = &run->point[i];

        n.running += strcmp(p->status, "running") == 0;
        n.interrupted += strcmp(p->status, "interrupted") == 0;
        n.pending += p->state == SAB_STUDY_POINT_PENDING;
        n.unfinished += p->state == SAB_STUDY_POINT_PENDING || p->state == SAB_STUDY_POINT_RUNNING;
    }
    return n;
}

sab_fit_request sab_study_fit(const sab_study_run *run, const sab_table *table)
{
    sab_fit_request request = run->study->fit;
    char name[200];

    if (run->study->fit_weighted && strncmp(request.y, "probes.", 7) == 0) {
        snprintf(name, sizeof name, "deviations.%.180s", request.y + 7);
        const int column = sab_table_find(table, name);
        if (column >= 0)
            request.sigma = table->column[column];
    }
    return request;
}

/* ---- brackets ------------------------------------------------------------------------------- */

/* Are two points that can be trusted near enough to each other? */
static bool is_certified(const sab_study_run *run, const sab_chain *c)
{
    return c->sure_flowing >= 0 && c->sure_arrested >= 0 &&
           fabs(run->point[c->sure_flowing].value - run->point[c->sure_arrested].value) <=
               run->study->bracket.width * (1.0 + 1e-9);
}

const char *sab_study_bracket_state(const sab_study_run *run, const sab_chain *c)
{
    const sab_study_point *last =
        &run->point[c->first + (c->next > 0 ? c->next - 1 : 0) * c->stride];

    return c->broken && last->state == SAB_STUDY_POINT_RUNNING     ? last->status
           : c->broken && strcmp(last->status, "interrupted") == 0 ? "interrupted"
           : c->broken && last->state == SAB_STUDY_POINT_PENDING   ? "pending"
           : c->broken                                             ? "failed"
           : c->next < 2                                           ? "pending"
           : is_certified(run, c)                                  ? "bracketed"
           : c->flowing >= 0 && c->arrested >= 0                   ? "not certified"
           : c->flowing >= 0                                       ? "flows at both ends"
                                                                   : "arrested at both ends";
}

int sab_study_missed(const sab_study_run *run, const sab_chain *c)
{
    int missed = 0;

    for (int i = 0; i < c->next; i++)
        missed += !sab_study_point_good(&run->point[c->first + i * c->stride]);
    return missed;
}

static sab_status fill_row(const sab_study_run *run, const sab_chain *c, sab_table *t,
                           sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_study *s = run->study;
    const int combination = run->point[c->first].combination;
    char text[40];

    SAB_TRY(sab_table_add_row(t, err));
    for (int k = 0; k < s->nkeys; k++)
        SAB_TRY(
            sab_table_set(t, s->key[k].name, sab_study_plain_value(s, combination, k, text), err));
    if (c->sure_flowing >= 0)
        SAB_TRY(sab_table_set(
            t, "flowing", sab_study_point_value(&run->point[c->sure_flowing], text, sizeof text),
            err));
    if (c->sure_arrested >= 0)
        SAB_TRY(sab_table_set(
            t, "arrested", sab_study_point_value(&run->point[c->sure_arrested], text, sizeof text),
            err));
    if (is_certified(run, c)) {
        const double low = run->point[c->sure_flowing].value;
        const double high = run->point[c->sure_arrested].value;

        snprintf(text, sizeof text, "%.12g", 0.5 * (low + high));
        SAB_TRY(sab_table_set(t, "threshold", text, err));
    }
    SAB_TRY(sab_table_set_number(t, "points", c->next, err));
    SAB_TRY(sab_table_set_number(t, "missed", sab_study_missed(run, c), err));
    SAB_TRY(sab_table_set(t, "status", sab_study_bracket_state(run, c), err));
cleanup:
    return status;
}

sab_status sab_study_write_brackets(const sab_study_run *run, sab_error *err)
{
    static const char *const column[] = {"flowing", "arrested", "threshold",
                                         "points",  "missed",   "status"};
    sab_status status = SAB_OK;
    sab_table *t = NULL;
    char path[SAB_PATH];

    SAB_TRY(sab_path_set(path, err, "%s/brackets.csv", run->directory));
    SAB_TRY(sab_table_create(path, &t, err));
    for (int k = 0; k < run->study->nkeys; k++)
        SAB_TRY(sab_table_add_column(t, run->study->key[k].name, err));
    for (size_t i = 0; i < sizeof column / sizeof column[0]; i++)
        SAB_TRY(sab_table_add_column(t, column[i], err));
    for (int c = 0; c < run->nchains; c++)
        SAB_TRY(fill_row(run, &run->chain[c], t, err));
    SAB_TRY(sab_table_write(t, path, err));
cleanup:
    sab_table_destroy(&t);
    return status;
}
