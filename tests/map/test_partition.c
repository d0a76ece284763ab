// SPDX-License-Identifier: Apache-2.0
#include "map/parts.h"

// --- topology --------------------------------------------------------------------------------------------------------

static int touches(const Parts *p, int32_t e, int moved) {
    const int32_t *vertex = p->shape->cells->elements + e * p->shape->cells->kind->nodes;
    int found = 0;
    for (int a = 0; a < p->shape->cells->kind->nodes; a++)
        found |= moved ? p->script[vertex[a]] == THAW_VERTEX_MOVED : p->partition->part_of_vertex[vertex[a]] >= 0;
    return found;
}

// How many vertices the flagged elements have that are reached from the seed over faces without leaving its part.
static int32_t reach(const Parts *p, int32_t seed, unsigned char *seen, int32_t *mark, int32_t *stack) {
    int32_t count = 0, top = 0, part = p->partition->part_of_element[seed], nodes = p->shape->cells->kind->nodes;
    stack[top++] = seed;
    seen[seed] = 1;
    while (top > 0) {
        int32_t e = stack[--top];
        for (int a = 0; a < nodes; a++) {
            int32_t *m = &mark[p->shape->cells->elements[e * nodes + a]];
            count += *m != seed + 1;
            *m = seed + 1;
            int32_t n = p->shape->across[e * nodes + a];
            if (n >= 0 && !seen[n] && p->flagged[n] && p->partition->part_of_element[n] == part) {
                seen[n] = 1;
                stack[top++] = n;
            }
        }
    }
    return count;
}

static void check_partition(const Parts *p) {
    const ThawPartition *q = p->partition;
    int nodes = p->shape->cells->kind->nodes;
    int32_t ne = p->shape->ne, nv = p->shape->nv, elastic = 0;
    int32_t *stack = THAW_NEW(int32_t, ne), *size = THAW_NEW(int32_t, q->part_count);
    int32_t *flagged = THAW_NEW(int32_t, q->part_count), *whole = THAW_NEW(int32_t, q->part_count);
    int32_t *mark = THAW_NEW(int32_t, nv);
    unsigned char *seen = THAW_NEW(unsigned char, ne), *owned = THAW_NEW(unsigned char, nv);
    for (int32_t e = 0; e < ne; e++) {
        int32_t part = q->part_of_element[e];
        elastic += part < 0;
        if (part < 0) { // left out for a reason
            assert_true(!p->flagged[e] || touches(p, e, 1) || touches(p, e, 0) || q->min_elements > 1);
            continue;
        }
        assert_false(touches(p, e, 1));
        size[part]++;
        flagged[part] += p->flagged[e];
        for (int a = 0; a < nodes; a++) { // one part a vertex: no hinges
            assert_int_equal(q->part_of_vertex[p->shape->cells->elements[e * nodes + a]], part);
            owned[p->shape->cells->elements[e * nodes + a]] = 1;
        }
    }
    for (int32_t i = 0; i < nv; i++)
        assert_int_equal(q->part_of_vertex[i] >= 0, owned[i]);
    for (int32_t e = 0; e < ne; e++) // each grew over faces; what else is in it has no vertex of its own
        if (q->part_of_element[e] >= 0 && p->flagged[e] && !seen[e])
            whole[q->part_of_element[e]] |= reach(p, e, seen, mark, stack) == q->parts[q->part_of_element[e]].count;
    int32_t at = 0;
    for (int32_t k = 0; k < q->part_count; k++) {
        int32_t pins = 0;
        assert_int_equal(size[k], q->parts[k].elements);
        assert_true(flagged[k] >= q->min_elements);
        assert_true(whole[k]);
        assert_int_equal(q->parts[k].first, at);
        for (int32_t i = 0; i < q->parts[k].count; i++, at++) {
            assert_int_equal(q->part_of_vertex[q->vertices[at]], k);
            assert_true(i == 0 || q->vertices[at] > q->vertices[at - 1]);
            pins += p->script[q->vertices[at]] == THAW_VERTEX_PINNED;
        }
        assert_int_equal(pins, q->parts[k].pins);
        assert_int_equal(q->parts[k].hold == THAW_HOLD_FREE, pins == 0);
        assert_true(pins != 1 || q->parts[k].hold == THAW_HOLD_POINT);
    }
    assert_int_equal(at, q->vertex_count);
    assert_int_equal(elastic, q->elastic_count);
    memset(seen, 0, (size_t)ne);
    for (int32_t i = 0; i < q->elastic_count; i++) {
        assert_true(q->part_of_element[q->elastic[i]] < 0 && !seen[q->elastic[i]]);
        seen[q->elastic[i]] = 1;
        assert_true(i == 0 || touches(p, q->elastic[i], 0) >= touches(p, q->elastic[i - 1], 0));
    }
    thaw_free(stack);
    thaw_free(size);
    thaw_free(flagged);
    thaw_free(whole);
    thaw_free(mark);
    thaw_free(seen);
    thaw_free(owned);
}

