#include "carom/detect/compact_contacts.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "carom/core/error.hpp"
#include "carom/mesh/generate.hpp"
#include "oracle/soup.hpp"

namespace carom {
namespace {

/// Records of the compact form against those of the other form, which is compared with brute force elsewhere.
void expect_same_contacts(const Surface& surface, const std::vector<Eigen::Vector3d>& positions,
                          const DetectOptions& options) {
  DetectScratch scratch;
  PipelineStats stats;
  std::vector<Contact> expected;
  detect(surface, positions, options, scratch, expected, stats);
  const std::uint64_t expected_out = stats[Stage::narrow].out;
  DetectScratch other;
  CompactContacts compact;
  detect(surface, positions, options, other, compact, stats);
  ASSERT_EQ(compact.size(), expected.size());
  ASSERT_EQ(stats[Stage::narrow].out, expected_out);
  ASSERT_EQ(compact.vertex_face().size() + compact.edge_edge().size(), expected.size());
  std::vector<Contact> made;
  make_contacts(surface, positions, compact, made);
  ASSERT_EQ(made.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Contact& e = expected[i];
    ASSERT_EQ(compact.kind(i), e.kind);
    ASSERT_EQ(compact[i].distance, e.distance);
    const bool face = e.kind == ContactKind::vertex_face;
    ASSERT_EQ(compact[i].weights[0], face ? e.weights[2] : e.weights[1]);
    ASSERT_EQ(compact[i].weights[1], e.weights[3]);
    if (face) {
      ASSERT_EQ(compact[i].a, e.a[0]);
      ASSERT_EQ(compact[i].b, e.b[0]);
    } else {
      ASSERT_EQ(surface.edges()[static_cast<std::size_t>(compact[i].a)], e.a);
      ASSERT_EQ(surface.edges()[static_cast<std::size_t>(compact[i].b)], e.b);
    }
    for (const Contact& m : {made[i], make_contact(surface, positions, compact, i)}) {
      ASSERT_TRUE(m.kind == e.kind && m.a == e.a && m.b == e.b && m.vertices == e.vertices);
      ASSERT_EQ(0, std::memcmp(&m.weights, &e.weights, 14 * sizeof(double)));
    }
  }
}

TEST(CompactContacts, AreTheContactsOfSoupsWithEveryMethod) {
  std::size_t edges = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const oracle::Soup soup = oracle::make_soup(seed, {.vertices_per_object = 30,
                                                       .triangles_per_object = 60,
                                                       .on_grid = seed % 2 == 0,
                                                       .repeated_corners = true,
                                                       .outlier = seed % 3 == 0 ? 1e5 : 0});
    const Surface surface(soup.positions.size(), soup.triangles, soup.object_of_triangle);
    edges += surface.edges().size();
    for (const std::string_view method : detect_methods()) {
      ASSERT_NO_FATAL_FAILURE(
          expect_same_contacts(surface, soup.positions, {.distance = 0.1, .method = std::string(method), .threads = 1}))
          << seed << ' ' << method;
    }
    const std::vector<std::array<Index, 2>> excluded{{0, 1}, {2, 3}};
    ASSERT_NO_FATAL_FAILURE(expect_same_contacts(
        surface, soup.positions, {.distance = 0.1, .threads = 2, .filters = {.excluded_vertices = excluded}}))
        << seed;
  }
  ASSERT_GT(edges, 0U);
}

TEST(CompactContacts, FollowEditsOfTheSurface) {
  const TriangleMesh roll = make_roll(0.045, 0.0026, 3.2, 0.1, 90, 12);
  Surface surface(roll.positions.size(), roll.triangles);
  for (int round = 0; round < 4; ++round) {
    ASSERT_NO_FATAL_FAILURE(expect_same_contacts(surface, roll.positions, {.distance = 0.003, .threads = 2})) << round;
    const Index first = 100 * round;
    surface.edit({.removed = {first, first + 1, first + 7}});
  }
}

TEST(CompactContacts, NamesTheContactThatIsNotThere) {
  const TriangleMesh ball = make_icosphere(1, 1);
  const Surface surface(ball.positions.size(), ball.triangles);
  EXPECT_THROW(make_contact(surface, ball.positions, {}, 0), Error);
}

}  // namespace
}  // namespace carom
