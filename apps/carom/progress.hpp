#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace carom::app {

/// How far the work is, on standard error: a bar that redraws itself on a terminal, a plain line
/// every tenth of the way elsewhere.
class Progress {
 public:
  Progress(std::string label, std::size_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `note` stands behind the bar, such as the contacts of the present frame.
  void update(std::size_t count, const std::string& note);

 private:
  void draw_bar(std::size_t count, const std::string& note);
  void print_line(std::size_t count, const std::string& note);

  using Clock = std::chrono::steady_clock;
  std::string label_;
  std::size_t total_;
  bool terminal_;
  Clock::time_point start_;
  Clock::time_point drawn_;
  std::size_t next_tenth_ = 1;
  bool line_open_ = false;
};

}  // namespace carom::app
