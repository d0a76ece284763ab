// SPDX-License-Identifier: Apache-2.0
// Elements flagged rigid -> rigid parts: greedy components over faces (edges in 2D and of sheets), no vertex in two of
// them (solids paper, algorithm 2; "already assigned to a body" there means to another body, or no part would ever
// grow). Two parts that shared a vertex would need a joint; an element that would bring one about stays elastic.
//
// Parts grow first from elements whose pins alone hold them still, so that what can leave the unknowns does; then in
// the order of elements. Elements with a vertex that a script moves are never rigid. At last, an element that is not
// flagged but has all its vertices in one part cannot deform, so it belongs to it. All of this is a function of flags,
// pins and shape alone, whatever the partition was before: a resumed run finds the same parts.
//
// Motion goes from old parts to new ones through the vertices: parts that end write their velocities to their
// vertices, new ones gather momentum from theirs (part.c). Both are exact, so they are inverses of each other.
// What a part does not take of its vertices' motion is left to a shadow velocity, and given back when it dissolves: the
// two are orthogonal with respect to mass, so their energies add up, and no change of parts gains or loses any.
//
// One breadth-first pass over elements and a few over vertices: 60,000 tetrahedra take about 1 ms, a fraction
// of what the matrix of the new partition costs. Updating parts incrementally could save part of that only, and the
// greedy order would then depend on history; it does not pay.
#include "map/rigid/partition.h"

#include <string.h>

#include "math/vec3.h"

// The partition being built, and the queue.
typedef struct ThawPartitionScratch {
    int32_t *part_of_element, *part_of_vertex; // as in the partition
    int32_t *vertices;
    double *r;
    int32_t *queue;         // ne
    unsigned char *visited; // ne
    int32_t *size;          // elements by part; room for as many parts as there can be
    int32_t part_count, vertex_count, capacity;
    ThawPart *parts;
} Scratch;

static const int32_t *nodes_of(const ThawShape *shape, int32_t element) {
    return shape->cells->elements + (size_t)element * (size_t)shape->cells->kind->nodes;
}

// --- topology --------------------------------------------------------------------------------------------------------

// Marks as visited what can be in no part: not flagged, or moved by a script.
static void exclude(const ThawShape *shape, const unsigned char *flagged, const unsigned char *script, Scratch *s) {
    int moves = memchr(script, THAW_VERTEX_MOVED, (size_t)shape->nv) != NULL;
    for (int32_t e = 0; e < shape->ne; e++) {
        unsigned char out = !flagged[e];
        for (int a = 0; a < shape->cells->kind->nodes && moves; a++)
            out |= script[nodes_of(shape, e)[a]] == THAW_VERTEX_MOVED;
        s->visited[e] = out;
    }
    memset(s->part_of_element, -1, sizeof(int32_t) * (size_t)shape->ne);
    memset(s->part_of_vertex, -1, sizeof(int32_t) * (size_t)shape->nv);
}

static int makes_hinge(const Scratch *s, const int32_t *vertex, int nodes, int32_t part) {
    int hinge = 0;
    for (int a = 0; a < nodes; a++)
        hinge |= s->part_of_vertex[vertex[a]] != -1 && s->part_of_vertex[vertex[a]] != part;
    return hinge;
}

// The component of the seed as the next part; nothing if it turns out too small.
static void grow(const ThawShape *shape, int32_t min_elements, int32_t seed, Scratch *s) {
    int nodes = shape->cells->kind->nodes;
    int32_t part = s->part_count, head = 0, tail = 0, count = 0;
    s->queue[tail++] = seed;
    s->visited[seed] = 1;
    while (head < tail) {
        int32_t e = s->queue[head++];
        const int32_t *vertex = nodes_of(shape, e), *across = shape->across + (size_t)e * (size_t)nodes;
        if (makes_hinge(s, vertex, nodes, part))
            continue;
        s->part_of_element[e] = part;
        s->queue[count++] = e; // count < head: members stay at the front of the queue
        for (int a = 0; a < nodes; a++) {
            s->part_of_vertex[vertex[a]] = part;
            if (across[a] >= 0 && !s->visited[across[a]]) {
                s->visited[across[a]] = 1;
                s->queue[tail++] = across[a];
            }
        }
    }
    if (count > 0 && count >= min_elements) {
        s->size[s->part_count++] = count;
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        s->part_of_element[s->queue[i]] = -1;
        for (int a = 0; a < nodes; a++)
            s->part_of_vertex[nodes_of(shape, s->queue[i])[a]] = -1;
    }
}

