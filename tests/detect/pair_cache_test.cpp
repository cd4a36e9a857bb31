#include "detect/pair_cache.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>

#include "carom/mesh/generate.hpp"
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
    const bool counted = !stats_[Stage::mid].counted().empty();
    watched_ += counted ? 1 : 0;
    // Pairs of clusters that a frame had to look at.
    searched_ += stats_[Stage::mid].out > 0 ? 1 : 0;
  }

  int frames() const { return frames_; }
  int watched() const { return watched_; }
  int searched() const { return searched_; }
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
  int frames_ = 0, watched_ = 0, searched_ = 0;
  std::size_t total_ = 0;
};

TEST(PairCache, FindsWhatBruteForceFindsWhileThingsCreep) {
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
    EXPECT_EQ(follower.watched(), 39) << "all but the first frame";
    EXPECT_LT(follower.searched(), 30) << "many frames need no search";
  }
}

TEST(PairCache, LooksForNothingWhenNothingMoves) {
  const oracle::Soup soup = balls_and_fold();
  Follower follower(soup, 0.05);
  for (int frame = 0; frame < 5; ++frame) ASSERT_NO_FATAL_FAILURE(follower.detect_frame(soup.positions));
  EXPECT_EQ(follower.searched(), 2) << "once without and once with a skin";
  EXPECT_EQ(follower.stats()[Stage::mid].out, 0U);
}

TEST(PairCache, PaysForThePartThatMoved) {
  const oracle::Soup soup = join({make_icosphere(1, 3), shifted(make_icosphere(1, 3), {1.98, 0.1, 0})});
  Follower follower(soup, 0.05);
  std::vector<Eigen::Vector3d> positions = soup.positions;
  for (int frame = 0; frame < 3; ++frame) ASSERT_NO_FATAL_FAILURE(follower.detect_frame(positions));
  std::uint64_t all = 0;
  {
    Follower fresh(soup, 0.05);
    ASSERT_NO_FATAL_FAILURE(fresh.detect_frame(positions));
    all = fresh.stats()[Stage::mid].out;
  }
  // A finger pokes the first ball.
  for (int frame = 0; frame < 5; ++frame) {
    for (Eigen::Vector3d& p : positions)
      if ((p - Eigen::Vector3d(-0.7, -0.7, 0)).norm() < 0.3) p += Eigen::Vector3d(0.05, 0.04, 0);
    ASSERT_NO_FATAL_FAILURE(follower.detect_frame(positions));
    EXPECT_LT(follower.stats()[Stage::mid].out, all / 3);
  }
  EXPECT_EQ(follower.watched(), 7);
}

/// Bodies tumble past each other far faster than a skin lasts, and deform slowly while they do.
TEST(PairCache, KeepsPairsWithinBodiesThatTumble) {
  std::vector<TriangleMesh> meshes{make_icosphere(1, 3), shifted(make_icosphere(1, 3), {2.5, 0, 0})};
  for (TriangleMesh& mesh : meshes)
    for (Eigen::Vector3d& p : mesh.positions) p.y() *= 0.04;  // so flat that the halves are in contact
  const oracle::Soup soup = join(meshes);
  const std::size_t half = meshes[0].positions.size();
  ASSERT_GE(half, 500U) << "smaller bodies have no motion of their own";
  Follower follower(soup, 0.03);
  int searched_within = 0;
  for (int frame = 0; frame < 12; ++frame) {
    std::vector<Eigen::Vector3d> positions = soup.positions;
    const Eigen::AngleAxisd turn(0.3 * frame, Eigen::Vector3d(1, 2, 3).normalized());
    const double swell = 1 + 0.002 * frame;
    for (std::size_t v = 0; v < half; ++v) positions[v] = turn * (swell * positions[v]);
    for (std::size_t v = half; v < positions.size(); ++v)
      positions[v] = turn.inverse() * positions[v] + Eigen::Vector3d(-0.25 * frame, 0, 0);
    ASSERT_NO_FATAL_FAILURE(follower.detect_frame(positions));
    // Features that share a vertex only meet where one looks within bodies.
    for (const Culled& culled : follower.stats()[Stage::narrow].culled())
      searched_within += culled.reason == "adjacent" && culled.count > 0 ? 1 : 0;
  }
  EXPECT_GT(follower.total(), 1000U);
  EXPECT_LE(searched_within, 6);
}

