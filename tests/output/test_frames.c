// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "output/frame_data.h"
#include "output/output.h"
#include "support/folder.h"

// Two boxes of 2 x 1 (x 1) cells, one beside the other.
static ThawWorld *make_world_of(int dim, const char *method) {
    ThawMesh *mesh;
    ThawError error = {0};
    assert_int_equal(thaw_mesh_box(dim, (double[]){0, 0, 0}, (double[]){2, 1, 1}, (int32_t[]){2, 1, 1}, &mesh, &error),
                     THAW_OK);
    ThawMaterialDef material = {
        .name = "m", .model = THAW_MATERIAL_STABLE_NEO_HOOKEAN, .density = 1000, .young = 1e6, .poisson = 0.3};
    ThawShapeDef shape = thaw_shape_def_default();
    shape.name = "box";
    shape.mesh = mesh;
    ThawBodyDef bodies[2] = {thaw_body_def_default(), thaw_body_def_default()};
    bodies[0].name = "left";
    bodies[1].name = "right";
    bodies[1].position[0] = 5;
    bodies[1].method = method;
    ThawWorldDef def = thaw_world_def_default();
    def.dim = dim;
    def.materials = &material;
    def.material_count = 1;
    def.shapes = &shape;
    def.shape_count = 1;
    def.bodies = bodies;
    def.body_count = 2;
    def.rigidify.smallest = 1;
    ThawWorld *world;
    if (thaw_world_create(&def, &world, &error) != THAW_OK)
        fail_msg("%s", error.message);
    thaw_mesh_free(&mesh);
    return world;
}

static ThawWorld *make_world(int dim) { return make_world_of(dim, "full"); }

static ThawFrames *make_frames(const ThawWorld *world, unsigned formats, int bits) {
    ThawFramesDef def = thaw_frames_def_default();
    ThawFrames *frames;
    ThawError error = {0};
    def.folder = folder;
    def.formats = formats;
    def.bits = bits;
    if (thaw_frames_create(world, &def, &frames, &error) != THAW_OK)
        fail_msg("%s", error.message);
    return frames;
}

static void a_vtu_frame_reads_back_as_the_world(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++)
        for (int bits = 32; bits <= 64; bits += 32) {
            ThawWorld *world = make_world(dim);
            ThawFrames *frames = make_frames(world, THAW_FRAMES_VTU, bits);
            ThawError error = {0};
            assert_int_equal(thaw_frames_write(frames, world, 0, &error), THAW_OK);
            ThawFrameData *d;
            if (thaw_vtu_read(at("frame_000000.vtu"), &d, &error) != THAW_OK)
                fail_msg("%s", error.message);
            int32_t n = thaw_world_vertex_count(world, 0), m = thaw_world_element_count(world, 0);
            assert_int_equal(d->nodes, dim + 1);
            assert_int_equal(d->point_count, 2 * n);
            assert_int_equal(d->cell_count, 2 * m);
            assert_int_equal(d->body_count, 2);
            double *x = THAW_NEW(double, dim *n);
            int32_t *ids = THAW_NEW(int32_t, (dim + 1) * m);
            assert_int_equal(thaw_world_get_positions(world, 1, x), THAW_OK);
            assert_int_equal(thaw_world_get_elements(world, 1, ids), THAW_OK);
            for (int32_t i = 0; i < n; i++) {
                assert_int_equal(d->body[n + i], 1);
                for (int k = 0; k < 3; k++) {
                    double want = k < dim ? x[dim * i + k] : 0;
                    assert_true(d->x[3 * (n + i) + k] == (bits == 64 ? want : (double)(float)want));
                }
            }
            for (int32_t i = 0; i < (dim + 1) * m; i++)
                assert_int_equal(d->cells[(dim + 1) * m + i], n + ids[i]);
            thaw_free(x);
            thaw_free(ids);
            thaw_frame_data_free(&d);
            thaw_frames_free(&frames);
            thaw_world_free(&world);
        }
}

