// SPDX-License-Identifier: Apache-2.0
static const char program[] = THAW_PROGRAM;

#include "app/program.h"

#include <jansson.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "run.h"

static void help_names_the_subcommands_and_their_options(void **state) {
    (void)state;
    expect("", 0, "usage: thaw SUBCOMMAND");
    expect("--help", 0, "render");
    expect("help", 0, "run");
    expect("help run", 0, "--resume");
    expect("run --help", 0, "--resume");
    expect("help render", 0, "--sheet");
    expect("--version", 0, "thaw ");
}

static void a_wrong_command_line_is_refused_with_a_suggestion(void **state) {
    (void)state;
    write_scene(at("bar.json"), "1e5");
    expect("rnu", 1, "did you mean run?");
    expect("help rendre", 1, "did you mean render?");
    expect("simulate", 1, "no subcommand 'simulate'");
    expect("run --step 5", 1, "did you mean --steps?");
    expect("run --frobnicate", 1, "--frobnicate");
    expect("run @bar.json --steps", 1, "--steps needs a value");
    expect("run @bar.json --steps five", 1, "'five'");
    expect("run @bar.json --steps -3", 1, "'-3'");
    expect("run @bar.json --every=0", 1, "--every");
    expect("run @bar.json --quiet=yes", 1, "takes no value");
    expect("run @bar.json --format vtu,stl", 1, "vtu,stl");
    expect("run @bar.json --solver magic --out @none", 1, "auto, pcg, cholmod");
    expect("run @bar.json --method magic --out @none", 1, "magic");
    expect("run @bar.json other.json", 1, "other.json");
    expect("run @missing.json", 1, "missing.json");
    expect("render", 1, "name the folder");
    expect("render @bar.json", 1, "-o FILE.png");
    expect("render @bar.json -o @a.jpg", 1, "ends in .png");
    expect("render @bar.json -o @a", 1, "ends in .png");
    expect("render @bar.json -o @a.mp4", 1, "not a frame");
    expect("render @missing -o @a.png", 1, "missing");
    expect("render @bar.json -o @a.png", 1,
           "not a frame; allowed: the folder of a run, or a .vtu frame. Run it first:");
    write_text(at("bar.msh"), "");
    expect("render @bar.msh -o @a.png", 1, "Make a scene of it, and run that: thaw new");
    expect("render @ -o @a.png", 1, "no frames");
    expect("render @ -o @a.png --size 10", 1, "WIDTHxHEIGHT");
    expect("render @ -o @a.png --colour veloctiy", 1, "did you mean velocity?");
    expect("render @ -o @a.png --camera 3", 1, "AZIMUTH,ELEVATION");
    expect("render @ -o @a.png --camera 3,95", 1, "elevation");
    expect("render @ -o @a.png --camera 3,5,1,2", 1, "AZIMUTH,ELEVATION");
    expect("render @ -o @a.png --frame first", 1, "last or all");
    assert_int_equal(access(at("none"), F_OK), -1);
}

static void a_bad_scene_names_file_and_place(void **state) {
    (void)state;
    write_scene(at("bad.json"), "-1");
    expect("run @bad.json", 1, "bad.json");
    assert_non_null(strstr(said, "young"));
}

static int exists(const char *name) { return !access(at(name), F_OK); }

// At the end of the scene's own steps only: a run that was cut short is known to be.
static void a_run_that_ends_in_motion_says_so(void **state) {
    (void)state;
    write_scene(at("bar.json"), "1e5");
    expect("run @bar.json --out @moves", 0, "bar still moves, at up to ");
    assert_non_null(strstr(said, "raise time.steps"));
    expect("run @bar.json --out @moves --quiet", 0, "");
    assert_string_equal(said, "");
    expect("run @bar.json --out @moves --steps 30", 0, "state hash");
    assert_null(strstr(said, "still moves"));
    expect("run @bar.json --out @moves --static --steps 60", 0, "state hash");
    assert_null(strstr(said, "still moves"));
}

