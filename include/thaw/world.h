// SPDX-License-Identifier: Apache-2.0
// Definitions of what is to be simulated (plain structs with defaults), and the world that is compiled from them.
// SI units everywhere. In 2D the third component of every vector is ignored and rotations are about z.
#ifndef THAW_WORLD_H
#define THAW_WORLD_H

#include <stdint.h>

#include "thaw/material.h"
#include "thaw/mesh.h"
#include "thaw/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Definitions are made by their default functions (below) and then changed. Those of worlds, shapes, bodies, obstacles
// and attachments carry a mark of that (`made`) and are refused without it. Small ones (groups, scripts, forces,
// changes, pairs) and materials have none, since tables of them are written out in full: what is left out is zero,
// which makes a script that lets go at once, a force that is over, a pair without friction.

// --- Shapes: a mesh with its materials, compiled once and shared by any number of bodies -----------------------------

// How a group of vertices is chosen, in the shape's own coordinates. Boundaries count as inside, with a slack of 1e-9
// of the shape's diameter for rounding.
typedef enum ThawSelect {
    THAW_SELECT_ALL,
    THAW_SELECT_MESH_GROUP, // a group of the mesh file, by mesh_group
    THAW_SELECT_BOX,        // a <= x <= b, component by component
    THAW_SELECT_SPHERE,     // |x - a| <= radius
    THAW_SELECT_PLANE_SIDE, // (x - a) . b >= 0
    THAW_SELECT_NEAREST,    // the vertex nearest to a (lowest id on a tie)
} ThawSelect;

typedef struct ThawGroupDef {
    const char *name;
    ThawSelect select;
    const char *mesh_group; // THAW_SELECT_MESH_GROUP only
    double a[3], b[3];      // m
    double radius;          // m
} ThawGroupDef;

// Sheets, which are meshes of triangles in space (docs/shells.md): how thick they are when stretched, and how they
// bend.
typedef enum ThawMembrane {
    THAW_MEMBRANE_PLANE_STRESS,    // no stress across the sheet: it thins where it is stretched
    THAW_MEMBRANE_FIXED_THICKNESS, // as in the shells paper; up to three times too stiff
    THAW_MEMBRANE_WOVEN,           // warp and weft (ThawWeave), quadratic in Green strain, plane stress
    THAW_MEMBRANE_LENGTHS,         // by lengths of edges and areas (discrete shells, Grinspun et al. 2003)
    THAW_MEMBRANE_AUTO,            // woven where one of its materials has a weave, else plane stress
} ThawMembrane;

typedef enum ThawBending {
    THAW_BENDING_PLATE, // of plates: near theory on irregular meshes, too
    THAW_BENDING_HINGE, // as in the shells paper: depends on the mesh
} ThawBending;

typedef enum ThawLimiting {
    THAW_LIMIT_ENERGY, // triangles resist by an energy of their stretches (docs/shells.md#strain-limits)
    THAW_LIMIT_CLAMP,  // as in the shells paper: stretches are clamped after each step, and vertices moved
} ThawLimiting;

typedef struct ThawShapeDef {
    const char *name;
    const ThawMesh *mesh;           // borrowed until thaw_world_create returns
    int32_t material;               // index into the world's materials, for regions not listed below
    const int32_t *region_material; // mesh->region_count material indices, -1 for the default; may be NULL
    double thickness;               // m, out of plane; dim 2 and sheets
    ThawMembrane membrane;          // of sheets
    ThawBending bending;            // of sheets
    ThawLimiting limiting;          // of sheets whose materials have strain limits
    double bending_damping;         // s, of sheets, in place of alpha1 for bending; < 0: alpha1
    double warp[3];                 // of woven sheets: the warp's direction, as far as it lies in a triangle's plane;
                                    // 0: x, and y where x is across
    const double *uv;               // of woven sheets: u, v of each corner of each element of the mesh, u along the
                                    // warp; in place of `warp` where it is not degenerate; may be NULL
    // Of sheets: 1/m and rad, beyond which bending stays (docs/shells.md#plastic-folds); 0: it never does by that.
    double yield_curvature, yield_angle;
    double pressure;         // Pa, inside a closed sheet over outside; its triangles must all look out, or in
    double fibre[3];         // of solids whose materials have fibres: their direction, in the shape's coordinates
    const double *fibres;    // the same for each element of the mesh, dim numbers, in its place; may be NULL
    const double *stiffness; // of each element of the mesh: times which its material is as stiff, > 0; may be NULL
    // Degrees: contact is with a smooth surface through the vertices where the mesh is bent by no more than that at
    // rest, 0 to 90; 0: with its faces. Not for sheets.
    double smooth;
    double mass; // kg, in the place of what the densities give, shared out as they say; 0: by these
    const ThawGroupDef *groups;
    int32_t group_count;
    uint32_t made; // by the default function; without its mark a definition is refused
} ThawShapeDef;

// --- Bodies: a placed shape with its loads
// -----------------------------------------------------------------------------

typedef enum ThawInterpolation {
    THAW_INTERPOLATE_LINEAR, // piecewise linear, constant velocity between keys
    THAW_INTERPOLATE_SMOOTH, // smoothstep between keys, at rest at each key
} ThawInterpolation;

typedef struct ThawKey {
    double time;           // s
    double translation[3]; // m, from the start pose
    double rotation[4];    // unit quaternion (w, x, y, z) about the script's centre, from the start pose
} ThawKey;

