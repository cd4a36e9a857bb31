#include <algorithm>
#include <cassert>

#include "bodies/cloth.hpp"

namespace carom::cloth {

namespace {

/// Vertices and batches that a thread takes at a time.
constexpr std::size_t vertex_block = 2048;
constexpr std::size_t batch_block = 64;

double strain_of(const kernels::StretchBatch& b, std::size_t lane, std::size_t axis, std::span<const Eigen::Vector3d> x,
                 Eigen::Vector3d& column) {
  const Eigen::Vector3d& p = x[static_cast<std::size_t>(b.corners[0][lane])];
  column = b.gradient[axis][0][lane] * (x[static_cast<std::size_t>(b.corners[1][lane])] - p) +
           b.gradient[axis][1][lane] * (x[static_cast<std::size_t>(b.corners[2][lane])] - p);
  return column.norm() - 1;
}

// Loops over vertices in plain numbers: through vectors of Eigen they take several times as long.
void predict(std::span<const Eigen::Vector3d> start, std::span<const Eigen::Vector3d> displacements,
             std::span<const double> inverse_mass, std::span<const Eigen::Vector3d> velocities, double h,
             std::size_t begin, std::size_t end, kernels::ClothPoint* points, kernels::ClothPoint* ends) {
  const double* const x = start.data()->data();
  const double* const d = displacements.empty() ? nullptr : displacements.data()->data();
  const double* const v = velocities.data()->data();
  for (std::size_t i = begin; i < end; ++i) {
    double p[3];
    for (std::size_t k = 0; k < 3; ++k)
      p[k] = (d == nullptr ? x[3 * i + k] : x[3 * i + k] + d[3 * i + k]) + h * v[3 * i + k];
    const kernels::ClothPoint point{p[0], p[1], p[2], inverse_mass[i]};
    points[i] = point;
    ends[i] = point;
  }
}

void note_start(std::span<const Eigen::Vector3d> start, std::span<const Eigen::Vector3d> displacements,
                std::size_t begin, std::size_t end, kernels::ClothPoint* before) {
  const double* const x = start.data()->data();
  const double* const d = displacements.empty() ? nullptr : displacements.data()->data();
  for (std::size_t i = begin; i < end; ++i) {
    double p[3];
    for (std::size_t k = 0; k < 3; ++k) p[k] = d == nullptr ? x[3 * i + k] : x[3 * i + k] + d[3 * i + k];
    before[i] = {p[0], p[1], p[2], 0};
  }
}

/// Points that nothing moves end where they would have.
void take_velocities(const kernels::ClothPoint* points, const kernels::ClothPoint* ends, double per_h,
                     std::size_t begin, std::size_t end, std::span<Eigen::Vector3d> velocities) {
  double* const v = velocities.data()->data();
  for (std::size_t i = begin; i < end; ++i) {
    v[3 * i] += per_h * (points[i].x - ends[i].x);
    v[3 * i + 1] += per_h * (points[i].y - ends[i].y);
    v[3 * i + 2] += per_h * (points[i].z - ends[i].z);
  }
}

}  // namespace

double Model::energy(std::span<const Eigen::Vector3d> positions) const {
  double sum = 0;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    if (order_[i] >= triangle_count_) continue;
    const kernels::StretchBatch& batch = stretch_[i / kernels::cloth_lanes];
    const std::size_t lane = i % kernels::cloth_lanes;
    Eigen::Vector3d u;
    Eigen::Vector3d v;
    const double warp = strain_of(batch, lane, 0, positions, u);
    const double weft = strain_of(batch, lane, 1, positions, v);
    const double shear = u.dot(v);
    sum += 0.5 * (warp * warp / batch.compliance[0][lane] + weft * weft / batch.compliance[1][lane] +
                  shear * shear / batch.compliance[2][lane]);
  }
  for (const kernels::BendBatch& batch : bend_) {
    for (std::size_t lane = 0; lane < kernels::cloth_lanes; ++lane) {
      if (static_cast<std::size_t>(batch.vertices[0][lane]) == vertex_count_) continue;
      const auto point = [&](std::size_t k) -> const Eigen::Vector3d& {
        return positions[static_cast<std::size_t>(batch.vertices[k][lane])];
      };
      const Eigen::Vector3d e1 = point(1) - point(0);
      const Eigen::Vector3d e2 = point(2) - point(0);
      const Eigen::Vector3d e3 = point(3) - point(0);
      const Eigen::Vector3d bend = batch.weight[0][lane] * e1 + batch.weight[1][lane] * e2 + batch.weight[2][lane] * e3;
      const bool away = bend.dot(e1.cross(e2) + e3.cross(e1)) < 0;
      const double value = bend.norm() + (away ? batch.rest[lane] : -batch.rest[lane]);
      sum += 0.5 * value * value / batch.compliance[lane];
    }
  }
  return sum;
}

