// SPDX-License-Identifier: Apache-2.0
// The hierarchy of boxes over a surface's faces. Its topology is chosen once from the rest shape (halving the faces
// along the longest side of their centroids' box, so its depth is log2 of their number) and shared by all bodies of the
// shape; each step only the boxes are fitted anew, from the leaves up, in one backward sweep over the nodes, for those
// bodies that are near something. Queries walk down with a stack, nearer child first: about log n boxes and a dozen
// faces.
#include "contact/surface.h"
#include <float.h>

enum { LEAF = 4, STACK = THAW_TREE_STACK };

// --- building -------------------------------------------------------------------------------------------------------

static int before(const double *centroid, int axis, int32_t a, int32_t b) {
    double ca = centroid[3 * (size_t)a + axis], cb = centroid[3 * (size_t)b + axis];
    return ca < cb || (ca == cb && a < b);
}

// Reorders order[0 .. count) so that the first `k` come before the rest along the axis (Hoare's selection).
static void select_first(const double *centroid, int axis, int32_t *order, int32_t count, int32_t k) {
    int32_t lo = 0, hi = count - 1;
    while (lo < hi) {
        int32_t pivot = order[lo + (hi - lo) / 2], i = lo, j = hi;
        while (i <= j) {
            while (before(centroid, axis, order[i], pivot))
                i++;
            while (before(centroid, axis, pivot, order[j]))
                j--;
            if (i <= j) {
                int32_t swap = order[i];
                order[i++] = order[j], order[j--] = swap;
            }
        }
        if (k <= j)
            hi = j;
        else if (k >= i)
            lo = i;
        else
            return;
    }
}

// Whether the face or one of its neighbours has a sharp edge: where none has, no edge needs to be looked for.
static int is_near_sharp(const ThawContactShape *shape, int32_t face) {
    for (int i = 0; shape->sharp && i < 3; i++) {
        const int32_t *pair = shape->edge_face + 2 * (size_t)shape->face_edge[3 * (size_t)face + i];
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 3; k++)
                if (pair[side] >= 0 && shape->sharp[shape->face_edge[3 * (size_t)pair[side] + k]])
                    return 1;
    }
    return 0;
}

static int32_t build_node(const double *centroid, ThawContactShape *shape, int32_t first, int32_t count) {
    int32_t node = shape->tree_count++;
    if (count <= LEAF) {
        int sharp = 0;
        for (int32_t i = first; i < first + count; i++)
            sharp |= is_near_sharp(shape, shape->order[i]);
        shape->tree[node] = (ThawTreeNode){.first = first, .count = count, .sharp = sharp};
        return node;
    }
    double box[6];
    thaw_box_empty(box);
    for (int32_t i = first; i < first + count; i++)
        thaw_box_add(box, centroid + 3 * (size_t)shape->order[i]);
    int axis = 0;
    for (int k = 1; k < 3; k++)
        axis = box[3 + k] - box[k] > box[3 + axis] - box[axis] ? k : axis;
    int32_t half = count / 2;
    select_first(centroid, axis, shape->order + first, count, half);
    int32_t left = build_node(centroid, shape, first, half);
    int32_t right = build_node(centroid, shape, first + half, count - half);
    shape->tree[node] = (ThawTreeNode){.right = right, .sharp = shape->tree[left].sharp | shape->tree[right].sharp};
    return node;
}

ThawStatus thaw_contact_tree_build(const double *x, ThawContactShape *shape, ThawError *error) {
    if (shape->nf == 0)
        return THAW_OK;
    double *centroid = THAW_NEW(double, 3 * (size_t)shape->nf);
    shape->order = THAW_NEW(int32_t, shape->nf);
    shape->tree = THAW_NEW(ThawTreeNode, 2 * (size_t)shape->nf); // a leaf holds two faces at least, or is alone
    if (!centroid || !shape->order || !shape->tree) {
        thaw_free(centroid);
        return thaw_error_memory(error, "a bounding-volume hierarchy");
    }
    for (int32_t f = 0; f < shape->nf; f++) {
        shape->order[f] = f;
        for (int i = 0; i < shape->nodes; i++)
            thaw_v3_add(centroid + 3 * (size_t)f, 1, x + 3 * (size_t)shape->face[(size_t)f * shape->nodes + i],
                        centroid + 3 * (size_t)f);
    }
    build_node(centroid, shape, 0, shape->nf);
    thaw_free(centroid);
    return THAW_OK;
}

