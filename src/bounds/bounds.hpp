#pragma once

#include <span>
#include <vector>

#include "bounds/box.hpp"
#include "carom/detect/detect.hpp"
#include "core/context.hpp"

/// Stage `bounds`: a box around every triangle and every object, grown so that two features closer
/// than the contact distance always have overlapping boxes.
namespace carom::bounds {

struct In {
  const Surface& surface;
  std::span<const Eigen::Vector3d> positions;
  std::span<const Eigen::Vector3d>
      end{};  ///< where vertices are at the end of a step, as many; empty: they stand still
};

struct Options {
  double distance = 0;    ///< m, the contact distance; each box grows by half of it
  bool triangles = true;  ///< false: boxes of objects only, for methods that do not start from triangles
};

struct Out {
  std::vector<Box> triangles;  ///< empty for a dead triangle
  std::vector<Box> objects;    ///< by position in Surface::objects(); empty for one without triangles

  // Working memory.
  struct Piece {
    Index object = none;
    std::size_t begin = 0;
    std::size_t end = 0;  ///< one past the last vertex
    std::array<double, 3> low{}, high{};
    bool finite = true;
  };
  std::vector<Piece> pieces;
  std::uint64_t revision = 0;  ///< of the surface that the pieces are cut from
};

/// How far rounding may put the computed distance of two features below the true one, over the
/// size of the features and their distance. Closest points are found to 1e-15 of that (tests/geometry);
/// a hundred times as much is still far below a float's resolution, so it costs no candidates.
inline constexpr double relative_slack = 1e-13;

/// Vertices of one object that follow each other, in pieces worth a chunk, into `out.pieces`. Vertices in no triangle
/// are pieces of no object: these have to be finite, too.
void cut_into_pieces(const Surface& surface, Out& out);

/// Throws Error(not_finite) that names the first vertex that is not.
[[noreturn]] void fail_not_finite(const In& in);

/// Throws Error(not_finite) that names the vertex: this is where positions enter the pipeline.
void run(Context& context, const In& in, const Options& options, Out& out, StageStats& stats);

}  // namespace carom::bounds
