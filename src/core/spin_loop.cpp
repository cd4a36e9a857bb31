#include "core/spin_loop.hpp"

#include <thread>
#include <utility>

namespace carom {

void SpinLoop::open() {
  left_.store(0, std::memory_order_relaxed);
  closed_.store(false, std::memory_order_release);
}

void SpinLoop::close() {
  closed_.store(true);
  sleepers_.notify();
}

void SpinLoop::wait_until_left(std::size_t helpers) const {
  while (left_.load(std::memory_order_acquire) < helpers) std::this_thread::yield();
}

void SpinLoop::do_chunk(const Share& share, std::size_t chunk) {
  const std::size_t chunks = share.chunks;  // of this loop: another may begin as soon as the last chunk is done
  if (!failed_.load(std::memory_order_relaxed)) {
    try {
      share.body(share.context, chunk);
    } catch (...) {
      if (!has_error_.test_and_set()) error_ = std::current_exception();
      failed_.store(true, std::memory_order_relaxed);
    }
  }
  if (done_.fetch_add(1) + 1 == chunks) sleepers_.notify();
}

bool SpinLoop::work(std::size_t thread) {
  bool worked = false;
  for (std::size_t k = 0; k < threads_; ++k) {
    Share& share = shares_[(thread + k) % threads_];
    std::uint64_t now = share.next_and_end.load(std::memory_order_acquire);
    while ((now >> 32) < (now & max_chunks)) {
      if (!share.next_and_end.compare_exchange_weak(now, now + (std::uint64_t{1} << 32), std::memory_order_acq_rel))
        continue;
      do_chunk(share, static_cast<std::size_t>(now >> 32));
      worked = true;
      now = share.next_and_end.load(std::memory_order_acquire);
    }
  }
  return worked;
}

void SpinLoop::run(std::size_t chunks, Body body, void* context) {
  done_.store(0, std::memory_order_relaxed);
  for (std::size_t k = 0; k < threads_; ++k) {
    const std::uint64_t begin = chunks * k / threads_;
    const std::uint64_t end = chunks * (k + 1) / threads_;
    shares_[k].body = body;
    shares_[k].context = context;
    shares_[k].chunks = chunks;
    shares_[k].next_and_end.store(begin << 32 | end, std::memory_order_release);
  }
  loops_.fetch_add(1);
  sleepers_.notify();
  work(0);
  const auto all_done = [&] { return done_.load() == chunks; };
  for (Patience patience; !all_done();) {
    if (!patience.wait()) sleepers_.sleep_until(all_done);
  }
  if (failed_.load(std::memory_order_relaxed)) {
    failed_.store(false, std::memory_order_relaxed);
    has_error_.clear();
    std::rethrow_exception(std::exchange(error_, nullptr));
  }
}

void SpinLoop::help(std::size_t thread) {
  Patience patience;
  while (!closed_.load(std::memory_order_acquire)) {
    const std::uint64_t seen = loops_.load();
    if (work(thread)) {
      patience.renew();
    } else if (!patience.wait()) {
      sleepers_.sleep_until([&] { return loops_.load() != seen || closed_.load(); });
      patience.renew();
    }
  }
  left_.fetch_add(1, std::memory_order_release);
}

}  // namespace carom
