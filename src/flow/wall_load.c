#include "flow/wall_load.h"
#include "base/memory.h"
#include "fem/locate.h"

#include <math.h>
#include <string.h>

const char *const sab_load_name[SAB_LOAD_COLUMNS] = {
    [SAB_LOAD_NORMAL] = "normal",       [SAB_LOAD_SHEAR] = "shear",
    [SAB_LOAD_SLIP] = "slip",           [SAB_LOAD_OPENING] = "opening",
    [SAB_LOAD_MOBILISED] = "mobilised", [SAB_LOAD_VELOCITY] = "velocity",
    [SAB_LOAD_VERTICAL] = "vertical",   [SAB_LOAD_JANSSEN] = "janssen",
};

/* Samples of a section for its mean velocity; slices of the volume above a height. */
enum { SAMPLES = 41, SLICES = 64, CROSSINGS = 64 };
/* n.y of a floor is below the first, of a vertical wall at most the second in size. */
static const double FLOOR = -0.866, VERTICAL = 0.05;
/* A wall slides where this part of its friction is mobilised; flow is mass flow where the slip is
 * at least this part of the mean velocity all along, funnel flow where it is less than the last. */
static const double SLIDES = 0.98, MASS = 0.1, FUNNEL = 0.01;

/* ---- sections: where a horizontal line crosses the boundary -------------------------------- */

typedef struct section {
    int n; /* crossings, in order */
    double x[CROSSINGS];
    double rim; /* measure of those that are on a wall with friction */
} section;

typedef struct outline { /* the boundary, and which of its sides are such walls */
    const sab_mesh *mesh;
    const sab_geometry *geometry;
    bool *wall;       /* [nfacets] */
    double low, high; /* range of heights */
} outline;

static void add_crossing(section *at, double x)
{
    int k = at->n;

    if (at->n == CROSSINGS)
        return;
    for (; k > 0 && at->x[k - 1] > x; k--)
        at->x[k] = at->x[k - 1];
    at->x[k] = x;
    at->n++;
}

/* Chords of the boundary, half open: what meets at a vertex counts once. */
static section section_at(const outline *o, double y)
{
    const sab_mesh *mesh = o->mesh;
    section at = {0};

    for (int f = 0; f < mesh->nfacets; f++) {
        const int *node = sab_mesh_facet(mesh, f);
        const double *a = sab_mesh_x(mesh, node[0]), *b = sab_mesh_x(mesh, node[1]);

        if (mesh->facet_interior[f] || (a[1] <= y) == (b[1] <= y))
            continue;
        const double x[SAB_DIM] = {a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]), y};
        add_crossing(&at, x[0]);
        at.rim += o->wall[f] ? o->geometry->measure(x) : 0.0;
    }
    return at;
}

/* int of the measure from a to b. */
static double between(const sab_geometry *geometry, double a, double b)
{
    return geometry->axis ? 0.5 * (b * b - a * a) : b - a;
}

static double area_of(const sab_geometry *geometry, const section *at)
{
    double sum = 0.0;

    for (int k = 0; k + 1 < at->n; k += 1 + 1)
        sum += between(geometry, at->x[k], at->x[k + 1]);
    return sum;
}

static sab_status draw_outline(outline *o, const sab_flow *flow, sab_error *err)
{
    const sab_mesh *mesh = flow->setup.mesh;
    sab_status status = SAB_OK;

    *o = (outline){mesh, flow->setup.geometry, NULL, INFINITY, -INFINITY};
    SAB_NEW(o->wall, mesh->nfacets);
    for (int b = 0; b < flow->setup.nboundaries; b++) {
        const sab_mesh_group *group = &mesh->group[flow->group[b]];

        for (int f = 0; f < group->nfacets && flow->setup.boundary[b].has_wall; f++)
            o->wall[group->facet[f]] = true;
    }
    for (int a = 0; a < mesh->nnodes; a++) {
        o->low = fmin(o->low, sab_mesh_x(mesh, a)[1]);
        o->high = fmax(o->high, sab_mesh_x(mesh, a)[1]);
    }
cleanup:
    return status;
}

