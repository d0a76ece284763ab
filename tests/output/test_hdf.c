// SPDX-License-Identifier: Apache-2.0
// Our own HDF5 files: what the HDF5 library says of them, what we read of its own, and what a damaged one does.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "output/hdf.h"
#include "support/folder.h"

static const double numbers[5] = {1.5, -0.0, 4.9e-324, 0.1, -1e300};
enum { MANY = 3000, CHUNKS = 200, ROWS = 7 };

// Enough lists in a group for a tree of several levels, and enough chunks for one as well.
static void write_example(const char *path, size_t user_block) {
    ThawHdf *hdf;
    ThawError error = {0};
    uint64_t size, digest;
    assert_int_equal(thaw_hdf_create(path, user_block, &hdf, &error), THAW_OK);
    thaw_hdf_put(hdf, "plain", THAW_HDF_F64, 5, 0, numbers);
    thaw_hdf_put(hdf, "empty", THAW_HDF_I32, 0, 0, NULL);
    thaw_hdf_put(hdf, "a-b", THAW_HDF_I8, 4, 0, "text");
    thaw_hdf_put(hdf, "a/b", THAW_HDF_U8, 2, 0, (const unsigned char[]){7, 200});
    thaw_hdf_put(hdf, "a/rows", THAW_HDF_I64, 2, 3, (const int64_t[]){1, 2, 3, -4, -5, -6});
    for (int32_t i = 0; i < MANY; i++) {
        char name[40];
        snprintf(name, sizeof name, "many/%d/x", (int)i);
        thaw_hdf_put(hdf, name, THAW_HDF_I32, 1, 0, &i);
    }
    const int32_t flat = thaw_hdf_begin_list(hdf, "chunked/flat", THAW_HDF_F32, ROWS, 0, CHUNKS);
    const int32_t wide = thaw_hdf_begin_list(hdf, "chunked/wide", THAW_HDF_F64, ROWS, 3, CHUNKS);
    for (int c = 0; c < CHUNKS; c++) {
        float a[ROWS];
        double b[3 * ROWS];
        for (int i = 0; i < 3 * ROWS; i++)
            b[i] = 1e-3 * (c * 3 * ROWS + i);
        for (int i = 0; i < ROWS; i++)
            a[i] = (float)(c * ROWS + i);
        thaw_hdf_append(hdf, flat, a);
        thaw_hdf_append(hdf, wide, b);
    }
    thaw_hdf_attribute(hdf, "chunked", "Type", THAW_HDF_TEXT, 4, "Grid");
    thaw_hdf_attribute(hdf, "chunked", "Version", THAW_HDF_I64, 2, (const int64_t[]){2, 1});
    thaw_hdf_attribute(hdf, "", "single", THAW_HDF_F64, 0, &numbers[0]);
    assert_int_equal(thaw_hdf_finish(hdf, &size, &digest, &error), THAW_OK);
    assert_int_equal(thaw_hdf_commit(&hdf, &error), THAW_OK);
    char *bytes;
    size_t found;
    assert_int_equal(thaw_file_read(path, &bytes, &found, &error), THAW_OK);
    assert_int_equal(found, size);
    assert_int_equal(thaw_hdf_digest(bytes + user_block, found - user_block), digest);
    thaw_free(bytes);
}

static void what_was_written_is_found_again(void **state) {
    (void)state;
    char *bytes;
    size_t size;
    ThawError error = {0};
    ThawHdfIndex index;
    write_example(at("own.h5"), 0);
    assert_int_equal(thaw_file_read(at("own.h5"), &bytes, &size, &error), THAW_OK);
    assert_int_equal(thaw_hdf_open(bytes, size, &index, &error), THAW_OK);
    assert_int_equal(index.count, MANY + 5); // lists in chunks are for others
    const ThawHdfList *list = thaw_hdf_find(&index, "plain");
    assert_non_null(list);
    assert_int_equal(list->type, THAW_HDF_F64);
    assert_int_equal(list->count, 5);
    assert_memory_equal(list->data, numbers, sizeof numbers);
    assert_int_equal(thaw_hdf_find(&index, "empty")->count, 0);
    assert_memory_equal(thaw_hdf_find(&index, "a-b")->data, "text", 4);
    assert_int_equal(thaw_hdf_find(&index, "a/rows")->count, 6);
    for (int32_t i = 0; i < MANY; i++) {
        char name[40];
        snprintf(name, sizeof name, "many/%d/x", (int)i);
        list = thaw_hdf_find(&index, name);
        assert_non_null(list);
        assert_memory_equal(list->data, &i, 4);
    }
    assert_null(thaw_hdf_find(&index, "many/1"));
    assert_null(thaw_hdf_find(&index, "chunked/flat"));
    thaw_hdf_close(&index);
    thaw_free(bytes);
}

