#pragma once

#include <vector>

#include "broad/candidate_list.hpp"

namespace carom::broad {

/// The last step of an update: which candidates overlap by their own bounds, and what is new about that.
class OverlapPass {
 public:
  /// Pairs (a < b) that are not to be reported. False if it is so already.
  bool exclude(const NodePair& pair);
  bool include(const NodePair& pair);
  void include_all_of(std::uint32_t proxy);

  /// Looks at candidates of which one proxy moved, or at all.
  void run(Workers& workers, const Proxies& proxies, CandidateList& candidates, bool all, BroadPhaseStats& stats);

  std::span<const ProxyPair> pairs() const { return pairs_; }
  std::span<const StepInterval> intervals() const { return intervals_; }
  std::span<const ProxyPair> began() const { return began_; }
  std::span<const ProxyPair> ended() const { return ended_; }
  void forget_events() {
    began_.clear();
    ended_.clear();
  }

 private:
  void compare();

  struct Counts {
    std::array<std::uint64_t, 4> of{};  // by outcome
  };
  std::vector<NodePair> excluded_;  // ascending
  std::vector<ProxyPair> pairs_, before_, began_, ended_;
  std::vector<StepInterval> intervals_;
  std::vector<Counts> counts_;
  OrderedAppend<ProxyPair> append_;
};

}  // namespace carom::broad
