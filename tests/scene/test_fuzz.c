// SPDX-License-Identifier: Apache-2.0
// Twenty thousand seeded mutations of good scenes, of bytes and of whole tokens: each is taken or refused with a
// message, and under the sanitizers none reads astray or leaks.
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "thaw/thaw.h"

enum { MUTATIONS = 20000, ROOM = 1 << 14 };

static uint32_t draw(uint64_t *seed, uint32_t below) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*seed >> 33) % below);
}

static size_t read_text(const char *file, char text[ROOM]) {
    char path[1000];
    snprintf(path, sizeof path, THAW_SOURCE_DIR "/tests/scene/small/%s", file);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t length = fread(text, 1, ROOM / 2, f);
    fclose(f);
    return length;
}

static size_t splice(char *text, size_t length, size_t at, size_t cut, const char *piece, size_t size) {
    if (length - cut + size > ROOM)
        return length;
    memmove(text + at + size, text + at + cut, length - at - cut);
    memcpy(text + at, piece, size);
    return length - cut + size;
}

// A token of JSON, more or less: a run of letters and digits, or one other character.
static size_t token_end(const char *text, size_t length, size_t at) {
    size_t end = at + 1;
    while (isalnum((unsigned char)text[at]) && end < length && (isalnum((unsigned char)text[end]) || text[end] == '.'))
        end++;
    return end;
}

static size_t mutate(char text[ROOM], size_t length, uint64_t *seed) {
    static const char letters[] = "{}[]\",:/*-+.eE0123456789\\ \n\tu\x80\xC3tfn_";
    static const char *const words[] = {"null", "true", "-1",      "0",         "1e30",   "\"all\"", "\"\"",
                                        "{}",   "[]",   "[0,0,0]", "\"x-min\"", "1e-300", "0.5"};
    char piece[256];
    size_t at = draw(seed, (uint32_t)length);
    char letter = letters[draw(seed, sizeof letters - 1)];
    switch (draw(seed, 5)) {
    case 0:
        return splice(text, length, at, 1, &letter, 1);
    case 1:
        return splice(text, length, at, 1, "", 0);
    case 2:
        return splice(text, length, at, 0, &letter, 1);
    case 3: { // a word in place of a token
        const char *word = words[draw(seed, sizeof words / sizeof *words)];
        return splice(text, length, at, token_end(text, length, at) - at, word, strlen(word));
    }
    default: { // one token in place of another
        size_t from = draw(seed, (uint32_t)length), size = token_end(text, length, from) - from;
        size = size < sizeof piece ? size : sizeof piece;
        memcpy(piece, text + from, size);
        return splice(text, length, at, token_end(text, length, at) - at, piece, size);
    }
    }
}

static void mutated_scenes_are_taken_or_refused_with_a_message(void **state) {
    (void)state;
    static const char *const files[] = {"two_materials.json", "plane.json", "scripted.json", "newton.json"};
    static char good[4][ROOM], text[ROOM];
    size_t length[4];
    for (int i = 0; i < 4; i++)
        length[i] = read_text(files[i], good[i]);
    uint64_t seed = 20;
    int taken = 0, refused_by_value = 0;
    for (int i = 0; i < MUTATIONS; i++) {
        size_t size = length[i % 4];
        memcpy(text, good[i % 4], size);
        for (uint32_t k = 1 + draw(&seed, 3); k > 0 && size > 0; k--)
            size = mutate(text, size, &seed);
        ThawScene *scene = NULL;
        ThawError error = {0};
        ThawStatus status = thaw_scene_parse(text, size, "f", THAW_SOURCE_DIR "/tests/scene/small", &scene, &error);
        assert_true(status <= 0);
        assert_true((status == THAW_OK) == (scene != NULL));
        if (status) {
            assert_int_equal(error.status, status);
            assert_int_equal(error.message[0], 'f');
            assert_int_equal(error.message[1], ':');
            assert_true(strlen(error.message) > 10);
        }
        taken += scene != NULL;
        refused_by_value += error.message[2] == ' ';
        thaw_scene_free(&scene);
    }
    // The mutations must reach all layers, not just the JSON parser.
    assert_true(taken > MUTATIONS / 50);
    assert_true(refused_by_value > MUTATIONS / 50);
}

static void every_cut_of_a_scene_is_refused(void **state) {
    (void)state;
    static char text[ROOM];
    size_t length = read_text("scripted.json", text);
    while (length > 0 && text[length - 1] != '}')
        length--;
    for (size_t cut = 0; cut < length; cut++) {
        ThawScene *scene = NULL;
        ThawError error = {0};
        assert_int_equal(thaw_scene_parse(text, cut, "f", NULL, &scene, &error), THAW_ERROR_INPUT);
        assert_null(scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutated_scenes_are_taken_or_refused_with_a_message),
        cmocka_unit_test(every_cut_of_a_scene_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
