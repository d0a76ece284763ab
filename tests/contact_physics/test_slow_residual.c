// SPDX-License-Identifier: Apache-2.0
// Every scene that comes with the program: no step leaves a complementarity residual above the scene's tolerance. Long
// scenes and large ones are followed as far as a fixed number of elements and steps allows.
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "thaw/thaw.h"

static const double WORK = 1e6; // elements times steps

static int is_scene(const struct dirent *entry) {
    size_t length = strlen(entry->d_name);
    return length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0;
}

// How many steps left a residual above the tolerance.
static int follow(const char *name) {
    char path[1000];
    ThawScene *scene = NULL;
    ThawWorld *world = NULL;
    ThawError error = {0};
    snprintf(path, sizeof path, "%s/scenes/%s", THAW_SOURCE_DIR, name);
    if (thaw_scene_load(path, &scene, &error) != THAW_OK || thaw_world_create(&scene->world, &world, &error) != THAW_OK)
        fail_msg("%s: %s", name, error.message);
    int64_t elements = 0, steps = scene->steps, left = 0, contacts = 0, iterations = 0;
    for (int32_t i = 0; i < scene->world.body_count; i++)
        elements += thaw_world_element_count(world, i);
    steps = (double)steps * (double)elements > WORK ? (int64_t)(WORK / (double)elements) : steps;
    double worst = 0;
    for (int64_t i = 0; i < steps; i++) {
        ThawStepStats stats;
        if (thaw_world_step(world, &stats, &error) != THAW_OK)
            fail_msg("%s: %s", name, error.message);
        worst = stats.response_residual > worst ? stats.response_residual : worst;
        left += stats.response_residual > scene->world.contact.tolerance;
        contacts += stats.contacts;
        iterations += stats.response_iterations;
    }
    double n = steps > 0 ? (double)steps : 1;
    printf("%-20s %5lld steps, %6.1f contacts and %5.1f iterations a step, worst residual %.1e of %.0e, %lld above\n",
           name, (long long)steps, (double)contacts / n, (double)iterations / n, worst, scene->world.contact.tolerance,
           (long long)left);
    fflush(stdout);
    thaw_world_free(&world);
    thaw_scene_free(&scene);
    return (int)left;
}

static void no_scene_leaves_a_residual_above_its_tolerance(void **state) {
    (void)state;
    struct dirent **entries = NULL;
    int count = scandir(THAW_SOURCE_DIR "/scenes", &entries, is_scene, alphasort), left = 0;
    assert_true(count > 5);
    for (int i = 0; i < count; i++) {
        left += follow(entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    assert_int_equal(left, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_scene_leaves_a_residual_above_its_tolerance)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
