// SPDX-License-Identifier: Apache-2.0
// Sheets in scene files: what is made has the size and the names that were asked for, a fabric brings its thickness,
// and what a sheet lacks or a solid cannot have is refused at its place.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mesh/mesh.h"
#include "step/step.h"
#include "thaw/read.h"
#include "thaw/thaw.h"

static const char FOLDER[] = THAW_SOURCE_DIR "/tests/scene/small";

static ThawScene *load(void) {
    ThawScene *scene = NULL;
    ThawError error = {0};
    if (thaw_scene_load(THAW_SOURCE_DIR "/tests/scene/small/sheets.json", &scene, &error))
        fail_msg("%s", error.message);
    return scene;
}

static const ThawShapeDef *shape_of(const ThawScene *scene, const char *name) {
    for (int32_t i = 0; i < scene->world.shape_count; i++)
        if (strcmp(scene->world.shapes[i].name, name) == 0)
            return &scene->world.shapes[i];
    fail_msg("no shape %s", name);
    return NULL;
}

static int32_t group_size(const ThawMesh *mesh, const char *name) {
    for (int32_t g = 0; g < mesh->group_count; g++)
        if (strcmp(mesh->groups[g].name, name) == 0)
            return mesh->groups[g].count;
    return 0;
}

static double area_of(const ThawMesh *mesh) {
    double sum = 0;
    for (int32_t e = 0; e < mesh->element_count; e++)
        sum += thaw_mesh_volume(mesh, e);
    return sum;
}

static void sheets_come_out_as_written(void **state) {
    (void)state;
    ThawScene *scene = load();
    const ThawShapeDef *grid = shape_of(scene, "grid");
    assert_true(thaw_mesh_is_sheet(grid->mesh));
    assert_int_equal(grid->mesh->element_count, 4 * 2 * 2);
    assert_int_equal(grid->mesh->vertex_count, 15);
    assert_true(grid->thickness == 0.002 && grid->bending_damping == 0.01);
    assert_int_equal(grid->membrane, THAW_MEMBRANE_FIXED_THICKNESS);
    assert_int_equal(grid->bending, THAW_BENDING_HINGE);
    assert_int_equal(group_size(grid->mesh, "x-min"), 3);
    assert_int_equal(group_size(grid->mesh, "y-max"), 5);
    assert_int_equal(group_size(grid->mesh, "rim"), 12);
    const ThawShapeDef *disc = shape_of(scene, "disc"), *ball = shape_of(scene, "ball"),
                       *tube = shape_of(scene, "tube");
    assert_true(disc->thickness == thaw_material_library_find("cotton")->thickness); // its cloth is like it
    assert_int_equal(disc->bending, THAW_BENDING_PLATE);
    assert_true(disc->bending_damping < 0);
    assert_int_equal(disc->mesh->element_count, 6 * 2 * 2);
    assert_int_equal(ball->mesh->element_count, 20 * 2 * 2);
    assert_int_equal(ball->mesh->vertex_count, 10 * 2 * 2 + 2);
    assert_int_equal(group_size(ball->mesh, "rim"), 0);
    assert_true(ball->thickness == thaw_material_library_find("denim")->thickness);
    assert_int_equal(tube->mesh->element_count, 3 * 6 * 2);
    assert_int_equal(group_size(tube->mesh, "rim"), 12);
    assert_true(fabs(area_of(tube->mesh) - 6 * 0.1 * 0.3) < 1e-12); // of six sides, as long as the radius
    const ThawShapeDef *tetra = shape_of(scene, "tetra");
    assert_int_equal(tetra->mesh->element_count, 4); // as they are, and not filled
    assert_int_equal(tetra->region_material[0], disc->material);
    assert_true(thaw_mesh_is_sheet(shape_of(scene, "hook")->mesh));
    thaw_scene_free(&scene);
}

