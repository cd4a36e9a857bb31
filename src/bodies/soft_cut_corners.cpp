#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <set>

#include "bodies/soft_lattice.hpp"
#include "core/at.hpp"

// Corners of voxels at a cut: where the blade passed between the centers of voxels, and not in their middle, so that
// what the blade leaves behind is beside it.
namespace carom::solid {
namespace {

using Eigen::Vector3d;

/// Links of each axis that were cut at a corner.
struct CornerCuts {
  std::array<int, 3> count{};
  std::array<double, 3> offset{};  ///< sum, in units of links, from the middle
  std::array<Vector3d, 3> along{Vector3d::Zero(), Vector3d::Zero(), Vector3d::Zero()};  ///< m, sum of the links
};

/// Center of a voxel at rest, before any cut.
Vector3d first_center(const LatticeRecipe& recipe, Index voxel) {
  Vector3d sum(0, 0, 0);
  for (const Index c : recipe.corners[at(voxel)]) sum += 0.125 * recipe.places[at(c)];
  return sum;
}

/// Shift to the nearest point of the plane through the places where the links of each axis were cut.
Vector3d shift_to_cut(const CornerCuts& cuts, std::uint8_t axes) {
  constexpr double smallest = 1e-9;
  double sum = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    if ((axes >> k & 1) == 0) continue;
    const double offset = cuts.offset[k] / cuts.count[k];
    if (std::abs(offset) < smallest) return Vector3d::Zero();
    sum += 1 / (offset * offset);
  }
  Vector3d to_plane(0, 0, 0);
  for (std::size_t k = 0; k < 3; ++k) {
    if ((axes >> k & 1) == 0) continue;
    const double shift = cuts.count[k] / cuts.offset[k] / sum;
    to_plane += std::clamp(shift, -max_corner_shift, max_corner_shift) / cuts.count[k] * cuts.along[k];
  }
  return to_plane;
}

/// Whether a voxel is too thin at one of its corners.
bool is_thin(const CutLattice& lattice, Index voxel) {
  const double size = lattice.recipe->voxel_size;
  std::array<Vector3d, 8> places;
  for (std::size_t c = 0; c < 8; ++c) places[c] = corner_at(lattice, lattice.recipe->corners[at(voxel)][c]);
  for (std::size_t c = 0; c < 8; ++c) {
    Eigen::Matrix3d edges;
    for (std::size_t k = 0; k < 3; ++k) {
      const double sign = (c >> k & 1) == 0 ? 1 : -1;
      edges.col(static_cast<Eigen::Index>(k)) = sign * (places[c ^ (std::size_t{1} << k)] - places[c]);
    }
    if (edges.determinant() < smallest_corner_volume * size * size * size) return true;
  }
  return false;
}

/// Voxels that have a corner, of the whole lattice: of a voxel that has it as its corner c.
void add_voxels_around(const mesh::VoxelLinks& links, Index voxel, std::size_t c, std::vector<Index>& list) {
  for (std::size_t o = 0; o < 8; ++o) {
    std::array<std::int32_t, 3> cell = links.cell(voxel);
    for (std::size_t k = 0; k < 3; ++k)
      cell[k] += static_cast<std::int32_t>(c >> k & 1) + static_cast<std::int32_t>(o >> k & 1) - 1;
    if (const Index found = links.find(cell); found != none) list.push_back(found);
  }
}

using LinkName = std::pair<Index, int>;

/// Whether links between these voxels were cut earlier than `now`: what came off there may be in the way.
bool has_earlier_cut(const mesh::VoxelLinks& links, std::span<const Index> around, const std::set<LinkName>& now) {
  for (const Index voxel : around) {
    for (int d = 1; d < mesh::direction_count; d += 2) {
      const Index other = links.neighbor(voxel, d);
      if (other == none || links.joined(voxel, d) || now.contains({voxel, d})) continue;
      if (std::find(around.begin(), around.end(), other) != around.end()) return true;
    }
  }
  return false;
}

}  // namespace

