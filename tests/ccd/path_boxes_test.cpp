#include "ccd/path_boxes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "carom/mesh/generate.hpp"
#include "carom/mesh/surface.hpp"

// Pairs of features whose boxes overlap, against boxes in double precision one by one.
namespace carom::ccd {
namespace {

using Eigen::Vector3d;
using Pair = std::array<Index, 5>;  ///< 0 for a vertex and a face, 1 for two edges; then the vertices

struct Box {
  Vector3d low = Vector3d::Constant(INFINITY);
  Vector3d high = Vector3d::Constant(-INFINITY);
  /// Whether boxes grown by `by` (m) overlap.
  bool overlaps(const Box& other, double by) const {
    return ((low.array() - by) <= other.high.array()).all() && ((other.low.array() - by) <= high.array()).all();
  }
};

/// Box of the path of vertices, as seen from what moves by `shift`.
template <std::size_t count>
Box box_of(const StepPositions& step, const std::array<Index, count>& vertices, const Vector3d& shift) {
  Box box;
  for (const Index v : vertices) {
    for (const Vector3d& p :
         {step.start[static_cast<std::size_t>(v)], Vector3d(step.end[static_cast<std::size_t>(v)] - shift)}) {
      box.low = box.low.cwiseMin(p);
      box.high = box.high.cwiseMax(p);
    }
  }
  return box;
}

struct Features {
  std::vector<Index> vertices;  ///< that the cluster owns
  std::vector<Triangle> triangles;
  std::vector<Edge> edges;
};

Features features_of(const kernels::SurfaceCluster& c) {
  Features f;
  for (std::size_t v = 0; v < c.owned_vertex_count; ++v) f.vertices.push_back(c.vertices[v]);
  for (std::size_t t = 0; t < c.triangle_count; ++t)
    f.triangles.push_back({c.vertices[c.corner[0][t]], c.vertices[c.corner[1][t]], c.vertices[c.corner[2][t]]});
  for (std::size_t e = 0; e < c.edge_count; ++e)
    f.edges.push_back({c.vertices[c.edge_from[e]], c.vertices[c.edge_to[e]]});
  return f;
}

/// Pairs whose boxes, grown by `by`, overlap.
std::set<Pair> pairs_near(const StepPositions& step, const Features& one, const Features& other, bool same,
                          const Vector3d& shift, double by) {
  std::set<Pair> pairs;
  const auto add_faces = [&](const Features& from, const Features& to) {
    for (const Index v : from.vertices) {
      for (const Triangle& t : to.triangles) {
        if (std::find(t.begin(), t.end(), v) != t.end()) continue;
        if (box_of<1>(step, {v}, shift).overlaps(box_of<3>(step, t, shift), by)) pairs.insert({0, v, t[0], t[1], t[2]});
      }
    }
  };
  add_faces(one, other);
  if (!same) add_faces(other, one);
  for (std::size_t i = 0; i < one.edges.size(); ++i) {
    for (std::size_t k = same ? i + 1 : 0; k < other.edges.size(); ++k) {
      const Edge& p = one.edges[i];
      const Edge& q = other.edges[k];
      if (p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1]) continue;
      if (box_of<2>(step, p, shift).overlaps(box_of<2>(step, q, shift), by)) pairs.insert({1, p[0], p[1], q[0], q[1]});
    }
  }
  return pairs;
}

TEST(PathBoxes, ListEveryPairWhoseBoxesOverlapAndNoOthers) {
  const TriangleMesh mesh = make_sheet(1, 1, 9, 9);
  const Surface surface(mesh.positions.size(), mesh.triangles);
  const auto& clusters = surface.clusters().clusters;
  ASSERT_GT(clusters.size(), 5U);
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::size_t listed = 0;
  std::size_t left_out = 0;
  for (const double far : {0.0, 1e3}) {  // m, from the origin
    std::vector<Vector3d> start;
    std::vector<Vector3d> end;
    const Vector3d shift(0.3, -2, 0.1);
    for (const Vector3d& p : mesh.positions) {
      start.push_back(p + Vector3d(far, 0.05 * unit(random), 0));
      end.push_back(start.back() + shift + 0.1 * Vector3d(unit(random), unit(random), unit(random)));
    }
    const StepPositions step{start, end};
    const double rounding = 1e-6 * (1 + 1e-3 * far);  // m
    for (std::size_t i = 0; i < clusters.size(); ++i) {
      for (std::size_t k = i; k < clusters.size(); ++k) {
        std::vector<std::array<Index, 4>> vertex_face;
        std::vector<std::array<Index, 4>> edge_edge;
        list_path_features(step, clusters[i], clusters[k], shift, vertex_face, edge_edge);
        std::set<Pair> found;
        for (const auto& [a, b, c, d] : vertex_face) found.insert({0, a, b, c, d});
        for (const auto& [a, b, c, d] : edge_edge) found.insert({1, a, b, c, d});
        EXPECT_EQ(found.size(), vertex_face.size() + edge_edge.size()) << "each pair once";
        const Features one = features_of(clusters[i]);
        const Features other = features_of(clusters[k]);
        const std::set<Pair> overlap = pairs_near(step, one, other, i == k, shift, 0);
        EXPECT_TRUE(std::includes(found.begin(), found.end(), overlap.begin(), overlap.end()));
        const std::set<Pair> near = pairs_near(step, one, other, i == k, shift, rounding);
        EXPECT_TRUE(std::includes(near.begin(), near.end(), found.begin(), found.end()));
        listed += found.size();
        left_out += one.edges.size() * other.edges.size() - edge_edge.size();
      }
    }
  }
  EXPECT_GT(listed, 1000U);
  EXPECT_GT(left_out, 1000U);
}

}  // namespace
}  // namespace carom::ccd
