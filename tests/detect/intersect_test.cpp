#include "carom/detect/intersect.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "carom/core/error.hpp"
#include "carom/mesh/generate.hpp"
#include "oracle/exact_intersection.hpp"
#include "oracle/soup.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;

constexpr std::array scopes{PairScope::all, PairScope::between, PairScope::self};

std::vector<oracle::SurfacePair> as_pairs(std::span<const Intersection> found) {
  std::vector<oracle::SurfacePair> pairs;
  for (const Intersection& x : found) pairs.push_back({x.a, x.b});
  return pairs;
}

std::uint64_t cone_culled(const PipelineStats& stats) {
  for (const Culled& culled : stats[Stage::mid].culled())
    if (culled.reason == "cone") return culled.count;
  return 0;
}

/// Every method, with and without cones, for 1, 2 and 4 threads: what the twin finds, in its order.
std::size_t compare_with_brute_force(const oracle::Soup& soup) {
  static std::array<IntersectScratch, 3> scratch;  // kept from soup to soup, as a caller would
  constexpr std::array threads{1, 2, 4};
  const Surface surface(soup.positions.size(), soup.triangles, soup.object_of_triangle);
  std::size_t count = 0;
  std::vector<Intersection> found;
  PipelineStats stats;
  const auto all =
      oracle::brute_force_intersections(soup.triangles, soup.object_of_triangle, soup.positions, PairScope::all);
  for (const PairScope scope : scopes) {
    std::vector<oracle::SurfacePair> expected = all;
    std::erase_if(expected, [&](const oracle::SurfacePair& pair) {
      const bool same = soup.object_of_triangle[static_cast<std::size_t>(pair.a)] ==
                        soup.object_of_triangle[static_cast<std::size_t>(pair.b)];
      return scope != PairScope::all && same != (scope == PairScope::self);
    });
    count += expected.size();
    for (const std::string_view method : detect_methods()) {
      for (std::size_t i = 0; i < threads.size(); ++i) {
        for (const bool cones : {false, true, true, true}) {  // cones begin when a surface comes again
          intersections(surface, soup.positions,
                        {.pairs = scope, .method = std::string(method), .threads = threads[i], .cones = cones},
                        scratch[i], found, stats);
          EXPECT_EQ(as_pairs(found), expected) << method << ", " << threads[i] << " threads, cones " << cones;
          const StageStats& narrow = stats[Stage::narrow];
          EXPECT_EQ(narrow.in - narrow.culled_total(), narrow.out);
          EXPECT_EQ(stats[Stage::mid].in - stats[Stage::mid].culled_total(), stats[Stage::mid].out);
          EXPECT_EQ(stats[Stage::mid].out, narrow.in);
        }
      }
    }
  }
  return count;
}

TEST(Intersect, EqualsBruteForceOnSoups) {
  std::size_t count = 0;
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    const oracle::SoupOptions small{.objects = 2, .vertices_per_object = 7, .triangles_per_object = 6};
    oracle::SoupOptions options = small;
    count += compare_with_brute_force(oracle::make_soup(seed, options));
    options.on_grid = true;
    count += compare_with_brute_force(oracle::make_soup(seed, options));
    options.repeated_corners = true;
    count += compare_with_brute_force(oracle::make_soup(seed, options));
    options = small;
    options.origin = {1e6, -3e5, 2e7};
    count += compare_with_brute_force(oracle::make_soup(seed, options));
    options = small;
    options.outlier = 1e4;
    count += compare_with_brute_force(oracle::make_soup(seed, options));
    options = small;
    options.size = 1e-200;
    count += compare_with_brute_force(oracle::make_soup(seed, options));
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(count, 150U) << "the soups must have something to find";
}

