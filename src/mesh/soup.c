// SPDX-License-Identifier: Apache-2.0
// From the triangles of a file to a surface: points at one place made one where the format cannot share them (STL),
// triangles that repeat a vertex or another triangle left out, points without triangles left out; all of it counted,
// with places. Then every edge is looked at: a mesher needs each to have two triangles that agree about outside.
// Linear, by bucket sorts (thaw_rows_sort) and one hash table, but for the names, which are sorted.
#include "mesh/soup.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/draft.h"
#include "mesh/winding.h"

void thaw_soup_free(ThawSoup *soup) {
    thaw_free(soup->x);
    thaw_free(soup->corner);
    thaw_free(soup->face);
    thaw_free(soup->spans);
    thaw_free(soup->texture);
    thaw_free(soup->textured);
    thaw_free(soup->uv);
    *soup = (ThawSoup){0};
}

// --- filling in ------------------------------------------------------------------------------------------------------

// Room for one more; *room grows to 3 / 2 of itself.
static int make_room(ThawSoup *soup, void **array, int32_t used, int32_t *room, size_t size) {
    ThawText *text = soup->text;
    if (text->status || used < *room)
        return !text->status;
    const int64_t wanted = (int64_t)*room + *room / 2 + 64;
    void *more = wanted > INT32_MAX / 3 ? NULL : thaw_regrow(*array, (size_t)used, (size_t)wanted, size);
    if (!more) {
        text->status = thaw_error_memory(text->error, "the triangles of a surface file");
        return 0;
    }
    *array = more;
    *room = (int32_t)wanted;
    return 1;
}

void thaw_soup_point(ThawSoup *soup, const double x[3]) {
    if (make_room(soup, (void **)&soup->x, soup->point_count, &soup->point_room, 3 * sizeof *x))
        memcpy(soup->x + 3 * (size_t)soup->point_count++, x, 3 * sizeof *x);
}

void thaw_soup_triangle(ThawSoup *soup, int32_t a, int32_t b, int32_t c) {
    int32_t room[2] = {soup->triangle_room, soup->triangle_room}; // the arrays grow together
    if (!make_room(soup, (void **)&soup->corner, soup->triangle_count, &room[0], 3 * sizeof a) ||
        !make_room(soup, (void **)&soup->textured, soup->triangle_count, &room[1], 3 * sizeof a) ||
        !make_room(soup, (void **)&soup->face, soup->triangle_count, &soup->triangle_room, sizeof a))
        return;
    int32_t *corner = soup->corner + 3 * (size_t)soup->triangle_count;
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
    memset(soup->textured + 3 * (size_t)soup->triangle_count, 0xff, 3 * sizeof *corner); // -1
    soup->face[soup->triangle_count++] = soup->face_count;
}

void thaw_soup_texture_point(ThawSoup *soup, const double uv[2]) {
    if (make_room(soup, (void **)&soup->texture, soup->texture_count, &soup->texture_room, 2 * sizeof *uv))
        memcpy(soup->texture + 2 * (size_t)soup->texture_count++, uv, 2 * sizeof *uv);
}

void thaw_soup_textured(ThawSoup *soup, const int32_t corner[3]) {
    if (!soup->text->status && soup->triangle_count > 0)
        memcpy(soup->textured + 3 * (size_t)(soup->triangle_count - 1), corner, 3 * sizeof *corner);
}

void thaw_soup_corner(ThawSoup *soup, int32_t place, int32_t corner, int32_t kept[2]) {
    if (place >= 2)
        thaw_soup_triangle(soup, kept[0], kept[1], corner);
    kept[place > 0] = corner;
}

void thaw_soup_polygon_end(ThawSoup *soup, int32_t corners) {
    if (soup->text->status)
        return;
    if (corners < 3)
        thaw_text_fail(soup->text, "a face has %d corners; needed are 3 or more", corners);
    if (corners > 3)
        thaw_finding_add(&soup->split, soup->face_count);
    soup->face_count += soup->face_count < INT32_MAX;
}

void thaw_soup_span(ThawSoup *soup, ThawToken name, int32_t first, int32_t end) {
    if (name.length && first < end &&
        make_room(soup, (void **)&soup->spans, soup->span_count, &soup->span_room, sizeof *soup->spans))
        soup->spans[soup->span_count++] = (ThawSpan){name, first, end};
}

// --- what stays ------------------------------------------------------------------------------------------------------

