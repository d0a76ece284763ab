// SPDX-License-Identifier: Apache-2.0
// Bodies that nothing holds hit each other: the sum of their momenta stays what it was in every step, by the full
// method and by the adaptive one, whatever wakes, becomes rigid or is followed meanwhile.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "method/rigidify/rigidify.h"
#include "registry/scheme.h"
#include "step/step.h"
#include "support/repeats.h"
#include "support/world.h"
#include "thaw/thaw.h"

// Linear momentum of all bodies: of elastic vertices by their velocities, of parts by their own momenta. size: the sum
// of |m v|.
static void add_up(const ThawWorld *world, double P[3], double *size) {
    size_t dim = (size_t)world->model->dim;
    *size = P[0] = P[1] = P[2] = 0;
    for (int32_t b = 0; b < world->model->body_count; b++) {
        const ThawStepper *s = &world->steppers[b];
        const ThawPartition *parts = s->data && !world->state.asleep[b] ? thaw_rigidify(s)->partition : NULL;
        for (size_t i = 0; i < (size_t)s->shape->nv; i++)
            for (size_t k = 0; k < dim && (!parts || parts->part_of_vertex[i] < 0); k++) {
                P[k] += s->shape->mass[i] * s->v[i * dim + k];
                *size += fabs(s->shape->mass[i] * s->v[i * dim + k]);
            }
        for (int32_t p = 0; parts && p < parts->part_count; p++)
            for (size_t k = 0; k < dim; k++) {
                P[k] += parts->parts[p].P[k];
                *size += fabs(parts->parts[p].P[k]);
            }
    }
}

typedef struct Seen {
    double error;                    // of the sum, over the largest size
    int64_t touching, mixed, asleep; // steps with contacts, with parts beside elastic elements, with sleepers
} Seen;

static Seen watch(const char *text, const char *method, int steps) {
    ThawWorld *world = make_world_by(text, method, 1);
    double P[3], P0[3], size, largest, worst = 0;
    Seen seen = {0};
    add_up(world, P0, &largest);
    for (int i = 0; i < steps; i++) {
        ThawStepStats stats;
        step_world(world, &stats);
        add_up(world, P, &size);
        largest = fmax(largest, size);
        for (int k = 0; k < 3; k++)
            worst = fmax(worst, fabs(P[k] - P0[k]));
        seen.touching += stats.contacts > 0;
        seen.mixed += stats.rigid_parts > 0 && stats.elastic_elements > 0;
        seen.asleep += stats.asleep > 0;
    }
    seen.error = worst / largest;
    thaw_world_free(&world);
    return seen;
}

// It flies, wholly rigid, for a quarter of a second before it hits a cube that stands still, and so has fallen asleep.
static void a_ball_gives_a_sleeping_cube_what_it_loses(void **state) {
    (void)state;
    const char *text =
        "{\"thaw\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.001}, \"materials\": {\"r\": {\"young\": 5e6, "
        "\"density\": 1000, \"poisson\": 0.3, \"alpha1\": 0}, \"q\": {\"young\": 2e6, \"density\": 500, \"poisson\": "
        "0.3, \"alpha1\": 0}}, \"shapes\": {\"cube\": {\"mesh\": {\"box\": {\"min\": [-0.1, -0.1, -0.1], \"max\": "
        "[0.1, 0.1, 0.1], \"cells\": [3, 3, 3]}}, \"material\": \"r\"}, \"ball\": {\"mesh\": {\"solid\": {\"sphere\": "
        "{\"radius\": 0.08}}, \"elements\": 250}, \"material\": \"q\"}}, \"bodies\": [{\"shape\": \"cube\"}, "
        "{\"shape\": \"ball\", \"position\": [-1, 0.05, 0.03], \"velocity\": [3, 0, 0]}], \"pairs\": "
        "[{\"between\": [\"*\", \"*\"], \"friction\": 0.3}]}";
    const char *methods[] = {"full", "rigidify"};
    for (int k = 0; k < 2; k++) {
        Seen seen = watch(text, methods[k], 500);
        print_message("%s: momentum off by %.1e; %lld steps in contact, %lld with sleepers\n", methods[k], seen.error,
                      (long long)seen.touching, (long long)seen.asleep);
        assert_true(seen.touching > 0 && (k == 0 || seen.asleep > 0));
        assert_true(seen.error < 1e-6);
    }
}

static double between(uint64_t *seed, double a, double b) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return a + (b - a) * (double)(*seed >> 33) / 2147483648.;
}
static int chance(uint64_t *seed, double share) { return between(seed, 0, 1) < share; }

