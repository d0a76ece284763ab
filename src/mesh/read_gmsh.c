// SPDX-License-Identifier: Apache-2.0
// Gmsh .msh files, ASCII, versions 2.2 and 4.1: sections $Name ... $EndName of lines. Tags of nodes are arbitrary, so nodes
// are found through a table sorted by tag. In 2.2 each element carries its physical tag, and is repeated when it has several;
// in 4.1 elements come in blocks that belong to a geometric entity, which knows its physical tags ($Entities).
// Cost: linear, with a binary search for each corner unless tags are consecutive.
#include <inttypes.h>
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
    Node *nodes;      // point_count, ascending tags
    int consecutive;  // nonzero: nodes[i].tag = nodes[0].tag + i and nodes[i].point = i
    Entity *entities; // of all dimensions: points, curves, surfaces, volumes
    int32_t entity_first[5];
    int32_t *physical;
    int32_t physical_count, physical_room;
} Gmsh;

// --- nodes --------------------------------------------------------------------------------------------------------------

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
    const int64_t tag = thaw_text_integer(g->text, "a node of an element", 1, INT64_MAX);
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
    g->nodes[point] = (Node){.tag = thaw_text_integer(g->text, "the tag of a node", 1, INT64_MAX), .point = point};
}

static void read_coordinates(Gmsh *g, int32_t point) {
    for (int k = 0; k < 3; k++)
        g->draft->x[3 * (size_t)point + (size_t)k] = thaw_text_number(g->text, "a coordinate of a node");
}

static void read_nodes_2(Gmsh *g) {
    thaw_text_record(g->text);
    const int32_t count = thaw_text_count(g->text, "the number of nodes", 4);
    thaw_text_record_end(g->text);
    make_nodes(g, count);
    for (int32_t i = 0; i < count && !g->text->status; i++) {
        thaw_text_record(g->text);
        read_tag(g, i);
        read_coordinates(g, i);
        thaw_text_record_end(g->text);
    }
}

static void read_nodes_4(Gmsh *g) {
    ThawText *text = g->text;
    thaw_text_record(text);
    const int32_t blocks = thaw_text_count(text, "the number of node blocks", 4);
    const int32_t count = thaw_text_count(text, "the number of nodes", 4);
    thaw_text_integer(text, "the smallest node tag", 0, INT64_MAX);
    thaw_text_integer(text, "the largest node tag", 0, INT64_MAX);
    thaw_text_record_end(text);
    make_nodes(g, count);
    int32_t done = 0;
    for (int32_t b = 0; b < blocks && !text->status; b++) {
        thaw_text_record(text);
        const int dim = (int)thaw_text_integer(text, "the dimension of an entity", 0, 3);
        thaw_text_integer(text, "the tag of an entity", INT32_MIN, INT32_MAX);
        const int parametric = (int)thaw_text_integer(text, "the parametric flag", 0, 1);
        const int32_t more = (int32_t)thaw_text_integer(text, "the number of nodes in the block", 0, count - done);
        thaw_text_record_end(text);
        for (int32_t i = 0; i < more && !text->status; i++) {
            thaw_text_record(text);
            read_tag(g, done + i);
            thaw_text_record_end(text);
        }
        for (int32_t i = 0; i < more && !text->status; i++) {
            thaw_text_record(text);
            read_coordinates(g, done + i);
            for (int k = 0; parametric && k < dim; k++)
                thaw_text_number(text, "a parametric coordinate of a node");
            thaw_text_record_end(text);
        }
        done += more;
    }
    if (!text->status && done < count)
        thaw_text_fail(text, "the blocks of this section have %d nodes; %d were announced", done, count);
}

// --- elements -----------------------------------------------------------------------------------------------------------