// A group moved along keyframes; before the first key and after the last it stands still. No keys: a pin.
typedef struct ThawScriptDef {
    int32_t group;    // index into the shape's groups
    double centre[3]; // m, world coordinates at the start
    ThawInterpolation interpolation;
    const ThawKey *keys; // key_count, times strictly ascending
    int32_t key_count;
    double release; // s; from this time on the group is free again. INFINITY: never
} ThawScriptDef;

typedef enum ThawForceKind {
    THAW_FORCE_TOTAL,        // N, shared among the group's vertices in proportion to their masses
    THAW_FORCE_PER_VERTEX,   // N on each vertex
    THAW_FORCE_ACCELERATION, // m/s^2: each vertex gets its mass times this
    THAW_FORCE_WIND,         // m/s: air that blows on the triangles of a sheet between the group's vertices
} ThawForceKind;

// A force on a group during [from, to), ramped up linearly over the first `ramp` seconds.
typedef struct ThawForceDef {
    int32_t group;
    ThawForceKind kind;
    double value[3];
    double from, to;        // s; to may be INFINITY
    double ramp;            // s, >= 0
    double air, drag, lift; // of wind: kg/m^3; coefficients along the wind and across it
} ThawForceDef;

// An option of a method, by names, as a number: a flag is 0 or 1, a choice its place in the list of `thaw help METHOD`
// from 0, and what is left to follow from others ("by tolerance") is 0.
typedef struct ThawOptionDef {
    const char *method, *name;
    double value;
} ThawOptionDef;

// What becomes of a body's shape while it moves. A change is of certain elements, chosen in the shape's own
// coordinates by their centres, or by a group: those with all vertices in it.
typedef enum ThawChangeKind {
    THAW_CHANGE_REMOVE, // they go; vertices that no element is left of stay where they are, without mass, in no picture
    THAW_CHANGE_CUT,    // they part from the others along the faces between them; vertices there are copied
} ThawChangeKind;

typedef struct ThawChangeDef {
    ThawChangeKind kind;
    double time;        // s, > 0: it happens at the end of the first step that comes to it; thaw_world_change: not read
    int32_t group;      // index into the shape's groups, or -1: `where` chooses
    ThawGroupDef where; // THAW_SELECT_ALL, BOX, SPHERE or PLANE_SIDE
    int limited;        // nonzero: a cut goes along those faces only whose centres `within` chooses
    ThawGroupDef within; // as `where`
} ThawChangeDef;

// --- Bones ----------------------------------------------------------------------------------------------------------
// Bodies of the method "skeleton" (docs/bones.md): rigid, and joined in reduced coordinates. Angles are 0 as placed.

typedef enum ThawJointKind {
    THAW_JOINT_FREE,      // 6 numbers (2D: 3): way along the world's axes, m, then turn, rad; of bones on nothing
    THAW_JOINT_FIXED,     // none
    THAW_JOINT_REVOLUTE,  // a turn about the axis
    THAW_JOINT_UNIVERSAL, // turns about the axis, and about the second one, which turns along
    THAW_JOINT_SPHERICAL, // 3: its rotation, as axis times angle, in the parent's axes as they were placed
    THAW_JOINT_PRISMATIC, // a way along the axis, m
    THAW_JOINT_KIND_COUNT
} ThawJointKind;
enum { THAW_JOINT_NUMBERS = 6 };

typedef struct ThawMotorKey {
    double time; // s
    double position[3];
} ThawMotorKey;

// Pushes a joint by torque + stiffness (position - its own) + damping (velocity - its own), a number each.
typedef struct ThawMotorDef {
    double torque[3];         // N m, or N
    double position[3];       // rad, or m
    double velocity[3];       // rad/s, or m/s
    double stiffness;         // N m/rad, or N/m
    double damping;           // N m s/rad, or N s/m
    const ThawMotorKey *keys; // positions over time, straight between them, in the place of `position`; and the
    int32_t key_count;        // velocity of that on top of `velocity`
} ThawMotorDef;

typedef struct ThawJointDef {
    ThawJointKind kind;
    int32_t parent;   // a body before this one, of the same unit; -1: the world
    double anchor[3]; // m, where it is in the world at the start; of free bones the centre of mass counts instead
    double axis[3];   // in the world, at the start; any length but 0. Of spherical joints: what their limits are of
    double second[3]; // of universal joints, likewise; across the first
    // rad or m; 0, as placed, is between them. Spherical: upper[0] is how far the axis may swing, < pi, and [1] are
    // those of the twist about it.
    double lower[3], upper[3];
    double stiffness; // N m/rad or N/m, of a spring ...
    double rest[3];   // ... that has no force here
    double damping;   // N m s/rad or N s/m
    ThawMotorDef motor;
} ThawJointDef;

// Vertices of a soft body that a bone carries.
typedef struct ThawCarriedDef {
    int32_t group; // of the body's shape
    int32_t bone;  // a body of the same unit
} ThawCarriedDef;

