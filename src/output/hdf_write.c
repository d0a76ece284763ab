// SPDX-License-Identifier: Apache-2.0
// Writes HDF5 files (the HDF Group's file format specification 3.0, version 0 superblock).
//
//     user block | superblock | lists and chunks as they come | trees of chunks, headers of lists | groups
//
// A group is a header that names a heap (the names of its children) and a B-tree whose leaves ("symbol nodes") hold the
// children in order. All children are known when a group is written, so trees are filled from the bottom up, level by
// level. Only the superblock points forwards, to the root group; it is written again when that has its place.
#include "output/hdf.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/file.h"

// Nodes have room for twice these; their size in the file is fixed by it. CHUNK_K is the format's own for this
// superblock.
enum { LEAF_K = 16, TREE_K = 16, CHUNK_K = 32, MOST_HEADER = 1024, DEFLATE_LEVEL = 3 };

typedef struct Chunk {
    uint64_t address;
    uint32_t size;
} Chunk;

typedef struct Item {
    char *name;
    ThawHdfType type;
    int64_t rows, columns; // rows: of all chunks; columns 0: a plain list
    uint64_t address;      // of its data; of its header, once that is written
    int64_t chunk_rows, chunk_count, chunks_done;
    Chunk *chunks; // chunk_count; NULL: in one piece
} Item;

typedef struct Attribute {
    char *group, *name;
    ThawHdfType type;
    int64_t count;
    unsigned char value[24];
} Attribute;

struct ThawHdf {
    ThawFile *file;
    size_t user_block;
    uint64_t at; // bytes so far, from the superblock on; addresses count from there
    uint64_t digest;
    unsigned char *block; // what is not yet hashed and written
    size_t block_used;
    Item *items;
    int64_t item_count, item_room;
    Attribute attributes[8];
    int attribute_count;
    unsigned char *packed[2]; // room for a chunk: shuffled, compressed
    size_t packed_room[2];
    ThawStatus status;
    ThawError error;
};

size_t thaw_hdf_type_size(ThawHdfType type) {
    static const size_t sizes[THAW_HDF_TYPES] = {1, 1, 4, 8, 8, 4, 8, 1};
    return sizes[type];
}

int thaw_hdf_compare(const char *a, const char *b) {
    while (*a && *a == *b) {
        a++;
        b++;
    }
    const int first = *a == '/' ? 1
                      : *a      ? 1 + (unsigned char)*a
                                : 0,
              second = *b == '/' ? 1
                       : *b      ? 1 + (unsigned char)*b
                                 : 0;
    return first - second;
}

// --- bytes -----------------------------------------------------------------------------------------------------------

static void fail(ThawHdf *h, ThawStatus status, const char *what) {
    if (h->status == THAW_OK)
        h->status = status == THAW_ERROR_MEMORY ? thaw_error_memory(&h->error, what)
                                                : thaw_error_set(&h->error, status, "%s", what);
}

static void flush_block(ThawHdf *h) {
    if (h->block_used) {
        h->digest = thaw_hash(h->digest, h->block, h->block_used);
        thaw_file_write(h->file, h->block, h->block_used);
    }
    h->block_used = 0;
}

static void emit(ThawHdf *h, const void *bytes, size_t size) {
    const unsigned char *from = bytes;
    h->at += size;
    while (size) {
        size_t take = THAW_HDF_BLOCK - h->block_used < size ? THAW_HDF_BLOCK - h->block_used : size;
        memcpy(h->block + h->block_used, from, take);
        h->block_used += take;
        from += take;
        size -= take;
        if (h->block_used == THAW_HDF_BLOCK)
            flush_block(h);
    }
}

static void emit_zeros(ThawHdf *h, size_t size) {
    static const unsigned char zeros[64];
    for (; size; size -= size < sizeof zeros ? size : sizeof zeros)
        emit(h, zeros, size < sizeof zeros ? size : sizeof zeros);
}

static void align(ThawHdf *h) { emit_zeros(h, (size_t)(-h->at & 7)); }

// A small record under construction; numbers are little endian, as memory is (vtu.c asserts it).
typedef struct Record {
    unsigned char bytes[MOST_HEADER];
    size_t size;
} Record;

