// SPDX-License-Identifier: Apache-2.0
// Files that are not what they should be, disks that are full, runs that were killed, and bodies far from the origin.
static const char program[] = THAW_PROGRAM;

#include "app/program.h"
#include "output/clip.h"
#include "output/stream.h"
#include <math.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

enum { FAR = 5000000 };

// A small bar over a floor, at x = `place` and beside it a ball.
static void write_bar(const char *path, double place) {
    char text[2048];
    snprintf(text, sizeof text,
             "{\"thaw\": 1, \"time\": {\"step\": 0.01, \"steps\": 12},\n"
             " \"output\": {\"every\": 3, \"formats\": [\"vtu\", \"ply\"], \"checkpoint_every\": 3},\n"
             " \"materials\": {\"rubber\": {\"density\": 1000, \"young\": 1e5, \"poisson\": 0.4}},\n"
             " \"shapes\": {\"bar\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [0.6, 0.1, 0.1], \"cells\": "
             "[6, 2, 2]}}, \"material\": \"rubber\"}},\n"
             " \"obstacles\": [{\"plane\": {\"normal\": [0, 0, 1]}, \"position\": [%.17g, 0, -0.001]},\n"
             "  {\"sphere\": {\"radius\": 0.2}, \"position\": [%.17g, 0, 0.2]}],\n"
             " \"bodies\": [{\"name\": \"bar\", \"shape\": \"bar\", \"position\": [%.17g, 0, 0]}]}\n",
             place, place + 1, place);
    write_text(path, text);
}

// --- full disks ------------------------------------------------------------------------------------------------------

static void a_full_disk_is_told_and_leaves_nothing_behind(void **state) {
    (void)state;
    static const char *const formats[] = {"vtkhdf", "usd", "gltf", "pc2", "html"}, *const files[] = {
                                                                                       "full.vtkhdf", "full.usda",
                                                                                       "full.glb", "full.pc2",
                                                                                       "full.html"};
    struct rlimit before, small;
    write_bar(at("bar.json"), 0);
    expect("run @bar.json --out @run --quiet", 0, "");
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 2048; // a disk that ends there
    signal(SIGXFSZ, SIG_IGN);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char line[200], left[100];
        snprintf(line, sizeof line, "export @run --%s @%s", formats[i], files[i]);
        snprintf(left, sizeof left, "%s.tmp", files[i]);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        int status = thaw(line);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        if (strstr(said, "without the web page"))
            continue;
        if (status != 2 || !strstr(said, "File too large"))
            fail_msg("thaw %s: status %d; it said: %s", line, status, said);
        assert_int_not_equal(access(at(files[i]), F_OK), 0);
        assert_int_not_equal(access(at(left), F_OK), 0);
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int status = thaw("run @bar.json --out @other --quiet");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, 2);
    signal(SIGXFSZ, SIG_DFL);
}

// The same with a true one, where a file system can be mounted without rights. Status 77: it cannot.
static int export_to_small_disk(void) {
    if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) || mkdir(at("disk"), 0777) ||
        mount("none", at("disk"), "tmpfs", 0, "size=8k"))
        return 77;
    int status = thaw("export @run --vtkhdf @disk/a.vtkhdf");
    int clean = access(at("disk/a.vtkhdf"), F_OK) && access(at("disk/a.vtkhdf.tmp"), F_OK);
    return status == 2 && strstr(said, "No space left") && clean ? 0 : 1;
}

