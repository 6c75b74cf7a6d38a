/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/case_read.h"
#include "base/memory.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_one_of(const char *text, const char *const *words)
{
    for (int i = 0; words[i] != NULL; i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return false;
}

bool sab_value_is_infinity(const char *text)
{
    static const char *const words[] = {"inf",  "Inf",  "INF",  "infinity", "+inf",  ".inf",
                                        ".Inf", ".INF", "-inf", "-.inf",    "+.inf", NULL};

    return is_one_of(text, words);
}

/* What is wrong with a text that should be, or could be, a number: the mistakes people make, each
 * with its remedy. NULL if it is none of these. */
static const char *known_mistake(const char *text)
{
    static const char *const booleans[] = {"true",  "false", "yes", "no", "on",  "off", "True",
                                           "False", "Yes",   "No",  "On", "Off", NULL};
    static const char *const not_numbers[] = {"nan", "NaN", "NAN", ".nan", ".NaN", ".NAN", NULL};
    static const char *const variables[] = {"x",          "y",        "z",  "r", "t",
                                            "shear_rate", "pressure", "pi", NULL};
    const char *digits = text + strspn(text, "+-");
    char *end = NULL;
    double value;

    if (is_one_of(text, booleans))
        return "is a boolean, not a number";
    if (is_one_of(text, not_numbers) || sab_value_is_infinity(text))
        return "is not a finite number";
    if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') && isxdigit((int)digits[2]))
        return "is hexadecimal; write a decimal number";
    value = strtod(text, &end);
    if (end == text)
        return NULL;
    if (*end == '\0')
        return isinf(value) ? "is too large for a number" : NULL;
    if (*end == ',' && isdigit((unsigned char)end[1]) &&
        strspn(end + 1, "0123456789eE+-") == strlen(end + 1))
        return "has a decimal comma; use a point";
    end += strspn(end, " ");
    if (isalpha((unsigned char)*end) && !is_one_of(end, variables) && strpbrk(end, "*^()+") == NULL)
        return "is a number followed by letters, and this key is no quantity with a unit";
    return NULL;
}

static sab_status fail_kind(const sab_value_reader *r, const sab_yaml *node, const char *path,
                            const char *expected, sab_error *err)
{
    const char *found = node->kind == SAB_YAML_MAP ? node->n > 0 ? "a section" : "an empty section"
                        : node->kind == SAB_YAML_LIST ? "a list"
                        : sab_yaml_is_empty(node)     ? "nothing"
                                                      : NULL;
    const sab_place place = sab_place_of_value(r->file, node, path);

    if (found != NULL)
        return sab_fail(err, SAB_ERR_INPUT, "%s: expected %s, found %s", place.text, expected,
                        found);
    return sab_fail(err, SAB_ERR_INPUT, "%s: expected %s, found %s'%s'", place.text, expected,
                    node->quoted ? "the text " : "", node->text);
}

static bool is_value(const sab_yaml *node)
{
    return node->kind == SAB_YAML_SCALAR && !sab_yaml_is_empty(node);
}

/* The powers of a certificate are products of five such numbers: within these bounds none
 * overflows, and none vanishes that should not [docs/theory.md, 7.5]. */
static const double SMALLEST = 1e-30, LARGEST = 1e30;

/* A number that is not 0 but so small that it cannot be stored? */
static bool has_vanished(const char *text, double value)
{
    double number;

    return value == 0.0 && sab_parse_number(text, &number) &&
           strcspn(text, "123456789") < strcspn(text, "eE");
}

static sab_status check_range(const sab_value_reader *r, const sab_key *row, const sab_yaml *node,
                              const char *path, double value, sab_error *err)
{
    const bool low = (row->range & SAB_HAS_MIN) != 0 &&
                     ((row->range & SAB_MIN_OPEN) != 0 ? value <= row->min : value < row->min);
    const bool high = (row->range & SAB_HAS_MAX) != 0 &&
                      ((row->range & SAB_MAX_OPEN) != 0 ? value >= row->max : value > row->max);
    char range[80];

    if (low || high)
        return sab_fail(err, SAB_ERR_INPUT, "%s: %s is out of range (%s)",
                        sab_place_of_value(r->file, node, path).text, node->text,
                        sab_schema_range(row, range, sizeof range));
    if (fabs(value) > LARGEST || (value != 0.0 && fabs(value) < SMALLEST) ||
        has_vanished(node->text, value))
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: %s is neither 0 nor between %g and %g in size; choose units in which "
                        "it is nearer to 1%s",
                        sab_place_of_value(r->file, node, path).text, node->text, SMALLEST, LARGEST,
                        row->type == SAB_KEY_FUNCTION_OR_INF && value > 1.0 ? ", or write inf"
                                                                            : "");
    return SAB_OK;
}

