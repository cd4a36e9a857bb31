#pragma once

#include <Eigen/Geometry>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "carom/mesh/surface.hpp"
#include "narrow/mesh/triangle_core.hpp"
#include "narrow/surface/point_distance.hpp"
#include "shapes/core.hpp"

/// Narrow phase of a convex shape against a triangle surface that deforms: which vertices, edges and triangles are
/// closer to the shape than a distance, and where.
///
/// Distance of a feature, signed: that of the closest points if feature and shape are apart; if they overlap, minus the
/// length of the shortest translation that takes the whole feature out of the shape. The distance of an edge is never
/// larger than those of its ends, nor that of a triangle larger than those of its edges.
///
/// A vertex makes a contact if its distance is below `within`. An edge makes one if its distance is below `within`
/// and below those of its ends by more than `resolution` and rounding; a triangle if its distance is below `within`
/// and, by as much, below those of its corners and of those of its edges that make contacts. The closest point is then
/// strictly inside the feature, or the shape cuts the feature deeper than its boundary. So a sheet that lies flat on a
/// face of the shape makes contacts with its vertices only, and a corner of the shape under the middle of a triangle
/// with the triangle only. Ends that penetrate do not keep an edge from making a contact: where a sheet is bent over an
/// edge of a box, the vertices on either side may be a little inside and the edge between them deep.
///
/// Normals point from the shape to the surface. Of a penetrating feature the normal is the direction of its shortest
/// translation out of the shape, and `distance` is minus the length of that translation: moving the feature by
/// -distance along the normal ends the overlap. This is the side of the shape to which the feature is nearer as a
/// whole: a tip that has come through a sheet is pushed back, until more of the shape is through than is not. A
/// half-space makes contacts with vertices only, which is exact.
namespace carom::narrow::surface {

enum class FeatureKind : std::uint8_t { vertex, edge, triangle };

struct ShapeContact {
  FeatureKind feature = FeatureKind::vertex;
  /// Vertex or triangle index; of an edge 3 t + k, with t the triangle that owns it and k the corner where it begins.
  Index id = none;
  /// Corners of the feature, `none` where it has fewer. An edge has its smaller index first, a triangle the order of
  /// Surface::triangles().
  std::array<Index, 3> vertices{none, none, none};
  std::array<double, 3> weights{};                             ///< barycentric, of point_on_surface; sum 1
  Eigen::Vector3d point_on_shape = Eigen::Vector3d::Zero();    ///< world frame; point_on_surface - distance * normal
  Eigen::Vector3d point_on_surface = Eigen::Vector3d::Zero();  ///< world frame
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();            ///< unit, from the shape to the surface
  double distance = 0;                                         ///< m, signed
};

struct ShapeContactOptions {
  double within = 0;  ///< m; may be negative: only features that overlap by more than -within
  /// m; edges and triangles that are closer than their boundary by no more than this make no contact of their own.
  double resolution = 0;
};

/// Working memory of find_shape_contacts. One for each thread; any surface and any shape may come next. Grows to the
/// number of vertices of the largest surface; a warm call allocates nothing.
class ShapeContactScratch {
 public:
  struct Vertex {
    Index index = none;
    PointDistance distance;
    shapes::Vec3 local;  ///< position in the frame of the shape
  };
  /// An edge or a triangle that may make a contact.
  struct Feature {
    std::uint64_t key = 0;  ///< edge: both vertices, the smaller first; triangle: its index
    std::array<std::uint32_t, 3> slots{};
    double distance = 0;
    double error = 0;  ///< of the distance
    shapes::Vec3 normal{};
    std::array<double, 3> weights{};
    bool cut = false;  ///< overlaps the core itself, not only its rounding
    bool counts = false;
  };
  std::vector<std::uint32_t> slot;  ///< of each vertex in `vertices`; valid only if the entry there has the same index
  std::vector<Vertex> vertices;
  std::vector<std::uint64_t> order;  ///< vertices that make contacts: index, then place in `vertices`
  std::vector<Feature> edges;
  std::vector<Feature> triangles;
  mesh::TriangleCore core;
};

/// Replaces `out` by the contacts of one convex shape with the features of the candidate triangles: vertices by index,
/// then edges by their vertices, then triangles by index, each feature once. `candidates` holds every live triangle
/// that may be closer to the shape than `within`, in any order, repeats allowed; see SurfaceTree.
void find_shape_contacts(const shapes::Core& core, const Eigen::Isometry3d& pose, const Surface& surface,
                         std::span<const Eigen::Vector3d> positions, std::span<const Index> candidates,
                         const ShapeContactOptions& options, ShapeContactScratch& scratch,
                         std::vector<ShapeContact>& out);

}  // namespace carom::narrow::surface
