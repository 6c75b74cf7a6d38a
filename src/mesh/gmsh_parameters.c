/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gmsh_parameters.c -- which numbers of a .geo can be set: Gmsh itself is asked.
 *
 * Gmsh takes any number and keeps it as a variable, used or not. A parameter is a variable that the
 * .geo defines (it is there when nothing is set) and that keeps what it is given (DefineConstant
 * does, an assignment does not). So the .geo is read with and without the numbers, before the
 * mesh is made from it, and the parser is asked for its variables. */
#define _GNU_SOURCE /* memfd_create */
#include "mesh/gmsh_parameters.h"
#include "mesh/gmsh_session.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/text.h"

#include <gmshc.h>

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Words of the text: what could be the name of a variable --------------------------------- */

static bool is_word(const char *p)
{
    return isalpha((unsigned char)*p) || *p == '_';
}

/* Blanks and comments. */
static const char *skip_blank(const char *p)
{
    for (;;) {
        if (isspace((unsigned char)*p)) {
            p++;
        } else if (p[0] == '/' && p[1] == '/') {
            p += strcspn(p, "\n");
        } else if (p[0] == '/' && p[1] == '*') {
            const char *end = strstr(p + 2, "*/");
            p = end != NULL ? end + 2 : p + strlen(p);
        } else {
            return p;
        }
    }
}

/* One character, or a whole string, or a whole word. */
static const char *skip_token(const char *p)
{
    if (*p == '"') {
        const char *end = strchr(p + 1, '"');
        return end != NULL ? end + 1 : p + strlen(p);
    }
    if (!is_word(p))
        return p + 1;
    while (isalnum((unsigned char)*p) || *p == '_')
        p++;
    return p;
}

typedef struct word_list {
    char **word; /* owned, as are the words */
    int n, capacity;
} word_list;

static sab_status add_word(word_list *list, const char *begin, size_t length, sab_error *err)
{
    for (int i = 0; i < list->n; i++)
        if (strlen(list->word[i]) == length && strncmp(list->word[i], begin, length) == 0)
            return SAB_OK;
    if (list->n == list->capacity) {
        const int capacity = list->capacity + list->capacity + 8;
        char **word = sab_realloc(list->word, (size_t)capacity, sizeof *word);

        if (word == NULL)
            return sab_fail(err, SAB_ERR_MEMORY, "out of memory for mesh parameters");
        list->word = word;
        list->capacity = capacity;
    }
    char *copy = sab_alloc(length + 1, 1);
    if (copy == NULL)
        return sab_fail(err, SAB_ERR_MEMORY, "out of memory for mesh parameters");
    memcpy(copy, begin, length);
    list->word[list->n++] = copy;
    return SAB_OK;
}

/* NULL if it cannot be read: Gmsh will complain about an included file that is not there. */
static sab_status read_text(const char *path, char **text, sab_error *err)
{
    size_t length = 0;
    const sab_status status = sab_input_read(path, LLONG_MAX, "a mesh", text, &length, err);

    return status == SAB_ERR_INPUT ? SAB_OK : status;
}

/* The words of a file, and of those it includes with paths relative to its own. */
static sab_status scan_file(const char *path, int depth, word_list *list, sab_error *err)
{
    enum { MAX_DEPTH = 8 }; /* a file that includes itself ends too */
    sab_status status = SAB_OK;
    char *text = NULL;
    sab_text included = {0};

    SAB_TRY(read_text(path, &text, err));
    for (const char *p = text; p != NULL && *(p = skip_blank(p)) != '\0';) {
        const char *end = skip_token(p), *next = skip_blank(end);
        const size_t length = (size_t)(end - p);

        if (length == 7 && strncmp(p, "Include", 7) == 0 && *next == '"' && depth < MAX_DEPTH) {
            const char *slash = next[1] == '/' ? NULL : strrchr(path, '/');

            end = skip_token(next);
            included.length = 0;
            SAB_TRY(sab_text_add(&included, err, "%.*s%.*s",
                                 slash != NULL ? (int)(slash + 1 - path) : 0, path,
                                 end > next + 2 ? (int)(end - next) - 2 : 0, next + 1));
            SAB_TRY(scan_file(included.data, depth + 1, list, err));
        } else if (is_word(p)) {
            SAB_TRY(add_word(list, p, length, err));
        }
        p = end;
    }
cleanup:
    sab_text_destroy(&included);
    SAB_FREE(text);
    return status;
}

/* ---- Variables of the parser ----------------------------------------------------------------- */

/* The number that the variable has now; NAN if there is none, or it is a list or a text. This
 * version of Gmsh answers through ONELAB, and reads questions from a file. */
