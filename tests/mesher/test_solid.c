// SPDX-License-Identifier: Apache-2.0
// Solids: distances against what is known, the property the mesher relies on, bounds, regions, and messages.
#include "mesher/shapes.h"

typedef struct Known {
    const char *text;
    double x[3], distance; // exact
} Known;

static void distances_are_those_known(void **state) {
    (void)state;
    static const Known known[] = {
        {"{'sphere':{'radius':2,'centre':[1,0,0]}}", {4, 0, 0}, 1},
        {"{'box':{'min':[0,0,0],'max':[1,1,1]}}", {4, 5, 0.5}, 5},
        {"{'box':{'min':[0,0,0],'max':[2,2,2]}}", {1, 1, 0.5}, -0.5},
        {"{'box':{'min':[0,0,0],'max':[2,2,2],'radius':0.5}}", {2, 2, 1}, M_SQRT1_2 - 0.5},
        {"{'capsule':{'from':[0,0,0],'to':[0,0,2],'radius':0.5}}", {2, 0, 1}, 1.5},
        {"{'capsule':{'from':[0,0,0],'to':[0,0,2],'radius':0.5,'end_radius':0.25}}", {0, 0, 3}, 0.75},
        {"{'capsule':{'from':[0,0,0],'to':[0,0,1],'radius':2,'end_radius':0.5}}", {0, 0, 3}, 1}, // one ball holds both
        {"{'cylinder':{'from':[0,0,0],'to':[0,2,0],'radius':1}}", {4, -4, 0}, 5},
        {"{'cylinder':{'from':[0,0,0],'to':[2,0,0],'radius':1}}", {1, 0.25, 0}, -0.75},
        {"{'cone':{'from':[0,0,0],'to':[0,0,1],'radius':1}}", {0, 0, 3}, 2},
        {"{'cone':{'from':[0,0,0],'to':[0,0,1],'radius':1}}", {1, 0, 1}, M_SQRT1_2},
        {"{'cone':{'from':[0,0,0],'to':[0,0,1],'radius':1,'end_radius':0.5}}", {0.5, 0, 2}, 1},
        {"{'torus':{'radius':2,'tube':0.5}}", {2, 0, 2}, 1.5},
        {"{'torus':{'radius':2,'tube':0.5,'axis':[1,0,0],'centre':[0,0,1]}}", {0, 0, 3}, -0.5},
        {"{'revolution':{'profile':[[1,0],[1,2]]}}", {0, 3, 1}, 2},
        {"{'revolution':{'profile':[[1,0],[2,0],[2,1],[1,1],[1,0]]}}", {0, 0, 0.5}, 1}, // a ring has a hole
        {"{'prism':{'points':[[0,0],[2,0],[2,2],[0,2]],'min':0,'max':1}}", {1, 1, 4}, 3},
        {"{'prism':{'points':[[0,0],[2,0],[2,2],[0,2]],'min':0,'max':9}}", {5, 6, 1}, 5},
        {"{'tube':{'points':[[0,0,0],[1,0,0],[1,1,0]],'radii':[0.1,0.1,0.1]}}", {2, 0.5, 0}, 0.9},
        {"{'half_space':{'point':[0,0,1],'normal':[0,0,2]}}", {5, 5, 3}, 2},
        {"{'union':[{'sphere':{'radius':1}},{'sphere':{'radius':1,'centre':[5,0,0]}}]}", {3, 0, 0}, 1},
        {"{'intersection':[{'sphere':{'radius':1}},{'half_space':{'point':[0,0,0],'normal':[0,0,1]}}]}",
         {0, 0, -0.5},
         -0.5},
        {"{'difference':[{'sphere':{'radius':2}},{'sphere':{'radius':1}}]}", {0, 0, 0.5}, 0.5},
        {"{'shell':{'of':{'sphere':{'radius':2}},'thickness':0.5}}", {0, 0, 1}, 0.5},
        {"{'offset':{'of':{'box':{'min':[0,0,0],'max':[1,1,1]}},'distance':0.5}}", {4, 5, 0.5}, 4.5},
        {"{'repeat':{'of':{'sphere':{'radius':0.5}},'count':[3,2,1],'step':[2,3,0]}}", {4, 3, 2}, 1.5},
        {"{'circle':{'of':{'sphere':{'radius':0.5,'centre':[2,0,0]}},'count':4}}", {0, -4, 0}, 1.5},
        {"{'mirror':{'of':{'sphere':{'radius':0.5,'centre':[2,0,0]}},'normal':[1,0,0]}}", {-4, 0, 0}, 1.5},
        {"{'sphere':{'radius':1},'scale':3,'rotate':{'axis':[0,0,1],'degrees':90},'translate':[0,1,0]}", {0, 6, 0}, 2},
        {"{'box':{'min':[0,0,0],'max':[1,2,3]},'rotate':{'axis':[0,0,1],'degrees':90}}", {-5, 0.5, 1}, 3},
        {"{'box':{'min':[0,0,0],'max':[1,1,1]},'scale':-1}", {-3, -0.5, -0.5}, 2},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ThawSolid *solid = solid_of(known[i].text, 3);
        const double d = thaw_solid_distance(solid, known[i].x);
        if (!(fabs(d - known[i].distance) < 1e-12))
            fail_msg("%s: %.15g instead of %.15g", known[i].text, d, known[i].distance);
        thaw_solid_free(&solid);
    }
}

