// SPDX-License-Identifier: Apache-2.0
// VTK's legacy files: four lines of heading, then keywords with counts and numbers, as text or as big-endian bytes.
// CELLS holds, up to version 4, a count and the ids for each cell; from 5 on two arrays, OFFSETS and CONNECTIVITY. Data
// are SCALARS with a LOOKUP_TABLE, VECTORS and their kin, or a FIELD of named arrays; grid.c picks those that name
// regions and groups, the others are passed over. Names have blanks and the like as %20. Linear.
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "mesh/grid.h"

typedef struct Vtk {
    ThawText *text;
    ThawGrid grid;
    int binary;
    int place; // ThawGridPlace of the data that follow
} Vtk;

typedef struct Type {
    char kind; // 0: not known
    int size;
} Type;

const char *thaw_head_vtk(const char *head, size_t size, int64_t file_size) {
    (void)file_size;
    return thaw_head_begins(head, size, "# vtk DataFile") ? NULL
                                                          : "the file does not begin with \"# vtk DataFile Version\"";
}

static Type find_type(ThawToken word) {
    static const struct {
        const char *name;
        Type type;
    } types[] = {{"double", {'f', 8}},        {"float", {'f', 4}},          {"int", {'i', 4}},
                 {"unsigned_int", {'u', 4}},  {"long", {'i', 8}},           {"unsigned_long", {'u', 8}},
                 {"vtktypeint64", {'i', 8}},  {"vtktypeuint64", {'u', 8}},  {"vtkIdType", {'i', 4}},
                 {"short", {'i', 2}},         {"unsigned_short", {'u', 2}}, {"char", {'i', 1}},
                 {"unsigned_char", {'u', 1}}, {"vtktypeint32", {'i', 4}},   {"vtktypeint8", {'i', 1}},
                 {"vtktypeuint8", {'u', 1}}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (thaw_token_is(word, types[i].name))
            return types[i].type;
    return (Type){0, 0};
}

static Type read_type(Vtk *v) {
    const ThawToken word = thaw_text_token(v->text, "the type of an array");
    const Type type = find_type(word);
    if (!type.kind)
        thaw_text_fail(v->text, "the type of an array is %.*s; allowed are float, double and whole numbers",
                       (int)(word.length < 40 ? word.length : 40), word.start);
    return type;
}

// The numbers that follow; with values NULL they are passed over.
static void read_numbers(Vtk *v, Type type, uint64_t count, double **values) {
    ThawText *text = v->text;
    const uint64_t rest = (uint64_t)(text->end - text->at);
    if (text->status)
        return;
    if (count > (v->binary ? rest / (uint64_t)type.size : rest / 2 + 1)) {
        thaw_text_fail(text, "an array should have %" PRIu64 " numbers; the rest of the file is too short", count);
        return;
    }
    if (values && !(*values = THAW_NEW(double, count))) {
        text->status = thaw_error_memory(text->error, "an array of a mesh file");
        return;
    }
    if (v->binary)
        thaw_text_end_line(text);
    const char *raw = v->binary ? thaw_text_raw(text, count * (uint64_t)type.size, "an array") : NULL;
    for (uint64_t i = 0; i < count && !text->status; i++) {
        const double value = v->binary ? thaw_raw_number(raw + i * (uint64_t)type.size, type.kind, type.size, 1)
                                       : thaw_text_number(text, "a number of an array");
        if (values)
            (*values)[i] = value;
    }
}

static uint64_t read_count(Vtk *v, const char *what) {
    return (uint64_t)thaw_text_integer(v->text, what, 0, INT64_MAX / 64);
}

// --- the grid --------------------------------------------------------------------------------------------------------

static void read_points(Vtk *v) {
    const uint64_t count = read_count(v, "the number of points");
    const Type type = read_type(v);
    if (!v->text->status && v->grid.x)
        thaw_text_fail(v->text, "a second section POINTS; one is allowed");
    read_numbers(v, type, 3 * count, &v->grid.x);
    v->grid.point_count = count;
}

// Version 5: as in memory, with a 0 in front of the ends.
static void read_cells_5(Vtk *v, uint64_t ends, uint64_t corners) {
    ThawText *text = v->text;
    const Type type = read_type(v);
    read_numbers(v, type, ends, &v->grid.end);
    if (!thaw_token_is(thaw_text_token(text, "CONNECTIVITY"), "CONNECTIVITY"))
        thaw_text_fail(text, "CONNECTIVITY should be here");
    const Type corner_type = read_type(v);
    read_numbers(v, corner_type, corners, &v->grid.corner);
    if (text->status)
        return;
    v->grid.cell_count = ends ? ends - 1 : 0;
    v->grid.corner_count = corners;
    for (uint64_t c = 0; c < v->grid.cell_count; c++)
        v->grid.end[c] = v->grid.end[c + 1];
}

// Versions up to 4: the number of corners in front of each cell's.
static void read_cells_4(Vtk *v, uint64_t cells, uint64_t numbers) {
    ThawText *text = v->text;
    ThawGrid *grid = &v->grid;
    read_numbers(v, (Type){'i', 4}, numbers, &grid->corner);
    if (!text->status && cells > numbers)
        thaw_text_fail(text, "CELLS has %" PRIu64 " cells and only %" PRIu64 " numbers", cells, numbers);
    if (!text->status && !(grid->end = THAW_NEW(double, cells)))
        text->status = thaw_error_memory(text->error, "the cells of a mesh file");
    uint64_t from = 0, to = 0;
    for (uint64_t c = 0; c < cells && !text->status; c++) {
        const double corners = from < numbers ? grid->corner[from] : -1;
        if (!(corners >= 0 && corners < (double)(numbers - from))) {
            thaw_text_fail(text, "cell %" PRIu64 " has %g corners; the numbers of CELLS end before", c, corners);
            return;
        }
        memmove(grid->corner + to, grid->corner + from + 1, (size_t)corners * sizeof *grid->corner);
        from += (uint64_t)corners + 1;
        to += (uint64_t)corners;
        grid->end[c] = (double)to;
    }
    if (!text->status && from < numbers)
        thaw_text_fail(text, "CELLS announces %" PRIu64 " numbers; its cells have %" PRIu64, numbers, from);
    grid->cell_count = cells;
    grid->corner_count = to;
}

static void read_cells(Vtk *v) {
    ThawText *text = v->text;
    const uint64_t one = read_count(v, "the number of cells"), two = read_count(v, "the number of numbers in CELLS");
    if (text->status)
        return;
    if (v->grid.corner) {
        thaw_text_fail(text, "a second section CELLS; one is allowed");
        return;
    }
    const char *at = text->at;
    const int64_t line = text->line;
    // In a binary file of an older version numbers follow here, which do not begin with this word.
    if (thaw_text_done(text) || text->end - text->at < 7 || memcmp(text->at, "OFFSETS", 7) != 0) {
        text->at = at;
        text->line = line;
        read_cells_4(v, one, two);
        return;
    }
    thaw_text_token(text, "OFFSETS");
    read_cells_5(v, one, two);
}

static void read_types(Vtk *v) {
    const uint64_t count = read_count(v, "the number of cell types");
    if (!v->text->status && (v->grid.type || count != v->grid.cell_count))
        thaw_text_fail(v->text, "CELL_TYPES has %" PRIu64 " types; needed are %" PRIu64 ", once and after CELLS", count,
                       v->grid.cell_count);
    read_numbers(v, (Type){'i', 4}, count, &v->grid.type);
}

// --- data ------------------------------------------------------------------------------------------------------------

static int hex(char c) { return isdigit((unsigned char)c) ? c - '0' : isxdigit((unsigned char)c) ? (c & 7) + 9 : -1; }

static void copy_name(ThawToken word, char *name, size_t room) {
    size_t used = 0;
    for (size_t i = 0; i < word.length && used + 1 < room; i++) {
        name[used] = word.start[i] ? word.start[i] : '?';
        if (word.start[i] == '%' && i + 2 < word.length && hex(word.start[i + 1]) >= 0 && hex(word.start[i + 2]) >= 0) {
            const int code = 16 * hex(word.start[i + 1]) + hex(word.start[i + 2]);
            name[used] = code ? (char)code : '?';
            i += 2;
        }
        used++;
    }
    name[used] = 0;
}

static uint64_t tuples(const Vtk *v) {
    return v->place == THAW_GRID_POINT_DATA  ? v->grid.point_count
           : v->place == THAW_GRID_CELL_DATA ? v->grid.cell_count
                                             : 1;
}

// An array of `count` tuples, taken into the grid when it means something to it.
static void read_array(Vtk *v, const char *name, Type type, uint64_t components, uint64_t count) {
    ThawText *text = v->text;
    double *values = NULL;
    if (text->status)
        return;
    if (components && count > UINT64_MAX / 64 / components) {
        thaw_text_fail(text, "the array %s is too large", name);
        return;
    }
    const int wanted = components == 1 && count == tuples(v) && thaw_grid_wants((ThawGridPlace)v->place, name);
    read_numbers(v, type, components * count, wanted ? &values : NULL);
    if (wanted && !text->status)
        text->status = thaw_grid_add(&v->grid, (ThawGridPlace)v->place, name, values, text->error);
    else
        thaw_free(values);
}

static void read_scalars(Vtk *v) {
    ThawText *text = v->text;
    char name[200];
    thaw_text_record(text);
    copy_name(thaw_text_token(text, "the name of an array"), name, sizeof name);
    const Type type = read_type(v);
    const uint64_t components = thaw_text_done(text) ? 1 : read_count(v, "the number of components");
    thaw_text_record_end(text);
    if (!thaw_token_is(thaw_text_token(text, "LOOKUP_TABLE"), "LOOKUP_TABLE"))
        thaw_text_fail(text, "LOOKUP_TABLE should be here");
    thaw_text_token(text, "the name of a table");
    read_array(v, name, type, components, tuples(v));
}

static void read_tuples(Vtk *v, uint64_t components) {
    char name[200];
    copy_name(thaw_text_token(v->text, "the name of an array"), name, sizeof name);
    read_array(v, name, read_type(v), components, tuples(v));
}

static void read_field(Vtk *v) {
    ThawText *text = v->text;
    thaw_text_token(text, "the name of a field");
    const int32_t arrays = thaw_text_count(text, "the number of arrays", 4);
    for (int32_t i = 0; i < arrays && !text->status; i++) {
        char name[200];
        ThawToken word = thaw_text_token(text, "the name of an array");
        if (thaw_token_is(word, "METADATA")) { // up to a blank line
            const char *end = memmem(text->at, (size_t)(text->end - text->at), "\n\n", 2);
            text->at = end ? end : text->end;
            i--;
            continue;
        }
        copy_name(word, name, sizeof name);
        const uint64_t components = read_count(v, "the number of components"),
                       count = read_count(v, "the number of tuples");
        const ThawToken type_name = thaw_text_token(text, "the type of an array");
        const Type type = find_type(type_name);
        if (!type.kind) {
            thaw_text_fail(text, "the array %s has the type %.*s; allowed are float, double and whole numbers", name,
                           (int)(type_name.length < 40 ? type_name.length : 40), type_name.start);
            return;
        }
        read_array(v, name, type, components, count);
    }
}

static void read_data(Vtk *v, int place, const char *what) {
    const uint64_t count = read_count(v, what);
    v->place = place;
    if (!v->text->status && count != tuples(v))
        thaw_text_fail(v->text, "%s is %" PRIu64 "; the grid has %" PRIu64, what, count, tuples(v));
}

static void read_section(Vtk *v, ThawToken word) {
    ThawText *text = v->text;
    if (thaw_token_is(word, "POINTS"))
        read_points(v);
    else if (thaw_token_is(word, "CELLS"))
        read_cells(v);
    else if (thaw_token_is(word, "CELL_TYPES"))
        read_types(v);
    else if (thaw_token_is(word, "POINT_DATA"))
        read_data(v, THAW_GRID_POINT_DATA, "the number of point data");
    else if (thaw_token_is(word, "CELL_DATA"))
        read_data(v, THAW_GRID_CELL_DATA, "the number of cell data");
    else if (thaw_token_is(word, "SCALARS"))
        read_scalars(v);
    else if (thaw_token_is(word, "VECTORS") || thaw_token_is(word, "NORMALS"))
        read_tuples(v, 3);
    else if (thaw_token_is(word, "TENSORS"))
        read_tuples(v, 9);
    else if (thaw_token_is(word, "FIELD"))
        read_field(v);
    else if (thaw_token_is(word, "METADATA")) {
        const char *end = memmem(text->at, (size_t)(text->end - text->at), "\n\n", 2);
        text->at = end ? end : text->end;
    } else if (!text->status)
        thaw_text_fail(text,
                       "the keyword %.*s is not known; allowed are POINTS, CELLS, CELL_TYPES, POINT_DATA, "
                       "CELL_DATA, SCALARS, VECTORS, NORMALS, TENSORS and FIELD",
                       (int)(word.length < 40 ? word.length : 40), word.start);
}

ThawStatus thaw_read_vtk(ThawText *text, ThawDraft *draft) {
    Vtk v = {.text = text, .place = THAW_GRID_FIELD_DATA};
    thaw_text_end_line(text); // # vtk DataFile Version ...
    thaw_text_end_line(text); // a title
    const ThawToken kind = thaw_text_token(text, "ASCII or BINARY");
    v.binary = thaw_token_is(kind, "BINARY");
    if (!v.binary && !thaw_token_is(kind, "ASCII"))
        thaw_text_fail(text, "the third line is %.*s; allowed are ASCII and BINARY",
                       (int)(kind.length < 40 ? kind.length : 40), kind.start);
    if (!thaw_token_is(thaw_text_token(text, "DATASET"), "DATASET"))
        thaw_text_fail(text, "DATASET should be here");
    if (!thaw_token_is(thaw_text_token(text, "the kind of dataset"), "UNSTRUCTURED_GRID"))
        thaw_text_fail(text, "the dataset is not an UNSTRUCTURED_GRID; only that holds a volume mesh");
    while (!thaw_text_done(text))
        read_section(&v, thaw_text_token(text, "a keyword"));
    if (!text->status && (!v.grid.x || !v.grid.corner || !v.grid.type))
        thaw_text_fail(text, "the file has no POINTS, CELLS or CELL_TYPES");
    thaw_grid_draft(&v.grid, text, draft);
    thaw_grid_free(&v.grid);
    return text->status;
}
