#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "bodies/soft_places.hpp"

// The field of the surface at rest, seen through the deformation of the nodes (Fisher and Lin 2001).
namespace carom::solid {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Place of a point in an element: where it was at rest, and the gradient of the deformation there.
struct RestPoint {
  Vector3d rest;
  Matrix3d gradient;
};

constexpr double slack = 1e-9;

template <class Corners>
bool in_box(const Corners& corners, std::span<const Vector3d> nodes, const Vector3d& point) {
  Vector3d low = nodes[static_cast<std::size_t>(corners[0])];
  Vector3d high = low;
  for (const Index n : corners) {
    low = low.cwiseMin(nodes[static_cast<std::size_t>(n)]);
    high = high.cwiseMax(nodes[static_cast<std::size_t>(n)]);
  }
  return (point.array() >= low.array()).all() && (point.array() <= high.array()).all();
}

/// Local coordinates of a point in a voxel, by Newton's method on the trilinear map.
std::optional<RestPoint> find_in(const std::array<Index, 8>& corners, double size, std::span<const Vector3d> rest,
                                 std::span<const Vector3d> nodes, const Vector3d& point) {
  constexpr int max_iterations = 20;
  const auto node = [&](std::size_t c) -> const Vector3d& { return nodes[static_cast<std::size_t>(corners[c])]; };
  Vector3d local(0.5, 0.5, 0.5);
  Matrix3d jacobian;
  for (int i = 0; i < max_iterations; ++i) {
    Vector3d sum = -point;
    jacobian.setZero();
    for (std::size_t c = 0; c < 8; ++c) {
      Vector3d w;
      Vector3d sign;
      for (Eigen::Index k = 0; k < 3; ++k) {
        const bool high = (c >> k & 1U) != 0;
        w[k] = high ? local[k] : 1 - local[k];
        sign[k] = high ? 1 : -1;
      }
      sum += w.prod() * node(c);
      for (Eigen::Index k = 0; k < 3; ++k) jacobian.col(k) += sign[k] * w[(k + 1) % 3] * w[(k + 2) % 3] * node(c);
    }
    const Vector3d change = jacobian.fullPivLu().solve(-sum);
    if (!change.allFinite()) return {};
    local += change;
    if (local.cwiseAbs().maxCoeff() > 10) return {};
    if (change.norm() < 1e-12) break;
  }
  if ((local.array() < -slack).any() || (local.array() > 1 + slack).any()) return {};
  return RestPoint{rest[static_cast<std::size_t>(corners[0])] + size * local, jacobian / size};
}

std::optional<RestPoint> find_in(const Tetrahedron& corners, double, std::span<const Vector3d> rest,
                                 std::span<const Vector3d> nodes, const Vector3d& point) {
  Matrix3d now;
  Matrix3d before;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto column = static_cast<Eigen::Index>(k);
    now.col(column) = nodes[static_cast<std::size_t>(corners[k + 1])] - nodes[static_cast<std::size_t>(corners[0])];
    before.col(column) = rest[static_cast<std::size_t>(corners[k + 1])] - rest[static_cast<std::size_t>(corners[0])];
  }
  const Vector3d local = now.fullPivLu().solve(point - nodes[static_cast<std::size_t>(corners[0])]);
  if (!local.allFinite() || (local.array() < -slack).any() || local.sum() > 1 + slack) return {};
  return RestPoint{rest[static_cast<std::size_t>(corners[0])] + before * local, now * before.inverse()};
}

std::optional<RestPoint> find_in(const Elements& rest, std::size_t element, std::span<const Vector3d> nodes,
                                 const Vector3d& point) {
  if (element < rest.voxels.size()) {
    const auto& corners = rest.voxels[element];
    return in_box(corners, nodes, point) ? find_in(corners, rest.voxel_size, rest.nodes, nodes, point)
                                         : std::optional<RestPoint>();
  }
  const auto& corners = rest.tetrahedra[element - rest.voxels.size()];
  return in_box(corners, nodes, point) ? find_in(corners, 0, rest.nodes, nodes, point) : std::optional<RestPoint>();
}

/// Directions go as normals do; the distance along one is as long as the gradient makes it.
std::optional<FieldPlace> field_at(const BodyModel& model, const RestPoint& found) {
  const FieldSample sample = model.field->sample(found.rest);
  const Matrix3d inverse = found.gradient.inverse();
  const Vector3d normal = inverse.transpose() * sample.gradient;
  const double length = normal.norm();
  if (!(length > 0) || !normal.allFinite()) return {};
  return FieldPlace{.depth = {.distance = sample.distance / length, .normal = normal / length}, .rest = found.rest};
}

}  // namespace

std::optional<FieldPlace> place_in_field(const BodyState& state, const ElementCells& cells, const Vector3d& point) {
  for (const std::uint32_t element : cells.at(point)) {
    const std::optional<RestPoint> found = find_in(state.model->rest, element, state.nodes, point);
    if (found) return field_at(*state.model, *found);
  }
  return {};
}

std::optional<FieldPlace> place_in_field(const BodyState& state, const Vector3d& point) {
  const std::size_t count = state.model->rest.count();
  for (std::size_t element = 0; element < count; ++element) {
    const std::optional<RestPoint> found = find_in(state.model->rest, element, state.nodes, point);
    if (found) return field_at(*state.model, *found);
  }
  return {};
}

std::optional<SoftDepth> depth_at(const BodyState& state, const Vector3d& point) {
  const std::optional<FieldPlace> place = place_in_field(state, point);
  return place ? std::optional(place->depth) : std::nullopt;
}

}  // namespace carom::solid