/* Section, volume above and samples of row i. */
static void place_row(sab_wall_load *w, int i, const outline *o, const sab_locator *locator)
{
    const sab_geometry *geometry = o->geometry;
    const int dim = geometry->dim;
    const double tiny = 1e-7 * (o->high - o->low);
    const double y = fmin(fmax(w->x[dim * i + 1], o->low + tiny), o->high - tiny);
    const section here = section_at(o, y);

    w->section[i] = area_of(geometry, &here);
    w->rim[i] = here.rim;
    for (int k = 0; k < SLICES; k++) { /* the middle of each slice */
        const section at = section_at(o, y + (k + 0.5) / SLICES * (o->high - y));

        w->above[i] += (o->high - y) / SLICES * area_of(geometry, &at);
    }
    for (int k = 0; k < w->samples; k++) {
        double part = (k + 0.5) / w->samples * w->section[i], x[SAB_DIM] = {0.0, y};
        const int at = w->samples * i + k;

        w->element[at] = -1;
        for (int j = 0; j + 1 < here.n; j += 1 + 1) { /* samples of equal area */
            const double own = between(geometry, here.x[j], here.x[j + 1]);

            if (part <= own) {
                x[0] = geometry->axis ? sqrt(2.0 * part + here.x[j] * here.x[j]) : here.x[j] + part;
                w->element[at] = sab_locator_find(locator, x, w->xi + dim * at);
                break;
            }
            part -= own;
        }
    }
}

/* ---- rows in the order of the wall ---------------------------------------------------------- */

typedef struct chain { /* sides of the group by the node they begin at */
    const sab_flow *flow;
    const sab_mesh_group *group;
    int entry;
    int *from;         /* [nnodes] side that begins here, plus one */
    bool *ends, *done; /* [nnodes] a side ends here, [sides of the group] */
    double s;
} chain;

/* The point of a node that faces as a side does, or -1. */
static int find_point(const chain *c, int node, const double *normal)
{
    const sab_wall_points *p = c->flow->walls;
    double best = 0.5;
    int found = -1;

    for (int i = 0; i < p->n; i++) {
        const sab_wall_point *at = &p->point[i];
        const double along = at->normal[0] * normal[0] + at->normal[1] * normal[1];

        if (at->entry == c->entry && at->place[0] == node && along > best) {
            best = along;
            found = i;
        }
    }
    return found;
}

/* The row of a vertex, the last one if it has been seen already; -1: it has no point. */
static int add_row(sab_wall_load *w, const chain *c, int point, double s)
{
    const int dim = c->flow->walls->dim;

    if (point < 0 || (w->nrows > 0 && w->point[w->nrows - 1] == point))
        return point < 0 ? -1 : w->nrows - 1;
    w->point[w->nrows] = point;
    w->s[w->nrows] = s;
    memcpy(w->x + dim * w->nrows, c->flow->walls->point[point].x, (size_t)dim * sizeof(double));
    w->share[w->nshares++] = (sab_load_share){point, w->nrows, 1.0};
    return w->nrows++;
}

static void follow(sab_wall_load *w, chain *c, int side)
{
    const sab_mesh *mesh = c->flow->setup.mesh;

    while (side >= 0 && !c->done[side]) {
        const int facet = c->group->facet[side], *node = sab_mesh_facet(mesh, facet);
        static const double half[SAB_DIM] = {0.5};
        sab_p2_side p;

        c->done[side] = true;
        sab_p2_side_at(mesh, facet, half, &p);
        for (int i = 0; i < SAB_DIM; i++)
            p.normal_ds[i] /= p.ds;
        const int middle = find_point(c, node[mesh->cell->facet->corners], p.normal_ds);
        int end[] = {add_row(w, c, find_point(c, node[0], p.normal_ds), c->s), -1};
        c->s += p.ds;
        end[1] = add_row(w, c, find_point(c, node[1], p.normal_ds), c->s);
        const bool both = end[0] >= 0 && end[1] >= 0;
        for (int k = 0; k <= 1 && middle >= 0; k++)
            if (end[k] >= 0)
                w->share[w->nshares++] = (sab_load_share){middle, end[k], both ? 0.5 : 1.0};
        side = c->from[node[1]] - 1;
    }
}

