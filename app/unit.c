// SPDX-License-Identifier: Apache-2.0
// The option --unit.
#include "unit.h"

#include "app.h"

int app_parse_unit(const char *command, const char *text, const ThawUnit **unit) {
    *unit = thaw_unit_find(text);
    if (!*unit)
        app_complain(command, "--unit is '%s'; allowed: mm, cm, m or in (any other by --scale of `thaw new`)", text);
    return *unit != NULL;
}
