#include "bounds/bounds.hpp"

#include "core/check.hpp"
#include "core/stage_timer.hpp"

namespace carom::bounds {

namespace {

constexpr std::size_t vertex_grain = 4096;
constexpr std::size_t triangle_grain = 2048;

// Closest points are computed to about 1e-15 of the largest coordinate (tests/geometry); a
// hundred times that is still far below a float's resolution, so it costs no candidates.
constexpr double relative_slack = 1e-13;

double largest_coordinate(Context& context, std::span<const Eigen::Vector3d> positions, std::vector<double>& partial) {
  // A NaN must win over every number: the comparison is written so that it does.
  const auto larger = [](double a, double b) { return !(b <= a) ? b : a; };
  const double largest = parallel_reduce(
      context.workers, positions.size(), vertex_grain, 0.0,
      [&](std::size_t begin, std::size_t end) {
        double value = 0;
        for (std::size_t i = begin; i < end; ++i) {
          for (int k = 0; k < 3; ++k) {
            value = larger(value, std::fabs(positions[i][k]));
            if (std::isnan(value)) return value;
          }
        }
        return value;
      },
      [&](double a, double b) { return std::isnan(a) ? a : larger(a, b); }, partial);
  if (!std::isfinite(largest)) {
    for (std::size_t i = 0; i < positions.size(); ++i) {
      require(is_finite(positions[i]), ErrorCode::not_finite, "position of vertex {} is ({}, {}, {}); expected finite",
              i, positions[i].x(), positions[i].y(), positions[i].z());
    }
  }
  return largest;
}

}  // namespace

void run(Context& context, const In& in, const Options& options, Out& out, StageStats& stats) {
  const StageTimer timer(stats);
  const auto triangles = in.surface.triangles();
  const auto object_of = in.surface.object_index_of_triangle();

  out.slack = relative_slack * largest_coordinate(context, in.positions, out.partial);
  const double margin = 0.5 * options.distance + out.slack;

  out.triangles.resize(triangles.size());
  parallel_for(context.workers, triangles.size(), triangle_grain, [&](std::size_t i) {
    const Eigen::Vector3d& a = in.positions[static_cast<std::size_t>(triangles[i][0])];
    const Eigen::Vector3d& b = in.positions[static_cast<std::size_t>(triangles[i][1])];
    const Eigen::Vector3d& c = in.positions[static_cast<std::size_t>(triangles[i][2])];
    for (int k = 0; k < 3; ++k) {
      out.triangles[i].min[static_cast<std::size_t>(k)] = round_down(std::min({a[k], b[k], c[k]}) - margin);
      out.triangles[i].max[static_cast<std::size_t>(k)] = round_up(std::max({a[k], b[k], c[k]}) + margin);
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
