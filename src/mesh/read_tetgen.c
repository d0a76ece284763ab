// SPDX-License-Identifier: Apache-2.0
// The .node and .ele files of TetGen (tetrahedra) and Triangle (plane triangles): a line with counts, then a line an
// item. Ids start at 0 or 1, as the first point says. The last attribute of an element is its region, a point's
// boundary marker N puts it into the group marker-N, a .face file's marker N its three points into surface-N, and a
// plane .poly file's marker N of a segment its two into curve-N. A .poly file holds the points itself, or 0 of them
// when they are in .node. Linear.
#include <math.h>

#include "mesh/draft.h"
#include "mesh/text.h"

// An optional number at the end of the first line.
static int32_t optional(ThawText *text, const char *what, int32_t most) {
    return thaw_text_done(text) ? 0 : (int32_t)thaw_text_integer(text, what, 0, most);
}

// Returns the dimension; *base is the id of the first point.
static int read_points(ThawText *text, ThawDraft *draft, int32_t *base) {
    thaw_text_record(text);
    const int32_t count = thaw_text_count(text, "the number of points", 3);
    const int dim = (int)thaw_text_integer(text, "the dimension", 2, 3); // a .poly file without points has it too
    const int32_t attributes = optional(text, "the number of attributes", 1000);
    const int32_t markers = optional(text, "the number of boundary markers", 1);
    thaw_text_record_end(text);
    if (text->status)
        return dim;
    thaw_free(draft->x); // of a .poly file without points
    draft->x = NULL;
    if ((text->status = thaw_draft_points(draft, count, text->error)))
        return dim;
    for (int32_t i = 0; i < count && !text->status; i++) {
        thaw_text_record(text);
        if (i == 0)
            *base = (int32_t)thaw_text_integer(text, "the id of the first point", 0, 1);
        else
            thaw_text_integer(text, "the id of a point", (int64_t)*base + i, (int64_t)*base + i);
        for (int k = 0; k < dim; k++)
            draft->x[3 * (size_t)i + (size_t)k] = thaw_text_number(text, "a coordinate of a point");
        for (int32_t k = 0; k < attributes && !text->status; k++)
            thaw_text_number(text, "an attribute of a point");
        const int64_t marker =
            markers ? thaw_text_integer(text, "the boundary marker of a point", INT32_MIN, INT32_MAX) : 0;
        thaw_text_record_end(text);
        if (!text->status && marker)
            text->status = thaw_draft_cell(draft, 0, &i, (int32_t)marker, text->token_line, text->error);
    }
    return dim;
}

static int32_t read_region(ThawText *text, int32_t attributes) {
    double region = 0;
    for (int32_t k = 0; k < attributes && !text->status; k++)
        region = thaw_text_number(text, "an attribute of an element");
    if (!text->status && !(region == floor(region) && fabs(region) <= INT32_MAX))
        thaw_text_fail(text, "the last attribute of an element, its region, is %g; allowed are whole numbers", region);
    return text->status ? 0 : (int32_t)region;
}

static void read_elements(ThawText *text, ThawDraft *draft, int dim, int32_t base) {
    thaw_text_record(text);
    const int32_t count = thaw_text_count(text, "the number of elements", dim + 2);
    const int64_t nodes = thaw_text_integer(text, "the number of nodes an element", 3, 10);
    if (!text->status && nodes != dim + 1)
        thaw_text_fail(text, "elements have %d nodes; allowed are %d (linear elements of dimension %d)", (int)nodes,
                       dim + 1, dim);
    const int32_t attributes = optional(text, "the number of attributes", 1000);
    thaw_text_record_end(text);
    for (int32_t i = 0; i < count && !text->status; i++) {
        int32_t corners[4];
        thaw_text_record(text);
        thaw_text_integer(text, "the id of an element", (int64_t)base + i, (int64_t)base + i);
        for (int k = 0; k <= dim; k++)
            corners[k] = (int32_t)(thaw_text_integer(text, "a node of an element", base,
                                                     (int64_t)base + draft->point_count - 1) -
                                   base);
        const int32_t tag = read_region(text, attributes);
        thaw_text_record_end(text);
        if (!text->status)
            text->status = thaw_draft_cell(draft, dim, corners, tag, text->token_line, text->error);
    }
}

// The faces of a .face file or the segments of a .poly file: an id, dim corners, a marker where there are markers.
static void read_sides(ThawText *text, ThawDraft *draft, int dim, int32_t base) {
    thaw_text_record(text);
    const int32_t count = thaw_text_count(text, "the number of faces", dim + 1);
    const int32_t markers = optional(text, "the number of boundary markers", 1);
    thaw_text_record_end(text);
    for (int32_t i = 0; i < count && !text->status; i++) {
        int32_t corners[3];
        thaw_text_record(text);
        thaw_text_integer(text, "the id of a face", 0, INT32_MAX);
        for (int k = 0; k < dim; k++)
            corners[k] =
                (int32_t)(thaw_text_integer(text, "a node of a face", base, (int64_t)base + draft->point_count - 1) -
                          base);
        const int64_t tag = markers ? thaw_text_integer(text, "the marker of a face", INT32_MIN, INT32_MAX) : 0;
        while (!thaw_text_done(text)) // TetGen may add the elements on both sides
            thaw_text_token(text, "more about a face");
        thaw_text_record_end(text);
        if (!text->status && tag)
            text->status = thaw_draft_cell(draft, dim - 1, corners, (int32_t)tag, text->token_line, text->error);
    }
}

const char *thaw_head_tetgen(const char *head, size_t size, int64_t file_size) {
    (void)file_size;
    const ThawToken word = thaw_head_word(head, size, '#');
    const int number = word.length == 0 || (word.start[0] >= '0' && word.start[0] <= '9') || word.start[0] == '-';
    return number && thaw_head_is_text(head, size)
               ? NULL
               : "the file does not begin with a number, as TetGen's and Triangle's files do";
}

ThawStatus thaw_read_tetgen(ThawText *node, ThawText *ele, ThawText *face, ThawText *poly, ThawDraft *draft) {
    int32_t base = 0;
    int dim = 0;
    draft->prefix[0] = "marker";
    if (poly)
        dim = read_points(poly, draft, &base);
    if (poly && !poly->status && dim != 2)
        thaw_text_fail(poly, "the dimension is 3; allowed are plane outlines (2) with their .ele file");
    if (poly && !poly->status && draft->point_count == 0 && !node)
        thaw_text_fail(poly, "the file has no points, and there is no .node file beside it with them");
    if (poly && poly->status)
        return poly->status;
    if (draft->point_count == 0)
        dim = read_points(node, draft, &base);
    if (node && node->status)
        return node->status;
    if (poly && dim == 2)
        read_sides(poly, draft, 2, base);
    if (poly && poly->status)
        return poly->status;
    read_elements(ele, draft, dim, base);
    if (!ele->status && face && dim == 3) {
        read_sides(face, draft, 3, base);
        return face->status;
    }
    return ele->status;
}
