// SPDX-License-Identifier: Apache-2.0
// Contact impulses in the reduced unknowns (solids paper, section 3.3, equations 12-15, with the errata on signs):
//     v = v* + A^-1 J' lambda,   u = J v - obstacle's velocity
//     normal:  0 <= lambda_n  _|_  u_n + k_b Phi + gamma lambda_n >= 0
//     tangent: u_t + k_t drift = 0 while |lambda_t| < mu lambda_n; else lambda_t on the cone, opposite to u_t + k_t
//     drift
// with k_b and gamma from each contact's stiffness, damping and h:  k_b = k / (h k + c), gamma = 1 / (h^2 k + h c) for
// Phi <= 0, and k_b = 1/h, gamma = 1/(h^2 k) for Phi > 0, so that at rest lambda_n = -h k Phi whatever h is.
//
// Tangents are hard (k_t = 0.2/h), or springs too: where options->tangent = r > 0, u_t + k_t drift + gamma_t lambda_t =
// 0 with k_t, gamma_t like k_b, gamma from r k and r c. At rest lambda_t = -h r k drift then: friction is remembered by
// the drift as the normal force is by Phi, and is the same for elastic and rigid bodies however many contacts share it.
//
// Attachments are rows like these whose law has no bounds: w = u + k_b g + gamma lambda = 0 in every component, with
// the offset g (m) in the place of Phi and drift. So an implicit spring and damper, lambda = -h (k (g + h u) + c u),
// joins any two bodies exactly, whatever their maps.
//
// k_b Phi counts as far as the contact's spring was pressed by motion (contact->held), and for little more beyond that,
// at options->push at most; an overlap is left to others (response.c, step/parting.c).
//
// An island is a set of bodies joined by contacts. Each body offers A^-1 through a small interface, so that the
// response knows no maps and no solvers: elastic, rigid and mixed bodies are alike to it.
#ifndef THAW_RESPONSE_H
#define THAW_RESPONSE_H

#include "contact/contact.h"
#include "sparse/ldl.h"

// What a body's whole motions B are worth: its compliance is S = B B' + rest.
typedef enum ThawMotions {
    THAW_MOTIONS_NONE,
    THAW_MOTIONS_SOME, // rest >= 0: no vertex is scripted
    THAW_MOTIONS_ALL,  // rest = 0: the body is rigid, and neither compliance, blocks nor apply is called
} ThawMotions;
enum { THAW_MODE_COUNT = 6 };

typedef struct ThawResponseBody {
    void *context;
    int32_t body; // index in the model
    int32_t more; // bodies behind it that are moved with it: contacts may name them, with vertices of the unit
    // H = J A^-1 J' for rows J of height dim over the body's vertices (J's columns): what impulses along the rows do to
    // their velocities. Dense, row-major, dim * count squared, symmetric to the bit. Or, where the body can do with
    // less, of ports, H = C G C': ports has room for width entries (below) for each of J, and G takes the place of H.
    // THAW_ERROR_MEMORY or THAW_OK.
    ThawStatus (*compliance)(void *context, const ThawBlockRows *J, ThawPorts *ports, double *H);
    // What such a matrix has for each vertex alone, dim x dim, row-major: S[k] is that of vertices[from[k]], where
    // from[k] != k if it was too costly to compute. Good enough to scale by; 0 where nothing can be moved, and only
    // there.
    ThawStatus (*blocks)(void *context, int32_t count, const int32_t *vertices, int32_t *from, double *S);
    // dv = A^-1 f for impulses f on all vertices (dim doubles each), as velocities of all vertices: one solve.
    ThawStatus (*apply)(void *context, const double *impulse, double *dv);
    // Of A + J'KJ, K a symmetric positive semi-definite block (dim x dim) for each of the rows J: made ready by the
    // first, applied by the second as above. NULL: the body cannot. THAW_NOT_CONVERGED: it cannot with these rows,
    // which join vertices that A does not, or it is no longer positive.
    ThawStatus (*stiffen)(void *context, const ThawBlockRows *J, const double *K);
    ThawStatus (*apply_stiff)(void *context, const double *impulse, double *dv);
    // B at those vertices: dim rows of THAW_MODE_COUNT for each, unused columns 0. NULL: none. With B NULL it only says
    // what they will be worth, at no cost; asked in earnest it may still find THAW_MOTIONS_NONE.
    ThawMotions (*modes)(void *context, int32_t count, const int32_t *vertices, double *B);
    const double *v;  // velocities v* before contact, dim doubles a vertex of the body
    const double *v0; // those at the start of the step, or NULL: where contacts stand still, the warm start may do
    int32_t nv;
    int32_t width; // blocks of unknowns that a vertex depends on, at most; taken for 2 if it is less
    // Estimates in equal units (flops): of one apply, and of compliance a vertex and a pair of vertices.
    double apply_cost, compliance_cost, pair_cost;
    double stiffen_cost; // likewise
    int thin;            // a sheet: many contacts on few unknowns, and a cheap factor
} ThawResponseBody;

