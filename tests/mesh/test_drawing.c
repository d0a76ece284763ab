// SPDX-License-Identifier: Apache-2.0
// Drawings: what is inside and how far it is to the outline, against shapes whose answer is known; units, holes,
// refusals.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "mesh/drawing.h"
#include "support/folder.h"

static ThawDrawing *parse(const char *text, const char *ending) {
    ThawDrawing *drawing = NULL;
    ThawError error = {0};
    if (thaw_drawing_parse(text, strlen(text), ending, "d", &drawing, &error))
        fail_msg("%s: %s", text, error.message);
    return drawing;
}

// The distance in millimetres at a place in millimetres, y down as in the file, of elements in a drawing of
// millimetres.
static double at_mm(const char *elements, double x, double y) {
    char text[2000];
    snprintf(text, sizeof text, "<svg width='100mm' height='100mm' viewBox='0 0 100 100'>%s</svg>", elements);
    ThawDrawing *drawing = parse(text, ".svg");
    ThawSolid *solid = NULL;
    assert_int_equal(thaw_solid_create(2, &solid, NULL), THAW_OK);
    solid->root = thaw_solid_add_drawing(solid, drawing, -1, 1);
    assert_true(solid->root >= 0 && drawing->metres);
    const double d = 1e3 * thaw_solid_distance(solid, (double[3]){1e-3 * x, -1e-3 * y, 0});
    thaw_solid_free(&solid);
    thaw_drawing_free(&drawing);
    return d;
}

static void shapes_of_svg_are_where_they_are_drawn(void **state) {
    (void)state;
    const struct {
        const char *elements;
        double x, y, distance, within;
    } cases[] = {
        {"<rect x='10' y='20' width='30' height='10'/>", 25, 25, -5, 1e-9},
        {"<rect x='10' y='20' width='30' height='10'/>", 45, 25, 5, 1e-9},
        {"<rect x='10' y='20' width='30' height='10' rx='5'/>", 10, 20, 5 * M_SQRT2 - 5, 0.01},
        {"<circle cx='50' cy='50' r='20'/>", 50, 50, -20, 0.02},
        {"<circle cx='50' cy='50' r='20'/>", 80, 50, 10, 0.02},
        {"<ellipse cx='50' cy='50' rx='20' ry='10'/>", 50, 65, 5, 0.02},
        {"<polygon points='0,0 10,0 10,10 0,10'/>", 5, 5, -5, 1e-9},
        {"<polyline points='0 0 10 0 10 10 0 10'/>", 5, 5, -5, 1e-9}, // filled, so closed
        {"<path d='M0 0H10V10H0Z'/>", 4, 5, -4, 1e-9},
        {"<path d='m0,0 10,0 0,10-10,0z m2 2h6v6h-6z'/>", 5, 5, -3, 1e-9}, // the same way round: filled
        {"<path fill-rule='evenodd' d='m0,0 10,0 0,10-10,0z m2 2h6v6h-6z'/>", 5, 5, 3, 1e-9}, // a hole
        {"<path style='fill:red;fill-rule:evenodd' d='m0,0 10,0 0,10-10,0z m2 2h6v6h-6z'/>", 5, 5, 3, 1e-9},
        {"<path d='m0,0h10v10h-10z m2 2v6h6v-6z'/>", 5, 5, 3, 1e-9}, // against it: a hole
        {"<g style='fill-rule:evenodd'><path d='M0 0h10v10h-10zM2 2h6v6h-6z'/></g>", 5, 5, 3, 1e-9},
        {"<path d='M30 50A20 20 0 1 1 70 50A20 20 0 1 1 30 50z'/>", 50, 50, -20, 0.02},
        {"<path d='M30 50a20 20 0 1140 0 20 20 0 11-40 0z'/>", 50, 50, -20, 0.02},
        {"<path d='M30 50a1 1 0 0140 0a1 1 0 01-40 0'/>", 50, 50, -20, 0.02}, // radii that are too small grow
        {"<path d='M30 50c0-11.0457 8.9543-20 20-20s20 8.9543 20 20-8.9543 20-20 20-20-8.9543-20-20z'/>", 50, 50, -20,
         0.02},
        {"<path d='M0 0q50 100 100 0z'/>", 50, 50, 0, 0.05}, // the vertex of a parabola
        {"<path d='M0 50q25 50 50 0t50 0V0H0z'/>", 75, 25, 0, 0.05},
        {"<g transform='translate(50,50)'><g transform='rotate(90) scale(2 1)'><rect width='10' height='10'/></g></g>",
         45, 60, -5, 1e-9},
        {"<rect transform='rotate(45 50 50)' x='40' y='40' width='20' height='20'/>", 50, 50 - 10 * M_SQRT2, 0, 1e-9},
        {"<rect transform='matrix(0 1 -1 0 50 0)' width='10' height='10'/>", 45, 5, -5, 1e-9},
        {"<rect transform='skewX(45)' width='10' height='10'/>", 10, 5, -5 / M_SQRT2, 1e-9},
        {"<rect transform='skewY(45)' width='10' height='10'/>", 5, 10, -5 / M_SQRT2, 1e-9},
        {"<circle cx='50' cy='50' r='20'/><path d='M0 50H100' fill='none'/>", 5, 50, 25, 0.02}, // a line is none
        {"<circle cx='50' cy='50' r='20'/><rect width='9' height='9' style='display:none'/>", 5, 5, 43.64, 0.02},
        {"<defs><rect width='50' height='50'/></defs><rect x='90' width='5' height='5'/>", 80, 2, 10, 1e-9},
        {"<!-- <rect/> --><title>a > b</title><rect id='a>b' x='90' width='5' height='5'/>", 80, 2, 10, 1e-9},
        {"<circle cx='50' cy='50' r='20'/><path fill='none' d='M0 0h9v9z M20 0h5v5'/>", 21, 1, 12,
         1e-9}, // not the open one
        {"<circle cx='50' cy='50' r='20'/><path style='stroke:red;\n\tfill:none' d='M0 0h9v9'/>", 5, 5, 43.64, 0.02},
        {"<path d='M0 0L10 10V0L0 10z'/>", 8, 5, -2, 1e-9}, // a bow tie, its halves against each other
        {"<path d='M0 0h10v10h-10z'/><path d='M50 50h9a1e-200 1 0 0 1 0 9h-9z'/>", 5, 5, -5, 1e-9},
        {"<rect width='10' height='10'/><rect x='5' width='10' height='10'/>", 7.5, 5, -2.5, 1e-9}, // both are joined
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double d = at_mm(cases[i].elements, cases[i].x, cases[i].y);
        if (!(fabs(d - cases[i].distance) <= cases[i].within))
            fail_msg("%s: %g at (%g, %g), expected %g", cases[i].elements, d, cases[i].x, cases[i].y,
                     cases[i].distance);
    }
}

