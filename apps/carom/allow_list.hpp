#pragma once

#include <string>
#include <vector>

#include "clash_findings.hpp"

namespace carom::app {

/// Overlaps that are meant, from a JSON file:
///   {"unit": "mm",
///    "allow": [{"a": "bolt*", "b": "plate*", "depth": 0.05}],
///    "groups": [{"name": "hinge", "parts": ["pin*", "bush?"], "depth": 0.01}]}
/// Patterns are those of a shell (* ? [abc]) and are compared with the whole name of a part. `depth` is the largest
/// local depth that is meant; without it any is. Parts of a group may overlap and touch each other.
class AllowList {
 public:
  AllowList() = default;
  /// Throws Error that names the file and the entry.
  explicit AllowList(const std::string& file);

  /// Marks what is meant.
  void apply(std::vector<Finding>& findings) const;
  bool empty() const { return entries_.empty(); }

 private:
  struct Entry {
    std::vector<std::string> a;
    std::vector<std::string> b;
    double depth = INFINITY;  ///< m
    std::string label;
  };
  std::vector<Entry> entries_;
};

/// Compares with the JSON of an earlier run. Throws Error that names the file if that is none.
void compare_with_baseline(const std::string& file, CheckReport& report);

}  // namespace carom::app
