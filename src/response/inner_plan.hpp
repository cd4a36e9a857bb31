#pragma once

#include <span>
#include <vector>

#include "bodies/vertices.hpp"
#include "carom/world/world.hpp"
#include "island/islands.hpp"

/// How many inner steps deforming bodies take in a step: as many as they ask for, or as a time budget leaves.
namespace carom::response {

struct PlanIn {
  const WorldOptions& options;
  const BodyMap& bodies;
  const rigid::Bodies& table;
  const bodies::Vertices& vertices;
  const island::Islands& islands;
  std::span<const double> factors;         ///< times as many inner steps, of each part of cloth; empty: 1
  SlotSpan<const std::uint8_t> urgency{};  ///< see contact::find_urgency(); empty: 0
  int rounds = 1;                          ///< of the whole step; the plan is of one of them
  double time_left = -1;                   ///< s; negative: as much as is needed
  double cost = 0;                         ///< s, of one unit of work; 0: not known yet, as if there were no budget
  bool by_island = false;                  ///< islands may take different numbers
};

/// Parts that take as many inner steps as each other.
struct InnerGroup {
  int count = 1;
  std::vector<std::uint8_t> parts;  ///< 1 for those of the group
};

/// Part that gets fewer inner steps than it asks for.
struct LeftOut {
  std::size_t part = 0;
  int made = 0;
  int left_out = 0;
};

struct InnerPlan {
  int wanted = 1;                  ///< most that some part asks for
  int count = 1;                   ///< inner steps of all, if there are no groups
  std::vector<InnerGroup> groups;  ///< two or more; empty: all parts take as many
  std::vector<LeftOut> left_out;
  double work = 0;  ///< units of work of all inner steps: vertices, and elements of soft bodies
};

/// What acts once in four inner steps: bending and rounding of cloth, damping of soft bodies.
inline constexpr int rare_interval = 4;

/// Inner steps that parts ask for, and those that they get. An island takes as many as the one of its bodies that asks
/// for most, and has the importance of the most important one. Without a budget, and where it suffices, all islands
/// take as many as the one that asks for most. Throws Error(unstable) that names a body which asks for too many.
InnerPlan plan_inner_steps(const PlanIn& in);

}  // namespace carom::response
