// SPDX-License-Identifier: Apache-2.0
#ifndef THAW_STATUS_H
#define THAW_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

// What a call ended with. Negative: the caller's or the system's error, described in a ThawError.
// Zero: done. Positive: a numerical outcome, which is data and no error.
typedef enum ThawStatus {
    THAW_ERROR_INPUT = -1,       // a value, file or argument is wrong
    THAW_ERROR_MEMORY = -2,      // an allocation failed
    THAW_ERROR_IO = -3,          // the system refused to read or write
    THAW_ERROR_UNSUPPORTED = -4, // this build lacks an optional part
    THAW_CANCELLED = -5,         // the caller wanted no more of it (thaw_world_set_cancel)
    THAW_OK = 0,
    THAW_INDEFINITE = 1,    // a matrix that must be positive definite is not
    THAW_NOT_CONVERGED = 2, // an iteration reached its limit
    THAW_INVERTED = 3,      // an element is inverted where its material has no energy
    THAW_DIVERGED = 4,      // the step failed at the smallest step size allowed
} ThawStatus;

// Where an error explains itself: what was wrong, its value, and what is allowed.
typedef struct ThawError {
    ThawStatus status;
    char message[1000];
} ThawError;

// A short name of a status ("ok", "indefinite", ...); never NULL.
const char *thaw_status_name(ThawStatus status);

#ifdef __cplusplus
}
#endif
#endif
