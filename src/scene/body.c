// SPDX-License-Identifier: Apache-2.0
// Bodies: a shape that was read before, placed, set in motion, and loaded with pins, scripts and forces. Linear in the
// size of the document, but for looking up shapes and groups by name (lists are short) and for sorting the bodies'
// names.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/mesh.h"
#include "scene/read.h"

enum { BODIES_AT_MOST = 1000000 };          // that one entry may stand for
static const double LARGEST_TURN = 179.999; // degrees between neighbouring keys: from 180 on the short way is another

static int32_t find_shape(const ThawPlace *place) {
    const ThawWorldDef *world = &place->reader->store->scene.world;
    const char *name = thaw_place_own_text(place);
    if (!name)
        return 0;
    size_t count = (size_t)world->shape_count;
    for (size_t i = 0; i < count; i++)
        if (strcmp(world->shapes[i].name, name) == 0)
            return (int32_t)i;
    const char **names = THAW_NEW(const char *, count);
    if (!names) {
        thaw_place_fail(place, THAW_ERROR_MEMORY, "out of memory");
        return 0;
    }
    for (size_t i = 0; i < count; i++)
        names[i] = world->shapes[i].name;
    thaw_place_refuse_name(place, "unknown shape", name, names, count);
    thaw_free(names);
    return 0;
}

// --- loads -----------------------------------------------------------------------------------------------------------

static void read_pin(const ThawPlace *place, int32_t shape, ThawScriptDef *script) {
    static const char *const keys[] = {"group", "release", NULL};
    *script = thaw_script_def_default();
    if (!json_is_object(place->value)) {
        script->group = thaw_scene_find_group(place, shape);
        return;
    }
    if (!thaw_place_is_object(place, keys, 1))
        return;
    ThawPlace group = thaw_place_member(place, "group");
    script->group = thaw_scene_find_group(&group, shape);
    thaw_place_number(place, "release", thaw_range_positive, &script->release);
}

static void read_key(const ThawPlace *place, ThawKey *key, double turn[3]) {
    static const char *const keys[] = {"time", "translation", "rotation", NULL};
    *key = (ThawKey){.rotation = {1, 0, 0, 0}};
    if (!thaw_place_is_object(place, keys, 1))
        return;
    thaw_place_number(place, "time", thaw_range_not_negative, &key->time);
    thaw_place_vector(place, "translation", key->translation);
    thaw_place_rotation(place, "rotation", key->rotation, turn);
}

// Neighbouring keys must ascend in time and be less than half a turn apart, measured between their rotation vectors:
// for a common axis that is the angle turned, and it is what whoever wrote the keys has in mind.
static void check_neighbours(const ThawPlace *place, ThawKey *key, const double turn[3], const double turn_before[3]) {
    if (place->reader->status)
        return;
    const ThawKey *before = key - 1;
    ThawPlace time = thaw_place_member(place, "time"), rotation = thaw_place_member(place, "rotation");
    char allowed[80];
    snprintf(allowed, sizeof allowed, "a time greater than %.12g, that of the key before", before->time);
    if (!(key->time > before->time))
        thaw_place_refuse(&time, "keys out of order", allowed);
    double apart = 0, dot = 0;
    for (int i = 0; i < 3; i++)
        apart = hypot(apart, turn[i] - turn_before[i]);
    if (apart > LARGEST_TURN)
        thaw_place_fail(rotation.value ? &rotation : place, THAW_ERROR_INPUT,
                        "a turn of %.6g degrees since the key before; allowed: less than 180, for keys are joined the "
                        "short way round: put more keys between, for example one each 120 degrees",
                        apart);
    for (int i = 0; i < 4; i++)
        dot += key->rotation[i] * before->rotation[i];
    for (int i = 0; i < 4 && dot < 0; i++) // q and -q turn the same way: the nearer one
        key->rotation[i] = -key->rotation[i];
}

