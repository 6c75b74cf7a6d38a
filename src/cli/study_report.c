#include "cli/study.h"
#include "base/text.h"
#include "io/json.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN = 5 }; /* probes on the terminal: more do not fit on a line */

/* Widest of a column and its title. */
static int width_of(const sab_table *t, int column, const char *title)
{
    size_t width = strlen(title);

    for (int row = 0; row < t->nrows; row++) {
        const size_t n = strlen(sab_table_cell(t, row, column));

        width = n > width ? n : width;
    }
    return (int)(width < 40 ? width : 40);
}

typedef struct shown {
    int column, width;
    const char *title;
    bool number;
} shown;

static int add_shown(const sab_table *t, const char *name, const char *title, bool number,
                     shown *list, int n)
{
    const int column = sab_table_find(t, name);

    if (column < 0)
        return n;
    list[n] = (shown){column, number ? 12 : width_of(t, column, title), title, number};
    if (number && (int)strlen(title) > list[n].width)
        list[n].width = (int)strlen(title);
    return n + 1;
}

static const char *rest(const sab_table *t, int row)
{
    return sab_table_cell(t, row, sab_table_find(t, "solver.at_rest"));
}

void sab_study_show_table(const sab_study_run *run, const sab_table *t)
{
    const sab_study *s = run->study;
    shown list[SAB_STUDY_OVERRIDES + SHOWN + 5];
    char line[2000];
    int n = 0, probes = 0;
    const int gap = sab_table_find(t, "solver.gap");

    for (int k = 0; k < s->nkeys; k++)
        n = add_shown(t, s->key[k].name, s->key[k].label, false, list, n);
    if (s->has_bracket)
        n = add_shown(t, s->bracket.key.name, s->bracket.key.label, false, list, n);
    n = add_shown(t, "status", "status", false, list, n);
    if (run->missed > 0)
        n = add_shown(t, SAB_LEFT_OUT, "left out", false, list, n);
    for (int c = 0; c < t->ncolumns && probes < SHOWN; c++)
        if (strncmp(t->column[c], "probes.", 7) == 0) {
            n = add_shown(t, t->column[c], t->column[c] + 7, true, list, n);
            probes++;
        }
    n = add_shown(t, "solver.gap", "gap G", true, list, n);
    n = add_shown(t, "cpu.total", "CPU s", true, list, n);
    for (int row = -1; row < t->nrows; row++) {
        size_t used = 0;

        line[0] = '\0';
        for (int i = 0; i < n && used < sizeof line; i++) {
            const char *text = row < 0 ? list[i].title : sab_table_cell(t, row, list[i].column);
            char number[40];
            double value;

            if (row >= 0 && list[i].column == gap && strcmp(rest(t, row), "true") == 0) {
                text = "at rest"; /* nothing to compare the gap with */
            } else if (row >= 0 && list[i].number && sab_parse_number(text, &value)) {
                snprintf(number, sizeof number, "%.6g", value);
                text = number;
            }
            used += (size_t)snprintf(line + used, sizeof line - used, "%s%*.40s", i > 0 ? "  " : "",
                                     list[i].width, text);
        }
        sab_say(run->term, "%s", line);
    }
}

/* ---- warnings ---- */

/* The same sentence, but for the numbers in it? */
static bool alike(const char *a, const char *b)
{
    static const char number[] = "0123456789.+-e";

    while (*a != '\0' && *b != '\0') {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            a += strspn(a, number);
            b += strspn(b, number);
        } else if (*a++ != *b++) {
            return false;
        }
    }
    return *a == *b;
}

/* What a point warns about like this, or NULL. */
static const char *warns(const sab_point *p, const char *sentence)
{
    for (int k = 0; k < sab_point_warnings(p); k++)
        if (alike(sab_point_warning(p, k), sentence))
            return sab_point_warning(p, k);
    return NULL;
}

