// SPDX-License-Identifier: Apache-2.0
// Stacks of soft cubes, for the quick test of them and the long one.
#ifndef THAW_TEST_STACK_H
#define THAW_TEST_STACK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contact_physics/support_touch.h"

// A column of modulus E and side a buckles under its own weight from a height of (7.84 E a^2 / (12 rho g))^(1/3) on: 30
// cm for these cubes of rubber, which are stacked 20 cm high.
#define SIDE 0.02

// Falling into place, all at once and from no warm start, takes more sweeps than the usual limit.
static inline Touch stack(int dim, int cubes, double h, const char *integrator) {
    char bodies[4000] = "";
    for (int i = 0; i < cubes; i++)
        sprintf(bodies + strlen(bodies),
                dim == 2 ? "%s{'shape': 'cube', 'position': [0, %g]}" : "%s{'shape': 'cube', 'position': [0, 0, %g]}",
                i ? ", " : "", SIDE * i);
    return touch_open("{'thaw': 1, 'dimension': %d, 'time': {'step': %.17g, 'integrator': '%s'},"
                      " 'materials': {'m': {'density': 1000, 'young': 1e6, 'poisson': 0.3, 'alpha1': 0.01}},"
                      " 'shapes': {'cube': {'mesh': {'box': {%s}}, 'material': 'm'}},"
                      " 'bodies': [%s], 'obstacles': [{'plane': {}}], 'contact': {'iterations': 3000}}",
                      dim, h, integrator,
                      dim == 2 ? "'min': [-0.01, 0], 'max': [0.01, 0.02], 'cells': [2, 2]"
                               : "'min': [-0.01, -0.01, 0], 'max': [0.01, 0.01, 0.02], 'cells': [2, 2, 2]",
                      bodies);
}

// Where they are after they have settled, and how far they get from there.
static inline void stand(int dim, const char *integrator, int settle, int steps) {
    Touch t = stack(dim, 10, 0.01, integrator);
    double *x[10], drift = 0, force[3], weight = 0;
    touch_run(&t, settle);
    for (int i = 0; i < 10; i++)
        x[i] = touch_positions(&t, i);
    touch_run(&t, steps);
    for (int i = 0; i < 10; i++) {
        drift = fmax(drift, touch_moved(&t, i, x[i]));
        weight += 9.81 * touch_mass(&t, i);
        free(x[i]);
    }
    assert_int_equal(thaw_world_get_reaction(t.world, 0, force), THAW_OK);
    printf("%dD %s: drift %.3g of a cube in %g s; reaction / weight - 1 = %.1e; residual %.1e\n", dim, integrator,
           drift / SIDE, steps * 0.01, force[dim - 1] / weight - 1, t.residual);
    assert_true(drift < 0.01 * SIDE);
    assert_true(fabs(force[dim - 1] / weight - 1) < 1e-3);
    touch_close(&t);
}

#endif