static void add(Record *r, const void *bytes, size_t size) {
    if (size)
        memcpy(r->bytes + r->size, bytes, size);
    r->size += size;
}

static void add_number(Record *r, uint64_t value, size_t size) { add(r, &value, size); }

static void pad(Record *r) {
    while (r->size % 8)
        r->bytes[r->size++] = 0;
}

// --- messages --------------------------------------------------------------------------------------------------------

size_t thaw_hdf_type_message(ThawHdfType type, int64_t count, unsigned char message[24]) {
    static const unsigned char f32[12] = {0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0};
    static const unsigned char f64[12] = {0, 0, 64, 0, 52, 11, 0, 52, 0xff, 3, 0, 0};
    const uint32_t size = type == THAW_HDF_TEXT ? (uint32_t)count : (uint32_t)thaw_hdf_type_size(type);
    memset(message, 0, 24);
    memcpy(message + 4, &size, 4);
    if (type == THAW_HDF_TEXT) { // version 1, class 3: string, filled up with zeros
        message[0] = 0x13;
        message[1] = 1;
        return 8;
    }
    if (type == THAW_HDF_F32 || type == THAW_HDF_F64) { // class 1: where sign, exponent and mantissa are
        message[0] = 0x11;
        message[1] = 0x20;
        message[2] = (unsigned char)(8 * size - 1);
        memcpy(message + 8, type == THAW_HDF_F32 ? f32 : f64, 12);
        return 24;
    }
    message[0] = 0x10; // class 0: offset and number of bits
    message[1] = type == THAW_HDF_U8 || type == THAW_HDF_U64 ? 0 : 8;
    message[10] = (unsigned char)(8 * size);
    return 16;
}

static size_t space_message(int64_t rows, int64_t columns, int rank, unsigned char message[24]) {
    memset(message, 0, 24);
    message[0] = 1;
    message[1] = (unsigned char)rank;
    memcpy(message + 8, &rows, 8);
    memcpy(message + 16, &columns, 8);
    return 8 + 8 * (size_t)rank;
}

static void begin_header(Record *r) {
    memset(r->bytes, 0, 16);
    r->bytes[0] = 1; // version
    r->bytes[4] = 1; // one link to it
    r->size = 16;
}

static void add_message(Record *header, int type, const void *bytes, size_t size) {
    add_number(header, (uint64_t)type, 2);
    add_number(header, (size + 7) / 8 * 8, 2);
    add_number(header, 0, 4);
    add(header, bytes, size);
    pad(header);
    header->bytes[2]++; // number of messages
}

// Returns its address.
static uint64_t emit_header(ThawHdf *h, Record *header) {
    const uint32_t size = (uint32_t)header->size - 16;
    memcpy(header->bytes + 8, &size, 4);
    align(h);
    const uint64_t address = h->at;
    emit(h, header->bytes, header->size);
    return address;
}

// --- trees -----------------------------------------------------------------------------------------------------------

// Children of one level of a tree, with the keys between them; key i stands before child i, and one more behind the
// last.
typedef struct Level {
    int64_t count;
    uint64_t *children;
    unsigned char *keys; // count + 1, key_size bytes each
    size_t key_size;
} Level;

static int level_create(ThawHdf *h, int64_t count, size_t key_size, Level *level) {
    *level = (Level){.count = count,
                     .children = THAW_NEW(uint64_t, count + 1),
                     .keys = thaw_alloc((size_t)count + 1, key_size),
                     .key_size = key_size};
    if (!level->children || !level->keys)
        fail(h, THAW_ERROR_MEMORY, "a tree of an HDF5 file");
    return level->children && level->keys;
}

static void level_clear(Level *level) {
    thaw_free(level->children);
    thaw_free(level->keys);
}

