// SPDX-License-Identifier: Apache-2.0
// `thaw view`: a scene, live, or the frames of a run, in a browser.
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app.h"
#include "base/file.h"
#include "view_live.h"
#include "view_page.h"
#include "view_replay.h"

extern char **environ;

static atomic_int interrupted; // by a signal

static void on_signal(int signal) {
    (void)signal;
    atomic_store(&interrupted, 1);
}

typedef struct ViewCommand {
    const char *scene, *replay, *host, *page_path;
    int64_t port, threads;
    int silent;                  // does not open a browser
    char *page;                  // read from page_path
    char folder[200], leaf[220]; // for the browser; folder is empty without
} ViewCommand;

enum { REPLAY, PORT, HOST, NO_OPEN, THREADS, PAGE };

static const AppOption options[] = {
    [REPLAY] = {"--replay", "DIR"},
    [PORT] = {"--port", "N"},
    [HOST] = {"--host", "ADDRESS"},
    [NO_OPEN] = {"--no-open", NULL},
    [THREADS] = {"--threads", "N"},
    [PAGE] = {"--page", "FILE"},
    {NULL, NULL},
};

static int parse(ViewCommand *c, int argc, char **argv) {
    AppArguments a = {.argc = argc, .argv = argv, .next = 2, .table = options};
    for (int option; (option = app_arguments_next(&a)) != APP_END;) {
        switch (option) {
        case REPLAY:
            c->replay = a.value;
            break;
        case PORT:
            if (!app_parse_integer("view", "--port", a.value, 0, 65535, &c->port))
                return 0;
            break;
        case HOST:
            c->host = a.value;
            break;
        case NO_OPEN:
            c->silent = 1;
            break;
        case THREADS:
            if (!app_parse_integer("view", "--threads", a.value, 0, 1024, &c->threads))
                return 0;
            break;
        case PAGE:
            c->page_path = a.value;
            break;
        case APP_OPERAND:
            if (c->scene) {
                app_complain("view", "one scene at a time: both '%s' and '%s' were given", c->scene, a.value);
                return 0;
            }
            c->scene = a.value;
            break;
        default:
            return 0;
        }
    }
    if (!c->scene == !c->replay) {
        app_complain("view", "name %s; see `thaw help view`",
                     c->scene ? "either a scene or --replay DIR, not both" : "a scene, or --replay and a run's folder");
        return 0;
    }
    return 1;
}

