// SPDX-License-Identifier: Apache-2.0
// From a solid to a finished mesh: the lattice is laid over the solid's bounds, cut (stuff.c), freed of small pieces
// that hang on nothing, and given regions and groups. Where a count of elements is asked for instead of a size, sizes
// are tried: coarse and cheap ones first, then around what their counts say of the target, closing in from both sides.
// Linear in the number of elements.
#include <math.h>
#include <string.h>

#include "mesh/pieces.h"
#include "mesh/stuff.h"

ThawMesherDef thaw_mesher_def_default(void) {
    return (ThawMesherDef){.elements = 10000, .grading = 1, .limit = 20000000};
}

// --- pieces ----------------------------------------------------------------------------------------------------------

static void element_middle(const ThawMesh *mesh, int32_t e, double x[3]) {
    x[0] = x[1] = x[2] = 0;
    for (int i = 0; i < mesh->nodes; i++)
        for (int k = 0; k < mesh->dim; k++)
            x[k] +=
                mesh->x[(size_t)mesh->dim * (size_t)mesh->elements[mesh->nodes * (size_t)e + (size_t)i] + (size_t)k] /
                mesh->nodes;
}

// Takes elements marked with a piece below 0 out of the mesh, and vertices that no element has then.
static ThawStatus drop_elements(ThawMesh *mesh, const int32_t *piece, ThawError *error) {
    const size_t nodes = (size_t)mesh->nodes, dim = (size_t)mesh->dim;
    int32_t *vertex = THAW_NEW(int32_t, mesh->vertex_count);
    if (!vertex)
        return thaw_error_memory(error, "the pieces of a mesh");
    int32_t elements = 0, vertices = 0;
    for (int32_t e = 0; e < mesh->element_count; e++)
        if (piece[e] >= 0) {
            memmove(mesh->elements + nodes * (size_t)elements++, mesh->elements + nodes * (size_t)e,
                    nodes * sizeof *mesh->elements);
            for (size_t i = 0; i < nodes; i++)
                vertex[mesh->elements[nodes * (size_t)(elements - 1) + i]] = 1;
        }
    for (int32_t v = 0; v < mesh->vertex_count; v++)
        if (vertex[v]) {
            memmove(mesh->x + dim * (size_t)vertices, mesh->x + dim * (size_t)v, dim * sizeof *mesh->x);
            vertex[v] = vertices++;
        }
    for (size_t i = 0; i < nodes * (size_t)elements; i++)
        mesh->elements[i] = vertex[mesh->elements[i]];
    mesh->element_count = elements;
    mesh->vertex_count = vertices;
    thaw_free(vertex);
    return THAW_OK;
}

// Elements that hang together by faces are a piece; the largest always stays.
static ThawStatus drop_islands(ThawMesh *mesh, int32_t smallest, ThawMesherReport *report, ThawError *error) {
    ThawMesherFinding *islands = &report->islands;
    const int32_t n = mesh->element_count;
    int32_t *across = NULL, *piece = THAW_NEW(int32_t, n), *queue = THAW_NEW(int32_t, n);
    ThawStatus status =
        piece && queue ? thaw_mesh_neighbours(mesh, &across, error) : thaw_error_memory(error, "the pieces of a mesh");
    int32_t largest = 0, dropped = 0;
    report->pieces = 0;
    if (smallest == 0)
        smallest = n / 200 > 8 ? n / 200 : 8;
    for (int pass = 0; !status && pass < 2; pass++) // first find the largest, then mark
        for (int32_t seed = 0, used = 0; seed < n; seed++) {
            const int32_t fresh = pass ? 1 : 0;
            if (piece[seed] != fresh)
                continue;
            const int32_t begin = used;
            queue[used++] = seed;
            piece[seed] = fresh + 1;
            for (int32_t head = begin; head < used; head++)
                for (int i = 0; i < mesh->nodes; i++) {
                    const int32_t other = across[(size_t)mesh->nodes * (size_t)queue[head] + (size_t)i];
                    if (other >= 0 && piece[other] == fresh) {
                        piece[other] = fresh + 1;
                        queue[used++] = other;
                    }
                }
            const int32_t count = used - begin;
            if (pass == 0) {
                largest = count > largest ? count : largest;
                continue;
            }
            if (count >= smallest || count == largest) {
                report->pieces++;
                continue;
            }
            dropped++;
            double x[3];
            element_middle(mesh, seed, x);
            if (islands->count < THAW_MESHER_PLACES)
                memcpy(islands->place[islands->count], x, sizeof x);
            islands->count++;
            for (int32_t i = begin; i < used; i++)
                piece[queue[i]] = -1;
        }
    if (!status && dropped)
        status = drop_elements(mesh, piece, error);
    thaw_free(across);
    thaw_free(piece);
    thaw_free(queue);
    return status;
}

