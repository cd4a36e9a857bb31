#include "world/option_difference.hpp"

#include <fmt/format.h>

namespace carom {
namespace {

std::string option_text(double value) {
  return fmt::format("{}", value);
}
std::string option_text(int value) {
  return fmt::format("{}", value);
}
std::string option_text(bool value) {
  return value ? "true" : "false";
}
std::string option_text(const std::string& value) {
  return fmt::format("'{}'", value);
}
std::string option_text(Detection value) {
  return fmt::format("'{}'", to_string(value));
}
std::string option_text(PairScope value) {
  return value == PairScope::between ? "'between'" : value == PairScope::self ? "'self'" : "'all'";
}
std::string option_text(const Eigen::Vector3d& value) {
  return fmt::format("({}, {}, {})", value.x(), value.y(), value.z());
}

class OptionComparison {
 public:
  template <class T>
  void operator()(const char* name, const T& a, const T& b) {
    if (!(a == b)) found_.push_back({name, option_text(a), option_text(b)});
  }

  std::vector<OptionDifference> take() { return std::move(found_); }

 private:
  std::vector<OptionDifference> found_;
};

void compare_options(OptionComparison& option, const ContactOptions& a, const ContactOptions& b) {
  option("contact.distance", a.distance, b.distance);
  option("contact.stiffness", a.stiffness, b.stiffness);
  option("contact.damping", a.damping, b.damping);
  option("contact.pairs", a.pairs, b.pairs);
  option("contact.surface_factor", a.surface_factor, b.surface_factor);
  option("contact.immovable", a.immovable, b.immovable);
}

void compare_options(OptionComparison& option, const RigidOptions& a, const RigidOptions& b) {
  option("rigid.substeps", a.substeps, b.substeps);
  option("rigid.contact_hertz", a.contact_hertz, b.contact_hertz);
  option("rigid.contact_damping", a.contact_damping, b.contact_damping);
  option("rigid.push_speed", a.push_speed, b.push_speed);
  option("rigid.contact_zone", a.contact_zone, b.contact_zone);
  option("rigid.load_memory", a.load_memory, b.load_memory);
  option("rigid.settle_sweeps", a.settle_sweeps, b.settle_sweeps);
  option("rigid.speculative_distance", a.speculative_distance, b.speculative_distance);
  option("rigid.impulse_rounds", a.impulse_rounds, b.impulse_rounds);
  option("rigid.impulse_tolerance", a.impulse_tolerance, b.impulse_tolerance);
  option("rigid.lcp_points", a.lcp_points, b.lcp_points);
  option("rigid.lcp_directions", a.lcp_directions, b.lcp_directions);
  option("rigid.penalty_stiffness", a.penalty_stiffness, b.penalty_stiffness);
  option("rigid.penalty_damping", a.penalty_damping, b.penalty_damping);
  option("rigid.penalty_substeps", a.penalty_substeps, b.penalty_substeps);
  option("rigid.resting_speed", a.resting_speed, b.resting_speed);
  option("rigid.bounce_speed", a.bounce_speed, b.bounce_speed);
  option("rigid.sleep", a.sleep, b.sleep);
  option("rigid.sleep_speed", a.sleep_speed, b.sleep_speed);
  option("rigid.sleep_after", a.sleep_after, b.sleep_after);
}

}  // namespace

std::vector<OptionDifference> differences(const WorldOptions& a, const WorldOptions& b) {
  OptionComparison option;
  option("gravity", a.gravity, b.gravity);
  option("dt", a.dt, b.dt);
  compare_options(option, a.contact, b.contact);
  option("detection", a.detection, b.detection);
  option("response", a.response, b.response);
  compare_options(option, a.rigid, b.rigid);
  return option.take();
}

}  // namespace carom
