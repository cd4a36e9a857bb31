#pragma once

#include <time.h>

namespace carom::bench {

/// What a piece of work took, in milliseconds. The time of the processor is that of all threads together.
struct Duration {
  double wall_ms = 0;
  double cpu_ms = 0;
};

class Stopwatch {
 public:
  Stopwatch() : wall_(read(CLOCK_MONOTONIC)), cpu_(read(CLOCK_PROCESS_CPUTIME_ID)) {}

  Duration elapsed() const {
    const double cpu = read(CLOCK_PROCESS_CPUTIME_ID) - cpu_;
    return {.wall_ms = read(CLOCK_MONOTONIC) - wall_, .cpu_ms = cpu};
  }

 private:
  static double read(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
  }

  double wall_;
  double cpu_;
};

}  // namespace carom::bench
