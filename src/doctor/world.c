// SPDX-License-Identifier: Apache-2.0
// Materials in units that look wrong, the time step against the bodies' own rhythm, and what a run will write.
//
// The rhythm is that of the first mode (scale.c); of very large meshes it is estimated. A clamped bar of length L and
// thickness t, with waves of speed c = sqrt(E/rho), swings at f = (1.875^2 / (2 pi sqrt(12))) c t / L^2 and stretches
// at c / (4 L); a free one swings at (4.730 / 1.875)^2 times that and stretches at c / (2 L). The lower one of the two,
// with the longest and the shortest side of the body's bounding box, is within a factor of two or three for most
// things.
//
// What a mode of angular frequency w keeps in a step is in the integrator's entry (registry/scheme.h): by backward
// Euler 1/sqrt(1 + (w h)^2), for small w h exp(-w^2 h / 2) a second, so each period takes 1 - exp(-2 pi w h) = 1 -
// exp(-4 pi^2 h / T) of its energy. Nothing ever explodes, but a step that is long against the period T silently
// removes the motion that the scene is about.
#include "doctor/doctor.h"
#include "model/change.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/vec3.h"

static const double SOFTEST = 100, STIFFEST = 2e12;      // Pa: below the softest gels; above diamond
static const double LIGHTEST = 5, HEAVIEST = 25000;      // kg/m^3: below the lightest foams; above osmium
static const double LOCKS_A_LITTLE = 0.45, LOCKS = 0.48; // Poisson's ratio
static const double CONTRAST = 1e5;                      // of Young's moduli in one shape
static const double WEIGHT_STRAIN = 0.5;                 // density g height / E
static const double LOSS = 0.5;                          // of a mode's energy in each period
static const double SMALL_LOSS = 0.11;                   // likewise: about a tenth
static const double FINE_STEPS = 50, MANY_STEPS = 20000; // a period: to see it; more than anyone needs
static const double GIGABYTE = 1e9;

double thaw_material_wave_speed(const ThawMaterialDef *material) { return sqrt(material->young / material->density); }

double thaw_period_estimate(const ThawMaterialDef *material, int dim, const double extent[3], int held) {
    double longest = 0, shortest = INFINITY, c = thaw_material_wave_speed(material);
    for (int k = 0; k < dim; k++) {
        longest = fmax(longest, extent[k]);
        shortest = fmin(shortest, extent[k]);
    }
    double bending = (held ? 0.1615 : 1.028) * c * shortest / (longest * longest);
    double stretching = c / ((held ? 4 : 2) * longest);
    return 1 / fmin(bending, stretching);
}

int32_t thaw_shape_main_material(const ThawShapeDef *shape) {
    const ThawMesh *mesh = shape->mesh;
    int32_t best = shape->material;
    double most = 0;
    for (int32_t r = 0; shape->region_material && r < mesh->region_count; r++) {
        int32_t material = shape->region_material[r] >= 0 ? shape->region_material[r] : shape->material;
        double volume = 0;
        for (int32_t e = 0; e < mesh->element_count; e++) {
            int32_t other = shape->region_material[mesh->region[e]];
            if ((other >= 0 ? other : shape->material) == material)
                volume += thaw_mesh_volume(mesh, e);
        }
        if (volume > most) {
            most = volume;
            best = material;
        }
    }
    return best;
}

// --- materials -------------------------------------------------------------------------------------------------------

