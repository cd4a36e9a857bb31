#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace carom {

/// The stages of one step, in the order in which they run.
enum class Stage { edits, predict, bounds, broad, mid, narrow, contacts, respond, commit };
inline constexpr std::size_t stage_count = 9;

std::string_view to_string(Stage stage);

/// Number of candidates that one test took away.
struct Culled {
  std::string_view reason;
  std::uint64_t count = 0;
};

/// Number of something that a stage made on its way from what came in to what went out: cells, entries of
/// a list, nodes.
struct Counted {
  std::string_view name;
  std::uint64_t count = 0;
};

/// Entries in the order in which they were added. The first eight are stored in place, so that a step allocates nothing
/// for them; with the ninth all move to the heap.
template <class Entry>
class EntryList {
 public:
  std::span<const Entry> entries() const {
    return moved_.empty() ? std::span<const Entry>(in_place_.data(), size_) : std::span<const Entry>(moved_);
  }
  std::span<Entry> entries() {
    return moved_.empty() ? std::span<Entry>(in_place_.data(), size_) : std::span<Entry>(moved_);
  }
  void add(const Entry& entry) {
    if (moved_.empty() && size_ < in_place_.size()) {
      in_place_[size_++] = entry;
      return;
    }
    if (moved_.empty()) moved_.assign(in_place_.begin(), in_place_.end());
    moved_.push_back(entry);
  }

 private:
  std::array<Entry, 8> in_place_{};
  std::size_t size_ = 0;      ///< number of entries in place
  std::vector<Entry> moved_;  ///< all entries, or none
};

/// Counts of one stage: what came in, what went out, what took the rest away,
/// and how long it took. Counts are exact and the same for any number of
/// threads; times are not.
class StageStats {
 public:
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  /// Part of `in` that is not from the stage before, but remembered from earlier steps.
  std::uint64_t remembered = 0;
  /// Names of what `in` and `out` count, such as "pairs of clusters"; empty if the stage did not run. Where the stage
  /// before speaks of the same, `in - remembered` is its `out`; where it does not, its `out` holds so many of these.
  std::string_view in_unit{};
  std::string_view out_unit{};
  std::uint64_t limited = 0;  ///< results that a limit of the stage changed; 0 if none was hit
  double seconds = 0;         ///< wall time

  /// The names must outlive the statistics: string literals.
  void set_units(std::string_view of_in, std::string_view of_out) {
    in_unit = of_in;
    out_unit = of_out;
  }
  void set_unit(std::string_view unit) { set_units(unit, unit); }

  /// `reason` must outlive the statistics: a string literal.
  void add_culled(std::string_view reason, std::uint64_t count);
  std::span<const Culled> culled() const { return culled_.entries(); }
  std::uint64_t culled_total() const;

  /// `name` must outlive the statistics: a string literal.
  void add_counted(std::string_view name, std::uint64_t count);
  std::span<const Counted> counted() const { return counted_.entries(); }

  /// Adds the counts and the times of another run of the same stage.
  void add(const StageStats& other);

 private:
  EntryList<Culled> culled_;
  EntryList<Counted> counted_;
};

/// Statistics with one entry for each stage; a stage that did not run stays zero.
struct PipelineStats {
  std::array<StageStats, stage_count> stages{};

  StageStats& operator[](Stage stage) { return stages[static_cast<std::size_t>(stage)]; }
  const StageStats& operator[](Stage stage) const { return stages[static_cast<std::size_t>(stage)]; }
  void add(const PipelineStats& other);
};

}  // namespace carom
