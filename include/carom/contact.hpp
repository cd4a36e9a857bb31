#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>

#include "carom/id.hpp"
#include "carom/mesh.hpp"

namespace carom {

enum class ContactKind : std::uint8_t { vertex_face, edge_edge };

/// Two features closer than the contact distance. The normal points from a to b.
struct Contact {
  ContactKind kind = ContactKind::vertex_face;
  /// vertex_face: the vertex, `none`. edge_edge: the edge, smaller index first.
  std::array<Index, 2> a{none, none};
  /// vertex_face: the triangle, `none`. edge_edge: the edge, smaller index first.
  std::array<Index, 2> b{none, none};
  /// The four vertices that take part and their share in the contact points.
  /// vertex_face: vertex; the triangle's corners. edge_edge: both ends of a; both ends of b.
  std::array<Index, 4> vertices{none, none, none, none};
  std::array<double, 4> weights{};
  double distance = 0;                                ///< m, not negative: these are features, not volumes
  Eigen::Vector3d point_a = Eigen::Vector3d::Zero();  ///< world frame
  Eigen::Vector3d point_b = Eigen::Vector3d::Zero();  ///< world frame
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();   ///< unit, from a to b
};

/// How many of the four vertices belong to side a.
constexpr int side_a_size(ContactKind kind) {
  return kind == ContactKind::vertex_face ? 1 : 2;
}

/// The canonical order of contacts: kind, then a, then b.
bool canonical_less(const Contact& left, const Contact& right);

/// A contact of a world: the features are numbered within their bodies.
struct BodyContact {
  std::uint64_t id = 0;   ///< the same from step to step for as long as the contact lasts; never used again
  std::uint32_t age = 0;  ///< steps since it began
  BodyId body_a;
  BodyId body_b;
  Contact contact;
};

}  // namespace carom
