// SPDX-License-Identifier: Apache-2.0
// Motion from code. A drive is two keyframes: where a thing is now, and where it is to be when. So all that asks
// keyframes for places and velocities (contact, scripts, springs, sleep) needs to know nothing of it.
#include <math.h>
#include <string.h>

#include "contact/collider.h"
#include "math/vec3.h"
#include "step/step.h"
#include "thaw/live.h"

// c = a b of quaternions (w, x, y, z).
static void multiply(const double a[4], const double b[4], double c[4]) {
    c[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    c[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    c[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    c[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

// Checks what a caller gives, and fills a drive from where the script is now to `pose`.
static ThawStatus aim(const char *where, const ThawWorld *world, const ThawScript *script, const double translation[3],
                      const double rotation[4], double duration, ThawDrive *drive, ThawError *error) {
    const ThawModel *model = world->model;
    static const double unturned[4] = {1, 0, 0, 0};
    ThawPose now;
    if (!(duration >= 0) || !isfinite(duration))
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: duration is %g s; allowed: >= 0", where, duration);
    if (world->edit)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: an edit is open; allowed: outside of edits", where);
    ThawStatus status = thaw_check_vector(where, "translation", translation, model->dim, error);
    *drive = (ThawDrive){.on = 1};
    if (status == THAW_OK)
        status = thaw_check_rotation(where, model->dim, rotation ? rotation : unturned, drive->keys[1].rotation, error);
    if (status != THAW_OK)
        return status;
    thaw_script_pose(script, world->state.time, &now);
    drive->keys[0].time = world->state.time;
    // A step's end is rounded: what is to be reached in a step is reached by it.
    drive->keys[1].time =
        duration > 0 ? world->state.time + duration : thaw_model_time(model, (double)world->state.step + 1);
    memcpy(drive->keys[0].translation, now.translation, sizeof now.translation);
    memcpy(drive->keys[0].rotation, now.rotation, sizeof now.rotation);
    memcpy(drive->keys[1].translation, translation, sizeof(double) * (size_t)model->dim);
    return THAW_OK;
}

static ThawStatus missing(const char *where, const char *what, int32_t index, int32_t count, ThawError *error) {
    return thaw_error_set(error, THAW_ERROR_INPUT, "%s: %s is %d; allowed: 0 to %d", where, what, (int)index,
                          (int)count - 1);
}

// What the search has noted of obstacles that stood still is of no use any more.
void thaw_drives_forget_places(ThawWorld *world) {
    thaw_contact_scratch_free(&world->state.contacts.scratch);
    thaw_contact_scratch_free(&world->state.resting.scratch);
    thaw_contact_scratch_free(&world->missed.scratch);
    thaw_contact_scratch_free(&world->waiting.scratch);
}

ThawStatus thaw_world_move_obstacle(ThawWorld *world, int32_t obstacle, const double position[3],
                                    const double rotation[4], double duration, ThawError *error) {
    const char *where = "thaw_world_move_obstacle";
    if (!world || !position)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: %s is NULL", where, world ? "position" : "world");
    if (obstacle < 0 || obstacle >= world->model->obstacle_count)
        return missing(where, "obstacle", obstacle, world->model->obstacle_count, error);
    ThawModelObstacle *o = &world->model->obstacles[obstacle];
    double turn[4] = {1, 0, 0, 0}, unit[4], translation[3] = {0, 0, 0};
    if (rotation) { // q q0 = the rotation that is asked for
        ThawStatus status = thaw_check_rotation(where, world->model->dim, rotation, unit, error);
        if (status != THAW_OK)
            return status;
        const double back[4] = {o->rotation[0], -o->rotation[1], -o->rotation[2], -o->rotation[3]};
        multiply(unit, back, turn);
    }
    ThawPose pose = {.rotation = {turn[0], turn[1], turn[2], turn[3]}};
    double at[3];
    memcpy(pose.centre, o->script.centre, sizeof pose.centre);
    thaw_pose_apply(&pose, 3, o->position, at); // without the translation
    for (int k = 0; k < world->model->dim; k++)
        translation[k] = position[k] - at[k];
    ThawDrive drive;
    ThawStatus status = aim(where, world, &o->script, translation, turn, duration, &drive, error);
    if (status != THAW_OK)
        return status;
    if (!o->script.drive.on && o->script.key_count == 0)
        thaw_drives_forget_places(world);
    o->script.drive = drive;
    return THAW_OK;
}

ThawStatus thaw_world_get_obstacle_place(const ThawWorld *world, int32_t obstacle, double position[3],
                                         double rotation[4]) {
    if (!world || obstacle < 0 || obstacle >= world->model->obstacle_count)
        return THAW_ERROR_INPUT;
    const ThawModelObstacle *o = &world->model->obstacles[obstacle];
    ThawPose pose;
    thaw_script_pose(&o->script, world->state.time, &pose);
    if (position)
        thaw_pose_apply(&pose, 3, o->position, position);
    if (rotation)
        multiply(pose.rotation, o->rotation, rotation);
    return THAW_OK;
}

ThawStatus thaw_world_move_script(ThawWorld *world, int32_t body, int32_t script, const double translation[3],
                                  const double rotation[4], double duration, ThawError *error) {
    const char *where = "thaw_world_move_script";
    if (!world || !translation)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: %s is NULL", where, world ? "translation" : "world");
    if (body < 0 || body >= world->model->body_count)
        return missing(where, "body", body, world->model->body_count, error);
    ThawModelBody *b = &world->model->bodies[body];
    if (script < 0 || script >= b->script_count)
        return missing(where, "script", script, b->script_count, error);
    ThawDrive drive;
    ThawStatus status = aim(where, world, &b->scripts[script], translation, rotation, duration, &drive, error);
    if (status == THAW_OK)
        status = thaw_sleep_wake(world, body, error);
    if (status != THAW_OK)
        return status;
    const ThawDrive before = b->scripts[script].drive;
    ThawStepper *s = thaw_world_mover(world, body);
    thaw_model_drive_script(world->model, body, script, &drive);
    status = thaw_stepper_reserve(s, error); // moving frames need more where scripts move
    if (status != THAW_OK) {
        thaw_model_drive_script(world->model, body, script, &before);
        return status;
    }
    s->loads_until = -INFINITY;
    world->state.slow[s->index] = 0;
    return THAW_OK;
}

ThawStatus thaw_world_move_attachment(ThawWorld *world, int32_t attachment, const double translation[3],
                                      const double rotation[4], double duration, ThawError *error) {
    const char *where = "thaw_world_move_attachment";
    if (!world || !translation)
        return thaw_error_set(error, THAW_ERROR_INPUT, "%s: %s is NULL", where, world ? "translation" : "world");
    if (attachment < 0 || attachment >= world->model->attachment_count)
        return missing(where, "attachment", attachment, world->model->attachment_count, error);
    ThawAttachment *a = &world->model->attachments[attachment];
    if (a->other != THAW_ANCHOR_FRAME)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s: attachment %d (%s) is held to %s; allowed: those held to a frame in space", where,
                              (int)attachment, a->name, a->other >= 0 ? "a body" : "an obstacle");
    ThawDrive drive;
    ThawStatus status = aim(where, world, &a->frame.script, translation, rotation, duration, &drive, error);
    if (status == THAW_OK)
        a->frame.script.drive = drive;
    return status;
}
