#include "carom/shape/shape.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "geometry/check_pose.hpp"
#include "shapes/shape_data.hpp"
#include "shapes/support.hpp"

namespace carom {

using shapes::Core;
using shapes::CoreKind;
using shapes::ShapeData;

namespace {

/// Products of six lengths stay within the range of a double.
constexpr double max_value = 1e60;

void check_length(double length, const char* what) {
  require(std::isfinite(length), ErrorCode::not_finite, "{} is not finite", what);
  require(length > 0, ErrorCode::invalid_argument, "{} is {}, expected more than 0", what, length);
  require(length <= max_value, ErrorCode::invalid_argument, "{} is {}, expected at most {}", what, length, max_value);
}

void check_lengths(const Eigen::Vector3d& lengths, const char* what) {
  for (Eigen::Index k = 0; k < 3; ++k) {
    check_length(lengths[k], fmt::format("{}, coordinate {}", what, "xyz"[k]).c_str());
  }
}

std::shared_ptr<ShapeData> make(ShapeKind kind, CoreKind core, const Eigen::Vector3d& size, double radius) {
  auto data = std::make_shared<ShapeData>();
  data->kind = kind;
  data->core.kind = core;
  data->core.size = math::to_vec3(size);
  data->own_radius = radius;
  data->core.radius = radius;
  data->core.reach = size.norm();
  return data;
}

std::shared_ptr<ShapeData> make_hull(ShapeKind kind, shapes::HullData hull) {
  auto data = make(kind, CoreKind::hull, Eigen::Vector3d::Zero(), 0);
  for (const Eigen::Vector3d& p : hull.points) data->core.reach = std::max(data->core.reach, p.norm());
  data->hull = std::make_shared<const shapes::HullData>(std::move(hull));
  data->core.hull = data->hull.get();
  return data;
}

}  // namespace

std::string_view to_string(ShapeKind kind) {
  constexpr std::array<std::string_view, shape_kind_count> names{"sphere",   "box",       "capsule",    "cylinder",
                                                                 "cone",     "ellipsoid", "half-space", "hull",
                                                                 "triangle", "mesh",      "compound"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view to_string(MeshSolid solid) {
  constexpr std::array<std::string_view, 3> names{"by_normals", "inside", "surface"};
  return names[static_cast<std::size_t>(solid)];
}

Shape Shape::sphere(double radius) {
  check_length(radius, "sphere: radius");
  return Shape(make(ShapeKind::sphere, CoreKind::point, Eigen::Vector3d::Zero(), radius));
}

Shape Shape::box(const Eigen::Vector3d& half) {
  check_lengths(half, "box: half extents");
  return Shape(make(ShapeKind::box, CoreKind::box, half, 0));
}

Shape Shape::capsule(double radius, double half_length) {
  check_length(radius, "capsule: radius");
  check_length(half_length, "capsule: half length");
  return Shape(make(ShapeKind::capsule, CoreKind::segment, {0, 0, half_length}, radius));
}

Shape Shape::cylinder(double radius, double half_length) {
  check_length(radius, "cylinder: radius");
  check_length(half_length, "cylinder: half length");
  return Shape(make(ShapeKind::cylinder, CoreKind::cylinder, {radius, 0, half_length}, 0));
}

Shape Shape::cone(double radius, double half_length) {
  check_length(radius, "cone: radius");
  check_length(half_length, "cone: half length");
  return Shape(make(ShapeKind::cone, CoreKind::cone, {radius, 0, half_length}, 0));
}

Shape Shape::ellipsoid(const Eigen::Vector3d& radii) {
  check_lengths(radii, "ellipsoid: radii");
  return Shape(make(ShapeKind::ellipsoid, CoreKind::ellipsoid, radii, 0));
}

Shape Shape::half_space(const Eigen::Vector3d& normal, double offset) {
  require(is_finite(normal), ErrorCode::not_finite, "half-space: normal is not finite");
  require(std::isfinite(offset), ErrorCode::not_finite, "half-space: offset is not finite");
  const double largest = normal.cwiseAbs().maxCoeff();
  require(largest > 0, ErrorCode::invalid_argument, "half-space: normal is zero");
  const double length = (normal / largest).norm();
  auto data = make(ShapeKind::half_space, CoreKind::half_space, (normal / largest) / length, 0);
  data->core.offset = offset / largest / length;
  require(std::abs(data->core.offset) <= max_value, ErrorCode::invalid_argument,
          "half-space: the plane is {} from the origin, expected at most {}", data->core.offset, max_value);
  return Shape(std::move(data));
}

Shape Shape::hull(std::span<const Eigen::Vector3d> points) {
  return Shape(make_hull(ShapeKind::hull, shapes::build_hull(points)));
}

Shape Shape::triangle(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c) {
  const std::array<Eigen::Vector3d, 3> corners{a, b, c};
  for (std::size_t k = 0; k < 3; ++k) {
    require(is_finite(corners[k]), ErrorCode::not_finite, "triangle: corner {} is not finite", k);
    require(corners[k].cwiseAbs().maxCoeff() <= max_value, ErrorCode::invalid_argument,
            "triangle: corner {} has a coordinate beyond {}", k, max_value);
  }
  return Shape(make_hull(ShapeKind::triangle, shapes::build_hull(corners)));
}

Shape Shape::mesh(const TriangleMesh& mesh, const MeshOptions& options) {
  require(!mesh.triangles.empty(), ErrorCode::bad_mesh, "mesh: no triangles");
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    require(is_finite(mesh.positions[i]), ErrorCode::not_finite, "mesh: vertex {} is not finite", i);
    require(mesh.positions[i].cwiseAbs().maxCoeff() <= max_value, ErrorCode::invalid_argument,
            "mesh: vertex {} has a coordinate beyond {}", i, max_value);
  }
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (const Index i : mesh.triangles[t]) {
      require(i >= 0 && static_cast<std::size_t>(i) < mesh.positions.size(), ErrorCode::bad_index,
              "mesh: triangle {} has corner {}, there are {} vertices", t, i, mesh.positions.size());
    }
  }
  auto data = make(ShapeKind::mesh, CoreKind::point, Eigen::Vector3d::Zero(), 0);
  data->mesh = std::make_shared<const shapes::MeshData>(shapes::build_mesh_data(mesh, options));
  return Shape(std::move(data));
}

Shape Shape::compound(std::span<const Part> parts) {
  require(!parts.empty(), ErrorCode::invalid_argument, "compound: no parts");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    require(parts[i].shape.kind() != ShapeKind::mesh, ErrorCode::invalid_argument,
            "compound: part {} is a mesh, expected a convex shape; decompose() makes convex parts of it", i);
    require(parts[i].shape.convex(), ErrorCode::invalid_argument, "compound: part {} is a {}, expected a convex shape",
            i, to_string(parts[i].shape.kind()));
    check_pose(parts[i].pose, "compound", "parts", i, ".pose");
  }
  auto data = make(ShapeKind::compound, CoreKind::point, Eigen::Vector3d::Zero(), 0);
  data->parts.assign(parts.begin(), parts.end());
  for (const Part& part : parts) data->part_margins.push_back(part.shape.margin());
  return Shape(std::move(data));
}

