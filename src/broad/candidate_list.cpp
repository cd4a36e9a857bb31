#include "broad/candidate_list.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace carom::broad {

namespace {

constexpr std::size_t candidate_grain = 1024;

std::uint64_t key(std::uint32_t a, std::uint32_t b) {
  return std::uint64_t{a} << 32U | b;
}

/// From so many on, pairs with the same first index are put in order by marking their second ones, as long as there are
/// no more than so many words of marks to each.
constexpr std::size_t long_run = 32;
constexpr std::size_t words_each = 4;

/// Orders pairs of one first index by the second. Of pairs that come more than once, the last is repeated instead.
void order_by_marks(std::span<NodePair> run, std::size_t words, std::vector<std::uint64_t>& marks) {
  marks.assign(words, 0);
  for (const NodePair& pair : run) marks[pair.b / 64] |= std::uint64_t{1} << pair.b % 64;
  std::size_t n = 0;
  for (std::size_t w = 0; w < words; ++w) {
    for (std::uint64_t left = marks[w]; left != 0; left &= left - 1)
      run[n++].b = static_cast<std::uint32_t>(64 * w) + static_cast<std::uint32_t>(std::countr_zero(left));
  }
  std::fill(run.begin() + static_cast<std::ptrdiff_t>(n), run.end(), run[n - 1]);
}

/// Sorts a short run, without a branch that depends on the order they are in.
void order_by_rank(std::span<NodePair> run) {
  std::array<std::uint32_t, long_run> second{};
  for (std::size_t i = 0; i < run.size(); ++i) second[i] = run[i].b;
  for (std::size_t i = 0; i < run.size(); ++i) {
    std::size_t rank = 0;
    for (std::size_t j = 0; j < i; ++j) rank += second[j] <= second[i] ? 1 : 0;
    for (std::size_t j = i + 1; j < run.size(); ++j) rank += second[j] < second[i] ? 1 : 0;
    run[rank].b = second[i];
  }
}

}  // namespace

/// Ascending, the smaller index first, without those that filters keep apart; some may come more than once.
void CandidateList::sort(Workers& workers, const Proxies& proxies, std::vector<NodePair>& found) {
  if (proxies.ever_filtered()) {
    std::erase_if(found, [&](const NodePair& p) { return !may_collide(proxies[p.a].filter, proxies[p.b].filter); });
  }
  parallel_for(workers, found.size(), candidate_grain, [&](std::size_t i) {
    if (found[i].a > found[i].b) std::swap(found[i].a, found[i].b);
  });
  // By the first index alone: few pairs share one, and these are put in order after that.
  const int bits = std::bit_width(proxies.size());
  radix_.run(workers, found, bits, [](const NodePair& p) { return std::uint64_t{p.a}; });
  marks_.resize(std::max(marks_.size(), chunk_count(found.size(), candidate_grain)));
  const std::size_t words = proxies.size() / 64 + 1;
  parallel_chunks(workers, found.size(), candidate_grain, [&](std::size_t begin, std::size_t end, std::size_t chunk) {
    // The runs that begin in this chunk.
    while (begin > 0 && begin < end && found[begin].a == found[begin - 1].a) ++begin;
    if (begin == end) return;
    while (end < found.size() && found[end].a == found[end - 1].a) ++end;
    for (std::size_t first = begin; first < end;) {
      std::size_t last = first + 1;
      while (last < end && found[last].a == found[first].a) ++last;
      const auto less = [](const NodePair& p, const NodePair& q) { return p.b < q.b; };
      if (last - first > long_run && words <= words_each * (last - first)) {
        order_by_marks({found.data() + first, last - first}, words, marks_[chunk]);
      } else if (last - first > long_run) {
        std::sort(found.data() + first, found.data() + last, less);
      } else {
        order_by_rank({found.data() + first, last - first});
      }
      first = last;
    }
  });
}

void CandidateList::replace(Workers& workers, const Proxies& proxies, std::vector<NodePair>& found) {
  sort(workers, proxies, found);
  append_.run(workers, found.size(), candidate_grain, items_,
              [&](std::size_t begin, std::size_t end, std::vector<Candidate>& out, std::size_t) {
                out.resize(end - begin);
                std::size_t n = 0;
                for (std::size_t i = begin; i < end; ++i) {
                  out[n] = {found[i].a, found[i].b, 0};
                  n += i == 0 || !(found[i] == found[i - 1]) ? 1 : 0;
                }
                out.resize(n);
              });
}

void CandidateList::merge(Workers& workers, const Proxies& proxies, std::vector<NodePair>& found) {
  sort(workers, proxies, found);
  const std::span<const std::uint8_t> flags = proxies.flags();
  const auto stays = [&](const Candidate& c) {
    if (((flags[c.a] | flags[c.b]) & Proxies::left_flag) == 0) return true;
    return proxies[c.a].there && proxies[c.b].there && overlap(proxies.wide()[c.a], proxies.wide()[c.b]) &&
           (!proxies.ever_filtered() || may_collide(proxies[c.a].filter, proxies[c.b].filter));
  };
  const auto item_key = [&](std::size_t i) { return key(items_[i].a, items_[i].b); };
  const auto first_found = [&](std::size_t i) {
    if (i == 0) return found.cbegin();
    if (i >= items_.size()) return found.cend();
    return std::lower_bound(found.cbegin(), found.cend(), item_key(i),
                            [](const NodePair& pair, std::uint64_t limit) { return key(pair.a, pair.b) < limit; });
  };
  // Each chunk of items has a part of what was found to itself.
  append_.run(workers, std::max<std::size_t>(items_.size(), 1), candidate_grain, next_,
              [&](std::size_t begin, std::size_t end, std::vector<Candidate>& out, std::size_t) {
                std::size_t i = begin;
                const std::size_t last_item = std::min(end, items_.size());
                const auto keep_below = [&](std::uint64_t limit) {
                  for (; i < last_item && item_key(i) < limit; ++i) {
                    if (stays(items_[i])) out.push_back(items_[i]);
                  }
                };
                std::uint64_t before = ~std::uint64_t{0};
                for (auto pair = first_found(begin), last = first_found(end); pair != last; ++pair) {
                  const std::uint64_t here = key(pair->a, pair->b);
                  if (here == before) continue;
                  before = here;
                  keep_below(here);
                  if (i < last_item && item_key(i) == here) ++i;
                  out.push_back({pair->a, pair->b, 0});  // one of them moved, so it will be looked at
                }
                keep_below(~std::uint64_t{0});
              });
  std::swap(items_, next_);
}

}  // namespace carom::broad
