// SPDX-License-Identifier: Apache-2.0
// Every allocation of streams and pages is made to fail once: the error must come out, and nothing may leak (the
// address sanitizer looks after that).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/memory.h"
#include "view_page.h"
#include "view_world.h"

extern const char app_page[];
extern const size_t app_page_size;
const char app_page[] = "<!doctype html><body><!--thaw-data--></body>";
const size_t app_page_size = sizeof app_page - 1;

static char path[] = "/tmp/thaw-alloc-view-XXXXXX";

static ThawStatus encode(const ThawWorld *world, ThawStreamKind kind, ViewWorld *shown, ViewPage *page,
                         ThawError *error) {
    ThawStream *stream = NULL;
    ThawStatus status = thaw_stream_create(shown->mesh, kind, 0, &stream, error);
    for (int i = 0; i < 2 && status == THAW_OK; i++) {
        const unsigned char *bytes;
        size_t size;
        status = view_world_encode(shown, world, VIEW_ALL_FIELDS, i, "", stream, &bytes, &size, error);
        if (status == THAW_OK && kind == THAW_STREAM_FILE)
            status = view_page_add(page, bytes, size, error);
    }
    thaw_stream_free(&stream);
    return status;
}

static ThawStatus work(const ThawWorld *world, int interior, ThawError *error) {
    ViewWorld shown = {0};
    ViewPage *page = NULL;
    char *header = NULL;
    const double nowhere[3] = {0};
    ThawStatus status = view_world_create(world, interior, nowhere, 0, &shown, error);
    if (status == THAW_OK)
        status = view_page_create(&page, error);
    if (status == THAW_OK)
        status = encode(world, THAW_STREAM_LIVE, &shown, page, error);
    if (status == THAW_OK)
        status = encode(world, THAW_STREAM_FILE, &shown, page, error);
    if (status == THAW_OK) {
        ViewHello hello = {.scene = "box", .title = "a box", .views = 1, .view_names = {"box"}, .shapes = json_array()};
        header = view_world_hello(&shown, world, &hello, error);
        status = header ? THAW_OK : error->status;
    }
    if (status == THAW_OK)
        status = view_page_write(page, header, path, error);
    free(header);
    view_page_free(&page);
    view_world_clear(&shown);
    return status;
}

static ThawWorld *make_world(int dim) {
    ThawMesh *mesh;
    ThawError error = {0};
    assert_int_equal(thaw_mesh_box(dim, (double[]){0, 0, 0}, (double[]){1, 1, 1}, (int32_t[]){1, 1, 1}, &mesh, &error),
                     THAW_OK);
    ThawMaterialDef material = thaw_material_def_default();
    ThawShapeDef shape = thaw_shape_def_default();
    ThawObstacleDef floor = thaw_obstacle_def_default();
    shape.mesh = mesh;
    shape.name = floor.name = "box";
    floor.position[dim - 1] = -1;
    ThawBodyDef body = thaw_body_def_default();
    body.name = "box";
    body.method = "rigidify";
    ThawWorldDef def = thaw_world_def_default();
    def.dim = dim;
    def.materials = &material;
    def.shapes = &shape;
    def.bodies = &body;
    def.obstacles = &floor;
    def.material_count = def.shape_count = def.body_count = def.obstacle_count = 1;
    ThawWorld *world;
    if (thaw_world_create(&def, &world, &error) != THAW_OK)
        fail_msg("%s", error.message);
    thaw_mesh_free(&mesh);
    return world;
}

static void every_failed_allocation_is_reported_and_nothing_leaks(void **state) {
    (void)state;
    const int handle = mkstemp(path);
    assert_true(handle >= 0);
    close(handle);
    for (int dim = 2; dim <= 3; dim++)
        for (int interior = 0; interior < 2; interior++) {
            ThawWorld *world = make_world(dim);
            ThawStatus status = THAW_ERROR_MEMORY;
            int failures = 0;
            for (; status != THAW_OK; failures++) {
                ThawError error = {0};
                until_failure = failures;
                status = work(world, interior, &error);
                until_failure = -1;
                if (status != THAW_OK) {
                    assert_int_equal(status, THAW_ERROR_MEMORY);
                    assert_non_null(strstr(error.message, "memory"));
                }
                assert_true(failures < 1000);
            }
            assert_true(failures > 30);
            thaw_world_free(&world);
        }
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_failed_allocation_is_reported_and_nothing_leaks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
