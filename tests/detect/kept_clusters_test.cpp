#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <Eigen/Geometry>
#include <numbers>

#include "carom/detect/detect.hpp"
#include "carom/detect/detect_continuous.hpp"
#include "carom/mesh/generate.hpp"
#include "kernels/every_target.hpp"
#include "oracle/brute_force.hpp"
#include "oracle/live.hpp"
#include "oracle/soup_gen.hpp"

namespace carom {
namespace {

/// Several meshes as one soup.
oracle::Soup join(const std::vector<TriangleMesh>& meshes) {
  oracle::Soup soup;
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    const auto offset = static_cast<Index>(soup.positions.size());
    soup.positions.insert(soup.positions.end(), meshes[i].positions.begin(), meshes[i].positions.end());
    for (const Triangle& t : meshes[i].triangles)
      soup.triangles.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
    soup.object_of_triangle.resize(soup.triangles.size(), static_cast<Index>(i));
  }
  return soup;
}

TriangleMesh shifted(TriangleMesh mesh, const Eigen::Vector3d& by) {
  for (Eigen::Vector3d& p : mesh.positions) p += by;
  return mesh;
}

/// Two balls that overlap a little, of triangles with edges of about 0.3, and a sheet folded over itself.
oracle::Soup balls_and_fold() {
  TriangleMesh fold = make_sheet(2, 1, 16, 8);
  for (Eigen::Vector3d& p : fold.positions) {
    const double angle = std::numbers::pi * std::clamp(p.x() / 0.3, -0.5, 0.5);
    const double along = p.x() - std::clamp(p.x(), -0.15, 0.15);
    p = {0.1 * std::cos(angle) - std::abs(along), 0.02 * std::sin(angle), p.z()};
  }
  return join({make_icosphere(1, 2), shifted(make_icosphere(1, 2), {1.94, 0.1, 0}), shifted(fold, {0, 1.03, 0})});
}

/// Pairs of clusters that were not searched, as what is near in them was known.
std::uint64_t kept_pairs(const PipelineStats& stats) {
  std::uint64_t count = 0;
  for (const Counted& counted : stats[Stage::mid].counted()) count += counted.count;
  return count;
}

/// Follows one scene with one scratch, comparing every frame with brute force.
class Follower {
 public:
  Follower(const oracle::Soup& soup, double distance, PairScope scope = PairScope::all, const char* method = "bvh")
      : soup_(soup),
        surface_(soup.positions.size(), soup.triangles, soup.object_of_triangle),
        options_{.distance = distance, .pairs = scope, .method = method, .threads = 2} {}

  void detect_frame(const std::vector<Eigen::Vector3d>& positions) {
    detect(surface_, positions, options_, scratch_, contacts_, stats_);
    const auto expected = oracle::brute_force(positions.size(), soup_.triangles, soup_.object_of_triangle, positions,
                                              options_.distance, options_.pairs, true);
    ASSERT_EQ(oracle::as_pairs(contacts_), expected) << "frame " << frames_;
    for (const Stage stage : {Stage::broad, Stage::mid, Stage::narrow})
      ASSERT_EQ(stats_[stage].in - stats_[stage].culled_total(), stats_[stage].out) << to_string(stage);
    ++frames_;
    total_ += expected.size();
    const std::uint64_t kept = kept_pairs(stats_);
    kept_ += kept;
    searched_ += stats_[Stage::mid].out - kept;
  }

  std::uint64_t kept() const { return kept_; }          ///< pairs of clusters, over all frames
  std::uint64_t searched() const { return searched_; }  ///< the same
  std::size_t total() const { return total_; }
  const PipelineStats& stats() const { return stats_; }
  DetectOptions& options() { return options_; }

 private:
  const oracle::Soup& soup_;
  Surface surface_;
  DetectOptions options_;
  DetectScratch scratch_;
  std::vector<Contact> contacts_;
  PipelineStats stats_;
  int frames_ = 0;
  std::uint64_t kept_ = 0, searched_ = 0;
  std::size_t total_ = 0;
};

class KeptClusters : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }
  /// The plain form searches every pair.
  static bool keeps() { return GetParam() != HWY_SCALAR; }
};

