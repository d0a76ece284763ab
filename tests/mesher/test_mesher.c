// SPDX-License-Identifier: Apache-2.0
// Solids become meshes: convergence, angles, validity, regions, grading, counts, threads, messages.
#include "mesher/shapes.h"

// Errors of volume and deviation at size, size / 2 and size / 4; orders from the last two.
typedef struct Orders {
    double volume, deviation;
} Orders;

static Orders measure_orders(const char *text, int dim, double exact, double size) {
    ThawSolid *solid = solid_of(text, dim);
    double volume[2], deviation[2];
    for (int i = 0; i < 2; i++) {
        ThawMesherReport report;
        ThawMesh *mesh = mesh_of(solid, sized(size / (1 + 2 * i)), &report);
        check_mesh(mesh, 8);
        volume[i] = fabs(report.volume - exact);
        deviation[i] = report.deviation;
        thaw_mesh_free(&mesh);
    }
    thaw_solid_free(&solid);
    return (Orders){log(volume[0] / volume[1]) / log(3), log(deviation[0] / deviation[1]) / log(3)};
}

static void smooth_shapes_converge_with_order_two(void **state) {
    (void)state;
    const Orders ball = measure_orders("{'sphere':{'radius':1,'centre':[0.1,0.2,0.3]}}", 3, 4 * M_PI / 3, 0.25);
    assert_true(ball.volume > 1.7 && ball.deviation > 1.6);
    const Orders ring =
        measure_orders("{'torus':{'radius':1,'tube':0.4,'axis':[1,2,3]}}", 3, 2 * M_PI * M_PI * 0.16, 0.2);
    assert_true(ring.volume > 1.7 && ring.deviation > 1.5);
    const Orders egg = measure_orders("{'ellipsoid':{'radii':[1,0.7,0.5]},'rotate':{'axis':[1,1,0],'degrees':30}}", 3,
                                      4 * M_PI / 3 * 0.35, 0.2);
    assert_true(egg.volume > 1.7 && egg.deviation > 1.5);
    const Orders disc = measure_orders("{'sphere':{'radius':1,'centre':[0.1,0.2]}}", 2, M_PI, 0.2);
    assert_true(disc.volume > 1.7 && disc.deviation > 1.5);
}

static void creases_converge_with_order_one(void **state) {
    (void)state;
    const Orders box =
        measure_orders("{'box':{'min':[-0.5,-0.6,-0.7],'max':[0.5,0.6,0.7]},'rotate':{'axis':[1,2,3],'degrees':40}}", 3,
                       1.0 * 1.2 * 1.4, 0.2);
    print_message("a turned box: volume %.2f, deviation %.2f\n", box.volume, box.deviation);
    assert_true(box.deviation > 0.6 && box.volume > 1.4); // the error sits along lines, so its volume falls faster
    const Orders can =
        measure_orders("{'cylinder':{'from':[0,0,0],'to':[1,1,1],'radius':0.5}}", 3, M_PI * 0.25 * sqrt(3), 0.2);
    assert_true(can.deviation > 0.6 && can.volume > 1.3);
}

static void a_box_that_fits_the_lattice_is_exact(void **state) {
    (void)state;
    ThawSolid *solid = solid_of("{'box':{'min':[0,0,0],'max':[1,2,0.5]}}", 3);
    ThawMesherReport report;
    ThawMesh *mesh = mesh_of(solid, sized(0.25), &report);
    assert_true(fabs(report.volume - 1) < 1e-14 && report.deviation < 1e-15);
    assert_true(report.min_angle * DEGREES > 44.99 && report.max_angle * DEGREES < 90.01);
    thaw_mesh_free(&mesh);
    thaw_solid_free(&solid);
}

