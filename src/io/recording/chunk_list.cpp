#include "io/recording/chunk_list.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

#include "core/check.hpp"
#include "io/byte_reader.hpp"

namespace carom::io {

namespace {

constexpr std::uint64_t smallest_index = chunk_header_size + sizeof(std::uint64_t);
constexpr std::uint64_t max_frames = std::numeric_limits<std::uint32_t>::max();

/// Returns the version.
std::uint32_t check_file_header(const FileBytes& file) {
  const auto head = file.read(0, std::min(file.size(), file_header_size));
  const std::size_t compared = std::min(head.size(), recording_magic.size());
  require(std::equal(head.begin(), head.begin() + static_cast<std::ptrdiff_t>(compared), recording_magic.begin()) &&
              compared > 0,
          ErrorCode::bad_format, "{}: is not a Carom recording (it does not begin with {})", file.name(),
          recording_magic);
  require(head.size() == file_header_size, ErrorCode::truncated, "{}: ends inside the file header, at offset {}",
          file.name(), head.size());
  const auto version = load_little<std::uint32_t>(head.data() + recording_magic.size());
  require(version >= 1 && version <= recording_version, ErrorCode::unsupported,
          "{}: is a recording of version {}; this reads versions 1 to {}", file.name(), version, recording_version);
  return version;
}

ChunkHeader find_meta(const FileBytes& file) {
  const ChunkProbe probe = probe_chunk(file, file_header_size);
  require(probe.fault != ChunkFault::cut_short, ErrorCode::truncated,
          "{}: ends before its description (META) does, at offset {}", file.name(), file.size());
  require(probe.fault == ChunkFault::none && probe.header.tag == meta_tag, ErrorCode::bad_format,
          "{}: the chunk at offset {} is not the description (META) that comes first", file.name(), file_header_size);
  return probe.header;
}

/// The offsets in an `INDX` chunk, or nothing if they cannot be those of frames.
std::optional<std::vector<std::uint64_t>> read_index(const FileBytes& file, const ChunkHeader& header) {
  std::vector<std::uint8_t> payload;
  try {
    payload = read_payload(file, header, "index");
  } catch (const Error&) {
    return std::nullopt;
  }
  if (payload.size() < sizeof(std::uint64_t)) return std::nullopt;
  ByteReader reader(payload, file.name());
  const auto count = reader.get<std::uint64_t>("number of frames");
  if (count > max_frames || count * sizeof(std::uint64_t) != reader.left()) return std::nullopt;
  std::vector<std::uint64_t> offsets(count);
  for (std::uint64_t& offset : offsets) offset = reader.get<std::uint64_t>("offset of a frame");
  const bool ascending = std::adjacent_find(offsets.begin(), offsets.end(), std::greater_equal<>()) == offsets.end();
  if (!ascending || (count > 0 && offsets.back() >= header.offset)) return std::nullopt;
  return offsets;
}

/// The file does not say where its index begins, but ends with the offset of the last frame,
/// and the index follows that frame.
std::optional<std::vector<std::uint64_t>> find_index(const FileBytes& file) {
  if (file.size() < file_header_size + smallest_index) return std::nullopt;
  const auto tail = file.read(file.size() - sizeof(std::uint64_t), sizeof(std::uint64_t));
  const auto last_frame = load_little<std::uint64_t>(tail.data());
  std::uint64_t offset = file.size() - smallest_index;  // if there are no frames, the tail is their number
  if (last_frame != 0) {
    const ChunkProbe frame = probe_chunk(file, last_frame);
    if (frame.fault != ChunkFault::none || frame.header.tag != frame_tag) return std::nullopt;
    offset = frame.header.end();
  }
  const ChunkProbe index = probe_chunk(file, offset);
  if (index.fault != ChunkFault::none || index.header.tag != index_tag || index.header.end() != file.size()) {
    return std::nullopt;
  }
  return read_index(file, index.header);
}

/// How the chunks end when it is not with an index.
std::string describe_end(const FileBytes& file, const ChunkProbe& probe, std::uint64_t offset, bool inside_frame,
                         std::size_t frames) {
  if (probe.fault == ChunkFault::damaged) {
    return fmt::format("the chunk header at offset {} is damaged; the {} frames before it can be read", offset, frames);
  }
  const Tag tag = probe.header.tag;
  if (inside_frame || tag == stat_tag || tag == frame_tag) {
    return fmt::format("ends inside frame {} at offset {} (the run was interrupted)", frames, file.size());
  }
  if (tag == index_tag) return fmt::format("ends inside its index at offset {}; all frames are there", file.size());
  if (offset == file.size()) {
    return fmt::format("ends after {} frames at offset {}, without an index (the run was interrupted)", frames,
                       file.size());
  }
  return fmt::format("ends inside the chunk that follows {} frames, at offset {} (the run was interrupted)", frames,
                     file.size());
}

std::string describe_index(const FileBytes& file, const ChunkHeader& index, const std::vector<std::uint64_t>& frames) {
  if (read_index(file, index) != frames) {
    return fmt::format("the index at offset {} is damaged; all frames are there", index.offset);
  }
  if (index.end() != file.size()) {
    return fmt::format("{} bytes that do not belong to it follow its end at offset {}", file.size() - index.end(),
                       index.end());
  }
  return {};
}

void walk(const FileBytes& file, ChunkList& list) {
  bool inside_frame = false;  // its statistics were seen, the frame itself was not
  for (std::uint64_t offset = list.meta.end();;) {
    const ChunkProbe probe = probe_chunk(file, offset);
    if (probe.fault != ChunkFault::none) {
      list.damage = describe_end(file, probe, offset, inside_frame, list.frames.size());
      return;
    }
    const ChunkHeader& chunk = probe.header;
    if (chunk.tag == index_tag) {
      list.damage = describe_index(file, chunk, list.frames);
      return;
    }
    if (chunk.tag == frame_tag) {
      require(list.frames.size() < max_frames, ErrorCode::unsupported, "{}: has more frames than can be counted",
              file.name());
      list.frames.push_back(offset);
    }
    inside_frame = chunk.tag == stat_tag || (inside_frame && chunk.tag != frame_tag);
    offset = chunk.end();
  }
}

}  // namespace

ChunkList list_chunks(const FileBytes& file) {
  ChunkList list;
  list.version = check_file_header(file);
  list.meta = find_meta(file);
  if (auto frames = find_index(file)) {
    list.frames = std::move(*frames);
  } else {
    walk(file, list);
  }
  return list;
}

}  // namespace carom::io
