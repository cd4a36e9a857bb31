#include <BulletSoftBody/btSoftBodyHelpers.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

#include <memory>

#include "bench/cloth_run.hpp"

namespace carom::bench {
namespace {

Eigen::Vector3d point_of(const btVector3& p) {
  return {static_cast<double>(p.x()), static_cast<double>(p.y()), static_cast<double>(p.z())};
}

}  // namespace

ClothRun run_bullet(const ClothScene& scene, int iterations) {
  btSoftBodyRigidBodyCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broad;
  btSequentialImpulseConstraintSolver solver;
  btSoftRigidDynamicsWorld world(&dispatcher, &broad, &solver, &configuration);
  const btVector3 gravity(0, btScalar(-9.81), 0);
  world.setGravity(gravity);
  world.getWorldInfo().m_gravity = gravity;
  world.getWorldInfo().m_sparsesdf.Initialize();

  btSphereShape shape(static_cast<btScalar>(scene.radius));
  btRigidBody::btRigidBodyConstructionInfo info(0, nullptr, &shape);
  info.m_friction = static_cast<btScalar>(scene.friction);
  btRigidBody ball(info);
  world.addRigidBody(&ball);

  const TriangleMesh rest = sheet_of(scene);
  std::vector<btScalar> points;
  for (const Eigen::Vector3d& p : rest.positions) {
    for (int k = 0; k < 3; ++k) points.push_back(static_cast<btScalar>(p[k]));
  }
  std::vector<int> corners;
  for (const Triangle& t : rest.triangles) corners.insert(corners.end(), t.begin(), t.end());
  auto* const sheet = btSoftBodyHelpers::CreateFromTriMesh(world.getWorldInfo(), points.data(), corners.data(),
                                                           static_cast<int>(rest.triangles.size()), false);
  sheet->generateBendingConstraints(2);
  sheet->m_cfg.piterations = iterations;
  sheet->m_cfg.kDF = static_cast<btScalar>(scene.friction);
  sheet->m_cfg.collisions = btSoftBody::fCollision::SDF_RS;
  sheet->setTotalMass(static_cast<btScalar>(scene.mass), true);
  sheet->getCollisionShape()->setMargin(static_cast<btScalar>(scene.thickness));
  world.addSoftBody(sheet);

  ClothRun run{.engine = "bullet, " + std::to_string(iterations) + " iterations"};
  std::vector<Eigen::Vector3d> now(rest.positions.size());
  for (int i = 0; i < scene.steps; ++i) {
    const Stopwatch stopwatch;
    world.stepSimulation(static_cast<btScalar>(scene.dt), 1, static_cast<btScalar>(scene.dt));
    const Duration time = stopwatch.elapsed();
    run.step_ms.push_back(time.cpu_ms);
    run.wall_ms.push_back(time.wall_ms);
    for (int v = 0; v < sheet->m_nodes.size(); ++v) now[static_cast<std::size_t>(v)] = point_of(sheet->m_nodes[v].m_x);
    note_frame(rest, now, i % 10 == 9 || i + 1 == scene.steps, run);
  }
  run.end = now;
  world.removeSoftBody(sheet);
  world.removeRigidBody(&ball);
  delete sheet;
  return run;
}

}  // namespace carom::bench
