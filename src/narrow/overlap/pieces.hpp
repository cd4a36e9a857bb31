#pragma once

#include "narrow/overlap/curves.hpp"

/// Connected pieces of the overlap of two meshes: the two surfaces as far as each is inside the other mesh.
namespace carom::overlap {

/// What one mesh has of a piece.
struct PieceSide {
  std::vector<Index> triangles;  ///< that cross the other surface or are inside; ascending
  std::vector<Index> vertices;   ///< inside; ascending, of several at one place the first
  double area = 0;               ///< of the surface inside the other mesh
  Vec3 area_vector;              ///< the same with outward normals
};

struct Piece {
  std::array<PieceSide, 2> sides;
  std::vector<Index> segments;  ///< numbers in Curves
  /// Volume, by the divergence theorem: a third of the sum of height times area over both surfaces. What is inside of
  /// both n times over counts n times. Not a number where a mesh is open.
  double volume = 0;
  Vec3 low;
  Vec3 high;
};

/// Winding number of the other mesh at each vertex of a side, 0 at vertices that are not the first of their place.
struct Windings {
  std::array<std::vector<int>, 2> of_vertex;
};

/// False if a ray decides nothing.
bool find_windings(const GeneralPosition& g, const Curves& curves, const std::array<std::vector<int>, 2>& orientation,
                   Windings& windings);

/// Pieces, sorted by their lowest triangles.
std::vector<Piece> find_pieces(const GeneralPosition& g, const Curves& curves, const Windings& windings,
                               const std::array<std::vector<int>, 2>& orientation);

}  // namespace carom::overlap
