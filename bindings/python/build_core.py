# SPDX-License-Identifier: Apache-2.0
"""Declarations of the extension module thaw._core, from the public headers themselves, and what little C it adds.

The library is linked into the module: libthaw.a of THAW_BUILD (a CMake build folder), by default build/release of this
repository, which is made where it is missing.
"""
import os
import pathlib
import re
import shlex
import subprocess
import tempfile

from cffi import FFI

here = pathlib.Path(__file__).resolve().parent
root = here.parent.parent
build = pathlib.Path(os.environ.get("THAW_BUILD", root / "build" / "release"))


def build_library():
    if not (build / "libthaw.a").exists():
        subprocess.run(["cmake", "-S", root, "-B", build, "-G", "Ninja", "-DBUILD_TESTING=OFF"], check=True)
        subprocess.run(["cmake", "--build", build, "--target", "thaw"], check=True)
    return str(build / "libthaw.a")


def declarations():
    """thaw.h, preprocessed without the C library's own headers, whose types cffi knows."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("stddef.h", "stdint.h"):
            pathlib.Path(folder, name).touch()
        text = subprocess.run(
            [*shlex.split(os.environ.get("CC", "cc")), "-E", "-P", "-nostdinc", "-I", folder, "-I", root / "include",
             root / "include" / "thaw" / "thaw.h"], check=True, capture_output=True, text=True).stdout
    return re.sub(r"__attribute__\s*\(\(.*?\)\)", "", text)


HELPERS = r"""
// Steps of many worlds, each a task of its own; and Ctrl-C, which Python only notes while C runs: for as long as steps
// are under way (`watch`), the signal sets a flag that steps ask for, and is sent again once they are over.
typedef struct ThawPySteps {
    ThawWorld **worlds;
    ThawStepStats *stats; // count, or NULL
    ThawStatus *status;   // count
    ThawError *error;     // of the first that fails, by its place
    int32_t count;
    int64_t steps;
} ThawPySteps;
int thaw_py_steps(ThawPySteps *work, int threads, int watch); // nonzero: interrupted
int thaw_py_watch(ThawWorld *world); // its steps can be interrupted
"""

SOURCE = r"""
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <thaw/thaw.h>
""" + HELPERS + r"""
static volatile sig_atomic_t interrupted;

static void note_interrupt(int number) { (void)number; interrupted = 1; }

static int wanted(void *context) { (void)context; return interrupted; }

int thaw_py_watch(ThawWorld *world) { return thaw_world_set_cancel(world, &(ThawCancel){wanted, NULL}); }

typedef struct Crew {
    ThawPySteps *work;
    atomic_int next;
    pthread_mutex_t mutex;
    int32_t failed; // the first
} Crew;

static void *work_on(void *context) {
    Crew *crew = context;
    ThawPySteps *work = crew->work;
    for (int32_t i; (i = atomic_fetch_add(&crew->next, 1)) < work->count;) {
        ThawError error = {0};
        work->status[i] = THAW_OK;
        for (int64_t k = 0; k < work->steps && work->status[i] == THAW_OK; k++)
            work->status[i] = thaw_world_step(work->worlds[i], work->stats ? &work->stats[i] : NULL, &error);
        if (work->status[i] == THAW_OK)
            continue;
        pthread_mutex_lock(&crew->mutex);
        if (crew->failed < 0 || i < crew->failed) {
            crew->failed = i;
            *work->error = error;
        }
        pthread_mutex_unlock(&crew->mutex);
    }
    return NULL;
}

int thaw_py_steps(ThawPySteps *work, int threads, int watch) {
    Crew crew = {.work = work, .failed = -1};
    pthread_t others[64];
    int started = 0;
    struct sigaction own = {.sa_handler = note_interrupt}, before;
    if (watch) {
        interrupted = 0;
        watch = sigaction(SIGINT, &own, &before) == 0;
    }
    pthread_mutex_init(&crew.mutex, NULL);
    while (started < threads - 1 && started < work->count - 1 && started < 64 &&
           pthread_create(&others[started], NULL, work_on, &crew) == 0)
        started++;
    work_on(&crew);
    while (started > 0)
        pthread_join(others[--started], NULL);
    pthread_mutex_destroy(&crew.mutex);
    int was = 0;
    if (watch) {
        sigaction(SIGINT, &before, NULL);
        was = interrupted;
        interrupted = 0;
        if (was)
            raise(SIGINT); // to Python, which raises KeyboardInterrupt
    }
    return was;
}
"""

ffi = FFI()
ffi.cdef(declarations() + HELPERS)
libraries = shlex.split(subprocess.run(["pkg-config", "--libs", "jansson", "zlib"], check=True, capture_output=True,
                                       text=True).stdout)
ffi.set_source("thaw._core", SOURCE, include_dirs=[str(root / "include")],
               extra_objects=[build_library()], extra_link_args=[*libraries, "-lm", "-lpthread"],
               py_limited_api=True)

if __name__ == "__main__":
    ffi.compile(verbose=True)