/* Warning k of point i, if no earlier one is like it; else NULL. */
static const char *new_warning(const sab_study_run *run, int i, int k)
{
    const char *sentence = sab_point_warning(&run->point[i], k);

    for (int j = 0; j < k; j++)
        if (alike(sab_point_warning(&run->point[i], j), sentence))
            return NULL;
    for (int j = 0; j < i; j++)
        if (warns(&run->point[j], sentence) != NULL)
            return NULL;
    return sentence;
}

void sab_study_show_warnings(const sab_study_run *run)
{
    enum { SENTENCES = 5, NAMES = 3 };
    int sentences = 0;

    for (int i = 0; i < run->npoints; i++)
        for (int k = 0; k < sab_point_warnings(&run->point[i]); k++) {
            const char *sentence = new_warning(run, i, k);
            char names[NAMES * (SAB_STUDY_NAME + 2) + 40] = "";
            size_t used = 0;
            int n = 0;
            bool differ = false;

            if (sentence == NULL || sentences++ >= SENTENCES)
                continue;
            for (int j = i; j < run->npoints; j++) {
                const char *other = warns(&run->point[j], sentence);

                differ = differ || (other != NULL && strcmp(other, sentence) != 0);
                if (other != NULL && ++n <= NAMES)
                    used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                             n > 1 ? "; " : "", run->point[j].name);
            }
            if (n > NAMES)
                snprintf(names + used, sizeof names - used, "; and %d more", n - NAMES);
            sab_warn(run->term, "%d point%s (%s)%s: %s", n, n == 1 ? "" : "s", names,
                     differ ? ", with the numbers of the first" : "", sentence);
        }
    if (sentences > SENTENCES)
        sab_warn(run->term, "%d other warnings of points: see %s/study.json", sentences - SENTENCES,
                 run->directory);
}

sab_status sab_study_write(const sab_study_run *run, sab_error *err)
{
    sab_json json = {0};
    char path[SAB_STUDY_PATH], text[300];

    sab_json_begin_object(&json, NULL);
    sab_json_string(&json, "version", SAB_VERSION);
    sab_json_string(&json, "title", run->study->title);
    sab_json_integer(&json, "points", run->done);
    sab_json_integer(&json, "failed", run->failed);
    sab_json_integer(&json, "missed", run->missed);
    sab_json_integer(&json, "warned", run->warned);
    sab_json_begin_object(&json, SAB_LEFT_OUT);
    for (int i = 0; i < run->npoints; i++)
        if (run->point[i].state != SAB_POINT_NONE && !sab_point_good(&run->point[i]))
            sab_json_string(&json, run->point[i].name,
                            sab_point_trouble(&run->point[i], text, sizeof text));
    sab_json_end_object(&json);
    sab_json_begin_array(&json, "warnings");
    for (int i = 0; i < run->npoints; i++)
        for (int k = 0; k < sab_point_warnings(&run->point[i]); k++) {
            const char *sentence = new_warning(run, i, k);

            if (sentence == NULL)
                continue;
            sab_json_begin_object(&json, NULL);
            sab_json_string(&json, "warning", sentence);
            sab_json_begin_array(&json, "points");
            for (int j = i; j < run->npoints; j++)
                if (warns(&run->point[j], sentence) != NULL)
                    sab_json_string(&json, NULL, run->point[j].name);
            sab_json_end_array(&json);
            sab_json_end_object(&json);
        }
    sab_json_end_array(&json);
    sab_json_end_object(&json);
    snprintf(path, sizeof path, "%s/study.json", run->directory);
    const sab_status status = sab_json_save(&json, path, err);
    sab_json_destroy(&json);
    return status;
}

/* ---- brackets ---- */

/* Are two points that can be trusted near enough to each other? */
static bool is_certified(const sab_study_run *run, const sab_chain *c)
{
    return c->sure_flowing >= 0 && c->sure_arrested >= 0 &&
           fabs(run->point[c->sure_flowing].value - run->point[c->sure_arrested].value) <=
               run->study->bracket.width * (1.0 + 1e-9);
}

