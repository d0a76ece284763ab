// SPDX-License-Identifier: Apache-2.0
// A scene file becomes a world definition: the text is freed of comments, parsed by jansson (which names line and
// column of what is no JSON), and then read key by key in a fixed order: general settings, materials, shapes, bodies,
// each of which may name only what came before. docs/scene-format.md describes the format, docs/scene.schema.json is
// the same for programs. All memory hangs on the scene and is freed with it; the cost is that of the meshes.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "registry/scheme.h"
#include "scene/json.h"
#include "scene/read.h"

enum { FORMAT_VERSION = 1 };
static const size_t FILE_LIMIT = (size_t)256 << 20; // bytes: a scene is written by hand

// --- memory ----------------------------------------------------------------------------------------------------------

void *thaw_scene_keep(ThawSceneReader *reader, size_t count, size_t size) {
    ThawSceneStore *store = reader->store;
    if (reader->status)
        return NULL;
    if (store->block_count == store->block_room) {
        size_t room = 2 * store->block_room + 32;
        void **blocks = thaw_regrow(store->blocks, store->block_count, room, sizeof *blocks);
        if (!blocks) {
            reader->status = thaw_error_memory(reader->error, "a scene");
            return NULL;
        }
        store->blocks = blocks;
        store->block_room = room;
    }
    void *memory = thaw_alloc(count, size);
    if (memory)
        store->blocks[store->block_count++] = memory;
    else
        reader->status = thaw_error_memory(reader->error, "a scene");
    return memory;
}

char *thaw_scene_keep_text(ThawSceneReader *reader, const char *text) {
    size_t size = text ? strlen(text) + 1 : 0;
    char *copy = text ? thaw_scene_keep(reader, size, 1) : NULL;
    return copy ? memcpy(copy, text, size) : NULL;
}

void thaw_scene_free(ThawScene **scene) {
    if (!scene || !*scene)
        return;
    ThawSceneStore *store = (ThawSceneStore *)*scene;
    for (int32_t i = 0; i < store->mesh_count; i++)
        thaw_mesh_free(&store->meshes[i]);
    for (size_t i = 0; i < store->block_count; i++)
        thaw_free(store->blocks[i]);
    thaw_free(store->blocks);
    thaw_free(store);
    *scene = NULL;
}

// --- settings --------------------------------------------------------------------------------------------------------

static void read_time(const ThawPlace *time, ThawScene *scene) {
    static const char *const keys[] = {"step",     "steps",    "integrator", "newton_tolerance", "newton_iterations",
                                       "halvings", "substeps", "projection", "corrections",      NULL};
    const char *integrators[THAW_INTEGRATOR_COUNT];
    for (int i = 0; i < THAW_INTEGRATOR_COUNT; i++)
        integrators[i] = thaw_scheme((ThawIntegrator)i)->name;
    static const char *const projections[] = {
        [THAW_PROJECT_WHEN_NEEDED] = "when-needed",
        [THAW_PROJECT_ALWAYS] = "always",
        [THAW_PROJECT_NEVER] = "never",
    };
    static const ThawRange step = {1e-9, 10, false, false}, fraction = {0, 1, true, true};
    if (!time->value || !thaw_place_is_object(time, keys, 0))
        return;
    ThawWorldDef *world = &scene->world;
    int integrator = (int)world->integrator, projection = (int)world->projection;
    int64_t iterations = world->newton_iterations, halvings = world->halvings, substeps = world->substeps,
            corrections = world->corrections;
    thaw_place_number(time, "step", step, &world->h);
    thaw_place_integer(time, "steps", 1, 1000000000, &scene->steps);
    thaw_place_choice(time, "integrator", integrators, THAW_INTEGRATOR_COUNT, &integrator);
    thaw_place_number(time, "newton_tolerance", fraction, &world->newton_tolerance);
    thaw_place_integer(time, "newton_iterations", 1, 10000, &iterations);
    thaw_place_integer(time, "corrections", 0, 100, &corrections);
    thaw_place_integer(time, "halvings", 0, 20, &halvings);
    thaw_place_integer(time, "substeps", 0, 1000, &substeps);
    thaw_place_choice(time, "projection", projections, 3, &projection);
    world->integrator = (ThawIntegrator)integrator;
    world->projection = (ThawProjection)projection;
    world->newton_iterations = (int)iterations;
    world->corrections = (int)corrections;
    world->halvings = (int)halvings;
    world->substeps = (int)substeps;
}

