#include "narrow/convex/half_space.hpp"

namespace carom::convex {

void half_space_against(const Core& a, const Core& b, const RelativePose& pose, LocalResult& result) {
  const Vec3 n = pose.rotate(b.size);  // out of the half-space
  const double r = a.radius + b.radius;
  result.normal = -n;
  if (a.kind == shapes::CoreKind::half_space) {
    // Apart only if they look straight at each other; otherwise no translation separates them.
    const double facing = dot(a.size, n);
    const Vec3 on_a = a.offset * a.size;
    const Vec3 on_b = (b.offset + dot(n, pose.t)) * n;
    result.normal = a.size;
    const bool opposite = facing < 0 && dot(cross(a.size, n), cross(a.size, n)) == 0;
    result.distance = opposite ? dot(on_b - on_a, a.size) - r : -INFINITY;
    result.point_a = on_a + a.radius * a.size;
    result.point_b = (opposite ? on_a + dot(on_b - on_a, a.size) * a.size : on_b) - b.radius * a.size;
    return;
  }
  const shapes::SupportPoint p = shapes::support(a, -n);
  const double height = dot(n, p.p - pose.t) - b.offset;
  result.distance = height - r;
  result.point_a = p.p - a.radius * n;
  result.point_b = p.p - (height - b.radius) * n;
  result.corners_a[0] = p.index;
  result.corners_b[0] = 0;
  result.corners = 1;
}

}  // namespace carom::convex
