#include <algorithm>
#include <cmath>

#include "kernels/ccd_miss_filter.hpp"

// The operations of misses-inl.hpp, one by one and in the same order.
namespace carom::kernels {
namespace {

struct P {
  double x = 0, y = 0, z = 0;
};
P operator+(const P& a, const P& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
P operator-(const P& a, const P& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
P operator*(double s, const P& a) {
  return {s * a.x, s * a.y, s * a.z};
}
double dot(const P& a, const P& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
P cross(const P& a, const P& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
P lower(const P& a, const P& b) {
  return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
}
P higher(const P& a, const P& b) {
  return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
}
double largest(const P& a) {
  return std::max(std::max(std::abs(a.x), std::abs(a.y)), std::abs(a.z));
}

struct Polygon {
  int corners = 3;
  P start[4], end[4];
  P f_start, f_end, g_start, g_end;
  P low, high, middle;
  double size = 0;
  double separation = 0;
};

void set_corners(int corners, const double (*points)[3], P* corner, P& f, P& g) {
  P p[4];
  for (int i = 0; i < 4; ++i) p[i] = {points[i][0], points[i][1], points[i][2]};
  if (corners == 3) {
    for (int i = 0; i < 3; ++i) corner[i] = p[0] - p[i + 1];
    f = p[1] - p[2];
    g = p[2] - p[3];
  } else {
    corner[0] = p[0] - p[2];
    corner[1] = p[0] - p[3];
    corner[2] = p[1] - p[3];
    corner[3] = p[1] - p[2];
    f = p[2] - p[3];
    g = p[1] - p[0];
  }
}

bool set_size(Polygon& p) {
  p.low = lower(p.start[0], p.end[0]);
  p.high = higher(p.start[0], p.end[0]);
  p.middle = p.start[0] + p.end[0];
  for (int i = 1; i < p.corners; ++i) {
    p.low = lower(p.low, lower(p.start[i], p.end[i]));
    p.high = higher(p.high, higher(p.start[i], p.end[i]));
    p.middle = p.middle + (p.start[i] + p.end[i]);
  }
  p.size = std::max(largest(p.low), largest(p.high));
  const double sum = std::abs(p.middle.x + p.middle.y + p.middle.z);
  return p.size >= 1e-60 && p.size <= 1e70 && sum < 1e100;
}

bool outside_along_axes(const Polygon& p) {
  return p.low.x > p.separation || p.low.y > p.separation || p.low.z > p.separation || p.high.x < -p.separation ||
         p.high.y < -p.separation || p.high.z < -p.separation;
}

bool beyond(const Polygon& p, const P& n) {
  double smallest = std::min(dot(n, p.start[0]), dot(n, p.end[0]));
  for (int i = 1; i < p.corners; ++i) smallest = std::min(smallest, std::min(dot(n, p.start[i]), dot(n, p.end[i])));
  const double sum = std::abs(n.x) + std::abs(n.y) + std::abs(n.z);
  const double rounding = sum * (p.size * (8 * 0x1p-53)) + 1e-290;
  return smallest > rounding + p.separation * (1 + 0x1p-48) * std::sqrt(dot(n, n) + 1e-290);
}

bool never_in_a_plane(const Polygon& p) {
  const P n0 = cross(p.f_start, p.g_start);
  const P n2 = cross(p.f_end, p.g_end);
  const P n1 = 0.5 * (cross(p.f_start, p.g_end) + cross(p.f_end, p.g_start));
  const double third = 1.0 / 3;
  const double c0 = dot(p.start[0], n0);
  const double c1 = (dot(p.end[0], n0) + 2 * dot(p.start[0], n1)) * third;
  const double c2 = (2 * dot(p.end[0], n1) + dot(p.start[0], n2)) * third;
  const double c3 = dot(p.end[0], n2);
  const double size_f = std::max(largest(p.f_start), largest(p.f_end));
  const double size_g = std::max(largest(p.g_start), largest(p.g_end));
  const double area = size_f * size_g;
  const double error = p.size * area * (256 * 0x1p-53) + 1e-290;
  const double normal = std::sqrt(std::max(std::max(dot(n0, n0), dot(n1, n1)), dot(n2, n2)) + 1e-290);
  const double margin = error + p.separation * (normal * (1 + 0x1p-46) + area * (64 * 0x1p-53));
  const double smallest = std::min(std::min(c0, c1), std::min(c2, c3));
  const double max_value = std::max(std::max(c0, c1), std::max(c2, c3));
  return smallest > margin || max_value < -margin;
}

void try_side(const P& u, const P& v, P& best, double& best_squared) {
  const P along = v - u;
  const double t = std::min(std::max(-dot(u, along) / std::max(dot(along, along), 1e-300), 0.0), 1.0);
  const P point = u + t * along;
  const double squared = dot(point, point);
  if (squared < best_squared) {
    best = point;
    best_squared = squared;
  }
}

P nearest_halfway(const Polygon& p) {
  P m[4]{};
  for (int i = 0; i < p.corners; ++i) m[i] = p.start[i] + p.end[i];
  P best = m[0];
  double best_squared = dot(m[0], m[0]);
  for (int i = 0; i < p.corners; ++i) try_side(m[i], m[(i + 1) % p.corners], best, best_squared);
  const P n = cross(p.f_start + p.f_end, p.g_start + p.g_end);
  double smallest = dot(n, cross(m[p.corners - 1], m[0]));
  for (int i = 0; i + 1 < p.corners; ++i) smallest = std::min(smallest, dot(n, cross(m[i], m[i + 1])));
  if (!(smallest > 0)) return best;
  return dot(n, m[0]) < 0 ? -1.0 * n : n;
}

}  // namespace

bool ccd_misses_reference(int corners, const double (&points)[8][3], double separation) {
  Polygon p;
  p.corners = corners;
  p.separation = separation;
  set_corners(corners, points, p.start, p.f_start, p.g_start);
  set_corners(corners, points + 4, p.end, p.f_end, p.g_end);
  if (!set_size(p)) return false;
  return outside_along_axes(p) || beyond(p, p.middle) || never_in_a_plane(p) || beyond(p, nearest_halfway(p));
}

}  // namespace carom::kernels
