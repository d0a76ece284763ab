// SPDX-License-Identifier: Apache-2.0
// Medit's binary .meshb files: a 1 that tells the byte order, a version, then sections: a keyword's code, where the
// next section begins, and the content of the same section of an ASCII file. The version gives the sizes of numbers
// (reals, places in the file, integers): 1: 4 4 4, 2: 8 4 4, 3: 8 8 4, 4: 8 8 8 bytes. Unknown sections are passed
// over. Linear.
#include <inttypes.h>
#include <math.h>

#include "mesh/draft.h"
#include "mesh/text.h"

enum {
    CODE_DIMENSION = 3,
    CODE_VERTICES = 4,
    CODE_EDGES = 5,
    CODE_TRIANGLES = 6,
    CODE_QUADRILATERALS = 7,
    CODE_TETRAHEDRA = 8,
    CODE_PRISMS = 9,
    CODE_HEXAHEDRA = 10,
    CODE_PYRAMIDS = 49,
    CODE_END = 54,
};

typedef struct Meshb {
    ThawText *text;
    ThawDraft *draft;
    int real, place, whole; // sizes in bytes
    int dim;
} Meshb;

const char *thaw_head_meshb(const char *head, size_t size, int64_t file_size) {
    (void)file_size;
    return size >= 8 && (thaw_raw_integer(head, 'i', 4, 0) == 1 || thaw_raw_integer(head, 'i', 4, 1) == 1)
               ? NULL
               : "the file does not begin with a 1 of four bytes, as Medit's binary files do";
}

static int64_t integer(Meshb *m, const char *what, int size, int64_t least, int64_t most) {
    const char *raw = thaw_text_raw(m->text, (uint64_t)size, what);
    const int64_t value = raw ? thaw_raw_integer(raw, 'i', size, m->text->swapped) : 0;
    if (raw && (value < least || value > most))
        thaw_text_fail(m->text, "%s is %" PRId64 "; allowed are whole numbers from %" PRId64 " to %" PRId64, what,
                       value, least, most);
    return m->text->status ? 0 : value;
}

static int32_t count_of(Meshb *m, const char *what, int bytes) {
    const int64_t count = integer(m, what, m->whole, 0, INT32_MAX);
    if (!m->text->status && count > (m->text->end - m->text->at) / bytes)
        thaw_text_fail(m->text,
                       "%s is %" PRId64 "; the rest of the file is too short for that many: it seems to be cut short",
                       what, count);
    return m->text->status ? 0 : (int32_t)count;
}

static void read_vertices(Meshb *m) {
    ThawText *text = m->text;
    const int32_t count = count_of(m, "the number of vertices", m->dim * m->real + m->whole);
    if (!text->status && (m->draft->x || m->dim == 0))
        thaw_text_fail(text, "Vertices come twice, or before Dimension");
    if (text->status || (text->status = thaw_draft_points(m->draft, count, text->error)))
        return;
    for (int32_t i = 0; i < count && !text->status; i++) {
        for (int k = 0; k < m->dim; k++) {
            const char *raw = thaw_text_raw(text, (uint64_t)m->real, "a coordinate of a vertex");
            const double x = raw ? thaw_raw_number(raw, 'f', m->real, text->swapped) : 0;
            if (!isfinite(x))
                thaw_text_fail(text, "vertex %d has the coordinate %g; allowed are finite numbers", i, x);
            m->draft->x[3 * (size_t)i + (size_t)k] = x;
        }
        const int32_t tag = (int32_t)integer(m, "the reference of a vertex", m->whole, INT32_MIN, INT32_MAX);
        if (!text->status && tag)
            text->status = thaw_draft_cell(m->draft, 0, &i, tag, 0, text->error);
    }
}

static void read_cells(Meshb *m, int dim) {
    ThawText *text = m->text;
    const int32_t count = count_of(m, "the number of elements", (dim + 2) * m->whole);
    if (!text->status && !m->draft->x)
        thaw_text_fail(text, "elements come before the vertices; these must come first");
    for (int32_t i = 0; i < count && !text->status; i++) {
        int32_t corners[4];
        for (int k = 0; k <= dim; k++)
            corners[k] = (int32_t)integer(m, "a vertex of an element", m->whole, 1, m->draft->point_count) - 1;
        const int32_t tag = (int32_t)integer(m, "the reference of an element", m->whole, INT32_MIN, INT32_MAX);
        if (!text->status)
            text->status = thaw_draft_cell(m->draft, dim, corners, tag, 0, text->error);
    }
}

static void read_section(Meshb *m, int64_t code) {
    switch (code) {
    case CODE_DIMENSION:
        m->dim = (int)integer(m, "Dimension", 4, 2, 3);
        return;
    case CODE_VERTICES:
        read_vertices(m);
        return;
    case CODE_EDGES:
    case CODE_TRIANGLES:
        read_cells(m, code == CODE_EDGES ? 1 : 2);
        return;
    case CODE_TETRAHEDRA:
        if (m->dim == 2)
            thaw_text_fail(m->text, "Tetrahedra in a file of Dimension 2; allowed are Triangles");
        read_cells(m, 3);
        return;
    case CODE_QUADRILATERALS:
    case CODE_PRISMS:
    case CODE_HEXAHEDRA:
    case CODE_PYRAMIDS:
        if (integer(m, "the number of elements", m->whole, 0, INT64_MAX) > 0)
            thaw_text_fail(m->text, "elements of kind %d; allowed are linear Tetrahedra (8) and Triangles (6)",
                           (int)code);
    }
}

ThawStatus thaw_read_meshb(ThawText *text, ThawDraft *draft) {
    Meshb m = {.text = text, .draft = draft};
    text->at = text->bytes; // what looks like a byte order mark is not one here
    text->swapped = thaw_raw_integer(text->at, 'i', 4, 0) != 1;
    integer(&m, "the number that tells the byte order", 4, 1, 1);
    const int version = (int)integer(&m, "the version", 4, 1, 4);
    m.real = version > 1 ? 8 : 4;
    m.place = version > 2 ? 8 : 4;
    m.whole = version > 3 ? 8 : 4;
    while (!text->status && text->at < text->end) {
        const int64_t code = integer(&m, "the code of a keyword", 4, INT32_MIN, INT32_MAX);
        if (code == CODE_END)
            break;
        const int64_t here = text->at - text->bytes + m.place;
        const int64_t next = integer(&m, "where the next section begins", m.place, 0, text->end - text->bytes);
        if (!text->status && next && next < here)
            thaw_text_fail(text,
                           "a section at byte %" PRId64 " says that the next one begins at %" PRId64 ", before it",
                           here, next);
        read_section(&m, code);
        if (next == 0)
            break;
        text->at = text->bytes + next;
    }
    return text->status;
}
