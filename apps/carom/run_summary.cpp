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
    const FeatureKind feature = c.anchor_a.feature;
    // Points that a step reckoned with and nothing came of, far enough from touching, are no contacts to count.
    const double closing = std::max(0.0, -c.normal_speed) * options.dt;
    if (feature == FeatureKind::point && !(c.impulse > 0) && c.distance - closing > options.solver.soft_zone) continue;
    ++(c.motion == ContactMotion::colliding ? count.colliding
       : c.motion == ContactMotion::resting ? count.resting
                                            : count.separating);
    ++(feature == FeatureKind::point  ? count.points
       : feature == FeatureKind::edge ? count.edge_edge
                                      : count.vertex_face);
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

std::size_t pairs_of(const std::vector<WorldTangle>& tangles) {
  std::size_t pairs = 0;
  for (const WorldTangle& tangle : tangles) pairs += tangle.depth > 0 ? 0 : tangle.pairs;
  return pairs;
}

}  // namespace

RunMeter::RunMeter(const Scene& scene, const World& world)
    : scene_(scene), world_(world), bodies_(world.bodies()), start_(world.balance()) {
  for (std::size_t i = 0; i < bodies_.size(); ++i) centres_.push_back(centre_of(i));
}

ContactCount RunMeter::add_step(double ms) {
  step_ms_.push_back(ms);
  last_ = count_contacts(world_);
  frames_with_contacts_ += last_.all() > 0 ? 1 : 0;
  max_contacts_ = std::max(max_contacts_, last_.all());
  if (const std::optional<double> residual = world_.response_residual())
    largest_residual_ = std::max(largest_residual_.value_or(0), *residual);
  limited_ += world_.stats()[Stage::respond].limited;
  for (const LimitedBody& body : world_.limited_bodies()) {
    LimitedRun& run = limited_bodies_[body.body];
    run.name = world_.name(body.body);
    ++run.steps;
    run.inner_steps += static_cast<std::size_t>(body.inner_steps);
    run.left_out += static_cast<std::size_t>(body.left_out);
  }
  stopped_ += world_.stats()[Stage::commit].limited;
  const std::vector<WorldTangle> tangles = world_.tangles();
  if (tangles_.empty()) tangles_ = tangles;
  tangled_steps_ += tangles.empty() ? 0 : 1;
  tangled_at_end_ = !tangles.empty();
  tangled_pairs_ = pairs_of(tangles);
  for (const WorldCut& cut : world_.cuts()) {
    cut_length_ += cut.length;
    cut_area_ += cut.area;
    for (const BodyId piece : cut.pieces) pieces_.emplace_back(world_.time(), world_.name(piece));
  }
  for (const BodyId id : world_.not_cut()) {
    if (std::find(not_cut_.begin(), not_cut_.end(), id) == not_cut_.end()) not_cut_.push_back(id);
  }
  largest_penetration_ = std::max(largest_penetration_, -last_.min_distance);
  return last_;
}

/// Of mass, or of the vertices of a mesh.
Eigen::Vector3d RunMeter::centre_of(std::size_t body) const {
  const std::span<const Eigen::Vector3d> positions = world_.positions(bodies_[body]);
  if (positions.empty()) return world_.center_of_mass(bodies_[body]);
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();
  for (const Eigen::Vector3d& p : positions) centre += p / static_cast<double>(positions.size());
  return centre;
}

bool RunMeter::is_lost(std::size_t body) const {
  const auto* rigid = std::get_if<RigidSceneBody>(&scene_.bodies[body].body);
  // What never moves is where it was put, walls around the bounds too; half-spaces have no centre.
  if (rigid != nullptr &&
      (rigid->motion == MotionModel::fixed || world_.shape(bodies_[body]).kind() == ShapeKind::half_space))
    return false;
  const Eigen::Vector3d centre = centre_of(body);
  if (!centre.allFinite()) return true;
  if (!scene_.bounds) return false;
  return (centre.array() < scene_.bounds->min.array()).any() || (centre.array() > scene_.bounds->max.array()).any();
}

