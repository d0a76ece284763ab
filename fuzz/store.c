// SPDX-License-Identifier: Apache-2.0
// What is kept under a path stays until it is written again. Memory is plain malloc's: the budget of fuzz.h is the
// library's.
#include "store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "output/checkpoint.h"

enum { FILES = 4, TABLES = 400, TEXT = 256 };

struct ThawCheckpoint {
    char path[TEXT];
    int count, kept; // kept: under its path; else it is being made
    StoreTable tables[TABLES];
};

static ThawCheckpoint *files[FILES];

static void discard(ThawCheckpoint *file) {
    for (int i = 0; file && i < file->count; i++)
        free(file->tables[i].data);
    free(file);
}

static int find(const char *path) {
    for (int i = 0; i < FILES; i++)
        if (files[i] && strcmp(files[i]->path, path) == 0)
            return i;
    return -1;
}

static void keep(ThawCheckpoint *file) {
    int at = find(file->path);
    for (int i = 0; i < FILES && at < 0; i++)
        if (!files[i])
            at = i;
    fuzz_check(at >= 0, "a target uses few files");
    discard(files[at]);
    files[at] = file;
    file->kept = 1;
}

static ThawCheckpoint *make(const char *path) {
    ThawCheckpoint *file = calloc(1, sizeof *file);
    fuzz_check(file && strlen(path) < TEXT, "a file can be begun");
    strcpy(file->path, path);
    return file;
}

static StoreTable *find_table(const ThawCheckpoint *file, const char *name) {
    for (int i = 0; i < file->count; i++)
        if (strcmp(file->tables[i].name, name) == 0)
            return (StoreTable *)&file->tables[i];
    return NULL;
}

StoreTable *store_tables(const char *path, int *count) {
    const int at = find(path);
    *count = at < 0 ? 0 : files[at]->count;
    return at < 0 ? NULL : files[at]->tables;
}

static void add(ThawCheckpoint *file, const char *name, ThawHdfType type, const void *data, int64_t count) {
    fuzz_check(file->count < TABLES && strlen(name) < sizeof file->tables[0].name, "a file has few tables");
    StoreTable *table = &file->tables[file->count++];
    const size_t size = (size_t)count * thaw_hdf_type_size(type);
    strcpy(table->name, name);
    table->type = type;
    table->count = count;
    table->data = malloc(size ? size : 1);
    fuzz_check(table->data != NULL, "a table can be kept");
    if (size)
        memcpy(table->data, data, size);
}

void store_copy(const char *from, const char *to) {
    const int at = find(from);
    fuzz_check(at >= 0, "what is copied is there");
    ThawCheckpoint *file = make(to);
    for (int i = 0; i < files[at]->count; i++) {
        const StoreTable *t = &files[at]->tables[i];
        add(file, t->name, t->type, t->data, t->count);
    }
    keep(file);
}

// --- src/output/checkpoint.h -----------------------------------------------------------------------------------------

ThawStatus thaw_checkpoint_create(const char *path, ThawCheckpoint **checkpoint, ThawError *error) {
    (void)error;
    *checkpoint = make(path);
    return THAW_OK;
}

ThawStatus thaw_checkpoint_commit(ThawCheckpoint **checkpoint, ThawError *error) {
    (void)error;
    keep(*checkpoint);
    *checkpoint = NULL;
    return THAW_OK;
}

ThawStatus thaw_checkpoint_open(const char *path, ThawCheckpoint **checkpoint, ThawError *error) {
    const int at = find(path);
    *checkpoint = at < 0 ? NULL : files[at];
    return at < 0 ? thaw_error_set(error, THAW_ERROR_IO, "there is no checkpoint %s", path) : THAW_OK;
}

void thaw_checkpoint_free(ThawCheckpoint **checkpoint) {
    if (!checkpoint || !*checkpoint)
        return;
    if (!(*checkpoint)->kept)
        discard(*checkpoint);
    *checkpoint = NULL;
}

static ThawStatus put(ThawCheckpoint *file, const char *name, ThawHdfType type, const void *data, int64_t count,
                      ThawError *error) {
    if (find_table(file, name))
        return thaw_error_set(error, THAW_ERROR_IO, "cannot put '%s': the name is taken", name);
    add(file, name, type, data, count);
    return THAW_OK;
}

// As the library's reader would have found it; NULL: there is none.
static const ThawHdfList *find_list(const ThawCheckpoint *file, const char *name, ThawHdfList *list) {
    StoreTable *table = find_table(file, name);
    if (!table)
        return NULL;
    *list = (ThawHdfList){.name = table->name, .type = table->type, .count = table->count, .data = table->data};
    return list;
}

static ThawStatus get(ThawCheckpoint *file, const char *name, ThawHdfType type, void *data, int64_t count,
                      ThawError *error) {
    ThawHdfList list;
    return thaw_checkpoint_take(find_list(file, name, &list), file->path, name, type, data, count, error);
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
    const StoreTable *table = find_table(checkpoint, name);
    return table ? table->count : -1;
}

int thaw_checkpoint_name(ThawCheckpoint *checkpoint, int64_t index, char *name, size_t size) {
    if (index < 0 || index >= checkpoint->count)
        return 0;
    snprintf(name, size, "%s", checkpoint->tables[index].name);
    return 1;
}
