// SPDX-License-Identifier: Apache-2.0
// Obstacles, pairs and contact options are validated: the message names the field, its value and what is allowed.
#include "contact/touching.h"

static double corners[24];
static int32_t faces[36];
static double times[2];
static double frames[48];
static ThawKey keys[2];

static void good(Touching *s) {
    static const int32_t box[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                    2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    memcpy(faces, box, sizeof box);
    for (int i = 0; i < 24; i++)
        corners[i] = frames[i] = frames[24 + i] = i / 3 >> i % 3 & 1 ? 1 : -1;
    times[0] = 0, times[1] = 1;
    for (int i = 0; i < 2; i++)
        keys[i] = (ThawKey){.time = i, .rotation = {1, 0, 0, 0}};
    touching_create(s, 3);
    touching_shape(s, (double[3]){1, 1, 1}, (int32_t[3]){1, 1, 1}, 0, 1);
    touching_body(s, 0, 0, 0, 0)->name = "cube";
    ThawObstacleDef *mesh = touching_obstacle(s, THAW_OBSTACLE_MESH);
    mesh->name = "bowl", mesh->x = corners, mesh->vertex_count = 8, mesh->faces = faces, mesh->face_count = 12;
    ThawObstacleDef *moving = touching_obstacle(s, THAW_OBSTACLE_MESH);
    *moving = *mesh;
    moving->name = "wave", moving->x = NULL;
    moving->frames = frames, moving->frame_times = times, moving->frame_count = 2;
    ThawObstacleDef *capsule = touching_obstacle(s, THAW_OBSTACLE_CAPSULE);
    capsule->name = "arm", capsule->size[0] = 0.2, capsule->size[1] = 1;
    capsule->keys = keys, capsule->key_count = 2;
    s->pairs[0] = (ThawPairDef){"cube", "arm", 1, -1, -1};
    s->world.pair_count = 1;
}

typedef struct Case {
    void (*spoil)(Touching *s);
    const char *says[3];
} Case;

#define SPOIL(name, ...)                                                                                               \
    static void name(Touching *s) {                                                                                    \
        (void)s;                                                                                                       \
        __VA_ARGS__;                                                                                                   \
    }

SPOIL(stiffness, s->world.contact.stiffness = -1)
SPOIL(damping, s->world.contact.damping = NAN)
SPOIL(tangent, s->world.contact.tangent = -1)
SPOIL(erp, s->world.contact.erp = 2)
SPOIL(cfm, s->world.contact.cfm = -1)
SPOIL(cone, s->world.contact.friction = (ThawFriction)4)
SPOIL(tolerance, s->world.contact.tolerance = 0)
SPOIL(iterations, s->world.contact.iterations = 0)
SPOIL(body_friction, s->bodies[0].friction = -0.1)
SPOIL(body_restitution, s->bodies[0].restitution = 1.1)
SPOIL(restitution, s->obstacles[2].restitution = NAN)
SPOIL(pair_restitution, s->pairs[0].restitution = 2)
SPOIL(obstacle_count, s->world.obstacle_count = -1)
SPOIL(pairs_null, s->world.pairs = NULL)
SPOIL(kind, s->obstacles[0].kind = (ThawObstacleKind)9)
SPOIL(size, s->obstacles[2].size[1] = 0)
SPOIL(friction, s->obstacles[2].friction = NAN)
SPOIL(position, s->obstacles[2].position[2] = INFINITY)
SPOIL(rotation, s->obstacles[2].rotation[0] = 0)
SPOIL(key_time, keys[1].time = -1)
SPOIL(keys_null, s->obstacles[2].keys = NULL)
SPOIL(interpolation, s->obstacles[2].interpolation = (ThawInterpolation)5)
SPOIL(faces_null, s->obstacles[0].faces = NULL)
SPOIL(vertex, faces[7] = 8)
SPOIL(repeated, faces[7] = faces[6])
SPOIL(open_surface, s->obstacles[0].face_count = 11)
SPOIL(
    inside_out, for (int i = 0; i < 36; i += 3) {
        int32_t swap = faces[i];
        faces[i] = faces[i + 1], faces[i + 1] = swap;
    })
SPOIL(coordinate, corners[4] = NAN)
SPOIL(frame_coordinate, frames[30] = NAN)
SPOIL(frame_times, times[1] = 0)
SPOIL(pair_name, s->pairs[0].second = "leg")
SPOIL(pair_name_null, s->pairs[0].first = NULL)
SPOIL(pair_friction, s->pairs[0].friction = NAN)

static const Case cases[] = {
    {stiffness, {"contact: stiffness", "-1", "INFINITY (hard)"}},
    {damping, {"contact: damping", "nan", ">= 0"}},
    {tangent, {"contact: tangent", "-1", "0 (hard)"}},
    {erp, {"erp", "2", "0 to 1"}},
    {cfm, {"cfm", "-1", ">= 0"}},
    {cone, {"contact: friction", "4", "ThawFriction"}},
    {tolerance, {"contact: tolerance", "0", "between 0 and 1"}},
    {iterations, {"contact: iterations", "0", ">= 1"}},
    {body_friction, {"body 0 (cube): friction", "-0.1", ">= 0"}},
    {obstacle_count, {"obstacles", "negative", ""}},
    {pairs_null, {"pairs", "NULL", ""}},
    {kind, {"obstacle 0 (bowl): kind", "9", "ThawObstacleKind"}},
    {size, {"obstacle 2 (arm): size[1]", "0 m", "> 0"}},
    {friction, {"arm): friction", "nan", ">= 0"}},
    {body_restitution, {"body 0 (cube): restitution", "1.1", "0 to 1"}},
    {restitution, {"arm): restitution", "nan", "0 to 1"}},
    {pair_restitution, {"pair 0: restitution", "2", "0 to 1"}},
    {position, {"position[2]", "inf", "finite"}},
    {rotation, {"rotation", "0, 0, 0, 0", "unit quaternion"}},
    {key_time, {"arm): key 1", "-1 s", "later"}},
    {keys_null, {"key_count is 2", "NULL", ""}},
    {interpolation, {"interpolation", "5", "ThawInterpolation"}},
    {faces_null, {"bowl", "NULL", "at least 4"}},
    {vertex, {"face 2", "vertex 8", "0 to 7"}},
    {repeated, {"face 2", "vertex", "each once"}},
    {open_surface, {"bowl", "open", "closed"}},
    {inside_out, {"bowl", "inside out", "outward"}},
    {coordinate, {"vertex 1", "nan", "finite"}},
    {frame_coordinate, {"wave", "frame 1", "finite"}},
    {frame_times, {"frame_times[1]", "0 s", "later"}},
    {pair_name, {"pair 0: second", "leg", "name of a body"}},
    {pair_name_null, {"pair 0: first", "(NULL)", "name of a body"}},
    {pair_friction, {"pair 0: friction", "nan", ">= 0"}},
};

static void each_spoilt_field_is_refused_by_name_value_and_what_is_allowed(void **state) {
    (void)state;
    for (int32_t i = -1; i < COUNT(cases); i++) {
        Touching s;
        ThawError error = {0};
        good(&s);
        if (i >= 0)
            cases[i].spoil(&s);
        ThawStatus status = thaw_model_create(&s.world, &s.model, &error);
        if (status != (i < 0 ? THAW_OK : THAW_ERROR_INPUT) || (i >= 0 && s.model))
            fail_msg("case %d: %s", (int)i, error.message);
        for (int k = 0; i >= 0 && k < 3; k++)
            if (!strstr(error.message, cases[i].says[k]))
                fail_msg("\"%s\" does not say \"%s\"", error.message, cases[i].says[k]);
        touching_free(&s);
    }
}

static void what_is_flat_has_no_capsules_and_polygons_are_closed(void **state) {
    (void)state;
    static const double square[8] = {-1, -1, 1, -1, 1, 1, -1, 1};
    int32_t edges[8] = {0, 1, 1, 2, 2, 3, 3, 0};
    for (int i = 0; i < 4; i++) {
        Touching s;
        ThawError error = {0};
        touching_create(&s, 2);
        touching_shape(&s, (double[3]){1, 1, 1}, (int32_t[3]){1, 1, 1}, 0, 1);
        touching_body(&s, 0, 0, 0, 0);
        ThawObstacleDef *o = touching_obstacle(&s, i == 0 ? THAW_OBSTACLE_CAPSULE : THAW_OBSTACLE_MESH);
        o->x = square, o->vertex_count = 4, o->faces = edges, o->face_count = i == 2 ? 3 : 4;
        if (i == 3)
            for (int k = 0; k < 8; k += 2)
                edges[k] = (k / 2 + 1) % 4, edges[k + 1] = k / 2;
        ThawStatus status = thaw_model_create(&s.world, &s.model, &error);
        assert_int_equal(status, i == 1 ? THAW_OK : THAW_ERROR_INPUT);
        if (i != 1)
            assert_non_null(strstr(error.message, i == 0 ? "capsule" : i == 2 ? "open at vertex" : "inside out"));
        touching_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_spoilt_field_is_refused_by_name_value_and_what_is_allowed),
        cmocka_unit_test(what_is_flat_has_no_capsules_and_polygons_are_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