RunSummary RunMeter::summary() const {
  RunSummary summary;
  summary.steps = world_.steps();
  double ms = 0;
  for (const double step : step_ms_) ms += step;
  summary.ms_per_step = step_ms_.empty() ? 0 : ms / static_cast<double>(step_ms_.size());
  summary.ms_per_step_p99 = p99(step_ms_);
  summary.frames_with_contacts = frames_with_contacts_;
  summary.max_contacts = max_contacts_;
  summary.contacts = last_;
  summary.largest_penetration = largest_penetration_;
  summary.last_penetration = std::max(0.0, -last_.min_distance);
  summary.largest_residual = largest_residual_;
  summary.limited = limited_;
  for (const auto& [id, run] : limited_bodies_) summary.limited_bodies.push_back(run);
  std::ranges::stable_sort(summary.limited_bodies, std::ranges::greater(), &LimitedRun::left_out);
  summary.stopped = stopped_;
  summary.tangles = tangles_;
  for (const WorldTangle& tangle : tangles_)
    summary.tangled_bodies.push_back({world_.name(tangle.a), world_.name(tangle.b)});
  summary.tangled_steps = tangled_steps_;
  summary.tangled_pairs = tangled_pairs_;
  summary.tangled_at_end = tangled_at_end_;
  summary.cut_length = cut_length_;
  summary.cut_area = cut_area_;
  summary.pieces = pieces_;
  for (const BodyId id : not_cut_) summary.not_cut.push_back(world_.name(id));
  summary.end = world_.balance();
  summary.energy_drift = summary.end.energy() - start_.energy();
  const Eigen::Vector3d by_gravity = start_.mass * world_.time() * world_.options().gravity;
  summary.momentum_drift = (summary.end.momentum - start_.momentum - by_gravity).norm();
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (is_lost(i)) summary.lost.push_back(world_.name(bodies_[i]));
    const MotionModel kind = world_.motion(bodies_[i]);
    if (kind != MotionModel::rigid && kind != MotionModel::particles) continue;
    if (kind == MotionModel::rigid)
      summary.collider_error = std::max(summary.collider_error, world_.collider_error(bodies_[i]));
    const double drift = (centre_of(i) - centres_[i]).norm();
    // The first of several that are no number is as good as any.
    if (drift <= summary.largest_drift) continue;
    summary.largest_drift = drift;
    summary.drifted = world_.name(bodies_[i]);
  }
  summary.hash = world_.state_hash();
  return summary;
}

