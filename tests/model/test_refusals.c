// SPDX-License-Identifier: Apache-2.0
// Every field of a definition is validated: the message names the field, its value and what is allowed, and no world is
// made. Each case spoils one field of a good definition.
#include "step/sample.h"

typedef struct Case {
    const char *title;
    void (*spoil)(Sample *s);
    const char *says[3]; // parts of the message: the place and field, the value, what is allowed
} Case;

#define SPOIL(name, ...)                                                                                               \
    static void name(Sample *s) { __VA_ARGS__; }

SPOIL(dim_1, s->world.dim = 1)
SPOIL(dim_4, s->world.dim = 4)
SPOIL(h_zero, s->world.h = 0)
SPOIL(h_negative, s->world.h = -0.01)
SPOIL(h_nan, s->world.h = NAN)
SPOIL(h_infinite, s->world.h = INFINITY)
SPOIL(integrator, s->world.integrator = (ThawIntegrator)7)
SPOIL(projection, s->world.projection = (ThawProjection)9)
SPOIL(solver, s->world.solver = (ThawSolverKind)5)
SPOIL(newton_tolerance_zero, s->world.newton_tolerance = 0)
SPOIL(newton_tolerance_one, s->world.newton_tolerance = 1)
SPOIL(solver_tolerance_nan, s->world.solver_tolerance = NAN)
SPOIL(sleep_one, s->world.rigidify.sleep = 1)
SPOIL(relax_nan, s->world.rigidify.relax = NAN)
SPOIL(oracle_unknown, s->world.rigidify.oracle = (ThawOracleRule)2)
SPOIL(solver_tolerance_large, s->world.solver_tolerance = 2)
SPOIL(newton_iterations, s->world.newton_iterations = 0)
SPOIL(corrections_negative, s->world.corrections = -1)
SPOIL(halvings_negative, s->world.halvings = -1)
SPOIL(halvings_many, s->world.halvings = 21)
SPOIL(substeps_negative, s->world.substeps = -1)
SPOIL(smooth_too_far, s->shape.smooth = 91)
SPOIL(threads, s->world.threads = -2)
SPOIL(gravity, s->world.gravity[1] = NAN)
SPOIL(body_count_negative, s->world.body_count = -1)
SPOIL(bodies_null, s->world.bodies = NULL)
SPOIL(materials_null, s->world.materials = NULL)
SPOIL(shapes_null, s->world.shapes = NULL)
SPOIL(model, s->materials[1].model = (ThawMaterialModel)11)
SPOIL(constants, s->materials[1].constants = (ThawMaterialConstants)3)
SPOIL(density, s->materials[0].density = 0)
SPOIL(young, s->materials[0].young = -5)
SPOIL(poisson_half, s->materials[1].poisson = 0.5)
SPOIL(poisson_neo_hookean, s->materials[0].poisson = -0.25; s->materials[0].model = THAW_MATERIAL_NEO_HOOKEAN)
SPOIL(alpha0, s->materials[0].alpha0 = -0.5)
SPOIL(alpha1, s->materials[0].alpha1 = INFINITY)
SPOIL(strain_limits_of_a_solid, s->materials[0].strain_limits[1] = 1.1)
SPOIL(strain_limits_above_one, s->materials[0].strain_limits[0] = 1)
SPOIL(strain_limits_nan, s->materials[0].strain_limits[1] = NAN)
SPOIL(mesh_null, s->shape.mesh = NULL)
SPOIL(mesh_dim, s->world.dim = 2)
SPOIL(mesh_bad, s->mesh->x[4] = NAN)
SPOIL(mesh_inverted, thaw_mesh_flip(s->mesh, 3))
SPOIL(material_index, s->shape.region_material = NULL; s->shape.material = 2)
SPOIL(material_negative, s->region_material[1] = -1; s->shape.material = -1)
SPOIL(region_material_high, s->region_material[1] = 2)
SPOIL(region_material_low, s->region_material[1] = -2)
SPOIL(group_count, s->shape.group_count = -3)
SPOIL(groups_null, s->shape.groups = NULL)
SPOIL(group_select, s->groups[2].select = (ThawSelect)17)
SPOIL(mesh_group, s->groups[2].mesh_group = "handle")
SPOIL(mesh_group_null, s->groups[2].mesh_group = NULL)
SPOIL(group_empty, s->groups[0].select = THAW_SELECT_BOX; s->groups[0].a[0] = 5; s->groups[0].b[0] = 6)
SPOIL(group_box_nan, s->groups[0].select = THAW_SELECT_BOX; s->groups[0].b[2] = NAN)
SPOIL(group_nearest_nan, s->groups[0].select = THAW_SELECT_NEAREST; s->groups[0].a[1] = NAN)
SPOIL(group_sphere_radius, s->groups[0].select = THAW_SELECT_SPHERE; s->groups[0].radius = -3)
SPOIL(group_plane_normal, s->groups[0].select = THAW_SELECT_PLANE_SIDE)
SPOIL(body_shape, s->bodies[0].shape = 1)
SPOIL(body_method, s->bodies[0].method = "magic")
SPOIL(body_method_null, s->bodies[0].method = NULL)
SPOIL(body_options, static ThawRigidifyOptions own; own = s->world.rigidify; own.tolerance = 2;
      s->bodies[0].rigidify = &own)
