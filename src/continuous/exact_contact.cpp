#include "continuous/exact_contact.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "continuous/exact_polynomial.hpp"

// The corners W_i(t) of the polygon of differences are linear in t. Multiplied by a power of two all numbers are
// integers.
//
// When: c(t) = det(W0, W1, W2) is zero whenever the polygon meets the origin. If c is not the zero polynomial its
// zeros, and t = 0, are all the times to look at. If it is, polygon and origin stay in a plane (that may turn),
// and at the first contact, if it is not at t = 0, the origin is on a side of the polygon: it cannot come to the inside
// but over the boundary. Then W_i x W_j = 0 for the ends of this side. If that is so all the time, both move on a line
// through the origin and the first contact is where one of them is zero.
//
// Whether: at such a time the polygon is in a plane with the origin. With N its normal, it holds the origin if, along
// an axis in which N is not zero, all W_i x W_i+1 have the sign of N or are zero. If N is zero the polygon is a segment
// or point: it holds the origin if all W_i x W_i+1 are zero and along no axis all W_i have the same sign.
//
// The signs are those of polynomials of degree 2 at a zero of one of degree 3. Most are clear from floating-point
// values.
namespace carom::continuous {
namespace {

using math::cross;

using Integer3 = std::array<mpz_class, 3>;

struct ExactMotion {
  int corners = 3;
  std::array<Integer3, 4> start;
  std::array<Integer3, 4> path;  ///< end - start
};

struct Parts {
  std::int64_t mantissa = 0;
  int exponent = 0;
};

/// x = mantissa 2^exponent with an odd mantissa, or 0.
Parts take_apart(double x) {
  if (x == 0) return {};
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  auto mantissa = static_cast<std::int64_t>(std::ldexp(fraction, 53));
  const int zeros = std::countr_zero(static_cast<std::uint64_t>(mantissa));
  return {mantissa >> zeros, exponent - 53 + zeros};
}

ExactMotion exact_motion(ContactKind kind, const FeatureMotion& motion) {
  std::array<std::array<Parts, 3>, 8> parts;
  int lowest = 1 << 20;
  for (std::size_t i = 0; i < 8; ++i) {
    const Eigen::Vector3d& p = i < 4 ? motion.start[i] : motion.end[i - 4];
    for (std::size_t k = 0; k < 3; ++k) {
      parts[i][k] = take_apart(p[static_cast<Eigen::Index>(k)]);
      if (parts[i][k].mantissa != 0) lowest = std::min(lowest, parts[i][k].exponent);
    }
  }
  static_assert(sizeof(long) == 8);
  std::array<Integer3, 8> points;
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      if (parts[i][k].mantissa == 0) continue;
      points[i][k] = static_cast<long>(parts[i][k].mantissa);
      points[i][k] <<= static_cast<unsigned long>(parts[i][k].exponent - lowest);
    }
  }
  ExactMotion m;
  m.corners = kind == ContactKind::vertex_face ? 3 : 4;
  constexpr std::array<std::array<std::size_t, 2>, 4> of_face{{{0, 1}, {0, 2}, {0, 3}, {0, 0}}};
  constexpr std::array<std::array<std::size_t, 2>, 4> of_edges{{{0, 2}, {0, 3}, {1, 3}, {1, 2}}};
  const auto& pairs = kind == ContactKind::vertex_face ? of_face : of_edges;
  for (std::size_t i = 0; i < static_cast<std::size_t>(m.corners); ++i) {
    const auto [a, b] = pairs[i];
    for (std::size_t k = 0; k < 3; ++k) {
      m.start[i][k] = points[a][k] - points[b][k];
      m.path[i][k] = points[a + 4][k] - points[b + 4][k] - m.start[i][k];
    }
  }
  return m;
}

/// x y' - x' y of linear functions x, y, x', y'.
struct Linear {
  const mpz_class& at0;
  const mpz_class& slope;
};
void add_product(Polynomial& p, const Linear& a, const Linear& b, bool minus) {
  const auto add = minus ? mpz_submul : mpz_addmul;
  add(p.c[0].get_mpz_t(), a.at0.get_mpz_t(), b.at0.get_mpz_t());
  add(p.c[1].get_mpz_t(), a.at0.get_mpz_t(), b.slope.get_mpz_t());
  add(p.c[1].get_mpz_t(), a.slope.get_mpz_t(), b.at0.get_mpz_t());
  add(p.c[2].get_mpz_t(), a.slope.get_mpz_t(), b.slope.get_mpz_t());
}

