#pragma once

#include <span>
#include <vector>

#include "bounds/box.hpp"
#include "broad/spatial_order.hpp"
#include "core/parallel.hpp"
#include "kernels/box_groups.hpp"

namespace carom::broad {

using kernels::NodePair;

/// A tree with eight children a node over boxes. It has no pointers: node i of a level is around the boxes of group i
/// of the level below, and the boxes themselves are level 0, in the order of SpatialOrder. Boxes can be taken out, not
/// put in: what comes or moves goes to another tree until all is built again.
class BoxTree {
 public:
  void build(Workers& workers, std::span<const Box> boxes, std::span<const std::uint32_t> items);
  /// New boxes of the items that build() saw: the boxes of the nodes follow, the order of the items stays.
  void refit(Workers& workers, std::span<const Box> boxes);
  void clear() { depth_ = 0; }

  /// Where each item went: call(item, place).
  template <class Call>
  void for_each_place(Call&& call) const {
    for (std::size_t i = 0; depth_ > 0 && i < item_.size(); ++i) {
      if (item_[i] != SpatialOrder::no_item) call(item_[i], static_cast<std::uint32_t>(i));
    }
  }
  void take_out(std::uint32_t place);

  /// All pairs of items whose boxes overlap, each once, either way round.
  void join(Workers& workers, std::vector<NodePair>& out);

  /// Working memory of a walk; one for each thread.
  struct Walk {
    std::vector<NodePair> here, next;  // as large as was ever needed
  };
  /// Appends (first + i, item) for each of the boxes asked for (six floats each) and each item whose box it overlaps.
  void search(std::span<const float> asked, std::uint32_t first, Walk& walk, std::vector<NodePair>& out) const;

  /// For walks of other kinds.
  std::size_t depth() const { return depth_; }
  std::span<const float> groups(std::size_t level) const { return levels_[level]; }
  std::span<const std::uint32_t> items() const { return item_; }

 private:
  std::vector<std::vector<float>> levels_;  // level depth_ - 1 has one group; further ones are kept for their memory
  std::size_t depth_ = 0;                   // 0 if there are no boxes
  std::vector<std::uint32_t> item_;         // of each place of level 0
  SpatialOrder order_;
  std::vector<NodePair> pairs_, next_;
  OrderedAppend<NodePair> append_;
};

}  // namespace carom::broad