static sab_status read_number(const sab_value_reader *r, const sab_key *row, const sab_yaml *node,
                              const char *path, double *value, sab_error *err)
{
    const char *mistake;

    if (!is_value(node))
        return fail_kind(r, node, path, "a number", err);
    if (node->quoted)
        return fail_kind(r, node, path, "a number without quotes", err);
    if (sab_parse_number(node->text, value))
        return check_range(r, row, node, path, *value, err);
    mistake = known_mistake(node->text);
    return sab_fail(err, SAB_ERR_INPUT, "%s: '%s' %s", sab_place_of_value(r->file, node, path).text,
                    node->text, mistake != NULL ? mistake : "is not a number");
}

static sab_status read_integer(const sab_value_reader *r, const sab_key *row, const sab_yaml *node,
                               const char *path, int *value, sab_error *err)
{
    sab_status status = SAB_OK;
    double number = 0.0;

    if (is_value(node) && !node->quoted && sab_parse_integer(node->text, value))
        return check_range(r, row, node, path, *value, err);
    SAB_TRY(read_number(r, row, node, path, &number, err)); /* its messages come first */
    status = sab_fail(err, SAB_ERR_INPUT, "%s: '%s' is not an integer, written as in 200",
                      sab_place_of_value(r->file, node, path).text, node->text);
cleanup:
    return status;
}

static sab_status read_boolean(const sab_value_reader *r, const sab_yaml *node, const char *path,
                               bool *value, sab_error *err)
{
    if (!is_value(node) || node->quoted ||
        (strcmp(node->text, "true") != 0 && strcmp(node->text, "false") != 0))
        return fail_kind(r, node, path, "true or false", err);
    *value = node->text[0] == 't';
    return SAB_OK;
}

static sab_status read_text(const sab_value_reader *r, const sab_key *row, const sab_yaml *node,
                            const char *path, char **value, sab_error *err)
{
    if (!is_value(node))
        return fail_kind(r, node, path, "a text", err);
    if (row->type == SAB_KEY_NAME && node->text[0] == '\0')
        return sab_fail(err, SAB_ERR_INPUT, "%s: expected a text, found an empty one",
                        sab_place_of_value(r->file, node, path).text);
    for (const char *c = node->text; *c != '\0'; c++)
        if (((unsigned char)*c < 0x20 && *c != '\t') || *c == 0x7f)
            return sab_fail(err, SAB_ERR_INPUT, "%s: the text contains a control character%s",
                            sab_place_of_value(r->file, node, path).text,
                            *c == '\n' ? ": it must be one line" : "");
    SAB_FREE(*value);
    *value = sab_strdup(node->text);
    if (*value == NULL)
        return sab_fail(err, SAB_ERR_MEMORY, "out of memory: text of %s", path);
    return SAB_OK;
}

static sab_status fail_choice(const sab_value_reader *r, const sab_key *row, const sab_yaml *node,
                              const char *path, sab_error *err)
{
    enum { MOST = 50 };
    sab_status status = SAB_OK;
    const sab_place place = sab_place_of_value(r->file, node, path);
    const char *names[MOST], *close;
    sab_text list = {0};
    int n = 0;

    for (; n < MOST && row->choice(n) != NULL; n++) {
        names[n] = row->choice(n);
        SAB_TRY(sab_text_add(&list, err, "%s%s", n > 0 ? ", " : "", names[n]));
    }
    close = sab_closest_name(node->text, names, (size_t)n);
    if (close != NULL)
        status =
            sab_fail(err, SAB_ERR_INPUT, "%s: '%s' is none of the choices (%s); did you mean '%s'?",
                     place.text, node->text, list.data, close);
    else
        status = sab_fail(err, SAB_ERR_INPUT, "%s: '%s' is none of the choices (%s)", place.text,
                          node->text, list.data);
cleanup:
    sab_text_destroy(&list);
    return status;
}

