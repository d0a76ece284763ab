// SPDX-License-Identifier: Apache-2.0
// Named arrays in one HDF5 file, for saving and restoring a world. Names may contain '/', which makes groups
// ("body/0/x").
#ifndef THAW_CHECKPOINT_H
#define THAW_CHECKPOINT_H

#include "base/base.h"
#include "output/hdf.h"

typedef struct ThawCheckpoint ThawCheckpoint;

// Starts a checkpoint under a temporary name in the same folder. thaw_checkpoint_commit syncs, renames it to `path` and
// frees *checkpoint, whether it succeeded or not (*checkpoint is NULL afterwards). It also tells what has failed
// before: a full disk or a name that was put twice is THAW_ERROR_IO, and an older file at `path` stays as it was.
ThawStatus thaw_checkpoint_create(const char *path, ThawCheckpoint **checkpoint, ThawError *error);
ThawStatus thaw_checkpoint_commit(ThawCheckpoint **checkpoint, ThawError *error);

// One in memory, which nothing is checked of: it is sealed once all is put, and can then be read again and again.
// *size: bytes of its arrays.
ThawStatus thaw_checkpoint_create_memory(ThawCheckpoint **checkpoint, ThawError *error);
ThawStatus thaw_checkpoint_seal(ThawCheckpoint *checkpoint, size_t *size, ThawError *error);

// Opens a file and checks its length and digest before anything else looks at it: a truncated, damaged or foreign file
// is THAW_ERROR_INPUT, a missing one THAW_ERROR_IO.
ThawStatus thaw_checkpoint_open(const char *path, ThawCheckpoint **checkpoint, ThawError *error);

// Closes one that was opened, or drops one that was created without writing it. NULL and a pointer to NULL are allowed.
void thaw_checkpoint_free(ThawCheckpoint **checkpoint);

// Each name may be put once. count may be 0 (data may then be NULL).
ThawStatus thaw_checkpoint_put_f64(ThawCheckpoint *checkpoint, const char *name, const double *data, int64_t count,
                                   ThawError *error);
ThawStatus thaw_checkpoint_put_i64(ThawCheckpoint *checkpoint, const char *name, const int64_t *data, int64_t count,
                                   ThawError *error);
ThawStatus thaw_checkpoint_put_u64(ThawCheckpoint *checkpoint, const char *name, const uint64_t *data, int64_t count,
                                   ThawError *error);
ThawStatus thaw_checkpoint_put_i32(ThawCheckpoint *checkpoint, const char *name, const int32_t *data, int64_t count,
                                   ThawError *error);

// The name must be there, of that type and with exactly `count` values; else THAW_ERROR_INPUT says what was found.
ThawStatus thaw_checkpoint_get_f64(ThawCheckpoint *checkpoint, const char *name, double *data, int64_t count,
                                   ThawError *error);
ThawStatus thaw_checkpoint_get_i64(ThawCheckpoint *checkpoint, const char *name, int64_t *data, int64_t count,
                                   ThawError *error);
ThawStatus thaw_checkpoint_get_u64(ThawCheckpoint *checkpoint, const char *name, uint64_t *data, int64_t count,
                                   ThawError *error);
ThawStatus thaw_checkpoint_get_i32(ThawCheckpoint *checkpoint, const char *name, int32_t *data, int64_t count,
                                   ThawError *error);

// How many values a name holds, -1 when there is no such name.
int64_t thaw_checkpoint_count(ThawCheckpoint *checkpoint, const char *name);
// The name number `index` in alphabetical order, cut to size - 1 bytes; 0 when there are not so many.
int thaw_checkpoint_name(ThawCheckpoint *checkpoint, int64_t index, char *name, size_t size);

// What the functions above do with the list that they found (NULL: none), wherever it lies; path and name are for
// messages.
ThawStatus thaw_checkpoint_take(const ThawHdfList *list, const char *path, const char *name, ThawHdfType type,
                                void *data, int64_t count, ThawError *error);

#endif
