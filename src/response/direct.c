// SPDX-License-Identifier: Apache-2.0
// The linear equations of krylov.c by elimination, for the assembled form and few unknowns.
//
// Hard contacts that lie close to each other on soft bodies make E (H + gamma) C + K nearly singular, and GMRES slow:
// it needs as many products as there are unknowns. Where H is at hand, some unknowns cost no more to eliminate than
// sixty products, and the answer is exact: up to 400 that are all joined to each other, and more in chains and heaps,
// where contacts are sorted by their bodies and a row ends with the last contact of them. Rows are exchanged for the
// largest pivot: the matrix is not symmetric where contacts slide.
//
// Cost: 2 b^2 flops for each unknown, b those that its row reaches over; 2/3 m^3 where that is all m.
#include <math.h>
#include <string.h>

#include "response/island.h"

static const double MOST_FLOPS = 2.0 / 3 * 401 * 401 * 401; // 400 unknowns that are all joined

// whole: of all rows of the contacts; or of the unknowns that links have.
static double find_flops(const ThawResponse *island, int whole, int32_t *size) {
    double flops = 0, reach = 0; // unknowns from here to the end of the rows so far
    int32_t end = 0;             // contacts until there
    *size = 0;
    for (int32_t i = 0; i < island->n; i++) {
        const ThawRow *row = island->rows + i;
        const int own = whole ? island->dim : island->links[i].size;
        for (int32_t s = 0; s < row->slots; s++) {
            const ThawPart *part = island->parts + row->part[s];
            const int32_t last = island->member[part->first_contact + part->contacts - 1];
            for (; end <= last; end++)
                reach += whole ? island->dim : island->links[end].size;
        }
        for (int k = 0; k < own; k++, reach--)
            flops += 2 * reach * reach;
        *size += own;
    }
    return flops;
}

static int is_small(const ThawResponse *island, int whole) {
    int32_t size;
    return find_flops(island, whole, &size) <= MOST_FLOPS && size <= THAW_DIRECT_MOST;
}

int thaw_direct_may_suit(const ThawResponse *island) { return is_small(island, 1); }

int thaw_direct_suits(const ThawResponse *island) {
    int rigid = 1;
    for (int32_t p = 0; p < island->body_count; p++)
        rigid &= island->parts[p].motions == THAW_MOTIONS_ALL;
    return island->form == 1 && !rigid && is_small(island, 0);
}

static double product_flops(const ThawResponse *island) {
    double product = 0.0;
    for (int32_t p = 0; p < island->body_count; p++) {
        double size =
            island->dim * (island->parts[p].ports.count > 0 ? island->parts[p].ports.count : island->parts[p].contacts);
        product += island->parts[p].motions == THAW_MOTIONS_ALL ? 4.0 * THAW_MODE_COUNT * size : 2 * size * size;
    }
    return product;
}

// Products with H that cost the same as eliminating m unknowns that are all joined.
int32_t thaw_direct_cost(const ThawResponse *island, int32_t m) {
    return 1 + (int32_t)(2.0 / 3 * m * m * (double)m / product_flops(island));
}

// M += E_i block C_j' at the unknowns of two contacts.
static void add_pair(int d, const ThawLink *a, const ThawLink *b, const double *block, double *M, size_t m) {
    for (int i = 0; i < a->size; i++)
        for (int j = 0; j < b->size; j++) {
            double sum = 0.0;
            for (int r = 0; r < d; r++)
                for (int s = 0; s < d; s++)
                    sum += a->E[d * i + r] * block[d * r + s] * b->C[d * j + s];
            M[(size_t)(a->first + i) * m + (size_t)(b->first + j)] += sum;
        }
}

static void add_part(const ThawResponse *island, int32_t p, double *M, size_t m) {
    const int d = island->dim;
    const ThawPart *part = island->parts + p;
    const int32_t *member = island->member + part->first_contact;
    for (int32_t i = 0; i < part->contacts; i++)
        for (int32_t j = 0; j < part->contacts; j++) {
            const ThawLink *a = island->links + member[i], *b = island->links + member[j];
            double block[9] = {0};
            if (part->motions != THAW_MOTIONS_ALL) {
                thaw_assembled_block(island, part, i, j, block);
                add_pair(d, a, b, block, M, m);
                continue;
            }
            const size_t row = (size_t)(d * THAW_MODE_LANES);
            const double *Bi = island->modes + row * (size_t)(part->first_contact + i);
            const double *Bj = island->modes + row * (size_t)(part->first_contact + j);
            for (int r = 0; r < d; r++)
                for (int s = 0; s < d; s++)
                    for (int k = 0; k < THAW_MODE_COUNT; k++)
                        block[d * r + s] += Bi[THAW_MODE_LANES * r + k] * Bj[THAW_MODE_LANES * s + k];
            add_pair(d, a, b, block, M, m);
        }
}