// Writes the nodes above `level`, which becomes the level of those nodes.
static void emit_nodes(ThawHdf *h, int type, int height, int k, Level *level) {
    const int64_t width = 2 * k, nodes = level->count ? (level->count + width - 1) / width : 1;
    const size_t key = level->key_size, size = 24 + 8 * (size_t)width + key * ((size_t)width + 1);
    Level above;
    align(h);
    if (!level_create(h, nodes, key, &above)) {
        level_clear(&above);
        level->count = 0;
        return;
    }
    for (int64_t n = 0; n < nodes; n++) {
        const int64_t first = n * width, count = level->count - first < width ? level->count - first : width;
        const uint64_t start = h->at;
        Record head = {.size = 0};
        add(&head, "TREE", 4);
        add_number(&head, (uint64_t)type, 1);
        add_number(&head, (uint64_t)height, 1);
        add_number(&head, (uint64_t)count, 2);
        add_number(&head, n > 0 ? start - size : THAW_HDF_NOWHERE, 8);
        add_number(&head, n + 1 < nodes ? start + size : THAW_HDF_NOWHERE, 8);
        emit(h, head.bytes, head.size);
        for (int64_t i = 0; i < count; i++) {
            emit(h, level->keys + key * (size_t)(first + i), key);
            emit(h, &level->children[first + i], 8);
        }
        emit(h, level->keys + key * (size_t)(first + count), key);
        emit_zeros(h, size - (size_t)(h->at - start));
        above.children[n] = start;
        memcpy(above.keys + key * (size_t)n, level->keys + key * (size_t)first, key);
    }
    memcpy(above.keys + key * (size_t)nodes, level->keys + key * (size_t)level->count, key);
    level_clear(level);
    *level = above;
}

// Returns the address of the root, and clears the level.
static uint64_t emit_tree(ThawHdf *h, int type, int k, Level *level) {
    int height = 0;
    do
        emit_nodes(h, type, height++, k, level);
    while (level->count > 1 && h->status == THAW_OK);
    const uint64_t root = level->count ? level->children[0] : THAW_HDF_NOWHERE;
    level_clear(level);
    return root;
}

// --- lists -----------------------------------------------------------------------------------------------------------

// Key of a chunk: its bytes, no filter left out, where it begins in rows, columns and bytes of a number.
static uint64_t emit_chunk_tree(ThawHdf *h, const Item *item) {
    const int rank = item->columns ? 2 : 1;
    Level level = {0};
    if (!level_create(h, item->chunk_count, 8 + 8 * ((size_t)rank + 1), &level)) {
        level_clear(&level);
        return THAW_HDF_NOWHERE;
    }
    for (int64_t c = 0; c <= item->chunk_count; c++) {
        const uint64_t row = (uint64_t)(c * item->chunk_rows);
        unsigned char *key = level.keys + level.key_size * (size_t)c;
        if (c < item->chunk_count) {
            level.children[c] = item->chunks[c].address;
            memcpy(key, &item->chunks[c].size, 4);
        }
        memcpy(key + 8, &row, 8);
    }
    return emit_tree(h, 1, CHUNK_K, &level);
}

static void add_layout(Record *header, const Item *item, uint64_t tree) {
    const int rank = item->columns ? 2 : 1;
    const size_t width = thaw_hdf_type_size(item->type), columns = item->columns ? (size_t)item->columns : 1;
    Record layout = {.size = 0};
    add_number(&layout, 3, 1);
    if (!item->chunks) {
        const uint64_t size = (uint64_t)item->rows * columns * width;
        add_number(&layout, 1, 1);
        add_number(&layout, size ? item->address : THAW_HDF_NOWHERE, 8);
        add_number(&layout, size, 8);
    } else {
        add_number(&layout, 2, 1);
        add_number(&layout, (uint64_t)rank + 1, 1);
        add_number(&layout, tree, 8);
        add_number(&layout, (uint64_t)item->chunk_rows, 4);
        if (rank == 2)
            add_number(&layout, columns, 4);
        add_number(&layout, width, 4);
    }
    add_message(header, THAW_HDF_LAYOUT, layout.bytes, layout.size);
}

