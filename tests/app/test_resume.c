// SPDX-License-Identifier: Apache-2.0
// A run that is killed, at whatever moment, and resumed leaves what an undisturbed run leaves: the same frames to the
// byte, the same index, the same final state, the same statistics but for the times.
static const char program[] = THAW_PROGRAM;

#include "app/program.h"

static int is_result(const struct dirent *entry) { return strncmp(entry->d_name, "frame", 5) == 0; }

static void assert_same_frames(const char *a, const char *b) {
    struct dirent **left, **right;
    int count = scandir(at(a), &left, is_result, alphasort), other = scandir(at(b), &right, is_result, alphasort);
    assert_int_equal(count, other);
    assert_true(count > 10);
    for (int i = 0; i < count; i++) {
        char name[400];
        size_t size, other_size;
        assert_string_equal(left[i]->d_name, right[i]->d_name);
        snprintf(name, sizeof name, "%s/%s", a, left[i]->d_name);
        char *bytes = slurp(at(name), &size);
        snprintf(name, sizeof name, "%s/%s", b, left[i]->d_name);
        char *other_bytes = slurp(at(name), &other_size);
        assert_int_equal(size, other_size);
        assert_memory_equal(bytes, other_bytes, size);
        free(bytes);
        free(other_bytes);
        free(left[i]);
        free(right[i]);
    }
    free(left);
    free(right);
}

// Columns 2 to 12 are times of this machine.
static void assert_same_stats(const char *a, const char *b) {
    size_t size;
    char *left = slurp(at(a), &size), *right = slurp(at(b), &size);
    assert_non_null(left);
    assert_non_null(right);
    int column = 0, row = 0;
    for (char *p = left, *q = right; *p || *q;) {
        size_t m = strcspn(p, ",\n"), n = strcspn(q, ",\n");
        if (row == 0 || column < 2 || column > 12)
            if (m != n || strncmp(p, q, m) != 0)
                fail_msg("row %d, column %d: %.*s and %.*s", row, column, (int)m, p, (int)n, q);
        assert_int_equal(p[m], q[n]);
        column = p[m] == '\n' ? 0 : column + 1;
        row += p[m] == '\n';
        p += m + (p[m] != 0);
        q += n + (q[n] != 0);
    }
    assert_int_equal(row, 61);
    free(left);
    free(right);
}

static void state_hash(char hash[20]) {
    const char *found = strstr(said, "state hash ");
    assert_non_null(found);
    snprintf(hash, 20, "%.16s", found + 11);
}

static char reference_hash[20];

static int make_reference(void **state) {
    if (make_folder(state))
        return -1;
    write_scene(at("bar.json"), "1e5");
    expect("run @bar.json --out @whole --stats @whole.csv", 0, "state hash");
    state_hash(reference_hash);
    return 0;
}

static void assert_ends_like_the_reference(void) {
    char hash[20];
    expect("run @bar.json --out @cut --stats @cut.csv --resume", 0, "state hash");
    state_hash(hash);
    assert_string_equal(hash, reference_hash);
    assert_same_frames("whole", "cut");
    assert_same_stats("whole.csv", "cut.csv");
}

// Waits until a file is there or the program has ended.
static void wait_for(pid_t pid, const char *name) {
    siginfo_t info = {0};
    while (access(at(name), F_OK) && !waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) && !info.si_pid)
        usleep(200);
}

static void a_killed_run_ends_like_an_undisturbed_one(void **state) {
    (void)state;
    static const char *const moments[] = {"cut",
                                          "cut/run.json",
                                          "cut/frame_000000.vtu",
                                          "cut/frame_000002.vtu",
                                          "cut/checkpoint.h5",
                                          "cut/frame_000007.vtu.tmp",
                                          "cut/frame_000013.vtu"};
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        remove_tree(at("cut"));
        unlink(at("cut.csv"));
        pid_t pid = start("run @bar.json --out @cut --stats @cut.csv", at("said"));
        wait_for(pid, moments[i]);
        usleep(300 * (unsigned)i);
        kill(pid, SIGKILL);
        finish(pid);
        assert_ends_like_the_reference();
    }
}

static void a_run_killed_again_and_again_gets_there(void **state) {
    (void)state;
    remove_tree(at("cut"));
    unlink(at("cut.csv"));
    for (int i = 0; i < 6; i++) {
        pid_t pid = start("run @bar.json --out @cut --stats @cut.csv --resume", at("said"));
        usleep(4000 + 9000 * (unsigned)i);
        kill(pid, SIGKILL);
        finish(pid);
    }
    assert_ends_like_the_reference();
}

static void an_interrupted_run_says_how_to_go_on(void **state) {
    (void)state;
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (int i = 0; i < 3; i++) {
        remove_tree(at("cut"));
        unlink(at("cut.csv"));
        pid_t pid = start("run @bar.json --out @cut --stats @cut.csv", at("said"));
        wait_for(pid, "cut/frame_000001.vtu");
        kill(pid, signals[i]);
        int status = finish(pid);
        if (status == 0) // it was done before the signal came
            continue;
        assert_int_equal(status, 2);
        assert_non_null(strstr(said, "interrupted after step"));
        assert_non_null(strstr(said, "/cut.csv --resume\n"));
        assert_ends_like_the_reference();
    }
}

