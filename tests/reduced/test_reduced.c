// SPDX-License-Identifier: Apache-2.0
// The reduced system: what it may be shared by, what is in it when nothing is free, and that assembly and solve give
// A^-1 b with the same bits for any number of threads.
#include "reduced/reduced.h"
#include "step/sample.h"

static ThawModel *model_of(const ThawWorldDef *def) {
    ThawModel *model = NULL;
    ThawError error = {0};
    if (thaw_model_create(def, &model, &error) != THAW_OK)
        fail_msg("%s", error.message);
    return model;
}

static ThawSystem *system_of(const ThawShape *shape, const unsigned char *scripted, ThawSolverKind solver) {
    ThawSystem *system = NULL;
    ThawError error = {0};
    if (thaw_system_create(shape, scripted, solver, &system, &error) != THAW_OK)
        fail_msg("%s", error.message);
    return system;
}

static void a_system_serves_its_shape_and_scripts_only(void **state) {
    (void)state;
    Sample s;
    sample_create(&s, 3, 2, THAW_MATERIAL_STVK, 4);
    ThawModel *model = model_of(&s.world);
    const ThawShape *shape = model->shapes[0];
    unsigned char scripted[27] = {1, 0, 1};
    ThawSystem *system = system_of(shape, scripted, THAW_SOLVER_PCG);
    assert_true(thaw_system_serves(system, shape, scripted));
    assert_int_equal(system->map->n, 25);
    assert_int_equal(system->pattern->n, 25);
    assert_int_equal(system->pattern->bs, 3);
    scripted[0] = 0; // it has its own copy
    assert_false(thaw_system_serves(system, shape, scripted));
    scripted[0] = 1;
    ThawShape other = *shape;
    assert_false(thaw_system_serves(system, &other, scripted));
    thaw_system_free(&system);
    assert_null(system);
    thaw_system_free(&system);
    thaw_system_free(NULL);
    thaw_model_free(&model);
    sample_free(&s);
}

static void with_nothing_free_there_is_nothing_to_solve(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        Sample s;
        sample_create(&s, dim, 1, THAW_MATERIAL_STVK, 4);
        ThawModel *model = model_of(&s.world);
        unsigned char scripted[8] = {1, 1, 1, 1, 1, 1, 1, 1};
        ThawSystem *system = system_of(model->shapes[0], scripted, THAW_SOLVER_AUTO);
        assert_int_equal(system->map->n, 0);
        assert_null(system->pattern);
        assert_null(system->plan);
        double w[24] = {1, 2, 3}, v[24];
        system->map->ops->apply(system->map, NULL, w, v);
        assert_memory_equal(v, w, sizeof(double) * (size_t)(dim * model->shapes[0]->nv));
        thaw_system_free(&system);
        thaw_model_free(&model);
        sample_free(&s);
    }
}

static void an_inverted_element_is_passed_on(void **state) {
    (void)state;
    Sample s;
    sample_create(&s, 3, 1, THAW_MATERIAL_NEO_HOOKEAN, 4);
    ThawModel *model = model_of(&s.world);
    const ThawShape *shape = model->shapes[0];
    unsigned char scripted[8] = {0};
    ThawSystem *system = system_of(shape, scripted, THAW_SOLVER_PCG);
    ThawSolver *solver = NULL;
    assert_int_equal(thaw_solver_create(system->plan, NULL, &solver, NULL), THAW_OK);
    double x[24], f[24], partial[16];
    for (int i = 0; i < 24; i++)
        x[i] = -shape->X[i];
    ThawCombination combination = {1, 1, {1, 1, 0}, 0, NULL};
    assert_int_equal(thaw_system_assemble(system, NULL, combination, x, NULL, solver, f, partial), THAW_INVERTED);
    thaw_solver_free(&solver);
    thaw_system_free(&system);
    thaw_model_free(&model);
    sample_free(&s);
}

