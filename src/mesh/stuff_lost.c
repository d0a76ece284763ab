// SPDX-License-Identifier: Apache-2.0
// What of a solid its mesh does not reach. That the mesh's surface is near the solid's says little about walls thinner than
// the lattice: where one is torn, what is left of it is near enough. So the other way round: points of the solid's surface, and
// how far they are outside the mesh.
//
// The points: cells of half the size, found by halving larger ones and passing over those that the surface cannot reach (no
// point nearer than |f| lies on the other side); from the middle of each, one Newton step along the gradient of f. About
// four times as many as the mesh has faces, four distances each. Most of them are near the mesh, and then the first face that is
// near enough settles it: only what is lost is measured.
#include <math.h>
#include <string.h>

#include "mesh/stuff.h"

enum { LEVELS = 3 };            // halvings of a block
static const double LOST = 0.4; // sizes: right angles that are cut off lack 0.3 to 0.4
static const double NEAR = 0.1; // spacings: a point this near to the surface is on it
static const double APART = 4;  // sizes between places that are told

typedef struct Survey {
    const ThawSolid *solid;
    const ThawWinding *mesh; // its boundary
    double lo[3], spacing;   // m
    double least;            // m: what is lost is farther from the mesh
    int32_t blocks[3];
    struct {
        double reach;    // m
        double place[3]; // where
    } * found;           // one a block
} Survey;

// Distances are bounds, and small near the holes of a surface without any surface there: the side must change, too.
static int is_on_surface(const Survey *s, const double p[3], const double slope[3], double square) {
    const double here = fabs(thaw_solid_distance(s->solid, p)), aside = (2 * here + 1e-3 * s->spacing) / sqrt(square);
    double in[3], out[3];
    for (int k = 0; k < 3; k++) {
        in[k] = p[k] - aside * slope[k];
        out[k] = p[k] + aside * slope[k];
    }
    return here <= NEAR * s->spacing && thaw_solid_distance(s->solid, in) <= 0 &&
           thaw_solid_distance(s->solid, out) >= 0;
}

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
    const double reach = thaw_winding_beyond(s->mesh, p, fmax(s->least, s->found[block].reach));
    if (reach > 0 && is_on_surface(s, p, slope, square)) {
        s->found[block].reach = reach;
        memcpy(s->found[block].place, p, sizeof p);
    }
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

ThawStatus thaw_mesh_find_lost(const ThawSolid *solid, const ThawMesh *mesh, const ThawSurface *surface,
                               ThawTasks *tasks, ThawMesherReport *report, ThawError *error) {
    ThawWinding *winding = NULL;
    Survey s = {.solid = solid, .spacing = report->size / 2, .least = LOST * report->size};
    double hi[3];
    int32_t count = 1;
    thaw_solid_bounds(solid, s.lo, hi);
    for (int k = 0; k < 3; k++) { // at most the lattice's cells, which fit
        s.blocks[k] = (int32_t)ceil((hi[k] - s.lo[k]) / ldexp(s.spacing, LEVELS));
        s.blocks[k] = s.blocks[k] > 1 ? s.blocks[k] : 1;
        count *= s.blocks[k];
    }
    ThawStatus status = thaw_winding_create_sound(mesh->x, surface->count, surface->faces, &winding, error);
    s.mesh = winding;
    s.found = status ? NULL : thaw_alloc((size_t)count, sizeof *s.found);
    if (!status && !s.found)
        status = thaw_error_memory(error, "the report of a mesher");
    if (!status) {
        thaw_tasks_for(tasks, count, survey_block, &s);
        tell_lost(&s, count, report->size, report);
    }
    thaw_free(s.found);
    thaw_winding_free(&winding);
    return status;
}
