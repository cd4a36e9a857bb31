#include <time.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "carom/detect.hpp"
#include "carom/intersect.hpp"
#include "commands.hpp"
#include "core/check.hpp"
#include "core/parallel.hpp"
#include "exclude_file.hpp"
#include "frame_range.hpp"
#include "interrupt.hpp"
#include "io/frame_source.hpp"
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

void append_csv(std::size_t frame, const Contact& contact, std::string& rows) {
  if (contact.kind == ContactKind::vertex_face) {
    fmt::format_to(std::back_inserter(rows), "{},vf,{},{},{}\n", frame, contact.a[0], contact.b[0], contact.distance);
  } else {
    fmt::format_to(std::back_inserter(rows), "{},ee,{}-{},{}-{},{}\n", frame, contact.a[0], contact.a[1], contact.b[0],
                   contact.b[1], contact.distance);
  }
}

void append_csv(std::size_t frame, const Intersection& pair, std::string& rows) {
  fmt::format_to(std::back_inserter(rows), "{},tt,{},{},0\n", frame, pair.a, pair.b);
}

struct FrameResult {
  std::size_t frame = 0;
  std::size_t vertex_face = 0;
  std::size_t edge_edge = 0;
  std::optional<std::size_t> triangle_triangle;  // at distance 0 only: otherwise nobody looked
  double min_distance = INFINITY;
  double ms = 0;
  double cpu_ms = 0;
  PipelineStats stats;
};

nlohmann::ordered_json to_json(const FrameResult& result) {
  nlohmann::ordered_json frame = {
      {"frame", result.frame}, {"vertex_face", result.vertex_face}, {"edge_edge", result.edge_edge}};
  if (result.triangle_triangle) frame["triangle_triangle"] = *result.triangle_triangle;
  frame["min_distance"] = nullptr;
  if (std::isfinite(result.min_distance)) frame["min_distance"] = result.min_distance;
  frame["ms"] = result.ms;
  frame["cpu_ms"] = result.cpu_ms;
  frame["stages"] = stages_json(result.stats, 1);
  return frame;
}

/// The call that is measured: detection (at distance 0, of intersections), and before it the topology where
/// a later frame changes it.
class Measurement {
 public:
  explicit Measurement(DetectOptions options) : options_(std::move(options)) {}

  /// Throws Error, as detection does.
  FrameResult run(std::size_t frame, const FrameSurface* changed, std::span<const Eigen::Vector3d> positions) {
    FrameResult result;
    result.frame = frame;
    if (!surface_) update(*changed);
    const double wall = wall_seconds();
    const double cpu = processor_seconds();
    if (changed != nullptr && started_) update(*changed);
    started_ = true;
    if (options_.distance > 0) {
      carom::detect(*surface_, positions, options_, scratch_, contacts_, result.stats);
    } else {
      intersections(*surface_, positions,
                    {.pairs = options_.pairs, .method = options_.method, .threads = options_.threads},
                    intersect_scratch_, intersections_, result.stats);
    }
    result.cpu_ms = (processor_seconds() - cpu) * 1e3;
    result.ms = (wall_seconds() - wall) * 1e3;
    for (const Contact& contact : contacts_) {
      ++(contact.kind == ContactKind::vertex_face ? result.vertex_face : result.edge_edge);
      result.min_distance = std::min(result.min_distance, contact.distance);
    }
    if (options_.distance == 0) {
      result.triangle_triangle = intersections_.size();
      if (!intersections_.empty()) result.min_distance = 0;
    }
    return result;
  }

  /// What the last run found.
  void append_rows(std::size_t frame, std::string& rows) const {
    for (const Contact& contact : contacts_) append_csv(frame, contact, rows);
    for (const Intersection& pair : intersections_) append_csv(frame, pair, rows);
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
  std::optional<Surface> surface_;
  bool started_ = false;
  DetectScratch scratch_;
  std::vector<Contact> contacts_;
  IntersectScratch intersect_scratch_;
  std::vector<Intersection> intersections_;
};

/// Nothing if the current shape counts, or none. Opened apart, as a source tells changes from the frame
/// that was read before.
std::vector<Eigen::Vector3d> rest_shape(const DetectCommandOptions& options) {
  std::vector<Eigen::Vector3d> positions;
  if (options.surface_factor == 0 || options.surface_shape == "current") return positions;
  FrameSurface ignored;
  const std::unique_ptr<FrameSource> source = open_frames(options.input);
  if (source->frame_count() > 0) source->read(0, ignored, positions);
  return positions;
}

}  // namespace

