// SPDX-License-Identifier: Apache-2.0
// What a run holds, moves and pushes, with the number of vertices: the quickest way to see that a box has missed its
// vertices, or caught too many.
#include <stdio.h>

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
