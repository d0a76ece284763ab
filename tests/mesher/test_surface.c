// SPDX-License-Identifier: Apache-2.0
// Triangle surfaces: distance and side against a ball, holes and crossings told and survived; sheets for shells.
#include "math/vec3.h"
#include "mesher/shapes.h"

#include "mesh/winding.h"

// A ball of radius 1 as a surface of revolution, about z.
static ThawTriangleMesh *ball(int32_t steps) {
    double *profile = calloc(2 * (size_t)steps + 2, sizeof *profile);
    for (int32_t i = 0; i <= steps; i++) {
        profile[2 * i] = i % steps == 0 ? 0 : sin(M_PI * i / steps);
        profile[2 * i + 1] = -cos(M_PI * i / steps);
    }
    ThawTriangleMesh *sheet = NULL;
    ThawError error = {0};
    if (thaw_triangles_revolution(profile, steps + 1, 2 * steps, &sheet, &error))
        fail_msg("%s", error.message);
    free(profile);
    return sheet;
}

static ThawMesh *fill(const ThawTriangleMesh *surface, double size, ThawMesherReport *report) {
    ThawMesh *mesh = NULL;
    ThawError error = {0};
    ThawMesherDef def = sized(size);
    if (thaw_mesh_from_triangles(surface, &def, &mesh, report, &error))
        fail_msg("%s", error.message);
    check_mesh(mesh, 8);
    return mesh;
}

static void a_closed_surface_is_filled(void **state) {
    (void)state;
    ThawTriangleMesh *surface = ball(40);
    ThawMesherReport report;
    ThawMesh *mesh = fill(surface, 0.1, &report);
    assert_int_equal(report.holes.count, 0);
    assert_int_equal(report.crossings.count, 0);
    assert_true(fabs(report.volume / (4 * M_PI / 3) - 1) < 0.01);
    assert_true(report.min_angle * DEGREES > 10.78 && report.max_angle * DEGREES < 164.74);
    thaw_mesh_free(&mesh);
    thaw_triangles_free(&surface);
}

static void distance_and_winding_number_are_those_of_a_ball(void **state) {
    (void)state;
    ThawTriangleMesh *surface = ball(60);
    ThawWinding *winding = NULL;
    ThawError error = {0};
    assert_int_equal(thaw_winding_create(surface, &winding, &error), THAW_OK);
    Random r = random_of(3);
    for (int i = 0; i < 2000; i++) {
        double x[3];
        for (int k = 0; k < 3; k++)
            x[k] = random_between(&r, -1.3, 1.3);
        const double radius = hypot(hypot(x[0], x[1]), x[2]);
        assert_true(fabs(thaw_winding_distance(winding, x) - (radius - 1)) < 2e-3);
        if (fabs(radius - 1) > 0.01)
            assert_true(fabs(thaw_winding_number(winding, x) - (radius < 1)) < 0.05);
    }
    thaw_winding_free(&winding);
    thaw_triangles_free(&surface);
}

static void a_surface_inside_out_is_filled_all_the_same(void **state) {
    (void)state;
    ThawTriangleMesh *surface = ball(20);
    for (int32_t t = 0; t < surface->triangle_count; t++) {
        const int32_t v = surface->triangles[3 * t];
        surface->triangles[3 * t] = surface->triangles[3 * t + 1];
        surface->triangles[3 * t + 1] = v;
    }
    ThawMesherReport report;
    ThawMesh *mesh = fill(surface, 0.2, &report);
    assert_true(fabs(report.volume / (4 * M_PI / 3) - 1) < 0.05);
    thaw_mesh_free(&mesh);
    thaw_triangles_free(&surface);
}

