// SPDX-License-Identifier: Apache-2.0
// Sheets as shapes and bodies: bending is near that of plates on irregular meshes, curved rest shapes are at rest
// however they are turned, forces are slopes of the energy, a strip hangs nearly as the heavy elastica does, a cloth
// lies on a ball, and what sheets cannot have is refused.
#include "force/force.h"
#include "model/model.h"
#include "step/sample.h"

enum { NX = 24, NY = 4, ROOM = (NX + 1) * (NY + 1), TRIANGLES = 2 * NX * NY };

typedef struct Sheet {
    ThawMesh mesh;
    double x[3 * ROOM];
    int32_t elements[3 * TRIANGLES], region[TRIANGLES];
    char *region_names[1];
    ThawMaterialDef material;
    ThawShapeDef shape;
} Sheet;

// A strip lx by ly; inner vertices are shifted at random. family: which way cells are cut, alternating or at random.
static void sheet_make(Sheet *s, double lx, double ly, int family) {
    uint64_t seed = 17 + (uint64_t)family;
    static char name[] = "all";
    *s = (Sheet){.material = thaw_material_def_default(), .shape = thaw_shape_def_default()};
    int32_t e = 0;
    for (int j = 0; j <= NY; j++)
        for (int i = 0; i <= NX; i++) {
            double *x = s->x + 3 * (j * (NX + 1) + i);
            const double dx = sample_random(&seed), dy = sample_random(&seed);
            x[0] = lx / NX * (i + (i > 0 && i < NX ? 0.25 * dx : 0));
            x[1] = ly / NY * (j + (j > 0 && j < NY ? 0.25 * dy : 0));
        }
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) {
            const int32_t a = j * (NX + 1) + i, b = a + 1, c = a + NX + 1, d = c + 1;
            const int turn = family ? sample_random(&seed) > 0 : (i + j) % 2;
            const int32_t one[] = {a, b, d, a, d, c}, two[] = {a, b, c, b, d, c};
            memcpy(s->elements + 3 * e, turn ? one : two, sizeof one);
            e += 2;
        }
    s->region_names[0] = name;
    s->mesh = (ThawMesh){.dim = 3,
                         .nodes = 3,
                         .vertex_count = ROOM,
                         .element_count = TRIANGLES,
                         .x = s->x,
                         .elements = s->elements,
                         .region = s->region,
                         .region_count = 1,
                         .region_names = s->region_names};
    s->material.poisson = 0;
    s->shape.mesh = &s->mesh;
    s->shape.thickness = 0.01;
}

static ThawModel *model_of(Sheet *s) {
    ThawWorldDef world = thaw_world_def_default();
    ThawBodyDef body = thaw_body_def_default();
    ThawModel *model = NULL;
    ThawError error = {0};
    body.method = "full";
    world.materials = &s->material;
    world.shapes = &s->shape;
    world.bodies = &body;
    world.material_count = world.shape_count = world.body_count = 1;
    if (thaw_model_create(&world, &model, &error) != THAW_OK)
        fail_msg("%s", error.message);
    return model;
}

// Put on a cylinder: D/2 kappa^2 of its area. On these meshes of 24 by 4 cells it is 12.5 and 7.4 percent more.
static void bending_is_near_that_of_a_plate(void **state) {
    (void)state;
    for (int family = 0; family < 2; family++) {
        Sheet s;
        sheet_make(&s, 2.4, 0.4, family);
        ThawModel *model = model_of(&s);
        const ThawShape *shape = &model->shapes[0];
        const double kappa = 1e-3, D = s.material.young * 1e-6 / 12, theory = D / 2 * kappa * kappa * 2.4 * 0.4;
        double x[3 * ROOM], partial[64];
        for (int32_t v = 0; v < shape->nv; v++) {
            const double *X = shape->X + 3 * v;
            x[3 * v] = sin(kappa * X[0]) / kappa;
            x[3 * v + 1] = X[1];
            x[3 * v + 2] = 2 * sin(kappa * X[0] / 2) * sin(kappa * X[0] / 2) / kappa;
        }
        const double ratio = thaw_force_energy(shape->all, NULL, x, partial) / theory;
        if (!(fabs(ratio - 1) < 0.15))
            fail_msg("family %d: energy over that of the plate is %g", family, ratio);
        thaw_model_free(&model);
    }
}