/// Component `axis` of the cross product of two moving vectors.
Polynomial cross_polynomial(const Integer3& a0, const Integer3& a1, const Integer3& b0, const Integer3& b1,
                            std::size_t axis) {
  const std::size_t i = (axis + 1) % 3;
  const std::size_t j = (axis + 2) % 3;
  Polynomial p;
  add_product(p, {a0[i], a1[i]}, {b0[j], b1[j]}, false);
  add_product(p, {a0[j], a1[j]}, {b0[i], b1[i]}, true);
  p.degree = 2;
  p.trim();
  return p;
}

class Contact {
 public:
  Contact(ContactKind kind, const FeatureMotion& motion, const RelativeMotion& m)
      : exact_(exact_motion(kind, motion)), float_(m) {
    set_sides();
  }

  ExactResult first() {
    Zero start;
    start.low = {0, 0};
    start.high = {0, 0};
    start.is_point = true;
    if (holds_origin(start)) return {true, 0};
    const Polynomial c = coplanarity_polynomial();
    if (c.degree >= 0) {
      try_zeros(c);
    } else {
      for (std::size_t i = 0; i < corners(); ++i) try_side(i);
    }
    return best_;
  }

 private:
  std::size_t corners() const { return static_cast<std::size_t>(exact_.corners); }
  std::size_t next(std::size_t i) const { return (i + 1) % corners(); }

  void set_sides() {
    for (std::size_t k = 0; k < 3; ++k) {
      f0_[k] = exact_.start[1][k] - exact_.start[0][k];
      f1_[k] = exact_.path[1][k] - exact_.path[0][k];
      g0_[k] = exact_.start[2][k] - exact_.start[1][k];
      g1_[k] = exact_.path[2][k] - exact_.path[1][k];
    }
  }

  Polynomial coplanarity_polynomial() const {
    Polynomial p;
    for (std::size_t k = 0; k < 3; ++k) {
      const Polynomial n = cross_polynomial(f0_, f1_, g0_, g1_, k);
      for (std::size_t i = 0; i < 3; ++i) {
        mpz_addmul(p.c[i].get_mpz_t(), n.c[i].get_mpz_t(), exact_.start[0][k].get_mpz_t());
        mpz_addmul(p.c[i + 1].get_mpz_t(), n.c[i].get_mpz_t(), exact_.path[0][k].get_mpz_t());
      }
    }
    p.degree = 3;
    p.trim();
    return p;
  }

  void try_zeros(const Polynomial& p) {
    std::array<Zero, 3> zeros;
    const int count = isolate(p, zeros);
    for (int i = 0; i < count; ++i) {
      Zero& zero = zeros[static_cast<std::size_t>(i)];
      constexpr unsigned bits = 44;
      refine(zero, bits, rough_zero(zero));
      const double time = rounded_down(zero.low);
      if (best_.collides && time >= best_.time) continue;
      if (holds_origin(zero)) best_ = {true, std::min(time, 1.0)};
    }
  }

  /// Where a zero is, in floating point: Newton from the middle, kept in the interval.
  static double rough_zero(const Zero& zero) {
    if (zero.is_point) return 2;
    const std::array<double, 4> c = rough_coefficients(zero.of);
    const auto value = [&](double t) { return ((c[3] * t + c[2]) * t + c[1]) * t + c[0]; };
    const auto slope = [&](double t) { return (3 * c[3] * t + 2 * c[2]) * t + c[1]; };
    double low = rounded_down(zero.low);
    double high = rounded_down(zero.high);
    const bool up = value(low) < 0;
    double t = 0.5 * (low + high);
    for (int i = 0; i < 60; ++i) {
      const double v = value(t);
      ((v < 0) == up ? low : high) = t;
      double next = t - v / slope(t);
      if (!(next > low && next < high)) next = 0.5 * (low + high);
      if (std::abs(next - t) < 1e-17) break;
      t = next;
    }
    return t;
  }

  void try_side(std::size_t i) {
    const std::size_t j = next(i);
    for (std::size_t k = 0; k < 3; ++k) {
      const Polynomial q = cross_polynomial(exact_.start[i], exact_.path[i], exact_.start[j], exact_.path[j], k);
      if (q.degree < 0) continue;
      try_zeros(q);
      return;
    }
    // The two ends move on a line through the origin.
    for (const std::size_t corner : {i, j}) {
      for (std::size_t k = 0; k < 3; ++k) {
        const Polynomial q = corner_polynomial(corner, k);
        if (q.degree < 0) continue;
        try_zeros(q);
        break;
      }
    }
  }

