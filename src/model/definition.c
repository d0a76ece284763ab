// SPDX-License-Identifier: Apache-2.0
// Definitions that are kept: copying what they point to, and lists of items.
#include "model/definition.h"

#include <string.h>

// --- pieces ----------------------------------------------------------------------------------------------------------

struct ThawPiece {
    atomic_int owners;
    int32_t count, room;
    void **blocks;
    int failed; // memory ran out: some pointers are NULL
};

static ThawPiece *share_piece(ThawPiece *piece) {
    if (piece)
        atomic_fetch_add(&piece->owners, 1);
    return piece;
}

static void free_piece(ThawPiece **pointer) {
    ThawPiece *piece = *pointer;
    *pointer = NULL;
    if (!piece || atomic_fetch_sub(&piece->owners, 1) > 1)
        return;
    for (int32_t i = 0; i < piece->count; i++)
        thaw_free(piece->blocks[i]);
    thaw_free(piece->blocks);
    thaw_free(piece);
}

static ThawPiece *new_piece(void) {
    ThawPiece *piece = THAW_NEW(ThawPiece, 1);
    if (piece)
        piece->owners = 1;
    return piece;
}

// A block of the piece; NULL where memory ran out.
static void *new_block(ThawPiece *piece, size_t count, size_t size) {
    if (piece->count == piece->room) {
        void **more = thaw_regrow(piece->blocks, (size_t)piece->count, 2 * (size_t)piece->room + 4, sizeof *more);
        if (!more) {
            piece->failed = 1;
            return NULL;
        }
        piece->blocks = more;
        piece->room = 2 * piece->room + 4;
    }
    void *block = thaw_alloc(count, size);
    if (block)
        piece->blocks[piece->count++] = block;
    else
        piece->failed = 1;
    return block;
}

// What `from` points to, copied. Nothing is NULL; whether a negative count makes sense is for others to say.
static void *keep(ThawPiece *piece, const void *from, int64_t count, size_t size) {
    if (!from || count <= 0)
        return NULL;
    void *block = new_block(piece, (size_t)count, size);
    return block ? memcpy(block, from, size * (size_t)count) : NULL;
}

static char *keep_text(ThawPiece *piece, const char *text) {
    return keep(piece, text, text ? (int64_t)strlen(text) + 1 : 0, 1);
}

#define KEEP(piece, field, count) ((field) = keep(piece, field, (int64_t)(count), sizeof *(field)))
#define KEEP_TEXT(piece, field) ((field) = keep_text(piece, field))

// --- items: what they point to ---------------------------------------------------------------------------------------

static void keep_group(ThawPiece *piece, ThawGroupDef *group) {
    KEEP_TEXT(piece, group->name);
    KEEP_TEXT(piece, group->mesh_group);
}

static const ThawOptionDef *keep_options(ThawPiece *piece, const ThawOptionDef *options, int32_t count) {
    ThawOptionDef *rows = keep(piece, options, count, sizeof *rows);
    for (int32_t i = 0; rows && i < count; i++) {
        KEEP_TEXT(piece, rows[i].method);
        KEEP_TEXT(piece, rows[i].name);
    }
    return rows;
}

static void keep_material(ThawPiece *piece, void *item) {
    ThawMaterialDef *def = item;
    KEEP_TEXT(piece, def->name);
}

static ThawMesh *keep_mesh(ThawPiece *piece, const ThawMesh *from) {
    ThawMesh *mesh = keep(piece, from, 1, sizeof *mesh);
    if (!mesh)
        return NULL;
    KEEP(piece, mesh->x, (int64_t)mesh->dim * mesh->vertex_count);
    KEEP(piece, mesh->elements, (int64_t)mesh->nodes * mesh->element_count);
    KEEP(piece, mesh->region, mesh->element_count);
    KEEP(piece, mesh->region_names, mesh->region_count);
    KEEP(piece, mesh->groups, mesh->group_count);
    for (int32_t i = 0; mesh->region_names && i < mesh->region_count; i++)
        KEEP_TEXT(piece, mesh->region_names[i]);
    for (int32_t i = 0; mesh->groups && i < mesh->group_count; i++) {
        KEEP_TEXT(piece, mesh->groups[i].name);
        KEEP(piece, mesh->groups[i].vertices, mesh->groups[i].count);
    }
    return mesh;
}

