/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* gethostname */
#include "run/provenance.h"
#include "base/text.h"
#include "io/checkpoint.h"
#include "linalg/factor.h"
#include "linalg/threads.h"
#include "mesh/gmsh.h"
#include "version.h" /* SAB_COMMIT, made by meson */

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The words of this process with spaces between them; what is too long ends in "...". */
static void find_command(char *command, size_t size)
{
    const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, command, size - 1) : 0;
    size_t length = n > 0 ? (size_t)n : 0;

    if (fd >= 0)
        close(fd);
    while (length > 0 && command[length - 1] == '\0')
        length--;
    for (size_t i = 0; i < length; i++)
        if (command[i] == '\0')
            command[i] = ' ';
    command[length] = '\0';
    if (length == size - 1)
        memcpy(command + length - 3, "...", 3);
}

static void hash(sab_json *json, const char *key, uint64_t value)
{
    char text[24];

    snprintf(text, sizeof text, "%016" PRIx64, value);
    sab_json_string(json, key, text);
}

sab_status sab_provenance_write(sab_json *json, const sab_session *session, sab_error *err)
{
    sab_status status = SAB_OK;
    static const char *const name[SAB_BACKENDS] = {
        [SAB_CHOLMOD] = "CHOLMOD", [SAB_MUMPS] = "MUMPS", [SAB_AMG] = "PETSc"};
    sab_text yaml = {0};
    char command[4096], date[32] = "", host[256] = "";
    const time_t now = time(NULL);
    struct tm utc;

    find_command(command, sizeof command);
    if (gmtime_r(&now, &utc) != NULL)
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    if (gethostname(host, sizeof host - 1) != 0)
        host[0] = '\0';
    SAB_TRY(sab_case_resolved(session->c, &yaml, err));
    sab_json_begin_object(json, "provenance");
    sab_json_string(json, "commit", SAB_COMMIT);
    sab_json_string(json, "command", command);
    sab_json_string(json, "date", date);
    sab_json_string(json, "host", host);
    hash(json, "case", sab_hash(SAB_HASH, yaml.data, yaml.length));
    if (session->mesh != NULL) {
        hash(json, "mesh", sab_mesh_hash(session->mesh));
        hash(json, "groups", sab_mesh_group_hash(session->mesh));
    }
    sab_json_begin_object(json, "libraries");
    sab_json_string(json, "Gmsh", sab_gmsh_version());
    for (int i = SAB_CHOLMOD; i < (sab_factor_has_amg() ? SAB_BACKENDS : SAB_AMG); i++)
        sab_json_string(json, name[i], sab_factor_version((sab_factor_backend)i));
    sab_json_string(json, "BLAS", sab_blas_name());
    sab_json_end_object(json);
    sab_json_end_object(json);
cleanup:
    sab_text_destroy(&yaml);
    return status;
}