SPOIL(body_position, s->bodies[0].position[2] = INFINITY)
SPOIL(body_velocity, s->bodies[0].velocity[0] = NAN)
SPOIL(body_spin, s->bodies[0].spin[1] = NAN)
SPOIL(body_rotation_zero, s->bodies[0].rotation[0] = 0)
SPOIL(body_rotation_nan, s->bodies[0].rotation[3] = NAN)
SPOIL(body_scripts_null, s->bodies[0].scripts = NULL)
SPOIL(body_forces_negative, s->bodies[0].force_count = -1)
SPOIL(script_group, s->scripts[1].group = 7)
SPOIL(script_group_negative, s->scripts[1].group = -1)
SPOIL(script_release, s->scripts[0].release = NAN)
SPOIL(script_interpolation, s->scripts[1].interpolation = (ThawInterpolation)2)
SPOIL(script_centre, s->scripts[1].centre[0] = NAN)
SPOIL(script_keys_null, s->scripts[1].keys = NULL)
SPOIL(script_key_count, s->scripts[0].key_count = -1)
SPOIL(key_time, ((ThawKey *)s->scripts[1].keys)[1].time = 0.1)
SPOIL(key_time_nan, ((ThawKey *)s->scripts[1].keys)[0].time = NAN)
SPOIL(key_translation, ((ThawKey *)s->scripts[1].keys)[1].translation[1] = INFINITY)
SPOIL(key_rotation, ((ThawKey *)s->scripts[1].keys)[1].rotation[0] = 0)
SPOIL(force_group, s->forces[0].group = 9)
SPOIL(force_value, s->forces[0].value[2] = NAN)
SPOIL(force_kind, s->forces[0].kind = (ThawForceKind)4)
SPOIL(force_window, s->forces[0].from = 3; s->forces[0].to = 2)
SPOIL(force_window_nan, s->forces[0].from = NAN)
SPOIL(force_ramp, s->forces[0].ramp = -1)

