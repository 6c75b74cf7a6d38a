/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli/commands.h -- the subcommands; each returns the exit code of the program. */
#ifndef SAB_CLI_COMMANDS_H
#define SAB_CLI_COMMANDS_H

#include "cli/args.h"

int sab_command_run(const sab_args *args);
int sab_command_check(const sab_args *args);
int sab_command_keys(const sab_args *args);
int sab_command_solve(const sab_args *args);
int sab_command_study(const sab_args *args);
int sab_command_study_task(const sab_args *args);
int sab_command_converge(const sab_args *args);
int sab_command_calibrate(const sab_args *args);
int sab_command_fit(const sab_args *args);
int sab_command_new(const sab_args *args);
int sab_command_report(const sab_args *args);
/* Exit code of a failure (docs/reference/commands.md). */
int sab_exit_code(sab_status status);

#endif