void thaw_contact_tree_refit(const ThawContactShape *shape, const double *x, double *boxes) {
    for (int32_t n = shape->tree_count - 1; n >= 0; n--) {
        const ThawTreeNode *node = &shape->tree[n];
        double *box = boxes + 6 * (size_t)n;
        if (node->right) {
            const double *a = box + 6, *b = boxes + 6 * (size_t)node->right;
            for (int k = 0; k < 3; k++) {
                box[k] = a[k] < b[k] ? a[k] : b[k];
                box[3 + k] = a[3 + k] > b[3 + k] ? a[3 + k] : b[3 + k];
            }
            continue;
        }
        thaw_box_empty(box);
        for (int32_t i = node->first; i < node->first + node->count; i++)
            for (int k = 0; k < shape->nodes; k++)
                thaw_box_add(box, x + 3 * (size_t)shape->face[(size_t)shape->order[i] * shape->nodes + k]);
    }
}

// --- asking ---------------------------------------------------------------------------------------------------------

static int is_against(const ThawContactShape *shape, const double *x, int32_t face, const double *against,
                      const double *along) {
    double n[3];
    if (!against && !along)
        return 1;
    thaw_contact_face_normal(shape, x, face, n);
    thaw_v3_unit(n);
    return !(against && thaw_v3_dot(n, against) > -0.1) && !(along && thaw_v3_dot(n, along) < 0.1);
}

void thaw_contact_try_face(const ThawContactShape *shape, const double *x, int32_t face, const double point[3],
                           const double *against, const double *along, ThawNearest *nearest) {
    const int32_t *v = shape->face + (size_t)face * shape->nodes;
    const double *a = x + 3 * (size_t)v[0], *b = x + 3 * (size_t)v[1], *c = b;
    double w[3] = {0, 0, 0}, q[3], d[3];
    if (shape->nodes == 3) {
        c = x + 3 * (size_t)v[2];
        thaw_triangle_closest(a, b, c, point, w);
    } else
        thaw_segment_closest(a, b, point, w);
    for (int k = 0; k < 3; k++) {
        q[k] = w[0] * a[k] + w[1] * b[k] + w[2] * c[k];
        d[k] = point[k] - q[k];
    }
    double square = thaw_v3_dot(d, d);
    if (square > nearest->square || (square == nearest->square && nearest->face >= 0 && face > nearest->face))
        return;
    if (!is_against(shape, x, face, against, along))
        return;
    *nearest = (ThawNearest){.face = face, .square = square};
    memcpy(nearest->w, w, sizeof w);
    thaw_v3_copy(q, nearest->point);
}

// A face may come out nearer than its box by rounding. Boxes are passed over only beyond that, so that which face wins
// does not depend on which was tried first.
static double with_rounding(double square, double error) {
    double distance = sqrt(square) + error;
    return distance * distance;
}

// The search, with one face left out (-1: none).
static void search_nearest(const ThawContactShape *shape, const double *x, const double *boxes, const double point[3],
                           const double *against, const double *along, int32_t except, ThawNearest *nearest) {
    const double error = 8 * DBL_EPSILON * thaw_v3_norm(point);
    double limit = with_rounding(nearest->square, error), found = nearest->square;
    struct {
        int32_t node;
        double square;
    } stack[STACK];
    int top = shape->tree_count > 0;
    stack[0].node = 0, stack[0].square = 0;
    while (top > 0) {
        top--;
        if (stack[top].square > limit)
            continue;
        int32_t n = stack[top].node;
        const ThawTreeNode *node = &shape->tree[n];
        if (!node->right) {
            for (int32_t i = node->first; i < node->first + node->count; i++)
                if (shape->order[i] != except)
                    thaw_contact_try_face(shape, x, shape->order[i], point, against, along, nearest);
            if (nearest->square < found)
                found = nearest->square, limit = with_rounding(found, error);
            continue;
        }
        double left = thaw_box_square(boxes + 6 * (size_t)(n + 1), point),
               right = thaw_box_square(boxes + 6 * (size_t)node->right, point);
        int swap = right < left; // the nearer one goes on top
        double near = swap ? right : left, far = swap ? left : right;
        if (far <= limit)
            stack[top].node = swap ? n + 1 : node->right, stack[top++].square = far;
        if (near <= limit)
            stack[top].node = swap ? node->right : n + 1, stack[top++].square = near;
    }
}

void thaw_contact_nearest(const ThawContactShape *shape, const double *x, const double *boxes, const double point[3],
                          const double *against, const double *along, ThawNearest *nearest) {
    const int32_t hint = nearest->face;
    nearest->face = -1;
    if (hint >= 0)
        thaw_contact_try_face(shape, x, hint, point, against, along, nearest);
    search_nearest(shape, x, boxes, point, against, along, -1, nearest);
}

double thaw_contact_others(const ThawContactBody *body, const double point[3], int32_t face, double bound) {
    ThawNearest other = {.face = -1, .square = bound * bound};
    search_nearest(body->shape, body->x, body->boxes, point, NULL, NULL, face, &other);
    return sqrt(other.square);
}

