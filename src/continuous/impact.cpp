#include <cmath>

#include "continuous/exact_contact.hpp"
#include "continuous/search.hpp"
#include "core/check.hpp"

namespace carom {
namespace {

using continuous::Coplanarity;
using continuous::RelativeMotion;
using continuous::SearchResult;

void check(const ContinuousOptions& options) {
  require(std::isfinite(options.separation) && options.separation >= 0, ErrorCode::invalid_argument,
          "separation is {} m; expected a finite number that is not negative", options.separation);
  require(std::isfinite(options.tolerance) && options.tolerance >= 0, ErrorCode::invalid_argument,
          "tolerance is {}; expected a finite number that is not negative", options.tolerance);
  require(options.budget >= 1, ErrorCode::invalid_argument, "budget is {}; expected at least 1", options.budget);
  require(!options.exact || options.separation == 0, ErrorCode::unsupported,
          "exact answers are for separation 0; it is {} m", options.separation);
}

Impact solve(ContactKind kind, const FeatureMotion& motion, const ContinuousOptions& options) {
  const RelativeMotion relative = continuous::relative_motion(kind, motion, options.separation);
  const Coplanarity plane = continuous::coplanarity(relative);
  SearchResult found = continuous::search(kind, relative, plane, options.tolerance, options.budget);
  Impact impact;
  if (!found.collides) return impact;
  bool certain = false;
  if (options.separation == 0) {
    certain = continuous::surely_crosses(relative, plane, found.time);
    // Exact arithmetic is for what rounding leaves open. What only the tolerance or the budget ended is left as it
    // is unless it was asked for.
    if (!certain && (options.exact || found.to_rounding)) {
      const continuous::ExactResult exact = continuous::exact_contact(kind, motion, relative);
      if (!exact.collides) return impact;
      certain = true;
      if (exact.time > found.time) {
        found.time = exact.time;
        found.weights = continuous::contact_weights(kind, relative, found.time);
      }
    }
  }
  impact.collides = true;
  impact.time = found.time;
  impact.tolerance = certain ? 0 : std::ldexp(found.gap, relative.exponent);
  impact.limited = !certain && found.gap > options.tolerance * relative.motion;
  impact.weights = found.weights;
  impact.normal =
      -detail::to_eigen(continuous::approach_direction(relative, plane, found.time, found.weights, found.last));
  return impact;
}

}  // namespace

Impact first_impact(ContactKind kind, const FeatureMotion& motion, const ContinuousOptions& options) {
  check(options);
  for (std::size_t i = 0; i < 4; ++i) {
    require(is_finite(motion.start[i]), ErrorCode::not_finite, "vertex {} is not finite at the start", i);
    require(is_finite(motion.end[i]), ErrorCode::not_finite, "vertex {} is not finite at the end", i);
  }
  return solve(kind, motion, options);
}

}  // namespace carom
