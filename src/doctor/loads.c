// SPDX-License-Identifier: Apache-2.0
// What holds, moves and pushes the bodies: groups that select everything or serve nothing, pins that leave a body free
// to turn or that hold all of it, scripts that jump or outrun sound, forces that never act, and speeds that look like
// slips. Linear in vertices and keys of each body.
//
// A set of held vertices stops all rigid motion when it spans a plane (in 2D a line): one point leaves every turn, a
// line leaves the turn about itself. The span is measured by the vertex farthest from the first, and then by the one
// farthest from the line through both.
#include "doctor/doctor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/vec3.h"

static const double MOSTLY_HELD = 0.5; // share of the vertices
static const double SPIN_LOSS = 0.05;  // of it, in the run: more is told
static const double FLAT = 1e-6;       // of the diameter: what counts as one point or one line

typedef struct Case {
    ThawExam *exam;
    const ThawScene *scene;
    const ThawBodyDef *def;
    const ThawModelBody *body;
    const ThawShape *shape;
    const ThawMaterialDef *material; // what most of it is made of
    double c;                        // m/s, speed of waves in it
    double duration;                 // s, of the run
    int dim;
    unsigned char *held; // nv, by internal id: how many pins and scripts hold it at the start, up to 2
    int32_t held_count;
} Case;

static double length(int dim, const double *x) {
    double a[3];
    thaw_v3_load(dim, x, a);
    return thaw_v3_norm(a);
}

// Where a vertex starts.
static void start_of(const Case *c, int32_t vertex, double x[3]) {
    x[2] = 0;
    thaw_body_place(c->body, c->dim, c->shape->X + (size_t)c->dim * (size_t)vertex, x);
}

static const char *group_name(const Case *c, int32_t group) { return c->shape->groups[group].name; }

static void blame_vertex(ThawComplaint *complaint, const Case *c, int32_t vertex) {
    double x[3];
    start_of(c, vertex, x);
    complaint->ids_of = "vertex";
    thaw_finding_add(&complaint->found, c->shape->vertex_user[vertex]);
    thaw_complaint_place(complaint, c->dim, x);
}

// --- groups ----------------------------------------------------------------------------------------------------------

static void examine_groups(ThawExam *exam, const ThawScene *scene, const ThawModel *model) {
    for (int32_t s = 0; s < scene->world.shape_count; s++) {
        const ThawShapeDef *shape = &scene->world.shapes[s];
        for (int32_t g = 0; g < shape->group_count; g++) {
            const ThawGroupDef *group = &shape->groups[g];
            int used = 0;
            for (int32_t i = 0; i < scene->world.attachment_count && !used; i++) {
                const ThawAttachmentDef *attachment = &scene->world.attachments[i];
                used = scene->world.bodies[attachment->body].shape == s && attachment->group == g;
                used |= attachment->other_group == g && scene->world.bodies[attachment->other_body].shape == s;
            }
            for (int32_t b = 0; b < scene->world.body_count && !used; b++) {
                const ThawBodyDef *body = &scene->world.bodies[b];
                for (int32_t i = 0; i < body->script_count; i++)
                    used |= body->shape == s && body->scripts[i].group == g;
                for (int32_t i = 0; i < body->force_count; i++)
                    used |= body->shape == s && body->forces[i].group == g;
                for (int32_t i = 0; i < body->change_count; i++)
                    used |= body->shape == s && body->changes[i].group == g;
                for (int32_t i = 0; i < body->carried_count; i++)
                    used |= body->shape == s && body->carried[i].group == g;
            }
            if (!used) {
                ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_HINT, "unused", "shape %.60s, group %.60s",
                                                 shape->name, group->name);
                thaw_complaint_what(c, "no pin, script, force, change or attachment uses it");
                thaw_complaint_cure(c, "remove it, or name it in a body's \"pins\", \"scripts\" or \"forces\"");
            } else if (model->shapes[s]->groups[g].count == model->shapes[s]->nv && group->select != THAW_SELECT_ALL) {
                ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_WARNING, "selects-all", "shape %.60s, group %.60s",
                                                 shape->name, group->name);
                thaw_complaint_what(c, "it selects every vertex of the mesh (%d)", model->shapes[s]->nv);
                thaw_complaint_cure(c, "make its box, sphere or plane tighter; if all are meant, write \"all\"");
                thaw_complaint_value(c, model->shapes[s]->nv, "vertices");
            }
        }
    }
}

