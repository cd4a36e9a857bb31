#pragma once

#include <algorithm>
#include <cmath>

#include "mid/cones.hpp"

/// What the tests of a contour at one time and over a step share.
namespace carom::mid {

/// The sum of the normals of a patch, rounded: to choose an axis by, and for nothing else.
Eigen::Vector3d mean_normal(const Patches& patches, std::size_t patch, std::span<const Eigen::Vector3d> positions);

/// Whether at most one loop of a simple contour turns as `sign` says.
bool one_loop_at_most(const Patches& patches, std::size_t patch, std::span<const Eigen::Vector3d> positions, int axis,
                      int sign);

/// An order of points as seen along the axis; on a line, the order of the line.
inline bool seen_before(const Eigen::Vector3d& p, const Eigen::Vector3d& q, int axis) {
  const int i = (axis + 1) % 3;
  const int j = (axis + 2) % 3;
  return p[i] != q[i] ? p[i] < q[i] : p[j] < q[j];
}

inline void grow_extent(ContourEdge& edge, double x, double y) {
  edge.min = {std::min(edge.min[0], x), std::min(edge.min[1], y)};
  edge.max = {std::max(edge.max[0], x), std::max(edge.max[1], y)};
}

/// Fills `room` with the edges of the contour; add(vertex, edge) grows the extent of an edge by what the
/// vertex covers.
template <class Add>
std::span<ContourEdge> list_contour(const Patches& patches, std::size_t patch, std::span<ContourEdge> room, Add&& add) {
  std::size_t count = 0;
  for (auto loop = static_cast<std::size_t>(patches.loops.offsets[patch]);
       loop < static_cast<std::size_t>(patches.loops.offsets[patch + 1]); ++loop) {
    const Index begin = patches.loops.items[loop];
    const Index end = patches.loop_end[loop];
    for (Index i = begin; i < end; ++i) {
      ContourEdge& edge = room[count++];
      edge.from = i;
      edge.to = i + 1 == end ? begin : i + 1;
      edge.min.fill(INFINITY);
      edge.max.fill(-INFINITY);
      add(patches.contour[static_cast<std::size_t>(edge.from)], edge);
      add(patches.contour[static_cast<std::size_t>(edge.to)], edge);
    }
  }
  return room.first(count);
}

/// Calls test(a, b) for all pairs of edges whose extents overlap, until one returns false; returns whether none did.
template <class Test>
bool for_overlapping(std::span<ContourEdge> edges, Test&& test) {
  std::sort(edges.begin(), edges.end(), [](const ContourEdge& a, const ContourEdge& b) {
    return a.min[0] != b.min[0] ? a.min[0] < b.min[0] : a.from < b.from;
  });
  for (std::size_t i = 0; i < edges.size(); ++i) {
    for (std::size_t j = i + 1; j < edges.size() && edges[j].min[0] <= edges[i].max[0]; ++j) {
      if (edges[i].min[1] <= edges[j].max[1] && edges[j].min[1] <= edges[i].max[1] && !test(edges[i], edges[j]))
        return false;
    }
  }
  return true;
}

}  // namespace carom::mid
