// SPDX-License-Identifier: Apache-2.0
// What contact impulses must do: rest, friction, bad starts, towers, and the same bits always.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "response/support_response.h"

// --- rest ------------------------------------------------------------------------------------------------------------

// A box of dim^... points on a floor, at rest on uneven contacts: v* = -A^-1 J' lambda0, lambda0 = -h k Phi.
static Island *resting(int dim, double h, double stiffness, double k, double tangent, double deep) {
    Island *island = island_stack(dim, h, 2, 2, stiffness, 1, k, 0.9);
    island->options.tangent = tangent;
    island->options.tolerance = 1e-12;
    island->options.iterations = 5000;
    for (int32_t i = 0; i < island->count; i++) {
        ThawContact *contact = island->contacts + i;
        contact->gap = -deep * (1 + 0.1 * (i % 5));
        contact->damping = 3;
        contact->lambda[0] = -h * k * contact->gap;
        contact->held = -contact->gap;
        for (int c = 0; c < dim - 1 && tangent > 0; c++) {
            contact->drift[c] = 0.2 * deep * (c ? 1 : -0.5);
            contact->lambda[1 + c] = -h * tangent * k * contact->drift[c];
        }
    }
    for (int32_t b = 0; b < island->body_count; b++) {
        double *v = calloc((size_t)(dim * island->dense[b].nv), sizeof *v);
        island_velocity(island, b, v);
        for (int32_t i = 0; i < dim * island->dense[b].nv; i++)
            island->dense[b].v[i] = -v[i];
        free(v);
    }
    return island;
}

static void at_rest_the_normal_force_is_k_times_depth_for_any_step_and_any_body(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int form = 1; form <= 2; form++)
            for (int kind = 0; kind < 2; kind++)
                for (double h = 0.02; h > 0.001; h /= 4) {
                    Island *island = resting(dim, h, kind ? 1e4 : 0, 2e3, 0, 1e-3);
                    island->options.form = form;
                    for (int32_t i = 0; i < island->count; i++)
                        memset(island->contacts[i].lambda, 0, sizeof island->contacts[i].lambda); // no warm start
                    ThawResponseInfo info;
                    island_solve(island, NULL, &info);
                    assert_true(info.residual < 1e-10);
                    for (int32_t i = 0; i < island->count; i++) {
                        assert_near(island->contacts[i].lambda[0] / h, -2e3 * island->contacts[i].gap, 1e-6);
                        if (kind) // a rigid body's hard tangents may be strained against each other
                            assert_near(island->contacts[i].lambda[1], 0, 1e-9);
                    }
                    island_free(island);
                }
}

static void with_tangent_springs_friction_at_rest_is_unique_too(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int form = 1; form <= 2; form++)
            for (int kind = 0; kind < 2; kind++) {
                Island *island = resting(dim, 0.01, kind ? 1e4 : 0, 2e3, 0.5, 1e-3);
                island->options.form = form;
                for (int32_t i = 0; i < island->count; i++)
                    memset(island->contacts[i].lambda, 0, sizeof island->contacts[i].lambda);
                ThawResponseInfo info;
                island_solve(island, NULL, &info);
                assert_true(info.residual < 1e-10);
                for (int32_t i = 0; i < island->count; i++)
                    for (int c = 0; c < dim - 1; c++)
                        assert_near(island->contacts[i].lambda[1 + c], -0.01 * 1e3 * island->contacts[i].drift[c],
                                    1e-8);
                island_free(island);
            }
}

static void a_warm_start_that_is_right_is_kept_to_the_bit(void **state) {
    (void)state;
    for (int form = 1; form <= 2; form++) {
        Island *island = island_stack(3, 0.01, 5, 1, 0, 1, 1e4, 0.5);
        island_fall(island, 9.81);
        island->options.form = form;
        ThawResponseInfo info;
        assert_int_equal(island_solve(island, NULL, &info), THAW_OK);
        double before[60];
        for (int32_t i = 0; i < island->count; i++)
            memcpy(before + 3 * i, island->contacts[i].lambda, 3 * sizeof(double));
        assert_int_equal(island_solve(island, NULL, &info), THAW_OK);
        assert_int_equal(info.iterations, 1); // the product that finds nothing to do
        for (int32_t i = 0; i < island->count; i++)
            assert_memory_equal(before + 3 * i, island->contacts[i].lambda, 3 * sizeof(double));
        island_free(island);
    }
}