static sab_status ask(const char *name, double *value, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_text question = {0};
    char path[40];
    double *number = NULL;
    size_t n = 0;
    int ierr;
    const int file = memfd_create("sablier", MFD_CLOEXEC);

    *value = NAN;
    if (file < 0) {
        status = sab_fail(err, SAB_ERR_IO, "no file to ask Gmsh for its variables");
        goto cleanup;
    }
    SAB_TRY(
        sab_text_add(&question, err,
                     "If(Exists(StringToName[\"%s\"]))\n" /* the word may be one of Gmsh's own */
                     "SetNumber(\"sablier/%s\", StringToName[\"%s\"]);\nEndIf\n",
                     name, name, name));
    if (write(file, question.data, question.length) != (ssize_t)question.length) {
        status = sab_fail(err, SAB_ERR_IO, "cannot write a question to Gmsh");
        goto cleanup;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    gmshLoggerStop(&ierr); /* forget what it has complained of so far */
    gmshLoggerStart(&ierr);
    gmshMerge(path, &ierr);
    if (sab_gmsh_check(ierr, "asking for a variable", NULL) != SAB_OK)
        goto cleanup; /* a text */
    question.length = 0;
    SAB_TRY(sab_text_add(&question, err, "sablier/%s", name));
    gmshOnelabGetNumber(question.data, &number, &n, &ierr);
    if (n == 1)
        *value = number[0];
cleanup:
    gmshFree(number);
    if (file >= 0)
        close(file);
    sab_text_destroy(&question);
    return status;
}

/* Read the .geo with these numbers set, and take the variables. Its complaints are not ours: they
 * come again when it is read for the mesh. */
static sab_status read_variables(const char *path, int nset, const sab_mesh_parameter *set, int n,
                                 const char *const *name, double *value, sab_error *err)
{
    sab_gmsh_session s = {0};
    sab_status status = SAB_OK;
    int ierr;

    SAB_TRY(sab_gmsh_session_open(&s, nset, set, err));
    gmshMerge(path, &ierr);
    for (int i = 0; i < n; i++) {
        value[i] = NAN;
        if (is_word(name[i]) && *skip_token(name[i]) == '\0')
            SAB_TRY(ask(name[i], &value[i], err));
    }
cleanup:
    sab_gmsh_session_close(&s);
    return status;
}

/* ---- All together ---------------------------------------------------------------------------- */

/* Of the words those that are parameters: variables that move when they are set beside their own
 * value. `known` has room for all words and borrows its names. */
static sab_status find_parameters(const char *path, const word_list *list, int *nknown,
                                  const char **known, sab_error *err)
{
    const char *const *word = (const char *const *)list->word;
    sab_mesh_parameter *set = NULL;
    double *value = NULL, *after = NULL;
    sab_status status = SAB_OK;
    int n = 0;

    *nknown = 0;
    SAB_NEW(set, list->n);
    SAB_NEW(value, list->n);
    SAB_NEW(after, list->n);
    SAB_TRY(read_variables(path, 0, NULL, list->n, word, value, err));
    for (int i = 0; i < list->n; i++)
        if (!isnan(value[i])) { /* so near that loops and sizes of the .geo stay what they are */
            known[n] = word[i];
            value[n] = value[i];
            set[n++] = (sab_mesh_parameter){word[i], value[i] * (1.0 + 1e-12) + 1e-300};
        }
    SAB_TRY(read_variables(path, n, set, n, known, after, err));
    for (int i = 0; i < n; i++)
        if (after[i] != value[i])
            known[(*nknown)++] = known[i];
cleanup:
    SAB_FREE(set);
    SAB_FREE(value);
    SAB_FREE(after);
    return status;
}

static sab_status unknown_parameter(const char *path, const char *name, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_text all = {0};
    word_list list = {0};
    const char **known = NULL;
    int n = 0;

    SAB_TRY(scan_file(path, 0, &list, err));
    SAB_NEW(known, list.n);
    SAB_TRY(find_parameters(path, &list, &n, known, err));
    for (int i = 0; i < n; i++)
        SAB_TRY(sab_text_add(&all, err, "%s%s", i > 0 ? ", " : "", known[i]));
    const char *closest = sab_closest_name(name, known, (size_t)n);
    status = sab_fail(err, SAB_ERR_INPUT, "the .geo has no parameter '%s'%s%s%s; %s%s", name,
                      closest != NULL ? " (did you mean '" : "", closest != NULL ? closest : "",
                      closest != NULL ? "'?)" : "",
                      n > 0 ? "it defines: "
                            : "it defines none, which would look like DefineConstant[ h = 0.1 ];",
                      n > 0 ? all.data : "");
cleanup:
    sab_text_destroy(&all);
    for (int i = 0; i < list.n; i++)
        SAB_FREE(list.word[i]);
    SAB_FREE(list.word);
    SAB_FREE(known);
    return status;
}

sab_status sab_gmsh_parameters_check(const char *path, int n, const sab_mesh_parameter *parameter,
                                     sab_error *err)
{
    sab_status status = SAB_OK;
    const char **name = NULL;
    double *before = NULL, *after = NULL;

    if (n == 0)
        return SAB_OK;
    SAB_NEW(name, n);
    SAB_NEW(before, n);
    SAB_NEW(after, n);
    for (int i = 0; i < n; i++) {
        name[i] = parameter[i].name;
        if (!isfinite(parameter[i].value))
            SAB_TRY(sab_fail(err, SAB_ERR_INPUT, "mesh parameter '%s' is not a finite number",
                             name[i]));
    }
    SAB_TRY(read_variables(path, 0, NULL, n, name, before, err));
    for (int i = 0; i < n; i++)
        if (isnan(before[i]))
            SAB_TRY(unknown_parameter(path, name[i], err));
    SAB_TRY(read_variables(path, n, parameter, n, name, after, err));
    for (int i = 0; i < n; i++)
        if (after[i] == before[i] && after[i] != parameter[i].value)
            SAB_TRY(sab_fail(err, SAB_ERR_INPUT,
                             "the .geo gives '%s' the value %g itself, whatever is set: only what "
                             "DefineConstant defines is a parameter",
                             name[i], after[i]));
cleanup:
    SAB_FREE(name);
    SAB_FREE(before);
    SAB_FREE(after);
    return status;
}