// Vertices that are nearer than this share of the diagonal of their box are one (mesh.h): beyond what single precision
// can tell.
static const double NEAR = 1e-9;

// A surface being mended.
typedef struct Mending {
    int32_t point_count, triangle_count;
    const double *x;
    const int32_t *corner, *face; // face NULL: a triangle is its own place
    int32_t *first;               // point_count: the point it is made one with
    int32_t *vertex;              // point_count: its new id, -1 when it goes
    int32_t *kept;                // triangle_count: its new id, -1 when it goes
    int32_t *rows;                // scratch
} Mending;

static void mending_free(Mending *m) {
    thaw_free(m->first);
    thaw_free(m->vertex);
    thaw_free(m->kept);
    thaw_free(m->rows);
}

static void sort3(int32_t v[3]) {
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            if (v[j] > v[j + 1]) {
                const int32_t swap = v[j];
                v[j] = v[j + 1];
                v[j + 1] = swap;
            }
}

static int64_t place_of(const Mending *m, int32_t triangle) { return m->face ? m->face[triangle] : triangle; }

static ThawStatus choose_triangles(Mending *m, ThawTriangleReport *report, int32_t *count, ThawError *error) {
    int32_t rows = 0;
    m->rows = THAW_NEW(int32_t, 4 * (size_t)m->triangle_count);
    if (!m->rows)
        return thaw_error_memory(error, "the triangles of a surface");
    for (int32_t t = 0; t < m->triangle_count; t++) {
        int32_t *row = m->rows + 4 * (size_t)rows;
        for (int k = 0; k < 3; k++)
            row[k] = m->first[m->corner[3 * (size_t)t + (size_t)k]];
        row[3] = t;
        sort3(row);
        m->kept[t] = row[0] != row[1] && row[1] != row[2] ? 0 : -1;
        rows += m->kept[t] == 0;
        if (m->kept[t])
            thaw_finding_add(&report->degenerate, place_of(m, t));
    }
    const ThawStatus status = thaw_rows_sort(3, m->point_count, (size_t)rows, &m->rows, error);
    if (status)
        return status;
    for (int32_t i = 1; i < rows; i++) {
        const int32_t *row = m->rows + 4 * (size_t)i;
        if (memcmp(row, row - 4, 3 * sizeof *row) == 0)
            m->kept[row[3]] = -2;
    }
    *count = 0;
    for (int32_t t = 0; t < m->triangle_count; t++) {
        if (m->kept[t] == -2)
            thaw_finding_add(&report->repeated, place_of(m, t));
        m->kept[t] = m->kept[t] ? -1 : (*count)++;
    }
    return THAW_OK;
}

static int32_t choose_vertices(Mending *m, ThawTriangleReport *report) {
    for (int32_t t = 0; t < m->triangle_count; t++)
        for (int k = 0; k < 3 && m->kept[t] >= 0; k++)
            m->vertex[m->first[m->corner[3 * (size_t)t + (size_t)k]]] = 1;
    int32_t count = 0;
    for (int32_t p = 0; p < m->point_count; p++) {
        if (m->first[p] != p)
            thaw_finding_add(&report->welded, p);
        else if (!m->vertex[p])
            thaw_finding_add(&report->unused, p);
        m->vertex[p] = m->vertex[p] ? count++ : -1;
    }
    return count;
}

// Fills m->first, vertex and kept, and makes the mesh without its groups.
static ThawStatus mend(Mending *m, double near, ThawTriangleMesh **mesh, ThawTriangleReport *report, ThawError *error) {
    int32_t triangles = 0;
    m->first = THAW_NEW(int32_t, m->point_count);
    m->vertex = THAW_NEW(int32_t, m->point_count);
    m->kept = THAW_NEW(int32_t, m->triangle_count);
    if (!m->first || !m->vertex || !m->kept)
        return thaw_error_memory(error, "the triangles of a surface");
    for (int32_t p = 0; p < m->point_count; p++)
        m->first[p] = p;
    ThawStatus status = near > 0 ? thaw_points_near(3, m->point_count, m->x, near, m->first, error) : THAW_OK;
    if (!status)
        status = choose_triangles(m, report, &triangles, error);
    const int32_t vertices = status ? 0 : choose_vertices(m, report);
    if (!status)
        status = thaw_triangles_create(vertices, triangles, mesh, error);
    if (status)
        return status;
    for (size_t p = 0; p < (size_t)m->point_count; p++)
        if (m->vertex[p] >= 0)
            memcpy((*mesh)->x + 3 * (size_t)m->vertex[p], m->x + 3 * p, 3 * sizeof *m->x);
    for (size_t t = 0; t < (size_t)m->triangle_count; t++)
        for (size_t k = 0; k < 3 && m->kept[t] >= 0; k++)
            (*mesh)->triangles[3 * (size_t)m->kept[t] + k] = m->vertex[m->first[m->corner[3 * t + k]]];
    return THAW_OK;
}

