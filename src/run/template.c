/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/template.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/text.h"
#include "io/file.h"
#include "io/yaml_tree.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_directory(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* The directory of all cases: installed beside this program, or in the source tree above the build
 * directory. */
static sab_status find_cases(char path[SAB_PATH], sab_error *err)
{
    static const char *const place[] = {"../share/sablier/cases", "../../../cases"};
    sab_status status = SAB_OK;
    char self[SAB_PATH];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

    self[n > 0 ? n : 0] = '\0';
    if (n > 0)
        *strrchr(self, '/') = '\0';
    for (size_t i = 0; n > 0 && i < sizeof place / sizeof place[0]; i++) {
        SAB_TRY(sab_path_set(path, err, "%s/%s", self, place[i]));
        if (is_directory(path))
            return SAB_OK;
    }
    status = sab_fail(err, SAB_ERR_IO,
                      "there are no cases beside this program: install it (meson install), or copy "
                      "one of the source");
cleanup:
    return status;
}

static int no_dot(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int is_yaml(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');

    return no_dot(entry) && dot != NULL && strcmp(dot, ".yaml") == 0;
}

static void free_entries(struct dirent **entry, int n)
{
    for (int i = 0; i < n; i++)
        free(entry[i]);
    free(entry);
}

/* The text at a path of one or two names, or NULL. */
static const char *text_at(const sab_yaml *root, const char *section, const char *key)
{
    const sab_yaml *node = sab_yaml_find(root, section);

    if (node != NULL && key != NULL)
        node = sab_yaml_find(node, key);
    return node != NULL && node->kind == SAB_YAML_SCALAR ? node->text : NULL;
}

/* ---- which there are ------------------------------------------------------------------------- */

/* The first line of a case: its name, and the title of its case or study; nothing if it has none.
 */
static sab_status tell_title(const char *cases, const char *name, const sab_teller *out,
                             sab_error *err)
{
    static const char *const usual[] = {"case.yaml", "study.yaml"};
    sab_status status = SAB_OK;
    sab_yaml *root = NULL;
    char path[SAB_PATH];

    for (int k = 0; k < 2 && root == NULL; k++) {
        SAB_TRY(sab_path_set(path, err, "%s/%s/%s", cases, name, usual[k]));
        if (access(path, R_OK) == 0)
            SAB_TRY(sab_yaml_read(path, &root, err));
    }
    if (root != NULL) {
        const char *title = text_at(root, "title", NULL);

        sab_tell(out, "%-16s %s", name, title != NULL ? title : "");
    }
cleanup:
    sab_yaml_destroy(&root);
    return status;
}

sab_status sab_template_list(const sab_teller *out, sab_error *err)
{
    sab_status status = SAB_OK;
    struct dirent **entry = NULL;
    char cases[SAB_PATH];
    int n = 0;

    SAB_TRY(find_cases(cases, err));
    n = scandir(cases, &entry, no_dot, alphasort);
    if (n < 0)
        SAB_FAIL(err, SAB_ERR_INPUT, "cannot read '%s': %s", cases, strerror(errno));
    for (int i = 0; i < n; i++)
        SAB_TRY(tell_title(cases, entry[i]->d_name, out, err));
cleanup:
    free_entries(entry, n);
    return status;
}

static sab_status fail_case(const char *cases, const char *name, sab_error *err)
{
    struct dirent **entry = NULL;
    enum { MOST = 200 };
    const char *names[MOST];
    const int n = scandir(cases, &entry, no_dot, alphasort);
    sab_status status;

    for (int i = 0; i < n && i < MOST; i++)
        names[i] = entry[i]->d_name;
    const char *close = sab_closest_name(name, names, (size_t)(n < 0 ? 0 : n < MOST ? n : MOST));
    status = sab_fail(err, SAB_ERR_USAGE, "--from: there is no case '%s'%s%s%s", name,
                      close != NULL ? "; did you mean '" : "; see sablier new --from list",
                      close != NULL ? close : "", close != NULL ? "'?" : "");
    free_entries(entry, n);
    return status;
}

/* ---- the copy -------------------------------------------------------------------------------- */

/* A file of the copy, from all bytes of another: meshes may be binary. */
static sab_status write_bytes(const char *to, const char *name, const char *bytes, size_t length,
                              sab_error *err)
{
    sab_status status = SAB_OK;
    sab_file file = {0};
    char path[SAB_PATH];

    SAB_TRY(sab_path_set(path, err, "%s/%s", to, name));
    SAB_TRY(sab_file_open(path, &file, err));
    fwrite(bytes, 1, length, file.stream);
    status = sab_file_close(&file, err);
cleanup:
    sab_file_abort(&file);
    return status;
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* Replace the first `old` that follows the word `key` in the text, which is owned. */
static sab_status replace(char **text, const char *key, const char *old, const char *new,
                          sab_error *err)
{
    sab_status status = SAB_OK;
    const char *after = strstr(*text, key);
    const char *at = after != NULL ? strstr(after, old) : NULL;
    sab_text made = {0};

    if (at == NULL)
        return SAB_OK;
    SAB_TRY(sab_text_add(&made, err, "%.*s%s%s", (int)(at - *text), *text, new, at + strlen(old)));
    SAB_FREE(*text);
    *text = made.data;
    made = (sab_text){0};
cleanup:
    sab_text_destroy(&made);
    return status;
}

static sab_status copy_yaml(const char *to, const char *from, const char *file, const char *as,
                            sab_error *err);

/* The file that `path`, as a file in `from` gives it, names; beside the copy. */
static sab_status copy_mesh(const char *to, const char *from, const char *path, sab_error *err)
{
    sab_status status = SAB_OK;
    char source[SAB_PATH], *bytes = NULL;
    size_t length = 0;

    SAB_TRY(sab_path_set(source, err, "%s/%s", path[0] == '/' ? "" : from, path));
    SAB_TRY(sab_input_read(source, LLONG_MAX, "a mesh", &bytes, &length, err));
    SAB_TRY(write_bytes(to, last_name(path), bytes, length, err));
cleanup:
    SAB_FREE(bytes);
    return status;
}

/* The case in another directory that a study begins with becomes case.yaml of the copy. */
static sab_status copy_base(const char *to, const char *from, const char *base, sab_error *err)
{
    sab_status status = SAB_OK;
    char directory[SAB_PATH];

    SAB_TRY(sab_path_set(directory, err, "%s/%s", from, base));
    if (is_directory(directory)) /* else a file beside it */
        SAB_TRY(copy_yaml(to, directory, "case.yaml", "case.yaml", err));
cleanup:
    return status;
}

static sab_status copy_yaml(const char *to, const char *from, const char *file, const char *as,
                            sab_error *err)
{
    sab_status status = SAB_OK;
    sab_yaml *root = NULL;
    char path[SAB_PATH], *text = NULL;
    size_t length = 0;

    SAB_TRY(sab_path_set(path, err, "%s/%s", from, file));
    SAB_TRY(sab_yaml_read(path, &root, err)); /* refuses what is too large, or no text */
    SAB_TRY(sab_input_read(path, LLONG_MAX, "a case file", &text, &length, err));
    const char *mesh = text_at(root, "mesh", "file"), *base = text_at(root, "base", NULL);
    if (mesh != NULL) {
        SAB_TRY(copy_mesh(to, from, mesh, err));
        SAB_TRY(replace(&text, "file:", mesh, last_name(mesh), err));
    }
    if (base != NULL && base[0] == '.' && base[1] == '.') {
        SAB_TRY(copy_base(to, from, base, err));
        SAB_TRY(replace(&text, "base:", base, "case.yaml", err));
    }
    SAB_TRY(write_bytes(to, as, text, strlen(text), err));
cleanup:
    sab_yaml_destroy(&root);
    SAB_FREE(text);
    return status;
}

static sab_status copy_all(const char *to, const char *from, sab_error *err)
{
    sab_status status = SAB_OK;
    struct dirent **entry = NULL;
    const int n = scandir(from, &entry, is_yaml, alphasort);

    if (n <= 0)
        SAB_FAIL(err, SAB_ERR_USAGE, "--from: there is no case.yaml in '%s'", from);
    for (int i = 0; i < n; i++)
        SAB_TRY(copy_yaml(to, from, entry[i]->d_name, entry[i]->d_name, err));
cleanup:
    free_entries(entry, n);
    return status;
}

/* Made aside, then moved: there is never half a case. */
static sab_status make(const char *from, const char *name, sab_error *err)
{
    sab_status status = SAB_OK;
    struct stat info;
    char aside[SAB_PATH];

    if (lstat(name, &info) == 0)
        return sab_fail(err, SAB_ERR_USAGE, "'%s' is there already, and is left as it is", name);
    SAB_TRY(sab_path_set(aside, err, "%s.%ld", name, (long)getpid()));
    if (mkdir(aside, 0777) != 0)
        return sab_fail(err, SAB_ERR_IO, "cannot make the directory '%s': %s", name,
                        strerror(errno));
    status = copy_all(aside, from, err);
    if (status == SAB_OK)
        status = sab_file_move(aside, name, err);
    if (status != SAB_OK)
        sab_directory_remove(aside);
cleanup:
    return status;
}

sab_status sab_template_copy(const char *template, const char *name, sab_error *err)
{
    sab_status status = SAB_OK;
    char cases[SAB_PATH], from[SAB_PATH];

    SAB_TRY(find_cases(cases, err));
    if (strchr(template, '/') != NULL) /* one of the user's */
        SAB_TRY(sab_path_set(from, err, "%s", template));
    else
        SAB_TRY(sab_path_set(from, err, "%s/%s", cases, template));
    if (!is_directory(from))
        SAB_TRY(fail_case(cases, template, err));
    SAB_TRY(make(from, name, err));
cleanup:
    return status;
}
