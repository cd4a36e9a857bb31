#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "carom/mesh/mesh.hpp"

/// Cutting of plain meshes: by a plane, or by the surface that a blade sweeps.
namespace carom {

/// Plane of all points x with normal . x = offset.
struct CutPlane {
  Eigen::Vector3d normal{0, 0, 1};  ///< any length but zero
  double offset = 0;                ///< m, times the length of the normal
};

/// Positions of the edge of a blade, a chain of points: poses[i][k] is point k at pose i. Between two poses every
/// segment of the chain sweeps a quadrilateral, which counts as two triangles.
struct BladePath {
  std::vector<std::vector<Eigen::Vector3d>> poses;
};

struct CutOptions {
  /// Vertices closer to the plane than this count as on it; a fraction of the diagonal of the mesh. Below it a cut
  /// would leave slivers. A blade is moved by as much where it meets a vertex or an edge exactly.
  double snap = 1e-9;
};

/// Part of a mesh between cuts.
struct MeshPiece {
  std::string name{};
  TriangleMesh mesh{};
  std::vector<Index> source{};  ///< triangle of the input that each triangle is a part of; `none`: face of the cut
  bool closed = false;
  double volume = 0;    ///< m^3; 0 if it is open
  double cut_area = 0;  ///< m^2, of the faces of the cut
};

struct CutResult {
  std::vector<MeshPiece> pieces{};  ///< the largest first: by volume, or by area if they are open
  std::size_t split_triangles = 0;  ///< triangles of the input that were split
  double cut_area = 0;              ///< m^2, of the cuts that separate something
  double unseparated_area = 0;      ///< m^2, of the parts of the blade's surface inside that separate nothing
};

/// Cuts a mesh in pieces: connected parts of it without the points of the plane. Pieces of a closed mesh are closed:
/// each has faces along the cut, those of two neighbors over the same points and facing each other. Pieces of an open
/// mesh are open. All are manifold and oriented as the mesh is; triangles that the cut does not meet keep their
/// corners. Names are `name` with a number. Throws Error: bad_mesh (names the edge) if an edge has more than two
/// triangles or two that face opposite ways, not_finite, invalid_argument.
CutResult cut(const TriangleMesh& mesh, const CutPlane& plane, const std::string& name = "piece",
              const CutOptions& options = {});

/// Cuts by the surface that a blade sweeps. A cut that ends inside and separates nothing leaves the mesh whole there;
/// its area is told. Throws Error(invalid_argument) that names the pose, also where the surface crosses itself.
CutResult cut(const TriangleMesh& mesh, const BladePath& blade, const std::string& name = "piece",
              const CutOptions& options = {});

}  // namespace carom
