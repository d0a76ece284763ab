// SPDX-License-Identifier: Apache-2.0
// The rigid map at work: assembly over many chunks and threads, and small loops of real steps.
#include "map/map.h"
#include "map/parts.h"
#include "map/rigid/rigid.h"
#include "math/vec3.h"
#include "reduced/reduced.h"

typedef struct Rig {
    Parts p;
    ThawIntegrationSet *set;
    ThawSystem system;
    ThawSolver *solver;
    ThawTasks *tasks;
    int nq;
    double *y, *f, *b, *q, *partial, *x1;
    double gravity[3];
} Rig;

// The map and solver for the flags and pins of r->p.
static void rig_build(Rig *r, int threads) {
    ThawError error = {0};
    Parts *p = &r->p;
    parts_update(p);
    assert_int_equal(
        thaw_integration_create(p->shape, p->partition->elastic, p->partition->elastic_count, &r->set, &error),
        THAW_OK);
    r->system = (ThawSystem){.shape = p->shape, .scripted = p->script};
    assert_int_equal(thaw_map_rigid_create(p->shape, p->script, p->partition, r->set, &r->system.map, &error), THAW_OK);
    assert_int_equal(r->system.map->ops->pattern(r->system.map, &r->system.pattern, &error), THAW_OK);
    assert_int_equal(thaw_solver_plan_create(THAW_SOLVER_PCG, r->system.pattern, &r->system.plan, &error), THAW_OK);
    assert_int_equal(thaw_tasks_create(threads, &r->tasks, &error), THAW_OK);
    assert_int_equal(thaw_solver_create(r->system.plan, r->tasks, &r->solver, &error), THAW_OK);
    r->nq = p->dim * r->system.map->n;
    r->y = THAW_NEW(double, 3 * p->nx);
    r->f = r->y + p->nx;
    r->x1 = r->f + p->nx;
    r->b = THAW_NEW(double, 2 * r->nq);
    r->q = r->b + r->nq;
    r->partial = THAW_NEW(double, 2 * thaw_integration_most_chunks(r->p.shape));
}

// A complete factor, or conjugate gradients, of M + 0.01 K over the rig's unknowns.
static void rig_factor(Rig *r, ThawSolverKind kind, ThawSolverPlan **plan, ThawSolver **solver) {
    ThawError error = {0};
    assert_int_equal(thaw_solver_plan_create(kind, r->system.pattern, plan, &error), THAW_OK);
    assert_int_equal(thaw_solver_create(*plan, NULL, solver, &error), THAW_OK);
    assert_int_equal(thaw_system_assemble(&r->system, NULL, (ThawCombination){1, 0, {0.01, 0, 0}, 0, NULL}, r->p.x,
                                          NULL, *solver, r->f, r->partial),
                     THAW_OK);
    assert_int_equal(thaw_solver_factor(*solver), THAW_OK);
}

static void rig_free(Rig *r) {
    thaw_free(r->y);
    thaw_free(r->b);
    thaw_free(r->partial);
    thaw_solver_free(&r->solver);
    thaw_solver_plan_free(&r->system.plan);
    thaw_block_pattern_free(&r->system.pattern);
    thaw_map_free(&r->system.map);
    thaw_integration_free(&r->set);
    thaw_tasks_free(&r->tasks);
    parts_free(&r->p);
}

// A semi-implicit step without damping: G'(M + h^2 K)G q = G'(M v0 + h f), with M v0 of parts from their own momenta.
static void rig_step(Rig *r, double h) {
    Parts *p = &r->p;
    const ThawMap *map = r->system.map;
    ThawSolveInfo info;
    assert_int_equal(thaw_system_assemble(&r->system, r->tasks, (ThawCombination){1, 0, {h * h, 0, 0}, 0, NULL}, p->x,
                                          NULL, r->solver, r->f, r->partial),
                     THAW_OK);
    for (int i = 0; i < p->nx; i++) {
        double m = p->shape->mass[i / p->dim], v = p->partition->part_of_vertex[i / p->dim] < 0 ? p->v[i] : 0;
        r->y[i] = m * v + h * (r->f[i] + m * r->gravity[i % p->dim]);
    }
    map->ops->apply_t(map, r->y, r->b);
    map->ops->momentum(map, r->b);
    memset(r->q, 0, sizeof *r->q * (size_t)r->nq);
    assert_int_equal(thaw_solver_factor(r->solver), THAW_OK);
    assert_int_equal(thaw_solver_solve(r->solver, r->b, r->q, 1e-14, &info), THAW_OK);
    map->ops->apply(map, r->q, NULL, p->v);
    map->ops->advance(map, h, p->x, r->q, p->v, r->x1);
    r->system.map->ops->commit(r->system.map, h, r->q);
    memcpy(p->x, r->x1, sizeof *p->x * (size_t)p->nx);
}

