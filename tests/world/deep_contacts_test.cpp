#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "carom/detect/intersect.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/world/world.hpp"

// Deep overlaps come apart by the deformed field of a soft body.
namespace carom {
namespace {

using Eigen::Vector3d;

SoftBody make_ball(const std::string& name, double radius, const Vector3d& at, bool field, double density = 500) {
  SoftBody body;
  body.name = name;
  body.mesh = make_icosphere(radius, 2);
  for (Vector3d& p : body.mesh.positions) p += at;
  body.degrees_of_freedom = 600;
  body.elasticity = {.density = density, .young_modulus = 3e4, .poisson_ratio = 0.4, .damping = 0.01};
  body.air_damping = 2;
  if (field) body.field = FieldOptions{.tolerance = 0.002, .band = 0.05};
  return body;
}

WorldOptions still(int threads = 1) {
  WorldOptions o;
  o.dt = 1.0 / 60;
  o.gravity.setZero();
  o.contact.distance = 0.005;
  o.threads = threads;
  return o;
}

Vector3d middle(const World& world, BodyId id) {
  Vector3d sum = Vector3d::Zero();
  for (const Vector3d& p : world.positions(id)) sum += p;
  return sum / static_cast<double>(world.positions(id).size());
}

std::size_t crossings(const World& world, BodyId a, const TriangleMesh& mesh_a, BodyId b, const TriangleMesh& mesh_b) {
  std::vector<Vector3d> positions(world.positions(a).begin(), world.positions(a).end());
  positions.insert(positions.end(), world.positions(b).begin(), world.positions(b).end());
  std::vector<Triangle> triangles = mesh_a.triangles;
  const auto first = static_cast<Index>(world.positions(a).size());
  for (const Triangle& t : mesh_b.triangles) triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  return intersections(Surface(positions.size(), std::move(triangles), {}), positions).size();
}

/// Two balls that overlap by more than a radius: the smaller part that a contour cuts off is the wrong one to go back.
TEST(DeepContacts, BallsThatOverlapByMoreThanARadiusComeApartAlongTheLineOfTheirCenters) {
  const TriangleMesh mesh = make_icosphere(0.2, 2);
  for (const bool both : {true, false}) {
    World world(still());
    const Vector3d line = Vector3d(1, 0.4, -0.2).normalized();
    const BodyId a = world.add(make_ball("a", 0.2, {0, 0, 0}, true));
    const BodyId b = world.add(make_ball("b", 0.2, 0.15 * line, both));
    EXPECT_GT(crossings(world, a, mesh, b, mesh), 0u);
    world.step();
    std::size_t overlapping = 0;
    for (const WorldContact& c : world.contacts()) overlapping += c.distance < 0 ? 1 : 0;
    EXPECT_GT(overlapping, 20u);
    for (int i = 0; i < 120; ++i) world.step();
    const Vector3d apart = middle(world, b) - middle(world, a);
    EXPECT_EQ(crossings(world, a, mesh, b, mesh), 0u);
    EXPECT_GT(apart.norm(), 0.38) << (both ? "both have fields" : "one has a field");
    EXPECT_GT(apart.normalized().dot(line), 0.97);
    EXPECT_LT(world.balance().momentum.norm(), 1e-3 * world.balance().mass) << "each pushes the other";
  }
}

/// A ball wholly inside of another: no triangles cross, so nothing but the field knows of it.
TEST(DeepContacts, ABallInsideOfAnotherComesOutWhereTheWayIsShortest) {
  const TriangleMesh outer = make_icosphere(0.3, 2);
  const TriangleMesh inner = make_icosphere(0.1, 2);
  for (const bool field : {true, false}) {
    World world(still());
    const BodyId a = world.add(make_ball("outer", 0.3, {0, 0, 0}, field));
    const BodyId b = world.add(make_ball("inner", 0.1, {0, 0.15, 0}, false));
    EXPECT_EQ(crossings(world, a, outer, b, inner), 0u);
    for (int i = 0; i < 240; ++i) world.step();
    const Vector3d apart = middle(world, b) - middle(world, a);
    EXPECT_EQ(crossings(world, a, outer, b, inner), 0u);
    if (field) {
      EXPECT_GT(apart.y(), 0.37);
      EXPECT_LT(std::hypot(apart.x(), apart.z()), 0.1 * apart.y());
    } else {
      EXPECT_LT(apart.norm(), 0.25) << "nothing lets it out";
    }
  }
}

TEST(DeepContacts, FiltersCountAndThreadsDoNot) {
  std::uint64_t hash = 0;
  for (const int threads : {1, 4}) {
    World world(still(threads));
    world.add(make_ball("a", 0.2, {0, 0, 0}, true));
    world.add(make_ball("b", 0.2, {0.15, 0.02, 0.01}, true));
    for (int i = 0; i < 8; ++i) world.step();
    if (threads == 1) hash = world.state_hash();
    EXPECT_EQ(world.state_hash(), hash) << threads;
  }
  World world(still());
  SoftBody a = make_ball("a", 0.2, {0, 0, 0}, true);
  SoftBody b = make_ball("b", 0.2, {0.15, 0.02, 0.01}, true);
  a.filter = {.group = 1, .mask = 1};
  b.filter = {.group = 2, .mask = 2};
  const BodyId id = world.add(a);
  world.add(b);
  for (int i = 0; i < 10; ++i) world.step();
  EXPECT_TRUE(world.contacts().empty());
  EXPECT_LT(middle(world, id).norm(), 1e-9);
}

/// Cloth that lies in a soft body comes out to the nearest side.
TEST(DeepContacts, ASheetInsideOfABlockComesOutAtTheNearSide) {
  World world(still());
  SoftBody block;
  block.name = "block";
  block.mesh = make_box({0.4, 0.2, 0.4}, 6);
  block.degrees_of_freedom = 900;
  block.elasticity = {.density = 500, .young_modulus = 3e4, .poisson_ratio = 0.3, .damping = 0.01};
  block.fixed = {{.min = {-1, -0.2, -1}, .max = {1, -0.06, 1}}};
  block.field = FieldOptions{.tolerance = 0.002, .band = 0.05};
  const BodyId solid = world.add(block);
  ClothBody sheet;
  sheet.name = "sheet";
  sheet.mesh = make_sheet(0.12, 0.12, 6, 6);
  Vector3d center = Vector3d::Zero();
  for (const Vector3d& p : sheet.mesh.positions) center += p / static_cast<double>(sheet.mesh.positions.size());
  for (Vector3d& p : sheet.mesh.positions) p += Vector3d(0, 0.06, 0) - center;
  const BodyId cloth = world.add(sheet);
  for (int i = 0; i < 120; ++i) world.step();
  for (const Vector3d& p : world.positions(cloth)) EXPECT_GT(p.y(), 0.09);
  for (const Vector3d& p : world.positions(cloth))
    EXPECT_FALSE([&] {
      const auto depth = world.depth_in(solid, p);
      return depth && depth->distance < 0;
    }());
}

}  // namespace
}  // namespace carom
