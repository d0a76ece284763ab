// SPDX-License-Identifier: Apache-2.0
// The analysis: everything about the factorisation that follows from the pattern of blocks and an order of elimination.
//
//   order        nested dissection of the block graph (order.c), or what the caller has: the order of the whole mesh
//                restricted to the active rows (thaw_order_restrict), which costs nothing
//   tree         Liu's elimination tree (1990), postordered
//   counts       rows of each column of L from the leaves of row subtrees (Gilbert, Ng and Peyton 1994)
//   supernodes   columns whose rows agree; then children are merged into their parents while that adds few zeros
//   rows         row i of L belongs to the nodes on the ways from the blocks A_ij up to i; walking them with i
//   ascending
//                lists every node's rows in order, without sorting and without merging
//   updates      a node's rows, cut where the owner of the column changes
//   tasks        subtrees of at most a sixteenth of the work; what is above them is computed node by node
//
// All in block rows: nine times fewer indices than scalars. Cost: O(blocks of A) and one step for each row of each
// node, less than the numeric factorisation even for a tenth of a mesh.
#include <string.h>

#include "sparse/ldl_impl.h"

// Scratch of the analysis, by label: the position in the caller's order.
typedef struct Analysis {
    int32_t n;
    int32_t *lower;  // n + 1 offsets: blocks of row i to the left of the diagonal
    int32_t *col;    // their columns
    int32_t *source; // their positions in the matrix, complemented if transposed there
    int32_t *upper;  // n + 1 offsets into below: blocks of column j under the diagonal
    int32_t *below;
    int32_t *parent, *post, *first, *count; // the tree; post[k]: k-th in postorder; first descendant; rows of L
    int32_t *work[4];                       // n each
    int32_t *cols, *rows, *up, *into; // of supernodes before the final numbering; `into`: what they were merged into
    double *zeros;
} Analysis;

static ThawStatus allocate_analysis(const ThawBlockPattern *pattern, Analysis *a, ThawError *error) {
    int32_t n = pattern->n, blocks = pattern->row[n] - n;
    *a = (Analysis){.n = n};
    int32_t **arrays[] = {&a->parent,  &a->post,    &a->first, &a->count, &a->work[0], &a->work[1],
                          &a->work[2], &a->work[3], &a->cols,  &a->rows,  &a->up,      &a->into};
    int good = 1;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        good = (*arrays[i] = THAW_NEW(int32_t, n)) && good;
    a->lower = THAW_NEW(int32_t, n + 2);
    a->upper = THAW_NEW(int32_t, n + 2);
    a->col = THAW_NEW(int32_t, blocks);
    a->source = THAW_NEW(int32_t, blocks);
    a->below = THAW_NEW(int32_t, blocks);
    a->zeros = THAW_NEW(double, n);
    good = good && a->lower && a->upper && a->col && a->source && a->below && a->zeros;
    return good ? THAW_OK : thaw_error_memory(error, "the analysis of a matrix");
}

static void clear_analysis(Analysis *a) {
    void *arrays[] = {a->lower,   a->col,     a->source,  a->upper,   a->below, a->parent, a->post, a->first, a->count,
                      a->work[0], a->work[1], a->work[2], a->work[3], a->cols,  a->rows,   a->up,   a->into,  a->zeros};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        thaw_free(arrays[i]);
}

// --- the graph, the tree, the counts ---------------------------------------------------------------------------------

static void permute_graph(const ThawBlockPattern *pattern, const int32_t *place, Analysis *a) {
    int32_t n = a->n;
    for (int32_t i = 0; i < n; i++)
        for (int32_t e = pattern->row[i]; e < pattern->row[i + 1] - 1; e++) {
            int32_t p = place[i], q = place[pattern->col[e]];
            a->lower[(p > q ? p : q) + 2]++;
            a->upper[(p > q ? q : p) + 2]++;
        }
    for (int32_t i = 0; i < n; i++) {
        a->lower[i + 2] += a->lower[i + 1];
        a->upper[i + 2] += a->upper[i + 1];
    }
    // lower[i + 1] and upper[i + 1] now run from the start of i's list to its end.
    for (int32_t i = 0; i < n; i++)
        for (int32_t e = pattern->row[i]; e < pattern->row[i + 1] - 1; e++) {
            int32_t p = place[i], q = place[pattern->col[e]];
            int32_t high = p > q ? p : q, low = p > q ? q : p, at = a->lower[high + 1]++;
            a->col[at] = low;
            a->source[at] = p > q ? e : ~e;
            a->below[a->upper[low + 1]++] = high;
        }
}