static void examine_material(ThawExam *exam, const ThawMaterialDef *m) {
    if (m->young < SOFTEST || m->young > STIFFEST) {
        ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_WARNING, "odd-young", "material %.100s", m->name);
        int soft = m->young < SOFTEST;
        thaw_complaint_what(c, "young is %.6g Pa, %s", m->young,
                            soft ? "softer than any solid (table jelly has 1e4 Pa)" : "stiffer than diamond");
        if (soft)
            thaw_complaint_cure(c, "if it was meant in MPa write %.6ge6, if in GPa %.6ge9", m->young, m->young);
        else
            thaw_complaint_cure(c, "write it in Pa: steel has 2.1e11, rubber 1e6");
        thaw_complaint_value(c, m->young, "Pa");
    }
    if (m->density < LIGHTEST || m->density > HEAVIEST) {
        ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_WARNING, "odd-density", "material %.100s", m->name);
        int light = m->density < LIGHTEST;
        thaw_complaint_what(c, "density is %.6g kg/m^3, %s", m->density,
                            light ? "lighter than any foam (water has 1000)" : "heavier than any metal");
        if (light)
            thaw_complaint_cure(c, "if it was meant in g/cm^3 write %.6g", 1000 * m->density);
        else
            thaw_complaint_cure(c, "write it in kg/m^3: steel has 7850");
        thaw_complaint_value(c, m->density, "kg/m^3");
    }
    if (m->poisson > LOCKS_A_LITTLE + 1e-9) {
        ThawComplaint *c = thaw_exam_add(exam, m->poisson < LOCKS ? THAW_SEVERITY_HINT : THAW_SEVERITY_WARNING,
                                         "locking", "material %.100s", m->name);
        thaw_complaint_what(c,
                            "poisson is %.6g: linear elements that must keep their volume lock, and bend much less "
                            "than they should",
                            m->poisson);
        thaw_complaint_cure(c, "take 0.45, which still looks incompressible, or compare with a mesh twice as fine");
        thaw_complaint_value(c, m->poisson, "");
    }
}

static void examine_materials(ThawExam *exam, const ThawWorldDef *world, unsigned char *used) {
    for (int32_t s = 0; s < world->shape_count; s++) {
        const ThawShapeDef *shape = &world->shapes[s];
        double least = INFINITY, most = 0;
        for (int32_t r = 0; r < shape->mesh->region_count; r++) {
            int32_t own = shape->region_material ? shape->region_material[r] : -1;
            int32_t material = own >= 0 ? own : shape->material;
            used[material] = 1;
            least = fmin(least, world->materials[material].young);
            most = fmax(most, world->materials[material].young);
        }
        used[shape->material] |= !shape->region_material;
        if (most / least < CONTRAST)
            continue;
        ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_HINT, "contrast", "shape %.100s", shape->name);
        thaw_complaint_what(
            c,
            "its stiffest region is %.3g times as stiff as its softest: iterative solves take long, and "
            "the stiff part hardly deforms at all",
            most / least);
        thaw_complaint_cure(c, "a stiff region of about 1000 times the soft one's modulus behaves the same");
        thaw_complaint_value(c, most / least, "");
    }
    for (int32_t m = 0; m < world->material_count; m++) {
        if (used[m]) {
            examine_material(exam, &world->materials[m]);
            continue;
        }
        ThawComplaint *c =
            thaw_exam_add(exam, THAW_SEVERITY_HINT, "unused", "material %.100s", world->materials[m].name);
        thaw_complaint_what(c, "no shape uses it");
        thaw_complaint_cure(c, "remove it, or name it in a shape's \"material\" or \"regions\"");
    }
}

static void examine_gravity(ThawExam *exam, const ThawWorldDef *world) {
    double g = hypot(hypot(world->gravity[0], world->gravity[1]), world->gravity[2]);
    double up = world->gravity[world->dim - 1];
    if (g > 100) {
        ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_WARNING, "odd-gravity", "gravity");
        thaw_complaint_what(c, "it is %.6g m/s^2, %.3g times that of the earth", g, g / 9.81);
        thaw_complaint_cure(c, "write it in m/s^2, and lengths in m");
        thaw_complaint_value(c, g, "m/s^2");
    } else if (up > 0) {
        ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_HINT, "gravity-up", "gravity");
        thaw_complaint_what(c, "it points upwards (%c is up)", "xyz"[world->dim - 1]);
        thaw_complaint_cure(c, "change its sign, unless that is meant");
        thaw_complaint_value(c, up, "m/s^2");
    }
}

