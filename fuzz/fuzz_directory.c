/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that a study finds in its directory. The first byte says which: the file of the owner, what
 * was submitted to a batch system, the mark of a point, its summary, its log. */
#include "fuzz.h"
#include "run/owner.h"
#include "run/study_jobs.h"
#include "run/study_point.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];

static void remove_all(void)
{
    char command[100];

    snprintf(command, sizeof command, "rm -rf %s", root);
    if (system(command) != 0)
        abort();
}

static void make_directories(void)
{
    static const char *const name[] = {"batch", "points", "points/p"};
    char path[100];

    snprintf(root, sizeof root, "/dev/shm/sablier-fuzz-XXXXXX");
    if (mkdtemp(root) == NULL)
        abort();
    atexit(remove_all);
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", root, name[i]);
        if (mkdir(path, 0777) != 0)
            abort();
    }
}

static void put(const char *name, const char *before, const uint8_t *data, size_t size)
{
    char path[100];

    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fputs(before, file) < 0 || fwrite(data, 1, size, file) != size ||
        fclose(file) != 0)
        abort();
}

static void look_at_owner(const uint8_t *data, size_t size)
{
    sab_owner_who who;

    put("owner.1", "stamp 1\n", data, size); /* without it one waits for the rest */
    fuzz_promise(sab_owner_look(root, SAB_RUN_OWNER, &who) != SAB_OWNER_NONE, "somebody owns it");
}

static void look_at_jobs(const uint8_t *data, size_t size)
{
    sab_study_jobs jobs;
    sab_error err = {0};

    put("batch/jobs.json", "", data, size);
    if (sab_study_jobs_read(root, &jobs, &err) != SAB_OK)
        fuzz_promise(err.message[0] != '\0', "a refusal has a sentence");
    for (int i = 0; i < jobs.n; i++)
        fuzz_promise(jobs.job[i].id[0] >= '0' && jobs.job[i].id[0] <= '9', "a job has a number");
    sab_study_jobs_destroy(&jobs);
}

static void look_at_point(const char *file, const uint8_t *data, size_t size)
{
    static const char *const path[] = {"probes.a", "probes.a_x", "solver.gap", "ledger.made", "."};
    static const char mark[] = "{\"hash\": \"0000000000000001\", \"exit\": 0}\n";
    sab_study_point point = {.name = "p", .hash = 1, .exit = -1};
    char points[100], text[200];

    put("points/p/point.json", "", (const uint8_t *)mark, sizeof mark - 1);
    put("points/p/summary.json", "", (const uint8_t *)"{}", 2);
    put(file, "", data, size);
    snprintf(points, sizeof points, "%s/points", root);
    (void)sab_study_point_find(points, &point);
    (void)sab_study_point_failed(points, &point);
    (void)sab_study_point_trouble(&point, text, sizeof text);
    for (int i = 0; i < 5; i++)
        (void)sab_study_point_number(&point, path[i]);
    for (int i = 0; i < sab_study_point_warnings(&point); i++)
        fuzz_promise(sab_study_point_warning(&point, i) != NULL, "a warning has a text");
    (void)sab_study_point_complaint(points, &point, text, sizeof text);
    fuzz_promise(strlen(text) < sizeof text, "texts end");
    sab_study_point_destroy(&point);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (root[0] == '\0')
        make_directories();
    if (size == 0)
        return 0;
    switch (data[0]) {
    case 'o':
        look_at_owner(data + 1, size - 1);
        break;
    case 'j':
        look_at_jobs(data + 1, size - 1);
        break;
    case 'p':
        look_at_point("points/p/point.json", data + 1, size - 1);
        break;
    case 's':
        look_at_point("points/p/summary.json", data + 1, size - 1);
        break;
    case 'l':
        look_at_point("points/p/log.txt", data + 1, size - 1);
        break;
    default:
        break;
    }
    return 0;
}
