// SPDX-License-Identifier: Apache-2.0
// Errors are values: a status, and a message that names the culprit.
#include <stdarg.h>
#include <stdio.h>

#include "base/base.h"

ThawStatus thaw_error_set(ThawError *error, ThawStatus status, const char *format, ...) {
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
        error->status = status;
    }
    return status;
}

ThawStatus thaw_error_memory(ThawError *error, const char *what) {
    return thaw_error_set(error, THAW_ERROR_MEMORY, "out of memory (for %s)", what);
}

const char *thaw_status_name(ThawStatus status) {
    switch (status) {
    case THAW_ERROR_INPUT:
        return "wrong input";
    case THAW_ERROR_MEMORY:
        return "out of memory";
    case THAW_ERROR_IO:
        return "input or output failed";
    case THAW_ERROR_UNSUPPORTED:
        return "not in this build";
    case THAW_CANCELLED:
        return "cancelled";
    case THAW_OK:
        return "ok";
    case THAW_INDEFINITE:
        return "indefinite";
    case THAW_NOT_CONVERGED:
        return "not converged";
    case THAW_INVERTED:
        return "inverted";
    case THAW_DIVERGED:
        return "diverged";
    }
    return "unknown status";
}
