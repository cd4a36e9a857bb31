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
  /// Throws Error that names the entry.
  void set(const ContactFilters& filters, const Surface& surface);

  bool active() const { return !excluded_.empty() || !groups_.empty(); }
  Verdict verdict(Index a, Index b) const;

 private:
  struct Group {
    std::uint32_t group = 1;
    std::uint32_t mask = 0xffffffff;
  };
  std::vector<std::array<Index, 2>> excluded_;  // smaller position first, sorted
  std::vector<Group> groups_;                   // by position; empty if all have the default
  std::vector<bool> listed_;
};

}  // namespace carom::broad
