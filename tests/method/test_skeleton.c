// SPDX-License-Identifier: Apache-2.0
// Bones (docs/bones.md): double pendulum against its own equations by quadrature, momenta of what flies, ledger,
// limits, motors, soft bodies, contact, bits.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/folder.h"
#include "support/world.h"
#include "thaw/thaw.h"

#define ROD "{\"box\": {\"min\": [0, -0.05, -0.05], \"max\": [1, 0.05, 0.05], \"cells\": [2, 1, 1]}}"
#define SHAPES "\"shapes\": {\"rod\": {\"mesh\": " ROD ", \"material\": \"wood\", \"mass\": 2}}"
#define HEAD(g, h, integrator)                                                                                         \
    "{\"thaw\": 1, \"gravity\": " g ", \"time\": {\"step\": " h ", \"integrator\": \"" integrator "\"}, " SHAPES ", "
#define DOWN "[0, 0, -9.81]"
#define HINGE(to, at, more)                                                                                            \
    "\"joint\": {\"kind\": \"revolute\", \"to\": \"" to "\", \"anchor\": " at ", \"axis\": [0, 1, 0]" more "}"
#define BALL(to, at, more) "\"joint\": {\"kind\": \"spherical\", \"to\": \"" to "\", \"anchor\": " at more "}"
#define BONE(name, at, rest)                                                                                           \
    "{\"name\": \"" name "\", \"shape\": \"rod\", \"unit\": \"u\", \"position\": " at ", " rest "}"

#define PENDULUM(h, integrator)                                                                                        \
    HEAD(DOWN, h, integrator)                                                                                          \
    "\"bodies\": [" BONE("a", "[0, 0, 0]", HINGE("world", "[0, 0, 0]", "")) ", " BONE(                                 \
        "b", "[1, 0, 0]", HINGE("a", "[1, 0, 0]", "")) "]}"

static ThawWorld *with_ledger(const char *text) {
    ThawScene *scene = NULL;
    ThawWorld *world = NULL;
    ThawError error = {0};
    if (thaw_scene_parse(text, strlen(text), "scene", NULL, &scene, &error) != THAW_OK)
        fail_msg("%s", error.message);
    scene->world.ledger = 1;
    if (thaw_world_create(&scene->world, &world, &error) != THAW_OK)
        fail_msg("%s", error.message);
    thaw_scene_free(&scene);
    return world;
}

static ThawLedger ledger_of(const ThawWorld *world) {
    ThawLedger ledger;
    assert_int_equal(thaw_world_get_ledger(world, &ledger), THAW_OK);
    return ledger;
}

static ThawJointState joint_of(const ThawWorld *world, int32_t body) {
    ThawJointState joint;
    assert_int_equal(thaw_world_get_joint(world, body, &joint), THAW_OK);
    return joint;
}

// --- against quadrature ----------------------------------------------------------------------------------------------

// A rod: mass, centre from the joint and moment about it, by its vertices.
typedef struct Rod {
    double m, c, I;
} Rod;

static Rod rod_of(const ThawWorld *world, int32_t body, double from) {
    double x[3 * 32], m[32];
    Rod rod = {0};
    assert_int_equal(thaw_world_get_positions(world, body, x), THAW_OK);
    assert_int_equal(thaw_world_get_masses(world, body, m), THAW_OK);
    for (int i = 0; i < thaw_world_vertex_count(world, body); i++) {
        rod.m += m[i];
        rod.c += m[i] * (x[3 * i] - from);
        rod.I += m[i] * ((x[3 * i] - from) * (x[3 * i] - from) + x[3 * i + 2] * x[3 * i + 2]);
    }
    rod.c /= rod.m;
    return rod;
}