static ThawStatus not_at_all(void *context, const ThawBlockRows *J, ThawPorts *ports, double *H) {
    (void)ports;
    (void)context, (void)J, (void)H;
    return THAW_ERROR_MEMORY;
}

static ThawStatus no_blocks(void *context, int32_t count, const int32_t *vertices, int32_t *from, double *S) {
    (void)context, (void)count, (void)vertices, (void)from, (void)S;
    return THAW_ERROR_MEMORY;
}

static ThawStatus no_product(void *context, const double *impulse, double *dv) {
    (void)context, (void)impulse, (void)dv;
    return THAW_ERROR_MEMORY;
}

static ThawStatus pass_blocks(void *context, int32_t count, const int32_t *vertices, int32_t *from, double *S) {
    const ThawResponseBody *body = context;
    return body->blocks(body->context, count, vertices, from, S);
}

static ThawStatus pass_on(void *context, const double *impulse, double *dv) {
    const ThawResponseBody *body = context;
    return body->apply(body->context, impulse, dv);
}

static void an_island_whose_warm_start_is_right_is_not_assembled_where_that_is_dear(void **state) {
    (void)state;
    Island *island = island_heap(1, 150, 150);
    island->options.tolerance = 1e-9;
    ThawResponseInfo info;
    assert_int_equal(island_solve(island, NULL, &info), THAW_OK);
    ThawContact *solved = malloc((size_t)island->count * sizeof *solved);
    memcpy(solved, island->contacts, (size_t)island->count * sizeof *solved);
    ThawResponseBody inner = island->bodies[0];
    island->bodies[0].context = &inner;
    island->bodies[0].compliance = not_at_all;
    island->bodies[0].compliance_cost = island->bodies[0].apply_cost;
    island->bodies[0].blocks = pass_blocks;
    island->bodies[0].apply = pass_on;
    island->bodies[0].modes = NULL;
    island->options.tolerance = 1e-6;
    assert_int_equal(island_solve(island, NULL, &info), THAW_OK);
    assert_int_equal(info.form, 1);
    assert_memory_equal(solved, island->contacts, (size_t)island->count * sizeof *solved);
    free(solved);
    island_free(island);
}

static void an_island_that_is_cheap_is_assembled_at_once(void **state) {
    (void)state;
    Island *island = island_heap(1, 150, 150);
    ThawResponseInfo info;
    assert_int_equal(island_solve(island, NULL, &info), THAW_OK); // now the warm start is right
    ThawResponseBody *body = &island->bodies[0];
    body->compliance_cost = body->apply_cost / 150; // all vertices for the price of one product: no trial is worth it
    body->pair_cost = 0;
    body->blocks = no_blocks;
    body->apply = no_product;
    island->options.form = 1;
    assert_int_equal(island_solve(island, NULL, &info), THAW_OK);
    body->compliance_cost = 150 * body->apply_cost;
    assert_int_equal(island_solve(island, NULL, &info), THAW_ERROR_MEMORY); // dear: a trial is made
    island_free(island);
}

// --- one box on a floor ----------------------------------------------------------------------------------------------

static void set_speed(Island *island, int32_t b, double x, double y, double z) {
    double v[3] = {x, y, z};
    for (int32_t i = 0; i < island->dense[b].nv; i++)
        for (int k = 0; k < island->dim; k++)
            island->dense[b].v[island->dim * i + k] = island->dim == 2 && k == 1 ? z : v[k];
}

static void total(const Island *island, double sum[3]) {
    memset(sum, 0, 3 * sizeof *sum);
    for (int32_t i = 0; i < island->count; i++)
        for (int r = 0; r < island->dim; r++)
            for (int k = 0; k < island->dim; k++)
                sum[k] += island->contacts[i].frame[r][k] * island->contacts[i].lambda[r];
}