ThawLeafWalk thaw_contact_walk(const ThawContactBody *body, const double box[6], int sharp) {
    return (ThawLeafWalk){
        .body = body, .box = box, .sharp = sharp, .top = body->shape->tree_count > 0}; // the root is node 0
}

const ThawTreeNode *thaw_contact_next_leaf(ThawLeafWalk *walk) {
    while (walk->top > 0) {
        int32_t n = walk->stack[--walk->top];
        const ThawTreeNode *node = &walk->body->shape->tree[n];
        if (walk->sharp > node->sharp || !thaw_box_overlap(walk->box, walk->body->boxes + 6 * (size_t)n))
            continue;
        if (!node->right)
            return node;
        walk->stack[walk->top++] = node->right;
        walk->stack[walk->top++] = n + 1;
    }
    return NULL;
}

int32_t thaw_contact_faces_in(const ThawContactBody *body, const double box[6], int sharp, int32_t *faces,
                              int32_t room) {
    int32_t count = 0;
    ThawLeafWalk walk = thaw_contact_walk(body, box, sharp);
    for (const ThawTreeNode *leaf; (leaf = thaw_contact_next_leaf(&walk));)
        for (int32_t i = leaf->first; i < leaf->first + leaf->count; i++, count++)
            if (count < room)
                faces[count] = body->shape->order[i];
    return count;
}

int32_t thaw_contact_vertices_in(const ThawContactBody *body, const double box[6], int32_t *vertices, int32_t room) {
    const ThawContactShape *shape = body->shape;
    const int nodes = shape->nodes;
    int32_t count = thaw_contact_faces_in(body, box, 0, vertices, room / nodes); // faces first, unfolded from behind
    for (int32_t i = (count < room / nodes ? count : room / nodes) - 1; i >= 0; i--) {
        int32_t face = vertices[i];
        for (int k = nodes - 1; k >= 0; k--)
            vertices[(size_t)i * nodes + k] = shape->face[(size_t)face * nodes + k];
    }
    return count * nodes;
}

double thaw_contact_sharp_distance(const ThawContactBody *body, const double point[3]) {
    const ThawTreeNode *tree = body->shape->tree;
    double stack_square[STACK], least = INFINITY;
    int32_t stack[STACK];
    int top = body->shape->tree_count > 0 && tree[0].sharp;
    stack[0] = 0, stack_square[0] = 0;
    while (top > 0) {
        const int32_t n = stack[--top];
        if (stack_square[top] >= least)
            continue;
        if (!tree[n].right) {
            least = thaw_box_square(body->boxes + 6 * (size_t)n, point);
            continue;
        }
        const int32_t child[2] = {n + 1, tree[n].right};
        double square[2];
        for (int i = 0; i < 2; i++)
            square[i] = tree[child[i]].sharp ? thaw_box_square(body->boxes + 6 * (size_t)child[i], point) : INFINITY;
        for (int i = 0, far = square[0] < square[1]; i < 2; i++, far = !far) // the nearer one goes on top
            if (square[far] < least)
                stack[top] = child[far], stack_square[top++] = square[far];
    }
    return sqrt(least);
}

// Where the line x + s d goes through the plane of a face from outside, for the motion of the face's point with weights
// w relative to which d is taken; fills s and the weights of the point hit. 0: it does not come from outside.
static int cross_face(const ThawContactBody *body, int32_t face, const double x[3], const double d[3],
                      const double weight[3], double *s, double w[3]) {
    const ThawContactShape *shape = body->shape;
    const int32_t *v = shape->face + (size_t)face * shape->nodes;
    double n[3], to[3], relative[3], q[3];
    thaw_contact_face_normal(shape, body->x, face, n);
    thaw_v3_copy(d, relative);
    for (int i = 0; i < shape->nodes; i++)
        thaw_v3_add(relative, -weight[i], body->d + 3 * (size_t)v[i], relative);
    double closing = -thaw_v3_dot(n, relative);
    thaw_v3_sub(x, body->x + 3 * (size_t)v[0], to);
    double height = thaw_v3_dot(n, to);
    if (!(closing > 0) || height < 0 || height > THAW_CONTACT_REACH * closing)
        return 0;
    *s = height / closing;
    thaw_v3_add(x, *s, relative, q);
    double sum = 0, area = thaw_v3_dot(n, n);
    for (int i = 0; i < shape->nodes; i++) { // 3D: area of the triangle of q and the side opposite; 2D: along the edge
        const double *a = body->x + 3 * (size_t)v[(i + 1) % shape->nodes],
                     *b = body->x + 3 * (size_t)v[(i + 2) % shape->nodes];
        double qa[3], qb[3], m[3];
        thaw_v3_sub(a, q, qa);
        thaw_v3_sub(b, q, qb);
        if (shape->nodes == 3) {
            thaw_v3_cross(qa, qb, m);
            w[i] = thaw_v3_dot(m, n) / area;
        } else { // b is vertex i, a the other
            double ab[3];
            thaw_v3_sub(b, a, ab);
            w[i] = -thaw_v3_dot(qa, ab) / thaw_v3_dot(ab, ab);
        }
        sum += w[i];
    }
    return sum > 0;
}