// --- regions and groups ----------------------------------------------------------------------------------------------

typedef struct Regions {
    const ThawSolid *solid;
    ThawMesh *mesh;
} Regions;
enum { CHUNK = 512 };

static void find_regions(void *context, int32_t chunk) {
    Regions *r = context;
    const int32_t n = r->mesh->element_count, end = (chunk + 1) * CHUNK < n ? (chunk + 1) * CHUNK : n;
    for (int32_t e = chunk * CHUNK; e < end; e++) {
        double x[3];
        element_middle(r->mesh, e, x);
        r->mesh->region[e] = thaw_solid_region(r->solid, x);
    }
}

// Names of regions that occur, in the order of the solid.
static ThawStatus name_regions(const ThawSolid *solid, ThawMesh *mesh, ThawError *error) {
    const int32_t n = thaw_solid_region_count(solid);
    int32_t *number = THAW_NEW(int32_t, n), used = 0;
    if (!number)
        return thaw_error_memory(error, "the regions of a mesh");
    for (int32_t e = 0; e < mesh->element_count; e++)
        number[mesh->region[e]] = 1;
    for (int32_t r = 0; r < n; r++)
        used += number[r];
    ThawStatus status = thaw_mesh_set_regions(mesh, used, error);
    used = 0;
    for (int32_t r = 0; !status && r < n; r++)
        if (number[r]) {
            number[r] = used;
            if (!(mesh->region_names[used++] = thaw_strdup(thaw_solid_region_name(solid, r))))
                status = thaw_error_memory(error, "the regions of a mesh");
        }
    for (int32_t e = 0; !status && e < mesh->element_count; e++)
        mesh->region[e] = number[mesh->region[e]];
    thaw_free(number);
    return status;
}

// The group of marked vertices.
static ThawStatus fill_group(ThawMesh *mesh, int32_t g, const char *name, const char *mark, ThawError *error) {
    ThawMeshGroup *group = &mesh->groups[g];
    int32_t count = 0;
    for (int32_t v = 0; v < mesh->vertex_count; v++)
        count += mark[v];
    group->name = thaw_strdup(name);
    group->vertices = THAW_NEW(int32_t, count);
    if (!group->name || !group->vertices)
        return thaw_error_memory(error, "the groups of a mesh");
    for (int32_t v = 0; v < mesh->vertex_count; v++)
        if (mark[v])
            group->vertices[group->count++] = v;
    return THAW_OK;
}

static ThawStatus fill_groups(ThawMesh *mesh, const ThawSurface *surface, ThawError *error) {
    char *mark = THAW_NEW(char, mesh->vertex_count);
    if (!mark)
        return thaw_error_memory(error, "the groups of a mesh");
    int32_t taken = -1; // a region called "surface" is no group of its own
    for (int32_t r = 0; r < mesh->region_count; r++)
        taken = strcmp(mesh->region_names[r], "surface") == 0 ? r : taken;
    const int32_t regions = mesh->region_count > 1 ? mesh->region_count : 0;
    ThawStatus status = thaw_mesh_set_groups(mesh, 1 + regions - (regions && taken >= 0), error);
    for (size_t i = 0; i < (size_t)surface->nodes * (size_t)surface->count; i++)
        mark[surface->faces[i]] = 1;
    if (!status)
        status = fill_group(mesh, 0, "surface", mark, error);
    for (int32_t r = 0, g = 1; !status && r < regions; r++) {
        if (r == taken)
            continue;
        memset(mark, 0, (size_t)mesh->vertex_count);
        for (int32_t e = 0; e < mesh->element_count; e++)
            for (int i = 0; mesh->region[e] == r && i < mesh->nodes; i++)
                mark[mesh->elements[(size_t)mesh->nodes * (size_t)e + (size_t)i]] = 1;
        status = fill_group(mesh, g++, mesh->region_names[r], mark, error);
    }
    thaw_free(mark);
    return status;
}