static void a_sliding_box_is_slowed_by_mu_times_its_weight_opposite_to_its_slip(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int form = 1; form <= 2; form++) {
            // Rigid, thin (no lever arm to speak of): all contacts stay closed.
            Island *island = island_stack(dim, 0.01, 1, 1, 0, 1, 1e5, 0.3);
            set_speed(island, 0, 3, 4, -0.0981);
            island->options.form = form;
            ThawResponseInfo info;
            assert_int_equal(island_solve(island, NULL, &info), THAW_OK);
            double sum[3], up, side;
            total(island, sum);
            up = sum[dim - 1];
            side = dim == 3 ? hypot(sum[0], sum[1]) : fabs(sum[0]);
            assert_near(side, 0.3 * up, 1e-3 * up); // up to the turn of the box over a step
            assert_true(sum[0] < 0);
            if (dim == 3)
                assert_near(sum[1] / sum[0], 4.0 / 3, 2e-2);
            assert_int_equal(island_offender(island, 1e-5), -1);
            island_free(island);
        }
}

static void a_sticking_box_does_not_slip_and_returns_to_its_anchor(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int drift = 0; drift < 2; drift++) {
            Island *island = island_stack(dim, 0.01, 1, 1, 0, 1, INFINITY, 0.8);
            set_speed(island, 0, 0.02, -0.01, -0.0981); // 0.02 < 0.8 * 0.0981
            for (int32_t i = 0; i < island->count && drift; i++)
                island->contacts[i].drift[0] = 1e-4;
            ThawResponseInfo info;
            assert_int_equal(island_solve(island, NULL, &info), THAW_OK);
            double v[24];
            island_velocity(island, 0, v);
            for (int32_t i = 0; i < island->count; i++) {
                const ThawContact *contact = island->contacts + i;
                double u[2] = {0};
                for (int r = 1; r < dim; r++)
                    for (int k = 0; k < dim; k++)
                        u[r - 1] += contact->frame[r][k] * v[dim * contact->vertex[0][0] + k];
                assert_near(u[0], drift ? -0.2 / 0.01 * 1e-4 : 0, 1e-6);
                assert_near(u[1], 0, 1e-6);
            }
            island_free(island);
        }
}

// Steps a rigid box on a floor under gravity tilted by `angle`: how far along x it came, and its speed in the end. Gaps
// and drifts follow the linearised motion, anchors as contacts remember them.
static void simulate(Island *island, double angle, int steps, double *x, double *v) {
    int d = island->dim;
    double h = island->options.h, after[81], start = 0;
    for (int step = 0; step < steps; step++) {
        for (int32_t i = 0; i < island->dense[0].nv; i++) {
            island->dense[0].v[d * i] += h * 9.81 * sin(angle);
            island->dense[0].v[d * i + d - 1] -= h * 9.81 * cos(angle);
        }
        ThawResponseInfo info;
        if (island_solve(island, NULL, &info) != THAW_OK)
            fail_msg("step %d: residual %g", step, info.residual);
        island_velocity(island, 0, after);
        memcpy(island->dense[0].v, after, (size_t)(d * island->dense[0].nv) * sizeof *after);
        for (int32_t i = 0; i < island->count; i++) {
            ThawContact *contact = island->contacts + i;
            double u[3] = {0}, friction = hypot(contact->lambda[1], contact->lambda[2]);
            for (int r = 0; r < d; r++)
                for (int k = 0; k < d; k++)
                    u[r] += contact->frame[r][k] * after[d * contact->vertex[0][0] + k];
            contact->gap += h * u[0];
            for (int k = 0; k < d - 1; k++)
                contact->drift[k] += h * u[1 + k];
            if (friction >= 0.999 * contact->friction * contact->lambda[0])
                response_slip(&island->options, contact, contact->drift);
        }
        start += h * after[0];
    }
    *x = start;
    *v = after[0];
}

// A rigid box on a floor, as deep in it as it is at rest.
static Island *block(int dim, double mu, double angle, double tangent) {
    Island *island = island_stack(dim, 0.01, 1, 1, 0, 1, 1e5, mu);
    for (int32_t i = 0; i < island->count; i++) {
        island->contacts[i].damping = 200;
        island->contacts[i].gap = -9.81 * cos(angle) / (island->count * 1e5);
    }
    island->options.tangent = tangent;
    return island;
}

static void a_block_slides_down_a_slope_only_above_its_angle_and_does_not_creep_below(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int spring = 0; spring < 2; spring++)
            for (double mu = 0.2; mu < 1; mu += 0.3)
                for (int above = 0; above < 2; above++) {
                    double angle = atan(mu) * (above ? 1.02 : 0.98), x, v, x1, v1;
                    Island *island = block(dim, mu, angle, spring);
                    simulate(island, angle, 100, &x, &v);
                    simulate(island, angle, 100, &x1, &v1);
                    if (above) {
                        double expected = 9.81 * (sin(angle) - mu * cos(angle));
                        assert_near(v1 - v, expected, 0.02 * expected);
                    } else {
                        assert_near(x, 0, 1e-4);
                        assert_near(x1, 0, 1e-8);
                    }
                    island_free(island);
                }
}

