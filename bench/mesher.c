// SPDX-License-Identifier: Apache-2.0
// How fast the mesher is and how good its elements are: solids of growing size, uniform and graded, one and two
// threads; then the inside of one surface beside TetGen and Gmsh, where those programs are installed. CSV on stdout;
// least of three.
//
// The rivals get the surface that our finest mesh has, and a volume bound (TetGen) or an edge length (Gmsh) that gives
// about as many elements. Their time is that of the whole program, reading and writing files included; ours as well
// there. All times are of the processor, so that a busy machine does not spoil them; with two threads it is the wall's.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/base.h"
#include "common.h"
#include "mesh/mesh.h"

typedef struct Shape {
    const char *name, *text;
} Shape;

static const Shape shapes[] = {
    {"ball", "{\"sphere\":{\"radius\":1}}"},
    {"ring", "{\"torus\":{\"radius\":1,\"tube\":0.4,\"axis\":[1,2,3]}}"},
    {"creature",
     "{\"smooth_union\":{\"radius\":0.3,\"of\":[{\"ellipsoid\":{\"radii\":[1,0.6,0.6]}},"
     "{\"mirror\":{\"of\":{\"mirror\":{\"of\":{\"tube\":{\"points\":[[0.6,0.3,0],[0.8,0.5,-0.6],[0.8,0.5,-1.2]],"
     "\"radii\":[0.3,0.22,0.18]}},\"normal\":[1,0,0]}},\"normal\":[0,1,0]}},"
     "{\"sphere\":{\"radius\":0.45,\"centre\":[1.2,0,0.5]}}]}}"},
    {"drilled", "{\"difference\":[{\"box\":{\"min\":[-1,-1,-1],\"max\":[1,1,1],\"radius\":0.2}},"
                "{\"cylinder\":{\"from\":[0,0,-2],\"to\":[0,0,2],\"radius\":0.5}}]}"},
};