static void shuffle_pins(Parts *p) {
    for (int32_t i = 0; i < p->shape->nv; i++) {
        int die = sample_below(&p->seed, 30);
        p->script[i] = die == 0 ? THAW_VERTEX_MOVED : die <= 2 ? THAW_VERTEX_PINNED : THAW_VERTEX_FREE;
    }
}

static void no_vertex_is_shared_by_two_parts_whatever_is_flagged(void **state) {
    (void)state;
    int32_t parts = 0;
    for (int dim = 2; dim <= 3; dim++)
        for (int min = 1; min <= 4; min += 3) {
            Parts p;
            parts_create(&p, dim, dim == 2 ? 8 : 4, min, 3);
            for (int i = 0; i < 1000; i++) {
                if (i % 5 == 0)
                    shuffle_pins(&p);
                parts_flag(&p, sample_below(&p.seed, 101));
                parts_update(&p);
                check_partition(&p);
                parts += p.partition->part_count;
            }
            parts_free(&p);
        }
    assert_true(parts > 5000);
}

static void parts_depend_on_flags_and_not_on_history(void **state) {
    (void)state;
    Parts p;
    ThawError error = {0};
    parts_create(&p, 3, 4, 1, 4);
    for (int i = 0; i < 50; i++) {
        ThawPartition *fresh;
        ThawTransition transition;
        shuffle_pins(&p);
        parts_flag(&p, 20 + i);
        parts_update(&p);
        assert_int_equal(thaw_partition_create(p.shape, 1, &fresh, &error), THAW_OK);
        assert_int_equal(thaw_partition_update(fresh, p.flagged, p.script, NULL, p.x, p.v, &transition, &error),
                         THAW_OK);
        assert_int_equal(fresh->part_count, p.partition->part_count);
        assert_memory_equal(fresh->part_of_element, p.partition->part_of_element,
                            sizeof(int32_t) * (size_t)p.shape->ne);
        assert_memory_equal(fresh->part_of_vertex, p.partition->part_of_vertex, sizeof(int32_t) * (size_t)p.shape->nv);
        thaw_partition_free(&fresh);
    }
    parts_free(&p);
}

static void pins_that_fix_a_part_take_it_out_of_the_unknowns(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int pins = 1; pins <= 3; pins++) {
            Parts p;
            parts_create(&p, dim, 3, 1, 5);
            const int32_t *vertex = p.shape->cells->elements + 7 * p.shape->cells->kind->nodes;
            for (int i = 0; i < pins; i++)
                p.script[vertex[i]] = THAW_VERTEX_PINNED;
            memset(p.flagged, 1, (size_t)p.shape->ne);
            parts_update(&p);
            assert_int_equal(p.partition->part_count, 1);
            assert_int_equal(p.partition->elastic_count, 0);
            assert_int_equal(p.partition->parts[0].hold, pins >= dim ? THAW_HOLD_FIXED
                                                         : pins == 2 ? THAW_HOLD_AXIS
                                                                     : THAW_HOLD_POINT);
            parts_free(&p);
        }
}