int thaw_contact_sweep(const ThawContactBody *body, const double x[3], const double d[3], const double *against,
                       ThawNearest *hit) {
    static const double MARGIN = 0.05; // of a face, so that nothing slips between two that move differently
    const ThawContactShape *shape = body->shape;
    double box[6], end[3], relative[3], best = INFINITY;
    thaw_v3_sub(d, body->mean, relative);
    thaw_v3_add(x, THAW_CONTACT_REACH, relative, end);
    thaw_box_empty(box);
    thaw_box_add(box, x);
    thaw_box_add(box, end);
    for (int k = 0; k < 3; k++) {
        box[k] -= THAW_CONTACT_REACH * body->spread;
        box[3 + k] += THAW_CONTACT_REACH * body->spread;
    }
    int32_t stack[STACK];
    int top = 0;
    hit->face = -1;
    if (shape->tree_count > 0)
        stack[top++] = 0;
    while (top > 0) {
        int32_t n = stack[--top];
        const ThawTreeNode *node = &shape->tree[n];
        if (!thaw_box_overlap(box, body->boxes + 6 * (size_t)n))
            continue;
        if (node->right) {
            stack[top++] = node->right;
            stack[top++] = n + 1;
            continue;
        }
        for (int32_t i = node->first; i < node->first + node->count; i++) {
            int32_t face = shape->order[i];
            double s, w[3], mean[3] = {1. / shape->nodes, 1. / shape->nodes, 1. / shape->nodes};
            if (!cross_face(body, face, x, d, mean, &s, w) || !is_against(shape, body->x, face, against, NULL))
                continue;
            double sum = 0; // the point of the face nearest to the hit, and its own motion instead of the mean
            int outside = 0;
            for (int k = 0; k < shape->nodes; k++) {
                outside |= w[k] < -MARGIN;
                w[k] = w[k] < 0 ? 0 : w[k];
                sum += w[k];
            }
            for (int k = 0; k < shape->nodes; k++)
                w[k] /= sum;
            double again[3];
            if (outside || !cross_face(body, face, x, d, w, &s, again))
                continue;
            if (s < best || (s == best && face < hit->face)) {
                best = s;
                hit->face = face;
                memset(hit->point, 0, sizeof hit->point);
                for (int k = 0; k < 3; k++)
                    hit->w[k] = k < shape->nodes ? w[k] : 0;
                for (int k = 0; k < shape->nodes; k++)
                    thaw_v3_add(hit->point, w[k], body->x + 3 * (size_t)shape->face[(size_t)face * shape->nodes + k],
                                hit->point);
            }
        }
    }
    return hit->face >= 0;
}

// Whether the segment a b goes through the triangle (signs of three volumes, the edges included).
static int pierces(const ThawContactBody *body, int32_t face, const double a[3], const double b[3]) {
    const int32_t *v = body->shape->face + 3 * (size_t)face;
    double n[3], to[3][3], m[3], ab[3], da, db;
    thaw_contact_face_normal(body->shape, body->x, face, n);
    for (int i = 0; i < 3; i++)
        thaw_v3_sub(body->x + 3 * (size_t)v[i], a, to[i]);
    thaw_v3_sub(b, a, ab);
    da = -thaw_v3_dot(n, to[0]);
    db = da + thaw_v3_dot(n, ab);
    if ((da > 0) == (db > 0))
        return 0;
    int positive = 0, negative = 0;
    for (int i = 0; i < 3; i++) {
        thaw_v3_cross(to[i], to[(i + 1) % 3], m);
        double volume = thaw_v3_dot(m, ab);
        positive |= volume > 0;
        negative |= volume < 0;
    }
    return !(positive && negative);
}

int32_t thaw_contact_pierced(const ThawContactBody *body, const double a[3], const double b[3], int sharp,
                             int32_t *faces, int32_t room) {
    double box[6];
    int32_t count = 0;
    thaw_box_empty(box);
    thaw_box_add(box, a);
    thaw_box_add(box, b);
    ThawLeafWalk walk = thaw_contact_walk(body, box, sharp);
    for (const ThawTreeNode *leaf; (leaf = thaw_contact_next_leaf(&walk));)
        for (int32_t i = leaf->first; i < leaf->first + leaf->count && count < room; i++)
            if (pierces(body, body->shape->order[i], a, b))
                faces[count++] = body->shape->order[i];
    return count;
}