// Of any fineness: all triangles look outwards, no edge is open, and the area tends to the ball's.
static void a_ball_is_closed_and_even(void **state) {
    (void)state;
    for (int32_t rings = 1; rings <= 12; rings++) {
        ThawTriangleMesh *made = NULL;
        ThawMesh *mesh = NULL;
        ThawError error = {0};
        int32_t *across = NULL;
        assert_int_equal(thaw_triangles_sphere(2, rings, &made, &error), THAW_OK);
        assert_int_equal(thaw_mesh_of_triangles(made, &mesh, &error), THAW_OK);
        assert_int_equal(mesh->vertex_count, 10 * rings * rings + 2);
        assert_int_equal(mesh->element_count, 20 * rings * rings);
        assert_int_equal(thaw_mesh_neighbours(mesh, &across, &error), THAW_OK);
        for (int32_t i = 0; i < 3 * mesh->element_count; i++)
            assert_true(across[i] >= 0);
        thaw_free(across);
        for (int32_t e = 0; e < mesh->element_count; e++) {
            const double *x[3];
            double a[3], b[3], n[3];
            for (int i = 0; i < 3; i++)
                x[i] = mesh->x + 3 * (size_t)mesh->elements[3 * e + i];
            thaw_v3_sub(x[1], x[0], a);
            thaw_v3_sub(x[2], x[0], b);
            thaw_v3_cross(a, b, n);
            assert_true(thaw_v3_dot(n, x[0]) > 0);
        }
        const double area = area_of(mesh) / (16 * M_PI);
        assert_true(area < 1 && area > 1 - 0.5 / (rings * rings));
        assert_true(thaw_mesh_quality(mesh).min_angle > 0.6);
        thaw_mesh_free(&mesh);
        thaw_triangles_free(&made);
    }
}

// Groups of a surface are regions and groups; a fin, which makes an edge of three triangles, is refused.
static void groups_of_a_surface_are_regions_and_fins_are_refused(void **state) {
    (void)state;
    static const char text[] = "v 0 0 0\nv 1 0 0\nv 1 1 1\nv 0 1 0\nv 0 0 1\n"
                               "g left\nf 1 2 3\ng right\nf 1 3 4\n";
    static const char fin[] = "g fin\nf 1 3 5\n";
    for (int with = 0; with < 2; with++) {
        char whole[200];
        ThawTriangleMesh *surface = NULL;
        ThawMesh *mesh = NULL;
        ThawError error = {0};
        snprintf(whole, sizeof whole, "%s%s", text, with ? fin : "");
        assert_int_equal(thaw_triangles_parse(whole, strlen(whole), ".obj", "s", &surface, NULL, &error), THAW_OK);
        assert_int_equal(thaw_mesh_of_triangles(surface, &mesh, &error), with ? THAW_ERROR_INPUT : THAW_OK);
        if (with)
            assert_non_null(strstr(error.message, "share one face"));
        else {
            assert_int_equal(mesh->region_count, 2);
            assert_string_equal(mesh->region_names[mesh->region[1]], "right");
            assert_int_equal(group_size(mesh, "left"), 3);
            assert_int_equal(group_size(mesh, "rim"), 4);
        }
        thaw_mesh_free(&mesh);
        thaw_triangles_free(&surface);
    }
}

// A surface of Gmsh's in space: triangles as they are, refused where a volume is asked for.
static void surfaces_of_mesh_files_are_sheets(void **state) {
    (void)state;
    char path[] = "/tmp/thaw-sheet-XXXXXX.msh";
    const int file = mkstemps(path, 4);
    FILE *f = fdopen(file, "w");
    fputs("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 1\n4 0 1 0\n$EndNodes\n"
          "$Elements\n2\n1 2 2 7 7 1 2 3\n2 2 2 8 8 1 3 4\n$EndElements\n",
          f);
    fclose(f);
    ThawMesh *mesh = NULL;
    ThawError error = {0};
    assert_int_equal(thaw_mesh_read(path, &mesh, NULL, &error), THAW_ERROR_INPUT);
    if (thaw_mesh_read_sheet(path, NULL, &mesh, NULL, &error))
        fail_msg("%s", error.message);
    assert_true(thaw_mesh_is_sheet(mesh));
    assert_int_equal(mesh->element_count, 2);
    assert_int_equal(mesh->region_count, 2);
    assert_true(mesh->x[8] == 1);
    thaw_mesh_free(&mesh);
    remove(path);
    assert_int_equal(thaw_mesh_read_sheet(THAW_SOURCE_DIR "/tests/mesh/data/two-tets.mesh", NULL, &mesh, NULL, &error),
                     THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "tetrahedra"));
}