// A fifth of the triangles, anywhere, and a patch.
static void triangles_that_look_the_other_way_are_turned(void **state) {
    (void)state;
    ThawTriangleMesh *surface = ball(40);
    ThawMesherReport report, even;
    ThawMesh *mesh = fill(surface, 0.1, &even);
    thaw_mesh_free(&mesh);
    int32_t flipped = 0;
    for (int32_t t = 0; t < surface->triangle_count; t++)
        if (t * 7 % 5 == 0 || (t > 300 && t < 400)) {
            int32_t *v = surface->triangles + 3 * (size_t)t, swap = v[0];
            v[0] = v[1];
            v[1] = swap;
            flipped++;
        }
    mesh = fill(surface, 0.1, &report);
    assert_int_equal(report.turned.count, flipped);
    assert_int_equal(report.holes.count, 0);
    assert_true(report.volume == even.volume);
    const double *x = report.turned.place[0];
    assert_true(fabs(thaw_v3_norm(x) - 1) < 0.02);
    thaw_mesh_free(&mesh);
    thaw_triangles_free(&surface);
}

// Holes spoil the distance near them, but nothing is lost there.
static void a_ball_full_of_small_holes_has_lost_nothing(void **state) {
    (void)state;
    ThawTriangleMesh *surface = ball(16);
    int32_t kept = 0;
    for (int32_t t = 0; t < surface->triangle_count; t++)
        if (t % 37 != 5)
            memmove(surface->triangles + 3 * (size_t)kept++, surface->triangles + 3 * (size_t)t, 3 * sizeof(int32_t));
    surface->triangle_count = kept;
    ThawMesherReport report;
    ThawMesh *mesh = fill(surface, 0.3, &report);
    assert_true(report.holes.count > 30);
    assert_int_equal(report.lost.count, 0);
    assert_true(fabs(report.volume / (4 * M_PI / 3) - 1) < 0.1);
    thaw_mesh_free(&mesh);
    thaw_triangles_free(&surface);
}

static void holes_are_told_and_closed(void **state) {
    (void)state;
    ThawTriangleMesh *surface = ball(24);
    int32_t kept = 0;
    for (int32_t t = 0; t < surface->triangle_count; t++) { // open a cap about +x
        const int32_t *v = surface->triangles + 3 * t;
        const double x = surface->x[3 * v[0]] + surface->x[3 * v[1]] + surface->x[3 * v[2]];
        if (x / 3 < 0.93)
            memmove(surface->triangles + 3 * kept++, v, 3 * sizeof *v);
    }
    assert_true(kept < surface->triangle_count);
    surface->triangle_count = kept;
    ThawMesherReport report;
    ThawMesh *mesh = fill(surface, 0.12, &report);
    assert_true(report.holes.count > 8);
    for (int i = 0; i < THAW_MESHER_PLACES; i++)
        assert_true(report.holes.place[i][0] > 0.8);
    assert_true(fabs(report.volume / (4 * M_PI / 3) - 1) < 0.04);
    thaw_mesh_free(&mesh);
    thaw_triangles_free(&surface);
}

static void balls_that_overlap_are_joined_and_told(void **state) {
    (void)state;
    ThawTriangleMesh *one = ball(20), *two = NULL;
    ThawError error = {0};
    const int32_t n = one->vertex_count, m = one->triangle_count;
    assert_int_equal(thaw_triangles_create(2 * n, 2 * m, &two, &error), THAW_OK);
    for (int32_t i = 0; i < 6 * n; i++)
        two->x[i] = one->x[i % (3 * n)] + (i >= 3 * n && i % 3 == 0 ? 1.03 : 0);
    for (int32_t i = 0; i < 6 * m; i++)
        two->triangles[i] = one->triangles[i % (3 * m)] + (i >= 3 * m ? n : 0);
    ThawMesherReport report;
    ThawMesh *mesh = fill(two, 0.12, &report);
    assert_int_equal(report.holes.count, 0);
    assert_true(report.crossings.count > 10);
    for (int i = 0; i < THAW_MESHER_PLACES; i++)
        assert_true(fabs(report.crossings.place[i][0] - 0.515) < 0.1);
    const double h = 1 - 0.515, lens = 2 * M_PI * h * h * (3 - h) / 3;
    assert_true(fabs(report.volume / (8 * M_PI / 3 - lens) - 1) < 0.03);
    thaw_mesh_free(&mesh);
    thaw_triangles_free(&one);
    thaw_triangles_free(&two);
}