typedef struct ThawBodyDef {
    const char *name;
    const char *method; // how it is moved: "full", "rigidify", or another that `thaw help methods` lists
    // Bodies of one unit, which follow each other in the list, have one set of unknowns and one factor: whatever its
    // method makes of their vertices together. They agree in method and at_rest, options are those of the first, and
    // shapes stay. NULL: it is one for itself.
    const char *unit;
    int at_rest; // nonzero: starts from its static solution, asleep; a method that sleeps, held by pins
    int32_t shape;
    double position[3];           // m; x = rotation * X + position
    double rotation[4];           // unit quaternion (w, x, y, z)
    double velocity[3];           // m/s
    double spin[3];               // rad/s about the centre of mass
    const ThawScriptDef *scripts; // pins included
    int32_t script_count;
    const ThawForceDef *forces;
    int32_t force_count;
    const ThawChangeDef *changes; // of its shape, at given times
    int32_t change_count;
    double friction;                            // Coulomb's mu against others
    double restitution;                         // 0 to 1, of blows that a step does not resolve (docs/contact.md)
    int self_contact;                           // nonzero: it touches itself, too
    const struct ThawRigidifyOptions *rigidify; // options of its own, all of them; NULL: the world's
    const ThawOptionDef *options;               // options of its own of any method, on top of those above
    int32_t option_count;
    const ThawJointDef *joint;     // it is a bone, on that joint, and its method is "skeleton"; NULL: it is none
    const ThawCarriedDef *carried; // of a soft body of the method "skeleton": what bones of its unit carry of it
    int32_t carried_count;
    uint32_t made; // by the default function; without its mark a definition is refused
} ThawBodyDef;

// --- Contact ---------------------------------------------------------------------------------------------------------

// What bodies may touch besides each other. Solid: inside is forbidden. In 2D: half-plane, circle, box, polygon (a
// mesh).
typedef enum ThawObstacleKind {
    THAW_OBSTACLE_HALF_SPACE, // z <= 0 (2D: y <= 0) of its own frame is solid
    THAW_OBSTACLE_SPHERE,     // size[0]: radius
    THAW_OBSTACLE_BOX,        // size: full lengths along its axes, centred
    THAW_OBSTACLE_CAPSULE,    // size[0]: radius, size[1]: length of its axis along z between the half spheres; 3D only
    THAW_OBSTACLE_CYLINDER,   // size[0]: radius, size[1]: height along z, centred; 3D only
    THAW_OBSTACLE_MESH,       // a closed surface: triangles outward (2D: edges, interior to the left)
    THAW_OBSTACLE_KIND_COUNT
} ThawObstacleKind;

typedef struct ThawObstacleDef {
    const char *name;
    ThawObstacleKind kind;
    double size[3]; // m, by kind
    // THAW_OBSTACLE_MESH: vertices (dim doubles each) and faces (dim ids each).
    const double *x;
    int32_t vertex_count;
    const int32_t *faces;
    int32_t face_count;
    // A moving surface: frame_count > 0 positions of all vertices (frame by frame) at ascending times, interpolated
    // linearly and held before the first and after the last. x is then the first frame or NULL.
    const double *frames;
    const double *frame_times; // s
    int32_t frame_count;
    double position[3];  // m
    double rotation[4];  // unit quaternion (w, x, y, z)
    const ThawKey *keys; // moved along keyframes about `centre`, like a script; 0 keys: static
    int32_t key_count;
    ThawInterpolation interpolation;
    double centre[3];
    double friction;    // Coulomb's mu; a pair's is the geometric mean unless a ThawPairDef says otherwise
    double restitution; // 0 to 1; a pair's likewise
    uint32_t made;      // by the default function; without its mark a definition is refused
} ThawObstacleDef;

// Settings for one pair. Names are those of bodies or obstacles; either may be "*".
typedef struct ThawPairDef {
    const char *first, *second;
    int disabled;       // nonzero: they pass through each other
    double friction;    // < 0: as usual
    double restitution; // at most 1; < 0: as usual
} ThawPairDef;

// --- Attachments -----------------------------------------------------------------------------------------------------

// A region of a body, held to another body, to an obstacle, or to a frame that keyframes move: every vertex of the
// region by a spring and a damper of its own to the place on the other side where it was at the start. The other body's
// place is one of its elements' (of the nearest one, where the vertex lies outside), so it turns with the body, and
// momentum is kept. Or each by a spring of a length along the line to a point that is farther away.
typedef enum ThawAttachmentKind {
    THAW_ATTACHMENT_POINT,   // pulls to the place where the vertex was at the start
    THAW_ATTACHMENT_DISTANCE // keeps a distance from its anchor
} ThawAttachmentKind;

// What vertices are sewn to, of springs of a length to a group (other_group).
typedef enum ThawAttachmentPairing {
    THAW_ATTACHMENT_NEAREST, // the nearest vertex of the group
    // The place along the group, by its share of the way along its own: both are edges of sheets, of whatever vertices.
    THAW_ATTACHMENT_ALONG
} ThawAttachmentPairing;

// Whether bodies touch where they are attached.
typedef enum ThawAttachmentContact {
    THAW_ATTACHMENT_CONTACT_AUTO, // not where they are glued, elsewhere they do
    THAW_ATTACHMENT_CONTACT_ON,
    THAW_ATTACHMENT_CONTACT_OFF // vertices, edges and faces of the region do not touch what it is held to
} ThawAttachmentContact;

