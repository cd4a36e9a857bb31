#include <algorithm>
#include <cassert>

#include "bodies/cloth.hpp"
#include "core/at.hpp"

namespace carom::cloth {

namespace {

using Eigen::Vector3d;

/// Vertices and batches that a thread takes at a time.
constexpr std::size_t vertex_block = 2048;
constexpr std::size_t batch_block = 64;

// Loops over vertices in plain numbers: through vectors of Eigen they take several times as long.

/// Displacements at the end of an inner step, less one that all have in common.
void predict(std::span<const Vector3d> displacements, std::span<const double> inverse_mass,
             std::span<const Vector3d> velocities, double h, const Vector3d& common, std::size_t begin, std::size_t end,
             kernels::ClothOffset* points, kernels::ClothOffset* ends) {
  const double* const d = displacements.empty() ? nullptr : displacements.data()->data();
  const double* const v = velocities.data()->data();
  for (std::size_t i = begin; i < end; ++i) {
    float p[3];
    for (std::size_t k = 0; k < 3; ++k) {
      const double offset = (d == nullptr ? 0 : d[3 * i + k]) + h * v[3 * i + k];
      p[k] = static_cast<float>(offset - common.data()[k]);
    }
    const kernels::ClothOffset point{p[0], p[1], p[2], static_cast<float>(inverse_mass[i])};
    points[i] = point;
    ends[i] = point;
  }
}

/// Displacements at its beginning.
void note_before(std::span<const Vector3d> displacements, const Vector3d& common, std::size_t begin, std::size_t end,
                 kernels::ClothOffset* before) {
  for (std::size_t i = begin; i < end; ++i) {
    const Vector3d offset = (displacements.empty() ? Vector3d(0, 0, 0) : displacements[i]) - common;
    before[i] = {static_cast<float>(offset.x()), static_cast<float>(offset.y()), static_cast<float>(offset.z()), 0};
  }
}

/// Points that nothing moves end where they would have. Returns the momentum that the others have got.
Vector3d take_velocities(const kernels::ClothOffset* points, const kernels::ClothOffset* ends, double per_h,
                         std::span<const double> mass, std::size_t begin, std::size_t end,
                         std::span<Vector3d> velocities) {
  double* const v = velocities.data()->data();
  double sum[3] = {0, 0, 0};
  for (std::size_t i = begin; i < end; ++i) {
    const double change[3] = {per_h * static_cast<double>(points[i].x - ends[i].x),
                              per_h * static_cast<double>(points[i].y - ends[i].y),
                              per_h * static_cast<double>(points[i].z - ends[i].z)};
    for (std::size_t k = 0; k < 3; ++k) {
      v[3 * i + k] += change[k];
      sum[k] += mass[i] * change[k];
    }
  }
  return {sum[0], sum[1], sum[2]};
}

}  // namespace

void Projection::note_start(Workers& workers, const Model& model, std::span<const Vector3d> start,
                            std::span<const double> inverse_mass) {
  start_.resize(start.size() + 1);
  start_.back() = {};
  for (std::size_t v = 0; v < start.size(); ++v)
    start_[v] = {start[v].x(), start[v].y(), start[v].z(), inverse_mass[v]};
  stretch_.resize(model.stretch_.size());
  bend_.resize(model.bend_.size());
  parallel_chunks(workers, stretch_.size(), batch_block, [&](std::size_t begin, std::size_t end, std::size_t) {
    kernels::note_stretch(std::span(model.stretch_).subspan(begin, end - begin), model.gradients_.data() + begin,
                          start_.data(), stretch_.data() + begin);
  });
  parallel_chunks(workers, bend_.size(), batch_block, [&](std::size_t begin, std::size_t end, std::size_t) {
    kernels::note_bending(std::span(model.bend_).subspan(begin, end - begin), model.weights_.data() + begin,
                          start_.data(), model.flat_, bend_.data() + begin);
  });
  mass_.resize(start.size());
  free_mass_ = 0;
  for (std::size_t v = 0; v < mass_.size(); ++v) {
    mass_[v] = inverse_mass[v] > 0 ? 1 / inverse_mass[v] : 0;
    free_mass_ += mass_[v];
  }
  const auto held = [&](const StretchElement& e) {
    return std::any_of(e.corners.begin(), e.corners.end(), [&](Index v) { return !(inverse_mass[at(v)] > 0); });
  };
  if (std::any_of(model.triangles_.begin(), model.triangles_.end(), held)) free_mass_ = 0;
  known_start_ = true;
}

void Projection::keep_momentum(std::span<const double> inverse_mass, std::span<Vector3d> velocities) const {
  Vector3d gained(0, 0, 0);
  for (const Vector3d& part : gained_) gained += part;
  const Vector3d change = gained / free_mass_;
  for (std::size_t v = 0; v < velocities.size(); ++v) {
    if (inverse_mass[v] > 0) velocities[v] -= change;
  }
}

void Projection::run(Workers& workers, const Model& model, double h, std::span<const Vector3d> positions,
                     std::span<const double> inverse_mass, std::span<Vector3d> velocities) {
  known_start_ = false;
  run(workers, model, h, positions, {}, inverse_mass, velocities);
}

void Projection::run(Workers& workers, const Model& model, double h, std::span<const Vector3d> start,
                     std::span<const Vector3d> displacements, std::span<const double> inverse_mass,
                     std::span<Vector3d> velocities) {
  assert(start.size() == model.vertex_count() && velocities.size() == start.size());
  const std::size_t count = start.size();
  if (count == 0) return;
  if (!known_start_) note_start(workers, model, start, inverse_mass);
  points_.resize(count + 1);
  points_.back() = {};
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
  gained_.resize(vertex_blocks);
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
  const Vector3d common = (displacements.empty() ? Vector3d(0, 0, 0) : displacements[0]) + h * velocities[0];
  loop_.run(workers, blocks_, [&](std::size_t stage, std::uint32_t block) {
    if (stage == 0 || stage + 1 == blocks_.size()) {
      const std::size_t begin = block * vertex_block;
      const std::size_t end = std::min(begin + vertex_block, count);
      if (stage == 0) {
        predict(displacements, inverse_mass, velocities, h, common, begin, end, points_.data(), ends_.data());
        if (model.damped_) note_before(displacements, common, begin, end, before_.data());
      } else {
        gained_[block] = take_velocities(points_.data(), ends_.data(), per_h, mass_, begin, end, velocities);
      }
      return;
    }
    const Model::Range& color = stage <= bend ? model.bend_colors_[stage - 1] : model.stretch_colors_[stage - 1 - bend];
    const std::size_t begin = color.begin + block * batch_block;
    const std::size_t size = std::min<std::size_t>(batch_block, color.end - begin);
    if (stage <= bend) {
      kernels::project_bending(std::span(model.bend_).subspan(begin, size), bend_.data() + begin, step, model.flat_);
    } else {
      kernels::project_stretch(std::span(model.stretch_).subspan(begin, size), stretch_.data() + begin, step);
    }
  });
  if (free_mass_ > 0) keep_momentum(inverse_mass, velocities);
}

}  // namespace carom::cloth
