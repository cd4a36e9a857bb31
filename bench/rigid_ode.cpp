#include <ode/ode.h>

#include <array>
#include <cmath>
#include <memory>

#include "bench/rigid_run.hpp"

namespace carom::bench {
namespace {

/// As many as Carom has of a pair; ODE's own examples take four to eight.
constexpr int max_contacts = 4;

/// What a convex geom of ODE points to.
struct Hull {
  std::vector<dReal> planes;
  std::vector<dReal> points;
  std::vector<unsigned int> polygons;
};

/// Around its centre of mass, which ODE wants at the origin of a body.
Hull hull_of(const Shape& shape) {
  Hull hull;
  const Eigen::Vector3d centre = shape.mass_properties().center;
  for (const Eigen::Vector3d& corner : shape.vertices()) {
    const Eigen::Vector3d p = corner - centre;
    hull.points.insert(hull.points.end(), {p.x(), p.y(), p.z()});
  }
  const IndexLists faces = shape.faces();
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const auto face = faces[f];
    const auto at = [&](std::size_t i) -> Eigen::Vector3d {
      return shape.vertices()[static_cast<std::size_t>(face[i])] - centre;
    };
    const Eigen::Vector3d n = (at(1) - at(0)).cross(at(2) - at(0)).normalized();
    hull.planes.insert(hull.planes.end(), {n.x(), n.y(), n.z(), n.dot(at(0))});
    hull.polygons.push_back(static_cast<unsigned int>(face.size()));
    for (const Index i : face) hull.polygons.push_back(static_cast<unsigned int>(i));
  }
  return hull;
}

struct OdeWorld {
  dWorldID world = nullptr;
  dSpaceID space = nullptr;
  dJointGroupID joints = nullptr;
  std::vector<dBodyID> bodies;  ///< of the scene; null where nothing moves
  std::vector<dGeomID> geoms;
  std::vector<std::unique_ptr<Hull>> hulls;
  std::vector<dTriMeshDataID> meshes;
  std::vector<double> friction;

  explicit OdeWorld(const Eigen::Vector3d& gravity) {
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    world = dWorldCreate();
    space = dHashSpaceCreate(nullptr);
    joints = dJointGroupCreate(0);
    dWorldSetGravity(world, gravity.x(), gravity.y(), gravity.z());
  }
  ~OdeWorld() {
    dJointGroupDestroy(joints);
    dSpaceDestroy(space);
    for (const dTriMeshDataID mesh : meshes) dGeomTriMeshDataDestroy(mesh);
    dWorldDestroy(world);
    dCloseODE();
  }
  OdeWorld(const OdeWorld&) = delete;
  OdeWorld& operator=(const OdeWorld&) = delete;

  dGeomID mesh_of(const Shape& shape) {
    auto& mesh = meshes.emplace_back(dGeomTriMeshDataCreate());
    static_assert(sizeof(Eigen::Vector3d) == 3 * sizeof(double) && sizeof(Triangle) == 3 * sizeof(int));
    dGeomTriMeshDataBuildDouble(mesh, shape.vertices().data(), 3 * sizeof(double),
                                static_cast<int>(shape.vertices().size()), shape.triangles().data(),
                                static_cast<int>(3 * shape.triangles().size()), 3 * sizeof(int));
    // Its test of convex geoms against triangles asks for this.
    dGeomTriMeshDataPreprocess2(mesh, 1U << dTRIDATAPREPROCESS_BUILD_FACE_ANGLES, nullptr);
    return dCreateTriMesh(space, mesh, nullptr, nullptr, nullptr);
  }

  dGeomID geom_of(const Shape& shape) {
    switch (shape.kind()) {
      case ShapeKind::mesh:
        return mesh_of(shape);
      case ShapeKind::box: {
        const Eigen::Vector3d half = shape.support({1, 1, 1});
        return dCreateBox(space, 2 * half.x(), 2 * half.y(), 2 * half.z());
      }
      case ShapeKind::sphere:
        return dCreateSphere(space, shape.support({1, 0, 0}).x());
      case ShapeKind::half_space:
        return dCreatePlane(space, 0, 1, 0, 0);
      default: {
        hulls.push_back(std::make_unique<Hull>(hull_of(shape)));
        const Hull& hull = *hulls.back();
        return dCreateConvex(space, hull.planes.data(), static_cast<unsigned int>(hull.planes.size() / 4),
                             hull.points.data(), static_cast<unsigned int>(hull.points.size() / 3),
                             hull.polygons.data());
      }
    }
  }

