// SPDX-License-Identifier: Apache-2.0
#include "map/bones/tree.h"

#include <math.h>
#include <string.h>

#include "map/rigid/partition.h"
#include "math/rotation.h"

static const double IDENTITY[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

void thaw_tree_start(const ThawSkeleton *tree, double *at) {
    memset(at, 0, sizeof *at * (size_t)tree->at_count);
    for (int32_t l = 0; l < tree->link_count; l++)
        if (tree->links[l].kind == THAW_LINK_BALL)
            memcpy(at + tree->links[l].at, IDENTITY, sizeof IDENTITY);
}

// Rounding takes B off the rotations; B (3 - B'B) / 2 brings it back.
static void straighten(double B[9]) {
    double C[9], S[9];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            C[i + 3 * j] = ((i == j ? 3 : 0) - thaw_v3_dot(B + 3 * i, B + 3 * j)) / 2;
    thaw_rotation_product(B, C, S);
    memcpy(B, S, sizeof S);
}

void thaw_tree_move(const ThawSkeleton *tree, const double *from, const double *z, double *to) {
    for (int32_t l = 0; l < tree->link_count; l++) {
        const ThawLink *link = &tree->links[l];
        double D[9], B[9];
        if (link->kind != THAW_LINK_BALL) {
            to[link->at] = from[link->at] + z[link->dof];
            continue;
        }
        thaw_rotation_exp(z + link->dof, D);
        thaw_rotation_product(D, from + link->at, B);
        straighten(B);
        memcpy(to + link->at, B, sizeof B);
    }
}

// z' = dexp_z^-1 w = w - z x w / 2 + c z x (z x w), for exp(z) B0 that turns by w.
static void inverse_slope(const double z[3], const double w[3], double dz[3]) {
    const double square = thaw_v3_dot(z, z), angle = sqrt(square);
    const double c = angle < 1e-2 ? (1 + square / 60) / 12 : (1 - angle / 2 / tan(angle / 2)) / square;
    double a[3], b[3];
    thaw_v3_cross(z, w, a);
    thaw_v3_cross(z, a, b);
    for (int k = 0; k < 3; k++)
        dz[k] = w[k] - a[k] / 2 + c * b[k];
}

void thaw_tree_way_rates(const ThawSkeleton *tree, const double *z, const double *rate, double *dz) {
    for (int32_t l = 0; l < tree->link_count; l++) {
        const ThawLink *link = &tree->links[l];
        if (link->kind == THAW_LINK_BALL)
            inverse_slope(z + link->dof, rate + link->dof, dz + link->dof);
        else
            dz[link->dof] = rate[link->dof];
    }
}

void thaw_tree_numbers(const ThawSkeleton *tree, const double *at, double *number) {
    for (int32_t l = 0; l < tree->link_count; l++) {
        const ThawLink *link = &tree->links[l];
        if (link->kind == THAW_LINK_BALL)
            thaw_rotation_log(at + link->at, number + link->dof);
        else
            number[link->dof] = at[link->at];
    }
}

void thaw_tree_pose(const ThawSkeleton *tree, const double *at, const double *rate, ThawLinkPose *pose) {
    const ThawLinkPose world = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    for (int32_t l = 0; l < tree->link_count; l++) {
        const ThawLink *link = &tree->links[l];
        const ThawLinkPose *base = link->parent < 0 ? &world : &pose[link->parent];
        ThawLinkPose *p = &pose[l];
        double d[3], axis[3], turn[3], D[9];
        thaw_rotate(base->R, link->origin, d);
        thaw_rotate(base->R, link->axis, axis);
        if (link->kind == THAW_LINK_SLIDE)
            thaw_v3_add(d, at[link->at], axis, d);
        thaw_v3_add(base->p, 1, d, p->p);
        if (link->kind == THAW_LINK_HINGE) {
            thaw_v3_add((double[3]){0}, at[link->at], link->axis, turn);
            thaw_rotation_exp(turn, D);
            thaw_rotation_product(base->R, D, p->R);
        } else if (link->kind == THAW_LINK_BALL) {
            thaw_rotation_product(base->R, at + link->at, p->R);
        } else {
            memcpy(p->R, base->R, sizeof p->R);
        }
        memset(p->omega, 0, sizeof p->omega);
        memset(p->v, 0, sizeof p->v);
        if (!rate)
            continue;
        thaw_v3_copy(base->omega, p->omega);
        thaw_v3_cross(base->omega, d, turn);
        thaw_v3_add(base->v, 1, turn, p->v);
        if (link->kind == THAW_LINK_HINGE)
            thaw_v3_add(p->omega, rate[link->dof], axis, p->omega);
        else if (link->kind == THAW_LINK_SLIDE)
            thaw_v3_add(p->v, rate[link->dof], axis, p->v);
        else {
            thaw_rotate(base->R, rate + link->dof, turn);
            thaw_v3_add(p->omega, 1, turn, p->omega);
        }
    }
}

static void axis_of(const ThawSkeleton *tree, const ThawLinkPose *pose, int32_t l, int k, double axis[3]) {
    const ThawLink *link = &tree->links[l];
    const double unit[3] = {k == 0, k == 1, k == 2};
    const double *a = link->kind == THAW_LINK_BALL ? unit : link->axis;
    if (link->parent < 0)
        thaw_v3_copy(a, axis);
    else
        thaw_rotate(pose[link->parent].R, a, axis);
}

int thaw_tree_columns(const ThawSkeleton *tree, const ThawLinkPose *pose, int32_t link, const double at[3],
                      ThawColumn *columns) {
    int count = 0;
    for (int32_t l = link; l >= 0; l = tree->links[l].parent) {
        const ThawLink *own = &tree->links[l];
        double arm[3];
        thaw_v3_sub(at, pose[l].p, arm);
        for (int k = 0; k < (own->kind == THAW_LINK_BALL ? 3 : 1); k++) {
            ThawColumn *c = &columns[count++];
            double axis[3];
            axis_of(tree, pose, l, k, axis);
            *c = (ThawColumn){.dof = own->dof + k};
            if (own->kind == THAW_LINK_SLIDE) {
                thaw_v3_copy(axis, c->v);
                continue;
            }
            thaw_v3_copy(axis, c->omega);
            thaw_v3_cross(axis, arm, c->v);
        }
    }
    return count;
}

void thaw_tree_add_force(const ThawSkeleton *tree, const ThawLinkPose *pose, int32_t link, const double f[3],
                         const double torque[3], double *r) {
    for (int32_t l = link; l >= 0; l = tree->links[l].parent) {
        const ThawLink *own = &tree->links[l];
        double arm[3], moment[3], axis[3];
        thaw_v3_sub(pose[link].p, pose[l].p, arm);
        thaw_v3_cross(arm, f, moment);
        thaw_v3_add(moment, 1, torque, moment);
        for (int k = 0; k < (own->kind == THAW_LINK_BALL ? 3 : 1); k++) {
            axis_of(tree, pose, l, k, axis);
            r[own->dof + k] += thaw_v3_dot(axis, own->kind == THAW_LINK_SLIDE ? f : moment);
        }
    }
}

// --- masses in the world ---------------------------------------------------------------------------------------------

// Centre (m, in the world) and second moment about the centre in the world's axes, of the masses of a link.
static void turned_mass(const ThawLinkPose *pose, const ThawLinkMass *mass, double centre[3], double second[9]) {
    double c[3], arm[3], J[9], RJ[9], Rt[9];
    for (int k = 0; k < 3; k++)
        c[k] = mass->mass > 0 ? mass->first[k] / mass->mass : 0;
    memcpy(J, mass->second, sizeof J);
    thaw_v3_add_inertia(-mass->mass, c, J);
    thaw_rotation_product(pose->R, J, RJ);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            Rt[i + 3 * j] = pose->R[j + 3 * i];
    thaw_rotation_product(RJ, Rt, second);
    thaw_rotate(pose->R, c, arm);
    thaw_v3_add(pose->p, 1, arm, centre);
}

void thaw_tree_add_inertia(const ThawSkeleton *tree, const ThawLinkPose *pose, const ThawLinkMass *mass, double scale,
                           double *H) {
    ThawColumn columns[THAW_COLUMNS_MAX];
    for (int32_t l = 0; l < tree->link_count; l++) {
        double centre[3], J[9];
        if (!(mass[l].mass > 0))
            continue;
        turned_mass(&pose[l], &mass[l], centre, J);
        const int count = thaw_tree_columns(tree, pose, l, centre, columns);
        for (int a = 0; a < count; a++) {
            double P[3], L[3];
            thaw_v3_add((double[3]){0}, scale * mass[l].mass, columns[a].v, P);
            thaw_rotate(J, columns[a].omega, L);
            for (int b = 0; b < count; b++)
                H[(size_t)columns[a].dof * (size_t)tree->dof_count + (size_t)columns[b].dof] +=
                    thaw_v3_dot(P, columns[b].v) + scale * thaw_v3_dot(L, columns[b].omega);
        }
    }
}

// Accelerations of a link's origin and of its turn while rates stay as they are.
typedef struct Bias {
    double a[3], alpha[3];
} Bias;

static void find_bias(const ThawSkeleton *tree, const ThawLinkPose *pose, const double *rate, Bias *bias) {
    const ThawLinkPose world = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const Bias none = {{0}, {0}};
    for (int32_t l = 0; l < tree->link_count; l++) {
        const ThawLink *link = &tree->links[l];
        const ThawLinkPose *base = link->parent < 0 ? &world : &pose[link->parent];
        const Bias *from = link->parent < 0 ? &none : &bias[link->parent];
        double d[3], axis[3], a[3], b[3];
        thaw_v3_sub(pose[l].p, base->p, d);
        thaw_v3_copy(from->alpha, bias[l].alpha);
        thaw_v3_cross(from->alpha, d, a);
        thaw_v3_add(from->a, 1, a, bias[l].a);
        thaw_v3_cross(base->omega, d, a);
        thaw_v3_cross(base->omega, a, b);
        thaw_v3_add(bias[l].a, 1, b, bias[l].a);
        thaw_rotate(base->R, link->kind == THAW_LINK_BALL ? rate + link->dof : link->axis, axis);
        thaw_v3_cross(base->omega, axis, a);
        const double speed = link->kind == THAW_LINK_BALL ? 1 : rate[link->dof];
        if (link->kind == THAW_LINK_SLIDE)
            thaw_v3_add(bias[l].a, 2 * speed, a, bias[l].a);
        else
            thaw_v3_add(bias[l].alpha, speed, a, bias[l].alpha);
    }
}

// The torque of a load about the link's origin.
static void torque_of(const ThawLinkPose *pose, const ThawLinkLoad *load, double torque[3]) {
    double W[3][3] = {{0}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 3; j++)
                W[i][j] += pose->R[i + 3 * k] * load->moment[k][j];
    torque[0] = W[1][2] - W[2][1];
    torque[1] = W[2][0] - W[0][2];
    torque[2] = W[0][1] - W[1][0];
}

void thaw_tree_add_forces(const ThawSkeleton *tree, const ThawLinkPose *pose, const double *rate,
                          const ThawLinkLoad *load, double *r) {
    Bias bias[THAW_COLUMNS_MAX];
    find_bias(tree, pose, rate, bias);
    for (int32_t l = 0; l < tree->link_count; l++) {
        double centre[3], J[9], arm[3], a[3], b[3], f[3], torque[3], L[3];
        torque_of(&pose[l], &load[l], torque);
        thaw_v3_copy(load[l].force, f);
        if (tree->mass[l].mass > 0) {
            turned_mass(&pose[l], &tree->mass[l], centre, J);
            thaw_v3_sub(centre, pose[l].p, arm);
            thaw_v3_cross(bias[l].alpha, arm, a);
            thaw_v3_add(bias[l].a, 1, a, a);
            thaw_v3_cross(pose[l].omega, arm, b);
            thaw_v3_cross(pose[l].omega, b, L);
            thaw_v3_add(a, 1, L, a); // of the centre
            for (int k = 0; k < 3; k++)
                a[k] *= -tree->mass[l].mass;
            thaw_v3_add(f, 1, a, f);
            thaw_v3_cross(arm, a, b);
            thaw_v3_add(torque, 1, b, torque);
            thaw_rotate(J, bias[l].alpha, L);
            thaw_v3_add(torque, -1, L, torque);
            thaw_rotate(J, pose[l].omega, L);
            thaw_v3_cross(pose[l].omega, L, b);
            thaw_v3_add(torque, -1, b, torque);
        }
        thaw_tree_add_force(tree, pose, l, f, torque, r);
    }
}

static void motion_of(const ThawSkeleton *tree, const ThawLinkPose *pose, int32_t l, double centre[3], double v[3],
                      double J[9], double L[3]) {
    double arm[3], turn[3];
    turned_mass(&pose[l], &tree->mass[l], centre, J);
    thaw_v3_sub(centre, pose[l].p, arm);
    thaw_v3_cross(pose[l].omega, arm, turn);
    thaw_v3_add(pose[l].v, 1, turn, v);
    thaw_rotate(J, pose[l].omega, L);
}

double thaw_tree_kinetic(const ThawSkeleton *tree, const ThawLinkPose *pose) {
    double sum = 0;
    for (int32_t l = 0; l < tree->link_count; l++) {
        double centre[3], v[3], J[9], L[3];
        if (!(tree->mass[l].mass > 0))
            continue;
        motion_of(tree, pose, l, centre, v, J, L);
        sum += (tree->mass[l].mass * thaw_v3_dot(v, v) + thaw_v3_dot(L, pose[l].omega)) / 2;
    }
    return sum;
}

// --- trees that hang on free bones -----------------------------------------------------------------------------------

int thaw_tree_is_root(const ThawSkeleton *tree, int32_t bone) {
    return tree->bones[bone].joint.kind == THAW_JOINT_FREE;
}

// Whether a link is below the first link of a free bone.
static int hangs_on(const ThawSkeleton *tree, int32_t l, int32_t root) {
    while (l > tree->bones[root].first)
        l = tree->links[l].parent;
    return l == tree->bones[root].first;
}

void thaw_tree_whole(const ThawSkeleton *tree, const ThawLinkPose *pose, int32_t root, ThawWhole *whole) {
    *whole = (ThawWhole){0};
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t l = tree->bones[root].first; l < tree->link_count; l++) {
            double centre[3], v[3], J[9], L[3], arm[3], turn[3];
            const double m = tree->mass[l].mass;
            if (!(m > 0) || !hangs_on(tree, l, root))
                continue;
            motion_of(tree, pose, l, centre, v, J, L);
            if (pass == 0) {
                whole->mass += m;
                thaw_v3_add(whole->at, m, centre, whole->at);
                thaw_v3_add(whole->P, m, v, whole->P);
                continue;
            }
            thaw_v3_sub(centre, whole->at, arm);
            thaw_v3_cross(arm, v, turn);
            thaw_v3_add(whole->L, m, turn, whole->L);
            thaw_v3_add(whole->L, 1, L, whole->L);
            thaw_v3_add_inertia(m, arm, whole->inertia);
            for (int k = 0; k < 9; k++)
                whole->inertia[k] += J[k];
        }
        for (int k = 0; k < 3 && pass == 0; k++)
            whole->at[k] /= whole->mass;
    }
}

