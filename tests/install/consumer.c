// SPDX-License-Identifier: Apache-2.0
// What a user's first program looks like: a soft cube falls for ten steps. Also compiled as C++.
#include <stdio.h>
#include <thaw/thaw.h>

int main(void) {
    const double lo[3] = {0, 0, 1}, hi[3] = {1, 1, 2};
    const int32_t cells[3] = {2, 2, 2};
    ThawError error = {THAW_OK, ""};
    ThawMesh *mesh = NULL;
    ThawStatus status = thaw_mesh_box(3, lo, hi, cells, &mesh, &error);

    ThawMaterialDef rubber = thaw_material_def_default();
    ThawShapeDef shape = thaw_shape_def_default();
    ThawBodyDef body = thaw_body_def_default();
    ThawWorldDef def = thaw_world_def_default();
    rubber.name = "rubber";
    shape.name = "cube";
    shape.mesh = mesh;
    body.name = "cube";
    def.materials = &rubber;
    def.shapes = &shape;
    def.bodies = &body;
    def.material_count = def.shape_count = def.body_count = 1;

    ThawWorld *world = NULL;
    if (status == THAW_OK)
        status = thaw_world_create(&def, &world, &error);
    thaw_mesh_free(&mesh);
    for (int i = 0; i < 10 && status == THAW_OK; i++)
        status = thaw_world_step(world, NULL, &error);

    double x[27 * 3] = {0};
    if (status == THAW_OK)
        status = thaw_world_get_positions(world, 0, x);
    printf("%s\n%s %s\nlowest corner after %.2f s: z = %.4f m\n", thaw_build_info(), thaw_status_name(status),
           error.message, world ? thaw_world_time(world) : 0.0, x[2]);
    thaw_world_free(&world);
    // It falls by g t^2 / 2 = 0.04905 m.
    return status == THAW_OK && x[2] > 0.9509 && x[2] < 0.951 ? 0 : 1;
}
