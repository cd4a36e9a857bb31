#include <Eigen/Geometry>
#include <algorithm>
#include <cassert>
#include <cmath>

#include "bodies/soft.hpp"

namespace carom::solid {

namespace {

using kernels::element_lanes;
using kernels::ElementPoint;

/// Nodes and batches that a thread takes at a time.
constexpr std::size_t node_block = 2048;
constexpr std::size_t element_block = 8;

// Loops over nodes in plain numbers: through vectors of Eigen they take several times as long.
void predict_nodes(std::span<const Eigen::Vector3d> start, std::span<const Eigen::Vector3d> displacements,
                   std::span<const double> inverse_mass, std::span<const Eigen::Vector3d> velocities, double h,
                   std::size_t begin, std::size_t end, ElementPoint* points, ElementPoint* ends, ElementPoint* before) {
  const double* const x = start.data()->data();
  const double* const d = displacements.data()->data();
  const double* const v = velocities.data()->data();
  for (std::size_t i = begin; i < end; ++i) {
    double old[3];
    double p[3];
    for (std::size_t k = 0; k < 3; ++k) {
      old[k] = x[3 * i + k] + d[3 * i + k];
      p[k] = old[k] + h * v[3 * i + k];
    }
    if (before != nullptr) before[i] = {old[0], old[1], old[2], 0};
    points[i] = {p[0], p[1], p[2], inverse_mass[i]};
    ends[i] = points[i];
  }
}

void take_node_velocities(const ElementPoint* points, const ElementPoint* ends, double per_h, std::size_t begin,
                          std::size_t end, std::span<Eigen::Vector3d> velocities) {
  double* const v = velocities.data()->data();
  for (std::size_t i = begin; i < end; ++i) {
    v[3 * i] += per_h * (points[i].x - ends[i].x);
    v[3 * i + 1] += per_h * (points[i].y - ends[i].y);
    v[3 * i + 2] += per_h * (points[i].z - ends[i].z);
  }
}

/// Columns of the deformation gradient of an element, and the squares of its hourglass modes as the energy sees them.
struct Shape {
  Eigen::Matrix3d f;
  double hourglass = 0;
};

Shape shape_of(const kernels::VoxelBatch& batch, std::size_t lane, double scale, std::span<const Eigen::Vector3d> x) {
  std::array<Eigen::Vector3d, 8> mode;
  for (std::size_t m = 0; m < 8; ++m) {
    mode[m].setZero();
    for (std::size_t c = 0; c < 8; ++c) {
      // One sign for each axis of the mode.
      double sign = 1;
      for (std::size_t axis = 1; axis < 8; axis *= 2) {
        if ((m & axis) != 0 && (c & axis) == 0) sign = -sign;
      }
      mode[m] += sign * scale * x[static_cast<std::size_t>(batch.nodes[c][lane])];
    }
  }
  Shape shape;
  shape.f << mode[1], mode[2], mode[4];
  shape.hourglass =
      kernels::hourglass_of_two * (mode[3].squaredNorm() + mode[5].squaredNorm() + mode[6].squaredNorm()) +
      kernels::hourglass_of_three * mode[7].squaredNorm();
  return shape;
}

Shape shape_of(const kernels::TetrahedronBatch& batch, std::size_t lane, double, std::span<const Eigen::Vector3d> x) {
  Shape shape;
  const Eigen::Vector3d& p = x[static_cast<std::size_t>(batch.nodes[0][lane])];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Eigen::Vector3d column = Eigen::Vector3d::Zero();
    for (std::size_t k = 0; k < 3; ++k)
      column += batch.gradient[axis][k][lane] * (x[static_cast<std::size_t>(batch.nodes[k + 1][lane])] - p);
    shape.f.col(static_cast<Eigen::Index>(axis)) = column;
  }
  return shape;
}

Eigen::Matrix3d rest_of(std::span<const kernels::RestBatch> rest, std::size_t lane) {
  Eigen::Matrix3d g;
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t a = 0; a < 3; ++a)
      g(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(a)) =
          rest[lane / element_lanes].g[k][a][lane % element_lanes];
  }
  return g;
}

}  // namespace

template <class Visit>
void Model::each_element(std::span<const Eigen::Vector3d> positions, const Visit& visit) const {
  const auto walk = [&](const auto& batches) {
    for (std::size_t b = 0; b < batches.size(); ++b) {
      const auto& batch = batches[b];
      for (std::size_t lane = 0; lane < element_lanes; ++lane) {
        if (static_cast<std::size_t>(batch.nodes[0][lane]) == node_count()) continue;
        visit(shape_of(batch, lane, 0.25 * inverse_size_, positions), batch.shear[lane], batch.volume[lane],
              b * element_lanes + lane);
      }
    }
  };
  walk(voxels_);
  walk(tetrahedra_);
}