static sab_status read_choice(const sab_value_reader *r, const sab_key *row, const sab_yaml *node,
                              const char *path, int *value, sab_error *err)
{
    if (!is_value(node))
        return fail_kind(r, node, path, "one of the choices", err);
    for (int i = 0; row->choice(i) != NULL; i++)
        if (strcmp(node->text, row->choice(i)) == 0) {
            *value = i;
            return SAB_OK;
        }
    return fail_choice(r, row, node, path, err);
}

/* Compile a formula and keep it with the case. */
static sab_status add_formula(const sab_value_reader *r, const char *text, const char *where,
                              bool state, sab_formula **formula, sab_error *err)
{
    struct sab_case_store *store = r->store;
    sab_status status;

    if (store->nformulas == store->capacity) {
        const int capacity = store->capacity > 0 ? 2 * store->capacity : 8;
        sab_formula **grown = sab_realloc(store->formula, (size_t)capacity, sizeof *grown);

        if (grown == NULL)
            return sab_fail(err, SAB_ERR_MEMORY, "out of memory: %d formulas", capacity);
        store->formula = grown;
        store->capacity = capacity;
    }
    status = sab_formula_create(text, where, r->geometry, state, formula, err);
    if (status == SAB_OK)
        store->formula[store->nformulas++] = *formula;
    return status;
}

static sab_status read_function(const sab_value_reader *r, const sab_key *row, const sab_yaml *node,
                                const char *path, sab_function *value, sab_error *err)
{
    const sab_place place = sab_place_of_value(r->file, node, path);
    const bool state = row->type == SAB_KEY_STATE_FUNCTION;
    const sab_vars nowhere = {0};
    sab_status status = SAB_OK;
    sab_formula *formula = NULL;
    sab_function call;
    const char *mistake;
    double number = 0.0;

    if (!is_value(node))
        return fail_kind(r, node, path, sab_schema_type(row->type), err);
    if (!sab_parse_number(node->text, &number)) {
        if (row->type == SAB_KEY_FUNCTION_OR_INF && sab_value_is_infinity(node->text) &&
            node->text[0] != '-') {
            *value = sab_constant(INFINITY);
            return SAB_OK;
        }
        mistake = known_mistake(node->text);
        if (mistake != NULL)
            return sab_fail(err, SAB_ERR_INPUT, "%s: '%s' %s", place.text, node->text, mistake);
        SAB_TRY(add_formula(r, node->text, place.text, state, &formula, err));
        call = sab_formula_function(formula);
        if (!sab_formula_is_constant(formula)) {
            *value = call;
            return SAB_OK;
        }
        SAB_TRY(sab_function_at(&call, &nowhere, &number, err)); /* "1/3" is a number as well */
    }
    SAB_TRY(check_range(r, row, node, path, number, err));
    *value = sab_constant(number);
cleanup:
    return status;
}

/* Why a vector has as many components as it has: "a vector in geometry: space has x, y, z". */
static const char *explain_length(const sab_geometry *g, const char *what, char *buffer,
                                  size_t size)
{
    int used = snprintf(buffer, size, "%s in geometry: %s has", what, g->name);

    for (int i = 0; i < g->dim && used > 0 && (size_t)used < size; i++)
        used += snprintf(buffer + used, size - (size_t)used, "%s %s", i > 0 ? "," : "",
                         g->coordinate[i]);
    return buffer;
}

