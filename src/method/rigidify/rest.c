// SPDX-License-Identifier: Apache-2.0
// Whether a body of rigid parts rests.
#include <math.h>

#include "math/vec3.h"
#include "method/rigidify/rigidify.h"

static const double BALANCE = 1e-3; // of its weight: a sum of forces below that counts as balance

// Speed of the fastest point, about, from velocities of the origin and of turning, m/s.
static double speed_of(const double v[3], const double omega[3], double diameter) {
    return thaw_v3_norm(v) + diameter * thaw_v3_norm(omega);
}

ThawHindrance thaw_rigidify_hindrance(const ThawStepper *s) {
    const ThawPartition *partition = thaw_rigidify(s)->partition;
    if (partition->elastic_count > 0)
        return THAW_HINDRANCE_ELASTIC;
    if (!thaw_oracle_state(thaw_rigidify(s)->oracle)->quiet)
        return THAW_HINDRANCE_INSIDE;
    if (s->offset_moves)
        return THAW_HINDRANCE_MOVED;
    for (int32_t k = 0; k < partition->part_count; k++) {
        double v[3], omega[3];
        thaw_part_velocity(&partition->parts[k], s->model->dim, v, omega);
        if (speed_of(v, omega, s->shape->diameter) > thaw_rigidify(s)->options.sleep_speed * s->shape->diameter)
            return THAW_HINDRANCE_FAST;
    }
    return THAW_HINDRANCE_NONE;
}

int thaw_rigidify_watch(ThawStepper *s, int slow) {
    ThawPartition *partition = thaw_rigidify(s)->partition;
    if (thaw_rigidify_hindrance(s) != THAW_HINDRANCE_NONE)
        return 0;
    for (int32_t k = 0; k < partition->part_count && slow == 0; k++)
        thaw_part_velocity(&partition->parts[k], s->model->dim, partition->parts[k].slow[0],
                           partition->parts[k].slow[1]);
    return 1;
}

// Speed alone does not show rest: at the top of a throw, in the first steps of a fall, or on a hinge, a body is slow
// and far from balance. Forces balance, contacts included, where velocity does not change on the mean over steps, since
// contact forces jitter from step to step. Slow steps beyond what `slow` counts make the acceleration seem larger than
// it is.
double thaw_rigidify_drift(const ThawStepper *s, int slow, double *most, int *held) {
    const ThawPartition *partition = thaw_rigidify(s)->partition;
    const double *g = s->model->options.gravity;
    const double weight = thaw_v3_norm(g);
    const double window = (slow - 1) * s->model->options.h, D = s->shape->diameter;
    double worst = 0;
    *held = 0;
    *most = thaw_rigidify(s)->options.sleep_speed;
    for (int32_t k = 0; k < partition->part_count; k++) {
        const ThawPart *part = &partition->parts[k];
        double v[3], omega[3], dv[3], domega[3];
        thaw_part_velocity(part, s->model->dim, v, omega);
        for (int i = 0; i < 3; i++) {
            dv[i] = v[i] - part->slow[0][i];
            domega[i] = omega[i] - part->slow[1][i];
        }
        *held |= part->hold != THAW_HOLD_FREE;
        double a = speed_of(dv, domega, D) / window;
        if (weight > 0 && a > BALANCE * weight) // however little it weighs
            return INFINITY;
        worst = fmax(worst, THAW_SECOND * speed_of(v, omega, D) + THAW_SECOND * THAW_SECOND / 2 * a);
    }
    return worst / D;
}