// parent[j] is the first row below the diagonal of column j of L.
static void build_tree(Analysis *a) {
    int32_t *ancestor = a->work[0];
    for (int32_t i = 0; i < a->n; i++) {
        a->parent[i] = ancestor[i] = -1;
        for (int32_t e = a->lower[i]; e < a->lower[i + 1]; e++)
            for (int32_t j = a->col[e], next; j != i; j = next) {
                next = ancestor[j];
                ancestor[j] = i;
                if (next < 0) {
                    a->parent[j] = i;
                    break;
                }
            }
    }
}

static void postorder(Analysis *a) {
    int32_t n = a->n, *child = a->work[0], *sibling = a->work[1], *stack = a->work[2], done = 0;
    for (int32_t i = 0; i < n; i++)
        child[i] = -1;
    for (int32_t i = n - 1; i >= 0; i--)
        if (a->parent[i] >= 0) {
            sibling[i] = child[a->parent[i]];
            child[a->parent[i]] = i;
        }
    for (int32_t root = 0; root < n; root++) {
        if (a->parent[root] >= 0)
            continue;
        int32_t depth = 0;
        stack[depth++] = root;
        while (depth > 0) {
            int32_t i = stack[depth - 1], c = child[i];
            if (c >= 0) {
                child[i] = sibling[c];
                stack[depth++] = c;
            } else {
                a->post[done++] = i;
                depth--;
            }
        }
    }
}

// Row i of L is a subtree of the elimination tree whose leaves are among the columns j of row i of A. Walking j in
// postorder, j is a new leaf if the last leaf lies outside j's subtree. A column's count is a sum over its subtree: +1
// at each leaf, -1 where two leaves' ways join, -1 at the parent of each column (where that column's own row ends).
static void count_rows(Analysis *a) {
    int32_t n = a->n, *newest = a->work[0], *leaf = a->work[1], *joined = a->work[2];
    for (int32_t i = 0; i < n; i++) {
        a->first[i] = newest[i] = leaf[i] = -1;
        joined[i] = i;
    }
    for (int32_t k = 0; k < n; k++) {
        int32_t j = a->post[k];
        a->count[j] = a->first[j] < 0; // a leaf of the tree
        for (int32_t i = j; i >= 0 && a->first[i] < 0; i = a->parent[i])
            a->first[i] = k;
    }
    for (int32_t k = 0; k < n; k++) {
        int32_t j = a->post[k];
        if (a->parent[j] >= 0)
            a->count[a->parent[j]]--;
        for (int32_t e = a->upper[j]; e < a->upper[j + 1]; e++) {
            int32_t i = a->below[e], last = leaf[i];
            if (a->first[j] <= newest[i])
                continue;
            newest[i] = a->first[j];
            leaf[i] = j;
            a->count[j]++;
            if (last < 0)
                continue;
            int32_t top = last;
            while (joined[top] != top)
                top = joined[top];
            for (int32_t i2 = last, up; i2 != top; i2 = up) {
                up = joined[i2];
                joined[i2] = top;
            }
            a->count[top]--;
        }
        if (a->parent[j] >= 0)
            joined[j] = a->parent[j];
    }
    for (int32_t k = 0; k < n; k++)
        if (a->parent[a->post[k]] >= 0)
            a->count[a->parent[a->post[k]]] += a->count[a->post[k]];
}

// --- supernodes ------------------------------------------------------------------------------------------------------

static double node_blocks(double cols, double below) { return cols * (cols + 1) / 2 + cols * below; }

