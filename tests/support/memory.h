// SPDX-License-Identifier: Apache-2.0
// An allocator that can be told to fail, for test_alloc_*.c: their programs are linked so that allocations of the
// library and of the test go through it.
#ifndef THAW_TEST_MEMORY_H
#define THAW_TEST_MEMORY_H

#include <stdatomic.h>
#include <stdint.h>

extern _Atomic int64_t until_failure;    // allocations that still succeed, then one fails; < 0: all succeed
extern _Atomic int64_t allocations_made; // so far, those that failed included

#endif
