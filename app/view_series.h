// SPDX-License-Identifier: Apache-2.0
// The numbers of every step that a run has left in its folder, for plots and labels of a replay.
#ifndef THAW_APP_VIEW_SERIES_H
#define THAW_APP_VIEW_SERIES_H

#include <jansson.h>

#include "base/base.h"

typedef struct ViewSeries {
    int64_t rows;   // 0: the folder tells nothing
    double *values; // rows x columns (view_series.c), steps ascending; NAN: not told
} ViewSeries;

// Reads steps.csv of a run's folder, as far as it makes sense: of a killed run the last row may be torn.
ThawStatus view_series_read(const char *folder, ViewSeries *series, ThawError *error);
void view_series_clear(ViewSeries *series);

// For the header: {"time": [...], "dofs": [...], ...}, of at most 2000 steps that are spread evenly. NULL: memory ran
// out.
json_t *view_series_json(const ViewSeries *series);

// For a frame: the members of a JSON object that tell of this step, behind what `text` holds already. `room` in bytes.
void view_series_stats(const ViewSeries *series, int64_t step, char *text, size_t room);

#endif