typedef struct ThawAttachmentDef {
    const char *name;
    ThawAttachmentKind kind;
    int32_t body;        // that the region belongs to
    int32_t group;       // of the body's shape: the region
    int32_t other_body;  // held to this body, with other_group maybe the same one; -1: to none
    int32_t other_group; // of the other body's shape, of springs of a length: held to its vertices; -1: to any
    ThawAttachmentPairing pairing;
    int32_t obstacle;    // held to this obstacle, whose own frames must not deform it; -1: to none
    const ThawKey *keys; // held to a frame in space, moved along keyframes about `centre`; used where both are -1
    int32_t key_count;   // 0: the frame stands still
    ThawInterpolation interpolation;
    double centre[3];
    // N/m of all vertices together, shared out by area (by mass where not all of it is surface); 0: glue, a hundred
    // times as stiff as the materials at each vertex.
    double stiffness;
    double stiffness_per_area; // N/m^3, used in its place where > 0; the region needs a surface
    double damping;            // s: the force is that of the offset plus this time's change of it
    double length;             // m, of springs that keep a distance; < 0: what it is at the start
    double close;              // s: such springs go from what they are at the start to that length in this time
    const double *at;          // m, where in space their anchor is at the start; NULL: the nearest vertex of other_body
    ThawAttachmentContact contact;
    double release_time;  // s: lets go then; INFINITY: never
    double release_force; // N: lets go after a step in which its force on the region was larger; INFINITY: never
    uint32_t made;        // by the default function; without its mark a definition is refused
} ThawAttachmentDef;

typedef enum ThawFriction {
    THAW_FRICTION_CONE, // |lambda_t| <= mu lambda_n
    THAW_FRICTION_BOX,  // |lambda_t1|, |lambda_t2| <= mu lambda_n, as in the solids paper's runs
} ThawFriction;

// A contact is a spring and a damper in parallel that only push: at rest it carries -stiffness * Phi, whatever the
// step.
typedef struct ThawContactOptions {
    int disabled;     // nonzero: nothing touches anything
    double stiffness; // N/m each contact point; 0: chosen from the material and mesh; INFINITY: hard
    double damping;   // N s/m each contact point; < 0: chosen (critical for the touching vertex)
    double tangent;   // stiffness of sticking relative to the normal's; 0: hard
    double erp, cfm;  // the paper's form, k_b = erp/h and gamma = cfm (m/(N s)); used instead where erp > 0
    ThawFriction friction;
    double tolerance; // complementarity residual, relative, at which the response stops
    int iterations;   // sweeps at most
    int edges;        // nonzero: also edge against edge
} ThawContactOptions;

// --- Adaptive rigidification -----------------------------------------------------------------------------------------

// How it is decided which elements must be elastic: by the strain that loads would cause statically, or by the rule of
// the paper.
typedef enum ThawOracleRule { THAW_ORACLE_STATIC, THAW_ORACLE_PAPER, THAW_ORACLE_RULE_COUNT } ThawOracleRule;

// Settings of the method "rigidify"; docs/rigidification.md. One number says what is small, whatever the size,
// stiffness and weight of a body: tolerance. Thresholds that are 0 follow from it, for each body by its own lowest mode
// of vibration.
// How the paper's rule begins where contacts have just begun: from nothing; or from what their impulses do to the
// vertices around, those of the vertices alone, in one step of conjugate gradients, or to all of the body.
typedef enum ThawOracleWarmStart {
    THAW_WARM_NONE,
    THAW_WARM_FILTER,
    THAW_WARM_BLOCKS,
    THAW_WARM_CG,
    THAW_WARM_EXACT,
    THAW_WARM_COUNT
} ThawOracleWarmStart;

typedef struct ThawRigidifyOptions {
    double tolerance;   // share of its diameter by which rigid parts may put a body off, about
    double tau_rigid;   // 1/s^2: an element may become rigid when |E_dot|_F^2 stays below; 0: from tolerance
    int frame_count;    // for so many steps
    double epsilon;     // predicted static strain above which an element must be elastic; 0: from tolerance
    double horizon;     // s, T: loads are judged by what they do within this time; 0: the time of the lowest mode
    int hold;           // steps that a woken element stays elastic at least
    double relax;       // share of the predicted displacement that is taken up a step, 0: none
    int32_t smallest;   // parts of fewer elements are not formed
    int sleep;          // 2 to 255 steps at rest, after which what is wholly rigid sleeps with all it touches; 0: never
    double sleep_speed; // 1/s: at rest is what would go by less than this share of its diameter in the next second, by
                        // its velocity and mean acceleration; 0: from tolerance
    ThawOracleRule oracle;
    // Of the paper's rule, which uses neither epsilon nor horizon nor relax:
    double tau_elastic; // 1/s^2: an element must be elastic when the quick solve foresees |E_dot|_F^2 above; 0: 100
                        // tau_rigid
    int cg_iterations;  // of the quick solve
    int split_gravity;  // nonzero: gravity acts before the quick solve, not in it
    ThawOracleWarmStart warm_start;
    // Of sheets by the paper's rule: thresholds of bending, 1/(m s), or rad/s of angles; 0: as strain by tau_rigid and
    // tau_elastic, 4 / diameter times their roots, or 4 times of angles.
    double bend_rigid, bend_elastic;
    int dihedral; // nonzero: rates of angles, not of curvatures
} ThawRigidifyOptions;

// --- The world -------------------------------------------------------------------------------------------------------

