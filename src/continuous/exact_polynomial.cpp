#include "continuous/exact_polynomial.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

namespace carom::continuous {
namespace {

using Sequence = std::array<Polynomial, 6>;

/// The value at t times 2^(shift degree).
mpz_class value_at(const Polynomial& p, const Dyadic& t) {
  mpz_class value = p.c[static_cast<std::size_t>(p.degree)];
  mpz_class term;
  for (int i = p.degree - 1; i >= 0; --i) {
    value *= t.numerator;
    mpz_mul_2exp(term.get_mpz_t(), p.c[static_cast<std::size_t>(i)].get_mpz_t(),
                 static_cast<mp_bitcnt_t>(t.shift) * static_cast<mp_bitcnt_t>(p.degree - i));
    value += term;
  }
  return value;
}

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

/// The sign of q, of degree 2 at most, if all its Bernstein coefficients over [low, high] have it; else 0.
int sign_between(const Polynomial& q, const Dyadic& low, const Dyadic& high) {
  const int sign = sign_at(q, low);
  if (sign == 0 || sign_at(q, high) != sign) return 0;
  if (q.degree < 2) return sign;
  // c0 + c1 (low + high) / 2 + c2 low high
  const unsigned shift = std::max(low.shift, high.shift);
  const mpz_class a = low.numerator << (shift - low.shift);
  const mpz_class b = high.numerator << (shift - high.shift);
  const mpz_class middle = (q.c[0] << (2 * shift + 1)) + ((q.c[1] * (a + b)) << shift) + 2 * q.c[2] * a * b;
  return sgn(middle) == sign ? sign : 0;
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

/// The interval is shorter than 2^-this.
unsigned bits_of(const Zero& zero) {
  const unsigned shift = std::max(zero.low.shift, zero.high.shift);
  const mpz_class width =
      (zero.high.numerator << (shift - zero.high.shift)) - (zero.low.numerator << (shift - zero.low.shift));
  const auto size = static_cast<unsigned>(mpz_sizeinbase(width.get_mpz_t(), 2));
  return size > shift ? 0 : shift - size;
}

/// Shortens the interval to 2^-bits by a step of Newton that is then verified. False if that did not work.
bool newton(Zero& zero, int sign_low, unsigned bits) {
  constexpr unsigned guard = 8;
  const unsigned grid = bits + guard;
  if (zero.low.shift > grid) return false;
  const mpz_class slope = value_at(derivative(zero.of), zero.low);  // times 2^(shift (degree - 1))
  if (slope == 0) return false;
  const unsigned finer = grid - zero.low.shift;
  const mpz_class step = (value_at(zero.of, zero.low) << finer) / slope;
  const mpz_class at = (zero.low.numerator << finer) - step;
  const mpz_class half = mpz_class(1) << (guard - 2);
  const Dyadic low{at - half, grid};
  const Dyadic high{at + half, grid};
  if (!less(zero.low, high) || !less(high, zero.high) || sign_at(zero.of, high) != -sign_low) return false;
  if (less(zero.low, low)) {
    if (sign_at(zero.of, low) != sign_low) return false;
    zero.low = low;
  }
  zero.high = high;
  return true;
}

void halve(Zero& zero, int sign_low) {
  Dyadic m = middle(zero.low, zero.high);
  const int sign = sign_at(zero.of, m);
  if (sign == 0) {
    zero.low = m;
    zero.is_point = true;
  }
  (sign == sign_low ? zero.low : zero.high) = std::move(m);
}

/// Makes the interval at most 2^-bits long. False for zeros of even order, and if Newton's steps failed `patience`
/// times: then other zeros are so close that it would take long.
bool shorten(Zero& zero, unsigned bits, int patience) {
  const int sign_low = sign_at(zero.of, zero.low);
  if (sign_low == sign_at(zero.of, zero.high)) return false;
  // Bits that the last step of Newton got, to be doubled by the next: fewer where another zero is close.
  unsigned gain = 16;
  for (unsigned have = bits_of(zero); have < bits; have = bits_of(zero)) {
    if (newton(zero, sign_low, std::min(bits + 1, have + gain))) {
      gain *= 2;
      continue;
    }
    if (patience-- == 0) return false;
    gain = std::max(gain / 2, 4U);
    for (int i = 0; i < 3 && !zero.is_point; ++i) halve(zero, sign_low);
    if (zero.is_point) return true;
  }
  return true;
}

/// Whether q is zero at the zero too: then it is one of their greatest common divisor (Euclid).
bool share_zero(const Polynomial& q, const Zero& zero) {
  Polynomial a = zero.of;
  Polynomial b = q;
  while (b.degree >= 0) {
    if (b.degree == 0) return false;
    Polynomial r = positive_remainder(a, b);
    a = std::move(b);
    b = std::move(r);
  }
  Sequence sequence;
  const int length = remainder_sequence(a, derivative(a), sequence);
  return changes_of_sign(sequence, length, zero.low) != changes_of_sign(sequence, length, zero.high);
}

struct Interval {
  Dyadic low;
  Dyadic high;
  int changes_low = 0;  ///< of sign in Sturm's sequence
  int changes_high = 0;
  int guesses = 2;  ///< how often a critical point may still be tried as a place to cut

  int zeros() const { return changes_low - changes_high; }
};

/// Where to cut between close zeros: near a critical point of the polynomial, if one is inside, else in the middle.
Dyadic place_to_cut(const Polynomial& p, Interval& at) {
  if (at.guesses-- > 0) {
    const std::array<double, 4> c = rough_coefficients(p);
    const double discriminant = c[2] * c[2] - 3 * c[1] * c[3];
    if (discriminant >= 0) {
      const double q = -(c[2] + std::copysign(std::sqrt(discriminant), c[2]));
      for (const double t : {q / (3 * c[3]), c[1] / q}) {
        if (!(t > 0 && t < 1)) continue;
        constexpr unsigned grid = 60;
        Dyadic cut{mpz_class(std::ldexp(t, grid)), grid};
        if (less(at.low, cut) && less(cut, at.high)) return cut;
      }
    }
  }
  return middle(at.low, at.high);
}

}  // namespace

void Polynomial::trim() {
  while (degree >= 0 && c[static_cast<std::size_t>(degree)] == 0) --degree;
}

std::array<double, 4> rough_coefficients(const Polynomial& p) {
  std::array<long, 4> exponents{};
  std::array<double, 4> c{};
  long largest = -(1L << 40U);
  for (std::size_t i = 0; i < 4; ++i) {
    c[i] = mpz_get_d_2exp(&exponents[i], p.c[i].get_mpz_t());
    if (c[i] != 0) largest = std::max(largest, exponents[i]);
  }
  for (std::size_t i = 0; i < 4; ++i) {
    if (c[i] != 0) c[i] = std::ldexp(c[i], static_cast<int>(std::max(exponents[i] - largest, -4000L)));
  }
  return c;
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
  return sgn(value_at(p, t));
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
    Interval whole{zero, one, changes_of_sign(sequence, length, zero), changes_of_sign(sequence, length, one)};
    if (whole.zeros() > 0) stack.push_back(std::move(whole));
    int found = 0;
    std::array<Zero, 3> isolated;
    while (!stack.empty()) {
      Interval at = std::move(stack.back());
      stack.pop_back();
      if (at.zeros() == 1) {
        isolated[static_cast<std::size_t>(found++)] = {.of = left, .low = at.low, .high = at.high};
        continue;
      }
      const Dyadic m = place_to_cut(left, at);
      if (sign_at(left, m) == 0) {
        points[static_cast<std::size_t>(point_count++)] = m;
        deflate(left, m);
        again = true;
        break;
      }
      const int changes = changes_of_sign(sequence, length, m);
      Interval low{at.low, m, at.changes_low, changes, at.guesses};
      Interval high{m, at.high, changes, at.changes_high, at.guesses};
      if (high.zeros() > 0) stack.push_back(std::move(high));
      if (low.zeros() > 0) stack.push_back(std::move(low));
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
  const int sign_low = sign_at(zero.of, zero.low);
  if (sign_low != sign_at(zero.of, zero.high)) {
    if (guess > 0 && guess < 1) narrow_around(zero, sign_low, bits, guess);
    shorten(zero, bits, static_cast<int>(bits));
    return;
  }
  // A zero of even order does not change the sign; Sturm's sequence tells on which side it is.
  Sequence sequence;
  const int length = remainder_sequence(zero.of, derivative(zero.of), sequence);
  const int changes_high = changes_of_sign(sequence, length, zero.high);
  while (bits_of(zero) < bits) {
    Dyadic m = middle(zero.low, zero.high);
    if (sign_at(zero.of, m) == 0) {
      zero.low = zero.high = std::move(m);
      zero.is_point = true;
      return;
    }
    const bool above = changes_of_sign(sequence, length, m) != changes_high;
    (above ? zero.low : zero.high) = std::move(m);
  }
}

int sign_at(const Polynomial& q, Zero& zero) {
  if (zero.is_point) return sign_at(q, zero.low);
  if (q.degree <= 0) return q.degree < 0 ? 0 : sgn(q.c[0]);
  // A sign that is not zero shows when the interval is made short enough; whether it is zero is asked when
  // it does not show soon.
  const bool short_numbers = mpz_sizeinbase(zero.of.c[0].get_mpz_t(), 2) < 256;  // where nothing is faster than Tarski
  for (const unsigned bits : {0U, 80U, 150U, 300U, 600U, 1200U, 2400U}) {
    if (bits > 0 && short_numbers) break;
    if (bits == 300 && share_zero(q, zero)) return 0;
    if (bits > 0 && !shorten(zero, bits, 2)) break;
    if (zero.is_point) return sign_at(q, zero.low);
    const int sign = sign_between(q, zero.low, zero.high);
    if (sign != 0) return sign;
  }
  // Tarski's query: the sequence that starts with p and p'q counts the zeros of p with q > 0 less those with q < 0.
  const Polynomial d = derivative(zero.of);
  Polynomial product;
  product.degree = d.degree + q.degree;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(d.degree); ++i) {
    for (std::size_t j = 0; j <= static_cast<std::size_t>(q.degree); ++j) {
      mpz_addmul(product.c[i + j].get_mpz_t(), d.c[i].get_mpz_t(), q.c[j].get_mpz_t());
    }
  }
  if (product.degree >= zero.of.degree) product = positive_remainder(product, zero.of);
  product.trim();
  Sequence sequence;
  const int length = remainder_sequence(zero.of, product, sequence);
  return changes_of_sign(sequence, length, zero.low) - changes_of_sign(sequence, length, zero.high);
}

}  // namespace carom::continuous
