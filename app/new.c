// SPDX-License-Identifier: Apache-2.0
// `thaw new`: a scene for a user's own file. A surface or a solid is meshed inside the scene, so that one number there
// changes its resolution; a volume mesh is used as it is. Everything that had to be guessed (unit, which way is up,
// resolution, time step) is said, with the option that changes it, and written into the scene as comments.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json_text.h"
#include "new.h"
#include "reading.h"
#include "run.h"
#include "scene/kind.h"
#include "thaw/doctor.h"

enum {
    MATERIAL,
    DROP,
    HANG,
    OUT,
    SIZE,
    ELEMENTS,
    UNIT,
    SCALE,
    HEIGHT,
    UP,
    SHARPEN,
    SPLIT,
    FORCE,
    LIST,
    QUIET,
    DIMENSION,
    CLOTH,
    SHELL
};
static const AppOption options[] = {
    [MATERIAL] = {"--material", "NAME"},
    [DROP] = {"--drop", "[METRES]"},
    [HANG] = {"--hang", NULL},
    [OUT] = {"-o", "SCENE.json"},
    [SIZE] = {"--size", "METRES"},
    [ELEMENTS] = {"--elements", "N"},
    [UNIT] = {"--unit", "mm|cm|m|in"},
    [SCALE] = {"--scale", "S"},
    [HEIGHT] = {"--height", "METRES"},
    [UP] = {"--up", "x|y|z"},
    [SHARPEN] = {"--sharpen", NULL},
    [SPLIT] = {"--split", NULL},
    [FORCE] = {"--force", NULL},
    [LIST] = {"--list", NULL},
    [QUIET] = {"--quiet", NULL},
    [DIMENSION] = {"--dimension", "2|3"},
    [CLOTH] = {"--cloth", "NAME"},
    [SHELL] = {"--shell", "METRES"},
    {NULL, NULL},
};

// --- command line ----------------------------------------------------------------------------------------------------

static int parse_positive(const char *option, const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    if (end != text && !*end && *value > 0 && isfinite(*value))
        return 1;
    app_complain("new", "%s is '%s'; allowed: a number greater than 0", option, text);
    return 0;
}

