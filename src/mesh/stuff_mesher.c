// SPDX-License-Identifier: Apache-2.0
// From a solid to a finished mesh: the lattice is laid over the solid's bounds, cut (stuff.c), freed of small pieces that hang
// on nothing, and given regions and groups. Where a count of elements is asked for instead of a size, the count is
// modelled as a / size^dim + b / size^(dim - 1), inside and surface, from two coarse trials; then at most a few meshes are
// made around what the model says. Linear in the number of elements.
#include <math.h>
#include <string.h>

#include "mesh/stuff.h"

ThawMesherDef thaw_mesher_def_default(void) {
    return (ThawMesherDef){.elements = 10000, .grading = 1, .smallest = 8, .limit = 20000000};
}

// --- pieces -------------------------------------------------------------------------------------------------------------

static void element_middle(const ThawMesh *mesh, int32_t e, double x[3]) {
    x[0] = x[1] = x[2] = 0;
    for (int i = 0; i < mesh->nodes; i++)
        for (int k = 0; k < mesh->dim; k++)
            x[k] +=
                mesh->x[(size_t)mesh->dim * (size_t)mesh->elements[mesh->nodes * (size_t)e + (size_t)i] + (size_t)k] /
                mesh->nodes;
}

// Takes elements marked with a piece below 0 out of the mesh, and vertices nobody has then.
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
static ThawStatus drop_islands(ThawMesh *mesh, int32_t smallest, ThawMesherFinding *islands, ThawError *error) {
    const int32_t n = mesh->element_count;
    int32_t *across = NULL, *piece = THAW_NEW(int32_t, n), *queue = THAW_NEW(int32_t, n);
    ThawStatus status =
        piece && queue ? thaw_mesh_neighbours(mesh, &across, error) : thaw_error_memory(error, "the pieces of a mesh");
    int32_t largest = 0, dropped = 0;
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
            if (count >= smallest || count == largest)
                continue;
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

// --- regions and groups -------------------------------------------------------------------------------------------------

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

// --- report -------------------------------------------------------------------------------------------------------------

typedef struct Deviation {
    const ThawSolid *solid;
    const ThawMesh *mesh;
    const ThawSurface *surface;
    double size;
    double *largest; // for each chunk
} Deviation;

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
        for (int k = 0; k < dim; k++) {
            double y[3] = {x[0], x[1], x[2]}, z[3] = {x[0], x[1], x[2]};
            y[k] += step;
            z[k] -= step;
            const double slope = (thaw_solid_distance(d->solid, y) - thaw_solid_distance(d->solid, z)) / (2 * step);
            square += slope * slope;
        }
        const double slope = fmin(fmax(sqrt(square), 0.1), 1); // near a ridge differences say little
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
    return THAW_OK;
}

// --- one size -----------------------------------------------------------------------------------------------------------

// The lattice is centred on the bounds, with a whole number of cells between: a box that is a multiple of the size comes out exact.
static ThawStatus lay_out(ThawLattice *lattice, double grading, ThawError *error) {
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
        lattice->origin[k] = (lo[k] + hi[k]) / 2 - lattice->size * (cells / 2 + before);
    }
    return THAW_OK;
}

static ThawStatus mesh_at(const ThawSolid *solid, const ThawMesherDef *def, double size, ThawTasks *tasks,
                          ThawMesh **mesh, ThawMesherReport *report, ThawError *error) {
    ThawLattice lattice = {.solid = solid,
                           .tasks = tasks,
                           .dim = solid->dim,
                           .size = size,
                           .limit = def->limit / (solid->dim == 3 ? 8 : 2)};
    *mesh = NULL;
    report->islands = (ThawMesherFinding){0};
    report->size = size;
    report->trials++;
    ThawStatus status = lay_out(&lattice, def->grading, error);
    if (!status)
        status = thaw_lattice_build(&lattice, error);
    if (!status)
        status = thaw_lattice_stuff(&lattice, mesh, error);
    report->evaluations += lattice.evaluations;
    thaw_lattice_free(&lattice);
    if (!status)
        status = drop_islands(*mesh, def->smallest, &report->islands, error);
    if (!status && (*mesh)->element_count > def->limit)
        status = thaw_error_set(error, THAW_ERROR_INPUT,
                                "a size of %.6g m makes %d elements; allowed: at most %d, the limit", size,
                                (*mesh)->element_count, def->limit);
    if (status)
        thaw_mesh_free(mesh);
    return status;
}

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

// --- a size for a count -------------------------------------------------------------------------------------------------

// The size at which a / size^dim + b / size^(dim - 1) is the target, by bisection on its logarithm.
static double model_size(double a, double b, int dim, double target, double near) {
    double lo = near / 1e4, hi = near * 1e4;
    for (int i = 0; i < 100; i++) {
        const double s = sqrt(lo * hi), n = (dim == 3 ? 1 : s) * (a + b * s) / (s * s * s);
        *(n > target ? &lo : &hi) = s;
    }
    return sqrt(lo * hi);
}

