// SPDX-License-Identifier: Apache-2.0
// The scene that `thaw new` writes, commented for whoever will change it, and what it says about its choices.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "json_text.h"
#include "new.h"

static int dim_of(const AppPlan *plan) { return plan->pieces->mesh->dim; }
static int up_of(const AppPlan *plan) { return dim_of(plan) - 1; } // in the scene

// --- the scene -------------------------------------------------------------------------------------------------------

static void put_vector(FILE *file, int dim, const double v[3]) {
    double x[3], largest = fmax(fmax(fabs(v[0]), fabs(v[1])), fabs(v[2]));
    for (int k = 0; k < 3; k++) // what rounding has left of a zero is written as one
        x[k] = fabs(v[k]) <= 1e-9 * largest ? 0 : v[k];
    fprintf(file, dim == 2 ? "[%.9g, %.9g]" : "[%.9g, %.9g, %.9g]", x[0], x[1], x[2]);
}

static void put_names(FILE *file, const char *what, int32_t count, const char *(*name)(const ThawMesh *, int32_t),
                      const ThawMesh *mesh) {
    enum { SHOWN = 30 };
    fprintf(file, "            // %s of the mesh: ", what);
    for (int32_t i = 0; i < count && i < SHOWN; i++) {
        fputs(i ? ", " : "", file);
        app_json_put(file, name(mesh, i));
    }
    fputs(count > SHOWN ? ", ...\n" : "\n", file);
}

static const char *group_name(const ThawMesh *mesh, int32_t i) { return mesh->groups[i].name; }

static void put_mesh(FILE *file, const AppPlan *plan, const AppPiece *p) {
    static const char *const keys[] = {[APP_MESH] = "file",
                                       [APP_SURFACE] = "surface",
                                       [APP_SOLID] = "solid",
                                       [APP_DRAWING] = "solid",
                                       [APP_SHEET] = "sheet"};
    int axis[3];
    double degrees = app_plan_turn(plan, axis);
    if (p->mesh->group_count && app_plan_is_as_found(plan))
        put_names(file, "groups, for \"pins\" and \"forces\",", p->mesh->group_count, group_name, p->mesh);
    fprintf(file, "            \"mesh\": {\"%s\": ", keys[plan->source]);
    app_json_put(file, plan->mesh_path);
    if (p->number)
        fprintf(file, ", \"piece\": %" PRId32, p->number);
    if (!app_plan_is_as_found(plan) && plan->by_count)
        fprintf(file, ", \"elements\": %" PRId64 "%s}, // or \"size\": %s, m\n", plan->elements,
                plan->sharpen ? ", \"sharpen\": true" : "", plan->size_text);
    else if (!app_plan_is_as_found(plan))
        fprintf(file, ", \"size\": %s%s}, // m, edges of the elements: half of it makes %s times as many\n",
                plan->size_text, plan->sharpen ? ", \"sharpen\": true" : "", dim_of(plan) == 2 ? "four" : "eight");
    else
        fputs("},\n", file);
    if (plan->scale != 1)
        fprintf(file, "            \"scale\": %.9g, // the file's unit to metres%s\n", plan->scale,
                plan->guessed ? ": a guess by its size" : "");
    if (degrees != 0)
        fprintf(file, "            \"rotate\": {\"axis\": [%d, %d, %d], \"degrees\": %g}, // %c of the file is up\n",
                axis[0], axis[1], axis[2], degrees, "xyz"[plan->up]);
    fputs("            \"material\": \"body\"", file);
    for (int32_t r = 0; p->mesh->region_count > 1 && r < p->mesh->region_count; r++) {
        fputs(r ? ", " : ",\n            \"regions\": {", file);
        app_json_put(file, p->mesh->region_names[r]);
        fputs(": \"body\"", file);
    }
    fputs(p->mesh->region_count > 1 ? "}" : "", file);
    if (plan->sheet)
        fprintf(file, ",\n            \"thickness\": %.4g", plan->thickness);
}

static const char *held_name(const AppPlan *plan) { return plan->stance == APP_HANG ? "top" : "base"; }

