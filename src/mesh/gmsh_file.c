/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gmsh_file.c -- look at a mesh file before Gmsh does. */
#include "mesh/gmsh_file.h"
#include "base/input.h"
#include "base/text.h"
#include "mesh/gmsh.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *extension_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash != NULL ? slash : path, '.');

    return dot != NULL ? dot + 1 : "";
}

bool sab_mesh_file_is_data(const char *path)
{
    return strcmp(extension_of(path), "msh") == 0;
}

static sab_status check_extension(const char *path, bool *is_geo, sab_error *err)
{
    static const char *const known[] = {"geo", "msh"};
    const char *extension = extension_of(path);
    const char *closest = sab_closest_name(extension, known, 2);

    *is_geo = strcmp(extension, "geo") == 0;
    if (*is_geo || sab_mesh_file_is_data(path))
        return SAB_OK;
    return sab_fail(
        err, SAB_ERR_INPUT,
        "the mesh file has the unknown extension '%s%s'%s%s%s: a mesh is a .geo (meshed "
        "here by Gmsh) or a "
        ".msh (for example from: gmsh -2 -o shape.msh shape.geo)",
        extension[0] != '\0' ? "." : "", extension, closest != NULL ? "; did you mean '." : "",
        closest != NULL ? closest : "", closest != NULL ? "'?" : "");
}

static sab_status check_version(const char *head, sab_gmsh_kind *kind, sab_error *err)
{
    double version = 0.0;

    /* At its very beginning: Gmsh runs anything else as a script, whatever the name says. */
    if (strncmp(head, "$MeshFormat", 11) != 0 || sscanf(head + 11, "%lf", &version) != 1)
        return sab_fail(err, SAB_ERR_INPUT,
                        "this is no Gmsh mesh: a .msh begins with $MeshFormat and its version");
    if (floor(version) == 2.0)
        *kind = SAB_GMSH_MSH_2;
    else if (floor(version) == 4.0)
        *kind = SAB_GMSH_MSH_4;
    else
        return sab_fail(err, SAB_ERR_INPUT,
                        "mesh format version %g is not supported; save as 4.1 or 2.2 "
                        "(gmsh -format msh41)",
                        version);
    return SAB_OK;
}

/* Every format ends with a section mark such as $EndElements. Gmsh itself notices some truncated
 * files, but with others it goes on with what it has read. */
static sab_status check_end(FILE *file, sab_error *err)
{
    char tail[128] = "";
    size_t n;

    if (fseek(file, -(long)(sizeof tail - 1), SEEK_END) != 0)
        rewind(file); /* shorter than that */
    n = fread(tail, 1, sizeof tail - 1, file);
    while (n > 0 && isspace((unsigned char)tail[n - 1]))
        n--;
    while (n > 0 && isalnum((unsigned char)tail[n - 1]))
        n--;
    if (n == 0 || strncmp(tail + n - 1, "$End", 4) != 0)
        return sab_fail(err, SAB_ERR_INPUT,
                        "the mesh file is truncated: its last section has no end mark");
    return SAB_OK;
}

sab_status sab_gmsh_file_check(const char *path, sab_gmsh_kind *kind, sab_error *err)
{
    sab_status status = SAB_OK;
    FILE *file = NULL;
    sab_error why;
    char head[512] = "";
    bool is_geo = false;

    *kind = SAB_GMSH_GEO;
    status = sab_input_open(path, &file, NULL, &why);
    if (status != SAB_OK)
        return sab_fail(err, status, "cannot open the mesh file: %s", why.message);
    SAB_TRY(check_extension(path, &is_geo, err));
    if (fread(head, 1, sizeof head - 1, file) == 0) {
        status = ferror(file) ? sab_fail(err, SAB_ERR_INPUT, "cannot read the mesh file: %s",
                                         strerror(errno))
                              : sab_fail(err, SAB_ERR_INPUT, "the mesh file is empty");
        goto cleanup;
    }
    if (is_geo) {
        if (head[0] == '$')
            status = sab_fail(err, SAB_ERR_INPUT,
                              "the .geo file holds a mesh, not a geometry: name it .msh");
    } else {
        SAB_TRY(check_version(head, kind, err));
        SAB_TRY(check_end(file, err));
    }
cleanup:
    fclose(file);
    return status;
}
