// SPDX-License-Identifier: Apache-2.0
// Seams: which place along one edge every vertex of another is sewn to, by the share of its way along.
//
// The vertices of a group are a chain where mesh edges join them one after another: edges of the rim, or, where the
// group has none of these, any edges. Two chains are laid along each other by arc length at rest; which end goes to
// which, and of closed chains where they begin, is what makes the squares of the distances least when the seam begins.
// So both edges may be curved and have other vertices, and a longer one is gathered evenly. Linear but for a search
// over the beginnings of closed chains.
#include "model/seam.h"

#include <math.h>
#include <string.h>

#include "math/vec3.h"

void thaw_chain_clear(ThawChain *chain) {
    thaw_free(chain->vertex);
    thaw_free(chain->along);
    *chain = (ThawChain){0};
}

// Up to two neighbours of a vertex in its chain; -1: none. Zero where there are more.
static int join(int32_t (*next)[2], int32_t a, int32_t b) {
    const int32_t ends[2][2] = {{a, b}, {b, a}};
    for (int i = 0; i < 2; i++) {
        int32_t *at = next[ends[i][0]];
        if (at[0] == ends[i][1] || at[1] == ends[i][1])
            continue;
        if (at[0] >= 0 && at[1] >= 0)
            return 0;
        at[at[0] >= 0] = ends[i][1];
    }
    return 1;
}

// Whether edges of the rim (or any) join the vertices that are inside, at most two each.
static int find_neighbours(const ThawShape *shape, const unsigned char *inside, int rim, int32_t (*next)[2]) {
    const int nodes = shape->cells->kind->nodes;
    int good = 1, any = 0;
    for (int32_t v = 0; v < shape->nv; v++)
        next[v][0] = next[v][1] = -1;
    for (int32_t i = 0; i < 3 * shape->ne; i++) {
        const int32_t *element = shape->cells->elements + (size_t)(i / 3) * (size_t)nodes;
        const int32_t a = element[(i + 1) % 3], b = element[(i + 2) % 3];
        if (!inside[a] || !inside[b] || (rim && shape->across[i] >= 0))
            continue;
        any = 1;
        good &= join(next, a, b);
    }
    return any && good;
}

// Walks from an end, or from the lowest vertex of a closed one. Zero where not all are reached.
static int walk(const ThawGroup *group, int32_t (*next)[2], ThawChain *chain) {
    int32_t first = group->vertices[0], last = -1;
    for (int32_t i = group->count - 1; i >= 0; i--)
        if (next[group->vertices[i]][1] < 0)
            first = group->vertices[i];
    chain->closed = next[first][1] >= 0;
    for (int32_t v = first; v >= 0;) {
        const int32_t to = next[v][0] != last ? next[v][0] : next[v][1];
        if (chain->count == group->count)
            return 0;
        chain->vertex[chain->count++] = v;
        last = v;
        v = to == first && chain->count > 2 ? -1 : to;
    }
    return chain->count == group->count && chain->count > 1;
}

ThawStatus thaw_chain_find(const char *where, const ThawShape *shape, const ThawGroup *group, ThawChain *chain,
                           ThawError *error) {
    unsigned char *inside = THAW_NEW(unsigned char, shape->nv);
    int32_t(*next)[2] = thaw_alloc((size_t)shape->nv, sizeof *next);
    *chain = (ThawChain){.vertex = THAW_NEW(int32_t, group->count), .along = THAW_NEW(double, group->count + 1)};
    ThawStatus status = inside && next && chain->vertex && chain->along ? THAW_OK : thaw_error_memory(error, "a seam");
    for (int32_t i = 0; status == THAW_OK && i < group->count; i++)
        inside[group->vertices[i]] = 1;
    if (status == THAW_OK && !(find_neighbours(shape, inside, 1, next) && walk(group, next, chain))) {
        chain->count = 0;
        if (!(find_neighbours(shape, inside, 0, next) && walk(group, next, chain)))
            status = thaw_error_set(error, THAW_ERROR_INPUT,
                                    "%s: group %s of shape %s is no chain of edges; allowed along a seam: vertices of "
                                    "which each is joined to the next one by an edge of the sheet",
                                    where, group->name, shape->name);
    }
    thaw_free(inside);
    thaw_free(next);
    for (int32_t i = 1; status == THAW_OK && i < chain->count + chain->closed; i++) {
        const double *a = shape->X + 3 * (size_t)chain->vertex[i - 1];
        const double *b = shape->X + 3 * (size_t)chain->vertex[i % chain->count];
        double e[3];
        thaw_v3_sub(b, a, e);
        chain->along[i] = chain->along[i - 1] + thaw_v3_norm(e);
    }
    return status;
}

void thaw_chain_at(const ThawChain *chain, double share, int32_t vertex[2], double weight[2]) {
    const int32_t edges = chain->count - 1 + chain->closed;
    const double at = (chain->closed ? share - floor(share) : share) * chain->along[edges];
    int32_t lo = 0, hi = edges - 1;
    while (lo < hi) {
        const int32_t middle = lo + (hi - lo + 1) / 2;
        if (chain->along[middle] <= at)
            lo = middle;
        else
            hi = middle - 1;
    }
    const double s = (at - chain->along[lo]) / (chain->along[lo + 1] - chain->along[lo]);
    vertex[0] = chain->vertex[lo];
    vertex[1] = chain->vertex[(lo + 1) % chain->count];
    weight[1] = fmin(1, fmax(0, s));
    weight[0] = 1 - weight[1];
}

double thaw_chain_share(const ThawChain *chain, int32_t i, const ThawLay *lay) {
    double share = chain->along[i] / chain->along[chain->count - 1 + chain->closed] - lay->start;
    share -= chain->closed ? floor(share) : 0;
    return lay->shift + (lay->back ? -share : share);
}

static double apart(const double *const x_of[2], const ThawChain *const chain[2], const ThawLay *lay) {
    double sum = 0;
    for (int32_t i = 0; i < chain[0]->count; i++) {
        double x[3], weight[2];
        int32_t vertex[2];
        thaw_chain_at(chain[1], thaw_chain_share(chain[0], i, lay), vertex, weight);
        thaw_v3_copy(x_of[0] + 3 * (size_t)chain[0]->vertex[i], x);
        for (int k = 0; k < 2; k++)
            thaw_v3_add(x, -weight[k], x_of[1] + 3 * (size_t)vertex[k], x);
        sum += thaw_v3_dot(x, x);
    }
    return sum;
}

ThawLay thaw_chain_lay(const double *const x_of[2], const ThawChain *const chain[2]) {
    const ThawChain *turns = chain[1]->closed ? chain[1] : chain[0]->closed ? chain[0] : NULL;
    const int32_t beginnings = turns ? turns->count : 1;
    ThawLay best = {0};
    double least = INFINITY;
    for (int32_t b = 0; b < beginnings; b++)
        for (int back = 0; back < 2; back++) {
            const double begin = turns ? turns->along[b] / turns->along[turns->count] : 0;
            const ThawLay lay = turns == chain[1] ? (ThawLay){begin, 0, back} : (ThawLay){back ? 1 : 0, begin, back};
            const double sum = apart(x_of, chain, &lay);
            if (sum < least) {
                least = sum;
                best = lay;
            }
        }
    return best;
}
