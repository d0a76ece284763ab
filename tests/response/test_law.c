// SPDX-License-Identifier: Apache-2.0
// Contact impulses against the law itself: on random islands the law is checked in its plain words, and against a
// solver that shares nothing with the library. And coefficients, choices, refusals.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "response/support_response.h"

// --- the law ---------------------------------------------------------------------------------------------------------

static void random_islands_obey_the_law_in_both_forms(void **state) {
    (void)state;
    for (int form = 1; form <= 2; form++) {
        int failed[2] = {0}, total[2] = {0};
        for (uint64_t seed = 0; seed < 400; seed++) {
            Island *island = island_random_problem(seed);
            island->options.form = form;
            island->options.push = 1e9;
            island->options.tolerance = 1e-8;
            island->options.iterations = 3000;
            island->options.tangent = seed % 3 == 0 ? 0.5 : 0;
            island->options.friction = seed % 7 == 0 ? THAW_FRICTION_BOX : THAW_FRICTION_CONE;
            ThawResponseInfo info;
            ThawStatus status = island_solve(island, NULL, &info);
            int hard = isinf(island->contacts[0].stiffness);
            total[hard]++;
            failed[hard] += status != THAW_OK;
            assert_int_equal(info.form, form);
            if (status == THAW_OK && island_offender(island, 1e-5) >= 0)
                fail_msg("seed %d form %d: contact %d", (int)seed, form, island_offender(island, 1e-5));
            island_free(island);
        }
        print_message("form %d: %d of %d compliant and %d of %d hard islands not converged\n", form, failed[0],
                      total[0], failed[1], total[1]);
        assert_int_equal(failed[0], 0);
        assert_true(failed[1] <= 1); // the one that jams
    }
}

// A rigid body between obstacles that close in on it by friction: the stiffer the contacts, the larger the impulses,
// without end. So there is no answer without compliance, and no large impulses may be taken for one.
static void what_jams_has_no_answer_without_compliance(void **state) {
    (void)state;
    double largest[3] = {0};
    for (int i = 0; i < 3; i++) {
        Island *island = island_random_problem(274);
        island->options.push = 1e9;
        island->options.tangent = 0.5;
        island->options.tolerance = 1e-6;
        island->options.iterations = 500;
        for (int32_t k = 0; k < island->count; k++)
            island->contacts[k].stiffness = i == 0 ? 1e8 : i == 1 ? 1e10 : INFINITY;
        assert_int_equal(island_solve(island, NULL, NULL), i < 2 ? THAW_OK : THAW_NOT_CONVERGED);
        for (int32_t k = 0; k < island->count; k++)
            largest[i] = fmax(largest[i], island->contacts[k].lambda[0]);
        island_free(island);
    }
    assert_near(largest[1] / largest[0], 100, 1);
    assert_true(largest[2] < largest[0]);
}

// Projected Gauss-Seidel in long double on the whole H, tangents by plain steps and radial projection.
static void solve_reference(Island *island) {
    int d = island->dim, n = d * island->count;
    long double *H = calloc((size_t)(n * n), sizeof *H), *b = calloc((size_t)n, sizeof *b),
                *x = calloc((size_t)n, sizeof *x);
    double *w = calloc((size_t)n, sizeof *w);
    for (int j = -1; j < n; j++) { // columns by unit impulses; gamma is in island_w already
        for (int i = 0; i < n; i++)
            island->contacts[i / d].lambda[i % d] = i == j;
        island_w(island, w);
        for (int i = 0; i < n; i++)
            if (j < 0)
                b[i] = w[i];
            else
                H[i * n + j] = w[i] - b[i];
    }
    for (int sweep = 0; sweep < 20000; sweep++) {
        long double change = 0;
        for (int i = 0; i < island->count; i++) {
            long double old[3], r[3], size = 0, steep = 0;
            for (int k = 0; k < d; k++) {
                r[k] = b[d * i + k];
                for (int j = 0; j < n; j++)
                    r[k] += H[(d * i + k) * n + j] * x[j];
                old[k] = x[d * i + k];
                steep += k > 0 ? H[(d * i + k) * n + d * i + k] : 0;
            }
            long double *xi = x + d * i;
            xi[0] = fmaxl(0, xi[0] - r[0] / H[d * i * n + d * i]);
            for (int k = 1; k < d; k++) {
                xi[k] -= r[k] / steep;
                size += xi[k] * xi[k];
            }
            long double radius = island->contacts[i].friction * xi[0];
            for (int k = 1; k < d && size > radius * radius; k++)
                xi[k] *= radius / sqrtl(size);
            for (int k = 0; k < d; k++)
                change = fmaxl(change, fabsl(xi[k] - old[k]));
        }
        if (change < 1e-15L)
            break;
    }
    for (int i = 0; i < n; i++)
        island->contacts[i / d].lambda[i % d] = (double)x[i];
    free(H);
    free(b);
    free(x);
    free(w);
}

