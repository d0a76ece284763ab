// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "app.h"
#include "camera.h"
#include "output/frame_data.h"
#include "picture.h"
#include "raster.h"

static const RasterShading plain = {0};

static RasterCorner corner(float x, float y, float nearness, float red) {
    return (RasterCorner){.x = x, .y = y, .nearness = nearness, .normal = {0, 0, 1}, .colour = {red, 0, 0}};
}

static int covered(const Raster *raster) {
    int count = 0;
    for (int i = 0; i < raster->width * raster->height; i++)
        count += raster->nearness[i] > 0;
    return count;
}

static void a_triangle_covers_the_samples_whose_centres_are_inside(void **state) {
    (void)state;
    Raster raster;
    assert_true(raster_create(20, 20, &raster));
    // Legs of 10: in row y (centres at y + 0.5) the samples with x + 0.5 <= 10 - (y + 0.5), so 10 + 9 + ... + 1.
    RasterCorner t[3] = {corner(0, 0, 1, 1), corner(10, 0, 1, 1), corner(0, 10, 1, 1)};
    raster_triangle(&raster, t, &plain);
    assert_int_equal(covered(&raster), 55);
    assert_true(raster.nearness[0] > 0 && raster.nearness[9] > 0);
    assert_true(raster.nearness[10] == 0 && raster.nearness[20 * 10] == 0);
    raster_clear(&raster);
}

static void two_triangles_cover_a_square_without_a_gap_either_way_round(void **state) {
    (void)state;
    for (int flip = 0; flip < 2; flip++) {
        Raster raster;
        assert_true(raster_create(16, 16, &raster));
        RasterCorner a = corner(2.3f, 3.1f, 1, 1), b = corner(13.7f, 3.1f, 1, 1), c = corner(13.7f, 12.2f, 1, 1),
                     d = corner(2.3f, 12.2f, 1, 1);
        RasterCorner first[3] = {a, flip ? c : b, flip ? b : c}, second[3] = {a, flip ? d : c, flip ? c : d};
        raster_triangle(&raster, first, &plain);
        raster_triangle(&raster, second, &plain);
        assert_int_equal(covered(&raster), 12 * 9); // centres 2.5 .. 13.5 and 3.5 .. 11.5
        raster_clear(&raster);
    }
}

static void the_nearer_triangle_wins_in_any_order(void **state) {
    (void)state;
    for (int order = 0; order < 2; order++) {
        Raster raster;
        assert_true(raster_create(8, 8, &raster));
        for (int i = 0; i < 2; i++) {
            int near = i == order;
            float z = near ? 1 : 0.5f, red = near ? 0.9f : 0.1f;
            RasterCorner t[3] = {corner(-9, -9, z, red), corner(30, -9, z, red), corner(-9, 30, z, red)};
            raster_triangle(&raster, t, &plain);
        }
        for (int i = 0; i < 64; i++)
            assert_float_equal(raster.rgb[3 * i], 0.9f, 1e-6f);
        raster_clear(&raster);
    }
}

static void triangles_off_the_screen_or_without_area_draw_nothing(void **state) {
    (void)state;
    static const float bad[] = {NAN, INFINITY, -INFINITY, 1e30f, -1e30f, 2e6f};
    Raster raster;
    assert_true(raster_create(8, 8, &raster));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (int k = 0; k < 3; k++) {
            RasterCorner t[3] = {corner(0, 0, 1, 1), corner(8, 0, 1, 1), corner(0, 8, 1, 1)};
            t[k].x = bad[i];
            raster_triangle(&raster, t, &plain);
            t[k].x = 1;
            t[k].y = bad[i];
            raster_triangle(&raster, t, &plain);
        }
    RasterCorner behind[3] = {corner(0, 0, 1, 1), corner(8, 0, 0, 1), corner(0, 8, 1, 1)};
    raster_triangle(&raster, behind, &plain);
    behind[1].nearness = NAN;
    raster_triangle(&raster, behind, &plain);
    RasterCorner line[3] = {corner(0, 0, 1, 1), corner(4, 4, 1, 1), corner(8, 8, 1, 1)};
    raster_triangle(&raster, line, &plain);
    RasterCorner point[3] = {line[1], line[1], line[1]};
    raster_triangle(&raster, point, &plain);
    RasterCorner away[3] = {corner(100, 100, 1, 1), corner(200, 100, 1, 1), corner(100, 200, 1, 1)};
    raster_triangle(&raster, away, &plain);
    assert_int_equal(covered(&raster), 0);
    raster_clear(&raster);
}