static void emit_item(ThawHdf *h, Item *item) {
    const int rank = item->columns ? 2 : 1;
    unsigned char message[24];
    Record header;
    if (item->chunks && item->chunks_done != item->chunk_count)
        fail(h, THAW_ERROR_INPUT, "a list of an HDF5 file is not complete");
    if (h->status != THAW_OK)
        return;
    const uint64_t tree = item->chunks ? emit_chunk_tree(h, item) : 0;
    begin_header(&header);
    add_message(&header, THAW_HDF_SPACE, message, space_message(item->rows, item->columns, rank, message));
    add_message(&header, THAW_HDF_DATATYPE, message, thaw_hdf_type_message(item->type, 1, message));
    const unsigned char fill[8] = {2, item->chunks ? 3 : 2, 2, 1}; // the usual: zeros, where nothing was written
    add_message(&header, THAW_HDF_FILL, fill, sizeof fill);
    add_layout(&header, item, tree);
    if (item->chunks) { // shuffled, with the size of a number; deflated, with the level
        Record filters = {.size = 0};
        add_number(&filters, 1, 1);
        add_number(&filters, 2, 7);
        const uint64_t shuffle[] = {2, 0, 1, 1}, deflate[] = {1, 0, 1, 1};
        for (int i = 0; i < 4; i++)
            add_number(&filters, shuffle[i], 2);
        add_number(&filters, thaw_hdf_type_size(item->type), 8);
        for (int i = 0; i < 4; i++)
            add_number(&filters, deflate[i], 2);
        add_number(&filters, DEFLATE_LEVEL, 8);
        add_message(&header, THAW_HDF_FILTERS, filters.bytes, filters.size);
    }
    item->address = emit_header(h, &header);
}

// --- groups ----------------------------------------------------------------------------------------------------------

typedef struct Child {
    const char *name; // begins here ...
    size_t length;    // ... and is so long
    uint64_t address, tree, heap;
    int is_group;
} Child;

typedef struct Group {
    uint64_t address, tree, heap;
} Group;

static Group emit_group(ThawHdf *h, int64_t first, int64_t end, size_t prefix, int depth);

// Children of the group of items first ... end - 1, whose names share `prefix` letters. Groups among them are written.
static int64_t list_children(ThawHdf *h, int64_t first, int64_t end, size_t prefix, int depth, Child *children) {
    int64_t count = 0;
    for (int64_t i = first; i < end && h->status == THAW_OK;) {
        const char *name = h->items[i].name + prefix;
        const size_t length = strcspn(name, "/");
        int64_t next = i + 1;
        while (next < end && strncmp(h->items[next].name + prefix, name, length) == 0 &&
               (h->items[next].name[prefix + length] == '/' || !h->items[next].name[prefix + length]))
            next++;
        Child *child = &children[count++];
        *child = (Child){.name = name, .length = length, .is_group = name[length] == '/'};
        if (!length || (!child->is_group && next > i + 1) || depth > 16) {
            char what[200];
            snprintf(what, sizeof what, "an HDF5 file cannot hold the name '%.100s' (twice, or as a group and a list)",
                     h->items[i].name);
            fail(h, THAW_ERROR_IO, what);
        } else if (child->is_group) {
            const Group inner = emit_group(h, i, next, prefix + length + 1, depth + 1);
            child->address = inner.address;
            child->tree = inner.tree;
            child->heap = inner.heap;
        } else {
            child->address = h->items[i].address;
        }
        i = next;
    }
    return count;
}

// A heap's first name is the empty one; every name fills whole words.
static uint64_t emit_heap(ThawHdf *h, const Child *children, int64_t count) {
    uint64_t size = 8;
    Record head = {.size = 0};
    for (int64_t i = 0; i < count; i++)
        size += children[i].length / 8 * 8 + 8;
    align(h);
    const uint64_t address = h->at;
    add(&head, "HEAP\0\0\0", 8);
    add_number(&head, size, 8);
    add_number(&head, 1, 8); // nothing is free
    add_number(&head, address + 32, 8);
    emit(h, head.bytes, head.size);
    emit_zeros(h, 8);
    for (int64_t i = 0; i < count; i++) {
        emit(h, children[i].name, children[i].length);
        emit_zeros(h, 8 - children[i].length % 8);
    }
    return address;
}

static void emit_entry(ThawHdf *h, uint64_t name, const Child *child) {
    Record entry = {.size = 0};
    add_number(&entry, name, 8);
    add_number(&entry, child->address, 8);
    add_number(&entry, child->is_group, 8); // 1: tree and heap follow
    add_number(&entry, child->tree, 8);
    add_number(&entry, child->heap, 8);
    emit(h, entry.bytes, entry.size);
}

