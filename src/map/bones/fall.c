// SPDX-License-Identifier: Apache-2.0
#include "map/bones/fall.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/vec3.h"

typedef struct Tableau {
    double a[2][2], b[2], c[2];
} Tableau;

#define ROOT3 1.7320508075688772
static const Tableau GAUSS = {
    {{0.25, 0.25 - ROOT3 / 6}, {0.25 + ROOT3 / 6, 0.25}}, {0.5, 0.5}, {0.5 - ROOT3 / 6, 0.5 + ROOT3 / 6}};
static const Tableau RADAU = {{{5.0 / 12, -1.0 / 12}, {0.75, 0.25}}, {0.75, 0.25}, {1.0 / 3, 1}};

enum { ITERATIONS = 40, MOST_PARTS = 64 };
static const double LARGEST_TURN = 0.5;           // rad, in one part
static const double EXACT = 1e-14, ENOUGH = 1e-9; // of the change of rates: where iterations end; what will do

// --- room ------------------------------------------------------------------------------------------------------------

ThawStatus thaw_fall_create(const ThawSkeleton *tree, ThawFall *fall, ThawError *error) {
    const size_t n = (size_t)tree->dof_count, a = (size_t)tree->at_count;
    *fall = (ThawFall){.tree = tree};
    double **vectors[] = {&fall->drive.torque,
                          &fall->drive.pull[0],
                          &fall->drive.pull[1],
                          &fall->drive.stiffness,
                          &fall->drive.damping,
                          &fall->drive.lost,
                          &fall->drive.spring[0],
                          &fall->drive.spring[1],
                          &fall->rate,
                          &fall->joint,
                          &fall->motor,
                          &fall->K[0],
                          &fall->K[1],
                          &fall->Z[0],
                          &fall->Z[1],
                          &fall->Q[0],
                          &fall->Q[1],
                          &fall->dz[0],
                          &fall->dz[1],
                          &fall->r[0],
                          &fall->r[1],
                          &fall->number,
                          &fall->rate0};
    double **poses[] = {&fall->at, &fall->at0, &fall->stage_at};
    const size_t vector_count = sizeof vectors / sizeof *vectors, pose_count = sizeof poses / sizeof *poses;
    double *next = fall->space = THAW_NEW(double, vector_count *n + pose_count * a + 2 * n + 6 * n * n);
    fall->load = THAW_NEW(ThawLinkLoad, tree->link_count);
    fall->pose = THAW_NEW(ThawLinkPose, tree->link_count);
    fall->pivot = THAW_NEW(int, 2 * n);
    fall->whole = THAW_NEW(ThawWhole, tree->bone_count);
    fall->P = thaw_alloc((size_t)tree->bone_count, sizeof *fall->P);
    fall->L = thaw_alloc((size_t)tree->bone_count, sizeof *fall->L);
    fall->centre = thaw_alloc((size_t)tree->bone_count, sizeof *fall->centre);
    if (!next || !fall->load || !fall->pose || !fall->pivot || !fall->whole || !fall->P || !fall->L || !fall->centre)
        return thaw_error_memory(error, "a skeleton");
    for (size_t i = 0; i < vector_count; i++, next += n)
        *vectors[i] = next;
    for (size_t i = 0; i < pose_count; i++, next += a)
        *poses[i] = next;
    fall->change = next;
    fall->H[0] = next + 2 * n;
    fall->H[1] = fall->H[0] + n * n;
    fall->matrix = fall->H[1] + n * n;
    return THAW_OK;
}

void thaw_fall_clear(ThawFall *fall) {
    thaw_free(fall->space);
    thaw_free(fall->load);
    thaw_free(fall->pose);
    thaw_free(fall->pivot);
    thaw_free(fall->whole);
    thaw_free(fall->P);
    thaw_free(fall->L);
    thaw_free(fall->centre);
    *fall = (ThawFall){0};
}

// --- joints ----------------------------------------------------------------------------------------------------------

// What a pull on a ball's numbers z, the derivative of an energy of them, is as a torque: dexp_z^-T w.
static void turn_pull(const double z[3], double w[3]) {
    const double square = thaw_v3_dot(z, z), angle = sqrt(square);
    const double c = angle < 1e-2 ? (1 + square / 60) / 12 : (1 - angle / 2 / tan(angle / 2)) / square;
    double a[3], b[3];
    thaw_v3_cross(z, w, a);
    thaw_v3_cross(z, a, b);
    for (int k = 0; k < 3; k++)
        w[k] += a[k] / 2 + c * b[k];
}