// f may not be larger than the distance to any point of the other sign.
static void check_bound(const ThawSolid *solid, int seed) {
    Random r = random_of(seed);
    double lo[3], hi[3], x[400][3], f[400];
    int inside = 0;
    thaw_solid_bounds(solid, lo, hi);
    for (int i = 0; i < 400; i++) {
        for (int k = 0; k < 3; k++)
            x[i][k] = random_between(&r, lo[k] - 0.2, hi[k] + 0.2);
        f[i] = thaw_solid_distance(solid, x[i]);
        inside += f[i] < 0;
        for (int k = 0; k < 3; k++)
            assert_true(f[i] >= 0 || (x[i][k] >= lo[k] && x[i][k] <= hi[k]));
    }
    assert_true(inside > 3);
    for (int i = 0; i < 400; i++)
        for (int j = 0; j < i; j++)
            if ((f[i] < 0) != (f[j] < 0)) {
                const double apart = hypot(hypot(x[i][0] - x[j][0], x[i][1] - x[j][1]), x[i][2] - x[j][2]);
                assert_true(fabs(f[i]) <= apart + 1e-12 && fabs(f[j]) <= apart + 1e-12);
            }
}

static void no_point_nearer_than_the_distance_is_on_the_other_side(void **state) {
    (void)state;
    static const char *const texts[] = {
        "{'twist':{'of':{'box':{'min':[-0.5,-0.3,-1],'max':[0.5,0.3,1]}},'degrees_per_metre':120}}",
        "{'ellipsoid':{'radii':[1,0.2,0.5]},'rotate':{'axis':[1,2,3],'degrees':50}}",
        "{'box':{'min':[0,0,0],'max':[1,1,1]},'scale':[1,0.3,2]}",
        "{'revolution':{'profile':[[0.2,0],[1,0.5],[0.3,1],[0.5,2]]}}",
        "{'cone':{'from':[0,0,0],'to':[1,1,1],'radius':0.8,'end_radius':0.2}}",
        "{'shell':{'of':{'smooth_union':{'radius':0.5,'of':[{'sphere':{'radius':1}},"
        "{'sphere':{'radius':0.6,'centre':[1,0,0]}}]}},'thickness':0.3}}",
        "{'difference':[{'offset':{'of':{'torus':{'radius':1,'tube':0.2}},'distance':0.2}},"
        "{'circle':{'of':{'sphere':{'radius':0.3,'centre':[1,0,0]}},'count':6}}]}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ThawSolid *solid = solid_of(texts[i], 3);
        check_bound(solid, (int)i + 1);
        thaw_solid_free(&solid);
    }
    for (int seed = 1; seed < 20; seed++) {
        ThawSolid *solid = random_solid(seed, 3);
        check_bound(solid, seed);
        thaw_solid_free(&solid);
    }
}

static void regions_are_found_by_name_and_place(void **state) {
    (void)state;
    ThawSolid *solid =
        solid_of("{'union':[{'sphere':{'radius':2}},"
                 "{'repeat':{'of':{'sphere':{'radius':0.4},'region':'seed'},'count':[2,1,1],'step':[1,0,0]},"
                 "'translate':[-0.5,0,0]},"
                 "{'difference':[{'box':{'min':[0,0,1],'max':[1,1,9]}},{'sphere':{'radius':1}}],"
                 "'region':'horn'}]}",
                 3);
    assert_int_equal(thaw_solid_region_count(solid), 3);
    assert_string_equal(thaw_solid_region_name(solid, 0), "default");
    assert_string_equal(thaw_solid_region_name(solid, 1), "seed");
    assert_null(thaw_solid_region_name(solid, 3));
    assert_int_equal(thaw_solid_region(solid, (double[3]){0.5, 0, 0}), 1);
    assert_int_equal(thaw_solid_region(solid, (double[3]){-0.5, 0, 0}), 1);
    assert_int_equal(thaw_solid_region(solid, (double[3]){0, 1, 0}), 0);
    assert_int_equal(thaw_solid_region(solid, (double[3]){0.5, 0.5, 5}), 2);
    assert_int_equal(thaw_solid_dimension(solid), 3);
    thaw_solid_free(&solid);
}

