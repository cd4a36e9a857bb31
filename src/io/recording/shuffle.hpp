#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "io/endian.hpp"

/// Byte planes: first byte 0 of every value, then byte 1 of every value, and so on. Coordinates
/// that are near each other agree in their upper bytes; side by side these compress.
namespace carom::io {

template <std::floating_point T>
using BitsOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

/// Writes value `i` of `count` into the planes at `out`.
template <std::floating_point T>
void put_shuffled(T value, std::size_t i, std::size_t count, std::uint8_t* out) {
  const auto bits = std::bit_cast<BitsOf<T>>(value);
  for (std::size_t byte = 0; byte < sizeof(T); ++byte) {
    out[byte * count + i] = static_cast<std::uint8_t>(bits >> (8 * byte));
  }
}

/// Reads value `i` of `count` from the planes.
template <std::floating_point T>
T get_shuffled(std::size_t i, std::size_t count, const std::uint8_t* planes) {
  BitsOf<T> bits = 0;
  for (std::size_t byte = 0; byte < sizeof(T); ++byte) {
    bits |= static_cast<BitsOf<T>>(planes[byte * count + i]) << (8 * byte);
  }
  return std::bit_cast<T>(bits);
}

}  // namespace carom::io