static void angles_are_bounded_on_random_smooth_shapes(void **state) {
    (void)state;
    double least[2] = {180, 180}, most[2] = {0, 0};
    for (int seed = 1; seed <= repeats(100); seed++) {
        const int dim = seed % 4 == 0 ? 2 : 3;
        Random r = random_of(seed + 5000);
        ThawSolid *solid = random_solid(seed, dim);
        ThawMesherDef def = sized(random_between(&r, 0.06, 0.12) * (dim == 2 ? 0.5 : 1));
        def.grading = seed % 3 == 0 ? 4 : 1;
        def.threads = 1;
        ThawMesherReport report;
        ThawMesh *mesh = mesh_of(solid, def, &report);
        check_mesh(mesh, 8);
        least[dim - 2] = fmin(least[dim - 2], report.min_angle * DEGREES);
        most[dim - 2] = fmax(most[dim - 2], report.max_angle * DEGREES);
        thaw_mesh_free(&mesh);
        thaw_solid_free(&solid);
    }
    print_message("dihedral angles %.1f to %.1f, angles %.1f to %.1f degrees\n", least[1], most[1], least[0], most[0]);
    assert_true(least[1] > 10.78 && most[1] < 164.74); // what Labelle and Shewchuk prove for any surface
    assert_true(least[0] > 10 && most[0] < 150);
}

static void the_bounds_hold_where_the_lattice_is_too_coarse_for_the_shape(void **state) {
    (void)state;
    for (int seed = 1; seed <= 20; seed++) {
        ThawSolid *solid = random_solid(seed, 3);
        ThawMesherDef def = sized(0.35);
        def.smallest = 1;
        ThawMesherReport report;
        ThawMesh *mesh = mesh_of(solid, def, &report);
        check_mesh(mesh, 0);
        assert_true(report.min_angle * DEGREES > 10.78 && report.max_angle * DEGREES < 164.74);
        thaw_mesh_free(&mesh);
        thaw_solid_free(&solid);
    }
}

static void grading_saves_elements_and_keeps_the_surface(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        ThawSolid *solid =
            solid_of(dim == 3 ? "{'sphere':{'radius':1}}" : "{'sphere':{'radius':1,'centre':[0,0]}}", dim);
        ThawMesherDef def = sized(dim == 3 ? 0.05 : 0.01);
        ThawMesherReport even, graded;
        ThawMesh *mesh = mesh_of(solid, def, &even);
        thaw_mesh_free(&mesh);
        def.grading = 8;
        mesh = mesh_of(solid, def, &graded);
        check_mesh(mesh, 8);
        assert_true(graded.elements < (dim == 3 ? 0.55 : 0.3) * even.elements);
        assert_true(fabs(graded.volume - even.volume) < 1e-9 * even.volume);
        assert_true(graded.deviation == even.deviation);
        assert_true(graded.min_angle > even.min_angle - 1e-9 && graded.max_angle < even.max_angle + 1e-9);
        thaw_mesh_free(&mesh);
        thaw_solid_free(&solid);
    }
}

static void regions_become_regions_and_groups(void **state) {
    (void)state;
    ThawSolid *solid = solid_of("{'union':[{'torus':{'radius':1,'tube':0.3},'region':'tyre'},"
                                "{'cylinder':{'from':[0,0,-0.2],'to':[0,0,0.2],'radius':0.9},'region':'hub'}]}",
                                3);
    ThawMesherReport report;
    ThawMesh *mesh = mesh_of(solid, sized(0.1), &report);
    check_mesh(mesh, 8);
    assert_int_equal(mesh->region_count, 2); // "default" does not occur
    assert_string_equal(mesh->region_names[0], "tyre");
    assert_string_equal(mesh->region_names[1], "hub");
    assert_int_equal(mesh->group_count, 3);
    assert_string_equal(mesh->groups[0].name, "surface");
    assert_string_equal(mesh->groups[2].name, "hub");
    double volume[2] = {0};
    for (int32_t e = 0; e < mesh->element_count; e++)
        volume[mesh->region[e]] += thaw_mesh_volume(mesh, e);
    assert_true(fabs(volume[1] / (M_PI * 0.81 * 0.4) - 1) < 0.1); // painted over the tyre
    for (int32_t i = 0; i < mesh->groups[2].count; i++) {
        const double *x = mesh->x + 3 * mesh->groups[2].vertices[i];
        assert_true(hypot(x[0], x[1]) < 1.05);
    }
    for (int32_t i = 0; i < mesh->groups[0].count; i++)
        assert_true(fabs(thaw_solid_distance(solid, mesh->x + 3 * mesh->groups[0].vertices[i])) < 1e-8);
    thaw_mesh_free(&mesh);
    thaw_solid_free(&solid);
}

