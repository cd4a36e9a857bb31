#include "io/scene/scene_mesh.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "carom/io/mesh_file.hpp"
#include "carom/mesh/figure.hpp"
#include "core/check.hpp"

namespace carom {
namespace {

/// The topology of a mesh numbers the corners of all its triangles with an Index.
constexpr Index max_index = std::numeric_limits<Index>::max() / 3;
constexpr double max_triangles = max_index;

/// In doubles, for the product of three integers may not fit into any.
struct TriangleCount {
  double operator()(const BoxSource& s) const { return 12.0 * s.segments * s.segments; }
  double operator()(const IcosphereSource& s) const { return 20.0 * std::pow(4.0, s.subdivisions); }
  double operator()(const TorusSource& s) const { return 2.0 * s.around * s.across; }
  double operator()(const TrefoilSource& s) const { return 2.0 * s.along * s.across; }
  double operator()(const SheetSource& s) const { return 2.0 * s.segments_x * s.segments_z; }
  double operator()(const RollSource& s) const { return 2.0 * s.along * s.across; }
  double operator()(const ExtrusionSource& s) const { return 4.0 * static_cast<double>(s.outline.size()); }
  double operator()(const RevolutionSource& s) const { return 2.0 * s.around * static_cast<double>(s.profile.size()); }
  double operator()(const RibbonSource& s) const { return 2.0 * s.along * s.across; }
  double operator()(const FigureSource& s) const { return 600.0 * s.around; }
  double operator()(const ShirtSource& s) const {
    return 4 * (s.width + 2 * s.sleeve_length) / s.edge * (s.length / s.edge);
  }
  double operator()(const FileSource&) const { return 0; }
};

struct ShapeBuilder {
  TriangleMesh operator()(const BoxSource& s) const { return make_box(s.size, s.segments); }
  TriangleMesh operator()(const IcosphereSource& s) const { return make_icosphere(s.radius, s.subdivisions); }
  TriangleMesh operator()(const TorusSource& s) const {
    return make_torus(s.radius, s.tube_radius, s.around, s.across);
  }
  TriangleMesh operator()(const TrefoilSource& s) const {
    return make_tube([&s](double t) { return trefoil(t, s.radius, s.height); }, s.tube_radius, s.along, s.across);
  }
  TriangleMesh operator()(const SheetSource& s) const {
    return make_sheet(s.size_x, s.size_z, s.segments_x, s.segments_z);
  }
  TriangleMesh operator()(const RollSource& s) const {
    return make_roll(s.inner_radius, s.gap, s.turns, s.width, s.along, s.across);
  }
  TriangleMesh operator()(const ExtrusionSource& s) const { return make_extrusion(s.outline, s.length); }
  TriangleMesh operator()(const RevolutionSource& s) const { return make_revolution(s.profile, s.around); }
  TriangleMesh operator()(const RibbonSource& s) const { return make_ribbon(s.path, s.width, s.along, s.across); }
  TriangleMesh operator()(const FigureSource& s) const { return make_figure(s.height, s.around); }
  TriangleMesh operator()(const ShirtSource& s) const { return make_shirt(s); }
  TriangleMesh operator()(const FileSource& s) const {
    return read_mesh_file(s.path, {.up = s.up, .unit = s.unit}).mesh;
  }
};

Eigen::Vector3d unit(const Eigen::Vector3d& direction, std::string_view what) {
  require(is_finite(direction), ErrorCode::not_finite, "{}: not finite", what);
  require(!direction.isZero(0), ErrorCode::invalid_argument, "{}: a direction of length 0", what);
  return direction.stableNormalized();
}

}  // namespace

std::optional<std::string> too_many_triangles(const MeshMaker& shape) {
  const double count = std::visit(TriangleCount{}, shape);
  if (count <= max_triangles) return std::nullopt;
  return fmt::format("{:.3g} triangles are more than the {:.0f} that can be numbered", count, max_triangles);
}

TriangleMesh build_unplaced(const MeshSource& source) {
  if (const auto problem = too_many_triangles(source.shape)) fail(ErrorCode::invalid_argument, "{}", *problem);
  TriangleMesh mesh = std::visit(ShapeBuilder{}, source.shape);
  for (std::size_t i = 0; i < source.dents.size(); ++i) {
    Dent dent = source.dents[i];
    dent.direction = unit(dent.direction, fmt::format("dents[{}].direction", i));
    apply_dent(dent, mesh.positions);  // not std::apply
  }
  return mesh;
}

Transform to_transform(const Placement& placement) {
  require(is_finite(placement.position), ErrorCode::not_finite, "position: not finite");
  require(std::isfinite(placement.rotation_degrees), ErrorCode::not_finite, "rotation.degrees: not finite");
  require(is_finite(placement.scale), ErrorCode::not_finite, "scale: not finite");
  require((placement.scale.array() > 0).all(), ErrorCode::invalid_argument, "scale: must be positive");
  const double radians = std::fmod(placement.rotation_degrees, 360.0) * std::numbers::pi / 180.0;
  const Eigen::AngleAxisd turn(radians, unit(placement.rotation_axis, "rotation.axis"));
  return {placement.position, Eigen::Quaterniond(turn), placement.scale};
}

void place(const Placement& placement, std::span<Eigen::Vector3d> positions) {
  const Transform transform = to_transform(placement);
  for (Eigen::Vector3d& p : positions) p = transform * p;
}

TriangleMesh build(const MeshSource& source) {
  TriangleMesh mesh = build_unplaced(source);
  place(source.placement, mesh.positions);
  return mesh;
}

}  // namespace carom
