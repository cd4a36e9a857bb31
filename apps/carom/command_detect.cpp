#include <time.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "carom/detect/compact_contacts.hpp"
#include "carom/detect/detect_continuous.hpp"
#include "carom/detect/intersect.hpp"
#include "carom/io/recording.hpp"
#include "carom/io/viewer.hpp"
#include "commands.hpp"
#include "core/check.hpp"
#include "core/parallel.hpp"
#include "detect_rows.hpp"
#include "exclude_file.hpp"
#include "frame_range.hpp"
#include "interrupt.hpp"
#include "io/recording/frame_source.hpp"
#include "lengths.hpp"
#include "mid/mid.hpp"
#include "output.hpp"
#include "paths.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "say.hpp"

namespace carom::app {

namespace {

/// Marks that a page can bear.
constexpr std::size_t max_marks = 100'000;

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct FrameResult {
  std::size_t frame = 0;
  std::size_t vertex_face = 0;
  std::size_t edge_edge = 0;
  std::optional<std::size_t> triangle_triangle;  // at distance 0 only: otherwise nobody looked
  double min_distance = INFINITY;
  bool continuous = false;
  double first_time = INFINITY;  // of a step: of the first impact
  double ms = 0;
  double cpu_ms = 0;
  PipelineStats stats;
};

nlohmann::ordered_json to_json(const FrameResult& result) {
  nlohmann::ordered_json frame = {
      {"frame", result.frame}, {"vertex_face", result.vertex_face}, {"edge_edge", result.edge_edge}};
  if (result.triangle_triangle) frame["triangle_triangle"] = *result.triangle_triangle;
  const char* name = result.continuous ? "first_time" : "min_distance";
  const double value = result.continuous ? result.first_time : result.min_distance;
  frame[name] = nullptr;
  if (std::isfinite(value)) frame[name] = value;
  frame["ms"] = result.ms;
  frame["cpu_ms"] = result.cpu_ms;
  frame["stages"] = stages_json(result.stats, 1);
  return frame;
}

/// The call that is measured: detection (at distance 0, of intersections; over a step, of impacts), and before it the
/// topology where a later frame changes it.
class Measurement {
 public:
  /// `bodies`: names of those whose pairs count; empty: of all.
  Measurement(DetectOptions options, std::span<const std::string> bodies, bool continuous)
      : options_(std::move(options)), bodies_(bodies), seen_(bodies.size(), 0), continuous_(continuous) {}

  /// `end`: where vertices go to, for continuous detection. Throws Error, as detection does.
  FrameResult run(std::size_t frame, const FrameSurface* changed, std::span<const Eigen::Vector3d> positions,
                  std::span<const Eigen::Vector3d> end) {
    FrameResult result;
    result.frame = frame;
    result.continuous = continuous_;
    if (!surface_) update(*changed);
    const double wall = wall_seconds();
    const double cpu = processor_seconds();
    if (changed != nullptr && started_) update(*changed);
    started_ = true;
    if (continuous_) {
      detect_continuous(*surface_, positions, end,
                        {.distance = options_.distance,
                         .pairs = options_.pairs,
                         .method = options_.method,
                         .threads = options_.threads,
                         .filters = options_.filters},
                        scratch_, moving_contacts_, result.stats);
    } else if (options_.distance > 0) {
      carom::detect(*surface_, positions, options_, scratch_, contacts_, result.stats);
    } else {
      intersections(*surface_, positions,
                    {.pairs = options_.pairs,
                     .method = options_.method,
                     .sphere_depth = options_.sphere_depth,
                     .threads = options_.threads},
                    intersect_scratch_, intersections_, result.stats);
      drop_others(result.stats[Stage::narrow]);
    }
    result.cpu_ms = (processor_seconds() - cpu) * 1e3;
    result.ms = (wall_seconds() - wall) * 1e3;
    result.vertex_face = contacts_.vertex_face().size();
    result.edge_edge = contacts_.edge_edge().size();
    for (std::size_t i = 0; i < contacts_.size(); ++i)
      result.min_distance = std::min(result.min_distance, contacts_[i].distance);
    for (const MovingContact& contact : moving_contacts_) {
      ++(contact.kind == ContactKind::vertex_face ? result.vertex_face : result.edge_edge);
      result.first_time = std::min(result.first_time, contact.impact.time);
    }
    if (options_.distance == 0 && !continuous_) {
      result.triangle_triangle = intersections_.size();
      if (!intersections_.empty()) result.min_distance = 0;
    }
    return result;
  }

