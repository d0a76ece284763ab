// SPDX-License-Identifier: Apache-2.0
// For tests that run the program: start it, wait for it, look at what it says and leaves behind. Before it is included,
// the test defines `static const char program[] = THAW_PROGRAM;` (and so is built after the program).
#ifndef THAW_TEST_PROGRAM_H
#define THAW_TEST_PROGRAM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/folder.h"

extern char **environ;

static char said[1 << 16]; // stdout and stderr of the last program

// Words are divided by blanks; '@' at the beginning of a word stands for the test's folder.
__attribute__((unused)) static pid_t start(const char *line, const char *output) {
    char words[1024], *argv[40] = {(char *)program}, paths[10][512];
    int argc = 1, used = 0;
    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok(words, " "); word && argc < 39; word = strtok(NULL, " ")) {
        if (word[0] == '@' && used < 10) {
            snprintf(paths[used], sizeof paths[used], "%s/%s", folder, word + 1);
            word = paths[used++];
        }
        argv[argc++] = word;
    }
    argv[argc] = NULL;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t pid;
    int failed = posix_spawn(&pid, program, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    assert_int_equal(failed, 0);
    return pid;
}

__attribute__((unused)) static char *slurp(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = calloc(*size + 1, 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

// The exit status, or minus the signal that ended it. Fills `said`.
__attribute__((unused)) static int finish(pid_t pid) {
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    size_t size = 0;
    char *text = slurp(at("said"), &size);
    snprintf(said, sizeof said, "%s", text ? text : "");
    free(text);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

__attribute__((unused)) static int thaw(const char *line) { return finish(start(line, at("said"))); }

__attribute__((unused)) static void expect(const char *line, int status, const char *fragment) {
    int got = thaw(line);
    if (got != status || !strstr(said, fragment))
        fail_msg("thaw %s: status %d, expected %d with '%s'; it said: %s", line, got, status, fragment, said);
}

__attribute__((unused)) static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

// A small bar that swings from one end: 60 steps, a frame every 4, a checkpoint every 9.
__attribute__((unused)) static void write_scene(const char *path, const char *young) {
    char text[2048];
    snprintf(
        text, sizeof text,
        "{\"thaw\": 1, \"title\": \"test bar\", \"time\": {\"step\": 0.01, \"steps\": 60},\n"
        " \"output\": {\"every\": 4, \"formats\": [\"vtu\"], \"checkpoint_every\": 9},\n"
        " \"materials\": {\"rubber\": {\"density\": 1000, \"young\": %s, \"poisson\": 0.4, \"alpha1\": 0.001}},\n"
        " \"shapes\": {\"bar\": {\"mesh\": {\"box\": {\"min\": [0, 0, 0], \"max\": [0.6, 0.1, 0.1], \"cells\": [8, "
        "2, 2]}}, \"material\": \"rubber\", \"groups\": {\"end\": {\"box\": {\"min\": [-1, -1, -1], \"max\": "
        "[0.01, 1, 1]}}}}},\n"
        " \"bodies\": [{\"name\": \"bar\", \"shape\": \"bar\", \"pins\": [\"end\"]}]}\n",
        young);
    write_text(path, text);
}

#endif
