#pragma once

#include <memory>

#include "carom/haptics/haptic_tool.hpp"
#include "carom/world/world.hpp"

namespace carom {

/// Drives a rigid body toward a pose over the next step, by a spring of a stiffness (N/m, N m/rad) that is damped
/// critically; its weight is carried. Throws Error that names the body if it is too light for the step.
void drive(World& world, BodyId body, const HapticTarget& target, double stiffness, double angular_stiffness);
/// Throws Error that names a body which drive() would refuse.
void check_driven(const World& world, BodyId body, double stiffness);

/// Link of a haptic tool to a rigid body of a world, which is the tool there: the coupling moves the body, and the
/// contacts of the body become the planes of the tool. Called by the world's thread around each step:
///
///     link.before_step();
///     world.step();
///     link.after_step();
class HapticLink {
 public:
  /// World and tool outlive the link. Throws Error that names the body if it is not rigid, or too light for the
  /// stiffness of the coupling at the dt of the world.
  HapticLink(World& world, BodyId body, HapticTool& tool);
  ~HapticLink();
  HapticLink(HapticLink&&) noexcept;
  HapticLink& operator=(HapticLink&&) noexcept;

  /// Drives the body toward the hand. The target is what a record of input keeps: with the same targets a world does
  /// the same, bit for bit.
  HapticTarget before_step();
  void before_step(const HapticTarget& target);
  void after_step();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace carom
