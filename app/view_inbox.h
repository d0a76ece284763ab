// SPDX-License-Identifier: Apache-2.0
// What pages have asked for, on its way from the server's thread to the one that simulates.
#ifndef THAW_APP_VIEW_INBOX_H
#define THAW_APP_VIEW_INBOX_H

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>

enum { VIEW_INBOX_ROOM = 64 };

typedef struct ViewRequest {
    int client;
    json_t *message; // NULL: the page has just come
} ViewRequest;

typedef struct ViewInbox {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    ViewRequest requests[VIEW_INBOX_ROOM];
    int first, count;
    atomic_int halts; // how many of them end a step in flight: pauses and resets
    int poked;        // wake up, there may be something to send
} ViewInbox;

void view_inbox_init(ViewInbox *inbox);
void view_inbox_clear(ViewInbox *inbox);

// Callbacks of the server (context: the inbox). A drag or seek replaces one of the same page that is waiting in front
// of it. Of what does not fit the newest is dropped, but never that a page has come, a pause or a release.
void view_inbox_joined(void *inbox, int client);
void view_inbox_received(void *inbox, int client, json_t *message);
void view_inbox_poke(void *inbox);

// Waits for a request for so long at most; 0 when none came, or it was poked. The caller owns the message.
int view_inbox_take(ViewInbox *inbox, double seconds, ViewRequest *request);

#endif