// --- pins ------------------------------------------------------------------------------------------------------------

// The dimension of what the held vertices span, -1 without any; *first is one of them, and far leads from it to the one
// farthest from it, m.
static int held_span(const Case *c, int32_t *first, double far[3]) {
    double origin[3] = {0}, x[3], farthest = 0, widest = 0;
    memset(far, 0, 3 * sizeof *far);
    *first = -1;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t v = 0; v < c->shape->nv; v++) {
            if (!c->held[v])
                continue;
            start_of(c, v, x);
            if (*first < 0) {
                *first = v;
                memcpy(origin, x, sizeof origin);
            }
            double d[3] = {x[0] - origin[0], x[1] - origin[1], x[2] - origin[2]}, along = 0;
            if (pass == 0 && thaw_v3_norm(d) > farthest) {
                farthest = thaw_v3_norm(d);
                memcpy(far, d, sizeof d);
            }
            for (int k = 0; k < 3 && pass == 1 && farthest > 0; k++)
                along += d[k] * far[k] / farthest;
            if (pass == 1)
                widest = fmax(widest, sqrt(fmax(0, thaw_v3_dot(d, d) - along * along)));
        }
    double flat = FLAT * c->shape->diameter;
    return *first < 0 ? -1 : farthest <= flat ? 0 : widest <= flat ? 1 : 2;
}

static void examine_held(const Case *c) {
    int32_t first, moving = 0;
    double far[3], until = 0; // s, when the first pin lets go
    int span = held_span(c, &first, far);
    for (int32_t i = 0; i < c->body->script_count; i++) {
        moving += c->body->scripts[i].key_count > 1;
        if (c->body->scripts[i].release > 0)
            until = until > 0 ? fmin(until, c->body->scripts[i].release) : c->body->scripts[i].release;
    }
    if (span < 0 || until < c->duration) // what is let go during the run is held for that long only
        return;
    double share = (double)c->held_count / c->shape->nv;
    if (share == 1 && !moving) {
        ThawComplaint *complaint =
            thaw_exam_add(c->exam, THAW_SEVERITY_WARNING, "held-whole", "body %.100s", c->def->name);
        thaw_complaint_what(complaint, "all %d vertices are pinned: nothing of it can move", c->shape->nv);
        thaw_complaint_cure(complaint, "pin a smaller group");
        thaw_complaint_value(complaint, share, "of the vertices");
    } else if (share > MOSTLY_HELD && share < 1) {
        ThawComplaint *complaint =
            thaw_exam_add(c->exam, THAW_SEVERITY_HINT, "held-mostly", "body %.100s", c->def->name);
        thaw_complaint_what(complaint, "%d of %d vertices are pinned or scripted: only a small part can deform",
                            c->held_count, c->shape->nv);
        thaw_complaint_cure(complaint, "pin a smaller group, if more of it should move");
        thaw_complaint_value(complaint, share, "of the vertices");
    } else if (span < c->dim - 1 && length(c->dim, c->scene->world.gravity) > 0) {
        ThawComplaint *complaint =
            thaw_exam_add(c->exam, THAW_SEVERITY_HINT, "held-loosely", "body %.100s", c->def->name);
        thaw_complaint_what(complaint, "it is held %s: it swings like a pendulum%s",
                            span == 0 ? "at one point only" : "along one line only",
                            span == 0 ? ", and a single vertex stretches the elements round it" : "");
        thaw_complaint_cure(complaint, "pin a group that spans %s, if it should stay upright",
                            c->dim == 3 ? "a face" : "an edge");
        thaw_complaint_value(complaint, c->held_count, "vertices");
        blame_vertex(complaint, c, first);
    }
}

