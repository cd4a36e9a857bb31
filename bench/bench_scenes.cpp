#include "bench/bench_scenes.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "bench/draw.hpp"
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

/// The built-in roll, five times as long, with every grid taken out of it: vertices moved along the sheet by up to 0.3
/// of a segment, diagonals at random, vertices and triangles numbered at random.
BenchScene irregular_roll(int frames) {
  Scene source = find_scene("rolled-sheet-20000");
  auto& body = std::get<ScriptedSceneBody>(source.bodies[0].body);
  int along = 0;
  int across = 0;
  for (MeshSource* mesh : {&body.source, &*body.morph_target}) {
    auto& roll = std::get<RollSource>(mesh->shape);
    roll.turns *= 2.4;
    roll.inner_radius *= 1.5;
    roll.along *= 5;
    along = roll.along;
    across = roll.across;
  }
  BenchScene scene = sample(source, in_a_row(source, frames));
  scene.name = "irregular-roll-100000";
  Draw draw;
  const auto shuffled = [&](std::size_t count) {
    std::vector<Index> order(count);
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = count; i > 1; --i)
      std::swap(order[i - 1], order[static_cast<std::size_t>(draw.below(static_cast<int>(i)))]);
    return order;
  };
  const int row = across + 1;
  const std::size_t vertices = scene.surface.vertex_count();
  const std::vector<Index> number = shuffled(vertices);
  std::vector<Triangle> triangles;
  for (int j = 0; j < along; ++j) {
    for (int i = 0; i < across; ++i) {
      const auto vertex = [&](int di, int dj) { return number[static_cast<std::size_t>((j + dj) * row + i + di)]; };
      const Index a = vertex(0, 0);
      const Index b = vertex(1, 0);
      const Index c = vertex(0, 1);
      const Index d = vertex(1, 1);
      if (draw.below(2) == 0) {
        triangles.insert(triangles.end(), {{a, c, d}, {a, d, b}});
      } else {
        triangles.insert(triangles.end(), {{a, c, b}, {b, c, d}});
      }
    }
  }
  std::vector<Triangle> list(triangles.size());
  const std::vector<Index> place = shuffled(triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) list[static_cast<std::size_t>(place[t])] = triangles[t];
  scene.surface = Surface(vertices, std::move(list));
  std::vector<std::array<double, 2>> move(vertices);
  for (auto& [u, v] : move) {
    u = draw.number(-0.3, 0.3);
    v = draw.number(-0.3, 0.3);
  }
  for (auto& positions : scene.frames) {
    const std::vector<Eigen::Vector3d> smooth = positions;
    for (int j = 0; j <= along; ++j) {
      for (int i = 0; i <= across; ++i) {
        const auto at = [&](int u, int v) { return smooth[static_cast<std::size_t>(v * row + u)]; };
        Eigen::Vector3d p = at(i, j);
        const auto& [u, v] = move[static_cast<std::size_t>(j * row + i)];
        if (i > 0 && i < across) p += 0.5 * u * (at(i + 1, j) - at(i - 1, j));
        if (j > 0 && j < along) p += 0.5 * v * (at(i, j + 1) - at(i, j - 1));
        positions[static_cast<std::size_t>(number[static_cast<std::size_t>(j * row + i)])] = p;
      }
    }
  }
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
      {"irregular-roll-100000", [](bool quick) { return irregular_roll(quick ? 4 : 12); }},
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
