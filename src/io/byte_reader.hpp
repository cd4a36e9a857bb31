#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/check.hpp"
#include "io/endian.hpp"

namespace carom::io {

/// Walks little-endian bytes. Whatever is asked for is checked against what is there, before
/// anything is allocated for it.
class ByteReader {
 public:
  /// `where` opens every error message: the file, and the part of it that the bytes are.
  /// `base` is the offset of the first byte in whatever the messages count from.
  ByteReader(std::span<const std::uint8_t> bytes, std::string where, std::uint64_t base = 0)
      : bytes_(bytes), where_(std::move(where)), base_(base) {}

  std::size_t left() const { return bytes_.size() - position_; }
  std::uint64_t offset() const { return base_ + position_; }
  const std::string& where() const { return where_; }

  /// `what` names the field for the error message.
  template <Scalar T>
  T get(std::string_view what) {
    return load_little<T>(take(1, sizeof(T), what).data());
  }

  /// `count` items of `item_size` bytes each.
  std::span<const std::uint8_t> take(std::uint64_t count, std::size_t item_size, std::string_view what) {
    if (count > left() / item_size) {
      fail(ErrorCode::truncated, "{}: {} at byte {} should take {} x {} bytes, but only {} are left", where_, what,
           offset(), count, item_size, left());
    }
    const auto part = bytes_.subspan(position_, static_cast<std::size_t>(count) * item_size);
    position_ += part.size();
    return part;
  }

  void expect_end() const {
    if (left() != 0) fail(ErrorCode::bad_format, "{}: {} bytes too many at byte {}", where_, left(), offset());
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t position_ = 0;
  std::string where_;
  std::uint64_t base_;
};

}  // namespace carom::io
