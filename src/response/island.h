// SPDX-License-Identifier: Apache-2.0
// One island made ready for its solvers: contacts as rows with their share of each body, vectors over rows, and the two
// ways to multiply with H. Private to this folder.
#ifndef THAW_ISLAND_H
#define THAW_ISLAND_H

#include "response/response.h"

enum {
    THAW_MODE_LANES = 8,        // what a row of modes takes in memory
    THAW_INTERIOR_DOUBLES = 22, // a contact: what interior.c keeps
    THAW_DIRECT_MOST = 2000,    // unknowns that are eliminated, if they are not too much work
};

// A contact. Vectors over rows have dim doubles each: normal, tangents.
typedef struct ThawRow {
    int32_t slots;        // bodies it touches: 1 or 2
    int32_t part[2];      // which of the island's bodies
    int32_t place[2];     // its place among the contacts of that body
    int32_t nodes[2];     // up to 4; more where both sides are one body
    int32_t vertex[2][8]; // in the body's own numbering
    int32_t local[2][8];  // among the body's contact vertices
    double weight[2][8];  // side 1 negative
    double R[9];          // dim x dim: frame
    double friction;      // mu as given
    double mu;            // 0 where the tangents cannot be moved; INFINITY: two-sided, no bound at all
    double gamma[3];
    int hard[2];       // gamma of the normal, of the tangents is 0
    double D[9];       // dim x dim: its own block of H + gamma, exact (assembled) or estimated (matrix-free)
    double rho[2];     // 1 / D of the normal, 1 / the larger eigenvalue of D of the tangents; 0: cannot be moved
    double axis[2];    // first eigenvector of D's tangents
    double stretch[2]; // their eigenvalues, the larger first
} ThawRow;

// How one contact enters linear equations (krylov.c): lambda = base + C d, and E w + K d = 0.
typedef struct ThawLink {
    int32_t size, first; // unknowns, and where they start
    double C[9], E[9];   // [unknown][component]
    double K[9];         // size x size
    double P[9];         // inverse of its own E D C + K, D without what whole motions account for
} ThawLink;

// A body's share of the island.
typedef struct ThawPart {
    int32_t contacts, first_contact; // into member
    int32_t vertices, first_vertex;  // into vertex
    size_t H;                        // where its matrix starts
    ThawPorts ports;                 // that it is over; none: over the contacts' rows
    int32_t entries, first_entry; // vertices of its contacts, as often as they come; where they start among all parts'
    ThawMotions motions;          // what its modes are worth
    ThawStatus status;            // of its last callback
} ThawPart;

// Memory that is kept from solve to solve.
typedef struct ThawBuffer {
    void *data;
    size_t bytes;
} ThawBuffer;

enum {
    THAW_BUFFER_ROWS,
    THAW_BUFFER_PARTS,
    THAW_BUFFER_COUNTS,
    THAW_BUFFER_MEMBER,
    THAW_BUFFER_VERTEX,
    THAW_BUFFER_MARK,
    THAW_BUFFER_VECTORS,
    THAW_BUFFER_SHARES,
    THAW_BUFFER_S,
    THAW_BUFFER_FROM,
    THAW_BUFFER_H,
    THAW_BUFFER_J,
    THAW_BUFFER_J_VALUE,
    THAW_BUFFER_FIELDS,
    THAW_BUFFER_LINKS,
    THAW_BUFFER_KRYLOV,
    THAW_BUFFER_DIRECT,
    THAW_BUFFER_VERTEX_MODES,
    THAW_BUFFER_MODES,
    THAW_BUFFER_MOTION,
    THAW_BUFFER_ORDER,
    THAW_BUFFER_POOL,
    THAW_BUFFER_COARSE,
    THAW_BUFFER_SLOPES,
    THAW_BUFFER_SPRINGS,
    THAW_BUFFER_COUNT
};

