// SPDX-License-Identifier: Apache-2.0
// Random small worlds: every material, both dimensions, two materials by region, pins, moved groups, forces, damping.
// The engine's steps against the dense reference's, to 1e-9 of the largest velocity and of the body's size.
#include "step/dense.h"
#include "step/sample.h"

enum { SCENES = 240, STEPS = 5 };

typedef struct Scene {
    Sample sample;
    ThawKey keys[4][3];
} Scene;

static ThawGroupDef random_group(uint64_t *seed, int dim) {
    static const char *const faces[] = {"x-min", "x-max", "y-min", "y-max", "z-min", "z-max"};
    ThawGroupDef group = {.name = "random", .select = (ThawSelect)(1 + sample_below(seed, THAW_SELECT_NEAREST))};
    group.mesh_group = faces[sample_below(seed, 2 * dim)];
    for (int k = 0; k < 3; k++) { // one corner of the box is always inside
        group.a[k] = group.select == THAW_SELECT_BOX ? -1 : sample_between(seed, 0, 0.6);
        group.b[k] = group.select == THAW_SELECT_BOX ? sample_between(seed, 0.2, 0.6) : sample_between(seed, 0.1, 1);
    }
    if (group.select == THAW_SELECT_SPHERE)
        group.radius = 0.9;
    return group;
}

static void random_script(uint64_t *seed, int dim, ThawScriptDef *script, ThawKey *keys) {
    script->interpolation = (ThawInterpolation)sample_below(seed, 2);
    script->key_count = sample_below(seed, 4);
    script->keys = keys;
    if (sample_below(seed, 3) == 0)
        script->release = sample_between(seed, 0, 0.05);
    for (int k = 0; k < 3; k++)
        script->centre[k] = sample_random(seed);
    for (int k = 0; k < script->key_count; k++) {
        keys[k] = (ThawKey){.time = 0.02 * (k - 0.5 + 0.3 * sample_random(seed))};
        for (int i = 0; i < dim; i++)
            keys[k].translation[i] = k * 0.01 * sample_random(seed);
        sample_quaternion(seed, dim, k * 0.01, keys[k].rotation);
        // either sign is the same turn
        for (int i = 0; i < 4 && sample_below(seed, 2); i++)
            for (int c = 0; c < 4; c++)
                keys[k].rotation[c] = -keys[k].rotation[c];
    }
}

static void random_scene(Scene *scene, uint64_t seed) {
    Sample *s = &scene->sample;
    int dim = 2 + sample_below(&seed, 2), cells = 1 + sample_below(&seed, dim == 2 ? 4 : 2);
    sample_create(s, dim, cells, THAW_MATERIAL_STVK, seed);
    s->world.h = sample_between(&seed, 0.002, 0.02);
    s->world.projection = THAW_PROJECT_NEVER;
    s->world.halvings = 0;
    s->world.newton_tolerance = s->world.solver_tolerance = 1e-13;
    s->world.integrator = (ThawIntegrator)sample_below(&seed, 2);
    for (int k = 0; k < 3; k++)
        s->world.gravity[k] = 10 * sample_random(&seed);
    for (int i = 0; i < 2; i++) {
        ThawMaterialDef *m = &s->materials[i];
        m->model = (ThawMaterialModel)sample_below(&seed, THAW_MATERIAL_MODEL_COUNT);
        m->constants = (ThawMaterialConstants)sample_below(&seed, 2);
        m->young = pow(10, sample_between(&seed, 4.5, 6));
        m->poisson = sample_between(&seed, 0.1, 0.45);
        m->density = sample_between(&seed, 500, 2000);
        m->alpha0 = sample_below(&seed, 2) ? sample_between(&seed, 0, 2) : 0;
        m->alpha1 = sample_below(&seed, 2) ? sample_between(&seed, 0, 0.01) : 0;
    }
    for (int g = 0; g < 4; g++)
        s->groups[g] = random_group(&seed, dim);
    s->shape.region_material = sample_below(&seed, 4) ? s->region_material : NULL;
    s->shape.thickness = sample_between(&seed, 0.1, 1);
    ThawBodyDef *b = &s->bodies[0];
    sample_quaternion(&seed, dim, 3, b->rotation);
    for (int k = 0; k < 3; k++) {
        b->position[k] = sample_random(&seed);
        b->velocity[k] = sample_random(&seed);
        b->spin[k] = sample_random(&seed);
    }
    b->script_count = sample_below(&seed, 4);
    for (int i = 0; i < b->script_count; i++) {
        s->scripts[i].group = sample_below(&seed, 4);
        random_script(&seed, dim, &s->scripts[i], scene->keys[i]);
    }
    b->force_count = sample_below(&seed, 4);
    for (int i = 0; i < b->force_count; i++) {
        s->forces[i].group = sample_below(&seed, s->shape.group_count);
        s->forces[i].kind = (ThawForceKind)sample_below(&seed, 3);
        s->forces[i].from = sample_between(&seed, -0.02, 0.02);
        s->forces[i].to = sample_below(&seed, 2) ? INFINITY : s->forces[i].from + 0.03;
        s->forces[i].ramp = sample_below(&seed, 2) ? 0 : 0.02;
        for (int k = 0; k < 3; k++)
            s->forces[i].value[k] = 5 * sample_random(&seed);
    }
}

