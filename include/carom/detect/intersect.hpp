#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "carom/core/unset.hpp"
#include "carom/detect/detect.hpp"

/// Triangles that intersect: exact answers, decided by signs of determinants that are never wrong.
namespace carom {

/// Common part of two triangles. This, too, is exact.
enum class IntersectionKind : std::uint8_t {
  point,     ///< one point: a touch
  segment,   ///< a segment
  coplanar,  ///< an area: both are in one plane and overlap
};
std::string_view to_string(IntersectionKind kind);

struct TriangleIntersection {
  IntersectionKind kind = IntersectionKind::point;
  /// point: both are the point. segment: its ends. coplanar: the two corners of the overlap that are
  /// the farthest apart. Rounded to double after the decision, to a few units in the last place of the
  /// corners' coordinates; `start` is the one with the smaller x (y, z if equal).
  Eigen::Vector3d start = Eigen::Vector3d::Constant(unset);
  Eigen::Vector3d end = Eigen::Vector3d::Constant(unset);
};

using TrianglePoints = std::array<Eigen::Vector3d, 3>;

/// Intersection of two triangles as closed sets of points: a touch counts, and a triangle of no area is the
/// segment or point that it is. The answer does not depend on the order of triangles and corners, not
/// even in the last bit. Throws Error(not_finite) that names the corner.
bool intersects(const TrianglePoints& a, const TrianglePoints& b);
std::optional<TriangleIntersection> intersection(const TrianglePoints& a, const TrianglePoints& b);

/// Intersection of two triangles of a surface.
struct Intersection {
  Index a = none;  ///< a < b
  Index b = none;
  /// Kind of all that the two have in common, the corners they share included.
  IntersectionKind kind = IntersectionKind::point;
  Eigen::Vector3d start = Eigen::Vector3d::Constant(unset);  ///< as in TriangleIntersection
  Eigen::Vector3d end = Eigen::Vector3d::Constant(unset);
};

struct IntersectOptions {
  PairScope pairs = PairScope::all;
  std::string method = "auto";  ///< one of detect_methods()
  int sphere_depth = 15;        ///< as in DetectOptions
  int threads = 0;              ///< 0 = as many as the machine has; the result does not depend on it
  /// Normal cones: skip pairs within patches of the surface that provably do not cut themselves. Changes the time and
  /// never the result.
  bool cones = true;
};

/// Working memory that is worth keeping from call to call: with it, a call allocates nothing once
/// warm, and patches of the surface are remembered. One per thread of the caller; any surface may
/// follow any other.
class IntersectScratch {
 public:
  IntersectScratch();
  ~IntersectScratch();
  IntersectScratch(IntersectScratch&&) noexcept;
  IntersectScratch& operator=(IntersectScratch&&) noexcept;

  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// Finds every pair of triangles that intersect, each once, sorted by (a, b). To share vertices is not to
/// intersect: triangles with one or two vertices in common are reported only if they have a point
/// in common that is not that vertex, or not on that edge. Three different vertices in common
/// always count. Fills the entries bounds to narrow of `stats`.
/// Throws Error: not_finite (names the vertex), invalid_argument, unknown_name.
void intersections(const Surface& surface, std::span<const Eigen::Vector3d> positions, const IntersectOptions& options,
                   IntersectScratch& scratch, std::vector<Intersection>& found, PipelineStats& stats);

/// Intersections of a surface, for a single call.
std::vector<Intersection> intersections(const Surface& surface, std::span<const Eigen::Vector3d> positions,
                                        const IntersectOptions& options = {});

}  // namespace carom