typedef enum ThawIntegrator {
    THAW_INTEGRATOR_SEMI_IMPLICIT, // one linearised backward Euler step (solids paper, equation 5)
    THAW_INTEGRATOR_NEWTON,        // backward Euler to convergence on the incremental potential (shells paper, 3.3)
    // The same two in each body's own moving frame: what is left of the step is deformation alone, so that spin,
    // rolling and flight last (docs/motion.md).
    THAW_INTEGRATOR_EULER,
    THAW_INTEGRATOR_EULER_NEWTON,
    // Second order in that frame, and as robust in stiff bodies: trapezoid, then backward differences (docs/motion.md).
    THAW_INTEGRATOR_TR_BDF2,
    THAW_INTEGRATOR_TR_BDF2_NEWTON,
    THAW_INTEGRATOR_COUNT
} ThawIntegrator;

typedef enum ThawProjection {
    THAW_PROJECT_WHEN_NEEDED, // only after the matrix turned out indefinite
    THAW_PROJECT_ALWAYS,
    THAW_PROJECT_NEVER, // an indefinite matrix goes straight to a smaller step
} ThawProjection;

typedef enum ThawSolverKind {
    THAW_SOLVER_AUTO,    // by a fixed cost model of the matrix's size
    THAW_SOLVER_PCG,     // our conjugate gradients with a block incomplete Cholesky factor
    THAW_SOLVER_CHOLMOD, // CHOLMOD's supernodal factorisation; only where built with THAW_WITH_CHOLMOD
    THAW_SOLVER_LDL,     // our own supernodal factorisation
    // THAW_SOLVER_PCG of the matrix scaled from both sides after Curtis and Reid (docs/factorisation.md#scaling)
    THAW_SOLVER_PCG_SCALED,
} ThawSolverKind;

typedef struct ThawWorldDef {
    int dim;           // 2 or 3
    double gravity[3]; // m/s^2
    double h;          // s, the time step, > 0
    ThawIntegrator integrator;
    ThawProjection projection;
    double newton_tolerance; // relative size of the gradient at which Newton stops
    int newton_iterations;   // at most this many
    int corrections;         // of a step that is linearised: so many more solves by the same factor (docs/motion.md)
    int halvings;            // a failing step is retried with h/2, h/4, ... h/2^halvings
    int substeps;            // a blow is resolved by so many parts of a step at most, and what rolls over facets; 0:
                             // none is (docs/motion.md)
    ThawSolverKind solver;
    double solver_tolerance; // relative residual of iterative solves
    int threads;             // >= 1; 0: one per processor. Never changes a bit of the result
    // Nonzero: report energies and works (about one force evaluation a step; adaptive bodies always have it).
    int ledger;
    const ThawMaterialDef *materials;
    int32_t material_count;
    const ThawShapeDef *shapes;
    int32_t shape_count;
    const ThawBodyDef *bodies;
    int32_t body_count;
    ThawRigidifyOptions rigidify;
    const ThawOptionDef *options; // of any method, on top of the defaults and of the member above; copied
    int32_t option_count;
    ThawContactOptions contact;
    const ThawObstacleDef *obstacles;
    int32_t obstacle_count;
    const ThawPairDef *pairs;
    int32_t pair_count;
    const ThawAttachmentDef *attachments;
    int32_t attachment_count;
    const char *source; // the file that all this comes from, for messages; NULL: none
    uint32_t made;      // by the default function; without its mark a definition is refused
} ThawWorldDef;

ThawWorldDef thaw_world_def_default(void);           // 3D, gravity 9.81 along -z, h 0.01 s, semi-implicit, auto
ThawShapeDef thaw_shape_def_default(void);           // no mesh yet, material 0, thickness 1
ThawGroupDef thaw_group_def_default(void);           // every vertex
ThawBodyDef thaw_body_def_default(void);             // shape 0, at its own place, at rest, method "full"
ThawScriptDef thaw_script_def_default(void);         // a pin, for ever
ThawForceDef thaw_force_def_default(void);           // a total force of zero, always
ThawChangeDef thaw_change_def_default(void);         // removes every element: choose some
ThawJointDef thaw_joint_def_default(void);           // free; axes z and x, no limits, springs or motor
ThawObstacleDef thaw_obstacle_def_default(void);     // a floor at z = 0 (2D: y = 0), friction 0.5
ThawAttachmentDef thaw_attachment_def_default(void); // body 0 and its group 0 glued to where they are, for ever

// Energies and works in joules. kinetic + shadow + elastic + gravitational - (external_work - damping_loss -
// integration_loss + contact_work + parting_work - transition_loss + follow_work) stays what it was at the start, up to
// the solver's tolerance.
typedef struct ThawLedger {
    double kinetic, elastic, gravitational;
    double shadow;           // kinetic energy of slow motion inside rigid parts
    double external_work;    // by forces, pins and scripts, since the start
    double damping_loss;     // by Rayleigh damping, since the start
    double integration_loss; // by the time integration itself, since the start
    double contact_work;
    double transition_loss; // by parts that form and dissolve, coming to rest and falling asleep: never falls
    double follow_work;     // what following the motion inside parts and relaxing put in: of either sign
    double parting_work;    // by shifting bodies apart that stood in each other: what their heights changed by
    double obstacle_work;   // by obstacles and frames that move: a share of contact_work
    double contact_energy;  // in the springs of contacts and attachments, of the present state
} ThawLedger;

