#include "io/scene/scene_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "carom/mesh/figure.hpp"
#include "core/check.hpp"
#include "io/scene/scene_mesh.hpp"

namespace carom {
namespace {

struct Pose {
  double time = 0;
  Transform transform;
  double morph = 0;
};

/// Everything a motion needs; const, so that copies of the motion may share it.
struct MotionData {
  std::vector<Pose> poses;               ///< ascending in time, at least one
  std::vector<Eigen::Vector3d> start;    ///< the placed mesh
  std::vector<Eigen::Vector3d> towards;  ///< from the placed mesh to the placed target; empty without a target
  MotionFunction animation;              ///< of the mesh before its placement; empty if there is none
  Placement placement;                   ///< of the animated mesh
};

/// From 0 to 1 with zero slope at both ends.
double smoothstep(double u) {
  return u * u * (3 - 2 * u);
}

Pose interpolate(const Pose& from, const Pose& to, double time) {
  const double s = smoothstep((time - from.time) / (to.time - from.time));
  Pose pose;
  pose.time = time;
  pose.transform.position = (1 - s) * from.transform.position + s * to.transform.position;
  pose.transform.rotation = from.transform.rotation.slerp(s, to.transform.rotation).normalized();
  pose.transform.scale = (1 - s) * from.transform.scale + s * to.transform.scale;
  pose.morph = (1 - s) * from.morph + s * to.morph;
  return pose;
}

Pose pose_at(const std::vector<Pose>& poses, double time) {
  const auto next =
      std::upper_bound(poses.begin(), poses.end(), time, [](double t, const Pose& pose) { return t < pose.time; });
  if (next == poses.begin()) return poses.front();
  if (next == poses.end()) return poses.back();
  return interpolate(*(next - 1), *next, time);
}

void move(const MotionData& data, double time, std::span<Eigen::Vector3d> positions) {
  assert(positions.size() == data.start.size());
  const Pose pose = pose_at(data.poses, time);
  if (data.animation) {
    data.animation(time, positions);
    place(data.placement, positions);
    for (Eigen::Vector3d& p : positions) p = pose.transform * p;
    return;
  }
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const Eigen::Vector3d blended =
        data.towards.empty() ? data.start[i] : Eigen::Vector3d(data.start[i] + pose.morph * data.towards[i]);
    positions[i] = pose.transform * blended;
  }
}

std::vector<Pose> build_poses(const std::vector<Keyframe>& keyframes) {
  std::vector<Pose> poses;
  for (const Keyframe& key : keyframes) {
    const std::string where = fmt::format("keyframes[{}]", poses.size());
    require(std::isfinite(key.time) && std::isfinite(key.morph), ErrorCode::not_finite,
            "{}: time and morph must be finite", where);
    require(poses.empty() || key.time > poses.back().time, ErrorCode::invalid_argument,
            "{}.time: {} is not after the one before", where, key.time);
    try {
      poses.push_back({key.time, to_transform(key.placement), key.morph});
    } catch (const Error& error) {
      fail(error.code(), "{}.{}", where, error.what());
    }
  }
  if (poses.empty()) poses.emplace_back();
  return poses;
}

/// The positions of the morph target in the frame of the mesh.
std::vector<Eigen::Vector3d> build_target(const MeshSource& source, const TriangleMesh& mesh) try {
  TriangleMesh target = build(source);
  require(target.positions.size() == mesh.positions.size(), ErrorCode::bad_mesh, "{} vertices, but the mesh has {}",
          target.positions.size(), mesh.positions.size());
  require(target.triangles.size() == mesh.triangles.size(), ErrorCode::bad_mesh, "{} triangles, but the mesh has {}",
          target.triangles.size(), mesh.triangles.size());
  const auto differing = std::mismatch(mesh.triangles.begin(), mesh.triangles.end(), target.triangles.begin()).first;
  require(differing == mesh.triangles.end(), ErrorCode::bad_mesh, "triangle {} joins other vertices than in the mesh",
          differing - mesh.triangles.begin());
  return std::move(target.positions);
} catch (const Error& error) {
  fail(error.code(), "morph_target: {}", error.what());
}

}  // namespace

