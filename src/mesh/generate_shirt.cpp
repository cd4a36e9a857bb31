#include <algorithm>
#include <cmath>

#include "carom/mesh/garment.hpp"
#include "mesh/generate_check.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;

/// Squares of a panel on a lattice: columns from the end of one sleeve to that of the other, rows from the shoulders
/// down.
struct Panel {
  int columns = 0;
  int rows = 0;
  int sleeve_columns = 0;  ///< of each
  int sleeve_rows = 0;
  int neck_begin = 0;  ///< columns of the opening
  int neck_end = 0;
  int neck_rows = 0;

  bool holds(int column, int row) const {
    if (column < 0 || column >= columns || row < 0 || row >= rows) return false;
    if (row < neck_rows && column >= neck_begin && column < neck_end) return false;
    return row < sleeve_rows || (column >= sleeve_columns && column < columns - sleeve_columns);
  }
  /// Whether a corner of the lattice belongs to a square.
  bool has_corner(int column, int row) const {
    return holds(column, row) || holds(column - 1, row) || holds(column, row - 1) || holds(column - 1, row - 1);
  }
};

int squares(double length, double edge, int least) {
  return std::max(least, static_cast<int>(std::lround(length / edge)));
}

Panel make_panel(const ShirtPattern& p, bool front) {
  const int body = squares(p.width, p.edge, 3);
  int neck = squares(p.neck_width, p.edge, 1);
  if ((body - neck) % 2 != 0) ++neck;  // in the middle
  Panel panel;
  panel.sleeve_columns = squares(p.sleeve_length, p.edge, 1);
  panel.columns = body + 2 * panel.sleeve_columns;
  panel.rows = squares(p.length, p.edge, 3);
  panel.sleeve_rows = squares(p.sleeve_width, p.edge, 2);
  panel.neck_begin = (panel.columns - neck) / 2;
  panel.neck_end = panel.neck_begin + neck;
  panel.neck_rows = front ? squares(p.neck_depth, p.edge, 1) : 1;
  return panel;
}

void check_pattern(const ShirtPattern& p) {
  const auto positive = [](const char* field, double value) { mesh::require_positive("make_shirt", field, value); };
  positive("width", p.width);
  positive("length", p.length);
  positive("sleeve_length", p.sleeve_length);
  positive("sleeve_width", p.sleeve_width);
  positive("neck_width", p.neck_width);
  positive("neck_depth", p.neck_depth);
  positive("distance", p.distance);
  positive("edge", p.edge);
  mesh::require_indexable("make_shirt", "width, length, sleeve_length and edge",
                          4 * (p.width + 2 * p.sleeve_length) / p.edge * (p.length / p.edge));
  const Panel panel = make_panel(p, true);
  require(panel.sleeve_rows < panel.rows, ErrorCode::invalid_argument,
          "make_shirt: sleeve_width is {}; expected less than length, {}, by a square", p.sleeve_width, p.length);
  require(panel.neck_rows < panel.rows - 1, ErrorCode::invalid_argument,
          "make_shirt: neck_depth is {}; expected less than length, {}", p.neck_depth, p.length);
  require(panel.neck_begin > panel.sleeve_columns, ErrorCode::invalid_argument,
          "make_shirt: neck_width is {}; expected less than width, {}, by two squares", p.neck_width, p.width);
}

/// Numbers of the corners of a panel, row by row; -1 where it has none.
std::vector<Index> number_corners(const Panel& panel, Index first) {
  std::vector<Index> numbers;
  for (int row = 0; row <= panel.rows; ++row) {
    for (int column = 0; column <= panel.columns; ++column)
      numbers.push_back(panel.has_corner(column, row) ? first++ : Index{-1});
  }
  return numbers;
}

Index corner_count(const Panel& panel) {
  const std::vector<Index> numbers = number_corners(panel, 0);
  return static_cast<Index>(std::count_if(numbers.begin(), numbers.end(), [](Index n) { return n >= 0; }));
}

void add_panel(const ShirtPattern& pattern, const Panel& panel, bool front, TriangleMesh& mesh) {
  const std::vector<Index> numbers = number_corners(panel, static_cast<Index>(mesh.positions.size()));
  const auto number = [&](int column, int row) {
    return numbers[static_cast<std::size_t>(row) * static_cast<std::size_t>(panel.columns + 1) +
                   static_cast<std::size_t>(column)];
  };
  for (int row = 0; row <= panel.rows; ++row) {
    for (int column = 0; column <= panel.columns; ++column) {
      if (number(column, row) < 0) continue;
      mesh.positions.emplace_back(pattern.edge * (column - 0.5 * panel.columns), -pattern.edge * row,
                                  (front ? 0.5 : -0.5) * pattern.distance);
    }
  }
  const auto add = [&](Index a, Index b, Index c) {  // in the order that faces +z
    mesh.triangles.push_back(front ? Triangle{a, b, c} : Triangle{a, c, b});
  };
  for (int row = 0; row < panel.rows; ++row) {
    for (int column = 0; column < panel.columns; ++column) {
      if (!panel.holds(column, row)) continue;
      const Index a = number(column, row);
      const Index b = number(column + 1, row);
      const Index c = number(column, row + 1);
      const Index d = number(column + 1, row + 1);
      if ((column + row) % 2 == 0) {
        add(a, c, d);
        add(a, d, b);
      } else {
        add(a, c, b);
        add(b, c, d);
      }
    }
  }
}

}  // namespace

TriangleMesh make_shirt(const ShirtPattern& pattern) {
  check_pattern(pattern);
  TriangleMesh mesh;
  for (const bool front : {true, false}) add_panel(pattern, make_panel(pattern, front), front, mesh);
  return mesh;
}

std::vector<GarmentSeam> shirt_seams(const ShirtPattern& pattern) {
  check_pattern(pattern);
  const Panel front = make_panel(pattern, true);
  const Panel back = make_panel(pattern, false);
  const std::vector<Index> front_numbers = number_corners(front, 0);
  const std::vector<Index> back_numbers = number_corners(back, corner_count(front));
  std::vector<GarmentSeam> seams(4);
  const auto add = [&](GarmentSeam& seam, int column, int row) {
    const auto place =
        static_cast<std::size_t>(row) * static_cast<std::size_t>(front.columns + 1) + static_cast<std::size_t>(column);
    seam.front.push_back(front_numbers[place]);
    seam.back.push_back(back_numbers[place]);
  };
  for (const int side : {0, 1}) {
    const auto mirrored = [&](int column) { return side == 0 ? column : front.columns - column; };
    GarmentSeam& shoulder = seams[static_cast<std::size_t>(side)];
    for (int column = 0; column <= front.neck_begin; ++column) add(shoulder, mirrored(column), 0);
    GarmentSeam& flank = seams[static_cast<std::size_t>(side) + 2];
    for (int column = 0; column <= front.sleeve_columns; ++column) add(flank, mirrored(column), front.sleeve_rows);
    for (int row = front.sleeve_rows + 1; row <= front.rows; ++row) add(flank, mirrored(front.sleeve_columns), row);
  }
  return seams;
}

}  // namespace carom