static void a_block_on_the_flat_is_slowed_by_mu_g_and_stops(void **state) {
    (void)state;
    for (int spring = 0; spring < 2; spring++) {
        Island *island = block(3, 0.3, 0, spring);
        double x, v;
        set_speed(island, 0, 2, 0, 0);
        simulate(island, 0, 50, &x, &v);
        assert_near(2 - v, 0.3 * 9.81 * 0.5, 0.02 * 0.3 * 9.81 * 0.5);
        simulate(island, 0, 60, &x, &v);
        assert_near(v, 0, 1e-6);
        island_free(island);
    }
}

static void what_separates_feels_nothing(void **state) {
    (void)state;
    for (int form = 1; form <= 2; form++) {
        Island *island = island_stack(3, 0.01, 2, 1, 0, 1, 1e4, 0.5);
        set_speed(island, 0, 0, 0, 0.5);
        set_speed(island, 1, 0, 0, 1.5);
        for (int32_t i = 0; i < island->count; i++)
            island->contacts[i].lambda[0] = 0.1; // a warm start from before it left
        island->options.form = form;
        ThawResponseInfo info;
        assert_int_equal(island_solve(island, NULL, &info), THAW_OK);
        for (int32_t i = 0; i < island->count; i++)
            for (int k = 0; k < 3; k++)
                assert_true(island->contacts[i].lambda[k] == 0);
        assert_true(info.residual == 0);
        island_free(island);
    }
}

static void a_gap_is_closed_and_not_passed(void **state) {
    (void)state;
    Island *island = island_stack(3, 0.01, 1, 1, 0, 1, INFINITY, 0);
    set_speed(island, 0, 0, 0, -50);
    for (int32_t i = 0; i < island->count; i++)
        island->contacts[i].gap = 0.1;
    ThawResponseInfo info;
    assert_int_equal(island_solve(island, NULL, &info), THAW_OK);
    double v[24];
    island_velocity(island, 0, v);
    assert_near(v[2], -0.1 / 0.01, 1e-4);
    island_free(island);
}

static void a_moving_floor_carries_what_stands_on_it(void **state) {
    (void)state;
    Island *island = island_stack(3, 0.01, 1, 1, 0, 1, INFINITY, 1);
    set_speed(island, 0, 0, 0, -0.1);
    for (int32_t i = 0; i < island->count; i++) {
        island->contacts[i].velocity[0] = 0.02;
        island->contacts[i].velocity[2] = 0.3;
    }
    ThawResponseInfo info;
    assert_int_equal(island_solve(island, NULL, &info), THAW_OK);
    double v[24];
    island_velocity(island, 0, v);
    for (int32_t i = 0; i < 4; i++) { // the bottom's vertices
        assert_near(v[3 * i], 0.02, 1e-5);
        assert_near(v[3 * i + 2], 0.3, 1e-5);
    }
    island_free(island);
}

static void a_box_of_friction_holds_more_across_its_corners_than_the_cone(void **state) {
    (void)state;
    double side[2];
    for (int box = 0; box < 2; box++) {
        Island *island = island_stack(3, 0.01, 1, 1, 0, 1, 1e5, 0.3);
        set_speed(island, 0, 3, 3, -0.0981);
        island->options.friction = box ? THAW_FRICTION_BOX : THAW_FRICTION_CONE;
        ThawResponseInfo info;
        assert_int_equal(island_solve(island, NULL, &info), THAW_OK);
        assert_int_equal(island_offender(island, 1e-5), -1);
        double sum[3];
        total(island, sum);
        side[box] = hypot(sum[0], sum[1]) / sum[2];
        island_free(island);
    }
    assert_near(side[0], 0.3, 1e-3);
    assert_near(side[1], 0.3 * sqrt(2), 1e-3);
}

