// SPDX-License-Identifier: Apache-2.0
#include "reading.h"

#include <stdlib.h>

#include "base/base.h"
#include "thaw/read.h"

static ThawStatus find_options(ThawReadOptions *options, ThawError *error) {
    const char *given = getenv("THAW_UNPACK_LIMIT");
    char *end;
    *options = (ThawReadOptions){0};
    if (!given)
        return THAW_OK;
    const uint64_t mebibytes = strtoull(given, &end, 10);
    if (given[0] < '0' || given[0] > '9' || *end || !mebibytes || mebibytes > UINT32_MAX)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "the environment's THAW_UNPACK_LIMIT is \"%.40s\"; allowed: a number of MiB, from 1",
                              given);
    options->unpack_limit = mebibytes << 20;
    return THAW_OK;
}

ThawStatus app_mesh_read(const char *path, ThawMesh **mesh, ThawError *error) {
    ThawReadOptions options;
    const ThawStatus status = find_options(&options, error);
    return status ? status : thaw_mesh_read_with(path, &options, mesh, NULL, error);
}

ThawStatus app_scene_load(const char *path, ThawScene **scene, ThawError *error) {
    ThawReadOptions options;
    const ThawStatus status = find_options(&options, error);
    return status ? status : thaw_scene_load_with(path, &options, scene, error);
}

ThawStatus app_scene_parse(const char *text, size_t length, const char *name, const char *folder, ThawScene **scene,
                           ThawError *error) {
    ThawReadOptions options;
    const ThawStatus status = find_options(&options, error);
    return status ? status : thaw_scene_parse_with(text, length, name, folder, &options, scene, error);
}

ThawStatus app_doctor_file(const char *path, ThawDoctorReport **report, ThawError *error) {
    ThawReadOptions options;
    const ThawStatus status = find_options(&options, error);
    return status ? status : thaw_doctor_file_with(path, &options, report, error);
}