// A body of several chunks whose middle is rigid and touched by all of them.
static void rig_core(Rig *r, int dim, int threads) {
    *r = (Rig){0};
    parts_create(&r->p, dim, dim == 2 ? 40 : 10, 1, 1);
    int nodes = r->p.shape->cells->kind->nodes;
    for (int32_t e = 0; e < r->p.shape->ne; e++) {
        const double *X = r->p.shape->X + r->p.shape->cells->elements[e * nodes] * dim;
        r->p.flagged[e] = fabs(X[1] - 0.4) < 0.2 && sample_below(&r->p.seed, 400) > 0;
    }
    rig_build(r, threads);
    assert_true(r->set->chunk_count > 1 && r->set->colour_count < r->set->chunk_count);
}

// --- assembly --------------------------------------------------------------------------------------------------------

static void the_assembled_matrix_is_the_product_of_its_factors(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        Rig r;
        double forms[2], size = 0;
        ThawStiffness element = {0.3, 0.2, 0};
        rig_core(&r, dim, 2);
        const ThawMap *map = r.system.map;
        double *u = THAW_NEW(double, r.p.nx), *expected = THAW_NEW(double, r.nq);
        for (int twice = 0; twice < 2; twice++) { // nothing is left over from the first
            assert_int_equal(thaw_system_assemble(&r.system, r.tasks,
                                                  (ThawCombination){2, 0.5, element, element.stiffness, NULL}, r.p.x,
                                                  NULL, r.solver, r.f, r.partial),
                             THAW_OK);
            for (int i = 0; i < r.nq; i++)
                r.q[i] = map->idle[i] ? 0 : sample_random(&r.p.seed);
            thaw_solver_multiply(r.solver, r.q, r.b);
            map->ops->apply(map, r.q, NULL, u);
            thaw_force_product(r.p.shape->all, NULL, r.p.x, u, element, r.p.shape->nv, r.y, forms, r.partial);
            for (int i = 0; i < r.p.nx; i++)
                r.y[i] += (2 * r.p.shape->mass[i / dim] + 0.5 * r.p.shape->damping_mass[i / dim]) * u[i];
            map->ops->apply_t(map, r.y, expected);
            for (int i = 0; i < r.nq; i++)
                size = fmax(size, fabs(expected[i]));
            for (int i = 0; i < r.nq; i++)
                assert_true(fabs(expected[i] - r.b[i]) <= 1e-12 * size);
        }
        thaw_free(u);
        thaw_free(expected);
        rig_free(&r);
    }
}

static void assembly_has_the_same_bits_for_any_number_of_threads(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        double *first = NULL;
        for (int threads = 1; threads <= 4; threads++)
            for (int again = 0; again < 3; again++) {
                Rig r;
                rig_core(&r, dim, threads);
                assert_int_equal(thaw_system_assemble(&r.system, r.tasks, (ThawCombination){1, 1, {1, 1, 0}, 1, NULL},
                                                      r.p.x, NULL, r.solver, r.f, r.partial),
                                 THAW_OK);
                const ThawBlockPattern *pattern = r.system.pattern;
                size_t bytes = sizeof(double) * (size_t)(pattern->row[pattern->n] * pattern->bs * pattern->bs);
                if (!first) {
                    first = THAW_NEW(double, bytes / sizeof(double));
                    memcpy(first, thaw_solver_matrix(r.solver)->value, bytes);
                }
                assert_memory_equal(first, thaw_solver_matrix(r.solver)->value, bytes);
                rig_free(&r);
            }
        thaw_free(first);
    }
}