static void flat_solids_have_two_coordinates(void **state) {
    (void)state;
    static const Known known[] = {
        {"{'sphere':{'radius':1,'centre':[1,0]}}", {3, 0, 99}, 1},
        {"{'box':{'min':[0,0],'max':[1,1],'radius':0.25}}", {3, 0.5, 0}, 2},
        {"{'capsule':{'from':[0,0],'to':[2,0],'radius':0.5}}", {1, 2, 0}, 1.5},
        {"{'cylinder':{'from':[0,0],'to':[2,0],'radius':0.5}}", {5, 4.5, 0}, 5},
        {"{'torus':{'radius':2,'tube':0.5}}", {0, 0, 0}, 1.5},
        {"{'prism':{'points':[[0,0],[2,0],[0,2]]}}", {2, 2, 0}, M_SQRT2},
        {"{'ellipsoid':{'radii':[1,1]},'rotate':{'degrees':30},'scale':2,'translate':[1,1]}", {1, 4, 0}, 1},
        {"{'circle':{'of':{'sphere':{'radius':0.5,'centre':[2,0]}},'count':4}}", {0, -4, 0}, 1.5},
        {"{'repeat':{'of':{'sphere':{'radius':0.5}},'count':[3,2],'step':[2,3]}}", {4, 6, 0}, 2.5},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ThawSolid *solid = solid_of(known[i].text, 2);
        const double d = thaw_solid_distance(solid, known[i].x);
        if (!(fabs(d - known[i].distance) < 1e-12))
            fail_msg("%s: %.15g instead of %.15g", known[i].text, d, known[i].distance);
        thaw_solid_free(&solid);
    }
}

