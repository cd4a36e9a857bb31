#include "carom/mesh/garment.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>

#include "carom/core/error.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;

TEST(Shirt, IsTwoFlatPanelsOfTheAreaOfTheirPattern) {
  // In whole squares: 20 x 24 below the neck and between the sleeves, sleeves of 6 x 8, an opening of 8 x 3 and 8 x 1.
  const ShirtPattern pattern{.width = 0.5,
                             .length = 0.6,
                             .sleeve_length = 0.15,
                             .sleeve_width = 0.2,
                             .neck_width = 0.2,
                             .neck_depth = 0.075,
                             .distance = 0.3,
                             .edge = 0.025};
  const TriangleMesh mesh = make_shirt(pattern);
  const MeshReport report = inspect(mesh);
  EXPECT_EQ(report.components, 2U);
  EXPECT_EQ(report.triangles, 2U * (2 * (20 * 24 + 2 * 6 * 8) - 8 * 3 - 8));
  EXPECT_NEAR(report.area, static_cast<double>(report.triangles) * 0.5 * 0.025 * 0.025, 1e-12);
  EXPECT_NEAR((report.box_min - Vector3d(-0.4, -0.6, -0.15)).norm(), 0, 1e-12);
  EXPECT_NEAR((report.box_max - Vector3d(0.4, 0, 0.15)).norm(), 0, 1e-12);
  for (const Triangle& t : mesh.triangles) {
    const Vector3d& p = mesh.positions[static_cast<std::size_t>(t[0])];
    const Vector3d n =
        (mesh.positions[static_cast<std::size_t>(t[1])] - p).cross(mesh.positions[static_cast<std::size_t>(t[2])] - p);
    EXPECT_GT(n.z() * p.z(), 0) << "panels face outward";
  }
}

/// With the seams of both panels made one, what is left open are the neck, the hem and the two cuffs.
TEST(Shirt, SeamsCloseItButForFourOpenings) {
  const ShirtPattern pattern;
  TriangleMesh mesh = make_shirt(pattern);
  const std::vector<GarmentSeam> seams = shirt_seams(pattern);
  ASSERT_EQ(seams.size(), 4U);
  for (const GarmentSeam& seam : seams) {
    ASSERT_EQ(seam.front.size(), seam.back.size());
    for (std::size_t k = 0; k < seam.front.size(); ++k) {
      const Vector3d front = mesh.positions[static_cast<std::size_t>(seam.front[k])];
      const Vector3d back = mesh.positions[static_cast<std::size_t>(seam.back[k])];
      EXPECT_LT((front - back - Vector3d(0, 0, pattern.distance)).norm(), 1e-12) << "in front of each other";
      for (Triangle& t : mesh.triangles) std::replace(t.begin(), t.end(), seam.back[k], seam.front[k]);
    }
  }
  const Topology topology = build_topology(mesh.positions.size(), mesh.triangles);
  std::vector<std::vector<Index>> next(mesh.positions.size());
  std::size_t open = 0;
  for (std::size_t e = 0; e < topology.edges.size(); ++e) {
    ASSERT_LE(topology.edge_triangles[e].size(), 2U);
    if (topology.edge_triangles[e].size() == 2) continue;
    const Edge& edge = topology.edges[e];
    next[static_cast<std::size_t>(edge[0])].push_back(edge[1]);
    next[static_cast<std::size_t>(edge[1])].push_back(edge[0]);
    ++open;
  }
  EXPECT_GT(open, 0U);
  std::size_t loops = 0;
  std::vector<bool> seen(mesh.positions.size(), false);
  for (std::size_t start = 0; start < next.size(); ++start) {
    if (next[start].empty() || seen[start]) continue;
    ++loops;
    for (std::vector<Index> todo{static_cast<Index>(start)}; !todo.empty();) {
      const auto v = static_cast<std::size_t>(todo.back());
      todo.pop_back();
      if (seen[v]) continue;
      seen[v] = true;
      ASSERT_EQ(next[v].size(), 2U);
      todo.insert(todo.end(), next[v].begin(), next[v].end());
    }
  }
  EXPECT_EQ(loops, 4U);
}

TEST(Shirt, FieldsOutOfRangeAreNamed) {
  const auto error_of = [](const ShirtPattern& pattern) -> std::string {
    try {
      make_shirt(pattern);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(error_of({.width = 0}), "make_shirt: width is 0; expected a positive number");
  EXPECT_EQ(error_of({.sleeve_width = 0.7}),
            "make_shirt: sleeve_width is 0.7; expected less than length, 0.6, by a square");
  EXPECT_EQ(error_of({.neck_width = 0.54}),
            "make_shirt: neck_width is 0.54; expected less than width, 0.54, by two squares");
}

}  // namespace
}  // namespace carom