// Writes on at the end of what is there.
static void add(char text[4000], const char *format, ...) {
    size_t length = strlen(text);
    va_list list;
    va_start(list, format);
    assert_true((size_t)vsnprintf(text + length, 4000 - length, format, list) < 4000 - length);
    va_end(list);
}

static void add_vector(char text[4000], int dim, double x, double y, double z) {
    add(text, dim == 2 ? "[%g, %g]" : "[%g, %g, %g]", x, y, z);
}

// Two or three bodies of random sizes, moduli and densities in a row, the first of which flies at the others and is
// there after some 60 steps. Steps are 0.03 to 5 times what sound takes through a body.
static void write_collision(uint64_t seed, const char *integrator, char text[4000]) {
    between(&seed, 0, 1);
    int dim = chance(&seed, 0.35) ? 2 : 3, count = chance(&seed, 0.3) ? 3 : 2;
    double L = pow(10, between(&seed, -2, 1)), E = pow(10, between(&seed, 4, 9)), rho = between(&seed, 100, 5000);
    double sound = L / sqrt(E / rho), h = fmin(10, sound * pow(10, between(&seed, -1.5, 0.7))), v = L / (60 * h);
    double frictions[] = {0, 0.3, 0.8};
    *text = 0;
    add(text, "{\"thaw\": 1, \"dimension\": %d, \"gravity\": ", dim);
    add_vector(text, dim, 0, 0, 0);
    add(text, ", \"time\": {\"step\": %g, \"integrator\": \"%s\"}", h, integrator);
    add(text, ", \"pairs\": [{\"between\": [\"*\", \"*\"], \"friction\": %g}]%s",
        frictions[(int)between(&seed, 0, 2.999)], chance(&seed, 0.3) ? ", \"contact\": {\"stiffness\": \"hard\"}" : "");
    add(text, ", \"materials\": {");
    for (int i = 0; i < count; i++)
        add(text, "%s\"m%d\": {\"young\": %g, \"density\": %g, \"poisson\": %g, \"alpha1\": %g%s}", i ? ", " : "", i,
            E * pow(10, between(&seed, -0.7, 0.7)), rho * between(&seed, 0.5, 2), between(&seed, 0, 0.4),
            chance(&seed, 0.5) ? 0 : 0.01 * sound * pow(10, between(&seed, -1, 1)),
            chance(&seed, 0.5) ? ", \"damping\": \"viscous\"" : "");
    add(text, "}, \"shapes\": {");
    for (int i = 0; i < count; i++) {
        add(text, "%s\"s%d\": {\"mesh\": ", i ? ", " : "", i);
        if (dim == 3 && chance(&seed, 0.3))
            add(text, "{\"solid\": {\"sphere\": {\"radius\": %g}}, \"elements\": 150}", L * between(&seed, 0.3, 0.5));
        else {
            double size[3] = {L * between(&seed, 0.2, 0.5), L * between(&seed, 0.2, 0.5), L * between(&seed, 0.2, 0.5)};
            add(text, "{\"box\": {\"min\": ");
            add_vector(text, dim, -size[0], -size[1], -size[2]);
            add(text, ", \"max\": ");
            add_vector(text, dim, size[0], size[1], size[2]);
            add(text, ", \"cells\": ");
            add_vector(text, dim, dim == 2 ? 4 : 2, 3, 2);
            add(text, "}}");
        }
        add(text, ", \"material\": \"m%d\"}", i);
    }
    add(text, "}, \"bodies\": [");
    for (int i = 0; i < count; i++) {
        add(text, "%s{\"shape\": \"s%d\", \"position\": ", i ? ", " : "", i);
        add_vector(text, dim, 2 * i * L, between(&seed, -0.3, 0.3) * L, between(&seed, -0.3, 0.3) * L);
        add(text, ", \"velocity\": ");
        add_vector(text, dim, i == 0 ? v : chance(&seed, 0.3) ? -v * between(&seed, 0, 1) : 0, 0, 0);
        if (chance(&seed, 0.3) && dim == 2)
            add(text, ", \"spin\": %g", between(&seed, -1, 1) * v / L);
        else if (chance(&seed, 0.3) && dim == 3)
            add(text, ", \"spin\": [%g, %g, %g]", between(&seed, -1, 1) * v / L, between(&seed, -1, 1) * v / L,
                between(&seed, -1, 1) * v / L);
        add(text, "}");
    }
    add(text, "]}");
}

