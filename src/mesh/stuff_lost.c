// SPDX-License-Identifier: Apache-2.0
// What of a solid its mesh does not reach. That the mesh's surface is near the solid's says little about walls thinner
// than the lattice: where one is torn, what is left of it is near enough. So the other way round: points of the solid's
// surface, and how far they are outside the mesh.
//
// The points: cells of half the size, found by halving larger ones and passing over those that the surface cannot reach
// (no point nearer than |f| lies on the other side); from the middle of each, one Newton step along the gradient of f.
// About four times as many as the mesh has faces, four distances each. Most of them are near the mesh, and then the
// first face that is near enough settles it: only what is lost is measured. Of a solid that is the inside of a surface
// the points are on its triangles, which are bisected until they are small enough, and no distances are needed at all.
#include <math.h>
#include <string.h>

#include "mesh/stuff.h"

enum { LEVELS = 3, CHUNK = 64 }; // halvings of a block; triangles
static const double LOST = 0.4;  // sizes: right angles that are cut off lack 0.3 to 0.4
static const double NEAR = 0.1;  // spacings: a point this near to the surface is on it
static const double APART = 4;   // sizes between places that are told

typedef struct Survey {
    const ThawSolid *solid;
    const ThawWinding *surface; // of a solid that is just its inside; else NULL
    const ThawWinding *mesh;    // its boundary
    double lo[3], spacing;      // m
    double least;               // m: what is lost is farther from the mesh
    int32_t blocks[3];
    struct {
        double reach;    // m
        double place[3]; // where
    } * found;           // one a block, or a chunk of triangles
} Survey;

// Distances are bounds, and small near the holes of a surface without any surface there: the side must change, too.
static int is_on_surface(const Survey *s, const double p[3], const double slope[3], double square) {
    const double here = fabs(thaw_solid_distance(s->solid, p)), aside = (2 * here + 1e-3 * s->spacing) / sqrt(square);
    double in[3], out[3];
    for (int k = 0; k < 3; k++) {
        in[k] = p[k] - aside * slope[k];
        out[k] = p[k] + aside * slope[k];
    }
    return here <= NEAR * s->spacing &&
           (thaw_solid_distance(s->solid, in) < 0) != (thaw_solid_distance(s->solid, out) < 0);
}

static void ask(Survey *s, const double p[3], const double slope[3], double square, int32_t block) {
    const double reach = thaw_winding_beyond(s->mesh, p, fmax(s->least, s->found[block].reach));
    if (reach > 0 && is_on_surface(s, p, slope, square)) {
        s->found[block].reach = reach;
        memcpy(s->found[block].place, p, 3 * sizeof *p);
    }
}

// --- triangles -------------------------------------------------------------------------------------------------------

// At its middle, if no edge is longer than the spacing; else both halves of it, the longest edge halved.
static void walk_triangle(Survey *s, const double *corner, const double normal[3], double square, int32_t chunk) {
    double longest = 0, middle[3];
    int edge = 0;
    for (int i = 0; i < 3; i++) {
        const double *a = corner + 3 * i, *b = corner + 3 * ((i + 1) % 3);
        const double length =
            (b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]) + (b[2] - a[2]) * (b[2] - a[2]);
        edge = length > longest ? i : edge;
        longest = fmax(longest, length);
    }
    if (longest <= s->spacing * s->spacing) {
        for (int k = 0; k < 3; k++)
            middle[k] = (corner[k] + corner[3 + k] + corner[6 + k]) / 3;
        ask(s, middle, normal, square, chunk);
        return;
    }
    const int next = (edge + 1) % 3;
    for (int k = 0; k < 3; k++)
        middle[k] = (corner[3 * edge + k] + corner[3 * next + k]) / 2;
    double half[9];
    for (int side = 0; side < 2; side++) {
        memcpy(half, corner, sizeof half);
        memcpy(half + 3 * (side ? edge : next), middle, sizeof middle);
        walk_triangle(s, half, normal, square, chunk);
    }
}

static void survey_chunk(void *context, int32_t chunk) {
    Survey *s = context;
    const int32_t count = thaw_winding_count(s->surface),
                  end = (chunk + 1) * CHUNK < count ? (chunk + 1) * CHUNK : count;
    for (int32_t t = chunk * CHUNK; t < end; t++) {
        const double *c = thaw_winding_triangle(s->surface, t);
        double normal[3], square = 0;
        for (int k = 0; k < 3; k++) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            normal[k] = (c[3 + i] - c[i]) * (c[6 + j] - c[j]) - (c[3 + j] - c[j]) * (c[6 + i] - c[i]);
            square += normal[k] * normal[k];
        }
        if (square > 0)
            walk_triangle(s, c, normal, square, chunk);
    }
}

