#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "bench/bench_scene.hpp"
#include "bench/reference_grid.hpp"
#include "bench/stopwatch.hpp"
#include "commands.hpp"
#include "core/check.hpp"
#include "core/parallel.hpp"
#include "interrupt.hpp"
#include "leonard.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "reproduced_table.hpp"
#include "say.hpp"

/// `carom reproduce leonard`: the tables of the thesis, made by the reference grid (bench/) on frames of the built-in
/// scenes that are like its own, simulated.
namespace carom::app {

namespace {

using bench::BenchScene;
using leonard::SceneFigures;
using reference::Times;
using reference::Volume;

/// Steps that are simulated for each frame that is asked for.
constexpr int steps_of_frame = 10;

constexpr std::array<std::string_view, 8> table_names{"4.1", "4.2", "4.3", "4.4", "4.5", "4.6", "4.7", "cut"};

/// What the user asked to be stopped for.
struct Interrupted {};

/// One way to run a scene.
struct Variant {
  std::string scene;
  Volume volume = Volume::boxes;
  bool primitive_volumes = false;
  bool cones = false;
  int threads = 1;
  friend auto operator<=>(const Variant&, const Variant&) = default;
};

/// Means over the frames of a scene; times are those of the better of two passes.
struct Means {
  Times ms;
  double cells = 0;
  double cone_cells = 0;
  double entries = 0;
  double cone_entries = 0;
  double triangle_pairs = 0;
  double primitive_pairs = 0;
  double primitive_culled = 0;
  double contacts = 0;
};

/// Means over the steps of a scene that is simulated.
struct SimulatedStep {
  double ms = 0;            ///< of a step: with one thread of the processor, with several by the clock
  double clock_ms = 0;      ///< of a step, by the clock
  double detection_ms = 0;  ///< of it, bounds to contacts and continuous detection
};

/// Means over the steps of a scene in which something is cut.
struct CutSteps {
  SimulatedStep plain;  ///< steps without a cut, from the one before the first to the one after the last
  SimulatedStep cut;    ///< steps in which a blade cuts
  SimulatedStep next;   ///< steps after these, which join the surfaces again
  int cuts = 0;         ///< steps with a cut
};

/// Runs each variant once, however many tables want it.
class Runs {
 public:
  /// Tells the scene of each variant that it runs.
  Runs(int frames, std::function<void(const std::string&)> progress)
      : frames_(frames), progress_(std::move(progress)) {}

  const Means& get(const Variant& variant) {
    const auto found = done_.find(variant);
    return found != done_.end() ? found->second : done_.emplace(variant, run(variant)).first->second;
  }

  const SimulatedStep& simulated(const std::string& scene, int threads) {
    const auto key = std::pair(scene, threads);
    const auto found = simulated_.find(key);
    return found != simulated_.end() ? found->second : simulated_.emplace(key, simulate(scene, threads)).first->second;
  }

  /// Runs a scene until ten steps after its last cut.
  CutSteps cut_steps(const std::string& name, int threads) {
    Scene described = find_scene(name);
    described.world.threads = threads;
    progress_(name);
    World world = build_world(described);
    std::vector<SimulatedStep> steps;
    std::vector<int> cuts;
    for (int i = 0; i < described.steps; ++i) {
      if (interrupted_by_user()) throw Interrupted{};
      steps.push_back(timed_step(world, threads));
      if (!world.cuts().empty()) cuts.push_back(i);
    }
    CutSteps result;
    result.cuts = static_cast<int>(cuts.size());
    if (cuts.empty()) return result;
    const auto is_cut = [&](int i) { return std::binary_search(cuts.begin(), cuts.end(), i); };
    std::array<int, 3> counts{};
    const auto add = [&](SimulatedStep& sum, int& count, const SimulatedStep& step) {
      sum.ms += step.ms;
      sum.detection_ms += step.detection_ms;
      ++count;
    };
    const int last = std::min(static_cast<int>(steps.size()), cuts.back() + around_cuts);
    for (int i = std::max(0, cuts.front() - around_cuts); i < last; ++i) {
      const SimulatedStep& step = steps[static_cast<std::size_t>(i)];
      if (is_cut(i)) {
        add(result.cut, counts[0], step);
      } else if (is_cut(i - 1)) {
        add(result.next, counts[1], step);
      } else {
        add(result.plain, counts[2], step);
      }
    }
    const auto divide = [](SimulatedStep& sum, int count) {
      sum.ms /= std::max(1, count);
      sum.detection_ms /= std::max(1, count);
    };
    divide(result.cut, counts[0]);
    divide(result.next, counts[1]);
    divide(result.plain, counts[2]);
    return result;
  }

