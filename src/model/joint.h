// SPDX-License-Identifier: Apache-2.0
// Skeletons, compiled: bones of a unit, joined in trees by joints, and the vertices of soft bodies that they carry.
//
// A joint is a chain of *links*, each of which turns about an axis (a hinge), goes along one (a slide) or turns freely
// (a ball): a universal joint is two hinges, a free one three slides and a ball. A bone sits on the last link of its
// joint; one that is fixed sits on its parent's, and on none (-1) where that is the world. At the start all links have
// the world's axes, so anchors, axes and levers are read off from where the bodies are placed.
#ifndef THAW_JOINT_H
#define THAW_JOINT_H

#include "model/model.h"

typedef enum ThawLinkKind { THAW_LINK_HINGE, THAW_LINK_SLIDE, THAW_LINK_BALL } ThawLinkKind;

typedef struct ThawLink {
    ThawLinkKind kind;
    int32_t parent;   // a link before it, or -1: the world
    int32_t dof;      // the first of its rates: one, of a ball three (rad/s, in the parent's axes)
    int32_t at;       // the first of its coordinates: one, of a ball the nine of its rotation, column-major
    int32_t bone;     // whose joint it is of
    int number;       // which number of the joint it begins with
    double axis[3];   // of hinges and slides, in the parent's axes
    double origin[3]; // m, where it is from the parent's origin, in the parent's axes
} ThawLink;

typedef struct ThawBone {
    int32_t body;         // in the model
    int32_t parent;       // a bone before it; -1: the world
    int32_t link;         // that it sits on; -1: it is fixed to the world
    int32_t first, count; // links of its joint
    int32_t dof;          // its joint's first rate
    int numbers;          // of its joint
    ThawJointDef joint;   // keys are the model's own
} ThawBone;

// Sums over what a link carries, in its axes, from its origin.
typedef struct ThawLinkMass {
    double mass, first[3], second[9]; // kg, kg m, kg m^2: sum m (r'r I - r r')
} ThawLinkMass;

enum { THAW_CARRIED_BY_NONE = -2, THAW_CARRIED_BY_WORLD = -1 };

typedef struct ThawSkeleton {
    int dim;
    ThawBone *bones;
    int32_t bone_count;
    ThawLink *links; // parents first
    int32_t link_count;
    int32_t dof_count, at_count;
    int32_t *link_of;   // by vertex of the body or unit: a link, or one of the two above
    double *lever;      // 3 each, m: from the link's origin at the start
    ThawLinkMass *mass; // by link
    int moves_softly;   // it has soft bodies
    int anchored;       // not all of its bones hang on a free one
} ThawSkeleton;

// Checks what definitions say of bones and compiles it; bodies and units come first.
ThawStatus thaw_joints_compile(const ThawWorldDef *def, ThawModel *model, ThawError *error);
void thaw_joints_clear(ThawModel *model);
// An error where a method and a body do not suit each other: bones need one that moves bones, which moves nothing else;
// `where` begins the message.
ThawStatus thaw_joints_check_method(const char *where, const ThawModelBody *moved, const ThawMethod *method,
                                    ThawError *error);
// The positions that a motor asks for at time t.
void thaw_motor_position(const ThawMotorDef *motor, double t, double position[3]);
// Whether two bodies of one skeleton do not touch: they are joined, or one carries part of the other.
int thaw_joints_part(const ThawModel *model, int32_t a, int32_t b);

#endif