static sab_status read_vector(const sab_value_reader *r, const sab_key *row, const sab_yaml *node,
                              const char *path, sab_function *value, sab_error *err)
{
    const int dim = r->geometry->dim;
    sab_status status = SAB_OK;
    char why[100];
    double zero = 1.0;

    for (int i = 0; i < 3; i++)
        value[i] = sab_constant(0.0);
    if (row->type == SAB_KEY_VECTOR_OR_ZERO && is_value(node)) {
        if (sab_parse_number(node->text, &zero) && zero == 0.0)
            return SAB_OK;
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: '%s' is no vector; give %d components in brackets, or 0, or use "
                        "pressure for a load along the normal",
                        sab_place_of_value(r->file, node, path).text, node->text, dim);
    }
    if (node->kind != SAB_YAML_LIST)
        return fail_kind(r, node, path, "a list of components in brackets", err);
    if (node->n != dim)
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: expected %d components, found %d (decimals are written with a point); "
                        "%s",
                        sab_place_of_value(r->file, node, path).text, dim, node->n,
                        explain_length(r->geometry, "a vector", why, sizeof why));
    for (int i = 0; i < dim; i++) {
        const sab_yaml *item = node->item[i];

        if (row->type != SAB_KEY_VECTOR_OR_FREE || !is_value(item) ||
            strcmp(item->text, "free") != 0)
            SAB_TRY(read_function(r, row, item, path, &value[i], err));
    }
cleanup:
    return status;
}

static sab_status read_point(const sab_value_reader *r, const sab_key *row, const sab_yaml *node,
                             const char *path, double *value, sab_error *err)
{
    const int dim = r->geometry->dim;
    sab_status status = SAB_OK;
    char why[100];

    if (node->kind != SAB_YAML_LIST || node->n != dim)
        return sab_fail(err, SAB_ERR_INPUT, "%s: expected a point, %d numbers in brackets; %s",
                        sab_place_of_value(r->file, node, path).text, dim,
                        explain_length(r->geometry, "a point", why, sizeof why));
    for (int i = 0; i < dim; i++)
        SAB_TRY(read_number(r, row, node->item[i], path, &value[i], err));
cleanup:
    return status;
}

static sab_status read_segment(const sab_value_reader *r, const sab_key *row, const sab_yaml *node,
                               const char *path, double *value, sab_error *err)
{
    sab_status status = SAB_OK;

    if (node->kind != SAB_YAML_LIST || node->n != 2)
        return sab_fail(err, SAB_ERR_INPUT, "%s: expected two points, as in %s",
                        sab_place_of_value(r->file, node, path).text,
                        r->geometry->dim == 2 ? "[[0, 0], [0, 8]]" : "[[0, 0, 0], [0, 0, 8]]");
    SAB_TRY(read_point(r, row, node->item[0], path, value, err));
    SAB_TRY(read_point(r, row, node->item[1], path, value + 3, err));
    if (value[0] == value[3] && value[1] == value[4] && value[2] == value[5]) /* also 0 and -0 */
        status = sab_fail(err, SAB_ERR_INPUT, "%s: the two points are the same",
                          sab_place_of_value(r->file, node, path).text);
cleanup:
    return status;
}

static sab_status read_range(const sab_value_reader *r, const sab_key *row, const sab_yaml *node,
                             const char *path, double *value, sab_error *err)
{
    const bool list = node->kind == SAB_YAML_LIST;
    sab_status status = SAB_OK;

    if (list && node->n != 1 + 1)
        return sab_fail(err, SAB_ERR_INPUT, "%s: expected a number, or two in brackets, low first",
                        sab_place_of_value(r->file, node, path).text);
    for (int i = 0; i <= 1; i++)
        SAB_TRY(read_number(r, row, list ? node->item[i] : node, path, &value[i], err));
    if (value[0] > value[1])
        status = sab_fail(err, SAB_ERR_INPUT, "%s: %g is more than %g; the lower one comes first",
                          sab_place_of_value(r->file, node, path).text, value[0], value[1]);
cleanup:
    return status;
}

static sab_status read_pair(const sab_value_reader *r, const sab_key *row, const sab_yaml *node,
                            const char *path, int *value, sab_error *err)
{
    sab_status status = SAB_OK;
    const bool list = node->kind == SAB_YAML_LIST;

    if (list && node->n != 1 + 1)
        return sab_fail(err, SAB_ERR_INPUT, "%s: expected an integer, or two of them in brackets",
                        sab_place_of_value(r->file, node, path).text);
    for (int i = 0; i < (list ? node->n : 1); i++)
        SAB_TRY(read_integer(r, row, list ? node->item[i] : node, path, &value[i], err));
cleanup:
    return status;
}

