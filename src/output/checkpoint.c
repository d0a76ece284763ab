// SPDX-License-Identifier: Apache-2.0
// Checkpoints: named arrays in an HDF5 file that is either whole or refused.
//
// In front of the HDF5 part (hdf.h) stand 512 bytes, an HDF5 user block, which other HDF5 tools skip; ours holds a
// magic word, the length of the file and a digest of all that follows. Opening checks these before anything else is
// looked at. Arrays go to the disk, under a temporary name, as they are put: saving takes no memory but for their
// names, so that a world that fills its memory can still be saved. Cost: one pass of hashing (GB/s).
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/checkpoint.h"
#include "output/hdf.h"
#include "output/output.h"

enum { USER_BLOCK = 512 };
static const char magic[16] = "thaw checkpoint";

typedef struct Header {
    char magic[16];
    uint64_t size;   // of the whole file
    uint64_t digest; // of everything after the user block
    uint64_t kind;   // of digest. 0: of all at once, as older files have it; 1: thaw_hdf_digest
} Header;

struct ThawCheckpoint {
    char *path;
    ThawHdf *written; // one that is made
    char *bytes;      // one that was opened
    int in_memory;    // the lists of the index have their own data
    int failed;       // memory ran out in between
    ThawHdfIndex index;
};

void thaw_checkpoint_free(ThawCheckpoint **checkpoint) {
    if (!checkpoint || !*checkpoint)
        return;
    ThawCheckpoint *c = *checkpoint;
    thaw_hdf_discard(&c->written);
    for (int64_t i = 0; c->in_memory && i < c->index.count; i++)
        thaw_free((void *)c->index.lists[i].data);
    thaw_hdf_close(&c->index);
    thaw_free(c->bytes);
    thaw_free(c->path);
    thaw_free(c);
    *checkpoint = NULL;
}

static ThawCheckpoint *checkpoint_new(const char *path) {
    ThawCheckpoint *c = THAW_NEW(ThawCheckpoint, 1);
    if (!c)
        return NULL;
    c->path = thaw_strdup(path);
    if (!c->path)
        thaw_checkpoint_free(&c);
    return c;
}

ThawStatus thaw_checkpoint_create(const char *path, ThawCheckpoint **checkpoint, ThawError *error) {
    ThawCheckpoint *c = *checkpoint = checkpoint_new(path);
    if (!c)
        return thaw_error_memory(error, "a checkpoint");
    ThawStatus status = thaw_hdf_create(path, USER_BLOCK, &c->written, error);
    if (status != THAW_OK)
        thaw_checkpoint_free(checkpoint);
    return status;
}

ThawStatus thaw_checkpoint_commit(ThawCheckpoint **checkpoint, ThawError *error) {
    ThawCheckpoint *c = *checkpoint;
    Header header = {.kind = 1};
    memcpy(header.magic, magic, sizeof magic);
    ThawStatus status = thaw_hdf_finish(c->written, &header.size, &header.digest, error);
    if (status == THAW_OK) {
        thaw_hdf_fill_user_block(c->written, &header, sizeof header);
        status = thaw_hdf_commit(&c->written, error);
    }
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
    const char *rest = bytes + USER_BLOCK;
    const uint64_t digest =
        header.kind ? thaw_hdf_digest(rest, size - USER_BLOCK) : thaw_hash(0, rest, size - USER_BLOCK);
    if (header.kind > 1 || header.digest != digest)
        return thaw_error_set(error, THAW_ERROR_INPUT, "the checkpoint %s is damaged: its digest does not match", path);
    return THAW_OK;
}

ThawStatus thaw_checkpoint_open(const char *path, ThawCheckpoint **checkpoint, ThawError *error) {
    size_t size = 0;
    ThawCheckpoint *c = *checkpoint = checkpoint_new(path);
    if (!c)
        return thaw_error_memory(error, "a checkpoint");
    ThawStatus status = thaw_file_read(path, &c->bytes, &size, error);
    if (status == THAW_OK)
        status = header_check(path, c->bytes, size, error);
    if (status == THAW_OK)
        status = thaw_hdf_open(c->bytes + USER_BLOCK, size - USER_BLOCK, &c->index, error);
    if (status != THAW_OK)
        thaw_checkpoint_free(checkpoint);
    return status;
}

// --- in memory -------------------------------------------------------------------------------------------------------

ThawStatus thaw_checkpoint_create_memory(ThawCheckpoint **checkpoint, ThawError *error) {
    ThawCheckpoint *c = *checkpoint = checkpoint_new("in memory");
    if (!c)
        return thaw_error_memory(error, "a snapshot");
    c->in_memory = 1;
    return THAW_OK;
}

