#include "mid/spheres.hpp"

#include <gtest/gtest.h>

#include <set>

#include "carom/core/error.hpp"
#include "carom/detect/detect.hpp"
#include "carom/detect/intersect.hpp"
#include "carom/mesh/generate.hpp"
#include "core/at.hpp"
#include "detect/detection.hpp"
#include "oracle/placed.hpp"
#include "oracle/soup_gen.hpp"
#include "shapes/enclosing_sphere.hpp"

namespace carom {
namespace {

using mid::SphereRefit;
using mid::SphereTree;

oracle::Soup soup_of(const TriangleMesh& mesh) {
  return {mesh.positions, mesh.triangles, std::vector<Index>(mesh.triangles.size(), 0)};
}

std::vector<Index> vertices_of(const Surface& surface, const SphereTree& tree, const SphereTree::Node& node) {
  std::vector<Index> vertices;
  for (const Index t : tree.order().subspan(at(node.begin), node.size()))
    for (const Index v : surface.triangles()[at(t)]) vertices.push_back(v);
  return vertices;
}

/// The twin of a refit: every vertex of every node, in long double.
void expect_spheres_hold_their_vertices(const Surface& surface, std::span<const Eigen::Vector3d> positions,
                                        const SphereTree& tree) {
  for (const SphereTree::Node& node : tree.nodes()) {
    const Eigen::Matrix<long double, 3, 1> center = node.center.cast<long double>();
    for (const Index v : vertices_of(surface, tree, node)) {
      const Eigen::Matrix<long double, 3, 1> p = positions[at(v)].cast<long double>();
      ASSERT_LE((p - center).norm(), static_cast<long double>(node.radius)) << "vertex " << v;
    }
  }
}

void jitter(std::mt19937_64& random, double amount, std::vector<Eigen::Vector3d>& positions) {
  for (Eigen::Vector3d& p : positions)
    for (int k = 0; k < 3; ++k) p[k] += amount * (2 * oracle::uniform(random) - 1);
}

class SphereTreeTest : public testing::Test {
 protected:
  Workers workers_{2};
  Arena arena_;
  Context context_{workers_, arena_};
};

TEST_F(SphereTreeTest, NewSpheresAreTheSmallestAroundTheirVertices) {
  const TriangleMesh mesh = make_icosphere(1, 3);
  const Surface surface(mesh.positions.size(), mesh.triangles);
  SphereTree tree;
  tree.update(context_, surface, mesh.positions, {.depth = 6});
  EXPECT_NEAR(tree.nodes()[0].radius, 1, 1e-12) << "of a ball";
  for (const SphereTree::Node& node : tree.nodes()) {
    std::vector<Eigen::Vector3d> points;
    for (const Index v : vertices_of(surface, tree, node)) points.push_back(mesh.positions[at(v)]);
    // Duplicates and another order: Welzl's ball is that of the set.
    EXPECT_NEAR(node.radius, shapes::enclosing_sphere(points).radius, 1e-9);
  }
}

TEST_F(SphereTreeTest, DepthIsTheNumberOfLevelsAndLeavesHoldEachTriangleOnce) {
  const TriangleMesh mesh = make_sheet(2, 1, 24, 12);
  const Surface surface(mesh.positions.size(), mesh.triangles);
  for (int depth = 1; depth <= 15; ++depth) {
    SphereTree tree;
    tree.update(context_, surface, mesh.positions, {.depth = depth});
    EXPECT_LE(tree.depth(), static_cast<std::size_t>(depth));
    if (depth <= 8) {
      EXPECT_EQ(tree.depth(), static_cast<std::size_t>(depth)) << "576 triangles need nine or more";
    }
    std::vector<int> seen(mesh.triangles.size(), 0);
    for (std::size_t i = 0; i < tree.nodes().size(); ++i) {
      const SphereTree::Node& node = tree.nodes()[i];
      if (node.is_leaf()) {
        for (const Index t : tree.order().subspan(at(node.begin), node.size())) ++seen[at(t)];
      } else {
        EXPECT_GT(at(node.child), i) << "children come after their parent";
      }
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(seen.size()));
  }
}

TEST_F(SphereTreeTest, SplitsAtTheMeanAlongTheAxisOfTheLargestVariance) {
  const TriangleMesh mesh = make_sheet(2, 1, 24, 12);  // along x and z
  const Surface surface(mesh.positions.size(), mesh.triangles);
  SphereTree tree;
  tree.update(context_, surface, mesh.positions, {.depth = 2});
  ASSERT_EQ(tree.nodes().size(), 3U);
  for (const std::size_t child : {1U, 2U}) {
    EXPECT_NEAR(std::abs(tree.nodes()[child].center.x()), 0.5, 1e-12);
    EXPECT_NEAR(tree.nodes()[child].center.z(), 0, 1e-12);
  }
}

TEST_F(SphereTreeTest, RefitHoldsEveryVertexWhateverMoves) {
  std::mt19937_64 random(7);
  for (const SphereRefit refit : {SphereRefit::farthest, SphereRefit::ratio}) {
    for (const double amount : {1e-9, 0.01, 3.0}) {
      const TriangleMesh mesh = make_sheet(1, 1, 20, 20);
      const Surface surface(mesh.positions.size(), mesh.triangles);
      std::vector<Eigen::Vector3d> positions = mesh.positions;
      SphereTree tree;
      for (int frame = 0; frame < 5; ++frame) {
        tree.update(context_, surface, positions, {.depth = 9, .refit = refit, .rebuild = false});
        expect_spheres_hold_their_vertices(surface, positions, tree);
        jitter(random, amount, positions);
      }
      EXPECT_EQ(tree.built(), 1U);
    }
  }
}

/// A vertex may move to where the sphere of its leaf reaches out of its parent's: with the radius of the parent scaled
/// by the ratio of the children's reach, as published, it would be outside.
TEST_F(SphereTreeTest, PublishedRatioWouldLoseAVertexWhereAChildReachesOut) {
  const TriangleMesh mesh = make_sheet(1, 1, 20, 20);
  const Surface surface(mesh.positions.size(), mesh.triangles);
  SphereTree tree;
  tree.update(context_, surface, mesh.positions, {.depth = 6});
  std::size_t reaching_out = 0;
  for (const SphereTree::Node& node : tree.nodes()) {
    if (node.is_leaf()) continue;
    const double reach = std::max(node.built_reach[0], node.built_reach[1]);
    reaching_out += reach > node.radius * (1 + 1e-9) ? 1 : 0;
    EXPECT_GE(node.built_radius, reach) << "what the ratio is applied to";
  }
  EXPECT_GT(reaching_out, 0U);
}

TEST_F(SphereTreeTest, FarthestIsNeverLargerThanTheRatio) {
  std::mt19937_64 random(5);
  const TriangleMesh mesh = make_sheet(1, 1, 20, 20);
  const Surface surface(mesh.positions.size(), mesh.triangles);
  std::vector<Eigen::Vector3d> positions = mesh.positions;
  SphereTree farthest, ratio;
  for (int frame = 0; frame < 4; ++frame) {
    farthest.update(context_, surface, positions, {.depth = 8, .rebuild = false});
    ratio.update(context_, surface, positions, {.depth = 8, .refit = SphereRefit::ratio, .rebuild = false});
    for (std::size_t i = 0; i < ratio.nodes().size(); ++i)
      EXPECT_LE(farthest.nodes()[i].radius, ratio.nodes()[i].radius * (1 + 1e-12));
    jitter(random, 0.01, positions);
  }
}

TEST_F(SphereTreeTest, IsMadeAgainWhenItsLeavesHaveGrown) {
  std::mt19937_64 random(5);
  const TriangleMesh mesh = make_sheet(1, 1, 20, 20);
  const Surface surface(mesh.positions.size(), mesh.triangles);
  std::vector<Eigen::Vector3d> positions = mesh.positions;
  SphereTree tree;
  tree.update(context_, surface, positions, {});
  jitter(random, 1e-4, positions);
  tree.update(context_, surface, positions, {});
  EXPECT_EQ(tree.built(), 1U);
  jitter(random, 1, positions);
  tree.update(context_, surface, positions, {});
  EXPECT_EQ(tree.built(), 2U);
  tree.update(context_, surface, positions, {.depth = 3});
  EXPECT_EQ(tree.built(), 3U) << "another depth";
  expect_spheres_hold_their_vertices(surface, positions, tree);
}

TEST_F(SphereTreeTest, SpheresOfALevelHoldTheWholeSurface) {
  const TriangleMesh mesh = make_icosphere(1, 2);
  const Surface surface(mesh.positions.size(), mesh.triangles);
  SphereTree tree;
  tree.update(context_, surface, mesh.positions, {.depth = 15});
  EXPECT_EQ(tree.level(0).size(), 1U);
  for (std::size_t level = 0; level < tree.depth(); ++level) {
    const std::vector<BoundingSphere> spheres = tree.level(level);
    for (const Eigen::Vector3d& p : mesh.positions) {
      EXPECT_TRUE(std::any_of(spheres.begin(), spheres.end(),
                              [&](const BoundingSphere& s) { return (p - s.center).norm() <= s.radius; }));
    }
  }
}

std::vector<Contact> contacts_of(const Surface& surface, const std::vector<Eigen::Vector3d>& positions, double distance,
                                 PairScope scope, std::string method, int depth, DetectScratch& scratch) {
  std::vector<Contact> contacts;
  PipelineStats stats;
  detect(surface, positions,
         {.distance = distance, .pairs = scope, .method = method, .sphere_depth = depth, .coherent = false}, scratch,
         contacts, stats);
  if (method == "spheres") {
    const StageStats& mid = stats[Stage::mid];
    EXPECT_EQ(mid.in - mid.culled_total(), mid.out);
  }
  return contacts;
}

bool same_features(const std::vector<Contact>& a, const std::vector<Contact>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Contact& x, const Contact& y) {
    return x.kind == y.kind && x.a == y.a && x.b == y.b && x.distance == y.distance;
  });
}