INSTANTIATE_TEST_SUITE_P(OnEveryTarget, KeptClusters, testing::ValuesIn(targets()),
                         [](const auto& target) { return std::string(hwy::TargetName(target.param)); });

TEST_P(KeptClusters, FindsWhatBruteForceFindsWhileThingsCreep) {
  const oracle::Soup soup = balls_and_fold();
  for (const PairScope scope : {PairScope::all, PairScope::between, PairScope::self}) {
    Follower follower(soup, 0.05, scope);
    std::vector<Eigen::Vector3d> positions = soup.positions;
    for (int frame = 0; frame < 40; ++frame) {
      for (Eigen::Vector3d& p : positions)
        p += 0.003 * Eigen::Vector3d(std::sin(5 * p.y()), std::cos(4 * p.z() + 1), std::sin(3 * p.x() + frame * 0.1));
      ASSERT_NO_FATAL_FAILURE(follower.detect_frame(positions));
    }
    EXPECT_GT(follower.total(), 100U);
    if (keeps()) {
      EXPECT_GT(follower.kept(), 2 * follower.searched());
    }
  }
}

TEST_P(KeptClusters, SearchNearlyNothingWhenNothingMoves) {
  const oracle::Soup soup = balls_and_fold();
  Follower follower(soup, 0.05);
  for (int frame = 0; frame < 5; ++frame) ASSERT_NO_FATAL_FAILURE(follower.detect_frame(soup.positions));
  // Pairs that a slab keeps apart have no lists: that test is as fast.
  const std::uint64_t all = follower.stats()[Stage::mid].out;
  if (keeps()) {
    EXPECT_GT(kept_pairs(follower.stats()), 0.7 * static_cast<double>(all));
  }
  if (keeps()) {
    EXPECT_EQ(follower.stats()[Stage::narrow].in - follower.stats()[Stage::narrow].remembered > 0,
              kept_pairs(follower.stats()) < all);
  }
}

/// What moves together is kept however fast it goes, and what moves elsewhere does not cost it anything.
TEST_P(KeptClusters, PayForThePartThatMoved) {
  const oracle::Soup soup = join({make_icosphere(1, 3), shifted(make_icosphere(1, 3), {1.98, 0.1, 0})});
  Follower follower(soup, 0.05);
  std::vector<Eigen::Vector3d> positions = soup.positions;
  const Eigen::Vector3d fast(0.7, -0.3, 1.1);
  for (int frame = 0; frame < 3; ++frame) {
    ASSERT_NO_FATAL_FAILURE(follower.detect_frame(positions));
    for (Eigen::Vector3d& p : positions) p += fast;
  }
  ASSERT_NO_FATAL_FAILURE(follower.detect_frame(positions));
  const std::uint64_t quiet = kept_pairs(follower.stats());
  if (keeps()) {
    EXPECT_GT(quiet, 0.7 * static_cast<double>(follower.stats()[Stage::mid].out));
  }
  // A finger pokes the first ball.
  for (int frame = 0; frame < 5; ++frame) {
    const Eigen::Vector3d tip = positions[0];
    for (Eigen::Vector3d& p : positions)
      if ((p - tip).norm() < 0.3) p += Eigen::Vector3d(0.05, 0.04, 0);
    ASSERT_NO_FATAL_FAILURE(follower.detect_frame(positions));
    if (keeps()) {
      EXPECT_GT(kept_pairs(follower.stats()), 2 * quiet / 3);
    }
  }
}

