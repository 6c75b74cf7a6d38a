/* SPDX-License-Identifier: GPL-3.0-or-later */
/* apart.c -- read a mesh in a process of its own, which can do nothing else (mesh/sandbox.h).
 *
 * The child writes nodes, elements and groups into a file in memory, or its error. Nothing of it is
 * believed: the parent makes the mesh anew, with all checks. */
#define _GNU_SOURCE /* memfd_create */
#include "base/memory.h"
#include "mesh/gmsh.h"
#include "mesh/sandbox.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the child ------------------------------------------------------------------------------- */

static void send(int descriptor, const void *data, size_t size)
{
    for (const char *p = data; size > 0;) {
        const ssize_t n = write(descriptor, p, size);

        if (n > 0) {
            p += n;
            size -= (size_t)n;
        } else if (n == 0 || errno != EINTR) {
            _exit(1);
        }
    }
}

static void send_int(int descriptor, int64_t value)
{
    send(descriptor, &value, sizeof value);
}

static void send_name(int descriptor, int tag, const char *name)
{
    send_int(descriptor, tag);
    send_int(descriptor, (int64_t)strlen(name) + 1);
    send(descriptor, name, strlen(name) + 1);
}

static void send_mesh(int descriptor, const sab_mesh *mesh)
{
    const sab_cell *cell = mesh->cell;

    send_int(descriptor, cell->dim);
    send_int(descriptor, mesh->nnodes);
    send_int(descriptor, mesh->nelements);
    send(descriptor, mesh->x, (size_t)cell->dim * (size_t)mesh->nnodes * sizeof *mesh->x);
    send(descriptor, mesh->element,
         (size_t)cell->nodes * (size_t)mesh->nelements * sizeof *mesh->element);
    send_int(descriptor, mesh->ngroups);
    for (int g = 0; g < mesh->ngroups; g++) {
        const sab_mesh_group *group = &mesh->group[g];

        send_name(descriptor, group->tag, group->name);
        send_int(descriptor, group->nfacets);
        for (int f = 0; f < group->nfacets; f++)
            send(descriptor, sab_mesh_facet(mesh, group->facet[f]),
                 (size_t)cell->facet->corners * sizeof(int));
    }
    send_int(descriptor, mesh->nregions);
    for (int i = 0; i < mesh->nregions; i++) {
        int n = 0;

        for (int e = 0; e < mesh->nelements; e++)
            n += mesh->region[i].has[e];
        send_name(descriptor, mesh->region[i].tag, mesh->region[i].name);
        send_int(descriptor, n);
        for (int e = 0; e < mesh->nelements; e++)
            if (mesh->region[i].has[e])
                send(descriptor, sab_mesh_element(mesh, e), (size_t)cell->corners * sizeof(int));
    }
}

/* Signals by which somebody wants this to end. */
static const int stops[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

static bool is_stop(int number)
{
    for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++)
        if (stops[i] == number)
            return true;
    return false;
}

/* A .geo may make a large mesh of a short text; what is in a .msh is no larger than the file, times
 * what Gmsh keeps for each node and element (some 1000 bytes for one of 30). */
static double memory_for(const char *path, bool is_data)
{
    const double gigabyte = 1073741824.0;
    struct stat info;

    if (!is_data || stat(path, &info) != 0)
        return 8.0 * gigabyte;
    return fmin(0.25 * gigabyte + 200.0 * (double)info.st_size, 8.0 * gigabyte);
}