// One step in numbers.
typedef struct ThawStepStats {
    int64_t step;
    double time;
    double wall_ms, cpu_ms;
    double force_ms, assemble_ms, factor_ms, solve_ms, oracle_ms, contact_ms, response_ms, advance_ms,
        ledger_ms;            // wall time by stage
    int64_t dofs;             // unknowns solved for
    int64_t elastic_elements; // elements evaluated
    int64_t rigid_parts;
    int64_t woken, settled; // elements that became elastic, and rigid, in this step
    int64_t asleep;         // bodies
    int64_t contacts;
    int response_iterations;   // of the contact response, the largest of any island
    double response_residual;  // complementarity that it left, relative, likewise
    double response_tolerance; // what is asked of it: above, forces of contacts are not to be trusted
    double reaction[3];        // N, of all obstacles on all bodies; of each: thaw_world_get_reaction
    int newton_iterations;     // linearisations, the largest of any body; 1 for a semi-implicit step, 0 at rest
    int64_t solver_iterations; // of iterative solves, summed
    int projected;             // bodies whose matrix was indefinite and was projected
    int substeps;              // 1, or into how many parts the worst body's step was cut
    int64_t inverted;          // elements that are inside out, of all bodies; of each: thaw_world_inverted_count
    ThawLedger ledger;         // energies are NAN when the ledger is off
    uint64_t state_hash;
} ThawStepStats;

typedef struct ThawWorld ThawWorld;

// Compiles a definition, of which it keeps a copy. The caller frees *world with thaw_world_free; on error it is NULL.
ThawStatus thaw_world_create(const ThawWorldDef *def, ThawWorld **world, ThawError *error);
void thaw_world_free(ThawWorld **world);

// Whether everything in a world agrees with everything else, between steps: state, sleep, contacts, attachments, and
// what methods have of their bodies. THAW_ERROR_INPUT: a rule of the library is broken (its mistake, or memory was
// overwritten), and the message says which. Linear in the size of the world.
ThawStatus thaw_world_validate(const ThawWorld *world, ThawError *error);

// Advances by one step of h. On a status > 0 or an error the state is what it was before the call.
// stats may be NULL.
ThawStatus thaw_world_step(ThawWorld *world, ThawStepStats *stats, ThawError *error);

// A step may take long: wanted(context) is asked again and again while it is under way, and once it says nonzero the
// step (or static solve) is given up within a fraction of a second: it returns THAW_CANCELLED, and the world is as it
// was before. Made again, the step has the same bits as if it had never been cancelled. wanted is called often, from
// any of the world's threads and from several at once: it must be quick (read an atomic flag), must not wait, and must
// not call into the world.
typedef struct ThawCancel {
    int (*wanted)(void *context);
    void *context;
} ThawCancel;
// Of all steps from now on; copied. NULL: none are cancelled, which is how a world starts.
ThawStatus thaw_world_set_cancel(ThawWorld *world, const ThawCancel *cancel);

// Finds the static equilibrium of the loads at the present time, and leaves every body there at rest.
ThawStatus thaw_world_solve_static(ThawWorld *world, ThawStepStats *stats, ThawError *error);

// What an attachment does. The name belongs to the world.
typedef struct ThawAttachmentState {
    const char *name;
    int32_t body;          // that the region belongs to
    int32_t other_body;    // held to this body; -1: to none
    int32_t obstacle;      // held to this obstacle; -1: to none; a frame where both are
    int released;          // it has let go,
    double released_time;  // s, then,
    double released_force; // N, at this force; both NAN while it holds
    int32_t vertices;      // that it holds
    double stiffness;      // N/m, of all of them together
    double force[3];       // N, on its region in the last step
    double energy;         // J, in its springs
} ThawAttachmentState;
int32_t thaw_world_attachment_count(const ThawWorld *world);
ThawStatus thaw_world_get_attachment(const ThawWorld *world, int32_t attachment, ThawAttachmentState *state);
// Where its springs are: for each vertex that it holds six numbers, the vertex and its anchor, m (in 2D z is 0).
ThawStatus thaw_world_get_attachment_lines(const ThawWorld *world, int32_t attachment, double *lines);
// Lets go for good, and wakes what was held.
ThawStatus thaw_world_release_attachment(ThawWorld *world, int32_t attachment, ThawError *error);

// --- Joints ---------------------------------------------------------------------------------------------------------

typedef struct ThawJointState {
    ThawJointKind kind;
    int32_t parent;                      // a body; -1: the world
    int32_t count;                       // of its numbers, as the kind says
    double position[THAW_JOINT_NUMBERS]; // rad or m; of three turns at once their rotation's axis times its angle
    double velocity[THAW_JOINT_NUMBERS]; // rad/s or m/s
    double motor[THAW_JOINT_NUMBERS];    // N m or N, by its motor as all is now
    double spring[THAW_JOINT_NUMBERS];   // likewise, by its spring and damper
} ThawJointState;
// THAW_ERROR_INPUT of a body that is no bone, or that another method moves now.
ThawStatus thaw_world_get_joint(const ThawWorld *world, int32_t body, ThawJointState *joint);
// Another motor from now on, of a joint of at most three numbers; keys are not taken, and those of the scene no longer
// hold. It is part of the state.
ThawStatus thaw_world_set_motor(ThawWorld *world, int32_t body, const ThawMotorDef *motor, ThawError *error);