void thaw_tree_whole_load(const ThawSkeleton *tree, const ThawLinkPose *pose, const ThawLinkLoad *load, int32_t root,
                          const double centre[3], double force[3], double torque[3]) {
    memset(force, 0, 3 * sizeof *force);
    memset(torque, 0, 3 * sizeof *torque);
    for (int32_t l = tree->bones[root].first; l < tree->link_count; l++) {
        double own[3], arm[3], moment[3];
        if (!hangs_on(tree, l, root))
            continue;
        torque_of(&pose[l], &load[l], own);
        thaw_v3_sub(pose[l].p, centre, arm);
        thaw_v3_cross(arm, load[l].force, moment);
        thaw_v3_add(force, 1, load[l].force, force);
        thaw_v3_add(torque, 1, moment, torque);
        thaw_v3_add(torque, 1, own, torque);
    }
}

void thaw_tree_give(const ThawSkeleton *tree, const ThawLinkPose *pose, int32_t root, const double P[3],
                    const double L[3], double *rate) {
    const ThawBone *bone = &tree->bones[root];
    ThawWhole whole;
    double v[3], dL[3], omega[3], arm[3], turn[3];
    thaw_tree_whole(tree, pose, root, &whole);
    thaw_v3_sub(L, whole.L, dL);
    thaw_part_spin(tree->dim, whole.inertia, dL, omega);
    for (int k = 0; k < 3; k++)
        v[k] = (P[k] - whole.P[k]) / whole.mass;
    thaw_v3_sub(pose[bone->link].p, whole.at, arm);
    thaw_v3_cross(omega, arm, turn);
    for (int k = 0; k < tree->dim; k++)
        rate[bone->dof + k] += v[k] + turn[k];
    for (int k = 0; k < 3 && tree->dim == 3; k++)
        rate[bone->dof + 3 + k] += omega[k];
    if (tree->dim == 2)
        rate[bone->dof + 2] += omega[2];
}

void thaw_tree_shift(const ThawSkeleton *tree, int32_t root, const double way[3], double *at) {
    for (int k = 0; k < tree->dim; k++)
        at[tree->links[tree->bones[root].first + k].at] += way[k];
}