static int is_fixed_by_pins(const ThawShape *shape, const unsigned char *script, int32_t e) {
    int pins = 0;
    for (int a = 0; a < shape->cells->kind->nodes; a++)
        pins += script[nodes_of(shape, e)[a]] == THAW_VERTEX_PINNED;
    return pins >= shape->dim;
}

static void absorb(const ThawShape *shape, Scratch *s) {
    for (int32_t e = 0; e < shape->ne; e++) {
        const int32_t *vertex = nodes_of(shape, e);
        int32_t part = s->part_of_vertex[vertex[0]];
        if (part < 0 || s->part_of_element[e] >= 0)
            continue;
        int inside = 1;
        for (int a = 1; a < shape->cells->kind->nodes; a++)
            inside &= s->part_of_vertex[vertex[a]] == part;
        if (inside) {
            s->part_of_element[e] = part;
            s->size[part]++;
        }
    }
}

static void find_parts(const ThawPartition *partition, const unsigned char *flagged, const unsigned char *script) {
    const ThawShape *shape = partition->shape;
    Scratch *s = partition->scratch;
    s->part_count = 0;
    exclude(shape, flagged, script, s);
    int pinned = memchr(script, THAW_VERTEX_PINNED, (size_t)shape->nv) != NULL;
    for (int32_t e = 0; e < shape->ne && pinned; e++)
        if (!s->visited[e] && is_fixed_by_pins(shape, script, e))
            grow(shape, partition->min_elements, e, s);
    for (int32_t e = 0; e < shape->ne; e++)
        if (!s->visited[e])
            grow(shape, partition->min_elements, e, s);
    absorb(shape, s);
}

// The parts' vertices, ascending: count, then place.
static void list_vertices(const ThawShape *shape, const unsigned char *script, Scratch *s) {
    for (int32_t k = 0; k < s->part_count; k++)
        s->parts[k] = (ThawPart){.elements = s->size[k]};
    for (int32_t i = 0; i < shape->nv; i++)
        if (s->part_of_vertex[i] >= 0) {
            s->parts[s->part_of_vertex[i]].count++;
            s->parts[s->part_of_vertex[i]].pins += script[i] == THAW_VERTEX_PINNED;
        }
    s->vertex_count = 0;
    for (int32_t k = 0; k < s->part_count; k++) {
        s->parts[k].first = s->vertex_count;
        s->vertex_count += s->parts[k].count;
        s->parts[k].count = 0;
    }
    for (int32_t i = 0; i < shape->nv; i++)
        if (s->part_of_vertex[i] >= 0) {
            ThawPart *part = &s->parts[s->part_of_vertex[i]];
            s->vertices[part->first + part->count++] = i;
        }
}

// What bends, fibres and strain limits, where not all of their vertices are in one part: hinges beside parts and across
// them; and the pressure on all triangles, for on a part of a closed sheet it has a net force. Nothing where no
// triangle is elastic.
static void list_others(ThawPartition *partition) {
    const ThawShape *shape = partition->shape;
    int32_t *to = partition->elastic;
    partition->packed_count = partition->elastic_count;
    for (int32_t b = 1; b < shape->block_count && partition->elastic_count > 0; b++) {
        const ThawElementBlock *block = &shape->blocks[b];
        const size_t nodes = (size_t)block->kind->nodes;
        for (int32_t e = 0; e < block->count; e++) {
            const int32_t *vertex = block->elements + nodes * (size_t)e, part = partition->part_of_vertex[vertex[0]];
            int within = !block->kind->pushes_parts && part >= 0;
            for (size_t a = 1; a < nodes; a++)
                within &= partition->part_of_vertex[vertex[a]] == part;
            if (!within)
                to[partition->packed_count++] = block->first + e;
        }
    }
}

