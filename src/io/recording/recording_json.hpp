#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "carom/io/recording.hpp"

/// The JSON chunks of a recording: docs/formats.md, `META` and `STAT`.
namespace carom::io {

// A recording that says more than this about itself is hostile: parsed JSON takes many times its
// size in memory.
inline constexpr std::uint64_t max_meta_size = 16 << 20;  // bytes
inline constexpr std::uint64_t max_stat_size = 1 << 16;   // bytes

std::string encode_meta(const RecordingMeta& meta);
std::string encode_stat(std::uint32_t frame, double time, const PipelineStats& stats);

/// Throw Error(bad_format) that begins with `where` and names the field.
RecordingMeta decode_meta(std::span<const std::uint8_t> text, const std::string& where);
std::vector<RecordedStage> decode_stat(std::span<const std::uint8_t> text, std::uint32_t frame,
                                       const std::string& where);

}  // namespace carom::io