static void a_name_that_comes_twice_is_refused(void **state) {
    (void)state;
    static const char *const pairs[][2] = {{"x", "x"}, {"a", "a/b"}, {"a/b/c", "a/b"}, {"", "y"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        ThawHdf *hdf;
        ThawError error = {0};
        uint64_t size, digest;
        assert_int_equal(thaw_hdf_create(at("twice.h5"), 0, &hdf, &error), THAW_OK);
        for (int k = 0; k < 2; k++)
            thaw_hdf_put(hdf, pairs[i][k], THAW_HDF_F64, 5, 0, numbers);
        assert_int_equal(thaw_hdf_finish(hdf, &size, &digest, &error), THAW_ERROR_IO);
        assert_int_equal(thaw_hdf_commit(&hdf, &error), THAW_ERROR_IO);
        assert_null(hdf);
        assert_int_not_equal(access(at("twice.h5"), F_OK), 0);
        assert_int_not_equal(access(at("twice.h5.tmp"), F_OK), 0);
    }
}

// No digest guards them here: whatever the bytes are, the reader ends, and stays inside of them.
static void a_damaged_file_is_read_or_refused(void **state) {
    (void)state;
    char *bytes;
    size_t size;
    ThawHdf *hdf;
    ThawError error = {0};
    uint64_t random = 1, whole, digest;
    assert_int_equal(thaw_hdf_create(at("small.h5"), 0, &hdf, &error), THAW_OK);
    for (int i = 0; i < 40; i++) {
        char name[40];
        snprintf(name, sizeof name, "%d/x", i / 2 * 2 + i);
        thaw_hdf_put(hdf, name, THAW_HDF_F64, 5, 0, numbers);
    }
    assert_int_equal(thaw_hdf_finish(hdf, &whole, &digest, &error), THAW_OK);
    assert_int_equal(thaw_hdf_commit(&hdf, &error), THAW_OK);
    assert_int_equal(thaw_file_read(at("small.h5"), &bytes, &size, &error), THAW_OK);
    int refused = 0;
    for (int trial = 0; trial < 3000; trial++) {
        char *copy = malloc(size); // so that the sanitizers see its end
        assert_non_null(copy);
        memcpy(copy, bytes, size);
        size_t length = size;
        for (int k = 0; k <= trial % 5; k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            const size_t place = (size_t)(random >> 20) % size;
            if (trial % 7 == 6)
                length = place;
            else if (k % 2) // addresses are multiples of eight
                copy[place / 8 * 8] = (char)(copy[place / 8 * 8] + (char)(8 * (random >> 57)));
            else
                copy[place] = (char)(random >> 56);
        }
        ThawHdfIndex index;
        ThawStatus status = thaw_hdf_open(copy, length, &index, &error);
        assert_true(status == THAW_OK || status == THAW_ERROR_INPUT);
        for (int64_t i = 0; i < index.count; i++) {
            const char *data = index.lists[i].data;
            const size_t bytes_of = (size_t)index.lists[i].count * thaw_hdf_type_size(index.lists[i].type);
            assert_true(!bytes_of || (data >= copy && bytes_of <= length && data + bytes_of <= copy + length));
        }
        refused += status != THAW_OK;
        thaw_hdf_close(&index);
        free(copy);
    }
    assert_true(refused > 300);
    thaw_free(bytes);
}

#ifdef THAW_WITH_HDF5
#include <hdf5.h>

static void check_list(hid_t file, const char *name, hid_t type, hsize_t count, const void *wanted, size_t size) {
    char found[CHUNKS * ROWS * 3 * 8];
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
    assert_true(set >= 0);
    assert_true(size <= sizeof found);
    assert_int_equal(H5Sget_simple_extent_npoints(space), count);
    assert_true(count == 0 || H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, found) >= 0);
    assert_memory_equal(found, wanted, size);
    H5Sclose(space);
    H5Dclose(set);
}

