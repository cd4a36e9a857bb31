#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carom::io {

/// Appends the base64 of `bytes`; only the last piece of a text may have a length that is not a
/// multiple of three.
void append_base64(std::span<const std::uint8_t> bytes, std::string& text);

/// Nothing if there is a character that is not of base64. Takes the alphabet of addresses (- and _) too.
std::optional<std::vector<std::uint8_t>> decode_base64(std::string_view text);

}  // namespace carom::io
