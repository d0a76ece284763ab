// SPDX-License-Identifier: Apache-2.0
// `thaw new`: whatever mesh it is given, the scene it writes loads, passes the doctor without errors, and runs.
static const char program[] = THAW_PROGRAM;

#include <math.h>

#include "app/program.h"
#include "doctor/doctor.h"
#include "thaw/thaw.h"

// A ball of the given diameter along y, squeezed along z to two thirds, as OBJ.
static void write_ball(const char *path, double diameter) {
    enum { AROUND = 16, DOWN = 10 };
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    double r = diameter / 2;
    fprintf(file, "v 0 %g 0\n", r);
    for (int j = 1; j < DOWN; j++)
        for (int i = 0; i < AROUND; i++) {
            double t = M_PI * j / DOWN, p = 2 * M_PI * i / AROUND;
            fprintf(file, "v %.9g %.9g %.9g\n", r * sin(t) * cos(p), r * cos(t), r * sin(t) * sin(p) * 2 / 3);
        }
    fprintf(file, "v 0 %g 0\n", -r);
    int last = 2 + (DOWN - 1) * AROUND;
    for (int i = 0; i < AROUND; i++) {
        int next = (i + 1) % AROUND, foot = last - AROUND;
        fprintf(file, "f 1 %d %d\nf %d %d %d\n", 2 + next, 2 + i, last, foot + i, foot + next);
        for (int j = 0; j < DOWN - 2; j++) {
            int a = 2 + j * AROUND + i, b = 2 + j * AROUND + next;
            fprintf(file, "f %d %d %d %d\n", a, b, b + AROUND, a + AROUND);
        }
    }
    assert_int_equal(fclose(file), 0);
}

static ThawScene *load(const char *name) {
    ThawScene *scene = NULL;
    ThawError error = {0};
    if (thaw_scene_load(at(name), &scene, &error))
        fail_msg("%s", error.message);
    return scene;
}

// m, along the axis, as placed.
static void reach(const ThawScene *scene, int axis, double *lo, double *hi) {
    const ThawMesh *mesh = scene->world.shapes[0].mesh;
    *lo = INFINITY, *hi = -INFINITY;
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        double x = mesh->x[mesh->dim * v + axis] + scene->world.bodies[0].position[axis];
        *lo = fmin(*lo, x);
        *hi = fmax(*hi, x);
    }
}

static void a_surface_becomes_a_scene_that_runs(void **state) {
    (void)state;
    write_ball(at("ball.obj"), 70);
    expect("new @ball.obj --material silicone --drop -o @ball.json --elements 800", 0,
           "taken as millimetres by its size");
    assert_non_null(strstr(said, "above a floor"));
    assert_non_null(strstr(said, "ball.json. Next:"));
    assert_null(strstr(said, "warning"));
    ThawScene *scene = load("ball.json");
    assert_int_equal(scene->steps % scene->frame_every, 0); // the last frame is the end
    double lo, hi;
    reach(scene, 2, &lo, &hi);
    assert_true(fabs(hi - lo - 0.07) < 0.002); // upright: the file's y is up
    assert_true(fabs(lo - 0.07) < 0.002 && scene->world.obstacle_count == 1);
    assert_true(scene->world.bodies[0].script_count == 0);
    int32_t elements = scene->world.shapes[0].mesh->element_count;
    assert_true(elements > 400 && elements < 1600);
    assert_true(scene->world.materials[0].young == thaw_material_library_find("silicone")->def.young);
    thaw_scene_free(&scene);
    expect("check @ball.json", 0, "0 errors, 0 warnings, 1 hint"); // silicone of that size creeps more than it swings
    assert_non_null(strstr(said, "[overdamped]"));
    expect("run @ball.json --steps 3 --out @out", 0, "state hash");
}