int detect(const DetectCommandOptions& options) {
  require(!options.continuous, ErrorCode::unsupported,
          "--continuous is not available yet: this version detects at the frames, not between them");
  require(std::isfinite(options.distance) && options.distance >= 0, ErrorCode::invalid_argument,
          "--distance is {}; expected a positive number of metres, or 0 for intersecting triangles", options.distance);
  require(std::isfinite(options.surface_factor) && options.surface_factor >= 0, ErrorCode::invalid_argument,
          "--surface-factor is {}; expected a number that is not negative", options.surface_factor);
  require(options.surface_shape == "rest" || options.surface_shape == "current", ErrorCode::invalid_argument,
          "--surface-shape is '{}'; expected rest or current", options.surface_shape);
  require(!(options.json == "-" && options.contacts == "-"), ErrorCode::invalid_argument,
          "--json and --contacts cannot both go to standard output");
  refuse_same_files({{"the input", options.input},
                     {"--json", options.json},
                     {"--contacts", options.contacts},
                     {"--exclude", options.exclude}});
  mid::method_by_name(options.method);  // what is wrong with the options is told before any file is read
  const std::vector<std::array<Index, 2>> excluded =
      options.exclude.empty() ? std::vector<std::array<Index, 2>>() : read_vertex_pairs(options.exclude);
  const std::vector<Eigen::Vector3d> rest = rest_shape(options);
  const DetectOptions detect_options{
      .distance = options.distance,
      .pairs = options.between ? PairScope::between
               : options.self  ? PairScope::self
                               : PairScope::all,
      .method = options.method,
      .threads = options.threads,
      .filters = {.surface_factor = options.surface_factor, .rest_positions = rest, .excluded_vertices = excluded}};

  const std::unique_ptr<FrameSource> source = open_frames(options.input);
  if (!source->warning().empty()) say(stderr, "carom: warning: {}\n", source->warning());
  const std::vector<std::size_t> frames = parse_frame_range(options.frames, source->frame_count());
  Output json(options.json);
  Output csv(options.contacts);
  std::FILE* text = json.to_stdout() || csv.to_stdout() ? stderr : stdout;
  csv.write("frame,kind,a,b,distance\n");

  catch_interrupts();
  Measurement measurement(detect_options);
  FrameSurface surface;
  std::vector<Eigen::Vector3d> positions;
  std::string rows;
  nlohmann::ordered_json frames_json = nlohmann::ordered_json::array();
  PipelineStats total;
  FrameResult sum;
  std::size_t intersecting = 0;
  std::size_t count = 0;
  {
    Progress progress("detect", frames.size());
    for (const std::size_t frame : frames) {
      if (interrupted_by_user()) break;
      const bool changed = source->read(frame, surface, positions);
      require(rest.empty() || rest.size() == positions.size(), ErrorCode::unsupported,
              "{}: frame {} has {} vertices, but the rest shape, frame 0, has {}; --surface-shape current needs none",
              options.input, frame, positions.size(), rest.size());
      const FrameResult result = [&] {
        try {
          return measurement.run(frame, changed ? &surface : nullptr, positions);
        } catch (const Error& error) {
          fail(error.code(), "{}: frame {}: {}", options.input, frame, error.what());
        }
      }();
      ++count;
      total.add(result.stats);
      sum.vertex_face += result.vertex_face;
      sum.edge_edge += result.edge_edge;
      intersecting += result.triangle_triangle.value_or(0);
      sum.min_distance = std::min(sum.min_distance, result.min_distance);
      sum.ms += result.ms;
      sum.cpu_ms += result.cpu_ms;
      if (json.wanted()) frames_json.push_back(to_json(result));
      if (csv.wanted()) {
        rows.clear();
        measurement.append_rows(frame, rows);
        csv.write(rows);
      }
      progress.update(count, result.triangle_triangle
                                 ? fmt::format("{} intersections", *result.triangle_triangle)
                                 : fmt::format("{} contacts", result.vertex_face + result.edge_edge));
    }
  }
  if (interrupted_by_user()) {
    say(stderr, "carom: ended early by a signal, after {} of {} frames; no file was written\n", count, frames.size());
    return interrupted_exit_code();
  }

  const double n = static_cast<double>(std::max<std::size_t>(count, 1));
  if (json.wanted()) {
    const nlohmann::ordered_json document = {{"method", to_string(mid::method_by_name(options.method))},
                                             {"threads", Workers(options.threads).threads()},
                                             {"distance", options.distance},
                                             {"frames", std::move(frames_json)},
                                             {"mean_ms", sum.ms / n},
                                             {"mean_cpu_ms", sum.cpu_ms / n}};
    json.write(dump(document));
  }
  json.finish();
  csv.finish();

  say(text, "{}\n", stage_table(total, count, "frame"));
  if (options.distance == 0) {
    say(text, "{} frames: {} pairs of triangles that intersect", count, with_commas(static_cast<double>(intersecting)));
  } else {
    say(text, "{} frames: {} vertex-face and {} edge-edge contacts closer than {} m", count,
        with_commas(static_cast<double>(sum.vertex_face)), with_commas(static_cast<double>(sum.edge_edge)),
        options.distance);
  }
  if (options.distance > 0 && std::isfinite(sum.min_distance)) say(text, ", the closest {:.6g} m", sum.min_distance);
  say(text, "; {:.3f} ms a frame ({:.3f} ms of processor time)\n", sum.ms / n, sum.cpu_ms / n);
  if (csv.wanted() && !csv.to_stdout()) say(text, "contacts in {}\n", options.contacts);
  return done;
}

}  // namespace carom::app