void thaw_scene_read_keys(const ThawPlace *list, const ThawKey **keys, int32_t *key_count) {
    size_t count;
    if (!thaw_place_is_array(list, 1, &count))
        return;
    ThawKey *moves = thaw_scene_keep(list->reader, count, sizeof *moves);
    *keys = moves;
    *key_count = (int32_t)count;
    double turn[2][3] = {{0}}; // of the key and of the one before, by parity
    for (size_t i = 0; i < count && !list->reader->status; i++) {
        ThawPlace item = thaw_place_item(list, i);
        memset(turn[i % 2], 0, sizeof turn[0]);
        read_key(&item, &moves[i], turn[i % 2]);
        if (i > 0)
            check_neighbours(&item, &moves[i], turn[i % 2], turn[(i + 1) % 2]);
    }
}

static void read_script(const ThawPlace *place, const ThawBodyDef *body, ThawScriptDef *script) {
    static const char *const keys[] = {"group", "keys", "centre", "interpolation", "release", NULL};
    static const char *const interpolations[] = {
        [THAW_INTERPOLATE_LINEAR] = "linear",
        [THAW_INTERPOLATE_SMOOTH] = "smooth",
    };
    *script = thaw_script_def_default();
    if (!thaw_place_is_object(place, keys, 2))
        return;
    ThawPlace group = thaw_place_member(place, "group"), list = thaw_place_member(place, "keys");
    int interpolation = (int)script->interpolation;
    script->group = thaw_scene_find_group(&group, body->shape);
    memcpy(script->centre, body->position, sizeof script->centre);
    thaw_place_vector(place, "centre", script->centre);
    thaw_place_choice(place, "interpolation", interpolations, 2, &interpolation);
    script->interpolation = (ThawInterpolation)interpolation;
    thaw_place_number(place, "release", thaw_range_positive, &script->release);
    thaw_scene_read_keys(&list, &script->keys, &script->key_count);
}

// m. Positions are double numbers: farther away they are rounded by more than 1e-7 m.
static const double FARTHEST = 1e9;

static void refuse_far(const ThawPlace *place, const double position[3]) {
    ThawPlace member = thaw_place_member(place, "position");
    for (int k = 0; k < 3 && !place->reader->status; k++)
        if (!(fabs(position[k]) <= FARTHEST))
            thaw_place_fail(&member, THAW_ERROR_INPUT,
                            "too far away to tell its vertices apart (value %g m); allowed: %g to %g m", position[k],
                            -FARTHEST, FARTHEST);
}

static void read_force(const ThawPlace *place, int32_t shape, ThawForceDef *force) {
    static const char *const keys[] = {"group", "total", "per_vertex", "acceleration", "wind", "from",
                                       "to",    "ramp",  "air",        "drag",         "lift", NULL};
    static const char *const kinds[] = {
        [THAW_FORCE_TOTAL] = "total",
        [THAW_FORCE_PER_VERTEX] = "per_vertex",
        [THAW_FORCE_ACCELERATION] = "acceleration",
        [THAW_FORCE_WIND] = "wind",
        [THAW_FORCE_WIND + 1] = NULL,
    };
    *force = thaw_force_def_default();
    if (!thaw_place_is_object(place, keys, 1))
        return;
    ThawPlace group = thaw_place_member(place, "group"), to = thaw_place_member(place, "to");
    force->group = thaw_scene_find_group(&group, shape);
    int kind = thaw_place_which(place, kinds);
    if (kind < 0)
        return;
    force->kind = (ThawForceKind)kind;
    if (force->kind == THAW_FORCE_WIND && !thaw_mesh_is_sheet(place->reader->shapes[shape].mesh)) {
        ThawPlace wind = thaw_place_member(place, "wind");
        thaw_place_fail(&wind, THAW_ERROR_INPUT,
                        "wind on a solid; allowed: on sheets; \"total\", \"per_vertex\" or "
                        "\"acceleration\" push solids");
    }
    thaw_place_vector(place, kinds[kind], force->value);
    thaw_place_number(place, "from", thaw_range_not_negative, &force->from);
    thaw_place_number(place, "to", thaw_range_not_negative, &force->to);
    thaw_place_number(place, "ramp", thaw_range_not_negative, &force->ramp);
    for (int i = 8; i < 11; i++) {
        ThawPlace member = thaw_place_member(place, keys[i]);
        if (member.value && force->kind != THAW_FORCE_WIND)
            thaw_place_refuse(&member, "only wind has it", "\"air\", \"drag\" and \"lift\" beside \"wind\"");
    }
    thaw_place_number(place, "air", thaw_range_not_negative, &force->air);
    thaw_place_number(place, "drag", thaw_range_not_negative, &force->drag);
    thaw_place_number(place, "lift", thaw_range_not_negative, &force->lift);
    char allowed[64];
    snprintf(allowed, sizeof allowed, "a time greater than \"from\", which is %.12g", force->from);
    if (to.value && !(force->to > force->from))
        thaw_place_refuse(&to, "a window that never opens", allowed);
}