// Whether a node of this many scalar columns may have this share of zeros. Narrow nodes waste more on calls and
// scattering than on zeros; found by trying, cubes and beams of 1k to 200k tetrahedra.
static int may_merge(double columns, double share) {
    return columns <= 12 || (columns <= 24 && share < 0.4) || (columns <= 48 && share < 0.1) || share < 0.04;
}

// Fundamental supernodes are runs in postorder; then children are merged into parents. Labels get their node in
// work[0], nodes being numbered in postorder of their last columns; returns how many were found before merging.
static int32_t find_nodes(Analysis *a, int32_t bs) {
    int32_t n = a->n, *node_of = a->work[0], count = 0;
    for (int32_t k = 0; k < n; k++) {
        int32_t j = a->post[k], before = k > 0 ? a->post[k - 1] : -1;
        if (k > 0 && a->parent[before] == j && a->count[before] == a->count[j] + 1) {
            a->cols[count - 1]++;
        } else {
            a->cols[count] = 1;
            a->zeros[count] = 0;
            a->into[count] = count;
            count++;
        }
        node_of[j] = count - 1;
        a->rows[count - 1] = a->count[j] - 1; // below the last column
    }
    int32_t *last = a->work[1];
    for (int32_t k = 0; k < n; k++)
        last[node_of[a->post[k]]] = a->post[k];
    for (int32_t s = 0; s < count; s++)
        a->up[s] = a->parent[last[s]] < 0 ? -1 : node_of[a->parent[last[s]]];

    // Children come before parents, so when s is offered to its parent, s has taken in all that it will.
    for (int32_t s = 0; s < count; s++) {
        int32_t p = a->up[s];
        if (p < 0)
            continue;
        double cols = a->cols[s] + a->cols[p], all = node_blocks(cols, a->rows[p]);
        double zeros =
            all - node_blocks(a->cols[s], a->rows[s]) - node_blocks(a->cols[p], a->rows[p]) + a->zeros[s] + a->zeros[p];
        if (!may_merge(cols * bs, zeros / all))
            continue;
        a->into[s] = p;
        a->cols[p] += a->cols[s];
        a->zeros[p] = zeros;
    }
    return count;
}

// Final nodes keep the postorder of their last members; columns are numbered node by node, members in ascending order.
// Fills owner, order, place and the sizes of nodes; label[i] is the final place of what the caller's order has at i.
static ThawStatus number_nodes(Analysis *a, int32_t found, const int32_t *order, ThawLdlPlan *plan, int32_t *label,
                               ThawError *error) {
    int32_t n = a->n, *node_of = a->work[0], *final = a->work[1], *next = a->work[2];
    for (int32_t s = found - 1; s >= 0; s--)
        if (a->into[s] != s)
            a->into[s] = a->into[a->into[s]];
    for (int32_t s = 0; s < found; s++)
        if (a->into[s] == s)
            final[s] = plan->count++;
    plan->node = THAW_NEW(ThawLdlNode, plan->count + 1);
    if (!plan->node)
        return thaw_error_memory(error, "a factor's plan");
    int32_t first = 0, row = 0;
    size_t value = 0;
    for (int32_t s = 0; s < found; s++) {
        if (a->into[s] != s)
            continue;
        ThawLdlNode *node = &plan->node[final[s]];
        *node = (ThawLdlNode){.first = first,
                              .cols = a->cols[s],
                              .rows = a->cols[s] + a->rows[s],
                              .parent = a->up[s] < 0 ? -1 : final[a->into[a->up[s]]],
                              .row = row,
                              .value = value};
        next[final[s]] = first;
        first += a->cols[s];
        // Rows below are listed in 32 bits; more would be a factor of hundreds of gigabytes.
        if (row > INT32_MAX - a->rows[s])
            return thaw_error_set(error, THAW_ERROR_MEMORY, "solver: the factor of %d block rows is too large; use pcg",
                                  n);
        row += a->rows[s];
        int32_t columns = plan->bs * node->cols, panels = thaw_ldl_panels(plan, node);
        value += 8 * (size_t)panels * (size_t)columns;
        plan->most_cols = columns > plan->most_cols ? columns : plan->most_cols;
        plan->most_rows = 8 * panels > plan->most_rows ? 8 * panels : plan->most_rows;
    }
    plan->node[plan->count] = (ThawLdlNode){.first = n, .parent = -1, .row = row, .value = value};
    plan->cost.nodes = plan->count;
    plan->cost.numbers = (int64_t)value;
    for (int32_t k = 0; k < n; k++) {
        int32_t i = a->post[k], s = final[a->into[node_of[i]]];
        label[i] = next[s]++;
        plan->owner[label[i]] = s;
        plan->order[label[i]] = order[i];
        plan->place[order[i]] = label[i];
    }
    for (int32_t s = 0; s < plan->count; s++)
        plan->node[s].deepest = s;
    for (int32_t s = 0; s < plan->count; s++) {
        ThawLdlNode *node = &plan->node[s], *up = node->parent < 0 ? NULL : &plan->node[node->parent];
        if (up && node->deepest < up->deepest)
            up->deepest = node->deepest;
    }
    return THAW_OK;
}

