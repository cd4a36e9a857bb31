#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_writer.hpp"
#include "io/file_bytes.hpp"

/// The chunks that a recording is made of: docs/formats.md, "File".
namespace carom::io {

inline constexpr std::string_view recording_magic = "CAROMREC";
inline constexpr std::uint32_t recording_version = 2;  ///< written; older ones are read
inline constexpr std::uint64_t file_header_size = 16;
inline constexpr std::uint64_t chunk_header_size = 32;
inline constexpr std::uint32_t chunk_compressed = 1;  ///< bit of ChunkHeader::flags

using Tag = std::array<char, 4>;
inline constexpr Tag meta_tag{'M', 'E', 'T', 'A'};
inline constexpr Tag detail_tag{'D', 'E', 'T', 'L'};
inline constexpr Tag cuts_tag{'C', 'U', 'T', 'S'};
inline constexpr Tag stat_tag{'S', 'T', 'A', 'T'};
inline constexpr Tag frame_tag{'F', 'R', 'A', 'M'};
inline constexpr Tag index_tag{'I', 'N', 'D', 'X'};

enum class Compress : bool { no, yes };

/// Appends header and payload. A payload that does not get smaller is stored as it is.
void append_chunk(ByteWriter& out, Tag tag, std::span<const std::uint8_t> payload, Compress compress);

struct ChunkHeader {
  Tag tag{};
  std::uint32_t flags = 0;
  std::uint64_t stored_size = 0;
  std::uint64_t raw_size = 0;
  std::uint32_t payload_crc = 0;
  std::uint64_t offset = 0;  ///< of the header, in the file

  std::uint64_t end() const { return offset + chunk_header_size + stored_size; }
};

/// Why there is no chunk to be read at an offset.
enum class ChunkFault { none, cut_short, damaged };

struct ChunkProbe {
  ChunkFault fault = ChunkFault::none;
  ChunkHeader header;  ///< its tag is right if the header is whole, all of it if there is no fault
};

/// The header at an offset. Without a fault, the stored payload lies within the file.
ChunkProbe probe_chunk(const FileBytes& file, std::uint64_t offset);

/// The payload, checked and decompressed. `what` names the chunk in errors, such as "frame 57".
std::vector<std::uint8_t> read_payload(const FileBytes& file, const ChunkHeader& header, std::string_view what);

}  // namespace carom::io