void thaw_joint_push_add(const ThawSkeleton *tree, const ThawJointPush *drive, double share, const double *number,
                         const double *rate, double *r, double *motor, double *lost) {
    for (int32_t l = 0; l < tree->link_count; l++) {
        const int32_t first = tree->links[l].dof, count = tree->links[l].kind == THAW_LINK_BALL ? 3 : 1;
        double all[3] = {0}, spring[3] = {0};
        for (int k = 0; k < count; k++) {
            const int32_t d = first + k;
            const double aim = (1 - share) * drive->pull[0][d] + share * drive->pull[1][d];
            all[k] = aim - drive->stiffness[d] * number[d];
            spring[k] = drive->spring[0][d] * (drive->spring[1][d] - number[d]);
        }
        if (count == 3) {
            turn_pull(number + first, all);
            turn_pull(number + first, spring);
        }
        for (int k = 0; k < count; k++) {
            const int32_t d = first + k;
            const double loss = -drive->lost[d] * rate[d];
            const double total = drive->torque[d] + all[k] - drive->damping[d] * rate[d];
            if (r)
                r[d] += total;
            if (motor)
                motor[d] += total - loss - spring[k];
            if (lost)
                lost[d] += loss;
        }
    }
}

// --- equations -------------------------------------------------------------------------------------------------------

// LU with row pivots, in place; 0 where it is singular.
static int factor(int n, double *A, int *pivot) {
    for (int j = 0; j < n; j++) {
        int p = j;
        for (int i = j + 1; i < n; i++)
            p = fabs(A[(size_t)i * (size_t)n + (size_t)j]) > fabs(A[(size_t)p * (size_t)n + (size_t)j]) ? i : p;
        pivot[j] = p;
        double *row = A + (size_t)j * (size_t)n, *other = A + (size_t)p * (size_t)n;
        for (int k = 0; k < n && p != j; k++) {
            const double kept = row[k];
            row[k] = other[k];
            other[k] = kept;
        }
        if (!(fabs(row[j]) > 0))
            return 0;
        for (int i = j + 1; i < n; i++) {
            double *below = A + (size_t)i * (size_t)n;
            const double share = below[j] /= row[j];
            for (int k = j + 1; k < n && share != 0; k++)
                below[k] -= share * row[k];
        }
    }
    return 1;
}

static void solve(int n, const double *A, const int *pivot, double *b) {
    for (int i = 0; i < n; i++) {
        const double kept = b[pivot[i]];
        b[pivot[i]] = b[i];
        b[i] = kept;
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            b[i] -= A[(size_t)i * (size_t)n + (size_t)k] * b[k];
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            b[i] -= A[(size_t)i * (size_t)n + (size_t)k] * b[k];
        b[i] /= A[(size_t)i * (size_t)n + (size_t)i];
    }
}

static int acts(const ThawFall *fall) { return fall->loose ? 0 : fall->drive.acts; }

// The matrix of Newton's method: H of the start, and of joints what they have of stiffness and damping.
static int find_matrix(ThawFall *fall, const Tableau *t, double h) {
    const size_t n = (size_t)fall->tree->dof_count, width = acts(fall) ? 2 * n : n;
    double *A = fall->matrix;
    thaw_tree_pose(fall->tree, fall->at0, NULL, fall->pose);
    memset(fall->H[0], 0, sizeof(double) * n * n);
    thaw_tree_add_inertia(fall->tree, fall->pose, fall->tree->mass, 1, fall->H[0]);
    if (!acts(fall)) {
        memcpy(A, fall->H[0], sizeof(double) * n * n);
        return thaw_dense_factor((int)n, A);
    }
    memset(A, 0, sizeof(double) * width * width);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            const double square = t->a[i][0] * t->a[0][j] + t->a[i][1] * t->a[1][j];
            for (size_t d = 0; d < n; d++) {
                double *row = A + ((size_t)i * n + d) * width + (size_t)j * n;
                for (size_t k = 0; k < n && i == j; k++)
                    row[k] = fall->H[0][d * n + k];
                row[d] += h * t->a[i][j] * fall->drive.damping[d] + h * h * square * fall->drive.stiffness[d];
            }
        }
    return factor((int)width, A, fall->pivot);
}

