/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "flow/wall_load.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const kind_name[SAB_LOAD_KINDS] = {
    [SAB_LOAD_NORMAL] = "normal",       [SAB_LOAD_SHEAR] = "shear",
    [SAB_LOAD_SLIP] = "slip",           [SAB_LOAD_OPENING] = "opening",
    [SAB_LOAD_MOBILISED] = "mobilised", [SAB_LOAD_VELOCITY] = "velocity",
    [SAB_LOAD_VERTICAL] = "vertical",   [SAB_LOAD_JANSSEN] = "janssen",
};

/* The upward part of the normal of a floor is below the first, of a vertical wall at most the
 * second in size. */
static const double FLOOR = -0.866, VERTICAL = 0.05;
/* A wall slides where this part of its friction is mobilised; flow is mass flow where the slip is
 * at least this part of the mean velocity all along, funnel flow where it is less than the last. */
static const double SLIDES = 0.98, MASS = 0.1, FUNNEL = 0.01;
/* Gravity is aslant with more than this part of it across. */
static const double STRAIGHT = 1e-7;
/* A section is rigid where less than this part of it yields. */
static const double YIELDS = 0.5;

static const sab_wall_point *point_of(const sab_wall_load *w, int i, const sab_flow *flow)
{
    return &flow->walls->point[w->rows->point[i]];
}

static bool is_vertical(const sab_wall_load *w, const sab_wall_point *p)
{
    return fabs(p->normal[w->dim - 1]) <= VERTICAL;
}

static bool is_floor(const sab_wall_load *w, const sab_wall_point *p)
{
    return p->normal[w->dim - 1] < FLOOR;
}

static bool is_oblique(const sab_wall_load *w, const sab_wall_point *p)
{
    return p->normal[w->dim - 1] < -VERTICAL && !is_floor(w, p);
}

/* ---- create ---------------------------------------------------------------------------------- */

static void name_columns(sab_wall_load *w, const sab_geometry *geometry)
{
    for (int k = 0; k < SAB_LOAD_KINDS; k++) {
        const bool vector = w->dim == SAB_DIM && (k == SAB_LOAD_SHEAR || k == SAB_LOAD_SLIP);

        w->column[k] = w->columns;
        for (int i = 0; i < (vector ? SAB_DIM : 1); i++)
            snprintf(w->name[w->columns++], SAB_LOAD_NAME, "%s%s%s", kind_name[k],
                     vector ? "_" : "", vector ? geometry->coordinate[i] : "");
    }
}

/* Does all of an entry face down, and hold what is above? */
static bool is_floor_entry(const sab_flow *flow, int entry)
{
    static const double middle[SAB_DIM] = {1.0 / 3.0, 1.0 / 3.0};
    const sab_boundary *b = &flow->setup.boundary[entry];
    const sab_mesh *mesh = flow->setup.mesh;
    const sab_mesh_group *group = &mesh->group[flow->group[entry]];
    bool floor = (b->has_velocity || b->slip) && group->nfacets > 0;

    for (int f = 0; f < group->nfacets && floor; f++) {
        sab_p2_side p;

        sab_p2_side_at(mesh, group->facet[f], middle, &p);
        floor = p.normal_ds[mesh->cell->dim - 1] < FLOOR * p.ds;
    }
    return floor;
}

/* Where vertical walls begin and end. */
static void find_ends(sab_wall_load *w, const sab_flow *flow)
{
    w->lower = INFINITY;
    w->upper = -INFINITY;
    for (int i = 0; i < w->rows->n; i++)
        if (is_vertical(w, point_of(w, i, flow))) {
            w->lower = fmin(w->lower, w->rows->x[w->dim * i + w->dim - 1]);
            w->upper = fmax(w->upper, w->rows->x[w->dim * i + w->dim - 1]);
        }
}

