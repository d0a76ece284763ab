// SPDX-License-Identifier: Apache-2.0
// The page itself, and the page with a stream inside it that opens without a server.
#ifndef THAW_APP_VIEW_PAGE_H
#define THAW_APP_VIEW_PAGE_H

#include <stddef.h>
#include <stdint.h>

#include "thaw/status.h"

// The built-in page; THAW_ERROR_UNSUPPORTED, and how to get one, in a program that was built without.
ThawStatus view_page_find(const char **page, size_t *size, ThawError *error);

// Whether so many frames (of all views) should hold what is inside the bodies, too: a browser unpacks all of them at
// once.
int view_page_holds_inside(int64_t frames, int64_t points, int64_t elements);

// Frames for a file, compressed as they come. Frames must be of THAW_STREAM_FILE, in order of moments and then of
// views.
typedef struct ViewPage ViewPage;
ThawStatus view_page_create(ViewPage **file, ThawError *error);
ThawStatus view_page_add(ViewPage *file, const unsigned char *frame, size_t size, ThawError *error);
// Writes the page with the header (JSON) and all frames so far; the file is complete or not there.
ThawStatus view_page_write(ViewPage *file, const char *header, const char *path, ThawError *error);
void view_page_free(ViewPage **file);

#endif
