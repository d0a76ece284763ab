// SPDX-License-Identifier: Apache-2.0
// Splitting a web in two by a light separator, on many levels (Hendrickson and Leland 1995, Karypis and Kumar 1998).
//
// Neighbours are merged in pairs, those joined by most edges first, until about a hundred vertices are left; there,
// sides are grown from several seeds and the lightest separator wins; on the way back each level hands its separator to
// the finer one, where it is refined (dissect_refine.c). The smaller webs are cheap, so from the middle on this is done
// twice. What is far apart is decided on the coarse webs, what is near on the fine ones. The cost is a few passes over
// the edges, since each level has about half the vertices of the one before.
//
// Where that is too much, half of the web is taken as it is met on the way from one end (George 1973's level sets), and
// the boundary is refined: an eighth of the cost, and separators that make 5 percent more operations on the mean, 30 at
// most. With the way from the other end, and both ways at once, it takes twice as long, and is as good as many levels.
#include <string.h>

#include "sparse/dissect.h"

// Vertices of the web on which several splits are tried, and of the coarsest one; tries and seeds on them.
enum { MIDDLE = 3000, TRIES = 2, COARSEST = 100, SEEDS = 5, MOST_LEVELS = 48 };

// A linear congruential stream (Knuth's multiplier), the same for every split.
static uint32_t draw(uint64_t *stream, uint32_t below) {
    *stream = *stream * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*stream >> 32) * below >> 32);
}

void thaw_web_free(ThawWeb **web) {
    if (!*web)
        return;
    thaw_free((*web)->offset);
    thaw_free((*web)->neighbour);
    thaw_free((*web)->edge);
    thaw_free((*web)->weight);
    thaw_free(*web);
    *web = NULL;
}

ThawStatus thaw_web_create(int32_t n, int32_t ends, ThawWeb **web, ThawError *error) {
    ThawWeb *w = *web = THAW_NEW(ThawWeb, 1);
    if (w) {
        w->n = n;
        w->offset = THAW_NEW(int32_t, (size_t)n + 1);
        w->neighbour = THAW_NEW(int32_t, ends);
        w->edge = THAW_NEW(int32_t, ends);
        w->weight = THAW_NEW(int32_t, n);
        if (w->offset && w->neighbour && w->edge && w->weight)
            return THAW_OK;
    }
    thaw_web_free(web);
    return thaw_error_memory(error, "nested dissection");
}

// --- coarser ---------------------------------------------------------------------------------------------------------

// A random order of the vertices, those with few neighbours first: they have the least choice.
static void visiting_order(const ThawWeb *web, uint64_t *stream, int32_t *start, int32_t *shuffled, int32_t *order) {
    int32_t n = web->n, cap = web->offset[n] / (n ? n : 1) + 1; // above the mean, degrees do not matter
    for (int32_t i = 0; i < n; i++) {
        int32_t j = (int32_t)draw(stream, (uint32_t)i + 1);
        shuffled[i] = shuffled[j];
        shuffled[j] = i;
    }
    memset(start, 0, sizeof *start * ((size_t)cap + 2));
    for (int turn = 0; turn < 2; turn++) {
        for (int32_t i = 0; i < n; i++) {
            int32_t v = shuffled[i], degree = web->offset[v + 1] - web->offset[v];
            degree = degree < cap ? degree : cap;
            if (turn)
                order[start[degree]++] = v;
            else
                start[degree + 1]++;
        }
        for (int32_t d = 0; !turn && d <= cap; d++)
            start[d + 1] += start[d];
    }
}

// partner[v]: what v merges with, v itself if nothing. Neighbours first; then those left over that share a neighbour,
// without which stars would not shrink.
static int32_t match(const ThawWeb *web, int32_t heaviest, const int32_t *order, uint64_t *stream, int32_t *waiting,
                     int32_t *partner) {
    int32_t n = web->n, pairs = 0;
    for (int32_t v = 0; v < n; v++)
        partner[v] = waiting[v] = -1;
    for (int32_t i = 0; i < n; i++) {
        int32_t v = order[i], best = -1, strength = 0;
        if (partner[v] >= 0)
            continue;
        // From a random one on, so that of equal neighbours none is preferred: pairs would all point the same way.
        int32_t first = web->offset[v], degree = web->offset[v + 1] - first;
        for (int32_t k = 0, at = degree ? (int32_t)draw(stream, (uint32_t)degree) : 0; k < degree; k++, at++) {
            int32_t e = first + (at < degree ? at : at - degree), u = web->neighbour[e];
            if (partner[u] < 0 && web->edge[e] > strength && web->weight[u] + web->weight[v] <= heaviest) {
                best = u;
                strength = web->edge[e];
            }
        }
        if (best >= 0) {
            partner[v] = best;
            partner[best] = v;
            pairs++;
        }
    }
    int32_t alone = -1; // a vertex without neighbours, waiting for another
    for (int32_t v = 0; v < n; v++) {
        int32_t first = web->offset[v], last = web->offset[v + 1], best = -1;
        if (partner[v] >= 0)
            continue;
        if (first == last)
            best = alone;
        for (int32_t e = first; e < last && best < 0; e++)
            best = waiting[web->neighbour[e]];
        if (best >= 0 && partner[best] < 0 && web->weight[best] + web->weight[v] <= heaviest) {
            partner[v] = best;
            partner[best] = v;
            pairs++;
        } else if (first == last) {
            alone = v;
        } else {
            for (int32_t e = first; e < last; e++)
                waiting[web->neighbour[e]] = v;
        }
    }
    for (int32_t v = 0; v < n; v++)
        if (partner[v] < 0)
            partner[v] = v;
    return n - pairs;
}

