#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>

#include "carom/core/error.hpp"
#include "carom/mesh/generate.hpp"

namespace carom {
namespace {

Topology topology_of(const TriangleMesh& mesh) {
  return build_topology(mesh.positions.size(), mesh.triangles);
}

long euler_characteristic(const TriangleMesh& mesh) {
  return static_cast<long>(mesh.positions.size()) - static_cast<long>(topology_of(mesh).edges.size()) +
         static_cast<long>(mesh.triangles.size());
}

std::vector<Index> list(std::span<const Index> items) {
  return {items.begin(), items.end()};
}

Edge undirected(Index a, Index b) {
  return {std::min(a, b), std::max(a, b)};
}

/// The edges of a loop or chain, in the direction they are walked.
std::vector<Edge> walked_edges(const std::vector<Index>& loop) {
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const Edge step = {loop[i], loop[(i + 1) % loop.size()]};
    if (step[0] != none && step[1] != none) edges.push_back(step);
  }
  return edges;
}

/// The same by the plainest means there are.
struct PlainTopology {
  std::map<Edge, std::set<Index>> edges;
  std::vector<std::set<Index>> vertices;
  std::vector<Index> component;

  PlainTopology(std::size_t vertex_count, const std::vector<Triangle>& triangles) : vertices(vertex_count) {
    for (std::size_t i = 0; i < triangles.size(); ++i)
      for (std::size_t k = 0; k < 3; ++k) {
        const Index a = triangles[i][k];
        const Index b = triangles[i][(k + 1) % 3];
        vertices[static_cast<std::size_t>(a)].insert(static_cast<Index>(i));
        if (a != b) edges[undirected(a, b)].insert(static_cast<Index>(i));
      }
    component.assign(triangles.size(), none);
    Index count = 0;
    for (std::size_t i = 0; i < triangles.size(); ++i)
      if (component[i] == none) flood(static_cast<Index>(i), count++, triangles);
  }

