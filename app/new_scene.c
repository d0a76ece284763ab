// SPDX-License-Identifier: Apache-2.0
// The scene that `thaw new` writes, commented for whoever will change it, and what it says about its choices.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "new.h"

static int up_of(const AppPlan *plan) { return plan->mesh->dim - 1; } // in the scene

// --- the scene ----------------------------------------------------------------------------------------------------------

static void put_text(FILE *file, const char *text) {
    json_t *value = json_string(text);
    char *quoted = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    fputs(quoted ? quoted : "\"mesh\"", file);
    free(quoted);
    json_decref(value);
}

static void put_vector(FILE *file, int dim, const double v[3]) {
    double x[3], largest = fmax(fmax(fabs(v[0]), fabs(v[1])), fabs(v[2]));
    for (int k = 0; k < 3; k++) // what rounding has left of a zero is written as one
        x[k] = fabs(v[k]) <= 1e-9 * largest ? 0 : v[k];
    fprintf(file, dim == 2 ? "[%.9g, %.9g]" : "[%.9g, %.9g, %.9g]", x[0], x[1], x[2]);
}

static void put_mesh(FILE *file, const AppPlan *plan) {
    int axis[3];
    double degrees = app_plan_turn(plan, axis);
    fprintf(file, "            \"mesh\": {\"%s\": ", plan->surface ? "surface" : "file");
    put_text(file, plan->mesh_path);
    if (plan->surface)
        fprintf(
            file,
            ", \"size\": %s%s}, // edges of the elements, in the file's unit: half of it makes eight times as many\n",
            plan->size_text, plan->sharpen ? ", \"sharpen\": true" : "");
    else
        fputs("},\n", file);
    if (plan->scale != 1)
        fprintf(file, "            \"scale\": %.9g, // the file's unit to metres\n", plan->scale);
    if (degrees != 0)
        fprintf(file, "            \"rotate\": {\"axis\": [%d, %d, %d], \"degrees\": %g}, // %c of the file is up\n",
                axis[0], axis[1], axis[2], degrees, "xyz"[plan->up]);
    fputs("            \"material\": \"body\"", file);
    for (int32_t r = 0; plan->mesh->region_count > 1 && r < plan->mesh->region_count; r++) {
        fputs(r ? ", " : ",\n            \"regions\": {", file);
        put_text(file, plan->mesh->region_names[r]);
        fputs(": \"body\"", file);
    }
    fputs(plan->mesh->region_count > 1 ? "}" : "", file);
}

static const char *held_name(const AppPlan *plan) { return plan->stance == APP_HANG ? "top" : "base"; }

static void put_group(FILE *file, const AppPlan *plan) {
    int up = up_of(plan);
    double point[3] = {0}, normal[3] = {0};
    point[up] = plan->stance == APP_HANG ? plan->hi[up] - plan->band : plan->lo[up] + plan->band;
    normal[up] = plan->stance == APP_HANG ? 1 : -1;
    fprintf(file, ",\n            \"groups\": {\"%s\": {\"side\": {\"point\": ", held_name(plan));
    put_vector(file, plan->mesh->dim, point);
    fputs(", \"normal\": ", file);
    put_vector(file, plan->mesh->dim, normal);
    fprintf(file, "}}} // %" PRId32 " vertices", plan->held);
}

// How the body is kept from falling for ever: held at one end, or above a floor.
static void put_stage(FILE *file, const AppPlan *plan) {
    int dim = plan->mesh->dim, up = up_of(plan);
    double position[3] = {0};
    for (int k = 0; k < dim; k++)
        position[k] = k == up ? plan->fall - plan->lo[k] : -(plan->lo[k] + plan->hi[k]) / 2;
    fputs("\n        }\n    },\n    \"bodies\": [\n        {\n            \"name\": ", file);
    put_text(file, plan->name);
    fputs(",\n            \"shape\": ", file);
    put_text(file, plan->name);
    fputs(",\n            \"position\": ", file);
    put_vector(file, dim, position);
    if (plan->stance == APP_DROP)
        fprintf(file,
                ", // its lowest point %.3g m above the floor\n            \"method\": \"rigidify\" // what does not "
                "deform moves as rigid parts; \"full\" computes all of it\n        }\n    ],\n    \"obstacles\": "
                "[{\"name\": \"floor\", \"plane\": {\"normal\": %s}, \"friction\": 0.5}]\n}\n",
                plan->fall, dim == 3 ? "[0, 0, 1]" : "[0, 1]");
    else
        fprintf(
            file,
            ", // its lowest point at %c = 0, centred above the origin\n            \"pins\": [\"%s\"]\n        }\n    "
            "]\n}\n",
            "xyz"[up], held_name(plan));
}

