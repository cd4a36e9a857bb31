#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/at.hpp"
#include "mid/cones.hpp"

namespace carom::mid {

namespace {

Index next_side(Index number) {
  return number % 3 == 2 ? number - 2 : number + 1;
}

/// Where side `number` of the triangles begins.
Index begin_of(std::span<const Triangle> triangles, Index number) {
  return triangles[at(number) / 3][at(number) % 3];
}

bool dead(const Triangle& t) {
  return t[0] == none;
}

/// Pairs the sides of edges that have exactly two, in opposite directions.
void glue(std::span<const Triangle> triangles, Patches& patches) {
  patches.sides.clear();
  patches.across.assign(triangles.size(), {none, none, none});
  for (Index n = 0; at(n) < 3 * triangles.size(); ++n) {
    if (dead(triangles[at(n) / 3])) continue;
    const auto from = static_cast<std::uint32_t>(begin_of(triangles, n));
    const auto to = static_cast<std::uint32_t>(begin_of(triangles, next_side(n)));
    if (from == to) continue;
    patches.sides.push_back({static_cast<std::uint64_t>(std::min(from, to)) << 32U | std::max(from, to), n});
  }
  auto& sides = patches.sides;
  std::sort(sides.begin(), sides.end(), [](const Patches::Side& a, const Patches::Side& b) {
    return a.edge != b.edge ? a.edge < b.edge : a.number < b.number;
  });
  for (std::size_t i = 0, end = 0; i < sides.size(); i = end) {
    while (end < sides.size() && sides[end].edge == sides[i].edge) ++end;
    if (end - i != 2) continue;
    const Index first = sides[i].number;
    const Index second = sides[i + 1].number;
    if (first / 3 == second / 3 || begin_of(triangles, first) == begin_of(triangles, second)) continue;
    patches.across[at(first) / 3][at(first) % 3] = second;
    patches.across[at(second) / 3][at(second) % 3] = first;
  }
}

Eigen::Vector3d normal_of(const Triangle& t, std::span<const Eigen::Vector3d> positions) {
  const Eigen::Vector3d& a = positions[at(t[0])];
  const Eigen::Vector3d n = (positions[at(t[1])] - a).cross(positions[at(t[2])] - a);
  const double length = n.norm();
  // Too small or too large to say: in no patch.
  return length > 1e-150 && length < 1e150 ? Eigen::Vector3d(n / length) : Eigen::Vector3d::Zero();
}

/// Breadth first, so that patches come out round.
void grow(std::span<const Triangle> triangles, std::span<const Eigen::Vector3d> positions, const PatchOptions& options,
          Patches& patches) {
  patches.patch_of.assign(triangles.size(), none);
  patches.members.offsets.assign(1, 0);
  patches.members.items.clear();
  std::vector<Index>& members = patches.members.items;
  for (std::size_t seed = 0; seed < triangles.size(); ++seed) {
    if (patches.patch_of[seed] != none || dead(triangles[seed])) continue;
    const Eigen::Vector3d n = normal_of(triangles[seed], positions);
    int axis = 0;
    if (!(n.cwiseAbs().maxCoeff(&axis) > 0)) continue;
    const double sign = n[axis] > 0 ? 1 : -1;
    const auto patch = static_cast<Index>(patches.members.size());
    const std::size_t first = members.size();
    const auto take = [&](std::size_t triangle) {
      patches.patch_of[triangle] = patch;
      members.push_back(static_cast<Index>(triangle));
    };
    take(seed);
    for (std::size_t i = first; i < members.size(); ++i) {
      for (const Index side : patches.across[at(members[i])]) {
        if (side == none || members.size() - first >= options.max_triangles) continue;
        const std::size_t other = at(side) / 3;
        if (patches.patch_of[other] == none && sign * normal_of(triangles[other], positions)[axis] > options.min_cosine)
          take(other);
      }
    }
    std::sort(members.begin() + static_cast<std::ptrdiff_t>(first), members.end());
    patches.members.offsets.push_back(static_cast<Index>(members.size()));
  }
}

/// The loops of sides that are not glued within their patch. After such a side comes the first
/// one that is not glued, turning around its end; gluing pairs the sides, so each has one follower and
/// one predecessor, and the walk closes.
void string_contours(std::span<const Triangle> triangles, Patches& patches) {
  const auto glued = [&](Index side) {
    const Index other = patches.across[at(side) / 3][at(side) % 3];
    return other != none && patches.patch_of[at(other) / 3] == patches.patch_of[at(side) / 3];
  };
  patches.loops.offsets.assign(1, 0);
  patches.loops.items.clear();
  patches.loop_end.clear();
  patches.contour.clear();
  patches.walked.assign(3 * triangles.size(), false);
  for (std::size_t patch = 0; patch < patches.members.size(); ++patch) {
    for (const Index triangle : patches.members[patch]) {
      for (Index first = 3 * triangle; first < 3 * triangle + 3; ++first) {
        if (patches.walked[at(first)] || glued(first)) continue;
        patches.loops.items.push_back(static_cast<Index>(patches.contour.size()));
        for (Index side = first; !patches.walked[at(side)];) {
          patches.walked[at(side)] = true;
          patches.contour.push_back(begin_of(triangles, side));
          side = next_side(side);
          while (glued(side)) side = next_side(patches.across[at(side) / 3][at(side) % 3]);
        }
        patches.loop_end.push_back(static_cast<Index>(patches.contour.size()));
      }
    }
    patches.loops.offsets.push_back(static_cast<Index>(patches.loops.items.size()));
  }
}

}  // namespace

void partition(std::span<const Triangle> triangles, std::span<const Eigen::Vector3d> positions,
               const PatchOptions& options, Patches& patches) {
  patches.of.assign(triangles.begin(), triangles.end());
  glue(triangles, patches);
  grow(triangles, positions, options, patches);
  string_contours(triangles, patches);
}

std::size_t contour_begin(const Patches& patches, std::size_t patch) {
  const auto loops = patches.loops[patch];
  return loops.empty() ? 0 : at(loops.front());
}

std::size_t contour_size(const Patches& patches, std::size_t patch) {
  const auto loops = patches.loops[patch];
  return loops.empty() ? 0 : at(patches.loop_end[at(patches.loops.offsets[patch + 1]) - 1]) - at(loops.front());
}

}  // namespace carom::mid
