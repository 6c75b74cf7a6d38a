/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/case.h"
#include "io/schema.h"

#include <string.h>

/* What stands in the column of the default. */
static const char *default_text(const sab_key *row)
{
    if (row->fallback == NULL)
        return strchr(row->path, '*') != NULL && row->path[strlen(row->path) - 1] == '*'
                   ? "-"
                   : "required";
    return row->fallback[0] == '\0' ? "-" : row->fallback;
}

/* The type, or the choices themselves unless they are listed apart. */
static sab_status add_type(const sab_key *row, const char *separator, sab_text *text,
                           sab_error *err)
{
    sab_status status = SAB_OK;

    if (row->type != SAB_KEY_CHOICE || strcmp(row->path, "solver.method") == 0)
        return sab_text_add(text, err, "%s", sab_schema_type(row->type));
    for (int i = 0; row->choice(i) != NULL; i++)
        SAB_TRY(sab_text_add(text, err, "%s%s", i > 0 ? separator : "", row->choice(i)));
cleanup:
    return status;
}

static bool is_section(const sab_key *row)
{
    return row->type == SAB_KEY_MAP || row->type == SAB_KEY_NAMES;
}

static const char *kind_of_run(const sab_key *row)
{
    return row->inertial ? " (inertial flow only)" : "";
}

/* On lines of at most 80 columns, indented. */
static sab_status add_wrapped(const char *words, sab_text *text, sab_error *err)
{
    enum { WIDTH = 76 };
    sab_status status = SAB_OK;
    size_t column = WIDTH + 1; /* none begun */

    for (const char *w = words; *w != '\0'; w += strspn(w, " ")) {
        const size_t n = strcspn(w, " ");
        const bool fits = column + 1 + n <= WIDTH;

        SAB_TRY(sab_text_add(text, err, "%s%.*s", fits ? " " : "\n    ", (int)n, w));
        column = fits ? column + 1 + n : n;
        w += n;
    }
cleanup:
    return status;
}

static sab_status add_plain(const sab_key *row, sab_text *text, sab_error *err)
{
    sab_status status = SAB_OK;
    const char *fallback = default_text(row);
    sab_text line = {0};
    char range[80];

    SAB_TRY(sab_text_add(text, err, "%s", row->path));
    if (!is_section(row)) {
        SAB_TRY(add_type(row, " | ", &line, err));
        if (row->unit != NULL)
            SAB_TRY(sab_text_add(&line, err, ", in %s", row->unit));
        if (row->range != 0)
            SAB_TRY(sab_text_add(&line, err, ", %s", sab_schema_range(row, range, sizeof range)));
        if (row->fallback == NULL && strcmp(fallback, "required") == 0)
            SAB_TRY(sab_text_add(&line, err, "; required"));
        else if (strcmp(fallback, "-") != 0)
            SAB_TRY(sab_text_add(&line, err, "; default %s", fallback));
        SAB_TRY(add_wrapped(line.data, text, err));
        line.length = 0;
    }
    SAB_TRY(sab_text_add(&line, err, "%s%s.", row->help, is_section(row) ? "" : kind_of_run(row)));
    SAB_TRY(add_wrapped(line.data, text, err));
    SAB_TRY(sab_text_add(text, err, "\n"));
cleanup:
    sab_text_destroy(&line);
    return status;
}

static sab_status add_row(const sab_key *row, sab_text *text, sab_error *err)
{
    sab_status status = SAB_OK;
    char range[80];

    SAB_TRY(sab_text_add(text, err, "| `%s` | ", row->path));
    SAB_TRY(add_type(row, ", ", text, err));
    SAB_TRY(sab_text_add(text, err, " | %s | %s | %s | %s%s |\n",
                         row->unit != NULL ? row->unit : "",
                         is_section(row) ? "-" : default_text(row),
                         sab_schema_range(row, range, sizeof range), row->help, kind_of_run(row)));
cleanup:
    return status;
}

