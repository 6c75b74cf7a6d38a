/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The points of a study: their values, names and cases. */
#include "base/memory.h"
#include "io/study.h"

#include <stdio.h>
#include <string.h>

int sab_study_stride(const sab_study *s, int axis)
{
    int stride = 1;

    for (int a = s->naxes - 1; a > axis; a--)
        stride *= s->axis[a].nvalues;
    return stride;
}

int sab_study_index(const sab_study *s, int combination, int axis)
{
    return combination / sab_study_stride(s, axis) % s->axis[axis].nvalues;
}

static const sab_yaml *value_node(const sab_study *s, int combination, int key)
{
    return s->key[key].node->item[sab_study_index(s, combination, sab_study_axis_of(s, key))];
}

const char *sab_study_value(const sab_study *s, int combination, int key)
{
    const sab_yaml *node = value_node(s, combination, key);

    return sab_yaml_is_empty(node) ? "" : node->text;
}

const char *sab_study_base(const sab_study *s, int combination)
{
    return s->base[s->base_key < 0
                       ? 0
                       : sab_study_index(s, combination, sab_study_axis_of(s, s->base_key))];
}

/* FNV-1a, for names too long or too alike. */
static unsigned hash_text(const char *text)
{
    unsigned h = 2166136261u;

    for (; *text != '\0'; text++)
        h = (h ^ (unsigned char)*text) * 16777619u;
    return h;
}

