// SPDX-License-Identifier: Apache-2.0
// Which bodies stand in each other at the start, and how deep. Bodies whose bounding boxes meet are tested point by
// point: a vertex or an element's centre of one inside an element of the other. Depth is the distance from such a point
// to the other's surface; only SAMPLES of them are measured, for that looks at every face.
//
// Elements are found through a grid over the part where the two boxes meet, of about one cell an element. Pairs are
// found by a sweep along x. Two bodies that cut each other without either having a point inside the other go unseen.
#include "doctor/doctor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/vec3.h"
#include "model/joint.h"

enum { SAMPLES = 64 };
static const double TOUCH = 1e-4; // of the smaller diameter: less is a touch

// A body as it stands at the start.
typedef struct Standing {
    const ThawMesh *mesh;
    double *x; // 3 * vertex_count, by the mesh's own ids; z is 0 in 2D
    double lo[3], hi[3], diameter;
    int32_t body;
} Standing;

static int stand(const ThawScene *scene, const ThawModel *model, int32_t body, Standing *s) {
    s->body = body;
    s->mesh = scene->world.shapes[scene->world.bodies[body].shape].mesh;
    s->x = THAW_NEW(double, 3 * (size_t)s->mesh->vertex_count);
    for (int k = 0; k < 3; k++) {
        s->lo[k] = INFINITY;
        s->hi[k] = -INFINITY;
    }
    for (int32_t v = 0; s->x && v < s->mesh->vertex_count; v++) {
        double *x = s->x + 3 * (size_t)v;
        thaw_body_place(&model->bodies[body], s->mesh->dim, s->mesh->x + (size_t)s->mesh->dim * (size_t)v, x);
        for (int k = 0; k < 3; k++) {
            s->lo[k] = fmin(s->lo[k], x[k]);
            s->hi[k] = fmax(s->hi[k], x[k]);
        }
    }
    s->diameter = hypot(hypot(s->hi[0] - s->lo[0], s->hi[1] - s->lo[1]), s->hi[2] - s->lo[2]);
    return s->x != NULL;
}

// --- inside an element -----------------------------------------------------------------------------------------------

// Signed volume of a simplex, up to a factor; in 2D the third edge is the unit vector along z.
static double content(int dim, const double *const p[4]) {
    double d[3][3] = {{0}, {0}, {0, 0, 1}};
    for (int i = 0; i < dim; i++)
        for (int k = 0; k < 3; k++)
            d[i][k] = p[i + 1][k] - p[0][k];
    return thaw_v3_triple(d[0], d[1], d[2]);
}

static int is_inside(const Standing *s, int32_t element, const double *x) {
    const int32_t *v = s->mesh->elements + (size_t)s->mesh->nodes * (size_t)element;
    const double *corner[4] = {0}, *p[4];
    for (int i = 0; i < s->mesh->nodes; i++)
        corner[i] = s->x + 3 * (size_t)v[i];
    double whole = content(s->mesh->dim, corner);
    for (int i = 0; i < s->mesh->nodes; i++) {
        memcpy(p, corner, sizeof p);
        p[i] = x;
        if (content(s->mesh->dim, p) * whole < 0)
            return 0;
    }
    return 1;
}

// --- a grid of elements ----------------------------------------------------------------------------------------------

typedef struct Grid {
    double lo[3], cell[3];
    int32_t n[3];
    int32_t *first;   // cells + 1
    int32_t *element; // first[cells], sorted by cell
} Grid;

// Which cells an element's box covers; 0 when it lies outside the grid.
static int cells_of(const Grid *grid, const Standing *s, int32_t element, int32_t from[3], int32_t to[3]) {
    const int32_t *v = s->mesh->elements + (size_t)s->mesh->nodes * (size_t)element;
    for (int k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int i = 0; i < s->mesh->nodes; i++) {
            lo = fmin(lo, s->x[3 * (size_t)v[i] + (size_t)k]);
            hi = fmax(hi, s->x[3 * (size_t)v[i] + (size_t)k]);
        }
        double a = floor((lo - grid->lo[k]) / grid->cell[k]), b = floor((hi - grid->lo[k]) / grid->cell[k]);
        if (b < 0 || a >= grid->n[k])
            return 0;
        from[k] = (int32_t)fmax(a, 0);
        to[k] = (int32_t)fmin(b, grid->n[k] - 1);
    }
    return 1;
}

