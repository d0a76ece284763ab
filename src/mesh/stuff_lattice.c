// SPDX-License-Identifier: Apache-2.0
// The background lattice of isosurface stuffing (Labelle and Shewchuk 2007, section 3): an octree whose cells have a
// vertex at each corner and one in the middle.
//
// The tree is built level by level from one distance a cell: a cell whose middle is farther from the surface than its
// own radius and a margin is outside and dropped, or inside and divided no further than `coarsest` asks; all others go
// down to the finest level (and a cell that could stay is looked at closer, part by part). The margin, one finest
// cell's diagonal, makes every cell that touches a cell with surface in it a finest one, so that only regular elements
// are cut or warped. Then neighbours are made to differ by one level at most.
//
// Elements, for each face between two cells: of equal size, four around the line from middle to middle, one an edge
// (the body centred cubic tetrahedra, all alike: dihedral angles 60 and 90 degrees), two where the edge has a vertex in
// its middle; of different size, the smaller face is split along the diagonal from the middle of the larger face, and
// both triangles are joined to both middles. In 2D: each side of a cell, or each half where the neighbour is finer,
// with the middle: right angles and halves of them. Linear time and memory in the number of cells.
#include <math.h>
#include <string.h>

#include "mesh/stuff.h"

enum { DIVIDED = -2, ABSENT = -1, CHUNK = 512 };

// --- tables ----------------------------------------------------------------------------------------------------------

static size_t slot_of(const ThawTable *table, uint64_t stored) {
    const size_t mask = ((size_t)1 << table->bits) - 1;
    size_t slot = (size_t)(stored * UINT64_C(0x9E3779B97F4A7C15) >> (64 - table->bits));
    while (table->key[slot] && table->key[slot] != stored)
        slot = (slot + 1) & mask;
    return slot;
}

int32_t thaw_table_find(const ThawTable *table, uint64_t key, int32_t absent) {
    if (!table->count)
        return absent;
    const size_t slot = slot_of(table, key + 1);
    return table->key[slot] ? table->value[slot] : absent;
}

static int grow_table(ThawTable *table) {
    ThawTable larger = {.bits = table->bits ? table->bits + 1 : 10, .count = table->count};
    larger.key = THAW_NEW(uint64_t, (size_t)1 << larger.bits);
    larger.value = THAW_NEW(int32_t, (size_t)1 << larger.bits);
    if (!larger.key || !larger.value) {
        thaw_table_free(&larger);
        return 0;
    }
    for (size_t i = 0; table->bits && i < (size_t)1 << table->bits; i++)
        if (table->key[i]) {
            const size_t slot = slot_of(&larger, table->key[i]);
            larger.key[slot] = table->key[i];
            larger.value[slot] = table->value[i];
        }
    thaw_table_free(table);
    *table = larger;
    return 1;
}

int32_t *thaw_table_put(ThawTable *table, uint64_t key, int32_t fresh) {
    if ((!table->bits || (int64_t)table->count * 2 >= (int64_t)1 << table->bits) && !grow_table(table))
        return NULL;
    const size_t slot = slot_of(table, key + 1);
    if (!table->key[slot]) {
        table->key[slot] = key + 1;
        table->value[slot] = fresh;
        table->count++;
    }
    return &table->value[slot];
}

void thaw_table_free(ThawTable *table) {
    thaw_free(table->key);
    thaw_free(table->value);
    *table = (ThawTable){0};
}

// Levels are at most THAW_LATTICE_DEEPEST, so that 19 bits hold a cell's coordinate and 21 a place's.
static uint64_t cell_key(int level, const int32_t c[3]) {
    return (uint64_t)level << 57 | (uint64_t)c[0] << 38 | (uint64_t)c[1] << 19 | (uint64_t)c[2];
}

static uint64_t place_key(const int32_t p[3]) { return (uint64_t)p[0] << 42 | (uint64_t)p[1] << 21 | (uint64_t)p[2]; }

// --- growing arrays --------------------------------------------------------------------------------------------------

static int make_room(void **array, int32_t used, int32_t room, size_t size) {
    void *more = thaw_regrow(*array, (size_t)used, (size_t)room, size);
    *array = more ? more : *array;
    return more != NULL;
}

