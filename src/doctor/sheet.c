// SPDX-License-Identifier: Apache-2.0
// Sheets: whether the mesh is fine enough for the thickness and for the folds it begins with, and whether the step is
// short enough for what the mesh can show.
//
// Bending waves of a plate with the bending stiffness D and the mass m of a square metre have the frequency w = k^2
// sqrt(D / m) at the wave number k. The shortest folds that a mesh shows are four edges long: what a step cannot
// follow of them it takes away, and the sheet looks stiffer and more damped than it is.
//
// Under its weight a sheet drapes in folds some times as wide as its bending length c = (D / (m g))^(1/3). Triangles
// longer than half of that hold limp cloth stiff (docs/shells-results.md#drape).
#include <math.h>

#include "doctor/doctor.h"
#include "math/vec3.h"
#include "mesh/mesh.h"

static const double THICK = 0.5;              // of a mean edge
static const double COARSE = 0.5;             // bending lengths
static const double FOLDED = 75 * M_PI / 180; // rad between neighbours at rest

// The mean edge, m.
static double mean_edge(const ThawMesh *mesh) {
    double sum = 0;
    for (size_t i = 0; i < 3 * (size_t)mesh->element_count; i++) {
        const int32_t *v = mesh->elements + i / 3 * 3;
        double d[3];
        thaw_v3_sub(mesh->x + 3 * (size_t)v[(i + 1) % 3], mesh->x + 3 * (size_t)v[i % 3], d);
        sum += thaw_v3_norm(d);
    }
    return sum / (3.0 * mesh->element_count);
}

static void normal_of(const ThawMesh *mesh, int32_t e, double n[3]) {
    const int32_t *v = mesh->elements + 3 * (size_t)e;
    double a[3], b[3];
    thaw_v3_sub(mesh->x + 3 * (size_t)v[1], mesh->x + 3 * (size_t)v[0], a);
    thaw_v3_sub(mesh->x + 3 * (size_t)v[2], mesh->x + 3 * (size_t)v[0], b);
    thaw_v3_cross(a, b, n);
    thaw_v3_unit(n);
}

// Whether two triangles look the same way along the edge opposite to corner i of the first.
static int agree(const ThawMesh *mesh, int32_t e, int i, int32_t f) {
    const int32_t *v = mesh->elements + 3 * (size_t)e, *w = mesh->elements + 3 * (size_t)f;
    for (int k = 0; k < 3; k++)
        if (w[k] == v[(i + 2) % 3] && w[(k + 1) % 3] == v[(i + 1) % 3])
            return 1;
    return 0;
}

static void examine_folds(ThawExam *exam, const ThawShapeDef *def) {
    const ThawMesh *mesh = def->mesh;
    int32_t *across = NULL;
    ThawError error = {0};
    ThawFinding found = {0};
    double worst = 0;
    if (exam->status || thaw_mesh_neighbours(mesh, &across, &error) != THAW_OK)
        return; // told with the mesh
    for (size_t i = 0; i < 3 * (size_t)mesh->element_count; i++) {
        const int32_t e = (int32_t)(i / 3), f = across[i];
        double n[3], m[3];
        if (f <= e)
            continue;
        normal_of(mesh, e, n);
        normal_of(mesh, f, m);
        const double angle = acos(fmax(-1, fmin(1, (agree(mesh, e, (int)(i % 3), f) ? 1 : -1) * thaw_v3_dot(n, m))));
        worst = fmax(worst, angle);
        if (angle > FOLDED)
            thaw_finding_add(&found, e);
    }
    thaw_free(across);
    if (!found.count)
        return;
    double centre[3];
    ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_HINT, "sharp-fold", "shape %.100s", def->name);
    thaw_complaint_what(c,
                        "%lld edges are folded by more than %.0f degrees at rest (the sharpest by %.0f): the sheet "
                        "keeps them as creases, which a curve meshed too coarsely is not meant to have",
                        (long long)found.count, FOLDED * 180 / M_PI, worst * 180 / M_PI);
    thaw_complaint_cure(c, "for a smooth shape take smaller triangles; leave it where creases are meant");
    thaw_complaint_value(c, worst * 180 / M_PI, "degrees");
    c->ids_of = "element";
    c->found = found;
    thaw_element_centre(mesh, (int32_t)found.ids[0], centre);
    thaw_complaint_place(c, 3, centre);
}

// Whether its triangles are fine enough for how it drapes.
static void examine_drape(ThawExam *exam, const ThawScene *scene, const ThawShapeDef *def, double D, double weight) {
    const double edge = mean_edge(def->mesh), g = thaw_v3_norm(scene->world.gravity);
    const double c = g > 0 ? cbrt(D / (weight * g)) : INFINITY;
    if (!(edge > COARSE * c))
        return;
    ThawComplaint *hint = thaw_exam_add(exam, THAW_SEVERITY_HINT, "coarse-cloth", "shape %.100s", def->name);
    thaw_complaint_what(
        hint,
        "its bending length (how far it hangs over by itself) is %.3g m, and edges of its triangles are "
        "%.3g m long: it drapes in wider folds, and less deep, than finer triangles let it",
        c, edge);
    thaw_complaint_cure(hint, "for its drape take triangles of %g m (\"size\"); else leave it",
                        thaw_round_down(COARSE * c));
    thaw_complaint_value(hint, edge / c, "bending lengths");
}

void thaw_exam_sheet(ThawExam *exam, const ThawScene *scene, const ThawShapeDef *def) {
    const ThawMaterialDef *m = &scene->world.materials[thaw_shape_main_material(def)];
    const double edge = mean_edge(def->mesh), t = def->thickness, h = scene->world.h;
    const double *bending = m->weave.bending, k = M_PI / (2 * edge);
    const double D =
        bending[0] > 0 ? sqrt(bending[0] * bending[1]) : m->young * t * t * t / (12 * (1 - m->poisson * m->poisson));
    const double period = 2 * M_PI / (k * k * sqrt(D / (m->density * t)));
    if (t > THICK * edge) {
        ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_WARNING, "thick-sheet", "shape %.100s", def->name);
        thaw_complaint_what(c,
                            "it is %.3g m thick, and edges of its triangles are %.3g m long: a sheet is thin against "
                            "them, or it is a solid",
                            t, edge);
        thaw_complaint_cure(c, "larger triangles (\"size\"), a smaller \"thickness\", or a solid mesh");
        thaw_complaint_value(c, t / edge, "edges");
    }
    if (h > period / 2) {
        ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_HINT, "step-folds", "shape %.100s", def->name);
        thaw_complaint_what(c,
                            "the finest folds that its mesh shows, of four edges of %.3g m, swing in %.2g s; steps of "
                            "%.6g s take their motion away",
                            edge, period, h);
        thaw_complaint_cure(c, "to see them swing, take steps of %g s or less; else leave it, the method is stable",
                            thaw_round_down(period / 10));
        thaw_complaint_value(c, period, "s");
    }
    examine_drape(exam, scene, def, D, m->density * t);
    examine_folds(exam, def);
}