// --- kinematics ------------------------------------------------------------------------------------------------------

static void momenta_of_parts_are_those_of_their_velocities(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int pins = 0; pins < dim; pins++) {
            Rig r = {0};
            parts_create(&r.p, dim, 3, 1, 2);
            for (int i = 0; i < pins; i++) {
                r.p.script[r.p.shape->cells->elements[i]] = THAW_VERTEX_PINNED;
                memset(r.p.v + r.p.shape->cells->elements[i] * dim, 0, sizeof *r.p.v * (size_t)dim);
            }
            memset(r.p.flagged, 1, (size_t)r.p.shape->ne);
            rig_build(&r, 1);
            thaw_partition_velocities(r.p.partition, r.p.v);
            for (int i = 0; i < r.p.nx; i++)
                r.y[i] = r.p.shape->mass[i / dim] * r.p.v[i];
            r.system.map->ops->apply_t(r.system.map, r.y, r.b);
            memset(r.q, 0, sizeof *r.q * (size_t)r.nq);
            r.system.map->ops->momentum(r.system.map, r.q);
            for (int i = 0; i < r.nq; i++)
                assert_true(fabs(r.b[i] - r.q[i]) <= 1e-13 * r.p.shape->total_mass);
            rig_free(&r);
        }
}

// v + chord against where advance takes the vertices.
static double chord_error(const Rig *r, double h, double *w) {
    const ThawMap *map = r->system.map;
    double error = 0;
    memset(w, 0, sizeof *w * (size_t)r->p.nx);
    map->ops->chord(map, h, w);
    map->ops->project(map, NULL, r->p.v, r->q);
    map->ops->apply(map, r->q, w, r->y);
    map->ops->advance(map, h, r->p.x, r->q, r->y, r->x1);
    for (int i = 0; i < r->p.nx; i++)
        error = fmax(error, fabs((r->x1[i] - r->p.x[i]) / h - r->y[i]));
    return error;
}

static void chords_tell_where_a_turning_part_will_be_to_second_order(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        Rig r = {0};
        parts_create(&r.p, dim, 3, 1, 3);
        for (int i = 0; i < r.p.nx; i++)
            r.p.v[i] = i % dim == 0 ? -r.p.x[i + 1] : i % dim == 1 ? r.p.x[i - 1] : 0;
        memset(r.p.flagged, 1, (size_t)r.p.shape->ne);
        rig_build(&r, 1);
        double *w = THAW_NEW(double, r.p.nx);
        double coarse = chord_error(&r, 0.02, w), fine = chord_error(&r, 0.01, w);
        assert_true(coarse < 0.02 * 0.02);
        assert_true(fine < coarse / 3.5);
        thaw_free(w);
        rig_free(&r);
    }
}

static void a_map_whose_parts_have_moved_is_a_new_map_of_them(void **state) {
    (void)state;
    Rig r;
    ThawError error = {0};
    ThawMap *fresh;
    rig_core(&r, 3, 1);
    for (int i = 0; i < r.nq; i++)
        r.q[i] = sample_random(&r.p.seed);
    r.system.map->ops->commit(r.system.map, 0.3, r.q);
    assert_int_equal(thaw_map_rigid_create(r.p.shape, r.p.script, r.p.partition, r.set, &fresh, &error), THAW_OK);
    fresh->ops->apply(fresh, r.q, NULL, r.y);
    r.system.map->ops->apply(r.system.map, r.q, NULL, r.f);
    assert_memory_equal(r.y, r.f, sizeof *r.y * (size_t)r.p.nx);
    thaw_map_free(&fresh);
    rig_free(&r);
}

// --- steps -----------------------------------------------------------------------------------------------------------

static double distance(const Rig *r, int32_t i, int32_t j) {
    double square = 0;
    for (int k = 0; k < r->p.dim; k++)
        square += (r->p.x[i * r->p.dim + k] - r->p.x[j * r->p.dim + k]) *
                  (r->p.x[i * r->p.dim + k] - r->p.x[j * r->p.dim + k]);
    return sqrt(square);
}

