/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli/main.c -- sablier: dense granular flow without regularisation. */
#include "base/text.h"
#include "cli/args.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "linalg/server.h"
#include "linalg/threads.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const sab_command commands[] = {
    {"run", "run CASE [-o DIR] [--set KEY=VALUE]... [options]",
     "Solve a case (a directory with case.yaml, or a file) and write its result.", "ostrfdAqv",
     true, sab_command_run},
    {"check", "check CASE|STUDY [--set KEY=VALUE]...",
     "Mesh and assemble a case, or list the points of a study; solve nothing.", "stAqv", true,
     sab_command_check},
    {"study", "study STUDY [-o DIR] [-j N] [--backend NAME] [--resume] [options]",
     "Run the points of a study (a directory with study.yaml, or a file).", "ojrfAbuNwiCkqv", 1,
     sab_command_study},
    {"study-task", "study-task DIR INDEX",
     "Run one chain of a study that was prepared with `sablier study --backend`.", "Aqv", 2,
     sab_command_study_task},
    {"converge", "converge CASE --over KEY=A,B,C [-o DIR] [-j N] [options]",
     "Run a case finer and finer; each probe with its order and error.", "oVsjrfAqv", 1,
     sab_command_converge},
    {"calibrate", "calibrate CASE --data TABLE.csv --vary KEY=LOW,HIGH... [options]",
     "Which values of up to three keys explain a table of measurements.", "oEKxySRcpsjrfAqv", 1,
     sab_command_calibrate},
    {"fit", "fit TABLE.csv --x KEY --y KEY [--law LAW] [options]",
     "Fit a law to the rows of a table (results.csv); -o FILE.json keeps it.", "oxyLTZGDcSgaqv",
     true, sab_command_fit},
    {"keys", "keys [PREFIX] [--markdown]",
     "List every key of a case file, or those below PREFIX, and what they mean.", "M", -1,
     sab_command_keys},
    {"new", "new NAME [--from CASE]",
     "Make a directory with a copy of a case, and its mesh, to start from.", "F", -1,
     sab_command_new},
    {"report", "report DIR [-o FILE.html] [--open]",
     "Make one HTML page of a result or a study: DIR/report.html.", "oP", true, sab_command_report},
    {"solve", "solve PROGRAM.sabp [--method NAME] [options]",
     "Solve a cone program of `sablier run --dump-program`; -o FILE keeps u.", "omlOBentqv", true,
     sab_command_solve},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_help(FILE *stream)
{
    fprintf(stream, "sablier %s: dense granular flow without regularisation\n\nusage:\n",
            SAB_VERSION);
    for (int i = 0; i < COMMANDS; i++)
        fprintf(stream, "  sablier %s\n      %s\n", commands[i].usage, commands[i].summary);
    fprintf(stream, "  sablier COMMAND --help | --version | --help\n\n"
                    "exit codes: 0 done, 1 did not converge, 2 usage, 3 bad case or mesh,\n"
                    "            4 out of memory or internal failure, 75 stopped by a signal\n");
}

/* A file opened while a standard stream is closed would get its number, and what is printed would
 * be written into it. Where a stream is closed its place is taken, by something that fails as a
 * closed one does: 1 and 2 cannot be written, 0 cannot be read. */
static bool hold_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
            return false;
    return true;
}

/* Limits under which libraries below would crash or hang: a small stack, which Gmsh and the solvers
 * overrun; and, where addresses are limited, the 128 MB that OpenBLAS takes for each processor as
 * soon as it is loaded, and waits for as long as it has not got them. */
static bool meet_limits(sab_terminal *term, char **argv)
{
    enum { STACK = 512 * 1024 };
    struct rlimit limit;

    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < STACK) {
        limit.rlim_cur = limit.rlim_max < 8 * 1024 * 1024 ? limit.rlim_max : 8 * 1024 * 1024;
        if (limit.rlim_cur < STACK || setrlimit(RLIMIT_STACK, &limit) != 0) {
            sab_complain(term, "the stack is limited to less than 512 kB (ulimit -s)");
            return false;
        }
    }
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        getenv("OPENBLAS_NUM_THREADS") == NULL) {
        setenv("OPENBLAS_NUM_THREADS", "1", 1); /* read when the library is loaded */
        execv("/proc/self/exe", argv);
    }
    return true;
}

int sab_exit_code(sab_status status)
{
    switch (status) {
    case SAB_OK:
        return 0;
    case SAB_ERR_USAGE:
        return 2;
    case SAB_ERR_INPUT:
        return 3;
    case SAB_INTERRUPTED:
        return 75;
    default:
        return 4;
    }
}

/* argv begins with its name; returns the exit code. */
static int run_command(const sab_command *command, int argc, char **argv, sab_terminal *term)
{
    sab_error err = {0};
    sab_args args;

    if (sab_args_parse(command, argc, argv, &args, &err) != SAB_OK) {
        sab_complain(term, err.message);
        return 2;
    }
    if (args.help) {
        sab_args_help(command);
        return sab_say_end(term, 0);
    }
    if (sab_server_processes() > 1 && strncmp(command->name, "study", 5) == 0) {
        sab_complain(term, "a study starts a process for each of its points itself: run it "
                           "without mpirun or srun (docs/scale.md)");
        return 2;
    }
    return command->run(&args);
}

int main(int argc, char **argv)
{
    const char *names[COMMANDS];

    if (!hold_standard_streams())
        return 4;
    sab_terminal term = sab_terminal_create(0);
    if (!meet_limits(&term, argv))
        return 4;
    if (sab_server_start())
        return 0; /* one of the other processes, after process 0 has ended */
    if (argc < 2) {
        print_help(stderr);
        return 2;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return sab_say_end(&term, 0);
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("sablier %s\nBLAS: %s\n", SAB_VERSION, sab_blas_name());
        return sab_say_end(&term, 0);
    }
    for (int i = 0; i < COMMANDS; i++) {
        names[i] = commands[i].name;
        if (strcmp(argv[1], commands[i].name) != 0)
            continue;
        return run_command(&commands[i], argc - 1, argv + 1, &term);
    }
    const char *close = sab_closest_name(argv[1], names, COMMANDS);
    sab_error err = {0};
    sab_fail(&err, SAB_ERR_USAGE, "unknown command '%s'%s%s%s (see sablier --help)", argv[1],
             close != NULL ? "; did you mean '" : "", close != NULL ? close : "",
             close != NULL ? "'?" : "");
    sab_complain(&term, err.message);
    return 2;
}