static void keep_shape(ThawPiece *piece, void *item) {
    ThawShapeDef *def = item;
    const ThawMesh *mesh = def->mesh = keep_mesh(piece, def->mesh);
    KEEP_TEXT(piece, def->name);
    if (!mesh)
        return;
    KEEP(piece, def->region_material, mesh->region_count);
    KEEP(piece, def->uv, 2 * (int64_t)mesh->nodes * mesh->element_count);
    KEEP(piece, def->fibres, (int64_t)mesh->dim * mesh->element_count);
    KEEP(piece, def->stiffness, mesh->element_count);
    ThawGroupDef *groups = keep(piece, def->groups, def->group_count, sizeof *groups);
    for (int32_t i = 0; groups && i < def->group_count; i++)
        keep_group(piece, &groups[i]);
    def->groups = groups;
}

static void keep_body(ThawPiece *piece, void *item) {
    ThawBodyDef *def = item;
    KEEP_TEXT(piece, def->name);
    KEEP_TEXT(piece, def->method);
    KEEP_TEXT(piece, def->unit);
    ThawScriptDef *scripts = keep(piece, def->scripts, def->script_count, sizeof *scripts);
    for (int32_t i = 0; scripts && i < def->script_count; i++)
        KEEP(piece, scripts[i].keys, scripts[i].key_count);
    def->scripts = scripts;
    KEEP(piece, def->forces, def->force_count);
    ThawChangeDef *changes = keep(piece, def->changes, def->change_count, sizeof *changes);
    for (int32_t i = 0; changes && i < def->change_count; i++) {
        keep_group(piece, &changes[i].where);
        keep_group(piece, &changes[i].within);
    }
    def->changes = changes;
    KEEP(piece, def->rigidify, 1);
    def->options = keep_options(piece, def->options, def->option_count);
    ThawJointDef *joint = keep(piece, def->joint, 1, sizeof *joint);
    if (joint)
        KEEP(piece, joint->motor.keys, joint->motor.key_count);
    def->joint = joint;
    KEEP(piece, def->carried, def->carried_count);
}

static void keep_obstacle(ThawPiece *piece, void *item) {
    ThawObstacleDef *def = item;
    KEEP_TEXT(piece, def->name);
    KEEP(piece, def->keys, def->key_count);
}

// Of a mesh the numbers a vertex depend on the world's dimension.
static void keep_surface(ThawPiece *piece, ThawObstacleDef *def, int dim) {
    const int64_t vertices = (int64_t)dim * def->vertex_count;
    if (def->kind != THAW_OBSTACLE_MESH) {
        def->x = def->frames = def->frame_times = NULL;
        def->faces = NULL;
        return;
    }
    KEEP(piece, def->x, vertices);
    KEEP(piece, def->faces, (int64_t)dim * def->face_count);
    KEEP(piece, def->frames, vertices * def->frame_count);
    KEEP(piece, def->frame_times, def->frame_count);
}

static void keep_pair(ThawPiece *piece, void *item) {
    ThawPairDef *def = item;
    KEEP_TEXT(piece, def->first);
    KEEP_TEXT(piece, def->second);
}

static void keep_attachment(ThawPiece *piece, void *item) {
    ThawAttachmentDef *def = item;
    KEEP_TEXT(piece, def->name);
    KEEP(piece, def->keys, def->key_count);
    KEEP(piece, def->at, 3);
}

static const struct Kind {
    size_t size;
    void (*keep)(ThawPiece *piece, void *item);
} kinds[THAW_LIST_COUNT] = {
    [THAW_LIST_MATERIALS] = {sizeof(ThawMaterialDef), keep_material},
    [THAW_LIST_SHAPES] = {sizeof(ThawShapeDef), keep_shape},
    [THAW_LIST_BODIES] = {sizeof(ThawBodyDef), keep_body},
    [THAW_LIST_OBSTACLES] = {sizeof(ThawObstacleDef), keep_obstacle},
    [THAW_LIST_PAIRS] = {sizeof(ThawPairDef), keep_pair},
    [THAW_LIST_ATTACHMENTS] = {sizeof(ThawAttachmentDef), keep_attachment},
};

// --- lists -----------------------------------------------------------------------------------------------------------

static void *item_at(const ThawDefinition *d, ThawList list, int32_t index) {
    return (char *)d->lists[list].defs + kinds[list].size * (size_t)index;
}

