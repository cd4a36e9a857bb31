#include "core/printable.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace carom {
namespace {

/// One character of UTF-8 and its length in bytes; length 0: the bytes are not UTF-8.
struct Decoded {
  std::uint32_t character = 0;
  std::size_t length = 0;
};

Decoded decode_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return {};
  std::uint32_t character = first & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {};
    character = character << 6U | (byte(i) & 0x3fU);
  }
  const bool overlong = (length == 3 && character < 0x800) || (length == 4 && character < 0x10000);
  if (overlong || character > 0x10ffff || (character >= 0xd800 && character <= 0xdfff)) return {};
  return {character, length};
}

/// Marks, embeddings, overrides and isolates of direction, and the separators of lines and paragraphs.
bool changes_layout(std::uint32_t c) {
  return c == 0x061c || (c >= 0x200e && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

std::string escape(std::string_view text, std::string_view kept) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const auto [character, length] = decode_utf8(text);
    const std::string_view bytes = text.substr(0, length == 0 ? 1 : length);
    text.remove_prefix(bytes.size());
    const bool control = character < 0x20 || (character >= 0x7f && character < 0xa0);
    if (length == 0) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes[0]));
    } else if ((!control && !changes_layout(character)) || kept.find(bytes) != std::string_view::npos) {
      result += bytes;
    } else if (character == '\n') {
      result += "\\n";
    } else if (character == '\r') {
      result += "\\r";
    } else if (character == '\t') {
      result += "\\t";
    } else {
      result += control ? fmt::format("\\x{:02x}", character) : fmt::format("\\u{:04x}", character);
    }
  }
  return result;
}

}  // namespace

std::string printable(std::string_view text) {
  return escape(text, "");
}

std::string printable_lines(std::string_view text) {
  return escape(text, "\n\t");
}

}  // namespace carom
