#pragma once

#include <array>

#include "mesh/link_surface.hpp"

/// Faces of voxels and how they are glued along edges of the lattice.
namespace carom::mesh {

/// In units of half a voxel.
using Place = std::array<std::int32_t, 3>;

/// Corners of a voxel's face, counter-clockwise seen from outside. Corner c is at (c & 1, c >> 1 & 1, c >> 2 & 1).
inline std::array<int, 4> face_corners(int direction) {
  const int axis = direction / 2;
  const int u = 1 << ((axis + 1) % 3);
  const int v = 1 << ((axis + 2) % 3);
  const int base = direction % 2 << axis;
  if (direction % 2 == 1) return {base, base | u, base | u | v, base | v};
  return {base, base | v, base | u | v, base | u};
}

/// Direction in which the edge from corner i of a face to the next lies, seen from the middle of the face.
inline int edge_direction(int direction, std::size_t i) {
  const auto corners = face_corners(direction);
  const int both = corners[i] & corners[(i + 1) % 4];
  const int either = corners[i] | corners[(i + 1) % 4];
  for (int axis = 0; axis < 3; ++axis) {
    if (axis == direction / 2) continue;
    if ((both >> axis & 1) == 1) return 2 * axis + 1;
    if ((either >> axis & 1) == 0) return 2 * axis;
  }
  return -1;
}

/// Face and its edge.
struct FaceEdge {
  Index voxel;
  int direction;
  int towards;  ///< direction of the edge from the middle of the face
};

/// The face that is glued to one at an edge: turned about the edge through the voxel, and on through those joined to
/// it.
inline FaceEdge glued_to(const VoxelLinks& links, FaceEdge e) {
  for (int turn = 0; turn < 4; ++turn) {
    if (!links.joined(e.voxel, e.towards)) return {e.voxel, e.towards, e.direction};
    e = {links.neighbor(e.voxel, e.towards), e.towards ^ 1, e.direction};
  }
  return e;  // not reached: the fourth turn is back at the face, from its other side
}

inline Place corner_place(const VoxelLinks& links, Index voxel, int corner) {
  Place place = links.cell(voxel);
  for (std::size_t k = 0; k < 3; ++k) place[k] = 2 * (place[k] + (corner >> k & 1));
  return place;
}

inline Place middle_of_face(const VoxelLinks& links, const VoxelLink& side) {
  Place place = links.cell(side.voxel);
  for (std::size_t k = 0; k < 3; ++k) place[k] = 2 * place[k] + 1;
  place[static_cast<std::size_t>(side.direction / 2)] += side.direction % 2 == 1 ? 1 : -1;
  return place;
}

}  // namespace carom::mesh
