// SPDX-License-Identifier: Apache-2.0
// Motion that begins during the run and that the time step will take away: a ball that rolls down a slope or on from a
// throw, a body that bounces. (A spin, a swing and the vibration that a scene starts with are told in loads.c and
// world.c.)
//
// Rolling: without slip, at rest or with the part of its speed along the slope that rolling leaves it, a ball of
// gyration k^2 gains g sin(theta) / (R (1 + k^2/R^2)) rad/s^2; the integration takes rate omega^3 (loads.c). How far it
// gets with and without that is integrated.
//
// Bouncing: a body in contact for a time t_c swings half a period, of which the integrator keeps its share of the
// energy (registry/scheme.h), backward Euler exp(-pi^2 h / t_c) by small steps. Rayleigh damping leaves that with
// alpha1 in place of h. t_c of a ball is Hertz's, 2.87 (m^2 / (R E*^2 v))^(1/5); of a disc that of a line contact,
// whose stiffness is about pi/4 E* a metre; of other bodies half the period of their first mode.
//
// Which step a cure needs is looked for with each integrator, and the one that costs least is named.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "doctor/doctor.h"

static const double LOST = 0.05;    // of the way or of the height: more is reported
static const double SHORT_WAY = 1;  // radii: a shorter way counts as no rolling
static const double LOW_JUMP = 0.2; // diameters: a lower rise counts as no bounce
enum { PARTS = 400, HALVINGS = 30 };

typedef struct Motion {
    const ThawMaterialDef *material;
    double radius, gyration;            // m, m^2
    double omega, acceleration, length; // rad/s at first, rad/s^2, s
    double contact, blow;               // s, the time of a blow, and what it counts as (step/blow.c)
    int substeps;
} Motion;

// What is left by steps of h: of the way that it rolls, and of the height to which it bounces.
typedef double (*Left)(const Motion *m, const ThawScheme *scheme, double h);

// rad, that it turns; rate 0: without loss. Implicit, for the rate may be large: omega + dt rate omega^3 = given.
static double way_of(const Motion *m, double rate) {
    const double dt = m->length / PARTS;
    double omega = m->omega, way = 0;
    for (int i = 0; i < PARTS; i++) {
        const double given = omega + dt * m->acceleration;
        double next = fmin(given, rate > 0 ? cbrt(given / (dt * rate)) : given);
        for (int k = 0; k < 20; k++)
            next -= (next + dt * rate * next * next * next - given) / (1 + 3 * dt * rate * next * next);
        way += dt * (omega + next) / 2;
        omega = next;
    }
    return way;
}

static double rolling_left(const Motion *m, const ThawScheme *scheme, double h) {
    return way_of(m, thaw_spin_loss_rate(m->material, m->gyration, scheme, h, 0)) / way_of(m, 0);
}

// A blow is half a vibration.
static double bounce_left(const Motion *m, const ThawScheme *scheme, double h) {
    const ThawScheme *blows = thaw_scheme_of_blows(scheme);
    const double parts = ceil(THAW_BLOW_STEPS * h / m->blow);
    if (blows && parts <= m->substeps)
        return thaw_scheme_energy_kept(blows, M_PI * h / (parts * m->contact), M_PI);
    return thaw_scheme_energy_kept(scheme, M_PI * h / m->contact, M_PI);
}

// The cure that costs least: which integrator with which step keeps all but LOST.
static void tell_cure(ThawComplaint *c, const Motion *m, Left left, const ThawWorldDef *world) {
    const ThawScheme *own = thaw_scheme(world->integrator), *best = own;
    double least = INFINITY, step = 0;
    for (int i = 0; i < THAW_INTEGRATOR_COUNT; i++) {
        const ThawScheme *scheme = thaw_scheme((ThawIntegrator)i);
        double h = world->h;
        for (int k = 0; k < HALVINGS && left(m, scheme, h) < 1 - LOST; k++)
            h /= 2;
        if (scheme->cost / h < least) {
            least = scheme->cost / h;
            best = scheme;
            step = h < world->h ? thaw_round_down(h) : h;
        }
    }
    const double cost = best->cost / step / (own->cost / world->h);
    if (best == own)
        thaw_complaint_cure(c, "steps of %g s keep all but %g %% of it, %.2g times the work", step, 100 * LOST, cost);
    else
        thaw_complaint_cure(c,
                            "\"integrator\": \"%s\" in \"time\", with steps of %g s, keeps all but %g %% of it, about "
                            "%.2g times the work",
                            best->name, step, 100 * LOST, cost);
}

static ThawSeverity severity_of(double left) { return left < 0.5 ? THAW_SEVERITY_WARNING : THAW_SEVERITY_HINT; }

// rad: what rolls on by more in a step jumps from facet to facet (measured: a ball of 400 elements on a floor keeps
// 0.17 to 0.62 of its energy for 1.3 s by 0.25 rad a step, where small steps leave it 0.28 to 0.41).
static const double JUMPS = 0.25;

// Moving frames keep a rolling at any step, but not the facets that it goes over.
static void examine_facets(ThawExam *exam, const char *name, const Motion *m, const ThawWorldDef *world) {
    const double rate = m->omega + m->acceleration * m->length, turn = world->h * rate;
    if (!thaw_scheme(world->integrator)->follows || !(turn > JUMPS))
        return;
    ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_HINT, "roll-coarse", "body %.100s", name);
    thaw_complaint_what(c,
                        "it will roll, and turn by up to %.2g rad in a step of %.4g s: which facets it lands on is "
                        "chance then, and how fast it gets may be off by half",
                        turn, world->h);
    thaw_complaint_cure(c, "steps of %g s", thaw_round_down(JUMPS / 2 / rate));
    thaw_complaint_value(c, turn, "rad");
}

