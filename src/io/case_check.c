/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions between keys. */
#include "io/case_read.h"

#include <math.h>
#include <stdio.h>

enum { MOST_STEPS = 100000000 };

/* Which elements go with which geometry, and why not the others [docs/theory.md, 4]. */
static const char *element_mistake(const sab_case *c)
{
    const int dim = c->geometry->dim;

    if (dim == 2)
        return c->element->cell->dim == 2 ? NULL
                                          : "is an element of space (geometry: space); here there "
                                            "are p2 and p2b";
    if (c->element == &sab_element_p2)
        return "has two spurious pressures per tetrahedron, and locks; in space give p2nb, which "
               "is the default there";
    if (c->element->cell->dim != dim)
        return "has pressures in space that no flow through the faces controls; give p2nb, which "
               "is the default there";
    return NULL;
}

static sab_status check_mesh(const sab_case *c, sab_error *err)
{
    const char *mistake = element_mistake(c);
    char place[1000];

    if (mistake != NULL)
        return sab_fail(err, SAB_ERR_INPUT, "%s: %s %s",
                        sab_case_locate(c, "mesh.element", place, sizeof place), c->element->name,
                        mistake);
    if (c->geometry->dim == 3 && c->split != SAB_SPLIT_NONE)
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: the split of tetrahedra leaves weak pressures, the more the finer the "
                        "mesh; in space give none, the default with p2nb",
                        sab_case_locate(c, "mesh.split", place, sizeof place));
    return SAB_OK;
}

/* Nothing turns about the axis: a force towards it has no meaning but as a pressure. */
static sab_status check_gravity(const sab_case *c, sab_error *err)
{
    const sab_function *radial = &c->gravity[0];
    char place[1000];

    if (c->geometry->axis && (radial->call != NULL || radial->constant != 0.0))
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: its radial component must be 0 about an axis; gravity acts along z, "
                        "as in [0, -1]",
                        sab_case_locate(c, "gravity", place, sizeof place));
    return SAB_OK;
}

/* About an axis results are of the whole body already. */
static sab_status check_symmetry(const sab_case *c, sab_error *err)
{
    char place[1000];

    if (c->symmetry > 1 && c->geometry->axis)
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: about an axis results are of the whole body already (2 pi r); give 1",
                        sab_case_locate(c, "symmetry", place, sizeof place));
    return SAB_OK;
}

/* An angle without the motion it was measured in: what it could mean. */
static sab_status fail_mode(const sab_case *c, sab_error *err)
{
    const sab_material *m = &c->material;
    const bool known = m->friction.call == NULL && m->dilatancy.call == NULL;
    char place[1000], value[200] = "";
    size_t used = 0;

    for (int mode = 0; known && mode < SAB_FRICTION_MODES && used < sizeof value; mode++)
        used += (size_t)snprintf(
            value + used, sizeof value - used, "%s%s %.3f",
            mode == 0 ? "; here they would be: " : ", ", sab_friction_mode_name[mode],
            sab_material_friction(c->geometry, (sab_friction_mode)mode, m->friction.constant,
                                  m->dilatancy.constant));
    return sab_fail(err, SAB_ERR_INPUT,
                    "%s: missing; outside the plane an angle must say in which motion it was "
                    "measured (plane, compression, extension, shear), because the coefficients "
                    "differ%s",
                    sab_case_locate(c, "material.friction.in", place, sizeof place), value);
}

/* The coefficient where it is the same everywhere; NAN else. */
static double constant_friction(const sab_case *c)
{
    const sab_material *m = &c->material;

    if (m->has_mu_i)
        return m->mu_i.resting;
    if (m->friction.call != NULL || (m->friction_is_angle && m->dilatancy.call != NULL))
        return NAN;
    return m->friction_is_angle ? sab_material_friction(c->geometry, m->friction_in,
                                                        m->friction.constant, m->dilatancy.constant)
                                : m->friction.constant;
}

