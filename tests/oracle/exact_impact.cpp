#include "oracle/exact_impact.hpp"

#include <algorithm>
#include <optional>

#include "oracle/exact_zeros.hpp"

namespace carom::oracle {
namespace {

using oracle::operator-;

struct Moving {
  Poly x, y, z;
};

Moving operator-(const Moving& a, const Moving& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
Poly dot(const Moving& a, const Moving& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
Moving cross(const Moving& a, const Moving& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

Poly linear(double from, double to) {
  Poly p{mpq_class(from), mpq_class(to) - mpq_class(from)};
  while (!p.empty() && p.back() == 0) p.pop_back();
  return p;
}
Moving moving(const Eigen::Vector3d& from, const Eigen::Vector3d& to) {
  return {linear(from.x(), to.x()), linear(from.y(), to.y()), linear(from.z(), to.z())};
}

/// Remembers every polynomial whose sign it is asked for; with a zero, answers.
class Signs {
 public:
  explicit Signs(RealZero& at) : at_(&at) {}
  explicit Signs(std::vector<Poly>& asked) : asked_(&asked) {}

  bool collecting() const { return asked_ != nullptr; }
  int operator()(const Poly& p) {
    if (asked_ != nullptr) {
      asked_->push_back(p);
      return 0;
    }
    return sign(p, *at_);
  }

 private:
  RealZero* at_ = nullptr;
  std::vector<Poly>* asked_ = nullptr;
};

bool is_zero(const Moving& v, Signs& signs) {
  const bool x = signs(v.x) == 0, y = signs(v.y) == 0, z = signs(v.z) == 0;
  return x && y && z;
}

bool point_on_segment(const Moving& p, const Moving& a, const Moving& b, Signs& signs) {
  const bool on_line = is_zero(cross(a - p, b - p), signs);
  const bool between = signs(dot(a - p, b - p)) <= 0;
  return on_line && between;
}

/// Every sign is asked for, whatever the others are, so that collecting sees all.
bool point_in_triangle(const std::array<Moving, 4>& v, Signs& signs) {
  const Moving a = v[1] - v[0], b = v[2] - v[0], c = v[3] - v[0];
  const Moving n = cross(b - a, c - a);
  const bool flat = signs(dot(a, n)) == 0;
  const bool degenerate = is_zero(n, signs);
  if (!signs.collecting() && !flat) return false;
  bool inside = true;
  if (signs.collecting() || !degenerate) {
    for (const auto& [p, q] : {std::pair{a, b}, std::pair{b, c}, std::pair{c, a}}) {
      if (signs(dot(cross(p, q), n)) < 0) inside = false;
    }
    if (!signs.collecting()) return inside;
  }
  const bool ab = point_on_segment(v[0], v[1], v[2], signs);
  const bool bc = point_on_segment(v[0], v[2], v[3], signs);
  const bool ca = point_on_segment(v[0], v[3], v[1], signs);
  return ab || bc || ca;
}

bool edges_meet(const std::array<Moving, 4>& v, Signs& signs) {
  const Moving da = v[1] - v[0], db = v[3] - v[2], r = v[2] - v[0];
  const Moving n = cross(da, db);
  const bool flat = signs(dot(r, n)) == 0;
  const bool parallel = is_zero(n, signs);
  if (!signs.collecting() && !flat) return false;
  if (signs.collecting() || !parallel) {
    // a0 + s da = b0 + t db with s = (r x db).n / n.n and t = (r x da).n / n.n.
    const Poly s = dot(cross(r, db), n), t = dot(cross(r, da), n), all = dot(n, n);
    bool inside = true;
    for (const Poly& x : {s, t, all - s, all - t}) {
      if (signs(x) < 0) inside = false;
    }
    if (!signs.collecting()) return inside;
  }
  const bool a0 = point_on_segment(v[0], v[2], v[3], signs);
  const bool a1 = point_on_segment(v[1], v[2], v[3], signs);
  const bool b0 = point_on_segment(v[2], v[0], v[1], signs);
  const bool b1 = point_on_segment(v[3], v[0], v[1], signs);
  return a0 || a1 || b0 || b1;
}

bool touch(ContactKind kind, const std::array<Moving, 4>& v, Signs signs) {
  return kind == ContactKind::vertex_face ? point_in_triangle(v, signs) : edges_meet(v, signs);
}

ExactVector at_time(const FeatureMotion& motion, std::size_t i, const mpq_class& t) {
  const ExactVector start = exact(motion.start[i]);
  return start + t * (exact(motion.end[i]) - start);
}

}  // namespace

ExactImpact exact_impact(ContactKind kind, const FeatureMotion& motion) {
  std::array<Moving, 4> v;
  for (std::size_t i = 0; i < 4; ++i) v[i] = moving(motion.start[i], motion.end[i]);
  std::vector<Poly> polynomials;
  touch(kind, v, Signs(polynomials));

  RealZero start{{}, 0, 0};
  if (touch(kind, v, Signs(start))) return {true, 0, 0};
  // The first is the coplanarity: unless it is zero all the time, nothing touches but at its zeros.
  if (!polynomials[0].empty()) polynomials.resize(1);
  std::sort(polynomials.begin(), polynomials.end());
  polynomials.erase(std::unique(polynomials.begin(), polynomials.end()), polynomials.end());

  std::optional<RealZero> first;
  for (const Poly& p : polynomials) {
    for (RealZero& zero : zeros_in_unit_interval(p)) {
      if (!touch(kind, v, Signs(zero))) continue;
      narrow(zero, mpq_class(1) / (mpz_class(1) << 80));
      if (!first || zero.high < first->high) first = zero;
    }
  }
  if (!first) return {};
  return {true, first->low, first->high};
}

mpq_class squared_distance_at(ContactKind kind, const FeatureMotion& motion, const mpq_class& t) {
  std::array<ExactVector, 4> p;
  for (std::size_t i = 0; i < 4; ++i) p[i] = at_time(motion, i, t);
  return kind == ContactKind::vertex_face ? point_triangle_squared(p[0], p[1], p[2], p[3])
                                          : segment_segment_squared(p[0], p[1], p[2], p[3]);
}

mpq_class squared_motion(ContactKind kind, const FeatureMotion& motion) {
  const std::size_t of_a = kind == ContactKind::vertex_face ? 1 : 2;
  mpq_class longest = 0;
  for (std::size_t i = 0; i < of_a; ++i) {
    for (std::size_t j = of_a; j < 4; ++j) {
      const ExactVector path =
          (exact(motion.end[i]) - exact(motion.start[i])) - (exact(motion.end[j]) - exact(motion.start[j]));
      longest = std::max(longest, dot(path, path));
    }
  }
  return longest;
}

}  // namespace carom::oracle
