#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace carom::app {

/// A number of ours beside the one that was published.
struct Quantity {
  std::string name;
  double ours = 0;
  std::optional<double> published{};
  int digits = 2;  ///< after the point
};

struct ReproducedRow {
  std::string label;
  std::vector<Quantity> quantities;  ///< of the same names in every row of a table
};

struct ReproducedTable {
  std::string id;
  std::string title;
  std::vector<ReproducedRow> rows;
  std::vector<std::string> notes;
};

/// In columns: each of our numbers, then the published one, or - where there is none.
std::string to_text(const ReproducedTable& table);
/// {"title", "rows": [{"row", name: {"ours", "published"}, ...}], "notes"}
nlohmann::ordered_json to_json(const ReproducedTable& table);

}  // namespace carom::app
