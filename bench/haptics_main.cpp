#include <fmt/format.h>
#include <pthread.h>
#include <time.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <numbers>
#include <thread>

#include "bench/program.hpp"
#include "bench/stopwatch.hpp"
#include "bench/table.hpp"
#include "carom/haptics/haptic_link.hpp"
#include "carom/mesh/generate.hpp"

/// The loop of a haptic device beside a world of many triangles: how long an update takes, and how late its wrench is;
/// see docs/benchmarks.md.
namespace carom::bench {
namespace {

using Eigen::Isometry3d;
using Eigen::Vector3d;

struct Settings {
  double seconds = 20;
  int segments = 158;  // 49928 triangles
  int threads = 0;
  bool plain = false;
  std::string out = "out/bench";
};

constexpr double period = 1e-3;  // s
/// Upper ends of the classes of the histogram, microseconds.
constexpr std::array<double, 10> classes{5, 10, 20, 50, 100, 200, 500, 1000, 5000, INFINITY};

/// A sheet in a frame and a probe above it.
BodyId add_bodies(World& world, int segments) {
  constexpr double size = 3.2;
  ClothBody sheet{.name = "sheet", .mesh = make_sheet(size, size, segments, segments)};
  sheet.fabric = {.density = 0.5, .warp_stiffness = 300, .weft_stiffness = 300, .shear_stiffness = 80};
  sheet.air_damping = 2;
  sheet.inner_steps = 16;
  sheet.sleeping_allowed = false;
  for (std::size_t v = 0; v < sheet.mesh.positions.size(); ++v) {
    const Vector3d& p = sheet.mesh.positions[v];
    if (std::max(std::abs(p.x()), std::abs(p.z())) > 0.4999 * size) sheet.pinned.push_back(static_cast<Index>(v));
  }
  fmt::print("{} triangles\n", sheet.mesh.triangles.size());
  world.add(std::move(sheet));
  Isometry3d pose = Isometry3d::Identity();
  pose.translation().y() = 0.1;
  return world.add(RigidBody{.name = "probe",
                             .shape = Shape::sphere(0.03),
                             .pose = pose,
                             .mass = MassOverride{.mass = 1, .inertia_from_shape = true},
                             .sleeping_allowed = false});
}

/// Hand that presses and slides.
Isometry3d hand_at(double t) {
  Isometry3d pose = Isometry3d::Identity();
  pose.translation() = Vector3d(0.1 * std::sin(0.7 * t), 0.045 - 0.04 * std::sin(2 * t), 0.08 * std::sin(1.1 * t));
  return pose;
}

struct Samples {
  std::vector<double> work;  ///< us, of an update
  std::vector<double> late;  ///< us, from the time at which an update was due to its wrench
  double largest_force = 0;
  bool real_time = false;
};

double now_us() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e6 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_nsec);
}

/// A thousand updates a second, at times that are fixed beforehand.
void device_loop(const Settings& settings, HapticTool& tool, std::atomic<bool>& end, Samples& samples) {
  const sched_param priority{.sched_priority = 50};
  samples.real_time = !settings.plain && pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority) == 0;
  const double begin = now_us();
  for (long i = 1; !end; ++i) {
    const double due = begin + 1e6 * period * static_cast<double>(i);
    timespec until{};
    until.tv_sec = static_cast<time_t>(due / 1e6);
    until.tv_nsec = static_cast<long>(1e3 * std::fmod(due, 1e6));
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
    const double woken = now_us();
    const HapticWrench wrench = tool.update(hand_at(period * static_cast<double>(i)), period);
    const double done = now_us();
    if (samples.work.size() == samples.work.capacity()) break;
    samples.work.push_back(done - woken);
    samples.late.push_back(done - due);
    samples.largest_force = std::max(samples.largest_force, wrench.force.norm());
  }
}

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  const auto place = static_cast<std::size_t>(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(place), values.end());
  return values[place];
}

std::vector<std::string> row_of(const char* name, const std::vector<double>& values) {
  std::vector<std::string> row{name};
  for (const double q : {0.5, 0.99, 0.999, 1.0}) row.push_back(fmt::format("{:.1f}", quantile(values, q)));
  return row;
}

std::vector<std::string> histogram_of(const char* name, const std::vector<double>& values) {
  std::vector<std::string> row{name};
  double below = 0;
  for (const double top : classes) {
    const auto count = std::count_if(values.begin(), values.end(), [&](double v) { return v > below && v <= top; });
    row.push_back(fmt::format("{}", count));
    below = top;
  }
  return row;
}

int start(int argc, char** argv) {
  Settings settings;
  CLI::App app{"A haptic loop of 1 kHz beside a world; docs/benchmarks.md explains the tables.", "carom_bench_haptics"};
  app.add_option("--seconds", settings.seconds, "length of the run");
  app.add_option("--segments", settings.segments, "segments of the sheet along each side");
  app.add_option("--threads", settings.threads, "threads of the world; 0 = all cores");
  app.add_flag("--plain", settings.plain, "without real-time priority for the loop, even if it may have it");
  app.add_option("--out", settings.out, "folder for haptics.csv and haptics_histogram.csv");
  CLI11_PARSE(app, argc, argv);

  WorldOptions options{.dt = 1.0 / 60, .threads = settings.threads};
  options.gravity = {0, 0, 0};
  options.contact.distance = 0.01;
  World world(options);
  const BodyId probe = add_bodies(world, settings.segments);
  HapticTool tool({.stiffness = 1000});
  HapticLink link(world, probe, tool);
  Samples samples;
  samples.work.reserve(static_cast<std::size_t>(2e3 * settings.seconds) + 1000);
  samples.late.reserve(samples.work.capacity());
  std::atomic<bool> end{false};
  std::thread device([&] { device_loop(settings, tool, end, samples); });
  const Stopwatch watch;
  int steps = 0;
  std::size_t largest_planes = 0;
  for (; watch.elapsed().wall_ms < 1e3 * settings.seconds; ++steps) {
    link.before_step();
    world.step();
    link.after_step();
    std::size_t touching = 0;
    for (const WorldContact& c : world.contacts()) touching += c.body_a == probe || c.body_b == probe ? 1 : 0;
    largest_planes = std::max(largest_planes, touching);
  }
  end = true;
  device.join();
  const double ms = watch.elapsed().wall_ms / steps;

  const HapticCounts counts = tool.counts();
  Table table{"Haptic loop, microseconds", {"", "median", "99%", "99.9%", "largest"}, {}};
  table.add(row_of("update", samples.work));
  table.add(row_of("from due to wrench", samples.late));
  Table histogram{"Histogram, updates up to so many microseconds", {""}, {}};
  for (const double top : classes) histogram.head.push_back(std::isinf(top) ? "more" : fmt::format("{:g}", top));
  histogram.add(histogram_of("update", samples.work));
  histogram.add(histogram_of("from due to wrench", samples.late));
  publish(settings.out, {{"haptics.csv", table}, {"haptics_histogram.csv", histogram}});
  fmt::print(
      "{} updates, {}; world: {} steps of {:.1f} ms, at most {} contacts of the tool; largest force {:.2f} N; "
      "{} weakened, {} limited, {} unsolved\n",
      counts.updates, samples.real_time ? "real-time priority" : "no real-time priority", steps, ms, largest_planes,
      samples.largest_force, counts.weakened, counts.limited, counts.unsolved);
  return 0;
}

}  // namespace
}  // namespace carom::bench

int main(int argc, char** argv) {
  return carom::bench::run_program("carom_bench_haptics", carom::bench::start, argc, argv);
}
