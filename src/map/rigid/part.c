// SPDX-License-Identifier: Apache-2.0
// One rigid part: how it is formed, what its velocities are, how it turns.
//
// Forming takes the motion of the vertices to the nearest rigid one by mass, which keeps momentum (section 3.4 of the
// solids paper); the energy lost is 1/2 sum m |v_i - (v + omega x rho_i)|^2, computed as that sum, so it is never
// negative.
//
// Turning. Equation 6 with an explicit gyroscopic torque gains energy. Here angular momentum L in world axes is the
// state and nothing but torques changes it; a step must only find an orientation that fits. With Pi = R'L the body
// momentum, the step
//     Pi1 = exp(-h Omega) Pi0,   J Omega = (Pi0 + Pi1) / 2,   R1 = R0 exp(h Omega)
// keeps L because R1 Pi1 = R0 Pi0, and energy because it is the implicit midpoint rule for Pi' = Pi x J^-1 Pi (with a
// step of tan(h|Omega|/2) * 2/|Omega| instead of h), which keeps quadratic invariants:
//     Pi1'J^-1 Pi1 - Pi0'J^-1 Pi0 = 2 (Pi1 - Pi0)'Omega = 0, as exp(-h Omega) leaves Omega alone.
// Steady spin about a principal axis is exact (Rodrigues). Second order in h; Newton's method on three unknowns, about
// four iterations.
#include <math.h>
#include <string.h>

#include "map/rigid/partition.h"
#include "math/vec3.h"

static void multiply(const double A[9], const double b[3], double c[3]) {
    for (int i = 0; i < 3; i++)
        c[i] = A[i] * b[0] + A[i + 3] * b[1] + A[i + 6] * b[2];
}

static void multiply_t(const double A[9], const double b[3], double c[3]) {
    for (int i = 0; i < 3; i++)
        c[i] = thaw_v3_dot(A + 3 * i, b);
}

// A x = b by Cramer's rule.
static void solve(const double A[9], const double b[3], double x[3]) {
    double C[9];
    for (int j = 0; j < 3; j++)
        thaw_v3_cross(A + (3 * j + 3) % 9, A + (3 * j + 6) % 9, C + 3 * j); // rows of det A times the inverse
    double det = thaw_v3_dot(A, C);
    for (int i = 0; i < 3; i++)
        x[i] = thaw_v3_dot(C + 3 * i, b) / det;
}

// --- velocities and momenta ------------------------------------------------------------------------------------------

void thaw_part_spin(int dim, const double J[9], const double L[3], double omega[3]) {
    omega[0] = omega[1] = 0;
    if (dim == 2)
        omega[2] = L[2] / J[8];
    else
        solve(J, L, omega);
}

// The angular velocity of the body momentum Pi, in the frame.
static void spin_of(const ThawPart *part, int dim, const double Pi[3], double Omega[3]) {
    const double *J = part->inertia.second;
    if (part->hold == THAW_HOLD_FIXED)
        memset(Omega, 0, 3 * sizeof *Omega);
    else if (part->hold == THAW_HOLD_AXIS) {
        double Ja[3];
        multiply(J, part->axis, Ja);
        double spin = thaw_v3_dot(part->axis, Pi) / thaw_v3_dot(part->axis, Ja);
        for (int i = 0; i < 3; i++)
            Omega[i] = spin * part->axis[i];
    } else
        thaw_part_spin(dim, J, Pi, Omega);
}

void thaw_part_velocity(const ThawPart *part, int dim, double v[3], double omega[3]) {
    double Pi[3], Omega[3];
    for (int i = 0; i < 3; i++)
        v[i] = part->hold == THAW_HOLD_FREE ? part->P[i] / part->inertia.mass : 0;
    multiply_t(part->R, part->L, Pi);
    spin_of(part, dim, Pi, Omega);
    multiply(part->R, Omega, omega);
}

double thaw_part_kinetic(const ThawPart *part, int dim) {
    double v[3], omega[3];
    thaw_part_velocity(part, dim, v, omega);
    return (thaw_v3_dot(v, part->P) + thaw_v3_dot(omega, part->L)) / 2;
}

