#include "view_input.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "carom/recording.hpp"
#include "core/check.hpp"
#include "io/frame_source.hpp"

namespace carom::app {

namespace {

std::vector<std::uint8_t> read_whole(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  require(stream.good(), ErrorCode::io, "{}: cannot be read", file);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// One body for each object, with vertices numbered anew.
struct SplitBody {
  std::string name;
  std::vector<Index> vertices;  ///< of the frame
  std::vector<Triangle> triangles;
  std::vector<Eigen::Vector3d> positions;
};

std::vector<SplitBody> split(const FrameSurface& surface) {
  std::vector<Index> objects = surface.object_of_triangle;
  std::sort(objects.begin(), objects.end());
  objects.erase(std::unique(objects.begin(), objects.end()), objects.end());
  std::vector<SplitBody> bodies;
  std::vector<Index> local(surface.vertex_count, none);
  for (const Index object : objects) {
    SplitBody& body = bodies.emplace_back();
    const auto named = static_cast<std::size_t>(object);
    body.name = object >= 0 && named < surface.object_names.size() ? surface.object_names[named]
                                                                   : fmt::format("object {}", object);
    std::fill(local.begin(), local.end(), none);
    for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
      if (surface.object_of_triangle[t] != object) continue;
      Triangle triangle;
      for (std::size_t k = 0; k < 3; ++k) {
        Index& number = local[static_cast<std::size_t>(surface.triangles[t][k])];
        if (number == none) {
          number = static_cast<Index>(body.vertices.size());
          body.vertices.push_back(surface.triangles[t][k]);
        }
        triangle[k] = number;
      }
      body.triangles.push_back(triangle);
    }
    body.positions.resize(body.vertices.size());
  }
  return bodies;
}

}  // namespace

std::vector<std::uint8_t> recording_to_view(const std::string& file) {
  if (input_kind(file) == InputKind::recording) {
    std::vector<std::uint8_t> bytes = read_whole(file);
    const RecordingReader check(bytes, file);  // a file the page cannot show is told here
    if (!check.damage().empty()) fmt::print(stderr, "carom: warning: {}\n", check.damage());
    return bytes;
  }
  const std::unique_ptr<FrameSource> source = open_frames(file);
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
          {static_cast<std::uint32_t>(views.size()), body.name, BodyKind::kinematic, body.triangles, body.positions});
    }
    writer.write_frame(static_cast<double>(frame) * seconds_a_frame, views, {}, {});
  }
  writer.close();
  const auto bytes = writer.bytes();
  return {bytes.begin(), bytes.end()};
}

}  // namespace carom::app