// A square of a quad and a triangle that is left out, its texture turned by 30 degrees: u runs along the warp.
static void texture_points_give_the_warp(void **state) {
    (void)state;
    static const char *const rest[] = {"", ", \"scale\": [-1, 1, 1]", ", \"warp\": [0, 1, 0]"};
    char path[] = "/tmp/thaw-sheet-XXXXXX.obj";
    FILE *f = fdopen(mkstemps(path, 4), "w");
    const double c = cos(M_PI / 6), s = sin(M_PI / 6);
    fprintf(f, "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt %.17g %.17g 0\nvt %.17g %.17g\nvt %.17g %.17g\n", c, -s,
            c + s, c - s, s, c);
    fputs("f 1 1 2\nf 1/1 2/2/7 3/3\nf -4/-4 -2/-2 -1/-1\n", f);
    fclose(f);
    for (int run = 0; run < 3; run++) {
        char text[1000];
        ThawScene *scene = NULL;
        ThawWorld *world = NULL;
        ThawError error = {0};
        snprintf(text, sizeof text,
                 "{\"thaw\": 1, \"shapes\": {\"s\": {\"mesh\": {\"sheet\": \"%s\"}, \"material\": \"cotton\"%s}}, "
                 "\"bodies\": [{\"shape\": \"s\"}]}",
                 path, rest[run]);
        if (thaw_scene_parse(text, strlen(text), "uv", "/", &scene, &error))
            fail_msg("%s", error.message);
        const ThawShapeDef *shape = shape_of(scene, "s");
        assert_int_equal(shape->mesh->element_count, 2);
        assert_true((shape->uv != NULL) == (run < 2));
        if (thaw_world_create(&scene->world, &world, &error))
            fail_msg("%s", error.message);
        const double *warp = world->model->shapes[0].warp, x = run == 2 ? 0 : run == 1 ? -c : c, y = run == 2 ? 1 : s;
        for (int e = 0; e < 2; e++) {
            const double along = warp[3 * e] * x + warp[3 * e + 1] * y;
            if (!(fabs(along) > 1 - 1e-12))
                fail_msg("run %d: the warp of triangle %d is %g, %g", run, e, warp[3 * e], warp[3 * e + 1]);
        }
        thaw_world_free(&world);
        thaw_scene_free(&scene);
    }
    remove(path);
}

static const char good[] =
    "{'thaw': 1, 'materials': {'felt': {}}, 'shapes': {'s': {'mesh': {'sheet': {'grid': {'width': 1, "
    "'height': 1}}, 'size': 0.5}, 'material': 'felt', 'thickness': 0.01, 'bending': 'plate'}}, "
    "'bodies': [{'shape': 's'}]}";

static const struct {
    const char *right, *wrong, *says;
} slips[] = {
    {", 'thickness': 0.01", "", "s: shapes.s: a sheet without thickness"},
    {"0.01", "0", "s: shapes.s.thickness: out of range (value 0)"},
    {"'plate'", "'plank'", "did you mean \"plate\"?"},
    {"'bending'", "'bend'", "did you mean \"bending\"?"},
    {", 'size': 0.5", "", "s: shapes.s.mesh: no size"},
    {"'size': 0.5", "'size': 1e-5", "s: shapes.s.mesh.sheet.grid: too fine (value 100000 edges along it)"},
    {"'size': 0.5", "'size': 0.5, 'elements': 5", "s: shapes.s.mesh.elements: only a solid or a surface is meshed"},
    {"'size': 0.5", "'size': 0.5, 'piece': 1", "s: shapes.s.mesh.piece: it is all of one piece"},
    {"'width': 1, ", "", "s: shapes.s.mesh.sheet.grid: the key \"width\" is missing"},
    {"{'grid': {'width': 1, 'height': 1}}", "{}", "exactly one of grid, disc, sphere, revolution, drawing"},
    {"{'grid': {'width': 1, 'height': 1}}", "5", "s: shapes.s.mesh.sheet: wrong type (value 5)"},
    {"{'grid': {'width': 1, 'height': 1}}, 'size': 0.5", "'none.obj'", "none.obj"},
    {"{'grid': {'width': 1, 'height': 1}}", "'tetra.obj'", "s: shapes.s.mesh.size: the triangles of a file"},
    {"'grid': {'width': 1, 'height': 1}", "'disc': {'radius': 0}", "s: shapes.s.mesh.sheet.disc.radius: out of range"},
    {"'grid': {'width': 1, 'height': 1}", "'revolution': {'profile': [[0, 0], [0, 1]]}", "both on the axis"},
    {"'sheet': {'grid': {'width': 1, 'height': 1}}, 'size': 0.5",
     "'box': {'min': [0, 0, 0], 'max': [1, 1, 1], "
     "'cells': [1, 1, 1]}",
     "s: shapes.s.thickness: a solid has no thickness"},
    {"'bending'", "'yield_curvature': 0, 'bending'", "s: shapes.s.yield_curvature: out of range (value 0)"},
    {"'bending'", "'yield_angle': -1, 'bending'", "s: shapes.s.yield_angle: out of range (value -1)"},
    {"{}", "{'strain_limits': [0.9]}", "s: materials.felt.strain_limits: no limits"},
    {"{}", "{'strain_limits': [1.1, 0.9]}", "s: materials.felt.strain_limits[0]: out of range (value 1.1)"},
    {"{}", "{'strain_limits': [null, 1]}", "s: materials.felt.strain_limits[1]: out of range (value 1)"},
    {"'thaw': 1", "'thaw': 1, 'dimension': 2", "s: shapes.s.mesh.sheet: a sheet has no place in the plane"},
};