static void examine_contested(const Case *c) {
    ThawFinding found = {0};
    int32_t first = -1;
    for (int32_t v = c->shape->nv; v-- > 0;)
        if (c->held[v] > 1) {
            thaw_finding_add(&found, c->shape->vertex_user[v]);
            first = v;
        }
    if (!found.count)
        return;
    ThawComplaint *complaint = thaw_exam_add(c->exam, THAW_SEVERITY_WARNING, "held-twice", "body %.100s", c->def->name);
    thaw_complaint_what(complaint,
                        "%lld vertices belong to more than one pin or script at once: they follow the last one",
                        (long long)found.count);
    thaw_complaint_cure(complaint, "make the groups disjoint, or order them so that the right one comes last");
    thaw_complaint_value(complaint, (double)found.count, "vertices");
    blame_vertex(complaint, c, first);
    complaint->found = found;
}

// A piece of the mesh that nothing holds, while others are held.
static void examine_loose_pieces(const Case *c) {
    const ThawMesh *mesh = c->scene->world.shapes[c->def->shape].mesh;
    int32_t *piece = THAW_NEW(int32_t, mesh->vertex_count), count = 0, loose = 0, first = -1;
    unsigned char *held = NULL;
    ThawError error = {0};
    ThawStatus status = piece ? thaw_mesh_pieces(mesh, piece, &count, &error) : thaw_error_memory(&error, "pieces");
    if (!status && !(held = THAW_NEW(unsigned char, count)))
        status = thaw_error_memory(&error, "pieces");
    if (status) {
        thaw_exam_fail(c->exam, status, &error);
    } else if (count > 1) {
        for (int32_t v = 0; v < c->shape->nv; v++)
            held[piece[c->shape->vertex_user[v]]] |= c->held[v];
        for (int32_t v = c->shape->nv; v-- > 0;)
            if (!held[piece[c->shape->vertex_user[v]]])
                first = v;
        for (int32_t i = 0; i < count; i++)
            loose += !held[i];
    }
    if (loose > 0 && loose < count) {
        ThawComplaint *complaint =
            thaw_exam_add(c->exam, THAW_SEVERITY_WARNING, "piece-falls", "body %.100s", c->def->name);
        thaw_complaint_what(complaint, "%d of the %d pieces of its mesh are held by nothing and fall off", loose,
                            count);
        thaw_complaint_cure(complaint, "join the pieces in the mesh, or pin each of them");
        thaw_complaint_value(complaint, loose, "pieces");
        blame_vertex(complaint, c, first);
    }
    thaw_free(piece);
    thaw_free(held);
}

// --- scripts ---------------------------------------------------------------------------------------------------------

static void apply_key(const ThawScript *script, const ThawKey *key, int dim, const double *start, double x[3]) {
    ThawPose pose;
    x[2] = 0;
    memcpy(pose.centre, script->centre, sizeof pose.centre);
    memcpy(pose.translation, key->translation, sizeof pose.translation);
    memcpy(pose.rotation, key->rotation, sizeof pose.rotation);
    thaw_pose_apply(&pose, dim, start, x);
}

// How far the group's fastest vertex is moved from one key to the next (from NULL: from where it starts).
static double key_distance(const Case *c, const ThawScript *script, const ThawKey *from, const ThawKey *to,
                           int32_t *vertex) {
    double farthest = -1;
    for (int32_t i = 0; i < script->group->count; i++) {
        double start[3], a[3], b[3];
        start_of(c, script->group->vertices[i], start);
        memcpy(a, start, sizeof a);
        if (from)
            apply_key(script, from, c->dim, start, a);
        apply_key(script, to, c->dim, start, b);
        for (int k = 0; k < 3; k++)
            b[k] -= a[k];
        if (length(c->dim, b) > farthest) {
            farthest = length(c->dim, b);
            *vertex = script->group->vertices[i];
        }
    }
    return farthest;
}