void thaw_part_turned(const ThawPart *part, const double J[9], double turned[9]) {
    double RJ[9];
    for (int j = 0; j < 3; j++)
        multiply(part->R, J + 3 * j, RJ + 3 * j);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            turned[i + 3 * j] = RJ[i] * part->R[j] + RJ[i + 3] * part->R[j + 3] + RJ[i + 6] * part->R[j + 6];
}

// --- turning ---------------------------------------------------------------------------------------------------------

// D = exp(turn^x) - I: Rodrigues' formula. Without the identity, small turns keep their digits.
static void rotation_of(const double turn[3], double D[9]) {
    double square = thaw_v3_dot(turn, turn), angle = sqrt(square);
    double s = angle < 1e-4 ? 1 - square / 6 : sin(angle) / angle;
    double half = angle < 1e-4 ? 1 - square / 24 : sin(angle / 2) / (angle / 2), c = half * half / 2;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            D[i + 3 * j] = c * (turn[i] * turn[j] - (i == j ? square : 0));
    D[5] += s * turn[0], D[7] -= s * turn[0];
    D[6] += s * turn[1], D[2] -= s * turn[1];
    D[1] += s * turn[2], D[3] -= s * turn[2];
}

// R += R D, or D R.
static void turn_by(double R[9], const double D[9], int in_frame) {
    double product[9];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            const double *A = in_frame ? R : D, *B = in_frame ? D : R;
            product[i + 3 * j] = A[i] * B[3 * j] + A[i + 3] * B[3 * j + 1] + A[i + 6] * B[3 * j + 2];
        }
    for (int i = 0; i < 9; i++)
        R[i] += product[i];
}

// Rounding takes R off the rotations by about an ulp a step; R (3 - R'R) / 2 brings it back.
static void straighten(double R[9]) {
    double C[9];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            C[i + 3 * j] = ((i == j ? 1 : 0) - thaw_v3_dot(R + 3 * i, R + 3 * j)) / 2;
    turn_by(R, C, 1);
}

// exp((turn + d)^x) = exp(turn^x) exp(e^x) to first order in d.
static void turn_slope(const double turn[3], const double d[3], double e[3]) {
    double square = thaw_v3_dot(turn, turn), angle = sqrt(square), along = thaw_v3_dot(turn, d), across[3];
    double half = angle < 1e-4 ? 1 - square / 24 : sin(angle / 2) / (angle / 2);
    double b = half * half / 2, c = angle < 1e-2 ? (1 - square / 20) / 6 : (angle - sin(angle)) / (square * angle);
    thaw_v3_cross(turn, d, across);
    for (int i = 0; i < 3; i++)
        e[i] = d[i] - b * across[i] + c * (turn[i] * along - square * d[i]);
}

// A -= h/2 Pi^x dexp(-h Omega): how (Pi0 + exp(-h Omega) Pi0) / 2 depends on Omega; Pi is the turned one.
static void subtract_slope(double h, const double Pi[3], const double turn[3], double A[9]) {
    for (int j = 0; j < 3; j++) {
        double unit[3] = {j == 0, j == 1, j == 2}, d[3], column[3];
        turn_slope(turn, unit, d);
        thaw_v3_cross(Pi, d, column);
        for (int i = 0; i < 3; i++)
            A[i + 3 * j] -= h / 2 * column[i];
    }
}