static int32_t larger(int32_t room) { return room > INT32_MAX / 2 ? INT32_MAX : room < 512 ? 1024 : 2 * room; }

static ThawStatus add_leaf(ThawLattice *lattice, const ThawLeaf *leaf, ThawError *error) {
    if (lattice->leaf_count >= lattice->limit)
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "a size of %.6g m makes more cells than the limit on elements allows; allowed: a larger "
                              "size, or grading",
                              lattice->size);
    if (lattice->leaf_count == lattice->leaf_room) {
        const int32_t room = larger(lattice->leaf_room);
        if (!make_room((void **)&lattice->leaves, lattice->leaf_count, room, sizeof *leaf))
            return thaw_error_memory(error, "the cells of a mesher");
        lattice->leaf_room = room;
    }
    int32_t *value = thaw_table_put(&lattice->nodes, cell_key(leaf->level, leaf->cell), 0);
    if (!value)
        return thaw_error_memory(error, "the cells of a mesher");
    *value = lattice->leaf_count;
    lattice->leaves[lattice->leaf_count++] = *leaf;
    return THAW_OK;
}

// --- the tree --------------------------------------------------------------------------------------------------------

// A generation: all cells of one level that are still to be judged.
typedef struct Front {
    ThawLattice *lattice;
    int32_t count, room;
    ThawLeaf *cells;
    double *distance; // count, of the middles
} Front;

// Is no surface in the box? One value in its middle may tell, or else those of its parts, down to `depth` divisions.
static int is_clear(const ThawLattice *lattice, const double middle[3], double half, int depth) {
    const double d = thaw_solid_distance(lattice->solid, middle);
    if (d > 0)
        return 0;
    if (-d > sqrt(lattice->dim) * half)
        return 1;
    for (int c = 0; depth > 0 && c < 1 << lattice->dim; c++) {
        double x[3] = {0};
        for (int k = 0; k < lattice->dim; k++)
            x[k] = middle[k] + (c >> k & 1 ? half / 2 : -half / 2);
        if (!is_clear(lattice, x, half / 2, depth - 1))
            return 0;
    }
    return depth > 0;
}

// A graded tree profits from cells that end as near to the surface as they may.
static double look_closer(const ThawLattice *lattice, const ThawLeaf *cell, const double middle[3], double width,
                          double d) {
    const double reach = width / 2 + lattice->size * 1.001;
    const int may_stay = cell->level >= lattice->coarsest && cell->level < lattice->depth;
    return may_stay && d < -reach && is_clear(lattice, middle, reach, 2) ? -INFINITY : d;
}

static void evaluate_middles(void *context, int32_t chunk) {
    Front *front = context;
    const ThawLattice *lattice = front->lattice;
    const int32_t end = (chunk + 1) * CHUNK < front->count ? (chunk + 1) * CHUNK : front->count;
    for (int32_t i = chunk * CHUNK; i < end; i++) {
        const ThawLeaf *cell = &front->cells[i];
        if (cell->inside)
            continue;
        const double width = ldexp(lattice->size, lattice->depth - cell->level);
        double x[3] = {0};
        for (int k = 0; k < lattice->dim; k++)
            x[k] = lattice->origin[k] + width * (cell->cell[k] + 0.5);
        front->distance[i] = look_closer(lattice, cell, x, width, thaw_solid_distance(lattice->solid, x));
    }
}

static ThawStatus add_children(Front *next, const ThawLeaf *cell, int8_t inside, ThawError *error) {
    const int dim = next->lattice->dim, children = 1 << dim;
    if (next->count + children > next->room) {
        if (next->count > 4 * next->lattice->limit)
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "a size of %.6g m makes more cells than the limit on elements allows; allowed: a "
                                  "larger size, or grading",
                                  next->lattice->size);
        const int32_t room = larger(next->room);
        if (!make_room((void **)&next->cells, next->count, room, sizeof *cell))
            return thaw_error_memory(error, "the cells of a mesher");
        next->room = room;
    }
    for (int c = 0; c < children; c++) {
        ThawLeaf *child = &next->cells[next->count++];
        *child = (ThawLeaf){.level = (int8_t)(cell->level + 1), .inside = inside};
        for (int k = 0; k < dim; k++)
            child->cell[k] = 2 * cell->cell[k] + (c >> k & 1);
    }
    return THAW_OK;
}

