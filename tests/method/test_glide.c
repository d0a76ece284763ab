// SPDX-License-Identifier: Apache-2.0
// A small method with a map of its own, and no state: bodies neither turn nor deform, all vertices have one velocity,
// that of those that pins hold where there are any. It is what a reader of docs/add-a-method.md has written by that
// page.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "step/method.h"
#include "support/world.h"
#include "thaw/thaw.h"
#include "versus.h"

// --- the map: one block of unknowns ----------------------------------------------------------------------------------

typedef struct GlideMap {
    ThawMap map;
    unsigned char *scripted;
} GlideMap;

static void apply_glide(const ThawMap *map, const double *q, const double *w, double *v) {
    const size_t dim = (size_t)map->shape->dim;
    for (size_t i = 0; i < (size_t)map->shape->nv; i++)
        for (size_t k = 0; k < dim; k++)
            v[i * dim + k] = (map->n > 0 ? q[k] : 0) + (w ? w[i * dim + k] : 0);
}

static void apply_t_glide(const ThawMap *map, const double *f, double *r) {
    const size_t dim = (size_t)map->shape->dim, size = dim * (size_t)map->n;
    memset(r, 0, sizeof *r * size);
    for (size_t i = 0; i < (size_t)map->shape->nv; i++)
        for (size_t k = 0; k < size; k++)
            r[k] += f[i * dim + k];
}

static void project_glide(const ThawMap *map, const double *w, const double *v, double *q) {
    const size_t dim = (size_t)map->shape->dim, size = dim * (size_t)map->n;
    memset(q, 0, sizeof *q * size);
    for (size_t i = 0; i < (size_t)map->shape->nv; i++)
        for (size_t k = 0; k < size; k++)
            q[k] += map->shape->mass[i] / map->shape->total_mass * (v[i * dim + k] - (w ? w[i * dim + k] : 0));
}

static void advance_glide(const ThawMap *map, double h, const double *x0, const double *q, const double *v,
                          double *x1) {
    (void)q;
    for (int32_t i = 0; i < map->shape->nv * map->shape->dim; i++)
        x1[i] = x0[i] + h * v[i];
}

static ThawStatus pattern_glide(const ThawMap *map, ThawBlockPattern **pattern, ThawError *error) {
    const int32_t offset[2] = {0, 0};
    return thaw_block_pattern_create(map->n, map->shape->dim, offset, NULL, pattern, error);
}

static ThawStatus matrix_glide(const ThawMap *map, ThawTasks *tasks, ThawCombination A, const double *x,
                               ThawBlockMatrix *matrix, double *f, double *partial) {
    const int dim = map->shape->dim;
    for (int32_t i = 0; i < map->shape->nv; i++)
        for (int k = 0; k < dim; k++)
            matrix->value[k * (dim + 1)] += A.mass * map->shape->mass[i] + A.mass_damping * map->shape->damping_mass[i];
    return thaw_force_internal(map->set, tasks, x, map->shape->nv, f, partial);
}

static int rows_glide(const ThawMap *map, int32_t vertex, int32_t *block, double (*matrix)[9]) {
    const int dim = map->shape->dim;
    (void)vertex;
    block[0] = 0;
    for (int i = 0; i < dim * dim; i++)
        matrix[0][i] = i % (dim + 1) == 0;
    return map->n;
}

// What is held somewhere moves as that does.
static void offset_glide(const ThawMap *map, const double *x, double h, double *w) {
    const unsigned char *scripted = ((const GlideMap *)map)->scripted;
    const size_t dim = (size_t)map->shape->dim;
    const unsigned char *first = memchr(scripted, 1, (size_t)map->shape->nv);
    (void)x, (void)h;
    for (size_t i = 0; first && i < (size_t)map->shape->nv; i++)
        memmove(w + i * dim, w + (size_t)(first - scripted) * dim, sizeof *w * dim);
}

static void free_glide_map(ThawMap *map) {
    thaw_free(((GlideMap *)map)->scripted);
    thaw_free(map);
}

static const ThawMapOps glide_map_ops = {.name = "glide",
                                         .laws = THAW_MAP_ADVANCES_LINEARLY,
                                         .apply = apply_glide,
                                         .apply_t = apply_t_glide,
                                         .project = project_glide,
                                         .advance = advance_glide,
                                         .pattern = pattern_glide,
                                         .matrix = matrix_glide,
                                         .rows = rows_glide,
                                         .offset = offset_glide,
                                         .free = free_glide_map};

