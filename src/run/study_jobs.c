/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _XOPEN_SOURCE 700 /* realpath */
#include "run/study_jobs.h"
#include "base/input.h"
#include "base/memory.h"
#include "io/file.h"
#include "io/json.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- jobs.json ------------------------------------------------------------------------------ */

sab_status sab_study_jobs_add(sab_study_jobs *b, const char *id, int list, sab_error *err)
{
    if (b->n == b->capacity) {
        const int capacity = 2 * b->capacity + 16;
        sab_study_job *grown = sab_realloc(b->job, (size_t)capacity, sizeof *grown);

        if (grown == NULL)
            return sab_fail(err, SAB_ERR_MEMORY, "out of memory for %d jobs", capacity);
        b->job = grown;
        b->capacity = capacity;
    }
    b->job[b->n] = (sab_study_job){.list = list};
    snprintf(b->job[b->n++].id, sizeof b->job->id, "%s", id);
    return SAB_OK;
}

sab_status sab_study_jobs_text(char **to, const char *text, sab_error *err)
{
    char *copy = sab_strdup(text);

    if (copy == NULL)
        return sab_fail(err, SAB_ERR_MEMORY, "out of memory");
    SAB_FREE(*to);
    *to = copy;
    return SAB_OK;
}

static const char *scalar(const sab_yaml *map, const char *key)
{
    const sab_yaml *node = sab_yaml_find(map, key);

    return node != NULL && node->kind == SAB_YAML_SCALAR ? node->text : "";
}

/* The number of a job, and what batch systems add to it: never an option of their commands. */
static bool is_id(const char *id)
{
    return isdigit((unsigned char)id[0]) && strlen(id) < sizeof((sab_study_job *)0)->id &&
           strspn(id, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-[]") ==
               strlen(id);
}

static sab_status take_jobs(const sab_yaml *root, sab_study_jobs *b, sab_error *err)
{
    const sab_yaml *jobs = sab_yaml_find(root, "jobs");
    sab_status status = SAB_OK;
    int list;

    b->system = sab_batch_find(scalar(root, "backend"));
    SAB_TRY(sab_study_jobs_text(&b->study, scalar(root, "study"), err));
    SAB_TRY(sab_study_jobs_text(&b->options, scalar(root, "options"), err));
    if (!sab_parse_integer(scalar(root, "at_most"), &b->at_most) ||
        !sab_parse_integer(scalar(root, "lists"), &b->lists) || jobs == NULL ||
        jobs->kind != SAB_YAML_LIST)
        SAB_FAIL(err, SAB_ERR_INPUT, "'%s/jobs.json' is damaged", b->directory);
    for (int i = 0; i < jobs->n; i++) {
        const char *id = scalar(jobs->item[i], "id");

        if (!sab_parse_integer(scalar(jobs->item[i], "list"), &list) || list < 0 || !is_id(id))
            SAB_FAIL(err, SAB_ERR_INPUT, "'%s/jobs.json' is damaged", b->directory);
        SAB_TRY(sab_study_jobs_add(b, id, list, err));
    }
cleanup:
    return status;
}

sab_status sab_study_jobs_read(const char *directory, sab_study_jobs *b, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_yaml *root = NULL;
    char path[SAB_PATH], *real = realpath(directory, NULL);

    *b = (sab_study_jobs){0};
    SAB_TRY(sab_study_jobs_text(&b->options, "", err));
    SAB_TRY(sab_study_jobs_text(&b->study, "", err));
    if (real == NULL)
        goto cleanup; /* no directory, no jobs */
    SAB_TRY(sab_path_set(b->directory, err, "%s/batch", real));
    SAB_TRY(sab_path_set(path, err, "%s/jobs.json", b->directory));
    if (!sab_file_exists(path))
        goto cleanup;
    SAB_TRY(sab_yaml_read(path, &root, err));
    SAB_TRY(take_jobs(root, b, err));
cleanup:
    free(real);
    sab_yaml_destroy(&root);
    return status;
}

void sab_study_jobs_destroy(sab_study_jobs *b)
{
    SAB_FREE(b->study);
    SAB_FREE(b->options);
    SAB_FREE(b->job);
}

sab_status sab_study_jobs_write(const sab_study_jobs *b, sab_error *err)
{
    sab_json json = {0};
    char path[SAB_PATH];

    sab_json_begin_object(&json, NULL);
    sab_json_string(&json, "backend", b->system != NULL ? b->system->name : "list");
    sab_json_string(&json, "study", b->study);
    sab_json_string(&json, "options", b->options);
    sab_json_integer(&json, "at_most", b->at_most);
    sab_json_integer(&json, "lists", b->lists);
    sab_json_begin_array(&json, "jobs");
    for (int i = 0; i < b->n; i++) {
        sab_json_begin_object(&json, NULL);
        sab_json_string(&json, "id", b->job[i].id);
        sab_json_integer(&json, "list", b->job[i].list);
        sab_json_end_object(&json);
    }
    sab_json_end_array(&json);
    sab_json_end_object(&json);
    sab_status status = sab_path_set(path, err, "%s/jobs.json", b->directory);
    if (status == SAB_OK)
        status = sab_json_save(&json, path, err);
    sab_json_destroy(&json);
    return status;
}

void sab_study_jobs_name(const sab_study_jobs *b, char name[SAB_JOB_NAME])
{
    const uint64_t h = sab_hash(SAB_HASH, b->directory, strlen(b->directory));

    snprintf(name, SAB_JOB_NAME, "sablier-%010" PRIx64, h & UINT64_C(0xffffffffff));
}

/* ---- lists of chains ------------------------------------------------------------------------ */

int sab_study_jobs_list(const sab_study_jobs *b, int list, int *chain, int size)
{
    char path[SAB_PATH], line[40];
    FILE *file = NULL;
    int n = 0;

    sab_path_set(path, NULL, "%s/list-%d", b->directory, list);
    if (sab_input_open(path, &file, NULL, NULL) != SAB_OK)
        return 0;
    while (n < size && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (!sab_parse_integer(line, &chain[n]))
            break; /* damaged */
        n++;
    }
    fclose(file);
    return n;
}

sab_status sab_study_jobs_add_list(sab_study_jobs *b, int n, const int *chain, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_text text = {0};
    char path[SAB_PATH];

    b->lists++;
    for (int i = 0; i < n; i++)
        SAB_TRY(sab_text_add(&text, err, "%d\n", chain[i]));
    SAB_TRY(sab_path_set(path, err, "%s/list-%d", b->directory, b->lists));
    SAB_TRY(sab_file_write_text(path, text.data, err));
cleanup:
    sab_text_destroy(&text);
    return status;
}