static void impulses_agree_with_an_independent_solver(void **state) {
    (void)state;
    int compared = 0;
    for (uint64_t seed = 1000; seed < 1100; seed++) {
        Island *island = island_random_problem(seed);
        island->options.push = 1e9;
        island->options.tolerance = 1e-11;
        island->options.iterations = 5000;
        // Little friction and some compliance: one solution only.
        for (int32_t i = 0; i < island->count; i++) {
            island->contacts[i].friction *= 0.3;
            if (isinf(island->contacts[i].stiffness))
                island->contacts[i].stiffness = 1e4;
        }
        if (island->count > 12)
            island->count = 12;
        double found[2][36], largest = 1e-3;
        for (int form = 1; form <= 2; form++) {
            island->options.form = form;
            for (int32_t i = 0; i < island->count; i++)
                memset(island->contacts[i].lambda, 0, sizeof island->contacts[i].lambda);
            ThawResponseInfo info;
            ThawStatus status = island_solve(island, NULL, &info);
            if (status != THAW_OK && info.residual > 1e-9)
                fail_msg("seed %d form %d: residual %g", (int)seed, form, info.residual);
            for (int32_t i = 0; i < island->count; i++)
                memcpy(found[form - 1] + 3 * i, island->contacts[i].lambda, 3 * sizeof(double));
        }
        solve_reference(island);
        for (int32_t i = 0; i < island->count; i++)
            largest = fmax(largest, island->contacts[i].lambda[0]);
        for (int32_t i = 0; i < 3 * island->count; i++)
            for (int form = 1; form <= 2; form++)
                if (!(fabs(found[form - 1][i] - island->contacts[i / 3].lambda[i % 3]) <= 1e-6 * largest))
                    fail_msg("seed %d form %d contact %d: %.12g, reference %.12g", (int)seed, form, i / 3,
                             found[form - 1][i], island->contacts[i / 3].lambda[i % 3]);
        compared += island->count;
        island_free(island);
    }
    print_message("%d contacts compared\n", compared);
}

// --- coefficients, choices, refusals ---------------------------------------------------------------------------------

static void coefficients_come_from_stiffness_damping_and_step(void **state) {
    (void)state;
    double k_b, gamma;
    ThawResponseOptions options = {.dim = 3, .h = 0.01};
    ThawContact contact = {.stiffness = 1e4, .damping = 20, .gap = -1e-3};
    thaw_response_compliance(&options, &contact, &k_b, &gamma);
    assert_near(k_b, 1e4 / (100 + 20), 1e-9);
    assert_near(gamma, 1 / (0.01 * 120), 1e-12);
    assert_near(k_b / gamma, options.h * contact.stiffness, 1e-9); // what rest needs
    contact.gap = 1e-3;
    thaw_response_compliance(&options, &contact, &k_b, &gamma);
    assert_near(k_b, 100, 1e-9);
    assert_near(gamma, 1, 1e-12);
    contact.stiffness = INFINITY;
    thaw_response_compliance(&options, &contact, &k_b, &gamma);
    assert_true(k_b == 100 && gamma == 0);
    options.erp = 0.2;
    options.cfm = 1e-3;
    contact.gap = -1;
    thaw_response_compliance(&options, &contact, &k_b, &gamma);
    assert_near(k_b, 20, 1e-12);
    assert_near(gamma, 1e-3, 1e-15);
    thaw_response_tangent(&options, &contact, &k_b, &gamma);
    assert_true(k_b == 20 && gamma == 0);
}