static const Case cases[] = {
    {"dim_1", dim_1, {"dim", "1", "2 or 3"}},
    {"dim_4", dim_4, {"dim", "4", "2 or 3"}},
    {"h_zero", h_zero, {"h is", "0 s", "> 0"}},
    {"h_negative", h_negative, {"h is", "-0.01", "> 0"}},
    {"h_nan", h_nan, {"h is", "nan", "> 0"}},
    {"h_infinite", h_infinite, {"h is", "inf", "> 0"}},
    {"integrator", integrator, {"integrator", "7", "ThawIntegrator"}},
    {"projection", projection, {"projection", "9", "ThawProjection"}},
    {"solver", solver, {"solver", "5", "ThawSolverKind"}},
    {"newton_tolerance_zero", newton_tolerance_zero, {"newton_tolerance", "0", "between 0 and 1"}},
    {"newton_tolerance_one", newton_tolerance_one, {"newton_tolerance", "1", "between 0 and 1"}},
    {"solver_tolerance_nan", solver_tolerance_nan, {"solver_tolerance", "nan", "between 0 and 1"}},
    {"sleep_one", sleep_one, {"world: rigidify: sleep", "1", "0 (never), or 2 to 255"}},
    {"relax_nan", relax_nan, {"world: rigidify: relax", "nan", "at least 0 and at most 1"}},
    {"oracle_unknown", oracle_unknown, {"world: rigidify: oracle", "2", "\"static\" or \"paper\""}},
    {"solver_tolerance_large", solver_tolerance_large, {"solver_tolerance", "2", "between 0 and 1"}},
    {"newton_iterations", newton_iterations, {"newton_iterations", "0", ">= 1"}},
    {"corrections_negative", corrections_negative, {"corrections", "-1", "0 to 100"}},
    {"halvings_negative", halvings_negative, {"halvings", "-1", "0 to 20"}},
    {"halvings_many", halvings_many, {"halvings", "21", "0 to 20"}},
    {"substeps_negative", substeps_negative, {"substeps", "-1", "0 to 1000"}},
    {"smooth_too_far", smooth_too_far, {"smooth", "91", "0 to 90"}},
    {"threads", threads, {"threads", "-2", "0 (one per processor)"}},
    {"gravity", gravity, {"gravity[1]", "nan", "finite"}},
    {"body_count_negative", body_count_negative, {"bodies", "negative", ""}},
    {"bodies_null", bodies_null, {"bodies", "NULL", ""}},
    {"materials_null", materials_null, {"materials", "NULL", ""}},
    {"shapes_null", shapes_null, {"shapes", "NULL", ""}},
    {"model", model, {"material \"stiff\": model", "11", "THAW_MATERIAL_"}},
    {"constants", constants, {"constants", "3", "THAW_CONSTANTS_MATCHED"}},
    {"density", density, {"material \"rubber\": density", "0", "positive"}},
    {"young", young, {"young", "-5", "positive"}},
    {"poisson_half", poisson_half, {"poisson", "0.5", "below 0.5"}},
    {"poisson_neo_hookean", poisson_neo_hookean, {"poisson", "-0.25", "at least 0 for neo-hookean"}},
    {"alpha0", alpha0, {"alpha0", "-0.5", "at least 0"}},
    {"alpha1", alpha1, {"alpha1", "inf", "finite"}},
    {"strain limits of a solid", strain_limits_of_a_solid, {"material 0", "strain limits", "no sheet"}},
    {"strain limits above one", strain_limits_above_one, {"strain_limits[0]", "1", "below 1"}},
    {"strain limits not a number", strain_limits_nan, {"strain_limits[1]", "nan", "above 1"}},
    {"mesh_null", mesh_null, {"shape block", "mesh", "NULL"}},
    {"mesh_dim", mesh_dim, {"shape block", "dimension 3", "dimension 2"}},
    {"mesh_bad", mesh_bad, {"vertex 1", "nan", "finite"}},
    {"mesh_inverted", mesh_inverted, {"element 3", "volume", ""}},
    {"material_index", material_index, {"shape block: material", "2", "0 to 1"}},
    {"material_negative", material_negative, {"shape block: material", "-1", "0 to 1"}},
    {"region_material_high", region_material_high, {"region_material[1]", "2", "0 to 1"}},
    {"region_material_low", region_material_low, {"region_material[1]", "-2", "-1 for the default"}},
    {"group_count", group_count, {"group_count", "-3", ">= 0"}},
    {"groups_null", groups_null, {"shape block", "groups", "NULL"}},
    {"group_select", group_select, {"group y-min: select", "17", "ThawSelect"}},
    {"mesh_group", mesh_group, {"group y-min", "no group", "handle"}},
    {"mesh_group_null", mesh_group_null, {"group y-min", "no group", "NULL"}},
    {"group_empty", group_empty, {"group x-min", "selects no vertex", ""}},
    {"group_box_nan", group_box_nan, {"group x-min: b[2]", "nan", "a number"}},
    {"group_nearest_nan", group_nearest_nan, {"group x-min: a[1]", "nan", "finite"}},
    {"group_sphere_radius", group_sphere_radius, {"radius", "-3", ">= 0"}},
    {"group_plane_normal", group_plane_normal, {"group x-min: b", "0", "normal"}},
    {"body_shape", body_shape, {"body 0 (hero): shape", "1", "0 to 0"}},
    {"body_method", body_method, {"method", "magic", "full"}},
    {"body_method_null", body_method_null, {"method", "NULL", "full"}},
    {"body_options", body_options, {"body 0 (", "rigidify: tolerance is 2", "greater than 0 and at most 1"}},
    {"body_position", body_position, {"body 0 (hero): position[2]", "inf", "finite"}},
    {"body_velocity", body_velocity, {"velocity[0]", "nan", "finite"}},
    {"body_spin", body_spin, {"spin[1]", "nan", "finite"}},
    {"body_rotation_zero", body_rotation_zero, {"rotation", "(0, 0, 0, 0)", "unit quaternion"}},
    {"body_rotation_nan", body_rotation_nan, {"rotation", "nan", "unit quaternion"}},
    {"body_scripts_null", body_scripts_null, {"body 0 (hero)", "scripts", "NULL"}},
    {"body_forces_negative", body_forces_negative, {"body 0 (hero)", "forces", "negative"}},
    {"script_group", script_group, {"body 0 (hero): script 1: group", "7", "0 to 6"}},
    {"script_group_negative", script_group_negative, {"script 1: group", "-1", "0 to 6"}},
    {"script_release", script_release, {"script 0: release", "nan", "INFINITY"}},
    {"script_interpolation", script_interpolation, {"script 1: interpolation", "2", "ThawInterpolation"}},
    {"script_centre", script_centre, {"script 1: centre[0]", "nan", "finite"}},
    {"script_keys_null", script_keys_null, {"script 1: key_count", "2", "NULL"}},
    {"script_key_count", script_key_count, {"script 0: key_count", "-1", ""}},
    {"key_time", key_time, {"script 1: key 1: time", "0.1", "later than the key before"}},
    {"key_time_nan", key_time_nan, {"script 1: key 0: time", "nan", "finite"}},
    {"key_translation", key_translation, {"key 1: translation[1]", "inf", "finite"}},
    {"key_rotation", key_rotation, {"key 1: rotation", "(0, 0, 0, 0)", "unit quaternion"}},
    {"force_group", force_group, {"body 0 (hero): force 0: group", "9", "0 to 6"}},
    {"force_value", force_value, {"force 0: value[2]", "nan", "finite"}},
    {"force_kind", force_kind, {"force 0: kind", "4", "ThawForceKind"}},
    {"force_window", force_window, {"force 0: from 3", "to 2", "from < to"}},
    {"force_window_nan", force_window_nan, {"force 0: from", "nan", "from < to"}},
    {"force_ramp", force_ramp, {"force 0", "ramp -1", "ramp >= 0"}},
};

