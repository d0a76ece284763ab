// SPDX-License-Identifier: Apache-2.0
// Thaw: adaptive elastodynamics. This header is the whole public interface.
#ifndef THAW_THAW_H
#define THAW_THAW_H

#include "thaw/doctor.h"
#include "thaw/field.h"
#include "thaw/live.h"
#include "thaw/material.h"
#include "thaw/mesh.h"
#include "thaw/mesher.h"
#include "thaw/read.h"
#include "thaw/scene.h"
#include "thaw/status.h"
#include "thaw/triangles.h"
#include "thaw/world.h"

#endif
