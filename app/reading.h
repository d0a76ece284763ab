// SPDX-License-Identifier: Apache-2.0
// Files as the program reads them: with the limits that its user sets in the environment, which the library does not
// look at.
//     THAW_UNPACK_LIMIT   MiB that a compressed .vtu file may become
// Else as the functions of the same names in thaw/.
#ifndef THAW_APP_READING_H
#define THAW_APP_READING_H

#include "thaw/thaw.h"

ThawStatus app_mesh_read(const char *path, ThawMesh **mesh, ThawError *error);
ThawStatus app_scene_load(const char *path, ThawScene **scene, ThawError *error);
ThawStatus app_scene_parse(const char *text, size_t length, const char *name, const char *folder, ThawScene **scene,
                           ThawError *error);
ThawStatus app_doctor_file(const char *path, ThawDoctorReport **report, ThawError *error);

#endif