static void the_width_says_the_unit(void **state) {
    (void)state;
    const struct {
        const char *head;
        double width; // m, of 10 units
    } cases[] = {{"width='100mm' viewBox='0 0 100 100'", 0.01},
                 {"width='10cm' height='20cm' viewBox='0 0 100 100'", 0.01},
                 {"width='1in' viewBox='0 0 10 10'", 0.0254},
                 {"width='72pt' viewBox='0 0 10 10'", 0.0254},
                 {"width='96' viewBox='5 5 10 10'", 0.0254},
                 {"width='100%' viewBox='0 0 10 10'", 10 * 0.0254 / 96},
                 {"", 10 * 0.0254 / 96}};
    assert_true(fabs(at_mm("<circle cx='1in' cy='72pt' r='48px'/>", 96, 96) + 48) < 0.05); // pixels of 1/96 inch
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300];
        snprintf(text, sizeof text, "<?xml version='1.0'?>\n<svg %s><rect width='10' height='4'/></svg>",
                 cases[i].head);
        ThawDrawing *drawing = parse(text, ".svg");
        assert_true(fabs(drawing->hi[0] - drawing->lo[0] - cases[i].width) < 1e-12);
        thaw_drawing_free(&drawing);
    }
}

static void an_outline_inside_another_is_a_hole(void **state) {
    (void)state;
    ThawDrawing *drawing = parse("8 2 0 0\n0 0 0\n1 4 0\n2 4 4\n3 0 4\n4 1 1\n5 3 1\n6 3 3\n7 1 3\n"
                                 "8 0\n0 0 1\n1 1 2\n2 2 3\n3 3 0\n4 4 5\n5 5 6\n6 6 7\n7 7 4\n0\n",
                                 ".poly");
    ThawSolid *solid = NULL;
    assert_int_equal(thaw_solid_create(2, &solid, NULL), THAW_OK);
    solid->root = thaw_solid_add_drawing(solid, drawing, -1, 1);
    assert_true(thaw_solid_distance(solid, (double[3]){2, 2, 0}) == 1 &&
                thaw_solid_distance(solid, (double[3]){0.5, 2, 0}) == -0.5);
    assert_false(drawing->metres);
    thaw_solid_free(&solid);
    thaw_drawing_free(&drawing);
}

// Two triangles of a square, in each of the three planes; and with its corner up, in space.
static void a_flat_surface_is_its_outline(void **state) {
    (void)state;
    for (int flat = 0; flat < 4; flat++) {
        FILE *file = fopen(at("flat.obj"), "w");
        assert_non_null(file);
        for (int i = 0; i < 4; i++) {
            const double u = i == 1 || i == 2 ? 3 : 0, v = i >= 2 ? 2 : 0;
            fprintf(file, "v %g %g %g\n", flat == 0 ? 7 : u,
                    flat == 1   ? 7
                    : flat == 0 ? u
                                : v,
                    flat == 2   ? 7
                    : flat == 3 ? u
                                : v);
        }
        fputs("f 1 2 3\nf 1 3 4\n", file);
        fclose(file);
        ThawDrawing *drawing = NULL;
        ThawError error = {0};
        const ThawStatus status = thaw_drawing_read(at("flat.obj"), &drawing, &error);
        if (flat == 3) {
            assert_int_equal(status, THAW_ERROR_INPUT);
            assert_non_null(strstr(error.message, "allowed in two dimensions: a flat one"));
            continue;
        }
        assert_int_equal(status, THAW_OK);
        assert_int_equal(drawing->segments, 4);
        assert_true(drawing->hi[0] - drawing->lo[0] == 3 && drawing->hi[1] - drawing->lo[1] == 2);
        assert_true(flat != 1 || drawing->hi[1] == 0); // -z is up
        thaw_drawing_free(&drawing);
    }
}