static void more_steps_can_be_asked_for_later(void **state) {
    (void)state;
    remove_tree(at("cut"));
    unlink(at("cut.csv"));
    expect("run @bar.json --out @cut --stats @cut.csv --steps 25", 0, "state hash");
    assert_ends_like_the_reference();
    // And fewer: nothing is left to do, and what is there stays.
    expect("run @bar.json --out @cut --resume --steps 5", 0, "nothing is left to do: 5 steps were asked for");
    assert_same_frames("whole", "cut");
}

static void a_run_goes_on_with_the_frames_that_it_was_begun_with(void **state) {
    (void)state;
    remove_tree(at("cut"));
    expect("run @bar.json --out @cut --steps 6 --every 3", 0, "state hash");
    expect("run @bar.json --out @cut --resume --steps 9 --every 2", 1, "frames are numbered by that");
    expect("run @bar.json --out @cut --resume --steps 9 --every 3", 0, "state hash");
    expect("run @bar.json --out @cut --resume --steps 12", 0, "state hash");
    assert_int_equal(access(at("cut/frame_000004.vtu"), F_OK), 0);
    assert_int_not_equal(access(at("cut/frame_000005.vtu"), F_OK), 0);
}

static void a_checkpoint_of_something_else_is_refused(void **state) {
    (void)state;
    remove_tree(at("cut"));
    write_scene(at("other.json"), "2e5");
    expect("run @bar.json --out @cut --steps 10", 0, "state hash");
    expect("run @other.json --out @cut --resume", 1, "another scene");
    expect("run @bar.json --out @cut --resume --static", 1, "--static");
    expect("run @bar.json --out @cut --resume --every 5", 1, "--every 4");
    write_text(at("cut/checkpoint.h5"), "this is no checkpoint");
    expect("run @bar.json --out @cut --resume", 1, "checkpoint.h5");
    unlink(at("cut/run.json"));
    expect("run @bar.json --out @cut --resume", 1, "run.json");
}

static void resuming_without_a_checkpoint_removes_no_frame(void **state) {
    (void)state;
    remove_tree(at("cut"));
    unlink(at("cut.csv"));
    expect("run @bar.json --out @cut", 0, "state hash");
    unlink(at("cut/checkpoint.h5"));
    expect("run @bar.json --out @cut --resume --steps 2 --quiet", 0, "no checkpoint in");
    assert_same_frames("whole", "cut");
    unlink(at("cut/checkpoint.h5"));
    unlink(at("cut/run.json"));
    expect("run @bar.json --out @cut --resume", 1, "it has frames but no run.json");
    assert_same_frames("whole", "cut");
}

static void a_missing_frame_of_the_checkpoint_is_written_again(void **state) {
    (void)state;
    remove_tree(at("cut"));
    unlink(at("cut.csv"));
    expect("run @bar.json --out @cut --stats @cut.csv --steps 24", 0, "state hash");
    assert_int_equal(unlink(at("cut/frame_000006.vtu")), 0);
    assert_ends_like_the_reference();
    // And an index that got lost is made from the frames.
    expect("run @bar.json --out @cut --stats @cut.csv --steps 24", 0, "state hash");
    assert_int_equal(unlink(at("cut/frames.pvd")), 0);
    assert_ends_like_the_reference();
}

static void another_solver_or_build_is_noticed(void **state) {
    (void)state;
    remove_tree(at("cut"));
    expect("run @bar.json --out @cut --steps 9", 0, "state hash");
    size_t size;
    char *record = slurp(at("cut/run.json"), &size), *found = strstr(record, "\"solver\": \"");
    assert_non_null(found);
    char kept = found[11];
    found[11] = '?';
    write_text(at("cut/run.json"), record);
    expect("run @bar.json --out @cut --resume", 1, "it was begun with the solver ?");
    found[11] = kept;
    found = strstr(record, "\"build\": \"");
    assert_non_null(found);
    found[10] = '?';
    write_text(at("cut/run.json"), record);
    expect("run @bar.json --out @cut --resume", 0, "was begun by another build");
    free(record);
}

static void a_signal_before_the_first_step_ends_the_program(void **state) {
    (void)state;
    // The pipe is never written to, so the program waits for its scene for ever.
    int ends[2], kept = dup(0);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(dup2(ends[0], 0), 0);
    pid_t pid = start("run /dev/stdin --out @never", at("said"));
    dup2(kept, 0);
    close(kept);
    usleep(30000);
    kill(pid, SIGINT);
    assert_int_equal(finish(pid), -SIGINT);
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(access(at("never"), F_OK), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_run_ends_like_an_undisturbed_one),
        cmocka_unit_test(a_run_killed_again_and_again_gets_there),
        cmocka_unit_test(an_interrupted_run_says_how_to_go_on),
        cmocka_unit_test(more_steps_can_be_asked_for_later),
        cmocka_unit_test(a_run_goes_on_with_the_frames_that_it_was_begun_with),
        cmocka_unit_test(a_checkpoint_of_something_else_is_refused),
        cmocka_unit_test(resuming_without_a_checkpoint_removes_no_frame),
        cmocka_unit_test(a_missing_frame_of_the_checkpoint_is_written_again),
        cmocka_unit_test(another_solver_or_build_is_noticed),
        cmocka_unit_test(a_signal_before_the_first_step_ends_the_program),
    };
    return cmocka_run_group_tests(tests, make_reference, drop_folder);
}
