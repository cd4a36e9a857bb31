#pragma once

#include "carom/detect/continuous.hpp"
#include "carom/detect/detect.hpp"

namespace carom {

struct DetectContinuousOptions {
  /// m, not negative: pairs that come this close at some time of the step are reported. 0: those that touch.
  double distance = 0;
  PairScope pairs = PairScope::all;
  std::string method = "auto";  ///< auto or one of the trees; the result does not depend on it
  int threads = 0;              ///< 0 = as many as the machine has; the result does not depend on it
  ContactFilters filters{};     ///< pairs that are not to count
  /// Coherence: a call may use what the last one with the same scratch found. The result does not depend on it.
  bool coherent = true;
  double tolerance = 1e-6;  ///< fraction of the motion, as in ContinuousOptions
  bool exact = false;       ///< no false yes, as in ContinuousOptions; only for distance 0
};

/// Contact of two features that meet in a step.
struct MovingContact {
  ContactKind kind = ContactKind::vertex_face;
  std::array<Index, 2> a{none, none};                     ///< as in Contact
  std::array<Index, 2> b{none, none};                     ///< as in Contact
  std::array<Index, 4> vertices{none, none, none, none};  ///< as in Contact
  Impact impact;
};

/// Finds every vertex-triangle and every edge-edge pair that shares no vertex and comes as close as the distance while
/// all vertices go straight from `start` to `end`, each once, the earliest first, and in canonical order where times
/// are the same. What is promised of each pair is what carom/detect/continuous.hpp promises: none is missed and no time
/// is late. Fills the entries bounds to narrow of `stats`. Throws Error: not_finite (names the vertex), bad_index
/// (names the entry of a filter), invalid_argument, unsupported (a method that is no tree), unknown_name.
void detect_continuous(const Surface& surface, std::span<const Eigen::Vector3d> start,
                       std::span<const Eigen::Vector3d> end, const DetectContinuousOptions& options,
                       DetectScratch& scratch, std::vector<MovingContact>& contacts, PipelineStats& stats);

/// Contacts in a step, for a single call.
std::vector<MovingContact> detect_continuous(const Surface& surface, std::span<const Eigen::Vector3d> start,
                                             std::span<const Eigen::Vector3d> end,
                                             const DetectContinuousOptions& options = {});

}  // namespace carom