// --- edges -----------------------------------------------------------------------------------------------------------

static ThawStatus report_edges(const ThawTriangleMesh *mesh, ThawTriangleReport *report, ThawError *error) {
    const size_t count = 3 * (size_t)mesh->triangle_count;
    int32_t *rows = NULL;
    const ThawStatus status = thaw_surface_edge_rows(mesh, &rows, error);
    for (size_t i = 0, end; !status && i < count; i = end) {
        for (end = i + 1; end < count && memcmp(rows + 3 * i, rows + 3 * end, 2 * sizeof *rows) == 0;)
            end++;
        const int32_t edge = rows[3 * i + 2];
        if (end - i == 1)
            thaw_finding_add(&report->open, edge / 3);
        else if (end - i > 2)
            thaw_finding_add(&report->crowded, edge / 3);
        else if (mesh->triangles[edge] == mesh->triangles[rows[3 * i + 5]]) // both run the same way
            thaw_finding_add(&report->turned, edge / 3);
    }
    thaw_free(rows);
    return status;
}

static ThawStatus report_mesh(const ThawTriangleMesh *mesh, ThawTriangleReport *report, ThawError *error) {
    int32_t *first = THAW_NEW(int32_t, mesh->vertex_count);
    if (!first)
        return thaw_error_memory(error, "finding points at the same place");
    ThawStatus status = thaw_points_first(3, mesh->vertex_count, mesh->x, first, error);
    for (int32_t v = 0; !status && v < mesh->vertex_count; v++)
        if (first[v] != v)
            thaw_finding_add(&report->coincident, v);
    thaw_free(first);
    return status ? status : report_edges(mesh, report, error);
}

// --- groups ----------------------------------------------------------------------------------------------------------