static int32_t cell_index(const Grid *grid, int32_t i, int32_t j, int32_t k) {
    return i + grid->n[0] * (j + grid->n[1] * k);
}

static void grid_clear(Grid *grid) {
    thaw_free(grid->first);
    thaw_free(grid->element);
}

// Two passes over the elements: count, then fill. Returns 0 without memory.
static int grid_make(Grid *grid, const Standing *s, const double lo[3], const double hi[3]) {
    int dim = s->mesh->dim;
    double side = pow(fmax(s->mesh->element_count, 1), 1.0 / dim), longest = 0;
    *grid = (Grid){0};
    for (int k = 0; k < dim; k++)
        longest = fmax(longest, s->hi[k] - s->lo[k]);
    for (int k = 0; k < 3; k++) {
        double extent = fmax(hi[k] - lo[k], 1e-12 * longest);
        grid->lo[k] = lo[k];
        grid->n[k] = k < dim ? (int32_t)fmin(fmax(ceil(extent / longest * side), 1), 200) : 1;
        grid->cell[k] = extent / grid->n[k] * (1 + 1e-9);
    }
    int32_t cells = grid->n[0] * grid->n[1] * grid->n[2], from[3], to[3];
    grid->first = THAW_NEW(int32_t, cells + 2);
    for (int pass = 0; pass < 2 && grid->first; pass++) {
        for (int32_t e = 0; e < s->mesh->element_count; e++) {
            if (!cells_of(grid, s, e, from, to))
                continue;
            for (int32_t k = from[2]; k <= to[2]; k++)
                for (int32_t j = from[1]; j <= to[1]; j++)
                    for (int32_t i = from[0]; i <= to[0]; i++) {
                        int32_t at = cell_index(grid, i, j, k);
                        if (pass == 0)
                            grid->first[at + 2]++;
                        else
                            grid->element[grid->first[at + 1]++] = e;
                    }
        }
        if (pass == 0) {
            for (int32_t c = 0; c < cells; c++)
                grid->first[c + 2] += grid->first[c + 1];
            grid->element = THAW_NEW(int32_t, grid->first[cells + 1]);
            if (!grid->element)
                break;
        }
    }
    return grid->first && grid->element;
}

static int grid_has(const Grid *grid, const Standing *s, const double *x) {
    int32_t at[3];
    for (int k = 0; k < 3; k++) {
        double cell = floor((x[k] - grid->lo[k]) / grid->cell[k]);
        if (!(cell >= 0 && cell < grid->n[k]))
            return 0;
        at[k] = (int32_t)cell;
    }
    int32_t cell = cell_index(grid, at[0], at[1], at[2]);
    for (int32_t i = grid->first[cell]; i < grid->first[cell + 1]; i++)
        if (is_inside(s, grid->element[i], x))
            return 1;
    return 0;
}

// --- depth -----------------------------------------------------------------------------------------------------------

// Squares of distances.
static double segment_distance(const double *p, const double *a, const double *b) {
    double along = 0, square = 0, d[3];
    for (int k = 0; k < 3; k++) {
        along += (p[k] - a[k]) * (b[k] - a[k]);
        square += (b[k] - a[k]) * (b[k] - a[k]);
    }
    double t = square > 0 ? fmin(fmax(along / square, 0), 1) : 0;
    for (int k = 0; k < 3; k++)
        d[k] = p[k] - a[k] - t * (b[k] - a[k]);
    return thaw_v3_dot(d, d);
}

