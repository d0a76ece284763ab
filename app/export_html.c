// SPDX-License-Identifier: Apache-2.0
// `thaw export --html`: the viewer page with a run inside it.
#include "export.h"

ThawStatus app_export_html(ThawReplay *replay, const char *path, ThawError *error) {
    (void)replay;
    return thaw_error_set(error, THAW_ERROR_UNSUPPORTED,
                          "%s cannot be written: this program was built without the page", path);
}