static void complain(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static ThawSolid *solid_of(const char *text) {
    ThawSolid *solid = NULL;
    ThawError error = {0};
    if (thaw_solid_parse(text, strlen(text), "bench", NULL, 3, &solid, &error))
        complain(error.message);
    return solid;
}

static ThawMesh *mesh_of(const ThawSolid *solid, int32_t elements, double grading, int threads,
                         ThawMesherReport *report, double *ms) {
    ThawMesherDef def = thaw_mesher_def_default();
    ThawMesh *mesh = NULL;
    ThawError error = {0};
    def.grading = grading;
    def.threads = threads;
    def.elements = elements;
    *ms = 1e300;
    for (int i = 0; i < 4; i++) { // the first finds the size
        const double start = threads == 1 ? thaw_cpu_ms() : thaw_wall_ms();
        thaw_mesh_free(&mesh);
        if (thaw_mesh_from_solid(solid, &def, &mesh, report, &error))
            complain(error.message);
        if (i > 0)
            *ms = bench_least(*ms, (threads == 1 ? thaw_cpu_ms() : thaw_wall_ms()) - start);
        def.size = report->size;
    }
    return mesh;
}

static void print_row(const char *name, const char *program, double grading, int threads, const ThawMesh *mesh,
                      double deviation, double ms) {
    const ThawMeshQuality q = thaw_mesh_quality(mesh);
    double mean = 0;
    for (int32_t e = 0; e < mesh->element_count; e++) {
        ThawMesh one = *mesh;
        one.elements += 4 * (size_t)e;
        one.element_count = 1;
        mean += thaw_mesh_quality(&one).max_aspect / mesh->element_count;
    }
    printf("%s,%s,%g,%d,%d,%d,%.1f,%.3f,%.2f,%.2f,%.2f,%.2f,%.8g,%.3g\n", name, program, grading, threads,
           mesh->vertex_count, mesh->element_count, ms, mesh->element_count / ms / 1e3, q.min_angle * 180 / M_PI,
           q.max_angle * 180 / M_PI, q.max_aspect, mean, q.total_volume, deviation);
    fflush(stdout);
}

// --- rivals ----------------------------------------------------------------------------------------------------------

static double children_ms(void) {
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return 1e3 * (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-3 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

// TetGen's own format for a surface.
static void write_smesh(const ThawTriangleMesh *surface, const char *path) {
    FILE *f = fopen(path, "w");
    if (!f)
        complain("the folder for the rivals cannot be written to");
    fprintf(f, "%d 3 0 0\n", surface->vertex_count);
    for (int32_t i = 0; i < surface->vertex_count; i++)
        fprintf(f, "%d %.17g %.17g %.17g\n", i, surface->x[3 * i], surface->x[3 * i + 1], surface->x[3 * i + 2]);
    fprintf(f, "%d 0\n", surface->triangle_count);
    for (int32_t i = 0; i < surface->triangle_count; i++)
        fprintf(f, "3 %d %d %d\n", surface->triangles[3 * i], surface->triangles[3 * i + 1],
                surface->triangles[3 * i + 2]);
    fprintf(f, "0\n0\n");
    fclose(f);
}

static void run_rival(const char *program, const char *command, const char *result, const char *name) {
    const double start = children_ms();
    ThawMesh *mesh = NULL;
    ThawError error = {0};
    if (system(command) != 0) {
        fprintf(stderr, "%s is not installed or failed\n", program);
        return;
    }
    const double ms = children_ms() - start;
    if (thaw_mesh_read(result, &mesh, NULL, &error))
        fprintf(stderr, "%s: %s\n", program, error.message);
    else
        print_row(name, program, 1, 1, mesh, NAN, ms);
    thaw_mesh_free(&mesh);
}

static void compare(const Shape *shape, int32_t elements, const char *folder) {
    ThawSolid *solid = solid_of(shape->text);
    ThawMesherReport report;
    double ms;
    ThawMesh *mesh = mesh_of(solid, elements, 1, 1, &report, &ms);
    ThawTriangleMesh *surface = NULL;
    ThawError error = {0};
    char path[300], command[1200];
    snprintf(path, sizeof path, "%s/surface.stl", folder);
    if (thaw_triangles_of_mesh(mesh, &surface, &error) || thaw_triangles_write(surface, path, &error))
        complain(error.message);
    const double volume = report.volume / report.elements;
    thaw_mesh_free(&mesh);
    const double start = thaw_cpu_ms();
    ThawTriangleMesh *read = NULL;
    ThawMesherDef def = thaw_mesher_def_default();
    def.size = report.size;
    def.threads = 1;
    if (thaw_triangles_read(path, &read, &error) || thaw_mesh_from_triangles(read, &def, &mesh, &report, &error))
        complain(error.message);
    snprintf(path, sizeof path, "%s/thaw.msh", folder);
    if (thaw_mesh_write(mesh, path, &error))
        complain(error.message);
    print_row(shape->name, "thaw-surface", 1, 1, mesh, report.deviation, thaw_cpu_ms() - start);
    snprintf(path, sizeof path, "%s/surface.smesh", folder);
    write_smesh(surface, path);
    snprintf(command, sizeof command, "cd %s && tetgen -pq1.4a%.9gQ surface.smesh >/dev/null 2>&1", folder, volume * 2);
    snprintf(path, sizeof path, "%s/surface.1.node", folder);
    run_rival("tetgen", command, path, shape->name);
    snprintf(path, sizeof path, "%s/surface.geo", folder);
    FILE *geo = fopen(path, "w");
    if (!geo)
        complain("the folder for the rivals cannot be written to");
    fprintf(geo, "Merge \"surface.stl\";\nSurface Loop(1) = {1};\nVolume(1) = {1};\nMesh.MeshSizeMax = %.9g;\n",
            report.size);
    fclose(geo);
    snprintf(command, sizeof command,
             "cd %s && gmsh -3 surface.geo -format msh41 -o gmsh.msh -nt 1 >/dev/null 2>&1 && test -s gmsh.msh",
             folder);
    snprintf(path, sizeof path, "%s/gmsh.msh", folder);
    run_rival("gmsh", command, path, shape->name);
    thaw_mesh_free(&mesh);
    thaw_triangles_free(&read);
    thaw_triangles_free(&surface);
    thaw_solid_free(&solid);
}

int main(int argc, char **argv) {
    const int32_t most = argc > 1 ? atoi(argv[1]) : 1000000;
    printf(
        "shape,program,grading,threads,vertices,elements,ms,mtet_s,min_angle,max_angle,max_aspect,mean_aspect,volume,"
        "deviation\n");
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int32_t elements = 1000; elements <= most; elements *= 10)
            for (int row = 0; row < 3; row++) {
                ThawSolid *solid = solid_of(shapes[s].text);
                ThawMesherReport report;
                double ms;
                const double grading = row == 2 ? 8 : 1;
                ThawMesh *mesh = mesh_of(solid, elements, grading, row == 1 ? 2 : 1, &report, &ms);
                print_row(shapes[s].name, "thaw", grading, row == 1 ? 2 : 1, mesh, report.deviation, ms);
                thaw_mesh_free(&mesh);
                thaw_solid_free(&solid);
            }
    char folder[] = "/tmp/thaw-mesher-XXXXXX";
    if (!mkdtemp(folder))
        complain("no folder for the rivals");
    for (size_t s = 1; s < 3; s++)
        compare(&shapes[s], 100000 < most ? 100000 : most, folder);
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) != 0;
}
