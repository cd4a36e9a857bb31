#pragma once

#include <memory>

#include "broad/pair_finder.hpp"
#include "broad/tree_finder.hpp"

namespace carom::broad {

/// The method in use.
class Finders {
 public:
  /// Throws Error(unknown_name) that lists the methods.
  explicit Finders(const BroadPhaseOptions& options);

  bool needs_dops() const { return false; }
  std::string_view name() const { return "tree"; }
  /// The trees, if the method has them.
  const TreeFinder* tree() const { return &tree_; }

  void rebuild(Workers& workers, const Proxies& proxies, std::span<const std::uint32_t> indices,
               std::vector<NodePair>& out) {
    tree_.rebuild(workers, proxies, indices, out);
  }
  bool follow(Workers& workers, const Proxies& proxies, std::vector<NodePair>& out) {
    return tree_.follow(workers, proxies, out);
  }

 private:
  TreeFinder tree_;
};

}  // namespace carom::broad
