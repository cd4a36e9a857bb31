#pragma once

#include "broad/box_tree.hpp"
#include "broad/pair_finder.hpp"

namespace carom::broad {

/// Method `tree`: a tree of all, and a small one of those that left their wide boxes since it was built.
class TreeFinder final : public PairFinder {
 public:
  bool rebuild(Workers& workers, const Proxies& proxies, std::span<const std::uint32_t> indices,
               std::vector<NodePair>& out) override;
  bool follow(Workers& workers, const Proxies& proxies, std::vector<NodePair>& out) override;

  /// The trees alone, without pairs.
  void build(Workers& workers, const Proxies& proxies, std::span<const std::uint32_t> indices);
  bool bring_up_to_date(Workers& workers, const Proxies& proxies);

  const BoxTree& main() const { return main_; }
  const BoxTree& fresh() const { return fresh_; }

 private:
  BoxTree main_, fresh_;
  std::vector<std::uint32_t> place_;        // of each proxy in main_; no_item if it is not there
  std::vector<std::uint32_t> fresh_items_;  // in fresh_
  std::vector<std::uint8_t> in_fresh_;
  std::vector<float> asked_;
  std::vector<BoxTree::Walk> walks_;
  OrderedAppend<NodePair> append_;
};

}  // namespace carom::broad
