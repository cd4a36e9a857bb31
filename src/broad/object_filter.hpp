#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "broad/tangled.hpp"
#include "carom/detect/filters.hpp"
#include "carom/mesh/surface.hpp"

namespace carom::broad {

/// Which pairs of objects, or of one and itself, are looked at, before any filter.
struct ObjectChoice {
  static constexpr std::uint8_t every_mark = 3;
  struct Pair {
    std::array<Index, 2> objects;  ///< the smaller position first
    bool chosen = false;
  };
  /// By position: those are looked at whose marks together are `every_mark`; no marks: all are.
  std::span<const std::uint8_t> marks{};
  std::span<const Pair> pairs{};     ///< decided one by one, whatever their marks are; sorted, each once
  const Tangled* tangled = nullptr;  ///< features that are left out, if any
};

enum class Verdict { allowed, excluded, filtered };

/// Which objects may make contacts with each other, by their positions in Surface::objects().
class ObjectFilter {
 public:
  /// Throws Error that names the entry of a filter.
  void set(const ContactFilters& filters, const Surface& surface, const ObjectChoice& choice = {});

  bool active() const { return !excluded_.empty() || !groups_.empty() || !marks_.empty() || !chosen_.empty(); }
  Verdict verdict(Index a, Index b) const;
  /// Marks that decide alone which pairs are looked at, as in ObjectChoice; empty if there are none, or others decide
  /// besides them.
  std::span<const std::uint8_t> marks() const { return chosen_.empty() ? marks_ : std::span<const std::uint8_t>{}; }

 private:
  std::vector<std::array<Index, 2>> excluded_;  // smaller position first, sorted
  std::vector<CollisionFilter> groups_;         // by position; empty if all have the default
  std::vector<bool> listed_;
  std::vector<std::uint8_t> marks_;         // as in ObjectChoice
  std::vector<ObjectChoice::Pair> chosen_;  // as in ObjectChoice

  bool considers(const std::array<Index, 2>& pair) const;
};

}  // namespace carom::broad
