#pragma once

#include <limits>

/// Named fields of descriptions, and what they may be. Descriptions of options and of scenes are functions
/// describe(visitor, value) that name each field once; checks, comparisons, readers and writers are visitors.
namespace carom {

enum class Presence {
  required,  ///< an error if missing
  shown,     ///< has a default, but is always written
  quiet,     ///< not written while at its default
};

/// Numbers that a field may have.
struct Sign {
  double min = -std::numeric_limits<double>::infinity();
  bool above = false;  ///< whether `min` itself is refused
  double max = std::numeric_limits<double>::infinity();

  static const Sign any, not_negative, positive, zero_to_one;
  static constexpr Sign zero_to(double max) { return {0, false, max}; }

  bool allows(double value) const { return (above ? value > min : value >= min) && value <= max; }
};
inline constexpr Sign Sign::any{};
inline constexpr Sign Sign::not_negative{.min = 0};
inline constexpr Sign Sign::positive{.min = 0, .above = true};
inline constexpr Sign Sign::zero_to_one{.min = 0, .above = false, .max = 1};

struct IntegerRange {
  int min = std::numeric_limits<int>::min();
  int max = std::numeric_limits<int>::max();
  int multiple_of = 1;  ///< 1 or 2
};

}  // namespace carom