static void a_run_leaves_frames_index_checkpoint_and_record(void **state) {
    (void)state;
    write_scene(at("bar.json"), "1e5");
    expect("run @bar.json --out @a/b/out --stats @stats.csv --format vtu,obj,ply --steps 10 --every 3", 0,
           "state hash");
    assert_non_null(strstr(said, "100 %"));
    for (int i = 0; i <= 3; i++) {
        char name[64];
        static const char *const endings[] = {"vtu", "obj", "ply"};
        for (int k = 0; k < 3; k++) {
            snprintf(name, sizeof name, "a/b/out/frame_%06d.%s", i, endings[k]);
            assert_true(exists(name));
        }
    }
    assert_false(exists("a/b/out/frame_000004.vtu"));
    assert_true(exists("a/b/out/frames.pvd") && exists("a/b/out/checkpoint.h5"));
    assert_true(exists("a/b/out/run.json") && exists("a/b/out/scene.json"));
    size_t size, original;
    char *copy = slurp(at("a/b/out/scene.json"), &size), *scene = slurp(at("bar.json"), &original);
    assert_int_equal(size, original);
    assert_memory_equal(copy, scene, size);
    free(copy);
    free(scene);
    char *stats = slurp(at("stats.csv"), &size);
    int rows = -1;
    for (const char *c = stats; *c; c++)
        rows += *c == '\n';
    free(stats);
    assert_int_equal(rows, 10);
    expect("run @bar.json --out @a/b/out --steps 3 --every 3 --quiet", 0, "");
    assert_string_equal(said, "");
    assert_false(exists("a/b/out/frame_000002.vtu") || exists("a/b/out/frame_000000.obj"));
    expect("run @bar.json --out @static --steps=0 --static", 0, "static equilibrium");
    assert_null(strstr(said, "ms/step"));
    assert_non_null(strstr(said, "1 frame:"));
    assert_true(exists("static/frame_000000.vtu"));
    expect("run @bar.json --out @a/b/out --steps 3 --every 3", 0, "removed 2 frames of an earlier run");
}

