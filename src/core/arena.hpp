#pragma once

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <span>
#include <vector>

namespace carom {

/// Memory for the temporaries of one step. Taking some is a pointer bump, giving back is a no-op,
/// reset() frees all at once. After a step that needed several blocks, reset() joins them into one,
/// so a warm arena asks the system for nothing. One thread only.
class Arena : public std::pmr::memory_resource {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Uninitialised room for `count` values of a type that needs no destructor.
  template <class T>
  std::span<T> make(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    return {static_cast<T*>(allocate(count * sizeof(T), alignof(T))), count};
  }

  /// Everything handed out so far becomes invalid.
  void reset();
  std::size_t capacity() const;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void*, std::size_t, std::size_t) override {}
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size = 0;
  };
  std::vector<Block> blocks_;
  std::size_t used_ = 0;  // of the last block
};

}  // namespace carom
