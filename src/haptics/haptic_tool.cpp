#include "carom/haptics/haptic_tool.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>

#include "core/check.hpp"
#include "haptics/nonnegative_qp.hpp"
#include "haptics/triple_buffer.hpp"

namespace carom {

namespace haptics {

using Vector6d = Eigen::Matrix<double, 6, 1>;

struct PlaneSet {
  std::array<HapticPlane, max_haptic_planes> planes{};
  std::size_t count = 0;
};

/// Sums over all samples, so that whoever reads two of them has the mean of those between.
struct SampleSums {
  Eigen::Vector3d translation{0, 0, 0};
  double time = 0;  ///< s
  std::uint64_t samples = 0;
  Eigen::Isometry3d last = Eigen::Isometry3d::Identity();
};

}  // namespace haptics

namespace {

using Eigen::Isometry3d;
using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;
using haptics::Vector6d;

/// Fraction of the largest passive stiffness that is taken where none is given.
constexpr double chosen_fraction = 0.8;
/// Added to the matrix of the planes, as a fraction of its largest diagonal entry: two planes may be the same, or leave
/// no room between them.
constexpr double regularization = 1e-7;
/// Interval over the period beyond which an update counts as late.
constexpr double late_ratio = 1.1;

Vector3d rotation_vector(const Matrix3d& rotation) noexcept {
  Quaterniond q(rotation);
  if (q.w() < 0) q.coeffs() = -q.coeffs();
  const double sine = q.vec().norm();
  if (sine < 1e-12) return 2 * q.vec();
  return (2 * std::atan2(sine, q.w()) / sine) * q.vec();
}

Matrix3d rotation_by(const Vector3d& turn) noexcept {
  const double angle = turn.norm();
  if (angle < 1e-15) return Matrix3d::Identity();
  return Eigen::AngleAxisd(angle, turn / angle).toRotationMatrix();
}

void check_option(const char* name, double value, bool zero) {
  require(std::isfinite(value) && (zero ? value >= 0 : value > 0), ErrorCode::invalid_argument,
          "haptic tool: {} is {}; expected a {} number", name, value, zero ? "non-negative" : "positive");
}

void check_passive(const char* name, const char* unit, double value, double limit, const HapticOptions& options) {
  require(value <= limit, ErrorCode::unstable,
          "haptic tool: {} is {} {}, which is not passive for the damping of the device at {} s between updates; the "
          "largest that is passive is {} {}",
          name, value, unit, options.period, limit, unit);
}

HapticOptions checked(HapticOptions o) {
  for (const auto& [name, value] :
       {std::pair("period", o.period), std::pair("max_force", o.max_force),
        std::pair("max_force_rate", o.max_force_rate), std::pair("max_torque_rate", o.max_torque_rate)})
    check_option(name, value, false);
  for (const auto& [name, value] :
       {std::pair("device_damping", o.device_damping), std::pair("device_angular_damping", o.device_angular_damping),
        std::pair("stiffness", o.stiffness), std::pair("damping", o.damping),
        std::pair("angular_stiffness", o.angular_stiffness), std::pair("angular_damping", o.angular_damping),
        std::pair("max_torque", o.max_torque), std::pair("max_world_power", o.max_world_power),
        std::pair("max_plane_age", o.max_plane_age)})
    check_option(name, value, true);
  const double limit = max_passive_stiffness(o);
  require(limit > 0, ErrorCode::unstable,
          "haptic tool: damping is {} N s/m and that of the device {} N s/m; no stiffness is passive with as much",
          o.damping, o.device_damping);
  if (o.stiffness == 0) o.stiffness = chosen_fraction * limit;
  check_passive("stiffness", "N/m", o.stiffness, limit, o);
  if (o.max_torque == 0) return o;
  const double angular_limit = max_passive_angular_stiffness(o);
  require(angular_limit > 0, ErrorCode::unstable,
          "haptic tool: angular_damping is {} N m s/rad and that of the device {}; no angular stiffness is passive "
          "with as much",
          o.angular_damping, o.device_angular_damping);
  if (o.angular_stiffness == 0) o.angular_stiffness = chosen_fraction * angular_limit;
  check_passive("angular_stiffness", "N m/rad", o.angular_stiffness, angular_limit, o);
  return o;
}

/// Largest part of a vector that a limit leaves: at most `limit` long, and longer than the last one by no more than
/// `growth` along its direction.
double allowed_part(const Vector3d& wanted, const Vector3d& last, double limit, double growth) noexcept {
  const double size = wanted.norm();
  if (!(size > 0)) return 1;
  const double before = std::fmax(0, last.dot(wanted) / size);
  return std::fmin(1, std::fmin(limit, before + growth) / size);
}

}  // namespace

double max_passive_stiffness(const HapticOptions& options) {
  return 2 * (options.device_damping - options.damping) / options.period;
}
double max_passive_angular_stiffness(const HapticOptions& options) {
  return 2 * (options.device_angular_damping - options.angular_damping) / options.period;
}

struct HapticTool::Impl {
  explicit Impl(const HapticOptions& given) : options(checked(given)) {}

