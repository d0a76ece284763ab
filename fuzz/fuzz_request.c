// SPDX-License-Identifier: Apache-2.0
// What a page may send to `thaw view`: lines of JSON, each a request to a live simulation that goes on in between. (HTTP and
// the framing of messages belong to libwebsockets; tests/view sends nonsense of that kind over real sockets.)
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "fuzz.h"
#include "view_live.h"

enum { MOST_REQUESTS = 8, LARGEST = 4096 };

static const char scene[] =
    "{\"thaw\": 1, \"time\": {\"step\": 0.01, \"steps\": 60},"
    " \"materials\": {\"rubber\": {\"density\": 1000, \"young\": 1e5, \"poisson\": 0.4, \"alpha1\": 0.001}},"
    " \"shapes\": {\"bar\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [0.4, 0.1, 0.1], \"cells\": [4, 1, 1]}},"
    " \"material\": \"rubber\"}}, \"bodies\": [{\"name\": \"bar\", \"shape\": \"bar\", \"position\": [0, 0, 0.01],"
    " \"method\": \"rigidify\"}], \"obstacles\": [{\"name\": \"floor\", \"plane\": {}}]}";

static ViewLive live;
static int ready; // 1: simulates; -1: this program has no server

static void joined(void *context, int client) { (void)context, (void)client; }
static void received(void *context, int client, json_t *message) {
    (void)context, (void)client;
    json_decref(message);
}
static void nobody(void *context) { (void)context; }

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
    const ServeDef def = {
        .host = "127.0.0.1", .page = "-", .page_size = 1, .joined = joined, .received = received, .ready = nobody};
    status = serve_start(&def, &live.serve, &error);
    ready = status == THAW_ERROR_UNSUPPORTED ? -1 : 1;
    fuzz_check(status == THAW_OK || ready < 0, error.message);
    if (ready > 0)
        fuzz_check(view_show_begin(&live, &error) == THAW_OK, error.message);
    atexit(finish);
}

static void request(const char *text, size_t size) {
    json_t *message = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
    if (json_is_string(json_object_get(message, "type"))) // what the server hands on
        view_live_request(&live, 0, message);
    json_decref(message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const undo[] = {"{\"type\":\"split\",\"on\":false}", "{\"type\":\"interior\",\"on\":false}",
                                       "{\"type\":\"method\",\"name\":\"rigidify\"}", "{\"type\":\"reset\"}"};
    ThawError error = {0};
    if (!ready)
        prepare();
    if (ready < 0 || size > LARGEST)
        return 0;
    const char *at = (const char *)data, *end = at + size;
    for (int i = 0; i < MOST_REQUESTS && at < end; i++) {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        const size_t length = line ? (size_t)(line - at) : (size_t)(end - at);
        request(at, length);
        view_live_step(&live);
        at += length + 1;
    }
    fuzz_check(view_show_frame(&live, &error) == THAW_OK, "there is always a frame to be shown");
    fuzz_check(live.views >= 1 && live.views <= VIEW_VIEWS && live.drops <= VIEW_DROPS,
               "the worlds are what they were");
    for (size_t i = 0; i < sizeof undo / sizeof *undo; i++)
        request(undo[i], strlen(undo[i]));
    fuzz_check(live.views == 1 && live.drops == 0 && thaw_world_step_count(live.runners[0].world) == 0,
               "reset starts over");
    return 0;
}
