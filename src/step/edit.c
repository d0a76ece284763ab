// SPDX-License-Identifier: Apache-2.0
// Things that come and go, and settings that are others: a changed copy of the definition, a model compiled from it
// (what has been compiled before is taken over), a world made of that in the place of the old one, and the state of all
// that stays carried over. So nothing that follows from a definition can be forgotten, what is added is checked as if
// it had been there from the start, and a failure leaves the old world. Cost: as loading a checkpoint.
#include "step/edit.h"

#include <math.h>
#include <string.h>

#include "model/change.h"
#include "step/change.h"
#include "step/method.h"
#include "thaw/live.h"

// --- names -----------------------------------------------------------------------------------------------------------

static ThawId id_at(const ThawWorld *world, ThawList list, int32_t index) {
    const struct ThawItems *items = world ? &world->definition->lists[list] : NULL;
    return items && index >= 0 && index < items->count ? items->entries[index].id : 0;
}

static int32_t find(const ThawWorld *world, ThawList list, ThawId id) {
    return world ? thaw_definition_find(world->definition, list, id) : -1;
}

ThawId thaw_world_body_id(const ThawWorld *w, int32_t body) { return id_at(w, THAW_LIST_BODIES, body); }
ThawId thaw_world_obstacle_id(const ThawWorld *w, int32_t obstacle) { return id_at(w, THAW_LIST_OBSTACLES, obstacle); }
ThawId thaw_world_attachment_id(const ThawWorld *w, int32_t i) { return id_at(w, THAW_LIST_ATTACHMENTS, i); }
int32_t thaw_world_body_index(const ThawWorld *w, ThawId id) { return find(w, THAW_LIST_BODIES, id); }
int32_t thaw_world_obstacle_index(const ThawWorld *w, ThawId id) { return find(w, THAW_LIST_OBSTACLES, id); }
int32_t thaw_world_attachment_index(const ThawWorld *w, ThawId id) { return find(w, THAW_LIST_ATTACHMENTS, id); }

// What definitions that are added now talk about.
static const ThawDefinition *latest(const ThawWorld *world) {
    return world->edit ? world->edit->next : world->definition;
}

int32_t thaw_world_edit_index(const ThawWorld *world, ThawId id) {
    static const ThawList lists[3] = {THAW_LIST_BODIES, THAW_LIST_OBSTACLES, THAW_LIST_ATTACHMENTS};
    int32_t index = -1;
    for (int k = 0; k < 3 && world && index < 0; k++)
        index = thaw_definition_find(latest(world), lists[k], id);
    return index;
}

int32_t thaw_world_body_shape(const ThawWorld *world, ThawId body) {
    const int32_t index = world ? thaw_definition_find(latest(world), THAW_LIST_BODIES, body) : -1;
    return index >= 0 ? latest(world)->def.bodies[index].shape : -1;
}

static ThawEntry *entry_of(const ThawDefinition *d, ThawId id) {
    for (int list = 0; list < THAW_LIST_COUNT; list++) {
        const int32_t index = thaw_definition_find(d, (ThawList)list, id);
        if (index >= 0)
            return &d->lists[list].entries[index];
    }
    return NULL;
}

ThawStatus thaw_world_set_user(ThawWorld *world, ThawId id, void *user) {
    ThawEntry *entry = world ? entry_of(world->definition, id) : NULL;
    ThawEntry *next = world && world->edit ? entry_of(world->edit->next, id) : NULL;
    if (entry)
        entry->user = user;
    if (next)
        next->user = user;
    return entry || next ? THAW_OK : THAW_ERROR_INPUT;
}

void *thaw_world_user(const ThawWorld *world, ThawId id) {
    const ThawEntry *entry = world ? entry_of(world->definition, id) : NULL;
    if (!entry && world && world->edit)
        entry = entry_of(world->edit->next, id);
    return entry ? entry->user : NULL;
}

uint64_t thaw_world_edition(const ThawWorld *world) { return world ? world->edition : 0; }

// --- collecting ------------------------------------------------------------------------------------------------------

void thaw_edit_free(ThawWorld *world) {
    if (!world->edit)
        return;
    thaw_definition_free(&world->edit->next);
    thaw_free(world->edit->wake);
    thaw_free(world->edit);
    world->edit = NULL;
}

