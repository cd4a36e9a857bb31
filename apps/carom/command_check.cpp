#include <algorithm>
#include <cmath>
#include <exception>
#include <nlohmann/json.hpp>

#include "allow_list.hpp"
#include "assembly.hpp"
#include "carom/io/viewer.hpp"
#include "carom/query/clash.hpp"
#include "clash_findings.hpp"
#include "clash_page.hpp"
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
  const std::vector<std::string> files = with_folders_opened(options.files);
  constexpr std::size_t at_a_time = 16;
  Workers workers(options.threads);
  Progress progress("read", files.size());
  for (std::size_t begin = 0; begin < files.size() && !interrupted_by_user(); begin += at_a_time) {
    const std::size_t count = std::min(at_a_time, files.size() - begin);
    std::vector<std::vector<AssemblyPart>> read(count);
    std::vector<std::exception_ptr> errors(count);
    parallel_for(workers, count, 1, [&](std::size_t i) {
      try {
        read[i] = read_parts(files[begin + i], options.self, options.reading);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    });
    for (std::size_t i = 0; i < count; ++i) {
      if (errors[i]) std::rethrow_exception(errors[i]);  // that of the first file, whichever was read first
      std::move(read[i].begin(), read[i].end(), std::back_inserter(parts));
      progress.update(begin + i + 1, counted(parts.size(), "part"));
    }
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
        // Boxes split at the mean: a tree is asked a few times only, and takes a fifth of the time to build.
        built[begin + i] =
            Shape::mesh(part.mesh, {.volume = MeshVolume::box, .split = MeshSplit::variance, .solid = solid});
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

bool is_problem(const Clash& clash, double clearance) {
  return clash.kind != ClashKind::touch || clearance > 0;
}

ClashRank rank_of(std::string_view name) {
  for (const ClashRank rank : {ClashRank::depth, ClashRank::volume}) {
    if (name == to_string(rank)) return rank;
  }
  fail(ErrorCode::unknown_name, "--rank is {}; expected depth or volume", name);
}

/// Defects of each part. Looking for triangles that cut each other takes about as long as the trees do.
std::vector<std::vector<PartDefect>> examine_all(const std::vector<AssemblyPart>& parts, const CheckOptions& options) {
  constexpr std::size_t at_a_time = 32;
  Workers workers(options.threads);
  std::vector<std::vector<PartDefect>> defects(parts.size());
  Progress progress("examine", parts.size());
  for (std::size_t begin = 0; begin < parts.size() && !interrupted_by_user(); begin += at_a_time) {
    const std::size_t count = std::min(at_a_time, parts.size() - begin);
    parallel_for(workers, count, 1, [&](std::size_t i) {
      defects[begin + i] = examine(parts[begin + i].mesh,
                                   {.self_intersections = !options.quick, .lost_faces = parts[begin + i].lost_faces});
    });
    progress.update(begin + count, "");
  }
  return defects;
}

CheckReport report_of(std::vector<AssemblyPart> parts, std::vector<std::vector<PartDefect>> defects,
                      std::vector<Clash> clashes, const CheckOptions& options, double clearance) {
  CheckReport report;
  report.parts = std::move(parts);
  report.defects = std::move(defects);
  report.clearance = clearance;
  for (const AssemblyPart& part : report.parts) report.chord_error = std::max(report.chord_error, part.chord_error);
  for (Clash& clash : clashes) {
    Finding finding;
    finding.a = report.parts[static_cast<std::size_t>(clash.a)].name;
    finding.b = report.parts[static_cast<std::size_t>(clash.b)].name;
    finding.problem = is_problem(clash, clearance);
    finding.clash = std::move(clash);
    report.findings.push_back(std::move(finding));
  }
  if (!options.allow.empty()) AllowList(options.allow).apply(report.findings);
  if (!options.baseline.empty()) compare_with_baseline(options.baseline, report);
  return report;
}

}  // namespace

int check(const CheckOptions& options) {
  const Lengths unit(options.reading);
  const double clearance = unit.length * options.clearance;
  require(std::isfinite(clearance) && clearance >= 0, ErrorCode::invalid_argument,
          "--clearance is {}; expected a length that is not negative", options.clearance);
  require(!options.tolerance || (std::isfinite(*options.tolerance) && *options.tolerance >= 0),
          ErrorCode::invalid_argument, "--tolerance is {}; expected a length that is not negative",
          options.tolerance.value_or(0));
  for (const std::string& file : options.files)
    refuse_same_files({{"a part", file},
                       {"--json", options.json},
                       {"--csv", options.csv},
                       {"--html", options.html},
                       {"--allow", options.allow},
                       {"--baseline", options.baseline}});
  const ClashRank rank = rank_of(options.rank);
  if (!options.allow.empty()) AllowList{options.allow};  // what is wrong with it is told before the work
  if (!options.html.empty()) viewer_page();              // tell at once if this build has none
  Output json("--json", options.json, OutputKind::json);
  Output csv("--csv", options.csv, OutputKind::contacts);
  Output html("--html", options.html, OutputKind::html);
  std::FILE* text = html.to_stdout() || csv.to_stdout() ? stderr : stdout;

  std::vector<AssemblyPart> parts = read_all(options);
  require(options.self || parts.size() >= 2 || interrupted_by_user(), ErrorCode::invalid_argument,
          "one part cannot clash; give two files or more, or --self");
  std::vector<std::vector<PartDefect>> defects;
  if (!interrupted_by_user()) defects = examine_all(parts, options);
  std::vector<Clash> clashes;
  std::vector<Shape::Part> shapes;
  std::size_t pairs_done = 0;
  std::size_t pairs = 0;
  if (!interrupted_by_user()) {
    shapes = shapes_of(parts, solid_of(options.solid), options.threads);
    std::optional<Progress> progress;
    if (!interrupted_by_user())
      clashes = find_clashes(
          shapes, {.clearance = clearance,
                   .tolerance = options.tolerance ? unit.length * *options.tolerance : -1,
                   .rank = rank,
                   .separation = options.separation,
                   .threads = options.threads,
                   .progress = [&](const ClashProgress& state) {
                     if (!progress) progress.emplace("check", state.total);
                     pairs_done = state.done;
                     pairs = state.total;
                     const std::string pair =
                         state.a == none ? ""
                                         : fmt::format(", at {} and {}", parts[static_cast<std::size_t>(state.a)].name,
                                                       parts[static_cast<std::size_t>(state.b)].name);
                     progress->update(state.done, fmt::format("{} found{}", state.found, pair));
                     return !interrupted_by_user();
                   }});
  }
  const bool ended = interrupted_by_user();
  if (ended) end_by_itself();
  const CheckReport report = report_of(std::move(parts), std::move(defects), std::move(clashes), options, clearance);
  if (ended) {
    if (!report.findings.empty()) say(stdout, "{}", Lines{to_text(report, unit)});
    say(stderr, "carom: ended early by a signal{}; no file was written\n",
        pairs == 0 ? ""
                   : fmt::format(", after {} of {}: {} so far", pairs_done, counted(pairs, "pair"),
                                 counted(report.findings.size(), "clash", "clashes")));
    return interrupted_exit_code();
  }
  if (json.wanted()) json.write(dump(to_json(report)));
  json.finish();
  if (csv.wanted()) csv.write(to_csv(report));
  csv.finish();
  if (html.wanted()) {
    write_viewer_html(record_check(report, shapes, unit), [&](std::string_view piece) { html.write(piece); });
    html.finish();
  }
  if (!json.to_stdout()) {
    say(text, "{}", Lines{to_text(report, unit)});
    if (html.wanted() && !html.to_stdout()) say(text, "page in {}\n", options.html);
  }
  return report.problems() > 0 ? found_problems : done;
}

}  // namespace carom::app
