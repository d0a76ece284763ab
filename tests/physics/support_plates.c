// SPDX-License-Identifier: Apache-2.0
#include "physics/plates.h"

static const double SHIFT = 0.25; // of a cell

const char *plate_family(SheetFamily family) {
    return family == SHEET_EVEN ? "even" : family == SHEET_IN_TURNS ? "in turns" : "at random";
}

// --- strips ----------------------------------------------------------------------------------------------------------

const struct ElasticaRow ELASTICA[ELASTICA_ROWS] = {
    {.5, .06244},  {1, .12456},   {2, .24667},   {3, .36462},   {5, .58572},   {7, .78856},  {10, 1.0668},
    {14, 1.40436}, {20, 1.86393}, {30, 2.54721}, {50, 3.70556}, {70, 4.67225}, {100, 5.8881}};

typedef struct Flat {
    double lx, ly;
} Flat;

static void place_flat(const void *context, double u, double v, double x[3]) {
    const Flat *flat = context;
    x[0] = flat->lx * u, x[1] = flat->ly * v, x[2] = 0;
}

// A strip of which `length` hangs free: columns 0 and 1 stand still, clamped half way between.
typedef struct Strip {
    Sheet sheet;
    Statics statics;
    double clamped; // where, from column 0
} Strip;

static void strip_create(Strip *s, PlateMesh mesh, double length, double width, double thickness, double young,
                         double nu) {
    const double lx = length / (1 - 0.5 / mesh.nx);
    sheet_create(&s->sheet, mesh.nx, mesh.ny, mesh.family, SHIFT, place_flat, &(Flat){lx, width});
    s->sheet.material.young = young;
    s->sheet.material.poisson = nu;
    s->sheet.shape.thickness = thickness;
    s->clamped = lx - length;
    statics_create(&s->statics, &s->sheet);
    for (int j = 0; j <= mesh.ny; j++)
        for (int k = 0; k < 6; k++)
            statics_hold(&s->statics, sheet_vertex(&s->sheet, k / 3, j), k % 3);
}

static void strip_free(Strip *s) {
    statics_free(&s->statics);
    sheet_free(&s->sheet);
}

// Evenly along the free end.
static void strip_push(Strip *s, const double force[3]) {
    const int ny = s->sheet.ny;
    for (int j = 0; j <= ny; j++) {
        const double share = (j == 0 || j == ny ? 0.5 : 1) / ny;
        statics_push(&s->statics, sheet_vertex(&s->sheet, s->sheet.nx, j),
                     (double[]){share * force[0], share * force[1], share * force[2]});
    }
}

static void strip_end(const Strip *s, double x[3]) {
    x[0] = x[1] = x[2] = 0;
    for (int j = 0; j <= s->sheet.ny; j++)
        for (int k = 0; k < 3; k++)
            x[k] += s->statics.x[3 * s->statics.place[sheet_vertex(&s->sheet, s->sheet.nx, j)] + k] / (s->sheet.ny + 1);
}

void plate_elastica(PlateMesh mesh, double width, double t, double nu, int plate, int count, const double *gamma,
                    double *ratio) {
    const double E = 1e9, stiffness = E * t * t * t / 12 / (plate ? 1 - nu * nu : 1);
    Strip s;
    double at = 0;
    strip_create(&s, mesh, 1, width, t, E, nu);
    statics_weigh(&s.statics, (double[3]){0, 0, -stiffness});
    for (int i = 0; i < count; i++) {
        double end[3];
        const int steps = (int)ceil((gamma[i] - at) / 3);
        for (int k = 1; k <= steps; k++)
            statics_solve(&s.statics, at + k * (gamma[i] - at) / steps);
        at = gamma[i];
        strip_end(&s, end);
        ratio[i] = -end[2] / (end[0] - s.clamped);
    }
    strip_free(&s);
}

void plate_end_shear(PlateMesh mesh, double factor, double moved[2]) {
    const double L = 10, t = 0.1, E = 1.2e6;
    Strip s;
    double end[3];
    strip_create(&s, mesh, L, 1, t, E, 0);
    strip_push(&s, (double[3]){0, 0, E * t * t * t / 12 / (L * L)});
    for (int k = 1; k <= 8; k++)
        statics_solve(&s.statics, k * factor / 8);
    strip_end(&s, end);
    moved[0] = L + s.clamped - end[0];
    moved[1] = end[2];
    strip_free(&s);
}

static void hold_rim(Statics *t, const Sheet *s) {
    for (int j = 0; j <= s->ny; j++)
        for (int i = 0; i <= s->nx; i++)
            for (int k = 0; k < 3 && (i == 0 || j == 0 || i == s->nx || j == s->ny); k++)
                statics_hold(t, sheet_vertex(s, i, j), k);
}

