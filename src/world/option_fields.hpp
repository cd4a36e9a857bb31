#pragma once

#include <array>
#include <string_view>

#include "bodies/rigid_limits.hpp"
#include "carom/world/world.hpp"
#include "core/field.hpp"

/// Options of a world: each named once, with what it may be. The check of a world, the comparison with a snapshot, and
/// the reader, the writer and the schema test of scenes are visitors of this one description.
namespace carom {

inline constexpr std::array<std::string_view, 2> detection_names{"discrete", "continuous"};
inline constexpr std::array<std::string_view, 3> pair_scope_names{"between", "self", "all"};

template <class V>
void describe(V& v, SoftOptions& soft) {
  v.integer("substeps", soft.substeps, Presence::quiet, {.min = 1, .max = 1000});
  v.number("contact_hertz", soft.contact_hertz, Presence::quiet, Sign::positive);
  v.number("contact_damping", soft.contact_damping, Presence::quiet, Sign::positive);
  v.number("load_time_constant", soft.load_time_constant, Presence::quiet, Sign::positive);
  v.integer("initial_iterations", soft.initial_iterations, Presence::quiet, {.min = 0, .max = 10000});
}

template <class V>
void describe(V& v, ImpulseOptions& impulse) {
  v.integer("rounds", impulse.rounds, Presence::quiet, {.min = 1, .max = 100000});
  v.number("tolerance", impulse.tolerance, Presence::quiet, Sign::not_negative);
}

template <class V>
void describe(V& v, LcpOptions& lcp) {
  v.integer("max_points", lcp.max_points, Presence::quiet, {.min = 0, .max = 1000});
  v.integer("directions", lcp.directions, Presence::quiet, {.min = 2, .max = 64, .multiple_of = 2});
}

template <class V>
void describe(V& v, PenaltyOptions& penalty) {
  v.number("stiffness", penalty.stiffness, Presence::quiet, Sign::not_negative);
  v.number("damping", penalty.damping, Presence::quiet, Sign::zero_to(max_penalty_damping));
  v.integer("substeps", penalty.substeps, Presence::quiet, {.min = 1, .max = 10000});
}

template <class V>
void describe(V& v, SleepOptions& sleep) {
  v.flag("enabled", sleep.enabled, Presence::quiet);
  v.number("speed", sleep.speed, Presence::quiet, Sign::not_negative);
  v.number("after", sleep.after, Presence::quiet, Sign::not_negative);
}

template <class V>
void describe(V& v, SolverOptions& solver) {
  v.object("soft", solver.soft, Presence::quiet);
  v.object("impulse", solver.impulse, Presence::quiet);
  v.object("lcp", solver.lcp, Presence::quiet);
  v.object("penalty", solver.penalty, Presence::quiet);
  v.object("sleep", solver.sleep, Presence::quiet);
  v.number("max_push_speed", solver.max_push_speed, Presence::quiet, Sign::positive);
  v.number("soft_zone", solver.soft_zone, Presence::quiet, Sign::not_negative);
  v.number("speculative_distance", solver.speculative_distance, Presence::quiet, Sign::positive);
  v.number("resting_speed", solver.resting_speed, Presence::quiet, Sign::not_negative);
  v.number("bounce_speed", solver.bounce_speed, Presence::quiet, Sign::not_negative);
}

template <class V>
void describe(V& v, ContactOptions& contact) {
  v.number("distance", contact.distance, Presence::shown, Sign::positive);
  v.number("stiffness", contact.stiffness, Presence::shown, Sign::not_negative);
  v.number("damping", contact.damping, Presence::shown, Sign::not_negative);
  v.choice("pairs", contact.pairs, pair_scope_names, Presence::shown);
  v.number("surface_factor", contact.surface_factor, Presence::quiet, Sign::not_negative);
  v.flag("immovable", contact.immovable, Presence::quiet);
  v.flag("nearest_only", contact.nearest_only, Presence::quiet);
  v.flag("edges", contact.edges, Presence::quiet);
}

}  // namespace carom