// Everybody on the machine can read what programs are started with, and the address holds the token. So the browser is
// given a file that only this user can read, and that leads to the address.
static int write_leaf(ViewCommand *c, const char *address) {
    const char *folder = getenv("TMPDIR");
    snprintf(c->folder, sizeof c->folder, "%.150s/thaw-open-XXXXXX", folder && *folder ? folder : "/tmp");
    if (!mkdtemp(c->folder)) {
        c->folder[0] = 0;
        return 0;
    }
    snprintf(c->leaf, sizeof c->leaf, "%s/view.html", c->folder);
    const int handle = open(c->leaf, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (handle < 0)
        return 0;
    const int good = dprintf(handle,
                             "<!doctype html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0; "
                             "url=%s\"><title>Thaw</title><a href=\"%s\">Thaw</a>\n",
                             address, address) > 0;
    return close(handle) == 0 && good;
}

static void remove_leaf(const ViewCommand *c) {
    if (!c->folder[0])
        return;
    unlink(c->leaf);
    rmdir(c->folder);
}

// Where there is a desktop. Whether a browser comes up is not ours to know; the address is printed in any case.
static void open_browser(ViewCommand *c, const char *address) {
    char *const argv[] = {"xdg-open", c->leaf, NULL};
    pid_t pid;
    posix_spawn_file_actions_t quiet;
    if ((!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) || !write_leaf(c, address))
        return;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", 1, 0);
    posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", 1, 0);
    posix_spawnp(&pid, argv[0], &quiet, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&quiet);
}

static ThawStatus start(ViewCommand *c, ViewInbox *inbox, Serve **serve, ThawError *error) {
    ServeDef def = {.host = c->host,
                    .port = (int)c->port,
                    .joined = view_inbox_joined,
                    .received = view_inbox_received,
                    .ready = view_inbox_poke,
                    .context = inbox};
    ThawStatus status = THAW_OK;
    if (c->page_path) {
        status = thaw_file_read(c->page_path, &c->page, &def.page_size, error);
        def.page = c->page;
    } else {
        status = view_page_find(&def.page, &def.page_size, error);
    }
    if (status == THAW_OK && def.page_size == 0)
        status = thaw_error_set(error, THAW_ERROR_INPUT, "the page %s is empty", c->page_path);
    return status == THAW_OK ? serve_start(&def, serve, error) : status;
}

static void announce(ViewCommand *c, const Serve *serve) {
    printf("%s\n", serve_address(serve));
    printf("Open this address in a browser; whoever knows it can look and play. Ctrl-C ends.\n");
    fflush(stdout);
    if (!c->silent)
        open_browser(c, serve_address(serve));
}

static void farewell(Serve *serve) {
    const ServeCounts counts = serve_counts(serve);
    if (counts.frames)
        printf("%" PRId64 " frames were sent, %.1f KB each; %" PRId64 " more gave way to newer ones\n", counts.frames,
               1e-3 * (double)counts.bytes / (double)counts.frames, counts.replaced);
}

static ThawStatus view_live(ViewCommand *c, ThawError *error) {
    ViewLive *live = THAW_NEW(ViewLive, 1);
    if (!live)
        return thaw_error_memory(error, "the view");
    ThawStatus status = view_live_open(c->scene, (int)c->threads, live, error);
    view_inbox_init(&live->inbox);
    if (status == THAW_OK)
        status = start(c, &live->inbox, &live->serve, error);
    if (status == THAW_OK)
        status = view_show_begin(live, error);
    if (status == THAW_OK) {
        announce(c, live->serve);
        view_live_run(live, &interrupted);
        farewell(live->serve);
    }
    serve_stop(&live->serve);
    view_inbox_clear(&live->inbox);
    view_live_clear(live);
    thaw_free(live);
    return status;
}

static ThawStatus view_replay(ViewCommand *c, ThawError *error) {
    ViewReplay *replay = THAW_NEW(ViewReplay, 1);
    if (!replay)
        return thaw_error_memory(error, "the view");
    ThawStatus status = view_replay_open(c->replay, replay, error);
    view_inbox_init(&replay->inbox);
    if (status == THAW_OK)
        status = start(c, &replay->inbox, &replay->serve, error);
    if (status == THAW_OK)
        status = view_replay_hello(replay, error);
    if (status == THAW_OK) {
        announce(c, replay->serve);
        view_replay_run(replay, &interrupted);
        farewell(replay->serve);
    }
    serve_stop(&replay->serve);
    view_inbox_clear(&replay->inbox);
    view_replay_clear(replay);
    thaw_free(replay);
    return status;
}

static int view(int argc, char **argv) {
    ViewCommand c = {.host = "127.0.0.1", .threads = -1};
    ThawError error = {0};
    if (!parse(&c, argc, argv))
        return APP_WRONG_INPUT;
    app_prepare_blas(argv);
    app_listen_to_signals(on_signal, 1); // a second one ends it at once
    signal(SIGPIPE, SIG_IGN);
    const ThawStatus status = c.scene ? view_live(&c, &error) : view_replay(&c, &error);
    thaw_free(c.page);
    remove_leaf(&c);
    if (status != THAW_OK)
        app_complain("view", "%s", error.message);
    return app_exit_status(status);
}

const AppCommand app_command_view = {
    "view", "a scene, live, in a browser; or the frames of a run",
    "usage: thaw view SCENE [OPTIONS]\n"
    "       thaw view --replay DIR [OPTIONS]\n\n"
    "Prints an address to open in a browser. A scene runs live: pull at bodies, change methods and thresholds, drop "
    "new\n"
    "bodies, look at full and adaptive side by side. --replay shows the frames that `thaw run` has left in DIR.\n\n"
    "  --port N        listen on this port; unless said, one that is free\n"
    "  --host ADDRESS  listen on this address (127.0.0.1: this machine only; 0.0.0.0: everyone who knows the address\n"
    "                  with its token can look and play, over a line that is not encrypted)\n"
    "  --no-open       print the address and do not open a browser\n"
    "  --threads N     0: one per processor; instead of the scene's\n"
    "  --page FILE     serve this page instead of the built-in one\n",
    view};