// The run of a dropped ball: it falls, bounces off the floor, and neither sinks in nor floats in the end.
static void a_dropped_body_falls_bounces_and_comes_to_rest_on_the_floor(void **state) {
    (void)state;
    write_ball(at("ball.obj"), 70);
    expect("new @ball.obj --material soft-silicone --drop -o @ball.json --elements 300 --quiet --force", 0, "");
    ThawScene *scene = load("ball.json");
    ThawWorld *world = NULL;
    ThawError error = {0};
    ThawStepStats stats;
    assert_int_equal(thaw_world_create(&scene->world, &world, &error), THAW_OK);
    const int32_t nv = scene->world.shapes[0].mesh->vertex_count;
    double *x = calloc(3 * (size_t)nv, sizeof *x), lowest = INFINITY, last = 0;
    for (int64_t k = 0; k < scene->steps; k++) {
        assert_int_equal(thaw_world_step(world, &stats, &error), THAW_OK);
        assert_int_equal(thaw_world_get_positions(world, 0, x), THAW_OK);
        last = INFINITY;
        for (int32_t v = 0; v < nv; v++)
            last = fmin(last, x[3 * v + 2]);
        lowest = fmin(lowest, last);
    }
    assert_true(stats.contacts > 0 && lowest > -0.0035); // a twentieth of its size, at the impact
    assert_true(fabs(last) < 0.002);
    free(x);
    thaw_world_free(&world);
    thaw_scene_free(&scene);
}

// What Thaw wrote is in metres, whatever its size; the same for all programs that read it.
static void units_are_guessed_for_surfaces_only_and_once(void **state) {
    (void)state;
    write_ball(at("ball.obj"), 7000);
    expect("mesh @ball.obj -o @ball.msh --elements 300", 0, "taken as millimetres by its size");
    expect("new @ball.msh -o @s.json --force", 0, "taken as metres as meshes are");
    expect("mesh @ball.obj -o @skin.obj --elements 300", 0, "written to");
    expect("new @skin.obj -o @s.json --force --elements 300", 0, "taken as metres as the file says");
    expect("mesh @skin.obj --elements 300", 0, "taken as metres as the file says");
    expect("mesh @skin.obj --elements 300", 0, "nothing was written; name a file with -o");
    expect("new @ball.msh -o @s.json --force --unit cm", 0, "taken as centimetres as told: 0.04");
    expect("mesh @ball.obj --unit in --elements 300", 0, "taken as inches as told");
    expect("mesh @ball.obj --unit foot", 1, "--unit is 'foot'; allowed: mm, cm, m or in");
    expect("new @ball.obj --unit ft", 1, "--unit is 'ft'; allowed: mm, cm, m or in");
    expect("mesh " THAW_SOURCE_DIR "/scenes/shapes/ball.json --unit mm", 1, "a solid (.json) is in metres");
}

// The mesh of the scene is that of the plan: as many elements as were told, and an edge where the box has it.
static void sharp_edges_are_kept(void **state) {
    (void)state;
    write_text(at("box.obj"),
               "v 0 0 0\nv 0.3 0 0\nv 0 0.2 0\nv 0.3 0.2 0\nv 0 0 0.1\nv 0.3 0 0.1\nv 0 0.2 0.1\nv 0.3 0.2 0.1\n"
               "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n");
    expect("new @box.obj -o @s.json --force --up z --size 0.037 --sharpen", 0, "moved onto sharp edges");
    int told = atoi(strstr(said, "  mesh ") + 7);
    ThawScene *scene = load("s.json");
    const ThawMesh *mesh = scene->world.shapes[0].mesh;
    assert_int_equal(mesh->element_count, told);
    int32_t on_edge = 0; // z = 0.1 and y = 0.2
    for (int32_t v = 0; v < mesh->vertex_count; v++)
        on_edge += fabs(mesh->x[3 * v + 1] - 0.2) + fabs(mesh->x[3 * v + 2] - 0.1) < 0.002;
    assert_true(on_edge >= 7); // without it none is nearer than 0.01 m
    thaw_scene_free(&scene);
}

