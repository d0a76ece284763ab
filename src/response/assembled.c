// SPDX-License-Identifier: Apache-2.0
// The assembled form: H = J A^-1 J' (solids paper, equation 13) body by body, and projected Gauss-Seidel (equations 14,
// 15) over the contacts in canonical order.
//
// A body gives J A^-1 J' of its own contacts' rows; a contact between two bodies sums two blocks. H is never put
// together over the island: each body keeps a full square over its own contacts, so that a chain of bodies costs its
// sum and not its square; rigid bodies keep six numbers (modes.c). Each body also keeps its part of u = H lambda, and a
// contact whose impulse changes adds its three rows to it: a sweep is sum_b (dim n_b)^2 multiply-adds, all on
// contiguous rows.
//
// Where many contacts lie on few unknowns of a body (on rigid parts of it), these are its ports: H = C G C' with the
// square G over them, and the body keeps G C' lambda. That of a body with one part and some elastic vertices is a tenth
// of H.
//
// Sweeps alternate in direction. They settle quickly which contacts touch, stick and slide, and slowly how much:
// information moves by one contact a sweep up a stack. So they take turns with Newton's method (newton.c).
#include <math.h>
#include <string.h>

#include "response/island.h"

enum { CHUNK = 256, TASKS_FROM = 512 };

// --- H ---------------------------------------------------------------------------------------------------------------

static int slot_of(const ThawRow *row, int32_t part) { return row->slots == 2 && row->part[1] == part; }

ThawBlockRows thaw_part_rows(ThawResponse *island, int32_t index) {
    const ThawPart *part = island->parts + index;
    const int d = island->dim;
    int32_t *start = island->J_start + part->first_contact + index, *vertex = island->J_vertex + part->first_entry;
    double *value = island->J_value + (size_t)(d * d) * (size_t)part->first_entry;
    start[0] = 0;
    for (int32_t c = 0; c < part->contacts; c++) {
        const ThawRow *row = island->rows + island->member[part->first_contact + c];
        int slot = slot_of(row, index);
        start[c + 1] = start[c] + row->nodes[slot];
        for (int32_t k = 0; k < row->nodes[slot]; k++) {
            vertex[start[c] + k] = row->vertex[slot][k];
            for (int i = 0; i < d * d; i++)
                value[d * d * (start[c] + k) + i] = row->weight[slot][k] * row->R[i];
        }
    }
    return (ThawBlockRows){part->contacts, d, start, vertex, value};
}

// What a part answers to its rows.
static void call_compliance(void *context, int32_t index) {
    ThawResponse *island = context;
    ThawPart *part = island->parts + index;
    const ThawResponseBody *body = island->bodies + index;
    const int d = island->dim;
    part->status = THAW_OK;
    part->ports = (ThawPorts){.start = island->C_start + part->first_contact + index,
                              .room = island->C_width * part->entries,
                              .port = island->C_port + (size_t)island->C_width * (size_t)part->first_entry,
                              .value = island->C_value + (size_t)(island->C_width * d * d) * (size_t)part->first_entry};
    if (part->vertices == 0 || part->motions == THAW_MOTIONS_ALL)
        return;
    if (thaw_tasks_stopped(island->tasks)) {
        part->status = THAW_CANCELLED;
        return;
    }
    const ThawBlockRows J = thaw_part_rows(island, index);
    part->status = body->compliance(body->context, &J, &part->ports, island->H + part->H);
}

// The order of a part's matrix.
static size_t size_of(const ThawResponse *island, const ThawPart *part) {
    return (size_t)island->dim * (size_t)(part->ports.count > 0 ? part->ports.count : part->contacts);
}

// block += V G W', G within a matrix with rows `stride` apart.
THAW_INLINE void add_congruence(const int d, const double *V, const double *G, size_t stride, const double *W,
                                double *block) {
    double sum[9];
    memcpy(sum, block, (size_t)(d * d) * sizeof *sum);
    for (int r = 0; r < d; r++)
        for (int k = 0; k < d; k++)
            for (int l = 0; l < d; l++)
                for (int s = 0; s < d; s++)
                    sum[d * r + s] += V[d * r + k] * G[(size_t)k * stride + (size_t)l] * W[d * s + l];
    memcpy(block, sum, (size_t)(d * d) * sizeof *sum);
}