// A row of pins along an edge of a box is an axis; one more beside it fixes the part.
static void pins_in_a_line_are_an_axis(void **state) {
    (void)state;
    Parts p;
    parts_create(&p, 3, 3, 1, 6);
    memcpy(p.x, p.shape->X, sizeof *p.x * (size_t)p.nx);
    int32_t line[4] = {p.shape->cells->elements[0], p.shape->cells->elements[1], p.shape->cells->elements[5],
                       p.shape->cells->elements[9]};
    for (int i = 0; i < 3; i++) {
        p.script[line[i]] = THAW_VERTEX_PINNED;
        for (int k = 0; k < 3; k++)
            p.x[line[i] * 3 + k] = 0.1 * k + (i == 2 ? -0.37 : i) * (0.3 - 0.2 * k);
    }
    memset(p.flagged, 1, (size_t)p.shape->ne);
    parts_update(&p);
    assert_int_equal(p.partition->parts[0].hold, THAW_HOLD_AXIS);
    p.script[line[3]] = THAW_VERTEX_PINNED;
    parts_update(&p);
    assert_int_equal(p.partition->parts[0].hold, THAW_HOLD_FIXED);
    parts_free(&p);
}

// --- motion ----------------------------------------------------------------------------------------------------------

static void forming_and_dissolving_keep_momentum_and_lose_what_they_say(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        Parts p;
        parts_create(&p, dim, 4, 1, 7);
        for (int i = 0; i < 100; i++) {
            double before[7], after[7];
            if (i % 10 == 0) { // awake, and in fast motion
                parts_flag(&p, 0);
                parts_update(&p);
                for (int k = 0; k < p.nx; k++)
                    p.v[k] = sample_random(&p.seed) + 10;
            }
            parts_momenta(&p, p.v, before);
            parts_flag(&p, sample_below(&p.seed, 101));
            parts_update(&p);
            parts_momenta(&p, p.v, after);
            for (int k = 0; k < 6; k++)
                assert_true(fabs(after[k] - before[k]) <= 2e-13 * 10 * p.shape->total_mass);
            assert_true(p.transition.loss >= 0);
            assert_true(fabs(before[6] - after[6] - p.transition.loss) <= 1e-12 * before[6]);
            double *v = THAW_NEW(double, p.nx), rigid[7]; // the parts' own momenta say the same
            memcpy(v, p.v, sizeof *v * (size_t)p.nx);
            thaw_partition_velocities(p.partition, v);
            parts_momenta(&p, v, rigid);
            for (int k = 0; k < 7; k++)
                assert_true(fabs(after[k] - rigid[k]) <= 1e-13 * (fabs(after[k]) + p.shape->total_mass));
            thaw_free(v);
        }
        parts_free(&p);
    }
}

static void waking_and_rigidifying_are_inverses(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int pins = 0; pins < dim; pins++) {
            Parts p;
            ThawPart before, after;
            double rate[3], omega[3];
            parts_create(&p, dim, 3, 1, 8);
            for (int i = 0; i < pins; i++) {
                p.script[p.shape->cells->elements[i]] = THAW_VERTEX_PINNED;
                memset(p.v + p.shape->cells->elements[i] * dim, 0, sizeof *p.v * (size_t)dim);
            }
            memset(p.flagged, 1, (size_t)p.shape->ne);
            parts_update(&p);
            for (int i = 0; i < 20; i++) { // somewhere on its way
                thaw_part_velocity(&p.partition->parts[0], dim, rate, omega);
                thaw_part_advance(&p.partition->parts[0], dim, 0.05, rate, omega, &p.partition->parts[0], NULL);
            }
            parts_place(p.partition, p.x);
            before = p.partition->parts[0];
            memset(p.flagged, 0, (size_t)p.shape->ne);
            parts_update(&p);
            assert_int_equal(p.transition.dissolved, 1);
            assert_true(p.transition.loss == 0);
            memset(p.flagged, 1, (size_t)p.shape->ne);
            parts_update(&p);
            assert_int_equal(p.transition.formed, 1);
            after = p.partition->parts[0];
            double energy = thaw_part_kinetic(&before, dim);
            assert_true(p.transition.loss <= 1e-25 * energy + 1e-28);
            assert_true(fabs(energy - thaw_part_kinetic(&after, dim)) <= 1e-13 * energy);
            for (int k = 0; k < 3; k++) {
                assert_true(fabs(before.P[k] - after.P[k]) <= 1e-13 * p.shape->total_mass);
                assert_true(fabs(before.L[k] - after.L[k]) <= 1e-13 * p.shape->total_mass);
                assert_true(fabs(before.p[k] - after.p[k]) <= 1e-14);
            }
            parts_free(&p);
        }
}

