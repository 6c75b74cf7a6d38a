/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/free_law.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/formula.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* "C=1": one of the starts. */
static sab_status take_start(sab_free_law *law, char *word, sab_error *err)
{
    sab_least_squares *p = &law->problem;
    char *value = strchr(word, '=');
    double number;
    int j = 0;

    if (value == NULL)
        return sab_fail(err, SAB_ERR_USAGE, "--start: '%s' is not NAME=VALUE", word);
    *value++ = '\0';
    while (j < p->np && strcmp(p->name[j], word) != 0)
        j++;
    if (j == p->np) {
        const char *close = sab_closest_name(word, p->name, (size_t)p->np);

        return sab_fail(err, SAB_ERR_USAGE, "--start: '%s' is no parameter of the law '%s'%s%s%s",
                        word, law->text, close != NULL ? "; did you mean '" : "",
                        close != NULL ? close : "", close != NULL ? "'?" : "");
    }
    if (!sab_parse_number(value, &number) || !isfinite(number))
        return sab_fail(err, SAB_ERR_USAGE, "--start: %s: '%s' is not a number", word, value);
    if (p->given[j])
        return sab_fail(err, SAB_ERR_USAGE, "--start: %s is given twice", word);
    p->start[j] = number;
    p->given[j] = law->chosen = true;
    return SAB_OK;
}

static sab_status read_starts(sab_free_law *law, const char *start, sab_error *err)
{
    sab_status status = SAB_OK;
    char *copy = sab_strdup(start), *next = NULL;

    if (copy == NULL)
        return sab_fail(err, SAB_ERR_MEMORY, "out of memory: starts of the law");
    for (char *word = copy; word != NULL; word = next) {
        next = strchr(word, ',');
        if (next != NULL)
            *next++ = '\0';
        SAB_TRY(take_start(law, word, err));
    }
cleanup:
    SAB_FREE(copy);
    return status;
}

sab_status sab_free_law_create(const char *text, const char *start, int bootstrap,
                               sab_free_law **law, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_free_law *l = NULL;

    *law = NULL;
    SAB_NEW(l, 1);
    l->text = sab_strdup(text);
    if (l->text == NULL)
        SAB_FAIL(err, SAB_ERR_MEMORY, "out of memory: law '%s'", text);
    SAB_TRY(sab_formula_create_law(text, "law", &l->formula, err));
    l->problem = (sab_least_squares){.np = sab_formula_parameters(l->formula),
                                     .name = sab_formula_parameter_names(l->formula),
                                     .law = sab_formula_law,
                                     .data = l->formula,
                                     .bootstrap = bootstrap};
    for (int j = 0; j < l->problem.np; j++)
        l->problem.start[j] = 1.0;
    if (start != NULL)
        SAB_TRY(read_starts(l, start, err));
    *law = l;
    l = NULL;
cleanup:
    sab_free_law_destroy(&l);
    return status;
}

void sab_free_law_destroy(sab_free_law **law)
{
    if (*law == NULL)
        return;
    sab_formula_destroy(&(*law)->formula);
    SAB_FREE((*law)->text);
    SAB_FREE(*law);
}

const char *sab_free_law_line(const sab_free_law *law, const sab_least_squares_fit *fit, int i,
                              char *buffer, size_t size)
{
    const sab_estimate *e = &fit->parameter[i], *b = &fit->bootstrap[i];

    buffer[0] = '\0';
    if (i >= law->problem.np)
        return buffer;
    const int n = snprintf(buffer, size, "  %-12s %.6g [%.6g, %.6g]", law->problem.name[i],
                           e->value, e->low, e->high);
    if (!isnan(b->low) && n > 0 && (size_t)n < size)
        snprintf(buffer + n, size - (size_t)n, ", bootstrap [%.6g, %.6g]", b->low, b->high);
    return buffer;
}

/* With a start the user has said which of several minima is meant. */
static bool unclear(const sab_free_law *law, const sab_least_squares_fit *fit)
{
    return fit->ambiguous && !law->chosen;
}

static bool unfollowed(const sab_least_squares_fit *fit)
{
    return !(fit->unexplained <= 0.5);
}

static bool no_bootstrap(const sab_free_law *law, const sab_least_squares_fit *fit)
{
    return law->problem.bootstrap > 0 && isnan(fit->bootstrap[0].low);
}

bool sab_free_law_sound(const sab_free_law *law, const sab_least_squares_fit *fit)
{
    return !unclear(law, fit) && !unfollowed(fit) && !no_bootstrap(law, fit);
}

const char *sab_free_law_note(const sab_free_law *law, const sab_least_squares_fit *fit, int i,
                              char *buffer, size_t size)
{
    int k = 0;

    buffer[0] = '\0';
    if (fit->ambiguous && k++ == i) {
        size_t used = (size_t)snprintf(buffer, size, "other parameters fit as well:");

        for (int j = 0; j < law->problem.np && used < size; j++)
            used += (size_t)snprintf(buffer + used, size - used, "%s %s = %.6g", j > 0 ? "," : "",
                                     law->problem.name[j], fit->other[j]);
        if (used < size)
            snprintf(buffer + used, size - used, "%s",
                     law->chosen ? "" : "; choose by a start (--start)");
    }
    if (unfollowed(fit) && k++ == i)
        snprintf(buffer, size,
                 "these points do not follow the law: it leaves %.3g %% of their variation",
                 100.0 * fit->unexplained);
    if (no_bootstrap(law, fit) && k++ == i)
        snprintf(buffer, size, "no bootstrap intervals: %d of %d samples have no fit", fit->failed,
                 fit->samples);
    else if (fit->failed > 0 && !no_bootstrap(law, fit) && k++ == i)
        snprintf(buffer, size, "bootstrap: %d of %d samples have no fit", fit->failed,
                 fit->samples);
    return buffer;
}
