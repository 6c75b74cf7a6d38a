#include "cli/describe.h"
#include "flow/law.h"
#include "linalg/threads.h"

#include <math.h>
#include <stdio.h>

/* "0.5", or "0.3 to 0.5" where a formula varies. */
static void say_range(sab_terminal *term, const char *name, sab_range r, const char *meaning)
{
    if (r.low == r.high || r.high - r.low <= 1e-12 * fabs(r.high)) /* also inf */
        sab_say(term, "  %-12s %-14.6g %s", name, r.high, meaning);
    else
        sab_say(term, "  %-12s %.6g to %-8.6g %s", name, r.low, r.high, meaning);
}

/* "30", "17.5 to 30", "none" */
static const char *angle_text(sab_range angle, char *text, size_t size)
{
    if (isnan(angle.low))
        snprintf(text, size, "none");
    else if (isnan(angle.high))
        snprintf(text, size, "%.6g to none", angle.low);
    else if (angle.high - angle.low <= 1e-12 * angle.high)
        snprintf(text, size, "%.6g", angle.high);
    else
        snprintf(text, size, "%.6g to %.6g", angle.low, angle.high);
    return text;
}

enum { ANGLE_TEXT = 100 };

/* "30 in extension (as given)," */
static const char *angle_in(const sab_session *session, int mode, char text[ANGLE_TEXT])
{
    const sab_material *m = &session->c->material;
    char angle[60];

    angle_text(sab_session_friction_angle(session, (sab_friction_mode)mode), angle, sizeof angle);
    snprintf(text, ANGLE_TEXT, "%s in %s%s%s", angle,
             mode == SAB_FRICTION_PLANE ? "plane strain" : sab_friction_mode_name[mode],
             m->friction_is_angle && mode == (int)m->friction_in ? " (as given)" : "",
             mode == SAB_FRICTION_MODES - 1 ? " (degrees)" : ",");
    return text;
}

/* What the coefficient is as an angle: by the motion that the case names, and all others too where
 * they differ from each other (one cone fits one of them). */
static void say_angles(const sab_session *session, sab_terminal *term)
{
    static const char *const meaning[SAB_FRICTION_MODES] = {
        [SAB_FRICTION_PLANE] = "friction = sin(angle) in the plane",
        [SAB_FRICTION_SHEAR] = "friction = tan(angle) in shear without dilatancy",
    };
    const sab_material *m = &session->c->material;
    const bool plane = session->c->geometry->d == 2;
    char first[ANGLE_TEXT], second[ANGLE_TEXT], text[60];

    if (plane) {
        angle_text(sab_session_friction_angle(session, m->friction_in), text, sizeof text);
        sab_say(term, "  %-12s %-14s degrees: %s", "angle", text, meaning[m->friction_in]);
        return;
    }
    for (int mode = 0; mode < SAB_FRICTION_MODES; mode += 2) /* two on a line */
        sab_say(term, "  %-12s %s %s", mode == 0 ? "angle" : "", angle_in(session, mode, first),
                angle_in(session, mode + 1, second));
}

static const char *geometry_text(const sab_geometry *geometry)
{
    return geometry->axis       ? "axisymmetric about x = 0: fluxes, forces and volumes are of "
                                  "the\n               whole body (2 pi r)"
           : geometry->dim == 2 ? "plane: fluxes, forces and volumes are per length across it"
                                : geometry->name;
}

static void describe_rheology(const sab_session *session, sab_terminal *term)
{
    const sab_program *p = session->flow->program;
    const sab_case *c = session->c;
    const double scale = sab_geometry_normal_scale(c->geometry);
    const int n = session->flow->space->npoints;
    sab_range re = sab_range_of(n, session->flow->law->inverse_reynolds, 1.0);

    re = (sab_range){1.0 / re.high, 1.0 / re.low};
    sab_say(term, "geometry       %s", geometry_text(c->geometry));
    sab_say(term, "rheology       %s, viscoplastic Drucker-Prager, %s", c->geometry->name,
            c->time.scheme == SAB_INERTIAL ? "inertial" : "creeping");
    say_range(term, "friction", sab_range_of(n, p->friction, scale),
              "yield when sqrt(J2) = bingham + friction p");
    if (c->material.has_mu_i)
        sab_say(term, "  %-12s at rest, up to %g as I grows; I0 = %g, grains %g", "",
                c->material.mu_i.flowing, c->material.mu_i.I0, c->material.mu_i.grain);
    say_angles(session, term);
    say_range(term, "dilatancy", sab_range_of(n, p->dilatancy, scale),
              "0: the volume is kept; = friction: associated");
    say_range(term, "bingham", sab_range_of(n, p->yield, 1.0), "yield stress / (rho g L)");
    say_range(term, "reynolds", re, "rho sqrt(g L) L / eta: viscous stress (2/Re) E_b D");
    sab_say(term, "  %-12s %-14.6g %s", "bulk", c->material.bulk,
            "b of E_b D = Dev D + (b/d) Tr D I");
    if (c->material.has_viscosity)
        sab_say(term, "  %-12s %-14s %s", "viscosity", "formula",
                "multiplies 1/Re, of the flow itself");
    sab_say(term, "  units        lengths L, times sqrt(L/g), speeds sqrt(g L), stresses rho g L");
}