// To the plane where the foot of the point is inside the triangle, else to the nearest edge.
static double triangle_distance(const double *p, const double *const c[3]) {
    double e[3], f[3], n[3], d[3], least = INFINITY;
    thaw_v3_sub(c[1], c[0], e);
    thaw_v3_sub(c[2], c[0], f);
    thaw_v3_sub(p, c[0], d);
    thaw_v3_cross(e, f, n);
    double square = thaw_v3_dot(n, n);
    double v = thaw_v3_triple(d, f, n) / square, w = thaw_v3_triple(e, d, n) / square; // of c[1] and c[2], barycentric
    double height = thaw_v3_dot(d, n);
    if (v >= 0 && w >= 0 && v + w <= 1)
        return height * height / square;
    for (int i = 0; i < 3; i++)
        least = fmin(least, segment_distance(p, c[i], c[(i + 1) % 3]));
    return least;
}

static double depth_in(const Standing *s, const ThawSurface *surface, const double *p) {
    double least = INFINITY;
    for (int32_t f = 0; f < surface->count; f++) {
        const int32_t *v = surface->faces + (size_t)surface->nodes * (size_t)f;
        const double *c[3] = {s->x + 3 * (size_t)v[0], s->x + 3 * (size_t)v[1], NULL};
        if (surface->nodes == 3)
            c[2] = s->x + 3 * (size_t)v[2];
        least = fmin(least, surface->nodes == 3 ? triangle_distance(p, c) : segment_distance(p, c[0], c[1]));
    }
    return sqrt(least);
}

// --- pairs -----------------------------------------------------------------------------------------------------------

typedef struct Meeting {
    int64_t points; // of one inside the other
    double deepest, place[3];
    ThawFinding vertices; // of the first body
} Meeting;

// Point i of a body: its vertices, then the centres of its elements.
static void point_of(const Standing *s, int64_t i, double x[3]) {
    if (i < s->mesh->vertex_count) {
        memcpy(x, s->x + 3 * i, 3 * sizeof *x);
        return;
    }
    const int32_t *v = s->mesh->elements + (i - s->mesh->vertex_count) * s->mesh->nodes;
    x[0] = x[1] = x[2] = 0;
    for (int a = 0; a < s->mesh->nodes; a++)
        for (int k = 0; k < 3; k++)
            x[k] += s->x[3 * (size_t)v[a] + (size_t)k] / s->mesh->nodes;
}

// Points of a inside b, in the box from lo to hi.
static void meet(ThawExam *exam, const Standing *a, const Standing *b, const double lo[3], const double hi[3],
                 int first, Meeting *meeting) {
    Grid grid = {0};
    ThawSurface *surface = NULL;
    ThawError error = {0};
    int64_t points = (int64_t)a->mesh->vertex_count + a->mesh->element_count, measured = 0, found = 0;
    if (!grid_make(&grid, b, lo, hi))
        thaw_exam_memory(exam, "a grid of elements");
    for (int64_t i = 0; i < points && !exam->status; i++) {
        double x[3];
        point_of(a, i, x);
        if (!grid_has(&grid, b, x))
            continue;
        found++;
        if (first && i < a->mesh->vertex_count)
            thaw_finding_add(&meeting->vertices, i);
        // All of the first points, then ever fewer, so that a deep one is not missed behind many shallow ones.
        if (measured >= SAMPLES && found % (1 + found / SAMPLES) != 0)
            continue;
        ThawStatus status = surface ? THAW_OK : thaw_mesh_surface(b->mesh, &surface, &error);
        if (status) {
            if (status != THAW_ERROR_INPUT) // a bad surface was told before
                thaw_exam_fail(exam, status, &error);
            break;
        }
        double depth = depth_in(b, surface, x);
        measured++;
        if (depth > meeting->deepest) {
            meeting->deepest = depth;
            memcpy(meeting->place, x, sizeof x);
        }
    }
    meeting->points += found;
    thaw_surface_free(&surface);
    grid_clear(&grid);
}

static int same_place(const ThawBodyDef *a, const ThawBodyDef *b) {
    return a->shape == b->shape && memcmp(a->position, b->position, sizeof a->position) == 0 &&
           memcmp(a->rotation, b->rotation, sizeof a->rotation) == 0;
}

