#include "cli/study.h"
#include "base/text.h"

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
    shown list[SAB_STUDY_OVERRIDES + SHOWN + 4];
    char line[2000];
    int n = 0, probes = 0;
    const int gap = sab_table_find(t, "solver.gap");

    for (int k = 0; k < s->nkeys; k++)
        n = add_shown(t, s->key[k].name, s->key[k].label, false, list, n);
    if (s->has_bracket)
        n = add_shown(t, s->bracket.key.name, s->bracket.key.label, false, list, n);
    n = add_shown(t, "status", "status", false, list, n);
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

/* ---- brackets ---- */

static const char *bracket_status(const sab_study_run *run, const sab_chain *c)
{
    const sab_point *last = &run->point[c->first + (c->next > 0 ? c->next - 1 : 0) * c->stride];

    return c->broken && strcmp(last->status, "interrupted") == 0 ? "interrupted"
           : c->broken                                           ? "failed"
           : c->next < 2                                         ? "pending"
           : c->flowing >= 0 && c->arrested >= 0                 ? "bracketed"
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
    if (c->flowing >= 0)
        SAB_TRY(sab_table_set(t, "flowing",
                              sab_point_value(&run->point[c->flowing], text, sizeof text), err));
    if (c->arrested >= 0)
        SAB_TRY(sab_table_set(t, "arrested",
                              sab_point_value(&run->point[c->arrested], text, sizeof text), err));
    if (c->flowing >= 0 && c->arrested >= 0) {
        const double low = run->point[c->flowing].value, high = run->point[c->arrested].value;

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
        const double flowing = run->point[c->flowing].value;
        const double arrested = run->point[c->arrested].value;

        sab_say(run->term, "bracket        %s%s%s flows at %.8g, arrested at %.8g%s", name,
                name[0] != '\0' ? ": " : "", s->bracket.key.name, flowing, arrested,
                missed > 0 ? "; some points missed their tolerance" : "");
    } else {
        sab_warn(run->term, "bracket %s%s%s: %s", name, name[0] != '\0' ? ": " : "",
                 s->bracket.key.name, state);
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
