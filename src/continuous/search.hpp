#pragma once

#include <span>

#include "continuous/coplanarity.hpp"
#include "continuous/relative_motion.hpp"
#include "kernels/closest.hpp"

namespace carom::continuous {

struct SearchResult {
  bool collides = false;
  bool certain = false;  ///< no doubt is left; only for separation 0
  double time = 1;
  double gap = 0;  ///< scaled: the polygon comes as near as separation + this to the origin
  /// Ended because rounding hides the rest, not because of the tolerance or the budget.
  bool to_rounding = false;
  int probes = 0;
  std::array<double, 4> weights{};
  Vec3 last;  ///< the last separating direction, unit, from the origin to the polygon; zero if there was none
};

/// From the start on, over intervals that are proven free, to the first time at which no proof is found.
SearchResult search(ContactKind kind, const RelativeMotion& m, const Coplanarity& p, double tolerance, int budget);

/// The same of many pairs of one kind, no more than `search_batch`, bit by bit: they advance side by side, and the
/// closest points of all are found in vectors.
inline constexpr std::size_t search_batch = kernels::closest_batch;
void search_all(ContactKind kind, std::span<const RelativeMotion> motions, std::span<const Coplanarity> planes,
                double tolerance, int budget, std::span<SearchResult> results);

/// Whether the polygon surely passes through the origin between t - half_width and t + half_width, for separation 0:
/// its plane does, from a certain sign to the other, and meanwhile the origin is surely between its sides. Most
/// collisions are of this kind. Gives the weights of the contact.
bool surely_crosses(const RelativeMotion& m, const Coplanarity& p, double t, double half_width,
                    std::array<double, 4>& weights);

std::array<double, 4> contact_weights(ContactKind kind, const RelativeMotion& m, double t);

/// Unit, from the origin to the polygon, as the two approach each other: the normal of the polygon if that separated
/// them before, else the last separating direction. For what touches from the beginning: against the motion.
Vec3 approach_direction(const RelativeMotion& m, const Coplanarity& p, double t, const std::array<double, 4>& weights,
                        const Vec3& last);

}  // namespace carom::continuous
