// SPDX-License-Identifier: Apache-2.0
// The part of the HDF5 file format that Thaw needs, written and read by ourselves (hdf_write.c, hdf_read.c).
//
// The usual library for it crashes where an allocation fails or a disk is full, or ends the process without a word.
// Here every failure is a status. What is written is the oldest and simplest form of the format, which
// all HDF5 tools read: superblock 0, groups as symbol tables, object headers 1, data in one piece or in compressed
// chunks.
#ifndef THAW_HDF_H
#define THAW_HDF_H

#include "base/base.h"

// Of numbers in a file, little endian. Text is a string of fixed length as an attribute, signed bytes as a list.
typedef enum ThawHdfType {
    THAW_HDF_I8,
    THAW_HDF_U8,
    THAW_HDF_I32,
    THAW_HDF_I64,
    THAW_HDF_U64,
    THAW_HDF_F32,
    THAW_HDF_F64,
    THAW_HDF_TEXT,
    THAW_HDF_TYPES
} ThawHdfType;

size_t thaw_hdf_type_size(ThawHdfType type);

// --- writing ---------------------------------------------------------------------------------------------------------

// A file under way. Lists go to PATH.tmp as they come, so no more memory is taken than their names need. The first
// failure is kept, what follows it is passed over, and thaw_hdf_commit tells it.
typedef struct ThawHdf ThawHdf;

// user_block: bytes before the HDF5 part, left zero: 0, 512, 1024, ...
ThawStatus thaw_hdf_create(const char *path, size_t user_block, ThawHdf **hdf, ThawError *error);

// A list of `rows` numbers, or (columns > 0) of rows of them. Names may hold '/', which makes groups; each is given
// once.
void thaw_hdf_put(ThawHdf *hdf, const char *name, ThawHdfType type, int64_t rows, int64_t columns, const void *data);

// A list that is written in `chunks` pieces of `rows` rows each, compressed; returns its number. Pieces come in order,
// but those of several lists may take turns.
int32_t thaw_hdf_begin_list(ThawHdf *hdf, const char *name, ThawHdfType type, int64_t rows, int64_t columns,
                            int64_t chunks);
void thaw_hdf_append(ThawHdf *hdf, int32_t list, const void *data);

// A property of a group ("" is the root); count 0: a single number. Text: of `count` characters.
void thaw_hdf_attribute(ThawHdf *hdf, const char *group, const char *name, ThawHdfType type, int64_t count,
                        const void *value);

// Writes all that is left but the user block, which can then still be filled. *size: of the whole file; *digest: of all
// behind the user block, as thaw_hdf_digest has it.
ThawStatus thaw_hdf_finish(ThawHdf *hdf, uint64_t *size, uint64_t *digest, ThawError *error);
void thaw_hdf_fill_user_block(ThawHdf *hdf, const void *bytes, size_t size);
// Waits for the disk, renames the file to its place and frees *hdf in any case.
ThawStatus thaw_hdf_commit(ThawHdf **hdf, ThawError *error);
void thaw_hdf_discard(ThawHdf **hdf);

// A digest of an HDF5 file's bytes that can be had while they are written: of blocks of 64 KiB, with the superblock,
// which is known last, at the end.
uint64_t thaw_hdf_digest(const char *bytes, size_t size);

// --- reading ---------------------------------------------------------------------------------------------------------

typedef struct ThawHdfList {
    char *name; // with its groups: "body/0/x"
    ThawHdfType type;
    int64_t count;
    const void *data; // in the bytes that were opened; as they lie there, so not aligned
} ThawHdfList;

typedef struct ThawHdfIndex {
    ThawHdfList *lists; // by name, as thaw_hdf_compare orders them
    int64_t count, room;
} ThawHdfIndex;

// Finds all lists in one piece. The bytes are borrowed; whatever is in them, nothing outside them is looked at. What is
// of another kind (type, layout) is left out; THAW_ERROR_INPUT: this is no such file, or a damaged one.
ThawStatus thaw_hdf_open(const char *bytes, size_t size, ThawHdfIndex *index, ThawError *error);
void thaw_hdf_close(ThawHdfIndex *index);
const ThawHdfList *thaw_hdf_find(const ThawHdfIndex *index, const char *name);

// Order of names group by group: like strcmp, with '/' before every other letter.
int thaw_hdf_compare(const char *a, const char *b);

// What both sides know of the format.
enum {
    THAW_HDF_SUPERBLOCK = 96,
    THAW_HDF_BLOCK = 1 << 16, // bytes that are hashed at once
    THAW_HDF_ENTRY = 40,      // bytes of a symbol table's entry
    THAW_HDF_SPACE = 0x01,    // messages of an object's header
    THAW_HDF_DATATYPE = 0x03,
    THAW_HDF_FILL = 0x05,
    THAW_HDF_LAYOUT = 0x08,
    THAW_HDF_FILTERS = 0x0b,
    THAW_HDF_ATTRIBUTE = 0x0c,
    THAW_HDF_CONTINUATION = 0x10,
    THAW_HDF_SYMBOLS = 0x11,
};
#define THAW_HDF_SIGNATURE "\211HDF\r\n\032\n"
#define THAW_HDF_NOWHERE UINT64_MAX // an address of nothing

// The message that says what a type is: `size` bytes, at most 24 of them used.
size_t thaw_hdf_type_message(ThawHdfType type, int64_t count, unsigned char message[24]);

#endif
