#include "narrow/mesh/triangle_pair.hpp"

#include <algorithm>

#include "carom/mesh/closest.hpp"
#include "geometry/triangle_triangle.hpp"
#include "kernels/closest.hpp"

namespace carom::mesh {
namespace {

TrianglePoints points(const TriangleCorners& t) {
  return {math::to_eigen(t[0]), math::to_eigen(t[1]), math::to_eigen(t[2])};
}

/// visit(distance, make) for each of the 15 pairs of features, make() being the closest points.
template <class Visit>
void each_feature_pair(const TriangleCorners& a, const TriangleCorners& b, Visit&& visit) {
  const TrianglePoints p = points(a);
  const TrianglePoints q = points(b);
  const auto carried = [](const Eigen::Vector3d& weights) {
    return (weights[0] > 0 ? 1U : 0U) | (weights[1] > 0 ? 2U : 0U) | (weights[2] > 0 ? 4U : 0U);
  };
  for (std::size_t k = 0; k < 3; ++k) {
    const VertexTriangleClosest c = closest_vertex_triangle(p[k], q[0], q[1], q[2]);
    visit(c.distance, [&] {
      return TriangleClosest{c.distance, a[k], math::to_vec3(c.point), 1U << k, carried(c.weights)};
    });
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const VertexTriangleClosest c = closest_vertex_triangle(q[k], p[0], p[1], p[2]);
    visit(c.distance, [&] {
      return TriangleClosest{c.distance, math::to_vec3(c.point), b[k], carried(c.weights), 1U << k};
    });
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t i1 = (i + 1) % 3;
    for (std::size_t j = 0; j < 3; ++j) {
      const std::size_t j1 = (j + 1) % 3;
      const EdgeEdgeClosest c = closest_edge_edge(p[i], p[i1], q[j], q[j1]);
      visit(c.distance, [&] {
        return TriangleClosest{c.distance, math::to_vec3(c.point_a), math::to_vec3(c.point_b),
                               (c.s < 1 ? 1U << i : 0U) | (c.s > 0 ? 1U << i1 : 0U),
                               (c.t < 1 ? 1U << j : 0U) | (c.t > 0 ? 1U << j1 : 0U)};
      });
    }
  }
}

/// Closest points from the kernels, a vector of feature pairs at a time. False if the lengths are too long or short
/// for them, or features touch.
bool closest_in_vectors(const TriangleCorners& a, const TriangleCorners& b, TriangleClosest& best) {
  kernels::ClosestBatch batch;
  kernels::ClosestResults vertices;
  kernels::ClosestResults edges;
  const auto put = [&](std::size_t row, std::size_t i, const Vec3& p) {
    batch.x[row][i] = p.x;
    batch.y[row][i] = p.y;
    batch.z[row][i] = p.z;
  };
  for (std::size_t k = 0; k < 3; ++k) {
    put(0, k, a[k]);
    put(0, k + 3, b[k]);
    for (std::size_t c = 0; c < 3; ++c) {
      put(c + 1, k, b[c]);
      put(c + 1, k + 3, a[c]);
    }
  }
  kernels::closest_vertex_triangle(batch, 6, vertices);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      put(0, 3 * i + j, a[i]);
      put(1, 3 * i + j, a[(i + 1) % 3]);
      put(2, 3 * i + j, b[j]);
      put(3, 3 * i + j, b[(j + 1) % 3]);
    }
  }
  kernels::closest_edge_edge(batch, 9, edges);
  std::size_t vertex = 0;
  bool valid = true;
  for (std::size_t k = 0; k < 6; ++k) {
    valid = valid && vertices.valid[k] != 0;
    if (vertices.distance[k] < vertices.distance[vertex]) vertex = k;
  }
  std::size_t edge = 0;
  for (std::size_t k = 0; k < 9; ++k) {
    valid = valid && edges.valid[k] != 0;
    if (edges.distance[k] < edges.distance[edge]) edge = k;
  }
  if (!valid) return false;
  const auto point = [](const auto& of, std::size_t k) { return Vec3{of[0][k], of[1][k], of[2][k]}; };
  const auto carried = [](const kernels::ClosestResults& r, std::size_t first, std::size_t count, std::size_t k) {
    std::uint32_t bits = 0;
    for (std::size_t c = 0; c < count; ++c) bits |= r.weights[first + c][k] != 0 ? 1U << c : 0U;
    return bits;
  };
  if (!(edges.distance[edge] < vertices.distance[vertex])) {
    const std::size_t k = vertex % 3;
    const std::uint32_t corners = carried(vertices, 1, 3, vertex);
    const Vec3 on_vertex = vertex < 3 ? a[k] : b[k];
    const Vec3 on_triangle = point(vertices.point_b, vertex);
    best.distance = vertices.distance[vertex];
    best.point_a = vertex < 3 ? on_vertex : on_triangle;
    best.point_b = vertex < 3 ? on_triangle : on_vertex;
    best.corners_a = vertex < 3 ? 1U << k : corners;
    best.corners_b = vertex < 3 ? corners : 1U << k;
    return true;
  }
  const auto ends = [](std::uint32_t bits, std::size_t i) {
    return ((bits & 1U) != 0 ? 1U << i : 0U) | ((bits & 2U) != 0 ? 1U << (i + 1) % 3 : 0U);
  };
  best.distance = edges.distance[edge];
  best.point_a = point(edges.point_a, edge);
  best.point_b = point(edges.point_b, edge);
  best.corners_a = ends(carried(edges, 0, 2, edge), edge / 3);
  best.corners_b = ends(carried(edges, 2, 2, edge), edge % 3);
  return true;
}

