#include <cstring>
#include <limits>
#include <utility>

#include "carom/io/replay.hpp"
#include "core/check.hpp"
#include "io/byte_reader.hpp"
#include "io/file_bytes.hpp"
#include "io/frame_check.hpp"
#include "io/recording/replay_format.hpp"

namespace carom {

using namespace io;

namespace {

std::uint64_t count(ByteReader& reader, const char* what) {
  const std::uint64_t offset = reader.offset();
  const auto value = reader.get<std::int32_t>(what);
  require(value >= 0, ErrorCode::bad_format, "{}: the number of {} at offset {} is {}", reader.where(), what, offset,
          value);
  return static_cast<std::uint64_t>(value);
}

ReplayHeader read_header(const FileBytes& file) {
  const auto bytes = file.read(0, std::min(file.size(), replay_header_size));
  ByteReader reader(bytes, file.name());
  require(reader.get<std::int32_t>("magic") == replay_magic, ErrorCode::bad_format,
          "{}: is not a replay file (it does not begin with CRPL)", file.name());
  ReplayHeader header;
  header.vertices = count(reader, "vertices");
  header.triangles = count(reader, "triangles");
  header.frames = count(reader, "frames");
  // Such frames take no bytes: sixteen bytes could ask for two thousand million steps.
  require(header.vertices > 0 || header.frames == 0, ErrorCode::bad_format, "{}: has {} frames of no vertices",
          file.name(), header.frames);
  return header;
}

void check_size(const FileBytes& file, const ReplayHeader& header) {
  // Each factor is below 2^31, but the product of all may not fit into 64 bits.
  constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max() / 32;
  const std::uint64_t positions = header.vertices * header.frames;
  require(positions <= largest, ErrorCode::bad_format, "{}: {} frames of {} vertices cannot be in a file", file.name(),
          header.frames, header.vertices);
  const std::uint64_t expected = header.positions_offset() + 24 * positions;
  require(file.size() >= expected, ErrorCode::truncated,
          "{}: ends at offset {}, but {} vertices, {} triangles and {} frames take {} bytes", file.name(), file.size(),
          header.vertices, header.triangles, header.frames, expected);
  require(file.size() == expected, ErrorCode::bad_format,
          "{}: has {} bytes too many, from offset {} on ({} vertices, {} triangles, {} frames)", file.name(),
          file.size() - expected, expected, header.vertices, header.triangles, header.frames);
}

}  // namespace

struct ReplayReader::Impl {
  explicit Impl(FileBytes from) : file(std::move(from)), header(read_header(file)) {
    check_size(file, header);
    objects.resize(header.triangles);
    triangles.resize(header.triangles);
    read_items(replay_header_size, std::span(objects));
    read_items(replay_header_size + 4 * header.triangles, std::span(triangles));
    check_triangles(triangles, header.vertices, file.name());
  }

  template <class T>
  void read_items(std::uint64_t offset, std::span<T> items) const {
    file.read(offset, {reinterpret_cast<std::uint8_t*>(items.data()), items.size_bytes()});
  }

  FileBytes file;
  ReplayHeader header;
  std::vector<Index> objects;
  std::vector<Triangle> triangles;
};

ReplayReader::ReplayReader(const std::filesystem::path& path) : impl_(std::make_unique<Impl>(FileBytes(path))) {}

ReplayReader::ReplayReader(std::vector<std::uint8_t> bytes, std::string name)
    : impl_(std::make_unique<Impl>(FileBytes(std::move(bytes), std::move(name)))) {}

ReplayReader::~ReplayReader() = default;
ReplayReader::ReplayReader(ReplayReader&&) noexcept = default;
ReplayReader& ReplayReader::operator=(ReplayReader&&) noexcept = default;

std::size_t ReplayReader::vertex_count() const {
  return impl_->header.vertices;
}
std::size_t ReplayReader::frame_count() const {
  return impl_->header.frames;
}
std::span<const Triangle> ReplayReader::triangles() const {
  return impl_->triangles;
}
std::span<const Index> ReplayReader::object_of_triangle() const {
  return impl_->objects;
}

void ReplayReader::read_frame(std::size_t frame, std::vector<Eigen::Vector3d>& positions) const {
  const ReplayHeader& header = impl_->header;
  require(frame < header.frames, ErrorCode::bad_index, "{}: there is no frame {}; the file has {}", impl_->file.name(),
          frame, header.frames);
  positions.resize(header.vertices);
  impl_->read_items(header.positions_offset() + frame * header.frame_size(), std::span(positions));
  check_positions(positions, fmt::format("{}: frame {}", impl_->file.name(), frame));
}

}  // namespace carom
