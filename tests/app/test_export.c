// SPDX-License-Identifier: Apache-2.0
// `thaw export` and films: files that other programs read. What is in them is compared with the frames themselves;
// where independent readers are installed (assimp, ffprobe), they look too.
static const char program[] = THAW_PROGRAM;
#include "program.h"

#include <math.h>

static const char scene[] =
    "{\"thaw\": 1, \"time\": {\"step\": 0.01, \"steps\": 20}, \"output\": {\"every\": 5},\n"
    " \"materials\": {\"m\": {\"young\": 3e4, \"poisson\": 0.4}},\n"
    " \"shapes\": {\"s\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [0.3, 0.1, 0.1], \"cells\": [3, 1, 1]}}, "
    "\"material\": \"m\"}},\n"
    " \"obstacles\": [{\"name\": \"floor\", \"plane\": {\"normal\": [0, 0, 1]}}],\n"
    " \"bodies\": [{\"name\": \"left one\", \"shape\": \"s\", \"position\": [0, 0, 0.1]},\n"
    "              {\"name\": \"2\", \"shape\": \"s\", \"position\": [0, 0.3, 0.2]}]}\n";

static void run_scene(void) {
    write_text(at("two.json"), scene);
    expect("run @two.json --out @run --quiet", 0, "");
}

// Points of frame `number` as `--obj` wrote it.
static int read_obj(const char *name, float *x, int room) {
    size_t size;
    char *text = slurp(at(name), &size);
    int count = 0;
    for (char *line = text; line && count < room; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (line[0] == 'v' && line[1] == ' ' && sscanf(line, "v %f %f %f", x, x + 1, x + 2) == 3) {
            x += 3;
            count++;
        }
        if (!*line)
            break;
    }
    free(text);
    return count;
}

