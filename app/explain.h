// SPDX-License-Identifier: Apache-2.0
// Reports on elements, as JSON and out of frames: for `thaw explain` and the viewer.
#ifndef THAW_APP_EXPLAIN_H
#define THAW_APP_EXPLAIN_H

#include <jansson.h>

#include "output/frame_data.h"

// The keys of a report: docs/rigidification.md. What is not known is null. NULL when memory ran out.
json_t *app_report_json(const ThawElementReport *report, const char *body_name);

// What a frame tells about an element of a body; steps_below and steps_held are -1, for frames do not hold them.
// THAW_ERROR_INPUT names what is out of range.
ThawStatus app_report_from_frame(const ThawFrameData *frame, int32_t body, int32_t element, ThawElementReport *report,
                                 ThawError *error);

#endif
