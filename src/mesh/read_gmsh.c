// SPDX-License-Identifier: Apache-2.0
// Gmsh .msh files, versions 2.2 and 4.1: sections $Name ... $EndName of lines. Tags of nodes are arbitrary, so nodes
// are found through a table sorted by tag. In 2.2 each element carries its physical tag, and is repeated when it has
// several; in 4.1 elements come in blocks that belong to a geometric entity, which knows its physical tags ($Entities).
//
// Binary files hold the same numbers in the same order (int: 4 bytes, size_t and double: 8), without lines; only 2.2
// puts its elements into blocks of one type, as 4.1 does. One code reads both kinds through `integer`, `number` and
// `record`. Cost: linear, with a binary search for each corner unless tags are consecutive.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/draft.h"
#include "mesh/text.h"

enum {
    TYPE_LINE = 1,
    TYPE_TRIANGLE = 2,
    TYPE_TETRAHEDRON = 4,
    TYPE_POINT = 15,
    MOST_TAGS = 64, // physical tags an entity: bounds how often one element is entered
};

typedef struct Node {
    int64_t tag;
    int32_t point;
} Node;

typedef struct Entity {
    int32_t tag;
    int32_t first, count; // its physical tags, in physical
} Entity;

typedef struct Gmsh {
    ThawText *text;
    ThawDraft *draft;
    int version;      // 2 or 4
    int binary;       // nonzero: numbers as they lie in memory
    Node *nodes;      // point_count, ascending tags
    int consecutive;  // nonzero: nodes[i].tag = nodes[0].tag + i and nodes[i].point = i
    Entity *entities; // of all dimensions: points, curves, surfaces, volumes
    int32_t entity_first[5];
    int32_t *physical;
    int32_t physical_count, physical_room;
} Gmsh;

// --- numbers, as text or bytes ---------------------------------------------------------------------------------------

static int64_t integer_of(Gmsh *g, const char *what, int64_t least, int64_t most, int size) {
    if (!g->binary)
        return thaw_text_integer(g->text, what, least, most);
    const char *raw = thaw_text_raw(g->text, (uint64_t)size, what);
    const int64_t value = raw ? thaw_raw_integer(raw, 'i', size, g->text->swapped) : 0;
    if (raw && (value < least || value > most))
        thaw_text_fail(g->text, "%s is %" PRId64 "; allowed are whole numbers from %" PRId64 " to %" PRId64, what,
                       value, least, most);
    return g->text->status ? 0 : value;
}

static int64_t integer(Gmsh *g, const char *what, int64_t least, int64_t most) {
    return integer_of(g, what, least, most, 4);
}

// What 4.1 stores as size_t, and 2.2 as int.
static int64_t large(Gmsh *g, const char *what, int64_t least, int64_t most) {
    return integer_of(g, what, least, most, g->version == 4 ? 8 : 4);
}

static double number(Gmsh *g, const char *what) {
    if (!g->binary)
        return thaw_text_number(g->text, what);
    const char *raw = thaw_text_raw(g->text, 8, what);
    const double value = raw ? thaw_raw_number(raw, 'f', 8, g->text->swapped) : 0;
    if (!isfinite(value))
        thaw_text_fail(g->text, "%s is %g; allowed are finite numbers", what, value);
    return g->text->status ? 0 : value;
}

// A number of things of at least so many words, or bytes, each.
static int32_t count_of(Gmsh *g, const char *what, int words, int bytes) {
    if (!g->binary)
        return thaw_text_count(g->text, what, words);
    const int64_t count = large(g, what, 0, INT32_MAX);
    if (!g->text->status && count > (g->text->end - g->text->at) / bytes)
        thaw_text_fail(g->text,
                       "%s is %" PRId64 "; the rest of the file is too short for that many: it seems to be cut short",
                       what, count);
    return g->text->status ? 0 : (int32_t)count;
}

static void record(Gmsh *g) {
    if (!g->binary)
        thaw_text_record(g->text);
}

static void record_end(Gmsh *g) {
    if (!g->binary)
        thaw_text_record_end(g->text);
}

// Where a cell stands in the file; bytes have no lines.
static int64_t line_of(const Gmsh *g) { return g->binary ? 0 : g->text->token_line; }

// What follows a section's name on its line is bytes in binary files, and may look like blanks.
static void begin_bytes(Gmsh *g) {
    if (g->binary)
        thaw_text_end_line(g->text);
}

