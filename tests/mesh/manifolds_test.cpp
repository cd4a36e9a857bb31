#include "narrow/mesh/manifolds.hpp"

#include <gtest/gtest.h>

#include <random>

#include "carom/mesh/generate.hpp"
#include "carom/query/query.hpp"
#include "shapes/shape_data.hpp"

// Triangles that are left out early, against all triangles every time.
namespace carom {
namespace {

using Eigen::Vector3d;

class Chance {
 public:
  explicit Chance(unsigned seed) : random_(seed) {}
  double number(double smallest, double largest) {
    return std::uniform_real_distribution<double>(smallest, largest)(random_);
  }
  Vector3d vector() {
    const double x = number(-1, 1);
    const double y = number(-1, 1);
    return {x, y, number(-1, 1)};
  }

 private:
  std::mt19937 random_;
};

Shape hills(Chance& chance) {
  TriangleMesh mesh = make_sheet(6, 6, 16, 16);
  const double height = chance.number(0, 0.4);
  const double phase = chance.number(0, 6);
  for (Vector3d& p : mesh.positions)
    p.y() = height * std::sin(1.3 * p.x() + phase) * std::cos(1.7 * p.z()) + chance.number(-0.01, 0.01);
  return Shape::mesh(mesh);
}

/// So little uneven that nothing counts as sharp, from a hundredth of a millimetre on.
Shape nearly_flat(Chance& chance) {
  TriangleMesh mesh = make_sheet(6, 6, 16, 16);
  const double height = std::pow(10, chance.number(-5, -2));
  for (Vector3d& p : mesh.positions) p.y() = chance.number(-height, height);
  return Shape::mesh(mesh);
}

/// Triangles of 2 m by 4 cm.
Shape slivers(Chance& chance) {
  TriangleMesh mesh = make_sheet(6, 6, 3, 150);
  const double height = std::pow(10, chance.number(-5, -2));
  for (Vector3d& p : mesh.positions) p.y() = 0.2 * std::sin(p.x()) + chance.number(-height, height);
  return Shape::mesh(mesh);
}

/// Ramps as wide as a triangle between floors: inner edges that are sharp, and valleys.
Shape terraces(Chance& chance) {
  TriangleMesh mesh = make_sheet(6, 6, 24, 24);
  const double step = chance.number(0.05, 0.25);
  for (Vector3d& p : mesh.positions) p.y() = step * std::floor(2 * p.x() + 1e-9);
  return Shape::mesh(mesh);
}

/// So steep that shapes reach round triangles without touching them.
Shape spikes(Chance& chance) {
  TriangleMesh mesh = make_sheet(6, 6, 16, 16);
  for (Vector3d& p : mesh.positions) p.y() = chance.number(-0.3, 0.3);
  return Shape::mesh(mesh);
}

Shape stone(Chance& chance) {
  TriangleMesh mesh = make_icosphere(chance.number(0.5, 2), 1 + static_cast<int>(chance.number(0, 3)));
  const double rough = chance.number(0, 0.1);
  for (Vector3d& p : mesh.positions) p *= 1 + chance.number(-rough, rough);
  return Shape::mesh(mesh);
}

Shape ring(Chance& chance) {
  TriangleMesh mesh = make_torus(1.2, 0.4, 20, 10);
  const double rough = chance.number(0, 0.03);
  for (Vector3d& p : mesh.positions) p += rough * chance.vector();
  return Shape::mesh(mesh);
}

/// Hulls of few corners, and hulls of many and shapes that are none: those have a way of their own.
Shape random_shape(Chance& chance, int kind) {
  if (kind == 0) return Shape::box({0.3, 0.2, 0.4});
  if (kind == 1) return Shape::capsule(0.15, 0.4);
  if (kind == 3) return Shape::sphere(0.3);
  if (kind == 4) return Shape::cylinder(0.25, 0.3);
  if (kind == 5) return Shape::cone(0.3, 0.6);
  std::vector<Vector3d> points;
  const int count = static_cast<int>(kind == 2 ? chance.number(50, 150) : chance.number(6, 24));
  for (int i = 0; i < count; ++i) points.push_back(chance.number(0.3, 0.4) * chance.vector().normalized());
  return Shape::hull(points);
}

Eigen::Isometry3d random_pose(Chance& chance, double height) {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.translation() = Vector3d(chance.number(-2, 2), height, chance.number(-2, 2));
  pose.linear() = Eigen::AngleAxisd(chance.number(0, 3), chance.vector().normalized()).toRotationMatrix();
  return pose;
}

/// To where the shape is at about `gap` from the mesh, down, or to its middle.
void approach(const Shape& mesh, const Shape& shape, double gap, const Vector3d& travel, Eigen::Isometry3d& pose) {
  for (int i = 0; i < 20; ++i) {
    const double d = distance(mesh, Eigen::Isometry3d::Identity(), shape, pose).distance;
    if (std::abs(d - gap) < 1e-6) return;
    pose.translation() += (d - gap) * travel;
  }
}
void lower(const Shape& mesh, const Shape& shape, double gap, Eigen::Isometry3d& pose) {
  approach(mesh, shape, gap, -Vector3d::UnitY(), pose);
}

void expect_same(const std::vector<mesh::FaceManifold>& a, const std::vector<mesh::FaceManifold>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].triangle, b[i].triangle);
    ASSERT_EQ(a[i].patch.count, b[i].patch.count);
    EXPECT_EQ(math::to_eigen(a[i].patch.normal), math::to_eigen(b[i].patch.normal));
    for (std::size_t k = 0; k < static_cast<std::size_t>(a[i].patch.count); ++k) {
      EXPECT_EQ(a[i].patch.points[k].distance, b[i].patch.points[k].distance);
      EXPECT_EQ(math::to_eigen(a[i].patch.points[k].middle), math::to_eigen(b[i].patch.points[k].middle));
    }
  }
}