// Merges partners. merged[v]: the coarse vertex of v. `seen`: n, scratch.
static void merge(const ThawWeb *web, const int32_t *partner, int32_t *merged, int32_t *seen, ThawWeb *coarse) {
    int32_t n = 0, end = 0;
    for (int32_t v = 0; v < web->n; v++)
        if (partner[v] >= v) {
            merged[v] = merged[partner[v]] = n;
            seen[n++] = -1;
        }
    coarse->n = n;
    coarse->total = web->total;
    for (int32_t v = 0, c = 0; v < web->n; v++) {
        if (partner[v] < v)
            continue;
        int32_t begin = end;
        for (int32_t u = v;; u = partner[v]) {
            coarse->weight[c] += web->weight[u];
            for (int32_t e = web->offset[u]; e < web->offset[u + 1]; e++) {
                int32_t other = merged[web->neighbour[e]];
                if (other == c)
                    continue;
                if (seen[other] < begin) {
                    seen[other] = end;
                    coarse->neighbour[end++] = other;
                }
                coarse->edge[seen[other]] += web->edge[e];
            }
            if (u == partner[v])
                break;
        }
        coarse->offset[++c] = end;
    }
}

// --- the coarsest web ------------------------------------------------------------------------------------------------

// Turns the boundary of either side into the separator, the lighter one.
static void part_sides(const ThawWeb *web, unsigned char *side) {
    int32_t n = web->n, boundary[2] = {0, 0};
    for (int turn = 0; turn < 2; turn++) {
        int lighter = boundary[THAW_LEFT] < boundary[THAW_RIGHT] ? THAW_LEFT : THAW_RIGHT;
        for (int32_t v = 0; v < n; v++)
            for (int32_t e = web->offset[v]; e < web->offset[v + 1]; e++) {
                int32_t u = web->neighbour[e];
                if (turn == 0 && side[v] != side[u]) {
                    boundary[side[v]] += web->weight[v];
                    break;
                }
                // A separator vertex stands for its old side as long as the other side still touches it.
                if (turn == 1 && side[v] == lighter && side[u] == 1 - lighter) {
                    side[v] = THAW_SEPARATOR;
                    break;
                }
            }
    }
}

// Grows the left side from `seed`, ring by ring, to half the weight.
static void grow(const ThawWeb *web, int32_t seed, int32_t *queue, unsigned char *side) {
    int32_t n = web->n, head = 0, tail = 0, weight = 0, next = 0;
    memset(side, THAW_RIGHT, (size_t)n);
    queue[tail++] = seed;
    side[seed] = THAW_LEFT;
    while (2 * (weight += web->weight[queue[head]]) < web->total) {
        int32_t v = queue[head++];
        for (int32_t e = web->offset[v]; e < web->offset[v + 1]; e++)
            if (side[web->neighbour[e]] == THAW_RIGHT) {
                side[web->neighbour[e]] = THAW_LEFT;
                queue[tail++] = web->neighbour[e];
            }
        if (head == tail) { // this component is used up
            while (side[next] == THAW_LEFT)
                next++;
            side[next] = THAW_LEFT;
            queue[tail++] = next;
        }
    }
    for (int32_t i = head + 1; i < tail; i++) // seen, but not reached
        side[queue[i]] = THAW_RIGHT;
    part_sides(web, side);
}