sab_status sab_study_name(const sab_study *s, int combination, const char *value,
                          char name[SAB_STUDY_NAME], sab_error *err)
{
    static const char safe[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-+._=,";
    sab_status status = SAB_OK;
    sab_text text = {0};
    bool changed = false;

    for (int axis = 0; axis < s->naxes; axis++) {
        const sab_study_axis *a = &s->axis[axis];

        for (int k = a->first; k < a->first + a->nkeys; k++)
            if (s->key[k].tells && sab_study_value(s, combination, k)[0] != '\0')
                SAB_TRY(sab_text_add(&text, err, "%s%s=%s", text.length > 0 ? "," : "",
                                     s->key[k].label, sab_study_value(s, combination, k)));
    }
    if (value != NULL)
        SAB_TRY(sab_text_add(&text, err, "%s%s=%s", text.length > 0 ? "," : "",
                             s->bracket.key.label, value));
    const unsigned hash = hash_text(text.data);
    for (size_t i = strspn(text.data, safe); text.data[i] != '\0';
         i += strspn(text.data + i, safe)) {
        text.data[i] = '_';
        changed = true;
    }
    if (changed || text.length >= SAB_STUDY_NAME)
        snprintf(name, SAB_STUDY_NAME, "%.*s,%08x", SAB_STUDY_NAME - 12, text.data, hash);
    else
        snprintf(name, SAB_STUDY_NAME, "%s", text.data);
cleanup:
    sab_text_destroy(&text);
    return status;
}

bool sab_study_is_quantity(const sab_study_key *key, const char *text)
{
    return strcmp(key->name, "title") != 0 && sab_quantity_is_one(text);
}

const char *sab_study_plain_value(const sab_study *s, int combination, int key, char buffer[40])
{
    const char *text = sab_study_value(s, combination, key), *unknown;
    sab_dimension dimension;
    double value;

    if (!sab_study_is_quantity(&s->key[key], text) ||
        !sab_quantity_parse(text, &value, &dimension, &unknown))
        return text;
    snprintf(buffer, 40, "%.15g", value);
    return buffer;
}

static sab_status add_override(const char *key, const sab_yaml *node, const char *value, int *n,
                               char **override, int capacity, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_text text = {0};

    if (*n >= capacity)
        return sab_fail(err, SAB_ERR_INTERNAL, "more than %d overrides", capacity);
    SAB_TRY(sab_text_add(&text, err, "%s=%s", key, value != NULL ? value : ""));
    if (node != NULL)
        SAB_TRY(sab_yaml_write(node, &text, err));
    override[(*n)++] = text.data;
    text = (sab_text){0};
cleanup:
    sab_text_destroy(&text);
    return status;
}

sab_status sab_study_overrides(const sab_study *s, int combination, const char *value, int *n,
                               char **override, int capacity, sab_error *err)
{
    sab_status status = SAB_OK;

    for (int i = 0; i < s->nset; i++)
        SAB_TRY(add_override(s->set[i].name, s->set[i].node, NULL, n, override, capacity, err));
    for (int k = 0; k < s->nkeys; k++)
        if (k != s->base_key && !sab_yaml_is_empty(value_node(s, combination, k)))
            SAB_TRY(add_override(s->key[k].name, value_node(s, combination, k), NULL, n, override,
                                 capacity, err));
    if (value != NULL)
        SAB_TRY(add_override(s->bracket.key.name, NULL, value, n, override, capacity, err));
cleanup:
    return status;
}

/* Does one of the two dotted paths begin with the other? */
static bool on_one_path(const char *a, size_t na, const char *b)
{
    const size_t nb = strlen(b), n = na < nb ? na : nb;

    return strncmp(a, b, n) == 0 && (na == nb || (na > nb ? a[n] : b[n]) == '.');
}

/* The key of the study that a path of n characters is about, and its value there; NULL: none. */
static const sab_study_key *find_key(const sab_study *s, int combination, const char *path,
                                     size_t n, const sab_yaml **node)
{
    const sab_study_key *found = NULL;

    for (int i = 0; i < s->nset; i++)
        if (on_one_path(path, n, s->set[i].name)) {
            found = &s->set[i];
            *node = found->node;
        }
    for (int k = 0; k < s->nkeys; k++)
        if (on_one_path(path, n, s->key[k].name)) {
            found = &s->key[k];
            *node = value_node(s, combination, k);
        }
    if (s->has_bracket && on_one_path(path, n, s->bracket.key.name)) {
        found = &s->bracket.key;
        *node = found->node;
    }
    return found;
}

/* Append one line of a message: "--set material.frction: unknown key" becomes
 * "study.yaml:4:8: material.frction: unknown key". */
static void place_line(const sab_study *s, int combination, const char *line, size_t length,
                       sab_error *err)
{
    const size_t used = strlen(err->message), room = sizeof err->message - used;
    const bool set = length > 6 && strncmp(line, "--set ", 6) == 0;
    const char *path = line + 6, *unknown = strstr(line, "unknown key");
    const sab_yaml *node = NULL;
    const sab_study_key *found =
        set ? find_key(s, combination, path, strcspn(path, ": "), &node) : NULL;

    if (found == NULL) {
        snprintf(err->message + used, room, "%.*s", (int)length, line);
        return;
    }
    const bool of_key = unknown != NULL && unknown < line + length && found != &s->bracket.key;
    snprintf(err->message + used, room, "%s:%d:%d: %.*s", s->path,
             of_key ? found->node->key_line : node->line,
             of_key ? found->node->key_column : node->column, (int)(length - 6), path);
}

static void place_message(const sab_study *s, int combination, sab_error *err)
{
    const sab_error old = *err;

    err->message[0] = '\0';
    for (const char *line = old.message; *line != '\0';) {
        const size_t length = strcspn(line, "\n"), used = strlen(err->message);

        if (line != old.message && used + 1 < sizeof err->message)
            memcpy(err->message + used, "\n", 2);
        place_line(s, combination, line, length, err);
        line += length + (line[length] == '\n');
    }
}

/* A component that a probe of a vector or a tensor has; a force about an axis has one. */
static const char *first_component(const sab_geometry *geometry, const sab_probe *p)
{
    if (p->kind == SAB_PROBE_POINT && p->field == SAB_FIELD_STRESS)
        return geometry->component[0];
    return geometry->coordinate[p->kind == SAB_PROBE_FORCE && geometry->axis];
}

/* Does it have components? */
static bool is_vector(const sab_probe *p)
{
    return p->kind == SAB_PROBE_FORCE ||
           (p->kind == SAB_PROBE_POINT &&
            (p->field == SAB_FIELD_VELOCITY || p->field == SAB_FIELD_STRESS));
}

/* "probes.drag_x": is there such a number in the results? */
static sab_status check_probe(const sab_study *s, int combination, const sab_case *c,
                              const char *what, const char *wanted, const sab_yaml *node,
                              sab_error *err)
{
    const char *name = wanted + strlen("probes."), *close = NULL;
    const char *names[64];
    size_t n = 0;

    for (int i = 0; i < c->nprobes; i++) {
        const sab_probe *p = &c->probe[i];
        const size_t length = strlen(p->name);
        const bool vector = is_vector(p), whole = strcmp(name, p->name) == 0;

        if (n < 64)
            names[n++] = p->name;
        if (whole && sab_probe_is_profile(p))
            return sab_study_fail(s, node, err, "%s: the probe '%s' is a profile, not a number",
                                  what, name);
        if (whole && vector)
            return sab_study_fail(s, node, err,
                                  "%s: the probe '%s' has components; take probes.%s_%s", what,
                                  name, name, first_component(c->geometry, p));
        if (whole || (vector && strncmp(name, p->name, length) == 0 && name[length] == '_'))
            return SAB_OK;
    }
    close = sab_closest_name(name, names, n);
    return sab_study_fail(s, node, err, "%s: %s has no probe '%s'%s%s%s", what,
                          s->base_key < 0 ? "the case" : sab_study_base(s, combination), name,
                          close != NULL ? "; did you mean '" : "", close != NULL ? close : "",
                          close != NULL ? "'?" : "");
}

sab_status sab_study_case(const sab_study *s, int combination, const char *value, sab_case **result,
                          sab_error *err)
{
    sab_status status = SAB_OK;
    sab_case *c = NULL;
    char *override[SAB_STUDY_OVERRIDES] = {NULL};
    int n = 0;

    *result = NULL;
    SAB_TRY(sab_study_overrides(s, combination, value, &n, override, SAB_STUDY_OVERRIDES, err));
    status =
        sab_case_read(sab_study_base(s, combination), n, (const char *const *) override, &c, err);
    if (status == SAB_ERR_INPUT && err != NULL)
        place_message(s, combination, err);
    SAB_TRY(status);
    if (s->has_fit && strncmp(s->fit.y, "probes.", 7) == 0)
        SAB_TRY(check_probe(s, combination, c, "fit.y", s->fit.y, s->fit_y, err));
    else if (s->has_fit && !c->has_exact_velocity && !c->has_exact_pressure)
        SAB_TRY(sab_study_fail(s, s->fit_y, err,
                               "fit.y: the case has no exact solution, and no errors"));
    if (s->has_bracket)
        SAB_TRY(check_probe(s, combination, c, "bracket.probe", s->bracket.probe,
                            s->bracket.probe_node, err));
    *result = c;
    c = NULL;
cleanup:
    for (int i = 0; i < n; i++)
        SAB_FREE(override[i]);
    sab_case_destroy(&c);
    return status;
}
