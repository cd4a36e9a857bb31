#include <algorithm>
#include <array>
#include <cmath>

#include "mid/cones.hpp"
#include "mid/contour.hpp"

// The same test for a whole step. Every quantity is bounded over the step by numbers that are linear in what
// happens at its two ends, so there is no sampling; what rounding leaves in doubt counts as failure.
namespace carom::mid {

namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double e = 0x1p-53;

struct Determinant {
  double value;
  double size;  ///< the sum of the absolute values of its terms
};

Determinant determinant(const Vector3d& u, const Vector3d& v, const Vector3d& w) {
  Determinant d{0, 0};
  for (int i = 0; i < 3; ++i) {
    const double left = v[(i + 1) % 3] * w[(i + 2) % 3];
    const double right = v[(i + 2) % 3] * w[(i + 1) % 3];
    d.value += u[i] * (left - right);
    d.size += std::abs(u[i]) * (std::abs(left) + std::abs(right));
  }
  return d;
}

/// The reasoning of src/geometry/orientation.cpp: at most 9 roundings on the way of each term.
bool surely_positive(double value, double size) {
  return value > 12 * e * size + 1e-200;
}

/// What pq and rs look like from each other: the eight differences between an end of one and an end of the
/// other, at the start and at the end of the step. All points of both edges at all times differ by a
/// mixture of these, so if all are on one side of a line through the origin, the edges never touch.
struct Differences {
  std::array<Vector2d, 8> d;
  std::size_t count = 0;
  void add(const Vector2d& from, const Vector2d& to) { d[count++] = to - from; }

  bool on_side(const Vector2d& direction) const {
    return std::all_of(d.begin(), d.begin() + static_cast<std::ptrdiff_t>(count), [&](const Vector2d& x) {
      const double left = direction.x() * x.x();
      const double right = direction.y() * x.y();
      // One rounding in the difference, one in the product, one in the sum.
      return left + right > 8 * e * (std::abs(left) + std::abs(right)) + 1e-300;
    });
  }

  /// Whether one of a few likely directions has all of them on its side.
  bool have_a_side() const {
    Vector2d sum = Vector2d::Zero();
    for (std::size_t i = 0; i < count; ++i) {
      const double length = d[i].stableNorm();
      if (length > 0 && std::isfinite(length)) sum += d[i] / length;
    }
    if (on_side(sum)) return true;
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t k = i + 1; k < count; ++k) {
        // The half-plane is bounded by one of the differences, or touches two of them.
        const Vector2d along = d[k] - d[i];
        const Vector2d across(-along.y(), along.x());
        if (on_side(across) || on_side(-across)) return true;
      }
    return false;
  }
};

class Step {
 public:
  Step(const Patches& patches, std::span<const Vector3d> start, std::span<const Vector3d> end, int axis)
      : patches_(patches), start_(start), end_(end), i_((axis + 1) % 3), j_((axis + 2) % 3) {}

  bool never_touch(const ContourEdge& a, const ContourEdge& b) const {
    Differences differences;
    for (const auto& at : {start_, end_})
      for (const Index p : {a.from, a.to})
        for (const Index q : {b.from, b.to}) differences.add(seen(at, p), seen(at, q));
    return differences.have_a_side();
  }

  /// Edge `a` ends where `b` begins. If at all times both advance in one direction, neither runs back over
  /// the other.
  bool never_fold_back(const ContourEdge& a, const ContourEdge& b) const {
    Differences differences;
    for (const auto& at : {start_, end_})
      for (const ContourEdge& edge : {a, b}) differences.add(seen(at, edge.from), seen(at, edge.to));
    return differences.have_a_side();
  }

  void cover(Index vertex, ContourEdge& edge) const {
    for (const auto& at : {start_, end_}) {
      const Vector3d& p = at[static_cast<std::size_t>(vertex)];
      grow_extent(edge, p[i_], p[j_]);
    }
  }

 private:
  Vector2d seen(std::span<const Vector3d> at, Index place) const {
    const Vector3d& p = at[static_cast<std::size_t>(patches_.contour[static_cast<std::size_t>(place)])];
    return {p[i_], p[j_]};
  }

  const Patches& patches_;
  std::span<const Vector3d> start_;
  std::span<const Vector3d> end_;
  int i_;
  int j_;
};

}  // namespace

bool normal_stays_on_side(const Vector3d& direction, const std::array<Vector3d, 3>& start,
                          const std::array<Vector3d, 3>& end) {
  const Vector3d u0 = start[1] - start[0];
  const Vector3d v0 = start[2] - start[0];
  const Vector3d u1 = end[1] - end[0];
  const Vector3d v1 = end[2] - end[0];
  for (const Vector3d& v : {direction, u0, v0, u1, v1})
    if (!(v.cwiseAbs().maxCoeff() < 1e90)) return false;
  const Determinant first = determinant(direction, u0, v0);
  const Determinant last = determinant(direction, u1, v1);
  const Determinant left = determinant(direction, u0, v1);
  const Determinant right = determinant(direction, u1, v0);
  return surely_positive(first.value, first.size) && surely_positive(last.value, last.size) &&
         surely_positive(left.value + right.value, left.size + right.size);
}

bool patch_is_injective_over_step(const Patches& patches, std::size_t patch, std::span<const Vector3d> start,
                                  std::span<const Vector3d> end, std::span<ContourEdge> room) {
  const Vector3d normal = mean_normal(patches, patch, start) + mean_normal(patches, patch, end);
  int axis = 0;
  normal.cwiseAbs().maxCoeff(&axis);
  const int sign = normal[axis] > 0 ? 1 : -1;
  const Vector3d direction = sign * Vector3d::Unit(axis);
  for (const Index t : patches.members[patch]) {
    const auto corners = [&](std::span<const Vector3d> at) {
      const auto& [a, b, c] = patches.of[static_cast<std::size_t>(t)];
      return std::array<Vector3d, 3>{at[static_cast<std::size_t>(a)], at[static_cast<std::size_t>(b)],
                                     at[static_cast<std::size_t>(c)]};
    };
    if (!normal_stays_on_side(direction, corners(start), corners(end))) return false;
  }
  const Step step(patches, start, end, axis);
  const auto edges =
      list_contour(patches, patch, room, [&](Index vertex, ContourEdge& edge) { step.cover(vertex, edge); });
  const bool simple = for_overlapping(edges, [&](const ContourEdge& a, const ContourEdge& b) {
    if (a.to == b.from && b.to == a.from) return false;
    if (a.to == b.from) return step.never_fold_back(a, b);
    if (b.to == a.from) return step.never_fold_back(b, a);
    return step.never_touch(a, b);
  });
  // Loops that stay simple and apart keep their turn.
  return simple && one_loop_at_most(patches, patch, start, axis, sign);
}

}  // namespace carom::mid