// The right box falls freely: it soon moves as one, and the frame says so.
static void a_frame_of_an_adaptive_world_holds_every_field(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        ThawWorld *world = make_world_of(dim, "rigidify");
        ThawFrames *frames = make_frames(world, THAW_FRAMES_VTU, 64);
        ThawError error = {0};
        ThawStepStats stats = {0};
        for (int i = 0; i < 15; i++)
            assert_int_equal(thaw_world_step(world, &stats, &error), THAW_OK);
        assert_int_equal(stats.rigid_parts, 1);
        assert_int_equal(thaw_frames_write(frames, world, 0, &error), THAW_OK);
        ThawFrameData *d;
        if (thaw_vtu_read(at("frame_000000.vtu"), &d, &error) != THAW_OK)
            fail_msg("%s", error.message);
        assert_int_equal(d->step, 15);
        assert_non_null(d->thresholds);
        assert_true(d->thresholds[0] < 0 && d->thresholds[2] > 0); // full, rigidify
        for (int32_t i = 0; i < thaw_field_count(); i++) {
            const ThawField *field = thaw_field(i);
            if (field->use >= THAW_FIELD_SHEETS) { // there is none
                assert_null(d->fields[i]);
                continue;
            }
            assert_non_null(d->fields[i]);
            size_t first = 0;
            for (int32_t b = 0; b < 2; b++) {
                size_t count = (size_t)field->components * (size_t)(field->place == THAW_FIELD_VERTEX
                                                                        ? thaw_world_vertex_count(world, b)
                                                                        : thaw_world_element_count(world, b));
                double *want = THAW_NEW(double, count);
                assert_int_equal(thaw_world_get_field(world, b, i, want), THAW_OK);
                for (size_t k = 0; k < count; k++)
                    assert_true(d->fields[i][first + k] == want[k] ||
                                d->fields[i][first + k] == (double)(float)want[k]);
                first += count;
                thaw_free(want);
            }
            assert_int_equal(first, thaw_frame_field_size(d, i));
        }
        const double *part = d->fields[thaw_field_find("part")];
        assert_true(part[0] == -1 && part[d->cell_count - 1] == 0);
        thaw_frame_data_free(&d);
        thaw_frames_free(&frames);
        thaw_world_free(&world);
    }
}

static int count_text(const char *name, const char *what) {
    char *text;
    size_t size;
    assert_int_equal(thaw_file_read(at(name), &text, &size, NULL), THAW_OK);
    int count = 0;
    for (const char *at = text; (at = strstr(at, what)); at++)
        count++;
    thaw_free(text);
    return count;
}

static void frames_of_a_full_world_are_not_burdened_with_adaptive_fields(void **state) {
    (void)state;
    ThawWorld *world = make_world(3);
    ThawFrames *frames = make_frames(world, THAW_FRAMES_VTU, 32);
    assert_int_equal(thaw_frames_write(frames, world, 0, NULL), THAW_OK);
    assert_int_equal(count_text("frame_000000.vtu", "Name=\"von_mises\""), 1);
    assert_int_equal(count_text("frame_000000.vtu", "Name=\"contact_pressure\""), 1);
    assert_int_equal(count_text("frame_000000.vtu", "Name=\"strain_rate\""), 0);
    assert_int_equal(count_text("frame_000000.vtu", "Name=\"part\""), 0);
    assert_int_equal(count_text("frame_000000.vtu", "Name=\"thresholds\""), 0);
    thaw_frames_free(&frames);
    thaw_world_free(&world);
}

// A hand-written triangle with a category that does not exist, and one with values that are none.
static void values_that_a_field_does_not_allow_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *name, *value, *complaint;
    } cases[] = {{"state", "3", "the array \"state\" holds 3; allowed are whole numbers from 0 to 2"},
                 {"part", "-2", "the array \"part\" holds -2; allowed are whole numbers from -1"},
                 {"reason", "0.5", "the array \"reason\" holds 0.5"},
                 {"region", "-1", NULL},
                 {"strain_rate", "1e-7", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ThawError error = {0};
        ThawFrameData *d;
        FILE *file = fopen(at("hand.vtu"), "w");
        fprintf(file,
                "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
                "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n"
                "<Piece NumberOfPoints=\"3\" NumberOfCells=\"1\">\n"
                "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0 1 0 0 0 1 0"
                "</DataArray></Points>\n<Cells>"
                "<DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2</DataArray>"
                "<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">3</DataArray>"
                "<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">5</DataArray></Cells>\n"
                "<CellData><DataArray type=\"Float64\" Name=\"%s\" format=\"ascii\">%s</DataArray></CellData>\n"
                "</Piece>\n</UnstructuredGrid>\n</VTKFile>\n",
                cases[i].name, cases[i].value);
        fclose(file);
        ThawStatus status = thaw_vtu_read(at("hand.vtu"), &d, &error);
        if (cases[i].complaint) {
            assert_int_equal(status, THAW_ERROR_INPUT);
            if (!strstr(error.message, cases[i].complaint))
                fail_msg("%s", error.message);
            continue;
        }
        assert_int_equal(status, THAW_OK);
        assert_non_null(d->fields[thaw_field_find(cases[i].name)]);
        assert_null(d->fields[thaw_field_find("part")]);
        assert_int_equal(d->step, -1);
        thaw_frame_data_free(&d);
    }
}

