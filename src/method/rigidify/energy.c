// SPDX-License-Identifier: Apache-2.0
// Energies of parts and of what moves inside them, for the ledger.
#include <string.h>

#include "method/rigidify/rigidify.h"
#include "step/attach.h"

// J, of the parts: one that is reshaped keeps its momenta, and so has another energy.
static double motion_of_parts(const ThawStepper *s) {
    const ThawPartition *parts = thaw_rigidify(s)->partition;
    double sum = 0;
    for (int32_t k = 0; k < parts->part_count; k++)
        sum += thaw_part_kinetic(&parts->parts[k], s->model->dim);
    return sum;
}

// What the oracle moves, also between two questions, gets its new elastic energy booked at once: a balance that is some
// steps old would show the work of loads in one step and the energy that it became in another. Positions before it are
// kept in x1, which is free until the step.
void thaw_rigidify_begin_move(ThawStepper *s) {
    memcpy(s->x1, s->x, sizeof *s->x1 * (size_t)s->shape->nv * (size_t)s->model->dim);
    s->work.follow_work -= s->elastic + motion_of_parts(s);
}

// What the springs of attachments do on that way, less what their forces at its start would do, J: these are among
// f_contact, and stiff springs have others at its end.
static double springs_beyond_forces(const ThawWorld *world, const ThawStepper *s, double h) {
    const ThawIsland *island = &world->islands[s->island];
    const size_t dim = (size_t)s->model->dim;
    double sum = 0, f[3];
    for (int32_t c = 0; c < island->contact_count; c++) {
        const ThawContact *row = &island->set->contacts[island->contacts[c]];
        for (int side = 0; side < 2 && row->two_sided; side++) {
            if (row->nodes[side] == 0 || thaw_world_mover(world, row->key.body[side]) != s)
                continue;
            thaw_rigidify_attachment_force(world, row, h, thaw_rigidify(s)->answer.past, f);
            sum += thaw_attach_work_of_move(world, row, side);
            for (int n = 0; n < row->nodes[side]; n++)
                for (size_t k = 0, at = (size_t)row->vertex[side][n] * dim; k < dim; k++, at++)
                    sum -= (side == 0 ? 1 : -1) * row->weight[side][n] * f[k] * (s->x[at] - s->x1[at]);
        }
    }
    return sum;
}

void thaw_rigidify_end_move(const ThawWorld *world, ThawStepper *s, double h) {
    const ThawRigidifyData *a = thaw_rigidify(s);
    const double *f_contact = a->answer.past ? a->f_past : a->f_contact;
    const size_t dim = (size_t)s->model->dim, count = (size_t)s->shape->nv * dim;
    double weight = 0, loads = 0, contacts = 0, since = thaw_wall_ms();
    thaw_ledger_find_elastic(s);
    for (size_t i = 0; i < count; i++) {
        double d = s->x[i] - s->x1[i], w = s->shape->mass[i / dim] * s->model->options.gravity[i % dim];
        weight += d * w;
        loads += d * (s->f_ext[i] - w);
        contacts += d * f_contact[i];
    }
    if (a->pressed && s->model->attachment_count > 0)
        contacts += springs_beyond_forces(world, s, h);
    s->work.external_work += loads;
    s->work.contact_work += contacts;
    s->work.follow_work += s->elastic + motion_of_parts(s) - weight - loads - contacts;
    s->ms[THAW_STAGE_LEDGER] += thaw_wall_ms() - since;
}

// Energy that forming parts has taken and that no shadow keeps is lost, and so is the shadow's when the body comes to
// rest. Other changes of the shadow's energy are the work of forces that it follows.
void thaw_rigidify_book_shadow(ThawStepper *s) {
    ThawRigidifyData *a = thaw_rigidify(s);
    ThawOracleState *state = thaw_oracle_state(a->oracle);
    double kept = state->energy;
    s->work.transition_loss += a->transition.loss + a->answer.dropped;
    if (!a->answer.shadow && !a->answer.followed)
        return;
    state->energy = thaw_oracle_shadow_energy(a->oracle, a->partition);
    s->work.follow_work += state->energy - kept - a->transition.shadow + a->answer.dropped;
}

void thaw_rigidify_add_energies(const ThawStepper *s, ThawLedger *ledger) {
    ledger->shadow += thaw_oracle_state(thaw_rigidify(s)->oracle)->energy;
    thaw_ledger_add_kinetic(s, thaw_rigidify(s)->partition->part_of_vertex, ledger);
    ledger->kinetic += motion_of_parts(s);
}
