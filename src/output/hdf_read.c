// SPDX-License-Identifier: Apache-2.0
// Reads HDF5 files of the kind that hdf_write.c writes, and that the HDF5 library writes by default: superblock 0,
// groups as symbol tables, lists in one piece. All groups are walked through once, in the order of their names, which
// the format asks for; so the lists are found sorted, and names are looked up by halving.
//
// Nothing in a file goes unchecked. Every address goes through `look`, which answers with NULL unless all of it lies in
// the file; trees end at a certain height, groups at a certain depth. Pointers may lead to the same place again and
// again, so everything that is looked at or compared is paid for, byte by byte, out of a budget: WORK times the size of
// the file. One whose parts are visited once needs less, for a list takes 120 bytes of a file at least, and its name in
// full, at most 500, is all that costs more than it takes. Hence time and memory grow with the size of the file,
// whatever is in it.
#include <string.h>

#include "output/hdf.h"

enum { MOST_DEPTH = 16, MOST_NAME = 500, WORK = 8 };

typedef struct Reader {
    const unsigned char *bytes;
    uint64_t size;
    uint64_t left; // bytes that may still be looked at
    ThawHdfIndex *index;
    ThawError *error;
    char name[MOST_NAME];
} Reader;

static const unsigned char *look(const Reader *r, uint64_t address, uint64_t size) {
    return address <= r->size && size <= r->size - address ? r->bytes + address : NULL;
}

static uint64_t number(const unsigned char *at, size_t size) {
    uint64_t value = 0;
    memcpy(&value, at, size);
    return value;
}

static ThawStatus damaged(Reader *r, const char *what) {
    return thaw_error_set(r->error, THAW_ERROR_INPUT, "no HDF5 file of the kind that thaw writes: %s", what);
}

static ThawStatus pay(Reader *r, uint64_t bytes) {
    if (bytes > r->left)
        return damaged(r, "its parts point at the same places again and again");
    r->left -= bytes;
    return THAW_OK;
}

uint64_t thaw_hdf_digest(const char *bytes, size_t size) {
    uint64_t digest = 0;
    if (size < THAW_HDF_SUPERBLOCK)
        return 0;
    for (size_t at = THAW_HDF_SUPERBLOCK; at < size; at += THAW_HDF_BLOCK)
        digest = thaw_hash(digest, bytes + at, size - at < THAW_HDF_BLOCK ? size - at : THAW_HDF_BLOCK);
    return thaw_hash(digest, bytes, THAW_HDF_SUPERBLOCK);
}

// --- objects ---------------------------------------------------------------------------------------------------------

// What the header of an object tells.
typedef struct Object {
    int is_group, is_list;
    uint64_t tree, heap;
    int type; // < 0: none of ours
    uint64_t count, address, size;
} Object;

static int type_of(const unsigned char *message, uint64_t size) {
    unsigned char known[24];
    for (int type = 0; type < THAW_HDF_TEXT; type++) {
        const uint64_t used = type == THAW_HDF_F32 || type == THAW_HDF_F64 ? 20 : 12;
        thaw_hdf_type_message((ThawHdfType)type, 1, known);
        if (size >= used && memcmp(known, message, used) == 0)
            return type;
    }
    return -1;
}

static void take_message(Object *o, uint64_t type, const unsigned char *at, uint64_t size) {
    if (type == THAW_HDF_SYMBOLS && size >= 16) {
        o->is_group = 1;
        o->tree = number(at, 8);
        o->heap = number(at + 8, 8);
    } else if (type == THAW_HDF_DATATYPE) {
        o->type = type_of(at, size);
    } else if (type == THAW_HDF_SPACE && size >= 8 && at[0] == 1) {
        o->count = 1;
        for (uint64_t k = 0; k < at[1]; k++)
            if (16 + 8 * k > size || __builtin_mul_overflow(o->count, number(at + 8 + 8 * k, 8), &o->count)) {
                o->count = UINT64_MAX;
                break;
            }
    } else if (type == THAW_HDF_LAYOUT && size >= 18 && at[0] == 3 && at[1] == 1) {
        o->is_list = 1;
        o->address = number(at + 2, 8);
        o->size = number(at + 10, 8);
    }
}