// From rates' changes K: rates Q and ways Z of both points.
static void follow(ThawFall *fall, const Tableau *t, double h) {
    const int32_t n = fall->tree->dof_count;
    for (int i = 0; i < 2; i++) {
        for (int32_t d = 0; d < n; d++)
            fall->Q[i][d] = fall->rate0[d] + h * (t->a[i][0] * fall->K[0][d] + t->a[i][1] * fall->K[1][d]);
        thaw_tree_way_rates(fall->tree, fall->Z[i], fall->Q[i], fall->dz[i]);
    }
    for (int i = 0; i < 2; i++)
        for (int32_t d = 0; d < n; d++)
            fall->Z[i][d] = h * (t->a[i][0] * fall->dz[0][d] + t->a[i][1] * fall->dz[1][d]);
}

// Forces less inertia at a point, in r.
static void find_residual(ThawFall *fall, const Tableau *t, int i, double begin, double share) {
    const ThawSkeleton *tree = fall->tree;
    const size_t n = (size_t)tree->dof_count;
    thaw_tree_move(tree, fall->at0, fall->Z[i], fall->stage_at);
    thaw_tree_pose(tree, fall->stage_at, fall->Q[i], fall->pose);
    thaw_tree_numbers(tree, fall->stage_at, fall->number);
    memset(fall->r[i], 0, sizeof(double) * n);
    memset(fall->H[1], 0, sizeof(double) * n * n);
    thaw_tree_add_forces(tree, fall->pose, fall->Q[i], fall->load, fall->r[i]);
    if (!fall->loose)
        thaw_joint_push_add(tree, &fall->drive, begin + t->c[i] * share, fall->number, fall->Q[i], fall->r[i], NULL,
                            NULL);
    thaw_tree_add_inertia(tree, fall->pose, tree->mass, 1, fall->H[1]);
    for (size_t d = 0; d < n; d++)
        for (size_t k = 0; k < n; k++)
            fall->r[i][d] -= fall->H[1][d * n + k] * fall->K[i][k];
}

static double size_of(const double *a, size_t n, double size) {
    for (size_t i = 0; i < n; i++)
        size = fmax(size, fabs(a[i]));
    return size;
}

static int converge(ThawFall *fall, const Tableau *t, double h, double begin, double share) {
    const size_t n = (size_t)fall->tree->dof_count;
    double before = INFINITY;
    if (!find_matrix(fall, t, h))
        return 0;
    memset(fall->K[0], 0, sizeof(double) * n);
    memset(fall->K[1], 0, sizeof(double) * n);
    memset(fall->Z[0], 0, sizeof(double) * n);
    memset(fall->Z[1], 0, sizeof(double) * n);
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        follow(fall, t, h);
        for (int i = 0; i < 2; i++) {
            find_residual(fall, t, i, begin, share);
            memcpy(fall->change + (size_t)i * n, fall->r[i], sizeof(double) * n);
            if (!acts(fall))
                thaw_dense_solve((int)n, fall->matrix, fall->change + (size_t)i * n);
        }
        if (acts(fall))
            solve(2 * (int)n, fall->matrix, fall->pivot, fall->change);
        for (size_t d = 0; d < n; d++) {
            fall->K[0][d] += fall->change[d];
            fall->K[1][d] += fall->change[n + d];
        }
        const double off = h * size_of(fall->change, 2 * n, 0);
        const double size = size_of(fall->Q[1], n, size_of(fall->Q[0], n, h * size_of(fall->K[0], n, 0)));
        if (!isfinite(off))
            return 0;
        if (off <= EXACT * size || (off >= before / 2 && off <= ENOUGH * size)) {
            follow(fall, t, h);
            follow(fall, t, h);
            return 1;
        }
        before = off;
    }
    return 0;
}

// --- a step ----------------------------------------------------------------------------------------------------------

