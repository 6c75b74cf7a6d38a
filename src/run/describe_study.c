/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/describe_study.h"
#include "base/text.h"

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

/* What stands in a row of a column; row -1: its title. */
static const char *cell_text(const sab_table *t, int row, const shown *at, char number[40])
{
    const char *text = row < 0 ? at->title : sab_table_cell(t, row, at->column);
    double value;

    if (row < 0)
        return text;
    if (at->column == sab_table_find(t, "solver.gap") && strcmp(rest(t, row), "true") == 0)
        return "at rest"; /* nothing to compare the gap with */
    if (!at->number || !sab_parse_number(text, &value))
        return text;
    snprintf(number, 40, "%.6g", value);
    return number;
}

static void show_table(const sab_study_run *run, const sab_table *t, const sab_teller *out)
{
    const sab_study *s = run->study;
    shown list[SAB_STUDY_OVERRIDES + SHOWN + 5];
    char line[2000];
    int n = 0, probes = 0;

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
            char number[40];

            used += (size_t)snprintf(line + used, sizeof line - used, "%s%*.40s", i > 0 ? "  " : "",
                                     list[i].width, cell_text(t, row, &list[i], number));
        }
        sab_tell(out, "%s", line);
    }
}

static void show_warnings(const sab_study_run *run, const sab_teller *out)
{
    enum { SENTENCES = 5, NAMES = 3 };
    int sentences = 0;

    for (int i = 0; i < run->npoints; i++)
        for (int k = 0; k < sab_study_point_warnings(&run->point[i]); k++) {
            const char *sentence = sab_study_warning(run, i, k);
            char names[NAMES * (SAB_STUDY_NAME + 2) + 40] = "";
            size_t used = 0;
            int n = 0;
            bool differ = false;

            if (sentence == NULL || sentences++ >= SENTENCES)
                continue;
            for (int j = i; j < run->npoints; j++) {
                const char *other = sab_study_warns(&run->point[j], sentence);

                differ = differ || (other != NULL && strcmp(other, sentence) != 0);
                if (other != NULL && ++n <= NAMES)
                    used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                             n > 1 ? "; " : "", run->point[j].name);
            }
            if (n > NAMES)
                snprintf(names + used, sizeof names - used, "; and %d more", n - NAMES);
            sab_tell_warning(out, "%d point%s (%s)%s: %s", n, n == 1 ? "" : "s", names,
                             differ ? ", with the numbers of the first" : "", sentence);
        }
    if (sentences > SENTENCES)
        sab_tell_warning(out, "%d other warnings of points: see %s/study.json",
                         sentences - SENTENCES, run->directory);
}

static bool show_brackets(const sab_study_run *run, const sab_teller *out)
{
    const sab_study *s = run->study;
    bool good = true;

    for (int k = 0; k < run->nchains; k++) {
        const sab_chain *c = &run->chain[k];
        const char *state = sab_study_bracket_state(run, c);
        char name[SAB_STUDY_NAME] = "";

        if (s->nkeys > 0)
            sab_study_name(s, run->point[c->first].combination, NULL, name, NULL);
        if (strcmp(state, "bracketed") == 0) {
            sab_tell(out, "bracket        %s%s%s flows at %.8g, arrested at %.8g%s", name,
                     name[0] != '\0' ? ": " : "", s->bracket.key.name,
                     run->point[c->sure_flowing].value, run->point[c->sure_arrested].value,
                     sab_study_missed(run, c) > 0 ? "; other points missed their tolerance" : "");
        } else {
            sab_tell_warning(out, "bracket %s%s%s: %s%s", name, name[0] != '\0' ? ": " : "",
                             s->bracket.key.name, state,
                             strcmp(state, "not certified") == 0
                                 ? ", because points next to the threshold missed their tolerance"
                                 : "");
            good = false;
        }
    }
    return good;
}

sab_status sab_describe_study(const sab_study_run *run, const sab_teller *out, bool *good,
                              sab_error *err)
{
    sab_status status = SAB_OK;
    sab_table *table = NULL;
    char json[SAB_PATH], csv[SAB_PATH];
    const int unfinished = sab_study_count(run).unfinished;
    int doubtful = 0;

    SAB_TRY(sab_study_table(run, &table, err));
    show_table(run, table, out);
    show_warnings(run, out);
    SAB_TRY(sab_study_write(run, err));
    if (run->study->has_bracket) {
        *good = show_brackets(run, out);
        SAB_TRY(sab_study_write_brackets(run, err));
    }
    if (run->study->has_fit && run->failed < run->done) {
        const sab_fit_request request = sab_study_fit(run, table);

        SAB_TRY(sab_path_set(json, err, "%s/fit.json", run->directory));
        SAB_TRY(sab_path_set(csv, err, "%s/fit_points.csv", run->directory));
        SAB_TRY(sab_describe_fit(table, &request, json, csv, out, &doubtful, err));
        *good = *good && doubtful == 0;
    }
    if (run->use == SAB_STUDY_COLLECT && unfinished > 0)
        sab_tell_warning(out, "%d point%s no result yet; --status tells more, --resume goes on",
                         unfinished, unfinished == 1 ? " has" : "s have");
    sab_tell(out,
             "result         %s/results.csv: %d points, %d of them new, %d failed, %d missed their "
             "tolerance or are not valid, %d with warnings",
             run->directory, run->done, run->ran, run->failed, run->missed, run->warned);
    *good = *good && run->failed == 0 && run->missed == 0 && unfinished == 0;
cleanup:
    sab_table_destroy(&table);
    return status;
}