static int find_material(AppPlan *plan) {
    plan->material = thaw_material_library_find(plan->material_name);
    if (plan->material)
        return 1;
    const char *names[64];
    int count = thaw_material_library_count();
    for (int i = 0; i < count && i < 64; i++)
        names[i] = thaw_material_library_get(i)->def.name;
    char all[800] = "";
    const char *near = app_suggest(plan->material_name, names, count < 64 ? count : 64);
    for (int i = 0; !near && i < count && i < 64; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "; allowed: ", names[i]);
    app_complain("new", "--material is '%s'%s%s%s%s; `thaw new --list` shows the library", plan->material_name,
                 near ? " (did you mean " : "", near ? near : "", near ? "?)" : "", all);
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

static int parse(AppPlan *plan, int argc, char **argv, int *list) {
    AppArguments a = {.argc = argc, .argv = argv, .next = 2, .table = options};
    const char *behind_drop = NULL; // a word there that is no number
    int ok = 1;
    for (int option; ok && (option = app_arguments_next(&a)) != APP_END;) {
        switch (option) {
        case MATERIAL:
            plan->material_name = a.value;
            plan->told = 1;
            break;
        case DROP:
        case HANG:
            if (plan->stance != APP_STAND && plan->stance != (option == DROP ? APP_DROP : APP_HANG)) {
                app_complain("new", "both --drop and --hang were given; allowed: one of them");
                return 0;
            }
            plan->stance = option == DROP ? APP_DROP : APP_HANG;
            ok = option == HANG || !a.value || parse_positive("--drop", a.value, &plan->drop);
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
        case UNIT:
            ok = app_parse_unit("new", a.value, &plan->unit);
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
        case DIMENSION:
            ok = app_parse_integer("new", "--dimension", a.value, 2, 3, &plan->dimension);
            break;
        case CLOTH:
            plan->material_name = a.value;
            plan->told = plan->sheet = 1;
            break;
        case SHELL:
            plan->sheet = 1;
            ok = parse_positive("--shell", a.value, &plan->thickness);
            break;
        case SHARPEN:
            plan->sharpen = 1;
            break;
        case SPLIT:
            plan->split = 1;
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
            behind_drop = strcmp(argv[a.next - 2], "--drop") == 0 ? a.value : behind_drop;
            if (!ok && behind_drop && access(behind_drop, F_OK) != 0)
                app_complain("new", "--drop is '%s'; allowed: metres above the floor, a number greater than 0",
                             behind_drop);
            else if (!ok)
                app_complain("new", "one file at a time: both '%s' and '%s' were given", plan->path, a.value);
            plan->path = a.value;
            break;
        default:
            ok = 0;
        }
    }
    if (ok && (plan->scale > 0) + (plan->height > 0) + (plan->unit != NULL) > 1) {
        app_complain("new", "--unit, --scale and --height exclude each other");
        ok = 0;
    }
    if (ok && plan->path && plan->dimension == 2 && app_plan_source(plan) == APP_MESH) {
        app_complain("new",
                     "--dimension is 2 for %s; allowed: a solid (.json), a drawing (.svg, .poly) or a flat surface "
                     "(.obj, .ply, .stl); flat meshes are known as such",
                     plan->path);
        ok = 0;
    }
    if (ok && !plan->path && !*list) {
        app_complain("new", "name your file: thaw new FILE.obj");
        ok = 0;
    }
    return ok;
}

static int check_file(const AppPlan *plan) {
    struct stat there = {0};
    if (stat(plan->path, &there) == 0 && !S_ISDIR(there.st_mode))
        return 1;
    app_complain("new",
                 "%s %s; allowed: a surface (.obj, .ply, .stl), a mesh (.msh, .mesh, .node, .vtu, .vtk), a drawing "
                 "(.svg, .poly) or a solid (.json)",
                 plan->path, S_ISDIR(there.st_mode) ? "is a folder" : "is not there");
    return 0;
}

// A scene needs none.
static int check_kind(const AppPlan *plan) {
    if (app_plan_source(plan) != APP_SOLID || thaw_json_kind(plan->path) != THAW_JSON_SCENE)
        return 1;
    app_complain("new",
                 "%s is a scene, ready for `thaw run`; allowed: a surface (.obj, .ply, .stl), a mesh (.msh, .mesh, "
                 ".node, .vtu, .vtk), a drawing (.svg, .poly) or a solid (.json)",
                 plan->path);
    return 0;
}

// --- paths -----------------------------------------------------------------------------------------------------------

// Behind slashes and "./".
static const char *skip_nothing(const char *path) {
    while (path[0] == '/' || (path[0] == '.' && path[1] == '/'))
        path += path[0] == '/' ? 1 : 2;
    return path;
}

// Leaves out the folders that both paths begin with; the first one is all folders up to its end.
static void skip_common(const char **folders, const char *end, const char **target) {
    if ((**folders == '/') != (**target == '/'))
        return;
    for (;;) {
        const char *a = skip_nothing(*folders), *b = skip_nothing(*target);
        const size_t length = strcspn(a, "/") + 1;
        *folders = a;
        *target = b;
        if (a >= end || strncmp(a, b, length) != 0)
            return;
        *folders += length;
        *target += length;
    }
}

// The mesh as seen from the scene's folder, the first `folder` characters of its path: from where the two part, up as
// many folders as that goes down, and then as it was given; where that does not lead there, in full.
static int name_mesh(AppPlan *plan, size_t folder) {
    char up[sizeof plan->mesh_path] = "", *absolute = NULL;
    const char *out = plan->out_path, *end = out + folder, *target = plan->path;
    skip_common(&out, end, &target);
    int plain = out >= end || plan->out_path[0] != '/';
    for (size_t length; out < end; out += length + 1) {
        length = strcspn(out, "/");
        plain &= strncmp(out, "..", length < 2 ? 2 : length) != 0;
        if (length > 0 && strncmp(out, ".", length) != 0 && strlen(up) + 4 < sizeof up)
            strcat(up, "../");
    }
    if (!plain || target[0] == '/')
        up[0] = '\0';
    if (!plain) {
        absolute = plan->path[0] == '/' ? NULL : realpath(plan->path, NULL);
        target = absolute ? absolute : plan->path;
    }
    int wanted = snprintf(plan->mesh_path, sizeof plan->mesh_path, "%s%s", up, target);
    free(absolute);
    return wanted < (int)sizeof plan->mesh_path;
}

static int same_file(const char *a, const char *b) {
    struct stat one, two;
    return stat(a, &one) == 0 && stat(b, &two) == 0 && one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

// The scene stands beside where it was called from unless told.
static int settle_paths(AppPlan *plan) {
    const char *slash = strrchr(plan->path, '/'), *base = slash ? slash + 1 : plan->path, *dot = strrchr(base, '.');
    int length = dot && dot != base ? (int)(dot - base) : (int)strlen(base);
    snprintf(plan->name, sizeof plan->name, "%.*s", length, base);
    int wanted = plan->out ? snprintf(plan->out_path, sizeof plan->out_path, "%s", plan->out)
                           : snprintf(plan->out_path, sizeof plan->out_path, "%.*s%s.json", length, base,
                                      app_plan_source(plan) == APP_SOLID ? "-scene" : "");
    const char *out_slash = strrchr(plan->out_path, '/');
    size_t folder = out_slash ? (size_t)(out_slash - plan->out_path) + 1 : 0;
    if (wanted >= (int)sizeof plan->out_path || strlen(plan->path) >= sizeof plan->mesh_path) {
        app_complain("new", "the name of a file is longer than %zu characters", sizeof plan->out_path - 1);
        return 0;
    }
    json_t *text = json_string(plan->path);
    json_decref(text);
    if (!text) {
        app_complain("new", "%s: a scene cannot hold this name, which is no UTF-8; rename the file or its folder",
                     plan->path);
        return 0;
    }
    if (!thaw_ends_with(plan->out_path, ".json")) {
        app_complain("new", "-o is '%s'; allowed: a name that ends in .json", plan->out_path);
        return 0;
    }
    if (!name_mesh(plan, folder)) {
        app_complain("new", "the name of a file is longer than %zu characters", sizeof plan->mesh_path - 1);
        return 0;
    }
    if (same_file(plan->path, plan->out_path)) {
        app_complain("new", "%s would be overwritten by its own scene; name another with -o", plan->path);
        return 0;
    }
    if (!plan->force && access(plan->out_path, F_OK) == 0) {
        app_complain("new", "%s is there already; name another with -o, or replace it with --force", plan->out_path);
        return 0;
    }
    return 1;
}

// What --force would replace may have been edited: it is kept as NAME~, or NAME~2, NAME~3, ... where that is there.
static int keep_old(const AppPlan *plan) {
    enum { MOST = 1000 };
    char kept[sizeof plan->out_path + 16];
    if (access(plan->out_path, F_OK) != 0)
        return 1;
    int taken = snprintf(kept, sizeof kept, "%s~", plan->out_path) > 0;
    for (int i = 2; i < MOST && (taken = access(kept, F_OK) == 0); i++)
        snprintf(kept, sizeof kept, "%s~%d", plan->out_path, i);
    if (taken || rename(plan->out_path, kept) != 0) {
        app_complain("new", "%s cannot be kept as %s; name another with -o", plan->out_path, kept);
        return 0;
    }
    if (!plan->quiet)
        printf("%s was there: kept as %s\n", plan->out_path, kept);
    return 1;
}

// The doctor's word on what was written; returns whether it can run.
static int print_check(const AppPlan *plan) {
    ThawDoctorReport *report = NULL;
    ThawError error = {0};
    if (app_doctor_file(plan->out_path, &report, &error)) {
        app_complain("new", "%s", error.message);
        return 0;
    }
    int ok = !report->errors;
    for (int32_t i = 0; i < report->complaint_count; i++) {
        const ThawComplaint *c = &report->complaints[i];
        if (c->severity == THAW_SEVERITY_ERROR)
            app_complain("new", "%s", c->what);
        else if (!plan->quiet) // the doctor's cure of a size is to edit the scene; here it can be told
            printf("%s: %s: %s; %s\n", thaw_severity_name(c->severity), c->where, c->what,
                   strcmp(c->id, "odd-size") == 0 ? "if the file is in another unit, say so: --unit mm, cm, m or in"
                                                  : c->cure);
    }
    thaw_doctor_report_free(&report);
    return ok;
}

// Where a run of the scene goes unless told: out/ and the scene's name.
static const char *scene_name(AppPlan *plan) {
    char *slash = strrchr(plan->out_path, '/'), *base = slash ? slash + 1 : plan->out_path;
    *strrchr(base, '.') = '\0';
    return base;
}

static int make_scene(AppPlan *plan, const char *program) {
    ThawError error = {0};
    if (!find_material(plan) || !check_file(plan) || !check_kind(plan) || !settle_paths(plan))
        return APP_WRONG_INPUT;
    ThawStatus status = app_plan_settle(plan, &error);
    if (status == THAW_ERROR_IO)
        status = THAW_ERROR_INPUT; // a file that cannot be read is wrong input
    if (!status && !keep_old(plan))
        return APP_WRONG_INPUT;
    if (!status)
        status = app_plan_write(plan, &error);
    if (status) {
        int named = strstr(error.message, plan->path) || strstr(error.message, plan->out_path);
        app_complain("new", "%s%s%s", named ? "" : plan->path, named ? "" : ": ", error.message);
        return app_exit_status(status);
    }
    if (!plan->quiet)
        app_plan_print(plan);
    if (!print_check(plan))
        return APP_WRONG_INPUT;
    if (plan->quiet)
        return APP_DONE;
    printf("wrote %s. Next:\n", plan->out_path);
    for (int live = 1; live >= 0; live--) {
        printf("  ");
        app_print_word(stdout, program);
        printf(live ? " view " : " run ");
        app_print_word(stdout, plan->out_path);
        printf("\n");
    }
    printf("  ");
    app_print_word(stdout, program);
    char run[sizeof plan->out_path + 8], picture[sizeof plan->out_path + 8];
    snprintf(run, sizeof run, "out/%s", scene_name(plan));
    snprintf(picture, sizeof picture, "%s.png", run + 4);
    printf(" render ");
    app_print_word(stdout, run);
    printf(" -o ");
    app_print_word(stdout, picture);
    printf(" --sheet 6\n");
    return APP_DONE;
}

static int run_new(int argc, char **argv) {
    AppPlan plan = {.material_name = "silicone", .up = -1};
    int list = 0;
    if (!parse(&plan, argc, argv, &list))
        return APP_WRONG_INPUT;
    if (list)
        return list_materials();
    int result = make_scene(&plan, argv[0]);
    app_plan_clear(&plan);
    return result;
}

const AppCommand app_command_new = {
    .name = "new",
    .summary = "a sensible scene for your own file: bunny.obj -> bunny.json",
    .help =
        "usage: thaw new FILE [--material NAME] [--drop [METRES] | --hang] [-o SCENE.json] [OPTIONS]\n"
        "\n"
        "FILE is a closed surface (.obj, .ply, .stl) or a solid (.json, docs/mesher.md), which is filled with "
        "tetrahedra,\n"
        "a drawing (.svg, .poly), which becomes triangles in the plane,\n"
        "or a mesh (.msh, .mesh, .node, .vtu, ...), which is used as it is. Writes a scene that is ready for `thaw "
        "run`, and says what it chose.\n"
        "\n"
        "  --material NAME   what it is made of (silicone); see --list and docs/materials.md\n"
        "  --cloth NAME      a sheet of that material (cotton, silk, wool, denim, ...: see --list), of the file's "
        "triangles as they are;\n"
        "                    what is open is one, and what is closed is filled unless this or --shell is given\n"
        "  --shell METRES    a sheet of that thickness\n"
        "  --drop [METRES]   let fall onto a floor, from so high (its own height), instead of standing, its base held\n"
        "  --hang            held at its top instead of its base\n"
        "  --split           make each separate piece of the file a body of its own, so that they collide\n"
        "  -o SCENE.json     where to write (the file's name with .json, in this folder)\n"
        "  --elements N      about so many elements (6000, or more where parts are thin), or\n"
        "  --size METRES     elements of this size\n"
        "  --sharpen         keep the sharp edges of a surface, for machine parts and furniture\n"
        "  --unit mm|cm|m|in the file's unit; else that of a surface is guessed by its size, and a mesh is in metres\n"
        "  --scale S         metres in one unit of the file, or\n"
        "  --height METRES   how tall it shall be\n"
        "  --up x|y|z        which way is up in the file (y for .obj, else z)\n"
        "  --dimension 2     a flat solid or surface becomes triangles in the plane, as drawings always do\n"
        "  --force           replace a scene that is there, which is kept as NAME~\n"
        "  --list            show the materials and end\n"
        "  --quiet           say only what is wrong\n",
    .run = run_new,
};
