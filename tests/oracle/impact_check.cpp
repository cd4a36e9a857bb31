#include "oracle/impact_check.hpp"

#include <fmt/format.h>

#include <cmath>

#include "oracle/exact_impact.hpp"

namespace carom::oracle {
namespace {

std::string describe(ContactKind kind, const FeatureMotion& motion, const Impact& impact) {
  std::string text = fmt::format("{}: collides {}, time {:a}, tolerance {}, limited {}\n",
                                 kind == ContactKind::vertex_face ? "vf" : "ee", impact.collides, impact.time,
                                 impact.tolerance, impact.limited);
  for (const auto* side : {&motion.start, &motion.end}) {
    for (const auto& p : *side) text += fmt::format("  {{{:a}, {:a}, {:a}}},\n", p.x(), p.y(), p.z());
  }
  return text;
}

mpq_class size_of(const FeatureMotion& motion) {
  mpq_class size = 0;
  for (const auto* side : {&motion.start, &motion.end}) {
    for (const auto& p : *side) {
      const ExactVector d = exact(p) - exact(motion.start[0]);
      size = std::max({size, mpq_class(abs(d.x)), mpq_class(abs(d.y)), mpq_class(abs(d.z))});
    }
  }
  return size;
}

/// What holds for every yes: where the features are at the reported time, weights, normal.
std::string bad_yes(ContactKind kind, const FeatureMotion& motion, const Impact& impact, double separation) {
  if (!(impact.time >= 0 && impact.time <= 1)) return "the time is not in [0, 1]\n";
  if (!(impact.tolerance >= 0)) return "the tolerance is not a length\n";
  const mpq_class squared = squared_distance_at(kind, motion, mpq_class(impact.time));
  if (impact.tolerance > 0 && std::isfinite(impact.tolerance)) {
    const mpq_class within = mpq_class(separation) + mpq_class(impact.tolerance);
    if (squared > within * within) return "farther apart than the tolerance says\n";
  }
  if (!impact.limited) {
    // separation + 1e-6 of the motion, and rounding: squared, (a + b + c)^2 <= 3 (a^2 + b^2 + c^2).
    const mpq_class size = size_of(motion);
    const mpq_class slack = 3 * (mpq_class(1e-12) * squared_motion(kind, motion) + mpq_class(1e-24) * size * size);
    const mpq_class reach = mpq_class(separation);
    if (squared > mpq_class(1.0001) * reach * reach + 10000 * slack && squared > 3 * reach * reach + slack) {
      return "too early\n";
    }
  }
  if (std::abs(impact.normal.norm() - 1) > 1e-12) return "the normal is not of unit length\n";
  const auto& w = impact.weights;
  const double first = kind == ContactKind::vertex_face ? w[0] : w[0] + w[1];
  const double second = kind == ContactKind::vertex_face ? w[1] + w[2] + w[3] : w[2] + w[3];
  if (std::abs(first - 1) > 1e-12 || std::abs(second - 1) > 1e-12) return "weights do not add up to 1\n";
  for (const double x : w) {
    if (!(x >= 0 && x <= 1)) return "a weight is not in [0, 1]\n";
  }
  return {};
}

}  // namespace

std::string impact_violation(ContactKind kind, const FeatureMotion& motion, bool& collides) {
  const ExactImpact truth = exact_impact(kind, motion);
  collides = truth.collides;
  for (const bool exact : {false, true}) {
    const Impact impact = first_impact(kind, motion, {.exact = exact});
    std::string wrong;
    if (truth.collides && !impact.collides) {
      wrong = "missed\n";
    } else if (truth.collides && mpq_class(impact.time) > truth.after) {
      wrong = fmt::format("late: the first contact is at {}\n", truth.after.get_d());
    } else if (!truth.collides && impact.collides && (exact || impact.tolerance == 0)) {
      wrong = "no contact, but said to be certain\n";
    } else if (exact && truth.collides && impact.tolerance != 0) {
      wrong = "not certain in exact mode\n";
    } else if (impact.collides) {
      wrong = bad_yes(kind, motion, impact, 0);
    } else if (impact.time != 1) {
      wrong = "a time without a collision\n";
    }
    if (!wrong.empty()) return fmt::format("{}{}", wrong, describe(kind, motion, impact)) + (exact ? "exact\n" : "");
  }
  return {};
}

std::string separation_violation(ContactKind kind, const FeatureMotion& motion, double separation, int samples) {
  const Impact impact = first_impact(kind, motion, {.separation = separation});
  const mpq_class reach(separation);
  for (int i = 0; i <= samples; ++i) {
    const mpq_class t(i, samples);
    if (impact.collides && mpq_class(impact.time) <= t) break;
    if (squared_distance_at(kind, motion, t) <= reach * reach) {
      return fmt::format("closer than {} at {}\n{}", separation, t.get_d(), describe(kind, motion, impact));
    }
  }
  if (!impact.collides) return {};
  // A late time is late because just before it the features are as close already.
  for (unsigned bits = 5; bits < 60; bits += 6) {
    const mpq_class t = mpq_class(impact.time) - mpq_class(1, 1UL << bits);
    if (t >= 0 && squared_distance_at(kind, motion, t) <= reach * reach) {
      return fmt::format("late: closer than {} at {}\n{}", separation, t.get_d(), describe(kind, motion, impact));
    }
  }
  const std::string wrong = bad_yes(kind, motion, impact, separation);
  return wrong.empty() ? wrong : fmt::format("{}separation {}\n{}", wrong, separation, describe(kind, motion, impact));
}

}  // namespace carom::oracle
