/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/formula.h"
#include "base/memory.h"
#include "base/text.h"

#include <muParserDLL.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct sab_formula {
    muParserHandle_t parser;
    sab_vars vars; /* the parser holds the addresses of its members: never copy this struct */
    char *text, *where;
    const sab_geometry *geometry;
    bool state, constant;
    bool steady; /* t is not in it */
    /* of a law; the names share one array */
    int nparameters; /* SAB_MAX_PARAMETERS + 1: too many */
    double parameter[SAB_MAX_PARAMETERS + 1];
    const char *name[SAB_MAX_PARAMETERS + 1];
    char *names;
    size_t used;
};

/* Codes of muParserError.h that deserve more than muParser's own sentence. */
enum { UNKNOWN_TOKEN = 1, UNEXPECTED_VALUE = 5, UNEXPECTED_VARIABLE = 6 };

static const char *const known_names[] = {
    "x",     "y",     "z",     "t",     "shear_rate", "pressure", "pi",    "_pi",  "_e",
    "sin",   "cos",   "tan",   "asin",  "acos",       "atan",     "atan2", "sinh", "cosh",
    "tanh",  "asinh", "acosh", "atanh", "sqrt",       "exp",      "ln",    "log",  "log2",
    "log10", "abs",   "sign",  "rint",  "min",        "max",      "sum",   "avg"};
enum { KNOWN = sizeof known_names / sizeof known_names[0], FIRST_FUNCTION = 9 };

/* What muParser would take without a word: `x = 3` assigns to our variable, `0,5` is the list of
 * 0 and 5 and evaluates to 5. */
static sab_status refuse_traps(const sab_formula *f, sab_error *err)
{
    int depth = 0;

    for (const char *p = f->text; *p != '\0'; p++) {
        if (*p == '(')
            depth++;
        else if (*p == ')')
            depth--;
        else if (*p == ',' && depth <= 0)
            return sab_fail(err, SAB_ERR_INPUT,
                            "%s: formula '%s' has a comma outside parentheses; decimals are "
                            "written with a point, as in 0.5",
                            f->where, f->text);
        else if (*p == '*' && p[1] == '*')
            return sab_fail(err, SAB_ERR_INPUT,
                            "%s: formula '%s': '**' is not an operator; a power is written with "
                            "^, as in x^2",
                            f->where, f->text);
        else if (*p == '=' && p[1] == '=')
            p++;
        else if (*p == '=' && (p == f->text || strchr("<>!", p[-1]) == NULL))
            return sab_fail(err, SAB_ERR_INPUT,
                            "%s: formula '%s' has an assignment '='; comparisons are ==, !=, <, "
                            "<=, >, >=",
                            f->where, f->text);
    }
    return SAB_OK;
}

/* The sentence for a name that muParser does not know. */
static sab_status fail_unknown(const sab_formula *f, const char *name, sab_error *err)
{
    const char *close;

    if (strcmp(name, "shear_rate") == 0 || strcmp(name, "pressure") == 0)
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: formula '%s': '%s' is not known here, it belongs to the solution; "
                        "only material.viscosity may use it",
                        f->where, f->text, name);
    for (size_t i = FIRST_FUNCTION; i < KNOWN; i++)
        if (strcmp(name, known_names[i]) == 0)
            return sab_fail(err, SAB_ERR_INPUT,
                            "%s: formula '%s': the function '%s' needs its argument in parentheses",
                            f->where, f->text, name);
    if (strcmp(name, "pow") == 0)
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: formula '%s': there is no function 'pow'; a power is written with ^, "
                        "as in x^2",
                        f->where, f->text);
    if (strcmp(name, "r") == 0)
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: formula '%s': r is a coordinate of geometry: axisymmetric, and this "
                        "one is %s; write sqrt(x^2 + y^2)",
                        f->where, f->text, f->geometry->name);
    close = sab_closest_name(name, known_names, KNOWN);
    if (close != NULL &&
        (f->state || (strcmp(close, "shear_rate") != 0 && strcmp(close, "pressure") != 0)))
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: formula '%s': unknown name '%s'; did you mean '%s'?", f->where,
                        f->text, name, close);
    return sab_fail(err, SAB_ERR_INPUT,
                    "%s: formula '%s': unknown name '%s'; a formula knows %s, t%s, pi and "
                    "functions such as sqrt, exp, log, sin, min, max",
                    f->where, f->text, name, f->geometry->axis ? "r, z" : "x, y, z",
                    f->state ? ", shear_rate, pressure" : "");
}