// One step of the scheme above; Omega in: J^-1 Pi. Leaves Pi1 and the turn h Omega. Returns whether it was found.
static int tumble(const double J[9], double h, double Pi[3], double Omega[3], double turn[3]) {
    double best = INFINITY, change[3], D[9];
    for (int iteration = 0; iteration < 20; iteration++) {
        double F[3], jacobian[9], next[3], Pi1[3], JO[3], d[3];
        for (int i = 0; i < 3; i++)
            next[i] = h * Omega[i];
        rotation_of(next, D);
        multiply_t(D, Pi, change);
        multiply(J, Omega, JO);
        for (int i = 0; i < 3; i++) {
            F[i] = JO[i] - Pi[i] - change[i] / 2;
            Pi1[i] = Pi[i] + change[i];
        }
        double size = thaw_v3_norm(F);
        if (size < best)
            memcpy(turn, next, sizeof next);
        if (!(size < best / 2)) // as good as rounding allows
            break;
        best = size;
        memcpy(jacobian, J, sizeof jacobian);
        subtract_slope(h, Pi1, next, jacobian);
        solve(jacobian, F, d);
        for (int i = 0; i < 3; i++)
            Omega[i] -= d[i];
    }
    int found = best <= 1e-12 * thaw_v3_norm(Pi);
    rotation_of(turn, D);
    multiply_t(D, Pi, change);
    for (int i = 0; i < 3; i++)
        Pi[i] += change[i];
    return found;
}

// How the turn of one step depends on where it began: R from before it, D of its turn and Pi of its end are known.
// theta holds in columns how R turns (rad, world axes) by each component of the angular velocity that the motion began
// with, momenta how L does.
static void follow_turn(const double J[9], double h, const double turn[3], const double Pi1[3], const double L[3],
                        const double momenta[9], const double R[9], const double R1[9], double theta[9]) {
    double A[9], D[9];
    memcpy(A, J, sizeof A);
    subtract_slope(h, Pi1, turn, A);
    rotation_of(turn, D);
    for (int j = 0; j < 3; j++) {
        double world[3], body[3], half[3], spin[3], along[3], turned[3];
        thaw_v3_cross(L, theta + 3 * j, world); // dPi = R'(dL + L x theta)
        for (int i = 0; i < 3; i++)
            world[i] += momenta[3 * j + i];
        multiply_t(R, world, body);
        multiply_t(D, body, half);
        for (int i = 0; i < 3; i++)
            body[i] += half[i] / 2;
        solve(A, body, spin);
        turn_slope(turn, spin, along);
        multiply(R1, along, turned);
        for (int i = 0; i < 3; i++)
            theta[3 * j + i] += h * turned[i];
    }
}

// Turns R for h as a free body with moments J and body momentum Pi does, in so many steps. Returns whether that went
// well. slope, if not NULL: by how much more it turns (world axes) for each component of its angular velocity at the
// start, over h.
static int turn_freely(const double J[9], const double momentum[3], double h, int steps, double R[9], double *slope) {
    double Pi[3], Omega[3], turn[3] = {0}, D[9], L[3], momenta[9], theta[9] = {0}, before[9];
    int found = 1;
    memcpy(Pi, momentum, sizeof Pi);
    multiply(R, Pi, L);
    for (int j = 0; j < 3 && slope; j++) { // R J R'
        double row[3] = {R[j], R[j + 3], R[j + 6]}, Jr[3];
        multiply(J, row, Jr);
        multiply(R, Jr, momenta + 3 * j);
    }
    for (int i = 0; i < steps && found; i++) {
        solve(J, Pi, Omega);
        found = tumble(J, h / steps, Pi, Omega, turn);
        rotation_of(turn, D);
        memcpy(before, R, sizeof before);
        turn_by(R, D, 1);
        if (slope)
            follow_turn(J, h / steps, turn, Pi, L, momenta, before, R, theta);
    }
    for (int i = 0; i < 9 && slope; i++)
        slope[i] = theta[i] / h;
    return found;
}

// Radians that a part may turn in one step of the scheme; faster ones take several, slender ones more if they must.
#define LARGEST_TURN 0.3
enum { MOST_STEPS = 4096 };

static void turn_part(ThawPart *part, int dim, double h, const double omega[3], const double Pi[3], double *slope) {
    double start[9], turn[3], D[9], speed = thaw_v3_norm(omega);
    if (!(h * speed > 0))
        return;
    if (dim == 2 || part->hold == THAW_HOLD_AXIS) {
        for (int i = 0; i < 3; i++)
            turn[i] = h * omega[i];
        rotation_of(turn, D);
        turn_by(part->R, D, 0);
    } else {
        int steps = (int)fmin(ceil(h * speed / LARGEST_TURN), MOST_STEPS);
        memcpy(start, part->R, sizeof start);
        while (!turn_freely(part->inertia.second, Pi, h, steps, part->R, slope) && steps < MOST_STEPS) {
            steps *= 4;
            memcpy(part->R, start, sizeof start);
        }
    }
    straighten(part->R);
}

