#include "mesh/cell_moments.hpp"

#include <algorithm>
#include <cmath>
#include <span>

// Divergence theorem along x, column by column: the material of a column ends at its triangles, each of which has all
// of the column to its left on one side. What a triangle adds to the cell it is in follows from polynomials over the
// piece of it in this cell; what it adds to all cells to the left of that is its projected area.
namespace carom::mesh {
namespace {

using Polygon = std::vector<Eigen::Vector3d>;

/// Part of a polygon between two planes across an axis.
void clip_slab(const Polygon& from, int axis, double low, double high, Polygon& half, Polygon& to) {
  const auto clip = [axis](const Polygon& in, double plane, double sign, Polygon& out) {
    out.clear();
    for (std::size_t i = 0; i < in.size(); ++i) {
      const Eigen::Vector3d& a = in[i];
      const Eigen::Vector3d& b = in[i + 1 < in.size() ? i + 1 : 0];
      const double da = sign * (a[axis] - plane);
      const double db = sign * (b[axis] - plane);
      if (da >= 0) out.push_back(a);
      if ((da > 0 && db < 0) || (da < 0 && db > 0)) {
        // From the lower end, so that neighbors get the same point.
        const bool forward = a[axis] < b[axis];
        const Eigen::Vector3d& lower = forward ? a : b;
        const Eigen::Vector3d& upper = forward ? b : a;
        Eigen::Vector3d cut = lower + ((plane - lower[axis]) / (upper[axis] - lower[axis])) * (upper - lower);
        cut[axis] = plane;
        out.push_back(cut);
      }
    }
  };
  clip(from, low, 1, half);
  clip(half, high, -1, to);
}

struct Range {
  std::int32_t first = 0;
  std::int32_t last = 0;
};

/// Cells that a polygon meets with more than its border; a polygon in a plane of the grid is in one of the two.
Range range_of(const Polygon& polygon, int axis, std::int32_t count) {
  double low = polygon[0][axis];
  double high = low;
  for (const Eigen::Vector3d& p : polygon) {
    low = std::min(low, p[axis]);
    high = std::max(high, p[axis]);
  }
  const auto first = std::clamp(static_cast<std::int32_t>(std::floor(low)), 0, count - 1);
  const auto last = std::clamp(static_cast<std::int32_t>(std::ceil(high)) - 1, first, count - 1);
  return {first, last};
}

/// Piece of a triangle in a cell.
struct Piece {
  Cell cell{};
  std::array<double, 8> own{};     ///< added to the weights of the cell itself
  std::array<double, 4> beyond{};  ///< for each corner in y and z: added to the weights of all cells to the left, twice
};

/// Rule of degree 4 with 6 points (Dunavant 1985): two orbits of three points, their weight and repeated coordinate.
constexpr std::array<std::array<double, 2>, 2> rule{
    {{0.223381589678011465, 0.445948490915964886}, {0.109951743655321868, 0.0915762135097707435}}};

Piece integrate(const Polygon& polygon, const Cell& cell) {
  Piece piece{.cell = cell};
  const Eigen::Vector3d low(cell[0], cell[1], cell[2]);
  for (std::size_t i = 1; i + 1 < polygon.size(); ++i) {
    const std::array<Eigen::Vector3d, 3> p{polygon[0] - low, polygon[i] - low, polygon[i + 1] - low};
    const Eigen::Vector3d a = p[1] - p[0];
    const Eigen::Vector3d b = p[2] - p[0];
    const double area = 0.5 * (a.y() * b.z() - a.z() * b.y());  // across x; positive with material to the left
    if (area == 0) continue;
    for (const auto& [weight, repeated] : rule) {
      for (std::size_t k = 0; k < 3; ++k) {
        const Eigen::Vector3d at = repeated * (p[0] + p[1] + p[2]) + (1 - 3 * repeated) * p[k];
        const std::array<double, 2> x{at.x() - 0.5 * at.x() * at.x(), 0.5 * at.x() * at.x()};
        const std::array<double, 2> y{1 - at.y(), at.y()};
        const std::array<double, 2> z{1 - at.z(), at.z()};
        for (std::size_t c = 0; c < 4; ++c) {
          const double across = weight * area * y[c & 1] * z[c >> 1];
          piece.beyond[c] += across;
          piece.own[2 * c] += across * x[0];
          piece.own[2 * c + 1] += across * x[1];
        }
      }
    }
  }
  return piece;
}

bool before(const Cell& a, const Cell& b) {
  return std::array{a[2], a[1], a[0]} < std::array{b[2], b[1], b[0]};
}

std::vector<Piece> pieces_of(const TriangleMesh& mesh, const Cell& count) {
  std::vector<Piece> pieces;
  Polygon triangle(3);
  Polygon half;
  Polygon layer;
  Polygon row;
  Polygon inside;
  for (const Triangle& t : mesh.triangles) {
    for (std::size_t k = 0; k < 3; ++k) triangle[k] = mesh.positions[static_cast<std::size_t>(t[k])];
    const Range z = range_of(triangle, 2, count[2]);
    for (std::int32_t k = z.first; k <= z.last; ++k) {
      clip_slab(triangle, 2, k, k + 1, half, layer);
      if (layer.empty()) continue;
      const Range y = range_of(layer, 1, count[1]);
      for (std::int32_t j = y.first; j <= y.last; ++j) {
        clip_slab(layer, 1, j, j + 1, half, row);
        if (row.empty()) continue;
        const Range x = range_of(row, 0, count[0]);
        for (std::int32_t i = x.first; i <= x.last; ++i) {
          clip_slab(row, 0, i, i + 1, half, inside);
          if (!inside.empty()) pieces.push_back(integrate(inside, {i, j, k}));
        }
      }
    }
  }
  // Stable: sums are then made in the order of the triangles.
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return before(a.cell, b.cell); });
  return pieces;
}

