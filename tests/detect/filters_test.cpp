#include "carom/detect/filters.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>
#include <rapidcheck/gtest.h>

#include "carom/core/error.hpp"
#include "carom/detect/compact_contacts.hpp"
#include "carom/detect/detect.hpp"
#include "carom/mesh/generate.hpp"
#include "kernels/every_target.hpp"
#include "oracle/soup.hpp"
#include "oracle/surface_filter.hpp"

namespace carom {
namespace {

constexpr std::array scopes{PairScope::all, PairScope::between, PairScope::self};

/// Filters with the memory they refer to.
struct OwnedFilters {
  double surface_factor = 0;
  std::vector<Eigen::Vector3d> rest{};
  std::vector<std::array<Index, 2>> vertices{};
  std::vector<std::array<Index, 2>> objects{};
  std::vector<ObjectGroup> groups{};
  std::vector<std::uint8_t> enabled{};

  ContactFilters get() const {
    return {.surface_factor = surface_factor,
            .rest_positions = rest,
            .excluded_vertices = vertices,
            .excluded_objects = objects,
            .groups = groups,
            .vertex_enabled = enabled};
  }
};

/// One filter, or several, or none.
OwnedFilters random_filters(std::mt19937_64& random, const oracle::Soup& soup, int objects) {
  const auto below = [&](std::size_t n) {
    return static_cast<Index>(oracle::uniform(random) * static_cast<double>(n));
  };
  const std::size_t n = soup.positions.size();
  OwnedFilters filters;
  if (below(2) == 0) {
    filters.surface_factor = 0.3 + 5 * oracle::uniform(random);
    if (below(2) == 0) {
      filters.rest = soup.positions;
      for (auto& p : filters.rest) p += Eigen::Vector3d(oracle::uniform(random), 0, oracle::uniform(random));
    }
  }
  if (below(2) == 0) {
    for (std::size_t i = 0; i < 2 * n; ++i) filters.vertices.push_back({below(n), below(n)});
  }
  if (below(2) == 0) {
    for (int i = 0; i < 2; ++i)
      filters.objects.push_back({below(static_cast<std::size_t>(objects)), below(static_cast<std::size_t>(objects))});
  }
  if (below(2) == 0) {
    for (Index object = 0; object < objects; ++object) {
      if (below(3) == 0) continue;
      filters.groups.push_back({object, {1U << below(2), static_cast<std::uint32_t>(1 + below(3))}});
    }
  }
  if (below(3) == 0) {
    for (std::size_t i = 0; i < n; ++i) filters.enabled.push_back(below(6) == 0 ? 0 : 7);
  }
  return filters;
}

RC_GTEST_PROP(FiltersProperty, LeaveWhatTheirDefinitionLeaves, (std::uint64_t seed)) {
  static std::array<DetectScratch, 3> scratch;  // kept from surface to surface, as a caller would
  constexpr std::array threads{1, 2, 4};
  constexpr int objects = 3;
  std::mt19937_64 random(seed);
  const oracle::Soup soup = oracle::make_soup(
      seed, {.objects = objects, .vertices_per_object = 20, .triangles_per_object = 16, .on_grid = seed % 3 == 0});
  const Surface surface(soup.positions.size(), soup.triangles, soup.object_of_triangle);
  const OwnedFilters filters = random_filters(random, soup, objects);
  const double distance = 0.1 + 0.1 * oracle::uniform(random);
  std::vector<Contact> contacts;
  PipelineStats stats;
  for (const PairScope scope : scopes) {
    const auto expected = oracle::filtered(oracle::brute_force(surface, soup.positions, distance, scope), surface,
                                           soup.positions, distance, filters.get());
    for (const std::string_view method : detect_methods()) {
      for (std::size_t i = 0; i < threads.size(); ++i) {
        detect(surface, soup.positions,
               {.distance = distance,
                .pairs = scope,
                .method = std::string(method),
                .threads = threads[i],
                .filters = filters.get()},
               scratch[i], contacts, stats);
        RC_ASSERT(oracle::as_pairs(contacts) == expected);
        for (const Stage stage : {Stage::broad, Stage::mid, Stage::narrow})
          RC_ASSERT(stats[stage].in - stats[stage].culled_total() == stats[stage].out);
      }
    }
  }
}

/// The layers of a roll and a ball beside them: lists of many chunks, on every instruction set this machine has.
class FiltersOnEveryTarget : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }
};

