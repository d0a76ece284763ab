// SPDX-License-Identifier: Apache-2.0
// Files that are complete or not there (file.c).
#ifndef THAW_FILE_H
#define THAW_FILE_H

#include <stdio.h>

#include "base/base.h"

// A file written under PATH.tmp in the same folder. Errors are remembered, and reported once by thaw_file_commit.
typedef struct ThawFile ThawFile;

ThawStatus thaw_file_create(const char *path, ThawFile **file, ThawError *error);
void thaw_file_write(ThawFile *file, const void *bytes, size_t size);
void thaw_file_print(ThawFile *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Writes over bytes that were written before, from `at` on; what follows goes to the end again.
void thaw_file_patch(ThawFile *file, int64_t at, const void *bytes, size_t size);
// Waits until what was written so far is on the disk, for files that must survive a power cut, or whose failure must
// show before something else is done. Nonzero (an errno) when anything has failed so far.
int thaw_file_sync(ThawFile *file);
// Flushes, closes and renames. Frees *file in any case; on an error the temporary file is gone and an older file
// at the path is untouched.
ThawStatus thaw_file_commit(ThawFile **file, ThawError *error);
void thaw_file_discard(ThawFile **file);

// Waits until a file or folder that is closed already is on the disk. A file system that cannot tell is no error.
ThawStatus thaw_path_sync(const char *path, ThawError *error);

// Makes a folder and those above it.
ThawStatus thaw_folder_create(const char *path, ThawError *error);

// The whole file, with a zero byte after it. The caller frees *bytes with thaw_free.
ThawStatus thaw_file_read(const char *path, char **bytes, size_t *size, ThawError *error);

#endif
