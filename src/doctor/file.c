// SPDX-License-Identifier: Apache-2.0
// What is examined: a scene with its shapes and bodies, a mesh file, or a surface file. What cannot be read is an
// answer too: the reader's message becomes the report's one error.
#include "doctor/doctor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "math/vec3.h"
#include "mesh/drawing.h"
#include "mesh/winding.h"
#include "scene/kind.h"
#include "thaw/read.h"

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// The reader's refusal as a complaint; other failures are those of the examination.
static void refuse(ThawExam *exam, const char *where, ThawStatus status, const ThawError *error) {
    if (status == THAW_ERROR_MEMORY) {
        thaw_exam_fail(exam, status, error);
        return;
    }
    ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_ERROR, "refused", "%.150s", where);
    thaw_complaint_what(c, "%s", error->message);
    thaw_complaint_cure(c, "mend what the message names, and check again");
}

static void add_name(char *list, size_t size, const char *name) {
    const size_t used = strlen(list), room = size - used;
    if (used && strcmp(list + used - 3, "...") == 0)
        return;
    if ((size_t)snprintf(list + used, room, "%s%s", used ? ", " : "", name) + 6 > room)
        snprintf(list + used, room, "%s...", used ? ", " : "");
}

// --- what is to be meshed --------------------------------------------------------------------------------------------

// Solids and drawings have no elements yet: what can be read, its size, its regions.
static void examine_solid(ThawExam *exam, const char *path, const ThawSolid *solid, int32_t segments, int guess) {
    ThawPatient *patient = thaw_exam_patients(exam, 1);
    double lo[3], hi[3];
    int said = 0;
    if (!patient)
        return;
    thaw_solid_bounds(solid, lo, hi);
    *patient =
        (ThawPatient){.elements = segments,
                      .unit = guess ? thaw_unit_guess(path, fmax(hi[0] - lo[0], hi[1] - lo[1]), &said)->metres : 1,
                      .guessed = guess && !said,
                      .up = thaw_solid_dimension(solid) - 1,
                      .min_angle = NAN,
                      .max_angle = NAN,
                      .mass = NAN,
                      .period = NAN};
    snprintf(patient->name, sizeof patient->name, "%s", base_name(path));
    for (int k = 0; k < thaw_solid_dimension(solid); k++)
        patient->size[k] = (hi[k] - lo[k]) * patient->unit;
    for (int32_t r = 1; r < thaw_solid_region_count(solid); r++)
        add_name(exam->report->regions, sizeof exam->report->regions, thaw_solid_region_name(solid, r));
    thaw_exam_size(exam, patient->name, patient->size);
}

static void examine_solid_file(ThawExam *exam, const char *path, const ThawReadOptions *options) {
    (void)options;
    ThawSolid *solid = NULL;
    ThawError error = {0};
    ThawStatus status = thaw_solid_load(path, 3, &solid, &error);
    if (status == THAW_ERROR_INPUT && !thaw_solid_load(path, 2, &solid, NULL))
        status = THAW_OK; // a flat one
    if (status)
        refuse(exam, base_name(path), status, &error);
    else
        examine_solid(exam, path, solid, 0, 0);
    thaw_solid_free(&solid);
}

static void examine_drawing_file(ThawExam *exam, const char *path, const ThawReadOptions *options) {
    (void)options;
    ThawDrawing *drawing = NULL;
    ThawSolid *solid = NULL;
    ThawError error = {0};
    ThawStatus status = thaw_drawing_read(path, &drawing, &error);
    if (!status)
        status = thaw_solid_load(path, 2, &solid, &error);
    if (status)
        refuse(exam, base_name(path), status, &error);
    else
        examine_solid(exam, path, solid, drawing->segments, !drawing->metres);
    thaw_solid_free(&solid);
    thaw_drawing_free(&drawing);
}

// --- scenes ----------------------------------------------------------------------------------------------------------

// What the mesher had to leave out, of shapes that it has filled for this scene.
static void examine_lost(ThawExam *exam, const char *where, const ThawMesherReport *r) {
    if (r->lost.count == 0)
        return;
    ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_HINT, "lost-walls", "%s", where);
    thaw_complaint_what(c,
                        "walls or edges thinner than the elements are cut off, or torn, by up to %.2g of an element's "
                        "size (%.2g), near (%.4g, %.4g, %.4g)%s in the coordinates of the solid or surface",
                        r->reach / r->size, r->size, r->lost.place[0][0], r->lost.place[0][1], r->lost.place[0][2],
                        r->lost.count > 1 ? " and elsewhere" : "");
    thaw_complaint_cure(c,
                        "take a smaller \"size\" in its \"mesh\", like half; or \"sharpen\" if they are sharp edges");
    thaw_complaint_value(c, r->reach / r->size, "of an element's size");
}

