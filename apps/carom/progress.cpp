#include "progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include "interrupt.hpp"
#include "say.hpp"

namespace carom::app {

namespace {

constexpr auto redraw_interval = std::chrono::milliseconds(50);
constexpr auto silence = std::chrono::seconds(1);

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace

Progress::Progress(std::string label, std::size_t total)
    : label_(std::move(label)), total_(total), terminal_(isatty(STDERR_FILENO) != 0), start_(Clock::now()) {
  set_stage_of_work(state());
  life_ = std::thread([this] { show_life(); });
}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  ended_changed_.notify_all();
  life_.join();
  set_stage_of_work("");
  if (line_open_) put(stderr, "\n");
}

void Progress::update(std::size_t count, const std::string& note) {
  const std::lock_guard lock(mutex_);
  count_ = count;
  note_ = note;
  set_stage_of_work(state());
  if (terminal_) {
    if (count < total_ && Clock::now() - drawn_ < redraw_interval) return;
    draw_bar();
  } else if (count * 10 >= next_tenth_ * total_) {
    next_tenth_ = total_ == 0 ? 11 : count * 10 / total_ + 1;
    print_line();
  }
}

void Progress::show_life() {
  std::unique_lock lock(mutex_);
  while (!ended_changed_.wait_for(lock, silence, [&] { return ended_; })) {
    if (terminal_) {
      if (Clock::now() - drawn_ >= silence) draw_bar();
    } else if (!any_line_) {
      print_line();
    }
  }
}

std::string Progress::state() const {
  if (total_ == 0) return label_;
  return fmt::format("{}: {}/{}{}{}", label_, count_, total_, note_.empty() ? "" : "  ", note_);
}

void Progress::draw_bar() {
  constexpr std::size_t width = 28;
  const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
  std::string line;
  if (total_ == 0) {
    line = fmt::format("{}  {:.0f} s", label_, elapsed);
  } else {
    const std::size_t filled = count_ * width / total_;
    const double left = count_ == 0 ? 0 : elapsed / static_cast<double>(count_) * static_cast<double>(total_ - count_);
    line = fmt::format("{} [{:#<{}}{:.<{}}] {}/{}  {:.0f} s{}  {}", label_, "", filled, "", width - filled, count_,
                       total_, count_ == 0 ? elapsed : left, count_ == 0 ? "" : " left", note_);
  }
  line = printable(line);
  const std::size_t columns = terminal_width();
  if (line.size() >= columns) line.resize(columns - 1);
  put(stderr, fmt::format("\r{}\x1b[K", line));
  std::fflush(stderr);
  drawn_ = Clock::now();
  line_open_ = true;
}

void Progress::print_line() {
  any_line_ = true;
  say(stderr, "{}\n", state());
}

}  // namespace carom::app
