// SPDX-License-Identifier: Apache-2.0
// The contract of kinematic maps: one suite over a table of them, each held to the laws it declares. A new map is one
// more line in MAPS.
#include "map/condense/condense.h"
#include "map/frames/frames.h"
#include "map/inertia.h"
#include "map/modes.h"
#include "map/parts.h"
#include "map/rigid/rigid.h"
#include "math/vec3.h"
#include "reduced/reduced.h"
#include "step/sample.h"

// What a map stands on besides the shape.
typedef struct Ground {
    uint64_t seed; // for what a map's maker leaves to chance
    ThawPartition *partition;
    ThawIntegrationSet *set;
    ThawCondensed *condensed;
    ThawFrameTree *tree;
    double *y; // where the body is, of maps whose fields go by that
} Ground;

// How to make a map for a shape and flags of scripted vertices; `full`: with everything kept elastic.
typedef ThawStatus (*MapCreate)(const ThawShape *shape, const unsigned char *scripted, Ground *ground, ThawMap **map,
                                ThawError *error);
typedef struct MapEntry {
    const char *name;
    MapCreate create, create_full;
} MapEntry;

static ThawStatus create_identity(const ThawShape *shape, const unsigned char *scripted, Ground *ground, ThawMap **map,
                                  ThawError *error) {
    (void)ground;
    return thaw_map_identity_create(shape, scripted, map, error);
}

static int holds_seen[2][4]; // [dim - 2][ThawHold]

// A share of the elements flagged, and the parts that come of it turned by about a tenth of a radian.
static void build_partition(const ThawShape *shape, const unsigned char *scripted, int percent, Ground *ground) {
    ThawError error = {0};
    ThawTransition transition;
    int dim = shape->dim;
    uint64_t seed = ground->seed;
    unsigned char *flagged = THAW_NEW(unsigned char, shape->ne), *script = THAW_NEW(unsigned char, shape->nv);
    double *x = THAW_NEW(double, dim * shape->nv), *v = THAW_NEW(double, dim * shape->nv);
    memcpy(x, shape->X, sizeof *x * (size_t)(dim * shape->nv));
    for (int32_t e = 0; e < shape->ne; e++)
        flagged[e] = sample_below(&seed, 100) < percent;
    for (int32_t i = 0; i < shape->nv; i++)
        script[i] = !scripted[i]                               ? THAW_VERTEX_FREE
                    : sample_below(&seed, 4) || percent == 100 ? THAW_VERTEX_PINNED
                                                               : THAW_VERTEX_MOVED;
    assert_int_equal(thaw_partition_create(shape, 1, &ground->partition, &error), THAW_OK);
    assert_int_equal(thaw_partition_update(ground->partition, flagged, script, NULL, x, v, &transition, &error),
                     THAW_OK);
    for (int32_t k = 0; k < ground->partition->part_count; k++) {
        ThawPart *part = &ground->partition->parts[k];
        double rate[3], omega[3];
        for (int i = dim == 2 ? 2 : 0; i < 3; i++)
            part->L[i] = sample_random(&seed);
        thaw_part_velocity(part, dim, rate, omega);
        double speed = thaw_v3_norm(omega);
        thaw_part_advance(part, dim, speed > 0 ? 0.1 / speed : 0, rate, omega, part, NULL);
        holds_seen[dim - 2][part->hold]++;
    }
    thaw_free(flagged);
    thaw_free(script);
    thaw_free(x);
    thaw_free(v);
}

static ThawStatus create_some_rigid(const ThawShape *shape, const unsigned char *scripted, Ground *ground,
                                    ThawMap **map, ThawError *error) {
    build_partition(shape, scripted, (int[]){60, 85, 100}[ground->seed % 3], ground);
    ThawStatus status = thaw_integration_create(shape, ground->partition->elastic, ground->partition->elastic_count,
                                                &ground->set, error);
    return status == THAW_OK ? thaw_map_rigid_create(shape, scripted, ground->partition, ground->set, map, error)
                             : status;
}

static ThawStatus create_none_rigid(const ThawShape *shape, const unsigned char *scripted, Ground *ground,
                                    ThawMap **map, ThawError *error) {
    build_partition(shape, scripted, 0, ground);
    return thaw_map_rigid_create(shape, scripted, ground->partition, shape->all, map, error);
}

static ThawStatus create_modes(const ThawShape *shape, const unsigned char *scripted, Ground *ground, ThawMap **map,
                               ThawError *error) {
    (void)ground;
    return modes_map_create(shape, scripted, 0, map, error);
}

static ThawStatus create_modes_without_rows(const ThawShape *shape, const unsigned char *scripted, Ground *ground,
                                            ThawMap **map, ThawError *error) {
    (void)ground;
    return modes_map_create(shape, scripted, MODES_WITHOUT_ROWS, map, error);
}

