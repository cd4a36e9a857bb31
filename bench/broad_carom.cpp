#include "bench/broad_peers.hpp"
#include "carom/detect/broad_phase.hpp"

namespace carom::bench {
namespace {

class Carom final : public BroadPeer {
 public:
  Carom(const std::string& method, int threads) : broad_({.method = method, .threads = threads}) {}

  void add(const std::vector<AxisBox>& boxes) override {
    for (const AxisBox& box : boxes) ids_.push_back(broad_.add(box));
    broad_.update();
  }
  std::size_t step(const std::vector<AxisBox>& boxes) override {
    broad_.move(ids_, boxes);
    broad_.update();
    return broad_.pairs().size();
  }

 private:
  BroadPhase broad_;
  std::vector<ProxyId> ids_;
};

}  // namespace

std::unique_ptr<BroadPeer> make_broad_carom(const std::string& method, int threads) {
  return std::make_unique<Carom>(method, threads);
}

}  // namespace carom::bench