static int compare_tokens(ThawToken a, ThawToken b) {
    const int order = memcmp(a.start, b.start, a.length < b.length ? a.length : b.length);
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

static int compare_spans(const void *a, const void *b) {
    const ThawSpan *one = a, *two = b;
    const int order = compare_tokens(one->name, two->name);
    return order                      ? order
           : one->first != two->first ? (one->first > two->first) - (one->first < two->first)
                                      : (one->end > two->end) - (one->end < two->end);
}

// The triangles of spans that bear one name, each once; with out NULL only counts them.
static int32_t union_of(const ThawSpan *spans, int32_t count, const int32_t *kept, int32_t *out) {
    int32_t found = 0, next = 0;
    for (int32_t i = 0; i < count; i++)
        for (int32_t t = spans[i].first > next ? spans[i].first : next; t < spans[i].end; t++) {
            next = t + 1;
            if (kept[t] >= 0 && out)
                out[found] = kept[t];
            found += kept[t] >= 0;
        }
    return found;
}

static ThawStatus make_groups(ThawSoup *soup, const int32_t *kept, ThawTriangleMesh *mesh, ThawError *error) {
    if (soup->span_count == 0)
        return THAW_OK;
    qsort(soup->spans, (size_t)soup->span_count, sizeof *soup->spans, compare_spans);
    if (!(mesh->groups = THAW_NEW(ThawTriangleGroup, soup->span_count)))
        return thaw_error_memory(error, "the groups of a surface");
    for (int32_t i = 0, end; i < soup->span_count; i = end) {
        const ThawSpan *span = soup->spans + i;
        for (end = i + 1; end < soup->span_count && compare_tokens(span->name, soup->spans[end].name) == 0;)
            end++;
        ThawTriangleGroup *group = mesh->groups + mesh->group_count;
        if (!(group->count = union_of(span, end - i, kept, NULL)))
            continue;
        mesh->group_count++;
        group->name = THAW_NEW(char, span->name.length + 1);
        group->triangles = THAW_NEW(int32_t, group->count);
        if (!group->name || !group->triangles)
            return thaw_error_memory(error, "the groups of a surface");
        memcpy(group->name, span->name.start, span->name.length);
        for (size_t k = 0; k < span->name.length; k++)
            group->name[k] = group->name[k] ? group->name[k] : '?';
        union_of(span, end - i, kept, group->triangles);
    }
    return THAW_OK;
}

static ThawStatus make_uv(ThawSoup *soup, const int32_t *kept, int32_t count, ThawError *error) {
    int any = 0;
    for (int32_t i = 0; i < 3 * soup->triangle_count && !any; i++)
        any = soup->textured[i] >= 0;
    if (!any)
        return THAW_OK;
    if (!(soup->uv = THAW_NEW(double, 6 * (size_t)count)))
        return thaw_error_memory(error, "the texture points of a surface");
    for (size_t i = 0; i < 3 * (size_t)soup->triangle_count; i++)
        if (kept[i / 3] >= 0 && soup->textured[i] >= 0)
            memcpy(soup->uv + 6 * (size_t)kept[i / 3] + 2 * (i % 3), soup->texture + 2 * (size_t)soup->textured[i],
                   2 * sizeof *soup->uv);
    return THAW_OK;
}

ThawStatus thaw_soup_finish(ThawSoup *soup, double near, ThawTriangleMesh **mesh, ThawTriangleReport *report,
                            ThawError *error) {
    const char *path = thaw_text_path(soup->text->path);
    *mesh = NULL;
    if (soup->triangle_count == 0)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: no triangles in it", path);
    report->split = soup->split;
    Mending m = {.point_count = soup->point_count,
                 .triangle_count = soup->triangle_count,
                 .x = soup->x,
                 .corner = soup->corner,
                 .face = soup->face};
    ThawStatus status = mend(&m, near, mesh, report, error);
    if (!status && (*mesh)->triangle_count == 0)
        status = thaw_error_set(error, THAW_ERROR_INPUT,
                                "%s: all %d triangles have a vertex twice; the first is face %" PRId64, path,
                                soup->triangle_count, report->degenerate.ids[0]);
    if (!status)
        status = make_groups(soup, m.kept, *mesh, error);
    if (!status)
        status = make_uv(soup, m.kept, (*mesh)->triangle_count, error);
    if (!status)
        status = report_mesh(*mesh, report, error);
    mending_free(&m);
    if (status)
        thaw_triangles_free(mesh);
    return status;
}

// --- welding ---------------------------------------------------------------------------------------------------------

static ThawStatus map_groups(const ThawTriangleMesh *from, const int32_t *kept, ThawTriangleMesh *to,
                             ThawError *error) {
    if (from->group_count && !(to->groups = THAW_NEW(ThawTriangleGroup, from->group_count)))
        return thaw_error_memory(error, "the groups of a surface");
    for (int32_t g = 0; g < from->group_count; g++) {
        const ThawTriangleGroup *old = from->groups + g;
        ThawTriangleGroup *group = to->groups + to->group_count++;
        group->name = thaw_strdup(old->name);
        group->triangles = THAW_NEW(int32_t, old->count);
        if (!group->name || !group->triangles)
            return thaw_error_memory(error, "the groups of a surface");
        for (int32_t i = 0; i < old->count; i++)
            if (kept[old->triangles[i]] >= 0)
                group->triangles[group->count++] = kept[old->triangles[i]];
    }
    return THAW_OK;
}

ThawStatus thaw_triangles_weld(ThawTriangleMesh *mesh, ThawTriangleReport *report, ThawError *error) {
    ThawTriangleReport ignored;
    ThawTriangleMesh *welded = NULL;
    ThawStatus status = thaw_triangles_validate(mesh, error);
    if (status)
        return status;
    report = report ? report : &ignored;
    *report = (ThawTriangleReport){0};
    Mending m = {.point_count = mesh->vertex_count,
                 .triangle_count = mesh->triangle_count,
                 .x = mesh->x,
                 .corner = mesh->triangles};
    status = mend(&m, NEAR, &welded, report, error);
    if (!status)
        status = map_groups(mesh, m.kept, welded, error);
    if (!status)
        status = report_mesh(welded, report, error);
    mending_free(&m);
    if (!status) { // the caller's struct gets the new content
        const ThawTriangleMesh old = *mesh;
        *mesh = *welded;
        *welded = old;
    }
    thaw_triangles_free(&welded);
    return status;
}
