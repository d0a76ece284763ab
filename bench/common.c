// SPDX-License-Identifier: Apache-2.0
#include "common.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

BenchBox bench_cube(int32_t cells) {
    return (BenchBox){{1, 1, 1},        {cells, cells, cells},         1e6, 0.3, THAW_MATERIAL_STABLE_NEO_HOOKEAN,
                      THAW_SOLVER_AUTO, THAW_INTEGRATOR_SEMI_IMPLICIT, 1};
}

BenchBox bench_beam(int32_t cells) {
    int32_t along = cells == 5 ? 34 : cells == 8 ? 52 : 13 * cells / 2;
    return (BenchBox){{1, 0.2, 0.2},    {along, cells, cells},         5e6, 0.3, THAW_MATERIAL_STVK,
                      THAW_SOLVER_AUTO, THAW_INTEGRATOR_SEMI_IMPLICIT, 1};
}

int64_t bench_elements(const BenchBox *box) { return 6 * (int64_t)box->cells[0] * box->cells[1] * box->cells[2]; }

static void must(ThawStatus status, const ThawError *error) {
    if (status == THAW_OK)
        return;
    fprintf(stderr, "benchmark: %s\n", error->message);
    exit(1);
}

ThawWorld *bench_world(const BenchBox *box) {
    ThawError error;
    ThawMesh *mesh = NULL;
    must(thaw_mesh_box(3, (double[]){0, 0, 0}, box->size, box->cells, &mesh, &error), &error);
    ThawMaterialDef material = thaw_material_def_default();
    material.model = box->model;
    material.young = box->young;
    material.poisson = box->poisson;
    material.density = 1000;
    material.alpha0 = material.alpha1 = 0;
    ThawGroupDef left = thaw_group_def_default();
    left.select = THAW_SELECT_MESH_GROUP;
    left.mesh_group = "x-min";
    ThawShapeDef shape = thaw_shape_def_default();
    shape.mesh = mesh;
    shape.groups = &left;
    shape.group_count = 1;
    ThawScriptDef pin = thaw_script_def_default();
    ThawBodyDef body = thaw_body_def_default();
    body.scripts = &pin;
    body.script_count = 1;
    ThawWorldDef def = thaw_world_def_default();
    def.solver = box->solver;
    def.integrator = box->integrator;
    def.threads = box->threads;
    def.ledger = 0;
    def.materials = &material;
    def.material_count = 1;
    def.shapes = &shape;
    def.shape_count = 1;
    def.bodies = &body;
    def.body_count = 1;
    ThawWorld *world = NULL;
    must(thaw_world_create(&def, &world, &error), &error);
    thaw_mesh_free(&mesh);
    return world;
}

ThawStepStats bench_step(ThawWorld *world) {
    ThawError error;
    ThawStepStats stats;
    must(thaw_world_step(world, &stats, &error), &error);
    return stats;
}

double bench_least(double a, double b) { return a < b ? a : b; }

double bench_peak_mb(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

double bench_now_mb(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1048576;
}

int bench_isolated(void (*job)(void *), void *context) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        job(context);
        fflush(stdout);
        _exit(0);
    }
    int status = 1;
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return 1;
    return status;
}

void bench_settle_blas(char **argv) {
#if defined(THAW_WITH_CHOLMOD) && defined(__x86_64__)
    if (getenv("OPENBLAS_CORETYPE"))
        return;
    int wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
    setenv("OPENBLAS_CORETYPE", wide ? "SkylakeX" : __builtin_cpu_supports("avx2") ? "Haswell" : "Prescott", 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    setenv("OMP_THREAD_LIMIT", "1", 1);
    execv("/proc/self/exe", argv);
#endif
    (void)argv;
}