// The first vertices of the first element are pinned, all others move at random.
static void pin_and_stir(Parts *p, int pins) {
    for (int i = 0; i < pins; i++)
        p->script[p->shape->cells->elements[i]] = THAW_VERTEX_PINNED;
    for (int k = 0; k < p->nx; k++)
        p->v[k] = p->script[k / p->dim] ? 0 : sample_random(&p->seed);
}

// A shadow is what forming a part took from its vertices, and maybe some rigid motion, which the part has already.
static void a_part_that_dissolves_gives_back_what_its_shadow_kept(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int pins = 0; pins <= dim; pins++) {
            Parts p;
            ThawTransition transition;
            double before[7], after[7];
            parts_create(&p, dim, 3, 1, 11);
            pin_and_stir(&p, pins);
            double *shadow = THAW_NEW(double, p.nx), *v = THAW_NEW(double, p.nx);
            memcpy(v, p.v, sizeof *v * (size_t)p.nx);
            memset(p.flagged, 1, (size_t)p.shape->ne);
            parts_update(&p);
            double loss = p.transition.loss;
            assert_true(loss > 0);
            parts_momenta(&p, p.v, before);
            for (int k = 0; k < p.nx; k++) // a push of the whole is no deformation
                shadow[k] = v[k] - p.v[k] + (pins == 0 ? 0.3 : 0);
            memset(p.flagged, 0, (size_t)p.shape->ne);
            assert_int_equal(
                thaw_partition_update(p.partition, p.flagged, p.script, shadow, p.x, p.v, &transition, NULL), THAW_OK);
            parts_momenta(&p, p.v, after);
            for (int k = 0; k < p.nx; k++)
                assert_true(fabs(p.v[k] - v[k]) <= 1e-13);
            for (int k = 0; k < 6 && pins == 0; k++)
                assert_true(fabs(after[k] - before[k]) <= 1e-13 * p.shape->total_mass);
            assert_true(fabs(before[6] - after[6] + loss) <= 1e-12 * after[6]);
            assert_true(transition.loss == 0 && fabs(transition.shadow + loss) <= 1e-13 * loss);
            for (int k = 0; k < p.nx; k++) // what is left is no deformation
                assert_true(fabs(shadow[k] - (pins == 0 ? 0.3 : 0)) <= 1e-13);
            thaw_free(shadow);
            thaw_free(v);
            parts_free(&p);
        }
}

