// SPDX-License-Identifier: Apache-2.0
// Whether a partition and its map are what others take them for: debug builds and thaw_world_validate ask.
#include <math.h>

#include "map/rigid/rigid.h"
#include "math/vec3.h"

#define BROKEN(...) thaw_error_set(error, THAW_ERROR_INPUT, __VA_ARGS__)

static const double OFF_PLACE = 1e-8; // of the body's diameter and of how far it is from the origin: rounding only
static const double OFF_TURN = 1e-6;  // of R'R from I, which checkpoints and long runs stay far below

static const int32_t *nodes_of(const ThawShape *shape, int32_t element) {
    return shape->cells->elements + (size_t)element * (size_t)shape->cells->kind->nodes;
}

// The elements of parts have all their vertices in one part, and others do not.
static ThawStatus check_elements(const ThawPartition *p, ThawError *error) {
    const ThawShape *shape = p->shape;
    for (int32_t e = 0; e < shape->ne; e++) {
        const int32_t part = p->part_of_element[e], *node = nodes_of(shape, e);
        if (part < -1 || part >= p->part_count)
            return BROKEN("element %d is in part %d of %d", (int)e, (int)part, (int)p->part_count);
        const int32_t of_first = p->part_of_vertex[node[0]];
        int together = of_first >= 0;
        for (int a = 0; a < shape->cells->kind->nodes; a++) {
            together &= p->part_of_vertex[node[a]] == of_first;
            if (part >= 0 && p->part_of_vertex[node[a]] != part)
                return BROKEN("element %d is in part %d, its vertex %d in %d", (int)e, (int)part, (int)node[a],
                              (int)p->part_of_vertex[node[a]]);
        }
        if (part < 0 && together)
            return BROKEN("element %d is elastic, and all its vertices are in part %d", (int)e, (int)of_first);
    }
    return THAW_OK;
}

// The list of elastic elements: those that touch no part, then the others, both ascending.
static ThawStatus check_elastic(const ThawPartition *p, ThawError *error) {
    int32_t rigid = 0, before = -1;
    int touched = 0;
    for (int32_t k = 0; k < p->part_count; k++)
        rigid += p->parts[k].elements;
    if (rigid + p->elastic_count != p->shape->ne)
        return BROKEN("%d elements in parts and %d elastic ones are not all %d", (int)rigid, (int)p->elastic_count,
                      (int)p->shape->ne);
    for (int32_t i = 0; i < p->elastic_count; i++) {
        const int32_t e = p->elastic[i];
        int touches = 0;
        if (e < 0 || e >= p->shape->ne || p->part_of_element[e] >= 0)
            return BROKEN("element %d is listed as elastic and is in a part", (int)e);
        for (int a = 0; a < p->shape->cells->kind->nodes; a++)
            touches |= p->part_of_vertex[nodes_of(p->shape, e)[a]] >= 0;
        if (touches < touched || (touches == touched && e <= before))
            return BROKEN("elastic element %d is out of order", (int)e);
        touched = touches;
        before = e;
    }
    return THAW_OK;
}

// The vertices of part k: ascending, its own, and as many pins as it says.
static ThawStatus check_vertices(const ThawPartition *p, int32_t k, int32_t first, ThawError *error) {
    const ThawPart *part = &p->parts[k];
    int32_t pins = 0;
    if (part->first != first || part->count <= 0 || first + part->count > p->vertex_count)
        return BROKEN("part %d has vertices %d to %d of %d; they begin at %d", (int)k, (int)part->first,
                      (int)(part->first + part->count), (int)p->vertex_count, (int)first);
    for (int32_t m = first; m < first + part->count; m++) {
        const int32_t v = p->vertices[m];
        if (v < 0 || v >= p->shape->nv || p->part_of_vertex[v] != k || (m > first && p->vertices[m - 1] >= v))
            return BROKEN("part %d lists vertex %d, which is out of order or in another part", (int)k, (int)v);
        if (p->script[v] == THAW_VERTEX_MOVED)
            return BROKEN("vertex %d of part %d is moved by a script", (int)v, (int)k);
        pins += p->script[v] == THAW_VERTEX_PINNED;
    }
    if (pins != part->pins || (unsigned)part->hold > THAW_HOLD_FIXED || (pins == 0) != (part->hold == THAW_HOLD_FREE))
        return BROKEN("part %d says %d pins and hold %d; %d of its vertices are pinned", (int)k, (int)part->pins,
                      (int)part->hold, (int)pins);
    return THAW_OK;
}