static void a_disk_without_room_is_told(void **state) {
    (void)state;
    int status;
    pid_t pid = fork();
    if (pid == 0)
        _exit(export_to_small_disk());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

// --- what is no file -------------------------------------------------------------------------------------------------

static void replace_by_pipe(const char *name) {
    assert_int_equal(unlink(at(name)), 0);
    assert_int_equal(mkfifo(at(name), 0600), 0);
}

static void a_pipe_is_refused_and_not_waited_for(void **state) {
    (void)state;
    write_bar(at("bar.json"), 0);
    static const char *const names[] = {"run/run.json", "run/checkpoint.h5", "run/frames.pvd", "run/steps.csv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        expect("run @bar.json --out @run --quiet", 0, "");
        replace_by_pipe(names[i]);
        expect("run @bar.json --out @run --resume --quiet", i == 3 ? 1 : 2, "not a plain file");
        assert_int_equal(unlink(at(names[i])), 0);
    }
    expect("run @bar.json --out @run --quiet", 0, "");
    replace_by_pipe("run/run.json");
    expect("export @run --usd @a.usda", 2, "not a plain file");
    assert_int_equal(unlink(at("run/run.json")), 0);
    assert_int_equal(mkfifo(at("pipe.json"), 0600), 0);
    expect("run @pipe.json --quiet", 1, "a named pipe; allowed: a JSON file, or /dev/stdin");
    expect("check @pipe.json", 1, "a named pipe");
    write_text(at("mesh.json"), "{\"thaw\": 1, \"shapes\": {\"a\": {\"mesh\": {\"file\": \"pipe.msh\"}, \"material\": "
                                "\"silicone\"}}, \"bodies\": [{\"shape\": \"a\"}]}");
    assert_int_equal(mkfifo(at("pipe.msh"), 0600), 0);
    expect("run @mesh.json --quiet", 1, "not a regular file");
}

// What the shell hands over is none that one could wait for in vain.
static void a_scene_may_come_through_standard_input(void **state) {
    (void)state;
    char line[1024];
    write_bar(at("bar.json"), 0);
    snprintf(line, sizeof line, "cat %s | %s run /dev/stdin --steps 1 --quiet --out %s", at("bar.json"), program,
             at("piped"));
    assert_int_equal(system(line), 0);
}

// --- killed runs -----------------------------------------------------------------------------------------------------

static void leftovers_of_a_killed_run_are_removed(void **state) {
    (void)state;
    static const char *const names[] = {"run/run.json.tmp",         "run/scene.json.tmp",
                                        "run/checkpoint.h5.tmp",    "run/frames.pvd.tmp",
                                        "run/obstacles.vtu.tmp",    "run/frame_000000.vtu.tmp",
                                        "run/frame_000001.ply.tmp", "run/obstacles_000001.vtu.tmp"};
    write_bar(at("bar.json"), 0);
    expect("run @bar.json --out @run --quiet --steps 6", 0, "");
    for (int resumed = 1; resumed >= 0; resumed--) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            write_text(at(names[i]), "half");
        write_text(at("run/mine.tmp"), "not thaw's");
        expect(resumed ? "run @bar.json --out @run --quiet --resume" : "run @bar.json --out @run --quiet", 0, "");
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            assert_int_not_equal(access(at(names[i]), F_OK), 0);
        assert_int_equal(access(at("run/mine.tmp"), F_OK), 0);
    }
}

static void obstacles_are_the_same_bytes_after_a_stop(void **state) {
    (void)state;
    size_t one, two;
    write_bar(at("bar.json"), 0);
    expect("run @bar.json --out @whole --quiet", 0, "");
    expect("run @bar.json --out @parts --quiet --steps 6", 0, "");
    expect("run @bar.json --out @parts --quiet --resume", 0, "");
    char *a = slurp(at("whole/obstacles.vtu"), &one), *b = slurp(at("parts/obstacles.vtu"), &two);
    assert_true(a && b && one == two);
    assert_memory_equal(a, b, one);
    free(a);
    free(b);
}

// --- far away --------------------------------------------------------------------------------------------------------

// Largest difference of the frames' points once the origin of each is taken off.
static double apart(const double *near, const double *far, int64_t count) {
    double most = 0;
    for (int64_t i = 0; i < 3 * count; i++)
        most = fmax(most, fabs((near[i] - near[i % 3]) - (far[i] - far[i % 3])));
    return most;
}

static void read_both(ThawReplay *replay[2], ThawFrameData *frame[2]) {
    static const char *const names[] = {"near", "far"};
    for (int i = 0; i < 2; i++) {
        ThawError error = {0};
        if (thaw_replay_open(at(names[i]), &replay[i], &error) || thaw_replay_read(replay[i], 1, &frame[i], &error))
            fail_msg("%s", error.message);
    }
}

static void far_from_the_origin_frames_keep_their_shape(void **state) {
    (void)state;
    ThawReplay *replay[2];
    ThawFrameData *frame[2];
    const double size = 0.6;
    write_bar(at("near.json"), 0);
    write_bar(at("far.json"), FAR);
    expect("run @near.json --out @near --quiet --threads 1", 0, "");
    expect("run @far.json --out @far --quiet --threads 1", 0, "");
    read_both(replay, frame);
    assert_true(!thaw_frame_is_far(frame[0]) && thaw_frame_is_far(frame[1]));
    // The runs themselves agree to rounding, and frames near the origin are floats.
    assert_true(apart(frame[0]->x, frame[1]->x, frame[0]->point_count) < 1e-6 * size);
    for (int k = 0; k < 2; k++) {
        ThawClip *clip;
        double time;
        ThawError error = {0};
        assert_int_equal(thaw_clip_open(replay[k], &(ThawClipDef){0}, &clip, &error), THAW_OK);
        float *x = calloc(3 * (size_t)clip->point_count, sizeof *x);
        double *whole = calloc(3 * (size_t)clip->point_count, sizeof *whole);
        assert_true(x && whole);
        assert_int_equal(thaw_clip_read(clip, 1, x, &time, &error), THAW_OK);
        assert_int_equal(thaw_clip_read_whole(clip, 1, whole, &time, &error), THAW_OK);
        for (int64_t i = 0; i < 3 * (int64_t)clip->point_count; i++)
            assert_true(fabs((double)x[i] + clip->origin[i % 3] - whole[i]) < 1e-6 * size);
        assert_int_equal(clip->moved, k);
        free(x);
        free(whole);
        thaw_clip_free(&clip);
    }
    for (int k = 0; k < 2; k++) {
        thaw_frame_data_free(&frame[k]);
        thaw_replay_free(&replay[k]);
    }
}

