// SPDX-License-Identifier: Apache-2.0
// What a run says of attachments: when one lets go, and at its end what each of them bears.
#include <inttypes.h>
#include <math.h>

#include "base/base.h"
#include "run.h"

static double strength(const ThawAttachmentState *a) { return hypot(hypot(a->force[0], a->force[1]), a->force[2]); }

ThawStatus app_attachments_begin(AppRun *run, ThawError *error) {
    run->told = THAW_NEW(unsigned char, thaw_world_attachment_count(run->world));
    return run->told ? THAW_OK : thaw_error_memory(error, "what a run says");
}

void app_attachments_skip(AppRun *run) {
    ThawAttachmentState a;
    for (int32_t i = 0; i < thaw_world_attachment_count(run->world); i++)
        if (thaw_world_get_attachment(run->world, i, &a) == THAW_OK)
            run->told[i] = a.released != 0;
}

void app_attachments_tell(AppRun *run, AppProgress *progress) {
    ThawAttachmentState a;
    for (int32_t i = 0; i < thaw_world_attachment_count(run->world) && !run->quiet; i++) {
        if (run->told[i] || thaw_world_get_attachment(run->world, i, &a) != THAW_OK || !a.released)
            continue;
        run->told[i] = 1;
        app_progress_end(progress); // a line of its own; the next look draws the bar again
        progress->shown_ms = -INFINITY;
        printf("  attachment %s let go at t = %.6g s (%.4g N)\n", a.name, a.released_time, a.released_force);
        fflush(stdout);
    }
}

void app_attachments_print(const AppRun *run) {
    enum { SHOWN = 20 };
    const int32_t count = thaw_world_attachment_count(run->world);
    ThawAttachmentState a;
    for (int32_t i = 0; i < count && i < SHOWN; i++) {
        if (thaw_world_get_attachment(run->world, i, &a) != THAW_OK)
            continue;
        if (a.released)
            printf("  attachment %s: let go at t = %.6g s (%.4g N)\n", a.name, a.released_time, a.released_force);
        else
            printf("  attachment %s: %.4g N on %" PRId32 " %s of %s\n", a.name, strength(&a), a.vertices,
                   a.vertices == 1 ? "vertex" : "vertices", thaw_world_body_name(run->world, a.body));
    }
    if (count > SHOWN)
        printf("  ... and %d more attachments\n", (int)(count - SHOWN));
}