// A square of side 1 in cells x cells, at z = height sin(9 x) cos(7 y).
static ThawTriangleMesh *square(int32_t cells, double height) {
    ThawTriangleMesh *sheet = NULL;
    ThawError error = {0};
    if (thaw_triangles_grid(1, 1, (int32_t[2]){cells, cells}, &sheet, &error))
        fail_msg("%s", error.message);
    for (int32_t v = 0; v < sheet->vertex_count; v++)
        sheet->x[3 * v + 2] = height * sin(9 * sheet->x[3 * v]) * cos(7 * sheet->x[3 * v + 1]);
    return sheet;
}

static ThawStatus try_to_fill(const ThawTriangleMesh *surface, ThawMesh **mesh, ThawError *error) {
    ThawMesherDef def = thaw_mesher_def_default();
    def.elements = 1000;
    return thaw_mesh_from_triangles(surface, &def, mesh, NULL, error);
}

static void sheets_are_refused_with_the_place_where_they_are_open(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        ThawTriangleMesh *sheet = square(20, 0.1 * i);
        ThawMesh *mesh = NULL;
        ThawError error = {0};
        assert_int_equal(try_to_fill(sheet, &mesh, &error), THAW_ERROR_INPUT);
        assert_null(mesh);
        assert_non_null(
            strstr(error.message, "encloses no volume: it is a sheet, open along 80 edges, the first near (-0."));
        assert_non_null(strstr(error.message, "thickness"));
        thaw_triangles_free(&sheet);
    }
}

static void a_ball_above_a_sheet_is_filled(void **state) {
    (void)state;
    ThawTriangleMesh *one = ball(20), *ground = square(4, 0), *both = NULL;
    ThawError error = {0};
    const int32_t n = one->vertex_count, m = one->triangle_count;
    assert_int_equal(thaw_triangles_create(n + ground->vertex_count, m + ground->triangle_count, &both, &error),
                     THAW_OK);
    memcpy(both->x, one->x, 3 * sizeof *one->x * (size_t)n);
    memcpy(both->triangles, one->triangles, 3 * sizeof *one->triangles * (size_t)m);
    for (int32_t i = 0; i < 3 * ground->vertex_count; i++)
        both->x[3 * n + i] = i % 3 == 2 ? -1.5 : 6 * ground->x[i];
    for (int32_t i = 0; i < 3 * ground->triangle_count; i++)
        both->triangles[3 * m + i] = ground->triangles[i] + n;
    ThawMesherReport report;
    ThawMesh *mesh = fill(both, 0.2, &report);
    assert_int_equal(report.holes.count, 16);
    assert_true(fabs(report.volume / (4 * M_PI / 3) - 1) < 0.1);
    thaw_mesh_free(&mesh);
    thaw_triangles_free(&one);
    thaw_triangles_free(&ground);
    thaw_triangles_free(&both);
}

static void half_a_ball_is_closed_by_a_disc_and_a_dish_is_a_sheet(void **state) {
    (void)state;
    for (int dish = 0; dish < 2; dish++) {
        ThawTriangleMesh *surface = ball(20);
        surface->triangle_count /= 2; // the lower half comes first
        for (int32_t v = 0; v < surface->vertex_count; v++)
            surface->x[3 * v + 2] *= dish ? 0.3 : 1;
        ThawMesh *mesh = NULL;
        ThawError error = {0};
        assert_int_equal(try_to_fill(surface, &mesh, &error), dish ? THAW_ERROR_INPUT : THAW_OK);
        thaw_mesh_free(&mesh);
        thaw_triangles_free(&surface);
    }
}

static double sheet_area(const ThawTriangleMesh *sheet, double *least_angle) {
    double area = 0;
    *least_angle = M_PI;
    for (int32_t t = 0; t < sheet->triangle_count; t++) {
        const int32_t *v = sheet->triangles + 3 * t;
        for (int i = 0; i < 3; i++) {
            const double *a = sheet->x + 3 * v[i], *b = sheet->x + 3 * v[(i + 1) % 3],
                         *c = sheet->x + 3 * v[(i + 2) % 3];
            double e[3], f[3], dot = 0, ee = 0, ff = 0;
            for (int k = 0; k < 3; k++) {
                e[k] = b[k] - a[k];
                f[k] = c[k] - a[k];
                dot += e[k] * f[k];
                ee += e[k] * e[k];
                ff += f[k] * f[k];
            }
            *least_angle = fmin(*least_angle, acos(dot / sqrt(ee * ff)));
            if (i == 0)
                area += sqrt(ee * ff - dot * dot) / 2;
        }
    }
    return area;
}

