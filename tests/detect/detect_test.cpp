#include "carom/detect/detect.hpp"

#include <gtest/gtest.h>

#include "carom/core/error.hpp"
#include "carom/mesh/generate.hpp"
#include "oracle/brute_force.hpp"
#include "oracle/soup_gen.hpp"

namespace carom {
namespace {

constexpr std::array scopes{PairScope::all, PairScope::between, PairScope::self};

/// Runs detection by every method and for 1, 2 and 4 threads against the twin: the same pairs in
/// the same order with the same distances, bit for bit.
std::size_t compare_with_brute_force(const oracle::Soup& soup, double distance) {
  static std::array<DetectScratch, 3> scratch;  // kept from soup to soup, as a caller would
  constexpr std::array threads{1, 2, 4};
  const Surface surface(soup.positions.size(), soup.triangles, soup.object_of_triangle);
  std::size_t contacts = 0;
  std::vector<Contact> found;
  PipelineStats stats;
  for (const PairScope scope : scopes) {
    const auto expected = oracle::brute_force(soup.positions.size(), soup.triangles, soup.object_of_triangle,
                                              soup.positions, distance, scope);
    contacts += expected.size();
    for (const std::string_view method : detect_methods()) {
      for (std::size_t i = 0; i < threads.size(); ++i) {
        detect(surface, soup.positions,
               {.distance = distance, .pairs = scope, .method = std::string(method), .threads = threads[i]}, scratch[i],
               found, stats);
        EXPECT_EQ(oracle::as_pairs(found), expected) << method << ", " << threads[i] << " threads";
      }
    }
  }
  return contacts;
}

TEST(Detect, EqualsBruteForceOnRandomSoups) {
  std::size_t contacts = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    contacts += compare_with_brute_force(oracle::make_soup(seed, {}), 0.02 + 0.01 * static_cast<double>(seed % 7));
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(contacts, 10'000U) << "the soups must have something to find";
}

TEST(Detect, EqualsBruteForceOnAnySoup) {
  std::size_t contacts = 0;
  EXPECT_TRUE(rc::check("every method finds the contacts of the twin", [&] {
    const auto [soup, distance] = oracle::draw_soup(12);
    contacts += compare_with_brute_force(soup, distance);
    RC_ASSERT(!HasFailure());
  }));
  EXPECT_GT(contacts, 10'000U);
}

TEST(Detect, EqualsBruteForceOnDegenerateSoups) {
  std::size_t contacts = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const oracle::SoupOptions options{.on_grid = true, .repeated_corners = seed % 2 == 1};
    contacts += compare_with_brute_force(oracle::make_soup(seed, options), seed % 3 == 0 ? 1.0 / 3 : 0.1);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(contacts, 10'000U);
}

TEST(Detect, EqualsBruteForceFarFromTheOriginAndAtAnyScale) {
  std::size_t contacts = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    contacts += compare_with_brute_force(oracle::make_soup(seed, {.origin = {1e6, -3e5, 2e7}}), 0.05);
    contacts += compare_with_brute_force(oracle::make_soup(seed, {.outlier = 1e4}), 0.05);
    contacts += compare_with_brute_force(oracle::make_soup(seed, {.size = 1e-6}), 5e-8);
    contacts += compare_with_brute_force(oracle::make_soup(seed, {.size = 1e40, .origin = {1e41, 0, 0}}), 1e39);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(contacts, 10'000U);
}

TEST(Detect, EqualsBruteForceWhenTheDistanceExceedsTheTriangles) {
  compare_with_brute_force(oracle::make_soup(5, {.objects = 2}), 0.6);
}

/// Two sheets with a gap that is exactly the distance: "closer than" means none.
TEST(Detect, TheDistanceItselfIsNotCloserThanTheDistance) {
  TriangleMesh lower = make_sheet(1, 1, 4, 4);
  oracle::Soup soup{lower.positions, lower.triangles, std::vector<Index>(lower.triangles.size(), 0)};
  const auto first = static_cast<Index>(lower.positions.size());
  for (const Eigen::Vector3d& p : lower.positions) soup.positions.push_back(p + Eigen::Vector3d(0, 0.125, 0));
  for (const Triangle& t : lower.triangles) soup.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  soup.object_of_triangle.resize(soup.triangles.size(), 1);
  const Surface surface(soup.positions.size(), soup.triangles, soup.object_of_triangle);
  EXPECT_TRUE(detect(surface, soup.positions, {.distance = 0.125, .pairs = PairScope::between}).empty());
  const auto contacts = detect(surface, soup.positions, {.distance = 0.1250001, .pairs = PairScope::between});
  EXPECT_FALSE(contacts.empty());
  for (const Contact& contact : contacts) EXPECT_EQ(contact.distance, 0.125);
}

/// Neighbouring triangles hold pairs of features that share no vertex; these count.
TEST(Detect, AdjacencyIsDecidedFeatureByFeature) {
  const std::vector<Eigen::Vector3d> points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  const Surface surface(4, {{0, 1, 2}, {1, 3, 2}});
  const auto contacts = detect(surface, points, {.distance = 1.01});
  // Vertex 0 is sqrt(1/2) from triangle (1 3 2), vertex 3 from (0 1 2); the edges 0-1 and 2-3, 0-2 and 1-3 are 1 apart.
  ASSERT_EQ(contacts.size(), 4U);
  EXPECT_EQ(contacts[0].a[0], 0);
  EXPECT_EQ(contacts[0].b[0], 1);
  EXPECT_DOUBLE_EQ(contacts[0].distance, std::sqrt(0.5));
  EXPECT_EQ(contacts[1].a[0], 3);
  EXPECT_EQ(contacts[2].a, (std::array<Index, 2>{0, 1}));
  EXPECT_EQ(contacts[2].b, (std::array<Index, 2>{2, 3}));
  EXPECT_EQ(contacts[3].a, (std::array<Index, 2>{0, 2}));
  EXPECT_EQ(contacts[3].b, (std::array<Index, 2>{1, 3}));
}

TEST(Detect, ObjectNumbersMayBeAnything) {
  oracle::Soup soup = oracle::make_soup(9, {});
  const std::vector<Index> numbers{-7, 2'000'000'000, 0};
  for (Index& object : soup.object_of_triangle) object = numbers[static_cast<std::size_t>(object)];
  EXPECT_GT(compare_with_brute_force(soup, 0.1), 0U);
}

TEST(Detect, UnusedVerticesAndEmptySurfacesAreFine) {
  oracle::Soup soup = oracle::make_soup(9, {});
  soup.positions.insert(soup.positions.end(), 5, Eigen::Vector3d(0.5, 0.5, 0.5));
  EXPECT_GT(compare_with_brute_force(soup, 0.1), 0U);
  EXPECT_TRUE(detect(Surface(0, {}), {}, {.distance = 1}).empty());
  EXPECT_TRUE(
      detect(Surface(3, {}), std::vector<Eigen::Vector3d>(3, Eigen::Vector3d::Zero()), {.distance = 1}).empty());
}

TEST(Detect, StatisticsAddUp) {
  const oracle::Soup soup = oracle::make_soup(2, {});
  const Surface surface(soup.positions.size(), soup.triangles, soup.object_of_triangle);
  DetectScratch scratch;
  std::vector<Contact> contacts;
  PipelineStats stats;
  for (const std::string_view method : detect_methods()) {
    detect(surface, soup.positions, {.distance = 0.1, .method = std::string(method)}, scratch, contacts, stats);
    EXPECT_EQ(stats[Stage::bounds].in, soup.triangles.size()) << method;
    for (const Stage stage : {Stage::broad, Stage::mid, Stage::narrow}) {
      EXPECT_EQ(stats[stage].in - stats[stage].culled_total(), stats[stage].out) << method << ", " << to_string(stage);
    }
    EXPECT_EQ(stats[Stage::narrow].out, contacts.size()) << method;
    EXPECT_EQ(stats[Stage::respond].in, 0U) << method;
  }
}

struct BadCall {
  const char* what;
  DetectOptions options;
  ErrorCode code;
  const char* message;
};

TEST(Detect, BadInputIsNamed) {
  const oracle::Soup soup = oracle::make_soup(2, {});
  const Surface surface(soup.positions.size(), soup.triangles, soup.object_of_triangle);
  const std::vector<BadCall> calls{
      {"zero distance", {.distance = 0}, ErrorCode::invalid_argument, "distance is 0"},
      {"negative distance", {.distance = -1}, ErrorCode::invalid_argument, "distance is -1"},
      {"NaN distance", {.distance = std::nan("")}, ErrorCode::invalid_argument, "distance is nan"},
      {"infinite distance", {.distance = INFINITY}, ErrorCode::invalid_argument, "distance is inf"},
      {"method", {.distance = 1, .method = "octree"}, ErrorCode::unknown_name, "octree"},
      {"threads", {.distance = 1, .threads = -2}, ErrorCode::invalid_argument, "threads is -2"}};
  for (const BadCall& call : calls) {
    try {
      detect(surface, soup.positions, call.options);
      ADD_FAILURE() << "accepted: " << call.what;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), call.code) << call.what;
      EXPECT_NE(std::string(error.what()).find(call.message), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(detect(surface, std::span(soup.positions).first(5), {.distance = 1}), Error);
}

TEST(DetectSurface, BadSurfacesAreNamed) {
  try {
    const Surface surface(3, {{0, 1, 2}, {0, 1, 3}});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_index);
    EXPECT_NE(std::string(error.what()).find("triangle 1"), std::string::npos) << error.what();
  }
  try {
    const Surface surface(5, {{0, 1, 2}, {2, 3, 4}}, {4, 6});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_mesh);
    EXPECT_NE(std::string(error.what()).find("vertex 2 is used by object 4"), std::string::npos) << error.what();
  }
  EXPECT_THROW(Surface(3, {{0, 1, 2}}, {1, 2}), Error);
}

}  // namespace
}  // namespace carom