sab_status sab_wall_load_create(const sab_flow *flow, int entry, sab_wall_load **load,
                                sab_error *err)
{
    const sab_boundary *b = &flow->setup.boundary[entry];
    const int dim = flow->setup.geometry->dim;
    sab_status status = SAB_OK;
    sab_wall_load *w = NULL;
    double *height = NULL;

    *load = NULL;
    if (!b->has_wall || flow->walls == NULL)
        return sab_fail(err, SAB_ERR_INPUT,
                        "wall_load needs a wall with friction, which '%s' is not; use traction",
                        b->group);
    SAB_NEW(w, 1);
    w->entry = entry;
    w->dim = dim;
    name_columns(w, flow->setup.geometry);
    SAB_TRY(sab_wall_rows_create(flow, entry, &w->rows, err));
    if (w->rows->n == 0)
        SAB_FAIL(err, SAB_ERR_INPUT,
                 "wall_load: all of '%s' is held by other entries, which bear its load", b->group);
    SAB_NEW(height, w->rows->nshares);
    for (int k = 0; k < w->rows->nshares; k++)
        height[k] = flow->walls->point[w->rows->share[k].point].x[dim - 1];
    SAB_TRY(sab_sections_create(flow, w->rows->nshares, height, w->rows->reach, &w->sections, err));
    find_ends(w, flow);
    SAB_NEW(w->section, w->sections->n);
    SAB_TRY(sab_forces_create(flow, &w->forces, err));
    SAB_NEW(w->floor, flow->setup.nboundaries);
    for (int e = 0; e < flow->setup.nboundaries; e++)
        w->floor[e] = is_floor_entry(flow, e);
    *load = w;
    w = NULL;
cleanup:
    SAB_FREE(height);
    sab_wall_load_destroy(&w);
    return status;
}

void sab_wall_load_destroy(sab_wall_load **load)
{
    sab_wall_load *w = *load;

    if (w != NULL) {
        sab_wall_rows_destroy(&w->rows);
        sab_sections_destroy(&w->sections);
        sab_forces_destroy(&w->forces);
        SAB_FREE(w->section);
        SAB_FREE(w->floor);
        SAB_FREE(*load);
    }
}