/// Head on, from gaps around what any skin reaches, so that both sides use up their half of it.
TEST(PairCache, SeesSheetsMeetThatApproachSlowly) {
  int watched = 0;
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
    watched += follower.watched();
    total += follower.total();
  }
  EXPECT_GT(total, 1000U);
  EXPECT_GT(watched, 12 * 50);
}

TEST(PairCache, FindsWhatBruteForceFindsWhenThingsJump) {
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
    EXPECT_GT(follower.watched(), 15);
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
TEST(PairCache, FollowsEditsOfTheSurfaceWhereTheyAre) {
  const oracle::Soup soup = join({make_icosphere(1, 3), shifted(make_icosphere(1, 3), {1.98, 0.1, 0})});
  Surface surface(soup.positions.size(), soup.triangles, soup.object_of_triangle);
  std::vector<Eigen::Vector3d> positions = soup.positions;
  DetectScratch scratch;
  std::vector<Contact> contacts;
  PipelineStats stats;
  const DetectOptions options{.distance = 0.05, .threads = 2};
  std::uint64_t all = 0;
  int watched = 0;
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
    watched += stats[Stage::mid].counted().empty() ? 0 : 1;
    if (frame == 0) all = stats[Stage::mid].out;
    EXPECT_TRUE(frame <= 2 || stats[Stage::mid].out < all / 4) << "frame " << frame << ": " << stats[Stage::mid].out;
  }
  EXPECT_GT(total, 100U);
  EXPECT_EQ(watched, 9);
}

TEST(PairCache, FindsWhatBruteForceFindsInAnySoupThatMoves) {
  int watched = 0;
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
    watched += follower.watched();
    total += follower.total();
    RC_ASSERT(!testing::Test::HasFailure());
  }));
  EXPECT_GT(watched, 100);
  EXPECT_GT(total, 10'000U);
}

/// A list that waited while another surface had the tree.
TEST(PairCache, ComesBackToASurfaceAfterAnother) {
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

std::uint64_t watched_pairs(const PipelineStats& stats) {
  std::uint64_t count = 0;
  for (const Counted& counted : stats[Stage::mid].counted()) count += counted.count;
  return count;
}

TEST(PairCache, DoesNotFillUpOverALargeFloorOrAfterALargeDistance) {
  const oracle::Soup soup = join({make_sheet(200, 200, 1, 1), shifted(make_icosphere(1, 4), {0, 1.001, 0})});
  const Surface surface(soup.positions.size(), soup.triangles, soup.object_of_triangle);
  DetectScratch scratch;
  std::vector<Contact> contacts;
  PipelineStats stats;
  for (const double distance : {0.003, 0.003, 0.003, 0.1, 0.1, 0.002, 0.002}) {
    detect(surface, soup.positions, {.distance = distance, .threads = 1}, scratch, contacts, stats);
    if (distance < 0.01) {
      EXPECT_LT(watched_pairs(stats), 5'000U) << distance;
    }
  }
}

TEST(PairCache, MakesNoDifference) {
  const oracle::Soup soup = balls_and_fold();
  const Surface surface(soup.positions.size(), soup.triangles, soup.object_of_triangle);
  DetectScratch with, without;
  std::vector<Contact> first, second;
  PipelineStats stats;
  std::vector<Eigen::Vector3d> positions = soup.positions;
  for (int frame = 0; frame < 6; ++frame) {
    for (Eigen::Vector3d& p : positions) p *= 0.999;
    detect(surface, positions, {.distance = 0.05, .threads = 1}, with, first, stats);
    EXPECT_EQ(stats[Stage::mid].counted().empty(), frame == 0);
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