std::vector<double> Model::strains(std::span<const Eigen::Vector3d> positions) const {
  std::vector<double> strain(triangle_count_);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    if (order_[i] >= triangle_count_) continue;
    const kernels::StretchBatch& batch = stretch_[i / kernels::cloth_lanes];
    Eigen::Vector3d column;
    strain[order_[i]] = std::max(strain_of(batch, i % kernels::cloth_lanes, 0, positions, column),
                                 strain_of(batch, i % kernels::cloth_lanes, 1, positions, column));
  }
  return strain;
}

void Projection::run(Workers& workers, const Model& model, double h, std::span<const Eigen::Vector3d> positions,
                     std::span<const double> inverse_mass, std::span<Eigen::Vector3d> velocities) {
  run(workers, model, h, positions, {}, inverse_mass, velocities);
}

void Projection::run(Workers& workers, const Model& model, double h, std::span<const Eigen::Vector3d> start,
                     std::span<const Eigen::Vector3d> displacements, std::span<const double> inverse_mass,
                     std::span<Eigen::Vector3d> velocities) {
  assert(start.size() == model.vertex_count() && velocities.size() == start.size());
  const std::size_t count = start.size();
  if (count == 0) return;
  points_.resize(count + 1);
  ends_.resize(count);
  if (model.damped_) before_.resize(count + 1);
  const int bend_every = bend_step_ >= 4 * h ? 4 : bend_step_ >= 2 * h ? 2 : 1;
  const bool bends = ++since_bending_ % bend_every == 0;
  const kernels::ClothStep step{.h = h,
                                .bend_interval = bend_every * h,
                                .points = points_.data(),
                                .before = before_.data(),
                                .damped = model.damped_,
                                .limited = model.limited_};

  // Stage 0 predicts, the last one takes the velocities, those between are colors: bending first, as stretch is stiffer
  // and what comes last holds best.
  const auto vertex_blocks = static_cast<std::uint32_t>(chunk_count(count, vertex_block));
  const auto blocks_of = [](const Model::Range& color) {
    return static_cast<std::uint32_t>(chunk_count(color.end - color.begin, batch_block));
  };
  blocks_.clear();
  blocks_.push_back(vertex_blocks);
  if (bends) {
    for (const Model::Range& color : model.bend_colors_) blocks_.push_back(blocks_of(color));
  }
  for (const Model::Range& color : model.stretch_colors_) blocks_.push_back(blocks_of(color));
  blocks_.push_back(vertex_blocks);

  const double per_h = 1 / h;
  const std::size_t bend = bends ? model.bend_colors_.size() : 0;
  loop_.run(workers, blocks_, [&](std::size_t stage, std::uint32_t block) {
    if (stage == 0 || stage + 1 == blocks_.size()) {
      const std::size_t begin = block * vertex_block;
      const std::size_t end = std::min(begin + vertex_block, count);
      if (stage == 0) {
        predict(start, displacements, inverse_mass, velocities, h, begin, end, points_.data(), ends_.data());
        if (model.damped_) note_start(start, displacements, begin, end, before_.data());
      } else {
        take_velocities(points_.data(), ends_.data(), per_h, begin, end, velocities);
      }
      return;
    }
    const Model::Range& color = stage <= bend ? model.bend_colors_[stage - 1] : model.stretch_colors_[stage - 1 - bend];
    const std::size_t begin = color.begin + block * batch_block;
    const std::size_t size = std::min<std::size_t>(batch_block, color.end - begin);
    if (stage <= bend) {
      kernels::project_bending(std::span(model.bend_).subspan(begin, size), step, model.flat_);
    } else {
      kernels::project_stretch(std::span(model.stretch_).subspan(begin, size), step);
    }
  });
}

}  // namespace carom::cloth
