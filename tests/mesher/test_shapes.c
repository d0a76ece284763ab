// SPDX-License-Identifier: Apache-2.0
// The shapes in scenes/shapes: each has its paper's count of elements, good angles, its regions, and is one piece; also
// when it is coarse. And what that needs of the mesher: necks that hold.
#include "mesher/shapes.h"

#include "thaw/thaw.h"

typedef struct Shape {
    const char *name;
    int32_t elements;    // of the paper's mesh, else what docs/shapes.md shows
    double extent[3];    // m
    const char *regions; // in order
} Shape;

static const Shape shapes[] = {
    {"octopus", 6170, {9, 9, 4}, "body eyes"},
    {"blob", 6386, {2.14, 2.14, 1.37}, "blob"},
    {"wheel", 15797, {2, 0.7, 2}, "tyre hub"},
    {"pine", 4039, {3.3, 3.3, 6}, "trunk leaves"},
    {"tree", 5254, {4.5, 4.4, 6}, "trunk leaves"},
    {"bat", 1060, {0.85, 0.066, 0.066}, "barrel handle"},
    {"pill", 4976, {1, 0.5, 0.5}, "left right"},
    {"pachinko", 30000, {7.4, 2, 8.2}, "board pegs platforms"},
    {"mattress", 10000, {4, 6, 1}, "core top"},
    {"ball", 10000, {1, 1, 1}, "ball"},
    {"bowl", 10000, {11.6, 11.6, 5.05}, "bowl"},
    {"mushroom", 8000, {1.28, 1.28, 1.16}, "stem spots cap"},
    {"elephant", 10000, {4.4, 2.65, 2.57}, "ears body tusks"},
    {"dragon", 20000, {7.3, 5.1, 3.9}, "wings horns body"},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static ThawSolid *load(const Shape *shape) {
    char path[1000];
    ThawSolid *solid = NULL;
    ThawError error = {0};
    snprintf(path, sizeof path, THAW_SOURCE_DIR "/scenes/shapes/%s.json", shape->name);
    if (thaw_solid_load(path, 3, &solid, &error))
        fail_msg("%s", error.message);
    return solid;
}

static void check_regions(const Shape *shape, const ThawMesh *mesh) {
    char names[200] = "";
    for (int32_t r = 0; r < mesh->region_count; r++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", r ? " " : "", mesh->region_names[r]);
    assert_string_equal(names, shape->regions);
}

static void check_extent(const Shape *shape, const ThawMesh *mesh, double size) {
    for (int k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int32_t v = 0; v < mesh->vertex_count; v++) {
            lo = fmin(lo, mesh->x[3 * v + k]);
            hi = fmax(hi, mesh->x[3 * v + k]);
        }
        if (fabs(hi - lo - shape->extent[k]) > 0.6 * size + 0.02 * shape->extent[k])
            fail_msg("%s is %.3g m long along %c, not %.3g", shape->name, hi - lo, "xyz"[k], shape -> extent[k]);
    }
}

static void each_shape_has_its_count_good_angles_its_regions_and_one_piece(void **state) {
    (void)state;
    for (int i = 0; i < SHAPES; i++) {
        ThawSolid *solid = load(&shapes[i]);
        ThawMesherDef def = thaw_mesher_def_default();
        def.elements = shapes[i].elements;
        ThawMesherReport report;
        ThawMesh *mesh = mesh_of(solid, def, &report);
        const double least = report.min_angle * DEGREES, most = report.max_angle * DEGREES;
        print_message("%-9s %6d elements, %.1f to %.1f degrees, %.4g m^3\n", shapes[i].name, report.elements, least,
                      most, report.volume);
        assert_true(abs(report.elements - shapes[i].elements) < 0.05 * shapes[i].elements);
        assert_true(least > 10 && most < 165);
        assert_int_equal(report.pieces, 1);
        assert_int_equal(report.islands.count, 0);
        check_mesh(mesh, report.elements);
        check_regions(&shapes[i], mesh);
        check_extent(&shapes[i], mesh, report.size);
        thaw_mesh_free(&mesh);
        thaw_solid_free(&solid);
    }
}

static void each_shape_is_one_piece_with_a_thousand_elements(void **state) {
    (void)state;
    for (int i = 0; i < SHAPES; i++) {
        ThawSolid *solid = load(&shapes[i]);
        ThawMesherDef def = thaw_mesher_def_default();
        def.elements = 1000;
        ThawMesherReport report;
        ThawMesh *mesh = mesh_of(solid, def, &report);
        if (report.pieces != 1 || abs(report.elements - 1000) > 50)
            fail_msg("%s has %d elements in %d pieces", shapes[i].name, report.elements, report.pieces);
        assert_true(report.min_angle * DEGREES > 10 && report.max_angle * DEGREES < 165);
        check_mesh(mesh, report.elements);
        thaw_mesh_free(&mesh);
        thaw_solid_free(&solid);
    }
}

// Without the elements that have all their vertices on the surface, such rods are strings of beads.
static void rods_hardly_thicker_than_the_size_hold_together(void **state) {
    (void)state;
    for (int seed = 1; seed <= repeats(200); seed++) {
        Random r = random_of(seed);
        char text[400], a[80], b[80];
        snprintf(text, sizeof text, "{'capsule':{'from':%s,'to':%s,'radius':0.07}}", point(&r, 1, 3, a),
                 point(&r, 1, 3, b));
        ThawSolid *solid = solid_of(text, 3);
        ThawMesherReport report;
        ThawMesh *mesh = mesh_of(solid, sized(0.1), &report);
        assert_int_equal(report.pieces, 1);
        assert_true(report.min_angle * DEGREES > 10.78 && report.max_angle * DEGREES < 164.74);
        check_mesh(mesh, report.elements);
        thaw_mesh_free(&mesh);
        thaw_solid_free(&solid);
    }
}

static ThawStatus parse_scene(const char *solid, ThawScene **scene, ThawError *error) {
    char text[600];
    snprintf(text, sizeof text,
             "{\"thaw\": 1, \"materials\": {\"rubber\": {}, \"steel\": {\"density\": 7800}},"
             "\"shapes\": {\"wheel\": {\"mesh\": {\"solid\": \"%s\", \"elements\": 2000}, \"material\": \"rubber\","
             "\"regions\": {\"hub\": \"steel\"}}}, \"bodies\": [{\"shape\": \"wheel\"}]}",
             solid);
    return thaw_scene_parse(text, strlen(text), "scene", THAW_SOURCE_DIR "/scenes/", scene, error);
}

static void a_scene_may_name_the_file_of_a_solid(void **state) {
    (void)state;
    ThawScene *scene = NULL;
    ThawError error = {0};
    if (parse_scene("shapes/wheel.json", &scene, &error))
        fail_msg("%s", error.message);
    const ThawMesh *mesh = scene->world.shapes[0].mesh;
    assert_string_equal(mesh->region_names[1], "hub");
    assert_true(abs(mesh->element_count - 2000) < 100);
    thaw_scene_free(&scene);
    assert_int_equal(parse_scene("shapes/no-such-wheel.json", &scene, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "shapes/no-such-wheel.json"));
    assert_null(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_shape_has_its_count_good_angles_its_regions_and_one_piece),
        cmocka_unit_test(each_shape_is_one_piece_with_a_thousand_elements),
        cmocka_unit_test(rods_hardly_thicker_than_the_size_hold_together),
        cmocka_unit_test(a_scene_may_name_the_file_of_a_solid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
