/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a study is for: fit, bracket and continue. */
#include "base/memory.h"
#include "io/study_read.h"

#include <math.h>
#include <string.h>

static sab_status fail_not_varied(const sab_study *s, const sab_yaml *node, const char *what,
                                  sab_error *err)
{
    const char *names[SAB_FIT_GROUPS + 1];
    int n = 0;

    while (n < s->nkeys && n <= SAB_FIT_GROUPS) {
        names[n] = s->key[n].name;
        n++;
    }
    const char *close = sab_closest_name(node->text, names, (size_t)n);
    return sab_study_fail(s, node, err, "%s: '%s' does not vary in this study%s%s%s", what,
                          node->text, close != NULL ? "; did you mean '" : "",
                          close != NULL ? close : "", close != NULL ? "'?" : "");
}

/* That of the exponent; without it the geometry of the points says it. */
static sab_status read_dimension(const sab_study *s, const sab_yaml *map, sab_fit_request *fit,
                                 sab_error *err)
{
    const sab_yaml *node = sab_yaml_find(map, "dimension");

    if (node == NULL)
        return SAB_OK;
    if (fit->law != SAB_FIT_BEVERLOO)
        return sab_study_fail(s, node, err, "fit.dimension: belongs to the law beverloo");
    if (node->kind != SAB_YAML_SCALAR || !sab_parse_integer(node->text, &fit->dimension) ||
        (fit->dimension != sab_geometry_plane.d && fit->dimension != sab_geometry_space.d))
        return sab_study_fail(s, node, err,
                              "fit.dimension: expected 2 (slot, exponent 3/2) or 3 (round outlet, "
                              "5/2); without it, it is that of the geometry");
    return SAB_OK;
}

sab_status sab_study_read_fit(sab_study *s, const sab_yaml *map, sab_error *err)
{
    static const char *const known[] = {"law", "x", "y", "grain", "scale", "weights", "dimension"};
    sab_status status = SAB_OK;
    sab_fit_request *fit = &s->fit;
    const char *law = NULL, *weights = "deviations";
    const sab_yaml *law_node = NULL, *x = NULL, *weights_node = NULL;

    *fit = (sab_fit_request){.grain = 1.0, .scale = 1.0};
    SAB_TRY(sab_study_check_keys(s, map, "fit.", known, 7, err));
    SAB_TRY(sab_study_get_text(s, map, "fit.", "law", true, &law, &law_node, err));
    fit->law = sab_fit_find_law(law);
    if (fit->law == SAB_FIT_LAWS)
        return sab_study_fail(s, law_node, err, "fit.law: '%s' is none of beverloo, power", law);
    SAB_TRY(sab_study_get_text(s, map, "fit.", "x", true, &fit->x, &x, err));
    SAB_TRY(sab_study_get_text(s, map, "fit.", "y", true, &fit->y, &s->fit_y, err));
    if (strncmp(fit->y, "probes.", 7) != 0 && strncmp(fit->y, "errors.", 7) != 0)
        return sab_study_fail(
            s, s->fit_y, err,
            "fit.y: '%s' is neither a probe (probes.NAME) nor an error (errors.L2)", fit->y);
    SAB_TRY(sab_study_get_number(s, map, "fit.", "grain", fit->law == SAB_FIT_BEVERLOO, true,
                                 &fit->grain, err));
    if (fit->law != SAB_FIT_BEVERLOO && sab_yaml_find(map, "grain") != NULL)
        return sab_study_fail(s, sab_yaml_find(map, "grain"), err,
                              "fit.grain: belongs to the law beverloo");
    SAB_TRY(read_dimension(s, map, fit, err));
    SAB_TRY(sab_study_get_number(s, map, "fit.", "scale", false, false, &fit->scale, err));
    SAB_TRY(sab_study_get_text(s, map, "fit.", "weights", false, &weights, &weights_node, err));
    s->fit_weighted = strcmp(weights, "deviations") == 0;
    if (!s->fit_weighted && strcmp(weights, "equal") != 0)
        return sab_study_fail(s, weights_node, err,
                              "fit.weights: '%s' is none of deviations, equal", weights);
    const int key = sab_study_find_key(s, fit->x);
    if (key < 0)
        return fail_not_varied(s, x, "fit.x", err);
    for (int k = 0; k < s->nkeys; k++) { /* the cases are apart even if they vary along with x */
        if (k != s->base_key && sab_study_axis_of(s, k) == sab_study_axis_of(s, key))
            continue;
        if (fit->ngroups == SAB_FIT_GROUPS)
            return sab_study_fail(s, map, err, "fit: more than %d other keys vary", SAB_FIT_GROUPS);
        fit->group[fit->ngroups++] = s->key[k].name;
    }
    s->has_fit = true;
cleanup:
    return status;
}

