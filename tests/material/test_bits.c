// SPDX-License-Identifier: Apache-2.0
// The bits of the material kernels do not depend on compiler, optimisation or instruction set: every state hash of the
// program stands on that. A change of the hash below is a change of results and needs a reason in the change log.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "material/solids.h"

// FNV-1a over 64-bit words; not the library's hash, whose changes are none of this test's business.
static uint64_t hash_lanes(uint64_t hash, int count, const ThawLanes *values) {
    for (int i = 0; i < count; i++)
        for (int l = 0; l < THAW_LANES; l++) {
            double value = values[i][l];
            uint64_t bits;
            memcpy(&bits, &value, sizeof bits);
            hash = (hash ^ bits) * UINT64_C(0x100000001b3);
            hash ^= hash >> 29;
        }
    return hash;
}

static uint64_t hash_kernels(void) {
    uint64_t seed = 1, hash = UINT64_C(0xcbf29ce484222325);
    for (int model = 0; model < THAW_MATERIAL_MODEL_COUNT; model++)
        for (int kind = 0; kind < KIND_COUNT; kind++)
            for (int n = 0; n < 50; n++) {
                const ThawMaterialOps *ops = thaw_material_ops(model);
                if (ops->needs_orientation && kind >= KIND_INVERTED && kind <= KIND_RANK0)
                    continue; // NaN, whose bits are not defined
                ThawMaterialDef def = solids_def(model, 0.3);
                ThawLanes F[9], c[THAW_MATERIAL_CONSTANTS], psi, P[9], C[THAW_SYM9_SIZE], dP[9];
                solids_constants(&def, c);
                solids_deformation(kind, &seed, F);
                ops->psi(F, c, &psi);
                ops->dpsi_dF(F, c, P);
                ops->d2psi_dF2(F, c, C);
                ops->dP(F, c, P, dP);
                hash = hash_lanes(hash, 1, &psi);
                hash = hash_lanes(hash, 9, P);
                hash = hash_lanes(hash, THAW_SYM9_SIZE, C);
                hash = hash_lanes(hash, 9, dP);
                thaw_material_project(F, C);
                hash = hash_lanes(hash, THAW_SYM9_SIZE, C);
            }
    return hash;
}

static void kernels_give_the_same_bits_everywhere(void **state) {
    (void)state;
    const uint64_t golden = UINT64_C(0xfd1e4b043df45c51);
    uint64_t hash = hash_kernels();
    if (hash != golden)
        print_message("the hash is 0x%016llx\n", (unsigned long long)hash);
    assert_true(hash == golden);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_give_the_same_bits_everywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
