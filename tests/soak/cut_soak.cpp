#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
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

/// Forces between pieces, and what can explain them.
class PieceForces {
 public:
  explicit PieceForces(const World& world) : world_(world) {}

  /// Call after each step. Returns by how much the normal forces of the contacts of two pieces with each other exceed
  /// the weight of all pieces and the change of momentum of the two, as a fraction of that weight; the worst pair.
  double worst() {
    const double dt = world_.options().dt;
    std::map<BodyId, Eigen::Vector3d> momentum;
    double weight = 0;
    for (const BodyId id : world_.bodies()) {
      if (world_.motion(id) != MotionModel::particles) continue;
      Eigen::Vector3d mean = Eigen::Vector3d::Zero();
      const auto velocities = world_.velocities(id);
      for (const Eigen::Vector3d& v : velocities) mean += v / static_cast<double>(velocities.size());
      const double mass = world_.soft_state(id).mass;
      momentum[id] = mass * mean;
      weight += mass * world_.options().gravity.norm();
    }
    std::map<std::pair<BodyId, BodyId>, double> force;
    for (const WorldContact& contact : world_.contacts()) {
      if (contact.body_a == contact.body_b || !momentum.contains(contact.body_a) || !momentum.contains(contact.body_b))
        continue;
      if (std::isfinite(contact.impulse)) force[std::minmax(contact.body_a, contact.body_b)] += contact.impulse / dt;
    }
    double worst = -1;
    for (const auto& [pair, normal] : force) {
      double inertia = 0;
      for (const BodyId id : {pair.first, pair.second})
        if (last_.contains(id)) inertia += (momentum[id] - last_[id]).norm() / dt;
      worst = std::max(worst, (normal - inertia) / weight - 1);
    }
    last_ = std::move(momentum);
    return worst;
  }

 private:
  const World& world_;
  std::map<BodyId, Eigen::Vector3d> last_;
};

TEST_P(CutSoak, PiecesComeToRest) {
  const auto [name, rate] = GetParam();
  Scene scene = find_scene(std::string(name));
  scene.world.dt = 1.0 / rate;
  World world = build_world(scene);
  const double mass = world.balance().mass;
  PieceForces forces(world);
  double worst = -1;
  double last_cut = 0;
  std::size_t crossings = 0;
  while (world.time() < last_cut + 20 || last_cut == 0) {
    ASSERT_LT(world.time(), 60);
    world.step();
    if (!world.cuts().empty()) last_cut = world.time();
    // In the first second after a cut pieces still slide and fall.
    const double excess = forces.worst();
    if (last_cut > 0 && world.time() > last_cut + 1) worst = std::max(worst, excess);
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
  EXPECT_LE(worst, 0) << "fresh faces press each other by more than they carry";
  EXPECT_LT(fastest, 0.05);
  EXPECT_LT(farthest, 1);
  std::printf(
      "%s at 1/%d s: %zu pieces, last cut at %.2f s, fastest vertex %.2g m/s at the end, largest force between "
      "two pieces %.3g weights of all\n",
      name.data(), rate, pieces, last_cut, fastest, worst + 1);
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