void thaw_assembled_block(const ThawResponse *island, const ThawPart *part, int32_t i, int32_t j, double *block) {
    const int d = island->dim;
    const size_t size = size_of(island, part);
    const ThawPorts *ports = &part->ports;
    const double *H = island->H + part->H;
    if (ports->count == 0) {
        for (int r = 0; r < d; r++)
            memcpy(block + d * r, H + (size_t)(d * i + r) * size + (size_t)(d * j), (size_t)d * sizeof *block);
        return;
    }
    memset(block, 0, (size_t)(d * d) * sizeof *block);
    for (int32_t a = ports->start[i]; a < ports->start[i + 1]; a++)
        for (int32_t b = ports->start[j]; b < ports->start[j + 1]; b++) {
            const double *G = H + (size_t)(d * ports->port[a]) * size + (size_t)(d * ports->port[b]);
            const double *V = ports->value + d * d * a, *W = ports->value + d * d * b;
            if (d == 3)
                add_congruence(3, V, G, size, W, block);
            else
                add_congruence(2, V, G, size, W, block);
        }
}

ThawStatus thaw_assembled_prepare(ThawResponse *island) {
    int d = island->dim;
    size_t H = 0, members = 0, entries = 0;
    island->C_width = 2;
    for (int32_t p = 0; p < island->body_count; p++) {
        ThawPart *part = island->parts + p;
        size_t c = (size_t)d * (size_t)part->contacts;
        part->H = H;
        if (island->bodies[p].width > island->C_width)
            island->C_width = island->bodies[p].width;
        part->first_entry = (int32_t)entries;
        members += (size_t)part->contacts + 1;
        entries += (size_t)part->entries;
        if (part->motions != THAW_MOTIONS_ALL)
            H += c * c;
    }
    const size_t width = 1 + (size_t)island->C_width;
    ThawStatus status = THAW_TAKE(island, THAW_BUFFER_H, H, &island->H);
    if (status == THAW_OK)
        status = THAW_TAKE(island, THAW_BUFFER_J, 2 * members + width * entries, &island->J_start);
    if (status == THAW_OK)
        status = THAW_TAKE(island, THAW_BUFFER_J_VALUE, (size_t)(d * d) * width * entries, &island->J_value);
    if (status < 0)
        return status;
    island->J_vertex = island->J_start + members;
    island->C_start = island->J_vertex + entries;
    island->C_port = island->C_start + members;
    island->C_value = island->J_value + (size_t)(d * d) * entries;
    if (island->body_count == 1)
        call_compliance(island, 0);
    else
        thaw_tasks_for(island->tasks, island->body_count, call_compliance, island);
    for (int32_t p = 0; p < island->body_count; p++)
        if (island->parts[p].status < 0)
            return island->parts[p].status;
    for (int32_t i = 0; i < island->n; i++) {
        ThawRow *row = island->rows + i;
        memset(row->D, 0, sizeof row->D);
        for (int32_t s = 0; s < row->slots; s++) {
            const ThawPart *part = island->parts + row->part[s];
            double block[9];
            if (part->motions == THAW_MOTIONS_ALL) {
                thaw_modes_own_block(island, row, s, row->D);
                continue;
            }
            thaw_assembled_block(island, part, row->place[s], row->place[s], block);
            for (int k = 0; k < d * d; k++)
                row->D[k] += block[k];
        }
    }
    return THAW_OK;
}

// --- products and sweeps ---------------------------------------------------------------------------------------------

// y = matrix x.
typedef struct Product {
    const double *matrix, *x;
    double *y;
    size_t d, size;
} Product;

