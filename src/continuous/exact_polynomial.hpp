#pragma once

#include <gmpxx.h>

#include <array>

/// Polynomials with integer coefficients of degree up to 5 and what is asked of their zeros, without rounding.
namespace carom::continuous {

/// numerator / 2^shift.
struct Dyadic {
  mpz_class numerator;
  unsigned shift = 0;
};

/// The largest double that is not above it.
double rounded_down(const Dyadic& x);

struct Polynomial {
  std::array<mpz_class, 6> c;  ///< of 1, t, t^2, ...
  int degree = -1;             ///< -1: zero

  void trim();
};

int sign_at(const Polynomial& p, const Dyadic& t);

/// A zero of a polynomial: the only one in the open interval (low, high), at whose ends it is not zero; or low = high,
/// the zero itself.
struct Zero {
  Polynomial of;
  Dyadic low;
  Dyadic high;
  bool is_point = false;
};

/// The different zeros in (0, 1], in no order. Not for the zero polynomial.
int isolate(const Polynomial& p, std::array<Zero, 3>& zeros);

/// Makes the interval at most 2^-bits long. It may become a point. A good guess of where the zero is saves most of the
/// work.
void refine(Zero& zero, unsigned bits, double guess);

/// The sign of q at the zero. q has degree 2 at most. May make the interval shorter.
int sign_at(const Polynomial& q, Zero& zero);

/// Coefficients of a polynomial of degree 3 at most, in floating point, times some power of two.
std::array<double, 4> rough_coefficients(const Polynomial& p);

}  // namespace carom::continuous