static ThawStatus create_condensed(const ThawShape *shape, const unsigned char *scripted, Ground *ground, ThawMap **map,
                                   ThawError *error) {
    ThawStatus status =
        thaw_condensed_create(shape, 1 + (int32_t)(ground->seed % 3), NULL, 0, NULL, &ground->condensed, error);
    return status == THAW_OK ? thaw_map_bordered_create(ground->condensed, scripted, map, error) : status;
}

static ThawStatus create_nodes(const ThawShape *shape, const unsigned char *scripted, Ground *ground, ThawMap **map,
                               ThawError *error) {
    ThawNodes nodes = {.beta = 1, .projection = THAW_PROJECT_WHEN_NEEDED};
    int32_t *region_of = THAW_NEW(int32_t, shape->nv);
    (void)ground;
    ThawStatus status =
        thaw_regions_place(shape, shape->dim + 1, NULL, 0, region_of, nodes.vertex, &nodes.count, error);
    thaw_free(region_of);
    return status == THAW_OK ? thaw_map_nodes_create(shape, scripted, &nodes, NULL, map, error) : status;
}

// One to four frames, affine or quadratic, some of them active, of a body that is bent.
static ThawStatus create_frames(const ThawShape *shape, const unsigned char *scripted, Ground *ground, ThawMap **map,
                                ThawError *error) {
    uint64_t seed = ground->seed;
    unsigned char active[4] = {1};
    ThawFrameMapDef def = {.active = active, .scripted = scripted, .led = 1, .set = shape->all};
    ThawStatus status = thaw_frame_tree_create(shape, 1 + (int32_t)(seed % (uint64_t)shape->dim),
                                               seed % 2 ? THAW_FRAME_KERNEL : THAW_FRAME_RATIO, &ground->tree, error);
    for (int n = 1; n < 4; n++)
        active[n] = sample_below(&seed, 3) > 0;
    def.tree = ground->tree;
    def.order = 1 + (shape->dim == 3 && ground->tree->count == 1);
    def.y = ground->y = THAW_NEW(double, shape->dim * shape->nv);
    for (int i = 0; i < shape->dim * shape->nv; i++)
        ground->y[i] = shape->X[i] +
                       0.1 * shape->X[i / shape->dim * shape->dim] * shape->X[i / shape->dim * shape->dim] +
                       0.03 * sample_random(&seed);
    return status == THAW_OK ? thaw_map_frames_create(&def, map, error) : status;
}

static void ground_free(Ground *ground) {
    thaw_frame_tree_free(&ground->tree);
    thaw_free(ground->y);
    thaw_condensed_free(&ground->condensed);
    thaw_partition_free(&ground->partition);
    thaw_integration_free(&ground->set);
}

static const MapEntry MAPS[] = {
    {"full", create_identity, create_identity},
    {"rigid", create_some_rigid, create_none_rigid},
    {"modes", create_modes, NULL},
    {"modes without rows", create_modes_without_rows, NULL},
    {"condensed", create_condensed, NULL},
    {"nodes", create_nodes, NULL},
    {"frames", create_frames, NULL},
};

// A small deformed body and one map of it.
typedef struct Case {
    Sample sample;
    ThawModel *model;
    const ThawShape *shape;
    unsigned char *scripted; // nv
    Ground ground;
    ThawMap *map;
    int nx, nq;            // coordinates, unknowns
    double *x, *v, *w, *f; // nx
    double *q, *r;         // nq
    double *partial;
    uint64_t seed;
} Case;

// All vertices of parts are where their part has them, pinned ones too: so the part is as stressed as it was formed.
static void place_parts(const ThawPartition *partition, double *x) {
    int dim = partition->shape->dim;
    for (int32_t k = 0; k < partition->part_count; k++) {
        const ThawPart *part = &partition->parts[k];
        for (int32_t m = part->first; m < part->first + part->count; m++) {
            double rho[3];
            thaw_part_rotate(part, dim, partition->r + m * dim, rho);
            for (int i = 0; i < dim; i++)
                x[partition->vertices[m] * dim + i] = part->p[i] + rho[i];
        }
    }
}

// Which vertices are scripted: none, a quarter of the vertices, one vertex, or two neighbours.
enum { SCRIPT_NONE, SCRIPT_SOME, SCRIPT_ONE, SCRIPT_TWO, SCRIPT_COUNT };

static int is_border(const Case *c, int i) { return i / c->model->dim >= c->map->n - c->map->border.count; }

