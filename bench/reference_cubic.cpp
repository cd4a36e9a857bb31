#include "bench/reference_cubic.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace carom::bench {
namespace {

using Eigen::Vector3d;

constexpr double tolerance = 1e-8;

struct Cubic {
  double a, b, c, d;
  double operator()(double t) const { return ((a * t + b) * t + c) * t + d; }
  double slope(double t) const { return (3 * a * t + 2 * b) * t + c; }
};

double det(const Vector3d& x, const Vector3d& y, const Vector3d& z) {
  return x.dot(y.cross(z));
}

Cubic volume(const FeatureMotion& m) {
  const Vector3d x = m.start[1] - m.start[0], y = m.start[2] - m.start[0], z = m.start[3] - m.start[0];
  const Vector3d u = m.end[1] - m.end[0] - x, v = m.end[2] - m.end[0] - y, w = m.end[3] - m.end[0] - z;
  return {det(u, v, w), det(x, v, w) + det(u, y, w) + det(u, v, z), det(x, y, w) + det(x, v, z) + det(u, y, z),
          det(x, y, z)};
}

double newton(const Cubic& f, double low, double high) {
  double t = 0.5 * (low + high);
  const bool up = f(low) < 0;
  for (int i = 0; i < 20; ++i) {
    const double v = f(t);
    ((v < 0) == up ? low : high) = t;
    double next = t - v / f.slope(t);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - t) < 1e-12) return next;
    t = next;
  }
  return t;
}

int zeros(const Cubic& f, double (&out)[3]) {
  double ends[4] = {0, 1, 1, 1};
  int count = 1;
  const double disc = f.b * f.b - 3 * f.a * f.c;
  if (disc > 0) {
    const double q = -(f.b + std::copysign(std::sqrt(disc), f.b));
    double r0 = f.a != 0 ? q / (3 * f.a) : 2, r1 = q != 0 ? f.c / q : 2;
    if (r0 > r1) std::swap(r0, r1);
    for (const double r : {r0, r1}) {
      if (r > 0 && r < 1) ends[count++] = r;
    }
  }
  ends[count] = 1;
  int found = 0;
  for (int i = 0; i < count; ++i) {
    const double low = f(ends[i]), high = f(ends[i + 1]);
    if (low == 0) {
      out[found++] = ends[i];
    } else if ((low < 0) != (high < 0)) {
      out[found++] = newton(f, ends[i], ends[i + 1]);
    }
  }
  return found;
}

bool inside_triangle(const Vector3d* p) {
  const Vector3d u = p[2] - p[1], v = p[3] - p[1], w = p[0] - p[1];
  const Vector3d n = u.cross(v);
  const double nn = n.squaredNorm();
  const double b = w.cross(v).dot(n), c = u.cross(w).dot(n);
  return b >= -tolerance * nn && c >= -tolerance * nn && b + c <= (1 + tolerance) * nn;
}

bool edges_cross(const Vector3d* p) {
  const Vector3d u = p[1] - p[0], v = p[3] - p[2], w = p[2] - p[0];
  const Vector3d n = u.cross(v);
  const double nn = n.squaredNorm();
  const double s = w.cross(v).dot(n), t = w.cross(u).dot(n);
  const double low = -tolerance * nn, high = (1 + tolerance) * nn;
  return s >= low && s <= high && t >= low && t <= high;
}

}  // namespace

bool cubic_collides(ContactKind kind, const FeatureMotion& motion, double& time) {
  double times[3];
  const int count = zeros(volume(motion), times);
  for (int i = 0; i < count; ++i) {
    Vector3d p[4];
    for (std::size_t k = 0; k < 4; ++k) p[k] = motion.start[k] + times[i] * (motion.end[k] - motion.start[k]);
    if (kind == ContactKind::vertex_face ? inside_triangle(p) : edges_cross(p)) {
      time = times[i];
      return true;
    }
  }
  return false;
}

}  // namespace carom::bench
