#include "reproduced_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/table.hpp"

namespace carom::app {

std::string to_text(const ReproducedTable& table) {
  // Published figures have a column where there are any.
  const auto has_published = [&](std::size_t i) {
    return std::any_of(table.rows.begin(), table.rows.end(),
                       [i](const ReproducedRow& row) { return row.quantities[i].published.has_value(); });
  };
  bench::Table columns{fmt::format("Table {}: {}", table.id, table.title), {""}, {}};
  if (!table.rows.empty()) {
    for (std::size_t i = 0; i < table.rows.front().quantities.size(); ++i) {
      columns.head.push_back(table.rows.front().quantities[i].name);
      if (has_published(i)) columns.head.emplace_back("thesis");
    }
  }
  for (const ReproducedRow& row : table.rows) {
    std::vector<std::string> cells{row.label};
    for (std::size_t i = 0; i < row.quantities.size(); ++i) {
      const Quantity& q = row.quantities[i];
      cells.push_back(fmt::format("{:.{}f}", q.ours, q.digits));
      if (!has_published(i)) continue;
      cells.push_back(q.published ? fmt::format("{:.{}f}", *q.published, q.digits) : "-");
    }
    columns.add(std::move(cells));
  }
  std::string text = columns.text();
  for (const std::string& note : table.notes) text += note + "\n";
  return text;
}

nlohmann::ordered_json to_json(const ReproducedTable& table) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const ReproducedRow& row : table.rows) {
    nlohmann::ordered_json entry = {{"row", row.label}};
    for (const Quantity& q : row.quantities) {
      entry[q.name] = {{"ours", q.ours}, {"published", nullptr}};
      if (q.published) entry[q.name]["published"] = *q.published;
    }
    rows.push_back(std::move(entry));
  }
  return {{"title", table.title}, {"rows", std::move(rows)}, {"notes", table.notes}};
}

}  // namespace carom::app