  /// What the last run found.
  void append_rows(std::size_t frame, std::span<const Eigen::Vector3d> positions, std::span<const Eigen::Vector3d> end,
                   std::string& rows) const {
    if (surface_) append_csv(frame, contacts_, *surface_, positions, rows);
    for (const Intersection& pair : intersections_) append_csv(frame, pair, rows);
    for (const MovingContact& contact : moving_contacts_) append_csv(frame, contact, positions, end, rows);
  }
  std::span<const Intersection> intersecting() const { return intersections_; }

  /// Throws Error that names a body that was in no frame.
  void check_bodies(const std::string& input) const {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      require(seen_[i] != 0, ErrorCode::unknown_name, "--bodies: {}: no body is called '{}'; those are {}", input,
              bodies_[i], fmt::join(names_, ", "));
    }
  }

  /// What the last run found, as marks of a page over one body.
  std::vector<RecordedContact> marks(std::span<const Eigen::Vector3d> positions) const {
    std::vector<RecordedContact> marks;
    const auto add = [&](const Eigen::Vector3d& a, const Eigen::Vector3d& b, double distance) {
      if (marks.size() >= max_marks) return;
      marks.push_back({.id = marks.size() + 1,
                       .distance = distance,
                       .point_a = a.cast<float>(),
                       .point_b = b.cast<float>(),
                       .normal = Eigen::Vector3f::UnitX()});
    };
    for (const Intersection& pair : intersections_) add(pair.start, pair.end, 0);
    for (std::size_t i = 0; i < contacts_.size() && marks.size() < max_marks; ++i) {
      const Contact contact = make_contact(*surface_, positions, contacts_, i);
      add(contact.point_a, contact.point_b, contact.distance);
    }
    return marks;
  }

 private:
  void update(const FrameSurface& s) {
    if (surface_) {
      surface_->update(s.vertex_count, s.triangles, s.object_of_triangle);
    } else {
      surface_.emplace(s.vertex_count, s.triangles, s.object_of_triangle);
    }
    if (!bodies_.empty()) choose(s);
  }

  /// Objects that were not asked for touch only those that were, and not themselves.
  void choose(const FrameSurface& s) {
    constexpr CollisionFilter other{.group = 2, .mask = 1};
    names_ = s.object_names;
    groups_.clear();
    others_.assign(s.object_names.size(), 0);
    for (std::size_t object = 0; object < s.object_names.size(); ++object) {
      const auto found = std::ranges::find(bodies_, s.object_names[object]);
      if (found != bodies_.end()) {
        seen_[static_cast<std::size_t>(found - bodies_.begin())] = 1;
      } else {
        others_[object] = 1;
      }
    }
    for (const Index object : surface_->objects()) {
      if (others_[static_cast<std::size_t>(object)] != 0) groups_.push_back({object, other});
    }
    options_.filters.groups = groups_;
  }

  /// Pairs of triangles know no filters.
  void drop_others(StageStats& stats) {
    if (bodies_.empty()) return;
    const std::span<const Index> objects = surface_->object_of_triangle();
    const auto is_other = [&](Index t) {
      return others_[static_cast<std::size_t>(objects[static_cast<std::size_t>(t)])] != 0;
    };
    const std::size_t dropped =
        std::erase_if(intersections_, [&](const Intersection& pair) { return is_other(pair.a) && is_other(pair.b); });
    stats.out -= dropped;
    if (dropped > 0) stats.add_culled("other bodies", dropped);
  }

