#include "view_input.hpp"

#include <algorithm>
#include <numeric>

#include "carom/io/recording.hpp"
#include "core/check.hpp"
#include "io/file_bytes.hpp"
#include "io/recording/frame_source.hpp"
#include "say.hpp"

namespace carom::app {

namespace {

/// One body for each object, with vertices numbered again.
struct SplitBody {
  std::string name;
  std::vector<Index> vertices;  ///< of the frame
  std::vector<Triangle> triangles;
  std::vector<Eigen::Vector3d> positions;
};

std::vector<SplitBody> split(const FrameSurface& surface) {
  // Triangle by triangle, those of one object after the other.
  std::vector<std::size_t> order(surface.triangles.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return surface.object_of_triangle[a] < surface.object_of_triangle[b];
  });
  std::vector<SplitBody> bodies;
  std::vector<Index> local(surface.vertex_count, none);
  std::vector<std::size_t> numbered_for(surface.vertex_count, 0);  // number of bodies when `local` was set
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Index object = surface.object_of_triangle[order[i]];
    if (i == 0 || object != surface.object_of_triangle[order[i - 1]]) {
      const auto named = static_cast<std::size_t>(object);
      bodies.emplace_back().name = object >= 0 && named < surface.object_names.size()
                                       ? surface.object_names[named]
                                       : fmt::format("object {}", object);
    }
    SplitBody& body = bodies.back();
    Triangle triangle;
    for (std::size_t k = 0; k < 3; ++k) {
      const Index corner = surface.triangles[order[i]][k];
      const auto v = static_cast<std::size_t>(corner);
      if (numbered_for[v] != bodies.size()) {
        numbered_for[v] = bodies.size();
        local[v] = static_cast<Index>(body.vertices.size());
        body.vertices.push_back(corner);
      }
      triangle[k] = local[v];
    }
    body.triangles.push_back(triangle);
  }
  for (SplitBody& body : bodies) body.positions.resize(body.vertices.size());
  return bodies;
}

}  // namespace

std::vector<std::uint8_t> recording_to_view(const std::string& file, const MeshReadOptions& options) {
  if (input_kind(file) == InputKind::recording) {
    refuse_read_options(options, file, InputKind::recording);
    std::vector<std::uint8_t> bytes = io::read_file(file);
    const RecordingReader check(bytes, file);  // a file the page cannot show is told here
    if (!check.damage().empty()) say(stderr, "carom: warning: {}\n", check.damage());
    return bytes;
  }
  const std::unique_ptr<FrameSource> source = open_frames(file, options);
  // Frames of these files have no times; 25 a second is a pace to watch.
  constexpr double seconds_a_frame = 0.04;
  RecordingWriter writer({.scene = file, .dt = seconds_a_frame}, PositionEncoding::f32);
  FrameSurface surface;
  std::vector<Eigen::Vector3d> positions;
  std::vector<SplitBody> bodies;
  for (std::size_t frame = 0; frame < source->frame_count(); ++frame) {
    if (source->read(frame, surface, positions)) bodies = split(surface);
    std::vector<FrameBodyView> views;
    for (SplitBody& body : bodies) {
      for (std::size_t v = 0; v < body.vertices.size(); ++v) {
        body.positions[v] = positions[static_cast<std::size_t>(body.vertices[v])];
      }
      views.push_back(
          {static_cast<std::uint32_t>(views.size()), body.name, MotionModel::scripted, body.triangles, body.positions});
    }
    writer.write_frame(static_cast<double>(frame) * seconds_a_frame, views, {}, {});
  }
  writer.close();
  const auto bytes = writer.bytes();
  return {bytes.begin(), bytes.end()};
}

}  // namespace carom::app
