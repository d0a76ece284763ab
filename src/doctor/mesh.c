// SPDX-License-Identifier: Apache-2.0
// The mesh itself: elements whose shape spoils accuracy and solver, pieces that are not joined or only at a point,
// bodies with a single layer of elements, and sizes that suggest wrong units. The mesh has passed thaw_mesh_validate,
// so everything here can be simulated; the question is how well. Linear, but for coincident vertices, which are sorted.
//
// Thresholds. Interpolation error grows with the largest angle and conditioning suffers from the smallest (Shewchuk
// 2002, "What is a good linear element?"); good meshers keep dihedral angles between 10 and 165 degrees, and below 2 or
// above 176 a handful of elements rules the whole solve. Linear elements that reach from surface to surface cannot
// bend: they only shear, and are too stiff by the square of length over thickness.
#include "doctor/doctor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/forest.h"

static const double DEGREE = M_PI / 180;
static const double SMALL_ANGLE = 5, TINY_ANGLE = 2, LARGE_ANGLE = 170, HUGE_ANGLE = 176; // degrees
static const double TINY_VOLUME = 1e-5;                   // of the mean: its edges are some forty times shorter
static const double ONE_LAYER = 0.5, ALL_ONE_LAYER = 0.9; // share of elements that have no vertex inside the body
static const double LARGE_BODY = 30, SMALL_BODY = 2e-3;   // m

void thaw_mesh_box_of(const ThawMesh *mesh, double lo[3], double hi[3]) {
    for (int k = 0; k < 3; k++) {
        lo[k] = k < mesh->dim ? INFINITY : 0;
        hi[k] = k < mesh->dim ? -INFINITY : 0;
    }
    for (int32_t v = 0; v < mesh->vertex_count; v++)
        for (int k = 0; k < mesh->dim; k++) {
            double x = mesh->x[(size_t)mesh->dim * (size_t)v + (size_t)k];
            lo[k] = fmin(lo[k], x);
            hi[k] = fmax(hi[k], x);
        }
}

void thaw_element_centre(const ThawMesh *mesh, int32_t element, double centre[3]) {
    centre[0] = centre[1] = centre[2] = 0;
    for (int i = 0; i < mesh->nodes; i++)
        for (int k = 0; k < mesh->dim; k++)
            centre[k] +=
                mesh->x[(size_t)mesh->dim * (size_t)mesh->elements[(size_t)mesh->nodes * (size_t)element + (size_t)i] +
                        (size_t)k] /
                mesh->nodes;
}

// --- elements --------------------------------------------------------------------------------------------------------

// The worst elements of one kind, worst first: `badness` grows with how bad it is.
typedef struct Worst {
    int64_t count;
    int kept;
    double badness[THAW_FINDING_IDS];
    int32_t element[THAW_FINDING_IDS];
} Worst;

static void keep_worst(Worst *worst, double badness, int32_t element) {
    worst->count++;
    int i = worst->kept < THAW_FINDING_IDS ? worst->kept++ : THAW_FINDING_IDS;
    for (; i > 0 && badness > worst->badness[i - 1]; i--)
        if (i < THAW_FINDING_IDS) {
            worst->badness[i] = worst->badness[i - 1];
            worst->element[i] = worst->element[i - 1];
        }
    if (i < THAW_FINDING_IDS) {
        worst->badness[i] = badness;
        worst->element[i] = element;
    }
}

static void blame_elements(ThawComplaint *complaint, const ThawMesh *mesh, const Worst *worst) {
    double centre[3];
    complaint->ids_of = "element";
    for (int i = 0; i < worst->kept; i++)
        thaw_finding_add(&complaint->found, worst->element[i]);
    complaint->found.count = worst->count;
    thaw_element_centre(mesh, worst->element[0], centre);
    thaw_complaint_place(complaint, mesh->dim, centre);
}