// Those that touch a part come last: they are assembled in another way, eight at a time.
static void list_elastic(ThawPartition *partition) {
    const ThawShape *shape = partition->shape;
    int32_t *touching = partition->scratch->queue, count = 0;
    partition->elastic_count = 0;
    for (int32_t e = 0; e < shape->ne; e++) {
        if (partition->part_of_element[e] >= 0)
            continue;
        int touches = 0;
        for (int a = 0; a < shape->cells->kind->nodes; a++)
            touches |= partition->part_of_vertex[nodes_of(shape, e)[a]] >= 0;
        if (touches)
            touching[count++] = e;
        else
            partition->elastic[partition->elastic_count++] = e;
    }
    if (count > 0)
        memcpy(partition->elastic + partition->elastic_count, touching, sizeof *touching * (size_t)count);
    partition->elastic_count += count;
    list_others(partition);
}

// --- transitions -----------------------------------------------------------------------------------------------------

#define UNFORMED ((ThawHold)-1)

// Velocities of one part's vertices. FIXED ones are zero; pinned vertices are left alone.
static void write_velocities(const ThawPartition *partition, const ThawPart *part, double *velocity) {
    int dim = partition->shape->dim;
    double v[3], omega[3], rho[3], spin[3];
    thaw_part_velocity(part, dim, v, omega);
    for (int32_t k = part->first; k < part->first + part->count; k++) {
        if (partition->script[partition->vertices[k]])
            continue;
        thaw_part_rotate(part, dim, partition->r + (size_t)k * (size_t)dim, rho);
        thaw_v3_cross(omega, rho, spin);
        for (int i = 0; i < dim; i++)
            velocity[(size_t)partition->vertices[k] * (size_t)dim + (size_t)i] = v[i] + spin[i];
    }
}

static void write_positions(const ThawPartition *partition, const ThawPart *part, double *x) {
    int dim = partition->shape->dim;
    double rho[3];
    for (int32_t k = part->first; k < part->first + part->count && part->hold != THAW_HOLD_FIXED; k++) {
        if (partition->script[partition->vertices[k]])
            continue;
        thaw_part_rotate(part, dim, partition->r + (size_t)k * (size_t)dim, rho);
        for (int i = 0; i < dim; i++)
            x[(size_t)partition->vertices[k] * (size_t)dim + (size_t)i] = part->p[i] + rho[i];
    }
}

void thaw_partition_velocities(const ThawPartition *partition, double *v) {
    for (int32_t k = 0; k < partition->part_count; k++)
        write_velocities(partition, &partition->parts[k], v);
}

void thaw_partition_push(ThawPartition *partition, const double at[3], const double v[3], const double omega[3]) {
    for (int32_t k = 0; k < partition->part_count; k++) {
        ThawPart *part = &partition->parts[k];
        double P[3], L[3];
        thaw_part_momenta_along(part, at, v, omega, P, L);
        for (int i = 0; i < 3; i++) {
            P[i] += part->P[i];
            L[i] += part->L[i];
        }
        thaw_part_push(part, P, L);
    }
}

void thaw_partition_reshape(ThawPartition *partition, double *x) {
    size_t dim = (size_t)partition->shape->dim;
    for (int32_t k = 0; k < partition->part_count; k++) {
        ThawPart *part = &partition->parts[k];
        thaw_part_reshape(partition->shape, partition->vertices + part->first, x, part,
                          partition->r + (size_t)part->first * dim);
        write_positions(partition, part, x);
    }
}

// The old part with the same vertices and pins; -1 if there is none.
static int32_t find_same(const ThawPartition *old, const Scratch *s, const ThawPart *part,
                         const unsigned char *script) {
    const int32_t *vertices = s->vertices + part->first;
    int32_t k = old->part_of_vertex[vertices[0]];
    if (k < 0 || old->parts[k].count != part->count || old->parts[k].pins != part->pins ||
        memcmp(vertices, old->vertices + old->parts[k].first, sizeof *vertices * (size_t)part->count) != 0)
        return -1;
    for (int32_t i = 0; i < part->count && part->pins > 0; i++)
        if (old->script[vertices[i]] != script[vertices[i]])
            return -1;
    return k;
}

