#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "core/parallel.hpp"
#include "core/waiting.hpp"

namespace carom {

/// Many short loops in a row, each to begin when the one before is done. Handing each of a hundred loops of a few
/// microseconds to the scheduler costs more than the loops; here threads that are in stay in and take blocks as they
/// come. No thread waits for one that has not come: whoever is there does all that is left, so nothing depends on
/// how many come, or when. Each thread has a share of the blocks that it begins with, the same part of every stage, so
/// that what it wrote is still in its own cache when a later stage comes to it; then it helps with the shares of
/// others. Keep one: a warm call allocates nothing.
class PhasedLoop {
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
    const auto threads = static_cast<std::size_t>(workers.threads());
    reserve(blocks.size(), threads);
    // A thread that left by an exception will never say that its block is done.
    std::atomic<bool> failed{false};
    parallel_for(workers, threads, 1, [&](std::size_t thread) {
      for (std::size_t stage = 0; stage < blocks.size(); ++stage) {
        const auto take = [&](std::uint32_t block) {
          try {
            body(stage, block);
          } catch (...) {
            failed.store(true);
            sleepers_.notify();
            throw;
          }
          if (done_[stage].value.fetch_add(1) + 1 == blocks[stage]) sleepers_.notify();
        };
        for (std::size_t k = 0; k < threads; ++k) {
          const std::size_t share = (thread + k) % threads;
          const auto begin = static_cast<std::uint32_t>(blocks[stage] * share / threads);
          const auto end = static_cast<std::uint32_t>(blocks[stage] * (share + 1) / threads);
          std::atomic<std::uint32_t>& taken = taken_[stage * threads + share].value;
          while (!failed.load(std::memory_order_relaxed)) {
            const std::uint32_t block = begin + taken.fetch_add(1, std::memory_order_relaxed);
            if (block >= end) break;
            take(block);
          }
        }
        const auto over = [&] { return done_[stage].value.load() >= blocks[stage] || failed.load(); };
        for (Patience patience; !over();) {
          if (!patience.wait()) sleepers_.sleep_until(over);
        }
        if (failed.load(std::memory_order_relaxed)) return;
      }
    });
  }

 private:
  void reserve(std::size_t stages, std::size_t threads) {
    if (capacity_ < stages * threads) {
      capacity_ = 2 * stages * threads;
      taken_ = std::make_unique<Counter[]>(capacity_);
      done_ = std::make_unique<Counter[]>(capacity_);
    }
    for (std::size_t i = 0; i < stages * threads; ++i) taken_[i].value.store(0, std::memory_order_relaxed);
    for (std::size_t i = 0; i < stages; ++i) done_[i].value.store(0, std::memory_order_relaxed);
  }

  struct alignas(64) Counter {
    std::atomic<std::uint32_t> value{0};
  };
  std::unique_ptr<Counter[]> taken_;  ///< blocks of each stage and share
  std::unique_ptr<Counter[]> done_;   ///< blocks of each stage
  std::size_t capacity_ = 0;
  Sleepers sleepers_;  ///< who has waited for long for the end of a stage
};

}  // namespace carom