/// Where edges of t cross a plane, the corners being at heights h above it, one alone on its side.
std::array<Vec3, 2> cuts(const TriangleCorners& t, const std::array<double, 3>& h) {
  std::size_t alone = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    if ((h[k] > 0) != (h[(k + 1) % 3] > 0) && (h[k] > 0) != (h[(k + 2) % 3] > 0)) alone = k;
  }
  const auto cut = [&](std::size_t other) {
    const double fraction = h[alone] / (h[alone] - h[other]);
    return t[alone] + fraction * (t[other] - t[alone]);
  };
  return {cut((alone + 1) % 3), cut((alone + 2) % 3)};
}

/// The ordinary case in plain arithmetic: planes that differ clearly, no corner near the other plane, and a segment of
/// some length. False if it is not, for which there are the exact functions.
bool clear_segment(const TriangleCorners& a, const TriangleCorners& b, TriangleIntersection& where) {
  const Vec3 na = math::cross(a[1] - a[0], a[2] - a[0]);
  const Vec3 nb = math::cross(b[1] - b[0], b[2] - b[0]);
  const Vec3 along = math::cross(na, nb);
  const double aa = dot(na, na);
  const double bb = dot(nb, nb);
  if (!(dot(along, along) > 1e-8 * aa * bb)) return false;
  const auto heights = [](const TriangleCorners& t, const Vec3& n, double nn, const Vec3& on,
                          std::array<double, 3>& h) {
    bool above = false;
    bool below = false;
    double largest = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      h[k] = dot(n, t[k] - on);
      above = above || h[k] > 0;
      below = below || h[k] < 0;
      const Vec3 d = t[k] - on;
      largest = std::max(largest, dot(d, d));
    }
    const double smallest = std::min({std::abs(h[0]), std::abs(h[1]), std::abs(h[2])});
    return above && below && smallest * smallest > 1e-14 * nn * largest;
  };
  std::array<double, 3> ha;
  std::array<double, 3> hb;
  if (!heights(a, nb, bb, b[0], ha) || !heights(b, na, aa, a[0], hb)) return false;
  std::array<Vec3, 2> on_a = cuts(a, ha);
  std::array<Vec3, 2> on_b = cuts(b, hb);
  if (dot(along, on_a[1] - on_a[0]) < 0) std::swap(on_a[0], on_a[1]);
  if (dot(along, on_b[1] - on_b[0]) < 0) std::swap(on_b[0], on_b[1]);
  const Vec3 start = dot(along, on_b[0] - on_a[0]) > 0 ? on_b[0] : on_a[0];
  const Vec3 end = dot(along, on_b[1] - on_a[1]) < 0 ? on_b[1] : on_a[1];
  const Vec3 d = end - start;
  const Vec3 whole = on_a[1] - on_a[0];
  if (!(dot(along, d) > 0) || !(dot(d, d) > 1e-12 * dot(whole, whole))) return false;
  where.kind = IntersectionKind::segment;
  where.start = math::to_eigen(start);
  where.end = math::to_eigen(end);
  if (std::lexicographical_compare(where.end.data(), where.end.data() + 3, where.start.data(),
                                   where.start.data() + 3)) {
    std::swap(where.start, where.end);
  }
  return true;
}

Vec3 double_area(const TriangleCorners& t) {
  return math::cross(t[1] - t[0], t[2] - t[0]);
}

}  // namespace

