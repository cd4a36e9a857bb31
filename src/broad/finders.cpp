#include "broad/finders.hpp"

#include <fmt/ranges.h>

#include <cfloat>

#include "broad/cells_finder.hpp"
#include "broad/sap_finder.hpp"
#include "core/check.hpp"

namespace carom {

std::span<const std::string_view> broad_phase_methods() {
  static constexpr std::array<std::string_view, 5> names{"auto", "tree", "sap", "sap18", "cells"};
  return names;
}

}  // namespace carom

namespace carom::broad {

namespace {

/// A method is judged after it has searched all again this often, the first of which is not counted: it also pays for
/// memory.
constexpr std::size_t trial = 2;
/// Others than the tree are tried after as many rebuilds, for it is the best most of the time and runs may be short;
/// one that cost more, again after more, and then after twice as many each time.
constexpr std::size_t first_rest = 16;
constexpr std::size_t second_rest = 64;
/// A sweep of more is not even tried: it would cost more than all that could be saved.
constexpr std::size_t max_swept = 8192;

}  // namespace

Finders::Finders(const BroadPhaseOptions& options) {
  const auto names = broad_phase_methods();
  require(std::find(names.begin(), names.end(), options.method) != names.end(), ErrorCode::unknown_name,
          "no broad phase is called '{}'; expected one of: {}", options.method, fmt::join(names, ", "));
  require(!std::isnan(options.margin) && options.margin <= DBL_MAX, ErrorCode::invalid_argument,
          "margin is {}; expected a number of metres, or a negative number for an automatic margin", options.margin);
  require(options.cell >= 0 && options.cell <= DBL_MAX, ErrorCode::invalid_argument,
          "cell is {}; expected a number of metres, or 0 for an automatic size", options.cell);

  const bool any = options.method == "auto";
  const auto add = [&](std::string_view name, auto&& make) {
    if (any || options.method == name) methods_.push_back({name, make(), 0, first_rest, second_rest});
  };
  add("tree", [] { return std::make_unique<TreeFinder>(); });
  add("cells", [&] { return std::make_unique<CellsFinder>(options.cell, any); });
  add("sap", [] { return std::make_unique<SapFinder<3>>(); });
  if (options.method == "sap18") {
    needs_dops_ = true;
    methods_.push_back({"sap18", std::make_unique<SapFinder<9>>(), 0, first_rest, second_rest});
  }
}

void Finders::rebuild(Workers& workers, const Proxies& proxies, std::span<const std::uint32_t> indices,
                      std::vector<NodePair>& out) {
  if (methods_.size() > 1) choose(indices.size());
  if (methods_[current_].finder->rebuild(workers, proxies, indices, out)) return;
  methods_[current_].cost = HUGE_VAL;
  current_ = 0;  // the tree, which never refuses
  methods_[current_].finder->rebuild(workers, proxies, indices, out);
}

void Finders::charge(double seconds) {
  if (methods_.size() == 1 || rebuilds_ < 2) return;
  seconds_ += seconds;
  ++updates_;
}

void Finders::choose(std::size_t proxies) {
  if (rebuilds_++ < trial || updates_ == 0) return;
  Method& used = methods_[current_];
  used.cost = seconds_ / static_cast<double>(updates_);
  rebuilds_ = 1;
  seconds_ = 0;
  updates_ = 0;
  // One that was not tried for long, or the best.
  std::size_t best = current_;
  for (std::size_t m = 0; m < methods_.size(); ++m) {
    Method& method = methods_[m];
    if (m == current_ || (method.name == "sap" && proxies > max_swept)) continue;
    if (method.rest <= trial) {
      method.rest = method.next_rest;
      method.next_rest *= 2;
      current_ = m;
      return;
    }
    method.rest -= trial;
    if (method.cost > 0 && method.cost < methods_[best].cost) best = m;
  }
  current_ = best;
}

}  // namespace carom::broad
