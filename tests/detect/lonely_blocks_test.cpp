#include "detect/lonely_blocks.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <Eigen/Geometry>
#include <cmath>
#include <cstring>
#include <random>

#include "carom/detect/detect_continuous.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/mesh/surface_builder.hpp"
#include "core/at.hpp"
#include "kernels/every_target.hpp"
#include "mesh/surface_clusters.hpp"
#include "oracle/brute_force.hpp"
#include "oracle/soup.hpp"

// What is nowhere near any partner is left out of the search, and no contact with it.
namespace carom {
namespace {

using detection::LonelyBlocks;
using kernels::UnitBox;

UnitBox random_box(std::mt19937_64& random, float size) {
  UnitBox box;
  for (int k = 0; k < 3; ++k) {
    box.low[k] = static_cast<float>(oracle::uniform(random));
    box.high[k] = box.low[k] + size * static_cast<float>(oracle::uniform(random) + 1);
  }
  return box;
}

struct LonelyCase {
  std::vector<broad::ObjectPair> pairs;
  std::vector<std::uint8_t> self_wanted;
  std::vector<kernels::ClusterBlock> blocks;
  std::vector<UnitBox> boxes;
  std::vector<std::int32_t> chosen;

  std::vector<std::int32_t> kept() const {
    LonelyBlocks lonely;
    std::vector<std::int32_t> list = chosen;
    lonely.leave_out({pairs, self_wanted, blocks, boxes}, list);
    return list;
  }
};

LonelyCase random_case(std::mt19937_64& random, int objects, unsigned pairs_in_ten) {
  LonelyCase c;
  for (int a = 0; a < objects; ++a) {
    c.self_wanted.push_back(random() % 4 == 0 ? 1 : 0);
    for (int b = a; b < objects; ++b)
      if (a == b ? c.self_wanted.back() != 0 : random() % 10 < pairs_in_ten) c.pairs.push_back({a, b});
    for (std::uint64_t i = random() % 6; i > 0; --i) {
      if (random() % 8 != 0) c.chosen.push_back(static_cast<std::int32_t>(c.blocks.size()));
      c.blocks.push_back({.first = 0, .count = 1, .object = a, .first_vertex = 0, .vertex_count = 3});
      c.boxes.push_back(random_box(random, 2.0F / static_cast<float>(objects)));
    }
  }
  return c;
}

/// The rule, block by block: the box around the chosen blocks of some partner meets it.
TEST(LonelyBlocks, ThoseStayThatMeetAPartner) {
  std::mt19937_64 random(7);
  std::size_t left_out = 0;
  for (int round = 0; round < 200; ++round) {
    const LonelyCase c = random_case(random, 8, 3);
    std::vector<std::int32_t> expected;
    for (const std::int32_t b : c.chosen) {
      const Index own = c.blocks[at(b)].object;
      bool stays = c.self_wanted[at(own)] != 0;
      for (const auto& [x, y] : c.pairs) {
        if (x == y || (x != own && y != own)) continue;
        UnitBox partner;
        for (const std::int32_t other : c.chosen)
          if (c.blocks[at(other)].object == (x == own ? y : x)) partner.include(c.boxes[at(other)]);
        stays = stays || c.boxes[at(b)].meets(partner);
      }
      if (stays) expected.push_back(b);
    }
    left_out += c.chosen.size() - expected.size();
    ASSERT_EQ(c.kept(), expected) << "round " << round;
  }
  EXPECT_GT(left_out, 100U);
}

/// Objects with more partners than boxes are looked at one by one: what meets another block of a partner stays.
TEST(LonelyBlocks, ManyPartnersLoseNothing) {
  std::mt19937_64 random(8);
  std::size_t left_out = 0;
  for (int round = 0; round < 20; ++round) {
    const LonelyCase c = random_case(random, 60, 6);
    const std::vector<std::int32_t> kept = c.kept();
    for (const auto& [x, y] : c.pairs)
      for (const std::int32_t a : c.chosen)
        for (const std::int32_t b : c.chosen)
          if (c.blocks[at(a)].object == x && c.blocks[at(b)].object == y && c.boxes[at(a)].meets(c.boxes[at(b)])) {
            ASSERT_TRUE(std::ranges::binary_search(kept, a) && std::ranges::binary_search(kept, b));
          }
    left_out += c.chosen.size() - kept.size();
  }
  EXPECT_GT(left_out, 0U);
}

class Lonely : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }
};

INSTANTIATE_TEST_SUITE_P(OnEveryTarget, Lonely, testing::ValuesIn(targets()),
                         [](const auto& target) { return std::string(hwy::TargetName(target.param)); });