// Whether a body of the shape is free to bend; a bone, and one that scripts hold wholly, never does.
int thaw_exam_gives_way(const ThawModel *model, const ThawWorldDef *world, int32_t shape) {
    int led = 0;
    for (int32_t b = 0; b < world->body_count; b++)
        if (world->bodies[b].shape == shape && !model->bodies[b].is_bone && !thaw_model_is_led(&model->bodies[b]))
            return 1;
        else
            led |= world->bodies[b].shape == shape;
    return !led;
}

static void examine_scene(ThawExam *exam, const ThawScene *scene) {
    const ThawWorldDef *world = &scene->world;
    ThawModel *model = NULL;
    ThawError error = {0};
    ThawStatus status = thaw_model_create(world, &model, &error);
    if (status) {
        refuse(exam, "scene", status, &error);
        return;
    }
    ThawPatient *patients = thaw_exam_patients(exam, world->body_count);
    for (int32_t s = 0; patients && s < world->shape_count; s++) {
        ThawPatient patient = {0};
        char where[120];
        snprintf(where, sizeof where, "shape %.100s", world->shapes[s].name);
        thaw_exam_mesh(exam, world->shapes[s].mesh, where, thaw_exam_gives_way(model, world, s), &patient);
        if (scene->meshed)
            examine_lost(exam, where, &scene->meshed[s]);
        for (int32_t b = 0; b < world->body_count; b++)
            if (world->bodies[b].shape == s) {
                patients[b] = patient;
                snprintf(patients[b].name, sizeof patients[b].name, "%s", world->bodies[b].name);
            }
    }
    if (patients) {
        thaw_exam_scales(exam, scene, model);
        thaw_exam_world(exam, scene, model);
        thaw_exam_distance(exam, scene);
        thaw_exam_loads(exam, scene, model);
        thaw_exam_attachments(exam, scene, model);
        thaw_exam_falls(exam, scene, model);
        thaw_exam_round(exam, scene, model);
        thaw_exam_rebound(exam, scene, model);
        thaw_exam_overlap(exam, scene, model);
    }
    thaw_model_free(&model);
}

ThawStatus thaw_doctor_scene(const ThawScene *scene, ThawDoctorReport **report, ThawError *error) {
    if (!report)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_doctor_scene: report is NULL; allowed: where to put it");
    *report = NULL;
    if (!scene)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_doctor_scene: scene is NULL; allowed: a scene");
    ThawExam exam;
    if (thaw_exam_begin(&exam, "scene", error))
        return exam.status;
    examine_scene(&exam, scene);
    return thaw_exam_end(&exam, report);
}

static void examine_scene_file(ThawExam *exam, const char *path, const ThawReadOptions *options) {
    ThawScene *scene = NULL;
    ThawError error = {0};
    ThawSceneErrors all = {0};
    ThawStatus status = thaw_scene_load_all(path, options, &scene, &all, &error);
    if (status == THAW_ERROR_INPUT && thaw_json_kind(path) == THAW_JSON_SOLID) {
        exam->report->kind = "solid";
        examine_solid_file(exam, path, options);
        return;
    }
    for (int i = 0; status == THAW_ERROR_INPUT && i < all.count; i++)
        refuse(exam, base_name(path), status, &all.list[i]);
    if (status && (status != THAW_ERROR_INPUT || !all.count))
        refuse(exam, base_name(path), status, &error);
    else if (!status)
        examine_scene(exam, scene);
    thaw_scene_free(&scene);
}

// --- meshes ----------------------------------------------------------------------------------------------------------

static void examine_mesh(ThawExam *exam, const ThawMesh *mesh, const char *name) {
    ThawPatient *patient = thaw_exam_patients(exam, 1);
    if (!patient)
        return;
    snprintf(patient->name, sizeof patient->name, "%s", name);
    thaw_exam_mesh(exam, mesh, patient->name, 1, patient);
}

ThawStatus thaw_doctor_mesh(const ThawMesh *mesh, const char *name, ThawDoctorReport **report, ThawError *error) {
    if (!report)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_doctor_mesh: report is NULL; allowed: where to put it");
    *report = NULL;
    ThawStatus status = thaw_mesh_validate(mesh, error);
    if (status)
        return status;
    ThawExam exam;
    if (thaw_exam_begin(&exam, "mesh", error))
        return exam.status;
    examine_mesh(&exam, mesh, name ? name : "mesh");
    return thaw_exam_end(&exam, report);
}