  Polynomial corner_polynomial(std::size_t corner, std::size_t axis) const {
    Polynomial p;
    p.c[0] = exact_.start[corner][axis];
    p.c[1] = exact_.path[corner][axis];
    p.degree = 1;
    p.trim();
    return p;
  }

  /// The time in floating point, 2^-43 wrong at most.
  static double rough(const Zero& zero) { return rounded_down(zero.low); }

  /// Sign of component k of (a x b) at the zero; floating point first. `exact` gives the polynomial.
  template <class Make>
  static int sign(double rough_value, double bound, Zero& zero, const Make& exact) {
    if (rough_value > bound) return 1;
    if (rough_value < -bound) return -1;
    const Polynomial p = exact();
    return sign_at(p, zero);
  }

  bool holds_origin(Zero& zero) const {
    const double t = rough(zero);
    // A component of W_i x W_j is below 2 size^2 and changes by at most 8 size^2 over the step; sides are up to
    // twice as long. The time is wrong by 2^-43, the rest by much less.
    const double bound = 64 * 0x1p-43 * float_.size * float_.size;
    std::array<Vec3, 4> w;
    for (std::size_t i = 0; i < corners(); ++i) w[i] = corner_at(float_, static_cast<int>(i), t);
    const Vec3 f = (1 - t) * float_.side_f_start + t * float_.side_f_end;
    const Vec3 g = (1 - t) * float_.side_g_start + t * float_.side_g_end;
    const Vec3 normal = cross(f, g);
    const std::array<double, 3> n{normal.x, normal.y, normal.z};
    std::array<std::size_t, 3> axes{0, 1, 2};
    std::sort(axes.begin(), axes.end(), [&](std::size_t a, std::size_t b) { return std::abs(n[a]) > std::abs(n[b]); });
    for (const std::size_t axis : axes) {
      const int side = sign(n[axis], bound, zero, [&] { return cross_polynomial(f0_, f1_, g0_, g1_, axis); });
      if (side == 0) continue;
      return within_sides(zero, w, bound, axis, side) && in_the_plane(zero);
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (!around_zero(zero, axis)) return false;
    }
    for (std::size_t i = 0; i < corners(); ++i) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (cross_sign(zero, w, bound, i, axis) != 0) return false;
      }
    }
    return true;
  }

  int cross_sign(Zero& zero, const std::array<Vec3, 4>& w, double bound, std::size_t i, std::size_t axis) const {
    const std::size_t j = next(i);
    const Vec3 c = cross(w[i], w[j]);
    const double value = axis == 0 ? c.x : axis == 1 ? c.y : c.z;
    return sign(value, bound, zero, [&] {
      return cross_polynomial(exact_.start[i], exact_.path[i], exact_.start[j], exact_.path[j], axis);
    });
  }

  bool within_sides(Zero& zero, const std::array<Vec3, 4>& w, double bound, std::size_t axis, int side) const {
    for (std::size_t i = 0; i < corners(); ++i) {
      if (cross_sign(zero, w, bound, i, axis) == -side) return false;
    }
    return true;
  }

  /// Whether the origin is in the plane of the polygon: for zeros of c it is.
  bool in_the_plane(Zero& zero) const {
    if (!zero.is_point) return true;
    const Polynomial c = coplanarity_polynomial();
    return sign_at(c, zero.low) == 0;
  }

  bool around_zero(Zero& zero, std::size_t axis) const {
    bool any_below = false;
    bool any_above = false;
    for (std::size_t i = 0; i < corners(); ++i) {
      const int s = sign_at(corner_polynomial(i, axis), zero);
      any_below = any_below || s <= 0;
      any_above = any_above || s >= 0;
      if (any_below && any_above) return true;
    }
    return false;
  }

  ExactMotion exact_;
  const RelativeMotion& float_;
  Integer3 f0_, f1_, g0_, g1_;
  ExactResult best_;
};

}  // namespace

ExactResult exact_contact(ContactKind kind, const FeatureMotion& motion, const RelativeMotion& m) {
  return Contact(kind, motion, m).first();
}

}  // namespace carom::continuous