static const char *bracket_status(const sab_study_run *run, const sab_chain *c)
{
    const sab_point *last = &run->point[c->first + (c->next > 0 ? c->next - 1 : 0) * c->stride];

    return c->broken && strcmp(last->status, "interrupted") == 0 ? "interrupted"
           : c->broken                                           ? "failed"
           : c->next < 2                                         ? "pending"
           : is_certified(run, c)                                ? "bracketed"
           : c->flowing >= 0 && c->arrested >= 0                 ? "not certified"
           : c->flowing >= 0                                     ? "flows at both ends"
                                                                 : "arrested at both ends";
}

static sab_status fill_row(const sab_study_run *run, const sab_chain *c, sab_table *t, bool *good,
                           sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_study *s = run->study;
    const int combination = run->point[c->first].combination;
    const char *state = bracket_status(run, c);
    int missed = 0;
    char text[40], name[SAB_STUDY_NAME] = "";

    SAB_TRY(sab_table_add_row(t, err));
    for (int k = 0; k < s->nkeys; k++)
        SAB_TRY(sab_table_set(t, s->key[k].name, sab_study_value(s, combination, k), err));
    if (c->sure_flowing >= 0)
        SAB_TRY(sab_table_set(
            t, "flowing", sab_point_value(&run->point[c->sure_flowing], text, sizeof text), err));
    if (c->sure_arrested >= 0)
        SAB_TRY(sab_table_set(
            t, "arrested", sab_point_value(&run->point[c->sure_arrested], text, sizeof text), err));
    if (is_certified(run, c)) {
        const double low = run->point[c->sure_flowing].value;
        const double high = run->point[c->sure_arrested].value;

        snprintf(text, sizeof text, "%.12g", 0.5 * (low + high));
        SAB_TRY(sab_table_set(t, "threshold", text, err));
    }
    for (int i = 0; i < c->next; i++)
        missed += !sab_point_good(&run->point[c->first + i * c->stride]);
    SAB_TRY(sab_table_set_number(t, "points", c->next, err));
    SAB_TRY(sab_table_set_number(t, "missed", missed, err));
    SAB_TRY(sab_table_set(t, "status", state, err));
    if (s->nkeys > 0)
        SAB_TRY(sab_study_name(s, combination, NULL, name, err));
    if (strcmp(state, "bracketed") == 0) {
        sab_say(run->term, "bracket        %s%s%s flows at %.8g, arrested at %.8g%s", name,
                name[0] != '\0' ? ": " : "", s->bracket.key.name, run->point[c->sure_flowing].value,
                run->point[c->sure_arrested].value,
                missed > 0 ? "; other points missed their tolerance" : "");
    } else {
        sab_warn(run->term, "bracket %s%s%s: %s%s", name, name[0] != '\0' ? ": " : "",
                 s->bracket.key.name, state,
                 strcmp(state, "not certified") == 0
                     ? ", because points next to the threshold missed their tolerance"
                     : "");
        *good = false;
    }
cleanup:
    return status;
}

sab_status sab_study_show_brackets(const sab_study_run *run, bool *good, sab_error *err)
{
    static const char *const column[] = {"flowing", "arrested", "threshold",
                                         "points",  "missed",   "status"};
    sab_status status = SAB_OK;
    sab_table *t = NULL;
    char path[SAB_STUDY_PATH];

    snprintf(path, sizeof path, "%s/brackets.csv", run->directory);
    SAB_TRY(sab_table_create(path, &t, err));
    for (int k = 0; k < run->study->nkeys; k++)
        SAB_TRY(sab_table_add_column(t, run->study->key[k].name, err));
    for (size_t i = 0; i < sizeof column / sizeof column[0]; i++)
        SAB_TRY(sab_table_add_column(t, column[i], err));
    for (int c = 0; c < run->nchains; c++)
        SAB_TRY(fill_row(run, &run->chain[c], t, good, err));
    SAB_TRY(sab_table_write(t, path, err));
cleanup:
    sab_table_destroy(&t);
    return status;
}