struct ThawResponse {
    ThawBuffer buffer[THAW_BUFFER_COUNT];
    // The island at hand.
    const ThawResponseOptions *options;
    ThawTasks *tasks;
    const ThawResponseBody *bodies;
    int32_t body_count;
    int dim, form;
    int stiff;               // steps are found by bodies with their contacts' springs in them (stiffened.c)
    int32_t n;               // rows
    ThawRow *rows;           // n
    ThawPart *parts;         // body_count
    int32_t *member;         // rows of each part, ascending
    int32_t *vertex;         // contact vertices of each part, in the body's numbering
    double *b;               // dim n: w without impulses
    double *lambda, *w;      // dim n: the iterate and its w = H lambda + gamma lambda + b
    double *trial, *trial_w; // dim n: the next one
    double *best;            // dim n: the lambda of the smallest residual so far
    double *kept;            // dim n: that of the first attempt
    double best_residual, best_wrong;
    double wrong;       // energy of the last residual
    double scale;       // energy that residuals are relative to, without the impulses'
    int32_t used, end;  // sweeps and products so far, and at most for now
    double *share;      // dim (sum of parts' contacts): each part's lambda ...
    double *speed;      // ... and its H lambda
    double *H;          // assembled: parts' matrices over their contacts or ports, one after the other
    double *port_share; // dim a contact, of which ports need less: C' lambda ...
    double *port_speed; // ... and G C' lambda
    double *S;          // matrix-free: dim x dim for each contact vertex, without what whole motions account for ...
    int32_t *from;      // ... and the vertex, in the same numbers, that it was asked for
    int32_t *J_start;   // contacts + 1 for each part: its contacts' rows over vertices, as H is asked for with ...
    int32_t *J_vertex;  // ... vertices
    double *J_value;    // ... and dim x dim: weight times frame
    int32_t *C_start, *C_port; // room for the parts' ports:
    int32_t C_width;           // so many entries for each of J
    double *C_value;
    double *impulse, *dv;     // matrix-free: dim nv for each body, one after the other
    size_t *field;            // where each body starts there
    ThawLink *links;          // n
    struct ThawSlope *slopes; // n, and what else stiffened.c keeps:
    double *springs;          // dim x dim for each contact of each part, what it is stiffened by, and vectors
    double *interior;         // THAW_INTERIOR_DOUBLES n
    // Whole motions (modes.c).
    double *vertex_modes;                       // dim x THAW_MODE_COUNT for each contact vertex of each part
    double *modes;                              // dim x THAW_MODE_LANES for each contact of each part: B
    double *motion, *motion_scratch;            // THAW_MODE_LANES a body: y = B' lambda
    int linear;                                 // no row has bounds: one linear system
    int complete;                               // modes of elastic bodies are there, too
    int whole;                                  // the factor below can be had
    int32_t *order, *rank;                      // bodies as they are eliminated, and when each is
    int32_t *later, *later_start, *later_count; // neighbours eliminated later, by body, as they are eliminated
    int32_t *seat;                              // first block of each body in upper and lower
    double *pivot, *upper, *lower;              // blocks of THAW_MODE_COUNT rows of THAW_MODE_LANES
};

// response.c
ThawStatus thaw_buffer_take(ThawResponse *response, int which, size_t count, size_t size, void *pointer);
#define THAW_TAKE(response, which, count, pointer)                                                                     \
    thaw_buffer_take(response, which, (size_t)(count), sizeof(**(pointer)), pointer)
// The same, but the first `kept` entries stay.
ThawStatus thaw_buffer_grow(ThawResponse *response, int which, size_t kept, size_t count, size_t size, void *pointer);
// The relative residual of an iterate; remembers the best one.
double thaw_island_residual(ThawResponse *island, const double *w, const double *lambda);
// w = (H + gamma) lambda + b, or without b.
ThawStatus thaw_island_multiply(ThawResponse *island, const double *lambda, const double *b, double *w);
// rho, axis and stretch of a row from its D; `floor` is below which nothing counts as movable.
void thaw_row_settle(int dim, double floor, ThawRow *row);

// law.c
void thaw_law_project(int dim, ThawFriction friction, double mu, double *lambda);
// The lambda of one contact whose w has the value given at `lambda`, all others held: the normal first, then the
// tangents.
void thaw_law_solve(int dim, ThawFriction friction, const ThawRow *row, const double *w, double *lambda);

// assembled.c
// A part's rows over its vertices, into J_start and so on, for which there is room.
ThawBlockRows thaw_part_rows(ThawResponse *island, int32_t part);
ThawStatus thaw_assembled_prepare(ThawResponse *island);
// dim x dim: what an impulse on contact j does to contact i, of the same part.
void thaw_assembled_block(const ThawResponse *island, const ThawPart *part, int32_t i, int32_t j, double *block);
void thaw_assembled_multiply(ThawResponse *island, const double *lambda);

// matrix_free.c
ThawStatus thaw_matrix_free_prepare(ThawResponse *island);
// Each part's speeds from its share, by apply or apply_stiff.
ThawStatus thaw_matrix_free_apply(ThawResponse *island, int stiff);
ThawStatus thaw_matrix_free_multiply(ThawResponse *island, const double *lambda);

