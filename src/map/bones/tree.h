// SPDX-License-Identifier: Apache-2.0
// The mechanics of a skeleton: where its links are for given joint coordinates, how they move for given rates, and
// what forces do to the rates. All 3D; a plane skeleton has its hinges along z and its slides in the plane.
//
// Coordinates `at` (at_count: angles, ways, and rotations of balls, column-major) and rates (dof_count: rad/s, m/s, and
// angular velocities of balls in their parents' axes). A *way* has a number for each rate and leads from one pose to
// another: at = at0 + z, and B = exp(z) B0 of balls.
#ifndef THAW_TREE_H
#define THAW_TREE_H

#include "model/joint.h"

// A link in the world: m; column-major; rad/s, m/s.
typedef struct ThawLinkPose {
    double p[3], R[9];
    double omega[3], v[3];
} ThawLinkPose;

// What acts on what a link carries, constant in the world's axes: N; and sum r f', r in the link's axes, N m.
typedef struct ThawLinkLoad {
    double force[3], moment[3][3];
} ThawLinkLoad;

void thaw_tree_start(const ThawSkeleton *tree, double *at);
// to = from, moved by z. `to` may be `from`.
void thaw_tree_move(const ThawSkeleton *tree, const double *from, const double *z, double *to);
// dz/dt of a way z for rates.
void thaw_tree_way_rates(const ThawSkeleton *tree, const double *z, const double *rate, double *dz);
// The numbers of joints: coordinates, and of balls axis times angle (dof_count).
void thaw_tree_numbers(const ThawSkeleton *tree, const double *at, double *number);
// Where links are and, unless rate is NULL, how they move.
void thaw_tree_pose(const ThawSkeleton *tree, const double *at, const double *rate, ThawLinkPose *pose);
// How a force and a torque about its origin on a link count for the rates: r += J'(f, t).
void thaw_tree_add_force(const ThawSkeleton *tree, const ThawLinkPose *pose, int32_t link, const double f[3],
                         const double torque[3], double *r);
// The columns of J of a link: of each rate in its chain what it adds to the velocity of the link's origin and to omega.
// Calls visit for each. at: where in the world the velocity is asked for.
typedef struct ThawColumn {
    int32_t dof;
    double v[3], omega[3];
} ThawColumn;
enum { THAW_COLUMNS_MAX = 512 };
int thaw_tree_columns(const ThawSkeleton *tree, const ThawLinkPose *pose, int32_t link, const double at[3],
                      ThawColumn *columns);
// H += scale J'MJ (dof_count squared, row-major, both triangles), of masses by link.
void thaw_tree_add_inertia(const ThawSkeleton *tree, const ThawLinkPose *pose, const ThawLinkMass *mass, double scale,
                           double *H);
// r += J'(forces - M J' rate): loads and the forces of inertia of rates that do not change. Of poses with rates.
void thaw_tree_add_forces(const ThawSkeleton *tree, const ThawLinkPose *pose, const double *rate,
                          const ThawLinkLoad *load, double *r);
double thaw_tree_kinetic(const ThawSkeleton *tree, const ThawLinkPose *pose); // J

// --- trees that hang on free bones ---
// Of what hangs on the free bone b: mass, centre and momenta about it.
typedef struct ThawWhole {
    double mass, at[3], P[3], L[3], inertia[9];
} ThawWhole;
int thaw_tree_is_root(const ThawSkeleton *tree, int32_t bone); // a free bone
void thaw_tree_whole(const ThawSkeleton *tree, const ThawLinkPose *pose, int32_t root, ThawWhole *whole);
// The force on all of it and the torque about its centre.
void thaw_tree_whole_load(const ThawSkeleton *tree, const ThawLinkPose *pose, const ThawLinkLoad *load, int32_t root,
                          const double centre[3], double force[3], double torque[3]);
// Shifts it, and changes the rates of its root so that it has these momenta about its centre.
void thaw_tree_give(const ThawSkeleton *tree, const ThawLinkPose *pose, int32_t root, const double P[3],
                    const double L[3], double *rate);
void thaw_tree_shift(const ThawSkeleton *tree, int32_t root, const double way[3], double *at);

#endif