static void light_is_brighter_towards_the_lamp_and_never_negative(void **state) {
    (void)state;
    RasterShading lit = {.lit = 1, .view = {0, 0, 1}, .key = {0, 0, 1}, .fill = {1, 0, 0}, .up = {0, 0, 1}};
    Raster raster;
    assert_true(raster_create(4, 4, &raster));
    float last = -1;
    for (int i = 0; i <= 10; i++) {
        memset(raster.nearness, 0, 16 * sizeof(float));
        RasterCorner t[3] = {corner(-9, -9, 1, .5f), corner(30, -9, 1, .5f), corner(-9, 30, 1, .5f)};
        for (int k = 0; k < 3; k++) {
            t[k].normal[1] = 1 - 0.1f * (float)i;
            t[k].normal[2] = 0.1f * (float)i;
        }
        raster_triangle(&raster, t, &lit);
        assert_true(raster.rgb[0] >= 0 && raster.rgb[0] > last - 0.06f);
        last = raster.rgb[0];
    }
    RasterCorner none[3] = {corner(-9, -9, 2, .5f), corner(30, -9, 2, .5f), corner(-9, 30, 2, .5f)};
    for (int k = 0; k < 3; k++)
        none[k].normal[2] = 0;
    raster_triangle(&raster, none, &lit);
    assert_true(isfinite(raster.rgb[0]));
    raster_clear(&raster);
}

static void colours_survive_the_way_to_srgb_and_back(void **state) {
    (void)state;
    for (int i = 0; i < 256; i++)
        assert_int_equal(picture_srgb(picture_linear(i)), i);
    assert_int_equal(picture_srgb(-1), 0);
    assert_int_equal(picture_srgb(7), 255);
    float rgb[3];
    static const double odd[] = {-1, 0, 0.5, 1, 2, NAN, INFINITY};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        picture_colour(odd[i], rgb);
        for (int k = 0; k < 3; k++)
            assert_true(rgb[k] >= 0 && rgb[k] <= 1);
    }
    picture_colour_of(-7, rgb);
    assert_true(rgb[0] > 0);
}

static void text_stays_inside_the_picture(void **state) {
    (void)state;
    Picture picture;
    const unsigned char white[3] = {255, 255, 255};
    assert_true(picture_create(30, 12, &picture));
    picture_text(&picture, -8, -3, 2, "Thaw \x80\xff 0.5", white);
    picture_text(&picture, 25, 8, 3, "off the edge", white);
    Colouring colouring = {.field = thaw_field_find("von_mises"), .high = 1e9};
    colouring_legend(&colouring, &picture, 20, -5, 3, 2, white);
    int bright = 0;
    for (int i = 0; i < 3 * 30 * 12; i++)
        bright += picture.rgb[i] == 255;
    assert_true(bright > 0);
    picture_clear(&picture);
}

// One tetrahedron, or the same point four times.
static ThawFrameData *tetrahedron(double size) {
    ThawFrameData *frame;
    assert_int_equal(thaw_frame_data_create(4, 4, 1, &frame, NULL), THAW_OK);
    for (int i = 1; i < 4; i++)
        frame->x[3 * i + i - 1] = size;
    for (int i = 0; i < 4; i++)
        frame->cells[i] = i;
    frame->body_count = 1;
    return frame;
}

static void a_fitted_view_shows_everything_from_any_side(void **state) {
    (void)state;
    for (int turn = 0; turn < 24; turn++)
        for (double size = 0; size <= 1000; size = size > 0 ? 1000 * size : 1e-3) {
            ThawFrameData *frame = tetrahedron(size);
            View view = {.colour.field = turn % (thaw_field_count() + 2) - 2};
            ViewBounds bounds = view_bounds_empty();
            Raster raster;
            assert_true(raster_create(90, 60, &raster));
            view_turn(&view, 30.0 * turn, 15.0 * (turn % 13) - 90);
            for (int32_t i = 0; turn >= 12 && i < thaw_field_count();
                 i++) // the others lack all but velocity and region
                assert_int_equal(thaw_frame_data_add(frame, i, NULL), THAW_OK);
            view_bounds_add(&view, frame, &bounds);
            assert_int_equal(colouring_look(&view.colour, frame, NULL, NULL), THAW_OK);
            colouring_settle(&view.colour);
            view_aim(&view, &bounds, 90, 60, 1);
            view_fit(&view, frame);
            view_settle(&view);
            assert_int_equal(view_draw(&view, frame, &raster, NULL), THAW_OK);
            int inside = covered(&raster), border = 0;
            for (int x = 0; x < 90; x++)
                border += raster.nearness[x] > 0 || raster.nearness[59 * 90 + x] > 0;
            for (int y = 0; y < 60; y++)
                border += raster.nearness[90 * y] > 0 || raster.nearness[90 * y + 89] > 0;
            assert_int_equal(border, 0);
            assert_true(size > 0 ? inside > 300 : inside == 0);
            for (int i = 0; i < 3 * 90 * 60; i++)
                assert_true(isfinite(raster.rgb[i]));
            raster_clear(&raster);
            thaw_frame_data_free(&frame);
        }
}

