// SPDX-License-Identifier: Apache-2.0
// What a body bears, and what holds it.
//
// A body that carries another one swings more slowly than alone, by the root of the ratio of masses, and its thresholds
// have to follow that: a load that sways to and fro in a second strains the body under it by little in each step, and
// at turning points not at all. So the body is taken out of its island. Groups of bodies that are then still connected
// with an obstacle or a pin stand, and hold the body where they touch it. All others are borne by the body, with all of
// their mass.
//
// Attachments weaker than the body itself neither hold nor bear. A body that only touches others counts as burdened
// where it bears more than its own mass and is held itself: bodies that meet in flight soon part. Found anew when the
// body's neighbours have changed: linear in the island's contacts, and a mode (oracle/scale.c) where there is a burden.
#include <math.h>
#include <string.h>

#include "base/forest.h"
#include "math/vec3.h"
#include "method/rigidify/rigidify.h"
#include "step/keep.h"

// Of the diameter: contacts that are no farther open count as closed, since they open and close in turns.
static const double NEAR = 5e-4;

// Bodies are named by their places in the island, `count` of them.
typedef struct Search {
    const ThawStepper *s;
    const ThawIsland *island;
    int32_t own;        // the body's place
    int32_t *group;     // count: forest of bodies that are connected without this one
    unsigned char *set; // count, of a root: it stands
    double *mass;       // count, of a root: kg
    double *stiffness;  // count + 1, of a root or of what stands: N/m, of attachments to it
    int32_t *rows;      // count + 1, of a root: rows between it and this body
    double *on;         // nv, kg
    double *hold;       // nv, N/m
    double borne;       // kg
    int attached, held; // by something; by a pin, or by what stands
} Search;

ThawScale thaw_rigidify_scale(const ThawStepper *s) {
    const ThawRigidifyRecord *record = thaw_rigidify_record(s);
    ThawScale scale = record->scale;
    if (record->burdened.borne != 0) {
        scale.omega = record->burdened.omega;
        scale.lever = record->burdened.lever;
        scale.soft = record->burdened.soft;
    }
    return scale;
}

static int acts(const ThawStepper *s, const ThawContact *c) {
    return c->two_sided || c->lambda[0] > 0 || c->gap <= NEAR * s->shape->diameter;
}

// Side of the contact that is the body's; -1: none, or both are.
static int side_of(const ThawStepper *s, const ThawContact *c) {
    const int first = c->key.body[0] == s->index, second = c->nodes[1] > 0 && c->key.body[1] == s->index;
    return first == second ? -1 : second;
}

static const ThawContact *contact_of(const Search *search, int32_t i) {
    return &search->island->set->contacts[search->island->contacts[i]];
}

// The place of the body on a side of a contact; -1: an obstacle.
static int32_t place_of(const Search *search, const ThawContact *c, int side) {
    return c->nodes[side] > 0 ? thaw_island_place(search->island, c->key.body[side]) : -1;
}

static uint64_t find_neighbours(const ThawWorld *world, const ThawStepper *s) {
    const ThawIsland *island = &world->islands[s->island];
    const int32_t released = thaw_rigidify_record(s)->scale.released;
    uint64_t hash = thaw_hash(0, &released, sizeof released);
    int32_t last = s->index;
    for (int32_t i = 0; i < island->count; i++)
        hash = thaw_hash(hash, &island->bodies[i]->index, sizeof island->bodies[i]->index);
    for (int32_t i = 0; i < island->contact_count; i++) {
        const ThawContact *c = &island->set->contacts[island->contacts[i]];
        const int side = side_of(s, c);
        if (side < 0 || !acts(s, c))
            continue;
        const int32_t other = c->nodes[1 - side] > 0 ? c->key.body[1 - side] : -1;
        if (other != last)
            hash = thaw_hash(hash, &other, sizeof other);
        last = other;
    }
    return hash;
}

// Groups of the island without the body, and which of them stand.
static void find_groups(Search *search) {
    const ThawIsland *island = search->island;
    for (int32_t i = 0; i < island->count; i++) {
        const ThawModelBody *other = island->bodies[i]->body;
        search->group[i] = i;
        for (int32_t k = 0; k < other->script_count; k++)
            search->set[i] |= search->s->middle < other->scripts[k].release;
    }
    search->held = search->set[search->own];
    for (int32_t i = 0; i < island->contact_count; i++) {
        const ThawContact *c = contact_of(search, i);
        const int32_t a = place_of(search, c, 0), b = place_of(search, c, 1);
        if (a == search->own || b == search->own || !acts(island->bodies[a], c))
            continue;
        if (b < 0)
            search->set[a] = 1;
        else
            thaw_forest_join(search->group, a, b);
    }
    for (int32_t i = 0; i < island->count; i++) {
        const int32_t root = thaw_forest_root(search->group, i);
        search->mass[root] += island->bodies[i]->shape->total_mass;
        search->set[root] |= search->set[i];
    }
}