 private:
  /// With one thread it is the time of the processor that counts, as other programs disturb it least; with several that
  /// of the clock.
  static SimulatedStep timed_step(World& world, int threads) {
    const bench::Stopwatch stopwatch;
    world.step();
    const bench::Duration taken = stopwatch.elapsed();
    SimulatedStep step;
    step.ms = threads == 1 ? taken.cpu_ms : taken.wall_ms;
    step.clock_ms = taken.wall_ms;
    double detection = 0;
    for (const Stage stage : {Stage::bounds, Stage::broad, Stage::mid, Stage::narrow, Stage::contacts, Stage::commit})
      detection += 1e3 * world.stats()[stage].seconds;
    // Stages are timed by the clock: detection has its part of the step.
    step.detection_ms = taken.wall_ms > 0 ? step.ms * detection / taken.wall_ms : 0;
    return step;
  }

  SimulatedStep simulate(const std::string& name, int threads) {
    Scene described = find_scene(name);
    described.world.threads = threads;
    progress_(name);
    World world = build_world(described);
    const int steps = simulated_steps(described);
    SimulatedStep sum;
    for (int i = 0; i < steps; ++i) {
      if (interrupted_by_user()) throw Interrupted{};
      const SimulatedStep step = timed_step(world, threads);
      sum.ms += step.ms / steps;
      sum.clock_ms += step.clock_ms / steps;
      sum.detection_ms += step.detection_ms / steps;
    }
    return sum;
  }

  /// Steps of a scene that are simulated. Bodies meet early: where few frames are asked for, its beginning does.
  int simulated_steps(const Scene& scene) const { return std::min(scene.steps, steps_of_frame * frames_); }

  static constexpr int around_cuts = 10;  // steps before the first cut and after the last

  const BenchScene& scene(const std::string& name) {
    const auto found = scenes_.find(name);
    if (found != scenes_.end()) return found->second;
    Scene described = find_scene(name);
    described.steps = simulated_steps(described);
    const bool thesis = std::ranges::any_of(leonard::scenes, [&](const SceneFigures& f) { return f.scene == name; });
    if (thesis) described.world.contact.pairs = name == leonard::knot ? PairScope::self : PairScope::between;
    progress_(name);
    return scenes_.emplace(name, bench::sample(described, bench::spread_over(described, frames_))).first->second;
  }

  Means run(const Variant& variant) {
    const BenchScene& frames = scene(variant.scene);
    reference::Grid grid(frames.surface);
    const reference::Options options{.distance = frames.distance,
                                     .pairs = frames.pairs,
                                     .volume = variant.volume,
                                     .primitive_volumes = variant.primitive_volumes,
                                     .normal_cones = variant.cones,
                                     .threads = variant.threads};
    progress_(variant.scene);
    std::vector<Contact> contacts;
    std::optional<reference::Stats> best;
    for (int pass = 0; pass < 2; ++pass) {
      reference::Stats sum;
      reference::Stats stats;
      for (const auto& positions : frames.frames) {
        if (interrupted_by_user()) throw Interrupted{};
        grid.detect(positions, options, contacts, stats);
        sum.add(stats);
      }
      if (!best || sum.times.total < best->times.total) best = sum;
    }
    return means(*best, static_cast<double>(frames.frames.size()));
  }

  static Means means(const reference::Stats& sum, double n) {
    const auto mean = [n](std::uint64_t count) { return static_cast<double>(count) / n; };
    const auto& c = sum.counts;
    Means result{.ms = sum.times,
                 .cells = mean(c.cells),
                 .cone_cells = mean(c.cone_cells),
                 .entries = mean(c.entries),
                 .cone_entries = mean(c.cone_entries),
                 .triangle_pairs = mean(c.triangle_pairs),
                 .primitive_pairs = mean(c.primitive_pairs),
                 .primitive_culled = mean(c.primitive_culled),
                 .contacts = mean(c.contacts)};
    Times& t = result.ms;
    for (double* seconds :
         {&t.objects, &t.triangles, &t.grid, &t.list, &t.sort, &t.cones, &t.pairs, &t.tests, &t.total})
      *seconds *= 1e3 / n;
    return result;
  }