/* The rows under `parent`, each followed by those under it. */
static sab_status add_tree(const sab_key *parent, bool markdown, sab_text *text, sab_error *err)
{
    sab_status status = SAB_OK;

    for (const sab_key *row = NULL; (row = sab_schema_next(parent, row)) != NULL;) {
        SAB_TRY(markdown ? add_row(row, text, err) : add_plain(row, text, err));
        SAB_TRY(add_tree(row, markdown, text, err));
    }
cleanup:
    return status;
}

static const char table_head[] = "| Key | Type or choices | Unit | Default | Range | Meaning |\n"
                                 "|---|---|---|---|---|---|\n";

static const char introduction[] =
    "# Keys of a case file\n"
    "\n"
    "This page is made from the table in `src/io/schema.c`: `sablier keys --markdown`. A case is\n"
    "`case.yaml` in a directory of its own; `--set key.path=value` replaces any key on the "
    "command\n"
    "line, the value being YAML (`--set 'gravity=[0, -1]'`). Every run writes the case with all\n"
    "defaults filled in to `case.resolved.yaml`. A key that is not listed here is an error.\n"
    "\n"
    "Plain numbers are dimensionless; with a section `units` keys that have a unit also take "
    "values\n"
    "such as `2 cm` or `1.2 kPa` (docs/units.md). The column *Unit* gives the scale of each "
    "quantity: length L,\n"
    "time sqrt(L/g), velocity sqrt(g L), stress rho g L, where rho is the density of the flowing\n"
    "material and g the acceleration of gravity. `*` stands for a name of your own. A default\n"
    "`-` means: absent unless given.\n"
    "\n"
    "## Numbers and formulas\n"
    "\n"
    "Numbers are decimal with a point: `0.5`, `3e-2`, and 0 or between 1e-30 and 1e30 in size.\n"
    "Formulas may use x, y, z, t (0 where they have no meaning; about an axis r and z, which x "
    "and\n"
    "y are there too) and, in `material.viscosity` only, shear_rate = sqrt(D:D/2) and pressure;\n"
    "the constants pi and _e; the operators `+ - * / ^`, comparisons, `&& ||` and\n"
    "`condition ? a : b`; the functions sqrt, exp, ln and log (both natural), log2, log10, sin,\n"
    "cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, asinh, acosh, atanh, abs, sign, rint,\n"
    "min, max, sum, avg. `-2^2` is -4. A formula need not be quoted unless YAML would read its\n"
    "signs otherwise, as in `\"x > 0 ? 1 : 0\"`. A value that is not finite ends the run with the\n"
    "formula and the place.\n"
    "\n"
    "## At the top\n"
    "\n";

static sab_status add_methods(sab_text *text, bool markdown, sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(sab_text_add(text, err, "%s",
                         markdown ? "\n| `solver.method` | Meaning |\n|---|---|\n"
                                  : "choices of solver.method\n"));
    for (int i = 0; i < SAB_METHOD_COUNT; i++)
        SAB_TRY(sab_text_add(text, err, markdown ? "| `%s` | %s |\n" : "    %-14s %s\n",
                             sab_method_table[i].name, sab_method_table[i].help));
cleanup:
    return status;
}

/* What an angle means [docs/theory.md, 2.5]. */
static sab_status add_frictions(sab_text *text, bool markdown, sab_error *err)
{
    static const char *const meaning[SAB_FRICTION_MODES] = {
        [SAB_FRICTION_PLANE] = "plane strain: sin(angle) without dilatancy; of associated grains "
                               "sqrt(3) sin(angle)/sqrt(3 + sin(angle)^2), but sin(angle) in the "
                               "plane",
        [SAB_FRICTION_COMPRESSION] = "triaxial compression, a heap under a footing, filling a "
                                     "silo: 2 sqrt(3) sin(angle)/(3 - sin(angle)); not in the "
                                     "plane",
        [SAB_FRICTION_EXTENSION] = "triaxial extension, flow converging to a round outlet: "
                                   "2 sqrt(3) sin(angle)/(3 + sin(angle)); not in the plane",
        [SAB_FRICTION_SHEAR] = "shear over normal stress on the plane of shear, a slope or a shear "
                               "cell: tan(angle) without dilatancy; mu of mu(I) in the literature "
                               "is such a coefficient, and is friction itself",
    };
    sab_status status = SAB_OK;

    SAB_TRY(sab_text_add(text, err, "%s",
                         markdown ? "\n| `material.friction.in` | Coefficient |\n|---|---|\n"
                                  : "choices of material.friction.in\n"));
    for (int i = 0; i < SAB_FRICTION_MODES; i++) {
        if (markdown) {
            SAB_TRY(
                sab_text_add(text, err, "| `%s` | %s |\n", sab_friction_mode_name[i], meaning[i]));
            continue;
        }
        SAB_TRY(sab_text_add(text, err, "  %s", sab_friction_mode_name[i]));
        SAB_TRY(add_wrapped(meaning[i], text, err));
        SAB_TRY(sab_text_add(text, err, "\n"));
    }
cleanup:
    return status;
}

