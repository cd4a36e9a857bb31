#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <string_view>

#include "carom/core/id.hpp"
#include "carom/core/unset.hpp"
#include "carom/mesh/mesh.hpp"

namespace carom {

enum class ContactKind : std::uint8_t { vertex_face, edge_edge };

/// Contact of two features closer than the contact distance. The normal points from a to b.
struct Contact {
  ContactKind kind = ContactKind::vertex_face;
  /// vertex_face: the vertex, `none`. edge_edge: the edge, smaller index first.
  std::array<Index, 2> a{none, none};
  /// vertex_face: the triangle, `none`. edge_edge: the edge, smaller index first.
  std::array<Index, 2> b{none, none};
  /// The four vertices that take part and their share in the contact points.
  /// vertex_face: vertex; the triangle's corners. edge_edge: both ends of a; both ends of b.
  std::array<Index, 4> vertices{none, none, none, none};
  std::array<double, 4> weights{unset, unset, unset, unset};
  double distance = unset;                                     ///< m, not negative: these are features, not volumes
  Eigen::Vector3d point_a = Eigen::Vector3d::Constant(unset);  ///< world frame
  Eigen::Vector3d point_b = Eigen::Vector3d::Constant(unset);  ///< world frame
  Eigen::Vector3d normal = Eigen::Vector3d::Constant(unset);   ///< unit, from a to b
};

/// Number of the four vertices that belong to side a.
constexpr int side_a_size(ContactKind kind) {
  return kind == ContactKind::vertex_face ? 1 : 2;
}

/// The canonical order of contacts: kind, then a, then b.
bool canonical_less(const Contact& left, const Contact& right);

/// Motion of two bodies against each other at a contact, by the velocity of b relative to a along the normal at the
/// beginning of the step: approaching faster than `SolverOptions::resting_speed` is colliding, leaving faster is
/// separating, anything between is resting.
enum class ContactMotion : std::uint8_t { colliding, resting, separating };
std::string_view to_string(ContactMotion motion);

/// Feature of a body at a contact; `point` is a point of a body that keeps its shape, of which no feature is named.
enum class FeatureKind : std::uint8_t { point, vertex, edge, face };
std::string_view to_string(FeatureKind feature);

/// Anchor: where a contact acts on a body, a point of a rigid body, or up to four weighted vertices of a deforming one.
/// Vertices and triangles are numbered within the body.
struct ContactAnchor {
  FeatureKind feature = FeatureKind::point;
  Index index = none;                                     ///< the vertex or the triangle; none for points and edges
  std::array<Index, 4> vertices{none, none, none, none};  ///< one of a vertex, two of an edge, three of a face
  std::array<double, 4> weights{};                        ///< sum to 1; all 0 for points

  friend bool operator==(const ContactAnchor&, const ContactAnchor&) = default;
};

/// A place where two bodies of a world touch, or are so near each other that the step reckoned with it: deforming
/// surfaces closer than the contact distance; rigid bodies at most `SolverOptions::speculative_distance` and the motion
/// of one step apart. Contacts are measured at the beginning of the step; those of surfaces at its predicted end if the
/// response is `penalty` or no body has particles. Where nothing came of it, `impulse` is 0.
struct WorldContact {
  std::uint64_t id = 0;   ///< the same from step to step for as long as the contact lasts; never used again
  std::uint32_t age = 0;  ///< steps since it began
  BodyId body_a;
  BodyId body_b;
  ContactAnchor anchor_a;
  ContactAnchor anchor_b;
  Eigen::Vector3d point_a = Eigen::Vector3d::Constant(unset);  ///< on a, in the world
  Eigen::Vector3d point_b = Eigen::Vector3d::Constant(unset);
  Eigen::Vector3d normal = Eigen::Vector3d::Constant(unset);  ///< unit, from a to b
  double distance = unset;                                    ///< m, along the normal; negative where bodies overlap
  double normal_speed = unset;  ///< m/s, of b against a along the normal, before the response
  ContactMotion motion = ContactMotion::resting;
  double impulse = 0;  ///< N s along the normal, of the response over the whole step
};

}  // namespace carom