// The count in front of the nodes and elements of 2.2 is a line of text in binary files too.
static int32_t count_line(Gmsh *g, const char *what, int words, int bytes) {
    ThawText *text = g->text;
    thaw_text_record(text);
    const int32_t count =
        g->binary ? (int32_t)thaw_text_integer(text, what, 0, INT32_MAX) : thaw_text_count(text, what, words);
    thaw_text_record_end(text);
    if (g->binary && !text->status) {
        thaw_text_end_line(text);
        if (count > (text->end - text->at) / bytes)
            thaw_text_fail(text, "%s is %d; the rest of the file is too short for that many: it seems to be cut short",
                           what, count);
    }
    return text->status ? 0 : count;
}

// --- nodes -----------------------------------------------------------------------------------------------------------

static int compare_nodes(const void *a, const void *b) {
    const Node *one = a, *two = b;
    return (one->tag > two->tag) - (one->tag < two->tag);
}

static void sort_nodes(Gmsh *g) {
    const int32_t count = g->draft->point_count;
    int ascending = 1;
    for (int32_t i = 1; i < count; i++)
        ascending &= g->nodes[i - 1].tag < g->nodes[i].tag;
    if (!ascending)
        qsort(g->nodes, (size_t)count, sizeof *g->nodes, compare_nodes);
    for (int32_t i = 1; i < count; i++)
        if (g->nodes[i - 1].tag == g->nodes[i].tag) {
            thaw_text_fail(g->text, "node %" PRId64 " is given twice in this section; tags must differ",
                           g->nodes[i].tag);
            return;
        }
    g->consecutive = ascending && count && g->nodes[count - 1].tag - g->nodes[0].tag == count - 1;
}

static int32_t read_corner(Gmsh *g) {
    const int64_t tag = large(g, "a node of an element", 1, INT64_MAX);
    const int32_t count = g->draft->point_count;
    if (g->text->status)
        return 0;
    if (g->consecutive) {
        const int64_t at = tag - g->nodes[0].tag;
        if (at >= 0 && at < count)
            return (int32_t)at;
    } else {
        const Node key = {.tag = tag};
        const Node *found = count ? bsearch(&key, g->nodes, (size_t)count, sizeof key, compare_nodes) : NULL;
        if (found)
            return found->point;
    }
    thaw_text_fail(g->text, "an element refers to node %" PRId64 ", which is not in $Nodes", tag);
    return 0;
}

static void make_nodes(Gmsh *g, int32_t count) {
    if (g->text->status)
        return;
    if (g->nodes) {
        thaw_text_fail(g->text, "a second section $Nodes; one is allowed");
        return;
    }
    g->nodes = THAW_NEW(Node, count);
    g->text->status = g->nodes ? thaw_draft_points(g->draft, count, g->text->error)
                               : thaw_error_memory(g->text->error, "the nodes of a mesh");
}

static void read_tag(Gmsh *g, int32_t point) {
    g->nodes[point] = (Node){.tag = large(g, "the tag of a node", 1, INT64_MAX), .point = point};
}

static void read_coordinates(Gmsh *g, int32_t point) {
    for (int k = 0; k < 3; k++)
        g->draft->x[3 * (size_t)point + (size_t)k] = number(g, "a coordinate of a node");
}

static void read_nodes_2(Gmsh *g) {
    const int32_t count = count_line(g, "the number of nodes", 4, 28);
    make_nodes(g, count);
    for (int32_t i = 0; i < count && !g->text->status; i++) {
        record(g);
        read_tag(g, i);
        read_coordinates(g, i);
        record_end(g);
    }
}

static void read_nodes_4(Gmsh *g) {
    ThawText *text = g->text;
    begin_bytes(g);
    record(g);
    const int32_t blocks = count_of(g, "the number of node blocks", 4, 20);
    const int32_t count = count_of(g, "the number of nodes", 4, 32);
    large(g, "the smallest node tag", 0, INT64_MAX);
    large(g, "the largest node tag", 0, INT64_MAX);
    record_end(g);
    make_nodes(g, count);
    int32_t done = 0;
    for (int32_t b = 0; b < blocks && !text->status; b++) {
        record(g);
        const int dim = (int)integer(g, "the dimension of an entity", 0, 3);
        integer(g, "the tag of an entity", INT32_MIN, INT32_MAX);
        const int parametric = (int)integer(g, "the parametric flag", 0, 1);
        const int32_t more = (int32_t)large(g, "the number of nodes in the block", 0, count - done);
        record_end(g);
        for (int32_t i = 0; i < more && !text->status; i++) {
            record(g);
            read_tag(g, done + i);
            record_end(g);
        }
        for (int32_t i = 0; i < more && !text->status; i++) {
            record(g);
            read_coordinates(g, done + i);
            for (int k = 0; parametric && k < dim; k++)
                number(g, "a parametric coordinate of a node");
            record_end(g);
        }
        done += more;
    }
    if (!text->status && done < count)
        thaw_text_fail(text, "the blocks of this section have %d nodes; %d were announced", done, count);
}

