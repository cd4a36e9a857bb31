#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

/// Haptics: a tool in a hand. Carom knows no device; whoever owns one calls HapticTool::update about a thousand times a
/// second. docs/methods/haptics.md says what is promised, and why it holds.
namespace carom {

/// Device, and the coupling of the tool to it.
struct HapticOptions {
  double period = 1e-3;                  ///< s, longest interval between two updates that the device loop keeps
  double device_damping = 1;             ///< N s/m, that the device has by itself, at the least
  double device_angular_damping = 2e-3;  ///< N m s/rad, likewise
  double stiffness = 0;                  ///< N/m, of the coupling; 0 = four fifths of the largest that is passive
  double damping = 0;                    ///< N s/m, of the coupling
  double angular_stiffness = 0;          ///< N m/rad; 0 = four fifths of the largest that is passive
  double angular_damping = 0;            ///< N m s/rad
  double max_force = 8;                  ///< N
  double max_torque = 0.2;               ///< N m; 0 = the device has no torques: the tool turns as the hand does
  double max_force_rate = 2000;          ///< N/s, by which a force grows; it falls at once
  double max_torque_rate = 50;           ///< N m/s, likewise
  /// W; energy that a world may add to the hand beyond the work of its surfaces. Planes that are published again jump,
  /// and without this a force would fade while the world beside it trembles.
  double max_world_power = 0.01;
  double max_plane_age = 0.05;  ///< s, for which planes go on with their velocity if no new ones come
};

/// Largest stiffness of the coupling (N/m, N m/rad) at which it is passive (Colgate and Schenkel 1997): the damping of
/// the device takes what a spring that is sampled adds. Not positive if no stiffness is.
double max_passive_stiffness(const HapticOptions& options);
double max_passive_angular_stiffness(const HapticOptions& options);

/// Plane that a point of the tool must not pass, as of a contact of the world.
struct HapticPlane {
  Eigen::Vector3d normal{0, 1, 0};      ///< unit, out of what is touched
  Eigen::Vector3d point{0, 0, 0};       ///< m, in the world
  Eigen::Vector3d velocity{0, 0, 0};    ///< m/s, of the surface
  Eigen::Vector3d tool_point{0, 0, 0};  ///< m, in the frame of the tool
  double compliance = 0;                ///< m/N, by which the surface gives way until the world says where it is
  double force = 0;                     ///< N, under which the surface is where the plane is
};

/// Planes that a tool takes at a time.
inline constexpr std::size_t max_haptic_planes = 32;

struct HapticWrench {
  Eigen::Vector3d force{0, 0, 0};   ///< N, on the hand
  Eigen::Vector3d torque{0, 0, 0};  ///< N m, on the hand, about the origin of the tool
};

/// Pose of the hand as a world sees it: the mean over the samples since it was last asked for.
struct HapticTarget {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  Eigen::Vector3d velocity{0, 0, 0};  ///< m/s
  std::uint64_t samples = 0;          ///< since the beginning; 0: the hand has not come yet
};

/// Counts of a device loop.
struct HapticCounts {
  std::uint64_t updates = 0;
  std::uint64_t refused = 0;   ///< updates with a pose or an interval that is not finite; they return no force
  std::uint64_t late = 0;      ///< updates whose interval was longer than the period, and more than a tenth so
  std::uint64_t limited = 0;   ///< wrenches that were cut down by a limit of force, torque or rate
  std::uint64_t weakened = 0;  ///< wrenches that were cut down because the energy for them had not been put in
  std::uint64_t unsolved = 0;  ///< updates in which the planes had no solution within the iterations
};

/// Tool between a hand and a world. The hand's thread calls update(), the world's thread publish() and target(); both
/// may do so at the same time. Neither waits for the other, locks, or allocates.
class HapticTool {
 public:
  /// Throws Error(unstable) that names the largest stiffness if the coupling is not passive for the device, and
  /// Error(invalid_argument) that names the option otherwise.
  explicit HapticTool(const HapticOptions& options);
  ~HapticTool();
  HapticTool(HapticTool&&) noexcept;
  HapticTool& operator=(HapticTool&&) noexcept;

  /// Options with the stiffness that was chosen.
  const HapticOptions& options() const;

  // The hand's thread.
  /// Wrench on the hand for its pose now, `dt` (s) after the last one.
  HapticWrench update(const Eigen::Isometry3d& pose, double dt) noexcept;
  /// Pose of the tool that the planes allow, nearest to the hand.
  Eigen::Isometry3d proxy() const noexcept;
  /// J; energy that the coupling holds, and may return.
  double energy() const noexcept;
  HapticCounts counts() const noexcept;

  // The world's thread.
  /// Planes for the updates that follow; of more than max_haptic_planes the first.
  void publish(std::span<const HapticPlane> planes) noexcept;
  HapticTarget target() noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace carom
