#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tuple>

#include "carom/detect/intersect.hpp"
#include "carom/io/scene.hpp"
#include "carom/mesh/surface.hpp"

namespace carom {
namespace {

/// Scenes of soft bodies that are cut, for 20 s after the last cut, at three lengths of a step.
class CutSoak : public testing::TestWithParam<std::tuple<std::string_view, int>> {};

/// Soft bodies of a world, joined: none of their triangles may intersect.
std::size_t count_soft_crossings(const World& world) {
  std::vector<Eigen::Vector3d> positions;
  std::vector<Triangle> triangles;
  for (const BodyId id : world.bodies()) {
    if (world.motion(id) != MotionModel::particles) continue;
    const auto first = static_cast<Index>(positions.size());
    positions.insert(positions.end(), world.positions(id).begin(), world.positions(id).end());
    for (const Triangle& t : world.triangles(id)) triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  }
  return intersections(Surface(positions.size(), triangles), positions).size();
}

TEST_P(CutSoak, PiecesComeToRest) {
  const auto [name, rate] = GetParam();
  Scene scene = find_scene(std::string(name));
  scene.world.dt = 1.0 / rate;
  World world = build_world(scene);
  const double mass = world.balance().mass;
  double last_cut = 0;
  std::size_t crossings = 0;
  while (world.time() < last_cut + 20 || last_cut == 0) {
    ASSERT_LT(world.time(), 60);
    world.step();
    if (!world.cuts().empty()) last_cut = world.time();
    if (world.steps() % 20 == 0) crossings = std::max(crossings, count_soft_crossings(world));
  }
  EXPECT_EQ(crossings, 0U);
  EXPECT_NEAR(world.balance().mass, mass, 1e-12 * mass);
  double fastest = 0;
  double farthest = 0;
  std::size_t pieces = 0;
  for (const BodyId id : world.bodies()) {
    if (world.motion(id) != MotionModel::particles) continue;
    ++pieces;
    for (const Eigen::Vector3d& v : world.velocities(id)) fastest = std::max(fastest, v.norm());
    for (const Eigen::Vector3d& p : world.positions(id)) farthest = std::max(farthest, p.norm());
  }
  EXPECT_LT(fastest, 0.05);
  EXPECT_LT(farthest, 1);
  std::printf("%s at 1/%d s: %zu pieces, last cut at %.2f s, fastest vertex %.2g m/s at the end\n", name.data(), rate,
              pieces, last_cut, fastest);
}

INSTANTIATE_TEST_SUITE_P(Scenes, CutSoak,
                         testing::Combine(testing::Values("liver-cut", "criss-cross", "slice"),
                                          testing::Values(30, 60, 120)),
                         [](const auto& row) {
                           std::string name(std::get<0>(row.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name + "_" + std::to_string(std::get<1>(row.param));
                         });

}  // namespace
}  // namespace carom