// Drops, keeps or divides every cell of a generation.
static ThawStatus judge(Front *front, Front *next, ThawError *error) {
    ThawLattice *lattice = front->lattice;
    const double diagonal = sqrt(lattice->dim);
    ThawStatus status = THAW_OK;
    for (int32_t i = 0; !status && i < front->count; i++) {
        ThawLeaf *cell = &front->cells[i];
        if (!cell->inside) {
            const double width = ldexp(lattice->size, lattice->depth - cell->level);
            const double clear = diagonal * (width / 2 + lattice->size * 1.001);
            lattice->evaluations++;
            if (front->distance[i] > clear)
                continue;
            cell->inside = front->distance[i] < -clear;
        }
        if (cell->level == lattice->depth || (cell->inside && cell->level >= lattice->coarsest)) {
            status = add_leaf(lattice, cell, error);
            continue;
        }
        if (!thaw_table_put(&lattice->nodes, cell_key(cell->level, cell->cell), DIVIDED))
            status = thaw_error_memory(error, "the cells of a mesher");
        if (!status)
            status = add_children(next, cell, cell->inside, error);
    }
    return status;
}

static ThawStatus grow_tree(ThawLattice *lattice, ThawError *error) {
    Front front = {.lattice = lattice}, next = {.lattice = lattice};
    ThawStatus status = THAW_OK;
    front.cells = THAW_NEW(ThawLeaf, front.count = front.room = 1);
    if (!front.cells)
        return thaw_error_memory(error, "the cells of a mesher");
    while (!status && front.count > 0) {
        front.distance = THAW_NEW(double, front.count);
        if (front.distance) {
            thaw_tasks_for(lattice->tasks, (front.count + CHUNK - 1) / CHUNK, evaluate_middles, &front);
            status = judge(&front, &next, error);
        } else {
            status = thaw_error_memory(error, "the cells of a mesher");
        }
        thaw_free(front.distance);
        const Front spent = front;
        front = next;
        next = spent;
        next.count = 0;
    }
    thaw_free(front.cells);
    thaw_free(next.cells);
    return status;
}

// --- balance ---------------------------------------------------------------------------------------------------------

static ThawStatus divide_leaf(ThawLattice *lattice, int32_t id, ThawError *error) {
    const ThawLeaf leaf = lattice->leaves[id];
    lattice->leaves[id].divided = 1;
    int32_t *value = thaw_table_put(&lattice->nodes, cell_key(leaf.level, leaf.cell), DIVIDED);
    if (!value)
        return thaw_error_memory(error, "the cells of a mesher");
    *value = DIVIDED;
    ThawStatus status = THAW_OK;
    for (int c = 0; !status && c < 1 << lattice->dim; c++) {
        ThawLeaf child = {.level = (int8_t)(leaf.level + 1), .inside = leaf.inside};
        for (int k = 0; k < lattice->dim; k++)
            child.cell[k] = 2 * leaf.cell[k] + (c >> k & 1);
        status = add_leaf(lattice, &child, error);
    }
    return status;
}

// Divides whatever leaf holds the cell and is larger than it.
static ThawStatus refine_to(ThawLattice *lattice, int level, const int32_t cell[3], ThawError *error) {
    for (int up = level; up >= 0; up--) {
        const int32_t c[3] = {cell[0] >> (level - up), cell[1] >> (level - up), cell[2] >> (level - up)};
        const int32_t found = thaw_table_find(&lattice->nodes, cell_key(up, c), ABSENT);
        if (found == DIVIDED || (found >= 0 && up == level))
            return THAW_OK; // what is absent below a divided cell is outside
        if (found >= 0) {
            ThawStatus status = divide_leaf(lattice, found, error);
            return status ? status : refine_to(lattice, level, cell, error);
        }
    }
    return THAW_OK;
}

