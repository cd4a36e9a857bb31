#pragma once

#include <span>
#include <vector>

#include "broad/proxies.hpp"
#include "kernels/node_pairs.hpp"

namespace carom::broad {

using kernels::NodePair;

/// A method of finding pairs of wide boxes that overlap.
class PairFinder {
 public:
  PairFinder() = default;
  PairFinder(const PairFinder&) = delete;
  PairFinder& operator=(const PairFinder&) = delete;
  virtual ~PairFinder() = default;

  /// All pairs of the proxies in `indices`, each at least once, either way round. False if that would cost far too much
  /// and it may say so.
  virtual bool rebuild(Workers& workers, const Proxies& proxies, std::span<const std::uint32_t> indices,
                       std::vector<NodePair>& out) = 0;

  /// After proxies in proxies.left() got new wide boxes, came or went: at least all pairs with one of these which did
  /// not overlap before, and all of those whose group changed. False if it would rather rebuild; then that is what is
  /// called next.
  virtual bool follow(Workers& workers, const Proxies& proxies, std::vector<NodePair>& out) = 0;
};

}  // namespace carom::broad
