/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli/page.c -- `sablier report`: a page of a result, made by the Python package. */
#include "base/path.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "linalg/server.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The script beside this program: installed as sablier-report, or in the source tree above the
 * build directory. */
static bool find_script(char path[SAB_PATH])
{
    static const char *const place[] = {"sablier-report", "../../../postproc/report.py"};
    char self[SAB_PATH];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

    if (n <= 0)
        return false;
    self[n] = '\0';
    *strrchr(self, '/') = '\0';
    for (size_t i = 0; i < sizeof place / sizeof place[0]; i++) {
        if (sab_path_set(path, NULL, "%s/%s", self, place[i]) == SAB_OK && access(path, X_OK) == 0)
            return true;
    }
    return false;
}

int sab_command_report(const sab_args *args)
{
    sab_terminal term = sab_terminal_create(0);
    char script[SAB_PATH];
    const char *word[5] = {script, args->target};
    int n = 2;

    if (args->output != NULL)
        word[n++] = args->output;
    if (args->open)
        word[n++] = "--open";
    if (!find_script(script)) {
        sab_complain(&term,
                     "there is no sablier-report beside this program: install it (meson install)");
        return 4;
    }
    sab_server_stop();
    execv(script, (char *const *)word);
    sab_complain(&term, "cannot start sablier-report: it needs python3 with numpy, matplotlib, "
                        "meshio and pandas");
    return 4;
}