// Grows both sides, each from a seed of its own, the lighter one first: where they meet is as far from one as from the
// other. What neither reaches goes to the right. The left side's queue fills from the front, the right one's from
// behind.
static void grow_both(const ThawWeb *web, const int32_t seed[2], int32_t *queue, unsigned char *side) {
    int32_t n = web->n, head[2] = {0, n - 1}, tail[2] = {0, n - 1}, weight[2] = {0, 0};
    const int32_t step[2] = {1, -1};
    memset(side, THAW_SEPARATOR, (size_t)n); // not reached
    for (int s = 0; s < 1 + (seed[0] != seed[1]); s++) {
        side[seed[s]] = (unsigned char)s;
        queue[tail[s]] = seed[s];
        tail[s] += step[s];
    }
    while (head[0] != tail[0] || head[1] != tail[1]) {
        int s = head[0] == tail[0] || (head[1] != tail[1] && weight[1] < weight[0]);
        int32_t v = queue[head[s]];
        head[s] += step[s];
        weight[s] += web->weight[v];
        for (int32_t e = web->offset[v]; e < web->offset[v + 1]; e++)
            if (side[web->neighbour[e]] == THAW_SEPARATOR) {
                side[web->neighbour[e]] = (unsigned char)s;
                queue[tail[s]] = web->neighbour[e];
                tail[s] += step[s];
            }
    }
    for (int32_t v = 0; v < n; v++)
        side[v] = side[v] == THAW_SEPARATOR ? THAW_RIGHT : side[v];
    part_sides(web, side);
}

static ThawStatus split_coarsest(const ThawWeb *web, ThawRefiner *refiner, uint64_t *stream, unsigned char *side,
                                 ThawSplitCost *best, ThawError *error) {
    int32_t *queue = THAW_NEW(int32_t, web->n);
    unsigned char *trial = THAW_NEW(unsigned char, web->n);
    ThawStatus status = queue && trial ? THAW_OK : thaw_error_memory(error, "nested dissection");
    for (int i = 0; i < SEEDS && status == THAW_OK; i++) {
        grow(web, (int32_t)draw(stream, (uint32_t)web->n), queue, trial);
        ThawSplitCost cost = thaw_separator_refine(web, refiner, trial);
        if (i == 0 || thaw_split_better(cost, *best)) {
            *best = cost;
            memcpy(side, trial, (size_t)web->n);
        }
    }
    thaw_free(queue);
    thaw_free(trial);
    return status;
}

// --- all levels ------------------------------------------------------------------------------------------------------

typedef struct Levels {
    int count;
    ThawWeb *web[MOST_LEVELS];        // web[0] is coarser than what is split
    int32_t *merged[MOST_LEVELS];     // from the finer web's vertices to web[i]'s
    int32_t *order, *scratch, *other; // one entry a vertex of the finest web, and two more
} Levels;

// Adds levels until a web has at most `goal` vertices, or merging does not pay any more. The coarsest goes to *last.
static ThawStatus coarsen(const ThawWeb *finest, int32_t goal, Levels *levels, uint64_t *stream, const ThawWeb **last,
                          ThawError *error) {
    ThawStatus status = THAW_OK;
    // Coarse vertices may not become so heavy that no balanced split is left.
    int32_t heaviest = 3 * (finest->total / COARSEST) / 2 + 1;
    *last = finest;
    while (status == THAW_OK && (*last)->n > goal && levels->count < MOST_LEVELS) {
        const ThawWeb *web = *last;
        int i = levels->count;
        visiting_order(web, stream, levels->scratch, levels->other, levels->order);
        int32_t n = match(web, heaviest, levels->order, stream, levels->scratch, levels->other);
        if (20 * (int64_t)n > 19 * (int64_t)web->n)
            break;
        levels->merged[i] = THAW_NEW(int32_t, web->n);
        levels->count++;
        status = levels->merged[i] ? thaw_web_create(n, web->offset[web->n], &levels->web[i], error)
                                   : thaw_error_memory(error, "nested dissection");
        if (status == THAW_OK) {
            merge(web, levels->other, levels->merged[i], levels->scratch, levels->web[i]);
            *last = levels->web[i];
        }
    }
    return status;
}

// Drops levels until `keep` are left, handing the split down to finer and finer webs.
static ThawSplitCost descend(const ThawWeb *finest, int keep, Levels *levels, ThawRefiner *refiner,
                             unsigned char *side) {
    ThawSplitCost cost = {0};
    while (levels->count > keep) {
        int i = --levels->count;
        const ThawWeb *finer = i ? levels->web[i - 1] : finest;
        // In place, from behind: a vertex' coarse number is never above its own.
        for (int32_t v = finer->n - 1; v >= 0; v--)
            side[v] = side[levels->merged[i][v]];
        cost = thaw_separator_refine(finer, refiner, side);
        thaw_web_free(&levels->web[i]);
        thaw_free(levels->merged[i]);
    }
    return cost;
}