static void a_count_of_elements_is_met(void **state) {
    (void)state;
    static const int32_t targets[] = {1000, 6200, 30000};
    for (int dim = 2; dim <= 3; dim++)
        for (int seed = 1; seed <= repeats(4); seed++)
            for (int t = 0; t < 3; t++) {
                ThawSolid *solid = random_solid(seed, dim);
                ThawMesherDef def = thaw_mesher_def_default();
                def.elements = targets[t];
                ThawMesherReport report;
                ThawMesh *mesh = mesh_of(solid, def, &report);
                if (fabs(report.elements - (double)targets[t]) > 0.03 * targets[t])
                    fail_msg("%d elements for %d", report.elements, targets[t]);
                thaw_mesh_free(&mesh);
                thaw_solid_free(&solid);
            }
}

static void threads_do_not_change_a_bit(void **state) {
    (void)state;
    ThawSolid *solid =
        solid_of("{'difference':[{'smooth_union':{'radius':0.2,'of':[{'sphere':{'radius':0.8}},{'box':{'min':"
                 "[0,0,0],'max':[1,1,1]}}]}},{'cylinder':{'from':[0,0,-1],'to':[0,0,2],'radius':0.2}}]}",
                 3);
    uint64_t first = 0;
    for (int threads = 1; threads <= 4; threads++) {
        ThawMesherDef def = sized(0.06);
        def.grading = 2;
        def.sharpen = 1;
        def.threads = threads;
        ThawMesherReport report;
        ThawMesh *mesh = mesh_of(solid, def, &report);
        uint64_t hash = thaw_hash(1, mesh->x, 3 * (size_t)mesh->vertex_count * sizeof *mesh->x);
        hash = thaw_hash(hash, mesh->elements, 4 * (size_t)mesh->element_count * sizeof *mesh->elements);
        hash = thaw_hash(hash, &report.deviation, sizeof report.deviation);
        first = threads == 1 ? hash : first;
        assert_true(hash == first);
        thaw_mesh_free(&mesh);
    }
    thaw_solid_free(&solid);
}

static void small_pieces_are_dropped_and_told(void **state) {
    (void)state;
    ThawSolid *solid =
        solid_of("{'union':[{'sphere':{'radius':1}},{'sphere':{'radius':0.12,'centre':[3.03,0,0]}}]}", 3);
    ThawMesherDef def = sized(0.2);
    def.smallest = 30;
    ThawMesherReport report;
    ThawMesh *mesh = mesh_of(solid, def, &report);
    check_mesh(mesh, 30);
    assert_int_equal(report.islands.count, 1);
    assert_int_equal(report.pieces, 1);
    assert_true(fabs(report.islands.place[0][0] - 3) < 0.2);
    for (int32_t v = 0; v < mesh->vertex_count; v++)
        assert_true(mesh->x[3 * v] < 1.5);
    thaw_mesh_free(&mesh);
    thaw_solid_free(&solid);
}

static void sharpening_puts_edges_where_they_belong(void **state) {
    (void)state;
    ThawSolid *solid =
        solid_of("{'box':{'min':[-0.5,-0.6,-0.7],'max':[0.5,0.6,0.7]},'rotate':{'axis':[1,2,3],'degrees':40}}", 3);
    for (int i = 0; i < 3; i++) {
        ThawMesherDef def = sized(0.2 / (1 << i));
        ThawMesherReport blunt, sharp;
        ThawMesh *mesh = mesh_of(solid, def, &blunt);
        thaw_mesh_free(&mesh);
        def.sharpen = 1;
        mesh = mesh_of(solid, def, &sharp);
        check_mesh(mesh, 8);
        print_message("size %.3f: volume off by %.5f, sharpened %.5f (%d vertices), angles %.1f to %.1f\n", def.size,
                      1.68 - blunt.volume, 1.68 - sharp.volume, sharp.sharpened, sharp.min_angle * DEGREES,
                      sharp.max_angle * DEGREES);
        assert_true(fabs(1.68 - sharp.volume) < 0.35 * fabs(1.68 - blunt.volume));
        assert_true(sharp.min_angle * DEGREES > 12 && sharp.max_angle * DEGREES < 160);
        thaw_mesh_free(&mesh);
    }
    thaw_solid_free(&solid);
    solid = solid_of("{'box':{'min':[0,0],'max':[1,1]},'rotate':{'degrees':20}}", 2);
    ThawMesherDef def = sized(0.1);
    ThawMesherReport report;
    def.sharpen = 1;
    ThawMesh *mesh = mesh_of(solid, def, &report);
    check_mesh(mesh, 8);
    assert_true(report.sharpened >= 3 && fabs(report.volume - 1) < 1e-3);
    thaw_mesh_free(&mesh);
    thaw_solid_free(&solid);
    solid = solid_of("{'sphere':{'radius':1}}", 3); // nothing to do
    mesh = mesh_of(solid, def, &report);
    assert_int_equal(report.sharpened, 0);
    thaw_mesh_free(&mesh);
    thaw_solid_free(&solid);
}

