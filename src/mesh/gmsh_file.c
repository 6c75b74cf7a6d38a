/* gmsh_file.c -- look at a mesh file before Gmsh does. */
#include "mesh/gmsh_file.h"
#include "base/memory.h"
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Kind and soundness of the file ------------------------------------------------------- */

static sab_status check_extension(const char *path, bool *is_geo, sab_error *err)
{
    static const char *const known[] = {"geo", "msh"};
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash != NULL ? slash : path, '.');
    const char *extension = dot != NULL ? dot + 1 : "";
    const char *closest = sab_closest_name(extension, known, 2);

    *is_geo = strcmp(extension, "geo") == 0;
    if (*is_geo || strcmp(extension, "msh") == 0)
        return SAB_OK;
    return sab_fail(err, SAB_ERR_INPUT,
                    "the mesh file has the unknown extension '%s'%s%s%s: a mesh is a .geo (meshed "
                    "here by Gmsh) or a "
                    ".msh (for example from: gmsh -2 -o shape.msh shape.geo)",
                    dot != NULL ? dot : "", closest != NULL ? "; did you mean '." : "",
                    closest != NULL ? closest : "", closest != NULL ? "'?" : "");
}

static sab_status check_version(const char *head, sab_gmsh_kind *kind, sab_error *err)
{
    double version = 0.0;
    const char *format = strstr(head, "$MeshFormat");

    if (format == NULL || sscanf(format, "$MeshFormat %lf", &version) != 1)
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
    struct stat info;
    char head[512] = "";
    bool is_geo = false;

    *kind = SAB_GMSH_GEO;
    if (stat(path, &info) != 0)
        return sab_fail(err, SAB_ERR_INPUT, "cannot open the mesh file: %s", strerror(errno));
    if (S_ISDIR(info.st_mode))
        return sab_fail(err, SAB_ERR_INPUT, "the mesh file is a directory");
    SAB_TRY(check_extension(path, &is_geo, err));
    file = fopen(path, "rb");
    if (file == NULL) {
        status = sab_fail(err, SAB_ERR_INPUT, "cannot open the mesh file: %s", strerror(errno));
        goto cleanup;
    }
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
    if (file != NULL)
        fclose(file);
    return status;
}

/* ---- Numbers declared by DefineConstant ---------------------------------------------------- */

typedef struct name_list {
    char **name; /* owned, as are the names */
    int n, capacity;
} name_list;