// --- report ----------------------------------------------------------------------------------------------------------

typedef struct Deviation {
    const ThawSolid *solid;
    const ThawMesh *mesh;
    const ThawSurface *surface;
    double size;
    double *largest; // for each chunk
} Deviation;

static const double FLATTEST = 0.1; // of gradients: near a ridge differences say little

// The distance at the middle of each face, by the gradient's length where that is below 1: distances are bounds.
static void measure_deviation(void *context, int32_t chunk) {
    Deviation *d = context;
    const int dim = d->mesh->dim;
    const int32_t end = (chunk + 1) * CHUNK < d->surface->count ? (chunk + 1) * CHUNK : d->surface->count;
    for (int32_t f = chunk * CHUNK; f < end; f++) {
        double x[3] = {0}, square = 0;
        for (int i = 0; i < dim; i++)
            for (int k = 0; k < dim; k++)
                x[k] +=
                    d->mesh
                        ->x[(size_t)dim * (size_t)d->surface->faces[(size_t)dim * (size_t)f + (size_t)i] + (size_t)k] /
                    dim;
        const double here = thaw_solid_distance(d->solid, x), step = 1e-4 * d->size;
        if (fabs(here) / FLATTEST <= d->largest[chunk])
            continue;
        for (int k = 0; k < dim; k++) {
            double y[3] = {x[0], x[1], x[2]}, z[3] = {x[0], x[1], x[2]};
            y[k] += step;
            z[k] -= step;
            const double slope = (thaw_solid_distance(d->solid, y) - thaw_solid_distance(d->solid, z)) / (2 * step);
            square += slope * slope;
        }
        const double slope = fmin(fmax(sqrt(square), FLATTEST), 1);
        d->largest[chunk] = fmax(d->largest[chunk], fabs(here) / slope);
    }
}

static void add_findings(ThawMesherFinding *sum, const ThawMesherFinding *more) {
    for (int64_t i = 0; i < more->count; i++, sum->count++)
        if (i < THAW_MESHER_PLACES && sum->count < THAW_MESHER_PLACES)
            memcpy(sum->place[sum->count], more->place[i], sizeof *more->place);
}

static void report_surface(void *context, const ThawWinding *winding) {
    ThawMesherReport *report = context;
    add_findings(&report->turned, thaw_winding_turned(winding));
    add_findings(&report->holes, thaw_winding_holes(winding));
    add_findings(&report->crossings, thaw_winding_crossings(winding));
}

static ThawStatus fill_report(const ThawSolid *solid, const ThawMesh *mesh, const ThawSurface *surface,
                              ThawTasks *tasks, ThawMesherReport *report, ThawError *error) {
    const ThawMeshQuality quality = thaw_mesh_quality(mesh);
    report->vertices = mesh->vertex_count;
    report->elements = mesh->element_count;
    report->min_angle = quality.min_angle;
    report->max_angle = quality.max_angle;
    report->volume = quality.total_volume;
    const int32_t chunks = (surface->count + CHUNK - 1) / CHUNK;
    Deviation d = {solid, mesh, surface, report->size, THAW_NEW(double, chunks)};
    if (!d.largest)
        return thaw_error_memory(error, "the report of a mesher");
    thaw_tasks_for(tasks, chunks, measure_deviation, &d);
    for (int32_t i = 0; i < chunks; i++)
        report->deviation = fmax(report->deviation, d.largest[i]);
    thaw_free(d.largest);
    thaw_solid_surfaces(solid, report_surface, report);
    return mesh->dim == 3 ? thaw_mesh_find_lost(solid, mesh, surface, tasks, report, error) : THAW_OK;
}