// Spread over the slab of the picture that the camera fills, what is seen lies in the middle; a single point at a
// corner that is far more stressed than the rest does not take the colours.
static void what_is_seen_is_in_the_middle_and_uses_the_colours(void **state) {
    (void)state;
    enum { POINTS = 400 };
    ThawFrameData *frame;
    assert_int_equal(thaw_frame_data_create(4, POINTS, POINTS / 4, &frame, NULL), THAW_OK);
    const int32_t field = thaw_field_find("von_mises");
    assert_int_equal(thaw_frame_data_add(frame, field, NULL), THAW_OK);
    for (int e = 0; e < POINTS / 4; e++) { // tetrahedra along a slanted line, far off the origin
        for (int i = 0; i < 4; i++) {
            double *x = frame->x + 3 * (4 * e + i);
            x[0] = 50 + 0.02 * e + (i == 1 ? 0.1 : 0);
            x[1] = -20 + 0.05 * e + (i == 2 ? 0.1 : 0);
            x[2] = 3 + 0.01 * e + (i == 3 ? 0.1 : 0);
            frame->cells[4 * e + i] = 4 * e + i;
        }
        frame->fields[field][e] = e == 7 ? 1e6 : 50 + 0.5 * e;
    }
    frame->body_count = 1;
    for (int turn = 0; turn < 12; turn++) {
        View view = {.colour.field = field};
        ViewBounds bounds = view_bounds_empty();
        Raster raster;
        assert_true(raster_create(320, 180, &raster));
        view_turn(&view, 30.0 * turn, -12); // from below: no shadow is seen
        view_bounds_add(&view, frame, &bounds);
        assert_int_equal(colouring_look(&view.colour, frame, NULL, NULL), THAW_OK);
        colouring_settle(&view.colour);
        assert_true(view.colour.most == 1e6 && view.colour.high >= 100 && view.colour.high <= 120);
        view_aim(&view, &bounds, 320, 180, 1);
        view.ground = 1e9; // nothing is above it, and throws a shadow
        view_fit(&view, frame);
        view_settle(&view);
        assert_int_equal(view_draw(&view, frame, &raster, NULL), THAW_OK);
        int low[2] = {999, 999}, high[2] = {-1, -1};
        for (int i = 0; i < 320 * 180; i++)
            for (int k = 0; raster.nearness[i] > 0 && k < 2; k++) {
                const int at = k ? i / 320 : i % 320;
                low[k] = at < low[k] ? at : low[k];
                high[k] = at > high[k] ? at : high[k];
            }
        assert_true(abs(low[0] + high[0] - 319) <= 8 && abs(low[1] + high[1] - 179) <= 8);
        assert_true(high[0] - low[0] > 250 ||
                    high[1] - low[1] > 115); // and large, along the line the camera keeps off it
        raster_clear(&raster);
    }
    thaw_frame_data_free(&frame);
}

