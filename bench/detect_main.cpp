#include <fmt/format.h>
#include <hwy/targets.h>
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "bench/bench_scenes.hpp"
#include "bench/program.hpp"
#include "bench/reference_grid.hpp"
#include "bench/stopwatch.hpp"
#include "carom/detect/compact_contacts.hpp"
#include "carom/detect/detect_continuous.hpp"

/// Whole calls of detection against the reference, frame by frame, at any stride: docs/benchmarks.md.
namespace carom::bench {
namespace {

struct Settings {
  std::vector<std::string> scenes;
  std::string method = "auto";
  int threads = 1;
  int passes = 3;
  int every = 1;
  int frames = 40;
  std::string target;
  bool steps = false;
  bool fresh = false;
  bool no_reference = false;
  bool check = false;
  bool stats = false;
  bool records = false;
  bool memory = false;
  bool make = false;
  bool quick = false;
  bool exclude = false;
  double surface_factor = 0;
};

/// Two vertices: what a list costs that leaves next to nothing out.
constexpr std::array<std::array<Index, 2>, 1> excluded_pair{{{0, 1}}};

ContactFilters filters_of(const Settings& settings) {
  ContactFilters filters{.surface_factor = settings.surface_factor};
  if (settings.exclude) filters.excluded_vertices = excluded_pair;
  return filters;
}

double time_of(const Duration& duration, int threads) {
  return threads == 1 ? duration.cpu_ms : duration.wall_ms;
}

bool same(const Contact& a, const Contact& b) {
  return a.kind == b.kind && a.a == b.a && a.b == b.b && a.vertices == b.vertices && a.weights == b.weights &&
         a.distance == b.distance && a.point_a == b.point_a && a.point_b == b.point_b && a.normal == b.normal;
}

std::size_t bytes_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// What a surface and a scratch hold after a pass over the frames, one thread, without contacts.
void print_memory(const BenchScene& scene, const std::vector<std::vector<Eigen::Vector3d>>& frames) {
  const auto triangles = static_cast<double>(scene.surface.triangles().size());
  const auto per_triangle = [&](std::size_t before, std::size_t after) {
    return (static_cast<double>(after) - static_cast<double>(before)) / triangles;
  };
  const std::size_t empty = bytes_in_use();
  const Surface surface(scene.surface.vertex_count(),
                        {scene.surface.triangles().begin(), scene.surface.triangles().end()},
                        {scene.surface.object_of_triangle().begin(), scene.surface.object_of_triangle().end()});
  const std::size_t made = bytes_in_use();
  DetectScratch scratch;
  PipelineStats stats;
  {
    CompactContacts contacts;
    for (const auto& positions : frames) {
      detect(surface, positions, {.distance = scene.distance, .pairs = scene.pairs, .threads = 1}, scratch, contacts,
             stats);
    }
  }
  fmt::print("  memory: surface {:.0f}, scratch {:.0f} bytes a triangle\n", per_triangle(empty, made),
             per_triangle(made, bytes_in_use()));
}

/// Time to make the surface of a scene, with its clusters: by all cores where it is large.
void print_making(const BenchScene& scene, int passes) {
  const auto triangles = static_cast<double>(scene.surface.triangles().size());
  Duration best{INFINITY, INFINITY};
  for (int pass = 0; pass < passes; ++pass) {
    std::vector<Triangle> list(scene.surface.triangles().begin(), scene.surface.triangles().end());
    std::vector<Index> objects(scene.surface.object_of_triangle().begin(), scene.surface.object_of_triangle().end());
    const Stopwatch stopwatch;
    const Surface surface(scene.surface.vertex_count(), std::move(list), std::move(objects));
    const Duration duration = stopwatch.elapsed();
    best.cpu_ms = std::min(best.cpu_ms, duration.cpu_ms);
    best.wall_ms = std::min(best.wall_ms, duration.wall_ms);
  }
  fmt::print("  surface made in {:.2f} ms by the clock, {:.2f} of the processor: {:.3f} us of it a triangle\n",
             best.wall_ms, best.cpu_ms, 1e3 * best.cpu_ms / triangles);
}

void run_scene(const SceneEntry& entry, const Settings& settings) {
  BenchScene scene = entry.make(settings.quick);
  std::vector<std::vector<Eigen::Vector3d>> frames;
  for (std::size_t f = 0; f < scene.frames.size(); f += static_cast<std::size_t>(settings.every))
    frames.push_back(std::move(scene.frames[f]));
  if (frames.size() > static_cast<std::size_t>(settings.frames)) {
    const std::size_t first = (frames.size() - static_cast<std::size_t>(settings.frames)) / 2;
    frames.erase(frames.begin(), frames.begin() + static_cast<std::ptrdiff_t>(first));
    frames.resize(static_cast<std::size_t>(settings.frames));
  }
  const DetectOptions options{.distance = scene.distance,
                              .pairs = scene.pairs,
                              .method = settings.method,
                              .threads = settings.threads,
                              .filters = filters_of(settings),
                              .coherent = !settings.fresh};
  std::vector<double> reference_ms(frames.size(), INFINITY);
  std::vector<double> ours_ms(frames.size(), INFINITY);
  std::vector<double> steps_ms(frames.size(), INFINITY);
  double first_reference_ms = INFINITY;
  double first_ms = INFINITY;
  double contacts_sum = 0;
  PipelineStats last_stats;
  reference::Grid grid(scene.surface);
  std::vector<Contact> reference_contacts;
  const auto run_reference = [&](std::size_t f) {
    reference::Stats stats;
    const Stopwatch stopwatch;
    grid.detect(frames[f], {.distance = scene.distance, .pairs = scene.pairs}, reference_contacts, stats);
    return stopwatch.elapsed().cpu_ms;
  };
  for (int pass = 0; pass < settings.passes; ++pass) {
    // The first frame is measured with memory that nothing has been in; the others, and it again, with memory that all
    // of them have been in. What the reference keeps is nothing but memory, so once is enough.
    if (!settings.no_reference) {
      if (pass == 0) {
        first_reference_ms = run_reference(0);
        for (std::size_t f = frames.size(); f-- > 1;) run_reference(f);
      }
      for (std::size_t f = 0; f < frames.size(); ++f) reference_ms[f] = std::min(reference_ms[f], run_reference(f));
    }
    DetectScratch scratch;
    PipelineStats stats;
    CompactContacts compact;
    std::vector<Contact> contacts;
    const auto run_ours = [&](std::size_t f) {
      const Stopwatch stopwatch;
      if (settings.records) {
        detect(scene.surface, frames[f], options, scratch, contacts, stats);
      } else {
        detect(scene.surface, frames[f], options, scratch, compact, stats);
      }
      return time_of(stopwatch.elapsed(), settings.threads);
    };
    first_ms = std::min(first_ms, run_ours(0));
    // Backwards, so that things move as they do later. Which frames are slow because something is found anew is the
    // same in each pass, so none of them is lost by taking the best.
    for (std::size_t f = frames.size(); f-- > 1;) run_ours(f);
    contacts_sum = 0;
    for (std::size_t f = 0; f < frames.size(); ++f) {
      ours_ms[f] = std::min(ours_ms[f], run_ours(f));
      last_stats = stats;
      contacts_sum += static_cast<double>(settings.records ? contacts.size() : compact.size());
      if (settings.check && pass == 0) {
        if (!settings.records) make_contacts(scene.surface, frames[f], compact, contacts);
        const auto expected = detect(scene.surface, frames[f],
                                     {.distance = scene.distance,
                                      .pairs = scene.pairs,
                                      .method = "bvh14",
                                      .threads = 1,
                                      .filters = filters_of(settings)});
        if (!std::equal(expected.begin(), expected.end(), contacts.begin(), contacts.end(), same))
          fmt::print("{}: frame {} differs: {} contacts, expected {}\n", scene.name, f, contacts.size(),
                     expected.size());
      }
    }
    std::vector<MovingContact> impacts;
    DetectScratch step_scratch;
    const auto run_step = [&](std::size_t from, std::size_t to) {
      const Stopwatch stopwatch;
      detect_continuous(scene.surface, frames[from], frames[to],
                        {.distance = scene.distance, .pairs = scene.pairs, .threads = settings.threads}, step_scratch,
                        impacts, stats);
      return time_of(stopwatch.elapsed(), settings.threads);
    };
    if (settings.steps) {
      for (std::size_t f = frames.size(); f-- > 1;) run_step(f, f - 1);
      for (std::size_t f = 0; f + 1 < frames.size(); ++f) steps_ms[f] = std::min(steps_ms[f], run_step(f, f + 1));
    }
  }
  const auto mean = [](const std::vector<double>& times, std::size_t count) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += times[i];
    return sum / static_cast<double>(count);
  };
  const double ours = mean(ours_ms, frames.size());
  fmt::print("{:24} {:7} triangles {:4} frames {:9.0f} contacts  {:9.4f} ms  {:6.2f} x  first {:8.3f} ms  {:6.2f} x",
             scene.name, scene.surface.triangles().size(), frames.size(),
             contacts_sum / static_cast<double>(frames.size()), ours, mean(reference_ms, frames.size()) / ours,
             first_ms, first_reference_ms / first_ms);
  if (settings.steps && frames.size() > 1)
    fmt::print("  step {:8.4f} ms = {:.2f} frames", mean(steps_ms, frames.size() - 1),
               mean(steps_ms, frames.size() - 1) / mean(ours_ms, frames.size() - 1));
  fmt::print("\n");
  if (settings.memory) print_memory(scene, frames);
  if (settings.make) print_making(scene, settings.passes);
  if (settings.stats) {
    for (const Stage stage : {Stage::bounds, Stage::broad, Stage::mid, Stage::narrow}) {
      fmt::print("  {}: {} in", to_string(stage), last_stats[stage].in);
      for (const Culled& culled : last_stats[stage].culled()) fmt::print(", {} {}", culled.count, culled.reason);
      for (const Counted& counted : last_stats[stage].counted()) fmt::print(", {} {}", counted.count, counted.name);
      fmt::print(", {} out, {:.3f} ms\n", last_stats[stage].out, 1e3 * last_stats[stage].seconds);
    }
  }
  std::fflush(stdout);
}

int start(int argc, char** argv) {
  CLI::App app{"Detection against the reference; docs/benchmarks.md explains the figures.", "carom_bench_detect"};
  Settings settings;
  app.add_option("--scene", settings.scenes, "only these");
  app.add_option("--method", settings.method, "default: auto");
  app.add_option("--threads", settings.threads, "default: 1, by time of the processor; several by the clock");
  app.add_flag("--quick", settings.quick, "few frames, one pass");
  app.add_option("--passes", settings.passes, "the best of which counts for each frame (default: 3)");
  app.add_option("--every", settings.every, "frame only (default: 1)");
  app.add_option("--frames", settings.frames, "at most, from the middle (default: 40)");
  app.add_option("--target", settings.target, "instructions: avx3, avx2, sse4 or plain (default: the best there are)");
  app.add_flag("--steps", settings.steps, "continuous detection as well");
  app.add_flag("--fresh", settings.fresh, "nothing is kept from frame to frame");
  app.add_flag("--no-reference", settings.no_reference, "only ours");
  app.add_flag("--exclude", settings.exclude, "with a list of one pair of vertices");
  app.add_option("--surface-factor", settings.surface_factor, "with the filter of neighbors along the surface");
  app.add_flag("--records", settings.records, "contacts as records of 152 bytes instead of 32");
  app.add_flag("--memory", settings.memory, "what surface and scratch hold, in bytes a triangle");
  app.add_flag("--make", settings.make, "time to make the surface, with its clusters");
  app.add_flag("--stats", settings.stats, "of the last frame");
  app.add_flag("--check", settings.check, "compare with the method bvh14, bit by bit");
  CLI11_PARSE(app, argc, argv);
  if (settings.quick && app.count("--passes") == 0) settings.passes = 1;
  if (settings.target == "avx2") hwy::SetSupportedTargetsForTest(HWY_AVX2);
  if (settings.target == "sse4") hwy::SetSupportedTargetsForTest(HWY_SSE4);
  if (settings.target == "plain") hwy::SetSupportedTargetsForTest(HWY_STATIC_TARGET);
  for (const SceneEntry& entry : bench_scenes()) {
    const auto& wanted = settings.scenes;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), entry.name) == wanted.end()) continue;
    run_scene(entry, settings);
  }
  return 0;
}

}  // namespace
}  // namespace carom::bench

int main(int argc, char** argv) {
  return carom::bench::run_program("carom_bench_detect", carom::bench::start, argc, argv);
}