static void put_group(FILE *file, const AppPlan *plan, const AppPiece *p) {
    double point[3], normal[3];
    app_plan_held(plan, p, point, normal);
    fprintf(file, ",\n            \"groups\": {\"%s\": {\"side\": {\"point\": ", held_name(plan));
    put_vector(file, dim_of(plan), point);
    fputs(", \"normal\": ", file);
    put_vector(file, dim_of(plan), normal);
    fprintf(file, "}}} // %" PRId32 " vertices", p->held);
}

// How a body is kept from falling for ever: held at one end, or above a floor.
static void put_body(FILE *file, const AppPlan *plan, const AppPiece *p) {
    int dim = dim_of(plan), up = up_of(plan);
    double position[3] = {0};
    for (int k = 0; k < dim; k++)
        position[k] = k == up ? plan->fall - plan->lo[k] : -(plan->lo[k] + plan->hi[k]) / 2;
    fputs("        {\n            \"name\": ", file);
    app_json_put(file, p->name);
    fputs(",\n            \"shape\": ", file);
    app_json_put(file, p->name);
    fputs(",\n            \"position\": ", file);
    put_vector(file, dim, position);
    if (plan->stance == APP_DROP && plan->sheet)
        fprintf(file, " // its lowest point %.3g m above the floor\n        }", p->lo[up] - plan->lo[up] + plan->fall);
    else if (plan->stance == APP_DROP)
        fprintf(file,
                ", // its lowest point %.3g m above the floor\n            \"method\": \"rigidify\" // what does not "
                "deform moves as rigid parts; \"full\" computes all of it\n        }",
                p->lo[up] - plan->lo[up] + plan->fall);
    else
        fprintf(file, ", // its lowest point at %c = %.3g\n            \"pins\": [\"%s\"]\n        }", "xyz"[up],
                p -> lo[up] - plan -> lo[up], held_name(plan));
}

static void put_scene(FILE *file, const AppPlan *plan) {
    fputs("// Written by `thaw new`; change whatever you like (docs/scene-format.md). SI units.\n{\n    \"thaw\": 1,\n",
          file);
    fputs("    \"title\": ", file);
    app_json_put(file, plan->name);
    if (dim_of(plan) == 2)
        fputs(",\n    \"dimension\": 2", file);
    fprintf(file,
            ",\n    \"time\": {\"step\": %g, \"steps\": %" PRId64 "},\n    \"output\": {\"every\": %" PRId64
            ", \"formats\": [\"vtu\"]},\n",
            plan->h, plan->steps, plan->every);
    const ThawMaterialDef *m = &plan->material->def;
    fprintf(file,
            "    \"materials\": {\n        // density %g, young %g, poisson %g, alpha0 %g, alpha1 %g: add any of them "
            "to change it\n"
            "        \"body\": {\"like\": \"%s\"}\n    },\n    \"shapes\": {\n",
            m->density, m->young, m->poisson, m->alpha0, m->alpha1, m->name);
    for (int32_t i = 0; i < plan->piece_count; i++) {
        fputs(i ? ",\n        " : "        ", file);
        app_json_put(file, plan->pieces[i].name);
        fputs(": {\n", file);
        put_mesh(file, plan, &plan->pieces[i]);
        if (plan->stance != APP_DROP)
            put_group(file, plan, &plan->pieces[i]);
        fputs("\n        }", file);
    }
    fputs("\n    },\n    \"bodies\": [\n", file);
    for (int32_t i = 0; i < plan->piece_count; i++) {
        fputs(i ? ",\n" : "", file);
        put_body(file, plan, &plan->pieces[i]);
    }
    fputs("\n    ]", file);
    if (plan->stance == APP_DROP)
        fprintf(file, ",\n    \"obstacles\": [{\"name\": \"floor\", \"plane\": {\"normal\": %s}, \"friction\": 0.5}]",
                dim_of(plan) == 3 ? "[0, 0, 1]" : "[0, 1]");
    fputs("\n}\n", file);
}

