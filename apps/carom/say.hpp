#pragma once

#include <fmt/format.h>

#include <cstdio>

namespace carom::app {

/// Prints, and never throws: a closed or full terminal must not end the work. What is lost on
/// standard output is told at the end, by main.
template <class... Args>
void say(std::FILE* file, fmt::format_string<Args...> text, Args&&... args) {
  const std::string line = fmt::format(text, std::forward<Args>(args)...);
  (void)std::fwrite(line.data(), 1, line.size(), file);
}

}  // namespace carom::app
