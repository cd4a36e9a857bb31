#include "shapes/mesh_room.hpp"

#include <algorithm>

#include "core/at.hpp"
#include "shapes/winding.hpp"

namespace carom::shapes {
namespace {

/// Relative to area times extent: what less volume a piece has comes from rounding.
constexpr double no_volume = 1e-9;
/// Triangles of a piece that are asked whether they are inside another piece; of more, every so many.
constexpr std::size_t max_asked_triangles = 64;
/// Relative to the size of a triangle: the place that is asked is so far behind its middle, within its own piece. Faces
/// that lie on each other then tell on which side the pieces are.
constexpr double behind_face = 1e-6;

struct PieceSums {
  double volume = 0;  ///< signed
  double area = 0;
  double extent = 0;  ///< from the first corner
};

std::vector<PieceSums> measure_pieces(const MeshData& data) {
  std::vector<PieceSums> pieces(data.component_triangle.size());
  for (std::size_t t = 0; t < data.mesh.triangles.size(); ++t) {
    const Index c = data.component[t];
    const Vec3 origin = math::to_vec3(data.corner(data.component_triangle[at(c)], 0));
    const auto corner = [&](std::size_t k) { return math::to_vec3(data.corner(static_cast<Index>(t), k)) - origin; };
    const Vec3 p = corner(0);
    const Vec3 q = corner(1);
    const Vec3 r = corner(2);
    PieceSums& piece = pieces[at(c)];
    piece.volume += dot(p, math::cross(q, r)) / 6;
    piece.area += 0.5 * math::length(math::cross(q - p, r - p));
    piece.extent = std::max({piece.extent, math::length(p), math::length(q), math::length(r)});
  }
  return pieces;
}

/// Behind the middle of a triangle.
Vec3 place_behind(const MeshData& data, Index t) {
  const Vec3 p = math::to_vec3(data.corner(t, 0));
  const Vec3 u = math::to_vec3(data.corner(t, 1)) - p;
  const Vec3 v = math::to_vec3(data.corner(t, 2)) - p;
  const double size = std::max(math::length(u), math::length(v));
  return p + (1. / 3) * (u + v) - (behind_face * size) * math::unit_or_zero(math::cross(u, v));
}

}  // namespace

bool faces_inward(const MeshData& data) {
  if (!data.any_closed) return false;
  const std::vector<PieceSums> pieces = measure_pieces(data);
  std::vector<std::uint8_t> inward(pieces.size(), 0);
  std::vector<std::uint8_t> outward(pieces.size(), 0);
  for (std::size_t c = 0; c < pieces.size(); ++c) {
    const double smallest = no_volume * pieces[c].area * pieces[c].extent;
    inward[c] = data.closed[c] != 0 && pieces[c].volume < -smallest ? 1 : 0;
    outward[c] = data.closed[c] != 0 && pieces[c].volume > smallest ? 1 : 0;
  }
  if (std::find(inward.begin(), inward.end(), 1) == inward.end()) return false;
  if (std::find(outward.begin(), outward.end(), 1) == outward.end()) return true;
  std::vector<std::vector<Index>> triangles(pieces.size());
  for (std::size_t t = 0; t < data.mesh.triangles.size(); ++t) {
    if (outward[at(data.component[t])] != 0) triangles[at(data.component[t])].push_back(static_cast<Index>(t));
  }
  const auto stands_in_room = [&](const std::vector<Index>& piece) {
    const std::size_t step = (piece.size() + max_asked_triangles - 1) / max_asked_triangles;
    for (std::size_t i = 0; i < piece.size(); i += step) {
      const Winding winding = winding_number(data, place_behind(data, piece[i]), inward);
      if (!winding.on_surface && winding.number < 0) return true;
    }
    return false;
  };
  return std::all_of(triangles.begin(), triangles.end(),
                     [&](const std::vector<Index>& piece) { return piece.empty() || stands_in_room(piece); });
}

}  // namespace carom::shapes