MotionFunction build_motion(const std::vector<Keyframe>& keyframes) {
  require(!keyframes.empty(), ErrorCode::invalid_argument,
          "keyframes is empty; expected at least one, which says where the pins are");
  for (const Keyframe& key : keyframes)
    require(key.morph == 0, ErrorCode::invalid_argument, "keyframes: morph is {}; pins have nothing to morph to",
            key.morph);
  auto shared = std::make_shared<const std::vector<Pose>>(build_poses(keyframes));
  return [shared = std::move(shared)](double time, std::span<Eigen::Vector3d> positions) {
    const Pose pose = pose_at(*shared, time);
    for (Eigen::Vector3d& p : positions) p = pose.transform * p;
  };
}

namespace {

/// Walk of the generator `figure`.
AnimatedMesh build_walk(const FigureSource& figure, const AnimationOptions& options) {
  require(options.name.empty() || options.name == "walk", ErrorCode::unknown_name,
          "animation: a figure has none called '{}'; expected 'walk'", options.name);
  AnimatedMesh walk;
  walk.mesh = make_figure(figure.height, figure.around);
  walk.motion = [move = make_figure_walk(figure.height, figure.around), options](double time,
                                                                                 std::span<Eigen::Vector3d> positions) {
    const double at = options.speed * time;
    move(options.loop ? std::fmod(at, figure_walk_duration) : at, positions);
  };
  walk.duration = figure_walk_duration / options.speed;
  walk.animations = {"walk"};
  return walk;
}

/// Animation of a file or of a figure, in place of its mesh.
AnimatedMesh build_animation(const ScriptedSceneBody& body) {
  const auto* file = std::get_if<FileSource>(&body.source.shape);
  const auto* figure = std::get_if<FigureSource>(&body.source.shape);
  require(file != nullptr || figure != nullptr, ErrorCode::invalid_argument,
          "animation: the mesh is made by a generator that has none; expected a file or the generator 'figure'");
  require(!body.morph_target, ErrorCode::invalid_argument, "animation: does not go together with morph_target");
  require(body.source.dents.empty(), ErrorCode::invalid_argument, "animation: does not go together with dents");
  if (figure != nullptr) return build_walk(*figure, *body.animation);
  const FileSource defaults;
  require(file->up == defaults.up && file->unit == defaults.unit, ErrorCode::unsupported,
          "animation: up and unit are not applied to animated meshes; turn and scale the mesh instead");
  return read_animated_mesh(file->path, *body.animation);
}

}  // namespace

ScriptedBody build_scripted(const ScriptedSceneBody& body) {
  require(!body.field || !body.morph_target, ErrorCode::unsupported,
          "field: does not go together with morph_target, which changes the shape");
  MotionData data;
  TriangleMesh mesh;
  if (body.animation) {
    AnimatedMesh animated = build_animation(body);
    mesh = std::move(animated.mesh);
    data.animation = std::move(animated.motion);
    data.placement = body.source.placement;
  } else {
    mesh = build_unplaced(body.source);
  }
  data.poses = build_poses(body.keyframes);
  if (body.morph_target) data.towards = build_target(*body.morph_target, mesh);
  place(body.source.placement, mesh.positions);
  if (body.morph_target) {
    // A placement is affine, so the blend of two placed meshes is the placed blend.
    place(body.source.placement, data.towards);
    for (std::size_t i = 0; i < data.towards.size(); ++i) data.towards[i] -= mesh.positions[i];
  }
  data.start = mesh.positions;
  auto shared = std::make_shared<const MotionData>(std::move(data));
  ScriptedBody built = body;
  built.mesh = std::move(mesh);
  built.motion = [shared = std::move(shared)](double time, std::span<Eigen::Vector3d> positions) {
    move(*shared, time, positions);
  };
  return built;
}

}  // namespace carom