static void half_elastic_bodies_fly_with_their_momentum_and_parts_stay_rigid(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        Rig r = {0};
        parts_create(&r.p, dim, 4, 1, 4);
        parts_flag(&r.p, dim == 2 ? 60 : 70);
        rig_build(&r, 1);
        const ThawPartition *q = r.p.partition;
        assert_true(q->part_count > 0 && q->elastic_count > 0);
        double before[7], after[7], *length = THAW_NEW(double, q->vertex_count);
        thaw_partition_velocities(q, r.p.v);
        parts_momenta(&r.p, r.p.v, before);
        for (int32_t k = 0; k < q->part_count; k++)
            for (int32_t i = q->parts[k].first; i < q->parts[k].first + q->parts[k].count; i++)
                length[i] = distance(&r, q->vertices[i], q->vertices[q->parts[k].first]);
        for (int i = 0; i < 100; i++)
            rig_step(&r, 0.002);
        thaw_partition_velocities(q, r.p.v);
        parts_momenta(&r.p, r.p.v, after);
        for (int k = 0; k < dim; k++)
            assert_true(fabs(before[k] - after[k]) <= 1e-10 * r.p.shape->total_mass);
        assert_true(after[6] <= before[6]);
        for (int32_t k = 0; k < q->part_count; k++)
            for (int32_t i = q->parts[k].first; i < q->parts[k].first + q->parts[k].count; i++)
                assert_true(fabs(length[i] - distance(&r, q->vertices[i], q->vertices[q->parts[k].first])) <= 1e-14);
        thaw_free(length);
        rig_free(&r);
    }
}

// A whole body rigid, held at `pins` vertices, let go a little beside its equilibrium: returns measured / expected
// period.
static double swing(int dim, int pins) {
    Rig r = {0};
    parts_create(&r.p, dim, 3, 1, 5);
    memset(r.p.v, 0, sizeof *r.p.v * (size_t)r.p.nx);
    memset(r.p.flagged, 1, (size_t)r.p.shape->ne);
    for (int i = 0; i < pins; i++)
        r.p.script[r.p.shape->cells->elements[i]] = THAW_VERTEX_PINNED;
    rig_build(&r, 1);
    const ThawPart *part = &r.p.partition->parts[0];
    assert_int_equal(part->hold, pins == 1 ? THAW_HOLD_POINT : THAW_HOLD_AXIS);
    double axis[3] = {0, 0, 1}, s[3], arm = 0, along = 0, inertia = part->inertia.second[8], aside[3];
    if (dim == 3) {
        inertia = 0;
        memcpy(axis, part->axis, sizeof axis);
        for (int i = 0; i < 9; i++)
            inertia += axis[i % 3] * part->inertia.second[i] * axis[i / 3];
    }
    for (int k = 0; k < 3; k++)
        along += axis[k] * part->inertia.first[k];
    for (int k = 0; k < 3; k++) {
        s[k] = part->inertia.first[k] - along * axis[k];
        arm += s[k] * s[k];
    }
    arm = sqrt(arm);
    thaw_v3_cross(axis, s, aside);
    double g = 9.8, tilt = 0.03, expected = 2 * acos(-1) * sqrt(inertia / (arm * g)), h = expected / 500;
    for (int k = 0; k < 3; k++)
        r.gravity[k] = g * (cos(tilt) * s[k] + sin(tilt) * aside[k]) / arm;
    double rate[3], omega[3], last = 0, first = -1, turns = 0, time = 0, latest = 0;
    for (int i = 0; i < 3000; i++) {
        rig_step(&r, h);
        thaw_part_velocity(part, dim, rate, omega);
        double spin = thaw_v3_dot(axis, omega);
        time += h;
        if (last * spin < 0) { // it turns back
            latest = time - h * fabs(spin) / (fabs(spin) + fabs(last));
            if (first < 0)
                first = latest;
            else
                turns++;
        }
        last = spin;
    }
    assert_true(turns >= 8);
    for (int i = 0; i < pins; i++)
        assert_true(r.p.v[r.p.shape->cells->elements[i] * dim] == 0);
    rig_free(&r);
    return 2 * (latest - first) / turns / expected;
}