// Messages from `at` on, `*count` of them at most; where they go on elsewhere, *next and *next_size say.
static void take_messages(const unsigned char *at, uint64_t size, uint64_t *count, Object *o, uint64_t *next,
                          uint64_t *next_size) {
    while (size >= 8 && *count > 0) {
        const uint64_t type = number(at, 2), length = number(at + 2, 2);
        if (length > size - 8)
            return;
        if (type == THAW_HDF_CONTINUATION && length >= 16) {
            *next = number(at + 8, 8);
            *next_size = number(at + 16, 8);
        } else {
            take_message(o, type, at + 8, length);
        }
        at += 8 + length;
        size -= 8 + length;
        --*count;
    }
}

static ThawStatus read_object(Reader *r, uint64_t address, Object *o) {
    const unsigned char *head = look(r, address, 16);
    *o = (Object){.type = -1};
    if (!head || head[0] != 1)
        return damaged(r, "an object's header is not where it should be");
    uint64_t count = number(head + 2, 2), at = address + 16, size = number(head + 8, 4);
    ThawStatus status = pay(r, 16);
    while (status == THAW_OK && count > 0 && size > 0) {
        uint64_t next = 0, next_size = 0;
        const unsigned char *bytes = look(r, at, size);
        if (!bytes)
            return damaged(r, "an object's header does not fit");
        status = pay(r, size);
        if (status == THAW_OK)
            take_messages(bytes, size, &count, o, &next, &next_size);
        at = next;
        size = next_size;
    }
    return status;
}

static ThawStatus add_list(Reader *r, const Object *o) {
    ThawHdfIndex *index = r->index;
    const void *data = o->count ? (const void *)look(r, o->address, o->size) : "";
    uint64_t size;
    if (o->type < 0)
        return THAW_OK;
    if (!data || __builtin_mul_overflow(o->count, thaw_hdf_type_size((ThawHdfType)o->type), &size) ||
        o->count > INT64_MAX || (o->count && size != o->size))
        return damaged(r, "a list does not fit");
    if (index->count && thaw_hdf_compare(index->lists[index->count - 1].name, r->name) >= 0)
        return damaged(r, "the names of a group are not in order");
    if (index->count == index->room) {
        const int64_t room = 2 * index->room + 64;
        ThawHdfList *grown = thaw_regrow(index->lists, (size_t)index->count, (size_t)room, sizeof *grown);
        if (!grown)
            return thaw_error_memory(r->error, "the lists of an HDF5 file");
        index->lists = grown;
        index->room = room;
    }
    char *name = thaw_strdup(r->name);
    if (!name)
        return thaw_error_memory(r->error, "a name in an HDF5 file");
    index->lists[index->count++] =
        (ThawHdfList){.name = name, .type = (ThawHdfType)o->type, .count = (int64_t)o->count, .data = data};
    return THAW_OK;
}

// --- groups ----------------------------------------------------------------------------------------------------------

static ThawStatus walk_group(Reader *r, uint64_t tree, uint64_t heap, int depth);

// The name at `offset` of a heap goes behind what r->name holds. What that makes is paid for in full: it is copied,
// measured and compared with the one before.
static ThawStatus take_name(Reader *r, uint64_t heap, uint64_t offset) {
    const unsigned char *head = look(r, heap, 32);
    if (!head || memcmp(head, "HEAP", 4) != 0)
        return damaged(r, "a heap of names is not where it should be");
    const uint64_t room = number(head + 8, 8), at = number(head + 24, 8);
    const unsigned char *names = look(r, at, room);
    if (!names || offset >= room)
        return damaged(r, "a heap of names does not fit");
    const size_t used = strlen(r->name), most = room - offset < MOST_NAME ? (size_t)(room - offset) : MOST_NAME;
    const size_t length = strnlen((const char *)names + offset, most);
    if (!length || length == most || used + 1 + length >= MOST_NAME)
        return damaged(r, "a name is empty or too long");
    memcpy(r->name + used, names + offset, length + 1);
    return pay(r, used + length);
}

