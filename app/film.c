// SPDX-License-Identifier: Apache-2.0
// A film is a pipe into ffmpeg: raw pictures go in, ffmpeg encodes by the file's ending. It writes beside the place and
// the file is renamed when ffmpeg is content, so a film that exists is complete. ffmpeg is started without a shell: no
// name of a file can be taken for a command.
#include "film.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"

extern char **environ;

struct Film {
    char *path, *temporary;
    int pipe;
    pid_t encoder;
};

static const char *ending_of(const char *path) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    return dot ? dot + 1 : "";
}

// Players need even sizes and the 4:2:0 colours; a GIF has its own palette; what a page shows is to run for ever.
#define FOR_PLAYERS "pad=ceil(iw/2)*2:ceil(ih/2)*2,format=yuv420p"
static const struct Format {
    const char *ending, *filter, *options[6];
} formats[] = {
    {"mp4", FOR_PLAYERS, {"-movflags", "+faststart"}},
    {"webm", FOR_PLAYERS, {0}},
    {"mkv", FOR_PLAYERS, {0}},
    {"mov", FOR_PLAYERS, {0}},
    {"gif", "split[a][b];[a]palettegen=stats_mode=full[p];[b][p]paletteuse=dither=sierra2_4a", {"-loop", "0"}},
    {"webp", "format=yuv420p", {"-loop", "0", "-quality", "75", "-compression_level", "6"}},
};

static const struct Format *format_of(const char *path) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcasecmp(ending_of(path), formats[i].ending) == 0)
            return &formats[i];
    return NULL;
}

int film_is_name(const char *path) { return format_of(path) != NULL; }

static void film_free(Film **film) {
    if ((*film)->pipe >= 0)
        close((*film)->pipe);
    thaw_free((*film)->path);
    thaw_free((*film)->temporary);
    thaw_free(*film);
    *film = NULL;
}

static int spawn(Film *film, int width, int height, double rate) {
    char size[32], frames[32];
    int ends[2];
    snprintf(size, sizeof size, "%dx%d", width, height);
    snprintf(frames, sizeof frames, "%.6g", rate);
    const struct Format *format = format_of(film->path);
    const char *command[32] = {"ffmpeg", "-nostdin", "-v", "error", "-y", "-f",     "rawvideo", "-pix_fmt",    "rgb24",
                               "-s",     size,       "-r", frames,  "-i", "pipe:0", "-vf",      format->filter};
    int count = 17;
    for (int i = 0; i < 6 && format->options[i]; i++)
        command[count++] = format->options[i];
    command[count] = film->temporary;
    if (pipe2(ends, O_CLOEXEC))
        return errno;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
    int failed = posix_spawnp(&film->encoder, "ffmpeg", &actions, NULL, (char *const *)(uintptr_t)command, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    if (failed)
        close(ends[1]);
    else
        film->pipe = ends[1];
    return failed;
}

ThawStatus film_open(const char *path, int width, int height, double rate, Film **film, ThawError *error) {
    Film *f = *film = THAW_NEW(Film, 1);
    if (!f)
        return thaw_error_memory(error, "a film");
    f->pipe = -1;
    size_t length = strlen(path) + 40 + strlen(ending_of(path));
    f->path = thaw_strdup(path);
    f->temporary = THAW_NEW(char, length);
    if (!f->path || !f->temporary) {
        film_free(film);
        return thaw_error_memory(error, "a film");
    }
    // ffmpeg chooses the format by the ending; "file:" keeps it from taking a name for a protocol or an option.
    snprintf(f->temporary, length, "file:%s.%ld.tmp.%s", path, (long)getpid(), ending_of(path));
    int failed = spawn(f, width, height, rate);
    if (!failed)
        return THAW_OK;
    film_free(film);
    return thaw_error_set(error, failed == ENOENT ? THAW_ERROR_UNSUPPORTED : THAW_ERROR_IO,
                          failed == ENOENT ? "%s needs ffmpeg, which is not installed (on Debian: apt install ffmpeg); "
                                             "or write pictures: --frame all -o frame%%04d.png"
                                           : "cannot start ffmpeg for %s: %s",
                          path, strerror(failed));
}

ThawStatus film_add(Film *film, const Picture *picture, ThawError *error) {
    size_t left = 3 * (size_t)picture->width * (size_t)picture->height;
    // An encoder that died must show as an error of write, not as a signal.
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before);
    for (const unsigned char *at = picture->rgb; left;) {
        ssize_t done = write(film->pipe, at, left);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            break;
        at += done;
        left -= (size_t)done;
    }
    int failed = errno;
    sigaction(SIGPIPE, &before, NULL);
    return left ? thaw_error_set(error, THAW_ERROR_IO, "ffmpeg could not write %s: %s", film->path, strerror(failed))
                : THAW_OK;
}

ThawStatus film_close(Film **film, int abandon, ThawError *error) {
    Film *f = *film;
    int outcome = 0;
    const char *temporary = f->temporary + strlen("file:");
    if (abandon)
        kill(f->encoder, SIGKILL); // it would go on to finish a file that is not wanted
    close(f->pipe);
    f->pipe = -1;
    while (waitpid(f->encoder, &outcome, 0) < 0 && errno == EINTR)
        continue;
    ThawStatus status = THAW_OK;
    if (!abandon && outcome)
        status = thaw_error_set(error, THAW_ERROR_IO, "ffmpeg could not write %s (its message is above)", f->path);
    else if (!abandon && rename(temporary, f->path))
        status = thaw_error_set(error, THAW_ERROR_IO, "cannot write %s: %s", f->path, strerror(errno));
    if (abandon || status != THAW_OK)
        unlink(temporary);
    film_free(film);
    return status;
}
