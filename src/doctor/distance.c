// SPDX-License-Identifier: Apache-2.0
// Bodies far from the origin: doubles have 16 digits, so at a million kilometres they are a tenth of a micron apart.
// What a step computes are differences of positions, strains among them; where the spacing is above 1e-6 of an
// element's edge, strains of that size are noise, and adaptive methods take them for motion.
#include <float.h>
#include <math.h>

#include "doctor/doctor.h"
#include "mesh/far.h"

static const double DIGITS = 1e-6; // spacing of doubles over an edge

// The mesh's reach as the body has it: edges keep their length when it is turned and moved.
static ThawReach reach_of(const ThawWorldDef *world, const ThawBodyDef *body, ThawReach mesh) {
    const double *p = body->position;
    double square = 0, far = 0;
    for (int k = 0; k < 3; k++) {
        const double side = fmax(fabs(mesh.low[k]), fabs(mesh.high[k]));
        square += k < world->dim ? side * side : 0;
        far = fmax(far, k < world->dim ? fabs(p[k]) : 0);
    }
    mesh.largest = far > 0 ? far + sqrt(square) : mesh.largest;
    return mesh;
}

static ThawReach reach_of_mesh(const ThawMesh *mesh) {
    ThawReach r = {.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
    double square = INFINITY;
    for (int64_t i = 0; i < (int64_t)mesh->vertex_count * mesh->dim; i++) {
        r.low[i % mesh->dim] = fmin(r.low[i % mesh->dim], mesh->x[i]);
        r.high[i % mesh->dim] = fmax(r.high[i % mesh->dim], mesh->x[i]);
        r.largest = fmax(r.largest, fabs(mesh->x[i]));
    }
    for (int64_t e = 0; e < mesh->element_count; e++)
        for (int a = 0; a < mesh->nodes; a++)
            for (int b = 0; b < a; b++) {
                double d = 0;
                for (int k = 0; k < mesh->dim; k++) {
                    const double *x = mesh->x + k;
                    const double side = x[(int64_t)mesh->dim * mesh->elements[e * mesh->nodes + a]] -
                                        x[(int64_t)mesh->dim * mesh->elements[e * mesh->nodes + b]];
                    d += side * side;
                }
                square = fmin(square, d);
            }
    r.shortest = sqrt(square);
    return r;
}

// One complaint of each kind, about the first body that gives rise to it.
void thaw_exam_distance(ThawExam *exam, const ThawScene *scene) {
    const ThawWorldDef *world = &scene->world;
    ThawReach *meshes = exam->status ? NULL : THAW_NEW(ThawReach, world->shape_count);
    int told_floats = 0, told_doubles = 0;
    if (!meshes) {
        thaw_exam_memory(exam, "the doctor's notes");
        return;
    }
    for (int32_t s = 0; s < world->shape_count; s++)
        meshes[s] = reach_of_mesh(world->shapes[s].mesh);
    for (int32_t b = 0; b < world->body_count; b++) {
        const ThawBodyDef *body = &world->bodies[b];
        const ThawReach reach = reach_of(world, body, meshes[body->shape]);
        const int lost = reach.largest * DBL_EPSILON > DIGITS * reach.shortest;
        if (lost && !told_doubles++) {
            ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_WARNING, "few-digits", "body %.100s", body->name);
            thaw_complaint_what(
                c,
                "coordinates reach %.3g m, where numbers are %.1g m apart; its shortest edge is %.3g m, "
                "so strains below %.0g are noise",
                reach.largest, reach.largest * DBL_EPSILON, reach.shortest,
                reach.largest * DBL_EPSILON / reach.shortest);
            thaw_complaint_cure(c, "move the whole scene (bodies, obstacles, keys) so that it lies around the origin");
            thaw_complaint_value(c, reach.largest, "m");
        } else if (!lost && thaw_reach_is_far(&reach) && !told_floats++) {
            ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_HINT, "far-away", "body %.100s", body->name);
            thaw_complaint_what(
                c,
                "coordinates reach %.3g m, where single precision has steps of %.1g m; its shortest edge "
                "is %.3g m. Frames have doubles then, pages and other exports count from a point nearby",
                reach.largest, reach.largest * (double)FLT_EPSILON, reach.shortest);
            thaw_complaint_cure(
                c, "nothing, unless another program reads the frames as floats; else move the scene to the "
                   "origin");
            thaw_complaint_value(c, reach.largest, "m");
        }
    }
    thaw_free(meshes);
}