static void read_loads(const ThawPlace *place, ThawBodyDef *body) {
    ThawSceneReader *reader = place->reader;
    ThawPlace pins = thaw_place_member(place, "pins"), scripts = thaw_place_member(place, "scripts");
    ThawPlace forces = thaw_place_member(place, "forces");
    size_t pin_count = 0, script_count = 0, force_count = 0;
    if ((pins.value && !thaw_place_is_array(&pins, 0, &pin_count)) ||
        (scripts.value && !thaw_place_is_array(&scripts, 0, &script_count)) ||
        (forces.value && !thaw_place_is_array(&forces, 0, &force_count)))
        return;
    ThawScriptDef *script = thaw_scene_keep(reader, pin_count + script_count, sizeof *script);
    ThawForceDef *force = thaw_scene_keep(reader, force_count, sizeof *force);
    body->scripts = script;
    body->forces = force;
    for (size_t i = 0; i < pin_count + script_count && !reader->status; i++) {
        ThawPlace item = i < pin_count ? thaw_place_item(&pins, i) : thaw_place_item(&scripts, i - pin_count);
        if (i < pin_count)
            read_pin(&item, body->shape, &script[i]);
        else
            read_script(&item, body, &script[i]);
        body->script_count++;
    }
    for (size_t i = 0; i < force_count && !reader->status; i++) {
        ThawPlace item = thaw_place_item(&forces, i);
        read_force(&item, body->shape, &force[i]);
        body->force_count++;
    }
}

// --- bodies ----------------------------------------------------------------------------------------------------------

static void read_method(const ThawPlace *place, ThawBodyDef *body) {
    const char *names[THAW_SCENE_KEYS];
    int method = thaw_method_index(body->method);
    for (int i = 0; i < thaw_method_count(); i++)
        names[i] = thaw_method_at(i)->name;
    thaw_place_choice(place, "method", names, (size_t)thaw_method_count(), &method);
    body->method = names[method];
    thaw_scene_read_body_options(place, body);
}