  void flood(Index triangle, Index number, const std::vector<Triangle>& triangles) {
    if (component[static_cast<std::size_t>(triangle)] != none) return;
    component[static_cast<std::size_t>(triangle)] = number;
    for (const Index v : triangles[static_cast<std::size_t>(triangle)])
      for (const Index t : vertices[static_cast<std::size_t>(v)]) flood(t, number, triangles);
  }
};

void expect_same_as_plain(std::size_t vertex_count, const std::vector<Triangle>& triangles) {
  const Topology topology = build_topology(vertex_count, triangles);
  const PlainTopology plain(vertex_count, triangles);

  RC_ASSERT(topology.edges.size() == plain.edges.size());
  RC_ASSERT(topology.edge_triangles.size() == plain.edges.size());
  RC_ASSERT(topology.edge_owner.size() == plain.edges.size());
  std::size_t e = 0;
  for (const auto& [edge, users] : plain.edges) {
    RC_ASSERT(topology.edges[e] == edge);
    RC_ASSERT(list(topology.edge_triangles[e]) == std::vector<Index>(users.begin(), users.end()));
    RC_ASSERT(topology.edge_owner[e] == *users.begin());
    ++e;
  }
  RC_ASSERT(topology.triangle_edges.size() == triangles.size());
  for (std::size_t i = 0; i < triangles.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      const Index a = triangles[i][k];
      const Index b = triangles[i][(k + 1) % 3];
      const Index edge = topology.triangle_edges[i][k];
      if (a == b)
        RC_ASSERT(edge == none);
      else
        RC_ASSERT(topology.edges[static_cast<std::size_t>(edge)] == undirected(a, b));
    }
  RC_ASSERT(topology.vertex_triangles.size() == vertex_count);
  for (std::size_t v = 0; v < vertex_count; ++v) {
    const auto& users = plain.vertices[v];
    RC_ASSERT(list(topology.vertex_triangles[v]) == std::vector<Index>(users.begin(), users.end()));
    RC_ASSERT(topology.vertex_owner[v] == (users.empty() ? none : *users.begin()));
  }
  RC_ASSERT(topology.component == plain.component);
  RC_ASSERT(topology.component_count ==
            (triangles.empty() ? 0 : 1 + *std::max_element(plain.component.begin(), plain.component.end())));
}

void expect_sound_boundary(std::size_t vertex_count, const std::vector<Triangle>& triangles) {
  const Topology topology = build_topology(vertex_count, triangles);
  std::set<Edge> boundary;
  std::map<Index, int> degree;
  for (std::size_t e = 0; e < topology.edges.size(); ++e)
    if (topology.edge_triangles[e].size() == 1) {
      boundary.insert(topology.edges[e]);
      for (const Index v : topology.edges[e]) ++degree[v];
    }
  std::size_t walked = 0;
  long open_chains = 0;
  for (const std::vector<Index>& loop : topology.boundary_loops) {
    const std::set<Index> vertices(loop.begin(), loop.end());
    RC_ASSERT(vertices.size() == loop.size());
    RC_ASSERT(loop.size() >= 3u);  // a chain of one edge is {a, b, none}
    RC_ASSERT(std::count(loop.begin(), loop.end() - 1, none) == 0);
    if (loop.back() == none) ++open_chains;
    for (const Edge& step : walked_edges(loop)) {
      RC_ASSERT(boundary.erase(undirected(step[0], step[1])) == 1u);
      ++walked;
    }
  }
  RC_ASSERT(boundary.empty());
  const auto odd = std::count_if(degree.begin(), degree.end(), [](const auto& d) { return d.second % 2 != 0; });
  RC_ASSERT(2 * open_chains == odd);
}

std::vector<Triangle> arbitrary_soup(Index vertex_count) {
  const auto corner = rc::gen::inRange<Index>(0, vertex_count);
  return *rc::gen::container<std::vector<Triangle>>(rc::gen::container<Triangle>(corner));
}

TEST(Topology, OfAnySoupIsThatOfThePlainTwin) {
  EXPECT_TRUE(rc::check("topology is the plain one", [] {
    const Index vertex_count = *rc::gen::inRange<Index>(1, 12);
    expect_same_as_plain(static_cast<std::size_t>(vertex_count), arbitrary_soup(vertex_count));
  }));
}

TEST(Topology, EveryBoundaryEdgeOfAnySoupIsWalkedOnce) {
  EXPECT_TRUE(rc::check("boundary is strung together", [] {
    const Index vertex_count = *rc::gen::inRange<Index>(1, 30);
    expect_sound_boundary(static_cast<std::size_t>(vertex_count), arbitrary_soup(vertex_count));
  }));
}

TEST(Topology, OfClosedMeshesHasTheRightCharacteristic) {
  EXPECT_EQ(euler_characteristic(make_box({1, 2, 3}, 4)), 2);
  EXPECT_EQ(euler_characteristic(make_icosphere(1, 3)), 2);
  EXPECT_EQ(euler_characteristic(make_torus(2, 1, 12, 7)), 0);
  EXPECT_EQ(euler_characteristic(make_sheet(1, 1, 5, 3)), 1);
  for (const TriangleMesh& mesh : {make_box({1, 2, 3}, 4), make_icosphere(1, 3), make_torus(2, 1, 12, 7)}) {
    const Topology topology = topology_of(mesh);
    EXPECT_EQ(2 * topology.edges.size(), 3 * mesh.triangles.size());  // two triangles at each edge
    EXPECT_TRUE(topology.boundary_loops.empty());
    EXPECT_EQ(topology.component_count, 1);
  }
}

TEST(Topology, OwnersAreLowestAndEveryElementIsOwnedOnce) {
  const TriangleMesh mesh = make_torus(2, 1, 9, 6);
  const Topology topology = topology_of(mesh);
  for (std::size_t e = 0; e < topology.edges.size(); ++e) {
    int owners = 0;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
      for (const Index edge : topology.triangle_edges[t])
        if (edge == static_cast<Index>(e) && topology.edge_owner[e] == static_cast<Index>(t)) ++owners;
    EXPECT_EQ(owners, 1);
    EXPECT_EQ(topology.edge_owner[e], topology.edge_triangles[e].front());
  }
  for (std::size_t v = 0; v < mesh.positions.size(); ++v)
    EXPECT_EQ(topology.vertex_owner[v], topology.vertex_triangles[v].front());
}

TEST(Topology, SheetHasOneLoopAroundInTheDirectionOfItsTriangles) {
  const TriangleMesh mesh = make_sheet(1, 1, 4, 3);
  const Topology topology = topology_of(mesh);
  ASSERT_EQ(topology.boundary_loops.size(), 1u);
  EXPECT_EQ(topology.boundary_loops[0].size(), 2u * (4 + 3));
  EXPECT_EQ(topology.boundary_loops[0][0], 0);
  EXPECT_EQ(topology.edges.size(), 4u * 4 + 5 * 3 + 4 * 3);  // rows, columns, diagonals
  for (const Edge& step : walked_edges(topology.boundary_loops[0])) {
    const bool with_a_triangle = std::any_of(mesh.triangles.begin(), mesh.triangles.end(), [&](const Triangle& t) {
      return (t[0] == step[0] && t[1] == step[1]) || (t[1] == step[0] && t[2] == step[1]) ||
             (t[2] == step[0] && t[0] == step[1]);
    });
    EXPECT_TRUE(with_a_triangle) << step[0] << " to " << step[1];
  }
}

TEST(Topology, OpenTubeHasTwoLoops) {
  TriangleMesh mesh = make_torus(2, 1, 10, 6);
  mesh.triangles.resize(mesh.triangles.size() - 2 * 6);  // without its last ring of quads
  const Topology topology = topology_of(mesh);
  ASSERT_EQ(topology.boundary_loops.size(), 2u);
  EXPECT_EQ(topology.boundary_loops[0].size(), 6u);
  EXPECT_EQ(topology.boundary_loops[1].size(), 6u);
}

TEST(Topology, TrianglesThatTouchInAVertexHaveALoopEach) {
  const std::vector<Triangle> bow_tie = {{0, 1, 2}, {0, 3, 4}};
  const Topology topology = build_topology(5, bow_tie);
  EXPECT_EQ(topology.component_count, 1);
  std::vector<std::vector<Index>> loops = topology.boundary_loops;
  std::sort(loops.begin(), loops.end());
  EXPECT_EQ(loops, (std::vector<std::vector<Index>>{{0, 1, 2}, {0, 3, 4}}));
}

TEST(Topology, BoundaryThatTrianglesDisagreeOnStillCloses) {
  const std::vector<Triangle> one_turned_over = {{0, 1, 2}, {1, 2, 3}};
  const Topology topology = build_topology(4, one_turned_over);
  ASSERT_EQ(topology.boundary_loops.size(), 1u);
  EXPECT_EQ(topology.boundary_loops[0].size(), 4u);
  EXPECT_NE(topology.boundary_loops[0].back(), none);
}

TEST(Topology, ChainsThatCannotCloseEndWithNone) {
  // Three wings on the edge 0-1: each leaves a path of two boundary edges from 0 to 1.
  const std::vector<Triangle> fan = {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}};
  const Topology topology = build_topology(5, fan);
  ASSERT_EQ(topology.boundary_loops.size(), 2u);
  const auto open = std::count_if(topology.boundary_loops.begin(), topology.boundary_loops.end(),
                                  [](const std::vector<Index>& loop) { return loop.back() == none; });
  EXPECT_EQ(open, 1);
  EXPECT_EQ(walked_edges(topology.boundary_loops[0]).size() + walked_edges(topology.boundary_loops[1]).size(), 6u);
}