// y[columns] += x0 row0 + x1 row1 + ...: rows of a symmetric matrix are its columns, and each sum is in row order.
static void multiply_columns(void *context, int32_t chunk) {
    const Product *product = context;
    const size_t d = product->d, size = product->size;
    size_t first = (size_t)chunk * CHUNK, last = first + CHUNK < size ? first + CHUNK : size;
    const double *x = product->x;
    double *restrict y = product->y;
    memset(y + first, 0, (last - first) * sizeof *y);
    for (size_t i = 0; i < size; i += d) {
        const double *restrict row = product->matrix + i * size;
        if (x[i] == 0 && x[i + 1] == 0 && x[i + d - 1] == 0)
            continue;
        if (d == 3) {
            double x0 = x[i], x1 = x[i + 1], x2 = x[i + 2];
            for (size_t c = first; c < last; c++)
                y[c] += x0 * row[c] + x1 * row[size + c] + x2 * row[2 * size + c];
        } else {
            double x0 = x[i], x1 = x[i + 1];
            for (size_t c = first; c < last; c++)
                y[c] += x0 * row[c] + x1 * row[size + c];
        }
    }
}

// y += C' lambda of one contact.
THAW_INLINE void to_ports(const int d, const ThawPorts *ports, int32_t i, const double *lambda, double *y) {
    for (int32_t k = ports->start[i]; k < ports->start[i + 1]; k++) {
        const double *C = ports->value + d * d * k;
        double *at = y + d * ports->port[k], sum[3];
        memcpy(sum, at, (size_t)d * sizeof *sum);
        for (int r = 0; r < d; r++)
            for (int c = 0; c < d; c++)
                sum[c] += C[d * r + c] * lambda[r];
        memcpy(at, sum, (size_t)d * sizeof *sum);
    }
}

// speed = C y of one contact.
THAW_INLINE void from_ports(const int d, const ThawPorts *ports, int32_t i, const double *y, double *speed) {
    double sum[3] = {0};
    for (int32_t k = ports->start[i]; k < ports->start[i + 1]; k++) {
        const double *C = ports->value + d * d * k, *at = y + d * ports->port[k];
        for (int r = 0; r < d; r++)
            for (int c = 0; c < d; c++)
                sum[r] += C[d * r + c] * at[c];
    }
    memcpy(speed, sum, (size_t)d * sizeof *sum);
}

void thaw_assembled_multiply(ThawResponse *island, const double *lambda) {
    int d = island->dim;
    for (int32_t p = 0; p < island->body_count; p++) {
        const ThawPart *part = island->parts + p;
        const int32_t *member = island->member + part->first_contact;
        double *share = island->share + (size_t)d * (size_t)part->first_contact;
        for (int32_t i = 0; i < part->contacts; i++)
            memcpy(share + d * i, lambda + d * member[i], (size_t)d * sizeof *share);
        if (part->motions == THAW_MOTIONS_ALL) {
            thaw_modes_multiply(island, p);
            continue;
        }
        const ThawPorts *ports = &part->ports;
        size_t size = size_of(island, part), first = (size_t)d * (size_t)part->first_contact;
        Product product = {island->H + part->H, share, island->speed + first, (size_t)d, size};
        if (ports->count > 0) {
            double *y = island->port_share + first;
            memset(y, 0, size * sizeof *y);
            for (int32_t i = 0; i < part->contacts; i++)
                if (d == 3)
                    to_ports(3, ports, i, share + 3 * i, y);
                else
                    to_ports(2, ports, i, share + 2 * i, y);
            product.x = y;
            product.y = island->port_speed + first;
        }
        thaw_tasks_for(size >= TASKS_FROM ? island->tasks : NULL, (int32_t)((size + CHUNK - 1) / CHUNK),
                       multiply_columns, &product);
        for (int32_t i = 0; ports->count > 0 && i < part->contacts; i++)
            if (d == 3)
                from_ports(3, ports, i, product.y, island->speed + first + 3 * i);
            else
                from_ports(2, ports, i, product.y, island->speed + first + 2 * i);
    }
}

