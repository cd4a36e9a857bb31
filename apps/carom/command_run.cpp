#include <cfloat>
#include <chrono>
#include <exception>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "carom/recording.hpp"
#include "carom/replay.hpp"
#include "carom/scene.hpp"
#include "carom/version.hpp"
#include "carom/viewer.hpp"
#include "commands.hpp"
#include "core/check.hpp"
#include "core/parallel.hpp"
#include "interrupt.hpp"
#include "mid/mid.hpp"
#include "output.hpp"
#include "paths.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "say.hpp"

namespace carom::app {

namespace {

/// The places a run is written to, frame by frame.
class Recorders {
 public:
  Recorders(const Scene& scene, const World& world, const std::string& output, bool html, int every)
      : world_(world), every_(static_cast<std::uint64_t>(every)) {
    const RecordingMeta meta{.carom_version = std::string(version()),
                             .scene = scene.name,
                             .dt = scene.world.dt * every,
                             .gravity = scene.world.gravity,
                             .contact_distance = scene.world.contact.distance};
    if (output.ends_with(".replay")) {
      open_replay(output);
    } else if (!output.empty()) {
      recording_ = std::make_unique<RecordingWriter>(output, meta);
    }
    if (html) page_ = std::make_unique<RecordingWriter>(meta, PositionEncoding::f32);
  }

  /// Of the present step, if it is one of those to record.
  void write_frame() {
    if (world_.steps() % every_ != 0) return;
    collect();
    if (recording_) recording_->write_frame(world_.time(), bodies_, contacts_, world_.stats());
    if (page_) page_->write_frame(world_.time(), bodies_, contacts_, world_.stats());
    if (replay_) {
      joined_.clear();
      for (const FrameBodyView& body : bodies_) {
        joined_.insert(joined_.end(), body.positions.begin(), body.positions.end());
      }
      replay_->write_frame(joined_);
    }
  }

  void close() {
    if (recording_) recording_->close();
    if (replay_) replay_->close();
    if (page_) page_->close();
  }

  std::span<const std::uint8_t> page_recording() const { return page_->bytes(); }

 private:
  /// Contact points are for looking at: beyond the range of float its end will do.
  static Eigen::Vector3f to_float(const Eigen::Vector3d& point) {
    constexpr double most = FLT_MAX;
    return point.cwiseMax(-most).cwiseMin(most).cast<float>();
  }

  void open_replay(const std::string& path) {
    std::vector<Triangle> triangles;
    std::vector<Index> objects;
    Index first = 0;
    Index object = 0;
    for (const BodyId body : world_.bodies()) {
      for (const Triangle& t : world_.triangles(body)) {
        triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
        objects.push_back(object);
      }
      first += static_cast<Index>(world_.positions(body).size());
      ++object;
    }
    replay_ = std::make_unique<ReplayWriter>(path, static_cast<std::size_t>(first), triangles, objects);
  }

  void collect() {
    bodies_.clear();
    numbers_.clear();
    for (const BodyId id : world_.bodies()) {
      const auto number = static_cast<std::uint32_t>(bodies_.size());
      numbers_[id] = number;
      bodies_.push_back({number, world_.name(id), world_.kind(id), world_.triangles(id), world_.positions(id)});
    }
    contacts_.clear();
    for (const BodyContact& c : world_.contacts()) {
      contacts_.push_back({c.id, c.contact.kind, numbers_.at(c.body_a), numbers_.at(c.body_b), c.contact.a, c.contact.b,
                           c.contact.distance, to_float(c.contact.point_a), to_float(c.contact.point_b)});
    }
  }

