#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <span>

#include "carom/body/filter.hpp"
#include "carom/mesh/mesh.hpp"

namespace carom {

/// Filter of one object of a surface. Objects make contacts with each other, and an object with itself, only if
/// may_collide() says so of their filters.
struct ObjectGroup {
  Index object = none;  ///< as in Surface::object_of_triangle()
  CollisionFilter filter{};
};

/// Pairs of features that are close but are not to count as contacts. All are off by default, and
/// whatever is on must let a pair pass. What the spans refer to must last for the call.
struct ContactFilters {
  /// Leaves out pairs of one object whose distance along the surface is below this factor times the
  /// contact distance, so that a contact distance larger than a triangle does not fill the result with
  /// neighbours. The distance along the surface of two features is the length of the shortest path
  /// along edges from a vertex of one to a vertex of the other: not below the geodesic distance of
  /// those vertices, and infinite between parts that no edge joins. 0 = off.
  double surface_factor = 0;
  /// The shape on which that is measured; empty = the positions of the call. What was found out about
  /// a rest shape is kept in the scratch for as long as it, the surface and the two lengths stay the same.
  std::span<const Eigen::Vector3d> rest_positions{};

  /// A pair of features is left out if a vertex of the one is listed with a vertex of the other,
  /// either way round.
  std::span<const std::array<Index, 2>> excluded_vertices{};
  /// Objects that make no contacts with each other, either way round; an object with itself: none within it.
  std::span<const std::array<Index, 2>> excluded_objects{};

  /// Objects that are not listed have the default filter.
  std::span<const ObjectGroup> groups{};
  /// Flags, one for each vertex; a feature with a vertex whose flag is 0 makes no contacts. Empty = all do.
  std::span<const std::uint8_t> vertex_enabled{};
};

}  // namespace carom
