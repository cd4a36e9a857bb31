#pragma once

#include <array>
#include <vector>

#include "carom/filters.hpp"
#include "carom/surface.hpp"

namespace carom::broad {

enum class Verdict { allowed, excluded, filtered };

/// Which objects may make contacts with each other, by their positions in Surface::objects().
class ObjectFilter {
 public:
  /// Two objects, or one and itself, are looked at only if their marks together are `every_mark`; no marks: all are.
  static constexpr std::uint8_t every_mark = 3;

  /// `marks` has one entry for each object, or none at all. Throws Error that names the entry of a filter.
  void set(const ContactFilters& filters, const Surface& surface, std::span<const std::uint8_t> marks = {});

  bool active() const { return !excluded_.empty() || !groups_.empty() || !marks_.empty(); }
  Verdict verdict(Index a, Index b) const;

 private:
  struct Group {
    std::uint32_t group = 1;
    std::uint32_t mask = 0xffffffff;
  };
  std::vector<std::array<Index, 2>> excluded_;  // smaller position first, sorted
  std::vector<Group> groups_;                   // by position; empty if all have the default
  std::vector<bool> listed_;
  std::vector<std::uint8_t> marks_;  // by position; empty if they do not matter
};

}  // namespace carom::broad