/// Bodies fly past each other far faster than a list between them lasts, and deform slowly while they do.
TEST_P(KeptClusters, StayWithinBodiesThatFly) {
  std::vector<TriangleMesh> meshes{make_icosphere(1, 3), shifted(make_icosphere(1, 3), {2.5, 0, 0})};
  for (TriangleMesh& mesh : meshes)
    for (Eigen::Vector3d& p : mesh.positions) p.y() *= 0.04;  // so flat that the halves are in contact
  const oracle::Soup soup = join(meshes);
  const std::size_t half = meshes[0].positions.size();
  Follower follower(soup, 0.03);
  for (int frame = 0; frame < 12; ++frame) {
    std::vector<Eigen::Vector3d> positions = soup.positions;
    const Eigen::AngleAxisd turn(0.001 * frame, Eigen::Vector3d(1, 2, 3).normalized());
    const double swell = 1 + 0.0005 * frame;
    for (std::size_t v = 0; v < half; ++v) positions[v] = turn * (swell * positions[v]);
    for (std::size_t v = half; v < positions.size(); ++v)
      positions[v] = turn.inverse() * positions[v] + Eigen::Vector3d(-0.25 * frame, 0, 0);
    ASSERT_NO_FATAL_FAILURE(follower.detect_frame(positions));
  }
  EXPECT_GT(follower.total(), 1000U);
  // From the third frame on, each cluster with itself at least.
  if (keeps()) {
    EXPECT_GT(follower.kept(), 10 * soup.triangles.size() / 16);
  }
}

/// Far too fast for lists: after two calls that had no use for any, none are tried for a while.
TEST_P(KeptClusters, AreGivenUpWhereAllMovesFast) {
  const oracle::Soup soup = balls_and_fold();
  Follower follower(soup, 0.05);
  std::mt19937_64 random(3);
  for (int frame = 0; frame < 30; ++frame) {
    std::vector<Eigen::Vector3d> positions = soup.positions;
    for (Eigen::Vector3d& p : positions)
      p += 0.2 * Eigen::Vector3d(oracle::uniform(random), oracle::uniform(random), oracle::uniform(random));
    ASSERT_NO_FATAL_FAILURE(follower.detect_frame(positions));
  }
  if (keeps()) {
    EXPECT_EQ(follower.kept(), 0U);
  }
  for (int frame = 0; frame < 24; ++frame) ASSERT_NO_FATAL_FAILURE(follower.detect_frame(soup.positions));
  if (keeps()) {
    EXPECT_GT(kept_pairs(follower.stats()), 0U) << "and tried again";
  }
}

/// Head on, from gaps around what any skin reaches, so that both sides use up their half of it.
TEST_P(KeptClusters, SeesSheetsMeetThatApproachSlowly) {
  std::uint64_t kept = 0;
  std::size_t total = 0;
  for (int i = 0; i < 12; ++i) {
    const double gap = 0.03 + 0.008 * i;
    oracle::Soup soup = join({make_sheet(1, 1, 7, 7), shifted(make_sheet(1, 1, 7, 7), {0.03, gap, 0.02})});
    for (Eigen::Vector3d& p : soup.positions) p.y() += 0.3 * p.x();  // so that the boxes around them overlap
    Follower follower(soup, 0.02, PairScope::between);
    std::vector<Eigen::Vector3d> positions = soup.positions;
    for (int frame = 0; frame < 60; ++frame) {
      ASSERT_NO_FATAL_FAILURE(follower.detect_frame(positions));
      for (std::size_t v = 0; v < positions.size(); ++v)
        positions[v].y() += (v < positions.size() / 2 ? 0.5 : -0.5) * gap / 55;
    }
    kept += follower.kept();
    total += follower.total();
  }
  EXPECT_GT(total, 1000U);
  if (keeps()) {
    EXPECT_GT(kept, 12U * 30U) << "at least one pair in half of the frames";
  }
}