/* Turn muParser's complaint into ours. Token and message share one static buffer in muParser, so
 * each is copied before the other is asked for. */
static sab_status fail_parser(const sab_formula *f, sab_error *err)
{
    char token[100], message[300];
    const int code = mupGetErrorCode(f->parser);

    snprintf(token, sizeof token, "%s", mupGetErrorToken(f->parser));
    snprintf(message, sizeof message, "%s", mupGetErrorMsg(f->parser));
    mupErrorReset(f->parser);
    if (code == UNKNOWN_TOKEN && (isalpha((unsigned char)token[0]) || token[0] == '_')) {
        size_t n = 0;

        while (isalnum((unsigned char)token[n]) || token[n] == '_')
            n++;
        token[n] = '\0';
        return fail_unknown(f, token, err);
    }
    if (code == UNEXPECTED_VALUE || code == UNEXPECTED_VARIABLE)
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: formula '%s': an operator is missing before '%s' (a product is "
                        "written 2*x)",
                        f->where, f->text, token);
    return sab_fail(err, SAB_ERR_INPUT, "%s: formula '%s': %s", f->where, f->text, message);
}

/* Does the expression, which has been parsed, have this variable? */
static bool uses(const sab_formula *f, const char *variable)
{
    bool found = false;

    for (int i = 0; i < mupGetExprVarNum(f->parser); i++) {
        const muChar_t *name = NULL;
        muFloat_t *place = NULL;

        mupGetExprVar(f->parser, (unsigned)i, &name, &place);
        found = found || (name != NULL && strcmp(name, variable) == 0);
    }
    return found;
}

/* Names of the place, and of time and state. */
static void define_variables(sab_formula *f)
{
    mupDefineVar(f->parser, "x", &f->vars.x);
    mupDefineVar(f->parser, "y", &f->vars.y);
    mupDefineVar(f->parser, "z", f->geometry->axis ? &f->vars.y : &f->vars.z);
    if (f->geometry->axis)
        mupDefineVar(f->parser, "r", &f->vars.x);
    mupDefineVar(f->parser, "t", &f->vars.t);
    if (f->state) {
        mupDefineVar(f->parser, "shear_rate", &f->vars.shear_rate);
        mupDefineVar(f->parser, "pressure", &f->vars.pressure);
    }
    mupDefineConst(f->parser, "pi", acos(-1.0));
}

/* muParser has met a name that it does not know, in a law: a parameter. */
static muFloat_t *add_parameter(const muChar_t *name, void *data)
{
    sab_formula *f = data;
    const int i = f->nparameters;

    if (i > SAB_MAX_PARAMETERS)
        return &f->parameter[SAB_MAX_PARAMETERS];
    f->nparameters++;
    f->name[i] = strcpy(f->names + f->used, name); /* all are in the text, with one more between */
    f->used += strlen(name) + 1;
    f->parameter[i] = 1.0;
    return &f->parameter[i];
}

static sab_status check_law(const sab_formula *f, sab_error *err)
{
    if (!uses(f, "x"))
        return sab_fail(err, SAB_ERR_INPUT, "%s: there is no x in the law '%s'", f->where, f->text);
    if (f->nparameters == 0)
        return sab_fail(err, SAB_ERR_INPUT, "%s: there is no parameter in the law '%s'", f->where,
                        f->text);
    if (f->nparameters > SAB_MAX_PARAMETERS)
        return sab_fail(err, SAB_ERR_INPUT, "%s: the law '%s' has more than %d parameters",
                        f->where, f->text, SAB_MAX_PARAMETERS);
    for (int i = 0; i < f->nparameters; i++) {
        for (size_t k = FIRST_FUNCTION; k < KNOWN; k++)
            if (strcmp(f->name[i], known_names[k]) == 0)
                return fail_unknown(f, f->name[i], err);
        if (strcmp(f->name[i], "pow") == 0)
            return fail_unknown(f, f->name[i], err);
        if (strcmp(f->name[i], "y") == 0)
            return sab_fail(err, SAB_ERR_INPUT,
                            "%s: formula '%s': y is what the law gives, and no parameter", f->where,
                            f->text);
    }
    return SAB_OK;
}