#define SWAP(type, a, b)                                                                                               \
    do {                                                                                                               \
        type swap_ = (a);                                                                                              \
        (a) = (b);                                                                                                     \
        (b) = swap_;                                                                                                   \
    } while (0)

// The scratch becomes the partition; what was, the scratch.
static void exchange(ThawPartition *partition, const unsigned char *flagged, const unsigned char *script) {
    Scratch *s = partition->scratch;
    SWAP(int32_t *, partition->part_of_element, s->part_of_element);
    SWAP(int32_t *, partition->part_of_vertex, s->part_of_vertex);
    SWAP(int32_t *, partition->vertices, s->vertices);
    SWAP(double *, partition->r, s->r);
    SWAP(ThawPart *, partition->parts, s->parts);
    SWAP(int32_t, partition->part_count, s->part_count);
    SWAP(int32_t, partition->vertex_count, s->vertex_count);
    memmove(partition->flagged, flagged, (size_t)partition->shape->ne);
    memmove(partition->script, script, (size_t)partition->shape->nv);
    list_elastic(partition);
    partition->topology++;
}

// Room for the new parts, on both sides: they take turns.
static ThawStatus reserve_parts(ThawPartition *partition, ThawError *error) {
    Scratch *s = partition->scratch;
    if (s->part_count <= s->capacity)
        return THAW_OK;
    size_t room = 2 * (size_t)s->part_count;
    ThawPart *parts = THAW_NEW(ThawPart, room);
    ThawPart *kept = thaw_regrow(partition->parts, (size_t)partition->part_count, room, sizeof *kept);
    double(*stress)[2][9] = thaw_alloc(room, sizeof *stress);
    if (kept)
        partition->parts = kept;
    if (!parts || !kept || !stress) {
        thaw_free(parts);
        thaw_free(stress);
        return thaw_error_memory(error, "the rigid parts");
    }
    thaw_free(s->parts);
    thaw_free(partition->stress);
    s->parts = parts;
    partition->stress = stress;
    partition->parts_capacity = s->capacity = (int32_t)room;
    return THAW_OK;
}

// What of the shadow is no rigid motion of a part goes to v, which has the part's: momenta stay. The rest stays in the
// shadow. Returns the energy that goes, J.
static double take_inner(ThawPartition *old, const ThawPart *part, double *shadow, const double *x, double *v) {
    const int32_t *vertices = old->vertices + part->first;
    size_t dim = (size_t)old->shape->dim;
    ThawPart rigid = *part;                                         // that has the shadow's momenta
    double w[3], omega[3], *r = old->r + (size_t)part->first * dim; // no longer needed
    double energy = thaw_part_form(old->shape, vertices, old->script, x, shadow, &rigid, r);
    thaw_part_velocity(&rigid, (int)dim, w, omega);
    for (int32_t k = 0; k < part->count; k++) {
        double rho[3] = {0, 0, 0}, turn[3];
        memcpy(rho, r + (size_t)k * dim, dim * sizeof *rho);
        thaw_v3_cross(omega, rho, turn);
        for (size_t i = 0; i < dim && !old->script[vertices[k]]; i++) {
            size_t at = (size_t)vertices[k] * dim + i;
            v[at] += shadow[at] - (w[i] + turn[i]);
            shadow[at] = w[i] + turn[i];
        }
    }
    return energy;
}

