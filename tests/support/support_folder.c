// SPDX-License-Identifier: Apache-2.0
#include "support/folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char folder[64];

const char *at(const char *name) {
    static char path[4][512];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

int remove_tree(const char *path) {
    char inner[1024];
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(inner, sizeof inner, "%.700s/%.300s", path, entry->d_name);
        struct stat info;
        if (!lstat(inner, &info) && S_ISDIR(info.st_mode))
            remove_tree(inner);
        else
            unlink(inner);
    }
    if (dir)
        closedir(dir);
    return rmdir(path);
}

int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/thaw-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

int drop_folder(void **state) {
    (void)state;
    return getenv("THAW_KEEP") ? 0 : remove_tree(folder);
}
