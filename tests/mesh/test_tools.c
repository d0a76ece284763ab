// SPDX-License-Identifier: Apache-2.0
// What Gmsh, TetGen and meshio write is read, and what we write is read by them. Skipped where a program is not
// installed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "mesh/mesh.h"
#include "support/folder.h"
#include "thaw/triangles.h"

// Runs a command in the folder of this test; its output goes to a file there.
static int run(const char *format, ...) {
    char command[2000], whole[2400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    snprintf(whole, sizeof whole, "cd %s && { %s; } >log 2>&1", folder, command);
    return system(whole);
}

static void need(const char *command) {
    if (run("%s", command) != 0)
        skip();
}

static void write_text(const char *file, const char *text) {
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static ThawMesh *read_mesh(const char *file) {
    char path[200];
    ThawMesh *mesh;
    ThawError error = {0};
    snprintf(path, sizeof path, "%s/%s", folder, file);
    if (thaw_mesh_read(path, &mesh, NULL, &error))
        fail_msg("%s", error.message);
    return mesh;
}

static const ThawMeshGroup *find_group(const ThawMesh *mesh, const char *name) {
    for (int32_t g = 0; g < mesh->group_count; g++)
        if (strcmp(mesh->groups[g].name, name) == 0)
            return mesh->groups + g;
    return NULL;
}

static void expect_volume(const ThawMesh *mesh, double volume) {
    const double total = thaw_mesh_quality(mesh).total_volume;
    if (fabs(total - volume) > 1e-9 * volume)
        fail_msg("the volume is %.17g instead of %.17g", total, volume);
}

static ThawMesh *make_box(void) {
    const double lo[3] = {0, 0, 0}, hi[3] = {1, 2, 3};
    ThawMesh *mesh;
    assert_int_equal(thaw_mesh_box(3, lo, hi, (int32_t[]){2, 2, 3}, &mesh, NULL), THAW_OK);
    thaw_free(mesh->region_names[0]);
    mesh->region_names[0] = thaw_strdup("body of it");
    return mesh;
}

static void save(const ThawMesh *mesh, const char *file) {
    char path[200];
    ThawError error = {0};
    snprintf(path, sizeof path, "%s/%s", folder, file);
    if (thaw_mesh_write(mesh, path, &error))
        fail_msg("%s", error.message);
}

static void files_of_gmsh_are_read_in_every_format(void **state) {
    (void)state;
    need("gmsh --version");
    write_text("box.geo", "SetFactory(\"Built-in\");\nPoint(1)={0,0,0,.5};\n"
                          "l[]=Extrude{1,0,0}{Point{1};};\ns[]=Extrude{0,1,0}{Curve{l[1]};};\n"
                          "v[]=Extrude{0,0,1}{Surface{s[1]};};\n"
                          "Physical Surface(\"floor\")={s[1]};\nPhysical Volume(\"body\")={v[1]};\n"
                          "Physical Point(\"tip\")={1};\n");
    static const struct {
        const char *format, *file;
    } kinds[] = {{"msh22", "2.msh"},           {"msh22 -bin", "2b.msh"}, {"msh41", "4.msh"},   {"msh41 -bin", "4b.msh"},
                 {"mesh -save_all", "m.mesh"}, {"vtk", "a.vtk"},         {"vtk -bin", "b.vtk"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        assert_int_equal(run("gmsh -3 box.geo -format %s -o %s", kinds[i].format, kinds[i].file), 0);
        ThawMesh *mesh = read_mesh(kinds[i].file);
        assert_int_equal(mesh->dim, 3);
        expect_volume(mesh, 1);
        if (i < 4) {
            const ThawMeshGroup *floor = find_group(mesh, "floor");
            assert_string_equal(mesh->region_names[0], "body");
            assert_non_null(floor);
            assert_int_equal(find_group(mesh, "tip")->count, 1);
            for (int32_t k = 0; k < floor->count; k++)
                assert_true(mesh->x[3 * floor->vertices[k] + 2] == 0);
        }
        thaw_mesh_free(&mesh);
    }
    ThawMesh *mesh;
    ThawError error = {0};
    char path[200];
    assert_int_equal(run("gmsh -3 box.geo -format msh40 -o 40.msh"), 0);
    snprintf(path, sizeof path, "%s/40.msh", folder);
    assert_int_equal(thaw_mesh_read(path, &mesh, NULL, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "msh41"));
}

static void gmsh_reads_our_files(void **state) {
    (void)state;
    need("gmsh --version");
    ThawMesh *mesh = make_box();
    static const char *const kinds[] = {"msh22", "msh41 -bin"};
    for (int i = 0; i < 2; i++) {
        save(mesh, "ours.msh");
        assert_int_equal(run("gmsh -0 ours.msh -format %s -o again.msh", kinds[i]), 0);
        ThawMesh *again = read_mesh("again.msh");
        assert_int_equal(again->element_count, mesh->element_count);
        assert_int_equal(again->vertex_count, mesh->vertex_count);
        expect_volume(again, 6);
        assert_string_equal(again->region_names[0], "body of it");
        for (int32_t g = 0; g < mesh->group_count; g++) {
            const ThawMeshGroup *group = find_group(again, mesh->groups[g].name);
            assert_non_null(group);
            assert_int_equal(group->count, mesh->groups[g].count);
        }
        thaw_mesh_free(&again);
    }
    thaw_mesh_free(&mesh);
}

static void tetgen_reads_our_files_and_we_read_its(void **state) {
    (void)state;
    need("command -v tetgen");
    ThawMesh *mesh = make_box();
    save(mesh, "t.node");
    assert_int_equal(run("tetgen -rQ t.node"), 0);
    ThawMesh *again = read_mesh("t.1.ele");
    expect_volume(again, 6);
    thaw_mesh_free(&again);
    write_text("c.poly",
               "8 3 0 1\n1 0 0 0 0\n2 1 0 0 0\n3 1 1 0 0\n4 0 1 0 0\n5 0 0 1 0\n6 1 0 1 0\n7 1 1 1 0\n8 0 1 1 0\n"
               "6 1\n1 0 7\n4 1 2 3 4\n1 0 8\n4 5 6 7 8\n1 0 9\n4 1 2 6 5\n1 0 9\n4 2 3 7 6\n1 0 9\n4 3 4 8 7\n"
               "1 0 9\n4 4 1 5 8\n0\n1\n1 0.5 0.5 0.5 33 0.1\n");
    assert_int_equal(run("tetgen -pqAQa0.05 c.poly"), 0);
    again = read_mesh("c.1.node");
    expect_volume(again, 1);
    assert_string_equal(again->region_names[0], "33");
    const ThawMeshGroup *floor = find_group(again, "surface-7");
    assert_non_null(floor);
    assert_in_range(floor->count, 4, again->vertex_count - 4);
    for (int32_t k = 0; k < floor->count; k++)
        assert_true(again->x[3 * floor->vertices[k] + 2] == 0);
    thaw_mesh_free(&again);
    thaw_mesh_free(&mesh);
}

static void meshio_reads_our_files_and_we_read_its(void **state) {
    (void)state;
    const char *python =
        run("python3 -c 'import meshio'") ? "/usr/bin/python3" : "python3"; // another Python may come first
    if (run("%s -c 'import meshio'", python))
        skip();
    static const char *const ours[] = {"o.msh", "o.vtu", "o.vtk", "o.mesh", "o.node"};
    static const char *const its[] = {"i-ascii.vtu", "i-plain.vtu", "i-zlib.vtu", "i42.vtk",  "i42b.vtk",
                                      "i51.vtk",     "i51b.vtk",    "i22.msh",    "i22b.msh", "i41.msh",
                                      "i41b.msh",    "i.mesh",      "i.meshb",    "i.node"};
    ThawMesh *mesh = make_box();
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        save(mesh, ours[i]);
    save(mesh, "o.stl");
    save(mesh, "o.ply");
    save(mesh, "o.obj");
    write_text("convert.py",
               "import meshio, numpy\n"
               "for f in ['o.msh', 'o.vtu', 'o.vtk', 'o.mesh', 'o.node']:\n"
               "    m = meshio.read(f)\n"
               "    t = sum(len(c.data) for c in m.cells if c.type == 'tetra')\n"
               "    assert len(m.points) == 36 and t == 72, f\n"
               "for f in ['o.stl', 'o.ply', 'o.obj']:\n"
               "    m = meshio.read(f)\n"
               "    assert sum(len(c.data) for c in m.cells if c.type == 'triangle') == 64, f\n"
               "    for e, b in [('stl', True), ('stl', False), ('ply', True), ('ply', False), ('obj', None)]:\n"
               "        k = {} if b is None else {'binary': b}\n"
               "        meshio.Mesh(m.points, [('triangle', m.cells_dict['triangle'])]).write('s%s%s.%s' % (f[2:], b, "
               "e), **k)\n"
               "m = meshio.read('o.vtu')\n"
               "t = numpy.array(([4] * 30) + ([5] * 42), dtype=numpy.int32)\n"
               "def mesh(name):\n"
               "    return meshio.Mesh(m.points, [('tetra', m.cells_dict['tetra'])], cell_data={name: [t]})\n"
               "mesh('region').write('i-ascii.vtu', binary=False)\n"
               "mesh('region').write('i-plain.vtu', compression=None)\n"
               "mesh('region').write('i-zlib.vtu', compression='zlib')\n"
               "for v in ['42', '51']:\n"
               "    meshio.write('i%s.vtk' % v, mesh('medit:ref'), file_format='vtk' + v, binary=False)\n"
               "    meshio.write('i%sb.vtk' % v, mesh('medit:ref'), file_format='vtk' + v, binary=True)\n"
               "g = mesh('gmsh:physical')\n"
               "g.cell_data['gmsh:geometrical'] = [t]\n"
               "meshio.write('i22.msh', g, file_format='gmsh22', binary=False)\n"
               "meshio.write('i22b.msh', g, file_format='gmsh22', binary=True)\n"
               "meshio.write('i41.msh', mesh('x'), file_format='gmsh', binary=False)\n"
               "meshio.write('i41b.msh', mesh('x'), file_format='gmsh', binary=True)\n"
               "mesh('medit:ref').write('i.mesh')\n"
               "mesh('medit:ref').write('i.meshb')\n"
               "mesh('tetgen:ref').write('i.node')\n");
    if (run("%s convert.py", python))
        fail_msg("meshio failed: see %s/log", folder);
    for (size_t i = 0; i < sizeof its / sizeof *its; i++) {
        ThawMesh *again = read_mesh(its[i]);
        expect_volume(again, 6);
        assert_int_equal(again->element_count, 72);
        assert_int_equal(again->vertex_count, 36);
        const int tagless = strstr(its[i], "41") || strstr(its[i], ".node");
        assert_int_equal(again->region_count, tagless ? again->region_count : 2);
        assert_string_equal(again->region_names[0], tagless ? again->region_names[0] : "4");
        thaw_mesh_free(&again);
    }
    static const char *const surfaces[] = {"True.stl", "False.stl", "True.ply", "False.ply", "None.obj"};
    for (int i = 0; i < 15; i++) {
        static const char *const from[] = {"stl", "ply", "obj"};
        char path[200];
        ThawTriangleMesh *surface;
        ThawTriangleReport report;
        ThawError error = {0};
        snprintf(path, sizeof path, "%s/s%s%s", folder, from[i / 5], surfaces[i % 5]);
        if (thaw_triangles_read_report(path, &surface, &report, &error))
            fail_msg("%s", error.message);
        assert_int_equal(surface->triangle_count, 64);
        if (i >= 5) // meshio does not weld STL
            assert_int_equal(report.open.count, 0);
        thaw_triangles_free(&surface);
    }
    thaw_mesh_free(&mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_gmsh_are_read_in_every_format),
        cmocka_unit_test(gmsh_reads_our_files),
        cmocka_unit_test(tetgen_reads_our_files_and_we_read_its),
        cmocka_unit_test(meshio_reads_our_files_and_we_read_its),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