// What reading has mended is worth a hint each.
static void tell_mended(ThawExam *exam, const char *name, const char *id, const char *ids_of, const ThawFinding *found,
                        const char *what, const char *cure) {
    if (!found->count)
        return;
    ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_HINT, id, "%s", name);
    thaw_complaint_what(c, "%lld %s", (long long)found->count, what);
    thaw_complaint_cure(c, "%s", cure);
    thaw_complaint_value(c, (double)found->count, "");
    c->ids_of = ids_of;
    c->found = *found;
}

static void tell_names(ThawDoctorReport *report, const ThawMesh *mesh) {
    for (int32_t r = 0; r < mesh->region_count; r++)
        add_name(report->regions, sizeof report->regions, mesh->region_names[r]);
    for (int32_t g = 0; g < mesh->group_count; g++)
        add_name(report->groups, sizeof report->groups, mesh->groups[g].name);
}

static void examine_mesh_file(ThawExam *exam, const char *path, const ThawReadOptions *options) {
    ThawMesh *mesh = NULL;
    ThawMeshReport mended = {0};
    ThawError error = {0};
    const char *name = base_name(path);
    ThawStatus status = thaw_mesh_read_with(path, options, &mesh, &mended, &error);
    if (status) {
        refuse(exam, name, status, &error);
        return;
    }
    const char *nothing = "nothing has to be done; the program that made the file might be told";
    tell_mended(exam, name, "reoriented", "element", &mended.reoriented,
                "elements were inside out and have been turned round", nothing);
    tell_mended(exam, name, "retagged", "element", &mended.retagged,
                "elements were given again under another tag and are taken once", nothing);
    tell_mended(exam, name, "unused-points", "point", &mended.unused, "points belong to no element and are left out",
                nothing);
    examine_mesh(exam, mesh, name);
    tell_names(exam->report, mesh);
    thaw_mesh_free(&mesh);
}

// --- surfaces --------------------------------------------------------------------------------------------------------

static void complain_surface(ThawExam *exam, const ThawTriangleMesh *mesh, const char *name, const char *id,
                             const char *ids_of, const ThawFinding *found, const char *what, const char *cure) {
    if (!found->count)
        return;
    ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_WARNING, id, "%s", name);
    thaw_complaint_what(c, "%lld %s", (long long)found->count, what);
    thaw_complaint_cure(c, "%s", cure);
    thaw_complaint_value(c, (double)found->count, "");
    c->ids_of = ids_of;
    c->found = *found;
    if (strcmp(ids_of, "triangle") == 0)
        thaw_complaint_place(c, 3, mesh->x + 3 * (size_t)mesh->triangles[3 * found->ids[0]]);
}

static double enclosed_volume(const ThawTriangleMesh *mesh) {
    double volume = 0;
    for (int32_t t = 0; t < mesh->triangle_count; t++) {
        const double *a = mesh->x + 3 * (size_t)mesh->triangles[3 * (size_t)t],
                     *b = mesh->x + 3 * (size_t)mesh->triangles[3 * (size_t)t + 1],
                     *c = mesh->x + 3 * (size_t)mesh->triangles[3 * (size_t)t + 2];
        volume += thaw_v3_triple(a, b, c) / 6;
    }
    return volume;
}

