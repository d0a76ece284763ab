// SPDX-License-Identifier: Apache-2.0
// Every allocation of the library made to fail once: each operation then says so and leaks nothing (the address
// sanitizer looks), and what existed before works on. And steady steps allocate nothing at all.
#include <unistd.h>

#include "output/output.h"
#include "step/sample.h"
#include "support/memory.h"

static void arm(long which) {
    allocations_made = 0;
    until_failure = which - 1;
}

// Runs an operation with its 1st, 2nd, ... allocation failing until it has no more; returns how many there were.
static long fail_each(const char *name, ThawStatus (*operation)(void *context, ThawError *error), void *context) {
    for (long n = 1;; n++) {
        ThawError error = {0};
        arm(n);
        ThawStatus status = operation(context, &error);
        int failed = until_failure < 0;
        arm(0);
        if (!failed) {
            if (status != THAW_OK)
                fail_msg("%s: %s", name, error.message);
            print_message("%s: %ld allocations\n", name, n - 1);
            return n - 1;
        }
        if (status != THAW_ERROR_MEMORY || error.status != status || !strstr(error.message, "memory"))
            fail_msg("%s, allocation %ld: %s (%s)", name, n, thaw_status_name(status), error.message);
    }
}

// --- operations ------------------------------------------------------------------------------------------------------

static void create_sample(Sample *s, ThawIntegrator integrator) {
    sample_create(s, 3, 2, THAW_MATERIAL_NEO_HOOKEAN, 1);
    s->world.integrator = integrator;
    s->world.body_count = 3;
    s->world.threads = 2;
    s->world.h = 0.005;
    s->bodies[1].spin[2] = 1;
    s->bodies[0].script_count = 2;
    s->bodies[0].force_count = 1;
    s->scripts[1].group = 1;
    s->scripts[1].release = 0.05;
}

static ThawStatus create_world(void *context, ThawError *error) {
    ThawWorld *world = context; // not NULL: must be cleared on failure
    ThawStatus status = thaw_world_create(&((Sample *)context)->world, &world, error);
    assert_true((status == THAW_OK) == (world != NULL));
    thaw_world_free(&world);
    return status;
}

static void making_a_world_survives_each_failing_allocation(void **state) {
    (void)state;
    for (int solver = THAW_SOLVER_AUTO; solver <= THAW_SOLVER_PCG; solver++)
        for (int integrator = 0; integrator < 2; integrator++) {
            Sample s;
            create_sample(&s, (ThawIntegrator)integrator);
            s.world.solver = (ThawSolverKind)solver;
            assert_true(fail_each("thaw_world_create", create_world, &s) > 50);
            sample_free(&s);
        }
}

static ThawStatus read_mesh(void *path, ThawError *error) {
    ThawMesh *mesh = path;
    ThawStatus status = thaw_mesh_read(path, &mesh, NULL, error);
    assert_true((status == THAW_OK) == (mesh != NULL));
    thaw_mesh_free(&mesh);
    return status;
}

static ThawStatus make_box(void *context, ThawError *error) {
    ThawMesh *mesh = context;
    ThawStatus status =
        thaw_mesh_box(3, (double[3]){0, 0, 0}, (double[3]){1, 1, 1}, (int32_t[3]){2, 2, 2}, &mesh, error);
    assert_true((status == THAW_OK) == (mesh != NULL));
    thaw_mesh_free(&mesh);
    return status;
}

static void meshes_survive_each_failing_allocation(void **state) {
    (void)state;
    char path[] = THAW_SOURCE_DIR "/tests/scene/small/hub.msh";
    assert_true(fail_each("thaw_mesh_read", read_mesh, path) > 5);
    assert_true(fail_each("thaw_mesh_box", make_box, path) > 3);
}

static ThawStatus load_scene(void *path, ThawError *error) {
    ThawScene *scene = path;
    ThawStatus status = thaw_scene_load(path, &scene, error);
    assert_true((status == THAW_OK) == (scene != NULL));
    thaw_scene_free(&scene);
    return status;
}

static void scenes_survive_each_failing_allocation(void **state) {
    (void)state;
    static const char *const names[] = {"attached", "newton", "plane", "scripted", "twins", "two_materials"};
    for (int i = 0; i < COUNT(names); i++) {
        char path[1000];
        snprintf(path, sizeof path, THAW_SOURCE_DIR "/tests/scene/small/%s.json", names[i]);
        assert_true(fail_each(names[i], load_scene, path) > 10);
    }
}

