#include "bounds/bounds.hpp"

#include "core/check.hpp"
#include "core/stage_timer.hpp"

namespace carom::bounds {

namespace {

constexpr std::size_t vertex_grain = 4096;
constexpr std::size_t triangle_grain = 2048;

void check_finite(Context& context, std::span<const Eigen::Vector3d> positions, std::vector<std::size_t>& partial) {
  const std::size_t first_bad = parallel_reduce(
      context.workers, positions.size(), vertex_grain, positions.size(),
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          if (!is_finite(positions[i])) return i;
        }
        return positions.size();
      },
      [](std::size_t a, std::size_t b) { return std::min(a, b); }, partial);
  if (first_bad == positions.size()) return;
  const Eigen::Vector3d& p = positions[first_bad];
  fail(ErrorCode::not_finite, "position of vertex {} is ({}, {}, {}); expected finite", first_bad, p.x(), p.y(), p.z());
}

}  // namespace

void run(Context& context, const In& in, const Options& options, Out& out, StageStats& stats) {
  const StageTimer timer(stats);
  const auto triangles = in.surface.triangles();
  const auto object_of = in.surface.object_index_of_triangle();
  check_finite(context, in.positions, out.first_bad);

  out.triangles.resize(triangles.size());
  parallel_for(context.workers, triangles.size(), triangle_grain, [&](std::size_t i) {
    const Eigen::Array3d a = in.positions[static_cast<std::size_t>(triangles[i][0])];
    const Eigen::Array3d b = in.positions[static_cast<std::size_t>(triangles[i][1])];
    const Eigen::Array3d c = in.positions[static_cast<std::size_t>(triangles[i][2])];
    const Eigen::Array3d low = a.min(b).min(c);
    const Eigen::Array3d high = a.max(b).max(c);
    const double margin = 0.5 * options.distance + relative_slack * ((high - low).sum() + options.distance);
    for (int k = 0; k < 3; ++k) {
      out.triangles[i].min[static_cast<std::size_t>(k)] = round_down(low[k] - margin);
      out.triangles[i].max[static_cast<std::size_t>(k)] = round_up(high[k] + margin);
    }
  });

  out.objects.assign(in.surface.objects().size(), Box{});
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    out.objects[static_cast<std::size_t>(object_of[i])].grow(out.triangles[i]);
  }
  stats.in += triangles.size();
  stats.out += triangles.size();
}

}  // namespace carom::bounds
