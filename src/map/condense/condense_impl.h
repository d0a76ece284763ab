// SPDX-License-Identifier: Apache-2.0
// What the files of this folder share.
#ifndef THAW_CONDENSE_IMPL_H
#define THAW_CONDENSE_IMPL_H

#include "map/condense/condense.h"

// T_s = F'M F by static fields at rest, the mean over the axes; T and W are there. Ts: functionals^2.
ThawStatus thaw_condensed_find_static(const ThawCondensed *c, ThawTasks *tasks, double *Ts, ThawError *error);

#endif
