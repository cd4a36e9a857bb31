#include "narrow/mesh/manifolds.hpp"

#include <gtest/gtest.h>

#include <random>

#include "carom/generate.hpp"
#include "carom/query.hpp"
#include "shapes/shape_data.hpp"

// Triangles that are left out early, against all triangles every time.
namespace carom {
namespace {

using Eigen::Vector3d;

class Chance {
 public:
  explicit Chance(unsigned seed) : random_(seed) {}
  double number(double least, double most) { return std::uniform_real_distribution<double>(least, most)(random_); }
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

/// Hulls of few corners, and boxes, capsules and hulls of many: those have a way of their own. The one of many is
/// round: of one that is not, an edge was seen that only its rim has over a triangle, and that no patch holds
/// (adr/0009).
Shape random_shape(Chance& chance, int kind) {
  if (kind == 0) return Shape::box({0.3, 0.2, 0.4});
  if (kind == 1) return Shape::capsule(0.15, 0.4);
  std::vector<Vector3d> points;
  const int count = kind == 2 ? 150 : 12 + kind;
  for (int i = 0; i < count; ++i)
    points.push_back((kind == 2 ? 0.35 : chance.number(0.3, 0.4)) * chance.vector().normalized());
  return Shape::hull(points);
}

Eigen::Isometry3d random_pose(Chance& chance, double height) {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.translation() = Vector3d(chance.number(-2, 2), height, chance.number(-2, 2));
  pose.linear() = Eigen::AngleAxisd(chance.number(0, 3), chance.vector().normalized()).toRotationMatrix();
  return pose;
}

/// Down to where the shape is at about `gap` from the mesh.
void lower(const Shape& mesh, const Shape& shape, double gap, Eigen::Isometry3d& pose) {
  for (int i = 0; i < 20; ++i) {
    const double d = distance(mesh, Eigen::Isometry3d::Identity(), shape, pose).distance;
    pose.translation().y() -= d - gap;
  }
}

void expect_same(const std::vector<mesh::TrianglePatch>& a, const std::vector<mesh::TrianglePatch>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].triangle, b[i].triangle);
    ASSERT_EQ(a[i].patch.count, b[i].patch.count);
    EXPECT_EQ(detail::to_eigen(a[i].patch.normal), detail::to_eigen(b[i].patch.normal));
    for (std::size_t k = 0; k < static_cast<std::size_t>(a[i].patch.count); ++k) {
      EXPECT_EQ(a[i].patch.points[k].distance, b[i].patch.points[k].distance);
      EXPECT_EQ(detail::to_eigen(a[i].patch.points[k].middle), detail::to_eigen(b[i].patch.points[k].middle));
    }
  }
}

TEST(MeshManifolds, NothingIsLostByLookingNearOrByLookingEarlier) {
  Chance chance(8);
  std::size_t found = 0;
  for (int round = 0; round < 60; ++round) {
    const Shape ground = hills(chance);
    const Shape shape = random_shape(chance, round % 8);
    const Eigen::Isometry3d place = Eigen::Isometry3d(Eigen::Translation3d(chance.vector()));
    const mesh::PlacedMesh a{*ground.data().mesh, place, 0};
    Eigen::Isometry3d pose = random_pose(chance, 1.5);
    lower(ground, shape, chance.number(-0.02, 0.02), pose);
    pose = place * pose;
    const double within = chance.number(0.001, 0.1);
    std::vector<mesh::TrianglePatch> all;
    std::vector<mesh::TrianglePatch> near;
    std::vector<mesh::TrianglePatch> early;
    mesh::Candidates candidates;
    const mesh::PlacedCore b{shape.data().core, pose};
    mesh::find_candidates(a, b, 100, candidates);
    ASSERT_EQ(candidates.places.size(), ground.triangles().size());
    mesh::find_patches(a, b, within, candidates, all);
    mesh::find_candidates(a, b, within, candidates);
    EXPECT_LT(candidates.places.size(), ground.triangles().size());
    mesh::find_patches(a, b, within, candidates, near);
    expect_same(near, all);
    // A point of the shape moves by no more than the way and the chord of the turn: 0.05 m in all.
    Eigen::Isometry3d before = pose;
    before.translation() += 0.02 * chance.vector().normalized();
    const double turn = 0.03 / shape.data().core.reach;
    before.linear() =
        Eigen::AngleAxisd(turn, chance.vector().normalized()).toRotationMatrix() * Eigen::Matrix3d(pose.linear());
    mesh::find_candidates(a, {shape.data().core, before}, within + 0.05, candidates);
    mesh::find_patches(a, b, within, candidates, early);
    expect_same(early, all);
    found += all.size();
  }
  EXPECT_GT(found, 100U);
}

/// Where a shape is over the hills and near them, the nearest of its patches is as far as the closest points are.
TEST(MeshManifolds, TheNearestPatchIsAsFarAsTheMesh) {
  Chance chance(9);
  for (int round = 0; round < 60; ++round) {
    const Shape ground = hills(chance);
    const Shape shape = random_shape(chance, round % 8);
    Eigen::Isometry3d pose = random_pose(chance, 1.5);
    lower(ground, shape, 0.004, pose);
    const double gap = distance(ground, Eigen::Isometry3d::Identity(), shape, pose).distance;
    const mesh::PlacedMesh a{*ground.data().mesh, Eigen::Isometry3d::Identity(), 0};
    const mesh::PlacedCore b{shape.data().core, pose};
    mesh::Candidates candidates;
    std::vector<mesh::TrianglePatch> found;
    mesh::find_candidates(a, b, 0.02, candidates);
    mesh::find_patches(a, b, 0.02, candidates, found);
    ASSERT_FALSE(found.empty());
    double least = INFINITY;
    for (const mesh::TrianglePatch& t : found) least = std::min(least, t.patch.distance);
    // Along the normal of a face that is nearly the one between the closest points.
    EXPECT_GT(least, gap - 1e-9);
    EXPECT_LT(least, gap + 0.02 * gap) << round;
  }
}

}  // namespace
}  // namespace carom