static sab_status create(const char *text, const char *where, const sab_geometry *geometry,
                         bool state, bool law, sab_formula **formula, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_formula *f = NULL;

    *formula = NULL;
    SAB_NEW(f, 1);
    if (law)
        SAB_NEW(f->names, strlen(text) + 2);
    f->geometry = geometry;
    f->state = state;
    f->text = sab_strdup(text);
    f->where = sab_strdup(where);
    if (f->text == NULL || f->where == NULL) {
        status = sab_fail(err, SAB_ERR_MEMORY, "out of memory: formula of %s", where);
        goto cleanup;
    }
    if (text[strspn(text, " \t\r\n")] == '\0') {
        status = sab_fail(err, SAB_ERR_INPUT, "%s: the formula is empty", where);
        goto cleanup;
    }
    SAB_TRY(refuse_traps(f, err));
    f->parser = mupCreate(muBASETYPE_FLOAT);
    if (f->parser == NULL) {
        status = sab_fail(err, SAB_ERR_MEMORY, "out of memory: formula parser of %s", where);
        goto cleanup;
    }
    if (law) {
        mupDefineVar(f->parser, "x", &f->vars.x);
        mupDefineConst(f->parser, "pi", acos(-1.0));
        mupSetVarFactory(f->parser, add_parameter, f);
    } else {
        define_variables(f);
    }
    mupSetExpr(f->parser, text);
    f->vars = (sab_vars){0.5, 0.5, 0.0, 0.0, 1.0, 1.0};
    if (!mupError(f->parser))
        (void)mupEval(f->parser); /* it parses here */
    if (mupError(f->parser)) {
        status = fail_parser(f, err);
        goto cleanup;
    }
    f->constant = mupGetExprVarNum(f->parser) == 0;
    f->steady = !uses(f, "t");
    if (law)
        SAB_TRY(check_law(f, err));
    *formula = f;
    f = NULL;
cleanup:
    sab_formula_destroy(&f);
    return status;
}

sab_status sab_formula_create(const char *text, const char *where, const sab_geometry *geometry,
                              bool state, sab_formula **formula, sab_error *err)
{
    return create(text, where, geometry, state, false, formula, err);
}

sab_status sab_formula_create_law(const char *text, const char *where, sab_formula **formula,
                                  sab_error *err)
{
    return create(text, where, &sab_geometry_plane, false, true, formula, err);
}

int sab_formula_parameters(const sab_formula *law)
{
    return law->nparameters;
}

const char *const *sab_formula_parameter_names(const sab_formula *law)
{
    return law->name;
}

double sab_formula_law(void *law, const double *parameter, double x)
{
    sab_formula *f = law;

    f->vars.x = x;
    memcpy(f->parameter, parameter, (size_t)f->nparameters * sizeof *parameter);
    const double value = mupEval(f->parser);
    if (!mupError(f->parser))
        return value;
    mupErrorReset(f->parser);
    return NAN;
}

void sab_formula_destroy(sab_formula **formula)
{
    if (*formula == NULL)
        return;
    if ((*formula)->parser != NULL)
        mupRelease((*formula)->parser);
    SAB_FREE((*formula)->text);
    SAB_FREE((*formula)->where);
    SAB_FREE((*formula)->names);
    SAB_FREE(*formula);
}

static sab_status evaluate(void *data, const sab_vars *at, double *value, sab_error *err)
{
    sab_formula *f = data;
    char place[80];

    f->vars = *at;
    *value = mupEval(f->parser);
    if (mupError(f->parser))
        return fail_parser(f, err);
    if (isfinite(*value))
        return SAB_OK;
    if (f->constant)
        return sab_fail(err, SAB_ERR_INPUT, "%s: formula '%s' is %s", f->where, f->text,
                        isnan(*value) ? "not a number" : "infinite");
    if (f->geometry->axis)
        snprintf(place, sizeof place, "r = %g, z = %g", at->x, at->y);
    else
        snprintf(place, sizeof place, "x = %g, y = %g, z = %g", at->x, at->y, at->z);
    sab_fail(err, SAB_ERR_INPUT, "%s: formula '%s' is %s at %s, t = %g", f->where, f->text,
             isnan(*value) ? "not a number" : "infinite", place, at->t);
    if (f->state)
        sab_error_context(err, "with shear_rate = %g, pressure = %g", at->shear_rate, at->pressure);
    return SAB_ERR_INPUT;
}

sab_function sab_formula_function(sab_formula *formula)
{
    return (sab_function){.call = evaluate, .data = formula, .steady = formula->steady};
}

bool sab_formula_is_constant(const sab_formula *formula)
{
    return formula->constant;
}
