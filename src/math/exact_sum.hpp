#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace carom::math {

/// mantissa * 2^exponent, for what is too large or too small for a double.
struct Scaled {
  double mantissa = 0;
  int exponent = 0;
};

/// An exact sum of products of up to three doubles, as one fixed-point number wide enough for all of
/// them (a "superaccumulator"). Chosen over floating-point expansions because it needs no argument
/// about overflow and underflow; its cost, a microsecond for a determinant, does not matter
/// behind a filter. Factors must be finite.
class ExactSum {
 public:
  /// At most 2^30 calls: words are signed and 64 bits wide, hold 32 bits each, and leave carries to the end.
  void add_product(double x, double y, double z = 1);

  int sign() const;
  /// To a few units in the last place.
  Scaled value() const;

 private:
  // Each factor is an integer of 53 bits times 2^-1074 to 2^971. Above the highest bit of a product
  // there is room for the carries of the sum.
  static constexpr int lowest_bit = 3 * -1074;
  static constexpr int highest_bit = 3 * 1024;
  static constexpr std::size_t word_count = (highest_bit - lowest_bit) / 32 + 4;
  using Digits = std::array<std::uint32_t, word_count>;

  /// Absolute value in base 2^32, the lowest digit first; digits below low_ are not written. Returns the sign.
  int normalise(Digits& digits) const;

  std::array<std::int64_t, word_count> words_{};
  std::size_t low_ = word_count;  // no word below is in use
};

}  // namespace carom::math