// The first failure is kept, and told when all is put.
static void put_memory(ThawCheckpoint *c, const char *name, ThawHdfType type, const void *data, int64_t count) {
    ThawHdfIndex *index = &c->index;
    if (index->count == index->room) {
        const int64_t room = 2 * index->room + 16;
        ThawHdfList *lists = thaw_regrow(index->lists, (size_t)index->count, (size_t)room, sizeof *lists);
        if (!lists) {
            c->failed = 1;
            return;
        }
        index->lists = lists;
        index->room = room;
    }
    const size_t size = thaw_hdf_type_size(type);
    ThawHdfList list = {.name = thaw_strdup(name), .type = type, .count = count};
    void *copy = thaw_alloc((size_t)count, size);
    if (!list.name || !copy) {
        thaw_free(list.name);
        thaw_free(copy);
        c->failed = 1;
        return;
    }
    if (count > 0)
        memcpy(copy, data, size * (size_t)count);
    list.data = copy;
    index->lists[index->count++] = list;
}

static int compare_lists(const void *a, const void *b) {
    return thaw_hdf_compare(((const ThawHdfList *)a)->name, ((const ThawHdfList *)b)->name);
}

ThawStatus thaw_checkpoint_seal(ThawCheckpoint *c, size_t *size, ThawError *error) {
    if (c->failed)
        return thaw_error_memory(error, "a snapshot");
    if (c->index.count > 0)
        qsort(c->index.lists, (size_t)c->index.count, sizeof *c->index.lists, compare_lists);
    *size = 0;
    for (int64_t i = 0; i < c->index.count; i++)
        *size += thaw_hdf_type_size(c->index.lists[i].type) * (size_t)c->index.lists[i].count;
    return THAW_OK;
}

// --- arrays ----------------------------------------------------------------------------------------------------------

static ThawStatus put(ThawCheckpoint *c, const char *name, ThawHdfType type, const void *data, int64_t count,
                      ThawError *error) {
    (void)error; // what fails is told when all is written
    if (c->in_memory) {
        put_memory(c, name, type, data, count > 0 ? count : 0);
        return THAW_OK;
    }
    thaw_hdf_put(c->written, name, type, count > 0 ? count : 0, 0, data);
    return THAW_OK;
}

static ThawStatus get(ThawCheckpoint *c, const char *name, ThawHdfType type, void *data, int64_t count,
                      ThawError *error) {
    return thaw_checkpoint_take(thaw_hdf_find(&c->index, name), c->path, name, type, data, count, error);
}

ThawStatus thaw_checkpoint_put_f64(ThawCheckpoint *checkpoint, const char *name, const double *data, int64_t count,
                                   ThawError *error) {
    return put(checkpoint, name, THAW_HDF_F64, data, count, error);
}

ThawStatus thaw_checkpoint_put_i64(ThawCheckpoint *checkpoint, const char *name, const int64_t *data, int64_t count,
                                   ThawError *error) {
    return put(checkpoint, name, THAW_HDF_I64, data, count, error);
}

ThawStatus thaw_checkpoint_put_u64(ThawCheckpoint *checkpoint, const char *name, const uint64_t *data, int64_t count,
                                   ThawError *error) {
    return put(checkpoint, name, THAW_HDF_U64, data, count, error);
}

ThawStatus thaw_checkpoint_put_i32(ThawCheckpoint *checkpoint, const char *name, const int32_t *data, int64_t count,
                                   ThawError *error) {
    return put(checkpoint, name, THAW_HDF_I32, data, count, error);
}

ThawStatus thaw_checkpoint_get_f64(ThawCheckpoint *checkpoint, const char *name, double *data, int64_t count,
                                   ThawError *error) {
    return get(checkpoint, name, THAW_HDF_F64, data, count, error);
}

ThawStatus thaw_checkpoint_get_i64(ThawCheckpoint *checkpoint, const char *name, int64_t *data, int64_t count,
                                   ThawError *error) {
    return get(checkpoint, name, THAW_HDF_I64, data, count, error);
}

ThawStatus thaw_checkpoint_get_u64(ThawCheckpoint *checkpoint, const char *name, uint64_t *data, int64_t count,
                                   ThawError *error) {
    return get(checkpoint, name, THAW_HDF_U64, data, count, error);
}

ThawStatus thaw_checkpoint_get_i32(ThawCheckpoint *checkpoint, const char *name, int32_t *data, int64_t count,
                                   ThawError *error) {
    return get(checkpoint, name, THAW_HDF_I32, data, count, error);
}

int64_t thaw_checkpoint_count(ThawCheckpoint *checkpoint, const char *name) {
    const ThawHdfList *list = thaw_hdf_find(&checkpoint->index, name);
    return list ? list->count : -1;
}

int thaw_checkpoint_name(ThawCheckpoint *checkpoint, int64_t index, char *name, size_t size) {
    if (index < 0 || index >= checkpoint->index.count)
        return 0;
    snprintf(name, size, "%s", checkpoint->index.lists[index].name);
    return 1;
}
