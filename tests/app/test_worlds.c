// SPDX-License-Identifier: Apache-2.0
// Random worlds (docs/random-worlds.md). The generator is a pure function of the seed; the judge finds what is
// planted; and a hundred small worlds are judged.
//
// Asserted of them, and of some worlds of sheets: no wrong sleep, momentum to 1e-6, no failure where full ran, and
// errors within their limits, or no farther from the truth than full is, in 95 of 100; and no energy gained beyond the
// full method's own (docs/random-worlds.md). Where the environment has THAW_WORLDS_STRICT=1, errors that are the
// reference's own count, too.
static const char program[] = THAW_PROGRAM;

#include "app/program.h"

#include "base/base.h"
#include "thaw/thaw.h"
#include "world_judge.h"
#include "world_random.h"

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
static const char seeds[] = "1:30", sheets[] = "8001:8010"; // some ten times slower
enum { SCENES = 60 };
#else
static const char seeds[] = "1:100", sheets[] = "8001:8040";
enum { SCENES = 200 };
#endif

static void a_seed_is_a_scene_always_the_same(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= SCENES; seed++) {
        WorldKind kind;
        ThawScene *scene = NULL;
        ThawError error = {0};
        char *text = world_random(seed, seed % 2 == 0, THAW_INTEGRATOR_SEMI_IMPLICIT, &kind),
             *again = world_random(seed, seed % 2 == 0, THAW_INTEGRATOR_SEMI_IMPLICIT, NULL);
        assert_non_null(text);
        assert_non_null(again);
        assert_string_equal(text, again);
        if (thaw_scene_parse(text, strlen(text), "world", NULL, &scene, &error) != THAW_OK)
            fail_msg("seed %d: %s", (int)seed, error.message);
        assert_int_equal(scene->world.body_count, kind.bodies);
        assert_int_equal(scene->world.dim, kind.dim);
        thaw_scene_free(&scene);
        thaw_free(text);
        thaw_free(again);
    }
}

// The text of a world must be the same on every machine: this is the hash of the first.
static void the_text_of_worlds_is_what_it_was(void **state) {
    (void)state;
    uint64_t hash = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        char *text = world_random(seed, 0, THAW_INTEGRATOR_SEMI_IMPLICIT, NULL);
        assert_non_null(text);
        hash = thaw_hash(hash, text, strlen(text));
        thaw_free(text);
    }
    if (hash != 0xd109f61d41b7026au)
        fail_msg("the worlds of seeds 1 to 100 have the hash 0x%llx: they are not those that results were told of",
                 (unsigned long long)hash);
}

// The same of worlds of sheets.
static void the_text_of_worlds_of_sheets_is_what_it_was(void **state) {
    (void)state;
    uint64_t hash = 0;
    for (uint64_t seed = 8001; seed <= 8100; seed++) {
        ThawScene *scene = NULL;
        ThawError error = {0};
        char *text = world_random(seed, WORLD_SHEETS, THAW_INTEGRATOR_SEMI_IMPLICIT, NULL);
        assert_non_null(text);
        hash = thaw_hash(hash, text, strlen(text));
        if (thaw_scene_parse(text, strlen(text), "world", NULL, &scene, &error) != THAW_OK)
            fail_msg("seed %d: %s", (int)seed, error.message);
        thaw_scene_free(&scene);
        thaw_free(text);
    }
    if (hash != 0xdb6cfda72ea092bu)
        fail_msg("the worlds of sheets have the hash 0x%llx: they are not those that results were told of",
                 (unsigned long long)hash);
}

static void all_kinds_of_sheets_are_drawn(void **state) {
    (void)state;
    static const char *const words[] = {"cloth", "disc",         "balloon",         "shade", "thin",    "thick",
                                        "wind",  "plane-stress", "fixed-thickness", "woven", "lengths", "pressure"};
    enum { WORDS = sizeof words / sizeof *words };
    int seen[WORDS] = {0};
    for (uint64_t seed = 8001; seed <= 8200; seed++) {
        WorldKind kind;
        char spaced[WORLD_WORDS + 2], word[64];
        thaw_free(world_random(seed, WORLD_SHEETS, THAW_INTEGRATOR_SEMI_IMPLICIT, &kind));
        assert_int_equal(kind.dim, 3);
        snprintf(spaced, sizeof spaced, " %s ", kind.words);
        for (int i = 0; i < WORDS; i++) {
            snprintf(word, sizeof word, " %s ", words[i]);
            seen[i] += strstr(spaced, word) != NULL;
        }
    }
    for (int i = 0; i < WORDS; i++)
        if (seen[i] == 0)
            fail_msg("no world of 200 is '%s'", words[i]);
}