int thaw_world_dim(const ThawWorld *world);
double thaw_world_time(const ThawWorld *world);
int64_t thaw_world_step_count(const ThawWorld *world);
uint64_t thaw_world_hash(const ThawWorld *world); // of step, positions and velocities
// The same and all else that the future depends on: each body's method and options, whether it sleeps, and what its
// method keeps. It walks all of it: a matter of milliseconds for large worlds.
uint64_t thaw_world_full_hash(const ThawWorld *world);
int32_t thaw_world_body_count(const ThawWorld *world);
const char *thaw_world_body_name(const ThawWorld *world, int32_t body);

// Sizes of a body's mesh, and copies of its data in the mesh's own numbering. The caller gives room for dim doubles
// (ids: nodes) an item. A body out of range is THAW_ERROR_INPUT.
// Vertices that no element is left of count: they keep their numbers, and copies that a cut makes come behind.
int32_t thaw_world_vertex_count(const ThawWorld *world, int32_t body);
int32_t thaw_world_element_count(const ThawWorld *world, int32_t body);
int thaw_world_element_nodes(const ThawWorld *world, int32_t body); // ids an element: dim + 1, or 3 of a sheet
ThawStatus thaw_world_get_elements(const ThawWorld *world, int32_t body, int32_t *elements);
ThawStatus thaw_world_get_regions(const ThawWorld *world, int32_t body, int32_t *regions);
ThawStatus thaw_world_get_positions(const ThawWorld *world, int32_t body, double *x);
ThawStatus thaw_world_get_velocities(const ThawWorld *world, int32_t body, double *v);
ThawStatus thaw_world_set_positions(ThawWorld *world, int32_t body, const double *x);
ThawStatus thaw_world_set_velocities(ThawWorld *world, int32_t body, const double *v);
ThawStatus thaw_world_get_masses(const ThawWorld *world, int32_t body, double *m); // one double a vertex, kg

// A force on every vertex (N, dim doubles each), on top of the scripted ones, until set again; NULL takes it away.
ThawStatus thaw_world_set_forces(ThawWorld *world, int32_t body, const double *f);

// --- How bodies are moved, at run time. Whatever could change a verdict wakes bodies: nothing is missed. -------------

// Method of a body by name ("full", "rigidify"); body -1: of all. Takes effect with the next step; x and v stay.
ThawStatus thaw_world_set_method(ThawWorld *world, int32_t body, const char *name, ThawError *error);
const char *thaw_world_get_method(const ThawWorld *world, int32_t body); // NULL for a body out of range
// Options of any method, by name. They are part of the state: checkpoints store them. Those of a body (whatever its
// present method) become its own; body -1: of the world and of all bodies, whose other options stay as they are. All
// are set, or none.
ThawStatus thaw_world_set_options(ThawWorld *world, int32_t body, const ThawOptionDef *options, int32_t count,
                                  ThawError *error);
ThawStatus thaw_world_set_option(ThawWorld *world, int32_t body, const char *method, const char *name, double value,
                                 ThawError *error);
// The body has the world's options of that method again; -1: all bodies have.
ThawStatus thaw_world_clear_options(ThawWorld *world, int32_t body, const char *method, ThawError *error);
// What was set for a body, or (-1) for the world.
ThawStatus thaw_world_get_option(const ThawWorld *world, int32_t body, const char *method, const char *name,
                                 double *value);
// The same as the body goes by it, of its present method: what is left to follow from others is filled in.
ThawStatus thaw_world_get_option_in_force(const ThawWorld *world, int32_t body, const char *name, double *value);

// Options of the method "rigidify" as a struct. They are part of the state: checkpoints store them. The world's are
// those of all bodies that have none of their own; to set them takes away what bodies have of their own.
ThawStatus thaw_world_set_rigidify(ThawWorld *world, const ThawRigidifyOptions *options, ThawError *error);
ThawStatus thaw_world_get_rigidify(const ThawWorld *world, ThawRigidifyOptions *options);
// Options of one body, whatever its present method; NULL: the world's again. And those that it has, own or the world's.
ThawStatus thaw_world_set_body_rigidify(ThawWorld *world, int32_t body, const ThawRigidifyOptions *options,
                                        ThawError *error);
ThawStatus thaw_world_get_body_rigidify(const ThawWorld *world, int32_t body, ThawRigidifyOptions *options);
// The same as a body of that method goes by them: thresholds that were left to the tolerance are filled in.
ThawStatus thaw_world_get_thresholds(const ThawWorld *world, int32_t body, ThawRigidifyOptions *options);
// Makes a body (-1: all) elastic, waking whatever it rests on or carries; it becomes rigid again when the oracle finds
// so.
ThawStatus thaw_world_wake(ThawWorld *world, int32_t body);
// Nonzero: at rest with all that it touches; it costs nothing until something changes.
int thaw_world_is_asleep(const ThawWorld *world, int32_t body);
// How many of a body's elements are inside out (det F <= 0), which all materials but neo-Hookean bear.
int64_t thaw_world_inverted_count(ThawWorld *world, int32_t body);

// Changes the shape of a body now: THAW_ERROR_INPUT where that would do nothing, or leave nothing. Mass and momentum of
// what is left stay. On failure everything is as before, but that the body may have woken.
ThawStatus thaw_world_change(ThawWorld *world, int32_t body, const ThawChangeDef *change, ThawError *error);
// How many changes have happened to a body (-1: to all), by schedule and by call.
int32_t thaw_world_change_count(const ThawWorld *world, int32_t body);
// Another number whenever vertex counts, element counts or elements of any body are others than before; 0 as it began.
uint64_t thaw_world_topology(const ThawWorld *world);
// How many vertices a body has when all changes of its definition have happened.
int32_t thaw_world_most_vertices(const ThawWorld *world, int32_t body);
// Of each vertex the mesh's vertex that it is, or is a copy of; of each element the mesh's. Either may be NULL.
ThawStatus thaw_world_get_origins(const ThawWorld *world, int32_t body, int32_t *vertices, int32_t *elements);

