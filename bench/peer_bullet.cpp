// SPDX-License-Identifier: Apache-2.0
// The beam of bench_peers in Bullet 3.24 (deformable bodies, linear elasticity, implicit, double precision), as a user of
// it would set it up: the nearest program in Debian that does the same job. Rows of the same table as bench_peers.
#include <cstdio>
#include <ctime>
#include <set>
#include <utility>
#include <vector>

#include <BulletSoftBody/btDeformableBodySolver.h>
#include <BulletSoftBody/btDeformableLinearElasticityForce.h>
#include <BulletSoftBody/btDeformableMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableMultiBodyDynamicsWorld.h>
#include <BulletSoftBody/btSoftBody.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <btBulletDynamicsCommon.h>

#include "thaw/mesh.h"

static double cpu_ms() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static double volume(const double *x, const int32_t *v) {
    btVector3 p[4];
    for (int a = 0; a < 4; a++)
        p[a] = btVector3(x[3 * v[a]], x[3 * v[a] + 1], x[3 * v[a] + 2]);
    return (p[1] - p[0]).dot((p[2] - p[0]).cross(p[3] - p[0])) / 6;
}

static void run(const int32_t cells[3]) {
    const double density = 1000, E = 5e6, nu = .3, lo[3] = {0, 0, 0}, hi[3] = {1, .2, .2};
    ThawMesh *mesh = nullptr;
    if (thaw_mesh_box(3, lo, hi, cells, &mesh, nullptr) != THAW_OK)
        return;
    std::vector<btVector3> x;
    std::vector<btScalar> m((size_t)mesh->vertex_count, 0);
    for (int32_t i = 0; i < mesh->vertex_count; i++)
        x.emplace_back(mesh->x[3 * i], mesh->x[3 * i + 1], mesh->x[3 * i + 2]);
    for (int32_t e = 0; e < mesh->element_count; e++)
        for (int a = 0; a < 4; a++)
            m[(size_t)mesh->elements[4 * e + a]] += density * volume(mesh->x, mesh->elements + 4 * e) / 4;

    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    btDeformableBodySolver solver;
    btDeformableMultiBodyConstraintSolver constraints;
    constraints.setDeformableSolver(&solver);
    btDeformableMultiBodyDynamicsWorld world(&dispatcher, &broadphase, &constraints, &configuration, &solver);
    btVector3 gravity(0, 0, -9.81);
    world.setGravity(gravity);
    world.getWorldInfo().m_gravity = gravity;
    world.getWorldInfo().m_sparsesdf.setDefaultVoxelsz(0.25);
    world.getWorldInfo().m_sparsesdf.Reset();
    solver.setImplicit(true);
    solver.setLineSearch(false);

    btSoftBody *body = new btSoftBody(&world.getWorldInfo(), mesh->vertex_count, x.data(), m.data());
    std::set<std::pair<int, int>> edges;
    for (int32_t e = 0; e < mesh->element_count; e++) {
        const int32_t *v = mesh->elements + 4 * e;
        body->appendTetra(v[0], v[1], v[2], v[3]);
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < a; b++)
                edges.insert({btMin(v[a], v[b]), btMax(v[a], v[b])});
    }
    for (const auto &edge : edges)
        body->appendLink(edge.first, edge.second); // its damping code walks links
    body->initializeDmInverse();
    body->m_tetraScratches.resize(body->m_tetras.size());
    body->m_tetraScratchesTn.resize(body->m_tetras.size());
    for (int32_t i = 0; i < mesh->vertex_count; i++)
        body->setMass(i, x[(size_t)i].x() == 0 ? 0 : m[(size_t)i]);
    body->setSelfCollision(false);
    body->m_cfg.collisions = 0;
    body->m_sleepingThreshold = 0;
    body->setActivationState(DISABLE_DEACTIVATION);
    world.addSoftBody(body);
    btDeformableLinearElasticityForce elastic(E / (2 * (1 + nu)), E * nu / ((1 + nu) * (1 - 2 * nu)), 0);
    btDeformableGravityForce weight(gravity);
    world.addForce(body, &elastic);
    world.addForce(body, &weight);

    const int steps = 60;
    double ms = 0;
    for (int k = 0; k < steps; k++) {
        double start = cpu_ms();
        world.stepSimulation(.01, 0);
        ms += k > 0 ? cpu_ms() - start : 0;
    }
    printf("bullet 3.24 linear,%d,%.2f,%.5f,1.0\n", (int)mesh->element_count, ms / (steps - 1),
           (double)body->m_nodes[mesh->vertex_count - 1].m_x.z() - .2);
    fflush(stdout);
    world.removeSoftBody(body);
    delete body;
    thaw_mesh_free(&mesh);
}

int main() {
    printf("program,tets,cpu_ms_per_step,tip_dz,newton_iterations\n");
    const int32_t small[3] = {34, 5, 5}, large[3] = {52, 8, 8};
    run(small);
    run(large);
    return 0;
}