  void add(const RigidBody& body) {
    const dGeomID geom = geom_of(body.shape);
    dGeomSetData(geom, reinterpret_cast<void*>(geoms.size()));  // NOLINT(performance-no-int-to-ptr): a number to ODE
    geoms.push_back(geom);
    friction.push_back(body.material.friction);
    bodies.push_back(nullptr);
    const Eigen::Vector3d p = body.pose.translation();
    if (body.motion != MotionModel::rigid) {
      if (body.shape.kind() != ShapeKind::half_space) dGeomSetPosition(geom, p.x(), p.y(), p.z());
      return;
    }
    const dBodyID b = bodies.back() = dBodyCreate(world);
    dGeomSetBody(geom, b);
    const MassProperties m = body.shape.mass_properties();
    const Eigen::Matrix3d i = body.density * m.inertia;
    dMass mass;
    dMassSetParameters(&mass, body.density * m.volume, 0, 0, 0, i(0, 0), i(1, 1), i(2, 2), i(0, 1), i(0, 2), i(1, 2));
    dBodySetMass(b, &mass);
    const Eigen::Vector3d centre = p + m.center;
    dBodySetPosition(b, centre.x(), centre.y(), centre.z());
    dBodySetLinearVel(b, body.velocity.x(), body.velocity.y(), body.velocity.z());
    dBodySetAngularVel(b, body.angular_velocity.x(), body.angular_velocity.y(), body.angular_velocity.z());
  }

  static void near(void* data, dGeomID a, dGeomID b) {
    const auto& self = *static_cast<const OdeWorld*>(data);
    const dBodyID ba = dGeomGetBody(a);
    const dBodyID bb = dGeomGetBody(b);
    if (ba == nullptr && bb == nullptr) return;
    std::array<dContact, max_contacts> contacts;
    const int n = dCollide(a, b, max_contacts, &contacts[0].geom, sizeof(dContact));
    const auto of = [&](dGeomID g) { return self.friction[reinterpret_cast<std::size_t>(dGeomGetData(g))]; };
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      contacts[i].surface = {};
      contacts[i].surface.mu = std::sqrt(of(a) * of(b));
      dJointAttach(dJointCreateContact(self.world, self.joints, &contacts[i]), ba, bb);
    }
  }

  void step(double dt) {
    dSpaceCollide(space, this, &near);
    dWorldQuickStep(world, dt);
    dJointGroupEmpty(joints);
  }
};

}  // namespace

/// With ODE's defaults: a hash space, and the iterative step. Nothing sleeps unless it is asked to.
RigidRun run_ode(const RigidScene& scene, int steps, double dt) {
  // What no longer is a number is told on every step.
  dSetMessageHandler([](int, const char*, va_list) {});
  OdeWorld world(scene.gravity);
  for (const RigidBody& body : scene.bodies) world.add(body);
  RigidRun run{.engine = "ode"};
  for (int i = 0; i < steps; ++i) {
    const Stopwatch stopwatch;
    world.step(dt);
    note_step(stopwatch.elapsed(), 1, run);
  }
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    run.poses.push_back(scene.bodies[i].pose);
    if (world.bodies[i] == nullptr) continue;
    const dReal* p = dBodyGetPosition(world.bodies[i]);
    const dReal* q = dBodyGetQuaternion(world.bodies[i]);
    const Eigen::Quaterniond turn = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized();
    run.poses.back() = turn;
    run.poses.back().translation() =
        Eigen::Vector3d(p[0], p[1], p[2]) - turn * scene.bodies[i].shape.mass_properties().center;
  }
  return run;
}

}  // namespace carom::bench
