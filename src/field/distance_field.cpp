#include "carom/field/distance_field.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/at.hpp"
#include "core/check.hpp"
#include "field/convex_distance.hpp"
#include "field/limits.hpp"
#include "field/refine.hpp"
#include "field/sample.hpp"
#include "shapes/shape_data.hpp"

namespace carom {
namespace field {
namespace {

/// Free space around the box of the shape that the grid covers, as a fraction of its diagonal.
constexpr double padding = 0.25;
constexpr std::size_t largest_cell_count = std::size_t{1} << 28U;

void check_number(const char* name, double value, double lowest, double highest) {
  require(std::isfinite(value) && value >= lowest && value <= highest, ErrorCode::invalid_argument,
          "distance field: {} is {}; expected {} to {}", name, value, lowest, highest);
}

void check_options(const FieldOptions& options) {
  check_number("tolerance", options.tolerance, min_field_tolerance, max_field_tolerance);
  check_number("band", options.band, 0, max_field_band);
  check_number("far_error", options.far_error, 0, 1);
  require(options.max_cells >= 1 && options.max_cells <= largest_cell_count, ErrorCode::invalid_argument,
          "distance field: max_cells is {}; expected 1 to {}", options.max_cells, largest_cell_count);
  require(options.threads >= 0 && options.threads <= max_threads, ErrorCode::invalid_argument,
          "distance field: threads is {}; expected 0 to {}", options.threads, max_threads);
}

/// Names an edge that has more triangles on one side than on the other.
void check_closed(const shapes::MeshData& mesh) {
  require(mesh.options.solid != MeshSolid::surface, ErrorCode::bad_mesh,
          "distance field: the mesh is a surface without inside (solid: surface); expected a solid");
  if (std::find(mesh.closed.begin(), mesh.closed.end(), 0) == mesh.closed.end()) return;
  std::map<std::array<Index, 2>, int> balance;
  for (std::size_t t = 0; t < mesh.mesh.triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Index a = mesh.vertex_at[at(mesh.mesh.triangles[t][k])];
      const Index b = mesh.vertex_at[at(mesh.mesh.triangles[t][(k + 1) % 3])];
      if (a != b) balance[{std::min(a, b), std::max(a, b)}] += a < b ? 1 : -1;
    }
  }
  for (const auto& [edge, sum] : balance) {
    require(sum == 0, ErrorCode::bad_mesh,
            "distance field: the mesh is open at the edge of vertices {} and {}; expected a closed mesh", edge[0],
            edge[1]);
  }
}

/// Grid of root cells around a box.
void place_grid(const AxisBox& box, FieldData& field) {
  const double diagonal = (box.max - box.min).norm();
  // Coordinates of corners must be exact: a box far away from the origin gets larger root cells.
  const double farthest = std::max(box.min.cwiseAbs().maxCoeff(), box.max.cwiseAbs().maxCoeff());
  const double wanted = std::max(diagonal / 4, 1e-9 * farthest);
  field.root_size = std::exp2(std::ceil(std::log2(wanted)));
  const double quarter = field.root_size / 4;
  const Vec3 pad{padding * diagonal, padding * diagonal, padding * diagonal};
  field.box_low = math::to_vec3(box.min);
  field.box_high = math::to_vec3(box.max);
  const Vec3 low = field.box_low - pad;
  const Vec3 high = field.box_high + pad;
  const auto align = [&](double x) { return std::floor(x / quarter) * quarter; };
  field.low = {align(low.x), align(low.y), align(low.z)};
  const auto count = [&](double from, double to) {
    return static_cast<std::uint32_t>(std::max(1.0, std::ceil((to - from) / field.root_size)));
  };
  field.roots = {count(field.low.x, high.x), count(field.low.y, high.y), count(field.low.z, high.z)};
}

FieldData make(const Shape& shape, const FieldOptions& options) {
  check_options(options);
  require(shape.kind() != ShapeKind::half_space, ErrorCode::unsupported,
          "distance field: a half-space has no end; expected another shape");
  FieldData field;
  const bool is_mesh = shape.kind() == ShapeKind::mesh;
  if (is_mesh) {
    check_closed(*shape.data().mesh);
    field.mesh = shape.data().mesh;
    field.margin = shape.margin();
    field.endless = shape.data().mesh->room;
  }
  AxisBox box = shape.bounding_box(Eigen::Isometry3d::Identity());
  if (is_mesh) {
    const shapes::BoxVolume& root = shape.data().mesh->tree.boxes[0];
    box.min = math::to_eigen(root.center - root.half);
    box.max = math::to_eigen(root.center + root.half);
  }
  const double diagonal = (box.max - box.min).norm();
  require(diagonal > 0, ErrorCode::bad_mesh, "distance field: the {} is a single point; expected a solid",
          to_string(shape.kind()));
  place_grid(box, field);
  Workers workers(options.threads);
  const RefineOptions refine{.tolerance = options.tolerance * diagonal,
                             .band = options.band * diagonal,
                             .far_error = options.far_error,
                             .max_cells = options.max_cells};
  if (is_mesh) {
    Refinement(workers, MeshDistance(*shape.data().mesh), refine, field).run();
  } else {
    Refinement(workers, ConvexDistance(shape), refine, field).run();
  }
  field.tree.shrink_to_fit();
  field.cells.shrink_to_fit();
  field.errors.shrink_to_fit();
  return field;
}

}  // namespace
}  // namespace field

DistanceField::DistanceField(const Shape& shape, const FieldOptions& options)
    : data_(std::make_shared<const field::FieldData>(field::make(shape, options))) {}

FieldSample DistanceField::sample(const Eigen::Vector3d& point) const {
  const field::Sample s = field::sample(*data_, math::to_vec3(point));
  return {s.distance, math::to_eigen(s.gradient), s.error};
}

void DistanceField::sample(std::span<const Eigen::Vector3d> points, std::span<FieldSample> out) const {
  require(points.size() == out.size(), ErrorCode::invalid_argument,
          "distance field: {} points but room for {} answers; expected as many", points.size(), out.size());
  for (std::size_t i = 0; i < points.size(); ++i) out[i] = sample(points[i]);
}

bool DistanceField::is_of(const Shape& mesh) const {
  return mesh.kind() == ShapeKind::mesh && mesh.data().mesh == data_->mesh && mesh.margin() == data_->margin;
}

const FieldReport& DistanceField::report() const {
  return data_->report;
}

}  // namespace carom
