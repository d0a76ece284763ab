// SPDX-License-Identifier: Apache-2.0
// `thaw new`: a scene for a user's own file. A surface is meshed inside the scene, so that one number there changes its
// resolution; a volume mesh is used as it is. Everything that had to be guessed (unit, which way is up, resolution, time
// step, how it is held) is said, with the option that changes it, and written into the scene as comments.
//
// The time step resolves the first mode by about a hundred steps, estimated from size and material as the doctor does, as
// far as that lies within half a millisecond and ten.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "app.h"
#include "doctor/doctor.h"
#include "run.h"
#include "thaw/doctor.h"
#include "thaw/mesher.h"

enum { MATERIAL, DROP, HANG, OUT, SIZE, ELEMENTS, SCALE, HEIGHT, UP, FORCE, LIST, QUIET };
static const AppOption options[] = {
    [MATERIAL] = {"--material", "NAME"},
    [DROP] = {"--drop", NULL},
    [HANG] = {"--hang", NULL},
    [OUT] = {"-o", "SCENE.json"},
    [SIZE] = {"--size", "METRES"},
    [ELEMENTS] = {"--elements", "N"},
    [SCALE] = {"--scale", "S"},
    [HEIGHT] = {"--height", "METRES"},
    [UP] = {"--up", "x|y|z"},
    [FORCE] = {"--force", NULL},
    [LIST] = {"--list", NULL},
    [QUIET] = {"--quiet", NULL},
    {NULL, NULL},
};

enum { FEWEST = 6000, MOST = 50000 }; // elements, unless told
static const double LOST = 0.03;
enum { FRAMES = 120 };                    // of a run, about: four seconds to look at
static const double SHORTEST_STEP = 5e-4; // s

typedef enum Stance { STAND, STANCE_DROP, STANCE_HANG } Stance;

// What was asked for, and what was settled.
typedef struct Plan {
    const char *path, *out, *material_name;
    Stance stance;
    int64_t elements; // 0: not given
    double size;      // m, of elements; 0: by `elements`
    double scale;     // file units to m; 0: to be guessed
    double height;    // m; 0: not given
    int up;           // axis; -1: to be guessed
    int force, quiet;

    char name[80]; // of the body: the file without folder and ending
    char out_path[1200];
    char mesh_path[1200]; // as the scene names it
    const ThawLibraryMaterial *material;
    int surface;             // nonzero: a triangle surface, to be meshed
    ThawMesh *mesh;          // in the file's units, as it stands there; scaled and turned after `settle_place`
    ThawMesherReport report; // in the file's units
    char size_text[32];      // of its elements, as the scene says it
    double lost;             // share of the extent that the mesh does not reach
    double raw[3];           // extents in the file's units
    const char *unit;        // that was assumed
    double lo[3], hi[3];     // m, as scaled and turned
    double band;             // m: vertices within it from the end that is held are held
    int32_t held;
    double speed; // m/s downwards at the start
    double period, h;
    int64_t steps, every;
} Plan;

// --- command line -------------------------------------------------------------------------------------------------------

static int parse_positive(const char *option, const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    if (end != text && !*end && *value > 0 && isfinite(*value))
        return 1;
    app_complain("new", "%s is '%s'; allowed: a number greater than 0", option, text);
    return 0;
}