static ThawStatus parse(const char *text, ThawScene **scene, ThawError *error) {
    return thaw_scene_parse(text, strlen(text), "s", FOLDER, scene, error);
}

// `good` with double quotes, the first occurrence of `right` replaced.
static void make(const char *right, const char *wrong, char text[2000]) {
    const char *found = strstr(good, right);
    assert_non_null(found);
    snprintf(text, 2000, "%.*s%s%s", (int)(found - good), good, wrong, found + strlen(right));
    for (char *c = text; *c; c++)
        *c = *c == '\'' ? '"' : *c;
}

static void what_sheets_lack_is_refused_at_its_place(void **state) {
    (void)state;
    char text[2000];
    ThawScene *scene = NULL;
    ThawError error = {0};
    make("'thaw'", "'thaw'", text);
    if (parse(text, &scene, &error))
        fail_msg("%s", error.message);
    thaw_scene_free(&scene);
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
        make(slips[i].right, slips[i].wrong, text);
        assert_true(parse(text, &scene, &error) < 0);
        if (!strstr(error.message, slips[i].says))
            fail_msg("%s\ndoes not say: %s", error.message, slips[i].says);
    }
}

static uint64_t digest_of(const char *right, const char *wrong) {
    char text[2000];
    ThawScene *scene = NULL;
    ThawError error = {0};
    make(right, wrong, text);
    if (parse(text, &scene, &error))
        fail_msg("%s", error.message);
    const uint64_t digest = scene->digest;
    thaw_scene_free(&scene);
    return digest;
}

static void the_digest_sees_how_a_sheet_bends(void **state) {
    (void)state;
    const uint64_t plain = digest_of("'plate'", "'plate'");
    assert_true(plain == digest_of(", 'bending': 'plate'", ""));
    assert_true(plain != digest_of("'plate'", "'hinge'"));
    assert_true(plain != digest_of("'plate'", "'plate', 'membrane': 'fixed-thickness'"));
    assert_true(plain != digest_of("'plate'", "'plate', 'bending_damping': 0.1"));
    assert_true(plain != digest_of("0.01", "0.02"));
    assert_true(plain != digest_of("'plate'", "'plate', 'yield_curvature': 3"));
    assert_true(plain != digest_of("'plate'", "'plate', 'strain_limiting': 'clamp'"));
    assert_true(plain != digest_of("{}", "{'strain_limits': [null, 1.1]}"));
    assert_true(plain == digest_of("{}", "{'strain_limits': [null, null]}"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sheets_come_out_as_written),
        cmocka_unit_test(a_ball_is_closed_and_even),
        cmocka_unit_test(groups_of_a_surface_are_regions_and_fins_are_refused),
        cmocka_unit_test(surfaces_of_mesh_files_are_sheets),
        cmocka_unit_test(texture_points_give_the_warp),
        cmocka_unit_test(what_sheets_lack_is_refused_at_its_place),
        cmocka_unit_test(the_digest_sees_how_a_sheet_bends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