nlohmann::ordered_json summary_json(const RunSummary& s) {
  nlohmann::ordered_json json = {
      {"steps", s.steps},
      {"interrupted", s.interrupted},
      {"ms_per_step", s.ms_per_step},
      {"ms_per_step_p99", s.ms_per_step_p99},
      {"frames_with_contacts", s.frames_with_contacts},
      {"max_contacts", s.max_contacts},
      {"contacts", contacts_json(s.contacts)},
      {"largest_penetration", s.largest_penetration},
      {"last_penetration", s.last_penetration},
      {"largest_drift", number_or_null(s.largest_drift)},
      {"largest_residual", s.largest_residual ? number_or_null(*s.largest_residual) : nlohmann::ordered_json(nullptr)},
      {"limited", s.limited},
      {"stopped", s.stopped},
      {"kinetic_energy", number_or_null(s.end.kinetic_energy)},
      {"potential_energy", number_or_null(s.end.potential_energy)},
      {"elastic_energy", number_or_null(s.end.elastic_energy)},
      {"energy_drift", number_or_null(s.energy_drift)},
      {"momentum_drift", number_or_null(s.momentum_drift)},
      {"lost", s.lost.size()},
      {"lost_bodies", s.lost},
      {"hash", fmt::format("{:016x}", s.hash)}};
  if (s.collider_error > 0) json["collider_error"] = s.collider_error;
  if (s.cut_length > 0 || s.cut_area > 0) {
    if (s.cut_length > 0) json["cut_length"] = s.cut_length;
    if (s.cut_area > 0) json["cut_area"] = s.cut_area;
    json["pieces"] = nlohmann::ordered_json::array();
    for (const auto& [time, name] : s.pieces) json["pieces"].push_back({{"time", time}, {"name", name}});
  }
  if (!s.not_cut.empty()) json["not_cut"] = s.not_cut;
  for (const LimitedRun& body : s.limited_bodies) {
    json["limited_bodies"].push_back(
        {{"name", body.name}, {"steps", body.steps}, {"inner_steps", body.inner_steps}, {"left_out", body.left_out}});
  }
  if (!s.tangles.empty()) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < s.tangles.size(); ++i) {
      const WorldTangle& tangle = s.tangles[i];
      list.push_back({{"body_a", s.tangled_bodies[i][0]},
                      {"body_b", s.tangled_bodies[i][1]},
                      {"pairs", tangle.pairs},
                      {"triangle_a", tangle.triangles[0]},
                      {"triangle_b", tangle.triangles[1]},
                      {"center", {tangle.center.x(), tangle.center.y(), tangle.center.z()}}});
      if (tangle.depth > 0) {
        list.back()["triangle_b"] = nullptr;
        list.back()["depth"] = tangle.depth;
      }
    }
    json["tangled"] = {{"steps", s.tangled_steps}, {"pairs_in_last_step", s.tangled_pairs}, {"first", std::move(list)}};
  }
  return json;
}

