#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "carom/mesh/mesh.hpp"

namespace carom {

namespace shapes {
struct ShapeData;
}

enum class ShapeKind { sphere, box, capsule, cylinder, cone, ellipsoid, half_space, hull, triangle, mesh, compound };
inline constexpr int shape_kind_count = 11;

std::string_view to_string(ShapeKind kind);

struct BoundingSphere {
  Eigen::Vector3d center;
  double radius = 0;
};

struct AxisBox {
  Eigen::Vector3d min;
  Eigen::Vector3d max;
};

/// low[i] <= axis[i] . x <= high[i] for every point x. The axes are dop_axes, which are not unit vectors.
template <int K>
struct Dop {
  std::array<double, K / 2> low;
  std::array<double, K / 2> high;
};

/// The first 3 are those of a box, the first 9 those of an 18-DOP, all 13 those of a 26-DOP.
std::span<const Eigen::Vector3d, 13> dop_axes();

struct OrientedBox {
  Eigen::Isometry3d pose;  ///< pose of the box in the world; its axes are the columns of the rotation
  Eigen::Vector3d half;
};

/// Mass properties for a density of 1 kg/m^3, in the frame of the shape.
struct MassProperties {
  double volume = 0;                                  ///< m^3
  Eigen::Vector3d center = Eigen::Vector3d::Zero();   ///< center of mass
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  ///< about the centre of mass, kg m^2
};

/// Volumes of the hierarchy over the triangles of a mesh. They change the time of a query, never its answer.
enum class MeshVolume {
  sphere,
  box,           ///< along the axes of the mesh
  oriented_box,  ///< along the principal axes of the triangles below the node
  dop18,
};

enum class MeshSplit {
  variance,  ///< at the mean, along the axis on which the triangles vary most
  cost,      ///< where surface times number of both halves is least
};

/// Solid part of the closed pieces of a mesh. The winding number w of a point is the sum over the pieces: 1 inside a
/// piece whose triangles face outward (counter-clockwise seen from outside), -1 inside a piece whose triangles face
/// inward.
enum class MeshSolid {
  /// Like `inside`, unless the mesh is a room: pieces face inward, and every piece that faces outward is inside of
  /// those,
  /// at least in part. A room is solid where w >= 0: its inside is empty but for what stands in it, and all around it
  /// is solid, without end. A wall with an outer surface that faces outward and an inner one that faces inward is no
  /// room: its cavity has w = 0.
  by_normals,
  inside,   ///< w is not 0: what is enclosed, whichever way the triangles face
  surface,  ///< nothing: a closed surface is as thin as an open one
};
std::string_view to_string(MeshSolid solid);

struct MeshOptions {
  MeshVolume volume = MeshVolume::oriented_box;  ///< the fastest in docs/benchmarks.md
  MeshSplit split = MeshSplit::cost;             ///< slower to build than variance, faster to ask
  MeshSolid solid = MeshSolid::by_normals;       ///< rooms are modelled with normals into the room
};

/// A solid in a frame of its own, in metres. Immutable: a copy is cheap and may be used by many threads.
///
/// Every shape may have a rounding margin: it then is all that is within that distance of the shape
/// without it. Dimensions are finite and at most 1e60; what is wrong with an argument is said in
/// the Error(invalid_argument, not_finite, bad_index) that a maker throws.
class Shape {
 public:
  struct Part;

  static Shape sphere(double radius);
  static Shape box(const Eigen::Vector3d& half);
  /// Round the z axis from -half_length to half_length, and hemispheres beyond.
  static Shape capsule(double radius, double half_length);
  static Shape cylinder(double radius, double half_length);
  /// Apex at z = half_length, base at z = -half_length.
  static Shape cone(double radius, double half_length);
  static Shape ellipsoid(const Eigen::Vector3d& radii);
  /// Half-space of all x with normal . x <= offset; the normal need not have unit length.
  static Shape half_space(const Eigen::Vector3d& normal, double offset);
  /// The convex hull, at least one point. Points on a line or in a plane give a segment or a polygon,
  /// which is a shape without volume.
  static Shape hull(std::span<const Eigen::Vector3d> points);
  static Shape triangle(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c);
  /// Closed pieces are solid, see closed_pieces() and MeshSolid; what is open is a surface without thickness. Its
  /// hierarchy is built here, once: a pose moves it along.
  static Shape mesh(const TriangleMesh& mesh, const MeshOptions& options = {});
  /// The union of convex shapes.
  static Shape compound(std::span<const Part> parts);

  Shape with_margin(double margin) const;
  /// Larger or smaller about its origin, margin and all.
  Shape scaled(double factor) const;

  ShapeKind kind() const;
  double margin() const;
  /// Neither a mesh nor a compound.
  bool convex() const;
  /// Vertices of a hull, a triangle or a mesh; empty for others. A hull keeps the points at its corners, in the order
  /// given.
  std::span<const Eigen::Vector3d> vertices() const;
  /// Triangles of a mesh; empty for others.
  std::span<const Triangle> triangles() const;
  /// Number of connected pieces of a mesh that are closed, that is have an inside: the winding number of the surface
  /// is not zero there. Vertices at the same place count as one for this. 0 with MeshSolid::surface.
  std::size_t closed_pieces() const;
  /// Whether a mesh is a room, see MeshSolid: what is solid of it has no end. Its bounds are those of its surface.
  bool is_room() const;
  /// Faces of a hull: the corners of each, counter-clockwise seen from outside.
  IndexLists faces() const;
  std::span<const Part> parts() const;

  /// A point of the shape that is farthest along `direction`, which need not have unit length; margin
  /// included. Throws for a half-space.
  Eigen::Vector3d support(const Eigen::Vector3d& direction) const;

  BoundingSphere bounding_sphere() const;  ///< the smallest one, in the frame of the shape; throws for a half-space
  AxisBox bounding_box(const Eigen::Isometry3d& pose) const;
  Dop<18> dop18(const Eigen::Isometry3d& pose) const;
  Dop<26> dop26(const Eigen::Isometry3d& pose) const;
  /// Along the principal axes of the surface, not the smallest.
  OrientedBox oriented_box(const Eigen::Isometry3d& pose) const;

  /// Mass properties without the margin. Shapes without volume (triangle, mesh that is not closed, flat hull) have
  /// zeros and their centre, and so has a room. Parts of a compound that overlap count twice. Throws for a half-space.
  MassProperties mass_properties() const;

  const shapes::ShapeData& data() const { return *data_; }

 private:
  explicit Shape(std::shared_ptr<const shapes::ShapeData> data) : data_(std::move(data)) {}
  std::shared_ptr<const shapes::ShapeData> data_;
};

struct Shape::Part {
  Shape shape;
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();  ///< pose of the part in the frame of the compound
};

}  // namespace carom
