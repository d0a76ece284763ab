// SPDX-License-Identifier: Apache-2.0
// Medit .mesh files, ASCII: keywords, each followed by a count and that many entries; blanks and line ends are alike.
// The last number of an entry is its reference: the region of an element, the group of everything else. Sections that
// say nothing about elements (normals, ridges, ...) are skipped; elements that cannot be simulated are refused. Linear.
#include "mesh/draft.h"
#include "mesh/text.h"

static int is_keyword(const ThawText *text) {
    return (*text->at >= 'A' && *text->at <= 'Z') || (*text->at >= 'a' && *text->at <= 'z');
}

static void read_vertices(ThawText *text, ThawDraft *draft, int dim) {
    if (draft->x) {
        thaw_text_fail(text, "a second section Vertices; one is allowed");
        return;
    }
    const int32_t count = thaw_text_count(text, "the number of vertices", dim + 1);
    if (text->status || (text->status = thaw_draft_points(draft, count, text->error)))
        return;
    for (int32_t i = 0; i < count && !text->status; i++) {
        for (int k = 0; k < dim; k++)
            draft->x[3 * (size_t)i + (size_t)k] = thaw_text_number(text, "a coordinate of a vertex");
        const int32_t tag = (int32_t)thaw_text_integer(text, "the reference of a vertex", INT32_MIN, INT32_MAX);
        if (!text->status && tag)
            text->status = thaw_draft_cell(draft, 0, &i, tag, text->token_line, text->error);
    }
}

static void read_cells(ThawText *text, ThawDraft *draft, int cell_dim) {
    static const char *const corner[4] = {"", "a vertex of an edge", "a vertex of a triangle",
                                          "a vertex of a tetrahedron"};
    if (!draft->x) {
        thaw_text_fail(text, "elements come before the section Vertices; it must come first");
        return;
    }
    const int32_t count = thaw_text_count(text, "the number of elements", cell_dim + 2);
    for (int32_t i = 0; i < count && !text->status; i++) {
        int32_t corners[4];
        for (int k = 0; k <= cell_dim; k++)
            corners[k] = (int32_t)thaw_text_integer(text, corner[cell_dim], 1, draft->point_count) - 1;
        const int32_t tag = (int32_t)thaw_text_integer(text, "the reference of an element", INT32_MIN, INT32_MAX);
        if (!text->status)
            text->status = thaw_draft_cell(draft, cell_dim, corners, tag, text->token_line, text->error);
    }
}

static void skip_section(ThawText *text) {
    while (!thaw_text_done(text) && !is_keyword(text))
        thaw_text_token(text, "a word");
}

static int is_refused(ThawToken word) {
    static const char *const refused[] = {"Quadrilaterals", "Hexahedra",    "Hexaedra",    "Prisms",      "Pyramids",
                                          "TrianglesP2",    "TetrahedraP2", "TrianglesP3", "TetrahedraP3"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (thaw_token_is(word, refused[i]))
            return 1;
    return 0;
}

const char *thaw_head_medit(const char *head, size_t size, int64_t file_size) {
    (void)file_size;
    return thaw_token_is(thaw_head_word(head, size, '#'), "MeshVersionFormatted")
               ? NULL
               : "the file does not begin with MeshVersionFormatted, as Medit's ASCII files do";
}

ThawStatus thaw_read_medit(ThawText *text, ThawDraft *draft) {
    thaw_text_token(text, "MeshVersionFormatted"); // thaw_head_medit has seen it
    thaw_text_integer(text, "the version", 1, 4);
    int dim = 0;
    while (!thaw_text_done(text)) {
        if (!is_keyword(text)) {
            thaw_text_token(text, "a keyword");
            return thaw_text_fail(text, "a keyword (Vertices, Tetrahedra, ...) or the end of the file should be here");
        }
        const ThawToken word = thaw_text_token(text, "a keyword");
        if (thaw_token_is(word, "End"))
            return text->status;
        if (thaw_token_is(word, "Dimension"))
            dim = (int)thaw_text_integer(text, "Dimension", 2, 3);
        else if (thaw_token_is(word, "Vertices") && dim)
            read_vertices(text, draft, dim);
        else if (thaw_token_is(word, "Vertices"))
            thaw_text_fail(text, "Vertices come before Dimension; it must come first");
        else if (thaw_token_is(word, "Edges"))
            read_cells(text, draft, 1);
        else if (thaw_token_is(word, "Triangles"))
            read_cells(text, draft, 2);
        else if (thaw_token_is(word, "Tetrahedra") && dim == 2)
            thaw_text_fail(text, "Tetrahedra in a file of Dimension 2; allowed are Triangles");
        else if (thaw_token_is(word, "Tetrahedra"))
            read_cells(text, draft, 3);
        else if (is_refused(word) && thaw_text_count(text, "the number of elements", 1) > 0)
            thaw_text_fail(text, "%.*s; allowed are linear Tetrahedra and Triangles", (int)word.length, word.start);
        else
            skip_section(text);
    }
    if (!text->status && !draft->cells[2].count && !draft->cells[3].count)
        thaw_text_fail(text,
                       "the file ends without its keyword End, and before any Tetrahedra or Triangles: it seems to be "
                       "cut short");
    return text->status;
}
