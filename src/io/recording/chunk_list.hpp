#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/recording/chunk.hpp"

namespace carom::io {

/// Where the frames of a recording are.
struct ChunkList {
  std::uint32_t version = 0;
  ChunkHeader meta;
  std::vector<std::uint64_t> frames;  ///< offset of the header of each `FRAM` chunk
  std::string damage;                 ///< empty if the recording was closed in order
};

/// Reads the index if there is one, or else walks from chunk to chunk as far as they are whole.
/// Throws Error if the bytes are not a recording or end before the first frame could begin.
ChunkList list_chunks(const FileBytes& file);

}  // namespace carom::io
