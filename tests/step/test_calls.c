// SPDX-License-Identifier: Apache-2.0
// Calls in random order, of seeds that nobody has looked at: things come, go and change, worlds step, are remembered,
// restored and copied. Whatever is called, a world agrees with itself, and one that was restored goes on with the bits
// of the one that was copied.
#include "step/sample.h"
#include "support/world.h"
#include "thaw/thaw.h"

static const char scene[] =
    "{ \"thaw\": 1, \"contact\": {},"
    "  \"materials\": {\"foam\": {\"young\": 5e4, \"density\": 200, \"alpha1\": 0.02}, \"cloth\": {\"young\": 1e6,"
    "    \"density\": 500, \"poisson\": 0.3}},"
    "  \"shapes\": {\"cube\": {\"material\": \"foam\","
    "    \"mesh\": {\"box\": {\"min\": [0,0,0], \"max\": [0.2,0.2,0.2], \"cells\": [2,1,1]}}},"
    "    \"bar\": {\"material\": \"foam\","
    "    \"mesh\": {\"box\": {\"min\": [0,0,0], \"max\": [0.6,0.1,0.1], \"cells\": [5,1,1]}}},"
    "    \"flag\": {\"material\": \"cloth\", \"thickness\": 1e-3,"
    "    \"mesh\": {\"sheet\": {\"grid\": {\"width\": 0.3, \"height\": 0.3}}, \"size\": 0.1}}},"
    "  \"obstacles\": [{\"plane\": {}, \"name\": \"floor\"}],"
    "  \"bodies\": ["
    "    {\"name\": \"a\", \"shape\": \"cube\", \"position\": [0,0,0.01], \"method\": \"rigidify\"},"
    "    {\"name\": \"b\", \"shape\": \"bar\", \"position\": [0.1,0,0.3], \"pins\": [\"x-min\"]},"
    "    {\"name\": \"c\", \"shape\": \"flag\", \"position\": [0,0.5,0.4], \"method\": \"rigidify\"}] }";

typedef struct Play {
    uint64_t seed;
    ThawWorld *world, *twin; // twin: made with the snapshot
    ThawSnapshot *snapshot;
    int64_t since; // steps
    int counts[16];
} Play;

static int allowed(ThawStatus status, const ThawError *error) {
    if (status < 0 && status != THAW_ERROR_INPUT && status != THAW_ERROR_UNSUPPORTED)
        fail_msg("%s: %s", thaw_status_name(status), error->message);
    if (status < 0 && !error->message[0])
        fail_msg("a refusal without a word");
    return status == THAW_OK;
}

static int32_t any(Play *p, int32_t count) { return count > 0 ? sample_below(&p->seed, count) : -1; }

static ThawStatus add_body(Play *p, ThawError *error) {
    static const char *const methods[] = {"full", "rigidify", "condense"};
    ThawBodyDef def = thaw_body_def_default();
    if (thaw_world_body_count(p->world) > 9)
        return THAW_OK;
    def.shape = sample_below(&p->seed, 3);
    def.method = methods[sample_below(&p->seed, def.shape == 2 ? 2 : 3)];
    for (int k = 0; k < 3; k++)
        def.position[k] = sample_between(&p->seed, 0, 1.5);
    sample_quaternion(&p->seed, 3, 3, def.rotation);
    def.velocity[0] = sample_random(&p->seed);
    return thaw_world_add_body(p->world, &def, NULL, error);
}

static ThawStatus add_obstacle(Play *p, ThawError *error) {
    ThawObstacleDef def = thaw_obstacle_def_default();
    if (thaw_world_obstacle_count(p->world) > 3)
        return THAW_OK;
    def.kind = sample_below(&p->seed, 2) ? THAW_OBSTACLE_SPHERE : THAW_OBSTACLE_BOX;
    for (int k = 0; k < 3; k++) {
        def.size[k] = sample_between(&p->seed, 0.1, 0.3);
        def.position[k] = sample_between(&p->seed, 0, 1);
    }
    return thaw_world_add_obstacle(p->world, &def, NULL, error);
}

static ThawStatus attach(Play *p, ThawError *error) {
    ThawAttachmentDef def = thaw_attachment_def_default();
    if (thaw_world_attachment_count(p->world) > 3)
        return THAW_OK;
    def.body = any(p, thaw_world_body_count(p->world));
    def.stiffness = sample_between(&p->seed, 10, 500);
    def.damping = 0.02;
    return thaw_world_add_attachment(p->world, &def, NULL, error);
}

static ThawStatus cut(Play *p, ThawError *error) {
    ThawChangeDef def = thaw_change_def_default();
    const int32_t body = any(p, thaw_world_body_count(p->world));
    def.kind = sample_below(&p->seed, 2) ? THAW_CHANGE_CUT : THAW_CHANGE_REMOVE;
    def.where.select = THAW_SELECT_PLANE_SIDE;
    def.where.a[0] = sample_between(&p->seed, 0.05, 0.4);
    def.where.b[0] = 1;
    return thaw_world_change(p->world, body, &def, error);
}

static ThawStatus set(Play *p, ThawError *error) {
    ThawMaterialDef material;
    switch (sample_below(&p->seed, 4)) {
    case 0:
        return thaw_world_set_gravity(p->world, (double[]){sample_random(&p->seed), 0, -9}, error);
    case 1:
        return thaw_world_set_h(p->world, sample_between(&p->seed, 0.004, 0.012), error);
    case 2:
        thaw_world_get_material(p->world, 0, &material);
        material.young = sample_between(&p->seed, 3e4, 2e5);
        return thaw_world_set_material(p->world, 0, &material, error);
    default:
        return thaw_world_set_friction(p->world, any(p, thaw_world_body_count(p->world)), 0.3, error);
    }
}