static ThawStatus walk_entry(Reader *r, uint64_t heap, const unsigned char *entry, int depth) {
    Object o;
    const size_t used = strlen(r->name);
    ThawStatus status = take_name(r, heap, number(entry, 8));
    if (status == THAW_OK)
        status = read_object(r, number(entry + 8, 8), &o);
    if (status == THAW_OK && o.is_group) {
        const size_t length = strlen(r->name);
        r->name[length] = '/'; // take_name left room for it
        r->name[length + 1] = 0;
        status = walk_group(r, o.tree, o.heap, depth + 1);
    } else if (status == THAW_OK && o.is_list) {
        status = add_list(r, &o);
    }
    r->name[used] = 0;
    return status;
}

static ThawStatus walk_symbols(Reader *r, uint64_t address, uint64_t heap, int depth) {
    const unsigned char *node = look(r, address, 8);
    const uint64_t count = node ? number(node + 6, 2) : 0;
    if (!node || memcmp(node, "SNOD", 4) != 0 || !look(r, address, 8 + count * THAW_HDF_ENTRY))
        return damaged(r, "a node of a group is not where it should be");
    ThawStatus status = pay(r, 8 + count * THAW_HDF_ENTRY);
    for (uint64_t i = 0; i < count && status == THAW_OK; i++)
        status = walk_entry(r, heap, node + 8 + i * THAW_HDF_ENTRY, depth);
    return status;
}

static ThawStatus walk_tree(Reader *r, uint64_t address, int above, uint64_t heap, int depth) {
    const unsigned char *node = look(r, address, 24);
    const uint64_t count = node ? number(node + 6, 2) : 0;
    if (!node || memcmp(node, "TREE", 4) != 0 || node[4] != 0 || node[5] >= above || !look(r, address, 32 + 16 * count))
        return damaged(r, "a tree of a group is not where it should be");
    ThawStatus status = pay(r, 32 + 16 * count);
    for (uint64_t i = 0; i < count && status == THAW_OK; i++) {
        const uint64_t child = number(node + 32 + 16 * i, 8);
        status = node[5] ? walk_tree(r, child, node[5], heap, depth) : walk_symbols(r, child, heap, depth);
    }
    return status;
}

static ThawStatus walk_group(Reader *r, uint64_t tree, uint64_t heap, int depth) {
    if (depth > MOST_DEPTH)
        return damaged(r, "groups lie too deep in each other");
    return walk_tree(r, tree, MOST_DEPTH, heap, depth);
}

// --- the file --------------------------------------------------------------------------------------------------------

ThawStatus thaw_hdf_open(const char *bytes, size_t size, ThawHdfIndex *index, ThawError *error) {
    *index = (ThawHdfIndex){0};
    Reader r = {.bytes = (const unsigned char *)bytes, .size = size, .index = index, .error = error};
    r.left = WORK * (uint64_t)size;
    Object root;
    if (size < THAW_HDF_SUPERBLOCK || memcmp(bytes, THAW_HDF_SIGNATURE, 8) != 0 || bytes[8] != 0 || bytes[13] != 8 ||
        bytes[14] != 8)
        return damaged(&r, "its first bytes are others");
    ThawStatus status = read_object(&r, number(r.bytes + 64, 8), &root);
    if (status == THAW_OK && !root.is_group)
        status = damaged(&r, "its root is no group");
    if (status == THAW_OK)
        status = walk_group(&r, root.tree, root.heap, 0);
    if (status != THAW_OK)
        thaw_hdf_close(index);
    return status;
}

void thaw_hdf_close(ThawHdfIndex *index) {
    for (int64_t i = 0; i < index->count; i++)
        thaw_free(index->lists[i].name);
    thaw_free(index->lists);
    *index = (ThawHdfIndex){0};
}

const ThawHdfList *thaw_hdf_find(const ThawHdfIndex *index, const char *name) {
    int64_t low = 0, high = index->count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        const int order = thaw_hdf_compare(name, index->lists[middle].name);
        if (!order)
            return &index->lists[middle];
        low = order > 0 ? middle + 1 : low;
        high = order > 0 ? high : middle;
    }
    return NULL;
}