/* Does the path of a key begin with these names? A * of the path stands for any. */
static bool is_below(const char *path, const char *prefix)
{
    for (;;) {
        const size_t n = strcspn(path, "."), m = strcspn(prefix, ".");

        if (!(n == m && strncmp(path, prefix, n) == 0) && !(n == 1 && path[0] == '*'))
            return false;
        path += n, prefix += m;
        if (prefix[0] == '\0' || path[0] == '\0')
            return prefix[0] == '\0';
        path++, prefix++;
    }
}

/* The keys at and below `prefix`. */
static sab_status add_below(const sab_key *parent, const char *prefix, sab_text *text,
                            sab_error *err)
{
    sab_status status = SAB_OK;

    for (const sab_key *row = NULL; (row = sab_schema_next(parent, row)) != NULL;) {
        if (is_below(row->path, prefix))
            SAB_TRY(add_plain(row, text, err));
        SAB_TRY(add_below(row, prefix, text, err));
    }
cleanup:
    return status;
}

static sab_status add_prefix(const char *prefix, sab_text *text, sab_error *err)
{
    sab_status status = SAB_OK;
    const size_t before = text->length;
    sab_text hint = {0};

    SAB_TRY(add_below(NULL, prefix, text, err));
    if (text->length == before) {
        SAB_TRY(sab_schema_suggest(NULL, prefix, &hint, err));
        SAB_FAIL(err, SAB_ERR_USAGE, "keys: there is no key '%s'%s", prefix, hint.data);
    }
    if (is_below("material.friction.in", prefix))
        SAB_TRY(add_frictions(text, false, err));
    if (is_below("solver.method", prefix))
        SAB_TRY(add_methods(text, false, err));
cleanup:
    sab_text_destroy(&hint);
    return status;
}

sab_status sab_case_keys(const char *prefix, bool markdown, sab_text *text, sab_error *err)
{
    sab_status status = SAB_OK;

    if (prefix != NULL && markdown)
        return sab_fail(err, SAB_ERR_USAGE, "keys: --markdown is the page of all keys");
    if (prefix != NULL)
        return add_prefix(prefix, text, err);
    if (!markdown) {
        SAB_TRY(add_tree(NULL, false, text, err));
        SAB_TRY(add_frictions(text, false, err));
        return add_methods(text, false, err);
    }
    SAB_TRY(sab_text_add(text, err, "%s%s", introduction, table_head));
    for (const sab_key *row = NULL; (row = sab_schema_next(NULL, row)) != NULL;)
        if (!is_section(row))
            SAB_TRY(add_row(row, text, err));
    for (const sab_key *row = NULL; (row = sab_schema_next(NULL, row)) != NULL;)
        if (is_section(row)) {
            SAB_TRY(
                sab_text_add(text, err, "\n## %s\n\n%s.\n\n%s", row->path, row->help, table_head));
            SAB_TRY(add_tree(row, true, text, err));
            if (strcmp(row->path, "material") == 0)
                SAB_TRY(add_frictions(text, true, err));
            if (strcmp(row->path, "solver") == 0)
                SAB_TRY(add_methods(text, true, err));
        }
cleanup:
    return status;
}