// --- rows, blocks of A, updates --------------------------------------------------------------------------------------

static void list_rows(Analysis *a, const int32_t *label, ThawLdlPlan *plan) {
    int32_t n = a->n, *filled = a->work[0], *seen = a->work[1], *entries = a->work[2], *old = a->work[3];
    for (int32_t s = 0; s < plan->count; s++) {
        filled[s] = plan->node[s].row;
        seen[s] = -1;
        entries[s] = plan->node[s].cols;
    }
    for (int32_t i = 0; i < n; i++) {
        old[label[i]] = i;
        for (int32_t e = a->lower[i]; e < a->lower[i + 1]; e++)
            entries[plan->owner[label[a->col[e]]]]++;
    }
    for (int32_t s = 0, sum = 0; s <= plan->count; s++) {
        plan->node[s].entry = sum;
        if (s < plan->count) {
            sum += entries[s];
            entries[s] = plan->node[s].entry;
        }
    }
    for (int32_t i = 0; i < n; i++) {
        int32_t own = plan->owner[i], diagonal = plan->pattern->row[plan->order[i] + 1] - 1;
        seen[own] = i;
        plan->entry[entries[own]++] = (ThawLdlEntry){diagonal, i - plan->node[own].first, i - plan->node[own].first};
        for (int32_t e = a->lower[old[i]]; e < a->lower[old[i] + 1]; e++) {
            int32_t j = label[a->col[e]], s = plan->owner[j];
            for (int32_t t = s; seen[t] != i; t = plan->node[t].parent) {
                plan->row[filled[t]++] = i;
                seen[t] = i;
            }
            const ThawLdlNode *node = &plan->node[s];
            int32_t local = s == own ? i - node->first : node->cols + filled[s] - 1 - node->row;
            plan->entry[entries[s]++] = (ThawLdlEntry){a->source[e], local, j - node->first};
        }
    }
}

// With `update` still NULL only counts, into node[].update.
static void list_updates(ThawLdlPlan *plan, int32_t *next) {
    for (int32_t s = 0; s < plan->count; s++) {
        const ThawLdlNode *node = &plan->node[s];
        const int32_t *row = plan->row + node->row;
        int32_t below = node->rows - node->cols;
        for (int32_t begin = 0, end; begin < below; begin = end) {
            int32_t target = plan->owner[row[begin]], limit = plan->node[target].first + plan->node[target].cols;
            for (end = begin + 1; end < below && row[end] < limit;)
                end++;
            if (plan->update)
                plan->update[next[target]] = (ThawLdlUpdate){s, node->cols + begin, node->cols + end};
            next[target]++;
        }
    }
}

