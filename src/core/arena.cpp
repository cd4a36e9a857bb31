#include "core/arena.hpp"

#include <algorithm>
#include <cstdint>

namespace carom {

namespace {
constexpr std::size_t smallest_block = 64 * 1024;
}

void* Arena::do_allocate(std::size_t bytes, std::size_t alignment) {
  if (!blocks_.empty()) {
    Block& block = blocks_.back();
    void* place = block.bytes.get() + used_;
    std::size_t room = block.size - used_;
    if (std::align(alignment, bytes, place, room) != nullptr) {
      used_ = block.size - room + bytes;
      return place;
    }
  }
  const std::size_t size = std::max({smallest_block, bytes + alignment, capacity()});
  blocks_.push_back({std::unique_ptr<std::byte[]>(new std::byte[size]), size});
  used_ = 0;
  return do_allocate(bytes, alignment);
}

void Arena::reset() {
  if (blocks_.size() > 1) {
    const std::size_t size = capacity();
    blocks_.clear();
    blocks_.push_back({std::unique_ptr<std::byte[]>(new std::byte[size]), size});
  }
  used_ = 0;
}

std::size_t Arena::capacity() const {
  std::size_t total = 0;
  for (const Block& block : blocks_) total += block.size;
  return total;
}

}  // namespace carom
