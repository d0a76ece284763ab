// SPDX-License-Identifier: Apache-2.0
// The impulse of a contact that carries nothing yet, before anything is solved (solids paper, equations 18 and 19): as
// if it were bilateral, alone, and only its normal counted,
//     [A  -J'; J  0] (dv, lambda) = (z, -J v - Phi/h),    J A^-1 J' lambda = -(J v + J A^-1 z + Phi/h),
// with the sign of equation 12, +J' lambda on the right-hand side (the paper's 18 has the other). A gap that is still
// open leaves room for Phi/h; an overlap is not undone here. Where that pulls there is no contact.
#include <math.h>

#include "response/response.h"

double thaw_response_estimate(int dim, double h, const ThawContact *contact, const double *u, const double *S) {
    const double *n = contact->frame[0];
    double speed = fmax(0, contact->gap) / h, give = 0;
    for (int i = 0; i < dim; i++) {
        speed += n[i] * u[i];
        for (int j = 0; j < dim; j++)
            give += n[i] * S[i * dim + j] * n[j];
    }
    return speed < 0 && give > 0 ? -speed / give : 0;
}