// The shortest way along an axis, but for down, on which the first body is clear of the other's bounding box.
static double way_out(const Standing *a, const Standing *b, int *axis, int *sign) {
    const int dim = a->mesh->dim;
    double least = INFINITY;
    for (int i = 0; i < 2 * dim - 1; i++) { // +z, then each of the others both ways
        const int k = (dim - 1 + (i + 1) / 2) % dim, up = i % 2 == 0;
        const double way = up ? b->hi[k] - a->lo[k] : a->hi[k] - b->lo[k];
        if (way < least) {
            least = way;
            *axis = k;
            *sign = up ? 1 : -1;
        }
    }
    return least;
}

static void examine_pair(ThawExam *exam, const ThawWorldDef *world, const ThawModel *model, const Standing *a,
                         const Standing *b) {
    const ThawBodyDef *one = &world->bodies[a->body], *other = &world->bodies[b->body];
    if (same_place(one, other)) {
        ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_WARNING, "duplicate-body", "bodies %.60s and %.60s",
                                         one->name, other->name);
        thaw_complaint_what(c, "they have the same shape, position and rotation: one stands exactly in the other");
        thaw_complaint_cure(c, "move one of them, or remove it");
        thaw_complaint_place(c, 3, a->x);
        return;
    }
    if (thaw_joints_part(model, a->body, b->body) ||
        thaw_exam_is_attached(model, a->body,
                              b->body)) // they are meant to stand there; fall.c says where they may touch
        return;
    double lo[3], hi[3];
    for (int k = 0; k < 3; k++) {
        lo[k] = fmax(a->lo[k], b->lo[k]);
        hi[k] = fmin(a->hi[k], b->hi[k]);
        if (lo[k] > hi[k])
            return;
    }
    Meeting meeting = {0};
    meet(exam, a, b, lo, hi, 1, &meeting);
    meet(exam, b, a, lo, hi, 0, &meeting);
    if (exam->status || !(meeting.deepest > TOUCH * fmin(a->diameter, b->diameter)))
        return;
    ThawComplaint *c =
        thaw_exam_add(exam, THAW_SEVERITY_WARNING, "overlap", "bodies %.60s and %.60s", one->name, other->name);
    thaw_complaint_what(c,
                        "they stand in each other at the start, %.3g m deep: contact would push them apart with force, "
                        "and without contact they pass through each other",
                        meeting.deepest);
    int axis = 0, sign = 1;
    double way = 1.002 * way_out(a, b, &axis, &sign); // rounding to three digits must not shorten it
    const double unit = pow(10, floor(log10(way)) - 2);
    way = ceil(way / unit) * unit;
    thaw_complaint_cure(c, "move %.60s by %.3g m along %c%c, which is always enough, or join them into one shape",
                        one->name, way, sign > 0 ? '+' : '-', "xyz"[axis]);
    thaw_complaint_value(c, meeting.deepest, "m");
    thaw_complaint_place(c, 3, meeting.place);
    c->ids_of = "vertex";
    c->found = meeting.vertices;
}

static int compare_standing(const void *p, const void *q) {
    const Standing *a = p, *b = q;
    if (a->lo[0] != b->lo[0])
        return a->lo[0] < b->lo[0] ? -1 : 1;
    return (a->body > b->body) - (a->body < b->body);
}

void thaw_exam_overlap(ThawExam *exam, const ThawScene *scene, const ThawModel *model) {
    int32_t n = scene->world.body_count, ready = 0;
    Standing *s = exam->status ? NULL : THAW_NEW(Standing, n);
    while (s && ready < n && stand(scene, model, ready, &s[ready]))
        ready++;
    if (!s || ready < n)
        thaw_exam_memory(exam, "the bodies' places");
    else
        qsort(s, (size_t)n, sizeof *s, compare_standing);
    for (int32_t i = 0; i < n && !exam->status; i++)
        for (int32_t j = i + 1; j < n && s[j].lo[0] <= s[i].hi[0] && !exam->status; j++) {
            if (thaw_mesh_is_sheet(s[i].mesh) || thaw_mesh_is_sheet(s[j].mesh))
                continue; // a sheet has no inside
            int swap = s[j].body < s[i].body;
            examine_pair(exam, &scene->world, model, &s[swap ? j : i], &s[swap ? i : j]);
        }
    for (int32_t i = 0; s && i < ready; i++)
        thaw_free(s[i].x);
    thaw_free(s);
}
