// SPDX-License-Identifier: Apache-2.0
// Limits of joints, as rows of the island's response: one-sided like contacts, without friction. With d the axis of the
// turn and n across it, the point of the bone that is L n x d from the joint goes along n by L times the rate against
// the same point of the parent: so a limit is a contact of that point, L times the angle that is left away. Points are
// combinations of the corners of one element each.
#include <math.h>
#include <string.h>

#include "math/rotation.h"
#include "method/skeleton/skeleton.h"
#include "model/attachment.h"

static const double NEAR = 0.05; // rad, or diameters: what is nearer to a limit gets a row,
static const double STEPS = 2;   // and what comes there in so many steps
static const double HARD = 100;  // stiffness of limits: so many masses of the body, over h^2

typedef struct Rows {
    const ThawStepper *s;
    ThawContact *rows; // NULL: they are counted
    int32_t count;
    double h;
} Rows;

// Of which corners of a body the point x (m, in axes of the link that it sits on) is made.
static void find_corners(const ThawStepper *s, int32_t body, int32_t link, const double x[3], ThawContact *row,
                         int side) {
    const ThawSkeletonData *data = thaw_skeleton_data(s);
    const ThawModelBody *b = &s->model->bodies[body];
    const ThawElementBlock *cells = b->shape->cells;
    const int dim = data->tree->dim, nodes = dim + 1;
    int32_t largest = 0;
    double E[3][3] = {{0}}, d[3], det;
    const double *lever[4];
    (void)link;
    for (int32_t e = 1; e < cells->count; e++)
        largest = cells->weight[e] > cells->weight[largest] ? e : largest;
    for (int k = 0; k < nodes; k++) {
        row->vertex[side][k] = b->unit_vertex + cells->elements[(size_t)largest * (size_t)nodes + (size_t)k];
        lever[k] = data->tree->lever + 3 * (size_t)row->vertex[side][k];
    }
    for (int k = 0; k < dim; k++)
        thaw_v3_sub(lever[k + 1], lever[0], E[k]);
    if (dim == 2)
        E[2][2] = 1;
    thaw_v3_sub(x, lever[0], d);
    det = thaw_v3_triple(E[0], E[1], E[2]);
    const double w[3] = {thaw_v3_triple(d, E[1], E[2]) / det, thaw_v3_triple(E[0], d, E[2]) / det,
                         thaw_v3_triple(E[0], E[1], d) / det};
    row->weight[side][0] = 1;
    for (int k = 0; k < dim; k++) {
        row->weight[side][k + 1] = w[k];
        row->weight[side][0] -= w[k];
    }
    row->nodes[side] = nodes;
}

static void to_link(const ThawLinkPose *pose, int32_t link, const double x[3], double local[3]) {
    double arm[3];
    if (link < 0) {
        thaw_v3_copy(x, local);
        return;
    }
    thaw_v3_sub(x, pose[link].p, arm);
    thaw_rotate_back(pose[link].R, arm, local);
}

// The point x (m) of the bone is `gap` from where it may not go on along -n.
static void put_row(Rows *all, const ThawBone *bone, int number, const double n[3], const double t[3],
                    const double x[3], double gap) {
    const ThawSkeletonData *data = thaw_skeleton_data(all->s);
    const ThawSkeleton *tree = data->tree;
    const ThawBone *parent = bone->parent < 0 ? NULL : &tree->bones[bone->parent];
    double local[3];
    all->count++;
    if (!all->rows)
        return;
    ThawContact *row = &all->rows[all->count - 1];
    *row = (ThawContact){.key = {{bone->body, parent ? parent->body : THAW_ANCHOR_FRAME}, THAW_CONTACT_LIMIT, {number}},
                         .gap = gap,
                         .stiffness = HARD * all->s->shape->total_mass / (all->h * all->h)};
    thaw_v3_copy(n, row->frame[0]);
    thaw_v3_copy(t, row->frame[1]);
    thaw_v3_cross(n, t, row->frame[2]);
    to_link(data->pose, bone->link, x, local);
    find_corners(all->s, bone->body, bone->link, local, row, 0);
    if (parent) {
        to_link(data->pose, parent->link, x, local);
        find_corners(all->s, parent->body, parent->link, local, row, 1);
    }
}

static void turn_row(Rows *all, const ThawBone *bone, int32_t link, int number, const double d[3], double left) {
    const ThawSkeletonData *data = thaw_skeleton_data(all->s);
    const double L = all->s->model->bodies[bone->body].shape->diameter / 2;
    const int least = fabs(d[0]) <= fabs(d[1]) && fabs(d[0]) <= fabs(d[2]) ? 0 : fabs(d[1]) <= fabs(d[2]) ? 1 : 2;
    const double unit[3] = {least == 0, least == 1, least == 2};
    double n[3], t[3], x[3];
    thaw_v3_cross(d, unit, n);
    thaw_v3_unit(n);
    thaw_v3_cross(d, n, t);
    thaw_v3_add(data->pose[link].p, -L, t, x); // n x d = -t
    put_row(all, bone, number, n, t, x, L * left);
}