// The dimension of an element of that type; fails for those that cannot be simulated.
static int read_type(ThawText *text) {
    const int64_t type = thaw_text_integer(text, "the type of an element", 1, 140);
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

static void read_elements_2(Gmsh *g) {
    ThawText *text = g->text;
    thaw_text_record(text);
    const int32_t count = thaw_text_count(text, "the number of elements", 4);
    thaw_text_record_end(text);
    for (int32_t i = 0; i < count && !text->status; i++) {
        int32_t corners[4];
        thaw_text_record(text);
        thaw_text_integer(text, "the tag of an element", 1, INT64_MAX);
        const int dim = read_type(text);
        const int32_t tags = (int32_t)thaw_text_integer(text, "the number of tags of an element", 0, 1000);
        int32_t physical = 0;
        for (int32_t k = 0; k < tags && !text->status; k++) {
            const int64_t tag = thaw_text_integer(text, "a tag of an element", -INT32_MAX, INT32_MAX);
            physical = k == 0 ? (int32_t)llabs(tag) : physical; // the sign only says which way the geometry points
        }
        for (int k = 0; k <= dim; k++)
            corners[k] = read_corner(g);
        thaw_text_record_end(text);
        if (!text->status)
            text->status = thaw_draft_cell(g->draft, dim, corners, physical, text->token_line, text->error);
    }
}

static int compare_entities(const void *a, const void *b) {
    const Entity *one = a, *two = b;
    return (one->tag > two->tag) - (one->tag < two->tag);
}

static void read_elements_4(Gmsh *g) {
    ThawText *text = g->text;
    thaw_text_record(text);
    const int32_t blocks = thaw_text_count(text, "the number of element blocks", 4);
    const int32_t count = thaw_text_count(text, "the number of elements", 2);
    thaw_text_integer(text, "the smallest element tag", 0, INT64_MAX);
    thaw_text_integer(text, "the largest element tag", 0, INT64_MAX);
    thaw_text_record_end(text);
    int32_t done = 0;
    for (int32_t b = 0; b < blocks && !text->status; b++) {
        thaw_text_record(text);
        const int entity_dim = (int)thaw_text_integer(text, "the dimension of an entity", 0, 3);
        const Entity key = {.tag = (int32_t)thaw_text_integer(text, "the tag of an entity", INT32_MIN, INT32_MAX)};
        const int dim = read_type(text);
        const int32_t more = (int32_t)thaw_text_integer(text, "the number of elements in the block", 0, count - done);
        thaw_text_record_end(text);
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
            thaw_text_record(text);
            thaw_text_integer(text, "the tag of an element", 1, INT64_MAX);
            for (int k = 0; k <= dim; k++)
                corners[k] = read_corner(g);
            thaw_text_record_end(text);
            for (int32_t k = 0; k < (tags ? tags : 1) && !text->status; k++)
                text->status = thaw_draft_cell(g->draft, dim, corners, physical[k], text->token_line, text->error);
        }
        done += more;
    }
    if (!text->status && done < count)
        thaw_text_fail(text, "the blocks of this section have %d elements; %d were announced", done, count);
}

// --- names and entities -------------------------------------------------------------------------------------------------

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
    const int32_t count = (int32_t)thaw_text_integer(text, "the number of physical tags of an entity", 0, MOST_TAGS);
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
            (int32_t)llabs(thaw_text_integer(text, "a physical tag of an entity", -INT32_MAX, INT32_MAX));
}

static void read_entities(Gmsh *g) {
    ThawText *text = g->text;
    int32_t count[4];
    int64_t total = 0;
    thaw_text_record(text);
    for (int d = 0; d < 4; d++)
        total += count[d] = thaw_text_count(text, "the number of entities", d == 0 ? 5 : 9);
    thaw_text_record_end(text);
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
            thaw_text_record(text);
            entity->tag = (int32_t)thaw_text_integer(text, "the tag of an entity", INT32_MIN, INT32_MAX);
            for (int k = 0; k < (d == 0 ? 3 : 6); k++)
                thaw_text_number(text, "a bound of an entity");
            read_physical_tags(g, entity);
            const int32_t bounds = d == 0 ? 0 : thaw_text_count(text, "the number of bounding entities", 1);
            for (int32_t k = 0; k < bounds && !text->status; k++)
                thaw_text_integer(text, "the tag of a bounding entity", INT32_MIN, INT32_MAX);
            thaw_text_record_end(text);
        }
        g->entity_first[d + 1] = g->entity_first[d] + count[d];
        if (!text->status && count[d])
            qsort(g->entities + g->entity_first[d], (size_t)count[d], sizeof *entity, compare_entities);
    }
}

// --- sections -----------------------------------------------------------------------------------------------------------

static void read_format(Gmsh *g) {
    ThawText *text = g->text;
    thaw_text_record(text);
    const double version = thaw_text_number(text, "the version");
    g->version = version == 2.2 ? 2 : version == 4.1 ? 4 : 0;
    if (!g->version)
        thaw_text_fail(text, "the version is %g; allowed are 2.2 and 4.1", version);
    if (thaw_text_integer(text, "the kind of file (0: ASCII, 1: binary)", 0, 1) == 1)
        thaw_text_fail(text, "the file is binary; allowed is ASCII (Gmsh saves it with Mesh.Binary = 0)");
    thaw_text_integer(text, "the size of numbers", 1, 16);
    thaw_text_record_end(text);
}

// `end` is the section's name with "$End" instead of "$".
static void skip_section(ThawText *text, const char *end) {
    const int64_t begin = text->token_line;
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
        skip_section(text, end);
        return;
    }
    if (!thaw_token_is(thaw_text_token(text, end), end))
        thaw_text_fail(text, "%s should be here", end);
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