static void case_create(Case *c, MapCreate create, int dim, int scripts, uint64_t seed) {
    ThawError error = {0};
    *c = (Case){.seed = seed, .ground.seed = seed};
    sample_create(&c->sample, dim, 2, THAW_MATERIAL_STABLE_NEO_HOOKEAN, seed);
    c->sample.materials[1].model = THAW_MATERIAL_COROTATIONAL;
    if (thaw_model_create(&c->sample.world, &c->model, &error) != THAW_OK)
        fail_msg("%s", error.message);
    c->shape = c->model->shapes[0];
    c->scripted = THAW_NEW(unsigned char, c->shape->nv);
    for (int32_t i = 0; scripts == SCRIPT_SOME && i < c->shape->nv; i++)
        c->scripted[i] = sample_below(&c->seed, 4) == 0;
    const int32_t *corner =
        c->shape->cells->elements + c->shape->cells->kind->nodes * sample_below(&c->seed, c->shape->ne);
    for (int i = 0; i < scripts - SCRIPT_SOME; i++)
        c->scripted[corner[i]] = 1;
    if (create(c->shape, c->scripted, &c->ground, &c->map, &error) != THAW_OK)
        fail_msg("%s", error.message);
    c->nx = dim * c->shape->nv;
    c->nq = dim * c->map->n;
    c->x = THAW_NEW(double, 4 * c->nx);
    c->v = c->x + c->nx;
    c->w = c->v + c->nx;
    c->f = c->w + c->nx;
    c->q = THAW_NEW(double, 2 * c->nq);
    c->r = c->q + c->nq;
    c->partial = THAW_NEW(double, 2 * thaw_integration_most_chunks(c->shape));
    for (int i = 0; i < c->nx; i++) {
        c->x[i] = c->shape->X[i] + 0.03 * sample_random(&c->seed);
        c->f[i] = sample_random(&c->seed);
        // Anywhere, but for vertices that move with frames.
        c->w[i] = c->scripted[i / dim] || !thaw_map_carries(c->map, i / dim) ? sample_random(&c->seed) : 0;
    }
    if (c->ground.partition)
        place_parts(c->ground.partition, c->x);
    if (c->ground.y)
        memcpy(c->x, c->ground.y, sizeof *c->x * (size_t)c->nx);
    if (c->map->ops->laws & THAW_MAP_FOLLOWS_STATE)
        assert_int_equal(c->map->ops->update(c->map, c->x, c->f), THAW_OK);
    for (int i = 0; i < c->nq; i++)
        c->q[i] = (c->map->idle && c->map->idle[i]) || is_border(c, i) ? 0 : sample_random(&c->seed);
}