// Motion of the parts that stay, into the new ones; old parts that do not are dissolved into v. New parts that are
// yet to be formed get the hold UNFORMED.
static void carry_over(ThawPartition *old, const unsigned char *script, double *shadow, const double *x, double *v,
                       ThawTransition *transition) {
    Scratch *s = old->scratch;
    size_t dim = (size_t)old->shape->dim;
    int32_t *successor = s->queue; // by old part: at most nv / 3 of them, and the queue is idle
    memset(successor, -1, sizeof *successor * (size_t)old->part_count);
    for (int32_t k = 0; k < s->part_count; k++) {
        ThawPart *part = &s->parts[k];
        int32_t same = find_same(old, s, part, script);
        part->hold = same >= 0 ? old->parts[same].hold : UNFORMED;
        if (same < 0)
            continue;
        int32_t first = part->first, elements = part->elements;
        memcpy(s->r + (size_t)first * dim, old->r + (size_t)old->parts[same].first * dim,
               sizeof(double) * dim * (size_t)part->count);
        *part = old->parts[same];
        part->first = first;
        part->elements = elements;
        successor[same] = k;
        transition->kept++;
    }
    for (int32_t k = 0; k < old->part_count; k++)
        if (successor[k] < 0) {
            write_velocities(old, &old->parts[k], v);
            if (shadow)
                transition->shadow -= take_inner(old, &old->parts[k], shadow, x, v);
            transition->dissolved++;
        }
}

// A new part from x and v of its vertices, which become its own.
static void form(ThawPartition *partition, ThawPart *part, double *shadow, double *x, double *v,
                 ThawTransition *transition) {
    size_t dim = (size_t)partition->shape->dim;
    const int32_t *vertices = partition->vertices + part->first;
    double taken = thaw_part_form(partition->shape, vertices, partition->script, x, v, part,
                                  partition->r + (size_t)part->first * dim);
    *(shadow ? &transition->shadow : &transition->loss) += taken;
    transition->formed++;
    for (int32_t k = 0; k < part->count && shadow; k++)
        for (size_t at = (size_t)vertices[k] * dim; at < ((size_t)vertices[k] + 1) * dim; at++)
            shadow[at] += v[at];
    write_positions(partition, part, x);
    write_velocities(partition, part, v);
    for (int32_t k = 0; k < part->count && shadow; k++)
        for (size_t at = (size_t)vertices[k] * dim; at < ((size_t)vertices[k] + 1) * dim; at++)
            shadow[at] -= v[at];
}

// The part as it would be with the shadow's momenta.
static ThawPart with_shadow(const ThawPartition *partition, const ThawPart *part, const double *shadow) {
    ThawPart rigid = *part;
    thaw_part_fit(partition->shape, partition->vertices + part->first, partition->script,
                  partition->r + (size_t)part->first * (size_t)partition->shape->dim, shadow, &rigid);
    return rigid;
}

// J, of all of its shadow.
static double energy_of(const ThawPartition *partition, const ThawPart *part, const double *shadow) {
    const size_t dim = (size_t)partition->shape->dim;
    double energy = 0;
    for (int32_t m = part->first; m < part->first + part->count; m++) {
        const int32_t i = partition->vertices[m];
        for (size_t k = 0, at = (size_t)i * dim; k < dim && !partition->script[i]; k++, at++)
            energy += partition->shape->mass[i] * shadow[at] * shadow[at] / 2;
    }
    return energy;
}

double thaw_partition_shadow_energy(const ThawPartition *partition, const double *shadow) {
    double sum = 0;
    for (int32_t k = 0; k < partition->part_count; k++) {
        const ThawPart rigid = with_shadow(partition, &partition->parts[k], shadow);
        const double energy = energy_of(partition, &partition->parts[k], shadow) -
                              thaw_part_kinetic(&rigid, partition->shape->dim); // what is left is orthogonal to that
        sum += energy > 0 ? energy : 0;
    }
    return sum;
}