double Model::energy(std::span<const Eigen::Vector3d> positions, std::span<const kernels::RestBatch> rest) const {
  double sum = 0;
  each_element(positions, [&](const Shape& shape, double shear, double volume, std::size_t lane) {
    const Eigen::Matrix3d f = rest.empty() ? shape.f : Eigen::Matrix3d(shape.f * rest_of(rest, lane));
    const double change = f.determinant() - 1;
    sum += 0.5 * shear * (f.squaredNorm() - 3 + shape.hourglass) + 0.5 * volume * change * change - shear * change;
  });
  return sum;
}

Eigen::Matrix3d Model::gradient(std::size_t lane, std::span<const Eigen::Vector3d> positions) const {
  const double scale = 0.25 * inverse_size_;
  return tetrahedra_.empty() ? shape_of(voxels_[lane / element_lanes], lane % element_lanes, scale, positions).f
                             : shape_of(tetrahedra_[lane / element_lanes], lane % element_lanes, scale, positions).f;
}

double Model::volume(std::span<const Eigen::Vector3d> positions) const {
  double sum = 0;
  each_element(positions, [&](const Shape& shape, double, double, std::size_t lane) {
    sum += shape.f.determinant() * volume_[lane];
  });
  return sum;
}

/// Stage 0 predicts, the last one takes the velocities, those between are colors.
void Projection::list_blocks(const Model& model) {
  const auto node_blocks = static_cast<std::uint32_t>(chunk_count(model.node_count(), node_block));
  blocks_.clear();
  blocks_.push_back(node_blocks);
  for (const Model::Range& color : model.colors_)
    blocks_.push_back(static_cast<std::uint32_t>(chunk_count(color.end - color.begin, element_block)));
  blocks_.push_back(node_blocks);
}

void Projection::run(Workers& workers, const Model& model, double h, std::span<const Eigen::Vector3d> start,
                     std::span<const Eigen::Vector3d> displacements, std::span<Eigen::Vector3d> velocities,
                     std::span<const kernels::RestBatch> rest) {
  assert(start.size() == model.node_count() && velocities.size() == start.size());
  assert(rest.empty() || rest.size() == model.batch_count());
  const std::size_t count = start.size();
  if (count == 0) return;
  points_.resize(count + 1);
  ends_.resize(count + 1);
  const kernels::ElementStep step{
      .h = h, .points = points_.data(), .ends = ends_.data(), .inverse_size = model.inverse_size_};
  list_blocks(model);
  const double per_h = 1 / h;
  loop_.run(workers, blocks_, [&](std::size_t stage, std::uint32_t block) {
    if (stage == 0 || stage + 1 == blocks_.size()) {
      const std::size_t begin = block * node_block;
      const std::size_t end = std::min(begin + node_block, count);
      if (stage == 0) {
        predict_nodes(start, displacements, model.inverse_mass_, velocities, h, begin, end, points_.data(),
                      ends_.data(), nullptr);
      } else {
        take_node_velocities(points_.data(), ends_.data(), per_h, begin, end, velocities);
      }
      return;
    }
    const Model::Range& color = model.colors_[stage - 1];
    const std::size_t begin = color.begin + block * element_block;
    const std::size_t size = std::min<std::size_t>(element_block, color.end - begin);
    const kernels::RestBatch* const shapes = rest.empty() ? nullptr : rest.data() + begin;
    if (model.tetrahedra_.empty()) {
      kernels::project_voxels(std::span(model.voxels_).subspan(begin, size), step, shapes);
    } else {
      kernels::project_tetrahedra(std::span(model.tetrahedra_).subspan(begin, size), step, shapes);
    }
  });
}

void Projection::damp(Workers& workers, const Model& model, double interval, std::span<const Eigen::Vector3d> start,
                      std::span<const Eigen::Vector3d> displacements, std::span<Eigen::Vector3d> velocities) {
  const std::size_t count = start.size();
  if (count == 0 || !(model.damping_ > 0)) return;
  points_.resize(count + 1);
  ends_.resize(count + 1);
  before_.resize(count + 1);
  const kernels::ElementStep step{.h = interval,
                                  .points = points_.data(),
                                  .before = before_.data(),
                                  .damping = model.damping_,
                                  .inverse_size = model.inverse_size_};
  list_blocks(model);
  loop_.run(workers, blocks_, [&](std::size_t stage, std::uint32_t block) {
    if (stage == 0 || stage + 1 == blocks_.size()) {
      const std::size_t begin = block * node_block;
      const std::size_t end = std::min(begin + node_block, count);
      if (stage == 0) {
        predict_nodes(start, displacements, model.inverse_mass_, velocities, interval, begin, end, points_.data(),
                      ends_.data(), before_.data());
      } else {
        take_node_velocities(points_.data(), ends_.data(), 1 / interval, begin, end, velocities);
      }
      return;
    }
    const Model::Range& color = model.colors_[stage - 1];
    const std::size_t begin = color.begin + block * element_block;
    const std::size_t size = std::min<std::size_t>(element_block, color.end - begin);
    if (model.tetrahedra_.empty()) {
      kernels::damp_voxels(std::span(model.voxels_).subspan(begin, size), step);
    } else {
      kernels::damp_tetrahedra(std::span(model.tetrahedra_).subspan(begin, size), step);
    }
  });
}

}  // namespace carom::solid