  DetectOptions options_;
  std::span<const std::string> bodies_;
  std::vector<std::uint8_t> seen_;    ///< of `bodies_`: in some frame
  std::vector<std::string> names_;    ///< of the objects, in the frame that was read last
  std::vector<std::uint8_t> others_;  ///< of each object: not one of `bodies_`
  std::vector<ObjectGroup> groups_;
  bool continuous_;
  std::optional<Surface> surface_;
  bool started_ = false;
  DetectScratch scratch_;
  CompactContacts contacts_;
  IntersectScratch intersect_scratch_;
  std::vector<Intersection> intersections_;
  std::vector<MovingContact> moving_contacts_;
};

/// Frames one after the other, and with continuous detection the one after each as well.
class FrameReader {
 public:
  FrameReader(const std::string& input, bool with_next, const MeshReadOptions& reading) {
    source_ = open_frames(input, reading);
    if (with_next) next_source_ = open_frames(input, reading);
  }
  FrameSource& source() { return *source_; }
  const FrameSurface& surface() const { return surface_; }
  const std::vector<Eigen::Vector3d>& positions() const { return positions_; }
  const std::vector<Eigen::Vector3d>& next_positions() const { return next_positions_; }

  /// True if the surface is another than that of the frame read before.
  bool read(std::size_t frame) { return source_->read(frame, surface_, positions_); }
  /// The frame after that one. False if its surface is another, so that nothing moves straight from the one to the
  /// other.
  bool read_next(std::size_t frame) {
    next_source_->read(frame + 1, next_surface_, next_positions_);
    return next_surface_.vertex_count == surface_.vertex_count && next_surface_.triangles == surface_.triangles &&
           next_surface_.object_of_triangle == surface_.object_of_triangle;
  }

 private:
  std::unique_ptr<FrameSource> source_;
  std::unique_ptr<FrameSource> next_source_;
  FrameSurface surface_;
  FrameSurface next_surface_;
  std::vector<Eigen::Vector3d> positions_;
  std::vector<Eigen::Vector3d> next_positions_;
};

/// The frame that was read last, with marks, as a recording of one frame.
std::vector<std::uint8_t> record_marks(const std::string& input, const FrameReader& reader,
                                       const std::vector<RecordedContact>& marks) {
  const RecordingMeta meta{.scene = std::filesystem::path(input).filename().string(), .dt = 1};
  RecordingWriter writer(meta, PositionEncoding::f32);
  const std::vector<FrameBodyView> bodies{
      {0, meta.scene, MotionModel::fixed, reader.surface().triangles, reader.positions()}};
  writer.write_frame(0, bodies, marks, {});
  writer.close();
  return {writer.bytes().begin(), writer.bytes().end()};
}

/// Nothing if the current shape counts, or none. Opened apart, as a source tells changes from the frame
/// that was read before.
std::vector<Eigen::Vector3d> rest_shape(const DetectCommandOptions& options) {
  std::vector<Eigen::Vector3d> positions;
  if (options.surface_factor == 0 || options.surface_shape == "current") return positions;
  FrameSurface ignored;
  const std::unique_ptr<FrameSource> source = open_frames(options.input, options.reading);
  if (source->frame_count() > 0) source->read(0, ignored, positions);
  return positions;
}

}  // namespace