static void read_solver(const ThawPlace *solver, ThawWorldDef *world) {
    static const char *const keys[] = {"name", "tolerance", NULL};
    static const char *const names[] = {
        [THAW_SOLVER_AUTO] = "auto",
        [THAW_SOLVER_PCG] = "pcg",
        [THAW_SOLVER_CHOLMOD] = "cholmod",
        [THAW_SOLVER_LDL] = "ldl",
        [THAW_SOLVER_PCG_SCALED] = "pcg-scaled",
    };
    static const ThawRange fraction = {0, 1, true, true};
    if (!solver->value || !thaw_place_is_object(solver, keys, 0))
        return;
    int kind = (int)world->solver;
    thaw_place_choice(solver, "name", names, 5, &kind);
    thaw_place_number(solver, "tolerance", fraction, &world->solver_tolerance);
    world->solver = (ThawSolverKind)kind;
}

static void read_output(const ThawPlace *output, ThawScene *scene) {
    static const char *const keys[] = {"every", "formats", "checkpoint_every", NULL};
    static const char *const formats[] = {"vtu", "obj", "ply"};
    static const unsigned bits[] = {THAW_FRAMES_VTU, THAW_FRAMES_OBJ, THAW_FRAMES_PLY};
    if (!output->value || !thaw_place_is_object(output, keys, 0))
        return;
    thaw_place_integer(output, "every", 1, 1000000000, &scene->frame_every);
    thaw_place_integer(output, "checkpoint_every", 0, 1000000000, &scene->checkpoint_every);
    ThawPlace list = thaw_place_member(output, "formats");
    size_t count;
    if (!list.value || !thaw_place_is_array(&list, 0, &count))
        return;
    scene->frames = 0;
    for (size_t i = 0; i < count; i++) {
        ThawPlace item = thaw_place_item(&list, i);
        const char *text = thaw_place_own_text(&item);
        size_t f = 0;
        while (text && f < 3 && strcmp(text, formats[f]) != 0)
            f++;
        if (!text || f == 3) {
            if (text)
                thaw_place_refuse_name(&item, "unknown format", text, formats, 3);
            return;
        }
        if (scene->frames & bits[f])
            thaw_place_refuse(&item, "a format named twice", "each format once");
        scene->frames |= bits[f];
    }
}

// What a JSON document is, by its keys.
static ThawJsonKind kind_of(const json_t *document) {
    static const char *const keys[] = {"thaw", "shapes", "bodies", NULL};
    for (int i = 0; keys[i]; i++)
        if (json_object_get(document, keys[i]))
            return THAW_JSON_SCENE;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)document, key, value) {
        if (thaw_scene_is_solid_key(key))
            return THAW_JSON_SOLID;
    }
    return THAW_JSON_OTHER;
}

