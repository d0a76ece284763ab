// SPDX-License-Identifier: Apache-2.0
// A small web server for one page and one stream (docs/viewer-protocol.md), in a thread of its own. Only who knows the
// token in the address gets anything, and only pages that this server itself has sent may open the stream.
//
// What a page is sent stands in slots, one for each kind of message, and a slot holds the newest only: a page that does
// not read costs one message of each kind, never a queue, and nothing ever waits for it.
#ifndef THAW_APP_SERVE_H
#define THAW_APP_SERVE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "thaw/status.h"

typedef enum ServeSlot { // in the order in which they are sent
    SERVE_HELLO,         // kept for pages that come later; drops frames that are waiting
    SERVE_SETTINGS,
    SERVE_ELEMENT,
    SERVE_ERROR,
    SERVE_FRAME, // of view 0; view 1 comes next
    SERVE_FRAME_LAST = SERVE_FRAME + 1,
    SERVE_SLOTS
} ServeSlot;

enum {
    SERVE_EVERYONE = -1,
    SERVE_CLIENTS = 16,       // streams at a time
    SERVE_CONNECTIONS = 128,  // sockets at a time, streams included
    SERVE_LONGEST = 16 << 10, // bytes of a message from a page
    SERVE_RATE = 200,         // messages a second from a page
    SERVE_ON_THE_WAY = 2,     // frames of a view that a page has not acknowledged
};

typedef struct Serve Serve;

typedef struct ServeDef {
    const char *host; // address to listen on
    int port;         // 0: any that is free
    const char *page; // borrowed
    size_t page_size;
    // Called from the server's thread, must not block. joined: a page opened the stream. received: a message other than
    // an acknowledgement; owns `message`. ready: frames were taken, another may be wanted.
    void (*joined)(void *context, int client);
    void (*received)(void *context, int client, json_t *message);
    void (*ready)(void *context);
    void *context;
} ServeDef;

// THAW_ERROR_UNSUPPORTED where the program was built without a server.
ThawStatus serve_start(const ServeDef *def, Serve **serve, ThawError *error);
void serve_stop(Serve **serve);
const char *serve_address(const Serve *serve); // with the token

// From any thread. Copies the bytes. client: as in the callbacks, or SERVE_EVERYONE; a frame's slot and SERVE_HELLO are
// always for everyone. 0 when memory ran out.
int serve_put(Serve *serve, int client, ServeSlot slot, const void *bytes, size_t size);
// Whether the page is still there; a number is not given to another one.
int serve_has_client(Serve *serve, int client);
// Whether any page is there; without waiting for a lock.
int serve_is_watched(Serve *serve);
// Whether some page has room for a frame.
int serve_wants_frame(Serve *serve);
// What has gone out: frames and their bytes, and frames that were replaced by newer ones before they could be sent.
typedef struct ServeCounts {
    int64_t frames, bytes, replaced;
    int clients;
} ServeCounts;
ServeCounts serve_counts(Serve *serve);

#endif