// --- one size --------------------------------------------------------------------------------------------------------

// The lattice is centred on the bounds, with a whole number of cells between: a box that is a multiple of the size
// comes out exact.
static ThawStatus lay_out(ThawLattice *lattice, double grading, const double shift[3], ThawError *error) {
    double lo[3], hi[3], most = 0;
    thaw_solid_bounds(lattice->solid, lo, hi);
    for (int k = 0; k < lattice->dim; k++)
        most = fmax(most, (hi[k] - lo[k]) / lattice->size);
    for (int k = 0; k < lattice->dim; k++)
        if (!(lo[k] < hi[k]) || !isfinite(hi[k] - lo[k]))
            return thaw_error_set(
                error, THAW_ERROR_INPUT,
                "the solid reaches from %g to %g m along %c; allowed: a solid that is not empty and has "
                "an end on every side",
                lo[k], hi[k], "xyz"[k]);
    if (!(most < ldexp(1, THAW_LATTICE_DEEPEST) - 8))
        return thaw_error_set(error, THAW_ERROR_INPUT, "size is %.6g m for a solid of %.6g m; allowed: at least %.3g m",
                              lattice->size, most * lattice->size,
                              most * lattice->size / (ldexp(1, THAW_LATTICE_DEEPEST) - 8));
    while (ldexp(1, lattice->depth) < ceil(most) + 4)
        lattice->depth++;
    const int levels = (int)floor(log2(grading) + 1e-9);
    lattice->coarsest = lattice->depth > levels ? lattice->depth - levels : 0;
    for (int k = 0; k < lattice->dim; k++) {
        const double cells = fmax(ceil((hi[k] - lo[k]) / lattice->size - 1e-9), 1);
        const double before =
            floor((ldexp(1, lattice->depth) - cells) / 2); // whole cells, so planes stay on the bounds
        lattice->origin[k] = (lo[k] + hi[k]) / 2 - lattice->size * (cells / 2 + before + shift[k]);
    }
    return THAW_OK;
}

// shift: of the lattice, in cells. *mesh is NULL when nothing is inside at this size.
static ThawStatus mesh_at(const ThawSolid *solid, const ThawMesherDef *def, double size, const double shift[3],
                          ThawTasks *tasks, ThawMesh **mesh, ThawMesherReport *report, ThawError *error) {
    ThawLattice lattice = {.solid = solid,
                           .tasks = tasks,
                           .dim = solid->dim,
                           .size = size,
                           .limit = def->limit / (solid->dim == 3 ? 8 : 2)};
    *mesh = NULL;
    report->islands = (ThawMesherFinding){0};
    report->size = size;
    report->trials++;
    ThawStatus status = lay_out(&lattice, def->grading, shift, error);
    if (!status)
        status = thaw_lattice_build(&lattice, error);
    if (!status)
        status = thaw_lattice_stuff(&lattice, mesh, error);
    report->evaluations += lattice.evaluations;
    thaw_lattice_free(&lattice);
    if (*mesh)
        status = drop_islands(*mesh, def->smallest, report, error);
    if (!status && *mesh && (*mesh)->element_count > def->limit)
        status = thaw_error_set(error, THAW_ERROR_INPUT,
                                "a size of %.6g m makes %d elements; allowed: at most %d, the limit", size,
                                (*mesh)->element_count, def->limit);
    if (status)
        thaw_mesh_free(mesh);
    return status;
}

static const double centred[3] = {0, 0, 0};

static ThawStatus finish(const ThawSolid *solid, ThawTasks *tasks, ThawMesh *mesh, ThawMesherReport *report,
                         ThawError *error) {
    Regions regions = {solid, mesh};
    if (thaw_solid_region_count(solid) > 1)
        thaw_tasks_for(tasks, (mesh->element_count + CHUNK - 1) / CHUNK, find_regions, &regions);
    ThawSurface *surface = NULL;
    ThawStatus status = name_regions(solid, mesh, error);
    if (!status)
        status = thaw_mesh_surface(mesh, &surface, error);
    if (!status)
        status = fill_groups(mesh, surface, error);
    if (!status)
        status = fill_report(solid, mesh, surface, tasks, report, error);
    thaw_surface_free(&surface);
    return status;
}