// test_stride.c has the same of a beam that swings.
static void velocities_take_of_a_shadow_what_the_hold_of_their_part_allows(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int pins = 0; pins <= dim; pins++) {
            const ThawHold holds[] = {THAW_HOLD_FREE, THAW_HOLD_POINT, dim == 3 ? THAW_HOLD_AXIS : THAW_HOLD_FIXED,
                                      THAW_HOLD_FIXED};
            Parts p;
            double before[7], after[7];
            parts_create(&p, dim, 3, 1, 12);
            pin_and_stir(&p, pins);
            for (int32_t e = 0; e < p.shape->ne / 2; e++)
                p.flagged[e] = 1;
            parts_update(&p);
            const int32_t part = p.partition->part_of_vertex[p.shape->cells->elements[0]];
            assert_true(part >= 0 && p.partition->elastic_count > 0);
            assert_int_equal(p.partition->parts[part].hold, holds[pins]);
            thaw_partition_velocities(p.partition, p.v);
            double *w = THAW_NEW(double, p.nx), *sum = THAW_NEW(double, p.nx);
            for (int k = 0; k < p.nx; k++) {
                w[k] = p.script[k / dim] ? 0 : sample_random(&p.seed);
                sum[k] = p.v[k] + w[k];
            }
            const double inside = thaw_partition_shadow_energy(p.partition, w);
            parts_momenta(&p, p.v, before);
            const double gained = thaw_partition_absorb(p.partition, w, p.v);
            thaw_partition_velocities(p.partition, p.v);
            parts_momenta(&p, p.v, after);
            for (int k = 0; k < p.nx; k++) {
                assert_true(fabs(p.v[k] + w[k] - sum[k]) <= 1e-13);
                assert_true(p.partition->part_of_vertex[k / dim] >= 0 || w[k] == 0);
            }
            assert_true(gained != 0 && fabs(after[6] - before[6] - gained) <= 1e-12 * after[6]);
            // What counts of the shadow is as it was, and velocities have the rest.
            assert_true(fabs(thaw_partition_shadow_energy(p.partition, w) - inside) <= 1e-12 * inside);
            assert_true(fabs(thaw_partition_absorb(p.partition, w, p.v)) <= 1e-12 * after[6]);
            thaw_free(w);
            thaw_free(sum);
            parts_free(&p);
        }
}

static void a_part_that_persists_keeps_its_bits(void **state) {
    (void)state;
    Parts p;
    parts_create(&p, 3, 6, 1, 9);
    int nodes = p.shape->cells->kind->nodes;
    double rate[3], omega[3];
    for (int32_t e = 0; e < p.shape->ne; e++) // two blocks with a gap between
        p.flagged[e] = fabs(p.shape->X[3 * p.shape->cells->elements[e * nodes]] - 0.5) > 0.3;
    parts_update(&p);
    assert_int_equal(p.partition->part_count, 2);
    for (int k = 0; k < 2; k++) {
        thaw_part_velocity(&p.partition->parts[k], 3, rate, omega);
        thaw_part_advance(&p.partition->parts[k], 3, 0.01, rate, omega, &p.partition->parts[k], NULL);
    }
    parts_place(p.partition, p.x);
    int32_t stays = p.partition->part_of_vertex[0];
    ThawPart before = p.partition->parts[stays];
    double *r = THAW_NEW(double, 3 * before.count), *v = THAW_NEW(double, p.nx);
    memcpy(r, p.partition->r + 3 * before.first, sizeof *r * 3 * (size_t)before.count);
    memcpy(v, p.v, sizeof *v * (size_t)p.nx);
    for (int32_t e = 0; e < p.shape->ne; e++)
        p.flagged[e] &= p.partition->part_of_element[e] == stays;
    parts_update(&p);
    assert_int_equal(p.partition->part_count, 1);
    assert_int_equal(p.transition.kept, 1);
    assert_int_equal(p.transition.dissolved, 1);
    ThawPart *after = &p.partition->parts[0];
    assert_memory_equal(before.R, after->R, sizeof before.R);
    assert_memory_equal(before.p, after->p, sizeof before.p);
    assert_memory_equal(before.P, after->P, sizeof before.P);
    assert_memory_equal(before.L, after->L, sizeof before.L);
    assert_memory_equal(&before.inertia, &after->inertia, sizeof before.inertia);
    assert_memory_equal(r, p.partition->r + 3 * after->first, sizeof *r * 3 * (size_t)before.count);
    for (int32_t i = 0; i < before.count; i++)
        assert_memory_equal(v + 3 * p.partition->vertices[i], p.v + 3 * p.partition->vertices[i], 3 * sizeof *v);
    parts_update(&p); // the same again is no change
    assert_int_equal(p.transition.changed, 0);
    thaw_free(r);
    thaw_free(v);
    parts_free(&p);
}