/// Against the sweep, which itself is compared with brute force; over frames, so that trees are those of a refit.
TEST(Spheres, LoseNoContactInAnySoupAtAnyDepth) {
  std::size_t found = 0;
  EXPECT_TRUE(rc::check("contacts are those of the sweep", [&] {
    const auto [soup, distance] = oracle::draw_soup(50);
    const Surface surface(soup.positions.size(), soup.triangles, soup.object_of_triangle);
    const int depth = *rc::gen::inRange(1, 17);
    const auto scope = *rc::gen::element(PairScope::all, PairScope::between, PairScope::self);
    const double amount = distance * *rc::gen::element(0.01, 1.0, 30.0);
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    std::vector<Eigen::Vector3d> positions = soup.positions;
    DetectScratch scratch, twin;
    for (int frame = 0; frame < 3; ++frame) {
      const auto spheres = contacts_of(surface, positions, distance, scope, "spheres", depth, scratch);
      RC_ASSERT(same_features(spheres, contacts_of(surface, positions, distance, scope, "sweep", depth, twin)));
      found += spheres.size();
      jitter(random, amount, positions);
    }
    RC_ASSERT(!testing::Test::HasFailure());
  }));
  EXPECT_GT(found, 10'000U) << "the soups must have something to find";
}

TEST(Spheres, FindEachPairOnceInTheSameOrderForAnyNumberOfThreads) {
  const TriangleMesh ball = make_icosphere(1, 3);
  oracle::Soup soup = soup_of(ball);
  const TriangleMesh other = placed(ball, {1.9, 0.1, 0});
  for (const Triangle& t : other.triangles) {
    const auto n = static_cast<Index>(ball.positions.size());
    soup.triangles.push_back({t[0] + n, t[1] + n, t[2] + n});
    soup.object_of_triangle.push_back(1);
  }
  soup.positions.insert(soup.positions.end(), other.positions.begin(), other.positions.end());
  const Surface surface(soup.positions.size(), soup.triangles, soup.object_of_triangle);
  std::vector<std::pair<Index, Index>> first;
  for (const int threads : {1, 2, 4}) {
    Workers workers(threads);
    Arena arena;
    Context context{workers, arena};
    detection::Candidates candidates;
    std::mt19937_64 random(1);
    std::vector<Eigen::Vector3d> positions = soup.positions;
    std::vector<std::pair<Index, Index>> all;
    for (int frame = 0; frame < 3; ++frame) {
      arena.reset();
      PipelineStats stats;
      detection::find_triangle_pairs(context, {surface, positions}, {.distance = 0.02, .method = mid::Method::spheres},
                                     candidates, stats);
      std::set<std::pair<Index, Index>> unique;
      for (const mid::TrianglePair& pair : candidates.mid.pairs) {
        EXPECT_LT(pair.a, pair.b);
        EXPECT_TRUE(unique.insert({pair.a, pair.b}).second);
        all.emplace_back(pair.a, pair.b);
      }
      jitter(random, 0.01, positions);
    }
    if (threads == 1) first = all;
    EXPECT_EQ(all, first) << threads;
  }
  EXPECT_GT(first.size(), 10'000U);
}

TEST(Spheres, OfDepthOneAskEveryBox) {
  const TriangleMesh mesh = make_sheet(1, 1, 8, 8);
  const Surface surface(mesh.positions.size(), mesh.triangles);
  DetectScratch scratch;
  std::vector<Contact> contacts;
  PipelineStats stats;
  detect(surface, mesh.positions, {.distance = 0.01, .method = "spheres", .sphere_depth = 1}, scratch, contacts, stats);
  const StageStats& mid = stats[Stage::mid];
  EXPECT_EQ(mid.in, 128U * 127 / 2);
  ASSERT_EQ(mid.culled().size(), 2U);
  EXPECT_EQ(mid.culled()[0].count, 0U) << "spheres";
  detect(surface, mesh.positions, {.distance = 0.01, .method = "spheres"}, scratch, contacts, stats);
  EXPECT_GT(stats[Stage::mid].culled()[0].count, 128U * 127 / 4);
}

TEST(Spheres, RefuseADepthOutOfRangeByName) {
  const TriangleMesh mesh = make_sheet(1, 1, 1, 1);
  const Surface surface(mesh.positions.size(), mesh.triangles);
  for (const int depth : {0, 33}) {
    try {
      (void)detect(surface, mesh.positions, {.distance = 0.01, .method = "spheres", .sphere_depth = depth});
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      EXPECT_NE(std::string(error.what()).find("sphere_depth is " + std::to_string(depth)), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace carom