// y: angles from below, and their rates.
static void swing(const Rod rod[2], const double y[4], double dy[4]) {
    const double g = 9.81, L = 1, s = sin(y[0] - y[1]), c = cos(y[0] - y[1]);
    const double A = rod[0].I + rod[1].m * L * L, B = rod[1].m * L * rod[1].c * c, C = rod[1].I;
    const double r[2] = {-rod[1].m * L * rod[1].c * y[3] * y[3] * s -
                             (rod[0].m * rod[0].c + rod[1].m * L) * g * sin(y[0]),
                         rod[1].m * L * rod[1].c * y[2] * y[2] * s - rod[1].m * rod[1].c * g * sin(y[1])};
    dy[0] = y[2], dy[1] = y[3];
    dy[2] = (C * r[0] - B * r[1]) / (A * C - B * B);
    dy[3] = (A * r[1] - B * r[0]) / (A * C - B * B);
}

static void integrate(const Rod rod[2], double t, double y[4]) {
    const int steps = (int)ceil(t / 2e-5);
    const double h = t / steps;
    for (int i = 0; i < steps; i++) {
        double k[4][4], z[4];
        for (int s = 0; s < 4; s++) {
            for (int j = 0; j < 4; j++)
                z[j] = y[j] + (s == 0 ? 0 : s == 3 ? h : h / 2) * (s > 0 ? k[s - 1][j] : 0);
            swing(rod, z, k[s]);
        }
        for (int j = 0; j < 4; j++)
            y[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
    }
}

// rad, after a second; and of the energy, how far it ever was off, as a share of what swings.
static double pendulum_error(const char *text, double h, double *lost) {
    ThawWorld *world = with_ledger(text);
    const Rod rod[2] = {rod_of(world, 0, 0), rod_of(world, 1, 1)};
    double y[4] = {M_PI / 2, M_PI / 2, 0, 0};
    const double start = ledger_balance(&(ThawLedger){0}) + ledger_of(world).gravitational;
    *lost = 0;
    for (int i = 0; i < (int)lround(1 / h); i++) {
        run_world(world, 1);
        const ThawLedger now = ledger_of(world);
        *lost = fmax(*lost, fabs(now.kinetic + now.gravitational - start) / (rod[0].m * 9.81));
    }
    integrate(rod, 1, y);
    const double a = joint_of(world, 0).position[0], b = joint_of(world, 1).position[0];
    thaw_world_free(&world);
    return fmax(fabs(a - (M_PI / 2 - y[0])), fabs(a + b - (M_PI / 2 - y[1])));
}

static void a_double_pendulum_swings_as_its_equations_say(void **state) {
    static const char *const texts[] = {PENDULUM("0.02", "euler"),         PENDULUM("0.01", "euler"),
                                        PENDULUM("0.005", "euler"),        PENDULUM("0.01", "tr-bdf2"),
                                        PENDULUM("0.01", "semi-implicit"), PENDULUM("0.01", "euler-newton")};
    static const double h[] = {0.02, 0.01, 0.005, 0.01, 0.01, 0.01};
    double error[6], lost[6];
    (void)state;
    for (int i = 0; i < 6; i++) {
        error[i] = pendulum_error(texts[i], h[i], &lost[i]);
        print_message("h %g: off by %.3g rad, energy by %.3g\n", h[i], error[i], lost[i]);
    }
    print_message("order %.2f, %.2f\n", log2(error[0] / error[1]), log2(error[1] / error[2]));
    assert_true(error[1] < 1e-5 && lost[1] < 1e-5);
    assert_true(log2(error[1] / error[2]) > 3.5);
    for (int i = 3; i < 6; i++)
        assert_true(fabs(error[i] - error[1]) < 1e-8);
}

// --- what flies ------------------------------------------------------------------------------------------------------

#define CHAIN_A "\"spin\": [3, 1, 4], \"velocity\": [1, 2, 3], \"joint\": {\"kind\": \"free\"}"
#define CHAIN_B(more) "\"spin\": [0, 5, -2], " BALL("a", "[1, 0, 0]", more)
#define CHAIN_C                                                                                                        \
    "\"spin\": [1, 0, 6], \"joint\": {\"kind\": \"universal\", \"to\": \"b\", \"anchor\": [2, 0, 0], "                 \
    "\"axis\": [0, 1, 0], \"second\": [0, 0, 1]}"
#define CHAIN_D                                                                                                        \
    "\"velocity\": [2, 0, 0], \"joint\": {\"kind\": \"prismatic\", \"to\": \"c\", \"anchor\": [3, 0, 0], "             \
    "\"axis\": [1, 0, 0]}"
#define CHAIN_BONES(more)                                                                                              \
    BONE("a", "[0, 0, 0]", CHAIN_A)                                                                                    \
    ", " BONE("b", "[1, 0, 0]", CHAIN_B(more)) ", " BONE("c", "[2, 0, 0]", CHAIN_C) ", " BONE("d", "[3, 0, 0]", CHAIN_D)
#define CHAIN(g, more)                                                                                                 \
    HEAD(g, "0.01", "euler") "\"contact\": {\"enabled\": false}, \"bodies\": [" CHAIN_BONES(more) "]}"

static void momenta_of(const ThawWorld *world, double p[6]) {
    double x[3 * 200], v[3 * 200], m[200];
    memset(p, 0, 6 * sizeof *p);
    for (int32_t b = 0; b < thaw_world_body_count(world); b++) {
        assert_int_equal(thaw_world_get_positions(world, b, x), THAW_OK);
        assert_int_equal(thaw_world_get_velocities(world, b, v), THAW_OK);
        assert_int_equal(thaw_world_get_masses(world, b, m), THAW_OK);
        for (int i = 0; i < thaw_world_vertex_count(world, b); i++)
            for (int k = 0; k < 3; k++) {
                const int a = (k + 1) % 3, c = (k + 2) % 3;
                p[k] += m[i] * v[3 * i + k];
                p[3 + k] += m[i] * (x[3 * i + a] * v[3 * i + c] - x[3 * i + c] * v[3 * i + a]);
            }
    }
}

// Velocities become those of the bones when positions are set, to what they are.
static void settle(ThawWorld *world) {
    double x[3 * 64];
    assert_int_equal(thaw_world_get_positions(world, 0, x), THAW_OK);
    assert_int_equal(thaw_world_set_positions(world, 0, x), THAW_OK);
}

static void a_chain_in_flight_keeps_its_momenta(void **state) {
    ThawWorld *world = with_ledger(CHAIN("[0, 0, 0]", ""));
    double p[2][6];
    (void)state;
    run_world(world, 1);
    settle(world);
    momenta_of(world, p[0]);
    const ThawLedger start = ledger_of(world);
    run_world(world, 300);
    settle(world);
    momenta_of(world, p[1]);
    const ThawLedger end = ledger_of(world);
    double worst = 0, size = 0;
    for (int k = 0; k < 6; k++) {
        worst = fmax(worst, fabs(p[1][k] - p[0][k]));
        size = fmax(size, fabs(p[0][k]));
    }
    print_message("momenta off by %.2g of %.3g, energy by %.2g of %.3g J\n", worst, size, end.kinetic - start.kinetic,
                  start.kinetic);
    assert_true(worst < 1e-10 * size);
    assert_true(fabs(end.kinetic - start.kinetic) < 1e-3 * start.kinetic);
    thaw_world_free(&world);
}

static void the_ledger_closes(void **state) {
    static const char *const texts[] = {
        PENDULUM("0.01", "euler"), CHAIN(DOWN, ""),
        CHAIN(DOWN, ", \"stiffness\": 200, \"damping\": 3, \"motor\": {\"stiffness\": 50, \"damping\": 2, "
                    "\"position\": [0, 40, 20]}, \"axis\": [1, 0, 0], \"limits\": [60, [-40, 40]]")};
    (void)state;
    for (int i = 0; i < 3; i++) {
        ThawWorld *world = with_ledger(texts[i]);
        const ThawLedger start = ledger_of(world);
        double open = 0, size = 0;
        for (int k = 0; k < 200; k++) {
            run_world(world, 1);
            const ThawLedger now = ledger_of(world);
            open = fmax(open, fabs(ledger_balance(&now) - ledger_balance(&start)));
            size = fmax(size, now.kinetic);
        }
        const ThawLedger end = ledger_of(world);
        print_message("open by %.2g of %.3g J; motors %.3g, damping %.3g, integration %.3g\n", open, size,
                      end.external_work, end.damping_loss, end.integration_loss);
        assert_true(open < 1e-9 * size);
        assert_true(i == 2 || fabs(end.integration_loss) < 1e-3 * size);
        thaw_world_free(&world);
    }
}

// --- limits and motors -----------------------------------------------------------------------------------------------

// rad, by which its x axis has swung.
static double swing_of(const ThawJointState *joint) {
    const double *p = joint->position, square = p[0] * p[0] + p[1] * p[1] + p[2] * p[2], angle = sqrt(square);
    return acos(1 - (1 - cos(angle)) * (square > 0 ? (p[1] * p[1] + p[2] * p[2]) / square : 0));
}

#define LIMITED_A HINGE("world", "[0, 0, 0]", ", \"limits\": [-10, 50]")
#define LIMITED_B BALL("a", "[1, 0, 0]", ", \"axis\": [1, 0, 0], \"limits\": 30, \"damping\": 0.5")
#define LIMITED                                                                                                        \
    HEAD(DOWN, "0.01", "euler")                                                                                        \
    "\"bodies\": [" BONE("a", "[0, 0, 0]", LIMITED_A) ", " BONE("b", "[1, 0, 0]", LIMITED_B) "]}"

static void limits_hold(void **state) {
    ThawWorld *world = with_ledger(LIMITED);
    double most[2] = {0};
    (void)state;
    for (int i = 0; i < 600; i++) {
        run_world(world, 1);
        const ThawJointState a = joint_of(world, 0), b = joint_of(world, 1);
        most[0] = fmax(most[0], a.position[0] - 50 * M_PI / 180);
        most[1] = fmax(most[1], swing_of(&b) - 30 * M_PI / 180);
    }
    const ThawLedger end = ledger_of(world);
    print_message("beyond by %.2g and %.2g rad at most; left %.2g J\n", most[0], most[1], end.kinetic);
    assert_true(most[0] < 2e-3 && most[1] < 2e-3);
    assert_true(fabs(joint_of(world, 0).position[0] - 50 * M_PI / 180) < 1e-3);
    assert_true(end.kinetic < 1e-3);
    thaw_world_free(&world);
}

#define KEYS "[{\"time\": 0, \"position\": 0}, {\"time\": 1, \"position\": 60}]"
#define MOTOR ", \"motor\": {\"stiffness\": 100, \"damping\": 30, \"keys\": " KEYS "}"
#define DRIVEN                                                                                                         \
    HEAD("[0, 0, 0]", "0.01", "euler")                                                                                 \
    "\"bodies\": [" BONE("a", "[0, 0, 0]", HINGE("world", "[0, 0, 0]", MOTOR)) "]}"

static void a_motor_reaches_its_target(void **state) {
    ThawWorld *world = make_world(DRIVEN, 1);
    ThawMotorDef motor = {.velocity = {2}, .damping = 1e6};
    (void)state;
    run_world(world, 500);
    print_message("at %.6f of 60 degrees\n", joint_of(world, 0).position[0] * 180 / M_PI);
    assert_true(fabs(joint_of(world, 0).position[0] - M_PI / 3) < 1e-6);
    assert_int_equal(thaw_world_set_motor(world, 0, &motor, NULL), THAW_OK);
    run_world(world, 2);
    assert_true(fabs(joint_of(world, 0).velocity[0] - 2) < 1e-4);
    motor.damping = NAN;
    assert_int_equal(thaw_world_set_motor(world, 0, &motor, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_set_motor(world, 1, &motor, NULL), THAW_ERROR_INPUT);
    thaw_world_free(&world);
}

// --- soft bodies -----------------------------------------------------------------------------------------------------

#define SOFT_HEAD(g, integrator)                                                                                       \
    "{\"thaw\": 1, \"gravity\": " g ", \"time\": {\"step\": 0.005, \"integrator\": \"" integrator "\"}, "              \
    "\"shapes\": {\"rod\": {\"mesh\": " ROD ", \"material\": \"wood\", \"mass\": 2}, \"flesh\": {\"mesh\": {\"box\": " \
    "{\"min\": [0, -0.1, -0.1], \"max\": [0.8, 0.1, 0.1], \"cells\": [8, 2, 2]}}, \"material\": \"soft-silicone\", "   \
    "\"groups\": {\"root\": {\"side\": {\"point\": [0.11, 0, 0], \"normal\": [-1, 0, 0]}}}}}, "
#define FLESH "{\"name\": \"flesh\", \"shape\": \"flesh\", \"unit\": \"u\", \"position\": [1, 0, 0]"
#define CARRIED ", \"carried\": [{\"group\": \"root\", \"by\": \"a\"}]}"
#define ON(joint, g, integrator)                                                                                       \
    SOFT_HEAD(g, integrator) "\"bodies\": [" BONE("a", "[0, 0, 0]", joint) ", " FLESH CARRIED "]}"

#define LDL "\"solver\": {\"name\": \"ldl\"}, "

// What a bone holds that is fixed to the world is pinned.
static void on_a_fixed_bone_it_is_as_if_pinned(void **state) {
    static const char *const bound[] = {ON("\"joint\": {\"kind\": \"fixed\"}", DOWN, "semi-implicit"),
                                        ON("\"joint\": {\"kind\": \"fixed\"}", DOWN, "newton")};
    static const char *const pinned[] = {
        SOFT_HEAD(DOWN, "semi-implicit") LDL "\"bodies\": [" FLESH ", \"pins\": [\"root\"]}]}",
        SOFT_HEAD(DOWN, "newton") LDL "\"bodies\": [" FLESH ", \"pins\": [\"root\"]}]}"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        ThawWorld *a = make_world(bound[i], 1), *b = make_world(pinned[i], 1);
        double x[2][3 * 200], worst = 0;
        run_world(a, 60);
        run_world(b, 60);
        assert_int_equal(thaw_world_get_positions(a, 1, x[0]), THAW_OK);
        assert_int_equal(thaw_world_get_positions(b, 0, x[1]), THAW_OK);
        for (int k = 0; k < 3 * thaw_world_vertex_count(b, 0); k++)
            worst = fmax(worst, fabs(x[0][k] - x[1][k]));
        print_message("apart by %.2g m\n", worst);
        assert_true(worst < (i == 0 ? 1e-11 : 1e-9));
        thaw_world_free(&a);
        thaw_world_free(&b);
    }
}

// Nothing is lost between a bone and what hangs on it; the ledger closes; a fine and a coarse step agree.
static void what_is_soft_pulls_back(void **state) {
    static const char *const texts[] = {
        ON("\"spin\": [0, 1, 0], \"joint\": {\"kind\": \"free\"}", "[0, 0, 0]", "euler"),
        ON(HINGE("world", "[0, 0, 0]", ""), DOWN, "euler"), ON(HINGE("world", "[0, 0, 0]", ""), DOWN, "euler-newton"),
        ON(HINGE("world", "[0, 0, 0]", ", \"stiffness\": 4000, \"damping\": 600"), DOWN, "euler")};
    (void)state;
    for (int i = 0; i < 4; i++) {
        ThawWorld *world = with_ledger(texts[i]);
        double p[2][6], v[3 * 200], open = 0, size = 0;
        run_world(world, 1);
        settle(world);
        momenta_of(world, p[0]);
        const ThawLedger start = ledger_of(world);
        for (int k = 0; k < (i == 3 ? 1000 : 150); k++) {
            run_world(world, 1);
            const ThawLedger now = ledger_of(world);
            open = fmax(open, fabs(ledger_balance(&now) - ledger_balance(&start)));
            size = fmax(size, now.kinetic);
        }
        const ThawLedger end = ledger_of(world);
        settle(world);
        momenta_of(world, p[1]);
        assert_int_equal(thaw_world_get_velocities(world, 1, v), THAW_OK);
        print_message(
            "open by %.2g of %.3g J, integration %.3g, p off by %.2g, L by %.2g of %.3g, angle %.5f, K %.2g\n", open,
            size, end.integration_loss, fabs(p[1][0] - p[0][0]) + fabs(p[1][1] - p[0][1]) + fabs(p[1][2] - p[0][2]),
            fabs(p[1][4] - p[0][4]), fabs(p[0][4]), joint_of(world, 0).position[0], end.kinetic);
        assert_true(open < 1e-9 * size);
        assert_true(i > 0 || fabs(p[1][0] - p[0][0]) + fabs(p[1][1] - p[0][1]) + fabs(p[1][2] - p[0][2]) < 1e-10);
        assert_true(end.integration_loss > -1e-3 * size);
        assert_true(i != 3 || end.kinetic < 0.05 * size);
        thaw_world_free(&world);
    }
}

// --- contact and bits ------------------------------------------------------------------------------------------------

#define FLOOR ", \"obstacles\": [{\"plane\": {\"normal\": [0, 0, 1]}}]"
#define HEAP_A "\"spin\": [1, 2, 3], \"joint\": {\"kind\": \"free\"}"
#define HEAP_B BALL("a", "[1, 0, 1]", ", \"damping\": 0.1, \"axis\": [1, 0, 0], \"limits\": [80, [-60, 60]]")
#define HEAP_C HINGE("b", "[2, 0, 1]", ", \"damping\": 0.1, \"limits\": [-100, 100]")
#define HEAP_BONES                                                                                                     \
    BONE("a", "[0, 0, 1]", HEAP_A) ", " BONE("b", "[1, 0, 1]", HEAP_B) ", " BONE("c", "[2, 0, 1]", HEAP_C)
#define HEAP HEAD(DOWN, "0.01", "euler") "\"bodies\": [" HEAP_BONES "]" FLOOR "}"

static void a_chain_falls_onto_the_floor_and_lies(void **state) {
    ThawWorld *world = with_ledger(HEAP);
    const ThawLedger start = ledger_of(world);
    double open = 0, lowest = 1, x[3 * 64];
    (void)state;
    for (int i = 0; i < 600; i++) {
        run_world(world, 1);
        const ThawLedger now = ledger_of(world);
        open = fmax(open, fabs(ledger_balance(&now) - ledger_balance(&start)));
        for (int32_t b = 0; b < 3; b++) {
            assert_int_equal(thaw_world_get_positions(world, b, x), THAW_OK);
            for (int k = 0; k < thaw_world_vertex_count(world, b); k++)
                lowest = fmin(lowest, x[3 * k + 2]);
        }
    }
    const ThawLedger end = ledger_of(world);
    print_message("lies with %.2g J, lowest at %.2g m, ledger open by %.2g J, integration %.3g of %.3g J\n",
                  end.kinetic, lowest, open, end.integration_loss, start.gravitational - end.gravitational);
    assert_true(end.kinetic < 1e-5 && lowest > -5e-3 && open < 1e-8);
    thaw_world_free(&world);
}

static int is_ripe(const ThawWorld *world, const ThawStepStats *stats) { return world && stats->step % 9 == 0; }

static void it_is_saved_and_resumed_bit_for_bit(void **state) {
    (void)state;
    assert_true(bits_across_checkpoints(HEAP, 150, at("bones.h5"), is_ripe) > 5);
    assert_true(bits_across_checkpoints(CHAIN(DOWN, ", \"axis\": [1, 0, 0], \"limits\": 50"), 100, at("bones.h5"),
                                        is_ripe) > 5);
}

typedef struct Impatient {
    atomic_int asked;
    int patience;
} Impatient;

static int wanted(void *context) {
    Impatient *who = context;
    return atomic_fetch_add(&who->asked, 1) >= who->patience;
}

static void a_step_that_is_cancelled_leaves_no_trace(void **state) {
    (void)state;
    ThawWorld *worlds[2] = {make_world(HEAP, 1), make_world(HEAP, 1)};
    int cancelled = 0;
    for (int i = 0; i < 120; i++) {
        Impatient who = {.patience = i % 7};
        const uint64_t before = thaw_world_full_hash(worlds[0]);
        assert_int_equal(thaw_world_set_cancel(worlds[0], &(ThawCancel){wanted, &who}), THAW_OK);
        ThawStatus status = thaw_world_step(worlds[0], NULL, NULL);
        assert_int_equal(thaw_world_set_cancel(worlds[0], NULL), THAW_OK);
        if (status == THAW_CANCELLED) {
            cancelled++;
            assert_true(thaw_world_full_hash(worlds[0]) == before);
            run_world(worlds[0], 1);
        }
        run_world(worlds[1], 1);
        assert_true(thaw_world_full_hash(worlds[0]) == thaw_world_full_hash(worlds[1]));
    }
    assert_true(cancelled > 30);
    for (int i = 0; i < 2; i++)
        thaw_world_free(&worlds[i]);
}

// --- what is refused -------------------------------------------------------------------------------------------------

// A text and what its message has.
typedef struct Bad {
    const char *text, *says;
} Bad;

#define ONE(rest) HEAD(DOWN, "0.01", "euler") "\"bodies\": [" BONE("a", "[0, 0, 0]", rest) "]}"
#define JOINT(rest) ONE("\"joint\": {\"anchor\": [0, 0, 0], " rest "}")

static void what_makes_no_sense_is_refused(void **state) {
    static const Bad bad[] = {
        {ONE("\"joint\": {}"), "kind"},
        {ONE("\"joint\": {\"kind\": \"knee\"}"), "revolute"},
        {ONE("\"joint\": {\"kind\": \"revolute\"}"), "anchor"},
        {JOINT("\"kind\": \"free\""), "anchor"},
        {JOINT("\"kind\": \"revolute\", \"to\": \"b\""), "no body of that name before"},
        {JOINT("\"kind\": \"revolute\", \"to\": \"a\""), "no body of that name before"},
        {JOINT("\"kind\": \"revolute\", \"axis\": [0, 0, 0]"), "axis is 0"},
        {JOINT("\"kind\": \"universal\", \"axis\": [1, 0, 0], \"second\": [1, 0, 0]"), "across the first"},
        {JOINT("\"kind\": \"revolute\", \"limits\": [10, 20]"), "between them"},
        {JOINT("\"kind\": \"revolute\", \"limits\": 5"), "array"},
        {JOINT("\"kind\": \"spherical\", \"limits\": 50"), "axis"},
        {JOINT("\"kind\": \"spherical\", \"axis\": [1, 0, 0], \"limits\": 200"), "180"},
        {JOINT("\"kind\": \"fixed\", \"limits\": [0, 1]"), "limits"},
        {JOINT("\"kind\": \"revolute\", \"damping\": -1"), "damping"},
        {JOINT("\"kind\": \"revolute\", \"rest\": [1, 2]"), "a number"},
        {JOINT("\"kind\": \"spherical\", \"motor\": {\"position\": 1}"), "array"},
        {JOINT("\"kind\": \"revolute\", \"motor\": {\"force\": 1}"), "force"},
        {JOINT("\"kind\": \"revolute\", \"motor\": {\"keys\": [{\"time\": 1, \"position\": 0}, "
               "{\"time\": 1, \"position\": 0}]}"),
         "ascend"},
        {ONE("\"joint\": {\"kind\": \"free\", \"damping\": 1}"), "nothing to push against"},
        {ONE("\"joint\": {\"kind\": \"free\"}, \"method\": \"full\""), "skeleton"},
        {ONE("\"joint\": {\"kind\": \"free\"}, \"pins\": [\"x-min\"]"), "a joint to the world"},
        {ONE("\"joint\": {\"kind\": \"free\"}, \"restitution\": 0.5"), "restitution"},
        {ONE("\"joint\": {\"kind\": \"free\"}, \"repeat\": {\"count\": [2, 1, 1], \"step\": [2, 0, 0]}"), "repeat"},
        {ONE("\"method\": \"skeleton\""), "no bone"},
        {ONE("\"carried\": [{\"group\": \"x-min\", \"by\": \"b\"}]"), "no body of that name before"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ThawScene *scene = NULL;
        ThawWorld *world = NULL;
        ThawError error = {0};
        ThawStatus status = thaw_scene_parse(bad[i].text, strlen(bad[i].text), "scene", NULL, &scene, &error);
        if (status == THAW_OK)
            status = thaw_world_create(&scene->world, &world, &error);
        if (status != THAW_ERROR_INPUT || !strstr(error.message, bad[i].says))
            fail_msg("%s\n%s: %s", bad[i].text, thaw_status_name(status), error.message);
        thaw_world_free(&world);
        thaw_scene_free(&scene);
    }
}

static void a_definition_is_checked_as_well(void **state) {
    ThawScene *scene = NULL;
    ThawError error = {0};
    (void)state;
    assert_int_equal(thaw_scene_parse(DRIVEN, strlen(DRIVEN), "scene", NULL, &scene, &error), THAW_OK);
    ThawBodyDef body = scene->world.bodies[0];
    scene->world.bodies = &body;
    for (int i = 0; i < 9; i++) {
        ThawJointDef joint = thaw_joint_def_default();
        ThawWorld *world = NULL;
        joint.kind = THAW_JOINT_REVOLUTE;
        body.joint = &joint;
        if (i == 0)
            joint.kind = (ThawJointKind)77;
        else if (i == 1)
            joint.parent = 0;
        else if (i == 2)
            joint.axis[0] = NAN;
        else if (i == 3)
            joint.lower[0] = 1;
        else if (i == 4)
            joint.stiffness = INFINITY;
        else if (i == 5)
            joint.motor.damping = -1;
        else if (i == 6)
            joint.motor.key_count = 3;
        else if (i == 7)
            joint.rest[2] = INFINITY;
        else
            joint.motor.position[1] = NAN;
        assert_int_equal(thaw_world_create(&scene->world, &world, &error), THAW_ERROR_INPUT);
        assert_null(world);
        assert_true(strstr(error.message, "allowed") || strstr(error.message, "NULL"));
    }
    thaw_scene_free(&scene);
}

static void methods_of_bones_stay(void **state) {
    ThawWorld *world = make_world(DRIVEN, 1);
    ThawJointState joint;
    ThawError error = {0};
    (void)state;
    assert_int_equal(thaw_world_set_method(world, -1, "full", &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "moves no bones"));
    assert_int_equal(thaw_world_solve_static(world, NULL, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_get_joint(world, 1, &joint), THAW_ERROR_INPUT);
    assert_int_equal(thaw_world_get_joint(NULL, 0, &joint), THAW_ERROR_INPUT);
    thaw_world_free(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_double_pendulum_swings_as_its_equations_say),
        cmocka_unit_test(a_chain_in_flight_keeps_its_momenta),
        cmocka_unit_test(the_ledger_closes),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(a_motor_reaches_its_target),
        cmocka_unit_test(on_a_fixed_bone_it_is_as_if_pinned),
        cmocka_unit_test(what_is_soft_pulls_back),
        cmocka_unit_test(a_chain_falls_onto_the_floor_and_lies),
        cmocka_unit_test(a_step_that_is_cancelled_leaves_no_trace),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(a_definition_is_checked_as_well),
        cmocka_unit_test(methods_of_bones_stay),
        cmocka_unit_test(it_is_saved_and_resumed_bit_for_bit),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