static sab_status check_friction(const sab_case *c, sab_error *err)
{
    const sab_material *m = &c->material;
    const double friction = constant_friction(c);
    const double highest = m->has_mu_i ? m->mu_i.flowing : friction;
    char place[1000];

    if (highest > sab_friction_limit(c->geometry))
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: a coefficient of %.4g; above sqrt(3)/2 = 0.866 the cone admits "
                        "tension when the stress is that of extension, outside the plane",
                        sab_case_locate(c,
                                        m->has_mu_i ? "material.mu_i.dynamic" : "material.friction",
                                        place, sizeof place),
                        highest);
    if (m->dilatancy.call == NULL && m->dilatancy.constant > friction)
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: %g is more than the %sfriction coefficient %g; grains would "
                        "make energy by dilating",
                        sab_case_locate(c, "material.dilatancy", place, sizeof place),
                        m->dilatancy.constant, m->has_mu_i ? "static " : "", friction);
    return SAB_OK;
}

static sab_status check_material(const sab_case *c, sab_error *err)
{
    const sab_material *m = &c->material;
    char place[1000];

    if (m->reynolds.call == NULL && isinf(m->reynolds.constant) && c->time.scheme == SAB_CREEPING &&
        !(m->has_mu_i && m->mu_i.flowing > m->mu_i.resting))
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: inf means no viscosity, and then a creeping flow has no scale of "
                        "velocity; give a finite number, or mu_i",
                        sab_case_locate(c, "material.reynolds", place, sizeof place));
    if (m->has_mu_i && m->mu_i.flowing < m->mu_i.resting)
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: %g is less than the static coefficient %g; friction grows with I",
                        sab_case_locate(c, "material.mu_i.dynamic", place, sizeof place),
                        m->mu_i.flowing, m->mu_i.resting);
    if (m->friction_is_angle && !m->has_friction_in)
        return fail_mode(c, err);
    if (m->friction_is_angle && !sab_friction_has_mode(c->geometry, m->friction_in))
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: there is no %s in the plane; give plane (Mohr's circle) or shear "
                        "(a slope or a shear cell)",
                        sab_case_locate(c, "material.friction.in", place, sizeof place),
                        sab_friction_mode_name[m->friction_in]);
    return check_friction(c, err);
}

static sab_status check_time(const sab_case *c, sab_error *err)
{
    const sab_case_time *t = &c->time;
    char place[1000];

    if (c->has_initial_velocity && c->initial_from != NULL)
        return sab_fail(err, SAB_ERR_INPUT, "%s: initial.from gives a velocity too, choose one",
                        sab_case_locate(c, "initial.velocity", place, sizeof place));
    if (t->scheme == SAB_CREEPING)
        return SAB_OK;
    if (t->end < 0.5 * t->step)
        return sab_fail(err, SAB_ERR_INPUT, "%s: %g is not even one step of %g",
                        sab_case_locate(c, "time.end", place, sizeof place), t->end, t->step);
    if (t->end / t->step > MOST_STEPS)
        return sab_fail(err, SAB_ERR_INPUT, "%s: %g is %g steps of %g, more than %d",
                        sab_case_locate(c, "time.end", place, sizeof place), t->end,
                        t->end / t->step, t->step, MOST_STEPS);
    if (t->smallest > t->step)
        return sab_fail(err, SAB_ERR_INPUT, "%s: %g is longer than time.step, %g, the longest step",
                        sab_case_locate(c, "time.smallest", place, sizeof place), t->smallest,
                        t->step);
    if (t->smallest > 0.0 && t->end / t->smallest > MOST_STEPS)
        return sab_fail(err, SAB_ERR_INPUT, "%s: %g up to %g may be %g steps, more than %d",
                        sab_case_locate(c, "time.smallest", place, sizeof place), t->smallest,
                        t->end, t->end / t->smallest, MOST_STEPS);
    if (t->smallest > 0.0 && !c->has_surface)
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: steps follow the grains of a moving surface (section `surface`); "
                        "elsewhere all have the length time.step",
                        sab_case_locate(c, "time.smallest", place, sizeof place));
    if (t->window < t->step)
        return sab_fail(err, SAB_ERR_INPUT, "%s: %g is shorter than a step of %g",
                        sab_case_locate(c, "time.window", place, sizeof place), t->window, t->step);
    return SAB_OK;
}