double plate_square(int n, SheetFamily family, int force) {
    const double t = 0.01, E = 1e6, nu = 0.3, D = E * t * t * t / 12 / (1 - nu * nu);
    Sheet s;
    Statics st;
    sheet_create_shell(&s, n, n, 0, family, SHIFT, place_flat, &(Flat){1, 1});
    s.material.young = E;
    s.material.poisson = nu;
    s.shape.thickness = t;
    statics_create(&st, &s);
    hold_rim(&st, &s);
    const int middle = sheet_vertex(&s, n / 2, n / 2);
    if (force)
        statics_push(&st, middle, (double[]){0, 0, D / 0.011601});
    else
        statics_weigh(&st, (double[]){0, 0, D / 0.0040624});
    double *u = THAW_NEW(double, st.n);
    statics_linear(&st, u);
    const double moved = u[3 * middle + 2];
    thaw_free(u);
    statics_free(&st);
    sheet_free(&s);
    return moved;
}

// --- sideways buckling -----------------------------------------------------------------------------------------------

// Whether the strip stays in its plane under `scale` times its load: equilibrium with all deflections held at 0, and
// then K with them free.
static int stays_flat(Strip *s, double scale) {
    Statics *t = &s->statics;
    unsigned char *held = THAW_NEW(unsigned char, t->n);
    memcpy(held, t->held, (size_t)t->n);
    for (int i = 2; i < t->n; i += 3)
        t->held[i] = 1;
    statics_solve(t, scale);
    memcpy(t->held, held, (size_t)t->n);
    thaw_free(held);
    return statics_stable(t);
}