static ThawStatus begin(ThawWorld *world, const char *function, ThawError *error) {
    if (!world)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: world is NULL", function);
    if (world->edit)
        return THAW_OK;
    for (int32_t i = 0; i < world->model->body_count; i++) // joints name bodies by their places
        if (thaw_model_moved(world->model, i)->skeleton)
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "%s: body %d (%s) belongs to a skeleton; allowed: worlds without bones", function,
                                  (int)i, world->model->bodies[i].name);
    ThawEdit *edit = world->edit = THAW_NEW(ThawEdit, 1);
    ThawStatus status =
        edit ? thaw_definition_copy(world->definition, &edit->next, error) : thaw_error_memory(error, "an edit");
    if (status == THAW_OK && !(edit->wake = THAW_NEW(unsigned char, world->model->body_count)))
        status = thaw_error_memory(error, "an edit");
    if (status != THAW_OK)
        thaw_edit_free(world);
    return status;
}

// Where the vertices of a body's base shape are, by its internal numbers.
static double *gather_places(const ThawWorld *world, int32_t body) {
    const ThawModelBody *b = &world->model->bodies[body];
    const size_t dim = (size_t)world->model->dim;
    const double *x = world->state.x + (size_t)b->first_vertex * dim;
    int32_t *internal = THAW_NEW(int32_t, b->shape->points);
    double *places = THAW_NEW(double, (size_t)b->base->points *dim);
    if (internal && places) {
        thaw_shape_number(b->shape, internal);
        for (int32_t i = 0; i < b->base->points; i++)
            memcpy(places + (size_t)i * dim, x + (size_t)internal[b->base->vertex_user[i]] * dim, sizeof *x * dim);
    } else {
        thaw_free(places);
        places = NULL;
    }
    thaw_free(internal);
    return places;
}

static ThawStatus find_places(const ThawWorld *world, const ThawDefinition *next, const double **now,
                              ThawError *error) {
    const struct ThawItems *held = &next->lists[THAW_LIST_ATTACHMENTS];
    for (int32_t i = 0; i < held->count; i++) {
        const int32_t bodies[2] = {next->def.attachments[i].body, next->def.attachments[i].other_body};
        for (int k = 0; k < 2 && !held->entries[i].held; k++) {
            if (bodies[k] < 0 || bodies[k] >= next->def.body_count || now[bodies[k]])
                continue; // none, or refused later, or there already
            const int32_t before = find(world, THAW_LIST_BODIES, next->lists[THAW_LIST_BODIES].entries[bodies[k]].id);
            if (before >= 0 && !(now[bodies[k]] = gather_places(world, before)))
                return thaw_error_memory(error, "an edit");
        }
    }
    return THAW_OK;
}

static ThawStatus compile(const ThawWorld *world, const ThawDefinition *next, ThawModel **model, ThawError *error) {
    const int32_t bodies = next->def.body_count, obstacles = next->def.obstacle_count;
    const double **now = THAW_NEW(const double *, bodies);
    ThawDrive *drives = THAW_NEW(ThawDrive, obstacles);
    ThawStatus status = now && drives ? find_places(world, next, now, error) : thaw_error_memory(error, "an edit");
    for (int32_t i = 0; i < obstacles && status == THAW_OK; i++) {
        const int32_t before = find(world, THAW_LIST_OBSTACLES, next->lists[THAW_LIST_OBSTACLES].entries[i].id);
        if (before >= 0)
            drives[i] = world->model->obstacles[before].script.drive;
    }
    if (status == THAW_OK)
        status = thaw_definition_compile(next, world->state.time, now, drives, model, error);
    for (int32_t b = 0; b < bodies && now; b++)
        thaw_free((void *)now[b]);
    thaw_free(now);
    thaw_free(drives);
    return status;
}

// --- carrying out ----------------------------------------------------------------------------------------------------

// Systems of shapes that the new model has, too, are worth keeping: orderings and symbolic factors.
static ThawStatus lend_systems(ThawWorld *world, const ThawWorld *before, ThawError *error) {
    world->systems = THAW_NEW(ThawSystem *, before->system_count);
    if (!world->systems)
        return thaw_error_memory(error, "the reduced systems");
    for (int32_t i = 0; i < before->system_count; i++)
        if (thaw_model_shape_index(world->model, before->systems[i]->shape) >= 0)
            world->systems[world->system_count++] = before->systems[i];
    return THAW_OK;
}