TEST(MeshManifolds, NothingIsLostByLookingNearOrByLookingEarlier) {
  Chance chance(8);
  std::size_t found = 0;
  for (int round = 0; round < 80; ++round) {
    const Shape ground = hills(chance);
    const Shape shape = random_shape(chance, round % 8);
    const Eigen::Isometry3d place = Eigen::Isometry3d(Eigen::Translation3d(chance.vector()));
    const mesh::PlacedMesh a{*ground.data().mesh, place, 0};
    Eigen::Isometry3d pose = random_pose(chance, 1.5);
    lower(ground, shape, chance.number(-0.02, 0.02), pose);
    pose = place * pose;
    const double within = chance.number(0.001, 0.1);
    std::vector<mesh::FaceManifold> all;
    std::vector<mesh::FaceManifold> near;
    std::vector<mesh::FaceManifold> early;
    mesh::Candidates candidates;
    const mesh::PlacedCore b{shape.data().core, pose};
    mesh::find_candidates(a, b, 100, candidates);
    ASSERT_EQ(candidates.places.size(), ground.triangles().size());
    mesh::find_face_manifolds(a, b, within, candidates, all);
    mesh::find_candidates(a, b, within, candidates);
    EXPECT_LT(candidates.places.size(), ground.triangles().size());
    mesh::find_face_manifolds(a, b, within, candidates, near);
    expect_same(near, all);
    // A point of the shape moves by no more than the way and the chord of the turn: 0.05 m in all.
    Eigen::Isometry3d before = pose;
    before.translation() += 0.02 * chance.vector().normalized();
    const double turn = 0.03 / shape.data().core.reach;
    before.linear() =
        Eigen::AngleAxisd(turn, chance.vector().normalized()).toRotationMatrix() * Eigen::Matrix3d(pose.linear());
    mesh::find_candidates(a, {shape.data().core, before}, within + 0.05, candidates);
    mesh::find_face_manifolds(a, b, within, candidates, early);
    expect_same(early, all);
    found += all.size();
  }
  EXPECT_GT(found, 100U);
}