  const World& world_;
  std::uint64_t every_;
  std::unique_ptr<RecordingWriter> recording_;
  std::unique_ptr<RecordingWriter> page_;
  std::unique_ptr<ReplayWriter> replay_;
  std::vector<FrameBodyView> bodies_;
  std::map<BodyId, std::uint32_t> numbers_;
  std::vector<RecordedContact> contacts_;
  std::vector<Eigen::Vector3d> joined_;
};

struct ContactCount {
  std::size_t vertex_face = 0;
  std::size_t edge_edge = 0;
  double min_distance = INFINITY;
};

ContactCount count_contacts(const World& world) {
  ContactCount count;
  for (const BodyContact& c : world.contacts()) {
    ++(c.contact.kind == ContactKind::vertex_face ? count.vertex_face : count.edge_edge);
    count.min_distance = std::min(count.min_distance, c.contact.distance);
  }
  return count;
}

nlohmann::ordered_json number_or_null(double value) {
  if (std::isfinite(value)) return value;
  return nullptr;
}

}  // namespace

int run(const RunOptions& options) {
  require(!options.steps || *options.steps >= 0, ErrorCode::invalid_argument, "--steps is {}; expected 0 or more",
          options.steps.value_or(0));
  require(options.every >= 1, ErrorCode::invalid_argument, "--every is {}; expected 1 or more", options.every);
  require(options.output != "-", ErrorCode::invalid_argument,
          "a recording is read back and forth, so it cannot go to standard output; give -o a file");
  refuse_same_files(
      {{"the scene", options.scene}, {"-o", options.output}, {"--html", options.html}, {"--json", options.json}});
  Scene scene = find_scene(options.scene);
  if (options.steps) scene.steps = *options.steps;
  if (options.dt) scene.world.dt = *options.dt;
  if (options.threads) scene.world.threads = *options.threads;
  if (options.method) scene.world.method = *options.method;
  if (!options.html.empty()) viewer_page();  // tell at once if this build has none

  Output html(options.html);
  Output json(options.json);
  World world = build_world(scene);
  Recorders recorders(scene, world, options.output, html.wanted(), options.every);
  std::FILE* text = json.to_stdout() || html.to_stdout() ? stderr : stdout;

  catch_interrupts();
  nlohmann::ordered_json frames = nlohmann::ordered_json::array();
  PipelineStats total;
  double seconds = 0;
  std::size_t frames_with_contacts = 0;
  std::size_t most_contacts = 0;
  recorders.write_frame();
  // What goes wrong in a step is told after everything until then has been written.
  std::exception_ptr failure;
  {
    Progress progress(scene.name, static_cast<std::size_t>(scene.steps));
    for (int step = 0; step < scene.steps && !interrupted_by_user(); ++step) {
      const auto start = std::chrono::steady_clock::now();
      try {
        world.step();
      } catch (const Error&) {
        failure = std::current_exception();
        break;
      }
      const double step_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      seconds += step_seconds;
      total.add(world.stats());
      recorders.write_frame();
      const ContactCount count = count_contacts(world);
      const std::size_t contacts = count.vertex_face + count.edge_edge;
      frames_with_contacts += contacts > 0 ? 1 : 0;
      most_contacts = std::max(most_contacts, contacts);
      if (json.wanted()) {
        frames.push_back({{"frame", world.steps()},
                          {"time", world.time()},
                          {"vertex_face", count.vertex_face},
                          {"edge_edge", count.edge_edge},
                          {"min_distance", number_or_null(count.min_distance)},
                          {"ms", step_seconds * 1e3}});
      }
      progress.update(static_cast<std::size_t>(step) + 1, fmt::format("{} contacts", contacts));
    }
  }
  recorders.close();

  const std::size_t steps = world.steps();
  const double ms_per_step = steps == 0 ? 0 : seconds * 1e3 / static_cast<double>(steps);
  if (html.wanted()) {
    write_viewer_html(recorders.page_recording(), [&](std::string_view piece) { html.write(piece); });
    html.finish();
  }
  if (json.wanted()) {
    const nlohmann::ordered_json document = {{"scene", scene.name},
                                             {"method", to_string(mid::method_by_name(scene.world.method))},
                                             {"dt", scene.world.dt},
                                             {"frames", std::move(frames)},
                                             {"stages", stages_json(total, steps)},
                                             {"summary",
                                              {{"steps", steps},
                                               {"interrupted", interrupted_by_user()},
                                               {"ms_per_step", ms_per_step},
                                               {"frames_with_contacts", frames_with_contacts},
                                               {"most_contacts", most_contacts},
                                               {"hash", fmt::format("{:016x}", world.state_hash())}}}};
    json.write(dump(document));
    json.finish();
  }

  say(text, "\n{}\n", stage_table(total, steps, "step"));
  say(text, "{}: {} steps of {} s, {:.3f} ms a step; contacts in {} steps, at most {}; state {:016x}\n", scene.name,
      steps, scene.world.dt, ms_per_step, frames_with_contacts, with_commas(static_cast<double>(most_contacts)),
      world.state_hash());
  if (!options.output.empty()) say(text, "recorded in {}\n", options.output);
  if (html.wanted() && !html.to_stdout()) say(text, "page in {}\n", options.html);
  if (failure) std::rethrow_exception(failure);
  if (interrupted_by_user()) {
    say(stderr, "carom: ended early by a signal, after step {} of {}\n", steps, scene.steps);
    return interrupted_exit_code();
  }
  return done;
}

}  // namespace carom::app