static void impulses_between_bodies_are_equal_and_opposite(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        Island *island = island_stack(dim, 0.01, 2, 2, 1e4, 1, 1e5, 0.4);
        int layer = dim == 3 ? 9 : 3;
        memmove(island->contacts, island->contacts + layer, (size_t)layer * sizeof *island->contacts); // no floor
        island->count = layer;
        set_speed(island, 1, 0.7, 0.2, -1);
        ThawResponseInfo info;
        assert_int_equal(island_solve(island, NULL, &info), THAW_OK);
        double f[2][81] = {{0}}, largest = 0;
        response_impulses(dim, island->contacts, island->index, island->count, 0, f[0]);
        response_impulses(dim, island->contacts, island->index, island->count, 3, f[1]);
        for (int k = 0; k < dim; k++) {
            double sum[2] = {0};
            for (int b = 0; b < 2; b++)
                for (int i = 0; i < island->dense[b].nv; i++)
                    sum[b] += f[b][dim * i + k];
            largest = fmax(largest, fabs(sum[0]));
            assert_near(sum[0], -sum[1], 1e-12);
        }
        assert_true(largest > 0.1);
        island_free(island);
    }
}

// --- bad starts ------------------------------------------------------------------------------------------------------

static void a_deep_overlap_is_undone_slowly(void **state) {
    (void)state;
    double stiffness[2] = {INFINITY, 1e7};
    for (int kind = 0; kind < 2; kind++)
        for (int form = 1; form <= 2; form++) {
            Island *island = island_stack(3, 0.001, 3, 2, kind ? 1e5 : 0, 1, stiffness[kind], 0.5);
            for (int32_t i = 0; i < island->count; i++)
                island->contacts[i].gap = -0.4;
            island->options.form = form;
            island->options.push = 0.5;
            ThawResponseInfo info;
            island_solve(island, NULL, &info);
            for (int32_t b = 0; b < island->body_count; b++) {
                double v[81];
                island_velocity(island, b, v);
                for (int32_t i = 0; i < 81; i++)
                    assert_true(fabs(v[i]) <= 0.5 * (b + 1) * 1.5); // each is pushed off the one below
            }
            island_free(island);
        }
}

static void a_deep_contact_that_carries_its_load_is_not_limited(void **state) {
    (void)state;
    Island *island = resting(3, 0.001, 0, 2e3, 0, 0.3); // k_b Phi is 100 m/s and more
    ThawResponseInfo info;
    island_solve(island, NULL, &info);
    assert_true(info.residual < 1e-10);
    for (int32_t i = 0; i < island->count; i++)
        assert_near(island->contacts[i].lambda[0], -0.001 * 2e3 * island->contacts[i].gap, 1e-6);
    island_free(island);
}

static void what_cannot_be_moved_gets_no_impulse_or_its_spring_alone(void **state) {
    (void)state;
    for (int form = 1; form <= 2; form++)
        for (int hard = 0; hard < 2; hard++) {
            Island *island = island_stack(3, 0.01, 1, 1, 0, 1, hard ? INFINITY : 1e3, 0.5);
            memset(island->dense[0].inverse, 0, 24 * 24 * sizeof(double)); // scripted throughout
            island->dense[0].motions = THAW_MOTIONS_NONE;
            set_speed(island, 0, 1, 0, -1);
            island->options.form = form;
            ThawResponseInfo info;
            assert_int_equal(island_solve(island, NULL, &info), THAW_OK);
            for (int32_t i = 0; i < island->count; i++) {
                assert_near(island->contacts[i].lambda[0], hard ? 0 : 0.01 * 1e3 * 0.01, 1e-12);
                assert_true(island->contacts[i].lambda[1] == 0 && island->contacts[i].lambda[2] == 0);
            }
            island_free(island);
        }
}

static void where_some_vertices_are_scripted_the_others_are_held_all_the_same(void **state) {
    (void)state;
    for (int form = 1; form <= 2; form++) {
        Island *island = island_stack(3, 0.01, 1, 5, 1e4, 1, INFINITY, 0.5); // 36 contacts: more than are sampled
        DenseBody *body = island->dense;
        size_t n = 3 * (size_t)body->nv;
        body->motions = THAW_MOTIONS_NONE; // as of all bodies that scripts hold somewhere
        set_speed(island, 0, 0.1, 0, -0.1);
        for (size_t i = 0; i < 3 * 36; i += 3)
            if (i / 3 % 2 == 0) // every other vertex of the bottom is scripted to stay
                for (size_t r = i; r < i + 3; r++) {
                    body->v[r] = 0;
                    for (size_t j = 0; j < n; j++)
                        body->inverse[r * n + j] = body->inverse[j * n + r] = 0;
                }
        for (int32_t i = 0; i < island->count; i++)
            island->contacts[i].gap = -1e-4;
        island->options.form = form;
        ThawResponseInfo info;
        assert_int_equal(island_solve(island, NULL, &info), THAW_OK);
        double *v = calloc(n, sizeof *v);
        island_velocity(island, 0, v);
        for (int32_t i = 0; i < island->count; i++) {
            assert_true((island->contacts[i].lambda[0] > 0) == (i % 2 == 1));
            if (i % 2)
                assert_near(v[3 * i + 2], 0.01, 1e-4);
        }
        free(v);
        island_free(island);
    }
}

