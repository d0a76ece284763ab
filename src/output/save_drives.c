// SPDX-License-Identifier: Apache-2.0
// Motion from code in a checkpoint: a row for each thing that is driven (which, and its two keyframes), and none where
// nothing is. And the time since which the time step is what it is, where that is not the start.
#include <math.h>
#include <string.h>

#include "output/save.h"
#include "step/attach.h"

enum { ROW = 3, KEYS = 16 }; // what (below), which, which script; two keyframes
enum { OBSTACLE, SCRIPT, FRAME };

static ThawScript *script_of(ThawModel *model, const int32_t row[ROW]) {
    const int32_t i = row[1], k = row[2];
    if (row[0] == OBSTACLE && i >= 0 && i < model->obstacle_count)
        return &model->obstacles[i].script;
    if (row[0] == SCRIPT && i >= 0 && i < model->body_count && k >= 0 && k < model->bodies[i].script_count)
        return &model->bodies[i].scripts[k];
    if (row[0] == FRAME && i >= 0 && i < model->attachment_count)
        return &model->attachments[i].frame.script;
    return NULL;
}

// The next thing that could be driven; 0: there is none.
static int advance(const ThawModel *model, int32_t row[ROW]) {
    const int32_t counts[] = {model->obstacle_count, model->body_count, model->attachment_count};
    row[2]++;
    while (row[0] <= FRAME) {
        if (row[1] < counts[row[0]] && row[2] < (row[0] == SCRIPT ? model->bodies[row[1]].script_count : 1))
            return 1;
        row[2] = 0;
        row[1]++;
        if (row[1] >= counts[row[0]]) {
            row[1] = 0;
            row[0]++;
        }
    }
    return 0;
}

static void pack(const ThawDrive *drive, double keys[KEYS]) {
    for (int k = 0; k < 2; k++) {
        keys[8 * k] = drive->keys[k].time;
        memcpy(keys + 8 * k + 1, drive->keys[k].translation, 3 * sizeof *keys);
        memcpy(keys + 8 * k + 4, drive->keys[k].rotation, 4 * sizeof *keys);
    }
}

static int unpack(const double keys[KEYS], ThawDrive *drive) {
    *drive = (ThawDrive){.on = 1};
    for (int k = 0; k < 2; k++) {
        double square = 0;
        drive->keys[k].time = keys[8 * k];
        memcpy(drive->keys[k].translation, keys + 8 * k + 1, 3 * sizeof *keys);
        memcpy(drive->keys[k].rotation, keys + 8 * k + 4, 4 * sizeof *keys);
        for (int i = 4; i < 8; i++)
            square += keys[8 * k + i] * keys[8 * k + i];
        for (int i = 0; i < 8; i++)
            if (!isfinite(keys[8 * k + i]))
                return 0;
        if (!(fabs(square - 1) < 1e-6))
            return 0;
    }
    return keys[8] > keys[0];
}

ThawStatus thaw_save_drives(ThawCheckpoint *file, const ThawWorld *world, ThawError *error) {
    ThawModel *model = world->model;
    ThawStatus status = THAW_OK;
    int32_t count = 0, most = model->obstacle_count + model->attachment_count;
    for (int32_t b = 0; b < model->body_count; b++)
        most += model->bodies[b].script_count;
    int32_t *rows = THAW_NEW(int32_t, (int64_t)ROW * most);
    double *keys = THAW_NEW(double, (int64_t)KEYS *most);
    if (!rows || !keys)
        status = thaw_error_memory(error, "the checkpoint");
    for (int32_t row[ROW] = {0, 0, -1}; status == THAW_OK && advance(model, row);) {
        const ThawDrive *drive = &script_of(model, row)->drive;
        if (!drive->on)
            continue;
        memcpy(rows + (size_t)ROW * (size_t)count, row, sizeof row);
        pack(drive, keys + (size_t)KEYS * (size_t)count++);
    }
    if (status == THAW_OK && count > 0)
        status = thaw_checkpoint_put_i32(file, "drives/which", rows, (int64_t)ROW * count, error);
    if (status == THAW_OK && count > 0)
        status = thaw_checkpoint_put_f64(file, "drives/keys", keys, (int64_t)KEYS * count, error);
    if (status == THAW_OK && model->clock.step > 0)
        status = thaw_checkpoint_put_i64(file, "clock/step", &model->clock.step, 1, error);
    if (status == THAW_OK && model->clock.step > 0)
        status = thaw_checkpoint_put_f64(file, "clock/time", &model->clock.time, 1, error);
    thaw_free(rows);
    thaw_free(keys);
    return status;
}

static ThawStatus load_clock(ThawCheckpoint *file, ThawClock *clock, ThawError *error) {
    *clock = (ThawClock){0};
    if (thaw_checkpoint_count(file, "clock/step") < 0)
        return THAW_OK;
    ThawStatus status = thaw_checkpoint_get_i64(file, "clock/step", &clock->step, 1, error);
    if (status == THAW_OK)
        status = thaw_checkpoint_get_f64(file, "clock/time", &clock->time, 1, error);
    if (status == THAW_OK && (clock->step < 0 || !isfinite(clock->time)))
        status = thaw_error_set(error, THAW_ERROR_INPUT, "the checkpoint's clock is at %g s", clock->time);
    return status;
}

static void put_drive(ThawModel *model, const int32_t row[ROW], const ThawDrive *drive) {
    if (row[0] == SCRIPT)
        thaw_model_drive_script(model, row[1], row[2], drive);
    else
        script_of(model, row)->drive = *drive;
}

ThawStatus thaw_load_drives(ThawCheckpoint *file, ThawWorld *world, ThawError *error) {
    ThawModel *model = world->model;
    const int64_t found = thaw_checkpoint_count(file, "drives/which"), count = found > 0 ? found / ROW : 0;
    int32_t *rows = THAW_NEW(int32_t, ROW * count);
    double *keys = THAW_NEW(double, KEYS *count);
    ThawClock clock;
    ThawDrive drive = {0};
    ThawStatus status = rows && keys ? load_clock(file, &clock, error) : thaw_error_memory(error, "the checkpoint");
    if (status == THAW_OK && count > 0)
        status = thaw_checkpoint_get_i32(file, "drives/which", rows, ROW * count, error);
    if (status == THAW_OK && count > 0)
        status = thaw_checkpoint_get_f64(file, "drives/keys", keys, KEYS * count, error);
    for (int64_t i = 0; i < count && status == THAW_OK; i++)
        if (!script_of(model, rows + ROW * i) || !unpack(keys + KEYS * i, &drive))
            status = thaw_error_set(error, THAW_ERROR_INPUT,
                                    "motion %d in the checkpoint is of nothing in this world, "
                                    "or no motion",
                                    (int)i);
    if (status == THAW_OK) {
        model->clock = clock;
        world->definition->clock = clock;
        drive = (ThawDrive){0};
        for (int32_t row[ROW] = {0, 0, -1}; advance(model, row);)
            put_drive(model, row, &drive);
        for (int64_t i = 0; i < count; i++) {
            unpack(keys + KEYS * i, &drive);
            put_drive(model, rows + ROW * i, &drive);
        }
        thaw_drives_forget_places(world);
    }
    thaw_free(rows);
    thaw_free(keys);
    return status;
}
