// SPDX-License-Identifier: Apache-2.0
// `thaw compare --report FILE.html`: both runs side by side in one page, with the table and the plots.
#ifndef THAW_APP_VIEW_REPORT_H
#define THAW_APP_VIEW_REPORT_H

#include "versus.h"

typedef struct ViewReport ViewReport;

// To be called before the first step. The comparison is borrowed. THAW_ERROR_UNSUPPORTED in a program without the page.
ThawStatus view_report_create(const AppVersus *versus, const char *scene_path, ViewReport **report, ThawError *error);
// After each step: its numbers, and now and then a frame of both.
ThawStatus view_report_step(ViewReport *report, ThawError *error);
ThawStatus view_report_write(ViewReport *report, const char *path, ThawError *error);
// Keeps the numbers in the comparison's folder, before its sums; and those of the steps that were made, where they are
// there. Pictures are of the steps since.
ThawStatus view_report_save(const ViewReport *report, const char *folder, ThawError *error);
ThawStatus view_report_load(ViewReport *report, const char *folder, ThawError *error);
void view_report_free(ViewReport **report);

#endif