// end[r]: behind the last entry of row r that is not 0.
static void find_ends(size_t m, const double *M, size_t *end) {
    for (size_t r = 0; r < m; r++)
        for (end[r] = m; end[r] > 0 && M[r * m + end[r] - 1] == 0;)
            end[r]--;
}

// x = M^-1 x; M is used up. A pivot that vanishes leaves its unknown as it is. Contacts are sorted by their bodies, so
// that of a chain or heap of bodies each row reaches over few unknowns; what is behind its end is not touched.
static ThawStatus eliminate(const ThawTasks *tasks, size_t m, double *M, double *x, size_t *end) {
    find_ends(m, M, end);
    for (size_t k = 0; k < m; k++) {
        if (thaw_tasks_stopped(tasks))
            return THAW_CANCELLED;
        size_t pivot = k;
        for (size_t r = k + 1; r < m; r++)
            if (fabs(M[r * m + k]) > fabs(M[pivot * m + k]))
                pivot = r;
        const size_t last = end[pivot];
        end[pivot] = end[k];
        end[k] = last;
        for (size_t c = k; c < m && pivot != k; c++) {
            double swap = M[k * m + c];
            M[k * m + c] = M[pivot * m + c];
            M[pivot * m + c] = swap;
        }
        double swap = x[k];
        x[k] = x[pivot];
        x[pivot] = swap;
        const double *restrict top = M + k * m;
        if (top[k] == 0)
            continue;
        for (size_t r = k + 1; r < m; r++) {
            double *restrict row = M + r * m, factor = row[k] / top[k];
            if (factor == 0)
                continue;
            for (size_t c = k; c < last; c++)
                row[c] -= factor * top[c];
            end[r] = end[r] > last ? end[r] : last;
            x[r] -= factor * x[k];
        }
    }
    for (size_t k = m; k-- > 0;) {
        for (size_t c = k + 1; c < end[k]; c++)
            x[k] -= M[k * m + c] * x[c];
        x[k] = M[k * m + k] != 0 ? x[k] / M[k * m + k] : 0.0;
    }
    return THAW_OK;
}

ThawStatus thaw_direct_solve(ThawResponse *island, const double *w, double near, double *lambda) {
    const int d = island->dim;
    size_t m = 0;
    double *M, *x;
    size_t *end;
    for (int32_t i = 0; i < island->n; i++) {
        island->links[i].first = (int32_t)m;
        m += (size_t)island->links[i].size;
    }
    ThawStatus status = THAW_TAKE(island, THAW_BUFFER_DIRECT, m * m + 2 * m, &M);
    if (status < 0)
        return status;
    x = M + m * m;
    end = (size_t *)(x + m);
    memset(M, 0, (m * m + m) * sizeof *M);
    for (int32_t p = 0; p < island->body_count; p++)
        add_part(island, p, M, m);
    for (int32_t i = 0; i < island->n; i++) {
        const ThawLink *link = island->links + i;
        const ThawRow *row = island->rows + i;
        for (int a = 0; a < link->size; a++) {
            double *at = M + (size_t)(link->first + a) * m + (size_t)link->first;
            double own = 0.0;
            for (int b = 0; b < link->size; b++) {
                at[b] += link->K[link->size * a + b];
                for (int k = 0; k < d; k++)
                    at[b] += link->E[d * a + k] * row->gamma[k] * link->C[d * b + k];
            }
            for (int r = 0; r < d; r++) {
                x[link->first + a] -= link->E[d * a + r] * w[d * i + r];
                for (int s = 0; s < d; s++)
                    own += link->E[d * a + r] * row->D[d * r + s] * link->C[d * a + s];
            }
            at[a] += near * fabs(own);
        }
    }
    status = eliminate(island->tasks, m, M, x, end);
    if (status < 0)
        return status;
    int32_t size;
    island->used += 1 + (int32_t)(find_flops(island, 0, &size) / product_flops(island));
    for (int32_t i = 0; i < island->n; i++)
        for (int a = 0; a < island->links[i].size; a++)
            for (int k = 0; k < d; k++)
                lambda[d * i + k] += island->links[i].C[d * a + k] * x[island->links[i].first + a];
    return THAW_OK;
}