// Counts against sizes in an even order of trials; the nearest count wins.
static ThawStatus fit(const ThawSolid *solid, const ThawMesherDef *def, ThawTasks *tasks, ThawMesh **mesh,
                      ThawMesherReport *report, ThawError *error) {
    enum { TRIALS = 10 };
    const int dim = solid->dim;
    const double target = def->elements, coarse = fmin(target, dim == 3 ? 3000 : 1000);
    double lo[3], hi[3], most = 0, size[TRIALS + 1], count[TRIALS], best = INFINITY;
    thaw_solid_bounds(solid, lo, hi);
    for (int k = 0; k < dim; k++)
        most = fmax(most, hi[k] - lo[k]);
    ThawStatus status = THAW_OK;
    size[0] = isfinite(most) && most > 0 ? most / 10 : 1;
    for (int i = 0; i < TRIALS; i++) {
        ThawMesh *trial = NULL;
        ThawMesherReport so_far = *report;
        status = mesh_at(solid, def, size[i], tasks, &trial, &so_far, error);
        const int nothing = status == THAW_ERROR_INPUT && so_far.evaluations > report->evaluations && i < TRIALS - 1;
        const double goal = i < 2 ? coarse : target; // the first trials are coarse and cheap
        count[i] = trial ? trial->element_count : 0;
        report->trials = so_far.trials;
        report->evaluations = so_far.evaluations;
        const double miss = fabs(log(fmax(count[i], 0.5) / target));
        if (!status && miss < best) {
            best = miss;
            thaw_mesh_free(mesh);
            *mesh = trial;
            trial = NULL;
            *report = so_far;
        }
        thaw_mesh_free(&trial);
        if (status && !nothing)
            break;
        status = THAW_OK;
        if (best < 0.01 || (i >= 5 && best < 0.03))
            break;
        if (count[i] == 0) {
            size[i + 1] = size[i] / 2; // thinner than the cells
            continue;
        }
        double next = size[i] * pow(count[i] / goal, 1.0 / dim);
        if (i >= 1 && count[i - 1] > 0 && size[i] != size[i - 1]) {
            // a + b s = n s^dim at the last two sizes
            const double m0 = count[i - 1] * pow(size[i - 1], dim), m1 = count[i] * pow(size[i], dim);
            const double b = (m1 - m0) / (size[i] - size[i - 1]), a = m1 - b * size[i];
            const double later = i + 1 < 2 ? coarse : target;
            if (a > 0 && a + b * size[i] > 0 && b > 0)
                next = model_size(a, b, dim, later, size[i]);
            else
                next = size[i] * pow(count[i] / later, 1.0 / dim);
        }
        // Near the target counts jump about: do not try a size twice.
        for (int j = 0; j <= i; j++)
            if (fabs(next / size[j] - 1) < 1e-4)
                next *= 1 + 0.003 * (count[j] > target ? 1 : -1) * (1 + i % 3);
        size[i + 1] = next;
    }
    if (status)
        thaw_mesh_free(mesh);
    else if (!*mesh)
        status = thaw_error_set(error, THAW_ERROR_INPUT,
                                "nothing is inside the solid at any size tried, down to %.3g m", report->size);
    return status;
}

// --- what may be asked --------------------------------------------------------------------------------------------------

static ThawStatus check_def(const ThawMesherDef *def, ThawError *error) {
    if (!(def->size >= 0) || !isfinite(def->size))
        return thaw_error_set(error, THAW_ERROR_INPUT, "size is %g; allowed: more than 0 m, or 0 to go by elements",
                              def->size);
    if (def->size == 0 && def->elements < 1)
        return thaw_error_set(error, THAW_ERROR_INPUT, "elements is %d; allowed: 1 and more where size is 0",
                              def->elements);
    if (!(def->grading >= 1 && def->grading <= 1024))
        return thaw_error_set(error, THAW_ERROR_INPUT, "grading is %g; allowed: from 1 (uniform) to 1024",
                              def->grading);
    if (def->smallest < 0)
        return thaw_error_set(error, THAW_ERROR_INPUT, "smallest is %d; allowed: 0 and more", def->smallest);
    if (def->limit < 1)
        return thaw_error_set(error, THAW_ERROR_INPUT, "limit is %d; allowed: 1 and more", def->limit);
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
        status = def->size > 0 ? mesh_at(solid, def, def->size, tasks, mesh, &report, error)
                               : fit(solid, def, tasks, mesh, &report, error);
    if (!status)
        status = finish(solid, tasks, *mesh, &report, error);
    thaw_tasks_free(&tasks);
    if (status)
        thaw_mesh_free(mesh);
    if (result)
        *result = report;
    return status;
}

ThawStatus thaw_mesh_from_triangles(const ThawTriangleMesh *surface, const ThawMesherDef *def, ThawMesh **mesh,
                                    ThawMesherReport *report, ThawError *error) {
    if (mesh)
        *mesh = NULL;
    if (!surface || !def || !mesh)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "thaw_mesh_from_triangles: surface, def and mesh may not be NULL");
    ThawSolid *solid = NULL;
    ThawStatus status = thaw_solid_from_triangles(surface, &solid, error);
    if (!status)
        status = thaw_mesh_from_solid(solid, def, mesh, report, error);
    thaw_solid_free(&solid);
    return status;
}
