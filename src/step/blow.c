// SPDX-License-Identifier: Apache-2.0
// Blows that a step is too long for.
//
// A blow of an elastic body is half a vibration, T = pi L sqrt(rho / E) with L = V^(1/dim) (model/shape.c); of two that
// meet, with stiffness pi^2 m / T^2 each and one spring behind the other, T^2 = m (T_a^2 / m_a + T_b^2 / m_b), and
// 1/m = 1/m_a + 1/m_b.
// THAW_BLOW_STEPS of them resolve it: by TR-BDF2's own polynomial a vibration twice as fast as the blow then has 16
// steps a period and loses 0.14 percent of its amplitude in one.
//
// A contact is a blow if, when nothing stopped it, it would end deeper than it is by more than rest can be off in a
// step, h v with v = 2 |g| h and a millionth of the body a step; or if it pressed in the step before, and the forces of
// contacts and loads on a body of it are out of balance by as much. So what rests, rolls or sleeps is none. A blow that
// needs more substeps than are allowed is not resolved by half: it stays one step. Nor are sheets struck: what they
// give way by is bending, which is slow.
#include <math.h>

#include "contact/collider.h"
#include "math/vec3.h"
#include "step/step.h"

// m/s: slower is no blow.
static double small_speed(const ThawWorld *world, const ThawStepper *s, double h) {
    return 2 * thaw_v3_norm(world->model->options.gravity) * h + 1e-6 * s->shape->diameter / h;
}

// m/s along the normal, at which the sides part if nothing acts; v as contacts were looked for.
static double parting_speed(const ThawWorld *world, const ThawContact *c, const double *v) {
    double u = -thaw_v3_dot(c->frame[0], c->velocity);
    const size_t dim = (size_t)world->model->dim;
    for (int side = 0; side < 2; side++)
        for (int n = 0; n < c->nodes[side]; n++) {
            const ThawStepper *s = thaw_world_mover(world, c->key.body[side]);
            const size_t at = ((size_t)s->body->first_vertex + (size_t)c->vertex[side][n]) * dim;
            for (size_t k = 0; k < dim; k++)
                u += (side ? -1 : 1) * c->weight[side][n] * c->frame[0][k] * v[at + k];
        }
    return u;
}

// Velocities that forces on each body would change by in the step, in world->shift: contacts of the last and weight.
static void find_pushes(ThawWorld *world, double h) {
    const ThawContactSet *set = &world->state.contacts;
    for (int32_t i = 0; i < world->awake_count; i++)
        for (int k = 0; k < 3; k++)
            world->shift[world->awake[i]].way[k] = h * world->model->options.gravity[k];
    for (int32_t m = 0; m < set->memory_count; m++)
        for (int side = 0; side < 2; side++) {
            const int32_t body = set->memory[m].key.body[side];
            if (body < 0 || world->state.asleep[body])
                continue;
            const ThawStepper *s = thaw_world_mover(world, body);
            double *way = world->shift[s->index].way;
            thaw_v3_add(way, (side ? -1 : 1) * h / s->shape->total_mass, set->memory[m].force, way);
        }
}

static int is_pinned(const ThawStepper *s) {
    for (int32_t i = 0; i < s->shape->nv; i++)
        if (s->scripted[i])
            return 1;
    return 0;
}

static int is_blow(const ThawWorld *world, const ThawContact *c, const double *v, double h) {
    double most = INFINITY;
    int pushed = 0;
    for (int side = 0; side < 2; side++)
        if (c->key.body[side] >= 0) {
            const ThawStepper *s = thaw_world_mover(world, c->key.body[side]);
            const double small = small_speed(world, s, h);
            most = fmin(most, small);
            pushed |= thaw_v3_norm(c->before) > 0 && thaw_v3_norm(world->shift[s->index].way) > small && !is_pinned(s);
        }
    return pushed || c->gap + h * parting_speed(world, c, v) < fmin(c->gap, 0) - h * most;
}

// Into how many parts h had better be cut for the blow of a contact; 0: none, its sides give way slowly.
static double parts_of(const ThawWorld *world, const ThawContact *c, double h) {
    const double time = thaw_model_blow_time(world->model, c->key.body[0], c->key.body[1]);
    return time > 0 ? ceil(THAW_BLOW_STEPS * h / time) : 0;
}

int thaw_blow_is_unresolved(const ThawWorld *world, const ThawContact *c, double h) {
    // The integrator resolves a blow of so many steps as it is.
    const int least = thaw_scheme_of_blows(world->scheme) == world->scheme ? 1 : 0;
    return parts_of(world, c, h) > fmax(least, world->model->options.substeps);
}

double thaw_blow_slow(const ThawWorld *world, const ThawContact *c, double h) {
    double slow = INFINITY;
    for (int side = 0; side < 2; side++)
        if (c->key.body[side] >= 0)
            slow = fmin(slow, small_speed(world, thaw_world_mover(world, c->key.body[side]), h));
    return slow;
}

void thaw_blow_find(ThawWorld *world, const double *v, double h) {
    const ThawContactSet *set = &world->state.contacts;
    const ThawWorldDef *options = &world->model->options;
    const int least = thaw_scheme_of_blows(world->scheme) == world->scheme ? 1 : 0;
    for (int32_t i = 0; i < world->model->body_count; i++)
        world->pace[i] = (ThawPace){.parts = 1};
    find_pushes(world, h);
    for (int32_t i = 0; i < set->count; i++) {
        const ThawContact *c = &set->contacts[i];
        const double wanted = parts_of(world, c, h);
        if (!(wanted > least) || !is_blow(world, c, v, h))
            continue;
        ThawPace *pace = &world->pace[c->key.body[0]];
        if (wanted <= options->substeps) {
            pace->parts = (int32_t)fmax(pace->parts, wanted);
            pace->blow = 1;
        } else if (c->restitution > 0)
            pace->rebounds = 1;
    }
}