static void sheets_have_the_right_area_and_even_triangles(void **state) {
    (void)state;
    ThawTriangleMesh *sheet = NULL;
    ThawError error = {0};
    double angle;
    assert_int_equal(thaw_triangles_grid(2, 1, (int32_t[2]){8, 4}, &sheet, &error), THAW_OK);
    assert_int_equal(thaw_triangles_validate(sheet, &error), THAW_OK);
    assert_true(fabs(sheet_area(sheet, &angle) - 2) < 1e-12 && angle * DEGREES > 44.9);
    thaw_triangles_free(&sheet);
    for (int32_t rings = 1; rings <= 20; rings++) {
        assert_int_equal(thaw_triangles_disc(2, rings, &sheet, &error), THAW_OK);
        assert_int_equal(thaw_triangles_validate(sheet, &error), THAW_OK);
        const double area = sheet_area(sheet, &angle), n = 6 * rings;
        assert_true(fabs(area - 2 * n * sin(2 * M_PI / n)) < 1e-9);
        assert_true(angle * DEGREES > 35);
        for (int32_t t = 0; t < sheet->triangle_count; t++) { // anticlockwise seen from +z
            const double *a = sheet->x + 3 * sheet->triangles[3 * t], *b = sheet->x + 3 * sheet->triangles[3 * t + 1];
            const double *c = sheet->x + 3 * sheet->triangles[3 * t + 2];
            assert_true((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0);
        }
        thaw_triangles_free(&sheet);
    }
    static const double bowl[] = {0, 0, 0.5, 0.1, 1, 0.5};
    assert_int_equal(thaw_triangles_revolution(bowl, 3, 12, &sheet, &error), THAW_OK);
    assert_int_equal(sheet->vertex_count, 25);
    assert_int_equal(sheet->triangle_count, 36);
    assert_int_equal(thaw_triangles_validate(sheet, &error), THAW_OK);
    thaw_triangles_free(&sheet);
    assert_int_equal(thaw_triangles_grid(0, 1, (int32_t[2]){1, 1}, &sheet, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "width is 0"));
    assert_int_equal(thaw_triangles_grid(1, 1, (int32_t[2]){1, 0}, &sheet, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_triangles_grid(1, 1, (int32_t[2]){50000, 50000}, &sheet, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_triangles_disc(-1, 1, &sheet, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_triangles_disc(1, 0, &sheet, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_triangles_revolution(bowl, 1, 12, &sheet, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_triangles_revolution(bowl, 3, 2, &sheet, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_triangles_revolution((double[4]){0, 0, 0, 1}, 2, 5, &sheet, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_triangles_revolution((double[4]){-1, 0, 0, 1}, 2, 5, &sheet, &error), THAW_ERROR_INPUT);
    assert_null(sheet);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_closed_surface_is_filled),
        cmocka_unit_test(distance_and_winding_number_are_those_of_a_ball),
        cmocka_unit_test(a_surface_inside_out_is_filled_all_the_same),
        cmocka_unit_test(triangles_that_look_the_other_way_are_turned),
        cmocka_unit_test(a_ball_full_of_small_holes_has_lost_nothing),
        cmocka_unit_test(holes_are_told_and_closed),
        cmocka_unit_test(balls_that_overlap_are_joined_and_told),
        cmocka_unit_test(sheets_are_refused_with_the_place_where_they_are_open),
        cmocka_unit_test(a_ball_above_a_sheet_is_filled),
        cmocka_unit_test(half_a_ball_is_closed_by_a_disc_and_a_dish_is_a_sheet),
        cmocka_unit_test(sheets_have_the_right_area_and_even_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