Shape Shape::with_margin(double margin) const {
  require(std::isfinite(margin), ErrorCode::not_finite, "margin is not finite");
  require(margin >= 0 && margin <= max_value, ErrorCode::invalid_argument, "margin is {}, expected 0 to {}", margin,
          max_value);
  auto data = std::make_shared<ShapeData>(*data_);
  data->core.radius = data->own_radius + margin;
  data->margin = margin;
  for (std::size_t i = 0; i < data->parts.size(); ++i) {
    Part& part = data->parts[i];
    part.shape = part.shape.with_margin(data->part_margins[i] + margin);
  }
  return Shape(std::move(data));
}

Shape Shape::scaled(double factor) const {
  check_length(factor, "scaled: factor");
  auto data = std::make_shared<ShapeData>(*data_);
  Core& core = data->core;
  for (double* length : {&data->margin, &data->own_radius, &core.radius, &core.reach, &core.offset}) *length *= factor;
  if (core.kind != CoreKind::half_space) core.size = factor * core.size;
  if (data->hull) {
    data->hull = std::make_shared<const shapes::HullData>(shapes::scaled_hull(*data->hull, factor));
    core.hull = data->hull.get();
  }
  if (data->mesh) {
    TriangleMesh mesh = data->mesh->mesh;
    for (Eigen::Vector3d& p : mesh.positions) p *= factor;
    data->mesh = Shape::mesh(mesh, data->mesh->options).data_->mesh;
  }
  for (Part& part : data->parts) {
    part.shape = part.shape.scaled(factor);
    part.pose.translation() *= factor;
  }
  for (double& margin : data->part_margins) margin *= factor;
  const double largest = std::max({core.reach, core.radius, data->margin, std::abs(core.offset)});
  require(largest <= max_value, ErrorCode::invalid_argument, "scaled: factor {} makes it larger than {}", factor,
          max_value);
  return Shape(std::move(data));
}

ShapeKind Shape::kind() const {
  return data_->kind;
}

double Shape::margin() const {
  return data_->margin;
}

bool Shape::convex() const {
  return data_->kind != ShapeKind::mesh && data_->kind != ShapeKind::compound;
}

std::span<const Eigen::Vector3d> Shape::vertices() const {
  if (data_->hull) return data_->hull->points;
  if (data_->mesh) return data_->mesh->mesh.positions;
  return {};
}

std::span<const Triangle> Shape::triangles() const {
  if (data_->mesh) return data_->mesh->mesh.triangles;
  return {};
}

std::size_t Shape::closed_pieces() const {
  if (!data_->mesh) return 0;
  return static_cast<std::size_t>(std::count(data_->mesh->closed.begin(), data_->mesh->closed.end(), 1));
}

bool Shape::is_room() const {
  return data_->mesh && data_->mesh->room;
}

IndexLists Shape::faces() const {
  return data_->hull ? data_->hull->faces : IndexLists{};
}

std::span<const Shape::Part> Shape::parts() const {
  return data_->parts;
}

Eigen::Vector3d Shape::support(const Eigen::Vector3d& direction) const {
  require(is_finite(direction), ErrorCode::not_finite, "support: direction is not finite");
  require(data_->kind != ShapeKind::half_space, ErrorCode::invalid_argument, "support: a half-space is unbounded");
  const double largest = direction.cwiseAbs().maxCoeff();
  const Eigen::Vector3d d = largest > 0 ? Eigen::Vector3d((direction / largest).normalized()) : direction;
  Eigen::Vector3d best;
  double best_value = -INFINITY;
  const auto offer = [&](const Eigen::Vector3d& p) {
    if (p.dot(d) <= best_value) return;
    best = p;
    best_value = p.dot(d);
  };
  if (data_->kind == ShapeKind::mesh) {
    for (const shapes::TriangleCorners& t : data_->mesh->tree.corners) {
      for (const math::Vec3& p : t) offer(math::to_eigen(p) + data_->margin * d);
    }
  } else if (data_->kind == ShapeKind::compound) {
    for (const Part& part : data_->parts) {
      offer(part.pose * part.shape.support(part.pose.linear().transpose() * d));
    }
  } else {
    offer(math::to_eigen(shapes::support(data_->core, math::to_vec3(d)).p) + data_->core.radius * d);
  }
  return best;
}

}  // namespace carom
