// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets share.
#ifndef THAW_FUZZ_H
#define THAW_FUZZ_H

#include <stddef.h>
#include <stdint.h>

// One input: whatever it says, the library must refuse it with a message or accept it whole. Called by libFuzzer, or by
// driver.c where that is not at hand.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// From here on the library may allocate so many bytes in all; then its allocations fail. An input that asks for
// gigabytes so takes milliseconds, and its refusal is tried too. Returns how many allocations are not freed yet.
long fuzz_budget(size_t bytes);

// Ends the program with a message when a promise of the library is broken.
void fuzz_check(int holds, const char *promise);

#endif
