#include "io/mesh/text_scanner.hpp"

#include <limits>

#include "core/check.hpp"

namespace carom::io {

std::string TextScanner::where() const {
  return fmt::format("{}, line {}", name_, line_);
}

void TextScanner::expected(std::string_view what) {
  const std::size_t line = line_;
  constexpr std::size_t longest = 40;
  const std::string_view found = token().substr(0, longest);
  if (found.empty()) {
    fail(ErrorCode::bad_format, "{}, line {}: expected {}, but the {} ends", name_, line, what,
         at_ == end_ ? "file" : "line");
  }
  fail(ErrorCode::bad_format, "{}, line {}: expected {}, found \"{}\"", name_, line, what, found);
}

double TextScanner::out_of_range(std::string_view digits) {
  const bool negative = digits.starts_with('-');
  const std::size_t mark = digits.find_first_of("eE");
  // The power of ten of the first digit that is not zero tells which of the two it is.
  long long magnitude = 0;
  bool after_point = false;
  bool counting = false;
  for (const char c : digits.substr(0, mark)) {
    if (c == '.') after_point = true;
    if (c < '0' || c > '9') continue;
    counting = counting || c != '0';
    if (counting && !after_point) ++magnitude;
    if (!counting && after_point) --magnitude;
  }
  if (mark != std::string_view::npos) {
    std::string_view power = digits.substr(mark + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    long exponent = 0;
    const auto result = std::from_chars(power.data(), power.data() + power.size(), exponent);
    if (result.ec == std::errc::result_out_of_range) {
      exponent = power.starts_with('-') ? std::numeric_limits<int>::min() : std::numeric_limits<int>::max();
    }
    magnitude += exponent;
  }
  const double size = magnitude > 0 ? std::numeric_limits<double>::infinity() : 0.0;
  return negative ? -size : size;
}

}  // namespace carom::io