static int find_material(Plan *plan) {
    plan->material = thaw_material_library_find(plan->material_name);
    if (plan->material)
        return 1;
    const char *names[64];
    int count = thaw_material_library_count();
    for (int i = 0; i < count && i < 64; i++)
        names[i] = thaw_material_library_get(i)->def.name;
    const char *near = app_suggest(plan->material_name, names, count < 64 ? count : 64);
    app_complain("new", "--material is '%s'%s%s%s; `thaw new --list` shows the library", plan->material_name,
                 near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
    return 0;
}

static int list_materials(void) {
    printf("%-15s %8s %9s %7s  %s\n", "name", "kg/m^3", "Pa", "poisson", "what it stands for");
    for (int i = 0; i < thaw_material_library_count(); i++) {
        const ThawLibraryMaterial *m = thaw_material_library_get(i);
        printf("%-15s %8g %9.3g %7g  %s\n", m->def.name, m->def.density, m->def.young, m->def.poisson, m->stands_for);
    }
    return APP_DONE;
}

static int parse(Plan *plan, int argc, char **argv, int *list) {
    AppArguments a = {.argc = argc, .argv = argv, .next = 2, .table = options};
    int ok = 1;
    for (int option; ok && (option = app_arguments_next(&a)) != APP_END;) {
        switch (option) {
        case MATERIAL:
            plan->material_name = a.value;
            break;
        case DROP:
        case HANG:
            plan->stance = option == DROP ? STANCE_DROP : STANCE_HANG;
            break;
        case OUT:
            plan->out = a.value;
            break;
        case SIZE:
            ok = parse_positive("--size", a.value, &plan->size);
            break;
        case ELEMENTS:
            ok = app_parse_integer("new", "--elements", a.value, 1, 20000000, &plan->elements);
            break;
        case SCALE:
            ok = parse_positive("--scale", a.value, &plan->scale);
            break;
        case HEIGHT:
            ok = parse_positive("--height", a.value, &plan->height);
            break;
        case UP:
            ok = strlen(a.value) == 1 && strchr("xyz", a.value[0]);
            plan->up = ok ? a.value[0] - 'x' : -1;
            if (!ok)
                app_complain("new", "--up is '%s'; allowed: x, y or z", a.value);
            break;
        case FORCE:
            plan->force = 1;
            break;
        case LIST:
            *list = 1;
            break;
        case QUIET:
            plan->quiet = 1;
            break;
        case APP_OPERAND:
            ok = !plan->path;
            if (!ok)
                app_complain("new", "one file at a time: both '%s' and '%s' were given", plan->path, a.value);
            plan->path = a.value;
            break;
        default:
            ok = 0;
        }
    }
    if (ok && plan->scale > 0 && plan->height > 0) {
        app_complain("new", "--scale and --height exclude each other");
        ok = 0;
    }
    if (ok && !plan->path && !*list) {
        app_complain("new", "name your file: thaw new FILE.obj");
        ok = 0;
    }
    return ok;
}

// --- paths --------------------------------------------------------------------------------------------------------------

static int ends_with(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcasecmp(path + length - tail, ending) == 0;
}

// The mesh as seen from the scene's folder, the first `folder` characters of its path: up as many folders as that goes
// down, and then as it was given; where that does not lead there, in full.
static int name_mesh(Plan *plan, size_t folder) {
    char up[sizeof plan->mesh_path] = "", *absolute = NULL;
    const char *target = plan->path;
    int plain = plan->out_path[0] != '/';
    for (size_t i = 0; i < folder; i += strcspn(plan->out_path + i, "/") + 1) {
        size_t length = strcspn(plan->out_path + i, "/");
        plain &= strncmp(plan->out_path + i, "..", length < 2 ? 2 : length) != 0;
        if (length > 0 && strncmp(plan->out_path + i, ".", length) != 0 && strlen(up) + 4 < sizeof up)
            strcat(up, "../");
    }
    if (plan->path[0] == '/' || !plain)
        up[0] = '\0';
    if (!plain && plan->path[0] != '/') {
        absolute = realpath(plan->path, NULL);
        target = absolute ? absolute : target;
    }
    int wanted = snprintf(plan->mesh_path, sizeof plan->mesh_path, "%s%s", up, target);
    free(absolute);
    return wanted < (int)sizeof plan->mesh_path;
}

// The scene stands beside where it was called from unless told.
static int settle_paths(Plan *plan) {
    const char *slash = strrchr(plan->path, '/'), *base = slash ? slash + 1 : plan->path, *dot = strrchr(base, '.');
    int length = dot && dot != base ? (int)(dot - base) : (int)strlen(base);
    snprintf(plan->name, sizeof plan->name, "%.*s", length, base);
    int wanted = plan->out ? snprintf(plan->out_path, sizeof plan->out_path, "%s", plan->out)
                           : snprintf(plan->out_path, sizeof plan->out_path, "%.*s.json", length, base);
    const char *out_slash = strrchr(plan->out_path, '/');
    size_t folder = out_slash ? (size_t)(out_slash - plan->out_path) + 1 : 0;
    if (wanted >= (int)sizeof plan->out_path || strlen(plan->path) >= sizeof plan->mesh_path) {
        app_complain("new", "the name of a file is longer than %zu characters", sizeof plan->out_path - 1);
        return 0;
    }
    if (!ends_with(plan->out_path, ".json")) {
        app_complain("new", "-o is '%s'; allowed: a name that ends in .json", plan->out_path);
        return 0;
    }
    if (!name_mesh(plan, folder)) {
        app_complain("new", "the name of a file is longer than %zu characters", sizeof plan->mesh_path - 1);
        return 0;
    }
    if (!plan->force && access(plan->out_path, F_OK) == 0) {
        app_complain("new", "%s is there already; name another with -o, or replace it with --force", plan->out_path);
        return 0;
    }
    return 1;
}

// --- the mesh -----------------------------------------------------------------------------------------------------------

static void extents(Plan *plan, int dim, int32_t count, const double *x) {
    ThawMesh points = {.dim = dim, .vertex_count = count, .x = (double *)x};
    thaw_mesh_box_of(&points, plan->lo, plan->hi);
    for (int k = 0; k < 3; k++)
        plan->raw[k] = plan->hi[k] - plan->lo[k];
}

// Metres, centimetres or millimetres, by what would be the size of a thing on a table.
static void guess_unit(Plan *plan, int dim) {
    double largest = fmax(fmax(plan->raw[0], plan->raw[1]), plan->raw[2]);
    plan->unit = "given";
    if (plan->up < 0)
        plan->up = dim == 2 ? 1 : ends_with(plan->path, ".obj") ? 1 : 2;
    if (plan->height > 0)
        plan->scale = plan->height / plan->raw[plan->up];
    if (plan->scale > 0)
        return;
    plan->unit = largest > 50 ? "millimetres" : largest > 5 ? "centimetres" : "metres";
    plan->scale = largest > 50 ? 0.001 : largest > 5 ? 0.01 : 1;
}

// The share of the surface's extent that the mesh does not reach: ears and fingers thinner than the elements.
static double lost_part(const Plan *plan) {
    double lo[3], hi[3], lost = 0;
    thaw_mesh_box_of(plan->mesh, lo, hi);
    for (int k = 0; k < 3; k++)
        lost = fmax(lost, (plan->raw[k] - (hi[k] - lo[k])) / fmax(fmax(plan->raw[0], plan->raw[1]), plan->raw[2]));
    return lost;
}

static ThawStatus mesh_surface(Plan *plan, const ThawTriangleMesh *triangles, const ThawMesherDef *wanted,
                               ThawError *error) {
    ThawMesherDef def = *wanted;
    ThawStatus status = THAW_OK;
    thaw_mesh_free(&plan->mesh);
    if (!(def.size > 0))
        status = thaw_mesh_from_triangles(triangles, &def, &plan->mesh, &plan->report, error);
    // The size that the scene will say, in few digits: another one would give another mesh.
    snprintf(plan->size_text, sizeof plan->size_text, "%.4g", def.size > 0 ? def.size : plan->report.size);
    def.size = strtod(plan->size_text, NULL);
    thaw_mesh_free(&plan->mesh);
    if (!status)
        status = thaw_mesh_from_triangles(triangles, &def, &plan->mesh, &plan->report, error);
    if (!status)
        plan->lost = lost_part(plan);
    return status;
}

static ThawStatus load_surface(Plan *plan, ThawError *error) {
    ThawTriangleMesh *triangles = NULL;
    ThawStatus status = thaw_triangles_read(plan->path, &triangles, error);
    if (status)
        return status;
    extents(plan, 3, triangles->vertex_count, triangles->x);
    guess_unit(plan, 3);
    ThawMesherDef def = thaw_mesher_def_default();
    def.size = plan->size / plan->scale; // the file's units: the shape is scaled after meshing
    def.elements = (int32_t)(plan->elements ? plan->elements : FEWEST);
    do { // finer, as long as nobody said how fine and thin parts fall through the lattice
        status = mesh_surface(plan, triangles, &def, error);
        def.elements *= 2;
    } while (!status && !plan->elements && !plan->size && plan->lost > LOST && def.elements <= MOST);
    thaw_triangles_free(&triangles);
    return status;
}

static ThawStatus load_mesh(Plan *plan, ThawError *error) {
    plan->surface = ends_with(plan->path, ".obj") || ends_with(plan->path, ".ply") || ends_with(plan->path, ".stl");
    if (plan->surface)
        return load_surface(plan, error);
    ThawStatus status = thaw_mesh_read(plan->path, &plan->mesh, NULL, error);
    if (status)
        return status;
    extents(plan, plan->mesh->dim, plan->mesh->vertex_count, plan->mesh->x);
    guess_unit(plan, plan->mesh->dim);
    return THAW_OK;
}

// --- what is chosen -----------------------------------------------------------------------------------------------------

// The turn that takes the file's up to z: axis and degrees; 0 degrees: none.
static double turn_of(const Plan *plan, int axis[3]) {
    memset(axis, 0, 3 * sizeof *axis);
    if (plan->mesh->dim == 2 || plan->up == 2)
        return 0;
    axis[plan->up == 1 ? 0 : 1] = 1;
    return plan->up == 1 ? 90 : -90;
}

static int up_of(const Plan *plan) { return plan->mesh->dim - 1; } // in the scene

static ThawStatus settle_place(Plan *plan, ThawError *error) {
    int axis[3], up = up_of(plan);
    double half = turn_of(plan, axis) * M_PI / 360, scale[3] = {plan->scale, plan->scale, plan->scale};
    double rotation[4] = {cos(half), axis[0] * sin(half), axis[1] * sin(half), axis[2] * sin(half)};
    ThawStatus status = thaw_mesh_transform(plan->mesh, scale, rotation, (double[3]){0}, error);
    if (status)
        return status;
    thaw_mesh_box_of(plan->mesh, plan->lo, plan->hi);
    double height = plan->hi[up] - plan->lo[up];
    // The thinnest slice that holds enough vertices to stand on.
    for (double share = 0.02; share < 0.6 && plan->held < 3 * up; share *= 1.5) {
        plan->held = 0;
        plan->band = share * height;
        for (int32_t v = 0; v < plan->mesh->vertex_count; v++) {
            double x = plan->mesh->x[(size_t)plan->mesh->dim * (size_t)v + (size_t)up];
            plan->held += plan->stance == STANCE_HANG ? x >= plan->hi[up] - plan->band : x <= plan->lo[up] + plan->band;
        }
    }
    return THAW_OK;
}

// 1, 2 or 5 times a power of ten, whichever is nearest.
static double round_digit(double x) {
    double power = pow(10, floor(log10(x))), digit = x / power;
    return power * (digit > 7 ? 10 : digit > 3.2 ? 5 : digit > 1.4 ? 2 : 1);
}

static void settle_motion(Plan *plan) {
    double size[3], height = plan->hi[up_of(plan)] - plan->lo[up_of(plan)];
    for (int k = 0; k < 3; k++)
        size[k] = plan->hi[k] - plan->lo[k];
    const ThawMaterialDef *material = &plan->material->def;
    plan->period = thaw_period_estimate(material, plan->mesh->dim, size);
    // What vibrates faster than a few of the shortest steps cannot be watched: it moves like a rigid body.
    plan->h =
        plan->period < 4 * SHORTEST_STEP ? 0.005 : fmin(fmax(round_digit(plan->period / 100), SHORTEST_STEP), 0.01);
    plan->steps = (int64_t)ceil(fmin(fmax(8 * plan->period, 0.5), 4) / plan->h);
    plan->every = (int64_t)fmax(1, round((double)plan->steps / FRAMES));
    // Of a fall by its own height, but not so fast that it is crushed: the strain is about speed by wave speed.
    if (plan->stance == STANCE_DROP)
        plan->speed = fmin(sqrt(2 * 9.81 * height), 0.2 * thaw_material_wave_speed(material));
}

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
        x[k] = fabs(v[k]) < 1e-9 * largest ? 0 : v[k];
    fprintf(file, dim == 2 ? "[%.9g, %.9g]" : "[%.9g, %.9g, %.9g]", x[0], x[1], x[2]);
}

