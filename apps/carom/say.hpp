#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/printable.hpp"

namespace carom::app {

/// Text of several lines made by the program, such as a table. Any other text that is said is one line.
struct Lines {
  std::string text;
};

/// Writes and never throws. The first error of standard output is kept for stdout_error().
void put(std::FILE* file, std::string_view text);

/// The errno of the first write to standard output that failed, or 0.
int stdout_error();

/// Text as it may go to a terminal; numbers as they are.
template <class T>
decltype(auto) shown(const T& value) {
  if constexpr (std::is_same_v<T, Lines>) {
    return printable_lines(value.text);
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return printable(std::string_view(value));
  } else {
    return value;
  }
}

/// Prints, and never throws: a closed or full terminal must not end the work. What is lost on
/// standard output is told at the end, by main. Control characters in arguments are escaped.
template <class... Args>
void say(std::FILE* file, fmt::format_string<Args...> text, Args&&... args) {
  put(file, fmt::format(fmt::runtime(fmt::string_view(text)), shown(args)...));
}

}  // namespace carom::app

template <>
struct fmt::formatter<carom::app::Lines> : fmt::formatter<fmt::string_view> {
  auto format(const carom::app::Lines& lines, fmt::format_context& context) const {
    return fmt::formatter<fmt::string_view>::format(lines.text, context);
  }
};
