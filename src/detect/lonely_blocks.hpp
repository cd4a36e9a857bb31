#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "broad/broad.hpp"
#include "kernels/cluster_search.hpp"

namespace carom::detection {

/// Leaves out blocks of clusters that are far from every object they may touch: of two bodies that meet, most of the
/// clusters are nowhere near the other body. Blocks whose object may touch itself stay.
class LonelyBlocks {
 public:
  struct In {
    std::span<const broad::ObjectPair> pairs;   ///< of objects to be searched
    std::span<const std::uint8_t> self_wanted;  ///< of each object: pairs with itself, too
    std::span<const kernels::ClusterBlock> blocks;
    std::span<const kernels::UnitBox> boxes;  ///< of each chosen block
  };
  /// The order of those that stay is the same.
  void leave_out(const In& in, std::vector<std::int32_t>& chosen);

 private:
  std::vector<kernels::UnitBox> objects_;  ///< the boxes of their chosen blocks
  std::vector<std::uint32_t> begin_;       ///< of each object, in `partners_`
  std::vector<kernels::UnitBox> partners_;
};

}  // namespace carom::detection