static void obj_and_ply_hold_the_surface_of_each_body(void **state) {
    (void)state;
    ThawError error = {0};
    ThawWorld *world = make_world(3);
    ThawFrames *frames = make_frames(world, THAW_FRAMES_OBJ | THAW_FRAMES_PLY, 32);
    assert_int_equal(thaw_frames_keep(frames, -1, NULL, &error), THAW_OK);
    assert_int_equal(thaw_frames_write(frames, world, 7, &error), THAW_OK);
    // 2 x 1 x 1 cells: 12 vertices, all outside; 10 squares of two triangles.
    assert_int_equal(count_text("frame_000007.obj", "\nv "), 24);
    assert_int_equal(count_text("frame_000007.obj", "\nf "), 40);
    assert_int_equal(count_text("frame_000007.obj", "\no "), 2);
    assert_int_equal(count_text("frame_000007.obj", "\no right\n"), 1);
    char *bytes;
    size_t size;
    assert_int_equal(thaw_file_read(at("frame_000007.ply"), &bytes, &size, NULL), THAW_OK);
    const char *body = strstr(bytes, "end_header\n") + strlen("end_header\n");
    assert_non_null(strstr(bytes, "element vertex 24\n"));
    assert_non_null(strstr(bytes, "element face 40\n"));
    assert_int_equal(size - (size_t)(body - bytes), 24 * 16 + 40 * 13);
    thaw_free(bytes);
    assert_int_equal(access(at("frames.pvd"), F_OK), -1);
    thaw_frames_free(&frames);
    thaw_world_free(&world);
}

static void the_index_lists_complete_frames_and_forgets_a_lost_future(void **state) {
    (void)state;
    ThawError error = {0};
    ThawWorld *world = make_world(2);
    ThawFrames *frames = make_frames(world, THAW_FRAMES_VTU, 32);
    int64_t removed;
    assert_int_equal(thaw_frames_keep(frames, -1, &removed, &error), THAW_OK);
    for (int64_t i = 0; i < 300; i++)
        assert_int_equal(thaw_frames_write(frames, world, i, &error), THAW_OK);
    // Of a run that is killed here, all but a few of the last frames are listed.
    assert_in_range(count_text("frames.pvd", "<DataSet "), 300 - 300 / 64, 300);
    assert_int_equal(count_text("frames.pvd", "</VTKFile>"), 1);
    assert_int_equal(thaw_frames_sync(frames, &error), THAW_OK);
    thaw_frames_free(&frames);
    assert_int_equal(count_text("frames.pvd", "<DataSet "), 300);
    frames = make_frames(world, THAW_FRAMES_VTU, 32);
    assert_int_equal(thaw_frames_keep(frames, 99, &removed, &error), THAW_OK);
    assert_int_equal(removed, 200);
    assert_int_equal(count_text("frames.pvd", "<DataSet "), 100);
    assert_int_equal(access(at("frame_000099.vtu"), F_OK), 0);
    assert_int_equal(access(at("frame_000100.vtu"), F_OK), -1);
    assert_int_equal(thaw_frames_write(frames, world, 100, &error), THAW_OK);
    assert_int_equal(thaw_frames_sync(frames, &error), THAW_OK);
    assert_int_equal(count_text("frames.pvd", "<DataSet "), 101);
    assert_int_equal(count_text("frames.pvd", "frame_000100.vtu"), 1);
    FILE *mine = fopen(at("frame_notes.txt"), "w");
    fclose(mine);
    assert_int_equal(thaw_frames_keep(frames, -1, &removed, &error), THAW_OK);
    assert_int_equal(removed, 101);
    assert_int_equal(access(at("frame_notes.txt"), F_OK), 0);
    assert_int_equal(access(at("frames.pvd"), F_OK), -1);
    thaw_frames_free(&frames);
    thaw_world_free(&world);
}

static void an_index_that_got_lost_is_made_from_the_frames(void **state) {
    (void)state;
    ThawError error = {0};
    ThawWorld *world = make_world(3);
    ThawFrames *frames = make_frames(world, THAW_FRAMES_VTU, 32);
    assert_int_equal(thaw_frames_keep(frames, -1, NULL, &error), THAW_OK);
    for (int64_t i = 0; i < 5; i++) {
        assert_int_equal(thaw_frames_write(frames, world, i, &error), THAW_OK);
        assert_int_equal(thaw_world_step(world, NULL, &error), THAW_OK);
    }
    char *before, *after;
    size_t size, other;
    assert_int_equal(thaw_file_read(at("frames.pvd"), &before, &size, NULL), THAW_OK);
    assert_int_equal(unlink(at("frames.pvd")), 0);
    thaw_frames_free(&frames);
    frames = make_frames(world, THAW_FRAMES_VTU, 32);
    int64_t removed;
    assert_int_equal(thaw_frames_keep(frames, INT64_MAX, &removed, &error), THAW_OK);
    assert_int_equal(removed, 0);
    assert_int_equal(thaw_file_read(at("frames.pvd"), &after, &other, NULL), THAW_OK);
    assert_string_equal(before, after);
    thaw_free(before);
    thaw_free(after);
    assert_true(thaw_frames_has(frames, 4));
    assert_false(thaw_frames_has(frames, 5));
    // A frame in the middle that is written again keeps its place, and the others theirs.
    assert_int_equal(thaw_frames_write(frames, world, 2, &error), THAW_OK);
    assert_int_equal(thaw_frames_sync(frames, &error), THAW_OK);
    assert_int_equal(count_text("frames.pvd", "<DataSet "), 5);
    assert_int_equal(thaw_frames_keep(frames, -1, NULL, &error), THAW_OK);
    thaw_frames_free(&frames);
    thaw_world_free(&world);
}