static void open_surfaces_are_warned_of_and_sheets_are_cloth(void **state) {
    (void)state;
    write_text(at("open.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n");
    expect("new @open.obj -o @s.json --force --elements 300", 0, "warning: 3 edges of holes near (0.5, 0.5, 0),");
    write_text(at("sheet.obj"), "v 0 0 0\nv 1 0 0\nv 1 1 0.1\nv 0 1 0\nf 1 2 3 4\n");
    expect("new @sheet.obj -o @cloth.json --force --up z", 0, "sheet     0.497 mm thick"); // cotton, unless told
    assert_non_null(strstr(said, "above a floor"));                                        // it lies
    ThawScene *scene = load("cloth.json");
    assert_int_equal(scene->world.shapes[0].mesh->nodes, 3);
    assert_int_equal(scene->world.shapes[0].mesh->element_count, 2);
    assert_string_equal(scene->world.bodies[0].method, "full");
    thaw_scene_free(&scene);
    expect("check @cloth.json", 0, "scene of 1 body");
    expect("run @cloth.json --out @cloth --steps 5 --quiet", 0, "");
    expect("new @open.obj --cloth silk -o @cloth.json --force", 0, "sheet     0.12 mm thick"); // else it is filled
    expect("new @open.obj --material steel --shell 0.001 -o @cloth.json --force", 0, "sheet     1 mm thick");
    assert_non_null(strstr(said, "it hangs and swings"));
    expect("new @sheet.obj --material steel -o @none.json", 1, "steel is not sold by the sheet");
    expect("new @sheet.obj --cloth silk --size 0.1 -o @none.json", 1, "taken as they are");
    expect("mesh @sheet.obj", 1, "open along 4 edges");
    assert_int_equal(access(at("none.json"), F_OK), -1);
}

static void a_volume_mesh_is_used_as_it_is(void **state) {
    (void)state;
    expect("new " THAW_SOURCE_DIR "/tests/scene/small/hub.msh --hang -o @hub.json", 0, "as in the file");
    assert_non_null(strstr(said, "2 regions"));
    assert_non_null(strstr(said, "at its top"));
    ThawScene *scene = load("hub.json");
    assert_int_equal(scene->world.shapes[0].mesh->element_count, 144);
    assert_int_equal(scene->world.material_count, 1);
    assert_true(scene->world.bodies[0].velocity[2] == 0);
    thaw_scene_free(&scene);
    expect("run @hub.json --steps 3 --out @out", 0, "state hash");
    // In the plane, up is y.
    expect("new " THAW_SOURCE_DIR "/tests/mesh/data/square.mesh --drop -o @flat.json --quiet", 0, "");
    expect("run @flat.json --steps 3 --out @out", 0, "state hash");
    expect("new " THAW_SOURCE_DIR "/tests/mesh/data/square.mesh -o @square.json --quiet", 0, "");
    scene = load("square.json");
    assert_int_equal(scene->world.dim, 2);
    thaw_scene_free(&scene);
    expect("run @square.json --steps 3 --out @out", 0, "state hash");
}

static void units_and_axes_follow_the_options(void **state) {
    (void)state;
    double lo, hi;
    static const struct {
        const char *line;
        int axis;
        double height;
    } cases[] = {
        {"new @ball.obj -o @s.json --force --elements 300 --height 0.5", 2, 0.5},
        {"new @ball.obj -o @s.json --force --elements 300 --scale 0.01", 2, 0.2},
        {"new @ball.obj -o @s.json --force --elements 300 --up z --height 0.2", 2, 0.2},
        {"new @ball.obj -o @s.json --force --elements 300 --up x", 2, 0.2},
        {"new @ball.obj -o @s.json --force --elements 300", 2, 0.2}, // 20 units: centimetres
    };
    write_ball(at("ball.obj"), 20);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect(cases[i].line, 0, "wrote");
        ThawScene *scene = load("s.json");
        reach(scene, cases[i].axis, &lo, &hi);
        if (!(fabs(lo) < 1e-6 && fabs(hi - cases[i].height) < 0.06 * cases[i].height))
            fail_msg("%s: from %g to %g", cases[i].line, lo, hi);
        assert_true(scene->world.bodies[0].script_count == 1);
        thaw_scene_free(&scene);
    }
    write_ball(at("ball.obj"), 0.3);
    expect("new @ball.obj -o @s.json --force --elements 300", 0, "taken as metres");
    expect("new @ball.obj -o @s.json --force --size 0.05", 0, "edges of 0.05 m");
}

