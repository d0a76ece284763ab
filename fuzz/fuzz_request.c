// SPDX-License-Identifier: Apache-2.0
// What a page may send to `thaw view`: lines of JSON, each a request to a live simulation that goes on in between.
// (HTTP and the framing of messages belong to libwebsockets; tests/view sends nonsense of that kind over real sockets.)
//
// The server is one of this file that looks at what it is to send and forgets it; states are handed from world to world
// in memory (store.c). To make a world takes as long as hundreds of steps of this scene: an input may do so once, and a
// reset comes after many inputs.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "fuzz.h"
#include "view_live.h"

enum { MOST_REQUESTS = 8, LARGEST = 4096, RENEW = 64, MOST_DROPS = 2 }; // RENEW: inputs until a reset

static const char scene[] =
    "{\"thaw\": 1, \"dimension\": 2, \"time\": {\"step\": 0.01, \"steps\": 60},"
    " \"materials\": {\"rubber\": {\"density\": 1000, \"young\": 1e5, \"poisson\": 0.4, \"alpha1\": 0.001}},"
    " \"shapes\": {\"bar\": {\"mesh\": {\"box\": {\"min\": [0, 0], \"max\": [0.2, 0.1], \"cells\": [2, 1]}},"
    " \"material\": \"rubber\"}}, \"bodies\": [{\"name\": \"bar\", \"shape\": \"bar\", \"position\": [0, 0.01],"
    " \"method\": \"rigidify\"}], \"obstacles\": [{\"name\": \"floor\", \"plane\": {}}]}";

static ViewLive live;
static int ready, inputs;

// --- a server without sockets ----------------------------------------------------------------------------------------

struct Serve {
    int none;
};
static Serve server;

ThawStatus serve_start(const ServeDef *def, Serve **serve, ThawError *error) {
    (void)def, (void)error;
    *serve = &server;
    return THAW_OK;
}
void serve_stop(Serve **serve) { *serve = NULL; }
const char *serve_address(const Serve *serve) { return serve ? "" : NULL; }
int serve_put(Serve *serve, int client, ServeSlot slot, const void *bytes, size_t size) {
    fuzz_check(serve && client >= SERVE_EVERYONE && slot < SERVE_SLOTS && size > 0, "what is sent is something");
    if (slot < SERVE_FRAME) { // pages must be able to read it
        json_t *json = json_loadb(bytes, size, 0, NULL);
        fuzz_check(json_is_string(json_object_get(json, "type")), "a message to a page is JSON with a type");
        json_decref(json);
    }
    return 1;
}
int serve_has_client(Serve *serve, int client) { return serve && client >= 0; }
int serve_is_watched(Serve *serve) { return serve != NULL; }
int serve_wants_frame(Serve *serve) { return serve != NULL; }
ServeCounts serve_counts(Serve *serve) { return (ServeCounts){.clients = serve != NULL}; }

// --- requests --------------------------------------------------------------------------------------------------------

static void finish(void) {
    serve_stop(&live.serve);
    view_live_clear(&live);
}

static void prepare(void) {
    char path[] = "/tmp/thaw-fuzz-XXXXXX";
    ThawError error = {0};
    const int handle = mkstemp(path);
    fuzz_check(handle >= 0 && write(handle, scene, sizeof scene - 1) == (ssize_t)sizeof scene - 1,
               "a scene can be written");
    close(handle);
    ThawStatus status = view_live_open(path, 1, &live, &error);
    unlink(path);
    fuzz_check(status == THAW_OK, error.message);
    serve_start(NULL, &live.serve, NULL);
    fuzz_check(view_show_begin(&live, &error) == THAW_OK, error.message);
    ready = 1;
    atexit(finish);
}

// Whether it makes new worlds.
static int builds(const json_t *message) {
    static const char *const types[] = {"drop", "split", "reset"};
    const char *type = json_string_value(json_object_get(message, "type"));
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i]) == 0)
            return 1;
    return 0;
}

// most: how often new worlds may still be made.
static void request(const char *text, size_t size, int *most) {
    json_t *message = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
    // What the server hands on
    if (json_is_string(json_object_get(message, "type")) && (!builds(message) || (*most)-- > 0))
        view_live_request(&live, 0, message);
    json_decref(message);
}

static void start_over(void) {
    static const char *const undo[] = {"{\"type\":\"split\",\"on\":false}", "{\"type\":\"interior\",\"on\":false}",
                                       "{\"type\":\"method\",\"name\":\"rigidify\"}", "{\"type\":\"reset\"}"};
    for (size_t i = 0; i < sizeof undo / sizeof *undo; i++)
        request(undo[i], strlen(undo[i]), &(int){1});
    fuzz_check(live.views == 1 && live.drops == 0 && thaw_world_step_count(live.runners[0].world) == 0,
               "reset starts over");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ThawError error = {0};
    if (!ready)
        prepare();
    if (size > LARGEST)
        return 0;
    const char *at = (const char *)data, *end = at + size;
    int most = 1;
    for (int i = 0; i < MOST_REQUESTS && at < end; i++) {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        const size_t length = line ? (size_t)(line - at) : (size_t)(end - at);
        request(at, length, &most);
        if (live.single) // "step": a request that many others need to take effect
            view_live_step(&live);
        at += length + 1;
    }
    view_live_step(&live);
    fuzz_check(view_show_frame(&live, &error) == THAW_OK, "there is always a frame to be shown");
    fuzz_check(live.views >= 1 && live.views <= VIEW_VIEWS && live.drops <= VIEW_DROPS,
               "the worlds are what they were");
    view_drag_release(&live);
    if (++inputs % RENEW == 0 || live.drops > MOST_DROPS)
        start_over();
    return 0;
}