int detect(const DetectCommandOptions& options) {
  require(
      std::isfinite(options.distance) && options.distance >= 0, ErrorCode::invalid_argument,
      "--distance is {}; expected a positive number of metres, or 0 for intersecting triangles (with --continuous, for "
      "what touches)",
      options.distance);
  require(std::isfinite(options.surface_factor) && options.surface_factor >= 0, ErrorCode::invalid_argument,
          "--surface-factor is {}; expected a number that is not negative", options.surface_factor);
  require(options.surface_shape == "rest" || options.surface_shape == "current", ErrorCode::invalid_argument,
          "--surface-shape is '{}'; expected rest or current", options.surface_shape);
  refuse_same_files({{"the input", options.input},
                     {"--json", options.json},
                     {"--contacts", options.contacts},
                     {"--html", options.html},
                     {"--exclude", options.exclude}});
  require(options.html.empty() || !options.continuous, ErrorCode::unsupported,
          "--html: a page shows contacts of a frame, not of the motion between two; leave out --continuous");
  if (!options.html.empty()) viewer_page();  // tell at once if this build has none
  // What is wrong with the options is told before any file is read.
  const mid::Method method = mid::method_by_name(options.method);
  require(!options.continuous || mid::takes_steps(method), ErrorCode::unsupported,
          "--method {} is for frames; with --continuous expected auto, bvh, bvh14 or bvh18", options.method);
  const std::vector<std::array<Index, 2>> excluded =
      options.exclude.empty() ? std::vector<std::array<Index, 2>>() : read_vertex_pairs(options.exclude);
  const std::vector<Eigen::Vector3d> rest = rest_shape(options);
  const DetectOptions detect_options{
      .distance = options.distance,
      .pairs = options.between ? PairScope::between
               : options.self  ? PairScope::self
                               : PairScope::all,
      .method = options.method,
      .sphere_depth = options.sphere_depth,
      .threads = options.threads,
      .filters = {.surface_factor = options.surface_factor, .rest_positions = rest, .excluded_vertices = excluded}};

  FrameReader reader(options.input, options.continuous, options.reading);
  FrameSource& source = reader.source();
  if (!source.warning().empty()) say(stderr, "carom: warning: {}\n", source.warning());
  std::vector<std::size_t> frames = parse_frame_range(options.frames, source.frame_count());
  if (options.continuous) {  // the last frame goes nowhere
    std::erase_if(frames, [&](std::size_t frame) { return frame + 1 >= source.frame_count(); });
  }
  Output json("--json", options.json, OutputKind::json);
  Output csv("--contacts", options.contacts, OutputKind::contacts);
  Output html("--html", options.html, OutputKind::html);
  std::FILE* text = json.to_stdout() || csv.to_stdout() || html.to_stdout() ? stderr : stdout;
  csv.write(options.continuous ? "frame,kind,a,b,time,x,y,z\n" : "frame,kind,a,b,distance,x,y,z\n");

  Measurement measurement(detect_options, options.bodies, options.continuous);
  const std::vector<Eigen::Vector3d>& positions = reader.positions();
  std::string rows;
  nlohmann::ordered_json frames_json = nlohmann::ordered_json::array();
  PipelineStats total;
  FrameResult sum;
  std::size_t intersecting = 0;
  Eigen::Vector3d first_place = Eigen::Vector3d::Zero();
  std::size_t count = 0;
  std::size_t skipped = 0;
  bool changed = false;
  {
    Progress progress("detect", frames.size());
    for (const std::size_t frame : frames) {
      if (interrupted_by_user()) break;
      changed = reader.read(frame) || changed;
      if (options.continuous && !reader.read_next(frame)) {
        ++skipped;
        continue;
      }
      require(rest.empty() || rest.size() == positions.size(), ErrorCode::unsupported,
              "{}: frame {} has {} vertices, but the rest shape, frame 0, has {}; use --surface-shape current",
              options.input, frame, positions.size(), rest.size());
      const FrameResult result = [&] {
        try {
          return measurement.run(frame, changed ? &reader.surface() : nullptr, positions, reader.next_positions());
        } catch (const Error& error) {
          fail(error.code(), "{}: frame {}: {}", options.input, frame, error.what());
        }
      }();
      changed = false;
      ++count;
      total.add(result.stats);
      sum.vertex_face += result.vertex_face;
      sum.edge_edge += result.edge_edge;
      if (intersecting == 0 && result.triangle_triangle.value_or(0) > 0)
        first_place = place_of(measurement.intersecting().front());
      intersecting += result.triangle_triangle.value_or(0);
      sum.min_distance = std::min(sum.min_distance, result.min_distance);
      sum.first_time = std::min(sum.first_time, result.first_time);
      sum.ms += result.ms;
      sum.cpu_ms += result.cpu_ms;
      if (json.wanted()) frames_json.push_back(to_json(result));
      if (csv.wanted()) {
        rows.clear();
        measurement.append_rows(frame, positions, reader.next_positions(), rows);
        csv.write(rows);
      }
      progress.update(count, result.triangle_triangle ? counted(*result.triangle_triangle, "intersection")
                                                      : counted(result.vertex_face + result.edge_edge, "contact"));
    }
  }
  if (interrupted_by_user()) {
    say(stderr, "carom: ended early by a signal, after {} of {}; no file was written\n", count,
        counted(frames.size(), "frame"));
    return interrupted_exit_code();
  }

  if (count > 0) measurement.check_bodies(options.input);

  const double n = static_cast<double>(std::max<std::size_t>(count, 1));
  if (json.wanted()) {
    const nlohmann::ordered_json document = {{"method", to_string(method)},
                                             {"continuous", options.continuous},
                                             {"threads", Workers(options.threads).threads()},
                                             {"distance", options.distance},
                                             {"frames", std::move(frames_json)},
                                             {"mean_ms", sum.ms / n},
                                             {"mean_cpu_ms", sum.cpu_ms / n}};
    json.write(dump(document));
  }
  json.finish();
  csv.finish();

  if (html.wanted()) {
    write_viewer_html(record_marks(options.input, reader, measurement.marks(positions)),
                      [&](std::string_view piece) { html.write(piece); });
  }
  html.finish();

  // The answer first, in words; how it was found after it.
  const Lengths unit(options.reading);
  const auto place = [&](const Eigen::Vector3d& p) {
    return fmt::format("({:.6g}, {:.6g}, {:.6g}) {}", unit.value(p.x()), unit.value(p.y()), unit.value(p.z()),
                       unit.name);
  };
  const std::string frames_text = count == 1 ? "" : fmt::format(" in {}", counted(count, "frame"));
  if (options.continuous) {
    say(text, "{} and {} {}{}\n", counted(sum.vertex_face, "vertex-face pair"),
        counted(sum.edge_edge, "edge-edge pair"),
        options.distance > 0 ? fmt::format("come as close as {:.6g} m", options.distance) : "touch",
        fmt::format(" in {}", counted(count, "step")));
  } else if (options.distance == 0) {
    say(text, "{}{}{}\n",
        intersecting == 0
            ? std::string("no triangles cut each other")
            : counted(intersecting, "pair of triangles cut each other", "pairs of triangles cut each other"),
        intersecting == 0 ? "" : ", the first near " + place(first_place), frames_text);
  } else {
    say(text, "{} and {} closer than {:.6g} m{}", counted(sum.vertex_face, "vertex-face contact"),
        counted(sum.edge_edge, "edge-edge contact"), options.distance, frames_text);
    if (std::isfinite(sum.min_distance)) say(text, ", the closest {:.6g} m", sum.min_distance);
    say(text, "\n");
  }
  say(text, "\n{}\n", Lines{stage_table(total, count, "frame")});
  if (skipped > 0) {
    say(stderr, "carom: warning: {} skipped, as the surface changes after {}\n",
        counted(skipped, "step is", "steps are"), skipped == 1 ? "it" : "them");
  }
  say(text, "{:.3f} ms for each {} ({:.3f} ms of processor time)\n", sum.ms / n, options.continuous ? "step" : "frame",
      sum.cpu_ms / n);
  if (csv.wanted() && !csv.to_stdout()) say(text, "contacts in {}\n", options.contacts);
  if (html.wanted() && !html.to_stdout()) say(text, "page in {}\n", options.html);
  return intersecting > 0 ? found_problems : done;
}

}  // namespace carom::app
