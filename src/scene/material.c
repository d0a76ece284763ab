// SPDX-License-Identifier: Apache-2.0
// Materials: those that the scene declares, from scratch or like one of the library, and those of the library that a
// shape names without declaring them. A declared one goes before one of the library with the same name.
#include <string.h>

#include "scene/read.h"

// The material that this one is like; absent: the default.
static void read_like(const ThawPlace *place, ThawMaterialDef *material, double *sold_as) {
    ThawPlace like = thaw_place_member(place, "like");
    const char *text = like.value ? thaw_place_own_text(&like) : NULL, *name = material->name;
    if (!text)
        return;
    const ThawLibraryMaterial *found = thaw_material_library_find(text);
    if (found) {
        *material = found->def;
        *sold_as = found->thickness;
        material->name = name;
        return;
    }
    size_t count = (size_t)thaw_material_library_count();
    const char **names = THAW_NEW(const char *, count);
    if (!names) {
        thaw_place_fail(&like, THAW_ERROR_MEMORY, "out of memory");
        return;
    }
    for (size_t i = 0; i < count; i++)
        names[i] = thaw_material_library_get((int)i)->def.name;
    thaw_place_refuse_name(&like, "the library has no such material", text, names, count);
    thaw_free(names);
}

// Of a woven cloth, beside what holds along its warp.
static void read_weave(const ThawPlace *place, ThawMaterialDef *material) {
    static const char *const keys[] = {"weft_young", "shear", "bending", NULL};
    ThawPlace weave = thaw_place_member(place, "weave");
    if (weave.value && json_is_false(weave.value)) { // like a fabric, but not woven
        material->weave = (ThawWeave){0};
        return;
    }
    if (!weave.value || !thaw_place_is_object(&weave, keys, 0))
        return;
    ThawPlace bending = thaw_place_member(&weave, "bending");
    thaw_place_number(&weave, "weft_young", thaw_range_positive, &material->weave.weft_young);
    thaw_place_number(&weave, "shear", thaw_range_positive, &material->weave.shear);
    if (bending.value && json_array_size(bending.value) != 3)
        thaw_place_refuse(&bending, "no rigidities", "an array of 3 numbers: along the warp, along the weft, twist");
    for (size_t i = 0; i < 3 && bending.value && !place->reader->status; i++) {
        ThawPlace item = thaw_place_item(&bending, i);
        material->weave.bending[i] = thaw_place_own_number(&item, thaw_range_not_negative);
    }
}

// Of a solid with fibres.
static void read_fibre(const ThawPlace *place, ThawMaterialDef *material) {
    static const char *const keys[] = {"stiffness", "exponent", "slack", NULL};
    ThawPlace fibre = thaw_place_member(place, "fibre");
    if (!fibre.value || !thaw_place_is_object(&fibre, keys, 1))
        return;
    thaw_place_number(&fibre, "stiffness", thaw_range_not_negative, &material->fibre.stiffness);
    thaw_place_number(&fibre, "exponent", thaw_range_not_negative, &material->fibre.exponent);
    ThawPlace slack = thaw_place_member(&fibre, "slack");
    if (slack.value && !json_is_boolean(slack.value))
        thaw_place_refuse(&slack, "wrong type", "true or false");
    material->fibre.slack = slack.value && json_is_true(slack.value);
}

// Of a sheet: [least, largest], 0 or null for none.
static void read_limits(const ThawPlace *place, ThawMaterialDef *material) {
    static const ThawRange below = {0, 1, false, true}, above = {1, THAW_SCENE_HUGE, true, true};
    ThawPlace limits = thaw_place_member(place, "strain_limits");
    if (!limits.value)
        return;
    if (json_array_size(limits.value) != 2) {
        thaw_place_refuse(&limits, "no limits", "an array of 2: a stretch below 1 and one above it; null for none");
        return;
    }
    for (size_t i = 0; i < 2 && !place->reader->status; i++) {
        ThawPlace item = thaw_place_item(&limits, i);
        material->strain_limits[i] =
            json_is_null(item.value) ? 0 : thaw_place_own_number(&item, i == 0 ? below : above);
    }
}

