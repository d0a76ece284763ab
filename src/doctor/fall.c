// SPDX-License-Identifier: Apache-2.0
// What catches a body that nothing holds: an obstacle on its way, or another body below that is itself held or caught;
// and which bodies start inside an obstacle.
//
// Some points of the body fly along their parabola x + v t + g t^2 / 2. From a point at distance d to the nearest
// obstacle nothing can be met before |v| s + |g| s^2 / 2 = d, so that is the next moment to look at: a few dozen
// distances a point. Other bodies are met by their boxes, until nothing changes. Turning, bouncing and rolling off are
// not foreseen.
#include "doctor/doctor.h"

#include <math.h>
#include <string.h>

#include "contact/contact.h"
#include "math/vec3.h"
#include "model/attachment.h"
#include "model/joint.h"

enum { POINTS = 50, FEW_POINTS = 4, LOOKS = 200 }; // of a body, and with obstacles by the thousand; of a point
enum { FEW_BODIES = 200, FEW_OBSTACLES = 100 };    // whose first landings are looked at
static const double FALLS_FAR = 3;                 // diameters during the run
static const double ARRIVES = 1e-3;                // of the diameter: as near as this is there
static const double MOST_PAIRS = 1e8;              // of bodies that are held against each other

typedef struct Falls {
    ThawExam *exam;
    const ThawScene *scene;
    const ThawModel *model;
    ThawCollider *collider;
    double *x;             // dim * vertex_count, where all vertices start
    double *box;           // 6 for each body: lo, hi; z is 0 in 2D
    unsigned char *caught; // body_count
    int32_t *queue;        // body_count: those that are caught, in the order in which that was found
    double gravity[3], g;  // m/s^2
    double duration;       // s, of the run
} Falls;

static int place_bodies(Falls *f) {
    const ThawModel *model = f->model;
    const size_t dim = (size_t)model->dim;
    f->x = THAW_NEW(double, dim *(size_t)model->vertex_count);
    f->box = THAW_NEW(double, 6 * (size_t)model->body_count);
    f->caught = THAW_NEW(unsigned char, model->body_count);
    f->queue = THAW_NEW(int32_t, model->body_count);
    if (!f->x || !f->box || !f->caught || !f->queue)
        return 0;
    for (int32_t b = 0; b < model->body_count; b++) {
        const ThawModelBody *body = &model->bodies[b];
        double *box = f->box + 6 * (size_t)b, *x = f->x + dim * (size_t)body->first_vertex;
        for (size_t v = 0; v < (size_t)body->shape->nv; v++)
            thaw_body_place(body, model->dim, body->shape->X + dim * v, x + dim * v);
        for (size_t k = 0; k < dim; k++) {
            box[k] = INFINITY;
            box[3 + k] = -INFINITY;
            for (size_t v = 0; v < (size_t)body->shape->nv; v++) {
                box[k] = fmin(box[k], x[dim * v + k]);
                box[3 + k] = fmax(box[3 + k], x[dim * v + k]);
            }
        }
    }
    return 1;
}

// The least distance to an obstacle that the body may touch.
static double obstacle_distance(const Falls *f, int32_t b, double t, const double x[3]) {
    double least = INFINITY, normal[3], velocity[3];
    for (int32_t o = 0; o < f->model->obstacle_count; o++)
        if (thaw_model_may_touch(f->model, b, -1 - o, &(ThawTouch){0}))
            least = fmin(least, thaw_obstacle_distance(f->collider, o, t, x, normal, velocity));
    return least;
}

// A point that flies with the body until an obstacle is nearer than `stop`: whether that happens, when and how fast.
static int fly(const Falls *f, int32_t b, const double start[3], double stop, double *time, double speed[3]) {
    const ThawModelBody *body = &f->model->bodies[b];
    double t = 0;
    for (int look = 0; look < LOOKS && t <= f->duration; look++) {
        double x[3] = {0};
        for (int k = 0; k < 3; k++)
            speed[k] = 0;
        for (int k = 0; k < f->model->dim; k++) {
            x[k] = start[k] + t * body->velocity[k] + t * t / 2 * f->gravity[k];
            speed[k] = body->velocity[k] + t * f->gravity[k];
        }
        const double d = obstacle_distance(f, b, t, x) - stop, u = thaw_v3_norm(speed);
        *time = t;
        if (d < ARRIVES * body->shape->diameter)
            return 1;
        if (d == INFINITY)
            break;
        t += (sqrt(u * u + 2 * f->g * d) - u) / f->g;
    }
    return 0;
}

static int meets_obstacle(const Falls *f, int32_t b) {
    const ThawModelBody *body = &f->model->bodies[b];
    const int32_t stride = body->shape->nv / (f->model->obstacle_count > 1000 ? FEW_POINTS : POINTS) + 1;
    for (int32_t v = 0; v < body->shape->nv; v += stride) {
        double time, speed[3];
        if (fly(f, b, f->x + (size_t)f->model->dim * (size_t)(body->first_vertex + v), 0, &time, speed))
            return 1;
    }
    return 0;
}