ThawStatus thaw_world_remake(ThawWorld *world, ThawModel *model, ThawDefinition *definition, ThawFill fill,
                             const void *context, ThawError *error) {
    ThawWorld *before = THAW_NEW(ThawWorld, 1); // at another place: methods know the address of the world's step
    ThawStatus status = before ? THAW_OK : thaw_error_memory(error, "an edit");
    if (status != THAW_OK) {
        thaw_model_free(&model);
        thaw_definition_free(&definition);
        return status;
    }
    memcpy(before, world, sizeof *world);
    memset(world, 0, sizeof *world);
    world->model = model;
    world->definition = definition;
    world->next_id = before->next_id;
    world->edition = before->edition + 1;
    world->tasks = before->tasks;
    world->alone = before->alone;
    world->cancel = before->cancel;
    world->stop.wanted = before->stop.wanted;
    world->stop.context = before->stop.context;
    world->state.step = before->state.step;
    world->state.time = before->state.time;
    status = lend_systems(world, before, error);
    const int32_t lent = world->lent = world->system_count;
    if (status == THAW_OK)
        status = thaw_world_populate(world, &definition->def, error);
    if (status == THAW_OK)
        status = fill(world, before, context, error);
    world->lent = 0;
    if (status == THAW_OK) {
        int32_t kept = 0;
        for (int32_t i = 0; i < before->system_count; i++)
            if (thaw_model_shape_index(model, before->systems[i]->shape) < 0)
                before->systems[kept++] = before->systems[i];
        before->system_count = kept;
        before->tasks = before->alone = NULL;
        thaw_world_clear(before);
        thaw_definition_free(&before->definition);
        thaw_free(before);
        return THAW_OK;
    }
    world->system_count -= lent;
    if (world->system_count > 0)
        memmove(world->systems, world->systems + lent, sizeof(ThawSystem *) * (size_t)world->system_count);
    world->tasks = world->alone = NULL;
    thaw_world_clear(world);
    thaw_definition_free(&world->definition);
    memcpy(world, before, sizeof *world);
    thaw_free(before);
    return status;
}

static ThawStatus wake(ThawWorld *world, const ThawEdit *edit, ThawError *error) {
    if (edit->wake_all)
        return thaw_world_wake(world, -1);
    ThawStatus status = THAW_OK;
    for (int32_t b = 0; b < world->model->body_count && status == THAW_OK; b++)
        if (edit->wake[b]) {
            status = thaw_sleep_wake(world, b, error);
            world->state.slow[world->model->bodies[b].mover] = 0;
        }
    return status;
}

// Bodies that stay: whatever they start from, they have a state; and their units stay whole.
static ThawStatus settle_bodies(const ThawWorld *world, const ThawDefinition *next, ThawModel *model,
                                ThawError *error) {
    for (int32_t b = 0; b < model->body_count; b++) {
        const int32_t before = find(world, THAW_LIST_BODIES, next->lists[THAW_LIST_BODIES].entries[b].id);
        if (before < 0)
            continue;
        model->bodies[b].starts_at_rest = 0;
        const ThawModelBody *was = &world->model->bodies[before], *is = &model->bodies[b];
        if (was->moved != is->moved || b - is->mover != before - was->mover)
            return thaw_error_set(
                error, THAW_ERROR_INPUT,
                "body %d (%s): its unit would have other bodies; allowed: units that come and go as a "
                "whole, in one edit",
                (int)before, was->name);
    }
    return THAW_OK;
}

static ThawStatus carry_out(ThawWorld *world, ThawError *error) {
    ThawEdit edit = *world->edit;
    ThawModel *model = NULL;
    world->edit->next = NULL;
    world->edit->wake = NULL;
    thaw_edit_free(world);
    ThawStatus status = compile(world, edit.next, &model, error);
    if (status == THAW_OK)
        status = settle_bodies(world, edit.next, model, error);
    if (status == THAW_OK)
        status = thaw_definition_note(edit.next, model, error);
    if (status == THAW_OK)
        status = wake(world, &edit, error);
    thaw_free(edit.wake);
    if (status == THAW_OK)
        return thaw_world_remake(world, model, edit.next, thaw_carry, &edit.anew, error);
    thaw_model_free(&model);
    thaw_definition_free(&edit.next);
    return status;
}