static void the_scene_finds_its_mesh_wherever_it_stands(void **state) {
    (void)state;
    static const char *const lines[] = {
        "new ball.obj -o s.json",
        "new ball.obj -o sub/s.json",
        "new ./ball.obj -o ./sub/s.json",
        "new sub/ball.obj -o sub/deep/s.json",
        "new sub/ball.obj -o s.json",
        "new ball.obj -o sub/../s.json",
        "new @ball.obj -o sub/deep/s.json",
        "new sub/ball.obj -o sub/s.json",
        "new ./sub/ball.obj -o sub//s.json",
        "new @sub/ball.obj -o @sub/s.json",
        "new sub/ball.obj -o sub2/s.json",
    };
    static const char *const named[] = {
        "ball.obj",  "../ball.obj", "../ball.obj", "../ball.obj", "sub/ball.obj",    "/ball.obj",
        "/ball.obj", "ball.obj",    "ball.obj",    "ball.obj",    "../sub/ball.obj",
    };
    char before[1000], line[200];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(mkdir("sub", 0700) || mkdir("sub/deep", 0700), 0);
    write_ball("ball.obj", 0.1);
    write_ball("sub/ball.obj", 0.1);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        snprintf(line, sizeof line, "%s --force --elements 200", lines[i]);
        expect(line, 0, "wrote"); // it has been loaded for the doctor
        char path[100], want[100];
        snprintf(path, sizeof path, "%s", strstr(lines[i], "-o ") + 3);
        snprintf(want, sizeof want, named[i][0] == '/' ? "%s\"" : "\"surface\": \"%s\"", named[i]);
        size_t size;
        char *text = slurp(path[0] == '@' ? at(path + 1) : path, &size);
        if (!text || !strstr(text, want))
            fail_msg("%s: no %s in %s", lines[i], want, text);
        free(text);
    }
    assert_int_equal(chdir(before), 0);
}

static void every_material_makes_a_scene_without_errors(void **state) {
    (void)state;
    write_ball(at("ball.obj"), 0.1);
    for (int i = 0; i < thaw_material_library_count(); i++) {
        char line[200];
        snprintf(line, sizeof line, "new @ball.obj -o @s.json --force --elements 200 --drop --material %s",
                 thaw_material_library_get(i)->def.name);
        expect(line, 0, thaw_material_library_get(i)->def.name);
        expect("check @s.json", 0, "scene of 1 body");
        // Its own scenes need no cure; of stiff things it is said that they move like rigid bodies, or swing or
        // bounce little.
        const int blind = strstr(said, "[step-blind]") != NULL, damps = strstr(said, "[step-damps]") != NULL,
                  overdamped = strstr(said, "[overdamped]") != NULL, bounces = strstr(said, "[bounce-lost]") != NULL;
        char sum[60];
        const int hints = blind + damps + overdamped + bounces;
        snprintf(sum, sizeof sum, "0 errors, 0 warnings, %d hint", hints);
        assert_non_null(strstr(said, hints ? sum : "nothing to complain about"));
        // Blind only where 20 steps a period are more than 20000, or shorter than 20 microseconds.
        double period = 0;
        assert_int_equal(sscanf(strstr(said, "first mode "), "first mode %lf", &period), 1);
        ThawScene *scene = load("s.json");
        const double seconds = (double)scene->steps * scene->world.h;
        assert_int_equal(scene->steps % scene->frame_every, 0);
        assert_true(blind ? seconds > 20000 * period / 50 || period < 50 * 2e-5 : scene->world.h <= period / 19);
        thaw_scene_free(&scene);
        if (i % 5 == 0)
            expect("run @s.json --steps 2 --out @out", 0, "state hash");
    }
    expect("check @s.json", 0, "scene of 1 body");
    expect("new --list", 0, "natural-rubber");
}

// A small thing swings fast, and gets the steps to show it; where that would be too many, or the unit looks wrong, it
// is said.
static void steps_show_the_first_mode_or_it_is_said(void **state) {
    (void)state;
    write_ball(at("ball.obj"), 10);
    expect("new @ball.obj -o @s.json --force --elements 200 --drop --unit mm", 0, "slowed down");
    assert_non_null(strstr(said, "--fps 30"));
    assert_null(strstr(said, "its slowest vibration")); // [step-blind], as it is for steel below
    ThawScene *scene = load("s.json");
    assert_true(scene->steps <= 20000 && scene->steps % scene->frame_every == 0);
    thaw_scene_free(&scene);
    expect("new @ball.obj -o @s.json --force --elements 200 --drop --material steel", 0,
           "hint: shape ball: its slowest");
    // From so high that it is a dot in the picture: that is said, and that a single frame shows it.
    expect("new @ball.obj -o @s.json --force --elements 200 --drop 20 --material steel --unit cm --quiet", 0, "");
    expect("run @s.json --out @dot --quiet", 0, "");
    expect("render @dot -o @dot.png --sheet 4", 0, "pixels high or wide, for all of their way is shown: --frame N");
    expect("render @dot -o @dot.png", 0, "dot.png");
    assert_null(strstr(said, "pixels"));
    write_ball(at("ball.obj"), 100);
    expect("new @ball.obj -o @s.json --force --elements 200 --unit m", 0, "larger than a house");
    assert_non_null(strstr(said, "if the file is in another unit, say so: --unit mm, cm, m or in"));
}

