#include "narrow/convex/minkowski_faces.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "narrow/convex/epa.hpp"
#include "shapes/shape_data.hpp"
#include "shapes/shape_samples.hpp"

// The depth of solid hulls against all directions that can be the answer, one by one.
namespace carom {
namespace {

using convex::HullDepth;
using convex::HullSupport;
using convex::Pair;
using convex::RelativePose;
using math::to_vec3;

struct Hulls {
  Shape a;
  Shape b;
  Eigen::Isometry3d pose;  ///< of b in the frame of a

  const shapes::Core& core_a() const { return a.data().core; }
  const shapes::Core& core_b() const { return b.data().core; }
};

double support_along(const Hulls& h, const Eigen::Vector3d& n) {
  double of_a = -INFINITY;
  double of_b = -INFINITY;
  for (const Eigen::Vector3d& p : h.a.vertices()) of_a = std::max(of_a, n.dot(p));
  for (const Eigen::Vector3d& p : h.b.vertices()) of_b = std::max(of_b, -n.dot(h.pose * p));
  return of_a + of_b;
}

std::vector<Eigen::Vector3d> edge_directions(const Shape& shape, const Eigen::Matrix3d& rotation) {
  std::vector<Eigen::Vector3d> all;
  const IndexLists faces = shape.faces();
  for (std::size_t f = 0; f < faces.size(); ++f) {
    for (std::size_t k = 0; k < faces[f].size(); ++k) {
      const Index i = faces[f][k];
      const Index j = faces[f][(k + 1) % faces[f].size()];
      if (i < j) {
        all.emplace_back(
            rotation * (shape.vertices()[static_cast<std::size_t>(j)] - shape.vertices()[static_cast<std::size_t>(i)]));
      }
    }
  }
  return all;
}

double depth_by_all_axes(const Hulls& h) {
  double smallest = INFINITY;
  const auto offer = [&](const Eigen::Vector3d& n) {
    if (n.norm() > 1e-9) smallest = std::min(smallest, support_along(h, n.normalized()));
  };
  for (const math::Vec3& n : h.core_a().hull->face_normals) offer(math::to_eigen(n));
  for (const math::Vec3& n : h.core_b().hull->face_normals) offer(-(h.pose.linear() * math::to_eigen(n)));
  for (const Eigen::Vector3d& e : edge_directions(h.a, Eigen::Matrix3d::Identity())) {
    for (const Eigen::Vector3d& g : edge_directions(h.b, h.pose.linear())) {
      offer(e.cross(g));
      offer(g.cross(e));
    }
  }
  return smallest;
}

RelativePose relative(const Eigen::Isometry3d& pose) {
  return convex::relative_pose(Eigen::Isometry3d::Identity(), pose);
}

Pair<HullSupport, HullSupport> pair_of(const Hulls& h, const RelativePose& pose) {
  return {{h.core_a()}, {h.core_b()}, pose};
}

bool by_facets(const Hulls& h, const Eigen::Vector3d& guess, HullDepth& result) {
  const RelativePose pose = relative(h.pose);
  return convex::hull_depth(*h.core_a().hull, *h.core_b().hull, pose, pair_of(h, pose).scale(), to_vec3(guess), result);
}

/// Round ones, long ones, and prisms, which have faces of many corners.
Shape draw_hull(std::mt19937_64& random, int kind, int corners) {
  std::vector<Eigen::Vector3d> points;
  for (int i = 0; i < corners; ++i) {
    const Eigen::Vector3d p = test::random_vector(random);
    if (kind == 0) points.push_back(p.normalized());
    if (kind == 1) points.emplace_back(p.x(), 0.3 * p.y(), 2.5 * p.z());
    if (kind == 2) {
      const double angle = 6.28 * i / corners;
      points.emplace_back(std::cos(angle), std::sin(angle), -0.4);
      points.emplace_back(std::cos(angle), std::sin(angle), 0.6);
    }
  }
  return Shape::hull(points);
}

Eigen::Isometry3d draw_pose(std::mt19937_64& random, int how) {
  Eigen::Isometry3d pose = test::random_pose(random, 1);
  if (how == 0) pose.linear().setIdentity();
  if (how == 1) pose.linear() << 0, 1, 0, 0, 0, 1, 1, 0, 0;
  pose.translation() = (how % 2 == 0 ? 0.3 : 0.05) * test::random_vector(random);
  if (how == 4) pose.translation().setZero();
  return pose;
}

TEST(Facets, DepthIsTheLeastOverAllAxes) {
  std::mt19937_64 random(31);
  int compared = 0;
  for (int i = 0; i < 240; ++i) {
    Hulls h{draw_hull(random, i % 3, 4 + i % 23), draw_hull(random, i / 3 % 3, 4 + i % 11),
            draw_pose(random, i / 9 % 6)};
    const double truth = depth_by_all_axes(h);
    if (!(truth > 1e-6)) continue;
    HullDepth result;
    const Eigen::Vector3d guess = i % 2 == 0 ? Eigen::Vector3d::Zero() : Eigen::Vector3d(test::random_vector(random));
    if (!by_facets(h, guess, result)) continue;
    ++compared;
    EXPECT_NEAR(result.depth, truth, 1e-12) << i;
    EXPECT_NEAR(support_along(h, math::to_eigen(result.n)), result.depth, 1e-12) << i;
  }
  EXPECT_GE(compared, 180);
}

TEST(Facets, ShallowOverlapsToo) {
  std::mt19937_64 random(32);
  int compared = 0;
  for (int i = 0; i < 100; ++i) {
    Hulls h{draw_hull(random, i % 3, 8 + i % 9), draw_hull(random, i / 3 % 3, 8 + i % 5), draw_pose(random, 5)};
    // Out along the shortest way, but for a little.
    HullDepth out;
    if (!by_facets(h, Eigen::Vector3d::Zero(), out)) continue;
    h.pose.translation() += (out.depth - (i % 2 == 0 ? 1e-3 : 1e-5)) * math::to_eigen(out.n);
    HullDepth result;
    if (!by_facets(h, Eigen::Vector3d::Zero(), result)) continue;
    ++compared;
    EXPECT_NEAR(result.depth, depth_by_all_axes(h), 1e-12) << i;
  }
  EXPECT_GE(compared, 70);
}

TEST(Facets, LargeHullsAgreeWithTheExpandingPolytope) {
  std::mt19937_64 random(33);
  int compared = 0;
  for (int i = 0; i < 40; ++i) {
    const int corners = i % 2 == 0 ? 90 : 300;
    const Hulls h{draw_hull(random, i % 4 == 3 ? 1 : 0, corners), draw_hull(random, 0, i % 5 == 0 ? 12 : corners),
                  draw_pose(random, 2 + i % 4)};
    HullDepth result;
    if (!by_facets(h, Eigen::Vector3d::Zero(), result)) continue;
    const RelativePose pose = relative(h.pose);
    const auto pair = pair_of(h, pose);
    const convex::Gjk g = convex::gjk(pair, {1, 0, 0}, false);
    ASSERT_TRUE(g.overlap) << i;
    const convex::Epa e = convex::epa(pair, g);
    if (e.limited) {
      EXPECT_LE(result.depth, e.depth + 1e-12) << i;
      EXPECT_GE(result.depth, e.lower - 1e-12) << i;
      continue;
    }
    ++compared;
    EXPECT_NEAR(result.depth, e.depth, 1e-11) << i;
  }
  EXPECT_GE(compared, 25);
}

TEST(Facets, BallsThatOverlapAreInHullsThatDo) {
  std::mt19937_64 random(34);
  int deep = 0;
  for (int i = 0; i < 300; ++i) {
    Hulls h{draw_hull(random, i % 3, 6 + i % 20), draw_hull(random, i / 3 % 3, 6 + i % 7), draw_pose(random, 5)};
    h.pose.translation() *= 20 * (i % 10) / 10.0;
    if (!convex::balls_overlap(*h.core_a().hull, *h.core_b().hull, relative(h.pose))) continue;
    ++deep;
    EXPECT_GT(depth_by_all_axes(h), 0) << i;
  }
  EXPECT_GE(deep, 50);
}

TEST(Facets, ThinHullsAreLeftToOthers) {
  std::mt19937_64 random(35);
  auto points = test::random_points(random, 12);
  for (auto& p : points) p.z() *= 1e-6;
  const Hulls h{Shape::hull(points), draw_hull(random, 0, 12), Eigen::Isometry3d::Identity()};
  HullDepth result;
  EXPECT_FALSE(by_facets(h, Eigen::Vector3d::Zero(), result));
}

}  // namespace
}  // namespace carom
