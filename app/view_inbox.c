// SPDX-License-Identifier: Apache-2.0
// A bounded queue. A step may take a second, and a mouse moves sixty times in it: only the last position counts, so a drag
// replaces the drag before it. Nothing a page does can make the queue grow beyond its room.
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

static int replaces(const ViewRequest *newer, const ViewRequest *older) {
    if (!newer->message || !older->message || newer->client != older->client)
        return 0;
    const char *type = json_string_value(json_object_get(newer->message, "type"));
    const char *other = json_string_value(json_object_get(older->message, "type"));
    return strcmp(type, other) == 0 && (strcmp(type, "seek") == 0 || strcmp(type, "drag") == 0);
}

static void put(ViewInbox *inbox, ViewRequest request) {
    pthread_mutex_lock(&inbox->lock);
    ViewRequest *last = &inbox->requests[(inbox->first + inbox->count + VIEW_INBOX_ROOM - 1) % VIEW_INBOX_ROOM];
    json_t *dropped = NULL;
    if (inbox->count && replaces(&request, last)) {
        dropped = last->message;
        *last = request;
    } else if (inbox->count < VIEW_INBOX_ROOM) {
        inbox->requests[(inbox->first + inbox->count++) % VIEW_INBOX_ROOM] = request;
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
        inbox->first = (inbox->first + 1) % VIEW_INBOX_ROOM;
        inbox->count--;
    }
    pthread_mutex_unlock(&inbox->lock);
    return found;
}
