// SPDX-License-Identifier: Apache-2.0
// Reading files otherwise than by default. The functions without options (thaw_mesh_read_report, thaw_scene_load, ...)
// are these with options NULL, and say what the other arguments are. The library takes nothing from the environment.
#ifndef THAW_READ_H
#define THAW_READ_H

#include <stddef.h>
#include <stdint.h>

#include "thaw/doctor.h"
#include "thaw/mesh.h"
#include "thaw/scene.h"
#include "thaw/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// All zero: the defaults.
typedef struct ThawReadOptions {
    // Bytes that the compressed arrays of one file (.vtu) may become. What asks for more is refused before memory is
    // made for it. 0: 256 MiB, or 200 times the size of the file where that is more, and 16 GiB at most.
    uint64_t unpack_limit;
} ThawReadOptions;

ThawStatus thaw_mesh_read_with(const char *path, const ThawReadOptions *options, ThawMesh **mesh,
                               ThawMeshReport *report, ThawError *error);
// Triangles in space as they are, for a sheet: of any mesh file without tetrahedra, or of a surface (.obj, .ply, .stl;
// groups as thaw_mesh_of_triangles has them).
ThawStatus thaw_mesh_read_sheet(const char *path, const ThawReadOptions *options, ThawMesh **mesh,
                                ThawMeshReport *report, ThawError *error);
ThawStatus thaw_scene_load_with(const char *path, const ThawReadOptions *options, ThawScene **scene, ThawError *error);
ThawStatus thaw_scene_parse_with(const char *text, size_t length, const char *name, const char *folder,
                                 const ThawReadOptions *options, ThawScene **scene, ThawError *error);
ThawStatus thaw_doctor_file_with(const char *path, const ThawReadOptions *options, ThawDoctorReport **report,
                                 ThawError *error);

#ifdef __cplusplus
}
#endif
#endif
