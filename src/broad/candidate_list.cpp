#include "broad/candidate_list.hpp"

#include <bit>

namespace carom::broad {

namespace {

constexpr std::size_t candidate_grain = 8192;

std::uint64_t key(std::uint32_t a, std::uint32_t b) {
  return std::uint64_t{a} << 32U | b;
}

bool groups_meet(const ProxyGroup& a, const ProxyGroup& b) {
  return (a.group & b.mask) != 0 && (b.group & a.mask) != 0;
}

}  // namespace

/// Ascending, the smaller index first, without those that groups keep apart; some may come more than once.
void CandidateList::sort(Workers& workers, const Proxies& proxies, std::vector<NodePair>& found) {
  if (proxies.ever_grouped()) {
    std::erase_if(found, [&](const NodePair& p) { return !groups_meet(proxies[p.a].group, proxies[p.b].group); });
  }
  parallel_for(workers, found.size(), candidate_grain, [&](std::size_t i) {
    if (found[i].a > found[i].b) std::swap(found[i].a, found[i].b);
  });
  // By the first index alone: few pairs share one, and these are then put in order by insertion.
  const int bits = std::bit_width(proxies.size());
  radix_.run(workers, found, bits, [](const NodePair& p) { return std::uint64_t{p.a}; });
  parallel_chunks(workers, found.size(), candidate_grain, [&](std::size_t begin, std::size_t end, std::size_t) {
    // The runs that begin in this chunk.
    while (begin > 0 && begin < end && found[begin].a == found[begin - 1].a) ++begin;
    if (begin == end) return;
    while (end < found.size() && found[end].a == found[end - 1].a) ++end;
    for (std::size_t first = begin; first < end;) {
      std::size_t last = first + 1;
      while (last < end && found[last].a == found[first].a) ++last;
      const auto less = [](const NodePair& p, const NodePair& q) { return p.b < q.b; };
      if (last - first > 32) {
        std::sort(found.data() + first, found.data() + last, less);
      } else {
        for (std::size_t i = first + 1; i < last; ++i) {
          const NodePair pair = found[i];
          std::size_t j = i;
          for (; j > first && less(pair, found[j - 1]); --j) found[j] = found[j - 1];
          found[j] = pair;
        }
      }
      first = last;
    }
  });
}

void CandidateList::replace(Workers& workers, const Proxies& proxies, std::vector<NodePair>& found) {
  sort(workers, proxies, found);
  items_.clear();
  items_.reserve(found.size());
  std::uint64_t last = ~std::uint64_t{0};
  for (const NodePair& pair : found) {
    if (key(pair.a, pair.b) == last) continue;
    last = key(pair.a, pair.b);
    items_.push_back({pair.a, pair.b, 0});
  }
}

void CandidateList::merge(Workers& workers, const Proxies& proxies, std::vector<NodePair>& found) {
  sort(workers, proxies, found);
  next_.clear();
  next_.reserve(items_.size() + found.size());
  const std::span<const std::uint8_t> flags = proxies.flags();
  const auto stays = [&](const Candidate& c) {
    if (((flags[c.a] | flags[c.b]) & Proxies::left_flag) == 0) return true;
    return proxies[c.a].there && proxies[c.b].there && overlap(proxies.wide()[c.a], proxies.wide()[c.b]) &&
           (!proxies.ever_grouped() || groups_meet(proxies[c.a].group, proxies[c.b].group));
  };
  std::size_t i = 0;
  const auto keep_below = [&](std::uint64_t limit) {
    for (; i < items_.size() && key(items_[i].a, items_[i].b) < limit; ++i) {
      if (stays(items_[i])) next_.push_back(items_[i]);
    }
  };
  std::uint64_t last = ~std::uint64_t{0};
  for (const NodePair& pair : found) {
    const std::uint64_t here = key(pair.a, pair.b);
    if (here == last) continue;
    last = here;
    keep_below(here);
    if (i < items_.size() && key(items_[i].a, items_[i].b) == here) ++i;
    next_.push_back({pair.a, pair.b, 0});  // one of them moved, so it will be looked at
  }
  keep_below(~std::uint64_t{0});
  std::swap(items_, next_);
}

}  // namespace carom::broad