static sab_status check_list(const sab_value_reader *r, const sab_yaml *node, const char *path,
                             sab_error *err)
{
    sab_status status = SAB_OK;

    if (node->kind != SAB_YAML_LIST && (!is_value(node) || node->text[0] == '\0'))
        return fail_kind(r, node, path, "a name, or a list of names", err);
    for (int i = 0; i < node->n; i++)
        if (!is_value(node->item[i]) || node->item[i]->text[0] == '\0')
            SAB_TRY(fail_kind(r, node->item[i], path, "a name", err));
cleanup:
    return status;
}

/* A section that says something, or did before what was wrong went out. */
static bool is_filled(const sab_yaml *node)
{
    return node->kind == SAB_YAML_MAP && (node->n > 0 || node->faulty);
}

sab_status sab_value_read(const sab_value_reader *r, const sab_key *row, const sab_yaml *node,
                          const char *path, void *base, sab_error *err)
{
    void *member = (char *)base + row->offset;
    sab_status status = SAB_OK;
    int index = 0;

    if (row->flag != 0)
        *(bool *)((char *)base + row->flag) = true;
    switch (row->type) {
    case SAB_KEY_NUMBER:
        return read_number(r, row, node, path, member, err);
    case SAB_KEY_INTEGER:
        return read_integer(r, row, node, path, member, err);
    case SAB_KEY_BOOLEAN:
        return read_boolean(r, node, path, member, err);
    case SAB_KEY_TEXT:
    case SAB_KEY_NAME:
        return read_text(r, row, node, path, member, err);
    case SAB_KEY_CHOICE:
        SAB_TRY(read_choice(r, row, node, path, &index, err));
        if (row->size == sizeof(bool))
            *(bool *)member = index != 0;
        else if (row->size != 0)
            memcpy(member, &index, sizeof index); /* enumerations have the size of int */
        break;
    case SAB_KEY_FUNCTION_OR_MAP:
        if (is_filled(node))
            return sab_value_read_map(r, row, node, path, base, err);
        return read_function(r, row, node, path, member, err);
    case SAB_KEY_FUNCTION:
    case SAB_KEY_FUNCTION_OR_INF:
    case SAB_KEY_STATE_FUNCTION:
        return read_function(r, row, node, path, member, err);
    case SAB_KEY_VECTOR:
    case SAB_KEY_VECTOR_OR_FREE:
    case SAB_KEY_VECTOR_OR_ZERO:
        return read_vector(r, row, node, path, member, err);
    case SAB_KEY_POINT:
        return read_point(r, row, node, path, member, err);
    case SAB_KEY_SEGMENT:
        return read_segment(r, row, node, path, member, err);
    case SAB_KEY_RANGE:
        return read_range(r, row, node, path, member, err);
    case SAB_KEY_PAIR:
        return read_pair(r, row, node, path, member, err);
    case SAB_KEY_QUANTITY:
        return sab_value_read_quantity(r->file, row, node, path, member, err);
    case SAB_KEY_MAP:
        return sab_value_read_map(r, row, node, path, base, err);
    case SAB_KEY_LIST:
        return check_list(r, node, path, err);
    case SAB_KEY_NAMES: /* an array of items: the caller knows which */
    case SAB_KEY_TYPES:
        break;
    }
cleanup:
    return status;
}

sab_status sab_value_read_map(const sab_value_reader *r, const sab_key *parent,
                              const sab_yaml *node, const char *path, void *base, sab_error *err)
{
    sab_status status = SAB_OK;

    for (int i = 0; i < node->n; i++) {
        const sab_key *row = sab_schema_find(parent, node->item[i]->key);

        SAB_TRY(
            sab_fault(r->faults,
                      sab_value_read(r, row, node->item[i],
                                     sab_key_path_join(path, node->item[i]->key).text, base, err),
                      err));
    }
cleanup:
    return status;
}