/// What two triangles of one surface must do to be reported.
TEST(Intersect, SharedVerticesAloneAreNoIntersection) {
  const std::vector<Vector3d> p{{0, 0, 0},     {2, 0, 0},  {0, 2, 0}, {2, 2, 0},  {0.5, 0.5, 0},
                                {0.5, 0.5, 1}, {1, 1, -1}, {1, 1, 1}, {-1, 0, 0}, {0, -1, 1}};
  const auto pair = [&](const Triangle& a, const Triangle& b) {
    const auto found = intersections(Surface(p.size(), {a, b}), p);
    return found.empty() ? "none" : std::string(to_string(found[0].kind));
  };
  EXPECT_EQ(pair({0, 1, 2}, {1, 3, 2}), "none") << "two halves of a square";
  EXPECT_EQ(pair({0, 1, 2}, {1, 5, 2}), "none") << "folded, but not flat";
  EXPECT_EQ(pair({0, 1, 2}, {1, 4, 2}), "coplanar") << "folded flat";
  EXPECT_EQ(pair({0, 1, 2}, {2, 1, 0}), "coplanar") << "the same three vertices";
  EXPECT_EQ(pair({0, 1, 2}, {0, 8, 9}), "none") << "a vertex in common";
  EXPECT_EQ(pair({0, 1, 2}, {0, 6, 7}), "segment") << "a vertex in common, and through the face";
  EXPECT_EQ(pair({0, 1, 2}, {8, 0, 4}), "coplanar") << "a vertex in common, and an overlap";
  EXPECT_EQ(pair({0, 1, 2}, {0, 4, 5}), "segment") << "a segment from the shared vertex into the face";
  EXPECT_EQ(pair({0, 1, 2}, {4, 5, 9}), "point") << "a corner on the face";
  EXPECT_EQ(pair({0, 1, 2}, {3, 5, 7}), "none");
}

TEST(Intersect, SaysWhere) {
  const std::vector<Vector3d> p{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, -1}, {1, 1, 1}, {1, 9, 0}};
  const auto found = intersections(Surface(p.size(), {{0, 1, 2}, {3, 4, 5}}), p);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].a, 0);
  EXPECT_EQ(found[0].b, 1);
  EXPECT_EQ(found[0].kind, IntersectionKind::segment);
  EXPECT_EQ(found[0].start, Vector3d(1, 1, 0));
  EXPECT_EQ(found[0].end, Vector3d(1, 3, 0));
}

TEST(Intersect, NoMeshOfOursIntersectsItself) {
  for (const TriangleMesh& mesh : {make_box({1, 2, 3}, 3), make_icosphere(1, 3), make_torus(1, 0.4, 30, 12),
                                   make_tube([](double t) { return trefoil(t, 1, 0.5); }, 0.2, 120, 10)}) {
    IntersectScratch scratch;
    std::vector<Intersection> found;
    PipelineStats stats;
    const Surface surface(mesh.positions.size(), mesh.triangles);
    for (int call = 0; call < 2; ++call) intersections(surface, mesh.positions, {}, scratch, found, stats);
    EXPECT_TRUE(found.empty());
    EXPECT_GT(cone_culled(stats), mesh.triangles.size() / 2) << "many neighbours need no test";
  }
}

/// The same answer with cones and without, to the last bit, over frames that deform the surface.
std::pair<std::size_t, std::uint64_t> compare_cones(const TriangleMesh& mesh,
                                                    const std::vector<std::vector<Vector3d>>& frames) {
  const Surface surface(mesh.positions.size(), mesh.triangles);
  IntersectScratch with;
  IntersectScratch without;
  std::vector<Intersection> found;
  std::vector<Intersection> expected;
  PipelineStats stats;
  std::size_t count = 0;
  std::uint64_t culled = 0;
  for (const auto& positions : frames) {
    intersections(surface, positions, {.cones = false}, without, expected, stats);
    EXPECT_EQ(cone_culled(stats), 0U);
    intersections(surface, positions, {.cones = true}, with, found, stats);
    EXPECT_EQ(as_pairs(found), as_pairs(expected));
    for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i) {
      EXPECT_EQ(found[i].kind, expected[i].kind);
      EXPECT_EQ(found[i].start, expected[i].start);
      EXPECT_EQ(found[i].end, expected[i].end);
    }
    count += expected.size();
    culled += cone_culled(stats);
  }
  return {count, culled};
}

