#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "carom/core/unset.hpp"
#include "carom/shape/shape.hpp"

/// Convex polygons in the plane and convex polyhedra by separating axes: the finitely many directions that can keep two
/// of them apart, one by one. At rest, or going straight at constant velocity.
///
/// Normals have unit length and point from a to b. Where coordinates, poses and velocities are small integers,
/// decisions are exact; else they are to rounding, about 1e-15 of the sizes.
namespace carom {

namespace convex {
struct PolygonTree;
struct Polyhedron;
}  // namespace convex

/// The convex hull of points in the plane; one point or a segment are polygons, too.
class ConvexPolygon {
 public:
  /// Throws Error(not_finite) that names the point, Error(invalid_argument) if there is none.
  explicit ConvexPolygon(std::span<const Eigen::Vector2d> points);

  /// Corners counter-clockwise, no three in a line; the first is the leftmost, of several the lowest.
  std::span<const Eigen::Vector2d> corners() const;
  /// The corner that is farthest along a direction, in O(log n), by a tree over the arcs between the normals of the
  /// sides: corner i is farthest for the directions from the normal of the side that ends in it to that of the next.
  Index extreme(const Eigen::Vector2d& direction) const;

  const convex::PolygonTree& data() const { return *tree_; }

 private:
  std::shared_ptr<const convex::PolygonTree> tree_;
};

/// A box, a hull or a triangle, prepared: sides, edges and who is next to whom.
class ConvexPolyhedron {
 public:
  /// Throws Error(unsupported) for other kinds and for a rounding margin.
  explicit ConvexPolyhedron(const Shape& shape);

  const Shape& shape() const;
  std::span<const Eigen::Vector3d> corners() const;
  /// Corners counter-clockwise from outside. Flat ones have two, one on either side; segments and points have none.
  const IndexLists& faces() const;
  /// Edges, each once, both ends.
  std::span<const Edge> edges() const;

  const convex::Polyhedron& data() const { return *data_; }

 private:
  std::shared_ptr<const convex::Polyhedron> data_;
};

enum class AxisKind {
  side_of_a,  ///< the normal of a side, in space: of a face
  side_of_b,
  edges,  ///< at right angles to an edge of each; in space only
  other,  ///< an axis of shapes without a volume (in the plane: without an area)
};

/// The axis along which two shapes are farthest apart, or overlap least.
template <int D>
struct AxisSeparation {
  /// m. Positive: they are apart, along the normal by this much, which is at most their distance. Otherwise they touch
  /// or overlap, and minus this is the length of the shortest translation that separates them.
  double distance = unset;
  Eigen::Matrix<double, D, 1> normal = Eigen::Matrix<double, D, 1>::Constant(unset);
  AxisKind kind = AxisKind::other;
  Index feature_a = none;  ///< number of the side or the edge
  Index feature_b = none;
};

AxisSeparation<2> separation(const ConvexPolygon& a, const Eigen::Isometry2d& pose_a, const ConvexPolygon& b,
                             const Eigen::Isometry2d& pose_b);
/// Edge pairs whose arcs on the sphere of normals do not cross are left out: they span no face of the difference.
AxisSeparation<3> separation(const ConvexPolyhedron& a, const Eigen::Isometry3d& pose_a, const ConvexPolyhedron& b,
                             const Eigen::Isometry3d& pose_b);

/// Interval in which two shapes that go straight are in contact.
template <int D>
struct ContactInterval {
  bool meet = false;
  double first = unset;  ///< time of the first contact, 0 if they touch or overlap at the start
  double last = unset;   ///< time of the last touch; infinity if they go alike
  /// Whether they overlap at the start: then there is no first touch, and what follows is empty.
  bool overlap_at_start = false;
  Eigen::Matrix<double, D, 1> normal = Eigen::Matrix<double, D, 1>::Constant(unset);  ///< normal of the first touch
  AxisKind kind = AxisKind::other;
  /// Common part of a and b at the first touch: a point, the two ends of a segment, or the corners of a polygon,
  /// counter-clockwise as seen against the normal. In the world. None, nor corners, if that is farther out than 1e60.
  std::vector<Eigen::Matrix<double, D, 1>> points;
  /// The corners of the feature that touches: one for a vertex, two for an edge, more for a face.
  std::vector<Index> corners_a;
  std::vector<Index> corners_b;
};

/// Velocities in m per unit of time; contacts at times from 0 to `end`, which is not negative, count. Throws Error that
/// names the argument that is not finite, or beyond 1e60, or the pose that is not a rotation and a translation.
ContactInterval<2> contact_interval(const ConvexPolygon& a, const Eigen::Isometry2d& pose_a,
                                    const Eigen::Vector2d& velocity_a, const ConvexPolygon& b,
                                    const Eigen::Isometry2d& pose_b, const Eigen::Vector2d& velocity_b,
                                    double end = std::numeric_limits<double>::infinity());
ContactInterval<3> contact_interval(const ConvexPolyhedron& a, const Eigen::Isometry3d& pose_a,
                                    const Eigen::Vector3d& velocity_a, const ConvexPolyhedron& b,
                                    const Eigen::Isometry3d& pose_b, const Eigen::Vector3d& velocity_b,
                                    double end = std::numeric_limits<double>::infinity());

}  // namespace carom