// --- towers ----------------------------------------------------------------------------------------------------------

static void towers_of_ten_converge_from_nothing(void **state) {
    (void)state;
    struct {
        int cells;
        double stiffness, ratio, k, mu;
    } cases[] = {{1, 0, 1, INFINITY, 0.5}, {1, 0, 1, 1e4, 0.5},        {1, 0, 1, 1e6, 0.5},
                 {1, 0, 2, INFINITY, 0.5}, {1, 0, 0.5, INFINITY, 0.5}, {2, 1e4, 1, INFINITY, 0.5},
                 {2, 1e4, 1, 1e4, 0.5},    {2, 1e6, 1, 1e5, 0.5},      {2, 1e4, 1.5, 1e5, 0.5},
                 {3, 1e4, 1, 1e5, 0.5},    {3, 0, 1, 1e5, 0.5}};
    for (int form = 1; form <= 2; form++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            Island *island =
                island_stack(3, 0.01, 10, cases[c].cells, cases[c].stiffness, cases[c].ratio, cases[c].k, cases[c].mu);
            island_fall(island, 9.81);
            island->options.form = form;
            ThawResponseInfo info;
            ThawStatus status = island_solve(island, NULL, &info);
            print_message("form %d, %3d contacts, spring %5g, density ratio %3g, k %7g: %3d iterations, %.1e\n", form,
                          island->count, cases[c].stiffness, cases[c].ratio, cases[c].k, info.iterations,
                          info.residual);
            assert_int_equal(status, THAW_OK);
            island_free(island);
        }
}

// The most iterations that any of the towers takes; all must converge.
static int push_towers(int form, double k, ThawFriction friction, double mu_step) {
    int most = 0;
    for (int boxes = 2; boxes <= 14; boxes += 6)
        for (double mu = 0.1; mu < 1; mu += mu_step)
            for (double push = 0.25; push < 0.8; push += 0.25)
                for (int cells = 1; cells <= 2; cells++) {
                    Island *island = island_stack(3, 0.01, boxes, cells, 0, 1, k, mu);
                    island_fall(island, 9.81);
                    for (int b = 0; b < boxes; b++)
                        for (int i = 0; i < island->dense[b].nv; i++) {
                            island->dense[b].v[3 * i] += push * (1 + 0.1 * b);
                            island->dense[b].v[3 * i + 1] += push * 0.3 * (b % 3);
                        }
                    island->options.form = form;
                    island->options.friction = friction;
                    island->options.tangent = 0.5;
                    ThawResponseInfo info;
                    if (island_solve(island, NULL, &info) != THAW_OK || island_offender(island, 1e-4) >= 0)
                        fail_msg("form %d, k %g, friction %d, %d boxes, mu %g, push %g: residual %g, contact %d", form,
                                 k, (int)friction, boxes, mu, push, info.residual, island_offender(island, 1e-4));
                    most = info.iterations > most ? info.iterations : most;
                    island_free(island);
                }
    return most;
}

// Rigid boxes on 4 or 9 points each, the whole tower pushed sideways: impulses are far from unique where points are
// hard.
static void towers_of_boxes_that_are_pushed_converge(void **state) {
    (void)state;
    for (int form = 1; form <= 2; form++)
        for (int box = 0; box < 2; box++) {
            ThawFriction friction = box ? THAW_FRICTION_BOX : THAW_FRICTION_CONE;
            int hard = push_towers(form, INFINITY, friction, box ? 0.6 : 0.2),
                springs = push_towers(form, 1e6, friction, 0.6);
            print_message("form %d, %s: %d iterations at most where points are hard, %d on springs\n", form,
                          box ? "box" : "cone", hard, springs);
        }
}

