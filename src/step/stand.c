// SPDX-License-Identifier: Apache-2.0
// Whether islands stand as they have been solved, or the interval is to be solved again in another way: by the scheme's
// fallback where stages have made energy or thrown a body off its contacts, and by Newton's method where what momenta
// lack at the end would be a blow. What stands is not solved again.
#include <math.h>
#include <string.h>

#include "math/vec3.h"
#include "step/body.h"
#include "step/method.h"

// Which bodies may get all of the momenta that they lack at the end, and islands of which some may not: the others
// stand.
int thaw_find_kicked(ThawWorld *world, ThawIncrement step) {
    int any = 0;
    for (int32_t k = 0; k < world->island_count; k++) {
        ThawIsland *island = &world->islands[k];
        island->stands = 1;
        for (int32_t b = 0; b < island->count; b++) {
            ThawStepper *s = island->bodies[b];
            s->moving.mends = !thaw_moving_is_kicked(s, step);
            island->stands &= s->moving.mends;
        }
        any |= !island->stands;
    }
    return any;
}

// Islands in which several stages have made energy out of nothing: more than contacts had in their springs, and than
// obstacles that move and lengths that change have given. (What each stage starts with says nothing of that.) The
// others stand.
int thaw_find_gains(ThawWorld *world) {
    const double stored = thaw_ledger_contact_energy(world);
    int any = 0;
    for (int32_t k = 0; k < world->island_count; k++) {
        ThawIsland *island = &world->islands[k];
        double gain = -stored, had = stored;
        int driven = 0;
        for (int32_t b = 0; b < island->count; b++) {
            const ThawStepper *s = island->bodies[b];
            const int led = s->system->map->n == 0; // like an obstacle
            driven |= !s->moving.acts || (s->offset_moves && !s->moving.led && !led);
            if (led)
                gain -= fabs(s->moving.contact);
            else if (!driven)
                gain += thaw_moving_gain(island->bodies[b], &had);
        }
        for (int32_t c = 0; c < island->contact_count; c++) {
            const ThawContact *row = &island->set->contacts[island->contacts[c]];
            for (int r = 0; r < world->model->dim; r++)
                gain -= fabs(row->lambda[r] * thaw_v3_dot(row->frame[r], row->velocity));
        }
        island->stands = driven || !(gain > THAW_LARGEST_GAIN * had);
        any |= !island->stands;
    }
    return any;
}

// m/s, at which the sides of a contact part when the interval ends.
static double parting_at_end(const ThawWorld *world, const ThawContact *c) {
    double u = -thaw_v3_dot(c->frame[0], c->velocity), v[3];
    for (int side = 0; side < 2; side++)
        for (int n = 0; n < c->nodes[side]; n++) {
            const ThawStepper *s = thaw_world_mover(world, c->key.body[side]);
            thaw_v3_load(s->model->dim, s->v1 + (size_t)c->vertex[side][n] * (size_t)s->model->dim, v);
            u += (side ? -1 : 1) * c->weight[side][n] * thaw_v3_dot(c->frame[0], v);
        }
    return u;
}

// A blow that the step is too long for has no order: stages throw back what comes, for they take it for a spring that
// was pressed all along, and the body hops. So where a pair has pressed and parts, in the mean by force, so fast that
// it would fly for a step, the island is to make it anew by backward Euler. What resolves its blows may part as it
// likes.
int thaw_find_hops(ThawWorld *world, double h) {
    const ThawContactSet *set = &world->state.contacts;
    const double fast = h / 2 * thaw_v3_norm(world->model->options.gravity);
    int any = 0;
    for (int32_t first = 0, next; first < set->count; first = next) {
        const int32_t *body = set->contacts[first].key.body;
        double force = 0, parting = 0;
        int unresolved = 0;
        for (next = first; next < set->count && memcmp(body, set->contacts[next].key.body, 2 * sizeof *body) == 0;
             next++) {
            const ThawContact *c = &set->contacts[next];
            if (!(c->total[0] > 0))
                continue;
            unresolved |= thaw_blow_is_unresolved(world, c, h);
            force += c->total[0];
            parting += c->total[0] * parting_at_end(world, c);
        }
        if (!unresolved || !(parting > fast * force) || world->state.asleep[body[0]])
            continue;
        world->islands[thaw_world_mover(world, body[0])->island].stands = 0;
        any = 1;
    }
    return any;
}