static void nothing_is_overwritten_unasked(void **state) {
    (void)state;
    write_ball(at("ball.obj"), 0.1);
    write_text(at("mine.json"), "my own work\n");
    expect("new @ball.obj -o @mine.json --elements 200", 1, "--force");
    size_t size;
    char *text = slurp(at("mine.json"), &size);
    assert_string_equal(text, "my own work\n");
    free(text);
    expect("new @ball.obj -o @mine.json --elements 200 --force --quiet", 0, "");
    expect("new @ball.obj -o @not/there/yet.json --elements 200 --quiet", 0, "");
    assert_int_equal(access(at("not/there/yet.json"), F_OK), 0);
    assert_string_equal(said, "");
    // Never the input itself, nor a scene of a scene.
    text = slurp(at("mine.json~"), &size);
    assert_string_equal(text, "my own work\n");
    free(text);
    write_text(at("mine.json"), "more of it\n");
    expect("new @ball.obj -o @mine.json --elements 200 --force", 0, "mine.json~2");
    text = slurp(at("mine.json~2"), &size);
    assert_string_equal(text, "more of it\n");
    free(text);
    // Its own scenes, too: somebody may have changed them.
    expect("new @ball.obj -o @mine.json --elements 200 --force", 0, "was there: kept as");
    text = slurp(at("mine.json~3"), &size);
    assert_non_null(strstr(text, "Written by `thaw new`"));
    free(text);
    expect("new @mine.json --force", 1, "mine.json is a scene, ready for `thaw run`");
    assert_int_equal(symlink("ball.obj", at("link.json")), 0);
    expect("new @ball.obj -o @link.json --force", 1, "would be overwritten");
    expect("new @ball.obj -o @mine.json --force --elements 200", 0, "wrote");
}

// Two boxes of 60 mm, so far apart along x, in mm, as objects of an OBJ file.
static void write_boxes(const char *path, double apart) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int b = 0; b < 2; b++) {
        fprintf(file, "o %s\n", b ? "right" : "left");
        for (int v = 0; v < 8; v++)
            fprintf(file, "v %g %d %d\n", 60 * (v & 1) + b * (60 + apart), 60 * ((v >> 1) & 1), 60 * (v >> 2));
        for (int f = 0; f < 6; f++) {
            static const int quad[6][4] = {{1, 3, 4, 2}, {5, 6, 8, 7}, {1, 2, 6, 5},
                                           {3, 7, 8, 4}, {1, 5, 7, 3}, {2, 4, 8, 6}};
            fprintf(file, "f %d %d %d %d\n", 8 * b + quad[f][0], 8 * b + quad[f][1], 8 * b + quad[f][2],
                    8 * b + quad[f][3]);
        }
    }
    assert_int_equal(fclose(file), 0);
}