static void a_restored_partition_is_the_saved_one(void **state) {
    (void)state;
    Parts p;
    ThawError error = {0};
    ThawPartition *copy;
    parts_create(&p, 3, 4, 1, 10);
    shuffle_pins(&p);
    parts_flag(&p, 40);
    parts_update(&p);
    const ThawPartition *q = p.partition;
    assert_true(q->part_count > 1);
    double *y = THAW_NEW(double, p.nx), most = 0;
    thaw_partition_find_stress(p.partition, y);
    for (int32_t k = 0; k < q->part_count; k++)
        for (int i = 0; i < 9; i++)
            most = fmax(most, fabs(q->stress[k][0][i]));
    assert_true(most > 0);
    thaw_free(y);
    assert_int_equal(thaw_partition_create(p.shape, 1, &copy, &error), THAW_OK);
    assert_int_equal(thaw_partition_restore(copy, p.flagged, p.script, q->parts, q->stress[0][0], q->part_count, q->r,
                                            q->vertex_count, &error),
                     THAW_OK);
    assert_memory_equal(copy->parts, q->parts, sizeof *q->parts * (size_t)q->part_count);
    assert_memory_equal(copy->stress, q->stress, sizeof *q->stress * (size_t)q->part_count);
    assert_memory_equal(copy->r, q->r, sizeof *q->r * 3 * (size_t)q->vertex_count);
    assert_memory_equal(copy->elastic, q->elastic, sizeof *q->elastic * (size_t)q->elastic_count);
    assert_int_equal(thaw_partition_restore(copy, p.flagged, p.script, q->parts, q->stress[0][0], q->part_count - 1,
                                            q->r, q->vertex_count, &error),
                     THAW_ERROR_INPUT);
    assert_true(strlen(error.message) > 0);
    thaw_partition_free(&copy);
    parts_free(&p);
}

static void a_part_takes_on_a_new_shape_without_a_change_of_momentum(void **state) {
    (void)state;
    Parts p;
    parts_create(&p, 3, 3, 1, 11);
    memset(p.flagged, 1, (size_t)p.shape->ne);
    parts_update(&p);
    ThawPart *part = &p.partition->parts[0];
    double rate[3], omega[3];
    thaw_part_velocity(part, 3, rate, omega);
    thaw_part_advance(part, 3, 0.3, rate, omega, part, NULL);
    parts_place(p.partition, p.x);
    ThawPart before = *part;
    double *x = THAW_NEW(double, p.nx);
    for (int i = 0; i < p.nx; i++)
        x[i] = p.x[i] += 0.01 * sample_random(&p.seed);
    thaw_partition_reshape(p.partition, p.x);
    assert_memory_equal(before.P, part->P, sizeof before.P);
    assert_memory_equal(before.L, part->L, sizeof before.L);
    assert_memory_equal(before.R, part->R, sizeof before.R);
    double centre[3] = {0};
    for (int i = 0; i < p.nx; i++) {
        assert_true(fabs(x[i] - p.x[i]) <= 1e-15);
        centre[i % 3] += p.shape->mass[i / 3] * p.x[i] / p.shape->total_mass;
    }
    for (int k = 0; k < 3; k++)
        assert_true(fabs(centre[k] - part->p[k]) <= 1e-15);
    thaw_free(x);
    parts_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_vertex_is_shared_by_two_parts_whatever_is_flagged),
        cmocka_unit_test(parts_depend_on_flags_and_not_on_history),
        cmocka_unit_test(pins_that_fix_a_part_take_it_out_of_the_unknowns),
        cmocka_unit_test(pins_in_a_line_are_an_axis),
        cmocka_unit_test(forming_and_dissolving_keep_momentum_and_lose_what_they_say),
        cmocka_unit_test(waking_and_rigidifying_are_inverses),
        cmocka_unit_test(a_part_that_dissolves_gives_back_what_its_shadow_kept),
        cmocka_unit_test(velocities_take_of_a_shadow_what_the_hold_of_their_part_allows),
        cmocka_unit_test(a_part_that_persists_keeps_its_bits),
        cmocka_unit_test(a_restored_partition_is_the_saved_one),
        cmocka_unit_test(a_part_takes_on_a_new_shape_without_a_change_of_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