static int is_in_root(int level, const int32_t c[3], int dim) {
    for (int k = 0; k < dim; k++)
        if (c[k] < 0 || c[k] >= 1 << level)
            return 0;
    return 1;
}

// A leaf's neighbours, over corners too, may be twice as large but not more.
static ThawStatus balance(ThawLattice *lattice, ThawError *error) {
    ThawStatus status = THAW_OK;
    const int planes = lattice->dim == 3 ? 1 : 0;
    for (int level = lattice->depth; !status && level > lattice->coarsest + 1; level--)
        for (int32_t i = 0; !status && i < lattice->leaf_count; i++) {
            const ThawLeaf leaf = lattice->leaves[i];
            if (leaf.level != level || leaf.divided)
                continue;
            for (int n = 0; !status && n < (planes ? 27 : 9); n++) {
                int32_t c[3] = {leaf.cell[0] + n % 3 - 1, leaf.cell[1] + n / 3 % 3 - 1,
                                planes ? leaf.cell[2] + n / 9 - 1 : 0};
                if (!is_in_root(level, c, lattice->dim))
                    continue;
                for (int k = 0; k < 3; k++)
                    c[k] >>= 1;
                status = refine_to(lattice, level - 1, c, error);
            }
        }
    int32_t kept = 0;
    for (int32_t i = 0; !status && i < lattice->leaf_count; i++)
        if (!lattice->leaves[i].divided) {
            lattice->leaves[kept] = lattice->leaves[i];
            int32_t *value =
                thaw_table_put(&lattice->nodes, cell_key(lattice->leaves[kept].level, lattice->leaves[kept].cell), 0);
            *value = kept++; // the key is there, so no memory was needed
        }
    lattice->leaf_count = status ? lattice->leaf_count : kept;
    return status;
}

// --- vertices --------------------------------------------------------------------------------------------------------

static int32_t add_vertex(ThawLattice *lattice, const int32_t place[3]) {
    if (lattice->vertex_count == lattice->vertex_room) {
        const int32_t room = larger(lattice->vertex_room);
        if (!make_room((void **)&lattice->place, lattice->vertex_count, room, sizeof *lattice->place))
            return -1;
        lattice->vertex_room = room;
    }
    memcpy(lattice->place[lattice->vertex_count], place, sizeof *lattice->place);
    return lattice->vertex_count++;
}

static ThawStatus add_vertices(ThawLattice *lattice, ThawError *error) {
    for (int32_t i = 0; i < lattice->leaf_count; i++) {
        ThawLeaf *leaf = &lattice->leaves[i];
        const int shift = lattice->depth - leaf->level;
        int32_t place[3] = {0};
        for (int c = 0; c < 1 << lattice->dim; c++) {
            for (int k = 0; k < lattice->dim; k++)
                place[k] = (leaf->cell[k] + (c >> k & 1)) << (shift + 1);
            int32_t *vertex = thaw_table_put(&lattice->corners, place_key(place), ABSENT);
            if (vertex && *vertex == ABSENT)
                *vertex = add_vertex(lattice, place);
            if (!vertex || *vertex < 0)
                return thaw_error_memory(error, "the vertices of a mesher");
            leaf->corner[c] = *vertex;
        }
        for (int k = 0; k < lattice->dim; k++)
            place[k] = (2 * leaf->cell[k] + 1) << shift;
        if ((leaf->centre = add_vertex(lattice, place)) < 0)
            return thaw_error_memory(error, "the vertices of a mesher");
    }
    return THAW_OK;
}

void thaw_lattice_position(const ThawLattice *lattice, int32_t vertex, double x[3]) {
    x[2] = 0;
    for (int k = 0; k < lattice->dim; k++)
        x[k] = lattice->origin[k] + lattice->size * (0.5 * lattice->place[vertex][k]);
}

static void evaluate_vertices(void *context, int32_t chunk) {
    ThawLattice *lattice = context;
    const int32_t end = (chunk + 1) * CHUNK < lattice->vertex_count ? (chunk + 1) * CHUNK : lattice->vertex_count;
    for (int32_t v = chunk * CHUNK; v < end; v++)
        if (lattice->distance[v] == 0) {
            double x[3];
            thaw_lattice_position(lattice, v, x);
            const double d = thaw_solid_distance(lattice->solid, x);
            lattice->distance[v] = fabs(d) < 1e-12 * lattice->size ? 0 : d;
        }
}