static void put_mesh(FILE *file, const Plan *plan) {
    int axis[3];
    double degrees = turn_of(plan, axis);
    fprintf(file, "            \"mesh\": {\"%s\": ", plan->surface ? "surface" : "file");
    put_text(file, plan->mesh_path);
    if (plan->surface)
        fprintf(file,
                ", \"size\": %s}, // edges of the elements, in the file's unit: half of it makes eight times as many\n",
                plan->size_text);
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
    fputs(plan->mesh->region_count > 1 ? "},\n" : ",\n", file);
}

static const char *held_name(const Plan *plan) { return plan->stance == STANCE_HANG ? "top" : "base"; }

// How the body is kept from falling for ever. Obstacles, once scenes have them, belong here: then a dropped body starts
// above a floor instead of being held at its base.
static void put_stage(FILE *file, const Plan *plan) {
    int dim = plan->mesh->dim, up = up_of(plan);
    double point[3] = {0}, normal[3] = {0}, position[3] = {0}, velocity[3] = {0};
    point[up] = plan->stance == STANCE_HANG ? plan->hi[up] - plan->band : plan->lo[up] + plan->band;
    normal[up] = plan->stance == STANCE_HANG ? 1 : -1;
    for (int k = 0; k < dim; k++)
        position[k] = k == up ? -plan->lo[k] : -(plan->lo[k] + plan->hi[k]) / 2;
    velocity[up] = -plan->speed;
    fprintf(file, "            \"groups\": {\"%s\": {\"side\": {\"point\": ", held_name(plan));
    put_vector(file, dim, point);
    fputs(", \"normal\": ", file);
    put_vector(file, dim, normal);
    fprintf(file,
            "}}} // %" PRId32 " vertices\n        }\n    },\n    \"bodies\": [\n        {\n            \"name\": ",
            plan->held);
    put_text(file, plan->name);
    fputs(",\n            \"shape\": ", file);
    put_text(file, plan->name);
    fputs(",\n            \"position\": ", file);
    put_vector(file, dim, position);
    fprintf(file, ", // its lowest point at %c = 0, centred above the origin\n", "xyz"[up]);
    if (plan->speed > 0) {
        fputs("            \"velocity\": ", file);
        put_vector(file, dim, velocity);
        fputs(", // as if it had just landed\n", file);
    }
    fprintf(file, "            \"pins\": [\"%s\"]\n        }\n    ]\n}\n", held_name(plan));
}