// Holes as the mesher finds them, which takes vertices at one place for one. A refusal is that of a sheet.
static void examine_holes(ThawExam *exam, const ThawTriangleMesh *mesh, const char *name,
                          const ThawTriangleReport *found) {
    ThawWinding *winding = NULL;
    ThawError error = {0};
    ThawStatus status = thaw_winding_create(mesh, &winding, &error);
    const int64_t count = status ? found->open.count : thaw_winding_holes(winding)->count;
    if (status && status != THAW_ERROR_INPUT) {
        thaw_exam_fail(exam, status, &error);
    } else if (count) {
        ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_WARNING, status ? "sheet" : "hole", "%s", name);
        if (status) {
            double size[3];
            thaw_complaint_what(c, "it encloses no volume: it is a sheet, open along %lld edges", (long long)count);
            thaw_complaint_cure(c, thaw_surface_flat_axis(mesh, size) >= 0
                                       ? "it is flat: `thaw new FILE --dimension 2` simulates it in the plane, "
                                         "and `thaw new FILE --cloth cotton` or --shell METRES as a sheet in space"
                                       : "take it as cloth: `thaw new FILE --cloth cotton`, or --shell METRES; or "
                                         "close it in a modelling program, since `thaw mesh` cannot fill it");
            thaw_complaint_place(c, 3, mesh->x + 3 * (size_t)mesh->triangles[3 * found->open.ids[0]]);
        } else {
            thaw_complaint_what(c, "the surface is open: %lld edge%s belong%s to one triangle only", (long long)count,
                                count == 1 ? "" : "s", count == 1 ? "s" : "");
            thaw_complaint_cure(
                c, "close it in a modelling program; `thaw mesh` and `thaw new` close holes by themselves, "
                   "well if they are small");
            thaw_complaint_place(c, 3, thaw_winding_holes(winding)->place[0]);
        }
        thaw_complaint_value(c, (double)count, "edges");
        if (found->open.count == count) { // else they are those of seams, which the mesher closes
            c->ids_of = "triangle";
            c->found = found->open;
        }
    }
    const ThawMesherFinding *cuts = winding ? thaw_winding_crossings(winding) : NULL;
    if (cuts && cuts->count) {
        ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_WARNING, "crossing", "%s", name);
        thaw_complaint_what(c, "%lld pair%s of triangles cut each other: what overlaps counts as inside, once",
                            (long long)cuts->count, cuts->count == 1 ? "" : "s");
        thaw_complaint_cure(
            c, "if parts should stay apart, move them; else join them by a union in a modelling program, or "
               "leave it, `thaw mesh` and `thaw new` do the same");
        thaw_complaint_value(c, (double)cuts->count, "pairs");
        thaw_complaint_place(c, 3, cuts->place[0]);
    }
    thaw_winding_free(&winding);
}

static void examine_bodies(ThawExam *exam, const ThawTriangleMesh *mesh, const char *name) {
    ThawError error = {0};
    int32_t count = 0, *piece = THAW_NEW(int32_t, mesh->triangle_count);
    ThawStatus status = piece ? thaw_triangles_pieces(mesh, piece, &count, &error)
                              : thaw_error_memory(&error, "the pieces of a surface");
    if (status)
        thaw_exam_fail(exam, status, &error);
    if (!status && count > 1) {
        int32_t second = 0;
        while (piece[second] != 1)
            second++;
        ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_WARNING, "loose-pieces", "%s", name);
        thaw_complaint_what(
            c,
            "the surface holds %d separate pieces. A body does not collide with itself: as one body they "
            "pass through each other, and those nearer to each other than an element grow together",
            count);
        thaw_complaint_cure(c, "`thaw new FILE --split` makes each of them a body of its own");
        thaw_complaint_value(c, count, "pieces");
        c->ids_of = "triangle";
        thaw_finding_add(&c->found, second);
        thaw_complaint_place(c, 3, mesh->x + 3 * (size_t)mesh->triangles[3 * (size_t)second]);
    }
    thaw_free(piece);
}

// Which triangles look the other way: those that the mesher will turn. Where none would help, the surface has one side
// only.
static void examine_turned(ThawExam *exam, const ThawTriangleMesh *mesh, const char *name, const ThawFinding *edges) {
    ThawTriangleMesh copy = *mesh;
    ThawMesherFinding turned = {0};
    ThawFinding ids = {0};
    ThawError error = {0};
    const size_t bytes = 3 * sizeof *mesh->triangles * (size_t)mesh->triangle_count;
    copy.triangles = THAW_NEW(int32_t, 3 * (size_t)mesh->triangle_count);
    if (copy.triangles)
        memcpy(copy.triangles, mesh->triangles, bytes);
    ThawStatus status = copy.triangles ? thaw_surface_orient(&copy, &turned, &error)
                                       : thaw_error_memory(&error, "the triangles of a surface");
    for (size_t t = 0; !status && t < (size_t)mesh->triangle_count; t++)
        if (copy.triangles[3 * t + 1] != mesh->triangles[3 * t + 1])
            thaw_finding_add(&ids, (int64_t)t);
    thaw_free(copy.triangles);
    if (status) {
        thaw_exam_fail(exam, status, &error);
    } else if (!ids.count) {
        complain_surface(exam, mesh, name, "turned-triangle", "triangle", edges,
                         "edges join triangles that disagree about what is outside, and turning any of them does not "
                         "help: the surface has one side only",
                         "cut it open, or make it a closed surface, in a modelling program");
    } else {
        const int one = ids.count == 1;
        ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_WARNING, "turned-triangle", "%s", name);
        thaw_complaint_what(c, "%lld triangle%s the other way than %s neighbours: `thaw mesh` and `thaw new` turn %s",
                            (long long)ids.count, one ? " looks" : "s look", one ? "its" : "their",
                            one ? "it" : "them");
        thaw_complaint_cure(c, "look at the result, or make the normals consistent in a modelling program");
        thaw_complaint_value(c, (double)ids.count, "");
        c->ids_of = "triangle";
        c->found = ids;
        thaw_complaint_place(c, 3, turned.place[0]);
    }
}

