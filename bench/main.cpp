#include <fmt/format.h>
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "bench/bench_scenes.hpp"
#include "bench/measure.hpp"
#include "bench/peers.hpp"
#include "bench/program.hpp"
#include "bench/stopwatch.hpp"
#include "bench/table.hpp"
#include "carom/detect/detect_continuous.hpp"
#include "detect/candidates.hpp"

/// The benchmarks of detection, see docs/benchmarks.md.
namespace carom::bench {
namespace {

struct Settings {
  std::vector<std::string> scenes;
  std::vector<std::string> methods;
  bool quick = false;
  int threads = 2;
  int passes = 0;
  std::string out = "out/bench";
};

struct Tables {
  Table whole{"Whole calls: positions in, contacts out; times faster than the reference",
              {"scene", "triangles", "contacts", "method", "threads", "ms", "faster"},
              {}};
  Table candidates{
      "Candidates alone, one thread: positions in, pairs of triangles out; times faster than the best peer",
      {"scene", "triangles", "pairs", "by", "ms", "faster"},
      {}};
  Table threads{
      "Threads: times faster than one", {"scene", "triangles", "method", "threads", "ms_1", "ms_n", "faster"}, {}};
  Table scaling{"Scaling at constant density, one thread: stacked sheets",
                {"triangles", "method", "ms", "ns_a_triangle", "contacts_a_triangle", "grown"},
                {}};
  Table steps{
      "Over steps, one thread: from each frame to the next, with times of impact; times slower than at the frames",
      {"scene", "triangles", "impacts", "ms_frame", "ms_step", "slower", "moving_boxes_culled"},
      {}};
  Table memory{"Memory kept between calls: the surface with its clusters, the scratch, and the contacts",
               {"scene", "triangles", "method", "bytes_of_surface_a_triangle", "bytes_of_scratch_a_triangle",
                "bytes_of_contacts_a_triangle"},
               {}};
};

void tell(const std::string& what) {
  fmt::print(stderr, "{}\n", what);
}

std::string count_of(const Surface& surface) {
  return fmt::format("{}", surface.triangles().size());
}

/// In use by the program, in bytes: from the heap and mapped.
std::size_t memory_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

std::vector<Contender> contenders_of(const Settings& settings) {
  std::vector<Contender> contenders{{.method = std::string(reference_name), .threads = 1}};
  for (const std::string& method : settings.methods) {
    contenders.push_back({method, 1});
    if (settings.threads > 1) contenders.push_back({method, settings.threads});
  }
  return contenders;
}

void bench_whole(const BenchScene& scene, const Settings& settings, Tables& tables) {
  const std::vector<Result> results =
      measure(scene, contenders_of(settings), {.passes = settings.passes, .progress = tell, .cancelled = {}});
  const double reference_ms = results.front().ms();
  for (const Result& r : results) {
    tables.whole.add({scene.name, count_of(scene.surface), fmt::format("{:.0f}", r.contacts), r.contender.method,
                      fmt::format("{}", r.contender.threads), fmt::format("{:.3f}", r.ms()),
                      fmt::format("{:.2f}", reference_ms / r.ms())});
  }
  for (const Result& one : results) {
    for (const Result& many : results) {
      if (one.contender.method != many.contender.method || one.contender.threads != 1 || many.contender.threads == 1)
        continue;
      tables.threads.add({scene.name, count_of(scene.surface), one.contender.method,
                          fmt::format("{}", many.contender.threads), fmt::format("{:.3f}", one.wall_ms),
                          fmt::format("{:.3f}", many.wall_ms), fmt::format("{:.2f}", one.wall_ms / many.wall_ms)});
    }
  }
}

/// The pairs of the first frame, each with its lower number first, sorted.
PairList first_pairs(Peer& peer, const BenchScene& scene) {
  PairList pairs = peer.candidates(scene.frames.front());
  for (auto& [a, b] : pairs) {
    if (a > b) std::swap(a, b);
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

/// A peer that loses pairs, or has any twice, does another job than ours: its time would mean nothing.
void check_peer(Peer& peer, const BenchScene& scene, const PairList& expected) {
  const PairList pairs = first_pairs(peer, scene);
  PairList missing;
  std::set_difference(expected.begin(), expected.end(), pairs.begin(), pairs.end(), std::back_inserter(missing));
  if (!missing.empty())
    tell(fmt::format("warning: {} misses {} of {} pairs", peer.name(), missing.size(), expected.size()));
  if (std::adjacent_find(pairs.begin(), pairs.end()) != pairs.end()) {
    tell(fmt::format("warning: {} has pairs twice", peer.name()));
  }
}

struct PeerResult {
  std::string name;
  double pairs = 0;
  double ms = 0;
};

/// `find` takes positions and returns the number of pairs.
template <class Find>
PeerResult bench_candidates_of(std::string_view name, const BenchScene& scene, int passes, Find&& find) {
  PeerResult result{std::string(name)};
  tell(fmt::format("{}: candidates by {}", scene.name, name));
  std::vector<double> best(scene.frames.size(), INFINITY);
  for (int pass = 0; pass < passes; ++pass) {
    find(scene.frames.front());
    double pairs = 0;
    for (std::size_t f = 0; f < scene.frames.size(); ++f) {
      const Stopwatch stopwatch;
      pairs += static_cast<double>(find(scene.frames[f]));
      best[f] = std::min(best[f], stopwatch.elapsed().cpu_ms);
    }
    result.pairs = pairs / static_cast<double>(scene.frames.size());
  }
  for (const double ms : best) result.ms += ms / static_cast<double>(scene.frames.size());
  return result;
}

PeerResult bench_our_candidates(const std::string& method, const BenchScene& scene, int passes) {
  Workers workers(1);
  Arena arena;
  detection::Candidates candidates;
  const detection::CandidateOptions options{
      .distance = scene.distance, .pairs = scene.pairs, .method = mid::method_by_name(method)};
  return bench_candidates_of(method, scene, passes, [&](const std::vector<Eigen::Vector3d>& positions) {
    arena.reset();
    Context context{workers, arena};
    PipelineStats stats;
    detection::find_triangle_pairs(context, {scene.surface, positions}, options, candidates, stats);
    return candidates.mid.pairs.size();
  });
}

void bench_candidates(const BenchScene& scene, const Settings& settings, Tables& tables) {
  std::vector<PeerResult> peers;
  const PairList expected = first_pairs(*make_cgal(scene), scene);
  for (const auto make : {make_cgal, make_embree, make_fcl}) {
    const std::unique_ptr<Peer> peer = make(scene);
    check_peer(*peer, scene, expected);
    peers.push_back(bench_candidates_of(
        peer->name(), scene, settings.passes,
        [&](const std::vector<Eigen::Vector3d>& positions) { return peer->candidates(positions).size(); }));
  }
  double best = INFINITY;
  for (const PeerResult& peer : peers) best = std::min(best, peer.ms);
  const auto add = [&](const PeerResult& result) {
    tables.candidates.add({scene.name, count_of(scene.surface), fmt::format("{:.0f}", result.pairs), result.name,
                           fmt::format("{:.3f}", result.ms), fmt::format("{:.2f}", best / result.ms)});
  };
  for (const PeerResult& peer : peers) add(peer);
  for (const std::string& method : settings.methods) add(bench_our_candidates(method, scene, settings.passes));
}

/// Pairs of clusters or features whose boxes over the whole step overlap, but not as they move.
std::uint64_t culled_by_moving_boxes(const PipelineStats& stats) {
  std::uint64_t count = 0;
  for (const Stage stage : {Stage::mid, Stage::narrow})
    for (const Culled& culled : stats[stage].culled())
      if (culled.reason == "moving box") count += culled.count;
  return count;
}

/// Both once over all frames, in turns: what is kept from frame to frame must not be kept from pass to pass.
void bench_steps(const BenchScene& scene, Tables& tables) {
  tell(fmt::format("{}: over steps", scene.name));
  DetectScratch frame_scratch;
  DetectScratch step_scratch;
  std::vector<Contact> contacts;
  std::vector<MovingContact> impacts;
  PipelineStats stats;
  double frame_ms = 0;
  double step_ms = 0;
  double found = 0;
  double culled = 0;
  double steps = 0;
  for (std::size_t f = 0; f + 1 < scene.frames.size(); ++f) {
    const Stopwatch of_frame;
    detect(scene.surface, scene.frames[f], {.distance = scene.distance, .pairs = scene.pairs, .threads = 1},
           frame_scratch, contacts, stats);
    const double ms = of_frame.elapsed().cpu_ms;
    const Stopwatch of_step;
    detect_continuous(scene.surface, scene.frames[f], scene.frames[f + 1],
                      {.distance = scene.distance, .pairs = scene.pairs, .threads = 1}, step_scratch, impacts, stats);
    if (f < 2) continue;  // both get their memory
    frame_ms += ms;
    step_ms += of_step.elapsed().cpu_ms;
    found += static_cast<double>(impacts.size());
    culled += static_cast<double>(culled_by_moving_boxes(stats));
    ++steps;
  }
  if (steps == 0) return;
  tables.steps.add({scene.name, count_of(scene.surface), fmt::format("{:.0f}", found / steps),
                    fmt::format("{:.3f}", frame_ms / steps), fmt::format("{:.3f}", step_ms / steps),
                    fmt::format("{:.2f}", step_ms / frame_ms), fmt::format("{:.0f}", culled / steps)});
}

void bench_memory(const BenchScene& scene, const Settings& settings, Tables& tables) {
  for (const std::string& method : settings.methods) {
    const std::size_t empty = memory_in_use();
    const std::span<const Triangle> list = scene.surface.triangles();
    const std::span<const Index> objects = scene.surface.object_of_triangle();
    const Surface surface(scene.surface.vertex_count(), {list.begin(), list.end()}, {objects.begin(), objects.end()});
    const std::size_t before = memory_in_use();
    DetectScratch scratch;
    std::vector<Contact> contacts;
    PipelineStats stats;
    for (std::size_t i = 0; i < std::min<std::size_t>(scene.frames.size(), 3); ++i) {
      detect(surface, scene.frames[i],
             {.distance = scene.distance, .pairs = scene.pairs, .method = method, .threads = 1}, scratch, contacts,
             stats);
    }
    const double triangles = static_cast<double>(scene.surface.triangles().size());
    const std::size_t of_contacts = contacts.capacity() * sizeof(Contact);
    tables.memory.add({scene.name, count_of(scene.surface), method,
                       fmt::format("{:.0f}", static_cast<double>(before - empty) / triangles),
                       fmt::format("{:.0f}", static_cast<double>(memory_in_use() - before - of_contacts) / triangles),
                       fmt::format("{:.0f}", static_cast<double>(of_contacts) / triangles)});
  }
}

void bench_scaling(const Settings& settings, Tables& tables) {
  std::vector<int> sizes{10'000, 50'000, 200'000};
  if (!settings.quick) sizes.insert(sizes.end(), {700'000, 2'000'000});
  std::vector<Contender> contenders{{.method = std::string(reference_name), .threads = 1}};
  for (const std::string& method : settings.methods) contenders.push_back({method, 1});
  std::vector<double> smallest;
  for (const int size : sizes) {
    const BenchScene scene = make_stack(size, size > 500'000 ? 2 : 4);
    const double triangles = static_cast<double>(scene.surface.triangles().size());
    const auto results = measure(scene, contenders, {.passes = 2, .progress = tell, .cancelled = {}});
    for (std::size_t i = 0; i < results.size(); ++i) {
      const double ns = results[i].ms() * 1e6 / triangles;
      if (smallest.size() <= i) smallest.push_back(ns);
      tables.scaling.add({count_of(scene.surface), results[i].contender.method, fmt::format("{:.2f}", results[i].ms()),
                          fmt::format("{:.0f}", ns), fmt::format("{:.3f}", results[i].contacts / triangles),
                          fmt::format("{:.2f}", ns / smallest[i])});
    }
    if (size >= 2'000'000 || settings.quick) bench_memory(scene, settings, tables);
  }
}

void run(const Settings& settings) {
  Tables tables;
  for (const SceneEntry& entry : bench_scenes()) {
    const auto& wanted = settings.scenes;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), entry.name) == wanted.end()) continue;
    const BenchScene scene = entry.make(settings.quick);
    Settings for_scene = settings;
    if (scene.surface.triangles().size() > 100'000) for_scene.passes = std::min(settings.passes, 2);
    bench_whole(scene, for_scene, tables);
    bench_candidates(scene, for_scene, tables);
    bench_steps(scene, tables);
    bench_memory(scene, settings, tables);
  }
  const auto& wanted = settings.scenes;
  if (wanted.empty() || std::find(wanted.begin(), wanted.end(), "scaling") != wanted.end()) {
    bench_scaling(settings, tables);
  }
  std::filesystem::create_directories(settings.out);
  const std::filesystem::path folder(settings.out);
  publish(folder, {{"whole.csv", tables.whole},
                   {"candidates.csv", tables.candidates},
                   {"threads.csv", tables.threads},
                   {"steps.csv", tables.steps},
                   {"scaling.csv", tables.scaling},
                   {"memory.csv", tables.memory}});
  fmt::print("The same as CSV in {}\n", folder.string());
}

int start(int argc, char** argv) {
  CLI::App app{"Detection against the reference and against other libraries; docs/benchmarks.md explains the tables.",
               "carom_bench"};
  Settings settings;
  std::vector<std::string> names;
  for (const SceneEntry& entry : bench_scenes()) names.push_back(entry.name);
  names.emplace_back("scaling");
  app.add_option("--scene", settings.scenes, "only these: " + fmt::format("{}", fmt::join(names, ", ")))
      ->check(CLI::IsMember(names));
  app.add_option("--method", settings.methods, "only these (default: all but the slow twins)")
      ->check(CLI::IsMember(std::vector<std::string>(detect_methods().begin(), detect_methods().end())));
  app.add_flag("--quick", settings.quick, "few frames, one pass, no more than 200 thousand triangles");
  app.add_option("--threads", settings.threads, "of the runs with several (default: 2)")->check(CLI::Range(1, 1024));
  app.add_option("--passes", settings.passes, "over the frames; the best counts (default: 3)")
      ->check(CLI::Range(1, 1000));
  app.add_option("--out", settings.out, "folder of the CSV files (default: out/bench)");
  app.footer("Example:\n  carom_bench --scene knot --scene scaling --quick");
  CLI11_PARSE(app, argc, argv);
  if (settings.methods.empty()) settings.methods = fast_methods();
  if (settings.passes == 0) settings.passes = settings.quick ? 1 : 3;
  run(settings);
  return 0;
}

}  // namespace
}  // namespace carom::bench

int main(int argc, char** argv) {
  return carom::bench::run_program("carom_bench", carom::bench::start, argc, argv);
}