// The end of a function that has changed the edit, or refused to: it is carried out, unless more is to come.
static ThawStatus end(ThawWorld *world, ThawStatus status, ThawError *error) {
    if (!world || !world->edit || world->edit->open)
        return status;
    if (status == THAW_OK)
        return carry_out(world, error);
    thaw_edit_free(world);
    return status;
}

ThawStatus thaw_world_begin_edit(ThawWorld *world, ThawError *error) {
    if (world && world->edit)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "thaw_world_begin_edit: an edit is open; allowed: one at a time");
    ThawStatus status = begin(world, "thaw_world_begin_edit", error);
    if (status == THAW_OK)
        world->edit->open = 1;
    return status;
}

ThawStatus thaw_world_end_edit(ThawWorld *world, ThawError *error) {
    if (!world || !world->edit)
        return thaw_error_set(error, THAW_ERROR_INPUT, "thaw_world_end_edit: %s",
                              world ? "no edit is open; allowed: after thaw_world_begin_edit" : "world is NULL");
    world->edit->open = 0;
    return end(world, THAW_OK, error);
}

void thaw_world_cancel_edit(ThawWorld *world) {
    if (world)
        thaw_edit_free(world);
}

// --- adding and removing ---------------------------------------------------------------------------------------------

static ThawStatus add(ThawWorld *world, ThawList list, const char *function, const void *def, ThawId *id,
                      int32_t *index, ThawError *error) {
    ThawStatus status = begin(world, function, error);
    if (status != THAW_OK)
        return status;
    if (!def)
        status = thaw_error_set(error, THAW_ERROR_INPUT, "%s: def is NULL", function);
    const ThawId own = world->next_id++;
    if (status == THAW_OK)
        status = thaw_definition_add(world->edit->next, list, def, own, error);
    if (status == THAW_OK && list == THAW_LIST_MATERIALS)
        thaw_materials_free(&world->edit->next->shelf); // there is one more
    if (status == THAW_OK && (list == THAW_LIST_OBSTACLES || list == THAW_LIST_PAIRS))
        world->edit->wake_all = 1; // bodies asleep are not looked for where obstacles stand
    const int32_t place = status == THAW_OK ? world->edit->next->lists[list].count - 1 : -1;
    status = end(world, status, error);
    if (id)
        *id = status == THAW_OK ? own : 0;
    if (index)
        *index = status == THAW_OK ? place : -1;
    return status;
}

ThawStatus thaw_world_add_material(ThawWorld *world, const ThawMaterialDef *def, int32_t *index, ThawError *error) {
    return add(world, THAW_LIST_MATERIALS, "thaw_world_add_material", def, NULL, index, error);
}

ThawStatus thaw_world_add_shape(ThawWorld *world, const ThawShapeDef *def, int32_t *index, ThawError *error) {
    return add(world, THAW_LIST_SHAPES, "thaw_world_add_shape", def, NULL, index, error);
}

ThawStatus thaw_world_add_body(ThawWorld *world, const ThawBodyDef *def, ThawId *id, ThawError *error) {
    return add(world, THAW_LIST_BODIES, "thaw_world_add_body", def, id, NULL, error);
}

ThawStatus thaw_world_add_obstacle(ThawWorld *world, const ThawObstacleDef *def, ThawId *id, ThawError *error) {
    return add(world, THAW_LIST_OBSTACLES, "thaw_world_add_obstacle", def, id, NULL, error);
}

ThawStatus thaw_world_add_pair(ThawWorld *world, const ThawPairDef *def, ThawError *error) {
    return add(world, THAW_LIST_PAIRS, "thaw_world_add_pair", def, NULL, NULL, error);
}

// A body of the definition that is being changed, in the world as it still is: to be woken.
static void mark(ThawWorld *world, int32_t body) {
    const struct ThawItems *bodies = &world->edit->next->lists[THAW_LIST_BODIES];
    const int32_t before =
        body >= 0 && body < bodies->count ? find(world, THAW_LIST_BODIES, bodies->entries[body].id) : -1;
    if (before >= 0)
        world->edit->wake[before] = 1;
}

ThawStatus thaw_world_add_attachment(ThawWorld *world, const ThawAttachmentDef *def, ThawId *id, ThawError *error) {
    ThawStatus status = begin(world, "thaw_world_add_attachment", error);
    if (status != THAW_OK)
        return status;
    if (def) {
        mark(world, def->body);
        mark(world, def->other_body);
    }
    return add(world, THAW_LIST_ATTACHMENTS, "thaw_world_add_attachment", def, id, NULL, error);
}