static float big_endian_float(const unsigned char *at_byte) {
    uint32_t bits = (uint32_t)at_byte[0] << 24 | (uint32_t)at_byte[1] << 16 | (uint32_t)at_byte[2] << 8 | at_byte[3];
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void point_caches_hold_the_points_of_their_mesh_in_every_frame(void **state) {
    (void)state;
    run_scene();
    expect("export @run --pc2 @a.pc2 --mdd @b.mdd --obj @f%d.obj", 0, "the mesh that it moves");
    float x[3 * 64];
    int count = read_obj("a.obj", x, 64);
    assert_int_equal(count, 32);
    size_t size;
    char *pc2 = slurp(at("a.pc2"), &size);
    assert_int_equal(size, 32 + 5 * count * 12);
    assert_memory_equal(pc2, "POINTCACHE2\0\1\0\0\0\40\0\0\0", 20);
    char *mdd = slurp(at("b.mdd"), &size);
    assert_int_equal(size, 8 + 5 * 4 + 5 * count * 12);
    for (int f = 0; f < 5; f++) {
        char name[32];
        float stored[3 * 64];
        snprintf(name, sizeof name, "f%d.obj", f);
        assert_int_equal(read_obj(name, x, 64), count);
        memcpy(stored, pc2 + 32 + f * count * 12, (size_t)count * 12);
        assert_true(fabsf(big_endian_float((unsigned char *)mdd + 8 + 4 * f) - 0.05f * (float)f) < 1e-6f);
        for (int i = 0; i < 3 * count; i++) {
            assert_true(fabsf(stored[i] - x[i]) < 1e-7f);
            assert_true(big_endian_float((unsigned char *)mdd + 28 + f * count * 12 + 4 * i) == stored[i]);
        }
    }
    free(pc2);
    free(mdd);
}

static void usd_has_a_mesh_a_body_and_a_sample_a_frame(void **state) {
    (void)state;
    run_scene();
    expect("export @run --usd @a.usda", 0, "5 frames");
    size_t size;
    char *text = slurp(at("a.usda"), &size);
    assert_memory_equal(text, "#usda 1.0\n", 10);
    assert_non_null(strstr(text, "def Mesh \"left_one\"")); // no spaces, and no digit first
    assert_non_null(strstr(text, "def Mesh \"_2\""));
    assert_non_null(strstr(text, "def Mesh \"floor\""));
    int samples = 0, open = 0;
    for (const char *c = text; (c = strstr(c, "\n            ")); c++)
        samples += c[13] >= '0' && c[13] <= '9';
    assert_int_equal(samples, 2 * 2 * 5); // points and extent, of two bodies; the floor stands still
    for (const char *c = text; *c; c++)
        open += (*c == '{' || *c == '[' || *c == '(') - (*c == '}' || *c == ']' || *c == ')');
    assert_int_equal(open, 0);
    free(text);
    expect("export @run --usd @bare.usda --no-obstacles", 0, "");
    text = slurp(at("bare.usda"), &size);
    assert_null(strstr(text, "floor"));
    free(text);
}

static int installed(const char *tool) {
    char line[128];
    snprintf(line, sizeof line, "command -v %s >/dev/null", tool);
    return system(line) == 0;
}

static void gltf_is_one_binary_file_that_assimp_reads(void **state) {
    (void)state;
    run_scene();
    expect("export @run --gltf @a.glb", 0, "5 frames");
    size_t size;
    char *bytes = slurp(at("a.glb"), &size);
    uint32_t head[5], chunk[2];
    memcpy(head, bytes, sizeof head);
    assert_int_equal(head[0], 0x46546C67);
    assert_int_equal(head[2], size);
    assert_int_equal(head[4], 0x4E4F534A);
    memcpy(chunk, bytes + 20 + head[3], sizeof chunk);
    assert_int_equal(chunk[1], 0x004E4942);
    assert_int_equal(28 + head[3] + chunk[0], size);
    free(bytes);
    if (!installed("assimp"))
        return;
    char line[1100], said_by[4096] = "";
    snprintf(line, sizeof line, "assimp info '%s' 2>&1 | grep -v %%", at("a.glb"));
    FILE *pipe = popen(line, "r");
    size_t length = fread(said_by, 1, sizeof said_by - 1, pipe);
    said_by[length] = 0;
    assert_int_equal(pclose(pipe), 0);
    assert_non_null(strstr(said_by, "left_one"));
    assert_non_null(strstr(said_by, "Animations:         1"));
}

static void vtkhdf_holds_every_frame(void **state) {
    (void)state;
    run_scene();
    expect("export @run --vtkhdf @a.vtkhdf", 0, "5 frames");
    size_t size;
    char *bytes = slurp(at("a.vtkhdf"), &size);
    assert_memory_equal(bytes, "\211HDF\r\n\032\n", 8);
    free(bytes);
    assert_int_equal(access(at("a.vtkhdf.tmp"), F_OK), -1);
    expect("export @run --vtkhdf /dev/full/a.vtkhdf", 2, "cannot write");
}

// A finer surface of the same bar, in millimetres and away from it, is moved onto the bodies; all of it then rides
// along.
static void a_finer_surface_rides_on_the_mesh(void **state) {
    (void)state;
    write_text(
        at("one.json"),
        "{\"thaw\": 1, \"time\": {\"step\": 0.01, \"steps\": 20}, \"output\": {\"every\": 20}, \"gravity\": "
        "[0, 0, -9.81],\n \"materials\": {\"m\": {\"young\": 3e4, \"poisson\": 0.4}},\n"
        " \"shapes\": {\"s\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [0.3, 0.1, 0.1], \"cells\": [3, "
        "1, 1]}}, \"material\": \"m\"}},\n \"bodies\": [{\"shape\": \"s\"}]}\n");
    expect("run @one.json --out @fall --quiet", 0, "");
    write_text(at("skin.obj"), "v 1000 0 0\nv 1300 0 0\nv 1000 100 0\nv 1000 0 100\nv 1300 100 100\nv 1150 50 110\n"
                               "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 5\nf 4 5 3\nf 2 5 6\nf 5 4 6\nf 4 2 6\n");
    expect("export @fall --skin @skin.obj --obj @s%d.obj", 0, "scaled by 0.001");
    float x[2][3 * 8];
    for (int f = 0; f < 2; f++)
        assert_int_equal(read_obj(f ? "s1.obj" : "s0.obj", x[f], 8), 6);
    for (int i = 0; i < 18; i++) // free fall: every point by the same way, the one outside too
        assert_true(fabsf(x[1][i] - x[0][i] - (i % 3 == 2 ? x[1][2] - x[0][2] : 0)) < 1e-6f);
    assert_true(x[1][2] - x[0][2] < -0.19f);
}

static void films_are_made_where_ffmpeg_is(void **state) {
    (void)state;
    run_scene();
    if (!installed("ffmpeg")) {
        expect("render @run -o @a.mp4 --size 160x90", 2, "apt install ffmpeg");
        return;
    }
    expect("render @run -o @a.mp4 --size 161x91", 0, "5 pictures");
    expect("render @run -o @a.gif --size 160x90 --fps 10", 0, "5 pictures");
    expect("render @run -o @a.webp --size 161x91 --fps 10", 0, "5 pictures");
    size_t size;
    char *moving = slurp(at("a.webp"), &size);
    assert_memory_equal(moving + 8, "WEBPVP8X", 8);
    assert_non_null(memmem(moving, size, "ANIM", 4));
    free(moving);
    char *bytes = slurp(at("a.mp4"), &size);
    assert_memory_equal(bytes + 4, "ftyp", 4);
    free(bytes);
    expect("render @run -o /dev/full/a.mp4 --size 160x90", 2, "ffmpeg");
}

// How many files of the folder have this in their name.
static int files_like(const char *part) {
    int count = 0;
    DIR *stream = opendir(folder);
    assert_non_null(stream);
    for (struct dirent *entry; (entry = readdir(stream));)
        count += strstr(entry->d_name, part) != NULL;
    closedir(stream);
    return count;
}

static void a_film_that_is_interrupted_leaves_nothing(void **state) {
    (void)state;
    run_scene();
    if (!installed("ffmpeg"))
        return;
    for (int i = 0; i < 2; i++) {
        pid_t pid = start("render @run -o @b.mp4 --size 1300x1200", at("said"));
        for (int begun = 0; !begun; usleep(1000)) {
            size_t size = 0;
            char *text = slurp(at("said"), &size);
            siginfo_t info = {0};
            begun = (text && strstr(text, "picture 1 of 5")) ||
                    (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid);
            free(text);
        }
        for (int twice = 0; twice < 2; twice++) // as `timeout` does
            kill(pid, i ? SIGINT : SIGTERM);
        const int status = finish(pid);
        if (status == 0) { // it was done before the signal came
            assert_int_equal(files_like("b.mp4"), 1);
            unlink(at("b.mp4"));
            continue;
        }
        assert_int_equal(status, 2);
        assert_non_null(strstr(said, "interrupted after"));
        assert_int_equal(files_like("b.mp4"), 0);
    }
}

static void wrong_wishes_are_refused(void **state) {
    (void)state;
    run_scene();
    expect("export", 1, "name the folder");
    expect("export @run", 1, "--html, --usd");
    expect("export @run --usd @a.usdc", 1, "ends in .usda");
    expect("export @run --gltf @a.gltf", 1, "ends in .glb");
    expect("export @run -o @a.txt", 1, "allowed: a name that ends in .html, .usda, .glb,");
    expect("export @run -o @o.glb", 0, "o.glb: 5 frames");
    expect("export @run --obj @a.obj", 1, "one place for the number");
    expect("export @run --obj @a%d%d.obj", 1, "one place for the number");
    expect("export @missing --usd @a.usda", 1, "missing");
    expect("export @run --skin @missing.obj --usd @a.usda", 1, "missing.obj");
    expect("export @run --usd /dev/full/a.usda", 2, "/dev/full");
    expect("export @run @run --usd @a.usda", 1, "one folder at a time");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(point_caches_hold_the_points_of_their_mesh_in_every_frame),
        cmocka_unit_test(usd_has_a_mesh_a_body_and_a_sample_a_frame),
        cmocka_unit_test(gltf_is_one_binary_file_that_assimp_reads),
        cmocka_unit_test(vtkhdf_holds_every_frame),
        cmocka_unit_test(a_finer_surface_rides_on_the_mesh),
        cmocka_unit_test(films_are_made_where_ffmpeg_is),
        cmocka_unit_test(a_film_that_is_interrupted_leaves_nothing),
        cmocka_unit_test(wrong_wishes_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