static void far_from_the_origin_the_page_keeps_the_shape(void **state) {
    (void)state;
    ThawReplay *replay[2];
    ThawFrameData *frame[2];
    read_both(replay, frame);
    for (int k = 0; k < 2; k++) {
        ThawStreamMesh *mesh;
        ThawError error = {0};
        assert_int_equal(thaw_stream_mesh_create(frame[k]->nodes, 1, frame[k]->body, frame[k]->point_count,
                                                 frame[k]->cells, frame[k]->cell_count, 0, &mesh, &error),
                         THAW_OK);
        thaw_stream_mesh_settle(mesh, frame[k]->x);
        assert_true(k ? fabs(mesh->origin[0] - FAR) < 1 : mesh->origin[0] == 0);
        ThawStream *stream;
        const unsigned char *bytes;
        size_t length;
        assert_int_equal(thaw_stream_create(mesh, THAW_STREAM_LIVE, 0, &stream, &error), THAW_OK);
        thaw_stream_begin(stream);
        thaw_stream_positions(stream, frame[k]->x);
        assert_int_equal(thaw_stream_end(stream, 0, 0, 0, "", &bytes, &length, &error), THAW_OK);
        // 16 bits between low and high: what they say, and the first vertex, must be near zero and fine.
        const char *low = memmem(bytes, length, "\"low\": [", 8);
        assert_non_null(low);
        assert_true(fabs(atof(low + 8)) < 2);
        thaw_stream_free(&stream);
        thaw_stream_mesh_free(&mesh);
        thaw_frame_data_free(&frame[k]);
        thaw_replay_free(&replay[k]);
    }
    expect("export @far --usd @far.usda --gltf @far.glb --pc2 @far.pc2 --vtkhdf @far.vtkhdf", 0,
           "both count from (5000000");
    size_t size;
    char *text = slurp(at("far.usda"), &size);
    assert_non_null(strstr(text, "double3 xformOp:translate = (5000000."));
    free(text);
    text = slurp(at("far/frame_000001.ply"), &size);
    assert_non_null(strstr(text, "property double x"));
    free(text);
}

// --- beforehand ------------------------------------------------------------------------------------------------------

static void what_is_far_or_long_is_told_beforehand(void **state) {
    (void)state;
    write_bar(at("far.json"), FAR);
    expect("check @far.json", 0, "[far-away]");
    write_bar(at("lost.json"), 1e9); // as far as a scene may put it
    expect("check @lost.json", 0, "[few-digits]");
    char text[1024];
    snprintf(
        text, sizeof text,
        "{\"thaw\": 1, \"time\": {\"step\": 0.01, \"steps\": 1000000000},\n"
        " \"shapes\": {\"a\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1], \"cells\": [9, 9, 9]}}, "
        "\"material\": \"silicone\"}},\n \"bodies\": [{\"shape\": \"a\"}]}\n");
    write_text(at("long.json"), text);
    expect("check @long.json", 0, "[long-run]");
    expect("check @long.json", 0, "[much-output]");
    pid_t pid = start("run @long.json --out @long", at("said"));
    for (int i = 0; i < 600 && !strstr(said, "has room for"); i++) {
        size_t size = 0;
        usleep(50000);
        char *so_far = slurp(at("said"), &size);
        snprintf(said, sizeof said, "%s", so_far ? so_far : "");
        free(so_far);
    }
    kill(pid, SIGKILL);
    finish(pid);
    assert_non_null(strstr(said, "warning: 1000000000 steps take about"));
    assert_non_null(strstr(said, "has room for"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_disk_is_told_and_leaves_nothing_behind),
        cmocka_unit_test(a_disk_without_room_is_told),
        cmocka_unit_test(a_pipe_is_refused_and_not_waited_for),
        cmocka_unit_test(a_scene_may_come_through_standard_input),
        cmocka_unit_test(leftovers_of_a_killed_run_are_removed),
        cmocka_unit_test(obstacles_are_the_same_bytes_after_a_stop),
        cmocka_unit_test(far_from_the_origin_frames_keep_their_shape),
        cmocka_unit_test(far_from_the_origin_the_page_keeps_the_shape),
        cmocka_unit_test(what_is_far_or_long_is_told_beforehand),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