static ThawStatus make_map(const ThawShape *shape, const unsigned char *scripted, const ThawIntegrationSet *set,
                           ThawMap **map, ThawError *error) {
    GlideMap *self = THAW_NEW(GlideMap, 1);
    unsigned char *flags = THAW_NEW(unsigned char, shape->nv);
    *map = NULL;
    if (!self || !flags) {
        thaw_free(self);
        thaw_free(flags);
        return thaw_error_memory(error, "a map");
    }
    memcpy(flags, scripted, (size_t)shape->nv);
    *self = (GlideMap){{.ops = &glide_map_ops, .shape = shape, .set = set, .row_blocks = 1}, flags};
    self->map.n = !memchr(flags, 1, (size_t)shape->nv);
    *map = &self->map;
    return THAW_OK;
}

// --- the method ------------------------------------------------------------------------------------------------------

typedef struct GlideOptions {
    double slow;
    int rest;
} GlideOptions;

static const ThawOption rows[] = {
    {.name = "slow",
     .unit = "diameters/s",
     .help = "a body that is slower may sleep",
     .offset = offsetof(GlideOptions, slow),
     .range = {.lo = 0, .hi = 10, .lo_open = true},
     .value = 1e-2},
    {.name = "rest",
     .unit = "steps",
     .help = "how long it has to be slow",
     .kind = THAW_OPTION_COUNT,
     .offset = offsetof(GlideOptions, rest),
     .range = {.lo = 2, .hi = 255},
     .value = 10,
     .zero = "never",
     .role = THAW_ROLE_SLEEP},
};

typedef struct Glide {
    ThawSystem *system;
    ThawIntegrationSet *none; // no element is evaluated
    double slow;              // its option
} Glide;

static void drop(ThawStepper *s) {
    Glide *g = s->data;
    thaw_stepper_drop_solvers(s);
    thaw_system_free(&g->system);
    s->system = NULL;
}

static void configure_glide(const ThawWorld *world, ThawStepper *s, ThawLedger *ledger) {
    (void)ledger;
    ((Glide *)s->data)->slow = ((const GlideOptions *)thaw_state_options(&world->state, s->index))->slow;
}

static ThawStatus create_glide(ThawWorld *world, ThawStepper *s, ThawError *error) {
    Glide *g = s->data = THAW_NEW(Glide, 1);
    if (!g)
        return thaw_error_memory(error, "a glide");
    configure_glide(world, s, NULL);
    return thaw_integration_create(s->shape, (int32_t[1]){0}, 0, &g->none, error);
}

static void free_glide(ThawStepper *s) {
    Glide *g = s->data;
    thaw_system_free(&g->system);
    thaw_integration_free(&g->none);
    thaw_free(g);
    s->data = NULL;
}

static double energy_of(const ThawStepper *s) {
    double sum = 0;
    for (int32_t i = 0; i < s->shape->nv * s->shape->dim; i++)
        sum += s->shape->mass[i / s->shape->dim] * s->v[i] * s->v[i] / 2;
    return sum;
}

// Velocities become what the map can do. Whether that changes them follows from them alone, not from whether there was
// a system: a resumed world has none.
static void take_on(ThawStepper *s, double h) {
    const ThawMap *map = s->system->map;
    const size_t bytes = sizeof *s->v * (size_t)s->shape->nv * (size_t)s->shape->dim;
    double q[3];
    const double before = energy_of(s);
    memcpy(s->y, s->v, bytes);
    map->ops->offset(map, s->x, h, s->w);
    map->ops->project(map, s->w, s->v, q);
    map->ops->apply(map, q, s->w, s->v);
    const double lost = before - energy_of(s);
    s->changed = lost > 1e-12 * before;
    if (s->changed)
        s->work.transition_loss += lost;
    else
        memcpy(s->v, s->y, bytes);
}

