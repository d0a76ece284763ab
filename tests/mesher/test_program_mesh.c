// SPDX-License-Identifier: Apache-2.0
// `thaw mesh` as a user calls it, and solids inside scenes: what they say and how they end.
#include "mesher/shapes.h"

#include <jansson.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/folder.h"
#include "thaw/thaw.h"

static void write_text(const char *name, const char *text) {
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

// The exit status of `thaw mesh ARGUMENTS` in the folder; what it prints goes to `said`.
static int run_mesh(const char *arguments, char said[4000]) {
    char command[1000];
    snprintf(command, sizeof command, "cd %s && " THAW_PROGRAM " mesh %s 2>&1", folder, arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    said[fread(said, 1, 3999, pipe)] = '\0';
    return WEXITSTATUS(pclose(pipe));
}

static int make_files(void **state) {
    assert_int_equal(make_folder(state), 0);
    write_text("ball.json", "// a comment\n{\"sphere\": {\"radius\": 0.5}, \"region\": \"core\"}");
    write_text("disc.json", "{\"sphere\": {\"radius\": 0.5, \"centre\": [1, 1]}}");
    write_text("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n");
    return 0;
}

static void a_solid_becomes_a_file_that_reads_back(void **state) {
    (void)state;
    static const char *const files[] = {"ball.msh", "ball.vtu"};
    char said[4000], arguments[100], path[200];
    for (int i = 0; i < 2; i++) {
        snprintf(arguments, sizeof arguments, "ball.json -o %s --elements 3000", files[i]);
        assert_int_equal(run_mesh(arguments, said), 0);
        assert_non_null(strstr(said, "tetrahedra of about"));
        assert_non_null(strstr(said, "dihedral angles from"));
        assert_non_null(strstr(said, "surface off by at most"));
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        ThawMesh *mesh = NULL;
        ThawError error = {0};
        assert_int_equal(thaw_mesh_read(path, &mesh, NULL, &error), THAW_OK);
        assert_true(abs(mesh->element_count - 3000) < 100);
        assert_string_equal(mesh->region_names[0], "core");
        check_mesh(mesh, 8);
        thaw_mesh_free(&mesh);
    }
}

static void a_flat_solid_becomes_triangles_and_is_told_in_json(void **state) {
    (void)state;
    char said[4000];
    assert_int_equal(run_mesh("disc.json --dimension 2 --size 0.05 --grading 4 --json", said), 0);
    json_error_t wrong;
    json_t *report = json_loads(said, 0, &wrong);
    assert_non_null(report);
    assert_int_equal(json_integer_value(json_object_get(report, "dimension")), 2);
    assert_true(fabs(json_number_value(json_object_get(report, "volume")) - M_PI / 4) < 0.01);
    assert_true(json_number_value(json_object_get(report, "min_angle")) > 10);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(report, "holes"), "count")), 0);
    json_decref(report);
}

static void holes_are_warned_of_with_their_places(void **state) {
    (void)state;
    char said[4000];
    assert_int_equal(run_mesh("open.obj --size 0.1", said), 0);
    assert_non_null(strstr(said, "warning: 3 edges of holes at (0.5, 0.5, 0)"));
    assert_int_equal(run_mesh("open.obj --size 0.1 --quiet", said), 0);
    assert_string_equal(said, "");
}

static void wrong_arguments_are_refused(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"", "a surface (.obj, .ply, .stl), a drawing (.svg, .poly) or a solid (.json) is missing"},
        {"none.json", "cannot be opened (No such file or directory); allowed: a JSON file"},
        {"none.obj", "none.obj"},
        {"ball.json ball.json", "one input, please"},
        {"ball.json --size 0", "--size is '0'; allowed: a number from 1e-30"},
        {"ball.json --size big", "--size is 'big'"},
        {"ball.json --elements 0", "--elements is '0'"},
        {"ball.json --size 1 --elements 5", "both --size and --elements"},
        {"ball.json --grading 0.5", "--grading is '0.5'"},
        {"ball.json --dimension 4", "--dimension is '4'"},
        {"open.obj --dimension 2", "allowed in two dimensions: a flat one"},
        {"ball.json --sise 1", "did you mean --size?"},
        {"ball.json --dimension 2 --size 5", "nothing is inside"},
        {"ball.json -o ball.xyz", "ball.xyz"},
    };
    char said[4000];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (run_mesh(cases[i][0], said) != 1 || !strstr(said, cases[i][1]))
            fail_msg("thaw mesh %s: '%s' does not say '%s'", cases[i][0], said, cases[i][1]);
    }
}

static void wrong_meshes_of_scenes_are_refused_with_their_place(void **state) {
    (void)state;
    static const char *const cases[][3] = {
        {"3", "'box':{'min':[0,0,0],'max':[1,1,1],'cells':[1,1,1]},'size':0.1", "shapes.a.mesh.size: only a solid or"},
        {"3", "'solid':{'sphere':{'radius':1}},'size':0.1,'elements':5", "shapes.a.mesh.elements: both a size and"},
        {"3", "'solid':{'sphere':{'radius':1}},'size':0", "shapes.a.mesh.size: out of range (value 0)"},
        {"3", "'solid':{'sphere':{'radius':1}},'grading':0", "shapes.a.mesh.grading: out of range (value 0)"},
        {"3", "'solid':{'sphere':{'radius':1}},'sharpen':1",
         "shapes.a.mesh.sharpen: wrong type (value 1); allowed: true"},
        {"3", "'solid':{'sphere':{'radius':1}},'surface':'x.obj'", "shapes.a.mesh: more than one of the keys"},
        {"3", "'solid':5", "shapes.a.mesh.solid: wrong type (value 5); allowed: an object {...}, or the name of"},
        {"3", "'solid':'ball'", "shapes.a.mesh.solid: ball: cannot be opened"},
        {"3", "'surface':{'sphere':{'radius':1}}", "shapes.a.mesh.surface: wrong type"},
        {"3", "'surface':'none.obj'", "shapes.a.mesh.surface: "},
        {"3", "'solid':{'sphere':{'radius':1}},'size':9", "shapes.a.mesh: at a size of 9 m nothing is inside"},
        {"3", "'solid':{'sphere':{'radius':1}},'size':0.001", "shapes.a.mesh: a size of 0.001 m makes more cells"},
        {"3", "'solid':{'half_space':{'point':[0,0,0],'normal':[0,1,0]}}", "has an end on every side"},
        {"2", "'surface':'none.obj'", "shapes.a.mesh.surface: a surface has no place in the plane"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "{'thaw':1,'dimension':%s,'materials':{'m':{}},'shapes':{'a':{'mesh':{%s},'material':'m'}},"
                 "'bodies':[{'shape':'a'}]}",
                 cases[i][0], cases[i][1]);
        for (char *c = text; *c; c++)
            *c = *c == '\'' ? '"' : *c;
        ThawScene *scene = NULL;
        ThawError error = {0};
        assert_true(thaw_scene_parse(text, strlen(text), "s", NULL, &scene, &error) < 0);
        if (!strstr(error.message, cases[i][2]))
            fail_msg("%s\n'%s' does not say '%s'", text, error.message, cases[i][2]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_solid_becomes_a_file_that_reads_back),
        cmocka_unit_test(a_flat_solid_becomes_triangles_and_is_told_in_json),
        cmocka_unit_test(holes_are_warned_of_with_their_places),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(wrong_meshes_of_scenes_are_refused_with_their_place),
    };
    return cmocka_run_group_tests(tests, make_files, drop_folder);
}