// --- elements --------------------------------------------------------------------------------------------------------

// The dimension of an element of that type; fails for those that cannot be simulated.
static int read_type(Gmsh *g) {
    ThawText *text = g->text;
    const int64_t type = integer(g, "the type of an element", 1, 140);
    switch (type) {
    case TYPE_POINT:
        return 0;
    case TYPE_LINE:
        return 1;
    case TYPE_TRIANGLE:
        return 2;
    case TYPE_TETRAHEDRON:
        return 3;
    }
    const int other_shape = type == 3 || type == 5 || type == 6 || type == 7; // quadrangle, hexahedron, prism, pyramid
    thaw_text_fail(
        text,
        "the type of an element is %d, %s; allowed are 4-node tetrahedra (4), 3-node triangles (2), 2-node lines "
        "(1) and points (15)",
        (int)type, other_shape ? "a shape that cannot be simulated" : "an element of higher order");
    return 0;
}

// In binary files a header (type, how many follow, number of tags) stands in front of each run of elements.
static void read_elements_2(Gmsh *g) {
    ThawText *text = g->text;
    const int32_t count = count_line(g, "the number of elements", 4, 8);
    int dim = 0;
    int32_t tags = 0, following = 0;
    for (int32_t i = 0; i < count && !text->status; i++) {
        int32_t corners[4];
        record(g);
        if (g->binary && following == 0) {
            dim = read_type(g);
            following = (int32_t)integer(g, "the number of elements in the block", 1, count - i);
            tags = (int32_t)integer(g, "the number of tags of an element", 0, 1000);
        }
        following--;
        large(g, "the tag of an element", 1, INT64_MAX);
        if (!g->binary) {
            dim = read_type(g);
            tags = (int32_t)integer(g, "the number of tags of an element", 0, 1000);
        }
        int32_t physical = 0;
        for (int32_t k = 0; k < tags && !text->status; k++) {
            const int64_t tag = integer(g, "a tag of an element", -INT32_MAX, INT32_MAX);
            physical = k == 0 ? (int32_t)llabs(tag) : physical; // the sign only says which way the geometry points
        }
        for (int k = 0; k <= dim; k++)
            corners[k] = read_corner(g);
        record_end(g);
        if (!text->status)
            text->status = thaw_draft_cell(g->draft, dim, corners, physical, line_of(g), text->error);
    }
}

static int compare_entities(const void *a, const void *b) {
    const Entity *one = a, *two = b;
    return (one->tag > two->tag) - (one->tag < two->tag);
}

static void read_elements_4(Gmsh *g) {
    ThawText *text = g->text;
    begin_bytes(g);
    record(g);
    const int32_t blocks = count_of(g, "the number of element blocks", 4, 20);
    const int32_t count = count_of(g, "the number of elements", 2, 16);
    large(g, "the smallest element tag", 0, INT64_MAX);
    large(g, "the largest element tag", 0, INT64_MAX);
    record_end(g);
    int32_t done = 0;
    for (int32_t b = 0; b < blocks && !text->status; b++) {
        record(g);
        const int entity_dim = (int)integer(g, "the dimension of an entity", 0, 3);
        const Entity key = {.tag = (int32_t)integer(g, "the tag of an entity", INT32_MIN, INT32_MAX)};
        const int dim = read_type(g);
        const int32_t more = (int32_t)large(g, "the number of elements in the block", 0, count - done);
        record_end(g);
        if (!text->status && dim != entity_dim)
            thaw_text_fail(text, "elements of dimension %d on an entity of dimension %d; they must agree", dim,
                           entity_dim);
        const int32_t first = g->entity_first[entity_dim], after = g->entity_first[entity_dim + 1];
        const Entity *entity =
            after > first ? bsearch(&key, g->entities + first, (size_t)(after - first), sizeof key, compare_entities)
                          : NULL;
        const int32_t nothing = 0, tags = entity ? entity->count : 0;
        const int32_t *physical = tags ? g->physical + entity->first : &nothing;
        for (int32_t i = 0; i < more && !text->status; i++) {
            int32_t corners[4];
            record(g);
            large(g, "the tag of an element", 1, INT64_MAX);
            for (int k = 0; k <= dim; k++)
                corners[k] = read_corner(g);
            record_end(g);
            for (int32_t k = 0; k < (tags ? tags : 1) && !text->status; k++)
                text->status = thaw_draft_cell(g->draft, dim, corners, physical[k], line_of(g), text->error);
        }
        done += more;
    }
    if (!text->status && done < count)
        thaw_text_fail(text, "the blocks of this section have %d elements; %d were announced", done, count);
}

