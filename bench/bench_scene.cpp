#include "bench/bench_scene.hpp"

#include <algorithm>
#include <optional>

#include "io/scene/scene_mesh.hpp"

namespace carom::bench {

namespace {

using Positions = std::vector<Eigen::Vector3d>;

/// Bodies whose place depends on nothing but the time.
struct MovingBody {
  TriangleMesh mesh;
  MotionFunction motion;  ///< none if it stands still
};

std::optional<MovingBody> make_moving(const SceneBody& spec) {
  if (const auto* fixed = std::get_if<FixedSceneBody>(&spec.body)) return MovingBody{build(fixed->source), {}};
  if (const auto* kinematic = std::get_if<ScriptedSceneBody>(&spec.body)) {
    ScriptedBody body = build(*kinematic);
    return MovingBody{std::move(body.mesh), std::move(body.motion)};
  }
  return std::nullopt;
}

struct Joined {
  std::vector<Triangle> triangles;
  std::vector<Index> object_of_triangle;
  std::size_t vertices = 0;

  void add(std::span<const Triangle> more, std::size_t vertex_count, Index object) {
    const auto offset = static_cast<Index>(vertices);
    for (const Triangle& t : more) triangles.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
    object_of_triangle.resize(triangles.size(), object);
    vertices += vertex_count;
  }
  Surface surface() && { return {vertices, std::move(triangles), std::move(object_of_triangle)}; }
};

bool is_chosen(int step, const FrameChoice& choice) {
  return step >= choice.first && (step - choice.first) % choice.stride == 0;
}

bool is_full(const BenchScene& scene, const FrameChoice& choice) {
  return scene.frames.size() >= static_cast<std::size_t>(std::max(choice.count, 1));
}

void place_moving(const std::vector<MovingBody>& bodies, const Scene& scene, const FrameChoice& choice,
                  BenchScene& result) {
  Joined joined;
  Index object = 0;
  for (const MovingBody& body : bodies) joined.add(body.mesh.triangles, body.mesh.positions.size(), object++);
  const std::size_t vertices = joined.vertices;
  result.surface = std::move(joined).surface();
  for (int step = choice.first; step <= scene.steps && !is_full(result, choice); step += choice.stride) {
    Positions& positions = result.frames.emplace_back(vertices);
    std::size_t offset = 0;
    for (const MovingBody& body : bodies) {
      const auto place = std::span(positions).subspan(offset, body.mesh.positions.size());
      offset += place.size();
      if (body.motion) {
        body.motion(step * scene.world.dt, place);
      } else {
        std::copy(body.mesh.positions.begin(), body.mesh.positions.end(), place.begin());
      }
    }
  }
}

void simulate(const Scene& scene, const FrameChoice& choice, BenchScene& result) {
  World world = build_world(scene);
  Joined joined;
  Index object = 0;
  for (const BodyId body : world.bodies()) joined.add(world.triangles(body), world.positions(body).size(), object++);
  result.surface = std::move(joined).surface();
  for (int step = 0; step <= scene.steps && !is_full(result, choice); ++step) {
    if (step > 0) world.step();
    if (!is_chosen(step, choice)) continue;
    Positions& positions = result.frames.emplace_back();
    for (const BodyId body : world.bodies()) {
      positions.insert(positions.end(), world.positions(body).begin(), world.positions(body).end());
    }
  }
}

}  // namespace

BenchScene sample(const Scene& scene, const FrameChoice& choice) {
  BenchScene result;
  result.name = scene.name;
  result.distance = scene.world.contact.distance;
  result.pairs = scene.world.contact.pairs;
  std::vector<MovingBody> bodies;
  for (const SceneBody& spec : scene.bodies) {
    auto body = make_moving(spec);
    if (!body) break;
    bodies.push_back(std::move(*body));
  }
  if (bodies.size() == scene.bodies.size()) {
    place_moving(bodies, scene, choice, result);
  } else {
    simulate(scene, choice, result);
  }
  return result;
}

FrameChoice spread_over(const Scene& scene, int count) {
  const int stride = std::max(1, scene.steps / std::max(count, 1));
  return {.first = std::min(scene.steps, stride / 2), .stride = stride, .count = count};
}

FrameChoice in_a_row(const Scene& scene, int count) {
  return {.first = std::max(0, (scene.steps + 1 - count) / 2), .stride = 1, .count = count};
}

}  // namespace carom::bench
