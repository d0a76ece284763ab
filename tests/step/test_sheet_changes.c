// SPDX-License-Identifier: Apache-2.0
// Sheets that are cut or lose triangles while a world runs, by every method: what is left bends and is woven as a sheet
// that was made so, nothing bends across a cut, and what lies on a sheet stays on its side of it.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/folder.h"
#include "support/world.h"

// --- a sheet of cells ------------------------------------------------------------------------------------------------

enum { ROWS = 5, MOST = 13 }; // vertices

// So many columns of vertices, from `first` on, of a wavy sheet 1 m wide whose cells are cut in turns; it is held where
// x is 0 and 1, as far as it reaches there.
typedef struct Grid {
    ThawMesh mesh;
    double x[3 * ROWS * MOST];
    int32_t elements[3 * 2 * ROWS * MOST], region[2 * ROWS * MOST];
    char *region_names[1];
    ThawGroupDef held[2];
    ThawScriptDef pins[2];
    ThawMaterialDef material;
    ThawShapeDef shape;
    ThawBodyDef body;
    ThawWorldDef world;
} Grid;

typedef struct Kind {
    ThawMembrane membrane;
    ThawBending bending;
} Kind;

static int32_t vertex(int i, int j) { return i * ROWS + j; }

static void make_mesh(Grid *g, int first, int columns) {
    int32_t ne = 0;
    for (int i = 0; i < columns; i++)
        for (int j = 0; j < ROWS; j++) {
            double *x = g->x + 3 * (size_t)vertex(i, j);
            x[0] = (first + i) / (double)(MOST - 1);
            x[1] = 0.1 * j + 0.02 * sin(7.0 * x[0]);
            x[2] = 0.05 * sin(5 * x[0]) * cos(6 * x[1]);
        }
    for (int i = 0; i + 1 < columns; i++)
        for (int j = 0; j + 1 < ROWS; j++) {
            const int32_t c[4] = {vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)};
            const int s = (first + i + j) % 2;
            memcpy(g->elements + 3 * (size_t)ne++, (int32_t[]){c[s], c[s + 1], c[s + 2]}, 3 * sizeof *c);
            memcpy(g->elements + 3 * (size_t)ne++, (int32_t[]){c[s], c[s + 2], c[(s + 3) % 4]}, 3 * sizeof *c);
        }
    g->region_names[0] = (char *)"default";
    g->mesh = (ThawMesh){.dim = 3,
                         .nodes = 3,
                         .vertex_count = columns * ROWS,
                         .element_count = ne,
                         .region_count = 1,
                         .x = g->x,
                         .elements = g->elements,
                         .region = g->region,
                         .region_names = g->region_names};
}

static ThawWorld *make_grid(Grid *g, int first, int columns, Kind kind, const ThawChangeDef *change) {
    ThawWorld *world = NULL;
    ThawError error = {0};
    *g = (Grid){.material = thaw_material_def_default(),
                .shape = thaw_shape_def_default(),
                .body = thaw_body_def_default(),
                .world = thaw_world_def_default()};
    make_mesh(g, first, columns);
    g->material.young = 1e5;
    g->material.density = 300;
    if (kind.membrane == THAW_MEMBRANE_LENGTHS)
        g->material.edge_stiffness = 20;
    if (kind.membrane == THAW_MEMBRANE_WOVEN)
        g->material.weave.weft_young = 4e4;
    g->shape.mesh = &g->mesh;
    g->shape.thickness = 4e-3;
    g->shape.membrane = kind.membrane;
    g->shape.bending = kind.bending;
    g->shape.bending_damping = 0.02;
    memcpy(g->shape.warp, (double[]){1, 0.4, 0}, sizeof g->shape.warp);
    g->shape.groups = g->held;
    g->body.scripts = g->pins;
    for (int far = 0; far < 2; far++) {
        if (far ? first + columns < MOST : first > 0)
            continue;
        g->pins[g->body.script_count] = thaw_script_def_default();
        g->pins[g->body.script_count].group = g->shape.group_count;
        g->held[g->shape.group_count] = (ThawGroupDef){.name = far ? "far" : "near",
                                                       .select = THAW_SELECT_PLANE_SIDE,
                                                       .a = {far ? 0.999 : 0.001, 0, 0},
                                                       .b = {far ? 1 : -1, 0, 0}};
        g->shape.group_count++;
        g->body.script_count++;
    }
    g->body.method = "full";
    g->body.changes = change;
    g->body.change_count = change != NULL;
    g->world.materials = &g->material;
    g->world.shapes = &g->shape;
    g->world.bodies = &g->body;
    g->world.material_count = g->world.shape_count = g->world.body_count = 1;
    g->world.integrator = THAW_INTEGRATOR_SEMI_IMPLICIT;
    g->world.solver = THAW_SOLVER_LDL;
    g->world.h = 2e-3;
    g->world.threads = 1;
    if (thaw_world_create(&g->world, &world, &error) != THAW_OK)
        fail_msg("%s", error.message);
    return world;
}

