#pragma once

#include <chrono>
#include <memory>

#include "broad/pair_finder.hpp"
#include "broad/tree_finder.hpp"

namespace carom::broad {

/// The method in use: the one asked for, or the one that was found to cost least. Methods can be changed whenever all
/// is searched again.
class Finders {
 public:
  /// Throws Error(unknown_name) that lists the methods.
  explicit Finders(const BroadPhaseOptions& options);

  bool needs_dops() const { return needs_dops_; }
  std::string_view name() const { return methods_[current_].name; }
  /// The trees, if the method has them.
  const TreeFinder* tree() const { return dynamic_cast<const TreeFinder*>(methods_[current_].finder.get()); }

  void rebuild(Workers& workers, const Proxies& proxies, std::span<const std::uint32_t> indices,
               std::vector<NodePair>& out);
  bool follow(Workers& workers, const Proxies& proxies, std::vector<NodePair>& out) {
    return methods_[current_].finder->follow(workers, proxies, out);
  }

  /// Notes the cost of an update, from changes to candidates.
  void charge(double seconds);

 private:
  struct Method {
    std::string_view name;
    std::unique_ptr<PairFinder> finder;
    double cost = 0;            // seconds an update, of the last time it was used for a while; 0 = not known yet
    std::size_t rest = 0;       // rebuilds before it is tried again
    std::size_t next_rest = 0;  // that then follow if it is no better
  };
  void choose(std::size_t proxies);

  std::vector<Method> methods_;
  std::size_t current_ = 0;
  bool needs_dops_ = false;
  std::size_t rebuilds_ = 0;  // since it is in use
  double seconds_ = 0;
  std::size_t updates_ = 0;
};

}  // namespace carom::broad