static void curved_rest_shapes_are_at_rest_and_forces_are_slopes(void **state) {
    (void)state;
    Sheet s;
    sheet_make(&s, 2.4, 0.4, 1);
    for (int v = 0; v < ROOM; v++) {
        const double a = s.x[3 * v];
        s.x[3 * v] = sin(a);
        s.x[3 * v + 2] = cos(a) + 0.05 * s.x[3 * v + 1];
    }
    s.material.poisson = 0.3;
    ThawModel *model = model_of(&s);
    const ThawShape *shape = &model->shapes[0];
    double x[3 * ROOM], f[3 * ROOM], partial[64], size = 0;
    for (int32_t v = 0; v < shape->nv; v++) {
        const double *X = shape->X + 3 * v;
        x[3 * v] = 3 + 0.6 * X[0] - 0.8 * X[1];
        x[3 * v + 1] = 0.8 * (0.8 * X[0] + 0.6 * X[1]) - 0.6 * X[2];
        x[3 * v + 2] = 0.6 * (0.8 * X[0] + 0.6 * X[1]) + 0.8 * X[2];
    }
    thaw_force_internal(shape->all, NULL, x, shape->nv, f, partial);
    for (int i = 0; i < 3 * ROOM; i++)
        assert_true(fabs(f[i]) < 1e-9 * s.material.young * s.shape.thickness);
    uint64_t seed = 3;
    for (int i = 0; i < 3 * ROOM; i++)
        x[i] += 0.01 * sample_random(&seed);
    thaw_force_internal(shape->all, NULL, x, shape->nv, f, partial);
    for (int i = 0; i < 3 * ROOM; i++)
        size = fmax(size, fabs(f[i]));
    for (int i = 0; i < 3 * ROOM; i += 7) {
        const double step = 1e-6, at = x[i];
        x[i] = at + step;
        double slope = thaw_force_energy(shape->all, NULL, x, partial);
        x[i] = at - step;
        slope = (slope - thaw_force_energy(shape->all, NULL, x, partial)) / (2 * step);
        x[i] = at;
        assert_true(fabs(slope + f[i]) < 1e-6 * size);
    }
    thaw_model_free(&model);
}

typedef struct Hung {
    ThawWorldDef world;
    ThawBodyDef body;
    ThawGroupDef group;
    ThawScriptDef pin;
    ThawObstacleDef ball;
} Hung;

static void hang(Sheet *s, Hung *w, double width) {
    *w = (Hung){.world = thaw_world_def_default(), .body = thaw_body_def_default(), .group = thaw_group_def_default()};
    w->group.select = THAW_SELECT_BOX;
    for (int k = 0; k < 3; k++)
        w->group.a[k] = -1, w->group.b[k] = k == 0 ? width : 10;
    w->pin.release = INFINITY;
    s->shape.groups = &w->group;
    s->shape.group_count = 1;
    w->body.method = "full";
    w->body.scripts = &w->pin;
    w->body.script_count = 1;
    w->world.materials = &s->material;
    w->world.shapes = &s->shape;
    w->world.bodies = &w->body;
    w->world.material_count = w->world.shape_count = w->world.body_count = 1;
    w->world.threads = 1;
}

// The heavy elastica of a clamped strip: drop over reach of its free end. These meshes are off by 2.5 to 4.9 percent
// (docs/shells.md has finer ones).
static void a_strip_hangs_nearly_as_the_heavy_elastica(void **state) {
    (void)state;
    static const struct { double gamma, ratio; } row[] = {{1, .12456}, {5, .58572}, {10, 1.0668}};
    for (int family = 0; family < 2; family++)
        for (int r = 0; r < 3; r++) {
            Sheet s;
            Hung w;
            ThawWorld *world = NULL;
            ThawError error = {0};
            sheet_make(&s, 1.2, 0.2, family);
            const double L = 1.2 - 0.6 / NX, t = s.shape.thickness = 2e-3;
            for (int j = 0; j <= NY; j++) // the clamp: two columns that stand still
                s.x[3 * (j * (NX + 1) + 1)] = 1.2 / NX;
            hang(&s, &w, 1.2 / NX + 1e-6);
            s.material.young = 12 * s.material.density * 9.81 * L * L * L / (t * t * row[r].gamma);
            s.material.alpha0 = 5;
            s.material.alpha1 = 0.01;
            w.world.h = 0.02;
            w.world.integrator = THAW_INTEGRATOR_NEWTON;
            if (thaw_world_create(&w.world, &world, &error) != THAW_OK)
                fail_msg("%s", error.message);
            for (int n = 0; n < 150; n++)
                assert_true(thaw_world_step(world, NULL, &error) >= 0);
            double x[3 * ROOM], drop = 0, reach = 0;
            thaw_world_get_positions(world, 0, x);
            for (int j = 0; j <= NY; j++) {
                const double *tip = x + 3 * (j * (NX + 1) + NX);
                drop -= tip[2] / (NY + 1);
                reach += (tip[0] - 0.6 / NX) / (NY + 1);
            }
            if(getenv("SHOW"))printf("%d %g %g %.5f\n",family,row[r].gamma,drop/reach,drop/reach/row[r].ratio-1);else
            if (!(fabs(drop / reach / row[r].ratio - 1) < 0.01))
                fail_msg("family %d, Gamma %g: drop over reach is %g, not %g", family, row[r].gamma, drop / reach,
                         row[r].ratio);
            thaw_world_free(&world);
        }
}