// Its centre, until it is as near to an obstacle as its smallest extent lets it be. Returns whether it gets there.
static int find_arrival(const Falls *f, int32_t b, ThawArrival *arrival) {
    const double *box = f->box + 6 * (size_t)b;
    double centre[3] = {0}, x[3] = {0}, velocity[3], nearest = INFINITY, reach = INFINITY;
    for (int k = 0; k < f->model->dim; k++) {
        centre[k] = (box[k] + box[3 + k]) / 2;
        reach = fmin(reach, (box[3 + k] - box[k]) / 2);
    }
    if (!fly(f, b, centre, reach, &arrival->time, arrival->speed))
        return 0;
    for (int k = 0; k < f->model->dim; k++)
        x[k] = centre[k] + arrival->time * (f->model->bodies[b].velocity[k] + arrival->time / 2 * f->gravity[k]);
    for (int32_t o = 0; o < f->model->obstacle_count; o++) {
        double normal[3] = {0};
        ThawTouch touch;
        if (!thaw_model_may_touch(f->model, b, -1 - o, &touch))
            continue;
        const double d = thaw_obstacle_distance(f->collider, o, arrival->time, x, normal, velocity);
        if (d >= nearest)
            continue;
        nearest = d;
        arrival->friction = touch.friction;
        arrival->restitution = touch.restitution;
        memcpy(arrival->normal, normal, sizeof normal);
    }
    return nearest < INFINITY;
}

// Whether the other body's box is on this one's way until then, in the direction of gravity and of the first velocity.
static int falls_on(const Falls *f, int32_t b, int32_t other, double until) {
    const double *mine = f->box + 6 * (size_t)b, *its = f->box + 6 * (size_t)other, *v = f->model->bodies[b].velocity;
    if (!thaw_model_may_touch(f->model, b, other, &(ThawTouch){0}))
        return 0;
    for (int look = 0; look <= LOOKS; look++) {
        const double t = until * look / LOOKS;
        int meets = 1;
        for (int k = 0; k < f->model->dim; k++) {
            const double moved = t * v[k] + t * t / 2 * f->gravity[k];
            meets &= mine[k] + moved <= its[3 + k] && mine[3 + k] + moved >= its[k];
        }
        if (meets)
            return 1;
    }
    return 0;
}

// What is held to an obstacle or a frame is caught, and so are two bodies of which one is that are held to each other.
static void catch_attached(Falls *f) {
    for (int found = 1; found;) {
        found = 0;
        for (int32_t i = 0; i < f->model->attachment_count; i++) {
            const ThawAttachment *a = &f->model->attachments[i];
            const int caught = f->caught[a->body] || a->other < 0 || f->caught[a->other];
            if (!caught || (f->caught[a->body] && (a->other < 0 || f->caught[a->other])))
                continue;
            f->caught[a->body] = found = 1;
            if (a->other >= 0)
                f->caught[a->other] = 1;
        }
    }
}

// A joint to the world holds all of a skeleton, and what catches one bone catches the others.
static void catch_skeletons(Falls *f) {
    for (int32_t b = 0; b < f->model->body_count; b++) {
        const ThawModelBody *moved = thaw_model_moved(f->model, b);
        if (!moved->skeleton || f->model->bodies[b].moved == 0)
            continue;
        int caught = moved->skeleton->anchored;
        for (int32_t i = b; i < b + moved->moved; i++)
            caught |= f->caught[i];
        memset(f->caught + b, caught, (size_t)moved->moved);
    }
}

static void find_caught(Falls *f) {
    const int touches = !f->scene->world.contact.disabled;
    int32_t n = f->model->body_count;
    for (int32_t b = 0; b < n; b++)
        f->caught[b] = f->exam->report->patients[b].held > 0 || (touches && meets_obstacle(f, b));
    catch_skeletons(f);
    catch_attached(f);
    // Each that is caught catches others, once. Of tens of thousands of bodies only so many are followed.
    int32_t count = 0;
    double left = MOST_PAIRS;
    for (int32_t b = 0; b < n && touches; b++)
        if (f->caught[b])
            f->queue[count++] = b;
    for (int32_t i = 0; i < count && left > 0; i++, left -= n)
        for (int32_t b = 0; b < n; b++)
            if (!f->caught[b] && falls_on(f, b, f->queue[i], f->duration)) {
                f->caught[b] = 1;
                f->queue[count++] = b;
            }
    catch_skeletons(f);
    catch_attached(f);
    if (left <= 0)
        memset(f->caught, 1, sizeof *f->caught * (size_t)n);
}

