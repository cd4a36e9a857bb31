#include "bounds/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.hpp"
#include "core/stage_timer.hpp"
#include "kernels/point_bounds.hpp"

namespace carom::bounds {

namespace {

constexpr std::size_t vertex_grain = 4096;
constexpr std::size_t triangle_grain = 2048;

/// Adds where the vertices of the piece are.
void measure(std::span<const Eigen::Vector3d> positions, Out::Piece& piece) {
  static_assert(sizeof(Eigen::Vector3d) == 3 * sizeof(double));
  const kernels::PointBounds bounds = kernels::bound_points(positions[piece.begin].data(), piece.end - piece.begin);
  for (std::size_t k = 0; k < 3; ++k) {
    piece.low[k] = std::min(piece.low[k], bounds.low[k]);
    piece.high[k] = std::max(piece.high[k], bounds.high[k]);
  }
  piece.finite = piece.finite && bounds.finite;
}

}  // namespace

void cut_into_pieces(const Surface& surface, Out& out) {
  if (out.revision == surface.revision()) return;
  out.revision = 0;  // of no surface, should memory run out on the way
  out.pieces.clear();
  const auto object_of = [&](std::size_t vertex) {
    const Index corner = surface.first_corner(static_cast<Index>(vertex));
    return corner == none ? none : surface.object_index_of_triangle()[static_cast<std::size_t>(corner) / 3];
  };
  for (std::size_t i = 0; i < surface.vertex_count(); ++i) {
    const Index object = object_of(i);
    if (out.pieces.empty() || out.pieces.back().object != object ||
        out.pieces.back().end - out.pieces.back().begin == vertex_grain)
      out.pieces.push_back({.object = object, .begin = i, .end = i});
    ++out.pieces.back().end;
  }
  out.revision = surface.revision();
}

void fail_not_finite(const In& in) {
  for (const auto& [positions, when] : {std::pair(in.positions, ""), std::pair(in.end, " at the end of the step")}) {
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const Eigen::Vector3d& p = positions[i];
      if (is_finite(p)) continue;
      fail(ErrorCode::not_finite, "position of vertex {}{} is ({}, {}, {}); expected finite", i, when, p.x(), p.y(),
           p.z());
    }
  }
  fail(ErrorCode::not_finite, "a position is not finite");
}

void run(Context& context, const In& in, const Options& options, Out& out, StageStats& stats) {
  const StageTimer timer(stats);
  cut_into_pieces(in.surface, out);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  parallel_for(context.workers, out.pieces.size(), 1, [&](std::size_t i) {
    Out::Piece& piece = out.pieces[i];
    piece.low = {infinity, infinity, infinity};
    piece.high = {-infinity, -infinity, -infinity};
    piece.finite = true;
    measure(in.positions, piece);
    if (!in.end.empty()) measure(in.end, piece);
  });
  const std::size_t objects = in.surface.objects().size();
  const std::span<Out::Piece> extents = context.arena.make<Out::Piece>(objects);
  for (Out::Piece& e : extents) e = {.low = {infinity, infinity, infinity}, .high = {-infinity, -infinity, -infinity}};
  for (const Out::Piece& piece : out.pieces) {
    if (!piece.finite) fail_not_finite(in);
    if (piece.object == none) continue;
    Out::Piece& e = extents[static_cast<std::size_t>(piece.object)];
    e.object = piece.object;
    for (std::size_t k = 0; k < 3; ++k) {
      e.low[k] = std::min(e.low[k], piece.low[k]);
      e.high[k] = std::max(e.high[k], piece.high[k]);
    }
  }
  out.objects.assign(objects, Box{});
  for (std::size_t o = 0; o < objects; ++o) {
    const Out::Piece& e = extents[o];
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
    if (is_dead(triangles[i])) {
      out.triangles[i] = Box{};
      return;
    }
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
  stats.set_unit("triangles");
  stats.in += in.surface.live_triangle_count();
  stats.out += in.surface.live_triangle_count();
}

}  // namespace carom::bounds
