#include "interrupt.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <mutex>
#include <set>
#include <thread>

#include "core/printable.hpp"

namespace carom::app {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// Time for loops to see the flag and for commands to end by themselves.
constexpr milliseconds grace(500);
/// Two signals closer together are one wish: some programs signal a process and then its group.
constexpr milliseconds same_wish(300);
/// The longest wait for a page or a frame being written.
constexpr milliseconds longest_writing(10'000);
constexpr milliseconds poll_interval(5);

struct State {
  std::atomic<int> caught{0};
  std::atomic<bool> at_once{false};  ///< the command wants no grace
  std::atomic<bool> ends_by_itself{false};
  std::mutex writing;                 ///< held by Uninterrupted, and for good by the end of the process
  std::function<int()> on_interrupt;  ///< guarded by `writing`
  std::mutex notes;                   ///< guards what follows
  std::string stage;
  std::set<std::filesystem::path> folders;
};

/// Never destroyed: the waiting thread may outlive main.
State& state() {
  static State& only = *new State;
  return only;
}

/// Standard error may be a pipe that nobody reads.
void print_unless_blocked(const std::string& text) {
  pollfd ready{STDERR_FILENO, POLLOUT, 0};
  if (poll(&ready, 1, 0) == 1 && (ready.revents & POLLOUT) != 0) (void)!write(STDERR_FILENO, text.data(), text.size());
}

/// True if there was one.
bool remove_temporary_files() {
  const std::string prefix = temporary_prefix();
  bool removed = false;
  for (const std::filesystem::path& folder : state().folders) {
    std::error_code error;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      if (!entry->path().filename().string().starts_with(prefix)) continue;
      std::error_code ignored;
      removed |= std::filesystem::remove(entry->path(), ignored);
    }
  }
  return removed;
}

/// Without destructors and buffers, which belong to threads that still run.
[[noreturn]] void end_process(int code) {
  {
    const std::lock_guard lock(state().notes);
    remove_temporary_files();
  }
  _exit(code);
}

void tell_end() {
  const std::lock_guard lock(state().notes);
  const bool removed = remove_temporary_files();
  const std::string& stage = state().stage;
  print_unless_blocked(fmt::format("{}carom: ended early by a signal{}{}{}\n", isatty(STDERR_FILENO) != 0 ? "\n" : "",
                                   stage.empty() ? "" : ", at ", printable(stage),
                                   removed ? "; no unfinished file is left" : ""));
}

void end_in_place_of_the_command() {
  State& s = state();
  const auto start = Clock::now();
  const auto waited = [&](milliseconds limit) { return Clock::now() - start >= limit; };
  while (!waited(grace) && !s.at_once) std::this_thread::sleep_for(poll_interval);
  const auto may_end = [&] {
    if (s.ends_by_itself || !s.writing.try_lock()) return false;
    if (!s.ends_by_itself) return true;
    s.writing.unlock();
    return false;
  };
  while (!may_end()) {
    if (waited(longest_writing)) {
      tell_end();
      end_process(128 + s.caught);
    }
    std::this_thread::sleep_for(poll_interval);
  }
  int code = 128 + s.caught;
  if (s.on_interrupt) {
    try {
      code = s.on_interrupt();
    } catch (const std::exception& error) {
      print_unless_blocked(fmt::format("carom: {}\n", printable(error.what())));
    } catch (...) {
      // LostStdout: nobody is there to be told.
    }
  } else {
    tell_end();
  }
  end_process(code);
}

void wait_for_signals(const sigset_t& signals) {
  Clock::time_point first{};
  for (;;) {
    int signal = 0;
    if (sigwait(&signals, &signal) != 0) continue;
    if (state().caught == 0) {
      state().caught = signal;
      first = Clock::now();
      std::thread(end_in_place_of_the_command).detach();
    } else if (Clock::now() - first > same_wish) {
      end_process(128 + signal);
    }
  }
}

}  // namespace

void watch_for_interrupts() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  // A program started by nohup ignores hangups, and has to go on doing so.
  struct sigaction hangup {};
  if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // Signals that a script ignores for its background jobs would never reach sigwait.
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  std::thread(wait_for_signals, signals).detach();
}

bool interrupted_by_user() {
  return state().caught != 0;
}

int interrupted_exit_code() {
  return 128 + state().caught;
}

void end_by_itself() {
  const std::lock_guard lock(state().writing);  // or the end of the process has begun already
  state().ends_by_itself = true;
}

void set_stage_of_work(std::string stage) {
  const std::lock_guard lock(state().notes);
  state().stage = std::move(stage);
}

void remove_temporary_files_in(const std::filesystem::path& folder) {
  const std::lock_guard lock(state().notes);
  state().folders.insert(folder.empty() ? "." : folder);
}

std::string temporary_prefix() {
  return fmt::format(".carom-{}-", getpid());
}

Uninterrupted::Uninterrupted() {
  state().writing.lock();
}

Uninterrupted::~Uninterrupted() {
  state().writing.unlock();
}

OnInterrupt::OnInterrupt(std::function<int()> end, Wait wait) {
  const std::lock_guard lock(state().writing);
  state().on_interrupt = std::move(end);
  state().at_once = wait == Wait::no;
}

OnInterrupt::~OnInterrupt() {
  const std::lock_guard lock(state().writing);
  state().on_interrupt = nullptr;
  state().at_once = false;
}

}  // namespace carom::app
