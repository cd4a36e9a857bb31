#pragma once

/// Elliptic functions and integrals, to rounding for every modulus from 0 to 1.
namespace carom::elliptic {

/// Jacobi's functions of one argument.
struct Jacobi {
  double sn = 0;
  double cn = 1;
  double dn = 1;
};

/// Functions of a fixed modulus k, given by the square of the complementary one, 1 - k^2, which keeps its digits where
/// k is near 1.
class Modulus {
 public:
  explicit Modulus(double complement_squared);

  /// Quarter period K; infinite for k = 1.
  double quarter_period() const { return quarter_; }
  /// sn, cn and dn of u, |u| <= K. Gauss's transformation of cn / sn and dn, from the arithmetic-geometric mean upward
  /// (Bulirsch 1965).
  Jacobi functions(double u) const;

 private:
  static constexpr int max_levels = 16;
  double arithmetic_[max_levels] = {};
  double geometric_[max_levels] = {};
  int levels_ = 0;
  double mean_ = 1;
  double quarter_ = 0;
};

/// Carlson's integral R_J(x, y, z, p) for 0 <= x, y, z <= p, at most one of x, y, z zero, by duplication (Carlson 1995,
/// section 2).
double carlson_rj(double x, double y, double z, double p);

}  // namespace carom::elliptic