// --- names and entities ----------------------------------------------------------------------------------------------

static void read_names(Gmsh *g) {
    ThawText *text = g->text;
    thaw_text_record(text);
    const int32_t count = thaw_text_count(text, "the number of physical names", 3);
    thaw_text_record_end(text);
    for (int32_t i = 0; i < count && !text->status; i++) {
        thaw_text_record(text);
        const int dim = (int)thaw_text_integer(text, "the dimension of a physical name", 0, 3);
        const int32_t tag = (int32_t)thaw_text_integer(text, "the tag of a physical name", 1, INT32_MAX);
        const ThawToken name = thaw_text_quoted(text, "a physical name");
        if (!text->status && memchr(name.start, 0, name.length))
            thaw_text_fail(text, "a physical name contains a zero byte");
        thaw_text_record_end(text);
        if (!text->status)
            text->status = thaw_draft_name(g->draft, dim, tag, name.start, name.length, text->error);
    }
}

static void read_physical_tags(Gmsh *g, Entity *entity) {
    ThawText *text = g->text;
    const int32_t count = (int32_t)large(g, "the number of physical tags of an entity", 0, MOST_TAGS);
    if (text->status)
        return;
    if (g->physical_room - g->physical_count < count) {
        const int64_t room = 2 * (int64_t)g->physical_room + MOST_TAGS;
        int32_t *more = room > INT32_MAX
                            ? NULL
                            : thaw_regrow(g->physical, (size_t)g->physical_count, (size_t)room, sizeof *g->physical);
        if (!more) {
            text->status = thaw_error_memory(text->error, "the physical tags of a mesh file");
            return;
        }
        g->physical = more;
        g->physical_room = (int32_t)room;
    }
    entity->first = g->physical_count;
    entity->count = count;
    for (int32_t k = 0; k < count; k++)
        g->physical[g->physical_count++] =
            (int32_t)llabs(integer(g, "a physical tag of an entity", -INT32_MAX, INT32_MAX));
}

static void read_entities(Gmsh *g) {
    ThawText *text = g->text;
    int32_t count[4];
    int64_t total = 0;
    begin_bytes(g);
    record(g);
    for (int d = 0; d < 4; d++)
        total += count[d] = count_of(g, "the number of entities", d == 0 ? 5 : 9, d == 0 ? 36 : 68);
    record_end(g);
    if (!text->status && (g->entities || total > INT32_MAX))
        thaw_text_fail(text, "a second section $Entities, or too many of them");
    if (text->status)
        return;
    g->entities = THAW_NEW(Entity, total);
    if (!g->entities)
        text->status = thaw_error_memory(text->error, "the entities of a mesh file");
    Entity *entity = g->entities;
    for (int d = 0; d < 4; d++) {
        for (int32_t i = 0; i < count[d] && !text->status; i++, entity++) {
            record(g);
            entity->tag = (int32_t)integer(g, "the tag of an entity", INT32_MIN, INT32_MAX);
            for (int k = 0; k < (d == 0 ? 3 : 6); k++)
                number(g, "a bound of an entity");
            read_physical_tags(g, entity);
            const int32_t bounds = d == 0 ? 0 : count_of(g, "the number of bounding entities", 1, 4);
            for (int32_t k = 0; k < bounds && !text->status; k++)
                integer(g, "the tag of a bounding entity", INT32_MIN, INT32_MAX);
            record_end(g);
        }
        g->entity_first[d + 1] = g->entity_first[d] + count[d];
        if (!text->status && count[d])
            qsort(g->entities + g->entity_first[d], (size_t)count[d], sizeof *entity, compare_entities);
    }
}

