// SPDX-License-Identifier: Apache-2.0
// The same bits for any number of threads, for a run that was interrupted, and for every build: state hashes, step by
// step. Golden hashes of the small scenes are in golden.txt; THAW_WRITE_GOLDEN=1 in the environment writes them anew.
#include <dirent.h>
#include <unistd.h>

#include "step/sample.h"

enum { STEPS = 12 };

static ThawKey keys[] = {{.time = 0, .rotation = {1, 0, 0, 0}},
                         {.time = 0.06, .translation = {0, 0, 0.1}, .rotation = {0.8, 0.6, 0, 0}}};

// Eight bodies of one shape: free, pinned, moved, let go, pulled.
static void many_bodies(Sample *s, ThawIntegrator integrator, ThawSolverKind solver) {
    sample_create(s, 3, 3, THAW_MATERIAL_STABLE_NEO_HOOKEAN, 1);
    s->materials[1].model = THAW_MATERIAL_COROTATIONAL;
    s->world.integrator = integrator;
    s->world.solver = solver;
    s->world.body_count = COUNT(s->bodies);
    s->scripts[1].group = 1;
    s->scripts[1].keys = keys;
    s->scripts[1].key_count = COUNT(keys);
    s->scripts[2].group = 3;
    s->scripts[2].release = 0.055;
    s->forces[0].value[1] = 50;
    s->forces[0].ramp = 0.03;
    for (int i = 0; i < COUNT(s->bodies); i++) {
        ThawBodyDef *b = &s->bodies[i];
        b->position[0] = 2 * i;
        b->spin[i % 3] = i;
        b->scripts = s->scripts + i % 3;
        b->script_count = i % 4 == 3 ? 0 : 1;
        b->forces = s->forces;
        b->force_count = i % 2;
    }
}

// Hashes of each step with a number of threads; the ledger's sums too, which are not part of the state.
static void run(Sample *s, int threads, int steps, uint64_t *hashes) {
    s->world.threads = threads;
    ThawWorld *world = sample_world(s);
    for (int i = 0; i < steps; i++) {
        ThawStepStats stats = sample_steps(world, 1);
        hashes[i] = thaw_hash(stats.state_hash, &stats.ledger, sizeof stats.ledger);
    }
    thaw_world_free(&world);
}

static void check_threads(Sample *s, int steps) {
    uint64_t first[STEPS], again[STEPS];
    run(s, 1, steps, first);
    for (int i = 1; i < steps; i++)
        assert_true(first[i] != first[i - 1]);
    for (int threads = 1; threads <= 4; threads++) {
        run(s, threads, steps, again);
        assert_memory_equal(first, again, sizeof *first * (size_t)steps);
    }
    sample_free(s);
}

static void many_bodies_of_one_shape_do_not_depend_on_threads(void **state) {
    (void)state;
    for (int integrator = 0; integrator < THAW_INTEGRATOR_COUNT; integrator++) {
        Sample s;
        many_bodies(&s, (ThawIntegrator)integrator, THAW_SOLVER_PCG);
        check_threads(&s, STEPS);
    }
}

static void large_bodies_among_small_ones(ThawIntegrator integrator) {
    Sample s, small;
    sample_create(&s, 3, 15, THAW_MATERIAL_STABLE_NEO_HOOKEAN, 1); // 20250 elements
    sample_create(&small, 3, 3, THAW_MATERIAL_STABLE_NEO_HOOKEAN, 1);
    ThawShapeDef shapes[] = {small.shape, s.shape};
    s.world.shapes = shapes;
    s.world.shape_count = 2;
    s.world.body_count = 5;
    s.bodies[1].shape = 1;
    s.bodies[1].scripts = s.scripts;
    s.bodies[1].script_count = 1;
    for (int i = 0; i < 5; i++)
        s.bodies[i].spin[0] = i;
    s.world.solver_tolerance = 1e-5;
    s.world.contact.disabled = 1; // they stand in each other, which is another test's concern
    s.world.integrator = integrator;
    check_threads(&s, 3);
    sample_free(&small);
}

static void large_bodies_among_small_ones_do_not_depend_on_threads(void **state) {
    (void)state;
    large_bodies_among_small_ones(THAW_INTEGRATOR_SEMI_IMPLICIT);
    large_bodies_among_small_ones(THAW_INTEGRATOR_EULER);
    large_bodies_among_small_ones(THAW_INTEGRATOR_TR_BDF2);
}

static void cholmod_does_not_depend_on_threads(void **state) {
    (void)state;
#ifdef THAW_WITH_CHOLMOD
    Sample s;
    many_bodies(&s, THAW_INTEGRATOR_SEMI_IMPLICIT, THAW_SOLVER_CHOLMOD);
    check_threads(&s, STEPS);
#else
    skip();
#endif
}

static void a_world_made_again_repeats_itself_and_neighbours_do_not_matter(void **state) {
    (void)state;
    Sample s;
    many_bodies(&s, THAW_INTEGRATOR_SEMI_IMPLICIT, THAW_SOLVER_PCG);
    ThawWorld *all = sample_world(&s);
    sample_steps(all, STEPS);
    for (int i = 0; i < COUNT(s.bodies); i++) { // each body moves as it would alone
        Sample one = s;
        one.world.bodies = &one.bodies[i];
        one.world.body_count = 1;
        one.world.shapes = &one.shape;
        one.world.materials = one.materials;
        ThawWorld *alone = sample_world(&one);
        sample_steps(alone, STEPS);
        double x[192], y[192];
        thaw_world_get_velocities(all, i, x);
        thaw_world_get_velocities(alone, 0, y);
        assert_memory_equal(x, y, sizeof x);
        thaw_world_free(&alone);
    }
    thaw_world_free(&all);
    sample_free(&s);
}