static ThawStatus decide_glide(const ThawWorld *world, ThawStepper *s, ThawIncrement step, ThawError *error) {
    (void)world;
    Glide *g = s->data;
    s->changed = 0;
    s->system = g->system;
    thaw_loads_evaluate(s, step);
    if (!g->system || !thaw_system_serves(g->system, s->shape, s->scripted)) {
        ThawMap *map = NULL;
        drop(s);
        ThawStatus status = make_map(s->shape, s->scripted, g->none, &map, error);
        if (status == THAW_OK)
            status = thaw_system_wrap(&map, s->scripted, s->model->options.solver, &g->system, error);
        thaw_map_free(&map);
        s->system = g->system;
        if (status == THAW_OK)
            status = thaw_stepper_fit(s, error);
        if (status != THAW_OK)
            return status;
    }
    take_on(s, step.h);
    return THAW_OK;
}

static void abandon_glide(ThawStepper *s, ThawLedger *ledger) {
    (void)ledger;
    drop(s);
}

static int sleep_steps_glide(const void *options) { return ((const GlideOptions *)options)->rest; }

// Diameters a second: all free vertices have the same velocity.
static double speed_of(const ThawStepper *s) {
    return sqrt(2 * energy_of(s) / s->shape->total_mass) / s->shape->diameter;
}

static ThawHindrance hindrance_glide(const ThawStepper *s) {
    return speed_of(s) > ((const Glide *)s->data)->slow ? THAW_HINDRANCE_FAST : THAW_HINDRANCE_NONE;
}
static int watch_glide(ThawStepper *s, int slow) {
    (void)slow;
    return hindrance_glide(s) == THAW_HINDRANCE_NONE;
}
static double drift_glide(const ThawStepper *s, int slow, double *most, int *held) {
    (void)slow;
    *most = ((const Glide *)s->data)->slow;
    *held = 0;
    return speed_of(s);
}

static void explain_glide(const ThawWorld *world, const ThawStepper *s, int32_t element, ThawElementReport *report) {
    (void)world, (void)element;
    report->state = s->data ? THAW_ELEMENT_RIGID : THAW_ELEMENT_ASLEEP;
    report->part = 0;
    report->reason = report->woken_by = THAW_REASON_NONE;
}

static int32_t part_count_glide(const ThawStepper *s) { return s->data ? 1 : 0; }

static const ThawMethodOps glide_ops = {.create = create_glide,
                                        .free = free_glide,
                                        .configure = configure_glide,
                                        .decide = decide_glide,
                                        .abandon = abandon_glide,
                                        .sleep_steps = sleep_steps_glide,
                                        .hindrance = hindrance_glide,
                                        .watch = watch_glide,
                                        .drift = drift_glide,
                                        .part_count = part_count_glide,
                                        .explain = explain_glide};

static const ThawMethod glide_method = {.name = "glide",
                                        .summary = "bodies neither turn nor deform",
                                        .page = "",
                                        .sleeps = true,
                                        .has_parts = true,
                                        .ops = &glide_ops,
                                        .options = {rows, 2, sizeof(GlideOptions)}};

// Two boxes over a floor, the upper one held at its top until 0.2 s.
#define SCENE(integrator)                                                                                              \
    "{\"thaw\": 1, \"time\": {\"step\": 0.01, \"steps\": 150, \"integrator\": \"" integrator                           \
    "\"}, \"gravity\": [0, 0, -9.81], \"materials\": {\"m\": {\"density\": 1000, \"young\": 1e7, \"alpha0\": 0.5}}, "  \
    "\"shapes\": {\"box\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [0.4, 0.4, 0.4], \"cells\": [2, 2, "     \
    "2]}}, "                                                                                                           \
    "\"material\": \"m\"}}, \"bodies\": [{\"shape\": \"box\", \"method\": \"glide\", \"position\": [0, 0, 0.05], "     \
    "\"velocity\": [0.1, 0, 0], \"spin\": [0, 0, 1]}, {\"shape\": \"box\", \"method\": \"glide\", \"position\": "      \
    "[0.05, "                                                                                                          \
    "0.02, 0.55], \"pins\": [{\"group\": \"z-max\", \"release\": 0.2}]}], \"obstacles\": [{\"plane\": {}}]}"

static const char *const scenes[] = {SCENE("semi-implicit"), SCENE("newton"), SCENE("euler"), SCENE("tr-bdf2")};
enum { SCENES = sizeof scenes / sizeof *scenes };