// w of one row from the speeds its bodies keep.
THAW_INLINE void gather(const int d, const ThawResponse *island, int32_t i, const double *lambda, double *w) {
    const ThawRow *row = island->rows + i;
    for (int k = 0; k < d; k++)
        w[k] = island->b[d * i + k] + row->gamma[k] * lambda[k];
    for (int32_t s = 0; s < row->slots; s++) {
        const ThawPart *part = island->parts + row->part[s];
        const double *speed = island->speed + (size_t)d * (size_t)(part->first_contact + row->place[s]);
        double own[3];
        if (part->motions == THAW_MOTIONS_ALL) {
            thaw_modes_gather(island, row->part[s], thaw_row_modes(island, row, s), own);
            speed = own;
        } else if (part->ports.count > 0) {
            from_ports(d, &part->ports, row->place[s], island->port_speed + (size_t)d * (size_t)part->first_contact,
                       own);
            speed = own;
        }
        for (int k = 0; k < d; k++)
            w[k] += speed[k];
    }
}

// speed += rows of H, as many as dimensions, each by how much its impulse has changed.
static inline void add_rows(const size_t d, size_t size, const double *change, const double *restrict H,
                            double *restrict speed) {
    if (d == 3)
        for (size_t c = 0; c < size; c++)
            speed[c] += change[0] * H[c] + change[1] * H[size + c] + change[2] * H[2 * size + c];
    else
        for (size_t c = 0; c < size; c++)
            speed[c] += change[0] * H[c] + change[1] * H[size + c];
}

THAW_INLINE void relax(const int d, ThawResponse *island, int32_t i) {
    const ThawRow *row = island->rows + i;
    double *lambda = island->lambda + d * i, before[3], w[3], change[3] = {0};
    memcpy(before, lambda, (size_t)d * sizeof *lambda);
    gather(d, island, i, lambda, w);
    thaw_law_solve(d, island->options->friction, row, w, lambda);
    int moved = 0;
    for (int k = 0; k < d; k++) {
        change[k] = lambda[k] - before[k];
        moved |= change[k] != 0;
    }
    if (!moved)
        return;
    for (int32_t s = 0; s < row->slots; s++) {
        const ThawPart *part = island->parts + row->part[s];
        const ThawPorts *ports = &part->ports;
        if (part->motions == THAW_MOTIONS_ALL) {
            thaw_modes_scatter(island, row->part[s], thaw_row_modes(island, row, s), change);
            continue;
        }
        const double *H = island->H + part->H;
        const size_t size = size_of(island, part), first = (size_t)d * (size_t)part->first_contact;
        if (ports->count == 0)
            add_rows((size_t)d, size, change, H + (size_t)(d * row->place[s]) * size, island->speed + first);
        for (int32_t k = ports->start[row->place[s]]; ports->count > 0 && k < ports->start[row->place[s] + 1]; k++) {
            double at[3] = {0};
            for (int r = 0; r < d; r++)
                for (int c = 0; c < d; c++)
                    at[c] += ports->value[d * (d * k + r) + c] * change[r];
            add_rows((size_t)d, size, at, H + (size_t)(d * ports->port[k]) * size, island->port_speed + first);
        }
    }
}

THAW_INLINE void pass(const int d, ThawResponse *island, int backward) {
    const int32_t n = island->n;
    for (int32_t i = 0; i < n; i++)
        relax(d, island, backward ? n - 1 - i : i);
    for (int32_t i = 0; i < n; i++)
        gather(d, island, i, island->lambda + d * i, island->w + d * i);
}

static double sweep(ThawResponse *island, int backward) {
    if (island->dim == 3)
        pass(3, island, backward);
    else
        pass(2, island, backward);
    island->used++;
    return thaw_island_residual(island, island->w, island->lambda);
}

static ThawStatus run_sweeps(ThawResponse *island, int32_t sweeps, double *residual) {
    double left = *residual;
    int stopped = 0;
    for (int32_t k = 0; k < sweeps && left > island->options->tolerance && island->used < island->end && !stopped;
         k++) {
        left = sweep(island, k & 1);
        stopped = thaw_tasks_stopped(island->tasks);
    }
    *residual = left;
    return stopped ? THAW_CANCELLED : THAW_OK;
}

const ThawSmoother thaw_sweeps = {run_sweeps, .first = 8, .soon = 2, .between = 8, .pays = 1.0};
