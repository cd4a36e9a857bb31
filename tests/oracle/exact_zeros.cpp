#include "oracle/exact_zeros.hpp"

#include <algorithm>

namespace carom::oracle {
namespace {

void trim(Poly& p) {
  while (!p.empty() && p.back() == 0) p.pop_back();
}

struct Division {
  Poly quotient;
  Poly remainder;
};

Division divide(const Poly& a, const Poly& b) {
  Division d{{}, a};
  if (a.size() >= b.size()) d.quotient.resize(a.size() - b.size() + 1);
  while (d.remainder.size() >= b.size()) {
    const std::size_t shift = d.remainder.size() - b.size();
    const mpq_class factor = d.remainder.back() / b.back();
    d.quotient[shift] = factor;
    for (std::size_t i = 0; i < b.size(); ++i) d.remainder[i + shift] -= factor * b[i];
    d.remainder.back() = 0;
    trim(d.remainder);
  }
  return d;
}

Poly derivative(const Poly& p) {
  Poly d;
  for (std::size_t i = 1; i < p.size(); ++i) d.push_back(p[i] * static_cast<unsigned long>(i));
  return d;
}

/// Times a positive number, so that the coefficients are integers without a common factor: they stay short.
Poly with_integers(Poly p) {
  mpz_class common = 0, denominator = 1;
  for (const mpq_class& x : p) denominator = lcm(denominator, x.get_den());
  for (mpq_class& x : p) {
    x *= denominator;
    common = gcd(common, x.get_num());
  }
  if (common != 0) {
    for (mpq_class& x : p) x /= common;
  }
  return p;
}

Poly greatest_common_divisor(Poly a, Poly b) {
  while (!b.empty()) {
    Poly r = with_integers(divide(a, b).remainder);
    a = std::move(b);
    b = std::move(r);
  }
  return a;
}

/// Of simple zeros.
Poly without_repetition(const Poly& p) {
  if (p.size() <= 2) return p;
  return with_integers(divide(p, greatest_common_divisor(p, derivative(p))).quotient);
}

std::vector<Poly> sturm(const Poly& p) {
  std::vector<Poly> chain{p, derivative(p)};
  while (!chain.back().empty()) {
    Poly r = with_integers(divide(chain[chain.size() - 2], chain.back()).remainder);
    for (mpq_class& x : r) x = -x;
    chain.push_back(std::move(r));
  }
  chain.pop_back();
  return chain;
}

int changes(const std::vector<Poly>& chain, const mpq_class& t) {
  int last = 0, count = 0;
  for (const Poly& p : chain) {
    const int s = sgn(value(p, t));
    if (s == 0) continue;
    if (last != 0 && s != last) ++count;
    last = s;
  }
  return count;
}

/// In [low, high], of a polynomial with simple zeros.
int count_zeros(const std::vector<Poly>& chain, const mpq_class& low, const mpq_class& high) {
  return changes(chain, low) - changes(chain, high) + (value(chain[0], low) == 0 ? 1 : 0);
}

void isolate(const std::vector<Poly>& chain, const mpq_class& low, const mpq_class& high, std::vector<RealZero>& out) {
  const int count = count_zeros(chain, low, high);
  if (count == 0) return;
  if (count == 1) {
    out.push_back({chain[0], low, high});
    return;
  }
  const mpq_class middle = (low + high) / 2;
  if (value(chain[0], middle) == 0) {
    // Its own point; the others keep away from it.
    out.push_back({chain[0], middle, middle});
    mpq_class gap = (high - low) / 4;
    while (count_zeros(chain, middle - gap, middle + gap) > 1) gap /= 2;
    isolate(chain, low, middle - gap, out);
    isolate(chain, middle + gap, high, out);
    return;
  }
  isolate(chain, low, middle, out);
  isolate(chain, middle, high, out);
}

/// Halves the interval `times` times.
void halve(RealZero& zero, int times) {
  const int sign_low = sgn(value(zero.of, zero.low));
  const int sign_high = sgn(value(zero.of, zero.high));
  if (sign_low == 0) zero.high = zero.low;
  if (sign_high == 0) zero.low = zero.high;
  for (int i = 0; i < times && zero.low != zero.high; ++i) {
    const mpq_class middle = (zero.low + zero.high) / 2;
    const int at_middle = sgn(value(zero.of, middle));
    if (at_middle == 0) {
      zero.low = zero.high = middle;
    } else {
      (at_middle == sign_low ? zero.low : zero.high) = middle;
    }
  }
}

/// Of p on all of [low, high], low >= 0, if it is the same there, else 0: p is the difference of two polynomials that
/// grow.
int common_sign(const Poly& p, const mpq_class& low, const mpq_class& high) {
  Poly up = p, down = p;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (up[i] < 0) up[i] = 0;
    down[i] = up[i] - p[i];
  }
  if (value(up, low) > value(down, high)) return 1;
  if (value(up, high) < value(down, low)) return -1;
  return 0;
}

}  // namespace

Poly operator+(const Poly& a, const Poly& b) {
  Poly sum(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < a.size(); ++i) sum[i] += a[i];
  for (std::size_t i = 0; i < b.size(); ++i) sum[i] += b[i];
  trim(sum);
  return sum;
}

Poly operator-(const Poly& a, const Poly& b) {
  Poly difference(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < a.size(); ++i) difference[i] += a[i];
  for (std::size_t i = 0; i < b.size(); ++i) difference[i] -= b[i];
  trim(difference);
  return difference;
}

Poly operator*(const Poly& a, const Poly& b) {
  if (a.empty() || b.empty()) return {};
  Poly product(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) product[i + j] += a[i] * b[j];
  }
  trim(product);
  return product;
}

mpq_class value(const Poly& p, const mpq_class& t) {
  mpq_class v = 0;
  for (std::size_t i = p.size(); i-- > 0;) v = v * t + p[i];
  return v;
}

std::vector<RealZero> zeros_in_unit_interval(const Poly& p) {
  std::vector<RealZero> found;
  if (p.size() <= 1) return found;
  isolate(sturm(without_repetition(p)), 0, 1, found);
  return found;
}

int sign(const Poly& p, RealZero& at) {
  narrow(at, mpq_class(1, 1UL << 50U));
  if (at.low == at.high) return sgn(value(p, at.low));
  if (const int clear = common_sign(p, at.low, at.high); clear != 0) return clear;
  // The remainder has the same value there.
  const Poly q = with_integers(divide(p, at.of).remainder);
  if (q.size() <= 1) return q.empty() ? 0 : sgn(q[0]);
  const Poly common = greatest_common_divisor(at.of, q);
  if (common.size() > 1 && count_zeros(sturm(common), at.low, at.high) > 0) return 0;
  const std::vector<Poly> chain = sturm(without_repetition(q));
  while (at.low != at.high && count_zeros(chain, at.low, at.high) > 0) halve(at, 12);
  return at.low == at.high ? sgn(value(p, at.low)) : sgn(value(q, at.low));
}

void narrow(RealZero& zero, const mpq_class& width) {
  while (zero.high - zero.low > width) halve(zero, 8);
}

}  // namespace carom::oracle