/* What multigrid asks for [docs/scale.md]. */
static sab_status check_multigrid(const sab_case *c, sab_error *err)
{
    const char *changes = c->material.has_mu_i        ? "mu_i"
                          : c->material.has_viscosity ? "a viscosity formula"
                          : c->has_surface            ? "a moving surface"
                          : c->has_grains             ? "grains"
                                                      : NULL;
    char place[1000];

    sab_case_locate(c, "solver.linear", place, sizeof place);
    if (!sab_factor_has_amg())
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: this program was built without PETSc, which amg needs: scripts/setup "
                        "--petsc, then meson setup -Dpetsc=true (docs/scale.md)",
                        place);
    if (!sab_method_can_iterate(c->solver.method))
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: amg has no factor, and solver.method %s needs a new one at every step "
                        "of its own; give dr-aa or another method of first order",
                        place, sab_method_table[c->solver.method].name);
    if (changes != NULL)
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: amg is for a matrix that stays; with %s it changes all the time: give "
                        "another",
                        place, changes);
    return SAB_OK;
}

/* Sweeps are of bodies, and plain ones of bodies without friction. */
static sab_status check_sweeps(const sab_case *c, sab_error *err)
{
    const sab_method_entry *m = &sab_method_table[c->solver.method];
    double friction = c->has_grains ? c->grains.friction : 0.0;
    char place[1000];

    for (int w = 0; w < c->nwalls; w++)
        friction = fmax(friction, c->wall[w].friction);
    if (m->family != SAB_FAMILY_SWEEPS || (c->has_grains && !(m->plain && friction > 0.0)))
        return SAB_OK;
    sab_case_locate(c, "solver.method", place, sizeof place);
    if (!c->has_grains)
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: %s sweeps over the contacts of grains, and this case has a material; "
                        "give auto",
                        place, m->name);
    return sab_fail(err, SAB_ERR_INPUT,
                    "%s: %s is for contacts without friction, and this case has friction %g; give "
                    "gs",
                    place, m->name, friction);
}

static sab_status check_solver(const sab_case *c, sab_error *err)
{
    const sab_status swept = check_sweeps(c, err);
    char place[1000];

    if (swept != SAB_OK)
        return swept;
    if (c->solver.linear == SAB_AMG) {
        const sab_status status = check_multigrid(c, err);

        if (status != SAB_OK)
            return status;
    }
    if (c->solver.blr > 0.0 && c->solver.linear == SAB_AMG)
        return sab_fail(err, SAB_ERR_INPUT, "%s: amg has no factors to compress; leave this out",
                        sab_case_locate(c, "solver.blr", place, sizeof place));

    if (c->solver.blr > 0.0 && c->solver.linear == SAB_CHOLMOD)
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: cholmod does not compress its factors; give solver.linear auto or "
                        "mumps, or leave this out",
                        sab_case_locate(c, "solver.blr", place, sizeof place));
    if (c->solver.blr > 0.0 && !sab_factor_has_blr())
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s: this program was built with the sequential MUMPS, where compression "
                        "is not reliable; build it with MPI (docs/scale.md), or give 0",
                        sab_case_locate(c, "solver.blr", place, sizeof place));
    return SAB_OK;
}

/* Is it zero, whatever place and time? */
static bool is_zero(const sab_function *f)
{
    return f->call == NULL && f->constant == 0.0;
}

/* A full mesh is fed by the velocity alone. */
static sab_status check_inflow(const sab_case *c, sab_error *err)
{
    char key[200], place[1000];

    for (int b = 0; b < c->nboundaries && !c->has_surface; b++)
        if (c->boundary[b].has_inflow) {
            snprintf(key, sizeof key, "boundaries.%s.inflow", c->boundary[b].group);
            return sab_fail(err, SAB_ERR_INPUT,
                            "%s: feeds grains whose surface moves (section `surface`); on a mesh "
                            "that is full give velocity instead",
                            sab_case_locate(c, key, place, sizeof place));
        }
    return SAB_OK;
}

/* Probes that know which wall owns a node, of entries that change. */
static sab_status check_gates(const sab_case *c, sab_error *err)
{
    const sab_boundary *gate = NULL;
    char key[200], place[1000];

    for (int b = 0; b < c->nboundaries; b++)
        gate = c->boundary[b].opens > 0.0 ? &c->boundary[b] : gate;
    for (int i = 0; i < c->nprobes && gate != NULL; i++)
        if (c->probe[i].kind == SAB_PROBE_TRACTION || c->probe[i].kind == SAB_PROBE_WALL_LOAD) {
            snprintf(key, sizeof key, "probes.%s", c->probe[i].name);
            return sab_fail(err, SAB_ERR_INPUT,
                            "%s: is for walls that stay, but '%s' opens at time %g; use force",
                            sab_case_locate(c, key, place, sizeof place), gate->group, gate->opens);
        }
    return SAB_OK;
}