static void read_document(ThawSceneReader *reader, json_t *document) {
    static const char *const own[] = {"thaw", "shapes", "bodies", "materials", "title",     "dimension", "gravity",
                                      "time", "solver", "output", "contact",   "obstacles", "pairs",     "attachments"};
    const char *keys[THAW_SCENE_KEYS];
    thaw_scene_list_keys(own, sizeof own / sizeof *own, keys);
    ThawPlace top = {.reader = reader, .value = document};
    ThawScene *scene = &reader->store->scene;
    if (kind_of(document) == THAW_JSON_SOLID) {
        thaw_place_fail(
            &top, THAW_ERROR_INPUT,
            "this is a solid, no scene; make a scene of it by `thaw new %s`, or a mesh by `thaw mesh %s -o FILE.msh`",
            reader->name, reader->name);
        return;
    }
    if (!thaw_place_is_object(&top, keys, 3))
        return;
    int64_t version = 0, dim = 3;
    thaw_place_integer(&top, "thaw", FORMAT_VERSION, FORMAT_VERSION, &version);
    thaw_place_integer(&top, "dimension", 2, 3, &dim);
    scene->world.dim = (int)dim;
    if (dim == 2) // down is -y in the plane
        memcpy(scene->world.gravity, (double[3]){0, -9.81, 0}, sizeof scene->world.gravity);
    ThawPlace title = thaw_place_member(&top, "title");
    if (title.value && !json_is_string(title.value))
        thaw_place_refuse(&title, "wrong type", "a text");
    scene->title = thaw_scene_keep_text(reader, title.value ? json_string_value(title.value) : "");
    thaw_place_vector(&top, "gravity", scene->world.gravity);
    thaw_scene_note_error(reader);
    ThawPlace time = thaw_place_member(&top, "time"), solver = thaw_place_member(&top, "solver");
    ThawPlace output = thaw_place_member(&top, "output"), materials = thaw_place_member(&top, "materials");
    ThawPlace shapes = thaw_place_member(&top, "shapes"), bodies = thaw_place_member(&top, "bodies");
    read_time(&time, scene);
    thaw_scene_note_error(reader);
    read_solver(&solver, &scene->world);
    thaw_scene_note_error(reader);
    read_output(&output, scene);
    thaw_scene_note_error(reader);
    thaw_scene_read_world_options(&top);
    thaw_scene_note_error(reader);
    thaw_scene_read_materials(&materials);
    thaw_scene_read_shapes(&shapes);
    thaw_scene_read_bodies(&bodies);
    thaw_scene_read_contact(&top);
    ThawPlace attachments = thaw_place_member(&top, "attachments");
    thaw_scene_read_attachments(&attachments);
    reader->store->scene.world.source = thaw_scene_keep_text(reader, reader->name);
}

// --- text and files --------------------------------------------------------------------------------------------------

// What is usually behind a complaint of the parser; "" when nothing comes to mind.
static const char *json_advice(const char *text) {
    static const char *const advice[][2] = {
        {"string or '}' expected", " (keys need double quotes, and the last one no comma)"},
        {"'}' expected", " (is a comma or a brace missing before it?)"},
        {"']' expected", " (is a comma or a bracket missing before it?)"},
        {"unexpected token", " (is there a comma too many before it, or a value missing?)"},
        {"duplicate object key", " (each key once)"},
        {"unexpected newline", " (a text ends on the line where it began)"},
        {"JSON_ALLOW_NUL", " (a text cannot hold this character)"},
        {"invalid token", " (numbers begin with a digit, texts with a double quote)"},
        {"end of file expected", " (something follows after the end of the scene)"},
        {"'[' or '{' expected", " (a scene begins with a brace)"},
        {"':' expected", " (a colon follows a key)"},
    };
    for (size_t i = 0; i < sizeof advice / sizeof *advice; i++)
        if (strstr(text, advice[i][0]))
            return advice[i][1];
    return "";
}

json_t *thaw_scene_parse_json(const char *text, size_t length, const char *name, ThawStatus *status, ThawError *error) {
    int line, column;
    size_t stripped;
    char *plain = thaw_scene_strip_comments(text, length, &stripped, &line, &column);
    if (!plain) {
        *status = line ? thaw_error_set(error, THAW_ERROR_INPUT,
                                        "%s:%d:%d: a comment begins here and never ends; "
                                        "allowed: // to the end of the line, or /* ... */",
                                        name, line, column)
                       : thaw_error_memory(error, "a scene's text");
        return NULL;
    }
    json_error_t wrong;
    json_t *document = thaw_json_parse(plain, stripped, JSON_REJECT_DUPLICATES, &wrong, status, error);
    thaw_free(plain);
    if (!document && *status == THAW_ERROR_INPUT)
        *status = thaw_error_set(error, THAW_ERROR_INPUT, "%s:%d:%d: %s%s; allowed: JSON with comments", name,
                                 wrong.line < 1 ? 1 : wrong.line, wrong.column < 1 ? 1 : wrong.column, wrong.text,
                                 json_advice(wrong.text));
    return document;
}