static void it_falls_sleeps_and_is_woken(void **state) {
    (void)state;
    for (int i = 0; i < SCENES; i++) {
        ThawWorld *world = make_world(scenes[i], 2);
        ThawStepStats stats = run_world(world, 5);
        assert_true(stats.dofs == 3 && stats.elastic_elements == 0);
        for (int k = 0; k < 600 && stats.asleep < 2; k++)
            step_world(world, &stats);
        print_message("asleep after %d steps\n", (int)stats.step);
        assert_int_equal(stats.asleep, 2);
        assert_int_equal(thaw_world_wake(world, 0), THAW_OK);
        assert_true(run_world(world, 1).asleep < 2);
        thaw_world_free(&world);
    }
}

static int is_ripe(const ThawWorld *world, const ThawStepStats *stats) { return world && stats->contacts > 0; }

static void it_is_saved_and_resumed_bit_for_bit(void **state) {
    (void)state;
    for (int i = 0; i < SCENES; i++)
        assert_true(bits_across_checkpoints(scenes[i], 300, "glide.ckpt", is_ripe) > 5);
}

static int wanted(void *context) { return --*(int *)context < 0; }

static void a_cancelled_step_goes_back(void **state) {
    (void)state;
    for (int i = 0; i < SCENES; i++) {
        ThawWorld *calm = make_world(scenes[i], 1), *other = make_world(scenes[i], 1);
        for (int k = 0; k < 60; k++) {
            int patience = k % 5;
            assert_int_equal(thaw_world_set_cancel(other, &(ThawCancel){wanted, &patience}), THAW_OK);
            const ThawStatus status = thaw_world_step(other, NULL, NULL);
            assert_int_equal(thaw_world_set_cancel(other, NULL), THAW_OK);
            if (status == THAW_CANCELLED)
                run_world(other, 1);
            run_world(calm, 1);
            assert_int_equal(thaw_world_full_hash(calm), thaw_world_full_hash(other));
        }
        thaw_world_free(&calm);
        thaw_world_free(&other);
    }
}

static double sum_of(const ThawLedger *l) {
    return l->kinetic + l->elastic + l->gravitational + l->damping_loss + l->integration_loss + l->transition_loss -
           l->external_work - l->contact_work - l->follow_work - l->parting_work;
}

static void its_ledger_closes(void **state) {
    (void)state;
    for (int i = 0; i < SCENES; i++) {
        ThawScene *scene;
        ThawWorld *world;
        ThawLedger before;
        ThawStepStats stats;
        assert_int_equal(thaw_scene_parse(scenes[i], strlen(scenes[i]), "scene", NULL, &scene, NULL), THAW_OK);
        scene->world.ledger = 1;
        assert_int_equal(thaw_world_create(&scene->world, &world, NULL), THAW_OK);
        thaw_world_get_ledger(world, &before);
        for (int k = 0; k < 60; k++)
            step_world(world, &stats);
        assert_true(stats.ledger.transition_loss > 0); // it has spun at the start
        assert_true(fabs(sum_of(&stats.ledger) - sum_of(&before)) < 1e-10 * fabs(sum_of(&before)));
        thaw_world_free(&world);
        thaw_scene_free(&scene);
    }
}

static void it_is_compared_and_explained(void **state) {
    (void)state;
    ThawScene *scene;
    AppVersus versus = {0};
    ThawElementReport report;
    char text[500];
    assert_int_equal(thaw_scene_parse(scenes[0], strlen(scenes[0]), "scene", NULL, &scene, NULL), THAW_OK);
    const AppVersusDef def = {.scene = scene, .against = "full", .steps = 12};
    assert_int_equal(app_versus_create(&def, &versus, NULL), THAW_OK);
    for (int i = 0; i < 12; i++)
        assert_int_equal(app_versus_step(&versus, NULL), THAW_OK);
    app_versus_finish(&versus);
    assert_true(versus.figures.max_error > 0 && versus.figures.max_error < 0.1);
    assert_int_equal(thaw_world_explain(versus.other.world, 0, 7, &report, NULL), THAW_OK);
    thaw_report_text(&report, text, sizeof text);
    assert_string_equal(text, "Element 7 of body 0 is rigid since the start, in part 0.");
    app_versus_clear(&versus);
    thaw_scene_free(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_falls_sleeps_and_is_woken), cmocka_unit_test(it_is_saved_and_resumed_bit_for_bit),
        cmocka_unit_test(a_cancelled_step_goes_back),   cmocka_unit_test(its_ledger_closes),
        cmocka_unit_test(it_is_compared_and_explained),
    };
    return thaw_method_register(&glide_method) < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