/// Cells of one column, from right to left.
void fill_column(std::span<const Piece> pieces, std::vector<CellMaterial>& out) {
  std::array<double, 4> beyond{};
  const auto first_out = static_cast<std::ptrdiff_t>(out.size());
  for (std::size_t end = pieces.size(); end > 0;) {
    std::size_t begin = end;
    while (begin > 0 && pieces[begin - 1].cell == pieces[end - 1].cell) --begin;
    CellMaterial& material = out.emplace_back();
    material.cell = pieces[end - 1].cell;
    for (std::size_t c = 0; c < 8; ++c) material.weight[c] = 0.5 * beyond[c >> 1];
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t c = 0; c < 8; ++c) material.weight[c] += pieces[i].own[c];
      for (std::size_t c = 0; c < 4; ++c) beyond[c] += pieces[i].beyond[c];
    }
    Cell cell = material.cell;
    const std::int32_t next = begin > 0 ? pieces[begin - 1].cell[0] : cell[0] - 1;
    // No triangle is in the cells up to the next piece: they are inside or outside as a whole.
    const double winding = beyond[0] + beyond[1] + beyond[2] + beyond[3];
    for (--cell[0]; cell[0] > next; --cell[0]) {
      if (!(winding > 0.5)) continue;
      CellMaterial& full = out.emplace_back();
      full.cell = cell;
      full.weight.fill(0.125);
    }
    end = begin;
  }
  std::reverse(out.begin() + first_out, out.end());
}

}  // namespace

std::vector<CellMaterial> cell_materials(const TriangleMesh& mesh, const Cell& count) {
  const std::vector<Piece> pieces = pieces_of(mesh, count);
  std::vector<CellMaterial> out;
  for (std::size_t begin = 0; begin < pieces.size();) {
    std::size_t end = begin;
    while (end < pieces.size() && pieces[end].cell[1] == pieces[begin].cell[1] &&
           pieces[end].cell[2] == pieces[begin].cell[2])
      ++end;
    fill_column(std::span(pieces).subspan(begin, end - begin), out);
    begin = end;
  }
  return out;
}

}  // namespace carom::mesh