// A mesh, a surface or a drawing, by its ending; NULL: none of them.
static const char *kind_of_file(const char *path) {
    static const char *const endings[][2] = {{".obj", "a surface"}, {".ply", "a surface"}, {".stl", "a surface"},
                                             {".msh", "a mesh"},    {".mesh", "a mesh"},   {".meshb", "a mesh"},
                                             {".node", "a mesh"},   {".ele", "a mesh"},    {".poly", "a drawing"},
                                             {".vtk", "a mesh"},    {".vtu", "a mesh"},    {".svg", "a drawing"}};
    const char *ending = strrchr(path, '.');
    for (size_t i = 0; ending && i < sizeof endings / sizeof *endings; i++)
        if (strcasecmp(ending, endings[i][0]) == 0)
            return endings[i][1];
    return NULL;
}

// The first of all errors is the one that is returned; the last may be noted already.
static void end_errors(ThawSceneReader *reader) {
    ThawSceneErrors *all = reader->all;
    if (!all || (reader->status && reader->status != THAW_ERROR_INPUT))
        return;
    if (reader->status && (!all->count || strcmp(all->list[all->count - 1].message, reader->error->message) != 0))
        thaw_scene_note_error(reader);
    if (all->count) {
        *reader->error = all->list[0];
        reader->status = THAW_ERROR_INPUT;
    }
}

// all: NULL, or where all errors go; then error may not be NULL.
static ThawStatus parse_scene(const char *text, size_t length, const char *name, const char *folder,
                              const ThawReadOptions *options, ThawScene **scene, ThawSceneErrors *all,
                              ThawError *error) {
    ThawSceneReader reader = {
        .name = name ? name : "scene", .folder = folder, .options = options, .all = all, .error = error};
    if (kind_of_file(reader.name))
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: this is %s, no scene; make a scene first: thaw new %s",
                              reader.name, kind_of_file(reader.name), reader.name);
    json_t *document = thaw_scene_parse_json(text, length, reader.name, &reader.status, error);
    if (!document)
        return reader.status;
    reader.store = THAW_NEW(ThawSceneStore, 1);
    if (!reader.store) {
        json_decref(document);
        return thaw_error_memory(error, "a scene");
    }
    *scene = &reader.store->scene;
    (*scene)->world = thaw_world_def_default();
    (*scene)->steps = 600;
    (*scene)->frame_every = 1;
    (*scene)->frames = THAW_FRAMES_VTU;
    read_document(&reader, document);
    json_decref(document);
    end_errors(&reader);
    if (reader.status)
        thaw_scene_free(scene);
    else
        (*scene)->digest = thaw_scene_digest(&(*scene)->world);
    return reader.status;
}

ThawStatus thaw_scene_parse_with(const char *text, size_t length, const char *name, const char *folder,
                                 const ThawReadOptions *options, ThawScene **scene, ThawError *error) {
    if (!scene)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_scene_parse: scene is NULL; allowed: where to put it");
    *scene = NULL;
    if (!text)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_scene_parse: text is NULL; allowed: a scene's text");
    return parse_scene(text, length, name, folder, options, scene, NULL, error);
}

ThawStatus thaw_scene_parse(const char *text, size_t length, const char *name, const char *folder, ThawScene **scene,
                            ThawError *error) {
    return thaw_scene_parse_with(text, length, name, folder, NULL, scene, error);
}

