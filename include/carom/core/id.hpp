#pragma once

#include <compare>
#include <cstdint>

namespace carom {

/// Id of one element of a pool. The generation tells a stale id from the one
/// that later took its place: a removed body is never mistaken for a new one.
template <class Tag>
struct Id {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;  ///< 0 names nothing; pools count from 1

  constexpr explicit operator bool() const { return generation != 0; }
  friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

using BodyId = Id<struct BodyTag>;

}  // namespace carom
