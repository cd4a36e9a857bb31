#include "response/penalty_force.hpp"

#include <algorithm>
#include <cmath>

#include "response/rigid_penalty.hpp"

namespace carom::rigid_penalty {
namespace {

/// Part of the force that is due in a substep in which a point begins or ends to overlap: with all of it, what
/// bounces would leave up to some per cent too fast or too slow, as chance has it. Substeps with the force of a spring,
/// K its stiffness times the inverse effective mass, keep v^2 + h K d v + K d^2, v being the opening before and d the
/// depth; with the opening after them v^2 - h K d v + K d^2. Outside it is v^2, and is to stay. Forces that pull the
/// two together, with the acceleration p, add h p |v| on the way in and again on the way out, both of which are left
/// out at the end.
double part_pressed(const Spring& spring, double depth, double h) {
  const double v = spring.opening;
  const double k = spring.stiffness * spring.inverse_effective_mass;
  const double kick = h * k * depth;
  if (v < 0 && depth < -h * v) {
    const double after = 0.5 * (std::sqrt(std::max(0.0, kick * kick + 4 * (v * v - k * depth * depth))) - kick);
    return std::clamp((-v - after) / kick, 0.0, 1.0);
  }
  if (v > 0 && depth < h * (v + kick)) {
    const double after = std::sqrt(std::max(0.0, v * v + (kick - 2 * h * spring.pull) * v + k * depth * depth));
    return std::clamp((after - v) / kick, 0.0, 1.0);
  }
  return 1;
}

/// Part of a substep in which a point touches that goes on with the opening `after`; h v is what it opens by.
double time_pressed(const Spring& spring, double depth, double after, double h) {
  const double v = spring.opening < 0 ? -spring.opening : after;
  return v > 0 ? std::min(1.0, depth / (h * v)) : 1.0;
}

/// The share of its speed with which a mass leaves a spring with this ratio of damping that does not pull.
double continuous_restitution(double ratio) {
  if (ratio == 0) return 1;
  if (ratio == 1) return std::exp(-2.0);
  if (ratio < 1) {
    const double root = std::sqrt(1 - ratio * ratio);
    // atan2 takes the branch that the two cases of the paper are.
    const double angle = std::atan2(2 * ratio * root, 2 * ratio * ratio - 1);
    return std::exp(-ratio / root * angle);
  }
  const double root = std::sqrt(ratio * ratio - 1);
  return std::exp(-ratio / root * std::log((ratio + root) / (ratio - root)));
}

/// Share of its speed that a mass of 1 kg leaves with, in substeps of 1 s, on average over where in a substep it comes
/// in.
double stepped_restitution(double ratio, double x) {
  constexpr int phases = 8;
  constexpr int max_substeps = 10000;
  double sum = 0;
  for (int i = 0; i < phases; ++i) {
    Spring spring;
    spring.stiffness = x * x;
    spring.damping = 2 * ratio * x;
    spring.inverse_effective_mass = spring.impact_inverse_effective_mass = 1;
    spring.bounces = true;
    spring.opening = -1;
    spring.gap = (i + 0.5) / phases;
    for (int k = 0; k < max_substeps; ++k) {
      spring.gap += spring.opening;
      if (spring.gap >= 0 && spring.opening > 0) break;
      if (spring.gap < 0) spring.opening += spring_force(spring, 1);
    }
    sum += spring.opening;
  }
  return sum / phases;
}

/// Where a decreasing function of the ratio falls below `restitution`.
template <class Function>
double ratio_for(double restitution, int halvings, const Function& function) {
  double low = 0;
  double high = 4;  // gives less than a hundredth
  for (int i = 0; i < halvings; ++i) {
    const double middle = 0.5 * (low + high);
    (function(middle) > std::max(restitution, 0.01) ? low : high) = middle;
  }
  return low;
}

}  // namespace

double spring_force(const Spring& spring, double h) {
  const double depth = spring.rest - spring.gap;
  if (!(depth > 0) || spring.stiffness == 0) return 0;
  const double part = part_pressed(spring, depth, h);
  if (!spring.bounces) {
    return std::max(0.0, spring.stiffness * depth - spring.damping * spring.opening) * part;
  }
  // The damper acts for as long as the point touches, with the mean of the openings before and after the substep: so
  // what it takes depends little on where in a substep the point comes in.
  const double pressed = spring.stiffness * depth * part;
  const double damping =
      spring.damping *
      time_pressed(spring, depth, spring.opening + h * pressed * spring.impact_inverse_effective_mass, h);
  return std::max(
      0.0, (pressed - damping * spring.opening) / (1 + 0.5 * h * damping * spring.impact_inverse_effective_mass));
}

double damping_of(double restitution) {
  return ratio_for(restitution, 60, continuous_restitution);
}

double ReboundTable::damping_ratio(double restitution, double x) {
  auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& r) { return r.restitution == restitution; });
  if (row == rows_.end()) {
    row = rows_.insert(rows_.end(), Row{restitution, {}});
    row->ratio[0] = damping_of(restitution);
    for (std::size_t i = 1; i < knots; ++i) {
      const double at = max_x * static_cast<double>(i) / (knots - 1);
      row->ratio[i] =
          restitution < 1 ? ratio_for(restitution, 40, [&](double r) { return stepped_restitution(r, at); }) : 0;
    }
  }
  const double place = std::clamp(x / max_x, 0.0, 1.0) * (knots - 1);
  const auto i = std::min(static_cast<std::size_t>(place), knots - 2);
  const double t = place - static_cast<double>(i);
  return (1 - t) * row->ratio[i] + t * row->ratio[i + 1];
}

}  // namespace carom::rigid_penalty
