#include "oracle/exact_distance.hpp"

#include <algorithm>

namespace carom::oracle {

ExactVector exact(const Eigen::Vector3d& p) {
  return {mpq_class(p.x()), mpq_class(p.y()), mpq_class(p.z())};
}

ExactVector operator-(const ExactVector& a, const ExactVector& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

ExactVector operator+(const ExactVector& a, const ExactVector& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}

ExactVector operator*(const mpq_class& s, const ExactVector& a) {
  return {s * a.x, s * a.y, s * a.z};
}

mpq_class dot(const ExactVector& a, const ExactVector& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

mpq_class squared_distance(const ExactVector& a, const ExactVector& b) {
  const ExactVector d = a - b;
  return dot(d, d);
}

mpq_class point_segment_squared(const ExactVector& p, const ExactVector& a, const ExactVector& b) {
  const ExactVector ab = b - a;
  const mpq_class length2 = dot(ab, ab);
  if (length2 == 0) return squared_distance(p, a);
  const mpq_class t = dot(p - a, ab) / length2;
  if (t <= 0) return squared_distance(p, a);
  if (t >= 1) return squared_distance(p, b);
  return squared_distance(p, a + t * ab);
}

// The closest point is on an edge, or it is the foot of the perpendicular: the solution (v, w) of
// the normal equations of |p - a - v ab - w ac|, inside the triangle.
mpq_class point_triangle_squared(const ExactVector& p, const ExactVector& a, const ExactVector& b,
                                 const ExactVector& c) {
  mpq_class best =
      std::min({point_segment_squared(p, a, b), point_segment_squared(p, b, c), point_segment_squared(p, c, a)});
  const ExactVector ab = b - a;
  const ExactVector ac = c - a;
  const ExactVector ap = p - a;
  const mpq_class bb = dot(ab, ab);
  const mpq_class bc = dot(ab, ac);
  const mpq_class cc = dot(ac, ac);
  const mpq_class det = bb * cc - bc * bc;
  if (det == 0) return best;  // no area: the edges are all there is
  const mpq_class bp = dot(ab, ap);
  const mpq_class cp = dot(ac, ap);
  const mpq_class v = (cc * bp - bc * cp) / det;
  const mpq_class w = (bb * cp - bc * bp) / det;
  if (v >= 0 && w >= 0 && v + w <= 1) best = std::min(best, squared_distance(p, a + (v * ab + w * ac)));
  return best;
}

// The closest pair has an end point in it, or it is the common perpendicular: the solution (s, t)
// of the normal equations of |a0 + s da - b0 - t db|, inside both segments. Parallel segments
// always have a closest pair with an end point in it.
mpq_class segment_segment_squared(const ExactVector& a0, const ExactVector& a1, const ExactVector& b0,
                                  const ExactVector& b1) {
  mpq_class best = std::min({point_segment_squared(a0, b0, b1), point_segment_squared(a1, b0, b1),
                             point_segment_squared(b0, a0, a1), point_segment_squared(b1, a0, a1)});
  const ExactVector da = a1 - a0;
  const ExactVector db = b1 - b0;
  const ExactVector r = b0 - a0;
  const mpq_class aa = dot(da, da);
  const mpq_class ab = dot(da, db);
  const mpq_class bb = dot(db, db);
  const mpq_class det = aa * bb - ab * ab;
  if (det == 0) return best;
  const mpq_class ar = dot(da, r);
  const mpq_class br = dot(db, r);
  const mpq_class s = (bb * ar - ab * br) / det;
  const mpq_class t = (ab * ar - aa * br) / det;
  if (s >= 0 && s <= 1 && t >= 0 && t <= 1) best = std::min(best, squared_distance(a0 + s * da, b0 + t * db));
  return best;
}

double error_of(double computed, const mpq_class& squared) {
  constexpr mp_bitcnt_t bits = 512;
  const mpf_class truth = sqrt(mpf_class(squared, bits));
  return mpf_class(mpf_class(computed, bits) - truth, bits).get_d();
}

}  // namespace carom::oracle