// at: its index.
static void read_body(const ThawPlace *place, int32_t at, ThawBodyDef *body) {
    static const char *const own[] = {"shape",    "name",        "method", "position",     "rotation",
                                      "velocity", "spin",        "pins",   "scripts",      "forces",
                                      "friction", "repeat",      "start",  "self_contact", "changes",
                                      "unit",     "restitution", "joint",  "carried"};
    static const char *const starts[] = {"awake", "rest"};
    const char *keys[THAW_SCENE_KEYS];
    thaw_scene_list_keys(own, sizeof own / sizeof *own, keys);
    if (!thaw_place_is_object(place, keys, 1))
        return;
    ThawSceneReader *reader = place->reader;
    ThawPlace shape = thaw_place_member(place, "shape"), name = thaw_place_member(place, "name");
    ThawPlace spin = thaw_place_member(place, "spin");
    char fallback[32];
    snprintf(fallback, sizeof fallback, "body-%zu", place->index);
    body->shape = find_shape(&shape);
    body->name = thaw_scene_keep_text(reader, name.value ? thaw_place_own_text(&name) : fallback);
    read_method(place, body);
    ThawPlace method = thaw_place_member(place, "method");
    ThawPlace unit = thaw_place_member(place, "unit");
    if (unit.value)
        body->unit = thaw_scene_keep_text(reader, thaw_place_own_text(&unit));
    thaw_place_choice(place, "start", starts, sizeof starts / sizeof *starts, &body->at_rest);
    thaw_place_vector(place, "position", body->position);
    refuse_far(place, body->position);
    thaw_place_rotation(place, "rotation", body->rotation, NULL);
    thaw_place_vector(place, "velocity", body->velocity);
    if (reader->store->scene.world.dim == 2 && spin.value)
        body->spin[2] = thaw_place_own_number(&spin, thaw_range_any);
    else
        thaw_place_vector(place, "spin", body->spin);
    thaw_place_number(place, "friction", thaw_range_not_negative, &body->friction);
    thaw_place_number(place, "restitution", thaw_range_share, &body->restitution);
    ThawPlace self = thaw_place_member(place, "self_contact");
    if (self.value && !json_is_boolean(self.value))
        thaw_place_refuse(&self, "wrong type", "true or false");
    body->self_contact = json_is_true(self.value);
    read_loads(place, body);
    ThawPlace joint = thaw_place_member(place, "joint"), carried = thaw_place_member(place, "carried");
    if (joint.value)
        thaw_scene_read_joint(&joint, at, body);
    if (carried.value)
        thaw_scene_read_carried(&carried, at, body);
    ThawPlace repeat = thaw_place_member(place, "repeat");
    if ((joint.value || carried.value) && repeat.value)
        thaw_place_refuse(&repeat, "copies of what belongs to a skeleton", "an entry for each body of it");
    if ((joint.value || carried.value) && !method.value)
        body->method = "skeleton";
    ThawPlace list = thaw_place_member(place, "changes");
    size_t count;
    if (reader->status || !list.value || !thaw_place_is_array(&list, 0, &count))
        return;
    ThawChangeDef *changes = thaw_scene_keep(reader, count, sizeof *changes);
    body->changes = changes;
    for (size_t i = 0; i < count && !reader->status; i++) {
        ThawPlace item = thaw_place_item(&list, i);
        thaw_scene_read_change(&item, body->shape, &changes[i]);
        body->change_count++;
    }
}

// How many bodies an entry stands for: a grid of copies, or one.
static size_t read_grid(const ThawPlace *place, double count[3], double step[3]) {
    static const char *const keys[] = {"count", "step", NULL};
    ThawPlace repeat = thaw_place_member(place, "repeat"), grid = thaw_place_member(&repeat, "count");
    double total = 1;
    for (int k = 0; k < 3; k++)
        count[k] = 1, step[k] = 0;
    if (!json_is_object(place->value) || !repeat.value || !thaw_place_is_object(&repeat, keys, 2))
        return 1;
    thaw_place_own_vector(&grid, count);
    thaw_place_vector(&repeat, "step", step);
    for (int k = 0; k < place->reader->store->scene.world.dim; k++) {
        total *= count[k];
        if (!(count[k] >= 1 && floor(count[k]) == count[k] && total <= BODIES_AT_MOST)) {
            thaw_place_refuse(&grid, "no grid of copies", "integers of at least 1, at most 1000000 bodies in all");
            return 1;
        }
    }
    return (size_t)total;
}