Vec3 direction_of(const TriangleCorners& a, const TriangleCorners& b, const TriangleClosest& c) {
  const Vec3 between = c.point_b - c.point_a;
  const Vec3 size = (a[1] - a[0]) + (a[2] - a[0]);
  if (c.distance > 1e-9 * std::sqrt(dot(size, size))) return math::unit_or_zero(between);
  const auto bits = [](std::uint32_t m) { return (m & 1U) + (m >> 1U & 1U) + (m >> 2U & 1U); };
  Vec3 n;
  if (bits(c.corners_a) == 3) n = double_area(a);
  if (bits(c.corners_b) == 3) n = double_area(b);
  if (bits(c.corners_a) == 2 && bits(c.corners_b) == 2) {
    const auto along = [](const TriangleCorners& t, std::uint32_t m) {
      return m == 3 ? t[1] - t[0] : m == 5 ? t[2] - t[0] : t[2] - t[1];
    };
    n = math::cross(along(a, c.corners_a), along(b, c.corners_b));
  }
  n = math::unit_or_zero(n);
  if (!(dot(n, n) > 0.5)) n = math::unit_or_zero(between);
  if (!(dot(n, n) > 0.5)) n = math::unit_or_zero(double_area(a));
  if (!(dot(n, n) > 0.5)) return {1, 0, 0};
  const Vec3 away = dot(between, n) != 0 ? between : (b[0] + b[1] + b[2]) - (a[0] + a[1] + a[2]);
  return dot(away, n) < 0 ? -n : n;
}

TriangleClosest closest_of(const TriangleCorners& a, const TriangleCorners& b) {
  TriangleClosest best;
  if (closest_in_vectors(a, b, best)) return best;
  best.distance = INFINITY;
  each_feature_pair(a, b, [&](double distance, auto&& make) {
    if (distance < best.distance) best = make();
  });
  return best;
}

double distance_of(const TriangleCorners& a, const TriangleCorners& b) {
  return closest_of(a, b).distance;
}

bool meet(const TriangleCorners& a, const TriangleCorners& b) {
  // Most pairs end at the first plane that has all of the other triangle on one side.
  const auto beside = [](const std::array<int, 3>& side) {
    return side[0] != 0 && side[0] == side[1] && side[1] == side[2];
  };
  const TrianglePoints p = points(a);
  const TrianglePoints q = points(b);
  const std::array<int, 3> side_q = geometry::sides_of(q, p);
  if (beside(side_q)) return false;
  const std::array<int, 3> side_p = geometry::sides_of(p, q);
  if (beside(side_p)) return false;
  return geometry::meet_beyond({p, side_p}, {q, side_q}, {});
}

TriangleIntersection intersection(const TriangleCorners& a, const TriangleCorners& b) {
  TriangleIntersection where;
  if (clear_segment(a, b, where)) return where;
  return geometry::intersection_of(points(a), points(b));
}

LastContact last_contact(const TriangleCorners& a, const TriangleCorners& b, const Vec3& n) {
  // The triangles part where a corner of one leaves the other, or where two edges do.
  LastContact last;
  const auto offer = [&](double time, const Vec3& point) {
    if (time > last.time) last = {time, point};
  };
  // Along n, a corner c of one meets the plane of t after `way`; a little outside counts, for rounding.
  constexpr double more = 1e-12;
  const auto corner = [&](const Vec3& c, const TriangleCorners& t, double sign) {
    const Vec3 u = t[1] - t[0];
    const Vec3 v = t[2] - t[0];
    const double facing = dot(math::cross(u, v), n);
    if (facing == 0) return;
    const Vec3 w = t[0] - c;
    const Vec3 x = math::cross(n, w);
    const double ku = -dot(v, x) / facing;
    const double kv = dot(u, x) / facing;
    if (!(ku >= -more && kv >= -more && ku + kv <= 1 + more)) return;
    const double travel = dot(math::cross(u, v), w) / facing;
    offer(sign * travel, sign > 0 ? c + travel * n : c);
  };
  for (std::size_t k = 0; k < 3; ++k) corner(b[k], a, 1);
  for (std::size_t k = 0; k < 3; ++k) corner(a[k], b, -1);
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3& p = a[i];
    const Vec3 u = a[(i + 1) % 3] - p;
    for (std::size_t j = 0; j < 3; ++j) {
      const Vec3& q = b[j];
      const Vec3 v = b[(j + 1) % 3] - q;
      // p + s u = q + r v + time n
      const Vec3 m = math::cross(u, v);
      const double facing = dot(m, n);
      if (facing == 0) continue;
      const Vec3 w = p - q;
      const double time = dot(m, w) / facing;
      const double s = dot(math::cross(w, v), n) / -facing;
      const double r = dot(math::cross(w, u), n) / -facing;
      if (s >= -more && s <= 1 + more && r >= -more && r <= 1 + more) offer(time, p + s * u);
    }
  }
  return last;
}

}  // namespace carom::mesh