// A part of the step that has converged: its end, and what joints and loads have given.
static void take(ThawFall *fall, const Tableau *t, double h, double begin, double share) {
    const ThawSkeleton *tree = fall->tree;
    const size_t n = (size_t)tree->dof_count;
    for (int i = 0; i < 2; i++) {
        double *motor = fall->r[0], *lost = fall->r[1];
        thaw_tree_move(tree, fall->at0, fall->Z[i], fall->stage_at);
        thaw_tree_pose(tree, fall->stage_at, fall->Q[i], fall->pose);
        thaw_tree_numbers(tree, fall->stage_at, fall->number);
        memset(motor, 0, sizeof *motor * n);
        memset(lost, 0, sizeof *lost * n);
        if (!fall->loose)
            thaw_joint_push_add(tree, &fall->drive, begin + t->c[i] * share, fall->number, fall->Q[i], NULL, motor,
                                lost);
        for (size_t d = 0; d < n; d++) {
            fall->motor[d] += h * t->b[i] * motor[d];
            fall->joint[d] += h * t->b[i] * lost[d];
        }
        for (int32_t b = 0; b < tree->bone_count; b++) {
            double force[3], torque[3];
            ThawWhole whole;
            if (!thaw_tree_is_root(tree, b))
                continue;
            thaw_tree_whole(tree, fall->pose, b, &whole);
            thaw_tree_whole_load(tree, fall->pose, fall->load, b, whole.at, force, torque);
            for (int k = 0; k < 3; k++)
                fall->L[b][k] += h * t->b[i] * torque[k];
        }
    }
    for (size_t d = 0; d < n; d++) {
        fall->rate0[d] += h * (t->b[0] * fall->K[0][d] + t->b[1] * fall->K[1][d]);
        fall->change[d] = h * (t->b[0] * fall->dz[0][d] + t->b[1] * fall->dz[1][d]);
    }
    thaw_tree_move(tree, fall->at0, fall->change, fall->at0);
}

// What hangs on a free bone goes along a parabola, exactly, and has the momenta that loads leave it.
static void mend(ThawFall *fall, double h) {
    const ThawSkeleton *tree = fall->tree;
    for (int32_t b = 0; b < tree->bone_count; b++) {
        const ThawWhole *start = &fall->whole[b];
        double force[3], torque[3], way[3];
        ThawWhole now;
        if (!thaw_tree_is_root(tree, b))
            continue;
        thaw_tree_pose(tree, fall->at, fall->rate, fall->pose);
        thaw_tree_whole(tree, fall->pose, b, &now);
        thaw_tree_whole_load(tree, fall->pose, fall->load, b, now.at, force, torque);
        for (int k = 0; k < 3; k++) {
            fall->P[b][k] = start->P[k] + h * force[k];
            fall->centre[b][k] = start->at[k] + h * (start->P[k] + h * force[k] / 2) / start->mass;
            way[k] = fall->centre[b][k] - now.at[k];
        }
        thaw_tree_shift(tree, b, way, fall->at);
        thaw_tree_pose(tree, fall->at, fall->rate, fall->pose);
        thaw_tree_give(tree, fall->pose, b, fall->P[b], fall->L[b], fall->rate);
    }
}

static void begin(ThawFall *fall, const double *at, const double *rate) {
    const ThawSkeleton *tree = fall->tree;
    memcpy(fall->at0, at, sizeof *at * (size_t)tree->at_count);
    memcpy(fall->rate0, rate, sizeof *rate * (size_t)tree->dof_count);
    memset(fall->joint, 0, sizeof(double) * (size_t)tree->dof_count);
    memset(fall->motor, 0, sizeof(double) * (size_t)tree->dof_count);
    for (int32_t b = 0; b < tree->bone_count; b++)
        if (thaw_tree_is_root(tree, b))
            thaw_v3_copy(fall->whole[b].L, fall->L[b]);
}

ThawStatus thaw_fall_go(ThawFall *fall, double h, const double *at, const double *rate) {
    const ThawSkeleton *tree = fall->tree;
    const Tableau *t = acts(fall) > 1 ? &RADAU : &GAUSS;
    thaw_tree_pose(tree, at, rate, fall->pose);
    double fastest = 0;
    for (int32_t l = 0; l < tree->link_count; l++)
        fastest = fmax(fastest, thaw_v3_norm(fall->pose[l].omega));
    for (int32_t b = 0; b < tree->bone_count; b++)
        if (thaw_tree_is_root(tree, b))
            thaw_tree_whole(tree, fall->pose, b, &fall->whole[b]);
    if (!isfinite(fastest))
        return THAW_DIVERGED;
    int parts = 1;
    while (parts < MOST_PARTS && h * fastest > LARGEST_TURN * parts)
        parts *= 2;
    for (int done = 0; parts <= MOST_PARTS && !done; parts *= 2) {
        const double share = 1.0 / parts;
        begin(fall, at, rate);
        done = 1;
        for (int k = 0; k < parts && done; k++) {
            done = converge(fall, t, h * share, k * share, share);
            if (done)
                take(fall, t, h * share, k * share, share);
        }
        if (done) {
            memcpy(fall->at, fall->at0, sizeof *at * (size_t)tree->at_count);
            memcpy(fall->rate, fall->rate0, sizeof *rate * (size_t)tree->dof_count);
            mend(fall, h);
            return THAW_OK;
        }
    }
    return THAW_DIVERGED;
}
