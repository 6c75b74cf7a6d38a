/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gmsh_session.c -- start Gmsh, ask whether it is content, and leave the process as it was. */
#include "mesh/gmsh_session.h"
#include "mesh/gmsh.h"
#include "base/memory.h"

#include <gmshc.h>

#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

/* Overrides go in as "-setnumber name value", which is the parser's own variable `name`: it wins
 * over every form of DefineConstant, with or without a Name for ONELAB. (gmshOnelabSetNumber knows
 * only constants that have a Name, under that name.) */
sab_status sab_gmsh_session_open(sab_gmsh_session *s, int nparameters,
                                 const sab_mesh_parameter *parameter, sab_error *err)
{
    enum { WORDS = 3, WORD = 32 }; /* of a parameter: "-setnumber name value"; "%.17g" needs 24 */
    sab_status status = SAB_OK;
    char **argument = NULL;
    char(*value)[WORD] = NULL;
    int n = 0, ierr = 0;

    *s = (sab_gmsh_session){0};
    s->locale = sab_strdup(setlocale(LC_NUMERIC, NULL));
    SAB_NEW(argument, WORDS * nparameters + 2);
    SAB_NEW(value, nparameters);
    if (s->locale == NULL) {
        status = sab_fail(err, SAB_ERR_MEMORY, "out of memory for the name of the locale");
        goto cleanup;
    }
    setlocale(LC_NUMERIC, "C");
#ifdef _OPENMP
    s->threads = omp_get_max_threads();
#endif
    argument[n++] = "sablier";
    for (int i = 0; i < nparameters; i++) {
        snprintf(value[i], WORD, "%.17g", parameter[i].value);
        argument[n++] = "-setnumber";
        argument[n++] = (char *)parameter[i].name; /* not changed by Gmsh */
        argument[n++] = value[i];
    }
#if GMSH_API_VERSION_MAJOR > 4 || GMSH_API_VERSION_MINOR >= 9
    gmshInitialize(n, argument, 0, 0, &ierr); /* configuration files of the user: none */
#else
    gmshInitialize(n, argument, 0, &ierr);
#endif
    if (ierr != 0) {
        status = sab_fail(err, SAB_ERR_INTERNAL, "Gmsh does not start");
        goto cleanup;
    }
    s->started = true;
    gmshOptionSetNumber("General.Terminal", 0.0, &ierr);
    gmshOptionSetNumber("General.Verbosity", 2.0, &ierr); /* errors and warnings, to the logger */
    gmshOptionSetNumber("General.NumThreads", 1.0, &ierr);
    /* Not by exceptions (the default here): they would leave the parser in the middle of a bad
     * file, and the next good one in this process would fail. sab_gmsh_check looks at the log
     * instead. */
    gmshOptionSetNumber("General.AbortOnError", 0.0, &ierr);
    gmshLoggerStart(&ierr);
cleanup:
    SAB_FREE(argument);
    SAB_FREE(value);
    return status;
}

void sab_gmsh_session_close(sab_gmsh_session *s)
{
    int ierr;

    if (s->started) {
        gmshLoggerStop(&ierr);
        gmshOpen("/dev/null", &ierr); /* nothing else makes Gmsh forget the macros of a .geo */
        gmshClear(&ierr); /* finalising alone keeps variables and ONELAB values for the next mesh */
        gmshOnelabClear("", &ierr);
        gmshFinalize(&ierr);
#ifdef _OPENMP
        omp_set_num_threads(s->threads);
#endif
    }
    if (s->locale != NULL)
        setlocale(LC_NUMERIC, s->locale);
    SAB_FREE(s->locale);
}

sab_status sab_gmsh_check(int ierr, const char *doing, sab_error *err)
{
    sab_status status = SAB_OK;
    char **line = NULL;
    size_t n = 0;
    int ignored;

    gmshLoggerGet(&line, &n, &ignored);
    for (size_t i = 0; i < n; i++) {
        if (strncmp(line[i], "Error: ", 7) == 0 && status == SAB_OK)
            status = sab_fail(err, SAB_ERR_INPUT, "Gmsh, %s: %s", doing, line[i] + 7);
        gmshFree(line[i]);
    }
    gmshFree(line);
    if (ierr != 0 && status == SAB_OK)
        status = sab_fail(err, SAB_ERR_INPUT,
                          "Gmsh fails while %s: the file is damaged, or takes more memory than "
                          "there is",
                          doing);
    return status;
}

sab_status sab_gmsh_check_extent(sab_error *err)
{
    static const double FAR = 1e12;
    double low[SAB_DIM] = {0.0}, high[SAB_DIM] = {0.0};
    int ierr = 0;

    gmshModelGetBoundingBox(-1, -1, low, low + 1, low + 2, high, high + 1, high + 2, &ierr);
    for (int j = 0; j < SAB_DIM && ierr == 0; j++)
        if (!(low[j] >= -FAR && high[j] <= FAR))
            return sab_fail(err, SAB_ERR_INPUT,
                            "the geometry reaches to %g, beyond %g: choose units in which it is "
                            "nearer to 1",
                            high[j] <= FAR ? low[j] : high[j], FAR);
    return SAB_OK;
}

void sab_gmsh_merge_data(const char *path, int *ierr)
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    char name[40];

    snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    gmshMerge(descriptor >= 0 ? name : path, ierr); /* if not: Gmsh cannot open it either */
    if (descriptor >= 0)
        close(descriptor);
}

const char *sab_gmsh_entity_name(int dim)
{
    static const char *const name[] = {"point", "curve", "surface", "volume"};

    return name[dim];
}

/* Gmsh takes the type of the first element for that of all: elements of another order are left out
 * here (and overrun an array in gmshModelMeshGetElementsByType, 4.8). Their number tells. */
sab_status sab_gmsh_read_block(int dim, int entity, sab_gmsh_block *b, sab_error *err)
{
    sab_status status = SAB_OK;
    int *type = NULL, ierr = 0;
    size_t **tag = NULL, *ntags = NULL, **node = NULL, *nnodes = NULL;
    size_t ntypes = 0, ntag_lists = 0, nnode_lists = 0;
    size_t *every = NULL, *unused = NULL, nevery = 0, nunused = 0;

    *b = (sab_gmsh_block){0};
    gmshModelMeshGetElements(&type, &ntypes, &tag, &ntags, &ntag_lists, &node, &nnodes,
                             &nnode_lists, dim, entity, &ierr);
    SAB_TRY(sab_gmsh_check(ierr, "listing elements", err));
    if (ntypes == 0 || ntags[0] == 0)
        goto cleanup;
    gmshModelMeshPreallocateElementsByType(type[0], 1, 0, &every, &nevery, &unused, &nunused,
                                           entity, &ierr);
    SAB_TRY(sab_gmsh_check(ierr, "counting elements", err));
    if (ntypes > 1 || nevery != ntags[0]) {
        status = sab_fail(err, SAB_ERR_INPUT, "%s %d has both linear and quadratic elements",
                          sab_gmsh_entity_name(dim), entity);
        goto cleanup;
    }
    *b = (sab_gmsh_block){type[0], ntags[0], nnodes[0] / ntags[0], node[0]};
    node[0] = NULL; /* moved */
cleanup:
    for (size_t t = 0; t < ntypes; t++) {
        gmshFree(tag[t]);
        gmshFree(node[t]);
    }
    gmshFree(type);
    gmshFree(tag);
    gmshFree(ntags);
    gmshFree(node);
    gmshFree(nnodes);
    gmshFree(every);
    gmshFree(unused);
    return status;
}

const char *sab_gmsh_version(void)
{
    return GMSH_API_VERSION;
}
