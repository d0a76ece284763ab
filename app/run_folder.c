// SPDX-License-Identifier: Apache-2.0
// The folder of a run: frames, index, steps.csv, checkpoint.h5, a copy of the scene, and run.json, which says what was
// run.
//
// The order of writing makes a kill at any moment harmless. A new run writes run.json and the scene beside their places
// first, so that a full disk shows before anything is lost; then it removes the old checkpoint, run.json and frames, in
// this order, and puts the new files in place. So a checkpoint and frames always belong to the run.json beside them;
// frames and rows of statistics are on disk before the checkpoint that counts them.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "json_text.h"
#include "run.h"

// Files of ours are written under another name and then renamed; what a killed run left under that name is of no use.
static int is_left_over(const char *name) {
    static const char *const names[] = {"run.json.tmp", "scene.json.tmp", "checkpoint.h5.tmp", "frames.pvd.tmp",
                                        "obstacles.vtu.tmp"};
    static const char *const endings[] = {".vtu.tmp", ".obj.tmp", ".ply.tmp"};
    int found = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        found |= strcmp(name, names[i]) == 0;
    const char *digits = strncmp(name, "frame_", 6) == 0        ? name + 6
                         : strncmp(name, "obstacles_", 10) == 0 ? name + 10
                                                                : "";
    const size_t length = strspn(digits, "0123456789");
    for (size_t i = 0; length && i < sizeof endings / sizeof *endings; i++)
        found |= strcmp(digits + length, endings[i]) == 0;
    return found;
}