// Marks what has touched it: a body's index, or -1 - obstacle.
static void mark_company(ThawWorld *world, int32_t which) {
    const ThawContactSet *sets[2] = {&world->state.contacts, &world->state.resting};
    for (int s = 0; s < 2; s++)
        for (int32_t i = 0; i < sets[s]->memory_count; i++) {
            const int32_t *pair = sets[s]->memory[i].key.body;
            if (pair[0] != which && pair[1] != which)
                continue;
            for (int side = 0; side < 2; side++)
                if (pair[side] >= 0)
                    world->edit->wake[pair[side]] = 1;
        }
    for (int32_t i = 0; i < world->model->attachment_count; i++) {
        const ThawAttachment *a = &world->model->attachments[i];
        if (a->body != which && a->other != which)
            continue;
        world->edit->wake[a->body] = 1;
        if (a->other >= 0)
            world->edit->wake[a->other] = 1;
    }
}

static ThawStatus remove_thing(ThawWorld *world, ThawList list, const char *function, ThawId id, ThawError *error) {
    ThawStatus status = begin(world, function, error);
    if (status != THAW_OK)
        return status;
    const int32_t index = thaw_definition_find(world->edit->next, list, id), now = find(world, list, id);
    if (index < 0)
        status = thaw_error_set(error, THAW_ERROR_INPUT,
                                "%s: nothing has the id %llu; allowed: that of something that is there", function,
                                (unsigned long long)id);
    if (status == THAW_OK && now >= 0 && list == THAW_LIST_BODIES) {
        world->edit->wake[now] = 1;
        mark_company(world, now);
    }
    if (status == THAW_OK && now >= 0 && list == THAW_LIST_OBSTACLES)
        mark_company(world, -1 - now);
    if (status == THAW_OK && list == THAW_LIST_ATTACHMENTS) {
        mark(world, world->edit->next->def.attachments[index].body);
        mark(world, world->edit->next->def.attachments[index].other_body);
    }
    if (status == THAW_OK)
        thaw_definition_remove(world->edit->next, list, index);
    return end(world, status, error);
}

ThawStatus thaw_world_remove_body(ThawWorld *world, ThawId id, ThawError *error) {
    return remove_thing(world, THAW_LIST_BODIES, "thaw_world_remove_body", id, error);
}

ThawStatus thaw_world_remove_obstacle(ThawWorld *world, ThawId id, ThawError *error) {
    return remove_thing(world, THAW_LIST_OBSTACLES, "thaw_world_remove_obstacle", id, error);
}

ThawStatus thaw_world_remove_attachment(ThawWorld *world, ThawId id, ThawError *error) {
    return remove_thing(world, THAW_LIST_ATTACHMENTS, "thaw_world_remove_attachment", id, error);
}

// --- settings --------------------------------------------------------------------------------------------------------

static ThawStatus begin_setting(ThawWorld *world, const char *function, int is_null, ThawError *error) {
    if (is_null)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: what to set is NULL", function);
    ThawStatus status = begin(world, function, error);
    if (status == THAW_OK)
        world->edit->wake_all = world->edit->anew = 1;
    return status;
}

ThawStatus thaw_world_set_gravity(ThawWorld *world, const double gravity[3], ThawError *error) {
    ThawStatus status = begin_setting(world, "thaw_world_set_gravity", !gravity, error);
    if (status != THAW_OK)
        return status;
    memcpy(world->edit->next->def.gravity, gravity, sizeof world->edit->next->def.gravity);
    return end(world, THAW_OK, error);
}

ThawStatus thaw_world_set_h(ThawWorld *world, double h, ThawError *error) {
    ThawStatus status = begin_setting(world, "thaw_world_set_h", 0, error);
    if (status != THAW_OK)
        return status;
    world->edit->next->def.h = h;
    world->edit->next->clock = (ThawClock){world->state.time, world->state.step};
    return end(world, THAW_OK, error);
}

ThawStatus thaw_world_set_contact(ThawWorld *world, const ThawContactOptions *options, ThawError *error) {
    ThawStatus status = begin_setting(world, "thaw_world_set_contact", !options, error);
    if (status != THAW_OK)
        return status;
    world->edit->next->def.contact = *options;
    return end(world, THAW_OK, error);
}

