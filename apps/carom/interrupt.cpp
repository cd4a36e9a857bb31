#include "interrupt.hpp"

#include <csignal>

namespace carom::app {

namespace {
volatile std::sig_atomic_t caught = 0;
void on_signal(int) {
  caught = 1;
}
}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted_by_user() {
  return caught != 0;
}

}  // namespace carom::app
