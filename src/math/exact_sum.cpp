#include "math/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

namespace carom::math {
namespace {

/// |x| = mantissa * 2^exponent, the mantissa below 2^53.
struct Parts {
  std::uint64_t mantissa;
  int exponent;
};

Parts take_apart(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto field = static_cast<int>(bits >> 52U & 0x7ffU);
  const std::uint64_t fraction = bits & ((1ULL << 52U) - 1);
  assert(field != 0x7ff);
  if (field == 0) return {fraction, -1074};
  return {fraction | 1ULL << 52U, field - 1075};
}

/// result = a * b, b below 2^64; both as digits in base 2^32.
template <std::size_t N>
std::array<std::uint32_t, N + 2> multiply(const std::array<std::uint32_t, N>& a, std::uint64_t b) {
  std::array<std::uint32_t, N + 2> result{};
  for (std::size_t j = 0; j < 2; ++j) {
    const std::uint64_t digit = b >> (32 * j) & 0xffffffffU;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < N; ++i) {
      carry += result[i + j] + a[i] * digit;  // below 2^64: (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1
      result[i + j] = static_cast<std::uint32_t>(carry);
      carry >>= 32U;
    }
    result[N + j] = static_cast<std::uint32_t>(carry);
  }
  return result;
}

}  // namespace

void ExactSum::add_product(double x, double y, double z) {
  if (x == 0 || y == 0 || z == 0) return;
  const Parts px = take_apart(x);
  const Parts py = take_apart(y);
  const Parts pz = take_apart(z);
  const bool negative = (std::signbit(x) != std::signbit(y)) != std::signbit(z);
  const std::array<std::uint32_t, 2> first{static_cast<std::uint32_t>(px.mantissa),
                                           static_cast<std::uint32_t>(px.mantissa >> 32U)};
  const auto product = multiply(multiply(first, py.mantissa), pz.mantissa);

  const auto shift = static_cast<std::size_t>(px.exponent + py.exponent + pz.exponent - lowest_bit);
  const std::size_t word = shift / 32;
  const std::size_t bit = shift % 32;
  low_ = std::min(low_, word);
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i <= product.size(); ++i) {
    if (i < product.size()) carry |= static_cast<std::uint64_t>(product[i]) << bit;
    const auto digit = static_cast<std::int64_t>(carry & 0xffffffffU);
    words_[word + i] += negative ? -digit : digit;
    carry >>= 32U;
  }
}

int ExactSum::sign() const {
  std::int64_t carry = 0;
  bool any = false;
  for (std::size_t i = low_; i < word_count; ++i) {
    carry += words_[i];
    any = any || (carry & 0xffffffff) != 0;
    carry >>= 32U;
  }
  return carry < 0 ? -1 : any ? 1 : 0;
}

int ExactSum::normalise(Digits& digits) const {
  const int s = sign();
  std::int64_t carry = 0;
  for (std::size_t i = low_; i < word_count; ++i) {
    carry += s < 0 ? -words_[i] : words_[i];
    digits[i] = static_cast<std::uint32_t>(carry & 0xffffffff);
    carry >>= 32U;
  }
  return s;
}

Scaled ExactSum::value() const {
  Digits digits{};
  const int s = normalise(digits);
  if (s == 0) return {};
  std::size_t top = word_count - 1;
  while (digits[top] == 0) --top;
  double mantissa = 0;
  for (std::size_t i = 0; i < 3; ++i) mantissa = mantissa * 0x1p32 + (top >= i ? digits[top - i] : 0U);
  return {s * mantissa, lowest_bit + 32 * (static_cast<int>(top) - 2)};
}

}  // namespace carom::math