static double least_load(Strip *s, double low, double high) {
    assert_true(stays_flat(s, low) && !stays_flat(s, high));
    while (high - low > 1e-4 * low) {
        const double middle = (low + high) / 2;
        if (stays_flat(s, middle))
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

double plate_buckles_by_weight(PlateMesh mesh, double width, double nu) {
    const double t = width / 50, E = 1e9, D = E * t * t * t / 12 / (1 - nu * nu);
    Strip s;
    strip_create(&s, mesh, 1, width, t, E, nu);
    statics_weigh(&s.statics, (double[3]){0, -D, 0});
    const double load = least_load(&s, 7, 40);
    strip_free(&s);
    return load;
}

double plate_buckles_by_load(PlateMesh mesh, double width, double nu) {
    const double t = width / 50, E = 1e9, I = width * t * t * t / 12, EI = E * I, GJ = E / (2 * (1 + nu)) * 4 * I;
    Strip s;
    strip_create(&s, mesh, 1, width, t, E, nu);
    strip_push(&s, (double[3]){0, -sqrt(EI * GJ), 0});
    const double load = least_load(&s, 2, 10);
    strip_free(&s);
    return load;
}

// --- shells ----------------------------------------------------------------------------------------------------------

static void place_roof(const void *context, double u, double v, double x[3]) {
    (void)context;
    const double angle = (v - 0.5) * 80 * M_PI / 180;
    x[0] = 25 * sin(angle), x[1] = 50 * u, x[2] = 25 * cos(angle);
}

double plate_roof(int n, SheetFamily family) {
    Sheet s;
    Statics t;
    sheet_create_shell(&s, 2 * n, 2 * n, 0, family, SHIFT, place_roof, NULL);
    s.material.young = 4.32e8;
    s.material.poisson = 0;
    s.shape.thickness = 0.25;
    statics_create(&t, &s);
    for (int j = 0; j <= s.ny; j++)
        for (int k = 0; k < 4; k++)
            statics_hold(&t, sheet_vertex(&s, k / 2 * s.nx, j), k % 2 * 2);
    statics_hold(&t, sheet_vertex(&s, n, n), 1);
    statics_weigh(&t, (double[3]){0, 0, -90});
    double *u = THAW_NEW(double, t.n);
    statics_linear(&t, u);
    const double down = -(u[3 * sheet_vertex(&s, n, 0) + 2] + u[3 * sheet_vertex(&s, n, s.ny) + 2]) / 2;
    thaw_free(u);
    statics_free(&t);
    sheet_free(&s);
    return down / 0.3024;
}

static void place_cylinder(const void *context, double u, double v, double x[3]) {
    (void)context;
    x[0] = 300 * sin(2 * M_PI * u), x[1] = 600 * v, x[2] = 300 * cos(2 * M_PI * u);
}

double plate_cylinder(int n, SheetFamily family) {
    Sheet s;
    Statics t;
    sheet_create_shell(&s, 4 * n, 2 * n, 1, family, SHIFT, place_cylinder, NULL);
    s.material.young = 3e6;
    s.material.poisson = 0.3;
    s.shape.thickness = 3;
    statics_create(&t, &s);
    for (int i = 0; i < s.nx; i++)
        for (int k = 0; k < 4; k++)
            statics_hold(&t, sheet_vertex(&s, i, k / 2 * s.ny), k % 2 * 2);
    const int top = sheet_vertex(&s, 0, n), side = sheet_vertex(&s, n, n), bottom = sheet_vertex(&s, 2 * n, n);
    statics_hold(&t, side, 1);
    statics_push(&t, top, (double[]){0, 0, -1});
    statics_push(&t, bottom, (double[]){0, 0, 1});
    double *u = THAW_NEW(double, t.n);
    statics_linear(&t, u);
    const double in = (u[3 * bottom + 2] - u[3 * top + 2]) / 2;
    thaw_free(u);
    statics_free(&t);
    sheet_free(&s);
    return in / 1.8248e-5;
}

static void place_hemisphere(const void *context, double u, double v, double x[3]) {
    (void)context;
    const double up = v * 72 * M_PI / 180;
    x[0] = 10 * cos(2 * M_PI * u) * cos(up), x[1] = 10 * sin(2 * M_PI * u) * cos(up), x[2] = 10 * sin(up);
}

double plate_hemisphere(int n, SheetFamily family) {
    Sheet s;
    Statics t;
    sheet_create_shell(&s, 4 * n, n, 1, family, SHIFT, place_hemisphere, NULL);
    s.material.young = 6.825e7;
    s.material.poisson = 0.3;
    s.shape.thickness = 0.04;
    statics_create(&t, &s);
    double *u = THAW_NEW(double, t.n), moved = 0;
    int at[4];
    for (int k = 0; k < 4; k++) { // out along x, in along y
        const double sign = k % 2 ? -1 : 1;
        at[k] = sheet_vertex(&s, k * n, 0);
        const double *X = s.x + 3 * at[k];
        statics_push(&t, at[k], (double[]){sign * 0.2 * X[0], sign * 0.2 * X[1], 0});
    }
    // Six coordinates that symmetry keeps, or that only say where it is.
    for (int k = 0; k < 4; k += 2)
        for (int axis = 1; axis < 3; axis++)
            statics_hold(&t, at[k], axis);
    statics_hold(&t, at[1], 0);
    statics_hold(&t, sheet_vertex(&s, 0, n), 1);
    statics_linear(&t, u);
    for (int k = 0; k < 4; k++)
        moved += (k % 2 ? -1 : 1) * (u[3 * at[k]] * s.x[3 * at[k]] + u[3 * at[k] + 1] * s.x[3 * at[k] + 1]) / (4 * 10);
    thaw_free(u);
    statics_free(&t);
    sheet_free(&s);
    return moved / 0.093;
}

static void place_ring(const void *context, double u, double v, double x[3]) {
    (void)context;
    x[0] = sin(2 * M_PI * u), x[1] = M_PI / 2 * v, x[2] = cos(2 * M_PI * u);
}

double plate_ring(int n, SheetFamily family, double t) {
    Sheet s;
    Statics st;
    sheet_create_shell(&s, 4 * n, n, 1, family, SHIFT, place_ring, NULL);
    s.material.young = 1e6;
    s.material.poisson = 0;
    s.shape.thickness = t;
    statics_create(&st, &s);
    const int hold[6][3] = {{0, 0, 0}, {0, n, 0}, {n, 0, 2}, {n, n, 2}, {3 * n, 0, 2}, {0, 0, 1}}; // column, row, axis
    for (int k = 0; k < 6; k++)
        statics_hold(&st, sheet_vertex(&s, hold[k][0], hold[k][1]), hold[k][2]);
    double *u = THAW_NEW(double, st.n), closer = 0;
    for (int turn = 0; turn < 2; turn++) { // loads by length, then work over all of it
        if (turn == 1)
            statics_linear(&st, u);
        for (int side = 0; side < 2; side++)
            for (int j = 0; j <= n; j++) {
                const int v = sheet_vertex(&s, side * 2 * n, j), below = sheet_vertex(&s, side * 2 * n, j - (j > 0)),
                          above = sheet_vertex(&s, side * 2 * n, j + (j < n));
                const double length = (s.x[3 * above + 1] - s.x[3 * below + 1]) / 2, sign = side ? 1 : -1;
                if (turn == 0)
                    statics_push(&st, v, (double[]){0, 0, sign * length});
                else
                    closer += sign * length * u[3 * v + 2] / (M_PI / 2);
            }
    }
    thaw_free(u);
    statics_free(&st);
    sheet_free(&s);
    return closer / ((M_PI / 4 - 2 / M_PI) / (1e6 * t * t * t / 12));
}