static void sweep(const AppRun *run) {
    DIR *folder = opendir(run->folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (is_left_over(entry->d_name))
            unlinkat(dirfd(folder), entry->d_name, 0); // what cannot be removed is overwritten, or told about then
    if (folder)
        closedir(folder);
}

ThawStatus app_folder_lock(AppRun *run, ThawError *error) {
    ThawStatus status = thaw_folder_create(run->folder, error);
    if (status != THAW_OK)
        return status;
    run->lock = open(run->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    // A file system without locks is no reason to refuse; only a lock that is held is.
    if (run->lock >= 0 && flock(run->lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        return thaw_error_set(error, THAW_ERROR_IO, "another run is writing to %s; choose another --out", run->folder);
    sweep(run);
    return THAW_OK;
}

static void path_in(const AppRun *run, const char *name, char path[4096]) {
    snprintf(path, 4096, "%s/%s", run->folder, name);
}

// The text or number behind "KEY": in a file that write_record has written; empty when it is not there.
static void record_value(const char *json, const char *key, size_t size, char *value) {
    char quoted[40];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *at = strstr(json, quoted);
    at = at ? at + strlen(quoted) : "";
    size_t length = *at == '"' ? strcspn(++at, "\"") : strcspn(at, ",\n}");
    snprintf(value, size, "%.*s", (int)(length < size - 1 ? length : size - 1), at);
}

static int has_frames(const AppRun *run) {
    int found = 0;
    DIR *folder = opendir(run->folder);
    for (struct dirent *entry; folder && !found && (entry = readdir(folder));)
        found = strncmp(entry->d_name, "frame_", 6) == 0;
    if (folder)
        closedir(folder);
    return found;
}

static ThawStatus compare_record(AppRun *run, const char *json, ThawError *error) {
    char digest[64], every[64], solver[64], build[256], want[20];
    record_value(json, "digest", sizeof digest, digest);
    record_value(json, "every", sizeof every, every);
    record_value(json, "solver", sizeof solver, solver);
    record_value(json, "build", sizeof build, build);
    snprintf(want, sizeof want, "%016" PRIx64, run->digest);
    if (strcmp(digest, want) != 0)
        return thaw_error_set(
            error, THAW_ERROR_INPUT,
            "%s cannot be resumed: it holds a run of another scene or with another --method, --integrator, --solver "
            "or --static (digest %s, now %s); use the same, or another --out, or leave out --resume "
            "to start over",
            run->folder, digest, want);
    const int64_t begun = strtoll(every, NULL, 10);
    if (begun < 1 || (run->every_given && begun != run->every))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%s cannot be resumed with a frame every %" PRId64 " steps: it was begun with --every "
                              "%s, and frames are numbered by that; leave out --every, or use another --out",
                              run->folder, run->every, every);
    run->every = begun;
    if (strcmp(solver, run->solver) != 0)
        return thaw_error_set(
            error, THAW_ERROR_INPUT,
            "%s cannot be resumed to the same bits: it was begun with the solver %s, and this program (%s) "
            "chooses %s; use the program it was begun with (%s), or leave out --resume to start over",
            run->folder, solver, thaw_build_info(), run->solver, build);
    if (strcmp(build, thaw_build_info()) != 0)
        app_complain("run", "warning: %s was begun by another build (%s; this is %s); bits may differ from here on",
                     run->folder, build, thaw_build_info());
    return THAW_OK;
}

ThawStatus app_folder_match(AppRun *run, AppTrace *trace, ThawError *error) {
    char path[4096];
    int saved = !access(run->checkpoint, F_OK);
    *trace = APP_TRACE_NONE;
    path_in(run, "run.json", path);
    if (access(path, F_OK)) {
        if (saved || has_frames(run))
            return thaw_error_set(
                error, THAW_ERROR_INPUT,
                "%s cannot be resumed: it has %s but no run.json, which tells what they belong to; use "
                "another --out, or leave out --resume to start over",
                run->folder, saved ? "a checkpoint" : "frames");
        return THAW_OK;
    }
    char *json;
    size_t size;
    ThawStatus status = thaw_file_read(path, &json, &size, error);
    if (status != THAW_OK)
        return status;
    status = compare_record(run, json, error);
    thaw_free(json);
    *trace = saved ? APP_TRACE_CHECKPOINT : APP_TRACE_BEGUN;
    return status;
}

int app_checkpoint_due(int64_t every, int64_t step, double age_ms) {
    return every > 0 ? step % every == 0 : age_ms >= 60e3;
}

// Nonzero where there was no memory for it.
static int print_text(ThawFile *file, const char *text) {
    char *quoted = app_json_quote(text);
    if (quoted)
        thaw_file_print(file, "%s", quoted);
    free(quoted);
    return !quoted;
}

static int print_name(ThawFile *file, int32_t place, const char *name) {
    thaw_file_print(file, "%s", place ? ", " : "");
    return print_text(file, name ? name : "");
}

static ThawStatus write_record(const AppRun *run, ThawFile *file, ThawError *error) {
    int failed = 0;
    const struct {
        const char *key, *text;
    } texts[] = {
        {"scene", run->scene_path ? run->scene_path : "(built in)"},
        {"title", run->scene->title},
        {"method", run->method ? run->method : "(as the scene says)"},
        {"integrator", run->integrator ? run->integrator : "(as the scene says)"},
        {"solver_option", run->solver_name ? run->solver_name : "(as the scene says)"},
    };
    // The fields that are read back come first, so that no text can be taken for them.
    thaw_file_print(file, "{\n  \"digest\": \"%016" PRIx64 "\",\n  \"every\": %" PRId64 ",\n", run->digest, run->every);
    thaw_file_print(file, "  \"solver\": \"%s\",\n  \"version\": \"%s\",\n  \"build\": \"%s\",\n", run->solver,
                    thaw_version(), thaw_build_info());
    thaw_file_print(file, "  \"steps\": %" PRId64 ",\n  \"static\": %s", run->steps,
                    run->solve_static ? "true" : "false");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        thaw_file_print(file, ",\n  \"%s\": ", texts[i].key);
        failed |= print_text(file, texts[i].text);
    }
    const ThawWorldDef *world = &run->scene->world;
    thaw_file_print(file, ",\n  \"h\": %.17g,\n  \"bodies\": [", world->h);
    for (int32_t b = 0; b < world->body_count; b++)
        failed |= print_name(file, b, world->bodies[b].name);
    thaw_file_print(file, "],\n  \"methods\": [");
    for (int32_t b = 0; b < world->body_count; b++)
        failed |= print_name(file, b, thaw_world_get_method(run->world, b));
    thaw_file_print(file, "],\n  \"obstacles\": [");
    for (int32_t o = 0; o < world->obstacle_count; o++)
        failed |= print_name(file, o, world->obstacles[o].name);
    if (world->attachment_count > 0)
        thaw_file_print(file, "],\n  \"attachments\": [");
    for (int32_t i = 0; i < world->attachment_count; i++)
        failed |= print_name(file, i, world->attachments[i].name);
    thaw_file_print(file, "]\n}\n");
    return failed ? thaw_error_memory(error, "run.json") : THAW_OK;
}

static ThawStatus remove_file(const char *path, ThawError *error) {
    if (unlink(path) && errno != ENOENT)
        return thaw_error_set(error, THAW_ERROR_IO, "cannot remove %s: %s", path, strerror(errno));
    return THAW_OK;
}

ThawStatus app_folder_begin(AppRun *run, int64_t last, int64_t *removed, ThawError *error) {
    char path[4096], copy_path[4096];
    ThawFile *record = NULL, *copy = NULL;
    *removed = 0;
    path_in(run, "run.json", path);
    path_in(run, "scene.json", copy_path);
    ThawStatus status = thaw_file_create(path, &record, error);
    if (status == THAW_OK)
        status = thaw_file_create(copy_path, &copy, error);
    if (status == THAW_OK) {
        status = write_record(run, record, error);
        thaw_file_write(copy, run->text, run->text_size);
        if (status != THAW_OK)
            ; // nothing is removed yet
        else if (thaw_file_sync(record))
            status = thaw_file_commit(&record, error); // tells why
        else if (thaw_file_sync(copy))
            status = thaw_file_commit(&copy, error);
    }
    if (status == THAW_OK)
        status = remove_file(run->checkpoint, error);
    if (status == THAW_OK && last < 0)
        status = remove_file(path, error);
    if (status == THAW_OK)
        status = thaw_frames_keep(run->frames, last, removed, error);
    if (status == THAW_OK)
        status = thaw_file_commit(&record, error);
    if (status == THAW_OK)
        status = thaw_file_commit(&copy, error);
    thaw_file_discard(&record);
    thaw_file_discard(&copy);
    return status;
}