/// Clusters that are away from a box are not placed, the others as without it.
TEST_P(Lonely, ClustersAwayFromABoxAreNotPlaced) {
  const TriangleMesh sheet = make_sheet(1, 1, 30, 30);
  const Surface surface(sheet.positions.size(), sheet.triangles);
  const mesh::SurfaceClusters& clusters = surface.clusters();
  const kernels::SearchUnits units{.per_unit = 1, .corner = {-0.5, 0, -0.5}, .reach = 0.01F};
  UnitBox near;
  for (int k = 0; k < 3; ++k) {
    near.low[k] = k == 1 ? -1.0F : 0.3F;
    near.high[k] = k == 1 ? 1.0F : 0.6F;
  }
  std::size_t placed = 0;
  std::size_t away = 0;
  std::vector<kernels::PlacedCluster> all(clusters.clusters.size());
  std::vector<kernels::PlacedCluster> some(clusters.clusters.size());
  std::memset(static_cast<void*>(some.data()), 0x5a, some.size() * sizeof(some[0]));
  const std::vector<kernels::PlacedCluster> untouched = some;
  for (const kernels::ClusterBlock& block : clusters.blocks) {
    kernels::BoxGroup boxes;
    kernels::BoxGroup expected;
    const auto place = [&](std::vector<kernels::PlacedCluster>& out, kernels::BoxGroup& group, const UnitBox* box) {
      kernels::place_clusters(sheet.positions[0].data(), sheet.positions.size(), units, clusters.clusters.data(), block,
                              out.data(), group, {}, box);
    };
    place(all, expected, nullptr);
    place(some, boxes, &near);
    for (std::size_t lane = 0; lane < at(block.count); ++lane) {
      UnitBox box;
      for (std::size_t k = 0; k < 3; ++k) {
        box.low[k] = expected.low[k][lane];
        box.high[k] = expected.high[k][lane];
      }
      const bool meets = box.meets(near);
      const std::size_t number = at(block.first) + lane;
      EXPECT_EQ(std::memcmp(&some[number], meets ? &all[number] : &untouched[number],
                            meets ? offsetof(kernels::PlacedCluster, radius) : sizeof(some[0])),
                0);
      if (!meets) box = {};
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(boxes.low[k][lane], box.low[k]);
        EXPECT_EQ(boxes.high[k][lane], box.high[k]);
      }
      ++(meets ? placed : away);
    }
  }
  EXPECT_GT(placed, 5U);
  EXPECT_GT(away, 50U);
}

/// Two sheets, of which a part is near the other that goes to and fro, now slowly and now in a jump, and a ball that
/// comes by.
class SlidingSheets {
 public:
  SlidingSheets() {
    const TriangleMesh sheet = make_sheet(1, 1, 20, 20);
    const TriangleMesh ball = make_icosphere(0.2, 2);
    SurfaceBuilder builder;
    for (const TriangleMesh* mesh : {&sheet, &sheet, &ball}) {
      builder.add(*mesh);
      at_rest_.push_back(mesh->positions);
    }
    surface_ = builder.surface();
  }
  const Surface& surface() const { return surface_; }

  std::vector<Eigen::Vector3d> frame(int f) const {
    const double phase = 0.002 * f + 0.9 * (f / 6);
    std::vector<Eigen::Vector3d> positions = at_rest_[0];
    const Eigen::AngleAxisd tilt(0.3, Eigen::Vector3d::UnitX());
    for (const Eigen::Vector3d& p : at_rest_[1])
      positions.push_back(tilt * p + Eigen::Vector3d(0.8 * std::sin(phase), 0.1, 0.9 * std::cos(1.3 * phase)));
    for (const Eigen::Vector3d& p : at_rest_[2])
      positions.push_back(p + Eigen::Vector3d(-0.4, 0.3 * std::cos(0.7 * phase), 0.1));
    return positions;
  }

 private:
  std::vector<std::vector<Eigen::Vector3d>> at_rest_;
  Surface surface_{0, {}};
};

TEST_P(Lonely, NothingIsLostWhileSheetsSlide) {
  const SlidingSheets sheets;
  const Surface& surface = sheets.surface();
  for (const PairScope scope : {PairScope::all, PairScope::between, PairScope::self}) {
    DetectScratch scratch[2];
    std::vector<Contact> found;
    PipelineStats stats;
    std::size_t contacts = 0;
    std::uint64_t kept = 0;
    for (int f = 0; f < 24; ++f) {
      const std::vector<Eigen::Vector3d> positions = sheets.frame(f);
      const auto expected = oracle::brute_force(positions.size(), surface.triangles(), surface.object_of_triangle(),
                                                positions, 0.03, scope, true);
      contacts += expected.size();
      for (const int threads : {1, 2}) {
        detect(surface, positions, {.distance = 0.03, .pairs = scope, .threads = threads}, scratch[threads - 1], found,
               stats);
        ASSERT_EQ(oracle::as_pairs(found), expected) << "frame " << f << ", threads: " << threads;
        for (const Counted& counted : stats[Stage::mid].counted()) kept += counted.count;
      }
    }
    if (scope == PairScope::between) {
      EXPECT_GT(contacts, 500U);
      // The plain form keeps nothing.
      if (GetParam() != HWY_SCALAR) {
        EXPECT_GT(kept, 100U);
      }
    }
  }
}

/// Steps and frames take turns, so that what is placed in one is not in the next.
TEST_P(Lonely, NothingIsLostOverSteps) {
  const SlidingSheets sheets;
  DetectScratch scratch[2];
  std::vector<MovingContact> found[2];
  std::vector<Contact> contacts;
  PipelineStats stats;
  std::size_t later = 0;
  for (int f = 0; f < 24; ++f) {
    const std::vector<Eigen::Vector3d> start = sheets.frame(f);
    const std::vector<Eigen::Vector3d> end = sheets.frame(f + 1);
    for (const int i : {0, 1}) {
      detect_continuous(
          sheets.surface(), start, end,
          {.distance = 0.02, .pairs = PairScope::between, .method = i == 0 ? "bvh" : "bvh14", .threads = 1}, scratch[i],
          found[i], stats);
    }
    ASSERT_EQ(found[0].size(), found[1].size()) << "frame " << f;
    for (std::size_t c = 0; c < found[0].size(); ++c) {
      ASSERT_EQ(found[0][c].vertices, found[1][c].vertices);
      ASSERT_EQ(found[0][c].impact.time, found[1][c].impact.time);
      later += found[0][c].impact.time > 0 ? 1 : 0;
    }
    if (f % 3 == 0)
      detect(sheets.surface(), end, {.distance = 0.02, .pairs = PairScope::between, .threads = 1}, scratch[0], contacts,
             stats);
  }
  EXPECT_GT(later, 200U);
}

}  // namespace
}  // namespace carom