// von Mises equivalent of the Cauchy stress per element, Pa.
ThawStatus thaw_world_get_stresses(const ThawWorld *world, int32_t body, double *von_mises);

// --- What touches what: the contacts of the last step ----------------------------------------------------------------
// All of these look at the last step (of a step that was cut, its last part). There are none before the first step,
// after loading, and after positions or velocities were set.

// A point where two sides touch, or nearly did. Side 0 is a body, side 1 another body or an obstacle. Each side is a
// weighted mean of up to three vertices of its body, in the mesh's numbering.
typedef struct ThawContactPoint {
    int32_t body[2];      // body[1] < 0: obstacle -1 - body[1]
    int32_t nodes[2];     // how many vertices on each side; 0 for an obstacle
    int32_t vertex[2][4]; // of these bodies
    double weight[2][4];  // sum to 1 on each side; of smooth surfaces one may be below 0
    double point[3];      // m, where side 1 is touched, at the start of the step
    double normal[3];     // unit, from side 1 to side 0
    double gap;           // m, at the start of the step; < 0: inside. A contact that is still open may carry nothing
    double force[3];      // N on side 0; the opposite acts on side 1
    double normal_force;  // N, along the normal, >= 0
    double friction;      // N, across it
    int sliding;          // nonzero: friction is at its limit
    int began;            // nonzero: the step before had no contact here
} ThawContactPoint;

int32_t thaw_world_contact_count(const ThawWorld *world);
// Room for thaw_world_contact_count points. Sorted by bodies, then by place; the order does not depend on threads.
ThawStatus thaw_world_get_contacts(const ThawWorld *world, ThawContactPoint *points);

// Pairs that began or ceased to press on each other in the last step: those that began come first.
typedef struct ThawContactEvent {
    int32_t body[2]; // body[0] < body[1], or obstacle -1 - body[1]
    int began;       // nonzero: began; 0: ended
} ThawContactEvent;
int32_t thaw_world_event_count(const ThawWorld *world);
ThawStatus thaw_world_get_events(const ThawWorld *world, ThawContactEvent *events); // room for thaw_world_event_count

// Contact forces on the vertices of a body, N, dim doubles each.
ThawStatus thaw_world_get_contact_forces(const ThawWorld *world, int32_t body, double *f);
// Normal and tangential contact force over the area of the surface around each vertex, Pa; 0 inside. Either may be
// NULL.
ThawStatus thaw_world_get_contact_pressures(const ThawWorld *world, int32_t body, double *pressure, double *friction);

int32_t thaw_world_obstacle_count(const ThawWorld *world);
const char *thaw_world_obstacle_name(const ThawWorld *world, int32_t obstacle);
// The sum of an obstacle's forces on all bodies, N (three doubles): against gravity, what it carries.
ThawStatus thaw_world_get_reaction(const ThawWorld *world, int32_t obstacle, double force[3]);

// An obstacle's surface at the present time, for looking at: triangles, outward (2D: triangles in the plane). Round
// ones are faceted, half-spaces end as a slab of `extent` metres around `middle` (three doubles). The caller frees both
// arrays with thaw_obstacle_surface_free.
typedef struct ThawObstacleSurface {
    ThawObstacleKind kind;
    int moves;          // nonzero: not the same at every time
    double *x;          // 3 * vertex_count, m
    int32_t *triangles; // 3 * triangle_count
    int32_t vertex_count, triangle_count;
} ThawObstacleSurface;
ThawStatus thaw_world_get_obstacle_surface(const ThawWorld *world, int32_t obstacle, const double middle[3],
                                           double extent, ThawObstacleSurface *surface);
void thaw_obstacle_surface_free(ThawObstacleSurface *surface);

// Which method solves the body's present system: AUTO has been resolved, and says that nothing is to be solved.
ThawSolverKind thaw_world_solver(const ThawWorld *world, int32_t body);

// The energies and works so far (also computed when the ledger is off; works are then zero).
ThawStatus thaw_world_get_ledger(const ThawWorld *world, ThawLedger *ledger);

// The whole state, as one file (HDF5). A world made from the same definition continues from it with the same bits. One
// with more bodies, behind the same first ones, takes over the state of those; the others stay as they are. Methods and
// thresholds are state: set others after loading.
// Written under a temporary name and renamed: a file that exists is complete.
ThawStatus thaw_world_save(const ThawWorld *world, const char *path, ThawError *error);
ThawStatus thaw_world_load(ThawWorld *world, const char *path, ThawError *error);

// The library's version, "major.minor.patch", and what it was built with, for bug reports. The macros are those of the
// header that a program was compiled with.
#define THAW_VERSION_MAJOR 0
#define THAW_VERSION_MINOR 1
#define THAW_VERSION_PATCH 0
#define THAW_VERSION_NUMBER (10000 * THAW_VERSION_MAJOR + 100 * THAW_VERSION_MINOR + THAW_VERSION_PATCH)
const char *thaw_version(void);
const char *thaw_build_info(void);

#ifdef __cplusplus
}
#endif
#endif
