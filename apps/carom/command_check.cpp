#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "assembly.hpp"
#include "bench/table.hpp"
#include "carom/io/recording.hpp"
#include "carom/io/viewer.hpp"
#include "carom/query/clash.hpp"
#include "commands.hpp"
#include "core/check.hpp"
#include "core/parallel.hpp"
#include "interrupt.hpp"
#include "output.hpp"
#include "paths.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "say.hpp"

namespace carom::app {

namespace {

std::vector<AssemblyPart> read_all(const CheckOptions& options) {
  std::vector<AssemblyPart> parts;
  Progress progress("read", options.files.size());
  for (std::size_t i = 0; i < options.files.size() && !interrupted_by_user(); ++i) {
    std::vector<AssemblyPart> read = read_parts(options.files[i], options.self, options.reading);
    std::move(read.begin(), read.end(), std::back_inserter(parts));
    progress.update(i + 1, counted(parts.size(), "part"));
  }
  number_equal_names(parts);
  return parts;
}

MeshSolid solid_of(std::string_view name) {
  for (const MeshSolid solid : {MeshSolid::by_normals, MeshSolid::inside, MeshSolid::surface}) {
    if (name == to_string(solid)) return solid;
  }
  fail(ErrorCode::unknown_name, "--solid is {}; expected by_normals, inside or surface", name);
}

/// With the trees over their triangles, which takes about as long as reading them.
std::vector<Shape::Part> shapes_of(const std::vector<AssemblyPart>& parts, MeshSolid solid, int threads) {
  constexpr std::size_t at_a_time = 32;
  Workers workers(threads);
  std::vector<std::optional<Shape>> built(parts.size());
  Progress progress("prepare", parts.size());
  for (std::size_t begin = 0; begin < parts.size() && !interrupted_by_user(); begin += at_a_time) {
    const std::size_t count = std::min(at_a_time, parts.size() - begin);
    parallel_for(workers, count, 1, [&](std::size_t i) {
      const AssemblyPart& part = parts[begin + i];
      try {
        built[begin + i] = Shape::mesh(part.mesh, {.solid = solid});
      } catch (const Error& error) {
        fail(error.code(), "{}: {}", part.name, error.what());
      }
    });
    progress.update(begin + count, "");
  }
  std::vector<Shape::Part> shapes;
  for (const std::optional<Shape>& shape : built) {
    if (shape) shapes.push_back({*shape});
  }
  return shapes;
}

std::string amount_of(const Clash& clash) {
  switch (clash.kind) {
    case ClashKind::overlap:
      if (!std::isfinite(clash.distance)) return "no way out";
      return clash.regions.size() > 1
                 ? fmt::format("{:.4g} m deep, in {} places", -clash.distance, clash.regions.size())
                 : fmt::format("{:.4g} m deep", -clash.distance);
    case ClashKind::touch:
      return "touch";
    case ClashKind::close:
      return fmt::format("{:.4g} m apart", clash.distance);
  }
  return "";
}

Eigen::Vector3d place_of(const Clash& clash) {
  return 0.5 * (clash.point_a + clash.point_b);
}

bool is_problem(const Clash& clash, double clearance) {
  return clash.kind != ClashKind::touch || clearance > 0;
}

nlohmann::ordered_json to_json(const Clash& clash, const std::vector<AssemblyPart>& parts) {
  const auto vector = [](const Eigen::Vector3d& v) { return nlohmann::ordered_json{v.x(), v.y(), v.z()}; };
  nlohmann::ordered_json regions = nlohmann::ordered_json::array();
  for (const ClashRegion& region : clash.regions) {
    regions.push_back({{"depth", region.depth},
                       {"point_a", vector(region.point_a)},
                       {"point_b", vector(region.point_b)},
                       {"normal", vector(region.normal)}});
  }
  return {{"kind", to_string(clash.kind)},
          {"a", parts[static_cast<std::size_t>(clash.a)].name},
          {"b", parts[static_cast<std::size_t>(clash.b)].name},
          {"distance", clash.distance},
          {"point_a", vector(clash.point_a)},
          {"point_b", vector(clash.point_b)},
          {"normal", vector(clash.normal)},
          {"regions", std::move(regions)}};
}

/// One for each region, or one for what has none.
std::vector<RecordedContact> marks_of(const Clash& clash) {
  std::vector<RecordedContact> marks;
  const auto add = [&](double distance, const Eigen::Vector3d& point_a, const Eigen::Vector3d& point_b,
                       const Eigen::Vector3d& normal) {
    marks.push_back({.body_a = static_cast<std::uint32_t>(clash.a),
                     .body_b = static_cast<std::uint32_t>(clash.b),
                     .distance = std::isfinite(distance) ? distance : 0,
                     .point_a = point_a.cast<float>(),
                     .point_b = point_b.cast<float>(),
                     .normal = normal.cast<float>()});
  };
  for (const ClashRegion& region : clash.regions) add(-region.depth, region.point_a, region.point_b, region.normal);
  if (clash.regions.empty()) add(clash.distance, clash.point_a, clash.point_b, clash.normal);
  return marks;
}

/// What a page may list: what a recording says of itself is limited to a megabyte.
constexpr std::size_t max_views = 2000;

/// Frame 0 has all clashes, each one after it one of them; parts do not move.
std::vector<std::uint8_t> record(const std::vector<AssemblyPart>& parts, std::span<const Clash> clashes,
                                 double clearance) {
  RecordingMeta meta{
      .scene = fmt::format("{} of {}", counted(clashes.size(), "clash", "clashes"), counted(parts.size(), "part")),
      .dt = 1,
      .contact_distance = clearance};
  meta.views.push_back({fmt::format("all {} parts", parts.size()), 0, {}});
  std::vector<std::vector<RecordedContact>> marks;
  for (std::size_t i = 0; i < clashes.size(); ++i) {
    const Clash& clash = clashes[i];
    const auto a = static_cast<std::uint32_t>(clash.a);
    const auto b = static_cast<std::uint32_t>(clash.b);
    meta.views.push_back({fmt::format("{}. {} × {}: {}", i + 1, parts[a].name, parts[b].name, amount_of(clash)),
                          static_cast<std::uint32_t>(i + 1),
                          {a, b}});
    marks.push_back(marks_of(clash));
  }
  std::vector<FrameBodyView> bodies;
  for (std::size_t i = 0; i < parts.size(); ++i)
    bodies.push_back({static_cast<std::uint32_t>(i), parts[i].name, MotionModel::fixed, parts[i].mesh.triangles,
                      parts[i].mesh.positions});
  RecordingWriter writer(meta, PositionEncoding::f32);
  std::vector<RecordedContact> all;
  for (std::vector<RecordedContact>& one : marks) {
    for (RecordedContact& mark : one) {
      mark.id = all.size() + 1;
      all.push_back(mark);
    }
  }
  writer.write_frame(0, bodies, all, {});
  for (std::size_t i = 0; i < marks.size(); ++i) writer.write_frame(static_cast<double>(i + 1), bodies, marks[i], {});
  writer.close();
  return {writer.bytes().begin(), writer.bytes().end()};
}

}  // namespace

int check(const CheckOptions& options) {
  require(std::isfinite(options.clearance) && options.clearance >= 0, ErrorCode::invalid_argument,
          "--clearance is {}; expected a number of metres that is not negative", options.clearance);
  require(!options.tolerance || (std::isfinite(*options.tolerance) && *options.tolerance >= 0),
          ErrorCode::invalid_argument, "--tolerance is {}; expected a number of metres that is not negative",
          options.tolerance.value_or(0));
  require(options.self || options.files.size() >= 2, ErrorCode::invalid_argument,
          "one part cannot clash; give two files or more, or --self");
  for (const std::string& file : options.files)
    refuse_same_files({{"a part", file}, {"--json", options.json}, {"--html", options.html}});
  if (!options.html.empty()) viewer_page();  // tell at once if this build has none
  Output json("--json", options.json, OutputKind::json);
  Output html("--html", options.html, OutputKind::html);
  std::FILE* text = html.to_stdout() ? stderr : stdout;

  const std::vector<AssemblyPart> parts = read_all(options);
  std::vector<Clash> clashes;
  std::size_t pairs_done = 0;
  std::size_t pairs = 0;
  if (!interrupted_by_user()) {
    const std::vector<Shape::Part> shapes = shapes_of(parts, solid_of(options.solid), options.threads);
    std::optional<Progress> progress;
    if (!interrupted_by_user())
      clashes = find_clashes(shapes, {.clearance = options.clearance,
                                      .tolerance = options.tolerance.value_or(-1),
                                      .threads = options.threads,
                                      .progress = [&](std::size_t count, std::size_t total, std::size_t found) {
                                        if (!progress) progress.emplace("check", total);
                                        pairs_done = count;
                                        pairs = total;
                                        progress->update(count, fmt::format("{} found", found));
                                        return !interrupted_by_user();
                                      }});
  }
  if (interrupted_by_user()) {
    say(stderr, "carom: ended early by a signal{}; no file was written\n",
        pairs == 0 ? ""
                   : fmt::format(", after {} of {}: {} so far", pairs_done, counted(pairs, "pair"),
                                 counted(clashes.size(), "clash", "clashes")));
    return interrupted_exit_code();
  }

  std::size_t overlaps = 0;
  std::size_t touches = 0;
  std::size_t close = 0;
  for (const Clash& clash : clashes)
    ++(clash.kind == ClashKind::overlap ? overlaps : clash.kind == ClashKind::touch ? touches : close);
  const bool problems =
      std::any_of(clashes.begin(), clashes.end(), [&](const Clash& c) { return is_problem(c, options.clearance); });

  if (json.wanted()) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Clash& clash : clashes) list.push_back(to_json(clash, parts));
    const nlohmann::ordered_json document = {{"parts", parts.size()}, {"clearance", options.clearance},
                                             {"overlaps", overlaps},  {"touches", touches},
                                             {"close", close},        {"clashes", std::move(list)}};
    json.write(dump(document));
  }
  json.finish();
  if (html.wanted()) {
    const std::span<const Clash> worst(clashes.data(), std::min(clashes.size(), max_views));
    if (worst.size() < clashes.size())
      say(stderr, "carom: warning: the page shows the worst {} of {} clashes\n", worst.size(), clashes.size());
    write_viewer_html(record(parts, worst, options.clearance), [&](std::string_view piece) { html.write(piece); });
    html.finish();
  }
  if (!json.to_stdout()) {
    bench::Table table{.title = "", .head = {"a", "b", "overlap or gap", "x", "y", "z"}, .rows = {}};
    for (const Clash& clash : clashes) {
      const Eigen::Vector3d place = place_of(clash);
      table.add({parts[static_cast<std::size_t>(clash.a)].name, parts[static_cast<std::size_t>(clash.b)].name,
                 amount_of(clash), fmt::format("{:.4g}", place.x()), fmt::format("{:.4g}", place.y()),
                 fmt::format("{:.4g}", place.z())});
    }
    if (!clashes.empty()) say(text, "{}\n", Lines{table.text()});
    say(text, "{}: {}, {}", counted(parts.size(), "part"), counted(overlaps, "pair overlaps", "pairs overlap"),
        counted(touches, "touches", "touch"));
    if (options.clearance > 0) say(text, ", {} closer than {:.6g} m", counted(close, "is", "are"), options.clearance);
    say(text, "\n");
    if (html.wanted() && !html.to_stdout()) say(text, "page in {}\n", options.html);
  }
  return problems ? found_problems : done;
}

}  // namespace carom::app