static ThawStatus build_updates(Analysis *a, ThawLdlPlan *plan, ThawError *error) {
    int32_t *next = a->work[0], sum = 0;
    memset(next, 0, (size_t)a->n * sizeof *next);
    list_updates(plan, next);
    for (int32_t s = 0; s <= plan->count; s++) {
        plan->node[s].update = sum;
        if (s < plan->count)
            sum += next[s];
    }
    plan->update = THAW_NEW(ThawLdlUpdate, sum);
    if (!plan->update)
        return thaw_error_memory(error, "a factor's plan");
    for (int32_t s = 0; s < plan->count; s++)
        next[s] = plan->node[s].update;
    list_updates(plan, next);
    return THAW_OK;
}

// --- tasks -----------------------------------------------------------------------------------------------------------

// Floating-point operations spent when a node is computed: what it receives, and its own dense factorisation.
static double node_flops(const ThawLdlPlan *plan, int32_t s) {
    const ThawLdlNode *node = &plan->node[s];
    double bs = plan->bs, nc = bs * node->cols, nr = bs * node->rows, flops = nc * nc * (nr - 2.0 / 3.0 * nc);
    for (int32_t u = node->update; u < plan->node[s + 1].update; u++) {
        ThawLdlUpdate update = plan->update[u];
        const ThawLdlNode *from = &plan->node[update.from];
        double wide = bs * (update.end - update.begin), high = bs * (from->rows - update.begin);
        flops += 2.0 * wide * (high - wide / 2) * (bs * from->cols);
    }
    return flops;
}

static ThawStatus cut_tasks(ThawLdlPlan *plan, ThawError *error) {
    // Below `alone` operations a whole factorisation is one task, below `tile` a node is one: some hundred
    // microseconds.
    const double alone = 1e6, tile = 4e6;
    int32_t count = plan->count;
    double *work = THAW_NEW(double, count), *path = THAW_NEW(double, count), *reach = THAW_NEW(double, count);
    plan->task = THAW_NEW(int32_t, 2 * count);
    plan->top = THAW_NEW(int32_t, count);
    if (!work || !path || !reach || !plan->task || !plan->top) {
        thaw_free(work);
        thaw_free(path);
        thaw_free(reach);
        return thaw_error_memory(error, "a factor's plan");
    }
    for (int32_t s = 0; s < count; s++) {
        double flops = node_flops(plan, s);
        plan->node[s].tiled = flops > tile;
        int32_t parent = plan->node[s].parent;
        plan->cost.flops += flops;
        work[s] += flops;
        if (parent >= 0)
            work[parent] += work[s];
    }
    for (int32_t s = count - 1; s >= 0; s--) {
        int32_t parent = plan->node[s].parent;
        path[s] = (double)(plan->node[s + 1].value - plan->node[s].value) + (parent < 0 ? 0 : path[parent]);
        reach[s] = plan->bs * plan->node[s].cols + (parent < 0 ? 0 : reach[parent]);
        plan->cost.way += path[s] * plan->node[s].cols / plan->n;
        plan->cost.reach += reach[s] * plan->node[s].cols / plan->n;
    }
    double limit = plan->cost.flops < alone ? plan->cost.flops : plan->cost.flops / 16, sum = 0;
    int32_t open = 0; // whether subtrees are being collected in task[2 task_count ...]
    for (int32_t s = 0; s < count; s++) {
        int32_t parent = plan->node[s].parent;
        if (work[s] > limit) {
            plan->top[plan->top_count++] = s;
            plan->task_count += open;
            open = 0;
        } else if (parent < 0 || work[parent] > limit) { // the root of a subtree that ends here
            if (open && sum + work[s] > limit) {
                plan->task_count++;
                open = 0;
            }
            if (!open) {
                plan->task[2 * plan->task_count] = plan->node[s].deepest;
                sum = 0;
            }
            open = 1;
            sum += work[s];
            plan->task[2 * plan->task_count + 1] = s;
        }
    }
    plan->task_count += open;
    thaw_free(work);
    thaw_free(path);
    thaw_free(reach);
    return THAW_OK;
}

// --- all together ----------------------------------------------------------------------------------------------------

