#pragma once

#include <gmpxx.h>

#include <vector>

/// Real zeros of polynomials over the rationals, by Sturm and Euclid. Slow, and independent of the library.
namespace carom::oracle {

/// Coefficients of 1, t, t^2, ... without zeros at the end; empty: the zero polynomial.
using Poly = std::vector<mpq_class>;

Poly operator+(const Poly& a, const Poly& b);
Poly operator-(const Poly& a, const Poly& b);
Poly operator*(const Poly& a, const Poly& b);

mpq_class value(const Poly& p, const mpq_class& t);

/// The only zero of `of`, which has simple zeros only, in [low, high]; low = high if it is a rational number that was
/// met.
struct RealZero {
  Poly of;
  mpq_class low;
  mpq_class high;
};

/// All different zeros in [0, 1]. Not for the zero polynomial.
std::vector<RealZero> zeros_in_unit_interval(const Poly& p);

int sign(const Poly& p, RealZero& at);  ///< may narrow the interval
/// Halves the interval until it is shorter than `width`.
void narrow(RealZero& zero, const mpq_class& width);

}  // namespace carom::oracle
