#pragma once

#include <memory>
#include <string>
#include <vector>

#include "carom/shape/shape.hpp"

namespace carom::bench {

/// A broad phase in a loop: boxes in, pairs that may touch out.
class BroadPeer {
 public:
  BroadPeer() = default;
  BroadPeer(const BroadPeer&) = delete;
  BroadPeer& operator=(const BroadPeer&) = delete;
  virtual ~BroadPeer() = default;

  virtual void add(const std::vector<AxisBox>& boxes) = 0;
  /// Each body has another box now; returns the number of pairs.
  virtual std::size_t step(const std::vector<AxisBox>& boxes) = 0;
};

std::unique_ptr<BroadPeer> make_broad_carom(const std::string& method, int threads);
std::unique_ptr<BroadPeer> make_broad_fcl_tree();
std::unique_ptr<BroadPeer> make_broad_fcl_sap();
std::unique_ptr<BroadPeer> make_broad_fcl_ssap();
std::unique_ptr<BroadPeer> make_broad_bullet_tree();
/// All boxes, now and later, are within `world`.
std::unique_ptr<BroadPeer> make_broad_bullet_sweep(const AxisBox& world);

}  // namespace carom::bench
