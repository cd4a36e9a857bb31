#include <time.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "carom/detect/compact_contacts.hpp"
#include "carom/detect/detect_continuous.hpp"
#include "carom/detect/intersect.hpp"
#include "commands.hpp"
#include "core/check.hpp"
#include "core/parallel.hpp"
#include "exclude_file.hpp"
#include "frame_range.hpp"
#include "interrupt.hpp"
#include "io/recording/frame_source.hpp"
#include "mid/mid.hpp"
#include "output.hpp"
#include "paths.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "say.hpp"

namespace carom::app {

namespace {

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void append_csv(std::size_t frame, const CompactContacts& contacts, std::span<const Edge> edges, std::string& rows) {
  for (const CompactContact& contact : contacts.vertex_face())
    fmt::format_to(std::back_inserter(rows), "{},vf,{},{},{}\n", frame, contact.a, contact.b, contact.distance);
  for (const CompactContact& contact : contacts.edge_edge()) {
    const Edge& a = edges[static_cast<std::size_t>(contact.a)];
    const Edge& b = edges[static_cast<std::size_t>(contact.b)];
    fmt::format_to(std::back_inserter(rows), "{},ee,{}-{},{}-{},{}\n", frame, a[0], a[1], b[0], b[1], contact.distance);
  }
}

void append_csv(std::size_t frame, const Intersection& pair, std::string& rows) {
  fmt::format_to(std::back_inserter(rows), "{},tt,{},{},0\n", frame, pair.a, pair.b);
}

void append_csv(std::size_t frame, const MovingContact& contact, std::string& rows) {
  if (contact.kind == ContactKind::vertex_face) {
    fmt::format_to(std::back_inserter(rows), "{},vf,{},{},{}\n", frame, contact.a[0], contact.b[0],
                   contact.impact.time);
  } else {
    fmt::format_to(std::back_inserter(rows), "{},ee,{}-{},{}-{},{}\n", frame, contact.a[0], contact.a[1], contact.b[0],
                   contact.b[1], contact.impact.time);
  }
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
  Measurement(DetectOptions options, bool continuous) : options_(std::move(options)), continuous_(continuous) {}

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
  void append_rows(std::size_t frame, std::string& rows) const {
    if (surface_) append_csv(frame, contacts_, surface_->edges(), rows);
    for (const Intersection& pair : intersections_) append_csv(frame, pair, rows);
    for (const MovingContact& contact : moving_contacts_) append_csv(frame, contact, rows);
  }

 private:
  void update(const FrameSurface& s) {
    if (surface_) {
      surface_->update(s.vertex_count, s.triangles, s.object_of_triangle);
    } else {
      surface_.emplace(s.vertex_count, s.triangles, s.object_of_triangle);
    }
  }

  DetectOptions options_;
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
                     {"--exclude", options.exclude}});
  // What is wrong with the options is told before any file is read.
  const mid::Method method = mid::method_by_name(options.method);
  require(!options.continuous || mid::is_tree(method), ErrorCode::unsupported,
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
  std::FILE* text = json.to_stdout() || csv.to_stdout() ? stderr : stdout;
  csv.write(options.continuous ? "frame,kind,a,b,time\n" : "frame,kind,a,b,distance\n");

  Measurement measurement(detect_options, options.continuous);
  const std::vector<Eigen::Vector3d>& positions = reader.positions();
  std::string rows;
  nlohmann::ordered_json frames_json = nlohmann::ordered_json::array();
  PipelineStats total;
  FrameResult sum;
  std::size_t intersecting = 0;
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
      intersecting += result.triangle_triangle.value_or(0);
      sum.min_distance = std::min(sum.min_distance, result.min_distance);
      sum.first_time = std::min(sum.first_time, result.first_time);
      sum.ms += result.ms;
      sum.cpu_ms += result.cpu_ms;
      if (json.wanted()) frames_json.push_back(to_json(result));
      if (csv.wanted()) {
        rows.clear();
        measurement.append_rows(frame, rows);
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

  say(text, "{}\n", Lines{stage_table(total, count, "frame")});
  if (skipped > 0) {
    say(stderr, "carom: warning: {} skipped, as the surface changes after {}\n",
        counted(skipped, "step is", "steps are"), skipped == 1 ? "it" : "them");
  }
  if (options.continuous) {
    say(text, "{}: {} and {} that {}", counted(count, "step"), counted(sum.vertex_face, "vertex-face pair"),
        counted(sum.edge_edge, "edge-edge pair"),
        options.distance > 0 ? fmt::format("come as close as {:.6g} m", options.distance) : "touch");
  } else if (options.distance == 0) {
    say(text, "{}: {}", counted(count, "frame"),
        counted(intersecting, "pair of triangles that intersect", "pairs of triangles that intersect"));
  } else {
    say(text, "{}: {} and {} closer than {:.6g} m", counted(count, "frame"),
        counted(sum.vertex_face, "vertex-face contact"), counted(sum.edge_edge, "edge-edge contact"), options.distance);
  }
  if (!options.continuous && options.distance > 0 && std::isfinite(sum.min_distance))
    say(text, ", the closest {:.6g} m", sum.min_distance);
  say(text, "; {:.3f} ms a {} ({:.3f} ms of processor time)\n", sum.ms / n, options.continuous ? "step" : "frame",
      sum.cpu_ms / n);
  if (csv.wanted() && !csv.to_stdout()) say(text, "contacts in {}\n", options.contacts);
  return done;
}

}  // namespace carom::app