static void held_parts_are_physical_pendulums(void **state) {
    (void)state;
    double flat = swing(2, 1), hinged = swing(3, 2);
    print_message("period over theory: %.6f in 2D at a point, %.6f in 3D at an axis\n", flat, hinged);
    assert_true(fabs(flat - 1) <= 3e-4);
    assert_true(fabs(hinged - 1) <= 3e-4);
}

// Held at one point in 3D: a spherical pendulum and top. Energy is all there is to check, and it must not grow.
static void a_top_keeps_its_energy(void **state) {
    (void)state;
    Rig r = {0};
    parts_create(&r.p, 3, 3, 1, 6);
    memset(r.p.flagged, 1, (size_t)r.p.shape->ne);
    int32_t pin = r.p.shape->cells->elements[0];
    r.p.script[pin] = THAW_VERTEX_PINNED;
    r.gravity[2] = -9.8;
    rig_build(&r, 1);
    const ThawPart *part = &r.p.partition->parts[0];
    double start = 0, least = INFINITY, most = -INFINITY, pinned[3];
    memcpy(pinned, r.p.x + 3 * pin, sizeof pinned);
    for (int i = 0; i <= 5000; i++) {
        double rho[3], energy = thaw_part_kinetic(part, 3);
        thaw_part_rotate(part, 3, part->inertia.first, rho);
        energy += 9.8 * rho[2];
        start = i == 0 ? energy : start;
        least = fmin(least, energy);
        most = fmax(most, energy);
        rig_step(&r, 5e-4);
    }
    double size = 9.8 * 0.5 * r.p.shape->total_mass;
    print_message("a top's energy over 5000 steps: between %+.1e and %+.1e of m g l\n", (least - start) / size,
                  (most - start) / size);
    assert_true(most - start <= 5e-3 * size && start - least <= 5e-3 * size);
    assert_memory_equal(pinned, r.p.x + 3 * pin, sizeof pinned);
    rig_free(&r);
}

static void forces_at_the_end_pull_by_the_slope_of_where_parts_go(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        Rig r;
        double h = 0.05, d = 1e-5, worst = 0, size = 0, dual[2] = {0, 0};
        rig_core(&r, dim, 1);
        const ThawMap *map = r.system.map;
        double *f = THAW_NEW(double, r.p.nx), *x[2] = {THAW_NEW(double, r.p.nx), THAW_NEW(double, r.p.nx)},
               *p = THAW_NEW(double, r.nq);
        for (int i = 0; i < r.p.nx; i++)
            f[i] = sample_random(&r.p.seed);
        for (int i = 0; i < r.nq; i++)
            r.q[i] = map->idle[i] ? 0 : 2 * sample_random(&r.p.seed);
        map->ops->apply_t(map, f, r.b);
        map->ops->end_force(map, h, r.q, 1, f, r.b);
        for (int j = r.nq - 6 * dim; j < r.nq; j++) { // the parts' unknowns come last
            for (int side = 0; side < 2 && !map->idle[j]; side++) {
                memcpy(p, r.q, sizeof *p * (size_t)r.nq);
                p[j] += side ? d : -d;
                map->ops->apply(map, p, NULL, r.p.v);
                map->ops->advance(map, h, r.p.x, p, r.p.v, x[side]);
            }
            double slope = 0;
            for (int i = 0; i < r.p.nx && !map->idle[j]; i++)
                slope += f[i] * (x[1][i] - x[0][i]) / (2 * d * h);
            worst = fmax(worst, fabs(slope - r.b[j]));
            size = fmax(size, fabs(slope));
        }
        map->ops->apply(map, r.q, NULL, r.p.v);
        map->ops->end_velocity(map, h, r.q, r.p.v);
        for (int i = 0; i < r.nq; i++)
            dual[0] += r.q[i] * r.b[i];
        for (int i = 0; i < r.p.nx; i++)
            dual[1] += r.p.v[i] * f[i];
        print_message("%dD: off by %.1e of %.1e, dual to %.1e\n", dim, worst, size, dual[0] - dual[1]);
        assert_true(worst < 1e-7 * size && fabs(dual[0] - dual[1]) < 1e-11 * fabs(dual[0]));
        thaw_free(f);
        thaw_free(p);
        thaw_free(x[0]);
        thaw_free(x[1]);
        rig_free(&r);
    }
}

