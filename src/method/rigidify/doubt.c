// SPDX-License-Identifier: Apache-2.0
// Options before there is a world: what follows from the lowest mode of a body, and what is beyond reason.
//
// epsilon is a strain; a body whose parts may leave out a strain of a tenth moves as another one. A swing of the first
// mode by that much changes strains at a tenth of omega: where tau_rigid is above the square of that, all motion in
// this mode counts as rest.
#include <math.h>
#include <stdio.h>

#include "method/rigidify/rigidify.h"

void thaw_rigidify_foresee(const ThawScale *scale, double h, void *given) {
    const ThawOptionTable *table = &thaw_method_rigidify.options;
    ThawRigidifyOptions *o = given;
    if (scale) {
        *o = thaw_scale_options(scale, o, h);
        return;
    }
    for (int i = 0; i < table->count; i++)
        if (table->rows[i].derived && thaw_option_get(&table->rows[i], o) == 0)
            thaw_option_set(
                &table->rows[i],
                table->rows[i].offset == offsetof(ThawRigidifyOptions, tau_elastic) ? 100 * o->tau_rigid : NAN, o);
}

static double widest(void) { return thaw_option_find(&thaw_method_rigidify.options, "epsilon")->widest; }

int thaw_rigidify_doubt(const void *options, const ThawBuild *body, ThawOptionRemark *remark) {
    const double omega = body ? body->omega : 0;
    const ThawRigidifyOptions *o = options;
    const double fastest = widest() * omega;
    if (!body && o->epsilon > widest() && o->oracle != THAW_ORACLE_PAPER) {
        remark->option = "epsilon";
        snprintf(remark->what, sizeof remark->what,
                 "parts of a body may leave out strains of %.4g: hardly anything will be elastic", o->epsilon);
        snprintf(remark->cure, sizeof remark->cure,
                 "it is a strain, usually 1e-4 to 1e-2; leave it out, and it follows from \"tolerance\"");
        return 1;
    }
    if (omega > 0 && o->tau_rigid > fastest * fastest) {
        remark->option = "tau_rigid";
        snprintf(remark->what, sizeof remark->what,
                 "below %.3g 1/s^2 counts as rest, and swings of its first mode by a strain of %g reach %.2g: whatever "
                 "it does is frozen",
                 o->tau_rigid, widest(), fastest * fastest);
        snprintf(remark->cure, sizeof remark->cure,
                 "it is a rate of strain squared; leave it out, and it follows from \"tolerance\"");
        return 1;
    }
    return 0;
}