// By every integrator.
static void random_collisions_keep_momentum(void **state) {
    (void)state;
    const char *many = getenv("THAW_RANDOM_HITS"), *methods[] = {"full", "rigidify"};
    const int count = many ? atoi(many) : repeats(40);
    for (int integrator = 0; integrator < THAW_INTEGRATOR_COUNT; integrator++) {
        const char *name = thaw_scheme((ThawIntegrator)integrator)->name;
        double worst[2] = {0};
        int64_t touched = 0, mixed = 0;
        for (int i = 0; i < count; i++) {
            char text[4000];
            write_collision(77 + (uint64_t)i, name, text);
            for (int k = 0; k < 2; k++) {
                Seen seen = watch(text, methods[k], 150);
                worst[k] = fmax(worst[k], seen.error);
                touched += seen.touching > 0;
                mixed += seen.mixed > 0;
                if (seen.error > 1e-6)
                    fail_msg("collision %d by %s: momentum off by %g\n%s", i, methods[k], seen.error, text);
            }
        }
        print_message("%s: off by %.1e by full, %.1e by rigidify; %lld of %d touched, %lld had parts beside elastic "
                      "elements\n",
                      name, worst[0], worst[1], (long long)touched, 2 * count, (long long)mixed);
        assert_true(touched > count && mixed > count / 4);
    }
}

// A sheet, or a closed one under pressure, hits another in flight.
static void write_sheets(uint64_t seed, char text[4000]) {
    between(&seed, 0, 1);
    double L = pow(10, between(&seed, -1, 0.5)), E = pow(10, between(&seed, 6, 9)), rho = between(&seed, 100, 3000);
    double sound = L / sqrt(E / rho), h = sound * pow(10, between(&seed, -0.5, 0.7)), v = L / (60 * h);
    *text = 0;
    add(text,
        "{\"thaw\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": %g}, \"materials\": {\"m\": {\"young\": %g, "
        "\"density\": %g, \"poisson\": %g, \"alpha1\": %g}}, \"pairs\": [{\"between\": [\"*\", \"*\"], \"friction\": "
        "%g}], \"shapes\": {",
        h, E, rho, between(&seed, 0, 0.4), chance(&seed, 0.5) ? 0 : sound, between(&seed, 0, 0.8));
    for (int i = 0; i < 2; i++) {
        const double t = L * pow(10, between(&seed, -2, -1.2));
        add(text, "%s\"s%d\": {\"material\": \"m\", \"thickness\": %g, \"mesh\": {\"sheet\": ", i ? ", " : "", i, t);
        if (chance(&seed, 0.4))
            add(text, "{\"sphere\": {\"radius\": %g}}, \"size\": %g}, \"pressure\": %g}", 0.4 * L, 0.2 * L,
                1e-3 * E * t / L);
        else
            add(text, "{\"grid\": {\"width\": %g, \"height\": %g}}, \"size\": %g}}", L, L * between(&seed, 0.3, 1),
                L * between(&seed, 0.1, 0.2));
    }
    add(text,
        "}, \"bodies\": [{\"shape\": \"s0\"}, {\"shape\": \"s1\", \"position\": [%g, %g, %g], \"velocity\": [0, 0, "
        "%g], "
        "\"spin\": [%g, %g, 0]}]}",
        between(&seed, -0.2, 0.2) * L, between(&seed, -0.2, 0.2) * L, 1.2 * L, -v, between(&seed, -1, 1) * v / L,
        between(&seed, -1, 1) * v / L);
}

static void sheets_that_collide_keep_momentum(void **state) {
    (void)state;
    const char *methods[] = {"full", "rigidify"};
    const int count = repeats(24);
    double worst[2] = {0};
    int64_t touched = 0, mixed = 0;
    for (int i = 0; i < count; i++) {
        char text[4000];
        write_sheets(500 + (uint64_t)i, text);
        for (int k = 0; k < 2; k++) {
            Seen seen = watch(text, methods[k], 150);
            worst[k] = fmax(worst[k], seen.error);
            touched += seen.touching > 0;
            mixed += seen.mixed > 0;
            if (seen.error > 1e-6)
                fail_msg("collision %d by %s: momentum off by %g\n%s", i, methods[k], seen.error, text);
        }
    }
    print_message("sheets: off by %.1e by full, %.1e by rigidify; %lld of %d touched, %lld had parts beside elastic "
                  "elements\n",
                  worst[0], worst[1], (long long)touched, 2 * count, (long long)mixed);
    assert_true(touched > count && mixed > count / 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_gives_a_sleeping_cube_what_it_loses),
        cmocka_unit_test(random_collisions_keep_momentum),
        cmocka_unit_test(sheets_that_collide_keep_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