static sab_status order_rows(sab_wall_load *w, const sab_flow *flow, sab_error *err)
{
    const sab_mesh *mesh = flow->setup.mesh;
    chain c = {.flow = flow, .group = &mesh->group[flow->group[w->entry]], .entry = w->entry};
    sab_status status = SAB_OK;

    SAB_NEW(c.from, mesh->nnodes);
    SAB_NEW(c.ends, mesh->nnodes);
    SAB_NEW(c.done, c.group->nfacets);
    for (int f = 0; f < c.group->nfacets; f++) {
        const int *node = sab_mesh_facet(mesh, c.group->facet[f]);

        c.from[node[0]] = f + 1;
        c.ends[node[1]] = true;
    }
    for (int f = 0; f < c.group->nfacets; f++) /* lines first, then rings */
        if (!c.ends[sab_mesh_facet(mesh, c.group->facet[f])[0]])
            follow(w, &c, f);
    for (int f = 0; f < c.group->nfacets; f++)
        follow(w, &c, f);
cleanup:
    SAB_FREE(c.from);
    SAB_FREE(c.ends);
    SAB_FREE(c.done);
    return status;
}

sab_status sab_wall_load_create(const sab_flow *flow, int entry, sab_wall_load **load,
                                sab_error *err)
{
    const sab_mesh *mesh = flow->setup.mesh;
    const sab_boundary *b = &flow->setup.boundary[entry];
    sab_status status = SAB_OK;
    sab_wall_load *w = NULL;
    sab_locator *locator = NULL;
    outline o = {0};

    *load = NULL;
    if (!b->has_wall || flow->walls == NULL)
        return sab_fail(err, SAB_ERR_INPUT,
                        "wall_load needs a wall with friction, which '%s' is not; use traction",
                        b->group);
    if (mesh->cell->dim == SAB_DIM)
        return sab_fail(err, SAB_ERR_INPUT,
                        "wall_load is for the plane and about an axis; in space use traction");
    const size_t dim = (size_t)mesh->cell->dim, most = (size_t)flow->walls->n;
    SAB_NEW(w, 1);
    w->entry = entry;
    w->samples = SAMPLES;
    SAB_NEW(w->s, most);
    SAB_NEW(w->x, dim * most);
    SAB_NEW(w->point, most);
    SAB_NEW(w->weight, most);
    SAB_NEW(w->share, (1 + 1) * most);
    SAB_NEW(w->section, most);
    SAB_NEW(w->above, most);
    SAB_NEW(w->rim, most);
    SAB_NEW(w->element, SAMPLES * most);
    SAB_NEW(w->xi, dim * SAMPLES * most);
    SAB_TRY(order_rows(w, flow, err));
    for (int k = 0; k < w->nshares; k++)
        w->weight[w->share[k].row] +=
            w->share[k].part * flow->walls->point[w->share[k].point].weight;
    SAB_TRY(sab_locator_create(mesh, &locator, err));
    SAB_TRY(draw_outline(&o, flow, err));
    for (int i = 0; i < w->nrows; i++)
        place_row(w, i, &o, locator);
    *load = w;
    w = NULL;
cleanup:
    SAB_FREE(o.wall);
    sab_locator_destroy(&locator);
    sab_wall_load_destroy(&w);
    return status;
}

