#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace carom::io {

// Our own formats are little-endian and are copied to and from memory as they are. Every machine
// the kernels are built for is little-endian; a port to another one starts here.
static_assert(std::endian::native == std::endian::little);

/// A value whose bytes mean something in a file.
template <class T>
concept Scalar = std::integral<T> || std::floating_point<T>;

template <Scalar T>
T load_little(const std::uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <Scalar T>
T load_big(const std::uint8_t* bytes) {
  std::uint8_t turned[sizeof(T)];
  for (std::size_t i = 0; i < sizeof(T); ++i) turned[i] = bytes[sizeof(T) - 1 - i];
  return load_little<T>(turned);
}

template <Scalar T>
void store_little(T value, std::uint8_t* bytes) {
  std::memcpy(bytes, &value, sizeof value);
}

template <Scalar T>
void store_big(T value, std::uint8_t* bytes) {
  std::uint8_t straight[sizeof(T)];
  store_little(value, straight);
  for (std::size_t i = 0; i < sizeof(T); ++i) bytes[i] = straight[sizeof(T) - 1 - i];
}

}  // namespace carom::io