  HapticOptions options;
  haptics::TripleBuffer<haptics::PlaneSet> planes;
  haptics::TripleBuffer<haptics::SampleSums> sums;

  // Of the hand's thread.
  bool begun = false;
  Isometry3d hand = Isometry3d::Identity();   ///< in the last update
  Isometry3d proxy = Isometry3d::Identity();  ///< in the last update
  Vector6d stretch = Vector6d::Zero();        ///< from the hand to the proxy
  HapticWrench wrench;                        ///< that acts since the last update
  double pushed_power = 0;                    ///< W, of the surfaces on the proxy since the last update
  double energy = 0;                          ///< J, put in and not taken out
  double age = 0;                             ///< s, of the planes
  haptics::SampleSums written;
  HapticCounts counts;
  haptics::NonnegativeQp qp;
  std::array<Vector6d, max_haptic_planes> rows;

  // Of the world's thread.
  haptics::SampleSums asked;

  bool turns() const noexcept { return options.max_torque > 0; }
  double solve_planes(const Isometry3d& pose) noexcept;
  void count_energy(const Isometry3d& pose, double dt) noexcept;
  void set_wrench(const Vector6d& before, double stored, double dt) noexcept;
  void note_sample(const Isometry3d& pose, double dt) noexcept;
};

/// Moves the proxy to where the stretch of the coupling, with what the surfaces yield, holds the least energy.
/// Linear in the pose of the proxy about the last one. Returns that energy (J).
double HapticTool::Impl::solve_planes(const Isometry3d& pose) noexcept {
  const haptics::PlaneSet& published = planes.front();
  const double compliance = 1 / options.stiffness;
  const double angular_compliance = turns() ? 1 / options.angular_stiffness : 0;
  if (!turns()) proxy.linear() = pose.linear();
  Vector6d to_hand;
  to_hand << pose.translation() - proxy.translation(), rotation_vector(pose.linear() * proxy.linear().transpose());
  const auto moved_by = [&](const Vector6d& row) {
    Vector6d moved;
    moved << compliance * row.head<3>(), angular_compliance * row.tail<3>();
    return moved;
  };
  qp.size = published.count;
  double largest = 0;
  for (std::size_t i = 0; i < qp.size; ++i) {
    const HapticPlane& plane = published.planes[i];
    const Vector3d lever = proxy.linear() * plane.tool_point;
    rows[i] << plane.normal, lever.cross(plane.normal);
    const Vector3d surface = plane.point + std::fmin(age, options.max_plane_age) * plane.velocity;
    const double outside = plane.normal.dot(proxy.translation() + lever - surface);
    qp.right[i] = -outside - rows[i].dot(to_hand) + plane.compliance * plane.force;
    const Vector6d moved = moved_by(rows[i]);
    for (std::size_t k = 0; k <= i; ++k) qp.matrix[i][k] = qp.matrix[k][i] = rows[k].dot(moved);
    qp.matrix[i][i] += plane.compliance;
    largest = std::fmax(largest, qp.matrix[i][i]);
  }
  for (std::size_t i = 0; i < qp.size; ++i) qp.matrix[i][i] += regularization * largest;
  if (!solve(qp)) ++counts.unsolved;

  stretch.setZero();
  double stored = 0;
  pushed_power = 0;
  for (std::size_t i = 0; i < qp.size; ++i) {
    const double force = qp.x[i];
    if (!(force > 0)) continue;
    const HapticPlane& plane = published.planes[i];
    stretch += force * moved_by(rows[i]);
    stored += 0.5 * plane.compliance * force * force;
    if (age <= options.max_plane_age) pushed_power += force * plane.normal.dot(plane.velocity);
  }
  stored += 0.5 * options.stiffness * stretch.head<3>().squaredNorm() +
            0.5 * options.angular_stiffness * stretch.tail<3>().squaredNorm();
  // The proxy is at the hand, and moved by the stretch from there.
  proxy.translation() = pose.translation() + stretch.head<3>();
  proxy.linear() = rotation_by(stretch.tail<3>()) * pose.linear();
  return stored;
}

/// Energy that the hand put in since the last update, under the wrench that was held: what the wrench did to the hand
/// is taken out, what the damping of the device took in the same time, and what surfaces did, is added.
void HapticTool::Impl::count_energy(const Isometry3d& pose, double dt) noexcept {
  const Vector3d moved = pose.translation() - hand.translation();
  const Vector3d turned = rotation_vector(pose.linear() * hand.linear().transpose());
  energy -= wrench.force.dot(moved) + wrench.torque.dot(turned);
  energy += (options.device_damping * moved.squaredNorm() + options.device_angular_damping * turned.squaredNorm()) / dt;
  energy += (pushed_power + options.max_world_power) * dt;
}

/// Wrench of the stretch, within the limits and within the energy: a coupling that holds more than was put in is that
/// much weaker.
void HapticTool::Impl::set_wrench(const Vector6d& before, double stored, double dt) noexcept {
  energy = std::clamp(energy, 0.0, stored);
  double part = stored > 0 ? energy / stored : 1;
  if (part < 1 - 1e-9) ++counts.weakened;
  HapticWrench wanted{part * options.stiffness * stretch.head<3>(),
                      part * options.angular_stiffness * stretch.tail<3>()};
  const double whole = std::fmin(
      allowed_part(wanted.force, wrench.force, options.max_force, options.max_force_rate * dt),
      turns() ? allowed_part(wanted.torque, wrench.torque, options.max_torque, options.max_torque_rate * dt) : 1);
  if (whole < 1) ++counts.limited;
  wanted.force *= whole;
  wanted.torque *= whole;
  // The damper acts on the stretch, and never pulls toward a surface that the hand leaves.
  const Vector6d rate = (stretch - before) / dt;
  const Vector3d damped = wanted.force + part * whole * options.damping * rate.head<3>();
  if (damped.dot(wanted.force) > 0)
    wanted.force = damped * allowed_part(damped, wrench.force, options.max_force, INFINITY);
  const Vector3d damped_torque = wanted.torque + part * whole * options.angular_damping * rate.tail<3>();
  if (damped_torque.dot(wanted.torque) > 0)
    wanted.torque = damped_torque * allowed_part(damped_torque, wrench.torque, options.max_torque, INFINITY);
  wrench = wanted;
}

void HapticTool::Impl::note_sample(const Isometry3d& pose, double dt) noexcept {
  written.translation += pose.translation();
  written.time += dt;
  ++written.samples;
  written.last = pose;
  sums.back() = written;
  sums.publish();
}

HapticTool::HapticTool(const HapticOptions& options) : impl_(std::make_unique<Impl>(options)) {}
HapticTool::~HapticTool() = default;
HapticTool::HapticTool(HapticTool&&) noexcept = default;
HapticTool& HapticTool::operator=(HapticTool&&) noexcept = default;

const HapticOptions& HapticTool::options() const {
  return impl_->options;
}

HapticWrench HapticTool::update(const Isometry3d& pose, double dt) noexcept {
  Impl& s = *impl_;
  ++s.counts.updates;
  if (!pose.matrix().allFinite() || !(dt > 0) || !std::isfinite(dt)) {
    ++s.counts.refused;
    s.wrench = {};
    s.energy = 0;
    return s.wrench;
  }
  if (dt > late_ratio * s.options.period) ++s.counts.late;
  if (s.begun) {
    s.count_energy(pose, dt);
  } else {
    s.proxy = pose;
    s.begun = true;
  }
  s.age += dt;
  if (s.planes.update()) s.age = dt;
  const Vector6d before = s.stretch;
  const double stored = s.solve_planes(pose);
  s.set_wrench(before, stored, dt);
  s.hand = pose;
  s.note_sample(pose, dt);
  return s.wrench;
}

Isometry3d HapticTool::proxy() const noexcept {
  return impl_->proxy;
}
double HapticTool::energy() const noexcept {
  return impl_->energy;
}
HapticCounts HapticTool::counts() const noexcept {
  return impl_->counts;
}

void HapticTool::publish(std::span<const HapticPlane> planes) noexcept {
  haptics::PlaneSet& back = impl_->planes.back();
  back.count = std::min(planes.size(), max_haptic_planes);
  std::copy_n(planes.begin(), back.count, back.planes.begin());
  impl_->planes.publish();
}

HapticTarget HapticTool::target() noexcept {
  Impl& s = *impl_;
  s.sums.update();
  const haptics::SampleSums& now = s.sums.front();
  HapticTarget target;
  target.samples = now.samples;
  target.pose = now.last;
  const auto count = static_cast<double>(now.samples - s.asked.samples);
  if (count > 0) target.pose.translation() = (now.translation - s.asked.translation) / count;
  const double elapsed = now.time - s.asked.time;
  if (s.asked.samples > 0 && elapsed > 0) {
    target.velocity = (now.last.translation() - s.asked.last.translation()) / elapsed;
  }
  s.asked = now;
  return target;
}

}  // namespace carom