static void too_few_iterations_keep_the_best_impulses(void **state) {
    (void)state;
    for (int form = 1; form <= 2; form++) {
        double last = INFINITY;
        for (int iterations = 0; iterations < 12; iterations += 3) {
            Island *island = island_stack(3, 0.01, 10, 1, 0, 1, 1e5, 0.5);
            island_fall(island, 9.81);
            island->options.form = form;
            island->options.iterations = iterations;
            ThawResponseInfo info;
            assert_int_equal(island_solve(island, NULL, &info), THAW_NOT_CONVERGED);
            assert_true(info.residual > 1e-6 && info.residual <= last);
            last = info.residual;
            for (int32_t i = 0; i < island->count; i++)
                assert_true(isfinite(island->contacts[i].lambda[0]) && island->contacts[i].lambda[0] >= 0);
            island_free(island);
        }
    }
}

// --- bits ------------------------------------------------------------------------------------------------------------

static void bits_depend_neither_on_threads_nor_on_what_was_solved_before(void **state) {
    (void)state;
    for (int form = 1; form <= 2; form++) {
        double *first = NULL;
        ThawResponse *kept;
        assert_int_equal(thaw_response_create(&kept, NULL), THAW_OK);
        for (int run = 0; run < 6; run++) { // 1 to 4 threads, no pool at all, and scratch of an earlier solve
            Island *island = island_heap(3, 60, 600);
            island->options.form = form;
            ThawTasks *tasks = NULL;
            if (run < 4)
                assert_int_equal(thaw_tasks_create(run + 1, &tasks, NULL), THAW_OK);
            ThawResponseInfo info;
            assert_true(thaw_response_solve(kept, &island->options, tasks, island->bodies, island->body_count,
                                            island->contacts, island->index, island->count, &info, NULL) >= 0);
            size_t size = (size_t)island->count * 3;
            double *lambda = malloc(size * sizeof *lambda);
            for (int32_t i = 0; i < island->count; i++)
                memcpy(lambda + 3 * i, island->contacts[i].lambda, 3 * sizeof(double));
            if (!first) {
                first = lambda;
            } else {
                assert_memory_equal(first, lambda, size * sizeof *lambda);
                free(lambda);
            }
            if (tasks)
                thaw_tasks_free(&tasks);
            island_free(island);
        }
        free(first);
        thaw_response_free(&kept);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_rest_the_normal_force_is_k_times_depth_for_any_step_and_any_body),
        cmocka_unit_test(with_tangent_springs_friction_at_rest_is_unique_too),
        cmocka_unit_test(a_warm_start_that_is_right_is_kept_to_the_bit),
        cmocka_unit_test(an_island_whose_warm_start_is_right_is_not_assembled_where_that_is_dear),
        cmocka_unit_test(an_island_that_is_cheap_is_assembled_at_once),
        cmocka_unit_test(a_sliding_box_is_slowed_by_mu_times_its_weight_opposite_to_its_slip),
        cmocka_unit_test(a_sticking_box_does_not_slip_and_returns_to_its_anchor),
        cmocka_unit_test(a_block_slides_down_a_slope_only_above_its_angle_and_does_not_creep_below),
        cmocka_unit_test(a_block_on_the_flat_is_slowed_by_mu_g_and_stops),
        cmocka_unit_test(what_separates_feels_nothing),
        cmocka_unit_test(a_gap_is_closed_and_not_passed),
        cmocka_unit_test(a_moving_floor_carries_what_stands_on_it),
        cmocka_unit_test(a_box_of_friction_holds_more_across_its_corners_than_the_cone),
        cmocka_unit_test(impulses_between_bodies_are_equal_and_opposite),
        cmocka_unit_test(a_deep_overlap_is_undone_slowly),
        cmocka_unit_test(a_deep_contact_that_carries_its_load_is_not_limited),
        cmocka_unit_test(what_cannot_be_moved_gets_no_impulse_or_its_spring_alone),
        cmocka_unit_test(where_some_vertices_are_scripted_the_others_are_held_all_the_same),
        cmocka_unit_test(towers_of_ten_converge_from_nothing),
        cmocka_unit_test(towers_of_boxes_that_are_pushed_converge),
        cmocka_unit_test(too_few_iterations_keep_the_best_impulses),
        cmocka_unit_test(bits_depend_neither_on_threads_nor_on_what_was_solved_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
