#include "run_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/printable.hpp"
#include "report.hpp"

namespace carom::app {

namespace {

ContactCount count_contacts(const World& world) {
  ContactCount count;
  const WorldOptions& options = world.options();
  for (const WorldContact& c : world.contacts()) {
    if (c.anchor_a.feature != FeatureKind::point) {
      ++(c.anchor_a.feature == FeatureKind::vertex ? count.vertex_face : count.edge_edge);
      count.min_distance = std::min(count.min_distance, c.distance);
      continue;
    }
    // Points that a step reckoned with and nothing came of, far enough from touching, are no contacts to count.
    const double closing = std::max(0.0, -c.normal_speed) * options.dt;
    if (!(c.impulse > 0) && c.distance - closing > options.rigid.contact_zone) continue;
    ++(c.motion == ContactMotion::colliding ? count.colliding
       : c.motion == ContactMotion::resting ? count.resting
                                            : count.separating);
    count.min_distance = std::min(count.min_distance, c.distance);
  }
  return count;
}

/// So that no more than one in a hundred is larger.
double p99(std::vector<double> values) {
  if (values.empty()) return 0;
  const std::size_t at = values.size() * 99 / 100;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

}  // namespace

RunMeter::RunMeter(const Scene& scene, const World& world) : scene_(scene), world_(world), bodies_(world.bodies()) {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const bool rigid = std::holds_alternative<RigidSpec>(scene.bodies[i].body);
    any_rigid_ |= rigid;
    start_.push_back(rigid ? world.center_of_mass(bodies_[i]) : Eigen::Vector3d::Zero());
  }
}

ContactCount RunMeter::add_step(double ms) {
  step_ms_.push_back(ms);
  last_ = count_contacts(world_);
  frames_with_contacts_ += last_.all() > 0 ? 1 : 0;
  most_contacts_ = std::max(most_contacts_, last_.all());
  if (const std::optional<double> residual = world_.response_residual())
    largest_residual_ = std::max(largest_residual_.value_or(0), *residual);
  limited_ += world_.stats()[Stage::respond].limited;
  largest_penetration_ = std::max(largest_penetration_, -last_.min_distance);
  return last_;
}

bool RunMeter::is_lost(std::size_t body) const {
  const auto* rigid = std::get_if<RigidSpec>(&scene_.bodies[body].body);
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();
  if (rigid != nullptr) {
    // What never moves is where it was put, walls around the bounds too; half-spaces have no centre.
    if (rigid->kind == RigidKind::static_body || world_.shape(bodies_[body]).kind() == ShapeKind::half_space)
      return false;
    centre = world_.center_of_mass(bodies_[body]);
  } else {
    const auto positions = world_.positions(bodies_[body]);
    for (const Eigen::Vector3d& p : positions) centre += p / static_cast<double>(positions.size());
  }
  if (!centre.allFinite()) return true;
  if (!scene_.bounds) return false;
  return (centre.array() < scene_.bounds->min.array()).any() || (centre.array() > scene_.bounds->max.array()).any();
}

RigidSummary RunMeter::rigid_summary() const {
  RigidSummary summary;
  summary.largest_penetration = largest_penetration_;
  summary.last_penetration = std::max(0.0, -last_.min_distance);
  summary.largest_residual = largest_residual_;
  summary.limited = limited_;
  summary.colliding = last_.colliding;
  summary.resting = last_.resting;
  summary.separating = last_.separating;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const auto* spec = std::get_if<RigidSpec>(&scene_.bodies[i].body);
    if (spec == nullptr || spec->kind != RigidKind::dynamic) continue;
    const BodyId id = bodies_[i];
    summary.collider_error = std::max(summary.collider_error, world_.collider_error(id));
    const Eigen::Vector3d centre = world_.center_of_mass(id);
    const double drift = (centre - start_[i]).norm();
    // The first of several that are no number is as good as any.
    if (!(drift <= summary.largest_drift)) {
      summary.largest_drift = drift;
      summary.drifted = world_.name(id);
    }
    const Eigen::Vector3d w = world_.angular_velocity(id);
    summary.kinetic_energy +=
        0.5 * world_.mass(id) * world_.velocity(id).squaredNorm() + 0.5 * w.dot(world_.inertia(id) * w);
    summary.potential_energy -= world_.mass(id) * scene_.world.gravity.dot(centre);
  }
  return summary;
}

RunSummary RunMeter::summary() const {
  RunSummary summary;
  summary.steps = world_.steps();
  double ms = 0;
  for (const double step : step_ms_) ms += step;
  summary.ms_per_step = step_ms_.empty() ? 0 : ms / static_cast<double>(step_ms_.size());
  summary.ms_per_step_p99 = p99(step_ms_);
  summary.frames_with_contacts = frames_with_contacts_;
  summary.most_contacts = most_contacts_;
  summary.vertex_face = last_.vertex_face;
  summary.edge_edge = last_.edge_edge;
  if (any_rigid_) summary.rigid = rigid_summary();
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (is_lost(i)) summary.lost.push_back(world_.name(bodies_[i]));
  }
  summary.hash = world_.state_hash();
  return summary;
}