// The definition's own pointers and counts.
static void point(ThawDefinition *d) {
    const struct ThawItems *l = d->lists;
    d->def.materials = l[THAW_LIST_MATERIALS].defs;
    d->def.shapes = l[THAW_LIST_SHAPES].defs;
    d->def.bodies = l[THAW_LIST_BODIES].defs;
    d->def.obstacles = l[THAW_LIST_OBSTACLES].defs;
    d->def.pairs = l[THAW_LIST_PAIRS].defs;
    d->def.attachments = l[THAW_LIST_ATTACHMENTS].defs;
    d->def.material_count = l[THAW_LIST_MATERIALS].count;
    d->def.shape_count = l[THAW_LIST_SHAPES].count;
    d->def.body_count = l[THAW_LIST_BODIES].count;
    d->def.obstacle_count = l[THAW_LIST_OBSTACLES].count;
    d->def.pair_count = l[THAW_LIST_PAIRS].count;
    d->def.attachment_count = l[THAW_LIST_ATTACHMENTS].count;
}

static ThawStatus reserve(ThawDefinition *d, ThawList list, int32_t room, ThawError *error) {
    struct ThawItems *items = &d->lists[list];
    if (room <= items->room && items->defs)
        return THAW_OK;
    void *defs = thaw_regrow(items->defs, (size_t)items->count, (size_t)room, kinds[list].size);
    if (defs)
        items->defs = defs;
    ThawEntry *entries = thaw_regrow(items->entries, (size_t)items->count, (size_t)room, sizeof *entries);
    if (entries)
        items->entries = entries;
    if (!defs || !entries)
        return thaw_error_memory(error, "the definition");
    items->room = room;
    point(d);
    return THAW_OK;
}

static void clear_entry(ThawEntry *entry) {
    free_piece(&entry->piece);
    free_piece(&entry->held);
    thaw_shape_free(&entry->compiled);
}

void thaw_definition_free(ThawDefinition **pointer) {
    ThawDefinition *d = *pointer;
    if (!d)
        return;
    for (int list = 0; list < THAW_LIST_COUNT; list++) {
        for (int32_t i = 0; i < d->lists[list].count; i++)
            clear_entry(&d->lists[list].entries[i]);
        thaw_free(d->lists[list].defs);
        thaw_free(d->lists[list].entries);
    }
    free_piece(&d->piece);
    thaw_materials_free(&d->shelf);
    thaw_free(d);
    *pointer = NULL;
}

// The piece of an item, whose pointers lead into it from then on.
static ThawStatus take(const ThawDefinition *d, ThawList list, void *item, ThawPiece **piece, ThawError *error) {
    if (!(*piece = new_piece()))
        return thaw_error_memory(error, "the definition");
    kinds[list].keep(*piece, item);
    if (list == THAW_LIST_OBSTACLES)
        keep_surface(*piece, item, d->def.dim);
    return (*piece)->failed ? thaw_error_memory(error, "the definition") : THAW_OK;
}

ThawStatus thaw_definition_add(ThawDefinition *d, ThawList list, const void *item, uint64_t id, ThawError *error) {
    struct ThawItems *items = &d->lists[list];
    if (items->count == INT32_MAX / 2)
        return thaw_error_set(error, THAW_ERROR_INPUT, "the world has no room for more than %d things of a kind",
                              INT32_MAX / 2);
    ThawStatus status = items->count < items->room ? THAW_OK : reserve(d, list, 2 * items->room + 4, error);
    if (status != THAW_OK)
        return status;
    ThawEntry *entry = &items->entries[items->count];
    void *to = item_at(d, list, items->count);
    memcpy(to, item, kinds[list].size);
    *entry = (ThawEntry){.id = id};
    status = take(d, list, to, &entry->piece, error);
    if (status != THAW_OK) {
        clear_entry(entry);
        return status;
    }
    items->count++;
    point(d);
    return THAW_OK;
}

ThawStatus thaw_definition_replace(ThawDefinition *d, ThawList list, int32_t index, const void *item,
                                   ThawError *error) {
    ThawEntry *entry = &d->lists[list].entries[index];
    ThawEntry fresh = {.id = entry->id, .user = entry->user};
    const size_t size = kinds[list].size;
    void *to = item_at(d, list, index), *before = thaw_alloc(1, size);
    if (!before)
        return thaw_error_memory(error, "the definition");
    memcpy(before, to, size);
    memcpy(to, item, size);
    ThawStatus status = take(d, list, to, &fresh.piece, error);
    if (status == THAW_OK) {
        clear_entry(entry); // only now: the new one may have pointed into it
        *entry = fresh;
    } else {
        clear_entry(&fresh);
        memcpy(to, before, size);
    }
    thaw_free(before);
    return status;
}

