// SPDX-License-Identifier: Apache-2.0
// Which elements of a body are rigid, and the rigid parts they form (solids paper, sections 3.2 and 3.4). A part moves
// as one: its state is a frame (p, R) and momenta about the frame's origin; velocities follow from those. Vertices of
// parts are where p + R r says.
//
// The topology (which elements and vertices belong to which part) is a pure function of shape, flags and pins. The
// motion of the parts is state: a checkpoint stores `flagged`, `parts` and `r`, and thaw_partition_restore takes them.
#ifndef THAW_PARTITION_H
#define THAW_PARTITION_H

#include "model/model.h"

// What a script does to a vertex in this step. Nonzero: its velocity is given, so these flags serve as `scripted`
// flags.
enum { THAW_VERTEX_FREE = 0, THAW_VERTEX_PINNED = 1, THAW_VERTEX_MOVED = 2 };

// What pinned vertices leave of a part's freedom.
typedef enum ThawHold {
    THAW_HOLD_FREE,  // v and omega; the frame's origin is the centre of mass
    THAW_HOLD_POINT, // held at one vertex (or more in one place), the frame's origin: omega
    THAW_HOLD_AXIS,  // 3D, held at two vertices or more in a line: spin about it; the origin is the first of them
    THAW_HOLD_FIXED, // nothing: the part leaves the unknowns
} ThawHold;

// Sums over a part's vertices of some vertex weight, in the part's frame. In 2D second[8] alone is used.
typedef struct ThawMoments {
    double mass;      // sum m
    double first[3];  // sum m r
    double second[9]; // sum m (r'r I - r r')
} ThawMoments;

// 3x3 matrices are column-major; in 2D the third axis is the normal of the plane. All of it is state, and so has to be
// in the list of method/rigidify/state.c.
typedef struct ThawPart {
    int32_t first, count; // its vertices: `vertices` and `r` of the partition from `first` on
    int32_t elements;
    int32_t pins; // pinned ones among its vertices
    ThawHold hold;
    ThawMoments inertia; // of the mass, kg and kg m^2; first = 0 for a free part
    ThawMoments damping; // of the damping mass, kg/s
    double axis[3];      // AXIS: unit vector, the same in the world and in the frame
    double p[3], R[9];   // m; where the frame is and how it has turned since the part was formed
    double P[3], L[3];   // N s, N m s about p: the truth about its motion. 0 where the hold forbids it
    // m/s, rad/s: its velocities when it was last found slow for the first time (method/rigidify/rest.c)
    double slow[2][3];
} ThawPart;

typedef struct ThawPartition {
    const ThawShape *shape;
    int32_t min_elements;     // smaller parts are not formed
    unsigned char *flagged;   // ne: may be rigid; as of the last update
    unsigned char *script;    // nv: THAW_VERTEX_*, likewise
    int32_t *part_of_element; // ne, -1: elastic
    int32_t *part_of_vertex;  // nv, -1: elastic (or scripted, outside of parts)
    int32_t part_count, parts_capacity;
    uint32_t topology; // counts its changes, for maps that were made for one
    ThawPart *parts;
    double (*stress)[2][9]; // by part, in its frame: B of stress.c, J, and the same weighted by alpha1, J s
    int32_t vertex_count;   // of all parts
    int32_t *vertices;      // vertex_count of nv: part by part, ascending in each
    double *r;              // dim * vertex_count: where they are in the part's frame, m
    int32_t elastic_count;  // elements in no part
    int32_t packed_count;   // the same and, of a sheet, all else that is to be evaluated with them
    int32_t *elastic;       // their ids: first those that touch no part, then the others; both ascending. Then those of
                            // bending that is not within one part, and of pressure on all triangles
    struct ThawPartitionScratch *scratch;
} ThawPartition;

// What a change of the partition did.
typedef struct ThawTransition {
    int changed;                     // the topology is another one: maps and sets made for the old one are void
    int32_t formed, dissolved, kept; // parts
    double loss;   // J, kinetic energy of the motion that forming parts suppressed and no shadow keeps: never negative
    double shadow; // J, what went from velocities to the shadow, less what came back from it
} ThawTransition;

// Nothing rigid yet.
ThawStatus thaw_partition_create(const ThawShape *shape, int32_t min_elements, ThawPartition **partition,
                                 ThawError *error);
void thaw_partition_free(ThawPartition **partition);

// Parts for these flags (ne, and nv THAW_VERTEX_*). Parts whose vertices and pins are the same go on bit for bit;
// others dissolve into velocities v of their vertices, and new ones are formed from x and v with linear and angular
// momentum kept; x and v of vertices of new parts become those of the part.
// shadow (dim * nv, m/s in world axes, or NULL): what velocities of vertices of parts lack; it counts as far as it is
// no rigid motion of their part. That goes to v where a part dissolves, and what a new part does not take of its
// vertices' velocities comes to the shadow: momenta and energy, the shadow's counted, stay. What does not count (its
// rigid share, and that of elastic vertices, which are dragged along) stays where it is.
// Allocates only when there are more parts than ever; on failure nothing has changed. Linear time; next to nothing when
// flags and pins are as before.
ThawStatus thaw_partition_update(ThawPartition *partition, const unsigned char *flagged, const unsigned char *script,
                                 double *shadow, double *x, double *v, ThawTransition *transition, ThawError *error);