static void the_hdf5_library_reads_what_we_write(void **state) {
    (void)state;
    static float flat[CHUNKS * ROWS];
    static double wide[CHUNKS * ROWS * 3];
    for (int i = 0; i < CHUNKS * ROWS; i++)
        flat[i] = (float)i;
    for (int i = 0; i < CHUNKS * ROWS * 3; i++)
        wide[i] = 1e-3 * i;
    for (size_t user_block = 0; user_block <= 512; user_block += 512) {
        write_example(at("own.h5"), user_block);
        hid_t file = H5Fopen(at("own.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
        assert_true(file >= 0);
        check_list(file, "plain", H5T_NATIVE_DOUBLE, 5, numbers, sizeof numbers);
        check_list(file, "empty", H5T_NATIVE_INT32, 0, NULL, 0);
        check_list(file, "a-b", H5T_NATIVE_CHAR, 4, "text", 4);
        check_list(file, "a/b", H5T_NATIVE_UCHAR, 2, (const unsigned char[]){7, 200}, 2);
        check_list(file, "a/rows", H5T_NATIVE_INT64, 6, (const int64_t[]){1, 2, 3, -4, -5, -6}, 48);
        check_list(file, "chunked/flat", H5T_NATIVE_FLOAT, CHUNKS * ROWS, flat, sizeof flat);
        check_list(file, "chunked/wide", H5T_NATIVE_DOUBLE, CHUNKS * ROWS * 3, wide, sizeof wide);
        for (int32_t i = 0; i < MANY; i += 17) {
            char name[40];
            snprintf(name, sizeof name, "many/%d/x", (int)i);
            check_list(file, name, H5T_NATIVE_INT32, 1, &i, 4);
        }
        H5G_info_t info;
        assert_true(H5Gget_info_by_name(file, "many", &info, H5P_DEFAULT) >= 0);
        assert_int_equal(info.nlinks, MANY);
        int64_t version[2] = {0};
        double single = 0;
        char kind[5] = "";
        hid_t a = H5Aopen_by_name(file, "chunked", "Version", H5P_DEFAULT, H5P_DEFAULT);
        assert_true(H5Aread(a, H5T_NATIVE_INT64, version) >= 0);
        assert_true(version[0] == 2 && version[1] == 1);
        H5Aclose(a);
        a = H5Aopen_by_name(file, "chunked", "Type", H5P_DEFAULT, H5P_DEFAULT);
        hid_t text = H5Aget_type(a);
        assert_true(H5Aread(a, text, kind) >= 0);
        assert_string_equal(kind, "Grid");
        H5Tclose(text);
        H5Aclose(a);
        a = H5Aopen_by_name(file, "/", "single", H5P_DEFAULT, H5P_DEFAULT);
        assert_true(H5Aread(a, H5T_NATIVE_DOUBLE, &single) >= 0);
        assert_true(single == 1.5);
        H5Aclose(a);
        assert_true(H5Fclose(file) >= 0);
    }
}

// As checkpoints were written before.
static void we_read_what_the_hdf5_library_writes(void **state) {
    (void)state;
    hid_t file = H5Fcreate(at("theirs.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    for (int i = 0; i < 300; i++) {
        char name[40];
        const hsize_t length = i == 7 ? 0 : 5;
        snprintf(name, sizeof name, "body/%d/x", i);
        hid_t space = H5Screate_simple(1, &length, NULL);
        hid_t set = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, links, H5P_DEFAULT, H5P_DEFAULT);
        assert_true(set >= 0);
        if (length)
            assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
        H5Dclose(set);
        H5Sclose(space);
    }
    static const hid_t none = H5I_INVALID_HID;
    const hid_t types[] = {H5T_NATIVE_CHAR,   H5T_NATIVE_UCHAR, H5T_NATIVE_INT32,  H5T_NATIVE_INT64,
                           H5T_NATIVE_UINT64, H5T_NATIVE_FLOAT, H5T_NATIVE_DOUBLE, none};
    for (int i = 0; types[i] != none; i++) {
        char name[40];
        const hsize_t length = 2;
        const int64_t zeros[2] = {0};
        snprintf(name, sizeof name, "type/%d", i);
        hid_t space = H5Screate_simple(1, &length, NULL);
        hid_t set = H5Dcreate2(file, name, types[i], space, links, H5P_DEFAULT, H5P_DEFAULT);
        assert_true(H5Dwrite(set, types[i], H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros) >= 0);
        H5Dclose(set);
        H5Sclose(space);
    }
    H5Pclose(links);
    assert_true(H5Fclose(file) >= 0);
    char *bytes;
    size_t size;
    ThawError error = {0};
    ThawHdfIndex index;
    assert_int_equal(thaw_file_read(at("theirs.h5"), &bytes, &size, &error), THAW_OK);
    assert_int_equal(thaw_hdf_open(bytes, size, &index, &error), THAW_OK);
    assert_int_equal(index.count, 307);
    for (int i = 0; i < 300; i++) {
        char name[40];
        snprintf(name, sizeof name, "body/%d/x", i);
        const ThawHdfList *list = thaw_hdf_find(&index, name);
        assert_non_null(list);
        assert_int_equal(list->count, i == 7 ? 0 : 5);
        assert_memory_equal(list->data, numbers, (size_t)list->count * 8);
    }
    for (int i = 0; i < THAW_HDF_TEXT; i++) {
        char name[40];
        snprintf(name, sizeof name, "type/%d", i);
        assert_int_equal(thaw_hdf_find(&index, name)->type, i);
    }
    thaw_hdf_close(&index);
    thaw_free(bytes);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_found_again),      cmocka_unit_test(a_name_that_comes_twice_is_refused),
        cmocka_unit_test(a_damaged_file_is_read_or_refused),
#ifdef THAW_WITH_HDF5
        cmocka_unit_test(the_hdf5_library_reads_what_we_write), cmocka_unit_test(we_read_what_the_hdf5_library_writes),
#endif
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
