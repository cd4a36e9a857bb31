#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "carom/mesh/generate.hpp"
#include "carom/world/world.hpp"

// Contacts of what no cut touches keep their ids, wherever else the body is cut.
namespace carom {
namespace {

using Eigen::Vector3d;

WorldOptions resting() {
  WorldOptions options;
  options.dt = 1.0 / 60;
  options.contact.distance = 0.004;
  options.threads = 1;
  return options;
}

SoftBody soft_box(const char* name, const Vector3d& size, const Vector3d& at) {
  SoftBody body;
  body.name = name;
  body.mesh = make_box(size, 1);
  for (Vector3d& p : body.mesh.positions) p += at;
  body.voxel_size = 0.05;
  body.cuttable = true;
  body.elasticity = {.density = 500, .young_modulus = 1e5, .poisson_ratio = 0.4, .damping = 0.05};
  return body;
}

/// Two bodies that touch, and the one that is cut.
struct Touching {
  World world{resting()};
  BodyId cut;
  BodyId other;

  std::set<std::uint64_t> ids() const {
    std::set<std::uint64_t> list;
    for (const WorldContact& c : world.contacts()) {
      const std::set<BodyId> bodies{c.body_a, c.body_b};
      if (bodies == std::set<BodyId>{cut, other}) list.insert(c.id);
    }
    return list;
  }
};

std::size_t count_common(const std::set<std::uint64_t>& a, const std::set<std::uint64_t>& b) {
  return static_cast<std::size_t>(std::count_if(a.begin(), a.end(), [&](std::uint64_t id) { return b.contains(id); }));
}

/// Steps, cuts one of two worlds that are the same, and compares how many contacts live on in a further step.
template <class Make>
void expect_ids_stay(const Make& make, int steps, const BladePath& path, bool comes_off) {
  std::array<std::size_t, 2> kept{};
  for (const bool is_cut : {false, true}) {
    Touching touching = make();
    for (int i = 0; i < steps; ++i) touching.world.step();
    const std::set<std::uint64_t> before = touching.ids();
    EXPECT_GT(before.size(), 20U);
    if (is_cut) {
      const WorldCut cut = touching.world.cut(touching.cut, path);
      EXPECT_GT(cut.crossed, 0U);
      EXPECT_EQ(cut.pieces.empty(), !comes_off);
    }
    touching.world.step();
    kept[is_cut ? 1 : 0] = count_common(before, touching.ids());
  }
  EXPECT_GT(kept[0], 20U);
  // The cut changes the motion of all by a little, and so a contact may come or go.
  EXPECT_GE(kept[1] + 1, kept[0]);
}

BladePath plane_at(double x, double low, double high) {
  return {{{{x, low, -1}, {x, high, -1}}, {{x, low, 1}, {x, high, 1}}}};
}

/// A block, fixed at its bottom, and a smaller one that lies on it at the other end.
Touching block_on_block() {
  Touching touching;
  SoftBody block = soft_box("block", {0.8, 0.2, 0.3}, {0, 0, 0});
  block.fixed.push_back({.min = {-1, -0.2, -1}, .max = {1, -0.09, 1}});
  touching.cut = touching.world.add(block);
  touching.other = touching.world.add(soft_box("load", {0.2, 0.1, 0.2}, {-0.27, 0.154, 0.013}));
  return touching;
}

TEST(CutContacts, IdsStayWhereASoftBodyIsCutElsewhere) {
  expect_ids_stay(block_on_block, 20, plane_at(0.203, 0.03, 0.3), false);
}

TEST(CutContacts, IdsStayWhereAPieceOfASoftBodyComesOff) {
  expect_ids_stay(block_on_block, 20, plane_at(0.203, -0.3, 0.3), true);
}

/// A sheet on a plate of more vertices.
Touching sheet_on_plate() {
  Touching touching;
  FixedBody plate;
  plate.name = "plate";
  plate.mesh = make_sheet(1.3, 1.3, 37, 37);
  touching.other = touching.world.add(plate);
  ClothBody sheet;
  sheet.name = "sheet";
  sheet.mesh = make_sheet(1, 1, 16, 16);
  for (Vector3d& p : sheet.mesh.positions) p.y() += 0.004;
  touching.cut = touching.world.add(sheet);
  return touching;
}

TEST(CutContacts, IdsStayWhereAPieceOfASheetComesOff) {
  Touching touching = sheet_on_plate();
  for (int i = 0; i < 10; ++i) touching.world.step();
  std::map<std::uint64_t, double> before;  // x of contacts away from the cut
  for (const WorldContact& c : touching.world.contacts()) {
    if (c.point_a.x() < 0.1) before[c.id] = c.point_a.x();
  }
  ASSERT_GT(before.size(), 100U);
  touching.world.step();
  std::set<std::uint64_t> plain = touching.ids();
  std::erase_if(before, [&](const auto& contact) { return !plain.contains(contact.first); });
  const WorldCut cut = touching.world.cut(touching.cut, plane_at(0.3, -0.5, 0.5));
  EXPECT_EQ(cut.pieces.size(), 1U);
  touching.world.step();
  const std::set<std::uint64_t> after = touching.ids();
  const auto lost =
      std::count_if(before.begin(), before.end(), [&](const auto& contact) { return !after.contains(contact.first); });
  EXPECT_LE(lost, static_cast<std::ptrdiff_t>(before.size() / 50));
}

}  // namespace
}  // namespace carom
