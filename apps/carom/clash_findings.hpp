#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "assembly.hpp"
#include "carom/query/clash.hpp"
#include "lengths.hpp"
#include "part_state.hpp"

namespace carom::app {

/// Difference from an earlier run.
enum class ClashChange { none, fresh, deeper, same, shallower };

/// A clash and what follows for the person who asked.
struct Finding {
  Clash clash;
  std::string a{};  ///< full names of the parts
  std::string b{};
  bool problem = false;      ///< counts for the exit code, but for an allow list and a baseline
  bool allowed = false;      ///< meant: see AllowList
  std::string allowed_by{};  ///< entry of the allow list that names the two parts, also if they are deeper than it says
  ClashChange change = ClashChange::none;
};

/// Clash of an earlier run that is no more.
struct GoneClash {
  std::string a{};
  std::string b{};
  double depth = 0;  ///< m
};

struct CheckReport {
  std::vector<AssemblyPart> parts;
  std::vector<std::vector<PartDefect>> defects;  ///< of each part
  std::vector<Finding> findings;                 ///< the worst first
  std::vector<GoneClash> gone;
  double clearance = 0;
  double chord_error = 0;  ///< m, of parts from CAD files: part of the error of every depth
  bool compared = false;   ///< with an earlier run

  std::size_t count(ClashKind kind) const;
  std::size_t allowed() const;
  /// Findings that make the exit code 1.
  std::size_t problems() const;
};

std::string_view to_string(ClashChange change);

/// Names as short as they can be told apart: what all of them begin or end with is left out, up to a separator.
std::vector<std::string> short_names(const std::vector<AssemblyPart>& parts);

/// "0.25 mm deep", "touch", "0.1 mm apart", "no way out".
std::string amount_of(const Clash& clash, const Lengths& unit);

nlohmann::ordered_json to_json(const CheckReport& report);
std::string to_csv(const CheckReport& report);
/// Table, warnings and the summary, as text of several lines.
std::string to_text(const CheckReport& report, const Lengths& unit);

}  // namespace carom::app