static void wrong_drawings_are_refused_with_their_place(void **state) {
    (void)state;
    const struct {
        const char *text, *ending, *fragment;
    } cases[] = {
        {"", ".svg", "the file is empty"},
        {"M0 0", ".svg", "does not begin with a tag"},
        {"<html></html>", ".svg", "d:1: a tag comes before <svg>"},
        {"<svg>\n<text>a</text></svg>", ".svg", "d:2: <text> cannot be read; make a path of it"},
        {"<svg><use href='#a'/></svg>", ".svg", "<use> cannot be read"},
        {"<svg><svg/></svg>", ".svg", "<svg> inside <svg>"},
        {"<svg></svg>", ".svg", "encloses nothing"},
        {"<svg><path d='M0 0L1 1'/></svg>", ".svg", "encloses nothing"},
        {"<svg><path d='M0 0L1'/></svg>", ".svg", "where a number should be"},
        {"<svg><path d='L0 0 1 1'/></svg>", ".svg", "where a number should be"},
        {"<svg><path d='0 0 1 1'/></svg>", ".svg", "where a command should be"},
        {"<svg><path d='M0 0h1v1z4'/></svg>", ".svg", "\"4\" where a command should be"},
        {"<svg><path d='M0 0a1 1 0 2 0 1 1z'/></svg>", ".svg", "where a number should be"},
        {"<svg><path d='M0 0h1e30v1z'/></svg>", ".svg", "allowed are places up to 1e+09"},
        {"<svg><rect width='a'/></svg>", ".svg", "width is \"a\"; allowed are numbers"},
        {"<svg><circle r='50%'/></svg>", ".svg", "r is \"50%\"; allowed are numbers, with px"},
        {"<svg><polygon points='0 0 1 0 1 1 5'/></svg>", ".svg", "where a pair of numbers should be"},
        {"<svg><polygon points='0 0 1 0 1 one'/></svg>", ".svg", "points have \"one\""},
        {"<svg><g transform='rotate'><rect width='1' height='1'/></g></svg>", ".svg", "a transform has \"rotate\""},
        {"<svg><g transform='turn(4)'><rect width='1' height='1'/></g></svg>", ".svg", "allowed are matrix, translate"},
        {"x", ".poly", "does not begin with a number"},
        {"3 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n", ".poly", "allowed: an outline of at least 3 points"},
        {"3 2 0 0\n1 0 0\n2 1 0\n3 0 1\n2 0\n1 1 2\n2 2 3\n0\n", ".poly",
         "the outline is open: 1 segment ends at point 1"},
        {"3 2 0 0\n1 0 0\n2 1 0\n3 0 1\n1 0\n1 1 4\n0\n", ".poly", "an end of a segment"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ThawDrawing *drawing = NULL;
        ThawError error = {0};
        const ThawStatus status =
            thaw_drawing_parse(cases[i].text, strlen(cases[i].text), cases[i].ending, "d", &drawing, &error);
        if (status != THAW_ERROR_INPUT || drawing || !strstr(error.message, cases[i].fragment))
            fail_msg("%s: status %d, '%s', expected '%s'", cases[i].text, status, error.message, cases[i].fragment);
    }
}

static void too_many_segments_and_too_deep_groups_are_refused(void **state) {
    (void)state;
    enum { MANY = 60000 };
    char *text = malloc(8 * MANY + 100), *end = text;
    ThawDrawing *drawing = NULL;
    ThawError error = {0};
    assert_non_null(text);
    end += sprintf(end, "<svg><path d='M0 0");
    for (int i = 0; i < MANY; i++)
        end += sprintf(end, i % 2 ? "h1" : "v1");
    sprintf(end, "'/></svg>");
    assert_int_equal(thaw_drawing_parse(text, strlen(text), ".svg", "d", &drawing, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "more than 50000 segments"));
    end = text + sprintf(text, "<svg>");
    for (int i = 0; i < 200; i++)
        end += sprintf(end, "<g>");
    assert_int_equal(thaw_drawing_parse(text, strlen(text), ".svg", "d", &drawing, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "nested deeper"));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_of_svg_are_where_they_are_drawn),
        cmocka_unit_test(the_width_says_the_unit),
        cmocka_unit_test(an_outline_inside_another_is_a_hole),
        cmocka_unit_test(a_flat_surface_is_its_outline),
        cmocka_unit_test(wrong_drawings_are_refused_with_their_place),
        cmocka_unit_test(too_many_segments_and_too_deep_groups_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
