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
        ThawPlace group = thaw_place_member(place, "to_group");
        if (found == attachment->body && !group.value)
            thaw_place_refuse(&to, "a body held to itself", "another body, or an obstacle, or \"to_group\" beside it");
        if (group.value && found < 0 && found != INT32_MIN)
            thaw_place_refuse(&group, "a group of an obstacle", "groups of a body");
        else if (group.value && found >= 0)
            attachment->other_group = thaw_scene_find_group(&group, place->reader->bodies[found].shape);
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

// A spring of a length: from where, and how long.
static void read_line(const ThawPlace *place, ThawAttachmentDef *attachment) {
    static const char *const kinds[] = {"point", "distance"};
    ThawPlace length = thaw_place_member(place, "length"), at = thaw_place_member(place, "at");
    int kind = THAW_ATTACHMENT_POINT;
    thaw_place_choice(place, "kind", kinds, 2, &kind);
    attachment->kind = (ThawAttachmentKind)kind;
    const int distance = kind == THAW_ATTACHMENT_DISTANCE;
    if (length.value && !distance)
        thaw_place_refuse(&length, "a length of springs that have none", "\"length\" beside \"kind\": \"distance\"");
    if (at.value && !distance)
        thaw_place_refuse(&at, "an anchor of springs that have their own",
                          "\"at\" beside \"kind\": \"distance\"; a frame is moved by \"keys\"");
    if (json_is_string(length.value)) {
        if (strcmp(json_string_value(length.value), "start") != 0)
            thaw_place_refuse(&length, "no length", "a number of metres >= 0, or \"start\"");
    } else if (length.value) {
        attachment->length = thaw_place_own_number(&length, thaw_range_not_negative);
    }
    if (at.value) {
        double *point = thaw_scene_keep(place->reader, 3, sizeof *point);
        if (point)
            thaw_place_own_vector(&at, point);
        attachment->at = point;
    } else if (distance && attachment->other_body < 0 && !place->reader->status) {
        thaw_place_fail(
            place, THAW_ERROR_INPUT,
            "\"at\" is missing: a distance from %s needs a point; allowed: a point in space, where it is at "
            "the start",
            attachment->obstacle >= 0 ? "an obstacle" : "a frame");
    }
}

// What a seam is sewn to, and how long it takes.
static void read_seam(const ThawPlace *place, ThawAttachmentDef *attachment) {
    static const char *const own[] = {"to_group", "pairing", "close"}, *const pairings[] = {"nearest", "along"};
    int pairing = THAW_ATTACHMENT_NEAREST;
    for (int i = 0; i < 3; i++) {
        ThawPlace member = thaw_place_member(place, own[i]);
        if (member.value && attachment->kind != THAW_ATTACHMENT_DISTANCE)
            thaw_place_refuse(&member, "springs without a length", "\"kind\": \"distance\" beside it");
        if (member.value && i < 2 && attachment->other_group < 0)
            thaw_place_refuse(&member, "nothing that has groups", "\"to\" a body, and \"to_group\"");
    }
    thaw_place_choice(place, "pairing", pairings, 2, &pairing);
    attachment->pairing = (ThawAttachmentPairing)pairing;
    thaw_place_number(place, "close", thaw_range_positive, &attachment->close);
}

static void read_contact(const ThawPlace *place, ThawAttachmentDef *attachment) {
    ThawPlace contact = thaw_place_member(place, "contact");
    if (contact.value && !json_is_boolean(contact.value))
        thaw_place_refuse(&contact, "wrong type", "true or false");
    else if (contact.value)
        attachment->contact = json_is_true(contact.value) ? THAW_ATTACHMENT_CONTACT_ON : THAW_ATTACHMENT_CONTACT_OFF;
}

static void read_attachment(const ThawPlace *place, ThawAttachmentDef *attachment) {
    static const char *const keys[] = {"body",    "group",     "name",
                                       "to",      "keys",      "interpolation",
                                       "centre",  "stiffness", "stiffness_per_area",
                                       "damping", "release",   "release_force",
                                       "kind",    "length",    "at",
                                       "contact", "to_group",  "pairing",
                                       "close",   NULL};
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
    read_line(place, attachment);
    read_seam(place, attachment);
    read_contact(place, attachment);
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
