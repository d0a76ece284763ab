// SPDX-License-Identifier: Apache-2.0
// Sheets against theory of plates and shells, on regular and irregular meshes: the heavy elastica, a cantilever plate
// under end shear, wide and narrow strips at nu .3, the Scordelis-Lo roof and the pinched cylinder. Figures go to
// docs/shells.md.
#include "physics/sheets.h"

static const char *family_name(int family) {
    return family == SHEET_EVEN ? "even" : family == SHEET_IN_TURNS ? "in turns" : "at random";
}

typedef struct Flat {
    double lx, ly;
} Flat;

static void place_flat(const void *context, double u, double v, double x[3]) {
    const Flat *flat = context;
    x[0] = flat->lx * u, x[1] = flat->ly * v, x[2] = 0;
}

// Columns 0 and 1 stand still: clamped half way between.
static void clamp(Statics *t, const Sheet *s) {
    for (int j = 0; j <= s->ny; j++)
        for (int k = 0; k < 6; k++)
            statics_hold(t, j * (s->nx + 1) + k / 3, k % 3);
}

static void mean_of_column(const Statics *t, const Sheet *s, int column, double x[3]) {
    x[0] = x[1] = x[2] = 0;
    for (int j = 0; j <= s->ny; j++)
        for (int k = 0; k < 3; k++)
            x[k] += t->x[3 * t->place[j * (s->nx + 1) + column] + k] / (s->ny + 1);
}

// Drop over reach of a strip of which L hangs free, at a Gamma by EI (or D).
static double elastica(int nx, int ny, double width, SheetFamily family, double nu, double gamma, int plate) {
    const double L = 1, lx = L / (1 - 0.5 / nx), t = 1e-3, E = 1e9;
    const double D = E * t * t * t / 12 / (plate ? 1 - nu * nu : 1);
    Sheet s;
    Statics st;
    sheet_create(&s, nx, ny, family, 0.25, place_flat, &(Flat){lx, width});
    s.material.young = E;
    s.material.poisson = nu;
    s.shape.thickness = t;
    statics_create(&st, &s);
    clamp(&st, &s);
    statics_weigh(&st, (double[3]){0, 0, -gamma * D / (L * L * L)});
    for (int k = 1; k <= 8; k++)
        statics_solve(&st, k / 8.0);
    double tip[3];
    mean_of_column(&st, &s, nx, tip);
    statics_free(&st);
    sheet_free(&s);
    return -tip[2] / (tip[0] - (lx - L));
}

static const struct {
    double gamma, ratio;
} TABLE[] = {{.5, .06244},  {1, .12456},   {2, .24667},   {3, .36462},   {5, .58572},   {7, .78856},  {10, 1.0668},
             {14, 1.40436}, {20, 1.86393}, {30, 2.54721}, {50, 3.70556}, {70, 4.67225}, {100, 5.8881}};

static void strips_hang_as_the_heavy_elastica(void **state) {
    (void)state;
    for (int level = 0; level < 3; level++)
        for (int family = SHEET_IN_TURNS; family <= SHEET_AT_RANDOM; family++)
            for (int i = 0; i < COUNT(TABLE); i++) {
                const int nx = 24 << level, ny = 4 << level;
                if (level == 2 && i % 4 != 2)
                    continue;
                const double ratio = elastica(nx, ny, 1.0 / 6, (SheetFamily)family, 0, TABLE[i].gamma, 0);
                print_message("elastica %3d x %2d %-9s Gamma %5g: %.5f, off by %+.3f percent\n", nx, ny,
                              family_name(family), TABLE[i].gamma, ratio, 100 * (ratio / TABLE[i].ratio - 1));
                if (level > 0 || TABLE[i].gamma <= 20)
                    assert_true(fabs(ratio / TABLE[i].ratio - 1) < 0.01);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strips_hang_as_the_heavy_elastica),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