static void examine_jump(const Case *c, const ThawScript *script, int32_t index) {
    int32_t vertex = 0;
    double jump = key_distance(c, script, NULL, &script->keys[0], &vertex);
    if (!(jump > FLAT * c->shape->diameter))
        return;
    ThawComplaint *complaint = thaw_exam_add(
        c->exam, jump > 0.01 * c->shape->diameter ? THAW_SEVERITY_WARNING : THAW_SEVERITY_HINT, "script-jumps",
        "body %.60s, script %d (group %.60s)", c->def->name, index, group_name(c, c->def->scripts[index].group));
    thaw_complaint_what(complaint,
                        "its first key is not where the group starts: in the first step it jumps by %.3g m (%.2g of "
                        "the body's size)",
                        jump, jump / c->shape->diameter);
    thaw_complaint_cure(complaint, "begin with {\"time\": 0} and move on from there, or place the body where the "
                                   "first key wants it");
    thaw_complaint_value(complaint, jump, "m");
    blame_vertex(complaint, c, vertex);
}

static void examine_keys(const Case *c, const ThawScript *script, int32_t index) {
    double fastest = 0;
    int32_t at = 0, where = 0;
    for (int32_t k = 1; k < script->key_count; k++) {
        int32_t vertex = 0;
        double distance = key_distance(c, script, &script->keys[k - 1], &script->keys[k], &vertex);
        // A key that comes within the step is reached at its end at the earliest.
        double time = fmax(script->keys[k].time - script->keys[k - 1].time, c->scene->world.h);
        double speed = distance / time * (script->interpolation == THAW_INTERPOLATE_SMOOTH ? 1.5 : 1);
        if (speed > fastest) {
            fastest = speed;
            at = k;
            where = vertex;
        }
    }
    const char *group = group_name(c, c->def->scripts[index].group);
    if (fastest > c->c) {
        ThawComplaint *complaint = thaw_exam_add(c->exam, THAW_SEVERITY_WARNING, "script-outruns-sound",
                                                 "body %.60s, script %d (group %.60s)", c->def->name, index, group);
        thaw_complaint_what(complaint,
                            "towards key %d (at %.6g s) it moves at %.3g m/s, faster than waves run in %.40s (%.3g "
                            "m/s): the body cannot follow, elements at the group are crushed",
                            at, script->keys[at].time, fastest, c->material->name, c->c);
        thaw_complaint_cure(complaint, "give it %.2g times as long, or put the keys nearer to each other",
                            ceil(5 * fastest / c->c));
        thaw_complaint_value(complaint, fastest, "m/s");
        blame_vertex(complaint, c, where);
    }
    double last = script->keys[script->key_count - 1].time, end = fmin(script->release, c->duration);
    if (script->key_count > 1 && last > end + c->scene->world.h) {
        ThawComplaint *complaint = thaw_exam_add(c->exam, THAW_SEVERITY_HINT, "keys-not-reached",
                                                 "body %.60s, script %d (group %.60s)", c->def->name, index, group);
        thaw_complaint_what(complaint, "its last key is at %.6g s, but %s at %.6g s", last,
                            script->release < c->duration ? "it lets go" : "the run ends", end);
        thaw_complaint_cure(complaint, script->release < c->duration ? "raise \"release\", or drop the later keys"
                                                                     : "raise time.steps, or drop the later keys");
        thaw_complaint_value(complaint, last, "s");
    }
}

static void examine_scripts(const Case *c) {
    for (int32_t i = 0; i < c->body->script_count; i++) {
        const ThawScript *script = &c->body->scripts[i];
        if (script->key_count > 0) {
            examine_jump(c, script, i);
            examine_keys(c, script, i);
        }
        if (isfinite(script->release) && script->release >= c->duration) {
            ThawComplaint *complaint =
                thaw_exam_add(c->exam, THAW_SEVERITY_HINT, "never-released", "body %.60s, group %.60s", c->def->name,
                              group_name(c, c->def->scripts[i].group));
            thaw_complaint_what(complaint, "it is let go at %.6g s, but the run ends at %.6g s", script->release,
                                c->duration);
            thaw_complaint_cure(complaint, "raise time.steps to more than %.0f",
                                ceil(script->release / c->scene->world.h));
            thaw_complaint_value(complaint, script->release, "s");
        }
    }
}

// --- changes of the shape --------------------------------------------------------------------------------------------