static sab_status add_name(name_list *list, const char *begin, size_t length, sab_error *err)
{
    if (list->n == list->capacity) {
        const int capacity = 2 * list->capacity + 8;
        char **name = sab_realloc(list->name, (size_t)capacity, sizeof *name);

        if (name == NULL)
            return sab_fail(err, SAB_ERR_MEMORY, "out of memory for mesh parameters");
        list->name = name;
        list->capacity = capacity;
    }
    char *copy = sab_alloc(length + 1, 1);
    if (copy == NULL)
        return sab_fail(err, SAB_ERR_MEMORY, "out of memory for mesh parameters");
    memcpy(copy, begin, length);
    list->name[list->n++] = copy;
    return SAB_OK;
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

static bool is_word(const char *p)
{
    return isalpha((unsigned char)*p) || *p == '_';
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

/* After "DefineConstant[": name, name = number, name = {number, Name "..", ...}, separated by
 * commas. Lists "name() = .." and strings cannot be set to a number, and are left out. */
static sab_status scan_constants(const char *p, const char **after, name_list *list, sab_error *err)
{
    bool expect_name = true;

    for (int depth = 0; *(p = skip_blank(p)) != '\0';) {
        const char *end = skip_token(p);

        if (expect_name && is_word(p)) {
            const char *value = skip_blank(end);
            const bool is_list = *value == '(' || *value == '[';

            if (*value == '=')
                value = skip_blank(value + 1);
            if (*value == '{')
                value = skip_blank(value + 1);
            if (!is_list && *value != '"') {
                const sab_status status = add_name(list, p, (size_t)(end - p), err);

                if (status != SAB_OK)
                    return status;
            }
        }
        expect_name = depth == 0 && *p == ',';
        if (strchr("[({", *p) != NULL)
            depth++;
        else if (strchr("])}", *p) != NULL && depth-- == 0)
            break;
        p = end;
    }
    *after = p;
    return SAB_OK;
}

static sab_status read_text(const char *path, char **text, sab_error *err)
{
    sab_status status = SAB_OK;
    FILE *file = fopen(path, "rb");
    struct stat info;

    *text = NULL;
    if (file == NULL || stat(path, &info) != 0 || S_ISDIR(info.st_mode))
        goto cleanup; /* Gmsh will complain about an included file that is not there */
    SAB_NEW(*text, info.st_size + 1);
    if (fread(*text, 1, (size_t)info.st_size, file) == 0)
        (*text)[0] = '\0';
cleanup:
    if (file != NULL)
        fclose(file);
    return status;
}

/* The constants of a file, and of those it includes with paths relative to its own. */
static sab_status scan_file(const char *path, int depth, name_list *list, sab_error *err)
{
    enum { MAX_DEPTH = 8 }; /* a file that includes itself ends too */
    sab_status status = SAB_OK;
    char *text = NULL;
    sab_text included = {0};

    SAB_TRY(read_text(path, &text, err));
    for (const char *p = text; p != NULL && *(p = skip_blank(p)) != '\0';) {
        const char *end = skip_token(p), *next = skip_blank(end);
        const size_t length = (size_t)(end - p);

        if (length == 14 && strncmp(p, "DefineConstant", 14) == 0 &&
            (*next == '[' || *next == '(')) {
            SAB_TRY(scan_constants(next + 1, &end, list, err));
        } else if (length == 7 && strncmp(p, "Include", 7) == 0 && *next == '"' &&
                   depth < MAX_DEPTH) {
            const char *slash = next[1] == '/' ? NULL : strrchr(path, '/');

            end = skip_token(next);
            included.length = 0;
            SAB_TRY(sab_text_add(&included, err, "%.*s%.*s",
                                 slash != NULL ? (int)(slash + 1 - path) : 0, path,
                                 end > next + 2 ? (int)(end - next) - 2 : 0, next + 1));
            SAB_TRY(scan_file(included.data, depth + 1, list, err));
        }
        p = end;
    }
cleanup:
    sab_text_destroy(&included);
    SAB_FREE(text);
    return status;
}

static bool has_name(const name_list *list, const char *name)
{
    for (int i = 0; i < list->n; i++)
        if (strcmp(list->name[i], name) == 0)
            return true;
    return false;
}

static sab_status unknown_parameter(const char *name, const name_list *list, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_text all = {0};
    const char *closest = sab_closest_name(name, (const char *const *)list->name, (size_t)list->n);

    for (int i = 0; i < list->n; i++)
        SAB_TRY(sab_text_add(&all, err, "%s%s", i > 0 ? ", " : "", list->name[i]));
    status = sab_fail(err, SAB_ERR_INPUT, "the .geo has no parameter '%s'%s%s%s; %s%s", name,
                      closest != NULL ? " (did you mean '" : "", closest != NULL ? closest : "",
                      closest != NULL ? "'?)" : "",
                      list->n > 0 ? "it defines: "
                                  : "it defines none, which would look like DefineConstant[ h = "
                                    "0.1 ];",
                      list->n > 0 ? all.data : "");
cleanup:
    sab_text_destroy(&all);
    return status;
}

sab_status sab_gmsh_file_parameters(const char *path, int nparameters,
                                    const sab_mesh_parameter *parameter, sab_error *err)
{
    sab_status status = SAB_OK;
    name_list list = {0};

    if (nparameters > 0)
        SAB_TRY(scan_file(path, 0, &list, err));
    for (int i = 0; i < nparameters && status == SAB_OK; i++) {
        if (!isfinite(parameter[i].value))
            status = sab_fail(err, SAB_ERR_INPUT, "mesh parameter '%s' is not a finite number",
                              parameter[i].name);
        else if (!has_name(&list, parameter[i].name))
            status = unknown_parameter(parameter[i].name, &list, err);
    }
cleanup:
    for (int i = 0; i < list.n; i++)
        SAB_FREE(list.name[i]);
    SAB_FREE(list.name);
    return status;
}
