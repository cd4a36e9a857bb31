#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace carom {

/// How long a thread has waited in vain: it spins first, as most waits are shorter than going to sleep and waking up;
/// then it yields, for others may need its core; then it is time to sleep.
class Patience {
 public:
  /// Spins or yields once; false if the thread should sleep.
  bool wait() {
    if (++spins_ <= max_spins) return true;
    const Clock::time_point now = Clock::now();
    if (spins_ == max_spins + 1) yielding_since_ = now;
    if (now - yielding_since_ > max_yielding) return false;
    std::this_thread::yield();
    return true;
  }
  void renew() { spins_ = 0; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int max_spins = 2000;  ///< microseconds
  /// Ten times what waking up takes, so that the serial parts of a step put no thread to sleep. Where another process
  /// has the core, the first yield takes longer.
  static constexpr std::chrono::microseconds max_yielding{500};

  int spins_ = 0;
  Clock::time_point yielding_since_;
};

/// Threads that sleep until a condition is true. No wake-up is lost if the condition is made true by a sequentially
/// consistent write before notify(), and read by sequentially consistent reads: either the one who sleeps sees the
/// write, or the one who writes sees the sleeper.
class Sleepers {
 public:
  template <class Ready>
  void sleep_until(const Ready& ready) {
    std::unique_lock lock(mutex_);
    for (;;) {
      count_.fetch_add(1);
      if (ready()) {
        count_.fetch_sub(1);
        return;
      }
      wake_up_.wait(lock);
    }
  }

  /// A read if nobody sleeps, or if all who do are being woken: that may take long where other processes have the
  /// cores.
  void notify() {
    if (count_.load() == 0) return;
    {
      const std::lock_guard lock(mutex_);  // who has counted itself but does not yet wait holds it
      count_.store(0);
    }
    wake_up_.notify_all();
  }

 private:
  std::atomic<int> count_{0};  ///< who sleep and have not been notified, or more; changed with the mutex held
  std::mutex mutex_;
  std::condition_variable wake_up_;
};

}  // namespace carom
