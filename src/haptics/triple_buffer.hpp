#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace carom::haptics {

/// Values from one thread to another, the latest of which wins. Neither waits: the writer fills a slot that nobody
/// reads, and exchanges it for the one in the middle; the reader does the same from the other side.
template <class T>
class TripleBuffer {
 public:
  /// Slot of the writer, with whatever it held three values ago.
  T& back() noexcept { return slots_[back_]; }
  void publish() noexcept {
    back_ = middle_.exchange(static_cast<std::uint8_t>(back_ | fresh), std::memory_order_acq_rel) & index;
  }

  /// Takes over the latest value. Returns whether there was a new one.
  bool update() noexcept {
    if ((middle_.load(std::memory_order_relaxed) & fresh) == 0) return false;
    front_ = middle_.exchange(front_, std::memory_order_acq_rel) & index;
    return true;
  }
  const T& front() const noexcept { return slots_[front_]; }

 private:
  static constexpr std::uint8_t index = 3;
  static constexpr std::uint8_t fresh = 4;

  std::array<T, 3> slots_{};
  std::atomic<std::uint8_t> middle_{1};
  std::uint8_t back_ = 0;   ///< of the writer
  std::uint8_t front_ = 2;  ///< of the reader
};

}  // namespace carom::haptics