static uint64_t emit_symbols(ThawHdf *h, const Child *children, int64_t count) {
    enum { WIDTH = 2 * LEAF_K };
    Level level = {0};
    uint64_t name = 8; // where in the heap
    if (!level_create(h, (count + WIDTH - 1) / WIDTH, 8, &level)) {
        level_clear(&level);
        return THAW_HDF_NOWHERE;
    }
    align(h);
    for (int64_t n = 0; n < level.count; n++) {
        const int64_t first = n * WIDTH, used = count - first < WIDTH ? count - first : WIDTH;
        Record head = {.size = 0};
        level.children[n] = h->at;
        add(&head, "SNOD\1", 6);
        add_number(&head, (uint64_t)used, 2);
        emit(h, head.bytes, head.size);
        for (int64_t i = first; i < first + used; i++) {
            emit_entry(h, name, &children[i]);
            memcpy(level.keys + 8 * (n + 1), &name, 8); // the last name in it stands behind it
            name += children[i].length / 8 * 8 + 8;
        }
        emit_zeros(h, (size_t)(WIDTH - used) * THAW_HDF_ENTRY);
    }
    return emit_tree(h, 0, TREE_K, &level);
}

static void add_attributes(ThawHdf *h, Record *header, const char *name, size_t length) {
    for (int i = 0; i < h->attribute_count; i++) {
        const Attribute *a = &h->attributes[i];
        if (strlen(a->group) != length || strncmp(a->group, name, length) != 0)
            continue;
        const int text = a->type == THAW_HDF_TEXT, list = a->count && !text;
        unsigned char type[24], space[24];
        const size_t type_size = thaw_hdf_type_message(a->type, a->count, type);
        const size_t space_size = space_message(a->count, 0, list, space), name_size = strlen(a->name) + 1;
        Record message = {.size = 0};
        add_number(&message, 1, 2);
        add_number(&message, name_size, 2);
        add_number(&message, type_size, 2);
        add_number(&message, space_size, 2);
        add(&message, a->name, name_size);
        pad(&message);
        add(&message, type, type_size);
        add(&message, space, space_size);
        add(&message, a->value, (size_t)(a->count ? a->count : 1) * thaw_hdf_type_size(a->type));
        add_message(header, THAW_HDF_ATTRIBUTE, message.bytes, message.size);
    }
}

static Group emit_group(ThawHdf *h, int64_t first, int64_t end, size_t prefix, int depth) {
    Group group = {0};
    Child *children = THAW_NEW(Child, end - first + 1);
    if (!children) {
        fail(h, THAW_ERROR_MEMORY, "a group of an HDF5 file");
        return group;
    }
    const int64_t count = list_children(h, first, end, prefix, depth, children);
    if (h->status == THAW_OK) {
        group.heap = emit_heap(h, children, count);
        group.tree = emit_symbols(h, children, count);
        Record header;
        begin_header(&header);
        add_message(&header, THAW_HDF_SYMBOLS, (const uint64_t[]){group.tree, group.heap}, 16);
        add_attributes(h, &header, prefix ? h->items[first].name : "", prefix ? prefix - 1 : 0);
        group.address = emit_header(h, &header);
    }
    thaw_free(children);
    return group;
}

// --- the file --------------------------------------------------------------------------------------------------------

ThawStatus thaw_hdf_create(const char *path, size_t user_block, ThawHdf **hdf, ThawError *error) {
    ThawHdf *h = *hdf = THAW_NEW(ThawHdf, 1);
    if (!h)
        return thaw_error_memory(error, "an HDF5 file");
    h->user_block = user_block;
    h->block = THAW_NEW(unsigned char, THAW_HDF_BLOCK);
    ThawStatus status =
        h->block ? thaw_file_create(path, &h->file, error) : thaw_error_memory(error, "a block of an HDF5 file");
    if (status != THAW_OK) {
        thaw_hdf_discard(hdf);
        return status;
    }
    static const char zeros[THAW_HDF_SUPERBLOCK];
    for (size_t left = user_block; left; left -= left < sizeof zeros ? left : sizeof zeros)
        thaw_file_write(h->file, zeros, left < sizeof zeros ? left : sizeof zeros);
    thaw_file_write(h->file, zeros, sizeof zeros); // its place
    h->at = THAW_HDF_SUPERBLOCK;
    return THAW_OK;
}

