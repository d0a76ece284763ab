// SPDX-License-Identifier: Apache-2.0
// Checkpoints in memory instead of in files: store.c defines all functions of src/output/checkpoint.c, so that the
// linker leaves the library's alone, and neither HDF5 nor the disk takes part; whether a table is what was asked for is
// checked by the library (src/output/take.c). Files are known by their paths, FILES at most.
#ifndef THAW_FUZZ_STORE_H
#define THAW_FUZZ_STORE_H

#include "output/hdf.h"

typedef struct StoreTable {
    char name[64];
    ThawHdfType type; // THAW_HDF_I8: text
    int64_t count;    // values
    void *data;
} StoreTable;

// The tables of a file; NULL: there is no such file.
StoreTable *store_tables(const char *path, int *count);
// A copy of a file under another name, whose tables may then be changed.
void store_copy(const char *from, const char *to);

#endif