INSTANTIATE_TEST_SUITE_P(OnEveryTarget, FiltersOnEveryTarget, testing::ValuesIn(targets()),
                         [](const auto& target) { return std::string(hwy::TargetName(target.param)); });

TEST_P(FiltersOnEveryTarget, LeaveWhatTheirDefinitionLeavesOfARoll) {
  const TriangleMesh roll = make_roll(0.045, 0.0026, 2.2, 0.1, 64, 6);
  oracle::Soup soup{roll.positions, roll.triangles, std::vector<Index>(roll.triangles.size(), 0)};
  const TriangleMesh ball = make_icosphere(0.02, 1);
  const auto first = static_cast<Index>(soup.positions.size());
  for (const Eigen::Vector3d& p : ball.positions) soup.positions.emplace_back(p + Eigen::Vector3d(0.063, 0, 0.01));
  for (const Triangle& t : ball.triangles) soup.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  soup.object_of_triangle.resize(soup.triangles.size(), 1);
  const Surface surface(soup.positions.size(), soup.triangles, soup.object_of_triangle);
  constexpr double distance = 0.006;
  const auto all = oracle::brute_force(surface, soup.positions, distance, PairScope::all);
  ASSERT_GT(all.size(), 8192U) << "several chunks";

  std::mt19937_64 random(6);
  const auto below = [&](std::size_t n) {
    return static_cast<Index>(oracle::uniform(random) * static_cast<double>(n));
  };
  const std::size_t n = soup.positions.size();
  OwnedFilters one;
  one.vertices = {{3, below(n)}};
  OwnedFilters listed;
  for (const oracle::Pair& pair : all)
    if (pair.kind == ContactKind::edge_edge && below(4) == 0) listed.vertices.push_back({pair.b[1], pair.a[0]});
  OwnedFilters enabled;
  for (std::size_t i = 0; i < n; ++i) enabled.enabled.push_back(below(6) == 0 ? 0 : 1);
  OwnedFilters apart;
  apart.objects = {{1, 0}};
  OwnedFilters along{.surface_factor = 3};
  OwnedFilters at_rest{.surface_factor = 2, .rest = soup.positions};
  for (Eigen::Vector3d& p : at_rest.rest) p.x() *= 1.3;
  OwnedFilters together = listed;
  together.surface_factor = 2;
  together.enabled = enabled.enabled;
  together.groups = {{1, {2, 1}}};

  std::array<DetectScratch, 2> scratch;
  for (const OwnedFilters& filters : {one, listed, enabled, apart, along, at_rest, together}) {
    const auto expected = oracle::filtered(all, surface, soup.positions, distance, filters.get());
    ASSERT_GT(expected.size(), 0U);
    for (std::size_t i = 0; i < scratch.size(); ++i) {
      const DetectOptions options{
          .distance = distance, .threads = 1 + 2 * static_cast<int>(i), .filters = filters.get()};
      PipelineStats stats;
      std::vector<Contact> contacts;
      detect(surface, soup.positions, options, scratch[i], contacts, stats);
      ASSERT_EQ(oracle::as_pairs(contacts), expected);
      ASSERT_EQ(stats[Stage::narrow].in - stats[Stage::narrow].culled_total(), stats[Stage::narrow].out);
      CompactContacts compact;
      detect(surface, soup.positions, options, scratch[i], compact, stats);
      make_contacts(surface, soup.positions, compact, contacts);
      ASSERT_EQ(oracle::as_pairs(contacts), expected);
    }
  }
}

/// A strip of unit squares at rest, pressed together along x to a tenth: all is closer than 1.5.
struct Strip {
  explicit Strip(Index squares) {
    for (Index i = 0; i <= squares; ++i) {
      for (const double z : {0.0, 1.0}) {
        rest.emplace_back(i, 0, z);
        pressed.emplace_back(0.1 * i, 0, z);
      }
      if (i == squares) break;
      triangles.push_back({2 * i, 2 * i + 1, 2 * i + 2});
      triangles.push_back({2 * i + 2, 2 * i + 1, 2 * i + 3});
    }
  }
  std::vector<Eigen::Vector3d> rest;
  std::vector<Eigen::Vector3d> pressed;
  std::vector<Triangle> triangles;
};