static void drop(ThawDefinition *d, ThawList list, int32_t index) {
    struct ThawItems *items = &d->lists[list];
    const size_t behind = (size_t)(items->count - index - 1);
    clear_entry(&items->entries[index]);
    memmove(item_at(d, list, index), item_at(d, list, index + 1), kinds[list].size * behind);
    memmove(&items->entries[index], &items->entries[index + 1], sizeof *items->entries * behind);
    items->count--;
    point(d);
}

// An index when one of its list has gone.
static void close_gap(int32_t *index, int32_t gone) { *index -= *index > gone; }

void thaw_definition_remove(ThawDefinition *d, ThawList list, int32_t index) {
    drop(d, list, index);
    if (list != THAW_LIST_BODIES && list != THAW_LIST_OBSTACLES)
        return;
    for (int32_t i = d->lists[THAW_LIST_ATTACHMENTS].count - 1; i >= 0; i--) {
        ThawAttachmentDef *a = item_at(d, THAW_LIST_ATTACHMENTS, i);
        if (list == THAW_LIST_OBSTACLES ? a->obstacle == index : a->body == index || a->other_body == index) {
            drop(d, THAW_LIST_ATTACHMENTS, i);
            continue;
        }
        if (list == THAW_LIST_OBSTACLES) {
            close_gap(&a->obstacle, index);
            continue;
        }
        close_gap(&a->body, index);
        close_gap(&a->other_body, index);
    }
}

static int has_material(const ThawShape *shape, int32_t material) {
    for (int32_t e = 0; e < shape->ne; e++)
        if (shape->cells->material[e] == material)
            return 1;
    return 0;
}

void thaw_definition_forget(ThawDefinition *d, int32_t material) {
    thaw_materials_free(&d->shelf);
    for (int32_t i = 0; i < d->lists[THAW_LIST_SHAPES].count; i++) {
        ThawEntry *entry = &d->lists[THAW_LIST_SHAPES].entries[i];
        if (entry->compiled && (material < 0 || has_material(entry->compiled, material)))
            thaw_shape_free(&entry->compiled);
    }
}

