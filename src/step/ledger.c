// SPDX-License-Identifier: Apache-2.0
// The energy ledger: where every joule went. For backward Euler the change of kinetic energy is exactly
//     dT = v1'M dv - 1/2 dv'M dv,   M dv = h (f_used + f_ext) - h (alpha0 M + D(x0)) v1 + reactions of scripted vertices + contact,
// with f_used = f(x0) - h K(x0) v1 (semi-implicit) or f(x1) (Newton). Term by term: external work, damping loss, and what
// the integration itself takes, 1/2 dv'M dv plus the difference between -dPsi and the work of f_used. The sum
// closes up to the residual of the linear or Newton solve. Costs one matrix-free product and one energy pass.
#include <math.h>

#include "step/step.h"

void thaw_ledger_record(ThawStepper *s, ThawIncrement step) {
    double since = thaw_wall_ms();
    const ThawIntegrationSet *set = s->system->map->set;
    int dim = s->model->dim;
    double h = step.h, forms[2];
    ThawStiffness scale = {step.newton ? 0 : h * h, h, s->project};
    thaw_force_product(set, s->tasks, s->x, s->v1, scale, s->shape->nv, s->y, forms, s->partial);

    double external = 0, contact = 0, damping = h * forms[1], inertia = 0, work = step.newton ? 0 : -h * h * forms[0];
    for (int32_t i = 0; i < s->shape->nv; i++)
        for (int k = 0; k < dim; k++) {
            size_t at = (size_t)i * dim + k;
            double m = s->shape->mass[i], v1 = s->v1[at], dv = v1 - s->v[at];
            double friction = h * s->shape->damping_mass[i] * v1;
            work += h * v1 * s->f[at];
            damping += friction * v1;
            inertia += m * dv * dv;
            external += h * v1 * (s->f_ext[at] - m * s->model->options.gravity[k]);
            contact += v1 * s->impulse[at];
            if (s->scripted[i]) // the reaction's impulse times the prescribed velocity
                external += v1 * (m * dv + friction + s->y[at] - h * (s->f[at] + s->f_ext[at]) - s->impulse[at]);
        }
    double elastic1 = thaw_force_energy(set, s->tasks, s->x1, s->partial);
    s->work.external_work += external;
    s->work.contact_work += contact;
    s->work.damping_loss += damping;
    s->work.integration_loss += inertia / 2 + (s->elastic - elastic1 - work);
    s->elastic = elastic1;
    s->ms[THAW_STAGE_LEDGER] += thaw_wall_ms() - since;
}

void thaw_ledger_add_energies(const ThawStepper *s, ThawLedger *ledger) {
    int dim = s->model->dim;
    ledger->elastic += s->elastic;
    for (int32_t i = 0; i < s->shape->nv; i++)
        for (int k = 0; k < dim; k++) {
            size_t at = (size_t)i * dim + k;
            ledger->kinetic += s->shape->mass[i] * s->v[at] * s->v[at] / 2;
            ledger->gravitational -= s->shape->mass[i] * s->model->options.gravity[k] * s->x[at];
        }
}