static void examine_surface(ThawExam *exam, const ThawTriangleMesh *mesh, const char *path,
                            const ThawTriangleReport *found) {
    const char *name = base_name(path);
    ThawPatient *patient = thaw_exam_patients(exam, 1);
    if (!patient)
        return;
    ThawMesh points = {.dim = 3, .vertex_count = mesh->vertex_count, .x = mesh->x};
    double lo[3], hi[3];
    thaw_mesh_box_of(&points, lo, hi);
    const double largest = fmax(fmax(hi[0] - lo[0], hi[1] - lo[1]), hi[2] - lo[2]);
    int said = 0;
    *patient = (ThawPatient){.vertices = mesh->vertex_count,
                             .elements = mesh->triangle_count,
                             .unit = thaw_unit_guess(path, largest, &said)->metres,
                             .min_angle = NAN,
                             .max_angle = NAN,
                             .mass = NAN,
                             .period = NAN};
    snprintf(patient->name, sizeof patient->name, "%s", name);
    for (int k = 0; k < 3; k++)
        patient->size[k] = (hi[k] - lo[k]) * patient->unit;
    patient->guessed = !said;
    patient->up = thaw_ends_with(path, ".obj") ? 1 : 2;
    examine_holes(exam, mesh, name, found);
    examine_bodies(exam, mesh, name);
    complain_surface(exam, mesh, name, "crowded-edge", "triangle", &found->crowded,
                     "edges belong to three or more triangles: what is inside is not clear there",
                     "remove inner walls and doubled sheets");
    if (found->turned.count)
        examine_turned(exam, mesh, name, &found->turned);
    tell_mended(exam, name, "open-seam", "vertex", &found->coincident,
                "vertices lie exactly where another one does: `thaw mesh` and `thaw new` take them for one",
                "nothing has to be done; modelling programs call it merging by distance");
    tell_mended(exam, name, "degenerate", "triangle of the file", &found->degenerate,
                "triangles have a vertex twice and are left out", "nothing has to be done");
    tell_mended(exam, name, "repeated", "triangle of the file", &found->repeated,
                "triangles are given twice and are taken once", "nothing has to be done");
    if (!found->open.count && !found->turned.count && enclosed_volume(mesh) < 0) {
        ThawComplaint *c = thaw_exam_add(exam, THAW_SEVERITY_WARNING, "inside-out", "%s", name);
        thaw_complaint_what(c, "all triangles look inwards: the surface encloses a negative volume");
        thaw_complaint_cure(c, "flip the normals");
        thaw_complaint_value(c, enclosed_volume(mesh), "");
    }
    thaw_exam_size(exam, name, patient->size);
}

static void examine_surface_file(ThawExam *exam, const char *path, const ThawReadOptions *options) {
    (void)options;
    ThawTriangleMesh *mesh = NULL;
    ThawTriangleReport found = {0};
    ThawError error = {0};
    ThawStatus status = thaw_triangles_read_report(path, &mesh, &found, &error);
    if (status)
        refuse(exam, base_name(path), status, &error);
    else
        examine_surface(exam, mesh, path, &found);
    thaw_triangles_free(&mesh);
}

ThawStatus thaw_doctor_file(const char *path, ThawDoctorReport **report, ThawError *error) {
    return thaw_doctor_file_with(path, NULL, report, error);
}

ThawStatus thaw_doctor_file_with(const char *path, const ThawReadOptions *options, ThawDoctorReport **report,
                                 ThawError *error) {
    if (!report)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_doctor_file: report is NULL; allowed: where to put it");
    *report = NULL;
    if (!path)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_doctor_file: path is NULL; allowed: a file's name");
    static const struct {
        const char *name;
        void (*examine)(ThawExam *exam, const char *path, const ThawReadOptions *options);
    } kinds[] = {{"mesh", examine_mesh_file},
                 {"scene", examine_scene_file}, // or a solid
                 {"surface", examine_surface_file},
                 {"drawing", examine_drawing_file}};
    const int json = thaw_ends_with(path, ".json"),
              surface = thaw_ends_with(path, ".obj") || thaw_ends_with(path, ".ply") || thaw_ends_with(path, ".stl"),
              kind = json                    ? 1
                     : surface               ? 2
                     : thaw_is_drawing(path) ? 3
                                             : 0;
    ThawExam exam;
    if (thaw_exam_begin(&exam, kinds[kind].name, error))
        return exam.status;
    kinds[kind].examine(&exam, path, options);
    return thaw_exam_end(&exam, report);
}