// --- sections --------------------------------------------------------------------------------------------------------

static void read_format(Gmsh *g) {
    ThawText *text = g->text;
    thaw_text_record(text);
    const double version = thaw_text_number(text, "the version");
    g->version = version == 2.2 ? 2 : version == 4.1 ? 4 : 0;
    if (!g->version)
        thaw_text_fail(text, "the version is %g; allowed are 2.2 and 4.1 (Gmsh saves them with -format msh22 or msh41)",
                       version);
    g->binary = (int)thaw_text_integer(text, "the kind of file (0: ASCII, 1: binary)", 0, 1);
    const int64_t size = thaw_text_integer(text, "the size of numbers", 1, 16);
    thaw_text_record_end(text);
    if (!g->binary || text->status)
        return;
    if (size != 8)
        thaw_text_fail(text, "the size of numbers is %" PRId64 "; allowed in binary files is 8", size);
    thaw_text_end_line(text);
    const char *one = thaw_text_raw(text, 4, "the number that tells the byte order");
    if (one && thaw_raw_integer(one, 'i', 4, 0) != 1) {
        text->swapped = 1;
        if (thaw_raw_integer(one, 'i', 4, 1) != 1)
            thaw_text_fail(text, "the number that tells the byte order is %" PRId64 "; it must be 1",
                           thaw_raw_integer(one, 'i', 4, 0));
    }
}

// `end` is the section's name with "$End" instead of "$".
static void skip_section(Gmsh *g, const char *end) {
    ThawText *text = g->text;
    const int64_t begin = text->token_line;
    const char *found = g->binary ? memmem(text->at, (size_t)(text->end - text->at), end, strlen(end)) : NULL;
    text->at = found ? found : text->at;
    while (!thaw_text_done(text))
        if (thaw_token_is(thaw_text_token(text, end), end))
            return;
    text->token_line = begin;
    thaw_text_fail(text, "the section that begins here has no %s", end);
}

static void read_section(Gmsh *g, ThawToken name) {
    ThawText *text = g->text;
    char end[64];
    if (name.start[0] != '$' || name.length < 2 || name.length + 4 > sizeof end || memchr(name.start, 0, name.length)) {
        thaw_text_fail(text, "a section ($MeshFormat, $Nodes, ...) or the end of the file should be here");
        return;
    }
    memcpy(end, "$End", 4);
    memcpy(end + 4, name.start + 1, name.length - 1);
    end[name.length + 3] = 0;
    if (thaw_token_is(name, "$MeshFormat"))
        read_format(g);
    else if (!g->version)
        thaw_text_fail(text, "the file does not begin with $MeshFormat, as Gmsh's files do");
    else if (thaw_token_is(name, "$PhysicalNames"))
        read_names(g);
    else if (thaw_token_is(name, "$Entities") && g->version == 4)
        read_entities(g);
    else if (thaw_token_is(name, "$PartitionedEntities"))
        thaw_text_fail(text, "the mesh is partitioned; allowed are whole meshes (Gmsh: Mesh.NbPartitions = 0)");
    else if (thaw_token_is(name, "$Nodes")) {
        (g->version == 2 ? read_nodes_2 : read_nodes_4)(g);
        if (!text->status)
            sort_nodes(g);
    } else if (thaw_token_is(name, "$Elements") && !g->nodes)
        thaw_text_fail(text, "$Elements come before $Nodes; nodes must come first");
    else if (thaw_token_is(name, "$Elements"))
        (g->version == 2 ? read_elements_2 : read_elements_4)(g);
    else {
        skip_section(g, end);
        return;
    }
    if (!thaw_token_is(thaw_text_token(text, end), end))
        thaw_text_fail(text, "%s should be here", end);
}

const char *thaw_head_gmsh(const char *head, size_t size, int64_t file_size) {
    (void)file_size;
    return thaw_head_begins(head, size, "$") ? NULL : "the file does not begin with $MeshFormat, as Gmsh's files do";
}

ThawStatus thaw_read_gmsh(ThawText *text, ThawDraft *draft) {
    Gmsh g = {.text = text, .draft = draft};
    while (!thaw_text_done(text))
        read_section(&g, thaw_text_token(text, "a section"));
    thaw_free(g.nodes);
    thaw_free(g.entities);
    thaw_free(g.physical);
    return text->status;
}
