/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/case.h"
#include "base/memory.h"
#include "io/case_read.h"

#include <stdio.h>
#include <string.h>

static sab_status read_geometry(sab_value_reader *reader, sab_case *c, sab_error *err)
{
    const sab_yaml *node = sab_yaml_find(c->store->root, "geometry");
    const sab_status status =
        sab_value_read(reader, sab_schema_find(NULL, "geometry"), node, "geometry", c, err);

    if (status != SAB_OK)
        return status;
    c->geometry = reader->geometry = sab_geometry_find(node->text);
    if (c->geometry == NULL)
        return sab_fail(err, SAB_ERR_INTERNAL, "geometry '%s' is not built in", node->text);
    return SAB_OK;
}

/* What needs sections without a fault. Grains need no mesh. */
static sab_status find_parts(sab_case *c, sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_yaml *mesh = sab_yaml_find(c->store->root, "mesh");

    if (mesh != NULL) {
        const char *element = sab_yaml_find(mesh, "element")->text;

        c->element = sab_element_find(element);
        if (c->element == NULL)
            return sab_fail(err, SAB_ERR_INTERNAL, "element '%s' is not built in", element);
        SAB_TRY(sab_case_find_file(c, "mesh.file", &c->mesh_file, err));
    }
    SAB_TRY(sab_case_find_file(c, "initial.from", &c->initial_from, err));
    SAB_TRY(sab_case_find_file(c, "grains.fill.file", &c->grains.file, err));
cleanup:
    return status;
}

static sab_status read_values(sab_case *c, sab_faults *faults, sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_yaml *root = c->store->root, *mesh = sab_yaml_find(root, "mesh"), *section;
    sab_value_reader reader = {c->path, NULL, c->store, faults};

    c->material.viscosity = sab_constant(1.0);
    SAB_TRY(read_geometry(&reader, c, err)); /* first: it says how long vectors are */
    SAB_TRY(sab_value_read_map(&reader, NULL, root, "", c, err));
    section = mesh != NULL ? sab_yaml_find(mesh, "parameters") : NULL;
    if (section != NULL)
        SAB_TRY(sab_case_read_parameters(&reader, section, c, err));
    section = sab_yaml_find(root, "boundaries");
    if (section != NULL)
        SAB_TRY(sab_fault(faults, sab_case_read_boundaries(&reader, section, c, err), err));
    section = sab_yaml_find(root, "walls");
    if (section != NULL)
        SAB_TRY(sab_case_read_walls(&reader, section, c, err));
    section = sab_yaml_find(root, "probes");
    if (section != NULL)
        SAB_TRY(sab_case_read_probes(&reader, section, c, err));
cleanup:
    return status;
}

/* Of the tree with the overrides. Faults are gathered, the first other failure ends it. */
static sab_status resolve(sab_case *c, sab_faults *faults, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_yaml *root = c->store->root;

    SAB_TRY(sab_tree_check(faults, root, err));
    SAB_TRY(sab_case_convert(faults, root, err));
    SAB_TRY(sab_case_put_defaults(root, err));
    SAB_TRY(sab_tree_complete(faults, root, err));
    sab_tree_sort(root);
    SAB_TRY(sab_fault(faults, read_values(c, faults, err), err));
    SAB_TRY(sab_faults_end(faults, err));
    SAB_TRY(find_parts(c, err));
    SAB_TRY(sab_case_check(c, faults, err));
    SAB_TRY(sab_faults_end(faults, err));
    SAB_TRY(sab_tree_normalise(root, err));
cleanup:
    return status;
}

sab_status sab_case_read(const char *path, int noverrides, const char *const *override,
                         sab_case **result, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_case *c = NULL;
    sab_faults *faults = NULL;

    *result = NULL;
    SAB_NEW(c, 1);
    SAB_NEW(c->store, 1);
    SAB_NEW(faults, 1);
    SAB_TRY(sab_case_find(path, c, err));
    faults->file = c->path;
    SAB_TRY(sab_yaml_read(c->path, &c->store->root, err));
    if (c->store->root->kind == SAB_YAML_MAP)
        for (int i = 0; i < noverrides; i++)
            SAB_TRY(sab_tree_override(c->store->root, override[i], err));
    SAB_TRY(resolve(c, faults, err));
    *result = c;
    c = NULL;
cleanup:
    SAB_FREE(faults);
    sab_case_destroy(&c);
    return status;
}

static void destroy_store(struct sab_case_store **store)
{
    if (*store == NULL)
        return;
    for (int i = 0; i < (*store)->nformulas; i++)
        sab_formula_destroy(&(*store)->formula[i]);
    SAB_FREE((*store)->formula);
    sab_yaml_destroy(&(*store)->root);
    SAB_FREE(*store);
}

void sab_case_destroy(sab_case **result)
{
    sab_case *c = *result;

    if (c == NULL)
        return;
    for (int i = 0; i < c->nboundaries; i++) {
        SAB_FREE(c->boundary[i].group);
        SAB_FREE(c->boundary[i].over);
        SAB_FREE(c->boundary[i].periodic);
    }
    for (int i = 0; i < c->nprobes; i++) {
        SAB_FREE(c->probe[i].name);
        SAB_FREE(c->probe[i].group);
    }
    SAB_FREE(c->boundary);
    SAB_FREE(c->probe);
    SAB_FREE(c->parameter);
    SAB_FREE(c->path);
    SAB_FREE(c->directory);
    SAB_FREE(c->name);
    SAB_FREE(c->title);
    SAB_FREE(c->mesh_file);
    sab_case_free_grains(c);
    SAB_FREE(c->time.probe);
    SAB_FREE(c->initial_from);
    destroy_store(&c->store);
    SAB_FREE(*result);
}

sab_status sab_case_resolved(const sab_case *c, sab_text *yaml, sab_error *err)
{
    return sab_tree_write(c->store->root, yaml, err);
}

const char *sab_case_locate(const sab_case *c, const char *key, char *buffer, size_t size)
{
    const sab_yaml *node = sab_tree_locate(c->store->root, key);

    snprintf(buffer, size, "%s", sab_place_of_key(c->path, node, key).text);
    return buffer;
}

void sab_case_place(const sab_case *c, sab_error *err)
{
    const sab_error old = *err;
    const size_t n = strlen(c->path);
    size_t length;
    const sab_yaml *node = sab_tree_match(c->store->root, old.message, &length);
    sab_key_path key;

    if (node == NULL || (strncmp(old.message, c->path, n) == 0 && old.message[n] == ':'))
        return;
    snprintf(key.text, sizeof key.text, "%.*s", (int)length, old.message);
    sab_fail(err, old.status, "%s%s", sab_place_of_key(c->path, node, key.text).text,
             old.message + length);
}