static void examine_elements(ThawExam *exam, const ThawMesh *mesh, const char *where, ThawPatient *patient) {
    Worst thin = {0}, wide = {0}, tiny = {0};
    double total = 0;
    for (int32_t e = 0; e < mesh->element_count; e++)
        total += thaw_mesh_volume(mesh, e);
    double mean = total / mesh->element_count;
    patient->min_angle = INFINITY;
    for (int32_t e = 0; e < mesh->element_count; e++) {
        ThawMesh one = *mesh; // a mesh of this element only
        one.elements = mesh->elements + (size_t)mesh->nodes * (size_t)e;
        one.element_count = 1;
        ThawMeshQuality q = thaw_mesh_quality(&one);
        patient->min_angle = fmin(patient->min_angle, q.min_angle);
        patient->max_angle = fmax(patient->max_angle, q.max_angle);
        if (q.min_angle < SMALL_ANGLE * DEGREE)
            keep_worst(&thin, -q.min_angle, e);
        if (q.max_angle > LARGE_ANGLE * DEGREE)
            keep_worst(&wide, q.max_angle, e);
        if (q.min_volume < TINY_VOLUME * mean)
            keep_worst(&tiny, -q.min_volume, e);
    }
    const char *kind = mesh->nodes == 4 ? "dihedral angle" : "angle";
    const char *remesh = "mesh the surface anew (`thaw mesh SURFACE -o NEW.msh`), or smooth the mesh in the program "
                         "that made it";
    if (thin.count) {
        double worst = -thin.badness[0] / DEGREE;
        ThawComplaint *c = thaw_exam_add(exam, worst < TINY_ANGLE ? THAW_SEVERITY_WARNING : THAW_SEVERITY_HINT,
                                         "thin-angle", "%s", where);
        thaw_complaint_what(c,
                            "%lld of %d elements have a %s below %g degrees (the smallest is %.3g): they slow down "
                            "iterative solves and blur stresses",
                            (long long)thin.count, mesh->element_count, kind, SMALL_ANGLE, worst);
        thaw_complaint_cure(c, "%s", remesh);
        thaw_complaint_value(c, worst, "degrees");
        blame_elements(c, mesh, &thin);
    }
    if (wide.count) {
        double worst = wide.badness[0] / DEGREE;
        ThawComplaint *c = thaw_exam_add(exam, worst > HUGE_ANGLE ? THAW_SEVERITY_WARNING : THAW_SEVERITY_HINT,
                                         "wide-angle", "%s", where);
        thaw_complaint_what(c,
                            "%lld of %d elements have a %s above %g degrees (the largest is %.5g): they are nearly "
                            "flat, stiffer than the material, and the first to invert",
                            (long long)wide.count, mesh->element_count, kind, LARGE_ANGLE, worst);
        thaw_complaint_cure(c, "%s", remesh);
        thaw_complaint_value(c, worst, "degrees");
        blame_elements(c, mesh, &wide);
    }
    if (tiny.count) {
        double ratio = -tiny.badness[0] / mean;
        ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_WARNING, "tiny-element", "%s", where);
        thaw_complaint_what(c,
                            "%lld of %d elements have less than %g of the mean volume (the smallest has %.3g of it): "
                            "they are there by accident, and make the matrix badly conditioned",
                            (long long)tiny.count, mesh->element_count, TINY_VOLUME, ratio);
        thaw_complaint_cure(c, "merge their vertices in the program that made the mesh, or mesh the surface anew");
        thaw_complaint_value(c, ratio, "of the mean volume");
        blame_elements(c, mesh, &tiny);
    }
}

// --- pieces ----------------------------------------------------------------------------------------------------------

// Elements joined across faces: how many such parts there are.
static int32_t count_face_parts(const ThawMesh *mesh, const int32_t *across, int32_t *parent) {
    int32_t count = 0;
    for (int32_t e = 0; e < mesh->element_count; e++)
        parent[e] = e;
    for (int32_t e = 0; e < mesh->element_count; e++)
        for (int i = 0; i < mesh->nodes; i++)
            if (across[(size_t)mesh->nodes * (size_t)e + (size_t)i] >= 0)
                thaw_forest_join(parent, e, across[(size_t)mesh->nodes * (size_t)e + (size_t)i]);
    for (int32_t e = 0; e < mesh->element_count; e++)
        count += thaw_forest_root(parent, e) == e;
    return count;
}

