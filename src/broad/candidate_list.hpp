#pragma once

#include <vector>

#include "broad/exact_overlap.hpp"
#include "broad/pair_finder.hpp"
#include "core/radix_sort.hpp"

namespace carom::broad {

/// Two proxies whose wide boxes overlap, a < b, and what their own bounds were found to do.
struct Candidate {
  std::uint32_t a = 0;
  std::uint32_t b : 30 = 0;
  std::uint32_t outcome : 2 = 0;
};
inline constexpr std::size_t max_proxies = std::size_t{1} << 30U;

/// All candidates, ascending, each once.
class CandidateList {
 public:
  /// Replaces the list by all that a finder found, in any order.
  void replace(Workers& workers, const Proxies& proxies, std::vector<NodePair>& found);
  /// Merges what a finder found on following: candidates with a proxy that left are kept if their wide boxes still
  /// overlap.
  void merge(Workers& workers, const Proxies& proxies, std::vector<NodePair>& found);

  std::vector<Candidate>& items() { return items_; }
  std::span<const Candidate> items() const { return items_; }

 private:
  void sort(Workers& workers, const Proxies& proxies, std::vector<NodePair>& found);

  std::vector<Candidate> items_, next_;
  RadixSort<NodePair> radix_;
  std::vector<std::vector<std::uint64_t>> marks_;  // of proxies, for each chunk
  OrderedAppend<Candidate> append_;
};

}  // namespace carom::broad