double thaw_partition_absorb(ThawPartition *partition, double *shadow, double *v) {
    const ThawShape *shape = partition->shape;
    size_t dim = (size_t)shape->dim;
    double gained = 0;
    for (int32_t k = 0; k < partition->part_count; k++) {
        ThawPart *part = &partition->parts[k];
        if (part->hold == THAW_HOLD_FIXED)
            continue;
        const ThawPart rigid = with_shadow(partition, part, shadow);
        gained -= thaw_part_kinetic(part, (int)dim);
        for (int j = 0; j < 3; j++) {
            part->P[j] += rigid.P[j];
            part->L[j] += rigid.L[j];
        }
        gained += thaw_part_kinetic(part, (int)dim);
        thaw_part_take_off(shape, partition->vertices + part->first, partition->script,
                           partition->r + (size_t)part->first * dim, &rigid, shadow);
    }
    for (int32_t i = 0; i < shape->nv; i++)
        if (partition->part_of_vertex[i] < 0 && !partition->script[i])
            for (size_t at = (size_t)i * dim; at < ((size_t)i + 1) * dim; at++) {
                gained += shape->mass[i] * shadow[at] * (v[at] + shadow[at] / 2);
                v[at] += shadow[at];
                shadow[at] = 0;
            }
    return gained;
}

ThawStatus thaw_partition_update(ThawPartition *partition, const unsigned char *flagged, const unsigned char *script,
                                 double *shadow, double *x, double *v, ThawTransition *transition, ThawError *error) {
    const ThawShape *shape = partition->shape;
    Scratch *s = partition->scratch;
    *transition = (ThawTransition){.kept = partition->part_count};
    int same_pins = memcmp(script, partition->script, (size_t)shape->nv) == 0;
    if (same_pins && memcmp(flagged, partition->flagged, (size_t)shape->ne) == 0)
        return THAW_OK;
    find_parts(partition, flagged, script);
    ThawStatus status = reserve_parts(partition, error);
    if (status != THAW_OK)
        return status;
    if (same_pins && s->part_count == partition->part_count &&
        memcmp(s->part_of_vertex, partition->part_of_vertex, sizeof(int32_t) * (size_t)shape->nv) == 0 &&
        memcmp(s->part_of_element, partition->part_of_element, sizeof(int32_t) * (size_t)shape->ne) == 0) {
        memcpy(partition->flagged, flagged, (size_t)shape->ne);
        return THAW_OK;
    }
    *transition = (ThawTransition){.changed = 1};
    list_vertices(shape, script, s);
    carry_over(partition, script, shadow, x, v, transition);
    exchange(partition, flagged, script);
    for (int32_t k = 0; k < partition->part_count; k++)
        if (partition->parts[k].hold == UNFORMED)
            form(partition, &partition->parts[k], shadow, x, v, transition);
    thaw_partition_find_stress(partition, s->r);
    return THAW_OK;
}

ThawStatus thaw_partition_restore(ThawPartition *partition, const unsigned char *flagged, const unsigned char *script,
                                  const ThawPart *parts, const double *stress, int32_t part_count, const double *r,
                                  int32_t vertex_count, ThawError *error) {
    Scratch *s = partition->scratch;
    find_parts(partition, flagged, script);
    ThawStatus status = reserve_parts(partition, error);
    if (status != THAW_OK)
        return status;
    list_vertices(partition->shape, script, s);
    int fits = part_count == s->part_count && vertex_count == s->vertex_count;
    for (int32_t k = 0; fits && k < part_count; k++)
        fits = parts[k].first == s->parts[k].first && parts[k].count == s->parts[k].count &&
               parts[k].elements == s->parts[k].elements && parts[k].pins == s->parts[k].pins &&
               (unsigned)parts[k].hold <= THAW_HOLD_FIXED;
    if (!fits)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "%d rigid parts with %d vertices do not fit the flags, which give %d with %d",
                              (int)part_count, (int)vertex_count, (int)s->part_count, (int)s->vertex_count);
    if (part_count > 0) {
        memcpy(s->parts, parts, sizeof *parts * (size_t)part_count);
        memcpy(s->r, r, sizeof *r * (size_t)partition->shape->dim * (size_t)vertex_count);
    }
    exchange(partition, flagged, script);
    if (part_count > 0)
        memmove(partition->stress, stress, sizeof *partition->stress * (size_t)part_count);
    return THAW_OK;
}