static void complain_pieces(ThawExam *exam, const ThawMesh *mesh, const char *where, const int32_t *piece,
                            int32_t count) {
    int32_t *size = THAW_NEW(int32_t, count), smallest = 0, first = -1;
    if (!size) {
        thaw_exam_memory(exam, "the pieces of a mesh");
        return;
    }
    for (int32_t v = 0; v < mesh->vertex_count; v++)
        size[piece[v]]++;
    for (int32_t i = 0; i < count; i++)
        smallest = size[i] < size[smallest] ? i : smallest;
    for (int32_t v = 0; v < mesh->vertex_count && first < 0; v++)
        first = piece[v] == smallest ? v : -1;
    ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_WARNING, "loose-pieces", "%s", where);
    thaw_complaint_what(
        c,
        "the mesh falls into %d pieces that are not joined (the smallest has %d of %d vertices). A body "
        "does not collide with itself: they move on their own, and pass through each other",
        count, size[smallest], mesh->vertex_count);
    thaw_complaint_cure(
        c, "make each piece a body of its own: `thaw new FILE --split`, or \"piece\": 1, 2, ... in \"mesh\"; if "
           "they should hold together, merge the vertices where they touch");
    thaw_complaint_value(c, count, "pieces");
    c->ids_of = "vertex";
    thaw_finding_add(&c->found, first);
    thaw_complaint_place(c, mesh->dim, mesh->x + (size_t)mesh->dim * (size_t)first);
    thaw_free(size);
}

static void examine_pieces(ThawExam *exam, const ThawMesh *mesh, const char *where) {
    ThawError error = {0};
    int32_t pieces = 0, parts = 0, *across = NULL;
    int32_t *piece = THAW_NEW(int32_t, mesh->vertex_count), *parent = THAW_NEW(int32_t, mesh->element_count);
    ThawStatus status = piece && parent ? THAW_OK : thaw_error_memory(&error, "the pieces of a mesh");
    if (!status)
        status = thaw_mesh_pieces(mesh, piece, &pieces, &error);
    if (!status)
        status = thaw_mesh_neighbours(mesh, &across, &error);
    if (status == THAW_ERROR_INPUT) {
        ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_ERROR, "crowded-face", "%s", where);
        thaw_complaint_what(c, "%s", error.message);
        thaw_complaint_cure(c, "remove elements that lie in each other, so that each face belongs to one or two");
    } else if (status) {
        thaw_exam_fail(exam, status, &error);
    } else {
        parts = count_face_parts(mesh, across, parent);
    }
    if (!status && pieces > 1)
        complain_pieces(exam, mesh, where, piece, pieces);
    if (!status && parts > pieces) {
        ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_WARNING, "hinge", "%s", where);
        thaw_complaint_what(c,
                            "%d parts of the mesh hang together by a vertex%s only: that is a hinge without stiffness",
                            parts, mesh->nodes == 4 ? " or an edge" : "");
        thaw_complaint_cure(c, "join them by elements that share a face, or separate them");
        thaw_complaint_value(c, parts, "parts");
    }
    thaw_free(piece);
    thaw_free(parent);
    thaw_free(across);
}

// --- thickness, seams, size ------------------------------------------------------------------------------------------

static void examine_layers(ThawExam *exam, const ThawMesh *mesh, const char *where) {
    ThawError error = {0};
    ThawSurface *surface = NULL;
    if (exam->status || thaw_mesh_surface(mesh, &surface, &error) == THAW_ERROR_INPUT)
        return; // told above
    unsigned char *outside = surface ? THAW_NEW(unsigned char, mesh->vertex_count) : NULL;
    if (!outside) {
        thaw_exam_memory(exam, "the surface of a mesh");
        thaw_surface_free(&surface);
        return;
    }
    for (size_t i = 0; i < (size_t)surface->nodes * (size_t)surface->count; i++)
        outside[surface->faces[i]] = 1;
    thaw_surface_free(&surface);
    ThawFinding bare = {0};
    for (int32_t e = 0; e < mesh->element_count; e++) {
        int inside = 0;
        for (int i = 0; i < mesh->nodes; i++)
            inside |= !outside[mesh->elements[(size_t)mesh->nodes * (size_t)e + (size_t)i]];
        if (!inside)
            thaw_finding_add(&bare, e);
    }
    thaw_free(outside);
    double share = (double)bare.count / mesh->element_count;
    if (share < ONE_LAYER)
        return;
    ThawComplaint *c = thaw_exam_add(exam, share < ALL_ONE_LAYER ? THAW_SEVERITY_HINT : THAW_SEVERITY_WARNING,
                                     "one-layer", "%s", where);
    thaw_complaint_what(c,
                        "%.0f %% of the elements reach from surface to surface: with one layer of linear elements, "
                        "thin parts hardly bend (they lock, and look several times too stiff)",
                        100 * share);
    thaw_complaint_cure(c, "make elements so small that three or four fit across the thinnest part that bends");
    thaw_complaint_value(c, share, "of the elements");
    c->ids_of = "element";
    c->found = bare;
    double centre[3];
    thaw_element_centre(mesh, (int32_t)bare.ids[0], centre);
    thaw_complaint_place(c, mesh->dim, centre);
}