  int frames_;
  std::function<void(const std::string&)> progress_;
  std::map<std::string, BenchScene> scenes_;
  std::map<Variant, Means> done_;
  std::map<std::pair<std::string, int>, SimulatedStep> simulated_;
};

Variant variant_of(const SceneFigures& figures, Volume volume, bool primitive_volumes) {
  return {.scene = std::string(figures.scene), .volume = volume, .primitive_volumes = primitive_volumes};
}

ReproducedTable table_4_1(Runs& runs) {
  ReproducedTable table{"4.1", "milliseconds a step, with and without volumes around features", {}, {}};
  for (const SceneFigures& f : leonard::scenes) {
    const auto ms = [&](Volume volume, bool with) { return runs.get(variant_of(f, volume, with)).ms.total; };
    table.rows.push_back({std::string(f.scene),
                          {{"spheres with", ms(Volume::spheres, true), f.spheres.ms_with},
                           {"spheres without", ms(Volume::spheres, false), f.spheres.ms_without},
                           {"boxes with", ms(Volume::boxes, true), f.boxes.ms_with},
                           {"boxes without", ms(Volume::boxes, false), f.boxes.ms_without}}});
  }
  return table;
}

ReproducedTable table_4_2(Runs& runs) {
  ReproducedTable table{"4.2", "pairs of triangles left to test, a step", {}, {}};
  for (const SceneFigures& f : leonard::scenes) {
    const double spheres = runs.get(variant_of(f, Volume::spheres, false)).triangle_pairs;
    const double boxes = runs.get(variant_of(f, Volume::boxes, false)).triangle_pairs;
    table.rows.push_back({std::string(f.scene),
                          {{"spheres", spheres, f.spheres.triangle_pairs, 0},
                           {"boxes", boxes, f.boxes.triangle_pairs, 0},
                           {"fewer with boxes (%)", 100 * (1 - boxes / std::max(spheres, 1.0)),
                            100 * (1 - f.boxes.triangle_pairs / f.spheres.triangle_pairs), 0}}});
  }
  table.notes = {
      "The thesis leaves out pairs of triangles that share a vertex; we may not, as they hold pairs of features that "
      "share none."};
  return table;
}

ReproducedTable table_4_3(Runs& runs) {
  ReproducedTable table{"4.3", "pairs of features, and how many of them their volumes cull, a step", {}, {}};
  for (const SceneFigures& f : leonard::scenes) {
    const Means& spheres = runs.get(variant_of(f, Volume::spheres, true));
    const Means& boxes = runs.get(variant_of(f, Volume::boxes, true));
    table.rows.push_back({std::string(f.scene),
                          {{"spheres", spheres.primitive_pairs, f.spheres.primitive_pairs, 0},
                           {"culled", spheres.primitive_culled, f.spheres.primitive_culled, 0},
                           {"boxes", boxes.primitive_pairs, f.boxes.primitive_pairs, 0},
                           {"boxes culled", boxes.primitive_culled, f.boxes.primitive_culled, 0}}});
  }
  return table;
}

const Means& knot(Runs& runs, bool cones, int threads = 1) {
  return runs.get({.scene = std::string(leonard::knot), .cones = cones, .threads = threads});
}

ReproducedTable table_4_4(Runs& runs) {
  ReproducedTable table{"4.4", "normal cones on the knot, milliseconds a step", {}, {}};
  const Times& without = knot(runs, false).ms;
  const Times& with = knot(runs, true).ms;
  const auto others = [](const Times& t) { return t.total - t.cones - t.pairs - t.tests; };
  const auto row = [&](const char* label, double a, double b, double published_a, double published_b) {
    table.rows.push_back({label, {{"without", a, published_a}, {"with", b, published_b}}});
  };
  const auto& p = leonard::without_cones;
  const auto& q = leonard::with_cones;
  row("cones", without.cones, with.cones, p.cones_ms, q.cones_ms);
  row("pairs of triangles", without.pairs, with.pairs, p.pairs_ms, q.pairs_ms);
  row("tests of features", without.tests, with.tests, p.tests_ms, q.tests_ms);
  row("other stages", others(without), others(with), p.others_ms, q.others_ms);
  row("all", without.total, with.total, p.total_ms, q.total_ms);
  return table;
}

std::string lost_note(Runs& runs, const std::string& scene) {
  const double all = runs.get({.scene = scene}).contacts;
  const double left = runs.get({.scene = scene, .cones = true}).contacts;
  return fmt::format("  {}: {:.1f} of {:.1f} contacts a step lost ({:.1f}%)", scene, all - left, all,
                     all > 0 ? 100 * (all - left) / all : 0);
}

ReproducedTable table_4_5(Runs& runs) {
  ReproducedTable table{"4.5", "culling by normal cones on the knot, a step", {}, {}};
  const Means& without = knot(runs, false);
  const Means& with = knot(runs, true);
  const auto& p = leonard::without_cones;
  const auto& q = leonard::with_cones;
  table.rows = {
      {"cells left out", {{"without", 0, std::nullopt, 0}, {"with", with.cone_cells, q.cells_culled, 0}}},
      {"triangles in them", {{"without", 0, std::nullopt, 0}, {"with", with.cone_entries, q.entries_culled, 0}}},
      {"tests of features",
       {{"without", without.primitive_pairs, p.tests, 0}, {"with", with.primitive_pairs, q.tests, 0}}},
      {"contacts", {{"without", without.contacts, std::nullopt, 1}, {"with", with.contacts, std::nullopt, 1}}}};
  table.notes = {
      "The published cones lose contacts: they take the triangles of a cell for one smooth piece of surface.",
      "Against the sound result, on the scene of the table and on one whose layers face the same way:",
      lost_note(runs, std::string(leonard::knot)), lost_note(runs, "rolled-sheet-20000")};
  return table;
}

ReproducedTable table_4_6(Runs& runs) {
  ReproducedTable table{"4.6", "detection, milliseconds a step, one thread", {}, {}};
  for (const leonard::StepFigures& f : leonard::steps) {
    if (f.sofa_ms == 0) continue;
    const bool self = f.scene == leonard::knot;
    const double grid = runs.get({.scene = std::string(f.scene), .cones = self}).ms.total;
    const SimulatedStep& step = runs.simulated(std::string(f.scene), 1);
    table.rows.push_back(
        {std::string(f.scene),
         {{"of the thesis", grid, f.scyther_ms}, {"in a simulated world", step.detection_ms, f.sofa_ms}}});
  }
  table.notes = {
      "Published beside 'in a simulated world' is what SOFA took. Ours is all detection in steps of the scene",
      "of soft bodies, continuous detection and several rounds where bodies move fast included."};
  return table;
}

ReproducedTable table_4_7(Runs& runs, int threads) {
  ReproducedTable table{"4.7", fmt::format("milliseconds in each stage, with 1 and with {} threads", threads), {}, {}};
  const std::string many_name = fmt::format("{} threads", threads);
  for (const SceneFigures& f : leonard::scenes) {
    const bool self = f.scene == leonard::knot;
    const Times& one = runs.get({.scene = std::string(f.scene), .cones = self, .threads = 1}).ms;
    const Times& many = runs.get({.scene = std::string(f.scene), .cones = self, .threads = threads}).ms;
    const auto row = [&](const char* stage, double a, double b, const leonard::StageFigures& published) {
      const auto ratio = [](double x, double y) { return y > 0 ? x / y : 1; };
      std::optional<double> published_ratio;
      if (published.one > 0 && published.six > 0) published_ratio = published.one / published.six;
      table.rows.push_back(
          {fmt::format("{}: {}", f.scene, stage),
           {{"1 thread", a, published.one}, {many_name, b, published.six}, {"faster", ratio(a, b), published_ratio}}});
    };
    row("2 triangles in the region", one.triangles, many.triangles, f.triangles);
    row("3 grid", one.grid, many.grid, f.grid);
    row("4 (cell, triangle) list", one.list, many.list, f.list);
    row("5 sort", one.sort, many.sort, f.sort);
    if (self) row("6a cones", one.cones, many.cones, f.cones);
    row("6 pairs of triangles", one.pairs, many.pairs, f.pairs);
    row("7 tests of features", one.tests, many.tests, f.tests);
    row("all", one.total, many.total, f.total);
  }
  for (const leonard::StepFigures& f : leonard::steps) {
    const SimulatedStep one = runs.simulated(std::string(f.scene), 1);
    const SimulatedStep many = runs.simulated(std::string(f.scene), threads);
    table.rows.push_back({fmt::format("{}: whole step", f.scene),
                          {{"1 thread", one.ms, f.step.one},
                           {many_name, many.ms, f.step.six},
                           {"faster", many.clock_ms > 0 ? one.clock_ms / many.clock_ms : 1, f.step.one / f.step.six}}});
  }
  table.notes = {"The thesis's second column is with six cores. As there, the knot runs with the published cones.",
                 "Whole steps are those of the scenes of soft bodies, with response and continuous detection; with one",
                 "thread by the time of the processor. How much faster several are is by the clock."};
  return table;
}

/// Hypothesis H3 of the thesis: cuts cost detection nothing.
ReproducedTable table_cut(Runs& runs, int threads) {
  ReproducedTable table{
      "cut",
      fmt::format("milliseconds of detection and of whole steps with and without a cut; threads: {}", threads),
      {},
      {}};
  std::string counts;
  for (const std::string scene : {"liver-cut", "criss-cross", "slice"}) {
    const CutSteps steps = runs.cut_steps(scene, threads);
    const auto row = [&](const char* what, double SimulatedStep::*part) {
      const double plain = steps.plain.*part;
      table.rows.push_back({fmt::format("{}: {}", scene, what),
                            {{"without", plain},
                             {"with a cut", steps.cut.*part},
                             {"the next", steps.next.*part},
                             {"with over without", plain > 0 ? steps.cut.*part / plain : 1}}});
    };
    row("detection", &SimulatedStep::detection_ms);
    row("whole step", &SimulatedStep::ms);
    counts += fmt::format("{}{}: {}", counts.empty() ? "" : ", ", scene, steps.cuts);
  }
  table.notes = {"The thesis had no cut that ran, and no figures to compare with (4.5, 5.3.1).",
                 fmt::format("Steps with a cut: {}.", counts)};
  return table;
}

ReproducedTable make_table(const std::string& id, Runs& runs, int threads) {
  if (id == "4.1") return table_4_1(runs);
  if (id == "4.2") return table_4_2(runs);
  if (id == "4.3") return table_4_3(runs);
  if (id == "4.4") return table_4_4(runs);
  if (id == "4.5") return table_4_5(runs);
  if (id == "4.6") return table_4_6(runs);
  if (id == "cut") return table_cut(runs, threads);
  return table_4_7(runs, threads);
}

}  // namespace

int reproduce(const ReproduceOptions& options) {
  if (options.document == "zouiouche") return reproduce_zouiouche(options);
  require(options.document == "leonard", ErrorCode::unknown_name,
          "no document is called '{}'; expected leonard or zouiouche", options.document);
  require(options.frames > 0, ErrorCode::invalid_argument, "--frames is {}; expected at least 1", options.frames);
  std::vector<std::string> ids = options.tables;
  if (ids.empty()) ids.assign(table_names.begin(), table_names.end() - 1);  // cut runs for minutes
  for (const std::string& id : ids) {
    require(std::find(table_names.begin(), table_names.end(), id) != table_names.end(), ErrorCode::unknown_name,
            "there is no table '{}'; expected one of: {}", id, fmt::join(table_names, ", "));
  }
  const int threads = Workers(options.threads).threads();
  Output json("--json", options.json, OutputKind::json);
  std::FILE* text = json.to_stdout() ? stderr : stdout;

  std::vector<ReproducedTable> tables;
  try {
    Progress progress("reproduce", ids.size());
    Runs runs(options.frames, [&](const std::string& scene) {
      progress.update(tables.size(), fmt::format("table {}, {}", ids[tables.size()], scene));
    });
    for (const std::string& id : ids) tables.push_back(make_table(id, runs, threads));
    progress.update(ids.size(), "");
  } catch (const Interrupted&) {
    say(stderr, "carom: ended early by a signal; no file was written\n");
    return interrupted_exit_code();
  }
  nlohmann::ordered_json document = {{"frames", options.frames}, {"threads", threads}};
  for (const ReproducedTable& table : tables) document["tables"][table.id] = to_json(table);
  if (json.wanted()) json.write(dump(document));
  json.finish();
  for (const ReproducedTable& table : tables) say(text, "{}\n", Lines{to_text(table)});
  say(text,
      "Ours: the same pipeline on the built-in scenes, simulated, which are like those of the thesis but not the same\n"
      "meshes and materials, on this machine; cell rule and adjacency made exact (docs/benchmarks.md). Of each scene "
      "{}\n"
      "spread over its first {}, or over all of it if it has fewer; whole steps are means over these steps.\n",
      counted(static_cast<std::size_t>(options.frames), "frame"),
      counted(static_cast<std::size_t>(steps_of_frame) * static_cast<std::size_t>(options.frames), "step"));
  return done;
}

}  // namespace carom::app