static void complain_fall(const Falls *f, int32_t b) {
    const double diameter = f->model->bodies[b].shape->diameter, fall = f->g * f->duration * f->duration / 2;
    const int floors = f->scene->world.obstacle_count > 0 && !f->scene->world.contact.disabled;
    if (!(fall > FALLS_FAR * diameter))
        return;
    ThawComplaint *c = thaw_exam_add(f->exam, THAW_SEVERITY_WARNING, "falls", "body %.100s", f->model->bodies[b].name);
    thaw_complaint_what(c, "nothing holds it%s: it falls freely, %.3g m in the %.3g s of the run (it is %.3g m large)",
                        floors ? ", and no obstacle is on its way" : "", fall, f->duration, diameter);
    thaw_complaint_cure(c,
                        "put a floor under it (\"obstacles\": [{\"plane\": {\"normal\": %s}}]), pin a group of it "
                        "(\"pins\": [...]), or set \"gravity\" to zeros",
                        f->model->dim == 3 ? "[0, 0, 1]" : "[0, 1]");
    thaw_complaint_value(c, fall, "m");
}

// What is attached goes its own way only once that lets go, and what meets another body first lands on that.
static int goes_alone(const Falls *f, int32_t b, const ThawArrival *arrival) {
    for (int32_t i = 0; i < f->model->attachment_count; i++) {
        const ThawAttachment *a = &f->model->attachments[i];
        if ((a->body == b || a->other == b) && a->release_time > 0)
            return 0;
    }
    for (int32_t other = 0; other < f->model->body_count; other++)
        if (other != b && falls_on(f, b, other, arrival->time))
            return 0;
    return 1;
}

// Bodies in each other are told by overlap.c, with vertices.
static ThawStatus examine_starts(const Falls *f, ThawError *error) {
    ThawTasks *tasks = NULL;
    ThawOverlap *overlaps = NULL;
    int32_t count = 0;
    ThawStatus status = thaw_tasks_create(1, &tasks, error);
    if (!status)
        status = thaw_contacts_overlaps(f->collider, tasks, 0, f->x, &overlaps, &count, error);
    for (int32_t i = 0; !status && i < count; i++) {
        if (thaw_exam_is_attached(f->model, overlaps[i].body[0], overlaps[i].body[1])) {
            thaw_exam_attached_overlap(f->exam, f->model, &overlaps[i]);
            continue;
        }
        if (overlaps[i].body[1] >= 0)
            continue;
        ThawComplaint *c = thaw_exam_add(f->exam, THAW_SEVERITY_WARNING, "in-obstacle", "body %.60s, obstacle %.60s",
                                         f->model->bodies[overlaps[i].body[0]].name,
                                         f->model->obstacles[-1 - overlaps[i].body[1]].name);
        thaw_complaint_what(c, "it starts inside the obstacle, %.3g m deep, and is pushed out with force",
                            overlaps[i].depth);
        thaw_complaint_cure(c, "move one of them by %.3g m or more", overlaps[i].depth);
        thaw_complaint_value(c, overlaps[i].depth, "m");
    }
    thaw_free(overlaps);
    thaw_tasks_free(&tasks);
    return status;
}

void thaw_exam_falls(ThawExam *exam, const ThawScene *scene, const ThawModel *model) {
    if (exam->status)
        return;
    ThawError error = {0};
    Falls f = {.exam = exam, .scene = scene, .model = model, .duration = (double)scene->steps * scene->world.h};
    for (int k = 0; k < model->dim; k++)
        f.gravity[k] = scene->world.gravity[k];
    f.g = thaw_v3_norm(f.gravity);
    ThawStatus status = place_bodies(&f) ? thaw_collider_create(model, &f.collider, &error)
                                         : thaw_error_memory(&error, "the bodies' places");
    if (!status)
        status = examine_starts(&f, &error);
    if (status) {
        thaw_exam_fail(exam, status, &error);
    } else if (f.g > 0) {
        find_caught(&f);
        for (int32_t b = 0; b < model->body_count; b++)
            if (!f.caught[b])
                complain_fall(&f, b);
        const int few = model->obstacle_count <= FEW_OBSTACLES && !scene->world.contact.disabled;
        const int32_t looked = (int32_t)fmin(FEW_BODIES, MOST_PAIRS / LOOKS / model->body_count);
        for (int32_t b = 0; b < model->body_count && b < looked && few && !exam->status; b++) {
            ThawArrival arrival;
            if (exam->report->patients[b].held == 0 && find_arrival(&f, b, &arrival) && goes_alone(&f, b, &arrival))
                thaw_exam_motion(exam, scene, model, b, &arrival);
        }
    }
    thaw_collider_free(&f.collider);
    thaw_free(f.x);
    thaw_free(f.box);
    thaw_free(f.caught);
    thaw_free(f.queue);
}
