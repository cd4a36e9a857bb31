#pragma once

#include <optional>
#include <string>
#include <vector>

#include "carom/query/cut.hpp"

/// Steps that cuts of meshes have in common.
namespace carom::query {

/// Triangles over points, glued along their edges.
struct GluedTriangles {
  std::vector<Eigen::Vector3d> points;
  std::vector<Triangle> triangles;
  std::vector<Index> source;  ///< of each triangle, as in MeshPiece
  /// Half-edge 3 t + k, from corner k of triangle t to the next, that each half-edge is glued to; `none` at a border.
  std::vector<Index> mates;

  void add(const Triangle& triangle, Index from) {
    triangles.push_back(triangle);
    source.push_back(from);
  }
};

/// Half-edges by their points.
class HalfEdges {
 public:
  /// No two may run from one point to the same other.
  explicit HalfEdges(std::span<const Triangle> triangles);
  Index find(Index from, Index to) const;  ///< `none` if there is none

 private:
  struct Entry {
    Index from;
    Index to;
    Index edge;
  };
  std::vector<Entry> entries_;
};

/// Edge and ends of half-edge h of triangles.
inline std::array<Index, 2> ends_of(std::span<const Triangle> triangles, Index h) {
  const Triangle& t = triangles[static_cast<std::size_t>(h / 3)];
  return {t[static_cast<std::size_t>(h % 3)], t[static_cast<std::size_t>((h + 1) % 3)]};
}

/// Glues two half-edges.
void glue(GluedTriangles& glued, Index a, Index b);

/// Connected pieces: vertices are the corners that are glued around a point, so that every piece is manifold. Cavities
/// belong to the piece around them.
CutResult make_pieces(const GluedTriangles& glued, bool closed, const std::string& name);

/// Whether a triangle that the cut made, or a part of one it split, intersects another of its piece.
bool intersects_itself(const CutResult& result, std::span<const Triangle> input);

/// Throws Error: bad_mesh, not_finite. Returns whether the mesh is closed.
bool check_cuttable(const TriangleMesh& mesh, const CutOptions& options);

/// m, of the box of all vertices.
double diagonal(const TriangleMesh& mesh);

/// m^2
double area_of(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c);

}  // namespace carom::query