static void all_kinds_are_drawn(void **state) {
    (void)state;
    static const char *const words[] = {"2d",
                                        "3d",
                                        "box",
                                        "bar",
                                        "plate",
                                        "ball",
                                        "ell",
                                        "ring",
                                        "soft",
                                        "firm",
                                        "stiff",
                                        "closed",
                                        "weightless",
                                        "light",
                                        "earth",
                                        "heavy",
                                        "floor",
                                        "slope",
                                        "on-sphere",
                                        "on-box",
                                        "nothing-below",
                                        "pin-face",
                                        "pin-edge",
                                        "pin-point",
                                        "free",
                                        "released",
                                        "force",
                                        "force-ramp",
                                        "force-pulse",
                                        "throw",
                                        "drift",
                                        "spin",
                                        "collide",
                                        "newton",
                                        "overlap",
                                        "wild",
                                        "calm",
                                        "start-at-rest",
                                        "moving-obstacle",
                                        "pressed",
                                        "self-contact",
                                        "contact-auto",
                                        "contact-hard",
                                        "contact-given",
                                        "contact-erp",
                                        "viscous",
                                        "drag",
                                        "undamped",
                                        "overdamped",
                                        "stvk",
                                        "neo-hookean",
                                        "corotational",
                                        "stable-neo-hookean",
                                        "h<1ms",
                                        "h<10ms",
                                        "h>10ms",
                                        "long",
                                        "no-contact"};
    enum { WORDS = sizeof words / sizeof *words };
    int seen[WORDS] = {0}, closed = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        WorldKind kind;
        char spaced[WORLD_WORDS + 2], word[64];
        thaw_free(world_random(seed, 0, THAW_INTEGRATOR_SEMI_IMPLICIT, &kind));
        snprintf(spaced, sizeof spaced, " %s ", kind.words);
        closed += kind.closed;
        for (int i = 0; i < WORDS; i++) {
            snprintf(word, sizeof word, " %s ", words[i]);
            seen[i] += strstr(spaced, word) != NULL;
        }
    }
    for (int i = 0; i < WORDS; i++)
        if (seen[i] == 0)
            fail_msg("no world of 400 is '%s'", words[i]);
    assert_in_range(closed, 60, 100); // one in five
}

// --- the judge: worlds whose verdict is known ------------------------------------------------------------------------

static WorldVerdict judge(const char *method, const char *rigidify) {
    char text[2000];
    WorldVerdict v = {.seed = 1};
    snprintf(text, sizeof text,
             "{\"thaw\": 1, \"dimension\": 2, \"gravity\": [0, 0], \"time\": {\"step\": 0.01, \"steps\": 120}, %s"
             "\"materials\": {\"m\": {\"young\": 1e6}}, \"shapes\": {\"s\": {\"mesh\": {\"box\": {\"min\": [0, 0], "
             "\"max\": [1, 1], \"cells\": [3, 3]}}, \"material\": \"m\"}}, \"bodies\": [{\"shape\": \"s\", "
             "\"velocity\": [0.02, 0]}]}",
             rigidify);
    world_judge(text, method, &v);
    return v;
}

static void full_against_itself_breaks_no_rule(void **state) {
    (void)state;
    WorldVerdict v = judge("full", "");
    assert_int_equal(v.end, WORLD_JUDGED);
    assert_int_equal(world_broken(&v), 0);
    assert_true(v.error == 0 && v.momentum < 1e-12 && v.asleep == 0);
    assert_true(v.floor_shift > 0.9e-6 && v.floor_shift < 1.1e-6);
}

// A threshold under which whatever drifts sleeps: it stops, which is a wrong sleep, loses its momentum and strays.
static void a_body_that_sleeps_as_it_drifts_is_found(void **state) {
    (void)state;
    WorldVerdict v = judge("rigidify", "\"rigidify\": {\"sleep_speed\": 1e6},");
    assert_int_equal(v.end, WORLD_JUDGED);
    assert_int_equal(world_broken(&v) & (WORLD_SLEEP | WORLD_MOMENTUM | WORLD_ERROR),
                     WORLD_SLEEP | WORLD_MOMENTUM | WORLD_ERROR);
    assert_int_equal(v.wrong_sleep, 1);
    assert_true(v.momentum > 0.9);
    assert_true(v.asleep > 0.3);
}

static void what_cannot_be_judged_says_so(void **state) {
    (void)state;
    WorldVerdict v = {0};
    world_judge("{\"thaw\": 2}", "rigidify", &v);
    assert_int_equal(v.end, WORLD_REFUSED);
    assert_int_equal(world_broken(&v), 0);
    assert_true(strlen(v.what) > 0);
    v = judge("nothing", "");
    assert_int_equal(v.end, WORLD_FAILED);
    assert_int_equal(world_broken(&v), WORLD_FAILURE);
}

// --- the program -----------------------------------------------------------------------------------------------------