static void a_slide_is_remembered_by_how_far_its_spring_is_stretched(void **state) {
    (void)state;
    double drift[2];
    ThawResponseOptions options = {.dim = 3, .h = 0.01, .tangent = 0.5};
    ThawContact contact = {.stiffness = 1e4, .damping = 20, .lambda = {1, 0.3, -0.4}};
    response_slip(&options, &contact, drift);
    assert_near(drift[0], -0.3 / (0.01 * 0.5e4), 1e-15); // -lambda_t / (h r k), the damper left out
    assert_near(drift[1], 0.4 / (0.01 * 0.5e4), 1e-15);
    options.tangent = 0;
    response_slip(&options, &contact, drift);
    assert_true(drift[0] == 0 && drift[1] == 0);
}

static void the_papers_coefficients_are_taken_where_given(void **state) {
    (void)state;
    Island *island = island_stack(3, 0.01, 1, 1, 0, 1, INFINITY, 0.5);
    island_fall(island, 9.81);
    island->options.erp = 0.2;
    island->options.cfm = 0.5;
    ThawResponseInfo info;
    assert_int_equal(island_solve(island, NULL, &info), THAW_OK);
    // Four points share it: (H + cfm) lambda = h g with H lambda = 4 lambda / m for a straight push.
    for (int32_t i = 0; i < 4; i++)
        assert_near(island->contacts[i].lambda[0], 0.0981 / (4 + 0.5), 1e-6);
    island_free(island);
}

static void the_form_is_chosen_by_cost(void **state) {
    (void)state;
    ThawResponseBody body = {.apply_cost = 1e6, .compliance_cost = 3e6};
    ThawResponseCounts few = {10, 10}, many = {5000, 5000};
    assert_int_equal(thaw_response_form(3, &body, &few, 1), 1);
    assert_int_equal(thaw_response_form(3, &body, &many, 1), 2);
    Island *island = island_stack(3, 0.01, 2, 1, 0, 1, 1e4, 0.5);
    island_fall(island, 9.81);
    island->options.form = 0;
    ThawResponseInfo info;
    assert_int_equal(island_solve(island, NULL, &info), THAW_OK);
    assert_int_equal(info.form, 1);
    island->bodies[0].compliance_cost = island->bodies[1].compliance_cost = 1e12;
    for (int32_t b = 0; b < 2; b++)
        island->bodies[b].apply_cost = 1;
    memset(island->contacts[0].lambda, 0, sizeof island->contacts[0].lambda);
    assert_int_equal(island_solve(island, NULL, &info), THAW_OK);
    island_free(island);
}

static ThawStatus refuse_compliance(void *context, const ThawBlockRows *J, ThawPorts *ports, double *H) {
    (void)ports;
    (void)context, (void)J, (void)H;
    return THAW_ERROR_MEMORY;
}

static ThawStatus refuse_blocks(void *context, int32_t count, const int32_t *vertices, int32_t *from, double *S) {
    (void)context, (void)count, (void)vertices, (void)from, (void)S;
    return THAW_ERROR_MEMORY;
}

static ThawStatus refuse_apply(void *context, const double *impulse, double *dv) {
    (void)context, (void)impulse, (void)dv;
    return THAW_ERROR_MEMORY;
}

static ThawStatus solve_with(Island *island, ThawError *error) {
    ThawResponse *response;
    assert_int_equal(thaw_response_create(&response, NULL), THAW_OK);
    ThawStatus status = thaw_response_solve(response, &island->options, NULL, island->bodies, island->body_count,
                                            island->contacts, island->index, island->count, NULL, error);
    thaw_response_free(&response);
    return status;
}