// A floor of which the frame holds a thin slab: below its surface, and only there, the picture is grey to its edges.
static void a_floor_in_the_plane_fills_the_picture_below_it(void **state) {
    (void)state;
    enum { WIDE = 120, HIGH = 80 };
    for (int turn = 0; turn < 4; turn++) { // level, upright, a ceiling, and so far below that it is not seen
        ThawFrameData *frame, *floor;
        assert_int_equal(thaw_frame_data_create(3, 3, 1, &frame, NULL), THAW_OK);
        assert_int_equal(thaw_frame_data_create(3, 4, 2, &floor, NULL), THAW_OK);
        frame->body_count = floor->body_count = 1;
        frame->x[3] = frame->x[7] = 1;
        const double c = cos(M_PI / 2 * turn), s = turn < 3 ? sin(M_PI / 2 * turn) : 0;
        for (int i = 0; i < 4; i++) {
            const double x = i == 1 || i == 2 ? 0.6 : 0.4, y = turn == 3 ? -1e9 : i < 2 ? -0.01 : 0;
            floor->x[3 * i] = turn < 3 ? c * x - s * y : x;
            floor->x[3 * i + 1] = turn < 3 ? s * x + c * y : y;
        }
        memcpy(frame->cells, (int32_t[]){0, 1, 2}, 3 * sizeof(int32_t));
        memcpy(floor->cells, (int32_t[]){0, 1, 2, 0, 2, 3}, 6 * sizeof(int32_t));
        floor->region[0] = floor->region[1] = THAW_OBSTACLE_HALF_SPACE;
        View view = {.colour.field = COLOUR_BODY, .flat = 1, .obstacles = floor};
        ViewBounds bounds = view_bounds_empty();
        Raster raster;
        assert_true(raster_create(WIDE, HIGH, &raster));
        view_turn(&view, 0, 0);
        view_bounds_add(&view, frame, &bounds);
        view_aim(&view, &bounds, WIDE, HIGH, 1);
        assert_int_equal(view_draw(&view, frame, &raster, NULL), THAW_OK);
        for (int i = 0; i < WIDE * HIGH; i++) {
            const double x = view.centre[0] + (i % WIDE + 0.5 - view.middle) / view.focal;
            const double y = view.centre[1] + (0.5 * HIGH - i / WIDE - 0.5) / view.focal;
            const double above[4] = {y, -x, -y, 1};
            const int of_the_body = x > -0.02 && y > -0.02 && x + y < 1.02;
            if (!of_the_body && fabs(above[turn]) > 0.02)
                assert_int_equal(raster.nearness[i] > 0, above[turn] < 0);
        }
        raster_clear(&raster);
        thaw_frame_data_free(&floor);
        thaw_frame_data_free(&frame);
    }
}

// A tilted half-space, of which the frame holds a slab that reaches behind the camera: it is seen, and what floats
// above it throws a shadow onto it.
static void a_tilted_floor_is_drawn_with_a_shadow(void **state) {
    (void)state;
    enum { WIDE = 240, HIGH = 160 };
    for (int turn = -1; turn <= 1; turn += 2) {
        ThawFrameData *frame, *floor;
        assert_int_equal(thaw_frame_data_create(4, 4, 1, &frame, NULL), THAW_OK);
        assert_int_equal(thaw_frame_data_create(3, 8, 12, &floor, NULL), THAW_OK);
        frame->body_count = floor->body_count = 1;
        const double tetrahedron[] = {-0.3, -0.3, 0.3, 0.3, -0.3, 0.3, 0, 0.3, 0.3, 0, 0, 0.7};
        memcpy(frame->x, tetrahedron, sizeof tetrahedron);
        memcpy(frame->cells, (int32_t[]){0, 1, 2, 3}, 4 * sizeof(int32_t));
        const double c = cos(0.3 * turn), s = sin(0.3 * turn);
        for (int i = 0; i < 8; i++) {
            const double x = i & 1 ? 9 : -9, y = i & 2 ? 9 : -9, z = i & 4 ? 0 : -0.36;
            floor->x[3 * i] = c * x + s * z;
            floor->x[3 * i + 1] = y;
            floor->x[3 * i + 2] = -s * x + c * z;
        }
        static const int32_t boxes[] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                        2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
        memcpy(floor->cells, boxes, sizeof boxes);
        for (int i = 0; i < 12; i++)
            floor->region[i] = THAW_OBSTACLE_HALF_SPACE;
        View view = {.colour.field = COLOUR_BODY, .obstacles = floor};
        ViewBounds bounds = view_bounds_empty();
        Raster raster;
        assert_true(raster_create(WIDE, HIGH, &raster));
        view_turn(&view, 20, 35);
        view_bounds_add(&view, frame, &bounds);
        view_bounds_add_obstacles(&view, floor, &bounds);
        view_aim(&view, &bounds, WIDE, HIGH, 0.5);
        view_fit(&view, frame);
        view_settle(&view);
        assert_int_equal(view_draw(&view, frame, &raster, NULL), THAW_OK);
        double darkest = 1, brightest = 0;
        int covered = 0;
        for (int i = 0; i < WIDE * HIGH; i++) { // grey: the floor; the body has a colour
            const float *rgb = raster.rgb + 3 * i;
            if (!(raster.nearness[i] > 0) || fabsf(rgb[0] - rgb[2]) > 0.2f * rgb[0])
                continue;
            covered++;
            darkest = fmin(darkest, rgb[1]);
            brightest = fmax(brightest, rgb[1]);
        }
        print_message("%d of %d samples, from %.2f to %.2f\n", covered, WIDE * HIGH, darkest, brightest);
        assert_true(covered > WIDE * HIGH / 8);
        assert_true(darkest < 0.8 * brightest && darkest > 0.2 * brightest);
        raster_clear(&raster);
        thaw_frame_data_free(&floor);
        thaw_frame_data_free(&frame);
    }
}

