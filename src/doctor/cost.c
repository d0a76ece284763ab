// SPDX-License-Identifier: Apache-2.0
// What a run will take, about: memory, time, room on the disk. From counts alone, before anything is made; within a
// factor of three for most scenes, which is enough to tell a minute from a day.
//
// Measured on one core of a machine of 2023: 0.7 kB and 2 us (a step) an element by the full method, 30 kB and 20 us a
// body; by other integrators than the cheapest as many times that as their entries say (registry/scheme.h). Adaptive
// bodies take less time, as much less as there is at rest, which is not known before. Nor how much will touch, and how
// hard it is to find the forces: 27 cubes that lie on each other take 2 to 5 times as long, and with hard contact up to
// 100 times. So where things can touch this is said to be without it.
#include <math.h>
#include <stdio.h>

#include "doctor/doctor.h"
#include "step/method.h"
#include "thaw/field.h"

static const double PROGRAM = 8e6, BODY = 30e3, ELEMENT = 700, OBSTACLE = 8e3; // bytes
static const double BODY_STEP = 20e-6, ELEMENT_STEP = 2e-6;                    // s
static const double GIGABYTE = 1e9, DAY = 86400;

// Bytes that the fields of a frame take for a vertex or an element, as output/vtu.c writes them with 32-bit numbers.
static double field_bytes(int adaptive, int touching, ThawFieldPlace place) {
    double bytes = 0;
    for (int32_t i = 0; i < thaw_field_count(); i++) {
        const ThawField *field = thaw_field(i);
        const int shown = field->use == THAW_FIELD_ALWAYS || (field->use == THAW_FIELD_TOUCHING && touching) ||
                          (field->use == THAW_FIELD_ADAPTIVE && adaptive);
        bytes += shown && field->place == place ? field->components * (field->category_count > 0 ? 1 : 4) : 0;
    }
    return bytes;
}

// Bytes of a frame of one body. VTU: places and bodies of vertices, connectivity, offset and type of cells, and the
// fields; skins as text or bytes.
static double frame_bytes(unsigned formats, double vertex_bytes, double element_bytes, const ThawMesh *mesh) {
    double v = mesh->vertex_count, e = mesh->element_count, bytes = 0;
    double skin = mesh->dim == 3 ? fmin(v, 4 * pow(v, 2.0 / 3)) : v; // vertices; twice as many triangles
    bytes += formats & THAW_FRAMES_VTU ? (16 + vertex_bytes) * v + (4 * mesh->nodes + 9 + element_bytes) * e : 0;
    bytes += formats & THAW_FRAMES_OBJ ? (35 + 2 * 22) * skin : 0;
    bytes += formats & THAW_FRAMES_PLY ? (16 + 2 * 13) * skin : 0;
    return bytes;
}

// Whether bodies of the method have fields of elements that are rigid.
static int explains(const char *method) {
    const int index = thaw_method_index(method);
    return index >= 0 && thaw_method_at(index)->ops->explain;
}

void thaw_scene_cost(const ThawScene *scene, int64_t steps, int64_t every, ThawCost *cost) {
    const ThawWorldDef *world = &scene->world;
    const int touching = !world->contact.disabled && world->body_count + world->obstacle_count > 1;
    double elements = 0, bytes = scene->frames & THAW_FRAMES_VTU ? 3500 + 30.0 * world->obstacle_count : 0; // of tags
    int adaptive = 0;
    for (int32_t b = 0; b < world->body_count; b++)
        adaptive |= explains(world->bodies[b].method);
    const double vertex_bytes = field_bytes(adaptive, touching, THAW_FIELD_VERTEX),
                 element_bytes = field_bytes(adaptive, touching, THAW_FIELD_ELEMENT);
    for (int32_t b = 0; b < world->body_count; b++) {
        const ThawMesh *mesh = world->shapes[world->bodies[b].shape].mesh;
        elements += mesh->element_count;
        bytes += frame_bytes(scene->frames, vertex_bytes, element_bytes, mesh);
    }
    *cost = (ThawCost){.frames = floor((double)steps / (double)(every > 0 ? every : 1)) + 1};
    cost->disk = cost->frames * bytes;
    cost->memory = PROGRAM + BODY * world->body_count + ELEMENT * elements + OBSTACLE * world->obstacle_count;
    cost->seconds = (double)steps * (BODY_STEP * world->body_count + ELEMENT_STEP * elements) *
                    thaw_scheme(world->integrator)->cost;
    cost->touching = touching;
}

void thaw_cost_duration(double seconds, char text[40]) {
    static const struct {
        double least, unit;
        const char *name;
    } units[] = {{2 * 365.25 * DAY, 365.25 * DAY, "years"},
                 {2 * DAY, DAY, "days"},
                 {7200, 3600, "hours"},
                 {120, 60, "minutes"},
                 {0, 1, "seconds"}};
    size_t i = 0;
    while (seconds < units[i].least)
        i++;
    snprintf(text, 40, "%.0f %s", ceil(seconds / units[i].unit), units[i].name);
}

void thaw_exam_cost(ThawExam *exam, const ThawScene *scene) {
    ThawCost cost;
    char duration[40];
    thaw_scene_cost(scene, scene->steps, scene->frame_every, &cost);
    exam->report->disk = scene->frames ? cost.disk : 0;
    exam->report->memory = cost.memory;
    exam->report->seconds = cost.seconds;
    exam->report->touching = cost.touching;
    if (cost.memory > 4 * GIGABYTE) {
        ThawComplaint *c = thaw_exam_add(exam, cost.memory > 32 * GIGABYTE ? THAW_SEVERITY_WARNING : THAW_SEVERITY_HINT,
                                         "much-memory", "scene");
        thaw_complaint_what(c, "%d bodies, %d obstacles and their elements take about %.0f GB of memory",
                            (int)scene->world.body_count, (int)scene->world.obstacle_count, cost.memory / GIGABYTE);
        thaw_complaint_cure(c, "coarser meshes, or fewer bodies: one of several pieces takes less than several bodies");
        thaw_complaint_value(c, cost.memory, "bytes");
    }
    if (cost.seconds > DAY / 8) {
        ThawComplaint *c = thaw_exam_add(exam, cost.seconds > 7 * DAY ? THAW_SEVERITY_WARNING : THAW_SEVERITY_HINT,
                                         "long-run", "time.steps");
        thaw_cost_duration(cost.seconds, duration);
        thaw_complaint_what(
            c, "%lld steps take about %s of one core where all is elastic%s; less with several, or at rest",
            (long long)scene->steps, duration, cost.touching ? ", and several times that where much touches" : "");
        char sleepers[200];
        thaw_method_say_sleepers(" or ", sleepers, sizeof sleepers);
        thaw_complaint_cure(c, "fewer \"steps\", coarser meshes, or the method %s for what rests", sleepers);
        thaw_complaint_value(c, cost.seconds, "s");
    }
}