static void examine_rolling(ThawExam *exam, const ThawScene *scene, const ThawModelBody *body, Motion *m,
                            const ThawArrival *arrival) {
    const ThawWorldDef *world = &scene->world;
    double weight = 0, along = 0, down = 0, tangent[3], speed[3];
    for (int k = 0; k < world->dim; k++) {
        weight -= world->gravity[k] * arrival->normal[k];
        along += arrival->speed[k] * arrival->normal[k];
    }
    double fall = 0, slide = 0;
    for (int k = 0; k < world->dim; k++) {
        tangent[k] = world->gravity[k] + weight * arrival->normal[k];
        speed[k] = arrival->speed[k] - along * arrival->normal[k];
        fall += tangent[k] * tangent[k];
        slide += speed[k] * speed[k];
        down += tangent[k] * speed[k];
    }
    const double share = 1 / (1 + m->gyration / (m->radius * m->radius));
    fall = sqrt(fall);
    slide = sqrt(slide);
    // Upwards it comes back sooner or later: only what it gains is looked at then.
    m->omega = down >= 0 ? share * slide / m->radius : 0;
    m->acceleration = share * fall / m->radius;
    m->length = (double)scene->steps * world->h - arrival->time;
    if (!(m->length > 0) || !(weight > 0) || !(arrival->friction > 0) || !(way_of(m, 0) > SHORT_WAY) ||
        fall * (1 - share) > arrival->friction * weight)
        return;
    examine_facets(exam, body->name, m, world);
    const double left = rolling_left(m, thaw_scheme(world->integrator), world->h);
    const int spared = thaw_method_at(body->method)->has_parts;
    if (left > 1 - LOST)
        return;
    char text[24];
    ThawComplaint *c =
        thaw_exam_add(exam, spared ? THAW_SEVERITY_HINT : severity_of(left), "roll-lost", "body %.100s", body->name);
    thaw_complaint_what(c,
                        "it will roll%s: in theory %.3g m in the %.3g s after it lands, by steps of %.4g s %s of "
                        "that (facets and contact take more)%s",
                        fall > 0.01 * weight ? " down a slope" : " on from its throw", m->radius * way_of(m, 0),
                        m->length, world->h, thaw_percent_text(text, left),
                        spared ? " while it is elastic; as a rigid part it keeps more" : "");
    tell_cure(c, m, rolling_left, world);
    thaw_complaint_value(c, left, "of the way");
}

static void examine_bounce(ThawExam *exam, const ThawScene *scene, const ThawModelBody *body,
                           const ThawPatient *patient, Motion *m, const ThawArrival *arrival) {
    const ThawWorldDef *world = &scene->world;
    const double modulus = m->material->young / (1 - m->material->poisson * m->material->poisson);
    double speed = 0, g = 0;
    for (int k = 0; k < world->dim; k++) {
        speed -= arrival->speed[k] * arrival->normal[k];
        g += world->gravity[k] * world->gravity[k];
    }
    g = sqrt(g);
    if (!(speed > 0) || !(g > 0) || !(m->blow > 0))
        return;
    if (m->radius > 0 && world->dim == 3)
        m->contact = 2.87 * pow(patient->mass * patient->mass / (m->radius * modulus * modulus * speed), 0.2);
    else if (m->radius > 0) // its thickness: mass over density and area
        m->contact =
            M_PI * sqrt(patient->mass /
                        (M_PI / 4 * modulus * (patient->mass / (m->material->density * M_PI * m->radius * m->radius))));
    else
        m->contact = patient->period / 2;
    if (!(m->contact > 0))
        return;
    const double kept = exp(-M_PI * M_PI * m->material->alpha1 / m->contact), height = speed * speed / (2 * g) * kept;
    const ThawScheme *scheme = thaw_scheme(world->integrator);
    const double left = bounce_left(m, scheme, world->h);
    const int unresolved = scheme->blows >= 0 && ceil(THAW_BLOW_STEPS * world->h / m->blow) > world->substeps;
    if (left > 1 - LOST || (unresolved && arrival->restitution > 0) || !(height > LOW_JUMP * body->shape->diameter))
        return;
    char text[24];
    ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_HINT, "bounce-lost", "body %.100s", body->name);
    thaw_complaint_what(
        c,
        "it lands with %.3g m/s after %.3g s, and its material would let it rise again by %.3g m. The blow "
        "takes about %.2g s: steps of %.4g s leave %s of that height",
        speed, arrival->time, height, m->contact, world->h, thaw_percent_text(text, left));
    tell_cure(c, m, bounce_left, world);
    if (unresolved) {
        const size_t end = strlen(c->cure);
        snprintf(c->cure + end, sizeof c->cure - end,
                 "; or a coefficient, \"restitution\", of the body and what it lands on");
    }
    thaw_complaint_value(c, left, "of the height");
}

void thaw_exam_motion(ThawExam *exam, const ThawScene *scene, const ThawModel *model, int32_t b,
                      const ThawArrival *arrival) {
    const ThawWorldDef *world = &scene->world;
    const ThawModelBody *body = &model->bodies[b];
    const double radius = thaw_shape_ball_radius(body->shape);
    Motion m = {.material = &world->materials[thaw_shape_main_material(&world->shapes[world->bodies[b].shape])],
                .radius = fmax(0, radius),
                .gyration = (world->dim == 3 ? 0.4 : 0.5) * radius * radius,
                .blow = body->shape->blow,
                .substeps = world->substeps};
    if (radius < 0)
        thaw_exam_memory(exam, "the doctor's notes");
    if (exam->status)
        return;
    if (radius > 0)
        examine_rolling(exam, scene, body, &m, arrival);
    examine_bounce(exam, scene, body, &exam->report->patients[b], &m, arrival);
}
