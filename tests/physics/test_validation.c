// SPDX-License-Identifier: Apache-2.0
// The cantilever of the solids paper (913 vertices, 3803 tetrahedra) against the tip that its authors' program computed
// over 1500 steps. The data may be compared with but not shipped: the CMake option THAW_VALIDATION names its folder,
// and without it this skips.
// The authors counted mass damping once for each incident element; a test may do so too, by overwriting the model's.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "physics/support_physics.h"
#include "step/step.h"

#define DATA THAW_VALIDATION "/" // THAW_VALIDATION is "" where the option was not given

#ifdef __OPTIMIZE__
enum { STEPS = 1500 };
#else
enum { STEPS = 100 };
#endif

static PhysicsScene *read_beam(void) {
    ThawMesh *mesh = NULL;
    if (thaw_mesh_read(DATA "beam913.mesh", &mesh, NULL, NULL) != THAW_OK)
        return NULL;
    for (int32_t i = 0; i < mesh->vertex_count; i++) { // a quarter turn about y
        double *x = mesh->x + 3 * i, z = -0.6 * x[0];
        x[0] = 0.6 * x[2];
        x[1] *= 0.6;
        x[2] = z;
    }
    PhysicsScene *scene = physics_scene(mesh);
    scene->material = (ThawMaterialDef){.model = THAW_MATERIAL_STABLE_NEO_HOOKEAN,
                                        .constants = THAW_CONSTANTS_UNMODIFIED,
                                        .density = 10,
                                        .young = 5e4,
                                        .poisson = 0.35,
                                        .alpha0 = 1e-5,
                                        .alpha1 = 0.1};
    scene->groups[0] = thaw_group_def_default();
    scene->groups[0].select = THAW_SELECT_PLANE_SIDE;
    scene->groups[0].a[0] = scene->lo[0];
    scene->groups[0].b[0] = -1;
    scene->shape.group_count = 1;
    scene->scripts[0] = thaw_script_def_default();
    scene->body.script_count = 1;
    scene->world.gravity[2] = -9.8;
    scene->world.projection = THAW_PROJECT_NEVER;
    return scene;
}

// alpha0 m_i times a quarter of the incident tetrahedra, in place of alpha0 m_i.
static void damp_like_the_authors(ThawWorld *world) {
    ThawShape *shape = world->model->shapes[0];
    for (int32_t i = 0; i < shape->nv; i++)
        shape->damping_mass[i] = 0;
    for (int32_t i = 0; i < 4 * shape->ne; i++) {
        int32_t v = shape->cells->elements[i];
        shape->damping_mass[v] += 0.25 * shape->materials[0].alpha0 * shape->mass[v];
    }
}

// The largest distance of the tip from the authors'; negative without their data.
static double worst_tip_error(int like_the_authors) {
    if (!*THAW_VALIDATION) {
        print_message("skipped: built without -DTHAW_VALIDATION=DIR, the folder of beam913.mesh\n");
        return -1;
    }
    PhysicsScene *scene = read_beam();
    FILE *file = fopen(DATA "beam913_full_authors.csv", "r");
    assert_non_null(scene); // a folder that was named has the data
    assert_non_null(file);
    int32_t tip = 0;
    for (int32_t i = 0; i < scene->mesh->vertex_count; i++)
        tip = scene->mesh->x[3 * i] > scene->mesh->x[3 * tip] ? i : tip;
    ThawWorld *world = physics_world(scene);
    if (like_the_authors)
        damp_like_the_authors(world);
    double worst = 0, *x = physics_positions(world);
    char line[300];
    assert_non_null(fgets(line, sizeof line, file));
    for (int i = 0; i < STEPS; i++) {
        double theirs[3];
        assert_non_null(fgets(line, sizeof line, file));
        assert_int_equal(sscanf(line, "%*d,%*f,%lf,%lf,%lf", &theirs[0], &theirs[1], &theirs[2]), 3);
        physics_run(world, 1);
        thaw_world_get_positions(world, 0, x);
        worst = fmax(worst, physics_distance(x + 3 * tip, theirs, 3));
    }
    fclose(file);
    free(x);
    thaw_world_free(&world);
    physics_scene_free(&scene);
    return worst;
}

static void the_authors_cantilever_is_met_with_their_damping(void **state) {
    (void)state;
    double worst = worst_tip_error(1);
    if (worst < 0)
        skip();
    print_message("tip against the authors', their damping, %d steps: %.2e m\n", STEPS, worst);
    assert_true(worst < 1e-8);
}

static void the_authors_cantilever_is_met_nearly_with_ours(void **state) {
    (void)state;
    double worst = worst_tip_error(0);
    if (worst < 0)
        skip();
    print_message("tip against the authors', our damping, %d steps: %.2e m\n", STEPS, worst);
    assert_true(worst < 1e-5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_authors_cantilever_is_met_with_their_damping),
        cmocka_unit_test(the_authors_cantilever_is_met_nearly_with_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
