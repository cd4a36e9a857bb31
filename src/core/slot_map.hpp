#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "carom/core/id.hpp"

namespace carom {

/// A pool of values named by generational ids. Slots are reused, ids never: a slot whose
/// generation would come round again is retired instead.
template <class T, class Tag>
class SlotMap {
 public:
  Id<Tag> insert(T value) {
    std::uint32_t index;
    if (free_.empty()) {
      index = static_cast<std::uint32_t>(slots_.size());
      slots_.emplace_back();
    } else {
      index = free_.back();
      free_.pop_back();
    }
    Slot& slot = slots_[index];
    slot.value.emplace(std::move(value));
    ++slot.generation;
    return {index, slot.generation};
  }

  bool contains(Id<Tag> id) const {
    return id.index < slots_.size() && slots_[id.index].value && slots_[id.index].generation == id.generation;
  }

  T& operator[](Id<Tag> id) {
    assert(contains(id));
    return *slots_[id.index].value;
  }
  const T& operator[](Id<Tag> id) const {
    assert(contains(id));
    return *slots_[id.index].value;
  }

  void erase(Id<Tag> id) {
    assert(contains(id));
    Slot& slot = slots_[id.index];
    slot.value.reset();
    if (slot.generation != last_generation) free_.push_back(id.index);
  }

 private:
  static constexpr std::uint32_t last_generation = 0xffffffffU;
  struct Slot {
    std::optional<T> value;
    std::uint32_t generation = 0;
  };
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace carom