// A change happens at the end of the first step that comes to its time.
static void examine_changes(const Case *c) {
    for (int32_t i = 0; i < c->def->change_count; i++) {
        const double time = c->def->changes[i].time;
        if (!(time > c->duration + c->scene->world.h / 2))
            continue;
        ThawComplaint *complaint = thaw_exam_add(c->exam, THAW_SEVERITY_HINT, "changes-not-reached",
                                                 "body %.60s, changes[%d]", c->def->name, (int)i);
        thaw_complaint_what(complaint, "it happens at %.6g s, but the run ends at %.6g s", time, c->duration);
        thaw_complaint_cure(complaint, "raise time.steps to %.0f or more", ceil(time / c->scene->world.h));
        thaw_complaint_value(complaint, time, "s");
    }
}

// --- forces ----------------------------------------------------------------------------------------------------------

// Why a force does nothing; NULL when it acts.
static const char *why_idle(const Case *c, const ThawLoad *load) {
    int32_t free = 0;
    for (int32_t i = 0; i < load->group->count; i++)
        free += !c->held[load->group->vertices[i]];
    if (length(c->dim, load->value) == 0 && load->kind != THAW_FORCE_WIND) // air that stands still brakes
        return "it is zero";
    if (load->from >= c->duration)
        return "it begins after the end of the run";
    if (load->to - load->from < c->scene->world.h)
        return "its window is shorter than a step, and may fall between two";
    int32_t lets_go = 0;
    for (int32_t i = 0; i < c->body->script_count; i++)
        lets_go |= c->body->scripts[i].release < c->duration;
    return free || lets_go ? NULL : "every vertex of its group is pinned or scripted";
}

static void examine_force(const Case *c, int32_t index) {
    const ThawLoad *load = &c->body->loads[index];
    const char *group = group_name(c, c->def->forces[index].group), *idle = why_idle(c, load);
    if (idle) {
        ThawComplaint *complaint = thaw_exam_add(c->exam, THAW_SEVERITY_WARNING, "idle-force",
                                                 "body %.60s, force %d (group %.60s)", c->def->name, index, group);
        thaw_complaint_what(complaint, "it has no effect: %s (from %.6g s to %.6g s; the run ends at %.6g s)", idle,
                            load->from, load->to, c->duration);
        thaw_complaint_cure(complaint, "change its value, window or group, or remove it");
        thaw_complaint_value(complaint, length(c->dim, load->value),
                             load->kind == THAW_FORCE_ACCELERATION ? "m/s^2" : "N");
        return;
    }
    double total = length(c->dim, load->value), volume = c->shape->total_mass / c->material->density;
    total *= load->kind == THAW_FORCE_PER_VERTEX     ? load->group->count
             : load->kind == THAW_FORCE_ACCELERATION ? load->group->mass
                                                     : 1;
    // Spread over the mean cross-section volume / diameter, it strains the body by:
    double strain = total * c->shape->diameter / (volume * c->material->young);
    if (strain > 1 && load->kind != THAW_FORCE_WIND) {
        ThawComplaint *complaint = thaw_exam_add(c->exam, THAW_SEVERITY_WARNING, "huge-force",
                                                 "body %.60s, force %d (group %.60s)", c->def->name, index, group);
        thaw_complaint_what(complaint,
                            "%.4g N on %.3g kg of %.40s, %.2g times its weight: spread over its whole cross-section "
                            "that is a strain of %.2g",
                            total, c->shape->total_mass, c->material->name, total / (9.81 * c->shape->total_mass),
                            strain);
        thaw_complaint_cure(complaint,
                            "forces are in newtons: its weight is %.3g N, and %.2g N would stretch it by a "
                            "tenth",
                            9.81 * c->shape->total_mass, 0.1 * total / strain);
        thaw_complaint_value(complaint, total, "N");
    }
    if (load->ramp > load->to - load->from) {
        ThawComplaint *complaint = thaw_exam_add(c->exam, THAW_SEVERITY_HINT, "ramp-unfinished",
                                                 "body %.60s, force %d (group %.60s)", c->def->name, index, group);
        thaw_complaint_what(complaint,
                            "its ramp of %.6g s is longer than its window of %.6g s: it only reaches %.0f %%",
                            load->ramp, load->to - load->from, 100 * (load->to - load->from) / load->ramp);
        thaw_complaint_cure(complaint, "shorten \"ramp\", or raise \"to\"");
        thaw_complaint_value(complaint, load->ramp, "s");
    }
}

