// SPDX-License-Identifier: Apache-2.0
// The moments that a sheet shows: made runs of one tetrahedron, whose impact lies between evenly spaced frames.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "base/base.h"
#include "moments.h"
#include "support/folder.h"

enum { FRAMES = 60, HIT = 37, RIGID = 40, ELASTIC = 46 };

// It falls evenly, and at frame HIT it is stressed and turns round. It is rigid from frame RIGID to before ELASTIC,
// where nothing else happens. hit: how much stress.
static ThawReplay *make_run(const char *name, int frames, double hit) {
    char folder_of[200], path[260];
    snprintf(folder_of, sizeof folder_of, "%s", at(name));
    assert_int_equal(mkdir(folder_of, 0700), 0);
    for (int k = 0; k < frames; k++) {
        ThawFrameData *frame = NULL;
        assert_int_equal(thaw_frame_data_create(4, 4, 1, &frame, NULL), THAW_OK);
        const int32_t stress = thaw_field_find("von_mises");
        const int32_t rigid = thaw_field_find("state");
        assert_int_equal(thaw_frame_data_add(frame, stress, NULL), THAW_OK);
        assert_int_equal(thaw_frame_data_add(frame, rigid, NULL), THAW_OK);
        frame->fields[rigid][0] = k >= RIGID && k < ELASTIC;
        const int after = k > HIT;
        for (int i = 0; i < 4; i++) {
            frame->x[3 * i + 2] = after ? 0.01 * (k - HIT) : 0.01 * (HIT - k);
            frame->v[3 * i + 2] = k == HIT ? 0 : after ? 1 : -1;
            frame->cells[i] = i;
        }
        for (int i = 1; i < 4; i++)
            frame->x[3 * i + i - 1] += 0.1;
        frame->fields[stress][0] = k == HIT ? hit : 0;
        frame->body_count = 1;
        frame->time = 0.01 * k;
        frame->step = k;
        snprintf(path, sizeof path, "%s/frame_%06d.vtu", folder_of, k);
        void *scratch = thaw_alloc(1, thaw_vtu_scratch(frame));
        assert_non_null(scratch);
        assert_int_equal(thaw_vtu_write(path, frame, 32, scratch, NULL), THAW_OK);
        thaw_free(scratch);
        thaw_frame_data_free(&frame);
    }
    ThawReplay *replay = NULL;
    ThawError error = {0};
    if (thaw_replay_open(folder_of, &replay, &error))
        fail_msg("%s", error.message);
    return replay;
}

static void an_impact_between_even_moments_is_shown(void **state) {
    (void)state;
    ThawReplay *replay = make_run("impact", FRAMES, 1e3);
    for (int count = 3; count <= 8; count++) {
        int64_t frames[MOMENTS_MOST];
        int shown = 0;
        assert_int_equal(moments_choose(replay, -1, count, frames, NULL), THAW_OK);
        for (int i = 0; i < count; i++)
            shown += frames[i] == HIT;
        assert_int_equal(shown, 1);
    }
    assert_int_not_equal(moments_evenly(FRAMES, 3, 6), HIT);
    thaw_replay_free(&replay);
}

static void moments_are_in_order_with_both_ends_and_always_the_same(void **state) {
    (void)state;
    ThawReplay *replay = make_run("order", FRAMES, 10);
    for (int count = 1; count <= MOMENTS_MOST; count++) {
        int64_t frames[MOMENTS_MOST], again[MOMENTS_MOST];
        assert_int_equal(moments_choose(replay, -1, count, frames, NULL), THAW_OK);
        assert_int_equal(moments_choose(replay, -1, count, again, NULL), THAW_OK);
        assert_memory_equal(frames, again, sizeof *frames * (size_t)count);
        assert_int_equal(frames[count - 1], FRAMES - 1);
        assert_true(count == 1 || frames[0] == 0);
        for (int i = 1; i < count; i++)
            assert_true(frames[i] > frames[i - 1]);
    }
    thaw_replay_free(&replay);
}

static void as_many_moments_as_frames_are_all_of_them(void **state) {
    (void)state;
    ThawReplay *replay = make_run("few", 5, 10);
    int64_t frames[MOMENTS_MOST];
    assert_int_equal(moments_choose(replay, -1, 5, frames, NULL), THAW_OK);
    for (int i = 0; i < 5; i++)
        assert_int_equal(frames[i], i);
    thaw_replay_free(&replay);
}

static void a_short_rigid_spell_is_shown_where_the_state_is(void **state) {
    (void)state;
    ThawReplay *replay = make_run("spell", FRAMES, 1e3);
    const int32_t field = thaw_field_find("state");
    for (int count = 3; count <= 8; count++) {
        int64_t frames[MOMENTS_MOST], again[MOMENTS_MOST];
        int rigid = 0;
        assert_int_equal(moments_choose(replay, field, count, frames, NULL), THAW_OK);
        assert_int_equal(moments_choose(replay, field, count, again, NULL), THAW_OK);
        assert_memory_equal(frames, again, sizeof *frames * (size_t)count);
        assert_true(frames[0] == 0 && frames[count - 1] == FRAMES - 1);
        for (int i = 0; i < count; i++) {
            assert_true(i == 0 || frames[i] > frames[i - 1]);
            rigid += frames[i] >= RIGID && frames[i] < ELASTIC;
        }
        assert_true(rigid > 0 && rigid < 3);
    }
    thaw_replay_free(&replay);
}

static void a_field_that_never_changes_leaves_the_choice_to_the_events(void **state) {
    (void)state;
    ThawReplay *replay = make_run("constant", FRAMES, 1e3);
    int64_t frames[MOMENTS_MOST], without[MOMENTS_MOST];
    assert_int_equal(moments_choose(replay, thaw_field_find("region"), 6, frames, NULL), THAW_OK);
    assert_int_equal(moments_choose(replay, -1, 6, without, NULL), THAW_OK);
    assert_memory_equal(frames, without, 6 * sizeof *frames);
    thaw_replay_free(&replay);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_impact_between_even_moments_is_shown),
        cmocka_unit_test(moments_are_in_order_with_both_ends_and_always_the_same),
        cmocka_unit_test(as_many_moments_as_frames_are_all_of_them),
        cmocka_unit_test(a_short_rigid_spell_is_shown_where_the_state_is),
        cmocka_unit_test(a_field_that_never_changes_leaves_the_choice_to_the_events),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