static void worlds_are_written_and_rows_kept(void **state) {
    (void)state;
    size_t size;
    expect("bench worlds --seeds 3:4 --small --write @worlds", 0, "2 worlds");
    char *text = slurp(at("worlds/world-3.json"), &size),
         *same = world_random(3, WORLD_SMALL, THAW_INTEGRATOR_SEMI_IMPLICIT, NULL);
    assert_non_null(text);
    assert_string_equal(text, same);
    free(text);
    thaw_free(same);
    expect("check @worlds/world-3.json", 0, "");
    expect("bench worlds --seeds 1:4 --small -o @bench", 0, "| worlds | 2 | 2 | 4 |");
    char *before = slurp(at("bench/worlds.csv"), &size), *page = slurp(at("bench/worlds.md"), &size);
    assert_non_null(page);
    assert_non_null(strstr(page, "\n| 3 | "));
    assert_null(strstr(page, "\n| 2 | ")); // even seeds are counted only
    expect("bench worlds --seeds 1:4 --small -o @bench --resume", 0, "| worlds | 2 | 2 | 4 |");
    char *after = slurp(at("bench/worlds.csv"), &size);
    assert_string_equal(before, after); // times included: nothing was run again
    free(before);
    free(after);
    free(page);
    expect("bench worlds --seeds 4:1", 1, "--seeds");
    expect("bench worlds --only 0", 1, "--only");
    expect("bench worlds seven", 1, "seven");
    expect("bench worlds --only 5 --small", 0, "momentum");
}

// The last number of the row of the summary that begins so: of all seeds.
static int total_of(const char *row) {
    const char *at = strstr(said, row), *end = at ? strchr(at, '\n') : NULL;
    if (!end)
        fail_msg("no row %s in: %s", row, said);
    while (end > at && (*end < '0' || *end > '9'))
        end--;
    while (end > at && end[-1] >= '0' && end[-1] <= '9')
        end--;
    return atoi(end);
}

static void judge_small(const char *which, const char *flags) {
    const char *wanted = getenv("THAW_WORLDS_STRICT");
    int strict = wanted && strcmp(wanted, "1") == 0;
    char line[200];
    snprintf(line, sizeof line, "bench worlds --seeds %s --small%s -o @hundred%s", which, flags,
             strict ? " --strict" : "");
    int status = thaw(line);
    if (status != 0)
        fail_msg("status %d; it said: %s", status, said);
    int worlds = total_of("| worlds |"), strays = total_of("| broken: error |") - total_of("| of the errors: ");
    print_message("%d worlds, energy gained in %d, errors that are the method's own in %d\n", worlds,
                  total_of("| broken: energy |"), strays);
    assert_int_equal(total_of("| broken: sleep |"), 0);
    assert_int_equal(total_of("| broken: momentum |"), 0);
    assert_int_equal(total_of("| broken: failure |"), 0);
    assert_true(strays <= worlds / 20);
    assert_int_equal(total_of("| broken: energy |"), 0);
}

static void a_hundred_small_worlds_are_judged(void **state) {
    (void)state;
    judge_small(seeds, "");
}

static void a_hundred_small_worlds_by_the_default_integrator_are_judged(void **state) {
    (void)state;
    judge_small(seeds, " --integrator euler");
}

// Odd worlds that gained before islands were balanced: 5113 two boxes that share a contact, 5959 a ball that rolls off
// a plate, 6611 a hinged part that swings under a load of 170 times its weight, 6733 and 6923 bodies that such loads
// carry off and throw about. By both methods now nothing, or next to it.
static void worlds_that_gained_energy_do_not(void **state) {
    (void)state;
    static const struct {
        uint64_t seed;
        double full; // the most that the full method gains, as a share
    } worlds[] = {{5113, 1e-6}, {5959, 1e-6}, {6611, 1e-6}, {6733, 1e-6}, {6923, 0.2}};
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
        char *text = world_random(worlds[i].seed, WORLD_SMALL, THAW_INTEGRATOR_EULER, NULL);
        WorldVerdict v = {.seed = (int64_t)worlds[i].seed};
        assert_non_null(text);
        world_judge(text, "rigidify", &v);
        thaw_free(text);
        print_message("world %d gains %.2g, full %.2g\n", (int)worlds[i].seed, v.energy, v.energy_full);
        assert_int_equal(v.end, WORLD_JUDGED);
        assert_true(v.energy < 1e-6 && v.energy_full < worlds[i].full);
    }
}

static void small_worlds_of_sheets_are_judged(void **state) {
    (void)state;
    judge_small(sheets, " --sheets");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seed_is_a_scene_always_the_same),
        cmocka_unit_test(the_text_of_worlds_is_what_it_was),
        cmocka_unit_test(the_text_of_worlds_of_sheets_is_what_it_was),
        cmocka_unit_test(all_kinds_of_sheets_are_drawn),
        cmocka_unit_test(all_kinds_are_drawn),
        cmocka_unit_test(full_against_itself_breaks_no_rule),
        cmocka_unit_test(a_body_that_sleeps_as_it_drifts_is_found),
        cmocka_unit_test(what_cannot_be_judged_says_so),
        cmocka_unit_test(worlds_are_written_and_rows_kept),
        cmocka_unit_test(a_hundred_small_worlds_are_judged),
        cmocka_unit_test(a_hundred_small_worlds_by_the_default_integrator_are_judged),
        cmocka_unit_test(worlds_that_gained_energy_do_not),
        cmocka_unit_test(small_worlds_of_sheets_are_judged),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