// --- distances -------------------------------------------------------------------------------------------------------

static void look(Survey *s, const double x[3], double here, int32_t block) {
    const double step = 1e-4 * s->spacing;
    double slope[3], square = 0, p[3];
    for (int k = 0; k < 3; k++) {
        double y[3] = {x[0], x[1], x[2]};
        y[k] += step;
        slope[k] = (thaw_solid_distance(s->solid, y) - here) / step;
        square += slope[k] * slope[k];
    }
    if (!(square > 0.01))
        return;
    for (int k = 0; k < 3; k++)
        p[k] = x[k] - here * slope[k] / square;
    ask(s, p, slope, square, block);
}

static void descend(Survey *s, const double lo[3], int level, int32_t block) {
    const double edge = ldexp(s->spacing, level);
    const double middle[3] = {lo[0] + edge / 2, lo[1] + edge / 2, lo[2] + edge / 2};
    const double here = thaw_solid_distance(s->solid, middle);
    if (fabs(here) > edge * sqrt(3) / 2)
        return;
    if (level == 0) {
        look(s, middle, here, block);
        return;
    }
    for (int child = 0; child < 8; child++) {
        const double at[3] = {lo[0] + (child & 1 ? edge / 2 : 0), lo[1] + (child & 2 ? edge / 2 : 0),
                              lo[2] + (child & 4 ? edge / 2 : 0)};
        descend(s, at, level - 1, block);
    }
}

static void survey_block(void *context, int32_t block) {
    Survey *s = context;
    const double edge = ldexp(s->spacing, LEVELS);
    const int32_t i = block % s->blocks[0], j = block / s->blocks[0] % s->blocks[1],
                  k = block / s->blocks[0] / s->blocks[1];
    descend(s, (double[3]){s->lo[0] + edge * i, s->lo[1] + edge * j, s->lo[2] + edge * k}, LEVELS, block);
}

// --- what was found --------------------------------------------------------------------------------------------------

// Places of lost parts, not too near to each other.
static void tell_lost(const Survey *s, int32_t count, double size, ThawMesherReport *report) {
    for (int32_t b = 0; b < count; b++) {
        const double *x = s->found[b].place;
        int told = 0;
        report->reach = fmax(report->reach, s->found[b].reach);
        for (int64_t i = 0; i < report->lost.count; i++) {
            const double *y = report->lost.place[i];
            told |= hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]) < APART * size;
        }
        if (s->found[b].reach > 0 && !told && report->lost.count < THAW_MESHER_PLACES)
            memcpy(report->lost.place[report->lost.count++], x, 3 * sizeof *x);
    }
}

// The blocks that cover the bounds: how many.
static int32_t lay_blocks(Survey *s) {
    double hi[3];
    int32_t count = 1;
    thaw_solid_bounds(s->solid, s->lo, hi);
    for (int k = 0; k < 3; k++) { // at most the lattice's cells, which fit
        s->blocks[k] = (int32_t)ceil((hi[k] - s->lo[k]) / ldexp(s->spacing, LEVELS));
        s->blocks[k] = s->blocks[k] > 1 ? s->blocks[k] : 1;
        count *= s->blocks[k];
    }
    return count;
}

ThawStatus thaw_mesh_find_lost(const ThawSolid *solid, const ThawMesh *mesh, const ThawSurface *surface,
                               ThawTasks *tasks, ThawMesherReport *report, ThawError *error) {
    const ThawSolidNode *root = &solid->nodes[solid->root];
    ThawWinding *winding = NULL;
    Survey s = {.solid = solid,
                .surface = root->placed ? NULL : root->surface,
                .spacing = report->size / 2,
                .least = LOST * report->size};
    const int32_t count = s.surface ? (thaw_winding_count(s.surface) + CHUNK - 1) / CHUNK : lay_blocks(&s);
    ThawStatus status = thaw_winding_create_sound(mesh->x, surface->count, surface->faces, &winding, error);
    s.mesh = winding;
    s.found = status ? NULL : thaw_alloc((size_t)count, sizeof *s.found);
    if (!status && !s.found)
        status = thaw_error_memory(error, "the report of a mesher");
    if (!status) {
        thaw_tasks_for(tasks, count, s.surface ? survey_chunk : survey_block, &s);
        tell_lost(&s, count, report->size, report);
    }
    thaw_free(s.found);
    thaw_winding_free(&winding);
    return status;
}