void sab_wall_load_destroy(sab_wall_load **load)
{
    sab_wall_load *w = *load;

    if (w != NULL) {
        SAB_FREE(w->s);
        SAB_FREE(w->x);
        SAB_FREE(w->point);
        SAB_FREE(w->weight);
        SAB_FREE(w->share);
        SAB_FREE(w->section);
        SAB_FREE(w->above);
        SAB_FREE(w->rim);
        SAB_FREE(w->element);
        SAB_FREE(w->xi);
        SAB_FREE(*load);
    }
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Weight of a unit of volume: gravity at the origin, along -y. */
static double specific_weight(const sab_flow *flow)
{
    const sab_vars at = {.t = flow->time};
    double g = 0.0;
    sab_error ignored = {0};

    if (sab_function_at(&flow->setup.gravity[1], &at, &g, &ignored) != SAB_OK)
        return 0.0;
    return -g;
}

static double mean_velocity(const sab_wall_load *w, int i, const sab_flow *flow)
{
    const int dim = flow->setup.geometry->dim;
    double sum = 0.0;
    int n = 0;

    for (int k = w->samples * i; k < w->samples * (i + 1); k++)
        if (w->element[k] >= 0) {
            double u[SAB_DIM];

            sab_fields_at(flow->fields, SAB_FIELD_VELOCITY, w->element[k], w->xi + dim * k, u);
            sum -= u[1];
            n++;
        }
    return n > 0 ? sum / n : 0.0;
}

/* What all walls bear above a height; a point at it counts half. */
static double borne_above(const sab_flow *flow, double y)
{
    const sab_wall_points *p = flow->walls;
    double sum = 0.0;

    for (int i = 0; i < p->n; i++) {
        const sab_wall_point *at = &p->point[i];
        const double *r = flow->traction + p->dim * i;
        const double part = at->x[1] > y ? 1.0 : at->x[1] == y ? 0.5 : 0.0;

        sum += part * at->weight * (-r[0] * at->normal[1] + r[1] * at->tangent[0][1]);
    }
    return sum;
}

static bool is_vertical(const sab_wall_point *p)
{
    return fabs(p->normal[1]) <= VERTICAL;
}

static bool is_floor(const sab_wall_point *p)
{
    return p->normal[1] < FLOOR;
}

static bool is_oblique(const sab_wall_point *p)
{
    return p->normal[1] < -VERTICAL && !is_floor(p);
}

/* K by least squares over the vertical rows. */
static double find_k(const sab_wall_load *w, const sab_flow *flow, const double *value)
{
    double up = 0.0, down = 0.0;

    for (int i = 0; i < w->nrows; i++) {
        const double *v = value + SAB_LOAD_COLUMNS * i;
        const sab_wall_point *p = &flow->walls->point[w->point[i]];

        if (is_vertical(p)) {
            up += w->weight[i] * v[SAB_LOAD_NORMAL] * v[SAB_LOAD_VERTICAL];
            down += w->weight[i] * v[SAB_LOAD_VERTICAL] * v[SAB_LOAD_VERTICAL];
        }
    }
    return down > 0.0 ? up / down : NAN;
}

/* p_h = g K z0 (1 - exp(-z/z0)), z0 = A/(K mu_w U), A/U the section over the length of its rim that
 * is wall, z = volume above / A. */
static double janssen_at(const sab_wall_load *w, int i, const sab_flow *flow, double K)
{
    const double mu = flow->program->friction[flow->space->npoints + w->point[i]];
    const double g = specific_weight(flow), A = w->section[i], z = w->above[i] / A;
    const double rate = K * mu * w->rim[i] / A; /* 1/z0 */
    return rate * z > 1e-8 ? g * K * (1.0 - exp(-rate * z)) / rate : g * K * z;
}

/* Means of the points over the rows; `mobilised` gets the stress that slides. */
static void add_share(const sab_wall_load *w, const sab_load_share *share, const sab_flow *flow,
                      double *row)
{
    const int k = share->point, q = flow->space->npoints + k, dim = flow->walls->dim;
    const double *r = flow->traction + dim * k, *v = flow->slip + dim * k;
    const double *lambda = flow->lambda + flow->program->s * q;
    const double part = share->part * flow->walls->point[k].weight / w->weight[share->row];

    row[SAB_LOAD_NORMAL] += part * r[0];
    row[SAB_LOAD_SHEAR] -= part * r[1];
    row[SAB_LOAD_SLIP] += part * v[1];
    row[SAB_LOAD_OPENING] += part * v[0];
    row[SAB_LOAD_MOBILISED] += part * fabs(lambda[1]);
    row[SAB_LOAD_VERTICAL] +=
        part * (flow->program->yield[q] + flow->program->friction[q] * lambda[0]);
}

void sab_wall_load_evaluate(const sab_wall_load *w, const sab_flow *flow, double *value)
{
    const int dim = flow->walls->dim;
    const double g = specific_weight(flow);

    memset(value, 0, (size_t)(w->nrows * SAB_LOAD_COLUMNS) * sizeof *value);
    for (int k = 0; k < w->nshares; k++)
        add_share(w, &w->share[k], flow, value + SAB_LOAD_COLUMNS * w->share[k].row);
    for (int i = 0; i < w->nrows; i++) {
        double *row = value + SAB_LOAD_COLUMNS * i;
        const double strength = row[SAB_LOAD_VERTICAL];

        row[SAB_LOAD_MOBILISED] =
            strength > 0.0 ? fmin(1.0, row[SAB_LOAD_MOBILISED] / strength) : 1.0;
        row[SAB_LOAD_VELOCITY] = mean_velocity(w, i, flow);
        row[SAB_LOAD_VERTICAL] =
            (g * w->above[i] - borne_above(flow, w->x[dim * i + 1])) / w->section[i];
    }
    const double K = find_k(w, flow, value);
    for (int i = 0; i < w->nrows; i++)
        value[SAB_LOAD_COLUMNS * i + SAB_LOAD_JANSSEN] =
            is_vertical(&flow->walls->point[w->point[i]]) && isfinite(K) ? janssen_at(w, i, flow, K)
                                                                         : NAN;
}

/* Slip over the mean velocity, which along an oblique wall is larger by 1/cos. */
static double slip_ratio(const sab_wall_point *p, const double *row)
{
    const double along = fabs(p->tangent[0][1]);

    return fabs(row[SAB_LOAD_SLIP]) * along / fmax(fabs(row[SAB_LOAD_VELOCITY]), 1e-300);
}

static const char *judge(const sab_load_figures *f, double fastest)
{
    if (isnan(f->slip_ratio))
        return "none";
    if (!(fastest > 1e-6))
        return "rest";
    return f->slip_ratio >= MASS ? "mass" : f->slip_ratio < FUNNEL ? "funnel" : "mixed";
}

sab_load_figures sab_wall_load_figures(const sab_wall_load *w, const sab_flow *flow,
                                       const double *value)
{
    const double whole = flow->setup.geometry->whole;
    sab_load_figures f = {.bottom = NAN,
                          .friction = NAN,
                          .vertical = NAN,
                          .janssen = NAN,
                          .bin_peak = NAN,
                          .hopper_peak = NAN,
                          .slip_ratio = NAN};
    double area = 0.0, bin = 0.0, normal = 0.0, error = 0.0, lowest = INFINITY, fastest = 0.0;
    double oblique = NAN, upright = NAN;

    for (int q = 0; q < flow->space->npoints; q++)
        f.weight += whole * specific_weight(flow) * flow->space->weight[q];
    for (int i = 0; i < w->nrows; i++) {
        const sab_wall_point *p = &flow->walls->point[w->point[i]];
        const double *row = value + SAB_LOAD_COLUMNS * i, m = w->weight[i];
        const double up =
            -row[SAB_LOAD_NORMAL] * p->normal[1] - row[SAB_LOAD_SHEAR] * p->tangent[0][1];

        area += m;
        f.sliding += m * (row[SAB_LOAD_MOBILISED] >= SLIDES);
        fastest = fmax(fastest, fabs(row[SAB_LOAD_VELOCITY]));
        if (is_floor(p))
            f.bottom = (isnan(f.bottom) ? 0.0 : f.bottom) + whole * m * up;
        if (is_oblique(p)) {
            f.hopper_peak = fmax(f.hopper_peak, row[SAB_LOAD_NORMAL]); /* fmax ignores NAN */
            oblique = fmin(oblique, slip_ratio(p, row));
        }
        if (!is_vertical(p))
            continue;
        const double off = row[SAB_LOAD_NORMAL] - row[SAB_LOAD_JANSSEN];
        bin += m;
        normal += m * row[SAB_LOAD_NORMAL];
        error += m * off * off;
        f.friction = (isnan(f.friction) ? 0.0 : f.friction) +
                     whole * m * -row[SAB_LOAD_SHEAR] * p->tangent[0][1];
        f.bin_peak = fmax(f.bin_peak, row[SAB_LOAD_NORMAL]);
        upright = fmin(upright, slip_ratio(p, row));
        if (p->x[1] < lowest) {
            lowest = p->x[1];
            f.vertical = row[SAB_LOAD_VERTICAL];
        }
    }
    f.bottom_share = f.bottom / f.weight;
    f.K = find_k(w, flow, value);
    f.janssen = sqrt(error / bin) / (normal / bin);
    f.switch_ratio = f.hopper_peak / f.bin_peak;
    f.slip_ratio = isnan(oblique) ? upright : oblique;
    f.sliding /= area;
    f.verdict = judge(&f, fastest);
    return f;
}
