#include "narrow/convex/robust_simplex.hpp"

#include <algorithm>

#include "carom/mesh/closest.hpp"

namespace carom::convex {

namespace {

/// Inside, or outside by no more than the rounding of the weights. A tetrahedron can be so thin that the origin is
/// inside and yet nearer to the face it came from than to all others.
bool nearly_inside(const Simplex& s, Closest& inside) {
  const Vec3& d = s.y(3);
  const std::array<Vec3, 3> e{s.y(0) - d, s.y(1) - d, s.y(2) - d};
  const Vec3 n = cross(e[0], e[1]);
  const double volume = dot(n, e[2]);
  const double sign = volume < 0 ? -1.0 : 1.0;
  const double far = std::sqrt(std::max({dot(d, d), dot(s.y(0), s.y(0)), dot(s.y(1), s.y(1)), dot(s.y(2), s.y(2))}));
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3 opposite = cross(e[(i + 1) % 3], e[(i + 2) % 3]);
    const double w = -sign * dot(opposite, d);
    const double slack = 1e-15 * far * std::sqrt(dot(opposite, opposite));
    if (!(w >= -slack)) return false;
    inside.weights[i] = std::max(w, 0.0);
    sum += inside.weights[i];
  }
  const Vec3 last = cross(e[1] - e[0], e[2] - e[0]);
  if (!(std::abs(volume) - sum >= -1e-15 * far * std::sqrt(dot(last, last)))) return false;
  const double total = std::max(sum, std::abs(volume));
  if (!(total > 0)) return false;
  for (std::size_t i = 0; i < 3; ++i) inside.weights[i] /= total;
  inside.weights[3] = std::max(1 - sum / total, 0.0);
  inside.places = {0, 1, 2, 3};
  inside.count = 4;
  inside.v = {};
  inside.squared = 0;
  return true;
}

}  // namespace

Closest robust_closest_to_origin(const Simplex& s) {
  Closest best;
  if (s.count == 4 && nearly_inside(s, best)) return best;
  best.squared = INFINITY;
  best.count = 0;
  const auto offer = [&](int i, int j, int k) {
    const VertexTriangleClosest c = closest_vertex_triangle(Eigen::Vector3d::Zero(), math::to_eigen(s.y(i)),
                                                            math::to_eigen(s.y(j)), math::to_eigen(s.y(k)));
    const double squared = c.distance * c.distance;
    if (!(squared < best.squared)) return;
    best.squared = squared;
    best.v = math::to_vec3(c.point);
    best.count = 0;
    const std::array<int, 3> places{i, j, k};
    for (std::size_t m = 0; m < 3; ++m) {
      if (!(c.weights[static_cast<Eigen::Index>(m)] > 0)) continue;
      best.places[static_cast<std::size_t>(best.count)] = places[m];
      best.weights[static_cast<std::size_t>(best.count++)] = c.weights[static_cast<Eigen::Index>(m)];
    }
  };
  if (s.count == 3) {
    offer(0, 1, 2);
  } else if (s.count == 4) {
    offer(0, 1, 3);
    offer(1, 2, 3);
    offer(0, 2, 3);
    offer(0, 1, 2);
  }
  return best;
}

}  // namespace carom::convex