sab_status sab_study_read_bracket(sab_study *s, const sab_yaml *map, sab_error *err)
{
    static const char *const known[] = {"key", "between", "probe", "below", "width"};
    sab_status status = SAB_OK;
    sab_study_bracket *b = &s->bracket;
    const sab_yaml *node = NULL;
    const char *key = NULL;

    SAB_TRY(sab_study_check_keys(s, map, "bracket.", known, 5, err));
    SAB_TRY(sab_study_get_text(s, map, "bracket.", "key", true, &key, &b->key.node, err));
    SAB_TRY(sab_study_get_text(s, map, "bracket.", "probe", true, &b->probe, &b->probe_node, err));
    SAB_TRY(sab_study_get_node(s, map, "bracket.", "between", true, &node, err));
    SAB_TRY(sab_study_get_number(s, map, "bracket.", "below", true, true, &b->below, err));
    SAB_TRY(sab_study_get_number(s, map, "bracket.", "width", true, true, &b->width, err));
    if (node->kind != SAB_YAML_LIST || node->n != 2)
        return sab_study_fail(s, node, err, "bracket.between: expected two numbers: [2.0, 3.2]");
    for (int i = 0; i < 2; i++)
        SAB_TRY(sab_study_number_of(s, node->item[i], "bracket.", "between", &b->between[i], err));
    const double length = fabs(b->between[1] - b->between[0]);
    if (length == 0.0)
        return sab_study_fail(s, node, err, "bracket.between: the two are the same");
    if (b->width < 1e-9 * length)
        return sab_study_fail(s, sab_yaml_find(map, "width"), err,
                              "bracket.width: below a billionth of the interval");
    if (strncmp(b->probe, "probes.", 7) != 0)
        return sab_study_fail(s, b->probe_node, err,
                              "bracket.probe: '%s' is no probe (probes.NAME)", b->probe);
    if (sab_study_find_key(s, key) >= 0)
        return sab_study_fail(s, b->key.node, err, "bracket.key: '%s' varies already", key);
    for (int i = 0; i < s->nset; i++)
        if (strcmp(s->set[i].name, key) == 0)
            return sab_study_fail(s, s->set[i].node, err, "set: %s is the key of the bracket", key);
    if (s->has_fit)
        return sab_study_fail(
            s, map, err,
            "bracket: a study with a bracket has no fit; use `sablier fit` on its "
            "brackets.csv");
    b->key.name = sab_strdup(key);
    if (b->key.name == NULL)
        return sab_study_no_memory(err);
    s->has_bracket = true;
cleanup:
    return status;
}

sab_status sab_study_read_continue(sab_study *s, sab_error *err)
{
    sab_status status = SAB_OK;
    const char *name = NULL;
    const sab_yaml *node = NULL;

    s->continued = -1;
    SAB_TRY(sab_study_get_text(s, s->root, "", "continue", false, &name, &node, err));
    if (name == NULL)
        return SAB_OK;
    if (s->has_bracket) {
        if (strcmp(name, s->bracket.key.name) != 0)
            return sab_study_fail(s, node, err,
                                  "continue: with a bracket it can only be its key '%s'",
                                  s->bracket.key.name);
        s->continued = s->naxes;
    } else {
        const int key = sab_study_find_key(s, name);

        if (key < 0)
            return fail_not_varied(s, node, "continue", err);
        s->continued = sab_study_axis_of(s, key);
        if (sab_study_axis_has_base(s, s->continued))
            return sab_study_fail(s, node, err, "continue: the case varies along with '%s'", name);
    }
cleanup:
    return status;
}
