#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "carom/detect/intersect.hpp"
#include "carom/io/scene.hpp"
#include "carom/mesh/surface.hpp"

/// Soft bodies that were cut, for two seconds after the last cut, each scene at a step of another length: `make soak`
/// runs all of them at all lengths for 20 s. (At 1/30 s the knife of `slice` turns between two steps, above the lowest
/// voxels, so the slices hang together.)
namespace carom {
namespace {

std::vector<BodyId> pieces_of(const World& world) {
  std::vector<BodyId> pieces;
  for (const BodyId id : world.bodies()) {
    if (world.motion(id) == MotionModel::particles) pieces.push_back(id);
  }
  return pieces;
}

/// Pairs of triangles of all pieces that intersect.
std::size_t count_crossings(const World& world) {
  std::vector<Eigen::Vector3d> positions;
  std::vector<Triangle> triangles;
  for (const BodyId id : pieces_of(world)) {
    const auto first = static_cast<Index>(positions.size());
    positions.insert(positions.end(), world.positions(id).begin(), world.positions(id).end());
    for (const Triangle& t : world.triangles(id)) triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  }
  return intersections(Surface(positions.size(), triangles), positions).size();
}

struct AfterCuts {
  std::string scene;
  int rate = 60;  ///< steps a second
  std::size_t pieces = 0;
};

class CutAfter : public testing::TestWithParam<AfterCuts> {};

TEST_P(CutAfter, PiecesComeToRest) {
  Scene scene = find_scene(GetParam().scene);
  scene.world.dt = 1.0 / GetParam().rate;
  World world = build_world(scene);
  const double mass = world.balance().mass;
  double last_cut = 0;
  while (world.time() < last_cut + 2 || last_cut == 0) {
    ASSERT_LT(world.time(), 10);
    world.step();
    if (!world.cuts().empty()) last_cut = world.time();
    if (world.steps() % 20 == 0) {
      EXPECT_EQ(count_crossings(world), 0U) << "at " << world.time() << " s";
    }
  }
  EXPECT_NEAR(world.balance().mass, mass, 1e-12 * mass);
  const std::vector<BodyId> pieces = pieces_of(world);
  EXPECT_EQ(pieces.size(), GetParam().pieces);
  double fastest = 0;
  double farthest = 0;
  for (const BodyId id : pieces) {
    for (const Eigen::Vector3d& v : world.velocities(id)) fastest = std::max(fastest, v.norm());
    for (const Eigen::Vector3d& p : world.positions(id)) farthest = std::max(farthest, p.norm());
  }
  // What falls over or slides does so at some centimeters a second by then, and stays on the table.
  EXPECT_LT(fastest, 0.2);
  EXPECT_LT(farthest, 1);
}

INSTANTIATE_TEST_SUITE_P(Scenes, CutAfter,
                         testing::Values(AfterCuts{"liver-cut", 120, 2}, AfterCuts{"criss-cross", 30, 25},
                                         AfterCuts{"slice", 60, 10}),
                         [](const auto& row) {
                           std::string name = row.param.scene;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace carom