static ThawStatus judge_vertices(ThawLattice *lattice, ThawError *error) {
    lattice->distance = THAW_NEW(double, lattice->vertex_count);
    if (!lattice->distance)
        return thaw_error_memory(error, "the vertices of a mesher");
    lattice->evaluations += lattice->vertex_count;
    for (int32_t i = 0; i < lattice->leaf_count; i++) {
        const ThawLeaf *leaf = &lattice->leaves[i];
        for (int c = 0; leaf->inside && c < 1 << lattice->dim; c++)
            lattice->distance[leaf->corner[c]] = -INFINITY;
        if (leaf->inside)
            lattice->distance[leaf->centre] = -INFINITY;
    }
    for (int32_t v = 0; v < lattice->vertex_count; v++)
        lattice->evaluations -= lattice->distance[v] < 0;
    thaw_tasks_for(lattice->tasks, (lattice->vertex_count + CHUNK - 1) / CHUNK, evaluate_vertices, lattice);
    return THAW_OK;
}

// --- elements --------------------------------------------------------------------------------------------------------

static int64_t orientation(const ThawLattice *lattice, const int32_t *v) {
    int64_t e[3][3] = {{0}};
    for (int i = 0; i < lattice->dim; i++)
        for (int k = 0; k < lattice->dim; k++)
            e[i][k] = lattice->place[v[i + 1]][k] - lattice->place[v[0]][k];
    if (lattice->dim == 2)
        return e[0][0] * e[1][1] - e[0][1] * e[1][0];
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

static ThawStatus add_element(ThawLattice *lattice, int32_t a, int32_t b, int32_t c, int32_t d, ThawError *error) {
    const int nodes = lattice->dim + 1;
    int32_t v[4] = {a, b, c, d};
    int holds = 0;
    for (int i = 0; i < nodes; i++)
        holds |= lattice->distance[v[i]] < 0;
    if (!holds)
        return THAW_OK;
    if (lattice->element_count == lattice->element_room) {
        const int32_t room = larger(lattice->element_room);
        if (lattice->element_count == INT32_MAX ||
            !make_room((void **)&lattice->elements, lattice->element_count, room, (size_t)nodes * sizeof *v))
            return thaw_error_memory(error, "the elements of a mesher");
        lattice->element_room = room;
    }
    if (orientation(lattice, v) < 0) {
        const int32_t last = v[nodes - 1];
        v[nodes - 1] = v[nodes - 2];
        v[nodes - 2] = last;
    }
    memcpy(lattice->elements + (size_t)nodes * (size_t)lattice->element_count++, v, (size_t)nodes * sizeof *v);
    return THAW_OK;
}

// The vertex in the middle between two corners, -1 when there is none.
static int32_t middle_vertex(const ThawLattice *lattice, int32_t a, int32_t b) {
    int32_t place[3];
    for (int k = 0; k < 3; k++)
        place[k] = (lattice->place[a][k] + lattice->place[b][k]) / 2;
    return thaw_table_find(&lattice->corners, place_key(place), ABSENT);
}

// Elements that join an edge (which may have a vertex in its middle) to one vertex, in 3D to two.
static ThawStatus add_around(ThawLattice *lattice, int32_t c, int32_t d, int32_t from, int32_t to, int may_be_split,
                             ThawError *error) {
    const int32_t middle = may_be_split ? middle_vertex(lattice, from, to) : ABSENT;
    const int32_t ends[3] = {from, middle < 0 ? to : middle, to};
    ThawStatus status = THAW_OK;
    for (int i = 0; !status && i < (middle < 0 ? 1 : 2); i++)
        status = lattice->dim == 3 ? add_element(lattice, c, d, ends[i], ends[i + 1], error)
                                   : add_element(lattice, c, ends[i], ends[i + 1], 0, error);
    return status;
}

static ThawStatus fill_square(ThawLattice *lattice, const ThawLeaf *leaf, ThawError *error) {
    static const int8_t sides[4][2] = {{0, 1}, {1, 3}, {3, 2}, {2, 0}};
    ThawStatus status = THAW_OK;
    for (int s = 0; !status && s < 4; s++)
        status = add_around(lattice, leaf->centre, 0, leaf->corner[sides[s][0]], leaf->corner[sides[s][1]],
                            leaf->level < lattice->depth, error);
    return status;
}

// The corners of a face, around it.
static void face_corners(int axis, int upper, int corner[4]) {
    const int u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, base = upper << axis;
    corner[0] = base;
    corner[1] = base | u;
    corner[2] = base | u | v;
    corner[3] = base | v;
}

static ThawStatus fill_face(ThawLattice *lattice, const ThawLeaf *leaf, int axis, int upper, ThawError *error) {
    int32_t across[3] = {leaf->cell[0], leaf->cell[1], leaf->cell[2]};
    across[axis] += upper ? 1 : -1;
    if (!is_in_root(leaf->level, across, 3))
        return THAW_OK;
    int corner[4];
    face_corners(axis, upper, corner);
    ThawStatus status = THAW_OK;
    int32_t other = thaw_table_find(&lattice->nodes, cell_key(leaf->level, across), ABSENT);
    if (other >= 0) {
        for (int e = 0; upper && !status && e < 4; e++)
            status = add_around(lattice, leaf->centre, lattice->leaves[other].centre, leaf->corner[corner[e]],
                                leaf->corner[corner[(e + 1) % 4]], leaf->level < lattice->depth, error);
        return status;
    }
    if (other == DIVIDED || leaf->level == 0) // the smaller cells join the two
        return THAW_OK;
    for (int k = 0; k < 3; k++)
        across[k] >>= 1;
    other = thaw_table_find(&lattice->nodes, cell_key(leaf->level - 1, across), ABSENT);
    if (other < 0)
        return THAW_OK;
    int pivot = 0; // the corner in the middle of the larger face: odd in both directions of the face
    for (int i = 0; i < 4; i++) {
        int odd = 1;
        for (int k = 1; k < 3; k++)
            odd &= (leaf->cell[(axis + k) % 3] + (corner[i] >> (axis + k) % 3 & 1)) & 1;
        pivot = odd ? i : pivot;
    }
    const int32_t middles[2] = {leaf->centre, lattice->leaves[other].centre};
    const int32_t f = leaf->corner[corner[pivot]], opposite = leaf->corner[corner[(pivot + 2) % 4]];
    for (int m = 0; m < 2; m++)
        for (int side = 1; !status && side < 4; side += 2)
            status = add_element(lattice, middles[m], f, opposite, leaf->corner[corner[(pivot + side) % 4]], error);
    return status;
}

static ThawStatus add_elements(ThawLattice *lattice, ThawError *error) {
    ThawStatus status = THAW_OK;
    for (int32_t i = 0; !status && i < lattice->leaf_count; i++) {
        const ThawLeaf leaf = lattice->leaves[i];
        if (lattice->dim == 2)
            status = fill_square(lattice, &leaf, error);
        else
            for (int face = 0; !status && face < 6; face++)
                status = fill_face(lattice, &leaf, face / 2, face % 2, error);
    }
    return status;
}

// --- the whole -------------------------------------------------------------------------------------------------------

ThawStatus thaw_lattice_build(ThawLattice *lattice, ThawError *error) {
    ThawStatus status = grow_tree(lattice, error);
    if (!status && lattice->coarsest < lattice->depth)
        status = balance(lattice, error);
    if (!status)
        status = add_vertices(lattice, error);
    if (!status)
        status = judge_vertices(lattice, error);
    if (!status)
        status = add_elements(lattice, error);
    return status;
}

void thaw_lattice_free(ThawLattice *lattice) {
    thaw_table_free(&lattice->nodes);
    thaw_table_free(&lattice->corners);
    thaw_free(lattice->leaves);
    thaw_free(lattice->place);
    thaw_free(lattice->distance);
    thaw_free(lattice->elements);
    *lattice = (ThawLattice){0};
}
