// SPDX-License-Identifier: Apache-2.0
// HDF5 files made to keep their reader busy: a few thousand pointers to the same place each. Honest files look nothing
// like them, so they are refused, and that must not take longer than reading an honest file of that size would.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/file.h"
#include "output/hdf.h"
#include "support/folder.h"

enum { MOST = 1 << 18, LONG_NAME = 480 };

// A file under construction.
typedef struct File {
    unsigned char bytes[MOST];
    uint64_t size;
} File;

static void set(File *f, uint64_t at, uint64_t value, size_t size) { memcpy(f->bytes + at, &value, size); }

static uint64_t place(File *f, uint64_t size) {
    const uint64_t at = f->size;
    assert_true(at + size <= MOST);
    f->size += (size + 7) / 8 * 8;
    return at;
}

static uint64_t add_header(File *f, uint64_t messages, uint64_t size) {
    const uint64_t at = place(f, 16 + size);
    set(f, at, 1, 1);
    set(f, at + 2, messages, 2);
    set(f, at + 8, size, 4);
    return at;
}

static uint64_t add_group(File *f, uint64_t tree, uint64_t heap) {
    const uint64_t at = add_header(f, 1, 24);
    set(f, at + 16, THAW_HDF_SYMBOLS, 2);
    set(f, at + 18, 16, 2);
    set(f, at + 24, tree, 8);
    set(f, at + 32, heap, 8);
    return at;
}

// Names of one letter, a to z, at 0, 2, ...; behind them a long one.
static uint64_t add_heap(File *f) {
    const uint64_t at = place(f, 32), names = place(f, 53 + LONG_NAME);
    memcpy(f->bytes + at, "HEAP", 4);
    set(f, at + 8, 53 + LONG_NAME, 8);
    set(f, at + 24, names, 8);
    for (int i = 0; i < 26; i++)
        f->bytes[names + 2 * i] = (unsigned char)('a' + i);
    memset(f->bytes + names + 52, 'n', LONG_NAME);
    return at;
}
enum { AT_LONG_NAME = 52 };

// A node whose children are all the same.
static uint64_t add_tree(File *f, int level, uint64_t count, uint64_t child) {
    const uint64_t at = place(f, 32 + 16 * count);
    memcpy(f->bytes + at, "TREE", 4);
    set(f, at + 5, (uint64_t)level, 1);
    set(f, at + 6, count, 2);
    for (uint64_t i = 0; i < count; i++)
        set(f, at + 32 + 16 * i, child, 8);
    return at;
}

// Entries that all have the same name and lead to the same object.
static uint64_t add_symbols(File *f, uint64_t count, uint64_t name, uint64_t object) {
    const uint64_t at = place(f, 8 + THAW_HDF_ENTRY * count);
    memcpy(f->bytes + at, "SNOD", 4);
    set(f, at + 6, count, 2);
    for (uint64_t i = 0; i < count; i++) {
        set(f, at + 8 + THAW_HDF_ENTRY * i, name, 8);
        set(f, at + 16 + THAW_HDF_ENTRY * i, object, 8);
    }
    return at;
}

static File *begin(void) {
    static File file;
    file = (File){.size = THAW_HDF_SUPERBLOCK};
    memcpy(file.bytes, THAW_HDF_SIGNATURE, 8);
    file.bytes[13] = file.bytes[14] = 8;
    return &file;
}

static void check_refused(File *f, uint64_t root, const char *says) {
    ThawHdfIndex index;
    ThawError error = {0};
    set(f, 64, root, 8);
    assert_int_equal(thaw_hdf_open((const char *)f->bytes, f->size, &index, &error), THAW_ERROR_INPUT);
    if (!strstr(error.message, says))
        fail_msg("'%s' does not say '%s'", error.message, says);
    assert_int_equal(index.count, 0);
}
static const char again[] = "point at the same places again and again";

static void a_header_of_many_messages_is_not_read_for_every_entry(void **state) {
    (void)state;
    File *f = begin();
    const uint64_t heap = add_heap(f), object = add_header(f, 4000, 8 * 4000);
    check_refused(f, add_group(f, add_tree(f, 0, 1, add_symbols(f, 800, 0, object)), heap), again);
}

static void a_header_that_goes_on_in_itself_comes_to_an_end(void **state) {
    (void)state;
    File *f = begin();
    const uint64_t heap = add_heap(f), object = add_header(f, UINT16_MAX, 24);
    set(f, object + 16, THAW_HDF_CONTINUATION, 2);
    set(f, object + 18, 16, 2);
    set(f, object + 24, object + 16, 8);
    set(f, object + 32, 24, 8);
    check_refused(f, add_group(f, add_tree(f, 0, 1, add_symbols(f, 1, 0, object)), heap), again);
}

