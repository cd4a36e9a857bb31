#pragma once

#include "narrow/overlap/local_depth.hpp"
#include "narrow/overlap/pieces.hpp"

namespace carom::overlap {

/// One connected piece of the overlap of two meshes, measured. In the frame of a.
struct Overlap {
  /// How far the surface of b goes below that of a (0), and that of a below that of b (1). Not found where the other
  /// mesh has no inside.
  std::array<LocalDepth, 2> depths;
  /// Radius and center of the largest ball that was found in the overlap: searched where the two surfaces coincide, so
  /// that neither goes below the other though there is volume between them.
  double ball = 0;
  Vec3 ball_center;
  /// Direction in which the volume shrinks fastest when b moves: that of the surface of a in b. Zero where the overlap
  /// is all around, as of a press fit, or a mesh is open.
  Vec3 normal;
  double volume = 0;  ///< not a number where a mesh is open
  double volume_error = 0;
  Vec3 low;
  Vec3 high;
  std::array<std::vector<Index>, 2> triangles;  ///< that cross or are inside the other
  /// Open meshes that cross have no depth: how far a triangle goes through the plane of another, at the least.
  double crossing = 0;
  Vec3 crossing_point;
  Vec3 crossing_normal;  ///< of the triangle of a
  double area = 0;       ///< of both surfaces within the overlap
};

struct OverlapSearch {
  std::vector<Overlap> overlaps;  ///< in the order of their triangles
  double shift = 0;               ///< length by which b was moved to measure; depths below it are none
  bool ended = false;             ///< `go_on` said no: some overlaps are missing, the last is measured in part
  bool degenerate = false;        ///< no shift put the meshes into general position: nothing is known
};

/// Overlaps of two meshes without margins of which none is a room. `fine` is an error of a depth that is small enough,
/// in metres. `go_on` is asked now and then; once it has said no, it says so again.
OverlapSearch find_overlaps(const MeshData& a, const MeshData& b, const RelativePose& pose, double fine,
                            const std::function<bool()>& go_on);

}  // namespace carom::overlap
