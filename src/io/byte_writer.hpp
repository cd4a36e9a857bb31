#pragma once

#include <cassert>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "io/endian.hpp"

namespace carom::io {

/// Appends little-endian values to a growing array of bytes.
class ByteWriter {
 public:
  template <Scalar T>
  void put(T value) {
    store_little(value, extend(sizeof value));
  }

  void put(std::span<const std::uint8_t> bytes) { append(bytes.data(), bytes.size()); }
  void put(std::string_view text) { append(text.data(), text.size()); }

  /// The items as they lie in memory; they must have no padding.
  template <class T>
  void put_items(std::span<const T> items) {
    append(items.data(), items.size_bytes());
  }

  /// Room for `count` more bytes, for the caller to fill. Valid until the next call.
  std::uint8_t* extend(std::size_t count) {
    bytes_.resize(bytes_.size() + count);
    return bytes_.data() + bytes_.size() - count;
  }

  void overwrite(std::size_t position, std::span<const std::uint8_t> bytes) {
    assert(position + bytes.size() <= bytes_.size());
    std::memcpy(bytes_.data() + position, bytes.data(), bytes.size());
  }

  void clear() { bytes_.clear(); }
  std::span<const std::uint8_t> bytes() const { return bytes_; }

 private:
  void append(const void* data, std::size_t size) {
    if (size != 0) std::memcpy(extend(size), data, size);
  }

  std::vector<std::uint8_t> bytes_;
};

}  // namespace carom::io