static void examine_forces(const Case *c) {
    for (int32_t i = 0; i < c->body->load_count; i++) {
        examine_force(c, i);
        const ThawLoad *a = &c->body->loads[i];
        for (int32_t k = 0; k < i; k++) {
            const ThawLoad *b = &c->body->loads[k];
            if (a->group != b->group || a->kind != b->kind || a->from != b->from || a->to != b->to ||
                memcmp(a->value, b->value, sizeof a->value) != 0)
                continue;
            ThawComplaint *complaint =
                thaw_exam_add(c->exam, THAW_SEVERITY_HINT, "force-twice", "body %.60s, force %d (group %.60s)",
                              c->def->name, i, group_name(c, c->def->forces[i].group));
            thaw_complaint_what(complaint, "it is the same as force %d: both act", k);
            thaw_complaint_cure(complaint, "remove one of them, unless twice the force is meant");
            break;
        }
    }
}

// --- speeds ----------------------------------------------------------------------------------------------------------

static void examine_speed(const Case *c) {
    double spin = thaw_v3_norm(c->body->spin), rim = spin * c->shape->diameter / 2;
    double speed = fmax(length(c->dim, c->body->velocity), rim);
    if (speed > c->c) {
        ThawComplaint *complaint =
            thaw_exam_add(c->exam, THAW_SEVERITY_WARNING, "too-fast", "body %.100s", c->def->name);
        if (rim == speed)
            thaw_complaint_what(
                complaint,
                "spinning at %.4g rad/s its rim moves at %.3g m/s, faster than waves run in %.40s (%.3g "
                "m/s): it is torn apart",
                spin, rim, c->material->name, c->c);
        else
            thaw_complaint_what(complaint, "it starts at %.4g m/s, faster than waves run in %.40s (%.3g m/s)", speed,
                                c->material->name, c->c);
        thaw_complaint_cure(complaint, "%s",
                            rim == speed ? "\"spin\" is in rad/s: one turn a second is 6.28"
                                         : "\"velocity\" is in m/s: is it what you meant?");
        thaw_complaint_value(complaint, speed, "m/s");
    } else if (spin * c->scene->world.h > M_PI / 2) {
        ThawComplaint *complaint =
            thaw_exam_add(c->exam, THAW_SEVERITY_WARNING, "turns-too-far", "body %.100s", c->def->name);
        thaw_complaint_what(complaint, "it turns by %.3g degrees in each step: far too much for one step",
                            spin * c->scene->world.h * 180 / M_PI);
        thaw_complaint_cure(complaint, "\"spin\" is in rad/s; or take steps of %.2g s", 0.1 / spin);
        thaw_complaint_value(complaint, spin, "rad/s");
    }
}

// --- spins and swings ------------------------------------------------------------------------------------------------

// How a body turns, and what of it is lost to steps and damping (docs/elastic.md).
typedef struct Turning {
    double omega;    // rad/s, at its fastest
    double duration; // s: a turn at that speed which would lose as much as all of the run
    double gyration; // m^2, square of the radius of gyration about its axis
    double own;      // rad/s, of small swings; 0: it does not swing
} Turning;

// The part of a that is across a unit axis.
static void across(const double axis[3], double a[3]) {
    double along = thaw_v3_dot(a, axis);
    for (int k = 0; k < 3; k++)
        a[k] -= along * axis[k];
}

static void mass_centre(const Case *c, double centre[3]) {
    double mass = 0, sum[3] = {0}, x[3];
    for (int32_t v = 0; v < c->shape->nv; v++) {
        start_of(c, v, x);
        mass += c->shape->mass[v];
        for (int k = 0; k < 3; k++)
            sum[k] += c->shape->mass[v] * x[k];
    }
    for (int k = 0; k < 3; k++)
        centre[k] = sum[k] / mass;
}

