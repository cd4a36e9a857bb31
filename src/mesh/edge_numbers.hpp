#pragma once

#include <span>
#include <vector>

#include "carom/mesh/surface.hpp"
#include "core/parallel.hpp"

namespace carom::mesh {

/// The corners at each vertex, as those of a Surface: the first, then the next until `none`, ascending. Corner 3 t + k
/// is corner k of triangle t.
class CornerLists {
 public:
  explicit CornerLists(const Surface& surface) : surface_(&surface) {}
  CornerLists(std::span<const Triangle> triangles, std::size_t vertex_count);

  Index first(Index vertex) const {
    return surface_ != nullptr ? surface_->first_corner(vertex) : first_[static_cast<std::size_t>(vertex)];
  }
  Index next(Index corner) const {
    return surface_ != nullptr ? surface_->next_corner(corner) : next_[static_cast<std::size_t>(corner)];
  }

 private:
  const Surface* surface_ = nullptr;  ///< if these are its lists
  std::vector<Index> first_, next_;
};

/// Edges by number, and what the sides of triangles have to do with them. Side 3 t + k goes from corner k of triangle t
/// to the next.
struct EdgeNumbers {
  std::vector<Edge> edges;    ///< ascending, the smaller vertex first
  std::vector<Index> sides;   ///< the lowest side that is this edge, of each edge
  std::vector<Index> of;      ///< number of the edge of each side; none if its ends are one vertex
  std::vector<Index> beyond;  ///< the triangle on the other side of each side, around the edge; or none
};

/// In time linear in the triangles, as long as few meet at a vertex. Dead ones are left out.
EdgeNumbers number_edges(Workers& workers, std::span<const Triangle> triangles, std::size_t vertex_count,
                         const CornerLists& corners);

}  // namespace carom::mesh