// What an adaptive body does while it has no parts.
static void a_map_without_parts_borrows_pattern_and_plans_of_the_full_body(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        Parts p;
        ThawError error = {0};
        ThawSystem *full, *system;
        ThawMap *map;
        ThawBlockPattern *pattern;
        parts_create(&p, dim, 4, 1, 5);
        p.script[0] = p.script[7] = THAW_VERTEX_PINNED;
        parts_update(&p);
        assert_int_equal(p.partition->part_count, 0);
        assert_int_equal(thaw_system_create(p.shape, p.script, THAW_SOLVER_PCG, &full, &error), THAW_OK);
        assert_int_equal(thaw_map_rigid_create(p.shape, p.script, p.partition, p.shape->all, &map, &error), THAW_OK);
        assert_int_equal(map->ops->pattern(map, &pattern, &error), THAW_OK);
        int32_t n = pattern->n;
        assert_int_equal(n, full->pattern->n);
        assert_memory_equal(pattern->row, full->pattern->row, sizeof *pattern->row * ((size_t)n + 1));
        assert_memory_equal(pattern->col, full->pattern->col, sizeof *pattern->col * (size_t)pattern->row[n]);
        thaw_block_pattern_free(&pattern);
        assert_int_equal(thaw_system_wrap_like(&map, full, &system, &error), THAW_OK);
        assert_null(map);
        assert_ptr_equal(system->plan, full->plan);
        assert_null(system->direct);
        assert_int_equal(thaw_system_plan_direct(system, &error), THAW_OK);
        assert_non_null(full->direct);
        assert_ptr_equal(system->direct, full->direct);
        thaw_system_free(&system); // and the full one still has what it lent
        assert_int_equal(full->pattern->n, n);
        thaw_system_free(&full);
        parts_free(&p);
    }
}

static void blocks_of_vertices_are_their_compliance_exactly_on_parts_and_of_samples_elsewhere(void **state) {
    (void)state;
    for (int run = 0; run < 4; run++) {
        int dim = 2 + run % 2, direct = run / 2;
        Rig r = {0};
        ThawSolverPlan *plan = NULL;
        ThawSolver *solver = NULL;
        ThawComplianceScratch scratch = {0};
        parts_create(&r.p, dim, 4, 2, 3);
        parts_flag(&r.p, 60);
        r.p.script[1] = r.p.script[9] = THAW_VERTEX_PINNED;
        rig_build(&r, 1);
        assert_true(r.p.partition->part_count > 1);
        rig_factor(&r, direct ? THAW_SOLVER_LDL : THAW_SOLVER_PCG, &plan, &solver);
        int32_t nv = r.p.shape->nv, *from = THAW_NEW(int32_t, nv), *vertices = THAW_NEW(int32_t, nv), others = 0;
        double *S = THAW_NEW(double, nv *dim *dim), *u = THAW_NEW(double, r.p.nx);
        for (int32_t i = 0; i < nv; i++)
            vertices[i] = nv - 1 - i;
        assert_int_equal(
            thaw_system_blocks(&r.system, solver, nv, vertices, 1e-13, from, S, r.y, r.x1, r.q, r.b, &scratch),
            THAW_OK);
        for (int32_t k = 0; k < nv; k++) {
            double unit[9] = {0}, H[9], size = 0;
            for (int i = 0; i < dim; i++)
                unit[i * (dim + 1)] = 1;
            ThawBlockRows J = {1, dim, (int32_t[]){0, 1}, &vertices[from[k]], unit};
            assert_int_equal(thaw_system_compliance(&r.system, solver, &J, 1e-13, H, NULL, r.y, u, r.q, r.b, &scratch),
                             THAW_OK);
            for (int i = 0; i < dim * dim; i++)
                size = fmax(size, fabs(H[i]));
            for (int i = 0; i < dim * dim; i++)
                assert_true(fabs(S[k * dim * dim + i] - H[i]) <= 1e-9 * size);
            int32_t part = r.p.partition->part_of_vertex[vertices[k]];
            int held = r.p.script[vertices[k]] || (part >= 0 && r.p.partition->parts[part].hold == THAW_HOLD_FIXED);
            assert_true(from[k] == k || (part < 0 && !held));
            assert_int_equal(size == 0, held);
            others += from[k] != k;
        }
        assert_true(dim == 2 || others > 0);
        thaw_compliance_scratch_clear(&scratch);
        thaw_solver_free(&solver);
        thaw_solver_plan_free(&plan);
        thaw_free(S);
        thaw_free(u);
        thaw_free(from);
        thaw_free(vertices);
        rig_free(&r);
    }
}

