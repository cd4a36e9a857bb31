#include "geometry/collinear.hpp"

#include <array>
#include <cmath>
#include <cstdint>

// Three points are collinear if the cross product of two sides is zero, that is if the signed area of
// the triangle is zero seen along each axis. A floating-point filter rejects nearly all triangles; the
// rest are summed exactly.
namespace carom::detail {
namespace {

/// An exact sum of products of doubles, as one fixed-point number wide enough for all of them (a
/// "superaccumulator"). Chosen over floating-point expansions because it needs no argument
/// about overflow and underflow; its cost does not matter behind the filter.
class ExactSum {
 public:
  void add_product(double x, double y) {
    if (x == 0 || y == 0) return;
    int ex = 0;
    int ey = 0;
    const auto mx = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &ex), 53));
    const auto my = static_cast<std::int64_t>(std::ldexp(std::frexp(y, &ey), 53));
    const int shift = (ex - 53) + (ey - 53) - lowest_bit;
    add(magnitude(mx), magnitude(my), static_cast<std::size_t>(shift), (mx < 0) != (my < 0));
  }

  bool is_zero() const {
    std::int64_t carry = 0;
    for (const std::int64_t word : words_) {
      const std::int64_t value = word + carry;
      if ((value & 0xffffffff) != 0) return false;
      carry = value >> 32;
    }
    return carry == 0;
  }

 private:
  // frexp takes even the smallest subnormal, 2^-1074, as 2^52 * 2^-1126; the largest double is below 2^1024.
  static constexpr int lowest_bit = 2 * -1126;
  static constexpr int highest_bit = 2 * 1024;
  static constexpr std::size_t word_count = (highest_bit - lowest_bit) / 32 + 2;

  static std::uint64_t magnitude(std::int64_t m) { return static_cast<std::uint64_t>(m < 0 ? -m : m); }

  /// Adds x * y * 2^shift. Words hold 32 bits each and are signed 64-bit numbers, so that
  /// carries can wait for the end: a handful of products is far from filling them.
  void add(std::uint64_t x, std::uint64_t y, std::size_t shift, bool negative) {
    const std::size_t bit = shift % 32;
    const std::uint64_t x_low = (x & 0xffffffff) << bit;
    const std::uint64_t x_high = ((x >> 32) << bit) + (x_low >> 32);
    const std::array<std::uint64_t, 3> xs = {x_low & 0xffffffff, x_high & 0xffffffff, x_high >> 32};
    const std::array<std::uint64_t, 2> ys = {y & 0xffffffff, y >> 32};
    for (std::size_t i = 0; i < xs.size(); ++i)
      for (std::size_t j = 0; j < ys.size(); ++j) {
        const std::uint64_t product = xs[i] * ys[j];
        const auto low = static_cast<std::int64_t>(product & 0xffffffff);
        const auto high = static_cast<std::int64_t>(product >> 32);
        const std::size_t word = shift / 32 + i + j;
        words_[word] += negative ? -low : low;
        words_[word + 1] += negative ? -high : high;
      }
  }

  std::array<std::int64_t, word_count + 3> words_{};
};

/// Twice the signed area of (0, u, v) seen along one axis, for sides u and v that are rounded
/// differences: surely not zero if it is larger than its error. Both products and their difference
/// are wrong by at most 4 roundings of the products (3 + O(eps), rounded up); the constant covers
/// underflow. Overflow gives an infinity or NaN and with it `false`.
bool surely_not_zero(double ux, double uy, double vx, double vy) {
  constexpr double roundings = 4 * 0x1p-53;
  const double left = ux * vy;
  const double right = uy * vx;
  return std::abs(left - right) > roundings * (std::abs(left) + std::abs(right)) + 1e-300;
}

/// (b - a) x (c - a) in the plane of axes i and j, multiplied out: no difference, so no rounding.
bool exactly_zero(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c, int i, int j) {
  ExactSum sum;
  sum.add_product(b[i], c[j]);
  sum.add_product(-b[i], a[j]);
  sum.add_product(-a[i], c[j]);
  sum.add_product(-b[j], c[i]);
  sum.add_product(b[j], a[i]);
  sum.add_product(a[j], c[i]);
  return sum.is_zero();
}

}  // namespace

bool collinear(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c) {
  const Eigen::Vector3d u = b - a;
  const Eigen::Vector3d v = c - a;
  if (surely_not_zero(u.x(), u.y(), v.x(), v.y()) || surely_not_zero(u.y(), u.z(), v.y(), v.z()) ||
      surely_not_zero(u.z(), u.x(), v.z(), v.x()))
    return false;
  return exactly_zero(a, b, c, 0, 1) && exactly_zero(a, b, c, 1, 2) && exactly_zero(a, b, c, 2, 0);
}

}  // namespace carom::detail
