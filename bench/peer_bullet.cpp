// SPDX-License-Identifier: Apache-2.0
// The beam and the block of bench_peers in Bullet 3.24 (deformable bodies, linear elasticity, implicit, double
// precision), as a user of it would set them up: the nearest program in Debian that does the same job. Rows of the same
// tables as bench_peers; `bench_peer_bullet block` prints the block only.
#include <cstdio>
#include <cstring>
#include <ctime>
#include <set>
#include <utility>
#include <vector>

#include <BulletSoftBody/btDeformableBodySolver.h>
#include <BulletSoftBody/btDeformableLinearElasticityForce.h>
#include <BulletSoftBody/btDeformableMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableMultiBodyDynamicsWorld.h>
#include <BulletSoftBody/btSoftBody.h>
#include <BulletSoftBody/btSoftBodyHelpers.h>
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

// A world of one body, its mesh and its forces.
struct Scene {
    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher;
    btDbvtBroadphase broadphase;
    btDeformableBodySolver solver;
    btDeformableMultiBodyConstraintSolver constraints;
    btDeformableMultiBodyDynamicsWorld world;
    btDeformableLinearElasticityForce elastic;
    btDeformableGravityForce weight;
    btSoftBody *body = nullptr;
    std::vector<btVector3> x;
    std::vector<btScalar> m;

    Scene(const ThawMesh *mesh, double density, double E, double nu)
        : dispatcher(&configuration), world(&dispatcher, &broadphase, &constraints, &configuration, &solver),
          elastic(E / (2 * (1 + nu)), E * nu / ((1 + nu) * (1 - 2 * nu)), 0), weight(btVector3(0, 0, -9.81)),
          m((size_t)mesh->vertex_count, 0) {
        for (int32_t i = 0; i < mesh->vertex_count; i++)
            x.emplace_back(mesh->x[3 * i], mesh->x[3 * i + 1], mesh->x[3 * i + 2]);
        for (int32_t e = 0; e < mesh->element_count; e++)
            for (int a = 0; a < 4; a++)
                m[(size_t)mesh->elements[4 * e + a]] += density * volume(mesh->x, mesh->elements + 4 * e) / 4;
        constraints.setDeformableSolver(&solver);
        btVector3 gravity(0, 0, -9.81);
        world.setGravity(gravity);
        world.getWorldInfo().m_gravity = gravity;
        world.getWorldInfo().m_sparsesdf.setDefaultVoxelsz(0.25);
        world.getWorldInfo().m_sparsesdf.Reset();
        solver.setImplicit(true);
        solver.setLineSearch(false);
        body = new btSoftBody(&world.getWorldInfo(), mesh->vertex_count, x.data(), m.data());
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
        body->setSelfCollision(false);
        body->m_cfg.collisions = 0;
        body->m_sleepingThreshold = 0;
    }

    void start() {
        world.addSoftBody(body);
        world.addForce(body, &elastic);
        world.addForce(body, &weight);
    }

    ~Scene() {
        world.removeSoftBody(body);
        delete body;
    }
};

static void run_beam(const int32_t cells[3]) {
    const double lo[3] = {0, 0, 0}, hi[3] = {1, .2, .2};
    ThawMesh *mesh = nullptr;
    if (thaw_mesh_box(3, lo, hi, cells, &mesh, nullptr) != THAW_OK)
        return;
    Scene scene(mesh, 1000, 5e6, .3);
    for (int32_t i = 0; i < mesh->vertex_count; i++)
        scene.body->setMass(i, scene.x[(size_t)i].x() == 0 ? 0 : scene.m[(size_t)i]);
    scene.body->setActivationState(DISABLE_DEACTIVATION);
    scene.start();
    const int steps = 60;
    double ms = 0;
    for (int k = 0; k < steps; k++) {
        double start = cpu_ms();
        scene.world.stepSimulation(.01, 0);
        ms += k > 0 ? cpu_ms() - start : 0;
    }
    printf("bullet 3.24 linear,%d,%.2f,%.5f,1.0\n", (int)mesh->element_count, ms / (steps - 1),
           (double)scene.body->m_nodes[mesh->vertex_count - 1].m_x.z() - .2);
    fflush(stdout);
    thaw_mesh_free(&mesh);
}

// The block: 6000 tetrahedra, 1 m, dropped by 0.2 m onto a floor. Mean CPU ms in the first second and in the last.
static void run_block(bool sleeps) {
    const double lo[3] = {0, 0, .2}, hi[3] = {1, 1, 1.2};
    const int32_t cells[3] = {10, 10, 10};
    ThawMesh *mesh = nullptr;
    if (thaw_mesh_box(3, lo, hi, cells, &mesh, nullptr) != THAW_OK)
        return;
    Scene scene(mesh, 1000, 5e6, .3);
    btBoxShape ground(btVector3(10, 10, 1));
    btDefaultMotionState place(btTransform(btQuaternion::getIdentity(), btVector3(0, 0, -1)));
    btRigidBody floor(btRigidBody::btRigidBodyConstructionInfo(0, &place, &ground));
    floor.setFriction(.5);
    scene.world.addRigidBody(&floor);
    scene.body->getCollisionShape()->setMargin(.01);
    btSoftBodyHelpers::generateBoundaryFaces(scene.body);
    scene.body->m_cfg.kKHR = scene.body->m_cfg.kCHR = 1;
    scene.body->m_cfg.kDF = .5;
    scene.body->m_cfg.collisions = btSoftBody::fCollision::SDF_RD | btSoftBody::fCollision::SDF_RDN;
    scene.elastic.setDamping(.005, .005);
    if (sleeps)
        scene.body->m_sleepingThreshold = .2; // below, it never sleeps
    else
        scene.body->setActivationState(DISABLE_DEACTIVATION);
    scene.start();
    const int steps = 300;
    double first = 0, last = 0;
    for (int k = 0; k < steps; k++) {
        double start = cpu_ms();
        scene.world.stepSimulation(.01, 0);
        double ms = cpu_ms() - start;
        first += k > 0 && k <= 100 ? ms / 100 : 0;
        last += k >= steps - 100 ? ms / 100 : 0;
    }
    printf("bullet 3.24 %s,%d,%.3f,%.3f,%.4f\n", sleeps ? "with sleep" : "without sleep", (int)mesh->element_count,
           first, last, (double)scene.body->m_nodes[mesh->vertex_count - 1].m_x.z());
    fflush(stdout);
    scene.world.removeRigidBody(&floor);
    thaw_mesh_free(&mesh);
}

int main(int argc, char **argv) {
    const int32_t small[3] = {34, 5, 5}, large[3] = {52, 8, 8};
    if (argc < 2 || strcmp(argv[1], "block") != 0) {
        printf("program,tets,cpu_ms_per_step,tip_dz,newton_iterations\n");
        run_beam(small);
        run_beam(large);
    }
    printf("program,tets,cpu_ms_falling,cpu_ms_resting,corner_z\n");
    run_block(false);
    run_block(true);
    return 0;
}
