#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "carom/io/recording.hpp"
#include "io/byte_writer.hpp"

/// The chunk of cuts in a recording: docs/formats.md, `CUTS`.
namespace carom::io {

/// Events, and the cut faces of the bodies that have any; nothing where there are neither. Throws Error that begins
/// with `where`.
ByteWriter encode_cuts(std::span<const FrameBodyView> bodies, std::span<const RecordedCut> cuts,
                       const std::string& where);

/// Throws Error that begins with `where`.
RecordedCuts decode_cuts(std::span<const std::uint8_t> payload, const std::string& where);

}  // namespace carom::io