/// Whether the edges across the strip at these two places are in contact.
bool touch(std::span<const Contact> contacts, Index i, Index j) {
  return std::any_of(contacts.begin(), contacts.end(), [&](const Contact& c) {
    return c.kind == ContactKind::edge_edge && c.a == std::array<Index, 2>{2 * i, 2 * i + 1} &&
           c.b == std::array<Index, 2>{2 * j, 2 * j + 1};
  });
}

TEST(SurfaceNeighbours, AreMeasuredOnTheShapeThatWasAskedFor) {
  const Strip strip(6);
  const Surface surface(strip.rest.size(), strip.triangles);
  const auto with = [&](const ContactFilters& filters) {
    return detect(surface, strip.pressed, {.distance = 1.5, .filters = filters});
  };
  const auto off = with({});
  EXPECT_TRUE(touch(off, 0, 1));
  // 2 * 1.5 = 3: what is 2 away along the surface is near, what is exactly 3 away is not.
  const auto at_rest = with({.surface_factor = 2, .rest_positions = strip.rest});
  EXPECT_FALSE(touch(at_rest, 0, 2));
  EXPECT_TRUE(touch(at_rest, 0, 3));
  EXPECT_TRUE(touch(at_rest, 1, 6));
  // Pressed together no two places are more than 0.6 + 1 apart.
  EXPECT_TRUE(with({.surface_factor = 2}).empty());
  EXPECT_FALSE(with({.surface_factor = 0.2}).empty());
}

