#pragma once

#include <Eigen/Geometry>
#include <span>
#include <vector>

#include "carom/field/distance_field.hpp"
#include "carom/mesh/surface.hpp"
#include "core/parallel.hpp"
#include "narrow/surface/shape_contacts.hpp"

/// Narrow phase of a distance field against a triangle surface that deforms.
///
/// Distance and normal of a point are those of the field, so that a point inside of the solid has its depth and the
/// direction out of it however deep it is. A vertex makes a contact if its distance is below `within`. An edge is
/// sampled at its quarter points and a triangle in its middle: each makes a contact at the sample that is nearest if
/// that is below `within` and closer than its boundary by more than `resolution`. The distance changes by no more than
/// the way along an edge or a triangle, so what lies between samples is closer than they are by at most an eighth of
/// the edge, or by the distance of the middle of the triangle from its corners.
namespace carom::field {

using narrow::surface::ShapeContact;
using narrow::surface::ShapeContactOptions;

/// Part of a surface that is one body.
struct FieldSurface {
  const Surface& surface;
  std::span<const Eigen::Vector3d> positions;  ///< of all vertices of the surface
  Index first_vertex = 0;
  Index vertex_count = 0;
  Index first_triangle = 0;
  Index triangle_count = 0;
};

/// Working memory; a warm call allocates nothing.
class FieldContactScratch {
 public:
  struct Vertex {
    double distance = 0;  ///< m; a lower bound if `far`
    Eigen::Vector3d normal;
    bool far = false;  ///< farther than contacts are looked for
  };
  std::vector<Vertex> vertices;  ///< of the part
  std::vector<ShapeContact> found;
  OrderedAppend<ShapeContact> append;
};

/// Replaces `out` by the contacts of the field at a pose with the features of a part: vertices by index, then edges and
/// triangles by triangle. The same for any number of threads.
void find_field_contacts(Workers& workers, const DistanceField& field, const Eigen::Isometry3d& pose,
                         const FieldSurface& part, const ShapeContactOptions& options, FieldContactScratch& scratch,
                         std::vector<ShapeContact>& out);

}  // namespace carom::field
