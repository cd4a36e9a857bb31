#include "narrow/proximity.hpp"

#include <Eigen/Geometry>

#include "carom/mesh/closest.hpp"
#include "math/safe_range.hpp"

namespace carom::narrow {

namespace {

/// The first of the candidates that has a direction, as a unit vector; the x axis if none has.
Eigen::Vector3d direction(std::initializer_list<Eigen::Vector3d> candidates) {
  for (const Eigen::Vector3d& candidate : candidates) {
    const double largest = candidate.cwiseAbs().maxCoeff();
    if (!(largest > 0) || !std::isfinite(largest)) continue;
    // What squares out of range is scaled first. In the order of kernels/closest.cpp, which has to come to the same
    // bits, and leaves what must be scaled to this function.
    const double scale = math::in_safe_range(largest) ? 1 : largest;
    const math::Vec3 scaled = {candidate.x() / scale, candidate.y() / scale, candidate.z() / scale};
    const double per_length = 1 / std::sqrt(dot(scaled, scaled));
    return {scaled.x * per_length, scaled.y * per_length, scaled.z * per_length};
  }
  return Eigen::Vector3d::UnitX();
}

}  // namespace

Contact vertex_face(std::span<const Eigen::Vector3d> positions, Index vertex, Index triangle, const Triangle& corners) {
  const auto at = [&](Index i) -> const Eigen::Vector3d& { return positions[static_cast<std::size_t>(i)]; };
  const Eigen::Vector3d& p = at(vertex);
  const Eigen::Vector3d& a = at(corners[0]);
  const Eigen::Vector3d& b = at(corners[1]);
  const Eigen::Vector3d& c = at(corners[2]);
  const VertexTriangleClosest closest = closest_vertex_triangle(p, a, b, c);

  Contact contact;
  contact.kind = ContactKind::vertex_face;
  contact.a = {vertex, none};
  contact.b = {triangle, none};
  contact.vertices = {vertex, corners[0], corners[1], corners[2]};
  contact.weights = {1, closest.weights[0], closest.weights[1], closest.weights[2]};
  contact.distance = closest.distance;
  contact.point_a = p;
  contact.point_b = closest.point;
  contact.normal = direction({closest.point - p, -(b - a).cross(c - a)});
  return contact;
}

Contact edge_edge(std::span<const Eigen::Vector3d> positions, const Edge& a, const Edge& b) {
  const auto at = [&](Index i) -> const Eigen::Vector3d& { return positions[static_cast<std::size_t>(i)]; };
  const EdgeEdgeClosest closest = closest_edge_edge(at(a[0]), at(a[1]), at(b[0]), at(b[1]));

  Contact contact;
  contact.kind = ContactKind::edge_edge;
  contact.a = a;
  contact.b = b;
  contact.vertices = {a[0], a[1], b[0], b[1]};
  contact.weights = {1 - closest.s, closest.s, 1 - closest.t, closest.t};
  contact.distance = closest.distance;
  contact.point_a = closest.point_a;
  contact.point_b = closest.point_b;
  contact.normal = direction({closest.point_b - closest.point_a, (at(a[1]) - at(a[0])).cross(at(b[1]) - at(b[0]))});
  return contact;
}

}  // namespace carom::narrow
