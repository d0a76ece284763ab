// SPDX-License-Identifier: Apache-2.0
// The assembled form: H = J A^-1 J' (solids paper, equation 13) body by body, and projected Gauss-Seidel (equations 14,
// 15) over the contacts in canonical order.
//
// A body gives J A^-1 J' of its own contacts' rows; a contact between two bodies sums two blocks. H is never put together
// over the island: each body keeps a full square over its own contacts, so that a chain of bodies costs its sum and not its
// square; rigid bodies keep six numbers (modes.c). Each body also keeps its part of u = H lambda, and a contact whose impulse
// changes adds its three rows to it: a sweep is sum_b (dim n_b)^2 multiply-adds, all on contiguous rows.
//
// Sweeps alternate in direction. They settle quickly who touches, sticks and slides, and slowly how much: information
// moves by one contact a sweep up a stack. So they take turns with Newton's method (newton.c).
#include <math.h>
#include <string.h>

#include "response/island.h"

enum { CHUNK = 256, TASKS_FROM = 512 };

// --- H ---------------------------------------------------------------------------------------------------------------

static int slot_of(const ThawRow *row, int32_t part) { return row->slots == 2 && row->part[1] == part; }

// A part's rows over its vertices, and what it answers to them.
static void call_compliance(void *context, int32_t index) {
    ThawResponse *island = context;
    ThawPart *part = island->parts + index;
    const ThawResponseBody *body = island->bodies + index;
    const int d = island->dim;
    int32_t *start = island->J_start + part->first_contact + index, *vertex = island->J_vertex + part->first_entry;
    double *value = island->J_value + (size_t)(d * d) * (size_t)part->first_entry;
    part->status = THAW_OK;
    if (part->vertices == 0 || part->motions == THAW_MOTIONS_ALL)
        return;
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
    ThawBlockRows J = {part->contacts, d, start, vertex, value};
    part->status = body->compliance(body->context, &J, island->H + part->H);
}

ThawStatus thaw_assembled_prepare(ThawResponse *island) {
    int d = island->dim;
    size_t H = 0, members = 0, entries = 0;
    for (int32_t p = 0; p < island->body_count; p++) {
        ThawPart *part = island->parts + p;
        size_t c = (size_t)d * (size_t)part->contacts;
        part->H = H;
        part->first_entry = (int32_t)entries;
        members += (size_t)part->contacts + 1;
        entries += (size_t)part->entries;
        if (part->motions != THAW_MOTIONS_ALL)
            H += c * c;
    }
    ThawStatus status = THAW_TAKE(island, THAW_BUFFER_H, H, &island->H);
    if (status == THAW_OK)
        status = THAW_TAKE(island, THAW_BUFFER_J, members + entries, &island->J_start);
    if (status == THAW_OK)
        status = THAW_TAKE(island, THAW_BUFFER_J_VALUE, (size_t)(d * d) * entries, &island->J_value);
    if (status < 0)
        return status;
    island->J_vertex = island->J_start + members;
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
            size_t stride = (size_t)d * (size_t)part->contacts;
            if (part->motions == THAW_MOTIONS_ALL) {
                thaw_modes_own_block(island, row, s, row->D);
                continue;
            }
            const double *block = island->H + part->H + (size_t)(d * row->place[s]) * (stride + 1);
            for (int r = 0; r < d; r++)
                for (int c = 0; c < d; c++)
                    row->D[d * r + c] += block[(size_t)r * stride + (size_t)c];
        }
    }
    return THAW_OK;
}

// --- products and sweeps ---------------------------------------------------------------------------------------------

typedef struct Product {
    ThawResponse *island;
    const ThawPart *part;
} Product;

// speed[columns] += x0 row0 + x1 row1 + ...: rows of a symmetric matrix are its columns, and each sum is in row order.
static void multiply_columns(void *context, int32_t chunk) {
    const Product *product = context;
    ThawResponse *island = product->island;
    const ThawPart *part = product->part;
    size_t d = (size_t)island->dim, size = d * (size_t)part->contacts;
    size_t first = (size_t)chunk * CHUNK, last = first + CHUNK < size ? first + CHUNK : size;
    const double *x = island->share + d * (size_t)part->first_contact;
    double *restrict y = island->speed + d * (size_t)part->first_contact;
    memset(y + first, 0, (last - first) * sizeof *y);
    for (size_t i = 0; i < size; i += d) {
        const double *restrict row = island->H + part->H + i * size;
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
        Product product = {island, part};
        int32_t size = d * part->contacts;
        thaw_tasks_for(size >= TASKS_FROM ? island->tasks : NULL, (size + CHUNK - 1) / CHUNK, multiply_columns,
                       &product);
    }
}

// w of one row from the speeds its bodies keep.
static void gather(const ThawResponse *island, int32_t i, const double *lambda, double *w) {
    int d = island->dim;
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
        }
        for (int k = 0; k < d; k++)
            w[k] += speed[k];
    }
}

static void relax(ThawResponse *island, int32_t i) {
    int d = island->dim;
    const ThawRow *row = island->rows + i;
    double *lambda = island->lambda + d * i, before[3], w[3], change[3] = {0};
    memcpy(before, lambda, (size_t)d * sizeof *lambda);
    gather(island, i, lambda, w);
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
        size_t size = (size_t)d * (size_t)part->contacts;
        if (part->motions == THAW_MOTIONS_ALL) {
            thaw_modes_scatter(island, row->part[s], thaw_row_modes(island, row, s), change);
            continue;
        }
        const double *restrict H = island->H + part->H + (size_t)(d * row->place[s]) * size;
        double *restrict speed = island->speed + (size_t)d * (size_t)part->first_contact;
        if (d == 3)
            for (size_t c = 0; c < size; c++)
                speed[c] += change[0] * H[c] + change[1] * H[size + c] + change[2] * H[2 * size + c];
        else
            for (size_t c = 0; c < size; c++)
                speed[c] += change[0] * H[c] + change[1] * H[size + c];
    }
}

static double sweep(ThawResponse *island, int backward) {
    int32_t n = island->n;
    for (int32_t i = 0; i < n; i++)
        relax(island, backward ? n - 1 - i : i);
    for (int32_t i = 0; i < n; i++)
        gather(island, i, island->lambda + island->dim * i, island->w + island->dim * i);
    island->used++;
    return thaw_island_residual(island, island->w, island->lambda);
}

static ThawStatus run_sweeps(ThawResponse *island, int32_t sweeps, double *residual) {
    double left = *residual;
    for (int32_t k = 0; k < sweeps && left > island->options->tolerance && island->used < island->end; k++)
        left = sweep(island, k & 1);
    *residual = left;
    return THAW_OK;
}

const ThawSmoother thaw_sweeps = {run_sweeps, .first = 8, .between = 8, .pays = 1.0};
