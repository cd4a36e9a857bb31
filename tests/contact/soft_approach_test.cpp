#include "contact/soft_approach.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <random>

#include "carom/mesh/generate.hpp"
#include "oracle/soup.hpp"

// How far soft bodies come towards others in a step, against all pairs of vertices.
namespace carom::contact {
namespace {

using Eigen::Vector3d;

constexpr double dt = 0.02;
constexpr double thickness = 0.01;

class Bodies {
 public:
  void add(const TriangleMesh& mesh, const Eigen::Isometry3d& pose) {
    Body body;
    body.triangles = mesh.triangles;
    for (const Vector3d& p : mesh.positions) body.positions.push_back(pose * p);
    body.velocities.assign(mesh.positions.size(), Vector3d::Zero());
    body.soft.model = std::make_shared<const solid::BodyModel>();
    const BodyId id = map_.insert(std::move(body));
    map_[id].slot = BodySlot(id.index);
    rigid::add(table_, rigid::SurfaceEntry{.name = "soft", .id = id, .deforms = true});
    order_.push_back(id);
  }
  Body& operator[](std::size_t i) { return map_[order_[i]]; }
  double approach(double gravity = 0) const {
    return soft_approach({.bodies = map_,
                          .order = order_,
                          .table = table_,
                          .contacts = contacts_,
                          .thickness = thickness,
                          .gravity = gravity,
                          .dt = dt});
  }

 private:
  BodyMap map_;
  std::vector<BodyId> order_;
  rigid::Bodies table_;
  AnchorList contacts_;
};

TEST(SoftApproach, IsNoLessThanThatOfVerticesThatMeet) {
  std::mt19937_64 random(3);
  const auto number = [&](double low, double high) { return low + (high - low) * oracle::uniform(random); };
  const auto vector = [&](double size) {
    return Vector3d(number(-size, size), number(-size, size), number(-size, size));
  };
  const TriangleMesh torus = make_torus(1, 0.4, 24, 12);
  int coming = 0;
  int less = 0;
  for (int trial = 0; trial < 250; ++trial) {
    Bodies bodies;
    std::array<double, 2> spread{};
    for (std::size_t i = 0; i < 2; ++i) {
      Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
      pose.translate(vector(1.2));
      pose.rotate(Eigen::AngleAxisd(number(0, 3), vector(1).normalized()));
      bodies.add(torus, pose);
      const Vector3d shift = vector(10);
      const Vector3d spin = vector(number(0, 10));
      const Vector3d wave = vector(number(0, 5));
      Eigen::AlignedBox3d velocities;
      for (std::size_t v = 0; v < torus.positions.size(); ++v) {
        const Vector3d& p = torus.positions[v];
        bodies[i].velocities[v] = shift + spin.cross(p) + std::sin(5 * p.x()) * wave;
        velocities.extend(bodies[i].velocities[v]);
      }
      spread[i] = velocities.sizes().norm();
    }
    double largest = 0;
    for (std::size_t v = 0; v < torus.positions.size(); ++v) {
      for (std::size_t w = 0; w < torus.positions.size(); ++w) {
        const Vector3d from = bodies[1].positions[w] - bodies[0].positions[v];
        const Vector3d move = dt * (bodies[1].velocities[w] - bodies[0].velocities[v]);
        const double time = std::clamp(-from.dot(move) / move.squaredNorm(), 0.0, 1.0);
        if ((from + time * move).norm() <= thickness) largest = std::max(largest, move.norm());
      }
    }
    const double approach = bodies.approach();
    ASSERT_GE(approach, largest * (1 - 1e-12)) << trial;
    // It is that of parts of the bodies, not of all of them.
    const double mean = dt * (bodies[1].velocities[0] - bodies[0].velocities[0]).norm();
    ASSERT_LE(approach, mean + 2 * dt * (spread[0] + spread[1])) << trial;
    coming += largest > 0 ? 1 : 0;
    less += largest > 0 && approach < 1.5 * largest ? 1 : 0;
  }
  EXPECT_GT(coming, 25);
  EXPECT_GT(less, coming / 2);
}

TEST(SoftApproach, IsNothingWhereBoxesOfBodiesMeetAndTheirSurfacesDoNot) {
  // Two links of a chain, which are 0.3 m apart inside of each other.
  Bodies links;
  const TriangleMesh link = make_torus(1, 0.2, 48, 16);
  Eigen::Isometry3d second = Eigen::Isometry3d::Identity();
  second.translate(Vector3d(1, 0, 0));
  second.rotate(Eigen::AngleAxisd(EIGEN_PI / 2, Vector3d::UnitX()));
  links.add(link, Eigen::Isometry3d::Identity());
  links.add(link, second);
  for (Vector3d& v : links[1].velocities) v = {4, 4, 4};
  EXPECT_EQ(links.approach(), 0);
  // 50 m/s brings them together.
  for (Vector3d& v : links[1].velocities) v = {50, 0, 0};
  EXPECT_NEAR(links.approach(), dt * 50, 1e-12);
}

TEST(SoftApproach, IsNothingOfWhatGoesAway) {
  Bodies bodies;
  const TriangleMesh torus = make_torus(1, 0.4, 24, 12);
  Eigen::Isometry3d above = Eigen::Isometry3d::Identity();
  above.translate(Vector3d(0, 0.82, 0));
  bodies.add(torus, Eigen::Isometry3d::Identity());
  bodies.add(torus, above);
  for (Vector3d& v : bodies[1].velocities) v = {0, -3, 0};
  EXPECT_NEAR(bodies.approach(), dt * 3, 1e-12);
  for (Vector3d& v : bodies[1].velocities) v = {0, 3, 0};
  EXPECT_EQ(bodies.approach(), 0);
  // Unless what holds them back turns them round.
  EXPECT_NEAR(bodies.approach(300), dt * (3 + dt * 300), 1e-12);
}

}  // namespace
}  // namespace carom::contact
