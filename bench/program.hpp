#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <exception>

namespace carom::bench {

/// What main() of a benchmark does: an exception ends it with its message and exit code 2.
inline int run_program(const char* name, int (*start)(int, char**), int argc, char** argv) {
  try {
    return start(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", name, error.what());
    return 2;
  }
}

}  // namespace carom::bench