ThawStatus thaw_partition_reserve(ThawPartition *partition, ThawError *error) {
    Scratch *s = partition->scratch;
    if (partition->part_count <= partition->parts_capacity)
        return THAW_OK;
    const size_t room = (size_t)partition->part_count;
    ThawPart *parts = THAW_NEW(ThawPart, room), *others = THAW_NEW(ThawPart, room);
    double(*stress)[2][9] = thaw_alloc(room, sizeof *stress);
    if (!parts || !others || !stress) {
        thaw_free(parts);
        thaw_free(others);
        thaw_free(stress);
        return thaw_error_memory(error, "the rigid parts");
    }
    thaw_free(partition->parts);
    thaw_free(partition->stress);
    thaw_free(s->parts);
    partition->parts = parts;
    partition->stress = stress;
    s->parts = others;
    partition->parts_capacity = s->capacity = partition->part_count;
    return THAW_OK;
}

// --- life ------------------------------------------------------------------------------------------------------------

ThawStatus thaw_partition_create(const ThawShape *shape, int32_t min_elements, ThawPartition **result,
                                 ThawError *error) {
    *result = NULL;
    size_t nv = (size_t)shape->nv, ne = (size_t)shape->ne, dim = (size_t)shape->dim;
    ThawPartition *partition = THAW_NEW(ThawPartition, 1);
    if (!partition)
        return thaw_error_memory(error, "the rigid parts");
    Scratch *s = partition->scratch = THAW_NEW(Scratch, 1);
    partition->shape = shape;
    partition->min_elements = min_elements;
    partition->flagged = THAW_NEW(unsigned char, ne);
    partition->script = THAW_NEW(unsigned char, nv);
    partition->part_of_element = THAW_NEW(int32_t, ne);
    partition->part_of_vertex = THAW_NEW(int32_t, nv);
    partition->vertices = THAW_NEW(int32_t, nv);
    partition->r = THAW_NEW(double, nv *dim);
    const ThawElementBlock *last = &shape->blocks[shape->block_count - 1];
    partition->elastic = THAW_NEW(int32_t, (size_t)last->first + (size_t)last->count);
    int failed = !s || !partition->flagged || !partition->script || !partition->part_of_element ||
                 !partition->part_of_vertex || !partition->vertices || !partition->r || !partition->elastic;
    if (s) {
        s->part_of_element = THAW_NEW(int32_t, ne);
        s->part_of_vertex = THAW_NEW(int32_t, nv);
        s->vertices = THAW_NEW(int32_t, nv);
        s->r = THAW_NEW(double, nv *dim);
        s->queue = THAW_NEW(int32_t, ne + nv);
        s->visited = THAW_NEW(unsigned char, ne);
        s->size = THAW_NEW(int32_t, nv / (size_t)shape->cells->kind->nodes + 1);
        failed |=
            !s->part_of_element || !s->part_of_vertex || !s->vertices || !s->r || !s->queue || !s->visited || !s->size;
    }
    if (failed) {
        thaw_partition_free(&partition);
        return thaw_error_memory(error, "the rigid parts");
    }
    memset(partition->part_of_element, -1, sizeof(int32_t) * ne);
    memset(partition->part_of_vertex, -1, sizeof(int32_t) * nv);
    list_elastic(partition);
    *result = partition;
    return THAW_OK;
}

void thaw_partition_free(ThawPartition **pointer) {
    if (!pointer || !*pointer)
        return;
    ThawPartition *partition = *pointer;
    Scratch *s = partition->scratch;
    if (s) {
        thaw_free(s->part_of_element);
        thaw_free(s->part_of_vertex);
        thaw_free(s->vertices);
        thaw_free(s->r);
        thaw_free(s->queue);
        thaw_free(s->visited);
        thaw_free(s->size);
        thaw_free(s->parts);
        thaw_free(s);
    }
    thaw_free(partition->flagged);
    thaw_free(partition->script);
    thaw_free(partition->part_of_element);
    thaw_free(partition->part_of_vertex);
    thaw_free(partition->vertices);
    thaw_free(partition->r);
    thaw_free(partition->elastic);
    thaw_free(partition->parts);
    thaw_free(partition->stress);
    thaw_free(partition);
    *pointer = NULL;
}
