#include "carom/io/animated_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "carom/io/replay.hpp"
#include "core/check.hpp"
#include "io/file_bytes.hpp"
#include "io/mesh/gltf_data.hpp"
#include "io/mesh/gltf_rig.hpp"
#include "io/mesh/mesh_extension.hpp"
#include "io/mesh/mesh_parse.hpp"

namespace carom {
namespace {

/// Time of an animation at a time of the world, from 0 to its duration.
double time_in(double time, double duration, const AnimationOptions& options) {
  const double at = std::max(0.0, time * options.speed);
  if (!(duration > 0)) return 0;
  return options.loop ? std::fmod(at, duration) : std::min(at, duration);
}

void check_finite_positions(std::span<const Eigen::Vector3d> positions, const std::string& name) {
  for (std::size_t v = 0; v < positions.size(); ++v)
    require(is_finite(positions[v]), ErrorCode::not_finite, "{}: vertex {} is not finite at the start", name, v);
}

AnimatedMesh from_gltf(const std::filesystem::path& path, const AnimationOptions& options) {
  const std::string name = path.string();
  const std::vector<std::uint8_t> bytes = io::read_file(path);
  const io::GltfChunks chunks = io::split_gltf(bytes, name);
  require(chunks.version != 1, ErrorCode::unsupported, "{}: is glTF 1; animations are read from glTF 2", name);
  const JsonValue root = parse_json(chunks.json, name);
  io::GltfData data(root, chunks, path, name);
  data.set_max_elements(data.bytes() + 2 * io::triangle_limit(0, data.bytes()));
  auto rig = std::make_shared<const io::Rig>(io::read_rig(data, name, options.name));
  AnimatedMesh result;
  result.mesh.triangles = rig->triangles;
  result.mesh.positions.resize(rig->vertex_count);
  rig->pose(0, result.mesh.positions);
  check_finite_positions(result.mesh.positions, name);
  result.duration = rig->duration / options.speed;
  result.animations = rig->animations;
  result.motion = [rig, options](double time, std::span<Eigen::Vector3d> positions) {
    rig->pose(time_in(time, rig->duration, options), positions);
  };
  return result;
}

AnimatedMesh from_replay(const std::filesystem::path& path, const AnimationOptions& options) {
  const ReplayReader reader(path);
  require(options.name.empty(), ErrorCode::unknown_name, "{}: is a replay, which has no animation called '{}'",
          path.string(), options.name);
  require(reader.frame_count() > 0, ErrorCode::bad_mesh, "{}: has no frame", path.string());
  auto frames = std::make_shared<std::vector<std::vector<Eigen::Vector3d>>>(reader.frame_count());
  for (std::size_t i = 0; i < frames->size(); ++i) reader.read_frame(i, (*frames)[i]);
  const double duration = options.frame_time * static_cast<double>(frames->size() - 1);
  AnimatedMesh result;
  result.mesh.triangles.assign(reader.triangles().begin(), reader.triangles().end());
  result.mesh.positions = frames->front();
  result.duration = duration / options.speed;
  result.motion = [frames = std::shared_ptr<const std::vector<std::vector<Eigen::Vector3d>>>(std::move(frames)),
                   duration, options](double time, std::span<Eigen::Vector3d> positions) {
    const double at = time_in(time, duration, options) / options.frame_time;
    const auto first = std::min(static_cast<std::size_t>(at), frames->size() - 1);
    const std::size_t second = std::min(first + 1, frames->size() - 1);
    const double part = at - static_cast<double>(first);
    for (std::size_t v = 0; v < positions.size(); ++v)
      positions[v] = (1 - part) * (*frames)[first][v] + part * (*frames)[second][v];
  };
  return result;
}

}  // namespace

AnimatedMesh read_animated_mesh(const std::filesystem::path& path, const AnimationOptions& options) {
  require(std::isfinite(options.speed) && options.speed > 0, ErrorCode::invalid_argument,
          "{}: speed is {}; expected a positive number", path.string(), options.speed);
  require(std::isfinite(options.frame_time) && options.frame_time > 0, ErrorCode::invalid_argument,
          "{}: frame_time is {}; expected a positive number of seconds", path.string(), options.frame_time);
  const std::string extension = io::lower_extension(path);
  if (extension == ".gltf" || extension == ".glb") return from_gltf(path, options);
  if (extension == ".replay") return from_replay(path, options);
  fail(ErrorCode::unknown_name, "{}: expected a file that holds an animation: .gltf, .glb or .replay", path.string());
}

}  // namespace carom