static void pieces_of_a_file_are_told_and_become_bodies_of_their_own(void **state) {
    (void)state;
    write_boxes(at("boxes.obj"), 50);
    expect("new @boxes.obj --drop -o @boxes.json --force --elements 600", 0, "does not collide with itself");
    assert_non_null(strstr(said, "pass through each other"));
    assert_non_null(strstr(said, "--split"));
    expect("check @boxes.json", 0, "does not collide with itself");
    expect("new @boxes.obj --drop 0.3 --split -o @boxes.json --force --elements 600", 0, "2 bodies: left (");
    assert_null(strstr(said, "warning"));
    ThawScene *scene = load("boxes.json");
    assert_int_equal(scene->world.body_count, 2);
    assert_string_equal(scene->world.bodies[1].name, "right");
    double lo, hi;
    reach(scene, 2, &lo, &hi);
    assert_true(fabs(lo - 0.3) < 1e-3 && fabs(hi - 0.36) < 1e-3);
    reach(scene, 0, &lo, &hi);
    assert_true(fabs(lo + 0.085) < 1e-3 && fabs(hi + 0.025) < 1e-3); // where the file has it, both about the middle
    thaw_scene_free(&scene);
    expect("run @boxes.json --steps 3 --out @out", 0, "state hash");
    expect("mesh @boxes.obj -o @boxes.msh --elements 600", 0, "`thaw new --split`");
    expect("new @boxes.msh --split -o @boxes.json --force", 0, "2 bodies: boxes-1 (");
    expect("check @boxes.json", 0, "scene of 2 bodies");
    // So near that the mesh joins them.
    write_boxes(at("boxes.obj"), 1);
    expect("new @boxes.obj -o @boxes.json --force --elements 600", 0, "faces join objects that are apart");
    expect("mesh @boxes.obj --elements 600", 0, "faces join objects that are apart");
    expect("new @boxes.obj -o @boxes.json --force --elements 600 --split", 0, "right");
    assert_null(strstr(said, "warning"));
}

// A flat spring swings far slower than a block of its size would: its run shall show that, not the block's swings.
static void a_folded_strip_is_given_the_time_that_it_swings_in(void **state) {
    (void)state;
    char text[2000] = "{\"union\": [";
    for (int i = 0; i < 6; i++)
        snprintf(
            text + strlen(text), sizeof text - strlen(text),
            "%s{\"box\": {\"min\": [0, %g], \"max\": [0.1, %g]}}, {\"box\": {\"min\": [%g, %g], \"max\": [%g, %g]}}",
            i ? ", " : "", 0.02 * i, 0.02 * i + 0.006, i % 2 ? 0 : 0.094, 0.02 * i, i % 2 ? 0.006 : 0.1,
            0.02 * i + (i < 5 ? 0.026 : 0.006));
    strcat(text, "]}\n");
    write_text(at("fold.json"), text);
    expect("new @fold.json --hang -o @fold-scene.json --elements 600", 0, "its first mode swings in about ");
    const double told = atof(strstr(said, "swings in about ") + strlen("swings in about "));
    ThawScene *scene = load("fold-scene.json");
    ThawDoctorReport *report = NULL;
    assert_int_equal(thaw_doctor_file(at("fold-scene.json"), &report, NULL), THAW_OK);
    const double period = report->patients[0].period, size[3] = {0.1, 0.106, 0};
    assert_true(report->patients[0].measured && fabs(told - period) < 0.05 * period);
    assert_true(period > 5 * thaw_period_estimate(&scene->world.materials[0], 2, size, 1));
    assert_true((double)scene->steps * scene->world.h > 2.9 * period);
    thaw_doctor_report_free(&report);
    thaw_scene_free(&scene);
}

static void a_solid_becomes_a_scene(void **state) {
    (void)state;
    write_text(at("peg.json"), "{\"cylinder\": {\"from\": [0, 0, 0], \"to\": [0, 0, 0.1], \"radius\": 0.03}}\n");
    expect("new @peg.json --drop -o @peg-scene.json --elements 500 --sharpen", 0, "taken as metres as solids are");
    expect("run @peg-scene.json --steps 3 --out @out", 0, "state hash");
    write_text(at("disc.json"), "{\"sphere\": {\"radius\": 0.1}}\n");
    expect("new @disc.json --dimension 2 --drop -o @disc-scene.json --elements 200", 0, "triangles with edges of");
    expect("run @disc-scene.json --steps 3 --out @flat", 0, "state hash");
    assert_null(strstr(said, " x 0 in the file"));
    expect("new @hub.msh --dimension 2", 1, "allowed: a solid (.json), a drawing (.svg, .poly) or a flat surface");
    // One whose vectors have two numbers is flat, and needs not be told so.
    write_text(at("bar.json"), "{\"box\": {\"min\": [0, 0], \"max\": [0.3, 0.1]}, \"region\": \"bar\"}\n");
    expect("check @bar.json", 0, "bar.json: 0.3 x 0.1 m");
    assert_non_null(strstr(said, "a scene of it, in the plane"));
    assert_non_null(strstr(said, "regions: bar"));
    expect("new @bar.json --drop -o @bar-scene.json --elements 200", 0, "0.3 x 0.1 in the file, taken as metres");
    expect("mesh @bar.json --elements 200", 0, "triangles of about");
    expect("check @peg.json", 0, "tetrahedra that fill it");
    static const char *const commands[] = {"run", "compare"};
    for (int i = 0; i < 2; i++) {
        char line[80];
        snprintf(line, sizeof line, "%s @peg.json", commands[i]);
        expect(line, 1, "this is a solid, no scene; make a scene of it by `thaw new");
    }
    write_ball(at("ball.obj"), 0.1);
    expect("run @ball.obj", 1, "this is a surface, no scene; make a scene first: thaw new");
}