static void wrong_definitions_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *solid;
        ThawMesherDef def;
        const char *says;
    } cases[] = {
        {"{'sphere':{'radius':1}}", {.size = -1, .grading = 1, .limit = 100}, "size is -1; allowed: more than 0 m"},
        {"{'sphere':{'radius':1}}", {.grading = 1, .limit = 100}, "elements is 0; allowed: 1 and more"},
        {"{'sphere':{'radius':1}}", {.elements = 200, .grading = 1, .limit = 100}, "elements is 200; allowed: at most"},
        {"{'sphere':{'radius':1}}", {.size = 1, .grading = 0.5, .limit = 100}, "grading is 0.5; allowed: from 1"},
        {"{'sphere':{'radius':1}}", {.size = 1, .grading = 1, .smallest = -1, .limit = 9}, "smallest is -1; allowed"},
        {"{'sphere':{'radius':1}}", {.size = 1, .grading = 1, .limit = 0}, "limit is 0; allowed: 1 and more"},
        {"{'sphere':{'radius':1}}", {.size = 1, .grading = 1, .limit = 9, .threads = -1}, "threads is -1; allowed"},
        {"{'sphere':{'radius':1}}", {.size = 0.01, .grading = 1, .limit = 1000}, "a larger size"},
        {"{'sphere':{'radius':1}}", {.size = 1e-7, .grading = 1, .limit = 1000}, "size is 1e-07 m for a solid of 2 m"},
        {"{'half_space':{'point':[0,0,0],'normal':[0,0,1]}}", {.size = 1, .grading = 1, .limit = 99}, "has an end"},
        {"{'intersection':[{'sphere':{'radius':1}},{'sphere':{'radius':1,'centre':[5,0,0]}}]}",
         {.size = 0.3, .grading = 1, .limit = 9999},
         "not empty"},
        {"{'difference':[{'sphere':{'radius':1}},{'sphere':{'radius':2}}]}",
         {.size = 0.3, .grading = 1, .limit = 9999},
         "nothing is inside"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ThawSolid *solid = solid_of(cases[i].solid, 3);
        ThawMesh *mesh = NULL;
        ThawError error = {0};
        assert_int_equal(thaw_mesh_from_solid(solid, &cases[i].def, &mesh, NULL, &error), THAW_ERROR_INPUT);
        assert_null(mesh);
        if (!strstr(error.message, cases[i].says))
            fail_msg("'%s' does not say '%s'", error.message, cases[i].says);
        thaw_solid_free(&solid);
    }
    ThawMesh *mesh = NULL;
    ThawMesherDef def = thaw_mesher_def_default();
    ThawSolid *solid = solid_of("{'sphere':{'radius':1}}", 3);
    assert_int_equal(thaw_mesh_from_solid(NULL, &def, &mesh, NULL, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_mesh_from_solid(solid, NULL, &mesh, NULL, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_mesh_from_solid(solid, &def, NULL, NULL, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_mesh_from_triangles(NULL, &def, &mesh, NULL, NULL), THAW_ERROR_INPUT);
    thaw_solid_free(&solid);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_shapes_converge_with_order_two),
        cmocka_unit_test(creases_converge_with_order_one),
        cmocka_unit_test(a_box_that_fits_the_lattice_is_exact),
        cmocka_unit_test(angles_are_bounded_on_random_smooth_shapes),
        cmocka_unit_test(the_bounds_hold_where_the_lattice_is_too_coarse_for_the_shape),
        cmocka_unit_test(grading_saves_elements_and_keeps_the_surface),
        cmocka_unit_test(regions_become_regions_and_groups),
        cmocka_unit_test(a_count_of_elements_is_met),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(small_pieces_are_dropped_and_told),
        cmocka_unit_test(sharpening_puts_edges_where_they_belong),
        cmocka_unit_test(wrong_definitions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
