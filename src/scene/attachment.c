// SPDX-License-Identifier: Apache-2.0
// Attachments: a group of a body, held to another body or an obstacle by name, or to a frame with keyframes of its own.
#include <stdio.h>
#include <string.h>

#include "scene/read.h"

// The index of a body by its name; or, where obstacles are allowed too, -1 - obstacle. INT32_MIN with an error.
static int32_t find_partner(const ThawPlace *place, int obstacles) {
    const ThawWorldDef *world = &place->reader->store->scene.world;
    const char *name = thaw_place_own_text(place);
    const int32_t count = world->body_count + (obstacles ? world->obstacle_count : 0);
    const char **names = name ? THAW_NEW(const char *, count) : NULL;
    int32_t found = INT32_MIN;
    if (name && !names)
        thaw_place_fail(place, THAW_ERROR_MEMORY, "out of memory");
    for (int32_t i = 0; names && i < count && found == INT32_MIN; i++) {
        names[i] = i < world->body_count ? world->bodies[i].name : world->obstacles[i - world->body_count].name;
        if (strcmp(names[i], name) == 0)
            found = i < world->body_count ? i : world->body_count - 1 - i;
    }
    if (names && found == INT32_MIN)
        thaw_place_refuse_name(place, obstacles ? "no body or obstacle of that name" : "no body of that name", name,
                               names, (size_t)count);
    thaw_free(names);
    return found;
}

// What it is held to: by name, or a frame.
static void read_holder(const ThawPlace *place, ThawAttachmentDef *attachment) {
    static const char *const interpolations[] = {"linear", "smooth"};
    static const char *const moves[] = {"keys", "centre", "interpolation"};
    const ThawWorldDef *world = &place->reader->store->scene.world;
    ThawPlace to = thaw_place_member(place, "to"), list = thaw_place_member(place, "keys");
    int interpolation = 0;
    for (int i = 0; i < 3 && to.value; i++) {
        ThawPlace member = thaw_place_member(place, moves[i]);
        if (member.value)
            thaw_place_refuse(&member, "a frame beside \"to\"", "either of them");
    }
    if (to.value) {
        const int32_t found = find_partner(&to, 1);
        if (found == attachment->body)
            thaw_place_refuse(&to, "a body held to itself", "another body, or an obstacle");
        attachment->other_body = found >= 0 ? found : -1;
        attachment->obstacle = found < 0 && found != INT32_MIN ? -1 - found : -1;
        return;
    }
    if (!place->reader->status)
        memcpy(attachment->centre, world->bodies[attachment->body].position, sizeof attachment->centre);
    thaw_place_vector(place, "centre", attachment->centre);
    thaw_place_choice(place, "interpolation", interpolations, 2, &interpolation);
    attachment->interpolation = (ThawInterpolation)interpolation;
    if (list.value)
        thaw_scene_read_keys(&list, &attachment->keys, &attachment->key_count);
}

static void read_attachment(const ThawPlace *place, ThawAttachmentDef *attachment) {
    static const char *const keys[] = {"body",    "group",     "name",
                                       "to",      "keys",      "interpolation",
                                       "centre",  "stiffness", "stiffness_per_area",
                                       "damping", "release",   "release_force",
                                       NULL};
    ThawSceneReader *reader = place->reader;
    char fallback[32];
    *attachment = thaw_attachment_def_default();
    if (!thaw_place_is_object(place, keys, 2))
        return;
    snprintf(fallback, sizeof fallback, "attachment-%zu", place->index);
    ThawPlace name = thaw_place_member(place, "name"), body = thaw_place_member(place, "body");
    ThawPlace group = thaw_place_member(place, "group"), area = thaw_place_member(place, "stiffness_per_area");
    ThawPlace stiffness = thaw_place_member(place, "stiffness");
    attachment->name = thaw_scene_keep_text(reader, name.value ? thaw_place_own_text(&name) : fallback);
    attachment->body = find_partner(&body, 0);
    if (reader->status)
        return;
    attachment->group = thaw_scene_find_group(&group, reader->bodies[attachment->body].shape);
    read_holder(place, attachment);
    thaw_place_number(place, "stiffness", thaw_range_positive, &attachment->stiffness);
    thaw_place_number(place, "stiffness_per_area", thaw_range_positive, &attachment->stiffness_per_area);
    if (stiffness.value && area.value)
        thaw_place_refuse(&area, "two stiffnesses", "\"stiffness\" or \"stiffness_per_area\"");
    thaw_place_number(place, "damping", thaw_range_not_negative, &attachment->damping);
    thaw_place_number(place, "release", thaw_range_positive, &attachment->release_time);
    thaw_place_number(place, "release_force", thaw_range_positive, &attachment->release_force);
}

void thaw_scene_read_attachments(const ThawPlace *list) {
    ThawSceneReader *reader = list->reader;
    ThawWorldDef *world = &reader->store->scene.world;
    size_t count;
    if (!list->value || !thaw_place_is_array(list, 0, &count))
        return;
    ThawAttachmentDef *defs = thaw_scene_keep(reader, count, sizeof *defs);
    world->attachments = defs;
    for (size_t i = 0; i < count && !reader->status; i++) {
        ThawPlace item = thaw_place_item(list, i);
        read_attachment(&item, &defs[i]);
        world->attachment_count++;
    }
}