TEST_P(KeptClusters, FindsWhatBruteForceFindsWhenThingsJump) {
  const oracle::Soup soup = balls_and_fold();
  for (const char* method : {"bvh", "bvh14", "bvh18"}) {
    Follower follower(soup, 0.05, PairScope::all, method);
    std::mt19937_64 random(7);
    std::vector<Eigen::Vector3d> positions = soup.positions;
    for (int frame = 0; frame < 30; ++frame) {
      // Quiet frames, then one in which something happens: a body is put elsewhere, vertices are torn
      // away, the question changes.
      if (frame % 4 == 3) {
        const std::size_t v = static_cast<std::size_t>(oracle::uniform(random) * 300);
        const double jump = oracle::uniform(random);
        for (std::size_t i = v; i < v + 1 + 60 * (frame % 3); ++i)
          positions[i] += Eigen::Vector3d(jump - 0.5, 0.2 * jump, 0.1);
      }
      if (frame == 13) follower.options().distance = 0.08;
      if (frame == 21) follower.options().pairs = PairScope::between;
      if (frame == 24) follower.options().pairs = PairScope::all;
      for (Eigen::Vector3d& p : positions) p += 0.0005 * Eigen::Vector3d(p.y(), -p.x(), 0.3);
      ASSERT_NO_FATAL_FAILURE(follower.detect_frame(positions));
    }
    if (keeps()) {
      EXPECT_EQ(follower.kept() > 0, std::string_view(method) == "bvh");
    }
    EXPECT_GT(follower.total(), 100U);
  }
}

/// Brute force on the live triangles, named by their numbers in the surface.
std::vector<oracle::Pair> numbered(const Surface& surface, const std::vector<Eigen::Vector3d>& positions,
                                   const DetectOptions& options) {
  const oracle::Live live = oracle::live(surface);
  auto pairs = oracle::brute_force(positions.size(), live.triangles, live.object_of_triangle, positions,
                                   options.distance, options.pairs, true);
  for (oracle::Pair& pair : pairs)
    if (pair.kind == ContactKind::vertex_face) pair.b[0] = live.number[static_cast<std::size_t>(pair.b[0])];
  return pairs;
}

/// A cut goes through a ball that creeps: triangles are taken away and others come, on old and new vertices.
TEST_P(KeptClusters, FollowsEditsOfTheSurfaceWhereTheyAre) {
  const oracle::Soup soup = join({make_icosphere(1, 3), shifted(make_icosphere(1, 3), {1.98, 0.1, 0})});
  Surface surface(soup.positions.size(), soup.triangles, soup.object_of_triangle);
  std::vector<Eigen::Vector3d> positions = soup.positions;
  DetectScratch scratch;
  std::vector<Contact> contacts;
  PipelineStats stats;
  const DetectOptions options{.distance = 0.05, .threads = 2};
  std::size_t total = 0;
  for (int frame = 0; frame < 10; ++frame) {
    for (Eigen::Vector3d& p : positions) p += 0.0005 * Eigen::Vector3d(std::sin(3 * p.y()), 0, std::cos(2 * p.x()));
    if (frame > 2) {
      // One triangle near the other ball falls apart into three around a new vertex, another goes.
      Index near = none;
      for (std::size_t t = std::size_t{7} * static_cast<std::size_t>(frame); t < 1280; ++t) {
        if (is_dead(surface.triangles()[t])) continue;
        if (positions[static_cast<std::size_t>(surface.triangles()[t][0])].x() < 0.9) continue;
        near = static_cast<Index>(t);
        break;
      }
      ASSERT_NE(near, none);
      const auto [a, b, c] = surface.triangles()[static_cast<std::size_t>(near)];
      const auto middle = static_cast<Index>(positions.size());
      positions.push_back((positions[static_cast<std::size_t>(a)] + positions[static_cast<std::size_t>(b)] +
                           positions[static_cast<std::size_t>(c)]) /
                              3 +
                          Eigen::Vector3d(0.05, 0, 0));
      SurfaceEdit edit{.removed = {near},
                       .added = {{a, b, middle}, {b, c, middle}, {c, a, middle}},
                       .added_object = {0, 0, 0},
                       .new_vertices = 1};
      const auto gone = static_cast<Index>(700 + 11 * frame);
      if (gone != near && !is_dead(surface.triangles()[static_cast<std::size_t>(gone)])) edit.removed.push_back(gone);
      surface.edit(edit);
    }
    detect(surface, positions, options, scratch, contacts, stats);
    const auto expected = numbered(surface, positions, options);
    ASSERT_EQ(oracle::as_pairs(contacts), expected) << "frame " << frame;
    total += expected.size();
    if (keeps()) {
      EXPECT_TRUE(frame < 2 || 2 * kept_pairs(stats) > stats[Stage::mid].out) << "frame " << frame;
    }
  }
  EXPECT_GT(total, 100U);
}