static void put_scene(FILE *file, const Plan *plan) {
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
    put_stage(file, plan);
}

static ThawStatus write_scene(const Plan *plan, ThawError *error) {
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

static void print_findings(const char *what, const ThawMesherFinding *found) {
    if (found->count)
        printf("            %" PRId64 " %s, the first near (%.4g, %.4g, %.4g) in the file's unit\n", found->count, what,
               found->place[0][0], found->place[0][1], found->place[0][2]);
}

static void print_plan(const Plan *plan) {
    int dim = plan->mesh->dim, up = up_of(plan);
    double height = plan->hi[up] - plan->lo[up];
    printf("%s\n", plan->path);
    printf(
        "  unit      %.4g x %.4g x %.4g in the file, %s %s: %.3g m tall (change with --scale S or --height METRES)\n",
        plan->raw[0], plan->raw[1], plan->raw[2], strcmp(plan->unit, "given") == 0 ? "scaled as" : "taken as",
        plan->unit, height);
    if (dim == 3)
        printf("  up        %c of the file (change with --up x, y or z)\n", "xyz"[plan->up]);
    if (plan->surface) {
        printf("  mesh      %" PRId32
               " tetrahedra with edges of %.3g m, dihedral angles %.3g to %.4g degrees (change with "
               "--elements N or --size METRES)\n",
               plan->mesh->element_count, plan->report.size * plan->scale, plan->report.min_angle * 180 / M_PI,
               plan->report.max_angle * 180 / M_PI);
        if (plan->lost > LOST)
            printf("            thin parts are lost: it is %.0f %% smaller than the surface. Take smaller elements\n",
                   100 * plan->lost);
        print_findings("edges of holes, closed as well as possible", &plan->report.holes);
        print_findings("pairs of triangles that cut each other", &plan->report.crossings);
        print_findings("small pieces left out", &plan->report.islands);
    } else {
        printf("  mesh      %" PRId32 " elements, as they are in the file\n", plan->mesh->element_count);
        if (plan->mesh->region_count > 1)
            printf("            %" PRId32 " regions, all of the same material for now (see \"regions\" in the scene)\n",
                   plan->mesh->region_count);
    }
    const ThawMaterialDef *m = &plan->material->def;
    printf("  material  %s: %g kg/m^3, young %g Pa, poisson %g (change with --material; `thaw new --list`)\n", m->name,
           m->density, m->young, m->poisson);
    if (plan->stance == STANCE_HANG)
        printf("  held      at its top, %" PRId32 " vertices within %.2g m: it hangs and swings\n", plan->held,
               plan->band);
    else
        printf("  held      at its base, %" PRId32 " vertices within %.2g m of the ground\n", plan->held, plan->band);
    if (plan->stance == STANCE_DROP)
        printf("            there is no contact with a floor yet, so it does not fall: it starts downwards at %.3g "
               "m/s, as "
               "if it had\n            just landed from %.2g m, and stays on its feet\n",
               plan->speed, plan->speed * plan->speed / (2 * 9.81));
    printf("  time      %" PRId64 " steps of %g s, %.3g s in all: its first mode swings in about %.2g s\n", plan->steps,
           plan->h, (double)plan->steps * plan->h, plan->period);
    printf("  output    a frame each %" PRId64 " steps: %" PRId64
           " frames, in slow motion %.2g times as long at 30 a second\n",
           plan->every, plan->steps / plan->every + 1, 1 / (30 * plan->h * (double)plan->every));
}

// The doctor's word on what was written; returns whether it can run.
static int print_check(const Plan *plan) {
    ThawDoctorReport *report = NULL;
    ThawError error = {0};
    if (thaw_doctor_file(plan->out_path, &report, &error)) {
        app_complain("new", "%s", error.message);
        return 0;
    }
    int ok = !report->errors;
    for (int32_t i = 0; i < report->complaint_count; i++) {
        const ThawComplaint *c = &report->complaints[i];
        if (c->severity == THAW_SEVERITY_ERROR)
            app_complain("new", "%s", c->what);
        else if (c->severity == THAW_SEVERITY_WARNING && !plan->quiet)
            printf("  warning   %s: %s\n            %s\n", c->where, c->what, c->cure);
    }
    thaw_doctor_report_free(&report);
    return ok;
}

static int make_scene(Plan *plan) {
    ThawError error = {0};
    if (!find_material(plan) || !settle_paths(plan))
        return APP_WRONG_INPUT;
    ThawStatus status = load_mesh(plan, &error);
    if (status == THAW_ERROR_IO)
        status = THAW_ERROR_INPUT; // a file that cannot be read is wrong input
    if (!status)
        status = settle_place(plan, &error);
    if (!status) {
        settle_motion(plan);
        status = write_scene(plan, &error);
    }
    if (status) {
        int named = strstr(error.message, plan->path) || strstr(error.message, plan->out_path);
        app_complain("new", "%s%s%s", named ? "" : plan->path, named ? "" : ": ", error.message);
        return app_exit_status(status);
    }
    if (!plan->quiet)
        print_plan(plan);
    if (!print_check(plan))
        return APP_WRONG_INPUT;
    if (plan->quiet)
        return APP_DONE;
    printf("wrote %s. Next:\n  thaw run ", plan->out_path);
    app_print_word(stdout, plan->out_path);
    printf("\n  thaw check ");
    app_print_word(stdout, plan->out_path);
    printf("\n");
    return APP_DONE;
}

static int run_new(int argc, char **argv) {
    Plan plan = {.material_name = "silicone", .up = -1};
    int list = 0;
    if (!parse(&plan, argc, argv, &list))
        return APP_WRONG_INPUT;
    if (list)
        return list_materials();
    int result = make_scene(&plan);
    thaw_mesh_free(&plan.mesh);
    return result;
}

const AppCommand app_command_new = {
    .name = "new",
    .summary = "a sensible scene for your own file: bunny.obj -> bunny.json",
    .help =
        "usage: thaw new FILE [--material NAME] [--drop | --hang] [-o SCENE.json] [OPTIONS]\n"
        "\n"
        "FILE is a closed surface (.obj, .ply, .stl), which is filled with tetrahedra, or a mesh (.msh, .mesh, .node,\n"
        ".vtu, ...), which is used as it is. Writes a scene that is ready for `thaw run`, and says what it chose.\n"
        "\n"
        "  --material NAME   what it is made of (silicone); see --list and docs/materials.md\n"
        "  --drop            as if it had just landed (there is no floor to fall on yet: its base is held)\n"
        "  --hang            held at its top instead of its base\n"
        "  -o SCENE.json     where to write (the file's name with .json, in this folder)\n"
        "  --elements N      about so many elements (6000, or more where parts are thin), or\n"
        "  --size METRES     elements of this size\n"
        "  --scale S         metres in one unit of the file, or\n"
        "  --height METRES   how tall it shall be; else its unit is guessed\n"
        "  --up x|y|z        which way is up in the file (y for .obj, else z)\n"
        "  --force           replace a scene that is there\n"
        "  --list            show the materials and end\n"
        "  --quiet           say only what is wrong\n",
    .run = run_new,
};
