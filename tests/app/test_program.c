// SPDX-License-Identifier: Apache-2.0
static const char program[] = THAW_PROGRAM;

#include "app/program.h"

#include <sys/file.h>
#include <sys/mount.h>

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
    expect("render @missing -o @a.png", 1, "missing");
    expect("render @bar.json -o @a.png", 1, "not a frame");
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
    assert_true(exists("static/frame_000000.vtu"));
    expect("run @bar.json --out @a/b/out --steps 3 --every 3", 0, "removed 2 frames of an earlier run");
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
    umount(at("small"));
    assert_int_equal(status, 2);
    assert_non_null(strstr(said, "No space left on device"));
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_names_the_subcommands_and_their_options),
        cmocka_unit_test(a_wrong_command_line_is_refused_with_a_suggestion),
        cmocka_unit_test(a_bad_scene_names_file_and_place),
        cmocka_unit_test(a_run_leaves_frames_index_checkpoint_and_record),
        cmocka_unit_test(the_number_of_threads_does_not_change_the_hash),
        cmocka_unit_test(a_run_that_diverges_keeps_what_was_finished),
        cmocka_unit_test(two_runs_do_not_write_into_one_folder),
        cmocka_unit_test(a_full_device_fails_the_run),
        cmocka_unit_test(a_full_disk_leaves_a_valid_index),
        cmocka_unit_test(pictures_have_the_size_that_was_asked_for),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
