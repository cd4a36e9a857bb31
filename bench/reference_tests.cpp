#include "bench/reference_tests.hpp"

#include <algorithm>

namespace carom::reference {

using Eigen::Vector3d;

namespace {

/// Where a + t (b - a) x is smallest for a line minimum at numerator / denominator.
double on_edge(double numerator, double denominator) {
  if (numerator <= 0) return 0;
  return numerator >= denominator ? 1 : numerator / denominator;
}

double clamp01(double t) {
  return std::clamp(t, 0.0, 1.0);
}

}  // namespace

VertexTriangle vertex_triangle(const Vector3d& p, const Vector3d& corner, const Vector3d& second,
                               const Vector3d& third) {
  const Vector3d e0 = second - corner;
  const Vector3d e1 = third - corner;
  const Vector3d from_p = corner - p;
  const double a = e0.dot(e0);
  const double b = e0.dot(e1);
  const double c = e1.dot(e1);
  const double d = e0.dot(from_p);
  const double e = e1.dot(from_p);
  const double determinant = a * c - b * b;
  double u = b * e - c * d;
  double v = b * d - a * e;

  // Along u + v = 1, from (0, 1) to (1, 0).
  const double slanted = a - 2 * b + c;
  if (u + v <= determinant) {
    if (u < 0) {
      if (v < 0 && d < 0) {  // region 4, nearer to v = 0
        u = on_edge(-d, a);
        v = 0;
      } else {  // regions 4 and 3: u = 0
        u = 0;
        v = on_edge(-e, c);
      }
    } else if (v < 0) {  // region 5
      u = on_edge(-d, a);
      v = 0;
    } else {  // region 0
      u /= determinant;
      v /= determinant;
    }
  } else if (u < 0) {  // region 2
    if (c + e > b + d) {
      u = on_edge((c + e) - (b + d), slanted);
      v = 1 - u;
    } else {
      u = 0;
      v = on_edge(-e, c);
    }
  } else if (v < 0) {  // region 6
    if (a + d > b + e) {
      v = on_edge((a + d) - (b + e), slanted);
      u = 1 - v;
    } else {
      u = on_edge(-d, a);
      v = 0;
    }
  } else {  // region 1
    u = on_edge((c + e) - (b + d), slanted);
    v = 1 - u;
  }

  VertexTriangle result;
  result.u = u;
  result.v = v;
  result.point = corner + u * e0 + v * e1;
  result.squared_distance = (result.point - p).squaredNorm();
  return result;
}

EdgeEdge edge_edge(const Vector3d& p1, const Vector3d& q1, const Vector3d& p2, const Vector3d& q2) {
  const Vector3d d1 = q1 - p1;
  const Vector3d d2 = q2 - p2;
  const Vector3d r = p2 - p1;
  const double a = d1.dot(d1);
  const double b = d1.dot(d2);
  const double c = d2.dot(d2);
  const double d = d1.dot(r);
  const double e = d2.dot(r);
  const double denominator = a * c - b * b;

  EdgeEdge result;
  constexpr double parallel = 1e-14;  // below this, rounding is most of the denominator
  if (denominator > parallel * a * c) {
    result.u = clamp01((d * c - b * e) / denominator);
    result.v = (b * result.u - e) / c;
    if (result.v < 0 || result.v > 1) {
      result.v = clamp01(result.v);
      result.u = clamp01((b * result.v + d) / a);
    }
  } else {
    double from = d / a;
    double to = (d + b) / a;
    if (from > to) std::swap(from, to);
    result.u = clamp01((std::max(0.0, from) + std::min(1.0, to)) / 2);
    if (to < 0) result.u = 0;
    if (from > 1) result.u = 1;
    result.v = clamp01((b * result.u - e) / c);
  }
  result.point_1 = p1 + result.u * d1;
  result.point_2 = p2 + result.v * d2;
  result.squared_distance = (result.point_2 - result.point_1).squaredNorm();
  return result;
}

}  // namespace carom::reference