ThawStatus app_plan_write(const AppPlan *plan, ThawError *error) {
    char folder[sizeof plan->out_path];
    snprintf(folder, sizeof folder, "%s", plan->out_path);
    char *slash = strrchr(folder, '/');
    if (slash && slash != folder) {
        *slash = '\0';
        const ThawStatus made = thaw_folder_create(folder, error);
        if (made)
            return made == THAW_ERROR_IO ? THAW_ERROR_INPUT : made; // a wrong -o
    }
    int flags = O_WRONLY | O_CREAT | (plan->force ? O_TRUNC : O_EXCL), fd = open(plan->out_path, flags, 0666);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (file)
        put_scene(file, plan);
    int wrong = !file || ferror(file), reason = errno;
    if (file && fclose(file)) {
        wrong = 1;
        reason = errno;
    } else if (!file && fd >= 0) {
        close(fd);
    }
    ThawStatus status = fd < 0 ? THAW_ERROR_INPUT : THAW_ERROR_IO;
    if (!wrong)
        return THAW_OK;
    error->status = status;
    snprintf(error->message, sizeof error->message, "cannot write %.500s: %s", plan->out_path, strerror(reason));
    return status;
}

// --- what is said ----------------------------------------------------------------------------------------------------

static void print_findings(const ThawMesherFinding *found, const char *one, const char *many, const char *advice) {
    enum { SHOWN = 3 };
    if (!found->count)
        return;
    printf("warning: %" PRId64 " %s near", found->count, found->count == 1 ? one : many);
    for (int64_t i = 0; i < found->count && i < SHOWN; i++)
        printf("%s (%.4g, %.4g, %.4g)", i ? "," : "", found->place[i][0], found->place[i][1], found->place[i][2]);
    printf("%s in the file's unit; %s\n", found->count > SHOWN ? ", ..." : "", advice);
}

// What may make the mesh another thing than the surface.
static void print_warnings(const AppPlan *plan) {
    const ThawMesherReport *r = &plan->report;
    if (plan->lost > app_new_lost)
        printf("warning: thin parts are lost: the mesh is %.0f %% smaller than the surface; take smaller elements\n",
               100 * plan->lost);
    else if (r->lost.count)
        printf(
            "warning: walls or edges thinner than the elements are cut off, or torn, by up to %.2g m near (%.4g, %.4g, "
            "%.4g) in the file's unit%s; take a smaller --size, like %.2g%s\n",
            r->reach * plan->scale, r->lost.place[0][0], r->lost.place[0][1], r->lost.place[0][2],
            r->lost.count > 1 ? ", and elsewhere" : "", r->size * plan->scale / 2,
            plan->sharpen ? "" : ", or --sharpen if they are sharp edges");
    print_findings(
        &r->welds, "face joins objects that are apart in the surface",
        "faces join objects that are apart in the surface",
        "they are nearer to each other than the elements: take a smaller --size, or --split, which makes each "
        "a body of its own");
    print_findings(&plan->report.turned, "triangle that looks the other way than its neighbours",
                   "triangles that look the other way than their neighbours",
                   plan->report.turned.count == 1 ? "it was turned" : "they were turned");
    print_findings(&plan->report.holes, "edge of a hole", "edges of holes",
                   "the surface is open there and was closed as well as possible: look at the result");
    print_findings(&plan->report.crossings, "pair of triangles that cut each other",
                   "pairs of triangles that cut each other", "what overlaps counts as inside");
    print_findings(&plan->report.islands, "small piece was left out", "small pieces were left out",
                   "smaller elements would join or keep them");
}

static void print_unit(const AppPlan *plan) {
    printf("  unit      %.4g x %.4g", plan->raw[0], plan->raw[1]);
    if (dim_of(plan) == 3)
        printf(" x %.4g", plan->raw[2]);
    if (plan->source == APP_DRAWING && plan->unit && plan->unit->metres == 1 && !plan->guessed)
        printf(" m %s", plan->why);
    else if (plan->unit)
        printf(" in the file, taken as %s %s", plan->unit->name, plan->why);
    else
        printf(" in the file, scaled by %.4g %s", plan->scale, plan->why);
    if (plan->guessed)
        printf(" (a guess%s)", plan->unit->metres == 1 ? "; small things are often drawn in millimetres" : "");
    printf(": %.3g m tall (change with --unit mm, cm, m or in, --scale S or --height METRES)\n",
           plan->hi[up_of(plan)] - plan->lo[up_of(plan)]);
}

