#pragma once

#include <span>
#include <vector>

#include "bounds/box.hpp"
#include "broad/object_filter.hpp"
#include "carom/detect/detect.hpp"
#include "core/context.hpp"

/// Stage `broad`: which objects may touch. Sort the boxes along one axis and sweep; an object is
/// paired with itself where contacts within it are wanted, and with none if its box is empty.
namespace carom::broad {

struct In {
  std::span<const Box> objects;
};

struct Options {
  PairScope pairs = PairScope::all;
  const ObjectFilter* filter = nullptr;  ///< null = all objects may touch
};

/// Positions in Surface::objects(), a <= b.
struct ObjectPair {
  Index a = none;
  Index b = none;
  friend auto operator<=>(const ObjectPair&, const ObjectPair&) = default;
};

struct Out {
  std::vector<ObjectPair> pairs;  ///< ascending
};

void run(Context& context, const In& in, const Options& options, Out& out, StageStats& stats);

}  // namespace carom::broad
