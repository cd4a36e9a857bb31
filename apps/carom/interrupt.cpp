#include "interrupt.hpp"

#include <time.h>

#include <csignal>

namespace carom::app {

namespace {

volatile std::sig_atomic_t caught = 0;
volatile std::sig_atomic_t caught_at = 0;  // seconds; only differences matter

// A second signal soon after the first is the same wish told twice (some programs signal a process
// and then its group); one that comes later is from somebody who will not wait.
constexpr int patience = 2;

void on_signal(int signal) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const int second = static_cast<int>(now.tv_sec % 1'000'000);
  if (caught == 0) {
    caught = signal;
    caught_at = second;
  } else if (second - caught_at >= patience || second < caught_at) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted_by_user() {
  return caught != 0;
}

int interrupted_exit_code() {
  return 128 + caught;
}

}  // namespace carom::app
