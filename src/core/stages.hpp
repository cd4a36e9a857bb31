#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>

#include "core/parallel.hpp"

namespace carom {

/// Many short loops in a row, each to begin when the one before is done. Handing each of a hundred loops of a few
/// microseconds to the scheduler costs more than the loops; here threads that are in stay in and take blocks as they
/// come. No thread waits for one that has not come: whoever is there does all that is left, so nothing depends on
/// how many come, or when. Keep one: a warm call allocates nothing.
class StageRunner {
 public:
  /// body(stage, block) for each block in [0, blocks[stage]), stage after stage. Blocks of one stage must not write to
  /// what others of it read or write. If one throws, no thread begins another block, and the exception goes to the
  /// caller.
  template <class Body>
  void run(Workers& workers, std::span<const std::uint32_t> blocks, Body&& body) {
    if (workers.threads() == 1) {
      for (std::size_t stage = 0; stage < blocks.size(); ++stage) {
        for (std::uint32_t block = 0; block < blocks[stage]; ++block) body(stage, block);
      }
      return;
    }
    if (capacity_ < blocks.size()) {
      capacity_ = 2 * blocks.size();
      counters_ = std::make_unique<Counter[]>(capacity_);
    }
    for (std::size_t stage = 0; stage < blocks.size(); ++stage) {
      counters_[stage].next.store(0, std::memory_order_relaxed);
      counters_[stage].done.store(0, std::memory_order_relaxed);
    }
    // A thread that left by an exception will never say that its block is done.
    std::atomic<bool> failed{false};
    parallel_for(workers, static_cast<std::size_t>(workers.threads()), 1, [&](std::size_t) {
      for (std::size_t stage = 0; stage < blocks.size(); ++stage) {
        Counter& counter = counters_[stage];
        for (;;) {
          const std::uint32_t block = counter.next.fetch_add(1, std::memory_order_relaxed);
          if (block >= blocks[stage] || failed.load(std::memory_order_relaxed)) break;
          try {
            body(stage, block);
          } catch (...) {
            failed.store(true, std::memory_order_relaxed);
            throw;
          }
          counter.done.fetch_add(1, std::memory_order_release);
        }
        for (int spins = 0; counter.done.load(std::memory_order_acquire) < blocks[stage]; ++spins) {
          if (failed.load(std::memory_order_relaxed)) return;
          // The other thread may not have a core of its own.
          if (spins > most_spins) std::this_thread::yield();
        }
      }
    });
  }

 private:
  static constexpr int most_spins = 2000;
  struct alignas(64) Counter {
    std::atomic<std::uint32_t> next{0};
    std::atomic<std::uint32_t> done{0};
  };
  std::unique_ptr<Counter[]> counters_;
  std::size_t capacity_ = 0;
};

}  // namespace carom
