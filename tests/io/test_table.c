/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io_test.h"

#include "io/table_fit.h"
#include "io/yaml_tree.h"

#include <math.h>

static sab_table *read_text(const char *text, sab_status expected, const char *words)
{
    sab_error err = {0};
    sab_table *t = NULL;
    const char *path = scratch_path("t.csv");

    spit(path, text, strlen(text));
    CU_ASSERT_EQUAL(sab_table_read(path, &t, &err), expected);
    if (words != NULL && (strncmp(err.message, path, strlen(path)) != 0 ||
                          strcmp(err.message + strlen(path), words) != 0)) {
        printf("\n'%s' gives: %s\n", text, err.message);
        CU_FAIL("message");
    }
    remove(path);
    return t;
}

static void test_read(void)
{
    double value;

    scratch_create();
    sab_table *t =
        read_text("\xef\xbb\xbf"
                  "a, b ,\"c,\"\"d\"\r\n1,,\"x, y\"\r\n\r\n  \n-2.5e3 ,nan,\"two\nlines\"\n3,null,",
                  SAB_OK, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(t);
    CU_ASSERT_EQUAL(t->ncolumns, 3);
    CU_ASSERT_EQUAL(t->nrows, 3);
    CU_ASSERT_EQUAL(sab_table_find(t, "b"), 1);
    CU_ASSERT_EQUAL(sab_table_find(t, "c,\"d"), 2);
    CU_ASSERT_EQUAL(sab_table_find(t, "d"), -1);
    CU_ASSERT_STRING_EQUAL(sab_table_cell(t, 0, 2), "x, y");
    CU_ASSERT_STRING_EQUAL(sab_table_cell(t, 1, 2), "two\nlines");
    CU_ASSERT_STRING_EQUAL(sab_table_cell(t, 2, 2), "");
    CU_ASSERT_EQUAL(t->line[1], 5);
    CU_ASSERT_EQUAL(t->line[2], 7);
    CU_ASSERT_EQUAL(sab_table_number(t, 1, 0, &value, NULL), SAB_OK);
    CU_ASSERT_EQUAL(value, -2500.0);
    for (int row = 0; row < 3; row++) {
        CU_ASSERT_EQUAL(sab_table_number(t, row, 1, &value, NULL), SAB_OK);
        CU_ASSERT(isnan(value));
    }
    CU_ASSERT_EQUAL(sab_table_number(t, 0, 2, &value, NULL), SAB_ERR_INPUT);
    sab_table_destroy(&t);
    CU_ASSERT_PTR_NULL(t);
    scratch_remove();
}

static void test_messages(void)
{
    sab_table *t = NULL;
    sab_error err = {0};

    scratch_create();
    CU_ASSERT_PTR_NULL(
        read_text("", SAB_ERR_INPUT, ": is empty; expected a header line with names"));
    CU_ASSERT_PTR_NULL(
        read_text("a,b\n1,2\n3\n", SAB_ERR_INPUT, ":3: 1 cells, but the header has 2"));
    CU_ASSERT_PTR_NULL(
        read_text("a,b\n1,2,3\n", SAB_ERR_INPUT, ":2: 3 cells, but the header has 2"));
    CU_ASSERT_PTR_NULL(read_text("a,,b\n1,2,3\n", SAB_ERR_INPUT, ":1: column 2 has no name"));
    CU_ASSERT_PTR_NULL(read_text("a,b,a\n1,2,3\n", SAB_ERR_INPUT, ":1: there are two columns 'a'"));
    CU_ASSERT_PTR_NULL(read_text("a\n\"1\n2", SAB_ERR_INPUT, ":2: a quote is not closed"));
    CU_ASSERT_PTR_NULL(read_text("a\n\"1\"2\n", SAB_ERR_INPUT, ":2: '2' after a closed quote"));
    CU_ASSERT_EQUAL(sab_table_read(scratch, &t, &err), SAB_ERR_INPUT);
    CU_ASSERT_EQUAL(sab_table_read(scratch_path("none"), &t, &err), SAB_ERR_INPUT);
    scratch_remove();
}

static sab_table *make(void)
{
    sab_table *t = NULL;

    CU_ASSERT_EQUAL_FATAL(sab_table_create("r.csv", &t, NULL), SAB_OK);
    CU_ASSERT_EQUAL(sab_table_add_column(t, "mu", NULL), SAB_OK);
    CU_ASSERT_EQUAL(sab_table_add_column(t, "D", NULL), SAB_OK);
    CU_ASSERT_EQUAL(sab_table_add_column(t, "mu", NULL), SAB_OK); /* there already */
    CU_ASSERT_EQUAL(sab_table_add_column(t, "probes.Q", NULL), SAB_OK);
    CU_ASSERT_EQUAL(sab_table_add_column(t, "s", NULL), SAB_OK);
    for (int i = 0; i < 12; i++) {
        const double D = 1.0 + i / 2, C = i % 2 == 0 ? 1.5 : 0.5, k = i % 2 == 0 ? 2.0 : -1.0;

        CU_ASSERT_EQUAL(sab_table_add_row(t, NULL), SAB_OK);
        CU_ASSERT_EQUAL(sab_table_set(t, "mu", i % 2 == 0 ? "a, b" : "0.4", NULL), SAB_OK);
        CU_ASSERT_EQUAL(sab_table_set_number(t, "D", D, NULL), SAB_OK);
        CU_ASSERT_EQUAL(sab_table_set_number(t, "probes.Q",
                                             i == 10   ? NAN
                                             : i == 11 ? 0.0
                                                       : C * pow(D - 0.1 * k, 1.5),
                                             NULL),
                        SAB_OK);
        CU_ASSERT_EQUAL(sab_table_set_number(t, "s", i == 3 ? 0.0 : D, NULL), SAB_OK);
    }
    CU_ASSERT_EQUAL(sab_table_set(t, "nu", "1", NULL), SAB_ERR_INTERNAL);
    return t;
}

static void test_round_trip(void)
{
    sab_table *t = make(), *again = NULL;

    scratch_create();
    CU_ASSERT_EQUAL(sab_table_write(t, scratch_path("t.csv"), NULL), SAB_OK);
    CU_ASSERT_EQUAL(sab_table_read(scratch_path("t.csv"), &again, NULL), SAB_OK);
    CU_ASSERT_PTR_NOT_NULL_FATAL(again);
    CU_ASSERT(again->nrows == t->nrows && again->ncolumns == t->ncolumns);
    for (int r = 0; r < t->nrows; r++) {
        CU_ASSERT_EQUAL(t->line[r], again->line[r]);
        for (int c = 0; c < t->ncolumns; c++)
            CU_ASSERT_STRING_EQUAL(sab_table_cell(t, r, c), sab_table_cell(again, r, c));
    }
    sab_table_destroy(&t);
    sab_table_destroy(&again);
    remove(scratch_path("t.csv"));
    scratch_remove();
}

static void test_fit(void)
{
    sab_table *t = make();
    sab_table_fit *f = NULL;
    sab_error err = {0};
    sab_yaml *root = NULL;
    char label[100];
    sab_fit_request r = {
        SAB_FIT_BEVERLOO, "D", "probes.Q", "s", 1, {"mu"}, 0.1, 2.0, 0, false, NULL};

    scratch_create();
    CU_ASSERT_EQUAL_FATAL(sab_table_fit_create(t, &r, &f, &err), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(f->n, 2);
    for (int i = 0; i < 2; i++) {
        const sab_fit_group *g = &f->group[i];

        CU_ASSERT(g->failure.status == SAB_OK && g->n == 5 && g->left_out == 1);
        SAB_ASSERT_CLOSE(g->fit.factor.value, i == 0 ? 3.0 : 1.0, 1e-9);
        SAB_ASSERT_CLOSE(g->fit.k.value, i == 0 ? 2.0 : -1.0, 1e-8);
        CU_ASSERT(g->fit.weighted && g->sigma != NULL); /* a sigma of one is 0: no harm */
        CU_ASSERT_STRING_EQUAL(sab_table_fit_left(f, i, label, sizeof label),
                               i == 0 ? "1 of 6 points left out: D = 6 (no y)"
                                      : "1 of 6 points left out: D = 6 (y = 0)");
        CU_ASSERT_STRING_EQUAL(sab_table_fit_note(f, i, 0, label, sizeof label), "");
    }
    CU_ASSERT_STRING_EQUAL(sab_table_fit_label(f, 0, label, sizeof label), "mu = a, b");
    CU_ASSERT_EQUAL(sab_table_fit_save(f, scratch_path("f.json"), scratch_path("f.csv"), NULL),
                    SAB_OK);
    sab_table_fit_destroy(&f);
    CU_ASSERT_EQUAL(sab_yaml_read(scratch_path("f.json"), &root, NULL), SAB_OK);
    CU_ASSERT_PTR_NOT_NULL_FATAL(root);
    const sab_yaml *fits = sab_yaml_find(root, "fits");
    CU_ASSERT_STRING_EQUAL(sab_yaml_find(sab_yaml_find(fits->item[1], "group"), "mu")->text, "0.4");
    CU_ASSERT_PTR_NOT_NULL(sab_yaml_find(sab_yaml_find(fits->item[0], "k"), "low"));
    sab_yaml_destroy(&root);
    sab_table_destroy(&t);
    CU_ASSERT_EQUAL(sab_table_read(scratch_path("f.csv"), &t, NULL), SAB_OK);
    CU_ASSERT_PTR_NOT_NULL_FATAL(t);
    CU_ASSERT(t->nrows == 10 && sab_table_find(t, "residual") >= 0);
    r.sigma = NULL;
    r.y = "probes.q";
    CU_ASSERT_EQUAL(sab_table_fit_create(t, &r, &f, &err), SAB_ERR_INPUT);
    sab_table_destroy(&t);
    t = make();
    CU_ASSERT_EQUAL(sab_table_fit_create(t, &r, &f, &err), SAB_ERR_INPUT);
    CU_ASSERT_STRING_EQUAL(err.message,
                           "r.csv:1: y: there is no column 'probes.q'; did you mean 'probes.Q'?");
    r.y = "Q";
    CU_ASSERT_EQUAL(sab_table_fit_create(t, &r, &f, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "did you mean"));
    r.y = "mu";
    CU_ASSERT_EQUAL(sab_table_fit_create(t, &r, &f, &err), SAB_ERR_INPUT);
    CU_ASSERT_STRING_EQUAL(err.message, "r.csv:2: mu: 'a, b' is not a number");
    sab_table_destroy(&t);
    remove(scratch_path("f.json"));
    remove(scratch_path("f.csv"));
    scratch_remove();
}

/* Read a table and fit Beverloo's law of grain 0.1 through D, Q, of one group. */
static sab_table_fit *fit_text(const char *text, const char *sigma, bool all, sab_table **t,
                               sab_status expected, const char *words)
{
    static sab_fit_request r;
    sab_table_fit *f = NULL;
    sab_error err = {0};

    r = (sab_fit_request){SAB_FIT_BEVERLOO, "D", "Q", sigma, 0, {NULL}, 0.1, 1.0, 0, all, NULL};
    *t = read_text(text, SAB_OK, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(*t);
    CU_ASSERT_EQUAL(sab_table_fit_create(*t, &r, &f, &err), expected);
    CU_ASSERT(words == NULL || strstr(err.message, words) != NULL);
    return f;
}

/* Rows that a study has marked, values that are none, and values that cannot be: none of them is in
 * a fit, and each is named. y = (D - 0.2)^1.5. */
static void test_left_out(void)
{
    static const char rows[] = "D,Q,s,left_out\n1,0.715542,0.01,\n2,2.414953,0.01,\n"
                               "3,4.685296,0.01,\n4,7.407564,0.01,\n5,10.516273,0.01,\n"
                               "6,8e40,8e40,unstable\n7,4e22,1e22,\n8,inf,1,\n9,nan,1,\n10,,,\n"
                               "11,-3,0,\n12,41,0,3 of 80 steps missed\n,1,1,\n";
    sab_table *t = NULL;
    sab_yaml *root = NULL;
    char text[1000], name[200];

    scratch_create();
    for (int weighted = 0; weighted < 2; weighted++) {
        sab_table_fit *f = fit_text(rows, weighted ? "s" : NULL, false, &t, SAB_OK, NULL);
        CU_ASSERT_PTR_NOT_NULL_FATAL(f);
        const sab_fit_group *g = &f->group[0];

        CU_ASSERT(g->n == 5 && g->left_out == 8 && g->outliers == 1);
        CU_ASSERT_EQUAL(g->failure.status, SAB_OK);
        SAB_ASSERT_CLOSE(g->fit.factor.value, 1.0, 1e-5);
        SAB_ASSERT_CLOSE(g->fit.k.value, 2.0, 1e-4);
        sab_table_fit_left(f, 0, text, sizeof text);
        CU_ASSERT_STRING_EQUAL(
            text, "8 of 13 points left out: D = 6 (unstable), D = 8 (y is infinite), D = 9 (no y), "
                  "D = 10 (no y), D = 11 (y = -3), D = 12 (3 of 80 steps missed), and 2 more");
        CU_ASSERT_STRING_EQUAL(g->left[6].reason, "no x");
        CU_ASSERT_STRING_EQUAL(g->left[7].reason,
                               "outlier: y = 4e+22, where the others expect 17.7");
        CU_ASSERT_EQUAL(sab_table_fit_save(f, scratch_path("f.json"), scratch_path("f.csv"), NULL),
                        SAB_OK);
        sab_table_fit_destroy(&f);
        sab_table_destroy(&t);
        CU_ASSERT_EQUAL(sab_yaml_read(scratch_path("f.json"), &root, NULL), SAB_OK);
        CU_ASSERT_PTR_NOT_NULL_FATAL(root);
        const sab_yaml *left =
            sab_yaml_find(sab_yaml_find(root, "fits")->item[0], "left_out_points");
        CU_ASSERT_EQUAL_FATAL(left->n, 8);
        CU_ASSERT_STRING_EQUAL(sab_yaml_find(left->item[0], "reason")->text, "unstable");
        CU_ASSERT_STRING_EQUAL(sab_yaml_find(left->item[0], "line")->text, "7");
        sab_yaml_destroy(&root);
    }
    /* all that are positive numbers, on request: and the law is said to be none */
    sab_table_fit *f = fit_text(rows, NULL, true, &t, SAB_OK, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    CU_ASSERT(f->group[0].n == 8 && f->group[0].left_out == 5 && f->group[0].outliers == 0);
    bool told = f->group[0].failure.status != SAB_OK;
    for (int i = 0; sab_table_fit_note(f, 0, i, name, sizeof name)[0] != '\0'; i++)
        told = told || strstr(name, "do not follow the law") != NULL;
    CU_ASSERT(told);
    sab_table_fit_destroy(&f);
    sab_table_destroy(&t);
    remove(scratch_path("f.json"));
    remove(scratch_path("f.csv"));
    scratch_remove();
}

/* What is written reads back: cells that are empty, alone on their line, or have blanks and tabs at
 * their ends. */
static void test_blank_cells(void)
{
    static const char *const cells[] = {"",   "1",  "",    " a",         "b\t",
                                        "\t", "\"", "a,b", "two\nlines", ""};
    enum { ROWS = sizeof cells / sizeof cells[0] };

    scratch_create();
    for (int columns = 1; columns <= 2; columns++) {
        sab_table *t = NULL, *back = NULL;

        CU_ASSERT_EQUAL(sab_table_create("t", &t, NULL), SAB_OK);
        CU_ASSERT_EQUAL(sab_table_add_column(t, "a", NULL), SAB_OK);
        if (columns > 1)
            CU_ASSERT_EQUAL(sab_table_add_column(t, "b", NULL), SAB_OK);
        for (int i = 0; i < ROWS; i++) {
            CU_ASSERT_EQUAL(sab_table_add_row(t, NULL), SAB_OK);
            CU_ASSERT_EQUAL(sab_table_set(t, "a", cells[i], NULL), SAB_OK);
        }
        CU_ASSERT_EQUAL(sab_table_write(t, scratch_path("t.csv"), NULL), SAB_OK);
        CU_ASSERT_EQUAL(sab_table_read(scratch_path("t.csv"), &back, NULL), SAB_OK);
        CU_ASSERT_PTR_NOT_NULL_FATAL(back);
        CU_ASSERT_EQUAL_FATAL(back->nrows, ROWS);
        for (int i = 0; i < ROWS; i++)
            CU_ASSERT_STRING_EQUAL(sab_table_cell(back, i, 0), cells[i]);
        sab_table_destroy(&t);
        sab_table_destroy(&back);
    }
    remove(scratch_path("t.csv"));
    scratch_remove();
}

static void test_few_left(void)
{
    sab_table *t = NULL;
    char text[300];

    scratch_create();
    /* all are marked */
    sab_table_fit *f =
        fit_text("D,Q,left_out\n1,1,unstable\n2,2,unstable\n", NULL, false, &t, SAB_OK, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    CU_ASSERT(f->group[0].failure.status == SAB_ERR_INPUT && f->group[0].n == 0);
    CU_ASSERT_STRING_EQUAL(sab_table_fit_left(f, 0, text, sizeof text),
                           "2 of 2 points left out: D = 1 (unstable), D = 2 (unstable)");
    sab_table_fit_destroy(&f);
    sab_table_destroy(&t);
    /* two remain: a law without an interval */
    f = fit_text("D,Q,left_out\n1,0.715542,\n2,2.414953,\n3,9,failed\n", NULL, false, &t, SAB_OK,
                 NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    CU_ASSERT(f->group[0].failure.status == SAB_OK && isnan(f->group[0].fit.k.low));
    SAB_ASSERT_CLOSE(f->group[0].fit.k.value, 2.0, 1e-4);
    sab_table_fit_destroy(&f);
    sab_table_destroy(&t);
    /* three, and one of them absurd: nothing tells which, but that there is no law is said */
    f = fit_text("D,Q\n1,0.715542\n2,2.414953\n3,8e40\n", NULL, false, &t, SAB_OK, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    CU_ASSERT(f->group[0].failure.status != SAB_OK ||
              strstr(sab_table_fit_note(f, 0, 0, text, sizeof text), "do not follow") != NULL);
    sab_table_fit_destroy(&f);
    sab_table_destroy(&t);
    /* sigma: negative, missing, mostly zero */
    f = fit_text("D,Q,s\n1,1,1\n2,2,-0.1\n", "s", false, &t, SAB_ERR_INPUT,
                 ":3: s: a standard deviation of -0.1 is negative");
    CU_ASSERT_PTR_NULL(f);
    sab_table_destroy(&t);
    f = fit_text("D,Q,s\n1,0.715542,1\n2,2.414953,\n3,4.685296,2\n", "s", false, &t, SAB_OK, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    CU_ASSERT(!f->group[0].fit.weighted);
    CU_ASSERT_STRING_EQUAL(sab_table_fit_note(f, 0, 0, text, sizeof text),
                           "equal weights, because 1 of its points has no s");
    sab_table_fit_destroy(&f);
    sab_table_destroy(&t);
    f = fit_text("D,Q,s\n1,0.715542,0\n2,2.414953,0\n3,4.685296,2\n", "s", false, &t, SAB_OK, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    CU_ASSERT(!f->group[0].fit.weighted);
    CU_ASSERT_STRING_EQUAL(sab_table_fit_note(f, 0, 0, text, sizeof text),
                           "equal weights, because half of the values of s or more are 0");
    sab_table_fit_destroy(&f);
    sab_table_destroy(&t);
    scratch_remove();
}

/* The exponent of Beverloo's law is that of the geometry of its points, or of the dimension given:
 * both give C = 2 and k = 1 of exact data, and a wrong one would not. */
static void test_dimension(void)
{
    static const double x[] = {1.0, 1.5, 2.0, 3.0};
    char text[2000] = "geometry,D,Q\n", round[1000] = "D,Q\n";
    sab_fit_request r = {.law = SAB_FIT_BEVERLOO, .x = "D", .y = "Q", .grain = 0.1, .scale = 1.0};
    sab_table *t;
    sab_table_fit *f = NULL;
    sab_error err = {0};
    char formula[100];

    scratch_create();
    for (int i = 0; i < 4; i++) {
        const double base = x[i] - 0.1;

        sprintf(text + strlen(text), "plane,%g,%.17g\naxisymmetric,%g,%.17g\n", x[i],
                2.0 * pow(base, 1.5), x[i], 2.0 * pow(base, 2.5));
        sprintf(round + strlen(round), "%g,%.17g\n", x[i], 2.0 * pow(base, 2.5));
    }
    strcat(text, "axisymmetric,4,\n,5,\n"); /* a point that failed has neither */
    t = read_text(text, SAB_OK, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(t);
    CU_ASSERT_EQUAL(sab_table_fit_create(t, &r, &f, &err), SAB_ERR_INPUT); /* one group of both */
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "one law of Beverloo has one exponent"));
    r.group[r.ngroups++] = "geometry";
    CU_ASSERT_EQUAL(sab_table_fit_create(t, &r, &f, &err), SAB_OK);
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    CU_ASSERT_EQUAL_FATAL(f->n, 3);
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL(f->group[i].model.dimension, 2 + i);
        SAB_ASSERT_CLOSE(f->group[i].fit.factor.value, 2.0, 1e-9);
        SAB_ASSERT_CLOSE(f->group[i].fit.k.value, 1.0, 1e-9);
    }
    CU_ASSERT_STRING_EQUAL(sab_table_fit_formula(f, formula, sizeof formula),
                           "y = C (x - k grain)^(d - 1/2)");
    sab_table_fit_destroy(&f);
    sab_table_destroy(&t);

    t = read_text(round, SAB_OK, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(t);
    r.ngroups = 0;
    for (int d = 0; d <= 3; d += 3) { /* not given: a slot */
        r.dimension = d;
        CU_ASSERT_EQUAL(sab_table_fit_create(t, &r, &f, &err), SAB_OK);
        CU_ASSERT_PTR_NOT_NULL_FATAL(f);
        CU_ASSERT_PTR_NULL(f->group[0].geometry);
        CU_ASSERT_EQUAL(fabs(f->group[0].fit.k.value - 1.0) < 1e-9, d == 3);
        CU_ASSERT_STRING_EQUAL(sab_table_fit_formula(f, formula, sizeof formula),
                               d == 3 ? "y = C (x - k grain)^2.5" : "y = C (x - k grain)^1.5");
        sab_table_fit_destroy(&f);
    }
    sab_table_destroy(&t);
    t = read_text("geometry,D,Q\nround,1,1\n", SAB_OK, NULL);
    r.dimension = 0;
    CU_ASSERT_EQUAL(sab_table_fit_create(t, &r, &f, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, ":2: geometry: 'round' is none of plane"));
    sab_table_destroy(&t);
    scratch_remove();
}

/* Every allocation fails in turn: an error, and nothing lost (the sanitizer looks). */
static void test_memory(void)
{
    const sab_fit_request r = {
        SAB_FIT_BEVERLOO, "D", "probes.Q", NULL, 1, {"mu"}, 0.1, 1.0, 0, false, NULL};
    sab_table *t = make();
    sab_status status = SAB_ERR_MEMORY;
    int n = 0;

    scratch_create();
    CU_ASSERT_EQUAL(sab_table_write(t, scratch_path("t.csv"), NULL), SAB_OK);
    sab_table_destroy(&t);
    for (; status == SAB_ERR_MEMORY && n < 10000; n++) {
        sab_table_fit *f = NULL;

        sab_memory.failing = n;
        status = sab_table_read(scratch_path("t.csv"), &t, NULL);
        if (status == SAB_OK)
            status = sab_table_fit_create(t, &r, &f, NULL);
        if (status == SAB_OK)
            status = sab_table_fit_save(f, scratch_path("f.json"), scratch_path("f.csv"), NULL);
        sab_memory.failing = -1;
        sab_table_fit_destroy(&f);
        sab_table_destroy(&t);
    }
    CU_ASSERT(status == SAB_OK && n > 20);
    remove(scratch_path("t.csv"));
    remove(scratch_path("f.json"));
    remove(scratch_path("f.csv"));
    scratch_remove();
}

int main(void)
{
    static const sab_test tests[] = {{"read", test_read},
                                     {"messages", test_messages},
                                     {"round trip", test_round_trip},
                                     {"fits of groups", test_fit},
                                     {"rows left out", test_left_out},
                                     {"blank cells", test_blank_cells},
                                     {"few rows left", test_few_left},
                                     {"dimension of the law", test_dimension},
                                     {"allocations fail", test_memory}};

    return SAB_TEST_MAIN("io/table", tests);
}