static void a_scene_may_come_through_a_pipe(void **state) {
    (void)state;
    write_scene(at("bar.json"), "1e5");
    int ends[2];
    char path[40], line[100];
    assert_int_equal(pipe(ends), 0); // as the shell's <(...)
    pid_t writer = fork();
    if (writer == 0) {
        dup2(ends[1], 1);
        close(ends[0]);
        execl("/bin/cat", "cat", at("bar.json"), (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    snprintf(line, sizeof line, "run %s --out @piped --steps 1", path);
    expect(line, 0, "state hash");
    close(ends[0]);
    waitpid(writer, NULL, 0);
    size_t size, original;
    char *copy = slurp(at("piped/scene.json"), &size), *scene = slurp(at("bar.json"), &original);
    assert_int_equal(size, original);
    assert_memory_equal(copy, scene, size);
    free(copy);
    free(scene);
}

static void a_run_says_how_many_vertices_it_holds_and_pushes(void **state) {
    (void)state;
    write_text(
        at("held.json"),
        "{\"thaw\": 1, \"time\": {\"step\": 0.01, \"steps\": 1},\n"
        " \"materials\": {\"m\": {\"young\": 1e5, \"poisson\": 0.4}},\n"
        " \"shapes\": {\"s\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [0.3, 0.1, 0.1], \"cells\": [3, 1, "
        "1]}}, \"material\": \"m\", \"groups\": {\n"
        "  \"held\": {\"side\": {\"point\": [0.1, 0, 0], \"normal\": [-1, 0, 0]}},\n"
        "  \"tip\": {\"box\": {\"min\": [0.3, 0, 0], \"max\": [1, 0.1, 0.1]}}}}},\n"
        " \"bodies\": [{\"shape\": \"s\", \"pins\": [\"held\"], \"forces\": [{\"group\": \"tip\", \"total\": [0, 0, "
        "-1]}]}]}\n");
    expect("run @held.json --out @held", 0, "pinned: held (8 vertices); pushed: tip (4 vertices)\n");
    assert_non_null(strstr(said, "held.json: 1 step of 0.01 s into"));
    assert_non_null(strstr(said, "2 frames:"));
    expect("run @held.json --out @held --quiet", 0, "");
    assert_string_equal(said, "");
}

static void old_frames_survive_a_run_that_cannot_begin(void **state) {
    (void)state;
    write_scene(at("bar.json"), "1e5");
    expect("run @bar.json --out @old --steps 4", 0, "state hash");
    expect("run @bar.json --out @old --steps 4 --stats @no/such/folder.csv", 2, "no/such");
    assert_true(exists("old/frame_000001.vtu") && exists("old/checkpoint.h5") && exists("old/frames.pvd"));
    expect("run @bar.json --out @old --steps 8 --resume", 0, "resumed at step 4");
}

static void checkpoints_are_due_each_minute_or_as_the_scene_says(void **state) {
    (void)state;
    assert_false(app_checkpoint_due(0, 7, 59e3));
    assert_true(app_checkpoint_due(0, 7, 61e3));
    assert_false(app_checkpoint_due(5, 7, 61e3));
    assert_true(app_checkpoint_due(7, 7, 0));
}

static void the_number_of_threads_does_not_change_the_hash(void **state) {
    (void)state;
    char hash[2][32];
    write_scene(at("bar.json"), "1e5");
    for (int i = 0; i < 2; i++) {
        expect(i ? "run @bar.json --out @t --steps 6 --threads 3" : "run @bar.json --out @t --steps 6 --threads 1", 0,
               "state hash ");
        snprintf(hash[i], sizeof hash[i], "%.16s", strstr(said, "state hash ") + 11);
    }
    assert_string_equal(hash[0], hash[1]);
}

static void a_run_that_diverges_keeps_what_was_finished(void **state) {
    (void)state;
    // Crushed to a negative length within one step, which neo-Hookean material has no energy for.
    write_text(at("crush.json"),
               "{\"thaw\": 1, \"time\": {\"step\": 0.01, \"steps\": 30, \"integrator\": \"newton\", \"halvings\": 0},\n"
               " \"output\": {\"every\": 1},\n"
               " \"materials\": {\"m\": {\"model\": \"neo-hookean\", \"young\": 1e5, \"poisson\": 0.4}},\n"
               " \"shapes\": {\"s\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [1, 1, 1], \"cells\": [2, 2, "
               "2]}}, \"material\": \"m\"}},\n"
               " \"bodies\": [{\"name\": \"b\", \"shape\": \"s\", \"pins\": [\"x-min\"], \"scripts\": [{\"group\": "
               "\"x-max\", \"keys\": [{\"time\": 0.05, \"translation\": [0, 0, 0]}, {\"time\": 0.06, \"translation\": "
               "[-3, 0, 0]}]}]}]}\n");
    expect("run @crush.json --out @crush", 2, "failed at step 6");
    assert_non_null(strstr(said, "frames 0 to 5 and the checkpoint of step 5"));
    assert_null(strstr(strstr(said, "step 6") + 1, "step 6")); // once is enough
    assert_true(exists("crush/frame_000005.vtu"));
    assert_false(exists("crush/frame_000006.vtu"));
    assert_true(exists("crush/checkpoint.h5"));
}

static void two_runs_do_not_write_into_one_folder(void **state) {
    (void)state;
    write_scene(at("bar.json"), "1e5");
    mkdir(at("locked"), 0700);
    int fd = open(at("locked"), O_RDONLY | O_DIRECTORY);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    expect("run @bar.json --out @locked --steps 1", 2, "another run is writing");
    close(fd);
    expect("run @bar.json --out @locked --steps 1", 0, "state hash");
}

static void a_full_device_fails_the_run(void **state) {
    (void)state;
    if (access("/dev/full", W_OK))
        skip();
    write_scene(at("bar.json"), "1e5");
    expect("run @bar.json --out @full --steps 3 --stats /dev/full", 2, "/dev/full");
    assert_int_equal(finish(start("--version", "/dev/full")), 2);
    expect("run @bar.json --out @full --steps 1", 0, "state hash");
    expect("render @full -o /dev/full/a.png", 2, "/dev/full");
}

static void a_full_disk_leaves_a_valid_index(void **state) {
    (void)state;
    mkdir(at("small"), 0700);
    if (mount("tmpfs", at("small"), "tmpfs", 0, "size=192k"))
        skip(); // needs root
    write_scene(at("bar.json"), "1e5");
    int status = thaw("run @bar.json --out @small/out --every 1");
    size_t size;
    char *index = slurp(at("small/out/frames.pvd"), &size);
    int named = 0, complete = 0, unfinished = 0;
    for (const char *c = index; c && (c = strstr(c, "file=\"")); c++) {
        char name[64];
        snprintf(name, sizeof name, "small/out/%.16s", c + 6);
        named++;
        complete += exists(name);
    }
    DIR *dir = opendir(at("small/out"));
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        unfinished += strstr(entry->d_name, ".tmp") != NULL;
    if (dir)
        closedir(dir);
    int closed = index && strstr(index, "</VTKFile>");
    free(index);
    // What it says is kept is there, and with more room the run goes on to the same end.
    const char *kept = strstr(said, "/small/out: frames 0 to ");
    int64_t last = kept ? strtoll(kept + strlen("/small/out: frames 0 to "), NULL, 10) : -1;
    char name[64];
    snprintf(name, sizeof name, "small/out/frame_%06d.vtu", (int)last);
    int frame_there = exists(name), full = strstr(said, "No space left on device") != NULL;
    int saved = strstr(said, "the checkpoint of step") != NULL, saved_there = exists("small/out/checkpoint.h5");
    char again[64] = "", hash[20] = "", whole[20] = "";
    if (mount("tmpfs", at("small"), "tmpfs", MS_REMOUNT, "size=8m") == 0) {
        thaw("run @bar.json --out @small/out --every 1 --resume");
        snprintf(again, sizeof again, "%.60s",
                 strstr(said, saved ? "resumed at step" : "no checkpoint in") ? "as told" : "");
        snprintf(hash, sizeof hash, "%.16s", strstr(said, "state hash ") ? strstr(said, "state hash ") + 11 : "");
    }
    int all = exists("small/out/frame_000060.vtu");
    for (int i = 0; i <= 60; i++) {
        snprintf(name, sizeof name, "small/out/frame_%06d.vtu", i);
        all = all && exists(name);
    }
    index = slurp(at("small/out/frames.pvd"), &size);
    int listed = 0;
    for (const char *c = index; c && (c = strstr(c, "file=\"")); c++)
        listed++;
    free(index);
    umount(at("small"));
    thaw("run @bar.json --out @roomy --every 1");
    snprintf(whole, sizeof whole, "%.16s", strstr(said, "state hash ") ? strstr(said, "state hash ") + 11 : "?");
    assert_int_equal(status, 2);
    assert_true(full && frame_there && saved == saved_there);
    assert_string_equal(again, "as told");
    assert_string_equal(hash, whole);
    assert_true(all);
    assert_int_equal(listed, 61);
    assert_true(closed);
    assert_true(named > 0);
    assert_int_equal(named, complete);
    assert_int_equal(unfinished, 0);
}

static void pictures_have_the_size_that_was_asked_for(void **state) {
    (void)state;
    write_scene(at("bar.json"), "1e5");
    expect("run @bar.json --out @p --steps 12", 0, "render");
    static const char *const lines[] = {
        "render @p -o @a.png --size 200x100",
        "render @p -o @a.png --size 200x100 --colour velocity --edges --camera 40,30,1.5 --frame 1",
        "render @p -o @a.png --size 200x100 --colour none --camera 0,90",
        "render @p -o @a.png --size 200x100 --colour body --camera 0,-60",
        "render @p -o @a.png --size 200x100 --colour region --sheet 3",
        "render @p/frame_000002.vtu -o @a.png --size 200x100",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        expect(lines[i], 0, "200 x 100");
        size_t size;
        unsigned char *png = (unsigned char *)slurp(at("a.png"), &size);
        assert_memory_equal(png, "\x89PNG", 4);
        assert_int_equal(png[18] << 8 | png[19], 200);
        assert_int_equal(png[22] << 8 | png[23], 100);
        free(png);
        unlink(at("a.png"));
    }
    expect("render @p -o @f%03d.png --size 64x64 --frame all", 0, "4 pictures");
    assert_true(exists("f000.png") && exists("f003.png"));
    expect("render @p -o @f.png --size 64x64 --frame all", 1, "place for the number");
    expect("render @p -o @f%s.png --size 64x64 --frame all", 1, "place for the number");
    expect("render @p -o @f.png --frame 77", 1, "from 0 to 3");
}

// A folder in Latin 1, say.
static void names_that_are_no_utf8_become_json_all_the_same(void **state) {
    (void)state;
    assert_int_equal(mkdir(at("b\xffr"), 0777), 0);
    write_scene(at("b\xffr/bar.json"), "1e5");
    expect("run @b\xffr/bar.json --steps 1 --out @latin --quiet", 0, "");
    json_t *record = json_load_file(at("latin/run.json"), 0, NULL);
    assert_non_null(record);
    const char *scene = json_string_value(json_object_get(record, "scene"));
    assert_non_null(scene);
    assert_non_null(strstr(scene, "b?r/bar.json"));
    json_decref(record);
    write_text(at("b\xffr/ball.json"), "{\"sphere\": {\"radius\": 0.1}}");
    expect("mesh @b\xffr/ball.json --elements 100 --json", 0, "b?r/ball.json");
    expect("new @b\xffr/ball.json -o @ball-scene.json", 1, "no UTF-8; rename the file");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_names_the_subcommands_and_their_options),
        cmocka_unit_test(a_wrong_command_line_is_refused_with_a_suggestion),
        cmocka_unit_test(a_bad_scene_names_file_and_place),
        cmocka_unit_test(a_run_that_ends_in_motion_says_so),
        cmocka_unit_test(a_run_leaves_frames_index_checkpoint_and_record),
        cmocka_unit_test(a_scene_may_come_through_a_pipe),
        cmocka_unit_test(a_run_says_how_many_vertices_it_holds_and_pushes),
        cmocka_unit_test(old_frames_survive_a_run_that_cannot_begin),
        cmocka_unit_test(checkpoints_are_due_each_minute_or_as_the_scene_says),
        cmocka_unit_test(the_number_of_threads_does_not_change_the_hash),
        cmocka_unit_test(a_run_that_diverges_keeps_what_was_finished),
        cmocka_unit_test(two_runs_do_not_write_into_one_folder),
        cmocka_unit_test(a_full_device_fails_the_run),
        cmocka_unit_test(a_full_disk_leaves_a_valid_index),
        cmocka_unit_test(pictures_have_the_size_that_was_asked_for),
        cmocka_unit_test(names_that_are_no_utf8_become_json_all_the_same),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
