#pragma once

#include <functional>
#include <span>

#include "carom/mesh/mesh.hpp"

namespace carom {

/// Meshes made from a few numbers. All are closed and oriented outward unless said otherwise,
/// all throw Error(invalid_argument) that names the parameter which is out of range.

/// Axis-aligned box around the origin. Each face is cut in segments x segments squares of two triangles.
TriangleMesh make_box(const Eigen::Vector3d& size, int segments = 1);

/// Sphere around the origin: an icosahedron of which each triangle is split in four
/// `subdivisions` times; 20 * 4^subdivisions triangles.
TriangleMesh make_icosphere(double radius, int subdivisions);

/// Torus around the origin with the y axis as its axis: 2 * around * across triangles.
/// `radius` is that of the centre line, `tube_radius` that of the tube.
TriangleMesh make_torus(double radius, double tube_radius, int around, int across);

/// A tube around a closed curve, given for t in [0, 1), without twist where it closes:
/// 2 * along * across triangles.
TriangleMesh make_tube(const std::function<Eigen::Vector3d(double)>& closed_curve, double tube_radius, int along,
                       int across);

/// The centre line of a trefoil knot around the y axis: `radius` is its size in the x-z plane
/// (of the middle circle), `height` its half thickness along y.
Eigen::Vector3d trefoil(double t, double radius, double height);

/// A flat, open sheet in the x-z plane around the origin, facing +y, with alternating
/// diagonals: 2 * segments_x * segments_z triangles.
TriangleMesh make_sheet(double size_x, double size_z, int segments_x, int segments_z);

/// An open sheet rolled up around the z axis: seen along it, a spiral that starts at `inner_radius`
/// on the x axis and whose layers are `gap` apart, centred along z, facing outward. Its segments along
/// the spiral are of equal arc length. 2 * along * across triangles with alternating diagonals.
TriangleMesh make_roll(double inner_radius, double gap, double turns, double width, int along, int across);

/// An open ribbon along a smooth curve through the points of a path, flat (its width level) where it begins and without
/// twist from there: vertices along + 1 times across + 1, numbered across first, at equal distances along the curve.
/// 2 * along * across triangles with alternating diagonals.
TriangleMesh make_ribbon(std::span<const Eigen::Vector3d> path, double width, int along, int across);

/// Prism over a polygon in the x-y plane, from -length/2 to length/2 along z: 4 n - 4 triangles for n corners, which
/// may be given in either order. Throws Error(invalid_argument) that names the edges if the outline crosses or touches
/// itself.
TriangleMesh make_extrusion(std::span<const Eigen::Vector2d> outline, double length);

/// Solid of revolution of a polygon about the y axis; its corners are (radius, y), in either order. At most 2 n around
/// triangles for n corners; a corner of radius 0 is one vertex on the axis. Throws Error(invalid_argument) that names
/// the edges if the profile crosses or touches itself.
TriangleMesh make_revolution(std::span<const Eigen::Vector2d> profile, int around);

/// Pushes a smooth dent into a surface: every vertex closer than `radius` to `center` moves by
/// `depth` * (1 - (r / radius)^2)^2 along `direction` (unit length).
struct Dent {
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  Eigen::Vector3d direction = -Eigen::Vector3d::UnitY();
  double radius = 1;  ///< m
  double depth = 0;   ///< m
};
void apply_dent(const Dent& dent, std::span<Eigen::Vector3d> positions);

}  // namespace carom
