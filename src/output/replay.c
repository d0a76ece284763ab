// SPDX-License-Identifier: Apache-2.0
// Reads a run's folder back. Frames are listed once, by their names, and read when they are asked for: a folder may
// hold more than memory does. What else the folder tells (names of bodies, in run.json) is a help and never a
// condition, so that a folder of frames copied from elsewhere opens just as well.
#include "output/replay.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scene/json.h"

enum { NAME_ROOM = 64 };

struct ThawReplay {
    char *path;
    int single; // path is a file
    int64_t *numbers;
    int64_t count, room;
    json_t *bodies, *attachments, *obstacles; // arrays of texts, or NULL
    char spare[NAME_ROOM];
};

static int ascending(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static ThawStatus add(ThawReplay *r, int64_t number, ThawError *error) {
    if (r->count == r->room) {
        int64_t room = 2 * r->room + 64;
        int64_t *grown = thaw_regrow(r->numbers, (size_t)r->count, (size_t)room, sizeof *grown);
        if (!grown)
            return thaw_error_memory(error, "the list of frames");
        r->numbers = grown;
        r->room = room;
    }
    r->numbers[r->count++] = number;
    return THAW_OK;
}

static ThawStatus list(ThawReplay *r, ThawError *error) {
    struct stat info;
    if (stat(r->path, &info))
        return thaw_error_set(error, THAW_ERROR_INPUT, "cannot read %s: %s", r->path, strerror(errno));
    r->single = !S_ISDIR(info.st_mode);
    if (r->single)
        return add(r, 0, error);
    DIR *folder = opendir(r->path);
    if (!folder)
        return thaw_error_set(error, errno == ENOMEM ? THAW_ERROR_MEMORY : THAW_ERROR_INPUT, "cannot list %s: %s",
                              r->path, strerror(errno));
    ThawStatus status = THAW_OK;
    for (struct dirent *entry; status == THAW_OK && (entry = readdir(folder));) {
        if (strncmp(entry->d_name, "frame_", 6) != 0 || entry->d_name[6] < '0' || entry->d_name[6] > '9')
            continue;
        char name[NAME_ROOM];
        int64_t number = strtoll(entry->d_name + 6, NULL, 10);
        snprintf(name, sizeof name, "frame_%06" PRId64 ".vtu", number); // the only name under which it is found again
        if (strcmp(entry->d_name, name) == 0)
            status = add(r, number, error);
    }
    closedir(folder);
    if (status == THAW_OK && !r->count)
        status = thaw_error_set(error, THAW_ERROR_INPUT, "%s has no frames (frame_000000.vtu, ...)", r->path);
    if (r->count)
        qsort(r->numbers, (size_t)r->count, sizeof *r->numbers, ascending);
    return status;
}

static ThawStatus read_names(ThawReplay *r, ThawError *error) {
    char path[4200];
    json_t *record = NULL;
    snprintf(path, sizeof path, "%.4000s/run.json", r->path);
    ThawStatus status = r->single ? THAW_OK : thaw_json_read(path, &record, error);
    if (json_is_array(json_object_get(record, "bodies")))
        r->bodies = json_incref(json_object_get(record, "bodies"));
    if (json_is_array(json_object_get(record, "attachments")))
        r->attachments = json_incref(json_object_get(record, "attachments"));
    if (json_is_array(json_object_get(record, "obstacles")))
        r->obstacles = json_incref(json_object_get(record, "obstacles"));
    json_decref(record);
    return status;
}

ThawStatus thaw_replay_open(const char *path, ThawReplay **replay, ThawError *error) {
    ThawReplay *r = *replay = THAW_NEW(ThawReplay, 1);
    if (!r || !(r->path = thaw_strdup(path))) {
        thaw_replay_free(replay);
        return thaw_error_memory(error, "a replay");
    }
    ThawStatus status = list(r, error);
    if (status == THAW_OK)
        status = read_names(r, error);
    if (status != THAW_OK)
        thaw_replay_free(replay);
    return status;
}

void thaw_replay_free(ThawReplay **replay) {
    if (!replay || !*replay)
        return;
    json_decref((*replay)->bodies);
    json_decref((*replay)->obstacles);
    json_decref((*replay)->attachments);
    thaw_free((*replay)->numbers);
    thaw_free((*replay)->path);
    thaw_free(*replay);
    *replay = NULL;
}

int64_t thaw_replay_count(const ThawReplay *replay) { return replay->count; }
int64_t thaw_replay_number(const ThawReplay *replay, int64_t index) { return replay->numbers[index]; }
const char *thaw_replay_path(const ThawReplay *replay) { return replay->path; }

int64_t thaw_replay_find(const ThawReplay *replay, int64_t number) {
    const int64_t *at = bsearch(&number, replay->numbers, (size_t)replay->count, sizeof *replay->numbers, ascending);
    return at ? at - replay->numbers : -1;
}

static const char *name_in(ThawReplay *replay, const json_t *names, int32_t index, const char *kind) {
    const char *name = json_string_value(json_array_get(names, (size_t)index));
    if (name && *name)
        return name;
    snprintf(replay->spare, sizeof replay->spare, "%s_%" PRId32, kind, index);
    return replay->spare;
}

const char *thaw_replay_body_name(ThawReplay *replay, int32_t body) {
    return name_in(replay, replay->bodies, body, "body");
}

const char *thaw_replay_obstacle_name(ThawReplay *replay, int32_t obstacle) {
    return name_in(replay, replay->obstacles, obstacle, "obstacle");
}

const char *thaw_replay_attachment_name(ThawReplay *replay, int32_t attachment) {
    return name_in(replay, replay->attachments, attachment, "attachment");
}

ThawStatus thaw_replay_read(const ThawReplay *replay, int64_t index, ThawFrameData **frame, ThawError *error) {
    char path[4200];
    if (replay->single)
        return thaw_vtu_read(replay->path, frame, error);
    snprintf(path, sizeof path, "%.4000s/frame_%06" PRId64 ".vtu", replay->path, replay->numbers[index]);
    return thaw_vtu_read(path, frame, error);
}

// One file a frame where something moves, else one for all.
ThawStatus thaw_replay_read_obstacles(const ThawReplay *replay, int64_t index, ThawFrameData **frame,
                                      ThawError *error) {
    char path[4200];
    *frame = NULL;
    if (replay->single)
        return THAW_OK;
    snprintf(path, sizeof path, "%.4000s/obstacles_%06" PRId64 ".vtu", replay->path, replay->numbers[index]);
    if (access(path, F_OK))
        snprintf(path, sizeof path, "%.4000s/obstacles.vtu", replay->path);
    return access(path, F_OK) ? THAW_OK : thaw_vtu_read(path, frame, error);
}