// About the line through a point along a unit axis.
static double gyration(const Case *c, const double point[3], const double axis[3]) {
    double mass = 0, sum = 0, x[3];
    for (int32_t v = 0; v < c->shape->nv; v++) {
        start_of(c, v, x);
        for (int k = 0; k < 3; k++)
            x[k] -= point[k];
        across(axis, x);
        mass += c->shape->mass[v];
        sum += c->shape->mass[v] * thaw_v3_dot(x, x);
    }
    return sum / mass;
}

// A spin in free flight. Returns whether there is one.
static int find_spin(const Case *c, Turning *turning) {
    double axis[3], centre[3];
    memcpy(axis, c->body->spin, sizeof axis);
    if (c->held_count || !(thaw_v3_unit(axis) > 0))
        return 0;
    mass_centre(c, centre);
    *turning = (Turning){thaw_v3_norm(c->body->spin), c->duration, gyration(c, centre, axis), 0};
    return 1;
}

// A body that hangs on a point or a line swings: omega^2 k^2 / 2 is what its centre falls from where it starts to where
// it is lowest, times g. The mean of cos^4 over a swing is 3/8. Returns whether there is one, a quarter of it at least.
static int find_swing(const Case *c, Turning *turning) {
    int32_t first;
    double axis[3], pivot[3], arm[3], g[3] = {0};
    int span = held_span(c, &first, axis);
    if (span < 0 || span >= c->dim - 1)
        return 0;
    for (int32_t i = 0; i < c->body->script_count; i++)
        if (c->body->scripts[i].key_count > 1 || c->body->scripts[i].release < c->duration)
            return 0;
    memcpy(g, c->scene->world.gravity, (size_t)c->dim * sizeof *g);
    start_of(c, first, pivot);
    mass_centre(c, arm);
    for (int k = 0; k < 3; k++)
        arm[k] -= pivot[k];
    if (span == 0) // about the horizontal across its arm, in 2D about the normal
        thaw_v3_cross(arm, g, axis);
    if (!(thaw_v3_unit(axis) > 0))
        return 0;
    across(axis, arm);
    across(axis, g);
    double all = thaw_v3_norm(arm) * thaw_v3_norm(g), fall = all - thaw_v3_dot(arm, g);
    double square = gyration(c, pivot, axis);
    *turning = (Turning){sqrt(2 * fall / square), 3.0 / 8 * c->duration, square, sqrt(all / square)};
    return fall > FLAT * all && c->duration * sqrt(all / square) > M_PI / 2;
}

double thaw_spin_loss_rate(const ThawMaterialDef *m, double gyration_square, const ThawScheme *scheme, double h,
                           double brake) {
    if (scheme->follows)
        return 0;
    const double breathing = 2 * m->young / ((1 - m->poisson) * m->density * gyration_square); // (rad/s)^2
    const double resisted = (scheme->newton ? 0 : h) + m->alpha1;
    return (h + brake) * (1 + breathing * h * resisted / 2);
}

// The share of its speed that is left after the run by steps of h: omega' = -rate omega^3. Moving frames keep a turn,
// but torques are those of the integrator: a swing loses what a vibration does (large ones, which are slower, less).
static double speed_left(const Case *c, const Turning *turning, const ThawScheme *scheme, double h, double brake) {
    double angle;
    if (scheme->follows && turning->own > 0)
        return pow(scheme->vibrate(turning->own * h, &angle), c->duration / h);
    const double rate = thaw_spin_loss_rate(c->material, turning->gyration, scheme, h, brake);
    return 1 / sqrt(1 + 2 * rate * turning->omega * turning->omega * turning->duration);
}

