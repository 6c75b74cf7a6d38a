/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fence of a directory: one owner, stale ones, takeovers, many that want it at once. */
#define _GNU_SOURCE
#include "../io/io_test.h"

#include "io/file.h"
#include "run/owner.h"

#include <signal.h>

static const char *const batch[] = {
    "SLURM_CLUSTER_NAME",  "SLURM_JOB_ID", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID",
    "SLURM_RESTART_COUNT", "PBS_JOBID",    "LSB_JOBID"};

static void begin(void)
{
    for (size_t i = 0; i < sizeof batch / sizeof batch[0]; i++)
        unsetenv(batch[i]);
    scratch_create();
}

static void end(void)
{
    CU_ASSERT_EQUAL(count_files(scratch), 0);
    scratch_remove();
}

static sab_owner *take(void)
{
    sab_owner *owner = NULL;
    sab_error err = {0};

    if (sab_owner_take(scratch, "owner", &owner, &err) != SAB_OK)
        printf("%s\n", err.message);
    CU_ASSERT_PTR_NOT_NULL_FATAL(owner);
    CU_ASSERT_EQUAL(sab_owner_check(owner, NULL), SAB_OK);
    return owner;
}

/* By the way that an owner has. */
static bool can_write(const sab_owner *owner)
{
    sab_error err = {0};
    char path[300];

    snprintf(path, sizeof path, "%s/file", sab_owner_inside(owner));
    const bool written = sab_file_write_text(path, "text", &err) == SAB_OK;
    CU_ASSERT_EQUAL(sab_file_exists(scratch_path("file")), written);
    unlink(scratch_path("file"));
    sab_owner_plain(owner, &err);
    CU_ASSERT(written || strstr(err.message, scratch_path("file")) != NULL);
    return written;
}

static void refused(const char *words)
{
    sab_owner *owner = NULL;
    sab_error err = {0};

    CU_ASSERT_EQUAL(sab_owner_take(scratch, "owner", &owner, &err), SAB_ERR_USAGE);
    CU_ASSERT_PTR_NULL(owner);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, words));
    CU_ASSERT_EQUAL(sab_owner_ask(scratch, "owner", 0.0, &err), SAB_ERR_USAGE);
    CU_ASSERT_EQUAL(sab_owner_look(scratch, "owner", NULL), SAB_OWNER_OTHER);
}

/* owner.1 as this process would write it, with one line changed. */
static void forge(const char *key, const char *value)
{
    sab_owner *owner = take();
    char *text = slurp(scratch_path("owner.1"), NULL), line[300];
    FILE *file = fopen(scratch_path("forged"), "w");
    bool found = false;

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    for (char *at = strtok(text, "\n"); at != NULL; at = strtok(NULL, "\n")) {
        snprintf(line, sizeof line, "%s ", key);
        const bool here = strncmp(at, line, strlen(line)) == 0;

        found = found || here;
        fprintf(file, "%s%s\n", here ? line : at, here ? value : "");
    }
    CU_ASSERT(found);
    fclose(file);
    free(text);
    sab_owner_release(&owner);
    CU_ASSERT_EQUAL(rename(scratch_path("forged"), scratch_path("owner.1")), 0);
}

static void taken_from_dead(void)
{
    CU_ASSERT_EQUAL(sab_owner_look(scratch, "owner", NULL), SAB_OWNER_DEAD);
    CU_ASSERT_EQUAL(sab_owner_ask(scratch, "owner", 0.0, NULL), SAB_OK);
    sab_owner *owner = take();
    CU_ASSERT_EQUAL(count_files(scratch), 2); /* and a directory of its own */
    CU_ASSERT(sab_file_exists(scratch_path("owner.2")));
    CU_ASSERT(can_write(owner));
    sab_owner_release(&owner);
    CU_ASSERT_EQUAL(count_files(scratch), 0);
}

static void test_one(void)
{
    begin();
    CU_ASSERT_EQUAL(sab_owner_look(scratch, "owner", NULL), SAB_OWNER_NONE);
    sab_owner *owner = take(), *other = NULL;
    refused("is in use: process");
    CU_ASSERT_EQUAL(sab_owner_take(scratch, "chain", &other, NULL), SAB_OK); /* another fence */
    sab_owner_release(&other);
    sab_owner_release(&owner);
    CU_ASSERT_PTR_NULL(owner);
    sab_owner_release(&owner);
    owner = take();
    sab_owner_release(&owner);
    CU_ASSERT_EQUAL(sab_owner_check(NULL, NULL), SAB_OK);
    end();
}

