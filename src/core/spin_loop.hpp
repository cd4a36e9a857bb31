#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>

#include "core/waiting.hpp"

namespace carom {

/// One loop after the other, shared with threads that stay and wait for the next: beginning one costs a few writes,
/// where handing it to a scheduler costs microseconds, or tens of them if threads have gone to sleep. A thread that has
/// waited for long sleeps here, too, so that other processes have its core (see Patience).
///
/// The chunks of a loop are cut into a share for each thread, which begins with its own and then helps with the others:
/// what a thread wrote in one loop is likely to be in its own cache in the next. A share is two numbers in one, the
/// next chunk and the end; whoever makes it larger by one has that chunk. A loop cannot end before that chunk is done,
/// so what is read of the loop after taking it is of this loop, however late a thread is.
class SpinLoop {
 public:
  using Body = void (*)(void* context, std::size_t chunk);
  static constexpr std::size_t max_chunks = 0xffffffff;

  explicit SpinLoop(std::size_t threads) : shares_(std::make_unique<Share[]>(threads)), threads_(threads) {}

  /// By the one that owns it: calls body(context, chunk) for all chunks with whoever helps, and returns when all are
  /// done. The first exception of a chunk goes to the caller; chunks that had not begun by then are left out.
  void run(std::size_t chunks, Body body, void* context);

  /// By any other: does so for every loop until close(). `thread` is from 1 to threads - 1.
  void help(std::size_t thread);

  void open();
  void close();
  /// Until so many have come back from help(). The scheduler knows when that is, but the thread sanitizer does not see
  /// it there.
  void wait_until_left(std::size_t helpers) const;

 private:
  /// One cache line, so that who comes for a chunk gets with it all that is to be known.
  struct alignas(64) Share {
    std::atomic<std::uint64_t> next_and_end{0};
    Body body = nullptr;
    void* context = nullptr;
    std::size_t chunks = 0;  ///< of all shares
  };

  /// Takes and does chunks while there are any; whether there were.
  bool work(std::size_t thread);
  void do_chunk(const Share& share, std::size_t chunk);

  std::unique_ptr<Share[]> shares_;
  std::size_t threads_;
  alignas(64) std::atomic<std::size_t> done_{0};
  /// Read by those who wait for the next loop, apart from what those who work write.
  alignas(64) std::atomic<std::uint64_t> loops_{0};  ///< begun so far
  std::atomic<bool> closed_{true};
  Sleepers sleepers_;
  alignas(64) std::atomic<std::size_t> left_{0};
  std::atomic<bool> failed_{false};
  std::atomic_flag has_error_ = ATOMIC_FLAG_INIT;
  std::exception_ptr error_;
};

}  // namespace carom
