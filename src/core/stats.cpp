#include "carom/core/stats.hpp"

namespace carom {

std::string_view to_string(Stage stage) {
  constexpr std::array<std::string_view, stage_count> names{"edits",  "predict",  "bounds",  "broad", "mid",
                                                            "narrow", "contacts", "respond", "commit"};
  return names[static_cast<std::size_t>(stage)];
}

void StageStats::add_culled(std::string_view reason, std::uint64_t count) {
  for (Culled& entry : culled_.entries()) {
    if (entry.reason == reason) {
      entry.count += count;
      return;
    }
  }
  culled_.add({reason, count});
}

std::uint64_t StageStats::culled_total() const {
  std::uint64_t total = 0;
  for (const Culled& entry : culled()) total += entry.count;
  return total;
}

void StageStats::add_counted(std::string_view name, std::uint64_t count) {
  for (Counted& entry : counted_.entries()) {
    if (entry.name == name) {
      entry.count += count;
      return;
    }
  }
  counted_.add({name, count});
}

void StageStats::add(const StageStats& other) {
  in += other.in;
  out += other.out;
  remembered += other.remembered;
  if (!other.in_unit.empty()) set_units(other.in_unit, other.out_unit);
  limited += other.limited;
  seconds += other.seconds;
  for (const Culled& entry : other.culled()) add_culled(entry.reason, entry.count);
  for (const Counted& entry : other.counted()) add_counted(entry.name, entry.count);
}

void PipelineStats::add(const PipelineStats& other) {
  for (std::size_t i = 0; i < stage_count; ++i) stages[i].add(other.stages[i]);
}

}  // namespace carom
