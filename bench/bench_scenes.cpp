#include "bench/bench_scenes.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "bench/peers.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/mesh/surface_builder.hpp"

namespace carom::bench {

namespace {

/// All of them where frames are cheap.
constexpr int all = 1'000'000;

BenchScene builtin(const char* name, int frames) {
  const Scene scene = find_scene(name);
  return sample(scene, in_a_row(scene, frames));
}

BenchScene soft_balls(PairScope pairs, const char* name, int frames) {
  BenchScene scene = builtin("soft-balls", frames);
  scene.name = name;
  scene.pairs = pairs;
  return scene;
}

/// The built-in roll, ten times as large: twice as wide and five times as long, segments and gaps alike.
BenchScene large_roll(int frames) {
  Scene scene = find_scene("rolled-sheet-20000");
  auto& body = std::get<ScriptedSceneBody>(scene.bodies[0].body);
  for (MeshSource* mesh : {&body.source, &*body.morph_target}) {
    auto& roll = std::get<RollSource>(mesh->shape);
    roll.inner_radius *= 2;
    roll.turns = 13.5;
    roll.width *= 2;
    roll.along *= 5;
    roll.across *= 2;
  }
  scene.name = "rolled-sheet-200000";
  return sample(scene, in_a_row(scene, frames));
}

}  // namespace

const std::vector<SceneEntry>& bench_scenes() {
  static const std::vector<SceneEntry> entries{
      {"two-tori-1600", [](bool quick) { return builtin("two-tori-1600", quick ? 60 : all); }},
      {"two-tori-6400", [](bool quick) { return builtin("two-tori-6400", quick ? 30 : all); }},
      {"two-tori-25600", [](bool quick) { return builtin("two-tori-25600", quick ? 15 : all); }},
      {"knot", [](bool quick) { return builtin("knot", quick ? 40 : all); }},
      {"rolled-sheet-20000", [](bool quick) { return builtin("rolled-sheet-20000", quick ? 8 : 40); }},
      {"rolled-sheet-200000", [](bool quick) { return large_roll(quick ? 4 : 12); }},
      {"soft-balls", [](bool quick) { return soft_balls(PairScope::all, "soft-balls", quick ? 8 : 40); }},
      {"soft-balls-between",
       [](bool quick) { return soft_balls(PairScope::between, "soft-balls-between", quick ? 8 : 40); }},
      {"passing-sheets", [](bool quick) { return builtin("passing-sheets", quick ? 8 : all); }},
  };
  return entries;
}

BenchScene make_stack(int triangles, int frames) {
  constexpr int layers = 4;
  constexpr double segment = 0.01;
  constexpr double wave = 24 * segment;
  constexpr double height = 0.004;
  const int side = std::max(1, static_cast<int>(std::lround(std::sqrt(triangles / (2.0 * layers)))));
  const TriangleMesh sheet = make_sheet(side * segment, side * segment, side, side);

  SurfaceBuilder stack;
  for (int layer = 0; layer < layers; ++layer) stack.add(sheet);
  BenchScene scene;
  scene.name = fmt::format("stack-{}", stack.triangles().size());
  scene.surface = stack.surface();
  scene.distance = 0.003;
  scene.pairs = PairScope::all;
  // Neighbours wave against each other: they meet at the crests of one and the hollows of the other, and
  // each slides a little from frame to frame.
  constexpr double k = 2 * std::numbers::pi / wave;
  for (int frame = 0; frame < frames; ++frame) {
    auto& positions = scene.frames.emplace_back();
    positions.reserve(scene.surface.vertex_count());
    for (int layer = 0; layer < layers; ++layer) {
      const double sign = layer % 2 == 0 ? 1 : -1;
      const Eigen::Vector3d slide(0.0031 * layer + 0.0007 * frame * sign, layer * (2 * height + 0.002), 0.0017 * layer);
      for (const Eigen::Vector3d& p : sheet.positions) {
        const double y = sign * height * std::sin(k * p.x()) * std::cos(k * p.z());
        positions.push_back(p + slide + Eigen::Vector3d(0, y, 0));
      }
    }
  }
  return scene;
}

std::vector<std::vector<Index>> triangles_by_object(const Surface& surface) {
  std::vector<std::vector<Index>> groups(surface.objects().size());
  for (std::size_t t = 0; t < surface.triangles().size(); ++t) {
    groups[static_cast<std::size_t>(surface.object_index_of_triangle()[t])].push_back(static_cast<Index>(t));
  }
  return groups;
}

}  // namespace carom::bench