static Item *add_item(ThawHdf *h, const char *name, ThawHdfType type, int64_t rows, int64_t columns) {
    if (h->item_count == h->item_room && h->status == THAW_OK) {
        const int64_t room = 2 * h->item_room + 64;
        Item *grown = thaw_regrow(h->items, (size_t)h->item_count, (size_t)room, sizeof *grown);
        h->items = grown ? grown : h->items;
        h->item_room = grown ? room : h->item_room;
        if (!grown)
            fail(h, THAW_ERROR_MEMORY, "the lists of an HDF5 file");
    }
    char *copy = h->status == THAW_OK ? thaw_strdup(name) : NULL;
    if (!copy) {
        fail(h, THAW_ERROR_MEMORY, "a name in an HDF5 file");
        return NULL;
    }
    Item *item = &h->items[h->item_count++];
    *item = (Item){.name = copy, .type = type, .rows = rows, .columns = columns};
    return item;
}

void thaw_hdf_put(ThawHdf *hdf, const char *name, ThawHdfType type, int64_t rows, int64_t columns, const void *data) {
    Item *item = add_item(hdf, name, type, rows, columns);
    if (!item)
        return;
    align(hdf);
    item->address = hdf->at;
    emit(hdf, data, (size_t)rows * (size_t)(columns ? columns : 1) * thaw_hdf_type_size(type));
}

int32_t thaw_hdf_begin_list(ThawHdf *hdf, const char *name, ThawHdfType type, int64_t rows, int64_t columns,
                            int64_t chunks) {
    const int64_t numbers = rows * (columns ? columns : 1), size = numbers * (int64_t)thaw_hdf_type_size(type);
    if (rows < 1 || size > INT32_MAX) {
        fail(hdf, THAW_ERROR_UNSUPPORTED, "a chunk of an HDF5 file holds 1 byte to 2 GB; this one is larger, or empty");
        return -1;
    }
    Item *item = add_item(hdf, name, type, rows * chunks, columns);
    if (!item)
        return -1;
    item->chunk_rows = rows;
    item->chunk_count = chunks;
    item->chunks = THAW_NEW(Chunk, chunks);
    const size_t room[2] = {(size_t)size, compressBound((uLong)size)};
    for (int i = 0; i < 2; i++)
        if (hdf->packed_room[i] < room[i]) {
            thaw_free(hdf->packed[i]);
            hdf->packed[i] = THAW_NEW(unsigned char, room[i]);
            hdf->packed_room[i] = hdf->packed[i] ? room[i] : 0;
        }
    if (!item->chunks || !hdf->packed[0] || !hdf->packed[1])
        fail(hdf, THAW_ERROR_MEMORY, "the chunks of an HDF5 file");
    return (int32_t)(hdf->item_count - 1);
}

// Numbers that are alike differ in their last bytes: all first bytes together, then all second ones, compress better.
void thaw_hdf_append(ThawHdf *hdf, int32_t list, const void *data) {
    if (hdf->status != THAW_OK)
        return;
    Item *item = &hdf->items[list];
    const size_t width = thaw_hdf_type_size(item->type);
    const size_t numbers = (size_t)item->chunk_rows * (size_t)(item->columns ? item->columns : 1);
    const unsigned char *from = data;
    for (size_t b = 0; b < width; b++)
        for (size_t i = 0; i < numbers; i++)
            hdf->packed[0][b * numbers + i] = from[i * width + b];
    uLongf size = (uLongf)hdf->packed_room[1];
    if (compress2(hdf->packed[1], &size, hdf->packed[0], (uLong)(numbers * width), DEFLATE_LEVEL) != Z_OK) {
        fail(hdf, THAW_ERROR_MEMORY, "compressing a chunk of an HDF5 file");
        return;
    }
    align(hdf);
    item->chunks[item->chunks_done++] = (Chunk){.address = hdf->at, .size = (uint32_t)size};
    emit(hdf, hdf->packed[1], size);
}

