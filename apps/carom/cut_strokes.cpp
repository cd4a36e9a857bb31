#include "cut_strokes.hpp"

#include <algorithm>

namespace carom::app {

namespace {

constexpr double longest_gap = 0.5;  // s, between two cuts of a stroke

}  // namespace

void CutStrokes::add(std::span<const RecordedCut> cuts, double dt) {
  for (const RecordedCut& cut : cuts) {
    ++added_;
    RecordedCut stroke = cut;
    const auto last = std::find_if(strokes_.rbegin(), strokes_.rend(),
                                   [&](const RecordedCut& other) { return other.body == cut.body; });
    if (last != strokes_.rend() && last->pieces.empty() &&
        static_cast<double>(cut.step - last->step) * dt <= longest_gap) {
      stroke.crossed += last->crossed;
      stroke.separated += last->separated;
      stroke.length += last->length;
      stroke.area += last->area;
      strokes_.erase(std::next(last).base());
    }
    strokes_.push_back(std::move(stroke));
  }
}

}  // namespace carom::app
