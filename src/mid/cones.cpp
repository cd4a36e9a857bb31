#include "mid/cones.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "math/orientation.hpp"
#include "mid/contour.hpp"

namespace carom::mid {

namespace {

using Eigen::Vector3d;
using math::orient2d;

/// Every contour edge as it is seen along the axis.
std::span<ContourEdge> project(const Patches& patches, std::size_t patch, std::span<const Vector3d> positions, int axis,
                               std::span<ContourEdge> room) {
  return list_contour(patches, patch, room, [&](Index vertex, ContourEdge& edge) {
    const Vector3d& p = positions[static_cast<std::size_t>(vertex)];
    grow_extent(edge, p[(axis + 1) % 3], p[(axis + 2) % 3]);
  });
}

/// Two edges whose extents overlap.
bool edges_touch(const Vector3d& p, const Vector3d& q, const Vector3d& r, const Vector3d& s, int axis) {
  const int pqr = orient2d(p, q, r, axis);
  const int pqs = orient2d(p, q, s, axis);
  if (pqr * pqs > 0) return false;
  const int rsp = orient2d(r, s, p, axis);
  const int rsq = orient2d(r, s, q, axis);
  return rsp * rsq <= 0;  // all on one line: the extents tell, and they overlap
}

/// Edges pq and qr: whether one runs back over the other.
bool folds_back(const Vector3d& p, const Vector3d& q, const Vector3d& r, int axis) {
  return seen_before(p, q, axis) == seen_before(r, q, axis) && orient2d(p, q, r, axis) == 0;
}

bool all_turn(const Patches& patches, std::size_t patch, std::span<const Vector3d> positions, int axis, int sign) {
  const auto members = patches.members[patch];
  return std::all_of(members.begin(), members.end(), [&](Index t) {
    const Triangle& corners = patches.of[static_cast<std::size_t>(t)];
    const auto at = [&](std::size_t k) -> const Vector3d& { return positions[static_cast<std::size_t>(corners[k])]; };
    return orient2d(at(0), at(1), at(2), axis) == sign;
  });
}

bool contour_is_simple(const Patches& patches, std::span<const Vector3d> positions, int axis,
                       std::span<ContourEdge> edges) {
  const auto corner = [&](Index i) -> const Vector3d& {
    return positions[static_cast<std::size_t>(patches.contour[static_cast<std::size_t>(i)])];
  };
  return for_overlapping(edges, [&](const ContourEdge& a, const ContourEdge& b) {
    if (a.to == b.from || b.to == a.from) {
      return !(a.to == b.from && folds_back(corner(a.from), corner(a.to), corner(b.to), axis)) &&
             !(b.to == a.from && folds_back(corner(b.from), corner(b.to), corner(a.to), axis));
    }
    return !edges_touch(corner(a.from), corner(a.to), corner(b.from), corner(b.to), axis);
  });
}

}  // namespace

Vector3d mean_normal(const Patches& patches, std::size_t patch, std::span<const Vector3d> positions) {
  Vector3d sum = Vector3d::Zero();
  for (const Index t : patches.members[patch]) {
    const Triangle& corners = patches.of[static_cast<std::size_t>(t)];
    const Vector3d& a = positions[static_cast<std::size_t>(corners[0])];
    sum += (positions[static_cast<std::size_t>(corners[1])] - a)
               .cross(positions[static_cast<std::size_t>(corners[2])] - a);
  }
  return sum;
}

// The turn of a simple loop is that at its first vertex in the order of seen_before.
bool one_loop_at_most(const Patches& patches, std::size_t patch, std::span<const Vector3d> positions, int axis,
                      int sign) {
  const auto corner = [&](Index i) -> const Vector3d& {
    return positions[static_cast<std::size_t>(patches.contour[static_cast<std::size_t>(i)])];
  };
  int count = 0;
  const auto first_loop = static_cast<std::size_t>(patches.loops.offsets[patch]);
  const auto last_loop = static_cast<std::size_t>(patches.loops.offsets[patch + 1]);
  if (last_loop - first_loop < 2) return true;
  for (std::size_t loop = first_loop; loop < last_loop; ++loop) {
    const Index begin = patches.loops.items[loop];
    const Index end = patches.loop_end[loop];
    Index lowest = begin;
    for (Index i = begin; i < end; ++i)
      if (seen_before(corner(i), corner(lowest), axis)) lowest = i;
    const Vector3d& before = corner(lowest == begin ? end - 1 : lowest - 1);
    const Vector3d& after = corner(lowest + 1 == end ? begin : lowest + 1);
    if (orient2d(before, corner(lowest), after, axis) == sign) ++count;
  }
  return count <= 1;
}

bool patch_is_injective(const Patches& patches, std::size_t patch, std::span<const Vector3d> positions,
                        std::span<ContourEdge> room) {
  const Vector3d normal = mean_normal(patches, patch, positions);
  std::array<int, 3> axes{0, 1, 2};
  std::sort(axes.begin(), axes.end(), [&](int i, int j) { return std::abs(normal[i]) > std::abs(normal[j]); });
  for (const int axis : axes) {
    const int sign = normal[axis] > 0 ? 1 : -1;
    if (!all_turn(patches, patch, positions, axis, sign)) continue;
    if (contour_is_simple(patches, positions, axis, project(patches, patch, positions, axis, room)) &&
        one_loop_at_most(patches, patch, positions, axis, sign))
      return true;
  }
  return false;
}

std::size_t Cones::find_injective(Context& context, std::span<const Vector3d> positions) {
  label_.resize(patches_.of.size());
  std::fill(label_.begin(), label_.end(), none);
  room_.resize(patches_.contour.size());
  constexpr std::size_t grain = 4;  // patches; some are single triangles, most are hundreds
  return parallel_reduce(
      context.workers, patches_.members.size(), grain, std::size_t{0},
      [&](std::size_t begin, std::size_t end) {
        std::size_t count = 0;
        for (std::size_t patch = begin; patch < end; ++patch) {
          const auto members = patches_.members[patch];
          const std::span<ContourEdge> room =
              std::span(room_).subspan(contour_begin(patches_, patch), contour_size(patches_, patch));
          // A patch of one triangle has no pairs.
          if (members.size() < 2 || !patch_is_injective(patches_, patch, positions, room)) continue;
          for (const Index t : members) label_[static_cast<std::size_t>(t)] = static_cast<Index>(patch);
          count += members.size();
        }
        return count;
      },
      [](std::size_t a, std::size_t b) { return a + b; }, partial_);
}

void Cones::update(Context& context, std::span<const Triangle> triangles, std::span<const Vector3d> positions) {
  if (!std::equal(triangles.begin(), triangles.end(), patches_.of.begin(), patches_.of.end())) {
    patches_.of.assign(triangles.begin(), triangles.end());
    label_.assign(triangles.size(), none);
    made_ = false;
    return;
  }
  const auto make = [&] {
    partition(triangles, positions, {}, patches_);
    at_best_ = find_injective(context, positions);
  };
  if (!made_) {
    make();
    made_ = true;
  } else if (find_injective(context, positions) < at_best_ - at_best_ / 4) {
    make();  // what fails again is as good as it gets: the best is now lower, and it is not tried at every call
  }
}

}  // namespace carom::mid
