#pragma once

#include <cstdint>
#include <string_view>

/// docs/formats.md, "Replay".
namespace carom::io {

inline constexpr std::int32_t replay_magic = 0x4c505243;  ///< the bytes "CRPL"
inline constexpr std::string_view replay_magic_text = "CRPL";
inline constexpr std::uint64_t replay_header_size = 16;    ///< bytes
inline constexpr std::uint64_t replay_frames_offset = 12;  ///< of the number of frames

struct ReplayHeader {
  std::uint64_t vertices = 0;
  std::uint64_t triangles = 0;
  std::uint64_t frames = 0;

  std::uint64_t positions_offset() const { return replay_header_size + 16 * triangles; }
  std::uint64_t frame_size() const { return 24 * vertices; }
};

}  // namespace carom::io