// --- what is left ----------------------------------------------------------------------------------------------------

// The vertex of the sheet that was cut in its middle, column (MOST - 1) / 2: copies are at the right, after all.
static int32_t cut_vertex(int right, int i, int j) {
    const int middle = (MOST - 1) / 2;
    return right && i == 0 ? MOST * ROWS + j : vertex(right * middle + i, j);
}

static void halves_go_as_sheets_of_their_own(void **state) {
    (void)state;
    static const Kind kinds[] = {{THAW_MEMBRANE_PLANE_STRESS, THAW_BENDING_PLATE},
                                 {THAW_MEMBRANE_FIXED_THICKNESS, THAW_BENDING_HINGE},
                                 {THAW_MEMBRANE_WOVEN, THAW_BENDING_PLATE},
                                 {THAW_MEMBRANE_LENGTHS, THAW_BENDING_PLATE}};
    enum { HALF = (MOST + 1) / 2, STEPS = 100 };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        static Grid whole, part;
        static double x[3 * ROWS * (MOST + 1)], v[3 * ROWS * (MOST + 1)], of[3 * ROWS * MOST], ov[3 * ROWS * MOST];
        ThawChangeDef cut = thaw_change_def_default();
        ThawWorld *halves[2];
        cut.kind = THAW_CHANGE_CUT;
        cut.time = 1e-3;
        cut.where = (ThawGroupDef){.select = THAW_SELECT_PLANE_SIDE, .a = {0.5, 0, 0}, .b = {1, 0, 0}};
        ThawWorld *world = make_grid(&whole, 0, MOST, kinds[k], &cut);
        run_world(world, 1);
        assert_int_equal(thaw_world_vertex_count(world, 0), ROWS * (MOST + 1));
        double apart = 0, gone = 0;
        for (int later = 0; later < 2; later++) {
            thaw_world_get_positions(world, 0, x);
            thaw_world_get_velocities(world, 0, v);
            for (int right = 0; right < 2; right++) {
                if (!later)
                    halves[right] = make_grid(&part, right * (HALF - 1), HALF, kinds[k], NULL);
                thaw_world_get_positions(halves[right], 0, of);
                for (int i = 0; i < HALF; i++)
                    for (int j = 0; j < ROWS; j++)
                        for (int c = 0; c < 3; c++) {
                            const int a = 3 * cut_vertex(right, i, j) + c, b = 3 * vertex(i, j) + c;
                            apart = later ? fmax(apart, fabs(x[a] - of[b])) : 0;
                            gone = later && c == 2
                                       ? fmax(gone, fabs(x[a] - whole.x[3 * vertex(i + right * (HALF - 1), j) + 2]))
                                       : gone;
                            of[b] = x[a];
                            ov[b] = v[a];
                        }
                if (later)
                    continue;
                assert_int_equal(thaw_world_set_positions(halves[right], 0, of), THAW_OK);
                assert_int_equal(thaw_world_set_velocities(halves[right], 0, ov), THAW_OK);
                run_world(halves[right], STEPS);
            }
            if (!later)
                run_world(world, STEPS);
        }
        print_message("membrane %d: halves fall %.3f m, and are %.1e m from sheets of their own\n",
                      (int)kinds[k].membrane, gone, apart);
        assert_true(gone > 0.1 && apart < 1e-12);
        thaw_world_free(&world);
        for (int right = 0; right < 2; right++)
            thaw_world_free(&halves[right]);
    }
}

// --- every method ----------------------------------------------------------------------------------------------------

// A flag that is held along one side, is cut from the other side to its middle and later loses a corner, over a ball.
static const char FLAG[] =
    "{'thaw': 1, 'time': {'step': 0.005%s}, 'materials': {'felt': {'young': 2e4, 'density': 300, 'alpha1': 0.01}}, "
    "'shapes': {'flag': {'mesh': {'sheet': {'grid': {'width': 1, 'height': 0.6}}, 'size': 0.1}, 'material': 'felt', "
    "'thickness': 0.004}}, 'bodies': [{'shape': 'flag', 'method': '%s', 'pins': ['x-min'], 'changes': [{'at': 0.1, "
    "'cut': {'side': {'point': [0, 0, 0], 'normal': [0, 1, 0]}}, 'within': {'side': {'point': [0, 0, 0], 'normal': "
    "[1, 0, 0]}}}, {'at': 0.4, 'remove': {'box': {'min': [0.3, 0.1, -1], 'max': [1, 1, 1]}}}]}], "
    "'obstacles': [{'sphere': {'radius': 0.2}, 'position': [0, 0, -0.3]}]}";