static void print_stance(const AppPlan *plan) {
    const AppPiece *p = plan->pieces;
    if (plan->stance == APP_DROP)
        printf("  drop      from %.2g m above a floor (change with --drop METRES), friction 0.5; method %s\n",
               plan->fall, plan->sheet ? "full" : "rigidify (or `thaw run --method full`)");
    else if (plan->piece_count > 1)
        printf("  held      each at its own %s (or --drop, --hang)\n", held_name(plan));
    else if (plan->stance == APP_HANG)
        printf("  held      at its top, %" PRId32 " vertices within %.2g m: it hangs and swings\n", p->held, p->band);
    else
        printf("  held      at its base, %" PRId32 " vertices within %.2g m of the ground (or --drop, --hang)\n",
               p->held, p->band);
}

static void print_pieces(const AppPlan *plan) {
    enum { SHOWN = 8 };
    printf("  split     %" PRId32 " bodies: ", plan->piece_count);
    for (int32_t i = 0; i < plan->piece_count && i < SHOWN; i++)
        printf("%s%s (%" PRId32 ")", i ? ", " : "", plan->pieces[i].name, plan->pieces[i].mesh->element_count);
    printf(plan->piece_count > SHOWN ? ", ...\n" : "\n");
    if (plan->left_out)
        printf("            %" PRId32
               " more are too small for elements of this size, or enclose nothing, and were left "
               "out\n",
               plan->left_out);
}

void app_plan_print(const AppPlan *plan) {
    const ThawMesh *mesh = plan->pieces->mesh;
    int64_t elements = 0;
    for (int32_t i = 0; i < plan->piece_count; i++)
        elements += plan->pieces[i].mesh->element_count;
    printf("%s\n", plan->path);
    print_unit(plan);
    if (mesh->dim == 3)
        printf("  up        %c of the file (change with --up x, y or z)\n", "xyz"[plan->up]);
    if (!app_plan_is_as_found(plan))
        printf("  mesh      %" PRId64
               " %s with edges of %.3g m, %sangles %.3g to %.4g degrees (change with --elements N or --size METRES)\n",
               elements, mesh->dim == 3 ? "tetrahedra" : "triangles", plan->report.size * plan->scale,
               mesh->dim == 3 ? "dihedral " : "", plan->report.min_angle * 180 / M_PI,
               plan->report.max_angle * 180 / M_PI);
    else
        printf("  mesh      %" PRId64 " element%s, as in the file\n", elements, elements == 1 ? "" : "s");
    if (plan->elements && !app_plan_is_as_found(plan) && fabs((double)elements / (double)plan->elements - 1) > 0.1)
        printf("            the nearest count to %" PRId64 " that was found for this shape\n", plan->elements);
    if (plan->piece_count > 1)
        print_pieces(plan);
    if (mesh->group_count && app_plan_is_as_found(plan))
        printf("            %" PRId32 " group%s of vertices: named in the scene, for \"pins\" and \"forces\"\n",
               mesh->group_count, mesh->group_count == 1 ? "" : "s");
    if (plan->report.sharpened)
        printf("            %" PRId32 " of its vertices moved onto sharp edges\n", plan->report.sharpened);
    if (mesh->region_count > 1)
        printf("            %" PRId32 " regions, all of the same material for now (see \"regions\" in the scene)\n",
               mesh->region_count);
    const ThawMaterialDef *m = &plan->material->def;
    printf("  material  %s: %g kg/m^3, young %g Pa, poisson %g (change with --material; `thaw new --list`)\n", m->name,
           m->density, m->young, m->poisson);
    if (plan->sheet)
        printf("  sheet     %.3g mm thick (change with --shell METRES)\n", 1e3 * plan->thickness);
    print_stance(plan);
    printf("  time      %" PRId64 " steps of %g s, %.3g s in all: its first mode swings in about %.2g s\n", plan->steps,
           plan->h, (double)plan->steps * plan->h, plan->period);
    const double slow = 1 / (30 * plan->h * (double)plan->every); // at 30 frames a second
    printf("  output    a frame each %" PRId64 " step%s: %" PRId64 " frames, ", plan->every,
           plan->every == 1 ? "" : "s", plan->steps / plan->every + 1);
    if (slow < 1.25)
        printf("about as fast as it happens at 30 a second\n");
    else
        printf("slowed down %.*f times at 30 a second (`thaw render -o FILE.mp4 --fps 30`; without --fps as fast as it "
               "happens)\n",
               slow < 10 ? 1 : 0, slow);
    print_warnings(plan);
}