nlohmann::ordered_json contacts_json(const ContactCount& count) {
  return {{"colliding", count.colliding}, {"resting", count.resting},         {"separating", count.separating},
          {"points", count.points},       {"vertex_face", count.vertex_face}, {"edge_edge", count.edge_edge}};
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

/// Where surfaces intersect, and since when they do not.
std::string tangles_text(const RunSummary& s) {
  if (s.tangles.empty()) return "no";
  constexpr std::size_t shown = 3;
  const auto place_of = [&](std::size_t i) {
    const WorldTangle& t = s.tangles[i];
    const std::string a = fmt::format("{} triangle {}", printable(s.tangled_bodies[i][0]), t.triangles[0]);
    const std::string b = t.depth > 0
                              ? fmt::format("{} deep in {}", metres(t.depth), printable(s.tangled_bodies[i][1]))
                              : fmt::format("with {} triangle {}", printable(s.tangled_bodies[i][1]), t.triangles[1]);
    return fmt::format("{} {} near ({:.3g}, {:.3g}, {:.3g})", a, b, t.center.x(), t.center.y(), t.center.z());
  };
  const std::size_t pairs = pairs_of(s.tangles);
  std::string text =
      pairs > 0 ? fmt::format("{} of triangles at first", counted(pairs, "pair")) : std::string("in shapes at first");
  for (std::size_t i = 0; i < std::min(shown, s.tangles.size()); ++i)
    text += fmt::format("{} {}", i == 0 ? ":" : ";", place_of(i));
  if (s.tangles.size() > shown) text += fmt::format("; {} more", s.tangles.size() - shown);
  return text + (!s.tangled_at_end     ? fmt::format("; apart after {}", counted(s.tangled_steps, "step"))
                 : s.tangled_pairs > 0 ? fmt::format("; {} in the last step", counted(s.tangled_pairs, "pair"))
                                       : std::string("; still there in the last step"));
}

std::vector<Line> lines(const RunSummary& s) {
  std::vector<Line> list;
  list.push_back({"steps", fmt::format("{}{}", s.steps, s.interrupted ? ", interrupted" : "")});
  list.push_back({"ms a step", fmt::format("{:.3f} (p99 {:.3f})", s.ms_per_step, s.ms_per_step_p99)});
  const ContactCount& c = s.contacts;
  list.push_back({"contacts", fmt::format("{} colliding, {} resting, {} separating; in {}, at most {}", c.colliding,
                                          c.resting, c.separating, counted(s.frames_with_contacts, "step"),
                                          with_commas(static_cast<double>(s.max_contacts)))});
  list.push_back(
      {"penetration", fmt::format("{}, at the end {}", metres(s.largest_penetration), metres(s.last_penetration))});
  if (s.collider_error > 0) list.push_back({"collider error", metres(s.collider_error)});
  list.push_back(
      {"drift", s.drifted.empty() ? "0" : fmt::format("{} ({})", metres(s.largest_drift), printable(s.drifted))});
  list.push_back({"residual", s.largest_residual ? fmt::format("{:.3g}", *s.largest_residual) : "not measured"});
  std::string limited = s.limited == 0 ? "" : fmt::format("{} of all steps", counted(s.limited, "result"));
  if (s.stopped > 0)
    limited += fmt::format("{}{} before impacts", limited.empty() ? "" : "; ",
                           counted(s.stopped, "motion stopped", "motions stopped"));
  if (!s.limited_bodies.empty()) {
    const LimitedRun& most = s.limited_bodies.front();
    const std::size_t others = s.limited_bodies.size() - 1;
    limited += fmt::format("; {} went without {} of its {} inner steps in {}{}", printable(most.name), most.left_out,
                           most.left_out + most.inner_steps, counted(most.steps, "step"),
                           others > 0 ? fmt::format(", {} likewise", counted(others, "more body", "more bodies")) : "");
  }
  list.push_back({"limited", limited.empty() ? "no" : limited});
  list.push_back({"tangled", tangles_text(s)});
  if (s.cut_length > 0 || s.cut_area > 0) {
    const std::string pieces = s.pieces.empty()
                                   ? "nothing came off"
                                   : fmt::format("{}: the first, {}, at {:.3g} s", counted(s.pieces.size(), "piece"),
                                                 printable(s.pieces[0].second), s.pieces[0].first);
    std::string size = s.cut_length > 0 ? metres(s.cut_length) : "";
    if (s.cut_area > 0) size += fmt::format("{}{:.3g} m2", size.empty() ? "" : " and ", s.cut_area);
    list.push_back({"cut", fmt::format("{}; {}", size, pieces)});
  }
  if (!s.not_cut.empty()) {
    const std::string more = s.not_cut.size() > 1 ? fmt::format(" and {} more", s.not_cut.size() - 1) : "";
    list.push_back({"not cuttable",
                    fmt::format("{}{}: a blade passed through and cut nothing", printable(s.not_cut.front()), more)});
  }
  list.push_back({"kinetic energy", fmt::format("{:.6g} J", s.end.kinetic_energy)});
  list.push_back({"potential energy", fmt::format("{:.6g} J", s.end.potential_energy)});
  list.push_back({"elastic energy", fmt::format("{:.6g} J", s.end.elastic_energy)});
  list.push_back({"energy drift", fmt::format("{:.6g} J", s.energy_drift)});
  list.push_back({"momentum drift", fmt::format("{:.6g} N s", s.momentum_drift)});
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
  // Lines that not all runs have stand where the first run with them has them.
  std::vector<std::string> rows;
  for (const auto& column : columns) {
    auto place = rows.begin();
    for (const Line& line : column) {
      const auto known = std::find(rows.begin(), rows.end(), line.what);
      place = (known != rows.end() ? known : rows.insert(place, std::string(line.what))) + 1;
    }
  }
  std::string text;
  for (const std::string& row : rows) {
    text += fmt::format("{:<16}", row);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const auto line =
          std::find_if(columns[c].begin(), columns[c].end(), [&](const Line& l) { return l.what == row; });
      text += fmt::format("  {:<{}}", line == columns[c].end() ? "-" : line->value,
                          c + 1 == columns.size() ? 0 : widths[c]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace carom::app