static void examine_turning(const Case *c) {
    const ThawMaterialDef *m = c->material;
    const ThawScheme *scheme = thaw_scheme(c->scene->world.integrator);
    const double h = c->scene->world.h;
    char other[100], text[24];
    double keeps = h;
    Turning t;
    const int spins = find_spin(c, &t);
    if (!spins && !find_swing(c, &t))
        return;
    double by_step = speed_left(c, &t, scheme, h, 0), by_both = speed_left(c, &t, scheme, h, m->alpha1);
    while (speed_left(c, &t, scheme, keeps, 0) < 1 - SPIN_LOSS)
        keeps /= 2;
    if (keeps < h) {
        // A rigid part that spins has formed under the tension of its spin, which brakes it as much. One that swings
        // has formed at any moment of a swing, and keeps more: how much is not known before.
        const int adaptive = thaw_method_at(c->body->method)->has_parts,
                  spared = adaptive && !spins && !scheme->follows;
        ThawComplaint *complaint =
            thaw_exam_add(c->exam, by_step < 0.5 && !spared ? THAW_SEVERITY_WARNING : THAW_SEVERITY_HINT,
                          spins ? "spin-lost" : "swing-lost", "body %.100s", c->def->name);
        thaw_complaint_what(complaint,
                            "steps of %.4g s slow its %s %.4g rad/s%s: %s%s of that speed would be left after the "
                            "%.3g s of the run%s",
                            h, spins ? "spin of" : "swings of up to", t.omega,
                            spared              ? " while it is elastic"
                            : adaptive && spins ? " (rigid parts too, by the stress in them)"
                                                : "",
                            spins ? "in free flight " : "", thaw_percent_text(text, by_step), c->duration,
                            spared ? " by the full method; as a rigid part it keeps more" : "");
        snprintf(other, sizeof other, "write \"integrator\": \"%s\" into \"time\", which %s, or ",
                 thaw_scheme_in_frames(spins ? 1 : 2)->name, spins ? "keeps all of it" : "hardly takes any of it");
        thaw_complaint_cure(complaint, "%stake steps of %g s", other, thaw_round_down(keeps));
        thaw_complaint_value(complaint, by_step, spins ? "of the spin" : "of the swing");
    }
    if (spins && !thaw_scheme_is_viscous(c->scene->world.integrator, m->damping) &&
        by_both < (1 - SPIN_LOSS) * by_step) {
        ThawComplaint *complaint =
            thaw_exam_add(c->exam, THAW_SEVERITY_HINT, "spin-damped", "body %.100s", c->def->name);
        thaw_complaint_what(complaint,
                            "alpha1 of %.40s, %.4g s, slows its spin of %.4g rad/s as well: in free flight %s of it "
                            "would be left after the %.3g s of the run",
                            m->name, m->alpha1, t.omega, thaw_percent_text(text, by_both), c->duration);
        thaw_complaint_cure(complaint,
                            "\"damping\": \"viscous\" in the material damps strain only, and leaves the spin");
        thaw_complaint_value(complaint, by_both, "of the spin");
    }
}

void thaw_exam_loads(ThawExam *exam, const ThawScene *scene, const ThawModel *model) {
    const ThawWorldDef *world = &scene->world;
    examine_groups(exam, scene, model);
    for (int32_t b = 0; b < world->body_count && !exam->status; b++) {
        const ThawShapeDef *shape = &world->shapes[world->bodies[b].shape];
        Case c = {.exam = exam,
                  .scene = scene,
                  .def = &world->bodies[b],
                  .body = &model->bodies[b],
                  .shape = model->bodies[b].shape,
                  .material = &world->materials[thaw_shape_main_material(shape)],
                  .duration = (double)scene->steps * world->h,
                  .dim = world->dim,
                  .held = THAW_NEW(unsigned char, model->bodies[b].shape->nv)};
        if (!c.held) {
            thaw_exam_memory(exam, "the doctor's notes");
            return;
        }
        c.c = thaw_material_wave_speed(c.material);
        for (int32_t i = 0; i < c.body->script_count; i++) {
            const ThawGroup *group = c.body->scripts[i].group;
            for (int32_t k = 0; k < group->count && c.body->scripts[i].release > 0; k++)
                c.held[group->vertices[k]] += c.held[group->vertices[k]] < 2;
        }
        for (int32_t v = 0; v < c.shape->nv; v++)
            c.held_count += c.held[v] > 0;
        exam->report->patients[b].held = c.held_count;
        examine_held(&c);
        examine_contested(&c);
        examine_loose_pieces(&c);
        examine_scripts(&c);
        examine_changes(&c);
        examine_forces(&c);
        examine_speed(&c);
        examine_turning(&c);
        thaw_free(c.held);
    }
}