static double largest(int n, const double *a) {
    double size = 0;
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(a[i]));
    return size;
}

// Steps that both took; stops where the engine says that it cannot (indefinite, inverted).
static int compare(const Scene *scene, ThawSolverKind solver, unsigned long long seed, double *worst) {
    ThawWorldDef def = scene->sample.world;
    def.solver = solver;
    Dense d = dense_create(&def, 0);
    ThawWorld *world = NULL;
    ThawError error = {0};
    if (thaw_world_create(&def, &world, &error) != THAW_OK)
        fail_msg("seed %llu: %s", seed, error.message);
    double *x = calloc((size_t)d.n, sizeof *x), *v = calloc((size_t)d.n, sizeof *v);
    int step = 0;
    for (; step < STEPS; step++) {
        ThawStatus status = thaw_world_step(world, NULL, &error);
        assert_true(status == THAW_OK || status == THAW_DIVERGED);
        if (status != THAW_OK || !dense_step(&d))
            break;
        thaw_world_get_positions(world, 0, x);
        thaw_world_get_velocities(world, 0, v);
        double scale = fmax(largest(d.n, d.v), 1e-3), difference = 0;
        for (int i = 0; i < d.n; i++)
            difference = fmax(difference, fmax(fabs(x[i] - d.x[i]), fabs(v[i] - d.v[i]) / scale));
        *worst = fmax(*worst, difference);
        if (!(difference <= 1e-9))
            fail_msg("seed %llu, step %d: relative difference %g", seed, step, difference);
    }
    free(x);
    free(v);
    dense_free(&d);
    thaw_world_free(&world);
    return step;
}

static int compare_scenes(ThawSolverKind solver, int count) {
    int steps = 0;
    double worst = 0;
    for (int i = 0; i < count; i++) {
        Scene scene;
        random_scene(&scene, (uint64_t)i);
        steps += compare(&scene, solver, (unsigned long long)i, &worst);
        sample_free(&scene.sample);
    }
    print_message("%d steps compared, largest difference %.1e\n", steps, worst);
    return steps;
}

static void conjugate_gradient_steps_agree_with_the_dense_reference(void **state) {
    (void)state;
    assert_true(compare_scenes(THAW_SOLVER_PCG, SCENES) >= SCENES * STEPS * 9 / 10);
}

static void cholmod_steps_agree_with_the_dense_reference(void **state) {
    (void)state;
#ifdef THAW_WITH_CHOLMOD
    assert_true(compare_scenes(THAW_SOLVER_CHOLMOD, SCENES / 2) >= SCENES / 2 * STEPS * 9 / 10);
#else
    skip();
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conjugate_gradient_steps_agree_with_the_dense_reference),
        cmocka_unit_test(cholmod_steps_agree_with_the_dense_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