static const char *flag_of(const char *method, const char *time) {
    static char text[2000];
    snprintf(text, sizeof text, FLAG, time, method);
    for (char *c = text; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    return text;
}

static int always(const ThawWorld *world, const ThawStepStats *stats) {
    (void)world;
    (void)stats;
    return 1;
}

static double mass_of(const ThawWorld *world) {
    static double m[1000];
    double sum = 0;
    assert_true(thaw_world_vertex_count(world, 0) <= 1000);
    assert_int_equal(thaw_world_get_masses(world, 0, m), THAW_OK);
    for (int32_t i = 0; i < thaw_world_vertex_count(world, 0); i++)
        sum += m[i];
    return sum;
}

static void flags_are_cut_by_every_method(void **state) {
    (void)state;
    static const char *const methods[] = {"full", "rigidify"};
    for (int m = 0; m < 2; m++) {
        ThawError error = {0};
        ThawWorld *world = make_world(flag_of(methods[m], ""), 1);
        const double mass = mass_of(world);
        const int32_t nv = thaw_world_vertex_count(world, 0), ne = thaw_world_element_count(world, 0);
        const ThawStepStats first = run_world(world, 1);
        const double balance = ledger_balance(&first.ledger);
        double off = 0;
        assert_float_equal(mass, 0.6 * 0.004 * 300, 1e-9);
        for (int i = 1; i < 200; i++) {
            ThawStepStats stats;
            step_world(world, &stats);
            off = fmax(off, fabs(ledger_balance(&stats.ledger) - balance));
            if (thaw_world_validate(world, &error) != THAW_OK)
                fail_msg("%s", error.message);
        }
        assert_int_equal(thaw_world_change_count(world, 0), 2);
        assert_true(thaw_world_vertex_count(world, 0) > nv && thaw_world_element_count(world, 0) < ne);
        print_message("%s: %g kg of %g left, ledger off by %.1e J\n", methods[m], mass_of(world), mass, off);
        assert_true(mass_of(world) < 0.95 * mass && off < 1e-9);
        thaw_world_free(&world);
        assert_true(bits_across_checkpoints(flag_of(methods[m], ""), 150, at("flag.h5"), always) > 10);
    }
}

// --- contact ---------------------------------------------------------------------------------------------------------

// A small sheet falls, turned, on a larger one that is held all around; both lose a corner while one lies on the other.
static const char LAYERS[] =
    "{'thaw': 1, 'time': {'step': 0.005}, 'materials': {'felt': {'young': 1e5, 'density': 300, 'alpha1': 0.01}}, "
    "'shapes': {'large': {'mesh': {'sheet': {'grid': {'width': 1, 'height': 1}}, 'size': 0.125}, 'material': 'felt', "
    "'thickness': 0.01}, 'small': {'mesh': {'sheet': {'grid': {'width': 0.5, 'height': 0.4}}, 'size': 0.17}, "
    "'material': 'felt', 'thickness': 0.01}}, 'bodies': [{'shape': 'large', 'pins': ['rim'], 'changes': [{'at': 0.6, "
    "'remove': {'box': {'min': [-1, -1, -1], 'max': [-0.3, -0.3, 1]}}}]}, {'shape': 'small', 'position': [0.05, 0, "
    "0.05], 'rotation': {'axis': [0, 0, 1], 'degrees': 20}, 'changes': [{'at': 0.8, 'remove': {'box': {'min': [-1, "
    "-1, -1], 'max': [-0.12, -0.1, 1]}}}]}]}";

// Strips across each other, which only edges hold; of one an end goes, of the other one both do.
static const char STRIPS[] =
    "{'thaw': 1, 'time': {'step': 0.005}, 'materials': {'card': {'young': 1e9, 'density': 500}}, 'shapes': {'strip': "
    "{'mesh': {'sheet': {'grid': {'width': 1, 'height': 0.04}}, 'size': 0.35}, 'material': 'card', 'thickness': "
    "0.01}}, 'bodies': [{'shape': 'strip', 'pins': ['rim'], 'changes': [{'at': 0.3, 'remove': {'side': {'point': [%s, "
    "0, 0], 'normal': [%s, 0, 0]}}}]}, {'shape': 'strip', 'rotation': {'axis': [0, 0, 1], 'degrees': 80}, 'position': "
    "[0.01, 0, 0.02], 'changes': [{'at': 0.3, 'remove': {'side': {'point': [0.2, 0, 0], 'normal': [1, 0, 0]}}}, "
    "{'at': 0.3, 'remove': {'side': {'point': [-0.2, 0, 0], 'normal': [-1, 0, 0]}}}]}]}";

// By how much the lowest vertex of the second body is above the first one, along z.
static double clearance_of(const ThawWorld *world) {
    static double x[3 * 500], y[3 * 500];
    static int32_t e[3 * 1000];
    double least = INFINITY;
    assert_true(thaw_world_vertex_count(world, 0) <= 500 && thaw_world_element_count(world, 0) <= 1000);
    assert_int_equal(thaw_world_get_positions(world, 0, x), THAW_OK);
    assert_int_equal(thaw_world_get_positions(world, 1, y), THAW_OK);
    assert_int_equal(thaw_world_get_elements(world, 0, e), THAW_OK);
    for (int32_t i = 0; i < thaw_world_vertex_count(world, 1); i++)
        for (int32_t t = 0; t < thaw_world_element_count(world, 0); t++) {
            const double *a = x + 3 * e[3 * t], *b = x + 3 * e[3 * t + 1], *c = x + 3 * e[3 * t + 2], *p = y + 3 * i;
            const double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
            const double v = ((p[0] - a[0]) * (c[1] - a[1]) - (p[1] - a[1]) * (c[0] - a[0])) / area;
            const double w = ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])) / area;
            if (v >= 0 && w >= 0 && v + w <= 1)
                least = fmin(least, p[2] - (a[2] + v * (b[2] - a[2]) + w * (c[2] - a[2])));
        }
    return least;
}