// --- time ------------------------------------------------------------------------------------------------------------

// s: how long a wave takes across the thinnest element. The gradient of a shape function is one by its altitude.
static double wave_transit(const ThawShape *shape, const ThawMaterialDef *materials) {
    int dim = shape->dim, rows = shape->cells->kind->nodes - 1;
    double shortest = INFINITY;
    for (int32_t e = 0; e < shape->ne; e++) {
        const double *gradient = shape->cells->gradient + (size_t)e * (size_t)(rows * dim);
        double first[3] = {0}, steepest = 0;
        for (int a = 0; a < rows; a++) {
            double square = 0;
            for (int k = 0; k < dim; k++) {
                square += gradient[a * dim + k] * gradient[a * dim + k];
                first[k] -= gradient[a * dim + k];
            }
            steepest = fmax(steepest, square);
        }
        steepest = fmax(steepest, thaw_v3_dot(first, first));
        shortest =
            fmin(shortest, 1 / (sqrt(steepest) * thaw_material_wave_speed(&materials[shape->cells->material[e]])));
    }
    return shortest;
}

double thaw_round_down(double x) {
    double power = pow(10, floor(log10(x))), digit = x / power;
    return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}

// Of critical damping, in the first mode.
static double damping_ratio(const ThawMaterialDef *material, double period) {
    double w = 2 * M_PI / period;
    return (material->alpha1 * w + material->alpha0 / w) / 2;
}

// The share of a vibration's energy that steps of h take in each period.
static double loss_of(const ThawScheme *scheme, double period, double h) {
    return 1 - thaw_scheme_energy_kept(scheme, 2 * M_PI * h / period, 2 * M_PI);
}

// The longest step with a small loss.
static double good_step(const ThawScheme *scheme, double period) {
    double low = 0, high = period / 4;
    for (int i = 0; i < 40; i++)
        *(loss_of(scheme, period, (low + high) / 2) > SMALL_LOSS ? &high : &low) = (low + high) / 2;
    return low;
}

// The integrator that needs least work to lose little, with the step for that.
static void tell_step(ThawComplaint *c, const ThawScene *scene, double period) {
    const ThawScheme *own = thaw_scheme(scene->world.integrator), *best = own;
    double least = INFINITY, step = 0;
    for (int i = 0; i < THAW_INTEGRATOR_COUNT; i++) {
        const ThawScheme *scheme = thaw_scheme((ThawIntegrator)i);
        const double good = fmin(good_step(scheme, period), scene->world.h), work = scheme->cost / good;
        if (work < least) {
            least = work;
            best = scheme;
            step = good < scene->world.h ? thaw_round_down(good) : good;
        }
    }
    const double more = best->cost / step / (own->cost / scene->world.h);
    if (best == own)
        thaw_complaint_cure(c, "with steps of %g s it loses about a tenth a swing, %.2g times the work", step, more);
    else
        thaw_complaint_cure(c,
                            "\"integrator\": \"%s\" in \"time\" with steps of %g s loses about a tenth a swing, %.2g "
                            "times the work",
                            best->name, step, more);
}

