#pragma once

#include <functional>
#include <span>

#include "narrow/overlap/general_position.hpp"

/// Curves in which two surfaces cross: segments, one for each two triangles, from one crossing of an edge to another.
namespace carom::overlap {

/// Crossing of an edge of one mesh with a triangle of the other. An edge runs from its lower vertex to the higher.
struct EdgeCrossing {
  std::uint8_t side = 0;  ///< mesh of the edge: 0 is a, 1 is b
  Index from = none;
  Index to = none;
  Index triangle = none;  ///< of the other mesh
  int winding = 0;        ///< change of the winding number of the other mesh along the edge: 1, -1, or 0 if it is open
  double fraction = 0;    ///< of the edge
  Vec3 point;
};

/// Common segment of two triangles. Seen against the normal of its triangle of a, the inside of b is on its left.
struct CurveSegment {
  Index a = none;
  Index b = none;
  Index start = none;  ///< number of an EdgeCrossing
  Index end = none;
};

struct Curves {
  std::vector<EdgeCrossing> crossings;  ///< sorted by side, edge, then along it; each once
  std::vector<CurveSegment> segments;   ///< sorted by a, b
  bool ended = false;                   ///< `go_on` said no
};

/// Orientation of each closed component: -1 for one that faces inward and is in no other, 0 for an open one.
std::vector<int> orientation_of_components(const MeshData& mesh);

/// False if four points are in one plane after all, or `go_on` ended it.
bool find_curves(const GeneralPosition& g, const std::array<std::vector<int>, 2>& orientation,
                 const std::function<bool()>& go_on, Curves& curves);

/// Crossings along an edge.
std::span<const EdgeCrossing> crossings_of(const Curves& curves, std::size_t side, Index from, Index to);

}  // namespace carom::overlap
