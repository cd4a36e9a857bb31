#include "narrow/proximity.hpp"

#include <gtest/gtest.h>

namespace carom::narrow {
namespace {

using Points = std::vector<Eigen::Vector3d>;

TEST(Proximity, VertexFaceNormalPointsFromTheVertexToTheFace) {
  const Points points{{0.25, 0.25, 0.5}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const Contact contact = vertex_face(points, 0, 7, {1, 2, 3});
  EXPECT_EQ(contact.kind, ContactKind::vertex_face);
  EXPECT_EQ(contact.a, (std::array<Index, 2>{0, none}));
  EXPECT_EQ(contact.b, (std::array<Index, 2>{7, none}));
  EXPECT_EQ(contact.vertices, (std::array<Index, 4>{0, 1, 2, 3}));
  EXPECT_EQ(contact.distance, 0.5);
  EXPECT_EQ(contact.normal, Eigen::Vector3d(0, 0, -1));
  EXPECT_EQ(contact.point_a, points[0]);
  EXPECT_EQ(contact.point_b, Eigen::Vector3d(0.25, 0.25, 0));
  EXPECT_EQ(contact.weights, (std::array<double, 4>{1, 0.5, 0.25, 0.25}));
}

TEST(Proximity, EdgeEdgeNormalPointsFromAToB) {
  const Points points{{-1, 0, 0}, {1, 0, 0}, {0, -1, 2}, {0, 3, 2}};
  const Contact contact = edge_edge(points, {0, 1}, {2, 3});
  EXPECT_EQ(contact.distance, 2);
  EXPECT_EQ(contact.normal, Eigen::Vector3d(0, 0, 1));
  EXPECT_EQ(contact.weights, (std::array<double, 4>{0.5, 0.5, 0.75, 0.25}));
}

TEST(Proximity, TouchingFeaturesHaveAUnitNormal) {
  // On the face: the vertex counts as outside, so the way to the face is against its normal.
  EXPECT_EQ(vertex_face(Points{{0.25, 0.25, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 0, 0, {1, 2, 3}).normal,
            Eigen::Vector3d(0, 0, -1));
  const Eigen::Vector3d crossing =
      edge_edge(Points{{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}}, {0, 1}, {2, 3}).normal;
  EXPECT_EQ(crossing.cwiseAbs(), Eigen::Vector3d(0, 0, 1));
  // Nothing has a direction here, and still there is one.
  const Points same(4, Eigen::Vector3d(3, 2, 1));
  EXPECT_EQ(vertex_face(same, 0, 0, {1, 2, 3}).normal.norm(), 1);
  EXPECT_EQ(edge_edge(same, {0, 1}, {2, 3}).normal.norm(), 1);
}

TEST(Proximity, NormalsSurviveTinyAndHugeScales) {
  for (const double scale : {1e-200, 1e-150, 1e150}) {
    Points points{{0.25, 0.25, 0.5}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    for (Eigen::Vector3d& p : points) p *= scale;
    const Contact contact = vertex_face(points, 0, 0, {1, 2, 3});
    EXPECT_EQ(contact.normal, Eigen::Vector3d(0, 0, -1)) << scale;
    EXPECT_DOUBLE_EQ(contact.distance, 0.5 * scale);
  }
}

}  // namespace
}  // namespace carom::narrow
