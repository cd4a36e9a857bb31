#include "broad/overlap_pass.hpp"

#include <algorithm>

namespace carom::broad {

namespace {
constexpr std::size_t overlap_grain = 1024;

/// Second proxies of candidates are anywhere in memory: they are asked for this many candidates before they are needed.
constexpr std::size_t ahead = 16;

bool less(const NodePair& p, const NodePair& q) {
  return p.a != q.a ? p.a < q.a : p.b < q.b;
}
}  // namespace

bool OverlapPass::exclude(const NodePair& pair) {
  const auto place = std::lower_bound(excluded_.begin(), excluded_.end(), pair, less);
  if (place != excluded_.end() && *place == pair) return false;
  excluded_.insert(place, pair);
  return true;
}

bool OverlapPass::include(const NodePair& pair) {
  const auto place = std::lower_bound(excluded_.begin(), excluded_.end(), pair, less);
  if (place == excluded_.end() || !(*place == pair)) return false;
  excluded_.erase(place);
  return true;
}

void OverlapPass::include_all_of(std::uint32_t proxy) {
  std::erase_if(excluded_, [&](const NodePair& pair) { return pair.a == proxy || pair.b == proxy; });
}

void OverlapPass::run(Workers& workers, const Proxies& proxies, CandidateList& candidates, bool all,
                      BroadPhaseStats& stats) {
  std::vector<Candidate>& items = candidates.items();
  const std::span<const std::uint8_t> flags = proxies.flags();
  std::swap(pairs_, before_);
  counts_.assign(chunk_count(items.size(), overlap_grain), {});
  append_.run(
      workers, items.size(), overlap_grain, pairs_,
      [&](std::size_t begin, std::size_t end, std::vector<ProxyPair>& out, std::size_t chunk) {
        Counts counts;
        auto next = excluded_.begin();
        if (!excluded_.empty()) {
          next = std::lower_bound(excluded_.begin(), excluded_.end(), NodePair{items[begin].a, items[begin].b}, less);
        }
        out.resize(end - begin);
        std::size_t n = 0;
        for (std::size_t i = begin; i < end; ++i) {
          if (i + ahead < end) proxies.prefetch(items[i + ahead].b);
          Candidate& c = items[i];
          if (all || ((flags[c.a] | flags[c.b]) & Proxies::moved_flag) != 0) {
            c.outcome = static_cast<std::uint32_t>(outcome(proxies, c.a, c.b)) & 3U;
          }
          ++counts.of[c.outcome];
          const NodePair pair{c.a, c.b};
          while (next != excluded_.end() && less(*next, pair)) ++next;
          const bool keep = c.outcome == static_cast<std::uint32_t>(Outcome::overlap) &&
                            (next == excluded_.end() || !(*next == pair));
          out[n] = {c.a, c.b};
          n += keep ? 1 : 0;
        }
        out.resize(n);
        counts_[chunk] = counts;
      });
  Counts sum;
  for (const Counts& counts : counts_) {
    for (std::size_t k = 0; k < 4; ++k) sum.of[k] += counts.of[k];
  }
  const auto of = [&](Outcome outcome) { return sum.of[static_cast<std::size_t>(outcome)]; };
  stats.candidates = items.size();
  stats.boxes = items.size() - of(Outcome::boxes_apart);
  stats.dops_apart = of(Outcome::dops_apart);
  stats.never_close = of(Outcome::never_close);

  if (proxies.ever_swept()) {
    intervals_.resize(pairs_.size());
    parallel_for(workers, pairs_.size(), overlap_grain, [&](std::size_t i) {
      const bounds::Interval part = overlap_interval(proxies, pairs_[i].a, pairs_[i].b);
      intervals_[i] = {part.begin, part.end};
    });
  }
  compare();
}

/// Compares the pairs of this update with those before; both lists are ascending.
void OverlapPass::compare() {
  forget_events();
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < before_.size() && j < pairs_.size()) {
    if (before_[i] == pairs_[j]) {
      ++i;
      ++j;
    } else if (before_[i] < pairs_[j]) {
      ended_.push_back(before_[i++]);
    } else {
      began_.push_back(pairs_[j++]);
    }
  }
  ended_.insert(ended_.end(), before_.begin() + static_cast<std::ptrdiff_t>(i), before_.end());
  began_.insert(began_.end(), pairs_.begin() + static_cast<std::ptrdiff_t>(j), pairs_.end());
}

}  // namespace carom::broad