static void wrong_solids_are_refused_with_their_place(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"{}", "s: a key is missing (value {}); allowed: exactly one of sphere, box,"},
        {"{'sphere':{'radius':1},'box':{'min':[0,0,0],'max':[1,1,1]}}", "s: more than one of the keys"},
        {"{'spere':{'radius':1}}", "s: spere: unknown key (value \"spere\")"},
        {"{'spere':{'radius':1}}", "did you mean \"sphere\"?"},
        {"{'sphere':{}}", "s: sphere: the key \"radius\" is missing"},
        {"{'sphere':{'radius':0}}", "s: sphere.radius: out of range (value 0); allowed: a number greater than 0"},
        {"{'sphere':{'radius':1,'centre':[0,0]}}",
         "s: sphere.centre: not a vector (value [0,0]); allowed: an array of 3"},
        {"{'box':{'min':[0,0,0],'max':[1,0,1]}}", "s: box: an empty box"},
        {"{'box':{'min':[0,0,0],'max':[1,1,1],'radius':0.6}}", "s: box.radius: rounder than the box is wide"},
        {"{'capsule':{'from':[1,1,1],'to':[1,1,1],'radius':1}}", "s: capsule.to: both ends at the same place"},
        {"{'torus':{'radius':1,'tube':0.1,'axis':[0,0,0]}}", "s: torus.axis: a vector without a direction"},
        {"{'ellipsoid':{'radii':[1,1,-1]}}", "s: ellipsoid.radii: no ellipsoid"},
        {"{'revolution':{'profile':[[1,0]]}}", "s: revolution.profile: too few items"},
        {"{'revolution':{'profile':[[1,0],[-1,1]]}}", "s: revolution.profile[1][0]: out of range (value -1)"},
        {"{'prism':{'points':[[0,0],[1,0],[1]],'min':0,'max':1}}", "s: prism.points[2]: no point"},
        {"{'prism':{'points':[[0,0],[1,0],[1,1]],'min':1,'max':0}}", "s: prism.max: no height"},
        {"{'tube':{'points':[[0,0,0],[1,0,0]],'radii':[1]}}", "s: tube.radii: 1 radii for 2 points"},
        {"{'tube':{'points':[[0,0,0],[0,0,0]],'radii':[1,1]}}", "s: tube.points[1]: the same point twice"},
        {"{'half_space':{'point':[0,0,0],'normal':[0,0,0]}}", "s: half_space.normal: a vector without a direction"},
        {"{'union':[]}", "s: union: too few items"},
        {"{'union':[{'sphere':{'radius':1}},{'cube':1}]}", "s: union[1].cube: unknown key"},
        {"{'difference':[{'union':[{'sphere':{'radius':'x'}}]}]}",
         "s: difference[0].union[0].sphere.radius: wrong type"},
        {"{'shell':{'of':{'sphere':{'radius':1}},'thickness':0}}", "s: shell.thickness: out of range"},
        {"{'repeat':{'of':{'sphere':{'radius':1}},'count':[2,0,1],'step':[1,1,1]}}",
         "s: repeat.count: no grid of copies"},
        {"{'repeat':{'of':{'sphere':{'radius':1}},'count':[99,99,99],'step':[1,1,1]}}", "at most 10000 copies"},
        {"{'circle':{'of':{'sphere':{'radius':1}},'count':0}}", "s: circle.count: out of range (value 0)"},
        {"{'mirror':{'of':{'sphere':{'radius':1}}}}", "s: mirror: the key \"normal\" is missing"},
        {"{'sphere':{'radius':1},'scale':0}", "s: scale: a scale of zero"},
        {"{'sphere':{'radius':1},'scale':1e-120}", "s: scaled out of the range"},
        {"{'sphere':{'radius':1},'region':''}", "s: region: empty text"},
        {"{'surface':'no-such-file.obj'}", "s: surface: "},
        {"{'sphere':{'radius':1}", "s:1:"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text, "%s", cases[i].text);
        for (char *c = text; *c; c++)
            *c = *c == '\'' ? '"' : *c;
        ThawSolid *solid = NULL;
        ThawError error = {0};
        if (!thaw_solid_parse(text, strlen(text), "s", NULL, 3, &solid, &error))
            fail_msg("%s was taken", text);
        assert_null(solid);
        if (!strstr(error.message, cases[i].says))
            fail_msg("%s:\n'%s' does not say '%s'", text, error.message, cases[i].says);
    }
    ThawSolid *solid = NULL;
    assert_int_equal(thaw_solid_parse(NULL, 0, NULL, NULL, 3, &solid, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_solid_parse("{}", 2, NULL, NULL, 4, &solid, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_solid_parse("{}", 2, NULL, NULL, 3, NULL, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_solid_load(NULL, 3, &solid, NULL), THAW_ERROR_INPUT);
    assert_int_equal(thaw_solid_load("/no/such/file", 3, &solid, NULL), THAW_ERROR_INPUT);
    assert_true(isnan(thaw_solid_distance(NULL, (double[3]){0})));
    assert_int_equal(thaw_solid_region(NULL, (double[3]){0}), 0);
    assert_int_equal(thaw_solid_region_count(NULL), 0);
    assert_int_equal(thaw_solid_dimension(NULL), 0);
    assert_null(thaw_solid_region_name(NULL, 0));
    thaw_solid_bounds(NULL, NULL, NULL);
    assert_int_equal(thaw_solid_from_triangles(NULL, &solid, NULL), THAW_ERROR_INPUT);
    thaw_solid_free(NULL);
    thaw_solid_free(&solid);
}

// Characters changed, dropped, doubled, and pieces swapped: whatever comes out is refused, or a solid that can be
// asked.
static void mutilated_solids_do_no_harm(void **state) {
    (void)state;
    static char text[1 << 14], copy[1 << 14];
    FILE *f = fopen(THAW_SOURCE_DIR "/tests/scene/small/solids.json", "rb");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    const char *begin = strstr(text, "{\n                    \"union\"");
    const char *end = begin ? strstr(begin, ",\n                \"elements\"") : NULL;
    assert_non_null(end);
    const size_t whole = (size_t)(end - begin);
    int taken = 0;
    for (int seed = 1; seed <= 3000; seed++) {
        Random r = random_of(seed);
        size_t length = whole;
        memcpy(copy, begin, whole);
        for (int i = seed % 3; i >= 0; i--) {
            const size_t at = (size_t)random_between(&r, 0, (double)length - 1);
            const int kind = (int)random_between(&r, 0, 4);
            if (kind == 0)
                copy[at] = (char)random_between(&r, 32, 127);
            else if (kind == 1)
                memmove(copy + at, copy + at + 1, --length - at);
            else if (kind == 2)
                copy[at] = "0123456789-.eE"[(int)random_between(&r, 0, 14)];
            else
                length = at + 1;
        }
        ThawSolid *solid = NULL;
        ThawError error = {0};
        if (thaw_solid_parse(copy, length, "s", THAW_SOURCE_DIR "/tests/scene/small", 3, &solid, &error)) {
            assert_true(error.message[0]);
            continue;
        }
        taken++;
        for (int i = 0; i < 20; i++) {
            const double x[3] = {random_between(&r, -2, 2), random_between(&r, -2, 2), random_between(&r, -2, 2)};
            assert_false(isnan(thaw_solid_distance(solid, x)));
            assert_true(thaw_solid_region(solid, x) < thaw_solid_region_count(solid));
        }
        thaw_solid_free(&solid);
    }
    assert_true(taken > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_those_known),
        cmocka_unit_test(no_point_nearer_than_the_distance_is_on_the_other_side),
        cmocka_unit_test(regions_are_found_by_name_and_place),
        cmocka_unit_test(flat_solids_have_two_coordinates),
        cmocka_unit_test(wrong_solids_are_refused_with_their_place),
        cmocka_unit_test(mutilated_solids_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
