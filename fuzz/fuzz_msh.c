/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A .msh through Gmsh and our reader; the mesh it gives holds together. */
#include "fuzz.h"
#include "mesh/gmsh.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sab_error err = {0};
    sab_mesh *mesh = NULL;
    char path[64];

    snprintf(path, sizeof path, "/dev/shm/sablier-fuzz-%d.msh", (int)getpid());
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        abort();
    fwrite(data, 1, size, file);
    fclose(file);
    if (sab_mesh_read(path, 0, 0, NULL, &mesh, &err) == SAB_OK)
        for (int i = 0; i < mesh->cell->nodes * mesh->nelements; i++)
            fuzz_promise(mesh->element[i] >= 0 && mesh->element[i] < mesh->nnodes, "nodes exist");
    else
        fuzz_promise(err.message[0] != '\0', "a refusal has a sentence");
    sab_mesh_destroy(&mesh);
    unlink(path);
    return 0;
}
