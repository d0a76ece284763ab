// SPDX-License-Identifier: Apache-2.0
// `thaw view SCENE`: a simulation that pages look at and play with. One thread owns everything here; the server has its
// own and talks to it through the inbox.
#ifndef THAW_APP_VIEW_LIVE_H
#define THAW_APP_VIEW_LIVE_H

#include <stdatomic.h>

#include "lockstep.h"
#include "serve.h"
#include "view_inbox.h"
#include "view_world.h"

// What pages may drop: bodies, elements of them in all, and bodies that are where another one is dropped. Each takes
// time in every step; those inside each other most of all, for each of their vertices is a contact.
enum { VIEW_DROPS = 64, VIEW_DROP_ELEMENTS = 200000, VIEW_CROWD = 8, VIEW_NAME = 96, VIEW_SET = 64 };

// Where a page holds a body (view_drag.c).
typedef struct ViewDrag {
    int32_t body;  // -1: nothing is held
    int client;    // the page that holds it: no other page moves it or lets it go
    int32_t count; // vertices of the body
    int32_t corner[3];
    double bary[3], to[3];            // to: m
    double *weight;                   // of each vertex of the body, sums to 1: how the force is shared out
    double *mass;                     // of each vertex, kg
    double *x, *v, *f;                // 3 a vertex, scratch
    double stiffness, damping, reach; // N/m, N s/m, m
} ViewDrag;

typedef struct ViewLive {
    char name[VIEW_NAME]; // of the scene: its file without folder and ending
    ThawScene *scene;     // as it was loaded
    ThawScene now;        // the same with bodies that were dropped into it
    ThawBodyDef *bodies;
    char drop_names[VIEW_DROPS][VIEW_NAME];
    int32_t drops;
    const char *method;          // of all bodies, NULL: as the scene says
    const char *split_method;    // of view 1, when there are two
    ThawOptionDef set[VIEW_SET]; // options that pages have set, for all bodies
    int32_t set_count;
    char state[200]; // folder for states that are handed from world to world

    // The worlds (view_worlds.c): one, or full and adaptive side by side.
    AppLockstep lockstep;
    AppRunner runners[VIEW_VIEWS];
    int views;

    // What is shown of them (view_show.c).
    ViewWorld shown;
    ThawStream *streams[VIEW_VIEWS];
    int32_t field;
    int interior;
    int64_t frame;

    ViewDrag drag;
    int playing, single; // single: one step, then pause
    int apart;           // the first world is a step ahead of the second, which failed
    int next;            // the view whose step comes next: others than 0 after a step was given up between two
    const atomic_int *interrupted; // by a signal; NULL while view_live_run does not run
    double speed;                  // simulated seconds a second
    int dirty;                     // the newest state has not been shown
    double due_ms, shown_ms;

    Serve *serve;
    ViewInbox inbox;
} ViewLive;

// view_live.c. threads < 0: as the scene says. It runs until a signal comes.
ThawStatus view_live_open(const char *path, int threads, ViewLive *live, ThawError *error);
void view_live_run(ViewLive *live, const atomic_int *interrupted);
// Its parts: what a page asks for (an object with a text "type"; NULL: it has just come), and a step of all worlds.
void view_live_request(ViewLive *live, int client, const json_t *message);
void view_live_step(ViewLive *live);
// Whether a step of view_live_run is to be given up: a signal came, a page paused or reset it, or no page is open
// any more. For thaw_world_set_cancel, context: a ViewLive.
int view_live_gives_up(void *context);
void view_live_clear(ViewLive *live);

// view_worlds.c. Each leaves the worlds as they were when it fails.
// Worlds for so many views of live->now, which take over the states of the present ones (keep 0: from the start), and
// what is shown of them: pages need a new header then.
ThawStatus view_worlds_build(ViewLive *live, int views, int keep, ThawError *error);
ThawStatus view_worlds_drop(ViewLive *live, const char *shape, const double position[3], ThawError *error);
ThawStatus view_worlds_set_method(ViewLive *live, const char *method, ThawError *error);
// They are set for all bodies; what else bodies have of their own stays.
ThawStatus view_worlds_set_options(ViewLive *live, const ThawOptionDef *rows, int32_t count, ThawError *error);
void view_worlds_clear(ViewLive *live);

// view_show.c
// Room and streams for so many worlds like this one; nothing of *live changes. view_show_set puts them in place.
ThawStatus view_show_create(const ViewLive *live, const ThawWorld *world, int views, ViewWorld *shown,
                            ThawStream *streams[VIEW_VIEWS], ThawError *error);
void view_show_set(ViewLive *live, const ViewWorld *shown, ThawStream *const streams[VIEW_VIEWS]);
// Both, for the present worlds, and a header for all pages. What was there stays when it fails.
ThawStatus view_show_begin(ViewLive *live, ThawError *error);
ThawStatus view_show_hello(ViewLive *live, ThawError *error);
ThawStatus view_show_frame(ViewLive *live, ThawError *error);
// The answer to a pick as JSON; NULL and an error when there is no such element.
json_t *view_show_element(ViewLive *live, int view, int32_t element, ThawError *error);
void view_show_clear(ViewLive *live);

// view_settings.c
json_t *view_settings(const ViewLive *live);
// The method of all bodies, where it is one and not the reference; else NULL.
const char *view_settings_method(const ViewLive *live);
// Options out of {"name": number, ...}, of that method (NULL: of the first that view_settings lists with that name); an
// error names what is wrong. Room for VIEW_SET of them.
ThawStatus view_settings_read(const ViewLive *live, const char *method, const json_t *values, ThawOptionDef *rows,
                              int32_t *count, ThawError *error);

// view_drag.c
// Takes hold of a point of a surface triangle, or moves it if this page holds it; forces act from the next step on.
ThawStatus view_drag_hold(ViewLive *live, int client, int view, int32_t triangle, const double bary[3],
                          const double to[3], ThawError *error);
void view_drag_apply(ViewLive *live);
void view_drag_release(ViewLive *live);

#endif