TEST_P(KeptClusters, FindsWhatBruteForceFindsInAnySoupThatMoves) {
  std::uint64_t kept = 0;
  std::size_t total = 0;
  EXPECT_TRUE(rc::check("every frame as the twin", [&] {
    const auto [soup, distance] = oracle::draw_soup(12);
    Follower follower(soup, distance);
    std::vector<Eigen::Vector3d> positions = soup.positions;
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    const double step = distance * *rc::gen::element(0.0, 0.01, 0.05, 0.3, 3.0);
    const double turn = *rc::gen::element(0.0, 0.01, 1.0);
    for (int frame = 0; frame < 8; ++frame) {
      ASSERT_NO_FATAL_FAILURE(follower.detect_frame(positions));
      const Eigen::AngleAxisd rotation(turn, Eigen::Vector3d::UnitZ());
      for (Eigen::Vector3d& p : positions) {
        const double x = oracle::uniform(random) - 0.5;
        const double y = oracle::uniform(random) - 0.5;
        p = rotation * (p + step * Eigen::Vector3d(x, y, oracle::uniform(random) - 0.5));
      }
    }
    kept += follower.kept();
    total += follower.total();
    RC_ASSERT(!testing::Test::HasFailure());
  }));
  if (keeps()) {
    EXPECT_GT(kept, 100U);
  }
  EXPECT_GT(total, 10'000U);
}

/// Lists that waited while another surface had the scratch.
TEST_P(KeptClusters, ComesBackToASurfaceAfterAnother) {
  const oracle::Soup small = join({make_icosphere(1, 2), shifted(make_icosphere(1, 2), {1.98, 0.1, 0})});
  const oracle::Soup large = join({make_icosphere(1, 4), shifted(make_icosphere(1, 4), {1.98, 0.1, 0})});
  const Surface first(small.positions.size(), small.triangles, small.object_of_triangle);
  const Surface second(large.positions.size(), large.triangles, large.object_of_triangle);
  DetectScratch scratch;
  std::vector<Contact> contacts;
  PipelineStats stats;
  for (int i = 0; i < 3; ++i)
    detect(first, small.positions, {.distance = 0.05, .threads = 1}, scratch, contacts, stats);
  detect(second, large.positions, {.distance = 0.05, .pairs = PairScope::self, .threads = 1}, scratch, contacts, stats);
  std::vector<Eigen::Vector3d> moved = small.positions;
  moved[0].x() += 0.3;
  detect(first, moved, {.distance = 0.05, .pairs = PairScope::between, .threads = 1}, scratch, contacts, stats);
  EXPECT_EQ(oracle::as_pairs(contacts), oracle::brute_force(moved.size(), small.triangles, small.object_of_triangle,
                                                            moved, 0.05, PairScope::between, true));
}

/// Lists are made for a distance and serve another, too, as long as they reach far enough.
TEST_P(KeptClusters, ServeOtherDistances) {
  const oracle::Soup soup = balls_and_fold();
  Follower follower(soup, 0.05);
  for (const double distance : {0.05, 0.05, 0.05, 0.02, 0.06, 0.2, 0.2, 0.2, 0.001, 0.05}) {
    follower.options().distance = distance;
    ASSERT_NO_FATAL_FAILURE(follower.detect_frame(soup.positions));
  }
  if (keeps()) {
    EXPECT_GT(follower.kept(), 0U);
  }
}

/// What one call keeps is looked up by one that asks about fewer or more objects, with fewer or more threads.
TEST_P(KeptClusters, ServeOtherScopesAndThreads) {
  const oracle::Soup soup = balls_and_fold();
  Follower follower(soup, 0.05);
  for (int frame = 0; frame < 24; ++frame) {
    follower.options().pairs = std::array{PairScope::all, PairScope::self, PairScope::between}[frame / 2 % 3];
    follower.options().threads = std::array{1, 4, 2}[frame % 3];
    ASSERT_NO_FATAL_FAILURE(follower.detect_frame(soup.positions));
  }
  if (keeps()) {
    EXPECT_GT(follower.kept(), 0U);
  }
}

/// Steps follow each other, are cut short, or begin elsewhere; frames come between.
TEST_P(KeptClusters, FindTheContactsOfSteps) {
  const oracle::Soup soup = balls_and_fold();
  const Surface surface(soup.positions.size(), soup.triangles, soup.object_of_triangle);
  DetectScratch scratch;
  std::vector<MovingContact> found;
  std::vector<Contact> contacts;
  PipelineStats stats;
  std::vector<Eigen::Vector3d> start = soup.positions;
  std::uint64_t kept = 0;
  std::size_t total = 0;
  for (int step = 0; step < 40; ++step) {
    std::vector<Eigen::Vector3d> end = start;
    const double fast = step % 9 == 8 ? 0.1 : 0.002;
    for (Eigen::Vector3d& p : end)
      p += fast * Eigen::Vector3d(std::sin(5 * p.y()), std::cos(4 * p.z() + 1), std::sin(3 * p.x() + step * 0.1)) +
           Eigen::Vector3d(0.3, 0, 0);
    const DetectContinuousOptions options{.distance = 0.04, .threads = 2};
    detect_continuous(surface, start, end, options, scratch, found, stats);
    kept += kept_pairs(stats);
    const auto expected = detect_continuous(surface, start, end, {.distance = 0.04, .method = "bvh14", .threads = 1});
    ASSERT_EQ(found.size(), expected.size()) << step;
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(found[i].impact.time, expected[i].impact.time) << step << ' ' << i;
      ASSERT_EQ(found[i].kind, expected[i].kind) << step << ' ' << i;
      ASSERT_EQ(found[i].a, expected[i].a) << step << ' ' << i;
      ASSERT_EQ(found[i].b, expected[i].b) << step << ' ' << i;
    }
    total += found.size();
    if (step % 5 == 4) {
      detect(surface, end, {.distance = 0.04, .threads = 2}, scratch, contacts, stats);
      ASSERT_EQ(oracle::as_pairs(contacts), oracle::brute_force(end.size(), soup.triangles, soup.object_of_triangle,
                                                                end, 0.04, PairScope::all, true));
    }
    if (step % 7 != 6) start = end;
  }
  EXPECT_GT(total, 1000U);
  if (keeps()) {
    EXPECT_GT(kept, 1000U);
  }
}

TEST_P(KeptClusters, MakesNoDifference) {
  const oracle::Soup soup = balls_and_fold();
  const Surface surface(soup.positions.size(), soup.triangles, soup.object_of_triangle);
  DetectScratch with, without;
  std::vector<Contact> first, second;
  PipelineStats stats;
  std::vector<Eigen::Vector3d> positions = soup.positions;
  for (int frame = 0; frame < 6; ++frame) {
    for (Eigen::Vector3d& p : positions) p *= 0.999;
    detect(surface, positions, {.distance = 0.05, .threads = 1}, with, first, stats);
    if (keeps()) {
      EXPECT_EQ(kept_pairs(stats) > 0, frame > 1);
    }
    detect(surface, positions, {.distance = 0.05, .threads = 1, .coherent = false}, without, second, stats);
    EXPECT_TRUE(stats[Stage::mid].counted().empty());
    ASSERT_EQ(first.size(), second.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_EQ(first[i].a, second[i].a);
      EXPECT_EQ(first[i].b, second[i].b);
      EXPECT_EQ(first[i].distance, second[i].distance);
      EXPECT_EQ(first[i].normal, second[i].normal);
    }
  }
}

}  // namespace
}  // namespace carom