static void what_is_wrong_is_refused_by_name(void **state) {
    (void)state;
    struct {
        const char *says;
        int what;
    } cases[] = {{"friction", 0}, {"stiffness", 1}, {"body 77", 2}, {"vertex 99", 3}, {"speed", 4},  {"dim", 5},
                 {"h is", 6},     {"tolerance", 7}, {"memory", 8},  {"memory", 9},    {"memory", 10}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        Island *island = island_stack(3, 0.01, 2, 1, 0, 1, 1e4, 0.5);
        island_fall(island, 9.81);
        ThawContact *contact = island->contacts + 3;
        switch (cases[c].what) {
        case 0:
            contact->friction = NAN;
            break;
        case 1:
            contact->stiffness = 0;
            break;
        case 2:
            contact->key.body[0] = 77;
            break;
        case 3:
            contact->vertex[0][0] = 99;
            break;
        case 4:
            contact->gap = NAN;
            break;
        case 5:
            island->options.dim = 4;
            break;
        case 6:
            island->options.h = 0;
            break;
        case 7:
            island->options.tolerance = NAN;
            break;
        case 8:
            island->bodies[1].modes = NULL;
            island->bodies[1].compliance = refuse_compliance;
            break;
        case 9:
            island->options.form = 2;
            island->bodies[1].modes = NULL;
            island->bodies[1].apply = refuse_apply;
            break;
        default:
            island->options.form = 2;
            island->bodies[1].modes = NULL;
            island->bodies[1].blocks = refuse_blocks;
        }
        ThawError error = {0};
        ThawStatus status = solve_with(island, &error);
        assert_int_equal(status, cases[c].what < 8 ? THAW_ERROR_INPUT : THAW_ERROR_MEMORY);
        if (!strstr(error.message, cases[c].says))
            fail_msg("case %d: \"%s\" does not say \"%s\"", cases[c].what, error.message, cases[c].says);
        island_free(island);
    }
    Island *island = island_create(3, 0.01); // no contacts: nothing to do
    assert_int_equal(solve_with(island, NULL), THAW_OK);
    island_free(island);
    ThawResponse *none = NULL;
    thaw_response_free(&none);
}

static void the_residual_vanishes_where_the_law_holds_and_nowhere_else(void **state) {
    (void)state;
    double rho[2] = {2, 0.5}, r[3];
    struct {
        double w[3], lambda[3];
        int holds;
    } cases[] = {
        {{1, 5, 5}, {0, 0, 0}, 1},       {{0, 0, 0}, {1, 0.1, 0.2}, 1}, {{0, -3, -4}, {1, 0.3, 0.4}, 1},
        {{-1e-3, 0, 0}, {0, 0, 0}, 0},   {{1e-3, 0, 0}, {1, 0, 0}, 0},  {{0, 1e-3, 0}, {1, 0, 0}, 0},
        {{0, -3, -4}, {1, 0.4, 0.3}, 0}, {{0, 0, 0}, {1, 0.6, 0}, 0},   {{0, 3, 4}, {1, 0.3, 0.4}, 0},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        thaw_response_residual(3, THAW_FRICTION_CONE, 0.5, rho, cases[c].w, cases[c].lambda, r);
        double size = fabs(r[0]) + fabs(r[1]) + fabs(r[2]);
        assert_int_equal(size < 1e-14, cases[c].holds);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_residual_vanishes_where_the_law_holds_and_nowhere_else),
        cmocka_unit_test(what_jams_has_no_answer_without_compliance),
        cmocka_unit_test(random_islands_obey_the_law_in_both_forms),
        cmocka_unit_test(impulses_agree_with_an_independent_solver),
        cmocka_unit_test(coefficients_come_from_stiffness_damping_and_step),
        cmocka_unit_test(a_slide_is_remembered_by_how_far_its_spring_is_stretched),
        cmocka_unit_test(the_papers_coefficients_are_taken_where_given),
        cmocka_unit_test(the_form_is_chosen_by_cost),
        cmocka_unit_test(what_is_wrong_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