// modes.c: B of rigid bodies, which all forms need; and of the others, once they are needed.
ThawStatus thaw_modes_prepare(ThawResponse *island);
void thaw_modes_complete(ThawResponse *island);
// D += B B' of one slot.
void thaw_modes_own_block(const ThawResponse *island, const ThawRow *row, int32_t slot, double *D);
// speed = B y; y += B' lambda; and both for all contacts of a part, from share to speed.
void thaw_modes_gather(const ThawResponse *island, int32_t part, const double *B, double *speed);
void thaw_modes_scatter(ThawResponse *island, int32_t part, const double *B, const double *lambda);
void thaw_modes_multiply(ThawResponse *island, int32_t part);
// 1 + sum over rows of B' Q B: the order, once an island; then begin, add every row's Q (dim x dim), factor, and solve
// in place (THAW_MODE_LANES doubles a body).
ThawStatus thaw_modes_plan(ThawResponse *island);
void thaw_modes_begin(ThawResponse *island);
void thaw_modes_add(ThawResponse *island, const ThawRow *row, const double *Q);
void thaw_modes_factor(ThawResponse *island);
void thaw_modes_solve(ThawResponse *island, double *y);

// B of a row on the body in its slot.
static inline double *thaw_row_modes(const ThawResponse *island, const ThawRow *row, int32_t slot) {
    size_t at = (size_t)(island->parts[row->part[slot]].first_contact + row->place[slot]);
    return island->modes + at * (size_t)(island->dim * THAW_MODE_LANES);
}

// krylov.c: adds to lambda the C d of (E (H + gamma) C + K) d = -E w, to `goal` of the right-hand side or as near as
// `products` with H bring it. island->links hold C, E, K; `near` of each block is added to K.
ThawStatus thaw_krylov_reserve(ThawResponse *island);
ThawStatus thaw_krylov_solve(ThawResponse *island, const double *w, double near, double goal, int32_t products,
                             double *lambda);

// direct.c: the same by elimination, where that suits.
int thaw_direct_suits(const ThawResponse *island);
int thaw_direct_may_suit(const ThawResponse *island); // once H is assembled, whatever contacts do
int32_t thaw_direct_cost(const ThawResponse *island, int32_t unknowns);
ThawStatus thaw_direct_solve(ThawResponse *island, const double *w, double near, double *lambda);

// gmres.c: x with |A x - r| <= goal |r|, or as near as `products` bring it; what is left is orthogonal to all that was
// tried. used: how many vectors of the basis take part, share: how much of each.
enum { THAW_GMRES_MOST = 120 };
typedef struct ThawGmres {
    int32_t size;
    double *basis; // (THAW_GMRES_MOST + 1) size, or (products + 1) size; holds r at first
    void *context;
    ThawStatus (*multiply)(void *context, int32_t step, const double *x, double *y);
} ThawGmres;
ThawStatus thaw_gmres(const ThawGmres *problem, double goal, int32_t products, double *share, int32_t *used);
// The sum of vectors, share of each.
void thaw_gmres_sum(int32_t size, const double *vectors, const double *share, int32_t used, double *sum);

// stiffened.c: whether that suits, and pays beside what else there is, at `otherwise` or by many products.
int thaw_stiffened_suits(const ThawResponse *island, double otherwise);
ThawStatus thaw_stiffened_reserve(ThawResponse *island);
// trial and trial_w: where a step of Newton's method would end, by equations that are solved to `goal`. warm: what
// contacts do is read off lambda and w, not off velocities alone. THAW_NOT_CONVERGED: bodies cannot be stiffened.
ThawStatus thaw_stiffened_step(ThawResponse *island, int warm, double goal);

// newton.c: from lambda until the residual is small enough or island->end is reached, in turns with a smoother.
typedef struct ThawSmoother {
    // So many steps, or fewer; lambda, w and speed belong together before and after.
    ThawStatus (*run)(ThawResponse *island, int32_t steps, double *residual);
    int32_t first, soon, between; // steps before the first of Newton's; the same from a good warm start; between them
    double pays;                  // share of the energy of the residual that a step of Newton's must leave at most
} ThawSmoother;
extern const ThawSmoother thaw_sweeps, thaw_gradients; // of the assembled and of the matrix-free form
ThawStatus thaw_newton_begin(ThawResponse *island, double *residual);
// Begins anew from the best lambda, put on its cones, and judges that one again.
ThawStatus thaw_newton_renew(ThawResponse *island, double *residual);
ThawStatus thaw_newton_solve(ThawResponse *island, const ThawSmoother *smoother);
// What the law says of a contact at lambda, w with that rho; lambda becomes the base, which agrees with it.
void thaw_newton_classify(const ThawResponse *island, const ThawRow *row, const double rho[2], const double *w,
                          double *lambda, ThawLink *link);

// compliant.c: from the best lambda by shorter steps; made for islands without hard contacts.
int thaw_compliant_suits(const ThawResponse *island);
ThawStatus thaw_compliant_solve(ThawResponse *island, double *residual);

// interior.c: from lambda, w; the best iterate is remembered as always.
ThawStatus thaw_interior_solve(ThawResponse *island);

#endif