int sab_wall_load_beside(const sab_wall_load *w)
{
    return w->dim * (SAB_FORCES_ENTRIES + w->forces->nentries) + SAB_LOAD_SUMS;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Means of the points over the rows; `mobilised` gets the stress along the wall, `janssen` that
 * which slides. */
static void add_share(const sab_wall_load *w, const sab_row_share *share, const sab_flow *flow,
                      double *row)
{
    const int k = share->point, q = flow->space->npoints + k, dim = w->dim, *at = w->column;
    const double *r = flow->traction + dim * k, *v = flow->slip + dim * k;
    const double *lambda = flow->lambda + flow->program->s * q;
    const sab_wall_point *p = &flow->walls->point[k];
    const double part = share->part * p->weight / w->rows->weight[share->row];
    const sab_section_values at_height = sab_sections_at(w->sections, w->section, p->x[dim - 1]);
    double along2 = 0.0;

    row[at[SAB_LOAD_NORMAL]] += part * r[0];
    row[at[SAB_LOAD_OPENING]] += part * v[0];
    for (int c = 1; c < dim; c++) {
        along2 += lambda[c] * lambda[c];
        for (int i = 0; i < (dim < SAB_DIM ? 1 : dim); i++) {
            const double tangent = dim < SAB_DIM ? 1.0 : p->tangent[c - 1][i];

            row[at[SAB_LOAD_SHEAR] + i] -= part * r[c] * tangent;
            row[at[SAB_LOAD_SLIP] + i] += part * v[c] * tangent;
        }
    }
    row[at[SAB_LOAD_MOBILISED]] += part * sqrt(along2);
    row[at[SAB_LOAD_JANSSEN]] +=
        part * (flow->program->yield[q] + flow->program->friction[q] * lambda[0]);
    row[at[SAB_LOAD_VELOCITY]] += part * at_height.velocity;
    row[at[SAB_LOAD_VERTICAL]] += part * at_height.vertical;
}

/* K by least squares over the vertical rows. */
static double find_k(const sab_wall_load *w, const sab_flow *flow, const double *value)
{
    double up = 0.0, down = 0.0;

    for (int i = 0; i < w->rows->n; i++) {
        const double *v = value + w->columns * i;
        const double vertical = v[w->column[SAB_LOAD_VERTICAL]];

        if (is_vertical(w, point_of(w, i, flow))) {
            up += w->rows->weight[i] * v[w->column[SAB_LOAD_NORMAL]] * vertical;
            down += w->rows->weight[i] * vertical * vertical;
        }
    }
    return down > 0.0 ? up / down : NAN;
}

/* p_h = K [p0 e^(-z/z0) + g z0 (1 - e^(-z/z0))], z0 = A/(K mu_w U), A/U the section over the length
 * of its rim that is wall, z the depth below the upper end of the wall and p0 the vertical stress
 * there, 0 at a free surface. */
static double janssen_at(const sab_wall_load *w, const sab_wall_point *p, double mu, double K)
{
    const double y = p->x[w->dim - 1], z = w->upper - y;
    const sab_section_values at = sab_sections_at(w->sections, w->section, y);
    const double g =
        -w->forces->total[w->dim * SAB_FORCES_GRAVITY + w->dim - 1] / w->sections->volume;
    const double rate = K * mu * at.rim / at.area; /* 1/z0 */
    const double p0 = sab_sections_at(w->sections, w->section, w->upper).vertical;

    return K * (p0 * exp(-rate * z) + g * (rate * z > 1e-8 ? -expm1(-rate * z) / rate : z));
}

/* The column of Janssen's curve: NAN on rows that are not vertical. */
static void add_janssen(const sab_wall_load *w, const sab_flow *flow, double *value)
{
    const double K = find_k(w, flow, value);
    const int at = w->column[SAB_LOAD_JANSSEN];

    for (int i = 0; i < w->rows->n; i++)
        value[w->columns * i + at] =
            is_vertical(w, point_of(w, i, flow)) && isfinite(K) ? 0.0 : NAN;
    for (int k = 0; k < w->rows->nshares; k++) {
        const sab_row_share *share = &w->rows->share[k];
        const sab_wall_point *p = &flow->walls->point[share->point];
        double *janssen = &value[w->columns * share->row + at];

        if (!isnan(*janssen))
            *janssen +=
                share->part * p->weight / w->rows->weight[share->row] *
                janssen_at(w, p, flow->program->friction[flow->space->npoints + share->point], K);
    }
}

/* Numbers of the wall as a whole, from its points: downward forces on it. Nodes on an axis have no
 * point, but a reaction: that of a floor, or of the tip of a cone. */
static void add_sums(const sab_wall_load *w, const sab_flow *flow, double *sum)
{
    const double whole = flow->setup.geometry->whole;
    const int up = w->dim - 1;
    double rest = -w->forces->total[w->dim * (SAB_FORCES_ENTRIES + w->entry) + up];

    sum[SAB_LOAD_LOWER] = sab_sections_at(w->sections, w->section, w->lower).vertical;
    sum[SAB_LOAD_BOTTOM] = sum[SAB_LOAD_FRICTION] = 0.0;
    for (int k = 0; k < flow->walls->n; k++) {
        const sab_wall_point *p = &flow->walls->point[k];
        const double *r = flow->traction + w->dim * k, pressed = -p->weight * r[0] * p->normal[up];
        double rubbed = 0.0;

        if (p->entry != w->entry)
            continue;
        for (int c = 1; c < w->dim; c++)
            rubbed += p->weight * r[c] * p->tangent[c - 1][up];
        rest -= pressed + rubbed;
        if (is_floor(w, p))
            sum[SAB_LOAD_BOTTOM] += whole * (pressed + rubbed);
        if (is_vertical(w, p))
            sum[SAB_LOAD_FRICTION] += whole * rubbed;
    }
    sum[SAB_LOAD_BOTTOM] += whole * rest;
}

sab_status sab_wall_load_evaluate(const sab_wall_load *w, const sab_flow *flow, double *value,
                                  sab_error *err)
{
    const int n = w->rows->n, *at = w->column, beside = sab_wall_load_beside(w) - SAB_LOAD_SUMS;
    sab_status status = SAB_OK;

    memset(value, 0, (size_t)(n * w->columns) * sizeof *value);
    SAB_TRY(sab_forces_update(w->forces, flow, err));
    sab_sections_evaluate(w->sections, flow, w->forces, w->section);
    for (int k = 0; k < w->rows->nshares; k++)
        add_share(w, &w->rows->share[k], flow, value + w->columns * w->rows->share[k].row);
    for (int i = 0; i < n; i++) {
        double *row = value + w->columns * i;
        const double strength = row[at[SAB_LOAD_JANSSEN]];

        row[at[SAB_LOAD_MOBILISED]] =
            strength > 0.0 ? fmin(1.0, row[at[SAB_LOAD_MOBILISED]] / strength) : 1.0;
    }
    add_janssen(w, flow, value);
    for (int k = 0; k < beside; k++) /* of the whole body, as all forces are */
        value[n * w->columns + k] = flow->setup.geometry->whole * w->forces->total[k];
    add_sums(w, flow, value + n * w->columns + beside);
cleanup:
    return status;
}

/* ---- figures --------------------------------------------------------------------------------- */

/* Slip over the mean velocity, which along an oblique wall is larger by 1/cos. */
static double slip_ratio(const sab_wall_load *w, const sab_wall_point *p, const double *row)
{
    const double *slip = row + w->column[SAB_LOAD_SLIP], up = p->normal[w->dim - 1];
    const double along = sqrt(fmax(0.0, 1.0 - up * up));
    double speed = 0.0;

    for (int i = 0; i < (w->dim < SAB_DIM ? 1 : SAB_DIM); i++)
        speed = hypot(speed, slip[i]);

    return speed * along / fmax(fabs(row[w->column[SAB_LOAD_VELOCITY]]), 1e-300);
}

static const char *judge(const sab_load_figures *f, double fastest)
{
    if (isnan(f->slip_ratio))
        return "none";
    if (!(fastest > 1e-6))
        return "rest";
    return f->slip_ratio >= MASS ? "mass" : f->slip_ratio < FUNNEL ? "funnel" : "mixed";
}

/* The balance of forces along axis i: what is missing, and the largest of them. */
static double find_defect(const sab_wall_load *w, const double *force, int i, double *largest)
{
    const double gravity = force[w->dim * SAB_FORCES_GRAVITY + i];
    double left = gravity - force[w->dim * SAB_FORCES_INERTIA + i];

    *largest = fmax(*largest, fabs(gravity));
    for (int e = 0; e < w->forces->nentries; e++) {
        const double at = force[w->dim * (SAB_FORCES_ENTRIES + e) + i];

        left -= at;
        *largest = fmax(*largest, fabs(at));
    }
    return fabs(left);
}

/* The forces of the whole body; about an axis those along it. */
static void weigh(const sab_wall_load *w, const sab_flow *flow, const double *force,
                  sab_load_figures *f)
{
    const int dim = w->dim, up = dim - 1;
    const double *gravity = force + dim * SAB_FORCES_GRAVITY;
    double largest = 0.0, across2 = 0.0, defect = 0.0;

    for (int i = flow->setup.geometry->axis ? up : 0; i < dim; i++) {
        defect = fmax(defect, find_defect(w, force, i, &largest));
        across2 += i < up ? gravity[i] * gravity[i] : 0.0;
    }
    f->weight = -gravity[up];
    f->defect = largest > 0.0 ? defect / largest : 0.0;
    f->aslant = sqrt(across2) > STRAIGHT * f->weight;
    f->endless = w->sections->endless;
    for (int e = 0; e < w->forces->nentries; e++)
        if (w->floor[e])
            f->bottom =
                (isnan(f->bottom) ? 0.0 : f->bottom) - force[dim * (SAB_FORCES_ENTRIES + e) + up];
}

/* Sums over the vertical rows. */
typedef struct bin {
    double area, normal, error, slip;
} bin;

static void add_vertical(const sab_wall_load *w, int i, const sab_flow *flow, const double *row,
                         bin *sum, sab_load_figures *f)
{
    const sab_wall_point *p = point_of(w, i, flow);
    const double m = w->rows->weight[i], y = w->rows->x[w->dim * i + w->dim - 1];
    const double normal = row[w->column[SAB_LOAD_NORMAL]];
    const double off = normal - row[w->column[SAB_LOAD_JANSSEN]];

    sum->area += m;
    sum->normal += m * normal;
    sum->error += m * off * off;
    sum->slip = fmin(sum->slip, slip_ratio(w, p, row)); /* fmin ignores NAN */
    f->rigid += m * (sab_sections_at(w->sections, w->section, y).yielding < YIELDS);
    f->bin_peak = fmax(f->bin_peak, normal);
}

sab_load_figures sab_wall_load_figures(const sab_wall_load *w, const sab_flow *flow,
                                       const double *value)
{
    sab_load_figures f = {
        .bottom = NAN, .friction = NAN, .vertical = NAN, .bin_peak = NAN, .hopper_peak = NAN};
    const double *beside = value + w->columns * w->rows->n;
    const double *sum = beside + sab_wall_load_beside(w) - SAB_LOAD_SUMS;
    double area = 0.0, fastest = 0.0, oblique = NAN;
    bin upright = {.slip = NAN};
    bool floor = false;

    weigh(w, flow, beside, &f);
    for (int i = 0; i < w->rows->n; i++) {
        const sab_wall_point *p = point_of(w, i, flow);
        const double *row = value + w->columns * i, m = w->rows->weight[i];
        const double normal = row[w->column[SAB_LOAD_NORMAL]];

        area += m;
        f.sliding += m * (row[w->column[SAB_LOAD_MOBILISED]] >= SLIDES);
        fastest = fmax(fastest, fabs(row[w->column[SAB_LOAD_VELOCITY]]));
        floor = floor || is_floor(w, p);
        if (is_oblique(w, p)) {
            f.hopper_peak = fmax(f.hopper_peak, normal); /* fmax ignores NAN */
            oblique = fmin(oblique, slip_ratio(w, p, row));
        }
        if (is_vertical(w, p))
            add_vertical(w, i, flow, row, &upright, &f);
    }
    if (floor)
        f.bottom = (isnan(f.bottom) ? 0.0 : f.bottom) + sum[SAB_LOAD_BOTTOM];
    f.bottom_share = f.bottom / f.weight;
    if (upright.area > 0.0) {
        f.vertical = sum[SAB_LOAD_LOWER];
        f.friction = sum[SAB_LOAD_FRICTION];
    }
    f.K = find_k(w, flow, value);
    f.janssen = sqrt(upright.error / upright.area) / (upright.normal / upright.area);
    f.switch_ratio = f.hopper_peak / f.bin_peak;
    f.slip_ratio = isnan(oblique) ? upright.slip : oblique;
    f.sliding /= area;
    f.rigid = upright.area > 0.0 ? f.rigid / upright.area : NAN;
    f.verdict = judge(&f, fastest);
    return f;
}

void sab_wall_load_note(const sab_load_figures *f, const char *between, char text[SAB_LOAD_NOTE])
{
    size_t n = 0;

    text[0] = '\0';
    if (f->sliding < SLIDES)
        n += (size_t)snprintf(text, SAB_LOAD_NOTE,
                              "loads on %.0f %% of the wall are not determined (it does not slide)",
                              100.0 * (1.0 - f->sliding));
    if (f->rigid > 1.0 - SLIDES)
        n += (size_t)snprintf(text + n, SAB_LOAD_NOTE - n,
                              "%sK and pressures of %.0f %% of the bin are not determined (rigid)",
                              n > 0 ? between : "", 100.0 * f->rigid);
    if (f->aslant)
        n += (size_t)snprintf(text + n, SAB_LOAD_NOTE - n,
                              "%sgravity is not along the last axis: vertical stress, K and "
                              "Janssen's curve are along that axis all the same",
                              n > 0 ? between : "");
    if (f->endless)
        snprintf(text + n, SAB_LOAD_NOTE - n,
                 "%speriodic sides lie above each other: no balance tells the vertical stress",
                 n > 0 ? between : "");
}