int32_t thaw_definition_find(const ThawDefinition *d, ThawList list, uint64_t id) {
    const ThawEntry *entries = d->lists[list].entries;
    int32_t low = 0, high = d->lists[list].count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (entries[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < d->lists[list].count && entries[low].id == id ? low : -1;
}

// --- the whole -------------------------------------------------------------------------------------------------------

static ThawStatus begin(const ThawWorldDef *def, ThawDefinition **result, ThawError *error) {
    ThawDefinition *d = *result = THAW_NEW(ThawDefinition, 1);
    if (!d)
        return thaw_error_memory(error, "the definition");
    d->def = *def;
    point(d);
    return THAW_OK;
}

ThawStatus thaw_definition_create(const ThawWorldDef *def, const ThawModel *model, uint64_t *next,
                                  ThawDefinition **result, ThawError *error) {
    const void *const from[THAW_LIST_COUNT] = {def->materials, def->shapes, def->bodies,
                                               def->obstacles, def->pairs,  def->attachments};
    const int32_t counts[THAW_LIST_COUNT] = {def->material_count, def->shape_count, def->body_count,
                                             def->obstacle_count, def->pair_count,  def->attachment_count};
    ThawStatus status = begin(def, result, error);
    ThawDefinition *d = *result;
    if (status == THAW_OK && !(d->piece = new_piece()))
        status = thaw_error_memory(error, "the definition");
    if (status == THAW_OK) {
        d->def.options = keep_options(d->piece, def->options, def->option_count);
        KEEP_TEXT(d->piece, d->def.source);
        status = d->piece->failed ? thaw_error_memory(error, "the definition") : THAW_OK;
    }
    for (int list = 0; list < THAW_LIST_COUNT && status == THAW_OK; list++) {
        status = reserve(d, (ThawList)list, counts[list], error);
        for (int32_t i = 0; i < counts[list] && status == THAW_OK; i++)
            status = thaw_definition_add(d, (ThawList)list, (const char *)from[list] + kinds[list].size * (size_t)i,
                                         (*next)++, error);
    }
    if (status == THAW_OK)
        status = thaw_definition_note(d, model, error);
    if (status != THAW_OK)
        thaw_definition_free(result);
    return status;
}

ThawStatus thaw_definition_copy(const ThawDefinition *from, ThawDefinition **result, ThawError *error) {
    ThawStatus status = begin(&from->def, result, error);
    ThawDefinition *d = *result;
    for (int list = 0; list < THAW_LIST_COUNT && status == THAW_OK; list++) {
        const struct ThawItems *items = &from->lists[list];
        status = reserve(d, (ThawList)list, items->count, error);
        if (status != THAW_OK)
            break;
        memcpy(d->lists[list].defs, items->defs, kinds[list].size * (size_t)items->count);
        memcpy(d->lists[list].entries, items->entries, sizeof *items->entries * (size_t)items->count);
        d->lists[list].count = items->count;
        for (int32_t i = 0; i < items->count; i++) {
            const ThawEntry *entry = &items->entries[i];
            share_piece(entry->piece);
            share_piece(entry->held);
            if (entry->compiled)
                thaw_shape_share(entry->compiled);
        }
    }
    if (status != THAW_OK) {
        thaw_definition_free(result);
        return status;
    }
    d->piece = share_piece(from->piece);
    d->shelf = thaw_materials_share(from->shelf);
    d->clock = from->clock;
    point(d);
    return THAW_OK;
}

ThawStatus thaw_definition_compile(const ThawDefinition *d, double time, const double *const *now,
                                   const ThawDrive *drives, ThawModel **model, ThawError *error) {
    const struct ThawItems *shapes = &d->lists[THAW_LIST_SHAPES], *attachments = &d->lists[THAW_LIST_ATTACHMENTS];
    ThawShape **compiled = THAW_NEW(ThawShape *, shapes->count);
    const ThawAnchors **held = THAW_NEW(const ThawAnchors *, attachments->count);
    ThawStatus status = compiled && held ? THAW_OK : thaw_error_memory(error, "the definition");
    if (status == THAW_OK) {
        for (int32_t i = 0; i < shapes->count; i++)
            compiled[i] = shapes->entries[i].compiled;
        for (int32_t i = 0; i < attachments->count; i++)
            held[i] = attachments->entries[i].held ? attachments->entries[i].held->blocks[0] : NULL;
        const ThawReuse reuse = {.shelf = d->shelf,
                                 .shapes = compiled,
                                 .held = held,
                                 .time = time,
                                 .now = now,
                                 .drives = drives,
                                 .lenient = 1};
        status = thaw_model_compile(&d->def, &reuse, model, error);
        if (status == THAW_OK)
            (*model)->clock = d->clock;
    }
    thaw_free(compiled);
    thaw_free(held);
    return status;
}

ThawStatus thaw_definition_note(ThawDefinition *d, const ThawModel *model, ThawError *error) {
    if (!d->shelf)
        d->shelf = thaw_materials_share(model->shelf);
    for (int32_t i = 0; i < d->lists[THAW_LIST_SHAPES].count; i++) {
        ThawEntry *entry = &d->lists[THAW_LIST_SHAPES].entries[i];
        if (!entry->compiled && !model->shapes[i]->hinges) // those are each body's own
            entry->compiled = thaw_shape_share(model->shapes[i]);
    }
    for (int32_t i = 0; i < d->lists[THAW_LIST_ATTACHMENTS].count; i++) {
        ThawEntry *entry = &d->lists[THAW_LIST_ATTACHMENTS].entries[i];
        const ThawAttachment *a = &model->attachments[i];
        if (entry->held)
            continue;
        ThawPiece *piece = entry->held = new_piece();
        ThawAnchors *anchors =
            piece ? new_block(piece, 1, sizeof *anchors + sizeof(ThawAnchor) * (size_t)a->count) : NULL;
        if (!anchors) {
            free_piece(&entry->held);
            return thaw_error_memory(error, "the definition");
        }
        anchors->begun = a->begun;
        anchors->count = a->count;
        memcpy(anchors->list, model->base_anchors + a->first, sizeof(ThawAnchor) * (size_t)a->count);
    }
    return THAW_OK;
}