/* Power cut, process that has ended, process number used again; but not another host. */
static void test_stale(void)
{
    begin();
    forge("boot", "00000000-0000-0000-0000-000000000000");
    taken_from_dead();
    forge("start", "1");
    taken_from_dead();
    forge("host", "elsewhere");
    refused("host 'elsewhere'");
    sab_owner_drop(scratch, "owner");
    forge("machine", "another");
    refused("is in use");
    sab_owner_drop(scratch, "owner");
    forge("space", "pid:[1]");
    refused("is in use");
    sab_owner_drop(scratch, "owner");
    forge("pid", "no number");
    refused("cannot be read");
    sab_owner_drop(scratch, "owner");

    const pid_t child = fork();
    if (child == 0) {
        sab_owner *owner = take();

        (void)owner;
        kill(getpid(), SIGKILL); /* without giving it back */
    }
    siginfo_t info;
    waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
    CU_ASSERT_EQUAL(sab_owner_look(scratch, "owner", NULL), SAB_OWNER_DEAD); /* not yet reaped */
    waitpid(child, NULL, 0);
    taken_from_dead();
    end();
}

/* A later start of the same job takes over from one that is alive; nobody else does. */
static void test_restart(void)
{
    begin();
    sab_error err = {0};
    setenv("SLURM_CLUSTER_NAME", "test", 1);
    setenv("SLURM_ARRAY_JOB_ID", "17", 1);
    setenv("SLURM_ARRAY_TASK_ID", "3", 1);
    sab_owner *first = take();
    refused("job test:17_3");
    setenv("SLURM_ARRAY_TASK_ID", "4", 1);
    setenv("SLURM_RESTART_COUNT", "1", 1);
    refused("job test:17_3");
    setenv("SLURM_ARRAY_TASK_ID", "3", 1);
    CU_ASSERT_EQUAL(sab_owner_look(scratch, "owner", NULL), SAB_OWNER_EARLIER);
    sab_owner *second = take();
    CU_ASSERT_EQUAL(sab_owner_check(first, &err), SAB_ERR_IO);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "taken over by process"));
    CU_ASSERT_FALSE(can_write(first)); /* also without asking first */
    CU_ASSERT(can_write(second));
    sab_owner_release(&first);
    CU_ASSERT_EQUAL(sab_owner_check(second, NULL), SAB_OK);
    setenv("SLURM_RESTART_COUNT", "0", 1); /* an earlier start comes late */
    refused("job test:17_3");
    sab_owner_drop(scratch, "owner");
    CU_ASSERT_EQUAL(sab_owner_check(second, &err), SAB_ERR_IO);
    sab_owner_release(&second);
    end();
}

/* Many processes find the directory free, or its owner dead, at the same moment: one gets it. */
static void test_crowd(void)
{
    enum { ROUNDS = 40, CROWD = 6 };

    begin();
    for (int round = 0; round < ROUNDS; round++) {
        int gate[2], back[2], owners = 0;
        pid_t child[CROWD];

        if (round % 2 == 1)
            forge("start", "1");
        CU_ASSERT_EQUAL_FATAL(pipe(gate), 0);
        CU_ASSERT_EQUAL_FATAL(pipe(back), 0);
        for (int i = 0; i < CROWD; i++)
            if ((child[i] = fork()) == 0) {
                sab_owner *owner = NULL;
                char byte;

                close(gate[1]);
                (void)!read(gate[0], &byte, 1); /* all at once */
                const sab_status status = sab_owner_take(scratch, "owner", &owner, NULL);
                byte = status == SAB_OK && sab_owner_check(owner, NULL) == SAB_OK ? 'y' : 'n';
                (void)!write(back[1], &byte, 1);
                close(back[1]);
                pause();
            }
        close(gate[0]);
        close(gate[1]);
        for (int i = 0; i < CROWD; i++) {
            char byte = '?';

            CU_ASSERT_EQUAL(read(back[0], &byte, 1), 1);
            owners += byte == 'y';
        }
        CU_ASSERT_EQUAL(owners, 1);
        CU_ASSERT_EQUAL(count_files(scratch), 2);
        for (int i = 0; i < CROWD; i++) {
            kill(child[i], SIGKILL);
            waitpid(child[i], NULL, 0);
        }
        close(back[0]);
        close(back[1]);
        sab_owner_drop(scratch, "owner");
    }
    end();
}

static void test_failures(void)
{
    sab_status status = SAB_ERR_MEMORY;
    sab_owner *owner = NULL;

    begin();
    for (long k = 0; k < 20 && status == SAB_ERR_MEMORY; k++) {
        CU_ASSERT_EQUAL(count_files(scratch), 0);
        const long live = sab_memory.live;
        sab_memory.failing = k;
        status = sab_owner_take(scratch, "owner", &owner, NULL);
        sab_memory.failing = -1;
        CU_ASSERT(status == SAB_OK || sab_memory.live == live);
    }
    CU_ASSERT_EQUAL(status, SAB_OK);
    sab_owner_release(&owner);
    CU_ASSERT_EQUAL(sab_owner_take(scratch_path("none"), "owner", &owner, NULL), SAB_ERR_IO);
    end();
}

int main(void)
{
    static const sab_test tests[] = {
        {"one owner", test_one}, {"stale owners", test_stale}, {"restart of a job", test_restart},
        {"a crowd", test_crowd}, {"failures", test_failures},
    };

    return SAB_TEST_MAIN("run/owner", tests);
}
