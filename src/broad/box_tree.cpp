#include "broad/box_tree.hpp"

#include <cmath>
#include <limits>

namespace carom::broad {

namespace {

using kernels::group_floats;
using kernels::node_children;

constexpr std::size_t group_grain = 64;
constexpr std::size_t pair_grain = 128;
constexpr std::size_t batch = 64;  // pairs a call of the kernel
constexpr float nan_f = std::numeric_limits<float>::quiet_NaN();

/// The box around a group into place i of the level above.
void enclose(const float* group, float* above) {
  float low[3] = {INFINITY, INFINITY, INFINITY};
  float high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t i = 0; i < node_children; ++i) {
      const float smallest = group[k * node_children + i];
      const float largest = group[(k + 3) * node_children + i];
      // Comparisons with NaN are false.
      low[k] = smallest < low[k] ? smallest : low[k];
      high[k] = largest > high[k] ? largest : high[k];
    }
  }
  const bool empty = !(low[0] <= high[0]);
  for (std::size_t k = 0; k < 3; ++k) {
    above[k * node_children] = empty ? nan_f : low[k];
    above[(k + 3) * node_children] = empty ? nan_f : high[k];
  }
}

}  // namespace

void BoxTree::build(Workers& workers, std::span<const Box> boxes, std::span<const std::uint32_t> items) {
  order_.run(workers, boxes, items, item_);
  if (item_.empty()) {
    clear();
    return;
  }
  while (item_.size() % node_children != 0) item_.push_back(SpatialOrder::no_item);
  depth_ = 0;
  for (std::size_t count = item_.size() / node_children;; count = (count + node_children - 1) / node_children) {
    if (levels_.size() <= depth_) levels_.emplace_back();
    levels_[depth_++].resize(count * group_floats);
    if (count == 1) break;
  }
  refit(workers, boxes);
}

void BoxTree::refit(Workers& workers, std::span<const Box> boxes) {
  if (depth_ == 0) return;
  std::size_t groups = item_.size() / node_children;
  float* leaves = levels_[0].data();
  parallel_for(workers, groups, group_grain, [&](std::size_t g) {
    float* group = leaves + g * group_floats;
    for (std::size_t i = 0; i < node_children; ++i) {
      const std::uint32_t item = item_[g * node_children + i];
      for (std::size_t k = 0; k < 3; ++k) {
        group[k * node_children + i] = item == SpatialOrder::no_item ? nan_f : boxes[item].min[k];
        group[(k + 3) * node_children + i] = item == SpatialOrder::no_item ? nan_f : boxes[item].max[k];
      }
    }
  });
  for (std::size_t level = 1; level < depth_; ++level) {
    const float* below = levels_[level - 1].data();
    float* here = levels_[level].data();
    const std::size_t last = levels_[level].size() / group_floats * node_children;
    parallel_for(workers, last, group_grain, [&](std::size_t i) {
      float* place = here + i / node_children * group_floats + i % node_children;
      if (i < groups) {
        enclose(below + i * group_floats, place);
      } else {
        for (std::size_t k = 0; k < 6; ++k) place[k * node_children] = nan_f;
      }
    });
    groups = levels_[level].size() / group_floats;
  }
}

void BoxTree::take_out(std::uint32_t place) {
  // The boxes above stay as they are: too large does no harm.
  float* row = levels_[0].data() + place / node_children * group_floats + place % node_children;
  for (std::size_t k = 0; k < 6; ++k) row[k * node_children] = nan_f;
  item_[place] = SpatialOrder::no_item;
}

void BoxTree::join(Workers& workers, std::vector<NodePair>& out) {
  out.clear();
  if (depth_ == 0) return;
  pairs_.assign(1, {0, 0});  // the group of the top
  for (std::size_t level = depth_; level-- > 0;) {
    const float* groups = levels_[level].data();
    const float* nodes = level + 1 < depth_ ? levels_[level + 1].data() : groups;
    const bool leaves = level == 0;
    append_.run(workers, pairs_.size(), pair_grain, leaves ? out : next_,
                [&](std::size_t begin, std::size_t end, std::vector<NodePair>& found, std::size_t) {
                  NodePair buffer[batch * node_children * node_children];
                  for (std::size_t i = begin; i < end; i += batch) {
                    const std::size_t n = kernels::join_groups(pairs_.data() + i, std::min(batch, end - i), nodes,
                                                               groups, !leaves, buffer);
                    if (leaves) {
                      for (std::size_t p = 0; p < n; ++p) buffer[p] = {item_[buffer[p].a], item_[buffer[p].b]};
                    }
                    found.insert(found.end(), buffer, buffer + n);
                  }
                });
    if (!leaves) std::swap(pairs_, next_);
  }
}

void BoxTree::search(std::span<const float> asked, std::uint32_t first, Walk& walk, std::vector<NodePair>& out) const {
  if (depth_ == 0) return;
  std::size_t count = asked.size() / 6;
  const auto make_room = [](std::vector<NodePair>& list, std::size_t room) {
    if (list.size() < room) list.resize(room);
  };
  make_room(walk.here, count);
  for (std::size_t i = 0; i < count; ++i) walk.here[i] = {static_cast<std::uint32_t>(i), 0};
  for (std::size_t level = depth_; level-- > 0 && count > 0;) {
    make_room(walk.next, count * node_children);
    count = kernels::descend_groups(walk.here.data(), count, asked.data(), levels_[level].data(), walk.next.data());
    std::swap(walk.here, walk.next);
  }
  for (std::size_t i = 0; i < count; ++i) out.push_back({first + walk.here[i].a, item_[walk.here[i].b]});
}

}  // namespace carom::broad
