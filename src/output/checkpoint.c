// SPDX-License-Identifier: Apache-2.0
// Checkpoints: named arrays in an HDF5 file that is either whole or refused.
//
// Two things about HDF5 are handled by never letting it near the disk. On a full disk its close fails and the file
// stays half open; and a damaged file can send its parser anywhere. So the file is built in memory (core driver), and
// written by file.c: temporary name, sync, rename. In front of it stand 512 bytes, an HDF5 user block, which other HDF5
// tools skip; ours holds a magic word, the length of the file and a hash of all that follows. Opening checks these
// before HDF5 sees a byte. Cost: the state once more in memory while saving, and one pass of hashing (GB/s).
#include <hdf5.h>
#include <inttypes.h>
#include <string.h>

#include "output/checkpoint.h"
#include "output/output.h"

enum { USER_BLOCK = 512 };
static const char magic[16] = "thaw checkpoint";

typedef struct Header {
    char magic[16];
    uint64_t size; // of the whole file
    uint64_t hash; // of everything after the user block
} Header;

struct ThawCheckpoint {
    char *path;
    hid_t file;
    hid_t links;    // link creation properties: make groups on the way
    hid_t datasets; // dataset creation properties: no time stamps, so that equal states give equal files
};

void thaw_checkpoint_free(ThawCheckpoint **checkpoint) {
    if (!checkpoint || !*checkpoint)
        return;
    ThawCheckpoint *c = *checkpoint;
    H5E_BEGIN_TRY {
        if (c->datasets >= 0)
            H5Pclose(c->datasets);
        if (c->links >= 0)
            H5Pclose(c->links);
        if (c->file >= 0)
            H5Fclose(c->file);
    }
    H5E_END_TRY
    thaw_free(c->path);
    thaw_free(c);
    *checkpoint = NULL;
}

static ThawCheckpoint *checkpoint_new(const char *path) {
    ThawCheckpoint *c = THAW_NEW(ThawCheckpoint, 1);
    if (!c)
        return NULL;
    c->file = c->links = c->datasets = H5I_INVALID_HID;
    c->path = thaw_strdup(path);
    if (!c->path)
        thaw_checkpoint_free(&c);
    return c;
}

// An in-memory file: new, or (image not NULL) a copy of those bytes.
static hid_t file_in_memory(const ThawCheckpoint *c, const void *image, size_t size) {
    hid_t file = H5I_INVALID_HID;
    // HDF5 takes two files of one name for the same file, so each gets its own.
    char name[64];
    snprintf(name, sizeof name, "thaw-checkpoint-%p", (const void *)c);
    H5E_BEGIN_TRY {
        hid_t access = H5Pcreate(H5P_FILE_ACCESS), create = H5Pcreate(H5P_FILE_CREATE);
        if (access >= 0 && create >= 0 && H5Pset_fapl_core(access, 1 << 20, 0) >= 0 &&
            H5Pset_obj_track_times(create, 0) >= 0) {
            if (!image)
                file = H5Fcreate(name, H5F_ACC_TRUNC, create, access);
            else if (H5Pset_file_image(access, (void *)image, size) >= 0)
                file = H5Fopen(name, H5F_ACC_RDONLY, access);
        }
        H5Pclose(create);
        H5Pclose(access);
    }
    H5E_END_TRY
    return file;
}

ThawStatus thaw_checkpoint_create(const char *path, ThawCheckpoint **checkpoint, ThawError *error) {
    *checkpoint = NULL;
    ThawCheckpoint *c = checkpoint_new(path);
    if (!c)
        return thaw_error_memory(error, "a checkpoint");
    H5E_BEGIN_TRY {
        c->links = H5Pcreate(H5P_LINK_CREATE);
        c->datasets = H5Pcreate(H5P_DATASET_CREATE);
        if (c->links >= 0 && c->datasets >= 0 && H5Pset_create_intermediate_group(c->links, 1) >= 0 &&
            H5Pset_obj_track_times(c->datasets, 0) >= 0)
            c->file = file_in_memory(c, NULL, 0);
    }
    H5E_END_TRY
    if (c->file < 0) {
        thaw_checkpoint_free(&c);
        return thaw_error_set(error, THAW_ERROR_IO, "cannot begin the checkpoint %s: HDF5 failed", path);
    }
    *checkpoint = c;
    return THAW_OK;
}