static void examine_step(ThawExam *exam, const ThawScene *scene, const ThawShape *shape, double period, double zeta) {
    const ThawScheme *scheme = thaw_scheme(scene->world.integrator);
    double h = scene->world.h, duration = (double)scene->steps * h;
    const double loss = loss_of(scheme, period, h), good = good_step(scheme, period);
    double transit = wave_transit(shape, scene->world.materials);
    if (h > period / 4) {
        ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_HINT, "step-blind", "shape %.100s", shape->name);
        thaw_complaint_what(c,
                            "its slowest vibration takes about %.2g s, less than four steps of %.6g s (a wave crosses "
                            "its thinnest element in %.2g s): it follows forces without swinging, like a nearly rigid "
                            "body",
                            period, h, transit);
        thaw_complaint_cure(c, "to see it vibrate, take steps of %g s or less; else leave it, the method is stable",
                            thaw_round_down(period / FINE_STEPS));
        thaw_complaint_value(c, period, "s");
    } else if (loss > LOSS && zeta < 1) {
        ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_HINT, "step-damps", "shape %.100s", shape->name);
        thaw_complaint_what(c,
                            "its first mode swings in about %.2g s. Steps of %.6g s "
                            "take %.0f %% of its energy in each swing, whatever the material's damping",
                            period, h, 100 * loss);
        tell_step(c, scene, period);
        thaw_complaint_value(c, loss, "of the energy");
    } else if (h < period / MANY_STEPS) {
        ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_HINT, "step-short", "shape %.100s", shape->name);
        thaw_complaint_what(c,
                            "its first mode swings in about %.2g s, that is in %.0f steps of %.6g s: very small ones",
                            period, period / h, h);
        thaw_complaint_cure(c, "steps of %g s would show the same motion",
                            thaw_round_down(fmin(good, period / FINE_STEPS)));
        thaw_complaint_value(c, h, "s");
    }
    if (duration < period / 2) {
        ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_HINT, "short-run", "shape %.100s", shape->name);
        thaw_complaint_what(c, "the run ends after %.4g s; one swing of its first mode takes about %.2g s", duration,
                            period);
        thaw_complaint_cure(c, "raise time.steps to %.0f or more to see it swing", ceil(2 * period / h));
        thaw_complaint_value(c, duration, "s");
    }
}

static void examine_damping(ThawExam *exam, const ThawMaterialDef *material, const char *shape, double period) {
    double zeta = damping_ratio(material, period);
    if (zeta < 1)
        return;
    ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_HINT, "overdamped", "shape %.100s", shape);
    thaw_complaint_what(c,
                        "the damping of %.60s (alpha0 %.4g 1/s, alpha1 %.4g s) is %.2g times what stops its first mode "
                        "(about %.2g s) from swinging: it creeps back to rest",
                        material->name, material->alpha0, material->alpha1, zeta, period);
    thaw_complaint_cure(c, "alpha1 of %.1g s would damp a swing by about a tenth", 0.1 * period / (M_PI * M_PI));
    thaw_complaint_value(c, zeta, "of critical damping");
}

// A column of this height is compressed at its foot by density g height / E; how a body stands is not known, so its
// longest side counts.
static void examine_weight(ThawExam *exam, const ThawWorldDef *world, const ThawMaterialDef *material,
                           const char *shape, const double size[3]) {
    double g = 0, height = fmax(fmax(size[0], size[1]), size[2]);
    for (int k = 0; k < world->dim; k++)
        g = hypot(g, world->gravity[k]);
    double strain = material->density * g * height / material->young;
    if (strain < WEIGHT_STRAIN)
        return;
    ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_WARNING, "too-soft", "shape %.100s", shape);
    thaw_complaint_what(c,
                        "a column of %.60s as high as its longest side, %.3g m, is strained by about %.0f %% under its "
                        "own weight: it collapses or "
                        "stretches beyond recognition",
                        material->name, height, 100 * strain);
    thaw_complaint_cure(c, "raise young to %.1g Pa or more, or make the body smaller (is its unit the metre?)",
                        10 * material->density * g * height);
    thaw_complaint_value(c, strain, "");
}

// --- output ----------------------------------------------------------------------------------------------------------

