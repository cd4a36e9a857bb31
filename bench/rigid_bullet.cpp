#include <btBulletDynamicsCommon.h>

#include <memory>

#include "bench/rigid_run.hpp"

namespace carom::bench {
namespace {

btVector3 vector(const Eigen::Vector3d& p) {
  return {static_cast<btScalar>(p.x()), static_cast<btScalar>(p.y()), static_cast<btScalar>(p.z())};
}

/// A shape and what it points to.
struct BulletShape {
  std::unique_ptr<btTriangleMesh> mesh{};
  std::unique_ptr<btCollisionShape> shape{};
};

BulletShape mesh_of(const Shape& shape) {
  BulletShape made{.mesh = std::make_unique<btTriangleMesh>()};
  const auto corner = [&](Index i) { return vector(shape.vertices()[static_cast<std::size_t>(i)]); };
  for (const Triangle& t : shape.triangles()) made.mesh->addTriangle(corner(t[0]), corner(t[1]), corner(t[2]));
  made.shape = std::make_unique<btBvhTriangleMeshShape>(made.mesh.get(), true);
  return made;
}

std::unique_ptr<btCollisionShape> shape_of(const Shape& shape) {
  switch (shape.kind()) {
    case ShapeKind::box:
      return std::make_unique<btBoxShape>(vector(shape.support({1, 1, 1})));
    case ShapeKind::sphere:
      return std::make_unique<btSphereShape>(static_cast<btScalar>(shape.support({1, 0, 0}).x()));
    case ShapeKind::half_space:
      return std::make_unique<btStaticPlaneShape>(btVector3(0, 1, 0), btScalar(0));
    default: {
      auto hull = std::make_unique<btConvexHullShape>();
      for (const Eigen::Vector3d& p : shape.vertices()) hull->addPoint(vector(p), false);
      hull->recalcLocalAabb();
      return hull;
    }
  }
}

}  // namespace

/// With Bullet's defaults, but for sleeping, which is off.
RigidRun run_bullet(const RigidScene& scene, int steps, double dt) {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broad;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world(&dispatcher, &broad, &solver, &configuration);
  world.setGravity(vector(scene.gravity));
  std::vector<BulletShape> shapes;
  std::vector<std::unique_ptr<btRigidBody>> bodies;
  for (const RigidBody& body : scene.bodies) {
    shapes.push_back(body.shape.kind() == ShapeKind::mesh ? mesh_of(body.shape)
                                                          : BulletShape{.shape = shape_of(body.shape)});
    btCollisionShape* shape = shapes.back().shape.get();
    btVector3 inertia(0, 0, 0);
    btScalar mass = 0;
    if (body.motion == MotionModel::rigid) {
      mass = static_cast<btScalar>(body.density * body.shape.mass_properties().volume);
      shape->calculateLocalInertia(mass, inertia);
    }
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
    info.m_startWorldTransform = btTransform(btQuaternion::getIdentity(), vector(body.pose.translation()));
    info.m_friction = static_cast<btScalar>(body.material.friction);
    bodies.push_back(std::make_unique<btRigidBody>(info));
    bodies.back()->setLinearVelocity(vector(body.velocity));
    bodies.back()->setAngularVelocity(vector(body.angular_velocity));
    bodies.back()->setActivationState(DISABLE_DEACTIVATION);
    world.addRigidBody(bodies.back().get());
  }
  RigidRun run{.engine = "bullet"};
  for (int i = 0; i < steps; ++i) {
    const Stopwatch stopwatch;
    world.stepSimulation(static_cast<btScalar>(dt), 1, static_cast<btScalar>(dt));
    note_step(stopwatch.elapsed(), 1, run);
  }
  for (const auto& body : bodies) {
    const btTransform& t = body->getWorldTransform();
    const btQuaternion q = t.getRotation();
    Eigen::Isometry3d pose(Eigen::Quaterniond(q.w(), q.x(), q.y(), q.z()).normalized());
    pose.translation() = Eigen::Vector3d(t.getOrigin().x(), t.getOrigin().y(), t.getOrigin().z());
    run.poses.push_back(pose);
    world.removeRigidBody(body.get());
  }
  return run;
}

}  // namespace carom::bench
