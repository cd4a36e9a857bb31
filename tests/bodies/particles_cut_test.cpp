#include "bodies/particles_cut.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <random>
#include <set>

#include "bodies/make_body.hpp"
#include "carom/mesh/generate.hpp"

// Springs of particles that follow cuts.
namespace carom::particles {
namespace {

using Eigen::Vector3d;

double elastic_energy(const Body& body) {
  double energy = 0;
  for (const Spring& spring : body.springs) {
    const Vector3d along =
        body.positions[static_cast<std::size_t>(spring.b)] - body.positions[static_cast<std::size_t>(spring.a)];
    energy += 0.5 * spring.stiffness * std::pow(along.norm() - spring.rest_length, 2);
  }
  return energy;
}

/// A sheet that is bent and strained.
Body strained_sheet(int along, int across) {
  ParticleBody sheet{.name = "net", .mesh = make_sheet(1, 1, along, across)};
  Body body = make_body(sheet);
  for (Vector3d& p : body.positions) p = {1.1 * p.x() + 0.2 * p.z() * p.z(), 0.3 * std::sin(4 * p.x()), 0.9 * p.z()};
  return body;
}

sheet::CutOutcome cut_and_follow(std::vector<sheet::EdgeCrossing> crossings, sheet::CutMarks& marks, Body& body) {
  const std::vector<Triangle> before = body.triangles;
  sheet::CutOutcome outcome = sheet::cut(body, std::move(crossings), marks);
  if (outcome.changed) follow_cut(before, outcome, body);
  return outcome;
}

/// Springs along each edge and across each inner one, no other, as the triangles are by a topology of their own.
void expect_springs_of_triangles(const Body& body) {
  const Topology topology = build_topology(body.positions.size(), body.triangles);
  const std::size_t across = body.springs.size() - body.net.bent.size();
  std::set<Edge> along;
  for (std::size_t i = 0; i < across; ++i) {
    RC_ASSERT(body.springs[i].stiffness > 0);
    RC_ASSERT(body.springs[i].rest_length > 0);
    RC_ASSERT(along.insert({body.springs[i].a, body.springs[i].b}).second);
  }
  RC_ASSERT(along == std::set<Edge>(topology.edges.begin(), topology.edges.end()));
  std::map<Edge, Edge> bends;  // ends of the spring across each edge
  for (std::size_t i = across; i < body.springs.size(); ++i) {
    const Edge ends{body.springs[i].a, body.springs[i].b};
    RC_ASSERT(bends.emplace(body.net.bent[i - across], ends).second);
  }
  std::size_t inner = 0;
  for (std::size_t e = 0; e < topology.edges.size(); ++e) {
    if (topology.edge_triangles[e].size() != 2) continue;
    ++inner;
    Edge opposite{};
    for (std::size_t k = 0; k < 2; ++k) {
      for (const Index v : body.triangles[static_cast<std::size_t>(topology.edge_triangles[e][k])]) {
        if (v != topology.edges[e][0] && v != topology.edges[e][1]) opposite[k] = v;
      }
    }
    std::sort(opposite.begin(), opposite.end());
    RC_ASSERT(bends.contains(topology.edges[e]));
    RC_ASSERT(bends[topology.edges[e]] == opposite);
  }
  RC_ASSERT(bends.size() == inner);
}

TEST(ParticlesCut, SpringsAreThoseOfTheTrianglesAndGetNoEnergy) {
  EXPECT_TRUE(rc::check("edges cut at random, a few at a time", [] {
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    std::uniform_real_distribution<double> uniform(0, 1);
    Body body = strained_sheet(5, 6);
    expect_springs_of_triangles(body);
    sheet::CutMarks marks;
    for (int round = 0; round < 6; ++round) {
      std::vector<sheet::EdgeCrossing> crossings;
      for (const Edge& edge : build_topology(body.positions.size(), body.triangles).edges) {
        if (uniform(random) < 0.2)
          crossings.push_back({.edge = edge, .fraction = uniform(random), .time = uniform(random), .blade = 0});
      }
      const double before = elastic_energy(body);
      cut_and_follow(crossings, marks, body);
      expect_springs_of_triangles(body);
      RC_ASSERT(elastic_energy(body) <= before * (1 + 1e-12));
    }
  }));
}

TEST(ParticlesCut, SpringOfAnEdgeThatIsSplitIsTwoInSeries) {
  Body body = strained_sheet(4, 4);
  // Of a diagonal in the middle: it has a triangle on either side.
  const Edge edge{6, 12};
  const auto find = [&](Index a, Index b) {
    for (std::size_t i = 0; i < body.springs.size() - body.net.bent.size(); ++i) {
      if (Edge{body.springs[i].a, body.springs[i].b} == Edge{std::min(a, b), std::max(a, b)}) return body.springs[i];
    }
    return Spring{};
  };
  const Spring whole = find(edge[0], edge[1]);
  ASSERT_GT(whole.stiffness, 0);
  const double before = elastic_energy(body);
  sheet::CutMarks marks;
  const auto outcome = cut_and_follow({{.edge = edge, .fraction = 0.3, .time = 0.5, .blade = 0}}, marks, body);
  ASSERT_EQ(outcome.inserted.size(), 1U);
  const Index vertex = outcome.inserted[0].vertex;
  const Spring first = find(edge[0], vertex);
  const Spring second = find(vertex, edge[1]);
  EXPECT_NEAR(1 / first.stiffness + 1 / second.stiffness, 1 / whole.stiffness, 1e-15 / whole.stiffness);
  EXPECT_NEAR(first.rest_length, 0.3 * whole.rest_length, 1e-15);
  EXPECT_NEAR(first.rest_length + second.rest_length, whole.rest_length, 1e-15);
  // Nothing came apart; what bent across edges beside it has another corner now, and no force.
  EXPECT_EQ(outcome.separated, 0U);
  EXPECT_LE(elastic_energy(body), before);
  EXPECT_GT(elastic_energy(body), 0.9 * before);
}

TEST(ParticlesCut, SpringOfAnEdgeThatIsCutIsHalfOnEitherSide) {
  // A chain of edges through a sheet, met near their ends, so that it opens along them.
  ParticleBody sheet{.name = "net", .mesh = make_sheet(1, 1, 4, 4)};
  Body body = make_body(sheet);
  double stiffness = 0;
  for (const Spring& spring : body.springs) stiffness += spring.stiffness;
  const std::size_t bends = body.net.bent.size();
  std::vector<sheet::EdgeCrossing> crossings;
  // Edges along x at the middle row of vertices, from one border to the other, all within a fifth of x = 0.
  const Topology topology = build_topology(body.positions.size(), body.triangles);
  for (const Edge& edge : topology.edges) {
    const Vector3d& a = body.positions[static_cast<std::size_t>(edge[0])];
    const Vector3d& b = body.positions[static_cast<std::size_t>(edge[1])];
    const double from = a.x() - 0.01;
    const double to = b.x() - 0.01;
    if (from * to >= 0) continue;
    const double s = from / (from - to);
    crossings.push_back({.edge = edge, .fraction = s, .time = 0.5 + (a + s * (b - a)).z(), .blade = 0});
  }
  sheet::CutMarks marks;
  const auto outcome = cut_and_follow(crossings, marks, body);
  EXPECT_TRUE(outcome.inserted.empty());
  EXPECT_EQ(outcome.separated, 5U);
  EXPECT_EQ(body.net.bent.size(), bends - 4);
  double after = 0;
  for (const Spring& spring : body.springs) after += spring.stiffness;
  // Four springs across the edges of the cut are gone.
  EXPECT_NEAR(after, stiffness - 4 * sheet.bend_stiffness, 1e-12 * stiffness);
  std::size_t halves = 0;
  for (const Spring& spring : body.springs) halves += spring.stiffness == 0.5 * sheet.stretch_stiffness ? 1 : 0;
  EXPECT_EQ(halves, 8U);
}

}  // namespace
}  // namespace carom::particles