/* What probes ask of a surface that does not move, and of one that moves. */
static sab_status check_grains(const sab_case *c, const sab_probe *p, sab_error *err)
{
    const bool grains = p->kind >= SAB_PROBE_GRAINS && p->kind <= SAB_PROBE_HEIGHT;
    const char *why = NULL;
    char key[200], place[1000];

    if (grains && !c->has_surface)
        why = "is of grains whose surface moves; add a section `surface`";
    else if (c->has_surface && p->kind == SAB_PROBE_FLUX)
        why = "the velocity of the void is none of the grains; use left";
    else if (c->has_surface && p->kind == SAB_PROBE_INTEGRAL &&
             p->integral != SAB_INTEGRAL_VISCOUS_DISSIPATION &&
             p->integral != SAB_INTEGRAL_FRICTION_DISSIPATION &&
             p->integral != SAB_INTEGRAL_WALL_FRICTION_DISSIPATION)
        why = "the integral would go over the void; use grains";
    else if (c->has_surface && (p->kind == SAB_PROBE_TRACTION || p->kind == SAB_PROBE_WALL_LOAD))
        why = "is for walls along a full domain; with a moving surface use force";
    if (why == NULL)
        return SAB_OK;
    snprintf(key, sizeof key, "probes.%s", p->name);
    return sab_fail(err, SAB_ERR_INPUT, "%s: %s", sab_case_locate(c, key, place, sizeof place),
                    why);
}

static sab_status check_surface(const sab_case *c, sab_error *err)
{
    sab_status status = SAB_OK;
    const char *key = NULL, *why = NULL;
    char place[1000];

    for (int i = 0; i < c->nprobes; i++)
        SAB_TRY(check_grains(c, &c->probe[i], err));
    if (!c->has_surface && c->has_initial_fill)
        key = "initial.fill", why = "is of grains whose surface moves; add `surface: {}`";
    if (key == NULL && !c->has_surface)
        return SAB_OK;
    if (key == NULL && !c->has_initial_fill)
        key = "surface", why = "needs initial.fill, where the grains are at time 0";
    else if (key == NULL && c->time.order != 1)
        key = "time.order", why = "a moving surface has order 1 in time only";
    else if (key == NULL && !is_zero(&c->material.dilatancy))
        key = "material.dilatancy",
        why = "grains that dilate while they flow would lose touch and fall together again, for "
              "ever: with a moving surface only 0, until it depends on their density";
    else if (key == NULL && c->initial_from != NULL)
        key = "initial.from", why = "a state has no grains to go on from; use --resume";
    if (key != NULL)
        SAB_FAIL(err, SAB_ERR_INPUT, "%s: %s", sab_case_locate(c, key, place, sizeof place), why);
cleanup:
    return status;
}

static sab_status check_output(const sab_case *c, sab_error *err)
{
    char place[1000];

    return !c->output_contacts
               ? SAB_OK
               : sab_fail(err, SAB_ERR_INPUT,
                          "%s: a flow has no contacts, only a case with `grains` has; gauss: true "
                          "writes stresses at all law points",
                          sab_case_locate(c, "output.contacts", place, sizeof place));
}

static sab_status check_flow(const sab_case *c, sab_faults *faults, sab_error *err)
{
    static sab_status (*const check[])(const sab_case *, sab_error *) = {
        check_mesh,    check_symmetry, check_gravity, check_material,
        check_surface, check_inflow,   check_gates,   check_output};
    sab_status status = SAB_OK;

    for (size_t i = 0; i < sizeof check / sizeof check[0]; i++)
        SAB_TRY(sab_fault(faults, check[i](c, err), err));
cleanup:
    return status;
}

sab_status sab_case_check(const sab_case *c, sab_faults *faults, sab_error *err)
{
    sab_status status = SAB_OK;

    if (c->has_grains)
        SAB_TRY(sab_fault(faults, sab_case_check_grains(c, err), err));
    else
        SAB_TRY(check_flow(c, faults, err));
    SAB_TRY(sab_fault(faults, check_time(c, err), err));
    SAB_TRY(sab_fault(faults, check_solver(c, err), err));
cleanup:
    return status;
}
