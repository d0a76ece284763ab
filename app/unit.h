// SPDX-License-Identifier: Apache-2.0
// Units of files on the command line.
#ifndef THAW_APP_UNIT_H
#define THAW_APP_UNIT_H

#include "doctor/doctor.h"

// mm, cm, m or in; complains on stderr and returns 0 for any other word.
int app_parse_unit(const char *command, const char *text, const ThawUnit **unit);

#endif
