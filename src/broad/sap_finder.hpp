#pragma once

#include "broad/pair_finder.hpp"
#include "core/radix_sort.hpp"

namespace carom::broad {

/// Methods `sap` and `sap18`: both ends of every wide box, or 18-DOP, in ascending order along each of three, or nine,
/// axes. What moved a little is put in order by insertion, and where a lower end passes an upper one two may have begun
/// to overlap. When much changed, the ends are sorted again and the boxes swept in strips.
template <std::size_t axes>
class SapFinder final : public PairFinder {
  static_assert(axes == 3 || axes == 9);

 public:
  bool rebuild(Workers& workers, const Proxies& proxies, std::span<const std::uint32_t> indices,
               std::vector<NodePair>& out) override;
  bool follow(Workers& workers, const Proxies& proxies, std::vector<NodePair>& out) override;

 private:
  /// Ordered by `key`; at the same place lower ends come first, so that boxes which touch overlap.
  struct End {
    std::uint32_t key;
    std::uint32_t owner : 31;
    std::uint32_t upper : 1;

    std::uint64_t order() const { return std::uint64_t{key} << 1U | upper; }
  };
  /// A box in a strip of the sweep.
  struct Entry {
    std::uint32_t strip;
    std::uint32_t key;  ///< of its lower end along the sweep
    std::uint32_t item;
  };
  static End end_of(const Proxies& proxies, std::uint32_t i, std::size_t axis, bool upper);
  static bool overlap_wide(const Proxies& proxies, std::uint32_t a, std::uint32_t b);
  void sweep(Workers& workers, const Proxies& proxies, std::span<const std::uint32_t> indices,
             std::vector<NodePair>& out);

  std::array<std::vector<End>, axes> ends_;
  std::array<std::uint8_t, axes> gave_up_{};
  std::vector<std::uint8_t> known_;  // has ends in the lists
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> starts_;
  RadixSort<End> sort_ends_;
  RadixSort<Entry> sort_entries_;
  OrderedAppend<NodePair> append_;
};

extern template class SapFinder<3>;
extern template class SapFinder<9>;

}  // namespace carom::broad