ThawStatus thaw_checkpoint_commit(ThawCheckpoint **checkpoint, ThawError *error) {
    ThawCheckpoint *c = *checkpoint;
    ThawStatus status = THAW_OK;
    char *image = NULL;
    ssize_t size = -1;
    H5E_BEGIN_TRY {
        if (H5Fflush(c->file, H5F_SCOPE_GLOBAL) >= 0)
            size = H5Fget_file_image(c->file, NULL, 0);
        if (size > 0 && (image = THAW_NEW(char, size)))
            size = H5Fget_file_image(c->file, image, (size_t)size);
    }
    H5E_END_TRY
    if (size <= 0)
        status = thaw_error_set(error, THAW_ERROR_IO, "cannot write the checkpoint %s: HDF5 failed", c->path);
    else if (!image)
        status = thaw_error_memory(error, "the image of a checkpoint");
    ThawFile *file = NULL;
    if (status == THAW_OK)
        status = thaw_file_create(c->path, &file, error);
    if (status == THAW_OK) {
        char block[USER_BLOCK] = {0};
        Header header = {.size = USER_BLOCK + (uint64_t)size, .hash = thaw_hash(0, image, (size_t)size)};
        memcpy(header.magic, magic, sizeof magic);
        memcpy(block, &header, sizeof header);
        thaw_file_write(file, block, sizeof block);
        thaw_file_write(file, image, (size_t)size);
        thaw_file_sync(file);
        status = thaw_file_commit(&file, error);
    }
    thaw_free(image);
    thaw_checkpoint_free(checkpoint);
    return status;
}

static ThawStatus header_check(const char *path, const char *bytes, size_t size, ThawError *error) {
    Header header;
    if (size < USER_BLOCK || memcmp(bytes, magic, sizeof magic) != 0)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s is not a checkpoint written by thaw", path);
    memcpy(&header, bytes, sizeof header);
    if (header.size != size)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "the checkpoint %s is damaged: it has %zu bytes and should have %" PRIu64, path, size,
                              header.size);
    if (header.hash != thaw_hash(0, bytes + USER_BLOCK, size - USER_BLOCK))
        return thaw_error_set(error, THAW_ERROR_INPUT, "the checkpoint %s is damaged: its digest does not match", path);
    return THAW_OK;
}

ThawStatus thaw_checkpoint_open(const char *path, ThawCheckpoint **checkpoint, ThawError *error) {
    *checkpoint = NULL;
    char *bytes;
    size_t size;
    ThawStatus status = thaw_file_read(path, &bytes, &size, error);
    if (status != THAW_OK)
        return status;
    status = header_check(path, bytes, size, error);
    ThawCheckpoint *c = NULL;
    if (status == THAW_OK && !(c = checkpoint_new(path)))
        status = thaw_error_memory(error, "a checkpoint");
    if (status == THAW_OK && (c->file = file_in_memory(c, bytes + USER_BLOCK, size - USER_BLOCK)) < 0) {
        thaw_checkpoint_free(&c);
        status = thaw_error_set(error, THAW_ERROR_INPUT, "cannot open the checkpoint %s: HDF5 refuses it", path);
    }
    thaw_free(bytes);
    *checkpoint = c;
    return status;
}

// --- arrays
// --------------------------------------------------------------------------------------------------------------

static ThawStatus put(ThawCheckpoint *c, const char *name, hid_t type, const void *data, int64_t count,
                      ThawError *error) {
    hsize_t length = count > 0 ? (hsize_t)count : 0;
    herr_t done = -1;
    H5E_BEGIN_TRY {
        hid_t space = H5Screate_simple(1, &length, NULL);
        hid_t set = H5Dcreate2(c->file, name, type, space, c->links, c->datasets, H5P_DEFAULT);
        if (set >= 0)
            done = length ? H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) : 0;
        H5Dclose(set);
        H5Sclose(space);
    }
    H5E_END_TRY
    if (done < 0)
        return thaw_error_set(error, THAW_ERROR_IO,
                              "cannot put '%s' (%" PRId64 " values) into the checkpoint %s: out of memory, or the name "
                              "is taken",
                              name, count, c->path);
    return THAW_OK;
}

// A dataset and its length; invalid when there is none of that name.
static hid_t dataset_open(const ThawCheckpoint *c, const char *name, int64_t *count) {
    hid_t set = H5I_INVALID_HID;
    *count = -1;
    H5E_BEGIN_TRY {
        set = H5Dopen2(c->file, name, H5P_DEFAULT);
        hid_t space = H5Dget_space(set);
        if (space >= 0)
            *count = (int64_t)H5Sget_simple_extent_npoints(space);
        H5Sclose(space);
    }
    H5E_END_TRY
    return set;
}

static ThawStatus get(ThawCheckpoint *c, const char *name, hid_t type, const char *type_name, void *data, int64_t count,
                      ThawError *error) {
    int64_t found;
    hid_t set = dataset_open(c, name, &found);
    int same = 0;
    herr_t done = -1;
    H5E_BEGIN_TRY {
        hid_t stored = H5Dget_type(set);
        same = H5Tequal(stored, type) > 0;
        H5Tclose(stored);
        if (same && found == count)
            done = count ? H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) : 0;
        H5Dclose(set);
    }
    H5E_END_TRY
    if (set < 0)
        return thaw_error_set(error, THAW_ERROR_INPUT, "the checkpoint %s has no '%s'", c->path, name);
    if (!same)
        return thaw_error_set(error, THAW_ERROR_INPUT, "'%s' in the checkpoint %s is not of type %s", name, c->path,
                              type_name);
    if (found != count)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "'%s' in the checkpoint %s has %" PRId64 " values; %" PRId64 " are needed", name, c->path,
                              found, count);
    if (done < 0)
        return thaw_error_set(error, THAW_ERROR_IO, "cannot read '%s' from the checkpoint %s", name, c->path);
    return THAW_OK;
}