static void case_free(Case *c) {
    thaw_map_free(&c->map);
    assert_null(c->map);
    thaw_map_free(&c->map);
    ground_free(&c->ground);
    thaw_free(c->x);
    thaw_free(c->q);
    thaw_free(c->partial);
    thaw_free(c->scripted);
    thaw_model_free(&c->model);
    sample_free(&c->sample);
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void for_all_maps(void (*check)(Case *c)) {
    for (int m = 0; m < COUNT(MAPS); m++)
        for (int dim = 2; dim <= 3; dim++)
            for (int scripts = 0; scripts < SCRIPT_COUNT; scripts++)
                for (uint64_t seed = 1; seed <= 6; seed++) {
                    Case c;
                    case_create(&c, MAPS[m].create, dim, scripts, seed);
                    assert_string_equal(c.map->ops->name, MAPS[m].name);
                    check(&c);
                    case_free(&c);
                }
}

// --- the laws of every map -------------------------------------------------------------------------------------------

static void check_adjoint(Case *c) {
    c->map->ops->apply(c->map, c->q, NULL, c->v);
    c->map->ops->apply_t(c->map, c->f, c->r);
    double left = dot(c->nx, c->v, c->f), right = dot(c->nq, c->q, c->r);
    assert_true(fabs(left - right) <= 1e-13 * sqrt(dot(c->nx, c->v, c->v) * dot(c->nx, c->f, c->f)));
}

static void apply_t_is_the_transpose_of_apply(void **state) {
    (void)state;
    for_all_maps(check_adjoint);
}

static void check_affine(Case *c) {
    double *linear = THAW_NEW(double, c->nx);
    c->map->ops->apply(c->map, c->q, c->w, c->v);
    c->map->ops->apply(c->map, c->q, NULL, linear);
    for (int i = 0; i < c->nx; i++)
        assert_true(fabs(c->v[i] - (linear[i] + c->w[i])) <= 1e-15);
    for (int32_t i = 0; i < c->shape->nv; i++) // scripted vertices do what they are told
        for (int k = 0; k < c->model->dim && c->scripted[i]; k++)
            assert_true(c->v[i * c->model->dim + k] == c->w[i * c->model->dim + k]);
    thaw_free(linear);
}

static void apply_adds_the_offset(void **state) {
    (void)state;
    for_all_maps(check_affine);
}

// The rows of vertices are those of apply, on no more blocks than the map says.
static void check_rows(Case *c) {
    const int dim = c->model->dim;
    int32_t *block = THAW_NEW(int32_t, c->map->row_blocks + 1);
    double(*matrix)[9] = thaw_alloc((size_t)c->map->row_blocks + 1, sizeof *matrix);
    assert_int_equal(c->map->ops->rows != NULL, c->map->row_blocks > 0);
    c->map->ops->apply(c->map, c->q, NULL, c->v);
    for (int32_t i = 0; c->map->ops->rows && i < c->shape->nv; i++) {
        const int blocks = c->map->ops->rows(c->map, i, block, matrix);
        double v[3] = {0};
        assert_in_range(blocks, 0, c->map->row_blocks);
        for (int b = 0; b < blocks; b++)
            for (int k = 0; k < dim * dim; k++)
                v[k / dim] += matrix[b][k] * c->q[block[b] * dim + k % dim];
        for (int k = 0; k < dim; k++)
            assert_true(fabs(v[k] - c->v[i * dim + k]) <= 1e-12);
    }
    thaw_free(block);
    thaw_free(matrix);
}

static void rows_are_those_of_apply(void **state) {
    (void)state;
    for_all_maps(check_rows);
}

// Inertia: its functions are of one M and one D, and what it adds to a matrix is G'(.)G.
static void check_one_inertia(Case *c, const ThawInertia *inertia) {
    double *u = THAW_NEW(double, c->nx), *p = THAW_NEW(double, c->nx), forms[2], energy = 1;
    c->map->ops->apply(c->map, c->q, c->w, c->v);
    inertia->ops->product(inertia, NULL, 1, 0, c->v, u);
    inertia->ops->add_kinetic(inertia, NULL, c->v, &energy);
    assert_true(fabs(energy - 1 - dot(c->nx, c->v, u) / 2) <= 1e-13 * energy);
    for (int i = 0; i < c->nx; i++)
        p[i] = c->v[i] - c->f[i];
    memset(u, 0, sizeof *u * (size_t)c->nx);
    inertia->ops->product(inertia, NULL, 1, 0, p, u);
    const double change = dot(c->nx, p, u);
    memset(u, 0, sizeof *u * (size_t)c->nx);
    inertia->ops->product(inertia, NULL, 0, 0.3, c->v, u);
    const double loss = dot(c->nx, c->v, u);
    inertia->ops->product(inertia, NULL, 1, 0, p, u);
    memcpy(p, c->f, sizeof *p * (size_t)c->nx);
    inertia->ops->change(inertia, 0.3, p, c->v, forms, p);
    assert_true(fabs(forms[0] - change) <= 1e-13 * change && fabs(forms[1] - loss) <= 1e-13 * loss);
    for (int i = 0; i < c->nx; i++)
        assert_true(fabs(p[i] - u[i]) <= 1e-12 * (1 + fabs(u[i])));
    if (c->map->frame_count > 0) { // what frames carry is left out
        memset(u, 0, sizeof *u * (size_t)c->nx);
        inertia->ops->product(inertia, c->map->frame_of, 1, 1, c->v, u);
        for (int i = 0; i < c->nx; i++)
            assert_true(u[i] == 0 || !thaw_map_carries(c->map, i / c->model->dim));
    }
    inertia->ops->project(inertia, c->map, c->w, c->v, c->r);
    for (int i = 0; i < c->nq; i++)
        assert_true(fabs(c->q[i] - c->r[i]) <= 1e-12);
    thaw_free(u);
    thaw_free(p);
}

static void check_inertia(Case *c) {
    const ThawInertia lumped = thaw_inertia_lumped(c->shape), mean = mean_inertia(c->shape);
    check_one_inertia(c, &lumped);
    if (c->map->ops->matrix && !c->ground.condensed && !c->ground.tree) // of maps that ask for its products alone
        check_one_inertia(c, &mean);
    if (c->ground.condensed)
        check_one_inertia(c, &c->ground.condensed->inertia);
}

static void inertia_is_one_form_in_all_its_functions(void **state) {
    (void)state;
    for_all_maps(check_inertia);
}

// Frames that carry vertices: all of the table's functions for them are there, or none; their momentum is G'M of the
// velocities that they give their vertices; and the stress inside them is one form, over unknowns and over vertices.
static void check_frames(Case *c) {
    const ThawMapOps *ops = c->map->ops;
    const int dim = c->model->dim;
    assert_int_equal(c->map->frame_count > 0, c->map->frame_of != NULL);
    if (c->map->frame_count == 0)
        return;
    assert_true(ops->update && ops->momentum && ops->velocities && ops->chord && ops->end_force && ops->end_velocity &&
                ops->stress_form && ops->stress_product && ops->commit);
    double *u = THAW_NEW(double, c->nx), *own = THAW_NEW(double, c->nq);
    memset(c->v, 0, sizeof *c->v * (size_t)c->nx);
    ops->velocities(c->map, c->v);
    for (int i = 0; i < c->nx; i++) {
        assert_true(c->v[i] == 0 || thaw_map_carries(c->map, i / dim));
        c->v[i] *= c->shape->mass[i / dim];
    }
    ops->apply_t(c->map, c->v, c->r);
    ops->momentum(c->map, own);
    for (int i = 0; i < c->nq; i++)
        assert_true(fabs(own[i] - c->r[i]) <= 1e-12 * (1 + fabs(own[i])));
    const ThawStiffness scale = {0.3, 0.2, 0};
    ops->apply(c->map, c->q, NULL, c->v);
    ops->stress_product(c->map, scale, c->v, u);
    const double form = ops->stress_form(c->map, scale, c->q);
    assert_true(fabs(dot(c->nx, c->v, u) - form) <= 1e-11 * (1 + fabs(form)));
    thaw_free(u);
    thaw_free(own);
}

static void frames_have_momenta_and_stress_of_their_own(void **state) {
    (void)state;
    for_all_maps(check_frames);
}

static void check_project(Case *c) {
    c->map->ops->apply(c->map, c->q, c->w, c->v);
    c->map->ops->project(c->map, c->w, c->v, c->r);
    for (int i = 0; i < c->nq; i++)
        assert_true(fabs(c->q[i] - c->r[i]) <= 1e-12);
    // For any v: G'M (Gq + w - v) = 0.
    double *v = THAW_NEW(double, c->nx);
    for (int i = 0; i < c->nx; i++)
        v[i] = sample_random(&c->seed);
    c->map->ops->project(c->map, c->w, v, c->q);
    c->map->ops->apply(c->map, c->q, c->w, c->v);
    for (int i = 0; i < c->nx; i++)
        c->v[i] = c->shape->mass[i / c->model->dim] * (c->v[i] - v[i]);
    c->map->ops->apply_t(c->map, c->v, c->r);
    for (int i = 0; i < c->nq; i++)
        assert_true(fabs(c->r[i]) <= 1e-12 * c->shape->total_mass);
    thaw_free(v);
}

static void project_undoes_apply_and_is_nearest_by_mass(void **state) {
    (void)state;
    for_all_maps(check_project);
}

// --- congruence ------------------------------------------------------------------------------------------------------

static const ThawCombination COMBINATION = {3, 0.7, {0.02, 0.4, 0}, 0.02, NULL};

// The case's reduced matrix through thaw_system_assemble, full and dense.
static double *assemble(Case *c, MapCreate create, double *values, size_t room) {
    ThawError error = {0};
    ThawSystem system = {.shape = c->shape, .scripted = c->scripted};
    Ground ground = {.seed = c->ground.seed};
    ThawSolver *solver = NULL;
    assert_int_equal(create(c->shape, c->scripted, &ground, &system.map, &error), THAW_OK);
    if (system.map->ops->laws & THAW_MAP_FOLLOWS_STATE)
        assert_int_equal(system.map->ops->update(system.map, c->x, c->f), THAW_OK);
    assert_int_equal(system.map->ops->pattern(system.map, &system.pattern, &error), THAW_OK);
    assert_int_equal(thaw_solver_plan_create(THAW_SOLVER_PCG, system.pattern, &system.plan, &error), THAW_OK);
    assert_int_equal(thaw_solver_create(system.plan, NULL, &solver, &error), THAW_OK);
    ThawBlockMatrix *A = thaw_solver_matrix(solver);
    int n = system.pattern->n, bs = system.pattern->bs;
    size_t bytes = sizeof(double) * (size_t)(system.pattern->row[n] * bs * bs);
    double *dense = THAW_NEW(double, (n * bs) * (n * bs)), *start = THAW_NEW(double, bytes / sizeof(double));
    // In two parts: what `start` brings is added to.
    assert_int_equal(thaw_system_assemble(&system, NULL, (ThawCombination){1, 0, {0, 0.4, 0}, 0, NULL}, c->x, NULL,
                                          solver, c->f, c->partial),
                     THAW_OK);
    memcpy(start, A->value, bytes);
    assert_int_equal(thaw_system_assemble(&system, NULL, (ThawCombination){2, 0.7, {0.02, 0, 0}, 0.02, NULL}, c->x,
                                          start, solver, c->f, c->partial),
                     THAW_OK);
    for (int i = 0; i < n; i++)
        for (int32_t k = system.pattern->row[i]; k < system.pattern->row[i + 1]; k++)
            for (int a = 0; a < bs; a++)
                for (int b = 0; b < bs; b++) {
                    int row = i * bs + a, column = system.pattern->col[k] * bs + b;
                    double entry = A->value[(size_t)k * (size_t)(bs * bs) + (size_t)(a * bs + b)];
                    dense[row * n * bs + column] = dense[column * n * bs + row] = entry;
                }
    if (values) {
        assert_true(bytes <= room);
        memcpy(values, A->value, bytes);
    }
    thaw_free(start);
    thaw_solver_free(&solver);
    thaw_solver_plan_free(&system.plan);
    thaw_block_pattern_free(&system.pattern);
    thaw_map_free(&system.map);
    ground_free(&ground);
    return dense;
}

static void check_congruence(Case *c) {
    int dim = c->model->dim;
    if (c->nq == 0)
        return;
    double *G = THAW_NEW(double, c->nx * c->nq), *A = THAW_NEW(double, c->nx * c->nx);
    double *unit = THAW_NEW(double, c->nx), *f = THAW_NEW(double, c->nx), forms[2], size = 0;
    for (int j = 0; j < c->nq; j++) { // column by column
        memset(c->q, 0, sizeof *c->q * (size_t)c->nq);
        c->q[j] = 1;
        c->map->ops->apply(c->map, c->q, NULL, G + j * c->nx);
    }
    for (int j = 0; j < c->nx; j++) {
        unit[j] = 1;
        thaw_force_product(c->shape->all, NULL, c->x, unit, COMBINATION.element, c->shape->nv, A + j * c->nx, forms,
                           c->partial);
        unit[j] = 0;
        A[j * c->nx + j] +=
            COMBINATION.mass * c->shape->mass[j / dim] + COMBINATION.mass_damping * c->shape->damping_mass[j / dim];
    }
    double *reduced = NULL;
    for (int m = 0; m < COUNT(MAPS); m++)
        if (strcmp(MAPS[m].name, c->map->ops->name) == 0)
            reduced = assemble(c, MAPS[m].create, NULL, 0);
    for (int i = 0; i < c->nq * c->nq; i++)
        size = fmax(size, fabs(reduced[i]));
    for (int j = 0; j < c->nq; j++) {
        for (int i = 0; i < c->nx; i++) { // A G_j
            unit[i] = 0;
            for (int k = 0; k < c->nx; k++)
                unit[i] += A[k * c->nx + i] * G[j * c->nx + k];
        }
        for (int i = 0; i < c->nq; i++) {
            double idle = c->map->idle && c->map->idle[i] && i == j;
            if (is_border(c, i) && i == j) // nothing is on it
                idle = -c->shape->total_mass;
            assert_true(fabs(dot(c->nx, G + i * c->nx, unit) + idle - reduced[j * c->nq + i]) <= 1e-12 * size);
        }
    }
    // The forces that come with it are those of a pass of their own.
    assert_int_equal(thaw_force_internal(c->map->set, NULL, c->x, c->shape->nv, f, c->partial), THAW_OK);
    for (int i = 0; i < c->nx; i++)
        assert_true(fabs(f[i] - c->f[i]) <= 1e-12 * 1e5);
    thaw_free(reduced);
    thaw_free(G);
    thaw_free(A);
    thaw_free(unit);
    thaw_free(f);
}

static void congruence_is_the_dense_product(void **state) {
    (void)state;
    for_all_maps(check_congruence);
}

// What contact response asks: J G (G'AG)^-1 G'J', by rows, by ports or by solves alone, and its blocks of single
// vertices.
static void check_compliance(Case *c) {
    enum { ROWS = 40 };
    const int dim = c->model->dim, size = dim * ROWS;
    ThawError error = {0};
    ThawSystem *system = NULL;
    ThawSolver *solver = NULL;
    ThawComplianceScratch scratch = {0};
    if (c->nq == 0)
        return;
    assert_int_equal(thaw_system_wrap(&c->map, c->scripted, THAW_SOLVER_LDL, &system, &error), THAW_OK);
    c->map = system->map;
    assert_int_equal(thaw_solver_create(system->plan, NULL, &solver, &error), THAW_OK);
    assert_int_equal(thaw_system_assemble(system, NULL, COMBINATION, c->x, NULL, solver, c->f, c->partial), THAW_OK);
    assert_int_equal(thaw_solver_factor(solver), THAW_OK);
    int32_t start[ROWS + 1], vertex[ROWS], from[ROWS], *C_start = THAW_NEW(int32_t, ROWS + 1),
                                                       *C_port = THAW_NEW(int32_t, 8 * ROWS);
    double value[9 * ROWS], *H = THAW_NEW(double, size *size), *G = THAW_NEW(double, size *size), largest = 0;
    double *C_value = THAW_NEW(double, 8 * 9 * ROWS), *S = THAW_NEW(double, dim *dim *ROWS);
    double *y = THAW_NEW(double, c->nx), *u = THAW_NEW(double, c->nx);
    for (int k = 0; k < ROWS; k++) { // unit rows: H has the blocks of vertices, too
        start[k] = k;
        vertex[k] = k < c->shape->nv ? k : sample_below(&c->seed, c->shape->nv);
        for (int i = 0; i < dim * dim; i++)
            value[k * dim * dim + i] = i % (dim + 1) == 0;
    }
    start[ROWS] = ROWS;
    const ThawBlockRows J = {ROWS, dim, start, vertex, value};
    ThawPorts ports = {0, 8 * ROWS, C_start, C_port, C_value};
    assert_int_equal(thaw_system_compliance(system, solver, &J, 1e-13, H, NULL, y, u, c->q, c->r, &scratch), THAW_OK);
    assert_int_equal(thaw_system_compliance(system, solver, &J, 1e-13, G, &ports, y, u, c->q, c->r, &scratch), THAW_OK);
    for (int i = 0; i < size * size; i++)
        largest = fmax(largest, fabs(H[i]));
    for (int column = 0; column < size; column++) {
        memset(y, 0, sizeof *y * (size_t)c->nx);
        y[vertex[column / dim] * dim + column % dim] = 1;
        c->map->ops->apply_t(c->map, y, c->r);
        memset(c->q, 0, sizeof *c->q * (size_t)c->nq);
        assert_int_equal(thaw_solver_solve(solver, c->r, c->q, 1e-13, NULL), THAW_OK);
        c->map->ops->apply(c->map, c->q, NULL, u);
        for (int row = 0; row < size; row++) {
            assert_true(fabs(u[vertex[row / dim] * dim + row % dim] - H[row * size + column]) <= 1e-10 * largest);
            double sum = ports.count > 0 ? 0 : G[row * size + column];
            for (int32_t a = C_start[row / dim]; ports.count > 0 && a < C_start[row / dim + 1]; a++)
                for (int32_t b = C_start[column / dim]; b < C_start[column / dim + 1]; b++)
                    for (int k = 0; k < dim * dim; k++)
                        sum += C_value[dim * (dim * a + row % dim) + k / dim] *
                               G[(dim * C_port[a] + k / dim) * dim * ports.count + dim * C_port[b] + k % dim] *
                               C_value[dim * (dim * b + column % dim) + k % dim];
            assert_true(fabs(sum - H[row * size + column]) <= 1e-10 * largest);
        }
    }
    assert_int_equal(thaw_system_blocks(system, solver, ROWS, vertex, 1e-13, from, S, y, u, c->q, c->r, &scratch),
                     THAW_OK);
    for (int k = 0; k < ROWS; k++) {
        assert_in_range(from[k], 0, ROWS - 1);
        for (int i = 0; i < dim * dim; i++)
            assert_true(fabs(S[k * dim * dim + i] - H[(from[k] * dim + i / dim) * size + from[k] * dim + i % dim]) <=
                        1e-10 * largest);
    }
    double *all[] = {H, G, C_value, S, y, u};
    for (int i = 0; i < COUNT(all); i++)
        thaw_free(all[i]);
    thaw_free(C_start);
    thaw_free(C_port);
    thaw_compliance_scratch_clear(&scratch);
    thaw_solver_free(&solver);
    c->map = NULL;
    thaw_system_free(&system);
}

static void compliance_is_that_of_the_dense_product(void **state) {
    (void)state;
    for_all_maps(check_compliance);
}

// --- the laws that a map declares ------------------------------------------------------------------------------------

static void momenta(const Case *c, const double *v, double out[6]) {
    int dim = c->model->dim;
    memset(out, 0, 6 * sizeof *out);
    for (int32_t i = 0; i < c->shape->nv; i++) {
        double x[3] = {0}, p[3] = {0};
        for (int k = 0; k < dim; k++) {
            x[k] = c->x[i * dim + k];
            p[k] = c->shape->mass[i] * v[i * dim + k];
        }
        for (int k = 0; k < 3; k++) {
            out[k] += p[k];
            out[3 + k] += x[(k + 1) % 3] * p[(k + 2) % 3] - x[(k + 2) % 3] * p[(k + 1) % 3];
        }
    }
}

static void check_momentum(Case *c) {
    for (int32_t i = 0; i < c->shape->nv; i++)
        if (c->scripted[i])
            return;
    if (!(c->map->ops->laws & THAW_MAP_KEEPS_MOMENTUM))
        return;
    double before[6], after[6];
    for (int i = 0; i < c->nx; i++)
        c->f[i] = sample_random(&c->seed);
    momenta(c, c->f, before);
    c->map->ops->project(c->map, NULL, c->f, c->q);
    c->map->ops->apply(c->map, c->q, NULL, c->v);
    momenta(c, c->v, after);
    for (int k = 0; k < 6; k++)
        assert_true(fabs(before[k] - after[k]) <= 1e-12 * c->shape->total_mass);
}

static void project_keeps_momentum_where_declared(void **state) {
    (void)state;
    for_all_maps(check_momentum);
}

// Where nothing is scripted, q of a motion v + omega x x, block by block at its place, moves every vertex by it.
static void check_places(Case *c) {
    int dim = c->shape->dim;
    if (!c->map->ops->places)
        return;
    for (int32_t i = 0; i < c->shape->nv; i++)
        if (c->scripted[i])
            return;
    if (c->ground.partition) // parts have turned since they were formed
        parts_place(c->ground.partition, c->x);
    double v[3], omega[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        v[k] = sample_random(&c->seed);
        omega[k] = dim == 3 || k == 2 ? sample_random(&c->seed) : 0;
    }
    c->map->ops->places(c->map, c->x, c->r);
    for (int32_t b = 0; b < c->map->n; b++) {
        const double *at = c->r + b * dim, x[3] = {at[0], at[1], dim == 3 ? at[2] : 0};
        for (int k = 0; k < dim; k++) {
            double turn = omega[(k + 1) % 3] * x[(k + 2) % 3] - omega[(k + 2) % 3] * x[(k + 1) % 3];
            c->q[b * dim + k] = !isnan(at[0]) ? v[k] + turn : dim == 3 ? omega[k] : k == 0 ? omega[2] : 0;
        }
    }
    c->map->ops->apply(c->map, c->q, NULL, c->v);
    for (int32_t i = 0; i < c->shape->nv; i++) {
        const double *at = c->x + i * dim, x[3] = {at[0], at[1], dim == 3 ? at[2] : 0};
        for (int k = 0; k < dim; k++) {
            double turn = omega[(k + 1) % 3] * x[(k + 2) % 3] - omega[(k + 2) % 3] * x[(k + 1) % 3];
            assert_true(fabs(c->v[i * dim + k] - v[k] - turn) <= 1e-13);
        }
    }
}

static void whole_motions_are_known_in_the_unknowns_by_their_places(void **state) {
    (void)state;
    for_all_maps(check_places);
}

static double advance_error(const Case *c, double h, double *x1) {
    double error = 0;
    c->map->ops->advance(c->map, h, c->x, c->q, c->v, x1);
    for (int i = 0; i < c->nx; i++)
        error = fmax(error, fabs(x1[i] - (c->x[i] + h * c->v[i])));
    return error;
}

static void check_advance(Case *c) {
    if (!(c->map->ops->laws & THAW_MAP_ADVANCES_LINEARLY))
        return;
    c->map->ops->apply(c->map, c->q, c->w, c->v);
    double h = 1e-2, coarse = advance_error(c, h, c->f), fine = advance_error(c, h / 2, c->f);
    assert_true(coarse <= 10 * h * h);
    assert_true(fine <= coarse / 3.5 + 1e-15);
    c->map->ops->advance(c->map, 0, c->x, c->q, c->v, c->f);
    assert_memory_equal(c->x, c->f, sizeof *c->x * (size_t)c->nx);
}

static void advance_agrees_with_velocities_where_declared(void **state) {
    (void)state;
    for_all_maps(check_advance);
}

static void a_map_that_keeps_everything_elastic_is_the_reference_bit_for_bit(void **state) {
    (void)state;
    enum { ROOM = 1 << 20 };
    for (int m = 0; m < COUNT(MAPS); m++)
        for (int dim = 2; dim <= 3; dim++) {
            if (!MAPS[m].create_full)
                continue;
            Case c, reference;
            case_create(&c, MAPS[m].create_full, dim, 1, 5);
            case_create(&reference, create_identity, dim, 1, 5);
            assert_true(c.map->ops->laws & THAW_MAP_CAN_BE_FULL);
            assert_int_equal(c.nq, reference.nq);
            Case *both[] = {&c, &reference};
            double *values[2];
            for (int i = 0; i < 2; i++) {
                Case *one = both[i];
                one->map->ops->apply(one->map, one->q, one->w, one->v);
                one->map->ops->apply_t(one->map, one->f, one->r);
                values[i] = THAW_NEW(double, ROOM / sizeof(double));
                thaw_free(assemble(one, i ? create_identity : MAPS[m].create_full, values[i], ROOM));
            }
            assert_memory_equal(c.v, reference.v, sizeof *c.v * (size_t)c.nx);
            assert_memory_equal(c.f, reference.f, sizeof *c.f * (size_t)c.nx);
            assert_memory_equal(c.r, reference.r, sizeof *c.r * (size_t)c.nq);
            assert_memory_equal(values[0], values[1], ROOM);
            for (int i = 0; i < 2; i++) {
                Case *one = both[i];
                one->map->ops->advance(one->map, 0.01, one->x, one->q, one->v, one->f);
                one->map->ops->project(one->map, one->w, one->v, one->r);
                thaw_free(values[i]);
            }
            assert_memory_equal(c.f, reference.f, sizeof *c.f * (size_t)c.nx);
            assert_memory_equal(c.r, reference.r, sizeof *c.r * (size_t)c.nq);
            case_free(&c);
            case_free(&reference);
        }
}

static void the_cases_held_parts_in_every_way(void **state) {
    (void)state;
    for (int hold = THAW_HOLD_FREE; hold <= THAW_HOLD_FIXED; hold++) {
        assert_true(holds_seen[1][hold] > 0);
        assert_true((holds_seen[0][hold] > 0) == (hold != THAW_HOLD_AXIS));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(apply_t_is_the_transpose_of_apply),
        cmocka_unit_test(apply_adds_the_offset),
        cmocka_unit_test(rows_are_those_of_apply),
        cmocka_unit_test(inertia_is_one_form_in_all_its_functions),
        cmocka_unit_test(frames_have_momenta_and_stress_of_their_own),
        cmocka_unit_test(project_undoes_apply_and_is_nearest_by_mass),
        cmocka_unit_test(congruence_is_the_dense_product),
        cmocka_unit_test(compliance_is_that_of_the_dense_product),
        cmocka_unit_test(project_keeps_momentum_where_declared),
        cmocka_unit_test(whole_motions_are_known_in_the_unknowns_by_their_places),
        cmocka_unit_test(advance_agrees_with_velocities_where_declared),
        cmocka_unit_test(a_map_that_keeps_everything_elastic_is_the_reference_bit_for_bit),
        cmocka_unit_test(the_cases_held_parts_in_every_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