void thaw_hdf_attribute(ThawHdf *hdf, const char *group, const char *name, ThawHdfType type, int64_t count,
                        const void *value) {
    Attribute *a = &hdf->attributes[hdf->attribute_count];
    if (hdf->attribute_count == (int)(sizeof hdf->attributes / sizeof *a) ||
        (size_t)(count ? count : 1) * thaw_hdf_type_size(type) > sizeof a->value) {
        fail(hdf, THAW_ERROR_UNSUPPORTED, "too many attributes for an HDF5 file, or a large one");
        return;
    }
    *a = (Attribute){.group = thaw_strdup(group), .name = thaw_strdup(name), .type = type, .count = count};
    hdf->attribute_count++;
    if (!a->group || !a->name)
        fail(hdf, THAW_ERROR_MEMORY, "an attribute of an HDF5 file");
    memcpy(a->value, value, (size_t)(count ? count : 1) * thaw_hdf_type_size(type));
}

static int by_name(const void *a, const void *b) {
    return thaw_hdf_compare(((const Item *)a)->name, ((const Item *)b)->name);
}

static void make_superblock(const ThawHdf *h, const Group *root, unsigned char out[THAW_HDF_SUPERBLOCK]) {
    Record r = {.size = 0};
    add(&r, THAW_HDF_SIGNATURE, 8);
    add_number(&r, 0, 5);      // versions
    add_number(&r, 0x0808, 3); // bytes of addresses and lengths
    add_number(&r, LEAF_K, 2);
    add_number(&r, TREE_K, 2);
    add_number(&r, 0, 4);
    add_number(&r, h->user_block, 8); // addresses count from here
    add_number(&r, THAW_HDF_NOWHERE, 8);
    add_number(&r, h->user_block + h->at, 8);
    add_number(&r, THAW_HDF_NOWHERE, 8);
    add_number(&r, 0, 8);
    add_number(&r, root->address, 8);
    add_number(&r, 1, 8);
    add_number(&r, root->tree, 8);
    add_number(&r, root->heap, 8);
    memcpy(out, r.bytes, THAW_HDF_SUPERBLOCK);
}

ThawStatus thaw_hdf_finish(ThawHdf *hdf, uint64_t *size, uint64_t *digest, ThawError *error) {
    ThawHdf *h = hdf;
    unsigned char superblock[THAW_HDF_SUPERBLOCK];
    for (int64_t i = 0; i < h->item_count && h->status == THAW_OK; i++)
        emit_item(h, &h->items[i]);
    Group root = {0};
    if (h->status == THAW_OK) {
        if (h->item_count)
            qsort(h->items, (size_t)h->item_count, sizeof *h->items, by_name);
        root = emit_group(h, 0, h->item_count, 0, 0);
    }
    align(h);
    flush_block(h);
    make_superblock(h, &root, superblock);
    thaw_file_patch(h->file, (int64_t)h->user_block, superblock, sizeof superblock);
    *size = h->user_block + h->at;
    *digest = thaw_hash(h->digest, superblock, sizeof superblock);
    if (h->status != THAW_OK && error)
        *error = h->error;
    return h->status;
}

void thaw_hdf_fill_user_block(ThawHdf *hdf, const void *bytes, size_t size) {
    thaw_file_patch(hdf->file, 0, bytes, size < hdf->user_block ? size : hdf->user_block);
}

ThawStatus thaw_hdf_commit(ThawHdf **hdf, ThawError *error) {
    ThawHdf *h = *hdf;
    ThawStatus status = h->status;
    if (status != THAW_OK && error)
        *error = h->error;
    if (status == THAW_OK) {
        thaw_file_sync(h->file);
        status = thaw_file_commit(&h->file, error);
    }
    thaw_hdf_discard(hdf);
    return status;
}

void thaw_hdf_discard(ThawHdf **hdf) {
    if (!hdf || !*hdf)
        return;
    ThawHdf *h = *hdf;
    thaw_file_discard(&h->file);
    for (int64_t i = 0; i < h->item_count; i++) {
        thaw_free(h->items[i].name);
        thaw_free(h->items[i].chunks);
    }
    for (int i = 0; i < h->attribute_count; i++) {
        thaw_free(h->attributes[i].group);
        thaw_free(h->attributes[i].name);
    }
    thaw_free(h->packed[0]);
    thaw_free(h->packed[1]);
    thaw_free(h->items);
    thaw_free(h->block);
    thaw_free(h);
    *hdf = NULL;
}
