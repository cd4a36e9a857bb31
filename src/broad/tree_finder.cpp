#include "broad/tree_finder.hpp"

namespace carom::broad {

namespace {
constexpr std::size_t query_grain = 256;
}

void TreeFinder::build(Workers& workers, const Proxies& proxies, std::span<const std::uint32_t> indices) {
  main_.build(workers, proxies.wide(), indices);
  fresh_.clear();
  fresh_items_.clear();
  place_.assign(proxies.size(), SpatialOrder::no_item);
  in_fresh_.assign(proxies.size(), 0);
  main_.for_each_place([&](std::uint32_t item, std::uint32_t place) { place_[item] = place; });
}

bool TreeFinder::rebuild(Workers& workers, const Proxies& proxies, std::span<const std::uint32_t> indices,
                         std::vector<NodePair>& out) {
  build(workers, proxies, indices);
  main_.join(workers, out);
  return true;
}

bool TreeFinder::bring_up_to_date(Workers& workers, const Proxies& proxies) {
  place_.resize(proxies.size(), SpatialOrder::no_item);
  in_fresh_.resize(proxies.size(), 0);
  bool some_went = false;
  for (const std::uint32_t i : proxies.left()) {
    if (place_[i] != SpatialOrder::no_item) {
      main_.take_out(place_[i]);
      place_[i] = SpatialOrder::no_item;
    }
    const bool there = proxies[i].there;
    if (there && in_fresh_[i] == 0) fresh_items_.push_back(i);
    some_went = some_went || (!there && in_fresh_[i] != 0);
    in_fresh_[i] = there ? 1 : 0;
  }
  if (some_went) std::erase_if(fresh_items_, [&](std::uint32_t i) { return in_fresh_[i] == 0; });
  if (4 * fresh_items_.size() > proxies.count()) return false;
  fresh_.build(workers, proxies.wide(), fresh_items_);
  return true;
}

bool TreeFinder::follow(Workers& workers, const Proxies& proxies, std::vector<NodePair>& out) {
  if (!bring_up_to_date(workers, proxies)) return false;
  const std::span<const std::uint32_t> left = proxies.left();
  walks_.resize(std::max(walks_.size(), chunk_count(left.size(), query_grain)));
  asked_.resize(6 * left.size());
  append_.run(workers, left.size(), query_grain, out,
              [&](std::size_t begin, std::size_t end, std::vector<NodePair>& found, std::size_t chunk) {
                BoxTree::Walk& walk = walks_[workers.threads() == 1 ? 0 : chunk];
                for (std::size_t j = begin; j < end; ++j) {
                  const bool there = proxies[left[j]].there;
                  for (std::size_t k = 0; k < 3; ++k) {
                    const Box& box = proxies.wide()[left[j]];
                    // An empty box overlaps at most what is infinite; that is left out below.
                    asked_[6 * j + k] = there ? box.min[k] : FLT_MAX;
                    asked_[6 * j + 3 + k] = there ? box.max[k] : -FLT_MAX;
                  }
                }
                const std::span<const float> asked(asked_.data() + 6 * begin, 6 * (end - begin));
                main_.search(asked, static_cast<std::uint32_t>(begin), walk, found);
                fresh_.search(asked, static_cast<std::uint32_t>(begin), walk, found);
                std::size_t kept = 0;
                for (NodePair pair : found) {
                  pair.a = left[pair.a];
                  // Two proxies that both left find each other.
                  const bool both = (proxies.flags()[pair.b] & Proxies::left_flag) != 0;
                  if (proxies[pair.a].there && (!both || pair.a < pair.b)) found[kept++] = pair;
                }
                found.resize(kept);
              });
  return true;
}

}  // namespace carom::broad