// From a drawing to frames: its unit, its pieces, and what is flat.
static void a_drawing_becomes_a_scene_in_the_plane(void **state) {
    (void)state;
    write_text(at("ring.svg"),
               "<svg width='200mm' height='100mm' viewBox='0 0 200 100'><path fill-rule='evenodd' d='"
               "M10 50a40 40 0 1 1 80 0a40 40 0 1 1 -80 0z M30 50a20 20 0 1 1 40 0a20 20 0 1 1 -40 0z'/>"
               "<rect x='120' y='40' width='60' height='20'/></svg>");
    expect("check @ring.svg", 0, "0.17 x 0.08 m");
    assert_non_null(strstr(said, "(triangles that fill it)"));
    write_text(at("pixels.svg"), "<svg viewBox='0 0 96 96'><rect width='96' height='48'/></svg>");
    expect("new @pixels.svg -o @pixels.json --elements 200", 0, "0.0254 x 0.0127 m if a pixel is 1/96 inch");
    expect("run @pixels.svg", 1, "this is a drawing, no scene; make a scene first: thaw new");
    expect("new @ring.svg --drop -o @ring.json --elements 1000", 0, "0.17 x 0.08 m by the width that the file says");
    expect("new @ring.svg --drop -o @ring.json --elements 1000 --split --force", 0, "split     2 bodies: ring-1");
    expect("run @ring.json --steps 3 --out @ring-out", 0, "state hash");
    expect("mesh @ring.svg -o @ring.msh --elements 1000", 0, "2 pieces that do not hang together");
    expect("mesh @ring.svg --dimension 3", 1, "is a drawing, which is flat");
    expect("mesh @ring.svg --unit mm", 1, "a drawing (.svg) has its own");
    write_text(at("thick.json"), "{\"drawing\": {\"file\": \"ring.svg\", \"min\": 0, \"max\": 0.02}}");
    expect("mesh @thick.json --size 0.005", 0, "tetrahedra of about");
    ThawScene *scene = load("ring.json");
    assert_int_equal(scene->world.body_count, 2);
    // pi (0.04^2 - 0.02^2) m^2, and 0.06 x 0.02 m^2
    const double areas[2] = {3.7699e-3, 1.2e-3};
    for (int s = 0; s < 2; s++) {
        const ThawMesh *mesh = scene->world.shapes[s].mesh;
        double area = 0;
        for (int32_t e = 0; e < mesh->element_count; e++) {
            const double *a = mesh->x + 2 * mesh->elements[3 * e], *b = mesh->x + 2 * mesh->elements[3 * e + 1],
                         *c = mesh->x + 2 * mesh->elements[3 * e + 2];
            area += ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2;
        }
        assert_true(fabs(area / areas[s] - 1) < 0.02);
    }
    thaw_scene_free(&scene);
    write_text(at("sheet.obj"), "v 0 0 0\nv 300 0 0\nv 300 0 -200\nv 0 0 -200\nf 1 2 3\nf 1 3 4\n");
    expect("check @sheet.obj", 0, "it is flat: `thaw new FILE --dimension 2`");
    expect("new @sheet.obj --dimension 2 -o @sheet.json --elements 200", 0,
           "300 x 200 in the file, taken as millimetres");
    expect("mesh @sheet.obj --dimension 2 --unit cm --elements 200", 0, "area 5.9");
    write_text(at("l.poly"),
               "6 2 0 0\n1 0 0\n2 2 0\n3 2 1\n4 1 1\n5 1 3\n6 0 3\n6 0\n1 1 2\n2 2 3\n3 3 4\n4 4 5\n5 5 6\n"
               "6 6 1\n0\n");
    expect("new @l.poly -o @l.json --elements 200", 0, "2 x 3 in the file, taken as metres by its size");
}