static void create_good(Sample *s, ThawKey keys[2]) {
    sample_create(s, 3, 1, THAW_MATERIAL_STVK, 1);
    keys[0] = (ThawKey){.time = 0.1, .rotation = {1, 0, 0, 0}};
    keys[1] = (ThawKey){.time = 0.2, .rotation = {1, 0, 0, 0}};
    s->materials[1].name = "stiff";
    s->shape.name = "block";
    s->bodies[0].name = "hero";
    s->bodies[0].script_count = 2;
    s->bodies[0].force_count = 1;
    s->scripts[1].keys = keys;
    s->scripts[1].key_count = 2;
}

static void the_unspoilt_definition_is_accepted(void **state) {
    (void)state;
    Sample s;
    ThawKey keys[2];
    create_good(&s, keys);
    ThawWorld *world = sample_world(&s);
    thaw_world_free(&world);
    sample_free(&s);
}

static void each_spoilt_field_is_refused_by_name_value_and_what_is_allowed(void **state) {
    (void)state;
    for (int32_t i = 0; i < COUNT(cases); i++) {
        Sample s;
        ThawKey keys[2];
        ThawWorld *world = (ThawWorld *)&s; // must be cleared
        ThawError error = {0};
        create_good(&s, keys);
        cases[i].spoil(&s);
        ThawStatus status = thaw_world_create(&s.world, &world, &error);
        if (status != THAW_ERROR_INPUT || error.status != status || world)
            fail_msg("%s: %s (%s)", cases[i].title, thaw_status_name(status), error.message);
        for (int k = 0; k < 3; k++)
            if (!strstr(error.message, cases[i].says[k]))
                fail_msg("%s: \"%s\" does not say \"%s\"", cases[i].title, error.message, cases[i].says[k]);
        // Without a message the verdict is the same.
        assert_int_equal(thaw_world_create(&s.world, &world, NULL), status);
        sample_free(&s);
    }
}

static void turns_out_of_the_plane_are_refused_in_2d(void **state) {
    (void)state;
    Sample s;
    ThawWorld *world = NULL;
    ThawError error = {0};
    sample_create(&s, 2, 1, THAW_MATERIAL_STVK, 1);
    s.bodies[0].rotation[1] = 0.5;
    assert_int_equal(thaw_world_create(&s.world, &world, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "about z"));
    s.bodies[0].rotation[1] = 0;
    s.shape.thickness = 0;
    assert_int_equal(thaw_world_create(&s.world, &world, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "thickness is 0"));
    sample_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_unspoilt_definition_is_accepted),
        cmocka_unit_test(each_spoilt_field_is_refused_by_name_value_and_what_is_allowed),
        cmocka_unit_test(turns_out_of_the_plane_are_refused_in_2d),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