static void damaged_frames_are_refused_and_never_crash(void **state) {
    (void)state;
    ThawError error = {0};
    ThawWorld *world = make_world_of(3, "rigidify"); // its frames hold every field
    ThawFrames *frames = make_frames(world, THAW_FRAMES_VTU, 32);
    assert_int_equal(thaw_frames_write(frames, world, 0, &error), THAW_OK);
    char *bytes;
    size_t size;
    assert_int_equal(thaw_file_read(at("frame_000000.vtu"), &bytes, &size, NULL), THAW_OK);
    uint64_t random = 7;
    int refused = 0;
    for (int trial = 0; trial < 4000; trial++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        size_t place = (size_t)(random >> 24) % size, length = size;
        char kept = bytes[place];
        if (trial % 4 == 0)
            length = place;
        else
            bytes[place] = (char)(random >> 56);
        FILE *file = fopen(at("broken.vtu"), "wb");
        fwrite(bytes, 1, length, file);
        fclose(file);
        bytes[place] = kept;
        ThawFrameData *d;
        if (thaw_vtu_read(at("broken.vtu"), &d, &error) == THAW_OK) {
            ThawSkin skin;
            for (int32_t f = 0; f < thaw_field_count(); f++)
                for (size_t k = 0; d->fields[f] && thaw_field(f)->category_count > 0 && k < thaw_frame_field_size(d, f);
                     k++)
                    assert_true(d->fields[f][k] >= 0 && d->fields[f][k] < thaw_field(f)->category_count);
            if (thaw_skin_build(d->point_count, d->nodes, d->cells, d->cell_count, &skin, &error) == THAW_OK)
                thaw_skin_clear(&skin);
            thaw_frame_data_free(&d);
        } else {
            assert_null(d);
            refused++;
        }
    }
    assert_true(refused > 1000);
    thaw_free(bytes);
    thaw_frames_free(&frames);
    thaw_world_free(&world);
}

static void a_place_that_cannot_be_written_is_named(void **state) {
    (void)state;
    ThawError error = {0};
    ThawWorld *world = make_world(2);
    ThawFrames *frames;
    ThawFramesDef def = thaw_frames_def_default();
    assert_int_equal(thaw_frames_create(world, &def, &frames, &error), THAW_ERROR_INPUT);
    def.folder = "/dev/null/frames";
    assert_int_equal(thaw_frames_create(world, &def, &frames, &error), THAW_ERROR_IO);
    assert_non_null(strstr(error.message, "/dev/null"));
    def.folder = folder;
    def.bits = 16;
    assert_int_equal(thaw_frames_create(world, &def, &frames, &error), THAW_ERROR_INPUT);
    frames = make_frames(world, THAW_FRAMES_VTU, 32);
    assert_int_equal(mkdir(at("frame_000003.vtu"), 0700), 0);
    assert_int_equal(thaw_frames_write(frames, world, 3, &error), THAW_ERROR_IO);
    assert_non_null(strstr(error.message, "frame_000003.vtu"));
    assert_int_equal(access(at("frame_000003.vtu.tmp"), F_OK), -1);
    assert_int_equal(rmdir(at("frame_000003.vtu")), 0);
    thaw_frames_free(&frames);
    thaw_world_free(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vtu_frame_reads_back_as_the_world),
        cmocka_unit_test(a_frame_of_an_adaptive_world_holds_every_field),
        cmocka_unit_test(frames_of_a_full_world_are_not_burdened_with_adaptive_fields),
        cmocka_unit_test(values_that_a_field_does_not_allow_are_refused),
        cmocka_unit_test(obj_and_ply_hold_the_surface_of_each_body),
        cmocka_unit_test(the_index_lists_complete_frames_and_forgets_a_lost_future),
        cmocka_unit_test(an_index_that_got_lost_is_made_from_the_frames),
        cmocka_unit_test(damaged_frames_are_refused_and_never_crash),
        cmocka_unit_test(a_place_that_cannot_be_written_is_named),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
