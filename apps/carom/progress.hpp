#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>

namespace carom::app {

/// How far the work is, on standard error: a bar that redraws itself on a terminal, a plain line
/// every tenth of the way elsewhere. Work that says nothing for a second is shown to go on: on a
/// terminal by the seconds it has taken, elsewhere by one line.
class Progress {
 public:
  /// `total` 0: one step of unknown length, such as reading a file; shown only if it takes long.
  Progress(std::string label, std::size_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `note` stands behind the bar, such as the contacts of the present frame.
  void update(std::size_t count, const std::string& note);

 private:
  void show_life();
  std::string state() const;
  void draw_bar();
  void print_line();

  using Clock = std::chrono::steady_clock;
  std::string label_;
  std::size_t total_;
  bool terminal_;
  Clock::time_point start_;

  std::mutex mutex_;  ///< guards what follows
  std::condition_variable ended_changed_;
  bool ended_ = false;
  std::size_t count_ = 0;
  std::string note_;
  Clock::time_point drawn_;
  bool any_line_ = false;
  std::size_t next_tenth_ = 1;
  bool line_open_ = false;
  std::thread life_;
};

}  // namespace carom::app
