// SPDX-License-Identifier: Apache-2.0
// `thaw export --html`: the viewer page with a run inside it. All frames, with all the fields they hold, and with
// the inside of the bodies, for whoever cuts them open.
#include <stdlib.h>

#include "export.h"
#include "view_page.h"
#include "view_recorded.h"

ThawStatus app_export_html(ThawReplay *replay, const char *path, ThawError *error) {
    const char *page;
    size_t page_size;
    ViewRecorded recorded = {0};
    ViewPage *file = NULL;
    ThawStatus status = view_page_find(&page, &page_size, error); // before the work, not after it
    if (status == THAW_OK)
        status = view_recorded_open(replay, 0, THAW_STREAM_FILE, 1, &recorded, error);
    if (status == THAW_OK)
        status = view_page_create(&file, error);
    for (int64_t i = 0; status == THAW_OK && i < thaw_replay_count(replay); i++) {
        const unsigned char *bytes;
        size_t size;
        status = view_recorded_encode(&recorded, i, -1, &bytes, &size, error);
        if (status == THAW_OK)
            status = view_page_add(file, bytes, size, error);
    }
    char *header = status == THAW_OK ? view_recorded_hello(&recorded, view_recorded_field(&recorded)) : NULL;
    if (status == THAW_OK && !header)
        status = thaw_error_memory(error, "the header of the page");
    if (status == THAW_OK)
        status = view_page_write(file, header, path, error);
    free(header);
    view_page_free(&file);
    view_recorded_clear(&recorded);
    return status;
}
