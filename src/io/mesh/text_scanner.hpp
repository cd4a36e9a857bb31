#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

namespace carom::io {

/// Walks a text file in memory, token by token and line by line. Numbers are read by from_chars:
/// they mean the same in every locale, and the nearest double.
class TextScanner {
 public:
  /// `comment` begins a remark that goes on to the end of the line; 0 if the format has none.
  /// `name` is the file, for the errors.
  /// `line` is the number of the first line.
  TextScanner(std::string_view text, std::string name, char comment, std::size_t line = 1)
      : at_(text.data()), end_(text.data() + text.size()), name_(std::move(name)), comment_(comment), line_(line) {}

  /// Counted from 1.
  std::size_t line() const { return line_; }
  /// File and line, for messages.
  std::string where() const;
  std::size_t bytes_left() const { return static_cast<std::size_t>(end_ - at_); }
  const char* position() const { return at_; }

  bool at_end() {
    skip_blanks();
    return at_ == end_;
  }

  /// Whether nothing more is on this line.
  bool at_line_end() {
    skip_blanks();
    return at_ == end_ || *at_ == '\n' || *at_ == '\r' || *at_ == comment_;
  }

  /// To the beginning of the next line, whatever is left of this one.
  void next_line() {
    // A backslash at the end of a remark is the end of a path, not a continuation.
    bool remark = false;
    while (at_ != end_ && *at_ != '\n' && *at_ != '\r') {
      remark = remark || *at_ == comment_;
      if (remark || !skip_continuation()) ++at_;
    }
    if (at_ == end_) return;
    const bool both = *at_ == '\r' && at_ + 1 != end_ && at_[1] == '\n';
    at_ += both ? 2 : 1;
    ++line_;
  }

  /// To the next line that has something on it; false at the end of the text.
  bool skip_empty_lines() {
    while (at_line_end()) {
      if (at_ == end_) return false;
      next_line();
    }
    return true;
  }

  /// The next token of this line; empty at its end.
  std::string_view token() {
    if (at_line_end()) return {};
    const char* begin = at_;
    skip_token_rest();
    return {begin, static_cast<std::size_t>(at_ - begin)};
  }

  std::string_view peek_token() {
    const auto begin = std::pair(at_, line_);
    const std::string_view found = token();
    std::tie(at_, line_) = begin;
    return found;
  }

  /// Rest of this line, without blanks at its ends.
  std::string_view rest_of_line() {
    skip_blanks();
    const char* begin = at_;
    while (at_ != end_ && *at_ != '\n' && *at_ != '\r') ++at_;
    const char* end = at_;
    while (end != begin && is_blank(end[-1])) --end;
    return {begin, static_cast<std::size_t>(end - begin)};
  }

  /// A number that may be infinite or not a number: that is for the caller to refuse, who knows
  /// which vertex it is.
  double number(std::string_view what) {
    skip_blanks();
    const char* begin = without_plus();
    double value = 0;
    const auto [end, error] = std::from_chars(begin, end_, value);
    if (error == std::errc::invalid_argument || !ends_token(end)) expected(what);
    if (error == std::errc::result_out_of_range) value = out_of_range({begin, static_cast<std::size_t>(end - begin)});
    at_ = end;
    return value;
  }

  template <std::integral T>
  T integer(std::string_view what) {
    const T value = leading_integer<T>(what);
    if (!ends_token(at_)) expected(what);
    return value;
  }

  /// An integer that something else may follow directly, such as the slash in `f 1/2/3`.
  template <std::integral T>
  T leading_integer(std::string_view what) {
    skip_blanks();
    T value = 0;
    const auto [end, error] = std::from_chars(without_plus(), end_, value);
    if (error != std::errc()) expected(what);
    at_ = end;
    return value;
  }

  bool at_token_end() const { return ends_token(at_); }

  /// Past everything up to the next blank.
  void skip_token_rest() {
    while (!ends_token(at_)) ++at_;
  }

  /// Throws Error(bad_format): file, line, what was expected and what is there.
  [[noreturn]] void expected(std::string_view what);

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

  bool ends_token(const char* at) const {
    return at == end_ || is_blank(*at) || *at == '\n' || *at == '\r' || *at == comment_ ||
           (*at == '\\' && continuation_length(at) > 0);
  }

  /// A backslash as the last character of a line joins it with the next one; not in PLY, whose
  /// comments have no character of their own and may end in a path.
  std::size_t continuation_length(const char* at) const {
    if (comment_ == '\0' || *at != '\\' || at + 1 == end_) return 0;
    if (at[1] == '\n') return 2;
    if (at[1] != '\r') return 0;
    return at + 2 != end_ && at[2] == '\n' ? 3 : 2;
  }

  bool skip_continuation() {
    const std::size_t length = continuation_length(at_);
    if (length == 0) return false;
    at_ += length;
    ++line_;
    return true;
  }

  void skip_blanks() {
    while (at_ != end_) {
      if (is_blank(*at_)) {
        ++at_;
      } else if (!skip_continuation()) {
        return;
      }
    }
  }

  const char* without_plus() const {
    const bool plus = at_ != end_ && *at_ == '+' && at_ + 1 != end_ && at_[1] != '-' && at_[1] != '+';
    return plus ? at_ + 1 : at_;
  }

  /// Value of a decimal number that no double is near to: 0 or infinity.
  static double out_of_range(std::string_view digits);

  const char* at_;
  const char* end_;
  std::string name_;
  char comment_;
  std::size_t line_;
};

}  // namespace carom::io