static void a_run_resumed_at_any_step_with_other_threads_goes_on_the_same(void **state) {
    (void)state;
    char path[] = "/tmp/thaw_test_determinism_XXXXXX";
    close(mkstemp(path));
    for (int integrator = 0; integrator < THAW_INTEGRATOR_COUNT; integrator++) {
        Sample s;
        many_bodies(&s, (ThawIntegrator)integrator, THAW_SOLVER_PCG);
        uint64_t hashes[STEPS];
        run(&s, 1, STEPS, hashes);
        for (int at = 0; at < STEPS; at += 3) { // script and release on either side
            s.world.threads = 2;
            ThawWorld *first = sample_world(&s);
            sample_steps(first, at);
            assert_int_equal(thaw_world_save(first, path, NULL), THAW_OK);
            thaw_world_free(&first);
            s.world.threads = 3;
            ThawWorld *second = sample_world(&s);
            assert_int_equal(thaw_world_load(second, path, NULL), THAW_OK);
            for (int i = at; i < STEPS; i++) {
                ThawStepStats stats = sample_steps(second, 1);
                assert_int_equal(thaw_hash(stats.state_hash, &stats.ledger, sizeof stats.ledger), hashes[i]);
            }
            thaw_world_free(&second);
        }
        sample_free(&s);
    }
    unlink(path);
}

// --- golden hashes ---------------------------------------------------------------------------------------------------

#define GOLDEN THAW_SOURCE_DIR "/tests/step/golden.txt"

static uint64_t scene_hash(const char *name, int *steps) {
    char path[1000];
    ThawScene *scene = NULL;
    ThawWorld *world = NULL;
    ThawError error = {0};
    snprintf(path, sizeof path, THAW_SOURCE_DIR "/tests/scene/small/%s", name);
    if (thaw_scene_load(path, &scene, &error) != THAW_OK)
        fail_msg("%s", error.message);
    scene->world.solver = THAW_SOLVER_PCG; // our own kernels: the same bits wherever they are compiled
    scene->world.threads = 2;
    if (thaw_world_create(&scene->world, &world, &error) != THAW_OK)
        fail_msg("%s: %s", name, error.message);
    *steps = scene->steps < 600 ? (int)scene->steps : 40; // 600: the scene says nothing of it
    uint64_t hash = sample_steps(world, *steps).state_hash;
    thaw_world_free(&world);
    thaw_scene_free(&scene);
    return hash;
}

static int is_scene(const struct dirent *entry) {
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".json") == 0;
}

// name, steps and hash of every small scene, a line each, into text.
static void hash_scenes(char *text, size_t size) {
    struct dirent **entries = NULL;
    int count = scandir(THAW_SOURCE_DIR "/tests/scene/small", &entries, is_scene, alphasort);
    size_t used = 0;
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        int steps;
        uint64_t hash = scene_hash(entries[i]->d_name, &steps);
        used += (size_t)snprintf(text + used, size - used, "%s %d %016llx\n", entries[i]->d_name, steps,
                                 (unsigned long long)hash);
        assert_true(used < size);
        free(entries[i]);
    }
    free(entries);
}

static void small_scenes_end_where_they_always_ended(void **state) {
    (void)state;
    static const char head[] =
        "# State hashes of the scenes in tests/scene/small: name, steps, hash; conjugate gradients.\n"
        "# They are the same for gcc and clang, with and without optimisation, for every vector width. They may "
        "change\n"
        "# with the C library's sin, cos and acos (turns in scenes and scripts), and with a change of the numbers, "
        "which\n"
        "# needs a written reason in the change log. To write this file anew:\n"
        "#     THAW_WRITE_GOLDEN=1 build/release/tests/step_test_determinism\n";
    char now[4000], kept[4000] = "", line[400];
    hash_scenes(now, sizeof now);
    if (getenv("THAW_WRITE_GOLDEN")) {
        FILE *file = fopen(GOLDEN, "w");
        assert_non_null(file);
        fprintf(file, "%s%s", head, now);
        fclose(file);
    }
    FILE *file = fopen(GOLDEN, "r");
    if (!file)
        fail_msg("%s is missing", GOLDEN);
    while (fgets(line, sizeof line, file))
        if (line[0] != '#')
            strncat(kept, line, sizeof kept - strlen(kept) - 1);
    fclose(file);
    assert_string_equal(now, kept);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_bodies_of_one_shape_do_not_depend_on_threads),
        cmocka_unit_test(large_bodies_among_small_ones_do_not_depend_on_threads),
        cmocka_unit_test(cholmod_does_not_depend_on_threads),
        cmocka_unit_test(a_world_made_again_repeats_itself_and_neighbours_do_not_matter),
        cmocka_unit_test(a_run_resumed_at_any_step_with_other_threads_goes_on_the_same),
        cmocka_unit_test(small_scenes_end_where_they_always_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