TEST(Intersect, ConesChangeNothingOnAKnotThatThickens) {
  const TriangleMesh knot = make_tube([](double t) { return trefoil(t, 1, 0.5); }, 0.2, 120, 10);
  std::vector<std::vector<Vector3d>> frames;
  for (int frame = 0; frame < 6; ++frame) {
    const double radius = 0.2 + 0.06 * frame;
    frames.push_back(make_tube([](double t) { return trefoil(t, 1, 0.5); }, radius, 120, 10).positions);
  }
  const auto [count, culled] = compare_cones(knot, frames);
  EXPECT_GT(count, 100U);
  EXPECT_GT(culled, 1000U);
}

TEST(Intersect, ConesChangeNothingOnARolledSheet) {
  const TriangleMesh sheet = make_sheet(1, 0.3, 80, 10);
  std::vector<std::vector<Vector3d>> frames;
  for (int frame = 0; frame < 6; ++frame) {
    frames.push_back(sheet.positions);
    for (Vector3d& p : frames.back()) {
      const double s = p.x() + 0.6;
      const double angle = frame * 5 * s;
      const double radius = 0.1 + (frame < 4 ? 0.05 : 0.0) * s;  // in the last frames it rolls into itself
      if (frame > 0) p = Vector3d(radius * std::cos(angle), radius * std::sin(angle), p.z() + 0.001 * std::sin(90 * s));
    }
  }
  const auto [count, culled] = compare_cones(sheet, frames);
  EXPECT_GT(count, 100U);
  EXPECT_GT(culled, 1000U);
}

RC_GTEST_PROP(Intersect, ConesChangeNothingOnFoldedSheets, ()) {
  TriangleMesh sheet = make_sheet(8, 8, 6, 6);
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  const double noise = *rc::gen::element(0.0, 0.2, 1.0, 3.0);
  const bool flat = *rc::gen::arbitrary<bool>();
  std::vector<std::vector<Vector3d>> frames;
  for (int frame = 0; frame < 3; ++frame) {
    frames.push_back(sheet.positions);
    const double fold = 8 * oracle::uniform(random) - 4;
    for (Vector3d& p : frames.back()) {
      p += noise * Vector3d(oracle::uniform(random), oracle::uniform(random), oracle::uniform(random));
      if (frame % 2 == 1 && p.x() > std::floor(fold)) p.x() = 2 * std::floor(fold) - p.x();
      if (flat) p = p.array().round();
    }
  }
  const auto [count, culled] = compare_cones(sheet, frames);
  RC_ASSERT(!testing::Test::HasFailure());
  RC_CLASSIFY(count > 0 && culled > 0, "finds and culls");
}

TEST(Intersect, AnotherSurfaceMayFollowInTheSameScratch) {
  const TriangleMesh ball = make_icosphere(1, 2);
  const TriangleMesh sheet = make_sheet(1, 1, 5, 5);
  IntersectScratch scratch;
  std::vector<Intersection> found;
  PipelineStats stats;
  for (int round = 0; round < 3; ++round) {
    for (const TriangleMesh* mesh : {&ball, &ball, &sheet, &sheet}) {
      std::vector<Triangle> triangles = mesh->triangles;
      if (round == 2) triangles.push_back(triangles.front());  // the same count of vertices, another topology
      const Surface surface(mesh->positions.size(), triangles);
      for (int call = 0; call <= round; ++call) intersections(surface, mesh->positions, {}, scratch, found, stats);
      EXPECT_EQ(as_pairs(found), as_pairs(intersections(surface, mesh->positions, {.cones = false})));
      EXPECT_EQ(found.empty(), round < 2);
    }
  }
}

TEST(Intersect, BadInputIsNamed) {
  const Surface surface(3, {{0, 1, 2}});
  const auto message = [&](const std::vector<Vector3d>& positions, const IntersectOptions& options) {
    try {
      intersections(surface, positions, options);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_NE(message({{0, 0, 0}, {1, 0, infinity}, {0, 1, 0}}, {}).find("vertex 1"), std::string::npos);
  EXPECT_NE(message({{0, 0, 0}, {1, 0, 0}}, {}).find("2 positions"), std::string::npos);
  EXPECT_NE(message({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {.method = "magic"}).find("magic"), std::string::npos);
  try {
    detect(surface, std::vector<Vector3d>(3, Vector3d::Zero()), {.distance = 0});
    FAIL() << "distance 0 was taken";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("intersections"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace carom
