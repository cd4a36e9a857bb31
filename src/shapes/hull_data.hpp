#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "carom/mesh/mesh.hpp"
#include "core/prefetch.hpp"
#include "math/vec3.hpp"
#include "shapes/hull_fan.hpp"

namespace carom::shapes {

using math::Vec3;

/// Corners of a convex polytope and who is next to whom. Flat ones have two faces, one on either side;
/// segments and points have none.
struct HullData {
  std::vector<Eigen::Vector3d> points;  ///< the corners
  /// Corners by coordinate, x then y then z, `stride` apart, filled up with copies of the last corner: a search for
  /// the farthest one that takes the first of equals never answers with a copy.
  std::vector<double> rows;
  std::uint32_t stride = 0;
  IndexLists neighbours;  ///< along edges
  IndexLists faces;       ///< corners, counter-clockwise from outside
  std::vector<Vec3> face_normals;
  IndexLists vertex_faces;
  int dimension = 3;  ///< of the affine hull

  /// For hill climbing: the farthest corner in the middle of each cell of a cube of directions, `start_cells` squared
  /// cells a face. Empty for small hulls, which are searched whole.
  std::vector<std::uint16_t> starts;
  int start_cells = 0;
  /// `neighbours` again in half the room, as the climb reads them.
  std::vector<std::uint32_t> link_offsets;
  std::vector<std::uint16_t> links;

  HullFan fan;  ///< for the depth

  std::uint32_t size() const { return static_cast<std::uint32_t>(points.size()); }
};

/// Has a list fetched, or its beginning if it is long.
inline void prefetch_list(const auto& list) {
  constexpr std::size_t largest = 1024;  // bytes
  const std::size_t size = list.size() * sizeof(list[0]);
  const auto* bytes = reinterpret_cast<const char*>(list.data());
  prefetch(bytes, bytes + (size < largest ? size : largest));
}

/// Prefetches what a search for the farthest corner reads of a hull.
inline void prefetch_corners(const HullData& hull) {
  prefetch_list(hull.rows);
}
/// Prefetches what an outline reads.
inline void prefetch_faces(const HullData& hull) {
  prefetch_list(hull.face_normals);
  prefetch_list(hull.vertex_faces.offsets);
  prefetch_list(hull.vertex_faces.items);
  prefetch_list(hull.faces.offsets);
  prefetch_list(hull.faces.items);
}
/// Prefetches what the depth reads.
inline void prefetch_fan(const HullData& hull) {
  prefetch_list(hull.fan.groups);
  prefetch_list(hull.fan.blocks);
  prefetch_list(hull.fan.corners);
}

/// Up to this many corners the whole list is searched, in vectors; beyond, hill climbing is faster.
inline constexpr std::uint32_t max_searched_corners = 64;
/// Starts are numbered in 16 bits.
inline constexpr std::size_t max_corners = 65535;

/// Throws Error that names the point that is not finite, or the number of points if there are none or too many corners.
HullData build_hull(std::span<const Eigen::Vector3d> points);
/// Hull that is larger or smaller about the origin by a factor. Takes a fraction of the time that it takes to build it.
HullData scaled_hull(const HullData& hull, double factor);

}  // namespace carom::shapes
