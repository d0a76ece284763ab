// SPDX-License-Identifier: Apache-2.0
// The folder of a run: frames, index, checkpoint.h5, a copy of the scene, and run.json, which says what was run.
//
// The order of writing makes a kill at any moment harmless. A new run removes the old checkpoint first and then writes
// run.json, so a checkpoint always belongs to the run.json beside it; frames and rows of statistics are on disk before
// the checkpoint that counts them.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "run.h"

ThawStatus app_folder_lock(AppRun *run, ThawError *error) {
    ThawStatus status = thaw_folder_create(run->folder, error);
    if (status != THAW_OK)
        return status;
    run->lock = open(run->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    // A file system without locks is no reason to refuse; only a lock that someone holds is.
    if (run->lock >= 0 && flock(run->lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        return thaw_error_set(error, THAW_ERROR_IO, "another run is writing to %s; choose another --out", run->folder);
    return THAW_OK;
}

static void path_in(const AppRun *run, const char *name, char path[4096]) {
    snprintf(path, 4096, "%s/%s", run->folder, name);
}

// The text or number behind "KEY": in a file that write_record has written; empty when it is not there.
static void record_value(const char *json, const char *key, char value[64]) {
    char quoted[40];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *at = strstr(json, quoted);
    at = at ? at + strlen(quoted) : "";
    at += *at == '"';
    size_t length = strcspn(at, "\",\n}");
    snprintf(value, 64, "%.*s", (int)(length < 63 ? length : 63), at);
}

ThawStatus app_folder_match(const AppRun *run, int *found, ThawError *error) {
    char path[4096], digest[64], every[64], want[20];
    *found = 0;
    path_in(run, "run.json", path);
    if (access(path, F_OK)) {
        if (!access(run->checkpoint, F_OK))
            return thaw_error_set(error, THAW_ERROR_INPUT, "%s cannot be resumed: it has no run.json", run->folder);
        return THAW_OK;
    }
    char *json;
    size_t size;
    ThawStatus status = thaw_file_read(path, &json, &size, error);
    if (status != THAW_OK)
        return status;
    record_value(json, "digest", digest);
    record_value(json, "every", every);
    thaw_free(json);
    snprintf(want, sizeof want, "%016" PRIx64, run->digest);
    if (strcmp(digest, want) != 0)
        return thaw_error_set(
            error, THAW_ERROR_INPUT,
            "%s cannot be resumed: it holds a run of another scene or with another --method, --solver "
            "or --static (digest %s, now %s); use the same, or another --out, or leave out --resume "
            "to start over",
            run->folder, digest, want);
    if (strtoll(every, NULL, 10) != run->every)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s cannot be resumed with a frame every %" PRId64 " steps: it was begun with --every %s",
                              run->folder, run->every, every);
    *found = !access(run->checkpoint, F_OK);
    return THAW_OK;
}

static void print_json_text(ThawFile *file, const char *text) {
    thaw_file_print(file, "\"");
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            thaw_file_print(file, "\\%c", c);
        else if (c < ' ')
            thaw_file_print(file, "\\u%04x", c);
        else
            thaw_file_print(file, "%c", c);
    }
    thaw_file_print(file, "\"");
}

static ThawStatus write_record(const AppRun *run, ThawError *error) {
    char path[4096];
    path_in(run, "run.json", path);
    ThawFile *file;
    ThawStatus status = thaw_file_create(path, &file, error);
    if (status != THAW_OK)
        return status;
    const struct {
        const char *key, *text;
    } texts[] = {
        {"scene", run->scene_path ? run->scene_path : "(built in)"},
        {"title", run->scene->title},
        {"method", run->method ? run->method : "(as the scene says)"},
        {"solver", run->solver_name ? run->solver_name : "(as the scene says)"},
        {"version", thaw_version()},
        {"build", thaw_build_info()},
    };
    // The fields that are read back come first, so that no text can be taken for them.
    thaw_file_print(file, "{\n  \"digest\": \"%016" PRIx64 "\",\n  \"every\": %" PRId64 ",\n", run->digest, run->every);
    thaw_file_print(file, "  \"steps\": %" PRId64 ",\n  \"static\": %s", run->steps,
                    run->solve_static ? "true" : "false");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        thaw_file_print(file, ",\n  \"%s\": ", texts[i].key);
        print_json_text(file, texts[i].text);
    }
    thaw_file_print(file, "\n}\n");
    return thaw_file_commit(&file, error);
}

ThawStatus app_folder_begin(AppRun *run, int64_t *removed, ThawError *error) {
    char path[4096];
    *removed = 0;
    if (unlink(run->checkpoint) && errno != ENOENT)
        return thaw_error_set(error, THAW_ERROR_IO, "cannot remove %s: %s", run->checkpoint, strerror(errno));
    ThawStatus status = thaw_frames_keep(run->frames, -1, removed, error);
    if (status == THAW_OK)
        status = write_record(run, error);
    ThawFile *copy = NULL;
    path_in(run, "scene.json", path);
    if (status == THAW_OK)
        status = thaw_file_create(path, &copy, error);
    if (status != THAW_OK)
        return status;
    thaw_file_write(copy, run->text, run->text_size);
    return thaw_file_commit(&copy, error);
}
