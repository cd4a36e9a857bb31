#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "carom/io/recording.hpp"

namespace carom::app {

/// Cuts of a run for people to read: those of a body in step after step are one stroke, which ends where a piece comes
/// off, or where nothing was cut for half a second.
class CutStrokes {
 public:
  /// Cuts in the order of their steps, after all before. `dt`: of a step, s.
  void add(std::span<const RecordedCut> cuts, double dt);

  /// In the order of their last steps, which are theirs.
  std::span<const RecordedCut> strokes() const { return strokes_; }
  /// Number of cuts so far.
  std::uint64_t added() const { return added_; }

 private:
  std::vector<RecordedCut> strokes_;
  std::uint64_t added_ = 0;
};

}  // namespace carom::app
