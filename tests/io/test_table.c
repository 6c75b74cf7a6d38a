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
    sab_fit_request r = {SAB_FIT_BEVERLOO, "D", "probes.Q", "s", 1, {"mu"}, 0.1, 2.0};

    scratch_create();
    CU_ASSERT_EQUAL_FATAL(sab_table_fit_create(t, &r, &f, &err), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(f->n, 2);
    for (int i = 0; i < 2; i++) {
        const sab_fit_group *g = &f->group[i];

        CU_ASSERT(g->failure.status == SAB_OK && g->n == 5 && g->left_out == 1);
        SAB_ASSERT_CLOSE(g->fit.factor.value, i == 0 ? 3.0 : 1.0, 1e-9);
        SAB_ASSERT_CLOSE(g->fit.k.value, i == 0 ? 2.0 : -1.0, 1e-8);
        CU_ASSERT_EQUAL(g->fit.weighted, i == 0); /* a sigma of the other is 0 */
        CU_ASSERT_EQUAL(g->sigma != NULL, i == 0);
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

/* Every allocation fails in turn: an error, and nothing lost (the sanitizer looks). */
static void test_memory(void)
{
    const sab_fit_request r = {SAB_FIT_BEVERLOO, "D", "probes.Q", NULL, 1, {"mu"}, 0.1, 1.0};
    sab_table *t = make();
    sab_status status = SAB_ERR_MEMORY;
    int n = 0;

    scratch_create();
    CU_ASSERT_EQUAL(sab_table_write(t, scratch_path("t.csv"), NULL), SAB_OK);
    sab_table_destroy(&t);
    for (; status == SAB_ERR_MEMORY && n < 10000; n++) {
        sab_table_fit *f = NULL;

        allocations_before_failure = n;
        status = sab_table_read(scratch_path("t.csv"), &t, NULL);
        if (status == SAB_OK)
            status = sab_table_fit_create(t, &r, &f, NULL);
        if (status == SAB_OK)
            status = sab_table_fit_save(f, scratch_path("f.json"), scratch_path("f.csv"), NULL);
        allocations_before_failure = -1;
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
                                     {"allocations fail", test_memory}};

    return SAB_TEST_MAIN("io/table", tests);
}
