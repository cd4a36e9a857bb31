#pragma once

#include <vector>

#include "carom/mesh/mesh.hpp"

/// Garments as flat panels, and the seams that make them one.
namespace carom {

/// Shirt of two panels in the shape of a T, front and back. Lengths in m; they are rounded to whole squares.
struct ShirtPattern {
  double width = 0.54;          ///< of either panel below the sleeves
  double length = 0.6;          ///< from the shoulders to the hem
  double sleeve_length = 0.17;  ///< beyond the width, on each side
  double sleeve_width = 0.22;   ///< of the flat sleeve
  double neck_width = 0.18;
  double neck_depth = 0.06;  ///< of the front; a square of the back
  double distance = 0.3;     ///< from panel to panel
  double edge = 0.028;       ///< of the squares, of two triangles each
};

/// Both panels, parallel to the x-y plane: the front at +distance/2 along z and facing +z, the back behind it and
/// facing -z; their upper edges at y = 0, their middle at x = 0. Open. Throws Error(invalid_argument) that names the
/// field.
TriangleMesh make_shirt(const ShirtPattern& pattern);

/// Vertices of a seam of a garment: the first of one side is sewn to the first of the other, and so on.
struct GarmentSeam {
  std::vector<Index> front{};
  std::vector<Index> back{};
};
/// Seams of make_shirt(pattern): both shoulders, then both sides with the undersides of the sleeves.
std::vector<GarmentSeam> shirt_seams(const ShirtPattern& pattern);

}  // namespace carom
