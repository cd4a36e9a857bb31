#include "narrow/convex/support_polygon.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "carom/shape/shape.hpp"
#include "shapes/shape_data.hpp"

namespace carom::convex {
namespace {

using Corners = std::set<std::uint32_t>;

/// By all faces and all edges of the shape: the least tilted face at the farthest corner if its tilt is small enough,
/// else the least tilted edge, else the corner.
Corners slow_outline(const Shape& shape, const Eigen::Vector3d& d, double tilt) {
  const auto point = [&](Index i) -> Eigen::Vector3d { return shape.vertices()[static_cast<std::size_t>(i)]; };
  Index at = 0;
  for (Index i = 0; i < static_cast<Index>(shape.vertices().size()); ++i) {
    if (point(i).dot(d) > point(at).dot(d)) at = i;
  }
  Corners best{static_cast<std::uint32_t>(at)};
  double min_face = tilt;
  double min_edge = tilt;
  Corners face_corners;
  const IndexLists faces = shape.faces();
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const auto face = faces[f];
    const auto here = std::find(face.begin(), face.end(), at);
    if (here == face.end()) continue;
    const Eigen::Vector3d n = (point(face[1]) - point(face[0])).cross(point(face[2]) - point(face[0])).normalized();
    const double sine = n.cross(d).norm();
    if (n.dot(d) > 0 && sine < min_face) {
      min_face = sine;
      face_corners = Corners(face.begin(), face.end());
    }
    const auto k = static_cast<std::size_t>(here - face.begin());
    for (const std::size_t side : {std::size_t{1}, face.size() - 1}) {
      const Index other = face[(k + side) % face.size()];
      const Eigen::Vector3d edge = point(other) - point(at);
      const double slope = std::abs(edge.dot(d)) / edge.norm();
      if (slope >= min_edge) continue;
      min_edge = slope;
      best = {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(other)};
    }
  }
  return face_corners.empty() ? best : face_corners;
}

/// The corners that are seen from the farthest one at no more than the tilt, but for those of the outline; of a hull
/// with more corners than are searched whole, those of level faces at that corner.
Corners slow_others(const Shape& shape, const Eigen::Vector3d& d, double tilt, const Corners& support_polygon) {
  Corners result;
  if (support_polygon.size() == 1) return result;
  const auto point = [&](Index i) -> Eigen::Vector3d { return shape.vertices()[static_cast<std::size_t>(i)]; };
  const auto count = static_cast<Index>(shape.vertices().size());
  Index at = 0;
  for (Index i = 0; i < count; ++i) {
    if (point(i).dot(d) > point(at).dot(d)) at = i;
  }
  if (count <= 64) {
    for (Index i = 0; i < count; ++i) {
      const Eigen::Vector3d travel = point(i) - point(at);
      if (i != at && std::abs(travel.dot(d)) <= tilt * travel.norm()) result.insert(static_cast<std::uint32_t>(i));
    }
  } else if (support_polygon.size() > 2) {
    const IndexLists faces = shape.faces();
    for (std::size_t f = 0; f < faces.size(); ++f) {
      const auto face = faces[f];
      if (std::find(face.begin(), face.end(), at) == face.end()) continue;
      const Eigen::Vector3d n = (point(face[1]) - point(face[0])).cross(point(face[2]) - point(face[0])).normalized();
      if (n.dot(d) > 0 && n.cross(d).norm() < tilt) result.insert(face.begin(), face.end());
    }
  }
  for (const std::uint32_t corner : support_polygon) result.erase(corner);
  return result;
}

TEST(SupportPolygon, OfAHullIsThatOfAllItsFacesAndEdges) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  const auto vector = [&] {
    const double x = normal(random);
    const double y = normal(random);
    return Eigen::Vector3d(x, y, normal(random));
  };
  std::array<int, 4> seen{};
  int with_others = 0;
  for (int i = 0; i < 300; ++i) {
    std::vector<Eigen::Vector3d> points;
    // Some have more corners than are searched whole.
    for (int k = 0; k < (i % 20 == 0 ? 100 : 16); ++k) points.push_back(vector().normalized());
    const Shape hull = Shape::hull(points);
    const shapes::Core& core = hull.data().core;
    const IndexLists faces = hull.faces();
    for (int k = 0; k < 60; ++k) {
      Eigen::Vector3d d = vector();
      if (k % 3 != 0) {
        // Near the normal of a face, or across an edge.
        const auto face = faces[static_cast<std::size_t>(k) % faces.size()];
        const auto at = [&](std::size_t c) { return hull.vertices()[static_cast<std::size_t>(face[c])]; };
        d = k % 3 == 1 ? Eigen::Vector3d((at(1) - at(0)).cross(at(2) - at(0)).normalized())
                       : Eigen::Vector3d((at(0) + at(1)).normalized());
        d += 0.03 * vector();
      }
      d.normalize();
      SupportPolygon found;
      support_polygon(core, math::to_vec3(d), 0.05, found);
      const Corners corners(found.features.begin(), found.features.begin() + found.count);
      EXPECT_EQ(corners, slow_outline(hull, d, 0.05)) << "hull " << i << ", direction " << k;
      const auto first = found.features.begin() + found.count;
      const Corners others(first, first + found.others);
      EXPECT_EQ(others, slow_others(hull, d, 0.05, corners)) << "hull " << i << ", direction " << k;
      with_others += others.empty() ? 0 : 1;
      ++seen[static_cast<std::size_t>(std::min(found.count, 3))];
    }
  }
  for (const int kind : {1, 2, 3}) EXPECT_GT(seen[static_cast<std::size_t>(kind)], 500) << kind;
  EXPECT_GT(with_others, 500);
}

}  // namespace
}  // namespace carom::convex
