#include "contact/thin_contacts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "carom/detect/detect.hpp"
#include "carom/mesh/generate.hpp"
#include "oracle/soup.hpp"

// Contacts that carry force: few, and none of what keeps surfaces apart is missing.
namespace carom::contact {
namespace {

struct TwoSheets {
  std::vector<Eigen::Vector3d> positions;
  std::vector<Triangle> triangles;
  std::vector<Index> objects;

  TwoSheets(const TriangleMesh& low, const TriangleMesh& high) {
    for (const TriangleMesh* mesh : {&low, &high}) {
      const auto first = static_cast<Index>(positions.size());
      positions.insert(positions.end(), mesh->positions.begin(), mesh->positions.end());
      for (const Triangle& t : mesh->triangles) {
        triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
        objects.push_back(mesh == &low ? 0 : 1);
      }
    }
  }
  Surface surface() const { return Surface(positions.size(), triangles, objects); }
};

std::vector<Contact> carrying(const Surface& surface, std::span<const Eigen::Vector3d> x,
                              std::span<const Contact> all) {
  std::vector<Contact> kept;
  for (const Contact& c : all) {
    if (carries_force(surface, x, c)) kept.push_back(c);
  }
  return kept;
}

TEST(ThinContacts, AVertexAboveAFlatSheetHasOneContact) {
  TriangleMesh high = make_sheet(1, 1, 7, 7);
  for (Eigen::Vector3d& p : high.positions) p = 0.8 * p + Eigen::Vector3d(0.011, 0.05, 0.017);
  const TwoSheets sheets(make_sheet(1, 1, 8, 8), high);
  const Surface surface = sheets.surface();
  const std::vector<Contact> all =
      detect(surface, sheets.positions, {.distance = 0.15, .pairs = PairScope::between, .threads = 1});
  std::map<Index, int> on_faces;
  for (const Contact& c : carrying(surface, sheets.positions, all)) {
    if (c.kind != ContactKind::vertex_face || c.a[0] < 81) continue;
    ++on_faces[c.a[0]];
    EXPECT_NEAR(c.distance, 0.05, 1e-12);
  }
  for (Index v = 81; v < 81 + 64; ++v) EXPECT_EQ(on_faces[v], 1) << v;
  EXPECT_GT(all.size(), 10 * on_faces.size());
}

TEST(ThinContacts, CreasesThatCrossCarryAndHollowOnesDoNot) {
  // Two triangles each, folded about an edge: the one about x, upward; the other about z, downward.
  const auto fold = [](const Eigen::Vector3d& along, const Eigen::Vector3d& across, double height, double drop) {
    TriangleMesh mesh;
    const Eigen::Vector3d at(0, height, 0);
    mesh.positions = {at - along, at + along, at + across + Eigen::Vector3d(0, drop, 0),
                      at - across + Eigen::Vector3d(0, drop, 0)};
    mesh.triangles = {{0, 1, 2}, {1, 0, 3}};
    return mesh;
  };
  for (const double drop : {0.05, -0.05}) {
    const TwoSheets sheets(fold({1, 0, 0}, {0, 0, 1}, 0, -drop), fold({0, 0, 1}, {1, 0, 0}, 0.1, drop));
    const Surface surface = sheets.surface();
    const std::vector<Contact> all =
        detect(surface, sheets.positions, {.distance = 0.15, .pairs = PairScope::between, .threads = 1});
    bool creases = false;
    for (const Contact& c : carrying(surface, sheets.positions, all))
      creases |=
          c.kind == ContactKind::edge_edge && c.a == std::array<Index, 2>{0, 1} && c.b == std::array<Index, 2>{4, 5};
    EXPECT_EQ(creases, drop > 0) << drop;
  }
}

TEST(ThinContacts, TheClosestPlaceOfTwoSheetsIsAlwaysAmongThem) {
  std::mt19937_64 random(3);
  const auto number = [&](double low, double high) { return low + (high - low) * oracle::uniform(random); };
  std::size_t before = 0;
  std::size_t after = 0;
  for (int trial = 0; trial < 200; ++trial) {
    TriangleMesh low = make_sheet(1, 1, 6, 6);
    TriangleMesh high = make_sheet(1, 1, 5, 5);
    const double bumps = number(0, 0.08);
    for (Eigen::Vector3d& p : low.positions) p += bumps * Eigen::Vector3d(number(-1, 1), number(-1, 1), number(-1, 1));
    const double turn = number(0, 1.5);
    const Eigen::Matrix3d turned = Eigen::AngleAxisd(turn, Eigen::Vector3d::UnitY()).toRotationMatrix();
    for (Eigen::Vector3d& p : high.positions)
      p = turned * p + Eigen::Vector3d(number(0, 0.3), 0.25, 0) +
          bumps * Eigen::Vector3d(number(-1, 1), number(-1, 1), number(-1, 1));
    const TwoSheets sheets(low, high);
    const Surface surface = sheets.surface();
    const std::vector<Contact> all =
        detect(surface, sheets.positions, {.distance = 0.4, .pairs = PairScope::between, .threads = 1});
    ASSERT_FALSE(all.empty());
    const auto closest = [](std::span<const Contact> list) {
      double distance = INFINITY;
      for (const Contact& c : list) distance = std::min(distance, c.distance);
      return distance;
    };
    const std::vector<Contact> kept = carrying(surface, sheets.positions, all);
    EXPECT_LE(closest(kept), closest(all) + 1e-6) << trial;
    before += all.size();
    after += kept.size();
  }
  EXPECT_LT(5 * after, before);
}

narrow::Hit hit_of(const Contact& c) {
  return c.kind == ContactKind::vertex_face ? narrow::pack_vertex_face(c.a[0], c.b[0])
                                            : narrow::pack_edge_edge({c.a[0], c.a[1]}, {c.b[0], c.b[1]});
}

TEST(ThinContacts, PairsThatWereNotBuiltGiveTheSameContactsInTheSameOrder) {
  std::mt19937_64 random(7);
  const auto number = [&](double low, double high) { return low + (high - low) * oracle::uniform(random); };
  for (const bool second_is_cloth : {false, true}) {
    TriangleMesh low = make_sheet(1, 1, 30, 30);
    TriangleMesh high = make_sheet(1, 1, 20, 20);
    for (Eigen::Vector3d& p : low.positions) p.y() += number(-0.02, 0.02);
    for (Eigen::Vector3d& p : high.positions) p.y() += number(0.03, 0.06);
    const TwoSheets sheets(low, high);
    bodies::Vertices vertices;
    vertices.joined = std::make_shared<Surface>(sheets.surface());
    vertices.start = sheets.positions;
    vertices.parts.resize(2);
    vertices.parts[0].cloth = true;
    vertices.parts[0].vertex_count = static_cast<Index>(low.positions.size());
    vertices.parts[1].cloth = second_is_cloth;
    vertices.parts[1].first_vertex = vertices.parts[0].vertex_count;
    vertices.parts[1].vertex_count = static_cast<Index>(high.positions.size());
    const std::vector<Contact> all = detect(vertices.surface(), vertices.start, {.distance = 0.06, .threads = 1});
    std::vector<narrow::Hit> hits;
    for (const Contact& c : all) hits.push_back(hit_of(c));
    ASSERT_GT(hits.size(), 10000U);
    for (const int threads : {1, 2}) {
      Workers workers(threads);
      ThinContacts thin;
      std::vector<Contact> expected;
      std::vector<Contact> kept;
      std::vector<NearPair> near;
      thin.run(workers, vertices, all, expected);
      thin.run(workers, vertices, hits, INFINITY, kept, near);
      ASSERT_FALSE(expected.empty());
      EXPECT_LT(expected.size(), all.size());
      ASSERT_EQ(kept.size(), expected.size());
      for (std::size_t i = 0; i < kept.size(); ++i) {
        EXPECT_EQ(kept[i].vertices, expected[i].vertices);
        EXPECT_EQ(kept[i].a, expected[i].a);
        EXPECT_EQ(kept[i].b, expected[i].b);
        EXPECT_EQ(kept[i].weights, expected[i].weights);
        EXPECT_EQ(kept[i].distance, expected[i].distance);
        EXPECT_EQ(kept[i].normal, expected[i].normal);
      }
      ASSERT_EQ(near.size(), all.size());
      for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(near[i].vertices, all[i].vertices);
        EXPECT_EQ(near[i].kind, all[i].kind);
        EXPECT_FLOAT_EQ(near[i].distance, static_cast<float>(all[i].distance));
      }
    }
  }
}

}  // namespace
}  // namespace carom::contact