// How much the light jumps across the ridge of a roof whose sides meet at an angle, seen from above.
static double jump_at_ridge(double degrees) {
    ThawFrameData *frame;
    assert_int_equal(thaw_frame_data_create(3, 4, 2, &frame, NULL), THAW_OK);
    const double slope = degrees * M_PI / 360;
    const double x[4][3] = {{-1, 0, -tan(slope)}, {0, -1, 0}, {0, 1, 0}, {1, 0, -tan(slope)}};
    memcpy(frame->x, x, sizeof x);
    memcpy(frame->cells, (int32_t[]){0, 1, 2, 3, 2, 1}, 6 * sizeof(int32_t));
    frame->body_count = 1;
    View view = {.colour.field = COLOUR_NONE};
    ViewBounds bounds = view_bounds_empty();
    Raster raster;
    assert_true(raster_create(300, 300, &raster));
    view_turn(&view, 0, 90);
    view_bounds_add(&view, frame, &bounds);
    view_aim(&view, &bounds, 300, 300, 1);
    view_fit(&view, frame);
    view_settle(&view);
    assert_int_equal(view_draw(&view, frame, &raster, NULL), THAW_OK);
    // The widest step between neighbours in a row through the roof.
    double jump = 0;
    for (int i = 150 * 300; i < 151 * 300 - 1; i++)
        if (raster.nearness[i] > 0 && raster.nearness[i + 1] > 0)
            jump = fmax(jump, fabs(raster.rgb[3 * i] - raster.rgb[3 * i + 3]));
    raster_clear(&raster);
    thaw_frame_data_free(&frame);
    return jump;
}

static void light_is_even_across_a_bend_and_jumps_at_a_crease(void **state) {
    (void)state;
    assert_true(jump_at_ridge(30) < 0.002);
    assert_true(jump_at_ridge(40) < 0.02); // part of the way: no teeth where a coarse mesh bends this much
    assert_true(jump_at_ridge(70) > 0.03 && jump_at_ridge(90) > 0.04);
}

static void the_nearest_word_is_suggested(void **state) {
    (void)state;
    static const char *const words[] = {"run", "render", "compare"};
    assert_string_equal(app_suggest("rendr", words, 3), "render");
    assert_string_equal(app_suggest("rum", words, 3), "run");
    assert_null(app_suggest("xylophone", words, 3));
    assert_null(app_suggest("", words, 3));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_triangle_covers_the_samples_whose_centres_are_inside),
        cmocka_unit_test(two_triangles_cover_a_square_without_a_gap_either_way_round),
        cmocka_unit_test(the_nearer_triangle_wins_in_any_order),
        cmocka_unit_test(triangles_off_the_screen_or_without_area_draw_nothing),
        cmocka_unit_test(light_is_brighter_towards_the_lamp_and_never_negative),
        cmocka_unit_test(colours_survive_the_way_to_srgb_and_back),
        cmocka_unit_test(text_stays_inside_the_picture),
        cmocka_unit_test(a_fitted_view_shows_everything_from_any_side),
        cmocka_unit_test(what_is_seen_is_in_the_middle_and_uses_the_colours),
        cmocka_unit_test(a_floor_in_the_plane_fills_the_picture_below_it),
        cmocka_unit_test(a_tilted_floor_is_drawn_with_a_shadow),
        cmocka_unit_test(light_is_even_across_a_bend_and_jumps_at_a_crease),
        cmocka_unit_test(the_nearest_word_is_suggested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