static void put_scene(FILE *file, const AppPlan *plan) {
    fputs("// Written by `thaw new`; change whatever you like (docs/scene-format.md). SI units.\n{\n    \"thaw\": 1,\n",
          file);
    fputs("    \"title\": ", file);
    put_text(file, plan->name);
    if (plan->mesh->dim == 2)
        fputs(",\n    \"dimension\": 2", file);
    fprintf(file,
            ",\n    \"time\": {\"step\": %g, \"steps\": %" PRId64 "},\n    \"output\": {\"every\": %" PRId64
            ", \"formats\": [\"vtu\"]},\n",
            plan->h, plan->steps, plan->every);
    const ThawMaterialDef *m = &plan->material->def;
    fprintf(file,
            "    \"materials\": {\n        // density %g, young %g, poisson %g, alpha0 %g, alpha1 %g: add any of them "
            "to change it\n"
            "        \"body\": {\"like\": \"%s\"}\n    },\n    \"shapes\": {\n        ",
            m->density, m->young, m->poisson, m->alpha0, m->alpha1, m->name);
    put_text(file, plan->name);
    fputs(": {\n", file);
    put_mesh(file, plan);
    if (plan->stance != APP_DROP)
        put_group(file, plan);
    put_stage(file, plan);
}

ThawStatus app_plan_write(const AppPlan *plan, ThawError *error) {
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

// --- what is said -------------------------------------------------------------------------------------------------------

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
    if (plan->lost > app_new_lost)
        printf("warning: thin parts are lost: the mesh is %.0f %% smaller than the surface; take smaller elements\n",
               100 * plan->lost);
    print_findings(&plan->report.holes, "edge of a hole", "edges of holes",
                   "the surface is open there and was closed as well as possible: look at the result");
    print_findings(&plan->report.crossings, "pair of triangles that cut each other",
                   "pairs of triangles that cut each other", "what overlaps counts as inside");
    print_findings(&plan->report.islands, "small piece was left out", "small pieces were left out",
                   "smaller elements would join or keep them");
}

static void print_unit(const AppPlan *plan) {
    printf("  unit      %.4g x %.4g x %.4g in the file, ", plan->raw[0], plan->raw[1], plan->raw[2]);
    if (plan->unit)
        printf("taken as %s %s", plan->unit->name, plan->why);
    else
        printf("scaled by %.4g %s", plan->scale, plan->why);
    printf(": %.3g m tall (change with --unit mm, cm, m or in, --scale S or --height METRES)\n",
           plan->hi[up_of(plan)] - plan->lo[up_of(plan)]);
}

static void print_stance(const AppPlan *plan) {
    if (plan->stance == APP_DROP)
        printf("  drop      from %.2g m above a floor, friction 0.5; method rigidify (or `thaw run --method full`)\n",
               plan->fall);
    else if (plan->stance == APP_HANG)
        printf("  held      at its top, %" PRId32 " vertices within %.2g m: it hangs and swings\n", plan->held,
               plan->band);
    else
        printf("  held      at its base, %" PRId32 " vertices within %.2g m of the ground (or --drop, --hang)\n",
               plan->held, plan->band);
}

void app_plan_print(const AppPlan *plan) {
    const char *s = plan->mesh->element_count == 1 ? "" : "s";
    printf("%s\n", plan->path);
    print_unit(plan);
    if (plan->mesh->dim == 3)
        printf("  up        %c of the file (change with --up x, y or z)\n", "xyz"[plan->up]);
    if (plan->surface)
        printf("  mesh      %" PRId32
               " tetrahedra with edges of %.3g m, dihedral angles %.3g to %.4g degrees (change with "
               "--elements N or --size METRES)\n",
               plan->mesh->element_count, plan->report.size * plan->scale, plan->report.min_angle * 180 / M_PI,
               plan->report.max_angle * 180 / M_PI);
    else
        printf("  mesh      %" PRId32 " element%s, as in the file\n", plan->mesh->element_count, s);
    if (plan->report.sharpened)
        printf("            %" PRId32 " of its vertices moved onto sharp edges\n", plan->report.sharpened);
    if (plan->mesh->region_count > 1)
        printf("            %" PRId32 " regions, all of the same material for now (see \"regions\" in the scene)\n",
               plan->mesh->region_count);
    const ThawMaterialDef *m = &plan->material->def;
    printf("  material  %s: %g kg/m^3, young %g Pa, poisson %g (change with --material; `thaw new --list`)\n", m->name,
           m->density, m->young, m->poisson);
    print_stance(plan);
    printf("  time      %" PRId64 " steps of %g s, %.3g s in all: its first mode swings in about %.2g s\n", plan->steps,
           plan->h, (double)plan->steps * plan->h, plan->period);
    const double slow = 1 / (30 * plan->h * (double)plan->every); // at 30 frames a second
    printf("  output    a frame each %" PRId64 " step%s: %" PRId64 " frames, ", plan->every,
           plan->every == 1 ? "" : "s", plan->steps / plan->every + 1);
    if (slow < 1.25)
        printf("about as fast as it happens at 30 a second\n");
    else
        printf("slowed down %.2g times at 30 a second\n", slow);
    print_warnings(plan);
}