TEST(SurfaceNeighbours, AFlatSheetHasNoContactsWithItself) {
  const TriangleMesh sheet = make_sheet(1, 1, 20, 20);
  const Surface surface(sheet.positions.size(), sheet.triangles);
  const double distance = 0.2;  // four squares
  EXPECT_GT(detect(surface, sheet.positions, {.distance = distance}).size(), 10'000U);
  // Two features closer than 4 squares have vertices less than 4 + 2 sqrt(2) squares apart, which
  // are joined by paths along the grid of less than sqrt(2) times that: 9.7 squares, below 2.5 * 4.
  EXPECT_TRUE(detect(surface, sheet.positions, {.distance = distance, .filters = {.surface_factor = 2.5}}).empty());
}

TEST(SurfaceNeighbours, FoldedLayersAreContacts) {
  TriangleMesh sheet = make_sheet(1, 1, 20, 20);
  const std::vector<Eigen::Vector3d> rest = sheet.positions;
  for (Eigen::Vector3d& p : sheet.positions) {
    if (p.x() > 1e-9) p = {-p.x(), 0.05, p.z()};
  }
  const Surface surface(sheet.positions.size(), sheet.triangles);
  const auto contacts =
      detect(surface, sheet.positions, {.distance = 0.1, .filters = {.surface_factor = 3, .rest_positions = rest}});
  ASSERT_FALSE(contacts.empty());
  for (const Contact& c : contacts) {
    const auto x = [&](std::size_t k) { return rest[static_cast<std::size_t>(c.vertices[k])].x(); };
    EXPECT_LT(x(0) * x(3), 0) << "only across the fold";
  }
}

/// What is kept of a rest shape must not outlive the surface, the shape or the lengths.
TEST(SurfaceNeighbours, TheScratchForgetsWhatHasChanged) {
  Strip strip(8);
  Surface surface(strip.rest.size(), strip.triangles);
  DetectScratch scratch;
  const auto check = [&](double distance, double factor, bool rest) {
    const ContactFilters filters{
        .surface_factor = factor,
        .rest_positions = rest ? std::span<const Eigen::Vector3d>(strip.rest) : std::span<const Eigen::Vector3d>()};
    std::vector<Contact> contacts;
    PipelineStats stats;
    detect(surface, strip.pressed, {.distance = distance, .filters = filters}, scratch, contacts, stats);
    const auto expected = oracle::filtered(oracle::brute_force(surface, strip.pressed, distance, PairScope::all),
                                           surface, strip.pressed, distance, filters);
    EXPECT_EQ(oracle::as_pairs(contacts), expected) << distance << " " << factor << " " << rest;
    EXPECT_FALSE(expected.empty());
  };
  check(1.5, 2.1, true);
  check(1.5, 2.1, true);
  check(1.5, 1.1, true);
  check(0.7, 1.1, true);
  check(0.7, 0.45, false);
  check(0.7, 1.1, true);
  strip.rest[5].x() += 0.75;
  check(0.7, 1.1, true);
  surface.edit({.removed = {4, 5}});
  check(0.7, 6.5, true);
  surface.edit({.added = {{4, 5, 6}}});
  check(0.7, 6.5, true);
  strip.pressed[6].y() += 0.3;
  check(0.7, 0.45, false);
}

TEST(Filters, ObjectsThatMayNotTouchEndInTheBroadPhase) {
  const oracle::Soup soup = oracle::make_soup(4, {.objects = 3});
  const Surface surface(soup.positions.size(), soup.triangles, soup.object_of_triangle);
  DetectScratch scratch;
  std::vector<Contact> contacts;
  PipelineStats stats;
  const std::vector<std::array<Index, 2>> excluded{{2, 0}};
  const std::vector<ObjectGroup> groups{{1, {2, 1}}};  // does not touch its own kind
  detect(surface, soup.positions, {.distance = 0.1, .filters = {.excluded_objects = excluded, .groups = groups}},
         scratch, contacts, stats);
  EXPECT_EQ(stats[Stage::broad].in, 6U);
  EXPECT_EQ(stats[Stage::broad].out, 4U) << "0-0, 2-2, 0-1, 1-2";
  std::map<std::string_view, std::uint64_t> culled;
  for (const Culled& c : stats[Stage::broad].culled()) culled[c.reason] = c.count;
  EXPECT_EQ(culled["excluded"], 1U);
  EXPECT_EQ(culled["filtered"], 1U);
  EXPECT_FALSE(contacts.empty());
}

struct BadFilter {
  OwnedFilters filters;
  ErrorCode code;
  const char* message;
};

TEST(Filters, BadOnesAreNamed) {
  const oracle::Soup soup = oracle::make_soup(4, {.objects = 2});  // 24 vertices
  const Surface surface(soup.positions.size(), soup.triangles, soup.object_of_triangle);
  std::vector<Eigen::Vector3d> bad_rest = soup.positions;
  bad_rest[7].z() = NAN;
  const std::vector<BadFilter> cases{
      {{.surface_factor = -1}, ErrorCode::invalid_argument, "surface_factor is -1"},
      {{.surface_factor = NAN}, ErrorCode::invalid_argument, "surface_factor is nan"},
      {{.surface_factor = 1, .rest = {Eigen::Vector3d::Zero()}},
       ErrorCode::invalid_argument,
       "1 rest positions for a surface of 24 vertices"},
      {{.surface_factor = 1, .rest = bad_rest}, ErrorCode::not_finite, "rest position of vertex 7 is"},
      {{.vertices = {{0, 1}, {3, 24}}},
       ErrorCode::bad_index,
       "excluded_vertices[1] names vertex 24, but there are 24 vertices"},
      {{.vertices = {{-1, 1}}}, ErrorCode::bad_index, "excluded_vertices[0] names vertex -1"},
      {{.objects = {{0, 1}, {1, 2}}},
       ErrorCode::bad_index,
       "excluded_objects[1] names object 2, which the surface does not have"},
      {{.groups = {{5, {1, 1}}}}, ErrorCode::bad_index, "groups[0] names object 5, which the surface does not have"},
      {{.groups = {{1, {1, 1}}, {1, {2, 2}}}},
       ErrorCode::invalid_argument,
       "groups[1] names object 1, which another entry names as well"},
      {{.enabled = {1, 0}}, ErrorCode::invalid_argument, "vertex_enabled has 2 flags for a surface of 24 vertices"}};
  for (const BadFilter& bad : cases) {
    try {
      detect(surface, soup.positions, {.distance = 0.1, .filters = bad.filters.get()});
      ADD_FAILURE() << "accepted: " << bad.message;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), bad.code) << bad.message;
      EXPECT_TRUE(std::string(error.what()).starts_with(bad.message)) << error.what();
    }
  }
}

/// A list that was right for a larger surface is looked at again.
TEST(Filters, AListIsCheckedAgainstTheSurfaceOfTheCall) {
  const std::vector<std::array<Index, 2>> excluded{{0, 5}};
  const std::vector<Eigen::Vector3d> points(6, Eigen::Vector3d::Zero());
  DetectScratch scratch;
  std::vector<Contact> contacts;
  PipelineStats stats;
  const DetectOptions options{.distance = 1, .filters = {.excluded_vertices = excluded}};
  detect(Surface(6, {{0, 1, 2}}), points, options, scratch, contacts, stats);
  EXPECT_THROW(detect(Surface(3, {{0, 1, 2}}), std::span(points).first(3), options, scratch, contacts, stats), Error);
}

}  // namespace
}  // namespace carom