ThawStatus thaw_checkpoint_put_f64(ThawCheckpoint *checkpoint, const char *name, const double *data, int64_t count,
                                   ThawError *error) {
    return put(checkpoint, name, H5T_NATIVE_DOUBLE, data, count, error);
}

ThawStatus thaw_checkpoint_put_i64(ThawCheckpoint *checkpoint, const char *name, const int64_t *data, int64_t count,
                                   ThawError *error) {
    return put(checkpoint, name, H5T_NATIVE_INT64, data, count, error);
}

ThawStatus thaw_checkpoint_put_u64(ThawCheckpoint *checkpoint, const char *name, const uint64_t *data, int64_t count,
                                   ThawError *error) {
    return put(checkpoint, name, H5T_NATIVE_UINT64, data, count, error);
}

ThawStatus thaw_checkpoint_put_i32(ThawCheckpoint *checkpoint, const char *name, const int32_t *data, int64_t count,
                                   ThawError *error) {
    return put(checkpoint, name, H5T_NATIVE_INT32, data, count, error);
}

ThawStatus thaw_checkpoint_put_text(ThawCheckpoint *checkpoint, const char *name, const char *text, ThawError *error) {
    return put(checkpoint, name, H5T_NATIVE_CHAR, text, (int64_t)strlen(text), error);
}

ThawStatus thaw_checkpoint_get_f64(ThawCheckpoint *checkpoint, const char *name, double *data, int64_t count,
                                   ThawError *error) {
    return get(checkpoint, name, H5T_NATIVE_DOUBLE, "double", data, count, error);
}

ThawStatus thaw_checkpoint_get_i64(ThawCheckpoint *checkpoint, const char *name, int64_t *data, int64_t count,
                                   ThawError *error) {
    return get(checkpoint, name, H5T_NATIVE_INT64, "int64", data, count, error);
}

ThawStatus thaw_checkpoint_get_u64(ThawCheckpoint *checkpoint, const char *name, uint64_t *data, int64_t count,
                                   ThawError *error) {
    return get(checkpoint, name, H5T_NATIVE_UINT64, "uint64", data, count, error);
}

ThawStatus thaw_checkpoint_get_i32(ThawCheckpoint *checkpoint, const char *name, int32_t *data, int64_t count,
                                   ThawError *error) {
    return get(checkpoint, name, H5T_NATIVE_INT32, "int32", data, count, error);
}

ThawStatus thaw_checkpoint_get_text(ThawCheckpoint *checkpoint, const char *name, char *text, size_t size,
                                    ThawError *error) {
    text[0] = 0;
    int64_t count = thaw_checkpoint_count(checkpoint, name);
    char *all = THAW_NEW(char, count > 0 ? count : 0);
    if (!all)
        return thaw_error_memory(error, "a text of a checkpoint");
    ThawStatus status = get(checkpoint, name, H5T_NATIVE_CHAR, "text", all, count, error);
    if (status == THAW_OK) {
        size_t kept = (size_t)count < size ? (size_t)count : size - 1;
        memcpy(text, all, kept);
        text[kept] = 0;
    }
    thaw_free(all);
    return status;
}

int64_t thaw_checkpoint_count(ThawCheckpoint *checkpoint, const char *name) {
    int64_t count;
    hid_t set = dataset_open(checkpoint, name, &count);
    if (set >= 0)
        H5Dclose(set);
    return count;
}

typedef struct Search {
    int64_t left; // names before the one that is looked for
    char *name;
    size_t size;
} Search;

// Groups are no names. Returns 1 where the search ends.
static herr_t look_at_link(hid_t group, const char *name, const H5L_info_t *info, void *context) {
    Search *search = context;
    (void)info;
    hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    const int table = H5Iget_type(object) == H5I_DATASET;
    H5Oclose(object);
    if (!table || search->left-- > 0)
        return 0;
    snprintf(search->name, search->size, "%s", name);
    return 1;
}

int thaw_checkpoint_name(ThawCheckpoint *checkpoint, int64_t index, char *name, size_t size) {
    Search search = {.left = index, .name = name, .size = size};
    herr_t found = -1;
    H5E_BEGIN_TRY { found = H5Lvisit(checkpoint->file, H5_INDEX_NAME, H5_ITER_INC, look_at_link, &search); }
    H5E_END_TRY
    return found > 0;
}
