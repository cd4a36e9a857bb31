#include "bench/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "core/check.hpp"
#include "core/printable.hpp"

namespace carom::bench {

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (const std::string& name : head) widths.push_back(name.size());
  std::vector<std::vector<std::string>> cells = rows;
  for (auto& row : cells) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = printable(row[i]);
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string result = title.empty() ? "" : title + "\n";
  const auto add_row = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += i == 0 ? fmt::format("{:<{}}", row[i], widths[i]) : fmt::format("  {:>{}}", row[i], widths[i]);
    }
    result += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  add_row(head);
  for (const auto& row : cells) add_row(row);
  return result;
}

void Table::write_csv(const std::filesystem::path& path) const {
  std::ofstream file(path, std::ios::binary);
  file << fmt::format("{}\n", fmt::join(head, ","));
  for (const auto& row : rows) file << fmt::format("{}\n", fmt::join(row, ","));
  file.close();
  require(!file.fail(), ErrorCode::io, "{}: cannot be written", path.string());
}

void publish(const std::filesystem::path& folder, std::initializer_list<NamedTable> tables) {
  std::filesystem::create_directories(folder);
  for (const NamedTable& named : tables) {
    if (named.table.rows.empty()) continue;
    fmt::print("{}\n", named.table.text());
    named.table.write_csv(folder / named.file);
  }
}

}  // namespace carom::bench