static ThawStatus move(Play *p, ThawError *error) {
    double at[3] = {sample_between(&p->seed, 0, 0.3), 0, sample_between(&p->seed, -0.05, 0.05)}, q[4];
    sample_quaternion(&p->seed, 3, 0.1, q);
    const double time = sample_between(&p->seed, 0, 0.1);
    if (sample_below(&p->seed, 2))
        return thaw_world_move_obstacle(p->world, any(p, thaw_world_obstacle_count(p->world)), at, q, time, error);
    return thaw_world_move_attachment(p->world, any(p, thaw_world_attachment_count(p->world)), at, q, time, error);
}

static ThawStatus push(Play *p, ThawError *error) {
    const int32_t body = any(p, thaw_world_body_count(p->world));
    const double weight[4] = {0.2, 0.3, 0.5, 0}, force[3] = {sample_random(&p->seed), 0, 1};
    ThawStatus status = thaw_world_add_force_at(p->world, body, 0, weight, force);
    if (status != THAW_OK)
        return thaw_error_set(error, status, "no such body");
    return thaw_world_set_method(p->world, body, sample_below(&p->seed, 2) ? "full" : "rigidify", error);
}

static ThawStatus remove_thing(Play *p, ThawError *error) {
    ThawWorld *w = p->world;
    switch (sample_below(&p->seed, 3)) {
    case 0:
        return thaw_world_remove_body(w, thaw_world_body_id(w, any(p, thaw_world_body_count(w))), error);
    case 1:
        return thaw_world_remove_obstacle(w, thaw_world_obstacle_id(w, any(p, thaw_world_obstacle_count(w))), error);
    default:
        return thaw_world_remove_attachment(w, thaw_world_attachment_id(w, any(p, thaw_world_attachment_count(w))),
                                            error);
    }
}

static ThawStatus remember(Play *p, ThawError *error) {
    thaw_snapshot_free(&p->snapshot);
    thaw_world_free(&p->twin);
    ThawStatus status = thaw_world_snapshot(p->world, &p->snapshot, error);
    return status == THAW_OK ? thaw_snapshot_make_world(p->snapshot, 1, &p->twin, error) : status;
}

// Both have the bits of the moment, and of some steps on; then the world goes on and its twin is left.
static ThawStatus go_back(Play *p, ThawError *error) {
    ThawWorld *twin = NULL;
    if (!p->snapshot)
        return THAW_OK;
    ThawStatus status = thaw_world_restore(p->world, p->snapshot, error);
    if (status != THAW_OK)
        fail_msg("%s", error->message);
    assert_true(thaw_world_full_hash(p->world) == thaw_world_full_hash(p->twin));
    status = thaw_world_clone(p->twin, 1, &twin, error);
    for (int i = 0; i < 3 && status == THAW_OK; i++) {
        const ThawStatus one = thaw_world_step(p->world, NULL, error), other = thaw_world_step(twin, NULL, error);
        assert_int_equal(one, other);
        assert_true(thaw_world_full_hash(p->world) == thaw_world_full_hash(twin));
    }
    thaw_world_free(&twin);
    return status;
}

static ThawStatus step(Play *p, ThawError *error) {
    ThawStatus status = THAW_OK;
    for (int i = sample_below(&p->seed, 12); i >= 0 && status == THAW_OK; i--)
        status = thaw_world_step(p->world, NULL, error);
    return status > 0 ? THAW_OK : status; // a step may fail: the world stays as it was
}

static ThawStatus edit(Play *p, ThawError *error) {
    static ThawStatus (*const calls[])(Play * p, ThawError * error) = {add_body, add_obstacle, remove_thing};
    ThawStatus status = thaw_world_begin_edit(p->world, error);
    for (int i = sample_below(&p->seed, 4); i >= 0 && status == THAW_OK; i--)
        status = calls[sample_below(&p->seed, 3)](p, error);
    ThawStatus ended = thaw_world_end_edit(p->world, status == THAW_OK ? error : NULL);
    thaw_world_cancel_edit(p->world);
    return status == THAW_OK ? ended : status;
}

static void play(uint64_t seed, int calls, Play *all) {
    static ThawStatus (*const kinds[])(Play * p, ThawError * error) = {
        step, step, step, add_body, add_obstacle, attach, cut, set, move, push, remove_thing, remember, go_back, edit};
    Play p = {.seed = seed, .world = make_world(scene, 1)};
    for (int i = 0; i < calls; i++) {
        ThawError error = {0};
        const int kind = sample_below(&p.seed, COUNT(kinds));
        all->counts[kind] += allowed(kinds[kind](&p, &error), &error);
        error = (ThawError){0};
        if (thaw_world_validate(p.world, &error) != THAW_OK)
            fail_msg("seed %llu, call %d of kind %d: %s", (unsigned long long)seed, i, kind, error.message);
    }
    thaw_snapshot_free(&p.snapshot);
    thaw_world_free(&p.twin);
    thaw_world_free(&p.world);
}

static void test_any_order(void **state) {
    (void)state;
    Play all = {0};
    const char *more = getenv("THAW_SEEDS"); // first:count
    unsigned long long first = 4001;
    int count = 12;
    if (more && sscanf(more, "%llu:%d", &first, &count) != 2)
        fail_msg("THAW_SEEDS is %s; allowed: first:count", more);
    for (int i = 0; i < count; i++)
        play(first + (unsigned long long)i, 80, &all);
    for (int k = 0; k < 14; k++)
        print_message("%d ", all.counts[k]);
    print_message("calls done\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_any_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