typedef struct ThawResponseOptions {
    double span; // impulses act for so many times h; 0: once
    int dim;
    double h;
    ThawFriction friction;
    double erp, cfm;  // > 0: the paper's form
    double tolerance; // relative complementarity residual
    // Sweeps over the contacts (or products with H, which cost the same) at most; ten times that for what is left.
    int iterations;
    int form;       // 0: by the cost model; 1: assembled; 2: matrix-free
    double tangent; // stiffness of tangents relative to the normal's; 0: hard tangents
    double push;    // m/s at most to undo an overlap that is not carried yet; 0: THAW_RESPONSE_PUSH
} ThawResponseOptions;

#define THAW_RESPONSE_PUSH 1.0

typedef struct ThawResponseInfo {
    int32_t iterations;
    double residual; // complementarity, relative
    int form;        // 1 or 2
} ThawResponseInfo;

// Scratch that grows to what is needed and is kept from step to step.
typedef struct ThawResponse ThawResponse;
ThawStatus thaw_response_create(ThawResponse **response, ThawError *error);
void thaw_response_free(ThawResponse **response);

// Solves one island: contacts (whose bodies are all among `bodies`, which are sorted by index) from their warm starts
// to their final lambda. THAW_NOT_CONVERGED when the residual stays above the tolerance: the best lambda is kept and
// usable. Both sides of a contact may be the same body. Callbacks of different bodies may run at the same time.
ThawStatus thaw_response_solve(ThawResponse *response, const ThawResponseOptions *options, ThawTasks *tasks,
                               const ThawResponseBody *bodies, int32_t body_count, ThawContact *contacts,
                               const int32_t *index, int32_t count, ThawResponseInfo *info, ThawError *error);

// k_b and gamma of a contact's normal.
void thaw_response_compliance(const ThawResponseOptions *options, const ThawContact *contact, double *k_b,
                              double *gamma);
// The same of its tangents: k_t, gamma_t.
void thaw_response_tangent(const ThawResponseOptions *options, const ThawContact *contact, double *k_t,
                           double *gamma_t);

// What is left of the law of one contact, r = lambda - P(lambda - rho w), where P projects on lambda_n >= 0 and on the
// disc (box) of radius mu lambda_n, and w is u with the terms of k_b, gamma, k_t, gamma_t added. rho: one positive
// number (kg) for the normal, one for the tangents. r = 0 exactly where the law holds, for any rho.
void thaw_response_residual(int dim, ThawFriction friction, double mu, const double rho[2], const double *w,
                            const double *lambda, double *r);

// The normal impulse (N s, >= 0) of a contact on its own that has carried nothing yet (estimate.c). u: its relative
// velocity in world axes as it would be without it, J v + J A^-1 z; S: J A^-1 J' in world axes, dim x dim: the sum of
// both sides'.
double thaw_response_estimate(int dim, double h, const ThawContact *contact, const double *u, const double *S);

// The form (1 or 2) that the cost model takes: a pure function of counts and the bodies' estimates. parts: how many
// contacts and distinct contact vertices each body has.
typedef struct ThawResponseCounts {
    int32_t contacts, vertices;
} ThawResponseCounts;
int thaw_response_form(int dim, const ThawResponseBody *bodies, const ThawResponseCounts *parts, int32_t body_count);

#endif
