#include "core/shared_loop.hpp"

#include <thread>
#include <utility>

namespace carom {
namespace {

/// So often a thread looks in vain before it lets others have its core.
constexpr int most_spins = 2000;

class Patience {
 public:
  void wait() {
    if (++spins_ > most_spins) std::this_thread::yield();
  }
  void renew() { spins_ = 0; }

 private:
  int spins_ = 0;
};

}  // namespace

void SharedLoop::open() {
  left_.store(0, std::memory_order_relaxed);
  closed_.store(false, std::memory_order_release);
}

void SharedLoop::close() {
  closed_.store(true, std::memory_order_release);
}

void SharedLoop::wait_until_left(std::size_t helpers) const {
  while (left_.load(std::memory_order_acquire) < helpers) std::this_thread::yield();
}

void SharedLoop::do_chunk(const Share& share, std::size_t chunk) {
  if (!failed_.load(std::memory_order_relaxed)) {
    try {
      share.body(share.context, chunk);
    } catch (...) {
      if (!has_error_.test_and_set()) error_ = std::current_exception();
      failed_.store(true, std::memory_order_relaxed);
    }
  }
  done_.fetch_add(1, std::memory_order_acq_rel);
}

bool SharedLoop::work(std::size_t thread) {
  bool worked = false;
  for (std::size_t k = 0; k < threads_; ++k) {
    Share& share = shares_[(thread + k) % threads_];
    std::uint64_t now = share.next_and_end.load(std::memory_order_acquire);
    while ((now >> 32) < (now & most_chunks)) {
      if (!share.next_and_end.compare_exchange_weak(now, now + (std::uint64_t{1} << 32), std::memory_order_acq_rel))
        continue;
      do_chunk(share, static_cast<std::size_t>(now >> 32));
      worked = true;
      now = share.next_and_end.load(std::memory_order_acquire);
    }
  }
  return worked;
}

void SharedLoop::run(std::size_t chunks, Body body, void* context) {
  done_.store(0, std::memory_order_relaxed);
  for (std::size_t k = 0; k < threads_; ++k) {
    const std::uint64_t begin = chunks * k / threads_;
    const std::uint64_t end = chunks * (k + 1) / threads_;
    shares_[k].body = body;
    shares_[k].context = context;
    shares_[k].next_and_end.store(begin << 32 | end, std::memory_order_release);
  }
  work(0);
  Patience patience;
  while (done_.load(std::memory_order_acquire) < chunks) patience.wait();
  if (failed_.load(std::memory_order_relaxed)) {
    failed_.store(false, std::memory_order_relaxed);
    has_error_.clear();
    std::rethrow_exception(std::exchange(error_, nullptr));
  }
}

void SharedLoop::help(std::size_t thread) {
  Patience patience;
  while (!closed_.load(std::memory_order_acquire)) {
    if (work(thread)) {
      patience.renew();
    } else {
      patience.wait();
    }
  }
  left_.fetch_add(1, std::memory_order_release);
}

}  // namespace carom