// R turns, momenta are what the hold allows, and vertices are at p + R r.
static ThawStatus check_motion(const ThawPartition *p, int32_t k, const double *x, ThawError *error) {
    const ThawPart *part = &p->parts[k];
    const size_t dim = (size_t)p->shape->dim;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (!(fabs(thaw_v3_dot(part->R + 3 * i, part->R + 3 * j) - (i == j)) <= OFF_TURN))
                return BROKEN("the frame of part %d is not turned but deformed", (int)k);
    if (part->hold != THAW_HOLD_FREE && thaw_v3_norm(part->P) != 0)
        return BROKEN("part %d is held and has a momentum of %g N s", (int)k, thaw_v3_norm(part->P));
    if (part->hold == THAW_HOLD_FIXED && thaw_v3_norm(part->L) != 0)
        return BROKEN("part %d is fixed and turns", (int)k);
    for (int32_t m = part->first; m < part->first + part->count && part->hold != THAW_HOLD_FIXED; m++) {
        const size_t v = (size_t)p->vertices[m];
        double rho[3], off = 0, far = 0;
        thaw_part_rotate(part, p->shape->dim, p->r + (size_t)m * dim, rho);
        for (size_t i = 0; i < dim; i++) {
            off = fmax(off, fabs(part->p[i] + rho[i] - x[v * dim + i]));
            far = fmax(far, fabs(part->p[i]));
        }
        if (!p->script[v] && !(off <= OFF_PLACE * (p->shape->diameter + far)))
            return BROKEN("vertex %d is %g m from where part %d has it", (int)v, off, (int)k);
    }
    return THAW_OK;
}

ThawStatus thaw_partition_validate(const ThawPartition *p, const double *x, ThawError *error) {
    int32_t first = 0, in_parts = 0;
    ThawStatus status = check_elements(p, error);
    if (status == THAW_OK)
        status = check_elastic(p, error);
    for (int32_t k = 0; k < p->part_count && status == THAW_OK; k++) {
        status = check_vertices(p, k, first, error);
        first += p->parts[k].count;
        if (status == THAW_OK)
            status = check_motion(p, k, x, error);
    }
    for (int32_t v = 0; v < p->shape->nv; v++)
        in_parts += p->part_of_vertex[v] >= 0;
    if (status == THAW_OK && (first != p->vertex_count || in_parts != p->vertex_count))
        status = BROKEN("parts list %d vertices, %d are in parts; it says %d", (int)first, (int)in_parts,
                        (int)p->vertex_count);
    return status;
}

ThawStatus thaw_map_rigid_validate(const ThawMap *map, const ThawPartition *p, ThawError *error) {
    const ThawRigidMap *self = (const ThawRigidMap *)map;
    int32_t elastic = 0, n;
    if (self->partition != p || self->topology != p->topology)
        return BROKEN("it was made for topology %u of the partition, which is at %u", self->topology, p->topology);
    if (map->frame_count != p->part_count || (map->frame_count > 0 && map->frame_of != p->part_of_vertex))
        return BROKEN("it has %d frames for %d parts", (int)map->frame_count, (int)p->part_count);
    for (int32_t v = 0; v < p->shape->nv; v++) {
        const int32_t block = self->block_of[v];
        if (!self->scripted[v] != !p->script[v])
            return BROKEN("vertex %d is scripted in one of map and partition", (int)v);
        if (block >= 0 ? block != elastic++ || self->vertex_of[block] != v : !p->script[v] && p->part_of_vertex[v] < 0)
            return BROKEN("block %d is vertex %d's, which has another one", (int)block, (int)v);
    }
    n = elastic;
    for (int32_t k = 0; k < p->part_count; k++) {
        const int blocks = thaw_hold_blocks(p->parts[k].hold);
        if (self->part_block[k] != (blocks ? n : -1))
            return BROKEN("part %d begins at block %d instead of %d", (int)k, (int)self->part_block[k], (int)n);
        n += blocks;
    }
    return n == map->n && elastic == self->elastic ? THAW_OK : BROKEN("it has %d blocks for %d", (int)map->n, (int)n);
}
