// SPDX-License-Identifier: Apache-2.0
// Every allocation of this folder is made to fail once. This program brings its own allocator: as it defines all of
// src/base/memory.c's functions, the linker leaves the library's alone.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "mesh/mesh.h"
#include "thaw/triangles.h"

#define DATA THAW_SOURCE_DIR "/tests/mesh/data/"
#define CORPUS THAW_SOURCE_DIR "/fuzz/corpus/"

static long allowed;     // allocations until one fails
static long outstanding; // allocated and not yet freed

void *thaw_alloc(size_t count, size_t size) {
    if (allowed-- == 0)
        return NULL;
    void *memory = calloc(count ? count : 1, size ? size : 1);
    outstanding += memory != NULL;
    return memory;
}

void *thaw_regrow(void *old, size_t used, size_t count, size_t size) {
    void *memory = thaw_alloc(count, size);
    if (!memory)
        return NULL;
    if (used)
        memcpy(memory, old, used * size);
    thaw_free(old);
    return memory;
}

void thaw_free(void *memory) {
    outstanding -= memory != NULL;
    free(memory);
}

char *thaw_strdup(const char *text) {
    char *copy = thaw_alloc(strlen(text) + 1, 1);
    return copy ? strcpy(copy, text) : NULL;
}

// Does something with memory; frees it all again.
typedef ThawStatus (*Job)(const char *path, ThawError *error);

static ThawStatus read_and_free(const char *path, ThawError *error) {
    ThawMesh *mesh;
    ThawStatus status = thaw_mesh_read(path, &mesh, NULL, error);
    assert_true(status == THAW_OK || mesh == NULL);
    thaw_mesh_free(&mesh);
    return status;
}

static ThawStatus read_surface(const char *path, ThawError *error) {
    ThawTriangleMesh *mesh;
    ThawTriangleReport report;
    ThawStatus status = thaw_triangles_read_report(path, &mesh, &report, error);
    assert_true(status == THAW_OK || mesh == NULL);
    if (!status)
        status = thaw_triangles_weld(mesh, &report, error);
    thaw_triangles_free(&mesh);
    return status;
}

// Writes a box under that name.
static ThawStatus write_box(const char *path, ThawError *error) {
    const double lo[3] = {0, 0, 0}, hi[3] = {1, 1, 1};
    ThawMesh *mesh;
    ThawStatus status = thaw_mesh_box(3, lo, hi, (int32_t[]){1, 1, 1}, &mesh, error);
    if (!status)
        status = thaw_mesh_write(mesh, path, error);
    thaw_mesh_free(&mesh);
    return status;
}

static ThawStatus take_apart(const char *path, ThawError *error) {
    (void)path;
    const double lo[3] = {0, 0, 0}, hi[3] = {1, 1, 1};
    ThawMesh *mesh, *copy = NULL;
    ThawGraph *graph = NULL;
    ThawSurface *surface = NULL;
    int32_t *across = NULL, order[27];
    ThawStatus status = thaw_mesh_box(3, lo, hi, (int32_t[]){2, 2, 2}, &mesh, error);
    if (!status)
        status = thaw_mesh_validate(mesh, error);
    if (!status)
        status = thaw_mesh_copy(mesh, &copy, error);
    if (!status)
        status = thaw_graph_create(mesh, &graph, error);
    if (!status)
        status = thaw_graph_order_rcm(graph, order, error);
    if (!status)
        status = thaw_mesh_surface(mesh, &surface, error);
    if (!status)
        status = thaw_mesh_neighbours(mesh, &across, error);
    thaw_free(across);
    thaw_surface_free(&surface);
    thaw_graph_free(&graph);
    thaw_mesh_free(&copy);
    thaw_mesh_free(&mesh);
    return status;
}

static void fail_each_allocation_of(Job job, const char *path) {
    ThawStatus status = THAW_ERROR_MEMORY;
    long n = 0;
    for (; status && n < 10000; n++) {
        ThawError error = {0};
        allowed = n;
        outstanding = 0;
        status = job(path, &error);
        assert_int_equal(outstanding, 0);
        assert_int_equal(error.status, status);
        assert_true(status == THAW_OK || status == THAW_ERROR_MEMORY);
    }
    assert_in_range(n, 10, 9999); // some failed, and at last none did
}

static void reading_survives_every_failing_allocation(void **state) {
    (void)state;
    fail_each_allocation_of(read_and_free, DATA "two-tets-22.msh");
    fail_each_allocation_of(read_and_free, DATA "two-tets-41.msh");
    fail_each_allocation_of(read_and_free, DATA "two-tets.mesh");
    fail_each_allocation_of(read_and_free, DATA "two-tets.node");
    fail_each_allocation_of(read_and_free, DATA "square.ele");
}

static void every_encoding_survives_every_failing_allocation(void **state) {
    (void)state;
    static const char *const files[] = {"b22.msh",      "b41.msh", "two.meshb",          "a42.vtk",  "b42.vtk",
                                        "a51.vtk",      "b51.vtk", "ascii.vtu",          "zlib.vtu", "base64.vtu",
                                        "raw-zlib.vtu", "raw.vtu", "appended64-zlib.vtu"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[1000];
        snprintf(path, sizeof path, "%smesh/%s", CORPUS, files[i]);
        fail_each_allocation_of(read_and_free, path);
    }
    static const char *const surfaces[] = {"a.stl", "b.stl", "a.ply", "b.ply", "groups.obj", "polygon.obj", "two.stl"};
    for (size_t i = 0; i < sizeof surfaces / sizeof *surfaces; i++) {
        char path[1000];
        snprintf(path, sizeof path, "%striangles/%s", CORPUS, surfaces[i]);
        fail_each_allocation_of(read_surface, path);
    }
}

static void writing_survives_every_failing_allocation(void **state) {
    (void)state;
    static const char *const files[] = {"a.msh", "a.vtu", "a.vtk", "a.mesh", "a.node",
                                        "a.obj", "a.ply", "a.stl", "a.ele"};
    char folder[] = "/tmp/thaw-memory-XXXXXX", path[200];
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        fail_each_allocation_of(write_box, path);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        remove(path);
    }
    assert_int_equal(remove(folder), 0); // no temporary file is left
}

static void topology_survives_every_failing_allocation(void **state) {
    (void)state;
    fail_each_allocation_of(take_apart, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_survives_every_failing_allocation),
        cmocka_unit_test(every_encoding_survives_every_failing_allocation),
        cmocka_unit_test(writing_survives_every_failing_allocation),
        cmocka_unit_test(topology_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