/// Of the patches that are found, in metres; INFINITY if there are none.
double min_distance(const Shape& ground, const Shape& shape, const Eigen::Isometry3d& pose, double within) {
  const mesh::PlacedMesh a{*ground.data().mesh, Eigen::Isometry3d::Identity(), ground.margin()};
  const mesh::PlacedCore b{shape.data().core, pose};
  mesh::Candidates candidates;
  std::vector<mesh::FaceManifold> found;
  mesh::find_candidates(a, b, within, candidates);
  mesh::find_face_manifolds(a, b, within, candidates, found);
  double smallest = INFINITY;
  for (const mesh::FaceManifold& t : found) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(t.patch.count); ++k)
      smallest = std::min(smallest, t.patch.points[k].distance);
  }
  return smallest;
}

/// What the nearest contact may be off by, as docs/methods/mesh.md has it.
double tolerance(const Shape& shape) {
  return 1e-4 * (shape.data().core.reach + shape.data().core.radius) + 1e-9;
}

/// Culling loses no contact: where a shape is near a mesh, on the outer side of it, the nearest of its contacts is as
/// far as the closest points are, and where they overlap there is a contact that says so.
TEST(MeshManifolds, TheNearestPatchIsAsFarAsTheMesh) {
  constexpr double within = 0.02;
  using Make = Shape (*)(Chance&);
  const Make grounds[] = {hills, nearly_flat, slivers, terraces, spikes, stone, ring};
  int apart = 0;
  int overlap = 0;
  for (int kind = 0; kind < 7; ++kind) {
    for (int round = 0; round < 42; ++round) {
      Chance chance(static_cast<unsigned>(1000 * kind + round));
      const Shape ground = grounds[kind](chance);
      const Shape shape = random_shape(chance, round % 7);
      for (int i = 0; i < 4; ++i) {
        const double fraction = chance.number(0, 1);
        // Three times near, from a hundredth of a millimetre on, and once in it.
        const double gap = i < 3 ? std::pow(10, -5 + 3.2 * fraction) : -0.004 * fraction;
        Eigen::Isometry3d pose = random_pose(chance, 1.8);
        Vector3d travel = -Vector3d::UnitY();
        if (kind >= 5) {
          travel = chance.vector().normalized();
          pose.translation() = -4 * travel + 0.5 * chance.vector();
        }
        approach(ground, shape, gap, travel, pose);
        const double d = distance(ground, Eigen::Isometry3d::Identity(), shape, pose).distance;
        if (!(std::abs(d) < within - 1e-3)) continue;  // it went past the mesh
        const double smallest = min_distance(ground, shape, pose, within);
        EXPECT_LE(smallest, std::max(d, 0.0) + tolerance(shape)) << kind << " " << round << " " << i << " at " << d;
        EXPECT_TRUE(d <= 0 || smallest > d - 1e-9) << kind << " " << round << " " << i << " at " << d;
        (d > 0 ? apart : overlap) += 1;
      }
    }
  }
  EXPECT_GT(apart, 600);
  EXPECT_GT(overlap, 150);
}

/// A round shape over the inner edge of a roof that is nearly flat is beside either side, and yet there is the edge.
TEST(MeshManifolds, ARoundShapeOverAFlatRidgeTouchesIt) {
  for (const double slope : {1e-6, 1e-4, 1e-3, 0.01, 0.05, 0.09}) {
    TriangleMesh roof;
    for (const double z : {-2.0, 2.0}) {
      for (const double x : {-2.0, 0.0, 2.0}) roof.positions.emplace_back(x, -slope * std::abs(x), z);
    }
    roof.triangles = {{0, 3, 4}, {0, 4, 1}, {1, 4, 5}, {1, 5, 2}};
    const Shape ground = Shape::mesh(roof);
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    pose.translation() = Vector3d(0, 0.31, 0.1);
    EXPECT_NEAR(min_distance(ground, Shape::sphere(0.3), pose, 0.02), 0.01, tolerance(Shape::sphere(0.3))) << slope;
    EXPECT_NEAR(min_distance(ground, Shape::capsule(0.3, 0.5), pose, 0.02), 0.01, tolerance(Shape::capsule(0.3, 0.5)))
        << slope;
    // Sunk in, as what lies on it is.
    pose.translation().y() = 0.2999;
    EXPECT_NEAR(min_distance(ground, Shape::sphere(0.3), pose, 0.02), -1e-4, tolerance(Shape::sphere(0.3))) << slope;
  }
}

}  // namespace
}  // namespace carom
