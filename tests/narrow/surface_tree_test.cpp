#include "narrow/surface/surface_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "carom/mesh/generate.hpp"
#include "narrow/surface/shape_contacts.hpp"
#include "shapes/shape_data.hpp"
#include "shapes/shape_samples.hpp"

// Candidates of a tree that follows its vertices, against every triangle one by one.
namespace carom::narrow::surface {
namespace {

using Eigen::Vector3d;

/// A box that holds the points, in double precision, overlaps the asked one.
bool overlaps(const Box& asked, const Surface& surface, std::size_t t, std::span<const Vector3d> positions,
              std::span<const Vector3d> end, double slack) {
  for (std::size_t k = 0; k < 3; ++k) {
    double low = INFINITY;
    double high = -INFINITY;
    for (const Index v : surface.triangles()[t]) {
      for (const auto& places : {positions, end}) {
        if (places.empty()) continue;
        low = std::min(low, places[static_cast<std::size_t>(v)][static_cast<Eigen::Index>(k)]);
        high = std::max(high, places[static_cast<std::size_t>(v)][static_cast<Eigen::Index>(k)]);
      }
    }
    if (low - slack > static_cast<double>(asked.max[k]) || high + slack < static_cast<double>(asked.min[k]))
      return false;
  }
  return true;
}

Box random_box(std::mt19937_64& random, double half) {
  const Vector3d c = 1.2 * test::random_vector(random);
  Box box;
  for (std::size_t k = 0; k < 3; ++k) {
    box.min[k] = round_down(c[static_cast<Eigen::Index>(k)] - half);
    box.max[k] = round_up(c[static_cast<Eigen::Index>(k)] + half);
  }
  return box;
}

/// As that of a half-space.
constexpr Box everything{{-FLT_MAX, -FLT_MAX, -FLT_MAX}, {FLT_MAX, FLT_MAX, FLT_MAX}};

int check(const SurfaceTree& tree, const Surface& surface, std::span<const Vector3d> positions,
          std::span<const Vector3d> end, std::mt19937_64& random) {
  SurfaceTree::Scratch scratch;
  std::vector<Index> found;
  int sum = 0;
  for (int i = 0; i < 20; ++i) {
    const Box box = i == 19 ? everything : random_box(random, i < 18 ? 0.02 * i : 10);
    tree.find(box, scratch, found);
    EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
    for (std::size_t t = 0; t < surface.triangles().size(); ++t) {
      const bool listed = std::binary_search(found.begin(), found.end(), static_cast<Index>(t));
      if (is_dead(surface.triangles()[t])) {
        EXPECT_FALSE(listed);
        continue;
      }
      EXPECT_TRUE(listed || !overlaps(box, surface, t, positions, end, 0)) << t;
      EXPECT_TRUE(!listed || overlaps(box, surface, t, positions, end, 1e-5)) << t;
    }
    sum += static_cast<int>(found.size());
  }
  return sum;
}

TEST(SurfaceTree, FollowsVerticesSweepsAndEdits) {
  std::mt19937_64 random(21);
  Workers workers(2);
  for (const int segments : {1, 2, 12}) {
    const TriangleMesh mesh = make_sheet(2, 2, segments, segments);
    Surface surface(mesh.positions.size(), mesh.triangles);
    std::vector<Vector3d> positions = mesh.positions;
    SurfaceTree tree;
    int found = 0;
    for (int step = 0; step < 12; ++step) {
      std::vector<Vector3d> end;
      if (step % 3 == 2) {
        end = positions;
        for (Vector3d& p : end) p += 0.2 * test::random_vector(random);
      }
      if (step == 6) {
        SurfaceEdit edit;
        edit.removed = {0};
        if (segments > 1) edit.removed.push_back(3);
        surface.edit(edit);
      }
      if (step >= 8) {  // as a cut does it: some go, more come, one of them where one was
        SurfaceEdit edit;
        edit.removed = {1};
        for (int i = 0; i < 3; ++i) edit.added.push_back(mesh.triangles[random() % mesh.triangles.size()]);
        surface.edit(edit);
      }
      tree.update(workers, surface, positions, end);
      found += check(tree, surface, positions, end, random);
      // Shaken, folded over and stretched: the order of the tree no longer fits.
      for (Vector3d& p : positions) {
        p += 0.1 * test::random_vector(random);
        if (step == 4) p.x() = std::abs(p.x());
      }
    }
    EXPECT_GT(found, 50);
  }
}

TEST(SurfaceTree, EmptySurface) {
  Workers workers(1);
  const Surface surface(0, {});
  SurfaceTree tree;
  SurfaceTree::Scratch scratch;
  std::vector<Index> found{1, 2};
  tree.update(workers, surface, {});
  EXPECT_TRUE(tree.box().empty());
  tree.find(Box{{-1, -1, -1}, {1, 1, 1}}, scratch, found);
  EXPECT_TRUE(found.empty());
}

TEST(SurfaceTree, BoxesOfShapesLoseNoContact) {
  std::mt19937_64 random(22);
  Workers workers(1);
  TriangleMesh mesh = make_sheet(2, 2, 9, 9);
  for (Vector3d& p : mesh.positions) p += 0.1 * test::random_vector(random) + Vector3d(30, 0, -7);
  const Surface surface(mesh.positions.size(), mesh.triangles);
  SurfaceTree tree;
  tree.update(workers, surface, mesh.positions);
  std::vector<Index> all(mesh.triangles.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Index>(i);
  SurfaceTree::Scratch scratch;
  ShapeContactScratch contact_scratch;
  std::vector<Index> candidates;
  std::size_t sum = 0;
  std::size_t left_out = 0;
  std::vector<test::Sample> samples = test::convex_samples();
  samples.push_back({"floor", Shape::half_space({0, 1, 0}, 0), {}});
  samples.push_back({"ceiling", Shape::half_space({0, -1, 0}, 0.1).with_margin(0.05), {}});
  for (const test::Sample& sample : samples) {
    for (const double within : {-0.05, 0.0, 0.2}) {
      Eigen::Isometry3d pose = test::random_pose(random, 0.8);
      if (sample.name == "floor" || sample.name == "ceiling") pose.linear().setIdentity();
      pose.pretranslate(Vector3d(30, 0, -7));
      std::vector<ShapeContact> expected;
      std::vector<ShapeContact> found;
      find_shape_contacts(sample.shape.data().core, pose, surface, mesh.positions, all, {within}, contact_scratch,
                          expected);
      tree.find(shape_box(sample.shape.data().core, pose, within), scratch, candidates);
      find_shape_contacts(sample.shape.data().core, pose, surface, mesh.positions, candidates, {within},
                          contact_scratch, found);
      ASSERT_EQ(found.size(), expected.size()) << sample.name;
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].id, expected[i].id);
        EXPECT_EQ(found[i].distance, expected[i].distance);
      }
      sum += found.size();
      left_out += all.size() - candidates.size();
    }
  }
  EXPECT_GT(sum, 100U);
  EXPECT_GT(left_out, 1000U);
}

}  // namespace
}  // namespace carom::narrow::surface
