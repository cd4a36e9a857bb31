#include <limits>
#include <utility>

#include "carom/io/replay.hpp"
#include "core/check.hpp"
#include "io/byte_writer.hpp"
#include "io/file_writer.hpp"
#include "io/frame_check.hpp"
#include "io/recording/replay_format.hpp"

namespace carom {

using namespace io;

namespace {

constexpr std::size_t max_numbered = std::numeric_limits<std::int32_t>::max();

void check_arguments(const std::string& name, std::size_t vertex_count, std::span<const Triangle> triangles,
                     std::span<const Index> objects) {
  require(vertex_count <= max_numbered && triangles.size() <= max_numbered, ErrorCode::unsupported,
          "{}: {} vertices and {} triangles are more than a replay file can count", name, vertex_count,
          triangles.size());
  require(objects.size() == triangles.size(), ErrorCode::invalid_argument, "{}: {} triangles, but {} object numbers",
          name, triangles.size(), objects.size());
  check_triangles(triangles, vertex_count, name);
}

}  // namespace

struct ReplayWriter::Impl {
  Impl(const std::filesystem::path& path, std::size_t vertices) : file(path), vertex_count(vertices) {}

  FileWriter file;
  std::size_t vertex_count;
  std::int32_t frames = 0;
  bool closed = false;
};

ReplayWriter::ReplayWriter(const std::filesystem::path& path, std::size_t vertex_count,
                           std::span<const Triangle> triangles, std::span<const Index> object_of_triangle) {
  check_arguments(path.string(), vertex_count, triangles, object_of_triangle);
  ByteWriter head;
  head.put(replay_magic);
  head.put(static_cast<std::int32_t>(vertex_count));
  head.put(static_cast<std::int32_t>(triangles.size()));
  head.put(std::int32_t{0});
  head.put_items(object_of_triangle);
  head.put_items(triangles);
  impl_ = std::make_unique<Impl>(path, vertex_count);
  impl_->file.append(head.bytes());
}

ReplayWriter::~ReplayWriter() = default;
ReplayWriter::ReplayWriter(ReplayWriter&&) noexcept = default;
ReplayWriter& ReplayWriter::operator=(ReplayWriter&&) noexcept = default;

void ReplayWriter::write_frame(std::span<const Eigen::Vector3d> positions) {
  const std::string& name = impl_->file.name();
  require(!impl_->closed, ErrorCode::invalid_argument, "{}: a frame was written after close()", name);
  require(positions.size() == impl_->vertex_count && !positions.empty(), ErrorCode::invalid_argument,
          "{}: frame {} has {} vertices; the file is for {}, and a frame needs at least one", name, impl_->frames,
          positions.size(), impl_->vertex_count);
  require(static_cast<std::size_t>(impl_->frames) < max_numbered, ErrorCode::unsupported, "{}: {} frames are the limit",
          name, max_numbered);
  check_positions(positions, fmt::format("{}: frame {}", name, impl_->frames));

  // The number comes after the frame: a file that is one frame too long says so when it is read,
  // a number that is one too high would be a lie.
  const std::uint64_t before = impl_->file.size();
  impl_->file.append({reinterpret_cast<const std::uint8_t*>(positions.data()), positions.size_bytes()});
  ByteWriter number;
  number.put(impl_->frames + 1);
  try {
    impl_->file.overwrite(replay_frames_offset, number.bytes());
  } catch (...) {
    impl_->file.truncate(before);
    throw;
  }
  ++impl_->frames;
}

void ReplayWriter::close() {
  if (impl_->closed) return;
  impl_->closed = true;
  impl_->file.close();
}

}  // namespace carom
