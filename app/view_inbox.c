// SPDX-License-Identifier: Apache-2.0
// A bounded queue. A step may take a second, and a mouse moves sixty times in it: only the last position counts, so a
// drag replaces the drag before it. Nothing a page does can make the queue grow beyond its room.
#include "view_inbox.h"

#include <math.h>
#include <string.h>
#include <time.h>

void view_inbox_init(ViewInbox *inbox) {
    pthread_condattr_t monotonic;
    *inbox = (ViewInbox){0};
    pthread_mutex_init(&inbox->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&inbox->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

void view_inbox_clear(ViewInbox *inbox) {
    for (int i = 0; i < inbox->count; i++)
        json_decref(inbox->requests[(inbox->first + i) % VIEW_INBOX_ROOM].message);
    pthread_cond_destroy(&inbox->changed);
    pthread_mutex_destroy(&inbox->lock);
}

static const char *type_of(const ViewRequest *request) {
    return request->message ? json_string_value(json_object_get(request->message, "type")) : "";
}

static int replaces(const ViewRequest *newer, const ViewRequest *older) {
    const char *type = type_of(newer);
    return newer->client == older->client && strcmp(type, type_of(older)) == 0 &&
           (strcmp(type, "seek") == 0 || strcmp(type, "drag") == 0);
}

// What would leave a body hanging, a simulation running or a page empty if it were lost.
static int must_stay(const ViewRequest *request) {
    const char *type = type_of(request);
    return !request->message || strcmp(type, "pause") == 0 || strcmp(type, "release") == 0;
}

static int halts(const ViewRequest *request) {
    const char *type = type_of(request);
    return strcmp(type, "pause") == 0 || strcmp(type, "reset") == 0;
}

static ViewRequest *waiting(ViewInbox *inbox, int at) {
    return &inbox->requests[(inbox->first + at) % VIEW_INBOX_ROOM];
}

// Whether one that is waiting behind it says the same. A release is of one page, the others speak for all.
static int repeated(ViewInbox *inbox, int at) {
    const ViewRequest *request = waiting(inbox, at);
    for (int i = at + 1; i < inbox->count; i++)
        if (strcmp(type_of(waiting(inbox, i)), type_of(request)) == 0 &&
            (strcmp(type_of(request), "release") != 0 || waiting(inbox, i)->client == request->client))
            return 1;
    return 0;
}

// Makes room for what must stay: the newest request that need not goes. If all of them must, one that is said again
// goes; and if there is none, they are releases of more pages than there can be, and the oldest is of one that has
// left.
static json_t *evict(ViewInbox *inbox) {
    int at = inbox->count - 1;
    while (at >= 0 && must_stay(waiting(inbox, at)))
        at--;
    for (int i = 0; at < 0 && i < inbox->count; i++)
        if (repeated(inbox, i))
            at = i;
    at = at < 0 ? 0 : at;
    json_t *message = waiting(inbox, at)->message;
    atomic_fetch_sub(&inbox->halts, halts(waiting(inbox, at)));
    for (inbox->count--; at < inbox->count; at++)
        *waiting(inbox, at) = *waiting(inbox, at + 1);
    return message;
}

static void put(ViewInbox *inbox, ViewRequest request) {
    pthread_mutex_lock(&inbox->lock);
    ViewRequest *last = &inbox->requests[(inbox->first + inbox->count + VIEW_INBOX_ROOM - 1) % VIEW_INBOX_ROOM];
    json_t *dropped = NULL;
    if (inbox->count && replaces(&request, last)) {
        dropped = last->message;
        *last = request;
    } else if (inbox->count < VIEW_INBOX_ROOM || must_stay(&request)) {
        if (inbox->count == VIEW_INBOX_ROOM)
            dropped = evict(inbox);
        inbox->requests[(inbox->first + inbox->count++) % VIEW_INBOX_ROOM] = request;
        atomic_fetch_add(&inbox->halts, halts(&request));
    } else {
        dropped = request.message;
    }
    pthread_cond_signal(&inbox->changed);
    pthread_mutex_unlock(&inbox->lock);
    json_decref(dropped);
}

void view_inbox_joined(void *inbox, int client) { put(inbox, (ViewRequest){.client = client}); }

void view_inbox_received(void *inbox, int client, json_t *message) {
    put(inbox, (ViewRequest){.client = client, .message = message});
}

void view_inbox_poke(void *context) {
    ViewInbox *inbox = context;
    pthread_mutex_lock(&inbox->lock);
    inbox->poked = 1;
    pthread_cond_signal(&inbox->changed);
    pthread_mutex_unlock(&inbox->lock);
}

int view_inbox_take(ViewInbox *inbox, double seconds, ViewRequest *request) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const double end = (double)until.tv_sec + 1e-9 * (double)until.tv_nsec + fmax(seconds, 0);
    until.tv_sec = (time_t)end;
    until.tv_nsec = (long)(1e9 * (end - floor(end)));
    pthread_mutex_lock(&inbox->lock);
    while (seconds > 0 && !inbox->count && !inbox->poked)
        if (pthread_cond_timedwait(&inbox->changed, &inbox->lock, &until))
            break;
    inbox->poked = 0;
    const int found = inbox->count > 0;
    if (found) {
        *request = inbox->requests[inbox->first];
        atomic_fetch_sub(&inbox->halts, halts(request));
        inbox->first = (inbox->first + 1) % VIEW_INBOX_ROOM;
        inbox->count--;
    }
    pthread_mutex_unlock(&inbox->lock);
    return found;
}
