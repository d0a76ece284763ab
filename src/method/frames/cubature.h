// SPDX-License-Identifier: Apache-2.0
// Few elements with weights in the place of all, for a body that moves by frames.
#ifndef THAW_CUBATURE_H
#define THAW_CUBATURE_H

#include "map/frames/frames.h"

// share: by element of the mesh, how many times it counts; 0: not at all. At most so many of each frame, unless they
// cannot stand for all: then each counts once. The map is that of `def`, with all elements and at rest.
ThawStatus thaw_cubature_find(const ThawFrameMapDef *def, int most, ThawTasks *tasks, double *share, ThawError *error);

#endif
