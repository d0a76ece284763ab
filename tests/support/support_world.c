// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/world.h"

ThawWorld *make_world(const char *text, int threads) {
    ThawScene *scene = NULL;
    ThawWorld *world = NULL;
    ThawError error = {0};
    if (thaw_scene_parse(text, strlen(text), "scene", NULL, &scene, &error) != THAW_OK)
        fail_msg("%s", error.message);
    scene->world.threads = threads;
    if (thaw_world_create(&scene->world, &world, &error) != THAW_OK)
        fail_msg("%s", error.message);
    thaw_scene_free(&scene);
    return world;
}

void step_world(ThawWorld *world, ThawStepStats *stats) {
    ThawError error = {0};
    if (thaw_world_step(world, stats, &error) != THAW_OK)
        fail_msg("%s", error.message);
}
