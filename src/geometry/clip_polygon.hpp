#pragma once

#include <cstddef>

namespace carom::geometry {

/// Part of a polygon or segment, in the plane or in space, where out . x <= offset.
template <class Polygon>
Polygon clip_polygon(const Polygon& polygon, const typename Polygon::value_type& out, double offset) {
  using Vector = typename Polygon::value_type;
  Polygon left;
  const std::size_t n = polygon.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Vector& p = polygon[i];
    const Vector& q = polygon[(i + 1) % n];
    const double hp = out.dot(p) - offset;
    const double hq = out.dot(q) - offset;
    if (hp <= 0) left.push_back(p);
    // A segment has one side, not two.
    if (n == 2 && i == 1) continue;
    if ((hp < 0 && hq > 0) || (hp > 0 && hq < 0)) left.emplace_back(p + hp / (hp - hq) * (q - p));
  }
  return left;
}

}  // namespace carom::geometry