// A pipe is what the shell hands over (standard input, <(...)). One that lies in a folder would be waited for, perhaps
// for ever.
static int is_endless(const char *path) {
    struct stat about;
    const int handed_over =
        strcmp(path, "/dev/stdin") == 0 || strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/proc/", 6) == 0;
    return !handed_over && stat(path, &about) == 0 && S_ISFIFO(about.st_mode);
}

// The whole file, of unknown size (it may be a pipe), in thaw_alloc's memory.
char *thaw_scene_read_text(const char *path, size_t *length, ThawStatus *status, ThawError *error) {
    if (is_endless(path)) {
        *status =
            thaw_error_set(error, THAW_ERROR_INPUT, "%s: a named pipe; allowed: a JSON file, or /dev/stdin", path);
        return NULL;
    }
    FILE *file = fopen(path, "rb");
    if (!file && errno == ENOMEM) {
        *status = thaw_error_memory(error, "a scene's file");
        return NULL;
    }
    if (!file) {
        *status = thaw_error_set(error, THAW_ERROR_INPUT, "%s: cannot be opened (%s); allowed: a JSON file", path,
                                 strerror(errno));
        return NULL;
    }
    size_t room = 1 << 16;
    char *text = thaw_alloc(room, 1);
    *length = 0;
    *status = text ? THAW_OK : thaw_error_memory(error, "a scene's text");
    while (!*status) {
        *length += fread(text + *length, 1, room - *length, file);
        if (ferror(file))
            *status = thaw_error_set(error, THAW_ERROR_IO, "%s: cannot be read (%s)", path, strerror(errno));
        if (*status || *length < room)
            break;
        char *more = room < FILE_LIMIT ? thaw_regrow(text, *length, 2 * room, 1) : NULL;
        if (room >= FILE_LIMIT)
            *status = thaw_error_set(error, THAW_ERROR_INPUT, "%s: too large; allowed: a scene below %zu bytes", path,
                                     FILE_LIMIT);
        else if (!more)
            *status = thaw_error_memory(error, "a scene's text");
        else
            text = more;
        room *= 2;
    }
    fclose(file);
    if (*status) {
        thaw_free(text);
        return NULL;
    }
    return text;
}

ThawJsonKind thaw_json_kind(const char *path) {
    ThawStatus status;
    size_t length;
    char *text = thaw_scene_read_text(path, &length, &status, NULL);
    json_t *document = text ? thaw_scene_parse_json(text, length, path, &status, NULL) : NULL;
    const ThawJsonKind kind = document ? kind_of(document) : THAW_JSON_OTHER;
    json_decref(document);
    thaw_free(text);
    return kind;
}

ThawStatus thaw_scene_load_with(const char *path, const ThawReadOptions *options, ThawScene **scene, ThawError *error) {
    if (!scene)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_scene_load: scene is NULL; allowed: where to put it");
    *scene = NULL;
    if (!path)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_scene_load: path is NULL; allowed: a file's name");
    return thaw_scene_load_all(path, options, scene, NULL, error);
}

ThawStatus thaw_scene_load(const char *path, ThawScene **scene, ThawError *error) {
    return thaw_scene_load_with(path, NULL, scene, error);
}

ThawStatus thaw_scene_load_all(const char *path, const ThawReadOptions *options, ThawScene **scene,
                               ThawSceneErrors *all, ThawError *error) {
    ThawStatus status;
    *scene = NULL;
    size_t length;
    char *text = thaw_scene_read_text(path, &length, &status, error);
    if (!text)
        return status;
    char *folder = thaw_strdup(path);
    if (folder) {
        char *slash = strrchr(folder, '/');
        folder[slash ? slash - folder + 1 : 0] = '\0'; // the slash stays: "/" is a folder, "" is the working one
        status = parse_scene(text, length, path, folder, options, scene, all, error);
    } else {
        status = thaw_error_memory(error, "a scene's folder");
    }
    thaw_free(folder);
    thaw_free(text);
    return status;
}