static void what_lies_on_a_sheet_stays_on_its_side(void **state) {
    (void)state;
    char text[sizeof LAYERS];
    for (size_t i = 0; i < sizeof LAYERS; i++)
        text[i] = (char)(LAYERS[i] == '\'' ? '"' : LAYERS[i]);
    ThawWorld *world = make_world(text, 1);
    double least = INFINITY;
    for (int i = 0; i < 240; i++) {
        ThawStepStats stats;
        step_world(world, &stats);
        least = fmin(least, clearance_of(world));
    }
    assert_int_equal(thaw_world_change_count(world, -1), 2);
    print_message("the upper sheet comes to %.4f m above the lower one, of 0.01\n", least);
    assert_true(least > 0.005);
    thaw_world_free(&world);
}

static void edges_keep_their_sides(void **state) {
    (void)state;
    for (int end = -1; end <= 1; end += 2) {
        char text[sizeof STRIPS + 40], place[20], way[20];
        snprintf(place, sizeof place, "%g", 0.2 * end);
        snprintf(way, sizeof way, "%d", end);
        snprintf(text, sizeof text, STRIPS, place, way);
        for (char *c = text; *c; c++)
            *c = *c == '\'' ? '"' : *c;
        ThawWorld *world = make_world(text, 1);
        double x[3 * 8], lowest = INFINITY;
        run_world(world, 100);
        assert_int_equal(thaw_world_element_count(world, 0), 4);
        assert_int_equal(thaw_world_element_count(world, 1), 2);
        assert_int_equal(thaw_world_vertex_count(world, 1), 8);
        assert_int_equal(thaw_world_get_positions(world, 1, x), THAW_OK);
        int32_t e[6];
        assert_int_equal(thaw_world_get_elements(world, 1, e), THAW_OK);
        for (int i = 0; i < 6; i++)
            lowest = fmin(lowest, x[3 * e[i] + 2]);
        print_message("the strip above is %.4f m above the middle of the other one\n", lowest);
        assert_true(lowest > 0.008 && lowest < 0.012);
        thaw_world_free(&world);
    }
}

// --- what cannot be --------------------------------------------------------------------------------------------------

static void balloons_are_not_cut(void **state) {
    (void)state;
    ThawScene *scene = NULL;
    ThawWorld *world = NULL;
    ThawError error = {0};
    ThawChangeDef hole = thaw_change_def_default();
    hole.where = (ThawGroupDef){.select = THAW_SELECT_SPHERE, .a = {0, 0, 0.2}, .radius = 0.1};
    hole.time = 1;
    if (thaw_scene_load(THAW_SOURCE_DIR "/tests/scene/small/sheets.json", &scene, &error) != THAW_OK)
        fail_msg("%s", error.message);
    if (thaw_world_create(&scene->world, &world, &error) != THAW_OK)
        fail_msg("%s", error.message);
    int32_t ball = 0;
    while (strcmp(scene->world.bodies[ball].name, "ball") != 0)
        ball++;
    assert_int_equal(thaw_world_change(world, ball, &hole, &error), THAW_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "(ball): change: shape ball is a sheet with a pressure of 50 Pa inside"));
    thaw_world_free(&world);
    thaw_scene_free(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_go_as_sheets_of_their_own),
        cmocka_unit_test(flags_are_cut_by_every_method),
        cmocka_unit_test(what_lies_on_a_sheet_stays_on_its_side),
        cmocka_unit_test(edges_keep_their_sides),
        cmocka_unit_test(balloons_are_not_cut),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