// Of the shadow, what velocities can have they take: all of elastic vertices, and the rigid share of parts. What is
// left in a part has no momentum, so that nothing of it is lost with the shadow. Returns the kinetic energy that
// velocities gain, J.
double thaw_partition_absorb(ThawPartition *partition, double *shadow, double *v);
// J, of what counts of a shadow: 1/2 sum m |w - the rigid motion of its part that is nearest to w|^2.
double thaw_partition_shadow_energy(const ThawPartition *partition, const double *shadow);

// The partition of a checkpoint: topology from the flags, motion from `parts`, their `stress` and r as they were saved.
// THAW_ERROR_INPUT when they do not belong together. They may be the partition's own arrays, filled from outside.
ThawStatus thaw_partition_restore(ThawPartition *partition, const unsigned char *flagged, const unsigned char *script,
                                  const ThawPart *parts, const double *stress, int32_t part_count, const double *r,
                                  int32_t vertex_count, ThawError *error);

// Room for as many parts as part_count says, which was set from outside; what parts there were is lost.
ThawStatus thaw_partition_reserve(ThawPartition *partition, ThawError *error);

// Parts take on the positions x (their vertices were moved a little by something other than time): frames are renewed
// from them with R as it is, momenta stay, and so does `stress`. x of vertices of parts becomes p + R r.
void thaw_partition_reshape(ThawPartition *partition, double *x);
// stress.c: `stress`, from r. y: dim * nv of scratch.
void thaw_partition_find_stress(ThawPartition *partition, double *y);
// v of all vertices of parts = v + omega x (R r), from the parts' own momenta.
void thaw_partition_velocities(const ThawPartition *partition, double *v);
// All parts move by v at `at` and omega on top of what they do, or by what their holds leave of that.
void thaw_partition_push(ThawPartition *partition, const double at[3], const double v[3], const double omega[3]);

// Whether it agrees with itself and with positions x; the message says where not.
ThawStatus thaw_partition_validate(const ThawPartition *partition, const double *x, ThawError *error);

// --- one part (part.c) -----------------------------------------------------------------------------------------------

// The velocity of the frame's origin and the angular velocity, from the momenta.
void thaw_part_velocity(const ThawPart *part, int dim, double v[3], double omega[3]);
// The part after moving with v, omega for h: its momenta are those of (v, omega) in the present orientation, and it
// turns as a body free of torque does, with angular momentum and energy both kept to round-off. `next` may be `part`.
// slope (3x3, or NULL): its turn depends on omega by h slope d(omega), rad in world axes.
void thaw_part_advance(const ThawPart *part, int dim, double h, const double v[3], const double omega[3],
                       ThawPart *next, double *slope);
// A part of given vertices (first, count, elements and pins are set) from positions and velocities: everything else of
// it, and r (dim doubles a vertex). Returns the kinetic energy lost, J >= 0.
double thaw_part_form(const ThawShape *shape, const int32_t *vertices, const unsigned char *script, const double *x,
                      const double *v, ThawPart *part, double *r);
// The same for a part that has changed its shape: r, moments and the centre from x; hold, R and momenta stay.
void thaw_part_reshape(const ThawShape *shape, const int32_t *vertices, const double *x, ThawPart *part, double *r);
// Sums over vertices of weights m (by vertex), r by their order in `vertices`.
void thaw_part_moments(int dim, int32_t count, const int32_t *vertices, const double *m, const double *r,
                       ThawMoments *moments);
double thaw_part_kinetic(const ThawPart *part, int dim); // J
// Its momenta become P and L about its origin, or what its hold leaves of them.
void thaw_part_push(ThawPart *part, const double P[3], const double L[3]);
// P and L about its origin of a part that moves with v at `at` and omega.
void thaw_part_momenta_along(const ThawPart *part, const double at[3], const double v[3], const double omega[3],
                             double P[3], double L[3]);
// Its momenta become those of velocities v of its vertices: of all motions that its hold allows it has the one that is
// nearest by mass. r as in thaw_part_form.
void thaw_part_fit(const ThawShape *shape, const int32_t *vertices, const unsigned char *script, const double *r,
                   const double *v, ThawPart *part);
// Takes the part's motion off velocities v of its vertices.
void thaw_part_take_off(const ThawShape *shape, const int32_t *vertices, const unsigned char *script, const double *r,
                        const ThawPart *part, double *v);
// The second moment turned into world axes, R J R'; in 2D J itself.
void thaw_part_turned(const ThawPart *part, const double J[9], double turned[9]);

// R r; dim doubles in, 3 out.
static inline void thaw_part_rotate(const ThawPart *part, int dim, const double *r, double rho[3]) {
    const double *R = part->R, z = dim == 3 ? r[2] : 0;
    for (int i = 0; i < 3; i++)
        rho[i] = R[i] * r[0] + R[i + 3] * r[1] + R[i + 6] * z;
}

// Pins are in a line where none is farther off it than this share of its length.
#define THAW_PIN_TOLERANCE 1e-9
// What pins hold: all of them are added, then all compared with the line that the first and the farthest from it make.
typedef struct ThawPins {
    int32_t count;
    double at[3];   // m, the first
    double axis[3]; // m, from there to the farthest
    int astray;     // one is off the line
} ThawPins;
void thaw_pins_add(ThawPins *pins, int dim, const double *x);
void thaw_pins_compare(ThawPins *pins, int dim, const double *x);
ThawHold thaw_pins_hold(const ThawPins *pins, int dim);

// The angular velocity for an angular momentum L and a second moment J; in 2D about the third axis.
void thaw_part_spin(int dim, const double J[9], const double L[3], double omega[3]);

#endif