Vector3d corner_at(const CutLattice& lattice, Index corner) {
  const Vector3d& first = lattice.recipe->places[at(corner)];
  const auto found = lattice.moved.find(corner);
  return found == lattice.moved.end() ? first : Vector3d(first + found->second.shift);
}

std::map<Index, Vector3d> move_corners(std::span<const mesh::LinkCrossing> cut, CutLattice& lattice) {
  const LatticeRecipe& recipe = *lattice.recipe;
  std::map<Index, CornerCuts> corners;
  std::set<Index> held;  // corners of earlier cuts
  std::vector<Index> voxels;
  std::set<LinkName> now;
  for (const mesh::LinkCrossing& crossing : cut) {
    const auto [voxel, direction] = crossing.link;
    now.insert(direction % 2 == 1 ? LinkName(voxel, direction)
                                  : LinkName(lattice.links.neighbor(voxel, direction), direction ^ 1));
  }
  for (const mesh::LinkCrossing& crossing : cut) {
    const auto axis = static_cast<std::size_t>(crossing.link.direction / 2);
    const Index other = lattice.links.neighbor(crossing.link.voxel, crossing.link.direction);
    const bool up = crossing.link.direction % 2 == 1;
    const Index low = up ? crossing.link.voxel : other;
    const Vector3d along = first_center(recipe, up ? other : crossing.link.voxel) - first_center(recipe, low);
    for (std::size_t c = 0; c < 8; ++c) {
      if ((c >> axis & 1) == 0) continue;
      const Index corner = recipe.corners[at(low)][c];
      const std::size_t first = voxels.size();
      add_voxels_around(lattice.links, low, c, voxels);
      if (has_earlier_cut(lattice.links, std::span(voxels).subspan(first), now)) held.insert(corner);
      CornerCuts& cuts = corners[corner];
      ++cuts.count[axis];
      cuts.offset[axis] += up ? crossing.fraction - 0.5 : 0.5 - crossing.fraction;
      cuts.along[axis] += along;
    }
  }
  std::sort(voxels.begin(), voxels.end());
  voxels.erase(std::unique(voxels.begin(), voxels.end()), voxels.end());

  std::map<Index, Vector3d> before;
  for (const auto& [corner, cuts] : corners) {
    MovedCorner& moved = lattice.moved[corner];
    std::uint8_t axes = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      if (cuts.count[k] > 0) axes |= static_cast<std::uint8_t>(1U << k);
    }
    const auto fresh = static_cast<std::uint8_t>(axes & ~moved.axes);
    moved.axes |= axes;
    if (fresh == 0 || held.contains(corner)) continue;
    before[corner] = moved.shift;
    moved.shift += shift_to_cut(cuts, fresh);
  }
  // Corners of voxels that would get thin go halfway back; in the end, all of it.
  constexpr int halvings = 4;
  for (int round = 0; round <= halvings + 6; ++round) {
    std::vector<Index> thin;
    for (const Index voxel : voxels) {
      if (is_thin(lattice, voxel)) thin.push_back(voxel);
    }
    if (!move_back(thin, before, round >= halvings, lattice)) break;
  }
  return before;
}

bool move_back(std::span<const Index> voxels, const std::map<Index, Vector3d>& before, bool wholly,
               CutLattice& lattice) {
  std::vector<Index> back;
  for (const Index voxel : voxels) {
    for (const Index corner : lattice.recipe->corners[at(voxel)]) {
      const auto found = before.find(corner);
      if (found != before.end() && lattice.moved[corner].shift != found->second) back.push_back(corner);
    }
  }
  std::sort(back.begin(), back.end());
  back.erase(std::unique(back.begin(), back.end()), back.end());
  for (const Index corner : back) {
    Vector3d& shift = lattice.moved[corner].shift;
    shift = wholly ? before.at(corner) : Vector3d(0.5 * (shift + before.at(corner)));
  }
  return !back.empty();
}

}  // namespace carom::solid