// Copy number `index` of the first body of a grid: moved along, and so are the centres that its scripts turn about.
static void copy_body(ThawSceneReader *reader, const ThawBodyDef *first, const char *name, const double moved[3],
                      size_t index, ThawBodyDef *body) {
    *body = *first;
    size_t room = strlen(name) + 24;
    char *text = thaw_scene_keep(reader, room, 1);
    ThawScriptDef *scripts = thaw_scene_keep(reader, (size_t)first->script_count, sizeof *scripts);
    if (reader->status)
        return;
    snprintf(text, room, "%s-%zu", name, index);
    body->name = text;
    body->scripts = scripts;
    for (int k = 0; k < 3; k++)
        body->position[k] += moved[k];
    for (int32_t i = 0; i < first->script_count; i++) {
        scripts[i] = first->scripts[i];
        for (int k = 0; k < 3; k++)
            scripts[i].centre[k] += moved[k];
    }
}

static int compare_names(const void *a, const void *b) {
    const ThawBodyDef *const *p = a, *const *q = b;
    int order = strcmp((*p)->name, (*q)->name);
    return order ? order : (*p > *q) - (*p < *q); // in the order of the file
}

// entry: of each body, its place in the list.
static void check_names(const ThawPlace *place, const size_t *entry, size_t count) {
    ThawSceneReader *reader = place->reader;
    if (reader->status)
        return;
    const ThawBodyDef **sorted = THAW_NEW(const ThawBodyDef *, count);
    if (!sorted) {
        thaw_place_fail(place, THAW_ERROR_MEMORY, "out of memory");
        return;
    }
    for (size_t i = 0; i < count; i++)
        sorted[i] = &reader->bodies[i];
    qsort(sorted, count, sizeof *sorted, compare_names);
    for (size_t i = 1; i < count; i++)
        if (strcmp(sorted[i]->name, sorted[i - 1]->name) == 0) {
            ThawPlace body = thaw_place_item(place, entry[sorted[i] - reader->bodies]);
            ThawPlace name = thaw_place_member(&body, "name");
            thaw_place_fail(&name, THAW_ERROR_INPUT,
                            "the name \"%.60s\" is taken by bodies[%zu]; allowed: a name of its own for each body",
                            sorted[i]->name, entry[sorted[i - 1] - reader->bodies]);
            break;
        }
    thaw_free(sorted);
}

void thaw_scene_read_bodies(const ThawPlace *place) {
    ThawSceneReader *reader = place->reader;
    ThawWorldDef *world = &reader->store->scene.world;
    size_t count, total = 0, at = 0;
    double grid[3], step[3];
    if (!thaw_place_is_array(place, 1, &count))
        return;
    for (size_t i = 0; i < count && !reader->status; i++) {
        ThawPlace item = thaw_place_item(place, i);
        total += read_grid(&item, grid, step);
    }
    if (!reader->status && total > BODIES_AT_MOST)
        thaw_place_fail(place, THAW_ERROR_INPUT, "%zu bodies; allowed: at most %d", total, (int)BODIES_AT_MOST);
    reader->bodies = thaw_scene_keep(reader, total, sizeof *reader->bodies);
    size_t *entry = thaw_scene_keep(reader, total, sizeof *entry);
    world->bodies = reader->bodies;
    bool wrong = false;
    for (size_t i = 0; i < count && !reader->status; i++) {
        ThawPlace item = thaw_place_item(place, i);
        size_t copies = read_grid(&item, grid, step), nx = (size_t)grid[0], ny = (size_t)grid[1];
        ThawBodyDef first = thaw_body_def_default();
        read_body(&item, (int32_t)at, &first);
        for (size_t k = 0; k < copies && !reader->status; k++, at++) {
            double moved[3] = {step[0] * (double)(k % nx), step[1] * (double)(k / nx % ny),
                               step[2] * (double)(k / nx / ny)};
            entry[at] = i;
            if (copies == 1)
                reader->bodies[at] = first;
            else
                copy_body(reader, &first, first.name, moved, k, &reader->bodies[at]);
            world->body_count++;
        }
        wrong |= thaw_scene_note_error(reader);
    }
    if (wrong) // pairs need every body
        reader->status = THAW_ERROR_INPUT;
    check_names(place, entry, total);
}