TEST(Topology, OfNothingIsEmpty) {
  const Topology nothing = build_topology(0, {});
  EXPECT_TRUE(nothing.edges.empty());
  EXPECT_EQ(nothing.edge_triangles.size(), 0u);
  EXPECT_EQ(nothing.vertex_triangles.size(), 0u);
  EXPECT_EQ(nothing.component_count, 0);

  const Topology points = build_topology(3, {});
  EXPECT_EQ(points.vertex_owner, (std::vector<Index>{none, none, none}));
  EXPECT_EQ(points.vertex_triangles.size(), 3u);
  EXPECT_TRUE(points.boundary_loops.empty());
}

TEST(Topology, RepeatedCornersMakeNoEdge) {
  const std::vector<Triangle> triangles = {{0, 0, 0}, {1, 2, 1}};
  const Topology topology = build_topology(3, triangles);
  EXPECT_EQ(topology.edges, (std::vector<Edge>{{1, 2}}));
  EXPECT_EQ(topology.triangle_edges[0], (std::array<Index, 3>{none, none, none}));
  EXPECT_EQ(topology.triangle_edges[1], (std::array<Index, 3>{0, 0, none}));
  EXPECT_EQ(list(topology.edge_triangles[0]), (std::vector<Index>{1}));
  EXPECT_EQ(list(topology.vertex_triangles[0]), (std::vector<Index>{0}));
  EXPECT_EQ(topology.boundary_loops, (std::vector<std::vector<Index>>{{1, 2, none}}));
}

TEST(Topology, NamesTheTriangleWithABadCorner) {
  for (const Index bad : {-1, 3, 1000}) {
    const std::vector<Triangle> triangles = {{0, 1, 2}, {0, bad, 2}};
    try {
      build_topology(3, triangles);
      FAIL() << "corner " << bad << " was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_index);
      EXPECT_NE(std::string(error.what()).find("triangle 1"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(std::to_string(bad)), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace carom
