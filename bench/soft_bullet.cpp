#include <BulletSoftBody/btSoftBody.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

#include <set>

#include "bench/soft_run.hpp"

namespace carom::bench {

SoftRun run_bullet_soft(const SoftScene& scene, int iterations) {
  btSoftBodyRigidBodyCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broad;
  btSequentialImpulseConstraintSolver solver;
  btSoftRigidDynamicsWorld world(&dispatcher, &broad, &solver, &configuration);
  const btVector3 gravity(0, btScalar(-9.81), 0);
  world.setGravity(gravity);
  world.getWorldInfo().m_gravity = gravity;
  world.getWorldInfo().m_sparsesdf.Initialize();

  btStaticPlaneShape shape(btVector3(0, 1, 0), 0);
  const btRigidBody::btRigidBodyConstructionInfo info(0, nullptr, &shape);
  btRigidBody plane(info);
  world.addRigidBody(&plane);

  TetrahedralMesh mesh = torus_of(scene);
  orient("torus", mesh);
  const std::vector<Triangle> triangles = boundary_triangles(mesh);
  std::vector<btVector3> points;
  for (const Eigen::Vector3d& p : mesh.positions)
    points.emplace_back(static_cast<btScalar>(p.x()), static_cast<btScalar>(p.y()), static_cast<btScalar>(p.z()));
  auto* const torus = new btSoftBody(&world.getWorldInfo(), static_cast<int>(points.size()), points.data(), nullptr);
  std::set<std::pair<Index, Index>> edges;
  for (const Tetrahedron& t : mesh.tetrahedra) {
    torus->appendTetra(t[0], t[1], t[2], t[3]);
    for (std::size_t a = 0; a < 4; ++a)
      for (std::size_t b = a + 1; b < 4; ++b) edges.insert(std::minmax(t[a], t[b]));
  }
  for (const auto& [a, b] : edges) torus->appendLink(a, b);
  for (const Triangle& t : triangles) torus->appendFace(t[0], t[1], t[2]);
  torus->m_cfg.piterations = iterations;
  torus->m_cfg.collisions = btSoftBody::fCollision::SDF_RS;
  torus->setVolumeDensity(static_cast<btScalar>(scene.density));
  torus->getCollisionShape()->setMargin(static_cast<btScalar>(scene.thickness));
  world.addSoftBody(torus);

  SoftRun run{.engine = "bullet, " + std::to_string(iterations) + " iterations"};
  std::vector<Eigen::Vector3d> now(mesh.positions.size());
  for (int i = 0; i < scene.steps; ++i) {
    const Stopwatch stopwatch;
    world.stepSimulation(static_cast<btScalar>(scene.dt), 1, static_cast<btScalar>(scene.dt));
    const Duration time = stopwatch.elapsed();
    run.step_ms.push_back(time.cpu_ms);
    run.wall_ms.push_back(time.wall_ms);
    for (int v = 0; v < torus->m_nodes.size(); ++v) {
      const btVector3& p = torus->m_nodes[v].m_x;
      now[static_cast<std::size_t>(v)] = {static_cast<double>(p.x()), static_cast<double>(p.y()),
                                          static_cast<double>(p.z())};
    }
    note_frame(triangles, now, i % 10 == 9 || i + 1 == scene.steps, run);
  }
  world.removeSoftBody(torus);
  world.removeRigidBody(&plane);
  delete torus;
  return run;
}

}  // namespace carom::bench