static void examine_output(ThawExam *exam, const ThawScene *scene) {
    ThawCost cost;
    thaw_scene_cost(scene, scene->steps, scene->frame_every, &cost);
    const double frames = cost.frames;
    int large = cost.disk > 2 * GIGABYTE, many = frames > 5000;
    if (scene->frames && (large || many)) {
        ThawComplaint *c = thaw_exam_add(exam, cost.disk > 50 * GIGABYTE ? THAW_SEVERITY_WARNING : THAW_SEVERITY_HINT,
                                         "much-output", "output.every");
        char rhythm[40] = "";
        if (scene->frame_every > 1)
            snprintf(rhythm, sizeof rhythm, "%lld steps", (long long)scene->frame_every);
        thaw_complaint_what(c, "a frame each %s makes %.0f frames, about %.*f GB in all",
                            scene->frame_every > 1 ? rhythm : "step", frames, cost.disk < 10 * GIGABYTE,
                            cost.disk / GIGABYTE);
        thaw_complaint_cure(c, "%.0f frames a second are enough to look at: \"every\": %.0f", 30.0,
                            fmax(1, round(1 / (30 * scene->world.h))));
        thaw_complaint_value(c, cost.disk, "bytes");
    }
    if (!scene->frames || scene->frame_every > scene->steps) {
        ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_HINT, "no-output", "output");
        thaw_complaint_what(c, "%s",
                            scene->frames ? "only the first frame is written: \"every\" is more than the steps"
                                          : "no frames are written: \"formats\" is empty");
        thaw_complaint_cure(c, "%s", scene->frames ? "lower \"every\"" : "add \"vtu\" to \"formats\"");
    }
}

// s, of the first mode of a body; NAN where it was looked for and there is none.
static double period_of(const ThawExam *exam, const ThawWorldDef *world, int32_t b, const double size[3]) {
    const ThawPatient *patient = &exam->report->patients[b];
    const ThawMaterialDef *material =
        &world->materials[thaw_shape_main_material(&world->shapes[world->bodies[b].shape])];
    return patient->measured ? patient->period
                             : thaw_period_estimate(material, world->dim, size, world->bodies[b].script_count > 0);
}

static void tell_changes(const ThawModelBody *body, ThawPatient *patient) {
    patient->changes = body->change_count;
    patient->change_time = body->change_count > 0 ? body->changes[0].time : 0;
    patient->removed = body->removed;
    patient->copied = body->copies;
}

void thaw_exam_world(ThawExam *exam, const ThawScene *scene, const ThawModel *model) {
    const ThawWorldDef *world = &scene->world;
    unsigned char *used = exam->status ? NULL : THAW_NEW(unsigned char, world->material_count + world->shape_count);
    if (!used) {
        thaw_exam_memory(exam, "the doctor's notes");
        return;
    }
    examine_materials(exam, world, used);
    examine_gravity(exam, world);
    unsigned char *placed = used + world->material_count;
    for (int32_t b = 0; b < world->body_count; b++)
        placed[world->bodies[b].shape] = 1;
    for (int32_t s = 0; s < world->shape_count; s++) {
        const ThawShapeDef *shape = &world->shapes[s];
        if (!placed[s]) {
            ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_HINT, "unused", "shape %.100s", shape->name);
            thaw_complaint_what(c, "no body uses it");
            thaw_complaint_cure(c, "remove it, or place it with a body");
            continue;
        }
        double lo[3], hi[3], size[3], period = NAN; // of the first body of it
        thaw_mesh_box_of(shape->mesh, lo, hi);
        for (int k = 0; k < 3; k++)
            size[k] = hi[k] - lo[k];
        for (int32_t b = 0; b < world->body_count; b++)
            if (world->bodies[b].shape == s) {
                tell_changes(&model->bodies[b], &exam->report->patients[b]);
                exam->report->patients[b].mass = model->shapes[s]->total_mass;
                exam->report->patients[b].period = period_of(exam, world, b, size);
                period = isnan(period) ? exam->report->patients[b].period : period;
            }
        if (thaw_mesh_is_sheet(shape->mesh)) {
            thaw_exam_sheet(exam, scene, shape);
            continue;
        }
        const ThawMaterialDef *material = &world->materials[thaw_shape_main_material(shape)];
        if (thaw_exam_gives_way(model, world, s))
            examine_step(exam, scene, model->shapes[s], period, damping_ratio(material, period));
        if (world->h <= period / 4) // else it cannot swing anyway, as was told
            examine_damping(exam, material, shape->name, period);
        examine_weight(exam, world, material, shape->name, size);
    }
    examine_output(exam, scene);
    thaw_exam_cost(exam, scene);
    thaw_free(used);
}
