// SPDX-License-Identifier: Apache-2.0
// Islands to test the response with: bodies with dense A^-1 (rigid, elastic lattices, or random), stacks of boxes, and
// heaps of random contacts.
#ifndef THAW_TEST_SUPPORT_RESPONSE_H
#define THAW_TEST_SUPPORT_RESPONSE_H

#include "response/response.h"

enum { ISLAND_BODIES = 40, ISLAND_CONTACTS = 4000 };

typedef struct DenseBody {
    int dim;
    int32_t nv;
    double *x;       // dim nv
    double *v;       // dim nv
    double *inverse; // (dim nv)^2: A^-1
    double mass;
    double *whole;       // dim nv rows of 6: its whole motions, and
    ThawMotions motions; // what they are worth
    double *stiff;       // (dim nv)^2: (A + J'KJ)^-1 of the last springs, or NULL
} DenseBody;

typedef struct Island {
    int dim;
    int32_t body_count, count;
    DenseBody dense[ISLAND_BODIES];
    ThawResponseBody bodies[ISLAND_BODIES];
    ThawContact *contacts;
    int32_t *index;
    ThawResponseOptions options;
} Island;

// Numbers from a seed: [0, 1), and a symmetric [-1, 1).
double island_random(uint64_t *seed);
double island_sign(uint64_t *seed);

Island *island_create(int dim, double h);
void island_free(Island *island);
// Adds a body of nv points with mass m; young 0: rigid, else springs of that stiffness (N/m) between points nearer than
// `reach` to each other: A = M + h^2 K.
int32_t island_add_body(Island *island, int32_t nv, const double *x, double mass, double stiffness, double reach);
// Adds a body whose A^-1 is random: symmetric, positive definite, of condition about `condition`.
int32_t island_add_random(Island *island, int32_t nv, double condition, uint64_t *seed);
// Adds a contact of a vertex of body a against body b (weights on up to three vertices) or an obstacle (b < 0).
ThawContact *island_add_contact(Island *island, int32_t a, int32_t vertex, int32_t b, const int32_t *others,
                                const double *weights, const double *normal);
// Adds the speed of gravity over a step to every body: v += h g along the last axis, as the unconstrained step would.
void island_fall(Island *island, double g);
// A tower of boxes on a floor: `cells` + 1 points an edge, contact points on each floor of each box. stiffness of the
// springs of a box, 0: rigid. Box k has density ratio^k.
Island *island_stack(int dim, double h, int boxes, int cells, double stiffness, double ratio, double k, double mu);
// A random island: dim, contact count, kinds of bodies and coefficients all from the seed.
Island *island_random_problem(uint64_t seed);
// Many contacts on few bodies: `bodies` random ones of nv vertices each, on a floor and on each other.
Island *island_heap(int bodies, int32_t nv, int count);

// From now on its bodies can have springs put into A, and are thin. Not for rigid ones.
void island_make_thin(Island *island);

ThawStatus island_solve(Island *island, ThawTasks *tasks, ThawResponseInfo *info);
// w of every contact (dim doubles each) at its lambda, in long double inside; independent of the library's own.
void island_w(const Island *island, double *w);
// The first contact that breaks the law in its plain words by more than `slack` of the largest impulse or of 1 m/s; -1:
// none.
int32_t island_offender(const Island *island, double slack);
// The velocity of body b after its contact impulses (dim nv doubles).
void island_velocity(const Island *island, int32_t b, double *v);

#define assert_near(a, b, tolerance)                                                                                   \
    do {                                                                                                               \
        double va = (a), vb = (b), vt = (tolerance);                                                                   \
        if (!(fabs(va - vb) <= vt))                                                                                    \
            fail_msg("%s = %.15g, not %.15g within %g", #a, va, vb, vt);                                               \
    } while (0)

// The drift that a contact which slid is to be remembered with: 0 for hard tangents, and as far as the spring was
// stretched for others, without which friction would have to build up anew in every step of a slide.
void response_slip(const ThawResponseOptions *options, const ThawContact *contact, double drift[2]);

// Adds the impulses J' lambda of the contacts to those of one body (dim doubles a vertex).
void response_impulses(int dim, const ThawContact *contacts, const int32_t *index, int32_t count, int32_t body,
                       double *impulse);

#endif