// Contacts on few unknowns: H = C G C' is what one gets without ports.
static void rows_on_parts_have_ports_that_answer_for_them(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        enum { ROWS = 24 };
        Rig r = {0};
        ThawSolverPlan *plan = NULL;
        ThawSolver *solver = NULL;
        ThawComplianceScratch scratch = {0};
        parts_create(&r.p, dim, 4, 2, 3);
        parts_flag(&r.p, 60);
        rig_build(&r, 1);
        rig_factor(&r, THAW_SOLVER_LDL, &plan, &solver);
        // Two vertices a row, those of part 0 more often than others.
        int32_t start[ROWS + 1] = {0}, col[2 * ROWS], inside[8] = {0}, some = 0, size = dim * ROWS;
        double value[2 * ROWS * 9], *u = THAW_NEW(double, r.p.nx);
        for (int32_t i = 0; i < r.p.shape->nv && some < 8; i++)
            if (r.p.partition->part_of_vertex[i] == 0)
                inside[some++] = i;
        assert_true(some > 1);
        for (int32_t k = 0; k < 2 * ROWS; k++) {
            start[k / 2 + 1] = k + 1;
            col[k] = k % 6 == 0 ? k % r.p.shape->nv : inside[k % some];
            for (int i = 0; i < dim * dim; i++)
                value[k * dim * dim + i] = sin(3 * k + 7 * i);
        }
        ThawBlockRows J = {ROWS, dim, start, col, value};
        double *H = THAW_NEW(double, size *size), *G = THAW_NEW(double, size *size);
        int32_t C_start[ROWS + 1], C_port[4 * ROWS];
        double C_value[4 * ROWS * 9], largest = 0;
        ThawPorts ports = {0, 4 * ROWS, C_start, C_port, C_value};
        assert_int_equal(thaw_system_compliance(&r.system, solver, &J, 1e-13, H, NULL, r.y, u, r.q, r.b, &scratch),
                         THAW_OK);
        assert_int_equal(thaw_system_compliance(&r.system, solver, &J, 1e-13, G, &ports, r.y, u, r.q, r.b, &scratch),
                         THAW_OK);
        assert_in_range(ports.count, 1, ROWS - 1);
        for (int32_t i = 0; i < size * size; i++)
            largest = fmax(largest, fabs(H[i]));
        for (int32_t i = 0; i < size; i++)
            for (int32_t j = 0; j < size; j++) {
                double sum = 0;
                for (int32_t a = C_start[i / dim]; a < C_start[i / dim + 1]; a++)
                    for (int32_t b = C_start[j / dim]; b < C_start[j / dim + 1]; b++)
                        for (int k = 0; k < dim; k++)
                            for (int l = 0; l < dim; l++)
                                sum += C_value[dim * (dim * a + i % dim) + k] *
                                       G[(dim * C_port[a] + k) * dim * ports.count + dim * C_port[b] + l] *
                                       C_value[dim * (dim * b + j % dim) + l];
                assert_true(fabs(sum - H[i * size + j]) <= 1e-11 * largest);
            }
        thaw_compliance_scratch_clear(&scratch);
        thaw_solver_free(&solver);
        thaw_solver_plan_free(&plan);
        thaw_free(H);
        thaw_free(G);
        thaw_free(u);
        rig_free(&r);
    }
}