static ThawStatus check_order(const ThawBlockPattern *pattern, const int32_t *order, int32_t *place, ThawError *error) {
    for (int32_t i = 0; i < pattern->n; i++)
        place[i] = -1;
    for (int32_t k = 0; k < pattern->n; k++) {
        if (order[k] < 0 || order[k] >= pattern->n || place[order[k]] >= 0)
            return thaw_error_set(error, THAW_ERROR_INPUT, "order[%d] is %d; allowed: each of 0 to %d once", k,
                                  order[k], pattern->n - 1);
        place[order[k]] = k;
    }
    return THAW_OK;
}

static ThawStatus analyse(const int32_t *order, Analysis *a, ThawLdlPlan *plan, ThawError *error) {
    const ThawBlockPattern *pattern = plan->pattern;
    ThawStatus status = check_order(pattern, order, plan->place, error);
    if (status == THAW_OK)
        status = allocate_analysis(pattern, a, error);
    if (status != THAW_OK)
        return status;
    permute_graph(pattern, plan->place, a);
    build_tree(a);
    postorder(a);
    count_rows(a);
    int32_t found = find_nodes(a, plan->bs), *label = a->count; // the counts have served
    status = number_nodes(a, found, order, plan, label, error);
    if (status != THAW_OK)
        return status;
    plan->row = THAW_NEW(int32_t, plan->node[plan->count].row);
    plan->entry = THAW_NEW(ThawLdlEntry, pattern->row[pattern->n]);
    if (!plan->row || !plan->entry)
        return thaw_error_memory(error, "a factor's plan");
    list_rows(a, label, plan);
    status = build_updates(a, plan, error);
    return status == THAW_OK ? cut_tasks(plan, error) : status;
}

ThawStatus thaw_ldl_plan_create(const ThawBlockPattern *pattern, const int32_t *order, ThawLdlPlan **result,
                                ThawError *error) {
    *result = NULL;
    if (pattern->bs < 1 || pattern->bs > 8)
        return thaw_error_set(error, THAW_ERROR_INPUT, "pattern: bs is %d; allowed: 1 to 8", pattern->bs);
    ThawLdlPlan *plan = THAW_NEW(ThawLdlPlan, 1);
    if (!plan)
        return thaw_error_memory(error, "a factor's plan");
    plan->pattern = pattern;
    plan->n = pattern->n;
    plan->bs = pattern->bs;
    plan->order = THAW_NEW(int32_t, plan->n);
    plan->place = THAW_NEW(int32_t, plan->n);
    plan->owner = THAW_NEW(int32_t, plan->n);
    int32_t *dissection = order ? NULL : THAW_NEW(int32_t, plan->n);
    Analysis a = {0};
    ThawStatus status = THAW_OK;
    if (!plan->order || !plan->place || !plan->owner || (!order && !dissection))
        status = thaw_error_memory(error, "a factor's plan");
    if (status == THAW_OK && !order)
        status = thaw_order_dissect(pattern, dissection, error);
    if (status == THAW_OK)
        status = analyse(order ? order : dissection, &a, plan, error);
    clear_analysis(&a);
    thaw_free(dissection);
    if (status != THAW_OK)
        thaw_ldl_plan_free(&plan);
    *result = plan;
    return status;
}

void thaw_ldl_plan_free(ThawLdlPlan **pointer) {
    if (!pointer || !*pointer)
        return;
    ThawLdlPlan *plan = *pointer;
    void *arrays[] = {plan->order,  plan->place, plan->owner, plan->node, plan->row,
                      plan->update, plan->entry, plan->task,  plan->top};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        thaw_free(arrays[i]);
    thaw_free(plan);
    *pointer = NULL;
}

ThawLdlCost thaw_ldl_plan_cost(const ThawLdlPlan *plan) { return plan->cost; }

size_t thaw_ldl_plan_bytes(const ThawLdlPlan *plan) {
    const ThawLdlNode *end = &plan->node[plan->count];
    return sizeof *plan + (3 * (size_t)plan->n + (size_t)end->row + 3 * (size_t)plan->count) * sizeof(int32_t) +
           ((size_t)plan->count + 1) * sizeof *plan->node + (size_t)end->update * sizeof *plan->update +
           (size_t)end->entry * sizeof *plan->entry;
}
