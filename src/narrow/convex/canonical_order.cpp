#include "narrow/convex/canonical_order.hpp"

#include <algorithm>

#include "shapes/hull_data.hpp"

namespace carom::convex {
namespace {

/// -1, 0, 1; numbers are never NaN here. Zeros of either sign are equal: they compute alike.
int compare(const double* a, const double* b, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

int compare_shapes(const shapes::Core& a, const shapes::Core& b) {
  const double ka[] = {a.radius, a.size.x, a.size.y, a.size.z, a.offset};
  const double kb[] = {b.radius, b.size.x, b.size.y, b.size.z, b.offset};
  if (const int c = compare(ka, kb, 5); c != 0) return c;
  if (a.hull == b.hull) return 0;
  if (a.hull->size() != b.hull->size()) return a.hull->size() < b.hull->size() ? -1 : 1;
  return compare(a.hull->rows.data(), b.hull->rows.data(), a.hull->rows.size());
}

}  // namespace

bool swapped(const shapes::Core& a, const Eigen::Isometry3d& pose_a, const shapes::Core& b,
             const Eigen::Isometry3d& pose_b) {
  if (a.kind != b.kind) return b.kind < a.kind;
  // The place first: it nearly always tells, and is at hand.
  if (const int c = compare(pose_a.matrix().data() + 12, pose_b.matrix().data() + 12, 3); c != 0) return c > 0;
  if (const int c = compare(pose_a.matrix().data(), pose_b.matrix().data(), 12); c != 0) return c > 0;
  return compare_shapes(a, b) > 0;
}

}  // namespace carom::convex
