#include <algorithm>
#include <cassert>

#include "bodies/cloth.hpp"
#include "core/at.hpp"

namespace carom::cloth {

namespace {

using Eigen::Vector3d;

/// Vertices and batches that a thread takes at a time.
constexpr std::size_t vertex_block = 2048;
constexpr std::size_t batch_block = 16;
/// Inner steps after which momentum that rounding has added is taken out: begin() promises a multiple.
constexpr int momentum_steps = 4;

/// Displacements at the beginning of an inner step, less what all have in common.
void note_before(std::span<const Vector3d> displacements, const Vector3d& common, std::size_t begin, std::size_t end,
                 kernels::ClothOffset* before) {
  for (std::size_t i = begin; i < end; ++i) {
    const Vector3d offset = (displacements.empty() ? Vector3d(0, 0, 0) : displacements[i]) - common;
    before[i] = {static_cast<float>(offset.x()), static_cast<float>(offset.y()), static_cast<float>(offset.z()), 0};
  }
}

}  // namespace

void Projection::note_start(Workers& workers, const Model& model, std::span<const Vector3d> start,
                            std::span<const double> inverse_mass) {
  start_.resize(model.spare_point_ + 1);
  start_.back() = {};
  parallel_chunks(workers, start.size(), vertex_block, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t v = begin; v < end; ++v) {
      start_[v] = {start[v].x(), start[v].y(), start[v].z(), inverse_mass[v]};
    }
  });
  stretch_.resize(model.stretch_.size());
  bend_.resize(model.bend_.size());
  bend_edges_.resize(model.flat_ ? 0 : model.bend_.size());
  // Batches between colors are room for cuts.
  const auto in_colors = [](std::span<const Model::Range> colors, std::size_t begin, std::size_t end) {
    return std::any_of(colors.begin(), colors.end(),
                       [&](const Model::Range& color) { return color.begin < end && begin < color.end; });
  };
  parallel_chunks(workers, stretch_.size(), batch_block, [&](std::size_t begin, std::size_t end, std::size_t) {
    if (!in_colors(model.stretch_colors_, begin, end)) return;
    kernels::note_stretch(std::span(model.stretch_).subspan(begin, end - begin), model.gradients_.data() + begin,
                          start_.data(), stretch_.data() + begin);
  });
  parallel_chunks(workers, bend_.size(), batch_block, [&](std::size_t begin, std::size_t end, std::size_t) {
    if (!in_colors(model.bend_colors_, begin, end)) return;
    kernels::note_bending(std::span(model.bend_).subspan(begin, end - begin), model.weights_.data() + begin,
                          start_.data(), bend_.data() + begin, edges_from(begin));
  });
  free_mass_ = 0;
  bool all_move = true;
  for (const double each : inverse_mass) {
    if (each > 0) free_mass_ += 1 / each;
    all_move &= each > 0;
  }
  const auto held = [&](const StretchElement& e) {
    return std::any_of(e.corners.begin(), e.corners.end(), [&](Index v) { return !(inverse_mass[at(v)] > 0); });
  };
  if (!all_move && std::any_of(model.triangles_.begin(), model.triangles_.end(), held)) free_mass_ = 0;
  known_start_ = true;
}

void Projection::keep_momentum(Workers& workers, std::span<const double> inverse_mass, std::span<Vector3d> velocities) {
  const Vector3d common = momentum_ / free_mass_;
  const double change[3] = {common.x(), common.y(), common.z()};
  momentum_.setZero();
  double* const v = velocities.data()->data();
  parallel_chunks(workers, velocities.size(), vertex_block, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t i = begin; i < end; ++i) {
      const double part = inverse_mass[i] > 0 ? 1 : 0;
      for (std::size_t k = 0; k < 3; ++k) v[3 * i + k] -= part * change[k];
    }
  });
}

void Projection::run(Workers& workers, const Model& model, double h, std::span<const Vector3d> positions,
                     std::span<const double> inverse_mass, std::span<Vector3d> velocities) {
  known_start_ = false;
  run(workers, model, {}, h, positions, {}, inverse_mass, velocities);
  if (free_mass_ > 0) keep_momentum(workers, inverse_mass, velocities);
}

Impulse Projection::run(Workers& workers, const Model& model, const Loads& loads, double h,
                        std::span<const Vector3d> start, std::span<const Vector3d> displacements,
                        std::span<const double> inverse_mass, std::span<Vector3d> velocities) {
  assert(start.size() == model.vertex_count() && velocities.size() == start.size());
  const std::size_t count = start.size();
  if (count == 0) return {};
  if (!known_start_) note_start(workers, model, start, inverse_mass);
  points_.resize(model.spare_point_ + 1);
  points_.back() = {};
  if (model.damped_) before_.resize(model.spare_point_ + 1);
  const int bend_every = bend_step_ >= 4 * h ? 4 : bend_step_ >= 2 * h ? 2 : 1;
  const bool bends = ++since_bending_ % bend_every == 0;
  const kernels::ClothStep step{.h = h,
                                .bend_interval = bend_every * h,
                                .points = points_.data(),
                                .before = before_.data(),
                                .damped = model.damped_,
                                .limited = model.limited_};

  // Stage 0 applies the loads and predicts, the last one takes the velocities, those between are colors: bending first,
  // as stretch is stiffer and what comes last holds best.
  const auto vertex_blocks = static_cast<std::uint32_t>(chunk_count(count, vertex_block));
  gained_.resize(vertex_blocks);
  air_.assign(vertex_blocks, {});
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

  const std::size_t bend = bends ? model.bend_colors_.size() : 0;
  const Vector3d common = (displacements.empty() ? Vector3d(0, 0, 0) : displacements[0]) + h * velocities[0];
  const kernels::ClothLoads plain_loads = plain(loads, h);
  const kernels::ClothVertices vertices = plain(start, displacements, inverse_mass, velocities);
  const kernels::ClothEnds ends{.h = h, .common = {common.x(), common.y(), common.z()}, .points = points_.data()};
  loop_.run(workers, blocks_, [&](std::size_t stage, std::uint32_t block) {
    if (stage == 0 || stage + 1 == blocks_.size()) {
      const std::size_t begin = block * vertex_block;
      const std::size_t end = std::min(begin + vertex_block, count);
      if (stage == 0) {
        air_[block] = kernels::begin_cloth_step(plain_loads, ends, vertices, begin, end);
        if (model.damped_) note_before(displacements, common, begin, end, before_.data());
      } else {
        gained_[block] = kernels::end_cloth_step(ends, free_mass_ > 0, vertices, begin, end);
      }
      return;
    }
    const Model::Range& color = stage <= bend ? model.bend_colors_[stage - 1] : model.stretch_colors_[stage - 1 - bend];
    const std::size_t begin = color.begin + block * batch_block;
    const std::size_t size = std::min<std::size_t>(batch_block, color.end - begin);
    if (stage <= bend) {
      kernels::project_bending(std::span(model.bend_).subspan(begin, size), bend_.data() + begin, edges_from(begin),
                               step);
    } else {
      kernels::project_stretch(std::span(model.stretch_).subspan(begin, size), stretch_.data() + begin, step);
    }
  });
  if (free_mass_ > 0) {
    // The air has damped what rounding added before.
    if (plain_loads.any) momentum_ /= 1 + plain_loads.interval * plain_loads.air_damping;
    momentum_ += sum_of(gained_).linear;
    if (since_bending_ % momentum_steps == 0) keep_momentum(workers, inverse_mass, velocities);
  }
  return sum_of(air_);
}

}  // namespace carom::cloth