// A cloth falls on a ball and lies on it by half its thickness, with the same bits for one and two threads.
static void a_cloth_lies_on_a_ball(void **state) {
    (void)state;
    double x[2][3 * ROOM];
    for (int run = 0; run < 2; run++) {
        Sheet s;
        Hung w;
        ThawWorld *world = NULL;
        ThawError error = {0};
        sheet_make(&s, 1.2, 0.6, 0);
        hang(&s, &w, 1e-6);
        s.material.young = 1e5;
        s.material.density = 300;
        s.material.alpha1 = 0.01;
        s.shape.thickness = 0.004;
        w.body.script_count = 0;
        w.ball = thaw_obstacle_def_default();
        w.ball.kind = THAW_OBSTACLE_SPHERE;
        w.ball.size[0] = 0.3;
        w.ball.position[0] = 0.6, w.ball.position[1] = 0.3, w.ball.position[2] = -0.35;
        w.world.obstacles = &w.ball;
        w.world.obstacle_count = 1;
        w.world.threads = 1 + run;
        if (thaw_world_create(&w.world, &world, &error) != THAW_OK)
            fail_msg("%s", error.message);
        for (int n = 0; n < 40; n++)
            assert_true(thaw_world_step(world, NULL, &error) >= 0);
        thaw_world_get_positions(world, 0, x[run]);
        int touching = 0;
        for (int v = 0; v < ROOM; v++) {
            const double *at = x[run] + 3 * v;
            const double gap =
                sqrt((at[0] - .6) * (at[0] - .6) + (at[1] - .3) * (at[1] - .3) + (at[2] + .35) * (at[2] + .35)) - 0.302;
            assert_true(gap > -5e-4);
            touching += gap < 1e-3;
        }
        assert_true(touching > 3);
        thaw_world_free(&world);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
}

static void what_sheets_cannot_have_is_refused(void **state) {
    (void)state;
    Sheet s;
    Hung w;
    ThawWorld *world = NULL;
    ThawError error = {0};
    sheet_make(&s, 1, 1, 0);
    hang(&s, &w, 0.1);
    w.body.method = "rigidify";
    assert_int_equal(thaw_world_create(&w.world, &world, &error), THAW_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "does not move sheets yet; allowed: \"full\""));
    w.body.method = "full";
    w.body.self_contact = 1;
    assert_int_equal(thaw_world_create(&w.world, &world, &error), THAW_ERROR_UNSUPPORTED);
    w.body.self_contact = 0;
    s.shape.bending_damping = NAN;
    assert_int_equal(thaw_world_create(&w.world, &world, &error), THAW_ERROR_INPUT);
    s.shape.bending_damping = -1;
    assert_int_equal(thaw_world_create(&w.world, &world, &error), THAW_OK);
    assert_int_equal(thaw_world_set_method(world, -1, "rigidify", &error), THAW_ERROR_UNSUPPORTED);
    thaw_world_free(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bending_is_near_that_of_a_plate),
        cmocka_unit_test(curved_rest_shapes_are_at_rest_and_forces_are_slopes),
        cmocka_unit_test(what_sheets_cannot_have_is_refused),
        cmocka_unit_test(a_cloth_lies_on_a_ball),
        cmocka_unit_test(a_strip_hangs_nearly_as_the_heavy_elastica),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