static ThawStatus check_index(const char *function, const char *what, int32_t index, int32_t count, ThawError *error) {
    if (index >= 0 && index < count)
        return THAW_OK;
    return thaw_error_set(error, THAW_ERROR_INPUT, "%s: %s is %d; allowed: 0 to %d", function, what, (int)index,
                          (int)count - 1);
}

ThawStatus thaw_world_set_material(ThawWorld *world, int32_t material, const ThawMaterialDef *def, ThawError *error) {
    ThawStatus status = begin_setting(world, "thaw_world_set_material", !def, error);
    if (status != THAW_OK)
        return status;
    ThawDefinition *next = world->edit->next;
    status = check_index("thaw_world_set_material", "material", material, next->def.material_count, error);
    if (status == THAW_OK) {
        thaw_definition_forget(next, material);
        status = thaw_definition_replace(next, THAW_LIST_MATERIALS, material, def, error);
    }
    return end(world, status, error);
}

ThawStatus thaw_world_set_pressure(ThawWorld *world, int32_t shape, double pressure, ThawError *error) {
    ThawStatus status = begin_setting(world, "thaw_world_set_pressure", 0, error);
    if (status != THAW_OK)
        return status;
    ThawDefinition *next = world->edit->next;
    status = check_index("thaw_world_set_pressure", "shape", shape, next->def.shape_count, error);
    if (status == THAW_OK) {
        ThawShapeDef def = next->def.shapes[shape];
        def.pressure = pressure;
        status = thaw_definition_replace(next, THAW_LIST_SHAPES, shape, &def, error);
    }
    return end(world, status, error);
}

static ThawStatus check_friction(const char *function, const ThawWorld *world, double friction, ThawError *error) {
    if (!world)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: world is NULL", function);
    if (world->edit)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: an edit is open; allowed: outside of edits", function);
    if (!(friction >= 0) || !isfinite(friction))
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: friction is %g; allowed: >= 0", function, friction);
    return THAW_OK;
}

// Nothing is compiled from it: no edit is needed.
ThawStatus thaw_world_set_friction(ThawWorld *world, int32_t body, double friction, ThawError *error) {
    ThawStatus status = check_friction("thaw_world_set_friction", world, friction, error);
    if (status == THAW_OK)
        status = check_index("thaw_world_set_friction", "body", body, world->model->body_count, error);
    if (status == THAW_OK)
        status = thaw_world_wake(world, body);
    if (status != THAW_OK)
        return status;
    ((ThawBodyDef *)world->definition->lists[THAW_LIST_BODIES].defs)[body].friction = friction;
    world->model->bodies[body].friction = friction;
    return THAW_OK;
}

ThawStatus thaw_world_set_obstacle_friction(ThawWorld *world, int32_t obstacle, double friction, ThawError *error) {
    ThawStatus status = check_friction("thaw_world_set_obstacle_friction", world, friction, error);
    if (status == THAW_OK)
        status =
            check_index("thaw_world_set_obstacle_friction", "obstacle", obstacle, world->model->obstacle_count, error);
    if (status == THAW_OK)
        status = thaw_world_wake(world, -1);
    if (status != THAW_OK)
        return status;
    ((ThawObstacleDef *)world->definition->lists[THAW_LIST_OBSTACLES].defs)[obstacle].friction = friction;
    world->model->obstacles[obstacle].friction = friction;
    return THAW_OK;
}

void thaw_world_get_gravity(const ThawWorld *world, double gravity[3]) {
    memcpy(gravity, world->model->options.gravity, 3 * sizeof *gravity);
}

double thaw_world_h(const ThawWorld *world) { return world ? world->model->options.h : NAN; }

ThawStatus thaw_world_get_contact_options(const ThawWorld *world, ThawContactOptions *options) {
    if (!world || !options)
        return THAW_ERROR_INPUT;
    *options = world->model->options.contact;
    return THAW_OK;
}

ThawStatus thaw_world_get_material(const ThawWorld *world, int32_t material, ThawMaterialDef *def) {
    if (!world || !def || material < 0 || material >= world->definition->def.material_count)
        return THAW_ERROR_INPUT;
    *def = world->definition->def.materials[material];
    return THAW_OK;
}
