#include "continuous/exact_polynomial.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

namespace carom::continuous {
namespace {

using Sequence = std::array<Polynomial, 6>;

Polynomial derivative(const Polynomial& p) {
  Polynomial d;
  for (int i = 1; i <= p.degree; ++i) d.c[static_cast<std::size_t>(i - 1)] = p.c[static_cast<std::size_t>(i)] * i;
  d.degree = p.degree - 1;
  d.trim();
  return d;
}

/// The remainder of a by b, multiplied by a positive number so that it has integer coefficients.
Polynomial positive_remainder(const Polynomial& a, const Polynomial& b) {
  Polynomial r = a;
  const mpz_class& lead = b.c[static_cast<std::size_t>(b.degree)];
  const int lead_sign = sgn(lead);
  mpz_class factor;
  while (r.degree >= b.degree) {
    const auto shift = static_cast<std::size_t>(r.degree - b.degree);
    // r |lead| - b t^shift sign(lead) r_top: the top cancels.
    factor = r.c[static_cast<std::size_t>(r.degree)];
    if (lead_sign < 0) factor = -factor;
    for (int i = 0; i <= r.degree; ++i) {
      mpz_class& x = r.c[static_cast<std::size_t>(i)];
      x *= lead;
      if (lead_sign < 0) x = -x;
    }
    for (int i = 0; i <= b.degree; ++i) {
      const auto k = static_cast<std::size_t>(i);
      mpz_submul(r.c[k + shift].get_mpz_t(), factor.get_mpz_t(), b.c[k].get_mpz_t());
    }
    r.trim();
  }
  return r;
}

void divide_by_content(Polynomial& p) {
  mpz_class content;
  for (int i = 0; i <= p.degree; ++i) {
    mpz_gcd(content.get_mpz_t(), content.get_mpz_t(), p.c[static_cast<std::size_t>(i)].get_mpz_t());
    if (content == 1) return;
  }
  for (int i = 0; i <= p.degree; ++i) {
    mpz_class& x = p.c[static_cast<std::size_t>(i)];
    mpz_divexact(x.get_mpz_t(), x.get_mpz_t(), content.get_mpz_t());
  }
}

/// p, q and from there on minus the remainder of the two before, up to positive factors.
int remainder_sequence(const Polynomial& p, const Polynomial& q, Sequence& sequence) {
  sequence[0] = p;
  sequence[1] = q;
  std::size_t count = 1;
  while (sequence[count].degree >= 0) {
    if (sequence[count].degree == 0) return static_cast<int>(count) + 1;
    Polynomial r = positive_remainder(sequence[count - 1], sequence[count]);
    for (int i = 0; i <= r.degree; ++i) r.c[static_cast<std::size_t>(i)] = -r.c[static_cast<std::size_t>(i)];
    if (r.degree >= 1) divide_by_content(r);
    sequence[++count] = std::move(r);
  }
  return static_cast<int>(count);
}

int changes_of_sign(const Sequence& sequence, int count, const Dyadic& t) {
  int last = 0;
  int changes = 0;
  for (int i = 0; i < count; ++i) {
    const int sign = sign_at(sequence[static_cast<std::size_t>(i)], t);
    if (sign == 0) continue;
    if (last != 0 && sign != last) ++changes;
    last = sign;
  }
  return changes;
}

Dyadic middle(const Dyadic& a, const Dyadic& b) {
  Dyadic m;
  m.shift = std::max(a.shift, b.shift) + 1;
  m.numerator = (a.numerator << (m.shift - 1 - a.shift)) + (b.numerator << (m.shift - 1 - b.shift));
  return m;
}

/// Divides by (2^shift t - numerator) as often as it goes.
bool deflate(Polynomial& p, const Dyadic& t) {
  bool any = false;
  while (p.degree >= 1 && sign_at(p, t) == 0) {
    any = true;
    // With x = 2^shift t: synthetic division of the polynomial in x, whose coefficients are scaled to be integers.
    const auto n = static_cast<std::size_t>(p.degree);
    Polynomial quotient;
    quotient.degree = p.degree - 1;
    mpz_class carry = p.c[n];
    for (std::size_t i = n; i-- > 0;) {
      quotient.c[i] = carry;
      carry = (p.c[i] << (t.shift * static_cast<unsigned>(n - i))) + carry * t.numerator;
    }
    assert(carry == 0);
    // quotient is in x with x^i standing for 2^(shift i) t^i, each coefficient scaled by 2^(shift (n - 1 - i)).
    for (std::size_t i = 0; i < n; ++i) quotient.c[i] <<= t.shift * static_cast<unsigned>(i);
    divide_by_content(quotient);
    p = std::move(quotient);
  }
  return any;
}

bool less(const Dyadic& a, const Dyadic& b) {
  const unsigned shift = std::max(a.shift, b.shift);
  return (a.numerator << (shift - a.shift)) < (b.numerator << (shift - b.shift));
}

/// Moves the ends close to the guess if the signs there say that the zero is between them.
void narrow_around(Zero& zero, int sign_low, unsigned bits, double guess) {
  constexpr unsigned grid = 60;
  mpz_class at;
  mpz_set_d(at.get_mpz_t(), std::ldexp(guess, grid));
  for (const unsigned width_bits : {bits + 1, bits * 3 / 4, bits / 2}) {
    mpz_class half(1);
    half <<= grid - width_bits;
    const Dyadic low{at - half, grid};
    const Dyadic high{at + half, grid};
    bool low_fits = false;
    if (less(zero.low, low) && less(low, zero.high)) {
      const int sign = sign_at(zero.of, low);
      low_fits = sign == sign_low;
      if (low_fits) zero.low = low;
      if (sign == -sign_low) zero.high = low;
    }
    bool high_fits = false;
    if (less(zero.low, high) && less(high, zero.high)) {
      const int sign = sign_at(zero.of, high);
      high_fits = sign == -sign_low;
      if (high_fits) zero.high = high;
      if (sign == sign_low) zero.low = high;
    }
    if (low_fits && high_fits) return;
  }
}

struct Interval {
  Dyadic low;
  Dyadic high;
  int zeros = 0;
};

}  // namespace

void Polynomial::trim() {
  while (degree >= 0 && c[static_cast<std::size_t>(degree)] == 0) --degree;
}

double rounded_down(const Dyadic& x) {
  long exponent = 0;
  const double mantissa = mpz_get_d_2exp(&exponent, x.numerator.get_mpz_t());  // towards zero
  const double value = std::ldexp(mantissa, static_cast<int>(exponent - static_cast<long>(x.shift)));
  return std::max(value, 0.0);
}

int sign_at(const Polynomial& p, const Dyadic& t) {
  if (p.degree < 0) return 0;
  if (t.shift == 0 && t.numerator == 0) return sgn(p.c[0]);
  // Horner, with each coefficient multiplied by the power of two that makes it an integer problem.
  mpz_class value = p.c[static_cast<std::size_t>(p.degree)];
  mpz_class term;
  for (int i = p.degree - 1; i >= 0; --i) {
    value *= t.numerator;
    mpz_mul_2exp(term.get_mpz_t(), p.c[static_cast<std::size_t>(i)].get_mpz_t(),
                 static_cast<mp_bitcnt_t>(t.shift) * static_cast<mp_bitcnt_t>(p.degree - i));
    value += term;
  }
  return sgn(value);
}

int isolate(const Polynomial& p, std::array<Zero, 3>& zeros) {
  assert(p.degree >= 0);
  int count = 0;
  Polynomial left = p;
  const Dyadic zero{0, 0};
  const Dyadic one{1, 0};
  deflate(left, zero);
  const bool at_one = deflate(left, one);
  // Intervals still to be looked at, the earliest last. A zero that is hit by a middle is taken out.
  while (left.degree >= 1) {
    std::array<Dyadic, 3> points;
    int point_count = 0;
    bool again = false;
    Sequence sequence;
    const int length = remainder_sequence(left, derivative(left), sequence);
    std::vector<Interval> stack;
    const int all = changes_of_sign(sequence, length, zero) - changes_of_sign(sequence, length, one);
    if (all > 0) stack.push_back({zero, one, all});
    int found = 0;
    std::array<Zero, 3> isolated;
    while (!stack.empty()) {
      Interval at = std::move(stack.back());
      stack.pop_back();
      if (at.zeros == 1) {
        isolated[static_cast<std::size_t>(found++)] = {.of = left, .low = at.low, .high = at.high};
        continue;
      }
      const Dyadic m = middle(at.low, at.high);
      if (sign_at(left, m) == 0) {
        points[static_cast<std::size_t>(point_count++)] = m;
        deflate(left, m);
        again = true;
        break;
      }
      const int at_middle = changes_of_sign(sequence, length, m);
      const int in_low = changes_of_sign(sequence, length, at.low) - at_middle;
      const int in_high = at.zeros - in_low;
      if (in_high > 0) stack.push_back({m, at.high, in_high});
      if (in_low > 0) stack.push_back({at.low, m, in_low});
    }
    for (int i = 0; i < point_count; ++i) {
      const Dyadic& m = points[static_cast<std::size_t>(i)];
      zeros[static_cast<std::size_t>(count++)] = {.of = {}, .low = m, .high = m, .is_point = true};
    }
    if (again) continue;
    for (int i = 0; i < found; ++i) {
      zeros[static_cast<std::size_t>(count++)] = std::move(isolated[static_cast<std::size_t>(i)]);
    }
    break;
  }
  if (at_one) zeros[static_cast<std::size_t>(count++)] = {.of = {}, .low = one, .high = one, .is_point = true};
  return count;
}

void refine(Zero& zero, unsigned bits, double guess) {
  if (zero.is_point) return;
  Sequence sequence;
  int length = 0;
  const int sign_low = sign_at(zero.of, zero.low);
  // A zero of even order does not change the sign; then Sturm's sequence tells on which side it is.
  const bool odd = sign_low != sign_at(zero.of, zero.high);
  if (!odd) length = remainder_sequence(zero.of, derivative(zero.of), sequence);
  if (odd && guess > 0 && guess < 1) narrow_around(zero, sign_low, bits, guess);
  for (;;) {
    const unsigned shift = std::max(zero.low.shift, zero.high.shift);
    mpz_class width =
        (zero.high.numerator << (shift - zero.high.shift)) - (zero.low.numerator << (shift - zero.low.shift));
    if (mpz_sizeinbase(width.get_mpz_t(), 2) + bits <= shift + 1) return;
    Dyadic m = middle(zero.low, zero.high);
    const int sign = sign_at(zero.of, m);
    if (sign == 0) {
      zero.low = m;
      zero.high = std::move(m);
      zero.is_point = true;
      return;
    }
    const bool above = odd ? sign == sign_low
                           : changes_of_sign(sequence, length, m) - changes_of_sign(sequence, length, zero.high) > 0;
    (above ? zero.low : zero.high) = std::move(m);
  }
}

int sign_at(const Polynomial& q, const Zero& zero) {
  if (zero.is_point) return sign_at(q, zero.low);
  if (q.degree <= 0) return q.degree < 0 ? 0 : sgn(q.c[0]);
  // Tarski's query: the sequence that starts with p and p'q counts the zeros of p with q > 0 less those with q < 0.
  const Polynomial d = derivative(zero.of);
  Polynomial product;
  product.degree = d.degree + q.degree;
  for (int i = 0; i <= d.degree; ++i) {
    for (int j = 0; j <= q.degree; ++j) {
      mpz_addmul(product.c[static_cast<std::size_t>(i + j)].get_mpz_t(), d.c[static_cast<std::size_t>(i)].get_mpz_t(),
                 q.c[static_cast<std::size_t>(j)].get_mpz_t());
    }
  }
  if (product.degree >= zero.of.degree) product = positive_remainder(product, zero.of);
  product.trim();
  Sequence sequence;
  const int length = remainder_sequence(zero.of, product, sequence);
  return changes_of_sign(sequence, length, zero.low) - changes_of_sign(sequence, length, zero.high);
}

}  // namespace carom::continuous
