// SPDX-License-Identifier: Apache-2.0
// What a run holds, moves and pushes, with the number of vertices: the quickest way to see that a box has missed its
// vertices, or caught too many. And, after it, which bodies have not come to rest.
#include <math.h>
#include <stdio.h>

#include "base/base.h"
#include "run.h"
#include "step/step.h"

enum { SHOWN = 8 }; // groups; a thousand bodies need not be listed

typedef struct Line {
    const ThawWorld *world;
    int count;
    const char *verb; // the last one that was printed
} Line;

static void print_group(Line *line, const char *verb, const ThawModelBody *body, const ThawGroup *group) {
    if (line->count++ >= SHOWN)
        return;
    printf("%s", line->count == 1 ? "" : line->verb == verb ? ", " : "; ");
    if (line->verb != verb)
        printf("%s ", verb);
    line->verb = verb;
    if (line->world->model->body_count > 1)
        printf("%s/", body->name);
    printf("%s (%d %s)", group->name, (int)group->count, group->count == 1 ? "vertex" : "vertices");
}

void app_print_groups(const ThawWorld *world) {
    static const char *const verbs[] = {"pinned:", "moved:", "pushed:"};
    const ThawModel *model = world->model;
    Line line = {.world = world};
    for (int what = 0; what < 3; what++)
        for (int32_t b = 0; b < model->body_count; b++) {
            const ThawModelBody *body = &model->bodies[b];
            for (int32_t i = 0; what < 2 && i < body->script_count; i++)
                if ((body->scripts[i].key_count > 0) == what)
                    print_group(&line, verbs[what], body, body->scripts[i].group);
            for (int32_t i = 0; what == 2 && i < body->load_count; i++)
                print_group(&line, verbs[what], body, body->loads[i].group);
        }
    if (line.count > SHOWN)
        printf(" and %d more", line.count - SHOWN);
    if (line.count)
        printf("\n");
}

// m/s, of its fastest vertex; 0 of what scripts move.
static double speed_of(const ThawWorld *world, int32_t b) {
    const ThawModelBody *body = &world->model->bodies[b];
    const int dim = world->model->dim;
    const int32_t nv = thaw_world_vertex_count(world, b);
    double square = 0, *v = THAW_NEW(double, dim *(size_t)nv);
    int moved = 0;
    for (int32_t i = 0; i < body->script_count; i++)
        moved |= body->scripts[i].key_count > 1;
    if (v && !moved && thaw_world_get_velocities(world, b, v) == THAW_OK)
        for (int32_t i = 0; i < nv; i++) {
            const double *a = v + (size_t)dim * (size_t)i;
            square = fmax(square, a[0] * a[0] + a[1] * a[1] + (dim == 3 ? a[2] * a[2] : 0));
        }
    thaw_free(v);
    return sqrt(square);
}

void app_print_moving(const ThawWorld *world) {
    static const double REST = 0.01; // of its diameter in a second, as what falls asleep
    int32_t count = 0, fastest = 0;
    double most = 0;
    for (int32_t b = 0; b < world->model->body_count; b++) {
        const double speed = thaw_world_is_asleep(world, b) ? 0 : speed_of(world, b);
        if (!(speed > REST * world->model->bodies[b].shape->diameter))
            continue;
        count++;
        fastest = speed > most ? b : fastest;
        most = fmax(most, speed);
    }
    if (count == 1)
        printf("  %s still moves, at up to %.2g m/s; to see it come to rest, raise time.steps\n",
               world->model->bodies[fastest].name, most);
    else if (count > 1)
        printf("  %d of %d bodies still move, %s fastest, at up to %.2g m/s; to see them come to rest, raise "
               "time.steps\n",
               (int)count, (int)world->model->body_count, world->model->bodies[fastest].name, most);
}