// One vertex of each of a hundred parts has two blocks of unknowns each: more columns than vertices, and more than
// there is room for. Who is left out has the block of another.
static void blocks_of_very_many_parts_are_those_of_some_of_them(void **state) {
    (void)state;
    Rig r = {0};
    ThawSolverPlan *plan = NULL;
    ThawSolver *solver = NULL;
    ThawComplianceScratch scratch = {0};
    parts_create(&r.p, 3, 8, 1, 3);
    parts_flag(&r.p, 8);
    rig_build(&r, 1);
    int32_t parts = r.p.partition->part_count, met = 0, left = 0;
    assert_true(parts > 70);
    rig_factor(&r, THAW_SOLVER_LDL, &plan, &solver);
    int32_t *from = THAW_NEW(int32_t, parts), *vertices = THAW_NEW(int32_t, parts),
            *start = THAW_NEW(int32_t, parts + 1);
    double *S = THAW_NEW(double, 9 * parts), *u = THAW_NEW(double, r.p.nx), *unit = THAW_NEW(double, 9 * parts);
    double *H = THAW_NEW(double, 9 * parts * parts);
    for (int32_t i = 0; i < r.p.shape->nv; i++)
        if (met < parts && r.p.partition->part_of_vertex[i] == met)
            vertices[met++] = i;
    for (int32_t k = 0; k <= met; k++)
        start[k] = k;
    for (int32_t k = 0; k < 3 * met; k++)
        unit[3 * k + k % 3] = 1;
    assert_true(met > 70);
    ThawBlockRows half = {met / 2, 3, start, vertices, unit}, all = {met, 3, start, vertices, unit};
    assert_int_equal(thaw_system_compliance(&r.system, solver, &half, 1e-13, H, NULL, r.y, u, r.q, r.b, &scratch),
                     THAW_OK);
    assert_int_equal(
        thaw_system_blocks(&r.system, solver, met, vertices, 1e-13, from, S, r.y, r.x1, r.q, r.b, &scratch), THAW_OK);
    assert_int_equal(thaw_system_compliance(&r.system, solver, &all, 1e-13, H, NULL, r.y, u, r.q, r.b, &scratch),
                     THAW_OK);
    for (int32_t k = 0; k < met; k++) {
        left += from[k] != k;
        for (int i = 0; i < 9; i++) {
            size_t row = (size_t)(3 * from[k] + i / 3), column = (size_t)(3 * from[k] + i % 3);
            assert_true(fabs(S[9 * k + i] - H[row * (size_t)(3 * met) + column]) <= 1e-9 * fabs(S[9 * k]));
        }
    }
    assert_true(left > 0 && left < met);
    thaw_compliance_scratch_clear(&scratch);
    thaw_solver_free(&solver);
    thaw_solver_plan_free(&plan);
    thaw_free(S);
    thaw_free(u);
    thaw_free(H);
    thaw_free(unit);
    thaw_free(from);
    thaw_free(start);
    thaw_free(vertices);
    rig_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_assembled_matrix_is_the_product_of_its_factors),
        cmocka_unit_test(assembly_has_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(momenta_of_parts_are_those_of_their_velocities),
        cmocka_unit_test(chords_tell_where_a_turning_part_will_be_to_second_order),
        cmocka_unit_test(a_map_whose_parts_have_moved_is_a_new_map_of_them),
        cmocka_unit_test(half_elastic_bodies_fly_with_their_momentum_and_parts_stay_rigid),
        cmocka_unit_test(held_parts_are_physical_pendulums),
        cmocka_unit_test(a_top_keeps_its_energy),
        cmocka_unit_test(forces_at_the_end_pull_by_the_slope_of_where_parts_go),
        cmocka_unit_test(blocks_of_vertices_are_their_compliance_exactly_on_parts_and_of_samples_elsewhere),
        cmocka_unit_test(rows_on_parts_have_ports_that_answer_for_them),
        cmocka_unit_test(blocks_of_very_many_parts_are_those_of_some_of_them),
        cmocka_unit_test(a_map_without_parts_borrows_pattern_and_plans_of_the_full_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
