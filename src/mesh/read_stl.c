// SPDX-License-Identifier: Apache-2.0
// Stereolithography files (.stl). Binary: 80 bytes of anything, a count, then 50 bytes a triangle (normal, three
// corners, two bytes of anything). ASCII: solid NAME, facets, endsolid; several solids are several groups. Which of the
// two is told by the size of the file, since binary files may begin with "solid" too. Normals are not used: corners say
// more. Linear.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "mesh/soup.h"

enum { HEADING = 84, FACET = 50 };

static int is_binary(const char *head, size_t size, int64_t file_size) {
    return size >= HEADING && file_size == HEADING + FACET * thaw_raw_integer(head + 80, 'u', 4, 0);
}

const char *thaw_head_stl(const char *head, size_t size, int64_t file_size) {
    if (is_binary(head, size, file_size) || (thaw_head_begins(head, size, "solid") && thaw_head_is_text(head, size)))
        return NULL;
    return "the file neither begins with \"solid\", as ASCII files do, nor has the size that its count of triangles "
           "asks "
           "for (84 bytes and 50 a triangle), as binary files do";
}

static void add_facet(ThawSoup *soup, double x[3][3]) {
    for (int i = 0; i < 3; i++)
        thaw_soup_point(soup, x[i]);
    if (!soup->text->status) {
        thaw_soup_triangle(soup, soup->point_count - 3, soup->point_count - 2, soup->point_count - 1);
        thaw_soup_polygon_end(soup, 3);
    }
}

static void read_binary(ThawText *text, ThawSoup *soup) {
    text->at = text->bytes + HEADING;
    while (!text->status && text->at < text->end) {
        const char *raw = thaw_text_raw(text, FACET, "a triangle");
        double x[3][3];
        for (int i = 0; raw && i < 9; i++) {
            x[i / 3][i % 3] = thaw_raw_number(raw + 12 + 4 * i, 'f', 4, 0);
            if (!isfinite(x[i / 3][i % 3]))
                thaw_text_fail(text, "triangle %d has the coordinate %g; allowed are finite numbers",
                               soup->triangle_count, x[i / 3][i % 3]);
        }
        if (!text->status)
            add_facet(soup, x);
    }
}

static void expect(ThawText *text, const char *word) {
    const ThawToken token = thaw_text_token(text, word);
    if (!text->status && !thaw_token_is(token, word))
        thaw_text_fail(text, "\"%s\" should be here, not %.*s", word, (int)(token.length < 40 ? token.length : 40),
                       token.start);
}

static void read_facet(ThawText *text, ThawSoup *soup) {
    double x[3][3];
    expect(text, "normal");
    for (int k = 0; k < 3; k++)
        thaw_text_token(text, "a normal"); // some programs write nan
    expect(text, "outer");
    expect(text, "loop");
    for (int i = 0; i < 3; i++) {
        expect(text, "vertex");
        for (int k = 0; k < 3; k++)
            x[i][k] = thaw_text_number(text, "a coordinate of a vertex");
    }
    expect(text, "endloop");
    expect(text, "endfacet");
    if (!text->status)
        add_facet(soup, x);
}

// The rest of a line, without blanks at its ends.
static ThawToken rest_of_line(ThawText *text) {
    ThawToken name = {text->at, 0};
    text->in_record = 1;
    while (!thaw_text_done(text)) {
        const ThawToken word = thaw_text_token(text, "a name");
        name.start = name.length ? name.start : word.start;
        name.length = (size_t)(word.start + word.length - name.start);
    }
    text->in_record = 0;
    return name;
}

void thaw_read_stl(ThawText *text, ThawSoup *soup) {
    if (is_binary(text->bytes, (size_t)(text->end - text->bytes), text->end - text->bytes)) {
        read_binary(text, soup);
        return;
    }
    while (!thaw_text_done(text)) {
        const int32_t first = soup->triangle_count;
        expect(text, "solid");
        const ThawToken name = rest_of_line(text);
        for (int open = 1; open && !text->status;) {
            const ThawToken word = thaw_text_token(text, "facet or endsolid");
            open = !thaw_token_is(word, "endsolid");
            if (thaw_token_is(word, "facet"))
                read_facet(text, soup);
            else if (open && !text->status)
                thaw_text_fail(text, "\"facet\" or \"endsolid\" should be here, not %.*s",
                               (int)(word.length < 40 ? word.length : 40), word.start);
        }
        rest_of_line(text);
        thaw_soup_span(soup, name, first, soup->triangle_count);
    }
}
