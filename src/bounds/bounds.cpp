#include "bounds/bounds.hpp"

#include <cmath>
#include <limits>

#include "core/check.hpp"
#include "core/stage_timer.hpp"

namespace carom::bounds {

namespace {

constexpr std::size_t vertex_grain = 4096;
constexpr std::size_t triangle_grain = 2048;

/// Extents of the objects, in runs of vertices of one object. A NaN or an infinity shows in a sum of
/// all coordinates times zero, which costs less than looking at each.
void objects_of_vertices(Context& context, const In& in, Out& out) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto object_of = in.surface.object_index_of_vertex();
  out.append.run(
      context.workers, in.positions.size(), vertex_grain, out.parts,
      [&](std::size_t begin, std::size_t end, std::vector<Out::Part>& parts, std::size_t) {
        while (begin < end) {
          Out::Part part{object_of[begin], {infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
          double not_finite = 0;
          std::size_t i = begin;
          for (; i < end && object_of[i] == part.object; ++i) {
            const double* x = in.positions[i].data();
            for (std::size_t k = 0; k < 3; ++k) {
              part.low[k] = x[k] < part.low[k] ? x[k] : part.low[k];
              part.high[k] = x[k] > part.high[k] ? x[k] : part.high[k];
              not_finite += x[k] * 0.0;
            }
          }
          // Marked for the caller, who names the first one.
          if (not_finite != 0) part.low[0] = std::numeric_limits<double>::quiet_NaN();
          parts.push_back(part);
          begin = i;
        }
      });
}

[[noreturn]] void fail_not_finite(std::span<const Eigen::Vector3d> positions) {
  std::size_t i = 0;
  while (i + 1 < positions.size() && is_finite(positions[i])) ++i;
  const Eigen::Vector3d& p = positions[i];
  fail(ErrorCode::not_finite, "position of vertex {} is ({}, {}, {}); expected finite", i, p.x(), p.y(), p.z());
}

}  // namespace

void run(Context& context, const In& in, const Options& options, Out& out, StageStats& stats) {
  const StageTimer timer(stats);
  objects_of_vertices(context, in, out);
  const std::size_t objects = in.surface.objects().size();
  const std::span<Out::Part> extents = context.arena.make<Out::Part>(objects);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (Out::Part& e : extents) e = {none, {infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
  for (const Out::Part& part : out.parts) {
    if (!(part.low[0] <= part.high[0])) fail_not_finite(in.positions);
    if (part.object == none) continue;
    Out::Part& e = extents[static_cast<std::size_t>(part.object)];
    e.object = part.object;
    for (std::size_t k = 0; k < 3; ++k) {
      e.low[k] = std::min(e.low[k], part.low[k]);
      e.high[k] = std::max(e.high[k], part.high[k]);
    }
  }
  out.objects.assign(objects, Box{});
  for (std::size_t o = 0; o < objects; ++o) {
    const Out::Part& e = extents[o];
    if (e.object == none) continue;
    const double size = (e.high[0] - e.low[0]) + (e.high[1] - e.low[1]) + (e.high[2] - e.low[2]);
    const double margin = 0.5 * options.distance + relative_slack * (size + options.distance);
    for (std::size_t k = 0; k < 3; ++k) {
      out.objects[o].min[k] = round_down(e.low[k] - margin);
      out.objects[o].max[k] = round_up(e.high[k] + margin);
    }
  }

  const auto triangles = in.surface.triangles();
  out.triangles.resize(options.triangles ? triangles.size() : 0);
  parallel_for(context.workers, out.triangles.size(), triangle_grain, [&](std::size_t i) {
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
  stats.in += triangles.size();
  stats.out += triangles.size();
}

}  // namespace carom::bounds