static void read_material(const ThawPlace *place, ThawMaterialDef *material, double *sold_as) {
    static const char *const keys[] = {"like",           "model",          "constants", "density",       "young",
                                       "poisson",        "alpha0",         "alpha1",    "damping",       "weave",
                                       "edge_stiffness", "area_stiffness", "fibre",     "strain_limits", NULL};
    static const char *const constants[] = {
        [THAW_CONSTANTS_MATCHED] = "matched",
        [THAW_CONSTANTS_UNMODIFIED] = "unmodified",
    };
    static const char *const dampings[] = {
        [THAW_DAMPING_AUTO] = "auto",
        [THAW_DAMPING_STIFFNESS] = "stiffness",
        [THAW_DAMPING_VISCOUS] = "viscous",
    };
    static const ThawRange poisson = {-1, 0.5, true, true};
    static const ThawRange densities = {1e-12, THAW_SCENE_HUGE, false, false}; // less is rounding beside any stiffness
    const char *models[THAW_MATERIAL_MODEL_COUNT];
    for (int i = 0; i < THAW_MATERIAL_MODEL_COUNT; i++)
        models[i] = thaw_material_model_name((ThawMaterialModel)i);
    if (!thaw_place_is_object(place, keys, 0))
        return;
    read_like(place, material, sold_as);
    int model = (int)material->model, choice = (int)material->constants, damping = (int)material->damping;
    thaw_place_choice(place, "model", models, THAW_MATERIAL_MODEL_COUNT, &model);
    thaw_place_choice(place, "constants", constants, 2, &choice);
    thaw_place_choice(place, "damping", dampings, 3, &damping);
    ThawPlace which = thaw_place_member(place, "constants");
    if (which.value && model != THAW_MATERIAL_STABLE_NEO_HOOKEAN)
        thaw_place_refuse(&which, "only the model stable-neo-hookean has a choice of constants", "to leave it out");
    thaw_place_number(place, "density", densities, &material->density);
    const double young = material->young;
    thaw_place_number(place, "young", thaw_range_positive, &material->young);
    material->weave.weft_young *= material->young / young; // of a fabric that this one is like: in proportion
    thaw_place_number(place, "poisson", poisson, &material->poisson);
    thaw_place_number(place, "alpha0", thaw_range_not_negative, &material->alpha0);
    thaw_place_number(place, "alpha1", thaw_range_not_negative, &material->alpha1);
    thaw_place_number(place, "edge_stiffness", thaw_range_not_negative, &material->edge_stiffness);
    thaw_place_number(place, "area_stiffness", thaw_range_not_negative, &material->area_stiffness);
    read_weave(place, material);
    read_fibre(place, material);
    read_limits(place, material);
    material->model = (ThawMaterialModel)model;
    material->constants = (ThawMaterialConstants)choice;
    material->damping = (ThawDamping)damping;
}

void thaw_scene_read_materials(const ThawPlace *place) {
    ThawSceneReader *reader = place->reader;
    ThawWorldDef *world = &reader->store->scene.world;
    size_t count = 0;
    if (place->value && !thaw_place_is_catalogue(place, 0, &count))
        return;
    reader->materials =
        thaw_scene_keep(reader, count + (size_t)thaw_material_library_count(), sizeof *reader->materials);
    reader->sold_as = thaw_scene_keep(reader, count + (size_t)thaw_material_library_count(), sizeof *reader->sold_as);
    if (reader->status)
        return;
    world->materials = reader->materials;
    const char *name;
    json_t *value;
    json_object_foreach(place->value, name, value) {
        if (reader->status)
            return;
        ThawPlace member = thaw_place_member(place, name);
        double *sold_as = &reader->sold_as[world->material_count];
        ThawMaterialDef *material = &reader->materials[world->material_count++];
        *material = thaw_material_def_default();
        material->name = thaw_scene_keep_text(reader, name);
        read_material(&member, material, sold_as);
        thaw_scene_note_error(reader); // its name stands, and shapes may refer to it
    }
}

// Refuses a name that no material has, listing the scene's own first, then the library.
static void refuse_material(const ThawPlace *place, const char *name, const ThawWorldDef *world) {
    size_t own = (size_t)world->material_count, count = own + (size_t)thaw_material_library_count();
    const char **names = THAW_NEW(const char *, count);
    if (!names) {
        thaw_place_fail(place, THAW_ERROR_MEMORY, "out of memory");
        return;
    }
    for (size_t i = 0; i < own; i++)
        names[i] = world->materials[i].name;
    for (size_t i = own; i < count; i++)
        names[i] = thaw_material_library_get((int)(i - own))->def.name;
    for (size_t i = own; i < count; i++)
        for (size_t k = 0; k < own; k++)
            if (strcmp(names[i], names[k]) == 0)
                names[i] = ""; // the scene's own goes first
    thaw_place_refuse_name(place, "unknown material", name, names, count);
    thaw_free(names);
}

int32_t thaw_scene_find_material(const ThawPlace *place) {
    ThawSceneReader *reader = place->reader;
    ThawWorldDef *world = &reader->store->scene.world;
    const char *name = thaw_place_own_text(place);
    if (!name)
        return 0;
    for (int32_t i = 0; i < world->material_count; i++)
        if (strcmp(world->materials[i].name, name) == 0)
            return i;
    const ThawLibraryMaterial *found = thaw_material_library_find(name);
    if (!found) {
        refuse_material(place, name, world);
        return 0;
    }
    reader->sold_as[world->material_count] = found->thickness;
    reader->materials[world->material_count] = found->def;
    return world->material_count++;
}
