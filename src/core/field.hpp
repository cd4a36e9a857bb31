#pragma once

#include <limits>

/// What a named field of a description may be. Descriptions of options and of scenes are functions describe(visitor,
/// value) that name each field once; checks, comparisons, readers and writers are visitors.
namespace carom {

enum class Presence {
  required,  ///< an error if missing
  shown,     ///< has a default, but is always written
  quiet,     ///< not written while at its default
};

/// Numbers that a field may have.
struct Sign {
  double least = -std::numeric_limits<double>::infinity();
  bool above = false;  ///< whether `least` itself is refused
  double most = std::numeric_limits<double>::infinity();

  static const Sign any, not_negative, positive, zero_to_one;
  static constexpr Sign zero_to(double most) { return {0, false, most}; }

  bool allows(double value) const { return (above ? value > least : value >= least) && value <= most; }
};
inline constexpr Sign Sign::any{};
inline constexpr Sign Sign::not_negative{.least = 0};
inline constexpr Sign Sign::positive{.least = 0, .above = true};
inline constexpr Sign Sign::zero_to_one{.least = 0, .above = false, .most = 1};

struct IntegerRange {
  int least = std::numeric_limits<int>::min();
  int most = std::numeric_limits<int>::max();
  int multiple_of = 1;  ///< 1 or 2
};

}  // namespace carom