nlohmann::ordered_json summary_json(const RunSummary& s) {
  nlohmann::ordered_json json = {{"steps", s.steps},
                                 {"interrupted", s.interrupted},
                                 {"ms_per_step", s.ms_per_step},
                                 {"ms_per_step_p99", s.ms_per_step_p99},
                                 {"frames_with_contacts", s.frames_with_contacts},
                                 {"most_contacts", s.most_contacts}};
  if (s.rigid) {
    json["contacts"] = {
        {"colliding", s.rigid->colliding}, {"resting", s.rigid->resting}, {"separating", s.rigid->separating}};
    json["largest_penetration"] = s.rigid->largest_penetration;
    json["last_penetration"] = s.rigid->last_penetration;
    if (s.rigid->collider_error > 0) json["collider_error"] = s.rigid->collider_error;
    json["largest_drift"] = number_or_null(s.rigid->largest_drift);
    json["largest_residual"] =
        s.rigid->largest_residual ? number_or_null(*s.rigid->largest_residual) : nlohmann::ordered_json(nullptr);
    json["limited"] = s.rigid->limited;
    json["kinetic_energy"] = number_or_null(s.rigid->kinetic_energy);
    json["potential_energy"] = number_or_null(s.rigid->potential_energy);
  } else {
    json["contacts"] = {{"vertex_face", s.vertex_face}, {"edge_edge", s.edge_edge}};
  }
  json["lost"] = s.lost.size();
  json["lost_bodies"] = s.lost;
  json["hash"] = fmt::format("{:016x}", s.hash);
  return json;
}

namespace {

/// One line of the summary: what, and the value for people.
struct Line {
  std::string_view what;
  std::string value;
};

std::string metres(double value) {
  if (value == 0) return "0";
  return value < 0.1 ? fmt::format("{:.3g} mm", 1e3 * value) : fmt::format("{:.3g} m", value);
}

std::vector<Line> lines(const RunSummary& s) {
  std::vector<Line> list;
  list.push_back({"steps", fmt::format("{}{}", s.steps, s.interrupted ? ", interrupted" : "")});
  list.push_back({"ms a step", fmt::format("{:.3f} (p99 {:.3f})", s.ms_per_step, s.ms_per_step_p99)});
  if (s.rigid) {
    const RigidSummary& r = *s.rigid;
    list.push_back(
        {"contacts", fmt::format("{} colliding, {} resting, {} separating", r.colliding, r.resting, r.separating)});
    list.push_back(
        {"penetration", fmt::format("{}, at the end {}", metres(r.largest_penetration), metres(r.last_penetration))});
    if (r.collider_error > 0) list.push_back({"collider error", metres(r.collider_error)});
    list.push_back(
        {"drift", r.drifted.empty() ? "0" : fmt::format("{} ({})", metres(r.largest_drift), printable(r.drifted))});
    list.push_back({"residual", r.largest_residual ? fmt::format("{:.3g}", *r.largest_residual) : "not measured"});
    list.push_back({"limited", r.limited == 0 ? "no" : fmt::format("{} of all steps", counted(r.limited, "island"))});
    list.push_back({"kinetic energy", fmt::format("{:.6g} J", r.kinetic_energy)});
    list.push_back({"potential energy", fmt::format("{:.6g} J", r.potential_energy)});
  } else {
    list.push_back({"contacts", fmt::format("{} vertex-face, {} edge-edge; in {}, at most {}", s.vertex_face,
                                            s.edge_edge, counted(s.frames_with_contacts, "step"),
                                            with_commas(static_cast<double>(s.most_contacts)))});
  }
  list.push_back(
      {"bodies lost", s.lost.empty() ? "0" : fmt::format("{}, such as {}", s.lost.size(), printable(s.lost.front()))});
  list.push_back({"state", fmt::format("{:016x}", s.hash)});
  return list;
}

}  // namespace

std::string summary_text(const RunSummary& summary) {
  std::string text;
  for (const Line& line : lines(summary)) text += fmt::format("{:<16}  {}\n", line.what, line.value);
  return text;
}

std::string comparison_table(const std::vector<ComparedRun>& runs) {
  std::vector<std::vector<Line>> columns;
  for (const ComparedRun& run : runs) {
    columns.push_back(lines(run.summary));
    columns.back().insert(columns.back().begin(), {"response", run.response});
    columns.back().push_back({"ended early", run.failure.empty() ? "no" : "yes"});
  }
  std::vector<std::size_t> widths;
  for (const auto& column : columns) {
    std::size_t width = 0;
    for (const Line& line : column) width = std::max(width, line.value.size());
    widths.push_back(width);
  }
  std::string text;
  for (std::size_t row = 0; row < columns.front().size(); ++row) {
    text += fmt::format("{:<16}", columns.front()[row].what);
    for (std::size_t c = 0; c < columns.size(); ++c)
      text += fmt::format("  {:<{}}", columns[c][row].value, c + 1 == columns.size() ? 0 : widths[c]);
    text += '\n';
  }
  return text;
}

}  // namespace carom::app