// Solves A q = b with random b; the residual by products without a matrix.
static void check_solve(ThawSolverKind kind, int dim) {
    Sample s;
    sample_create(&s, dim, dim == 2 ? 30 : 9, THAW_MATERIAL_STABLE_NEO_HOOKEAN, 4);
    ThawModel *model = model_of(&s.world);
    const ThawShape *shape = model->shapes[0];
    unsigned char *scripted = THAW_NEW(unsigned char, shape->nv);
    uint64_t seed = 5;
    for (int i = 0; i < shape->nv; i++)
        scripted[i] = sample_below(&seed, 5) == 0;
    ThawSystem *system = system_of(shape, scripted, kind);
    int nx = dim * shape->nv, nq = dim * system->map->n;
    double *x = THAW_NEW(double, 5 * nx), *f = x + nx, *u = f + nx, *y = u + nx, *r = y + nx;
    double *b = THAW_NEW(double, 3 * nq), *q = b + nq, *first = q + nq;
    double *partial = THAW_NEW(double, 2 * shape->all->chunk_count), forms[2], size = 0, rest = 0;
    for (int i = 0; i < nx; i++)
        x[i] = shape->X[i] + 0.003 * sample_random(&seed);
    for (int i = 0; i < nq; i++)
        b[i] = sample_random(&seed);
    ThawCombination combination = {1, 0.01, {1e-4, 0.01, 0}, 0, NULL};
    for (int threads = 1; threads <= 3; threads++) {
        ThawTasks *tasks = NULL;
        ThawSolver *solver = NULL;
        assert_int_equal(thaw_tasks_create(threads, &tasks, NULL), THAW_OK);
        assert_int_equal(thaw_solver_create(system->plan, tasks, &solver, NULL), THAW_OK);
        assert_int_equal(thaw_system_assemble(system, tasks, combination, x, NULL, solver, f, partial), THAW_OK);
        assert_int_equal(thaw_solver_factor(solver), THAW_OK);
        memset(q, 0, sizeof *q * (size_t)nq);
        assert_int_equal(thaw_solver_solve(solver, b, q, 1e-11, NULL), THAW_OK);
        if (threads == 1)
            memcpy(first, q, sizeof *q * (size_t)nq);
        assert_memory_equal(first, q, sizeof *q * (size_t)nq);
        thaw_solver_free(&solver);
        thaw_tasks_free(&tasks);
    }
    system->map->ops->apply(system->map, q, NULL, u);
    thaw_force_product(shape->all, NULL, x, u, combination.element, shape->nv, y, forms, partial);
    for (int i = 0; i < nx; i++)
        y[i] +=
            (combination.mass * shape->mass[i / dim] + combination.mass_damping * shape->damping_mass[i / dim]) * u[i];
    system->map->ops->apply_t(system->map, y, r);
    for (int i = 0; i < nq; i++) {
        size += b[i] * b[i];
        rest += (r[i] - b[i]) * (r[i] - b[i]);
    }
    assert_true(sqrt(rest) <= 1e-10 * sqrt(size));
    thaw_free(x);
    thaw_free(b);
    thaw_free(partial);
    thaw_free(scripted);
    thaw_system_free(&system);
    thaw_model_free(&model);
    sample_free(&s);
}

static void solves_undo_matrix_free_products_with_the_same_bits_for_any_threads(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        check_solve(THAW_SOLVER_PCG, dim);
#ifdef THAW_WITH_CHOLMOD
        check_solve(THAW_SOLVER_CHOLMOD, dim);
#endif
    }
}

static void a_solver_that_is_not_built_in_is_refused(void **state) {
    (void)state;
#ifdef THAW_WITH_CHOLMOD
    skip();
#else
    Sample s;
    sample_create(&s, 3, 1, THAW_MATERIAL_STVK, 4);
    s.world.solver = THAW_SOLVER_CHOLMOD;
    ThawWorld *world = NULL;
    ThawError error = {0};
    assert_int_equal(thaw_world_create(&s.world, &world, &error), THAW_ERROR_UNSUPPORTED);
    assert_true(error.message[0] != 0);
    assert_null(world);
    sample_free(&s);
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_system_serves_its_shape_and_scripts_only),
        cmocka_unit_test(with_nothing_free_there_is_nothing_to_solve),
        cmocka_unit_test(an_inverted_element_is_passed_on),
        cmocka_unit_test(solves_undo_matrix_free_products_with_the_same_bits_for_any_threads),
        cmocka_unit_test(a_solver_that_is_not_built_in_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
