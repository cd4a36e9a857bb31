#include "io/base64.hpp"

#include <algorithm>

namespace carom::io {

void append_base64(std::span<const std::uint8_t> bytes, std::string& text) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8U | (k < count ? bytes[i + k] : 0U);
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= count ? digits[group >> (18 - 6 * k) & 63U] : '=';
    }
  }
}

std::optional<std::vector<std::uint8_t>> decode_base64(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  std::vector<std::uint8_t> bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    std::uint32_t digit = 64;
    if (c >= 'A' && c <= 'Z') digit = static_cast<std::uint32_t>(c - 'A');
    if (c >= 'a' && c <= 'z') digit = static_cast<std::uint32_t>(c - 'a' + 26);
    if (c >= '0' && c <= '9') digit = static_cast<std::uint32_t>(c - '0' + 52);
    if (c == '+' || c == '-') digit = 62;
    if (c == '/' || c == '_') digit = 63;
    if (digit == 64) return std::nullopt;
    bits = bits << 6U | digit;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<std::uint8_t>(bits >> count));
  }
  return bytes;
}

}  // namespace carom::io