// Down to the coarsest web and back, `TRIES` times with other pairs; the best split counts.
static ThawStatus split_middle(const ThawWeb *web, Levels *levels, ThawRefiner *refiner, uint64_t *stream,
                               unsigned char *side, unsigned char *trial, ThawError *error) {
    ThawSplitCost best = {0};
    ThawStatus status = THAW_OK;
    int keep = levels->count;
    for (int i = 0; i < TRIES && status == THAW_OK; i++) {
        const ThawWeb *coarsest;
        ThawSplitCost cost;
        status = coarsen(web, COARSEST, levels, stream, &coarsest, error);
        if (status == THAW_OK)
            status = split_coarsest(coarsest, refiner, stream, trial, &cost, error);
        if (status == THAW_OK && levels->count > keep)
            cost = descend(web, keep, levels, refiner, trial);
        if (status == THAW_OK && (i == 0 || thaw_split_better(cost, best))) {
            best = cost;
            memcpy(side, trial, (size_t)web->n);
        }
    }
    return status;
}

ThawStatus thaw_web_split(const ThawWeb *web, unsigned char *side, ThawError *error) {
    size_t n = (size_t)web->n;
    uint64_t stream = 1;
    Levels levels = {
        .order = THAW_NEW(int32_t, n + 2), .scratch = THAW_NEW(int32_t, n + 3), .other = THAW_NEW(int32_t, n + 2)};
    ThawRefiner *refiner = NULL;
    unsigned char *trial = THAW_NEW(unsigned char, n);
    ThawStatus status = levels.order && levels.scratch && levels.other && trial
                            ? thaw_refiner_create(web->n, &refiner, error)
                            : thaw_error_memory(error, "nested dissection");
    const ThawWeb *middle;
    if (status == THAW_OK)
        status = coarsen(web, MIDDLE, &levels, &stream, &middle, error);
    if (status == THAW_OK)
        status = split_middle(middle, &levels, refiner, &stream, side, trial, error);
    if (status == THAW_OK)
        descend(web, 0, &levels, refiner, side);
    for (int i = 0; i < levels.count; i++) {
        thaw_web_free(&levels.web[i]);
        thaw_free(levels.merged[i]);
    }
    thaw_free(levels.order);
    thaw_free(levels.scratch);
    thaw_free(levels.other);
    thaw_free(trial);
    thaw_refiner_free(&refiner);
    return status;
}

// The vertex that a search from `seed` meets last.
static int32_t farthest(const ThawWeb *web, int32_t seed, int32_t *queue, unsigned char *seen) {
    int32_t head = 0, tail = 0;
    memset(seen, 0, (size_t)web->n);
    queue[tail++] = seed;
    seen[seed] = 1;
    while (head < tail) {
        int32_t v = queue[head++];
        for (int32_t e = web->offset[v]; e < web->offset[v + 1]; e++)
            if (!seen[web->neighbour[e]]) {
                seen[web->neighbour[e]] = 1;
                queue[tail++] = web->neighbour[e];
            }
    }
    return queue[tail - 1];
}

// Grows a side from one end; from the other one; both sides, from both ends. The best of the first `tries` of them.
static ThawStatus halve(const ThawWeb *web, int tries, unsigned char *side, ThawError *error) {
    int32_t *queue = THAW_NEW(int32_t, web->n);
    unsigned char *trial = THAW_NEW(unsigned char, web->n);
    ThawRefiner *refiner = NULL;
    ThawStatus status =
        queue && trial ? thaw_refiner_create(web->n, &refiner, error) : thaw_error_memory(error, "nested dissection");
    ThawSplitCost best = {0};
    int32_t end[2] = {0, 0};
    if (status == THAW_OK) {
        end[0] = farthest(web, 0, queue, side);
        end[1] = farthest(web, end[0], queue, side);
    }
    for (int i = 0; i < tries && status == THAW_OK; i++) {
        if (i < 2)
            grow(web, end[1 - i], queue, trial);
        else
            grow_both(web, end, queue, trial);
        ThawSplitCost cost = thaw_separator_refine(web, refiner, trial);
        if (i == 0 || thaw_split_better(cost, best)) {
            best = cost;
            memcpy(side, trial, (size_t)web->n);
        }
    }
    thaw_refiner_free(&refiner);
    thaw_free(queue);
    thaw_free(trial);
    return status;
}

ThawStatus thaw_web_halve(const ThawWeb *web, unsigned char *side, ThawError *error) {
    return halve(web, 1, side, error);
}

ThawStatus thaw_web_halve_well(const ThawWeb *web, unsigned char *side, ThawError *error) {
    return halve(web, 3, side, error);
}