static void describe_time(const sab_session *session, sab_terminal *term)
{
    const sab_case *c = session->c;
    const sab_case_time *t = &c->time;
    const int steps = sab_session_steps(session);
    const double end = steps * t->step;

    if (t->scheme == SAB_CREEPING)
        return;
    sab_say(term, "time           order %d, %d steps of %g to %g%s%s", t->order, steps, t->step,
            end, c->has_initial_velocity || c->initial_from != NULL ? ", from " : ", from rest",
            c->has_initial_velocity   ? "initial.velocity"
            : c->initial_from != NULL ? c->initial_from
                                      : "");
    if (fabs(end - t->end) > 1e-9 * t->end)
        sab_say(term, "               time.end: %g is no whole number of steps, the run ends at %g",
                t->end, end);
    if (t->steady > 0.0 && session->watched >= 0)
        sab_say(term, "               or when the mean of '%s' over %g changes by less than %g",
                c->probe[session->watched].name, t->window, t->steady);
    else
        sab_say(term, "               no test for a steady flow (%s): it runs to the end",
                t->steady > 0.0 ? "no probe of one number" : "time.steady: 0");
    const double courant = sab_fields_courant(session->flow->fields, t->step);
    if (courant > 0.0) /* that of a flow from rest is known at its end */
        sab_say(term, "courant        |u| step/h %.3g at the start; step %.3g would give 1",
                courant, t->step / courant);
}

/* Where two entries differ at the nodes they share: who holds them. */
static void describe_corners(const sab_session *session, sab_terminal *term)
{
    const sab_dofs *dofs = session->held;
    const sab_boundary *boundary = session->c->boundary;

    for (int k = 0; k < dofs->nconcessions; k++) {
        const sab_concession *at = &dofs->concession[k];
        char place[SAB_PLACE_TEXT];

        if (!boundary[at->other].slip) /* else there is a warning */
            sab_say(term, "%s '%s', at rest, holds %d shared %s %s, where '%s' moves",
                    k == 0 ? "corners       " : "              ", boundary[at->holder].group,
                    at->nodes, at->nodes > 1 ? "nodes, the first at" : "node, at",
                    sab_place_text(dofs->dim, at->place, place), boundary[at->other].group);
    }
}

void sab_describe_session(const sab_session *session, sab_terminal *term)
{
    const sab_case *c = session->c;
    const sab_mesh *mesh = session->mesh;
    const sab_program *p = session->flow->program;
    const sab_factor_info info = sab_factor_get_info(sab_solver_factor(session->flow->solver));
    const sab_memory_needs memory = sab_session_memory(session);
    char place[SAB_PLACE_TEXT];

    sab_say(term, "sablier %s  %s", SAB_VERSION, c->title);
    sab_say(term, "mesh           %s, %s", c->mesh_file,
            c->split == SAB_SPLIT_ALFELD ? "Alfeld split"
            : sab_mesh_is_split(mesh)    ? "as it is, an Alfeld split"
                                         : "as it is");
    sab_say(term, "               %d vertices, %d %s%s", mesh->nvertices, mesh->nelements,
            mesh->cell->plural,
            c->element->faces       ? ", P2 with bubbles, on faces too"
            : c->element->inner > 0 ? ", P2 with a bubble in each"
                                    : "");
    sab_say(term, "               worst shape %.3g of 1%s, at %s", session->shape,
            c->split == SAB_SPLIT_ALFELD ? " before the split" : "",
            sab_place_text(mesh->cell->dim, session->shape_at, place));
    sab_say(term, "unknowns       %d velocities, %d law points", p->n,
            session->flow->space->npoints);
    if (session->flow->walls != NULL)
        sab_say(term, "               %d points on walls with friction", session->flow->walls->n);
    describe_rheology(session, term);
    describe_corners(session, term);
    describe_time(session, term);
    sab_say(term, "solver         %s, tolerance %g on the power gap",
            sab_method_table[c->solver.method].name, c->solver.tolerance);
    sab_say(term, "memory         about %.3g MB; %s (%s), factor %.3g M entries",
            1e-6 * memory.needed, info.backend, info.ordering, 1e-6 * info.entries);
    if (memory.machine > 0.0)
        sab_say(term, "               about %.2g %s would fill the %.3g GB of this machine",
                memory.elements, mesh->cell->plural, 1e-9 * memory.machine);
    if (term->verbosity > 0)
        sab_say(term, "BLAS           %s", sab_blas_name());
}