// A world, files to write it to, and the hash it must keep whatever happens.
typedef struct Kept {
    ThawWorld *world;
    uint64_t hash;
    char path[200];
} Kept;

static ThawStatus save_world(void *context, ThawError *error) {
    Kept *kept = context;
    return thaw_world_save(kept->world, kept->path, error);
}

static ThawStatus load_world(void *context, ThawError *error) {
    Kept *kept = context;
    ThawStatus status = thaw_world_load(kept->world, kept->path, error);
    assert_int_equal(thaw_world_hash(kept->world), kept->hash);
    return status;
}

static void checkpoints_survive_each_failing_allocation(void **state) {
    (void)state;
    Sample s;
    Kept kept = {.path = "/tmp/thaw_test_alloc_XXXXXX"};
    close(mkstemp(kept.path));
    create_sample(&s, THAW_INTEGRATOR_SEMI_IMPLICIT);
    kept.world = sample_world(&s);
    sample_steps(kept.world, 2);
    kept.hash = thaw_world_hash(kept.world);
    fail_each("thaw_world_save", save_world, &kept);
    fail_each("thaw_world_load", load_world, &kept);
    sample_steps(kept.world, 1);
    thaw_world_free(&kept.world);
    sample_free(&s);
    unlink(kept.path);
}

static ThawStatus write_frames(void *context, ThawError *error) {
    Kept *kept = context;
    ThawFramesDef def = thaw_frames_def_default();
    ThawFrames *frames = NULL;
    def.folder = kept->path;
    def.formats = THAW_FRAMES_VTU | THAW_FRAMES_OBJ | THAW_FRAMES_PLY;
    ThawStatus status = thaw_frames_create(kept->world, &def, &frames, error);
    assert_true((status == THAW_OK) == (frames != NULL));
    if (status == THAW_OK)
        status = thaw_frames_keep(frames, -1, NULL, error);
    for (int i = 0; i < 3 && status == THAW_OK; i++)
        status = thaw_frames_write(frames, kept->world, i, error);
    thaw_frames_free(&frames);
    return status;
}

static void frames_survive_each_failing_allocation(void **state) {
    (void)state;
    Sample s;
    Kept kept = {.path = "/tmp/thaw_test_frames_XXXXXX"};
    assert_non_null(mkdtemp(kept.path));
    create_sample(&s, THAW_INTEGRATOR_SEMI_IMPLICIT);
    kept.world = sample_world(&s);
    fail_each("frames", write_frames, &kept);
    thaw_world_free(&kept.world);
    sample_free(&s);
    char command[300];
    snprintf(command, sizeof command, "rm -r %s", kept.path);
    assert_int_equal(system(command), 0);
}

// --- stepping --------------------------------------------------------------------------------------------------------

static ThawStatus step_on(void *context, ThawError *error) {
    Kept *kept = context;
    ThawStatus status = thaw_world_step(kept->world, NULL, error);
    if (status != THAW_OK)
        assert_int_equal(thaw_world_hash(kept->world), kept->hash);
    return status;
}

static void a_step_that_needs_memory_can_be_tried_again(void **state) {
    (void)state;
    for (int integrator = 0; integrator < 2; integrator++) {
        Sample s;
        create_sample(&s, (ThawIntegrator)integrator);
        Kept kept = {.world = sample_world(&s)};
        ThawWorld *calm = sample_world(&s);
        sample_steps(kept.world, 10); // the next step lets a group go
        sample_steps(calm, 10);
        kept.hash = thaw_world_hash(kept.world);
        assert_true(fail_each("a step after a release", step_on, &kept) > 5);
        sample_steps(calm, 1);
        assert_int_equal(thaw_world_hash(kept.world), thaw_world_hash(calm));
        thaw_world_free(&kept.world);
        thaw_world_free(&calm);
        sample_free(&s);
    }
}

