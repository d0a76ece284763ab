// SPDX-License-Identifier: Apache-2.0
// A file that anyone can open: the built-in page with its data in two script elements that no browser runs
// (docs/viewer-protocol.md). Frames go through one deflate stream, so that what repeats from frame to frame is packed
// too.
#include "view_page.h"

#include <string.h>
#include <zlib.h>

#include "base/file.h"
#include "view_hello.h"

extern const char app_page[] __attribute__((weak)); // viewer/ (cmake/Viewer.cmake)
extern const size_t app_page_size __attribute__((weak));

static const char mark[] = "<!--thaw-data-->";

struct ViewPage {
    z_stream deflate;
    int open;
    unsigned char *bytes;
    size_t size, room;
};

ThawStatus view_page_find(const char **page, size_t *size, ThawError *error) {
    if (!app_page || !&app_page_size || app_page_size == 0)
        return thaw_error_set(
            error, THAW_ERROR_UNSUPPORTED,
            "this program was built without the web page, which takes Node.js; install it (Debian: nodejs "
            "and npm), then configure with -DTHAW_VIEWER=ON and build again");
    *page = app_page;
    *size = app_page_size;
    return THAW_OK;
}

// A position takes 6 bytes, all fields of a point 8 and those of an element 10, most of them quantised to one byte
// each.
int view_page_holds_inside(int64_t frames, int64_t points, int64_t elements) {
    const double room = 256e6;
    return (double)frames * (14.0 * (double)points + 10.0 * (double)elements) <= room;
}

ThawStatus view_page_create(ViewPage **file, ThawError *error) {
    ViewPage *p = *file = THAW_NEW(ViewPage, 1);
    if (p && deflateInit2(&p->deflate, Z_BEST_COMPRESSION, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) == Z_OK) {
        p->open = 1;
        return THAW_OK;
    }
    view_page_free(file);
    return thaw_error_memory(error, "compressing frames");
}

void view_page_free(ViewPage **file) {
    if (!*file)
        return;
    if ((*file)->open)
        deflateEnd(&(*file)->deflate);
    thaw_free((*file)->bytes);
    thaw_free(*file);
    *file = NULL;
}

static ThawStatus compress_more(ViewPage *p, const void *bytes, size_t size, int flush, ThawError *error) {
    p->deflate.next_in = (unsigned char *)bytes;
    p->deflate.avail_in = (uInt)size;
    for (int result = Z_OK; result == Z_OK && (p->deflate.avail_in > 0 || flush == Z_FINISH);) {
        if (p->room - p->size < 4096) {
            const size_t room = p->room + p->room / 2 + 65536;
            unsigned char *grown = thaw_regrow(p->bytes, p->size, room, 1);
            if (!grown)
                return thaw_error_memory(error, "compressed frames");
            p->bytes = grown;
            p->room = room;
        }
        const size_t left = p->room - p->size;
        p->deflate.next_out = p->bytes + p->size;
        p->deflate.avail_out = (uInt)(left < (1u << 30) ? left : 1u << 30);
        const uInt offered = p->deflate.avail_out;
        result = deflate(&p->deflate, flush);
        p->size += offered - p->deflate.avail_out;
    }
    return THAW_OK;
}

ThawStatus view_page_add(ViewPage *p, const unsigned char *frame, size_t size, ThawError *error) {
    const uint32_t length = (uint32_t)size;
    if (size > (1u << 30))
        return thaw_error_set(error, THAW_ERROR_UNSUPPORTED, "a frame of %zu bytes is too large for a page", size);
    ThawStatus status = compress_more(p, &length, sizeof length, Z_NO_FLUSH, error);
    return status == THAW_OK ? compress_more(p, frame, size, Z_NO_FLUSH, error) : status;
}

// Inside a script element: "<" may not stand there as it is. In JSON it stands in texts only.
static void write_json(ThawFile *file, const char *json) {
    for (const char *at = json; *at;) {
        const size_t plain = strcspn(at, "<");
        thaw_file_write(file, at, plain);
        at += plain;
        if (*at) {
            thaw_file_print(file, "\\u003c");
            at++;
        }
    }
}

ThawStatus view_page_write(ViewPage *p, const char *header, const char *path, ThawError *error) {
    const char *page = NULL, *place = NULL;
    size_t size = 0;
    ThawFile *file = NULL;
    ThawStatus status = view_page_find(&page, &size, error);
    if (status == THAW_OK && !(place = strstr(page, mark)))
        status = thaw_error_set(error, THAW_ERROR_UNSUPPORTED, "the built-in page has no place for data (%s)", mark);
    if (status == THAW_OK)
        status = compress_more(p, NULL, 0, Z_FINISH, error);
    char *text = status == THAW_OK ? view_base64(p->bytes, p->size) : NULL;
    if (status == THAW_OK && !text)
        status = thaw_error_memory(error, "the page");
    if (status == THAW_OK)
        status = thaw_file_create(path, &file, error);
    if (status == THAW_OK) {
        thaw_file_write(file, page, (size_t)(place - page));
        thaw_file_print(file, "<script type=\"application/json\" id=\"thaw-header\">");
        write_json(file, header);
        thaw_file_print(file, "</script>\n<script type=\"application/octet-stream\" id=\"thaw-frames\">");
        thaw_file_write(file, text, strlen(text));
        thaw_file_print(file, "</script>");
        place += sizeof mark - 1;
        thaw_file_write(file, place, size - (size_t)(place - page));
        status = thaw_file_commit(&file, error);
    }
    thaw_free(text);
    return status;
}