static void wrong_input_is_refused_and_leaves_no_file(void **state) {
    (void)state;
    write_ball(at("ball.obj"), 0.1);
    write_text(at("empty.obj"), "# nothing\n");
    expect("new", 1, "name your file");
    expect("new @none.obj -o @x.json", 1, "none.obj");
    expect("new @empty.obj -o @x.json", 1, "empty.obj");
    write_text(at("flat.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    expect("new @flat.obj -o @x.json --material steel", 1, "flat.obj");
    expect("new @ball.xyz -o @x.json", 1, "ball.xyz");
    expect("new @ball.obj -o @x.json --material silicon", 1, "did you mean silicone?");
    expect("new @ball.obj -o @x.json --material rubber", 1, "did you mean natural-rubber?");
    expect("new @nobody -o @x.json", 1, "nobody is not there; allowed: a surface");
    expect("new @nobody.stl -o @x.json", 1, "nobody.stl is not there");
    expect("new @. -o @x.json", 1, "is a folder");
    expect("new @ball.obj -o @x.json --material gummy", 1, "allowed: natural-rubber, ");
    expect("new @ball.obj -o @x.json --size -1", 1, "greater than 0");
    expect("new @ball.obj -o @x.json --drop -1", 1, "--drop is '-1'; allowed: a number greater than 0");
    expect("new @ball.obj -o @x.json --drop=high", 1, "--drop is 'high'");
    expect("new @ball.obj -o @x.json --drop abc", 1, "--drop is 'abc'; allowed: metres above the floor");
    expect("new --drop abc @ball.obj -o @x.json", 1, "--drop is 'abc'; allowed: metres above the floor");
    expect("new --drop @ball.obj @ball.obj -o @x.json", 1, "one file at a time");
    expect("new @ball.obj -o @x.json --drop-height 1", 1, "did you mean --drop?");
    expect("new @ball.obj -o @x.json --height tall", 1, "'tall'");
    expect("new @ball.obj -o @x.json --scale 1 --height 1", 1, "exclude each other");
    expect("new @ball.obj -o @x.json --scale 1 --unit mm", 1, "exclude each other");
    expect("new @ball.obj -o @x.json --up w", 1, "x, y or z");
    expect("new @ball.obj -o @x.json --elements 0", 1, "--elements");
    expect("new @ball.obj -o @x.txt", 1, ".json");
    expect("new @ball.obj other.obj -o @x.json", 1, "other.obj");
    expect("new @ball.obj -o @ball.obj/x.json --elements 200", 1, "cannot make the folder");
    assert_int_equal(access(at("x.json"), F_OK), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_surface_becomes_a_scene_that_runs),
        cmocka_unit_test(a_dropped_body_falls_bounces_and_comes_to_rest_on_the_floor),
        cmocka_unit_test(units_are_guessed_for_surfaces_only_and_once),
        cmocka_unit_test(a_folded_strip_is_given_the_time_that_it_swings_in),
        cmocka_unit_test(sharp_edges_are_kept),
        cmocka_unit_test(open_surfaces_are_warned_of_and_sheets_are_cloth),
        cmocka_unit_test(a_volume_mesh_is_used_as_it_is),
        cmocka_unit_test(units_and_axes_follow_the_options),
        cmocka_unit_test(the_scene_finds_its_mesh_wherever_it_stands),
        cmocka_unit_test(every_material_makes_a_scene_without_errors),
        cmocka_unit_test(pieces_of_a_file_are_told_and_become_bodies_of_their_own),
        cmocka_unit_test(a_solid_becomes_a_scene),
        cmocka_unit_test(a_drawing_becomes_a_scene_in_the_plane),
        cmocka_unit_test(steps_show_the_first_mode_or_it_is_said),
        cmocka_unit_test(nothing_is_overwritten_unasked),
        cmocka_unit_test(wrong_input_is_refused_and_leaves_no_file),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