// d = sign times an axis of a link's parent, in the world.
static void to_world(const ThawSkeletonData *data, int32_t parent, const double axis[3], double sign, double d[3]) {
    if (parent < 0)
        thaw_v3_copy(axis, d);
    else
        thaw_rotate(data->pose[parent].R, axis, d);
    for (int k = 0; k < 3; k++)
        d[k] *= sign;
}

static void limit_link(Rows *all, const ThawBone *bone, int32_t l) {
    const ThawSkeletonData *data = thaw_skeleton_data(all->s);
    const ThawLink *link = &data->tree->links[l];
    const ThawJointDef *joint = &bone->joint;
    const double rate = data->state.rate[link->dof], at = data->state.at[link->at];
    for (int upper = 0; upper < 2; upper++) {
        const double sign = upper ? -1 : 1, left = sign * (at - (upper ? joint->upper : joint->lower)[link->number]);
        const double size = link->kind == THAW_LINK_SLIDE ? all->s->model->bodies[bone->body].shape->diameter : 1;
        double d[3];
        to_world(data, link->parent, link->axis, sign, d);
        if (!(left < NEAR * size + STEPS * all->h * fabs(rate)))
            continue;
        if (link->kind == THAW_LINK_HINGE) {
            turn_row(all, bone, l, 2 * link->number + upper, d, left);
            continue;
        }
        const int least = fabs(d[0]) <= fabs(d[1]) && fabs(d[0]) <= fabs(d[2]) ? 0 : fabs(d[1]) <= fabs(d[2]) ? 1 : 2;
        const double unit[3] = {least == 0, least == 1, least == 2};
        double t[3] = {-d[1], d[0], 0};
        if (data->tree->dim == 3)
            thaw_v3_cross(d, unit, t);
        thaw_v3_unit(t);
        put_row(all, bone, 2 * link->number + upper, d, t, data->pose[l].p, left);
    }
}

// The swing of the bone's axis a to b, d(angle)/dt = omega.(a x b)/|a x b|, and the twist about it, omega.(a + b)/(1 +
// a.b): neither pushes along the other.
static void limit_ball(Rows *all, const ThawBone *bone, int32_t l) {
    const ThawSkeletonData *data = thaw_skeleton_data(all->s);
    const ThawLink *link = &data->tree->links[l];
    const double *B = data->state.at + link->at, *omega = data->state.rate + link->dof;
    const double skew[3] = {B[5] - B[7], B[6] - B[2], B[1] - B[3]};
    double a[3], b[3], turn[3], d[3];
    thaw_v3_copy(bone->joint.axis, a);
    if (!(thaw_v3_unit(a) > 0)) // there are no limits
        return;
    thaw_rotate(B, a, b);
    thaw_v3_cross(a, b, turn);
    const double sine = thaw_v3_unit(turn), swing = atan2(sine, thaw_v3_dot(a, b)), left = bone->joint.upper[0] - swing;
    const double twist = 2 * atan2(thaw_v3_dot(skew, a), 1 + B[0] + B[4] + B[8]);
    if (sine > 0 && left < NEAR + STEPS * all->h * fabs(thaw_v3_dot(turn, omega))) {
        to_world(data, link->parent, turn, -1, d);
        turn_row(all, bone, l, 0, d, left);
    }
    thaw_v3_add(a, 1, b, turn);
    const double half = thaw_v3_unit(turn) / 2; // cos(swing / 2)
    for (int upper = 0; upper < 2 && half > 0.1; upper++) {
        const double sign = upper ? -1 : 1, rest = sign * (twist - (upper ? bone->joint.upper : bone->joint.lower)[1]);
        if (!(rest < NEAR + STEPS * all->h * fabs(thaw_v3_dot(turn, omega)) / half))
            continue;
        to_world(data, link->parent, turn, sign, d);
        turn_row(all, bone, l, 1 + upper, d, rest * half);
    }
}

int32_t thaw_skeleton_limits(const ThawStepper *s, double h, ThawContact *rows) {
    const ThawSkeletonData *data = thaw_skeleton_data(s);
    Rows all = {s, rows, 0, h};
    thaw_tree_pose(data->tree, data->state.at, NULL, data->pose);
    for (int32_t b = 0; b < data->tree->bone_count; b++) {
        const ThawBone *bone = &data->tree->bones[b];
        for (int32_t l = bone->first; l < bone->first + bone->count && bone->numbers <= 3; l++) {
            if (bone->joint.kind == THAW_JOINT_FREE)
                continue;
            if (data->tree->links[l].kind == THAW_LINK_BALL)
                limit_ball(&all, bone, l);
            else
                limit_link(&all, bone, l);
        }
    }
    return all.count;
}
