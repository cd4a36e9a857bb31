#pragma once

#include <span>
#include <vector>

#include "carom/detect/detect.hpp"
#include "core/context.hpp"

/// Patches of a surface that provably do not cut themselves, so that pairs of triangles within one
/// need no test for intersection ("normal cones"). docs/methods/mid.md has the proof.
///
/// A patch is a set of triangles, glued along the edges that join exactly two triangles of the surface
/// which run along it in opposite directions. If, seen along a coordinate axis, all its triangles turn
/// the same way, and its contour (the edges that are not glued) does not touch itself, with at most
/// one loop that runs that way, then no two points of the patch are seen as one. Dropping a
/// coordinate rounds nothing, so all of it is decided exactly. Valid for intersections and not for a
/// contact distance: two triangles of a flat patch can be as close as one likes.
namespace carom::mid {

/// A partition of the triangles into patches, and the contour of each. Of indices alone: a deformation
/// can make it useless and never wrong.
struct Patches {
  IndexLists members;           ///< triangles of each patch
  IndexLists loops;             ///< of each patch: where in `contour` its loops begin
  std::vector<Index> loop_end;  ///< by position in loops.items
  std::vector<Index> contour;   ///< vertices along each loop, loop after loop, patch after patch
  std::vector<Triangle> of;     ///< the triangles of the surface it was made for

  // Working memory of partition().
  struct Side {
    std::uint64_t edge;  ///< both ends, the smaller first
    Index number;        ///< 3 * triangle + corner at which it begins
  };
  std::vector<Side> sides;
  std::vector<std::array<Index, 3>> across;  ///< the glued side opposite each side, or `none`
  std::vector<Index> patch_of;
  std::vector<Index> queue;
  std::vector<bool> walked;
};

struct PatchOptions {
  /// The normal of a triangle and the axis of its patch when the patch is made: cosine of the angle between
  /// them. Larger patches against more room for deformation.
  double min_cosine = 0.3;
  /// A patch fails as a whole, so it should not be the whole surface; a small one has much contour.
  std::size_t max_triangles = 512;
};

/// Dead triangles (corners `none`) and those without a normal are in no patch.
void partition(std::span<const Triangle> triangles, std::span<const Eigen::Vector3d> positions,
               const PatchOptions& options, Patches& patches);

/// An edge of a contour as seen along an axis: its extent and its place in Patches::contour.
struct ContourEdge {
  std::array<double, 2> min;
  std::array<double, 2> max;
  Index from;  ///< position in Patches::contour
  Index to;
};

/// Whether no two points of the patch are seen as one along some axis: true is certain, false may be caution.
/// `room` holds as many entries as the contour of the patch has vertices, see contour_size.
bool patch_is_injective(const Patches& patches, std::size_t patch, std::span<const Eigen::Vector3d> positions,
                        std::span<ContourEdge> room);

/// Where the contour of a patch is in Patches::contour.
std::size_t contour_begin(const Patches& patches, std::size_t patch);
std::size_t contour_size(const Patches& patches, std::size_t patch);

/// Patches that last from frame to frame, and which of them are injective now.
class Cones {
 public:
  /// Patches are made at the second call with the same triangles, as one call does not earn back what they
  /// cost, and again when the deformation has spoilt too many.
  void update(Context& context, std::span<const Triangle> triangles, std::span<const Eigen::Vector3d> positions);

  /// Whether triangles a and b are in one injective patch, so that they meet in shared corners only.
  bool exclude(Index a, Index b) const {
    const Index patch = label_[static_cast<std::size_t>(a)];
    return patch != none && patch == label_[static_cast<std::size_t>(b)];
  }

 private:
  std::size_t find_injective(Context& context, std::span<const Eigen::Vector3d> positions);

  Patches patches_;
  bool made_ = false;
  std::size_t at_best_ = 0;   // triangles in injective patches when these were made
  std::vector<Index> label_;  // of each triangle: its patch if that is injective, else `none`
  std::vector<ContourEdge> room_;
  std::vector<std::size_t> partial_;
};

}  // namespace carom::mid
