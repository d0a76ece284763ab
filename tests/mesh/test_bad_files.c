// SPDX-License-Identifier: Apache-2.0
// Bad mesh files by the dozen. Each is a good text with one thing replaced; the message must name the place and the
// value.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/folder.h"
#include "thaw/mesh.h"

typedef struct Bad {
    const char *from, *to; // what is replaced in the good text, and by what
    const char *names[3];  // what the message must contain
} Bad;

static const char gmsh2[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                            "$PhysicalNames\n2\n3 1 \"body\"\n2 5 \"floor\"\n$EndPhysicalNames\n" // lines 4 to 8
                            "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"          // lines 9 to 15
                            "$Elements\n2\n1 2 2 5 1 1 2 3\n2 4 2 1 1 1 2 3 4\n$EndElements\n";   // lines 16 to 20

static const Bad bad_gmsh2[] = {
    {"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n", "", {":1:", "$MeshFormat"}},
    {"2.2 0", "2.0 0", {":2:", "2;", "2.2 and 4.1"}},
    {"2.2 0", "4 0", {":2:", "4;", "2.2 and 4.1"}},
    {"2.2 0", "x.y 0", {":2:", "x.y"}},
    {"2.2 0 8", "2.2 1 8", {"byte order", "must be 1"}},
    {"2.2 0 8", "2.2 0", {":2:", "the line ends"}},
    {"$EndMeshFormat", "$EndMeshFromat", {":3:", "$EndMeshFormat"}},
    {"\"body\"", "body", {":6:", "body", "quotes"}},
    {"\"body\"", "\"body", {":6:", "body", "quotes"}},
    {"3 1 \"body\"", "4 1 \"body\"", {":6:", "4", "0 to 3"}},
    {"3 1 \"body\"", "3 0 \"body\"", {":6:", "tag", "0"}},
    {"2 5 \"floor\"", "3 1 \"floor\"", {"tag 1", "body", "floor"}},
    {"$Nodes\n4", "$Nodes\n3", {":14:", "$EndNodes"}},
    {"$Nodes\n4", "$Nodes\n5", {":15:", "$EndNodes"}},
    {"$Nodes\n4", "$Nodes\n-4", {":10:", "-4"}},
    {"$Nodes\n4", "$Nodes\n2000000000", {":10:", "2000000000", "too short"}},
    {"$Nodes\n4", "$Nodes\n99999999999999999999", {":10:", "99999999999999999999"}},
    {"$Nodes\n4", "$Nodes\nfour", {":10:", "four"}},
    {"2 1 0 0", "1 1 0 0", {":14:", "node 1", "twice"}},
    {"2 1 0 0", "0 1 0 0", {":12:", "0"}},
    {"2 1 0 0", "2 1 0", {":12:", "the line ends", "coordinate"}},
    {"2 1 0 0", "2 1 0 0 7", {":12:", "7", "should end"}},
    {"2 1 0 0", "2 nan 0 0", {":12:", "nan", "finite"}},
    {"2 1 0 0", "2 inf 0 0", {":12:", "inf", "finite"}},
    {"2 1 0 0", "2 1e999 0 0", {":12:", "1e999", "finite"}},
    {"2 1 0 0", "2 0x10 0 0", {":12:", "0x10", "finite"}},
    {"2 1 0 0", "2 1,5 0 0", {":12:", "1,5", "finite"}},
    {"2 1 0 0", "2 -- 0 0", {":12:", "--", "finite"}},
    {"$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n", "", {":9:", "$Elements", "$Nodes"}},
    {"2 4 2 1 1 1 2 3 4", "2 4 2 1 1 1 2 3 9", {":19:", "node 9", "$Nodes"}},
    {"2 4 2 1 1 1 2 3 4", "2 4 2 1 1 1 2 3", {":19:", "the line ends"}},
    {"2 4 2 1 1 1 2 3 4", "2 4 2 1 1 1 2 3 4 4", {":19:", "should end"}},
    {"2 4 2 1 1 1 2 3 4", "2 4 2 1 1 1 2 3 3", {":19:", "element 0", "twice"}},
    {"2 4 2 1 1 1 2 3 4", "2 5 2 1 1 1 2 3 4 1 2 3 4", {":19:", "type", "5"}},
    {"2 4 2 1 1 1 2 3 4", "2 11 2 1 1 1 2 3 4 1 2 3 4 1 2", {":19:", "11", "higher order"}},
    {"2 4 2 1 1 1 2 3 4", "2 4 2000 1 1 1 2 3 4", {":19:", "2000"}},
    {"4 0 0 1\n$EndNodes", "4 1 1 0\n$EndNodes", {":19:", "element 0", "flat"}},
    {"4 0 0 1\n$EndNodes", "4 1 1 1e-13\n$EndNodes", {":19:", "element 0", "flat"}},
    {"$EndElements\n", "", {":20:", "$EndElements"}},
    {"$Elements\n2", "$Elements\n1", {":19:", "$EndElements"}},
    {"$EndElements\n", "$EndElements\nrubbish\n", {":21:", "section"}},
    {"$EndElements\n", "$EndElements\n$Nodes\n1\n1 0 0 0\n$EndNodes\n", {"second", "$Nodes"}},
    {"$EndElements\n", "$EndElements\n$NodeData\n1 2 3\n", {":21:", "$EndNodeData"}},
};

static const char gmsh4[] = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
                            "$Entities\n0 0 0 1\n1 0 0 0 1 1 1 1 7 0\n$EndEntities\n"                       // 4 to 7
                            "$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n" // 8 to 19
                            "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n";                       // 20 to 24

static const Bad bad_gmsh4[] = {
    {"0 0 0 1\n", "0 0 0 999999\n", {":5:", "999999", "too short"}},
    {"1 0 0 0 1 1 1 1 7 0", "1 0 0 0 1 1 1 65 7 0", {":6:", "65"}},
    {"1 0 0 0 1 1 1 1 7 0", "1 0 0 0 1 1 1 1 7", {":6:", "the line ends"}},
    {"1 4 1 4\n", "1 5 1 4\n", {":18:", "4 nodes", "5 were announced"}},
    {"1 4 1 4\n", "1 3 1 4\n", {":10:", "4", "0 to 3"}},
    {"1 4 1 4\n", "2 4 1 4\n", {":19:", "$EndNodes"}},
    {"3 1 0 4", "3 1 1 4", {":15:", "the line ends", "parametric"}},
    {"3 1 0 4", "7 1 0 4", {":10:", "7", "0 to 3"}},
    {"3 1 4 1\n", "2 1 4 1\n", {":22:", "dimension 3", "dimension 2"}},
    {"3 1 4 1\n", "3 1 11 1\n", {":22:", "11", "higher order"}},
    {"1 1 1 1\n", "1 2 1 1\n", {"1 elements", "2 were announced"}},
    {"1 1 2 3 4\n", "1 1 2 3 5\n", {":23:", "node 5"}},
    {"$Nodes\n", "$PartitionedEntities\n", {":8:", "partitioned"}},
};

static const char medit[] =
    "MeshVersionFormatted 2\nDimension 3\nVertices 5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 -1 0\n"
    "Tetrahedra 2\n1 2 3 4 1\n1 3 2 5 1\nEnd\n"; // lines 9 to 12

static const Bad bad_medit[] = {
    {"MeshVersionFormatted 2", "MeshVersionUnformatted 2", {":1:", "MeshVersionFormatted"}},
    {"MeshVersionFormatted 2", "MeshVersionFormatted 9", {":1:", "9", "1 to 4"}},
    {"Dimension 3", "Dimension 4", {":2:", "4", "2 to 3"}},
    {"Dimension 3", "", {":3:", "Dimension"}},
    {"Dimension 3", "Dimension 2", {":7:", "keyword"}},
    {"Vertices 5", "Vertices 6", {":9:", "Tetrahedra"}},
    {"Vertices 5", "Vertices 4", {":8:", "keyword"}},
    {"Vertices 5", "Vertices 123456789", {":3:", "123456789", "too short"}},
    {"0 0 1 0", "0 0 a 0", {":7:", "a;"}},
    {"1 2 3 4 1\n", "1 2 3 6 1\n", {":10:", "6", "1 to 5"}},
    {"1 2 3 4 1\n", "1 2 3 0 1\n", {":10:", "0", "1 to 5"}},
    {"1 2 3 4 1\n", "1 2 3 4 1.5\n", {":10:", "1.5"}},
    {"1 3 2 5 1\n", "1 2 4 3 1\n", {":11:", "element 1", "same vertices as element 0"}},
    {"Tetrahedra 2\n", "Hexahedra 2\n", {":9:", "Hexahedra"}},
    {"Tetrahedra 2\n", "Edgy 2\n", {"neither tetrahedra nor triangles", NULL}},
    {"Tetrahedra 2\n1 2 3 4 1\n1 3 2 5 1\n", "Triangles 1 1 2 4 0\n", {"triangles", "z = 0", "z = 1"}},
    {"1 3 2 5 1\nEnd\n", "1 3 2        ", {":11:", "the file ends"}},
    {"Vertices 5", "Tetrahedra 1 1 2 3 4 0 Vertices 5", {":3:", "Vertices"}},
    {"End\n", "Vertices 0\n", {":12:", "second"}},
};

static const char node[] = "4 3 0 1\n1 0 0 0 0\n2 1 0 0 0\n3 0 1 0 0\n4 0 0 1 2\n";
static const char ele[] = "1 4 1\n1 1 2 3 4 5\n";

static const Bad bad_node[] = {
    {"4 3 0 1\n", "4 4 0 1\n", {"node:1:", "4", "2 to 3"}},
    {"4 3 0 1\n", "4 3 0 2\n", {"node:1:", "2", "0 to 1"}},
    {"4 3 0 1\n", "5 3 0 1\n", {"node:6:", "the file ends"}},
    {"4 3 0 1\n", "4 3 1 1\n", {"node:2:", "the line ends"}},
    {"1 0 0 0 0\n", "2 0 0 0 0\n", {"node:2:", "2", "0 to 1"}},
    {"3 0 1 0 0\n", "7 0 1 0 0\n", {"node:4:", "7", "3 to 3"}},
    {"3 0 1 0 0\n", "3 0 1 0\n", {"node:4:", "the line ends"}},
    {"4 0 0 1 2\n", "4 0 0 1 2 2\n", {"node:5:", "should end"}},
};

static const Bad bad_ele[] = {
    {"1 4 1\n", "1 10 1\n", {"ele:1:", "10", "linear"}},
    {"1 4 1\n", "1 3 1\n", {"ele:1:", "3 nodes", "4"}},
    {"1 4 1\n", "9 4 1\n", {"ele:1:", "9", "too short"}},
    {"1 4 1\n", "1 4\n", {"ele:2:", "5", "should end"}},
    {"1 1 2 3 4 5\n", "0 1 2 3 4 5\n", {"ele:2:", "0", "1 to 1"}},
    {"1 1 2 3 4 5\n", "1 1 2 3 5 5\n", {"ele:2:", "5", "1 to 4"}},
    {"1 1 2 3 4 5\n", "1 1 2 3 4 0.5\n", {"ele:2:", "0.5", "whole"}},
    {"1 1 2 3 4 5\n", "1 1 2 3 4 1e30\n", {"ele:2:", "1e+30", "whole"}},
};

static const char *write_file(const char *name, const char *bytes, size_t size) {
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

static const char *write_replaced(const char *name, const char *good, const Bad *bad) {
    char text[2000];
    const char *at = strstr(good, bad->from);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, bad->to, at + strlen(bad->from));
    return write_file(name, text, strlen(text));
}

static void expect_refusal(const char *path, const Bad *bad) {
    ThawMesh *mesh = (ThawMesh *)path;
    ThawError error = {0};
    ThawStatus status = thaw_mesh_read(path, &mesh, NULL, &error);
    if (status != THAW_ERROR_INPUT)
        fail_msg("\"%s\" for \"%s\" was not refused", bad->to, bad->from);
    assert_int_equal(error.status, status);
    assert_null(mesh);
    assert_non_null(strstr(error.message, folder)); // the file is named
    for (int i = 0; i < 3 && bad->names[i]; i++)
        if (!strstr(error.message, bad->names[i]))
            fail_msg("\"%s\" for \"%s\": the message \"%s\" lacks \"%s\"", bad->to, bad->from, error.message,
                     bad->names[i]);
}

static void expect_refusals(const char *name, const char *good, const Bad *bad, size_t count) {
    ThawMesh *mesh;
    assert_int_equal(thaw_mesh_read(write_file(name, good, strlen(good)), &mesh, NULL, NULL), THAW_OK);
    thaw_mesh_free(&mesh);
    for (size_t i = 0; i < count; i++)
        expect_refusal(write_replaced(name, good, bad + i), bad + i);
    write_file(name, good, strlen(good));
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void bad_gmsh_22_files_are_refused_by_line(void **state) {
    (void)state;
    expect_refusals("bad.msh", gmsh2, bad_gmsh2, COUNT(bad_gmsh2));
}

static void bad_gmsh_41_files_are_refused_by_line(void **state) {
    (void)state;
    expect_refusals("bad.msh", gmsh4, bad_gmsh4, COUNT(bad_gmsh4));
}

static void bad_medit_files_are_refused_by_line(void **state) {
    (void)state;
    expect_refusals("bad.mesh", medit, bad_medit, COUNT(bad_medit));
}

static void bad_tetgen_files_are_refused_by_file_and_line(void **state) {
    (void)state;
    write_file("bad.ele", ele, strlen(ele));
    expect_refusals("bad.node", node, bad_node, COUNT(bad_node));
    expect_refusals("bad.ele", ele, bad_ele, COUNT(bad_ele));
}

static void files_that_are_no_meshes_at_all_are_refused(void **state) {
    (void)state;
    ThawMesh *mesh;
    ThawError error;
    assert_int_equal(thaw_mesh_read(write_file("empty.msh", "", 0), &mesh, NULL, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "empty"));
    assert_int_equal(thaw_mesh_read(write_file("blank.msh", " \n\n", 3), &mesh, NULL, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_mesh_read(write_file("zero.msh", "\0\0\0", 3), &mesh, NULL, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_mesh_read(write_file("mark.mesh", "\xEF\xBB\xBF", 3), &mesh, NULL, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_mesh_read(write_file("mesh.stl", "solid", 5), &mesh, NULL, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "mesh.stl"));
    assert_int_equal(thaw_mesh_read(".msh", &mesh, NULL, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_mesh_read("", &mesh, NULL, &error), THAW_ERROR_INPUT);
    assert_int_equal(thaw_mesh_read(write_file("lonely.node", node, strlen(node)), &mesh, NULL, &error), THAW_ERROR_IO);
    assert_non_null(strstr(error.message, "lonely.ele"));
    assert_int_equal(thaw_mesh_read("/nowhere/at/all.msh", &mesh, NULL, &error), THAW_ERROR_IO);
    assert_non_null(strstr(error.message, "/nowhere/at/all.msh"));
    char path[200];
    snprintf(path, sizeof path, "%s/folder.msh", folder);
    char command[300];
    snprintf(command, sizeof command, "mkdir %s", path);
    assert_int_equal(system(command), 0);
    assert_int_equal(thaw_mesh_read(path, &mesh, NULL, &error), THAW_ERROR_IO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_gmsh_22_files_are_refused_by_line),
        cmocka_unit_test(bad_gmsh_41_files_are_refused_by_line),
        cmocka_unit_test(bad_medit_files_are_refused_by_line),
        cmocka_unit_test(bad_tetgen_files_are_refused_by_file_and_line),
        cmocka_unit_test(files_that_are_no_meshes_at_all_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