/* Never returns. */
static void be_child(int descriptor, pid_t parent, bool lenient, const char *path, int dim,
                     int nparameters, const sab_mesh_parameter *parameter)
{
    sab_error err = {0};
    sab_mesh *mesh = NULL;

    for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++) {
        struct sigaction now;

        if (sigaction(stops[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            signal(stops[i], SIG_DFL);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    sab_status status =
        sab_sandbox_enter(descriptor, memory_for(path, sab_mesh_file_is_data(path)), lenient, &err);
    if (status == SAB_OK)
        status = sab_mesh_read(path, dim, nparameters, parameter, &mesh, &err);
    send_int(descriptor, (int64_t)status);
    if (status == SAB_OK)
        send_mesh(descriptor, mesh);
    else
        send(descriptor, &err, sizeof err);
    _exit(0);
}

/* ---- the parent ------------------------------------------------------------------------------ */

typedef struct source {
    const char *at;
    size_t left;
} source;

static const void *take(source *s, size_t size)
{
    const void *data = s->at;

    if (size > s->left)
        return NULL;
    s->at += size;
    s->left -= size;
    return data;
}

/* A count that the rest can hold, at `size` bytes each; -1 if it cannot. */
static int take_count(source *s, size_t size)
{
    const void *data = take(s, sizeof(int64_t));
    int64_t value;

    if (data == NULL)
        return -1;
    memcpy(&value, data, sizeof value);
    return value >= 0 && value <= INT32_MAX && (uint64_t)value <= s->left / size ? (int)value : -1;
}

static sab_status damaged(sab_error *err)
{
    return sab_fail(err, SAB_ERR_INTERNAL, "the process that read the mesh sent something else");
}

/* Groups of sides, or of elements: how to add one, and of how many corners each is. */
typedef sab_status (*adder)(sab_mesh *, const char *, int, int, const int *, sab_error *);

static sab_status take_groups(source *s, int corners, adder add, sab_mesh *mesh, sab_error *err)
{
    const int ngroups = take_count(s, 1);
    sab_status status = ngroups >= 0 ? SAB_OK : damaged(err);
    int *corner = NULL;

    for (int g = 0; g < ngroups && status == SAB_OK; g++) {
        const int64_t *tag = take(s, sizeof *tag);
        const int length = take_count(s, 1);
        const char *name = length > 0 ? take(s, (size_t)length) : NULL;
        const int nsides = take_count(s, (size_t)corners * sizeof *corner);

        if (tag == NULL || name == NULL || name[length - 1] != '\0' || nsides < 0)
            return damaged(err);
        const size_t size = (size_t)corners * (size_t)nsides;
        int64_t number;

        memcpy(&number, tag, sizeof number);
        SAB_NEW(corner, size);
        memcpy(corner, take(s, size * sizeof *corner), size * sizeof *corner);
        status = add(mesh, name, (int)number, nsides, corner, err);
        SAB_FREE(corner);
    }
cleanup:
    SAB_FREE(corner);
    return status;
}

static sab_status take_mesh(source *s, sab_mesh **mesh, sab_error *err)
{
    sab_status status = SAB_OK;
    const int dim = take_count(s, 1);
    const sab_cell *cell =
        dim == sab_cell_triangle.dim ? &sab_cell_triangle : &sab_cell_tetrahedron;
    const int nnodes = take_count(s, (size_t)cell->dim * sizeof(double));
    const int nelements = take_count(s, (size_t)cell->nodes * sizeof(int));
    double *x = NULL;
    int *element = NULL;

    if (dim != cell->dim || nnodes < 0 || nelements < 0)
        return damaged(err);
    const size_t nx = (size_t)dim * (size_t)nnodes, n = (size_t)cell->nodes * (size_t)nelements;
    SAB_NEW(x, nx);
    SAB_NEW(element, n);
    const void *from_x = take(s, nx * sizeof *x), *from = take(s, n * sizeof *element);
    if (from_x == NULL || from == NULL) {
        status = damaged(err);
        goto cleanup;
    }
    memcpy(x, from_x, nx * sizeof *x);
    memcpy(element, from, n * sizeof *element);
    status = sab_mesh_create(cell, nnodes, x, nelements, element, mesh, err);
    x = NULL; /* moved */
    element = NULL;
    SAB_TRY(status);
    SAB_TRY(take_groups(s, cell->facet->corners, sab_mesh_add_group, *mesh, err));
    SAB_TRY(take_groups(s, cell->corners, sab_mesh_add_region, *mesh, err));
cleanup:
    SAB_FREE(x);
    SAB_FREE(element);
    if (status != SAB_OK)
        sab_mesh_destroy(mesh);
    return status;
}

static sab_status take_answer(int descriptor, sab_mesh **mesh, sab_error *err)
{
    struct stat info;
    sab_status status;

    if (fstat(descriptor, &info) != 0 || info.st_size == 0)
        return damaged(err);
    void *data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (data == MAP_FAILED)
        return sab_fail(err, SAB_ERR_MEMORY, "out of memory for the mesh");
    source s = {data, (size_t)info.st_size};
    const int answer = take_count(&s, 1);
    const sab_error *said = answer > 0 ? take(&s, sizeof *said) : NULL;
    if (answer == SAB_OK) {
        status = take_mesh(&s, mesh, err);
    } else if (said != NULL && answer <= SAB_ERR_INTERNAL) {
        status =
            sab_fail(err, (sab_status)answer, "%.*s", (int)sizeof said->message - 1, said->message);
    } else {
        status = damaged(err);
    }
    munmap(data, (size_t)info.st_size);
    return status;
}

sab_status sab_mesh_read_apart(const char *path, bool lenient, int dim, int nparameters,
                               const sab_mesh_parameter *parameter, sab_mesh **mesh, sab_error *err)
{
    const int descriptor = memfd_create("mesh", MFD_CLOEXEC);
    const pid_t parent = getpid(), pid = descriptor >= 0 ? fork() : -1;
    sab_status status;
    int ended = 0;
    pid_t got;

    *mesh = NULL;
    if (pid == 0)
        be_child(descriptor, parent, lenient, path, dim, nparameters, parameter);
    if (pid < 0) {
        status = sab_fail(err, SAB_ERR_MEMORY, "cannot start a process: %s", strerror(errno));
    } else {
        do
            got = waitpid(pid, &ended, 0);
        while (got < 0 && errno == EINTR);
        if (got == pid && WIFSIGNALED(ended) && is_stop(WTERMSIG(ended)))
            status =
                sab_fail(err, SAB_INTERRUPTED, "stopped by a signal while reading mesh '%s'", path);
        else if (got == pid && WIFSIGNALED(ended))
            status =
                sab_fail(err, SAB_ERR_INPUT,
                         "Gmsh was ended by signal %d (%s): the file is damaged, or takes more "
                         "time or memory than a mesh may\n  while reading mesh '%s'",
                         WTERMSIG(ended), strsignal(WTERMSIG(ended)), path);
        else if (got == pid && lseek(descriptor, 0, SEEK_END) == 0)
            status = sab_fail(err, SAB_ERR_INPUT,
                              "the mesh '%s' ended the process: Exit in a .geo? Use Error or Abort",
                              path);
        else
            status = take_answer(descriptor, mesh, err);
    }
    if (descriptor >= 0)
        close(descriptor);
    return status;
}