// --- a size for a count ----------------------------------------------------------------------------------------------

// Counts rise as sizes fall, but by jumps: keep the nearest size on either side of the target.
typedef struct Search {
    double target;
    double fine, coarse; // m: the coarsest size with too many elements, the finest with too few; 0: none yet
    double fine_count, coarse_count; // of elements
} Search;

static void learn(Search *search, double size, double count) {
    if (count >= search->target && (search->fine == 0 || size > search->fine)) {
        search->fine = size;
        search->fine_count = count;
    } else if (count < search->target && (search->coarse == 0 || size < search->coarse)) {
        search->coarse = size;
        search->coarse_count = count;
    }
}

// Between both, where count ~ size^-dim would have it but well inside; with one only, from there.
static double next_size(const Search *search, int dim, double size, double count) {
    if (search->fine == 0 || search->coarse == 0)
        return count > 0 ? size * fmin(fmax(pow(count / search->target, 1.0 / dim), 0.1), 4) : size / 2;
    if (search->coarse_count == 0)
        return sqrt(search->fine * search->coarse);
    const double share = log(search->fine_count / search->target) / log(search->fine_count / search->coarse_count);
    return search->fine * pow(search->coarse / search->fine, fmin(fmax(share, 0.1), 0.9));
}

static ThawStatus fit(const ThawSolid *solid, const ThawMesherDef *def, ThawTasks *tasks, ThawMesh **mesh,
                      ThawMesherReport *report, ThawError *error) {
    // A symmetric solid on a centred lattice may jump over the target: then the lattice is moved aside.
    static const double aside[3] = {0.5, 0.25, 0.125};
    enum { HALF = 10 };
    const int dim = solid->dim, trials = 2 * HALF;
    Search search = {.target = fmin(def->elements, dim == 3 ? 3000 : 1000)}; // coarse and cheap first
    double lo[3], hi[3], most = 0, best = INFINITY;
    thaw_solid_bounds(solid, lo, hi);
    for (int k = 0; k < dim; k++)
        most = fmax(most, hi[k] - lo[k]);
    double size = isfinite(most) && most > 0 ? most / 10 : 1;
    ThawStatus status = THAW_OK;
    for (int i = 0; i < trials && best > (i < 6 ? 0.01 : 0.03); i++) {
        if (i == HALF)
            search = (Search){.target = def->elements};
        ThawMesh *trial = NULL;
        ThawMesherReport so_far = *report;
        status = mesh_at(solid, def, size, i < HALF ? centred : aside, tasks, &trial, &so_far, error);
        report->trials = so_far.trials;
        report->size = *mesh ? report->size : size;
        if (status)
            break;
        report->evaluations = so_far.evaluations;
        const double count = trial ? trial->element_count : 0, miss = fabs(log(fmax(count, 0.5) / def->elements));
        if (trial && miss < best) {
            best = miss;
            thaw_mesh_free(mesh);
            *mesh = trial;
            *report = so_far;
        } else {
            thaw_mesh_free(&trial);
        }
        if (count > 0 && search.target < def->elements && fabs(log(count / search.target)) < 0.5)
            search = (Search){.target = def->elements};
        learn(&search, size, count); // for a new target too
        size = next_size(&search, dim, size, count);
    }
    if (status)
        thaw_mesh_free(mesh);
    return status;
}

// Where a surface is open, that is the likeliest reason for a lattice that finds nothing, or too much, to fill.
static void blame_holes(const ThawSolid *solid, ThawStatus status, ThawError *error) {
    ThawMesherReport report = {0};
    thaw_solid_surfaces(solid, report_surface, &report);
    if (status != THAW_ERROR_INPUT || !error || !report.holes.count)
        return;
    const ThawError why = *error;
    const double *x = report.holes.place[0];
    thaw_error_set(error, status,
                   "%.300s. The surface is open along %lld edges, the first near (%.4g, %.4g, %.4g): close it",
                   why.message, (long long)report.holes.count, x[0], x[1], x[2]);
}

// --- what may be asked -----------------------------------------------------------------------------------------------