void thaw_part_advance(const ThawPart *part, int dim, double h, const double v[3], const double omega[3],
                       ThawPart *next, double *slope) {
    double Pi[3], Omega[3];
    *next = *part;
    if (slope)
        memcpy(slope, (double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, 9 * sizeof *slope);
    if (part->hold == THAW_HOLD_FIXED)
        return;
    for (int i = 0; i < 3 && part->hold == THAW_HOLD_FREE; i++) {
        next->P[i] = part->inertia.mass * v[i];
        next->p[i] += h * v[i];
    }
    multiply_t(part->R, omega, Omega);
    multiply(part->inertia.second, Omega, Pi);
    if (dim == 2)
        Pi[0] = Pi[1] = 0;
    multiply(part->R, Pi, next->L);
    if (part->hold == THAW_HOLD_AXIS) { // bearings carry what is not along the axis
        double along = thaw_v3_dot(part->axis, next->L);
        for (int i = 0; i < 3; i++)
            next->L[i] = along * part->axis[i];
    }
    turn_part(next, dim, h, omega, Pi, slope);
}

// --- forming ---------------------------------------------------------------------------------------------------------

static void find_moments_2d(int32_t count, const int32_t *vertices, const double *m, const double *r,
                            ThawMoments *moments) {
    double mass = 0, first[2] = {0}, second = 0;
    for (int32_t k = 0; k < count; k++) {
        const double *rho = r + 2 * (size_t)k, weight = m[vertices[k]];
        mass += weight;
        for (int i = 0; i < 2; i++)
            first[i] += weight * rho[i];
        second += weight * (rho[0] * rho[0] + rho[1] * rho[1]);
    }
    *moments = (ThawMoments){.mass = mass, .first = {first[0], first[1]}, .second = {[8] = second}};
}

static void find_moments_3d(int32_t count, const int32_t *vertices, const double *m, const double *r,
                            ThawMoments *moments) {
    double mass = 0, first[3] = {0}, same[3] = {0}, mixed[3] = {0}; // mixed: of the axes other than i
    for (int32_t k = 0; k < count; k++) {
        const double *rho = r + 3 * (size_t)k, weight = m[vertices[k]], square = thaw_v3_dot(rho, rho);
        mass += weight;
        for (int i = 0; i < 3; i++) {
            first[i] += weight * rho[i];
            same[i] += weight * (square - rho[i] * rho[i]);
            mixed[i] += weight * (0 - rho[(i + 1) % 3] * rho[(i + 2) % 3]);
        }
    }
    *moments = (ThawMoments){.mass = mass, .first = {first[0], first[1], first[2]}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            moments->second[i + 3 * j] = i == j ? same[i] : mixed[3 - i - j];
}

// A loop for each dimension: moving frames run it over all vertices in every step.
void thaw_part_moments(int dim, int32_t count, const int32_t *vertices, const double *m, const double *r,
                       ThawMoments *moments) {
    (dim == 2 ? find_moments_2d : find_moments_3d)(count, vertices, m, r, moments);
}

static void from_first(const ThawPins *pins, int dim, const double *x, double d[3]) {
    thaw_v3_load(dim, x, d);
    for (int i = 0; i < 3; i++)
        d[i] -= pins->at[i];
}

void thaw_pins_add(ThawPins *pins, int dim, const double *x) {
    double d[3];
    if (pins->count++ == 0)
        thaw_v3_load(dim, x, pins->at);
    from_first(pins, dim, x, d);
    if (thaw_v3_dot(d, d) > thaw_v3_dot(pins->axis, pins->axis))
        memcpy(pins->axis, d, sizeof d);
}

void thaw_pins_compare(ThawPins *pins, int dim, const double *x) {
    double d[3], off[3], square = thaw_v3_dot(pins->axis, pins->axis);
    from_first(pins, dim, x, d);
    thaw_v3_cross(pins->axis, d, off);
    if (!(thaw_v3_dot(off, off) <= THAW_PIN_TOLERANCE * THAW_PIN_TOLERANCE * square * square))
        pins->astray = 1;
}

ThawHold thaw_pins_hold(const ThawPins *pins, int dim) {
    if (pins->count == 0)
        return THAW_HOLD_FREE;
    if (!(thaw_v3_dot(pins->axis, pins->axis) > 0))
        return THAW_HOLD_POINT;
    return dim == 2 || pins->astray ? THAW_HOLD_FIXED : THAW_HOLD_AXIS;
}

// Hold, origin and axis of a part with pins, from where they are.
static void find_hold(int dim, const int32_t *vertices, const unsigned char *script, const double *x, ThawPart *part) {
    ThawPins pins = {0};
    for (int32_t k = 0; k < part->count; k++)
        if (script[vertices[k]] == THAW_VERTEX_PINNED)
            thaw_pins_add(&pins, dim, x + (size_t)vertices[k] * (size_t)dim);
    for (int32_t k = 0; k < part->count; k++)
        if (script[vertices[k]] == THAW_VERTEX_PINNED)
            thaw_pins_compare(&pins, dim, x + (size_t)vertices[k] * (size_t)dim);
    part->hold = thaw_pins_hold(&pins, dim);
    memcpy(part->p, pins.at, sizeof part->p);
    for (int i = 0; i < 3 && part->hold == THAW_HOLD_AXIS; i++)
        part->axis[i] = pins.axis[i] / thaw_v3_norm(pins.axis);
}

// What the vertices' motion lacks of the part's: 1/2 sum m |v_i - v - omega x r|^2. R is the identity.
static double energy_lost(const ThawShape *shape, const int32_t *vertices, const unsigned char *script,
                          const double *velocity, const ThawPart *part, const double *r) {
    int dim = shape->dim;
    double v[3], omega[3], sum = 0;
    thaw_part_velocity(part, dim, v, omega);
    for (int32_t k = 0; k < part->count; k++) {
        double rho[3], spin[3], u[3];
        if (script[vertices[k]])
            continue;
        thaw_v3_load(dim, r + (size_t)k * (size_t)dim, rho);
        thaw_v3_load(dim, velocity + (size_t)vertices[k] * (size_t)dim, u);
        thaw_v3_cross(omega, rho, spin);
        for (int i = 0; i < 3; i++)
            u[i] -= v[i] + spin[i];
        sum += shape->mass[vertices[k]] * thaw_v3_dot(u, u) / 2;
    }
    return sum;
}

// The centre of a part without pins.
static void find_centre(const ThawShape *shape, const int32_t *vertices, const double *x, ThawPart *part) {
    size_t dim = (size_t)shape->dim;
    double mass = 0;
    memset(part->p, 0, sizeof part->p);
    for (int32_t k = 0; k < part->count; k++) {
        mass += shape->mass[vertices[k]];
        for (size_t i = 0; i < dim; i++)
            part->p[i] += shape->mass[vertices[k]] * x[(size_t)vertices[k] * dim + i];
    }
    for (size_t i = 0; i < dim; i++)
        part->p[i] /= mass;
}

THAW_INLINE void find_levers(const int32_t *vertices, const double *x, const ThawPart *part, size_t dim, double *r) {
    for (int32_t k = 0; k < part->count; k++) {
        double rho[3], turned[3];
        thaw_v3_load((int)dim, x + (size_t)vertices[k] * dim, rho);
        for (size_t i = 0; i < dim; i++)
            rho[i] -= part->p[i];
        multiply_t(part->R, rho, turned);
        for (size_t i = 0; i < dim; i++)
            r[(size_t)k * dim + i] = turned[i];
    }
}

void thaw_part_reshape(const ThawShape *shape, const int32_t *vertices, const double *x, ThawPart *part, double *r) {
    int dim = shape->dim;
    if (part->hold == THAW_HOLD_FREE)
        find_centre(shape, vertices, x, part);
    if (dim == 2)
        find_levers(vertices, x, part, 2, r);
    else
        find_levers(vertices, x, part, 3, r);
    thaw_part_moments(dim, part->count, vertices, shape->mass, r, &part->inertia);
    part->damping = (ThawMoments){0};
    if (shape->has_drag)
        thaw_part_moments(dim, part->count, vertices, shape->damping_mass, r, &part->damping);
    if (part->hold == THAW_HOLD_FREE)
        memset(part->inertia.first, 0, sizeof part->inertia.first);
}

void thaw_part_push(ThawPart *part, const double P[3], const double L[3]) {
    double along = thaw_v3_dot(part->axis, L);
    for (int i = 0; i < 3; i++) {
        part->P[i] = part->hold == THAW_HOLD_FREE ? P[i] : 0;
        part->L[i] = part->hold == THAW_HOLD_FIXED ? 0 : part->hold == THAW_HOLD_AXIS ? along * part->axis[i] : L[i];
    }
}

void thaw_part_momenta_along(const ThawPart *part, const double at[3], const double v[3], const double omega[3],
                             double P[3], double L[3]) {
    double arm[3], turn[3], J[9];
    thaw_part_turned(part, part->inertia.second, J);
    for (int i = 0; i < 3; i++)
        arm[i] = part->p[i] - at[i];
    thaw_v3_cross(omega, arm, turn);
    for (int i = 0; i < 3; i++) {
        P[i] = part->inertia.mass * (v[i] + turn[i]);
        L[i] = J[i] * omega[0] + J[i + 3] * omega[1] + J[i + 6] * omega[2];
    }
}

void thaw_part_fit(const ThawShape *shape, const int32_t *vertices, const unsigned char *script, const double *r,
                   const double *v, ThawPart *part) {
    const int dim = shape->dim;
    double P[3] = {0, 0, 0}, L[3] = {0, 0, 0};
    for (int32_t k = 0; k < part->count; k++) {
        double rho[3], u[3], moment[3], m = shape->mass[vertices[k]];
        if (script[vertices[k]])
            continue;
        thaw_part_rotate(part, dim, r + (size_t)k * (size_t)dim, rho);
        thaw_v3_load(dim, v + (size_t)vertices[k] * (size_t)dim, u);
        thaw_v3_cross(rho, u, moment);
        for (int i = 0; i < 3; i++) {
            P[i] += m * u[i];
            L[i] += m * moment[i];
        }
    }
    thaw_part_push(part, P, L);
}

void thaw_part_take_off(const ThawShape *shape, const int32_t *vertices, const unsigned char *script, const double *r,
                        const ThawPart *part, double *v) {
    const int dim = shape->dim;
    double w[3], omega[3], rho[3], turn[3];
    thaw_part_velocity(part, dim, w, omega);
    for (int32_t k = 0; k < part->count; k++) {
        thaw_part_rotate(part, dim, r + (size_t)k * (size_t)dim, rho);
        thaw_v3_cross(omega, rho, turn);
        for (int i = 0; i < dim && !script[vertices[k]]; i++)
            v[(size_t)vertices[k] * (size_t)dim + (size_t)i] -= w[i] + turn[i];
    }
}

double thaw_part_form(const ThawShape *shape, const int32_t *vertices, const unsigned char *script, const double *x,
                      const double *v, ThawPart *part, double *r) {
    int dim = shape->dim;
    *part = (ThawPart){.first = part->first,
                       .count = part->count,
                       .elements = part->elements,
                       .pins = part->pins,
                       .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    if (part->pins > 0)
        find_hold(dim, vertices, script, x, part);
    thaw_part_reshape(shape, vertices, x, part, r);
    thaw_part_fit(shape, vertices, script, r, v, part);
    return energy_lost(shape, vertices, script, v, part, r);
}
