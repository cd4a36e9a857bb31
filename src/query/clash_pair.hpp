#pragma once

#include "carom/query/clash.hpp"

namespace carom {

struct PairQuestion {
  double tolerance = 0;  ///< m
  double reach = 0;      ///< m: a pair that is farther apart is no clash
  bool separation = false;
  std::function<bool()> go_on;
};

/// Clash of two parts, without their numbers; none if they are farther apart than `reach`, or `go_on` ended it.
std::optional<Clash> clash_of(const Shape::Part& a, const Shape::Part& b, const PairQuestion& question);

}  // namespace carom