// The group on the other side; -1: what stands.
static int32_t other_of(const Search *search, const ThawContact *c, int side) {
    if (c->nodes[1 - side] == 0)
        return -1;
    const int32_t root = thaw_forest_root(search->group, place_of(search, c, 1 - side));
    return search->set[root] ? -1 : root;
}

static int is_firm(const Search *search, const ThawContact *c, int32_t other) {
    const ThawScale *own = &thaw_rigidify_record(search->s)->scale;
    const int32_t at = other < 0 ? search->island->count : other;
    return !c->two_sided || search->stiffness[at] > own->omega * own->omega * search->s->shape->total_mass;
}

// What is borne, and by which vertices; a hash of it, 0: nothing that counts.
static uint64_t weigh(Search *search) {
    const ThawStepper *s = search->s;
    const ThawIsland *island = search->island;
    uint64_t hash = thaw_hash(0, &thaw_rigidify_record(s)->scale.released, sizeof(int32_t));
    for (int pass = 0; pass < 3; pass++) // stiffness of all rows to a group, number of rows, their effect
        for (int32_t i = 0; i < island->contact_count; i++) {
            const ThawContact *c = contact_of(search, i);
            const int side = side_of(s, c);
            if (side < 0 || !acts(s, c))
                continue;
            const int32_t other = other_of(search, c, side), at = other < 0 ? island->count : other;
            if (pass == 0)
                search->stiffness[at] += c->two_sided ? c->stiffness : 0;
            else if (!is_firm(search, c, other))
                continue;
            else if (pass == 1) {
                search->attached |= c->two_sided;
                search->held |= other < 0;
                if (search->rows[at]++ == 0) {
                    const int32_t body = other < 0 ? -1 : island->bodies[other]->index;
                    hash = thaw_hash(hash, &body, sizeof body);
                    if (other >= 0)
                        hash = thaw_hash(hash, &search->mass[at], sizeof search->mass[at]);
                    search->borne += other >= 0 ? search->mass[at] : 0;
                }
            } else
                for (int n = 0; n < c->nodes[side]; n++) {
                    const double w = c->weight[side][n] > 0 ? c->weight[side][n] : 0;
                    if (other < 0)
                        search->hold[c->vertex[side][n]] += w * thaw_rigidify(s)->hard;
                    else
                        search->on[c->vertex[side][n]] += w * search->mass[at] / search->rows[at];
                }
        }
    return search->attached || (search->held && search->borne > s->shape->total_mass) ? hash | 1 : 0;
}

// Whether the burden has changed; the scale with the new one is found.
static ThawStatus find_burden(Search *search, int *changed, ThawError *error) {
    ThawBurdened *burdened = &thaw_rigidify_record(search->s)->burdened;
    find_groups(search);
    const uint64_t borne = weigh(search);
    *changed = borne != burdened->borne;
    if (borne == 0 || !*changed) {
        burdened->borne = borne;
        return THAW_OK;
    }
    ThawScale scale;
    ThawStatus status =
        thaw_scale_find(thaw_rigidify(search->s)->full, &(ThawBurden){search->on, search->hold},
                        thaw_v3_norm(search->s->model->options.gravity), search->s->tasks, &scale, error);
    if (status == THAW_OK)
        *burdened =
            (ThawBurdened){burdened->neighbours, scale.omega > 0 ? borne : 0, scale.omega, scale.lever, scale.soft};
    return status;
}

static Search look_at(const ThawWorld *world, const ThawStepper *s) {
    const ThawIsland *island = &world->islands[s->island];
    return (Search){.s = s, .island = island, .own = thaw_island_place(island, s->index)};
}

