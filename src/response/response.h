// SPDX-License-Identifier: Apache-2.0
// Contact impulses in the reduced unknowns (solids paper, section 3.3, equations 12-15, with the errata on signs):
//     v = v* + A^-1 J' lambda,   u = J v - obstacle's velocity
//     normal:  0 <= lambda_n  _|_  u_n + k_b Phi + gamma lambda_n >= 0
//     tangent: u_t + k_t drift = 0 while |lambda_t| < mu lambda_n; else lambda_t on the cone, opposite to u_t
// with k_b and gamma from each contact's stiffness, damping and h:  k_b = k / (h k + c), gamma = 1 / (h^2 k + h c) for
// Phi <= 0, and k_b = 1/h, gamma = 1/(h^2 k) for Phi > 0, so that at rest lambda_n = -h k Phi whatever h is.
//
// An island is a set of bodies joined by contacts. Each body offers A^-1 through a small interface, so that the response
// knows no maps and no solvers: elastic, rigid and mixed bodies are alike to it.
#ifndef THAW_RESPONSE_H
#define THAW_RESPONSE_H

#include "contact/contact.h"

typedef struct ThawResponseBody {
    void *context;
    int32_t body; // index in the model
    // y = the velocity change at `count` vertices of the body (dim doubles each) by impulses at the same vertices:
    // S = P A^-1 P' for that vertex set, dense, row-major, dim * count squared. THAW_ERROR_MEMORY or THAW_OK.
    ThawStatus (*compliance)(void *context, int32_t count, const int32_t *vertices, double *S);
    // dv = A^-1 f for impulses f on all vertices (dim doubles each), as velocities of all vertices: one solve.
    ThawStatus (*apply)(void *context, const double *impulse, double *dv);
    const double *v; // velocities v* before contact, dim doubles a vertex of the body
    int32_t nv;
    double apply_cost, compliance_cost; // estimates in equal units (flops): of one apply, and of compliance a vertex
} ThawResponseBody;

typedef struct ThawResponseOptions {
    int dim;
    double h;
    ThawFriction friction;
    double erp, cfm;  // > 0: the paper's form
    double tolerance; // relative complementarity residual
    int iterations;
    int form; // 0: by the cost model; 1: assembled; 2: matrix-free
} ThawResponseOptions;

typedef struct ThawResponseInfo {
    int32_t iterations;
    double residual; // complementarity, relative
    int form;        // 1 or 2
} ThawResponseInfo;

// Scratch that grows to what is needed and is kept from step to step.
typedef struct ThawResponse ThawResponse;
ThawStatus thaw_response_create(ThawResponse **response, ThawError *error);
void thaw_response_free(ThawResponse **response);

// Solves one island: contacts (whose bodies are all among `bodies`, which are sorted by index) from their warm starts to
// their final lambda. THAW_NOT_CONVERGED when the residual stays above the tolerance: the best lambda is kept and usable.
ThawStatus thaw_response_solve(ThawResponse *response, const ThawResponseOptions *options, ThawTasks *tasks,
                               const ThawResponseBody *bodies, int32_t body_count, ThawContact *contacts,
                               const int32_t *index, int32_t count, ThawResponseInfo *info, ThawError *error);

// k_b and gamma of a contact, and the residual of one contact for given u and lambda (shared with tests and the oracle).
void thaw_response_compliance(const ThawResponseOptions *options, const ThawContact *contact, double *k_b,
                              double *gamma);

#endif
