// SPDX-License-Identifier: Apache-2.0
// What is taken out of a checkpoint must be there, of its type and of its size. Apart from checkpoint.c, so that
// checkpoints that are kept elsewhere than in files (fuzz/store.c) are checked by the same lines.
#include <inttypes.h>
#include <string.h>

#include "output/checkpoint.h"
#include "output/hdf.h"

ThawStatus thaw_checkpoint_take(const ThawHdfList *list, const char *path, const char *name, ThawHdfType type,
                                void *data, int64_t count, ThawError *error) {
    static const char *const types[THAW_HDF_TYPES] = {
        [THAW_HDF_I8] = "text",    [THAW_HDF_I32] = "int32",  [THAW_HDF_I64] = "int64",
        [THAW_HDF_U64] = "uint64", [THAW_HDF_F64] = "double",
    };
    if (!list)
        return thaw_error_set(error, THAW_ERROR_INPUT, "the checkpoint %s has no '%s'", path, name);
    if (list->type != type)
        return thaw_error_set(error, THAW_ERROR_INPUT, "'%s' in the checkpoint %s is not of type %s", name, path,
                              types[type]);
    if (list->count != count)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "'%s' in the checkpoint %s has %" PRId64 " values; %" PRId64 " are needed", name, path,
                              list->count, count);
    if (count)
        memcpy(data, list->data, (size_t)count * thaw_hdf_type_size(type));
    return THAW_OK;
}