// Arrays of a search and, where `borne` is not NULL, of its answer: good until the body's next search.
static int reserve(Search *search, ThawBorne *borne) {
    const size_t bodies = (size_t)search->island->count, nv = (size_t)search->s->shape->nv;
    ThawBorne none, *answer = borne ? borne : &none;
    const ThawRoom rooms[] = {THAW_ROOM(search->group, bodies),
                              THAW_ROOM(search->set, bodies),
                              THAW_ROOM(search->mass, bodies),
                              THAW_ROOM(search->stiffness, bodies + 1),
                              THAW_ROOM(search->rows, bodies + 1),
                              THAW_ROOM(search->on, nv),
                              THAW_ROOM(search->hold, nv),
                              THAW_ROOM(answer->group, borne ? nv : 0),
                              THAW_ROOM(answer->share, borne ? nv : 0),
                              THAW_ROOM(answer->mass, borne ? bodies : 0)};
    return thaw_scratch_reserve(&thaw_rigidify(search->s)->search, rooms, sizeof rooms / sizeof *rooms);
}

static ThawStatus search_island(const ThawWorld *world, const ThawStepper *s, int *changed, ThawError *error) {
    Search search = look_at(world, s);
    return reserve(&search, NULL) ? find_burden(&search, changed, error)
                                  : thaw_error_memory(error, "what a body bears");
}

// Whether anything is rigid, or about to be: else nothing depends on thresholds yet.
static int matters(const ThawStepper *s) {
    const ThawRigidifyData *a = thaw_rigidify(s);
    const unsigned char *below = thaw_oracle_state(a->oracle)->below;
    for (int32_t e = 0; e < s->shape->ne; e++)
        if (below[e] >= a->options.frame_count)
            return 1;
    return a->partition->part_count > 0;
}

ThawStatus thaw_rigidify_fit_burden(const ThawWorld *world, ThawStepper *s, ThawError *error) {
    ThawBurdened *burdened = &thaw_rigidify_record(s)->burdened;
    const uint64_t neighbours = find_neighbours(world, s);
    int changed = 0;
    if (neighbours == burdened->neighbours || thaw_rigidify_record(s)->scale.omega == 0 ||
        (burdened->borne == 0 && !matters(s)))
        return THAW_OK;
    ThawStatus status = world->kept ? thaw_keep_state(&(ThawKeeping){world->kept, s}) : THAW_OK;
    burdened->neighbours = neighbours;
    if (status == THAW_OK)
        status = search_island(world, s, &changed, error);
    if (status != THAW_OK || !changed)
        return status;
    ThawRigidifyData *a = thaw_rigidify(s);
    const double before = a->options.tau_rigid;
    thaw_rigidify_configure(world, s);
    if (a->options.tau_rigid < before) // elements that were slow may be too fast now
        memset(thaw_oracle_state(a->oracle)->below, 0, (size_t)s->shape->ne);
    return THAW_OK;
}

// --- for the static question -----------------------------------------------------------------------------------------

// Vertices that borne groups touch; groups are numbered in the order of contacts.
static void list_borne(Search *search, ThawBorne *borne) {
    const ThawStepper *s = search->s;
    for (int32_t i = 0; i < search->island->contact_count; i++) {
        const ThawContact *c = contact_of(search, i);
        const int side = side_of(s, c);
        if (side < 0 || !acts(s, c))
            continue;
        const int32_t other = other_of(search, c, side);
        const double stiffness = c->two_sided ? c->stiffness + c->across[0] : c->stiffness;
        if (other >= 0 && search->rows[other] == 0) {
            borne->mass[borne->count] = search->mass[other];
            search->rows[other] = ++borne->count;
        }
        for (int n = 0; n < c->nodes[side]; n++) {
            const int32_t v = c->vertex[side][n];
            const double k = fabs(c->weight[side][n]) * fmin(stiffness, thaw_rigidify(s)->hard);
            search->hold[v] += k;
            search->on[v] += other >= 0 ? k : 0;
            if (other >= 0)
                borne->group[v] = search->rows[other] - 1;
        }
    }
    for (int32_t v = 0; v < s->shape->nv; v++)
        borne->share[v] = search->hold[v] > 0 ? search->on[v] / search->hold[v] : 0;
}

ThawStatus thaw_rigidify_bear(const void *bearer, ThawBorne *borne) {
    const ThawBearer *of = bearer;
    Search search = look_at(of->world, of->s);
    *borne = (ThawBorne){0};
    if (!reserve(&search, borne))
        return THAW_ERROR_MEMORY;
    for (int32_t v = 0; v < of->s->shape->nv; v++)
        borne->group[v] = -1;
    find_groups(&search);
    list_borne(&search, borne);
    return THAW_OK;
}