static ThawStatus check_def(const ThawMesherDef *def, ThawError *error) {
    if (!(def->size >= 0) || !isfinite(def->size))
        return thaw_error_set(error, THAW_ERROR_INPUT, "size is %g; allowed: more than 0 m, or 0 to go by elements",
                              def->size);
    if (def->size == 0 && def->elements < 1)
        return thaw_error_set(error, THAW_ERROR_INPUT, "elements is %d; allowed: 1 and more where size is 0",
                              def->elements);
    if (def->limit < 1)
        return thaw_error_set(error, THAW_ERROR_INPUT, "limit is %d; allowed: 1 and more", def->limit);
    if (def->size == 0 && def->elements > def->limit)
        return thaw_error_set(error, THAW_ERROR_INPUT, "elements is %d; allowed: at most %d, the limit", def->elements,
                              def->limit);
    if (!(def->grading >= 1 && def->grading <= 1024))
        return thaw_error_set(error, THAW_ERROR_INPUT, "grading is %g; allowed: from 1 (uniform) to 1024",
                              def->grading);
    if (def->smallest < 0)
        return thaw_error_set(error, THAW_ERROR_INPUT, "smallest is %d; allowed: 0 and more", def->smallest);
    return THAW_OK;
}

ThawStatus thaw_mesh_from_solid(const ThawSolid *solid, const ThawMesherDef *def, ThawMesh **mesh,
                                ThawMesherReport *result, ThawError *error) {
    ThawMesherReport report = {0};
    if (mesh)
        *mesh = NULL;
    if (!solid || !def || !mesh)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_mesh_from_solid: solid, def and mesh may not be NULL");
    ThawTasks *tasks = NULL;
    ThawStatus status = check_def(def, error);
    if (!status)
        status = thaw_tasks_create(def->threads, &tasks, error);
    if (!status)
        status = def->size > 0 ? mesh_at(solid, def, def->size, centred, tasks, mesh, &report, error)
                               : fit(solid, def, tasks, mesh, &report, error);
    if (!status && !*mesh)
        status = thaw_error_set(
            error, THAW_ERROR_INPUT,
            "at a size of %.6g m nothing is inside; allowed: a solid that is thicker, or a smaller size", report.size);
    if (status)
        blame_holes(solid, status, error);
    if (!status && def->sharpen)
        status = thaw_mesh_sharpen(solid, report.size, tasks, *mesh, &report.sharpened, error);
    if (!status)
        status = finish(solid, tasks, *mesh, &report, error);
    thaw_tasks_free(&tasks);
    if (status)
        thaw_mesh_free(mesh);
    if (result)
        *result = report;
    return status;
}

// Bodies of the surface nearer to each other than a size may have become one.
static ThawStatus report_welds(const ThawTriangleMesh *surface, const ThawMesh *mesh, ThawMesherReport *report,
                               ThawError *error) {
    int32_t *piece = THAW_NEW(int32_t, surface->triangle_count);
    ThawStatus status = piece ? thaw_triangles_pieces(surface, piece, &report->parts, error)
                              : thaw_error_memory(error, "the pieces of a surface");
    if (!status && report->parts > report->pieces)
        status = thaw_mesh_find_welds(mesh, surface, piece, report->parts, &report->welds, error);
    thaw_free(piece);
    return status;
}

ThawStatus thaw_mesh_from_triangles(const ThawTriangleMesh *surface, const ThawMesherDef *def, ThawMesh **mesh,
                                    ThawMesherReport *report, ThawError *error) {
    if (mesh)
        *mesh = NULL;
    if (!surface || !def || !mesh)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "thaw_mesh_from_triangles: surface, def and mesh may not be NULL");
    ThawMesherReport ignored;
    ThawSolid *solid = NULL;
    report = report ? report : &ignored;
    ThawStatus status = thaw_solid_from_triangles(surface, &solid, error);
    if (!status)
        status = thaw_mesh_from_solid(solid, def, mesh, report, error);
    thaw_solid_free(&solid);
    if (!status)
        status = report_welds(surface, *mesh, report, error);
    if (status)
        thaw_mesh_free(mesh);
    return status;
}