typedef struct Point {
    double x[3];
    int32_t id;
} Point;

static int compare_points(const void *a, const void *b) {
    const Point *p = a, *q = b;
    for (int k = 0; k < 3; k++)
        if (p->x[k] != q->x[k])
            return p->x[k] < q->x[k] ? -1 : 1;
    return (p->id > q->id) - (p->id < q->id);
}

// Vertices at exactly the same place: a seam that was never welded, along which the body will open.
static void examine_seams(ThawExam *exam, const ThawMesh *mesh, const char *where) {
    Point *point = exam->status ? NULL : THAW_NEW(Point, mesh->vertex_count);
    ThawFinding found = {0};
    if (!point) {
        thaw_exam_memory(exam, "the vertices of a mesh");
        return;
    }
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        point[v].id = v;
        for (int k = 0; k < mesh->dim; k++)
            point[v].x[k] = mesh->x[(size_t)mesh->dim * (size_t)v + (size_t)k] + 0.0; // -0 is 0
    }
    qsort(point, (size_t)mesh->vertex_count, sizeof *point, compare_points);
    for (int32_t v = 1; v < mesh->vertex_count; v++)
        if (memcmp(point[v].x, point[v - 1].x, sizeof point[v].x) == 0)
            thaw_finding_add(&found, point[v].id);
    thaw_free(point);
    if (!found.count)
        return;
    ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_WARNING, "open-seam", "%s", where);
    thaw_complaint_what(c, "%lld vertices lie exactly where another one does: the mesh opens along that seam",
                        (long long)found.count);
    thaw_complaint_cure(c, "merge coincident vertices in the program that made the mesh, unless the cut is meant");
    thaw_complaint_value(c, (double)found.count, "vertices");
    c->ids_of = "vertex";
    c->found = found;
    thaw_complaint_place(c, mesh->dim, mesh->x + (size_t)mesh->dim * (size_t)found.ids[0]);
}

void thaw_exam_size(ThawExam *exam, const char *where, const double size[3]) {
    double diameter = hypot(hypot(size[0], size[1]), size[2]);
    if (diameter <= LARGE_BODY && diameter >= SMALL_BODY)
        return;
    ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_WARNING, "odd-size", "%s", where);
    int large = diameter > LARGE_BODY;
    thaw_complaint_what(c, "it measures %.4g x %.4g x %.4g m, %s%s", size[0], size[1], size[2],
                        large ? "larger than a house" : "smaller than a grain of rice",
                        strcmp(exam->report->kind, "surface") == 0 ? "" : ": coordinates are taken as metres");
    if (strcmp(exam->report->kind, "scene") != 0)
        thaw_complaint_cure(c, "if the file is in another unit, say so: `thaw new FILE --unit mm`, cm or in");
    else if (large)
        thaw_complaint_cure(c, "if the file is in millimetres, add \"scale\": 0.001 to the shape; if in centimetres, "
                               "\"scale\": 0.01");
    else
        thaw_complaint_cure(c, "if the file is in another unit, add a \"scale\" to the shape that makes it metres");
    thaw_complaint_value(c, diameter, "m");
}

void thaw_exam_mesh(ThawExam *exam, const ThawMesh *mesh, const char *where, int bends, ThawPatient *patient) {
    double lo[3], hi[3];
    thaw_mesh_box_of(mesh, lo, hi);
    patient->vertices = mesh->vertex_count;
    patient->elements = mesh->element_count;
    patient->mass = patient->period = NAN;
    for (int k = 0; k < 3; k++)
        patient->size[k] = hi[k] - lo[k];
    examine_elements(exam, mesh, where, patient);
    examine_pieces(exam, mesh, where);
    if (bends && !thaw_mesh_is_sheet(mesh))
        examine_layers(exam, mesh, where);
    examine_seams(exam, mesh, where);
    thaw_exam_size(exam, where, patient->size);
}