// A body too stiff to resolve its blow lands, and rebounds by its coefficient.
static void a_rebound_that_needs_memory_can_be_tried_again(void **state) {
    (void)state;
    Sample s;
    ThawObstacleDef floor = thaw_obstacle_def_default();
    create_sample(&s, THAW_INTEGRATOR_EULER);
    for (int i = 0; i < 2; i++)
        s.materials[i].young = 1e11;
    s.world.body_count = 1;
    s.bodies[0].script_count = s.bodies[0].force_count = 0;
    s.bodies[0].restitution = floor.restitution = 0.5;
    memset(s.bodies[0].velocity, 0, sizeof s.bodies[0].velocity);
    s.bodies[0].velocity[2] = -3;
    floor.position[2] = s.bodies[0].position[2] - 1.5;
    s.world.obstacles = &floor;
    s.world.obstacle_count = 1;
    Kept kept = {.world = sample_world(&s)};
    ThawWorld *calm = sample_world(&s);
    ThawStepStats stats = {0};
    int steps = 0;
    while (stats.substeps < 2 && steps < 1000) {
        assert_int_equal(thaw_world_step(calm, &stats, NULL), THAW_OK);
        steps++;
    }
    assert_true(steps < 1000);
    sample_steps(kept.world, steps - 1);
    kept.hash = thaw_world_hash(kept.world);
    assert_true(fail_each("a rebound", step_on, &kept) > 1);
    assert_int_equal(thaw_world_hash(kept.world), thaw_world_hash(calm));
    thaw_world_free(&kept.world);
    thaw_world_free(&calm);
    sample_free(&s);
}

static void steady_steps_allocate_nothing(void **state) {
    (void)state;
    for (int solver = THAW_SOLVER_AUTO; solver <= THAW_SOLVER_PCG; solver++)
        for (int integrator = 0; integrator < THAW_INTEGRATOR_COUNT; integrator++)
            for (int dim = 2; dim <= 3; dim++) {
                Sample s;
                ThawStepStats stats;
                sample_create(&s, dim, 4, THAW_MATERIAL_STABLE_NEO_HOOKEAN, 1);
                s.world.integrator = (ThawIntegrator)integrator;
                s.world.solver = (ThawSolverKind)solver;
                s.world.threads = 2;
                s.world.body_count = 3;
                s.bodies[0].script_count = s.bodies[0].force_count = 1;
                s.world.contact.disabled = 1; // they stand in each other and part: nothing steady about that
                ThawWorld *world = sample_world(&s);
                sample_steps(world, 2);
                arm(0);
                for (int i = 0; i < 20; i++)
                    assert_int_equal(thaw_world_step(world, &stats, NULL), THAW_OK);
                assert_int_equal(allocations_made, 0);
                thaw_world_free(&world);
                sample_free(&s);
            }
}

static void steady_contact_allocates_nothing(void **state) {
    (void)state;
    for (int k = 0; k < 2 * THAW_INTEGRATOR_COUNT; k++) {
        const int dim = 2 + k % 2;
        Sample s;
        ThawStepStats stats;
        ThawObstacleDef floor = thaw_obstacle_def_default();
        sample_create(&s, dim, 3, THAW_MATERIAL_STABLE_NEO_HOOKEAN, 1);
        floor.position[dim - 1] = -0.02;
        s.world.obstacles = &floor;
        s.world.obstacle_count = 1;
        s.world.body_count = 1;
        s.bodies[0].script_count = s.bodies[0].force_count = 0;
        memset(s.bodies[0].velocity, 0, sizeof s.bodies[0].velocity);
        memset(s.bodies[0].spin, 0, sizeof s.bodies[0].spin);
        memset(s.world.gravity, 0, sizeof s.world.gravity);
        s.world.gravity[dim - 1] = -9.81;
        s.world.h = 0.01;
        s.world.integrator = (ThawIntegrator)(k / 2);
        ThawWorld *world = sample_world(&s);
        sample_steps(world, 300);
        arm(0);
        for (int i = 0; i < 20; i++)
            assert_int_equal(thaw_world_step(world, &stats, NULL), THAW_OK);
        assert_int_equal(allocations_made, 0);
        assert_true(stats.contacts > 0);
        thaw_world_free(&world);
        sample_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(making_a_world_survives_each_failing_allocation),
        cmocka_unit_test(meshes_survive_each_failing_allocation),
        cmocka_unit_test(scenes_survive_each_failing_allocation),
        cmocka_unit_test(checkpoints_survive_each_failing_allocation),
        cmocka_unit_test(frames_survive_each_failing_allocation),
        cmocka_unit_test(a_step_that_needs_memory_can_be_tried_again),
        cmocka_unit_test(a_rebound_that_needs_memory_can_be_tried_again),
        cmocka_unit_test(steady_steps_allocate_nothing),
        cmocka_unit_test(steady_contact_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
