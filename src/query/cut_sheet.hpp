#pragma once

#include <optional>
#include <vector>

#include "carom/mesh/mesh.hpp"
#include "carom/query/cut.hpp"

/// Intersection of a mesh with the surface that a blade sweeps, the sheet: where they cross, and both split along it.
namespace carom::query {

/// Piece of the line along which a triangle of the mesh and one of the sheet cross. It runs along n_mesh x n_sheet: on
/// the mesh, what is left of it is below the sheet; on the sheet, what is left of it is outside of the mesh.
struct Crossing {
  Index triangle = none;  ///< of the mesh
  Index sheet = none;     ///< triangle of the sheet
  Index from = none;      ///< points of SheetCrossings
  Index to = none;
};

/// Point where an edge of one crosses a triangle of the other.
struct CrossingPoint {
  Eigen::Vector3d position{0, 0, 0};
  bool on_sheet_edge = false;  ///< an edge of the sheet, inside of a triangle of the mesh; or the other way round
  Edge edge{};                 ///< its ends, the smaller first
  Index triangle = none;       ///< the triangle that it crosses
};

struct SheetCrossings {
  std::vector<CrossingPoint> points;
  std::vector<Crossing> crossings;
};

/// Nothing if a vertex of one is exactly in the plane of a triangle of the other near it, or if edges meet exactly.
std::optional<SheetCrossings> find_crossings(const TriangleMesh& mesh, const TriangleMesh& sheet);

/// Triangles of a mesh, split so that all lines are edges. Point i is vertex i, points from the number of vertices on
/// are those of `crossings`.
struct SplitTriangles {
  std::vector<Triangle> triangles;
  std::vector<Index> source;  ///< of each triangle
};

/// Splits the mesh, or the sheet. Nothing if rounded lines cross.
std::optional<SplitTriangles> split_along(const TriangleMesh& mesh, const SheetCrossings& crossings, bool is_sheet);

}  // namespace carom::query
