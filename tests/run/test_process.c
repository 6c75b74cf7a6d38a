/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Other programs as children: codes, files, and what is known of them when nothing can be. */
#define _GNU_SOURCE
#include "../unit.h"

#include "run/process.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What `script` prints, and on its second output; the code. */
static int run(const char *program, const char *script, bool leash, char *text, size_t size)
{
    const char *const word[] = {program, "-c", script, NULL};
    FILE *output = tmpfile();
    sab_error err = {0};
    pid_t pid = -1;

    CU_ASSERT_PTR_NOT_NULL_FATAL(output);
    CU_ASSERT_EQUAL_FATAL(
        sab_process_start(program, word, fileno(output), fileno(output), leash, &pid, &err),
        SAB_OK);
    const int code = sab_process_wait(pid);
    rewind(output);
    text[fread(text, 1, size - 1, output)] = '\0';
    fclose(output);
    return code;
}

static void test_codes(void)
{
    char text[200];

    CU_ASSERT_EQUAL(run("sh", "exit 0", false, text, sizeof text), 0);
    CU_ASSERT_EQUAL(run("sh", "exit 75", true, text, sizeof text), 75);
    CU_ASSERT_EQUAL(run("/bin/sh", "kill -KILL $$", false, text, sizeof text), 128 + SIGKILL);
    CU_ASSERT_EQUAL(run("sh", "cat; echo out; echo err >&2", false, text, sizeof text), 0);
    CU_ASSERT_STRING_EQUAL(text, "out\nerr\n"); /* and nothing on its standard input */
    CU_ASSERT_EQUAL(run("no-such-program", "", false, text, sizeof text), 127);
    CU_ASSERT_STRING_EQUAL(text, "No such file or directory\n");
}

/* On a leash it is in a group of its own: the signals of the terminal are not for it. */
static void test_leash(void)
{
    char text[200], own[40];

    snprintf(own, sizeof own, "%ld\n", (long)getpgrp());
    run("sh", "cut -d' ' -f5 /proc/$$/stat", false, text, sizeof text);
    CU_ASSERT_STRING_EQUAL(text, own);
    run("sh", "cut -d' ' -f5 /proc/$$/stat", true, text, sizeof text);
    CU_ASSERT_STRING_NOT_EQUAL(text, own);
}

/* Still at work: -1. It ends when its pipe does, not after some time. */
static void test_asking(void)
{
    const char *const word[] = {"sh", "-c", "read line <&3; exit 7", NULL};
    int ends[2];
    siginfo_t info;
    sab_error err = {0};
    pid_t pid = -1;

    CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
    CU_ASSERT_EQUAL_FATAL(dup2(ends[0], 3), 3);
    CU_ASSERT_EQUAL_FATAL(sab_process_start("sh", word, 1, 2, true, &pid, &err), SAB_OK);
    CU_ASSERT_EQUAL(sab_process_code(pid), -1);
    CU_ASSERT_EQUAL(write(ends[1], "\n", 1), 1);
    CU_ASSERT_EQUAL(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0); /* it has ended */
    CU_ASSERT_EQUAL(sab_process_code(pid), 7);
    /* who asks again is not told that it went well */
    CU_ASSERT_EQUAL(sab_process_code(pid), SAB_PROCESS_LOST);
    CU_ASSERT_EQUAL(sab_process_wait(pid), SAB_PROCESS_LOST);
    close(3);
    for (int i = 0; i < 2; i++)
        if (ends[i] != 3)
            close(ends[i]);
}

/* A program that was started with SIGCHLD ignored still learns how its children end. */
static void test_ignored(void)
{
    char text[200];

    signal(SIGCHLD, SIG_IGN);
    CU_ASSERT_EQUAL(run("sh", "exit 3", true, text, sizeof text), 3);
    signal(SIGCHLD, SIG_DFL);
}

int main(void)
{
    static const sab_test tests[] = {{"codes and files", test_codes},
                                     {"a group of its own", test_leash},
                                     {"asking without waiting", test_asking},
                                     {"signals of children ignored", test_ignored}};

    return SAB_TEST_MAIN("run/process", tests);
}
