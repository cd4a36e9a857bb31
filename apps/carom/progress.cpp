#include "progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "interrupt.hpp"
#include "say.hpp"

namespace carom::app {

namespace {

constexpr auto redraw_interval = std::chrono::milliseconds(50);

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace

Progress::Progress(std::string label, std::size_t total)
    : label_(std::move(label)), total_(total), terminal_(isatty(STDERR_FILENO) != 0), start_(Clock::now()) {
  set_stage_of_work(fmt::format("{}: 0/{}", label_, total_));
}

Progress::~Progress() {
  set_stage_of_work("");
  if (line_open_) say(stderr, "\n");
}

void Progress::update(std::size_t count, const std::string& note) {
  set_stage_of_work(fmt::format("{}: {}/{}  {}", label_, count, total_, note));
  if (terminal_) {
    const auto now = Clock::now();
    if (count < total_ && now - drawn_ < redraw_interval) return;
    drawn_ = now;
    draw_bar(count, note);
  } else {
    print_line(count, note);
  }
}

void Progress::draw_bar(std::size_t count, const std::string& note) {
  constexpr std::size_t width = 28;
  const std::size_t filled = total_ == 0 ? width : count * width / total_;
  const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
  const double left = count == 0 ? 0 : elapsed / static_cast<double>(count) * static_cast<double>(total_ - count);
  std::string line = printable(fmt::format("{} [{:#<{}}{:.<{}}] {}/{}  {:.0f} s left  {}", label_, "", filled, "",
                                           width - filled, count, total_, left, note));
  const std::size_t columns = terminal_width();
  if (line.size() >= columns) line.resize(columns - 1);
  put(stderr, fmt::format("\r{}\x1b[K", line));
  std::fflush(stderr);
  line_open_ = true;
}

void Progress::print_line(std::size_t count, const std::string& note) {
  if (count * 10 < next_tenth_ * total_) return;
  next_tenth_ = total_ == 0 ? 11 : count * 10 / total_ + 1;
  say(stderr, "{}: {}/{}  {}\n", label_, count, total_, note);
}

}  // namespace carom::app
