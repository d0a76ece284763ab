// SPDX-License-Identifier: Apache-2.0
// Balls and discs of facets. A ball that is a mesh lies on a facet like a die: on a slope it tips over the facet's edge
// once its centre is beyond that, at an angle of rho / R for a facet of inner radius rho, and it rolls in jolts, each
// of which costs speed. Measured (E 2e7, R 0.1 m, from rest): 819 elements stay on 4 degrees and roll on 6 (told: 5.3),
// 306 stay on 6 and roll on 9, 3049 stay on 2 and roll on 4; it depends on the facet. What is so soft that it flattens
// over several facets (Hertz) rolls like a ball. Cost: a pass over the elements of each shape.
#include <math.h>
#include <string.h>

#include "doctor/doctor.h"

static const double ROUND = 0.03;                 // of the radius, that vertices of the surface may be off
static const double COARSE = 0.7;                 // of the radius: with longer edges it is no ball but a block
static const double STAYS = 3 * 3.14159265 / 180; // rad: slopes on which it may stay without a finding
enum { VERTICES = 20 };                           // on the surface, at least

typedef struct Ball {
    double radius; // m, mean
    double edge;   // m, mean, of the surface
    int vertices;  // on the surface
} Ball;

static void centre_of(const ThawShape *shape, double centre[3]) {
    const int dim = shape->dim;
    memset(centre, 0, 3 * sizeof *centre);
    for (int32_t v = 0; v < shape->nv; v++)
        for (int k = 0; k < dim; k++)
            centre[k] += shape->mass[v] / shape->total_mass * shape->X[(size_t)v * (size_t)dim + (size_t)k];
}

static double apart(const double *a, const double *b, int dim) {
    double square = 0;
    for (int k = 0; k < dim; k++)
        square += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(square);
}

// Marks vertices of the surface, and measures its edges: each twice in 3D, once in 2D, which the mean does not see.
static void look_at_surface(const ThawShape *shape, unsigned char *outside, Ball *ball) {
    const int nodes = shape->cells->kind->nodes, dim = shape->dim;
    double sum = 0;
    int64_t count = 0;
    for (int32_t e = 0; e < shape->ne; e++)
        for (int a = 0; a < nodes; a++) {
            const int32_t *vertex = shape->cells->elements + (size_t)e * (size_t)nodes;
            if (shape->across[(size_t)e * (size_t)nodes + (size_t)a] >= 0)
                continue;
            for (int i = 0; i < nodes; i++)
                for (int j = i + 1; j < nodes; j++)
                    if (i != a && j != a) {
                        sum += apart(shape->X + (size_t)vertex[i] * (size_t)dim,
                                     shape->X + (size_t)vertex[j] * (size_t)dim, dim);
                        count++;
                        outside[vertex[i]] = outside[vertex[j]] = 1;
                    }
        }
    ball->edge = count > 0 ? sum / (double)count : 0;
}

// Whether it is one.
static int is_ball(const ThawShape *shape, unsigned char *outside, Ball *ball) {
    const size_t dim = (size_t)shape->dim;
    double centre[3], least = INFINITY, most = 0, sum = 0;
    memset(outside, 0, (size_t)shape->nv);
    look_at_surface(shape, outside, ball);
    centre_of(shape, centre);
    ball->vertices = 0;
    for (size_t v = 0; v < (size_t)shape->nv; v++) {
        if (!outside[v])
            continue;
        const double r = apart(shape->X + v * dim, centre, (int)dim);
        least = fmin(least, r);
        most = fmax(most, r);
        sum += r;
        ball->vertices++;
    }
    ball->radius = ball->vertices > 0 ? sum / ball->vertices : 0;
    return ball->vertices >= VERTICES && most - least < ROUND * ball->radius && ball->edge < COARSE * ball->radius;
}

double thaw_shape_ball_radius(const ThawShape *shape) {
    unsigned char *outside = THAW_NEW(unsigned char, shape->nv);
    Ball ball;
    if (!outside)
        return -1;
    const int round = is_ball(shape, outside, &ball);
    thaw_free(outside);
    return round ? ball.radius : 0;
}

// m, of the patch on which it lies on a hard plane under gravity. In the plane the width of a line contact is that of a
// disc of its thickness.
static double patch_of(const ThawShape *shape, const ThawMaterialDef *material, double g, double radius) {
    const double stiffness = material->young / (1 - material->poisson * material->poisson);
    const double force = shape->total_mass * g;
    return shape->dim == 3 ? cbrt(3 * force * radius / (4 * stiffness)) : sqrt(4 * force * radius / (M_PI * stiffness));
}

static void complain(ThawExam *exam, const ThawShapeDef *def, const ThawShape *shape, const Ball *ball, double angle) {
    ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_HINT, "rolls-on-facets", "shape %.100s", def->name);
    thaw_complaint_what(
        c,
        "it is round, of facets with edges of %.2g m, %.2g of its radius: it lies on them like a die, may stay "
        "on slopes of up to about %.2g degrees, and rolls in jolts that cost speed",
        ball->edge, ball->edge / ball->radius, angle * 180 / M_PI);
    thaw_complaint_cure(c,
                        "\"smooth\": 60 in the shape rolls as a round one does; or a finer mesh: with about %.0f "
                        "elements it stays on 3 degrees at most",
                        shape->ne * pow(angle / STAYS, shape->dim));
    thaw_complaint_value(c, angle * 180 / M_PI, "degrees");
}

void thaw_exam_round(ThawExam *exam, const ThawScene *scene, const ThawModel *model) {
    const ThawWorldDef *world = &scene->world;
    const double *g = world->gravity, weight = sqrt(g[0] * g[0] + g[1] * g[1] + (world->dim == 3 ? g[2] * g[2] : 0));
    if (exam->status || world->contact.disabled || world->body_count + world->obstacle_count < 2 || !(weight > 0))
        return;
    unsigned char *seen = THAW_NEW(unsigned char, world->shape_count);
    for (int32_t b = 0; seen && b < world->body_count && !exam->status; b++) {
        const int32_t index = world->bodies[b].shape;
        const ThawShape *shape = model->bodies[b].shape;
        if (seen[index] || exam->report->patients[b].held > 0 || world->shapes[index].smooth > 0)
            continue;
        seen[index] = 1;
        unsigned char *outside = THAW_NEW(unsigned char, shape->nv);
        Ball ball;
        if (!outside) {
            thaw_exam_memory(exam, "the doctor's notes");
            break;
        }
        const ThawMaterialDef *material = &world->materials[thaw_shape_main_material(&world->shapes[index])];
        if (is_ball(shape, outside, &ball)) {
            const double inner = shape->dim == 3 ? ball.edge / (2 * sqrt(3)) : ball.edge / 2;
            if (inner > STAYS * ball.radius && patch_of(shape, material, weight, ball.radius) < inner)
                complain(exam, &world->shapes[index], shape, &ball, inner / ball.radius);
        }
        thaw_free(outside);
    }
    if (!seen)
        thaw_exam_memory(exam, "the doctor's notes");
    thaw_free(seen);
}