static void nodes_without_entries_are_not_free(void **state) {
    (void)state;
    File *f = begin();
    const uint64_t heap = add_heap(f), leaf = add_tree(f, 0, 1000, add_symbols(f, 0, 0, 0));
    check_refused(f, add_group(f, add_tree(f, 1, 1000, leaf), heap), again);
}

static void nor_are_trees_without_nodes(void **state) {
    (void)state;
    File *f = begin();
    const uint64_t heap = add_heap(f);
    uint64_t tree = add_tree(f, 0, 0, 0);
    for (int level = 1; level < 4; level++)
        tree = add_tree(f, level, 100, tree);
    check_refused(f, add_group(f, tree, heap), again);
}

static void a_long_name_is_paid_for_each_time(void **state) {
    (void)state;
    File *f = begin();
    const uint64_t heap = add_heap(f), object = add_header(f, 0, 0);
    check_refused(f, add_group(f, add_tree(f, 0, 1, add_symbols(f, 2000, AT_LONG_NAME, object)), heap), again);
}

static void groups_that_double_with_each_level_are_refused(void **state) {
    (void)state;
    File *f = begin();
    const uint64_t heap = add_heap(f);
    uint64_t group = add_group(f, add_tree(f, 0, 0, 0), heap);
    for (int level = 0; level < 15; level++)
        group = add_group(f, add_tree(f, 0, 1, add_symbols(f, 2, 0, group)), heap);
    check_refused(f, group, again);
}

static void a_list_that_is_named_twice_is_refused(void **state) {
    (void)state;
    File *f = begin();
    const uint64_t heap = add_heap(f), list = add_header(f, 3, 24 + 16 + 32);
    set(f, list + 16, THAW_HDF_DATATYPE, 2);
    set(f, list + 18, 16, 2);
    unsigned char type[24];
    thaw_hdf_type_message(THAW_HDF_I32, 1, type);
    memcpy(f->bytes + list + 24, type, 16);
    set(f, list + 40, THAW_HDF_SPACE, 2);
    set(f, list + 42, 8, 2);
    set(f, list + 48, 1, 1); // no dimensions: one number
    set(f, list + 56, THAW_HDF_LAYOUT, 2);
    set(f, list + 58, 24, 2);
    set(f, list + 64, 0x0103, 2);
    set(f, list + 66, THAW_HDF_SUPERBLOCK, 8);
    set(f, list + 74, 4, 8);
    ThawHdfIndex index;
    const uint64_t once = add_group(f, add_tree(f, 0, 1, add_symbols(f, 1, 0, list)), heap);
    set(f, 64, once, 8);
    assert_int_equal(thaw_hdf_open((const char *)f->bytes, f->size, &index, NULL), THAW_OK);
    assert_int_equal(index.count, 1);
    thaw_hdf_close(&index);
    check_refused(f, add_group(f, add_tree(f, 0, 1, add_symbols(f, 2, 0, list)), heap), "not in order");
}

// The most that an honest file can ask for: every list has a name as long as can be.
static void long_names_in_deep_groups_are_read(void **state) {
    (void)state;
    enum { DEPTH = 15, LISTS = 500 };
    char name[500] = "", *bytes;
    ThawHdf *hdf;
    ThawHdfIndex index;
    ThawError error = {0};
    uint64_t whole, digest;
    size_t size;
    for (int i = 0; i < DEPTH; i++)
        snprintf(name + strlen(name), sizeof name - strlen(name), "group-of-thirty-letters-%05d/", i);
    const size_t used = strlen(name);
    assert_int_equal(thaw_hdf_create(at("deep.h5"), 0, &hdf, &error), THAW_OK);
    for (int i = 0; i < LISTS; i++) {
        snprintf(name + used, sizeof name - used, "%d", i);
        thaw_hdf_put(hdf, name, THAW_HDF_I8, 1, 0, "x");
    }
    assert_int_equal(thaw_hdf_finish(hdf, &whole, &digest, &error), THAW_OK);
    assert_int_equal(thaw_hdf_commit(&hdf, &error), THAW_OK);
    assert_int_equal(thaw_file_read(at("deep.h5"), &bytes, &size, &error), THAW_OK);
    if (thaw_hdf_open(bytes, size, &index, &error))
        fail_msg("%s", error.message);
    assert_int_equal(index.count, LISTS);
    assert_non_null(thaw_hdf_find(&index, name));
    thaw_hdf_close(&index);
    thaw_free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_header_of_many_messages_is_not_read_for_every_entry),
        cmocka_unit_test(a_header_that_goes_on_in_itself_comes_to_an_end),
        cmocka_unit_test(nodes_without_entries_are_not_free),
        cmocka_unit_test(nor_are_trees_without_nodes),
        cmocka_unit_test(a_long_name_is_paid_for_each_time),
        cmocka_unit_test(groups_that_double_with_each_level_are_refused),
        cmocka_unit_test(a_list_that_is_named_twice_is_refused),
        cmocka_unit_test(long_names_in_deep_groups_are_read),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
